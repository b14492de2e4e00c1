"""The command line: answers, exit codes, messages for people, no tracebacks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from modalgen.cli import cli
from modalgen.oracle.registry import PRIMARY

ROOT = Path(__file__).parent.parent
NXF = ROOT / "tests" / "data" / "nxf"


def run(*arguments: str, stdin: str | None = None) -> Result:
    """Run the console script in this process."""
    return CliRunner().invoke(cli, list(arguments), input=stdin)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["□p → ◇p", "--frame", "serial"], 0),
        (["□p → ◇p"], 1),
        (["[]p -> [][]p", "--system", "S4"], 0),
        (["[]p -> [][]p", "--frame", "reflexive", "--frame", "symmetric"], 1),
        (["[]p -> [][]p", "--frame", "reflexive,transitive"], 0),
        (["∀x □F(x) → □∀x F(x)", "--frame", "serial", "--domain", "cumulative"], 1),
        (["∀x □F(x) → □∀x F(x)", "--system", "DB", "--domain", "cumulative"], 0),
        (["□q", "--premise", "□p", "--premise", "□(p → q)"], 0),
        (["□p", "--premise", "p"], 1),
    ],
)
def test_check_answers_by_its_exit_code(arguments: list[str], code: int) -> None:
    """0 is valid, 1 is invalid, and the answer is also said in words."""
    result = run("check", *arguments)
    assert result.exit_code == code, result.output
    assert ("INVALID" if code else "VALID") in result.output


def test_check_leaves_open_what_nobody_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """A problem whose only countermodels are infinite is unresolved: exit code 3."""
    # The others give up as well, but take half a minute for that.
    monkeypatch.setattr("modalgen.oracle.judge.PRIMARY", PRIMARY[:2])
    monkeypatch.setattr("modalgen.oracle.judge.SECONDARY", ())
    premises = ["--premise", "□∃x (¬F(x) ∧ ◇F(x))", "--premise", "□∀x (F(x) → □F(x))"]
    result = run("check", "⊥", *premises, "--system", "S4", "--domain", "constant", "--json")
    assert result.exit_code == 3, result.output
    assert json.loads(result.stdout)["verdict"] == "unresolved"


def test_check_draws_the_countermodel() -> None:
    """The designated world, accessibility, domains and atoms are shown."""
    output = run("check", "∀x □F(x) → □∀x F(x)", "--frame", "serial", "--domain", "cumulative").output
    for words in ("w0 ★", "w1", "accesses w1", "exist: a, b", "cumulative domains"):
        assert words in output


def test_check_reports_as_json() -> None:
    """The JSON holds the problem, the verdict, all runs, and a countermodel or none."""
    invalid = json.loads(run("check", "□p → p", "--json").stdout)
    assert invalid["verdict"] == "invalid" and invalid["resolution"] == "dual"
    assert invalid["countermodel"]["worlds"] == 1
    assert {run_["decider"] for run_ in invalid["runs"]} >= {"z3-kripke", "eprover-tff", "cvc5"}
    assert json.loads(run("check", "p → p", "--json").stdout)["countermodel"] is None


def test_check_reads_standard_input_and_tptp_files() -> None:
    """A formula or a TPTP problem comes from standard input, a TPTP problem from a file."""
    assert run("check", "-", "--frame", "serial", stdin="□p → ◇p\n").exit_code == 0
    for name, code in (("prem_hyp_p_box_p", 1), ("prem_axiom_p_box_p", 0), ("BF_cumulative_KB", 0)):
        path = NXF / f"{name}.p"
        assert run("check", str(path)).exit_code == code
        assert run("check", "-", stdin=path.read_text("utf-8")).exit_code == code


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["□p → (◇p"], "this '(' is never closed"),
        ([""], "empty"),
        (["∀x F(x)"], "needs a domain regime"),
        (["F(x)", "--domain", "varying"], "variable 'x' is free"),
        (["∀x (p ∧ p(x))", "--domain", "varying"], "'p' is used with 0 and with 1 arguments"),
        (["p", "--frame", "reflexiv"], "did you mean 'reflexive'?"),
        (["p", "--system", "S6"], "S6"),
        (["p", "--system", "S4", "--frame", "serial"], "not both"),
        (["p", "--premise", "q ∧"], "q ∧"),
        (["missing.p"], "cannot be read"),
        (["p", "--nonsense"], "nonsense"),
        ([str(NXF / "desig_flex_EGbox.p")], "individual constant"),
        ([str(NXF / "prop_D_in_D.p"), "--system", "K"], "states its own premises and semantics"),
        (["[]" * 500 + "p"], "nested"),
    ],
)
def test_bad_input_gets_one_message_and_exit_code_2(arguments: list[str], words: str) -> None:
    """What cannot be understood is said in words, without a traceback."""
    result = run("check", *arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert "Traceback" not in result.output
    assert isinstance(result.exception, SystemExit)


@given(st.text(max_size=12) | st.text(alphabet="pq()∧¬□∀xF. ", max_size=12))
@settings(max_examples=60, deadline=None)
def test_no_text_makes_check_fail_in_another_way(text: str) -> None:
    """Any text is judged or refused with exit code 2."""
    if "\x00" in text or text.startswith("-"):
        return
    result = run("check", text)
    assert result.exit_code in (0, 1, 2, 3) and isinstance(result.exception, (SystemExit, type(None)))


def test_validate_reports_every_error_with_its_place(tmp_path: Path) -> None:
    """Errors go to standard error as file:line:column; the exit code is 2."""
    source = (ROOT / "specs" / "seriality.yaml").read_text("utf-8")
    spoiled = tmp_path / "seriality.yaml"
    spoiled.write_text(
        source.replace("[serial]", "[seriall]").replace("axis: frame", "axis: frames"), "utf-8"
    )
    result = run("validate", str(ROOT / "specs" / "seriality.yaml"), str(spoiled))
    assert result.exit_code == 2
    assert "1 of 2 specs are well-formed" in result.stdout
    assert "did you mean 'serial'?" in result.stderr and "did you mean 'frame'?" in result.stderr
    report = json.loads(run("validate", str(spoiled), "--format", "json").stdout)
    assert {"file", "line", "column", "message", "suggestion"} <= set(report[0])


def test_validate_accepts_all_specs_of_the_project() -> None:
    """What is shipped is well-formed, without warnings."""
    result = run("validate", *map(str, sorted((ROOT / "specs").rglob("*.yaml"))))
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""


def test_build_show_verify(tmp_path: Path) -> None:
    """A newcomer's three commands work one after the other."""
    out = tmp_path / "dataset"
    built = run("build", str(ROOT / "specs" / "seriality.yaml"), "-o", str(out), "--limit", "4")
    assert built.exit_code == 0, built.output
    listing = run("show", str(out))
    assert listing.exit_code == 0 and "seriality-" in listing.stdout
    pair_id = json.loads((out / "pairs.jsonl").read_text("utf-8").splitlines()[0])["pair_id"]
    shown = run("show", str(out), pair_id)
    assert shown.exit_code == 0 and "not valid" in shown.stdout and "w0 ★" in shown.stdout
    assert run("show", str(out), "no-such-pair").exit_code == 2
    assert run("show", str(out), "seriality").exit_code == 2  # not one pair
    assert run("verify", str(out)).exit_code == 0
    (out / "pairs.jsonl").write_text("{}\n", "utf-8")
    assert run("verify", str(out)).exit_code == 1
    assert run("show", str(out)).exit_code == 2


