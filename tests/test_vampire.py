"""Vampire: recorded and installed, what counts as an answer, and its finite models read back."""

from __future__ import annotations

import dataclasses
import shutil
import sys
from pathlib import Path

import pytest
import recorded
from hypothesis import given, settings
from strategies import mixed_problems
from table import rows

from modalgen.kripke import KripkeModel, is_countermodel
from modalgen.oracle.process import Completed, Stopped
from modalgen.oracle.vampire import Vampire, judged_model, status_of
from modalgen.oracle.vampire_model import ModelError, Vocabulary, has_finite_model, read_model
from modalgen.oracle.verdict import Limits, SzsStatus, Verdict
from modalgen.problem import Problem
from modalgen.semantics import semantics
from modalgen.syntax import parse

D_AXIOM = Problem(semantics(["serial"]), (), parse("□p → ◇p"))
LET_NAMES = ("$world", "$accessible_world", "$local_world", "$exists_in_world_$i")
RUNS = [run for run in recorded.runs() if run.tool == "vampire"]
MODELS = [run for run in RUNS if has_finite_model(run.output) and run.name in recorded.problems()]


def vocabulary(problem: Problem) -> Vocabulary:
    """LET's names for a problem whose predicates it did not have to rename."""
    return Vocabulary(*LET_NAMES, {name: name for name, _ in problem.signature})


# --- Recorded runs -------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["fmb", "prove", "cascsat", "thf"])
def test_recorded_verdicts(mode: str) -> None:
    """In each mode the status is the one in the log, and a decisive one the expected."""
    runs = [run for run in RUNS if (run.form if run.form == "thf" else run.mode) == mode]
    assert len(runs) == 39
    for run in runs:
        status, note = status_of(run.completed, has_premises=True)
        decisive = status in (SzsStatus.THEOREM, SzsStatus.COUNTER_SATISFIABLE)
        assert decisive == (note == ""), run.name
        if run.status:
            assert status == run.status, run.name
        elif run.exit_code == 4:
            assert status is SzsStatus.INPUT_ERROR and "cannot read the problem: User error" in note
        else:
            assert status is SzsStatus.TIMEOUT and run.seconds > 5
        if decisive and run.name != "desig_flex_EGbox":
            assert status == recorded.expected(run.name), run.name
    answered = sum(status_of(run.completed, has_premises=True)[1] == "" for run in runs)
    assert answered == {"fmb": 37, "prove": 34, "cascsat": 37, "thf": 22}[mode]


def test_the_flexible_name_that_let_ignores() -> None:
    """The one wrong theorem among the recorded runs is LET's known silence about flexible names,
    which our problems do not have."""
    (run,) = [run for run in RUNS if run.name == "desig_flex_EGbox" and run.mode == "fmb"]
    assert status_of(run.completed, has_premises=True)[0] != recorded.expected(run.name)
    assert run.name not in recorded.problems()


@pytest.mark.parametrize("run", MODELS, ids=lambda run: run.name)
def test_recorded_models_are_countermodels(run: recorded.RecordedRun) -> None:
    """Every recorded finite model is read and accepted by the reference evaluator."""
    problem = recorded.problems()[run.name]
    model, note = judged_model(run.output, vocabulary(problem), problem)
    assert note == "" and model is not None
    assert is_countermodel(model, problem)


def test_the_models_are_of_all_kinds() -> None:
    """Propositional and first-order ones, of each domain regime that can refute, are among them."""
    regimes = {recorded.problems()[run.name].semantics.domain for run in MODELS}
    assert len(MODELS) == 17 and regimes == {None, "varying", "cumulative", "decreasing"}


def test_a_model_read_by_hand() -> None:
    """Worlds, arrows, domains and extensions are those that are printed."""
    (run,) = [run for run in MODELS if run.name == "BF_cumulative_D"]
    problem = recorded.problems()[run.name]
    everyone = frozenset({0, 1})
    assert read_model(run.output, vocabulary(problem), problem) == KripkeModel(
        worlds=2,
        accessibility=frozenset({(0, 0), (0, 1), (1, 1)}),
        domains=(frozenset({1}), everyone),
        extensions={"f": (frozenset({(1,)}), frozenset({(1,)}))},
        actual=0,
    )


