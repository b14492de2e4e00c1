"""Certifying a dataset: adding what external provers say to the evidence that its labels have.

Every side is put to the deciders, and its resolution and authority are settled anew by the label
policy over all evidence, old and new. Nothing is lost: what the dataset has stays, new evidence is
added behind it. A finding that contradicts a label is a conflict; the pair becomes a rejected
candidate, with all its evidence kept.

Labels without the premises (the ablation) are not put to the deciders: authority is a property of
the sides. A decider that can only prove is spared the sides whose countermodel settles the question.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from modalgen.examine import Reason, Rejection, evidence_record, rejection_to_record
from modalgen.files import UNREADABLE, json_lines, opened, replaced_directory, sha256, write_durably
from modalgen.gen.candidates import Candidate
from modalgen.oracle.judge import Oracle
from modalgen.oracle.policy import Resolution, settle
from modalgen.oracle.registry import ABILITIES
from modalgen.oracle.verdict import Decider, SzsStatus, Verdict
from modalgen.problem import Problem
from modalgen.records import (
    EVIDENCE,
    MANIFEST,
    PAIRS,
    REJECTED,
    SIDES,
    DatasetError,
    Pair,
    Side,
    pair_to_record,
    read_lines,
    read_manifest,
    read_pairs,
    summarize,
)
from modalgen.verify import Run, verify


@dataclass(frozen=True)
class SideRun:
    """A run of a decider on one side of a pair."""

    pair_id: str
    side: str
    decider: Decider
    problem: Problem


@dataclass(frozen=True)
class Incident:
    """Something that should not happen: a conflict or a decider's error, on a side of a pair."""

    pair_id: str
    side: str
    detail: str


@dataclass(frozen=True)
class Certification:
    """What came of certifying. `pairs` are those that remain, `added` is the new evidence, in order.

    `rejections` are the pairs in conflict, with their specs; `conflicts` says it in words and
    `errors` names the runs that ended in an error, a finite model that is no countermodel included.
    """

    pairs: tuple[Pair, ...]
    added: tuple[dict[str, Any], ...]
    rejections: tuple[tuple[str, Rejection], ...]
    conflicts: tuple[Incident, ...]
    errors: tuple[Incident, ...]

    def lacking(self, authority: str) -> list[tuple[str, str]]:
        """The sides (pair's id, side's name) that do not have this authority."""
        return [
            (pair.pair_id, name)
            for pair in self.pairs
            for name in SIDES
            if pair.sides[name].authority != authority
        ]


def certify(
    directory: Path,
    deciders: Sequence[Decider],
    oracle: Oracle,
    *,
    jobs: int = 1,
    report: Callable[[int, int], None] = lambda done, of: None,
) -> Certification:
    """Put the sides of the dataset to the deciders; nothing is written yet.

    *oracle* runs the deciders, which must not be in-process ones, in *jobs* threads. *report* is
    told how many runs of how many are done. Runs whose evidence the dataset has are not repeated.
    Raises DatasetError if the dataset cannot be read or does not hold as it is.
    """
    if faults := verify(directory):
        first = f"{faults[0].where}: {faults[0].what}"
        raise DatasetError(f"{directory} has {len(faults)} faults, so it is not certified: {first}")
    pairs = read_pairs(directory)
    evidence = {record["sha256"]: record for _, record in read_lines(directory / EVIDENCE)}
    runs = [run for pair in pairs for run in _missing(pair, deciders, evidence)]
    verdicts: dict[tuple[str, str], list[Verdict]] = {}
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="certify")
    try:
        made = pool.map(lambda run: oracle.run(run.decider, run.problem), runs)
        for done, (run, verdict) in enumerate(zip(runs, made, strict=True), start=1):
            verdicts.setdefault((run.pair_id, run.side), []).append(verdict)
            report(done, len(runs))
    finally:
        # An interrupt must not wait for all that is still to do.
        pool.shutdown(cancel_futures=True)
    return _settled(pairs, evidence, verdicts)


