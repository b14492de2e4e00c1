"""`modalgen score`: what the answers of runs are worth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich import box
from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from modalgen.commands.common import DATASET, NEW_FILE, NO, fail
from modalgen.files import json_line, replace_file
from modalgen.records import DatasetError

if TYPE_CHECKING:
    from modalgen.evaluate.logic_fit import LogicFit
    from modalgen.evaluate.readings import Readings
    from modalgen.evaluate.scoring import CellScores, Score, Scores

SCORES = "scores.json"
RUN = click.Path(exists=True, file_okay=False, path_type=Path)
RUNS = click.argument("runs", nargs=-1, required=True, type=RUN)
MOVED = click.option(
    "--dataset",
    "moved",
    multiple=True,
    type=DATASET,
    help="Where a run's dataset lies now, if it has moved; may be repeated.",
)


@click.command()
@RUNS
@MOVED
@click.option(
    "-o", "--output", type=NEW_FILE, help=f"Write the scores of all runs here [{SCORES} in each run]."
)
@click.option("--parquet", type=NEW_FILE, help="Write a row for each side asked (extra modalgen[report]).")
def score(runs: tuple[Path, ...], moved: tuple[Path, ...], output: Path | None, parquet: Path | None) -> None:
    """Score runs: strictly and leniently, over all that was to be asked, with intervals.

    A run that is still going on can be scored; what it has no answer to yet counts as wrong.
    """
    from modalgen.evaluate.logic_fit import logic_fits
    from modalgen.evaluate.readings import READERS
    from modalgen.evaluate.scoring import score as score_run
    from modalgen.evaluate.scoring import scores_record

    write_rows = _parquet_writer() if parquet else None  # what is missing is said before hours of work
    scored = {name: (each, list(score_run(each))) for name, each in read_runs(runs, moved).items()}
    console = Console()
    for run, (readings, cells) in scored.items():
        for cell in cells:
            console.print(Group(*_shown(run, cell)))
        for reader in READERS:
            for (model, condition), fits in logic_fits(readings, reader).items():
                console.print(
                    Text(f"{model} · {condition} · specification omitted, {reader} ({run})", "bold")
                )
                console.print(Group(*(part for fit in fits for part in _fitted(fit))))
    files = [(output, scored)] if output else [(Path(run, SCORES), {run: scored[run]}) for run in scored]
    for path, content in files:
        with writing(path):
            replace_file(path, json_line(scores_record(content)) + "\n")
        console.print(f"all scores, by family too: {path}", markup=False, highlight=False, soft_wrap=True)
    if parquet and write_rows:
        with writing(parquet):
            count = write_rows(parquet, {name: readings for name, (readings, _) in scored.items()})
        console.print(f"{count} rows: {parquet}", markup=False, highlight=False, soft_wrap=True)


def read_runs(runs: Sequence[Path], moved: Sequence[Path]) -> dict[str, Readings]:
    """Read runs back, by the names that the user gave them; what cannot be read ends the command."""
    from modalgen.evaluate.dataset import open_dataset
    from modalgen.evaluate.readings import read_readings
    from modalgen.evaluate.runs import RunError

    if len({run.resolve() for run in runs}) < len(runs):
        fail("a run is there twice")
    try:
        datasets = [open_dataset(place) for place in moved]
        return {str(directory): read_readings(directory, datasets) for directory in runs}
    except (RunError, DatasetError) as error:
        fail(str(error))


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """End with a message if the file cannot be written."""
    try:
        yield
    except OSError as error:
        fail(f"{path}: cannot be written: {error.strerror or error}", code=NO)


def _parquet_writer() -> Callable[[Path, Mapping[str, Readings]], int]:
    try:
        from modalgen.evaluate.rows import write_rows
    except ImportError:
        fail("--parquet needs pyarrow: pip install 'modalgen[report]'")
    return write_rows


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


def _fitted(fit: LogicFit) -> Iterator[RenderableType]:
    """Which logic the answers fit."""
    yield Text(
        f"{fit.axis} axis: of {fit.problems} problems {fit.kept} have an answer that is the same both ways "
        f"({fit.said_valid} of these: valid); {fit.inconsistent} inconsistent, {fit.unanswered} unanswered, "
        f"{fit.unlabelled} without a label in every logic"
    )
    table = _table("which logic do they fit?", "logic", "wrong", "error rate", "log-likelihood", "best", "")
    for place, group in enumerate(fit.groups):
        table.add_row(
            " = ".join(group.logics),
            f"{group.wrong} of {fit.kept}",
            _percent(group.error_rate),
            f"{group.log_likelihood:.1f}",
            _percent(group.best),
            "best fit" if place == 0 else "within the noise" if group.possible else "",
        )
    if fit.groups:
        yield table


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
