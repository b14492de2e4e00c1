"""The profile of a problem: its label in each of the fifteen systems, or under each domain regime.

A profile says which logics a problem tells apart, beyond the two of its pair. It must be monotone: what
is valid in a class of models is valid in each of its subclasses (Blackburn, de Rijke and Venema,
*Modal Logic*, 2001, section 1.3, for frames). A profile that is not shows that a label is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations

from modalgen.semantics import DOMAINS, SYSTEMS, Semantics, entails, equivalent, semantics

Labels = Mapping[Semantics, bool | None]
"""Labels of one problem under several semantics; None where nothing decided."""


def spectrum(side: Semantics) -> dict[str, Semantics]:
    """What the problem of a side is profiled over, by name: systems if the side is propositional,
    otherwise the domain regimes on the side's own frames."""
    if side.domain is None:
        return {name: semantics(conditions) for name, conditions in SYSTEMS.items()}
    return {name: semantics(side.frame, name) for name in DOMAINS}


def known_label(wanted: Semantics, labels: Labels) -> bool | None:
    """The label under a semantics that no formula can tell from this one; None if there is none."""
    return next((label for other, label in labels.items() if equivalent(wanted, other)), None)


def violation(labels: Labels) -> tuple[Semantics, Semantics] | None:
    """The first two semantics (weaker, stronger) with valid in the weaker and invalid in the stronger."""
    return next(
        (
            (weaker, stronger)
            for weaker, stronger in permutations(labels, 2)
            if labels[weaker] and labels[stronger] is False and entails(stronger, weaker)
        ),
        None,
    )
