"""Reading a set of contrasts: which contrasts make one dataset, with how many pairs of each.

A set's file names the files of its members; what is wrong with one of these is reported at its own
place, as if it were read alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from modalgen.gen.contrast import Contrast
from modalgen.gen.diagnostics import Diagnostic, SpecError, in_file_order
from modalgen.gen.schema_check import Parts, file_format, schema_faults
from modalgen.gen.spec import check as check_contrast
from modalgen.gen.spec import load_contrast
from modalgen.gen.spec_checks import identifier_faults
from modalgen.gen.yaml_source import load_yaml


@dataclass(frozen=True)
class SpecSet:
    """A set: its members' files and contrasts, these with the set's quotas."""

    id: str
    title: str
    members: tuple[tuple[Path, Contrast], ...]


def is_set(path: Path) -> bool:
    """Whether the file says that it is a set. Raises SpecError if it cannot be read as YAML."""
    return bool(load_yaml(path)[0].get(("schema",)) == file_format("set"))


def check(path: Path) -> list[Diagnostic]:
    """Everything that is wrong with a file, be it a set or a contrast, and the warnings if nothing is."""
    try:
        if is_set(path):
            load_set(path)
            return []
    except SpecError as error:
        return list(error.diagnostics)
    return check_contrast(path)


def load_set(path: Path) -> SpecSet:
    """The set that a file declares.

    Raises SpecError with everything that is wrong with the file and with its members.
    """
    source, diagnostics = load_yaml(path)
    faults, parts = schema_faults(source, "set")
    diagnostics += [*faults, *identifier_faults(parts)]
    members: list[tuple[Path, Contrast]] = []
    first: dict[str, int] = {}
    for number in range(parts.count("members")):
        spec = parts.get("members", number, "spec")
        if spec is None:
            continue
        place = source.at_value(("members", number, "spec"))
        file = path.parent / spec
        if not file.is_file():
            diagnostics.append(Diagnostic(source.file, *place, f"there is no file `{file}`"))
            continue
        try:
            if is_set(file):
                message = f"`{spec}` is a set itself; a set's members are contrasts, so list its members here"
                diagnostics.append(Diagnostic(source.file, *place, message))
                continue
            contrast = load_contrast(file)
        except SpecError as error:
            diagnostics += error.diagnostics
            continue
        if first.setdefault(contrast.id, number) != number:
            message = f"`{contrast.id}` is a member already, number {first[contrast.id] + 1}"
            diagnostics.append(Diagnostic(source.file, *place, message))
        contrast = _with_quotas(contrast, parts, number)
        for task in ("validity", "inference"):
            if contrast.select.balanced and getattr(contrast.select, task) % 2:
                message = f"{task} pairs of `{contrast.id}` come in twos; make their number even"
                at = source.at_value(("members", number, task))
                diagnostics.append(Diagnostic(source.file, *at, message))
        members.append((file, contrast))
    if members and not any(c.select.validity or c.select.inference for _, c in members):
        message = "no pair of any member is asked for; give `validity` or `inference` a number above 0"
        diagnostics.append(Diagnostic(source.file, *source.at_key(("members",)), message))
    if any(diagnostic.severity == "error" for diagnostic in diagnostics):
        own = [diagnostic for diagnostic in diagnostics if diagnostic.file == source.file]
        others = [diagnostic for diagnostic in diagnostics if diagnostic.file != source.file]
        raise SpecError([*in_file_order(own), *others])
    return SpecSet(source.get(("id",)), source.get(("title",)).strip(), tuple(members))


def _with_quotas(contrast: Contrast, parts: Parts, number: int) -> Contrast:
    """The contrast with the quotas that the set gives it; its own where these are unusable."""
    wanted = {
        task: quota
        for task in ("validity", "inference")
        if (quota := parts.get("members", number, task)) is not None
    }
    return replace(contrast, select=replace(contrast.select, **wanted))
