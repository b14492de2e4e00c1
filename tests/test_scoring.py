"""Scoring: nothing leaves the denominator, and every score can be worked out by hand."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from asking_help import settings, write_dataset
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pyarrow import parquet
from scoring_help import GOLDEN, PAIRS, make_dataset, pair_record, write_run

from modalgen.cli import cli
from modalgen.evaluate.comparison import compare
from modalgen.evaluate.dataset import Dataset, read_each
from modalgen.evaluate.intervals import mcnemar, wilson
from modalgen.evaluate.prompts import PromptOptions, Specification
from modalgen.evaluate.readings import READERS, Cell, read_readings
from modalgen.evaluate.runs import RunError
from modalgen.evaluate.scoring import CellScores, Scores, rates, score
from modalgen.records import DatasetError


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    """The ten pairs."""
    return make_dataset(tmp_path / "data", [pair_record(name, pair) for name, pair in PAIRS.items()])


def scored(run: Path) -> CellScores:
    """The scores of a run with one cell."""
    (found,) = score(read_readings(run))
    return found


def fractions(scores: Scores) -> dict[str, tuple[int, int]]:
    """Numerators and denominators."""
    return {name: (each.count, each.of) for name, each in scores.items()}


@pytest.fixture
def golden(tmp_path: Path, dataset: Dataset) -> Path:
    """The golden run: every outcome that there is."""
    return write_run(tmp_path / "run", dataset, GOLDEN)


def test_golden_outcomes(golden: Path) -> None:
    """Twenty sides were to be asked, and each has an outcome or is shown as missing."""
    found = scored(golden)
    assert found.outcomes["strict"] == {
        "answer": 10,  # p1 2, p2 1, p3 2, p4 2, p5 2, p10 1
        "empty": 1,  # p8
        "unparseable": 3,  # p2 (bold), p9, p10
        "truncated": 1,  # p6, although its text says Yes
        "refusal": 1,  # p8
        "content_filter": 1,  # p6
        "http_error": 1,  # p7
        "transport_error": 1,  # p9; the one of p10 was asked again
        "missing": 1,  # p7
    }
    assert found.outcomes["lenient"] == {**found.outcomes["strict"], "answer": 11, "unparseable": 2}
    assert found.incomplete_pairs == 2  # p7 and p9: the run still has to ask


def test_golden_strict(golden: Path) -> None:
    """Strictly: valid sides right in p1, p4, p10, invalid ones in p1, p2, p5; answered are both sides
    of p1, p3, p4, p5, the invalid one of p2 and the valid one of p10."""
    found = scored(golden)
    assert fractions(found.totals["strict", False]) == {
        "side_accuracy": (6, 20),
        "valid_accuracy": (3, 10),
        "invalid_accuracy": (3, 10),
        "pair_accuracy": (1, 10),  # p1
        "swapped": (1, 10),  # p3
        "constant": (2, 10),
        "always_yes": (1, 10),  # p4
        "always_no": (1, 10),  # p5
    }
    assert fractions(found.totals["strict", True]) == {
        "side_accuracy": (6, 10),
        "valid_accuracy": (3, 5),
        "invalid_accuracy": (3, 5),
        "pair_accuracy": (1, 4),
        "swapped": (1, 4),
        "constant": (2, 4),
        "always_yes": (1, 4),
        "always_no": (1, 4),
    }


def test_golden_lenient(golden: Path) -> None:
    """Leniently the bold Yes of p2 is an answer too, and makes its pair right; nothing else changes."""
    found = scored(golden)
    assert fractions(found.totals["lenient", False]) == {
        "side_accuracy": (7, 20),
        "valid_accuracy": (4, 10),
        "invalid_accuracy": (3, 10),
        "pair_accuracy": (2, 10),
        "swapped": (1, 10),
        "constant": (2, 10),
        "always_yes": (1, 10),
        "always_no": (1, 10),
    }
    assert fractions(found.totals["lenient", True]) == {
        "side_accuracy": (7, 11),
        "valid_accuracy": (4, 6),
        "invalid_accuracy": (3, 5),
        "pair_accuracy": (2, 5),
        "swapped": (1, 5),
        "constant": (2, 5),
        "always_yes": (1, 5),
        "always_no": (1, 5),
    }


def test_golden_groups(golden: Path) -> None:
    """Each group counts its own pairs, all of them, with Wilson's interval."""
    record = scored(golden).to_record()
    sizes = {
        dimension: {v: g["pairs"] for v, g in groups.items()} for dimension, groups in record["by"].items()
    }
    assert sizes == {
        "axis": {"domain": 1, "frame": 9},
        "contrast": {"crossing": 2, "domains": 1, "seriality": 7},
        "task": {"inference": 2, "validity": 8},
        "premise_status": {"conjecture_only": 8, "premise_dependent": 2},
        "modal_depth": {"1": 8, "2": 2},
        "size": {"1–5": 7, "6–10": 3},  # p5 has 6 nodes, p6 and p10 have 7
        "family": {"4": 1, "BF": 1, "D": 4, "D inferred": 2, "D twice": 1, "T": 1},
    }
    crossing = record["by"]["contrast"]["crossing"]["strict"]["reported"]
    assert (crossing["side_accuracy"]["count"], crossing["side_accuracy"]["of"]) == (2, 4)
    assert crossing["constant"]["rate"] == 1.0
    assert crossing["expected_by_independence"] == 0.25
    inferred = record["by"]["task"]["inference"]["strict"]
    assert inferred["reported"]["swapped"]["interval"] == list(wilson(1, 2) or ())
    assert inferred["conditional"]["swapped"]["count"] == inferred["conditional"]["swapped"]["of"] == 1
    filtered = record["by"]["axis"]["domain"]["lenient"]
    assert filtered["reported"]["pair_accuracy"]["rate"] == 0.0
    assert filtered["conditional"]["pair_accuracy"] == {"rate": None, "count": 0, "of": 0, "interval": None}


