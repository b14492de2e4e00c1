"""Candidates: templates of a contrast with their holes filled, and what its grammars enumerate.

Each hole of a template has its contents in classes by size. A *cell* takes one class for each hole;
candidates are drawn by a uniformly random cell and then by a uniformly random filling from it, so
that small contents, which are few, occur as often as large ones. Every filling is drawn exactly once.
Cells and fillings are drawn without replacement by the Fisher–Yates shuffle on an array that exists
only where it has changed (Knuth, *The Art of Computer Programming*, volume 2, section 3.4.2), so
memory grows with what was drawn and not with the number of fillings.

Candidates have no labels. Those of a template are drawn without regard to the semantics.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from math import prod

from modalgen.formula import Formula, predicates, size, substitute
from modalgen.gen.candidate import Candidate
from modalgen.gen.canonical import Polynomial, normal_form
from modalgen.gen.content import contents
from modalgen.gen.contrast import Contrast, Template
from modalgen.gen.grammar import grammar_candidates

__all__ = ["Candidate", "candidates", "holes"]


def candidates(contrast: Contrast, task: str, seed: int) -> Iterator[Candidate]:
    """The candidates of a task, one template or grammar after the other in turn, until all are exhausted.

    The same contrast, task and seed give the same candidates in the same order. In a filling, no two
    holes hold equivalent formulas, and no filling of a template is repeated.

    Raises ValueError if a hole is used with two numbers of parameters, has no declared content, or
    has more atoms than `contents` can take, or if a grammar's symbols make too many small models.
    """
    turns = [
        *(_fillings(contrast, template, seed) for template in contrast.templates if template.task == task),
        *(
            grammar_candidates(contrast, grammar, seed)
            for grammar in contrast.grammar
            if grammar.task == task
        ),
    ]
    while turns:
        going = []
        for turn in turns:
            candidate = next(turn, None)
            if candidate is not None:
                going.append(turn)
                yield candidate
        turns = going


@dataclass(frozen=True)
class _Content:
    """A content and its normal form, which tells whether two contents are equivalent."""

    formula: Formula
    normal: Polynomial


def holes(template: Template) -> tuple[tuple[str, int], ...]:
    """The distinct holes of a template, as they stand in it (`{phi}`), each with its number of parameters.

    Raises ValueError if a hole is used with two numbers of parameters.
    """
    formulas = (*template.premises, template.conjecture)
    found: dict[str, int] = {}
    for name, arity in sorted(frozenset[tuple[str, int]]().union(*(predicates(f) for f in formulas))):
        if name.startswith("{"):
            if name in found:
                raise ValueError(f"template {template.id!r}: {name} has {found[name]} and {arity} parameters")
            found[name] = arity
    return tuple(found.items())


def _fillings(contrast: Contrast, template: Template, seed: int) -> Iterator[Candidate]:
    parameters = {name: tuple(f"x{n}" for n in range(1, arity + 1)) for name, arity in holes(template)}
    classes = [_size_classes(contrast, template, name, xs) for name, xs in parameters.items()]
    cells = _Undrawn(prod(len(of_hole) for of_hole in classes))
    fillings: dict[int, _Undrawn] = {}
    # A string seed is hashed by SHA-512, alike in every process.
    rng = random.Random(f"{contrast.id}/{template.id}/{seed}")
    while cells.count:
        place = rng.randrange(cells.count)
        cell = cells[place]
        members = [of_hole[n] for of_hole, n in zip(classes, _digits(cell, classes), strict=True)]
        undrawn = fillings.setdefault(cell, _Undrawn(prod(len(m) for m in members)))
        drawn = rng.randrange(undrawn.count)
        digits = _digits(undrawn[drawn], members)
        undrawn.remove(drawn)
        if not undrawn.count:
            cells.remove(place)
            del fillings[cell]
        filling = [m[n] for m, n in zip(members, digits, strict=True)]
        if len({content.normal for content in filling}) < len(filling):
            continue
        definitions = {
            name: (xs, content.formula)
            for (name, xs), content in zip(parameters.items(), filling, strict=True)
        }
        yield Candidate(
            template.id,
            template.task,
            tuple(substitute(premise, definitions) for premise in template.premises),
            substitute(template.conjecture, definitions),
        )


def _size_classes(
    contrast: Contrast, template: Template, hole: str, parameters: tuple[str, ...]
) -> list[list[_Content]]:
    """The contents of a hole by size, smallest first."""
    name = hole.strip("{}")
    if name not in contrast.content:
        raise ValueError(f"template {template.id!r}: hole {hole} has no declared content")
    formulas = contents(contrast.symbols, contrast.content[name], parameters)
    return [[_Content(f, normal_form(f)) for f in same] for _, same in groupby(formulas, key=size)]


def _digits(number: int, digits: list[list[_Content]] | list[list[list[_Content]]]) -> list[int]:
    """The number in the mixed radix of the lengths of these lists, the least significant digit first."""
    found = []
    for of_place in digits:
        number, digit = divmod(number, len(of_place))
        found.append(digit)
    return found


class _Undrawn:
    """The integers 0 … count-1 as an array from which members are removed, in no particular order."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._moved: dict[int, int] = {}

    def __getitem__(self, place: int) -> int:
        return self._moved.get(place, place)

    def remove(self, place: int) -> None:
        """Take out the member at this place; the last one takes its place."""
        self.count -= 1
        last = self._moved.pop(self.count, self.count)
        if place != self.count:
            self._moved[place] = last
