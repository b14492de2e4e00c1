"""What the terminal shows: verdicts, countermodels, pairs and summaries, drawn with rich."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from modalgen.kripke import KripkeModel
from modalgen.printing import printable, to_unicode
from modalgen.problem import Problem
from modalgen.records import Pair, summarize
from modalgen.semantics import Semantics, system_name
from modalgen.view.explanation import explain
from modalgen.view.terminal import Countermodel, explanation

if TYPE_CHECKING:  # these import the solvers, which showing a dataset does not need
    from modalgen.audit import Audit
    from modalgen.build import Build
    from modalgen.oracle.registry import BackendReport
    from modalgen.oracle.verdict import Verdict


def plain(text: str, style: str = "") -> Text:
    """The text as it is: nothing in it is markup of rich, and no terminal obeys it."""
    return Text(printable(text), style)


def describe(semantics: Semantics) -> str:
    """A semantics in a few words: `reflexive, transitive (S4); cumulative domains`."""
    frame = ", ".join(semantics.frame) or "arbitrary frames"
    if name := system_name(semantics.frame):
        frame += f" ({name})"
    return frame + (f"; {semantics.domain} domains" if semantics.domain else "")


def problem_lines(premises: Sequence[str], conjecture: str) -> Text:
    """Premises above the line, the conjecture behind the turnstile."""
    text = Text()
    for premise in premises:
        text.append(f"{printable(premise)}\n")
    text.append("⊢ " if premises else "⊨ ", style="bold")
    text.append(printable(conjecture))
    return text


def runs_table(verdicts: Sequence[Verdict]) -> Table:
    """Who ran, what they said and how long it took."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("decider", "status", "ms", "note"):
        table.add_column(column, justify="right" if column == "ms" else "left", overflow="fold")
    for v in verdicts:
        style = "bold" if v.decisive else "dim"
        table.add_row(plain(v.decider), Text(str(v.status), style), f"{1000 * v.seconds:.0f}", plain(v.note))
    return table


def countermodel(problem: Problem, model: KripkeModel) -> RenderableType:
    """The model drawn, and why it is a countermodel to the problem, or why it is none."""
    try:
        words = explanation(explain(problem, model))
    except ValueError as error:
        words = plain(str(error), "bold red")
    return Group(Countermodel(model), words)


def _side(item: Pair, name: str) -> RenderableType:
    side = item.sides[name]
    label = Text("valid", "bold green") if side.label else Text("not valid", "bold red")
    rows: list[RenderableType] = [
        Text.assemble(
            f"{name}: {describe(side.semantics)} — ",
            label,
            printable(f" ({side.resolution}, {side.authority})"),
        ),
        plain("  " + ", ".join(f"{d}: {s}" for d, s in side.deciders.items()), "dim"),
    ]
    if side.countermodel is not None:
        rows.append(countermodel(item.problem(name), side.countermodel))
    return Group(*rows)


def pair(item: Pair) -> RenderableType:
    """One pair with both sides."""
    problem = problem_lines([to_unicode(p) for p in item.premises], to_unicode(item.conjecture))
    sides = [_side(item, name) for name in item.sides]
    head = plain(f"{item.pair_id}  {item.task}, template {item.template}, {item.premise_status}", "dim")
    return Panel(Group(head, Text(), problem, Text(), *sides), expand=False, box=box.ROUNDED)


