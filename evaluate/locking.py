"""One writer at a time: a lock that ends with the process that holds it, however it ends."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

LOCK = "run.lock"

if sys.platform == "win32":
    import msvcrt

    def _lock(stream: IO[str], directory: Path, stack: ExitStack) -> None:
        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)  # and an open file cannot be deleted here
else:
    import fcntl

    def _lock(stream: IO[str], directory: Path, stack: ExitStack) -> None:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Somebody may delete a lock file that looks stale; the directory stays as long as the run does.
        descriptor = os.open(directory, os.O_RDONLY)
        stack.callback(os.close, descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:
            return  # NFS locks no directories; the file has to do


class LockedError(Exception):
    """Another process holds the lock; the message says which one."""


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Hold a directory as its only writer while the block runs. Raises LockedError."""
    with ExitStack() as stack:
        lock = stack.enter_context((directory / LOCK).open("a+", encoding="utf-8"))
        try:
            _lock(lock, directory, stack)
        except OSError:
            lock.seek(0)
            raise LockedError(lock.read().strip() or f"its {LOCK} was deleted") from None
        lock.truncate(0)
        lock.write(f"process {os.getpid()} on {platform.node()}\n")
        lock.flush()
        yield
