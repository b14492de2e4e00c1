"""Herbrand certificates: what is valid gets one, and only a whole one for the very problem is accepted."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import mixed_problems
from table import rows
from test_kripke import models

from modalgen.certificate import CertificateError, check, contradictory, negation_normal_form
from modalgen.formula import Formula
from modalgen.kripke import is_countermodel, true_at
from modalgen.oracle.herbrand import HerbrandProver
from modalgen.oracle.verdict import Limits, SzsStatus
from modalgen.problem import Problem
from modalgen.semantics import CONDITIONS, Semantics, semantics
from modalgen.syntax import parse

PROVER = HerbrandProver()


def prove(problem: Problem) -> dict[str, Any] | None:
    """The certificate that the prover finds, as it would be read from a file."""
    certificate = PROVER.decide(problem, Limits()).certificate
    return None if certificate is None else json.loads(json.dumps(certificate))


def accepted(problem: Problem, certificate: Any) -> bool:
    """Whether the checker accepts; it must never fail in another way than by refusing."""
    try:
        check(problem, certificate)
    except CertificateError:
        return False
    return True


CERTIFIED = [(problem, prove(problem)) for problem, label in rows() if label]


def test_every_valid_problem_of_the_table_is_certified() -> None:
    """The prover finds a certificate for all textbook validities."""
    assert [problem for problem, certificate in CERTIFIED if certificate is None] == []


def test_no_invalid_problem_of_the_table_is_certified() -> None:
    """The prover claims nothing of what is invalid."""
    assert [problem for problem, label in rows() if not label and prove(problem)] == []


def test_each_step_is_needed() -> None:
    """A certificate with any one step left out is refused."""
    for problem, certificate in CERTIFIED:
        assert certificate is not None
        for position in range(len(certificate["steps"])):
            less = copy.deepcopy(certificate)
            del less["steps"][position]
            assert not accepted(problem, less)


def test_certificates_do_not_carry_over_to_where_the_conjecture_is_invalid() -> None:
    """A certificate offered for the same formula in a class where it is invalid is refused."""
    invalid = [problem for problem, label in rows() if not label]
    tried = 0
    for problem, certificate in CERTIFIED:
        for other in invalid:
            if (other.premises, other.conjecture) == (problem.premises, problem.conjecture):
                tried += 1
                assert not accepted(other, certificate)
    assert tried > 500


@given(st.data())
@settings(max_examples=400, deadline=None)
def test_altered_certificates_prove_nothing_that_is_invalid(data: st.DataObject) -> None:
    """Any change of a number, a rule or a term is refused, or what is accepted is still a proof.

    An altered certificate may be another good one for the same valid problem; so it is offered to
    invalid problems, where every acceptance would be an error.
    """
    _, certificate = data.draw(st.sampled_from(CERTIFIED))
    altered = copy.deepcopy(certificate)
    assert altered is not None
    for _ in range(data.draw(st.integers(1, 3))):
        row = data.draw(st.sampled_from(altered[data.draw(st.sampled_from(["terms", "steps"]))]))
        place = data.draw(st.integers(0, len(row) - 1))
        rules = [step[0] for _, c in CERTIFIED[::7] for step in (c or {})["steps"]]
        row[place] = data.draw(
            st.sampled_from(rules)
            if place == 0
            else st.one_of(st.integers(-2, 12), st.sampled_from([None, True, 1.5, "x", [0]]))
        )
    invalid = data.draw(st.sampled_from([problem for problem, label in rows() if not label]))
    assert not accepted(invalid, altered)


@pytest.mark.parametrize(
    "certificate",
    [
        {},
        None,
        [],
        {"terms": [], "steps": []},
        {"terms": [["root"]], "steps": []},
        {"terms": [["ser", 0]], "steps": [["serial", 0, 0]]},  # a term made of itself
        {"terms": [["root"], ["ser", 2], ["ser", 1]], "steps": []},
        {"terms": [["root"]], "steps": [["conjecture", -1]]},
        {"terms": [["root"]], "steps": [["magic", 0]]},
        {"terms": [["root"]], "steps": [[]]},
        {"terms": [["cex"]], "steps": [["conjecture", 0]]},
        {"terms": 3, "steps": "x"},
        {"terms": [["root"]], "steps": [["equal", 0, 0, 1, "R", [0], 0]]},
    ],
)
def test_malformed_certificates_are_refused(certificate: Any) -> None:
    """What is no certificate is refused in words, whatever it is."""
    assert not accepted(Problem(semantics(["serial"]), (), parse("p → p")), certificate)


def test_a_certificate_written_by_hand() -> None:
    """□p → ◇p on serial frames, from the definitions: the witness of seriality refutes the denial."""
    problem = Problem(semantics(["serial"]), (), parse("□p → ◇p"))
    # The denial in normal form: 0: □p ∧ □¬p, 1: □p, 2: p, 3: □¬p, 4: ¬p.
    certificate = {
        "terms": [["root"], ["ser", 0]],
        "steps": [
            ["conjecture", 0],
            ["and", 0, 0, 0],
            ["and", 1, 0, 0],
            ["serial", 0, 1],
            ["box", 1, 1, 0],
            ["box", 1, 3, 0],
            ["literal", 2, 1],
            ["literal", 4, 1],
        ],
    }
    check(problem, certificate)
    assert not accepted(Problem(semantics(), (), problem.conjecture), certificate)


@pytest.mark.parametrize("condition", sorted(c for c in CONDITIONS if CONDITIONS[c].scheme))
def test_each_condition_proves_its_scheme(condition: str) -> None:
    """The rules of every frame condition suffice for the scheme that corresponds to it."""
    scheme = parse(CONDITIONS[condition].scheme or "")
    assert prove(Problem(semantics([condition]), (), scheme)) is not None
    assert prove(Problem(semantics(), (), scheme)) is None


def test_equal_worlds_can_be_exchanged() -> None:
    """On functional frames what two successors satisfy, one satisfies, also two steps away."""
    functional = ["functional"]
    assert prove(Problem(semantics(functional), (parse("◇p"), parse("◇q")), parse("◇(p ∧ q)"))) is not None
    two_steps = (parse("◇◇p"), parse("◇□q"))
    assert prove(Problem(semantics(functional), two_steps, parse("◇◇(p ∧ q)"))) is not None
    varying = semantics(functional, "varying")
    individuals = Problem(varying, (parse("◇∃x F(x)"), parse("◇∀x G(x)")), parse("◇∃x (F(x) ∧ G(x))"))
    assert prove(individuals) is not None


@given(mixed_problems(), models(), models(first_order=False))
@settings(max_examples=250, deadline=None)
def test_nothing_with_a_countermodel_is_certified(problem: Problem, some: Any, flat: Any) -> None:
    """If a random model refutes a problem, in whatever class it belongs to, there is no certificate."""
    model = some if problem.semantics.domain else flat
    weaker = Problem(
        Semantics(tuple(c for c in problem.semantics.frame), problem.semantics.domain),
        problem.premises,
        problem.conjecture,
        problem.global_premises,
        problem.global_conjecture,
    )
    if is_countermodel(model, weaker):
        assert PROVER.decide(weaker, Limits()).status != SzsStatus.THEOREM


@given(models(), st.data())
@settings(max_examples=150, deadline=None)
def test_negation_normal_form_keeps_truth(model: Any, data: st.DataObject) -> None:
    """A formula and its normal forms, positive and negative, agree at every world."""
    from strategies import first_order

    formula: Formula = data.draw(first_order(height=4))
    for world in range(model.worlds):
        truth = true_at(model, world, formula)
        assert true_at(model, world, negation_normal_form(formula)) == truth
        assert true_at(model, world, negation_normal_form(formula, positive=False)) != truth


@given(
    st.lists(
        st.lists(st.tuples(st.booleans(), st.sampled_from([("a",), ("b",), ("c",)])), max_size=3), max_size=8
    )
)
def test_contradiction_is_truth_table_unsatisfiability(clauses: list[list[tuple[bool, tuple[str]]]]) -> None:
    """The refuter agrees with the truth table."""
    rows_ = [{("a",): bool(n & 1), ("b",): bool(n & 2), ("c",): bool(n & 4)} for n in range(8)]
    satisfiable = any(all(any(row[a] == s for s, a in c) for c in clauses) for row in rows_)
    assert contradictory(clauses) == (not satisfiable)