def test_golden_baselines(golden: Path) -> None:
    """The name of the condition gives all away but on the crossing contrast, where each name is valid
    as often as not: there "invalid" gets one side of each pair."""
    record = scored(golden).to_record()
    assert record["name_only"] == {"side_accuracy": 18 / 20, "pair_accuracy": 8 / 10}
    crossing = record["by"]["contrast"]["crossing"]
    assert crossing["name_only"] == {"side_accuracy": 0.5, "pair_accuracy": 0.0}
    reported, conditional = (record["total"]["strict"][kind] for kind in ("reported", "conditional"))
    assert reported["expected_by_independence"] == pytest.approx(0.3 * 0.3)
    assert conditional["expected_by_independence"] == pytest.approx(0.6 * 0.6)


def test_a_run_that_has_not_begun_is_all_wrong(tmp_path: Path, dataset: Dataset) -> None:
    """What was never asked counts in full, and nothing is said of the answers."""
    found = scored(write_run(tmp_path / "run", dataset, {}))
    assert found.incomplete_pairs == 10
    assert found.outcomes["strict"]["missing"] == 20
    assert fractions(found.totals["strict", False])["side_accuracy"] == (0, 20)
    assert found.totals["strict", True]["side_accuracy"].rate is None


def test_reasoning_is_no_answer(tmp_path: Path, dataset: Dataset) -> None:
    """Null content beside reasoning that says Yes is empty, to both readers."""
    silent = {"reported": None, "text": None, "reasoning": "Yes"}
    found = scored(write_run(tmp_path / "run", dataset, {"p1": (silent, silent)}))
    for counts in found.outcomes.values():
        assert (counts["empty"], counts["answer"], counts["missing"]) == (2, 0, 18)


def test_only_the_pairs_of_the_limit_count(tmp_path: Path, dataset: Dataset) -> None:
    """With a limit of five every second pair is asked, and no other is missed."""
    wanted = settings("http://127.0.0.1:9", limit=5)
    found = scored(write_run(tmp_path / "run", dataset, {"p1": ("Yes", "No")}, wanted))
    assert [pair.pair_id for pair in found.pairs] == ["p1", "p3", "p5", "p7", "p9"]
    assert fractions(found.totals["strict", False])["pair_accuracy"] == (1, 5)


