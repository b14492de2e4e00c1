"""Keys: they come from the environment, go into a header, and are written nowhere.

Should a server repeat a key, it is blanked out of every text before that text is kept or shown, in
whatever spelling JSON has for it. A setting that holds a key is refused, because settings are recorded.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from modalgen.evaluate.providers import Provider, provider, provider_names

BLANK = "[key]"
SHORTEST = 8
"""A shorter key (`x`, `EMPTY`, as servers on the own machine want them) is no secret, and may be a word
that a model says."""


class SetupError(ValueError):
    """A base URL, key or connection that cannot be used; the message never holds the key."""


class Secret:
    """A key. It shows itself as [key], so no message, record or traceback can give it away."""

    __slots__ = ("_spelled", "_value")

    def __init__(self, value: str) -> None:
        self._value = value
        # JSON may spell each character as it is, after a backslash, or as \uXXXX, with more backslashes
        # for a text inside of a text; and UTF-16 read as UTF-8 has a NUL beside each character.
        each = "".join(rf"[\\\0]*(?:{re.escape(c)}|(?i:u{ord(c):04x}))" for c in value)
        self._spelled = re.compile(rf"(?<![\\\0]){each}") if len(value) >= SHORTEST else None

    def __repr__(self) -> str:
        return BLANK

    def __reduce__(self) -> str:
        raise TypeError("a key is not written anywhere")

    def reveal(self) -> str:
        """The key itself, for a header."""
        return self._value

    def blank_out(self, text: str) -> str:
        """The text without the key, however JSON spells it. What was JSON still is, so that all that
        is read from the text is without the key too."""
        return self._spelled.sub(BLANK, text) if self._spelled else text

    def is_in(self, text: str) -> bool:
        """Whether the text holds the key, however JSON spells it."""
        return bool(self._spelled and self._spelled.search(text))


def key_of(chosen: Provider) -> Secret | None:
    """The provider's key, None if it needs none. Raises SetupError if it is missing or malformed."""
    value = os.environ.get(chosen.key, "").strip()
    if not value:
        if chosen.key_required:
            raise SetupError(f"provider {chosen.id} needs a key in the environment variable {chosen.key}")
        return None
    if not (value.isascii() and value.isprintable() and " " not in value):
        raise SetupError(f"the key in {chosen.key} has characters that no header can carry")
    return Secret(value)


def keys_in_environment() -> Mapping[str, Secret]:
    """The keys of all providers that the environment holds, by the name of their variable."""
    names = sorted({provider(name).key for name in provider_names()})
    values = {name: os.environ.get(name, "").strip() for name in names}
    return {name: Secret(value) for name, value in values.items() if value}


def blank_out(keys: Mapping[str, Secret], text: str) -> str:
    """The text without any of the keys."""
    for key in keys.values():
        text = key.blank_out(text)
    return text
