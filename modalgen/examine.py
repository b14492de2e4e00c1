"""Examining one candidate: both sides are judged, and it becomes a pair or is rejected with a reason.

The cheap steps come first: a problem that has a countermodel on both sides needs no prover.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from modalgen.files import sha256
from modalgen.formula import Bottom
from modalgen.gen.candidate import Candidate
from modalgen.gen.contrast import Contrast
from modalgen.kripke import model_to_record
from modalgen.nxf import to_nxf
from modalgen.oracle.judge import Judgment, Oracle
from modalgen.oracle.lies import Lie, lies
from modalgen.oracle.policy import Resolution
from modalgen.oracle.verdict import SzsStatus, Verdict
from modalgen.printing import to_unicode
from modalgen.problem import Problem
from modalgen.profile import known_label, spectrum, violation
from modalgen.records import (
    EVIDENCE_SCHEMA,
    REJECTED_SCHEMA,
    SIDES,
    Pair,
    Side,
    evidence_hash,
    identifier,
)
from modalgen.semantics import Semantics

# Standard output is kept up to this many characters; its hash is of the whole.
STDOUT_KEPT = 65_536


class Reason(StrEnum):
    """Why the oracle's findings reject a candidate."""

    SAME_LABEL = "same_label"
    UNRESOLVED = "unresolved"
    CONFLICT = "conflict"
    UNEXPECTED = "unexpected"
    WITHOUT_PARTNER = "without_partner"
    NO_AUTHORITY = "no_authority"
    CONTRADICTORY_PREMISES = "contradictory_premises"


@dataclass(frozen=True)
class Rejection:
    """A candidate that is no pair: the reason's code and the reason in words."""

    candidate: Candidate
    reason: str
    detail: str


@dataclass(frozen=True)
class Examination:
    """What became of one candidate: a pair or a rejection, and the evidence either way.

    `lies` are findings that are proved wrong. If there are any, the outcome may rest on them.
    """

    outcome: Pair | Rejection
    evidence: tuple[dict[str, Any], ...]
    lies: tuple[Lie, ...] = ()


def examine(oracle: Oracle, contrast: Contrast, candidate: Candidate) -> Examination:
    """Judge both sides of the candidate, an inference pair also without its premises, and its profile."""
    problems = [Problem(side, candidate.premises, candidate.conjecture) for side in contrast.sides]
    judgments = [oracle.screen(problem) for problem in problems]
    if not all(judgment.countermodel for judgment in judgments):
        judgments = [oracle.complete(judgment) for judgment in judgments]
    pair_id = identifier(contrast.id, candidate.premises, candidate.conjecture)
    evidence = [
        evidence_record(pair_id, side, "full", judgment.problem, verdict)
        for side, judgment in zip(SIDES, judgments, strict=True)
        for verdict in judgment.verdicts
    ]
    if rejection := _objection(contrast, candidate, judgments):
        return Examination(rejection, tuple(evidence), tuple(lies(judgments)))

    labels = {side: j.settlement.label for side, j in zip(SIDES, judgments, strict=True)}
    ablation: dict[str, bool | None] = {}
    all_judgments = list(judgments)
    if candidate.premises:
        for side, problem in zip(SIDES, problems, strict=True):
            ablated, negated = (oracle.shown(part, likely_valid=False) for part in parts_of(problem).values())
            all_judgments += (ablated, negated)
            evidence += [
                evidence_record(pair_id, side, variant, judgment.problem, verdict)
                for variant, judgment in zip(parts_of(problem), (ablated, negated), strict=True)
                for verdict in judgment.verdicts
            ]
            detail = ""
            for what, part in (("without the premises", ablated), ("the premises alone", negated)):
                if part.settlement.resolution is Resolution.CONFLICT:
                    detail = f"side {side}, {what}: {_findings(part)}"
            if ablated.shown and not labels[side]:
                detail = f"side {side}: valid without the premises ({_findings(ablated)}), invalid with them"
            if detail:
                conflict = Rejection(candidate, Reason.CONFLICT, detail)
                return Examination(conflict, tuple(evidence), tuple(lies(all_judgments)))
            if negated.shown is not False:
                found = "contradict each other" if negated.shown else "may contradict each other"
                detail = f"the premises {found} on side {side}, so that anything would follow"
                empty = Rejection(candidate, Reason.CONTRADICTORY_PREMISES, detail)
                return Examination(empty, tuple(evidence), tuple(lies(all_judgments)))
            ablation[side] = ablated.shown
    profile, profiling = _profile(oracle, judgments)
    all_judgments += profiling.values()
    evidence_of_profile = [
        evidence_record(pair_id, "profile", name, judgment.problem, verdict)
        for name, judgment in profiling.items()
        for verdict in judgment.verdicts
    ]
    if rejection := _not_monotone(candidate, (*judgments, *profiling.values())):
        return Examination(rejection, (*evidence, *evidence_of_profile), tuple(lies(all_judgments)))
    pair = Pair(
        pair_id=pair_id,
        spec=contrast.id,
        template=candidate.template,
        axis=contrast.axis,
        task=candidate.task,
        premises=candidate.premises,
        conjecture=candidate.conjecture,
        sides={
            side: _side(judgment, [e for e in evidence if e["side"] == side])
            for side, judgment in zip(SIDES, judgments, strict=True)
        },
        premise_status=premise_status(labels, ablation),
        ablation=ablation,
        profile=profile,
        profile_evidence=tuple(record["sha256"] for record in evidence_of_profile),
    )
    return Examination(pair, (*evidence, *evidence_of_profile), tuple(lies(all_judgments)))


