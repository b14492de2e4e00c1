"""The small-model screen: has a problem a countermodel with at most three worlds?

One evaluation over all small models (`modalgen.gen.columns`) answers that for every semantics at
once, since a semantics is a set of models. That there is a countermodel is certain. That there is
none is a hint only, if a good one: of 159 problems with a countermodel, one needed four worlds. The
oracle decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby, permutations, product
from math import factorial, prod

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
    rename_predicates,
    substitute,
)
from modalgen.gen.columns import Columns
from modalgen.gen.pointed_models import PointedModel, ground_facts
from modalgen.gen.small_frames import skeletons
from modalgen.semantics import Semantics

# The sizes of models (worlds, individuals) that are tried, the best first, until they make no more
# than MAX_MODELS before contraction. Of 44 first-order problems with a countermodel, 42 had one of
# two worlds and two individuals; with one world or one individual hardly any domain regime is told
# from another.
PROPOSITIONAL_SIZES = ((3, 0), (2, 0), (1, 0))
FIRST_ORDER_SIZES = ((2, 2),)
MAX_MODELS = 300_000

# With more ways to rename symbols, fingerprints are compared as the symbols are named: then a problem
# that is another one renamed may pass, and no two different ones are taken for the same.
MAX_RENAMINGS = 24

# Columns that one screen remembers; when there are more, all are forgotten. Large columns count more.
_REMEMBERED_BITS = 1 << 28


class ScreenTooLarge(ValueError):
    """There are too many small models over a vocabulary."""


class Screen:
    """The columns of formulas over a vocabulary, over the small models of some classes."""

    def __init__(self, vocabulary: Sequence[tuple[str, int]], columns: Columns) -> None:
        self.vocabulary = tuple(vocabulary)
        self.columns = columns
        self._numbers = {symbol: number for number, symbol in enumerate(self.vocabulary)}
        self._known: dict[tuple[Formula, tuple[str, ...]], int] = {}
        self._known_bits = 0

    def column(self, formula: Formula, scope: tuple[str, ...] = ()) -> int:
        """The column of a formula whose free variables are in *scope*, the innermost last.

        Raises KeyError for a symbol that is not in the vocabulary, ValueError for a free variable that
        is not in the scope.
        """
        key = (formula, scope)
        column = self._known.get(key)
        if column is None:
            column = self._column(formula, scope)
            self._known_bits += self.columns.top(len(scope)).bit_length()
            if self._known_bits > _REMEMBERED_BITS:
                self._known.clear()
                self._known_bits = 0
            self._known[key] = column
        return column

    def _column(self, formula: Formula, scope: tuple[str, ...]) -> int:
        columns, depth = self.columns, len(scope)
        match formula:
            case Top():
                return columns.top(depth)
            case Bottom():
                return 0
            case Atom(predicate, arguments):
                # The innermost variable of a name hides the others.
                places = tuple(depth - 1 - scope[::-1].index(x) for x in arguments)
                return columns.atom(self._numbers[predicate, len(arguments)], places, depth)
            case Not(a):
                return columns.negation(self.column(a, scope), depth)
            case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b):
                return columns.connective(type(formula), self.column(a, scope), self.column(b, scope), depth)
            case Box(a):
                return columns.box(self.column(a, scope), depth)
            case Diamond(a):
                return columns.diamond(self.column(a, scope), depth)
            case Forall(x, a):
                return columns.forall(self.column(a, (*scope, x)), depth)
            case Exists(x, a):
                return columns.exists(self.column(a, (*scope, x)), depth)
        raise TypeError(f"not a formula: {formula!r}")

    def truths(self, formula: Formula) -> int:
        """The models at whose points a closed formula is true, one bit for each model."""
        return self.columns.at_points(self.column(formula))

    def countermodels(self, premises: Sequence[Formula], conjecture: Formula) -> int:
        """The models at whose points the premises are true and the conjecture false, whatever their class."""
        found = self.columns.at_points(self.columns.negation(self.column(conjecture)))
        for premise in premises:
            found &= self.column(premise)
        return found

    def members(self, semantics: Semantics) -> int:
        """The models in a class, one bit for each model; all of them if it is within the screen's classes."""
        return self.columns.members(semantics)

    def least(self, models: int) -> PointedModel:
        """The first of some models, which has the fewest worlds. Raises ValueError if there are none."""
        if not models:
            raise ValueError("there is no model")
        return self.columns.models[(models & -models).bit_length() - 1]

    def fingerprint(self, premises: Sequence[Formula], conjecture: Formula) -> tuple[object, ...]:
        """Equal for problems that are the same over all small models up to the names of symbols.

        After a renaming of symbols, the conjectures have the same truths, and so have the premises, each
        as one of the other problem. Symbols on which none of the truths depends are left out.
        Fingerprints of different screens of the same classes can be compared.
        """
        formulas, needed = (*premises, conjecture), set(self.vocabulary)
        for name, arity in self.vocabulary:
            dropped = {name: (tuple(f"x{n}" for n in range(arity)), Top())}
            without = tuple(substitute(formula, dropped) for formula in formulas)
            if all(self.truths(f) == self.truths(g) for f, g in zip(formulas, without, strict=True)):
                formulas = without
                needed.remove((name, arity))
        screen = screen_for(frozenset(needed), self.columns.classes)
        arities = tuple(arity for _, arity in screen.vocabulary)
        return (arities, *min(screen._renamed_truths(formulas[:-1], formulas[-1])))

    def _renamed_truths(
        self, premises: Sequence[Formula], conjecture: Formula
    ) -> Iterator[tuple[tuple[int, ...], int]]:
        for names in _renamings(self.vocabulary):
            truths = sorted({self.truths(rename_predicates(p, names)) for p in premises})
            yield tuple(truths), self.truths(rename_predicates(conjecture, names))


