"""YAML with the place of every key and value, read so that nothing in it can surprise.

PyYAML's parser delivers events; one recursive descent over them, of bounded depth, builds plain
data and a map from each path of keys and indices to its place in the file. Nothing is resolved that
reads one way here and another way elsewhere: where YAML 1.1 takes an unquoted word for a boolean, a
date or a number in disguise, the author is asked to quote it. Anchors, aliases, merge keys and tags
are refused when they are met, so no alias is ever expanded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from modalgen.gen.diagnostics import Diagnostic, SpecError, quoted
from modalgen.gen.yaml_errors import Position, position, syntax_error

MAX_BYTES = 1_000_000
MAX_DEPTH = 20

Keys = tuple[str | int, ...]

_NULL = re.compile(r"~|null|Null|NULL|")
_TRUE = re.compile(r"true|True|TRUE")
_FALSE = re.compile(r"false|False|FALSE")
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")
_DECIMAL = re.compile(r"[-+]?[0-9]{1,17}\.[0-9]{1,17}")
# The boolean words of YAML 1.1 (https://yaml.org/type/bool.html) that are none in YAML 1.2.
_OLD_BOOLEAN = {
    word: truth
    for truth, words in ((True, ("y", "yes", "on")), (False, ("n", "no", "off")))
    for lower in words
    for word in (lower, lower.capitalize(), lower.upper())
}
# What the other implicit types of YAML 1.1 are called: 0x1F, 1_000, 1:30, 1e3, .inf, 2024-01-31, =.
_TYPE_NAMES = {
    "tag:yaml.org,2002:int": "a number",
    "tag:yaml.org,2002:float": "a number",
    "tag:yaml.org,2002:timestamp": "a date",
    "tag:yaml.org,2002:value": "a default key",
    "tag:yaml.org,2002:merge": "a merge key",
}


@dataclass(frozen=True)
class Place:
    """Where a value stands, where its key stands (None in a list), and, for text that the file shows
    character by character on one line, where its first character is."""

    value: Position
    key: Position | None = None
    text: Position | None = None


@dataclass(frozen=True)
class Source:
    """A file's data and the places of its parts, by path. The empty path is the whole document."""

    file: str
    data: Any
    places: dict[Keys, Place]

    def at_value(self, path: Keys) -> Position:
        """The place of the value at *path*, or of the nearest part around it that exists."""
        while path not in self.places:
            path = path[:-1]
        return self.places[path].value

    def at_key(self, path: Keys) -> Position:
        """The place of the key at *path*; in a list, and where there is no such key, of the value."""
        place = self.places.get(path)
        return place.key if place is not None and place.key is not None else self.at_value(path)

    def in_text(self, path: Keys, offset: int, message: str, suggestion: str | None = None) -> Diagnostic:
        """An error at a character (from 0) of the text at *path*.

        It points at that character, or, where the text is folded or escaped, at its start, and then
        shows the character with a caret.
        """
        start = self.places[path].text
        if start is not None:
            return Diagnostic(self.file, start[0], start[1] + offset, message, suggestion=suggestion)
        line, column = self.at_value(path)
        excerpt = _caret(self.get(path), offset)
        message += f" (at character {offset + 1} of the text)"
        return Diagnostic(self.file, line, column, message, suggestion=suggestion, excerpt=excerpt)

    def get(self, path: Keys) -> Any:
        """The value at *path*, None if there is none."""
        value = self.data
        for key in path:
            try:
                value = value[key]
            except (KeyError, IndexError, TypeError):
                return None
        return value


