"""The E decider: what counts as an answer of E, and that fake provers get none through."""

from __future__ import annotations

import dataclasses
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from strategies import mixed_problems

from modalgen.oracle.eprover import EProver, status_of
from modalgen.oracle.process import Completed, Stopped
from modalgen.oracle.verdict import DeciderMissing, Limits, SzsStatus, Verdict
from modalgen.problem import Problem
from modalgen.semantics import semantics
from modalgen.syntax import parse

pytestmark = pytest.mark.skipif(os.name != "posix", reason="there is no E for this system")

D_AXIOM = Problem(semantics(["serial"]), (), parse("□p → ◇p"))
T_AXIOM = Problem(semantics(["serial"]), (), parse("□p → p"))


def fake_prover(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, program: str, wall_seconds: float = 20
) -> Verdict:
    """What the decider makes of a Python program that answers in E's place."""
    executable = tmp_path / "eprover-ho"
    version = "if sys.argv[1] == '--version':\n    print('E 0.0 Fake')\n    sys.exit()\n"
    executable.write_text(f"#!{sys.executable} -SE\nimport os, signal, sys, time\n{version}{program}\n")
    executable.chmod(0o755)
    monkeypatch.setattr(EProver, "path", lambda self: str(executable))
    return EProver("tff").decide(D_AXIOM, Limits(wall_seconds=wall_seconds))


