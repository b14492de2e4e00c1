"""`modalgen build`: from specs to a dataset directory."""

from __future__ import annotations

import os
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from modalgen import render
from modalgen.commands.common import EXISTING_FILE, NO, fail, say_what_is_missing
from modalgen.printing import to_unicode


@click.command()
@click.argument("specs", nargs=-1, required=True, type=EXISTING_FILE)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Dataset directory [out/ID].")
@click.option("--jobs", type=click.IntRange(1, 256), default=os.cpu_count() or 1, show_default=True)
@click.option("--seed", type=int, help="Take this seed and not the specs' own.")
@click.option("--limit", type=click.IntRange(1), help="At most this many pairs of each spec.")
@click.option("--partial", is_flag=True, help="Write the dataset even if a quota is not met.")
def build(
    specs: tuple[Path, ...],
    output: Path | None,
    jobs: int,
    seed: int | None,
    limit: int | None,
    partial: bool,
) -> None:
    """Generate, label and write the contrast pairs that specs declare."""
    from modalgen.build import BuildError, Source, write_dataset
    from modalgen.build import Progress as Step
    from modalgen.build import build as run_build
    from modalgen.gen.diagnostics import Diagnostic
    from modalgen.gen.spec import SpecError, load_contrast

    console = Console(stderr=True)
    sources: list[Source] = []
    errors: list[Diagnostic] = []
    for path in specs:
        try:
            sources.append(Source(load_contrast(path), path.name, path.read_text(encoding="utf-8")))
        except SpecError as error:
            errors += error.diagnostics
    if errors:
        fail(*map(str, errors))
    ids = [source.contrast.id for source in sources]
    if output is None and len(ids) > 1:
        fail("several specs make one dataset: say where with -o DIR")
    if repeated := sorted({i for i in ids if ids.count(i) > 1}):
        fail(f"two of the specs have the id {repeated[0]!r}; ids must be distinct within a dataset")
    directory = output or Path("out") / ids[0]
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
    ) as bar:
        lines: dict[tuple[str, str], TaskID] = {}

        def report(step: Step) -> None:
            key = (step.spec, step.task)
            if key not in lines:
                lines[key] = bar.add_task(f"{step.spec}: {step.task}", total=step.wanted)
            bar.update(lines[key], completed=step.accepted)

        result = run_build(sources, jobs=jobs, seed=seed, limit=limit, report=report)
    console.print(render.build_summary(result))
    say_what_is_missing(console)
    for spec, rejection in result.alarms:
        formula = to_unicode(rejection.candidate.conjecture)
        console.print(f"[bold red]{rejection.reason.upper()}[/] in {spec}:", rejection.detail, formula)
    for s in result.shortfalls:
        console.print(
            f"[bold red]{s.spec}[/]: {s.accepted} of {s.wanted} {s.task} pairs; {s.wanted - s.accepted} are "
            "missing. Add templates or content, or lower the quota."
        )
    if result.shortfalls and not partial:
        fail("quotas are not met and nothing was written; --partial writes what there is", code=NO)
    try:
        write_dataset(result, directory)
    except BuildError as error:
        fail(str(error))
    except OSError as error:
        fail(f"{directory}: cannot be written: {error.strerror or error}", code=NO)
    console.print(f"{len(result.pairs)} pairs in {directory}")
    raise SystemExit(NO if result.alarms else 0)
