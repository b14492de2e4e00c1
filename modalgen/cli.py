"""The command line: `modalgen validate | build | check | show | verify | provers`.

Exit codes: 0 all is well; 1 the command ran and the answer is no (for `check`: invalid); 2 the
input or the usage is wrong; 3 (`check` only) unresolved. Solvers are imported only by the commands
that run them.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import NoReturn

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
)

from modalgen import render
from modalgen.kripke import model_to_record
from modalgen.printing import to_unicode
from modalgen.problem import Problem
from modalgen.records import DatasetError, read_pairs, semantics_to_record
from modalgen.semantics import CONDITIONS, DOMAINS, SYSTEMS, semantics

VALID, INVALID, USAGE, UNRESOLVED = 0, 1, 2, 3

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_DATASET = click.Path(exists=True, file_okay=False, path_type=Path)


def main() -> NoReturn:
    """The console script."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # a terminal that cannot show □ shows ? instead of a traceback
            reconfigure(errors="replace")
    cli.main(prog_name="modalgen")
    raise SystemExit(0)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="modalgen")
def cli() -> None:
    """Contrast pairs for modal logic: one problem, two semantics, opposite labels that are proved."""


@cli.command()
@click.argument("specs", nargs=-1, required=True, type=_FILE)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to report.")
def validate(specs: tuple[Path, ...], form: str) -> None:
    """Check contrast specs (YAML) and report every error with its place."""
    from modalgen.gen.spec import check as check_spec

    diagnostics = [diagnostic for path in specs for diagnostic in check_spec(path)]
    faulty = {diagnostic.file for diagnostic in diagnostics if diagnostic.severity == "error"}
    if form == "json":
        click.echo(json.dumps([d.to_record() for d in diagnostics], ensure_ascii=False, indent=2))
    else:
        for diagnostic in diagnostics:
            click.echo(str(diagnostic), err=True)
        click.echo(f"{len(specs) - len(faulty)} of {len(specs)} specs are well-formed")
    raise SystemExit(USAGE if faulty else 0)


@cli.command()
@click.argument("specs", nargs=-1, required=True, type=_FILE)
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
        _fail(*map(str, errors))
    ids = [source.contrast.id for source in sources]
    if output is None and len(ids) > 1:
        _fail("several specs make one dataset: say where with -o DIR")
    if repeated := sorted({i for i in ids if ids.count(i) > 1}):
        _fail(f"two of the specs have the id {repeated[0]!r}; ids must be distinct within a dataset")
    directory = output or Path("out") / ids[0]
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
    ) as bar:
        lines: dict[tuple[str, str], object] = {}

        def report(step: Step) -> None:
            key = (step.spec, step.task)
            if key not in lines:
                lines[key] = bar.add_task(f"{step.spec}: {step.task}", total=step.wanted)
            bar.update(lines[key], completed=step.accepted)  # type: ignore[arg-type]

        result = run_build(sources, jobs=jobs, seed=seed, limit=limit, report=report)
    console.print(render.build_summary(result))
    _say_what_is_missing(console)
    for spec, rejection in result.alarms:
        formula = to_unicode(rejection.candidate.conjecture)
        console.print(f"[bold red]{rejection.reason.upper()}[/] in {spec}:", rejection.detail, formula)
    for s in result.shortfalls:
        console.print(
            f"[bold red]{s.spec}[/]: {s.accepted} of {s.wanted} {s.task} pairs; {s.wanted - s.accepted} are "
            "missing. Add templates or content, or lower the quota."
        )
    if result.shortfalls and not partial:
        _fail("quotas are not met and nothing was written; --partial writes what there is", code=1)
    try:
        write_dataset(result, directory)
    except BuildError as error:
        _fail(str(error))
    except OSError as error:
        _fail(f"{directory}: cannot be written: {error.strerror or error}", code=1)
    console.print(f"{len(result.pairs)} pairs in {directory}")
    raise SystemExit(1 if result.alarms else 0)


@cli.command()
@click.argument("formula")
@click.option(
    "--premise", "premises", multiple=True, help="A premise, true at the designated world. Repeatable."
)
@click.option(
    "--frame", "frame", multiple=True, help=f"Frame condition: {', '.join(CONDITIONS)}. Repeatable."
)
@click.option("--system", type=click.Choice(list(SYSTEMS)), help="Frame conditions by the system's name.")
@click.option("--domain", type=click.Choice(list(DOMAINS)), help="Domain regime of first-order problems.")
@click.option("--json", "as_json", is_flag=True, help="Report as JSON.")
def check(
    formula: str,
    premises: tuple[str, ...],
    frame: tuple[str, ...],
    system: str | None,
    domain: str | None,
    as_json: bool,
) -> None:
    """Judge one formula: is it valid, does it follow from the premises?

    FORMULA is text such as "□p → ◇p" or "[]p -> <>p", a file of the TPTP's non-classical form
    (FILE.p), or - to read either from standard input.
    """
    problem = _problem(formula, premises, frame, system, domain)
    from modalgen.oracle.judge import Oracle
    from modalgen.oracle.policy import Resolution

    with Oracle() as oracle:
        judgment = oracle.judge(problem)
    settlement = judgment.settlement
    word = {True: "valid", False: "invalid", None: str(settlement.resolution)}[settlement.label]
    if as_json:
        model = judgment.countermodel
        record = {
            "verdict": word,
            "status": settlement.status,
            "resolution": settlement.resolution,
            "authority": settlement.authority,
            "semantics": semantics_to_record(problem.semantics),
            "global_premises": [to_unicode(p) for p in problem.global_premises],
            "premises": [to_unicode(p) for p in problem.premises],
            "conjecture": to_unicode(problem.conjecture),
            "global_conjecture": problem.global_conjecture,
            "deciders": dict(settlement.deciders),
            "countermodel": None if model is None else model_to_record(model),
            "runs": [
                {
                    "decider": v.decider,
                    "route": v.route,
                    "version": v.version,
                    "command": list(v.command),
                    "status": v.status,
                    "seconds": round(v.seconds, 6),
                    "note": v.note,
                }
                for v in judgment.verdicts
            ],
        }
        click.echo(json.dumps(record, ensure_ascii=False, indent=2, sort_keys=True))
    else:
        console = Console()
        everywhere = [f"{to_unicode(p)}   (at every world)" for p in problem.global_premises]
        console.print(
            render.problem_lines(
                [*everywhere, *map(to_unicode, problem.premises)], to_unicode(problem.conjecture)
            )
        )
        console.print(
            f"{word.upper()} on {render.describe(problem.semantics)}", style="bold", highlight=False
        )
        if judgment.countermodel is not None:
            console.print(render.countermodel(judgment.countermodel))
        console.print(render.runs_table(judgment.verdicts))
        if settlement.resolution is Resolution.CONFLICT:
            console.print("The deciders disagree: one of them has a bug. Please report it.", style="bold red")
        _say_what_is_missing(Console(stderr=True))
    raise SystemExit({True: VALID, False: INVALID, None: UNRESOLVED}[settlement.label])


