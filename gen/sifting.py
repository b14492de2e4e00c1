"""Sifting: which candidates the oracle is asked about, decided in order and before it is asked.

What is turned down is structurally at fault, says the same as an earlier candidate, has a small
countermodel on both sides, or is not what the contrast's selection asks for. That depends on the
candidates and on the small-model screen only, so it is the same however many workers label.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from math import ceil
from operator import and_

from modalgen.formula import modal_depth, predicates, quantifier_depth, subformulas
from modalgen.gen.candidate import Candidate
from modalgen.gen.candidates import candidates
from modalgen.gen.canonical import canonical_key, family
from modalgen.gen.contrast import Contrast
from modalgen.gen.requirements import Hint, Unfit, countermodel_fault, depth_fault, hint
from modalgen.gen.screen import Screen, ScreenTooLarge, screen_for
from modalgen.gen.structure import structural_faults

# How deep □ and ◇ and quantifiers are nested; the number of nodes of each kind, where that counts.
_Shape = tuple[tuple[int, ...], tuple[tuple[str, int], ...]]


class SiftingReason(StrEnum):
    """Why a candidate is turned down that is sound by itself."""

    DUPLICATE = "duplicate"
    EQUIVALENT = "equivalent"
    VALID_PREMISE = "valid_premise"
    CONTRADICTORY_PREMISE = "contradictory_premise"
    IDLE_PREMISE = "idle_premise"
    SAME_LABEL = "same_label"
    NOT_SCREENED = "not_screened"
    FAMILY_FULL = "family_full"
    DIRECTION_FULL = "direction_full"


@dataclass(frozen=True)
class TurnedDown:
    """A candidate that the oracle is not asked about: the reason's code and the reason in words.

    `repeats` is the earlier candidate that says the same, if that is the reason.
    """

    candidate: Candidate
    reason: str
    detail: str
    repeats: Candidate | None = None


def sifted(contrast: Contrast, task: str) -> Iterator[Candidate | TurnedDown]:
    """The candidates of a task in order, with those that are turned down.

    If the selection is balanced, the candidates come in couples, one after the other: nested equally
    deep (if it is matched, with the same number of each operator and atom), the first valid on side a
    only and the second on side b only, as far as the screen can tell.
    """
    sieve = _Sieve(contrast, task)
    for candidate in candidates(contrast, task, contrast.select.seed):
        turned_down = sieve.turned_down(candidate)
        if turned_down is not None:
            yield turned_down
        elif contrast.select.balanced:
            yield from sieve.couple(candidate)
        else:
            yield candidate


class _Sieve:
    """What was let through so far, and what may still be."""

    def __init__(self, contrast: Contrast, task: str) -> None:
        select = contrast.select
        self._contrast = contrast
        self._select = select
        self._quota: int = getattr(select, task)
        self._most_of_family = max(1, ceil(select.max_family_share * self._quota))
        # These are about labels, so the candidate must have a hint of them.
        self._needs_hint = select.max_family_share < 1 or select.balanced or bool(select.countermodel_worlds)
        self._earlier: dict[object, Candidate] = {}
        self._families: Counter[str] = Counter()
        # By the side that is valid and the shape, those without a partner.
        self._waiting: dict[tuple[tuple[bool, bool], _Shape], deque[Candidate]] = {}

    def turned_down(self, candidate: Candidate) -> TurnedDown | None:
        """The candidate with the reason why it is turned down; None if it is let through."""
        if faults := structural_faults(candidate, self._contrast):
            return TurnedDown(candidate, faults[0].reason, "; ".join(fault.detail for fault in faults))
        key = canonical_key(candidate.premises, candidate.conjecture)
        if earlier := self._earlier_with(key, candidate):
            detail = "the same up to renaming and equivalence as"
            return TurnedDown(candidate, SiftingReason.DUPLICATE, detail, earlier)
        if fault := depth_fault(self._select, candidate.formulas):
            return TurnedDown(candidate, Unfit.TOO_SHALLOW, fault)
        screen = self._screen(candidate)
        if screen is not None:
            return self._screened(candidate, screen)
        if self._needs_hint:
            detail = "its symbols make too many small models to foresee its labels"
            return TurnedDown(candidate, SiftingReason.NOT_SCREENED, detail)
        return None

    def _earlier_with(self, key: object, candidate: Candidate) -> Candidate | None:
        """An earlier candidate with this key; None if this is the first."""
        earlier = self._earlier.setdefault(key, candidate)
        return None if earlier is candidate else earlier

    def _screen(self, candidate: Candidate) -> Screen | None:
        try:
            return screen_for(
                frozenset[tuple[str, int]]().union(*map(predicates, candidate.formulas)), self._contrast.sides
            )
        except ScreenTooLarge:
            return None

    def _screened(self, candidate: Candidate, screen: Screen) -> TurnedDown | None:
        """What small models say against the candidate."""
        found = hint(screen, self._contrast, candidate.premises, candidate.conjecture)
        if all(found.countermodels):
            return TurnedDown(candidate, SiftingReason.SAME_LABEL, "small models refute it on both sides")
        if fault := self._premise_fault(candidate, screen, found):
            return TurnedDown(candidate, *fault)
        fingerprint = screen.fingerprint(candidate.premises, candidate.conjecture)
        if earlier := self._earlier_with(fingerprint, candidate):
            detail = "up to renaming equivalent over all small models to"
            return TurnedDown(candidate, SiftingReason.EQUIVALENT, detail, earlier)
        if not self._needs_hint:
            return None
        if not found.flips:
            detail = "no small model refutes it on either side"
            return TurnedDown(candidate, Unfit.NO_SMALL_COUNTERMODEL, detail)
        if unfit := countermodel_fault(self._select, screen, found):
            return TurnedDown(candidate, Unfit.COUNTERMODEL_SIZE, unfit)
        return self._without_room(candidate, found)

    def _premise_fault(
        self, candidate: Candidate, screen: Screen, found: Hint
    ) -> tuple[SiftingReason, str] | None:
        """Why a premise, or all together, cannot matter: they say nothing, or nothing satisfies them."""
        a, b = (screen.members(side) for side in self._contrast.sides)
        premises, conjecture = candidate.premises, candidate.conjecture
        truths = [screen.truths(premise) for premise in premises]
        for number, true in enumerate(truths, start=1):
            if true & (a | b) == a | b:
                return SiftingReason.VALID_PREMISE, f"premise {number} is valid on both sides"
        for name, members in (("a", a), ("b", b)) if premises else ():
            if not reduce(and_, truths, members):
                detail = f"no small model of side {name} satisfies the premises"
                return SiftingReason.CONTRADICTORY_PREMISE, detail
        for number in range(len(premises)):
            others = premises[:number] + premises[number + 1 :]
            if hint(screen, self._contrast, others, conjecture).labels == found.labels:
                detail = f"without premise {number + 1} the labels are the same"
                return SiftingReason.IDLE_PREMISE, detail
        return None

    def _without_room(self, candidate: Candidate, found: Hint) -> TurnedDown | None:
        """A candidate for which there is no room; if there is, it takes its place in its family."""
        waiting = len(self._waiting.get((found.labels, self._shape(candidate)), ()))
        if waiting and waiting >= self._quota:
            detail = f"{waiting} like it lack a partner of the other direction"
            return TurnedDown(candidate, SiftingReason.DIRECTION_FULL, detail)
        schema = family(candidate.premises, candidate.conjecture)
        if self._families[schema] >= self._most_of_family:
            detail = f"there are {self._families[schema]} of the family {schema}"
            return TurnedDown(candidate, SiftingReason.FAMILY_FULL, detail)
        self._families[schema] += 1
        return None

    def couple(self, candidate: Candidate) -> Iterator[Candidate]:
        """The candidate and one that waited for it, valid on the other side; nothing if it has to wait."""
        screen = self._screen(candidate)
        assert screen is not None, "without a screen it is turned down"
        labels = hint(screen, self._contrast, candidate.premises, candidate.conjecture).labels
        shape = self._shape(candidate)
        partners = self._waiting.get((labels[::-1], shape))
        if partners:
            partner = partners.popleft()
            yield from (candidate, partner) if labels[0] else (partner, candidate)
        else:
            self._waiting.setdefault((labels, shape), deque()).append(candidate)

    def _shape(self, candidate: Candidate) -> _Shape:
        """What the candidates of a couple have in common."""
        depths = [max(map(depth, candidate.formulas)) for depth in (modal_depth, quantifier_depth)]
        if not self._select.matched:
            return tuple(depths), ()
        nodes = (type(node).__name__ for formula in candidate.formulas for node in subformulas(formula))
        return tuple(depths), tuple(sorted(Counter(nodes).items()))
