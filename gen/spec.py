"""Reading a contrast: YAML, then the JSON Schema, then the checks that a schema cannot express.

Each stage goes on with what the one before found no fault in, so a file's mistakes come all at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from modalgen.gen.contrast import Content, Contrast, Selection, StructuralLimits, Template
from modalgen.gen.diagnostics import Diagnostic, SpecError, in_file_order
from modalgen.gen.schema_check import Parts, schema_faults
from modalgen.gen.spec_checks import contrast_faults, read_side
from modalgen.gen.template_checks import (
    PlacedFormula,
    declared_symbols,
    read_formulas,
    template_faults,
    used_names,
)
from modalgen.gen.yaml_source import load_yaml

__all__ = ["Diagnostic", "SpecError", "check", "load_contrast"]


def load_contrast(path: Path) -> Contrast:
    """The contrast that a file declares.

    Raises SpecError with everything that is wrong with the file, in file order; warnings alone
    raise nothing.
    """
    contrast, diagnostics = _read(path)
    if contrast is None:
        raise SpecError(diagnostics)
    return contrast


def check(path: Path) -> list[Diagnostic]:
    """Everything that is wrong with a file, and the warnings if nothing is; in file order."""
    try:
        return list(_read(path)[1])
    except SpecError as error:
        return list(error.diagnostics)


def _read(path: Path) -> tuple[Contrast | None, tuple[Diagnostic, ...]]:
    source, diagnostics = load_yaml(path)
    faults, parts = schema_faults(source)
    # What should have been quoted is told; how it reads unquoted is not to the point any more.
    places = {(d.line, d.column) for d in diagnostics}
    diagnostics += [fault for fault in faults if (fault.line, fault.column) not in places]
    diagnostics += contrast_faults(parts)
    formulas: list[list[PlacedFormula]] = []
    for number in range(parts.count("templates")):
        readable, errors = read_formulas(parts, number)
        formulas.append(readable)
        diagnostics += [*errors, *template_faults(parts, number, readable)]
    diagnostics += _repeated_ids(parts, len(formulas))
    if diagnostics:
        return None, in_file_order(diagnostics)
    return _contrast(parts, formulas), in_file_order(_warnings(parts, formulas))


def _repeated_ids(parts: Parts, count: int) -> Iterator[Diagnostic]:
    first: dict[str, int] = {}
    for number in range(count):
        path = ("templates", number, "id")
        name = parts.get(*path)
        if name is not None and first.setdefault(name, number) != number:
            message = f"duplicate template id `{name}`; template {first[name] + 1} has it already"
            yield Diagnostic(parts.source.file, *parts.source.at_value(path), message)


def _warnings(parts: Parts, formulas: list[list[PlacedFormula]]) -> Iterator[Diagnostic]:
    """What is declared and never used. A hole may hold every symbol."""
    used = {name for placed in formulas for name in used_names(placed)}
    for hole in parts.get("content"):
        if f"{{{hole}}}" not in used:
            position = parts.source.at_key(("content", hole))
            yield _warning(parts, position, f"no template has the hole `{{{hole}}}`")
    if not any(name.startswith("{") for name in used):
        for index, symbol in enumerate(declared_symbols(parts) or ()):
            atom, predicate = ("symbols", "atoms", index), ("symbols", "predicates", symbol)
            path = atom if parts.get("axis") == "frame" else predicate
            if symbol not in used:
                yield _warning(parts, parts.source.at_key(path), f"no template has the symbol `{symbol}`")


def _warning(parts: Parts, position: tuple[int, int], message: str) -> Diagnostic:
    return Diagnostic(parts.source.file, *position, message, severity="warning")


def _contrast(parts: Parts, formulas: list[list[PlacedFormula]]) -> Contrast:
    """The value that a file without faults declares."""
    data = parts.source.data
    a, b, symbols = read_side(parts, "a"), read_side(parts, "b"), declared_symbols(parts)
    assert a is not None and b is not None and symbols is not None, "the schema asks for these"
    expect = data.get("expect")
    return Contrast(
        id=data["id"],
        title=data["title"].strip(),
        rationale=data["rationale"].strip(),
        axis=data["axis"],
        sides=(a, b),
        symbols=tuple(symbols.items()),
        content={
            hole: Content(tuple(entry["connectives"]), int(entry["max_depth"]))
            for hole, entry in data["content"].items()
        },
        templates=tuple(
            Template(
                entry["id"],
                entry["task"],
                tuple(placed.formula for placed in readable[:-1]),
                readable[-1].formula,
            )
            for entry, readable in zip(data["templates"], formulas, strict=True)
        ),
        limits=StructuralLimits(**{key: int(value) for key, value in data["limits"].items()}),
        select=Selection(**{key: int(value) for key, value in data["select"].items()}),
        expect=None if expect is None else (expect["a"], expect["b"]),
    )
