"""A problem: premises and a conjecture, to be judged under one semantics."""

from __future__ import annotations

from dataclasses import dataclass

from modalgen.formula import Formula, free_variables, is_first_order, predicates
from modalgen.semantics import Semantics


@dataclass(frozen=True)
class Problem:
    """Does the conjecture follow from the premises in this class of models?

    `premises` are local (true at the designated world), `global_premises` are true at every world.
    The conjecture is judged at the designated world, or at every world if `global_conjecture`. With
    local premises only this is local consequence, with no premises validity (Blackburn, de Rijke,
    Venema 2001, section 1.5); the TPTP's non-classical problems can mix both.

    Raises ValueError, in words for the author of the problem, if a formula is open, a predicate is
    used with two arities, or a first-order formula meets a semantics without a domain regime.
    """

    semantics: Semantics
    premises: tuple[Formula, ...]
    conjecture: Formula
    global_premises: tuple[Formula, ...] = ()
    global_conjecture: bool = False

    def __post_init__(self) -> None:
        for formula in self.formulas:
            if free := sorted(free_variables(formula)):
                raise ValueError(f"variable {free[0]!r} is free; bind it with ∀{free[0]} or ∃{free[0]}")
        arities: dict[str, int] = {}
        for name, arity in sorted(self.signature):
            if name in arities:
                raise ValueError(
                    f"predicate {name!r} is used with {arities[name]} and with {arity} arguments"
                )
            arities[name] = arity
        if self.semantics.domain is None and any(is_first_order(f) for f in self.formulas):
            raise ValueError("a first-order problem needs a domain regime (varying, cumulative, …)")

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """All formulas: global premises, premises, conjecture."""
        return (*self.global_premises, *self.premises, self.conjecture)

    @property
    def signature(self) -> frozenset[tuple[str, int]]:
        """The predicate symbols that occur, with their arities."""
        return frozenset[tuple[str, int]]().union(*(predicates(f) for f in self.formulas))
