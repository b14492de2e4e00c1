"""A candidate: a problem that has neither semantics nor label yet."""

from __future__ import annotations

from dataclasses import dataclass

from modalgen.formula import Formula


@dataclass(frozen=True)
class Candidate:
    """A problem made from a template or a grammar, whose id `template` is."""

    template: str
    task: str
    premises: tuple[Formula, ...]
    conjecture: Formula

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The premises and the conjecture."""
        return (*self.premises, self.conjecture)
