"""`modalgen eval`: put a dataset to language models."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from modalgen.commands.common import DATASET, EXISTING_FILE, NO, fail

if TYPE_CHECKING:
    from modalgen.evaluate.asking import RunSettings
    from modalgen.evaluate.dataset import Dataset
    from modalgen.evaluate.keys import Secret
    from modalgen.evaluate.local import LocalModel
    from modalgen.evaluate.providers import Api

APIS = ("chat", "responses", "messages")
NEW_FILE = click.Path(dir_okay=False, path_type=Path)
DEEPEST = 50
"""Levels of JSON in --extra; no API has as many."""


class Finite(click.FloatRange):
    """A range of numbers; "nan" and "inf" are none, though Python reads them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Raises click.BadParameter as FloatRange does."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


@click.command("eval")
@click.argument("dataset", type=DATASET)
@click.option("-o", "--output", type=click.Path(file_okay=False, path_type=Path), help="Run directory.")
@click.option("--model", "models", multiple=True, help="A model's name at its server; may be repeated.")
@click.option("--provider", help="Who serves it: openai, anthropic, openrouter, … [openai]")
@click.option("--base-url", metavar="URL", help="Where it is served, if not at the provider's own URL.")
@click.option("--api", type=click.Choice(APIS), help="The API's shape [the provider's first].")
@click.option("--local", is_flag=True, help="Serve a small model on this machine: no key, no network.")
@click.option("--gguf", type=EXISTING_FILE, help="With --local: this model, and not SmolLM2-135M.")
@click.option(
    "--spec",
    "specification",
    type=click.Choice(["stated", "omitted"]),
    default="stated",
    show_default=True,
    help="Whether the prompts say which models are intended. Omitted: asked in both polarities.",
)
@click.option("--lexicon", metavar="NAME|FILE", default="signals", show_default=True, help="The words.")
@click.option(
    "--answers",
    type=click.Choice(["yes-no", "true-false", "valid-invalid"]),
    default="yes-no",
    show_default=True,
)
@click.option("--reverse", is_flag=True, help="Name the answer words in the other order.")
@click.option("--instruction", type=EXISTING_FILE, help="Text to put before the request for an answer.")
@click.option(
    "--reasoning", metavar="LEVEL[,LEVEL]", help="Levels of reasoning, each a condition of its own."
)
@click.option("--shots", type=click.IntRange(0), default=0, help="Solved examples in every prompt.")
@click.option("--shots-from", type=DATASET, help="Draw them from this dataset [pairs left out by --limit].")
@click.option("--shots-seed", type=int, default=1, show_default=True)
@click.option("--max-tokens", type=click.IntRange(1, 2**31), help="Cap of a response [the server's own].")
@click.option("--temperature", type=Finite(0.0), help="[the server's own]")
@click.option("--seed", type=int, help="[none is sent]")
@click.option("--constrain", is_flag=True, help="Let the server accept nothing but an answer word.")
@click.option("--extra", metavar="JSON", help="An object with further fields for every request.")
@click.option("--limit", type=click.IntRange(1), help="At most this many pairs, spread over the dataset.")
@click.option("--max-connections", type=click.IntRange(1, 1000), default=8, show_default=True)
@click.option("--max-cost", type=Finite(0.0, min_open=True), metavar="USD")
@click.option("--prices", "price_file", type=EXISTING_FILE, help="A price file (YAML).")
@click.option("--dry-run", is_flag=True, help="Say how much would be asked and what it may cost.")
@click.option("--batch-out", type=NEW_FILE, help="Write input files for OpenAI's Batch API; send nothing.")
@click.option("--batch-in", type=EXISTING_FILE, multiple=True, help="Take in a batch's output or error file.")
def evaluate(
    dataset: Path,
    output: Path | None,
    price_file: Path | None,
    max_connections: int,
    max_cost: float | None,
    dry_run: bool,
    batch_out: Path | None,
    batch_in: tuple[Path, ...],
    base_url: str | None,
    **asked: Any,
) -> None:
    """Ask language models about every side of a dataset's pairs, and keep all that they say.

    The same command goes on with a run that was interrupted: what has an answer is not asked again.
    Keys are read from the environment and written nowhere.
    """
    from modalgen.evaluate.dataset import open_dataset
    from modalgen.evaluate.job import Job
    from modalgen.evaluate.keys import blank_out, keys_in_environment
    from modalgen.evaluate.local import local_model
    from modalgen.evaluate.prices import load_prices
    from modalgen.evaluate.providers import Api, provider
    from modalgen.evaluate.runner import Limits
    from modalgen.evaluate.transport import checked_url, endpoint

    keys = keys_in_environment()
    _refuse_what_may_not_be_recorded(keys, _text(asked["instruction"]))
    if sum((dry_run, batch_out is not None, bool(batch_in))) > 1:
        fail("give one of --dry-run, --batch-out and --batch-in")
    if asked["gguf"] and not asked["local"]:
        fail("--gguf goes with --local")
    if asked["local"] and (asked["models"] or asked["provider"] or base_url or batch_out or batch_in):
        fail("--local serves its own model: it goes without --model, --provider, --base-url and batches")
    if not asked["local"] and not asked["models"]:
        fail("say which model with --model M, or try --local")
    if repeated := sorted({m for m in asked["models"] if asked["models"].count(m) > 1}):
        fail(f"--model {repeated[0]} is there twice")
    with _failing():
        served_here = local_model(asked["gguf"]) if asked["local"] else None
        name = "llamacpp" if served_here else asked["provider"] or ("compatible" if base_url else "openai")
        chosen = provider(name)
        if base_url is not None:
            checked_url(base_url)
        api = Api(asked["api"]) if asked["api"] else next(iter(chosen.dialects))
        data = open_dataset(dataset)
        settings = _settings(asked, name, api, base_url, served_here)
        prices = load_prices(price_file) if price_file else {}
        if max_cost is not None and (unknown := [m for m in settings.models if (name, m) not in prices]):
            fail(f"no price is known for {unknown[0]} at {name}: --max-cost needs one, see --prices")
        directory = output or _place(settings, data)
        console = Console(stderr=True)
        job = Job(settings, data, directory, prices, console, partial(blank_out, keys))
        if dry_run:
            code = job.foresee()
        elif batch_out is not None:
            code = job.write_batches(batch_out)
        elif batch_in:
            code = job.read_batches(batch_in)
        else:
            with _served(served_here, base_url) as url:
                at_a_time = 1 if served_here else max_connections  # it answers one after the other
                code = job.ask(endpoint(chosen, api, url), Limits(at_a_time, max_cost))
    raise SystemExit(code)


