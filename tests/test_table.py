"""The textbook table, and random problems, put to everything that judges: all must agree.

MODALGEN_THOROUGH=1 in the environment asks for thousands of random problems instead of hundreds.
"""

from __future__ import annotations

import os
from collections import Counter
from itertools import combinations, product
from typing import Any

import pytest
from brute_force import first_countermodel
from click.testing import CliRunner
from hypothesis import event, given, settings
from hypothesis import strategies as st
from strategies import first_order, propositional
from table import rows

from modalgen.cli import cli
from modalgen.formula import Formula
from modalgen.kripke import is_countermodel
from modalgen.oracle.cvc5_finder import Cvc5Finder
from modalgen.oracle.eprover import EProver
from modalgen.oracle.herbrand import HerbrandProver
from modalgen.oracle.judge import Judgment, Oracle
from modalgen.oracle.kripke_search import KripkeSearch, find_countermodel
from modalgen.oracle.policy import Resolution
from modalgen.oracle.registry import ABILITIES
from modalgen.oracle.verdict import Limits, SzsStatus
from modalgen.printing import to_unicode
from modalgen.problem import Problem
from modalgen.semantics import CONDITIONS, DOMAINS, SYSTEMS, Semantics, entails, semantics

ROWS = rows()
THOROUGH = bool(os.environ.get("MODALGEN_THOROUGH"))
LABEL = {True: SzsStatus.THEOREM, False: SzsStatus.COUNTER_SATISFIABLE}


@pytest.fixture(scope="module")
def judgments() -> list[tuple[Judgment, bool]]:
    """What the whole oracle says of each row, and the row's label."""
    with Oracle() as oracle:
        return [(oracle.judge(problem), label) for problem, label in ROWS]


def test_the_oracle_labels_every_row(judgments: list[tuple[Judgment, bool]]) -> None:
    """All rows get their textbook label, each from two deciders that share nothing."""
    wrong = [j.problem for j, label in judgments if j.settlement.label != label]
    assert wrong == []
    assert [j.problem for j, _ in judgments if j.settlement.resolution is not Resolution.DUAL] == []


def test_every_row_has_its_proof(judgments: list[tuple[Judgment, bool]]) -> None:
    """Valid rows have a certificate, invalid ones a countermodel, and none has both."""
    for judgment, label in judgments:
        assert (judgment.certificate is not None) == label
        assert (judgment.countermodel is not None) == (not label)
        assert label or (judgment.countermodel and is_countermodel(judgment.countermodel, judgment.problem))


def test_no_decider_contradicts_the_table(judgments: list[tuple[Judgment, bool]]) -> None:
    """Each primary decider answers as the table does or not at all, and mostly answers what it can."""
    answered: Counter[tuple[str, bool]] = Counter()
    for judgment, label in judgments:
        for verdict in judgment.verdicts:
            assert not verdict.decisive or verdict.status is LABEL[label], (judgment.problem, verdict.decider)
            answered[verdict.decider, label] += verdict.decisive
    number = Counter(label for _, label in ROWS)
    for decider in ("z3-kripke", "herbrand", "eprover-tff", "cvc5"):
        ability = ABILITIES[decider]
        for label, able in ((True, ability.proves), (False, ability.refutes)):
            assert answered[decider, label] > 0.6 * number[label] if able else not answered[decider, label]


def test_the_higher_order_translation_agrees() -> None:
    """E on the THF embedding, which the oracle needs rarely, proves what is valid and nothing else."""
    for problem, label in ROWS[::12]:
        verdict = EProver("thf").decide(problem, Limits())
        assert verdict.decisive == label, problem
        assert not label or verdict.status is SzsStatus.THEOREM


def test_enumeration_agrees() -> None:
    """All models, one after the other: an invalid row has a small countermodel, a valid row has none."""
    for number, (problem, label) in enumerate(ROWS):
        individuals = 2 if problem.semantics.domain else 1
        if not label:
            sizes = ((1, 1), (2, 1), (1, individuals), (2, individuals), (3, 1))
            assert any(first_countermodel(problem, *size) for size in sizes), problem
        elif number % 24 == 0:
            assert not any(first_countermodel(problem, worlds, individuals) for worlds in (1, 2)), problem


@pytest.mark.parametrize("number", range(0, len(ROWS), 120))
def test_the_command_agrees(number: int) -> None:
    """`modalgen check` says what the table says, in words and by its exit code."""
    problem, label = ROWS[number]
    arguments = ["check", to_unicode(problem.conjecture)]
    arguments += [x for premise in problem.premises for x in ("--premise", to_unicode(premise))]
    arguments += [x for condition in problem.semantics.frame for x in ("--frame", condition)]
    arguments += ["--domain", problem.semantics.domain] if problem.semantics.domain else []
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == (0 if label else 1), result.output
    assert ("VALID on" in result.output, "INVALID on" in result.output) == (True, not label)


