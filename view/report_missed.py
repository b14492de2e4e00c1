"""The pairs that all models miss: what they are, why the invalid side fails, and what was said of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup

from modalgen.evaluate.dataset import read_each
from modalgen.evaluate.readings import Cell, Readings
from modalgen.evaluate.runs import read_every_response
from modalgen.evaluate.scoring import MISSING
from modalgen.records import SIDES, Pair
from modalgen.render import describe
from modalgen.view.explanation import explain
from modalgen.view.page import fragment_of
from modalgen.view.pair_view import Condition, conditions, in_english, sequent
from modalgen.view.report_data import SHORT_HASH, Findings, Key, Missed
from modalgen.view.sentences import Step
from modalgen.view.svg import drawing

SHOWN = 100
"""So many of the missed pairs are shown in full; a page with more of them would be slow to open."""
LONGEST = 400
"""So many of the last characters of a response are shown: the answer is at the end."""


@dataclass(frozen=True)
class Said:
    """What a cell said of the two sides: the outcome or the answer's word, and the end of the text."""

    name: str
    answers: Mapping[str, tuple[str, str]]


@dataclass(frozen=True)
class MissedSide:
    """A side of a missed pair."""

    name: str
    models: str
    conditions: tuple[Condition, ...]
    label: bool
    picture: Markup | None
    explanation: tuple[Step, ...]


@dataclass(frozen=True)
class MissedView:
    """A missed pair, ready to be shown: `name` tells it from all others, `element` is its id in the page,
    `anchor` the link to that."""

    pair: Pair
    key: Key
    name: str
    element: str
    anchor: str
    sequent: str
    premises: tuple[str, ...]
    conjecture: str
    sides: tuple[MissedSide, ...]
    said: tuple[Said, ...]


def views(findings: Findings) -> tuple[MissedView, ...]:
    """The first `SHOWN` pairs that all cells miss. Raises DatasetError and RunError as reading does."""
    found = []
    for _, group in groupby(findings.missed[:SHOWN], key=lambda each: each.readings.dataset):
        missed = list(group)
        wanted = {each.pair.pair_id: each for each in missed}
        pairs = {p.pair_id: p for p in read_each(missed[0].readings.data) if p.pair_id in wanted}
        texts = _texts(
            {entry.readings.directory: entry.readings for m in missed for entry in m.entries}, wanted
        )
        found += [_view(each, pairs[each.pair.pair_id], texts, findings) for each in missed]
    return tuple(found)


_Texts = Mapping[tuple[int, Cell, str, str], str]


def _texts(runs: Mapping[object, Readings], wanted: Mapping[str, Missed]) -> _Texts:
    """The texts of the responses to these pairs, by run, cell, pair and side; the last one of each counts."""
    found = {}
    for readings in runs.values():
        for record in read_every_response(readings.directory):
            if record["pair_id"] in wanted:
                cell = Cell(record["model"], record["condition"], record["polarity"])
                found[id(readings), cell, record["pair_id"], record["side"]] = record["text"] or ""
    return found


def _view(missed: Missed, pair: Pair, texts: _Texts, findings: Findings) -> MissedView:
    dataset = missed.readings.dataset[:SHORT_HASH] if len(findings.datasets) > 1 else ""
    own = f"{dataset}-{pair.pair_id}" if dataset else pair.pair_id
    premises = tuple(map(in_english, pair.premises))
    return MissedView(
        pair=pair,
        key=missed.key,
        name=f"{pair.pair_id} ({dataset})" if dataset else pair.pair_id,
        element=f"pair-{own}",
        anchor=fragment_of(own),
        sequent=sequent(pair),
        premises=premises,
        conjecture=in_english(pair.conjecture),
        sides=tuple(_side(pair, name, fragment_of(own)) for name in SIDES),
        said=tuple(_said(missed, texts, findings.reader)),
    )


def _side(pair: Pair, name: str, anchor: str) -> MissedSide:
    side, model = pair.sides[name], pair.sides[name].countermodel
    return MissedSide(
        name=name,
        models=describe(side.semantics),
        conditions=conditions(pair, name),
        label=side.label,
        picture=None if model is None else Markup(drawing(model, f"picture-{name}-{anchor}")),
        explanation=() if model is None else explain(pair.problem(name), model),
    )


def _said(missed: Missed, texts: _Texts, reader: str) -> Sequence[Said]:
    found = []
    for entry in missed.entries:
        cell, pair_id = entry.scores.cell, missed.pair.pair_id
        answers = {}
        for side in SIDES:
            row = entry.readings.cells[cell].get((pair_id, side))
            reading = row.readings[reader] if row else None
            word = MISSING if reading is None else reading.word or str(reading.outcome).replace("_", " ")
            text = texts.get((id(entry.readings), cell, pair_id, side), "").strip()
            answers[side] = (word, text if len(text) <= LONGEST else f"… {text[-LONGEST:]}")
        found.append(Said(entry.name, answers))
    return found
