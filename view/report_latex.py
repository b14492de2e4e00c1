r"""Tables of a report as LaTeX, to be pasted into a paper.

They are set in \footnotesize; a head takes several lines rather than make its column wider, and a table
that still is too wide is scaled down to the width of the line. Everything needed is in the packages that
the first line names, in the fonts that LaTeX has by itself.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from modalgen.view.report_formats import Table, fitted, is_number, one_line, shortened, shown

WIDEST = 78
r"""So many characters and gaps of a table fit into the 345 pt of LaTeX's own layout, in \footnotesize."""
LONGEST = 40
"""So many rows of a table fit on a page."""

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",  # \textquotedbl is not in LaTeX's own font encoding
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
    """The tables for a paper, as table environments."""
    parts = (part for table in tables for narrow in fitted(table) for part in shortened(narrow, LONGEST))
    return "% needs \\usepackage{amssymb,booktabs,graphicx}\n" + "\n".join(map(_latex, parts))


def _latex(table: Table) -> str:
    columns = list(zip(*([shown(cell) for cell in row] for row in table.rows), strict=True))
    right = [is_number(cell) for cell in table.rows[0]] if table.rows else [False] * len(table.columns)
    heads = [
        _head(name, max(map(len, columns[place]), default=0) if columns else 0)
        for place, name in enumerate(table.columns)
    ]
    widths = [
        max(map(len, (*lines, *(columns[place] if columns else ())))) for place, lines in enumerate(heads)
    ]
    wide = sum(widths) + 2 * (len(widths) - 1) > WIDEST
    lines = [
        r"\begin{table}",
        r"\centering\footnotesize",
        rf"\caption{{{_tex(table.title)}. {_tex(table.caption)}}}",
        rf"\label{{tab:{table.name}}}",
        *([r"\resizebox{\linewidth}{!}{%"] if wide else []),
        rf"\begin{{tabular}}{{{''.join('r' if flush else 'l' for flush in right)}}}",
        r"\toprule",
        _row([_stacked(lines, flush) for lines, flush in zip(heads, right, strict=True)]),
        r"\midrule",
        *(_row([_tex(shown(cell)) for cell in row]) for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}" + ("}" if wide else ""),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _head(name: str, width: int) -> list[str]:
    """A head in lines no wider than its column or its longest word."""
    line = one_line(name)
    longest = max(map(len, line.split()), default=1)
    return textwrap.wrap(line, max(width, longest), break_on_hyphens=False) or [""]


def _stacked(lines: Sequence[str], flush: bool) -> str:
    written = [_tex(line) for line in lines]
    if len(written) == 1:
        return written[0]
    first, *others = written
    stack = first + "".join(rf"\\{_kept(line)}" for line in others)
    return rf"\shortstack[{'r' if flush else 'l'}]{{{stack}}}"


def _row(cells: Sequence[str]) -> str:
    return _kept(" & ".join(cells)) + r" \\"


def _kept(line: str) -> str:
    """A line kept apart from the command that ended the one before, which would take a bracket or a star
    for its argument."""
    return f"{{}}{line}" if line.startswith(("[", "*")) else line


def _tex(text: str) -> str:
    """The text with LaTeX's own characters escaped and logical symbols as commands, on one line."""
    return "".join(_SPECIAL.get(character, character) for character in one_line(text))
