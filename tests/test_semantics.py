"""The semantics registry."""

from __future__ import annotations

import pytest
from hypothesis import given
from strategies import first_order_semantics, propositional_semantics

from modalgen.semantics import (
    CONDITIONS,
    DOMAINS,
    SYSTEMS,
    Semantics,
    closure,
    entails,
    equivalent,
    semantics,
    system_name,
)
from modalgen.syntax import parse

# The covering relation of the fifteen systems: weaker, stronger (Garson, "Modal Logic", Stanford
# Encyclopedia of Philosophy, section 8, the figure).
CUBE = frozenset(
    {
        *("K-D", "K-KB", "K-K4", "K-K5", "D-T", "D-DB", "D-D4", "D-D5", "KB-DB", "KB-KB5", "K4-K45", "K4-D4"),
        *("K5-K45", "K5-D5", "K45-KB5", "K45-D45", "DB-B", "T-B", "T-S4", "D4-D45", "D4-S4", "D5-D45"),
        *("D45-S5", "KB5-S5", "B-S5", "S4-S5"),
    }
)


def test_the_modal_cube() -> None:
    """Entailment among the systems has exactly the covering pairs of the textbook's cube."""
    stronger = {
        (a, b)
        for a in SYSTEMS
        for b in SYSTEMS
        if a != b and entails(semantics(SYSTEMS[b]), semantics(SYSTEMS[a]))
    }
    covering = {
        (a, b) for a, b in stronger if not any((a, c) in stronger and (c, b) in stronger for c in SYSTEMS)
    }
    assert {f"{a}-{b}" for a, b in covering} == CUBE
    assert all((b, a) not in stronger for a, b in stronger)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (["reflexive", "euclidean"], ["reflexive", "symmetric", "transitive"]),
        (["reflexive", "euclidean"], ["universal"]),
        (["serial", "symmetric", "transitive"], ["reflexive", "euclidean"]),
        (["symmetric", "euclidean"], ["symmetric", "transitive"]),
        (["reflexive"], ["reflexive", "serial"]),
    ],
)
def test_equivalent_frames(first: list[str], second: list[str]) -> None:
    """Different declarations of one logic are recognised as the same."""
    assert equivalent(semantics(first), semantics(second))


def test_symmetric_frames_merge_cumulative_and_decreasing_domains() -> None:
    """On symmetric frames cumulative, decreasing and constant domains validate the same formulas."""
    symmetric = [semantics(["symmetric"], regime) for regime in ("cumulative", "decreasing", "constant")]
    assert equivalent(symmetric[0], symmetric[1]) and equivalent(symmetric[1], symmetric[2])
    serial = [semantics(["serial"], regime) for regime in DOMAINS]
    assert not any(equivalent(a, b) for a in serial for b in serial if a != b)


@given(first_order_semantics(), first_order_semantics())
def test_closure_is_a_closure(first: Semantics, second: Semantics) -> None:
    """It contains what is declared, is idempotent, and more conditions give more consequences."""
    held = closure(first)
    assert set(first.frame) <= held
    frame = held & set(CONDITIONS)
    assert closure(semantics(frame, first.domain)) == held
    assert closure(semantics({*first.frame, *second.frame}, first.domain)) >= held


@given(propositional_semantics())
def test_propositional_closures_speak_of_frames_only(value: Semantics) -> None:
    """Without domains there are no conditions on them."""
    assert closure(value) <= set(CONDITIONS)


def test_names_are_checked() -> None:
    """An unknown or an unsorted declaration is an error in words."""
    with pytest.raises(ValueError, match="unknown frame condition 'reflexiv'"):
        semantics(["reflexiv"])
    with pytest.raises(ValueError, match="unknown domain regime 'growing'"):
        semantics([], "growing")
    with pytest.raises(ValueError, match="sorted and distinct"):
        Semantics(("serial", "reflexive"))
    with pytest.raises(ValueError, match="cannot be compared"):
        entails(semantics(), semantics([], "varying"))


def test_system_names() -> None:
    """A system is named by exactly its declared conditions."""
    assert system_name(["transitive", "reflexive"]) == "S4"
    assert system_name([]) == "K"
    assert system_name(["dense"]) is None


def test_schemes_are_formulas() -> None:
    """Every axiom scheme in the registry parses."""
    for condition in CONDITIONS.values():
        if condition.scheme is not None:
            parse(condition.scheme)
