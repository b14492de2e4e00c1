"""The console script. Each command has a module in `modalgen.commands`.

Exit codes: 0 all is well; 1 the command ran and the answer is no (for `check`: invalid); 2 the
input or the usage is wrong; 3 (`check` only) unresolved. Solvers are imported only by the commands
that run them.
"""

from __future__ import annotations

import sys
from typing import NoReturn

import click

from modalgen.commands.audit import audit
from modalgen.commands.build import build
from modalgen.commands.certify import certify
from modalgen.commands.check import check
from modalgen.commands.eval import evaluate
from modalgen.commands.provers import provers
from modalgen.commands.show import show
from modalgen.commands.validate import validate
from modalgen.commands.verify import verify


def main() -> NoReturn:
    """The console script."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # a terminal that cannot show □ shows ? instead of a traceback
            reconfigure(errors="replace")
    cli.main(prog_name="modalgen")
    raise SystemExit(0)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="modalgen")
def cli() -> None:
    """Contrast pairs for modal logic: one problem, two semantics, opposite labels that are proved."""


for command in (validate, build, certify, check, show, verify, audit, provers, evaluate):
    cli.add_command(command)
