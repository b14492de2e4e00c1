"""Checks a contrast against its JSON Schema (draft 2020-12) and says in plain words what is wrong.

The jsonschema library finds the faults; here each becomes a sentence at the key or the value that
is to be mended. Where a fault of one place has several symptoms (a misspelt key is an unknown key
and a missing one) only the nearest to its cause is told.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from jsonschema import Draft202012Validator, ValidationError

from modalgen.gen.diagnostics import Diagnostic, listed, nearest, quoted
from modalgen.gen.yaml_source import Keys, Source
from modalgen.semantics import SYSTEMS

_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping (`key: value`)",
}
# Of several faults at one place the first of these is told; the rest follow from it.
_ORDER = ("type", "value", "rule", "key")


@dataclass(frozen=True)
class Fault:
    """A fault before it has a position: of the key or of the value at `path`."""

    path: Keys
    kind: str
    message: str
    expected: str | None = None
    suggestion: str | None = None
    at_key: bool = False
    # Where a key is missing, `path` is that of the mapping and this is the key.
    missing: str | None = None

    @property
    def spoils(self) -> Keys:
        """The path of the part that cannot be used because of this fault."""
        return self.path if self.missing is None else (*self.path, self.missing)


@cache
def file_schema(kind: str) -> dict[str, Any]:
    """The JSON Schema of a kind of file, "contrast" or "set"."""
    text = resources.files("modalgen.schemas").joinpath(f"{kind}.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def file_format(kind: str) -> str:
    """What a file of this kind has to say of its format."""
    return str(file_schema(kind)["properties"]["schema"]["const"])


@dataclass(frozen=True)
class Parts:
    """A file of which some parts are unusable; the others can be checked further."""

    source: Source
    spoilt: frozenset[Keys]
    """The paths of what is at fault, and …"""
    around: frozenset[Keys]
    """… of all that it is a part of."""

    def get(self, *path: str | int) -> Any:
        """The value at *path* if the schema finds no fault in it or around it, else None."""
        if path in self.around or any(path[:length] in self.spoilt for length in range(len(path) + 1)):
            return None
        return self.source.get(path)

    def count(self, *path: str | int) -> int:
        """The number of items in the list at *path*, unusable ones included; 0 if it is no list."""
        value = self.source.get(path)
        return len(value) if isinstance(value, list) else 0


def schema_faults(source: Source, kind: str) -> tuple[list[Diagnostic], Parts]:
    """What the schema of its kind finds wrong in a file, and its usable parts."""
    version = source.get(("schema",))
    if isinstance(version, str) and version != file_format(kind):
        # Another version may mean another format: nothing else that is found would be to the point.
        message = f"{quoted(version)} is no format that this version of modalgen reads"
        position = source.at_value(("schema",))
        diagnostic = Diagnostic(source.file, *position, message, expected=f"`{file_format(kind)}`")
        return [diagnostic], _parts(source, {()})
    validator = Draft202012Validator(file_schema(kind))
    faults = [fault for error in validator.iter_errors(source.data) for fault in _faults(error, kind)]
    parts = _parts(source, {fault.spoils for fault in faults})
    return [_diagnostic(source, fault) for fault in _causes(faults)], parts


def _parts(source: Source, spoilt: set[Keys]) -> Parts:
    around = {path[:length] for path in spoilt for length in range(len(path))}
    return Parts(source, frozenset(spoilt), frozenset(around))


def _diagnostic(source: Source, fault: Fault) -> Diagnostic:
    position = source.at_key(fault.path) if fault.at_key else source.at_value(fault.path)
    return Diagnostic(source.file, *position, fault.message, fault.expected, fault.suggestion)


def _causes(faults: list[Fault]) -> Iterator[Fault]:
    """The faults without those that follow from another one."""
    rank: dict[Keys, int] = {}
    for fault in faults:
        if fault.missing is None:
            place = _ORDER.index(fault.kind)
            rank[fault.path] = min(place, rank.get(fault.path, place))
    misspelt = {(*fault.path[:-1], fault.suggestion) for fault in faults if fault.kind == "key"}
    for fault in faults:
        if fault.missing is not None:
            if fault.spoils not in misspelt:
                yield fault
        elif _ORDER.index(fault.kind) == rank[fault.path]:
            yield fault


def _faults(error: ValidationError, kind: str) -> Iterator[Fault]:
    """The faults that one error of jsonschema stands for."""
    path = _path(error)
    schema: Any = error.schema
    value: Any = error.instance
    limit: Any = error.validator_value
    if "propertyNames" in error.absolute_schema_path:
        path = (*path, value)
        yield Fault(path, "rule", _broken_rule(error, path, schema), at_key=True)
        return
    match error.validator:
        case "type":
            yield _wrong_type(path, value, limit)
        case "enum":
            yield _unknown_value(path, value, limit, str(schema.get("title", "value")).lower())
        case "const":
            yield Fault(path, "value", f"{_name(path)} has another value", expected=quoted(limit))
        case "required":
            # jsonschema has an error for each missing key and names it only in its message. All are
            # told for each such error; a diagnostic that is told twice counts once.
            for key in (key for key in limit if key not in value):
                expected = f"`schema: {file_format(kind)}`" if (path, key) == ((), "schema") else None
                where = f" in {_name(path)}" if path else ""
                yield Fault(
                    path, "key", f"the key {quoted(key)} is missing{where}", expected, None, True, key
                )
        case "anyOf":
            keys = [key for branch in limit for key in branch["required"]]
            missing = next((key for key in keys if nearest(key, value)), keys[0])
            yield Fault(
                path, "key", f"{_name(path)} has neither {listed(keys, 'nor')}", None, None, True, missing
            )
        case "oneOf" if isinstance(value, dict):
            yield _not_exactly_one(path, value, [key for branch in limit for key in branch["required"]])
        case "additionalProperties":
            allowed = list(schema["properties"])
            for key in value:
                if key not in allowed:
                    yield _unknown_key(path, key, allowed, value)
        case "uniqueItems":
            repeated = next(i for i, item in enumerate(value) if item in value[:i])
            yield Fault((*path, repeated), "rule", f"{quoted(str(value[repeated]))} is listed twice")
        case "oneOf":
            pass  # The branches ask for keys; that this is no mapping is a fault of its own.
        case "not":
            yield Fault(path, "rule", schema["errorMessage"], at_key=True)
        case _:
            yield Fault(path, "rule", _broken_rule(error, path, schema), _range(error, schema))


def _path(error: ValidationError) -> Keys:
    return tuple(key for key in error.absolute_path if isinstance(key, (str, int)))


def _name(path: Keys) -> str:
    """What people call the part at *path*."""
    match path:
        case ():
            return "the file"
        case ("sides", str(side)):
            return f"side `{side}`"
        case ("templates", int(number)):
            return f"template {number + 1}"
        case ("grammar", int(number)):
            return f"grammar {number + 1}"
        case (*_, "premises", int(number)):
            return f"premise {number + 1}"
        case (*_, str(key), int(number)):
            return f"item {number + 1} of {quoted(key)}"
        case (*_, last):
            return quoted(str(last))
    raise AssertionError(path)


def _described(value: object) -> str:
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, (int, float)):
        return f"the number {value}"
    if isinstance(value, str):
        return f"the text {quoted(value)}"
    if value is None:
        return "empty"
    return "a list" if isinstance(value, list) else "a mapping"


def _wrong_type(path: Keys, value: object, wanted: str) -> Fault:
    message = f"{_name(path)} is {_described(value)}"
    expected = _TYPES[wanted]
    if wanted == "string" and isinstance(value, (list, dict)):
        expected += " (put formulas in quotes)"
    elif wanted == "string" and isinstance(value, (bool, int, float)):
        expected += " (in quotes)"
    elif path[-1:] == ("frame",) and value in list(SYSTEMS):
        expected += f" of conditions; for the system write `system: {value}`"
    return Fault(path, "type", message, expected)


def _unknown_value(path: Keys, value: object, known: list[str], kind: str) -> Fault:
    message = f"{quoted(str(value))} is no {kind}"
    if kind == "frame condition" and value in list(SYSTEMS):
        message += f" but a system; write `system: {value}` in place of `frame`"
        return Fault(path, "value", message)
    return Fault(path, "value", message, listed(known), nearest(str(value), known))


def _unknown_key(path: Keys, key: str, allowed: list[str], present: Iterable[str]) -> Fault:
    absent = [name for name in allowed if name not in present]
    suggestion = nearest(key, absent)
    where = f" in {_name(path)}" if path else ""
    return Fault((*path, key), "key", f"unknown key {quoted(key)}{where}", listed(allowed), suggestion, True)


def _not_exactly_one(path: Keys, value: dict[str, Any], keys: list[str]) -> Fault:
    both = [key for key in value if key in keys]
    if both:
        message = f"{_name(path)} has both {listed(both, 'and')}; keep one of them"
        return Fault((*path, both[-1]), "rule", message, at_key=True)
    return Fault(path, "key", f"{_name(path)} says nothing of frames", listed(keys), None, True, keys[0])


def _broken_rule(error: ValidationError, path: Keys, schema: dict[str, Any]) -> str:
    """The sentence for a broken bound or pattern."""
    value: Any = error.instance
    limit: Any = error.validator_value
    match error.validator:
        case "pattern":
            shown = f"{quoted(value)}: " if value.strip() else ""
            return f"{shown}{schema['errorMessage']}"
        case "minItems" | "minProperties":
            return f"{_name(path)} is empty"
        case "maxItems" | "maxProperties":
            return f"{_name(path)} has {len(value)} entries, more than {limit}"
        case "maxLength":
            return f"{_name(path)} is {len(value)} characters long, more than {limit}"
        case _:
            return f"{_name(path)} is {value}"


def _range(error: ValidationError, schema: dict[str, Any]) -> str | None:
    if schema.get("type") == "number":
        return f"a number above {schema['exclusiveMinimum']} and up to {schema['maximum']}"
    if error.validator in ("minimum", "maximum"):
        return f"a whole number from {schema['minimum']} to {schema['maximum']}"
    return None
