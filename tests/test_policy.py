"""The label policy."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modalgen.oracle.policy import Resolution, engine_of, settle
from modalgen.oracle.verdict import SzsStatus

THEOREM, REFUTED, TIMEOUT = SzsStatus.THEOREM, SzsStatus.COUNTER_SATISFIABLE, SzsStatus.TIMEOUT


@dataclass(frozen=True)
class Run:
    """A finding as the policy sees it."""

    decider: str
    route: str
    status: SzsStatus

    @property
    def decisive(self) -> bool:
        return self.status in (THEOREM, REFUTED)


E_TFF = ("eprover-tff", "embedded-tff")
E_THF = ("eprover-thf", "embedded-thf")
CVC5 = ("cvc5", "embedded-smt")
Z3 = ("z3-kripke", "kripke-expansion")
VAMPIRE_OWN = ("vampire-tff", "embedded-tff")
VAMPIRE_LET = ("vampire-let", "let-tff")


@pytest.mark.parametrize(
    ("findings", "label", "resolution"),
    [
        ([], None, "unresolved"),
        ([(*E_TFF, TIMEOUT), (*CVC5, SzsStatus.GAVE_UP)], None, "unresolved"),
        ([(*E_TFF, THEOREM)], True, "single"),
        ([(*E_TFF, THEOREM), (*Z3, SzsStatus.GAVE_UP)], True, "single"),
        ([(*E_TFF, THEOREM), (*CVC5, THEOREM)], True, "dual"),
        ([(*E_TFF, THEOREM), (*E_THF, THEOREM)], True, "single"),  # one engine
        ([(*E_TFF, THEOREM), (*VAMPIRE_OWN, THEOREM)], True, "single"),  # one translation
        ([(*E_TFF, THEOREM), (*VAMPIRE_LET, THEOREM)], True, "dual"),
        ([(*Z3, REFUTED)], False, "single"),
        ([(*Z3, REFUTED), (*CVC5, REFUTED), (*E_TFF, TIMEOUT)], False, "dual"),
        ([(*Z3, REFUTED), (*E_TFF, THEOREM)], None, "conflict"),
        ([(*Z3, REFUTED), (*CVC5, REFUTED), (*E_TFF, THEOREM)], None, "conflict"),  # no majority votes
    ],
)
def test_settlements(findings: list[tuple[str, str, SzsStatus]], label: bool | None, resolution: str) -> None:
    """Each situation of the policy has the label and the resolution that the policy's text says."""
    settlement = settle([Run(*finding) for finding in findings])
    assert (settlement.label, settlement.resolution) == (label, resolution)


def test_authority_needs_a_let_translation() -> None:
    """Only a decision on LET's translation is called authoritative, and a time-out on it is none."""
    assert settle([Run(*E_TFF, THEOREM)]).authority == "embedded"
    assert settle([Run(*E_TFF, THEOREM), Run(*VAMPIRE_LET, THEOREM)]).authority == "let"
    assert settle([Run(*E_TFF, THEOREM), Run(*VAMPIRE_LET, TIMEOUT)]).authority == "embedded"


def test_engines_are_the_first_part_of_the_name() -> None:
    """Two forms of one prover are one engine."""
    assert {engine_of("eprover-tff"), engine_of("eprover-thf"), engine_of("cvc5")} == {"eprover", "cvc5"}


_runs = st.lists(
    st.builds(
        lambda who, status: Run(*who, status),
        st.sampled_from([E_TFF, E_THF, CVC5, Z3, VAMPIRE_OWN, VAMPIRE_LET]),
        st.sampled_from(list(SzsStatus)),
    )
)


@given(_runs, st.randoms())
def test_order_and_indecisive_runs_do_not_matter(runs: list[Run], random: object) -> None:
    """A settlement depends on the decisive findings only, in any order."""
    shuffled = list(runs)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert settle(shuffled) == settle(runs) == settle([run for run in runs if run.decisive])


@given(_runs)
def test_no_label_without_evidence_or_against_it(runs: list[Run]) -> None:
    """A label has at least one finding for it and none against it."""
    settlement = settle(runs)
    statuses = {run.status for run in runs if run.decisive}
    if settlement.label is None:
        assert len(statuses) != 1
        assert settlement.resolution in (Resolution.UNRESOLVED, Resolution.CONFLICT)
    else:
        assert statuses == {settlement.status}
