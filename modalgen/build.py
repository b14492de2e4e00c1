"""Building a dataset: candidates are examined in parallel and accepted in order.

Whatever the number of workers, candidates are drawn, deduplicated and accepted in one order, and
work that was done ahead of the last accepted pair is dropped: `pairs.jsonl` and `rejected.jsonl`
do not depend on timing. With an evidence store no decisive run is made twice, not even by a build
that was killed and is started again.

A decider that is caught lying (`modalgen.oracle.lies`) is quarantined: the build begins anew without
the engine, so that no label, no resolution and no selection rests on what it said. What it had said
until it was caught stays in the evidence, marked, and cited by no pair; the store forgets all of it.
"""

from __future__ import annotations

import errno
import json
import os
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

from modalgen.examine import Examination, Reason, Rejection, examine, rejection_to_record
from modalgen.files import json_lines, replaced_directory, sha256, write_durably
from modalgen.gen.candidate import Candidate
from modalgen.gen.contrast import Contrast
from modalgen.gen.sifting import TurnedDown, sifted
from modalgen.nxf import to_nxf
from modalgen.oracle.judge import Oracle
from modalgen.oracle.lies import Lie
from modalgen.oracle.policy import engine_of
from modalgen.oracle.registry import PRIMARY, SECONDARY, installed
from modalgen.oracle.store import EvidenceStore
from modalgen.oracle.verdict import Decider, Limits
from modalgen.records import (
    DATASET_SCHEMA,
    EVIDENCE,
    MANIFEST,
    PAIRS,
    REJECTED,
    Pair,
    evidence_hash,
    identifier,
    pair_to_record,
    summarize,
)

TASKS = ("validity", "inference")

# Templates that yield no more pairs must not keep a build busy for ever: this many candidates in a
# row without an accepted one, duplicates included, end the search for more.
BARREN_STREAK = 20_000


class BuildError(Exception):
    """The dataset cannot be built as asked; the message says what to change."""


@dataclass(frozen=True)
class Source:
    """A contrast and the text of the file that declares it."""

    contrast: Contrast
    file_name: str
    text: str


@dataclass(frozen=True)
class SetSource:
    """The file of a set whose members are among the sources, and its text."""

    id: str
    file_name: str
    text: str


@dataclass(frozen=True)
class Shortfall:
    """A quota that could not be met."""

    spec: str
    task: str
    wanted: int
    accepted: int


@dataclass(frozen=True)
class Quarantine:
    """A decider that lied of the candidate *pair_id*; no finding of its engine counts.

    `evidence` are the engine's findings until then.
    """

    pair_id: str
    lie: Lie
    evidence: tuple[dict[str, Any], ...]

    @property
    def words(self) -> str:
        """What the decider said and what refutes it."""
        return f"{self.lie.verdict.decider} says {self.lie.verdict.status}, but {self.lie.refutation}"


@dataclass(frozen=True)
class Build:
    """All that a build produced, in order. The evidence is that which counts."""

    sources: tuple[Source, ...]
    pairs: tuple[Pair, ...]
    rejections: tuple[tuple[str, Rejection], ...]
    evidence: tuple[dict[str, Any], ...]
    shortfalls: tuple[Shortfall, ...]
    quarantined: tuple[Quarantine, ...] = ()
    extra: tuple[Decider, ...] = ()
    sets: tuple[SetSource, ...] = ()

    @property
    def alarms(self) -> tuple[tuple[str, Rejection], ...]:
        """Rejections that mean a bug somewhere or a wrong expectation in the spec."""
        loud = (Reason.CONFLICT, Reason.UNEXPECTED)
        return tuple((spec, r) for spec, r in self.rejections if r.reason in loud)


@dataclass(frozen=True)
class Progress:
    """Where a build stands: the task it works on, how many pairs it has of it and wants."""

    spec: str
    task: str
    accepted: int
    wanted: int


