"""Controlled English: formulas as sentences whose scope cannot be misread, and back.

The words alone determine the syntax tree. Every construction but one begins with words of its own,
and the number of its parts is fixed, as in Polish notation:

    both … and …                ∧      it is necessary that …        □   (by lexicon)
    either … or …               ∨      it is possible that …         ◇   (by lexicon)
    if …, then …                →      for every existing item x, …  ∀x
    it is not the case that …   ¬      for some existing item x, …   ∃x
    alarm 1 rings, alarm 1 does not ring                             atoms and their negations

Biconditionals, "… if and only if …", are infix, and stand in brackets wherever they are a part.

For people (and for models that learned from people) a prefix code is not enough: in "both it is
necessary that A and B" the ear takes A and B together until it remembers "both". Therefore square
brackets enclose each part whose end the words do not mark: the parts of both … and, either … or and
… if and only if … unless they are atoms or negated atoms, and the condition after "if" unless it is
simple (a plain sentence, or both … and, either … or of plain sentences, perhaps after operators).
What follows "that", "then" or a quantifier's comma goes on to the end of the sentence or bracket and
has none of its own, but for a conditional right after "then". So simple formulas read like English,
deep ones like English with brackets, and no sentence has two readings.

The reader shares nothing with the writer but the lexicon. It reads one word after the other
without going back. What it accepts is a little wider than what is written (a bracket around any
part, "it is not the case that alarm 1 rings"), and means the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from modalgen.evaluate.lexicon import (
    BOTH,
    DENIAL,
    EITHER,
    EVERY,
    IF,
    MANY_AFFIRMED,
    MANY_DENIED,
    SLOTS,
    SOME,
    Phrase,
    Words,
)
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
    free_variables,
)

MAX_NESTING = 300
"""The deepest nesting that the reader follows, a bracket counted twice."""


class EnglishError(ValueError):
    """The text is no sentence of controlled English in this lexicon."""


def clause(formula: Formula, words: Words) -> str:
    """The formula in the words of a lexicon, as a part of a sentence, without a full stop."""
    match formula:
        case Iff(a, b):
            return f"{_part(a, words)} if and only if {_part(b, words)}"
        case And(a, b):
            return f"{BOTH} {_part(a, words)} and {_part(b, words)}"
        case Or(a, b):
            return f"{EITHER} {_part(a, words)} or {_part(b, words)}"
        case Implies(a, b):
            condition = clause(a, words) if _is_simple(a) else f"[{clause(a, words)}]"
            consequent = _part(b, words) if isinstance(b, Implies) else _rest(b, words)
            return f"{IF} {condition}, then {consequent}"
        case Box(a):
            return f"{words.necessity} {_rest(a, words)}"
        case Diamond(a):
            return f"{words.possibility} {_rest(a, words)}"
        case Forall(x, a):
            return f"{EVERY.format(individual=words.individual)} {_variable(x)}, {_rest(a, words)}"
        case Exists(x, a):
            return f"{SOME.format(individual=words.individual)} {_variable(x)}, {_rest(a, words)}"
        case Top():
            return words.truth
        case Bottom():
            return words.falsehood
        case Atom():
            return _fill(_phrase(formula, words).affirmed, formula, words)
        case Not(Atom() as atom):
            return _fill(_phrase(atom, words).denied, atom, words)
        case Not(a):
            return f"{DENIAL} {_rest(a, words)}"
    raise TypeError(f"not a formula: {formula!r}")


def sentence(formula: Formula, words: Words) -> str:
    """The clause as a sentence: with a capital letter and a full stop.

    Raises ValueError for an open formula, which states nothing.
    """
    if free := sorted(free_variables(formula)):
        raise ValueError(f"an open formula is no statement: the variable {free[0]!r} is free")
    text = clause(formula, words)
    return f"{text[0].upper()}{text[1:]}."


def read_clause(text: str, words: Words) -> Formula:
    """The formula that a clause states. Raises EnglishError if it is none of this lexicon."""
    return _Reader(text, words).whole_text()


def read_sentence(text: str, words: Words) -> Formula:
    """The formula that a sentence states. Raises EnglishError if it is none of this lexicon."""
    if not text.endswith("."):
        raise EnglishError("a sentence ends in a full stop")
    return read_clause(text[0].lower() + text[1:-1], words)


def _part(formula: Formula, words: Words) -> str:
    """A part whose end nothing else marks."""
    text = clause(formula, words)
    return text if _is_plain(formula) else f"[{text}]"


def _rest(formula: Formula, words: Words) -> str:
    """A part that goes on to the end of the sentence or bracket."""
    text = clause(formula, words)
    return f"[{text}]" if isinstance(formula, Iff) else text


def _is_plain(formula: Formula) -> bool:
    return isinstance(formula, (Atom, Top, Bottom)) or (
        isinstance(formula, Not) and isinstance(formula.operand, Atom)
    )


def _is_simple(formula: Formula) -> bool:
    while isinstance(formula, (Not, Box, Diamond)):
        formula = formula.operand
    if isinstance(formula, (And, Or)):
        return _is_plain(formula.left) and _is_plain(formula.right)
    return _is_plain(formula)


def _phrase(atom: Atom, words: Words) -> Phrase:
    match len(atom.arguments):
        case 0:
            return words.atoms
        case 1:
            return words.properties.get(atom.predicate, words.other_property)
        case 2:
            return words.relations.get(atom.predicate, words.other_relation)
        case _:
            return Phrase(MANY_AFFIRMED, MANY_DENIED)


def _fill(phrase: str, atom: Atom, words: Words) -> str:
    name = atom.predicate
    if not atom.arguments and name in words.atom_order:
        name = str(words.atom_order.index(name) + 1)
    variables = [_variable(x) for x in atom.arguments]
    individuals = dict(zip(("x", "y"), variables, strict=False))
    return phrase.format(name=name, tuple=f"({','.join(variables)})", **individuals)


def _variable(name: str) -> str:
    """The variable; in quotes if it is not one letter with a number, which could be taken for a word."""
    return name if re.fullmatch(r"[A-Za-z][0-9]*", name) else f"“{name}”"


# The rest is the reader.

_TOKEN = re.compile(r"\s+|([\[\],]|\([^()\s]*\)|[^\s\[\],()]+)")

Slots = dict[str, str]
Entry = tuple[tuple[str, ...], Callable[[Slots], Formula]]


def _split(text: str) -> tuple[str, ...]:
    """The words, commas and brackets of a text; an argument list in parentheses is one word."""
    tokens: list[str] = []
    end = 0
    while end < len(text):
        found = _TOKEN.match(text, end)
        if found is None:
            raise EnglishError(f"the character {text[end]!r} does not belong here")
        end = found.end()
        if found[1]:
            tokens.append(found[1])
    return tuple(tokens)


_tokens = cache(_split)  # for what the lexicon and the grammar hold


def _sentences(words: Words) -> Iterator[Entry]:
    """Every sentence of the lexicon as a sequence of words and slots, with what it states."""

    def stated(phrase: Phrase, name: str | None = None) -> Iterator[Entry]:
        def atom(slots: Slots) -> Atom:
            arguments = slots["tuple"][1:-1].split(",") if "tuple" in slots else []
            arguments += [slots[slot] for slot in ("x", "y") if slot in slots]
            predicate = slots["name"] if name is None else name
            if predicate.isdigit():
                predicate = _numbered(int(predicate), words)
            return Atom(predicate, tuple(argument.strip("“”") for argument in arguments))

        yield _tokens(phrase.affirmed), atom
        yield _tokens(phrase.denied), lambda slots: Not(atom(slots))

    yield _tokens(words.truth), lambda _: Top()
    yield _tokens(words.falsehood), lambda _: Bottom()
    yield from stated(words.atoms)
    for name, phrase in (*words.properties.items(), *words.relations.items()):
        yield from stated(phrase, name)
    for phrase in (words.other_property, words.other_relation, Phrase(MANY_AFFIRMED, MANY_DENIED)):
        yield from stated(phrase)


def _numbered(number: int, words: Words) -> str:
    if number > len(words.atom_order):
        raise EnglishError(f"the lexicon has no atom with the number {number}")
    return words.atom_order[number - 1]


def _fits(pattern: str, token: str, slots: Slots) -> bool:
    """Whether the token is the word *pattern*, or may fill the slot that it is, which is noted."""
    if not pattern.startswith("{"):
        return pattern == token
    slot = pattern[1:-1]
    slots[slot] = token
    return SLOTS[slot].fullmatch(token) is not None


class _Reader:
    """Recursive descent with the position of the next word and the depth of the descent."""

    def __init__(self, text: str, words: Words) -> None:
        self._tokens = _split(text)
        self._sentences = tuple(_sentences(words))
        self._words = words
        self._next = 0
        self._depth = 0

    def whole_text(self) -> Formula:
        formula = self._filling()
        if self._next != len(self._tokens):
            raise self._error("the end of the sentence")
        return formula

    def _filling(self) -> Formula:
        """What fills a sentence or a bracket: a statement, or two parts with "if and only if"."""
        left = self._optional_part()
        if left is None:
            return self._statement()
        return Iff(left, self._part()) if self._accept("if and only if") else left

    def _statement(self) -> Formula:
        self._descend(1)
        formula = self._construction() or self._part()
        self._descend(-1)
        return formula

    def _construction(self) -> Formula | None:
        """The construction that begins here with words of its own, if one does."""
        for opening, middle, binary, part in (
            (BOTH, "and", And, self._part),
            (EITHER, "or", Or, self._part),
            (IF, ", then", Implies, self._statement),
        ):
            if self._accept(opening):
                left = part()
                self._expect(middle)
                return binary(left, part())
        for opening, unary in (
            (DENIAL, Not),
            (self._words.necessity, Box),
            (self._words.possibility, Diamond),
        ):
            if self._accept(opening):
                return unary(self._statement())
        for opening, quantifier in ((EVERY, Forall), (SOME, Exists)):
            if self._accept(opening.format(individual=self._words.individual)):
                return quantifier(self._bound_variable(), self._statement())
        return None

    def _part(self) -> Formula:
        formula = self._optional_part()
        if formula is None:
            raise self._error("a statement")
        return formula

    def _optional_part(self) -> Formula | None:
        """The bracket or the sentence of the lexicon that begins here, if one does."""
        if self._accept("["):
            self._descend(2)
            formula = self._filling()
            self._descend(-2)
            self._expect("]")
            return formula
        for pattern, state in self._sentences:
            window = self._tokens[self._next : self._next + len(pattern)]
            slots: Slots = {}
            if len(window) == len(pattern) and all(
                _fits(word, token, slots) for word, token in zip(pattern, window, strict=True)
            ):
                self._next += len(pattern)
                return state(slots)
        return None

    def _bound_variable(self) -> str:
        token = self._tokens[self._next] if self._next < len(self._tokens) else ""
        if not SLOTS["x"].fullmatch(token):
            raise self._error("a variable")
        self._next += 1
        self._expect(",")
        return token.strip("“”")

    def _accept(self, text: str) -> bool:
        wanted = _tokens(text)
        if self._tokens[self._next : self._next + len(wanted)] != wanted:
            return False
        self._next += len(wanted)
        return True

    def _expect(self, text: str) -> None:
        if not self._accept(text):
            raise self._error(f"“{text}”")

    def _descend(self, levels: int) -> None:
        self._depth += levels
        if self._depth > MAX_NESTING:
            raise EnglishError(f"the sentence is nested more than {MAX_NESTING} levels deep")

    def _error(self, expected: str) -> EnglishError:
        here = " ".join(self._tokens[self._next : self._next + 6]) or "the end"
        return EnglishError(f"{expected} is expected after {self._next} words, not “{here}”")
