"""Formulas as text: the canonical Unicode, ASCII and LaTeX notations.

One walk over the syntax tree with a table of symbols for each notation. An operand is put in
parentheses exactly when it binds less tightly than its place demands. The places are those of the
grammar in `modalgen.syntax`: a chain of ∧, ∨ or ↔ nests to the left and a chain of → to the right
without parentheses, so that reading a printed formula gives back the same syntax tree.

The one exception: text in which a propositional atom has the name of a variable in whose scope it
stands is refused by the reader. No reader of this package produces such a formula.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from modalgen.formula import (
    And,
    Atom,
    Bottom,
    Box,
    Diamond,
    Exists,
    Forall,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Top,
)


def printable(text: str, substitute: str = "\N{REPLACEMENT CHARACTER}") -> str:
    """The text without what a terminal would obey and a reader not see, direction overrides among it.

    Each such character (Unicode's categories Other and Separator, but for the space, which is what
    `str.isprintable` refuses) gives way to the substitute.
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else substitute for c in text)


# For each binary operator: how tightly it binds, and how tightly its left and right operands must.
_TIGHTNESS: dict[type[Formula], tuple[int, int, int]] = {
    And: (4, 4, 5),
    Or: (3, 3, 4),
    Implies: (2, 3, 2),
    Iff: (1, 1, 2),
}
_OPERAND = 5  # of a unary operator or a quantifier


@dataclass(frozen=True)
class _Notation:
    symbols: dict[type[Formula], str]
    quantifier: Callable[[str, str], str]
    atom: Callable[[Atom], str]


def to_unicode(formula: Formula) -> str:
    """The normative text form, `∀x (F(x) → ◇G(x))`."""
    return _render(formula, _UNICODE, 0)


def to_ascii(formula: Formula) -> str:
    """The text form in ASCII characters only, `![x]: (F(x) -> <>G(x))`."""
    return _render(formula, _ASCII, 0)


def to_latex(formula: Formula) -> str:
    r"""The formula for LaTeX's mathematical mode, `\forall x\, (F(x) \rightarrow \Diamond G(x))`.

    Needs the package `amssymb`, which defines `\Box` and `\Diamond`.
    """
    return _render(formula, _LATEX, 0)


def _render(formula: Formula, notation: _Notation, demanded: int) -> str:
    match formula:
        case Atom():
            return notation.atom(formula)
        case Top() | Bottom():
            return notation.symbols[type(formula)]
        case Not(a) | Box(a) | Diamond(a):
            return notation.symbols[type(formula)] + _render(a, notation, _OPERAND)
        case Forall(x, a) | Exists(x, a):
            symbol = notation.symbols[type(formula)]
            return notation.quantifier(symbol, x) + _render(a, notation, _OPERAND)
        case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b):
            own, left, right = _TIGHTNESS[type(formula)]
            symbol = notation.symbols[type(formula)]
            text = f"{_render(a, notation, left)} {symbol} {_render(b, notation, right)}"
            return f"({text})" if own < demanded else text
    raise TypeError(f"not a formula: {formula!r}")


def _plain_atom(atom: Atom) -> str:
    if not atom.arguments:
        return atom.predicate
    arguments = ",".join(atom.arguments)
    if atom.predicate.startswith("{"):  # a template's hole
        return f"{atom.predicate[:-1]}({arguments})}}"
    return f"{atom.predicate}({arguments})"


def _latex_name(name: str) -> str:
    if len(name) == 1:
        return name
    if indexed := re.fullmatch(r"([A-Za-z])([0-9]+)", name):
        return f"{indexed[1]}_{{{indexed[2]}}}"
    return rf"\mathit{{{name}}}".replace("_", r"\_")


def _latex_atom(atom: Atom) -> str:
    hole = atom.predicate.startswith("{")
    text = _latex_name(atom.predicate.strip("{}"))
    if atom.arguments:
        text += f"({', '.join(map(_latex_name, atom.arguments))})"
    return rf"\{{{text}\}}" if hole else text


_UNICODE = _Notation(
    {
        Top: "⊤",
        Bottom: "⊥",
        Not: "¬",
        Box: "□",
        Diamond: "◇",
        And: "∧",
        Or: "∨",
        Implies: "→",
        Iff: "↔",
        Forall: "∀",
        Exists: "∃",
    },
    lambda symbol, x: f"{symbol}{x} ",
    _plain_atom,
)
_ASCII = _Notation(
    {
        Top: "$true",
        Bottom: "$false",
        Not: "~",
        Box: "[]",
        Diamond: "<>",
        And: "&",
        Or: "|",
        Implies: "->",
        Iff: "<->",
        Forall: "!",
        Exists: "?",
    },
    lambda symbol, x: f"{symbol}[{x}]: ",
    _plain_atom,
)
_LATEX = _Notation(
    {
        Top: r"\top",
        Bottom: r"\bot",
        Not: r"\lnot ",
        Box: r"\Box ",
        Diamond: r"\Diamond ",
        And: r"\land",
        Or: r"\lor",
        Implies: r"\rightarrow",
        Iff: r"\leftrightarrow",
        Forall: r"\forall ",
        Exists: r"\exists ",
    },
    lambda symbol, x: rf"{symbol}{_latex_name(x)}\, ",
    _latex_atom,
)