class _Caught(Exception):
    """Deciders lied; the examinations so far may rest on what they said."""

    def __init__(self, quarantined: tuple[Quarantine, ...]) -> None:
        super().__init__()
        self.quarantined = quarantined


def build(
    sources: Sequence[Source],
    *,
    sets: Sequence[SetSource] = (),
    jobs: int = 1,
    seed: int | None = None,
    limit: int | None = None,
    limits: Limits | None = None,
    store: EvidenceStore | None = None,
    extra: Sequence[Decider] = (),
    authority: str | None = None,
    report: Callable[[Progress], None] = lambda progress: None,
) -> Build:
    """Examine candidates until every quota is met or the candidates are exhausted.

    *seed* takes the place of the specs' own, *limit* is the most pairs per spec. *extra* deciders
    run too; with an *authority*, only pairs are accepted both of whose sides have it. *report* is
    called after each candidate; the counts begin anew when a decider is quarantined. Raises BuildError
    if the limit leaves no pair of a spec.
    """
    sources = tuple(_adjusted(source, seed, limit) for source in sources)
    quarantined: tuple[Quarantine, ...] = ()
    while True:
        engines = frozenset(q.lie.engine for q in quarantined)
        try:
            with _Workers(jobs, partial(Oracle, limits, store, engines, extra)) as workers:
                selected = _select(sources, workers, authority, report)
                return replace(selected, quarantined=quarantined, extra=tuple(extra), sets=tuple(sets))
        except _Caught as caught:
            quarantined += caught.quarantined
        # Not before the workers have ended: they might tell the store more.
        if store is not None:
            for quarantine in quarantined:
                store.forget(quarantine.lie.engine)


def _select(
    sources: tuple[Source, ...],
    workers: _Workers,
    authority: str | None,
    report: Callable[[Progress], None],
) -> Build:
    """One build with the workers' deciders. Raises _Caught at the first lie."""
    pairs: list[Pair] = []
    rejections: list[tuple[str, Rejection]] = []
    evidence: list[dict[str, Any]] = []
    shortfalls: list[Shortfall] = []
    for contrast, task in ((source.contrast, task) for source in sources for task in TASKS):
        wanted = getattr(contrast.select, task)
        accepted = barren = 0
        for examination in _examined(contrast, task, workers, authority) if wanted else ():
            evidence += examination.evidence
            if examination.lies:
                raise _Caught(_quarantined(examination, evidence))
            outcome = examination.outcome
            if isinstance(outcome, Pair):
                pairs.append(outcome)
                accepted, barren = accepted + 1, 0
            else:
                rejections.append((contrast.id, outcome))
                barren += 1
            report(Progress(contrast.id, task, accepted, wanted))
            if accepted == wanted or barren == BARREN_STREAK:
                break
        if accepted < wanted:
            shortfalls.append(Shortfall(contrast.id, task, wanted, accepted))
    return Build(sources, tuple(pairs), tuple(rejections), tuple(evidence), tuple(shortfalls))


def _examined(
    contrast: Contrast, task: str, workers: _Workers, authority: str | None
) -> Iterator[Examination]:
    """What becomes of the candidates of a task, in order."""
    examinations = (
        replace(examination, outcome=_authorised(examination.outcome, authority))
        for examination in workers.examine_all(contrast, _sifted(contrast, task))
    )
    return _in_couples(examinations) if contrast.select.balanced else examinations


def _authorised(outcome: Pair | Rejection, authority: str | None) -> Pair | Rejection:
    """The outcome, but no pair whose sides lack the authority that is required."""
    if authority is None or isinstance(outcome, Rejection):
        return outcome
    lacking = [name for name, side in outcome.sides.items() if side.authority != authority]
    if not lacking:
        return outcome
    candidate = Candidate(outcome.template, outcome.task, outcome.premises, outcome.conjecture)
    detail = f"side {' and '.join(lacking)} has not the authority {authority}"
    return Rejection(candidate, Reason.NO_AUTHORITY, detail)


