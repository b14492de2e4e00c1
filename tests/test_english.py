"""Controlled English and its lexicons: sentences with one reading, and words that allow no other."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import first_order, formulas, propositional

from modalgen.evaluate.english import EnglishError, clause, read_clause, read_sentence, sentence
from modalgen.evaluate.lexicon import LexiconError, Words, lexicon, lexicon_names, load_lexicon
from modalgen.formula import And, Atom, Box, Formula, Implies, Not, rename_predicates, subformulas
from modalgen.syntax import parse


def words(name: str) -> Words:
    """The words of a lexicon that has words."""
    found = lexicon(name).words
    assert found is not None
    return found


SIGNALS = words("signals")
PROSE = tuple(name for name in lexicon_names() if lexicon(name).words is not None)

TABLE = [
    ("p", "Alarm 1 rings."),
    ("¬q", "Alarm 2 does not ring."),
    ("¬¬p", "It is not the case that alarm 1 does not ring."),
    ("□p → ◇p", "If it is necessary that alarm 1 rings, then it is possible that alarm 1 rings."),
    ("□(p ∧ q)", "It is necessary that both alarm 1 rings and alarm 2 rings."),
    ("□p ∧ q", "Both [it is necessary that alarm 1 rings] and alarm 2 rings."),
    ("p ∨ ¬q", "Either alarm 1 rings or alarm 2 does not ring."),
    ("p ∧ q → r", "If both alarm 1 rings and alarm 2 rings, then alarm 3 rings."),
    ("p ∧ (q → r)", "Both alarm 1 rings and [if alarm 2 rings, then alarm 3 rings]."),
    ("p → q → r", "If alarm 1 rings, then [if alarm 2 rings, then alarm 3 rings]."),
    ("(p → q) → r", "If [if alarm 1 rings, then alarm 2 rings], then alarm 3 rings."),
    ("□(p ↔ q)", "It is necessary that [alarm 1 rings if and only if alarm 2 rings]."),
    ("□p ↔ q", "[it is necessary that alarm 1 rings] if and only if alarm 2 rings."),
    ("¬(p ∧ q)", "It is not the case that both alarm 1 rings and alarm 2 rings."),
    ("¬p ∧ q", "Both alarm 1 does not ring and alarm 2 rings."),
    ("¬⊥ ∨ ⊤", "Either [it is not the case that a contradiction holds] or a trivial truth holds."),
    ("v1", "Alarm v1 rings."),
    ("∀x □F(x)", "For every existing item x, it is necessary that x is flagged."),
    ("□∃x ¬F(x)", "It is necessary that for some existing item x, x is not flagged."),
    ("∀x F(x) → p", "If [for every existing item x, x is flagged], then alarm 1 rings."),
    ("∀x ∃y R(x,y)", "For every existing item x, for some existing item y, x points to y."),
    ("∃it Big(it)", "For some existing item “it”, “it” carries mark Big."),
    ("∃x Likes(x,x)", "For some existing item x, x is in relation Likes to x."),
    ("∃x ¬B(x,x,x)", "For some existing item x, relation B does not hold of (x,x,x)."),
]


@pytest.mark.parametrize(("text", "expected"), TABLE, ids=[text for text, _ in TABLE])
def test_sentences_as_people_read_them(text: str, expected: str) -> None:
    """The wording of each construction, and where brackets stand."""
    assert sentence(parse(text), SIGNALS) == expected
    assert read_sentence(expected, SIGNALS) == parse(text)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("deontic", "If it is required that gate 1 is shut, then it is permitted that gate 1 is shut."),
        (
            "epistemic",
            "If it is known that switch 1 is on, "
            "then it is compatible with what is known that switch 1 is on.",
        ),
    ],
)
def test_readings_of_the_operators(name: str, expected: str) -> None:
    """The deontic and the epistemic lexicon give □ and ◇ their reading."""
    assert sentence(parse("□p → ◇p"), words(name)) == expected


@pytest.mark.parametrize("name", PROSE)
@settings(max_examples=120, deadline=None)
@given(formula=formulas())
def test_the_syntax_tree_comes_back(name: str, formula: Formula) -> None:
    """Reading what was written is the identity on syntax trees, for each lexicon with words."""
    assert read_sentence(sentence(formula, words(name)), words(name)) == formula


@settings(max_examples=40, deadline=None)
@given(st.one_of(propositional(max_leaves=40), first_order(height=6)))
def test_deep_trees_and_their_open_parts_come_back(formula: Formula) -> None:
    """So does every subformula, with free variables, of larger formulas."""
    for part in subformulas(formula):
        assert read_clause(clause(part, SIGNALS), SIGNALS) == part


NAMES = st.one_of(
    st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,4}", fullmatch=True),
    st.sampled_from(
        ("both", "and", "if", "is", "not", "item", "alarm", "rings", "it", "F", "x", "a", "I", "x1")
    ),
)


@settings(max_examples=50, deadline=None)
@given(st.lists(NAMES, min_size=4, max_size=4, unique=True), st.data())
def test_any_names_come_back(names: list[str], data: st.DataObject) -> None:
    """No name of a variable or a predicate can be taken for a word of English."""
    x, y, unary, binary = names
    symbols = ((unary, 1), (binary, 2), (f"{unary}3", 3))
    formula = data.draw(first_order(height=3, symbols=symbols, names=(x, y)))
    assert read_sentence(sentence(formula, SIGNALS), SIGNALS) == formula
    atoms = dict(zip(("p", "q", "r"), names, strict=False))
    formula = rename_predicates(data.draw(propositional(max_leaves=4)), atoms)
    assert read_sentence(sentence(formula, SIGNALS), SIGNALS) == formula


def test_nesting_as_deep_as_formula_text_allows() -> None:
    """Deeper formulas than any text gives are written; the reader refuses what is too deep for it."""
    formula: Formula = Atom("p")
    for _ in range(95):
        formula = And(formula, Atom("q"))
    assert read_sentence(sentence(formula, SIGNALS), SIGNALS) == formula
    for _ in range(100):
        formula = Implies(And(formula, Atom("q")), Atom("r"))
    with pytest.raises(EnglishError, match="nested more than"):
        read_sentence(sentence(formula, SIGNALS), SIGNALS)
    modal: Formula = Atom("p")
    for _ in range(200):
        modal = Box(modal)
    assert read_sentence(sentence(modal, SIGNALS), SIGNALS) == modal


def test_open_formulas_are_no_statements() -> None:
    """A formula with a free variable states nothing, so it has no sentence."""
    with pytest.raises(ValueError, match="'x' is free"):
        sentence(Not(Atom("F", ("x",))), SIGNALS)


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "Alarm 1 rings",
        "Alarm 1.",
        "Alarm 1 rings and alarm 2 rings.",
        "Both alarm 1 rings and it is necessary that alarm 2 rings.",
        "Both alarm 1 rings, and alarm 2 rings.",
        "If alarm 1 rings then alarm 2 rings.",
        "Both alarm 1 rings and [alarm 2 rings.",
        "Alarm 1 rings if and only if alarm 2 rings if and only if alarm 3 rings.",
        "It is necessary that alarm 1 rings if and only if alarm 2 rings.",
        "For every existing item, x is flagged.",
        "For every existing item it, x is flagged.",
        "Alarm 9 rings.",
        "Alarm 1 rings).",
        "[" * 5000 + ".",
    ],
)
def test_other_text_is_refused(text: str) -> None:
    """The reader accepts no sentence whose scope would be open, and says so without a traceback."""
    with pytest.raises(EnglishError):
        read_sentence(text, SIGNALS)


def test_the_lexicons_of_the_package() -> None:
    """The bundled lexicons load under their names, and each has a hash of its own."""
    assert set(lexicon_names()) == {"signals", "deontic", "epistemic", "symbols"}
    assert all(lexicon(name).id == name for name in lexicon_names())
    assert len({lexicon(name).sha256 for name in lexicon_names()}) == len(lexicon_names())
    assert lexicon("symbols").words is None
    with pytest.raises(LexiconError, match=r"no lexicon `alarms`; the lexicons are deontic, epistemic"):
        lexicon("alarms")


SOURCE = (Path(__file__).parent.parent / "evaluate" / "lexicons" / "signals.yaml").read_text(encoding="utf-8")

MISTAKES = [
    ("  necessity: it is necessary that\n", "", r":7:3: the key `necessity` is missing here"),
    ("  necessity:", "  neccessity:", r":7:3: unknown key `neccessity`; did you mean 'necessity'\?"),
    ("it is necessary that", "It is necessary, that", r":7:14: `It is necessary, that`: this is words"),
    ("id: signals", "id: Signals!", r":3:5: `Signals!`: an id is lower-case"),
    ("notation: words", "notation: symbols", r"a lexicon of symbols has no words"),
    ("notation: words", "notation: words\nnotation: words", r"duplicate key `notation`"),
    ("{x} is flagged", "{x} and more", r"`and` connects statements"),
    ("{x} is flagged", "{y} is flagged", r":15:19: this sentence needs \{x\}, once each"),
    ("{x} points to {y}", "{x} points to {x}", r"this sentence needs \{x\} and \{y\}, once each"),
    ("{x} is sealed", "{x} is flagged", r"`\{x\} is flagged` could be confused with `\{x\} is flagged`"),
    ("{x} is sealed", "{x} is flagged up", r"`\{x\} is flagged up` could be confused with"),
    ("it is possible that", "it is necessary that so", r"could be confused with `it is necessary that`"),
    ("it is possible that", "it is not the case that", r"could be confused with `it is not the case"),
    ("a trivial truth holds", "alarm 1 rings", r"`alarm \{name\} rings` could be confused"),
    ("{x} signals {y}", "{x} carries mark {y}", r"could be confused"),
    ("order: [p, q", "order: [p, p", r"non-unique"),
    ("order: [p, q", "order: [p, 'a b'", r"`a b`: the name of an atom is a letter followed"),
    ("notation: words", "notation: words: more", r":5:"),
]


@pytest.mark.parametrize(("old", "new", "message"), MISTAKES, ids=[new.strip() for _, new, _ in MISTAKES])
def test_mistakes_in_a_lexicon(tmp_path: Path, old: str, new: str, message: str) -> None:
    """A lexicon that breaks the schema or allows a second reading is refused at the place to mend."""
    assert old in SOURCE
    path = tmp_path / "own.yaml"
    path.write_text(SOURCE.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(LexiconError, match=message) as caught:
        load_lexicon(path)
    assert str(path) in str(caught.value)


def test_a_lexicon_of_ones_own(tmp_path: Path) -> None:
    """A file of the user's works like a bundled one; its hash is of the content, not of the layout."""
    path = tmp_path / "own.yaml"
    path.write_text(SOURCE.replace("it is necessary that", "always"), encoding="utf-8")
    own = load_lexicon(path)
    assert own.words is not None
    assert sentence(parse("□p"), own.words) == "Always alarm 1 rings."
    path.write_text("# a comment\n" + SOURCE, encoding="utf-8")
    assert load_lexicon(path) == lexicon("signals")


def test_a_lexicon_that_is_no_file(tmp_path: Path) -> None:
    """A missing file and a file that is no mapping get a message, not a traceback."""
    with pytest.raises(LexiconError, match="cannot be read"):
        load_lexicon(tmp_path / "none.yaml")
    path = tmp_path / "list.yaml"
    path.write_text("- a\n- b\n", encoding="utf-8")
    with pytest.raises(LexiconError, match=r"list\.yaml:1:1: .*not of type 'object'"):
        load_lexicon(path)