@pytest.mark.parametrize("run", MODELS, ids=lambda run: run.name)
def test_a_changed_model_is_not_believed(run: recorded.RecordedRun) -> None:
    """Of the models with one literal turned over, exactly those that are countermodels are accepted."""
    problem = recorded.problems()[run.name]
    lines = run.output.splitlines(keepends=True)
    accepted = refused = 0
    for number, line in enumerate(lines):
        bare = line.lstrip(" &").rstrip()
        if "(" not in bare or not bare.lstrip("~").startswith(("'$", "p(", "q(", "f(")) or "fmb_" not in bare:
            continue
        turned = line.replace(bare, bare[1:] if bare.startswith("~") else f"~{bare}")
        text = "".join([*lines[:number], turned, *lines[number + 1 :]])
        model, note = judged_model(text, vocabulary(problem), problem)
        if model is None:
            refused += 1
            assert "NO countermodel" in note or "no Kripke model" in note
        else:
            accepted += 1
            assert is_countermodel(model, problem)
    assert refused > 0


def test_another_problems_model_is_refused() -> None:
    """A model of one problem, offered for the same formula in a class without it, is objected to."""
    (run,) = [run for run in MODELS if run.name == "prop_D_in_K"]
    problem = recorded.problems()["prop_D_in_D"]
    model, note = judged_model(run.output, vocabulary(problem), problem)
    assert model is None
    assert note == "Vampire's finite model is NO countermodel: the frame is not serial"


# --- Forms of output -----------------------------------------------------------------------------

HEAD = "% SZS output start FiniteModel for x\n"
TAIL = "% SZS output end FiniteModel for x\n"
# As Vampire 4.8 prints it: no quotation marks, undefined values in comments.
OLDER = """\
tff(declare_$world,type,$world:$tType).
tff(declare_$world1,type,fmb_$world_1:$world).
tff(finite_domain_$world,axiom,
      ! [X:$world] : (
         X = fmb_$world_1
      ) ).
tff(declare_$local_world,type,$local_world:$world).
tff($local_world_definition,axiom,$local_world = fmb_$world_1).
tff(predicate_$accessible_world,axiom,
%         $accessible_world(fmb_$world_1,fmb_$world_1) undefined in model
         ~p(fmb_$world_1)
).
"""


def test_a_model_in_the_older_form() -> None:
    """Names without quotation marks and undefined values are read; what is missing is empty."""
    problem = Problem(semantics(), (), parse("p"))
    model, note = judged_model(HEAD + OLDER + TAIL, vocabulary(problem), problem)
    assert note == ""
    assert model == KripkeModel(1, frozenset(), valuation={"p": frozenset()})


@pytest.mark.parametrize(
    "section",
    [
        "tff(a,axiom,",
        "tff(a,axiom,p(x))",
        "tff(a,plain,p(x)).",
        "fof(a,axiom,p(x)).",
        "tff(a,axiom,p(fmb_nobody)).",
        "tff(a,axiom,p(fmb_$world_1,fmb_$world_1)).",
        "tff(a,axiom,! [X:$world] : p(X)).",
        "tff(a,axiom,! [X:$world] : (X = a | p(X))).",
        "tff(a,axiom,p(x) | q(x)).",
        "tff(a,axiom,p(x,)).",
        "tff(a,axiom,#).",
    ],
)
def test_models_that_cannot_be_read(section: str) -> None:
    """Anything of an unexpected shape is refused; it is neither skipped nor a traceback."""
    problem = Problem(semantics(), (), parse("p"))
    text = f"{HEAD}{OLDER}{section}\n{TAIL}"
    with pytest.raises(ModelError):
        read_model(text, vocabulary(problem), problem)
    assert judged_model(text, vocabulary(problem), problem)[1].startswith("Vampire's finite model cannot")


def test_a_model_that_is_cut_off() -> None:
    """A section without an end is no model."""
    problem = Problem(semantics(), (), parse("p"))
    with pytest.raises(ModelError, match="no complete finite model"):
        read_model(HEAD + OLDER, vocabulary(problem), problem)


# --- What counts as an answer ----------------------------------------------------------------------

THEOREM, REFUTED = "% SZS status Theorem for x\n", "% SZS status CounterSatisfiable for x\n"


