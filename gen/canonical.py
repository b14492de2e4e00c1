"""When two problems are the same: a normal form of formulas and a canonical key of problems.

A formula is read as a boolean function of *units*: atoms, □φ (◇φ is ¬□¬φ) and ∃x φ (∀x φ is
¬∃x ¬φ), whose bodies are brought into normal form first. A boolean function is a polynomial over
the field of two elements in exactly one way (Zhegalkin 1927; algebraic normal form, Knuth, *The Art
of Computer Programming*, volume 4A, section 7.1.1), so the set of its monomials, each a set of
units, is a normal form: formulas that are propositionally equivalent at every level get the same
one, and units on which the function does not depend disappear. Bound variables are de Bruijn
indices. Everything is a set, so order and repetition never matter.

The normal form of a formula is equivalent to it in every normal modal logic, whatever the domains,
as long as these are not empty.

The canonical key writes out the normal forms under the renaming of symbols that gives the least
text. Symbols are told apart by how they occur as far as possible; only those that tie are permuted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, groupby, permutations, product
from math import factorial, prod
from typing import TypeAlias

from sympy.logic.boolalg import anf_coeffs

from modalgen.formula import (
    BINARY,
    MODAL,
    QUANTIFIERS,
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
    children,
    free_variables,
    map_children,
)
from modalgen.gen.truthtable import CONNECTIVES, top_table, variable_tables

# A boolean function of n units has a truth table with 2^n rows. A level with more units keeps its
# conjunctions as they stand (see _wide_normal_form).
MAX_UNITS = 10

# How many renamings of symbols that tie are compared (6! = 720). Beyond, they are taken in the order
# of their names: then two copies of one problem may get two keys, never two problems one key.
MAX_RENAMINGS = 720

# How many placeholders of a family may be negated for the least text.
_MAX_FLIPPED = 4


@dataclass(frozen=True)
class Operator:
    """The unit □[φ], ∃[φ], or ∧[φ, ψ, …] where a level has more than MAX_UNITS units."""

    symbol: str
    bodies: frozenset[Polynomial]


# A bound variable is the argument "0" for the innermost quantifier around it, "1" for the next, …
Unit: TypeAlias = Atom | Operator
Monomial: TypeAlias = frozenset[Unit]
Polynomial: TypeAlias = "frozenset[Monomial]"

Symbol: TypeAlias = tuple[str, int]
Names: TypeAlias = Mapping[Symbol, str]

ZERO: Polynomial = frozenset()
ONE: Polynomial = frozenset({frozenset[Unit]()})


@lru_cache(maxsize=1 << 16)
def normal_form(formula: Formula, scope: tuple[str, ...] = ()) -> Polynomial:
    """The polynomial of a formula in which the variables of *scope*, the innermost first, are bound.

    ONE is the normal form of tautologies, ZERO that of contradictions. Equal normal forms mean
    equivalent formulas. Formulas that are propositionally equivalent at every level have equal
    ones, as long as no level has more than MAX_UNITS units; beyond, order and grouping in chains of
    ∧ and ∨, ¬¬, De Morgan's laws and the duality of operators still make no difference.
    """
    match formula:
        case Top():
            return ONE
        case Bottom():
            return ZERO
        case Atom(predicate, arguments):
            indices = tuple(str(scope.index(x)) if x in scope else x for x in arguments)
            return _single(Atom(predicate, indices))
        case Box(a):
            return _box(normal_form(a, scope))
        case Diamond(a):
            return ONE ^ _box(ONE ^ normal_form(a, scope))
        case Exists(x, a):
            return _exists(normal_form(a, (x, *scope)))
        case Forall(x, a):
            return ONE ^ _exists(ONE ^ normal_form(a, (x, *scope)))
    leaves = {leaf: normal_form(leaf, scope) for leaf in _leaves(formula)}
    units = tuple(dict.fromkeys(u for leaf in leaves.values() for monomial in leaf for u in monomial))
    if len(units) > MAX_UNITS:
        return _wide_normal_form(formula, scope)
    top = top_table(len(units))
    tables = {_single(u): table for u, table in zip(units, variable_tables(len(units)), strict=True)}
    tables |= {ONE ^ unit: top ^ table for unit, table in tables.items()} | {ZERO: 0, ONE: top}
    table = _table(formula, {leaf: tables[normal] for leaf, normal in leaves.items()}, top)
    return frozenset(
        frozenset(unit for place, unit in enumerate(units) if mask >> place & 1)
        for mask in _monomials(len(units), table)
    )


def _single(unit: Unit) -> Polynomial:
    return frozenset({frozenset({unit})})


def _box(body: Polynomial) -> Polynomial:
    return ONE if body == ONE else _single(Operator("□", frozenset({body})))


def _exists(body: Polynomial) -> Polynomial:
    # Domains are not empty: ∃x ⊤ is ⊤.
    return body if body in (ZERO, ONE) else _single(Operator("∃", frozenset({body})))


def _leaves(formula: Formula) -> Iterator[Formula]:
    """The maximal subformulas that are no boolean combinations; each is a unit, its negation, ⊤ or ⊥."""
    if isinstance(formula, (Not, *BINARY)):
        for child in children(formula):
            yield from _leaves(child)
    else:
        yield formula


def _table(formula: Formula, leaves: Mapping[Formula, int], top: int) -> int:
    """The truth table of a formula from those of its leaves."""
    match formula:
        case Not(a):
            return top ^ _table(a, leaves, top)
        case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b):
            operation = CONNECTIVES[type(formula)]
            return operation(_table(a, leaves, top), _table(b, leaves, top), top)
        case _:
            return leaves[formula]


@lru_cache(maxsize=1 << 12)
def _monomials(variables: int, table: int) -> tuple[int, ...]:
    """The monomials of the polynomial with this truth table, each as the bit mask of its variables."""
    coefficients = anf_coeffs([table >> row & 1 for row in range(1 << variables)])
    return tuple(mask for mask, coefficient in enumerate(coefficients) if coefficient)


def _wide_normal_form(formula: Formula, scope: tuple[str, ...]) -> Polynomial:
    """The polynomial of a boolean combination of many units, its maximal conjunctions made units."""
    match formula:
        case Not(a):
            return ONE ^ normal_form(a, scope)
        case Iff(a, b):
            return ONE ^ normal_form(a, scope) ^ normal_form(b, scope)
        case And():
            return _conjunction(frozenset(_conjuncts(formula, scope, True)))
        case _:
            return ONE ^ _conjunction(frozenset(_conjuncts(formula, scope, False)))


def _conjunction(bodies: frozenset[Polynomial]) -> Polynomial:
    bodies -= {ONE}
    if ZERO in bodies:
        return ZERO
    if len(bodies) <= 1:
        return next(iter(bodies), ONE)
    return _single(Operator("∧", bodies))


def _conjuncts(formula: Formula, scope: tuple[str, ...], sign: bool) -> Iterator[Polynomial]:
    """The conjuncts of the formula, or of its negation if the sign is False."""
    match formula, sign:
        case Not(a), _:
            yield from _conjuncts(a, scope, not sign)
        case (And(a, b), True) | (Or(a, b), False):
            yield from _conjuncts(a, scope, sign)
            yield from _conjuncts(b, scope, sign)
        case Implies(a, b), False:
            yield from _conjuncts(a, scope, True)
            yield from _conjuncts(b, scope, False)
        case _:
            yield normal_form(formula, scope) if sign else ONE ^ normal_form(formula, scope)


def canonical_key(premises: tuple[Formula, ...], conjecture: Formula) -> str:
    """A text that is equal for problems that are the same.

    Equal keys mean: after one renaming of symbols the conjectures are equivalent, and so are the
    premises, each to one of the other problem. Problems get equal keys if they differ in names of
    symbols (of one arity) and of bound variables, in order or repetition of premises, or by
    equivalences that `normal_form` covers, within MAX_UNITS and MAX_RENAMINGS.
    """
    hypotheses = frozenset(normal_form(premise) for premise in premises)
    goal = normal_form(conjecture)

    def text(names: Names) -> str:
        return f"{', '.join(sorted(_text(h, names) for h in hypotheses))} ⊢ {_text(goal, names)}"

    symbols = symbols_of(goal).union(*(symbols_of(h) for h in hypotheses))
    return min(text(names) for names in _renamings(symbols, text))


def symbols_of(normal: Polynomial) -> frozenset[Symbol]:
    """The symbols that are left in a normal form, with their arities."""
    found: set[Symbol] = set()
    for unit in frozenset[Unit]().union(*normal):
        if isinstance(unit, Atom):
            found.add((unit.predicate, len(unit.arguments)))
        else:
            found.update(*(symbols_of(body) for body in unit.bodies))
    return frozenset(found)


def _text(normal: Polynomial, names: Names) -> str:
    """The polynomial in one line, with its symbols renamed: monomials and units in order of text."""
    monomials = ("·".join(sorted(_unit_text(unit, names) for unit in m)) or "1" for m in normal)
    return " + ".join(sorted(monomials)) or "0"


def _unit_text(unit: Unit, names: Names) -> str:
    if isinstance(unit, Operator):
        return f"{unit.symbol}[{', '.join(sorted(_text(body, names) for body in unit.bodies))}]"
    name = names[unit.predicate, len(unit.arguments)]
    return f"{name}({','.join(unit.arguments)})" if unit.arguments else name


def _renamings(symbols: frozenset[Symbol], text: Callable[[Names], str]) -> Iterator[dict[Symbol, str]]:
    """The renamings to compare: symbols in order of their colours, those of one colour in any order."""
    colours = _colours(symbols, text)
    in_order = sorted(symbols, key=lambda symbol: (colours[symbol], symbol))
    ties = [tuple(tie) for _, tie in groupby(in_order, key=colours.__getitem__)]
    few = prod(factorial(len(tie)) for tie in ties) <= MAX_RENAMINGS
    for orders in product(*(permutations(tie) if few else (tie,) for tie in ties)):
        yield {symbol: f"{'P' if symbol[1] else 'p'}{number}" for number, symbol in enumerate(chain(*orders))}


def _colours(symbols: frozenset[Symbol], text: Callable[[Names], str]) -> dict[Symbol, int]:
    """Numbers for the symbols that do not depend on their names.

    Colour refinement (Weisfeiler and Leman 1968): the colour of a symbol is its arity first, and then,
    until that tells no more symbols apart, the rank of the text in which the symbol itself is marked
    and every other one is replaced by its colour.
    """
    colours = {symbol: symbol[1] for symbol in symbols}
    while True:
        seen = {
            symbol: (
                colour,
                text({other: "*" if other == symbol else f".{colours[other]}" for other in symbols}),
            )
            for symbol, colour in colours.items()
        }
        ranks = {view: rank for rank, view in enumerate(sorted(set(seen.values())))}
        told_apart = len(set(colours.values()))
        colours = {symbol: ranks[view] for symbol, view in seen.items()}
        if len(ranks) in (told_apart, len(symbols)):
            return colours


def family(premises: tuple[Formula, ...], conjecture: Formula) -> str:
    """The modal schema of a problem, as the canonical key of the problem without its contents.

    Each maximal subformula without □, ◇, ∀ and ∃ becomes a placeholder, applied to the bound variables
    that occur in it. Equivalent contents become the same placeholder; contents of which one is
    equivalent to the negation of the other become a placeholder and its negation. Which of the
    two is the negated one is chosen for the least text (up to _MAX_FLIPPED placeholders).
    """
    placeholders: dict[Polynomial, str] = {}
    schema = tuple(_abstracted(f, (), placeholders) for f in (*premises, conjecture))
    names = tuple(placeholders.values())
    flips = product((False, True), repeat=len(names)) if len(names) <= _MAX_FLIPPED else [()]
    keys = []
    for flip in flips:
        negated = frozenset(name for name, flipped in zip(names, flip, strict=False) if flipped)
        *hypotheses, goal = (_negate_atoms(f, negated) for f in schema)
        keys.append(canonical_key(tuple(hypotheses), goal))
    return min(keys)


def _abstracted(formula: Formula, scope: tuple[str, ...], placeholders: dict[Polynomial, str]) -> Formula:
    """The formula with placeholders for its contents; new ones are added to *placeholders*."""
    if not any(isinstance(leaf, (*MODAL, *QUANTIFIERS)) for leaf in _leaves(formula)):
        free = free_variables(formula)
        # The innermost quantifier's variable first: the order does not depend on names.
        arguments = tuple(x for x in dict.fromkeys(scope) if x in free)
        normal = normal_form(formula, arguments)
        if normal in (ZERO, ONE):
            return Top() if normal == ONE else Bottom()
        # Of a content and its negation, one is false when all its atoms are: the one without the 1.
        negative = not ONE.isdisjoint(normal)
        name = placeholders.setdefault(normal ^ ONE if negative else normal, f"A{len(placeholders)}")
        return Not(Atom(name, arguments)) if negative else Atom(name, arguments)
    inner = (formula.variable, *scope) if isinstance(formula, (Forall, Exists)) else scope
    return map_children(formula, lambda child: _abstracted(child, inner, placeholders))


def _negate_atoms(formula: Formula, names: frozenset[str]) -> Formula:
    if isinstance(formula, Atom):
        return Not(formula) if formula.predicate in names else formula
    return map_children(formula, lambda child: _negate_atoms(child, names))
