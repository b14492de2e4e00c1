"""The page of `modalgen browse`: all pairs of a dataset in one self-contained file.

The list of pairs is a plain table, readable without scripts. What is filtered by is a small index;
a pair's view is HTML that waits, as text, until the pair is opened. So the browser has little to do
at the start however large the dataset is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modalgen.evaluate.dataset import open_dataset
from modalgen.records import (
    EVIDENCE,
    PAIRS,
    DatasetError,
    Pair,
    difficulty,
    pair_from_record,
    read_lines,
    read_manifest,
)
from modalgen.render import describe
from modalgen.view.page import render
from modalgen.view.pair_view import Run, in_english, sequent, valid_under, view

# What Python raises when a value of a JSON file is not of the kind that is expected there.
_UNEXPECTED = (AttributeError, LookupError, OverflowError, RecursionError, TypeError, ValueError)

# What pairs are filtered by: the key in the index and in the page's address, and the label.
FILTERS = {
    "contrast": "Contrast",
    "axis": "Axis",
    "task": "Task",
    "valid": "Valid side",
    "resolution": "Resolution",
    "depth": "Modal depth",
    "quantifiers": "Quantifier depth",
    "size": "Size",
    "worlds": "Countermodel worlds",
}
_SIZE_STEP = 5


@dataclass(frozen=True)
class Option:
    """A value that a filter can have, how it reads, and how many pairs have it."""

    value: str
    text: str
    count: int


@dataclass(frozen=True)
class Row:
    """A pair's line in the list. `facts` are the values of the filters, `text` is what is searched."""

    pair_id: str
    sequent: str
    valid: str
    invalid: str
    size: int
    facts: Mapping[str, str]
    text: str


def browse(directory: Path) -> str:
    """The page for a dataset directory.

    Raises DatasetError, naming file and line or pair, if the dataset cannot be read, its labels are not
    settled, or a countermodel, a certificate or a profile does not hold.
    """
    path = directory / PAIRS
    try:
        dataset = open_dataset(directory)
        titles, versions = _described(read_manifest(directory))
        pairs = [(pair_from_record(record), str(record["family"])) for _, record in read_lines(path)]
        runs = _runs(directory)
    except _UNEXPECTED as error:
        raise DatasetError(f"{directory}: not a dataset: {error!r}; `modalgen verify` tells more") from error
    families = Counter(family for _, family in pairs)
    rows, views = [], []
    for pair, family in pairs:
        try:
            rows.append(_row(pair, family))
            views.append(view(pair, titles.get(pair.spec, pair.spec), runs, family, families[family]))
        except _UNEXPECTED as error:
            raise DatasetError(
                f"{path}: {pair.pair_id} does not hold: {error}; `modalgen verify` tells more"
            ) from error
    html = render(
        "browse.html.j2",
        title=directory.resolve().name,
        dataset=dataset.sha256,
        rows=rows,
        filters=[(key, label, _options(key, rows, titles)) for key, label in FILTERS.items()],
        index=[{"id": row.pair_id, "text": row.text, **row.facts} for row in rows],
        views=_shared_lines(views),
        versions=versions,
    )
    try:
        html.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DatasetError(f"{directory}: a text in it is not Unicode: {error}") from error
    return html


def _shared_lines(views: Sequence[str]) -> dict[str, Any]:
    """The views with each line once, and for each view the numbers of its lines: most lines are those of
    many views, and a page is read a good deal faster without the repetitions."""
    numbers: dict[str, int] = {}
    lines_of = [[numbers.setdefault(line, len(numbers)) for line in view.split("\n")] for view in views]
    return {"lines": list(numbers), "views": lines_of}


def _described(manifest: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """From the manifest: the contrasts' titles by id, the versions of the deciders by name."""
    titles = {str(spec["id"]): str(spec["title"]) for spec in manifest["specs"]}
    return titles, {"modalgen": str(manifest["modalgen"])} | {
        str(name): str(version) for name, version in manifest["deciders"].items()
    }


def _runs(directory: Path) -> dict[str, Run | None]:
    """The runs by hash; None stands for those that were made without the premises or for a profile."""
    path = directory / EVIDENCE
    found: dict[str, Run | None] = {}
    for number, record in read_lines(path):
        try:
            run = Run.of(record)
            found[str(record["sha256"])] = run if record["variant"] == "full" else None
        except _UNEXPECTED as error:
            raise DatasetError(f"{path}:{number}: not a piece of evidence: {error!r}") from error
    return found


def _row(pair: Pair, family: str) -> Row:
    valid, invalid = sorted(pair.sides.values(), key=lambda side: not side.label)
    measures = difficulty(pair)
    size = measures["size"] or 0
    band = (size - 1) // _SIZE_STEP * _SIZE_STEP
    worlds = measures["countermodel_worlds"]
    english = " ".join(in_english(formula) for formula in (*pair.premises, pair.conjecture))
    return Row(
        pair_id=pair.pair_id,
        sequent=sequent(pair),
        valid=describe(valid.semantics),
        invalid=describe(invalid.semantics),
        size=size,
        facts={
            "contrast": pair.spec,
            "axis": pair.axis,
            "task": pair.task,
            "valid": valid_under(pair),
            "resolution": "dual" if valid.resolution == invalid.resolution == "dual" else "single",
            "depth": str(measures["modal_depth"]),
            "quantifiers": str(measures["quantifier_depth"]),
            "size": f"{band + 1}–{band + _SIZE_STEP}",
            "worlds": "none known" if worlds is None else str(worlds),
            "family": family,
        },
        text=f"{pair.pair_id} {pair.template} {sequent(pair)} {english}".lower(),
    )


def _options(key: str, rows: Sequence[Row], titles: Mapping[str, str]) -> list[Option]:
    """The values that a filter can have in this dataset, numbers by size, others in the dataset's order."""
    counts = Counter(row.facts[key] for row in rows)
    values = sorted(counts, key=lambda value: int(value.split("–")[0]) if value[0].isdigit() else -1)
    return [Option(v, titles.get(v, v) if key == "contrast" else v, counts[v]) for v in values]
