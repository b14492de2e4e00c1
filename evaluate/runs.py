"""A run directory: the record of what was asked and what came back.

    run.json                   what the run is: dataset, models, all settings, versions; never changed
    responses/SHARD.jsonl      one line for each response, a file for each model and condition
    run.lock                   held by the one process that writes, as is the directory itself
    batches.json               while requests that were written out for batches may be under way

The lines are the truth, and they are only ever appended. Each is written whole with one call before
anything else is asked, so a process that is killed loses the requests in flight and no others; a last
line that was torn all the same (a full disk, a lost machine) is cut off before the next is appended.
An item (a side of a pair, asked one way) is settled by a line with a response or with an HTTP error
that is final; after a failure of transport, unless it is settled all the same, it is asked again.
Every line carries the hash of its request, so an answer is never taken for an answer to something else.
"""

from __future__ import annotations

import errno
import json
import os
import platform
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

from modalgen.evaluate.answers import Outcome
from modalgen.evaluate.differences import differences
from modalgen.evaluate.locking import LOCK, LockedError, locked
from modalgen.files import json_line, replace_file, sha256, write_durably

RUN_SCHEMA = "modalgen/run/1"
RESPONSE_SCHEMA = "modalgen/response/1"
RUN, RESPONSES, BATCHES = "run.json", "responses", "batches.json"
FRESH = f"{RUN}.new"
SYNC_SECONDS = 1.0
"""How often appended lines are forced to the disk; against a killed process none of it is needed."""


MOST_DOLLARS = 1e9
"""No response costs as much; sums of less are numbers."""


def recorded_cost(record: Mapping[str, Any]) -> float | None:
    """The dollars for a response as its line has them, None if they are not known there."""
    cost: float | None = record["cost"]
    return cost


class RunError(Exception):
    """A run directory that cannot be used or continued; the message says why."""


@dataclass(frozen=True)
class Shard:
    """The responses of one model under one condition."""

    model: str
    condition: str

    @property
    def name(self) -> str:
        """A file name that tells a reader what is in it and that no other shard has."""
        words = "--".join(
            re.sub(r"[^A-Za-z0-9._]+", "-", part).strip("-.") for part in (self.model, self.condition)
        )
        return f"{words[:80]}-{sha256(json_line([self.model, self.condition]))[:8]}"


@dataclass(slots=True)
class _Item:
    """What the lines say of an item so far."""

    request_sha256: str
    settled: bool


class RunWriter:
    """The one writer of a run directory. Get it from `open_run`."""

    def __init__(
        self, directory: Path, streams: ExitStack, price: Callable[[Mapping[str, Any]], float | None]
    ) -> None:
        self._directory = directory
        self._price = price
        self._streams = streams
        self._files: dict[str, IO[bytes]] = {}
        self._items: dict[tuple[str, str], _Item] = {}
        self._answered: set[str] = set()
        self._synced = 0.0
        self.spent = 0.0
        """Dollars, summed over the lines whose cost is known."""
        self.dearest = 0.0
        """Dollars for the dearest line."""
        self.unpriced = 0
        """The number of responses whose cost is not known."""
        for path in _shards(directory):
            _cut_torn_line(path)
            for record in _that_may_count(path):
                try:
                    self._count(path.stem, record)
                except (KeyError, TypeError) as error:
                    raise RunError(f"{path}: {record['item']} is no response: {error}") from None

    def is_settled(self, shard: Shard, item: str, request_sha256: str) -> bool:
        """Whether the item needs no request any more.

        Raises RunError if its line belongs to another request than this one.
        """
        known = self._items.get((shard.name, item))
        if known is None:
            return False
        check_request(self._directory, item, known.request_sha256, request_sha256)
        return known.settled

    @property
    def settled(self) -> int:
        """The number of items that need no request any more."""
        return sum(item.settled for item in self._items.values())

    def is_answered(self, shard: Shard) -> bool:
        """Whether the shard holds a response, so that its requests are known to be acceptable."""
        return shard.name in self._answered

    def append(self, shard: Shard, record: Mapping[str, Any]) -> None:
        """Append a line and hand it to the operating system. Raises OSError, RunError if the item is
        settled already."""
        known = self._items.get((shard.name, record["item"]))
        if known is not None and known.settled:
            raise RunError(f"{record['item']} has been answered already")
        if shard.name not in self._files:
            path = self._directory / RESPONSES / f"{shard.name}.jsonl"
            self._files[shard.name] = self._streams.enter_context(path.open("ab", buffering=0))
        # A lone surrogate, which JSON can hold and UTF-8 cannot, is written as the escape that JSON has.
        line = (json_line(record) + "\n").encode("utf-8", "backslashreplace")
        stream = self._files[shard.name]
        before = os.fstat(stream.fileno()).st_size
        if stream.write(line) != len(line):  # the disk is full
            os.ftruncate(stream.fileno(), before)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), stream.name)
        self._count(shard.name, record)
        if time.monotonic() - self._synced > SYNC_SECONDS:
            self.sync()

    def sync(self) -> None:
        """Wait until all lines are on the disk."""
        for stream in self._files.values():
            os.fsync(stream.fileno())
        self._synced = time.monotonic()

    def export(self, path: Path) -> None:
        """Note that requests are written out for batches. Raises RunError if others may be under way."""
        self.refuse_exported()
        replace_file(self._mark, json_line({"file": os.fspath(path), "written": _now()}) + "\n")

    def refuse_exported(self) -> None:
        """Raise RunError if requests that were written out for batches may be under way."""
        if self._mark.exists():
            raise RunError(
                f"{self._mark} says that requests of this run were written out for batches. To send them too "
                "would be to pay twice: take in the results with --batch-in or, if those batches were never "
                "started or are given up, delete that file"
            )

    def end_export(self) -> None:
        """Note that no batches are under way any more."""
        self._mark.unlink(missing_ok=True)

    @property
    def _mark(self) -> Path:
        return self._directory / BATCHES

    def _count(self, shard: str, record: Mapping[str, Any]) -> None:
        settled = is_settled(record)
        self._items[shard, record["item"]] = _Item(record["request_sha256"], settled)
        if not settled or record["reported"] == Outcome.HTTP_ERROR:
            return
        self._answered.add(shard)
        cost = self._price(record)
        self.unpriced += cost is None
        self.spent += cost or 0.0
        self.dearest = max(self.dearest, cost or 0.0)


