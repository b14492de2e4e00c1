"""Small-model bounds: how many worlds a countermodel needs at most, where a theorem says so.

Where a bound is known, a search through all models up to it that finds nothing has been exhaustive: the
conjecture follows. All bounds here are for propositional problems and proved the same way. Bring the
premises and the negated conjecture into negation normal form, so that ¬ stands before atoms only. Take a
countermodel and of it only worlds that are reachable from the designated one (Blackburn, de Rijke, Venema
2001, proposition 2.6; every condition on frames here survives that). Keep the designated world and, for
a ◇-formula that is true at a world kept, one accessible world that shows it: a *witness*. Then what was
true at a world kept is still true there, by induction on the formula: □ speaks of fewer worlds than
before, ◇ has its witness, and nothing else looks at other worlds. (This is the method of selection;
Blackburn, de Rijke, Venema 2001, section 2.3.) What is left to see in each case is how many
witnesses suffice and that the kept worlds, with suitable arrows, satisfy the conditions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from modalgen.formula import Box, Diamond, Formula, Iff, Implies, Not, children, is_first_order, modal_depth
from modalgen.problem import Problem
from modalgen.semantics import closure, semantics

# A ◇-formula of the negation normal form, as it is written in the problem: ◇φ, or □φ negated; and at
# how many modal operators below the top it stands.
_Possibility = tuple[Formula, bool, int]


def world_bound(problem: Problem) -> tuple[int, str] | None:
    """If there is a countermodel, there is one with so many worlds; and why. None if no bound is known here.

    None for first-order problems, and for a global conjecture beside local premises: that is about two
    worlds, neither of which need be reachable from the other.
    """
    if any(is_first_order(formula) for formula in problem.formulas):
        return None
    if problem.global_conjecture and problem.premises:
        return None
    frame = problem.semantics.frame
    held = closure(semantics(frame))
    possibilities = set(_possibilities(problem))
    diamonds = len({(formula, positive) for formula, positive, _ in possibilities})
    if "functional" in held:
        return None if problem.global_premises else _functional(frame, held, problem)
    if "universal" in held:
        return 1 + diamonds, "all worlds access each other: the designated one and one for each ◇"
    if "euclidean" in held:
        return _euclidean(held, diamonds)
    tree = [condition for condition in frame if condition in ("serial", "reflexive", "symmetric")]
    if problem.global_premises or not set(frame) <= closure(semantics(tree)):
        return None
    return _tree(tree, possibilities, max(map(modal_depth, problem.formulas)))


def exhaustive(problem: Problem, worlds: int) -> str | None:
    """Why a search of all models with up to so many worlds misses no countermodel; None if it may."""
    bound = world_bound(problem)
    if bound is None or bound[0] > worlds:
        return None
    return f"exhaustive: {bound[0]} world{'s' * (bound[0] != 1)} suffice for a countermodel ({bound[1]})"


def _euclidean(held: frozenset[str], diamonds: int) -> tuple[int, str]:
    """K5 and its extensions without reflexivity, by the shape of their frames.

    Nagle and Thomason, "The extensions of the modal logic K5" (Journal of Symbolic Logic 50, 1985): if the
    designated world has a successor, the worlds other than it that are reachable access each other and
    themselves, and it accesses some of these. (If it is accessible itself, all worlds access each other, and
    it with one witness for each ◇ suffices.) A ◇-formula is true at all the others or at none, so two
    witnesses suffice: one for the designated world, among those that it accesses, and one for the others.
    On transitive frames it accesses all the others and one witness serves both. On symmetric ones it is
    accessible or alone. One successor is kept if there is one, so that frames stay serial. The others
    all have successors and access themselves, so that dense, convergent, shift-reflexive and weakly connected
    frames stay so too.
    """
    if "symmetric" in held:
        return 1 + diamonds, "a world without arrows, or worlds that access each other, one for each ◇"
    if "transitive" in held:
        return 1 + max(1, diamonds), "a world and those it accesses, which access each other: one for each ◇"
    return 1 + max(1, 2 * diamonds), "a world and others, which access each other: two for each ◇"


def _functional(frame: Sequence[str], held: frozenset[str], problem: Problem) -> tuple[int, str] | None:
    """Functional frames: the reachable worlds are a path.

    Under some further conditions it has at most two worlds to begin with. Otherwise it can be cut after as
    many steps as the formulas look ahead; if the last world had a successor, it is made its own.
    """
    if {"reflexive", "universal"} & held:
        return 1, "a world that accesses itself and no other"
    if {"symmetric", "transitive", "euclidean", "dense", "shift-reflexive"} & {*frame}:
        return 2, "a world and what it accesses, which accesses at most itself or the first"
    if not {*frame} <= {"functional", "serial", "convergent", "weakly-connected"}:
        return None
    depth = max(map(modal_depth, problem.formulas))
    return 1 + depth, "a path as long as the formulas look ahead"


def _tree(tree: Sequence[str], possibilities: set[_Possibility], depth: int) -> tuple[int, str]:
    """K, D, T, KB, DB and B: witnesses arranged as a tree (Blackburn, de Rijke, Venema 2001, section 2.1).

    At a world that is reached by i arrows, the formulas that matter stand below i modal operators; on
    reflexive frames below i or more, since the arrow may lead back to the same world; on symmetric ones
    below i or more, since it may lead back to the parent (and below as many more as is even, without
    reflexivity, which is not made use of here). So there is a child for each ◇ that stands so deep, on serial
    frames at least one, and no child after as many arrows as the formulas look ahead. Arrows lead from
    parents to children, on symmetric frames back as well, on reflexive ones from each world to itself,
    on serial ones from the last worlds to themselves.
    """
    total, width = 1, 1
    for level in range(depth):
        below = {
            (formula, positive)
            for formula, positive, position in possibilities
            if position == level or (position > level and ("reflexive" in tree or "symmetric" in tree))
        }
        width *= max(len(below), "serial" in tree)
        total += width
    return total, "a tree as deep as the formulas look ahead, with a child for each ◇"


def _possibilities(problem: Problem) -> Iterator[_Possibility]:
    for premise in (*problem.global_premises, *problem.premises):
        yield from _of(premise, True, 0)
    yield from _of(problem.conjecture, False, 0)


def _of(formula: Formula, positive: bool, position: int) -> Iterator[_Possibility]:
    if isinstance(formula, (Box, Diamond)):
        if isinstance(formula, Diamond) == positive:
            yield formula, positive, position
        yield from _of(formula.operand, positive, position + 1)
    elif isinstance(formula, Not):
        yield from _of(formula.operand, not positive, position)
    elif isinstance(formula, Implies):
        yield from _of(formula.left, not positive, position)
        yield from _of(formula.right, positive, position)
    else:
        for child in children(formula):
            yield from _of(child, positive, position)
            if isinstance(formula, Iff):
                yield from _of(child, not positive, position)
