"""Formulas as text: the reader of the notation □ ◇ ¬ ∧ ∨ → ↔ ∀x ∃x ⊤ ⊥ and of its ASCII aliases.

    formula   = operand { (∧ | ∨ | → | ↔) operand }          aliases  & | -> <->
    operand   = (¬ | □ | ◇) operand                          aliases  ~ [] <>
              | (∀ | ∃) variable operand                     aliases  ![x,y]: and ?[x,y]:
              | "(" formula ")" | atom | ⊤ | ⊥               aliases  $true $false
    atom      = identifier [ "(" variable { "," variable } ")" ]
    hole      = "{" atom "}"                                  in templates only, where an atom may be

Unary operators and quantifiers bind tightest, then ∧, ∨, →, ↔. Chains of → group to the right, all
others to the left. Identifiers are an ASCII letter followed by letters, digits and underscores, so
`$true` and `$false` (TPTP's names) cannot be confused with atoms.

The grammar is LALR, but the parser is operator precedence (see `modalgen.precedence`) on tokens
that lark scans. An LALR parser reports what is wrong as the set of terminals its tables allow,
reduces too late to know the scope that an atom stands in, and builds the whole of a tree before
its height can be refused; here each of these is known when the token is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn

from lark import Token

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
from modalgen.precedence import BinaryOperator, FormulaBuilder
from modalgen.tokens import END, TokenStream, lexer, offset

MAX_LENGTH = 100_000
"""The most characters that a formula's text may have."""

IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
"""What the name of an atom, a predicate or a variable looks like."""

_SCANNER = lexer(
    r"""
    SPACE: /\s+/
    NAME: /[A-Za-z][A-Za-z0-9_]*/
    TOP: "⊤" | "$true"
    BOTTOM: "⊥" | "$false"
    NOT: "¬" | "~"
    BOX: "□" | "[]"
    DIAMOND: "◇" | "<>"
    AND: "∧" | "&"
    OR: "∨" | "|"
    IMPLIES: "→" | "->"
    IFF: "↔" | "<->"
    FORALL: "∀"
    EXISTS: "∃"
    FORALL_LIST: /!\s*\[/
    EXISTS_LIST: /\?\s*\[/
    LIST_END: "]"
    COLON: ":"
    COMMA: ","
    OPEN: "("
    CLOSE: ")"
    HOLE_OPEN: "{"
    HOLE_CLOSE: "}"
    FOREIGN.1: /<=>|<~>|==>|=>|<=|&&|\|\||\/\\|\\\/|\[\.\]|<\.>/
    """,
    ignored=("SPACE",),
)

_UNARY: dict[str, tuple[str, Callable[[Formula], Formula]]] = {
    "NOT": ("¬", Not),
    "BOX": ("□", Box),
    "DIAMOND": ("◇", Diamond),
}
_BINARY = {
    "AND": BinaryOperator("∧", 4, "left", And),
    "OR": BinaryOperator("∨", 3, "left", Or),
    "IMPLIES": BinaryOperator("→", 2, "right", Implies),
    "IFF": BinaryOperator("↔", 1, "left", Iff),
}
_QUANTIFIERS: dict[str, tuple[str, Callable[[str, Formula], Formula]]] = {
    "FORALL": ("∀", Forall),
    "FORALL_LIST": ("∀", Forall),
    "EXISTS": ("∃", Exists),
    "EXISTS_LIST": ("∃", Exists),
}

# What people write instead, in other notations or with a character that looks alike.
_LOOKALIKES = {
    written: f"write {symbol}"
    for symbol, writings in {
        "¬ (or ~)": "! ∼ ˜ ～ ￢ ⌐",
        "∧ (or &)": "&& /\\ ^ · ⋀ ⋏ ＆ Λ",
        "∨ (or |)": "|| \\/ ⋁ ⋎ ∥ ｜ ǀ",
        "→ (or ->)": "=> ==> ⇒ ⊃ ⟶ ⟹ ➔ ➝ ￫",
        "↔ (or <->)": "<=> ⇔ ⟷ ⟺ ≡ ≣",
        "□ (or [])": "☐ ◻ ▢ ◽ ▫ ⬜ ■ ⊡ [.]",
        "◇ (or <>)": "⋄ ♢ ⬦ ◊ ◆ ⬨ <.>",
        "∀ (or ![x]:)": "Ɐ",
        "∃ (or ?[x]:)": "? Ǝ ⴺ",
        "⊤ (or $true)": "⟙ ┬",
        "⊥ (or $false)": "⟂ ┴",
    }.items()
    for written in writings.split()
} | {
    "<=": "turn the formula round and write → (or ->)",
    "⇐": "turn the formula round and write → (or ->)",
    "←": "turn the formula round and write → (or ->)",
    "<~>": "write ¬(… ↔ …)",
    "=": "there is no equality, and equivalence is ↔ (or <->)",
}
_APPLIED_TO_NAMES = re.compile(r"\([\sA-Za-z0-9_,]*\)")


