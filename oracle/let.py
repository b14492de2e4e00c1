"""LET, the logic embedding tool: TPTP's non-classical form to TFF or THF.

Steen, "An Extensible Logic Embedding Tool for Lightweight Non-Classical Reasoning" (PAAR 2022). LET
is the reference translation of the TPTP world; a label that a prover found on its output is one that
does not depend on our own embeddings. It translates and decides nothing.

The input is our NXF. LET adds symbols of its own to what it writes: in TFF with a `$` in quotation
marks, which ours cannot have, but in THF plain words that begin with `m` (`mrel`, `mworld`,
`mbox`, …) or with `eiw`. A predicate of that name would be declared twice. So predicates whose names
begin like that are renamed before LET sees them, by the prefix `sym_`, as are those that begin with
the prefix itself: different symbols stay different, and truth does not depend on names.

What LET writes has the date in a comment. Comments are dropped, so that the same problem has the
same translation, byte for byte, and provers are given what is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from modalgen.formula import rename_predicates
from modalgen.nxf import to_nxf
from modalgen.oracle.jvm import UNBOUNDED_MB
from modalgen.oracle.process import run
from modalgen.oracle.tools import find
from modalgen.oracle.verdict import Limits, SzsStatus, Verdict
from modalgen.problem import Problem
from modalgen.semantics import CONDITIONS

Form = Literal["tff", "thf"]

_NAME, _INPUT, _OUTPUT = "embedproblem", "problem.p", "embedded.p"
_OUTPUT_BYTES = 1_000_000
# LET needs half a second, most of it for starting Java; a busy machine may take ten times as long.
_SECONDS = 60.0
_CLASHING = re.compile(r"m|eiw|sym_")
_PARAMETERS: Mapping[Form, tuple[str, ...]] = {
    "tff": ("-p", "MONOMORPHIC"),
    "thf": ("-p", "MONOMORPHIC", "-p", "FORCE_HIGHERORDER"),
}


@dataclass(frozen=True)
class Translation:
    """What LET made of a problem.

    `text` is empty if there is no translation; `status` and `note` then say why. `symbols` maps
    the problem's predicates to their names in the text. The other fields are those of a `Verdict`.
    """

    text: str
    symbols: Mapping[str, str]
    version: str
    command: tuple[str, ...]
    status: SzsStatus
    note: str
    seconds: float
    exit_code: int | None
    stdout: str


def version() -> str:
    """The installed LET's version. Raises DeciderMissing."""
    return find("let").version


def unnamed_conditions(problem: Problem) -> list[str]:
    """The frame conditions of the problem for which the TPTP, and so LET, has no name."""
    return [name for name in problem.semantics.frame if CONDITIONS[name].tptp_axiom is None]


def translate(problem: Problem, form: Form, limits: Limits) -> Translation:
    """Run LET on the problem. Raises DeciderMissing if it is not installed.

    A translation is accepted only if LET ends well and the text is of the form asked for, with one
    conjecture: for input outside its first-order fragment LET switches to THF by itself.
    """
    let = find("let")
    names = {name: f"sym_{name}" if _CLASHING.match(name) else name for name, _ in problem.signature}
    command = (_NAME, *_PARAMETERS[form], "--output", _OUTPUT, _INPUT)

    def failed(status: SzsStatus, note: str, seconds: float, code: int | None, stdout: str) -> Translation:
        return Translation("", names, let.version, command, status, note, seconds, code, stdout)

    if unnamed := unnamed_conditions(problem):
        note = f"LET has no name for the condition {unnamed[0]!r}, so it was not run"
        return failed(SzsStatus.UNKNOWN, note, 0.0, None, "")
    completed = run(
        (*let.command, *command[1:]),
        files={_INPUT: to_nxf(renamed(problem, names))},
        wall_seconds=max(_SECONDS, limits.wall_seconds),
        cpu_seconds=max(_SECONDS, limits.wall_seconds),
        memory_mb=UNBOUNDED_MB,
        output_bytes=_OUTPUT_BYTES,
        read_back=(_OUTPUT,),
    )
    outcome = (completed.seconds, completed.exit_code, completed.output)
    if completed.stopped is not None:
        return failed(SzsStatus.TIMEOUT, f"LET was stopped at the limit of {completed.stopped}", *outcome)
    if completed.exit_code != 0:
        return failed(SzsStatus.ERROR, f"LET failed: {_complaint(completed.output)}", *outcome)
    text = without_comments(completed.written.get(_OUTPUT, ""))
    if objection := _objection(text, form):
        return failed(SzsStatus.ERROR, f"LET's output is not used: {objection}", *outcome)
    return Translation(text, names, let.version, command, SzsStatus.UNKNOWN, "", *outcome)


def no_verdict(translation: Translation, decider: str, route: str, version: str) -> Verdict:
    """The verdict of a prover that could not be run because there is no translation."""
    return Verdict(
        decider=decider,
        route=route,
        version=version,
        translation="",
        command=translation.command,
        status=translation.status,
        seconds=translation.seconds,
        exit_code=translation.exit_code,
        stdout=translation.stdout,
        note=translation.note,
    )


def renamed(problem: Problem, names: Mapping[str, str]) -> Problem:
    """The problem with other names for its predicates; *names* must be injective on them."""
    return Problem(
        problem.semantics,
        tuple(rename_predicates(premise, names) for premise in problem.premises),
        rename_predicates(problem.conjecture, names),
        tuple(rename_predicates(premise, names) for premise in problem.global_premises),
        problem.global_conjecture,
    )


def without_comments(text: str) -> str:
    """The annotated formulas, one a line as LET writes them."""
    return "".join(f"{line}\n" for line in text.splitlines() if line and not line.startswith("%"))


def _objection(text: str, form: Form) -> str:
    """Why the text is not a translation; empty if it is one."""
    lines = text.splitlines()
    if not all(line.startswith(f"{form}(") and line.endswith(").") for line in lines):
        return f"it is not {form.upper()}, one annotated formula a line"
    conjectures = sum(", conjecture, " in line for line in lines)
    return "" if conjectures == 1 else f"it has {conjectures} conjectures"


def _complaint(output: str) -> str:
    """The line in which LET says what is wrong, without the stack trace that may follow it."""
    lines = [line.strip() for line in output.splitlines() if line and not line.startswith("%")]
    telling = [line for line in lines if re.match(r"(\w*Error|Inappropriate|Unsemantic|Exception\b)", line)]
    return next(iter(telling or lines), "it says nothing")[:300]
