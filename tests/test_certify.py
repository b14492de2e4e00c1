"""Certifying: evidence of external provers added to a dataset, canaries, conflicts, authority.

The tools are the real ones where they are installed. Where not, recorded output of the real ones is
played back (see `recorded`): the datasets are such that all their problems were recorded.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
import recorded
from click.testing import CliRunner, Result

from modalgen.cli import cli
from modalgen.nxf import to_nxf
from modalgen.oracle import let, tools
from modalgen.oracle.canaries import CANARIES, faults, try_out
from modalgen.oracle.registry import EXTERNAL, PRIMARY, SECONDARY, deciders_with, tools_of
from modalgen.oracle.vampire import Vampire
from modalgen.oracle.verdict import Limits
from modalgen.records import read_manifest, read_pairs
from modalgen.verify import verify

# Each pair of this dataset is a scheme in a system without and in one with the condition; both
# problems are among the recorded ones.
SPEC = """\
schema: modalgen/contrast/1
id: spec
title: A scheme and its condition
rationale: The scheme corresponds to the condition.
axis: {axis}
sides:
  a: {a}
  b: {b}
symbols: {symbols}
content:
  phi: {content}
templates:
  - {{id: scheme, task: validity, conjecture: "{scheme}"}}
limits: {{modal_depth: 3, quantifier_depth: 1, size: 30}}
select: {{validity: 1, inference: 0, seed: 1}}
"""
BARCAN = SPEC.format(
    axis="domain",
    a="{frame: [serial], domain: cumulative}",
    b="{frame: [serial], domain: decreasing}",
    symbols="{predicates: {f: 1}}",
    content="{connectives: [], max_depth: 0}",
    scheme="∀x □{phi(x)} → □∀x {phi(x)}",
)
FOUR = SPEC.format(
    axis="frame",
    a="{frame: []}",
    b="{frame: [transitive]}",
    symbols="{atoms: [p]}",
    content="{connectives: [], max_depth: 0}",
    scheme="□{phi} → □□{phi}",
)


def run(*arguments: str) -> Result:
    """Run the console script in this process."""
    return CliRunner().invoke(cli, list(arguments))


def build(directory: Path, text: str, *options: str) -> Path:
    """The dataset of a spec."""
    spec = directory / "spec.yaml"
    spec.write_text(text, "utf-8")
    out = directory / "dataset"
    result = run("build", str(spec), "-o", str(out), "--jobs", "1", *options)
    assert result.exit_code == 0, result.output
    return out


@pytest.fixture
def players(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Recorded output in the place of all three tools."""
    monkeypatch.setattr(tools, "configuration_file", lambda: tmp_path / "none.toml")
    translations: dict[str, tuple[str, int]] = {}
    answers: dict[str, dict[str, tuple[str, int]]] = {"vampire": {}, "leo3": {}}
    # The canaries are among the recorded problems too. Two files leave a symbol undeclared on purpose;
    # as problems they are the same as others, and what LET made of them is ill-typed.
    known = {to_nxf(p): n for n, p in recorded.problems().items() if not n.startswith("undeclared")}
    for text, name in known.items():
        for form in ("tff", "thf"):
            file = recorded.RECORDED / "let" / f"{name}.{form}.p"
            translations[recorded.hash_of(text) + form] = (str(file), 0)
    for made in recorded.runs():
        if (made.tool, made.form) in {("vampire", "tff"), ("leo3", "thf")} and made.mode in ("fmb", "prove"):
            if made.tool == "vampire" and made.mode != "fmb":
                continue
            given = let.without_comments(recorded.let_output(made.name, made.form))
            suffix = "out" if made.tool == "leo3" else "fmb.out"
            file = recorded.RECORDED / made.tool / f"{made.name}.{made.form}.{suffix}"
            answers[made.tool][recorded.hash_of(given)] = (str(file), made.exit_code)
    directory = tmp_path / "players"
    for tool, version, table in (
        ("embedproblem", "embedproblem 1.9.5", translations),
        ("vampire", "Vampire 5.1.0 (Release build, commit )", answers["vampire"]),
        ("leo3", "Leo-III 1.7.20", answers["leo3"]),
    ):
        player = recorded.write_player(directory, tool, version, table)
        variable = {"embedproblem": "LET", "vampire": "VAMPIRE", "leo3": "LEO3"}[tool]
        monkeypatch.setenv(f"MODALGEN_{variable}", str(player))
    return directory


