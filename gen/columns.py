"""Truth columns: at which worlds of all small models a formula is true, as one integer.

The column of a formula has one bit for each assignment of individuals to the variables in scope,
each world and each model. The bits of all models at one world under one assignment lie together, so
that all models are treated at once: a connective is a bitwise operation on whole columns; ◇ takes,
for each distance between two worlds, the bits at that distance where there is an arrow, with one
shift; ∃ takes for each individual the bits at the worlds where it exists. Truth tables as bit vectors
are described in Knuth, *The Art of Computer Programming*, volume 4A, section 7.1.3.

Columns are equal exactly if the formulas have the same truth value at every world of every model,
whatever individuals of the model the variables stand for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import groupby, product
from operator import and_

from modalgen.formula import Formula
from modalgen.gen.pointed_models import Fact, ground_facts, pointed_models
from modalgen.gen.small_frames import Skeleton, belongs
from modalgen.gen.truthtable import CONNECTIVES
from modalgen.semantics import Semantics


@dataclass(frozen=True)
class _Scope:
    """What the operations need to know of the columns of one scope.

    `width` is the number of bits of a column and `top` the column of ⊤. Each member of `arrows` is a
    distance in bits and where there is an arrow to the world at that distance. `existing[d]` says
    at which worlds the individual d exists.
    """

    width: int
    top: int
    arrows: tuple[tuple[int, int], ...]
    existing: tuple[int, ...]


class Columns:
    """The columns over the pointed models of some classes, and the operations on them.

    A *scope* is the number of variables on which a column may depend, numbered from the outermost.
    Bit (a·worlds + w)·len(models) + m belongs to model m, world w and assignment a, a number whose
    digits to the base `individuals` are the values of the variables, the innermost the most significant.
    """

    def __init__(
        self, arities: Sequence[int], worlds: int, individuals: int, classes: Sequence[Semantics]
    ) -> None:
        self.models = pointed_models(arities, worlds, individuals, classes)
        self.worlds = worlds
        self.individuals = individuals
        self.classes = tuple(classes)
        # The models of one skeleton follow each other.
        by_skeleton = groupby(self.models, key=lambda model: model.skeleton)
        self._runs = [(skeleton, sum(1 for _ in models)) for skeleton, models in by_skeleton]
        W, D = range(worlds), range(individuals)
        # One bit for each model: whether the world is there, the individual is there, the one world
        # accesses the other, the individual exists at the world.
        self._there = [self._where(Skeleton.has_world, w) for w in W]
        self._present = [self._where(Skeleton.has_individual, d) for d in D]
        self._accesses = {(w, v): self._where(Skeleton.accesses, w, v) for w in W for v in W}
        self._exists = [[self._where(Skeleton.exists, d, w) for w in W] for d in D]
        self._everywhere = (1 << len(self.models)) - 1
        self._scopes: list[_Scope] = []
        self._facts: dict[tuple[int, Fact], int] = {}
        self._atoms: dict[tuple[int, tuple[int, ...], int], int] = {}
        self._members: dict[Semantics, int] = {}
        for population in range(individuals + 1):
            self._read_facts(ground_facts(arities, population), population)

    def at_points(self, column: int) -> int:
        """The truth values at the points, one bit for each model, from a column of scope 0."""
        return column & self._everywhere

    def members(self, semantics: Semantics) -> int:
        """The models in a class, one bit for each model."""
        if semantics not in self._members:
            self._members[semantics] = self._where(belongs, semantics)
        return self._members[semantics]

    def top(self, scope: int = 0) -> int:
        """The column of ⊤: all worlds of a model, under all values that are individuals of it."""
        return self._scope(scope).top

    def atom(self, symbol: int, variables: tuple[int, ...] = (), scope: int = 0) -> int:
        """The column of a symbol applied to variables. Both are given by their numbers, from 0."""
        key = (symbol, variables, scope)
        if key not in self._atoms:
            column = self._joined(
                scope, lambda values, w: self._facts[w, (symbol, tuple(values[v] for v in variables))]
            )
            self._atoms[key] = column & self.top(scope)
        return self._atoms[key]

    def negation(self, column: int, scope: int = 0) -> int:
        """The column of ¬φ from that of φ."""
        return self._scope(scope).top ^ column

    def connective(self, kind: type[Formula], left: int, right: int, scope: int = 0) -> int:
        """The column of φ ∧ ψ, φ ∨ ψ, φ → ψ or φ ↔ ψ, by the class of its node."""
        return CONNECTIVES[kind](left, right, self._scope(scope).top)

    def diamond(self, column: int, scope: int = 0) -> int:
        """The column of ◇φ from that of φ."""
        found = 0
        for distance, arrows in self._scope(scope).arrows:
            found |= (column >> distance if distance > 0 else column << -distance) & arrows
        return found

    def box(self, column: int, scope: int = 0) -> int:
        """The column of □φ from that of φ."""
        top = self._scope(scope).top
        return top ^ self.diamond(top ^ column, scope)

    def exists(self, column: int, scope: int = 0) -> int:
        """The column of ∃x φ in this scope from that of φ in the scope with x as innermost variable."""
        here = self._scope(scope)
        found = 0
        for d, existing in enumerate(here.existing):
            found |= column >> d * here.width & existing
        return found

    def forall(self, column: int, scope: int = 0) -> int:
        """The column of ∀x φ in this scope from that of φ in the scope with x as innermost variable."""
        return self.top(scope) ^ self.exists(self.top(scope + 1) ^ column, scope)

    def _scope(self, scope: int) -> _Scope:
        while len(self._scopes) <= scope:
            self._scopes.append(self._next_scope(len(self._scopes)))
        return self._scopes[scope]

    def _next_scope(self, scope: int) -> _Scope:
        count, distances = len(self.models), range(1 - self.worlds, self.worlds)
        arrows = [[self._accesses.get((w, w + by), 0) for w in range(self.worlds)] for by in distances]
        top = self._joined(
            scope, lambda values, w: reduce(and_, (self._present[d] for d in values), self._there[w])
        )
        return _Scope(
            width=self.individuals**scope * self.worlds * count,
            top=top,
            arrows=tuple(
                (by * count, self._repeated(scope, there) & top)
                for by, there in zip(distances, arrows, strict=True)
            ),
            existing=tuple(self._repeated(scope, there) & top for there in self._exists),
        )

    def _where(self, holds: Callable[..., bool], *arguments: int | Semantics) -> int:
        """The models whose skeletons have a property, one bit for each model."""
        runs = ("1" * count if holds(skeleton, *arguments) else "0" * count for skeleton, count in self._runs)
        return _packed(runs)

    def _read_facts(self, facts: Sequence[Fact], population: int) -> None:
        """Where each fact holds in the models with so many individuals."""
        for w in range(self.worlds):
            labels = [
                m.valuation[w] if w < len(m.valuation) and m.skeleton.population == population else 0
                for m in self.models
            ]
            for n, fact in enumerate(facts):
                held = _packed("1" if label >> n & 1 else "0" for label in labels)
                self._facts[w, fact] = self._facts.get((w, fact), 0) | held

    def _repeated(self, scope: int, blocks: Sequence[int]) -> int:
        """The column made of a block of one bit for each model at each world, whatever the variables."""
        return self._joined(scope, lambda _, w: blocks[w])

    def _joined(self, scope: int, block: Callable[[tuple[int, ...], int], int]) -> int:
        """The column made of a block of one bit for each model, for all values of variables and worlds."""
        column = shift = 0
        for reversed_values in product(range(self.individuals), repeat=scope):
            for w in range(self.worlds):
                column |= block(reversed_values[::-1], w) << shift
                shift += len(self.models)
        return column


def _packed(digits: Iterable[str]) -> int:
    """The binary digits, the lowest first, as an integer."""
    return int("".join(digits)[::-1] or "0", 2)
