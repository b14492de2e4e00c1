"""The label policy: what a side's label is, given everything that was found.

Only decisive findings count. *Valid* needs a proof, *invalid* a countermodel or a saturation; a
failure to prove is never taken for invalidity. Decisive findings that disagree are a conflict: one
of the programs involved has a bug, and no label is given. Two findings are independent when they
have neither engine nor translation in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Protocol

from modalgen.oracle.verdict import SzsStatus


class Finding(Protocol):
    """What the policy needs to know of a run; a `Verdict` is one."""

    @property
    def decider(self) -> str: ...
    @property
    def route(self) -> str: ...
    @property
    def status(self) -> SzsStatus: ...
    @property
    def decisive(self) -> bool: ...


class Resolution(StrEnum):
    """How well a label is supported."""

    DUAL = "dual"  # two independent findings agree
    SINGLE = "single"  # one finding, or several that share an engine or a translation
    UNRESOLVED = "unresolved"  # nothing decisive
    CONFLICT = "conflict"  # decisive findings disagree


@dataclass(frozen=True)
class Settlement:
    """The outcome for one side: `label` is True (valid), False (invalid) or None (no label).

    `authority` is "let" when Vampire or Leo-III decided LET's translation, else "embedded".
    `deciders` are the decisive findings, sorted by name.
    """

    label: bool | None
    resolution: Resolution
    authority: str
    deciders: tuple[tuple[str, SzsStatus], ...]

    @property
    def status(self) -> SzsStatus:
        """The label as an SZS status."""
        if self.label is None:
            return SzsStatus.UNKNOWN
        return SzsStatus.THEOREM if self.label else SzsStatus.COUNTER_SATISFIABLE


# Every decider that evidence can come from, and the translation that it works on. A name that is not
# here stands for no program that anybody could ask.
ROUTES = {
    "z3-kripke": "kripke-expansion",
    "herbrand": "herbrand-grounding",
    "eprover-tff": "embedded-tff",
    "eprover-thf": "embedded-thf",
    "cvc5": "embedded-smt",
    "vampire-tff": "embedded-tff",
    "vampire-let": "let-tff",
    "leo3-thf": "embedded-thf",
    "leo3-let": "let-thf",
}


def engine_of(decider: str) -> str:
    """The prover behind a decider's name: `eprover` for `eprover-tff`, `z3` for `z3-kripke`."""
    return decider.partition("-")[0]


def independent(first: Finding, second: Finding) -> bool:
    """Whether two findings share neither the prover nor the translation."""
    return engine_of(first.decider) != engine_of(second.decider) and first.route != second.route


def settle(findings: Iterable[Finding]) -> Settlement:
    """Apply the label policy to all runs on one side."""
    decisive: Sequence[Finding] = [finding for finding in findings if finding.decisive]
    statuses = {finding.status for finding in decisive}
    deciders = tuple(sorted((finding.decider, finding.status) for finding in decisive))
    authority = "let" if any(finding.route.startswith("let-") for finding in decisive) else "embedded"
    if not decisive:
        return Settlement(None, Resolution.UNRESOLVED, authority, deciders)
    if len(statuses) > 1:
        return Settlement(None, Resolution.CONFLICT, authority, deciders)
    dual = any(independent(first, second) for first, second in combinations(decisive, 2))
    return Settlement(
        label=statuses == {SzsStatus.THEOREM},
        resolution=Resolution.DUAL if dual else Resolution.SINGLE,
        authority=authority,
        deciders=deciders,
    )
