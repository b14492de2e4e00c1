"""Profiles: labels across the modal cube and the domain regimes, monotone, and recomputed by `verify`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modalgen.examine import Examination, Reason, Rejection, examine
from modalgen.gen.candidate import Candidate
from modalgen.gen.contrast import Contrast, Selection, StructuralLimits
from modalgen.oracle.judge import Oracle
from modalgen.oracle.verdict import Limits, SzsStatus, Verdict
from modalgen.problem import Problem
from modalgen.profile import known_label, spectrum, violation
from modalgen.records import Pair
from modalgen.semantics import SYSTEMS, Semantics, entails, semantics
from modalgen.syntax import parse


def contrast(a: Semantics, b: Semantics) -> Contrast:
    """A contrast of these sides, with all that examining one candidate does not need left empty."""
    axis = "domain" if a.domain else "frame"
    limits, select = StructuralLimits(9, 9, 99), Selection(1, 1, 1)
    return Contrast("test", "Test", "", axis, (a, b), (), {}, (), limits, select, None)


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    """The installed deciders."""
    with Oracle() as ready:
        yield ready


@dataclass(frozen=True)
class BareWord:
    """A decider that says Theorem of some problems, without a proof, and nothing of any other.

    A *certificate* is one that a faulty checker would have let pass.
    """

    claims: Callable[[Problem], bool]
    certificate: Mapping[str, Any] | None = None
    name: str = "eprover-thf"
    route: str = "embedded-thf"

    def version(self) -> str:
        return "0"

    def path(self) -> str | None:
        return None

    def decide(self, problem: Problem, limits: Limits) -> Verdict:
        status = SzsStatus.THEOREM if self.claims(problem) else SzsStatus.GAVE_UP
        certificate = self.certificate if self.claims(problem) else None
        return Verdict(self.name, self.route, "0", "", (), status, 0.0, 0, "", certificate=certificate)


def profile_of(oracle: Oracle, a: Semantics, b: Semantics, *premises: str, conjecture: str) -> Pair:
    """The pair that the problem becomes."""
    task = "inference" if premises else "validity"
    candidate = Candidate("test", task, tuple(map(parse, premises)), parse(conjecture))
    outcome = examine(oracle, contrast(a, b), candidate).outcome
    assert isinstance(outcome, Pair), outcome
    return outcome


# The systems in which a scheme is valid: those whose frames have the condition that it corresponds to
# (Garson, "Modal Logic", Stanford Encyclopedia of Philosophy, section 8, the map of the systems).
@pytest.mark.parametrize(
    ("weak", "strong", "conjecture", "valid"),
    [
        ("K", "D", "□p → ◇p", "D DB D4 D5 D45 T B S4 S5"),
        ("K", "T", "□p → p", "T B S4 S5"),
        ("T", "B", "p → □◇p", "KB KB5 DB B S5"),
        ("T", "S4", "□p → □□p", "K4 K45 KB5 D4 D45 S4 S5"),
        ("B", "S5", "◇p → □◇p", "K5 K45 KB5 D5 D45 S5"),
        ("K4", "D4", "□p → ◇□p", "D4 D45 T B S4 S5"),
    ],
)
def test_profiles_of_the_axioms(oracle: Oracle, weak: str, strong: str, conjecture: str, valid: str) -> None:
    """Each axiom is valid in just the systems that the textbooks give."""
    a, b = semantics(SYSTEMS[weak]), semantics(SYSTEMS[strong])
    pair = profile_of(oracle, a, b, conjecture=conjecture)
    assert list(pair.profile) == list(SYSTEMS)
    assert {name for name, label in pair.profile.items() if label} == set(valid.split())
    assert None not in pair.profile.values()


@pytest.mark.parametrize(
    ("a", "b", "conjecture", "valid"),
    [
        ("cumulative", "constant", "∀x □F(x) → □∀x F(x)", {"decreasing", "constant"}),
        ("varying", "cumulative", "□∀x F(x) → ∀x □F(x)", {"cumulative", "constant"}),
        ("varying", "decreasing", "◇∃x F(x) → ∃x ◇F(x)", {"decreasing", "constant"}),
    ],
)
def test_profiles_of_the_barcan_formulas(
    oracle: Oracle, a: str, b: str, conjecture: str, valid: set[str]
) -> None:
    """The Barcan formula needs decreasing domains and its converse cumulative ones (Fitting and
    Mendelsohn 1998, section 4.9)."""
    pair = profile_of(oracle, semantics(["serial"], a), semantics(["serial"], b), conjecture=conjecture)
    assert list(pair.profile) == ["varying", "cumulative", "decreasing", "constant"]
    assert {name for name, label in pair.profile.items() if label} == valid


def test_on_symmetric_frames_regimes_coincide(oracle: Oracle) -> None:
    """What no formula tells apart has one label, and no decider is asked again for it."""
    a, b = semantics(["symmetric"], "varying"), semantics(["symmetric"], "cumulative")
    pair = profile_of(oracle, a, b, conjecture="∀x □F(x) → □∀x F(x)")
    assert pair.profile == {"varying": False, "cumulative": True, "decreasing": True, "constant": True}
    assert pair.profile_evidence == ()


def test_premises_count_in_profiles(oracle: Oracle) -> None:
    """A profile is one of consequence: seriality takes □p to ◇(p ∨ q), reflexivity is not needed."""
    a, b = semantics(), semantics(["serial"])
    pair = profile_of(oracle, a, b, "□p", conjecture="◇(p ∨ q)")
    assert {name for name, label in pair.profile.items() if not label} == {
        "K",
        "KB",
        "K4",
        "K5",
        "K45",
        "KB5",
    }


def test_a_profile_that_is_not_monotone_is_a_conflict() -> None:
    """A decider that calls the scheme T valid on transitive frames is contradicted by S4's subclass."""
    candidate = Candidate("test", "validity", (), parse("□p → ◇p"))
    examination = misled(candidate, lambda problem: problem.semantics.frame == ("transitive",))
    assert isinstance(examination.outcome, Rejection)
    assert examination.outcome.reason == Reason.CONFLICT
    assert "transitive" in examination.outcome.detail
    assert [lie.verdict.decider for lie in examination.lies] == ["eprover-thf"]
    assert any(record["side"] == "profile" for record in examination.evidence)


