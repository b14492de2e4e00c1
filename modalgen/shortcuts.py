"""Shortcut baselines: how far one gets on a dataset without any logic.

Each baseline sees some surface of a side and predicts its label. Those without an interaction between
formula and condition cannot tell the sides of a balanced crossing contrast apart, by construction;
what they do get right elsewhere is the data's leak. Predictions are made by cross-validation with
whole families (formulas alike but for their boolean content) held out, so that no baseline has seen
the schema that it is asked about; pairs of a contrast with the same number of each operator are held
out together, since of a matched couple one pair would teach the opposite of the other. The folds are
stratified: where a condition goes with as many valid as invalid sides in the dataset, it does so in each
fold, or a baseline that learns the majority of the other folds would fall below chance. Intervals are
exact binomial (Clopper and Pearson 1934).

scikit-learn does the fitting: it is the extra `modalgen[audit]`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from modalgen.formula import size
from modalgen.printing import to_unicode
from modalgen.records import SIDES, Pair

FOLDS = 10
# Log odds up to this are what rounding leaves of none at all: a baseline without a clue says "invalid".
ROUNDING = 1e-6
_TOKEN = re.compile(r"\w+|[^\w\s]")
_OPERATORS = "□◇¬∧∨→↔∀∃"


class AuditExtraMissing(Exception):
    """scikit-learn is not installed; the message says how to get it."""


@dataclass(frozen=True)
class Row:
    """One side as a baseline sees it: the name of its condition, tokens, length; and its label."""

    pair: int
    contrast: str
    condition: str
    tokens: tuple[str, ...]
    length: int
    family: str
    label: bool


@dataclass(frozen=True)
class Baseline:
    """A way of looking at a side. `features` maps it to named numbers; `interaction` tells whether
    they join the formula with the condition."""

    name: str
    interaction: bool
    features: Callable[[Row], Mapping[str, float]]


@dataclass(frozen=True)
class Result:
    """What a baseline gets right: sides (with a 95 % interval) and whole pairs, of how many."""

    baseline: str
    interaction: bool
    sides: int
    sides_right: int
    interval: tuple[float, float]
    pairs: int
    pairs_right: int


def _bag(row: Row, only: str | None = None) -> dict[str, float]:
    counts: dict[str, float] = {}
    for token in row.tokens:
        if only is None or token in only:
            counts[token] = counts.get(token, 0) + 1
    return counts


BASELINES: tuple[Baseline, ...] = (
    Baseline("majority", False, lambda row: {}),
    Baseline("condition name", False, lambda row: {row.condition: 1}),
    Baseline("length", False, lambda row: {"length": row.length}),
    Baseline("bag of operators", False, lambda row: _bag(row, _OPERATORS)),
    Baseline("formula (bag of tokens)", False, _bag),
    Baseline("formula + condition", False, lambda row: {**_bag(row), f"condition {row.condition}": 1}),
    # One number for each length and each count, so that no trend has to be linear to be found.
    Baseline("length × condition", True, lambda row: {f"{row.condition} {row.length}": 1}),
    Baseline(
        "operators × condition",
        True,
        lambda row: {
            f"{row.condition} {operator} {row.tokens.count(operator)}": 1 for operator in _OPERATORS
        },
    ),
    Baseline(
        "formula × condition",
        True,
        lambda row: {f"{row.condition} {token}": count for token, count in _bag(row).items()},
    ),
)


def rows(pairs: Sequence[Pair]) -> list[Row]:
    """Two rows a pair, side a first."""
    result = []
    for number, pair in enumerate(pairs):
        text = " , ".join([*map(to_unicode, pair.premises), "⊢ " + to_unicode(pair.conjecture)])
        for name in SIDES:
            semantics = pair.sides[name].semantics
            result.append(
                Row(
                    pair=number,
                    contrast=pair.spec,
                    condition=" ".join([*semantics.frame, semantics.domain or ""]),
                    tokens=tuple(_TOKEN.findall(text)),
                    length=sum(map(size, (*pair.premises, pair.conjecture))),
                    family=pair.family,
                    label=pair.sides[name].label,
                )
            )
    return result


def evaluate(pairs: Sequence[Pair], baselines: Sequence[Baseline] = BASELINES) -> list[Result]:
    """The baselines on the pairs. Raises AuditExtraMissing."""
    data = rows(pairs)
    results = []
    for baseline in baselines:
        predicted = _cross_validated(data, baseline)
        right = [guess == row.label for guess, row in zip(predicted, data, strict=True)]
        whole = [right[i] and right[i + 1] for i in range(0, len(right), 2)]
        results.append(
            Result(
                baseline=baseline.name,
                interaction=baseline.interaction,
                sides=len(right),
                sides_right=sum(right),
                interval=exact_interval(sum(right), len(right)),
                pairs=len(whole),
                pairs_right=sum(whole),
            )
        )
    return results


def exact_interval(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """The Clopper–Pearson interval of a proportion; (0, 1) for no trials. Raises AuditExtraMissing."""
    if trials == 0:
        return 0.0, 1.0
    beta = _library("scipy.stats").beta
    tail = (1 - confidence) / 2
    low = 0.0 if successes == 0 else float(beta.ppf(tail, successes, trials - successes + 1))
    high = 1.0 if successes == trials else float(beta.ppf(1 - tail, successes + 1, trials - successes))
    return low, high


def _cross_validated(data: Sequence[Row], baseline: Baseline) -> list[bool]:
    """A prediction for each row by a model that saw no row of its family."""
    fold_of = folds(data)
    if len(set(fold_of)) < 2:
        return [_majority(data)] * len(data)
    predicted = [False] * len(data)
    for fold in sorted(set(fold_of)):
        held_out = [i for i, its in enumerate(fold_of) if its == fold]
        guess = _fitted([row for row, its in zip(data, fold_of, strict=True) if its != fold], baseline)
        for i, label in zip(held_out, guess([data[i] for i in held_out]), strict=True):
            predicted[i] = label
    return predicted


def folds(data: Sequence[Row]) -> list[int]:
    """The fold of each row: families stay together, and so do rows that a count of symbols cannot tell
    apart. Large groups first, each goes where it unbalances conditions least, then where there is most room.
    """
    groups = _groups(data)
    surplus = [Counter[str]() for _ in range(FOLDS)]  # of valid over invalid sides, by condition
    filled = [0] * FOLDS
    fold_of: dict[int, int] = {}
    for group in sorted(set(groups), key=lambda g: (-groups.count(g), g)):
        own = [row for row, its in zip(data, groups, strict=True) if its == group]
        change = Counter[str]()
        for row in own:
            change[row.condition] += 1 if row.label else -1

        def cost(fold: int, change: Counter[str] = change) -> tuple[int, int]:
            moved = ((surplus[fold][name], number) for name, number in change.items())
            return sum((old + new) ** 2 - old**2 for old, new in moved), filled[fold]

        best = min(range(FOLDS), key=cost)
        fold_of[group] = best
        surplus[best].update(change)
        filled[best] += len(own)
    return [fold_of[group] for group in groups]


def _groups(data: Sequence[Row]) -> list[int]:
    """A number for each row, the same for rows that are linked by a family or by equal counts."""
    leader = list(range(len(data)))

    def find(i: int) -> int:
        while leader[i] != i:
            i = leader[i]
        return i

    first: dict[object, int] = {}
    for i, row in enumerate(data):
        counts = tuple(row.tokens.count(operator) for operator in _OPERATORS)
        for link in (row.family, (row.contrast, row.length, counts)):
            leader[find(i)] = find(first.setdefault(link, i))
    return [find(i) for i in range(len(data))]


def _fitted(training: Sequence[Row], baseline: Baseline) -> Callable[[Sequence[Row]], list[bool]]:
    features = [dict(baseline.features(row)) for row in training]
    labels = [row.label for row in training]
    if len(set(labels)) < 2 or not any(features):
        majority = _majority(training)
        return lambda asked: [majority] * len(asked)
    vectorizer = _library("sklearn.feature_extraction").DictVectorizer()
    model: Any = _library("sklearn.linear_model").LogisticRegression(max_iter=2000)
    model.fit(vectorizer.fit_transform(features), labels)
    return lambda asked: [
        bool(odds > ROUNDING)
        for odds in model.decision_function(vectorizer.transform([baseline.features(row) for row in asked]))
    ]


def _majority(data: Sequence[Row]) -> bool:
    return 2 * sum(row.label for row in data) > len(data)


def _library(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        message = "the shortcut baselines need scikit-learn: pip install 'modalgen[audit]'"
        raise AuditExtraMissing(message) from error
