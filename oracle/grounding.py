"""Lazy grounding: the steps of certificates that may matter to a problem, from its denial outwards.

A step is generated only when all facts that it assumes may hold, that is, occur in a case of some step
already (the idea of lazy grounding in answer set programming; Gebser, Kaminski, Kaufmann, Schaub 2012,
*Answer Set Solving in Practice*, chapter 4). Terms nest level by level: what would make a term that is
too deep waits until `deepen` lets it.

`modalgen.certificate` says what steps, terms and facts are, and gives every step its meaning. Only the
steps about equal worlds are our own, since the checker calls equal worlds by one name: ("turn", v, u) says
that u and v are one world if v and u are, ("same", v, u, *fact) that what holds of u holds of v then.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from modalgen.certificate import Fact, Inference, Inferences
from modalgen.formula import (
    MODAL,
    QUANTIFIERS,
    Box,
    Diamond,
    Exists,
    Forall,
    free_variables,
    subformulas,
)
from modalgen.problem import Problem

Step = tuple[Any, ...]
# The steps that are not steps of certificates.
OWN_RULES = ("turn", "same")

# What need not be instantiated, because another condition gives all that it gives.
_IMPLIED_BY = {
    "serial": {"reflexive", "universal"},
    "reflexive": {"universal"},
    "symmetric": {"universal"},
    "transitive": {"universal"},
    "euclidean": {"universal"},
    "shift-reflexive": {"reflexive", "euclidean", "universal"},
    "dense": {"reflexive", "shift-reflexive", "euclidean", "universal"},
    "convergent": {"symmetric", "euclidean", "universal"},
    "weakly-connected": {"euclidean", "functional", "universal"},
    "functional": set[str](),
    "universal": set[str](),
}
# A successor or an inhabitant of a world of which nothing says what all of them are like is named so many
# levels later than others: few proofs need it.
_LATER = 2


class OutOfBudget(Exception):
    """The grounding would exceed its number of steps."""


class Grounding:
    """The steps generated so far for one problem, with their meanings, and the facts that may hold.

    `waiting` are the facts, or conditions on a world, that ask for a term that is too deep.
    """

    def __init__(self, problem: Problem, most_steps: int) -> None:
        self.inferences = Inferences(problem)
        self.steps: dict[Step, Inference] = {}
        self.possible: dict[Fact, None] = {}
        self.waiting: list[Fact] = []
        self.names: list[Step] = []
        self.level = 1
        self._problem, self._most_steps, self._domain = problem, most_steps, problem.semantics.domain
        self._frame = [c for c in problem.semantics.frame if not _IMPLIED_BY[c] & {*problem.semantics.frame}]
        self._quantified = any(isinstance(s, QUANTIFIERS) for f in problem.formulas for s in subformulas(f))
        self._depths: list[int] = []
        self._queue: deque[Fact] = deque()
        self._worlds: list[int] = []
        # For each world: those that it may access and that may access it, the facts that speak of all of them,
        # the individuals that may exist there, the facts that speak of all of these, and the worlds with
        # smaller numbers that it may be.
        self._successors: list[list[int]] = []
        self._predecessors: list[list[int]] = []
        self._of_successors: list[list[Step]] = []
        self._inhabitants: list[list[int]] = []
        self._of_inhabitants: list[list[Step]] = []
        self._same: list[list[int]] = []
        self._term("root")
        if problem.global_conjecture:
            self._term("cex")
        self._add(("premise", number) for number in range(len(problem.premises)))
        self._add([("conjecture",)])
        self._saturate()

    def deepen(self) -> None:
        """Let terms nest one level deeper."""
        self.level += 1
        self._queue.extend(self.waiting)
        self.waiting = []
        self._saturate()

    def _saturate(self) -> None:
        while self._queue:
            self._add(self._relevant(self._queue.popleft()))

    def _add(self, steps: Iterable[Step]) -> None:
        for step in steps:
            if step not in self.steps:
                if len(self.steps) >= self._most_steps:
                    raise OutOfBudget
                inference = self.steps[step] = self._meaning(step)
                for case in inference[1]:
                    for fact in case:
                        if fact not in self.possible:
                            self.possible[fact] = None
                            self._queue.append(fact)

    def _meaning(self, step: Step) -> Inference:
        match step:
            case ("turn", v, u):
                return [(True, "=", v, u)], [[(True, "=", u, v)]]
            case ("same", v, u, *fact):
                replaced = (*fact[:2], *[v if t == u else t for t in fact[2:]])
                return [(True, "=", v, u), tuple(fact)], [[replaced]]
        return self.inferences.of(*step)

    def _term(self, *name: Any) -> int:
        if name not in self.inferences.terms:
            self.inferences.name(*name)
            self.names.append(name)
            self._depths.append(self._depth(name))
            for index in (self._successors, self._predecessors, self._inhabitants, self._same):
                index.append([])
            self._of_successors.append([])
            self._of_inhabitants.append([])
            self._queue.append((True, "new", self.inferences.terms[name]))
        return self.inferences.terms[name]

    def _depth(self, name: Step) -> int:
        about = name[2:] if name[0] == "witness" else name[1:]
        return max((1 + self._depths[t] for t in about), default=0)

    def _named(self, because: Fact, *name: Any, later: int = 0) -> bool:
        """Whether the term is there now. If it is too deep, *because* has to wait."""
        if name not in self.inferences.terms and self._depth(name) + later > self.level:
            self.waiting.append(because)
            return False
        self._term(*name)
        return True

    def _relevant(self, fact: Fact) -> Iterator[Step]:
        """The steps that a fact makes relevant when it becomes possible (or a term when it is new)."""
        match fact:
            case (_, "new", t):
                yield from self._new_term(t)
            case (_, "successor", w) if self._named(fact, "serial", w):
                yield "serial", w
            case (_, "serial", w) if self._named(fact, "serial", w, later=_LATER):
                yield "serial", w
            case (_, "nonempty", w) if self._named(fact, "nonempty", w, later=_LATER):
                yield "nonempty", w
            case (_, "R", w, v):
                yield from self._arrow(fact, w, v)
            case (_, "E", w, y):
                yield from self._existence(w, y)
            case (_, "=", v, u) if v > u:
                yield "turn", v, u
            case (_, "=", v, u) if v < u:
                self._same[u].append(v)
                yield from (("same", v, u, *other) for other in list(self.possible) if u in other[2:])
            case (value, int(), *_):
                yield from self._truth_condition(fact, value)
        if fact in self.possible:
            for u in dict.fromkeys(fact[2:]):
                yield from (("same", v, u, *fact) for v in self._same[u])

    def _new_term(self, t: int) -> Iterator[Step]:
        if self.inferences.sorts[t] == "y":
            if self._domain == "constant" and not self._idle(t):
                yield from (("constant", w, t) for w in self._worlds if self._of_inhabitants[w])
            return
        self._worlds.append(t)
        yield from (("global", number, t) for number in range(len(self._problem.global_premises)))
        if "reflexive" in self._frame:
            yield "reflexive", t
        if "universal" in self._frame:
            for w in self._worlds:
                yield "universal", t, w
                yield "universal", w, t
        if "serial" in self._frame:
            self._queue.append((True, "serial", t))
        if self._quantified and self._domain in ("cumulative", "decreasing"):
            self._queue.append((True, "nonempty", t))

    def _idle(self, individual: int) -> bool:
        """Whether it is the witness of a quantifier that binds nothing, so that no other need care for it."""
        name = self.names[individual]
        formula = self.inferences.nodes[name[1]] if name[0] == "witness" else None
        return isinstance(formula, (Forall, Exists)) and formula.variable not in free_variables(formula.body)

    def _truth_condition(self, fact: Fact, value: bool) -> Iterator[Step]:
        _, k, w, *xs = fact
        formula, step = self.inferences.nodes[k], ("true" if value else "false", k, w, *xs)
        of_all = isinstance(formula, (Box, Forall) if value else (Diamond, Exists))
        if of_all and isinstance(formula, MODAL):
            self._of_successors[w].append(step)
            yield from ((*step, v) for v in self._successors[w])
            if "serial" in self._frame:
                self._queue.append((True, "successor", w))
        elif of_all and isinstance(formula, (Forall, Exists)):
            yield from self._of_all_individuals(step, w, formula.variable in free_variables(formula.body))
        elif not isinstance(formula, (*MODAL, *QUANTIFIERS)) or self._named(fact, "witness", k, w, *xs):
            yield step

    def _of_all_individuals(self, step: Step, w: int, binds: bool) -> Iterator[Step]:
        somewhere = 0 if self._domain == "constant" else w
        some = self._term("nonempty", somewhere)
        yield "nonempty", somewhere
        if not binds:  # one instance is as good as all
            if self._domain == "constant":
                yield "constant", w, some
            yield (*step, some)
            return
        first = not self._of_inhabitants[w]
        self._of_inhabitants[w].append(step)
        yield from ((*step, y) for y in self._inhabitants[w])
        if first and self._domain == "constant":
            individuals = [t for t, sort in enumerate(self.inferences.sorts) if sort == "y"]
            yield from (("constant", w, y) for y in individuals if not self._idle(y))

    def _existence(self, w: int, y: int) -> Iterator[Step]:
        if self._idle(y):
            return
        self._inhabitants[w].append(y)
        yield from ((*step, y) for step in self._of_inhabitants[w])
        if self._domain == "cumulative":
            yield from (("cumulative", w, v, y) for v in self._successors[w])
        if self._domain == "decreasing":
            yield from (("decreasing", v, w, y) for v in self._predecessors[w])

    def _arrow(self, fact: Fact, w: int, v: int) -> Iterator[Step]:
        if v not in self._successors[w]:
            self._successors[w].append(v)
            self._predecessors[v].append(w)
        yield from ((*step, v) for step in self._of_successors[w])
        after, beside, before = self._successors[v], self._successors[w], self._predecessors[w]
        for condition in self._frame:
            match condition:
                case "symmetric" | "shift-reflexive":
                    yield condition, w, v
                case "transitive":
                    yield from ((condition, w, v, u) for u in list(after))
                    yield from ((condition, u, w, v) for u in list(before))
                case "euclidean":
                    for u in list(beside):
                        yield condition, w, v, u
                        yield condition, w, u, v
                case "functional" | "weakly-connected":
                    yield from ((condition, w, min(v, u), max(v, u)) for u in list(beside) if u != v)
                case "dense" if self._named(fact, "dense", w, v):
                    yield condition, w, v
                case "convergent":
                    yield from (
                        (condition, w, v, u) for u in list(beside) if self._named(fact, "convergent", w, v, u)
                    )
        if self._domain == "cumulative":
            yield from (("cumulative", w, v, y) for y in self._inhabitants[w])
        if self._domain == "decreasing":
            yield from (("decreasing", w, v, y) for y in self._inhabitants[v])
