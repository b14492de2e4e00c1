"""Catching a decider that lies: its bare word against something that can be checked.

Deciders that disagree show that one of them is wrong, but not which. Where one side has a finite
countermodel that the reference evaluator accepts, or a Herbrand certificate that the checker
accepts, the question is settled: a bare "Theorem" or "CounterSatisfiable" against it is a lie, and
nothing that the same program says can be relied on. The check is not limited to one problem. A
countermodel to a conjecture under a stronger semantics is one under a weaker, a proof without the
premises is one with them; so each countermodel and each certificate is tried on all problems of a
candidate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from modalgen.certificate import CertificateError, check
from modalgen.kripke import is_countermodel
from modalgen.oracle.judge import Judgment
from modalgen.oracle.policy import engine_of
from modalgen.oracle.verdict import SzsStatus, Verdict
from modalgen.problem import Problem


@dataclass(frozen=True)
class Lie:
    """A decisive finding that is proved wrong: what was said of which problem, and what refutes it."""

    problem: Problem
    verdict: Verdict
    refutation: str

    @property
    def engine(self) -> str:
        """The program that lied."""
        return engine_of(self.verdict.decider)


def lies(judgments: Sequence[Judgment]) -> Iterator[Lie]:
    """The bare words that something checkable refutes, on any of the problems judged."""
    for judgment in judgments:
        for verdict in judgment.verdicts:
            bare = verdict.countermodel is None and verdict.certificate is None
            if bare and verdict.decisive:
                refutation = _refutation(judgment.problem, verdict.status, judgments)
                if refutation is not None:
                    yield Lie(judgment.problem, verdict, refutation)


def _refutation(problem: Problem, status: SzsStatus, judgments: Sequence[Judgment]) -> str | None:
    for verdict in (verdict for judgment in judgments for verdict in judgment.verdicts):
        model, certificate = verdict.countermodel, verdict.certificate
        if status is SzsStatus.THEOREM and model is not None and is_countermodel(model, problem):
            return f"{verdict.decider} has a countermodel, which the reference evaluator accepts"
        if status is SzsStatus.COUNTER_SATISFIABLE and certificate is not None:
            try:
                check(problem, certificate)
            except CertificateError:
                continue
            return f"{verdict.decider} has a certificate, which the checker accepts"
    return None
