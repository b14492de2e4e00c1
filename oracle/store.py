"""The evidence store: runs that were made are not made again.

An SQLite file, shared by all builds, from experiments to verdicts. An experiment is everything that
determines a verdict: the problem, the decider and its version, the limits, and modalgen's own code,
which makes the translations. Its SHA-256 is the key (content addressing; Quinlan and Dorward,
"Venti: A New Approach to Archival Storage", FAST 2002). Kept is what every repetition would find
again: decisive verdicts and failures at a bound; never timeouts, exhausted memory, crashes, errors.

Nothing that is read is trusted. An entry has a hash of itself; its countermodel goes through the
reference evaluator again and its certificate through the checker; an entry that fails is dropped.
A file that SQLite cannot read is set aside and a new one begun. If the file cannot be written,
the store closes, says so once, and from then on remembers nothing; no build fails because of it.

Each verdict is a transaction of its own in a write-ahead log, which reaches the operating system
before `keep` returns but is not forced to the disk: a build that is killed loses no verdict, a power
cut may lose the last ones and nothing else (https://sqlite.org/wal.html). Such a log needs shared
memory, so builds that share a store must run on one machine.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import sqlite3
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, fields
from functools import cache, lru_cache
from importlib.resources import files
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from platformdirs import user_cache_path

from modalgen.certificate import CertificateError, check
from modalgen.files import json_line
from modalgen.kripke import model_from_record, model_to_record, objection
from modalgen.oracle.policy import engine_of
from modalgen.oracle.verdict import Limits, SzsStatus, Verdict
from modalgen.printing import to_unicode
from modalgen.problem import Problem

ENVIRONMENT_VARIABLE = "MODALGEN_STORE"

# Engines that give up at a bound of size or of counted steps, as they would again. Others divide
# their time among strategies and give up sooner on a slow machine.
_BOUNDED = frozenset({"z3", "herbrand", "cvc5", "eprover"})

# SQLite's own fields for what a file is and in which version: "mdlg", and the number of the table's form.
_APPLICATION_ID = int.from_bytes(b"mdlg", "big")
_SCHEMA = 1
_TABLE = "CREATE TABLE evidence (key BLOB PRIMARY KEY, engine TEXT, content BLOB, sha256 BLOB)"

# SQLite's result codes for a file that is not a database, or not this one (https://sqlite.org/rescode.html).
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR})
# A transaction takes less than a millisecond; who waits so long for others' is waiting for a dead one.
_BUSY_SECONDS = 20.0

_T = TypeVar("_T")


class _NotThisStore(sqlite3.DatabaseError):
    """The file is a database, but not a store of this version; the message says so."""

    sqlite_errorcode = sqlite3.SQLITE_NOTADB


def default_path() -> Path:
    """Where the store is: in `MODALGEN_STORE` if that is set, else in the user's cache directory."""
    if chosen := os.environ.get(ENVIRONMENT_VARIABLE):
        return Path(chosen).expanduser()
    return user_cache_path("modalgen", appauthor=False) / "evidence.sqlite"