def test_polarity_turns_the_words_and_not_the_labels(tmp_path: Path, dataset: Dataset) -> None:
    """Asked whether it can fail, Yes says that it is not valid; who says Yes to all is always-Yes."""
    options = PromptOptions(specification=Specification.OMITTED)
    wanted = settings("http://127.0.0.1:9", options=options)
    said = {"p1": ("No", "Yes"), "p2": ("Yes", "Yes"), "p3": ("No", "No")}
    run = write_run(tmp_path / "run", dataset, said, wanted, polarity="can_fail")
    valid, can_fail = score(read_readings(run))
    assert valid.cell == Cell("m1", "default", "valid")
    assert valid.outcomes["strict"]["missing"] == 20
    found = fractions(can_fail.totals["strict", False])
    assert {name: count for name, (count, _) in found.items()} == {
        "side_accuracy": 4,  # p1 both, p2 the invalid side, p3 the valid one
        "valid_accuracy": 2,
        "invalid_accuracy": 2,
        "pair_accuracy": 1,
        "swapped": 0,
        "constant": 2,
        "always_yes": 1,
        "always_no": 1,
    }
    assert Counter(can_fail.patterns["strict"])[False, False] == 1  # p2: "can fail" on both sides


labels = st.sampled_from([True, False, None])


@given(st.lists(st.tuples(labels, labels), min_size=1, max_size=40), st.booleans())
@hypothesis_settings(max_examples=100, deadline=None)
def test_rates_fit_together(patterns: list[tuple[bool | None, bool | None]], affirmed: bool) -> None:
    """Pairs are right, swapped, constant or without an answer, and nothing else; the reported rate is
    the conditional one times the share that was answered."""
    tally = Counter(patterns)
    named = rates(affirmed)
    count = {name: rate.sums(tally, False)[0] for name, rate in named.items()}
    unanswered = sum(None in pattern for pattern in patterns)
    assert count["pair_accuracy"] + count["swapped"] + count["constant"] + unanswered == len(patterns)
    assert count["always_yes"] + count["always_no"] == count["constant"]
    assert count["valid_accuracy"] + count["invalid_accuracy"] == count["side_accuracy"]
    for rate in named.values():
        (above, of), (same, answered) = rate.sums(tally, False), rate.sums(tally, True)
        assert above == same <= answered <= of == rate.units * len(patterns)


def test_runs_that_cannot_be_scored(tmp_path: Path, dataset: Dataset, golden: Path) -> None:
    """A response to something else, another dataset, a lost one, or no run: refused with the reason."""
    stranger = write_run(tmp_path / "stranger", dataset, {"p99": ("Yes", "No")})
    with pytest.raises(RunError, match="p99/b/valid is no response of this run"):
        read_readings(stranger)
    with pytest.raises(RunError, match="not a run directory"):
        read_readings(tmp_path)
    (tmp_path / "data").rename(tmp_path / "old")
    with pytest.raises(DatasetError, match="not a dataset directory"):
        read_readings(golden)
    write_dataset(tmp_path / "data", 3)
    with pytest.raises(RunError, match="not the dataset that was asked"):
        read_readings(golden)
    description = json.loads((golden / "run.json").read_text())
    del description["settings"]["prompts"]
    (golden / "run.json").write_text(json.dumps(description))
    with pytest.raises(RunError, match="does not say what a run does"):
        read_readings(golden)


def changed(run: Path, record: dict[str, Any] | str) -> None:
    """Replace the second line of a run's only shard: some of its fields, or all of it."""
    (path,) = (run / "responses").glob("*.jsonl")
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[1] = record if isinstance(record, str) else json.dumps(json.loads(lines[1]) | record)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


DEEP = "[" * 20_000 + "]" * 20_000


