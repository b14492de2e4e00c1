"""`modalgen check`: judge one formula."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from rich.console import Console

from modalgen import render
from modalgen.commands.common import NO, OK, UNRESOLVED, fail, say_what_is_missing
from modalgen.kripke import model_to_record
from modalgen.printing import to_unicode
from modalgen.problem import Problem
from modalgen.records import semantics_to_record
from modalgen.semantics import CONDITIONS, DOMAINS, SYSTEMS, semantics


@click.command()
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
            console.print(render.countermodel(problem, judgment.countermodel))
        console.print(render.runs_table(judgment.verdicts))
        if settlement.resolution is Resolution.CONFLICT:
            console.print("The deciders disagree: one of them has a bug. Please report it.", style="bold red")
        say_what_is_missing(Console(stderr=True))
    raise SystemExit({True: OK, False: NO, None: UNRESOLVED}[settlement.label])


def _problem(
    formula: str, premises: tuple[str, ...], frame: tuple[str, ...], system: str | None, domain: str | None
) -> Problem:
    """The problem that the arguments of `check` describe; exits with a message if they do not."""
    from modalgen.gen.diagnostics import nearest
    from modalgen.nxf import NxfError, read_nxf
    from modalgen.syntax import parse

    text = formula
    from_file = formula.endswith(".p")
    if from_file or formula == "-":
        if formula == "-" and sys.stdin is None:
            fail("standard input is closed")
        try:
            text = (Path(formula).read_bytes() if from_file else sys.stdin.buffer.read()).decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            fail(f"{formula}: cannot be read: {error}")
    if from_file or text.lstrip().startswith(("tff(", "%", "thf(", "fof(", "cnf(")):
        if premises or frame or system or domain:
            fail("a TPTP problem states its own premises and semantics; leave the options out")
        try:
            return read_nxf(text)
        except (NxfError, ValueError) as error:
            fail(f"{formula}: {error}")
    conditions = [name for names in frame for name in names.replace(",", " ").split()]
    for name in conditions:
        if name not in CONDITIONS:
            meant = nearest(name, CONDITIONS)
            hint = f"did you mean {meant!r}?" if meant else f"known are {', '.join(CONDITIONS)}"
            fail(f"unknown frame condition {name!r}; {hint}")
    if system and conditions:
        fail("give the frame conditions by --frame or by --system, not both")
    try:
        return Problem(
            semantics(SYSTEMS[system] if system else conditions, domain),
            tuple(map(parse, premises)),
            parse(text.strip() if formula == "-" else text),
        )
    except ValueError as error:  # FormulaSyntaxError is one
        fail(str(error))