def _refuse_what_may_not_be_recorded(keys: Mapping[str, Secret], instruction: str) -> None:
    """End with a message, without the value, if an option holds a key or is no text: options go into
    run.json and into messages, and a key never does."""
    context = click.get_current_context()
    for param in context.command.params:
        name = param.opts[0] if isinstance(param, click.Option) else param.human_readable_name
        value = context.params[str(param.name)]
        texts = [str(each) for each in (value if isinstance(value, tuple) else (value,))]
        if param.name == "instruction":
            texts.append(instruction)
        for text in texts:
            if found := [variable for variable, key in keys.items() if key.is_in(text)]:
                fail(f"{name} holds the key in {found[0]}; it would be written down, so it may not")
            try:
                text.encode()
            except UnicodeEncodeError:
                fail(f"{name} is not UTF-8 text")


def _settings(
    asked: dict[str, Any], name: str, api: Api, base_url: str | None, served_here: LocalModel | None
) -> RunSettings:
    """The run's settings from the command's options."""
    from modalgen.evaluate.answers import AnswerForm, Vocabulary
    from modalgen.evaluate.asking import RunSettings
    from modalgen.evaluate.dataset import open_dataset
    from modalgen.evaluate.lexicon import lexicon, load_lexicon
    from modalgen.evaluate.prompts import PromptOptions, Specification
    from modalgen.evaluate.providers import provider

    words = asked["lexicon"]
    options = PromptOptions(
        lexicon=load_lexicon(Path(words)) if words.endswith((".yaml", ".yml")) else lexicon(words),
        specification=Specification(asked["specification"]),
        answer=AnswerForm(Vocabulary(asked["answers"]), asked["reverse"]),
        instruction=_text(asked["instruction"]),
    )
    chosen = provider(name)
    served = base_url or chosen.base_url or ""
    if served_here:
        served = f"this machine: {served_here.path.name}, sha256 {served_here.sha256}"
    return RunSettings(
        models=(served_here.name,) if served_here else tuple(asked["models"]),
        provider=name,
        served=served,
        dialect=chosen.dialect(api),
        options=options,
        reasoning=_levels(asked["reasoning"]),
        max_tokens=asked["max_tokens"],
        temperature=asked["temperature"],
        seed=asked["seed"],
        constrain=asked["constrain"],
        extra=_object(asked["extra"]),
        limit=asked["limit"],
        shots=asked["shots"],
        shots_seed=asked["shots_seed"],
        shots_from=open_dataset(asked["shots_from"]) if asked["shots_from"] else None,
    )


