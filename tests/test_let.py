"""LET: what is given to it, what of its output is accepted, and that its embedding agrees with ours."""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import recorded
from hypothesis import given, settings
from strategies import mixed_problems

from modalgen.formula import predicates
from modalgen.nxf import read_nxf, to_nxf
from modalgen.oracle import let, tools
from modalgen.oracle.eprover import EProver, status_of
from modalgen.oracle.process import run
from modalgen.oracle.verdict import DeciderMissing, Limits, SzsStatus
from modalgen.problem import Problem
from modalgen.semantics import CONDITIONS, semantics
from modalgen.syntax import parse

D_AXIOM = Problem(semantics(["serial"]), (), parse("□p → ◇p"))
COLLIDING = Problem(
    semantics(["serial"], "varying"),
    (parse("∀x (mrel(x) ∧ eiw_di(x) ∧ sym_mrel(x))"),),
    parse("□∀x (F(x) → mworld(x)) ∨ q"),
)


def fake_let(monkeypatch: pytest.MonkeyPatch, directory: Path, program: str) -> None:
    """Let a Python program answer in LET's place: `text` is its input, `write` writes its output."""
    path = directory / "embedproblem"
    path.write_text(
        f"#!{sys.executable} -SE\nimport sys\n"
        "if sys.argv[1:] == ['--version']:\n    print('embedproblem 1.9.5')\n    sys.exit()\n"
        "out, text = sys.argv[sys.argv.index('--output') + 1], open(sys.argv[-1]).read()\n"
        f"def write(text):\n    open(out, 'w').write(text)\n{program}\n",
        "utf-8",
    )
    path.chmod(0o755)
    monkeypatch.setenv("MODALGEN_LET", str(path))


GOOD = "write('%%% comment, 12:00\\n\\ntff(a, type, a: $o).\\ntff(goal, conjecture, a).\\n')"


def test_what_is_accepted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The formulas without the comments, which have the date; the command names no path."""
    fake_let(monkeypatch, tmp_path, f"print('%%% Info')\n{GOOD}")
    result = let.translate(D_AXIOM, "tff", Limits())
    assert result.text == "tff(a, type, a: $o).\ntff(goal, conjecture, a).\n"
    assert result.note == ""
    assert result.command == ("embedproblem", "-p", "MONOMORPHIC", "--output", "embedded.p", "problem.p")
    assert result.version == "embedproblem 1.9.5"


def test_the_input_and_the_parameters(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """LET is given our NXF, and FORCE_HIGHERORDER for THF only."""
    fake_let(
        monkeypatch,
        tmp_path,
        "form = 'thf' if 'FORCE_HIGHERORDER' in sys.argv else 'tff'\n"
        "write(f'{form}(goal, conjecture, {text.encode().hex()}).\\n')",
    )
    for form in ("tff", "thf"):
        text = let.translate(D_AXIOM, form, Limits()).text
        assert text == f"{form}(goal, conjecture, {to_nxf(D_AXIOM).encode().hex()}).\n"


@pytest.mark.parametrize(
    ("program", "status", "complaint"),
    [
        ("write('thf(goal, conjecture, a).\\n')", SzsStatus.ERROR, "it is not TFF"),
        ("write('tff(a, axiom, a).\\n')", SzsStatus.ERROR, "0 conjectures"),
        (
            "write('tff(a, conjecture, a).\\ntff(b, conjecture, a).\\n')",
            SzsStatus.ERROR,
            "2 conjectures",
        ),
        ("write('tff(a, conjecture,\\n a).\\n')", SzsStatus.ERROR, "it is not TFF"),
        ("pass", SzsStatus.ERROR, "0 conjectures"),
        ("print(text)", SzsStatus.ERROR, "0 conjectures"),
        (f"{GOOD}\nsys.exit(1)", SzsStatus.ERROR, "LET failed: it says nothing"),
        (
            "print('%%% Info')\nprint('Error: An error occurred during embedding: Unknown axiom.')"
            "\nsys.exit(1)",
            SzsStatus.ERROR,
            "LET failed: Error: An error occurred during embedding: Unknown axiom.",
        ),
        (
            "print('\\tat leo.Main(Main.scala:1)\\nException: java.lang.NullPointerException')\nsys.exit(1)",
            SzsStatus.ERROR,
            "LET failed: Exception: java.lang.NullPointerException",
        ),
        (f"{GOOD}\nimport os\nos.kill(os.getpid(), 9)", SzsStatus.ERROR, "LET failed"),
        (f"{GOOD}\nwhile True: print('x' * 10000)", SzsStatus.TIMEOUT, "stopped at the limit of output size"),
    ],
)
def test_what_is_not_accepted(
    program: str, status: SzsStatus, complaint: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No text comes from a LET that fails, that writes another form, or not exactly one conjecture."""
    fake_let(monkeypatch, tmp_path, program)
    result = let.translate(D_AXIOM, "tff", Limits())
    assert result.text == ""
    assert result.status is status
    assert complaint in result.note


