"""All small pointed Kripke models, each once.

A formula's truth at the point of a model depends only on the part that the point generates, and on
that up to bisimulation (Blackburn, de Rijke, Venema, *Modal Logic*, 2001, propositions 2.6 and
2.20). So of the models with few worlds only those are kept in which every world can be reached
from the point, no two worlds are bisimilar, every individual exists somewhere and no two
individuals are alike in everything; and of those that differ only in the names of worlds and
individuals, one. Contracting a model in these ways preserves every frame condition and every domain
regime, so nothing that a small model refutes is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product

from modalgen.gen.small_frames import Skeleton, skeletons
from modalgen.semantics import Semantics

# A symbol, by its place in the vocabulary, applied to individuals.
Fact = tuple[int, tuple[int, ...]]
# What holds at each world: bit n says whether the n-th of `ground_facts` does.
Valuation = tuple[int, ...]


@dataclass(frozen=True)
class PointedModel:
    """A skeleton with a valuation; the point is world 0."""

    skeleton: Skeleton
    valuation: Valuation


def ground_facts(arities: Sequence[int], population: int) -> tuple[Fact, ...]:
    """Each symbol of these arities applied to every tuple of individuals.

    Facts about the first individuals come first: those of a smaller population are an initial part.
    """
    facts = [
        (symbol, row)
        for symbol, arity in enumerate(arities)
        for row in product(range(population), repeat=arity)
    ]
    return tuple(sorted(facts, key=lambda fact: (max(fact[1], default=-1), fact)))


def pointed_models(
    arities: Sequence[int], worlds: int, individuals: int, classes: Sequence[Semantics]
) -> tuple[PointedModel, ...]:
    """The pointed models of at most so many worlds and individuals, the fewest worlds first.

    Those of at least one of the classes only, over symbols of these arities; *individuals* is 0 for
    propositional classes. Each model stands for all that contract to it.
    """
    found: list[PointedModel] = []
    for skeleton in skeletons(worlds, individuals, classes):
        facts = ground_facts(arities, skeleton.population)
        symmetries = _symmetries(skeleton, facts)
        if symmetries is None:
            continue
        twins = [_equal_facts(facts, pair) for pair in _coextensive(skeleton)]
        differ: dict[tuple[bool, ...], bool] = {}
        for valuation in product(range(1 << len(facts)), repeat=len(skeleton.relation)):
            if any(symmetry(valuation) < valuation for symmetry in symmetries):
                continue
            if any(_agree(valuation, equal) for equal in twins):
                continue
            # Of the valuation it matters to bisimilarity only where it is the same.
            same = tuple(v == w for v, w in combinations(valuation, 2))
            if same not in differ:
                differ[same] = _no_bisimilar_worlds(skeleton, valuation)
            if differ[same]:
                found.append(PointedModel(skeleton, valuation))
    return tuple(found)


def _symmetries(skeleton: Skeleton, facts: Sequence[Fact]) -> list[Callable[[Valuation], Valuation]] | None:
    """The renamings that keep the skeleton, as what they make of valuations; the identity left out.

    A renaming permutes the worlds, the point excepted, and the individuals. None if some renaming
    makes the skeleton less: then another one stands for this.
    """
    found: list[Callable[[Valuation], Valuation]] = []
    relation, domains = skeleton.relation, skeleton.domains
    n = len(relation)
    for order in permutations(range(1, n)):
        worlds = (0, *order)
        moved = tuple(sum(1 << v for v in range(n) if relation[worlds[w]] >> worlds[v] & 1) for w in range(n))
        for names in permutations(range(skeleton.population)):
            assigned = None if domains is None else tuple(_permuted(domains[w], names) for w in worlds)
            if (moved, assigned or ()) < (relation, domains or ()):
                return None
            if (moved, assigned) == (relation, domains):
                found.append(_renaming(worlds, facts, names))
    return found[1:]


def _permuted(members: int, places: Sequence[int]) -> int:
    """The set in which every n is replaced by places[n]."""
    return sum(1 << place for n, place in enumerate(places) if members >> n & 1)


def _renaming(
    worlds: Sequence[int], facts: Sequence[Fact], names: Sequence[int]
) -> Callable[[Valuation], Valuation]:
    place = {fact: n for n, fact in enumerate(facts)}
    places = [place[symbol, tuple(names[d] for d in row)] for symbol, row in facts]
    if places == sorted(places):
        return lambda valuation: tuple(valuation[w] for w in worlds)
    labels = [_permuted(label, places) for label in range(1 << len(facts))]
    return lambda valuation: tuple(labels[valuation[w]] for w in worlds)


def _coextensive(skeleton: Skeleton) -> list[tuple[int, int]]:
    """The pairs of individuals that exist at the same worlds."""
    return [
        (d, e)
        for d, e in combinations(range(skeleton.population), 2)
        if all((D >> d ^ D >> e) & 1 == 0 for D in skeleton.domains or ())
    ]


def _equal_facts(facts: Sequence[Fact], pair: tuple[int, int]) -> list[tuple[int, int]]:
    """The pairs of facts that must agree if no formula without equality tells two individuals apart:
    those that differ in one argument, which is one individual here and the other there."""
    place = {fact: n for n, fact in enumerate(facts)}
    return [
        (n, place[symbol, (*row[:i], pair[1], *row[i + 1 :])])
        for (symbol, row), n in place.items()
        for i, d in enumerate(row)
        if d == pair[0]
    ]


def _agree(valuation: Valuation, equal: list[tuple[int, int]]) -> bool:
    return all((label >> n ^ label >> m) & 1 == 0 for label in valuation for n, m in equal)


def _no_bisimilar_worlds(skeleton: Skeleton, valuation: Valuation) -> bool:
    """Whether all worlds differ, individuals being what they are.

    Partition refinement (Kanellakis and Smolka, "CCS expressions, finite state processes, and three
    problems of equivalence", 1990): worlds are told apart by what holds there, then by which classes
    of worlds they access, until that tells no more of them apart.
    """
    relation = skeleton.relation
    worlds = range(len(relation))
    classes = _numbered(list(zip(skeleton.domains or valuation, valuation, strict=True)))
    while len(set(classes)) < len(relation):
        seen = [(classes[w], frozenset(classes[v] for v in worlds if relation[w] >> v & 1)) for w in worlds]
        split = _numbered(seen)
        if len(set(split)) == len(set(classes)):
            return False
        classes = split
    return True


def _numbered(values: Sequence[object]) -> list[int]:
    """The values as numbers, equal ones alike."""
    numbers: dict[object, int] = {}
    return [numbers.setdefault(value, len(numbers)) for value in values]
