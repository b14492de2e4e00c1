"""The certificate prover: lazy grounding of the standard translation, refuted by a SAT solver.

Clauses are generated from the possible atoms outwards: an instance of a rule is added only when all
atoms that it assumes may be true, that is, occur positively in some clause already (the idea of
lazy grounding in answer set programming; Gebser, Kaminski, Kaufmann, Schaub 2012, *Answer Set
Solving in Practice*, chapter 4). Witness terms nest level by level. After each level a SAT solver
(Glucose, through PySAT) looks for an assignment; if there is none, the clauses that it needed are
the certificate, which `modalgen.certificate` describes and checks. What is not refuted within the
levels is no evidence.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

from pysat.solvers import Glucose4

from modalgen.certificate import CertificateError, Clauses, check
from modalgen.formula import (
    QUANTIFIERS,
    And,
    Box,
    Diamond,
    Exists,
    Forall,
    Or,
    Top,
    free_variables,
    subformulas,
)
from modalgen.oracle.verdict import Limits, SzsStatus, Verdict
from modalgen.printing import to_unicode
from modalgen.problem import Problem

# Witnesses nest this deep at most, and a grounding has this many clauses at most.
MAX_LEVEL = 6
MAX_CLAUSES = 20_000

Step = tuple[Any, ...]
_WORLDS_OF = {"D": (2,), "P": (2,), "E": (1,), "R": (1, 2)}


class OutOfBudget(Exception):
    """The grounding would exceed its number of clauses."""


class Grounding:
    """The clauses generated so far for one problem, and the atoms that they make possible."""

    def __init__(self, problem: Problem, max_clauses: int = MAX_CLAUSES) -> None:
        self.problem = problem
        self.conditions = {*problem.semantics.frame, problem.semantics.domain}
        self.clauses = Clauses(problem, [])
        self.steps: dict[Step, list[tuple[bool, Any]]] = {}
        self.level = 1
        self._max_clauses = max_clauses
        self._quantified = any(isinstance(s, QUANTIFIERS) for f in problem.formulas for s in subformulas(f))
        self._numbers: dict[Step, int] = {}
        self._depths: list[int] = []
        self._possible: dict[Any, None] = {}
        self._queue: deque[Any] = deque()
        self._deferred: list[Any] = []
        self._successors: list[list[int]] = []
        self._predecessors: list[list[int]] = []
        self._boxes: list[list[Step]] = []
        self._foralls: list[list[Step]] = []
        self._inhabitants: list[list[int]] = []
        self._equal: list[list[int]] = []
        self._worlds: list[int] = []
        root = self._term("root")
        for number in range(len(problem.premises)):
            self._add("premise", number, root)
        self._add("conjecture", self._term("cex") if problem.global_conjecture else root)
        self._saturate()

    def deepen(self) -> bool:
        """Let witnesses nest one level deeper. False if no witness was held back, so nothing changes."""
        self.level += 1
        held_back, self._deferred = self._deferred, []
        self._queue.extend(held_back)
        self._saturate()
        return bool(held_back)

    def _saturate(self) -> None:
        while self._queue:
            for step in self._instances(self._queue.popleft()):
                self._add(*step)

    def _add(self, *step: Any) -> None:
        if step in self.steps:
            return
        if len(self.steps) >= self._max_clauses:
            raise OutOfBudget
        clause = self.steps[step] = self.clauses.of(*step)
        for positive, atom in clause:
            if positive and atom not in self._possible:
                self._possible[atom] = None
                self._queue.append(atom)

    def _term(self, *name: Any) -> int:
        if name not in self._numbers:
            number = self._numbers[name] = self.clauses.name(*name)
            self._depths.append(self._depth(name))
            for index in (self._successors, self._predecessors, self._inhabitants, self._equal):
                index.append([])
            for occurrences in (self._boxes, self._foralls):
                occurrences.append([])
            self._queue.append(("term", number))
        return self._numbers[name]

    def _depth(self, name: Step) -> int:
        terms = name[2:] if name[0] in ("dia", "ex") else name[1:]
        return max((1 + self._depths[t] for t in terms), default=0)

    def _witness(self, because: Any, *name: Any) -> int | None:
        """The term's number; None if it is too deep for now, and *because* will be tried again."""
        if name not in self._numbers and self._depth(name) > self.level:
            self._deferred.append(because)
            return None
        return self._term(*name)

    def _instances(self, atom: Any) -> Iterator[Step]:
        """The steps that an atom's becoming possible makes relevant (for a new term: its existence)."""
        match atom:
            case ("term", number):
                if self.clauses.sorts[number] == "world":
                    yield from self._new_world(number, atom)
                elif self.clauses.constant:
                    self._inhabitants[0].append(number)
                    for world in self._worlds:
                        yield from (("all", number, *occurrence) for occurrence in self._foralls[world])
            case ("D", k, w, *xs):
                yield from self._truth_condition(atom, k, w, tuple(xs))
            case ("R", w, v):
                if v not in self._successors[w]:
                    self._successors[w].append(v)
                    self._predecessors[v].append(w)
                yield from (("box", v, *occurrence) for occurrence in self._boxes[w])
                yield from self._frame_conditions(atom, w, v)
            case ("E", w, y):
                self._inhabitants[w].append(y)
                yield from (("all", y, *occurrence) for occurrence in self._foralls[w])
                if "cumulative" in self.conditions:
                    yield from (("cumulative", w, v, y) for v in self._successors[w])
                if "decreasing" in self.conditions:
                    yield from (("decreasing", v, w, y) for v in self._predecessors[w])
            case ("=", v, u):
                yield "equal-reversed", v, u
                self._equal[v].append(u)
                for other in list(self._possible):
                    yield from _replacements(other, v, u)
        for place in _WORLDS_OF.get(atom[0], ()):
            for u in self._equal[atom[place]]:
                yield from _replacements(atom, atom[place], u)

    def _new_world(self, w: int, because: Any) -> Iterator[Step]:
        if w not in self._worlds:
            self._worlds.append(w)
        yield from (("global", number, w) for number in range(len(self.problem.global_premises)))
        if "reflexive" in self.conditions:
            yield "reflexive", w
        if "universal" in self.conditions:
            for v in self._worlds:
                yield "universal", w, v
                yield "universal", v, w
        if "serial" in self.conditions and (s := self._witness(because, "ser", w)) is not None:
            yield "serial", w, s
        if self._quantified and not self.clauses.constant:
            yield "nonempty", w, self._term("ne", w)
        if self._quantified and self.clauses.constant:
            self._term("ne", 0)

    def _truth_condition(self, atom: Any, k: int, w: int, xs: Step) -> Iterator[Step]:
        occurrence = (k, w, *xs)
        match self.clauses.sub.nodes[k]:
            case Top():
                pass
            case And():
                yield "and", 0, *occurrence
                yield "and", 1, *occurrence
            case Or():
                yield "or", *occurrence
            case Box():
                self._boxes[w].append(occurrence)
                yield from (("box", v, *occurrence) for v in self._successors[w])
            case Diamond():
                if (v := self._witness(atom, "dia", *occurrence)) is not None:
                    yield "dia", v, *occurrence
                    yield "dia-body", v, *occurrence
            case Forall(x, body):
                inhabitants = self._inhabitants[0 if self.clauses.constant else w]
                if x not in free_variables(body):  # one inhabitant is as good as all
                    some = self._term("ne", 0 if self.clauses.constant else w)
                    yield "all", some, *occurrence
                    return
                self._foralls[w].append(occurrence)
                yield from (("all", y, *occurrence) for y in inhabitants)
            case Exists(x, body):
                if (y := self._witness(atom, "ex", *occurrence)) is not None:
                    if x in free_variables(body) and not self.clauses.constant:
                        yield "some", y, *occurrence
                    yield "some-body", y, *occurrence
            case _:
                yield "literal", *occurrence

    def _frame_conditions(self, atom: Any, w: int, v: int) -> Iterator[Step]:
        after, beside, before = self._successors[v], self._successors[w], self._predecessors[w]
        for condition in self.problem.semantics.frame:
            match condition:
                case "symmetric" | "shift-reflexive":
                    yield condition, w, v
                case "transitive":
                    yield from ((condition, w, v, u) for u in after)
                    yield from ((condition, u, w, v) for u in before)
                case "euclidean":
                    for u in beside:
                        yield condition, w, v, u
                        yield condition, w, u, v
                case "functional" | "weakly-connected":
                    yield from ((condition, w, v, u) for u in beside if u != v)
                case "dense":
                    if (d := self._witness(atom, "den", w, v)) is not None:
                        yield "dense-1", w, v, d
                        yield "dense-2", w, v, d
                case "convergent":
                    for u in beside:
                        if (c := self._witness(atom, "con", w, v, u)) is not None:
                            yield "convergent-1", w, v, u, c
                            yield "convergent-2", w, v, u, c
        if "cumulative" in self.conditions:
            yield from (("cumulative", w, v, y) for y in self._inhabitants[w])
        if "decreasing" in self.conditions:
            yield from (("decreasing", w, v, y) for y in self._inhabitants[v])