# --- random problems --------------------------------------------------------------------------------

ONE_OF_EACH = (("F", 1), ("p", 0))
# The fifteen systems, and every condition with every other.
FRAMES = [*SYSTEMS.values(), *map(frozenset, combinations(sorted(CONDITIONS), 2)), *({c} for c in CONDITIONS)]


@st.composite
def small_problems(draw: st.DrawFn) -> Problem:
    """Problems small enough to be put to all models of a size: every condition set, regime and kind."""
    regime = draw(st.sampled_from([None, *DOMAINS]))
    declared = semantics(draw(st.sampled_from(FRAMES)), regime)
    formula = propositional(5) if regime is None else first_order(height=3, symbols=ONE_OF_EACH, names=("x",))
    premises, everywhere = (tuple(draw(st.lists(formula, max_size=1))) for _ in range(2))
    return Problem(declared, premises, draw(formula), everywhere, draw(st.booleans()))


@given(small_problems())
@settings(max_examples=5000 if THOROUGH else 80, deadline=None)
def test_all_ways_to_judge_agree(problem: Problem) -> None:
    """Enumeration, the Z3 search, cvc5, E and the certificate prover, on the same random problem."""
    individuals = 2 if problem.semantics.domain else 1
    worlds = 3 if len(problem.signature) < 2 and not problem.semantics.domain else 2
    enumerated = [first_countermodel(problem, n, individuals) for n in range(1, worlds + 1)]
    searched = find_countermodel(problem, worlds, individuals, Limits(steps=10**8))
    assert (searched is None) == (not any(enumerated))
    statuses = {
        decider.name: decider.decide(problem, Limits())
        for decider in (
            KripkeSearch(),
            HerbrandProver(),
            Cvc5Finder(),
            *([EProver("tff")] if THOROUGH else []),
        )
    }
    found = {verdict.status for verdict in statuses.values() if verdict.decisive}
    event(" ".join(sorted(found)) or "undecided")
    assert len(found) <= 1, statuses
    if searched is not None:
        assert found == {SzsStatus.COUNTER_SATISFIABLE}
        assert statuses["cvc5"].status is SzsStatus.COUNTER_SATISFIABLE
    for verdict in statuses.values():
        model = verdict.countermodel
        if model is not None:
            assert is_countermodel(model, problem)
            used = frozenset[int]().union(*(model.domains or ()))
            if model.worlds <= worlds and len(used) <= individuals:
                assert searched is not None


def weakening(strong: Semantics, choices: list[bool]) -> Semantics:
    """A class that contains the other: without some conditions, perhaps with a looser domain regime."""
    frame = [c for c, keep in zip(strong.frame, choices, strict=False) if keep]
    looser: dict[Any, list[str]] = {"constant": ["cumulative", "decreasing", "varying"]}
    domains = looser.get(strong.domain, ["varying"]) if strong.domain else [None]
    return semantics(frame, domains[sum(choices) % len(domains)] if choices[-1] else strong.domain)


@given(small_problems(), st.lists(st.booleans(), min_size=6, max_size=6))
@settings(max_examples=3000 if THOROUGH else 120, deadline=None)
def test_validity_is_inherited_by_subclasses(problem: Problem, choices: list[bool]) -> None:
    """What is certified for a class has no countermodel in a subclass, and is certified there too."""
    weak = weakening(problem.semantics, choices)
    assert entails(problem.semantics, weak)

    def under(declared: Semantics) -> Problem:
        return Problem(declared, problem.premises, problem.conjecture, problem.global_premises)

    if HerbrandProver().decide(under(weak), Limits()).certificate is not None:
        event("valid in the larger class")
        assert find_countermodel(under(problem.semantics), 3, 2) is None
        assert HerbrandProver().decide(under(problem.semantics), Limits()).certificate is not None


ORDERED = [
    (weak, strong)
    for weak, strong in product(SYSTEMS, repeat=2)
    if weak != strong and entails(semantics(SYSTEMS[strong]), semantics(SYSTEMS[weak]))
]


@given(st.one_of(propositional(6), first_order(height=3, symbols=ONE_OF_EACH)), st.data())
@settings(max_examples=1500 if THOROUGH else 100, deadline=None)
def test_validity_is_inherited_along_the_cube(formula: Formula, data: st.DataObject) -> None:
    """The same for any two systems of the cube of which one entails the other."""
    regime = data.draw(st.sampled_from([*DOMAINS]))
    weak, strong = (semantics(SYSTEMS[name], regime) for name in data.draw(st.sampled_from(ORDERED)))
    if HerbrandProver().decide(Problem(weak, (), formula), Limits()).certificate:
        event("valid in the weaker system")
        assert find_countermodel(Problem(strong, (), formula), 3, 2) is None
