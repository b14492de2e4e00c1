"""Small frames, with their domains, and which conditions they satisfy.

Frame conditions are inclusions in the calculus of relations (Tarski, "On the calculus of
relations", *Journal of Symbolic Logic* 6, 1941): R is transitive when R;R ⊆ R, euclidean when
R⁻¹;R ⊆ R. The reference evaluator states the same conditions in first-order logic and shares
nothing with this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from modalgen.semantics import Semantics

# A relation on the worlds 0 … n-1: bit v of row w says whether w accesses v.
Relation = tuple[int, ...]


@dataclass(frozen=True)
class Skeleton:
    """A frame, and for each world the individuals that exist there as the bits of an integer.

    `domains` is None for propositional models. The individuals are 0, 1, … `population` - 1, and each
    exists at some world.
    """

    relation: Relation
    domains: tuple[int, ...] | None

    @property
    def population(self) -> int:
        """The number of individuals."""
        return 0 if self.domains is None else union(self.domains).bit_length()

    def has_world(self, world: int) -> bool:
        """Whether the world is there."""
        return world < len(self.relation)

    def has_individual(self, individual: int) -> bool:
        """Whether the individual is there."""
        return individual < self.population

    def accesses(self, world: int, other: int) -> bool:
        """Whether there is an arrow. There is none from or to a world that is not there."""
        return world < len(self.relation) and bool(self.relation[world] >> other & 1)

    def exists(self, individual: int, world: int) -> bool:
        """Whether the individual exists at the world. Nothing does at a world that is not there."""
        if self.domains is None or world >= len(self.domains):
            return False
        return bool(self.domains[world] >> individual & 1)


def union(sets: Iterable[int]) -> int:
    """The union of sets that are the bits of integers."""
    members = 0
    for each in sets:
        members |= each
    return members


def compose(first: Relation, second: Relation) -> Relation:
    """The relative product: w is related to u if w is first related to v and v second to u, for some v."""
    return tuple(union(second[v] for v in range(len(first)) if row >> v & 1) for row in first)


def converse(relation: Relation) -> Relation:
    """The relation read backwards."""
    worlds = range(len(relation))
    return tuple(sum(1 << v for v in worlds if relation[v] >> w & 1) for w in worlds)


def identity(worlds: int) -> Relation:
    """Each world is related to itself only."""
    return tuple(1 << w for w in range(worlds))


def _meet(first: Relation, second: Relation) -> Relation:
    return tuple(a & b for a, b in zip(first, second, strict=True))


def _within(relation: Relation, *wider: Relation) -> bool:
    """Whether the relation is part of the union of the wider ones."""
    return all(row & ~union(rows) == 0 for row, *rows in zip(relation, *wider, strict=True))


def _siblings(relation: Relation) -> Relation:
    """R⁻¹;R relates the worlds that some world accesses both."""
    return compose(converse(relation), relation)


# Each condition on R, with the identity relation E.
_CONDITIONS: dict[str, Callable[[Relation, Relation], bool]] = {
    "serial": lambda R, E: _within(E, compose(R, converse(R))),
    "reflexive": lambda R, E: _within(E, R),
    "symmetric": lambda R, E: _within(converse(R), R),
    "transitive": lambda R, E: _within(compose(R, R), R),
    "euclidean": lambda R, E: _within(_siblings(R), R),
    "dense": lambda R, E: _within(R, compose(R, R)),
    "convergent": lambda R, E: _within(_siblings(R), compose(R, converse(R))),
    "functional": lambda R, E: _within(_siblings(R), E),
    "shift-reflexive": lambda R, E: _within(_meet(_siblings(R), E), R),
    "weakly-connected": lambda R, E: _within(_siblings(R), R, converse(R), E),
    "universal": lambda R, E: set(R) == {union(E)},
}

# Each regime on R and the domains D.
_REGIMES: dict[str, Callable[[Relation, tuple[int, ...]], bool]] = {
    "varying": lambda R, D: True,
    "cumulative": lambda R, D: all(D[w] & ~D[v] == 0 for w, v in _arrows(R)),
    "decreasing": lambda R, D: all(D[v] & ~D[w] == 0 for w, v in _arrows(R)),
    "constant": lambda R, D: len(set(D)) == 1,
}


def _arrows(relation: Relation) -> Iterator[tuple[int, int]]:
    return ((w, v) for w, row in enumerate(relation) for v in range(len(relation)) if row >> v & 1)


def belongs(skeleton: Skeleton, semantics: Semantics) -> bool:
    """Whether models with this frame and these domains are in the class.

    Models without domains are in propositional classes only, those with domains in the others.
    """
    R, D = skeleton.relation, skeleton.domains
    if (D is None) != (semantics.domain is None):
        return False
    if not all(_CONDITIONS[condition](R, identity(len(R))) for condition in semantics.frame):
        return False
    return D is None or semantics.domain is None or _REGIMES[semantics.domain](R, D)


def skeletons(worlds: int, individuals: int, classes: Sequence[Semantics]) -> Iterator[Skeleton]:
    """The skeletons of at most so many worlds and individuals that the point, world 0, generates.

    Those of at least one of the classes, the fewest worlds first. None has domains if *individuals* is
    0. Names of worlds and individuals make a difference here.
    """
    for n in range(1, worlds + 1):
        everywhere: list[tuple[int, ...] | None] = [None]
        if individuals:
            everywhere = [D for D in product(range(1, 1 << individuals), repeat=n) if _is_initial(union(D))]
        for relation in product(range(1 << n), repeat=n):
            if _is_generated(relation):
                for domains in everywhere:
                    skeleton = Skeleton(relation, domains)
                    if any(belongs(skeleton, semantics) for semantics in classes):
                        yield skeleton


def _is_generated(relation: Relation) -> bool:
    """Whether every world is reached from world 0."""
    reached = fresh = 1
    while fresh:
        fresh = union(row for w, row in enumerate(relation) if fresh >> w & 1) & ~reached
        reached |= fresh
    return reached == union(identity(len(relation)))


def _is_initial(individuals: int) -> bool:
    """Whether these individuals are 0, 1, … without a gap."""
    return individuals & (individuals + 1) == 0
