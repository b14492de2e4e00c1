"""`modalgen verify`: check a dataset from its files alone."""

from __future__ import annotations

from pathlib import Path

import click

from modalgen.commands.common import DATASET, NO, OK, fail
from modalgen.records import DatasetError, read_pairs


@click.command()
@click.argument("dataset", type=DATASET)
def verify(dataset: Path) -> None:
    """Check a dataset's labels, evidence, hashes, countermodels and certificates from its files alone."""
    from modalgen.verify import proofs
    from modalgen.verify import verify as run_verify

    try:
        faults = run_verify(dataset)
        pairs = read_pairs(dataset) if not faults else []
    except DatasetError as error:
        fail(str(error))
    for fault in faults:
        click.echo(f"{fault.where}: {fault.what}", err=True)
    click.echo(f"{len(faults)} faults" if faults else f"{len(pairs)} pairs hold")
    for proof, sides in sorted(proofs(pairs).items()):
        click.echo(f"{sides} sides by {proof}")
    raise SystemExit(NO if faults else OK)
