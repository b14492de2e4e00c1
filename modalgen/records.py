"""The records of a dataset: pairs, evidence, rejected candidates; and how they are read back.

A dataset directory holds `pairs.jsonl`, `evidence.jsonl`, `rejected.jsonl` and `manifest.json`,
UTF-8, one object a line, keys sorted. The formats are described in docs/formats.md.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from modalgen.files import UNREADABLE, json_line, opened, sha256
from modalgen.formula import Formula, modal_depth, quantifier_depth, size
from modalgen.kripke import KripkeModel, model_from_record, model_to_record
from modalgen.printing import to_unicode
from modalgen.problem import Problem
from modalgen.semantics import Semantics
from modalgen.syntax import parse

PAIR_SCHEMA = "modalgen/pair/1"
EVIDENCE_SCHEMA = "modalgen/evidence/1"
REJECTED_SCHEMA = "modalgen/rejected/1"
DATASET_SCHEMA = "modalgen/dataset/1"

PAIRS, EVIDENCE, REJECTED, MANIFEST = "pairs.jsonl", "evidence.jsonl", "rejected.jsonl", "manifest.json"

# What a repetition of the same run may change. The hash that identifies a piece of evidence leaves
# these out, so that a dataset built twice refers to the same evidence; `stdout` has a hash of its
# own, and the manifest's hash of the whole file covers them all.
MEASUREMENTS = frozenset({"seconds", "stdout", "stdout_sha256"})

# A run that decides nothing may end by its limit of steps on one machine and of time on a slower one.
WAYS_TO_END = frozenset({"status", "exit_code", "note"})

SIDES = ("a", "b")


class DatasetError(Exception):
    """A dataset that cannot be read or does not say what it should; the message says where."""


@dataclass(frozen=True)
class Side:
    """One side of a pair. `deciders` are the decisive findings, `evidence` the hashes of all runs.

    `countermodel` is set on invalid sides where one was found, `certificate` on valid sides.
    """

    semantics: Semantics
    label: bool
    status: str
    resolution: str
    authority: str
    deciders: Mapping[str, str]
    evidence: tuple[str, ...]
    countermodel: KripkeModel | None
    certificate: Mapping[str, Any] | None


@dataclass(frozen=True)
class Pair:
    """A contrast pair: one problem, two semantics, opposite labels.

    `ablation` are the labels of both sides without the premises, empty on the validity task and
    None where a side was not resolved. `profile` are the problem's labels in all systems of the modal
    cube or under all domain regimes, by name, None where unresolved; `profile_evidence` the hashes of
    the runs that it rests on, beside the sides' own. See docs/formats.md for the other fields.
    """

    pair_id: str
    spec: str
    template: str
    axis: str
    task: str
    premises: tuple[Formula, ...]
    conjecture: Formula
    sides: Mapping[str, Side]
    premise_status: str
    ablation: Mapping[str, bool | None]
    profile: Mapping[str, bool | None]
    profile_evidence: tuple[str, ...]

    @cached_property
    def family(self) -> str:
        """The modal schema: the problem without its boolean content, up to renaming and duality."""
        # Not at the top: normal forms need SymPy, which takes half a second to load.
        from modalgen.gen.canonical import family

        return family(self.premises, self.conjecture)

    def problem(self, side: str) -> Problem:
        """The problem as side "a" or "b" judges it."""
        return Problem(self.sides[side].semantics, self.premises, self.conjecture)


def identifier(spec: str, premises: tuple[Formula, ...], conjecture: Formula) -> str:
    """The id of a candidate and of the pair it may become: the spec's id and a hash of the text."""
    text = json_line([spec, [to_unicode(p) for p in premises], to_unicode(conjecture)])
    return f"{spec}-{sha256(text)[:12]}"


def difficulty(pair: Pair) -> dict[str, int | None]:
    """Simple measures of how hard a pair may be: depths (maximum), size (sum), symbols (number)."""
    formulas = (*pair.premises, pair.conjecture)
    worlds = [side.countermodel.worlds for side in pair.sides.values() if side.countermodel]
    return {
        "modal_depth": max(map(modal_depth, formulas)),
        "quantifier_depth": max(map(quantifier_depth, formulas)),
        "size": sum(map(size, formulas)),
        "symbols": len(pair.problem("a").signature),
        "countermodel_worlds": min(worlds, default=None),
    }


def summarize(pairs: Iterable[Pair]) -> Counter[tuple[str, str, str]]:
    """How many pairs there are by spec, task and the weaker of the two sides' resolutions."""
    return Counter(
        (
            pair.spec,
            pair.task,
            "dual" if all(side.resolution == "dual" for side in pair.sides.values()) else "single",
        )
        for pair in pairs
    )


def semantics_to_record(semantics: Semantics) -> dict[str, Any]:
    """A semantics as datasets hold it."""
    return {"frame": list(semantics.frame), "domain": semantics.domain}


def pair_to_record(pair: Pair) -> dict[str, Any]:
    """A pair as a line of `pairs.jsonl` holds it."""
    return {
        "schema": PAIR_SCHEMA,
        "pair_id": pair.pair_id,
        "spec": pair.spec,
        "template": pair.template,
        "family": pair.family,
        "axis": pair.axis,
        "task": pair.task,
        "premises": [to_unicode(premise) for premise in pair.premises],
        "conjecture": to_unicode(pair.conjecture),
        "sides": {name: _side_to_record(side) for name, side in pair.sides.items()},
        "premise_status": pair.premise_status,
        "ablation": dict(pair.ablation),
        "profile": dict(pair.profile),
        "profile_evidence": list(pair.profile_evidence),
        "difficulty": difficulty(pair),
    }


