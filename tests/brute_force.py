"""All Kripke models of a given size, one after the other, judged by the reference evaluator.

For tests only: nothing is clever, so that nothing can go wrong. A model is a string of bits, arrows
first, then existence, then atoms; models come in the order of these strings, 0 before 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from modalgen.kripke import (
    KripkeModel,
    objection,
    satisfies_domain_condition,
    satisfies_frame_condition,
)
from modalgen.problem import Problem


def models(problem: Problem, worlds: int, individuals: int) -> Iterator[KripkeModel]:
    """The models of the problem's class over its signature, with exactly these worlds and individuals.

    Without domains, *individuals* is not looked at.
    """
    declared = problem.semantics
    W = range(worlds)
    D = range(individuals if declared.domain is not None else 0)
    ground = [
        (name, arity, w, row)
        for name, arity in sorted(problem.signature)
        for w in W
        for row in product(D, repeat=arity)
    ]
    for arrows in product((False, True), repeat=worlds * worlds):
        accessibility = frozenset(pair for pair, bit in zip(product(W, W), arrows, strict=True) if bit)
        frame = KripkeModel(worlds, accessibility)
        if not all(satisfies_frame_condition(frame, condition) for condition in declared.frame):
            continue
        for existing in product((False, True), repeat=worlds * len(D)):
            domains = None
            if declared.domain is not None:
                here = {pair for pair, bit in zip(product(W, D), existing, strict=True) if bit}
                domains = tuple(frozenset(d for d in D if (w, d) in here) for w in W)
                if not all(domains):
                    continue
                if not satisfies_domain_condition(
                    KripkeModel(worlds, accessibility, domains), declared.domain
                ):
                    continue
            for bits in product((False, True), repeat=len(ground)):
                true = {fact for fact, bit in zip(ground, bits, strict=True) if bit}
                yield KripkeModel(
                    worlds,
                    accessibility,
                    domains,
                    {
                        name: frozenset(w for n, _, w, _ in true if n == name)
                        for name, arity in problem.signature
                        if arity == 0
                    },
                    {
                        name: tuple(frozenset(row for n, _, v, row in true if (n, v) == (name, w)) for w in W)
                        for name, arity in problem.signature
                        if arity > 0
                    },
                )


def first_countermodel(problem: Problem, worlds: int, individuals: int) -> KripkeModel | None:
    """The first countermodel of exactly this size, None if there is none."""
    return next(
        (model for model in models(problem, worlds, individuals) if objection(model, problem) is None), None
    )


def least_countermodel(problem: Problem, worlds: int, individuals: int) -> KripkeModel | None:
    """The least countermodel up to this size, as `modalgen.oracle.kripke_search` defines it.

    Of the first of the bounds (1,1), (2,2), … that admits one, with the fewest worlds, then with the
    fewest individuals, and then the first.
    """
    for k in range(1, max(worlds, individuals) + 1):
        for n in range(1, min(k, worlds) + 1):
            for m in range(1, min(k, individuals) + 1):
                model = first_countermodel(problem, n, m)
                if model is not None:
                    return model
    return None