def parts_of(problem: Problem) -> dict[str, Problem]:
    """What must not decide an inference problem, by variant of evidence: its conjecture without the
    premises, and its premises alone, which must not be contradictory."""
    return {
        "conjecture_only": Problem(problem.semantics, (), problem.conjecture),
        "premises_only": Problem(problem.semantics, problem.premises, Bottom()),
    }


def premise_status(labels: dict[str, bool | None], ablation: dict[str, bool | None]) -> str:
    """Whether the labels of the pair depend on the premises, from its labels with and without them."""
    if not ablation:
        return "conjecture_only"
    if None in ablation.values():
        return "unresolved"
    return "premise_independent" if ablation == labels else "premise_dependent"


def evidence_record(
    pair_id: str, side: str, variant: str, problem: Problem, verdict: Verdict
) -> dict[str, Any]:
    """A run as a line of `evidence.jsonl` holds it. *variant* is "full" or one of `parts_of`.

    For the profile of a pair, *side* is "profile" and *variant* the name of the system or the domain
    regime. All but the full variant, for which the pair does, hold the countermodel or the certificate
    that was found, if any.
    """
    record: dict[str, Any] = {
        "schema": EVIDENCE_SCHEMA,
        "pair_id": pair_id,
        "side": side,
        "variant": variant,
        "decider": verdict.decider,
        "route": verdict.route,
        "version": verdict.version,
        "problem": to_nxf(problem),
        "translation": verdict.translation,
        "command": list(verdict.command),
        "status": str(verdict.status),
        "decisive": verdict.decisive,
        "note": verdict.note,
        "exit_code": verdict.exit_code,
        "seconds": round(verdict.seconds, 6),
        "stdout_sha256": sha256(verdict.stdout),
        "stdout": verdict.stdout[:STDOUT_KEPT],
    }
    if variant != "full" and verdict.countermodel is not None:
        record["countermodel"] = model_to_record(verdict.countermodel)
    if variant != "full" and verdict.certificate is not None:
        record["certificate"] = dict(verdict.certificate)
    return {**record, "sha256": evidence_hash(record)}


def rejection_to_record(spec: str, rejection: Rejection) -> dict[str, Any]:
    """A rejected candidate as a line of `rejected.jsonl` holds it."""
    candidate = rejection.candidate
    return {
        "schema": REJECTED_SCHEMA,
        "candidate_id": identifier(spec, candidate.premises, candidate.conjecture),
        "spec": spec,
        "template": candidate.template,
        "task": candidate.task,
        "premises": [to_unicode(premise) for premise in candidate.premises],
        "conjecture": to_unicode(candidate.conjecture),
        "reason": str(rejection.reason),
        "detail": rejection.detail,
    }


