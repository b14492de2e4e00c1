"""The reference evaluator, on literal models and against the relational algebra of matrices."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import first_order, propositional

from modalgen.formula import (
    And,
    Atom,
    Bottom,
    Box,
    Diamond,
    Exists,
    Forall,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Top,
)
from modalgen.kripke import (
    DOMAIN_CONDITIONS,
    FRAME_CONDITIONS,
    KripkeModel,
    is_countermodel,
    model_from_record,
    model_to_record,
    objection,
    satisfies_domain_condition,
    satisfies_frame_condition,
    true_at,
)
from modalgen.problem import Problem
from modalgen.semantics import CONDITIONS, DOMAINS, semantics
from modalgen.syntax import parse

SYMBOLS = (("F", 1), ("G", 1), ("Likes", 2))


@st.composite
def models(draw: st.DrawFn, first_order: bool = True) -> KripkeModel:
    """Models with up to three worlds and three individuals, one of which may exist nowhere."""
    n = draw(st.integers(1, 3))
    worlds, everyone = range(n), range(3)
    pairs = list(itertools.product(worlds, worlds))
    arrows = draw(st.sets(st.sampled_from(pairs)))
    valuation = {p: frozenset(draw(st.sets(st.sampled_from(list(worlds))))) for p in "pqr"}
    if not first_order:
        return KripkeModel(n, frozenset(arrows), None, valuation)
    domains = tuple(frozenset(draw(st.sets(st.sampled_from(list(everyone)), min_size=1))) for _ in worlds)
    extensions = {
        name: tuple(
            frozenset(draw(st.sets(st.sampled_from(list(itertools.product(everyone, repeat=arity))))))
            for _ in worlds
        )
        for name, arity in SYMBOLS
    }
    return KripkeModel(n, frozenset(arrows), domains, valuation, extensions)


def truth_sets(model: KripkeModel, formula: Formula) -> int:
    """The set of worlds where a propositional formula is true, as bits: a second evaluator."""
    everywhere = (1 << model.worlds) - 1
    match formula:
        case Top():
            return everywhere
        case Bottom():
            return 0
        case Atom(name, ()):
            return sum(1 << w for w in model.valuation[name])
        case Not(a):
            return everywhere ^ truth_sets(model, a)
        case And(a, b):
            return truth_sets(model, a) & truth_sets(model, b)
        case Or(a, b):
            return truth_sets(model, a) | truth_sets(model, b)
        case Implies(a, b):
            return (everywhere ^ truth_sets(model, a)) | truth_sets(model, b)
        case Iff(a, b):
            return everywhere ^ truth_sets(model, a) ^ truth_sets(model, b)
        case Diamond(a):
            inner = truth_sets(model, a)
            return sum(1 << w for w in {w for w, v in model.accessibility if inner >> v & 1})
        case Box(a):
            return everywhere ^ truth_sets(model, Diamond(Not(a)))
    raise AssertionError(formula)


@given(models(first_order=False), propositional(12))
@settings(max_examples=250, deadline=None)
def test_truth_at_every_world_agrees_with_truth_sets(model: KripkeModel, formula: Formula) -> None:
    """Two evaluators, one by recursion at a world and one by sets of worlds, agree."""
    bits = truth_sets(model, formula)
    assert [true_at(model, w, formula) for w in range(model.worlds)] == [
        bool(bits >> w & 1) for w in range(model.worlds)
    ]


def ground(model: KripkeModel, formula: Formula, values: dict[str, int]) -> Formula:
    """Bound variables replaced by individuals in atoms `F/0`; quantifiers become relativized by `E/d`."""
    match formula:
        case Atom(name, arguments):
            return Atom("/".join([name, *(str(values[x]) for x in arguments)]))
        case Forall(x, a):
            result: Formula = Top()
            for d in range(3):
                result = And(result, Implies(Atom(f"E/{d}"), ground(model, a, {**values, x: d})))
            return result
        case Exists(x, a):
            return Not(ground(model, Forall(x, Not(a)), values))
        case Not(a) | Box(a) | Diamond(a):
            return type(formula)(ground(model, a, values))
        case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b):
            return type(formula)(ground(model, a, values), ground(model, b, values))
        case _:
            return formula


@given(models(), first_order(height=4, symbols=SYMBOLS))
@settings(max_examples=120, deadline=None)
def test_quantifiers_agree_with_their_grounding(model: KripkeModel, formula: Formula) -> None:
    """Actualist quantifiers are conjunctions over all individuals guarded by existence at the world."""
    assert model.domains is not None
    worlds = range(model.worlds)
    valuation = {f"E/{d}": frozenset(w for w in worlds if d in model.domains[w]) for d in range(3)}
    for name, arity in SYMBOLS:
        for row in itertools.product(range(3), repeat=arity):
            truths = frozenset(w for w in worlds if row in model.extensions[name][w])
            valuation["/".join([name, *map(str, row)])] = truths
    flat = KripkeModel(model.worlds, model.accessibility, None, valuation)
    bits = truth_sets(flat, ground(model, formula, {}))
    assert [true_at(model, w, formula) for w in worlds] == [bool(bits >> w & 1) for w in worlds]


def test_every_registered_condition_has_a_definition() -> None:
    """The evaluator knows exactly the conditions and regimes of the registry."""
    assert set(FRAME_CONDITIONS) == set(CONDITIONS)
    assert set(DOMAIN_CONDITIONS) == set(DOMAINS)


@pytest.mark.parametrize(
    ("arrows", "holds"),
    [
        ("", "symmetric transitive euclidean dense convergent functional shift-reflexive weakly-connected"),
        ("00 11", "serial reflexive symmetric transitive euclidean dense convergent functional "
                  "shift-reflexive weakly-connected"),
        ("01", "transitive functional weakly-connected"),
        ("01 10", "serial symmetric convergent functional weakly-connected"),
        ("01 11", "serial transitive euclidean dense convergent functional shift-reflexive weakly-connected"),
        ("00 01 11", "serial reflexive transitive dense convergent shift-reflexive weakly-connected"),
        ("00 01 10", "serial symmetric dense convergent weakly-connected"),
        ("00 01 10 11", "serial reflexive symmetric transitive euclidean dense convergent "
                        "shift-reflexive weakly-connected universal"),
    ],
)  # fmt: skip
def test_frame_conditions_of_two_world_frames(arrows: str, holds: str) -> None:
    """Which conditions small frames have, checked by hand."""
    frame = KripkeModel(2, frozenset((int(a[0]), int(a[1])) for a in arrows.split()))
    assert {c for c in CONDITIONS if satisfies_frame_condition(frame, c)} == set(holds.split())


def test_domain_conditions_follow_the_arrows() -> None:
    """Cumulative domains grow along accessibility, decreasing ones shrink, constant ones are equal."""
    growing = KripkeModel(2, frozenset({(0, 1)}), (frozenset({0}), frozenset({0, 1})))
    shrinking = KripkeModel(2, frozenset({(1, 0)}), (frozenset({0}), frozenset({0, 1})))
    equal = KripkeModel(2, frozenset({(0, 1)}), (frozenset({0}), frozenset({0})))
    expected = [
        (growing, {"varying", "cumulative"}),
        (shrinking, {"varying", "decreasing"}),
        (equal, {"varying", "cumulative", "decreasing", "constant"}),
    ]
    for model, regimes in expected:
        assert {r for r in DOMAINS if satisfies_domain_condition(model, r)} == regimes


def test_barcan_countermodel_is_judged() -> None:
    """The textbook countermodel to the Barcan formula: someone new at the accessible world lacks F."""
    problem = Problem(semantics(["serial"], "cumulative"), (), parse("∀x □F(x) → □∀x F(x)"))
    model = KripkeModel(
        2,
        frozenset({(0, 1), (1, 1)}),
        (frozenset({0}), frozenset({0, 1})),
        {},
        {"F": (frozenset(), frozenset({(0,)}))},
    )
    assert is_countermodel(model, problem)
    constant = Problem(semantics(["serial"], "constant"), (), problem.conjecture)
    assert objection(model, constant) == "the domains are not constant"
    without_loop = KripkeModel(2, frozenset({(0, 1)}), model.domains, {}, model.extensions)
    assert objection(without_loop, problem) == "the frame is not serial"


def test_predicates_may_hold_of_absent_individuals() -> None:
    """An individual from w0 may have F at a world where it does not exist, so ∃x □F(x) → □∃x F(x) fails."""
    problem = Problem(semantics([], "varying"), (), parse("∃x □F(x) → □∃x F(x)"))
    model = KripkeModel(
        2,
        frozenset({(0, 1)}),
        (frozenset({0}), frozenset({1})),
        {},
        {"F": (frozenset(), frozenset({(0,)}))},
    )
    assert is_countermodel(model, problem)


def test_local_and_global_premises_differ() -> None:
    """p entails □p as a global premise, not as a local one."""
    p = Atom("p")
    model = KripkeModel(2, frozenset({(0, 1)}), None, {"p": frozenset({0})})
    assert is_countermodel(model, Problem(semantics(), (p,), Box(p)))
    everywhere = Problem(semantics(), (), Box(p), (p,))
    assert objection(model, everywhere) == "global premise 1 is false at some world"


def test_global_conjecture_fails_anywhere() -> None:
    """A global conjecture is refuted by any world, a local one by the designated world only."""
    p = Atom("p")
    model = KripkeModel(2, frozenset(), None, {"p": frozenset({0})})
    assert is_countermodel(model, Problem(semantics(), (p,), p, (), True))
    assert objection(model, Problem(semantics(), (p,), p)) == "the conjecture is true at the designated world"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"worlds": 0}, "at least one world"),
        ({"accessibility": [[0, 2]]}, "an arrow goes from 0 to 2"),
        ({"domains": [[0]]}, "1 domains are given for 2 worlds"),
        ({"domains": [[0], []]}, "a domain is empty"),
        ({"actual": 2}, "designated world 2"),
        ({"interpretation": {"p": [5]}}, "true at a world that is not"),
        ({"interpretation": {"F": {"0": []}}}, "not interpreted at every world"),
        ({"interpretation": None}, "not a Kripke model"),
        ({"domains": [["x"], [0]]}, "'x' is not the number of an individual"),
        ({"interpretation": {"F": {"0": [["x"]], "1": []}}}, "'x' is not the number of an individual"),
        ({"domains": [[-1], [0]]}, "-1 is not the number of an individual"),
        ({"accessibility": [[0.0, 1]]}, "0.0 is not the number of a world"),
        ({"accessibility": [[0, True]]}, "True is not the number of a world"),
        ({"interpretation": {"p": [0.0]}}, "0.0 is not the number of a world"),
        ({"actual": False}, "False is not the number of a world"),
        ({"worlds": None}, "not a number of worlds"),
        ({"worlds": 10**11}, "not a number of worlds"),
    ],
)
def test_records_that_describe_no_model_are_refused(change: dict[str, object], words: str) -> None:
    """A malformed countermodel in a file is an error in words."""
    record = {
        "worlds": 2, "accessibility": [[0, 1]], "domains": [[0], [0]],
        "interpretation": {"p": [0]}, "actual": 0, **change,
    }  # fmt: skip
    with pytest.raises(ValueError, match=words):
        model_from_record(record)


@given(models())
@settings(deadline=None)
def test_records_round_trip(model: KripkeModel) -> None:
    """A model written as JSON and read back is the same model."""
    assert model_from_record(json.loads(json.dumps(model_to_record(model)))) == model
