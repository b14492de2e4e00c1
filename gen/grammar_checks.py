"""Checks of grammars that a JSON Schema cannot express."""

from __future__ import annotations

from collections.abc import Iterator

from modalgen.gen.diagnostics import Diagnostic, nearest, quoted
from modalgen.gen.schema_check import Parts
from modalgen.gen.screen import model_size
from modalgen.gen.spec_checks import read_side
from modalgen.gen.template_checks import declared_symbols
from modalgen.gen.yaml_source import Keys

_BOUNDS = (
    ("max_size", "size"),
    ("premise_size", "size"),
    ("modal_depth", "modal_depth"),
    ("quantifier_depth", "quantifier_depth"),
)


def grammar_faults(parts: Parts, number: int) -> Iterator[Diagnostic]:
    """What is wrong with one grammar, as far as the rest of the file can be used."""
    path: Keys = ("grammar", number)
    yield from _operator_faults(parts, path)
    for bound, limit in _BOUNDS:
        value, most = parts.get(*path, bound), parts.get("limits", limit)
        if value is not None and most is not None and value > most:
            message = f"`{bound}: {int(value)}` is over the limit `{limit}: {int(most)}`"
            yield _fault(parts, (*path, bound), message)
    declared = declared_symbols(parts)
    if declared is None:
        return
    names = parts.get(*path, "symbols") or list(declared)
    unknown = False
    for place, name in enumerate(names):
        if name not in declared:
            unknown = True
            message = f"the symbol {quoted(name)} is not declared in `symbols`"
            yield _fault(parts, (*path, "symbols", place), message, nearest(name, declared))
    a, b = read_side(parts, "a"), read_side(parts, "b")
    if a is None or b is None or unknown:
        return
    if model_size(tuple(sorted(declared[name] for name in names)), (a, b)) is None:
        message = "these symbols make too many small models to screen formulas; list fewer in `symbols`"
        at_symbols = parts.get(*path, "symbols") is not None
        yield _fault(parts, (*path, "symbols") if at_symbols else (*path, "id"), message)


def _operator_faults(parts: Parts, path: Keys) -> Iterator[Diagnostic]:
    axis, operators = parts.get("axis"), parts.get(*path, "operators")
    if axis is None or operators is None:
        return
    here = (*path, "operators")
    if not {"box", "diamond"} & {*operators}:
        yield _fault(parts, here, "without `box` and `diamond` no formula tells the sides apart")
    if axis == "domain" and not {"forall", "exists"} & {*operators}:
        yield _fault(parts, here, "without `forall` and `exists` no formula with predicates is closed")
    for place, operator in enumerate(operators):
        if axis == "frame" and operator in ("forall", "exists"):
            message = "the frame axis is propositional: quantifiers are for `axis: domain`"
            yield _fault(parts, (*here, place), message)


def _fault(parts: Parts, path: Keys, message: str, suggestion: str | None = None) -> Diagnostic:
    return Diagnostic(parts.source.file, *parts.source.at_value(path), message, suggestion=suggestion)