@pytest.mark.parametrize(
    ("record", "why"),
    [
        ({"item": ["p1"]}, "not a record of a response"),
        ({"cost": "x"}, "no amount of money"),
        ({"cost": 10**400}, "no amount of money"),
        ({"cost": 1e308}, "no amount of money"),
        ({"cost": True}, "no amount of money"),
        (f'{{"schema": {DEEP}}}', "not a record of a response"),
        ({"usage": []}, "usage is not an object"),
        ({"usage": None}, "usage is not an object"),
        ({"usage": {"input": "x"}}, "'x' as input, which is no number of tokens"),
        ({"usage": {"output": 10**30}}, "no number of tokens"),
        ({"usage": {"reasoning": -1}}, "no number of tokens"),
        ({"text": 5}, "its text is no text"),
        ({"model": "m2"}, "the run has no 'm2'"),
        ({"polarity": []}, "unhashable"),
        ({"pair_id": "p2"}, "its pair and side are 'p2'"),
        ({"side": "b"}, "its pair and side are 'p1' and 'b'"),
        ({"item": "p1/b/valid"}, "its pair and side are 'p1' and 'a'"),
        ({"prompt": "another?"}, "the hash of its prompt is another"),
        ({"prompt": None}, "no response of this run"),
    ],
)
def test_lines_that_do_not_fit_are_refused(golden: Path, record: dict[str, Any] | str, why: str) -> None:
    """A line that is damaged, or says of itself what does not fit together, scores nobody: the message
    names file and line, the exit code is 2, and no scores are written."""
    changed(golden, record)
    found = modalgen("score", golden)
    assert found.exit_code == 2 and why in found.output, found.output
    assert re.match(r"modalgen: .*responses\S+\.jsonl:2: ", found.output), found.output
    assert not (golden / "scores.json").exists()


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        *(("limit", limit) for limit in ("2", 2.5, 0, -2, True)),
        *(("models", models) for models in ([], [1], [{}], {}, "m1")),
        *(("reasoning", levels) for levels in ("default", [], None)),
        *(("dataset", dataset) for dataset in ([], None)),
        ("prompts", {"vocabulary": ["yes-no"], "reverse": False, "polarities": ["valid"]}),
        ("prompts", {"vocabulary": "yes-no", "reverse": False, "polarities": []}),
    ],
)
def test_settings_that_are_none_are_refused(golden: Path, setting: str, value: Any) -> None:
    """A run.json that was edited into nonsense gets a message that names it."""
    path = golden / "run.json"
    description = json.loads(path.read_text(encoding="utf-8"))
    description["settings"][setting] = value
    path.write_text(json.dumps(description), encoding="utf-8")
    found = modalgen("score", golden)
    assert found.exit_code == 2 and f"{path}: it does not say what a run does" in found.output, found.output
    for text in (DEEP, json.dumps({"schema": description["schema"]}), json.dumps([])):
        path.write_text(text, encoding="utf-8")
        found = modalgen("score", golden)
        assert (found.exit_code, str(path) in found.output) == (2, True), found.output


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"family": None}, "its family is not text"),
        ({"family": ["T"]}, "its family is not text"),
        ({"conjecture": "F(x)"}, "variable 'x' is free"),
        ({"premises": ["F(x)"]}, "variable 'x' is free"),
        ({"premises": "□p"}, "its premises are not a list"),
        ({"profile": {"K": []}}, "its profile has a label"),
        ({"difficulty": {"modal_depth": None, "size": 5}}, "its modal_depth is not a number"),
        ({"difficulty": []}, "another type"),
    ],
)
def test_pairs_that_are_none_are_refused(tmp_path: Path, change: dict[str, Any], why: str) -> None:
    """A dataset whose hash is right and whose first line is no pair is refused with file and line."""
    record = {**pair_record("p1", PAIRS["p1"]), **change}
    with pytest.raises(DatasetError, match=r"pairs\.jsonl:1: ") as refused:
        read_readings(write_run(tmp_path / "run", make_dataset(tmp_path / "data", [record]), {}))
    assert why in str(refused.value)


def test_findings_that_are_no_text_are_refused(tmp_path: Path) -> None:
    """A decider has to say a status."""
    record = pair_record("p1", PAIRS["p1"])
    record["sides"]["a"]["deciders"] = {"x": []}
    with pytest.raises(DatasetError, match=r"pairs\.jsonl:1: not a pair: \[\] is"):
        make_dataset(tmp_path / "data", [record])


@pytest.mark.parametrize("files", [[], None, {"pairs.jsonl": []}, DEEP])
def test_manifests_that_list_nothing_are_refused(dataset: Dataset, golden: Path, files: Any) -> None:
    """Without the hash of its pairs a dataset is not used, whatever stands in its place."""
    path = dataset.directory / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8")) | {"files": files}
    path.write_text(files if files == DEEP else json.dumps(manifest), encoding="utf-8")
    found = modalgen("score", golden)
    assert found.exit_code == 2 and str(dataset.directory.name) in found.output, found.output
    (dataset.directory / "pairs.jsonl").write_text(DEEP, encoding="utf-8")
    with pytest.raises(DatasetError, match=r"pairs\.jsonl:1: not JSON"):
        next(read_each(dataset.directory))