@pytest.mark.parametrize(
    ("output", "code", "status"),
    [
        (THEOREM, 0, SzsStatus.THEOREM),
        (REFUTED, 0, SzsStatus.COUNTER_SATISFIABLE),
        ("% SZS status ContradictoryAxioms for x\n", 0, SzsStatus.THEOREM),
        (THEOREM, 1, SzsStatus.UNKNOWN),
        (REFUTED, 1, SzsStatus.UNKNOWN),
        (THEOREM + REFUTED, 0, SzsStatus.UNKNOWN),
        (THEOREM + THEOREM, 0, SzsStatus.UNKNOWN),
        ("% Finite Model Found!\n", 0, SzsStatus.UNKNOWN),
        ("% Refutation found. Thanks to Tanya!\n", 0, SzsStatus.UNKNOWN),
        ("% Refutation not found, incomplete strategy\n", 1, SzsStatus.UNKNOWN),
        ("Satisfiable!\n", 0, SzsStatus.UNKNOWN),
        ("% SZS status Satisfiable for x\n", 0, SzsStatus.UNKNOWN),
        ("% SZS status Unsatisfiable for x\n", 0, SzsStatus.UNKNOWN),
        ("I hope for % SZS status Theorem\n", 0, SzsStatus.UNKNOWN),
        ("% SZS status GaveUp for x\n", 1, SzsStatus.GAVE_UP),
        ("% Time limit reached!\n% Termination reason: Time limit\n", 1, SzsStatus.TIMEOUT),
        ("% Memory limit exceeded!\n", 1, SzsStatus.RESOURCE_OUT),
        ("User error: no such thing\n", 4, SzsStatus.INPUT_ERROR),
        ("Insufficient system memory\n", 4, SzsStatus.RESOURCE_OUT),
        ("", 0, SzsStatus.UNKNOWN),
        (THEOREM, -11, SzsStatus.ERROR),
    ],
)
def test_what_counts_as_an_answer(output: str, code: int, status: SzsStatus) -> None:
    """One SZS status with exit code 0 is evidence; words for people are none."""
    found, note = status_of(Completed(code, output, 0.1, None), has_premises=True)
    assert found is status
    assert (note == "") == (status in (SzsStatus.THEOREM, SzsStatus.COUNTER_SATISFIABLE))


def test_stopped_runs_and_contradictory_classes() -> None:
    """A run that was stopped is no evidence; no class of models is empty."""
    for stopped in Stopped:
        assert status_of(Completed(0, THEOREM, 0.1, stopped), has_premises=True)[1]
    contradictory = Completed(0, "% SZS status ContradictoryAxioms for x\n", 0.1, None)
    assert status_of(contradictory, has_premises=False)[0] is SzsStatus.UNKNOWN


def fake_vampire(
    monkeypatch: pytest.MonkeyPatch, directory: Path, prints: str, builder: str | None = None
) -> None:
    """Let a Python program that prints this answer in Vampire's place; another for the model builder."""
    path = directory / "vampire"
    path.write_text(
        f"#!{sys.executable} -SE\nimport sys\n"
        f"answer = {prints if builder is None else builder!r} if 'fmb' in sys.argv else {prints!r}\n"
        "print('Vampire 5.1.0' if sys.argv[1:] == ['--version'] else answer)\n",
        "utf-8",
    )
    path.chmod(0o755)
    monkeypatch.setenv("MODALGEN_VAMPIRE", str(path))


