"""`modalgen provers`: every known backend, and what it can be trusted with."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from modalgen import render
from modalgen.commands.common import NO, OK, say_what_is_missing

if TYPE_CHECKING:
    from modalgen.oracle.canaries import Trust


@click.command()
@click.option("--check", "try_them", is_flag=True, help="Put problems with known answers to each.")
@click.option("--json", "as_json", is_flag=True, help="Report as JSON.")
def provers(try_them: bool, as_json: bool) -> None:
    """List every known backend: whether it is there, its version, what it decides, how to get it.

    With --check, each installed one has to judge two valid and two invalid problems first; the exit
    code is 1 if one of them answers wrongly or not at all.
    """
    from modalgen.oracle.registry import EXTERNAL, backends, installed

    found = backends()
    trusts = _trusts() if try_them else []
    if as_json:
        records = [vars(b) for b in found]
        report = records if not try_them else {"backends": records, "trust": [_record(t) for t in trusts]}
        click.echo(json.dumps(report, ensure_ascii=False, indent=2, sort_keys=True))
    else:
        Console().print(render.provers_table(found))
        if try_them:
            Console().print(_trust_table(trusts))
    console = Console(stderr=True)
    say_what_is_missing(console)
    if not installed(EXTERNAL):
        console.print(
            "None of LET, Vampire and Leo-III can be used here, so labels rest on the embedded provers "
            'alone (authority "embedded").',
            soft_wrap=True,
        )
    raise SystemExit(NO if any(trust.fault for trust in trusts) else OK)


def _trusts() -> list[Trust]:
    """Every installed decider's trials."""
    from modalgen.oracle.canaries import CANARY_LIMITS, try_out
    from modalgen.oracle.judge import Oracle
    from modalgen.oracle.registry import EXTERNAL, PRIMARY, SECONDARY, installed

    with Oracle(CANARY_LIMITS) as oracle:
        return [try_out(decider, oracle.run) for decider in installed((*PRIMARY, *SECONDARY, *EXTERNAL))]


def _trust_table(trusts: list[Trust]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("decider", "route", "proves", "refutes", "ms", "trusted with"):
        table.add_column(column, justify="right" if column == "ms" else "left", overflow="fold")
    for trust in trusts:
        verdict = trust.trials[0].verdict
        good, bad = Text(trust.trusted_with, "green"), Text(f"NOTHING: {trust.fault}", "bold red")
        table.add_row(
            trust.decider,
            verdict.route,
            trust.score(valid=True),
            trust.score(valid=False),
            f"{1000 * sum(t.verdict.seconds for t in trust.trials) / len(trust.trials):.0f}",
            bad if trust.fault else good,
        )
    return table


def _record(trust: Trust) -> dict[str, object]:
    return {
        "decider": trust.decider,
        "trusted_with": trust.trusted_with,
        "fault": trust.fault,
        "trials": [
            {
                "problem": trial.canary.name,
                "valid": trial.canary.valid,
                "status": trial.verdict.status,
                "seconds": round(trial.verdict.seconds, 6),
                "note": trial.verdict.note,
            }
            for trial in trust.trials
        ],
    }
