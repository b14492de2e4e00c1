"""What a decider says of a problem, and what counts as an answer.

Statuses are those of the SZS ontology (Sutcliffe, "The SZS Ontologies for Automated Reasoning
Software", LPAR Workshops 2008).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from modalgen.kripke import KripkeModel
from modalgen.problem import Problem


class SzsStatus(StrEnum):
    """The SZS statuses that a decider can end with here."""

    THEOREM = "Theorem"
    COUNTER_SATISFIABLE = "CounterSatisfiable"
    UNKNOWN = "Unknown"
    GAVE_UP = "GaveUp"
    TIMEOUT = "Timeout"
    RESOURCE_OUT = "ResourceOut"
    INPUT_ERROR = "InputError"
    ERROR = "Error"


@dataclass(frozen=True)
class Limits:
    """What one run of a decider may use.

    `wall_seconds` and `memory_mb` are backstops against a run that hangs. `steps` is what normally
    ends a search: it counts the decider's own inferences, so a run ends alike on a fast and on a
    slow machine. `worlds` and `individuals` bound the search for countermodels.
    """

    wall_seconds: float = 30.0
    memory_mb: int = 2048
    steps: int = 500_000
    worlds: int = 5
    individuals: int = 3


@dataclass(frozen=True)
class Verdict:
    """One run of one decider: its status and all that is needed to repeat and to judge the run.

    `decider` names the prover (with the form of problem that it was given), `route` the translation.
    `translation` is the text that the prover was given, `command` its arguments with file names
    made relative. `stdout` is what it printed, standard error included. `note` says in words why
    a run is no evidence. `countermodel` has been accepted by the reference evaluator, `certificate` by
    the checker of certificates.
    """

    decider: str
    route: str
    version: str
    translation: str
    command: tuple[str, ...]
    status: SzsStatus
    seconds: float
    exit_code: int | None
    stdout: str
    countermodel: KripkeModel | None = None
    certificate: Mapping[str, Any] | None = None
    note: str = ""

    @property
    def decisive(self) -> bool:
        """Whether this is evidence for a label. Every status but two is no evidence."""
        return self.status in (SzsStatus.THEOREM, SzsStatus.COUNTER_SATISFIABLE)


class DeciderMissing(Exception):
    """The prover is not installed; the message says how to get it."""


class Decider(Protocol):
    """A prover or a model finder, behind one small module.

    `name` begins with the engine: `eprover-tff` and `eprover-thf` are one prover on two translations.
    """

    name: str
    route: str

    def version(self) -> str:
        """The installed version. Raises DeciderMissing if there is none."""
        ...

    def path(self) -> str | None:
        """The file that runs: an executable or a library; None if there is none."""
        ...

    def decide(self, problem: Problem, limits: Limits) -> Verdict:
        """Run on *problem*. Raises DeciderMissing; every other failure is a verdict."""
        ...
