"""Auditing a dataset: what `verify` checks, and whether its labels can be had without logic.

Balance is counted for each condition: how many of its sides are valid. Shortcut baselines are those of
`modalgen.shortcuts`; of a handful of pairs they say nothing. On pairs that exchange one condition for
another (neither semantics contains the other) a baseline that does not join formula and condition must
stay at chance; on nested contrasts the name of the condition gives the label away, and the audit says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from modalgen.records import Pair, read_pairs
from modalgen.semantics import entails
from modalgen.shortcuts import BASELINES, Result, evaluate
from modalgen.verify import Fault, proofs, verify


@dataclass(frozen=True)
class Balance:
    """How many sides with one condition are valid, of how many."""

    spec: str
    task: str
    condition: str
    sides: int
    valid: int


@dataclass(frozen=True)
class Composition:
    """What the pairs of a contrast are.

    `dual` are the pairs with two independent findings on either side. `families` are the modal
    schemas, `largest` is the number of pairs of the commonest, `mixed` the number of families with pairs
    of both directions (valid on side a only, on side b only). `open_ablations` are sides whose label
    without the premises, `open_profiles` labels in a profile, that nothing decided.
    """

    spec: str
    validity: int
    inference: int
    dual: int
    families: int
    largest: int
    mixed: int
    open_ablations: int
    open_profiles: int


@dataclass(frozen=True)
class Audit:
    """All findings. `shown` counts sides by what shows their label, as `modalgen.verify.proofs` does.

    `repeated` are pairs that state the problem of a pair of their own contrast, `shared` those that
    state one of another contrast. `crossing` are the baselines on the pairs whose sides exchange a
    condition, `by_contrast` those that join formula and condition, on each of these contrasts alone,
    `all_pairs` those on the whole dataset; empty where there are no such pairs.
    """

    faults: tuple[Fault, ...]
    shown: Mapping[str, int]
    balance: tuple[Balance, ...]
    composition: tuple[Composition, ...]
    repeated: tuple[str, ...]
    shared: tuple[str, ...]
    crossing: tuple[Result, ...]
    by_contrast: Mapping[str, tuple[Result, ...]]
    all_pairs: tuple[Result, ...]

    @property
    def leaks(self) -> tuple[Result, ...]:
        """Baselines without interaction that get a crossing pair right, or sides more or less often than
        chance: the labels are not balanced then."""
        return tuple(
            r
            for r in self.crossing
            if not r.interaction and (r.pairs_right or not r.interval[0] <= 0.5 <= r.interval[1])
        )

    def to_record(self) -> dict[str, Any]:
        """The audit as `audit.json` holds it."""
        return {"schema": "modalgen/audit/1", **asdict(self), "leaks": [asdict(r) for r in self.leaks]}


def audit(directory: Path) -> Audit:
    """Audit a dataset from its files. Raises DatasetError, and AuditExtraMissing without scikit-learn."""
    faults = verify(directory)
    pairs = read_pairs(directory)
    crossing = [pair for pair in pairs if is_crossing(pair)]
    repeated, shared = repeated_problems(pairs)
    on_all = tuple(evaluate(pairs)) if pairs else ()
    joining = [baseline for baseline in BASELINES if baseline.interaction]
    return Audit(
        faults=tuple(faults),
        shown=dict(sorted(proofs(pairs).items())),
        balance=tuple(balance(pairs)),
        composition=tuple(composition(pairs)),
        repeated=tuple(repeated),
        shared=tuple(shared),
        crossing=on_all if crossing == pairs else tuple(evaluate(crossing)) if crossing else (),
        by_contrast={
            spec: tuple(evaluate([p for p in crossing if p.spec == spec], joining))
            for spec in sorted({pair.spec for pair in crossing})
        },
        all_pairs=on_all,
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


def composition(pairs: Sequence[Pair]) -> list[Composition]:
    """The composition of each contrast, sorted by spec."""
    result = []
    for spec in sorted({pair.spec for pair in pairs}):
        own = [pair for pair in pairs if pair.spec == spec]
        sizes = Counter(pair.family for pair in own)
        directions = {(pair.family, pair.sides["a"].label) for pair in own}
        result.append(
            Composition(
                spec=spec,
                validity=sum(pair.task == "validity" for pair in own),
                inference=sum(pair.task == "inference" for pair in own),
                dual=sum(all(s.resolution == "dual" for s in pair.sides.values()) for pair in own),
                families=len(sizes),
                largest=max(sizes.values()),
                mixed=len(directions) - len(sizes),
                open_ablations=sum(list(pair.ablation.values()).count(None) for pair in own),
                open_profiles=sum(list(pair.profile.values()).count(None) for pair in own),
            )
        )
    return result


def repeated_problems(pairs: Sequence[Pair]) -> tuple[list[str], list[str]]:
    """Pairs that state the problem of an earlier pair, up to renaming and propositional equivalence: one
    of the same spec, and one of another spec (where it is another question)."""
    from modalgen.gen.canonical import canonical_key

    first: dict[str, dict[str, str]] = {}
    repeated, shared = [], []
    for pair in pairs:
        same = first.setdefault(canonical_key(pair.premises, pair.conjecture), {})
        if pair.spec in same:
            repeated.append(f"{pair.pair_id} repeats {same[pair.spec]}")
        elif same:
            shared.append(f"{pair.pair_id} is the problem of {next(iter(same.values()))}")
        same.setdefault(pair.spec, pair.pair_id)
    return repeated, shared
