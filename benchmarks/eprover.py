"""How fast E answers on both translations: `python benchmarks/eprover.py [problems] [steps]`.

Random problems from a fixed seed, half of them propositional and half first-order, over the named
systems and the domain regimes. Reports milliseconds for each run and how the runs ended.
"""

from __future__ import annotations

import sys
from collections import Counter
from random import Random
from statistics import mean, median

from modalgen.formula import And, Atom, Box, Diamond, Exists, Forall, Formula, Implies, Not, Or
from modalgen.oracle.eprover import EProver
from modalgen.oracle.verdict import Limits
from modalgen.problem import Problem
from modalgen.semantics import DOMAINS, SYSTEMS, semantics


def random_formula(random: Random, height: int, scope: tuple[str, ...] | None) -> Formula:
    """A random closed formula; *scope* is None for a propositional one, else the bound variables."""
    if height == 0 or (height < 3 and random.random() < 0.2):
        if scope is None:
            return Atom(random.choice("pq"))
        if scope:
            return Atom(random.choice("FG"), (random.choice(scope),))
    kinds = ["not", "box", "diamond", "and", "or", "implies"] + ["quantifier"] * (3 * (scope is not None))
    kind = random.choice(kinds) if height > 0 else "quantifier"
    below = max(height - 1, 0)
    if kind == "quantifier":
        assert scope is not None
        x = random.choice("xy")
        inner = random_formula(random, below, tuple(sorted({*scope, x})))
        return random.choice((Forall, Exists))(x, inner)
    if kind in ("not", "box", "diamond"):
        unary = {"not": Not, "box": Box, "diamond": Diamond}[kind]
        return unary(random_formula(random, below, scope))
    binary = {"and": And, "or": Or, "implies": Implies}[kind]
    return binary(random_formula(random, below, scope), random_formula(random, below, scope))


def random_problem(random: Random) -> Problem:
    """A random problem with one premise and a conjecture."""
    scope: tuple[str, ...] | None = random.choice((None, ()))
    domain = None if scope is None else random.choice(sorted(DOMAINS))
    frame = SYSTEMS[random.choice(sorted(SYSTEMS))]
    premise, conjecture = (random_formula(random, 4, scope) for _ in range(2))
    return Problem(semantics(frame, domain), (premise,), conjecture)


def main() -> None:
    """Run and report."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    limits = Limits(steps=int(sys.argv[2])) if len(sys.argv) > 2 else Limits()
    random = Random(1)
    problems = [random_problem(random) for _ in range(count)]
    for decider in (EProver("tff"), EProver("thf")):
        verdicts = [decider.decide(problem, limits) for problem in problems]
        answered = [1000 * verdict.seconds for verdict in verdicts if verdict.decisive]
        ends = Counter(str(verdict.status) for verdict in verdicts)
        print(f"{decider.name}: {dict(sorted(ends.items()))}")
        print(f"  answered: median {median(answered):.1f} ms, mean {mean(answered):.1f} ms")
        seconds = [verdict.seconds for verdict in verdicts]
        print(f"  all: mean {1000 * mean(seconds):.1f} ms, longest {max(seconds):.1f} s")


if __name__ == "__main__":
    main()
