"""The audit: shortcuts are measured honestly, and it says so when one of them works."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from modalgen.audit import balance, composition, is_crossing, repeated_problems
from modalgen.build import Source, build, write_dataset
from modalgen.gen.spec import load_contrast
from modalgen.records import Pair, read_pairs
from modalgen.shortcuts import evaluate, exact_interval, folds, rows

pytest.importorskip("sklearn", reason="the extra modalgen[audit] is not installed")

SPECS = Path(__file__).parent.parent / "specs"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few pairs of the balanced contrast of frames and of a nested one."""
    directory = tmp_path_factory.mktemp("audit") / "dataset"
    paths = [SPECS / "symmetry-vs-transitivity.yaml", SPECS / "seriality.yaml"]
    sources = [Source(load_contrast(path), path.name, path.read_text("utf-8")) for path in paths]
    write_dataset(build(sources, jobs=2, limit=12), directory)
    return directory


@pytest.fixture(scope="module")
def pairs(built: Path) -> list[Pair]:
    """Its pairs."""
    return read_pairs(built)


def test_balanced_conditions_have_as_many_valid_as_invalid_sides(pairs: list[Pair]) -> None:
    """In the crossing contrast each condition's name goes with both labels equally often."""
    for entry in balance(pairs):
        if entry.spec == "symmetry-vs-transitivity":
            assert 2 * entry.valid == entry.sides
        else:
            assert entry.valid == (entry.sides if entry.condition == "serial" else 0)


def test_crossing_pairs_are_told_from_nested_ones(pairs: list[Pair]) -> None:
    """Sides of which one contains the other are nested."""
    assert {pair.spec for pair in pairs if is_crossing(pair)} == {"symmetry-vs-transitivity"}


def test_shortcuts_without_interaction_cannot_get_balanced_pairs(pairs: list[Pair]) -> None:
    """What does not see the condition gives both sides of a pair the same label."""
    results = {result.baseline: result for result in evaluate([p for p in pairs if is_crossing(p)])}
    for name in ("majority", "length", "bag of operators", "formula (bag of tokens)"):
        assert results[name].pairs_right == 0
        assert 2 * results[name].sides_right == results[name].sides


def test_the_leak_of_nested_contrasts_is_found(pairs: list[Pair]) -> None:
    """Where the stronger side is always valid, its name gives every label away."""
    results = {r.baseline: r for r in evaluate([p for p in pairs if not is_crossing(p)])}
    assert results["condition name"].pairs_right == results["condition name"].pairs


def test_a_planted_shortcut_is_found(pairs: list[Pair]) -> None:
    """If labels follow the name of the condition after all, the baseline shows it."""
    planted = []
    for pair in pairs:
        if is_crossing(pair):
            sides = {name: replace(side, label=name == "b") for name, side in pair.sides.items()}
            planted.append(replace(pair, sides=sides))
    results = {result.baseline: result for result in evaluate(planted)}
    assert results["condition name"].interval[0] > 0.5


def test_the_composition_is_counted(pairs: list[Pair]) -> None:
    """Twelve pairs a contrast, half of each task, all dual, and nothing left open."""
    for entry in composition(pairs):
        own = [pair for pair in pairs if pair.spec == entry.spec]
        assert (entry.validity, entry.inference, entry.dual) == (6, 6, 12)
        assert entry.families == len({pair.family for pair in own})
        assert sum(pair.family == own[0].family for pair in own) <= entry.largest
        assert (entry.mixed, entry.open_ablations, entry.open_profiles) == (0, 0, 0)
    first = pairs[0]
    sides = {"a": first.sides["b"], "b": first.sides["a"]}
    undecided = replace(first, sides=sides, ablation={"a": None}, profile={"K": None, "D": None})
    (entry,) = composition([first, undecided])
    assert (entry.mixed, entry.open_ablations, entry.open_profiles) == (1, 1, 2)


def test_repeated_problems_are_found(pairs: list[Pair]) -> None:
    """Within a contrast they are a fault, between contrasts they are told."""
    assert repeated_problems(pairs)[0] == []
    twin = replace(pairs[0], pair_id="twin")
    assert repeated_problems([pairs[0], twin]) == ([f"twin repeats {pairs[0].pair_id}"], [])
    cousin = replace(twin, spec="another")
    assert repeated_problems([pairs[0], cousin]) == ([], [f"twin is the problem of {pairs[0].pair_id}"])


def test_folds_hold_families_together_and_stay_balanced(pairs: list[Pair]) -> None:
    """In each fold each condition of the crossing contrast has as many valid as invalid sides."""
    data = rows([pair for pair in pairs if is_crossing(pair)])
    fold_of = folds(data)
    assert len(set(fold_of)) > 1
    surplus: Counter[tuple[int, str]] = Counter()
    for row, fold in zip(data, fold_of, strict=True):
        surplus[fold, row.condition] += 1 if row.label else -1
        for other, its in zip(data, fold_of, strict=True):
            assert its == fold or (row.family != other.family and sorted(row.tokens) != sorted(other.tokens))
    assert not any(surplus.values())
    results = {result.baseline: result for result in evaluate([p for p in pairs if is_crossing(p)])}
    assert 2 * results["condition name"].sides_right == results["condition name"].sides


def test_rows_show_two_sides_of_one_formula(pairs: list[Pair]) -> None:
    """The sides of a pair differ for a baseline in condition and label only."""
    data = rows(pairs)
    for a, b in zip(data[::2], data[1::2], strict=True):
        assert (a.tokens, a.length, a.family) == (b.tokens, b.length, b.family)
        assert a.condition != b.condition and a.label != b.label


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(0, 10, 0.0, 0.3085), (10, 10, 0.6915, 1.0), (5, 10, 0.1871, 0.8129), (0, 0, 0.0, 1.0)],
)
def test_exact_intervals(successes: int, trials: int, low: float, high: float) -> None:
    """The Clopper–Pearson intervals of the tables."""
    assert exact_interval(successes, trials) == pytest.approx((low, high), abs=1e-4)


def test_the_command_writes_its_findings(built: Path, tmp_path: Path) -> None:
    """`modalgen audit` prints tables, writes JSON, and ends well for a good dataset."""
    from click.testing import CliRunner

    from modalgen.cli import cli

    out = tmp_path / "audit.json"
    result = CliRunner().invoke(cli, ["audit", str(built), "-o", str(out)])
    assert result.exit_code == 0, result.output
    assert "bag of operators" in result.output
    assert json.loads(out.read_text("utf-8"))["faults"] == []
