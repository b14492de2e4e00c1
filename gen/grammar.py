"""Candidates from a grammar: enumerated formulas that the small-model screen finds to flip.

A candidate *flips* if, as far as small models tell, it is valid on one side of the contrast and not on
the other. Formulas that do not flip are no candidates and leave no trace. No two candidates of a
grammar are the same up to renaming and equivalence over the small models.

Premises and conjecture of an inference are enumerated formulas. Each premise is needed: without it
the screen finds other labels. And the premises can be true together on both sides.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_

from modalgen.formula import Formula
from modalgen.gen.candidate import Candidate
from modalgen.gen.canonical import canonical_key
from modalgen.gen.contrast import Contrast, Grammar
from modalgen.gen.drawing import drawn
from modalgen.gen.enumeration import Bounds, Enumeration
from modalgen.gen.requirements import countermodel_fault, depth_fault, hint
from modalgen.gen.screen import screen_for

# How many combinations of premises and conjecture of one size altogether are tried.
MAX_COMBINATIONS = 60_000


def grammar_candidates(contrast: Contrast, grammar: Grammar, seed: int) -> Iterator[Candidate]:
    """The candidates of a grammar, the smallest first and those of one size in random order.

    Lazily; the same contrast, grammar and seed give the same candidates in the same order. Left out is
    what the contrast's selection rules out by depth or by the worlds of the least countermodel.

    Raises ScreenTooLarge if the grammar's symbols make too many small models.
    """
    screen = screen_for(frozenset(grammar.symbols), contrast.sides)
    name = f"{contrast.id}/{grammar.id}/{seed}"
    flipping = _Flipping(contrast, grammar, name)
    seen: set[object] = set()
    for size in range(1, grammar.max_size + grammar.premises * grammar.premise_size + 1):
        found = list(flipping.of_size(size))
        random.Random(f"{name}/{size}").shuffle(found)
        for premises, conjecture in found:
            if depth_fault(contrast.select, (*premises, conjecture)):
                continue
            labels = hint(screen, contrast, premises, conjecture)
            if countermodel_fault(contrast.select, screen, labels):
                continue
            same = {canonical_key(premises, conjecture), screen.fingerprint(premises, conjecture)}
            if seen.isdisjoint(same):
                yield Candidate(grammar.id, grammar.task, premises, conjecture)
            seen |= same


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A closed formula and the models at whose points it is true."""

    formula: Formula
    truths: int


class _Flipping:
    """The problems of a grammar that flip and need all their premises."""

    def __init__(self, contrast: Contrast, grammar: Grammar, seed: str) -> None:
        screen = screen_for(frozenset(grammar.symbols), contrast.sides)
        bounds = Bounds(
            grammar.operators,
            max(grammar.max_size, grammar.premise_size),
            grammar.modal_depth,
            grammar.quantifier_depth,
        )
        self._grammar = grammar
        self._formulas = Enumeration(screen.vocabulary, screen.columns, bounds, seed)
        self._sentences: dict[int, list[_Sentence]] = {}
        self._sides = [screen.members(side) for side in contrast.sides]
        self._everywhere = self._sides[0] | self._sides[1]
        self._columns = screen.columns
        self._seed = seed

    def of_size(self, size: int) -> Iterator[tuple[tuple[Formula, ...], Formula]]:
        """The problems of this size altogether, as premises and conjecture: all of them or a sample."""
        ways = [
            [self._of_size(part) for part in parts]
            for parts in _sizes(size, self._grammar.premises, self._grammar)
        ]
        lengths = [tuple(map(len, lists)) for lists in ways]
        for which, places in drawn(lengths, MAX_COMBINATIONS, f"{self._seed}/problems/{size}"):
            lists = ways[which]
            # Premises of one size: one order is enough.
            if any(lists[n] is lists[n + 1] and places[n] >= places[n + 1] for n in range(len(places) - 2)):
                continue
            *premises, conjecture = (of[place] for of, place in zip(lists, places, strict=True))
            if self._fits(premises, conjecture):
                yield tuple(premise.formula for premise in premises), conjecture.formula

    def _of_size(self, size: int) -> list[_Sentence]:
        if size not in self._sentences:
            self._sentences[size] = [
                _Sentence(classed.formula, self._columns.at_points(classed.column))
                for classed in self._formulas.of_size(size)
            ]
        return self._sentences[size]

    def _fits(self, premises: Sequence[_Sentence], conjecture: _Sentence) -> bool:
        a, b = self._sides
        false = self._everywhere & ~conjecture.truths
        true = reduce(and_, (premise.truths for premise in premises), self._everywhere)
        labels = self._labels(true & false)
        if labels[0] == labels[1] or not true & a or not true & b:
            return False
        for omitted in premises:
            rest = (premise.truths for premise in premises if premise is not omitted)
            if self._labels(reduce(and_, rest, false)) == labels:
                return False
        return True

    def _labels(self, countermodels: int) -> tuple[bool, bool]:
        a, b = self._sides
        return not countermodels & a, not countermodels & b


def _sizes(total: int, premises: int, grammar: Grammar, least: int = 1) -> Iterator[tuple[int, ...]]:
    """The sizes that so many premises, in ascending order, and the conjecture can have altogether."""
    if premises == 0:
        if 1 <= total <= grammar.max_size:
            yield (total,)
        return
    for size in range(least, min(grammar.premise_size, total - 1) + 1):
        for rest in _sizes(total - size, premises - 1, grammar, size):
            yield (size, *rest)
