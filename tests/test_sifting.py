"""Sifting: what is turned down before the oracle is asked, and balanced selections."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_grammar import ONE_PREMISE, SERIAL, VALIDITY, contrast, systems, text

from modalgen.build import Source, _in_couples, build
from modalgen.examine import Examination, Reason, Rejection
from modalgen.formula import modal_depth
from modalgen.gen.candidate import Candidate
from modalgen.gen.canonical import canonical_key, family
from modalgen.gen.contrast import Content, Contrast, Selection, StructuralLimits, Template
from modalgen.gen.sifting import TurnedDown, sifted
from modalgen.oracle.kripke_search import find_countermodel
from modalgen.problem import Problem
from modalgen.records import Pair
from modalgen.semantics import SYSTEMS, Semantics, semantics
from modalgen.syntax import parse_template


def from_templates(
    a: Semantics, b: Semantics, *problems: tuple[str, ...], symbols: str = "p q r", **select: object
) -> Contrast:
    """A contrast whose templates are these problems: premises and, last, the conjecture."""
    templates = []
    for number, texts in enumerate(problems, start=1):
        *premises, conjecture = map(parse_template, texts)
        templates.append(Template(f"t{number}", "inference", tuple(premises), conjecture))
    return Contrast(
        id="example",
        title="",
        rationale="",
        axis="frame" if a.domain is None else "domain",
        sides=(a, b),
        symbols=tuple((name, int(name.isupper())) for name in symbols.split()),
        content={"phi": Content(("not", "and"), 2)},
        templates=tuple(templates),
        limits=StructuralLimits(5, 3, 30),
        select=replace(Selection(10, 10, 1), **select),  # type: ignore[arg-type]
        expect=None,
    )


K, D, B, S4 = (semantics(SYSTEMS[name]) for name in ("K", "D", "B", "S4"))


def outcomes(declared: Contrast, task: str = "inference") -> list[str]:
    """For each candidate in order the reason why it is turned down, or "" if it is let through."""
    return [str(x.reason) if isinstance(x, TurnedDown) else "" for x in sifted(declared, task)]


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (("□p", "◇p"), ""),
        (("□p", "□(p → q)", "◇q"), ""),
        (("□p", "◇q"), "same_label"),
        (("□(p ∧ (q → q))", "◇p"), "idle_symbol"),
        (("□p", "□(p → q) → □p → □q", "◇p"), "valid_premise"),
        (("□p ∧ ◇(q ∧ ¬p)", "◇p"), "contradictory_premise"),
        # No small model refutes it on either side: the oracle is asked.
        (("□p ∧ □q", "□(p ∧ q)"), ""),
        (("p", "p"), "conjecture_is_premise"),
    ],
)
def test_reasons(problem: tuple[str, ...], reason: str) -> None:
    """Each structural fault that small models show has its reason; sound problems are let through."""
    assert outcomes(from_templates(K, D, problem)) == [reason]


def test_the_same_problem_is_let_through_once() -> None:
    """Renamings and propositional equivalents are duplicates; equivalents over all small models are told
    apart from these."""
    declared = from_templates(
        K,
        D,
        ("□p", "◇p"),
        ("¬◇¬q", "¬□¬q"),
        ("□r", "◇r ∧ ◇(r ∨ q)"),
        ("□p", "◇(p ∧ q) ∨ ◇(p ∧ ¬q)"),
        ("□(p ∧ q)", "◇p"),
    )
    assert outcomes(declared) == ["", "duplicate", "equivalent", "equivalent", ""]
    repeated = [x.repeats for x in sifted(declared, "inference") if isinstance(x, TurnedDown)]
    assert [text(earlier) for earlier in repeated if earlier] == ["□p; ◇p"] * 3


def test_depths_that_are_asked_for() -> None:
    """A candidate of which no formula is nested deep enough is turned down, with both depths told."""
    problems = (("□p", "◇p"), ("□□p", "◇◇p"), ("□p", "□□q → ◇(p ∧ ◇q)"))
    declared = from_templates(K, D, *problems, least_modal_depth=2)
    assert outcomes(declared) == ["too_shallow", "", ""]
    declared = from_templates(
        *SERIAL,
        ("∀x □F(x)", "□∃x F(x)"),
        ("∀x □F(x)", "□∃x (F(x) ∧ ∃y F(y))"),
        symbols="F",
        least_quantifier_depth=2,
    )
    assert [(x.reason, x.detail) for x in sifted(declared, "inference") if isinstance(x, TurnedDown)] == [
        ("too_shallow", "quantifiers are nested 1 deep; 2 are asked for")
    ]


def test_worlds_of_countermodels_that_are_asked_for() -> None:
    """The least countermodel of the invalid side has as many worlds as the selection says."""
    problems = (("□p", "◇p"), ("◇q", "□□p → ◇(q ∧ ◇p)"), ("□p ∧ □q", "□(p ∧ q)"))
    declared = from_templates(K, D, *problems, countermodel_worlds=(2, 3))
    assert outcomes(declared) == ["countermodel_size", "", "no_small_countermodel"]


def test_premises_have_to_matter() -> None:
    """Premises that no model of one side satisfies, and a premise without which the labels are the same, are
    turned down, and it is told which."""
    declared = from_templates(K, D, ("□p", "□¬p", "◇q"), ("□p", "□□q → ◇◇q"), ("□p", "◇p"), symbols="p q")
    assert outcomes(declared) == ["contradictory_premise", "idle_premise", ""]
    details = [x.detail for x in sifted(declared, "inference") if isinstance(x, TurnedDown)]
    assert details == [
        "no small model of side b satisfies the premises",
        "without premise 1 the labels are the same",
    ]


def test_matched_couples_have_the_same_number_of_every_operator() -> None:
    """No count of symbols can tell which of the two is valid on which side."""
    for source, task in ((replace(VALIDITY, max_size=10), "validity"), (ONE_PREMISE, "inference")):
        declared = contrast(B, S4, source, validity=8, inference=8, balanced=True, matched=True)
        found = list(islice((x for x in sifted(declared, task) if isinstance(x, Candidate)), 8))
        assert len(found) == 8
        for first, second in zip(found[::2], found[1::2], strict=True):
            symbols = [
                sorted(symbol if symbol in "□◇¬∧∨→()" else "p" for symbol in text(c)) for c in (first, second)
            ]
            assert [s for s in symbols[0] if s not in "()"] == [s for s in symbols[1] if s not in "()"]


def test_without_a_screen_nothing_is_foreseen() -> None:
    """Symbols that the screen cannot hold are let through, unless the selection needs to foresee labels."""
    a, b = SERIAL
    conjecture = " ∧ ".join(f"∀x ◇{name}(x)" for name in "FGHIJ")
    problem = ("∀x □F(x)", f"□∃x F(x) ∧ {conjecture}")
    assert outcomes(from_templates(a, b, problem, symbols="F G H I J")) == [""]
    declared = from_templates(a, b, problem, symbols="F G H I J", max_family_share=0.5)
    assert outcomes(declared) == ["not_screened"]


@pytest.mark.parametrize(("share", "most"), [(0.05, 2), (0.1, 4), (0.01, 1)])
def test_no_family_has_more_than_its_share(share: float, most: int) -> None:
    """Of 40 pairs so many have one modal schema; what is turned down for that is counted."""
    declared = systems("K", "T", VALIDITY, validity=40, max_family_share=share)
    found = list(islice((x for x in sifted(declared, "validity") if isinstance(x, Candidate)), 40))
    assert len(found) == 40
    families = Counter(family(c.premises, c.conjecture) for c in found)
    assert max(families.values()) == most
    declared = from_templates(K, D, ("□{phi}", "◇{phi}"), inference=20, max_family_share=0.05)
    assert Counter(outcomes(declared))[""] == 1
    assert "family_full" in outcomes(declared)


def test_balanced_selections_come_in_couples() -> None:
    """Valid on side a only and on side b only in turn, with the same modal depth in each couple, as Z3's
    search confirms; no problem comes twice."""
    for source, task in ((replace(VALIDITY, max_size=8), "validity"), (ONE_PREMISE, "inference")):
        declared = contrast(B, S4, source, validity=12, inference=12, balanced=True, max_family_share=0.3)
        found = list(islice((x for x in sifted(declared, task) if isinstance(x, Candidate)), 12))
        assert len({canonical_key(c.premises, c.conjecture) for c in found}) == 12
        for first, second in zip(found[::2], found[1::2], strict=True):
            depths = {max(map(modal_depth, candidate.formulas)) for candidate in (first, second)}
            assert len(depths) == 1
            for candidate, valid in ((first, (True, False)), (second, (False, True))):
                problems = (Problem(side, candidate.premises, candidate.conjecture) for side in (B, S4))
                assert tuple(find_countermodel(problem, 3, 0) is None for problem in problems) == valid


def test_candidates_without_partners_do_not_pile_up() -> None:
    """As many as the quota wait for a partner of the other direction; more are turned down."""
    problems = [(f"{'□' * n}p", f"{'□' * n}□◇p") for n in range(4)]
    declared = from_templates(B, S4, *problems, ("□p", "□□p"), balanced=True, inference=2)
    # Depths 2, 3, 4 and 5, all valid on side a only; then one of depth 2 that is valid on side b only.
    found = list(sifted(declared, "inference"))
    assert [text(x) for x in found if isinstance(x, Candidate)] == ["p; □◇p", "□p; □□p"]
    many = systems(
        "B", "S4", replace(VALIDITY, operators=("implies", "box", "diamond")), balanced=True, validity=2
    )
    assert "direction_full" in [getattr(x, "reason", "") for x in sifted(many, "validity")]


def examination(number: int, kind: str) -> Examination:
    """A pair, a candidate that the oracle rejects, or one that was turned down unexamined."""
    problem = Candidate(f"t{number}", "validity", (), parse_template("□p → p"))
    evidence = ({"pair_id": f"example-{number}"},)
    if kind == "pair":
        side = {"a": None, "b": None}
        pair = Pair(
            f"example-{number}", "example", f"t{number}", "frame", "validity", (), problem.conjecture,
            side, "conjecture_only", {}, {}, (),  # type: ignore[arg-type]
        )  # fmt: skip
        return Examination(pair, evidence)
    if kind == "rejected":
        return Examination(Rejection(problem, Reason.UNRESOLVED, "nothing decided"), evidence)
    return Examination(Rejection(problem, "duplicate", "the same"), ())


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["pair", "rejected", "turned down"]), max_size=12))
def test_couples_are_accepted_together(kinds: list[str]) -> None:
    """Of two candidates in a couple both become pairs or none; what had no couple is passed on as it is."""
    given_ = [examination(number, kind) for number, kind in enumerate(kinds)]
    passed = list(_in_couples(iter(given_)))
    examined = [number for number, kind in enumerate(kinds) if kind != "turned down"]
    couples = list(zip(examined[::2], examined[1::2], strict=False))
    both = {n for couple in couples if all(kinds[m] == "pair" for m in couple) for n in couple}
    alone = {n for couple in couples for n in couple if kinds[n] == "pair"} - both
    assert {e.outcome.pair_id for e in passed if isinstance(e.outcome, Pair)} == {
        f"example-{n}" for n in both
    }
    lost = {
        e.outcome.candidate.template for e in passed if getattr(e.outcome, "reason", "") == "without_partner"
    }
    assert lost == {f"t{n}" for n in alone}
    unexamined = [e for e in given_ if not e.evidence]
    assert [e for e in passed if not e.evidence] == unexamined
    # The last one may lack a partner: it is neither accepted nor rejected.
    assert len(passed) == len(kinds) - len(examined) % 2


def test_a_balanced_build_is_balanced() -> None:
    """The oracle's labels go both ways equally often in each task and modal depth, and an odd limit is
    rounded down."""
    declared = contrast(
        B, S4, VALIDITY, ONE_PREMISE, validity=2, inference=8, balanced=True, countermodel_worlds=(2, 3)
    )
    result = build([Source(declared, "example.yaml", "")], jobs=2, limit=7)
    assert not result.shortfalls and not result.alarms
    directions = Counter(
        (pair.task, max(map(modal_depth, (*pair.premises, pair.conjecture))), pair.sides["a"].label)
        for pair in result.pairs
    )
    assert Counter(pair.task for pair in result.pairs) == {"validity": 2, "inference": 4}
    assert all(directions[task, depth, not valid] == n for (task, depth, valid), n in directions.items())
    for pair in result.pairs:
        worlds = [side.countermodel.worlds for side in pair.sides.values() if side.countermodel]
        assert worlds and {*worlds} <= {2, 3}


def test_candidates_are_the_same_every_time() -> None:
    """What is let through and why the rest is not depends on the contrast alone."""
    declared = systems("B", "S4", VALIDITY, balanced=True, max_family_share=0.2)
    runs = [
        [
            (text(x.candidate), str(x.reason)) if isinstance(x, TurnedDown) else (text(x), "")
            for x in islice(sifted(declared, "validity"), 60)
        ]
        for _ in range(2)
    ]
    assert runs[0] == runs[1]