def _side_to_record(side: Side) -> dict[str, Any]:
    record: dict[str, Any] = {
        "semantics": semantics_to_record(side.semantics),
        "label": side.label,
        "status": side.status,
        "resolution": side.resolution,
        "authority": side.authority,
        "deciders": dict(side.deciders),
        "evidence": list(side.evidence),
    }
    if side.countermodel is not None:
        record["countermodel"] = model_to_record(side.countermodel)
    if side.certificate is not None:
        record["certificate"] = dict(side.certificate)
    return record


def pair_from_record(record: Mapping[str, Any]) -> Pair:
    """The pair that a line of `pairs.jsonl` describes. Raises ValueError if it does not."""
    try:
        if record["schema"] != PAIR_SCHEMA:
            raise ValueError(f"its schema is {record['schema']!r}, not {PAIR_SCHEMA!r}")
        for name in ("pair_id", "spec", "template", "family", "axis", "task", "premise_status"):
            if not isinstance(record[name], str):
                raise ValueError(f"its {name} is not text")
        if not isinstance(record["premises"], list):
            raise ValueError("its premises are not a list")
        for name in ("ablation", "profile"):
            if not isinstance(record[name], dict):
                raise ValueError(f"its {name} is not an object")
            if not all(label is None or isinstance(label, bool) for label in record[name].values()):
                raise ValueError(f"its {name} has a label that is none of true, false and null")
        sides = {name: _side_from_record(record["sides"][name]) for name in SIDES}
        pair = Pair(
            pair_id=record["pair_id"],
            spec=record["spec"],
            template=record["template"],
            axis=record["axis"],
            task=record["task"],
            premises=tuple(parse(text) for text in record["premises"]),
            conjecture=parse(record["conjecture"]),
            sides=sides,
            premise_status=record["premise_status"],
            ablation=record["ablation"],
            profile=record["profile"],
            profile_evidence=tuple(record["profile_evidence"]),
        )
        for name in SIDES:
            pair.problem(name)  # raises ValueError if there is no such problem: a formula is open, …
        return pair
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"a field is missing or has another type: {error}") from error


def _side_from_record(record: Mapping[str, Any]) -> Side:
    semantics = record["semantics"]
    model = record.get("countermodel")
    if not isinstance(record["label"], bool):
        raise ValueError("a label is neither true nor false")
    if not isinstance(record["deciders"], dict):
        raise ValueError("deciders are not an object")
    for text in (record["status"], record["resolution"], record["authority"], *record["deciders"].values()):
        if not isinstance(text, str):
            raise ValueError(f"{text!r} is a status, a resolution, an authority or a finding, and not text")
    return Side(
        semantics=Semantics(tuple(semantics["frame"]), semantics["domain"]),
        label=record["label"],
        status=record["status"],
        resolution=record["resolution"],
        authority=record["authority"],
        deciders=record["deciders"],
        evidence=tuple(record["evidence"]),
        countermodel=None if model is None else model_from_record(model),
        certificate=record.get("certificate"),
    )


def evidence_hash(record: Mapping[str, Any]) -> str:
    """The hash that identifies a line of `evidence.jsonl`: of all but itself and the measurements, and
    of a run that decided nothing not how it ended."""
    left_out = MEASUREMENTS | {"sha256"} | (frozenset() if record.get("decisive") else WAYS_TO_END)
    return sha256(json_line({k: v for k, v in record.items() if k not in left_out}))


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON-lines file with their line numbers.

    Raises DatasetError, naming file and line, if the file is missing or a line is not an object.
    """
    try:
        with io.TextIOWrapper(opened(path), encoding="utf-8") as stream:
            for number, line in enumerate(stream, start=1):
                try:
                    record = json.loads(line)
                except (ValueError, RecursionError) as error:
                    raise DatasetError(f"{path}:{number}: not JSON: {error}") from error
                if not isinstance(record, dict):
                    raise DatasetError(f"{path}:{number}: not a JSON object")
                yield number, record
    except FileNotFoundError as error:
        raise DatasetError(f"{path}: no such file; is {path.parent} a dataset directory?") from error
    except (*UNREADABLE, UnicodeDecodeError) as error:
        raise DatasetError(f"{path}: cannot be read: {error}") from error


def read_pairs(directory: Path) -> list[Pair]:
    """All pairs of a dataset directory. Raises DatasetError, naming file and line."""
    pairs = []
    for number, record in read_lines(directory / PAIRS):
        try:
            pairs.append(pair_from_record(record))
        except ValueError as error:
            raise DatasetError(f"{directory / PAIRS}:{number}: not a pair: {error}") from error
    return pairs


def read_manifest(directory: Path) -> dict[str, Any]:
    """The manifest of a dataset directory. Raises DatasetError if it has none that can be read."""
    path = directory / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise DatasetError(f"{directory} is not a dataset directory: it has no {MANIFEST}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise DatasetError(f"{path}: cannot be read: {error}") from error
    if not isinstance(manifest, dict) or manifest.get("schema") != DATASET_SCHEMA:
        raise DatasetError(f"{path}: not a manifest of a dataset ({DATASET_SCHEMA})")
    return manifest
