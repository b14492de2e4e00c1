"""The page of `modalgen report`: what runs are worth, in one self-contained file.

Every number of a chart also stands in a table; `modalgen.view.report_tables` makes the tables, and
`modalgen.view.report_formats` writes them for papers and programs.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from markupsafe import escape

from modalgen.evaluate.intervals import LEVEL, RESAMPLES, SEED
from modalgen.view import report_tables
from modalgen.view.page import fragment_of, render
from modalgen.view.report_charts import curves, independence
from modalgen.view.report_data import Findings, Key
from modalgen.view.report_formats import Counted, bounds, fitted, is_number, percent, shown
from modalgen.view.report_missed import SHOWN, views


def report(findings: Findings, links: Mapping[Key, str]) -> str:
    """The page. *links* are addresses of missed pairs' own views, by their keys, from `browse_links`.

    Raises DatasetError and RunError as reading does, and ValueError if a countermodel does not hold.
    """
    made = {table.name: table for table in report_tables.tables(findings)}
    return render(
        "report.html.j2",
        title="Evaluation report",
        findings=findings,
        datasets=sorted({readings.dataset for readings in findings.runs.values()}),
        tables=made,
        independence=independence(findings),
        curves={report_tables.CURVES[name]: curves(findings, name) for name in report_tables.CURVES},
        difficulty_tables={
            report_tables.CURVES[name]: made[name.replace("_", "-")] for name in report_tables.CURVES
        },
        missed=views(findings),
        most_missed=SHOWN,
        links=links,
        method={"level": LEVEL, "resamples": RESAMPLES, "seed": SEED},
        shown=shown,
        is_number=is_number,
        fitted=fitted,
        percent=percent,
        bounds=bounds,
        is_counted=lambda cell: isinstance(cell, Counted),
    )


def browse_links(findings: Findings, pages: Sequence[Path], target: Path) -> dict[Key, str]:
    """Where the missed pairs are shown in pages of `modalgen browse`, as addresses from the report at
    *target*, by their keys. A page of another dataset may have other pairs by the same ids, and is passed
    over. Raises OSError and UnicodeDecodeError if a page cannot be read."""
    found: dict[Key, str] = {}
    for page in pages:
        text = page.read_text(encoding="utf-8")
        way = quote(Path(os.path.relpath(page.resolve(), target.resolve().parent)).as_posix())
        shown_here = {
            name for name in findings.datasets if f'name="modalgen-dataset" content="{name}"' in text
        }
        for missed in findings.missed:
            pair_id = missed.pair.pair_id
            if shown_here.intersection(missed.datasets) and f'id="pair-{escape(pair_id)}"' in text:
                found.setdefault(missed.key, f"{way}#{fragment_of(pair_id)}")
    return found
