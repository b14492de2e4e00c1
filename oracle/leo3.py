"""Leo-III: refutation in higher-order logic.

Leo-III (Steen and Benzmüller, "Extensional Higher-Order Paramodulation in Leo-III", Journal of
Automated Reasoning 65, 2021) reads THF and is run on the higher-order embeddings: `leo3-let` on
LET's, `leo3-thf` on our own. Its calculus is not complete for finding countermodels and it never
reports one, so it only proves; whatever else it reports is no evidence.
"""

from __future__ import annotations

import math
import re
from typing import Literal

from modalgen.oracle import let
from modalgen.oracle.jvm import UNBOUNDED_MB
from modalgen.oracle.process import Completed, Stopped, run
from modalgen.oracle.thf import to_thf
from modalgen.oracle.tools import find, path_of
from modalgen.oracle.verdict import Limits, SzsStatus, Verdict
from modalgen.problem import Problem

_PROBLEM = "translated.p"
_OUTPUT_BYTES = 16 * 1024 * 1024
# Its limit does not count the start of Java and is noticed late (two seconds and a half were seen).
_GRACE_SECONDS = 15.0
_SZS_LINE = re.compile(r"^[%#] SZS status (\w+)", re.MULTILINE)


class LeoIII:
    """Leo-III as a decider on the embedding by LET (`let-thf`) or by us (`embedded-thf`)."""

    def __init__(self, route: Literal["let-thf", "embedded-thf"]) -> None:
        self.route: str = route
        self.name = "leo3-let" if route == "let-thf" else "leo3-thf"

    def path(self) -> str | None:
        """Where the executable or the jar is, usable or not; None if nowhere."""
        return path_of("leo3")

    def version(self) -> str:
        """What Leo-III, and LET if it translates, say of themselves. Raises DeciderMissing."""
        leo3 = find("leo3").version
        return f"{leo3} on {let.version()}" if self.route == "let-thf" else leo3

    def decide(self, problem: Problem, limits: Limits) -> Verdict:
        """Run Leo-III on the translation of *problem*. Raises DeciderMissing.

        `limits.wall_seconds` is its time limit. Java bounds its memory.
        """
        leo3, version = find("leo3"), self.version()
        command: tuple[str, ...] = ()
        translating = 0.0
        if self.route == "let-thf":
            translation = let.translate(problem, "thf", limits)
            if not translation.text:
                return let.no_verdict(translation, self.name, self.route, version)
            text, translating = translation.text, translation.seconds
            command = (*translation.command, "&&")
        else:
            text = to_thf(problem)
        argv = ("leo3", _PROBLEM, "-t", str(math.ceil(limits.wall_seconds)), "-p")
        completed = run(
            (*leo3.command, *argv[1:]),
            files={_PROBLEM: text},
            wall_seconds=limits.wall_seconds + _GRACE_SECONDS,
            # It searches in several threads.
            cpu_seconds=4 * (limits.wall_seconds + _GRACE_SECONDS),
            memory_mb=UNBOUNDED_MB,
            output_bytes=_OUTPUT_BYTES,
        )
        status, note = status_of(completed, bool(problem.premises or problem.global_premises))
        return Verdict(
            decider=self.name,
            route=self.route,
            version=version,
            translation=text,
            command=(*command, *argv),
            status=status,
            seconds=translating + completed.seconds,
            exit_code=completed.exit_code,
            stdout=completed.output,
            note=note,
        )


def status_of(completed: Completed, has_premises: bool) -> tuple[SzsStatus, str]:
    """What a run is worth: a status, and in words why it is no evidence (empty if it is).

    Decisive is exactly one SZS line, `Theorem`, with exit code 0. Leo-III ends with 0 whatever it
    found. *has_premises* tells whether the problem has premises: only those can be contradictory.
    """
    if completed.stopped is Stopped.WALL_TIME:
        return SzsStatus.TIMEOUT, "stopped at the limit of wall time"
    if completed.stopped is not None:
        return SzsStatus.RESOURCE_OUT, f"stopped at the limit of {completed.stopped}"
    if completed.exit_code < 0:
        return SzsStatus.ERROR, f"ended by signal {-completed.exit_code}"
    reported = _SZS_LINE.findall(completed.output)
    if len(reported) != 1:
        return SzsStatus.UNKNOWN, f"{len(reported)} SZS statuses are reported: {', '.join(reported)}"
    match reported[0], completed.exit_code:
        case "Theorem", 0:
            return SzsStatus.THEOREM, ""
        case "ContradictoryAxioms", 0 if has_premises:
            # The premises contradict each other in this class of models: everything follows.
            return SzsStatus.THEOREM, ""
        case "ContradictoryAxioms", 0:
            # One world that accesses itself satisfies every condition, so this cannot be.
            return SzsStatus.UNKNOWN, "the axioms of the class of models are called contradictory"
        case "Timeout", _:
            return SzsStatus.TIMEOUT, "the time was used up"
        case "GaveUp", _:
            return SzsStatus.GAVE_UP, "Leo-III gave up"
        case (("TypeError" | "SyntaxError" | "InputError" | "SemanticError"), _):
            return SzsStatus.INPUT_ERROR, f"Leo-III cannot read the problem: {reported[0]}"
        case (("MemoryOut" | "ResourceOut"), _):
            return SzsStatus.RESOURCE_OUT, "the memory was used up"
        case (("CounterSatisfiable" | "Satisfiable"), _):
            return SzsStatus.UNKNOWN, "Leo-III does not refute; its word for a countermodel is not taken"
    return SzsStatus.UNKNOWN, f"{reported[0]} with exit code {completed.exit_code} is no answer"
