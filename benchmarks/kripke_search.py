"""The bounded countermodel search against the same search through Z3's Boolean API.

    python benchmarks/kripke_search.py

A seeded set of problems, instances of well-known schemes and random ones, propositional and quantified,
over all frame conditions and domain regimes. Two things are timed, in milliseconds a problem:

- one query: is there a countermodel with 3 worlds and 3 individuals? (expand, hand over, solve)
- the search: all sizes up to 4 worlds and 3 individuals, or up to the first countermodel.

Ours is timed without and with the choice of the canonical countermodel and the verdict around it. The
baseline states the same problem with `z3.And`, `z3.Or` over `z3.Bool` and gives it to `z3.Solver`, in
one context. It takes the first model it gets. Both must agree on the one query, and on whether the search
finds a countermodel and with how many worlds, or the benchmark fails.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from itertools import product

import z3

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
    Top,
    substitute,
)
from modalgen.oracle.kripke_cnf import expand
from modalgen.oracle.kripke_nodes import nodes_of
from modalgen.oracle.kripke_search import KripkeSearch, bounds
from modalgen.oracle.verdict import Limits
from modalgen.oracle.z3_sat import SatQuery
from modalgen.problem import Problem
from modalgen.semantics import CONDITIONS, DOMAINS, SYSTEMS, semantics

SEED = 20240607
PROBLEMS = 200
LIMITS = Limits(worlds=4, individuals=3, steps=5_000_000, wall_seconds=60)


# --- the problems -----------------------------------------------------------------------------------


def random_formula(choose: random.Random, height: int, scope: tuple[str, ...], quantified: bool) -> Formula:
    if height == 0 or choose.random() < 0.1:
        if not quantified:
            return Atom(choose.choice("pqr"))
        if scope and choose.random() < 0.25:
            return Atom("Likes", (choose.choice(scope), choose.choice(scope)))
        if scope:
            return Atom(choose.choice("FG"), (choose.choice(scope),))
    if quantified and (len(scope) == 0 or (len(scope) < 3 and choose.random() < 0.3)):
        x = "xyz"[len(scope)]
        quantifier = choose.choice((Forall, Exists))
        return quantifier(x, random_formula(choose, max(height - 1, 0), (*scope, x), quantified))
    below = max(height - 1, 0)
    left = random_formula(choose, below, scope, quantified)
    if choose.random() < 0.5:
        return choose.choice((Not, Box, Box, Diamond, Diamond))(left)
    kind = choose.choice((And, Or, Implies, Implies, Iff))
    return kind(left, random_formula(choose, below, scope, quantified))


# Premises and conclusion, over p and q: the schemes of D, T, B, 4, 5, C4, .2, CD, shift reflexivity,
# .3, McKinsey and Löb, and distribution over ∨ and ∧.
p, q = Atom("p"), Atom("q")
SCHEMES: tuple[tuple[tuple[Formula, ...], Formula], ...] = (
    ((), Implies(Box(p), Diamond(p))),
    ((Box(p),), p),
    ((p,), Box(Diamond(p))),
    ((), Implies(Box(p), Box(Box(p)))),
    ((Diamond(p),), Box(Diamond(p))),
    ((Box(Box(p)),), Box(p)),
    ((Diamond(Box(p)),), Box(Diamond(p))),
    ((Diamond(p),), Box(p)),
    ((), Box(Implies(Box(p), p))),
    ((), Or(Box(Implies(And(p, Box(p)), q)), Box(Implies(And(q, Box(q)), p)))),
    ((Box(Diamond(p)),), Diamond(Box(p))),
    ((Box(Implies(Box(p), p)),), Box(p)),
    ((Diamond(p), Diamond(q)), Diamond(And(p, q))),
    ((Box(Or(p, q)),), Or(Box(p), Diamond(q))),
)
F, G = Atom("F", ("x",)), Atom("G", ("x",))
QUANTIFIED_SCHEMES: tuple[tuple[tuple[Formula, ...], Formula], ...] = (
    ((Forall("x", Box(F)),), Box(Forall("x", F))),
    ((Box(Forall("x", F)),), Forall("x", Box(F))),
    ((Diamond(Exists("x", F)),), Exists("x", Diamond(F))),
    ((Exists("x", Diamond(F)),), Diamond(Exists("x", F))),
    ((Box(Exists("x", F)),), Exists("x", Box(F))),
    ((Exists("x", Box(F)),), Box(Exists("x", F))),
    ((Box(Forall("x", Implies(F, G))), Exists("x", Diamond(F))), Diamond(Exists("x", G))),
    ((Forall("x", Box(Implies(F, Box(G)))), Box(Exists("x", F))), Box(Box(Exists("x", G)))),
)


def boolean(choose: random.Random, symbols: tuple[Atom, ...], height: int) -> Formula:
    if height == 0 or choose.random() < 0.3:
        return choose.choice(symbols)
    if choose.random() < 0.25:
        return Not(boolean(choose, symbols, height - 1))
    kind = choose.choice((And, Or, Implies))
    return kind(boolean(choose, symbols, height - 1), boolean(choose, symbols, height - 1))


def problems(seed: int, number: int) -> list[Problem]:
    """Half propositional, half quantified; of each, half instances of schemes and half random."""
    choose = random.Random(seed)
    systems = [SYSTEMS[name] for name in sorted(SYSTEMS)]
    result = []
    for i in range(number):
        quantified = i % 2 == 1
        others = [frozenset(choose.sample(sorted(CONDITIONS), choose.randint(1, 2))) for _ in range(5)]
        declared = semantics(
            choose.choice(systems + others), choose.choice(sorted(DOMAINS)) if quantified else None
        )
        if i % 4 < 2:
            premises, conjecture = choose.choice(QUANTIFIED_SCHEMES if quantified else SCHEMES)
            parameters, symbols = (("x",), (F, G)) if quantified else ((), (p, q, Atom("r")))
            content = {symbol.predicate: (parameters, boolean(choose, symbols, 2)) for symbol in symbols[:2]}
            premises = tuple(substitute(premise, content) for premise in premises)
            conjecture = substitute(conjecture, content)
        else:
            height = 4 if quantified else 5
            conjecture = random_formula(choose, height, (), quantified)
            premises = tuple(random_formula(choose, height - 1, (), quantified) for _ in range(i // 4 % 2))
        result.append(Problem(declared, premises, conjecture))
    return result


# --- the baseline -----------------------------------------------------------------------------------

RELATION_PROPERTIES: dict[str, Callable[..., z3.BoolRef]] = {
    "serial": lambda R, W: z3.And([z3.Or([R[w][v] for v in W]) for w in W]),
    "reflexive": lambda R, W: z3.And([R[w][w] for w in W]),
    "symmetric": lambda R, W: z3.And([z3.Implies(R[w][v], R[v][w]) for w in W for v in W]),
    "transitive": lambda R, W: z3.And(
        [z3.Implies(z3.And(R[w][v], R[v][u]), R[w][u]) for w in W for v in W for u in W]
    ),
    "euclidean": lambda R, W: z3.And(
        [z3.Implies(z3.And(R[w][v], R[w][u]), R[v][u]) for w in W for v in W for u in W]
    ),
    "dense": lambda R, W: z3.And(
        [z3.Implies(R[w][v], z3.Or([z3.And(R[w][u], R[u][v]) for u in W])) for w in W for v in W]
    ),
    "convergent": lambda R, W: z3.And(
        [
            z3.Implies(z3.And(R[w][v], R[w][u]), z3.Or([z3.And(R[v][t], R[u][t]) for t in W]))
            for w in W
            for v in W
            for u in W
        ]
    ),
    "functional": lambda R, W: z3.And(
        [z3.Not(z3.And(R[w][v], R[w][u])) for w in W for v in W for u in W if v != u]
    ),
    "shift-reflexive": lambda R, W: z3.And([z3.Implies(R[w][v], R[v][v]) for w in W for v in W]),
    "weakly-connected": lambda R, W: z3.And(
        [
            z3.Implies(z3.And(R[w][v], R[w][u]), z3.Or(R[v][u], R[u][v]))
            for w in W
            for v in W
            for u in W
            if v != u
        ]
    ),
    "universal": lambda R, W: z3.And([R[w][v] for w in W for v in W]),
}


def baseline_satisfiable(problem: Problem, n: int, m: int) -> bool:
    """Whether z3.Solver finds a countermodel of exactly this size."""
    W, D = range(n), range(m)
    R = [[z3.Bool(f"R_{w}_{v}") for v in W] for w in W]
    E = [[z3.Bool(f"E_{w}_{d}") for d in D] for w in W]
    solver = z3.Solver()
    for condition in problem.semantics.frame:
        solver.add(RELATION_PROPERTIES[condition](R, W))
    if problem.semantics.domain is not None:
        solver.add([z3.Or(row) for row in E])
    for w, v, d in product(W, W, D):
        match problem.semantics.domain:
            case "cumulative":
                solver.add(z3.Implies(z3.And(R[w][v], E[w][d]), E[v][d]))
            case "decreasing":
                solver.add(z3.Implies(z3.And(R[w][v], E[v][d]), E[w][d]))
            case "constant":
                solver.add(E[w][d] == E[v][d])

    def true_at(f: Formula, w: int, values: dict[str, int]) -> z3.BoolRef:
        match f:
            case Top():
                return z3.BoolVal(True)
            case Bottom():
                return z3.BoolVal(False)
            case Atom(name, arguments):
                return z3.Bool("_".join((name, str(w), *(str(values[x]) for x in arguments))))
            case Not(a):
                return z3.Not(true_at(a, w, values))
            case And(a, b):
                return z3.And(true_at(a, w, values), true_at(b, w, values))
            case Or(a, b):
                return z3.Or(true_at(a, w, values), true_at(b, w, values))
            case Implies(a, b):
                return z3.Implies(true_at(a, w, values), true_at(b, w, values))
            case Iff(a, b):
                return true_at(a, w, values) == true_at(b, w, values)
            case Box(a):
                return z3.And([z3.Implies(R[w][v], true_at(a, v, values)) for v in W])
            case Diamond(a):
                return z3.Or([z3.And(R[w][v], true_at(a, v, values)) for v in W])
            case Forall(x, a):
                return z3.And([z3.Implies(E[w][d], true_at(a, w, {**values, x: d})) for d in D])
            case Exists(x, a):
                return z3.Or([z3.And(E[w][d], true_at(a, w, {**values, x: d})) for d in D])
        raise TypeError(f)

    solver.add([true_at(premise, 0, {}) for premise in problem.premises])
    solver.add(z3.Not(true_at(problem.conjecture, 0, {})))
    return bool(solver.check() == z3.sat)


# --- the two searches -------------------------------------------------------------------------------


def satisfiable(problem: Problem, n: int, m: int) -> bool:
    expansion = expand(problem, n, m)
    with SatQuery(expansion.dimacs(), LIMITS.steps, LIMITS.wall_seconds, LIMITS.memory_mb) as query:
        return query.check()


def least_worlds(problem: Problem, answer: Callable[[Problem, int, int], bool]) -> int | None:
    """The sizes in the order of modalgen.oracle.kripke_search, without choosing a countermodel."""
    refuted: dict[int, int] = {}
    for most_worlds, individuals in bounds(problem, LIMITS.worlds, LIMITS.individuals):
        for worlds in range(1, most_worlds + 1):
            if refuted.get(worlds, -1) < individuals:
                if answer(problem, worlds, individuals):
                    return worlds
                refuted[worlds] = individuals
    return None


def canonical_worlds(problem: Problem) -> int | None:
    model = KripkeSearch().decide(problem, LIMITS).countermodel
    return None if model is None else model.worlds


def timed(function: Callable[[Problem], int | bool | None], problem: Problem) -> tuple[float, object]:
    """Milliseconds of CPU, the better of two runs, so that what else the machine does counts less."""
    best = float("inf")
    for _ in range(2):
        nodes_of.cache_clear()
        start = time.process_time()
        value = function(problem)
        best = min(best, (time.process_time() - start) * 1000)
    return best, value


PATHS: dict[str, Callable[[Problem], int | bool | None]] = {
    "one query: DIMACS to QF_FD": lambda p: satisfiable(p, 3, 3),
    "one query: Boolean API": lambda p: baseline_satisfiable(p, 3, 3),
    "search: DIMACS to QF_FD": lambda p: least_worlds(p, satisfiable),
    "search: with canonical countermodel": canonical_worlds,
    "search: Boolean API": lambda p: least_worlds(p, baseline_satisfiable),
}


def main() -> int:
    """Run everything, print the tables; 1 if two searches disagree."""
    bench = problems(SEED, PROBLEMS)
    for path in PATHS.values():
        path(bench[0])
    results = [{name: timed(path, problem) for name, path in PATHS.items()} for problem in bench]
    found = [result["search: Boolean API"][1] for result in results]
    groups = {
        "propositional, countermodel": [
            i for i, p in enumerate(bench) if p.semantics.domain is None and found[i] is not None
        ],
        "propositional, none": [
            i for i, p in enumerate(bench) if p.semantics.domain is None and found[i] is None
        ],
        "quantified, countermodel": [
            i for i, p in enumerate(bench) if p.semantics.domain is not None and found[i] is not None
        ],
        "quantified, none": [
            i for i, p in enumerate(bench) if p.semantics.domain is not None and found[i] is None
        ],
        "all": list(range(len(bench))),
    }
    for title, members in groups.items():
        print(f"{title}: {len(members)} problems")
        for name in PATHS:
            ours = sum(results[i][name][0] for i in members) / len(members)
            baseline = name.split(":")[0] + ": Boolean API"
            theirs = sum(results[i][baseline][0] for i in members) / len(members)
            print(f"  {name:38} {ours:8.2f} ms   Boolean API takes {theirs / ours:5.2f} times as long")
    disagreements = [
        problem
        for problem, result in zip(bench, results, strict=True)
        if any(
            len({value for name, (_, value) in result.items() if name.startswith(kind)}) > 1
            for kind in ("one query", "search")
        )
    ]
    print(f"disagreements: {len(disagreements)}")
    for problem in disagreements:
        print(problem, file=sys.stderr)
    return 1 if disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
