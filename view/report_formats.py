"""Tables of a report, and how each format writes them: for people, for a paper, for a program.

A cell is a text, a count, a number with its unit, or a rate with its interval. People read a rate as
"52.5% [41–63]"; a program gets its value, its bounds and its counts in columns of their own, not
rounded. A value that is not known is a dash for people and nothing for a program, never a zero.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from modalgen.evaluate.scoring import Score

UNKNOWN = "–"


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
    cells of a row say what the row is about."""

    name: str
    title: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    heads: int = 1

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"the table {self.name} has a row that does not fit its columns")


def is_number(cell: Cell) -> bool:
    """Whether the cell is to be set flush right."""
    return not isinstance(cell, str)


def shown(cell: Cell) -> str:
    """The cell as people read it."""
    match cell:
        case Counted(score):
            return f"{shown(score)}, n = {score.of:,}"
        case Score(interval=None):
            return shown(Share(cell.rate))
        case Score(interval=(low, high)):
            return f"{shown(Share(cell.rate))} [{100 * low:.0f}–{100 * high:.0f}]"
        case Share(None) | Number(None):
            return UNKNOWN
        case Share(float(value)):
            return f"{100 * value:.1f}%"
        case Number(float() | int() as value, shape):
            return format(value, shape)
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
    return re.sub(r"([\\`*_{}\[\]<>#|~&])", r"\\\1", _one_line(text))


def _one_line(text: str) -> str:
    return " ".join(text.split())


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
        name + part
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
            text = _one_line(cell)
            return [f"'{text}" if text[:1] in ("=", "+", "-", "@") else text]
        case _:
            return [cell]


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    '"': r"\textquotedbl{}",
    **{character: rf"\{character}" for character in "&%$#_{}"},
    **{
        symbol: rf"\ensuremath{{{command}}}"
        for symbol, command in {
            "□": r"\Box",
            "◇": r"\Diamond",
            "¬": r"\neg",
            "∧": r"\wedge",
            "∨": r"\vee",
            "→": r"\rightarrow",
            "↔": r"\leftrightarrow",
            "∀": r"\forall",
            "∃": r"\exists",
            "⊤": r"\top",
            "⊥": r"\bot",
            "⊢": r"\vdash",
            "⊨": r"\models",
            "⊭": r"\not\models",
            "×": r"\times",
            "≤": r"\leq",
            "·": r"\cdot",
            "−": "-",
        }.items()
    },
    "–": "--",
}


def latex(tables: Iterable[Table]) -> str:
    """The tables for a paper: table environments that need the packages booktabs and amssymb."""
    return "% needs \\usepackage{booktabs,amssymb}\n" + "\n".join(map(_latex, tables))


def _latex(table: Table) -> str:
    columns = "".join(
        "r" if table.rows and is_number(table.rows[0][place]) else "l" for place in range(len(table.columns))
    )
    body = [_latex_row(table.columns, _tex), r"\midrule", *(_latex_row(row, _tex_cell) for row in table.rows)]
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_tex(table.title)}. {_tex(table.caption)}}}",
        rf"\label{{tab:{table.name}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _latex_row(cells: Sequence[Any], write: Callable[[Any], str]) -> str:
    return " & ".join(map(write, cells)) + r" \\"


def _tex_cell(cell: Cell) -> str:
    return _tex(shown(cell))


def _tex(text: str) -> str:
    """The text with LaTeX's own characters escaped and logical symbols as commands, on one line."""
    return "".join(_SPECIAL.get(character, character) for character in _one_line(text))


WRITERS: dict[str, Callable[[Iterable[Table]], str]] = {
    "md": markdown,
    "csv": comma_separated,
    "latex": latex,
}
"""How each text format writes tables."""
