"""Grammars: the enumeration of formulas, and the candidates made of them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from modalgen.formula import (
    And,
    Atom,
    Box,
    Diamond,
    Exists,
    Forall,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    free_variables,
    modal_depth,
    quantifier_depth,
    size,
    subformulas,
)
from modalgen.gen import enumeration, grammar
from modalgen.gen.candidate import Candidate
from modalgen.gen.candidates import candidates
from modalgen.gen.canonical import canonical_key
from modalgen.gen.contrast import Contrast, Grammar, Selection, StructuralLimits
from modalgen.gen.drawing import drawn
from modalgen.gen.enumeration import VARIABLES, Bounds, Enumeration
from modalgen.gen.grammar import grammar_candidates
from modalgen.gen.screen import screen_for
from modalgen.oracle.kripke_search import find_countermodel
from modalgen.printing import to_unicode
from modalgen.problem import Problem
from modalgen.semantics import SYSTEMS, Semantics, semantics
from modalgen.syntax import parse

PROPOSITIONAL = ("not", "and", "or", "implies", "iff", "box", "diamond")
SERIAL = (semantics(["serial"], "varying"), semantics(["serial"], "cumulative"))


def contrast(a: Semantics, b: Semantics, *grammars: Grammar, **select: object) -> Contrast:
    """A contrast of these sides whose candidates come from grammars."""
    return Contrast(
        id="example",
        title="",
        rationale="",
        axis="frame" if a.domain is None else "domain",
        sides=(a, b),
        symbols=grammars[0].symbols,
        content={},
        templates=(),
        limits=StructuralLimits(5, 3, 30),
        select=replace(Selection(10, 10, 1), **select),  # type: ignore[arg-type]
        expect=None,
        grammar=grammars,
    )


def systems(a: str, b: str, *grammars: Grammar, **select: object) -> Contrast:
    """A contrast of two named systems."""
    return contrast(semantics(SYSTEMS[a]), semantics(SYSTEMS[b]), *grammars, **select)


ATOMS = (("p", 0), ("q", 0))
OPERATORS = ("not", "and", "or", "implies", "box", "diamond")
VALIDITY = Grammar("small", "validity", OPERATORS, ATOMS, 7, 3, 0)
ONE_PREMISE = Grammar("one", "inference", OPERATORS, ATOMS, 5, 3, 0, 1, 4)
TWO_PREMISES = Grammar("two", "inference", OPERATORS, ATOMS, 5, 3, 0, 2, 3)
QUANTIFIED = Grammar("quantified", "validity", (*OPERATORS, "forall", "exists"), (("F", 1),), 7, 2, 2)
QUANTIFIED_PREMISE = replace(
    QUANTIFIED, id="premise", task="inference", max_size=5, premises=1, premise_size=4
)


def all_formulas(
    total: int, operators: tuple[str, ...], symbols: tuple[tuple[str, int], ...], scope: int = 0
) -> Iterator[Formula]:
    """Every formula of exactly this size, straight from the grammar of formulas."""
    if total == 1:
        for name, arity in symbols:
            if arity == 0:
                yield Atom(name)
            else:
                assert arity == 1
                yield from (Atom(name, (VARIABLES[v],)) for v in range(scope))
        return
    for unary in {"not": Not, "box": Box, "diamond": Diamond}.items():
        if unary[0] in operators:
            yield from map(unary[1], all_formulas(total - 1, operators, symbols, scope))
    for quantifier in {"forall": Forall, "exists": Exists}.items():
        if quantifier[0] in operators and scope < 2:
            for body in all_formulas(total - 1, operators, symbols, scope + 1):
                yield quantifier[1](VARIABLES[scope], body)
    for binary in {"and": And, "or": Or, "implies": Implies, "iff": Iff}.items():
        if binary[0] in operators:
            for left in range(1, total - 1):
                for first in all_formulas(left, operators, symbols, scope):
                    for second in all_formulas(total - 1 - left, operators, symbols, scope):
                        yield binary[1](first, second)


@pytest.mark.parametrize(
    ("operators", "symbols", "sides", "bounds"),
    [
        (PROPOSITIONAL, ATOMS, (semantics(),), (4, 2, 0)),
        (("not", "implies", "box"), ATOMS, (semantics(["reflexive"]),), (6, 1, 0)),
        (("not", "or", "diamond", "forall"), (("F", 1),), SERIAL, (6, 2, 2)),
        (("implies", "box", "forall", "exists"), (("F", 1), ("G", 1)), SERIAL, (6, 2, 1)),
    ],
)
def test_every_formula_has_an_equivalent(
    operators: tuple[str, ...],
    symbols: tuple[tuple[str, int], ...],
    sides: tuple[Semantics, ...],
    bounds: tuple[int, int, int],
) -> None:
    """Each formula within the bounds, without valid or contradictory parts, is represented by one with its
    column that is no larger and nested no deeper; and no formula is represented twice."""
    most, modal, quantified = bounds
    screen = screen_for(frozenset(symbols), sides)
    enumerated = Enumeration(screen.vocabulary, screen.columns, Bounds(operators, *bounds), "seed")
    found: dict[int, list[tuple[int, int, int]]] = {}
    for total in range(1, most + 1):
        for entry in enumerated.of_size(total):
            measures = size(entry.formula), entry.modal_depth, entry.quantifier_depth
            assert measures == (total, modal_depth(entry.formula), quantifier_depth(entry.formula))
            assert entry.column == screen.column(entry.formula)
            for others in found.setdefault(entry.column, []):
                assert any(mine < other for mine, other in zip(measures, others, strict=True))
            found[entry.column].append(measures)

    def degenerate(formula: Formula) -> bool:
        scope = tuple(VARIABLES[: quantifier_depth(formula) + 2])
        return any(
            screen.column(part, tuple(x for x in scope if x in free_variables(part)))
            in (0, screen.columns.top(len(free_variables(part))))
            for part in subformulas(formula)
        )

    represented = 0
    for total in range(1, most + 1):
        for formula in all_formulas(total, operators, symbols):
            measures = total, modal_depth(formula), quantifier_depth(formula)
            if measures[1] <= modal and measures[2] <= quantified and not degenerate(formula):
                represented += 1
                kept = found[screen.column(formula)]
                assert any(all(x <= y for x, y in zip(k, measures, strict=True)) for k in kept), formula
    assert represented > sum(map(len, found.values()))


@pytest.mark.parametrize(
    ("a", "b", "schema"),
    [
        ("K", "D", "□p → ◇p"),
        ("K", "T", "□p → p"),
        ("T", "B", "p → □◇p"),
        ("T", "S4", "□p → □□p"),
        ("B", "S5", "◇p → □◇p"),
    ],
)
def test_axioms_are_found(a: str, b: str, schema: str) -> None:
    """The axiom that tells two systems apart, or its dual, is among the smallest formulas that do."""
    screen = screen_for(frozenset({("p", 0)}), (semantics(SYSTEMS[a]), semantics(SYSTEMS[b])))
    one_atom = replace(VALIDITY, symbols=(("p", 0),), max_size=6)
    found = [c.conjecture for c in grammar_candidates(systems(a, b, one_atom), one_atom, 1)]
    assert screen.truths(parse(schema)) in {screen.truths(f) for f in found}


def least_worlds(problem: Problem, individuals: int) -> int | None:
    """The worlds of the least countermodel within the screen's sizes; None if there is none."""
    model = find_countermodel(problem, 2 if individuals else 3, individuals)
    return None if model is None else model.worlds