class EvidenceStore:
    """The store in one file: `with EvidenceStore(path, say) as store: …`. Threads may share it.

    *say* is called with a sentence for the user when the file is damaged or cannot be used, and at
    the end if entries were dropped. Nothing here raises because of the file. `recalled` and
    `dropped` count the entries that were used and those that did not hold.
    """

    def __init__(self, path: Path, say: Callable[[str], None]) -> None:
        self.path = path
        self.recalled = 0
        self.dropped = 0
        self._say = say
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._inode = 0
        self._replaced = False
        with self._lock:
            self._guarded(self._open)

    def __enter__(self) -> EvidenceStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, and say how many entries were dropped. The store then remembers nothing."""
        with self._lock:
            self._close()
            if self.dropped:
                self._say(f"entries of the evidence store that did not hold and were dropped: {self.dropped}")
                self.dropped = 0

    def recall(self, problem: Problem, decider: str, version: str, limits: Limits) -> Verdict | None:
        """The verdict of an earlier run of the same experiment, checked; None if there is none."""
        key = experiment(problem, decider, version, limits)
        query = "SELECT engine, content, sha256 FROM evidence WHERE key = ?"
        row = self._execute(lambda connection: connection.execute(query, (key,)).fetchone())
        if row is None:
            return None
        try:
            verdict = _checked(key, *row, problem=problem)
            if (verdict.decider, verdict.version) != (decider, version):
                raise ValueError("it is another decider's")
        except (ValueError, TypeError, KeyError, CertificateError, zlib.error):
            self._execute(lambda connection: connection.execute("DELETE FROM evidence WHERE key = ?", (key,)))
            with self._lock:
                self.dropped += 1
            return None
        with self._lock:
            self.recalled += 1
        return verdict

    def keep(self, problem: Problem, limits: Limits, verdict: Verdict) -> None:
        """Remember the verdict of a run, if a repetition would find the same."""
        if not repeatable(verdict):
            return
        key = experiment(problem, verdict.decider, verdict.version, limits)
        engine = engine_of(verdict.decider).encode()
        content = zlib.compress(json.dumps(_to_record(verdict)).encode(), level=1)
        insertion = "INSERT OR IGNORE INTO evidence VALUES (?, ?, ?, ?)"
        row = (key, engine, content, _hash(key, engine, content))
        self._execute(lambda connection: connection.execute(insertion, row))

    def forget(self, engine: str) -> None:
        """Delete everything that an engine has said, in all its versions and under all its names."""
        deletion = "DELETE FROM evidence WHERE engine = ?"
        self._execute(lambda connection: connection.execute(deletion, (engine.encode(),)))

    def _execute(self, action: Callable[[sqlite3.Connection], _T]) -> _T | None:
        with self._lock:
            connection = self._connection
            return None if connection is None else self._guarded(lambda: action(connection))

    def _guarded(self, action: Callable[[], _T]) -> _T | None:
        """The action's result; None if the file fails, which is then replaced or given up."""
        try:
            return action()
        except (sqlite3.Error, UnicodeDecodeError, OSError) as error:
            reason = _reason(error)
            damaged = _primary_code(error) in _DAMAGE
        if damaged and not self._replaced:
            self._replaced = True
            self._guarded(lambda: self._replace(reason))
        else:
            self._close()
            self._say(f"going on without the evidence store {self.path}: {reason}")
        return None

    def _open(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with _only_process_at(self.path.parent):
            try:
                self._connect()
            except (sqlite3.Error, UnicodeDecodeError) as error:
                if _primary_code(error) not in _DAMAGE:
                    raise
                self._replaced = True
                self._set_aside(_reason(error))
                self._connect()

    def _replace(self, what: str) -> None:
        self._close()
        with _only_process_at(self.path.parent):
            # Another process may have replaced the file since; its new one is not to be set aside.
            if self.path.exists() and self.path.stat().st_ino == self._inode:
                self._set_aside(what)
            self._connect()

    def _connect(self) -> None:
        self._connection = _connection(self.path)
        self._inode = self.path.stat().st_ino

    def _set_aside(self, what: str) -> None:
        names = (self.path.with_name(f"{self.path.name}.damaged-{number}") for number in count(1))
        target = next(name for name in names if not name.exists())
        self.path.rename(target)
        for suffix in ("-wal", "-shm", "-journal"):  # SQLite would take them for the new file's
            companion = Path(f"{self.path}{suffix}")
            if companion.exists():
                companion.rename(f"{target}{suffix}")
        now = f"it is now {target.name}, and a new one begins"
        self._say(f"the evidence store {self.path} is damaged ({what}); {now}")

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):  # of the last checkpoint; the log will be read again
                connection.close()


def repeatable(verdict: Verdict) -> bool:
    """Whether every repetition of the run would find the same: an answer, or a failure at a bound."""
    gave_up = verdict.status is SzsStatus.GAVE_UP and engine_of(verdict.decider) in _BOUNDED
    return verdict.decisive or gave_up


