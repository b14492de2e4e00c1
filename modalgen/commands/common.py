"""What the commands share: exit codes, argument types, messages."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NoReturn

import click
from rich.console import Console

# Exit codes. NO is any command's "the answer is no"; UNRESOLVED is one of `check`. What ends a command
# before it could say its answer must be none of these: a closed pipe (128 + SIGPIPE), an output that
# cannot be written (EX_IOERR of sysexits.h), an interrupt (128 + SIGINT).
OK, NO, USAGE, UNRESOLVED = 0, 1, 2, 3
BROKEN_PIPE, NO_OUTPUT, INTERRUPTED = 141, 74, 130


class _Output(click.Path):
    """A path to write to. An empty one is refused: it would be taken for the current directory."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not os.fspath(value):
            self.fail("the path is empty", param, ctx)
        return super().convert(value, param, ctx)


EXISTING_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
NEW_FILE = _Output(dir_okay=False, path_type=Path)
NEW_DIRECTORY = _Output(file_okay=False, path_type=Path)
DATASET = click.Path(exists=True, file_okay=False, path_type=Path)


def fail(*messages: str, code: int = USAGE) -> NoReturn:
    """Say what is wrong, on standard error, and end with the exit code."""
    from modalgen.printing import printable

    for message in ("\n".join(map(printable, message.splitlines())) for message in messages):
        click.echo(f"modalgen: {message}", err=True)
    raise SystemExit(code)


def say_what_is_missing(console: Console) -> None:
    """One plain sentence where an optional prover is not installed."""
    from modalgen.oracle.registry import PRIMARY, installed

    for decider in {d.name: d for d in PRIMARY}.keys() - {d.name for d in installed(PRIMARY)}:
        console.print(
            f"{decider} is not installed, so some labels have one decider only: see `modalgen provers`."
        )
