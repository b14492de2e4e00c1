"""`modalgen show`: a dataset's pairs in the terminal."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from modalgen import render
from modalgen.commands.common import DATASET, fail
from modalgen.records import DatasetError, read_pairs


@click.command()
@click.argument("dataset", type=DATASET)
@click.argument("pair_id", required=False)
def show(dataset: Path, pair_id: str | None) -> None:
    """List a dataset's pairs, or show one pair with both sides (an unambiguous part of its id is enough)."""
    try:
        pairs = read_pairs(dataset)
    except DatasetError as error:
        fail(str(error))
    console = Console()
    if pair_id is None:
        console.print(render.pairs_table(pairs))
        return
    found = [p for p in pairs if p.pair_id == pair_id] or [p for p in pairs if pair_id in p.pair_id]
    if len(found) != 1:
        fail(f"{len(found) or 'no'} pairs of {dataset} have an id with {pair_id!r} in it")
    console.print(render.pair(found[0]))
