"""Small-model bounds: no countermodel is missed by a search that keeps to them."""

from __future__ import annotations

import os
from itertools import combinations, product

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from strategies import propositional
from table import rows

from modalgen.formula import And, Atom, Bottom, Box, Diamond, Formula, Not, conjunction
from modalgen.oracle.herbrand import HerbrandProver
from modalgen.oracle.kripke_search import KripkeSearch, find_countermodel
from modalgen.oracle.small_models import exhaustive, world_bound
from modalgen.oracle.verdict import Limits
from modalgen.problem import Problem
from modalgen.semantics import CONDITIONS, SYSTEMS, semantics
from modalgen.syntax import parse

PLENTY = Limits(wall_seconds=60, steps=20_000_000)
EXAMPLES = 3000 if os.environ.get("MODALGEN_THOROUGH") else 150
# Random sets of conditions seldom have bounds; these do.
BOUNDED = [
    *(SYSTEMS[name] for name in SYSTEMS if name not in ("K4", "D4", "S4")),
    *map(
        frozenset,
        (
            ("universal",),
            ("symmetric", "shift-reflexive", "weakly-connected"),
            ("reflexive", "dense"),
            ("symmetric", "convergent"),
            ("functional",),
            ("functional", "serial"),
            ("functional", "convergent"),
            ("functional", "dense"),
            ("functional", "symmetric"),
            ("functional", "transitive"),
            ("functional", "reflexive"),
            ("functional", "shift-reflexive"),
            ("functional", "euclidean", "serial"),
        ),
    ),
]


def valid(problem: Problem) -> bool:
    """What an exhaustive search finds; only for problems with a bound."""
    bound = world_bound(problem)
    assert bound is not None
    return find_countermodel(problem, bound[0], 1, PLENTY) is None


@pytest.mark.parametrize("name", [name for name in SYSTEMS if name not in ("K4", "D4", "S4")])
def test_the_table_is_decided_by_exhaustive_search(name: str) -> None:
    """In each system with a bound, the search up to the bound gives the textbook labels."""
    frame = semantics(SYSTEMS[name])
    problems = [(problem, label) for problem, label in rows() if problem.semantics == frame]
    small = [(p, label) for p, label in problems if (world_bound(p) or (99, ""))[0] <= 7]
    assert len(small) > len(problems) / 2
    assert [problem for problem, label in small if valid(problem) != label] == []


@pytest.mark.parametrize(
    ("frame", "premises", "conjecture", "bound"),
    [
        ("S5", "", "□p → p", 1),
        ("S5", "◇p ; ◇q", "◇(p ∧ q)", 3),
        ("KB5", "◇p", "□p", 3),
        ("KB5", "", "◇□p → p", 2),
        ("D45", "", "◇p → □p", 3),
        ("K45", "", "□p", 2),
        ("K45", "", "p", 2),
        ("K5", "◇p", "□p", 5),
        ("D5", "", "p", 2),
        ("K", "", "p ∨ □p", 2),
        ("K", "◇p ; ◇q", "⊥", 3),
        ("K", "◇(p ∧ ◇q) ; □◇p", "⊥", 4),  # one child for ◇, then two each
        ("K", "□□□p", "⊥", 1),
        ("D", "□□□p", "⊥", 4),
        ("T", "", "□p → □□p", 5),  # ◇◇¬p and ◇¬p at the top, ◇¬p below each
        ("T", "", "□p → p", 1),
        ("B", "", "□p → □□p", 5),
        ("KB", "◇p", "□p", 3),
    ],
)
def test_bounds(frame: str, premises: str, conjecture: str, bound: int) -> None:
    """The bounds themselves, counted by hand from the definitions."""
    local = tuple(parse(premise) for premise in premises.split(";") if premise)
    found = world_bound(Problem(semantics(SYSTEMS[frame]), local, parse(conjecture)))
    assert found is not None and found[0] == bound


KINDS = [conjunction(signs) for signs in product(*((Atom(a), Not(Atom(a))) for a in "pqr"))]


@pytest.mark.parametrize("number", [2, 3])
@pytest.mark.parametrize("name", ["S5", "KB5", "K45", "D45", "K", "D", "T", "B"])
def test_some_problems_need_all_the_worlds(name: str, number: int) -> None:
    """Incompatible possibilities, none true here, need as many worlds as the bound allows; fewer fail."""
    premises = (KINDS[7], *map(Diamond, KINDS[:number]))
    problem = Problem(semantics(SYSTEMS[name]), premises, Bottom())
    bound = world_bound(problem)
    assert bound is not None and bound[0] == 1 + number
    assert find_countermodel(problem, number, 1, PLENTY) is None
    assert find_countermodel(problem, 1 + number, 1, PLENTY) is not None


