"""The normal form of formulas, the canonical key and the family of problems."""

from __future__ import annotations

import random
from itertools import pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import first_order, formulas, propositional

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
    conjunction,
    map_children,
    predicates,
    rename_free,
    rename_predicates,
)
from modalgen.gen.canonical import MAX_UNITS, ONE, ZERO, canonical_key, family, normal_form
from modalgen.kripke import KripkeModel, true_at
from modalgen.syntax import parse

seeds = st.integers(0, 2**32)


def random_model(rng: random.Random) -> KripkeModel:
    """A model with domains for the symbols of the strategies, of up to three worlds and individuals."""
    worlds = rng.randint(1, 3)
    pairs = [(x, y) for x in range(3) for y in range(3)]
    return KripkeModel(
        worlds,
        frozenset((w, v) for w in range(worlds) for v in range(worlds) if rng.random() < 0.5),
        tuple(frozenset(rng.sample(range(3), rng.randint(1, 3))) for _ in range(worlds)),
        {p: frozenset(w for w in range(worlds) if rng.random() < 0.5) for p in "pqr"},
        {
            "F": tuple(frozenset((x,) for x in range(3) if rng.random() < 0.5) for _ in range(worlds)),
            "G": tuple(frozenset((x,) for x in range(3) if rng.random() < 0.5) for _ in range(worlds)),
            "Likes": tuple(frozenset(xy for xy in pairs if rng.random() < 0.5) for _ in range(worlds)),
        },
    )


MODELS = [random_model(random.Random(f"model {n}")) for n in range(150)]


def meaning(normal, model: KripkeModel, world: int, individuals: tuple[int, ...] = ()) -> bool:
    """The truth of a polynomial at a world: the parity of its true monomials."""

    def unit_is_true(unit) -> bool:
        if isinstance(unit, Atom) and not unit.arguments:
            return world in model.valuation[unit.predicate]
        if isinstance(unit, Atom):
            return (
                tuple(individuals[int(i)] for i in unit.arguments) in model.extensions[unit.predicate][world]
            )
        if unit.symbol == "∧":
            return all(meaning(body, model, world, individuals) for body in unit.bodies)
        (body,) = unit.bodies
        if unit.symbol == "□":
            return all(meaning(body, model, v, individuals) for v in model.successors(world))
        return any(meaning(body, model, world, (d, *individuals)) for d in model.domains[world])

    return sum(all(unit_is_true(unit) for unit in monomial) for monomial in normal) % 2 == 1


def column(formula: Formula) -> tuple[bool, ...]:
    """The formula's truth at every world of some of the models."""
    return tuple(true_at(model, w, formula) for model in MODELS[:30] for w in range(model.worlds))


@settings(max_examples=150, deadline=None)
@given(formulas(), seeds)
def test_normal_form_means_what_the_formula_means(formula, seed):
    """Equal normal forms are equivalent formulas in every class of models: no problem is lost as a copy."""
    rng = random.Random(seed)
    normal = normal_form(formula)
    for model in rng.sample(MODELS, 8):
        for world in range(model.worlds):
            assert meaning(normal, model, world) == true_at(model, world, formula)


@settings(max_examples=40, deadline=None)
@given(st.lists(propositional(4), min_size=4, max_size=9), seeds)
def test_normal_form_means_what_a_wide_formula_means(parts, seed):
    """Where a level has too many units, the form that takes over is equivalent too."""
    rng = random.Random(seed)
    units = [Box(Atom(p)) for p in "pqr"] + [
        Diamond(And(Atom(p), Atom(q))) for p, q in permutations("pqr", 2)
    ]
    wide = [*parts, *(Box(Box(unit)) for unit in units)]
    rng.shuffle(wide)
    while len(wide) > 1:
        a, b = wide.pop(), wide.pop()
        wide.insert(rng.randrange(len(wide) + 1), rng.choice([And, Or, Implies, Iff])(a, b))
        if rng.random() < 0.3:
            wide[0] = Not(wide[0])
    for model in rng.sample(MODELS, 6):
        for world in range(model.worlds):
            assert meaning(normal_form(wide[0]), model, world) == true_at(model, world, wide[0])


