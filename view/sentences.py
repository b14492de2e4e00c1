"""The sentences of an explanation: what each claims about a model, and its English.

A sentence says that formulas hold or fail at worlds, and why. Both its claims and its words are
computed from the same fields, so that a sentence cannot say more than it claims.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from modalgen.formula import Formula, free_variables, rename_free
from modalgen.printing import to_unicode
from modalgen.view.description import individual, listed, world

Assignment = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Fact:
    """A formula holds, or fails. Its free variables are the names of the individuals assigned to them."""

    formula: Formula
    assignment: Assignment
    holds: bool

    @property
    def values(self) -> dict[str, int]:
        """The assignment as a mapping."""
        return dict(self.assignment)


def fact_of(formula: Formula, assignment: Mapping[str, int], holds: bool) -> Fact:
    """The fact that a formula holds, or fails, when its free variables have these values.

    What says the same is the same fact: F(x) and F(y) of the individual a are both F(a).
    """
    free = free_variables(formula) & assignment.keys()
    names = {x: individual(assignment[x]) for x in free}
    named = tuple(sorted((names[x], assignment[x]) for x in free))
    return Fact(rename_free(formula, names), tuple(dict.fromkeys(named)), holds)


@dataclass(frozen=True)
class Truth:
    """The claim that a formula holds, or fails, at a world under an assignment."""

    formula: Formula
    world: int
    assignment: Assignment
    holds: bool


@dataclass(frozen=True)
class Access:
    """The claim that a world accesses these worlds; if `only`, that it accesses no others."""

    world: int
    accessed: tuple[int, ...]
    only: bool


@dataclass(frozen=True)
class Existence:
    """The claim that these individuals exist at a world; if `only`, that no others do."""

    world: int
    individuals: tuple[int, ...]
    only: bool


@dataclass(frozen=True)
class Absence:
    """The claim that these individuals do not exist at a world."""

    world: int
    individuals: tuple[int, ...]


Claim = Truth | Access | Existence | Absence


@dataclass(frozen=True)
class Here:
    """A reason: what holds and fails at the world itself."""

    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class Elsewhere:
    """A reason: the worlds accessed, in groups, and what holds and fails at all worlds of a group."""

    only: bool
    groups: tuple[tuple[tuple[int, ...], tuple[Fact, ...]], ...]

    @property
    def accessed(self) -> tuple[int, ...]:
        """The worlds of all groups."""
        return tuple(v for worlds, _ in self.groups for v in worlds)


@dataclass(frozen=True)
class Individuals:
    """A reason: who exists, and what holds and fails of them.

    `absent` are individuals that would make a difference if they existed, and `contrary` what holds
    or fails of them.
    """

    only: bool
    existing: tuple[int, ...]
    facts: tuple[Fact, ...]
    absent: tuple[int, ...] = ()
    contrary: tuple[Fact, ...] = ()


Reason = Here | Elsewhere | Individuals


@dataclass(frozen=True)
class Step:
    """A sentence: *facts* at each of the *worlds*, and why.

    `depth` is its indentation: what a sentence gives as its reasons is explained one level deeper,
    right below it. `role` says what the formula is in the problem, "the premise" for instance, and
    is empty on the way. With `everywhere` the worlds are all worlds of the model. `reason` is None
    where nothing needs to be said; with `again` it is the reason of the sentence before; with
    `known` some sentence before has explained the same.
    """

    depth: int
    facts: tuple[Fact, ...]
    worlds: tuple[int, ...]
    reason: Reason | None = None
    role: str = ""
    everywhere: bool = False
    again: bool = False
    known: bool = False

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What the sentence claims of the model, the conclusion first."""
        conclusion = [claim for w in self.worlds for claim in _truths(self.facts, w)]
        return (*conclusion, *(claim for w in self.worlds for claim in _reason_claims(self.reason, w)))

    @property
    def text(self) -> str:
        """The sentence."""
        where = "every world" if self.everywhere else listed([world(w) for w in self.worlds])
        text = f"At {where}, {self.role}{' ' if self.role else ''}{_predicated(self.facts)}"
        if self.known:
            return f"{text}, as said above."
        if self.again:
            return f"{text}, for the same reason."
        if self.reason is None:
            return f"{text}."
        return f"{text}, since {_because(self.reason, self.worlds)}."


def _truths(facts: Iterable[Fact], at: int) -> list[Claim]:
    return [Truth(f.formula, at, f.assignment, f.holds) for f in facts]


def _reason_claims(reason: Reason | None, at: int) -> list[Claim]:
    match reason:
        case None:
            return []
        case Here(facts):
            return _truths(facts, at)
        case Elsewhere(only, groups):
            there = [claim for worlds, facts in groups for v in worlds for claim in _truths(facts, v)]
            return [Access(at, reason.accessed, only), *there]
        case Individuals(only, existing, facts, absent, contrary):
            missing: list[Claim] = [Absence(at, absent)] if absent else []
            return [Existence(at, existing, only), *_truths(facts, at), *missing, *_truths(contrary, at)]


def _because(reason: Reason, worlds: tuple[int, ...]) -> str:
    """The reason as a clause about the worlds."""
    match reason:
        case Here(facts):
            return f"{_predicated(facts)} there"
        case Elsewhere(only, groups):
            subject = f"{world(worlds[0])} accesses" if len(worlds) == 1 else "they access"
            if not groups:
                return f"{subject} no world"
            names = {w: "itself" for w in worlds[:1] if len(worlds) == 1}
            places = [
                f"{listed([names.get(v, world(v)) for v in accessed])}, where {_predicated(facts)}"
                for accessed, facts in groups
            ]
            return f"{subject} {'only ' if only else ''}{', and '.join(places)}"
        case Individuals(only, existing, facts, absent, contrary):
            text = f"{'only ' if only else ''}{_people(existing)} there, and {_predicated(facts)}"
            if absent:
                people, do = listed([individual(d) for d in absent]), "does" if len(absent) == 1 else "do"
                text += f" ({_predicated(contrary)} there, but {people} {do} not exist there)"
            return text


def _people(individuals: tuple[int, ...]) -> str:
    return f"{listed([individual(d) for d in individuals])} {'exists' if len(individuals) == 1 else 'exist'}"


def _predicated(facts: tuple[Fact, ...]) -> str:
    """`p and q hold and r fails`."""
    clauses = []
    for holds, verb in ((True, "hold"), (False, "fail")):
        words = [to_unicode(f.formula) for f in facts if f.holds is holds]
        if words:
            clauses.append(f"{listed(words)} {verb}{'s' if len(words) == 1 else ''}")
    return " and ".join(clauses)
