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
from dataclasses import dataclass, replace
from pathlib import Path

import z3

from modalgen.formula import QUANTIFIERS, subformulas
from modalgen.kripke import KripkeModel, objection
from modalgen.oracle.kripke_cnf import Expansion, ExpansionTooLarge, expand
from modalgen.oracle.small_models import exhaustive
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

    A step is a definition or clause of an expansion or a unit of Z3's resource count. The expansions
    and the first check of each size share `limits.steps`; each check that settles a variable of the
    countermodel may use what then remains. Unless time or memory runs out, the result is the same in
    every run.
    """
    run = _Run(problem, limits)
    refuted: dict[int, int] = {}
    try:
        for most_worlds, individuals in bounds(problem, limits.worlds, limits.individuals):
            for worlds in range(1, most_worlds + 1):
                if refuted.get(worlds, -1) < individuals:
                    model = run.least(worlds, individuals, refuted.get(worlds, 0))
                    if model is not None:
                        return Search(tuple(run.sizes), model, run.expansion)
                    refuted[worlds] = individuals
    except (ExpansionTooLarge, SearchUnfinished, SolverStopped) as error:
        return run.cut_short(str(error))
    except RecursionError:
        return run.cut_short("a formula is nested too deeply")
    return Search(tuple(run.sizes), None, run.expansion)


def find_countermodel(
    problem: Problem, worlds: int, individuals: int, limits: Limits | None = None
) -> KripkeModel | None:
    """The least countermodel with at most so many worlds and individuals, None if there is none.

    Steps, time and memory are those of *limits*; its own bounds are not looked at. Raises
    SearchUnfinished if they do not suffice.
    """
    result = search(problem, replace(limits or Limits(), worlds=worlds, individuals=individuals))
    if result.unfinished:
        raise SearchUnfinished(result.unfinished)
    return result.countermodel


class _Run:
    """One search: what was asked so far and what is left of the limits."""

    def __init__(self, problem: Problem, limits: Limits):
        self.problem = problem
        self.limits = limits
        self.deadline = time.monotonic() + limits.wall_seconds
        self.steps_left = limits.steps
        self.asking = (0, 0)
        self.sizes: list[tuple[int, int, bool | None]] = []
        self.expansion: Expansion | None = None

    def seconds_left(self) -> float:
        return self.deadline - time.monotonic()

    def cut_short(self, reason: str) -> Search:
        if self.asking not in [(worlds, individuals) for worlds, individuals, _ in self.sizes]:
            self.sizes.append((*self.asking, None))
        return Search(tuple(self.sizes), None, self.expansion, reason, timed_out=self.seconds_left() <= 0)

    def least(self, worlds: int, individuals: int, refuted: int) -> KripkeModel | None:
        """The countermodel with these worlds, the fewest individuals, and first in the order.

        It has at most *individuals* and more than *refuted* individuals.
        """
        self.asking = (worlds, individuals)
        expansion = expand(self.problem, worlds, individuals, self.steps_left)
        self.expansion = expansion
        self.steps_left -= expansion.clauses
        seconds = self.seconds_left()
        if seconds <= 0 or self.steps_left <= 0:
            raise SearchUnfinished(f"no {'time' if seconds <= 0 else 'steps'} left")
        with SatQuery(expansion.dimacs(), self.steps_left, seconds, self.limits.memory_mb) as query:
            satisfiable = query.check()
            self.steps_left -= query.steps()
            self.sizes.append((worlds, individuals, satisfiable))
            if not satisfiable:
                return None
            for fewer in range(refuted + 1, individuals):
                model = self.least(worlds, fewer, fewer - 1)
                if model is not None:
                    return model
            self.asking, self.expansion = (worlds, individuals), expansion
            return expansion.model(_first(query, expansion.ordered()))


def _first(query: SatQuery, variables: list[int]) -> set[int]:
    """The true variables of the first model in lexicographic order, false before true."""
    true = query.true(variables)
    settled: list[int] = []
    for i, variable in enumerate(variables):
        if variable in true and query.check([*settled, -variable]):
            true = (true & set(settled)) | query.true(variables[i + 1 :])
        settled.append(variable if variable in true else -variable)
    return true


class KripkeSearch:
    """The search as a decider, of countermodels only: it never reports a theorem."""

    name = "z3-kripke"
    route = "kripke-expansion"

    def version(self) -> str:
        """The version of Z3."""
        return str(z3.get_version_string())

    def path(self) -> str | None:
        """Where the Python package of Z3 is installed."""
        return str(Path(z3.__file__).parent)

    def decide(self, problem: Problem, limits: Limits) -> Verdict:
        """Search for the least countermodel within the limits.

        CounterSatisfiable comes with a countermodel that the reference evaluator accepted. GaveUp:
        none within the limits. Timeout, ResourceOut: cut short. Error: the evaluator rejected what
        was found, which is a bug here or there.
        """
        start = time.monotonic()
        result = search(problem, limits)
        status, note = _judged(problem, result)
        worlds, individuals = (result.last.worlds, result.last.individuals) if result.last else (0, 0)
        return Verdict(
            decider=self.name,
            route=self.route,
            version=self.version(),
            translation="" if result.last is None else translation(result.last),
            command=(self.name, "--worlds", str(worlds), "--individuals", str(individuals)),
            status=status,
            seconds=time.monotonic() - start,
            exit_code=None,
            stdout="".join(_line(size) for size in result.sizes),
            countermodel=result.countermodel if status is SzsStatus.COUNTER_SATISFIABLE else None,
            note=note,
        )


def _judged(problem: Problem, result: Search) -> tuple[SzsStatus, str]:
    if result.countermodel is not None:
        complaint = objection(result.countermodel, problem)
        if complaint is None:
            return SzsStatus.COUNTER_SATISFIABLE, ""
        return SzsStatus.ERROR, f"BUG: the evaluator rejects the countermodel that was found: {complaint}"
    if result.unfinished:
        status = SzsStatus.TIMEOUT if result.timed_out else SzsStatus.RESOURCE_OUT
        return status, f"the search was cut short: {result.unfinished}"
    if not result.sizes:
        return SzsStatus.GAVE_UP, "the limits leave no size to search"
    worlds = max(size[0] for size in result.sizes)
    individuals = max(size[1] for size in result.sizes)
    most = f" and {_counted(individuals, 'individual')}" if individuals else ""
    note = f"no countermodel has at most {_counted(worlds, 'world')}{most}"
    if reason := exhaustive(problem, worlds):
        note += f"; {reason}"
    return SzsStatus.GAVE_UP, note


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _line(size: tuple[int, int, bool | None]) -> str:
    worlds, individuals, answer = size
    text = {True: "countermodel", False: "none", None: "not found out"}[answer]
    return f"worlds {worlds} individuals {individuals}: {text}\n"


def translation(expansion: Expansion) -> str:
    """The DIMACS text that Z3 was given, after comment lines that say what the variables mean.

    Of a text longer than LONGEST_TRANSLATION only a header and the SHA-256 of the DIMACS text are kept.
    """
    dimacs = expansion.dimacs()
    header = f"c countermodels with {expansion.worlds} worlds and {expansion.individuals} individuals\n"
    legend = "".join(f"c {literal} {meaning}\n" for literal, meaning in expansion.legend())
    text = f"{header}c 1 is true\n{legend}{dimacs}"
    if len(text) <= LONGEST_TRANSLATION:
        return text
    digest = hashlib.sha256(dimacs.encode()).hexdigest()
    return (
        f"{header}c left out for its length: {dimacs.splitlines()[0]}\nc sha256 {digest}\n"
        "c it is modalgen.oracle.kripke_cnf.expand(problem, "
        f"{expansion.worlds}, {expansion.individuals}).dimacs()\n"
    )
