"""Finite Kripke models and the reference evaluator, which has the last word on every countermodel.

Everything here is read off the definitions and nothing is clever: truth at a world (Blackburn, de
Rijke, Venema, *Modal Logic*, 2001, definition 1.20; for quantifiers Fitting and Mendelsohn,
*First-Order Modal Logic*, 1998, definition 4.7.4), each frame condition and each domain condition
as it is stated. The evaluator shares no code with anything that searches for models, so that an
error there cannot be repeated here. It imports only the syntax tree and the notion of a problem.

Domains are non-empty. Quantifiers are actualist. An assignment keeps its values from world to
world. A predicate may hold of individuals that do not exist at the world in question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

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


@dataclass(frozen=True)
class KripkeModel:
    """A finite pointed Kripke model with worlds 0 … worlds-1 and individuals named by integers.

    `accessibility` is the set of pairs (w, v) with wRv. `domains[w]` is the set of individuals that
    exist at w; None for a propositional model. `valuation[p]` is the set of worlds where the atom
    p is true. `extensions[F][w]` is the set of tuples of which F holds at w. `actual` is the
    designated world. Raises ValueError if that does not describe a model.
    """

    worlds: int
    accessibility: frozenset[tuple[int, int]]
    domains: tuple[frozenset[int], ...] | None = None
    valuation: Mapping[str, frozenset[int]] = field(default_factory=dict)
    extensions: Mapping[str, tuple[frozenset[tuple[int, ...]], ...]] = field(default_factory=dict)
    actual: int = 0

    def __post_init__(self) -> None:
        everywhere = range(self.worlds)
        if self.worlds < 1:
            raise ValueError("a model has at least one world")
        if self.actual not in everywhere:
            raise ValueError(f"the designated world {self.actual} is not in the model")
        for w, v in self.accessibility:
            if w not in everywhere or v not in everywhere:
                raise ValueError(f"an arrow goes from {w} to {v}, but the worlds are 0 to {self.worlds - 1}")
        if self.domains is not None and len(self.domains) != self.worlds:
            raise ValueError(f"{len(self.domains)} domains are given for {self.worlds} worlds")
        if self.domains is not None and not all(self.domains):
            raise ValueError("a domain is empty")
        for atom, truths in self.valuation.items():
            if not all(w in everywhere for w in truths):
                raise ValueError(f"the atom {atom} is true at a world that is not in the model")
        for predicate, extension in self.extensions.items():
            if len(extension) != self.worlds:
                raise ValueError(f"{predicate} has extensions for {len(extension)} of {self.worlds} worlds")
        if both := self.valuation.keys() & self.extensions.keys():
            raise ValueError(f"{min(both)} is both an atom and a predicate")

    def successors(self, world: int) -> list[int]:
        """The worlds accessible from *world*, in order."""
        return [v for v in range(self.worlds) if (world, v) in self.accessibility]


# Each frame condition from its first-order definition: given R and the worlds W, does it hold?
_Relation = Callable[[int, int], bool]
FRAME_CONDITIONS: dict[str, Callable[[_Relation, range], bool]] = {
    "serial": lambda R, W: all(any(R(w, v) for v in W) for w in W),
    "reflexive": lambda R, W: all(R(w, w) for w in W),
    "symmetric": lambda R, W: all(R(v, w) for w in W for v in W if R(w, v)),
    "transitive": lambda R, W: all(R(w, u) for w in W for v in W for u in W if R(w, v) and R(v, u)),
    "euclidean": lambda R, W: all(R(v, u) for w in W for v in W for u in W if R(w, v) and R(w, u)),
    "dense": lambda R, W: all(any(R(w, u) and R(u, v) for u in W) for w in W for v in W if R(w, v)),
    "convergent": lambda R, W: all(
        any(R(v, t) and R(u, t) for t in W) for w in W for v in W for u in W if R(w, v) and R(w, u)
    ),
    "functional": lambda R, W: all(v == u for w in W for v in W for u in W if R(w, v) and R(w, u)),
    "shift-reflexive": lambda R, W: all(R(v, v) for w in W for v in W if R(w, v)),
    "weakly-connected": lambda R, W: all(
        R(v, u) or R(u, v) or v == u for w in W for v in W for u in W if R(w, v) and R(w, u)
    ),
    "universal": lambda R, W: all(R(w, v) for w in W for v in W),
}

# Each domain condition from its definition: given R, the worlds W and D, does it hold?
DOMAIN_CONDITIONS: dict[str, Callable[[_Relation, range, tuple[frozenset[int], ...]], bool]] = {
    "varying": lambda R, W, D: True,
    "cumulative": lambda R, W, D: all(D[w] <= D[v] for w in W for v in W if R(w, v)),
    "decreasing": lambda R, W, D: all(D[v] <= D[w] for w in W for v in W if R(w, v)),
    "constant": lambda R, W, D: all(D[w] == D[v] for w in W for v in W),
}


def satisfies_frame_condition(model: KripkeModel, condition: str) -> bool:
    """Whether the model's frame has the condition. Raises KeyError for an unknown name."""
    return FRAME_CONDITIONS[condition](
        lambda w, v: (w, v) in model.accessibility,
        range(model.worlds),
    )


