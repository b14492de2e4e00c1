"""The reader of formula text: what it reads, and where it points when it cannot."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
    alpha_normal,
    depth,
    free_variables,
    size,
    substitute,
)
from modalgen.precedence import MAX_DEPTH, MAX_PARENTHESES
from modalgen.printing import to_ascii, to_unicode
from modalgen.syntax import MAX_LENGTH, FormulaSyntaxError, parse, parse_template

p, q, r = Atom("p"), Atom("q"), Atom("r")
Fx = Atom("F", ("x",))

READINGS = [
    ("p", p),
    ("  p\n", p),
    ("p_1B", Atom("p_1B")),
    ("⊤", Top()),
    ("$true", Top()),
    ("⊥", Bottom()),
    ("$false", Bottom()),
    ("true", Atom("true")),
    ("¬p ∧ q", And(Not(p), q)),
    ("□p → ◇p", Implies(Box(p), Diamond(p))),
    ("[]p -> <>p", Implies(Box(p), Diamond(p))),
    ("□¬◇p", Box(Not(Diamond(p)))),
    ("p ∨ q ∧ r", Or(p, And(q, r))),
    ("p ∧ q ∨ r", Or(And(p, q), r)),
    ("p → q ∨ r", Implies(p, Or(q, r))),
    ("p ↔ q → r", Iff(p, Implies(q, r))),
    ("p -> q <-> r", Iff(Implies(p, q), r)),
    ("p → q → r", Implies(p, Implies(q, r))),
    ("p ∧ q ∧ r", And(And(p, q), r)),
    ("p | q | r", Or(Or(p, q), r)),
    ("p ↔ q ↔ r", Iff(Iff(p, q), r)),
    ("p ∧ (q ∧ r)", And(p, And(q, r))),
    ("(((p)))", p),
    ("F(x)", Fx),
    ("F ( x )", Fx),
    ("Likes(x,y)", Atom("Likes", ("x", "y"))),
    ("∀x F(x) ∧ q", And(Forall("x", Fx), q)),
    ("∀x (F(x) ∧ q)", Forall("x", And(Fx, q))),
    ("∀x(F(x) ∧ q)", Forall("x", And(Fx, q))),
    ("∀ x □F(x)", Forall("x", Box(Fx))),
    ("∀x∃y Likes(x, y)", Forall("x", Exists("y", Atom("Likes", ("x", "y"))))),
    ("![x]: F(x) & q", And(Forall("x", Fx), q)),
    ("? [x,y]: Likes(x,y)", Exists("x", Exists("y", Atom("Likes", ("x", "y"))))),
    ("![X]: F(X)", Forall("X", Atom("F", ("X",)))),
    ("~[]~![x]:F(x)", Not(Box(Not(Forall("x", Fx))))),
    ("∀x F(x) ∧ x", And(Forall("x", Fx), Atom("x"))),
]


@pytest.mark.parametrize(("text", "formula"), READINGS, ids=[text for text, _ in READINGS])
def test_reading(text: str, formula: Formula) -> None:
    """Symbols, aliases, precedence and associativity are those of the normative grammar."""
    assert parse(text) == formula


# Text, the column of what is wrong, and a part of the message.
ERRORS = [
    ("", 0, "empty"),
    ("  \n ", 0, "empty"),
    ("(p ∧ q", 0, "'(' is never closed"),
    ("p ∧ ((q ∨ r)", 4, "'(' is never closed"),
    ("p ∧ q)", 5, "closes no parenthesis"),
    (") p", 0, "closes no parenthesis"),
    ("F(x", 1, "'(' is never closed"),
    ("()", 1, "a formula is expected after '('"),
    ("p ∧", 3, "a formula is expected after '∧', but the text ends"),
    ("p -> & q", 5, "a formula is expected after '→', not '&'"),
    ("∧ p", 0, "a formula is expected"),
    ("¬", 1, "a formula is expected after '¬'"),
    ("p q", 2, "the end is expected, not 'q'"),
    ("(p q)", 3, "')' is expected, not 'q'"),
    ("p □q", 2, "the end is expected"),
    ("∀ (p)", 2, "a variable is expected after '∀'"),
    ("∃", 1, "a variable is expected after '∃'"),
    ("∀x", 2, "a formula is expected after '∀x'"),
    ("![]: p", 2, "a variable is expected"),
    ("![x] p", 5, "':' is expected"),
    ("![x: p", 3, "',' or ']' is expected"),
    ("∀x. F(x)", 2, "no dot or colon"),
    ("∀x: F(x)", 2, "no dot or colon"),
    ("∀x,y F(x)", 2, "one variable"),
    ("∀xF(x)", 1, "space is expected"),
    ("∀xLikes(x,y)", 1, "space is expected"),
    ("∀x x", 3, "'x' is a variable here"),
    ("∀x (F(x) ∧ □x)", 12, "'x' is a variable here"),
    ("![x,y]: (F(x) & y)", 16, "'y' is a variable here"),
    ("F()", 1, "at least one variable"),
    ("F(G(x))", 3, "arguments of a predicate are variables"),
    ("F(x y)", 4, "',' or ')' is expected"),
    ("F(x,)", 4, "a variable is expected"),
    ("F(□x)", 2, "a variable is expected"),
    ("p ∧ φ", 4, "U+03C6"),
    ("p\x00", 1, "U+0000"),
    ("1p", 0, "begin with a letter"),
    ("_p", 0, "begin with a letter"),
    ("p # q", 2, "'#' (U+0023)"),
    ("{phi}", 0, "template"),
    ("p = q", 2, "no equality"),
]


@pytest.mark.parametrize(("text", "column", "part"), ERRORS, ids=[repr(text) for text, _, _ in ERRORS])
def test_errors_point_at_what_is_wrong(text: str, column: int, part: str) -> None:
    """An error carries the column of the offending character and says what was expected."""
    with pytest.raises(FormulaSyntaxError) as caught:
        parse(text)
    assert (caught.value.column, caught.value.text) == (column, text)
    assert part in caught.value.message


@pytest.mark.parametrize(
    ("text", "column", "symbol"),
    [
        ("p ⇒ q", 2, "→"),
        ("p ⊃ q", 2, "→"),
        ("p => q", 2, "→"),
        ("p && q", 2, "∧"),
        ("p /\\ q", 2, "∧"),
        ("p || q", 2, "∨"),
        ("p \\/ q", 2, "∨"),
        ("!p", 0, "¬"),
        ("∼p", 0, "¬"),
        ("⋄p", 0, "◇"),
        ("☐p", 0, "□"),
        ("[.]p", 0, "□"),
        ("<.>p", 0, "◇"),
        ("p <=> q", 2, "↔"),
        ("p ≡ q", 2, "↔"),
        ("p <~> q", 2, "¬(… ↔ …)"),
        ("p <= q", 2, "turn the formula round"),
    ],
)
def test_lookalikes_are_told_the_right_symbol(text: str, column: int, symbol: str) -> None:
    """Symbols of other notations are refused with the one to write instead."""
    with pytest.raises(FormulaSyntaxError) as caught:
        parse(text)
    assert caught.value.column == column
    assert symbol in caught.value.message


def test_error_shows_the_text_and_a_caret() -> None:
    """Printed, an error shows the line that is wrong with a caret below the column."""
    with pytest.raises(FormulaSyntaxError) as caught:
        parse("p ∧\nq ⇒ r\n∨ p")
    lines = str(caught.value).splitlines()
    assert lines[1:] == ["  q ⇒ r", "    ^"]
    assert pickle.loads(pickle.dumps(caught.value)).column == caught.value.column


def test_error_in_long_text_shows_the_surroundings() -> None:
    """The caret stays below the offending character when the line is cut."""
    with pytest.raises(FormulaSyntaxError) as caught:
        parse("p & " * 100 + "? & " + "p & " * 100)
    _, line, caret = str(caught.value).splitlines()
    assert len(line) < 110
    assert line[caret.index("^")] == "?"


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("(" * 1_000, MAX_PARENTHESES),
        ("~" * 90_000, MAX_DEPTH),
        ("□(" * 40_000, 2 * MAX_DEPTH),
        ("p & " * 20_000, 4 * MAX_DEPTH + 2),
        ("p -> " * 20_000, 5 * MAX_DEPTH + 2),
        ("∀x" + "∀x" * 20_000, 2 * MAX_DEPTH),
        ("![" + "x," * 40_000, 0),
        ("x" * 1_000_000, MAX_LENGTH),
    ],
)
def test_nesting_is_limited(text: str, column: int) -> None:
    """Hostile text is refused where it becomes too deep or too long, without recursion."""
    with pytest.raises(FormulaSyntaxError) as caught:
        parse(text)
    assert caught.value.column == column


@pytest.mark.parametrize("step", ["□(p ∧ {})", "∀x {}", "p → {}", "¬({} ↔ q)", "{} ∨ p"])
def test_deepest_formulas_survive_the_walkers(step: str) -> None:
    """The limit is low enough for the recursive functions on formulas and for both printers."""
    text = "F(x)"
    while depth(parse(text)) + depth(parse(step.format("p"))) <= MAX_DEPTH:
        text = step.format(text)
    formula = parse(text)
    assert depth(formula) >= MAX_DEPTH - 1
    assert parse(to_unicode(formula)) == formula == parse(to_ascii(formula))
    assert size(alpha_normal(formula)) == size(formula)
    assert size(substitute(formula, {"F": (("y",), Atom("G", ("y",)))})) == size(formula)
    assert free_variables(formula) <= {"x"}
    assert repr(formula)
    assert hash(pickle.loads(pickle.dumps(formula))) == hash(formula)


def test_wide_formulas_are_read() -> None:
    """Size is not limited by depth: a balanced tree with thousands of leaves is read."""
    text = "p"
    for _ in range(12):
        text = f"({text}) ∧ ({text})"
    assert size(parse(text)) == 2**13 - 1


def test_template_holes() -> None:
    """A hole becomes an atom whose name has the braces, so no atom can be taken for it."""
    assert parse_template("□{phi} → ◇{psi(x,y)}") == Implies(
        Box(Atom("{phi}")), Diamond(Atom("{psi}", ("x", "y")))
    )
    assert parse_template("∀x ({phi(x)} ∧ F(x))") == Forall("x", And(Atom("{phi}", ("x",)), Fx))
    assert parse_template("p ∧ q") == And(p, q)


@pytest.mark.parametrize(
    ("text", "column"),
    [("{", 1), ("{}", 1), ("{phi", 4), ("{phi()}", 4), ("{phi}x", 5), ("{1}", 1), ("}", 0)],
)
def test_broken_holes(text: str, column: int) -> None:
    """A hole that is not closed, not named or followed by more text is refused at its place."""
    with pytest.raises(FormulaSyntaxError) as caught:
        parse_template(text)
    assert caught.value.column == column


PIECES = (
    "p q F x ( ) , { } ∀ ∃ ∀x ![x]: ?[ ] : [] <> □ ◇ ¬ ~ ∧ & ∨ | → -> ↔ <-> ⊤ $true F(x) {phi} $ ! 7 => ."
)
SOUP = st.lists(st.sampled_from(PIECES.split()), max_size=14)


@settings(max_examples=600, deadline=None)
@given(st.one_of(st.text(max_size=30), SOUP.map(" ".join), SOUP.map("".join)), st.booleans())
def test_any_text_is_read_or_refused(text: str, template: bool) -> None:
    """No text raises anything but the documented error, whose column lies in the text."""
    try:
        formula = (parse_template if template else parse)(text)
    except FormulaSyntaxError as error:
        assert 0 <= error.column <= len(text)
        assert str(error)
    else:
        assert (parse_template if template else parse)(to_unicode(formula)) == formula
