"""The released datasets hold, belong to the specs of this tree, and are what a build makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from click.testing import CliRunner

from modalgen.cli import cli
from modalgen.examine import examine
from modalgen.files import json_line
from modalgen.gen.candidate import Candidate
from modalgen.gen.contrast import Contrast
from modalgen.gen.sifting import sifted
from modalgen.gen.spec_set import load_set
from modalgen.oracle.judge import Oracle
from modalgen.records import Pair, pair_to_record, read_lines, read_manifest, read_pairs
from modalgen.verify import verify

ROOT = Path(__file__).parent.parent
RELEASED = ("nested", "balanced-core", "hard")


def lines(path: Path) -> list[str]:
    """The lines of a file of records."""
    return [json_line(record) for _, record in read_lines(path)]


@pytest.mark.parametrize("name", RELEASED)
def test_every_label_holds(name: str) -> None:
    """Hashes, evidence, countermodels, certificates and profiles are checked from the files alone."""
    assert verify(ROOT / "datasets" / name) == []


@pytest.mark.parametrize("name", RELEASED)
def test_it_is_of_the_specs_of_this_tree(name: str) -> None:
    """A spec that was changed after the release, without a new build, is found here."""
    manifest = read_manifest(ROOT / "datasets" / name)
    for source in (*manifest["sets"], *manifest["specs"]):
        (path,) = [p for p in (ROOT / "specs").rglob("*.yaml") if p.stem == source["id"]]
        assert path.read_text("utf-8") == source["source"], path
    assert manifest["shortfalls"] == manifest["quarantined"] == []


@pytest.mark.parametrize("name", RELEASED)
def test_it_is_complete_and_settled(name: str) -> None:
    """As many pairs as the set asks for, all labels by two independent findings, no ablation open."""
    spec_set = load_set(ROOT / "specs" / "sets" / f"{name}.yaml")
    pairs = read_pairs(ROOT / "datasets" / name)
    wanted = sum(c.select.validity + c.select.inference for _, c in spec_set.members)
    assert len(pairs) == wanted == {"nested": 800, "balanced-core": 160, "hard": 160}[name]
    assert sum(pair.task == "validity" for pair in pairs) == wanted // 2
    for pair in pairs:
        assert {side.resolution for side in pair.sides.values()} == {"dual"}, pair.pair_id
        assert None not in pair.ablation.values(), pair.pair_id


def test_a_contrast_is_built_alike(tmp_path: Path) -> None:
    """A contrast of the nested set, built anew, is there byte for byte, with what was rejected."""
    out = tmp_path / "seriality"
    arguments = ["build", str(ROOT / "specs/seriality.yaml"), "-o", str(out), "--no-store", "--jobs", "2"]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    for name in ("pairs.jsonl", "rejected.jsonl"):
        released = lines(ROOT / "datasets/nested" / name)
        assert lines(out / name) == [line for line in released if '"spec": "seriality"' in line]


@pytest.mark.parametrize(
    ("name", "spec", "task"),
    [
        ("nested", "cumulative-constant", "validity"),
        ("balanced-core", "symmetry-vs-transitivity", "inference"),
        ("balanced-core", "cumulative-vs-decreasing", "validity"),
        ("hard", "transitivity-deep", "inference"),
    ],
)
def test_a_sample_is_built_alike(name: str, spec: str, task: str) -> None:
    """The first candidates of a task become the same pairs and are rejected for the same reasons."""
    spec_set = load_set(ROOT / "specs" / "sets" / f"{name}.yaml")
    (contrast,) = [contrast for _, contrast in spec_set.members if contrast.id == spec]
    built = list(islice(examined(contrast, task), 4))
    assert built
    released = lines(ROOT / "datasets" / name / "pairs.jsonl")
    assert [json_line(pair_to_record(pair)) for pair in built] == [
        line for line in released if f'"spec": "{spec}"' in line and f'"task": "{task}"' in line
    ][: len(built)]


def examined(contrast: Contrast, task: str) -> Iterator[Pair]:
    """The pairs that the candidates of a task become, in order; of a couple both or none."""
    with Oracle() as oracle:
        outcomes = (
            examine(oracle, contrast, candidate).outcome
            for candidate in sifted(contrast, task)
            if isinstance(candidate, Candidate)
        )
        if not contrast.select.balanced:
            yield from (outcome for outcome in outcomes if isinstance(outcome, Pair))
            return
        for first in outcomes:
            second = next(outcomes)
            if isinstance(first, Pair) and isinstance(second, Pair):
                yield from (first, second)
