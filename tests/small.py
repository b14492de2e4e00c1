"""A small contrast spec and ways to build it, for the tests of builds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from modalgen.build import Build, Source
from modalgen.files import json_lines
from modalgen.gen.spec import load_contrast
from modalgen.records import pair_to_record

SPEC = """
schema: modalgen/contrast/1
id: small
title: Seriality, in small
rationale: A world that accesses nothing makes every necessity true.
axis: frame
sides:
  a: {frame: []}
  b: {frame: [serial]}
symbols: {atoms: [p, q]}
content:
  phi: {connectives: [not, and], max_depth: 1}
  psi: {connectives: [not, and], max_depth: 1}
templates:
  - {id: d-axiom, task: validity, conjecture: "□{phi} → ◇{phi}"}
  - {id: two-steps, task: validity, conjecture: "□□{phi} → ◇◇{phi}"}
  - {id: d-conjunct, task: inference, premises: ["□({phi} ∧ {psi})"], conjecture: "◇{phi}"}
limits: {modal_depth: 2, quantifier_depth: 0, size: 30}
select: {validity: 2, inference: 1, seed: 1}
"""


def write_spec(directory: Path, *changes: tuple[str, str], name: str = "small.yaml") -> Path:
    """The spec as a file, with texts replaced."""
    text = SPEC
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = directory / name
    path.write_text(text, encoding="utf-8")
    return path


def source(directory: Path, *changes: tuple[str, str]) -> Source:
    """The spec, loaded."""
    path = write_spec(directory, *changes)
    return Source(load_contrast(path), path.name, path.read_text(encoding="utf-8"))


def pairs_text(result: Build) -> str:
    """What `pairs.jsonl` would be."""
    return json_lines(map(pair_to_record, result.pairs))


def command(*arguments: str | Path) -> list[str]:
    """The console script as a command line of this interpreter."""
    return [sys.executable, "-c", "from modalgen.cli import main; main()", *map(str, arguments)]


def modalgen(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the console script in a process of its own."""
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, env={**os.environ, **environment}, check=False
    )


def contents(directory: Path) -> dict[str, bytes]:
    """The files of a dataset directory."""
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}
