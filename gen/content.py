"""What a hole may hold: every boolean formula up to a height, one for each truth function.

Dynamic programming over truth functions instead of syntax trees: the functions that formulas of
height at most h + 1 denote are those of height at most h, and the connectives applied to them.
Each function is represented by a smallest formula that denotes it; formulas are built in order of
size, so the first one found is a smallest one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product

from modalgen.formula import And, Atom, Formula, Iff, Implies, Not, Or, size
from modalgen.gen.contrast import Content
from modalgen.gen.truthtable import CONNECTIVES, top_table, variable_tables

# A truth table over n atoms has 2^n bits, and hundreds of them are kept.
MAX_ATOMS = 16

# How many truth functions of one height are kept. Three atoms have 256 in all; the bound is met
# from four atoms and height 3 on. It is applied to whole sizes, so that it favours no atom.
MAX_FUNCTIONS = 1000

_BINARY: dict[str, type[And] | type[Or] | type[Implies] | type[Iff]] = {
    "and": And,
    "or": Or,
    "implies": Implies,
    "iff": Iff,
}


def ground_atoms(symbols: tuple[tuple[str, int], ...], parameters: tuple[str, ...]) -> tuple[Atom, ...]:
    """Each symbol applied to every tuple of parameters that fits its arity, in order of declaration."""
    return tuple(Atom(name, row) for name, arity in symbols for row in product(parameters, repeat=arity))


@lru_cache(maxsize=64)
def contents(
    symbols: tuple[tuple[str, int], ...], content: Content, parameters: tuple[str, ...] = ()
) -> tuple[Formula, ...]:
    """The boolean formulas that a hole with these parameters may hold, smallest first.

    No two are propositionally equivalent, none is a tautology or a contradiction, and each is a
    smallest one of its height and connectives. Exact as long as no height has more than
    MAX_FUNCTIONS truth functions; beyond that, formulas up to some size only.

    Raises ValueError if there are more than MAX_ATOMS ground atoms or a connective is unknown.
    """
    atoms = ground_atoms(symbols, parameters)
    if len(atoms) > MAX_ATOMS:
        raise ValueError(
            f"the symbols make {len(atoms)} different atoms for one hole; at most {MAX_ATOMS} are possible"
        )
    if unknown := sorted(set(content.connectives) - {"not", *_BINARY}):
        raise ValueError(f"unknown connective {unknown[0]!r}; known: not, {', '.join(_BINARY)}")
    functions: dict[int, Formula] = dict(zip(variable_tables(len(atoms)), atoms, strict=True))
    for _ in range(content.max_depth):
        higher = _apply_connectives(functions, content.connectives, top_table(len(atoms)))
        if higher == functions:
            break
        functions = higher
    return tuple(functions.values())


def _apply_connectives(
    functions: dict[int, Formula], connectives: tuple[str, ...], top: int
) -> dict[int, Formula]:
    """The functions and what the connectives make of them, by table, in order of size."""
    by_size: dict[int, list[tuple[int, Formula]]] = {}
    for table, formula in functions.items():
        by_size.setdefault(size(formula), []).append((table, formula))
    found: dict[int, Formula] = {}
    for total in range(1, 2 * max(by_size, default=0) + 2):
        new: dict[int, Formula] = {}
        for table, build, operands in _of_size(total, by_size, connectives, top):
            if 0 < table < top and table not in found and table not in new:
                new[table] = build(*operands) if build else operands[0]
                if found and len(found) + len(new) > MAX_FUNCTIONS:
                    return found
        found |= new
    return found


def _of_size(
    total: int, by_size: dict[int, list[tuple[int, Formula]]], connectives: tuple[str, ...], top: int
) -> Iterator[tuple[int, type[Formula] | None, tuple[Formula, ...]]]:
    """The formulas of one size, each as its table, its connective (None for none) and its operands."""
    for table, formula in by_size.get(total, ()):
        yield table, None, (formula,)
    if "not" in connectives:
        for table, formula in by_size.get(total - 1, ()):
            yield top ^ table, Not, (formula,)
    for name, connective in _BINARY.items():
        if name not in connectives:
            continue
        operation = CONNECTIVES[connective]
        for left_size in range(1, total - 1):
            right_size = total - 1 - left_size
            # The commutative connectives: the smaller operand on the left is enough.
            if left_size > right_size and connective is not Implies:
                break
            for left_table, left in by_size.get(left_size, ()):
                for right_table, right in by_size.get(right_size, ()):
                    yield operation(left_table, right_table, top), connective, (left, right)