def test_conditions_without_a_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """LET is not run on frame conditions that it cannot know, and on all others it is."""
    fake_let(monkeypatch, tmp_path, GOOD)
    unnamed = {
        condition
        for condition in CONDITIONS
        if not let.translate(replace(D_AXIOM, semantics=semantics([condition])), "tff", Limits()).text
    }
    assert unnamed == {"convergent", "shift-reflexive", "weakly-connected"}
    problem = replace(D_AXIOM, semantics=semantics(["convergent", "serial"]))
    result = let.translate(problem, "tff", Limits())
    assert "'convergent'" in result.note and result.exit_code is None and result.stdout == ""


def test_names_that_let_uses_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Predicates that could meet LET's own symbols are renamed, different ones differently."""
    fake_let(monkeypatch, tmp_path, "write(f'thf(goal, conjecture, {text.encode().hex()}).\\n')")
    result = let.translate(COLLIDING, "thf", Limits())
    given_to_let = read_nxf(bytes.fromhex(re.split(r"[ )]", result.text)[2]).decode())
    assert result.symbols == {
        "F": "F",
        "q": "q",
        "mrel": "sym_mrel",
        "eiw_di": "sym_eiw_di",
        "sym_mrel": "sym_sym_mrel",
        "mworld": "sym_mworld",
    }
    assert {name for name, _ in given_to_let.signature} == set(result.symbols.values())
    assert not any(re.match("m|eiw", name) for name in result.symbols.values())


@given(problem=mixed_problems())
@settings(max_examples=100, deadline=None)
def test_renaming_changes_nothing_but_names(problem: Problem) -> None:
    """Renamed back, the problem is the one that was to be translated."""
    names = {name: f"m_{name}" for name, _ in problem.signature}
    there = let.renamed(problem, names)
    assert let.renamed(there, {new: old for old, new in names.items()}) == problem
    assert {name for f in there.formulas for name, _ in predicates(f)} == set(names.values())


def test_a_missing_let(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without LET the exception says so."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("MODALGEN_LET", raising=False)
    monkeypatch.setattr(tools, "configuration_file", lambda: tmp_path / "none.toml")
    with pytest.raises(DeciderMissing, match="LET is not installed"):
        let.translate(D_AXIOM, "tff", Limits())


# --- What LET really writes ----------------------------------------------------------------------


def e_status(text: str, has_premises: bool) -> SzsStatus:
    """E's answer to a first-order problem."""
    executable = EProver("tff").path()
    assert executable is not None
    options = ("--auto", "--silent", "--tb-insert-limit=300000", "problem.p")
    completed = run(
        (executable, *options),
        files={"problem.p": text},
        wall_seconds=30,
        cpu_seconds=30,
        memory_mb=2048,
        output_bytes=10_000_000,
    )
    return status_of(completed, saturation_counts=True, has_premises=has_premises)[0]


@pytest.mark.skipif(EProver("tff").path() is None, reason="E is not installed")
@pytest.mark.parametrize("name", recorded.problems())
def test_both_first_order_embeddings_agree(name: str) -> None:
    """E finds the expected status on LET's translation and the same on ours, where it ends at all."""
    problem = recorded.problems()[name]
    has_premises = bool(problem.premises or problem.global_premises)
    theirs = e_status(recorded.let_output(name, "tff"), has_premises)
    ours = EProver("tff").decide(problem, Limits(steps=300_000)).status
    wanted = recorded.expected(name)
    if name in DIVERGING:
        assert SzsStatus.THEOREM not in (theirs, ours)
    else:
        assert theirs == ours == wanted


# E saturates neither translation of these: transitivity and decreasing domains make it diverge.
DIVERGING = {"McK_S4", "CBF_decreasing_D", "BF_cumulative_D"}


@pytest.mark.skipif(
    shutil.which("embedproblem") is None, reason="LET is not on the PATH; its recorded output is tested above"
)
@pytest.mark.parametrize("form", ["tff", "thf"])
@pytest.mark.parametrize("name", ["BF_cumulative_S5", "prem_global_chain", "S4_dd", "prop_5_in_K5"])
def test_the_installed_let_writes_what_was_recorded(name: str, form: let.Form) -> None:
    """The translation through our NXF has the recorded axioms, declarations and formulas."""
    translation = let.translate(recorded.problems()[name], form, Limits())
    assert translation.note == ""
    if translation.version != "embedproblem 1.9.5":
        pytest.skip(f"the recorded output is not of {translation.version}")

    def formulas(text: str) -> list[str]:
        # Without the formulas' names, which are the authors'; LET 1.9 writes one formula a line.
        lines = [line for line in text.splitlines() if line and not line.startswith("%")]
        return sorted(re.sub(r"^\w+\([^,]+,", "", line) for line in lines)

    assert formulas(translation.text) == formulas(recorded.let_output(name, form))


@pytest.mark.skipif(shutil.which("embedproblem") is None, reason="LET is not on the PATH")
def test_the_installed_let_and_colliding_names() -> None:
    """What LET writes declares no symbol twice, whatever the author called the predicates."""
    for form in ("tff", "thf"):
        text = let.translate(COLLIDING, form, Limits()).text
        declared = re.findall(r"^\w+\([^,]+, type, ('[^']*'|\w+):", text, re.MULTILINE)
        assert len(declared) == len(set(declared)) > 6
