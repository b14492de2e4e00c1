"""A contrast as its author declared it: two semantics, where formulas come from, what to select.

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
class Grammar:
    """Formulas to enumerate: all over these symbols, with these operators, within these bounds.

    `operators` are some of not, and, or, implies, iff, box, diamond, forall, exists. The bounds are
    those of the conjecture: nodes, nesting of □ and ◇, nesting of quantifiers. On the task "inference"
    there are so many `premises`, each of at most `premise_size` nodes; otherwise both are 0.
    """

    id: str
    task: str
    operators: tuple[str, ...]
    symbols: tuple[tuple[str, int], ...]
    max_size: int
    modal_depth: int
    quantifier_depth: int
    premises: int = 0
    premise_size: int = 0


@dataclass(frozen=True)
class StructuralLimits:
    """The most that a formula of a pair may have: nesting of □ and ◇, of quantifiers, and nodes."""

    modal_depth: int
    quantifier_depth: int
    size: int


@dataclass(frozen=True)
class Selection:
    """How many pairs of each task to accept, which ones, and the seed that orders the candidates.

    `max_family_share` is the most of a task's pairs that may share one modal schema. If `balanced`,
    as many pairs are valid on side a only as on side b only, within each task and each nesting of □ and ◇
    and of quantifiers; if `matched` (and then `balanced`), also with the same number of each operator.
    `countermodel_worlds` are the numbers of worlds that the least countermodel may have; any if
    empty. A pair nests □ and ◇, and quantifiers, at least as deep as the last two say.
    """

    validity: int
    inference: int
    seed: int
    max_family_share: float = 1.0
    balanced: bool = False
    matched: bool = False
    countermodel_worlds: tuple[int, ...] = ()
    least_modal_depth: int = 0
    least_quantifier_depth: int = 0


@dataclass(frozen=True)
class Contrast:
    """One contrast. `sides` are the semantics a and b. `symbols` are predicate symbols with arity
    (0: a propositional atom). Candidates come from `templates` and `grammar`. `expect` are the labels
    of a and b that the author expects of every pair, which the build checks; None if nothing is
    expected."""

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
    grammar: tuple[Grammar, ...] = ()
