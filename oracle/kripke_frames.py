"""Frames and domains of a given size as propositional clauses.

Each frame condition and each domain regime is written out from its first-order definition over a
fixed number of worlds and individuals (Blackburn, de Rijke, Venema 2001, chapter 3; Fitting and
Mendelsohn 1998, chapter 4). The forced literals are then propagated, so that on reflexive frames, for
instance, the arrow from a world to itself is the constant true in everything that is built on it.

Literals are non-zero integers as in DIMACS. Variable 1 is the constant true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

Clause = tuple[int, ...]
TRUE, FALSE = 1, -1

Matrix = Callable[[int, int], int]


def _frame_clauses(condition: str, W: range, R: Matrix, both: Matrix) -> Iterator[Clause]:
    """The frame condition over the worlds W; both(a, b) is a literal that implies a and b."""
    pairs = [(w, v) for w in W for v in W]
    forks = [(w, v, u) for w, v in pairs for u in W]
    match condition:
        case "serial":
            yield from (tuple(R(w, v) for v in W) for w in W)
        case "reflexive":
            yield from ((R(w, w),) for w in W)
        case "symmetric":
            yield from ((-R(w, v), R(v, w)) for w, v in pairs)
        case "transitive":
            yield from ((-R(w, v), -R(v, u), R(w, u)) for w, v, u in forks)
        case "euclidean":
            yield from ((-R(w, v), -R(w, u), R(v, u)) for w, v, u in forks)
        case "dense":
            yield from ((-R(w, v), *(both(R(w, u), R(u, v)) for u in W)) for w, v in pairs)
        case "convergent":
            yield from ((-R(w, v), -R(w, u), *(both(R(v, t), R(u, t)) for t in W)) for w, v, u in forks)
        case "functional":
            yield from ((-R(w, v), -R(w, u)) for w, v, u in forks if v != u)
        case "shift-reflexive":
            yield from ((-R(w, v), R(v, v)) for w, v in pairs)
        case "weakly-connected":
            yield from ((-R(w, v), -R(w, u), R(v, u), R(u, v)) for w, v, u in forks if v != u)
        case "universal":
            yield from ((R(w, v),) for w, v in pairs)
        case _:
            raise ValueError(f"no clauses for the frame condition {condition!r}")


def _domain_clauses(regime: str, W: range, D: range, R: Matrix, E: Matrix) -> Iterator[Clause]:
    """The domain regime over the worlds W and the individuals D, and that no domain is empty."""
    yield from (tuple(E(w, d) for d in D) for w in W)
    carried = [(w, v, d) for w in W for v in W for d in D]
    match regime:
        case "varying":
            pass
        case "cumulative":
            yield from ((-R(w, v), -E(w, d), E(v, d)) for w, v, d in carried)
        case "decreasing":
            yield from ((-R(w, v), -E(v, d), E(w, d)) for w, v, d in carried)
        case "constant":
            # Of individuals outside the one domain there is no need, as no quantifier reaches them.
            yield from ((E(w, d),) for w in W for d in D)
        case _:
            raise ValueError(f"no clauses for the domain regime {regime!r}")


@dataclass(frozen=True)
class Structure:
    """The clauses of a class of frames with domains, with units propagated.

    `accessibility[w][v]` is the literal of R(w,v) and `existence[w][d]` that of E(w,d), either of
    which can be TRUE or FALSE. `literals` are the clauses one after the other, each ended by 0.
    """

    accessibility: tuple[tuple[int, ...], ...]
    existence: tuple[tuple[int, ...], ...]
    variables: int
    clauses: int
    literals: tuple[int, ...]


@lru_cache(maxsize=256)
def structure(frame: tuple[str, ...], domain: str | None, n: int, m: int) -> Structure:
    """The frames with these conditions and *n* worlds; with *m* individuals unless *domain* is None.

    The last few are kept. Raises ValueError for a condition or regime that is not in the registry.
    """
    W, D = range(n), range(m)

    def R(w: int, v: int) -> int:
        return 2 + w * n + v

    def E(w: int, d: int) -> int:
        return 2 + n * n + w * m + d

    fresh = count(2 + n * n + n * m)
    clauses: list[Clause] = [(TRUE,)]
    conjunctions: dict[tuple[int, int], int] = {}

    def both(a: int, b: int) -> int:
        if (a, b) not in conjunctions:
            conjunctions[a, b] = next(fresh)
            clauses.extend(((-conjunctions[a, b], a), (-conjunctions[a, b], b)))
        return conjunctions[a, b]

    for condition in frame:
        clauses.extend(_frame_clauses(condition, W, R, both))
    if domain is not None:
        clauses.extend(_domain_clauses(domain, W, D, R, E))
    fixed, rest = _propagate(clauses)
    rest.append((TRUE,))

    def value(variable: int) -> int:
        return TRUE if variable in fixed else FALSE if -variable in fixed else variable

    return Structure(
        tuple(tuple(value(R(w, v)) for v in W) for w in W),
        tuple(tuple(value(E(w, d)) for d in D) for w in W),
        next(fresh) - 1,
        len(rest),
        tuple(literal for clause in rest for literal in (*clause, 0)),
    )


def _propagate(clauses: list[Clause]) -> tuple[set[int], list[Clause]]:
    """Unit propagation: the literals that are forced, and the clauses that remain without them.

    An inconsistent set leaves an empty clause.
    """
    fixed: set[int] = set()
    while True:
        remaining: list[Clause] = []
        units: set[int] = set()
        for clause in clauses:
            literals = dict.fromkeys(x for x in clause if -x not in fixed)
            if any(x in fixed or -x in literals for x in literals):
                continue
            remaining.append(tuple(literals))
            if len(literals) == 1:
                units |= literals.keys()
        if not units:
            return fixed, remaining
        if any(-x in units for x in units):
            return fixed | {x for x in units if -x not in units}, [()]
        fixed |= units
        clauses = remaining