def load_yaml(path: Path) -> tuple[Source, list[Diagnostic]]:
    """The data of a YAML file, and the mistakes in it that leave the rest readable.

    Words that should have been quoted stand in the data as the text that they show. Raises
    SpecError if the file cannot be read, is no YAML, or uses what is refused outright.
    """
    file = str(path)
    text = _read(path, file)
    builder = _Builder(file, text)
    try:
        data = builder.document()
    except yaml.YAMLError as error:
        raise SpecError([*builder.diagnostics, syntax_error(file, error, builder.last)]) from None
    except (ValueError, OverflowError):
        # An escape such as "\UFFFFFFFF" is beyond Unicode, which PyYAML does not check.
        line, column = position(builder.last.end_mark) if builder.last is not None else (1, 1)
        problem = Diagnostic(file, line, column, "an escape after this place is no Unicode character")
        raise SpecError([*builder.diagnostics, problem]) from None
    return Source(file, data, builder.places), builder.diagnostics


def _read(path: Path, file: str) -> str:
    def refuse(message: str, before: str = "", expected: str | None = None) -> SpecError:
        line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
        return SpecError([Diagnostic(file, line, column, message, expected)])

    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise refuse(f"the file cannot be read: {reason}") from None
    if len(content) > MAX_BYTES:
        raise refuse("the file is too large", expected=f"at most {MAX_BYTES} bytes")
    if content.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise refuse("the file starts with a byte order mark", expected="UTF-8 without a byte order mark")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8")
        byte = content[error.start]
        raise refuse(f"the byte 0x{byte:02x} is not UTF-8", before, "a file saved as UTF-8") from None
    if found := yaml.reader.Reader.NON_PRINTABLE.search(text):
        message = f"the character U+{ord(found.group()):04X} is not allowed in YAML"
        raise refuse(message, text[: found.start()])
    return text


def _implicit_type(word: str) -> str | None:
    """What YAML 1.1 takes an unquoted word for, None if it is text."""
    resolvers = yaml.SafeLoader.yaml_implicit_resolvers
    for tag, pattern in (*resolvers.get(word[0], ()), *resolvers.get(None, ())):
        if pattern.match(word):
            return _TYPE_NAMES.get(tag)
    return None


def _caret(text: str, offset: int) -> str:
    """The line of *text* with the character at *offset*, and a caret under that character."""
    start = text.rfind("\n", 0, offset) + 1
    line = "".join(c if c.isprintable() else " " for c in text[start:].split("\n", 1)[0])
    return f"{line}\n{' ' * (offset - start)}^"


