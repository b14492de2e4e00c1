"""The problems of the benchmarks on labels and certificates: seeded, mixed, with labels nobody wrote down.

Conditions on frames: the fifteen systems, every single condition and random pairs and triples. Without
domains and under all four regimes, validity and inference, from one-liners to formulas of some thirty nodes.
A third are random formulas; the others are well-known schemes and entailments with random formulas in
place of their letters, in random classes of models, so that many are valid and many nearly so.
"""

from __future__ import annotations

import random

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
    size,
    substitute,
)
from modalgen.problem import Problem
from modalgen.semantics import CONDITIONS, DOMAINS, SYSTEMS, Semantics, semantics
from modalgen.syntax import parse

# Consistent and without finite models, on preorders with constant domains: some individual is not P yet and
# may become so, at every world, and what is P stays P. So ⊥ does not follow, and no finite model shows it.
INFINITE = Problem(
    semantics(SYSTEMS["S4"], "constant"),
    (parse("□∃x (¬P(x) ∧ ◇P(x))"), parse("□∀x (P(x) → □P(x))")),
    Bottom(),
)

# Premises and conclusion over p, q, r: axioms, McKinsey's and Löb's schemes, Geach's, some entailments.
_SCHEMES = """
□p → ◇p | □p → p | p → □◇p | □p → □□p | ◇p → □◇p | □□p → □p | ◇□p → □◇p | ◇p → □p | □(□p → p)
□(p ∧ □p → q) ∨ □(q ∧ □q → p) | □◇p → ◇□p | □(□p → p) → □p | ◇□p → p | ◇□□p → □p | □(p → □p) → ◇p → p
□(p → q) → □p → □q | □p ∨ □q → □(p ∨ q) | □(p ∨ q) → □p ∨ ◇q | □◇□p → □p | ◇◇□p → ◇□p | □◇p ↔ ◇□◇p
◇□p ∧ ◇□q → ◇(p ∧ q) | □(p ↔ □p) → □p ∨ □¬p | □◇(p ∨ q) → □◇p ∨ □◇q | p ∧ ◇q → ◇(q ∧ ◇p)
□p ; □(p → q) ⊢ □q | ◇p ; □q ⊢ ◇(p ∧ q) | ◇p ; ◇q ⊢ ◇(p ∧ q) | □(p → q) ; ◇p ⊢ ◇q | p ; □(p → □q) ⊢ □q
□(p ∨ q) ; ¬□p ⊢ ◇q | □□(p → q) ; ◇◇p ⊢ ◇◇q | ◇◇p ; □¬p ⊢ ⊥ | □p ∨ □q ; ◇¬p ⊢ □q | □◇p ; □◇q ⊢ □◇(p ∧ q)
□(p → ◇q) ; □(q → ◇p) ; ◇p ⊢ ◇◇◇q | ◇(p ∧ ◇q) ; □(q → r) ⊢ ◇r | p ⊢ □p | ◇□p ; □◇¬p ⊢ ⊥ | □□p ⊢ p ∨ □⊥
"""
# The same over F(x), G(x): Barcan formulas, existence, shadowed and vacuous quantifiers.
_QUANTIFIED_SCHEMES = """
∀x □F(x) → □∀x F(x) | □∀x F(x) → ∀x □F(x) | ◇∃x F(x) → ∃x ◇F(x) | ∃x ◇F(x) → ◇∃x F(x)
∃x □F(x) → □∃x F(x) | □∃x F(x) → ∃x □F(x) | ∀x (F(x) → □F(x)) → ◇∃x F(x) → ∃x F(x) | □∃x (F(x) → ∀y F(y))
∃x □(F(x) → □∃y F(y)) | ∀x □(F(x) → G(x)) → ∀x □F(x) → ∀x □G(x) | ∀x (□F(x) ∨ □¬F(x)) → ∀x (◇F(x) → F(x))
◇∀x F(x) → ∀x ◇F(x) | ∀x ∃y □(F(x) ↔ F(y)) | ∀x □∃y (F(x) → F(y)) | ∃x ∀y □F(x) → □∃x F(x)
◇∀x (F(x) ∧ ∃x G(x)) → ◇∃x (F(x) ∧ G(x)) | □∀x □F(x) → □□∀x F(x) | □∀x F(x) ∧ ◇∃x G(x) → ◇∃x (F(x) ∧ G(x))
∀x □◇F(x) → □∀x ◇F(x) | ∀x □F(x) ∨ ∃x ◇¬F(x) | ∀x □F(x) ; ◇∃x G(x) ⊢ ◇∃x (F(x) ∧ G(x))
□∀x (F(x) → G(x)) ; ∃x ◇F(x) ⊢ ∃x ◇G(x) | ∃x □F(x) ; □∀x (F(x) → G(x)) ⊢ □∃x G(x)
∀x (F(x) → □G(x)) ; ∃x F(x) ⊢ ∃x □G(x) | □∀x (F(x) → □F(x)) ; ◇∃x F(x) ⊢ ◇□∃x F(x)
∀x □(F(x) → □G(x)) ; ◇∃x F(x) ⊢ ◇□∃x G(x) | ∀x ◇F(x) ; □∀x (F(x) → G(x)) ⊢ ∀x ◇G(x)
◇◇∃x F(x) ⊢ ∃x ◇◇F(x) | □∀x F(x) ; ¬∀x □F(x) ⊢ ⊥ | ∃x ◇¬F(x) ; ∀x □F(x) ⊢ ⊥
□∃x F(x) ; □∀x (F(x) → ◇G(x)) ⊢ □◇∃x G(x) | ∀x □∃y (F(x) ∧ G(y)) ⊢ □∃y G(y)
∀x (F(x) ∨ □G(x)) ; ◇∃x ¬G(x) ⊢ ∃x F(x)
"""