@pytest.mark.parametrize("command", ["show", "verify"])
def test_what_is_no_dataset_is_said_to_be_none(command: str, tmp_path: Path) -> None:
    """A directory without a dataset is an error in words."""
    result = run(command, str(tmp_path))
    assert result.exit_code == 2
    assert "dataset directory" in result.stderr


def test_provers_lists_every_backend() -> None:
    """Each backend is listed with its version and how to get it, also as JSON."""
    assert "cvc5" in run("provers").stdout
    report = {entry["name"]: entry for entry in json.loads(run("provers", "--json").stdout)}
    assert set(report) >= {"z3-kripke", "herbrand", "eprover-tff", "eprover-thf", "cvc5"}
    assert all(report[name]["version"] for name in ("z3-kripke", "herbrand", "cvc5"))


def test_a_terminal_without_unicode_gets_no_traceback() -> None:
    """Where the symbols cannot be encoded they are replaced."""
    result = subprocess.run(
        [sys.executable, "-c", "from modalgen.cli import main; main()", "check", "[]p -> p"],
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        capture_output=True,
        check=False,
    )
    assert result.returncode == 1
    assert b"Traceback" not in result.stderr and b"INVALID" in result.stdout


@pytest.mark.parametrize("options", [[], ["--json"]])
@pytest.mark.parametrize(("output", "code"), [("/dev/full", 74), ("a closed pipe", 141)])
def test_an_answer_that_cannot_be_said_is_no_answer(options: list[str], output: str, code: int) -> None:
    """Where the output is lost the exit code is none of those that are answers; there is no traceback."""
    if output == "/dev/full" and not Path(output).exists():
        pytest.skip("this system has no /dev/full")
    command = [sys.executable, "-c", "from modalgen.cli import main; main()", "check", "p -> p", *options]
    if output == "/dev/full":
        with Path(output).open("w") as full:
            process = subprocess.Popen(command, stdout=full, stderr=subprocess.PIPE)
            _, errors = process.communicate()
    else:
        read, write = os.pipe()
        os.close(read)
        process = subprocess.Popen(command, stdout=write, stderr=subprocess.PIPE)
        os.close(write)
        _, errors = process.communicate()
    assert process.returncode == code
    assert b"Traceback" not in errors


def test_help_and_version() -> None:
    """Every command explains itself."""
    assert run("--version").exit_code == 0
    for command in cli.commands:
        assert run(command, "--help").exit_code == 0
