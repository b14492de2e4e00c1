"""A run read back for scoring: what it asks about, and what each response says.

The pairs are those of the dataset that the run's settings choose, asked yet or not: what counts as
asked is decided by the settings and never by what came back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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
from modalgen.evaluate.dataset import chosen, open_dataset
from modalgen.evaluate.runs import RunError, read_responses, read_run
from modalgen.files import json_line
from modalgen.records import PAIRS, SIDES, DatasetError, read_lines

READERS = ("strict", "lenient")
DIMENSIONS = ("axis", "contrast", "task", "premise_status", "modal_depth", "family")

Pattern = tuple[bool | None, bool | None]
"""What is said of the valid and of the invalid side: valid, invalid, or None for no answer."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What scoring has to know of a pair: which side is valid, the name of each side's semantics, and
    where the pair stands in each of `DIMENSIONS`."""

    pair_id: str
    valid_side: str
    conditions: Mapping[str, str]
    place: Mapping[str, str]

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
    """A side that has been asked: its two readings, by the names of `READERS`."""

    pair_id: str
    side: str
    readings: Mapping[str, Reading]


@dataclass(frozen=True, order=True, slots=True)
class Cell:
    """A model under one condition, asked in one polarity."""

    model: str
    condition: str
    polarity: str


@dataclass(frozen=True)
class Readings:
    """A run as scoring sees it: all pairs that it asks about, and for each cell the rows there are."""

    directory: Path
    dataset: str
    pairs: tuple[Facts, ...]
    vocabulary: Vocabulary
    cells: Mapping[Cell, Mapping[tuple[str, str], Row]]

    def pattern(self, cell: Cell, pair: Facts, reader: str) -> Pattern:
        """What the reader makes of the pair's answers."""
        valid, invalid = (self._label(cell, pair.pair_id, side, reader) for side in pair.sides)
        return valid, invalid

    def _label(self, cell: Cell, pair_id: str, side: str, reader: str) -> bool | None:
        row = self.cells[cell].get((pair_id, side))
        return row.readings[reader].label if row else None


def read_readings(directory: Path) -> Readings:
    """Read a run directory and the dataset that it names.

    Raises RunError if it is no run, its lines are damaged or belong to no request of it, or its
    dataset is not the one that was asked; DatasetError if the dataset cannot be used.
    """
    run = read_run(directory)
    try:
        settings, place = run["settings"], directory / run["dataset"]
        limit, digest = settings["limit"], settings["dataset"]["sha256"]
        prompts = settings["prompts"]
        vocabulary, reverse = Vocabulary(prompts["vocabulary"]), prompts["reverse"]
        forms = {p: AnswerForm(vocabulary, reverse, Polarity(p)) for p in prompts["polarities"]}
        cells: dict[Cell, dict[tuple[str, str], Row]] = {
            Cell(model, condition, polarity): {}
            for model in settings["models"]
            for condition in settings["reasoning"]
            for polarity in forms
        }
    except (KeyError, TypeError, ValueError) as error:
        raise RunError(f"{directory}: run.json does not say what a run does: {error!r}") from None
    dataset = open_dataset(place)
    if dataset.sha256 != digest:
        raise RunError(f"{directory}: {place} is not the dataset that was asked; its hash is another")
    pairs = tuple(_asked(place, dataset.pairs, limit))
    known = {pair.pair_id for pair in pairs}
    for record in read_responses(directory):
        try:
            cell = Cell(record["model"], record["condition"], record["polarity"])
            row = Row(record["pair_id"], record["side"], _read(record, forms[cell.polarity]))
            if row.pair_id not in known or row.side not in SIDES:
                raise KeyError(record["item"])
            cells[cell][row.pair_id, row.side] = row
        except (KeyError, TypeError, AttributeError) as error:
            raise RunError(f"{directory}: {record['item']} is no response of this run: {error}") from None
    return Readings(directory, digest, pairs, vocabulary, cells)


def _read(record: Mapping[str, Any], form: AnswerForm) -> dict[str, Reading]:
    reported = None if record["reported"] is None else Outcome(record["reported"])
    text = record["text"]
    return {"strict": read_strict(text, form, reported), "lenient": read_lenient(text, form, reported)}


def _asked(directory: Path, total: int, limit: int | None) -> Iterator[Facts]:
    """The pairs that are asked about, in the dataset's order. The family is taken from the record,
    which the manifest's hash vouches for; to compute it again takes long."""
    places = set(chosen(total, limit))
    for number, record in read_lines(directory / PAIRS):
        if number - 1 in places:
            try:
                yield _facts(record)
            except (KeyError, TypeError) as error:
                raise DatasetError(f"{directory / PAIRS}:{number}: a field is missing: {error}") from None


def _facts(record: Mapping[str, Any]) -> Facts:
    sides = record["sides"]
    return Facts(
        pair_id=record["pair_id"],
        valid_side="a" if sides["a"]["label"] else "b",
        conditions={name: json_line(sides[name]["semantics"]) for name in SIDES},
        place={
            "axis": record["axis"],
            "contrast": record["spec"],
            "task": record["task"],
            "premise_status": record["premise_status"],
            "modal_depth": str(record["difficulty"]["modal_depth"]),
            "family": record["family"],
        },
    )