@pytest.mark.parametrize(
    ("program", "status"),
    [
        ("print('% SZS status Theorem')", SzsStatus.THEOREM),
        ("print('# SZS status CounterSatisfiable')\nsys.exit(1)", SzsStatus.COUNTER_SATISFIABLE),
        # success, but the exit code tells otherwise
        ("print('% SZS status Theorem')\nsys.exit(1)", SzsStatus.UNKNOWN),
        ("print('% SZS status CounterSatisfiable')", SzsStatus.UNKNOWN),
        # two statuses, none, a status that is not on a line of its own
        ("print('% SZS status Theorem\\n% SZS status CounterSatisfiable')", SzsStatus.UNKNOWN),
        ("print('% SZS status Theorem\\n% SZS status Theorem')", SzsStatus.UNKNOWN),
        ("print('Theorem')", SzsStatus.UNKNOWN),
        ("print('I hope for % SZS status Theorem')", SzsStatus.UNKNOWN),
        ("print('% SZS status TheoremOrNot')", SzsStatus.UNKNOWN),
        # only E's step limit may end with this exit code and status
        ("print('% SZS status ResourceOut')\nsys.exit(9)", SzsStatus.RESOURCE_OUT),
        ("print('% SZS status ResourceOut')", SzsStatus.UNKNOWN),
        # success, and then a crash or too much output
        (
            "print('% SZS status Theorem', flush=True)\nos.kill(os.getpid(), signal.SIGSEGV)",
            SzsStatus.ERROR,
        ),
        ("print('% SZS status Theorem')\nwhile True: print('clause ' * 10000)", SzsStatus.RESOURCE_OUT),
    ],
)
def test_what_counts_as_an_answer(
    program: str, status: SzsStatus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One status line that agrees with the exit code is evidence, anything else is none."""
    verdict = fake_prover(monkeypatch, tmp_path, program)
    assert verdict.status is status
    assert verdict.decisive == (verdict.note == "")


def test_a_success_before_a_time_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A prover that reports a proof and hangs is no evidence; its output is kept."""
    program = "print('% SZS status Theorem', flush=True)\ntime.sleep(1000)"
    verdict = fake_prover(monkeypatch, tmp_path, program, wall_seconds=1)
    assert verdict.status is SzsStatus.TIMEOUT
    assert "Theorem" in verdict.stdout


def test_contradictory_axioms() -> None:
    """Contradictory premises have every consequence; a contradictory class of models is a bug."""
    completed = Completed(0, "% SZS status ContradictoryAxioms\n", 0.1, None)
    assert status_of(completed, saturation_counts=True, has_premises=True) == (SzsStatus.THEOREM, "")
    status, note = status_of(completed, saturation_counts=True, has_premises=False)
    assert status is SzsStatus.UNKNOWN
    assert note


def test_higher_order_saturation_is_no_evidence() -> None:
    """E's higher-order calculus is not complete, so its CounterSatisfiable is not taken."""
    completed = Completed(1, "% SZS status CounterSatisfiable\n", 0.1, None)
    assert status_of(completed, saturation_counts=True, has_premises=False)[0].value == "CounterSatisfiable"
    assert status_of(completed, saturation_counts=False, has_premises=False)[0] is SzsStatus.UNKNOWN


def test_stopped_runs_are_no_evidence() -> None:
    """Whatever a stopped run has printed, and with whatever exit code, it is not taken."""
    for stopped in Stopped:
        completed = Completed(0, "% SZS status Theorem\n", 0.1, stopped)
        status, note = status_of(completed, saturation_counts=True, has_premises=False)
        assert status in (SzsStatus.TIMEOUT, SzsStatus.RESOURCE_OUT)
        assert stopped.value in note


def test_a_missing_prover(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without E the exception says how to get it."""
    monkeypatch.setattr(EProver, "path", lambda self: None)
    with pytest.raises(DeciderMissing, match=r"pip install 'modalgen\[eprover\]'"):
        EProver("tff").version()
    with pytest.raises(DeciderMissing, match="PATH"):
        EProver("thf").decide(D_AXIOM, Limits())


def test_a_broken_prover(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An executable that cannot even tell its version counts as missing."""
    broken = tmp_path / "eprover-ho"
    broken.write_text("#!/bin/sh\necho 'error while loading shared libraries'\nexit 127\n")
    broken.chmod(0o755)
    monkeypatch.setattr(EProver, "path", lambda self: str(broken))
    with pytest.raises(DeciderMissing, match="does not run"):
        EProver("tff").version()


def test_a_verdict_tells_how_to_repeat_the_run() -> None:
    """Command, translation and version are those of the run and name no path of this machine."""
    verdict = EProver("tff").decide(D_AXIOM, Limits(steps=1234, wall_seconds=7.5))
    assert verdict.status is SzsStatus.THEOREM
    assert verdict.command[0].startswith("eprover")
    assert verdict.command[-1] == "problem.p"
    assert {"--tb-insert-limit=1234", "--cpu-limit=8"} <= set(verdict.command)
    assert verdict.translation.startswith("tff(")
    assert verdict.version.startswith("E ")
    assert "SZS output start CNFRefutation" in verdict.stdout
    assert (verdict.decider, verdict.route) == ("eprover-tff", "embedded-tff")


def test_both_ways_on_tff_one_way_on_thf() -> None:
    """E refutes on TFF with a saturated set to show for it; on THF it only proves."""
    first_order = EProver("tff").decide(T_AXIOM, Limits())
    assert first_order.status is SzsStatus.COUNTER_SATISFIABLE
    assert "SZS output start Saturation" in first_order.stdout
    assert EProver("thf").decide(D_AXIOM, Limits()).status is SzsStatus.THEOREM
    assert not EProver("thf").decide(T_AXIOM, Limits()).decisive


def test_the_step_limit() -> None:
    """A search that diverges ends at the number of steps and says so."""
    mckinsey = Problem(semantics(["reflexive", "transitive"]), (), parse("□◇p → ◇□p"))
    verdict = EProver("tff").decide(mckinsey, Limits(steps=10_000))
    assert verdict.status is SzsStatus.RESOURCE_OUT
    assert verdict.note == "the step limit was reached"


@settings(max_examples=15, deadline=None)
@given(mixed_problems())
def test_runs_are_repeatable(problem: Problem) -> None:
    """Two runs on one problem differ in nothing but the time that they took."""
    for decider in (EProver("tff"), EProver("thf")):
        first, second = (decider.decide(problem, Limits(steps=20_000)) for _ in range(2))
        assert dataclasses.replace(first, seconds=0) == dataclasses.replace(second, seconds=0)
