"""Building a dataset: what is accepted and in which order, what is written and when nothing is."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from small import contents, modalgen, pairs_text, source, write_spec

from modalgen import build as build_module
from modalgen.build import BuildError, Progress, build, write_dataset
from modalgen.cli import cli
from modalgen.files import replaced_directory, sha256
from modalgen.records import EVIDENCE, MANIFEST, PAIRS, REJECTED, read_pairs
from modalgen.verify import verify


def run(*arguments: str | Path) -> Result:
    """Run the console script in this process."""
    return CliRunner().invoke(cli, ["build", "--jobs", "2", *map(str, arguments)])


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def warm_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that has seen the small spec, for tests that are not about the provers."""
    directory = tmp_path_factory.mktemp("warm")
    path = directory / "evidence.sqlite"
    result = CliRunner().invoke(
        cli, ["build", str(write_spec(directory)), "-o", str(directory / "data"), "--store", str(path)]
    )
    assert result.exit_code == 0, result.output
    return path


@pytest.fixture
def warm(warm_store: Path, store_path: Path) -> Path:
    """This test's own store, with everything in it that the small spec needs."""
    shutil.copyfile(warm_store, store_path)
    return store_path


def test_the_same_bytes_with_any_number_of_workers(tmp_path: Path) -> None:
    """Neither the number of workers nor Python's hash seed changes a byte of pairs and rejections."""
    spec = write_spec(tmp_path, ("inference: 1", "inference: 5"), ("max_depth: 1", "max_depth: 2"))
    found = []
    for jobs, hash_seed in ((1, "0"), (2, "1"), (4, "2")):
        out = tmp_path / f"out-{jobs}"
        done = modalgen("build", spec, "-o", out, "--jobs", str(jobs), "--no-store", PYTHONHASHSEED=hash_seed)
        assert done.returncode == 0, done.stderr
        assert verify(out) == []
        found.append({name: data for name, data in contents(out).items() if name in (PAIRS, REJECTED)})
    assert found[0] == found[1] == found[2]
    assert found[0][PAIRS].count(b"\n") == 7


def test_a_warm_store_changes_nothing(tmp_path: Path, warm: Path) -> None:
    """From the store come the same pairs, rejections and evidence hashes as from the provers."""
    spec = write_spec(tmp_path)
    cold, hot = (tmp_path / name for name in ("cold", "hot"))
    assert run(spec, "-o", cold, "--no-store").exit_code == 0
    result = run(spec, "-o", hot, "--store", warm)
    assert result.exit_code == 0 and "were recalled" in result.output
    for name in (PAIRS, REJECTED):
        assert (cold / name).read_bytes() == (hot / name).read_bytes()
    assert [e["sha256"] for e in lines(cold / EVIDENCE)] == [e["sha256"] for e in lines(hot / EVIDENCE)]
    assert verify(hot) == []


def test_candidates_are_accepted_in_the_order_in_which_they_are_drawn(tmp_path: Path, warm: Path) -> None:
    """A smaller quota gives the first pairs of a larger one: speed does not select."""
    few, more = tmp_path / "few", tmp_path / "more"
    assert run(write_spec(tmp_path), "-o", few, "--limit", "2").exit_code == 0
    assert run(write_spec(tmp_path), "-o", more).exit_code == 0
    for task, count in (("validity", 1), ("inference", 1)):
        chosen = [[p.pair_id for p in read_pairs(place) if p.task == task] for place in (few, more)]
        assert chosen[0] == chosen[1][:count]
    assert [p.task for p in read_pairs(more)] == ["validity", "validity", "inference"]


@pytest.mark.parametrize(("limit", "tasks"), [(1, {"validity": 1}), (2, {"validity": 1, "inference": 1})])
def test_a_limit_is_shared_by_the_tasks(
    tmp_path: Path, warm: Path, limit: int, tasks: dict[str, int]
) -> None:
    """--limit bounds the pairs of each spec and keeps both tasks where it can."""
    assert run(write_spec(tmp_path), "-o", tmp_path / "out", "--limit", limit).exit_code == 0
    assert Counter(pair.task for pair in read_pairs(tmp_path / "out")) == tasks


def test_the_seed_selects_the_pairs(tmp_path: Path, warm: Path) -> None:
    """Another seed gives other pairs, the spec's own gives the same, and the manifest says which it was."""
    ids = {}
    for seed in (1, 2):
        out = tmp_path / str(seed)
        assert run(write_spec(tmp_path), "-o", out, "--seed", seed).exit_code == 0
        ids[seed] = [pair.pair_id for pair in read_pairs(out)]
        assert json.loads((out / MANIFEST).read_text())["specs"][0]["seed"] == seed
    assert run(write_spec(tmp_path), "-o", tmp_path / "own").exit_code == 0
    assert ids[1] == [pair.pair_id for pair in read_pairs(tmp_path / "own")] != ids[2]