def small_formulas(most: int) -> list[Formula]:
    """All formulas over p and q with at most so many nodes, ↔ and ⊥ left out."""
    by_size: dict[int, list[Formula]] = {1: [Atom("p"), Atom("q"), Top()]}
    for n in range(2, most + 1):
        unary = [make(f) for make in (Not, Box, Diamond) for f in by_size[n - 1]]
        binary = [
            make(f, g)
            for make in (And, Or, Implies)
            for k in range(1, n - 1)
            for f in by_size[k]
            for g in by_size[n - 1 - k]
        ]
        by_size[n] = unary + binary
    return [f for n in sorted(by_size) for f in by_size[n]]


def test_equal_keys_are_equivalent_up_to_renaming():
    """Among all small formulas those with one key have one meaning, after a renaming of p and q."""
    groups: dict[str, list[Formula]] = {}
    for formula in small_formulas(5):
        groups.setdefault(canonical_key((), formula), []).append(formula)
    assert len(groups) > 100
    swap = {"p": "q", "q": "p"}
    columns = {f: column(f) for group in groups.values() for f in group[:12]}
    for group in groups.values():
        first = columns[group[0]]
        for other in group[1:12]:
            assert first in (columns[other], column(rename_predicates(other, swap)))


def restated(formula: Formula, rng: random.Random) -> Formula:
    """The same formula in other words: laws of propositional logic, duality and bound names, at random."""
    f = map_children(formula, lambda child: restated(child, rng))
    match f:
        case And(a, b) if rng.random() < 0.5:
            f = rng.choice([And(b, a), Not(Or(Not(a), Not(b))), And(a, f), Not(Implies(b, Not(a)))])
        case Or(a, b) if rng.random() < 0.5:
            f = rng.choice([Or(b, a), Not(And(Not(b), Not(a))), Implies(Not(a), b), Or(f, And(a, b))])
        case Implies(a, b) if rng.random() < 0.5:
            f = rng.choice([Or(b, Not(a)), Implies(Not(b), Not(a)), Not(And(a, Not(b)))])
        case Iff(a, b) if rng.random() < 0.5:
            f = rng.choice([Iff(b, a), And(Implies(a, b), Implies(b, a)), Iff(Not(a), Not(b))])
        case Box(a) if rng.random() < 0.5:
            f = Not(Diamond(Not(a)))
        case Diamond(a) if rng.random() < 0.5:
            f = Not(Box(Not(a)))
        case Forall(x, a) | Exists(x, a):
            name = f"v{rng.randrange(10**6)}"
            a = rename_free(a, {x: name})
            dual = Not(Exists(name, Not(a))) if isinstance(f, Forall) else Not(Forall(name, Not(a)))
            f = rng.choice([type(f)(name, a), dual])
    return rng.choice([f, f, f, Not(Not(f)), And(f, f), Or(f, f), Or(f, Bottom()), And(Top(), f)])


def renamed(problem: list[Formula], rng: random.Random) -> list[Formula]:
    """The problem with its symbols renamed to others of the same arity."""
    names: dict[str, str] = {}
    symbols = sorted(frozenset().union(*(predicates(f) for f in problem)))
    for arity in {arity for _, arity in symbols}:
        old = [name for name, other in symbols if other == arity]
        new = rng.sample([*old, f"n{arity}a", f"n{arity}b"], len(old))
        names |= dict(zip(old, new, strict=True))
    return [rename_predicates(f, names) for f in problem]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(propositional(5), first_order(height=2)), min_size=1, max_size=4), seeds)
