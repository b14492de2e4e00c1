"""The tables of a report, from the scores; what each counts stands in its caption.

All but the overview are by one reader. Accuracies leave out runs without a specification: both sides of a
pair then have the same prompt, and one of them is right whatever the answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from modalgen.evaluate.answers import Outcome
from modalgen.evaluate.comparison import compare_conditions
from modalgen.evaluate.intervals import RESAMPLES
from modalgen.evaluate.logic_fit import LogicFit, logic_fits
from modalgen.evaluate.readings import READERS, in_order
from modalgen.evaluate.scoring import MISSING, NAME_ONLY, Score, expected_by_independence
from modalgen.view.report_data import SHORT_HASH, Findings, asked
from modalgen.view.report_formats import Cell, Counted, Number, Share, Table

CURVES = {"modal_depth": "modal depth", "size": "size"}
"""The dimensions of difficulty, and their names."""


def tables(findings: Findings) -> tuple[Table, ...]:
    """All tables of a report, in its order."""
    return (
        overview(findings),
        heat_map(findings),
        constants(findings),
        outcomes(findings),
        reasoning(findings),
        *(difficulty(findings, dimension) for dimension in CURVES),
        fits(findings),
        fitted_problems(findings),
        tokens(findings),
        missed(findings),
    )


def overview(findings: Findings) -> Table:
    """Side and pair accuracy of every cell, by both readers."""
    rows: list[tuple[Cell, ...]] = []
    for entry in findings.told:
        scores = entry.scores
        total = scores.totals[findings.reader, False]
        rows.append(
            (
                entry.number,
                entry.name,
                len(scores.pairs),
                scores.incomplete_pairs,
                total["side_accuracy"],
                *(scores.totals[reader, False]["pair_accuracy"] for reader in READERS),
                scores.totals[findings.reader, True]["pair_accuracy"],
                Share(expected_by_independence(total)),
                Share(scores.name_only(scores.tally(NAME_ONLY))["pair_accuracy"]),
            )
        )
    return Table(
        "overview",
        "Overview",
        f"Sides right ({findings.reader} reader) and pairs right on both sides, of all that was to be asked: "
        "what is empty, cut, refused, unreadable or still missing counts as wrong. If answered: of the "
        "pairs with an answer on both sides only. If independent: what the accuracies on valid and "
        "invalid sides would give if the answers to the two had nothing to do with each other. Name only: "
        "the best rule that sees nothing but the name of a side's semantics. Intervals: 95%, by bootstrap "
        "over families.",
        (
            "no.",
            "model",
            "pairs",
            "incomplete",
            "sides right",
            *(f"pairs right, {reader}" for reader in READERS),
            "if answered",
            "if independent",
            "name only",
        ),
        tuple(rows),
        heads=2,
    )


def heat_map(findings: Findings) -> Table:
    """Pair accuracy, model × contrast."""
    found = [(entry, findings.group(entry, "contrast")) for entry in findings.told]
    contrasts = in_order({contrast for _, scores in found for contrast in scores})
    rows = tuple(
        (entry.number, entry.name, *(_counted(scores.get(contrast)) for contrast in contrasts))
        for entry, scores in found
    )
    return Table(
        "contrasts",
        "Pair accuracy by contrast",
        f"Pairs right on both sides, of all pairs of the contrast ({findings.reader} reader), with Wilson's "
        "95% interval and the number of pairs.",
        ("no.", "model", *contrasts),
        rows,
        heads=2,
        across="contrast",
    )


def _counted(score: Score | None) -> Cell:
    """The rate of a group with its number of cases, unknown where the run asks nothing of the group."""
    return Number(None) if score is None else Counted(score)


def constants(findings: Findings) -> Table:
    """Who says the same to both sides."""
    names = ("constant", "always_yes", "always_no", "swapped")
    return Table(
        "constant",
        "Constant answers",
        f"Pairs with the same answer on both sides, always the affirmative word (Yes, True, Valid) or always "
        f"the other one, and pairs that are told apart the wrong way round; of all pairs ({findings.reader} "
        "reader). Intervals: 95%, by bootstrap over families.",
        ("no.", "model", "constant", "always yes", "always no", "swapped"),
        tuple(
            (
                entry.number,
                entry.name,
                *(entry.scores.totals[findings.reader, False][name] for name in names),
            )
            for entry in findings.told
        ),
        heads=2,
    )


def outcomes(findings: Findings) -> Table:
    """What came back for the sides."""
    kinds = [*map(str, Outcome), MISSING]
    rows: list[tuple[Cell, ...]] = []
    for entry in findings.entries:
        counts = entry.scores.outcomes[findings.reader]
        rows.append((entry.number, entry.name, *(counts[kind] for kind in kinds)))
    return Table(
        "outcomes",
        "Outcomes",
        f"Sides by what became of the request ({findings.reader} reader); all but “answer” count as wrong.",
        ("no.", "model", *(kind.replace("_", " ") for kind in kinds)),
        tuple(rows),
        heads=2,
    )


def reasoning(findings: Findings) -> Table:
    """Levels of reasoning of the same model, compared pair by pair."""
    names = {(id(entry.readings), entry.scores.cell): entry for entry in findings.entries}
    rows = []
    told = [readings for readings in findings.runs.values() if not readings.specification_omitted]
    for readings, found in compare_conditions(told, findings.reader):
        first, second = (names[id(readings), cell] for cell in (found.first, found.second))
        low, high = found.interval or (None, None)
        rows.append(
            (
                first.name,
                second.name,
                found.pairs,
                found.both,
                found.only_first,
                found.only_second,
                Number(100 * (found.only_first - found.only_second) / found.pairs, "+.1f"),
                Number(None if low is None else low * 100, "+.1f"),
                Number(None if high is None else high * 100, "+.1f"),
                Number(found.p_value, ".3g"),
                Number(found.adjusted, ".3g"),
            )
        )
    return Table(
        "reasoning",
        "Levels of reasoning",
        "Levels of reasoning of the same model in the same run, pair by pair: pairs right in both, in one "
        "only; the difference of the pair accuracies in percentage points with its 95% interval by bootstrap "
        "over families; the p-value of McNemar's exact test, also with Holm's correction for all rows.",
        (
            "A",
            "B",
            "pairs",
            "both",
            "only A",
            "only B",
            "A − B",
            "from",
            "to",
            "p",
            "p (Holm)",
        ),
        tuple(rows),
        heads=2,
    )


def difficulty(findings: Findings, dimension: str) -> Table:
    """Pair accuracy by a measure of difficulty."""
    word = CURVES[dimension]
    found = [(entry, findings.group(entry, dimension)) for entry in findings.told]
    values = in_order({value for _, scores in found for value in scores})
    return Table(
        dimension.replace("_", "-"),
        f"Pair accuracy by {word}",
        f"Pairs right on both sides ({findings.reader} reader), with Wilson's 95% interval and the number "
        "of pairs, by the "
        + (
            "largest modal depth of a formula."
            if dimension == "modal_depth"
            else "number of nodes of all its formulas together."
        ),
        ("no.", "model", *values),
        tuple(
            (entry.number, entry.name, *(_counted(scores.get(value)) for value in values))
            for entry, scores in found
        ),
        heads=2,
        across=word,
    )


def _fits(findings: Findings) -> Iterator[tuple[str, LogicFit]]:
    """Each fit with the name of the model, and of the run if several runs asked the model in the same way."""
    found = {run: logic_fits(readings, findings.reader) for run, readings in findings.runs.items()}
    often = Counter(name for fits in found.values() for name in fits)
    for run, fits in found.items():
        for (model, condition), by_axis in fits.items():
            name = asked(model, condition)
            yield from ((name if often[model, condition] == 1 else f"{name} ({run})", fit) for fit in by_axis)


def fits(findings: Findings) -> Table:
    """Which logic each model behaves like where it was not told one."""
    rows: list[tuple[Cell, ...]] = []
    for name, fit in _fits(findings):
        for place, group in enumerate(fit.groups):
            verdict = "best fit" if place == 0 else "within the noise" if group.possible else ""
            rows.append(
                (
                    name,
                    fit.axis,
                    " = ".join(group.logics),
                    group.wrong,
                    fit.kept,
                    Share(group.error_rate),
                    Number(group.log_likelihood, ".1f"),
                    Share(group.best),
                    verdict,
                )
            )
    return Table(
        "logic-fits",
        "Which logic do the answers fit?",
        "Where the specification was left out: for each logic the kept answers that are wrong in it, the "
        "error rate that makes them most likely (1% to 50%), the log-likelihood, and the share of "
        f"{RESAMPLES:,} resamples of the families in which the logic fits best. Logics joined by = have the "
        "same labels on all these problems. Within the noise: in more than 5% of the resamples it fits at "
        "least as well as the best.",
        ("model", "axis", "logic", "wrong", "of", "error rate", "log-likelihood", "best in", "verdict"),
        tuple(rows),
        heads=3,
    )


def fitted_problems(findings: Findings) -> Table:
    """What the fits rest on."""
    return Table(
        "logic-problems",
        "What the fits rest on",
        "Distinct problems that were asked without a specification. Left out, in this order: those whose "
        "label is not known in every logic, those without an answer both to “is it valid?” and to “can it "
        "fail?”, those whose answers contradict each other. Of the kept answers, how many say valid.",
        ("model", "axis", "problems", "no label", "unanswered", "inconsistent", "kept", "said valid"),
        tuple(
            (
                name,
                fit.axis,
                fit.problems,
                fit.unlabelled,
                fit.unanswered,
                fit.inconsistent,
                fit.kept,
                fit.said_valid,
            )
            for name, fit in _fits(findings)
        ),
        heads=2,
    )


def tokens(findings: Findings) -> Table:
    """Tokens and cost, as far as the servers say."""
    rows: list[tuple[Cell, ...]] = []
    for entry in findings.entries:
        found = list(entry.readings.cells[entry.scores.cell].values())
        usage = [[row.usage.get(kind) for row in found] for kind in ("input", "output", "reasoning")]
        costs = [row.cost for row in found]
        output = _known(usage[1])
        rows.append(
            (
                entry.number,
                entry.name,
                len(found),
                *(Number(sum(_known(counts)) if _known(counts) else None) for counts in usage),
                Number(sum(output) / len(output) if output else None, ",.1f"),
                Number(sum(_known(costs)) if _known(costs) else None, ",.4f"),
                len(costs) - len(_known(costs)),
            )
        )
    return Table(
        "tokens",
        "Tokens and cost",
        "Sums over the responses that count, as far as the server reports them (reasoning tokens are a part "
        "of output); the cost in US dollars, and for how many responses it is not known and not in the sum.",
        (
            "no.",
            "model",
            "responses",
            "input",
            "output",
            "of it reasoning",
            "output a response",
            "cost, $",
            "cost unknown",
        ),
        tuple(rows),
        heads=2,
    )


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def missed(findings: Findings) -> Table:
    """The pairs that all cells miss, with their datasets if there are several."""
    several = len(findings.datasets) > 1
    return Table(
        "missed",
        "Pairs that all models miss",
        f"Pairs of which no model gets both sides right ({findings.reader} reader), of those whose semantics "
        "were stated and that no run still has to ask.",
        (
            "pair",
            *(["dataset"] if several else []),
            "contrast",
            "task",
            "modal depth",
            "size",
            "asked of",
        ),
        tuple(
            (
                each.pair.pair_id,
                *([", ".join(name[:SHORT_HASH] for name in each.datasets)] if several else []),
                each.pair.place["contrast"],
                each.pair.place["task"],
                each.pair.modal_depth,
                each.pair.size,
                len(each.entries),
            )
            for each in findings.missed
        ),
    )
