"""`modalgen validate`: check contrast specs."""

from __future__ import annotations

import json
from pathlib import Path

import click

from modalgen.commands.common import EXISTING_FILE, USAGE


@click.command()
@click.argument("specs", nargs=-1, required=True, type=EXISTING_FILE)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to report.")
def validate(specs: tuple[Path, ...], form: str) -> None:
    """Check contrasts and sets of contrasts (YAML) and report every error with its place."""
    from modalgen.gen.spec_set import check

    found = [check(path) for path in specs]
    diagnostics = [diagnostic for of_file in found for diagnostic in of_file]
    faulty = [of_file for of_file in found if any(d.severity == "error" for d in of_file)]
    if form == "json":
        click.echo(json.dumps([d.to_record() for d in diagnostics], ensure_ascii=False, indent=2))
    else:
        for diagnostic in diagnostics:
            click.echo(str(diagnostic), err=True)
        click.echo(f"{len(specs) - len(faulty)} of {len(specs)} specs are well-formed")
    raise SystemExit(USAGE if faulty else 0)
