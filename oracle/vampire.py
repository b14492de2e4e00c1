"""Vampire: finite models and refutation on a first-order translation.

Vampire (Kovács and Voronkov, "First-Order Theorem Proving and Vampire", CAV 2013) is run first with
its finite model builder, which extends MACE-style search to many sorts (Reger, Suda and Voronkov,
"Finding Finite Models in Multi-sorted First-Order Logic", SAT 2016). It looks for models of growing
size, and where none of any size can exist for a reason that it sees, its failure is a refutation. It
does not see that where a proof follows a chain of ever new worlds (□◇p ⊢ ◇◇p in D); such problems
go to saturation by superposition then. Both are decisive both ways on TFF. A finite model is read
back and shown to the reference evaluator before it is believed.

The two deciders differ in who translated: `vampire-let` runs on what LET wrote, `vampire-tff` on
our own relational translation.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

from modalgen.kripke import KripkeModel, objection
from modalgen.oracle import let
from modalgen.oracle.process import Completed, Stopped, run
from modalgen.oracle.tff import predicate_symbol, to_tff
from modalgen.oracle.tools import find, path_of
from modalgen.oracle.vampire_model import ModelError, Vocabulary, has_finite_model, read_model
from modalgen.oracle.verdict import Limits, SzsStatus, Verdict
from modalgen.problem import Problem

_PROBLEM = "translated.p"
_OUTPUT_BYTES = 16 * 1024 * 1024
# Vampire ends by itself at its time limit; the guard's comes this much later.
_GRACE_SECONDS = 2.0
# The model builder ends within some 20 ms or, nearly always, not at all.
_MODEL_BUILDER, _MODEL_SECONDS = ("-sa", "fmb", "-updr", "off"), 2
_SATURATION: tuple[str, ...] = ()
# What LET and we call the sort of worlds, accessibility, the designated world and existence.
_LET_NAMES = ("$world", "$accessible_world", "$local_world", "$exists_in_world_$i")
_OUR_NAMES = ("world", "accesses", "here", "exists_at")
# After these another strategy may succeed.
_SEARCH_FAILED = (SzsStatus.TIMEOUT, SzsStatus.RESOURCE_OUT, SzsStatus.GAVE_UP)
_SZS_LINE = re.compile(r"^[%#] SZS status (\w+)", re.MULTILINE)
_FAILURE = 4  # the exit code for input that it cannot read and for want of memory (seen with 5.1)


class Vampire:
    """Vampire as a decider on the translation by LET (`let-tff`) or by us (`embedded-tff`)."""

    def __init__(self, route: Literal["let-tff", "embedded-tff"]) -> None:
        self.route: str = route
        self.name = "vampire-let" if route == "let-tff" else "vampire-tff"

    def path(self) -> str | None:
        """Where the executable is, usable or not; None if nowhere."""
        return path_of("vampire")

    def version(self) -> str:
        """What Vampire, and LET if it translates, say of themselves. Raises DeciderMissing."""
        vampire = find("vampire").version
        return f"{vampire} on {let.version()}" if self.route == "let-tff" else vampire

    def decide(self, problem: Problem, limits: Limits) -> Verdict:
        """Run Vampire on the translation of *problem*. Raises DeciderMissing.

        `limits.wall_seconds` bounds the search, which has no measure of work that ends it alike
        everywhere. The verdict is that of the last strategy that was run.
        """
        version = self.version()
        if self.route == "let-tff":
            translation = let.translate(problem, "tff", limits)
            if not translation.text:
                return let.no_verdict(translation, self.name, self.route, version)
            text, seconds, prefix = translation.text, translation.seconds, (*translation.command, "&&")
            vocabulary = Vocabulary(*_LET_NAMES, translation.symbols)
        else:
            text, seconds, prefix = to_tff(problem), 0.0, ()
            vocabulary = Vocabulary(
                *_OUR_NAMES, {name: predicate_symbol(name) for name, _ in problem.signature}
            )
        whole = math.ceil(limits.wall_seconds)
        attempt = _attempt(_MODEL_BUILDER, min(whole, _MODEL_SECONDS), text, vocabulary, problem, limits)
        seconds += attempt.completed.seconds
        if attempt.status in _SEARCH_FAILED:
            attempt = _attempt(_SATURATION, whole, text, vocabulary, problem, limits)
            seconds += attempt.completed.seconds
        return Verdict(
            decider=self.name,
            route=self.route,
            version=version,
            translation=text,
            command=(*prefix, *attempt.command),
            status=attempt.status,
            seconds=seconds,
            exit_code=attempt.completed.exit_code,
            stdout=attempt.completed.output,
            countermodel=attempt.countermodel,
            note=attempt.note,
        )


@dataclass(frozen=True)
class _Attempt:
    """One run with one strategy."""

    command: tuple[str, ...]
    completed: Completed
    status: SzsStatus
    note: str
    countermodel: KripkeModel | None


def _attempt(
    options: tuple[str, ...],
    seconds: int,
    text: str,
    vocabulary: Vocabulary,
    problem: Problem,
    limits: Limits,
) -> _Attempt:
    """Run Vampire with the options on the translation and judge what it says."""
    arguments = ("--input_syntax", "tptp", *options, "-t", str(seconds), _PROBLEM)
    completed = run(
        (*find("vampire").command, *arguments),
        files={_PROBLEM: text},
        wall_seconds=seconds + _GRACE_SECONDS,
        cpu_seconds=seconds + _GRACE_SECONDS,
        memory_mb=limits.memory_mb,
        output_bytes=_OUTPUT_BYTES,
    )
    countermodel = None
    status, note = status_of(completed, bool(problem.premises or problem.global_premises))
    if status is SzsStatus.COUNTER_SATISFIABLE and has_finite_model(completed.output):
        countermodel, note = judged_model(completed.output, vocabulary, problem)
        status = status if countermodel is not None else SzsStatus.ERROR
    return _Attempt(("vampire", *arguments), completed, status, note, countermodel)


def judged_model(output: str, vocabulary: Vocabulary, problem: Problem) -> tuple[KripkeModel | None, str]:
    """The countermodel in the output if the reference evaluator accepts it, else None and why not."""
    try:
        model = read_model(output, vocabulary, problem)
    except ModelError as error:
        return None, f"Vampire's finite model cannot be read: {error}"
    if reason := objection(model, problem):
        return None, f"Vampire's finite model is NO countermodel: {reason}"
    return model, ""


def status_of(completed: Completed, has_premises: bool) -> tuple[SzsStatus, str]:
    """What a run is worth: a status, and in words why it is no evidence (empty if it is).

    Decisive is exactly one SZS line together with exit code 0. "Finite Model Found!", "Refutation
    found" and the like are no statuses. *has_premises* tells whether the problem has premises: only
    those can be contradictory.
    """
    if completed.stopped is Stopped.WALL_TIME:
        return SzsStatus.TIMEOUT, "stopped at the limit of wall time"
    if completed.stopped is not None:
        return SzsStatus.RESOURCE_OUT, f"stopped at the limit of {completed.stopped}"
    if completed.exit_code < 0:
        return SzsStatus.ERROR, f"ended by signal {-completed.exit_code}"
    reported = _SZS_LINE.findall(completed.output)
    if not reported:
        return _silent(completed)
    if len(reported) > 1:
        return SzsStatus.UNKNOWN, f"{len(reported)} SZS statuses are reported: {', '.join(reported)}"
    match reported[0], completed.exit_code:
        case "Theorem", 0:
            return SzsStatus.THEOREM, ""
        case "CounterSatisfiable", 0:
            return SzsStatus.COUNTER_SATISFIABLE, ""
        case "ContradictoryAxioms", 0 if has_premises:
            # The premises contradict each other in this class of models: everything follows.
            return SzsStatus.THEOREM, ""
        case "ContradictoryAxioms", 0:
            # One world that accesses itself satisfies every condition, so this cannot be.
            return SzsStatus.UNKNOWN, "the axioms of the class of models are called contradictory"
        case "GaveUp", _:
            return SzsStatus.GAVE_UP, "Vampire gave up"
        case "Timeout", _:
            return SzsStatus.TIMEOUT, "the time was used up"
    return SzsStatus.UNKNOWN, f"{reported[0]} with exit code {completed.exit_code} is no answer"


def _silent(completed: Completed) -> tuple[SzsStatus, str]:
    """What a run without an SZS line means, as far as its comments tell."""
    if re.search(r"^% (Termination reason: )?Time limit", completed.output, re.MULTILINE):
        return SzsStatus.TIMEOUT, "the time was used up"
    if re.search(r"Memory limit|Insufficient system memory", completed.output):
        return SzsStatus.RESOURCE_OUT, "the memory was used up"
    if completed.exit_code == _FAILURE:
        complaint = re.search(r"^(?:% )?(.*\berror\b.*)$", completed.output, re.MULTILINE | re.IGNORECASE)
        words = complaint[1][:200] if complaint else f"exit code {_FAILURE}"
        return SzsStatus.INPUT_ERROR, f"Vampire cannot read the problem: {words}"
    return SzsStatus.UNKNOWN, f"no SZS status is reported (exit code {completed.exit_code})"
