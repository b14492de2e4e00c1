"""The small-model screen: the models, the columns, the masks, and what it says of problems."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import first_order, first_order_semantics, propositional, propositional_semantics

from modalgen.formula import Formula, free_variables, predicates, rename_predicates
from modalgen.gen.columns import Columns
from modalgen.gen.pointed_models import PointedModel, ground_facts, pointed_models
from modalgen.gen.screen import Screen, ScreenTooLarge, model_size, screen_for
from modalgen.gen.small_frames import belongs
from modalgen.kripke import (
    KripkeModel,
    objection,
    satisfies_domain_condition,
    satisfies_frame_condition,
    true_at,
)
from modalgen.oracle.kripke_search import find_countermodel
from modalgen.problem import Problem
from modalgen.semantics import CONDITIONS, DOMAINS, SYSTEMS, Semantics, semantics
from modalgen.syntax import parse


def to_kripke(model: PointedModel, vocabulary: Sequence[tuple[str, int]]) -> KripkeModel:
    """The model as the reference evaluator reads it. The vocabulary names the symbols."""
    relation, domains = model.skeleton.relation, model.skeleton.domains
    worlds = range(len(relation))
    facts = ground_facts([arity for _, arity in vocabulary], model.skeleton.population)
    true = [{fact for n, fact in enumerate(facts) if label >> n & 1} for label in model.valuation]
    return KripkeModel(
        worlds=len(relation),
        accessibility=frozenset((w, v) for w in worlds for v in worlds if relation[w] >> v & 1),
        domains=None
        if domains is None
        else tuple(frozenset(d for d in range(D.bit_length()) if D >> d & 1) for D in domains),
        valuation={
            name: frozenset(w for w in worlds if (symbol, ()) in true[w])
            for symbol, (name, arity) in enumerate(vocabulary)
            if arity == 0
        },
        extensions={
            name: tuple(frozenset(row for s, row in true[w] if s == symbol) for w in worlds)
            for symbol, (name, arity) in enumerate(vocabulary)
            if arity > 0
        },
    )


ALL = (semantics(),)
ALL_VARYING = (semantics([], "varying"),)
SERIAL_VARYING = (semantics(["serial"], "varying"),)
ATOMS = frozenset({("p", 0), ("q", 0)})
UNARY = frozenset({("F", 1), ("G", 1)})


def bisimulation_types(atoms: int, worlds: int) -> int:
    """How many pointed models with at most so many worlds differ, counted by unravelling all of them.

    Points are bisimilar if they agree on as many steps as both models have worlds together.
    """
    numbers: dict[object, int] = {}
    points = set()
    for n in range(1, worlds + 1):
        for rows in product(product((False, True), repeat=n), repeat=n):
            for labels in product(range(1 << atoms), repeat=n):
                types = [numbers.setdefault(label, len(numbers)) for label in labels]
                for _ in range(2 * worlds):
                    after = [
                        frozenset(t for t, arrow in zip(types, row, strict=True) if arrow) for row in rows
                    ]
                    types = [
                        numbers.setdefault(view, len(numbers)) for view in zip(labels, after, strict=True)
                    ]
                points |= {*types}
    return len(points)


@pytest.mark.parametrize(
    ("atoms", "worlds", "expected"), [(1, 1, 4), (1, 2, 24), (2, 2, 112), (1, 3, 608), (2, 3, 6560)]
)
def test_propositional_models_are_the_bisimulation_types(atoms: int, worlds: int, expected: int) -> None:
    """There is exactly one model for each bisimulation type of so few worlds."""
    assert len(pointed_models([0] * atoms, worlds, 0, ALL)) == expected == bisimulation_types(atoms, worlds)


def test_quantified_models_on_serial_frames() -> None:
    """Two worlds, two individuals, two predicates: 6,986 models up to names if no two individuals are
    alike, of which 5,374 are left when worlds that are alike and individuals that exist nowhere go."""
    counted, contracted = set(), set()
    for n, m in product((1, 2), repeat=2):
        for relation in product(range(1, 1 << n), repeat=n):  # serial
            if n == 2 and not relation[0] & 2:  # the point does not reach the other world
                continue
            # An individual is what it is at each world: whether it exists, is F, is G.
            for individuals in product(product(product((0, 1), repeat=3), repeat=n), repeat=m):
                if len({*individuals}) < m or not all(any(i[w][0] for i in individuals) for w in range(n)):
                    continue
                counted.add((relation, frozenset(individuals)))
                somewhere = frozenset(i for i in individuals if any(at[0] for at in i))
                # On a serial frame of two worlds where the same holds, the worlds are bisimilar.
                if n == 1 or any(i[0] != i[1] for i in somewhere):
                    contracted.add((relation, somewhere))
    assert len(counted) == 6986
    assert len(contracted) == 5374 == len(pointed_models([1, 1], 2, 2, SERIAL_VARYING))


def test_no_two_models_are_isomorphic() -> None:
    """With a relation symbol too, no renaming of worlds and individuals makes one model another."""
    vocabulary = [("Likes", 2)]
    models = [to_kripke(model, vocabulary) for model in pointed_models([2], 2, 2, SERIAL_VARYING)]
    seen = set()
    for model in models:
        assert model.domains is not None
        views = set()
        for names in permutations(range(2)):
            domains = tuple(frozenset(names[d] for d in D) for D in model.domains)
            likes = tuple(
                frozenset((names[d], names[e]) for d, e in rows) for rows in model.extensions["Likes"]
            )
            views.add((model.accessibility, domains, likes))
        assert seen.isdisjoint(views)
        seen |= views


@pytest.mark.parametrize("classes", [ALL, ALL_VARYING])
def test_masks_are_the_conditions_of_the_reference_evaluator(classes: tuple[Semantics, ...]) -> None:
    """Every frame condition and domain regime holds in the models in which the evaluator says it does."""
    symbols = [("p", 0)] if classes == ALL else [("F", 1)]
    columns = Columns([arity for _, arity in symbols], *((3, 0) if classes == ALL else (2, 2)), classes)
    domain = classes[0].domain
    for condition in CONDITIONS:
        members = columns.members(semantics([condition], domain))
        for number, model in enumerate(columns.models):
            kripke = to_kripke(model, symbols)
            assert members >> number & 1 == satisfies_frame_condition(kripke, condition), condition
    for regime in DOMAINS if domain else ():
        members = columns.members(semantics([], regime))
        for number, model in enumerate(columns.models):
            assert members >> number & 1 == satisfies_domain_condition(to_kripke(model, symbols), regime)


@pytest.mark.parametrize("name", ["D", "T", "KB5", "S4"])
def test_a_class_is_all_models_with_its_conditions(name: str) -> None:
    """Looking only at some classes gives the models of these among all, in the same order."""
    classes = [semantics(SYSTEMS[name]), semantics(["functional"])]
    among_all = [m for m in pointed_models([0], 3, 0, ALL) if any(belongs(m.skeleton, c) for c in classes)]
    assert list(pointed_models([0], 3, 0, classes)) == among_all


SMALL = {
    "atoms": Screen((("p", 0), ("q", 0), ("r", 0)), Columns([0, 0, 0], 2, 0, ALL)),
    "predicates": Screen((("F", 1), ("Likes", 2)), Columns([1, 2], 1, 2, ALL_VARYING)),
    "worlds": Screen((("F", 1),), Columns([1], 2, 2, ALL_VARYING)),
}


def assert_column_is_truth(screen: Screen, formula: Formula, scope: tuple[str, ...] = ()) -> None:
    """The column of a formula has at each place the value that the evaluator gives, and no other bits."""
    column, columns = screen.column(formula, scope), screen.columns
    for innermost_first in product(range(columns.individuals), repeat=len(scope)):
        assignment = dict(zip(scope, innermost_first[::-1], strict=True))
        for w in range(columns.worlds):
            for model in columns.models:
                inside = w < len(model.skeleton.relation)
                inside &= all(d < model.skeleton.population for d in innermost_first)
                true = inside and true_at(to_kripke(model, screen.vocabulary), w, formula, assignment)
                assert column & 1 == true
                column >>= 1
    assert column == 0


@settings(max_examples=30, deadline=None)
@given(propositional(max_leaves=6))
def test_propositional_columns_are_truth_values(formula: Formula) -> None:
    """A column says of each world of each model what the reference evaluator says."""
    assert_column_is_truth(SMALL["atoms"], formula)


@settings(max_examples=25, deadline=None)
@given(first_order(height=3, symbols=(("F", 1),)))
def test_quantified_columns_are_truth_values(formula: Formula) -> None:
    """The same for closed formulas with quantifiers, over two worlds and all domains."""
    assert_column_is_truth(SMALL["worlds"], formula)


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_open_columns_are_truth_values(data: st.DataObject) -> None:
    """The same for formulas with free variables, for every assignment, relations and shadowing included."""
    scope = data.draw(st.sampled_from([("x",), ("y", "x"), ("x", "y")]))
    name = data.draw(st.sampled_from(["predicates", "worlds"]))
    symbols = (("F", 1), ("Likes", 2))[: 2 if name == "predicates" else 1]
    formula = data.draw(first_order(height=2, scope=scope, symbols=symbols, names=("x", "y")))
    assert free_variables(formula) <= {*scope}
    assert_column_is_truth(SMALL[name], formula, scope)


@pytest.mark.parametrize(
    ("text", "systems"),
    [
        ("□p → ◇p", "D T DB D4 D5 D45 B S4 S5"),
        ("□p → p", "T B S4 S5"),
        ("p → □◇p", "KB KB5 DB B S5"),
        ("□p → □□p", "K4 K45 KB5 D4 D45 S4 S5"),
        ("◇p → □◇p", "K5 K45 KB5 D5 D45 S5"),
        ("□(p → q) → □p → □q", " ".join(SYSTEMS)),
    ],
)
def test_axioms_hold_in_their_systems(text: str, systems: str) -> None:
    """One evaluation tells in which of the fifteen systems an axiom is valid."""
    screen = screen_for(ATOMS, ALL)
    found = screen.countermodels((), parse(text))
    valid = [name for name in SYSTEMS if not found & screen.members(semantics(SYSTEMS[name]))]
    assert valid == systems.split()


@pytest.mark.parametrize(
    ("text", "regimes"),
    [
        ("∀x □F(x) → □∀x F(x)", "decreasing constant"),
        ("□∀x F(x) → ∀x □F(x)", "cumulative constant"),
        ("◇∃x F(x) → ∃x ◇F(x)", "decreasing constant"),
        ("∃x □F(x) → □∃x F(x)", "cumulative constant"),
        ("∀x F(x) → ∃x F(x)", "varying cumulative decreasing constant"),
    ],
)
def test_barcan_formulas_hold_in_their_domains(text: str, regimes: str) -> None:
    """The Barcan formula, its converse and their duals (Fitting and Mendelsohn 1998, section 4.9)."""
    screen = screen_for(UNARY, ALL_VARYING)
    found = screen.countermodels((), parse(text))
    assert [r for r in DOMAINS if not found & screen.members(semantics([], r))] == regimes.split()


def assert_agrees_with_search(screen: Screen, problem: Problem, worlds: int, individuals: int) -> None:
    """The screen finds a countermodel exactly if the bounded search does, and the least number of worlds."""
    found = screen.countermodels(problem.premises, problem.conjecture) & screen.members(problem.semantics)
    searched = find_countermodel(problem, worlds, individuals)
    assert bool(found) == (searched is not None)
    if searched is not None:
        model = to_kripke(screen.least(found), screen.vocabulary)
        assert objection(model, problem) is None
        assert individuals or model.worlds == searched.worlds


@settings(max_examples=60, deadline=None)
@given(st.data(), propositional_semantics())
def test_agrees_with_the_bounded_search(data: st.DataObject, declared: Semantics) -> None:
    """On random problems under random frame conditions the screen says what Z3's search says."""
    formula = propositional(6).map(lambda f: rename_predicates(f, {"r": "p"}))
    premises = tuple(data.draw(st.lists(formula, max_size=2)))
    problem = Problem(declared, premises, data.draw(formula))
    assert_agrees_with_search(screen_for(ATOMS, ALL), problem, 3, 0)


