"""Running a prover that may hang, crash, flood its output or leave children behind.

The program runs in a session of its own, so that one signal reaches it and everything that it
starts (POSIX process groups), with limits of the operating system on CPU time, memory, core dumps
and file sizes, in a private directory that is removed afterwards. Its output is read as it comes:
a program that prints without end is stopped, not stored. Whatever happens, no member of the process
group outlives the call; only a child that leaves the group on purpose (setsid) escapes.

The limits are set by a shell (`ulimit`, then `exec`) in the new process. Python's `preexec_fn`
could set them too, but it can deadlock when the caller has threads. POSIX systems only.
"""

from __future__ import annotations

import math
import os
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import IO

# Files that the program writes may have this size at most; those of provers are far smaller.
_FILE_BYTES = 256 * 1024 * 1024
# After a polite SIGTERM a program has this long to end before SIGKILL.
_GRACE_SECONDS = 0.5
# How often to look whether the program has ended while something else holds its output open.
_POLL_SECONDS = 0.05
_CHUNK_BYTES = 65536

# A limit that cannot be set is either tighter already or one that the system does not have (memory
# on macOS); the wall clock still ends the run.
_LIMITED = '{ ulimit -c 0; ulimit -t "$1"; ulimit -f "$2"; ulimit -v "$3"; } 2>/dev/null; shift 3; exec "$@"'


class Stopped(StrEnum):
    """Why a program was stopped before it ended by itself."""

    WALL_TIME = "wall time"
    OUTPUT_SIZE = "output size"


@dataclass(frozen=True)
class Completed:
    """A program that has ended or was stopped.

    `exit_code` is negative for a signal (-9: SIGKILL). `output` is standard output with standard
    error in the order in which they were written. `stopped` is None for a program that ended by
    itself; one that was stopped has said nothing reliable, whatever its output. `written` holds the
    texts of those of the files asked for that it wrote.
    """

    exit_code: int
    output: str
    seconds: float
    stopped: Stopped | None
    written: Mapping[str, str] = field(default_factory=dict)


def run(
    argv: Sequence[str],
    *,
    files: Mapping[str, str],
    wall_seconds: float,
    cpu_seconds: float,
    memory_mb: int,
    output_bytes: int,
    read_back: Sequence[str] = (),
) -> Completed:
    """Run a program on *files* (name to text) in a directory that holds only them.

    *argv* names the files relatively. Standard input is empty. The limits hold for the program; CPU
    time (rounded up to seconds) and memory hold for each of its children too. *read_back* names the
    files of that directory that the caller wants to read. Raises FileNotFoundError if the program
    does not exist or cannot be executed.
    """
    executable = shutil.which(argv[0])
    if executable is None:
        raise FileNotFoundError(f"no such program: {argv[0]}")
    # Blocks of 512 bytes and units of 1024 bytes are POSIX's and the common shells' for ulimit.
    limits = (math.ceil(cpu_seconds), _FILE_BYTES // 512, memory_mb * 1024)
    limited = [
        "/bin/sh",
        "-c",
        _LIMITED,
        "sh",
        *map(str, limits),
        str(Path(executable).absolute()),
        *argv[1:],
    ]
    with tempfile.TemporaryDirectory(prefix="modalgen-", ignore_cleanup_errors=True) as directory:
        for name, text in files.items():
            (Path(directory) / name).write_text(text, encoding="utf-8")
        started = time.monotonic()
        process = subprocess.Popen(
            limited,
            cwd=directory,
            env={**os.environ, "LC_ALL": "C", "TMPDIR": directory},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        assert process.stdout is not None
        with process.stdout as pipe:
            try:
                output, stopped = _read(process, pipe, started + wall_seconds, output_bytes)
                if stopped is not None:
                    _signal_group(process, signal.SIGTERM)
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(_GRACE_SECONDS)
            finally:
                # Also when the program has ended: what it started may be alive.
                _signal_group(process, signal.SIGKILL)
                exit_code = process.wait()
        seconds = time.monotonic() - started
        written = {
            name: path.read_text(encoding="utf-8", errors="replace")
            for name in read_back
            if (path := Path(directory) / name).is_file()
        }
    return Completed(exit_code, output.decode("utf-8", errors="replace"), seconds, stopped, written)


def _read(
    process: subprocess.Popen[bytes], pipe: IO[bytes], deadline: float, output_bytes: int
) -> tuple[bytes, Stopped | None]:
    """Read until the program ends or has to be stopped; the output is cut at *output_bytes*.

    The end of the output alone does not mean that the program has ended, nor does the end of the
    program mean that the output has an end: a child may hold the pipe open.
    """
    output = bytearray()
    os.set_blocking(pipe.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while True:
            ended = process.poll() is not None
            remaining = deadline - time.monotonic()
            if remaining <= 0 and not ended:
                return bytes(output), Stopped.WALL_TIME
            ready = selector.select(0 if ended else min(remaining, _POLL_SECONDS))
            if not ready:
                if ended:
                    return bytes(output), None
                continue
            chunk = os.read(pipe.fileno(), _CHUNK_BYTES)
            if not chunk:
                break
            output += chunk
            if len(output) > output_bytes:
                return bytes(output[:output_bytes]), Stopped.OUTPUT_SIZE
    try:
        process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return bytes(output), Stopped.WALL_TIME
    return bytes(output), None


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    # ProcessLookupError: the group is empty. PermissionError: all of it are zombies (macOS).
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
