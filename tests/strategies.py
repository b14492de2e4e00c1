"""Hypothesis strategies for formulas, semantics, problems and models, shared by the tests."""

from __future__ import annotations

from hypothesis import strategies as st

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
from modalgen.problem import Problem
from modalgen.semantics import CONDITIONS, DOMAINS, SYSTEMS, Semantics, semantics

ATOMS = ("p", "q", "r")
PREDICATES = (("F", 1), ("G", 1), ("Likes", 2))
VARIABLES = ("x", "y", "z")


def propositional(max_leaves: int = 8) -> st.SearchStrategy[Formula]:
    """Propositional modal formulas over p, q, r."""
    leaves = st.one_of(st.sampled_from(ATOMS).map(Atom), st.sampled_from((Top(), Bottom())))
    return st.recursive(
        leaves,
        lambda sub: st.one_of(
            st.builds(Not, sub),
            st.builds(Box, sub),
            st.builds(Diamond, sub),
            st.builds(And, sub, sub),
            st.builds(Or, sub, sub),
            st.builds(Implies, sub, sub),
            st.builds(Iff, sub, sub),
        ),
        max_leaves=max_leaves,
    )


@st.composite
def first_order(
    draw: st.DrawFn,
    height: int = 4,
    scope: tuple[str, ...] = (),
    symbols: tuple[tuple[str, int], ...] = PREDICATES,
    names: tuple[str, ...] = VARIABLES,
) -> Formula:
    """Closed first-order modal formulas (open in *scope*), vacuous and shadowing quantifiers included."""
    kinds = ["constant"] if not scope else ["atom", "atom", "atom"]
    if height > 0:
        kinds += ["not", "box", "diamond", "and", "or", "implies", "iff", "forall", "exists"]
        if not scope:
            kinds += ["forall", "exists"] * 3
    kind = draw(st.sampled_from(kinds))

    def sub(variables: tuple[str, ...] = scope) -> Formula:
        return draw(first_order(height=height - 1, scope=variables, symbols=symbols, names=names))

    match kind:
        case "constant":
            return draw(st.sampled_from((Top(), Bottom())))
        case "atom":
            name, arity = draw(st.sampled_from(symbols))
            return Atom(name, tuple(draw(st.sampled_from(scope)) for _ in range(arity)))
        case "not":
            return Not(sub())
        case "box":
            return Box(sub())
        case "diamond":
            return Diamond(sub())
        case "forall" | "exists":
            x = draw(st.sampled_from(names))
            quantifier = Forall if kind == "forall" else Exists
            return quantifier(x, sub(tuple(sorted({*scope, x}))))
    binary = {"and": And, "or": Or, "implies": Implies, "iff": Iff}[kind]
    return binary(sub(), sub())


def formulas() -> st.SearchStrategy[Formula]:
    """Propositional and closed first-order formulas."""
    return st.one_of(propositional(), first_order())


def frames() -> st.SearchStrategy[tuple[str, ...]]:
    """Sets of frame conditions: the fifteen systems, and any others, sorted."""
    systems = st.sampled_from(sorted(SYSTEMS)).map(lambda name: tuple(sorted(SYSTEMS[name])))
    return st.one_of(systems, st.sets(st.sampled_from(sorted(CONDITIONS)), max_size=3).map(sorted).map(tuple))


def propositional_semantics() -> st.SearchStrategy[Semantics]:
    """Frame conditions, no domains."""
    return frames().map(semantics)


def first_order_semantics() -> st.SearchStrategy[Semantics]:
    """Frame conditions and a domain regime."""
    return st.builds(semantics, frames(), st.sampled_from(sorted(DOMAINS)))


def propositional_problems(max_leaves: int = 6) -> st.SearchStrategy[Problem]:
    """Propositional problems with up to two local premises."""
    formula = propositional(max_leaves)
    return st.builds(Problem, propositional_semantics(), st.lists(formula, max_size=2).map(tuple), formula)


def first_order_problems(
    height: int = 3, symbols: tuple[tuple[str, int], ...] = PREDICATES
) -> st.SearchStrategy[Problem]:
    """First-order problems with up to one local premise."""
    formula = first_order(height=height, symbols=symbols)
    return st.builds(Problem, first_order_semantics(), st.lists(formula, max_size=1).map(tuple), formula)


def mixed_problems() -> st.SearchStrategy[Problem]:
    """Problems of both kinds, some with global premises or a global conjecture (as in TPTP files)."""

    def scoped(problem: Problem, as_global: bool, everywhere: bool) -> Problem:
        return Problem(
            problem.semantics,
            () if as_global else problem.premises,
            problem.conjecture,
            problem.premises if as_global else (),
            everywhere,
        )

    return st.builds(
        scoped,
        st.one_of(propositional_problems(), first_order_problems()),
        st.booleans(),
        st.booleans(),
    )
