"""Why a countermodel is one: the premises hold, and the conjecture fails, in plain English.

An explanation follows the truth definition. A boolean combination holds or fails because of atoms,
modal and quantified formulas at the same world; of several sets of these that would do, the one
that takes least to explain is given. □ holds because of all accessible worlds and fails because of
one; ∀ likewise with the individuals that exist at the world; ◇ and ∃ are their duals. Whether a
formula is true is asked of the reference evaluator (`modalgen.kripke.true_at`) and of nobody else.

What is the same at several worlds, or of several individuals, is said once of all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count, islice, pairwise

from modalgen.formula import (
    And,
    Atom,
    Bottom,
    Box,
    Diamond,
    Exists,
    Forall,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Top,
    rename_free,
)
from modalgen.kripke import KripkeModel, objection, true_at
from modalgen.problem import Problem
from modalgen.view.description import universe
from modalgen.view.sentences import Elsewhere, Fact, Here, Individuals, Reason, Step, fact_of

# The most sentences about one premise or the conjecture. What would take more is explained less deeply.
MAX_STEPS = 12

_Judgement = tuple[Fact, int]


def explain(problem: Problem, model: KripkeModel) -> tuple[Step, ...]:
    """Why the model is a countermodel to the problem: each premise holds, and the conjecture fails.

    The sentences about a formula begin with one of depth 0; those about the conjecture come last.
    Raises ValueError, in words, if it is none (see `modalgen.kripke.objection`).
    """
    if found := objection(model, problem):
        raise ValueError(f"not a countermodel: {found}")
    truth = _Truth(model)
    everywhere = tuple(range(model.worlds))
    places = everywhere if problem.global_conjecture else (model.actual,)
    failing = [w for w in places if not true_at(model, w, problem.conjecture)]
    at = min(failing, key=lambda w: truth.cost(problem.conjecture, w, {}))
    role = "the global conjecture" if problem.global_conjecture else "the conjecture"
    heads = [
        *(_everywhere(truth, Fact(premise, (), True), everywhere) for premise in problem.global_premises),
        *(_head(truth, Fact(premise, (), True), model.actual, "the premise") for premise in problem.premises),
        _head(truth, Fact(problem.conjecture, (), False), at, role),
    ]
    steps: list[Step] = []
    known: set[_Judgement] = set()
    for head in heads:
        steps += _unfolded(truth, head, known)
    return tuple(_without_repeated_reasons(steps))


class _Truth:
    """Truth in a model, and how much it takes to explain it."""

    def __init__(self, model: KripkeModel) -> None:
        self.model = model
        self.universe = universe(model)
        self._facts: dict[tuple[Formula, int], Fact] = {}
        self._costs: dict[tuple[Formula, int], int] = {}

    def fact(self, formula: Formula, at: int, assignment: Mapping[str, int]) -> Fact:
        """What the reference evaluator says of the formula."""
        found = fact_of(formula, assignment, False)
        key = (found.formula, at)
        if key not in self._facts:
            holds = true_at(self.model, at, found.formula, found.values)
            self._facts[key] = replace(found, holds=holds)
        return self._facts[key]

    def cost(self, formula: Formula, at: int, assignment: Mapping[str, int]) -> int:
        """How much it takes to explain why the formula holds, or fails: 1 for an atom."""
        found = self.fact(formula, at, assignment)
        key = (found.formula, at)
        if key not in self._costs:
            self._costs[key] = self._cost(found, at)
        return self._costs[key]

    def _cost(self, fact: Fact, at: int) -> int:
        formula = fact.formula
        match formula:
            case Box(a) | Diamond(a):
                worlds = self.witnesses(fact, at)
                return 1 + sum(self.cost(a, v, fact.values) for v in worlds)
            case Forall(x, a) | Exists(x, a):
                individuals = self.instances(fact, at)
                return 1 + sum(self.cost(a, at, {**fact.values, x: d}) for d in individuals)
            case Atom() | Top() | Bottom():
                return 1
        return min(
            sum(self.cost(a, at, fact.values) for a in sufficient)
            for sufficient in self.alternatives(fact, at)
        )

    def alternatives(self, fact: Fact, at: int) -> list[tuple[Formula, ...]]:
        """The sets of operands of a boolean combination whose truth, or falsity, decides it."""

        def true(operand: Formula) -> bool:
            return self.fact(operand, at, fact.values).holds

        match fact.formula:
            case Not(a):
                return [(a,)]
            case And(a, b):
                return [(a, b)] if fact.holds else [(c,) for c in (a, b) if not true(c)]
            case Or(a, b):
                return [(c,) for c in (a, b) if true(c)] if fact.holds else [(a, b)]
            case Implies(a, b):
                return (
                    [(c,) for c, value in ((a, False), (b, True)) if true(c) is value]
                    if fact.holds
                    else [(a, b)]
                )
            case Iff(a, b):
                return [(a, b)]
        raise TypeError(f"not a boolean combination: {fact.formula!r}")

    def witnesses(self, fact: Fact, at: int) -> list[int]:
        """The accessible worlds that decide a modal formula: all, or the one easiest to explain."""
        formula = fact.formula
        assert isinstance(formula, (Box, Diamond))
        accessible = self.model.successors(at)
        if isinstance(formula, Box) is fact.holds:
            return accessible
        deciding = [v for v in accessible if self.fact(formula.operand, v, fact.values).holds is fact.holds]
        return [min(deciding, key=lambda v: self.cost(formula.operand, v, fact.values))]

    def instances(self, fact: Fact, at: int) -> list[int]:
        """The individuals that decide a quantified formula: all that exist, or the one easiest to explain."""
        formula = fact.formula
        assert isinstance(formula, (Forall, Exists)) and self.model.domains is not None
        existing = sorted(self.model.domains[at])
        if isinstance(formula, Forall) is fact.holds:
            return existing

        def value(d: int) -> dict[str, int]:
            return {**fact.values, formula.variable: d}

        deciding = [d for d in existing if self.fact(formula.body, at, value(d)).holds is fact.holds]
        return [min(deciding, key=lambda d: self.cost(formula.body, at, value(d)))]

    def layer(self, formula: Formula, at: int, assignment: Mapping[str, int]) -> list[Fact]:
        """The atoms, modal and quantified formulas because of which the formula holds or fails."""
        fact = self.fact(formula, at, assignment)
        if isinstance(formula, (Atom, Top, Bottom, Box, Diamond, Forall, Exists)):
            return [fact]
        cheapest = min(
            self.alternatives(fact, at), key=lambda c: sum(self.cost(a, at, fact.values) for a in c)
        )
        return list(dict.fromkeys(f for a in cheapest for f in self.layer(a, at, fact.values)))


def _positive(fact: Fact) -> Fact:
    """The same without the negations in front: that ¬φ holds is that φ fails."""
    while isinstance(fact.formula, Not):
        fact = Fact(fact.formula.operand, fact.assignment, not fact.holds)
    return fact


def _is_literal(fact: Fact) -> bool:
    """Whether the fact can be read off the valuation, so that there is nothing to explain."""
    return isinstance(_positive(fact).formula, (Atom, Top, Bottom))


def _reason(truth: _Truth, fact: Fact, at: int) -> Reason | None:
    """Why the fact holds at the world; None for what the valuation says."""
    fact = _positive(fact)
    formula = fact.formula
    match formula:
        case Atom() | Top() | Bottom():
            return None
        case Box(a) | Diamond(a):
            groups: dict[tuple[Fact, ...], list[int]] = {}
            for v in truth.witnesses(fact, at):
                groups.setdefault(tuple(truth.layer(a, v, fact.values)), []).append(v)
            return Elsewhere(
                isinstance(formula, Box) is fact.holds,
                tuple((tuple(worlds), facts) for facts, worlds in groups.items()),
            )
        case Forall(x, a) | Exists(x, a):
            existing = truth.instances(fact, at)
            only = isinstance(formula, Forall) is fact.holds
            facts = [f for d in existing for f in truth.layer(a, at, {**fact.values, x: d})]
            others = [d for d in truth.universe if only and d not in existing]
            contrary = {d: truth.fact(a, at, {**fact.values, x: d}) for d in others}
            contrary = {d: f for d, f in contrary.items() if f.holds is not fact.holds}
            return Individuals(
                only,
                tuple(existing),
                tuple(dict.fromkeys(facts)),
                tuple(contrary),
                tuple(contrary.values()),
            )
    return Here(tuple(truth.layer(formula, at, fact.values)))


def _head(truth: _Truth, fact: Fact, at: int, role: str) -> Step:
    return Step(0, (fact,), (at,), _reason(truth, fact, at), role)


def _everywhere(truth: _Truth, fact: Fact, worlds: tuple[int, ...]) -> Step:
    """The sentence that a global premise holds, with the reason if it is the same at all worlds."""
    by_reason = _by_reason(truth, [(fact, w) for w in worlds], 0)
    reason = by_reason[0].reason if len(by_reason) == 1 else None
    return Step(0, (fact,), worlds, reason, "the global premise", everywhere=True)


def _by_reason(truth: _Truth, judgements: Iterable[_Judgement], depth: int) -> list[Step]:
    """Sentences for the judgements, one for all that have the same reason."""
    # First what a world says of several individuals, then what several worlds say.
    alike: dict[tuple[int, Formula, bool, object], list[tuple[Fact, Reason | None]]] = {}
    for fact, at in dict.fromkeys(judgements):
        reason = _reason(truth, fact, at)
        pattern = rename_free(fact.formula, dict.fromkeys(fact.values, ""))
        alike.setdefault((at, pattern, fact.holds, _shape(reason)), []).append((fact, reason))
    merged: dict[tuple[tuple[Fact, ...], Reason | None], list[int]] = {}
    for (at, *_), members in alike.items():
        facts = tuple(fact for fact, _ in members)
        merged.setdefault((facts, _joined([reason for _, reason in members])), []).append(at)
    return [Step(depth, facts, tuple(worlds), reason) for (facts, reason), worlds in merged.items()]


def _shape(reason: Reason | None) -> object:
    """What reasons must share to be joined: all but the formulas."""
    match reason:
        case Elsewhere(only, groups):
            return only, tuple(worlds for worlds, _ in groups)
        case Individuals(only, existing, _, absent, _):
            return only, existing, absent
    return type(reason)


def _joined(reasons: list[Reason | None]) -> Reason | None:
    """One reason that says what all of these, of one shape, say."""
    first = reasons[0]
    match first:
        case Here():
            return Here(_union(r.facts for r in reasons if isinstance(r, Here)))
        case Elsewhere(only, groups):
            others = [r for r in reasons if isinstance(r, Elsewhere)]
            return Elsewhere(
                only,
                tuple(
                    (worlds, _union(r.groups[i][1] for r in others)) for i, (worlds, _) in enumerate(groups)
                ),
            )
        case Individuals(only, existing, _, absent, _):
            people = [r for r in reasons if isinstance(r, Individuals)]
            return Individuals(
                only, existing, _union(r.facts for r in people), absent, _union(r.contrary for r in people)
            )
    return None


def _union(facts: Iterable[tuple[Fact, ...]]) -> tuple[Fact, ...]:
    return tuple(dict.fromkeys(fact for some in facts for fact in some))


def _conclusions(step: Step) -> set[_Judgement]:
    return {(_positive(fact), w) for fact in step.facts for w in step.worlds}


def _open(step: Step) -> list[_Judgement]:
    """What the sentence rests on and cannot be read off the valuation."""
    match step.reason:
        case None:  # at different worlds for different reasons, or nothing to explain
            pairs = [(fact, w) for fact in step.facts for w in step.worlds]
        case Here(facts) | Individuals(_, _, facts):
            pairs = [(fact, w) for fact in facts for w in step.worlds]
        case Elsewhere(_, groups):
            pairs = [(fact, v) for worlds, facts in groups for fact in facts for v in worlds]
    return [(fact, w) for fact, w in pairs if not _is_literal(fact)]


def _unfolded(truth: _Truth, head: Step, known: set[_Judgement]) -> list[Step]:
    """The head, followed by what explains it to the greatest depth within `MAX_STEPS`.

    What is *known* is not explained again; what gets explained is added to it.
    """
    if head.reason is not None and _conclusions(head) <= known:
        return [replace(head, reason=None, known=True)]
    best: list[Step] = []
    explained = known
    for depth in count(1):
        seen = set(known)
        steps = list(islice(_walk(truth, head, depth, seen), MAX_STEPS + 1))
        if steps == best or len(steps) > MAX_STEPS:
            break
        best, explained = steps, seen
    known |= explained
    return best


def _walk(truth: _Truth, step: Step, depth: int, known: set[_Judgement]) -> Iterator[Step]:
    """The step, followed by what explains it, to so many levels."""
    yield step
    if step.reason is not None:
        known |= _conclusions(step)
    if depth == 1:
        return
    pending = _open(step)
    while pending := [(fact, w) for fact, w in pending if (_positive(fact), w) not in known]:
        yield from _walk(truth, _by_reason(truth, pending, step.depth + 1)[0], depth - 1, known)


def _without_repeated_reasons(steps: list[Step]) -> Iterator[Step]:
    """The steps; where the sentence before gives the same reason, it is not said again."""
    yield from steps[:1]
    for before, step in pairwise(steps):
        same = step.reason is not None and (step.reason, step.worlds) == (before.reason, before.worlds)
        yield replace(step, again=same)
