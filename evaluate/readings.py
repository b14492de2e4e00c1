"""A run read back for scoring: what it asks about, and what each response says.

The pairs are those of the dataset that the run's settings choose, asked yet or not: what counts as
asked is decided by the settings and never by what came back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from modalgen.evaluate.answers import (
    AnswerForm,
    Outcome,
    Polarity,
    Reading,
    Vocabulary,
    read_lenient,
    read_strict,
)
from modalgen.evaluate.dataset import Dataset, chosen, open_dataset
from modalgen.evaluate.runs import RESPONSES, RUN, RunError, read_every_response, read_run
from modalgen.files import json_line, sha256
from modalgen.records import PAIRS, SIDES, DatasetError, read_lines

READERS = ("strict", "lenient")
DIMENSIONS = ("axis", "contrast", "task", "premise_status", "modal_depth", "size", "family")
USAGE = ("input", "output", "reasoning")
SHORT = 80
"""Up to so many characters a response is one that others may give too."""
SIZE_BAND = 5
"""Sizes of problems (nodes of their formulas, summed) are put together in bands of so many."""

Pattern = tuple[bool | None, bool | None]
"""What is said of the valid and of the invalid side: valid, invalid, or None for no answer."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What scoring has to know of a pair: which side is valid, the name of each side's semantics, where
    the pair stands in each of `DIMENSIONS`, and the problem itself with its label in each logic.

    `problem` is the same text for pairs that ask about the same problem: premises and conjecture, and
    on the domain axis the frames, which its `profile` is relative to.
    """

    pair_id: str
    valid_side: str
    conditions: Mapping[str, str]
    place: Mapping[str, str]
    modal_depth: int
    size: int
    problem: str
    profile: Mapping[str, bool | None]

    @property
    def family(self) -> str:
        """The modal schema, the cluster of the bootstrap."""
        return self.place["family"]

    @property
    def sides(self) -> tuple[str, str]:
        """The valid side, then the invalid one."""
        return self.valid_side, "b" if self.valid_side == "a" else "a"


@dataclass(frozen=True, slots=True)
class Row:
    """A side that has been asked: its two readings, by the names of `READERS`, and what they took.

    `usage` counts tokens (`input`, `output`, and of the output `reasoning`), `cost` is in US dollars;
    both are None where the server does not say.
    """

    pair_id: str
    side: str
    readings: Mapping[str, Reading]
    usage: Mapping[str, int | None]
    cost: float | None


@dataclass(frozen=True, order=True, slots=True)
class Cell:
    """A model under one condition, asked in one polarity."""

    model: str
    condition: str
    polarity: str


@dataclass(frozen=True)
class Readings:
    """A run as scoring sees it: all pairs that it asks about, and for each cell the rows there are.
    `dataset` is the hash of the dataset, `data` its place."""

    directory: Path
    dataset: str
    data: Path
    pairs: tuple[Facts, ...]
    vocabulary: Vocabulary
    cells: Mapping[Cell, Mapping[tuple[str, str], Row]]

    @property
    def specification_omitted(self) -> bool:
        """Whether the models were not told which models are intended; then they are asked both ways."""
        return any(cell.polarity == Polarity.CAN_FAIL for cell in self.cells)

    def pattern(self, cell: Cell, pair: Facts, reader: str) -> Pattern:
        """What the reader makes of the pair's answers."""
        valid, invalid = (self._label(cell, pair.pair_id, side, reader) for side in pair.sides)
        return valid, invalid

    def _label(self, cell: Cell, pair_id: str, side: str, reader: str) -> bool | None:
        row = self.cells[cell].get((pair_id, side))
        return row.readings[reader].label if row else None


def read_readings(directory: Path, moved: Sequence[Dataset] = ()) -> Readings:
    """Read a run directory and the dataset that it asked about: that of *moved* which has the hash in
    `run.json`, or, if none is given, the one at the place that `run.json` names.

    Raises RunError if it is no run, its lines are damaged or belong to no request of it, or there is
    no dataset with the hash of the one that was asked; DatasetError if the dataset cannot be used.
    """
    run = read_run(directory)
    try:
        settings, place = run["settings"], directory / run["dataset"]
        limit, digest = settings["limit"], settings["dataset"]["sha256"]
        if limit is not None and (type(limit) is not int or limit < 1):
            raise ValueError(f"its limit is {limit!r}")
        prompts = settings["prompts"]
        vocabulary, reverse = Vocabulary(prompts["vocabulary"]), prompts["reverse"]
        forms = {p: AnswerForm(vocabulary, reverse, Polarity(p)) for p in _texts(prompts["polarities"])}
        cells: dict[Cell, dict[tuple[str, str], Row]] = {
            Cell(model, condition, polarity): {}
            for model in _texts(settings["models"])
            for condition in _texts(settings["reasoning"])
            for polarity in forms
        }
    except (KeyError, TypeError, ValueError) as error:
        raise RunError(f"{directory / RUN}: it does not say what a run does: {_said(error)}") from None
    dataset = _dataset(directory, place, digest, moved)
    pairs = tuple(_asked(dataset.directory, dataset.pairs, limit))
    known = {pair.pair_id for pair in pairs}
    for record in read_every_response(directory):
        try:
            cell = Cell(record["model"], record["condition"], record["polarity"])
            if cell not in cells:
                raise ValueError(f"the run has no {cell.model!r}, {cell.condition!r}, {cell.polarity!r}")
            row = _row(record, forms[cell.polarity])
            if row.pair_id not in known:
                raise ValueError(f"the run does not ask about {row.pair_id}")
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise RunError(
                f"{_line(directory, record)}: {record['item']} is no response of this run: {_said(error)}"
            ) from None
        cells[cell][row.pair_id, row.side] = row  # of an item's lines the last one counts
    return Readings(directory, digest, dataset.directory, pairs, vocabulary, cells)


