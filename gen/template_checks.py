"""Checks of the formulas in templates, with the place in the text of each fault.

The parser yields a syntax tree without places. Atoms occur in the tree, read from left to right, in
the order in which they stand in the text, so matching both sequences places every atom.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from modalgen.formula import (
    Atom,
    Exists,
    Forall,
    Formula,
    children,
    is_first_order,
    modal_depth,
    quantifier_depth,
    size,
)
from modalgen.gen.content import MAX_ATOMS
from modalgen.gen.diagnostics import Diagnostic, nearest, quoted
from modalgen.gen.schema_check import Parts
from modalgen.gen.yaml_source import Keys
from modalgen.syntax import FormulaSyntaxError, parse_template

_WORD = r"[A-Za-z]\w*"
_ARGUMENTS = r"(?:\s*\([^()]*\))?"
_TOKEN = re.compile(
    rf"(?P<binder>[∀∃]\s*{_WORD}|[!?]\s*\[[^\]]*\])"
    rf"|\{{\s*(?P<hole>{_WORD}){_ARGUMENTS}"
    rf"|(?P<symbol>\$?{_WORD}){_ARGUMENTS}"
)


@dataclass(frozen=True)
class PlacedFormula:
    """A formula, the path of its text in the file, and the text."""

    path: Keys
    text: str
    formula: Formula


@dataclass(frozen=True)
class Occurrence:
    """An atom, where it starts in the text, and the variables that are bound there."""

    atom: Atom
    offset: int
    bound: frozenset[str]

    @property
    def hole(self) -> str | None:
        """The hole's name if this is a hole."""
        name = self.atom.predicate
        return name[1:-1] if name.startswith("{") else None


def read_formulas(parts: Parts, number: int) -> tuple[list[PlacedFormula], list[Diagnostic]]:
    """The formulas of a template that can be read, premises first, and the syntax errors of the others."""
    template: Keys = ("templates", number)
    count = parts.count(*template, "premises")
    paths = [*((*template, "premises", i) for i in range(count)), (*template, "conjecture")]
    formulas, errors = [], []
    for path in paths:
        text = parts.get(*path)
        if text is None:
            continue
        try:
            formulas.append(PlacedFormula(path, text, parse_template(text)))
        except FormulaSyntaxError as error:
            errors.append(parts.source.in_text(path, error.column, error.message))
    return formulas, errors


def template_faults(parts: Parts, number: int, formulas: list[PlacedFormula]) -> Iterator[Diagnostic]:
    """What is wrong with the formulas of one template, given those that could be read."""
    axis = parts.get("axis")
    found: list[Diagnostic] = []
    for placed in formulas:
        atoms = list(occurrences(placed))
        found += _name_faults(parts, placed, atoms)
        if axis == "frame":
            found += _first_order_fault(parts, placed, atoms)
        elif axis == "domain":
            found += _variable_faults(parts, placed, atoms)
        found += _limit_faults(parts, placed)
    if axis == "domain":
        found += _hole_faults(parts, formulas)
    complete = parts.get("templates", number, "conjecture") and not found
    if axis == "domain" and complete and not any(is_first_order(placed.formula) for placed in formulas):
        message = "no quantifier occurs in the template, so domains cannot matter to it"
        path = ("templates", number, "conjecture")
        found.append(Diagnostic(parts.source.file, *parts.source.at_value(path), message))
    yield from found


def used_names(formulas: list[PlacedFormula]) -> set[str]:
    """The symbols that occur, and the holes, these with their braces."""
    return {occurrence.atom.predicate for placed in formulas for occurrence in occurrences(placed)}


def occurrences(placed: PlacedFormula) -> Iterator[Occurrence]:
    """The atoms of a formula, holes included, from left to right, each with its place in the text."""
    tokens = _TOKEN.finditer(placed.text)
    for atom, bound in _atoms(placed.formula, frozenset()):
        while (token := next(tokens)) and atom.predicate not in (token["symbol"], f"{{{token['hole']}}}"):
            pass  # a quantifier and its variables, $true or $false
        yield Occurrence(atom, token.start(), bound)


def _atoms(formula: Formula, bound: frozenset[str]) -> Iterator[tuple[Atom, frozenset[str]]]:
    if isinstance(formula, Atom):
        yield formula, bound
    if isinstance(formula, (Forall, Exists)):
        bound |= {formula.variable}
    for child in children(formula):
        yield from _atoms(child, bound)


