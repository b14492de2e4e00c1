"""`modalgen show`: a dataset's pairs in the terminal, and their countermodels as files."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from modalgen import render
from modalgen.commands.common import DATASET, NEW_FILE, NO, fail
from modalgen.records import DatasetError, Pair, read_pairs


@click.command()
@click.argument("dataset", type=DATASET)
@click.argument("pair_id", metavar="[PAIR]", required=False)
@click.option("--svg", type=NEW_FILE, help="Write the pair's countermodel as a picture.")
@click.option("--dot", type=NEW_FILE, help="Write it in Graphviz's language DOT.")
def show(dataset: Path, pair_id: str | None, svg: Path | None, dot: Path | None) -> None:
    """List a dataset's pairs, or show one pair with both sides (an unambiguous part of its id is enough).

    The exit code is 1 if a countermodel is to be written and the pair has none.
    """
    if pair_id is None and (svg or dot):
        fail("--svg and --dot write the countermodel of one pair: say which")
    if svg and dot and svg.resolve() == dot.resolve():
        fail(f"--svg and --dot would both write {svg}: name two files")
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
    if svg or dot:
        _export(found[0], svg, dot)
    console.print(render.pair(found[0]))


def _export(pair: Pair, svg: Path | None, dot: Path | None) -> None:
    """Write the pair's countermodel; ends with a message if there is none, or it cannot be written."""
    from modalgen.files import replace_file
    from modalgen.view.dot import dot as to_dot
    from modalgen.view.svg import document

    # At most one: the labels of a pair are opposite.
    models = [side.countermodel for side in pair.sides.values() if side.countermodel is not None]
    if not models:
        fail(f"{pair.pair_id} has no countermodel: its invalid side rests on what provers said", code=NO)
    for path, text in ((svg, document(models[0])), (dot, to_dot(models[0]))):
        if path is None:
            continue
        try:
            replace_file(path, text)
        except OSError as error:
            fail(f"{path}: cannot be written: {error.strerror or error}", code=NO)