def test_restated_problems_have_equal_keys(problem, seed):
    """Renaming, order, repetition, duality and propositional laws at any depth leave the key as it is."""
    rng = random.Random(seed)
    *premises, conjecture = renamed([restated(f, rng) for f in problem], rng)
    premises += rng.choices(premises, k=2) if premises else []
    rng.shuffle(premises)
    assert canonical_key(tuple(premises), conjecture) == canonical_key(tuple(problem[:-1]), problem[-1])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("□(p ∧ q)", "□¬(¬p ∨ ¬q)"),
        ("□(p → p)", "⊤"),
        ("◇(p ∧ ¬p)", "⊥"),
        ("◇p", "¬□¬p"),
        ("∀x □F(x)", "¬∃y ◇¬F(y)"),
        ("∃x (F(x) ∨ ¬F(x))", "⊤"),
        ("∀x (F(x) ∨ G(x))", "∀y (G(y) ∨ F(y))"),
        ("∃x ∀y Likes(x,y)", "∃y ∀x Likes(y,x)"),
        ("∀x ∃x F(x)", "∀y ∃x F(x)"),
        ("□p → (q → □p)", "⊤"),
        ("(p ∨ ¬p) ∧ □q", "□p"),
        ("p ↔ (q ↔ □r)", "(p ↔ q) ↔ □r"),
    ],
)
def test_the_same(first, second):
    """Textbook restatements are recognised."""
    assert canonical_key((), parse(first)) == canonical_key((), parse(second))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("□p → p", "p → □p"),
        ("□p → ◇p", "◇p → □p"),
        ("□p → □□p", "□□p → □p"),
        ("□(p ∨ q)", "□(p ∧ q)"),
        ("□p ∧ □q", "□p ∧ □p"),
        ("□p", "□¬p"),
        ("◇⊤", "⊤"),
        ("∀x □F(x) → □∀x F(x)", "□∀x F(x) → ∀x □F(x)"),
        ("∃x ∀y Likes(x,y)", "∃x ∀y Likes(y,x)"),
        ("∀x Likes(x,x)", "∀x ∀y Likes(x,y)"),
        ("∃x (F(x) ∧ ◇G(x))", "∃x (F(x) ∧ ◇F(x))"),
        ("∀x ∃y (Likes(x,y) ∧ F(y))", "∀x ∃y (Likes(x,y) ∧ F(x))"),
    ],
)
def test_not_the_same(first, second):
    """Formulas that mean different things, some by very little, are kept apart."""
    assert canonical_key((), parse(first)) != canonical_key((), parse(second))


def test_premises_and_conjecture_are_renamed_together():
    """A renaming holds for the whole problem: □p ⊢ ◇p is not □p ⊢ ◇q, and sides do not swap."""
    p, q = parse("□p"), parse("◇p")
    assert canonical_key((p,), q) == canonical_key((parse("□r"),), parse("◇r"))
    assert canonical_key((p,), q) != canonical_key((p,), parse("◇q"))
    assert canonical_key((p,), q) != canonical_key((q,), p)
    assert canonical_key((p,), q) != canonical_key((), q)


def test_constants():
    """Tautologies and contradictions, and only these, have the constant normal forms."""
    assert normal_form(parse("p ∨ ¬p")) == ONE == normal_form(parse("◇q → □⊤"))
    assert normal_form(parse("¬□⊤")) == ZERO
    assert normal_form(parse("□⊥")) not in (ZERO, ONE)


def test_many_symbols_are_told_apart_by_how_they_occur():
    """Nine symbols, whose 362,880 renamings are never tried: each occurs in a way of its own."""
    names = "abcdefghi"

    def chained(order: str) -> tuple[Formula, ...]:
        return tuple(Box(Implies(Atom(p), Diamond(Atom(q)))) for p, q in pairwise(order))

    key = canonical_key(chained(names), Atom(names[-1]))
    shuffled = "fbigahced"
    assert canonical_key(tuple(reversed(chained(shuffled))), Atom(shuffled[-1])) == key
    assert canonical_key(chained(names), Atom(names[0])) != key


