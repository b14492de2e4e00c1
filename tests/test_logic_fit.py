"""Which logic a model behaves like: likelihoods by hand, ties, what does not count."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from asking_help import settings
from click.testing import CliRunner
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scoring_help import VALID_IN, Textbook, make_dataset, pair_record, write_run

from modalgen.cli import cli
from modalgen.evaluate.dataset import Dataset
from modalgen.evaluate.logic_fit import (
    LOGICS,
    Group,
    Kept,
    LogicFit,
    fits_record,
    groups,
    log_likelihood,
    logic_fits,
)
from modalgen.evaluate.prompts import PromptOptions, Specification
from modalgen.evaluate.readings import read_readings
from modalgen.semantics import DOMAINS, SYSTEMS

AXIOMS = {
    "D": ("serial", "□{} → ◇{}"),
    "T": ("reflexive", "□{} → {}"),
    "B": ("symmetric", "{} → □◇{}"),
    "4": ("transitive", "□{} → □□{}"),
    "5": ("euclidean", "◇{} → □◇{}"),
}
BARCAN = "(∀x □F(x)) → □∀x F(x)"
OMITTED = PromptOptions(specification=Specification.OMITTED)


def axiom(name: str, atom: str = "p", family: str | None = None) -> Textbook:
    """An instance of an axiom, which is valid on its own frames and not on all."""
    condition, scheme = AXIOMS[name]
    text = scheme.format(*[atom] * 3)
    return Textbook(name, family or name, [], text, (condition, None), ("", None), "b", name)


def kept(answers: Mapping[str, bool]) -> list[Kept]:
    """Kept answers to axioms, each of a family of its own."""
    return [
        Kept(name, {logic: logic in VALID_IN[name].split() for logic in SYSTEMS}, label)
        for name, label in answers.items()
    ]


def by_logic(found: Iterable[Group]) -> dict[str, Group]:
    """The group of each logic."""
    return {logic: group for group in found for logic in group.logics}


def ask(
    directory: Path,
    dataset: Dataset,
    valid: Mapping[str, Any],
    can_fail: Mapping[str, Any],
    model: str = "m1",
) -> Path:
    """A run without the specification: what was said of the sides of each pair, asked either way."""
    wanted = settings("http://127.0.0.1:9", model, options=OMITTED)
    write_run(directory, dataset, valid, wanted, model=model)
    return write_run(directory, dataset, can_fail, wanted, model=model, polarity="can_fail")


def test_likelihoods_by_hand() -> None:
    """Five axioms tell all fifteen systems apart. Who affirms D, T and 4 only follows S4; D4 has T wrong,
    T has 4 wrong, S5 has B and 5 wrong, K has three wrong, which is worse than a coin."""
    found = groups(kept({"D": True, "T": True, "4": True, "B": False, "5": False}), tuple(SYSTEMS))
    assert all(len(group.logics) == 1 for group in found) and len(found) == 15
    fit = by_logic(found)
    assert found[0] is fit["S4"]
    assert (fit["S4"].wrong, fit["S4"].error_rate) == (0, 0.01)
    assert fit["S4"].log_likelihood == pytest.approx(5 * math.log(0.99))
    for name in ("D4", "T"):
        assert (fit[name].wrong, fit[name].error_rate) == (1, 0.2)
        assert fit[name].log_likelihood == pytest.approx(math.log(0.2) + 4 * math.log(0.8))
    assert fit["S5"].wrong == 2
    assert fit["S5"].log_likelihood == pytest.approx(2 * math.log(0.4) + 3 * math.log(0.6))
    assert (fit["K"].wrong, fit["K"].error_rate) == (3, 0.5)
    assert fit["K"].log_likelihood == fit["KB"].log_likelihood == pytest.approx(-5 * math.log(2))
    assert fit["KB"].wrong == 4
    assert [g.log_likelihood for g in found] == sorted((g.log_likelihood for g in found), reverse=True)


def test_ties() -> None:
    """Without the axiom 5 some systems have the same labels: they are one group, and none is ahead."""
    found = groups(kept({"D": True, "T": True, "4": True, "B": False}), tuple(SYSTEMS))
    assert {group.logics for group in found} == {
        ("K", "K5"),
        ("K4", "K45"),
        ("D", "D5"),
        ("D4", "D45"),
        *((name,) for name in ("T", "KB", "KB5", "DB", "B", "S4", "S5")),
    }


def test_resamples_by_hand() -> None:
    """Of two families drawn twice, a quarter of the draws are twice the first, half are mixed. T alone
    fits where only T's family is drawn; elsewhere D and T fit equally well, or D alone."""
    answers = [
        Kept("one", {"D": False, "T": True}, True),
        Kept("two", {"D": True, "T": False}, True),
    ]
    first, second = groups(answers, ("D", "T"))
    assert (first.logics, second.logics) == (("D",), ("T",))  # as good as each other: in their order
    assert first.best == pytest.approx(0.5, abs=0.05) and second.best == pytest.approx(0.5, abs=0.05)
    assert (first.best or 0) + (second.best or 0) == pytest.approx(1.0)
    assert first.level == 1.0 and second.level == pytest.approx(0.75, abs=0.05)
    assert second.possible


