"""Which logic does a model behave like? Answers to problems whose intended models it was not told.

Where the specification is left out, each problem is asked both ways ("is it valid?", "can it fail?").
A problem counts once, however many pairs ask about it, and its answer is *kept* if there is one both
ways and all answers that there are say the same: who says Yes to everything is left out here, and so
is who wavers.

For each logic (a system of the modal cube, or a domain regime on the problem's frames) a kept answer is
right or wrong by the problem's label there. If a model follows the logic but for errors that are equally
likely on every problem, with a rate e, then n kept answers of which w are wrong have the likelihood
e^w (1 − e)^(n − w). That is greatest at e = w/n (maximum likelihood for Bernoulli trials: Wasserman,
*All of Statistics*, 2004, example 9.10). The rate is kept between 1 % and 1/2: above 1/2 a model would
follow the opposite of the logic, which is none. So a logic with fewer wrong answers always fits better,
and all logics with half of the answers wrong fit no better than a coin.

Logics with the same labels on all kept problems cannot be told apart, they form one *group*. How far the
rest can be, a bootstrap says that draws whole families of problems with replacement.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from modalgen.evaluate.answers import Polarity
from modalgen.evaluate.intervals import LEVEL, draws
from modalgen.evaluate.readings import READERS, Cell, Facts, Readings
from modalgen.records import SIDES
from modalgen.semantics import DOMAINS, SYSTEMS

LOGICS: dict[str, tuple[str, ...]] = {"frame": tuple(SYSTEMS), "domain": tuple(DOMAINS)}
"""The logics of each axis."""
LEAST_ERROR, MOST_ERROR = 0.01, 0.5
"""The range of the error rate."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A kept answer: the label that it gives, and the problem's label in each logic."""

    family: str
    profile: Mapping[str, bool]
    label: bool


@dataclass(frozen=True)
class Group:
    """Logics that the kept problems do not tell apart, and how well they fit.

    `best` is the share of the resamples in which the group fits best, shared equally where several do;
    `level` the share in which it fits at least as well as the group that fits best on the kept answers
    themselves. Both are None if there are fewer than two families, and nothing can be drawn.
    """

    logics: tuple[str, ...]
    wrong: int
    error_rate: float
    log_likelihood: float
    best: float | None
    level: float | None

    @property
    def possible(self) -> bool | None:
        """Whether the difference to the best fit is within the noise: in more than 5 % of the resamples
        the group fits at least as well."""
        return None if self.level is None else self.level > 1 - LEVEL


@dataclass(frozen=True)
class LogicFit:
    """How well each logic of an axis explains a model's answers, best first.

    Of `problems` that were asked, some do not count: `unlabelled` ones whose label is not known in every
    logic, then `unanswered` ones without an answer both ways, then `inconsistent` ones. The others are
    `kept`; `said_valid` of them were said to be valid.
    """

    axis: str
    problems: int
    unlabelled: int
    unanswered: int
    inconsistent: int
    kept: int
    said_valid: int
    groups: tuple[Group, ...]

    def to_record(self) -> dict[str, Any]:
        """The fit as `scores.json` holds it."""
        counts = {k: v for k, v in vars(self).items() if k != "groups"}
        return {
            **counts,
            "groups": [{**vars(g), "logics": list(g.logics), "possible": g.possible} for g in self.groups],
        }


def logic_fits(readings: Readings, reader: str) -> dict[tuple[str, str], tuple[LogicFit, ...]]:
    """For each model and condition the fits on the axes that the run asks about, frames first; nothing
    if the run asks in one polarity only."""
    found = {}
    axes = {axis: [pair for pair in readings.pairs if pair.place["axis"] == axis] for axis in LOGICS}
    for cell in readings.cells:
        both = tuple(Cell(cell.model, cell.condition, str(polarity)) for polarity in Polarity)
        if cell == both[0] and both[1] in readings.cells:
            found[cell.model, cell.condition] = tuple(
                _axis_fit(axis, pairs, readings, both, reader) for axis, pairs in axes.items() if pairs
            )
    return found


def fits_record(readings: Readings) -> list[dict[str, Any]]:
    """All fits of a run, as `scores.json` holds them."""
    return [
        {"model": model, "condition": condition, "reader": reader, **fit.to_record()}
        for reader in READERS
        for (model, condition), fits in logic_fits(readings, reader).items()
        for fit in fits
    ]


