"""`modalgen compare`: do two runs, or the conditions of one, differ?"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich import box
from rich.console import Console
from rich.table import Table

from modalgen.commands.common import NEW_FILE, fail
from modalgen.commands.score import MOVED, RUN, read_runs, writing
from modalgen.files import json_line, replace_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from modalgen.evaluate.comparison import Comparison
    from modalgen.evaluate.readings import Cell


@click.command()
@click.argument("run_a", type=RUN)
@click.argument("run_b", type=RUN)
@MOVED
@click.option("-o", "--output", type=NEW_FILE, help="Write the comparisons, as JSON, here too.")
def compare(run_a: Path, run_b: Path, moved: tuple[Path, ...], output: Path | None) -> None:
    """Compare two runs over the same dataset, pair by pair.

    Give a run twice to compare its models and conditions with each other. A pair is right if both its
    sides are.
    """
    from modalgen.evaluate.comparison import common_pairs, comparison_record
    from modalgen.evaluate.comparison import compare as compare_runs
    from modalgen.evaluate.readings import READERS
    from modalgen.evaluate.runs import RunError

    console = Console()
    runs = (run_a,) if run_a.resolve() == run_b.resolve() else (run_a, run_b)
    read = read_runs(runs, moved)
    first, second = (list(read.values())[place] for place in (0, -1))
    try:
        for readings in (first, second):
            if left := len(readings.pairs) - len(common_pairs(first, second)):
                click.echo(f"{readings.directory}: {left} pairs that the other run leaves out do not count")
        found = {reader: compare_runs(first, second, reader) for reader in READERS}
    except RunError as error:
        fail(str(error))
    count = itertools.count(1)
    numbers = [{cell: next(count) for cell in readings.cells} for readings in read.values()]
    for name, cells in zip(read, numbers, strict=True):
        for cell, number in cells.items():
            click.echo(f"{number:3}: {cell.model} · {cell.condition} · {cell.polarity} ({name})")
    for reader, comparisons in found.items():
        table = _table(reader, comparisons, numbers[0], numbers[-1])
        whole = console.measure(table, options=console.options.update(max_width=1000)).maximum
        console.width = max(console.width, whole)  # or figures would be cut
        console.print(table)
    if output:
        with writing(output):
            replace_file(output, json_line(comparison_record(list(read), first.dataset, found)) + "\n")
        click.echo(f"all comparisons: {output}")


def _table(
    reader: str, comparisons: list[Comparison], first: Mapping[Cell, int], second: Mapping[Cell, int]
) -> Table:
    """The comparisons, their cells by number: so it fits into 80 columns, whatever models are called,
    and no figure is ever broken into two."""
    table = Table(
        title=f"pairs right, {reader}",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
        title_justify="left",
    )
    columns = ("A", "B", "pairs", "both", "only A", "only B", "A − B", "95 %", "p", "p (Holm)")
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for c in comparisons:
        interval = "–" if c.interval is None else f"{100 * c.interval[0]:+.1f} – {100 * c.interval[1]:+.1f}"
        table.add_row(
            str(first[c.first]),
            str(second[c.second]),
            *map(str, (c.pairs, c.both, c.only_first, c.only_second)),
            f"{100 * c.difference:+.1f}",
            interval,
            f"{c.p_value:.3g}",
            f"{c.adjusted:.3g}",
        )
    return table
