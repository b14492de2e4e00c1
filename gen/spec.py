"""Reading a contrast: YAML, then the JSON Schema, then the checks that a schema cannot express.

Each stage goes on with what the one before found no fault in, so a file's mistakes come all at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from modalgen.gen.contrast import Content, Contrast, Grammar, Selection, StructuralLimits, Template
from modalgen.gen.diagnostics import Diagnostic, SpecError, in_file_order
from modalgen.gen.grammar_checks import grammar_faults
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
    faults, parts = schema_faults(source, "contrast")
    # What should have been quoted is told; how it reads unquoted is not to the point any more.
    places = {(d.line, d.column) for d in diagnostics}
    diagnostics += [fault for fault in faults if (fault.line, fault.column) not in places]
    diagnostics += contrast_faults(parts)
    formulas: list[list[PlacedFormula]] = []
    for number in range(parts.count("templates")):
        readable, errors = read_formulas(parts, number)
        formulas.append(readable)
        diagnostics += [*errors, *template_faults(parts, number, readable)]
    for number in range(parts.count("grammar")):
        diagnostics += grammar_faults(parts, number)
    diagnostics += _repeated_ids(parts)
    if diagnostics:
        return None, in_file_order(diagnostics)
    return _contrast(parts, formulas), in_file_order(_warnings(parts, formulas))


def _repeated_ids(parts: Parts) -> Iterator[Diagnostic]:
    first: dict[str, str] = {}
    for key, kind in (("templates", "template"), ("grammar", "grammar")):
        for number in range(parts.count(key)):
            path = (key, number, "id")
            name, this = parts.get(*path), f"{kind} {number + 1}"
            if name is not None and first.setdefault(name, this) != this:
                message = f"duplicate {kind} id `{name}`; {first[name]} has it already"
                yield Diagnostic(parts.source.file, *parts.source.at_value(path), message)


def _warnings(parts: Parts, formulas: list[list[PlacedFormula]]) -> Iterator[Diagnostic]:
    """What is declared and never used. A hole may hold every symbol."""
    used = {name for placed in formulas for name in used_names(placed)}
    for hole in parts.get("content") or ():
        if f"{{{hole}}}" not in used:
            position = parts.source.at_key(("content", hole))
            yield _warning(parts, position, f"no template has the hole `{{{hole}}}`")
    symbols = list(declared_symbols(parts) or ())
    for number in range(parts.count("grammar")):
        used |= {*(parts.get("grammar", number, "symbols") or symbols)}
    if not any(name.startswith("{") for name in used):
        source = "template" if not parts.count("grammar") else "template or grammar"
        for index, symbol in enumerate(symbols):
            atom, predicate = ("symbols", "atoms", index), ("symbols", "predicates", symbol)
            path = atom if parts.get("axis") == "frame" else predicate
            if symbol not in used:
                yield _warning(parts, parts.source.at_key(path), f"no {source} has the symbol `{symbol}`")


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
            for hole, entry in data.get("content", {}).items()
        },
        templates=tuple(
            Template(
                entry["id"],
                entry["task"],
                tuple(placed.formula for placed in readable[:-1]),
                readable[-1].formula,
            )
            for entry, readable in zip(data.get("templates", ()), formulas, strict=True)
        ),
        limits=StructuralLimits(**{key: int(value) for key, value in data["limits"].items()}),
        select=_selection(data["select"]),
        expect=None if expect is None else (expect["a"], expect["b"]),
        grammar=tuple(_grammar(entry, symbols) for entry in data.get("grammar", ())),
    )


def _selection(data: dict[str, Any]) -> Selection:
    return Selection(
        validity=int(data["validity"]),
        inference=int(data["inference"]),
        seed=int(data["seed"]),
        max_family_share=float(data.get("max_family_share", 1.0)),
        balanced=data.get("directions") is not None,
        matched=data.get("directions") == "matched",
        countermodel_worlds=tuple(sorted(map(int, data.get("countermodel_worlds", ())))),
        least_modal_depth=int(data.get("modal_depth", {}).get("min", 0)),
        least_quantifier_depth=int(data.get("quantifier_depth", {}).get("min", 0)),
    )


def _grammar(data: dict[str, Any], symbols: dict[str, int]) -> Grammar:
    return Grammar(
        id=data["id"],
        task=data["task"],
        operators=tuple(data["operators"]),
        symbols=tuple((name, symbols[name]) for name in data.get("symbols", symbols)),
        max_size=int(data["max_size"]),
        modal_depth=int(data["modal_depth"]),
        quantifier_depth=int(data.get("quantifier_depth", 0)),
        premises=int(data.get("premises", 0)),
        premise_size=int(data.get("premise_size", 0)),
    )
