"""A guard for deciders whose solver is a native library: it runs them in a child process.

Such a library may crash, hang inside a call that no Python exception can interrupt, or eat the
memory; none of this may take a build down. A `Guard` owns one child, which lives as long as it
behaves, so that a call costs one message there and one back. The child is killed with its whole
process group when it does not answer in time, and a new one is started for the next call.

- The child is `python -c …` and not a fork or `multiprocessing` process: nothing of the caller's state
  (threads, locks, a `__main__` without guard) gets into it. It reads requests from a socket pair that
  only its parent holds; nothing else is ever unpickled on either side.
- The child leads its own session, so Ctrl-C in a terminal reaches the parent alone. It ends when
  the parent's end of the socket closes, however the parent ended; if it is busy then, an alarm
  ends it.
- A failure in a child that has served before is tried once more in a new one: what the library
  kept from earlier problems then has no influence on the verdict.

Works on POSIX systems. macOS does not enforce a limit on the address space; there, time alone
stops a decider that eats memory.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any

from modalgen.oracle.verdict import Decider, DeciderMissing, Limits, SzsStatus, Verdict
from modalgen.problem import Problem

# How much longer than its wall-clock limit a decider may take to end by itself.
GRACE_SECONDS = 2.0
# When the child's own alarm rings, after the parent would have killed it; it matters to orphans.
ORPHAN_SECONDS = 5.0
# A bare interpreter starts in a tenth of a second; a machine may be slow, but not this slow.
START_SECONDS = 60.0
# How much of what a dying child printed goes into the verdict.
_PRINTED = 4000

_READY = b"ready"
_BOOT = """
import sys
from multiprocessing.connection import Connection
connection = Connection(int(sys.argv[1]))
sys.path[:] = connection.recv()
from modalgen.oracle.guard import serve
serve(connection)
"""


class GuardError(RuntimeError):
    """The child process cannot be started; the message says what it printed."""


@dataclass(frozen=True)
class _Failure:
    """A run without a verdict of its own: what happened, in words and as an SZS status."""

    status: SzsStatus
    note: str
    exit_code: int | None = None
    stdout: str = ""


class Guard:
    """Runs deciders in a child process of its own: `with Guard() as guard: guard.decide(…)`.

    Each thread should own one; calls to a shared one wait for each other.
    """

    def __init__(self) -> None:
        self._child: _Child | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Guard:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the child. The guard can be used again; it then starts another."""
        with self._lock:
            self._discard()

    def decide(self, decider: Decider, problem: Problem, limits: Limits) -> Verdict:
        """What `decider.decide(problem, limits)` returns, or a verdict that says how it failed.

        Timeout if it does not return within the wall-clock limit and a grace, ResourceOut if it runs
        out of memory, Error if the process crashes, an exception is raised, or the decider or its
        result cannot be pickled. `limits.memory_mb` bounds the address space of the whole child, the
        solver's libraries included. Raises DeciderMissing as the decider does, and GuardError if no
        child can be started.
        """
        started = time.perf_counter()
        try:
            request = pickle.dumps((decider, problem, limits), pickle.HIGHEST_PROTOCOL)
        except Exception as error:
            outcome: Verdict | _Failure = _Failure(
                SzsStatus.ERROR, f"the decider or the problem cannot be pickled: {_words(error)}"
            )
        else:
            with self._lock:
                served_before = self._child is not None
                outcome = self._run(request, limits)
                if served_before and self._child is None and outcome.status is not SzsStatus.TIMEOUT:
                    outcome = self._run(request, limits)
        if isinstance(outcome, Verdict):
            return outcome
        return Verdict(
            decider=decider.name,
            route=decider.route,
            version=_version(decider),
            translation="",
            command=(),
            status=outcome.status,
            seconds=time.perf_counter() - started,
            exit_code=outcome.exit_code,
            stdout=outcome.stdout,
            note=outcome.note,
        )

    def _run(self, request: bytes, limits: Limits) -> Verdict | _Failure:
        """One exchange with the child. It is discarded unless it is sure to be in order."""
        if self._child is None:
            self._child = _Child()
        in_order = False
        try:
            reply = self._child.exchange(request, limits.wall_seconds + GRACE_SECONDS)
            if isinstance(reply, DeciderMissing):
                in_order = True
                raise reply
            out_of_memory = isinstance(reply, _Failure) and reply.status is SzsStatus.RESOURCE_OUT
            in_order = self._child.alive and not out_of_memory
            return reply
        finally:
            # After an interrupt, too: a late answer would be taken for that to the next problem.
            if not in_order:
                self._discard()

    def _discard(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child = None


class _Child:
    """A child process and the socket to it."""

    def __init__(self) -> None:
        self._connection, theirs = Pipe()
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 (closed in `kill`)
        try:
            with theirs:
                self._process = subprocess.Popen(
                    (sys.executable, "-P", "-c", _BOOT, str(theirs.fileno())),
                    pass_fds=(theirs.fileno(),),
                    stdin=subprocess.DEVNULL,
                    stdout=self._output,
                    stderr=self._output,
                    start_new_session=True,
                )
        except OSError as error:
            self._connection.close()
            self._output.close()
            raise GuardError(f"the solvers' process cannot be started: {error}") from error
        self.alive = True
        try:
            ready = self._start()
        except BaseException:
            self.kill()
            raise
        if not ready:
            code, printed = self._bury()
            raise GuardError(f"the solvers' process ends at once (exit code {code}): {printed.strip()}")

    def _start(self) -> bool:
        with contextlib.suppress(EOFError, OSError):
            self._connection.send(sys.path)
            return self._connection.poll(START_SECONDS) and self._connection.recv_bytes() == _READY
        return False

    def exchange(self, request: bytes, seconds: float) -> Verdict | _Failure | DeciderMissing:
        """The child's reply; a failure if it dies or takes longer, and then it is dead."""
        # The file has one offset, shared with the child: this rewinds both.
        self._output.seek(0)
        self._output.truncate()
        try:
            self._connection.send_bytes(request)
            if self._connection.poll(seconds):
                reply: Verdict | _Failure | DeciderMissing = pickle.loads(self._connection.recv_bytes())
                return reply
        except (EOFError, OSError):
            return self._crash()
        code, printed = self._bury()
        note = f"killed: no answer within the wall-clock limit and {GRACE_SECONDS:g} seconds"
        return _Failure(SzsStatus.TIMEOUT, note, code, printed)

    def _crash(self) -> _Failure:
        # The socket closes a moment before the process ends; do not kill what is already dying.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE_SECONDS)
        code, printed = self._bury()
        if code == -signal.SIGALRM:
            return _Failure(SzsStatus.TIMEOUT, "ended by its alarm", code, printed)
        if "bad_alloc" in printed or "out of memory" in printed or "MemoryError" in printed:
            return _Failure(SzsStatus.RESOURCE_OUT, "out of memory, crashed", code, printed)
        how = f"killed by {_signal_name(-code)}" if code < 0 else f"exit code {code}"
        return _Failure(SzsStatus.ERROR, f"the decider's process crashed ({how})", code, printed)

    def _bury(self) -> tuple[int, str]:
        """Kill the child; its exit code and what it printed last."""
        self._kill_group()
        code = self._process.wait()
        self._output.seek(max(0, self._output.seek(0, os.SEEK_END) - _PRINTED))
        printed = self._output.read().decode(errors="replace")
        self.kill()
        return code, printed

    def _kill_group(self) -> None:
        if self.alive:
            self.alive = False
            # macOS answers PermissionError for a group in which all are dead.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def kill(self) -> None:
        """End the process group and close the socket. Does nothing to a dead child."""
        self._kill_group()
        self._process.wait()
        self._connection.close()
        self._output.close()


def serve(connection: Connection) -> None:
    """What the child does: answer requests until the parent closes its end. Never returns."""
    os.set_inheritable(connection.fileno(), False)
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    # The parent may have blocked the alarm, or ignored it, and both are inherited.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
    with contextlib.suppress(EOFError, OSError):
        connection.send_bytes(_READY)
        while True:
            connection.send_bytes(_reply(connection.recv_bytes()))
    # Without the clean-up at the interpreter's exit, where a native library may yet crash.
    os._exit(0)


def _reply(request: bytes) -> bytes:
    try:
        decider, problem, limits = pickle.loads(request)
        with _confined(limits):
            result: Any = decider.decide(problem, limits)
        if not isinstance(result, Verdict):
            result = _Failure(
                SzsStatus.ERROR, f"the decider returned no verdict but a {type(result).__name__}"
            )
        return pickle.dumps(result, pickle.HIGHEST_PROTOCOL)
    except DeciderMissing as error:
        result = DeciderMissing(str(error))
    except MemoryError:
        result = _Failure(SzsStatus.RESOURCE_OUT, "out of memory")
    except Exception as error:
        result = _Failure(SzsStatus.ERROR, _words(error))
    return pickle.dumps(result, pickle.HIGHEST_PROTOCOL)


@contextlib.contextmanager
def _confined(limits: Limits) -> Iterator[None]:
    """Bound the address space, and set the alarm that ends an orphan."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    bounds = [limits.memory_mb << 20, *(bound for bound in (soft, hard) if bound != resource.RLIM_INFINITY)]
    with contextlib.suppress(ValueError, OSError):  # macOS refuses
        resource.setrlimit(resource.RLIMIT_AS, (min(bounds), hard))
    signal.setitimer(signal.ITIMER_REAL, limits.wall_seconds + GRACE_SECONDS + ORPHAN_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _version(decider: Decider) -> str:
    try:
        return decider.version()
    except Exception:
        return "unknown"


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
