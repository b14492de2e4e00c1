"""All formulas up to a size, one for each truth column: dynamic programming over columns.

What the operators make of two formulas depends, over all small models, on their columns only. So of
the formulas of a size only those are kept whose column is new, and those of the next sizes are
built from these. Whatever formula one thinks of within the bounds, an equivalent one that is no
larger and nested no deeper is found, as long as no size offers more than `ways` combinations; beyond,
a sample of so many is drawn, which bounds time and memory.

A *scope* of n variables is that of the bodies of n nested quantifiers. Formulas are built for each
scope, those with more variables first.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from modalgen.formula import And, Atom, Box, Diamond, Exists, Forall, Formula, Iff, Implies, Not, Or
from modalgen.gen.columns import Columns

VARIABLES = ("x", "y", "z", "u", "v", "w")

CONNECTIVES: dict[str, type[And] | type[Or] | type[Implies] | type[Iff]] = {
    "and": And,
    "or": Or,
    "implies": Implies,
    "iff": Iff,
}

MODAL = ("box", "diamond")

# What one size of formulas in one scope may take: combinations that are tried, and bits of columns.
MAX_WAYS = 60_000
MAX_BITS = 1 << 28


@dataclass(frozen=True, slots=True)
class Classed:
    """A formula that stands for all that have its column, and how deep it nests □, ◇ and quantifiers."""

    formula: Formula
    column: int
    modal_depth: int
    quantifier_depth: int


@dataclass(frozen=True)
class Bounds:
    """The operators to use (not, and, or, implies, iff, box, diamond, forall, exists), and the most
    that a formula may have: nodes, nesting of □ and ◇, nesting of quantifiers."""

    operators: tuple[str, ...]
    size: int
    modal_depth: int
    quantifier_depth: int


class Enumeration:
    """The closed formulas over a vocabulary within bounds, size by size."""

    def __init__(
        self, vocabulary: Sequence[tuple[str, int]], columns: Columns, bounds: Bounds, seed: str
    ) -> None:
        self.vocabulary = tuple(vocabulary)
        self.columns = columns
        self.bounds = bounds
        self._seed = seed
        self._levels: dict[tuple[int, int], list[Classed]] = {}
        self._known: list[dict[int, list[tuple[int, int]]]] = [{} for _ in range(bounds.quantifier_depth + 1)]

    def of_size(self, size: int) -> list[Classed]:
        """The closed formulas of this size that stand for columns which no smaller formula has."""
        return self._level(size, 0)

    def _level(self, size: int, scope: int) -> list[Classed]:
        if not 1 <= size <= self.bounds.size - scope or scope > self.bounds.quantifier_depth:
            return []
        key = (size, scope)
        if key not in self._levels:
            for smaller in range(1, size):
                self._level(smaller, scope)
            self._levels[key] = list(self._new(size, scope))
        return self._levels[key]

    def _new(self, size: int, scope: int) -> Iterator[Classed]:
        known, bounds, top = self._known[scope], self.bounds, self.columns.top(scope)
        for made in self._made(size, scope):
            if made.modal_depth > bounds.modal_depth or made.quantifier_depth > bounds.quantifier_depth - scope:
                continue
            if made.column in (0, top):
                continue
            depths = known.setdefault(made.column, [])
            if any(m <= made.modal_depth and q <= made.quantifier_depth for m, q in depths):
                continue
            depths.append((made.modal_depth, made.quantifier_depth))
            yield made

    def _made(self, size: int, scope: int) -> Iterator[Classed]:
        """What the operators make of smaller formulas: all of it or a sample."""
        if size == 1:
            yield from self._atoms(scope)
            return
        ways = list(self._ways(size, scope))
        total = sum(len(left) * len(right) for _, left, right in ways)
        most = min(MAX_WAYS, MAX_BITS // self.columns.top(scope).bit_length())
        chosen: Sequence[int] = range(total)
        if total > most:
            chosen = sorted(random.Random(f"{self._seed}/{size}/{scope}").sample(range(total), most))
        numbers, first = iter(chosen), 0
        number = next(numbers, total)
        for operator, left, right in ways:
            end = first + len(left) * len(right)
            while number < end:
                i, j = divmod(number - first, len(right))
                # A commutative connective on two formulas of one size: one order is enough.
                if operator == "implies" or left is not right or i < j:
                    yield self._applied(operator, left[i], right[j], scope)
                number = next(numbers, total)
            first = end

    def _atoms(self, scope: int) -> Iterator[Classed]:
        for number, (name, arity) in enumerate(self.vocabulary):
            for places in product(range(scope), repeat=arity):
                atom = Atom(name, tuple(VARIABLES[place] for place in places))
                yield Classed(atom, self.columns.atom(number, places, scope), 0, 0)

    def _ways(self, size: int, scope: int) -> Iterator[tuple[str, list[Classed], list[Classed]]]:
        """The operators with their left and right operands; a unary operator has its operand twice."""
        operand = self._level(size - 1, scope)
        shallow = [classed for classed in operand if classed.modal_depth < self.bounds.modal_depth]
        bodies = self._level(size - 1, scope + 1)
        for operator in self.bounds.operators:
            if operator in CONNECTIVES:
                for left_size in range(1, size - 1):
                    right_size = size - 1 - left_size
                    # A commutative connective: the smaller operand on the left is enough.
                    if operator == "implies" or left_size <= right_size:
                        yield operator, self._level(left_size, scope), self._level(right_size, scope)
            else:
                unary = operand if operator == "not" else shallow if operator in MODAL else bodies
                yield operator, unary, unary[:1]

    def _applied(self, operator: str, left: Classed, right: Classed, scope: int) -> Classed:
        """The formula that the operator makes; a unary one takes the left operand."""
        columns, a = self.columns, left.column
        modal, quantified = left.modal_depth, left.quantifier_depth
        match operator:
            case "not":
                return Classed(Not(left.formula), columns.negation(a, scope), modal, quantified)
            case "box":
                return Classed(Box(left.formula), columns.box(a, scope), modal + 1, quantified)
            case "diamond":
                return Classed(Diamond(left.formula), columns.diamond(a, scope), modal + 1, quantified)
            case "forall":
                formula: Formula = Forall(VARIABLES[scope], left.formula)
                return Classed(formula, columns.forall(a, scope), modal, quantified + 1)
            case "exists":
                formula = Exists(VARIABLES[scope], left.formula)
                return Classed(formula, columns.exists(a, scope), modal, quantified + 1)
        kind = CONNECTIVES[operator]
        return Classed(
            kind(left.formula, right.formula),
            columns.connective(kind, a, right.column, scope),
            max(modal, right.modal_depth),
            max(quantified, right.quantifier_depth),
        )