@pytest.mark.parametrize(
    ("builder", "saturation", "status", "options"),
    [
        ("% Termination reason: Time limit", THEOREM, SzsStatus.THEOREM, ["-t", "9"]),
        (
            "% Termination reason: Time limit",
            "% Termination reason: Time limit",
            SzsStatus.TIMEOUT,
            ["-t", "9"],
        ),
        (THEOREM, REFUTED, SzsStatus.THEOREM, ["-sa", "fmb", "-updr", "off", "-t", "2"]),
        (
            f"{REFUTED}{HEAD}{OLDER}{TAIL}",
            THEOREM,
            SzsStatus.ERROR,
            ["-sa", "fmb", "-updr", "off", "-t", "2"],
        ),
        (THEOREM + REFUTED, THEOREM, SzsStatus.UNKNOWN, ["-sa", "fmb", "-updr", "off", "-t", "2"]),
    ],
)
def test_saturation_is_tried_where_the_model_builder_finds_nothing(
    builder: str,
    saturation: str,
    status: SzsStatus,
    options: list[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """Only a search without result leads to another strategy; a bad answer is not replaced by a better."""
    fake_vampire(monkeypatch, tmp_path, saturation, builder)
    verdict = Vampire("embedded-tff").decide(D_AXIOM, Limits(wall_seconds=8.5))
    assert verdict.status is status
    assert list(verdict.command) == ["vampire", "--input_syntax", "tptp", *options, "translated.p"]


def test_a_finite_model_that_is_none_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """CounterSatisfiable with a model that the evaluator refuses, or that cannot be read, is loud."""
    for section, words in ((OLDER, "NO countermodel"), ("nonsense.\n", "cannot be read")):
        fake_vampire(monkeypatch, tmp_path, f"{REFUTED}{HEAD}{section}{TAIL}")
        verdict = Vampire("embedded-tff").decide(D_AXIOM, Limits())
        assert verdict.status is SzsStatus.ERROR and not verdict.decisive
        assert words in verdict.note


def test_a_saturation_is_an_answer_without_a_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """On first-order input a saturated set refutes; there is no countermodel to show."""
    fake_vampire(monkeypatch, tmp_path, f"{REFUTED}% SZS output start Saturation.\n")
    verdict = Vampire("embedded-tff").decide(D_AXIOM, Limits())
    assert verdict.status is SzsStatus.COUNTER_SATISFIABLE and verdict.countermodel is None


def test_no_translation_no_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where LET has no translation, the verdict says why and Vampire is not run."""
    fake_vampire(monkeypatch, tmp_path, THEOREM)
    recorded.write_player(tmp_path, "embedproblem", "embedproblem 1.9.5", {})
    monkeypatch.setenv("MODALGEN_LET", str(tmp_path / "embedproblem"))
    unnamed = dataclasses.replace(D_AXIOM, semantics=semantics(["convergent"]))
    for problem, status, words in (
        (unnamed, SzsStatus.UNKNOWN, "LET has no name for the condition 'convergent'"),
        (D_AXIOM, SzsStatus.ERROR, "LET failed: this input was not recorded"),
    ):
        verdict = Vampire("let-tff").decide(problem, Limits())
        assert verdict.status is status and verdict.note.startswith(words)
        assert verdict.translation == "" and "vampire" not in verdict.command


# --- The installed Vampire -------------------------------------------------------------------------

needs_vampire = pytest.mark.skipif(
    shutil.which("vampire") is None, reason="Vampire is not on the PATH; its recorded output is tested above"
)


def decide(route: str, problem: Problem) -> Verdict:
    """The installed Vampire's verdict."""
    assert route in ("let-tff", "embedded-tff")
    return Vampire(route).decide(problem, Limits(wall_seconds=10))


@needs_vampire
def test_the_table_on_our_translation() -> None:
    """The textbook labels are found (every fifth is tried), and every refutation has a countermodel."""
    for problem, valid in rows()[::5]:
        verdict = decide("embedded-tff", problem)
        assert verdict.note == ""
        assert verdict.status == ("Theorem" if valid else "CounterSatisfiable")
        assert valid or verdict.countermodel is not None


@needs_vampire
def test_a_chain_of_worlds_is_proved_by_saturation() -> None:
    """The model builder never ends on this theorem of D; saturation proves it."""
    verdict = decide("embedded-tff", Problem(semantics(["serial"]), (parse("□◇p"),), parse("◇◇p")))
    assert verdict.status is SzsStatus.THEOREM and "fmb" not in verdict.command


@needs_vampire
@given(problem=mixed_problems())
@settings(max_examples=60, deadline=None)
def test_random_problems_on_our_translation(problem: Problem) -> None:
    """No finite model of Vampire's is ever objected to or unreadable, whatever the problem."""
    verdict = Vampire("embedded-tff").decide(problem, Limits(wall_seconds=1))
    assert verdict.status is not SzsStatus.ERROR, verdict.note
    assert verdict.status is not SzsStatus.INPUT_ERROR, verdict.note


@needs_vampire
@pytest.mark.skipif(shutil.which("embedproblem") is None, reason="LET is not on the PATH")
def test_the_recorded_problems_through_let() -> None:
    """LET and Vampire together give the expected status, with a countermodel where it is invalid."""
    for name in ("BF_cumulative_D", "BF_decreasing_D", "prem_local_chain", "prem_global_chain", "S5_bd"):
        verdict = decide("let-tff", recorded.problems()[name])
        assert verdict.status == recorded.expected(name)
        assert (verdict.countermodel is None) == (verdict.status is SzsStatus.THEOREM)
        assert verdict.command[0] == "embedproblem" and "&&" in verdict.command
        assert "on embedproblem" in verdict.version