CONTRASTS = [
    (systems("K", "D", ONE_PREMISE), ONE_PREMISE),
    (systems("B", "S4", VALIDITY), VALIDITY),
    (systems("T", "S4", TWO_PREMISES), TWO_PREMISES),
    (contrast(*SERIAL, QUANTIFIED), QUANTIFIED),
    (contrast(*SERIAL, QUANTIFIED_PREMISE), QUANTIFIED_PREMISE),
]


@pytest.mark.parametrize(("declared", "source"), CONTRASTS, ids=lambda value: getattr(value, "id", ""))
def test_candidates_flip_and_need_their_premises(declared: Contrast, source: Grammar) -> None:
    """Z3's search finds a small countermodel on one side only; without any premise the labels are other
    ones; and the premises can be true together on both sides."""
    individuals = 2 if source.quantifier_depth else 0
    seen = set()
    for candidate in islice(grammar_candidates(declared, source, 1), 15):

        def labels(premises: tuple[Formula, ...], conjecture: Formula = candidate.conjecture) -> list[bool]:
            problems = (Problem(side, premises, conjecture) for side in declared.sides)
            return [least_worlds(problem, individuals) is None for problem in problems]

        assert len(candidate.premises) == source.premises
        full = labels(candidate.premises)
        assert full[0] != full[1]
        for n in range(source.premises):
            assert labels((*candidate.premises[:n], *candidate.premises[n + 1 :])) != full
        if candidate.premises:
            assert labels(candidate.premises, And(Atom("p"), Not(Atom("p")))) == [False, False]
        seen.add(canonical_key(candidate.premises, candidate.conjecture))
    assert len(seen) == 15


