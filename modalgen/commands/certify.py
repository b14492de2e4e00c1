"""`modalgen certify`: authoritative evidence for an existing dataset."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from modalgen.commands.common import DATASET, NO, OK, fail

if TYPE_CHECKING:
    from collections.abc import Sequence

    from modalgen.certify import Certification
    from modalgen.oracle.verdict import Decider

# So many sides, errors and the like are named; the rest is counted.
_NAMED = 20


@click.command()
@click.argument("dataset", type=DATASET)
@click.option(
    "--with",
    "tools",
    required=True,
    help="Comma-separated tools: let, vampire, leo3. With let, the others judge LET's translation "
    "(authority let), without it ours.",
)
@click.option("--jobs", type=click.IntRange(1, 256), default=os.cpu_count() or 1, show_default=True)
@click.option(
    "--limit-seconds", type=click.FloatRange(1), default=10.0, show_default=True, help="For each run."
)
@click.option(
    "--require-authority", type=click.Choice(["let"]), help="Exit with 1 if a side has another authority."
)
def certify(
    dataset: Path, tools: str, jobs: int, limit_seconds: float, require_authority: str | None
) -> None:
    """Add what external provers say to a dataset's evidence, and settle its labels anew.

    Exit code 1: a finding contradicts a label (the pair is moved to the rejected candidates), a run
    ended in an error, a tool fails the canaries, or a side lacks the authority required.
    """
    from modalgen.certify import certify as run_certify
    from modalgen.certify import write_certified
    from modalgen.oracle.judge import Oracle
    from modalgen.oracle.store import EvidenceStore, default_path
    from modalgen.oracle.verdict import Limits
    from modalgen.records import DatasetError

    deciders = usable(tools.replace(",", " ").split())
    console = Console(stderr=True)

    def say(sentence: str) -> None:
        console.print(sentence, markup=False, highlight=False, soft_wrap=True)

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    try:
        with (
            EvidenceStore(default_path(), say) as store,
            Oracle(Limits(wall_seconds=limit_seconds), store, extra=deciders) as oracle,
            Progress(*columns, console=console) as bar,
        ):
            line = bar.add_task("runs", total=None)
            result = run_certify(
                dataset,
                deciders,
                oracle,
                jobs=jobs,
                report=lambda done, of: bar.update(line, completed=done, total=of),
            )
        write_certified(dataset, result, deciders)
    except DatasetError as error:
        fail(str(error))
    except OSError as error:
        fail(f"{dataset}: cannot be written, and is as it was: {error.strerror or error}", code=NO)
    raise SystemExit(_report(result, require_authority, console))


def usable(tools: Sequence[str]) -> tuple[Decider, ...]:
    """The deciders that the tools make, each tried out. Ends with a message if one cannot be used."""
    from modalgen.gen.diagnostics import nearest
    from modalgen.oracle.canaries import CANARY_LIMITS, faults, try_out
    from modalgen.oracle.registry import deciders_with
    from modalgen.oracle.tools import TOOLS, find
    from modalgen.oracle.verdict import DeciderMissing

    for name in tools:
        if name not in TOOLS:
            meant = nearest(name, TOOLS)
            hint = f"did you mean {meant!r}?" if meant else f"known are {', '.join(TOOLS)}"
            fail(f"unknown tool {name!r}; {hint}")
    deciders = deciders_with(tools)
    if not deciders:
        fail("LET translates and decides nothing: name vampire or leo3 too")
    try:
        for name in tools:
            find(name)
        trusts = [
            try_out(decider, lambda d, problem: d.decide(problem, CANARY_LIMITS)) for decider in deciders
        ]
    except DeciderMissing as error:
        fail(str(error))
    if found := faults(trusts):
        fail(*found, code=NO)
    return deciders


def authoritative() -> tuple[Decider, ...]:
    """The decider that gives labels the authority let: Vampire, or Leo-III where there is no Vampire."""
    from modalgen.oracle.tools import path_of

    return usable(["let", "leo3" if path_of("vampire") is None and path_of("leo3") else "vampire"])


def _report(result: Certification, require_authority: str | None, console: Console) -> int:
    """Say what came of it; the exit code."""
    sides = 2 * len(result.pairs)
    lacking = result.lacking("let")
    decisive = sum(record["decisive"] for record in result.added)
    console.print(
        f"{len(result.added)} runs added, {decisive} of them decisive; "
        f"{sides - len(lacking)} of {sides} sides have the authority let",
        highlight=False,
    )
    for conflict in result.conflicts:
        console.print(f"[bold red]CONFLICT[/] on side {conflict.side} of {conflict.pair_id}:", end=" ")
        console.print(conflict.detail, "(the pair is rejected)", markup=False, highlight=False)
    _list("ERROR", [f"side {e.side} of {e.pair_id}: {e.detail}" for e in result.errors], console)
    missed = lacking if require_authority else []
    _list("NO AUTHORITY", [f"side {side} of {pair_id}" for pair_id, side in missed], console)
    return NO if result.conflicts or result.errors or missed else OK


def _list(head: str, lines: list[str], console: Console) -> None:
    for line in lines[:_NAMED]:
        console.print(f"[bold red]{head}[/]", end=" ")
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    if len(lines) > _NAMED:
        console.print(f"… and {len(lines) - _NAMED} more", highlight=False)
