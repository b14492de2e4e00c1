"""What a run tells the person who waits for it: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from typing import Any, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from modalgen.evaluate.answers import Outcome
from modalgen.evaluate.runner import Event

SECONDS_BETWEEN_LINES = 30.0


def say(console: Console, sentence: str) -> None:
    """Print a sentence as it is, but for characters that a terminal would obey: servers' words are in
    it. These are shown as escapes."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in sentence)
    console.print(shown, markup=False, highlight=False, soft_wrap=True)


class RunProgress(AbstractContextManager["RunProgress"]):
    """Shows events of `modalgen.evaluate.runner.run`; call it with each one."""

    def __init__(self, console: Console, total: int, done: int) -> None:
        self._console = console
        self._total = total
        self._done = done
        self._errors = 0
        self._cost = 0.0
        self._said = time.monotonic()
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("asking", total=total, completed=done, note="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._bar.stop()

    def __call__(self, event: Event) -> None:
        """Show an event."""
        if event.waiting is not None:
            self._say(f"the server asks for fewer requests: waiting {event.waiting:.1f} s")
        if event.record is not None:
            self._count(event.record)

    def _count(self, record: dict[str, Any]) -> None:
        self._done += 1
        self._cost += record["cost"] or 0.0
        if record["reported"] in (Outcome.TRANSPORT_ERROR, Outcome.HTTP_ERROR):
            self._errors += 1
            self._say(f"{record['item']} ({record['model']}, {record['condition']}): {record['error']}")
        notes = [f"{self._errors} errors"] if self._errors else []
        notes += [f"${self._cost:.2f}"] if self._cost else []
        self._bar.update(self._task, completed=self._done, note=", ".join(notes))
        now = time.monotonic()
        if not self._console.is_terminal and (
            now - self._said >= SECONDS_BETWEEN_LINES or self._done == self._total
        ):
            self._said = now
            self._say(", ".join([f"{self._done} of {self._total} done", *notes]))

    def _say(self, sentence: str) -> None:
        say(self._console, sentence)
