"""The tokens of TPTP text, and the error that says where a file goes beyond what is read here.

Token shapes follow the TPTP syntax (Sutcliffe, "The Logic Languages of the TPTP World", Logic
Journal of the IGPL, 2023), with those of the non-classical forms.
"""

from __future__ import annotations

from typing import NoReturn

from lark import Token

from modalgen.tokens import END, TokenStream, lexer, offset

MAX_LENGTH = 300_000
"""The most characters that a problem file may have."""

_SCANNER = lexer(
    r"""
    SPACE: /\s+/
    COMMENT: /%[^\n]*|\/\*(?s:.*?)\*\//
    LOWER: /[a-z][A-Za-z0-9_]*/
    UPPER: /[A-Z][A-Za-z0-9_]*/
    DOLLAR: /\$\$?[a-z][A-Za-z0-9_]*/
    QUOTED: /'(?:[^'\\\n]|\\['\\])*'/
    DISTINCT: /"(?:[^"\\\n]|\\["\\])*"/
    NUMBER: /[+-]?[0-9]+(?:[.\/][0-9]+)?/
    SHORT_BOX: /\[\s*\.\s*\]/
    SHORT_DIAMOND: /<\s*\.\s*>/
    SHORT_INDEXED: /\[\s*#|<\s*#/
    IFF: "<=>"
    XOR: "<~>"
    IMPLIES: "=>"
    IF: "<="
    NAND: "~&"
    NOR: "~|"
    NOT: "~"
    AND: "&"
    OR: "|"
    IDENTICAL: "=="
    EQUAL: "="
    UNEQUAL: "!="
    FORALL: "!"
    EXISTS: "?"
    OPEN: "("
    CLOSE: ")"
    LIST_OPEN: "["
    LIST_CLOSE: "]"
    BRACE_OPEN: "{"
    BRACE_CLOSE: "}"
    COLON: ":"
    COMMA: ","
    STOP: "."
    APPLY: "@"
    ARROW: ">"
    STAR: "*"
    HASH: "#"
    DASH: "-"
    """,
    ignored=("SPACE", "COMMENT"),
)


class NxfError(ValueError):
    """The text is not a problem of the modal subset that is read here.

    `message` names what is wrong or not supported; `line` and `column` say where, both from 1, in
    characters. They point behind the last character if something is missing at the end.
    """

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message, line, column)
        self.message = message
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"


class NxfStream(TokenStream):
    """The tokens of a TPTP file, with the ways to demand one and to fail at one."""

    def __init__(self, text: str) -> None:
        self._text = text
        if len(text) > MAX_LENGTH:
            self.fail(f"a problem may have at most {MAX_LENGTH} characters, not {len(text)}", MAX_LENGTH)
        super().__init__(_SCANNER, text)

    def expect(self, kind: str, expectation: str) -> Token:
        """The token in hand, which must be of this type. Raises NxfError."""
        return self.accept(kind) or self.unexpected(expectation)

    def name(self, expectation: str) -> Token:
        """The token in hand, which must be an atomic word or an integer. Raises NxfError."""
        if self.current.type not in ("LOWER", "QUOTED", "NUMBER"):
            self.unexpected(expectation)
        return self.advance()

    def unexpected(self, expectation: str) -> NoReturn:
        """Raises NxfError at the token in hand: *expectation* says what should stand there."""
        token = self.current
        if token.type == END:
            self.fail(f"{expectation}, but the text ends", offset(token))
        if token == "/" and self._text.startswith("/*", offset(token)):
            self.fail("this comment is never closed", offset(token))
        if token.type == "UNKNOWN" and token in "'\"":
            self.fail("this quotation is not closed on its line", offset(token))
        self.fail(f"{expectation}, not {shown(token)}", offset(token))

    def fail(self, message: str, where: int) -> NoReturn:
        """Raises NxfError at an offset of the text."""
        line = self._text.count("\n", 0, where) + 1
        raise NxfError(message, line, where - self._text.rfind("\n", 0, where))


def word(token: Token) -> str:
    """The name that a token denotes: `p` and `'p'` are the same name."""
    if token.type == "QUOTED":
        return str(token[1:-1]).replace("\\'", "'").replace("\\\\", "\\")
    return str(token)


def shown(token: Token) -> str:
    """The token in quotation marks for a message, cut if it is long."""
    text = token if len(token) <= 40 else f"{token[:40]}…"
    return f"'{text}'" if text.isprintable() else f"U+{ord(text[0]):04X}"
