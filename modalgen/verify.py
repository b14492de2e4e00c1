"""Verifying a dataset from its files alone, without any prover.

Checked are: the hashes of all files in the manifest, the hash of every piece of evidence and of its
output, that evidence belongs to the side that cites it and states that side's problem, that the
label policy gives the recorded label, resolution and deciders, that labels are opposite, that profiles
follow from the evidence and are monotone, every countermodel with the reference evaluator, every
Herbrand certificate with the checker, that pairs are what the specs in the manifest declare, and that
the manifest describes the files.

A side that has neither a countermodel nor a Herbrand certificate rests on the word of the provers in
the evidence, which nobody can check offline: `proofs` counts such sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modalgen.certificate import CertificateError, check
from modalgen.declaration import declaration_faults
from modalgen.examine import STDOUT_KEPT, parts_of, premise_status
from modalgen.files import UNREADABLE, json_line, opened, sha256
from modalgen.kripke import model_from_record, objection
from modalgen.nxf import to_nxf
from modalgen.oracle.policy import ROUTES, Settlement, settle
from modalgen.oracle.verdict import SzsStatus
from modalgen.problem import Problem
from modalgen.profile import known_label, spectrum, violation
from modalgen.records import (
    EVIDENCE,
    MANIFEST,
    PAIRS,
    REJECTED,
    SIDES,
    DatasetError,
    Pair,
    Side,
    evidence_hash,
    identifier,
    pair_from_record,
    pair_to_record,
    read_lines,
    read_manifest,
    summarize,
)
from modalgen.semantics import Semantics

# Deciders that refute by an explicit countermodel; the others may do so by saturation.
MODEL_FINDERS = frozenset({"z3-kripke", "cvc5"})


@dataclass(frozen=True)
class Fault:
    """Something that does not hold: where, and what."""

    where: str
    what: str


@dataclass(frozen=True)
class Run:
    """A line of evidence as the label policy sees it."""

    decider: str
    route: str
    status: SzsStatus
    decisive: bool

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Run:
        """The run that the line records."""
        status = SzsStatus(record["status"])
        return cls(record["decider"], record["route"], status, record["decisive"] is True)


# What Python raises when a value of a JSON file is not of the kind that is expected there.
_UNEXPECTED = (AttributeError, LookupError, OverflowError, RecursionError, TypeError, ValueError)


def proofs(pairs: Iterable[Pair]) -> Counter[str]:
    """How many sides are shown by a countermodel, by a Herbrand certificate, by the provers' word alone."""
    return Counter(
        "countermodel"
        if side.countermodel is not None
        else "Herbrand certificate"
        if (side.certificate or {}).get("kind") == "herbrand"
        else "the word of provers alone"
        for pair in pairs
        for side in pair.sides.values()
    )


def verify(directory: Path) -> list[Fault]:
    """All faults of the dataset; none if it holds. Raises DatasetError if it cannot be read."""
    manifest = read_manifest(directory)
    faults = list(_file_faults(directory, manifest))
    evidence: dict[str, dict[str, Any]] = {}
    for number, record in read_lines(directory / EVIDENCE):
        where = f"{EVIDENCE}:{number}"
        try:
            found = [Fault(where, what) for what in _evidence_faults(record)]
        except _UNEXPECTED as error:
            found = [Fault(where, f"not a piece of evidence: {error}")]
        faults += found
        if not found:
            evidence[record["sha256"]] = record
    pairs: list[Pair] = []
    seen: set[str] = set()
    for number, record in read_lines(directory / PAIRS):
        where = f"{PAIRS}:{number}"
        try:
            pair = pair_from_record(record)
            faults += [Fault(where, what) for what in _pair_faults(pair, record, evidence)]
        except _UNEXPECTED as error:
            faults.append(Fault(where, f"not a pair: {error}"))
            continue
        pairs.append(pair)
        if pair.pair_id in seen:
            faults.append(Fault(where, f"{pair.pair_id} occurs twice"))
        seen.add(pair.pair_id)
    try:
        faults += [Fault(MANIFEST, what) for what in _manifest_faults(manifest, directory, pairs)]
    except _UNEXPECTED as error:
        faults.append(Fault(MANIFEST, f"not the manifest of a dataset: {error!r}"))
    return faults


def _file_faults(directory: Path, manifest: Mapping[str, Any]) -> Iterator[Fault]:
    listed = manifest.get("files")
    if not isinstance(listed, dict) or set(listed) != {PAIRS, EVIDENCE, REJECTED}:
        yield Fault(MANIFEST, f"it does not list exactly {PAIRS}, {EVIDENCE} and {REJECTED}")
        return
    for name, expected in listed.items():
        path = directory / name
        if path.exists() and path.with_name(f"{name}.xz").exists():
            yield Fault(name, f"there is also {name}.xz; it cannot be told which one is meant")
        try:
            with opened(path) as stream:
                data = stream.read()
        except UNREADABLE as error:
            raise DatasetError(f"{path}: cannot be read: {error}") from error
        if expected != {"sha256": sha256(data), "lines": data.count(b"\n")}:
            yield Fault(name, "the file is not the one that the manifest describes: its hash differs")


