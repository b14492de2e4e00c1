"""Combinations of members of lists: all of them in order, or a random sample of a given size."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from math import prod


def drawn(lengths: Sequence[tuple[int, ...]], most: int, seed: str) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Combinations as the number of a product and, for each of its lists, the place of a member.

    *lengths* has for each product the lengths of its lists. There are all combinations if they are at
    most so many, else a sample of so many without repetition, which depends on the seed. In order.
    """
    total = sum(map(prod, lengths))
    chosen: Sequence[int] = range(total)
    if total > most:
        # A string seed is hashed by SHA-512, alike in every process.
        chosen = sorted(random.Random(seed).sample(range(total), most))
    numbers, first = iter(chosen), 0
    number = next(numbers, total)
    for which, of_product in enumerate(lengths):
        end = first + prod(of_product)
        while number < end:
            rest, places = number - first, []
            for length in of_product:
                rest, place = divmod(rest, length)
                places.append(place)
            yield which, tuple(places)
            number = next(numbers, total)
        first = end
