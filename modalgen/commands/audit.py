"""`modalgen audit`: is every label right, and can none be had without logic?"""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.console import Console

from modalgen import render
from modalgen.commands.common import DATASET, NO, OK, fail
from modalgen.records import DatasetError


@click.command()
@click.argument("dataset", type=DATASET)
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the audit as JSON."
)
def audit(dataset: Path, output: Path | None) -> None:
    """Verify a dataset and measure what shortcuts get right on it (needs the extra `modalgen[audit]`).

    The exit code is 1 if something does not hold: a fault, a repeated problem, or a shortcut that
    beats chance where the two conditions of a pair exclude such a shortcut.
    """
    from modalgen.audit import audit as run_audit
    from modalgen.files import replace_file
    from modalgen.shortcuts import AuditExtraMissing

    try:
        found = run_audit(dataset)
    except (DatasetError, AuditExtraMissing) as error:
        fail(str(error))
    if output is not None:
        text = json.dumps(found.to_record(), ensure_ascii=False, indent=2, sort_keys=True) + "\n"
        try:
            replace_file(output, text)
        except OSError as error:
            fail(f"{output}: cannot be written: {error.strerror or error}", code=NO)
    Console().print(render.audit(found))
    raise SystemExit(NO if found.faults or found.repeated or found.leaks else OK)
