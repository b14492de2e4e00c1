"""Leo-III: recorded and installed, and that only its proofs count."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
import recorded

from modalgen.oracle.leo3 import LeoIII, status_of
from modalgen.oracle.process import Completed, Stopped
from modalgen.oracle.verdict import Limits, SzsStatus
from modalgen.problem import Problem
from modalgen.semantics import semantics
from modalgen.syntax import parse

D_AXIOM = Problem(semantics(["serial"]), (), parse("□p → ◇p"))
T_AXIOM = Problem(semantics(["serial"]), (), parse("□p → p"))


@pytest.mark.parametrize(("form", "proofs"), [("tff", 21), ("thf", 22)])
def test_recorded_verdicts(form: str, proofs: int) -> None:
    """Of the recorded runs all proofs count and nothing else; each proves what is expected."""
    runs = [run for run in recorded.runs() if run.tool == "leo3" and run.form == form]
    assert len(runs) == 39
    decisive = []
    for run in runs:
        status, note = status_of(run.completed, has_premises=True)
        assert (note == "") == (status is SzsStatus.THEOREM), run.name
        assert status == ("InputError" if run.status == "TypeError" else run.status), run.name
        if status is SzsStatus.THEOREM:
            decisive.append(run)
    assert len(decisive) == proofs
    # LET's TFF does not know flexible names; ours never have one (see the tests of Vampire).
    wrong = {run.name for run in decisive if recorded.expected(run.name) != "Theorem"}
    assert wrong == ({"desig_flex_EGbox"} if form == "tff" else set())


def line(status: str) -> str:
    """An SZS line as Leo-III prints it."""
    return f"% SZS status {status} for problem.p : 431 ms resp. 315 ms w/o parsing\n"


@pytest.mark.parametrize(
    ("output", "code", "status"),
    [
        (line("Theorem"), 0, SzsStatus.THEOREM),
        (line("ContradictoryAxioms"), 0, SzsStatus.THEOREM),
        (line("CounterSatisfiable"), 0, SzsStatus.UNKNOWN),
        (line("Satisfiable"), 0, SzsStatus.UNKNOWN),
        (line("Theorem"), 1, SzsStatus.UNKNOWN),
        (line("Theorem") + line("Theorem"), 0, SzsStatus.UNKNOWN),
        (line("Theorem") + line("Timeout"), 0, SzsStatus.UNKNOWN),
        (line("GaveUp"), 0, SzsStatus.GAVE_UP),
        (line("Timeout"), 0, SzsStatus.TIMEOUT),
        (line("TypeError"), 0, SzsStatus.INPUT_ERROR),
        (line("MemoryOut"), 0, SzsStatus.RESOURCE_OUT),
        (line("Error"), 0, SzsStatus.UNKNOWN),
        (f"Solved! {line('Theorem')}", 0, SzsStatus.UNKNOWN),
        ("% No. of inferences in proof: 18\n", 0, SzsStatus.UNKNOWN),
        ("", 0, SzsStatus.UNKNOWN),
        (line("Theorem"), -9, SzsStatus.ERROR),
    ],
)
def test_what_counts_as_an_answer(output: str, code: int, status: SzsStatus) -> None:
    """One line `Theorem` and success is a proof; a countermodel is never taken from Leo-III."""
    found, note = status_of(Completed(code, output, 0.1, None), has_premises=True)
    assert found is status
    assert (note == "") == (status is SzsStatus.THEOREM)


def test_stopped_runs_and_contradictory_classes() -> None:
    """A run that was stopped is no evidence; no class of models is empty."""
    for stopped in Stopped:
        assert status_of(Completed(0, line("Theorem"), 0.1, stopped), has_premises=True)[1]
    contradictory = Completed(0, line("ContradictoryAxioms"), 0.1, None)
    assert status_of(contradictory, has_premises=False)[0] is SzsStatus.UNKNOWN


def test_the_run_of_a_fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The verdict tells command, translation and version, and names no path."""
    path = tmp_path / "leo3"
    path.write_text(
        f"#!{sys.executable} -SE\nimport sys\n"
        "if sys.argv[1:] == ['--version']:\n    print('Leo-III 1.7.20')\n    sys.exit()\n"
        "assert open(sys.argv[1]).read().startswith('thf(')\n"
        f"print({line('Theorem')!r}, end='')\n",
        "utf-8",
    )
    path.chmod(0o755)
    monkeypatch.setenv("MODALGEN_LEO3", str(path))
    verdict = LeoIII("embedded-thf").decide(D_AXIOM, Limits(wall_seconds=2.5))
    assert verdict.status is SzsStatus.THEOREM
    assert verdict.command == ("leo3", "translated.p", "-t", "3", "-p")
    assert (verdict.decider, verdict.route, verdict.version) == ("leo3-thf", "embedded-thf", "Leo-III 1.7.20")
    assert verdict.stdout == line("Theorem")


needs_leo3 = pytest.mark.skipif(
    shutil.which("leo3") is None, reason="Leo-III is not on the PATH; its recorded output is tested above"
)


@needs_leo3
def test_the_installed_leo3_on_our_embedding() -> None:
    """It proves the D axiom, and says nothing of the T axiom that would count."""
    assert LeoIII("embedded-thf").decide(D_AXIOM, Limits(wall_seconds=20)).status is SzsStatus.THEOREM
    assert not LeoIII("embedded-thf").decide(T_AXIOM, Limits(wall_seconds=5)).decisive


@needs_leo3
@pytest.mark.skipif(shutil.which("embedproblem") is None, reason="LET is not on the PATH")
def test_the_installed_leo3_on_lets_embedding() -> None:
    """A first-order theorem through LET, with the versions of both."""
    problem = recorded.problems()["CBF_cumulative_D"]
    verdict = LeoIII("let-thf").decide(problem, Limits(wall_seconds=20))
    assert verdict.status is SzsStatus.THEOREM
    assert "Leo-III 1.7" in verdict.version and "embedproblem" in verdict.version
    assert verdict.translation.startswith("thf(")
