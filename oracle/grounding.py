"""Lazy grounding: the steps of certificates that may matter to a problem, from its denial outwards.

What follows without a distinction of cases is added at once. Cases are left to a SAT solver: whatever is
true in an assignment of its counts from then on, and the steps that this makes relevant are added, until
no assignment is left or one satisfies all steps there are (instances on demand, as in lazy grounding for
answer set programming: Gebser, Kaminski, Kaufmann, Schaub 2012, *Answer Set Solving in Practice*,
chapter 4). Terms are named on demand too: only when an assignment asks for them, and of those that it asks
for only the least deeply nested.

`modalgen.certificate` says what steps, terms and facts are, and gives every step its meaning. Only the
steps about equal worlds are our own, since the checker calls equal worlds by one name: ("turn", v, u) says
that u and v are one world if v and u are, ("same", v, u, *fact) that what holds of u holds of v then.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
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
# A term of which nothing says what it is like is named so many levels later than others: few proofs need it.
_LATER = 2
# Terms that nest no deeper than this are named at once, others when an assignment asks, so many at a time.
_AT_ONCE = 1
_BATCH = 4


class OutOfBudget(Exception):
    """The grounding would exceed its number of steps, those included that wait for the names of terms."""


class Grounding:
    """The steps generated so far for one problem, and their meanings.

    `names` are the terms by number.
    """

    def __init__(self, problem: Problem, most_steps: int) -> None:
        self.inferences = Inferences(problem)
        self.steps: dict[Step, Inference] = {}
        self.names: list[Step] = []
        self._problem, self._most_steps, self._domain = problem, most_steps, problem.semantics.domain
        self._frame = [c for c in problem.semantics.frame if not _IMPLIED_BY[c] & {*problem.semantics.frame}]
        self._quantified = any(isinstance(s, QUANTIFIERS) for f in problem.formulas for s in subformulas(f))
        # Facts that some step gives, and facts that are one of several cases and were never true so far.
        self._facts: dict[Fact, None] = {}
        self._dormant: dict[Fact, None] = {}
        self._queue: deque[Fact | int] = deque()
        # Terms that are not named yet, with the facts that ask for them.
        self._waiting: dict[Step, tuple[Fact, ...]] = {}
        self._depths: list[int] = []
        self._worlds: list[int] = []
        # For each world: those that it may access and that may access it, the facts that speak of all of
        # them, the individuals that may exist there, the facts that speak of all of these, and the worlds
        # with smaller numbers that it may be.
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

    def extend(self, true: Callable[[Fact], bool], level: int) -> str | None:
        """Add the steps that an assignment, in which facts are *true* or not, does not satisfy.

        If it satisfies all, terms are named that it asks for, those that nest the least deeply. Returns
        None, or why there are no steps to add: it asks for none, or for none within the *level*.
        """
        awake = list(filter(true, self._dormant))
        for fact in awake:
            self._wake(fact)
        if not awake:
            asked = [
                name
                for name, causes in self._waiting.items()
                if all(map(true, causes))
                and not any(all(map(true, facts)) for facts in self._stand_ins(name))
            ]
            if not asked:
                return "all instances together have a model"
            depths = [self._depth(name) + self._penalty(name) for name in asked]
            least = min(depths)
            if least > level:
                return f"not refuted with terms nested {level} deep"
            first = [name for name, depth in zip(asked, depths, strict=True) if depth == least]
            for name in first[:_BATCH]:
                self._add([self._promise(name, self._waiting.pop(name))])
        self._saturate()
        return None

    def _saturate(self) -> None:
        while self._queue:
            item = self._queue.popleft()
            self._add(self._about_term(item) if isinstance(item, int) else self._relevant(item))

    def _add(self, steps: Iterable[Step]) -> None:
        for step in steps:
            if step not in self.steps:
                if len(self.steps) >= self._most_steps:
                    raise OutOfBudget
                inference = self.steps[step] = self._meaning(step)
                for fact in (fact for case in inference[1] for fact in case):
                    if len(inference[1]) == 1:
                        self._wake(fact)
                    elif fact not in self._facts:
                        self._dormant[fact] = None

    def _wake(self, fact: Fact) -> None:
        if fact not in self._facts:
            self._facts[fact] = None
            self._dormant.pop(fact, None)
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
            self._depths.append(self._depth(name))
            self.names.append(name)
            for index in (self._successors, self._predecessors, self._inhabitants, self._same):
                index.append([])
            self._of_successors.append([])
            self._of_inhabitants.append([])
            self._queue.append(self.inferences.terms[name])
        return self.inferences.terms[name]

    def _depth(self, name: Step) -> int:
        about = name[2:] if name[0] == "witness" else name[1:]
        return max((1 + self._depths[t] for t in about), default=0)

    def _penalty(self, name: Step) -> int:
        match name:
            case ("serial", w) | ("dense", w, _):
                useful = bool(self._of_successors[w])
            case ("convergent", _, v, u):
                useful = bool(self._of_successors[v] and self._of_successors[u])
            case _:
                useful = name[0] == "witness"
        return 0 if useful else _LATER

    def _asked(self, name: Step, *causes: Fact) -> Iterator[Step]:
        """The step that gives the term, now or, if it is too deep, later."""
        if name in self.inferences.terms or self._depth(name) + self._penalty(name) <= _AT_ONCE:
            yield self._promise(name, causes)
        elif len(self._waiting) < self._most_steps:
            self._waiting[name] = causes
        else:
            raise OutOfBudget

    def _promise(self, name: Step, causes: Sequence[Fact]) -> Step:
        self._term(*name)
        return name if name[0] != "witness" else ("true" if causes[0][0] else "false", *name[1:])

    def _stand_ins(self, name: Step) -> Iterator[list[Fact]]:
        """Facts any of which make a term superfluous: what it would be named for is there already."""

        def arrow(w: int, v: int) -> Fact:
            return (True, "R", w, v)

        match name:
            case ("serial", w):
                yield from ([arrow(w, v)] for v in self._successors[w])
            case ("dense", w, v):
                yield from ([arrow(w, d), arrow(d, v)] for d in self._successors[w])
            case ("convergent", _, v, u):
                yield from ([arrow(v, c), arrow(u, c)] for c in self._successors[v])
            case ("nonempty", w):
                yield from ([(True, "E", w, y)] for y in self._inhabitants[w])
            case ("witness", k, w, *xs):
                formula, values = (
                    self.inferences.nodes[k],
                    dict(zip(self.inferences.free[k], xs, strict=True)),
                )
                value, fact = isinstance(formula, (Diamond, Exists)), self.inferences.fact
                if isinstance(formula, (Box, Diamond)):
                    for v in self._successors[w]:
                        yield [arrow(w, v), fact(value, formula.operand, v, values)]
                elif isinstance(formula, (Forall, Exists)):
                    for y in self._inhabitants[w]:
                        there = fact(value, formula.body, w, {**values, formula.variable: y})
                        yield [(True, "E", w, y), there]

    def _relevant(self, fact: Fact) -> Iterator[Step]:
        """The steps that a fact makes relevant."""
        match fact:
            case (_, "R", w, v):
                yield from self._arrow(fact, w, v)
            case (_, "E", w, y):
                yield from self._existence(w, y)
            case (_, "=", v, u) if v > u:
                yield "turn", v, u
            case (_, "=", v, u) if v < u:
                self._same[u].append(v)
                yield from [("same", v, u, *other) for other in self._facts if u in other[2:]]
            case (value, int(), *_):
                yield from self._truth_condition(fact, value)
        for u in dict.fromkeys(fact[2:]):
            yield from (("same", v, u, *fact) for v in self._same[u])

    def _about_term(self, t: int) -> Iterator[Step]:
        """The steps that a new term makes relevant."""
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
            yield from self._asked(("serial", t))
        if self._quantified and self._domain in ("cumulative", "decreasing"):
            yield from self._asked(("nonempty", t))

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
            if ("serial", w) in self._waiting:
                yield from self._asked(("serial", w))
        elif of_all and isinstance(formula, (Forall, Exists)):
            yield from self._of_all_individuals(step, w, formula.variable in free_variables(formula.body))
        elif isinstance(formula, (*MODAL, *QUANTIFIERS)):
            yield from self._asked(("witness", k, w, *xs), fact)
        else:
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
                case "dense" if "functional" not in self._frame or "dense" not in (
                    self.names[w][0],
                    self.names[v][0],
                ):  # otherwise the world between them is one of the two
                    yield from self._asked((condition, w, v), fact)
                case "convergent":
                    # A world that accesses itself, as on reflexive frames, converges with all it accesses.
                    for u in list(beside):
                        if "reflexive" not in self._frame or w not in (v, u):
                            other = (True, "R", w, u)
                            yield from self._asked((condition, w, min(v, u), max(v, u)), fact, other)
        if self._domain == "cumulative":
            yield from (("cumulative", w, v, y) for y in self._inhabitants[w])
        if self._domain == "decreasing":
            yield from (("decreasing", w, v, y) for y in self._inhabitants[v])