def satisfies_domain_condition(model: KripkeModel, regime: str) -> bool:
    """Whether the model's domains obey the regime; False for a model without domains.

    Raises KeyError for an unknown name.
    """
    holds = DOMAIN_CONDITIONS[regime]
    if model.domains is None:
        return False
    return holds(lambda w, v: (w, v) in model.accessibility, range(model.worlds), model.domains)


def true_at(
    model: KripkeModel, world: int, formula: Formula, assignment: Mapping[str, int] | None = None
) -> bool:
    """Whether the formula is true at the world under the assignment of individuals to variables.

    Raises KeyError for a symbol that the model does not interpret or a variable without a value,
    and ValueError for a quantifier in a model without domains.
    """
    values = {} if assignment is None else assignment
    match formula:
        case Top():
            return True
        case Bottom():
            return False
        case Atom(predicate, ()):
            return world in model.valuation[predicate]
        case Atom(predicate, arguments):
            return tuple(values[x] for x in arguments) in model.extensions[predicate][world]
        case Not(a):
            return not true_at(model, world, a, values)
        case And(a, b):
            return true_at(model, world, a, values) and true_at(model, world, b, values)
        case Or(a, b):
            return true_at(model, world, a, values) or true_at(model, world, b, values)
        case Implies(a, b):
            return not true_at(model, world, a, values) or true_at(model, world, b, values)
        case Iff(a, b):
            return true_at(model, world, a, values) == true_at(model, world, b, values)
        case Box(a):
            return all(true_at(model, v, a, values) for v in model.successors(world))
        case Diamond(a):
            return any(true_at(model, v, a, values) for v in model.successors(world))
        case Forall(x, a):
            return all(true_at(model, world, a, {**values, x: d}) for d in _domain(model, world))
        case Exists(x, a):
            return any(true_at(model, world, a, {**values, x: d}) for d in _domain(model, world))
    raise TypeError(f"not a formula: {formula!r}")


def _domain(model: KripkeModel, world: int) -> frozenset[int]:
    if model.domains is None:
        raise ValueError("a quantifier cannot be evaluated in a model without domains")
    return model.domains[world]


