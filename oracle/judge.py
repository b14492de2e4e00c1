"""Judging a problem: every primary decider runs on it, then the label policy speaks.

The bounded countermodel search runs on every problem, those that turn out valid included, so that
a wrong proof has a chance to be caught. A run that the evidence store remembers is not made again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from modalgen.kripke import KripkeModel
from modalgen.oracle.guard import Guard
from modalgen.oracle.policy import Resolution, Settlement, engine_of, settle
from modalgen.oracle.registry import IN_PROCESS, PRIMARY, SECONDARY, installed
from modalgen.oracle.store import EvidenceStore
from modalgen.oracle.verdict import Decider, Limits, Verdict
from modalgen.problem import Problem


@dataclass(frozen=True)
class Judgment:
    """All runs on one problem and what follows from them."""

    problem: Problem
    verdicts: tuple[Verdict, ...]

    @property
    def settlement(self) -> Settlement:
        """The label, how it is supported, and by whom."""
        return settle(self.verdicts)

    @property
    def countermodel(self) -> KripkeModel | None:
        """The first countermodel found; the reference evaluator has accepted it."""
        return next((v.countermodel for v in self.verdicts if v.countermodel is not None), None)

    @property
    def certificate(self) -> Mapping[str, Any] | None:
        """The first certificate found; the checker has accepted it."""
        return next((v.certificate for v in self.verdicts if v.certificate is not None), None)

    @property
    def shown(self) -> bool | None:
        """The label that a countermodel or a certificate shows, whoever found it; None without one."""
        if self.countermodel is not None:
            return False
        return None if self.certificate is None else True


class Oracle:
    """The installed deciders, ready to run. Each thread needs its own; use it as a context manager.

    In-process solvers run in a guarded child, so that a crash or a hang costs one verdict only.
    *store*, if given, is asked before each run and told after it; oracles may share one. Deciders
    of the engines in *quarantined* are not run. *extra* deciders count among the primary ones.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        store: EvidenceStore | None = None,
        quarantined: Collection[str] = (),
        extra: Sequence[Decider] = (),
    ) -> None:
        self.limits = limits or Limits()
        self.primary, self.secondary = (
            tuple(decider for decider in installed(known) if engine_of(decider.name) not in quarantined)
            for known in ((*PRIMARY, *extra), SECONDARY)
        )
        self._versions = {decider.name: decider.version() for decider in (*self.primary, *self.secondary)}
        self._store = store
        self._guard = Guard()

    def __enter__(self) -> Oracle:
        self._guard.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._guard.__exit__(kind, error, traceback)

    def run(self, decider: Decider, problem: Problem) -> Verdict:
        """One run of one decider, made now or remembered."""
        if self._store is None:
            return self._run(decider, problem)
        verdict = self._store.recall(problem, decider.name, self._versions[decider.name], self.limits)
        if verdict is None:
            verdict = self._run(decider, problem)
            self._store.keep(problem, self.limits, verdict)
        return verdict

    def _run(self, decider: Decider, problem: Problem) -> Verdict:
        if decider.name in IN_PROCESS:
            return self._guard.decide(decider, problem, self.limits)
        return decider.decide(problem, self.limits)

    def screen(self, problem: Problem) -> Judgment:
        """Only the first decider, the bounded countermodel search."""
        return Judgment(problem, tuple(self.run(decider, problem) for decider in self.primary[:1]))

    def judge(self, problem: Problem) -> Judgment:
        """All primary deciders, and the secondary ones if the label is not yet dual."""
        return self.complete(self.screen(problem))

    def shown(self, problem: Problem, likely_valid: bool) -> Judgment:
        """All deciders one after another, until one of them has a countermodel or a certificate.

        The search for countermodels comes first, or after the other primary ones if the problem is
        likely to have none.
        """
        verdicts: list[Verdict] = []
        primary = (*self.primary[1:], *self.primary[:1]) if likely_valid else self.primary
        for decider in (*primary, *self.secondary):
            verdicts.append(self.run(decider, problem))
            if verdicts[-1].countermodel is not None or verdicts[-1].certificate is not None:
                break
        return Judgment(problem, tuple(verdicts))

    def complete(self, screened: Judgment) -> Judgment:
        """The judgment on a problem of which `screen` has made the first run."""
        problem = screened.problem
        verdicts = [*screened.verdicts, *(self.run(decider, problem) for decider in self.primary[1:])]
        for decider in self.secondary:
            if settle(verdicts).resolution in (Resolution.DUAL, Resolution.CONFLICT):
                break
            verdicts.append(self.run(decider, problem))
        return Judgment(problem, tuple(verdicts))