def test_one_family_says_nothing_of_the_noise() -> None:
    """With a single cluster there is nothing to draw, and no logic is said to be possible or not."""
    answers = [Kept("one", {"D": False, "T": True}, True)] * 5
    assert [(group.best, group.level, group.possible) for group in groups(answers, ("D", "T"))] == [
        (None, None, None)
    ] * 2
    assert groups([], ("D", "T")) == ()


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
@hypothesis_settings(max_examples=200, deadline=None)
def test_the_rate_is_the_most_likely_one(case: tuple[int, int]) -> None:
    """No other rate in the range makes the answers likelier, and fewer wrong answers never fit worse."""
    wrong, total = case
    rate, likelihood = log_likelihood(wrong, total)
    for other in (0.01, 0.02, 0.1, 0.25, 0.4, 0.5, rate * 0.99, rate * 1.01):
        if 0.01 <= other <= 0.5:
            assert wrong * math.log(other) + (total - wrong) * math.log(1 - other) <= likelihood + 1e-9
    if wrong:
        assert log_likelihood(wrong - 1, total)[1] >= likelihood
    if 2 * wrong >= total:
        assert likelihood == log_likelihood(total, total)[1]


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    """The five axioms; D is asked about by two pairs; T has a label that is not known; the Barcan
    formula on two kinds of frames."""
    pairs = {name: axiom(name) for name in AXIOMS}
    pairs["D again"] = pairs["D"]._replace(spec="other")
    records = [pair_record(name, pair) for name, pair in pairs.items()]
    records[1]["profile"]["KB5"] = None
    for frame in ("", "transitive"):
        pair = Textbook("BF", "BF", [], BARCAN, (frame, "constant"), (frame, "varying"), "b", "BF")
        records.append(pair_record(f"BF {frame}", pair))
    return make_dataset(tmp_path / "data", records)


SAID: dict[str, tuple[Any, Any]] = {
    "D": ("Yes", "Yes"),
    "D again": ("Yes", "**Yes**"),
    "T": ("Yes", "Yes"),
    "B": ("No", "No"),
    "4": ("Yes", "No"),
    "5": ("No", None),
    "BF ": ("No", "No"),
    "BF transitive": ("Yes", "Yes"),
}
SAID_CAN_FAIL: dict[str, tuple[Any, Any]] = {
    "D": ("No", ""),
    "D again": ("No", "No"),
    "T": ("No", "No"),
    "B": ("Yes", "Yes"),
    "4": ("No", "No"),
    "5": (None, "Maybe."),
    "BF ": ("Yes", "Yes"),
    "BF transitive": ("Yes", "Yes"),
}


def test_what_counts(tmp_path: Path, dataset: Dataset) -> None:
    """D counts once for its two pairs, with gaps but no contradiction; T is not labelled in every logic;
    4 is said to be both, 5 is asked both ways but answered one way; on the domain axis the same formula
    on other frames is another problem, and one of the two has the same answer to opposite questions."""
    found = logic_fits(read_readings(ask(tmp_path / "run", dataset, SAID, SAID_CAN_FAIL)), "strict")
    assert found.keys() == {("m1", "default")}
    frames, domains = found["m1", "default"]
    assert counts(frames) == ("frame", 5, 1, 1, 1, 2, 1)  # kept: D valid, B not
    assert counts(domains) == ("domain", 2, 0, 0, 1, 1, 0)
    assert frames.groups[0].logics == ("D", "T", "D4", "D5", "D45", "S4") and frames.groups[0].wrong == 0
    assert [group.logics for group in domains.groups] == [
        ("varying", "cumulative"),
        ("decreasing", "constant"),
    ]
    assert domains.groups[1].error_rate == 0.5