def _axis_fit(
    axis: str, pairs: Iterable[Facts], readings: Readings, cells: Sequence[Cell], reader: str
) -> LogicFit:
    """The fit over the problems of these pairs."""
    problems: dict[str, list[Facts]] = {}
    for pair in pairs:
        problems.setdefault(pair.problem, []).append(pair)
    count: Counter[str] = Counter()
    kept: list[Kept] = []
    for asking in problems.values():
        profile = {logic: asking[0].profile.get(logic) for logic in LOGICS[axis]}
        known = {logic: label for logic, label in profile.items() if label is not None}
        said = [set(_labels(asking, readings, cell, reader)) for cell in cells]
        if len(known) < len(profile):
            count["unlabelled"] += 1
        elif not all(said):
            count["unanswered"] += 1
        elif len(labels := set(chain(*said))) > 1:
            count["inconsistent"] += 1
        else:
            kept.append(Kept(asking[0].family, known, labels.pop()))
    return LogicFit(
        axis,
        problems=len(problems),
        unlabelled=count["unlabelled"],
        unanswered=count["unanswered"],
        inconsistent=count["inconsistent"],
        kept=len(kept),
        said_valid=sum(answer.label for answer in kept),
        groups=groups(kept, LOGICS[axis]),
    )


def _labels(pairs: Iterable[Facts], readings: Readings, cell: Cell, reader: str) -> Iterator[bool]:
    """What is said of a problem, by every request that asks about it in one polarity."""
    for pair in pairs:
        for side in SIDES:
            row = readings.cells[cell].get((pair.pair_id, side))
            label = row.readings[reader].label if row else None
            if label is not None:
                yield label


def log_likelihood(wrong: int, kept: int) -> tuple[float, float]:
    """The error rate under which the answers are most likely, and the logarithm of their likelihood."""
    rate = min(max(wrong / kept if kept else 0.0, LEAST_ERROR), MOST_ERROR)
    # In this form all logics with the rate 1/2 have the same likelihood to the last bit: a tie is one.
    return rate, kept * math.log(1 - rate) + wrong * (math.log(rate) - math.log(1 - rate))


def groups(kept: Sequence[Kept], logics: Sequence[str]) -> tuple[Group, ...]:
    """The logics, in groups that the problems do not tell apart, by their fit; nothing if there are no
    answers. Groups that fit equally well come by their wrong answers, then in the order of the logics."""
    if not kept:
        return ()
    together: dict[tuple[bool, ...], list[str]] = {}
    for logic in logics:
        together.setdefault(tuple(answer.profile[logic] for answer in kept), []).append(logic)
    members = list(together.values())
    families: dict[str, list[int]] = {}  # the number of answers, then of wrong ones for each group
    for answer in kept:
        counts = families.setdefault(answer.family, [0] * (1 + len(members)))
        counts[0] += 1
        for place, (logic, *_) in enumerate(members, start=1):
            counts[place] += answer.profile[logic] is not answer.label
    total, *wrong = map(sum, zip(*families.values(), strict=True))
    fits = [log_likelihood(each, total) for each in wrong]
    order = sorted(range(len(members)), key=lambda place: (-fits[place][1], wrong[place], place))
    best, level = _resampled([families[name] for name in sorted(families)], order[0])
    return tuple(
        Group(tuple(members[place]), wrong[place], *fits[place], best[place], level[place]) for place in order
    )


def _resampled(
    clusters: Sequence[Sequence[int]], first: int
) -> tuple[list[float | None], list[float | None]]:
    """For each group the share of resamples in which it is best, and in which it is level with, or
    better than, the *first*."""
    size = len(clusters[0]) - 1
    best, level = [0.0] * size, [0] * size
    number = 0
    for total, *wrong in draws(clusters):
        number += 1
        fits = [log_likelihood(each, total)[1] for each in wrong]
        top = max(fits)
        winners = [place for place, fit in enumerate(fits) if fit == top]
        for place in winners:
            best[place] += 1 / len(winners)
        for place, fit in enumerate(fits):
            level[place] += fit >= fits[first]
    if not number:
        return [None] * size, [None] * size
    return [share / number for share in best], [share / number for share in level]