def test_symbols_that_tie_are_tried_in_every_order():
    """Three symbols in a circle occur alike, and yet the two directions have one key."""
    key = canonical_key((parse("□(p → ◇q)"), parse("□(q → ◇r)"), parse("□(r → ◇p)")), Bottom())
    assert canonical_key((parse("□(q → ◇p)"), parse("□(r → ◇q)"), parse("□(p → ◇r)")), Bottom()) == key
    assert canonical_key((parse("□(p → ◇q)"), parse("□(q → ◇p)"), parse("□(r → ◇r)")), Bottom()) != key


@settings(max_examples=30, deadline=None)
@given(seeds)
def test_wide_levels_ignore_order_grouping_and_duality(seed):
    """Beyond the bound on units the laws that the documentation names still hold."""
    rng = random.Random(seed)
    units = [Box(conjunction((Atom("p"),) * (n > 0) + (Atom("q"),) * (n % 2))) for n in range(3)]
    while len(units) <= MAX_UNITS + 1:
        units.append(Box(rng.choice([Box, Diamond])(units[-1])))
    chain = conjunction(tuple(units))
    pieces = [rng.choice([u, Not(Not(u)), Not(Diamond(Not(u.operand)))]) for u in units]
    rng.shuffle(pieces)
    while len(pieces) > 1:
        k = rng.randrange(len(pieces) - 1)
        a, b = pieces[k : k + 2]
        pieces[k : k + 2] = [rng.choice([And(a, b), Not(Or(Not(a), Not(b))), Not(Implies(b, Not(a)))])]
    assert normal_form(pieces[0]) == normal_form(chain)
    assert normal_form(Not(pieces[0])) == normal_form(Not(chain))
    assert normal_form(And(pieces[0], Box(And(Atom("p"), Not(Atom("p")))))) != ZERO
    assert normal_form(And(pieces[0], Diamond(And(Atom("p"), Not(Atom("p")))))) == ZERO


def test_family_abstracts_the_contents():
    """The schema □A → ◇A is one family whatever stands for A, and in its contrapositive form."""
    d = family((), parse("□p → ◇p"))
    for text in ("□(p ∧ q) → ◇(q ∧ p)", "□¬p → ◇¬p", "¬◇(q ∨ r) → ¬□(q ∨ r)", "□(p → q) → ◇(¬p ∨ q)"):
        assert family((), parse(text)) == d
    for text in ("□p → ◇q", "□p → ◇¬p", "□p → p", "□p → ◇◇p", "□(p ∧ q) → ◇p"):
        assert family((), parse(text)) != d
    assert family((parse("□p"),), parse("◇p")) != d
    assert family((), parse("□(p ∧ q) → ◇p")) == family((), parse("□(p ∨ q) → ◇q"))


def test_family_of_quantified_problems():
    """Contents are applied to the variables that occur in them: the Barcan formula and its converse."""
    barcan = family((), parse("∀x □F(x) → □∀x F(x)"))
    assert family((), parse("∀x □(F(x) ∧ ¬G(x)) → □∀y (F(y) ∧ ¬G(y))")) == barcan
    assert family((), parse("◇∃x F(x) → ∃x ◇F(x)")) == barcan
    assert family((), parse("□∀x F(x) → ∀x □F(x)")) != barcan
    assert family((), parse("∀x □∃y (Likes(x,y) ∧ F(x)) → ∃y F(y)")) == family(
        (), parse("∀z □∃x Likes(z,x) → ∃y G(y)")
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(propositional(4), first_order(height=2)), min_size=1, max_size=3), seeds)
def test_family_ignores_names_and_order_of_premises(problem, seed):
    """Problems that differ in names and in the order of premises belong to one family."""
    rng = random.Random(seed)
    *premises, conjecture = renamed(problem, rng)
    rng.shuffle(premises)
    assert family(tuple(premises), conjecture) == family(tuple(problem[:-1]), problem[-1])
