"""What a report is about: the cells of all runs, numbered, and what becomes of pairs across them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from modalgen.evaluate.answers import Polarity
from modalgen.evaluate.asking import DEFAULT
from modalgen.evaluate.dataset import read_each
from modalgen.evaluate.readings import Cell, Facts, Readings
from modalgen.evaluate.scoring import CellScores, Score, is_open, score
from modalgen.records import Pair

Key = tuple[str, str]
"""The hash of a dataset and the id of a pair."""
SHORT_HASH = 8
"""So many characters of a dataset's hash tell the datasets of a report apart."""
RIGHT = (True, False)
"""The pattern of a pair that is right on both sides."""


@dataclass(frozen=True)
class Entry:
    """A cell of a run, with the number that stands for it in charts and the name that it has in tables."""

    number: int
    run: str
    readings: Readings
    scores: CellScores
    name: str

    @property
    def told(self) -> bool:
        """Whether the models were told the semantics. If not, both sides of a pair got the same prompt,
        and pair accuracy means nothing."""
        return not self.readings.specification_omitted


@dataclass(frozen=True)
class Findings:
    """All cells of the runs, read by one reader (strict or lenient)."""

    reader: str
    runs: Mapping[str, Readings]
    entries: tuple[Entry, ...]

    @property
    def told(self) -> tuple[Entry, ...]:
        """The cells whose pair accuracy means something."""
        return tuple(entry for entry in self.entries if entry.told)

    @property
    def datasets(self) -> tuple[str, ...]:
        """The hashes of the datasets of these cells, in order."""
        return tuple(dict.fromkeys(entry.readings.dataset for entry in self.told))

    @cached_property
    def missed(self) -> tuple[Missed, ...]:
        """The pairs that no cell gets right, in the datasets' order. A pair counts if a run has told its
        semantics and none still has to ask it; what is the same in two datasets is one pair. Raises
        DatasetError if several datasets are to be compared and cannot be read any more."""
        first_of = _repeated(self.told)
        asked_of: dict[Key, list[Entry]] = {}
        facts: dict[Key, tuple[Readings, Facts]] = {}
        left_out: set[Key] = set()  # right somewhere, or still to be asked
        for entry in self.told:
            rows = entry.readings.cells[entry.scores.cell]
            for pair, pattern in zip(entry.scores.pairs, entry.scores.patterns[self.reader], strict=True):
                key = (entry.readings.dataset, pair.pair_id)
                key = first_of.get(key, key)
                facts.setdefault(key, (entry.readings, pair))
                asked_of.setdefault(key, []).append(entry)
                if pattern == RIGHT or any(is_open(rows.get((pair.pair_id, side))) for side in pair.sides):
                    left_out.add(key)
        return tuple(Missed(*facts[key], tuple(asked_of[key])) for key in asked_of if key not in left_out)

    def group(self, entry: Entry, dimension: str) -> dict[str, Score]:
        """The cell's pair accuracy by a dimension's values."""
        tallies = entry.scores.tallies(self.reader, dimension)
        return {value: entry.scores.group(tally)["pair_accuracy"] for value, tally in tallies.items()}


@dataclass(frozen=True)
class Missed:
    """A pair that all of these cells miss."""

    readings: Readings
    pair: Facts
    entries: tuple[Entry, ...]

    @property
    def key(self) -> Key:
        """What tells it from all others."""
        return self.readings.dataset, self.pair.pair_id

    @property
    def datasets(self) -> tuple[str, ...]:
        """The hashes of the datasets that it is in, in order."""
        return tuple(dict.fromkeys(entry.readings.dataset for entry in self.entries))


def _repeated(entries: Iterable[Entry]) -> Mapping[Key, Key]:
    """The pairs that are there, equal in all that is recorded of them, in an earlier dataset too, and which
    they are there. An id alone does not make a pair: versions of a dataset may share ids."""
    data = {entry.readings.dataset: entry.readings for entry in entries}
    often = Counter(pair.pair_id for readings in data.values() for pair in readings.pairs)
    met: dict[str, list[tuple[Pair, Key]]] = {}
    found = {}
    for dataset, readings in data.items() if max(often.values(), default=0) > 1 else ():
        for pair in read_each(readings.data):
            if often[pair.pair_id] > 1:
                key = (dataset, pair.pair_id)
                earlier = met.setdefault(pair.pair_id, [])
                found[key] = next((other for same, other in earlier if same == pair), key)
                earlier.append((pair, key))
    return found


def findings(runs: Mapping[str, Readings], reader: str) -> Findings:
    """Score runs, by the names that the user gave them."""
    cells = [(run, readings, scores) for run, readings in runs.items() for scores in score(readings)]
    names = [_name(readings, scores.cell) for _, readings, scores in cells]
    often = Counter(names)
    entries = (
        Entry(number, run, readings, scores, name if often[name] == 1 else f"{name} ({run})")
        for number, ((run, readings, scores), name) in enumerate(zip(cells, names, strict=True), start=1)
    )
    return Findings(reader, runs, tuple(entries))


def _name(readings: Readings, cell: Cell) -> str:
    """The model, and how it was asked if that is not the default."""
    if not readings.specification_omitted:
        return asked(cell.model, cell.condition)
    question = "can it fail?" if cell.polarity == Polarity.CAN_FAIL else "is it valid?"
    return f"{asked(cell.model, cell.condition)} · not told, {question}"


def asked(model: str, condition: str) -> str:
    """The model, and its level of reasoning if it is not the default."""
    return model if condition == DEFAULT else f"{model} · {condition}"
