"""Canaries: problems with known answers, by which an installed decider shows what it can be trusted with.

Two are valid and two are not, one each in propositional and in first-order modal logic. Each is
sensitive to a mistake that tools or their options make: a frame condition or a domain condition
that is lost, one that is there unasked, a premise taken for global, quantifiers that range over
all individuals. A decider that gives one wrong answer, or none where it should be able to, is not
used. Passing is no proof of anything; it is the least that can be asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from modalgen.oracle.registry import ABILITIES
from modalgen.oracle.verdict import Decider, Limits, SzsStatus, Verdict
from modalgen.problem import Problem
from modalgen.semantics import semantics
from modalgen.syntax import parse

# All deciders answer within a second or two; Leo-III may search until its limit where it cannot answer.
CANARY_LIMITS = Limits(wall_seconds=10.0)

_BARCAN = parse("∀x □f(x) → □∀x f(x)")


@dataclass(frozen=True)
class Canary:
    """A problem and its label, which any textbook confirms."""

    name: str
    problem: Problem
    valid: bool


CANARIES = (
    Canary(
        "□p → ◇p on serial frames",
        Problem(semantics(["serial"]), (), parse("□p → ◇p")),
        valid=True,
    ),
    # It would follow from p as a global premise.
    Canary("p ⊢ □p", Problem(semantics(), (parse("p"),), parse("□p")), valid=False),
    Canary(
        "the Barcan formula with decreasing domains",
        Problem(semantics(["serial"], "decreasing"), (), _BARCAN),
        valid=True,
    ),
    Canary(
        "the Barcan formula with varying domains",
        Problem(semantics(["serial"], "varying"), (), _BARCAN),
        valid=False,
    ),
)


@dataclass(frozen=True)
class Trial:
    """What a decider made of one canary. `fault` says in words what is wrong, empty if nothing is."""

    canary: Canary
    verdict: Verdict
    fault: str


@dataclass(frozen=True)
class Trust:
    """The outcome of a decider's trials."""

    decider: str
    trials: tuple[Trial, ...]

    @property
    def fault(self) -> str:
        """Why the decider is not to be used; empty if it may be."""
        return "; ".join(f"{t.canary.name}: {t.fault}" for t in self.trials if t.fault)

    @property
    def trusted_with(self) -> str:
        """The labels that are taken from the decider: "valid", "invalid", both or "nothing"."""
        ability = ABILITIES[self.decider]
        words = [word for word, able in (("valid", ability.proves), ("invalid", ability.refutes)) if able]
        return "nothing" if self.fault else " and ".join(words)

    def score(self, valid: bool) -> str:
        """How many of the valid (or the invalid) canaries it decided, as in `2/2`."""
        trials = [trial for trial in self.trials if trial.canary.valid is valid]
        return f"{sum(trial.verdict.decisive for trial in trials)}/{len(trials)}"


def try_out(decider: Decider, run: Callable[[Decider, Problem], Verdict]) -> Trust:
    """Put every canary to the decider. *run* runs it, as `Oracle.run` does.

    Raises DeciderMissing as the decider does.
    """
    trials = []
    for canary in CANARIES:
        verdict = run(decider, canary.problem)
        trials.append(Trial(canary, verdict, _fault(decider, canary, verdict)))
    return Trust(decider.name, tuple(trials))


def faults(trusts: Iterable[Trust]) -> list[str]:
    """The faults found, a sentence for each decider that has one."""
    return [f"{t.decider} fails a canary and is not used: {t.fault}" for t in trusts if t.fault]


def _fault(decider: Decider, canary: Canary, verdict: Verdict) -> str:
    expected = SzsStatus.THEOREM if canary.valid else SzsStatus.COUNTER_SATISFIABLE
    ability = ABILITIES[decider.name]
    if verdict.decisive:
        return "" if verdict.status is expected else f"it says {verdict.status}, which is WRONG"
    if ability.proves if canary.valid else ability.refutes:
        return f"it says {verdict.status} and not {expected} ({verdict.note or 'without a reason'})"
    return ""
