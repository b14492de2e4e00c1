"""Lexicons: the words that stand for operators, predicates and individuals in a prompt.

A lexicon is a YAML file, checked against schemas/lexicon.schema.json and then for ambiguity. All
constructions of controlled English begin with fixed words or are a sentence of the lexicon. Seen as
sequences of words with slots for names, no one of them may be a prefix of another: then the words
at hand always tell which construction begins, and reading needs no choice (a prefix code, as in
Polish notation). `modalgen.evaluate.english` writes and reads with this table.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import combinations
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, ValidationError

from modalgen.files import json_line, sha256
from modalgen.gen.diagnostics import Diagnostic, SpecError, in_file_order, nearest, quoted
from modalgen.gen.yaml_source import Keys, Source, load_yaml

# The openings of controlled English that are the same in all lexicons.
BOTH, EITHER, IF = "both", "either", "if"
DENIAL = "it is not the case that"
EVERY, SOME = "for every existing {individual}", "for some existing {individual}"

# A predicate of three or more arguments has one form in all lexicons.
MANY_AFFIRMED = "relation {name} holds of {tuple}"
MANY_DENIED = "relation {name} does not hold of {tuple}"

# Words that only the constructions of controlled English may use.
_CONNECTING = frozenset({"and", "or", "both", "either", "if", "then"})

# What may stand in a slot. A variable that could be taken for a word is written in quotes.
VARIABLE = r"[A-Za-z][0-9]*|“[A-Za-z][A-Za-z0-9_]*”"
SLOTS = {
    "x": re.compile(VARIABLE),
    "y": re.compile(VARIABLE),
    "name": re.compile(r"[1-9][0-9]*|[A-Za-z][A-Za-z0-9_]*"),
    "tuple": re.compile(rf"\((?:{VARIABLE})(?:,(?:{VARIABLE})){{2,}}\)"),
}


class LexiconError(ValueError):
    """A lexicon that cannot be used; the message says where and why, one line for each mistake."""


@dataclass(frozen=True)
class Phrase:
    """A sentence and its negation, with slots {x}, {y}, {name}."""

    affirmed: str
    denied: str


@dataclass(frozen=True)
class Words:
    """The words of a lexicon; the fields are those of its file.

    `atom_order` are the atoms that the phrase `atoms` shows by their number from 1.
    """

    necessity: str
    possibility: str
    truth: str
    falsehood: str
    individual: str
    individuals: str
    atoms: Phrase
    atom_order: tuple[str, ...]
    properties: Mapping[str, Phrase]
    other_property: Phrase
    relations: Mapping[str, Phrase]
    other_relation: Phrase


@dataclass(frozen=True)
class Lexicon:
    """A lexicon: its words, or None where formulas are shown as formulas. `sha256` is the hash of
    its content, whatever the layout of the file."""

    id: str
    title: str
    words: Words | None
    sha256: str


def lexicon_names() -> tuple[str, ...]:
    """The lexicons that come with the package, sorted."""
    entries = resources.files("modalgen.evaluate").joinpath("lexicons").iterdir()
    return tuple(
        sorted(entry.name.removesuffix(".yaml") for entry in entries if entry.name.endswith(".yaml"))
    )


@cache
def lexicon(name: str) -> Lexicon:
    """The lexicon of this name that comes with the package. Raises LexiconError if there is none."""
    if name not in (names := lexicon_names()):
        raise LexiconError(f"there is no lexicon {quoted(name)}; the lexicons are {', '.join(names)}")
    with resources.as_file(resources.files("modalgen.evaluate") / "lexicons" / f"{name}.yaml") as path:
        return load_lexicon(path)


def load_lexicon(path: Path) -> Lexicon:
    """The lexicon that a YAML file describes.

    Raises LexiconError, with line and column of each mistake, if the file cannot be read, breaks
    the schema, uses slots where they do not belong, or could be read in two ways.
    """
    try:
        source, diagnostics = load_yaml(path)
    except SpecError as error:
        raise LexiconError(str(error)) from None
    diagnostics += [
        _told(source, error) for error in Draft202012Validator(_schema()).iter_errors(source.data)
    ]
    if not diagnostics and source.data["notation"] == "words":
        diagnostics = [*_misplaced_slots(source), *_ambiguities(source)]
    if diagnostics:
        raise LexiconError("\n".join(map(str, in_file_order(diagnostics))))
    data = source.data
    words = _words(data["words"]) if data["notation"] == "words" else None
    return Lexicon(data["id"], data["title"], words, sha256(json_line(data)))


@cache
def _schema() -> dict[str, Any]:
    text = resources.files("modalgen.schemas").joinpath("lexicon.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def _words(data: dict[str, Any]) -> Words:
    def phrase(entry: dict[str, str]) -> Phrase:
        return Phrase(entry["affirmed"], entry["denied"])

    return Words(
        **{key: data[key] for key in ("necessity", "possibility", "truth", "falsehood")},
        individual=data["individual"],
        individuals=data["individuals"],
        atoms=phrase(data["atoms"]),
        atom_order=tuple(data["atoms"]["order"]),
        properties={name: phrase(entry) for name, entry in data["properties"].items()},
        other_property=phrase(data["other_property"]),
        relations={name: phrase(entry) for name, entry in data["relations"].items()},
        other_relation=phrase(data["other_relation"]),
    )


def _told(source: Source, error: ValidationError) -> Diagnostic:
    """What the schema finds wrong, in words, at the place to mend."""
    path: Keys = tuple(error.absolute_path)
    schema: Any = error.schema
    value: Any = error.instance
    limit: Any = error.validator_value
    suggestion = None
    line, column = source.at_value(path)
    match error.validator:
        case "additionalProperties":
            known = schema["properties"]
            unknown = next(key for key in value if key not in known)
            line, column = source.at_key((*path, unknown))
            message, suggestion = f"unknown key {quoted(unknown)}", nearest(unknown, known)
        case "required":
            missing = next(key for key in limit if key not in value)
            message = f"the key {quoted(missing)} is missing here"
        case "pattern" | "not" if "errorMessage" in schema:
            message = f"{quoted(value)}: " if isinstance(value, str) else ""
            message += schema["errorMessage"]
        case _:
            message = error.message if len(error.message) <= 200 else f"{error.message[:200]}…"
    return Diagnostic(source.file, line, column, message, suggestion=suggestion)


def _phrases(source: Source) -> Iterator[tuple[Keys, str, frozenset[str]]]:
    """Every sentence of the file: its path, the sentence, and the slots that it must have."""
    words = source.data["words"]
    entries: list[tuple[Keys, frozenset[str]]] = [
        (("atoms",), frozenset({"name"})),
        (("other_property",), frozenset({"x", "name"})),
        (("other_relation",), frozenset({"x", "y", "name"})),
        *((("properties", name), frozenset({"x"})) for name in words["properties"]),
        *((("relations", name), frozenset({"x", "y"})) for name in words["relations"]),
    ]
    for path, slots in entries:
        for form in ("affirmed", "denied"):
            full: Keys = ("words", *path, form)
            yield full, source.get(full), slots


def _misplaced_slots(source: Source) -> Iterator[Diagnostic]:
    for path, sentence, slots in _phrases(source):
        found = sorted(re.findall(r"\{(\w+)\}", sentence))
        if found != sorted(slots):
            needed = " and ".join(f"{{{slot}}}" for slot in sorted(slots))
            yield Diagnostic(source.file, *source.at_value(path), f"this sentence needs {needed}, once each")


def _ambiguities(source: Source) -> Iterator[Diagnostic]:
    """The places where one construction could be taken for another."""
    words = source.data["words"]
    named = {key: words[key] for key in ("necessity", "possibility", "truth", "falsehood")}
    of_file: list[tuple[Keys, str]] = [(("words", key), text) for key, text in named.items()]
    of_file += [(path, sentence) for path, sentence, _ in _phrases(source)]
    for path, text in of_file:
        if used := sorted(_CONNECTING & set(text.split())):
            message = f"the word {quoted(used[0])} connects statements and may not be used in a lexicon"
            yield Diagnostic(source.file, *source.at_value(path), message)
    individual = words["individual"]
    fixed = [BOTH, EITHER, IF, DENIAL, MANY_AFFIRMED, MANY_DENIED]
    fixed += [opening.format(individual=individual) for opening in (EVERY, SOME)]
    everything: list[tuple[Keys, str]] = [(("words",), text) for text in fixed] + of_file
    for (_, first), (path, second) in combinations(everything, 2):
        if path != ("words",) and _may_coincide(first.split(), second.split()):
            message = f"{quoted(second)} could be confused with {quoted(first)}"
            yield Diagnostic(source.file, *source.at_value(path), message)


def _may_coincide(first: list[str], second: list[str]) -> bool:
    """Whether some text that begins like one of them, slots filled, begins like the other too."""
    return all(_may_be_equal(a, b) for a, b in zip(first, second, strict=False))


def _may_be_equal(first: str, second: str) -> bool:
    slots = [SLOTS[word[1:-1]] if word.startswith("{") else None for word in (first, second)]
    if slots[0] is None and slots[1] is None:
        return first == second
    if slots[0] is not None and slots[1] is not None:
        return True  # nearly so: variables and names overlap, and to be strict does no harm
    if slots[0] is not None:
        return slots[0].fullmatch(second) is not None
    return slots[1] is not None and slots[1].fullmatch(first) is not None