def _quarantined(examination: Examination, evidence: list[dict[str, Any]]) -> tuple[Quarantine, ...]:
    """The engines that lied of a candidate, each with its first lie and all its evidence so far."""
    found: dict[str, Quarantine] = {}
    for lie in examination.lies:
        own = tuple(record for record in evidence if engine_of(record["decider"]) == lie.engine)
        pair_id = examination.evidence[0]["pair_id"]
        found.setdefault(lie.engine, Quarantine(pair_id, lie, own))
    return tuple(found.values())


def write_dataset(result: Build, directory: Path) -> dict[str, Any]:
    """Write the dataset directory, which appears whole or not at all; return the manifest.

    Raises BuildError if the directory holds something that is not a dataset, OSError as the file
    system does. What was there before is then as it was.
    """
    check_place(directory)
    marked = (_marked(record, q) for q in result.quarantined for record in q.evidence)
    texts = {
        PAIRS: json_lines(pair_to_record(pair) for pair in result.pairs),
        EVIDENCE: json_lines((*marked, *result.evidence)),
        REJECTED: json_lines(rejection_to_record(spec, rejection) for spec, rejection in result.rejections),
    }
    manifest = _manifest(result, texts)
    with replaced_directory(directory) as fresh:
        for name, text in texts.items():
            write_durably(fresh / name, text)
        write_durably(
            fresh / MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
        )
    return manifest


def check_place(directory: Path) -> None:
    """Whether a dataset may be written there, which is good to know before a long build.

    Raises BuildError if the directory holds something that is not a dataset, OSError if the first
    existing directory above it cannot be written.
    """
    if directory.exists() and not (directory.is_dir() and _replaceable(directory)):
        raise BuildError(f"{directory} exists and is not a dataset; choose another place with -o")
    above = next(parent for parent in directory.absolute().parents if parent.exists())
    if not (above.is_dir() and os.access(above, os.W_OK | os.X_OK)):
        raise PermissionError(errno.EACCES, f"{above} is not a directory that can be written")


def _marked(record: dict[str, Any], quarantine: Quarantine) -> dict[str, Any]:
    """A line of evidence that does not count."""
    note = f"quarantined: on {quarantine.pair_id}, {quarantine.words}"
    marked = {**record, "quarantined": True, "note": f"{note}; {record['note']}".rstrip("; ")}
    return {**marked, "sha256": evidence_hash(marked)}


def _manifest(result: Build, texts: dict[str, str]) -> dict[str, Any]:
    return {
        "schema": DATASET_SCHEMA,
        "modalgen": version("modalgen"),
        "deciders": {
            decider.name: decider.version()
            for decider in installed((*PRIMARY, *SECONDARY, *result.extra))
            if engine_of(decider.name) not in {q.lie.engine for q in result.quarantined}
        },
        "quarantined": [
            {
                "engine": q.lie.engine,
                "version": q.lie.verdict.version,
                "pair_id": q.pair_id,
                "problem": to_nxf(q.lie.problem),
                "detail": q.words,
            }
            for q in result.quarantined
        ],
        "sets": [
            {"id": s.id, "file": s.file_name, "sha256": sha256(s.text), "source": s.text} for s in result.sets
        ],
        "specs": [
            {
                "id": source.contrast.id,
                "title": source.contrast.title,
                "file": source.file_name,
                "sha256": sha256(source.text),
                "source": source.text,
                "seed": source.contrast.select.seed,
                "wanted": {task: getattr(source.contrast.select, task) for task in TASKS},
            }
            for source in result.sources
        ],
        "pairs": [
            {"spec": spec, "task": task, "resolution": resolution, "count": count}
            for (spec, task, resolution), count in sorted(summarize(result.pairs).items())
        ],
        "rejected": dict(sorted(Counter(str(r.reason) for _, r in result.rejections).items())),
        "shortfalls": [vars(shortfall) for shortfall in result.shortfalls],
        "files": {name: {"sha256": sha256(text), "lines": text.count("\n")} for name, text in texts.items()},
    }