def counts(fit: LogicFit) -> tuple[str, int, int, int, int, int, int]:
    """What a fit says of its problems: axis, all, unlabelled, unanswered, inconsistent, kept, said valid."""
    return (
        fit.axis,
        fit.problems,
        fit.unlabelled,
        fit.unanswered,
        fit.inconsistent,
        fit.kept,
        fit.said_valid,
    )


def test_who_always_says_the_same_fits_nothing(tmp_path: Path, dataset: Dataset) -> None:
    """Yes to both questions is no answer, so a model that says nothing else behaves like no logic."""
    yes = dict.fromkeys(SAID, ("Yes", "Yes"))
    found = logic_fits(read_readings(ask(tmp_path / "run", dataset, yes, yes)), "lenient")
    frames, domains = found["m1", "default"]
    assert counts(frames) == ("frame", 5, 1, 0, 4, 0, 0) and frames.groups == ()
    assert domains.kept == 0


def test_a_run_with_the_specification_has_no_fit(tmp_path: Path, dataset: Dataset) -> None:
    """Who was told the logic is not asked which one he prefers."""
    run = write_run(tmp_path / "run", dataset, {"D": ("Yes", "No")})
    assert logic_fits(read_readings(run), "strict") == {} and fits_record(read_readings(run)) == []


@pytest.mark.parametrize("logic", ["S4", "K", "KB5"])
def test_a_model_that_follows_a_logic_is_found(logic: str, tmp_path: Path) -> None:
    """With 10 % errors on 200 problems of 50 families the logic fits best, its rate is found, and the
    bootstrap is sure of it."""
    rng = random.Random(2026)
    problems = {
        f"{name}-{n}": axiom(name, f"p{n}", family=f"{name}-{n % 10}") for name in AXIOMS for n in range(40)
    }
    records = [pair_record(name, pair) for name, pair in problems.items()]
    valid, can_fail = {}, {}
    for record in records:
        label = record["profile"][logic] ^ (rng.random() < 0.1)
        valid[record["pair_id"]] = ("Yes", "Yes") if label else ("No", "No")
        can_fail[record["pair_id"]] = ("No", "No") if label else ("Yes", "Yes")
    run = ask(tmp_path / "run", make_dataset(tmp_path / "data", records), valid, can_fail)
    ((fit,),) = logic_fits(read_readings(run), "strict").values()
    assert fit.kept == fit.problems == 200
    best, second, *_ = fit.groups
    assert best.logics == (logic,)
    assert best.error_rate == pytest.approx(0.1, abs=0.05)
    assert best.best is not None and best.best > 0.99
    assert second.wrong > best.wrong and second.possible is False


def test_the_command_tells_and_writes_it(tmp_path: Path, dataset: Dataset) -> None:
    """`score` shows both readers' fits with what did not count, and scores.json has them."""
    run = ask(tmp_path / "run", dataset, SAID, SAID_CAN_FAIL)
    shown = CliRunner().invoke(cli, ["score", str(run)], env={"COLUMNS": "200"})
    assert shown.exit_code == 0, shown.output
    assert "specification omitted, strict" in shown.output
    assert "frame axis: of 5 problems 2 have an answer that is the same both ways" in shown.output
    assert "1 inconsistent, 1 unanswered, 1 without a label in every logic" in shown.output
    assert "D = T = D4 = D5 = D45 = S4" in shown.output
    record = json.loads((run / "scores.json").read_text(encoding="utf-8"))
    fits = record["runs"][0]["logic_fits"]
    assert [(fit["reader"], fit["axis"]) for fit in fits] == [
        (reader, axis) for reader in ("strict", "lenient") for axis in LOGICS
    ]
    assert fits[0]["kept"] == 2 and fits[0]["groups"][0]["logics"] == ["D", "T", "D4", "D5", "D45", "S4"]
    assert [logic for group in fits[1]["groups"] for logic in group["logics"]] == list(DOMAINS)
