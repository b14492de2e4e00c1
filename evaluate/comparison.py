"""Two readers of the same pairs: do they differ, pair by pair?

Every cell of one run is compared with every cell of another that asked in the same polarity, or the
cells of one run with each other. The unit is the pair, right if both its sides are: an exact McNemar
test on the pairs that only one of the two gets right, Holm's correction over all comparisons made, and
a bootstrap over families for the difference of the pair accuracies. Of the pairs that both runs ask
about all count, answered or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations, product
from typing import Any

from modalgen.evaluate.intervals import (
    LEVEL,
    RESAMPLES,
    SEED,
    Interval,
    Ratio,
    cluster_bootstrap,
    holm,
    mcnemar,
)
from modalgen.evaluate.readings import Cell, Facts, Readings
from modalgen.evaluate.runs import RunError

COMPARISON_SCHEMA = "modalgen/comparison/1"


@dataclass(frozen=True)
class Comparison:
    """Two cells on the pairs of both: how many are right in both, in one only; the 95 % interval of the
    difference; McNemar's p-value, as it is and adjusted for all comparisons made."""

    first: Cell
    second: Cell
    pairs: int
    both: int
    only_first: int
    only_second: int
    interval: Interval | None
    p_value: float
    adjusted: float

    @property
    def difference(self) -> float:
        """The first pair accuracy less the second."""
        return (self.only_first - self.only_second) / self.pairs

    def to_record(self) -> dict[str, Any]:
        """The comparison as the file of `comparison_record` holds it."""
        return {**asdict(self), "difference": self.difference}


def common_pairs(first: Readings, second: Readings) -> tuple[Facts, ...]:
    """The pairs that both runs ask about. Raises RunError if there are none."""
    if first.dataset != second.dataset:
        raise RunError(f"{first.directory} and {second.directory} asked different datasets")
    in_second = {pair.pair_id for pair in second.pairs}
    pairs = tuple(pair for pair in first.pairs if pair.pair_id in in_second)
    if not pairs:
        raise RunError(f"{first.directory} and {second.directory} ask about no pair in common")
    return pairs


def compare(first: Readings, second: Readings, reader: str) -> list[Comparison]:
    """Compare two runs, or the cells of one with each other if both are the same directory.

    Raises RunError if the runs have no pair in common or no two cells of the same polarity.
    """
    pairs = common_pairs(first, second)
    found = [_compared(first, second, couple, pairs, reader) for couple in _couples(first, second)]
    if not found:
        raise RunError("there are no two cells to compare: nothing was asked in the same polarity")
    return _adjusted(found)


def comparison_record(
    runs: Sequence[str], dataset: str, found: dict[str, list[Comparison]]
) -> dict[str, Any]:
    """What `modalgen compare -o FILE` writes: the runs by the names that the user gave them, the hash of
    their dataset, and the comparisons by reader."""
    return {
        "schema": COMPARISON_SCHEMA,
        "intervals": {"level": LEVEL, "resamples": RESAMPLES, "seed": SEED},
        "runs": list(runs),
        "dataset": dataset,
        "comparisons": {
            reader: [c.to_record() for c in comparisons] for reader, comparisons in found.items()
        },
    }


def compare_conditions(runs: Iterable[Readings], reader: str) -> list[tuple[Readings, Comparison]]:
    """In each run, compare the conditions (levels of reasoning) of each model with each other; the
    correction is over all comparisons in all these runs."""
    found = [
        (run, _compared(run, run, couple, run.pairs, reader))
        for run in runs
        for couple in _couples(run, run)
        if couple[0].model == couple[1].model
    ]
    adjusted = _adjusted([comparison for _, comparison in found])
    return [(run, comparison) for (run, _), comparison in zip(found, adjusted, strict=True)]


def _adjusted(found: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons with their p-values corrected for each other."""
    adjusted = holm([comparison.p_value for comparison in found])
    return [replace(c, adjusted=p_value) for c, p_value in zip(found, adjusted, strict=True)]


def _couples(first: Readings, second: Readings) -> Iterator[tuple[Cell, Cell]]:
    same = first.directory.resolve() == second.directory.resolve()
    couples = combinations(first.cells, 2) if same else product(first.cells, second.cells)
    return ((a, b) for a, b in couples if a.polarity == b.polarity)


def _compared(
    first: Readings, second: Readings, couple: tuple[Cell, Cell], pairs: Sequence[Facts], reader: str
) -> Comparison:
    """One comparison, its p-value not adjusted yet."""
    right = (True, False)
    outcomes = [
        (first.pattern(couple[0], pair, reader) == right, second.pattern(couple[1], pair, reader) == right)
        for pair in pairs
    ]
    gained: dict[str, int] = {}
    sizes: dict[str, int] = {}
    for pair, (by_first, by_second) in zip(pairs, outcomes, strict=True):
        gained[pair.family] = gained.get(pair.family, 0) + by_first - by_second
        sizes[pair.family] = sizes.get(pair.family, 0) + 1
    ratio = Ratio([gained[family] for family in sorted(sizes)], [sizes[family] for family in sorted(sizes)])
    only_first, only_second = outcomes.count((True, False)), outcomes.count((False, True))
    p_value = mcnemar(only_first, only_second)
    return Comparison(
        *couple,
        pairs=len(pairs),
        both=outcomes.count((True, True)),
        only_first=only_first,
        only_second=only_second,
        interval=cluster_bootstrap({"difference": ratio})["difference"],
        p_value=p_value,
        adjusted=p_value,
    )