def _text(path: Path | None) -> str:
    try:
        return path.read_text(encoding="utf-8") if path else ""
    except UnicodeDecodeError:
        fail(f"{path} is not UTF-8 text")
    except OSError as error:
        fail(f"{path}: cannot be read: {error.strerror}")


def _levels(text: str | None) -> tuple[str | None, ...]:
    if text is None:
        return (None,)
    levels = [level.strip() for level in text.split(",")]
    if "" in levels or len(set(levels)) < len(levels):
        fail("--reasoning takes levels that differ, apart by commas")
    from modalgen.evaluate.asking import DEFAULT

    return tuple(None if level == DEFAULT else level for level in levels)


def _object(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        value = json.loads(text)
        # Python reads what JSON has not: NaN and Infinity, numbers beyond all floats, halves of characters.
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        fail(f"--extra is not JSON: {error}")
    if not isinstance(value, dict):
        fail("--extra should be a JSON object")
    if _is_deeper(value, DEEPEST):
        fail(f"--extra is nested more than {DEEPEST} levels deep")
    return value


def _is_deeper(value: Any, levels: int) -> bool:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(levels == 0 or _is_deeper(part, levels - 1) for part in parts)


def _place(settings: RunSettings, data: Dataset) -> Path:
    """Where a run goes if nobody says: the same command finds the same place, any other another one."""
    from modalgen.files import json_line, sha256

    digest = sha256(json_line(settings.to_record(data)))[:8]
    return Path("out", "runs", f"{data.directory.resolve().name}-{settings.shards[0].name[:40]}-{digest}")


@contextmanager
def _served(model: LocalModel | None, base_url: str | None) -> Iterator[str | None]:
    from modalgen.evaluate.local import serving

    with serving(model) if model else nullcontext(base_url) as url:
        yield url


@contextmanager
def _failing() -> Iterator[None]:
    """End with a message where something cannot be used."""
    from modalgen.evaluate.asking import SettingsError
    from modalgen.evaluate.batch import BatchError
    from modalgen.evaluate.keys import SetupError
    from modalgen.evaluate.lexicon import LexiconError
    from modalgen.evaluate.local import LocalError
    from modalgen.evaluate.prices import PricesError
    from modalgen.evaluate.providers import ProviderError
    from modalgen.evaluate.runs import RunError
    from modalgen.records import DatasetError

    try:
        yield
    except (BatchError, DatasetError, LexiconError, LocalError, PricesError) as error:
        fail(*str(error).splitlines())
    except (ProviderError, RunError, SettingsError, SetupError) as error:
        fail(str(error))
    except OSError as error:
        fail(f"{error.filename or 'a file'}: {error.strerror or error}", code=NO)
