"""cvc5 on the nested translation against a definitional one, and what the guard costs.

    python benchmarks/cvc5_finder.py

Problems: well-known schemes in the fifteen systems and, quantified, under the four domain regimes,
and seeded random problems over all frame conditions. Measured are, by label, milliseconds of CPU
time a problem and cvc5's resource units.

The baseline defines a predicate for each modal subformula, in both directions, so that no formula
nests operators; everything else is as in `modalgen.oracle.smt`. Both run the same strategies under
the same limits. The benchmark fails if they contradict each other.

The guard is measured as the time around a verdict's own `seconds`, with it and without it.
"""

from __future__ import annotations

import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from statistics import mean, median

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
    map_children,
)
from modalgen.oracle import cvc5_finder, smt
from modalgen.oracle.cvc5_finder import Cvc5Finder
from modalgen.oracle.guard import Guard
from modalgen.oracle.verdict import Limits, SzsStatus
from modalgen.problem import Problem
from modalgen.semantics import CONDITIONS, DOMAINS, SYSTEMS, semantics
from modalgen.syntax import parse

SEED = 7
RANDOM_PROBLEMS = 60
LIMITS = Limits(steps=100_000, wall_seconds=60)
SCHEMES = (
    "□p → p; □p → ◇p; p → □◇p; □p → □□p; ◇p → □◇p; □□p → □p; ◇□p → □◇p; ◇p → □p; □(□p → p); □◇p → ◇□p;"
    "□(p ∧ □p → q) ∨ □(q ∧ □q → p); □(□p → p) → □p; □(□(p → □p) → p) → p"
)
QUANTIFIED = (
    "∀x □F(x) → □∀x F(x); □∀x F(x) → ∀x □F(x); ◇∃x F(x) → ∃x ◇F(x); ∃x □F(x) → □∃x F(x);"
    "□∃x F(x) → ∃x □F(x); ∀x □∃y L(x,y) → □∀x ∃y L(x,y)"
)


def random_formula(choose: random.Random, height: int, scope: tuple[str, ...], quantified: bool) -> Formula:
    if height <= 0 and quantified and not scope:
        return Exists("x", random_formula(choose, 0, ("x",), True))
    if height <= 0 or (choose.random() < 0.1 and (scope or not quantified)):
        if not quantified:
            return Atom(choose.choice("pqr"))
        name, arity = choose.choice((("F", 1), ("G", 1), ("L", 2)))
        return Atom(name, tuple(choose.choice(scope) for _ in range(arity)))
    kinds = [Not, Box, Box, Diamond, Diamond, And, Or, Implies, Iff] + [Forall, Exists] * 2 * quantified
    kind = choose.choice(kinds)
    if kind in (Forall, Exists):
        x = choose.choice("xyz")
        return kind(x, random_formula(choose, height - 1, tuple(sorted({*scope, x})), quantified))
    parts = 1 if kind in (Not, Box, Diamond) else 2
    return kind(*(random_formula(choose, height - 1, scope, quantified) for _ in range(parts)))


def problems() -> list[Problem]:
    choose = random.Random(SEED)
    result = [Problem(semantics(f), (), parse(s)) for s in SCHEMES.split(";") for f in SYSTEMS.values()]
    for scheme in QUANTIFIED.split(";"):
        for name in ("K", "D", "T", "S4", "S5", "KB"):
            result += [Problem(semantics(SYSTEMS[name], regime), (), parse(scheme)) for regime in DOMAINS]
    frames = [*SYSTEMS.values(), *([name] for name in CONDITIONS)]
    for quantified in (False, True):
        for _ in range(RANDOM_PROBLEMS):
            premise, conjecture = (random_formula(choose, 4, (), quantified) for _ in range(2))
            regime = choose.choice(sorted(DOMAINS)) if quantified else None
            result.append(Problem(semantics(choose.choice(frames), regime), (premise,), conjecture))
    return result


def definitional(problem: Problem) -> str:
    """The SMT-LIB text in which a new predicate stands for each modal subformula."""
    existence = problem.semantics.domain not in (None, "constant")
    symbols: dict[Formula, Atom] = {}
    definitions: list[str] = []

    def flat(formula: Formula) -> Formula:
        if not isinstance(formula, (Box, Diamond)):
            return map_children(formula, flat)
        if formula not in symbols:
            free = tuple(sorted(free_variables(formula)))
            symbols[formula] = Atom(f"sub {len(symbols)}", free)
            names = {x: f"y.{x}" for x in free}
            symbol = smt.holds(symbols[formula], "w0", names, existence)
            body = smt.holds(map_children(formula, flat), "w0", names, existence)
            # Over all individuals, the non-existing too: assignments persist across worlds.
            bound = "(w0 World)" + "".join(f" ({y} Individual)" for y in names.values())
            definitions.append(f"(assert (forall ({bound}) (= {symbol} {body})))")
        return symbols[formula]

    top = Problem(problem.semantics, tuple(map(flat, problem.premises)), flat(problem.conjecture))
    lines = smt.to_smtlib(top).splitlines()
    signature = {*problem.signature, *((atom.predicate, len(atom.arguments)) for atom in symbols.values())}
    lines[1:1] = [
        f"(declare-fun {smt.predicate_symbol(name)} (World{' Individual' * arity}) Bool)"
        for name, arity in sorted(signature - top.signature)
    ]
    sorts = [line for line in lines if line.startswith("(declare-sort")]
    rest = [line for line in lines[1:-1] if line not in sorts]
    return "\n".join([lines[0], *sorts, *rest, *definitions, "(check-sat)", ""])


def measure(name: str, translate: Callable[[Problem], str], bench: list[Problem]) -> list[SzsStatus]:
    times: dict[SzsStatus, list[float]] = defaultdict(list)
    statuses = []
    cvc5_finder.to_smtlib = translate
    for problem in bench:
        start = time.process_time()
        verdict = Cvc5Finder().decide(problem, LIMITS)
        times[verdict.status].append(1000 * (time.process_time() - start))
        statuses.append(verdict.status)
    cvc5_finder.to_smtlib = smt.to_smtlib
    for status, values in sorted(times.items()):
        print(
            f"{name:13} {status:20} {len(values):4} problems, "
            f"mean {mean(values):5.1f} ms, median {median(values):4.1f} ms, most {max(values):6.1f} ms"
        )
    return statuses


def around(decide: Callable[[Problem], float], bench: list[Problem]) -> list[float]:
    """Milliseconds that a call takes beyond the verdict's own time."""
    result = []
    for problem in bench:
        start = time.perf_counter()
        seconds = decide(problem)
        result.append(1000 * (time.perf_counter() - start - seconds))
    return result


def main() -> int:
    bench = problems()
    Cvc5Finder().decide(bench[0], LIMITS)
    nested = measure("nested", smt.to_smtlib, bench)
    flat = measure("definitional", definitional, bench)
    decisive = {SzsStatus.THEOREM, SzsStatus.COUNTER_SATISFIABLE}
    conflicts = [p for p, a, b in zip(bench, nested, flat, strict=True) if {a, b} == decisive]
    with Guard() as guard:
        guard.decide(Cvc5Finder(), bench[0], LIMITS)
        guarded = around(lambda problem: guard.decide(Cvc5Finder(), problem, LIMITS).seconds, bench)
    direct = around(lambda problem: Cvc5Finder().decide(problem, LIMITS).seconds, bench)
    print(f"around a verdict, median: {median(guarded):.2f} ms guarded, {median(direct):.2f} ms not")
    for problem in conflicts:
        print("CONFLICT", problem)
    return 1 if conflicts else 0


if __name__ == "__main__":
    sys.exit(main())