@contextmanager
def open_run(
    directory: Path,
    settings: Mapping[str, Any],
    dataset: Path,
    price: Callable[[Mapping[str, Any]], float | None] = recorded_cost,
) -> Iterator[RunWriter]:
    """Begin a run, or go on with it, as its only writer. Where the *dataset* lies is written down for
    the reader; what it is must be in the *settings*. *price* says what a response cost.

    Raises RunError if another process writes it, if it was begun with other settings (the message
    names the differences), if the directory holds something else, or if its lines are damaged.
    """
    _refuse_what_is_no_run(directory)
    (directory / RESPONSES).mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(directory))
        except LockedError as error:
            raise RunError(f"{directory} is being written by another process ({error})") from None
        _pin(directory, settings, dataset)
        writer = RunWriter(directory, stack, price)
        try:
            yield writer
        finally:
            writer.sync()


def check_run(directory: Path, settings: Mapping[str, Any]) -> Mapping[str, str]:
    """See without writing whether a run can be begun or continued. What needs no request any more, as
    SHARD/ITEM with the hash of the request.

    Raises RunError as `open_run` does.
    """
    _refuse_what_is_no_run(directory)
    if not (directory / RUN).exists():
        return {}
    _is_pinned(directory, json.loads(json_line(settings)))
    return {
        f"{path.stem}/{record['item']}": record["request_sha256"]
        for path in _shards(directory)
        for record in _that_may_count(path)
        if is_settled(record)
    }


def check_request(directory: Path, item: str, was: str, now: str) -> None:
    """Raise RunError if an item was asked with another request."""
    if was != now:
        raise RunError(
            f"{directory}: {item} was asked with another request than this version of modalgen "
            "makes of the same settings; go on with the version that run.json names, or start a new run"
        )