def _objection(contrast: Contrast, candidate: Candidate, judgments: list[Judgment]) -> Rejection | None:
    """Why the judged candidate is no pair; None if it is one."""
    settlements = [judgment.settlement for judgment in judgments]
    for side, judgment in zip(SIDES, judgments, strict=True):
        if judgment.settlement.resolution is Resolution.CONFLICT:
            return Rejection(candidate, Reason.CONFLICT, f"side {side}: {_findings(judgment)}")
    labels = [settlement.label for settlement in settlements]
    if rejection := _not_monotone(candidate, judgments):
        return rejection
    if None in labels:
        unresolved = [s for s, label in zip(SIDES, labels, strict=True) if label is None]
        return Rejection(candidate, Reason.UNRESOLVED, f"nothing decided side {' and '.join(unresolved)}")
    if labels[0] == labels[1]:
        return Rejection(candidate, Reason.SAME_LABEL, f"{'valid' if labels[0] else 'invalid'} on both sides")
    if contrast.expect is not None and tuple(labels) != contrast.expect:
        return Rejection(
            candidate,
            Reason.UNEXPECTED,
            f"labels a={labels[0]}, b={labels[1]} contradict the spec's `expect`",
        )
    return None


def _profile(
    oracle: Oracle, judgments: Sequence[Judgment]
) -> tuple[dict[str, bool | None], dict[str, Judgment]]:
    """The labels of the problem that both sides judge, by the name of a system or a domain regime, and
    the judgments that were made for that; the sides' own count where they come to the same. Others
    count only if a countermodel or a certificate shows them."""
    labels = {judgment.problem.semantics: judgment.settlement.label for judgment in judgments}
    profile: dict[str, bool | None] = {}
    made: dict[str, Judgment] = {}
    for name, semantics in spectrum(judgments[0].problem.semantics).items():
        profile[name] = known_label(semantics, labels)
        if profile[name] is None:
            problem = replace(judgments[0].problem, semantics=semantics)
            # It is valid if the labels so far are right; a decider still has to say so.
            likely = violation({**labels, semantics: False}) is not None
            made[name] = oracle.shown(problem, likely_valid=likely)
            profile[name] = labels[semantics] = made[name].shown
    return profile, made


def _not_monotone(candidate: Candidate, judgments: Sequence[Judgment]) -> Rejection | None:
    """A conflict if deciders disagree, or the problem is valid in a class and invalid in a subclass."""
    for judgment in judgments:
        if judgment.settlement.resolution is Resolution.CONFLICT:
            detail = f"{_words(judgment.problem.semantics)}: {_findings(judgment)}"
            return Rejection(candidate, Reason.CONFLICT, detail)
    found = {judgment.problem.semantics: judgment for judgment in judgments}
    violated = violation({semantics: judgment.settlement.label for semantics, judgment in found.items()})
    if violated is None:
        return None
    weaker, stronger = violated
    detail = f"valid {_words(weaker)}, invalid {_words(stronger)}: "
    detail += "; ".join(_findings(found[semantics]) for semantics in violated)
    return Rejection(candidate, Reason.CONFLICT, detail)


def _side(judgment: Judgment, evidence: list[dict[str, Any]]) -> Side:
    settlement = judgment.settlement
    assert settlement.label is not None
    # Without a certificate that can be checked, the provers' word: the runs that found a refutation.
    proofs = [e["sha256"] for e in evidence if e["variant"] == "full" and e["status"] == SzsStatus.THEOREM]
    certificate = judgment.certificate or {"kind": "refutation", "evidence": proofs}
    return Side(
        semantics=judgment.problem.semantics,
        label=settlement.label,
        status=str(settlement.status),
        resolution=str(settlement.resolution),
        authority=settlement.authority,
        deciders={decider: str(status) for decider, status in settlement.deciders},
        evidence=tuple(e["sha256"] for e in evidence),
        countermodel=None if settlement.label else judgment.countermodel,
        certificate=certificate if settlement.label else None,
    )


def _findings(judgment: Judgment) -> str:
    return ", ".join(f"{decider}: {status}" for decider, status in judgment.settlement.deciders)


def _words(semantics: Semantics) -> str:
    words = [*semantics.frame, *([f"{semantics.domain} domains"] if semantics.domain else [])]
    return f"on frames that are {' and '.join(words)}" if words else "on all frames"
