"""`modalgen build`: from specs to a dataset directory."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from modalgen import render
from modalgen.commands.certify import authoritative
from modalgen.commands.common import EXISTING_FILE, NO, OK, fail, say_what_is_missing
from modalgen.nxf import to_nxf
from modalgen.printing import to_unicode


@click.command()
@click.argument("specs", nargs=-1, required=True, type=EXISTING_FILE)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Dataset directory [out/ID].")
@click.option("--jobs", type=click.IntRange(1, 256), default=os.cpu_count() or 1, show_default=True)
@click.option("--seed", type=int, help="Take this seed and not the specs' own.")
@click.option("--limit", type=click.IntRange(1), help="At most this many pairs of each spec.")
@click.option("--partial", is_flag=True, help="Write the dataset even if a quota is not met.")
@click.option(
    "--store",
    "store_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Evidence store [MODALGEN_STORE, or a file in the user's cache directory].",
)
@click.option("--no-store", is_flag=True, help="Make every run anew and remember none.")
@click.option(
    "--authority",
    type=click.Choice(["let"]),
    help="Also put every problem to Vampire, or to Leo-III if there is no Vampire, on LET's translation.",
)
@click.option(
    "--require-authority",
    type=click.Choice(["let"]),
    help="Do so and accept only pairs both of whose sides were decided that way.",
)
def build(
    specs: tuple[Path, ...],
    output: Path | None,
    jobs: int,
    seed: int | None,
    limit: int | None,
    partial: bool,
    store_path: Path | None,
    no_store: bool,
    authority: str | None,
    require_authority: str | None,
) -> None:
    """Generate, label and write the contrast pairs that specs declare.

    Prover runs are remembered in the evidence store: a build that was interrupted goes on where it
    was, and builds share what they found.
    """
    from modalgen.build import BuildError, SetSource, Source, check_place, write_dataset
    from modalgen.build import Progress as Step
    from modalgen.build import build as run_build
    from modalgen.gen.diagnostics import Diagnostic
    from modalgen.gen.spec import SpecError, load_contrast
    from modalgen.gen.spec_set import is_set, load_set
    from modalgen.oracle.guard import GuardError
    from modalgen.oracle.store import EvidenceStore, default_path
    from modalgen.oracle.verdict import DeciderMissing

    if no_store and store_path is not None:
        fail("give --store or --no-store, not both")
    console = Console(stderr=True)
    sources: list[Source] = []
    errors: list[Diagnostic] = []
    sets: list[SetSource] = []
    for path in specs:
        try:
            if is_set(path):
                spec_set = load_set(path)
                sets.append(SetSource(spec_set.id, path.name, path.read_text(encoding="utf-8")))
                members = spec_set.members
            else:
                members = ((path, load_contrast(path)),)
            sources += [Source(c, file.name, file.read_text(encoding="utf-8")) for file, c in members]
        except SpecError as error:
            errors += error.diagnostics
    if errors:
        fail(*map(str, errors))
    ids = [source.contrast.id for source in sources]
    if output is None and len(specs) > 1:
        fail("several specs make one dataset: say where with -o DIR")
    if repeated := sorted({i for i in ids if ids.count(i) > 1}):
        fail(f"two of the specs have the id {repeated[0]!r}; ids must be distinct within a dataset")
    directory = output or Path("out") / (sets[0].id if sets else ids[0])
    with _failing_at(directory):
        check_place(directory)
    extra = authoritative() if authority or require_authority else ()

    def say(sentence: str) -> None:
        console.print(sentence, markup=False, highlight=False, soft_wrap=True)

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with ExitStack() as stack:
        store = None
        if not no_store:
            store = stack.enter_context(EvidenceStore(store_path or default_path(), say))
        bar = stack.enter_context(Progress(*columns, console=console))
        lines: dict[tuple[str, str], TaskID] = {}

        def report(step: Step) -> None:
            key = (step.spec, step.task)
            if key not in lines:
                lines[key] = bar.add_task(f"{step.spec}: {step.task}", total=step.wanted)
            bar.update(lines[key], completed=step.accepted)

        try:
            result = run_build(
                sources,
                sets=sets,
                jobs=jobs,
                seed=seed,
                limit=limit,
                store=store,
                extra=extra,
                authority=require_authority,
                report=report,
            )
        except BuildError as error:
            fail(str(error))
        except (DeciderMissing, GuardError, OSError) as error:
            fail(f"a prover cannot be run any more: {error}", "the same command goes on from here", code=NO)
    console.print(render.build_summary(result))
    if store is not None and store.recalled:
        say(f"{store.recalled} runs were recalled from the evidence store {store.path}")
    say_what_is_missing(console)
    for spec, rejection in result.alarms:
        formula = to_unicode(rejection.candidate.conjecture)
        console.print(f"[bold red]{rejection.reason.upper()}[/] in {spec}:", rejection.detail, formula)
    for quarantine in result.quarantined:
        problem = to_nxf(quarantine.lie.problem)
        console.print(f"[bold red]QUARANTINED {quarantine.lie.engine}[/], no finding of it counts:", end=" ")
        say(f"on {quarantine.pair_id}, {quarantine.words}\n{problem}")
    for s in result.shortfalls:
        reasons = Counter(
            str(r.reason) for spec, r in result.rejections if (spec, r.candidate.task) == (s.spec, s.task)
        )
        turned_down = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common(3)) or "none"
        console.print(
            f"[bold red]{s.spec}[/]: {s.accepted} of {s.wanted} {s.task} pairs; {s.wanted - s.accepted} are "
            f"missing. Candidates turned down: {turned_down}. Let the grammar make larger formulas, add "
            "templates, or lower the quota."
        )
    if result.shortfalls and not partial:
        fail("quotas are not met and nothing was written; --partial writes what there is", code=NO)
    with _failing_at(directory):
        write_dataset(result, directory)
    say(f"{len(result.pairs)} pairs in {directory}")
    raise SystemExit(NO if result.alarms or result.quarantined else OK)


@contextmanager
def _failing_at(directory: Path) -> Iterator[None]:
    """End with a message if the dataset cannot be written there."""
    from modalgen.build import BuildError

    try:
        yield
    except BuildError as error:
        fail(str(error))
    except OSError as error:
        fail(f"{directory}: cannot be written: {error.strerror or error}", code=NO)