def test_labels_that_are_not_settled_are_refused(tmp_path: Path, dataset: Dataset, golden: Path) -> None:
    """An edited label scores nobody, although the run is whole."""
    path = dataset.directory / "pairs.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace('"label": true', '"label": false', 1))
    with pytest.raises(DatasetError, match="hash"):
        read_readings(golden)


OTHER: dict[str, tuple[Any, Any]] = {
    **dict.fromkeys(("p1", "p2", "p3", "p4", "p5", "p6"), ("Yes", "No")),
    "p7": ("Yes", "Yes"),
}


def test_comparison_by_hand(tmp_path: Path, dataset: Dataset, golden: Path) -> None:
    """Of ten pairs p1 is right in both; five (leniently four) are right in the second run only."""
    first = read_readings(golden)
    second = read_readings(write_run(tmp_path / "other", dataset, OTHER, model="m2"))
    (strict,) = compare(first, second, "strict")
    assert (strict.pairs, strict.both, strict.only_first, strict.only_second) == (10, 1, 0, 5)
    assert strict.difference == -0.5
    assert strict.p_value == strict.adjusted == mcnemar(0, 5) == 2 / 32
    assert strict.interval is not None
    assert strict.interval[0] < -0.5 < strict.interval[1]
    (lenient,) = compare(first, second, "lenient")
    assert (lenient.both, lenient.only_first, lenient.only_second) == (2, 0, 4)


def test_cells_of_one_run_are_compared_with_each_other(tmp_path: Path, dataset: Dataset) -> None:
    """A run given twice compares its models; Holm's correction is over all three comparisons."""
    wanted = settings("http://127.0.0.1:9", "m1", "m2", "m3")
    run = tmp_path / "run"
    write_run(run, dataset, GOLDEN, wanted, model="m1")
    write_run(run, dataset, OTHER, wanted, model="m2")
    readings = read_readings(run)
    found = compare(readings, readings, "strict")
    assert [(c.first.model, c.second.model) for c in found] == [("m1", "m2"), ("m1", "m3"), ("m2", "m3")]
    assert [(c.only_first, c.only_second) for c in found] == [(0, 5), (1, 0), (6, 0)]
    assert [c.p_value for c in found] == [2 / 32, 1.0, 2 / 64]
    assert [c.adjusted for c in found] == [4 / 32, 1.0, 6 / 64]


def test_what_cannot_be_compared(tmp_path: Path, dataset: Dataset, golden: Path) -> None:
    """One cell alone, or runs over other datasets, are refused; so are runs without a common pair."""
    readings = read_readings(golden)
    with pytest.raises(RunError, match="no two cells"):
        compare(readings, readings, "strict")
    elsewhere = write_dataset(tmp_path / "elsewhere", 2)
    with pytest.raises(RunError, match="different datasets"):
        compare(readings, read_readings(write_run(tmp_path / "run2", elsewhere, {})), "strict")


def modalgen(*arguments: str | Path) -> Result:
    """Run a command."""
    return CliRunner().invoke(cli, [*map(str, arguments)], env={"COLUMNS": "200"})


def test_score_command(tmp_path: Path, golden: Path) -> None:
    """The table shows both readers and what is missing; the file is the same every time."""
    shown = modalgen("score", golden)
    assert shown.exit_code == 0, shown.output
    for text in ("10 pairs, 2 of them incomplete", "pair accuracy", "10.0% [", "20.0% [", "missing"):
        assert text in shown.output
    first = (golden / "scores.json").read_bytes()
    assert modalgen("score", golden, "-o", tmp_path / "all.json").exit_code == 0
    assert (tmp_path / "all.json").read_bytes() == first
    (cell,) = json.loads(first)["runs"][0]["cells"]
    assert cell["total"]["strict"]["reported"]["pair_accuracy"]["rate"] == 0.1
    assert cell["incomplete_pairs"] == 2


def test_scoring_leaves_a_run_as_it_was(dataset: Dataset, golden: Path) -> None:
    """A scored run can be continued: its file of scores does not make it another directory."""
    modalgen("score", golden)
    write_run(golden, dataset, {"p7": (None, "No")})
    assert scored(golden).incomplete_pairs == 1