def write_certified(directory: Path, result: Certification, deciders: Sequence[Decider]) -> None:
    """Replace the dataset by the certified one, which appears whole or not at all.

    Other files of the directory are kept. Raises DatasetError or OSError; the dataset is then as it was.
    """
    manifest = read_manifest(directory)
    rejected = [record for _, record in read_lines(directory / REJECTED)]
    rejected += [rejection_to_record(spec, rejection) for spec, rejection in result.rejections]
    # Evidence is copied as text: nothing of it may change.
    try:
        with opened(directory / EVIDENCE) as stream:
            evidence = stream.read().decode("utf-8")
    except (*UNREADABLE, UnicodeDecodeError) as error:
        raise DatasetError(f"{directory / EVIDENCE}: cannot be read: {error}") from error
    texts = {
        PAIRS: json_lines(pair_to_record(pair) for pair in result.pairs),
        EVIDENCE: evidence + json_lines(result.added),
        REJECTED: json_lines(rejected),
    }
    manifest["deciders"] = {**manifest["deciders"], **{d.name: d.version() for d in deciders}}
    manifest["pairs"] = [
        {"spec": spec, "task": task, "resolution": resolution, "count": count}
        for (spec, task, resolution), count in sorted(summarize(result.pairs).items())
    ]
    manifest["rejected"] = dict(sorted(Counter(record["reason"] for record in rejected).items()))
    manifest["files"] = {
        name: {"sha256": sha256(text), "lines": text.count("\n")} for name, text in texts.items()
    }
    texts[MANIFEST] = json.dumps(manifest, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    with replaced_directory(directory) as fresh:
        for name, text in texts.items():
            write_durably(fresh / name, text)
        for entry in directory.iterdir():
            if entry.name.removesuffix(".xz") not in texts:
                copy = shutil.copytree if entry.is_dir() else shutil.copy2
                copy(entry, fresh / entry.name)


def _missing(
    pair: Pair, deciders: Sequence[Decider], evidence: Mapping[str, Mapping[str, Any]]
) -> Iterator[SideRun]:
    """The runs that the sides of a pair lack."""
    for name in SIDES:
        side = pair.sides[name]
        there = {
            (record["decider"], record["version"])
            for record in map(evidence.__getitem__, side.evidence)
            if record["variant"] == "full" and record["decisive"]
        }
        for decider in deciders:
            hopeless = side.countermodel is not None and not ABILITIES[decider.name].refutes
            if not hopeless and (decider.name, decider.version()) not in there:
                yield SideRun(pair.pair_id, name, decider, pair.problem(name))


def _settled(
    pairs: Sequence[Pair],
    evidence: Mapping[str, Mapping[str, Any]],
    verdicts: Mapping[tuple[str, str], Sequence[Verdict]],
) -> Certification:
    """The pairs with the new findings taken in, or rejected because of them."""
    certified: list[Pair] = []
    added: list[dict[str, Any]] = []
    rejections: list[tuple[str, Rejection]] = []
    conflicts: list[Incident] = []
    errors: list[Incident] = []
    for pair in pairs:
        sides = {}
        clashes = []
        for name in SIDES:
            new = verdicts.get((pair.pair_id, name), ())
            errors += [
                Incident(pair.pair_id, name, f"{verdict.decider}: {verdict.note}")
                for verdict in new
                if verdict.status is SzsStatus.ERROR
            ]
            problem = pair.problem(name)
            records = [evidence_record(pair.pair_id, name, "full", problem, verdict) for verdict in new]
            # A run that failed before may have failed alike; it is the same evidence then.
            records = [record for record in records if record["sha256"] not in evidence]
            added += records
            all_records = [*map(evidence.__getitem__, pair.sides[name].evidence), *records]
            side = _side(pair.sides[name], all_records, new)
            if side is None:
                clashes.append(Incident(pair.pair_id, name, _findings(all_records)))
            else:
                sides[name] = side
        if clashes:
            conflicts += clashes
            detail = "; ".join(f"side {clash.side}: {clash.detail}" for clash in clashes)
            candidate = Candidate(pair.template, pair.task, pair.premises, pair.conjecture)
            rejections.append((pair.spec, Rejection(candidate, Reason.CONFLICT, detail)))
        else:
            certified.append(replace(pair, sides=sides))
    return Certification(tuple(certified), tuple(added), tuple(rejections), tuple(conflicts), tuple(errors))


def _side(side: Side, records: Sequence[Mapping[str, Any]], new: Iterable[Verdict]) -> Side | None:
    """The side settled by all its evidence; None if its findings disagree."""
    full = [record for record in records if record["variant"] == "full"]
    settlement = settle(map(Run.of, full))
    if settlement.resolution is Resolution.CONFLICT or settlement.label is not side.label:
        return None
    certificate = side.certificate
    if certificate is not None and certificate["kind"] == "refutation":
        proofs = [record["sha256"] for record in full if record["status"] == SzsStatus.THEOREM]
        certificate = {"kind": "refutation", "evidence": proofs}
    models = (verdict.countermodel for verdict in new if verdict.countermodel is not None)
    return replace(
        side,
        resolution=str(settlement.resolution),
        authority=settlement.authority,
        deciders={decider: str(status) for decider, status in settlement.deciders},
        evidence=tuple(record["sha256"] for record in records),
        countermodel=side.countermodel or next(models, None),
        certificate=certificate,
    )


def _findings(records: Iterable[Mapping[str, Any]]) -> str:
    """Who said what, as in `cvc5: Theorem, vampire-let: CounterSatisfiable`."""
    decisive = [record for record in records if record["decisive"] and record["variant"] == "full"]
    return ", ".join(sorted(f"{record['decider']}: {record['status']}" for record in decisive))