@dataclass
class _Builder:
    """The descent over the events of one file; collects places and diagnostics on its way."""

    file: str
    text: str
    places: dict[Keys, Place] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    last: yaml.Event | None = None

    def __post_init__(self) -> None:
        self.events: Iterator[yaml.Event] = yaml.parse(self.text, Loader=yaml.SafeLoader)

    def document(self) -> Any:
        """The data of the only document. Raises SpecError if there is none or a second one."""
        self._next()
        if not isinstance(self._next(), yaml.DocumentStartEvent):
            raise self._refused((1, 1), "the file is empty")
        data = self._node(self._next(), (), None, 0)
        self._next()
        after = self._next()
        if isinstance(after, yaml.DocumentStartEvent):
            raise self._refused(
                position(after.start_mark), "a second document starts here; use one file each"
            )
        if data is None:
            raise self._refused((1, 1), "the file holds no keys")
        return data

    def _next(self) -> yaml.Event:
        self.last = event = next(self.events)
        return event

    def _report(self, place: Position, message: str) -> None:
        self.diagnostics.append(Diagnostic(self.file, *place, message))

    def _refused(self, place: Position, message: str) -> SpecError:
        return SpecError([*self.diagnostics, Diagnostic(self.file, *place, message)])

    def _node(self, event: yaml.Event, path: Keys | None, key: Position | None, depth: int) -> Any:
        """The value that starts with *event*. Where *path* is None, its places are not kept."""
        here = position(event.start_mark)
        self._check_plainness(event)
        if depth > MAX_DEPTH:
            raise self._refused(here, f"values are nested more than {MAX_DEPTH} deep")
        value: Any
        text = None
        if isinstance(event, yaml.ScalarEvent):
            value, text = self._scalar(event), self._verbatim(event)
        elif isinstance(event, yaml.MappingStartEvent):
            value = self._mapping(path, depth)
        else:
            value = self._sequence(path, depth)
        if path is not None:
            self.places[path] = Place(here, key, text)
        return value

    def _sequence(self, path: Keys | None, depth: int) -> list[Any]:
        values: list[Any] = []
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            inner = None if path is None else (*path, len(values))
            values.append(self._node(event, inner, None, depth + 1))
        return values

    def _mapping(self, path: Keys | None, depth: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        lines: dict[str, int] = {}
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            here = position(event.start_mark)
            name = self._key(event, depth)
            if name in lines:
                self._report(here, f"duplicate key {quoted(name)}; it stands on line {lines[name]} already")
                name = None
            inner = None if path is None or name is None else (*path, name)
            value = self._node(self._next(), inner, here, depth + 1)
            if name is not None:
                values[name], lines[name] = value, here[0]
        return values

    def _key(self, event: yaml.Event, depth: int) -> str | None:
        """The key as text; None if it has to be passed over together with its value."""
        here = position(event.start_mark)
        if not isinstance(event, yaml.ScalarEvent):
            self._node(event, None, None, depth + 1)
            self._report(here, "a key must be text, not a list or a mapping; put formulas in quotes")
            return None
        self._check_plainness(event)
        if event.style is None and event.value == "<<":
            self._report(here, "merge keys (`<<`) are not supported; write the keys out")
            return None
        reported = len(self.diagnostics)
        value = self._scalar(event)
        if not isinstance(value, str) and len(self.diagnostics) == reported:
            problem = f"a key must be text, and {quoted(event.value)} is none; quote it"
            self._report(here, problem if event.value else "the key before this `:` is missing")
        return str(event.value)

    def _check_plainness(self, event: yaml.Event) -> None:
        """Raise SpecError at an anchor, an alias or a tag."""
        here = position(event.start_mark)
        hint = "put text that starts with it, such as a formula, in quotes"
        if not isinstance(event, yaml.NodeEvent):
            return
        if isinstance(event, yaml.AliasEvent):
            message = f"aliases (`*{event.anchor}`) are not supported; write the value out, and {hint}"
            raise self._refused(here, message)
        if event.anchor is not None:
            message = f"anchors (`&{event.anchor}`) are not supported; write each value out, and {hint}"
            raise self._refused(here, message)
        if isinstance(event, (yaml.ScalarEvent, yaml.CollectionStartEvent)) and event.tag is not None:
            message = f"tags (`!…`) are not supported; write the plain value, and {hint}"
            raise self._refused(here, message)

    def _scalar(self, event: yaml.ScalarEvent) -> str | int | float | bool | None:
        word: str = event.value
        here = position(event.start_mark)
        if any("\ud800" <= character <= "\udfff" for character in word):
            self._report(here, "the text holds half a surrogate pair, which is no character")
            return "?"
        if event.style is not None:
            return word
        if _NULL.fullmatch(word):
            return None
        if _TRUE.fullmatch(word) or _FALSE.fullmatch(word):
            return _TRUE.fullmatch(word) is not None
        if _INTEGER.fullmatch(word):
            return int(word)
        if _DECIMAL.fullmatch(word):
            return float(word)
        if word in _OLD_BOOLEAN:
            truth = "true" if _OLD_BOOLEAN[word] else "false"
            remedy = f"quote it, or write `{truth}` if that is meant"
            self._report(here, f"unquoted `{word}` reads as a boolean in YAML; {remedy}")
        elif kind := _implicit_type(word):
            self._report(
                here, f"unquoted {quoted(word)} reads as {kind} in YAML; quote it, or write it plainly"
            )
        return word

    def _verbatim(self, event: yaml.ScalarEvent) -> Position | None:
        """Where the first character of a text stands, if the file shows it as it is, on one line."""
        start, end = event.start_mark, event.end_mark
        assert start is not None and end is not None
        shown = self.text[start.index : end.index]
        inside = shown if event.style is None else shown[1:-1]
        if inside != event.value or "\n" in inside:
            return None
        line, column = position(start)
        return (line, column) if event.style is None else (line, column + 1)
