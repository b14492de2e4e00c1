"""Where two records of settings differ, for the message that refuses to mix them."""

from __future__ import annotations

from typing import Any

from modalgen.files import json_line


def differences(old: Any, new: Any, path: str = "") -> list[str]:
    """Where two records differ, each with what it was and what it is."""
    if isinstance(old, dict) and isinstance(new, dict):
        keys = sorted(old.keys() | new.keys())
        below = (differences(old.get(k), new.get(k), f"{path}.{k}" if path else k) for k in keys)
        return [difference for found in below for difference in found]
    if old == new and type(old) is type(new):
        return []
    return [f"{path} was {_shown(old)} and is now {_shown(new)}"]


def _shown(value: Any) -> str:
    text = json_line(value)
    return text if len(text) <= 80 else f"{text[:80]}…"
