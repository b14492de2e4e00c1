"""Truth tables as integers.

Over n variables the 2^n assignments are numbered so that bit j of the number is the value of
variable j. A boolean function is the integer whose bit i is its value under assignment i, and a
connective is a bitwise operation (Knuth, *The Art of Computer Programming*, volume 4A, section
7.1.3).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from modalgen.formula import And, Formula, Iff, Implies, Or

# Each binary connective on two tables and the table of ⊤.
CONNECTIVES: dict[type[Formula], Callable[[int, int, int], int]] = {
    And: lambda left, right, top: left & right,
    Or: lambda left, right, top: left | right,
    Implies: lambda left, right, top: (top ^ left) | right,
    Iff: lambda left, right, top: top ^ left ^ right,
}


def top_table(variables: int) -> int:
    """The table of ⊤ over so many variables."""
    return (1 << (1 << variables)) - 1


@cache
def variable_tables(variables: int) -> tuple[int, ...]:
    """The tables of the variables themselves, over so many of them."""
    top = top_table(variables)
    # top // (2^(2^j) + 1) has the bits whose number has a 0 at place j.
    return tuple((top // ((1 << (1 << j)) + 1)) << (1 << j) for j in range(variables))