def _replacements(atom: Any, v: int, u: int) -> Iterator[Step]:
    for place in _WORLDS_OF.get(atom[0], ()):
        if atom[place] == v:
            yield "equal", v, u, place, *atom


def refuting_steps(steps: dict[Step, list[tuple[bool, Any]]]) -> list[Step] | None:
    """A set of steps with contradictory clauses, none of which can be left out; None if there is none."""
    numbers: dict[Any, int] = {}
    switches = list(range(1, len(steps) + 1))
    names = list(steps)
    with Glucose4() as solver:
        for switch, clause in zip(switches, steps.values(), strict=True):
            literals = [
                (1 if s else -1) * numbers.setdefault(a, len(steps) + 1 + len(numbers)) for s, a in clause
            ]
            solver.add_clause([-switch, *literals])
        if solver.solve(assumptions=switches):
            return None
        core: list[int] = sorted(solver.get_core())
        for switch in list(core):
            rest = [other for other in core if other != switch]
            if switch in core and not solver.solve(assumptions=rest):
                core = sorted(solver.get_core() or [])
    return [names[switch - 1] for switch in core]


# Which arguments of a rule are numbers of subformulas and the like (n) and which of terms (t); the
# arguments beyond are terms.
_STEP_SHAPES = {
    "premise": "n", "global": "n", "literal": "n", "or": "n", "and": "nn", "box": "tn", "dia": "tn",
    "dia-body": "tn", "all": "tn", "some": "tn", "some-body": "tn", "equal": "ttn",
}  # fmt: skip
_TERM_SHAPES = {"dia": "n", "ex": "n"}
_ATOM_SHAPES = {"D": "nn", "P": "nn", "E": "n", "R": "n"}