def test_euclidean_frames_need_two_witnesses() -> None:
    """On K5 frames what the designated world sees is not what the others see: 1 + 2 · 2 worlds for two ◇."""
    p, q = Atom("p"), Atom("q")
    first, second = And(p, q), And(p, Not(q))
    seen = (Diamond(first), Diamond(second), Box(p), Not(p))
    elsewhere = tuple(Diamond(Diamond(And(Not(p), kind))) for kind in (q, Not(q)))
    problem = Problem(semantics(SYSTEMS["K5"]), (*seen, *elsewhere), Bottom())
    assert find_countermodel(problem, 4, 1, PLENTY) is None
    assert find_countermodel(problem, 5, 1, PLENTY) is not None
    bound = world_bound(problem)
    assert bound is not None and bound[0] >= 5


@given(
    st.sampled_from(BOUNDED),
    st.lists(propositional(5), max_size=2),
    propositional(7),
    st.lists(propositional(3), max_size=1),
)
@settings(max_examples=EXAMPLES, deadline=None)
def test_within_the_bound_or_not_at_all(
    frame: frozenset[str], premises: list[Formula], conjecture: Formula, everywhere: list[Formula]
) -> None:
    """Where the search up to the bound finds nothing there is a certificate, and elsewhere there is none."""
    for problem in (
        Problem(semantics(frame), tuple(premises), conjecture),
        Problem(semantics(frame), (), conjecture, tuple(everywhere), True),
    ):
        bound = world_bound(problem)
        if bound is None or bound[0] > 6:
            event("no small bound")
            continue
        model = find_countermodel(problem, bound[0], 1, PLENTY)
        event(f"bound {bound[0]}: {'valid' if model is None else model.worlds}")
        certificate = HerbrandProver().decide(problem, Limits()).certificate
        assert (model is None) == (certificate is not None), (problem, bound)
        if model is None and bound[0] < 5:
            assert find_countermodel(problem, bound[0] + 2, 1, PLENTY) is None


def test_where_no_bound_is_known_none_is_given() -> None:
    """None for transitive frames, for quantifiers, for global premises on trees, for two worlds in play."""
    p, box = parse("p"), parse("□p → p")
    for name in ("K4", "D4", "S4"):
        assert world_bound(Problem(semantics(SYSTEMS[name]), (), box)) is None
    for condition in ("dense", "convergent", "shift-reflexive", "weakly-connected"):
        assert world_bound(Problem(semantics([condition]), (), box)) is None
    assert world_bound(Problem(semantics([], "constant"), (), parse("∀x F(x)"))) is None
    assert world_bound(Problem(semantics(), (), box, (p,))) is None
    assert world_bound(Problem(semantics(SYSTEMS["S5"]), (p,), box, (), True)) is None
    assert world_bound(Problem(semantics(SYSTEMS["S5"]), (), box, (p,), True)) is not None


def test_every_pair_of_conditions_is_thought_of() -> None:
    """For each pair of conditions the bound, if one is given, is right for all the schemes of conditions."""
    schemes = [parse(c.scheme) for c in CONDITIONS.values() if c.scheme]
    given_bounds = 0
    for pair in combinations(sorted(CONDITIONS), 2):
        for scheme in schemes:
            problem = Problem(semantics(pair), (), scheme)
            bound = world_bound(problem)
            if bound is not None and bound[0] <= 5:
                given_bounds += 1
                missed = find_countermodel(problem, bound[0] + 1, 1, PLENTY)
                assert missed is None or missed.worlds <= bound[0], problem
    assert given_bounds > 200


def test_the_search_says_when_it_was_exhaustive() -> None:
    """A search that covers the bound says so in its note, without taking that for a proof."""
    valid_here = Problem(semantics(SYSTEMS["S5"]), (), parse("◇p → □◇p"))
    verdict = KripkeSearch().decide(valid_here, Limits())
    assert not verdict.decisive
    assert verdict.note.startswith("no countermodel has at most 5 worlds; exhaustive: 3 worlds suffice")
    assert exhaustive(valid_here, 2) is None
    short = KripkeSearch().decide(valid_here, Limits(worlds=2))
    assert short.note == "no countermodel has at most 2 worlds"
    unbounded = KripkeSearch().decide(Problem(semantics(SYSTEMS["S4"]), (), parse("□p → □□p")), Limits())
    assert unbounded.note == "no countermodel has at most 5 worlds"