def experiment(problem: Problem, decider: str, version: str, limits: Limits) -> bytes:
    """The key: the SHA-256 of everything that determines what a run finds."""
    run = json_line([decider, version, asdict(limits), _code()])
    return _hash(_problem_text(problem).encode(), run.encode())


# A problem goes through all deciders, one after the other.
@lru_cache(maxsize=256)
def _problem_text(problem: Problem) -> str:
    """The problem, exactly: its TPTP form leaves out the names of bound variables, and the domain
    regime where nothing is quantified, but translations and countermodels have them."""
    return json_line(
        [
            problem.semantics.frame,
            problem.semantics.domain,
            [to_unicode(premise) for premise in problem.global_premises],
            [to_unicode(premise) for premise in problem.premises],
            to_unicode(problem.conjecture),
            problem.global_conjecture,
        ]
    )


@cache
def _code() -> str:
    """A hash of the modules that translate problems, run provers and read their answers."""
    digest = hashlib.sha256()
    for package in ("modalgen", "modalgen.oracle"):
        for module in sorted(files(package).iterdir(), key=lambda entry: entry.name):
            if module.name.endswith(".py"):
                digest.update(f"{package}/{module.name}\0".encode() + module.read_bytes() + b"\0")
    return digest.hexdigest()


def _connection(path: Path) -> sqlite3.Connection:
    """A connection to the store in this file, which is made if there is none or an empty one."""
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.text_factory = bytes  # damaged text need not be UTF-8
        connection.execute("BEGIN IMMEDIATE")
        (objects,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (schema,) = connection.execute("PRAGMA user_version").fetchone()
        if (objects, application, schema) == (0, 0, 0):
            connection.execute(_TABLE)
            connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {_SCHEMA}")
        elif (application, schema) != (_APPLICATION_ID, _SCHEMA):
            raise _NotThisStore("it has another schema than this version of modalgen uses")
        connection.execute("COMMIT")
        connection.execute("SELECT key, engine, content, sha256 FROM evidence LIMIT 0")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _only_process_at(directory: Path) -> Iterator[None]:
    """Exclude other processes from opening and replacing stores in the directory meanwhile."""
    # The lock is on the directory: closing any descriptor of the file would drop SQLite's own locks.
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _primary_code(error: Exception) -> int | None:
    """SQLite's result code, without its refinements."""
    if isinstance(error, UnicodeDecodeError):  # a message that quotes damaged text
        return sqlite3.SQLITE_CORRUPT
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def _reason(error: Exception) -> str:
    """What went wrong, in words."""
    if isinstance(error, UnicodeDecodeError):
        return "malformed database schema"
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _hash(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).digest()


def _to_record(verdict: Verdict) -> dict[str, Any]:
    record = {field.name: getattr(verdict, field.name) for field in fields(Verdict)}
    if verdict.countermodel is not None:
        record["countermodel"] = model_to_record(verdict.countermodel)
    return record


def _checked(key: bytes, engine: bytes, content: bytes, sha256: bytes, *, problem: Problem) -> Verdict:
    """The verdict of an entry. Raises ValueError, TypeError, KeyError, CertificateError or zlib.error
    if it does not hold."""
    if sha256 != _hash(key, engine, content):
        raise ValueError("its hash is not that of its content")
    record = json.loads(zlib.decompress(content))
    model = record["countermodel"]
    changes = {
        "status": SzsStatus(record["status"]),
        "command": tuple(record["command"]),
        "countermodel": None if model is None else model_from_record(model),
    }
    verdict = Verdict(**{**record, **changes})
    if not repeatable(verdict):
        raise ValueError("it is not one that is kept")
    if verdict.countermodel is not None:
        if verdict.status is not SzsStatus.COUNTER_SATISFIABLE:
            raise ValueError("a countermodel contradicts its status")
        if reason := objection(verdict.countermodel, problem):
            raise ValueError(f"its countermodel is none: {reason}")
    if verdict.certificate is not None:
        if verdict.status is not SzsStatus.THEOREM:
            raise ValueError("a certificate contradicts its status")
        check(problem, verdict.certificate)
    return verdict
