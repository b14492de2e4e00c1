"""The syntax tree and its walkers."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import first_order, formulas, propositional

from modalgen.formula import (
    And,
    Atom,
    Box,
    Diamond,
    Exists,
    Forall,
    Formula,
    Implies,
    Not,
    alpha_normal,
    children,
    depth,
    free_variables,
    is_first_order,
    map_children,
    modal_depth,
    predicates,
    quantifier_depth,
    rename_free,
    size,
    subformulas,
    substitute,
    vacuous_quantifiers,
    variables,
)

p, q = Atom("p"), Atom("q")
Fx, Fy = Atom("F", ("x",)), Atom("F", ("y",))
Lxy = Atom("Likes", ("x", "y"))


def test_measures_of_a_literal_formula() -> None:
    """Depths, size and symbols are those one counts by hand."""
    formula = Implies(Box(And(p, Diamond(q))), Not(p))
    assert (size(formula), depth(formula), modal_depth(formula)) == (8, 4, 2)
    assert predicates(formula) == {("p", 0), ("q", 0)}
    assert quantifier_depth(Forall("x", Box(Exists("y", Lxy)))) == 2


def test_free_variables_and_vacuous_quantifiers() -> None:
    """A quantifier binds in its body only, and one that binds nothing is found."""
    assert free_variables(And(Forall("x", Lxy), Fx)) == {"x", "y"}
    assert vacuous_quantifiers(Forall("x", Exists("y", Fx))) == (Exists("y", Fx),)
    assert vacuous_quantifiers(Forall("x", Forall("x", Fx))) == (Forall("x", Forall("x", Fx)),)


def test_renaming_does_not_capture() -> None:
    """Renaming y to x below ∀x renames the bound variable first."""
    renamed = rename_free(Forall("x", Lxy), {"y": "x"})
    assert isinstance(renamed, Forall)
    assert free_variables(renamed) == {"x"}
    assert renamed == Forall("x1", Atom("Likes", ("x1", "x")))


def test_substitution_does_not_capture() -> None:
    """A formula put for an atom under ∀x keeps its own free x free."""
    result = substitute(Forall("x", And(Fx, p)), {"p": ((), Fx)})
    assert result == Forall("x1", And(Atom("F", ("x1",)), Fx))


def test_substitution_instantiates_parameters() -> None:
    """A hole with a parameter is filled with its content at the hole's argument."""
    template = Implies(Forall("x", Box(Atom("{phi}", ("x",)))), Box(Forall("y", Atom("{phi}", ("y",)))))
    filled = substitute(template, {"{phi}": (("z",), Not(Atom("F", ("z",))))})
    assert filled == Implies(Forall("x", Box(Not(Fx))), Box(Forall("y", Not(Fy))))


def test_substitution_refuses_a_wrong_number_of_arguments() -> None:
    """A hole applied to another number of arguments than its content takes is an error."""
    with pytest.raises(ValueError, match="takes 1 arguments but is applied to 0"):
        substitute(Atom("{phi}"), {"{phi}": (("z",), Fx)})


@given(formulas())
def test_mapping_the_identity_changes_nothing(formula: Formula) -> None:
    """`map_children` rebuilds a node from its children."""
    assert map_children(formula, lambda child: child) == formula


@given(formulas(), formulas())
def test_equality_is_structural(first: Formula, second: Formula) -> None:
    """Equal formulas have equal hashes, and a copy through pickle is equal."""
    assert (first == second) == (repr(first) == repr(second))
    copy = pickle.loads(pickle.dumps(first))
    assert copy == first and hash(copy) == hash(first)


def test_hashes_do_not_travel_between_processes() -> None:
    """A pickled formula is found in a set by a process with another hash seed."""
    formula = Implies(Box(p), Diamond(p))
    hash(formula)
    code = (
        "import pickle, sys; from modalgen.formula import *; "
        "f = pickle.loads(sys.stdin.buffer.read()); "
        "sys.exit(0 if f in {Implies(Box(Atom('p')), Diamond(Atom('p')))} else 1)"
    )
    for seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", code],
            input=pickle.dumps(formula),
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=False,
        )
        assert run.returncode == 0


@given(propositional())
def test_propositional_formulas_are_not_first_order(formula: Formula) -> None:
    """Only quantifiers and predicates with arguments make a formula first-order."""
    assert not is_first_order(formula)


@given(first_order(height=4))
@settings(deadline=None)
def test_walkers_agree_with_the_list_of_subformulas(formula: Formula) -> None:
    """Size counts subformula occurrences; the generated formulas are closed."""
    assert size(formula) == sum(1 for _ in subformulas(formula))
    assert not free_variables(formula)
    assert all(depth(c) < depth(formula) for c in children(formula))


@given(first_order(height=4), st.permutations(["x", "y", "z"]))
@settings(deadline=None)
def test_alpha_normal_form_forgets_bound_names(formula: Formula, names: list[str]) -> None:
    """Formulas that differ in the names of bound variables have one normal form."""

    def renamed(f: Formula, fresh: dict[str, str]) -> Formula:
        if isinstance(f, (Forall, Exists)):
            return type(f)(fresh[f.variable], renamed(f.body, fresh))
        if isinstance(f, Atom):
            return Atom(f.predicate, tuple(fresh[x] for x in f.arguments))
        return map_children(f, lambda c: renamed(c, fresh))

    other = renamed(formula, dict(zip(["x", "y", "z"], names, strict=True)))
    assert alpha_normal(other) == alpha_normal(formula)
    normal = alpha_normal(formula)
    assert alpha_normal(normal) == normal
    assert len(variables(normal)) <= quantifier_depth(normal)