# One atom and no connective: a single validity pair, whatever the quota.
POOR = (("atoms: [p, q]", "atoms: [p]"), ("[not, and], max_depth: 1", "[], max_depth: 0"))
POOR_QUOTA = (*POOR, ("validity: 2, inference: 1", "validity: 5, inference: 0"))


def test_a_shortfall_writes_nothing(tmp_path: Path, warm: Path) -> None:
    """A quota that cannot be met is exit code 1, and what was there before stays."""
    out = tmp_path / "out"
    assert run(write_spec(tmp_path), "-o", out).exit_code == 0
    before = contents(out)
    for place in (out, tmp_path / "new"):
        result = run(write_spec(tmp_path, *POOR_QUOTA), "-o", place)
        assert result.exit_code == 1
        assert "of 5 validity pairs" in result.output and "nothing was written" in result.output
    assert contents(out) == before
    assert not (tmp_path / "new").exists()


def test_a_partial_dataset_on_demand(tmp_path: Path) -> None:
    """--partial writes what there is, and the manifest says what is missing."""
    out = tmp_path / "out"
    result = run(write_spec(tmp_path, *POOR_QUOTA), "-o", out, "--partial")
    assert result.exit_code == 0
    manifest = json.loads((out / MANIFEST).read_text())
    accepted = len(read_pairs(out))
    assert 0 < accepted < 5
    assert manifest["shortfalls"] == [
        {"spec": "small", "task": "validity", "wanted": 5, "accepted": accepted}
    ]
    assert verify(out) == []


def test_a_search_without_success_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Templates that yield no pair do not keep a build busy for ever."""
    monkeypatch.setattr(build_module, "BARREN_STREAK", 3)
    hopeless = source(
        tmp_path, ("□{phi} → ◇{phi}", "□{phi} → ◇◇◇{psi}"), ("modal_depth: 2", "modal_depth: 3")
    )
    steps: list[Progress] = []
    only = replace(hopeless.contrast, templates=hopeless.contrast.templates[:1])
    result = build([replace(hopeless, contrast=only)], report=steps.append)
    assert not result.pairs and len(result.rejections) == 3
    assert [(s.task, s.accepted) for s in result.shortfalls] == [("validity", 0), ("inference", 0)]


@pytest.mark.parametrize("place", ["notes", "file"])
def test_what_is_not_a_dataset_is_not_overwritten(tmp_path: Path, place: str) -> None:
    """A directory with other files, or a file, is refused before any prover runs, and left alone."""
    (tmp_path / "notes").mkdir()
    for path in (tmp_path / "notes" / "thesis.tex", tmp_path / "file"):
        path.write_text("years of work")
    result = run(write_spec(tmp_path), "-o", tmp_path / place)
    assert result.exit_code == 2 and "is not a dataset" in result.output and "━" not in result.output
    assert (
        (tmp_path / "notes" / "thesis.tex").read_text() == (tmp_path / "file").read_text() == "years of work"
    )
    with pytest.raises(BuildError):
        write_dataset(build([source(tmp_path)], limit=0 + 1, jobs=1), tmp_path / place)


def test_an_existing_dataset_is_replaced_whole(tmp_path: Path, warm: Path) -> None:
    """A new dataset takes the place of an old one, files that it does not have included."""
    out = tmp_path / "deep" / "er" / "out"
    assert run(write_spec(tmp_path), "-o", out, "--seed", 2).exit_code == 0
    (out / "scores.json").write_text("{}")
    assert run(write_spec(tmp_path), "-o", out).exit_code == 0
    assert set(contents(out)) == {PAIRS, EVIDENCE, REJECTED, MANIFEST}
    assert verify(out) == []
    assert list(out.parent.iterdir()) == [out]


@pytest.mark.parametrize("exchange_works", [True, False])
def test_a_directory_is_replaced_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exchange_works: bool
) -> None:
    """Also where the system cannot exchange names, and through a link; a failure leaves all as it was."""
    if not exchange_works:
        monkeypatch.setattr("sys.platform", "other")
    target, link = tmp_path / "target", tmp_path / "link"
    link.symlink_to(target)
    for text in ("old", "new"):
        with replaced_directory(link) as fresh:
            (fresh / "file").write_text(text)
        assert (target / "file").read_text() == text and link.is_symlink()
    with pytest.raises(ZeroDivisionError), replaced_directory(target) as fresh:
        (fresh / "file").write_text("broken")
        raise ZeroDivisionError
    assert (target / "file").read_text() == "new"
    assert {path.name for path in tmp_path.iterdir()} >= {"target", "link"}
    assert not list(tmp_path.glob(".target*"))


def test_several_specs_make_one_dataset(tmp_path: Path, warm: Path) -> None:
    """Specs contribute in the order given; they need a place and different ids."""
    one = write_spec(tmp_path)
    two = write_spec(tmp_path, ("id: small", "id: other"), name="other.yaml")
    out = tmp_path / "out"
    assert run(one, two, "-o", out).exit_code == 0
    assert [pair.spec for pair in read_pairs(out)] == ["small"] * 3 + ["other"] * 3
    assert [s["id"] for s in json.loads((out / MANIFEST).read_text())["specs"]] == ["small", "other"]
    assert verify(out) == []
    assert run(one, two).exit_code == 2
    (tmp_path / "copy").mkdir()
    repeated = run(one, write_spec(tmp_path / "copy"), "-o", out)
    assert repeated.exit_code == 2 and "'small'" in repeated.output


def test_all_errors_of_all_specs_are_reported_at_once(tmp_path: Path) -> None:
    """An author sees every error in one go, with file and line, and nothing is built."""
    one = write_spec(tmp_path, ("axis: frame", "axis: fram"), ("id: small", "id: Sm all"))
    two = write_spec(tmp_path, ('◇{phi}"}', '◇{phi"}'), name="two.yaml")
    result = run(one, two, "-o", tmp_path / "out")
    assert result.exit_code == 2
    for words in ("small.yaml:3", "small.yaml:6", "two.yaml:"):
        assert words in result.output
    assert not (tmp_path / "out").exists()


def test_a_contradicted_expectation_is_loud(tmp_path: Path, warm: Path) -> None:
    """Labels against the spec's `expect` reject the pair as unexpected, and the exit code is not 0."""
    spec = write_spec(
        tmp_path,
        ("{frame: []}", "{frame: [reflexive, symmetric]}"),
        ("{frame: [serial]}", "{frame: [reflexive, transitive]}"),
        ("□{phi} → ◇{phi}", "□{phi} → □□{phi}"),  # valid on side b
        ("inference: 1, seed: 1}", "inference: 0, seed: 1}\nexpect: {a: true, b: false}"),
        *POOR,
    )
    result = run(spec, "-o", tmp_path / "out", "--partial")
    assert result.exit_code == 1 and "UNEXPECTED in small" in result.output
    reasons = Counter(r["reason"] for r in lines(tmp_path / "out" / REJECTED))
    assert reasons["unexpected"] > 0 and not read_pairs(tmp_path / "out")


