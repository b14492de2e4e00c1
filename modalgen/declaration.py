"""What the specs in a dataset's manifest declare, and whether the pairs keep to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from modalgen.gen.contrast import Contrast
from modalgen.gen.diagnostics import SpecError
from modalgen.gen.spec import load_contrast
from modalgen.records import SIDES, Pair


def declaration_faults(manifest: Mapping[str, Any], pairs: Sequence[Pair]) -> Iterator[str]:
    """What is wrong with the manifest's specs, and with pairs by them: their semantics, axis, template
    and number. Raises KeyError or TypeError if the manifest is none."""
    contrasts: dict[str, Contrast] = {}
    for source in manifest["specs"]:
        try:
            contrasts[source["id"]] = _declared(source["id"], source["source"])
        except SpecError as error:
            yield f"the text of {source['id']} is no contrast: {error.diagnostics[0].message}"
    for pair in pairs:
        if (contrast := contrasts.get(pair.spec)) is not None:
            yield from (f"{pair.pair_id}: {what}" for what in _departures(pair, contrast))
    wanted = {
        (source["id"], task): most for source in manifest["specs"] for task, most in source["wanted"].items()
    }
    for (spec, task), count in Counter((pair.spec, pair.task) for pair in pairs).items():
        if count > wanted.get((spec, task), 0):
            yield f"{count} {task} pairs of {spec} are more than were asked for"


def _declared(spec: str, text: str) -> Contrast:
    with TemporaryDirectory() as directory:
        # A contrast is called like its file; where the id is no file's name it is no contrast's either.
        path = Path(directory) / Path(f"{spec}.yaml").name
        path.write_text(text, encoding="utf-8")
        return load_contrast(path)


def _departures(pair: Pair, contrast: Contrast) -> Iterator[str]:
    if tuple(pair.sides[name].semantics for name in SIDES) != contrast.sides or pair.axis != contrast.axis:
        yield f"its sides are not those that {contrast.id} declares"
    tasks = {template.id: template.task for template in contrast.templates}
    tasks |= {grammar.id: grammar.task for grammar in contrast.grammar}
    if tasks.get(pair.template) != pair.task:
        yield f"{contrast.id} has no template or grammar {pair.template!r} for {pair.task}"