def test_rows(tmp_path: Path, dataset: Dataset, golden: Path) -> None:
    """The Parquet file has a row for each side of each cell, asked or not, from which every rate can be
    worked out again; tokens and costs are in it once, and unknown ones stay unknown."""
    priced = {
        "reported": None,
        "text": "Yes",
        "usage": {"input": 90, "output": 7, "reasoning": 5},
        "cost": 0.25,
    }
    other = write_run(tmp_path / "other", dataset, {"p1": (priced, None)}, model="m2")
    path = tmp_path / "rows.parquet"
    shown = modalgen("score", golden, other, "--parquet", path)
    assert shown.exit_code == 0 and "40 rows" in shown.output, shown.output
    rows = parquet.read_table(path).to_pylist()
    assert Counter(row["run"] for row in rows) == {str(golden): 20, str(other): 20}
    by_cell: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_cell.setdefault(row["model"], []).append(row)
    found = scored(golden)
    for reader in READERS:
        rights = [row[f"right_{reader}"] for row in by_cell["m1"]]
        accuracy = found.totals[reader, False]["side_accuracy"]
        assert (sum(rights), len(rights)) == (accuracy.count, accuracy.of)
        answered = [row for row in by_cell["m1"] if row[f"answer_{reader}"] is not None]
        conditional = found.totals[reader, True]["side_accuracy"]
        assert (sum(row[f"right_{reader}"] for row in answered), len(answered)) == (
            conditional.count,
            conditional.of,
        )
        outcomes = Counter(row[f"outcome_{reader}"] for row in by_cell["m1"])
        assert outcomes == {k: v for k, v in found.outcomes[reader].items() if v}
    assert [row["cost"] for row in by_cell["m2"] if row["cost"] is not None] == [0.25]
    first = next(row for row in by_cell["m2"] if row["pair_id"] == "p1" and row["side"] == "b")
    assert first | {"run": ""} == {
        "run": "",
        "model": "m2",
        "condition": "default",
        "polarity": "valid",
        "pair_id": "p1",
        "side": "b",
        "contrast": "seriality",
        "axis": "frame",
        "task": "validity",
        "premise_status": "conjecture_only",
        "modal_depth": 1,
        "size": 5,
        "family": "D",
        "semantics": '{"domain": null, "frame": ["serial"]}',
        "label": True,
        **{f"{name}_{r}": v for r in READERS for name, v in (("outcome", "answer"), ("answer", True))},
        **{f"{name}_{r}": v for r in READERS for name, v in (("word", "Yes"), ("right", True))},
        "input_tokens": 90,
        "output_tokens": 7,
        "reasoning_tokens": 5,
        "cost": 0.25,
    }
    before = path.read_bytes()
    assert modalgen("score", golden, other, "--parquet", path).exit_code == 0
    assert path.read_bytes() == before and not list(tmp_path.glob(".rows*"))