def pairs_table(pairs: Sequence[Pair]) -> Table:
    """One line a pair."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("pair", "task", "premises", "conjecture", "a", "b"):
        table.add_column(column, overflow="fold")
    for item in pairs:
        premises = ", ".join(to_unicode(p) for p in item.premises)
        labels = ["valid" if item.sides[side].label else "invalid" for side in ("a", "b")]
        cells = (item.pair_id, item.task, premises, to_unicode(item.conjecture), *labels)
        table.add_row(*map(plain, cells))
    return table


def build_summary(result: Build) -> RenderableType:
    """Counts by spec and task with the number of modal schemas, and the reasons of rejection."""
    counts = summarize(result.pairs)
    families: dict[tuple[str, str], set[str]] = {}
    for item in result.pairs:
        families.setdefault((item.spec, item.task), set()).add(item.family)
    table = Table(title="pairs", box=box.SIMPLE_HEAD, pad_edge=False, title_justify="left")
    for column in ("spec", "task", "dual", "single", "wanted", "families"):
        table.add_column(column, justify="left" if column in ("spec", "task") else "right")
    for source in result.sources:
        for task in ("validity", "inference"):
            dual, single = (counts[source.contrast.id, task, r] for r in ("dual", "single"))
            wanted = getattr(source.contrast.select, task)
            schemas = len(families.get((source.contrast.id, task), ()))
            table.add_row(plain(source.contrast.id), task, *map(str, (dual, single, wanted, schemas)))
    # Always told, also if there are none: these are the two that matter.
    reasons = Counter({"unresolved": 0, "conflict": 0})
    reasons.update(str(rejection.reason) for _, rejection in result.rejections)
    words = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
    return Group(table, Text(f"rejected: {words}"), Text(f"runs in the evidence: {len(result.evidence)}"))


def provers_table(backends: Sequence[BackendReport]) -> Table:
    """Every known backend."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("backend", "found", "decides", "path", "how to get it"):
        table.add_column(column, overflow="fold")
    for b in backends:
        found = b.version or ("not usable" if b.path else "no")
        table.add_row(
            plain(b.name),
            plain(found, "green" if b.version else "red"),
            plain(b.decides),
            plain(b.path or ""),
            plain(b.how_to_get),
        )
    return table


def audit(found: Audit) -> RenderableType:
    """Faults, balance, families and shortcut baselines."""
    return Group(
        Text(
            f"{len(found.faults)} faults, {len(found.repeated)} repeated problems, "
            f"{len(found.shared)} shared with another contrast"
        ),
        Text("; ".join(f"{count} sides by {what}" for what, count in found.shown.items())),
        *(plain(f"{fault.where}: {fault.what}", "red") for fault in found.faults),
        *(plain(words, "red") for words in found.repeated),
        _table(
            "valid sides by condition",
            ("spec", "task", "condition", "valid", "of"),
            [(b.spec, b.task, b.condition, str(b.valid), str(b.sides)) for b in found.balance],
        ),
        _table(
            "pairs",
            ("spec", "validity", "inference", "dual", "families", "most", "both", "open"),
            [
                (
                    c.spec,
                    *map(str, (c.validity, c.inference, c.dual, c.families, c.largest, c.mixed)),
                    str(c.open_ablations + c.open_profiles),
                )
                for c in found.composition
            ],
        ),
        *(
            _table(
                title,
                ("shortcut", "sides right", "95 %", "pairs right"),
                [
                    (
                        r.baseline,
                        f"{r.sides_right / r.sides:.1%}",
                        f"{r.interval[0]:.1%} – {r.interval[1]:.1%}",
                        f"{r.pairs_right / r.pairs:.1%}",
                    )
                    for r in results
                ],
            )
            for title, results in (
                ("shortcuts on pairs that exchange a condition", found.crossing),
                ("shortcuts on all pairs", found.all_pairs),
            )
            if results
        ),
        *(
            _table(
                "pairs right by shortcuts that join formula and condition, for each contrast",
                ("spec", *(result.baseline.replace(" × condition", "") for result in rows)),
                [
                    (spec, *(f"{result.pairs_right / result.pairs:.1%}" for result in results))
                    for spec, results in found.by_contrast.items()
                ],
            )
            for rows in list(found.by_contrast.values())[:1]
        ),
        *(plain(f"{leak.baseline} is not at chance where it must be", "bold red") for leak in found.leaks),
    )


def _table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = Table(title=title, box=box.SIMPLE_HEAD, pad_edge=False, title_justify="left")
    for number, column in enumerate(columns):
        # The first says what the row is about: if something has to be broken, then other headers.
        table.add_column(plain(column), overflow="fold", no_wrap=number == 0)
    for row in rows:
        table.add_row(*map(plain, row))  # as it is: names in a dataset are no markup
    return table