def _manifest_faults(manifest: Mapping[str, Any], directory: Path, pairs: Sequence[Pair]) -> Iterator[str]:
    counted = [
        {"spec": spec, "task": task, "resolution": resolution, "count": count}
        for (spec, task, resolution), count in sorted(summarize(pairs).items())
    ]
    if manifest["pairs"] != counted:
        yield "its counts of pairs are not those of the file"
    reasons = Counter(record.get("reason") for _, record in read_lines(directory / REJECTED))
    if manifest["rejected"] != dict(reasons):
        yield "its counts of rejected candidates are not those of the file"
    if {entry["spec"] for entry in counted} - {source["id"] for source in manifest["specs"]}:
        yield "it lacks the spec of some pairs"
    for source in (*manifest["specs"], *manifest.get("sets", ())):
        if source["sha256"] != sha256(source["source"]):
            yield f"the text of {source['id']} is not the one that its hash is of"
    yield from declaration_faults(manifest, pairs)


def _evidence_faults(record: Mapping[str, Any]) -> Iterator[str]:
    missing = {"sha256", "pair_id", "side", "variant", "decider", "route", "status", "stdout"} - set(record)
    if missing:
        yield f"fields are missing: {', '.join(sorted(missing))}"
        return
    if record["sha256"] != evidence_hash(record):
        yield "its hash is not that of its contents"
    if ROUTES.get(record["decider"]) != record["route"]:
        yield f"there is no decider {record['decider']!r} on the route {record['route']!r}"
    stdout = record["stdout"]
    if len(stdout) < STDOUT_KEPT and record.get("stdout_sha256") != sha256(stdout):
        yield "the hash of its output is not that of its output"
    if record["status"] not in list(SzsStatus):
        yield f"{record['status']!r} is not an SZS status that a decider ends with"
    elif record.get("decisive") != (record["status"] in (SzsStatus.THEOREM, SzsStatus.COUNTER_SATISFIABLE)):
        yield "`decisive` does not fit its status"


def _pair_faults(
    pair: Pair, record: Mapping[str, Any], evidence: Mapping[str, Mapping[str, Any]]
) -> Iterator[str]:
    if json_line(pair_to_record(pair)) != json_line(record):
        yield "it has fields that do not follow from the others, or its text is not in canonical form"
    if pair.pair_id != identifier(pair.spec, pair.premises, pair.conjecture):
        yield "its id is not the hash of its formulas"
    if pair.task != ("inference" if pair.premises else "validity"):
        yield "its task does not fit its premises"
    domains = [pair.sides[name].semantics.domain for name in SIDES]
    if pair.axis != ("domain" if all(domains) else "frame") or any(domains) != all(domains):
        yield "its axis does not fit its semantics"
    if pair.sides["a"].label == pair.sides["b"].label:
        yield "both sides have the same label"
    ablation: dict[str, bool | None] = {}
    for name in SIDES:
        cited = pair.sides[name].evidence
        if unknown := [sha for sha in cited if sha not in evidence]:
            yield f"side {name} cites evidence that is missing or faulty: {unknown[0]}"
            return
        yield from (f"side {name}: {what}" for what in _side_faults(pair, name, evidence))
        if pair.premises:
            ablation[name] = _shown(cited, evidence, "conjecture_only")
            if _shown(cited, evidence, "premises_only") is not False:
                yield f"nothing shows that the premises have a model on side {name}"
            if ablation[name] and not pair.sides[name].label:
                yield f"side {name} is valid without the premises and invalid with them"
    if dict(pair.ablation) != ablation:
        yield "the labels without premises are not those of the evidence"
    if pair.premise_status != premise_status({n: s.label for n, s in pair.sides.items()}, ablation):
        yield "its premise status does not follow from its labels"
    yield from _profile_faults(pair, evidence)


