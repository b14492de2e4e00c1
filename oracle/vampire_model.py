"""Vampire's finite models, read back and turned into Kripke models.

A finite model of a translation is printed as TPTP formulas: for each sort an axiom that lists its
elements, for each constant an equation, for each predicate the conjunction of all its ground
literals. What the translation calls worlds, accessibility and existence becomes a Kripke model
again. The reader relies on the shape of these axioms and not on their names, and what has another
shape is refused. Nothing depends on its being right: the reference evaluator judges the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from modalgen.kripke import KripkeModel
from modalgen.problem import Problem

_SECTION = re.compile(
    r"^% SZS output start FiniteModel\b.*?$\n(.*?)^% SZS output end FiniteModel\b", re.MULTILINE | re.DOTALL
)
_TOKEN = re.compile(r"\s*(?:(?P<word>'(?:[^'\\]|\\.)*'|[\w$]+)|(?P<sign>!=|[][(),.:!~&|=*>])|(?P<end>$))")


class ModelError(ValueError):
    """The output has no finite model that can be read; the message says why."""


@dataclass(frozen=True)
class Vocabulary:
    """What a translation calls things: the sort of worlds, the accessibility relation, the designated
    world, the existence predicate, and each of the problem's predicates.
    """

    world_sort: str
    accessibility: str
    designated: str
    existence: str
    symbols: Mapping[str, str]


@dataclass
class _Structure:
    """A finite structure as printed: elements by sort, constants, the true rows of each predicate."""

    sorts: dict[str, list[str]] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)
    facts: dict[str, set[tuple[str, ...]]] = field(default_factory=dict)


def has_finite_model(output: str) -> bool:
    """Whether Vampire's output has a finite model in it."""
    return "% SZS output start FiniteModel" in output


def read_model(output: str, vocabulary: Vocabulary, problem: Problem) -> KripkeModel:
    """The Kripke model that the finite model in Vampire's output describes.

    What the translation does not mention is free and gets the simplest value: a predicate that is
    not in the model is empty, and without an existence predicate everything exists everywhere.
    Raises ModelError if there is no model or it cannot be read.
    """
    section = _SECTION.search(output)
    if section is None:
        raise ModelError("there is no complete finite model in the output")
    structure = _read(section[1])
    names = structure.sorts.get(vocabulary.world_sort, ["the only world"])
    worlds = {name: number for number, name in enumerate(names)}
    individuals = {name: number for number, name in enumerate(structure.sorts.get("$i", ["the only one"]))}
    designated = structure.constants.get(vocabulary.designated, vocabulary.designated)

    def rows(predicate: str, *rest: Mapping[str, int]) -> set[tuple[int, ...]]:
        """The rows of a predicate whose first argument is a world, as numbers."""
        return {
            _numbers(predicate, row, (worlds, *rest)) for row in structure.facts.get(predicate, frozenset())
        }

    def by_world(predicate: str, arity: int) -> tuple[frozenset[tuple[int, ...]], ...]:
        found = rows(predicate, *[individuals] * arity)
        return tuple(frozenset(row[1:] for row in found if row[0] == w) for w in range(len(worlds)))

    domains = None
    if problem.semantics.domain is not None:
        everyone = frozenset(individuals.values())
        domains = tuple([everyone] * len(worlds))
        if vocabulary.existence in structure.facts:
            domains = tuple(frozenset(x for (x,) in row) for row in by_world(vocabulary.existence, 1))
    try:
        return KripkeModel(
            worlds=len(worlds),
            accessibility=frozenset((w, v) for w, v in rows(vocabulary.accessibility, worlds)),
            domains=domains,
            valuation={
                name: frozenset(w for (w,) in rows(vocabulary.symbols[name]))
                for name, arity in sorted(problem.signature)
                if arity == 0
            },
            extensions={
                name: by_world(vocabulary.symbols[name], arity)
                for name, arity in sorted(problem.signature)
                if arity > 0
            },
            actual=worlds.get(designated, 0),
        )
    except ValueError as error:
        raise ModelError(f"it is no Kripke model: {error}") from error


