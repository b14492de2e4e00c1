"""`modalgen browse`: a dataset's pairs as a page for the web browser."""

from __future__ import annotations

from pathlib import Path

import click

from modalgen.commands.common import DATASET, NEW_FILE, NO, fail
from modalgen.records import DatasetError


@click.command()
@click.argument("dataset", type=DATASET)
@click.option("-o", "--output", type=NEW_FILE, help="HTML file [DATASET's name.html].")
def browse(dataset: Path, output: Path | None) -> None:
    """Write a dataset's pairs to one self-contained HTML file, to filter and to look at, countermodels drawn.

    The file loads nothing from elsewhere. FILE#pair-ID is the link to a pair.
    """
    from modalgen.files import replace_file
    from modalgen.view.browse import browse as page_of

    try:
        page = page_of(dataset)
    except DatasetError as error:
        fail(str(error))
    path = output or Path(f"{dataset.resolve().name}.html")
    try:
        replace_file(path, page)
    except OSError as error:
        fail(f"{path}: cannot be written: {error.strerror or error}", code=NO)
    click.echo(f"the pairs of {dataset} are in {path}")
