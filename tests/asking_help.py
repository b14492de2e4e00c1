"""A small settled dataset, and runs on it without the command line."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from fault_server import Answer, Seen, chat

from modalgen.evaluate.asking import Request, RunSettings, requests
from modalgen.evaluate.dataset import Dataset, open_dataset
from modalgen.evaluate.keys import Secret
from modalgen.evaluate.prices import Price
from modalgen.evaluate.providers import Api, provider
from modalgen.evaluate.runner import Event, Limits, Summary, run
from modalgen.evaluate.runs import open_run
from modalgen.evaluate.transport import Endpoint
from modalgen.files import json_lines, sha256
from modalgen.records import DATASET_SCHEMA, PAIR_SCHEMA, identifier
from modalgen.syntax import parse

KEY = "sk-test-0123456789-SECRET"


def write_dataset(directory: Path, pairs: int = 6) -> Dataset:
    """A dataset of instances of the D axiom, settled by two deciders; `pairs` is at most 1,000."""
    lines = []
    for number in range(pairs):
        atom = f"a{number}"
        conjecture = f"□{atom} → ◇{atom}"
        lines.append(
            {
                "schema": PAIR_SCHEMA,
                "pair_id": identifier("seriality", (), parse(conjecture)),
                "spec": "seriality",
                "template": "d-axiom",
                "family": "d",
                "axis": "frame",
                "task": "validity",
                "premises": [],
                "conjecture": conjecture,
                "sides": {"a": _side([], False), "b": _side(["serial"], True)},
                "premise_status": "conjecture_only",
                "ablation": {},
                "profile": {},
                "profile_evidence": [],
                "difficulty": {"modal_depth": 1, "size": 5},
            }
        )
    directory.mkdir(parents=True)
    text = json_lines(lines)
    (directory / "pairs.jsonl").write_text(text, encoding="utf-8")
    manifest = {"schema": DATASET_SCHEMA, "files": {"pairs.jsonl": {"sha256": sha256(text), "lines": pairs}}}
    (directory / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return open_dataset(directory)


def _side(frame: list[str], label: bool) -> dict[str, Any]:
    status = "Theorem" if label else "CounterSatisfiable"
    return {
        "semantics": {"frame": frame, "domain": None},
        "label": label,
        "status": status,
        "resolution": "dual",
        "authority": "embedded",
        "deciders": {"cvc5": status, "eprover-tff": status},
        "evidence": [],
    }


def settings(url: str, *models: str, api: Api = Api.CHAT, **more: Any) -> RunSettings:
    """Settings for a server of no particular provider."""
    dialect = provider("compatible").dialect(api)
    return RunSettings(models or ("m1",), "compatible", url, dialect, **more)


def ask(
    wanted: RunSettings,
    dataset: Dataset,
    directory: Path,
    *,
    limits: Limits | None = None,
    price: Price | None = None,
    report: Callable[[Event], None] = lambda event: None,
    through: Callable[[Iterable[Request]], Iterable[Request]] = lambda stream: stream,
) -> Summary:
    """Make or continue a run, with hardly any wait between attempts."""
    target = Endpoint(wanted.dialect.api, wanted.served, Secret(KEY))
    with open_run(directory, wanted.to_record(dataset), dataset.directory) as writer:
        return asyncio.run(
            run(
                through(requests(wanted, dataset)),
                writer,
                target,
                limits or Limits(max_connections=4),
                price=lambda model: price,
                report=report,
                first_wait=0.001,
            )
        )


def by_prompt(seen: Seen, number: int) -> Answer:
    """An answer that shows whom and what it answers."""
    return chat(f"{seen.body['model']} {seen.body.get('reasoning_effort')} {sha256(seen.prompt)}")


def lines(run: Path) -> list[dict[str, Any]]:
    """Every line of every shard, as it stands."""
    return [json.loads(line) for path in sorted((run / "responses").iterdir()) for line in path.open()]


def slowly(seen: Seen, number: int) -> Answer:
    """An answer after a while."""
    return replace(by_prompt(seen, number), delay=0.02)
