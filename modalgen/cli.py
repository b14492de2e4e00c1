"""The console script. Each command has a module in `modalgen.commands`.

Exit codes: 0 all is well; 1 the command ran and the answer is no (for `check`: invalid); 2 the
input or the usage is wrong; 3 (`check` only) unresolved; 74, 130, 141 the output could not be
written, an interrupt, a closed pipe. Solvers are imported only by the commands
that run them.
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import click
from rich.console import Console

from modalgen.commands.audit import audit
from modalgen.commands.browse import browse
from modalgen.commands.build import build
from modalgen.commands.certify import certify
from modalgen.commands.check import check
from modalgen.commands.common import BROKEN_PIPE, INTERRUPTED, NO_OUTPUT, OK
from modalgen.commands.compare import compare
from modalgen.commands.eval import evaluate
from modalgen.commands.provers import provers
from modalgen.commands.report import report
from modalgen.commands.score import score
from modalgen.commands.show import show
from modalgen.commands.validate import validate
from modalgen.commands.verify import verify


def main() -> NoReturn:
    """The console script."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # a terminal that cannot show □ shows ? instead of a traceback
            reconfigure(errors="replace")
    # Rich would end with 1 when a pipe is closed, which means "invalid" to whoever asked `check`.
    Console.on_broken_pipe = _broken_pipe  # type: ignore[method-assign, assignment]
    try:
        code = _run()
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        code = BROKEN_PIPE
        _discard_output()
    except OSError as error:  # commands handle those of their own files
        code = NO_OUTPUT
        _discard_output()
        click.echo(f"modalgen: the output cannot be written: {error.strerror or error}", err=True)
    raise SystemExit(code)


def _run() -> int:
    """Run the command line; its exit code. Raises OSError if standard output cannot be written."""
    try:
        # Not cli.main(): it too would end with 1 when a pipe is closed.
        with cli.make_context("modalgen", sys.argv[1:]) as context:
            cli.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Aborted!", err=True)
        return INTERRUPTED
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else OK
    return OK


def _broken_pipe(console: Console) -> None:
    raise BrokenPipeError


def _discard_output() -> None:
    """Let what is still in the buffer go nowhere, or Python would fail at it once more at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="modalgen")
def cli() -> None:
    """Contrast pairs for modal logic: one problem, two semantics, opposite labels that are proved."""


for command in (
    validate,
    build,
    certify,
    check,
    show,
    browse,
    verify,
    audit,
    provers,
    evaluate,
    score,
    compare,
    report,
):
    cli.add_command(command)
