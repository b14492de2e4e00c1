"""Intervals and tests for rates.

- Wilson's score interval for a rate of independent cases (Wilson, JASA 22, 1927, p. 209).
- The cluster bootstrap, percentile interval: whole clusters are drawn with replacement, because cases
  of one cluster go right and wrong together (Davison and Hinkley, *Bootstrap Methods and their
  Application*, 1997, sections 3.8 and 5.3).
- McNemar's test in its exact form: of the cases that only one of two readers gets right, each has
  them with probability 1/2 (McNemar, Psychometrika 12, 1947, p. 153).
- Holm's step-down correction for many tests (Holm, Scandinavian Journal of Statistics 6, 1979, p. 65).
"""

from __future__ import annotations

import math
import random
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeVar

LEVEL = 0.95
_Z = NormalDist().inv_cdf((1 + LEVEL) / 2)
RESAMPLES = 2000
SEED = 1

Interval = tuple[float, float]
Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class Ratio:
    """A rate as a sum over clusters by a sum over clusters, both listed cluster by cluster."""

    numerators: Sequence[int]
    denominators: Sequence[int]


def wilson(successes: int, cases: int) -> Interval | None:
    """Wilson's 95 % interval, None if there are no cases. Raises ValueError if the counts are none."""
    if not 0 <= successes <= cases:
        raise ValueError(f"{successes} of {cases} is no rate")
    if cases == 0:
        return None
    z = _Z
    rate = successes / cases
    middle = (rate + z * z / (2 * cases)) / (1 + z * z / cases)
    half = z / (1 + z * z / cases) * math.sqrt(rate * (1 - rate) / cases + z * z / (4 * cases * cases))
    # At the ends the interval is closed, whatever the rounding.
    low = 0.0 if successes == 0 else middle - half
    high = 1.0 if successes == cases else middle + half
    return low, high


def cluster_bootstrap(ratios: Mapping[Name, Ratio]) -> dict[Name, Interval | None]:
    """95 % percentile intervals for ratios over the same clusters, by the same seeded draws.

    A draw in which a ratio's denominator is 0 says nothing about it and is left out. None if there are
    fewer than two clusters (nothing is known of how clusters differ) or no draw says anything.
    Raises ValueError if the ratios have different numbers of clusters.
    """
    parts = list(
        dict.fromkeys(tuple(p) for ratio in ratios.values() for p in (ratio.numerators, ratio.denominators))
    )
    sizes = {len(part) for part in parts}
    if len(sizes) > 1:
        raise ValueError("the ratios have different numbers of clusters")
    # Ratios share most of their parts, and each part is summed once for a draw.
    places = {
        name: (parts.index(tuple(ratio.numerators)), parts.index(tuple(ratio.denominators)))
        for name, ratio in ratios.items()
    }
    drawn: dict[Name, list[float]] = {name: [] for name in ratios}
    for sums in draws(list(zip(*parts, strict=True))):
        for name, (above, below) in places.items():
            if sums[below]:
                drawn[name].append(sums[above] / sums[below])
    return {name: _middle(values) for name, values in drawn.items()}


def draws(clusters: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """The seeded draws of a bootstrap: for each as many clusters as there are, with replacement, and of
    their counts the sums, place by place. Nothing if there are fewer than two clusters.

    The counts of a cluster are packed into one integer, a field for each, so that a draw is one sum.
    """
    if len(clusters) < 2:
        return
    least = [min(column) for column in zip(*clusters, strict=True)]
    spread = max(max(column) for column in zip(*clusters, strict=True)) - min(least)
    bits = (len(clusters) * spread).bit_length() + 1
    mask = (1 << bits) - 1
    packed = [
        sum((count - low) << (bits * place) for place, (count, low) in enumerate(zip(c, least, strict=True)))
        for c in clusters
    ]
    base = [len(clusters) * low for low in least]
    source = random.Random(SEED)
    for _ in range(RESAMPLES):
        total = sum(source.choices(packed, k=len(packed)))
        yield [low + (total >> (bits * place) & mask) for place, low in enumerate(base)]


def _middle(values: list[float]) -> Interval | None:
    """The interval that leaves out the same share of the values at both ends."""
    if not values:
        return None
    values.sort()
    tail = (1 - LEVEL) / 2
    return _quantile(values, tail), _quantile(values, 1 - tail)


def _quantile(ordered: Sequence[float], share: float) -> float:
    """The quantile by linear interpolation (Hyndman and Fan's definition 7)."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact two-sided p-value, given how many cases only the first and only the second gets right.

    Raises ValueError if a count is negative.
    """
    if min(only_first, only_second) < 0:
        raise ValueError("a number of cases is negative")
    cases, fewer = only_first + only_second, min(only_first, only_second)
    ways = term = 1
    for k in range(1, fewer + 1):
        term = term * (cases - k + 1) // k
        ways += term
    return min(1.0, 2 * ways / (1 << cases))  # both are integers: Python divides them exactly, then rounds


def holm(p_values: Sequence[float]) -> list[float]:
    """The adjusted p-values, in the order given: each is compared with the level of the whole family."""
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = running
    return adjusted
