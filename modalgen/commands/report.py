"""`modalgen report`: what runs are worth, as a page, as tables for a paper, as figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from modalgen.commands.common import EXISTING_FILE, NEW_DIRECTORY, NEW_FILE, fail
from modalgen.commands.score import MOVED, RUNS, read_runs, writing
from modalgen.records import DatasetError

if TYPE_CHECKING:
    from modalgen.view.report_data import Findings

PAGE = "report.html"


@click.command()
@RUNS
@MOVED
@click.option("-o", "--output", type=NEW_FILE, help=f"Where to write [{PAGE}; tables: standard output].")
@click.option(
    "--format",
    "form",
    type=click.Choice(["html", "md", "csv", "latex"]),
    default="html",
    show_default=True,
    help="A page, or the tables alone.",
)
@click.option("--table", "names", multiple=True, help="With md, csv, latex: this table; may be repeated.")
@click.option(
    "--reader",
    type=click.Choice(["strict", "lenient"]),
    default="strict",
    show_default=True,
    help="Who reads the answers: only the word that was asked for, or decorated ones too.",
)
@click.option(
    "--browse",
    "pages",
    multiple=True,
    type=EXISTING_FILE,
    help="A page of `modalgen browse`, to link missed pairs to; may be repeated.",
)
@click.option(
    "--figures",
    type=NEW_DIRECTORY,
    help="Write figures here, as SVG and PDF (extra modalgen[report]).",
)
def report(
    runs: tuple[Path, ...],
    moved: tuple[Path, ...],
    output: Path | None,
    form: str,
    names: tuple[str, ...],
    reader: str,
    pages: tuple[Path, ...],
    figures: Path | None,
) -> None:
    """Report on runs: one self-contained HTML file with tables, charts and the pairs that all models miss.

    The file loads nothing from elsewhere. With --format the tables are written for a paper or a program.
    """
    from modalgen.evaluate.runs import RunError
    from modalgen.view.report_data import findings
    from modalgen.view.report_formats import comma_separated, markdown
    from modalgen.view.report_latex import latex
    from modalgen.view.report_tables import tables

    if form == "html" and names:
        fail("--table goes with --format md, csv or latex")
    if form != "html" and pages:
        fail("--browse goes with the page, not with --format md, csv or latex")
    write_figures = _figure_writer() if figures else None  # what is missing is said before hours of work
    found = findings(read_runs(runs, moved), reader)
    try:
        if form == "html":
            path = output or Path(PAGE)
            _write(path, _page(found, pages, path))
            click.echo(f"the report is in {path}")
        else:
            made = tables(found)
            if unknown := [name for name in names if name not in {table.name for table in made}]:
                fail(f"there is no table {unknown[0]!r}; there are {', '.join(t.name for t in made)}")
            write = {"md": markdown, "csv": comma_separated, "latex": latex}[form]
            text = write([table for table in made if not names or table.name in names])
            if output:
                _write(output, text)
            else:
                click.echo(text, nl=False)
    except (RunError, DatasetError) as error:
        fail(str(error))
    if figures and write_figures:
        with writing(figures):
            written = write_figures(figures, found)
        click.echo(f"{len(written)} figures are in {figures}", err=True)


def _page(found: Findings, pages: tuple[Path, ...], target: Path) -> str:
    from modalgen.view.report import browse_links
    from modalgen.view.report import report as page_of

    try:
        links = browse_links(found, pages, target)
    except (OSError, UnicodeDecodeError) as error:
        fail(f"a page of --browse cannot be read: {error}")
    if pages and found.missed and not links:
        click.echo("modalgen: the pages of --browse show none of the missed pairs", err=True)
    return page_of(found, links)


def _write(path: Path, text: str) -> None:
    from modalgen.files import replaced_file

    # A lone surrogate, which a model's response may hold and UTF-8 cannot, becomes a question mark.
    with writing(path), replaced_file(path) as stream:
        stream.write(text.encode("utf-8", "replace"))


def _figure_writer() -> Callable[[Path, Findings], list[Path]]:
    try:
        from modalgen.view.figures import write_figures
    except ImportError:
        fail("--figures needs Matplotlib: pip install 'modalgen[report]'")
    return write_figures
