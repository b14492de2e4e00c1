"""Tables of a report, and how each format writes them: for people, for a paper, for a program.

A cell is a text, a count, a number with its unit, or a rate with its interval. People read a rate as
"52.5% [41–63]"; a program gets its value, its bounds and its counts in columns of their own, not
rounded. A value that is not known is a dash for people and nothing for a program, never a zero.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import TypeVar

from modalgen.evaluate.scoring import Score
from modalgen.printing import printable

UNKNOWN = "–"
T = TypeVar("T")


@dataclass(frozen=True)
class Share:
    """A rate without an interval, None if it is not known."""

    value: float | None


@dataclass(frozen=True)
class Number:
    """A number, shown in a format (of `format`), None if it is not known."""

    value: float | None
    shape: str = ",.0f"


@dataclass(frozen=True)
class Counted:
    """A rate that is shown with the number of its cases."""

    score: Score


Cell = str | int | Share | Number | Score | Counted


@dataclass(frozen=True)
class Table:
    """A table with a name for files and links, and a caption that says what it counts. The first `heads`
    cells of a row say what the row is about. All other columns of a table with `across` are of one kind,
    which that names: it may be turned, and taken apart."""

    name: str
    title: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    heads: int = 1
    across: str = ""

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"the table {self.name} has a row that does not fit its columns")


MOST_COLUMNS = 6
"""So many cells with a rate, its interval and n stand next to each other on a page of paper."""


def fitted(table: Table) -> list[Table]:
    """The table so that it fits on paper: one that may be turned is if it then has to be taken apart less,
    and no part has more than `MOST_COLUMNS` columns of its kind. What is no such table is as it was."""
    if not table.across or not table.rows:
        return [table]
    turned, whole = len(table.rows), len(table.columns) - table.heads
    if -(-turned // MOST_COLUMNS) < -(-whole // MOST_COLUMNS):
        table = _turned(table)
    heads = tuple(range(table.heads))
    kept = [heads + places for places in batched(range(table.heads, len(table.columns)), MOST_COLUMNS)]
    return _numbered(
        [
            replace(
                table,
                columns=tuple(table.columns[place] for place in places),
                rows=tuple(tuple(row[place] for place in places) for row in table.rows),
            )
            for places in kept or [heads]
        ]
    )


def shortened(table: Table, most: int) -> list[Table]:
    """The table taken apart so that no part has more than so many rows."""
    return _numbered([replace(table, rows=rows) for rows in batched(table.rows, most) or [()]])


def batched(items: Sequence[T], most: int) -> list[tuple[T, ...]]:
    """The items in order, so many at a time."""
    return [tuple(items[start : start + most]) for start in range(0, len(items), most)]


def _numbered(parts: Sequence[Table]) -> list[Table]:
    """The parts of a table with names and titles of their own, if there are several."""
    if len(parts) == 1:
        return list(parts)
    return [
        replace(part, name=f"{part.name}-{number}", title=f"{part.title} ({number} of {len(parts)})")
        for number, part in enumerate(parts, start=1)
    ]


def _turned(table: Table) -> Table:
    """The table with a row for each column of its kind."""
    names = [" ".join(shown(cell) for cell in row[: table.heads]) for row in table.rows]
    rows = (
        (table.columns[place], *(row[place] for row in table.rows))
        for place in range(table.heads, len(table.columns))
    )
    return replace(table, columns=(table.across, *names), rows=tuple(rows), heads=1)


def percent(rate: float | Score | None, digits: int = 0) -> str:
    """A rate in percent, halves rounded up; a score's is worked out from its counts. A dash for None."""
    match rate:
        case Score(count=count, of=of) if of:
            unit = 10**digits
            return format(Decimal((200 * count * unit + of) // (2 * of)) / unit, f".{digits}f") + "%"
        case float() | int():
            return rounded(100 * Decimal(repr(rate)), f".{digits}f") + "%"
        case _:
            return UNKNOWN


def bounds(interval: tuple[float, float]) -> str:
    """An interval in percent: `[41–63]`."""
    low, high = (percent(bound).removesuffix("%") for bound in interval)
    return f"[{low}–{high}]"


def rounded(value: float | Decimal, shape: str) -> str:
    """The number in a format (of `format`) with a fixed number of digits, halves rounded up as one does
    by hand; in another format as Python has it."""
    if not shape.endswith("f"):
        return format(value, shape)
    with localcontext(rounding=ROUND_HALF_UP):
        return format(Decimal(str(value)), shape)


def is_number(cell: Cell) -> bool:
    """Whether the cell is to be set flush right."""
    return not isinstance(cell, str)


def shown(cell: Cell) -> str:
    """The cell as people read it."""
    match cell:
        case Counted(score):
            return f"{shown(score)}, n = {score.of:,}"
        case Score(interval=None):
            return percent(cell, 1)
        case Score(interval=(low, high)):
            return f"{percent(cell, 1)} {bounds((low, high))}"
        case Share(value):
            return percent(value, 1)
        case Number(None):
            return UNKNOWN
        case Number(float() | int() as value, shape):
            return rounded(value, shape)
        case int():
            return f"{cell:,}"
        case _:
            return str(cell)


def markdown(tables: Iterable[Table]) -> str:
    """The tables in GitHub's Markdown."""
    return "\n".join(f"## {_escaped(t.title)}\n\n{_escaped(t.caption)}\n\n{_markdown(t)}" for t in tables)


def _markdown(table: Table) -> str:
    if not table.rows:
        return "None.\n"
    aligned = ["---:" if is_number(cell) else "---" for cell in table.rows[0]]
    lines = [list(table.columns), aligned, *([shown(cell) for cell in row] for row in table.rows)]
    cells = ([text if line is aligned else _escaped(text) for text in line] for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def _escaped(text: str) -> str:
    """The text with what Markdown (or HTML in it) would take for its own escaped, on one line."""
    return re.sub(r"([\\`*_{}\[\]<>#|~&])", r"\\\1", one_line(text))


def one_line(text: str) -> str:
    """The text on one line, without characters that cannot be seen."""
    return " ".join(filter(None, (printable(word, "") for word in text.split())))


def comma_separated(tables: Iterable[Table]) -> str:
    """The tables as CSV (RFC 4180, but for line ends); if there are several, each below its name and
    apart by an empty line. A text that a spreadsheet would take for a formula is led in by an apostrophe."""
    parts = list(tables)
    texts = (_csv(table) for table in parts)
    if len(parts) == 1:
        return "".join(texts)
    return "\n".join(f"# {table.name}\n{text}" for table, text in zip(parts, texts, strict=True))


_SCORE_PARTS = ("", " low", " high", " count", " of")


def _csv(table: Table) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    scores = [
        any(isinstance(row[place], (Score, Counted)) for row in table.rows)
        for place in range(len(table.columns))
    ]
    writer.writerow(
        _no_formula(name) + part
        for name, is_score in zip(table.columns, scores, strict=True)
        for part in (_SCORE_PARTS if is_score else ("",))
    )
    for row in table.rows:
        parts: list[str | float | None] = []
        for cell, is_score in zip(row, scores, strict=True):
            values = _values(cell)
            parts += values + [None] * (len(_SCORE_PARTS) - len(values) if is_score else 0)
        writer.writerow(parts)
    return stream.getvalue()


def _values(cell: Cell) -> list[str | float | None]:
    """What a program gets."""
    match cell:
        case Counted(score):
            return _values(score)
        case Score():
            return [cell.rate, *(cell.interval or (None, None)), cell.count, cell.of]
        case Share(value) | Number(value):
            return [value]
        case str():
            return [_no_formula(cell)]
        case _:
            return [cell]


def _no_formula(text: str) -> str:
    line = one_line(text)
    return f"'{line}" if line.startswith(("=", "+", "-", "@")) else line
