"""What is wrong with a contrast file, said to the person who wrote it.

A diagnostic has a place in the file, a sentence, what was expected instead and the name that was
probably meant. Nearness of names is the ratio of difflib (Ratcliff and Obershelp's gestalt matching).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from typing import Any

# Longer words are no slips of the pen, and matching them would cost quadratic time.
_LONGEST_NAME = 64


@dataclass(frozen=True)
class Diagnostic:
    """One thing to mend. `line` and `column` count from 1, columns in characters.

    `expected` says what may stand there, `suggestion` is the nearest name that exists. `severity`
    is "error" or "warning". `excerpt` is a line of text with a caret line below it, for places
    inside a text whose characters the file does not show one by one.
    """

    file: str
    line: int
    column: int
    message: str
    expected: str | None = None
    suggestion: str | None = None
    severity: str = "error"
    excerpt: str | None = None

    def __str__(self) -> str:
        text = f"{self.file}:{self.line}:{self.column}: "
        text += self.message if self.severity == "error" else f"{self.severity}: {self.message}"
        if self.expected is not None:
            text += f"; expected {self.expected}"
        if self.suggestion is not None:
            text += f"; did you mean '{self.suggestion}'?"
        if self.excerpt is not None:
            text += "".join(f"\n    {line}" for line in self.excerpt.split("\n"))
        return text

    def to_record(self) -> dict[str, Any]:
        """The diagnostic as a JSON object; what does not apply is null."""
        return asdict(self)


class SpecError(Exception):
    """A contrast file that cannot be used. `diagnostics` are all that was found, in file order."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = in_file_order(diagnostics)
        super().__init__("\n".join(map(str, self.diagnostics)))


def in_file_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The diagnostics by line and column, each once."""
    return tuple(sorted(set(diagnostics), key=lambda d: (d.line, d.column, d.message)))


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that *name* most resembles, None if it resembles none. Case does not matter."""
    spelled = {candidate.lower(): candidate for candidate in known}
    if len(name) > _LONGEST_NAME:
        return None
    matches = get_close_matches(name.lower(), spelled, n=1, cutoff=0.6)
    return spelled[matches[0]] if matches else None


def quoted(text: str) -> str:
    """The text between backquotes on one line, cut after 60 characters."""
    line = text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    return f"`{line}`" if len(line) <= 60 else f"`{line[:60]}…`"


def listed(names: Iterable[str], conjunction: str = "or") -> str:
    """The names in backquotes as a list in English: `a`, `b` or `c`."""
    items = [quoted(name) for name in names]
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {conjunction} {items[-1]}"
