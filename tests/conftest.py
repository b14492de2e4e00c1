"""What all tests share: no test touches the user's evidence store."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def store_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An evidence store of the test's own, for commands and subprocesses too; nothing is in it yet."""
    path = tmp_path / "evidence.sqlite"
    monkeypatch.setenv("MODALGEN_STORE", str(path))
    return path