def _name_faults(parts: Parts, placed: PlacedFormula, atoms: list[Occurrence]) -> Iterator[Diagnostic]:
    """Holes without content and symbols that are not declared, each once, and wrong arities."""
    content, symbols = parts.get("content"), declared_symbols(parts)
    told = set()
    for occurrence in atoms:
        name, count = occurrence.atom.predicate, len(occurrence.atom.arguments)
        message = suggestion = None
        if occurrence.hole is not None:
            if content is not None and occurrence.hole not in content:
                message = f"the hole {quoted(name)} is not defined in `content`"
                near = nearest(occurrence.hole, content)
                suggestion = f"{{{near}}}" if near else None
        elif symbols is not None and name not in symbols:
            message = f"the symbol {quoted(name)} is not declared in `symbols`"
            suggestion = f"{{{name}}}" if content and name in content else nearest(name, symbols)
        elif symbols is not None and symbols[name] and symbols[name] != count:
            message = (
                f"{quoted(name)} is declared with {_arguments(symbols[name])} and has {count or 'none'} here"
            )
        if message is not None and (name, message) not in told:
            told.add((name, message))
            yield parts.source.in_text(placed.path, occurrence.offset, message, suggestion)


def declared_symbols(parts: Parts) -> dict[str, int] | None:
    """The declared symbols with their arities, None if that part of the file is unusable."""
    match parts.get("axis"):
        case "frame":
            atoms = parts.get("symbols", "atoms")
            return None if atoms is None else dict.fromkeys(atoms, 0)
        case "domain":
            predicates = parts.get("symbols", "predicates")
            return None if predicates is None else {name: int(arity) for name, arity in predicates.items()}
    return None


def _first_order_fault(parts: Parts, placed: PlacedFormula, atoms: list[Occurrence]) -> Iterator[Diagnostic]:
    if is_first_order(placed.formula):
        binders = [token.start() for token in _TOKEN.finditer(placed.text) if token["binder"]]
        applied = [occurrence.offset for occurrence in atoms if occurrence.atom.arguments]
        message = "the frame axis is propositional: quantifiers and arguments are for `axis: domain`"
        yield parts.source.in_text(placed.path, min([*binders, *applied], default=0), message)


def _variable_faults(parts: Parts, placed: PlacedFormula, atoms: list[Occurrence]) -> Iterator[Diagnostic]:
    """Free variables, each once."""
    told = set()
    for occurrence in atoms:
        for variable in occurrence.atom.arguments:
            if variable not in occurrence.bound and variable not in told:
                told.add(variable)
                start = placed.text.index("(", occurrence.offset)
                here = re.compile(rf"\b{variable}\b").search(placed.text, start)
                message = f"the variable `{variable}` is free; bind it with ∀{variable} or ∃{variable}"
                yield parts.source.in_text(placed.path, here.start() if here else start, message)


def _hole_faults(parts: Parts, formulas: list[PlacedFormula]) -> Iterator[Diagnostic]:
    """Holes that cannot be filled as they are applied: each is told once in a template."""
    arities = (declared_symbols(parts) or {}).values()
    first: dict[str, int] = {}
    told = set()
    for placed in formulas:
        for occurrence in occurrences(placed):
            hole, count = occurrence.hole, len(occurrence.atom.arguments)
            if hole is None or hole in told:
                continue
            message = suggestion = None
            atoms = sum(count**arity for arity in arities)
            before = first.setdefault(hole, count)
            if count == 0:
                message = f"the hole `{{{hole}}}` has no argument, and predicates need one"
                suggestion = f"{{{hole}(x)}}"
            elif count != before:
                message = (
                    f"the hole `{{{hole}}}` has {_arguments(count)} here and {_arguments(before)} before"
                )
            elif atoms > MAX_ATOMS:
                message = f"the symbols make {atoms} atoms for the hole `{{{hole}}}`, more than {MAX_ATOMS}"
            if message is not None:
                told.add(hole)
                yield parts.source.in_text(placed.path, occurrence.offset, message, suggestion)


def _arguments(count: int) -> str:
    return f"{count or 'no'} argument{'' if count == 1 else 's'}"


def _limit_faults(parts: Parts, placed: PlacedFormula) -> Iterator[Diagnostic]:
    """Limits that the formula passes even with a symbol alone in each hole."""
    measures = [
        ("modal_depth", modal_depth(placed.formula), "nests □ and ◇ {} deep"),
        ("size", size(placed.formula), "has size {} with a symbol in each hole"),
    ]
    if parts.get("axis") == "domain":
        measures.append(("quantifier_depth", quantifier_depth(placed.formula), "nests quantifiers {} deep"))
    for key, value, what in measures:
        limit = parts.get("limits", key)
        if limit is not None and value > limit:
            message = f"the formula {what.format(value)}, over the limit `{key}: {int(limit)}`"
            yield Diagnostic(parts.source.file, *parts.source.at_value(placed.path), message)