def _renamings(vocabulary: tuple[tuple[str, int], ...]) -> Iterator[dict[str, str]]:
    """The ways to exchange symbols of one arity, unless they are more than MAX_RENAMINGS."""
    by_arity = sorted(vocabulary, key=lambda symbol: symbol[1])
    groups = [[name for name, _ in group] for _, group in groupby(by_arity, key=lambda symbol: symbol[1])]
    old = [name for group in groups for name in group]
    if prod(factorial(len(group)) for group in groups) > MAX_RENAMINGS:
        groups = [[name] for name in old]
    for orders in product(*(permutations(group) for group in groups)):
        yield dict(zip(old, (name for order in orders for name in order), strict=True))


def screen_for(symbols: frozenset[tuple[str, int]], classes: tuple[Semantics, ...]) -> Screen:
    """The screen over these symbols that knows the models of these classes.

    Raises ScreenTooLarge if even the smallest sizes make more than MAX_MODELS.
    """
    return _screen(tuple(sorted(symbols, key=lambda symbol: (symbol[1], symbol[0]))), classes)


@lru_cache(maxsize=64)
def _screen(vocabulary: tuple[tuple[str, int], ...], classes: tuple[Semantics, ...]) -> Screen:
    return Screen(vocabulary, _columns(tuple(arity for _, arity in vocabulary), classes))


@lru_cache(maxsize=16)
def _columns(arities: tuple[int, ...], classes: tuple[Semantics, ...]) -> Columns:
    size = model_size(arities, classes)
    if size is None:
        raise ScreenTooLarge(f"symbols of arities {', '.join(map(str, arities))} make too many small models")
    return Columns(arities, *size, classes)


@lru_cache(maxsize=64)
def model_size(arities: tuple[int, ...], classes: tuple[Semantics, ...]) -> tuple[int, int] | None:
    """The most worlds and individuals that a screen of these classes takes; None if no size fits."""
    propositional = all(semantics.domain is None for semantics in classes)
    for worlds, individuals in PROPOSITIONAL_SIZES if propositional else FIRST_ORDER_SIZES:
        models = sum(
            1 << len(ground_facts(arities, skeleton.population)) * len(skeleton.relation)
            for skeleton in skeletons(worlds, individuals, classes)
        )
        if models <= MAX_MODELS:
            return worlds, individuals
    return None