@cli.command()
@click.argument("dataset", type=_DATASET)
@click.argument("pair_id", required=False)
def show(dataset: Path, pair_id: str | None) -> None:
    """List a dataset's pairs, or show one pair with both sides (an unambiguous part of its id is enough)."""
    try:
        pairs = read_pairs(dataset)
    except DatasetError as error:
        _fail(str(error))
    console = Console()
    if pair_id is None:
        console.print(render.pairs_table(pairs))
        return
    found = [p for p in pairs if p.pair_id == pair_id] or [p for p in pairs if pair_id in p.pair_id]
    if len(found) != 1:
        _fail(f"{len(found) or 'no'} pairs of {dataset} have an id with {pair_id!r} in it")
    console.print(render.pair(found[0]))


@cli.command()
@click.argument("dataset", type=_DATASET)
def verify(dataset: Path) -> None:
    """Check a dataset's labels, evidence, hashes and countermodels from its files alone."""
    from modalgen.verify import verify as run_verify

    try:
        faults = run_verify(dataset)
        pairs = read_pairs(dataset) if not faults else []
    except DatasetError as error:
        _fail(str(error))
    for fault in faults:
        click.echo(f"{fault.where}: {fault.what}", err=True)
    click.echo(f"{len(faults)} faults" if faults else f"{len(pairs)} pairs hold")
    raise SystemExit(1 if faults else 0)


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="Report as JSON.")
def provers(as_json: bool) -> None:
    """List every known backend: whether it is there, its version, what it decides, how to get it."""
    from modalgen.oracle.registry import backends

    found = backends()
    if as_json:
        click.echo(json.dumps([vars(b) for b in found], ensure_ascii=False, indent=2, sort_keys=True))
    else:
        Console().print(render.provers_table(found))
    _say_what_is_missing(Console(stderr=True))


def _problem(
    formula: str, premises: tuple[str, ...], frame: tuple[str, ...], system: str | None, domain: str | None
) -> Problem:
    """The problem that the arguments of `check` describe; exits with a message if they do not."""
    from modalgen.gen.diagnostics import nearest
    from modalgen.nxf import NxfError, read_nxf
    from modalgen.syntax import parse

    text = formula
    if formula == "-":
        text = click.get_text_stream("stdin").read()
    elif formula.endswith(".p"):
        try:
            text = Path(formula).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            _fail(f"{formula}: cannot be read: {error}")
    if formula.endswith(".p") or text.lstrip().startswith(("tff(", "%", "thf(", "fof(", "cnf(")):
        if premises or frame or system or domain:
            _fail("a TPTP problem states its own premises and semantics; leave the options out")
        try:
            return read_nxf(text)
        except (NxfError, ValueError) as error:
            _fail(f"{formula}: {error}")
    conditions = [name for names in frame for name in names.replace(",", " ").split()]
    for name in conditions:
        if name not in CONDITIONS:
            meant = nearest(name, CONDITIONS)
            hint = f"did you mean {meant!r}?" if meant else f"known are {', '.join(CONDITIONS)}"
            _fail(f"unknown frame condition {name!r}; {hint}")
    if system and conditions:
        _fail("give the frame conditions by --frame or by --system, not both")
    try:
        return Problem(
            semantics(SYSTEMS[system] if system else conditions, domain),
            tuple(map(parse, premises)),
            parse(text.strip() if formula == "-" else text),
        )
    except ValueError as error:  # FormulaSyntaxError is one
        _fail(str(error))


def _say_what_is_missing(console: Console) -> None:
    """One plain sentence where an optional prover is not installed."""
    from modalgen.oracle.registry import PRIMARY, installed

    for decider in {d.name: d for d in PRIMARY}.keys() - {d.name for d in installed(PRIMARY)}:
        console.print(
            f"{decider} is not installed, so some labels have one decider only: see `modalgen provers`."
        )


def _fail(*messages: str, code: int = USAGE) -> NoReturn:
    for message in messages:
        click.echo(f"modalgen: {message}" if code else message, err=True)
    raise SystemExit(code)
