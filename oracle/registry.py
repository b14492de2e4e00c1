"""Every prover that modalgen knows of, and which of them are installed."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass

from modalgen.oracle.cvc5_finder import Cvc5Finder
from modalgen.oracle.eprover import EProver
from modalgen.oracle.herbrand import HerbrandProver
from modalgen.oracle.kripke_search import KripkeSearch
from modalgen.oracle.verdict import Decider, DeciderMissing

# In the order in which they are run. No two share an engine or a translation.
PRIMARY: tuple[Decider, ...] = (KripkeSearch(), HerbrandProver(), EProver("tff"), Cvc5Finder())
# Run only where the primary deciders leave a side without two independent findings.
SECONDARY: tuple[Decider, ...] = (EProver("thf"),)

# In-process libraries run in a guarded child; the others are subprocesses of their own.
IN_PROCESS = frozenset({"z3-kripke", "herbrand", "cvc5"})


@dataclass(frozen=True)
class BackendReport:
    """One line of `modalgen provers`. `version` is None if the backend was not found."""

    name: str
    version: str | None
    path: str | None
    decides: str
    how_to_get: str
    used: bool


_DECIDES = {
    "z3-kripke": "invalid (explicit countermodels of bounded size)",
    "herbrand": "valid (certificates that `modalgen verify` checks)",
    "eprover-tff": "valid and invalid (refutation, saturation)",
    "cvc5": "valid and invalid (refutation, finite models)",
    "eprover-thf": "valid (refutation)",
}
_HOW_TO_GET = {
    "z3-kripke": "a dependency of modalgen",
    "herbrand": "part of modalgen",
    "eprover-tff": "pip install 'modalgen[eprover]'",
    "cvc5": "a dependency of modalgen",
    "eprover-thf": "pip install 'modalgen[eprover]'",
}
# The authoritative tools have no package in a registry. They are looked for and reported; labels
# do not use them yet.
_EXTERNAL = (
    ("vampire", "vampire", "valid and invalid", "https://vprover.github.io"),
    ("leo3", "leo3", "valid", "https://github.com/leoprover/Leo-III"),
    (
        "let",
        "embedproblem",
        "nothing itself: translates for the above",
        "https://github.com/leoprover/logic-embedding",
    ),
)


def installed(deciders: Sequence[Decider]) -> tuple[Decider, ...]:
    """Those of the deciders that can run here."""
    return tuple(decider for decider in deciders if _version(decider) is not None)


def backends() -> tuple[BackendReport, ...]:
    """All known backends, found or not."""
    own = tuple(
        BackendReport(
            name=decider.name,
            version=_version(decider),
            path=decider.path(),
            decides=_DECIDES[decider.name],
            how_to_get=_HOW_TO_GET[decider.name],
            used=True,
        )
        for decider in (*PRIMARY, *SECONDARY)
    )
    external = tuple(
        BackendReport(name, None, shutil.which(executable), decides, source, used=False)
        for name, executable, decides, source in _EXTERNAL
    )
    return own + external


def _version(decider: Decider) -> str | None:
    try:
        return decider.version()
    except DeciderMissing:
        return None