class FormulaSyntaxError(ValueError):
    """The text is not a formula. `column` is the offset in `text`, in characters from 0, of what is
    wrong; it is the length of the text if something is missing at its end."""

    def __init__(self, message: str, column: int, text: str) -> None:
        super().__init__(message, column, text)
        self.message = message
        self.column = column
        self.text = text

    def __str__(self) -> str:
        # One line of the text, cut to what is near the column, with a caret below.
        start = max(self.text.rfind("\n", 0, self.column) + 1, self.column - 60)
        end = self.text.find("\n", self.column)
        shown = self.text[start : min(len(self.text) if end < 0 else end, self.column + 40)]
        line = "".join(c if c.isprintable() else " " for c in shown)
        return f"{self.message}\n  {line}\n  {' ' * (self.column - start)}^"


def parse(text: str) -> Formula:
    """The formula that *text* denotes. Raises FormulaSyntaxError if it denotes none.

    Whether variables are bound and predicates are used with one arity is left to `Problem`.
    """
    return _Reader(text, holes=False).formula()


def parse_template(text: str) -> Formula:
    """Like `parse`, for a formula with holes: `{phi}` becomes `Atom("{phi}")` and `{phi(x,y)}`
    becomes `Atom("{phi}", ("x", "y"))`. Raises FormulaSyntaxError."""
    return _Reader(text, holes=True).formula()


