"""Intervals and tests: against statsmodels, and against all cases listed by brute force."""

from __future__ import annotations

import math
import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from modalgen.evaluate.intervals import (
    RESAMPLES,
    SEED,
    Ratio,
    cluster_bootstrap,
    draws,
    holm,
    mcnemar,
    wilson,
)

counts = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(counts)
@settings(max_examples=200, deadline=None)
def test_wilson_is_that_of_statsmodels(count: tuple[int, int]) -> None:
    """The formula is right for every rate."""
    assert wilson(*count) == pytest.approx(proportion_confint(*count, method="wilson"), abs=1e-12)


def test_wilson_at_the_ends() -> None:
    """No case at all gives no interval, and an interval never leaves [0, 1]."""
    assert wilson(0, 0) is None
    low, high = wilson(0, 10) or (1.0, 1.0)
    assert low == 0.0
    assert high == pytest.approx(0.27753, abs=1e-5)
    assert (wilson(10, 10) or (0.0, 0.0))[1] == 1.0
    with pytest.raises(ValueError, match="11 of 10"):
        wilson(11, 10)


@given(st.integers(0, 60), st.integers(0, 60))
@settings(max_examples=200, deadline=None)
def test_mcnemar_is_that_of_statsmodels(first: int, second: int) -> None:
    """The exact test is right for every table of discordant pairs."""
    expected = statsmodels_mcnemar([[7, first], [second, 9]], exact=True).pvalue
    assert mcnemar(first, second) == pytest.approx(min(1.0, expected), rel=1e-9)


@pytest.mark.parametrize(("first", "second"), [(0, 0), (1, 0), (3, 1), (2, 2), (0, 7), (6, 3)])
def test_mcnemar_counts_all_ways(first: int, second: int) -> None:
    """The p-value is the share of all ways to hand out the pairs that are as lopsided as this one."""
    cases = first + second
    ways = [sum(way) for way in product((0, 1), repeat=cases)]
    as_lopsided = [w for w in ways if abs(2 * w - cases) >= abs(first - second)]
    assert mcnemar(first, second) == len(as_lopsided) / len(ways)
    assert mcnemar(second, first) == mcnemar(first, second)


def test_mcnemar_on_many_pairs() -> None:
    """Counts at which powers of two leave the range of floats still give a probability."""
    assert mcnemar(10_000, 10_000) == 1.0
    assert 0.0 <= mcnemar(0, 3000) < 1e-300
    with pytest.raises(ValueError, match="negative"):
        mcnemar(-1, 2)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
@settings(max_examples=20, deadline=None)
def test_holm_is_that_of_statsmodels(p_values: list[float]) -> None:
    """The correction is right, ties and order included."""
    assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]), abs=1e-12)


def test_holm_by_hand() -> None:
    """Smallest times three, next times two, and never less than the one before."""
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([]) == []


def test_bootstrap_against_all_draws() -> None:
    """Of four clusters there are 256 draws; the interval's ends are quantiles of their rates."""
    right, of = [0, 1, 2, 6], [2, 1, 4, 6]
    rates = sorted(
        sum(right[c] for c in draw) / sum(of[c] for c in draw) for draw in product(range(4), repeat=4)
    )
    low, high = cluster_bootstrap({"rate": Ratio(right, of)})["rate"] or (math.nan, math.nan)
    # With 2,000 draws the share below an end has a standard error of 0.35 %.
    assert sum(r < low - 1e-12 for r in rates) / 256 <= 0.025 + 0.015
    assert sum(r <= low + 1e-12 for r in rates) / 256 >= 0.025 - 0.015
    assert sum(r > high + 1e-12 for r in rates) / 256 <= 0.025 + 0.015
    assert sum(r >= high - 1e-12 for r in rates) / 256 >= 0.025 - 0.015


def test_bootstrap_draws_families_not_pairs() -> None:
    """Where a family goes right or wrong as a whole, more pairs in it do not narrow the interval."""
    alone = cluster_bootstrap({"rate": Ratio([0, 1] * 10, [1] * 20)})["rate"]
    repeated = cluster_bootstrap({"rate": Ratio([0, 50] * 10, [50] * 20)})["rate"]
    assert alone == repeated
    independent = wilson(500, 1000)
    assert repeated is not None
    assert independent is not None
    assert repeated[1] - repeated[0] > 5 * (independent[1] - independent[0])


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.lists(st.integers(-9, 900), min_size=width, max_size=width), min_size=2, max_size=6
        )
    )
)
@settings(max_examples=10, deadline=None)
def test_draws_are_sums_of_clusters(clusters: list[list[int]]) -> None:
    """Each draw has the sums of as many clusters as there are, place by place, whatever their signs."""
    source = random.Random(SEED)
    found = list(draws(clusters))
    assert len(found) == RESAMPLES
    for sums in found:
        chosen = source.choices(clusters, k=len(clusters))
        assert sums == [sum(column) for column in zip(*chosen, strict=True)]


def test_bootstrap_is_seeded_and_shared() -> None:
    """The same numbers come out every time, and for a ratio whatever else is asked with it."""
    one, other = Ratio([1, 0, 2, 1], [2, 2, 2, 2]), Ratio([0, 0, 1, 1], [1, 0, 1, 1])
    assert cluster_bootstrap({"x": one}) == cluster_bootstrap({"x": one})
    assert cluster_bootstrap({"x": one, "y": other})["x"] == cluster_bootstrap({"x": one})["x"]


def test_bootstrap_says_nothing_where_nothing_is_known() -> None:
    """One cluster, or no case in any, gives no interval; clusters that differ in number are an error."""
    assert cluster_bootstrap({"x": Ratio([3], [4])}) == {"x": None}
    assert cluster_bootstrap({"x": Ratio([0, 0], [0, 0])}) == {"x": None}
    assert cluster_bootstrap({}) == {}
    with pytest.raises(ValueError, match="different numbers"):
        cluster_bootstrap({"x": Ratio([1], [1, 2])})