def _profile_faults(pair: Pair, evidence: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    cited = pair.profile_evidence
    if unknown := [sha for sha in cited if sha not in evidence]:
        yield f"its profile cites evidence that is missing or faulty: {unknown[0]}"
        return
    names = spectrum(pair.sides["a"].semantics)
    for sha in cited:
        run = evidence[sha]
        if (run["pair_id"], run["side"]) != (pair.pair_id, "profile") or run["variant"] not in names:
            yield f"its profile cites evidence of something else: {sha}"
            return
        problem = Problem(names[run["variant"]], pair.premises, pair.conjecture)
        yield from (f"evidence {sha}: {what}" for what in _witness_faults(problem, run))
    labels: dict[Semantics, bool | None] = {s.semantics: s.label for s in pair.sides.values()}
    profile: dict[str, bool | None] = {}
    for name, semantics in names.items():
        profile[name] = known_label(semantics, labels)
        if profile[name] is None:
            profile[name] = labels[semantics] = _shown(cited, evidence, name)
    if dict(pair.profile) != profile:
        yield "its profile does not follow from its labels and the evidence"
    if violated := violation(labels):
        yield f"its labels are not monotone: valid under {violated[0]}, invalid under {violated[1]}"


def _witness_faults(problem: Problem, run: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with a piece of evidence that holds its own witness: of a profile, of an ablation."""
    if run.get("quarantined"):
        yield "it is quarantined"
    if run.get("problem") != to_nxf(problem):
        yield "it is about another problem"
    model, certificate = run.get("countermodel"), run.get("certificate")
    if model is not None and (reason := objection(model_from_record(model), problem)):
        yield f"its countermodel is none: {reason}"
    if certificate is not None:
        yield from _refusals(problem, certificate)
    if (model is not None) != (
        run["decider"] in MODEL_FINDERS and run["status"] == SzsStatus.COUNTER_SATISFIABLE
    ) or (certificate is not None) != (run["decider"] == "herbrand" and run["status"] == SzsStatus.THEOREM):
        yield "its status does not fit the countermodel or the certificate that it holds"


def _side_faults(pair: Pair, name: str, evidence: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    side, problem = pair.sides[name], pair.problem(name)
    about = {"full": problem, **(parts_of(problem) if problem.premises else {})}
    for sha in side.evidence:
        run = evidence[sha]
        if (run["pair_id"], run["side"]) != (pair.pair_id, name):
            yield f"it cites evidence of another side: {sha}"
        if run.get("quarantined"):
            yield f"it cites quarantined evidence: {sha}"
        if run["variant"] not in about or run.get("problem") != to_nxf(about[run["variant"]]):
            yield f"evidence {sha} is about another problem"
        elif run["variant"] != "full":
            yield from (f"evidence {sha}: {what}" for what in _witness_faults(about[run["variant"]], run))
    settlement = _settled(side.evidence, evidence, "full")
    if settlement.label != side.label:
        yield f"its label is {side.label}, but the evidence says {settlement.label}"
    if (settlement.resolution, settlement.authority) != (side.resolution, side.authority):
        yield "its resolution or authority does not follow from the evidence"
    if {decider: str(status) for decider, status in settlement.deciders} != dict(side.deciders):
        yield "its deciders are not those of the evidence"
    if side.status != settlement.status:
        yield "its status does not fit its label"
    if side.countermodel is not None and (reason := objection(side.countermodel, problem)):
        yield f"its countermodel is none: {reason}"
    if side.label and side.certificate is None:
        yield "its certificate is missing"
    elif side.label and side.certificate is not None:
        yield from _certificate_faults(problem, side, evidence)
    elif side.certificate is not None:
        yield "it is labelled invalid but has a certificate"
    if side.label and side.countermodel is not None:
        yield "it is labelled valid but has a countermodel"
    if not side.label and side.countermodel is None and MODEL_FINDERS & set(side.deciders):
        yield "its countermodel is missing"


def _certificate_faults(
    problem: Problem, side: Side, evidence: Mapping[str, Mapping[str, Any]]
) -> Iterator[str]:
    certificate = side.certificate or {}
    if certificate.get("kind") == "herbrand":
        yield from _refusals(problem, certificate)
        return
    proofs = [
        sha
        for sha in side.evidence
        if evidence[sha]["variant"] == "full" and evidence[sha]["status"] == SzsStatus.THEOREM
    ]
    if certificate != {"kind": "refutation", "evidence": proofs}:
        yield "its certificate is neither a Herbrand certificate nor the list of its refutations"


def _refusals(problem: Problem, certificate: Mapping[str, Any]) -> Iterator[str]:
    try:
        check(problem, certificate)
    except CertificateError as error:
        yield f"its certificate is refused: {error}"


def _shown(cited: tuple[str, ...], evidence: Mapping[str, Mapping[str, Any]], variant: str) -> bool | None:
    """The label that a countermodel or a certificate in the evidence shows; None without one or with both."""
    runs = [evidence[sha] for sha in cited if evidence[sha]["variant"] == variant]
    found = {kind for kind in ("countermodel", "certificate") for run in runs if kind in run}
    return {frozenset({"countermodel"}): False, frozenset({"certificate"}): True}.get(frozenset(found))


def _settled(cited: tuple[str, ...], evidence: Mapping[str, Mapping[str, Any]], variant: str) -> Settlement:
    runs = (evidence[sha] for sha in cited)
    return settle(Run.of(run) for run in runs if run["variant"] == variant and not run.get("quarantined"))
