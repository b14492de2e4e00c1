"""SMT-LIB: a problem as quantified uninterpreted functions (logic UF).

The standard translation (Blackburn, de Rijke, Venema, *Modal Logic*, 2001, definition 2.45) into two
sorts, worlds and individuals: accessibility and existence become predicates, every symbol gets the
world as its first argument, □ and ◇ become quantifiers over the accessible worlds, ∀ and ∃
quantifiers over the individuals that exist. The assertions are satisfiable exactly when there is a
countermodel, and each of their models *is* one.

- The translation is nested. A definitional one (a predicate for each modal subformula, defined in
  both directions) takes cvc5 1.6 to 1.9 times as long: `benchmarks/cvc5_finder.py`.
- Under constant domains there is no existence predicate. All domains are one set, and individuals
  outside it are never quantified over, so the sort itself is that set.
- No name needs quoting. A symbol's name is percent-encoded, which is injective and stays inside the
  characters of SMT-LIB's simple symbols, and the prefix `pred.` keeps it apart from reserved words
  and from our own names. Bound variables are renamed by their level, `w1`, `x1`.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

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
)
from modalgen.problem import Problem

WORLD = "World"
INDIVIDUAL = "Individual"
ACCESSIBLE = "accessible"
EXISTS_AT = "exists-at"
DESIGNATED = "here"

# Each frame condition: variables over worlds, and what is claimed of them.
_FRAME = {
    "serial": "(forall ((w World)) (exists ((v World)) (accessible w v)))",
    "reflexive": "(forall ((w World)) (accessible w w))",
    "symmetric": "(forall ((w World) (v World)) (=> (accessible w v) (accessible v w)))",
    "transitive": (
        "(forall ((w World) (v World) (u World))"
        " (=> (and (accessible w v) (accessible v u)) (accessible w u)))"
    ),
    "euclidean": (
        "(forall ((w World) (v World) (u World))"
        " (=> (and (accessible w v) (accessible w u)) (accessible v u)))"
    ),
    "dense": (
        "(forall ((w World) (v World))"
        " (=> (accessible w v) (exists ((u World)) (and (accessible w u) (accessible u v)))))"
    ),
    "convergent": (
        "(forall ((w World) (v World) (u World)) (=> (and (accessible w v) (accessible w u))"
        " (exists ((t World)) (and (accessible v t) (accessible u t)))))"
    ),
    "functional": (
        "(forall ((w World) (v World) (u World)) (=> (and (accessible w v) (accessible w u)) (= v u)))"
    ),
    "shift-reflexive": "(forall ((w World) (v World)) (=> (accessible w v) (accessible v v)))",
    "weakly-connected": (
        "(forall ((w World) (v World) (u World)) (=> (and (accessible w v) (accessible w u))"
        " (or (accessible v u) (accessible u v) (= v u))))"
    ),
    "universal": "(forall ((w World) (v World)) (accessible w v))",
}

# What each regime claims of the existence predicate, beside that no domain is empty.
_DOMAIN = {
    "varying": (),
    "cumulative": (
        "(forall ((w World) (v World) (x Individual))"
        " (=> (and (accessible w v) (exists-at w x)) (exists-at v x)))",
    ),
    "decreasing": (
        "(forall ((w World) (v World) (x Individual))"
        " (=> (and (accessible w v) (exists-at v x)) (exists-at w x)))",
    ),
}
_NON_EMPTY = "(forall ((w World)) (exists ((x Individual)) (exists-at w x)))"


def predicate_symbol(name: str) -> str:
    """The SMT-LIB symbol that stands for the predicate or atom *name*."""
    return "pred." + quote(name, safe="", errors="surrogatepass")


def to_smtlib(problem: Problem) -> str:
    """The problem as an SMT-LIB 2.6 script that ends in `(check-sat)`.

    It is satisfiable exactly when the problem has a countermodel, whose designated world is the
    value of the constant `here`. Equal problems give equal texts, byte for byte.
    """
    regime = problem.semantics.domain
    existence = regime not in (None, "constant")
    lines = ["(set-logic UF)", "(declare-sort World 0)"]
    if regime is not None:
        lines.append("(declare-sort Individual 0)")
    lines.append("(declare-fun accessible (World World) Bool)")
    if existence:
        lines.append("(declare-fun exists-at (World Individual) Bool)")
    for name, arity in sorted(problem.signature):
        lines.append(f"(declare-fun {predicate_symbol(name)} (World{' Individual' * arity}) Bool)")
    lines.append("(declare-const here World)")
    claims = [_FRAME[condition] for condition in problem.semantics.frame]
    if regime is not None and existence:
        claims += [_NON_EMPTY, *_DOMAIN[regime]]
    for premise in problem.global_premises:
        claims.append(f"(forall ((w0 World)) {holds(premise, 'w0', {}, existence)})")
    for premise in problem.premises:
        claims.append(holds(premise, DESIGNATED, {}, existence))
    # A global conjecture fails at some world of the model, and the local premises hold at `here`.
    if problem.global_conjecture:
        claims.append(f"(exists ((w0 World)) (not {holds(problem.conjecture, 'w0', {}, existence)}))")
    else:
        claims.append(f"(not {holds(problem.conjecture, DESIGNATED, {}, existence)})")
    lines += [f"(assert {claim})" for claim in claims]
    return "\n".join([*lines, "(check-sat)", ""])


def holds(formula: Formula, world: str, names: Mapping[str, str], existence: bool) -> str:
    """The SMT-LIB formula that *formula* is true at *world*, when *names* are its free variables.

    *existence* says whether there is an existence predicate for quantifiers to ask.
    """

    def at(f: Formula, w: str, names: Mapping[str, str], worlds: int, individuals: int) -> str:
        # `names` are the SMT-LIB variables of the modal ones in scope, `worlds` and `individuals`
        # the levels of nesting, from which the next bound variable takes its name.
        match f:
            case Top():
                return "true"
            case Bottom():
                return "false"
            case Atom(predicate, arguments):
                return f"({' '.join((predicate_symbol(predicate), w, *(names[x] for x in arguments)))})"
            case Not(a):
                return f"(not {at(a, w, names, worlds, individuals)})"
            case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b):
                left = at(a, w, names, worlds, individuals)
                return f"({_CONNECTIVES[type(f)]} {left} {at(b, w, names, worlds, individuals)})"
            case Box(a) | Diamond(a):
                v = f"w{worlds}"
                body = at(a, v, names, worlds + 1, individuals)
                return _bounded(type(f) is Box, f"{v} World", f"(accessible {w} {v})", body)
            case Forall(x, a) | Exists(x, a):
                y = f"x{individuals}"
                body = at(a, w, {**names, x: y}, worlds, individuals + 1)
                guard = f"(exists-at {w} {y})" if existence else None
                return _bounded(type(f) is Forall, f"{y} Individual", guard, body)
        raise TypeError(f"not a formula: {f!r}")

    return at(formula, world, names, 1, 1)


_CONNECTIVES: dict[type[Formula], str] = {And: "and", Or: "or", Implies: "=>", Iff: "="}


def _bounded(universal: bool, variable: str, guard: str | None, body: str) -> str:
    """∀ or ∃ over the values of one variable that satisfy the guard."""
    if guard is not None:
        body = f"({'=>' if universal else 'and'} {guard} {body})"
    return f"({'forall' if universal else 'exists'} (({variable})) {body})"
