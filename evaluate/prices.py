"""Prices: what a response cost, as far as that is known.

A price file is YAML: for each provider and model the dollars for a million tokens of input, of input
that came from the server's cache, and of output; and the factor by which a batch is cheaper. What is
not in the file is unknown, and an unknown cost is None and never zero. No prices come with the
package: list prices change, and a wrong one is worse than none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modalgen.evaluate.apis import Usage
from modalgen.gen.diagnostics import Diagnostic, SpecError, in_file_order
from modalgen.gen.yaml_source import Keys, Source, load_yaml

PRICES_SCHEMA = "modalgen/prices/1"
_MILLION = 1_000_000


class PricesError(ValueError):
    """A price file that cannot be used; the message has a line for each mistake."""


@dataclass(frozen=True)
class Price:
    """Dollars for a million tokens, and the factor for a batch (1.0: no cheaper)."""

    input: float
    output: float
    cached: float | None = None
    batch_factor: float = 1.0


@dataclass(frozen=True)
class Estimate:
    """A range: of tokens or dollars. `most` is None where nothing bounds it."""

    least: float
    most: float | None

    def __add__(self, other: Estimate) -> Estimate:
        most = None if self.most is None or other.most is None else self.most + other.most
        return Estimate(self.least + other.least, most)


def load_prices(path: Path) -> Mapping[tuple[str, str], Price]:
    """The prices of a file, by provider and model.

    Raises PricesError, with line and column of each mistake.
    """
    try:
        source, diagnostics = load_yaml(path)
    except SpecError as error:
        raise PricesError(str(error)) from None
    diagnostics += _mistakes(source)
    if diagnostics:
        raise PricesError("\n".join(map(str, in_file_order(diagnostics))))
    return {
        (provider, model): Price(
            float(entry["input"]),
            float(entry["output"]),
            None if entry.get("cached") is None else float(entry["cached"]),
            float(data.get("batch_factor", 1.0)),
        )
        for provider, data in source.data["providers"].items()
        for model, entry in data["models"].items()
    }


def cost(usage: Usage, price: Price | None, *, batch: bool = False) -> float | None:
    """The dollars that a response cost: what the server says, else tokens times price.

    None if the price or a number of tokens is not known. Where the price of cached input is not
    known, cached input counts in full, so that the cost is rather too high.
    """
    if usage.cost is not None:
        return usage.cost
    if price is None or usage.input is None or usage.output is None:
        return None
    cached = min(usage.cached or 0, usage.input) if price.cached is not None else 0
    dollars = (usage.input - cached) * price.input + usage.output * price.output
    dollars += cached * (price.cached or 0.0)
    return dollars * (price.batch_factor if batch else 1.0) / _MILLION


def estimated_tokens(text: str) -> Estimate:
    """The tokens of a text for a tokenizer that is not known.

    English has four to five bytes a token in the usual vocabularies; symbols such as □ have one to
    three tokens for their three bytes.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    return Estimate(size / 5.5, size / 2.5)


def estimated_cost(tokens: Estimate, requests: int, cap: int | None, price: Price) -> Estimate:
    """The dollars for *requests* with *tokens* of input in all: from one token of output each to
    the cap each; without a cap there is no upper end."""
    cheapest = price.input if price.cached is None else min(price.input, price.cached)
    least = (tokens.least * cheapest + requests * price.output) / _MILLION
    if cap is None or tokens.most is None:
        return Estimate(least, None)
    return Estimate(least, (tokens.most * price.input + requests * cap * price.output) / _MILLION)


def _mistakes(source: Source) -> Iterator[Diagnostic]:
    def mistake(path: Keys, message: str) -> Diagnostic:
        return Diagnostic(source.file, *source.at_value(path), message)

    data = source.data
    if not isinstance(data, dict) or data.get("schema") != PRICES_SCHEMA:
        yield mistake((), f"this is no price file: its schema should be {PRICES_SCHEMA}")
        return
    providers = data.get("providers")
    if not isinstance(providers, dict):
        yield mistake(("providers",), "`providers` should map names of providers to their models")
        return
    for name, entry in providers.items():
        path: Keys = ("providers", name)
        if not isinstance(entry, dict) or not isinstance(entry.get("models"), dict):
            yield mistake(path, "a provider has `models`, a map from model names to prices")
            continue
        if not _is_price(entry.get("batch_factor", 1.0)):
            yield mistake((*path, "batch_factor"), "this should be a number from 0 to 1e9")
        for model, prices in entry["models"].items():
            yield from (mistake((*path, "models", model), words) for words in _price_mistakes(prices))


def _price_mistakes(prices: Any) -> Iterator[str]:
    if not isinstance(prices, dict):
        yield "a model has prices: {input: …, output: …}, optionally cached"
        return
    for field in ("input", "output"):
        if field not in prices:
            yield f"`{field}` is missing: dollars for a million tokens"
    for field, value in prices.items():
        if field not in ("input", "output", "cached"):
            yield f"unknown key `{field}`"
        elif not _is_price(value):
            yield f"`{field}` should be a number from 0 to 1e9"


def _is_price(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e9
