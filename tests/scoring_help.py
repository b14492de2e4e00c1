"""Runs whose scores can be worked out by hand: a dataset of textbook pairs, and what was said of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from asking_help import settings

from modalgen.evaluate.asking import RunSettings
from modalgen.evaluate.dataset import Dataset, open_dataset
from modalgen.evaluate.runs import RESPONSE_SCHEMA, Shard, open_run
from modalgen.files import json_lines, sha256
from modalgen.formula import size
from modalgen.records import DATASET_SCHEMA, PAIR_SCHEMA
from modalgen.semantics import DOMAINS, SYSTEMS
from modalgen.syntax import parse

# Where the axioms hold (Garson, "Modal Logic", Stanford Encyclopedia of Philosophy, section 8), and
# the Barcan formula on arbitrary frames.
VALID_IN = {
    "D": "D T DB D4 D5 D45 B S4 S5",
    "T": "T B S4 S5",
    "B": "KB KB5 DB B S5",
    "4": "K4 K45 KB5 D4 D45 S4 S5",
    "5": "K5 K45 KB5 D5 D45 S5",
    "BF": "decreasing constant",
}


class Textbook(NamedTuple):
    """A pair: its spec, family, premises and conjecture, the semantics in which it is valid and the one
    in which it is not, the valid side, and the axiom with the same labels in all logics."""

    spec: str
    family: str
    premises: list[str]
    conjecture: str
    valid: tuple[str, str | None]
    invalid: tuple[str, str | None]
    valid_side: str
    axiom: str


PAIRS = {
    "p1": Textbook("seriality", "D", [], "□p → ◇p", ("serial", None), ("", None), "b", "D"),
    "p2": Textbook("seriality", "D", [], "□q → ◇q", ("serial", None), ("", None), "b", "D"),
    "p3": Textbook("seriality", "D inferred", ["□p"], "◇p", ("serial", None), ("", None), "b", "D"),
    "p4": Textbook("crossing", "T", [], "□p → p", ("reflexive", None), ("transitive", None), "a", "T"),
    "p5": Textbook("crossing", "4", [], "□p → □□p", ("transitive", None), ("reflexive", None), "b", "4"),
    "p6": Textbook(
        "domains", "BF", [], "(∀x □F(x)) → □∀x F(x)", ("", "constant"), ("", "varying"), "b", "BF"
    ),
    "p7": Textbook("seriality", "D", [], "□r → ◇r", ("serial", None), ("", None), "b", "D"),
    "p8": Textbook("seriality", "D", [], "□s → ◇s", ("serial", None), ("", None), "b", "D"),
    "p9": Textbook("seriality", "D inferred", ["□q"], "◇q", ("serial", None), ("", None), "b", "D"),
    "p10": Textbook("seriality", "D twice", [], "□□p → ◇◇p", ("serial", None), ("", None), "b", "D"),
}

# What the valid and the invalid side of each pair get: texts, or what the server reports. A list are
# the lines of an item that was asked again; None is a side that has not been asked.
TRANSPORT = {"reported": "transport_error", "text": None}
GOLDEN: dict[str, tuple[Any, Any]] = {
    "p1": ("Yes", "No"),
    "p2": ("**Yes**", "No"),
    "p3": ("No", "Yes"),
    "p4": ("Yes", "Yes"),
    "p5": ("No", "No"),
    "p6": ({"reported": "truncated", "text": "Yes"}, {"reported": "content_filter", "text": None}),
    "p7": ({"reported": "http_error", "text": None}, None),
    "p8": ("", "I cannot help with that."),
    "p9": (TRANSPORT, "Maybe."),
    "p10": ([TRANSPORT, "Yes"], "Yes or no."),
}


def make_dataset(directory: Path, records: Iterable[Mapping[str, Any]]) -> Dataset:
    """A dataset directory with these pairs, as the evaluation opens it."""
    lines = list(records)
    directory.mkdir()
    text = json_lines(lines)
    (directory / "pairs.jsonl").write_text(text, encoding="utf-8")
    files = {"pairs.jsonl": {"sha256": sha256(text), "lines": len(lines)}}
    manifest = {"schema": DATASET_SCHEMA, "files": files}
    (directory / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return open_dataset(directory)


def pair_record(name: str, pair: Textbook) -> dict[str, Any]:
    """A pair as a line of pairs.jsonl holds it; its evidence is left out."""
    sides = {
        pair.valid_side: _side(*pair.valid, True),
        "b" if pair.valid_side == "a" else "a": _side(*pair.invalid, False),
    }
    formulas = [parse(text) for text in (*pair.premises, pair.conjecture)]
    depth = pair.conjecture.split("→")[-1].count("□") + pair.conjecture.count("◇") or 1
    logics = DOMAINS if pair.valid[1] else SYSTEMS
    return {
        "schema": PAIR_SCHEMA,
        "pair_id": name,
        "spec": pair.spec,
        "template": "t",
        "family": pair.family,
        "axis": "domain" if pair.valid[1] else "frame",
        "task": "inference" if pair.premises else "validity",
        "premises": pair.premises,
        "conjecture": pair.conjecture,
        "sides": sides,
        "premise_status": "premise_dependent" if pair.premises else "conjecture_only",
        "ablation": {},
        "profile": {logic: logic in VALID_IN[pair.axiom].split() for logic in logics},
        "profile_evidence": [],
        "difficulty": {"modal_depth": depth, "size": sum(map(size, formulas))},
    }


def _side(frame: str, domain: str | None, label: bool) -> dict[str, Any]:
    status = "Theorem" if label else "CounterSatisfiable"
    return {
        "semantics": {"frame": [frame] if frame else [], "domain": domain},
        "label": label,
        "status": status,
        "resolution": "dual",
        "authority": "embedded",
        "deciders": {"cvc5": status, "eprover-tff": status},
        "evidence": [],
    }


def write_run(
    directory: Path,
    dataset: Dataset,
    said: Mapping[str, tuple[Any, Any]],
    wanted: RunSettings | None = None,
    *,
    model: str = "m1",
    condition: str = "default",
    polarity: str = "valid",
) -> Path:
    """A run with these responses, written as the runner writes it: for each pair what the valid and
    what the invalid side got."""
    wanted = wanted or settings("http://127.0.0.1:9", model)
    shard = Shard(model, condition)
    with open_run(directory, wanted.to_record(dataset), dataset.directory) as writer:
        for name, contents in said.items():
            valid_side = PAIRS[name].valid_side if name in PAIRS else "b"
            sides = (valid_side, "b" if valid_side == "a" else "a")
            for side, content in zip(sides, contents, strict=True):
                for line in content if isinstance(content, list) else [content]:
                    if line is not None:
                        writer.append(shard, _response(shard, name, side, polarity, line))
    return directory


def _response(shard: Shard, name: str, side: str, polarity: str, line: Any) -> dict[str, Any]:
    says = line if isinstance(line, dict) else {"reported": None, "text": line}
    return {
        "schema": RESPONSE_SCHEMA,
        "item": f"{name}/{side}/{polarity}",
        "pair_id": name,
        "side": side,
        "polarity": polarity,
        "model": shard.model,
        "condition": shard.condition,
        "prompt": f"{name}?",
        "prompt_sha256": sha256(f"{name}?"),
        "request_sha256": sha256(f"{name}/{side}/{polarity}"),
        "usage": {"input": None, "output": None, "reasoning": None, "cached": None},
        "cost": None,
        **says,
    }