@settings(max_examples=40, deadline=None)
@given(st.data(), first_order_semantics())
def test_agrees_with_the_bounded_search_on_quantified_problems(
    data: st.DataObject, declared: Semantics
) -> None:
    """The same on first-order problems, with two worlds and two individuals."""
    formula = first_order(height=3, symbols=(("F", 1), ("G", 1)))
    problem = Problem(declared, tuple(data.draw(st.lists(formula, max_size=1))), data.draw(formula))
    assert_agrees_with_search(screen_for(UNARY, ALL_VARYING), problem, 2, 2)


def test_fingerprints() -> None:
    """Equal for equivalent problems and renamed ones, different where a small model tells them apart."""

    def fingerprint(*texts: str) -> tuple[object, ...]:
        *premises, conjecture = map(parse, texts)
        symbols = frozenset[tuple[str, int]]().union(*map(predicates, (*premises, conjecture)))
        return screen_for(symbols, ALL).fingerprint(premises, conjecture)

    assert fingerprint("□p → ◇p") == fingerprint("¬(□q ∧ □¬q)") != fingerprint("□p → p")
    assert (
        fingerprint("p", "q", "p ∧ ◇q") == fingerprint("p", "q", "q ∧ ◇p") == fingerprint("r", "p", "p ∧ ◇r")
    )
    assert fingerprint("p", "◇q") != fingerprint("q", "◇q")
    assert fingerprint("p", "◇p") == fingerprint("q", "◇(q ∧ p) ∨ ◇(q ∧ ¬p)")
    assert fingerprint("□p → ◇p") == fingerprint("◇⊤")
    assert fingerprint("p ∧ q", "◇p") != fingerprint("p", "◇p")


def test_as_many_worlds_as_can_be_held() -> None:
    """The screen has three worlds for few symbols, fewer for many, and says so when it has none."""
    assert [model_size((0,) * atoms, ALL) for atoms in (2, 3, 4, 8)] == [(3, 0), (3, 0), (2, 0), (1, 0)]
    assert model_size((1, 1), ALL_VARYING) == (2, 2)
    with pytest.raises(ScreenTooLarge, match="too many small models"):
        screen_for(frozenset({("F", 1), ("R", 4)}), ALL_VARYING)


def test_facts_of_fewer_individuals_come_first() -> None:
    """What is numbered alike in models of any population is what the columns rely on."""
    facts = ground_facts([1, 2, 0], 3)
    assert len(facts) == 3 + 9 + 1
    for population in range(3):
        smaller = ground_facts([1, 2, 0], population)
        assert facts[: len(smaller)] == smaller


def test_least_of_no_models() -> None:
    """Asking for a countermodel where there is none is an error and not some model."""
    with pytest.raises(ValueError, match="no model"):
        screen_for(ATOMS, ALL).least(0)
