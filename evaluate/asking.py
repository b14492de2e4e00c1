"""What a run asks: from its settings and a dataset to requests, one at a time.

Every side of every chosen pair is asked by a request of its own, once for each polarity, model and
level of reasoning. If the specification is left out, both polarities are asked ("is it valid?", "can
it fail?"), so that a model that says yes to everything can be told from one that reasons. Nothing is
held but the pair at hand, so a run of any size takes the same memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from modalgen.evaluate.answers import Polarity
from modalgen.evaluate.apis import PATHS, RequestSettings, request_body
from modalgen.evaluate.dataset import Dataset, chosen, read_each
from modalgen.evaluate.prompts import Prompt, PromptOptions, Shot, Specification, prompt
from modalgen.evaluate.providers import Api, Dialect
from modalgen.evaluate.runs import Shard
from modalgen.evaluate.shots import draw_shots
from modalgen.files import sha256
from modalgen.records import SIDES, Pair

DEFAULT = "default"
"""The name of the condition in which nothing is said about reasoning."""


class SettingsError(ValueError):
    """Settings that do not go together, or not with the dataset."""


@dataclass(frozen=True)
class RunSettings:
    """All that decides what is asked of whom. `reasoning` are levels, None for the server's default;
    `served` says where: the base URL, or which file is served on this machine. `limit` is a number
    of pairs, `shots` a number of solved examples, drawn with `shots_seed` from `shots_from` or from
    the pairs that the limit leaves out."""

    models: tuple[str, ...]
    provider: str
    served: str
    dialect: Dialect
    options: PromptOptions = field(default_factory=PromptOptions)
    reasoning: tuple[str | None, ...] = (None,)
    max_tokens: int | None = None
    temperature: float | None = None
    seed: int | None = None
    constrain: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)
    limit: int | None = None
    shots: int = 0
    shots_seed: int = 1
    shots_from: Dataset | None = None

    @property
    def polarities(self) -> tuple[Polarity, ...]:
        """The ways in which each side is asked."""
        return tuple(Polarity) if self.options.specification is Specification.OMITTED else (Polarity.VALID,)

    @property
    def shards(self) -> tuple[Shard, ...]:
        """The models and conditions."""
        return tuple(Shard(model, level or DEFAULT) for model in self.models for level in self.reasoning)

    def to_record(self, dataset: Dataset) -> dict[str, Any]:
        """The settings as `run.json` holds them, the dataset by its hash."""
        options = {k: v for k, v in self.options.to_record().items() if k != "polarity"}
        return {
            "dataset": {"sha256": dataset.sha256, "pairs": dataset.pairs},
            "limit": self.limit,
            "models": list(self.models),
            "provider": self.provider,
            "served": self.served,
            "api": str(self.dialect.api),
            "reasoning": [level or DEFAULT for level in self.reasoning],
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "seed": self.seed,
            "constrain": self.constrain,
            "extra": dict(self.extra),
            "prompts": {**options, "polarities": [str(polarity) for polarity in self.polarities]},
            "shots": {
                "count": self.shots,
                "seed": self.shots_seed if self.shots else None,
                "from": self.shots_from.sha256 if self.shots and self.shots_from else None,
            },
        }


@dataclass(frozen=True)
class Request:
    """One request: the item it asks about, the bytes it sends and their hash (with the path)."""

    item: str
    shard: Shard
    prompt: Prompt
    api: Api
    path: str
    body: Mapping[str, Any]
    data: bytes
    sha256: str

    @property
    def custom_id(self) -> str:
        """An id for batches: what is asked, of whom, and the beginning of the hash."""
        return f"{self.item}|{self.shard.name}|{self.sha256[:16]}"


def asked_pairs(settings: RunSettings, dataset: Dataset) -> Iterator[Pair]:
    """The pairs that the run asks about, in the dataset's order."""
    places = chosen(dataset.pairs, settings.limit)
    place = next(places, None)
    for number, pair in enumerate(read_each(dataset.directory)):
        if number == place:
            yield pair
            place = next(places, None)


def requests(settings: RunSettings, dataset: Dataset) -> Iterator[Request]:
    """All requests of a run, in the order in which they are sent.

    Raises ProviderError if a setting cannot be expressed, SettingsError if there can be no solved
    examples (the specification is left out, or there are too few pairs), DatasetError.
    """
    shots = _shots(settings, dataset)
    for pair in asked_pairs(settings, dataset):
        for side in SIDES:
            for polarity in settings.polarities:
                form = replace(settings.options.answer, polarity=polarity)
                made = prompt(pair, side, replace(settings.options, answer=form), shots)
                item = f"{pair.pair_id}/{side}/{polarity}"
                for model in settings.models:
                    for level in settings.reasoning:
                        yield _request(settings, model, level, item, made)


def count_requests(settings: RunSettings, dataset: Dataset) -> int:
    """How many requests a run makes."""
    pairs = dataset.pairs if settings.limit is None else min(settings.limit, dataset.pairs)
    return pairs * len(SIDES) * len(settings.polarities) * len(settings.shards)


def _request(settings: RunSettings, model: str, level: str | None, item: str, made: Prompt) -> Request:
    wanted = RequestSettings(
        model=model,
        reasoning=level,
        max_tokens=settings.max_tokens,
        temperature=settings.temperature,
        seed=settings.seed,
        constrain=settings.constrain,
        extra=settings.extra,
    )
    body = request_body(settings.dialect, wanted, made.text, made.options.answer.words)
    data = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    api = settings.dialect.api
    digest = sha256(PATHS[api].encode() + b"\n" + data)
    return Request(item, Shard(model, level or DEFAULT), made, api, PATHS[api], body, data, digest)


def _shots(settings: RunSettings, dataset: Dataset) -> tuple[Shot, ...]:
    if not settings.shots:
        return ()
    if settings.options.specification is Specification.OMITTED:
        raise SettingsError("solved examples need the specification: without it they have no one answer")
    pool = read_each((settings.shots_from or dataset).directory)
    try:
        return draw_shots(pool, asked_pairs(settings, dataset), settings.shots, settings.shots_seed)
    except ValueError as error:
        raise SettingsError(f"{error}: ask about fewer with --limit, or give --shots-from DATASET") from None
