"""Text as a stream of tokens, read once from left to right with one token in hand.

The scanner is lark's basic lexer: the terminals are written in lark's notation, longer ones win,
and each token knows its offset in characters. Every set of terminals here ends in a catch-all of
lowest priority, so that scanning itself never fails and the reader can say in its own words what
is wrong. Tokens are made on demand: a text that goes wrong early is not scanned to its end.
"""

from __future__ import annotations

from collections.abc import Iterator

from lark import Lark, Token

END = "END"
"""The type of the token after the last one; its offset is the length of the text."""


def lexer(terminals: str, ignored: tuple[str, ...]) -> Lark:
    """A scanner for lark *terminals*, without those named in *ignored*.

    A terminal UNKNOWN is added for any character that none of them matches.
    """
    names = [line.split(":")[0].split(".")[0].strip() for line in terminals.splitlines() if ":" in line]
    alternatives = " | ".join(name for name in [*names, "UNKNOWN"] if name not in ignored)
    skipped = "\n".join(f"%ignore {name}" for name in ignored)
    grammar = f"start: ({alternatives})*\n{terminals}\nUNKNOWN.-1: /./s\n{skipped}\n"
    return Lark(grammar, parser=None, lexer="basic")


class TokenStream:
    """The tokens of a text: `current` is the one in hand."""

    def __init__(self, scanner: Lark, text: str) -> None:
        self._tokens: Iterator[Token] = scanner.lex(text)
        self._end = len(text)
        self.current = self._next()

    def advance(self) -> Token:
        """The token in hand, of which the stream then lets go."""
        token = self.current
        if token.type != END:
            self.current = self._next()
        return token

    def accept(self, kind: str) -> Token | None:
        """The token in hand if it is of this type, and then the stream lets go of it; else None."""
        return self.advance() if self.current.type == kind else None

    def _next(self) -> Token:
        return next(self._tokens, None) or Token(END, "", start_pos=self._end, end_pos=self._end)


def offset(token: Token) -> int:
    """Where the token begins in the text, in characters from 0."""
    assert token.start_pos is not None  # the scanner sets it on every token
    return token.start_pos
