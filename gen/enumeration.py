"""All formulas up to a size, one for each truth column: dynamic programming over columns.

What an operator makes of formulas depends, over all small models, on their columns only. So of the
formulas of a size only those are kept whose column is new, and larger ones are built from these.
Each formula within the bounds that has no subformula valid or contradictory over the small models
has an equivalent one among those kept that is no larger and nested no deeper, unless a size
offers more than a set number of combinations: then so many of them are drawn at random, which
bounds time and memory.

A *scope* of n variables is where the bodies of n nested quantifiers are built. Bound variables are
named by how deep they are nested.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from modalgen.formula import And, Atom, Box, Diamond, Exists, Forall, Formula, Iff, Implies, Not, Or
from modalgen.gen.columns import Columns
from modalgen.gen.drawing import drawn

VARIABLES = ("x", "y", "z", "u", "v", "w")

CONNECTIVES: dict[str, type[And] | type[Or] | type[Implies] | type[Iff]] = {
    "and": And,
    "or": Or,
    "implies": Implies,
    "iff": Iff,
}

MODAL = ("box", "diamond")
QUANTIFIERS = ("forall", "exists")

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
    that a formula may have: nodes, nesting of □ and ◇, nesting of quantifiers (as many as VARIABLES)."""

    operators: tuple[str, ...]
    size: int
    modal_depth: int
    quantifier_depth: int


class Enumeration:
    """The closed formulas over a vocabulary within bounds, size by size.

    The columns are those over the vocabulary's arities. The seed matters to sizes of which a sample is
    drawn.
    """

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
        """The closed formulas of this size, each with a column that no smaller one nested as little has."""
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
            if (
                made.modal_depth > bounds.modal_depth
                or made.quantifier_depth > bounds.quantifier_depth - scope
            ):
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
        most = min(MAX_WAYS, MAX_BITS // self.columns.top(scope).bit_length())
        lengths = [tuple(map(len, operands)) for _, operands in ways]
        for which, places in drawn(lengths, most, f"{self._seed}/{size}/{scope}"):
            operator, operands = ways[which]
            # A commutative connective on two formulas of one size: one order is enough.
            if operator == "implies" or operands[0] is not operands[-1] or places[0] <= places[-1]:
                yield self._applied(
                    operator, [of[place] for of, place in zip(operands, places, strict=True)], scope
                )

    def _atoms(self, scope: int) -> Iterator[Classed]:
        for number, (name, arity) in enumerate(self.vocabulary):
            for places in product(range(scope), repeat=arity):
                atom = Atom(name, tuple(VARIABLES[place] for place in places))
                yield Classed(atom, self.columns.atom(number, places, scope), 0, 0)

    def _ways(self, size: int, scope: int) -> Iterator[tuple[str, tuple[list[Classed], ...]]]:
        """The operators, each with the formulas that its operands can be."""
        operand = self._level(size - 1, scope)
        shallow = [classed for classed in operand if classed.modal_depth < self.bounds.modal_depth]
        for operator in self.bounds.operators:
            if operator == "not":
                yield operator, (operand,)
            elif operator in MODAL:
                yield operator, (shallow,)
            elif operator in QUANTIFIERS:
                yield operator, (self._level(size - 1, scope + 1),)
            else:
                for left in range(1, size - 1):
                    right = size - 1 - left
                    # A commutative connective: the smaller operand on the left is enough.
                    if operator == "implies" or left <= right:
                        yield operator, (self._level(left, scope), self._level(right, scope))

    def _applied(self, operator: str, operands: list[Classed], scope: int) -> Classed:
        """The formula that an operator makes."""
        first, last = operands[0], operands[-1]
        columns, a = self.columns, first.column
        modal = max(first.modal_depth, last.modal_depth) + (operator in MODAL)
        quantified = max(first.quantifier_depth, last.quantifier_depth) + (operator in QUANTIFIERS)
        formula: Formula
        match operator:
            case "not":
                formula, column = Not(first.formula), columns.negation(a, scope)
            case "box":
                formula, column = Box(first.formula), columns.box(a, scope)
            case "diamond":
                formula, column = Diamond(first.formula), columns.diamond(a, scope)
            case "forall":
                formula, column = Forall(VARIABLES[scope], first.formula), columns.forall(a, scope)
            case "exists":
                formula, column = Exists(VARIABLES[scope], first.formula), columns.exists(a, scope)
            case _:
                kind = CONNECTIVES[operator]
                formula = kind(first.formula, last.formula)
                column = columns.connective(kind, a, last.column, scope)
        return Classed(formula, column, modal, quantified)
