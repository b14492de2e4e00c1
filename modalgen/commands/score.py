"""`modalgen score`: what the answers of runs are worth."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich import box
from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from modalgen.commands.common import NO, fail
from modalgen.records import DatasetError

if TYPE_CHECKING:
    from modalgen.evaluate.scoring import CellScores, Score, Scores

SCORES = "scores.json"


@click.command()
@click.argument(
    "runs", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help=f"Write the scores of all runs here [{SCORES} in each run].",
)
def score(runs: tuple[Path, ...], output: Path | None) -> None:
    """Score runs: strictly and leniently, over all that was to be asked, with intervals.

    A run that is still going on can be scored; what it has no answer to yet counts as wrong.
    """
    from modalgen.evaluate.readings import read_readings
    from modalgen.evaluate.runs import RunError
    from modalgen.evaluate.scoring import score as score_run
    from modalgen.evaluate.scoring import scores_record

    if len({run.resolve() for run in runs}) < len(runs):
        fail("a run is there twice")
    scored = {}
    try:
        for directory in runs:
            readings = read_readings(directory)
            scored[str(directory)] = (readings, list(score_run(readings)))
    except (RunError, DatasetError) as error:
        fail(str(error))
    console = Console()
    for run, (_, cells) in scored.items():
        for cell in cells:
            console.print(Group(*_shown(run, cell)))
    files = [(output, scored)] if output else [(Path(run, SCORES), {run: scored[run]}) for run in scored]
    for path, content in files:
        _write(path, json.dumps(scores_record(content), ensure_ascii=False, indent=1, sort_keys=True) + "\n")
        console.print(f"all scores, by family too: {path}", markup=False, highlight=False, soft_wrap=True)


def _write(path: Path, text: str) -> None:
    from modalgen.files import replace_file

    try:
        replace_file(path, text)
    except OSError as error:
        fail(f"{path}: cannot be written: {error.strerror or error}", code=NO)


def _shown(run: str, scores: CellScores) -> Iterator[RenderableType]:
    """A cell: what came back, the totals, the groups."""
    from modalgen.evaluate.readings import DIMENSIONS, READERS
    from modalgen.evaluate.scoring import expected_by_independence

    cell = scores.cell
    yield Text(f"{cell.model} · {cell.condition} · {cell.polarity} ({run})", "bold")
    yield Text(
        f"{len(scores.pairs)} pairs, {scores.incomplete_pairs} of them incomplete",
        "yellow" if scores.incomplete_pairs else "",
    )
    counts = scores.outcomes
    outcomes = _table("outcomes (sides)", "", *READERS)
    for outcome in counts[READERS[0]]:
        if any(counts[reader][outcome] for reader in READERS):
            outcomes.add_row(outcome, *(str(counts[reader][outcome]) for reader in READERS))
    yield outcomes
    columns = [(reader, conditional) for conditional in (False, True) for reader in READERS]
    found = [scores.totals[column] for column in columns]
    totals = _table(
        "all pairs", "", *(f"{r}, if answered" if conditional else r for r, conditional in columns)
    )
    for name in found[0]:
        totals.add_row(name.replace("_", " "), *(_rate(each[name]) for each in found))
    totals.add_row("pairs if independent", *(_percent(expected_by_independence(each)) for each in found))
    baseline = scores.name_only(scores.tally("name_only"))
    for name, known in baseline.items():
        totals.add_row(f"{name.replace('_', ' ')}, name only", _percent(known), "", "", "")
    yield totals
    measures = ("side_accuracy", "pair_accuracy")
    headers = [f"{m.split('_')[0]}s right, {reader}" for reader in READERS for m in measures]
    groups = _table("by group", "", "", "pairs", *headers, "name only")
    for dimension in DIMENSIONS[:-1]:  # there may be hundreds of families, and their names are formulas
        read = {reader: scores.tallies(reader, dimension) for reader in READERS}
        for value, tally in scores.tallies("name_only", dimension).items():
            by_reader: list[Scores] = [scores.group(read[reader][value]) for reader in READERS]
            rates = [_rate(each[measure]) for each in by_reader for measure in measures]
            baseline = scores.name_only(tally)
            groups.add_row(
                dimension.replace("_", " "),
                escape(value),
                str(tally.total()),
                *rates,
                _percent(baseline["pair_accuracy"]),
            )
    yield groups


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, box=box.SIMPLE_HEAD, pad_edge=False, title_justify="left")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _rate(score: Score) -> str:
    if score.interval is None:
        return _percent(score.rate)
    low, high = score.interval
    return f"{_percent(score.rate)} [{100 * low:.0f}–{100 * high:.0f}]"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"
