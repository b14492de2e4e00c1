"""`modalgen score` on a large run, against reading the run's lines.

    python benchmarks/score.py [RECORDS]

A run is made up: twenty models are asked about both sides of instances of modal axioms, in two hundred
families, and say Yes, No, something decorated, or nothing, half of them after a page of reasoning. Its lines
are as long as real ones, with the prompt, the request and the response as they are sent. Scored is as the
command does it, with groups, bootstrap and the file's text. The baseline decodes each line's JSON once, which
no way to score can do without. Times are of the processor; the default is 20,000 records.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from modalgen.evaluate.apis import RequestSettings, request_body
from modalgen.evaluate.asking import RunSettings
from modalgen.evaluate.dataset import Dataset, open_dataset
from modalgen.evaluate.prompts import prompt
from modalgen.evaluate.providers import Api, provider
from modalgen.evaluate.readings import read_readings
from modalgen.evaluate.runs import RESPONSE_SCHEMA, Shard, open_run
from modalgen.evaluate.scoring import score, scores_record
from modalgen.files import json_line, json_lines, sha256
from modalgen.records import DATASET_SCHEMA, PAIR_SCHEMA, pair_from_record
from modalgen.semantics import SYSTEMS, entails, semantics

MODELS, FAMILIES, SIDES = 20, 200, 2
AXIOMS = {
    "serial": "□{0} → ◇{0}",
    "reflexive": "□{0} → {0}",
    "symmetric": "{0} → □◇{0}",
    "transitive": "□{0} → □□{0}",
    "euclidean": "◇{0} → □◇{0}",
}
ANSWERS = ("Yes", "No", "**Yes**", "Answer: No.", "", "It depends on the model.")
REASONING = (
    "Let w be a world. Suppose that the antecedent is true at w, and consider the worlds it accesses. "
)


def pair_record(number: int) -> dict[str, Any]:
    """A pair: an instance of an axiom, valid where its condition holds and not on all frames."""
    condition, scheme = list(AXIOMS.items())[number % len(AXIOMS)]

    def side(frame: list[str], label: bool) -> dict[str, Any]:
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

    return {
        "schema": PAIR_SCHEMA,
        "pair_id": f"pair-{number}",
        "spec": condition,
        "template": "axiom",
        "family": str(number % FAMILIES),
        "axis": "frame",
        "task": "validity",
        "premises": [],
        "conjecture": scheme.format(f"(p{number} ∧ q)"),
        "sides": {"a": side([], False), "b": side([condition], True)},
        "premise_status": "conjecture_only",
        "ablation": {},
        "profile": {
            name: entails(semantics(members), semantics([condition])) for name, members in SYSTEMS.items()
        },
        "profile_evidence": [],
        "difficulty": {"modal_depth": 1 + number % 3, "size": 8 + number % 20},
    }


def make_dataset(directory: Path, pairs: int) -> Dataset:
    """The dataset of so many pairs."""
    directory.mkdir()
    text = json_lines(map(pair_record, range(pairs)))
    (directory / "pairs.jsonl").write_text(text, encoding="utf-8")
    manifest = {"schema": DATASET_SCHEMA, "files": {"pairs.jsonl": {"sha256": sha256(text), "lines": pairs}}}
    (directory / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return open_dataset(directory)


def make_run(directory: Path, dataset: Dataset, pairs: int) -> int:
    """The run; the number of its records."""
    rng = random.Random(2026)
    models = tuple(f"model-{number}" for number in range(MODELS))
    dialect = provider("compatible").dialect(Api.CHAT)
    settings = RunSettings(models, "compatible", "http://127.0.0.1:9", dialect)
    count = 0
    with open_run(directory, settings.to_record(dataset), dataset.directory) as writer:
        for number in range(pairs):
            pair = pair_from_record(pair_record(number))
            for side in ("a", "b"):
                asked = prompt(pair, side)
                for model in models:
                    body = request_body(dialect, RequestSettings(model), asked.text, ("Yes", "No"))
                    text = REASONING * rng.choice((0, 20)) + "\n\n" + rng.choice(ANSWERS)
                    choice = {"index": 0, "message": {"role": "assistant", "content": text}}
                    usage = {"input": 700, "output": len(text) // 4, "reasoning": None, "cached": 0}
                    record = {
                        "schema": RESPONSE_SCHEMA,
                        "item": f"{pair.pair_id}/{side}/valid",
                        "pair_id": pair.pair_id,
                        "side": side,
                        "polarity": "valid",
                        "model": model,
                        "condition": "default",
                        "prompt": asked.text,
                        "prompt_sha256": asked.sha256,
                        "request": body,
                        "request_sha256": sha256(json.dumps(body)),
                        "response": json.dumps({"choices": [choice], "usage": usage, "model": model}),
                        "reported": rng.choice((None, None, None, None, None, "truncated")),
                        "text": text,
                        "usage": usage,
                        "cost": 0.001,
                    }
                    writer.append(Shard(model, "default"), record)
                    count += 1
    return count


def main() -> None:
    """Print all figures."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    pairs = max(1, wanted // (MODELS * SIDES))
    with tempfile.TemporaryDirectory() as temporary:
        dataset = make_dataset(Path(temporary, "data"), pairs)
        run = Path(temporary, "run")
        records = make_run(run, dataset, pairs)
        shards = sorted((run / "responses").iterdir())
        megabytes = sum(path.stat().st_size for path in shards) / 1e6
        start = time.process_time()
        for path in shards:
            with path.open("rb") as stream:
                for line in stream:
                    json.loads(line)
        baseline = time.process_time() - start
        start = time.process_time()
        readings = read_readings(run)
        read = time.process_time() - start
        scored = {"run": (readings, list(score(readings)))}
        size = len(json_line(scores_record(scored)))
        seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{records} records, {megabytes:,.0f} MB: scored in {seconds:.1f} s, {read:.1f} s of it reading")
    print(f"decoding the lines once: {baseline:.1f} s; ratio {seconds / baseline:.2f}")
    print(f"scores.json: {size / 1e6:.1f} MB; at most {peak:,.0f} MB of memory")


if __name__ == "__main__":
    main()
