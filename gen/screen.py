"""The small-model screen: does a problem have a countermodel with at most three worlds?

One evaluation over all small models (`modalgen.gen.columns`) answers that for every semantics at
once, since a semantics is a mask over the models. That there is a countermodel is certain. That
there is none is a hint: of 159 countermodels that a bounded search found, one needed four worlds.
The oracle decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from modalgen.formula import (
    BINARY,
    Atom,
    Bottom,
    Box,
    Diamond,
    Exists,
    Forall,
    Formula,
    Not,
    Top,
)
from modalgen.gen.columns import Columns
from modalgen.gen.pointed_models import to_kripke
from modalgen.gen.small_frames import skeletons
from modalgen.gen.pointed_models import ground_facts
from modalgen.kripke import KripkeModel
from modalgen.semantics import Semantics

# The sizes of models (worlds, individuals), the best first: the first one is taken that does not
# make more than MAX_MODELS, counted before contraction. Two worlds and two individuals refute nearly
# all that small quantified models refute (42 of 44).
SIZES = {"frame": ((3, 0), (2, 0), (1, 0)), "domain": ((2, 2),)}
MAX_MODELS = 60_000

# Columns that a screen remembers; beyond, all are forgotten.
_REMEMBERED = 20_000


class ScreenTooLarge(ValueError):
    """There are too many small models over this vocabulary."""


class Screen:
    """The columns of formulas over a vocabulary, under classes of models."""

    def __init__(self, vocabulary: Sequence[tuple[str, int]], columns: Columns) -> None:
        self.vocabulary = tuple(vocabulary)
        self.columns = columns
        self._numbers = {symbol: number for number, symbol in enumerate(self.vocabulary)}
        self._known: dict[tuple[Formula, tuple[str, ...]], int] = {}

    def column(self, formula: Formula, scope: tuple[str, ...] = ()) -> int:
        """The column of a formula whose free variables are in *scope*, the innermost last.

        Raises KeyError for a symbol that is not in the vocabulary, ValueError for a free variable.
        """
        key = (formula, scope)
        if key not in self._known:
            column = self._column(formula, scope)
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[key] = column
        return self._known[key]

    def _column(self, formula: Formula, scope: tuple[str, ...]) -> int:
        columns, depth = self.columns, len(scope)
        match formula:
            case Top():
                return columns.top(depth)
            case Bottom():
                return 0
            case Atom(predicate, arguments):
                # The innermost variable of a name hides the others.
                places = tuple(depth - 1 - scope[::-1].index(x) for x in arguments)
                return columns.atom(self._numbers[predicate, len(arguments)], places, depth)
            case Not(a):
                return columns.negation(self.column(a, scope), depth)
            case Box(a):
                return columns.box(self.column(a, scope), depth)
            case Diamond(a):
                return columns.diamond(self.column(a, scope), depth)
            case Forall(x, a):
                return columns.forall(self.column(a, (*scope, x)), depth)
            case Exists(x, a):
                return columns.exists(self.column(a, (*scope, x)), depth)
            case _ if isinstance(formula, BINARY):
                left, right = self.column(formula.left, scope), self.column(formula.right, scope)
                return columns.connective(type(formula), left, right, depth)
        raise TypeError(f"not a formula: {formula!r}")

    def at_points(self, formula: Formula) -> int:
        """The models at whose point a closed formula is true, one bit for each model."""
        return self.columns.at_points(self.column(formula))

    def countermodels(self, premises: Sequence[Formula], conjecture: Formula) -> int:
        """The models, of any class, at whose point the premises are true and the conjecture is false."""
        found = self.columns.at_points(self.columns.negation(self.column(conjecture)))
        for premise in premises:
            found &= self.column(premise)
        return found

    def least(self, countermodels: int) -> KripkeModel | None:
        """The first of these models, which has the fewest worlds; None if there are none."""
        if not countermodels:
            return None
        number = (countermodels & -countermodels).bit_length() - 1
        return to_kripke(self.columns.models[number], self.vocabulary)
