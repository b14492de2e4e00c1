"""The formula language: propositional and first-order modal formulas as one immutable syntax tree.

Every node is a frozen dataclass. Nodes compare by structure; the hash of a node is computed once
and kept, so formulas are cheap as dictionary keys. What looks at formulas is a *walker*: a
function over `children` (depth, size, symbols, substitution, renaming).

A predicate without arguments is a propositional atom. Terms are variables only: the language has
no individual constants and no function symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


class Formula:
    """A formula. Use the node classes below; there are no others."""

    __match_args__: tuple[str, ...] = ()

    def _cached_hash(self) -> int:
        # The hash of a string differs between processes, so it is never pickled (see __reduce__).
        cached = self.__dict__.get("_hash")
        if cached is None:
            cached = hash((type(self).__name__, *self._fields()))
            object.__setattr__(self, "_hash", cached)
        return int(cached)

    def _fields(self) -> tuple[Any, ...]:
        return tuple(self.__dict__[name] for name in self.__match_args__)

    def __reduce__(self) -> tuple[type[Formula], tuple[Any, ...]]:
        return type(self), self._fields()


@dataclass(frozen=True)
class Top(Formula):
    """⊤, true at every world."""

    __hash__ = Formula._cached_hash


@dataclass(frozen=True)
class Bottom(Formula):
    """⊥, true at no world."""

    __hash__ = Formula._cached_hash


@dataclass(frozen=True)
class Atom(Formula):
    """A predicate applied to variables, `Likes(x,y)`; with no arguments a propositional atom, `p`."""

    predicate: str
    arguments: tuple[str, ...] = ()

    __hash__ = Formula._cached_hash


@dataclass(frozen=True)
class Not(Formula):
    """¬φ."""

    operand: Formula

    __hash__ = Formula._cached_hash


@dataclass(frozen=True)
class And(Formula):
    """φ ∧ ψ."""

    left: Formula
    right: Formula

    __hash__ = Formula._cached_hash


@dataclass(frozen=True)
class Or(Formula):
    """φ ∨ ψ."""

    left: Formula
    right: Formula

    __hash__ = Formula._cached_hash


@dataclass(frozen=True)
class Implies(Formula):
    """φ → ψ, the material conditional."""

    left: Formula
    right: Formula

    __hash__ = Formula._cached_hash


@dataclass(frozen=True)
class Iff(Formula):
    """φ ↔ ψ, the material biconditional."""

    left: Formula
    right: Formula

    __hash__ = Formula._cached_hash


@dataclass(frozen=True)
class Box(Formula):
    """□φ, true at w when φ is true at every world accessible from w."""

    operand: Formula

    __hash__ = Formula._cached_hash


@dataclass(frozen=True)
class Diamond(Formula):
    """◇φ, true at w when φ is true at some world accessible from w."""

    operand: Formula

    __hash__ = Formula._cached_hash


@dataclass(frozen=True)
class Forall(Formula):
    """∀x φ, actualist: at w, x ranges over the individuals that exist at w."""

    variable: str
    body: Formula

    __hash__ = Formula._cached_hash


@dataclass(frozen=True)
class Exists(Formula):
    """∃x φ, actualist: at w, x ranges over the individuals that exist at w."""

    variable: str
    body: Formula

    __hash__ = Formula._cached_hash


BINARY = (And, Or, Implies, Iff)
MODAL = (Box, Diamond)
QUANTIFIERS = (Forall, Exists)


def children(formula: Formula) -> tuple[Formula, ...]:
    """The immediate subformulas, left to right."""
    match formula:
        case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b):
            return (a, b)
        case Not(a) | Box(a) | Diamond(a) | Forall(_, a) | Exists(_, a):
            return (a,)
        case _:
            return ()


def map_children(formula: Formula, function: Callable[[Formula], Formula]) -> Formula:
    """The formula with *function* applied to each immediate subformula."""
    match formula:
        case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b):
            return type(formula)(function(a), function(b))
        case Not(a) | Box(a) | Diamond(a):
            return type(formula)(function(a))
        case Forall(x, a) | Exists(x, a):
            return type(formula)(x, function(a))
        case _:
            return formula


def subformulas(formula: Formula) -> Iterator[Formula]:
    """All occurrences of subformulas, the formula itself last (post-order)."""
    for child in children(formula):
        yield from subformulas(child)
    yield formula


def size(formula: Formula) -> int:
    """The number of nodes: atoms, constants, connectives, operators and quantifiers."""
    return 1 + sum(size(child) for child in children(formula))


def depth(formula: Formula) -> int:
    """The height of the syntax tree; an atom has depth 0."""
    return max((1 + depth(child) for child in children(formula)), default=0)


def modal_depth(formula: Formula) -> int:
    """The deepest nesting of □ and ◇ (Blackburn, de Rijke, Venema 2001, definition 2.28, *degree*)."""
    below = max((modal_depth(child) for child in children(formula)), default=0)
    return below + isinstance(formula, MODAL)


def quantifier_depth(formula: Formula) -> int:
    """The deepest nesting of ∀ and ∃."""
    below = max((quantifier_depth(child) for child in children(formula)), default=0)
    return below + isinstance(formula, QUANTIFIERS)


def predicates(formula: Formula) -> frozenset[tuple[str, int]]:
    """The predicate symbols that occur, each with its arity; a propositional atom has arity 0."""
    return frozenset((s.predicate, len(s.arguments)) for s in subformulas(formula) if isinstance(s, Atom))


def free_variables(formula: Formula) -> frozenset[str]:
    """The variables that occur free."""
    match formula:
        case Atom(_, arguments):
            return frozenset(arguments)
        case Forall(x, body) | Exists(x, body):
            return free_variables(body) - {x}
        case _:
            return frozenset[str]().union(*(free_variables(child) for child in children(formula)))


def variables(formula: Formula) -> frozenset[str]:
    """All variables that occur, free or bound, in an atom or at a quantifier."""
    bound = {s.variable for s in subformulas(formula) if isinstance(s, (Forall, Exists))}
    used = {x for s in subformulas(formula) if isinstance(s, Atom) for x in s.arguments}
    return frozenset(bound | used)


def is_first_order(formula: Formula) -> bool:
    """Whether a quantifier or a predicate with arguments occurs."""
    return any(
        isinstance(s, QUANTIFIERS) or (isinstance(s, Atom) and bool(s.arguments))
        for s in subformulas(formula)
    )


def vacuous_quantifiers(formula: Formula) -> tuple[Formula, ...]:
    """The subformulas ∀x φ and ∃x φ in which x is not free in φ."""
    return tuple(
        s
        for s in subformulas(formula)
        if isinstance(s, (Forall, Exists)) and s.variable not in free_variables(s.body)
    )


def rename_predicates(formula: Formula, names: Mapping[str, str]) -> Formula:
    """The formula with each predicate symbol replaced by its image; symbols without one stay."""
    if isinstance(formula, Atom):
        return Atom(names.get(formula.predicate, formula.predicate), formula.arguments)
    return map_children(formula, lambda child: rename_predicates(child, names))


def rename_free(formula: Formula, names: Mapping[str, str]) -> Formula:
    """The formula with free variables renamed; a quantifier that would capture one is renamed too."""
    match formula:
        case Atom(predicate, arguments):
            return Atom(predicate, tuple(names.get(x, x) for x in arguments))
        case Forall(x, body) | Exists(x, body):
            inner = {old: new for old, new in names.items() if old != x and old in free_variables(body)}
            if x in inner.values():
                fresh = _fresh(x, variables(body) | set(inner.values()))
                return type(formula)(fresh, rename_free(body, {**inner, x: fresh}))
            return type(formula)(x, rename_free(body, inner))
        case _:
            return map_children(formula, lambda child: rename_free(child, names))


def substitute(formula: Formula, definitions: Mapping[str, tuple[tuple[str, ...], Formula]]) -> Formula:
    """Replace predicate symbols by formulas, without capture.

    *definitions* maps a symbol to its parameters and its body: with `{"H": (("x",), F(x) ∧ G(x))}`
    every `H(y)` becomes `F(y) ∧ G(y)`. Raises ValueError if a symbol is applied to another number
    of arguments than it has parameters.
    """
    match formula:
        case Atom(predicate, arguments) if predicate in definitions:
            parameters, body = definitions[predicate]
            if len(parameters) != len(arguments):
                raise ValueError(
                    f"{predicate} takes {len(parameters)} arguments but is applied to {len(arguments)}"
                )
            return rename_free(body, dict(zip(parameters, arguments, strict=True)))
        case Forall(x, body) | Exists(x, body):
            brought_in = frozenset[str]().union(
                *(free_variables(d) - set(ps) for name, (ps, d) in definitions.items() if _occurs(name, body))
            )
            if x in brought_in:
                fresh = _fresh(x, variables(body) | brought_in)
                return type(formula)(fresh, substitute(rename_free(body, {x: fresh}), definitions))
            return type(formula)(x, substitute(body, definitions))
        case _:
            return map_children(formula, lambda child: substitute(child, definitions))


def alpha_normal(formula: Formula) -> Formula:
    """The formula with its bound variables renamed to x1, x2, … in order of nesting.

    Two formulas are equal up to renaming of bound variables exactly when their normal forms are
    equal. Free variables keep their names.
    """
    reserved = free_variables(formula)

    def walk(f: Formula, level: int) -> Formula:
        match f:
            case Forall(x, body) | Exists(x, body):
                name = f"x{level}"
                while name in reserved:
                    name += "_"
                return type(f)(name, walk(rename_free(body, {x: name}), level + 1))
            case _:
                return map_children(f, lambda child: walk(child, level))

    return walk(formula, 1)


def conjunction(formulas: tuple[Formula, ...]) -> Formula:
    """φ1 ∧ φ2 ∧ …, associated to the left; ⊤ for none."""
    if not formulas:
        return Top()
    result = formulas[0]
    for formula in formulas[1:]:
        result = And(result, formula)
    return result


def _occurs(predicate: str, formula: Formula) -> bool:
    return any(name == predicate for name, _ in predicates(formula))


def _fresh(name: str, taken: frozenset[str] | set[str]) -> str:
    number = 1
    while f"{name}{number}" in taken:
        number += 1
    return f"{name}{number}"
