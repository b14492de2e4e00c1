"""What a hole may hold."""

from __future__ import annotations

from itertools import compress, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modalgen.formula import And, Atom, Formula, Iff, Implies, Not, Or, depth, rename_predicates, size
from modalgen.gen.content import MAX_ATOMS, MAX_FUNCTIONS, contents, ground_atoms
from modalgen.gen.contrast import Content
from modalgen.kripke import KripkeModel, true_at

BINARY = {"and": And, "or": Or, "implies": Implies, "iff": Iff}
connective_sets = st.lists(st.sampled_from(["not", *BINARY]), unique=True, max_size=5).map(tuple)


def atoms(count: int) -> tuple[tuple[str, int], ...]:
    """That many propositional symbols."""
    return tuple((name, 0) for name in "pqrstu"[:count])


def truth_function(formula: Formula, symbols: tuple[tuple[str, int], ...]) -> tuple[bool, ...]:
    """The column of the formula's truth table, by the reference evaluator on one-world models."""
    column = []
    for row in product((False, True), repeat=len(symbols)):
        valuation = {
            name: frozenset({0}) if value else frozenset()
            for (name, _), value in zip(symbols, row, strict=True)
        }
        column.append(true_at(KripkeModel(1, frozenset(), valuation=valuation), 0, formula))
    return tuple(column)


def syntactically(symbols: tuple[tuple[str, int], ...], content: Content) -> dict[tuple[bool, ...], int]:
    """By brute force over syntax trees: each truth function that is not constant, with its least size."""
    formulas: set[Formula] = {Atom(name) for name, _ in symbols}
    for _ in range(content.max_depth):
        deeper = set(formulas)
        if "not" in content.connectives:
            deeper |= {Not(f) for f in formulas}
        for name, connective in BINARY.items():
            if name in content.connectives:
                deeper |= {connective(f, g) for f in formulas for g in formulas}
        formulas = deeper
    least: dict[tuple[bool, ...], int] = {}
    for formula in formulas:
        column = truth_function(formula, symbols)
        if len(set(column)) == 2:
            least[column] = min(size(formula), least.get(column, size(formula)))
    return least


@pytest.mark.parametrize("max_depth", [0, 1, 2])
@pytest.mark.parametrize("count", [1, 2])
def test_every_truth_function_once_by_a_smallest_formula(count, max_depth):
    """For every set of connectives, brute force over syntax trees finds the same functions and sizes."""
    for chosen in product((False, True), repeat=5):
        content = Content(tuple(compress(("not", *BINARY), chosen)), max_depth)
        found = {truth_function(f, atoms(count)): size(f) for f in contents(atoms(count), content)}
        assert found == syntactically(atoms(count), content)
        assert len(found) == len(contents(atoms(count), content))


def test_three_atoms_of_height_two():
    """The usual setting is checked against brute force as well."""
    content = Content(("not", "and", "or"), 2)
    found = contents(atoms(3), content)
    assert {truth_function(f, atoms(3)): size(f) for f in found} == syntactically(atoms(3), content)


def test_two_atoms_have_fourteen_contingent_functions():
    """With enough height every truth function that is not constant is there: 16 less 2."""
    assert len(contents(atoms(2), Content(("not", "and", "or"), 3))) == 14
    assert len(contents(atoms(3), Content(("not", "and", "or"), 5))) == 254


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6), connective_sets, st.integers(0, 4))
def test_bounds_hold_and_order_is_by_size(count, connectives, max_depth):
    """Height, connectives, number and order are as declared however many atoms there are."""
    found = contents(atoms(count), Content(connectives, max_depth))
    assert len(found) <= MAX_FUNCTIONS
    assert [size(f) for f in found] == sorted(size(f) for f in found)
    assert all(depth(f) <= max_depth for f in found)
    assert {Atom(name) for name, _ in atoms(count)} <= set(found)
    allowed = {BINARY[c] for c in connectives if c != "not"} | ({Not} if "not" in connectives else set())
    stack = list(found)
    while stack:
        formula = stack.pop()
        if not isinstance(formula, Atom):
            assert type(formula) in allowed
            stack += [formula.operand] if isinstance(formula, Not) else [formula.left, formula.right]


@pytest.mark.parametrize("count", [3, 5])
def test_no_atom_is_favoured(count):
    """Renaming the atoms maps the truth functions onto themselves, also where the bound cuts."""
    symbols = atoms(count)
    found = contents(symbols, Content(("not", "and", "or"), 3))
    columns = {truth_function(f, symbols) for f in found}
    letters = [name for name, _ in symbols]
    # An exchange of two and a rotation of all generate every renaming.
    for order in ([letters[1], letters[0], *letters[2:]], [*letters[1:], letters[0]]):
        names = dict(zip(letters, order, strict=True))
        assert {truth_function(rename_predicates(f, names), symbols) for f in found} == columns


def test_predicates_are_applied_to_all_tuples_of_parameters():
    """A binary predicate with two parameters makes four atoms, a unary one two, a propositional one one."""
    symbols = (("F", 1), ("Likes", 2), ("p", 0))
    assert ground_atoms(symbols, ("x", "y")) == (
        Atom("F", ("x",)),
        Atom("F", ("y",)),
        Atom("Likes", ("x", "x")),
        Atom("Likes", ("x", "y")),
        Atom("Likes", ("y", "x")),
        Atom("Likes", ("y", "y")),
        Atom("p"),
    )
    assert contents(symbols, Content((), 0), ("x", "y")) == ground_atoms(symbols, ("x", "y"))
    assert contents((("F", 1),), Content(("not",), 3)) == ()


def test_refuses_what_it_cannot_enumerate():
    """Too many atoms and unknown connectives are errors in words, not endless work."""
    with pytest.raises(ValueError, match="125 different atoms"):
        contents((("Between", 3),), Content(("and",), 2), tuple("vwxyz"))
    with pytest.raises(ValueError, match="unknown connective 'xor'"):
        contents(atoms(1), Content(("xor",), 1))
    most = tuple((f"p{n}", 0) for n in range(MAX_ATOMS))
    assert len(contents(most, Content(("not", "and"), 1))) == 16 + 16 + 120
