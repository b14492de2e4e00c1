"""Auditing a dataset: what `verify` checks, and whether its labels can be had without logic.

Balance is counted for each condition: how many of its sides are valid. Shortcut baselines are those of
`modalgen.shortcuts`. On pairs that exchange one condition for another (neither semantics contains the
other) a baseline that does not join formula and condition must stay at chance; on nested contrasts
the name of the condition gives the label away, and the audit says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from modalgen.records import Pair, read_pairs
from modalgen.semantics import entails
from modalgen.shortcuts import Result, evaluate
from modalgen.verify import Fault, verify

# Families in a contrast, and the share of its pairs that the largest may have, as the released sets aim at.
LARGEST_SHARE = 0.05


@dataclass(frozen=True)
class Balance:
    """How many sides with one condition are valid, of how many."""

    spec: str
    task: str
    condition: str
    sides: int
    valid: int


@dataclass(frozen=True)
class Families:
    """How many modal schemas a contrast has, and how many of its pairs share the commonest."""

    spec: str
    pairs: int
    families: int
    largest: int


@dataclass(frozen=True)
class Audit:
    """All findings. `crossing` are the baselines on the pairs whose sides exchange a condition, `all_pairs`
    those on the whole dataset; empty where there are no such pairs."""

    faults: tuple[Fault, ...]
    balance: tuple[Balance, ...]
    families: tuple[Families, ...]
    repeated: tuple[str, ...]
    crossing: tuple[Result, ...]
    all_pairs: tuple[Result, ...]

    @property
    def leaks(self) -> tuple[Result, ...]:
        """Baselines without interaction that beat chance on the crossing pairs."""
        return tuple(r for r in self.crossing if not r.interaction and r.interval[0] > 0.5)

    def to_record(self) -> dict[str, Any]:
        """The audit as `audit.json` holds it."""
        return {"schema": "modalgen/audit/1", **asdict(self), "leaks": [asdict(r) for r in self.leaks]}


def audit(directory: Path) -> Audit:
    """Audit a dataset from its files. Raises DatasetError, and AuditExtraMissing without scikit-learn."""
    faults = verify(directory)
    pairs = read_pairs(directory)
    crossing = [pair for pair in pairs if is_crossing(pair)]
    return Audit(
        faults=tuple(faults),
        balance=tuple(balance(pairs)),
        families=tuple(families(pairs)),
        repeated=tuple(repeated_problems(pairs)),
        crossing=tuple(evaluate(crossing)) if crossing else (),
        all_pairs=tuple(evaluate(pairs)) if pairs else (),
    )


def is_crossing(pair: Pair) -> bool:
    """Whether neither side's class of models contains the other's."""
    a, b = pair.sides["a"].semantics, pair.sides["b"].semantics
    return not entails(a, b) and not entails(b, a)


def balance(pairs: Sequence[Pair]) -> list[Balance]:
    """For each spec, task and condition how often it goes with the label valid."""
    sides: Counter[tuple[str, str, str]] = Counter()
    valid: Counter[tuple[str, str, str]] = Counter()
    for pair in pairs:
        for side in pair.sides.values():
            domain = [f"{side.semantics.domain} domains"] if side.semantics.domain else []
            condition = ", ".join([*side.semantics.frame, *domain]) or "no condition"
            key = (pair.spec, pair.task, condition)
            sides[key] += 1
            valid[key] += side.label
    return [Balance(*key, sides[key], valid[key]) for key in sorted(sides)]


def families(pairs: Sequence[Pair]) -> list[Families]:
    """For each spec how its pairs spread over modal schemas."""
    result = []
    for spec in sorted({pair.spec for pair in pairs}):
        counts = Counter(pair.family for pair in pairs if pair.spec == spec)
        result.append(Families(spec, counts.total(), len(counts), max(counts.values())))
    return result


def repeated_problems(pairs: Sequence[Pair]) -> list[str]:
    """Pairs of one spec that are the same problem up to renaming and propositional equivalence."""
    from modalgen.gen.canonical import canonical_key

    first: dict[tuple[str, str], str] = {}
    return [
        f"{pair.pair_id} repeats {earlier}"
        for pair in pairs
        if (
            earlier := first.setdefault(
                (pair.spec, canonical_key(pair.premises, pair.conjecture)), pair.pair_id
            )
        )
        != pair.pair_id
    ]
