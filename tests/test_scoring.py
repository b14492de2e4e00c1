"""Scoring: nothing leaves the denominator, and every score can be worked out by hand."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from asking_help import settings, write_dataset
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from modalgen.cli import cli
from modalgen.evaluate.asking import RunSettings
from modalgen.evaluate.comparison import compare
from modalgen.evaluate.dataset import Dataset, open_dataset
from modalgen.evaluate.intervals import mcnemar, wilson
from modalgen.evaluate.prompts import PromptOptions, Specification
from modalgen.evaluate.readings import Cell, read_readings
from modalgen.evaluate.runs import RESPONSE_SCHEMA, RunError, Shard, open_run
from modalgen.evaluate.scoring import CellScores, Scores, rates, score
from modalgen.files import json_lines, sha256
from modalgen.records import DATASET_SCHEMA, PAIR_SCHEMA, DatasetError

# Name: spec, family, premises, conjecture, semantics where it is valid, where it is not, valid side.
PAIRS: dict[str, tuple[str, str, list[str], str, tuple[str, str | None], tuple[str, str | None], str]] = {
    "p1": ("seriality", "D", [], "□p → ◇p", ("serial", None), ("", None), "b"),
    "p2": ("seriality", "D", [], "□q → ◇q", ("serial", None), ("", None), "b"),
    "p3": ("seriality", "D inferred", ["□p"], "◇p", ("serial", None), ("", None), "b"),
    "p4": ("crossing", "T", [], "□p → p", ("reflexive", None), ("transitive", None), "a"),
    "p5": ("crossing", "4", [], "□p → □□p", ("transitive", None), ("reflexive", None), "b"),
    "p6": ("domains", "BF", [], "(∀x □F(x)) → □∀x F(x)", ("", "constant"), ("", "varying"), "b"),
    "p7": ("seriality", "D", [], "□r → ◇r", ("serial", None), ("", None), "b"),
    "p8": ("seriality", "D", [], "□s → ◇s", ("serial", None), ("", None), "b"),
    "p9": ("seriality", "D inferred", ["□q"], "◇q", ("serial", None), ("", None), "b"),
    "p10": ("seriality", "D twice", [], "□□p → ◇◇p", ("serial", None), ("", None), "b"),
}

# What the valid and the invalid side of each pair get: texts, or what the server reports. A list are
# the lines of an item that was asked again; None is a side that has not been asked.
TRANSPORT = {"reported": "transport_error", "text": None}
GOLDEN: dict[str, tuple[Any, Any]] = {
    "p1": ("Yes", "No"),
    "p2": ("**Yes**", "No"),
    "p3": ("No", "Yes"),
    "p4": ("Yes", "Yes"),
    "p5": ("No", "No"),
    "p6": ({"reported": "truncated", "text": "Yes"}, {"reported": "content_filter", "text": None}),
    "p7": ({"reported": "http_error", "text": None}, None),
    "p8": ("", "I cannot help with that."),
    "p9": (TRANSPORT, "Maybe."),
    "p10": ([TRANSPORT, "Yes"], "Yes or no."),
}


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    """The ten pairs."""
    lines = [_pair(name, *facts) for name, facts in PAIRS.items()]
    directory = tmp_path / "data"
    directory.mkdir()
    text = json_lines(lines)
    (directory / "pairs.jsonl").write_text(text, encoding="utf-8")
    files = {"pairs.jsonl": {"sha256": sha256(text), "lines": len(lines)}}
    manifest = {"schema": DATASET_SCHEMA, "files": files}
    (directory / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return open_dataset(directory)


def _pair(
    name: str,
    spec: str,
    family: str,
    premises: list[str],
    conjecture: str,
    valid: tuple[str, str | None],
    invalid: tuple[str, str | None],
    valid_side: str,
) -> dict[str, Any]:
    sides = {valid_side: _side(*valid, True), "b" if valid_side == "a" else "a": _side(*invalid, False)}
    return {
        "schema": PAIR_SCHEMA,
        "pair_id": name,
        "spec": spec,
        "template": "t",
        "family": family,
        "axis": "domain" if valid[1] else "frame",
        "task": "inference" if premises else "validity",
        "premises": premises,
        "conjecture": conjecture,
        "sides": sides,
        "premise_status": "premise_dependent" if premises else "conjecture_only",
        "ablation": {},
        "difficulty": {"modal_depth": conjecture.split("→")[-1].count("□") + conjecture.count("◇") or 1},
    }


def _side(frame: str, domain: str | None, label: bool) -> dict[str, Any]:
    status = "Theorem" if label else "CounterSatisfiable"
    return {
        "semantics": {"frame": [frame] if frame else [], "domain": domain},
        "label": label,
        "status": status,
        "resolution": "dual",
        "authority": "embedded",
        "deciders": {"cvc5": status, "eprover-tff": status},
        "evidence": [],
    }


def write_run(
    directory: Path,
    dataset: Dataset,
    said: Mapping[str, tuple[Any, Any]],
    wanted: RunSettings | None = None,
    *,
    model: str = "m1",
    polarity: str = "valid",
) -> Path:
    """A run with these responses, written as the runner writes it."""
    wanted = wanted or settings("http://127.0.0.1:9", model)
    with open_run(directory, wanted.to_record(dataset), dataset.directory) as writer:
        for name, (valid, invalid) in said.items():
            valid_side = PAIRS[name][-1] if name in PAIRS else "b"
            sides = (valid_side, "b" if valid_side == "a" else "a")
            for side, content in zip(sides, (valid, invalid), strict=True):
                for line in content if isinstance(content, list) else [content]:
                    if line is not None:
                        _append(writer, model, name, side, polarity, line)
    return directory


def _append(writer: Any, model: str, name: str, side: str, polarity: str, line: Any) -> None:
    says = line if isinstance(line, dict) else {"reported": None, "text": line}
    record = {
        "schema": RESPONSE_SCHEMA,
        "item": f"{name}/{side}/{polarity}",
        "pair_id": name,
        "side": side,
        "polarity": polarity,
        "model": model,
        "condition": "default",
        "request_sha256": sha256(f"{name}/{side}/{polarity}"),
        "cost": None,
        **says,
    }
    writer.append(Shard(model, "default"), record)


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


def test_compare_command(tmp_path: Path, dataset: Dataset, golden: Path) -> None:
    """Two runs are compared strictly and leniently; pairs that one leaves out are counted aloud."""
    wanted = settings("http://127.0.0.1:9", "m2", limit=5)
    other = write_run(tmp_path / "other", dataset, {"p1": ("Yes", "No")}, wanted, model="m2")
    shown = modalgen("compare", golden, other)
    assert shown.exit_code == 0, shown.output
    assert "5 pairs that the other run leaves out" in shown.output
    assert "pairs right, strict" in shown.output
    assert "pairs right, lenient" in shown.output


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