@pytest.fixture(params=["recorded", "installed"])
def external(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The tools: all three played back, and the installed LET and Vampire (Leo-III takes too long)."""
    if request.param == "recorded":
        request.getfixturevalue("players")
        return "let,vampire,leo3"
    if not all(map(shutil.which, ("embedproblem", "vampire"))):
        pytest.skip("LET and Vampire are not both on the PATH; their recorded output is played instead")
    monkeypatch.setattr(tools, "configuration_file", lambda: tmp_path / "none.toml")
    return "let,vampire"


def files(directory: Path) -> dict[str, bytes]:
    """All files of a directory tree."""
    return {str(p.relative_to(directory)): p.read_bytes() for p in directory.rglob("*") if p.is_file()}


@pytest.mark.parametrize("text", [FOUR, BARCAN], ids=["four", "barcan"])
def test_certify_adds_authority(text: str, external: str, tmp_path: Path) -> None:
    """All sides get LET's authority; what was there stays; the result holds; a second time adds nothing."""
    out = build(tmp_path, text)
    before = read_pairs(out)
    (out / "notes").mkdir()
    (out / "notes" / "mine.txt").write_text("keep me", "utf-8")
    old_evidence = (out / "evidence.jsonl").read_text("utf-8")
    assert {pair.sides[s].authority for pair in before for s in "ab"} == {"embedded"}

    result = run("certify", str(out), "--with", external, "--require-authority", "let")
    assert result.exit_code == 0, result.output
    assert "2 of 2 sides have the authority let" in result.stderr
    assert verify(out) == []
    (pair,) = read_pairs(out)
    assert {side.authority for side in pair.sides.values()} == {"let"}
    assert {side.resolution for side in pair.sides.values()} == {"dual"}
    assert pair.sides["a"].deciders["vampire-let"] == "CounterSatisfiable"
    assert pair.sides["b"].deciders["vampire-let"] == "Theorem"
    assert pair.sides["b"].deciders.get("leo3-let", "Theorem") == "Theorem"
    for name in "ab":
        was, now = before[0].sides[name], pair.sides[name]
        assert set(was.evidence) < set(now.evidence) and set(was.deciders) < set(now.deciders)
        assert (was.label, was.countermodel, was.certificate) == (
            now.label,
            now.countermodel,
            now.certificate,
        )
    assert (out / "notes" / "mine.txt").read_text("utf-8") == "keep me"
    evidence = (out / "evidence.jsonl").read_text("utf-8")
    assert evidence.startswith(old_evidence)
    added = [json.loads(line) for line in evidence[len(old_evidence) :].splitlines()]
    # Leo-III, which only proves, is asked about the valid side alone.
    asked = ["vampire-let", "vampire-let", *(["leo3-let"] if "leo3" in external else [])]
    assert [record["decider"] for record in added] == asked
    assert all(record["translation"] and record["command"][0] == "embedproblem" for record in added)
    assert "embedproblem" in read_manifest(out)["deciders"]["vampire-let"]

    certified = files(out)
    again = run("certify", str(out), "--with", external)
    assert again.exit_code == 0 and "0 runs added" in again.stderr
    assert files(out) == certified


def test_build_with_authority(external: str, tmp_path: Path) -> None:
    """A build can ask the authoritative deciders itself, and insist on them."""
    out = build(tmp_path, FOUR, "--require-authority", "let")
    assert verify(out) == []
    (pair,) = read_pairs(out)
    assert {side.authority for side in pair.sides.values()} == {"let"}
    assert "vampire-let" in read_manifest(out)["deciders"]


def test_authority_that_is_not_to_be_had(players: Path, tmp_path: Path) -> None:
    """A build that insists rejects what it cannot have authority for, with the reason."""
    spec = tmp_path / "spec.yaml"
    # No problem of this system was recorded, so LET has no translation of it here.
    spec.write_text(FOUR.replace("frame: []", "frame: [serial]").replace("[tr", "[serial, tr"), "utf-8")
    out = tmp_path / "dataset"
    result = run("build", str(spec), "-o", str(out), "--require-authority", "let", "--partial")
    assert result.exit_code == 0, result.output
    assert read_pairs(out) == []
    (rejected,) = map(json.loads, (out / "rejected.jsonl").read_text("utf-8").splitlines())
    assert rejected["reason"] == "no_authority" and "a and b" in rejected["detail"]
    assert verify(out) == []


def test_certify_lists_what_lacks_authority(players: Path, tmp_path: Path) -> None:
    """A run that ends in an error and a side without the required authority are named; the exit code is 1."""
    out = build(tmp_path, FOUR.replace("frame: []", "frame: [serial]").replace("[tr", "[serial, tr"))
    result = run("certify", str(out), "--with", "let,vampire", "--require-authority", "let")
    assert result.exit_code == 1
    pair_id = read_pairs(out)[0].pair_id
    for words in (f"ERROR side a of {pair_id}: vampire-let", f"NO AUTHORITY side b of {pair_id}"):
        assert words in result.stderr
    assert verify(out) == []


# --- Liars -----------------------------------------------------------------------------------------


def write_liar(directory: Path, prints: str) -> Path:
    """An executable that says it is Vampire and gives every problem the same answer."""
    path = directory / "vampire"
    path.write_text(
        f"#!{sys.executable} -SE\nimport sys\n"
        f"print('Vampire 5.1.0' if sys.argv[1:] == ['--version'] else {prints!r})\n",
        "utf-8",
    )
    path.chmod(0o755)
    return path


LIES = [
    ("% SZS status Theorem for x", "p ⊢ □p: it says Theorem, which is WRONG"),
    ("% SZS status CounterSatisfiable for x", "□p → ◇p on serial frames: it says CounterSatisfiable"),
    ("Finite Model Found!", "it says Unknown and not CounterSatisfiable"),
]


@pytest.mark.parametrize(("prints", "complaint"), LIES)
def test_a_liar_fails_the_canaries(
    prints: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tool with a wrong answer, or with none where it has to have one, is trusted with nothing."""
    monkeypatch.setenv("MODALGEN_VAMPIRE", str(write_liar(tmp_path, prints)))
    trust = try_out(Vampire("embedded-tff"), lambda decider, problem: decider.decide(problem, Limits()))
    assert trust.trusted_with == "nothing" and complaint in trust.fault
    assert len(faults([trust])) == 1


def test_no_command_uses_a_liar(players: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`provers --check` shows it, `certify` and `build` refuse it, and the dataset stays."""
    out = build(tmp_path, FOUR)
    before = files(out)
    monkeypatch.setenv("MODALGEN_VAMPIRE", str(write_liar(tmp_path, "% SZS status Theorem for x")))
    monkeypatch.setenv("MODALGEN_LEO3", str(tmp_path / "none"))
    checked = run("provers", "--check", "--json")
    assert checked.exit_code == 1
    trust = {entry["decider"]: entry for entry in json.loads(checked.stdout)["trust"]}
    assert trust["vampire-let"]["trusted_with"] == trust["vampire-tff"]["trusted_with"] == "nothing"
    assert trust["eprover-tff"]["trusted_with"] == "valid and invalid"
    for arguments in (
        ["certify", str(out), "--with", "let,vampire"],
        ["build", str(tmp_path / "spec.yaml"), "-o", str(tmp_path / "new"), "--authority", "let"],
    ):
        result = run(*arguments)
        assert result.exit_code == 1
        assert "fails a canary and is not used: p ⊢ □p: it says Theorem, which is WRONG" in result.stderr
    assert files(out) == before and not (tmp_path / "new").exists()


def test_a_conflict_rejects_the_pair(players: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool that lies only after the canaries: the pair is moved to the rejected ones, loudly."""
    out = build(tmp_path, FOUR)
    (pair,) = read_pairs(out)
    known = players / "vampire.json"
    table = json.loads(known.read_text("utf-8"))
    theorem = next(file for file, _ in table.values() if "prop_4_in_K4." in file)
    for key, (file, code) in table.items():
        if "prop_4_in_K." in file:
            table[key] = (theorem, code)
    known.write_text(json.dumps(table), "utf-8")
    result = run("certify", str(out), "--with", "let,vampire")
    assert result.exit_code == 1
    assert f"CONFLICT on side a of {pair.pair_id}" in result.stderr
    assert "vampire-let: Theorem" in result.stderr and "z3-kripke: CounterSatisfiable" in result.stderr
    assert read_pairs(out) == []
    rejected = [json.loads(line) for line in (out / "rejected.jsonl").read_text("utf-8").splitlines()]
    assert [r["reason"] for r in rejected if r["candidate_id"] == pair.pair_id] == ["conflict"]
    assert read_manifest(out)["rejected"]["conflict"] == 1
    evidence = [json.loads(line) for line in (out / "evidence.jsonl").read_text("utf-8").splitlines()]
    assert {"vampire-let", "z3-kripke"} <= {e["decider"] for e in evidence if e["pair_id"] == pair.pair_id}
    assert verify(out) == []


def test_a_dataset_with_faults_is_not_certified(players: Path, tmp_path: Path) -> None:
    """Evidence is not added to what does not hold."""
    out = build(tmp_path, FOUR)
    text = (out / "pairs.jsonl").read_text("utf-8").replace('"label": true', '"label": false')
    (out / "pairs.jsonl").write_text(text, "utf-8")
    before = files(out)
    result = run("certify", str(out), "--with", "let,vampire")
    assert result.exit_code == 2 and "faults" in result.stderr
    assert files(out) == before


def test_a_dataset_that_cannot_be_replaced_stays(
    players: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that is full while the new dataset is written leaves the old one."""
    out = build(tmp_path, FOUR)
    before = files(out)

    def full(path: Path, text: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("modalgen.certify.write_durably", full)
    result = run("certify", str(out), "--with", "let,vampire")
    assert result.exit_code == 1 and "is as it was: No space left" in result.stderr
    assert files(out) == before
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith(".")) == []


# --- Usage -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tools_named", "words"),
    [
        ("let", "decides nothing"),
        ("vampyre", "did you mean 'vampire'?"),
        ("", "decides nothing"),
        ("let,leo", "unknown tool 'leo'"),
    ],
)
def test_tools_that_do_not_make_a_decider(tools_named: str, words: str, tmp_path: Path) -> None:
    """A wrong or insufficient list of tools is an error in words."""
    out = build(tmp_path, FOUR)
    result = run("certify", str(out), "--with", tools_named)
    assert result.exit_code == 2 and words in result.stderr


def test_without_the_tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing fails without them except what asks for them; `provers` says it in one sentence."""
    for tool in tools.TOOLS.values():
        monkeypatch.delenv(tool.variable, raising=False)
    monkeypatch.setattr(tools, "configuration_file", lambda: tmp_path / "none.toml")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    if any(shutil.which(e) for tool in tools.TOOLS.values() for e in tool.executables):
        pytest.skip("a tool is installed for all users")
    out = build(tmp_path, FOUR)
    result = run("certify", str(out), "--with", "let,vampire")
    assert result.exit_code == 2 and "LET is not installed" in result.stderr
    result = run("build", str(tmp_path / "spec.yaml"), "--authority", "let")
    assert result.exit_code == 2 and "is not installed" in result.stderr
    listed = run("provers")
    assert listed.exit_code == 0
    assert "None of LET, Vampire and Leo-III can be used here" in listed.stderr


def test_which_deciders_the_tools_make() -> None:
    """With LET the others judge its translation, without it ours; the routes say so."""
    made = {
        tools_: [d.name for d in deciders_with(tools_.split())]
        for tools_ in (
            "let vampire leo3",
            "vampire leo3",
            "let leo3",
            "vampire",
            "let",
            "",
        )
    }
    assert made == {
        "let vampire leo3": ["vampire-let", "leo3-let"],
        "vampire leo3": ["vampire-tff", "leo3-thf"],
        "let leo3": ["leo3-let"],
        "vampire": ["vampire-tff"],
        "let": [],
        "": [],
    }
    for decider in EXTERNAL:
        assert (
            ("let" in tools_of(decider)) == decider.route.startswith("let-") == decider.name.endswith("-let")
        )


# --- Canaries ----------------------------------------------------------------------------------------


def test_the_canaries_have_the_labels_that_the_portfolio_finds() -> None:
    """Every decider of our own passes, and the canaries are two of each label and kind."""
    from modalgen.oracle.judge import Oracle

    kinds = [(canary.valid, canary.problem.semantics.domain is None) for canary in CANARIES]
    assert sorted(kinds) == [(False, False), (False, True), (True, False), (True, True)]
    with Oracle(Limits()) as oracle:
        for decider in (*oracle.primary, *oracle.secondary):
            assert try_out(decider, oracle.run).fault == ""
        assert len(oracle.primary) + len(oracle.secondary) >= len(PRIMARY) + len(SECONDARY) - 2