def objection(model: KripkeModel, problem: Problem) -> str | None:
    """Why the model is *not* a countermodel to the problem, in words; None if it is one.

    A countermodel belongs to the class of models, makes every premise true (local ones at the
    designated world, global ones at every world) and the conjecture false (at the designated
    world; a global conjecture at some world).
    """
    everywhere = range(model.worlds)
    for name, arity in sorted(problem.signature):
        if name not in (model.valuation if arity == 0 else model.extensions):
            return f"the model does not interpret {name}"
        if arity > 0 and any(len(row) != arity for extension in model.extensions[name] for row in extension):
            return f"{name} takes {arity} arguments, but the model gives it another number"
    for condition in problem.semantics.frame:
        if not satisfies_frame_condition(model, condition):
            return f"the frame is not {condition}"
    if problem.semantics.domain is None and model.domains is not None:
        return "a propositional model has no domains"
    if problem.semantics.domain is not None:
        if model.domains is None:
            return "the model has no domains"
        if not satisfies_domain_condition(model, problem.semantics.domain):
            return f"the domains are not {problem.semantics.domain}"
    for number, premise in enumerate(problem.global_premises, start=1):
        if not all(true_at(model, w, premise) for w in everywhere):
            return f"global premise {number} is false at some world"
    for number, premise in enumerate(problem.premises, start=1):
        if not true_at(model, model.actual, premise):
            return f"premise {number} is false at the designated world"
    if problem.global_conjecture:
        if all(true_at(model, w, problem.conjecture) for w in everywhere):
            return "the conjecture is true at every world"
    elif true_at(model, model.actual, problem.conjecture):
        return "the conjecture is true at the designated world"
    return None


def is_countermodel(model: KripkeModel, problem: Problem) -> bool:
    """Whether the model shows that the conjecture does not follow. See `objection`."""
    return objection(model, problem) is None


def model_to_record(model: KripkeModel) -> dict[str, Any]:
    """The model as the JSON value that datasets hold: only lists, objects, strings and integers."""
    interpretation: dict[str, Any] = {p: sorted(worlds) for p, worlds in model.valuation.items()}
    for predicate, extension in model.extensions.items():
        interpretation[predicate] = {
            str(w): [list(row) for row in sorted(rows)] for w, rows in enumerate(extension)
        }
    return {
        "worlds": model.worlds,
        "accessibility": [list(arrow) for arrow in sorted(model.accessibility)],
        "domains": None if model.domains is None else [sorted(d) for d in model.domains],
        "interpretation": interpretation,
        "actual": model.actual,
    }


# A record that speaks of more worlds is refused; no search here looks at nearly so many.
MAX_WORLDS_READ = 1000


def model_from_record(record: Mapping[str, Any]) -> KripkeModel:
    """The model that a dataset's JSON value describes.

    Raises ValueError (KeyError and TypeError included in it) if it does not describe one.
    """
    try:
        worlds = record["worlds"]
        if type(worlds) is not int or not 0 <= worlds <= MAX_WORLDS_READ:
            raise ValueError(f"{worlds!r} is not a number of worlds between 1 and {MAX_WORLDS_READ}")
        valuation: dict[str, frozenset[int]] = {}
        extensions: dict[str, tuple[frozenset[tuple[int, ...]], ...]] = {}
        for name, value in record["interpretation"].items():
            if isinstance(value, list):
                valuation[name] = frozenset(value)
            else:
                if set(value) != {str(w) for w in range(worlds)}:
                    raise ValueError(f"{name} is not interpreted at every world")
                extensions[name] = tuple(
                    frozenset(tuple(row) for row in value[str(w)]) for w in range(worlds)
                )
        domains = None if record["domains"] is None else tuple(frozenset(d) for d in record["domains"])
        accessibility = frozenset((w, v) for w, v in record["accessibility"])
        # What equals a number (1.0, true) would pass for it here, but not where it is shown.
        for world in (
            record["actual"],
            *(w for group in (*accessibility, *valuation.values()) for w in group),
        ):
            if type(world) is not int:
                raise ValueError(f"{world!r} is not the number of a world")
        rows = (row for extension in extensions.values() for at_world in extension for row in at_world)
        for individual in (d for group in (*(domains or ()), *rows) for d in group):
            if type(individual) is not int or individual < 0:
                raise ValueError(f"{individual!r} is not the number of an individual")
        return KripkeModel(
            worlds=worlds,
            accessibility=accessibility,
            domains=domains,
            valuation=valuation,
            extensions=extensions,
            actual=record["actual"],
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a Kripke model: {error}") from error