def certificate(terms: list[Step], steps: list[Step]) -> dict[str, Any]:
    """The steps as a certificate, with the terms that they need and no others."""
    numbers: dict[int, int] = {}
    table: list[list[Any]] = []

    def number(term: int) -> int:
        if term not in numbers:
            name, *arguments = terms[term]
            renamed = [name, *_relabelled(arguments, _TERM_SHAPES.get(name, ""), number)]
            numbers[term] = len(table)
            table.append(renamed)
        return numbers[term]

    renamed_steps = []
    for rule, *arguments in steps:
        shape = _STEP_SHAPES.get(rule, "")
        if rule == "equal":
            shape += _ATOM_SHAPES[arguments[3]]
        renamed_steps.append([rule, *_relabelled(arguments, shape, number)])
    return {"kind": "herbrand", "terms": table, "steps": renamed_steps}


def _relabelled(arguments: list[Any], shape: str, number: Callable[[int], int]) -> list[Any]:
    return [a if shape[i : i + 1] == "n" else number(a) for i, a in enumerate(arguments)]


class HerbrandProver:
    """The certificate prover as a decider. It only proves."""

    name = "herbrand"
    route = "herbrand-grounding"

    def path(self) -> str | None:
        """It is part of modalgen."""
        return __file__

    def version(self) -> str:
        """The versions of modalgen and of PySAT, whose solver it uses."""
        return f"modalgen {version('modalgen')}, PySAT {version('python-sat')}"

    def decide(self, problem: Problem, limits: Limits) -> Verdict:
        """Look for a certificate, level by level. Decisive only with one that the checker accepts."""
        started = time.monotonic()
        found, note = _prove(problem, started + limits.wall_seconds)
        if found is not None:
            try:
                check(problem, found)
            except CertificateError as error:
                found, note = None, f"a bug: the checker refuses the certificate: {error}"
        status = SzsStatus.THEOREM if found is not None else SzsStatus.GAVE_UP
        return Verdict(
            decider=self.name,
            route=self.route,
            version=self.version(),
            translation="\n".join(
                f"{number}: {to_unicode(node)}" for number, node in enumerate(Clauses(problem, []).sub.nodes)
            ),
            command=(self.name, f"--levels={MAX_LEVEL}", f"--clauses={MAX_CLAUSES}"),
            status=status,
            seconds=time.monotonic() - started,
            exit_code=None,
            stdout="" if found is None else json.dumps(found),
            certificate=found,
            note=note,
        )


def _prove(problem: Problem, deadline: float) -> tuple[dict[str, Any] | None, str]:
    """A certificate, or None and why there is none."""
    try:
        grounding = Grounding(problem)
        while True:
            steps = refuting_steps(grounding.steps)
            if steps is not None:
                return certificate(grounding.clauses.terms, steps), ""
            if grounding.level == MAX_LEVEL:
                return None, f"not refuted with witnesses nested {MAX_LEVEL} deep"
            if time.monotonic() > deadline:
                return None, "the time was used up"
            if not grounding.deepen():
                return None, "all instances together have a model"
    except OutOfBudget:
        return None, f"the grounding has more than {MAX_CLAUSES} clauses"
