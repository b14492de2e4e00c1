"""The registry's claims about conditions: what entails what, and which scheme corresponds to what."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator
from functools import cache

import pytest

from modalgen.kripke import (
    FRAME_CONDITIONS,
    KripkeModel,
    satisfies_domain_condition,
    satisfies_frame_condition,
    true_at,
)
from modalgen.oracle.eprover import EProver
from modalgen.oracle.process import run
from modalgen.semantics import _RULES, CONDITIONS, DOMAINS, closure, semantics
from modalgen.syntax import parse

Arrows = frozenset[tuple[int, int]]
REGIMES = frozenset(DOMAINS) - {"varying"}
RULES = [(tuple(sorted(premises)), tuple(sorted(conclusions))) for premises, conclusions in _RULES]
# Rules that E can prove as they stand: about frames, and not only about point-generated ones.
FIRST_ORDER_RULES = [
    rule for rule in RULES if set(rule[0] + rule[1]) <= CONDITIONS.keys() and "universal" not in rule[1]
]


def fof(definition: str) -> str:
    """A first-order definition of the registry in TPTP's FOF: `∀w∀v (Rwv → Rvw)` and the like."""
    text = definition.replace(" → ", ") => (")
    if "=>" in text:
        prefix, _, matrix = text.partition("(")
        text = f"{prefix}(({matrix.removesuffix(')')}))"
    text = re.sub(r"R(\w)(\w)", lambda m: f"r({m[1].upper()},{m[2].upper()})", text)
    text = re.sub(r"\b([a-z]) = ([a-z])\b", lambda m: f"{m[1].upper()} = {m[2].upper()}", text)
    text = re.sub(r"([∀∃])(\w)", lambda m: f"{'!' if m[1] == '∀' else '?'} [{m[2].upper()}] : ", text)
    return text.replace("∧", "&").replace("∨", "|")


def all_frames(worlds: int, required: Arrows = frozenset()) -> Iterator[Arrows]:
    """Every accessibility relation on so many worlds that has the required arrows."""
    free = [pair for pair in itertools.product(range(worlds), range(worlds)) if pair not in required]
    for chosen in itertools.product((False, True), repeat=len(free)):
        yield required | frozenset(itertools.compress(free, chosen))


def is_generated(worlds: int, arrows: Arrows) -> bool:
    """Whether every world is reachable from world 0."""
    reached = {0}
    for _ in range(worlds):
        reached |= {v for w, v in arrows if w in reached}
    return len(reached) == worlds


def frame_conditions(worlds: int, arrows: Arrows) -> frozenset[str]:
    """The conditions that the frame has, by the definitions of the reference evaluator."""
    model = KripkeModel(worlds, arrows)
    return frozenset(name for name in CONDITIONS if satisfies_frame_condition(model, name))


# A reflexive and transitive square: two worlds between a first and a last that do not see each other.
SQUARE: Arrows = frozenset({(w, w) for w in range(4)} | {(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)})


@cache
def kinds() -> frozenset[frozenset[str]]:
    """Which conditions, of frames and of domains, occur together in small point-generated models.

    All models with at most three worlds and two individuals, and one with four worlds.
    """
    found = set()
    frames = [(n, arrows) for n in (1, 2, 3) for arrows in all_frames(n) if is_generated(n, arrows)]
    for worlds, arrows in (*frames, (4, SQUARE)):
        conditions = frame_conditions(worlds, arrows)
        for domains in itertools.product(map(frozenset, ({0}, {1}, {0, 1})), repeat=worlds):
            model = KripkeModel(worlds, arrows, domains)
            regimes = {name for name in REGIMES if satisfies_domain_condition(model, name)}
            found.add(conditions | regimes)
    return frozenset(found)


def test_the_registries_name_the_same_conditions() -> None:
    """The evaluator defines exactly the conditions that can be declared."""
    assert FRAME_CONDITIONS.keys() == CONDITIONS.keys()


@pytest.mark.skipif(os.name != "posix", reason="there is no E for this system")
@pytest.mark.parametrize(("premises", "conclusions"), FIRST_ORDER_RULES)
def test_rules_about_frames_are_theorems(premises: tuple[str, ...], conclusions: tuple[str, ...]) -> None:
    """E proves each rule from the registry's definitions, for frames of any size."""
    executable = EProver("tff").path()
    assert executable is not None
    axioms = [f"fof(a{n},axiom,{fof(CONDITIONS[c].first_order)}).\n" for n, c in enumerate(premises)]
    for conclusion in conclusions:
        goal = f"fof(c,conjecture,{fof(CONDITIONS[conclusion].first_order)}).\n"
        completed = run(
            (executable, "--auto", "--silent", "rule.p"),
            files={"rule.p": "".join(axioms) + goal},
            wall_seconds=20,
            cpu_seconds=20,
            memory_mb=1024,
            output_bytes=100_000,
        )
        assert "SZS status Theorem" in completed.output, (premises, conclusion, completed.output)


@pytest.mark.parametrize(("premises", "conclusions"), RULES)
def test_rules_hold_in_small_models(premises: tuple[str, ...], conclusions: tuple[str, ...]) -> None:
    """No small point-generated model breaks a rule, and some model of its premises exists."""
    members = [kind for kind in kinds() if kind >= set(premises)]
    assert members
    assert all(kind >= set(conclusions) for kind in members)


def test_rules_to_universal_hold_with_four_worlds() -> None:
    """The rules that only hold for point-generated frames hold in those with four worlds."""
    loops = frozenset((w, w) for w in range(4))
    rules = [rule for rule in RULES if "universal" in rule[1]]
    assert rules
    assert all("reflexive" in premises for premises, _ in rules)
    for arrows in all_frames(4, required=loops):
        if is_generated(4, arrows):
            conditions = frame_conditions(4, arrows)
            for premises, _ in rules:
                assert "universal" in conditions or not conditions >= set(premises), arrows


@pytest.mark.parametrize("regime", [None, *DOMAINS])
def test_the_closure_misses_nothing(regime: str | None) -> None:
    """What the closure of a semantics does not name fails in some point-generated model of it."""
    judged = CONDITIONS.keys() | (REGIMES if regime is not None else frozenset())
    for size in range(len(CONDITIONS) + 1):
        for frame in itertools.combinations(sorted(CONDITIONS), size):
            declared = {*frame, *({regime} & REGIMES)}
            common = judged.intersection(*(kind for kind in kinds() if kind >= declared))
            assert closure(semantics(frame, regime)) == common, (frame, regime)


@pytest.mark.parametrize("name", [name for name, condition in CONDITIONS.items() if condition.scheme])
def test_schemes_correspond_to_conditions(name: str) -> None:
    """A scheme is valid on a frame exactly when the frame has its condition (three worlds or fewer)."""
    text = CONDITIONS[name].scheme
    assert text is not None
    scheme = parse(text)
    letters = [letter for letter in "pq" if letter in text]
    for worlds in (1, 2, 3):
        sets = [
            frozenset(itertools.compress(range(worlds), chosen))
            for chosen in itertools.product((False, True), repeat=worlds)
        ]
        for arrows in all_frames(worlds):
            valid = all(
                true_at(model, world, scheme)
                for values in itertools.product(sets, repeat=len(letters))
                for model in [KripkeModel(worlds, arrows, None, dict(zip(letters, values, strict=True)))]
                for world in range(worlds)
            )
            assert valid == satisfies_frame_condition(KripkeModel(worlds, arrows), name), arrows
