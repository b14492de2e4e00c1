"""Bounded search for Kripke countermodels: expansion to clauses, decided by Z3's SAT solver.

The sizes are tried within growing bounds (1,1), (2,2), (3,3), … of worlds and individuals, up to the
limits. Of the first bound that admits a countermodel, the one with the fewest worlds and then the
fewest individuals is taken, and of these the first in lexicographic order (`Expansion.ordered`),
found by asking, variable by variable, whether it can be false given what was settled before. So the
countermodel depends on the problem alone and not on the solver, its version or what it did before.

Each size stands for exactly so many worlds. More worlds do not include fewer: a functional and
universal frame has one world, and global premises can demand an even number. More individuals do
include fewer, since no formula notices an individual that exists nowhere or, on constant domains,
one that is in all respects like another.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import z3

from modalgen.formula import QUANTIFIERS, subformulas
from modalgen.kripke import KripkeModel, objection
from modalgen.oracle.kripke_cnf import Expansion, ExpansionTooLarge, expand
from modalgen.oracle.verdict import Limits, SzsStatus, Verdict
from modalgen.oracle.z3_sat import SatQuery, SolverStopped
from modalgen.problem import Problem

# In characters; of a longer translation only the header and the hash are kept.
LONGEST_TRANSLATION = 65536


@dataclass(frozen=True)
class Search:
    """What a search did.

    `sizes` are the sizes asked for, in order: worlds, individuals (0 without domains), and whether
    there is a countermodel of exactly so many worlds and at most so many individuals; None if that
    was not found out. `countermodel` is the least one, as the module defines it. `last` is the
    expansion for its size or, without one, for the size last asked. `unfinished` says in words why
    the search was cut short, and `timed_out` whether the wall time did it.
    """

    sizes: tuple[tuple[int, int, bool | None], ...]
    countermodel: KripkeModel | None
    last: Expansion | None
    unfinished: str = ""
    timed_out: bool = False


class SearchUnfinished(Exception):
    """The limits cut the search short before the least countermodel was found or excluded."""


def bounds(problem: Problem, worlds: int, individuals: int) -> list[tuple[int, int]]:
    """The bounds within which to search, each more than the last: (1,1), (2,2), … up to the given one.

    One individual is enough where nothing quantifies, and there is none without domains.
    """
    if problem.semantics.domain is None:
        individuals = 0
    elif not any(isinstance(s, QUANTIFIERS) for f in problem.formulas for s in subformulas(f)):
        individuals = min(individuals, 1)
    if worlds < 1 or (individuals < 1 and problem.semantics.domain is not None):
        return []
    steps = range(1, max(worlds, individuals) + 1)
    return [(min(k, worlds), min(k, individuals)) for k in steps]


def search(problem: Problem, limits: Limits) -> Search:
    """Search all sizes up to `limits.worlds` and `limits.individuals` for the least countermodel.

    A step is a clause of an expansion or a unit of Z3's resource count. Unless time or memory runs
    out, the result is the same in every run.
    """
    run = _Run(problem, limits)
    refuted: dict[int, int] = {}
    try:
        for most_worlds, most in bounds(problem, limits.worlds, limits.individuals):
            for worlds in range(1, most_worlds + 1):
                if refuted.get(worlds, -1) < most:
                    model = run.ask(worlds, most)
                    if model is not None:
                        for fewer in range(max(refuted.get(worlds, 0), 0) + 1, most):
                            ...
                    refuted[worlds] = most
    except _CutShort as error:
        pass
