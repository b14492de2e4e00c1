"""TPTP type declarations: which symbols are predicates, and of how many individuals.

Supported are `$o` for an atom, `$i > $o` and `( $i * … * $i ) > $o` for a predicate. Anything else
would be a constant, a function or another sort and is refused by that name. A declared constant is
refused even if no formula uses it, because it makes an individual exist.
"""

from __future__ import annotations

import re

from lark import Token

from modalgen.nxf_tokens import NxfStream, shown, word
from modalgen.syntax import IDENTIFIER
from modalgen.tokens import offset

_MAX_DEPTH = 20  # of parentheses in a type: the two functions that read one call each other
_PREDICATE_TYPE = re.compile(r"\$o|\$i(\*\$i)*>\$o")


def read_declaration(tokens: NxfStream) -> tuple[str, int]:
    """The symbol and the arity that `name: type` declares, perhaps in parentheses. Raises NxfError."""
    parentheses = 0
    while tokens.accept("OPEN"):
        parentheses += 1
    symbol = symbol_name(tokens, tokens.name("the name of a symbol is expected in a type declaration"))
    tokens.expect("COLON", "':' is expected after the declared symbol")
    where = offset(tokens.current)
    declared = read_type(tokens)
    for _ in range(parentheses):
        tokens.expect("CLOSE", "')' is expected after the type")
    if declared == "$tType":
        tokens.fail(f"sort {symbol!r} is not supported; individuals have the type $i", where)
    if declared == "$i":
        tokens.fail(f"individual constant {symbol!r} is not supported", where)
    if declared.endswith(">$i"):
        tokens.fail(f"function {symbol!r} is not supported", where)
    if not _PREDICATE_TYPE.fullmatch(declared):
        supported = "$o, $i > $o, ( $i * $i ) > $o and so on"
        tokens.fail(f"{symbol!r} has the type {declared}; supported are {supported}", where)
    return symbol, declared.count("$i")


def read_type(tokens: NxfStream, depth: int = 0) -> str:
    """A type, without its spaces and its superfluous parentheses. Raises NxfError."""
    text = _unitary_type(tokens, depth)
    if tokens.current.type not in ("STAR", "ARROW"):
        return text[1:-1] if text.startswith("(") else text
    while tokens.accept("STAR"):
        text += f"*{_unitary_type(tokens, depth)}"
    if tokens.accept("ARROW"):
        text += f">{_unitary_type(tokens, depth)}"
    return text


def _unitary_type(tokens: NxfStream, depth: int) -> str:
    if opening := tokens.accept("OPEN"):
        if depth == _MAX_DEPTH:
            tokens.fail(f"the type is nested more than {_MAX_DEPTH} levels deep", offset(opening))
        text = read_type(tokens, depth + 1)
        tokens.expect("CLOSE", "'*', '>' or ')' is expected in the type")
        return f"({text})" if ">" in text else text
    if tokens.current.type not in ("DOLLAR", "LOWER", "QUOTED"):
        tokens.unexpected("a type, built from $i and $o, is expected")
    return str(tokens.advance())


def symbol_name(tokens: NxfStream, token: Token) -> str:
    """The name of a predicate or an atom. Raises NxfError if formulas cannot have that name here."""
    name = word(token)
    if not IDENTIFIER.fullmatch(name):
        tokens.fail(
            f"symbol {shown(token)} is not supported; names begin with a letter and consist of "
            "letters, digits and underscores",
            offset(token),
        )
    return name
