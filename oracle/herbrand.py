"""The certificate prover: lazy grounding, refuted by a SAT solver, and put in the order of a tableau.

A SAT solver (Glucose, through PySAT) looks for an assignment in which every step that has its assumptions has
one of its cases; what such an assignment leaves unsatisfied is grounded next (`modalgen.oracle.grounding`).
If there is none, the steps that it needed are reduced until none can be left out, and then put in the order
in which a hyper tableau (Baumgartner, Furbach, Niemelä, "Hyper Tableaux", JELIA 1996) refutes them: what
follows without a distinction of cases first. That is the certificate, which `modalgen.certificate`
describes and checks. What is not refuted within the limits is no evidence.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from itertools import product
from typing import Any

from pysat.solvers import Glucose4

from modalgen.certificate import CertificateError, Fact, Inference, Inferences, check, contradictory
from modalgen.oracle.grounding import OWN_RULES, Grounding, OutOfBudget, Step
from modalgen.oracle.verdict import Limits, SzsStatus, Verdict
from modalgen.printing import to_unicode
from modalgen.problem import Problem

# Terms nest this deep at most, and a grounding has this many steps at most.
MAX_LEVEL = 6
MAX_STEPS = 20_000

_OUT_OF_TIME = "the time was used up"


class _Encoding:
    """Facts as propositional variables. That something is true and that it is false are two of them."""

    def __init__(self) -> None:
        self.numbers: dict[Fact, int] = {}
        # That not both are the case, for each pair of them; these clauses hold whatever the steps are.
        self.exclusions: list[list[int]] = []

    def clauses(self, inference: Inference) -> list[list[int]]:
        """The clauses of a step: what it assumes does not hold, or one of its cases does."""
        assumed, cases = inference
        body = [-self._number(fact) for fact in assumed]
        return [[*body, *facts] for facts in product(*([self._number(f) for f in case] for case in cases))]

    def reading(self, assignment: Sequence[int]) -> Callable[[Fact], bool]:
        """Which facts are true in an assignment, given by the literals of all variables in order."""
        numbers = self.numbers
        return lambda fact: fact in numbers and assignment[numbers[fact] - 1] > 0

    def _number(self, fact: Fact) -> int:
        if fact not in self.numbers:
            self.numbers[fact] = len(self.numbers) + 1
            if opposite := self.numbers.get((not fact[0], *fact[1:])):
                self.exclusions.append([-self.numbers[fact], -opposite])
        return self.numbers[fact]


def minimal_core(steps: Mapping[Step, Inference]) -> list[Step]:
    """Of steps that are contradictory, some that are, and are no more when any one is left out."""
    encoding = _Encoding()
    clauses = [encoding.clauses(inference) for inference in steps.values()]
    switches = range(len(encoding.numbers) + 1, len(encoding.numbers) + 1 + len(clauses))
    with Glucose4() as solver:
        solver.append_formula(encoding.exclusions)
        for switch, step in zip(switches, clauses, strict=True):
            solver.append_formula([-switch, *clause] for clause in step)
        solver.solve(assumptions=list(switches))
        core: list[int] = sorted(solver.get_core())
        for switch in list(core):
            rest = [other for other in core if other != switch]
            if switch in core and not solver.solve(assumptions=rest):
                core = sorted(solver.get_core() or [])
    names = list(steps)
    return [names[switch - switches[0]] for switch in core]


def tableau(steps: Mapping[Step, Inference]) -> list[Step]:
    """The steps in the order in which a tableau closes with them, with those of every case repeated.

    In each case a step with the fewest cases that are possible there comes next. Raises ValueError if a
    case stays open, which does not happen to contradictory steps.
    """
    order: list[Step] = []
    pending: list[frozenset[Fact]] = [frozenset()]
    while pending:
        facts = pending.pop()
        best: list[frozenset[Fact]] | None = None
        for step, (assumed, cases) in steps.items():
            if facts.issuperset(assumed) and not any(map(facts.issuperset, cases)):
                possible = [facts.union(case) for case in cases if not _clash(facts.union(case), case)]
                if best is None or len(possible) < len(best):
                    best, chosen = possible, step
                    if len(possible) < 2:
                        break
        if best is None:
            raise ValueError("the steps leave a case open")
        order.append(chosen)
        pending += best
    return order


def _clash(facts: frozenset[Fact], new: Iterable[Fact]) -> bool:
    return any((not value, *rest) in facts for value, *rest in new)


def in_order(steps: Mapping[Step, Inference]) -> list[Step]:
    """The steps of a minimal core as a certificate lists them: without our own, in the order of a tableau.

    The checker reads one list in all cases. Where no single order suits them all, steps are repeated.
    """
    trace = [step for step in tableau(steps) if step[0] not in OWN_RULES]
    order = list(dict.fromkeys(trace))
    if not _refuted(steps, order):
        order = trace
    if (
        len(order) < len(steps) or order is trace
    ):  # what the checker does by itself may make steps superfluous
        for position in reversed(range(len(order))):
            less = order[:position] + order[position + 1 :]
            if _refuted(steps, less):
                order = less
    return order


def _refuted(steps: Mapping[Step, Inference], order: Iterable[Step]) -> bool:
    return contradictory([steps[step] for step in order])


def certificate(grounding: Grounding, steps: Iterable[Step]) -> dict[str, Any]:
    """The steps as a certificate, with the terms that their facts need and no others."""
    numbers: dict[int, int] = {}
    table: list[list[Any]] = []

    def number(term: int) -> int:
        if term not in numbers:
            row = written(grounding.names[term])
            numbers[term] = len(table)
            table.append(row)
        return numbers[term]

    def written(row: Step) -> list[Any]:
        kept = 2 if row[0] in ("witness", "true", "false", "premise", "global") else 1
        return [*row[:kept], *map(number, row[kept:])]

    listed = []
    for step in steps:
        listed.append(written(step))
        assumed, cases = grounding.steps[step]
        for fact in (*assumed, *(fact for case in cases for fact in case)):
            for term in fact[2:]:
                number(term)
    return {"kind": "herbrand", "terms": table, "steps": listed}


class HerbrandProver:
    """The certificate prover as a decider. It only proves."""

    name = "herbrand"
    route = "herbrand-grounding"

    def path(self) -> str | None:
        """It is part of modalgen."""
        return __file__

    def version(self) -> str:
        """The versions of modalgen and of PySAT, whose solver it uses."""
        return _versions()

    def decide(self, problem: Problem, limits: Limits) -> Verdict:
        """Look for a certificate, level by level. Decisive only with one that the checker accepts."""
        started = time.monotonic()
        most_steps = min(limits.steps, MAX_STEPS)
        found, note = _prove(problem, most_steps, started + limits.wall_seconds)
        failure = SzsStatus.TIMEOUT if note == _OUT_OF_TIME else SzsStatus.GAVE_UP
        if found is not None:
            try:
                check(problem, found)
            except CertificateError as error:
                found, failure = None, SzsStatus.ERROR
                note = f"a bug: the checker refuses the certificate: {error}"
        status = SzsStatus.THEOREM if found is not None else failure
        return Verdict(
            decider=self.name,
            route=self.route,
            version=self.version(),
            translation="\n".join(
                f"{number}: {to_unicode(node)}" for number, node in enumerate(Inferences(problem).nodes)
            ),
            command=(self.name, f"--levels={MAX_LEVEL}", f"--steps={most_steps}"),
            status=status,
            seconds=time.monotonic() - started,
            exit_code=None,
            stdout="" if found is None else json.dumps(found),
            certificate=found,
            note=note,
        )


@cache
def _versions() -> str:
    return f"modalgen {version('modalgen')}, PySAT {version('python-sat')}"


def _prove(problem: Problem, most_steps: int, deadline: float) -> tuple[dict[str, Any] | None, str]:
    """A certificate, or None and why there is none."""
    encoding = _Encoding()
    encoded = 0
    try:
        with Glucose4() as solver:
            grounding = Grounding(problem, most_steps)
            while True:
                for inference in list(grounding.steps.values())[encoded:]:
                    solver.append_formula(encoding.clauses(inference))
                solver.append_formula(encoding.exclusions)
                encoded, encoding.exclusions = len(grounding.steps), []
                if not solver.solve():
                    core = minimal_core(grounding.steps)
                    order = in_order({step: grounding.steps[step] for step in core})
                    return certificate(grounding, order), ""
                if time.monotonic() > deadline:
                    return None, _OUT_OF_TIME
                true = encoding.reading(solver.get_model())
                if ended := grounding.extend(true, MAX_LEVEL):
                    return None, ended
    except OutOfBudget:
        return None, f"the grounding has more than {most_steps} steps"
