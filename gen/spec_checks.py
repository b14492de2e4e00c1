"""Checks that a JSON Schema cannot express: that a contrast is one.

The two sides must differ in exactly one declared condition (added on one side, or exchanged for
another) and must differ in what is entailed, or no formula could tell them apart. Validity is
monotone: what is valid in a class of models is valid in every class inside it, so some expectations
contradict themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path

from modalgen.gen.diagnostics import Diagnostic, listed
from modalgen.gen.schema_check import Parts
from modalgen.gen.yaml_errors import Position
from modalgen.semantics import CONDITIONS, SYSTEMS, Semantics, closure, entails, equivalent, semantics


def read_side(parts: Parts, side: str) -> Semantics | None:
    """The semantics that a side declares, None if that part of the file is unusable."""
    domain = parts.get("sides", side, "domain")
    if parts.get("axis") is None or (parts.get("axis") == "domain") != (domain is not None):
        return None
    if system := parts.get("sides", side, "system"):
        return semantics(SYSTEMS[system], domain)
    frame = parts.get("sides", side, "frame")
    return None if frame is None else semantics(frame, domain)


def contrast_faults(parts: Parts) -> Iterator[Diagnostic]:
    """What is wrong with the sides, the expectation, the identifier and the selection."""
    yield from identifier_faults(parts)
    a, b = read_side(parts, "a"), read_side(parts, "b")
    if a is not None and b is not None:
        if message := _difference_fault(a, b):
            yield _error(parts, parts.source.at_key(("sides",)), message)
        elif message := _expectation_fault(a, b, parts.get("expect", "a"), parts.get("expect", "b")):
            yield _error(parts, parts.source.at_key(("expect",)), message)
    yield from _selection_faults(parts)


def _error(parts: Parts, position: Position, message: str) -> Diagnostic:
    return Diagnostic(parts.source.file, *position, message)


def identifier_faults(parts: Parts) -> Iterator[Diagnostic]:
    """A file is named by its id."""
    path = Path(parts.source.file)
    name = parts.get("id")
    if name is not None and name != path.stem:
        message = f"the id `{name}` is not the name of the file, `{path.stem}`"
        remedy = f"`id: {path.stem}`, or the file name `{name}{path.suffix}`"
        yield Diagnostic(parts.source.file, *parts.source.at_value(("id",)), message, expected=remedy)


def _selection_faults(parts: Parts) -> Iterator[Diagnostic]:
    tasks = {
        parts.get(source, number, "task")
        for source in ("templates", "grammar")
        for number in range(parts.count(source))
    }
    for task in ("validity", "inference") if tasks and None not in tasks else ():
        if parts.get("select", task) and task not in tasks:
            source = "template" if not parts.count("grammar") else "template or grammar"
            message = f"no {source} has `task: {task}`; add one, or make it `{task}: 0`"
            yield _error(parts, parts.source.at_value(("select", task)), message)
    if parts.get("select", "validity") == 0 == parts.get("select", "inference"):
        message = "no pair of either task is asked for; give `validity` or `inference` a number above 0"
        yield _error(parts, parts.source.at_key(("select",)), message)
    yield from _direction_faults(parts)
    for key, what in (("modal_depth", "□ and ◇"), ("quantifier_depth", "quantifiers")):
        least, most = parts.get("select", key, "min"), parts.get("limits", key)
        if least is not None and most is not None and least > most:
            message = f"{what} cannot be nested {int(least)} deep; the limit is `{key}: {int(most)}`"
            yield _error(parts, parts.source.at_value(("select", key, "min")), message)


def _direction_faults(parts: Parts) -> Iterator[Diagnostic]:
    """What keeps a selection from being balanced that should be."""
    if parts.get("select", "directions") is None:
        return
    here = parts.source.at_key(("select", "directions"))
    a, b = read_side(parts, "a"), read_side(parts, "b")
    if a is not None and b is not None:
        for wide, narrow, name in ((a, b, "a"), (b, a, "b")):
            if entails(narrow, wide):
                message = (
                    f"directions cannot be balanced: what is valid on side {name} is valid on the other side "
                    "too, so no pair is valid on it alone"
                )
                yield _error(parts, here, message)
                return
    if parts.get("expect") is not None:
        message = "with balanced directions half of the pairs contradict this expectation; leave it out"
        yield _error(parts, parts.source.at_key(("expect",)), message)
    for task in ("validity", "inference"):
        quota = parts.get("select", task)
        if quota is not None and quota % 2:
            message = f"with balanced directions {task} pairs come in twos; make their number even"
            yield _error(parts, parts.source.at_value(("select", task)), message)


def _set(conditions: Iterable[str]) -> str:
    return f"[{', '.join(conditions)}]"


def _difference_fault(a: Semantics, b: Semantics) -> str | None:
    """Why a and b are not apart by exactly one condition; None if they are."""
    if a == b:
        return "both sides declare the same semantics; let them differ in one condition"
    if a.domain is not None and a.frame != b.frame:
        return (
            f"the frames differ ({_set(a.frame)} and {_set(b.frame)}); on the domain axis both sides "
            "have the same frame conditions and only the domains differ"
        )
    if equivalent(a, b):
        return f"the sides declare the same class of models in two ways: {_derivations(a, b)}"
    if a.domain is not None:
        return None
    only_a, only_b = sorted({*a.frame} - {*b.frame}), sorted({*b.frame} - {*a.frame})
    if max(len(only_a), len(only_b)) == 1:
        return None
    message = (
        f"the sides differ in more than one condition (a alone has {_set(only_a)}, b alone {_set(only_b)}); "
        "let one side add one condition, or exchange one for another"
    )
    if same := _closer_declaration(a, b):
        message += f"; side {same[0]} may as well be declared as `frame: {_set(same[1])}`"
    return message


def _derivations(a: Semantics, b: Semantics) -> str:
    """Which declared conditions of each side follow from those of the other."""
    declared = [
        [*side.frame, *([] if side.domain in (None, "varying") else [str(side.domain)])] for side in (a, b)
    ]
    sentences = []
    for side, here, there in (("a", declared[0], declared[1]), ("b", declared[1], declared[0])):
        if derived := [condition for condition in here if condition not in there]:
            follow = "follows" if len(derived) == 1 else "follow"
            sentences.append(f"{listed(derived, 'and')} of side {side} {follow} from {_set(there)}")
    return ", ".join(sentences)


def _closer_declaration(a: Semantics, b: Semantics) -> tuple[str, list[str]] | None:
    """A side, and conditions that declare the same class and are one condition from the other side."""
    for name, side, other in (("b", b, a), ("a", a, b)):
        held = closure(side)
        base = frozenset(other.frame)
        for drop, add in product([None, *sorted(base)], [None, *(c for c in CONDITIONS if c in held - base)]):
            near = (base - {drop}) | ({add} - {None})
            candidate = frozenset(str(condition) for condition in near)
            if candidate != base and equivalent(semantics(candidate), side):
                return name, sorted(candidate)
    return None


def _expectation_fault(a: Semantics, b: Semantics, valid_a: bool | None, valid_b: bool | None) -> str | None:
    if valid_a is None or valid_b is None:
        return None
    if valid_a == valid_b:
        return "the expected labels are the same; every pair has opposite labels"
    valid, other = ("a", "b") if valid_a else ("b", "a")
    stronger, weaker = (b, a) if valid_a else (a, b)
    if entails(stronger, weaker):
        return (
            f"valid on side {valid} and invalid on side {other} cannot be: every model of side {other} is "
            f"one of side {valid}, so what is valid on side {valid} is valid on side {other}"
        )
    return None