def _numbers(predicate: str, row: Sequence[str], sorts: Sequence[Mapping[str, int]]) -> tuple[int, ...]:
    if len(row) != len(sorts) or not all(x in sort for x, sort in zip(row, sorts, strict=True)):
        raise ModelError(f"{predicate}({','.join(row)}) is no fact about the model's elements")
    return tuple(sort[x] for x, sort in zip(row, sorts, strict=True))


def _read(text: str) -> _Structure:
    """The structure that the annotated formulas describe; lines that are comments do not count."""
    tokens = list(_tokens("\n".join(line for line in text.splitlines() if not line.startswith("%"))))
    structure = _Structure()
    position = 0
    while position < len(tokens):
        match tokens[position : position + 6]:
            case ["tff", "(", _, ",", role, ","]:
                end = _closing(tokens, position + 1)
                content = tokens[position + 6 : end]
            case _:
                raise ModelError(f"no annotated formula begins with {' '.join(tokens[position:][:6])}")
        if tokens[end + 1 : end + 2] != ["."]:
            raise ModelError("an annotated formula does not end with a full stop")
        if role == "axiom":
            _add(structure, content)
        elif role != "type":
            raise ModelError(f"the role {role} is not expected")
        position = end + 2
    return structure


def _tokens(text: str) -> Iterator[str]:
    """Words without their quotation marks, and signs."""
    position = 0
    while True:
        found = _TOKEN.match(text, position)
        if found is None:
            raise ModelError(f"{text[position:].lstrip()[:20]!r} cannot be read")
        if found["end"] is not None:
            return
        word = found["word"]
        if word is None:
            yield found["sign"]
        elif word.startswith("'"):
            yield re.sub(r"\\(.)", r"\1", word[1:-1])
        else:
            yield word
        position = found.end()


def _closing(tokens: Sequence[str], opening: int) -> int:
    """The position of the parenthesis that closes the one at *opening*."""
    depth = 0
    for position in range(opening, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[position], 0)
        if depth == 0:
            return position
    raise ModelError("a parenthesis is not closed")


def _add(structure: _Structure, content: list[str]) -> None:
    """Take in one axiom: the elements of a sort, their distinctness, a constant, or a predicate."""
    match content:
        case ["!", "[", variable, ":", sort, "]", ":", "(", *alternatives, ")"]:
            parts = _split(alternatives, "|")
            if not all(len(part) == 3 and part[:2] == [variable, "="] for part in parts):
                raise ModelError(f"the elements of the sort {sort} are not listed as expected")
            structure.sorts[sort] = [part[2] for part in parts]
        case [_, "!=", _, *_]:
            pass  # elements with different names are different
        case [constant, "=", element]:
            structure.constants[constant] = element
        case _:
            for literal in _split(content, "&"):
                _add_literal(structure, literal)


def _add_literal(structure: _Structure, literal: list[str]) -> None:
    negated = literal[:1] == ["~"]
    match literal[1:] if negated else literal:
        case [predicate, "(", *arguments, ")"] if len(arguments) % 2 == 1 and {*arguments[1::2]} <= {","}:
            rows = structure.facts.setdefault(predicate, set())
            if not negated:
                rows.add(tuple(arguments[::2]))
        case [_]:
            pass  # a propositional letter of Vampire's own
        case [_, "(", *_, ")", "=", _]:
            pass  # a function of Vampire's own; a translation has none
        case _:
            raise ModelError(f"the literal {' '.join(literal)} cannot be read")


def _split(tokens: Sequence[str], separator: str) -> list[list[str]]:
    """The parts between the separators."""
    parts: list[list[str]] = [[]]
    for token in tokens:
        if token == separator:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts
