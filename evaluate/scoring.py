"""Scores of a run: what it asked, read strictly and leniently, against the labels of its dataset.

A *cell* is a model under one condition (level of reasoning), asked in one polarity. In a cell each
side of each pair has been asked at most once. What a reader (strict or lenient) makes of a pair is one
of nine *patterns*: what is said of the valid side (valid, invalid, no answer) and of the invalid side.
Every rate is a weight on patterns, so the number of pairs of each pattern is all that is kept.

*Reported* rates count all sides and pairs that the run has to ask: whatever is not a right answer is
wrong, missing requests included. *Conditional* rates count only sides, or pairs with both sides, that
were answered; they say nothing of the model without the share that they leave out.

The sides of a pair have opposite labels. With independent answers, the share of pairs that are right
on both is the product of the accuracies on valid and on invalid sides; a constant answer gets 0 there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from modalgen.evaluate.answers import AnswerForm, Outcome, Polarity
from modalgen.evaluate.intervals import (
    LEVEL,
    RESAMPLES,
    SEED,
    Interval,
    Ratio,
    cluster_bootstrap,
    wilson,
)
from modalgen.evaluate.logic_fit import fits_record
from modalgen.evaluate.readings import DIMENSIONS, READERS, Cell, Facts, Pattern, Readings, Row, in_order
from modalgen.records import SIDES

SCORES_SCHEMA = "modalgen/scores/1"
MISSING = "missing"
NAME_ONLY = "name_only"

Tally = Counter[Pattern]
"""How many pairs have each pattern."""


@dataclass(frozen=True)
class Rate:
    """A weight on patterns, and how many sides (or pairs) of a pattern have been answered, out of
    `units` (2 sides, 1 side, or 1 pair)."""

    weight: Callable[[Pattern], int]
    answered: Callable[[Pattern], int]
    units: int = 1

    def sums(self, tally: Mapping[Pattern, int], conditional: bool) -> tuple[int, int]:
        """Numerator and denominator over the pairs of a tally."""
        above = sum(self.weight(pattern) * count for pattern, count in tally.items())
        if conditional:
            return above, sum(self.answered(pattern) * count for pattern, count in tally.items())
        return above, self.units * sum(tally.values())


def _both(pattern: Pattern) -> int:
    return int(None not in pattern)


@cache
def rates(affirmed: bool = True) -> Mapping[str, Rate]:
    """The rates. *affirmed* is the label that the affirmative word (Yes, True, Valid) gives."""
    return {
        "side_accuracy": Rate(
            lambda p: (p[0] is True) + (p[1] is False),
            lambda p: (p[0] is not None) + (p[1] is not None),
            2,
        ),
        "valid_accuracy": Rate(lambda p: p[0] is True, lambda p: p[0] is not None),
        "invalid_accuracy": Rate(lambda p: p[1] is False, lambda p: p[1] is not None),
        "pair_accuracy": Rate(lambda p: p == (True, False), _both),
        "swapped": Rate(lambda p: p == (False, True), _both),
        "constant": Rate(lambda p: p[0] is not None and p[0] is p[1], _both),
        "always_yes": Rate(lambda p: p == (affirmed, affirmed), _both),
        "always_no": Rate(lambda p: p == (not affirmed, not affirmed), _both),
    }


@dataclass(frozen=True)
class Score:
    """A rate as numerator by denominator, with a 95 % interval; both None if there is nothing to count."""

    count: int
    of: int
    interval: Interval | None

    @property
    def rate(self) -> float | None:
        """The rate itself."""
        return self.count / self.of if self.of else None

    def to_record(self) -> dict[str, Any]:
        """The score as `scores.json` holds it."""
        interval = None if self.interval is None else list(self.interval)
        return {"rate": self.rate, "count": self.count, "of": self.of, "interval": interval}


Scores = Mapping[str, Score]


def expected_by_independence(scores: Scores) -> float | None:
    """The pair accuracy if answers to the two sides were independent."""
    valid, invalid = scores["valid_accuracy"].rate, scores["invalid_accuracy"].rate
    return None if valid is None or invalid is None else valid * invalid


@dataclass(frozen=True)
class CellScores:
    """All scores of one cell. `outcomes` counts sides by reader and outcome, those not asked yet as
    `MISSING`; a pair is incomplete if the run still has to ask a side of it. `patterns` has for each
    reader, and for the rule that sees the name of the side's semantics only, the pattern of each pair."""

    cell: Cell
    pairs: tuple[Facts, ...]
    affirmed: bool
    incomplete_pairs: int
    outcomes: Mapping[str, Mapping[str, int]]
    patterns: Mapping[str, tuple[Pattern, ...]]

    def tally(self, reader: str) -> Tally:
        """The tally of all pairs."""
        return Counter(self.patterns[reader])

    def tallies(self, reader: str, dimension: str) -> dict[str, Tally]:
        """The tally of each value of a dimension, sorted."""
        values = (pair.place[dimension] for pair in self.pairs)
        found: dict[str, Tally] = {}
        for (value, pattern), count in Counter(zip(values, self.patterns[reader], strict=True)).items():
            found.setdefault(value, Counter())[pattern] = count
        return {value: found[value] for value in in_order(found)}

    @cached_property
    def totals(self) -> Mapping[tuple[str, bool], Scores]:
        """The scores over all pairs by reader, reported (False) and conditional (True), with intervals
        by bootstrap over families."""
        ratios = {}
        for reader in READERS:
            families = self.tallies(reader, "family").values()
            for conditional in (False, True):
                for name, rate in rates(self.affirmed).items():
                    above, below = zip(*(rate.sums(tally, conditional) for tally in families), strict=True)
                    ratios[reader, conditional, name] = Ratio(above, below)
        intervals = cluster_bootstrap(ratios)
        found: dict[tuple[str, bool], dict[str, Score]] = {}
        for (reader, conditional, name), ratio in ratios.items():
            interval = intervals[reader, conditional, name]
            score = Score(sum(ratio.numerators), sum(ratio.denominators), interval)
            found.setdefault((reader, conditional), {})[name] = score
        return found

    def group(self, tally: Tally, conditional: bool = False) -> Scores:
        """The scores over some of the pairs, with Wilson's intervals."""
        return {
            name: Score(above, below, wilson(above, below))
            for name, rate in rates(self.affirmed).items()
            for above, below in (rate.sums(tally, conditional),)
        }

    def to_record(self) -> dict[str, Any]:
        """The scores as `scores.json` holds them."""
        return {
            "model": self.cell.model,
            "condition": self.cell.condition,
            "polarity": self.cell.polarity,
            "pairs": len(self.pairs),
            "incomplete_pairs": self.incomplete_pairs,
            "outcomes": {reader: dict(counts) for reader, counts in self.outcomes.items()},
            NAME_ONLY: self.name_only(self.tally(NAME_ONLY)),
            "total": {
                reader: {
                    "reported": _scores_record(self.totals[reader, False]),
                    "conditional": _scores_record(self.totals[reader, True]),
                }
                for reader in READERS
            },
            "by": {dimension: self._by(dimension) for dimension in DIMENSIONS},
        }

    def _by(self, dimension: str) -> dict[str, Any]:
        read = {reader: self.tallies(reader, dimension) for reader in READERS}
        return {
            value: {
                "pairs": sum(tally.values()),
                NAME_ONLY: self.name_only(tally),
                **{
                    reader: {
                        "reported": _scores_record(self.group(read[reader][value])),
                        "conditional": _scores_record(self.group(read[reader][value], conditional=True)),
                    }
                    for reader in READERS
                },
            }
            for value, tally in self.tallies(NAME_ONLY, dimension).items()
        }

    def name_only(self, tally: Tally) -> dict[str, float | None]:
        """What a tally of `NAME_ONLY` comes to."""
        scores = self.group(tally)
        return {name: scores[name].rate for name in ("side_accuracy", "pair_accuracy")}


