"""`modalgen compare`: do two runs, or the conditions of one, differ?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from modalgen.commands.common import fail
from modalgen.commands.score import MOVED, RUN, read_runs

if TYPE_CHECKING:
    from modalgen.evaluate.comparison import Comparison
    from modalgen.evaluate.readings import Cell


@click.command()
@click.argument("run_a", type=RUN)
@click.argument("run_b", type=RUN)
@MOVED
def compare(run_a: Path, run_b: Path, moved: tuple[Path, ...]) -> None:
    """Compare two runs over the same dataset, pair by pair.

    Give a run twice to compare its models and conditions with each other. A pair is right if both its
    sides are.
    """
    from modalgen.evaluate.comparison import common_pairs
    from modalgen.evaluate.comparison import compare as compare_runs
    from modalgen.evaluate.readings import READERS
    from modalgen.evaluate.runs import RunError

    console = Console()
    runs = (run_a,) if run_a.resolve() == run_b.resolve() else (run_a, run_b)
    found = tuple(read_runs(runs, moved).values())
    first, second = found[0], found[-1]
    try:
        for readings in (first, second):
            if left := len(readings.pairs) - len(common_pairs(first, second)):
                click.echo(f"{readings.directory}: {left} pairs that the other run leaves out do not count")
        for reader in READERS:
            console.print(_table(reader, compare_runs(first, second, reader)))
    except RunError as error:
        fail(str(error))


def _table(reader: str, comparisons: list[Comparison]) -> Table:
    table = Table(title=f"pairs right, {reader}", box=box.SIMPLE_HEAD, pad_edge=False, title_justify="left")
    columns = ("A", "B", "pairs", "both", "only A", "only B", "A − B", "95 %", "p", "p (Holm)")
    for column in columns:
        table.add_column(column, overflow="fold")
    for c in comparisons:
        interval = "–" if c.interval is None else f"{100 * c.interval[0]:+.1f} – {100 * c.interval[1]:+.1f}"
        table.add_row(
            _name(c.first),
            _name(c.second),
            *map(str, (c.pairs, c.both, c.only_first, c.only_second)),
            f"{100 * c.difference:+.1f}",
            interval,
            f"{c.p_value:.3g}",
            f"{c.adjusted:.3g}",
        )
    return table


def _name(cell: Cell) -> Text:
    return Text(f"{cell.model} · {cell.condition} · {cell.polarity}")
