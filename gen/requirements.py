"""What a contrast's selection asks of a candidate, as far as the small-model screen can tell.

The screen's hint of the labels is used to choose candidates and never to label them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from modalgen.formula import Formula, modal_depth, quantifier_depth
from modalgen.gen.contrast import Contrast, Selection
from modalgen.gen.screen import Screen


class Unfit(StrEnum):
    """Why a sound candidate is not what the selection asks for."""

    TOO_SHALLOW = "too_shallow"
    COUNTERMODEL_SIZE = "countermodel_size"
    NO_SMALL_COUNTERMODEL = "no_small_countermodel"


@dataclass(frozen=True)
class Hint:
    """What the screen finds of a problem: its small countermodels on side a and on side b, as bits."""

    countermodels: tuple[int, int]

    @property
    def labels(self) -> tuple[bool, bool]:
        """Whether each side is valid over the small models."""
        return not self.countermodels[0], not self.countermodels[1]

    @property
    def flips(self) -> bool:
        """Whether one side is valid over the small models and the other invalid."""
        return self.labels[0] != self.labels[1]


def hint(screen: Screen, contrast: Contrast, premises: tuple[Formula, ...], conjecture: Formula) -> Hint:
    """The hint of a problem on the sides of a contrast. The screen must know the symbols and the sides."""
    found = screen.countermodels(premises, conjecture)
    a, b = contrast.sides
    return Hint((found & screen.members(a), found & screen.members(b)))


def depth_fault(select: Selection, formulas: tuple[Formula, ...]) -> str | None:
    """In which way the formulas are not nested as deep as the selection asks; None if they are."""
    for what, deepest, least in (
        ("□ and ◇", max(map(modal_depth, formulas)), select.least_modal_depth),
        ("quantifiers", max(map(quantifier_depth, formulas)), select.least_quantifier_depth),
    ):
        if deepest < least:
            return f"{what} are nested {deepest} deep; {least} are asked for"
    return None


def countermodel_fault(select: Selection, screen: Screen, found: Hint) -> str | None:
    """How a least small countermodel has another size than the selection asks for; None if none has."""
    for side, models in zip("ab", found.countermodels, strict=True):
        if models and select.countermodel_worlds:
            worlds = len(screen.least(models).skeleton.relation)
            if worlds not in select.countermodel_worlds:
                return f"side {side} has a countermodel with {worlds} world{'' if worlds == 1 else 's'}"
    return None