def score(readings: Readings) -> Iterator[CellScores]:
    """The scores of each cell, in the order of the run's settings."""
    name_only = _name_only(readings.pairs)
    for cell, rows in readings.cells.items():
        form = AnswerForm(readings.vocabulary, polarity=Polarity(cell.polarity))
        yield CellScores(
            cell=cell,
            pairs=readings.pairs,
            affirmed=form.word(True) == AnswerForm(readings.vocabulary).word(True),
            incomplete_pairs=sum(
                any(is_open(rows.get((pair.pair_id, side))) for side in SIDES) for pair in readings.pairs
            ),
            outcomes=_outcomes(len(readings.pairs) * len(SIDES), rows),
            patterns={
                **{r: tuple(readings.pattern(cell, pair, r) for pair in readings.pairs) for r in READERS},
                NAME_ONLY: name_only,
            },
        )


def scores_record(runs: Mapping[str, tuple[Readings, list[CellScores]]]) -> dict[str, Any]:
    """What `scores.json` holds: the scores of each run, by the name that the user gave it."""
    return {
        "schema": SCORES_SCHEMA,
        "intervals": {"level": LEVEL, "resamples": RESAMPLES, "seed": SEED},
        "runs": [
            {
                "run": name,
                "dataset": readings.dataset,
                "cells": [cell.to_record() for cell in cells],
                "logic_fits": fits_record(readings),
            }
            for name, (readings, cells) in runs.items()
        ],
    }


def _scores_record(scores: Scores) -> dict[str, Any]:
    record: dict[str, Any] = {name: score.to_record() for name, score in scores.items()}
    return {**record, "expected_by_independence": expected_by_independence(scores)}


def is_open(row: Row | None) -> bool:
    """Whether the run still has to ask the side."""
    return row is None or row.readings["strict"].outcome is Outcome.TRANSPORT_ERROR


def _outcomes(sides: int, rows: Mapping[tuple[str, str], Row]) -> dict[str, dict[str, int]]:
    found = {}
    for reader in READERS:
        counts = Counter(row.readings[reader].outcome for row in rows.values())
        found[reader] = {**{str(o): counts[o] for o in Outcome}, MISSING: sides - len(rows)}
    return found


def _name_only(pairs: tuple[Facts, ...]) -> tuple[Pattern, ...]:
    """What the best rule says that sees nothing but the name of the side's semantics: for each the
    label that more of its sides have, invalid if as many have either. It knows the labels of the very
    pairs that it is judged on, so no such rule gets more sides right."""
    balance: Counter[str] = Counter()
    for pair in pairs:
        valid, invalid = pair.sides
        balance[pair.conditions[valid]] += 1
        balance[pair.conditions[invalid]] -= 1
    return tuple(
        (balance[pair.conditions[valid]] > 0, balance[pair.conditions[invalid]] > 0)
        for pair in pairs
        for valid, invalid in (pair.sides,)
    )
