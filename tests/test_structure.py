"""Structural checks on candidates."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import first_order, propositional

from modalgen.formula import Formula
from modalgen.gen.candidate import Candidate
from modalgen.gen.contrast import Contrast, Selection, StructuralLimits
from modalgen.gen.structure import StructuralReason, structural_faults
from modalgen.problem import Problem
from modalgen.semantics import semantics
from modalgen.syntax import parse

FRAME = Contrast(
    id="seriality",
    title="Seriality",
    rationale="",
    axis="frame",
    sides=(semantics(), semantics(["serial"])),
    symbols=(("p", 0), ("q", 0), ("r", 0)),
    content={},
    templates=(),
    limits=StructuralLimits(modal_depth=2, quantifier_depth=0, size=9),
    select=Selection(1, 1, 1),
    expect=None,
)
DOMAIN = replace(
    FRAME,
    axis="domain",
    sides=(semantics(["serial"], "varying"), semantics(["serial"], "cumulative")),
    symbols=(("F", 1), ("G", 1), ("Likes", 2), ("p", 0)),
    limits=StructuralLimits(modal_depth=2, quantifier_depth=2, size=12),
)


def candidate(*texts: str) -> Candidate:
    """A candidate from the premises and, last, the conjecture."""
    *premises, conjecture = (parse(text) for text in texts)
    return Candidate("t", "inference" if premises else "validity", tuple(premises), conjecture)


def reasons(contrast: Contrast, *texts: str) -> list[str]:
    """The reason codes of the faults, in order."""
    return [str(fault.reason) for fault in structural_faults(candidate(*texts), contrast)]


@pytest.mark.parametrize(
    ("contrast", "texts"),
    [
        (FRAME, ["□p → ◇p"]),
        (FRAME, ["□(p ∧ q)", "◇p"]),
        (FRAME, ["□(p → q)", "□p", "◇q"]),
        (FRAME, ["◇⊤"]),
        (FRAME, ["p ∧ q", "p"]),
        (FRAME, ["p ∧ (p ∨ q)", "◇q"]),
        (DOMAIN, ["∀x □F(x) → □∀x F(x)"]),
        (DOMAIN, ["p", "∀x ∃y □(Likes(x,y) ∧ F(x))"]),
    ],
)
def test_sound_candidates_pass(contrast, texts):
    """What an author would want to ask is not turned down."""
    assert reasons(contrast, *texts) == []


@pytest.mark.parametrize(
    ("contrast", "texts", "expected"),
    [
        (FRAME, ["□s → ◇s"], ["undeclared_symbol"]),
        (DOMAIN, ["∀x F(x,x)"], ["undeclared_symbol"]),
        (FRAME, ["∀x □F(x)"], ["undeclared_symbol", "first_order_on_frame_axis", "too_deeply_quantified"]),
        (DOMAIN, ["□F(x)"], ["open_formula"]),
        (DOMAIN, ["□p", "◇p"], ["propositional_on_domain_axis"]),
        (FRAME, ["p", "□◇□p"], ["too_deep_modally"]),
        (DOMAIN, ["∀x ∃y ∀z (Likes(x,y) ∧ F(z))"], ["too_deeply_quantified"]),
        (FRAME, ["□(p ∧ q ∧ r) → ◇(p ∧ r)"], ["too_large"]),
        (DOMAIN, ["∀x □F(x) ∧ ∃x □∀x G(x)"], ["vacuous_quantifier"]),
        (FRAME, ["□p", "q ∨ ¬q"], ["trivial_formula"]),
        (FRAME, ["◇p ∧ ¬¬¬◇p", "q"], ["trivial_formula"]),
        (FRAME, ["◇p ∧ (□q ∨ ¬□q)", "q"], ["trivial_formula"]),
        (FRAME, ["□(q ∨ ¬q) → ◇p", "◇(q ∧ ¬q)"], ["trivial_formula"]),
        (FRAME, ["◇(p → p)"], ["idle_symbol"]),
        (FRAME, ["□p", "q ∧ (q ∨ r)"], ["idle_symbol"]),
        (FRAME, ["□p", "□¬¬p", "q"], ["repeated_premise"]),
        (FRAME, ["□(p → q)", "□(¬p ∨ q)"], ["conjecture_is_premise"]),
        (DOMAIN, ["∀x F(x)", "¬∃y ¬F(y)"], ["conjecture_is_premise"]),
        (FRAME, ["□p", "¬◇¬p", "□p"], ["repeated_premise", "conjecture_is_premise"]),
    ],
)
def test_each_fault_has_its_reason(contrast, texts, expected):
    """Every fault is found, alone, and under its own code."""
    assert reasons(contrast, *texts) == expected


def test_reasons_are_all_reachable():
    """No reason code is dead: each is in the table above."""
    table = test_each_fault_has_its_reason.pytestmark[0].args[1]
    assert {code for _, _, expected in table for code in expected} == {str(r) for r in StructuralReason}


def test_details_are_in_words():
    """The details name the formula, what was found and what would have been allowed."""
    faults = structural_faults(candidate("□p", "□◇□s", "□◇□s"), FRAME)
    assert [fault.detail for fault in faults] == [
        "premise 2 applies s to 0 arguments; it is not declared",
        "premise 2 has modal depth 3; the limit is 2",
        "the conjecture applies s to 0 arguments; it is not declared",
        "the conjecture has modal depth 3; the limit is 2",
        "the conjecture says the same as premise 2",
    ]


def test_limits_are_inclusive():
    """A formula of exactly the declared depth and size passes, one more does not."""
    exact = replace(FRAME, limits=StructuralLimits(2, 0, 5))
    assert reasons(exact, "□◇(p ∧ q)") == []
    assert reasons(exact, "□◇(p ∧ ¬q)") == ["too_large"]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(propositional(4), first_order(height=3)), min_size=1, max_size=3))
def test_a_candidate_without_faults_is_a_problem(formulas: list[Formula]):
    """Checks never raise, and what passes them can be posed under both sides of the contrast."""
    asked = Candidate("t", "inference", tuple(formulas[:-1]), formulas[-1])
    roomy = StructuralLimits(9, 9, 99)
    for contrast in (replace(FRAME, limits=roomy), replace(DOMAIN, limits=roomy)):
        if not structural_faults(asked, contrast):
            for side in contrast.sides:
                Problem(side, asked.premises, asked.conjecture)
