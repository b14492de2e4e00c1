"""`modalgen provers`: every known backend."""

from __future__ import annotations

import json

import click
from rich.console import Console

from modalgen import render
from modalgen.commands.common import say_what_is_missing


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Report as JSON.")
def provers(as_json: bool) -> None:
    """List every known backend: whether it is there, its version, what it decides, how to get it."""
    from modalgen.oracle.registry import backends

    found = backends()
    if as_json:
        click.echo(json.dumps([vars(b) for b in found], ensure_ascii=False, indent=2, sort_keys=True))
    else:
        Console().print(render.provers_table(found))
    say_what_is_missing(Console(stderr=True))
