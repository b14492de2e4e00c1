"""The printers: canonical text, and text that reads back to the same tree."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import first_order, formulas, propositional

from modalgen.formula import And, Atom, Box, Exists, Forall, Formula, Iff, Implies, Not, Or, subformulas
from modalgen.printing import to_ascii, to_latex, to_unicode
from modalgen.syntax import parse, parse_template

p, q, r = Atom("p"), Atom("q"), Atom("r")

TABLE = [
    ("□p → ◇p", "[]p -> <>p", r"\Box p \rightarrow \Diamond p"),
    ("¬(p ∧ q)", "~(p & q)", r"\lnot (p \land q)"),
    ("p ∧ q ∨ r", "p & q | r", r"p \land q \lor r"),
    ("p ∧ (q ∨ r)", "p & (q | r)", r"p \land (q \lor r)"),
    ("p → q → r", "p -> q -> r", r"p \rightarrow q \rightarrow r"),
    ("(p → q) → r", "(p -> q) -> r", r"(p \rightarrow q) \rightarrow r"),
    ("p ∧ (q ∧ r)", "p & (q & r)", r"p \land (q \land r)"),
    ("p ↔ (q ↔ r)", "p <-> (q <-> r)", r"p \leftrightarrow (q \leftrightarrow r)"),
    ("¬⊤ ∨ ⊥", "~$true | $false", r"\lnot \top \lor \bot"),
    ("∀x □F(x)", "![x]: []F(x)", r"\forall x\, \Box F(x)"),
    (
        "∀x ∃Y (Likes(x,Y) ∧ p1)",
        "![x]: ?[Y]: (Likes(x,Y) & p1)",
        r"\forall x\, \exists Y\, (\mathit{Likes}(x, Y) \land p_{1})",
    ),
    ("is_red ∨ p_1", "is_red | p_1", r"\mathit{is\_red} \lor \mathit{p\_1}"),
]


@pytest.mark.parametrize(("unicode", "ascii_text", "latex"), TABLE, ids=[row[1] for row in TABLE])
def test_canonical_text(unicode: str, ascii_text: str, latex: str) -> None:
    """Each notation prints with least parentheses and fixed spaces."""
    formula = parse(unicode)
    assert to_unicode(formula) == unicode
    assert to_ascii(formula) == ascii_text
    assert to_latex(formula) == latex
    assert parse(ascii_text) == formula


def test_chains_keep_their_shape() -> None:
    """The two groupings of three operands print differently for every pair of binary operators."""
    for outer in (And, Or, Implies, Iff):
        for inner in (And, Or, Implies, Iff):
            left, right = outer(inner(p, q), r), outer(p, inner(q, r))
            for show in (to_unicode, to_ascii):
                assert parse(show(left)) == left
                assert parse(show(right)) == right


def test_template_prints_its_holes() -> None:
    """A template prints as its author wrote it."""
    for text in ("□{phi} → ◇{psi}", "∀x ({phi(x)} ∧ F(x))", "{R(x,y)}"):
        assert to_unicode(parse_template(text)) == text
    assert to_latex(parse_template("{phi(x)}")) == r"\{\mathit{phi}(x)\}"


@settings(max_examples=300, deadline=None)
@given(formulas())
def test_printed_text_reads_back(formula: Formula) -> None:
    """Reading what was printed, in Unicode or ASCII, is the identity on syntax trees."""
    for part in subformulas(formula):
        assert parse(to_unicode(part)) == part
        assert parse(to_ascii(part)) == part
        assert to_ascii(part).isascii()


NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,4}", fullmatch=True)


@settings(max_examples=150, deadline=None)
@given(st.lists(NAMES, min_size=3, max_size=3, unique=True), st.data())
def test_any_names_read_back(names: list[str], data: st.DataObject) -> None:
    """Variables and symbols keep their names, capitals, digits and underscores included."""
    x, y, predicate = names
    formula = data.draw(first_order(height=3, symbols=((predicate, 1),), names=(x, y)))
    assert parse(to_unicode(formula)) == formula == parse(to_ascii(formula))


@settings(max_examples=300, deadline=None)
@given(propositional(max_leaves=6))
def test_parentheses_are_minimal(formula: Formula) -> None:
    """Without any one pair of its parentheses the text means something else."""
    text = to_unicode(formula)
    stack: list[int] = []
    for column, character in enumerate(text):
        if character == "(":
            stack.append(column)
        elif character == ")":
            start = stack.pop()
            assert parse(text[:start] + text[start + 1 : column] + text[column + 1 :]) != formula


@settings(max_examples=150, deadline=None)
@given(formulas(), formulas())
def test_latex_tells_formulas_apart(first: Formula, second: Formula) -> None:
    """Different formulas have different LaTeX, and its braces balance."""
    assert (to_latex(first) == to_latex(second)) == (first == second)
    assert to_latex(first).count("{") == to_latex(first).count("}")


def test_printers_refuse_what_is_no_formula() -> None:
    """A value that is no formula is a TypeError, not empty text."""
    with pytest.raises(TypeError):
        to_unicode(Not("p"))  # type: ignore[arg-type]
    assert to_unicode(Box(Forall("x", Exists("y", p)))) == "□∀x ∃y p"
