"""Sets of contrasts: quotas, and mistakes reported at their place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from modalgen.cli import cli
from modalgen.gen.spec_set import SpecError, check, is_set, load_set

SPECS = Path(__file__).parent.parent / "specs"
GOOD = """schema: modalgen/set/1
id: mine
title: Mine
rationale: For a test.
members:
  - {spec: seriality.yaml, validity: 2, inference: 4}
  - {spec: transitivity.yaml, validity: 0, inference: 2}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two contrasts to make a set of."""
    for name in ("seriality.yaml", "transitivity.yaml"):
        (tmp_path / name).write_text((SPECS / name).read_text("utf-8"), "utf-8")
    odd = (SPECS / "symmetry-vs-transitivity.yaml").read_text("utf-8")
    odd = odd.replace("id: symmetry-vs-transitivity", "id: couples")
    (tmp_path / "couples.yaml").write_text(odd, "utf-8")
    return tmp_path


def put(folder: Path, text: str) -> Path:
    """The set's file."""
    path = folder / "mine.yaml"
    path.write_text(text, "utf-8")
    return path


def test_members_have_the_quotas_of_the_set(folder: Path) -> None:
    """The set's quotas take the place of the contrasts' own; the seeds stay."""
    path = put(folder, GOOD)
    assert is_set(path) and check(path) == []
    members = load_set(path).members
    assert [(c.id, c.select.validity, c.select.inference, c.select.seed) for _, c in members] == [
        ("seriality", 2, 4, 1),
        ("transitivity", 0, 2, 1),
    ]


@pytest.mark.parametrize(
    ("old", "new", "place", "words"),
    [
        ("id: mine", "id: yours", "2:5", "is not the name of the file"),
        ("transitivity.yaml", "nothing.yaml", "7:12", "there is no file"),
        ("transitivity.yaml", "seriality.yaml", "7:12", "`seriality` is a member already, number 1"),
        ("inference: 4}", "inferense: 4}", "6:41", "inferense"),
        ("validity: 2", "validity: two", "6:38", "number"),
        ("set/1", "set/2", "1:1", ""),
        ("seriality.yaml, validity: 2, inf", "couples.yaml, validity: 3, inf", "6:36", "come in twos"),
        ("transitivity.yaml", "mine.yaml", "7:12", "`mine.yaml` is a set itself"),
    ],
)
def test_mistakes_are_told_with_their_place(folder: Path, old: str, new: str, place: str, words: str) -> None:
    """Each mistake gives one diagnostic with line and column."""
    path = put(folder, GOOD.replace(old, new, 1))
    diagnostics = check(path)
    assert diagnostics
    if words:
        assert [f"{d.line}:{d.column}" for d in diagnostics] == [place]
        assert words in str(diagnostics[0])


def test_mistakes_of_a_member_are_told_in_its_own_file(folder: Path) -> None:
    """A faulty contrast is reported as if it were read alone."""
    spoilt = folder / "transitivity.yaml"
    spoilt.write_text(spoilt.read_text("utf-8").replace("[reflexive]", "[reflexiv]", 1), "utf-8")
    with pytest.raises(SpecError) as caught:
        load_set(put(folder, GOOD))
    assert {Path(d.file).name for d in caught.value.diagnostics} == {"transitivity.yaml"}


def test_a_set_builds_one_dataset(folder: Path) -> None:
    """All members' pairs are in one dataset, in their order, and the manifest keeps the set's text."""
    out = folder / "out"
    result = CliRunner().invoke(cli, ["build", str(put(folder, GOOD)), "-o", str(out)])
    assert result.exit_code == 0, result.output
    pairs = [json.loads(line) for line in (out / "pairs.jsonl").read_text("utf-8").splitlines()]
    assert [(p["spec"], p["task"]) for p in pairs] == [
        *[("seriality", "validity")] * 2,
        *[("seriality", "inference")] * 4,
        *[("transitivity", "inference")] * 2,
    ]
    manifest = json.loads((out / "manifest.json").read_text("utf-8"))
    assert [s["id"] for s in manifest["sets"]] == ["mine"]
    assert CliRunner().invoke(cli, ["verify", str(out)]).exit_code == 0