def _texts(values: Any) -> list[str]:
    """A list of texts, at least one. Raises ValueError if it is none."""
    if not isinstance(values, list) or not values or not all(isinstance(value, str) for value in values):
        raise ValueError(f"{values!r} is no list of names")
    return values


def _row(record: Mapping[str, Any], form: AnswerForm) -> Row:
    """A line as scoring keeps it, if what it says of itself fits together: its item is the side and the
    polarity, its hash that of its prompt. Raises ValueError, KeyError, TypeError, OverflowError."""
    pair_id, side, cost = record["pair_id"], record["side"], record["cost"]
    if side not in SIDES or record["item"] != f"{pair_id}/{side}/{form.polarity}":
        raise ValueError(f"its pair and side are {pair_id!r} and {side!r}")
    if record["prompt_sha256"] != sha256(record["prompt"]):
        raise ValueError("the hash of its prompt is another")
    if record["text"] is not None and not isinstance(record["text"], str):
        raise ValueError("its text is no text")
    if not isinstance(record["usage"], dict):
        raise ValueError("its usage is not an object")
    usage = {name: record["usage"].get(name) for name in USAGE}
    for name, count in usage.items():
        if count is not None and (type(count) is not int or not 0 <= count < 2**63):
            raise ValueError(f"its usage has {count!r} as {name}, which is no number of tokens")
    return Row(pair_id, side, _read(record, form), usage, None if cost is None else float(cost))


def _said(error: Exception) -> str:
    """The error in a message: that of a lookup or a type says little without its kind."""
    return str(error) if type(error) is ValueError else repr(error)


def _line(directory: Path, record: Mapping[str, Any]) -> str:
    """Where a record stands, for a message; nobody counts lines while all is well."""
    for path in sorted((directory / RESPONSES).glob("*.jsonl")):
        with path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                if line.endswith(b"\n") and repr(json.loads(line)) == repr(record):
                    return f"{path}:{number}"
    return str(directory)


def _dataset(run: Path, place: Path, digest: str, moved: Sequence[Dataset]) -> Dataset:
    """The dataset with the hash, where the user says that it is or where the run says that it was."""
    remedy = "if the dataset has moved, say where it is with --dataset DIR"
    if moved:
        found = next((dataset for dataset in moved if dataset.sha256 == digest), None)
        if found is None:
            raise RunError(
                f"{run}: the dataset that was asked is none of those given with --dataset; "
                f"its {PAIRS} has the SHA-256 {digest}"
            )
        return found
    try:
        dataset = open_dataset(place)
    except DatasetError as error:
        raise DatasetError(f"{error} ({run}: {remedy})") from error
    if dataset.sha256 != digest:
        raise RunError(
            f"{run}: {place} is not the dataset that was asked: that has the SHA-256 {digest}, and this one "
            f"{dataset.sha256}. If it was built again since, a run can only be scored with the build that it "
            "asked about; if that lies elsewhere, say where with --dataset DIR"
        )
    return dataset


def _read(record: Mapping[str, Any], form: AnswerForm) -> Mapping[str, Reading]:
    reported, text = record["reported"], record["text"]
    if text is None or len(text) <= SHORT:
        return _read_short(text, form, reported)
    return _both(text, form, reported)


def _both(text: str | None, form: AnswerForm, reported: str | None) -> Mapping[str, Reading]:
    outcome = None if reported is None else Outcome(reported)
    return {"strict": read_strict(text, form, outcome), "lenient": read_lenient(text, form, outcome)}


_read_short = lru_cache(maxsize=10_000)(_both)  # most responses are one of a few words


def _asked(directory: Path, total: int, limit: int | None) -> Iterator[Facts]:
    """The pairs that are asked about, in the dataset's order. The family is taken from the record,
    which the manifest's hash vouches for; to compute it again takes long."""
    places = set(chosen(total, limit))
    for number, record in read_lines(directory / PAIRS):
        if number - 1 in places:
            try:
                yield _facts(record)
            except (KeyError, TypeError, AttributeError) as error:
                raise DatasetError(
                    f"{directory / PAIRS}:{number}: a field is missing or has another type: {error}"
                ) from None


def _facts(record: Mapping[str, Any]) -> Facts:
    sides, difficulty = record["sides"], record["difficulty"]
    for measure in ("modal_depth", "size"):
        if type(difficulty[measure]) is not int:
            raise TypeError(f"its {measure} is not a number")
    frame = sides["a"]["semantics"]["frame"] if record["axis"] == "domain" else None
    return Facts(
        pair_id=record["pair_id"],
        valid_side="a" if sides["a"]["label"] else "b",
        conditions={name: json_line(sides[name]["semantics"]) for name in SIDES},
        place={
            "axis": record["axis"],
            "contrast": record["spec"],
            "task": record["task"],
            "premise_status": record["premise_status"],
            "modal_depth": str(difficulty["modal_depth"]),
            "size": _band(difficulty["size"]),
            "family": record["family"],
        },
        modal_depth=difficulty["modal_depth"],
        size=difficulty["size"],
        problem=json_line([record["premises"], record["conjecture"], frame]),
        profile=record["profile"],
    )


def _band(size: int) -> str:
    """The band of a size: 1–5, 6–10, …"""
    last = -(-size // SIZE_BAND) * SIZE_BAND
    return f"{last - SIZE_BAND + 1}–{last}"


def in_order(values: Iterable[str]) -> list[str]:
    """Values of a dimension, sorted as people count: 2 before 10."""
    return sorted(values, key=lambda value: (int((re.match(r"\d+", value) or "0")[0]), value))
