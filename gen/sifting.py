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
from math import ceil

from modalgen.formula import modal_depth, predicates
from modalgen.gen.candidate import Candidate
from modalgen.gen.candidates import candidates
from modalgen.gen.canonical import canonical_key, family
from modalgen.gen.contrast import Contrast
from modalgen.gen.requirements import Hint, Unfit, countermodel_fault, depth_fault, hint
from modalgen.gen.screen import Screen, ScreenTooLarge, screen_for
from modalgen.gen.structure import structural_faults
from modalgen.printing import to_unicode


class SiftingReason(StrEnum):
    """Why a candidate is turned down that is sound by itself."""

    DUPLICATE = "duplicate"
    EQUIVALENT = "equivalent"
    VALID_PREMISE = "valid_premise"
    CONTRADICTORY_PREMISE = "contradictory_premise"
    SAME_LABEL = "same_label"
    NOT_SCREENED = "not_screened"
    FAMILY_FULL = "family_full"
    DIRECTION_FULL = "direction_full"


@dataclass(frozen=True)
class TurnedDown:
    """A candidate that the oracle is not asked about: the reason's code and the reason in words."""

    candidate: Candidate
    reason: str
    detail: str


def sifted(contrast: Contrast, task: str) -> Iterator[Candidate | TurnedDown]:
    """The candidates of a task in order, with those that are turned down.

    If the selection is balanced, the candidates come in couples, one after the other: of equal modal
    depth, the first valid on side a only and the second on side b only, as far as the screen can tell.
    """
    sieve = _Sieve(contrast, task)
    for candidate in candidates(contrast, task, contrast.select.seed):
        objection = sieve.objection(candidate)
        if objection is not None:
            yield TurnedDown(candidate, *objection)
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
        # By the side that is valid and the modal depth, those without a partner.
        self._waiting: dict[tuple[tuple[bool, bool], int], deque[Candidate]] = {}

    def objection(self, candidate: Candidate) -> tuple[str, str] | None:
        """Why the candidate is turned down, as a code and in words; None if it is let through."""
        if faults := structural_faults(candidate, self._contrast):
            return faults[0].reason, "; ".join(fault.detail for fault in faults)
        key = canonical_key(candidate.premises, candidate.conjecture)
        if first := self._same(key, candidate):
            return SiftingReason.DUPLICATE, f"the same up to renaming and equivalence as {first}"
        if fault := depth_fault(self._select, candidate.formulas):
            return Unfit.TOO_SHALLOW, fault
        screen = self._screen(candidate)
        if screen is not None:
            return self._screened_objection(candidate, screen)
        if self._needs_hint:
            return SiftingReason.NOT_SCREENED, "its symbols make too many small models to foresee its labels"
        return None

    def _same(self, key: object, candidate: Candidate) -> str | None:
        """An earlier candidate with this key as text, None if this is the first."""
        first = self._earlier.setdefault(key, candidate)
        if first is candidate:
            return None
        return f"{', '.join(map(to_unicode, first.premises))} ⊢ {to_unicode(first.conjecture)}".lstrip()

    def _screen(self, candidate: Candidate) -> Screen | None:
        try:
            return screen_for(
                frozenset[tuple[str, int]]().union(*map(predicates, candidate.formulas)), self._contrast.sides
            )
        except ScreenTooLarge:
            return None

    def _screened_objection(self, candidate: Candidate, screen: Screen) -> tuple[str, str] | None:
        found = hint(screen, self._contrast, candidate.premises, candidate.conjecture)
        if all(found.countermodels):
            return SiftingReason.SAME_LABEL, "small models refute it on both sides"
        everything = screen.members(self._contrast.sides[0]) | screen.members(self._contrast.sides[1])
        for number, premise in enumerate(candidate.premises, start=1):
            true = screen.truths(premise) & everything
            if true == everything:
                return SiftingReason.VALID_PREMISE, f"premise {number} is valid on both sides"
            if not true:
                return SiftingReason.CONTRADICTORY_PREMISE, f"premise {number} is contradictory on both sides"
        if first := self._same(screen.fingerprint(candidate.premises, candidate.conjecture), candidate):
            return SiftingReason.EQUIVALENT, f"up to renaming equivalent over all small models to {first}"
        if not self._needs_hint:
            return None
        if not found.flips:
            return Unfit.NO_SMALL_COUNTERMODEL, "no small model refutes it on either side"
        if fault := countermodel_fault(self._select, screen, found):
            return Unfit.COUNTERMODEL_SIZE, fault
        return self._quota_objection(candidate, found)

    def _quota_objection(self, candidate: Candidate, found: Hint) -> tuple[str, str] | None:
        """Why there is no room for a candidate; if there is, it takes its place in its family."""
        waiting = self._waiting.get((found.labels, _depth(candidate)), ())
        if len(waiting) >= self._quota:
            return (
                SiftingReason.DIRECTION_FULL,
                f"{len(waiting)} like it lack a partner of the other direction",
            )
        schema = family(candidate.premises, candidate.conjecture)
        if self._families[schema] >= self._most_of_family:
            return SiftingReason.FAMILY_FULL, f"there are {self._families[schema]} of the family {schema}"
        self._families[schema] += 1
        return None

    def couple(self, candidate: Candidate) -> Iterator[Candidate]:
        """The candidate and one that waited for it, valid on the other side; nothing if it has to wait."""
        screen = self._screen(candidate)
        assert screen is not None, "without a screen it is turned down"
        labels = hint(screen, self._contrast, candidate.premises, candidate.conjecture).labels
        partners = self._waiting.get((labels[::-1], _depth(candidate)))
        if partners:
            partner = partners.popleft()
            yield from (candidate, partner) if labels[0] else (partner, candidate)
        else:
            self._waiting.setdefault((labels, _depth(candidate)), deque()).append(candidate)


def _depth(candidate: Candidate) -> int:
    return max(map(modal_depth, candidate.formulas))
