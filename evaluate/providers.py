"""Named providers: where a model is served, and which fields its server calls what.

A provider is a YAML file in `providers/`: base URL, the environment variable that holds the key, and
for each API shape that it speaks a *dialect*: the field that caps the tokens of a response, the field
of the seed, and the fragments of a request body that ask for reasoning or allow nothing but an
answer word. In a fragment "{level}", "{words}" and "{grammar}" stand for values.

The names of fields are those of the providers' API references and, for vLLM and llama.cpp, of the
servers' own documentation. Nobody's key is ever in such a file: only the name of its variable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any

import yaml

from modalgen.gen.diagnostics import nearest, quoted

PROVIDER_SCHEMA = "modalgen/provider/1"
COMPATIBLE = "compatible"
"""The provider that is meant when only a base URL is given."""


class Api(StrEnum):
    """The three shapes of request and response."""

    CHAT = "chat"
    RESPONSES = "responses"
    MESSAGES = "messages"


class ProviderError(ValueError):
    """A provider, API shape or setting that does not exist; the message says what does."""


@dataclass(frozen=True)
class Dialect:
    """How a provider spells an API shape.

    `token_cap` and `seed` name fields (None: there is none), `default_cap` is sent where the server
    insists on a cap. `reasoning` has fragments for given `levels`, for any `number` (a budget of
    tokens) and for any other `name`; `constrain` is a fragment or None.
    """

    api: Api
    token_cap: str
    default_cap: int | None
    seed: str | None
    reasoning: Mapping[str, Any]
    constrain: Mapping[str, Any] | None

    def reasoning_fields(self, level: str) -> dict[str, Any]:
        """The fields that ask for this much reasoning. Raises ProviderError if none can."""
        levels: Mapping[str, Any] = self.reasoning.get("levels", {})
        if level in levels:
            return _filled(levels[level], {})
        number = level.isascii() and level.isdecimal()
        fragment = self.reasoning.get("number" if number else "name")
        if fragment is None:
            known = [*levels, *(f"a {form}" for form in ("number", "name") if form in self.reasoning)]
            there_is = f"there is {', '.join(known)}" if known else "there is no such setting"
            raise ProviderError(f"reasoning {quoted(level)} cannot be asked for here: {there_is}")
        return _filled(fragment, {"{level}": int(level) if number else level})

    def constraint_fields(self, words: Sequence[str]) -> dict[str, Any]:
        """The fields that allow nothing but one of the words. Raises ProviderError if none can."""
        if self.constrain is None:
            raise ProviderError("this server cannot be told to allow nothing but the answer words")
        grammar = "root ::= " + " | ".join(f'"{word}"' for word in words)
        return _filled(self.constrain, {"{words}": list(words), "{grammar}": grammar})


@dataclass(frozen=True)
class Provider:
    """A provider. `base_url` is None where the user has to give it; `key` names a variable."""

    id: str
    title: str
    base_url: str | None
    key: str
    key_required: bool
    dialects: Mapping[Api, Dialect]

    def dialect(self, api: Api) -> Dialect:
        """The dialect of an API shape. Raises ProviderError if the provider does not speak it."""
        if api not in self.dialects:
            spoken = ", ".join(self.dialects)
            raise ProviderError(f"provider {self.id} does not speak the {api} API; it speaks {spoken}")
        return self.dialects[api]


@cache
def provider_names() -> tuple[str, ...]:
    """The ids of all providers, sorted."""
    entries = resources.files("modalgen.evaluate").joinpath("providers").iterdir()
    return tuple(
        sorted(entry.name.removesuffix(".yaml") for entry in entries if entry.name.endswith(".yaml"))
    )


@cache
def provider(name: str) -> Provider:
    """The provider with this id. Raises ProviderError if there is none."""
    if name not in (names := provider_names()):
        guess = nearest(name, names)
        hint = f"; did you mean '{guess}'?" if guess else ""
        raise ProviderError(f"there is no provider {quoted(name)}; there are {', '.join(names)}{hint}")
    path = resources.files("modalgen.evaluate").joinpath("providers", f"{name}.yaml")
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    if data.pop("schema") != PROVIDER_SCHEMA:
        raise ProviderError(f"{name}.yaml is not a provider of {PROVIDER_SCHEMA}")
    dialects = {
        Api(api): Dialect(
            api=Api(api),
            token_cap=entry["token_cap"],
            default_cap=entry.get("default_cap"),
            seed=entry.get("seed"),
            reasoning=entry.get("reasoning", {}),
            constrain=entry.get("constrain"),
        )
        for api, entry in data.pop("apis").items()
    }
    return Provider(**data, dialects=dialects)


def _filled(fragment: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The fragment with placeholders replaced by values."""

    def fill(part: Any) -> Any:
        if isinstance(part, dict):
            return _filled(part, values)
        return values.get(part, part) if isinstance(part, str) else part

    return {key: fill(part) for key, part in fragment.items()}
