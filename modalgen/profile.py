"""Profiles: a pair's label in every logic of its kind, not only in the two of its contrast.

On the frame axis these are the fifteen systems of the modal cube, on the domain axis the four domain
regimes on the contrast's frames. Labels must be monotone: what is valid in a class of models is valid
in every class within it.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations

from modalgen.semantics import DOMAINS, SYSTEMS, Semantics, entails, semantics


def profiled(axis: str, side: Semantics) -> dict[str, Semantics]:
    """The semantics of a profile by name, for a contrast of this axis with *side* as one of its sides."""
    if axis == "frame":
        return {name: semantics(frame) for name, frame in SYSTEMS.items()}
    return {regime: semantics(side.frame, regime) for regime in DOMAINS}


def monotonicity_violations(
    labels: Mapping[str, bool | None], classes: Mapping[str, Semantics]
) -> list[tuple[str, str]]:
    """The pairs (wider, narrower) of names where the wider class is labelled valid, the narrower not."""
    return [
        (wider, narrower)
        for wider, narrower in permutations(labels, 2)
        if labels[wider] is True and labels[narrower] is False and entails(classes[narrower], classes[wider])
    ]
