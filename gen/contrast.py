"""A contrast as its author declared it: two semantics, formula templates, what to select.

These are the values that `modalgen.gen.spec` makes of a YAML file. A contrast carries no labels:
which side is valid is what the oracle finds out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from modalgen.formula import Formula
from modalgen.semantics import Semantics


@dataclass(frozen=True)
class Content:
    """What a hole may hold: the boolean formulas over the declared symbols, by connectives and depth.

    `connectives` are some of not, and, or, implies, iff. `max_depth` bounds the height of the
    syntax tree (0: a symbol alone).
    """

    connectives: tuple[str, ...]
    max_depth: int


@dataclass(frozen=True)
class Template:
    """A problem with holes. The hole `{phi}` is the atom `Atom("{phi}")`, `{phi(x)}` is
    `Atom("{phi}", ("x",))`. `task` is "validity" (no premises) or "inference"."""

    id: str
    task: str
    premises: tuple[Formula, ...]
    conjecture: Formula


@dataclass(frozen=True)
class StructuralLimits:
    """The most that a formula of a pair may have: nesting of □ and ◇, of quantifiers, and nodes."""

    modal_depth: int
    quantifier_depth: int
    size: int


@dataclass(frozen=True)
class Selection:
    """How many pairs of each task to accept, and the seed that orders the candidates."""

    validity: int
    inference: int
    seed: int


@dataclass(frozen=True)
class Contrast:
    """One contrast. `sides` are the semantics a and b. `symbols` are predicate symbols with arity
    (0: a propositional atom). `expect` are the labels of a and b that the author expects of every
    pair, which the build checks; None if nothing is expected."""

    id: str
    title: str
    rationale: str
    axis: str
    sides: tuple[Semantics, Semantics]
    symbols: tuple[tuple[str, int], ...]
    content: Mapping[str, Content]
    templates: tuple[Template, ...]
    limits: StructuralLimits
    select: Selection
    expect: tuple[bool, bool] | None