def test_the_manifest_says_what_the_dataset_is(tmp_path: Path, warm: Path) -> None:
    """Hashes and line numbers are those of the files, counts those of the records, the spec is whole."""
    spec, out = write_spec(tmp_path), tmp_path / "out"
    assert run(spec, "-o", out).exit_code == 0
    manifest = json.loads((out / MANIFEST).read_text())
    assert manifest["modalgen"] == version("modalgen")
    assert set(manifest["deciders"]) >= {"z3-kripke", "herbrand", "cvc5"}
    for name in (PAIRS, EVIDENCE, REJECTED):
        data = (out / name).read_bytes()
        assert manifest["files"][name] == {"sha256": sha256(data), "lines": data.count(b"\n")}
    assert sum(entry["count"] for entry in manifest["pairs"]) == len(read_pairs(out)) == 3
    assert manifest["rejected"] == Counter(r["reason"] for r in lines(out / REJECTED))
    assert manifest["shortfalls"] == manifest["quarantined"] == []
    (recorded,) = manifest["specs"]
    assert recorded["source"] == spec.read_text() and recorded["sha256"] == sha256(spec.read_bytes())
    assert (recorded["id"], recorded["file"], recorded["seed"]) == ("small", "small.yaml", 1)
    assert recorded["wanted"] == {"validity": 2, "inference": 1}


def test_rejected_candidates_are_all_recorded(tmp_path: Path) -> None:
    """A candidate that became no pair has a reason, in a code and in words; none is a pair as well."""
    out = tmp_path / "out"
    spec = write_spec(tmp_path, ("validity: 2, inference: 1", "validity: 20, inference: 0"))
    assert run(spec, "-o", out, "--partial").exit_code == 0
    rejected = lines(out / REJECTED)
    assert all(r["reason"] and r["detail"] and r["candidate_id"] for r in rejected)
    ids = {pair.pair_id for pair in read_pairs(out)}
    assert not ids & {r["candidate_id"] for r in rejected}
    assert "duplicate" in {r["reason"] for r in rejected}


def test_progress_counts_up_to_the_quota(tmp_path: Path) -> None:
    """A caller is told after each candidate how far the build is."""
    steps: list[Progress] = []
    result = build([source(tmp_path)], report=steps.append, jobs=2)
    last = {step.task: step for step in steps}
    assert [(s.accepted, s.wanted) for s in last.values()] == [(2, 2), (1, 1)]
    assert len(steps) == len(result.pairs) + len(result.rejections)
    assert pairs_text(result)