def _replaceable(directory: Path) -> bool:
    entries = {entry.name for entry in directory.iterdir()}
    return not entries or MANIFEST in entries


def _adjusted(source: Source, seed: int | None, limit: int | None) -> Source:
    """The source with the seed and the quotas that the caller asked for; a limit is shared evenly."""
    select = source.contrast.select
    if seed is not None:
        select = replace(select, seed=seed)
    if limit is not None:
        inference = min(select.inference, max(limit // 2, limit - select.validity))
        inference -= inference % 2 if select.balanced else 0  # pairs come in couples
        validity = min(select.validity, limit - inference)
        validity -= validity % 2 if select.balanced else 0
        if not validity + inference:
            raise BuildError(f"pairs of {source.contrast.id} come in twos; make the limit at least 2")
        select = replace(select, inference=inference, validity=validity)
    return replace(source, contrast=replace(source.contrast, select=select))


def _sifted(contrast: Contrast, task: str) -> Iterator[Candidate | Rejection]:
    """The candidates of a task, with those that are turned down before they are examined."""
    for item in sifted(contrast, task):
        if not isinstance(item, TurnedDown):
            yield item
            continue
        detail = item.detail
        if item.repeats is not None:
            detail += f" {identifier(contrast.id, item.repeats.premises, item.repeats.conjecture)}"
        yield Rejection(item.candidate, item.reason, detail)


def _in_couples(examinations: Iterator[Examination]) -> Iterator[Examination]:
    """Examinations of a balanced selection, whose candidates come in couples: both are pairs or none.

    What was turned down unexamined has no evidence and no partner.
    """
    first: Examination | None = None
    for examination in examinations:
        if not examination.evidence:
            yield examination
        elif first is None:
            first = examination
        else:
            yield from (_with_partner(first, examination), _with_partner(examination, first))
            first = None


def _with_partner(examination: Examination, partner: Examination) -> Examination:
    """The examination, with a rejection for its pair if the partner is none."""
    outcome = examination.outcome
    if isinstance(outcome, Rejection) or isinstance(partner.outcome, Pair):
        return examination
    candidate = Candidate(outcome.template, outcome.task, outcome.premises, outcome.conjecture)
    detail = f"its partner {partner.evidence[0]['pair_id']} of the other direction is no pair"
    return replace(examination, outcome=Rejection(candidate, Reason.WITHOUT_PARTNER, detail))


class _Workers:
    """Threads that examine candidates, each with an oracle of its own."""

    def __init__(self, jobs: int, oracle: Callable[[], Oracle]) -> None:
        self._jobs = jobs
        self._oracle = oracle
        self._local = threading.local()
        self._oracles = ExitStack()
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(jobs, thread_name_prefix="oracle")

    def __enter__(self) -> _Workers:
        return self

    def __exit__(self, *exception: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._oracles.close()

    def examine_all(
        self, contrast: Contrast, stream: Iterator[Candidate | Rejection]
    ) -> Iterator[Examination]:
        """Examine the stream's candidates a few ahead of the reader; yield in the stream's order."""
        pending: deque[Future[Examination] | Examination] = deque()
        try:
            while True:
                for item in islice(stream, 4 * self._jobs - len(pending)):
                    if isinstance(item, Rejection):
                        pending.append(Examination(item, ()))
                    else:
                        pending.append(self._pool.submit(self._examine, contrast, item))
                if not pending:
                    return
                head = pending.popleft()
                yield head if isinstance(head, Examination) else head.result()
        finally:
            for ahead in pending:
                if isinstance(ahead, Future):
                    ahead.cancel()

    def _examine(self, contrast: Contrast, candidate: Candidate) -> Examination:
        oracle: Oracle | None = getattr(self._local, "oracle", None)
        if oracle is None:
            with self._lock:
                oracle = self._oracles.enter_context(self._oracle())
            self._local.oracle = oracle
        return examine(oracle, contrast, candidate)
