"""Files as datasets have them: JSON lines with sorted keys, hashes, atomic writes."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any


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


def write_durably(path: Path, text: str) -> None:
    """Write a new file and wait until it is on the disk. Raises OSError."""
    with path.open("x", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())


@contextmanager
def replaced_directory(target: Path) -> Iterator[Path]:
    """A new directory to fill, which takes the place of *target* when the block ends well.

    If the block raises, the new directory is removed and the old one is as it was. Raises OSError
    as the file system does.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    token = secrets.token_hex(4)
    fresh = target.with_name(f".{target.name}.new-{token}")
    retired = target.with_name(f".{target.name}.old-{token}")
    fresh.mkdir()
    try:
        yield fresh
        if target.exists():
            target.rename(retired)
        try:
            fresh.rename(target)
        except OSError:
            if retired.exists():
                retired.rename(target)
            raise
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    shutil.rmtree(retired, ignore_errors=True)
