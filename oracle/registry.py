"""Every prover that modalgen knows of, what it can decide, and which of them are installed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from modalgen.oracle import let
from modalgen.oracle.cvc5_finder import Cvc5Finder
from modalgen.oracle.eprover import EProver
from modalgen.oracle.herbrand import HerbrandProver
from modalgen.oracle.kripke_search import KripkeSearch
from modalgen.oracle.leo3 import LeoIII
from modalgen.oracle.policy import engine_of
from modalgen.oracle.tools import TOOLS, path_of
from modalgen.oracle.vampire import Vampire
from modalgen.oracle.verdict import Decider, DeciderMissing

# In the order in which they are run. No two share an engine or a translation.
PRIMARY: tuple[Decider, ...] = (KripkeSearch(), HerbrandProver(), EProver("tff"), Cvc5Finder())
# Run only where the primary deciders leave a side without two independent findings.
SECONDARY: tuple[Decider, ...] = (EProver("thf"),)
# Deciders that need external tools. They run where they are asked for; those on LET's translation
# come first.
EXTERNAL: tuple[Decider, ...] = (
    Vampire("let-tff"),
    LeoIII("let-thf"),
    Vampire("embedded-tff"),
    LeoIII("embedded-thf"),
)

# In-process libraries run in a guarded child; the others are subprocesses of their own.
IN_PROCESS = frozenset({"z3-kripke", "herbrand", "cvc5"})


@dataclass(frozen=True)
class Ability:
    """What a decider can find out, and in words how."""

    proves: bool
    refutes: bool
    how: str

    def __str__(self) -> str:
        words = [word for word, able in (("valid", self.proves), ("invalid", self.refutes)) if able]
        return f"{' and '.join(words)} ({self.how})"


ABILITIES: Mapping[str, Ability] = {
    "z3-kripke": Ability(False, True, "explicit countermodels of bounded size"),
    "herbrand": Ability(True, False, "certificates that `modalgen verify` checks"),
    "eprover-tff": Ability(True, True, "refutation, saturation"),
    "cvc5": Ability(True, True, "refutation, finite models"),
    "eprover-thf": Ability(True, False, "refutation"),
    "vampire-let": Ability(True, True, "refutation, finite models, on LET's translation"),
    "leo3-let": Ability(True, False, "refutation, on LET's translation"),
    "vampire-tff": Ability(True, True, "refutation, finite models"),
    "leo3-thf": Ability(True, False, "refutation"),
}
_HOW_TO_GET = {
    "z3-kripke": "a dependency of modalgen",
    "herbrand": "part of modalgen",
    "eprover-tff": "pip install 'modalgen[eprover]'",
    "cvc5": "a dependency of modalgen",
    "eprover-thf": "pip install 'modalgen[eprover]'",
}


@dataclass(frozen=True)
class BackendReport:
    """One line of `modalgen provers`.

    `version` is None if the backend was not found or cannot be used; `how_to_get` then says why.
    `used` tells whether labels use it without being asked to.
    """

    name: str
    version: str | None
    path: str | None
    decides: str
    how_to_get: str
    used: bool


def installed(deciders: Sequence[Decider]) -> tuple[Decider, ...]:
    """Those of the deciders that can run here."""
    return tuple(decider for decider in deciders if _version(decider.version)[0] is not None)


def tools_of(decider: Decider) -> frozenset[str]:
    """The external tools that a decider needs, by their names in `modalgen.oracle.tools`."""
    translators = {"let"} if decider.route.startswith("let-") else set()
    return frozenset({engine_of(decider.name), *translators} & TOOLS.keys())


def deciders_with(tools: Collection[str]) -> tuple[Decider, ...]:
    """The external deciders that these tools make: on LET's translation with LET, on ours without."""
    return tuple(
        decider
        for decider in EXTERNAL
        if tools_of(decider) <= set(tools) and ("let" in tools_of(decider)) == ("let" in tools)
    )


def backends() -> tuple[BackendReport, ...]:
    """All known backends, found or not."""
    reports = [_report(decider) for decider in (*PRIMARY, *SECONDARY, *EXTERNAL)]
    version, reason = _version(let.version)
    decides = "nothing itself: translates for vampire-let and leo3-let"
    how_to_get = reason or TOOLS["let"].source
    return (*reports, BackendReport("let", version, path_of("let"), decides, how_to_get, used=False))


def _report(decider: Decider) -> BackendReport:
    version, reason = _version(decider.version)
    external = tools_of(decider)
    source = TOOLS[engine_of(decider.name)].source if external else _HOW_TO_GET[decider.name]
    return BackendReport(
        name=decider.name,
        version=version,
        path=decider.path(),
        decides=str(ABILITIES[decider.name]),
        how_to_get=reason if external and reason else source,
        used=not external,
    )


def _version(ask: Callable[[], str]) -> tuple[str | None, str]:
    """The version; or None, and why there is none."""
    try:
        return ask(), ""
    except DeciderMissing as error:
        return None, str(error)
