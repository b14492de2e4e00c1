"""Files as datasets have them: JSON lines with sorted keys, hashes, atomic writes."""

from __future__ import annotations

import ctypes
import glob
import hashlib
import json
import lzma
import os
import secrets
import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast


def json_line(value: Any) -> str:
    """The value as one line of JSON: keys sorted, UTF-8 text kept as it is, no line end."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False)


def json_lines(records: Iterable[Mapping[str, Any]]) -> str:
    """The records as JSON lines."""
    return "".join(json_line(record) + "\n" for record in records)


def sha256(text: str | bytes) -> str:
    """The SHA-256 of the bytes (of the UTF-8 encoding of a string), in hexadecimal."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return hashlib.sha256(data).hexdigest()


# What reading a file can raise, compressed ones included.
UNREADABLE = (OSError, EOFError, lzma.LZMAError)


def opened(path: Path) -> BinaryIO:
    """The file for reading its bytes; if there is none, what `xz` has made of it (`path` + `.xz`).

    Raises OSError; reading the stream may raise any of `UNREADABLE`.
    """
    compressed = path.with_name(f"{path.name}.xz")
    if not path.exists() and compressed.exists():
        return cast(BinaryIO, lzma.open(compressed))
    return path.open("rb")


def write_durably(path: Path, text: str) -> None:
    """Write a new file and wait until it is on the disk. Raises OSError."""
    with path.open("x", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())


def replace_file(path: Path, text: str) -> None:
    """Write a file that at every moment has its old or its new contents, whole. Raises OSError."""
    fresh = path.with_name(f".{path.name}.new-{secrets.token_hex(4)}")
    try:
        write_durably(fresh, text)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


@contextmanager
def replaced_file(path: Path) -> Iterator[BinaryIO]:
    """A stream for the new contents of a file, which takes the place of *path* when the block ends well;
    at every moment the file has its old or its new contents, whole. Raises OSError."""
    fresh = path.with_name(f".{path.name}.new-{secrets.token_hex(4)}")
    try:
        with fresh.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


@contextmanager
def replaced_directory(target: Path) -> Iterator[Path]:
    """A new directory to fill, which takes the place of *target* when the block ends well.

    If the block raises, or the process is killed, the old directory is as it was. Raises OSError as
    the file system does.
    """
    target = target.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(target)
    fresh = target.with_name(f".{target.name}.new-{secrets.token_hex(4)}")
    fresh.mkdir()
    try:
        yield fresh
        _sync(fresh)
        if target.exists():
            _exchange(fresh, target)
        else:
            fresh.rename(target)
        _sync(target.parent)
    finally:  # what now has this name is unfinished, or it is the old directory
        shutil.rmtree(fresh, ignore_errors=True)


def _remove_abandoned(target: Path) -> None:
    """Remove what killed processes left unfinished; nobody takes a day to write a dataset."""
    for leftover in target.parent.glob(f".{glob.escape(target.name)}.new-*"):
        if time.time() - leftover.stat().st_mtime > 24 * 60 * 60:
            shutil.rmtree(leftover, ignore_errors=True)


def _exchange(first: Path, second: Path) -> None:
    """Let two directories exchange their names: in one step where the system can do that (Linux)."""
    if sys.platform == "linux":
        renameat2 = getattr(ctypes.CDLL(None), "renameat2", None)  # musl lacks it, file systems may
        here = ctypes.c_int(-100)  # AT_FDCWD: relative paths are relative to the working directory
        names = (here, os.fsencode(first), here, os.fsencode(second))
        if renameat2 is not None and renameat2(*names, ctypes.c_uint(2)) == 0:  # RENAME_EXCHANGE
            return
    aside = second.with_name(f"{first.name}-old")
    second.rename(aside)
    try:
        first.rename(second)
    except OSError:
        aside.rename(second)
        raise
    aside.rename(first)


def _sync(directory: Path) -> None:
    """Wait until the directory's entries are on the disk."""
    if os.name == "posix":  # elsewhere a directory cannot be opened
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
