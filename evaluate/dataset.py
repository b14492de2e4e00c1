"""Datasets as the evaluation sees them: read line by line, and refused if labels are not settled.

A label is settled if the dataset's hash is the one in its manifest, so that nobody edited it, and each
side has deciders that all say what the label says, the two sides opposite things. Nothing is decided
here, and no label is ever changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path

from modalgen.records import PAIRS, DatasetError, Pair, pair_from_record, read_lines, read_manifest

_STATUS = {True: "Theorem", False: "CounterSatisfiable"}


@dataclass(frozen=True)
class Dataset:
    """A dataset directory whose labels are settled, with the hash and the number of its pairs."""

    directory: Path
    sha256: str
    pairs: int


def open_dataset(directory: Path) -> Dataset:
    """Check a dataset before it is used.

    Raises DatasetError, naming file and line, if it cannot be read or a label is not settled.
    """
    manifest = read_manifest(directory)
    path = directory / PAIRS
    try:
        with path.open("rb") as stream:
            digest = file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror}") from error
    files = manifest.get("files")
    listed = files.get(PAIRS) if isinstance(files, dict) else None
    if not isinstance(listed, dict) or digest != listed.get("sha256"):
        raise DatasetError(f"{path}: its hash is not the one in the manifest; `modalgen verify` tells more")
    seen: set[str] = set()
    for number, pair in enumerate(read_each(directory), start=1):
        if fault := _unsettled(pair) or ("is there twice" if pair.pair_id in seen else None):
            raise DatasetError(f"{path}:{number}: {pair.pair_id} {fault}; it is not used to score anyone")
        seen.add(pair.pair_id)
    if not seen:
        raise DatasetError(f"{path}: there are no pairs")
    return Dataset(directory, digest, len(seen))


def read_each(directory: Path) -> Iterator[Pair]:
    """The pairs of a dataset directory, one at a time. Raises DatasetError, naming file and line."""
    for number, record in read_lines(directory / PAIRS):
        try:
            yield pair_from_record(record)
        except ValueError as error:
            raise DatasetError(f"{directory / PAIRS}:{number}: not a pair: {error}") from error


def chosen(total: int, limit: int | None) -> Iterator[int]:
    """The places (from 0) of at most *limit* of *total* pairs, spread evenly: datasets are sorted by
    spec and task, and the first pairs would be all of one kind."""
    count = total if limit is None else min(limit, total)
    return (place * total // count for place in range(count))


def _unsettled(pair: Pair) -> str | None:
    """Why the labels of a pair are not settled, None if they are."""
    if pair.sides["a"].label is pair.sides["b"].label:
        return "has the same label on both sides"
    for name, side in pair.sides.items():
        if side.status != _STATUS[side.label]:
            return f"has a label on side {name} that its status contradicts"
        if not side.deciders or set(side.deciders.values()) != {side.status}:
            return f"has a label on side {name} that its deciders do not bear out"
    return None