class _Reader:
    def __init__(self, text: str, holes: bool) -> None:
        self._text = text
        if len(text) > MAX_LENGTH:
            self._fail(f"a formula may have at most {MAX_LENGTH} characters, not {len(text)}", MAX_LENGTH)
        self._holes = holes
        self._tokens = TokenStream(_SCANNER, text)
        self._builder = FormulaBuilder(self._fail)

    def formula(self) -> Formula:
        if self._tokens.current.type == END:
            self._fail("the text is empty; a formula is expected", 0)
        while True:
            if self._builder.expects_operand:
                self._operand()
            elif self._tokens.current.type == END:
                return self._builder.finish()
            else:
                self._continuation()

    def _operand(self) -> None:
        """What may stand where a formula begins."""
        token = self._tokens.current
        match token.type:
            case "NOT" | "BOX" | "DIAMOND":
                symbol, unary = _UNARY[token.type]
                self._builder.prefix(symbol, unary, offset(self._tokens.advance()))
            case "FORALL" | "EXISTS":
                self._quantifier()
            case "FORALL_LIST" | "EXISTS_LIST":
                self._quantifier_list()
            case "OPEN":
                self._builder.open(offset(self._tokens.advance()))
            case "TOP":
                self._tokens.advance()
                self._builder.operand(Top())
            case "BOTTOM":
                self._tokens.advance()
                self._builder.operand(Bottom())
            case "NAME":
                self._builder.operand(self._atom())
            case "HOLE_OPEN":
                self._builder.operand(self._hole())
            case "CLOSE" if not self._builder.open_parentheses:
                self._builder.close(offset(token))
            case _:
                self._unexpected(self._builder.missing())

    def _continuation(self) -> None:
        """What may stand where a formula is complete."""
        token = self._tokens.current
        if token.type in _BINARY:
            self._builder.binary(_BINARY[token.type], offset(self._tokens.advance()))
        elif token.type == "CLOSE":
            self._builder.close(offset(self._tokens.advance()))
        elif self._builder.open_parentheses:
            self._unexpected("∧, ∨, →, ↔ or ')' is expected")
        else:
            self._unexpected("∧, ∨, →, ↔ or the end is expected")

    def _quantifier(self) -> None:
        token = self._tokens.advance()
        symbol, build = _QUANTIFIERS[token.type]
        variable = self._name(f"a variable is expected after '{symbol}'")
        following = self._tokens.current
        if following.type in ("COLON", "COMMA") or following == ".":
            self._fail(
                f"a formula is expected after '{symbol}{variable}', not '{following}': "
                f"a quantifier takes one variable, no dot or colon, and the next operand only, "
                f"as in {symbol}x (p ∧ F(x))",
                offset(following),
            )
        if _APPLIED_TO_NAMES.match(self._text, variable.end_pos or 0):
            # ∀xF(x) would be read as ∀xF with the atom x as its body.
            self._fail(
                f"a space is expected between a quantifier's variable and its formula: "
                f"{symbol}x F(x), not {symbol}xF(x)",
                offset(variable),
            )
        self._builder.quantifier(f"{symbol}{variable}", build, str(variable), offset(token))

    def _quantifier_list(self) -> None:
        token = self._tokens.advance()
        build = _QUANTIFIERS[token.type][1]
        while True:
            variable = self._name("a variable is expected in the quantifier's list")
            self._builder.quantifier(f"{token[0]}[{variable}]:", build, str(variable), offset(token))
            if not self._tokens.accept("COMMA"):
                break
        if not self._tokens.accept("LIST_END"):
            self._unexpected("',' or ']' is expected in the quantifier's list of variables")
        if not self._tokens.accept("COLON"):
            self._unexpected("':' is expected after the quantifier's list of variables")

    def _atom(self) -> Atom:
        name = self._tokens.advance()
        arguments = self._arguments()
        if not arguments and name in self._builder.bound:
            self._fail(f"'{name}' is a variable here, not a propositional atom", offset(name))
        return Atom(str(name), arguments)

    def _hole(self) -> Atom:
        brace = self._tokens.advance()
        if not self._holes:
            self._fail("a hole, in braces, may stand in a template but not in a formula", offset(brace))
        name = self._name("the name of the hole is expected after '{'")
        arguments = self._arguments()
        if not self._tokens.accept("HOLE_CLOSE"):
            self._unexpected("'}' is expected at the end of the hole")
        return Atom(f"{{{name}}}", arguments)

    def _arguments(self) -> tuple[str, ...]:
        opening = self._tokens.accept("OPEN")
        if opening is None:
            return ()
        if self._tokens.current.type == "CLOSE":
            self._fail(
                "a predicate takes at least one variable; a propositional atom has no parentheses",
                offset(opening),
            )
        arguments: list[str] = []
        while True:
            arguments.append(str(self._name("a variable is expected as the argument of a predicate")))
            if self._tokens.accept("CLOSE"):
                return tuple(arguments)
            if self._tokens.current.type == END:
                self._fail("this '(' is never closed", offset(opening))
            if not self._tokens.accept("COMMA"):
                self._unexpected("the arguments of a predicate are variables; ',' or ')' is expected")

    def _name(self, expectation: str) -> Token:
        return self._tokens.accept("NAME") or self._unexpected(expectation)

    def _unexpected(self, expectation: str) -> NoReturn:
        """Fail at the token in hand: *expectation* says what should stand there."""
        token = self._tokens.current
        if token.type == END:
            unclosed = self._builder.unclosed()
            if unclosed is not None and not self._builder.expects_operand:
                self._fail("this '(' is never closed", unclosed)
            self._fail(f"{expectation}, but the text ends", offset(token))
        if token in _LOOKALIKES:
            self._fail(f"'{token}' is not a symbol of the language; {_LOOKALIKES[token]}", offset(token))
        if token.type == "UNKNOWN":
            self._unknown(token, expectation)
        shown = token if len(token) <= 40 else f"{token[:40]}…"
        self._fail(f"{expectation}, not '{shown}'", offset(token))

    def _unknown(self, token: Token, expectation: str) -> NoReturn:
        if token in "0123456789_":
            self._fail(f"{expectation}; names begin with a letter, not with '{token}'", offset(token))
        shown = f"'{token}' (U+{ord(token):04X})" if token.isprintable() else f"U+{ord(token):04X}"
        hint = "; names consist of the letters A-Z and a-z, digits and underscores" if token.isalpha() else ""
        self._fail(f"the character {shown} is not a symbol of the language{hint}", offset(token))

    def _fail(self, message: str, column: int) -> NoReturn:
        raise FormulaSyntaxError(message, column, self._text)