def test_bounds_are_kept() -> None:
    """No premise or conjecture is larger or nested deeper than its grammar says."""
    source = replace(QUANTIFIED_PREMISE, modal_depth=1, quantifier_depth=1)
    found = list(grammar_candidates(contrast(*SERIAL, source), source, 1))
    assert found
    for candidate in found:
        assert all(size(premise) <= 4 for premise in candidate.premises)
        assert size(candidate.conjecture) <= 5
        assert max(map(modal_depth, candidate.formulas)) == 1
        assert max(map(quantifier_depth, candidate.formulas)) == 1


def test_what_the_selection_rules_out_is_no_candidate() -> None:
    """Depths that are too small and countermodels of another size leave no trace."""
    deep = systems("T", "S4", VALIDITY, least_modal_depth=3)
    found = list(islice(grammar_candidates(deep, VALIDITY, 1), 20))
    assert found
    assert all(modal_depth(c.conjecture) == 3 for c in found)
    small = systems("K", "T", VALIDITY, countermodel_worlds=(2,))
    found = list(islice(grammar_candidates(small, VALIDITY, 1), 20))
    assert len(found) == 20
    assert {least_worlds(Problem(small.sides[0], (), c.conjecture), 0) for c in found} == {2}


def text(candidate: Candidate) -> str:
    """A candidate in one line."""
    return "; ".join(map(to_unicode, candidate.formulas))


def test_smallest_first_in_an_order_of_the_seed() -> None:
    """Sizes ascend; a seed orders the candidates of one size and, where all are tried, changes no more."""
    declared = systems("K", "T", VALIDITY)
    runs = [[text(c) for c in islice(grammar_candidates(declared, VALIDITY, seed), 60)] for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]
    found = [list(islice(grammar_candidates(declared, VALIDITY, seed), 49)) for seed in (1, 2)]
    sizes = [size(c.conjecture) for c in found[0]]
    assert sizes == sorted(sizes)
    # 2 + 9 + 36 of size up to 6.
    keys = [{canonical_key((), c.conjecture) for c in run if size(c.conjecture) <= 6} for run in found]
    assert keys[0] == keys[1]


def test_large_spaces_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a size has more combinations than are tried, so many are drawn, alike for one seed."""
    monkeypatch.setattr(enumeration, "MAX_WAYS", 500)
    monkeypatch.setattr(grammar, "MAX_COMBINATIONS", 2000)
    large = replace(ONE_PREMISE, max_size=9, premise_size=6)
    declared = systems("K", "T", large)
    runs = [[text(c) for c in islice(grammar_candidates(declared, large, seed), 150)] for seed in (1, 1, 2)]
    assert runs[0] == runs[1]
    assert {*runs[0]} != {*runs[2]}
    screen = screen_for(frozenset(ATOMS), declared.sides)
    bounds = Bounds(OPERATORS, 12, 3, 0)
    formulas = Enumeration(screen.vocabulary, screen.columns, bounds, "seed")
    numbers = [len(formulas.of_size(total)) for total in range(1, 13)]
    assert all(0 < number <= 500 for number in numbers)
    assert numbers[-1] > 100


def test_combinations_are_all_or_a_sample_without_repetition() -> None:
    """`drawn` gives every combination in order, or so many different ones of them, the same for a seed."""
    lengths = [(2, 3), (4,), (0, 5), (1, 1, 2)]
    every = list(drawn(lengths, 12, "seed"))
    assert len(every) == len({*every}) == 6 + 4 + 2
    assert {(n, p) for n, p in every if n == 0} == {(0, (i, j)) for i in range(2) for j in range(3)}
    assert [n for n, _ in every] == sorted(n for n, _ in every)
    sample = list(drawn(lengths, 5, "seed"))
    assert sample == list(drawn(lengths, 5, "seed")) != list(drawn(lengths, 5, "other"))
    assert len({*sample}) == 5
    assert {*sample} <= {*every}
    assert list(drawn([], 5, "seed")) == []


def test_grammars_and_templates_take_turns() -> None:
    """The candidates of a task come from its grammars in turn, each under its own id."""
    other = replace(VALIDITY, id="other", symbols=(("p", 0),))
    declared = systems("K", "T", VALIDITY, other, ONE_PREMISE)
    assert [c.template for c in islice(candidates(declared, "validity", 1), 4)] == ["small", "other"] * 2
    assert {c.template for c in islice(candidates(declared, "inference", 1), 9)} == {"one"}


SCRIPT = """
from itertools import islice
import test_grammar as t
for declared, source in (t.CONTRASTS[0], t.CONTRASTS[3]):
    for candidate in islice(t.grammar_candidates(declared, source, 3), 40):
        print(t.text(candidate))
"""


def test_order_does_not_depend_on_the_hash_seed() -> None:
    """The same candidates come in the same order in every process."""
    outputs = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            cwd=Path(__file__).parent,
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert outputs.pop().count(b"\n") == 80
