"""The formulas of a problem as a table of nodes in negation normal form, each written once.

A node is a literal, or a junction: *every* or *some* of its parts, of a part at every accessible
world, or of a part for every individual that exists. ∧, □, ∀ are the first kind and ∨, ◇, ∃ the
second; a false ∧ is a true ∨ of false parts and so on, ↔ is a conjunction of two disjunctions. As a
node that occurs twice is written once, nested ↔ cost no more than their number.

Vacuous quantifiers are dropped, which is right because no domain is empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache

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

# How the values for a part's free variables are taken from those of the node, to which a quantifier
# appends the individual: by position; None if they are the same.
Pick = tuple[int, ...] | None


class Over(Enum):
    """What a junction runs over."""

    PARTS = auto()
    WORLDS = auto()
    INDIVIDUALS = auto()


@dataclass(frozen=True)
class Literal:
    """A predicate or its negation; `pick` gives the arguments from the values of the free variables."""

    predicate: str
    positive: bool
    pick: Pick


@dataclass(frozen=True)
class Junction:
    """Every or some of the parts (index of a node, how it gets its values)."""

    every: bool
    over: Over
    parts: tuple[tuple[int, Pick], ...]


Node = Literal | Junction


@lru_cache(maxsize=16)
def nodes_of(
    problem: Problem,
) -> tuple[tuple[Node, ...], tuple[int, ...], tuple[int, ...], int]:
    """The table of nodes, and in it the premises, the global premises and the negated conjecture.

    The last few are kept, for a problem is expanded at several sizes in a row.
    """
    table = _Table()
    premises = tuple(table.index(formula, True) for formula in problem.premises)
    global_premises = tuple(table.index(formula, True) for formula in problem.global_premises)
    negation = table.index(problem.conjecture, False)
    return tuple(table.nodes), premises, global_premises, negation


class _Table:
    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.free: list[tuple[str, ...]] = []
        self.known: dict[tuple[Formula, bool], int] = {}
        self.numbers: dict[tuple[Node, tuple[str, ...]], int] = {}

    def index(self, formula: Formula, positive: bool) -> int:
        """The node of the formula (*positive*) or of its negation."""
        key = (formula, positive)
        if key not in self.known:
            self.known[key] = self._node(formula, positive)
        return self.known[key]

    def _node(self, formula: Formula, positive: bool) -> int:
        match formula:
            case Top():
                return self._junction(positive, Over.PARTS)
            case Bottom():
                return self._junction(not positive, Over.PARTS)
            case Atom(predicate, arguments):
                free = tuple(sorted(set(arguments)))
                return self._number(Literal(predicate, positive, _pick(arguments, free)), free)
            case Not(a):
                return self.index(a, not positive)
            case And(a, b):
                return self._junction(positive, Over.PARTS, self.index(a, positive), self.index(b, positive))
            case Or(a, b):
                return self._junction(
                    not positive, Over.PARTS, self.index(a, positive), self.index(b, positive)
                )
            case Implies(a, b):
                return self._junction(
                    not positive, Over.PARTS, self.index(a, not positive), self.index(b, positive)
                )
            case Iff(a, b):
                return self._junction(
                    True,
                    Over.PARTS,
                    self._junction(False, Over.PARTS, self.index(a, False), self.index(b, positive)),
                    self._junction(False, Over.PARTS, self.index(a, True), self.index(b, not positive)),
                )
            case Box(a):
                return self._junction(positive, Over.WORLDS, self.index(a, positive))
            case Diamond(a):
                return self._junction(not positive, Over.WORLDS, self.index(a, positive))
            case Forall(x, a):
                return self._quantified(positive, x, self.index(a, positive))
            case Exists(x, a):
                return self._quantified(not positive, x, self.index(a, positive))
        raise TypeError(f"not a formula: {formula!r}")

    def _junction(self, every: bool, over: Over, *parts: int) -> int:
        free = tuple(sorted({x for part in parts for x in self.free[part]}))
        picks = tuple((part, _pick(self.free[part], free)) for part in dict.fromkeys(parts))
        return self._number(Junction(every, over, picks), free)

    def _quantified(self, every: bool, x: str, part: int) -> int:
        inner = self.free[part]
        if x not in inner:
            return part
        free = tuple(y for y in inner if y != x)
        return self._number(Junction(every, Over.INDIVIDUALS, ((part, _pick(inner, (*free, x))),)), free)

    def _number(self, node: Node, free: tuple[str, ...]) -> int:
        key = (node, free)
        if key not in self.numbers:
            self.numbers[key] = len(self.nodes)
            self.nodes.append(node)
            self.free.append(free)
        return self.numbers[key]


def _pick(wanted: tuple[str, ...], given: tuple[str, ...]) -> Pick:
    return None if wanted == given else tuple(given.index(x) for x in wanted)