def _read(text: str) -> list[tuple[tuple[Formula, ...], Formula]]:
    problems = []
    for line in text.strip().splitlines():
        for problem in line.split("|"):
            premises, _, conclusion = problem.rpartition("⊢")
            problems.append(
                (tuple(parse(p.strip()) for p in premises.split(";") if p.strip()), parse(conclusion))
            )
    return problems


SCHEMES = _read(_SCHEMES)
QUANTIFIED_SCHEMES = _read(_QUANTIFIED_SCHEMES)


def random_formula(choose: random.Random, height: int, scope: tuple[str, ...] | None) -> Formula:
    """A random formula: propositional if *scope* is None, else quantified with these variables free."""
    if (height == 0 or choose.random() < 0.1) and scope != ():
        if scope is None:
            return Atom(choose.choice("pqr"))
        if choose.random() < 0.2:
            return Atom("Likes", (choose.choice(scope), choose.choice(scope)))
        return Atom(choose.choice("FG"), (choose.choice(scope),))
    if scope == () or (scope is not None and len(scope) < 3 and choose.random() < 0.25):
        x = choose.choice("xyz")  # which may shadow another, or bind nothing
        body = random_formula(choose, max(height - 1, 0), tuple(sorted({*(scope or ()), x})))
        return choose.choice((Forall, Exists))(x, body)
    left = random_formula(choose, height - 1, scope)
    if choose.random() < 0.5:
        return choose.choice((Not, Box, Box, Diamond, Diamond))(left)
    binary = choose.choice((And, Or, Implies, Implies, Iff))
    return binary(left, random_formula(choose, height - 1, scope))


def random_semantics(choose: random.Random) -> Semantics:
    """A class of models: half of the time a named system, else one to three conditions; any regime, none."""
    if choose.random() < 0.5:
        frame = SYSTEMS[choose.choice(list(SYSTEMS))]
    else:
        frame = frozenset(choose.sample(sorted(CONDITIONS), choose.choice((1, 1, 2, 2, 3))))
    return semantics(frame, choose.choice((None, None, *DOMAINS)))


def random_problem(choose: random.Random) -> Problem:
    """One problem of the mix."""
    declared = random_semantics(choose)
    quantified = declared.domain is not None
    scope: tuple[str, ...] | None = () if quantified else None
    if choose.random() < 1 / 3:
        height = choose.randint(3, 5)
        premises = tuple(random_formula(choose, height - 1, scope) for _ in range(choose.randint(0, 2)))
        return Problem(declared, premises, random_formula(choose, height, scope))
    premises, conclusion = choose.choice(QUANTIFIED_SCHEMES if quantified else SCHEMES)
    holes = (("F", ("x",)), ("G", ("x",))) if quantified else (("p", ()), ("q", ()), ("r", ()))
    while True:
        content = {
            name: (parameters, random_formula(choose, choose.choice((0, 0, 1, 2)), parameters or None))
            for name, parameters in holes
        }
        problem = Problem(
            declared,
            tuple(substitute(premise, content) for premise in premises),
            substitute(conclusion, content),
        )
        if sum(map(size, problem.formulas)) <= 60:
            return problem


def mixed_problems(number: int, seed: int) -> list[Problem]:
    """So many different problems; a longer list begins with the shorter one of the same seed."""
    choose = random.Random(seed)
    problems: dict[Problem, None] = {}
    while len(problems) < number:
        problems[random_problem(choose)] = None
    return list(problems)
