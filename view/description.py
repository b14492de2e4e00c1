"""A Kripke model in words: the names of worlds and individuals, and what is the case where.

Pictures, explanations and the terminal all take their words from here, so that they agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from modalgen.kripke import KripkeModel
from modalgen.printing import printable

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def individual(number: int) -> str:
    """The name that an individual is shown by: a, b, …, z, a1, b1, …"""
    round_, letter = divmod(number, len(_LETTERS))
    return _LETTERS[letter] + (str(round_) if round_ else "")


def world(number: int) -> str:
    """The name that a world is shown by: w0, w1, …"""
    return f"w{number}"


def listed(words: Sequence[str]) -> str:
    """An enumeration in English: `a`, `a and b`, `a, b and c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def universe(model: KripkeModel) -> tuple[int, ...]:
    """The individuals that the model speaks of: those that exist somewhere or of which a predicate holds."""
    existing = {d for domain in model.domains or () for d in domain}
    spoken_of = {
        d for extension in model.extensions.values() for rows in extension for row in rows for d in row
    }
    return tuple(sorted(existing | spoken_of))


@dataclass(frozen=True)
class WorldFacts:
    """What is the case at one world, in words.

    `exist` are the individuals in its domain, None in a propositional model. `true` are the atoms
    that are true and the predications that hold of individuals in the domain; `true_of_absent` the
    predications that hold of a tuple with an individual in it that does not exist there.
    """

    exist: tuple[str, ...] | None
    true: tuple[str, ...]
    true_of_absent: tuple[str, ...]


def facts(model: KripkeModel, at: int) -> WorldFacts:
    """What is the case at the world *at*; atoms before predications, each in alphabetical order."""
    domain = None if model.domains is None else model.domains[at]
    true = [printable(atom) for atom, worlds in sorted(model.valuation.items()) if at in worlds]
    absent: list[str] = []
    for predicate, extension in sorted(model.extensions.items()):
        for row in sorted(extension[at]):
            words = f"{printable(predicate)}({','.join(map(individual, row))})"
            (true if domain is None or domain.issuperset(row) else absent).append(words)
    exist = None if domain is None else tuple(map(individual, sorted(domain)))
    return WorldFacts(exist, tuple(true), tuple(absent))