def test_rows_need_an_extra(golden: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pyarrow the command says what to install, before it scores anything."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delitem(sys.modules, "modalgen.evaluate.rows", raising=False)
    found = modalgen("score", golden, "--parquet", tmp_path / "rows.parquet")
    assert (found.exit_code, "pip install 'modalgen[report]'" in found.output) == (2, True), found.output
    assert not (golden / "scores.json").exists() and not (tmp_path / "rows.parquet").exists()


def test_a_dataset_that_moved(tmp_path: Path, dataset: Dataset, golden: Path) -> None:
    """A run whose dataset lies elsewhere now says how to name the place; only the dataset that was asked
    is taken, whichever of those given it is, and other commands find it too."""
    (tmp_path / "data").rename(tmp_path / "moved")
    lost = modalgen("score", golden)
    assert lost.exit_code == 2 and "--dataset DIR" in lost.output
    other = write_dataset(tmp_path / "data", 3).directory
    wrong = modalgen("score", golden)
    assert wrong.exit_code == 2 and "--dataset DIR" in wrong.output
    assert dataset.sha256 in wrong.output and "built again" in wrong.output
    wrong = modalgen("score", golden, "--dataset", other)
    assert wrong.exit_code == 2 and f"has the SHA-256 {dataset.sha256}" in wrong.output
    found = modalgen("score", golden, "--dataset", other, "--dataset", tmp_path / "moved")
    assert found.exit_code == 0, found.output
    assert (golden / "scores.json").exists()
    second = write_run(tmp_path / "second", replace(dataset, directory=tmp_path / "moved"), OTHER, model="m2")
    shown = modalgen("compare", golden, second, "--dataset", tmp_path / "moved")
    assert shown.exit_code == 0 and "pairs right, lenient" in shown.output


def test_compare_command(tmp_path: Path, dataset: Dataset, golden: Path) -> None:
    """Two runs are compared strictly and leniently; pairs that one leaves out are counted aloud."""
    wanted = settings("http://127.0.0.1:9", "m2", limit=5)
    other = write_run(tmp_path / "other", dataset, {"p1": ("Yes", "No")}, wanted, model="m2")
    shown = modalgen("compare", golden, other)
    assert shown.exit_code == 0, shown.output
    assert "5 pairs that the other run leaves out" in shown.output
    assert "pairs right, strict" in shown.output
    assert "pairs right, lenient" in shown.output


def test_no_figure_of_a_comparison_is_broken_into_two(tmp_path: Path, dataset: Dataset, golden: Path) -> None:
    """In a narrow terminal, whatever the models are called, each comparison is one line with all its
    figures."""
    name = "provider/a-model-with-a-long-name-" + "x" * 60
    other = write_run(tmp_path / "other", dataset, OTHER, model=name)
    arguments = ["compare", str(golden), str(other)]
    shown = CliRunner().invoke(cli, arguments, env={"COLUMNS": "80"})
    assert shown.exit_code == 0, shown.output
    assert CliRunner().invoke(cli, arguments, env={"COLUMNS": "20"}).output == shown.output
    assert f"  1: m1 · default · valid ({golden})\n  2: {name} · default · valid ({other})\n" in shown.output
    rows = [line.split() for line in shown.output.splitlines() if re.match(r" *1 +2 +10 ", line)]
    assert len(rows) == 2, shown.output
    for row, (both, gained, p_value) in zip(rows, ((1, 5, "0.0625"), (2, 4, "0.125")), strict=True):
        assert row[:7] == ["1", "2", "10", str(both), "0", str(gained), f"{-10.0 * gained:+.1f}"]
        assert row[-2:] == [p_value, p_value]
        assert row[-4] == "–" and len(row) == 12


def test_a_comparison_can_be_read_by_machines(tmp_path: Path, dataset: Dataset, golden: Path) -> None:
    """With -o the figures are written as they are, not rounded; a file that cannot be written ends with 1."""
    other = write_run(tmp_path / "other", dataset, OTHER, model="m2")
    path = tmp_path / "comparison.json"
    shown = modalgen("compare", golden, other, "-o", path)
    assert shown.exit_code == 0 and str(path) in shown.output, shown.output
    record = json.loads(path.read_text(encoding="utf-8"))
    assert record["schema"] == "modalgen/comparison/1"
    assert (record["runs"], record["dataset"]) == ([str(golden), str(other)], dataset.sha256)
    (found,) = record["comparisons"]["strict"]
    interval = found.pop("interval")
    assert interval[0] < -0.5 < interval[1]
    assert found == {
        "first": {"model": "m1", "condition": "default", "polarity": "valid"},
        "second": {"model": "m2", "condition": "default", "polarity": "valid"},
        "pairs": 10,
        "both": 1,
        "only_first": 0,
        "only_second": 5,
        "difference": -0.5,
        "p_value": 2 / 32,
        "adjusted": 2 / 32,
    }
    assert [c["only_second"] for c in record["comparisons"]["lenient"]] == [4]
    assert modalgen("compare", golden, other, "-o", tmp_path / "no" / "such.json").exit_code == 1


def test_commands_say_what_is_wrong(tmp_path: Path, golden: Path) -> None:
    """No traceback: exit code 2 and a sentence."""
    (tmp_path / "empty").mkdir()
    for arguments in (
        ("score", tmp_path / "empty"),
        ("score", golden, golden),
        ("compare", golden, golden),
        ("compare", golden, tmp_path / "empty"),
    ):
        found = modalgen(*arguments)
        assert (found.exit_code, found.output.startswith("modalgen: ")) == (2, True), found.output
    assert modalgen("score", golden, "-o", tmp_path / "no" / "such.json").exit_code == 1
