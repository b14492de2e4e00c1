"""Solved examples for few-shot prompts, drawn from pairs that are not evaluated.

The draw is a sort by SHA-256, so it depends on the seed and the pairs alone: not on their order,
nor on the version of a random number generator.
"""

from __future__ import annotations

from collections.abc import Iterable

from modalgen.evaluate.prompts import Shot
from modalgen.files import sha256
from modalgen.records import SIDES, Pair


def draw_shots(pool: Iterable[Pair], evaluated: Iterable[Pair], count: int, seed: int) -> tuple[Shot, ...]:
    """*count* examples, one side of a pair each, with as many true labels as false ones (one more of
    either if *count* is odd).

    No example is an evaluated pair or asks about the formulas of one. Raises ValueError if the pool
    has too few pairs for that, or *count* is negative.
    """
    if count < 0:
        raise ValueError(f"the number of examples is {count}; it cannot be negative")
    taken, asked = set(), set()
    for pair in evaluated:
        taken.add(pair.pair_id)
        asked.add((pair.premises, pair.conjecture))
    free = {
        pair.pair_id: pair
        for pair in pool
        if pair.pair_id not in taken and (pair.premises, pair.conjecture) not in asked
    }
    if len(free) < count:
        raise ValueError(f"{count} examples are wanted, but only {len(free)} pairs are not evaluated")
    drawn = sorted(free, key=lambda pair_id: sha256(f"{seed}/{pair_id}"))[:count]
    first = int(sha256(f"{seed}/{'/'.join(drawn)}"), 16) % 2 == 0
    shots = [_labelled(free[pair_id], first == (place % 2 == 0)) for place, pair_id in enumerate(drawn)]
    # Sorted once more: otherwise the labels alternate, and a pattern can be answered by continuing it.
    return tuple(sorted(shots, key=lambda shot: sha256(f"{seed}/{shot.pair.pair_id}/{shot.side}")))


def _labelled(pair: Pair, label: bool) -> Shot:
    """The side with this label; the labels of a pair's sides are opposite."""
    return Shot(pair, next(side for side in SIDES if pair.sides[side].label is label))