def read_run(directory: Path) -> dict[str, Any]:
    """What `run.json` says. Raises RunError if it is missing or not that of a run."""
    path = directory / RUN
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RunError(f"{directory} is not a run directory: it has no {RUN}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise RunError(f"{path}: cannot be read: {error}") from None
    if (
        not isinstance(run, dict)
        or run.get("schema") != RUN_SCHEMA
        or not isinstance(run.get("settings"), dict)
    ):
        raise RunError(f"{path}: not a description of a run ({RUN_SCHEMA})")
    return run


def read_responses(directory: Path) -> Iterator[dict[str, Any]]:
    """The line that counts for each item that was asked: the last one, but no failure of transport if
    the item is settled. Shards come in the order of their names, lines in that of the file.

    May be called while the run goes on. Raises RunError, naming file and line.
    """
    for path in _shards(directory):
        last = {record["item"]: number for number, record in enumerate(_that_may_count(path))}
        for number, record in enumerate(_that_may_count(path)):
            if last.get(record["item"]) == number:
                yield record


def read_every_response(directory: Path) -> Iterator[dict[str, Any]]:
    """The same and in the same order, with the lines that a later line of their item supersedes: for a
    reader who lets the later one replace the earlier, at half the cost.

    May be called while the run goes on. Raises RunError, naming file and line.
    """
    for path in _shards(directory):
        yield from _that_may_count(path)


def is_settled(record: Mapping[str, Any]) -> bool:
    """Whether the line's item needs no request any more."""
    return bool(record["reported"] != Outcome.TRANSPORT_ERROR)


def _shards(directory: Path) -> list[Path]:
    return sorted((directory / RESPONSES).glob("*.jsonl"))


def _that_may_count(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a shard without failures of transport after which nothing was left to ask, as
    they come about where shards are put together."""
    settled: set[str] = set()
    for record in _read_shard(path):
        if is_settled(record):
            settled.add(record["item"])
        elif record["item"] in settled:
            continue
        yield record


def _refuse_what_is_no_run(directory: Path) -> None:
    """Raise RunError unless the directory is a run, is free for one, or was left by a start that was
    killed."""
    if directory.exists() and not directory.is_dir():
        raise RunError(f"{directory} is not a directory")
    present = {entry.name for entry in directory.iterdir()} if directory.exists() else set()
    if RUN in present:
        return
    responses = directory / RESPONSES
    if responses.is_dir() and not any(responses.iterdir()):
        present.discard(RESPONSES)
    if present - {LOCK, FRESH}:
        raise RunError(f"{directory} exists and is not a run; choose another place with -o")


def _is_pinned(directory: Path, wanted: Mapping[str, Any]) -> bool:
    """Whether run.json says what is wanted. If not, it may be replaced as long as nothing was asked.
    Raises RunError if it cannot be read, or says something else that was asked."""
    changes = differences(read_run(directory)["settings"], wanted)
    asked = (directory / BATCHES).exists() or any(path.stat().st_size for path in _shards(directory))
    if changes and asked:
        shown = "; ".join(changes[:5]) + ("; …" if len(changes) > 5 else "")
        raise RunError(f"{directory} is a run with other settings: {shown}. Choose another place with -o")
    return not changes


def _pin(directory: Path, settings: Mapping[str, Any], dataset: Path) -> None:
    """Write down what the run is, or see that it is the same."""
    wanted = json.loads(json_line(settings))
    if (directory / RUN).exists() and _is_pinned(directory, wanted):
        return
    run = {
        "schema": RUN_SCHEMA,
        "begun": _now(),
        "versions": {
            "modalgen": version("modalgen"),
            "python": platform.python_version(),
            "httpx": version("httpx"),
        },
        "dataset": _way(directory, dataset),
        "settings": wanted,
    }
    fresh = directory / FRESH
    fresh.unlink(missing_ok=True)
    write_durably(fresh, json.dumps(run, ensure_ascii=False, indent=2, sort_keys=True) + "\n")
    fresh.replace(directory / RUN)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _way(directory: Path, dataset: Path) -> str:
    """The way from the run directory to the dataset, so that both can be moved together."""
    try:
        return Path(os.path.relpath(dataset.resolve(), directory.resolve())).as_posix()
    except ValueError:  # on another drive of Windows
        return dataset.resolve().as_posix()


def _cut_torn_line(path: Path) -> None:
    """Remove what follows the last line end."""
    with path.open("r+b") as stream:
        end = stream.seek(0, os.SEEK_END)
        while end > 0:
            start = max(0, end - 65_536)
            stream.seek(start)
            found = stream.read(end - start).rfind(b"\n")
            if found >= 0:
                end = start + found + 1
                break
            end = start
        stream.truncate(end)


def _read_shard(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a shard, without a torn last line."""
    with path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            if not line.endswith(b"\n"):
                return
            try:
                record = json.loads(line)
                if record["schema"] != RESPONSE_SCHEMA:
                    raise ValueError(f"its schema is {record['schema']!r}, not {RESPONSE_SCHEMA!r}")
                if record["reported"] is not None:
                    Outcome(record["reported"])
                if not isinstance(record["item"], str) or not isinstance(record["request_sha256"], str):
                    raise TypeError("item and request_sha256 should be texts")
                cost = record["cost"]
                if cost is not None and (type(cost) not in (int, float) or not 0 <= cost < MOST_DOLLARS):
                    raise ValueError("its cost is no amount of money")
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                raise RunError(f"{path}:{number}: not a record of a response: {error}") from None
            yield record