def test_valid_without_premises_and_invalid_with_them_is_a_conflict() -> None:
    """Consequence is monotone in the premises, too."""
    candidate = Candidate("test", "inference", (parse("□p"),), parse("◇p"))

    def claims(problem: Problem) -> bool:
        return not problem.premises and problem.semantics == semantics()

    examination = misled(candidate, claims, {"kind": "herbrand"})
    assert isinstance(examination.outcome, Rejection)
    assert examination.outcome.reason == Reason.CONFLICT
    assert "without the premises" in examination.outcome.detail
    # A bare word against a countermodel is one, too, and is caught.
    examination = misled(candidate, claims)
    assert isinstance(examination.outcome, Rejection)
    assert examination.outcome.reason == Reason.CONFLICT
    assert [lie.verdict.decider for lie in examination.lies] == ["eprover-thf"]


@pytest.mark.parametrize("domain", [None, "constant"])
def test_premises_that_nothing_satisfies_are_rejected(oracle: Oracle, domain: str | None) -> None:
    """From them anything follows: □p and □¬p leave no serial world, though they leave dead ends."""
    premises = (parse("□(p ∧ ¬p)" if domain is None else "□∃x (F(x) ∧ ¬F(x))"),)
    conjecture = parse("◇q" if domain is None else "◇∃x G(x)")
    sides = (semantics([], domain), semantics(["serial"], domain))
    examination = examine(oracle, contrast(*sides), Candidate("test", "inference", premises, conjecture))
    assert isinstance(examination.outcome, Rejection)
    assert examination.outcome.reason == Reason.CONTRADICTORY_PREMISES
    assert "on side b" in examination.outcome.detail


def misled(
    candidate: Candidate, claims: Callable[[Problem], bool], certificate: Mapping[str, Any] | None = None
) -> Examination:
    """The examination of a candidate on K against D by an oracle that first asks a liar."""
    with Oracle() as spoilt:
        spoilt.primary = (BareWord(claims, certificate), *spoilt.primary)
        return examine(spoilt, contrast(semantics(), semantics(["serial"])), candidate)


@given(
    st.dictionaries(st.sampled_from([semantics(c) for c in SYSTEMS.values()]), st.sampled_from([True, False]))
)
@settings(max_examples=200, deadline=None)
def test_violations_are_found_in_any_order(labels: dict[Semantics, bool]) -> None:
    """There is a violation just if some class is valid with an invalid subclass, None never counts."""
    wrong = any(
        labels[weaker] and not labels[stronger] and entails(stronger, weaker)
        for weaker in labels
        for stronger in labels
    )
    found = violation(labels)
    assert (found is not None) == wrong
    if found is not None:
        weaker, stronger = found
        assert violation({**labels, weaker: None, stronger: None}) != found


def test_spectrum_and_known_labels() -> None:
    """The spectrum of a first-order side keeps its frames; equivalent semantics share a label."""
    assert set(spectrum(semantics(["serial"], "constant")).values()) == {
        semantics(["serial"], domain) for domain in ("varying", "cumulative", "decreasing", "constant")
    }
    s5 = semantics(["reflexive", "symmetric", "transitive"])
    assert known_label(s5, {semantics(["euclidean", "reflexive"]): True}) is True
    assert known_label(s5, {semantics(["reflexive"]): True}) is None


def test_showing_stops_at_the_first_witness(oracle: Oracle) -> None:
    """The likely answer's decider is asked first, and nobody after one that has a witness."""
    valid = Problem(semantics(["serial"]), (), parse("□p → ◇p"))
    invalid = replace(valid, semantics=semantics())
    (search,) = oracle.shown(invalid, likely_valid=False).verdicts
    assert (search.decider, search.status) == ("z3-kripke", SzsStatus.COUNTER_SATISFIABLE)
    (proof,) = oracle.shown(valid, likely_valid=True).verdicts
    assert (proof.decider, proof.status) == ("herbrand", SzsStatus.THEOREM)
    assert oracle.shown(invalid, likely_valid=True).shown is False
    assert oracle.shown(valid, likely_valid=False).shown is True
