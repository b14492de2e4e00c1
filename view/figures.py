"""Figures for a paper, as SVG and PDF, drawn by Matplotlib.

The files depend on nothing but the scores: no date is in them, and the ids of the SVG are made from a
fixed salt. Cells are told apart by marks and dashes, so that the figures can be printed in black.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from modalgen.evaluate.readings import in_order
from modalgen.evaluate.scoring import Score, expected_by_independence
from modalgen.files import replaced_file
from modalgen.view.report_data import Findings
from modalgen.view.report_formats import bounds, percent
from modalgen.view.report_tables import CURVES

SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "modalgen",
    "pdf.fonttype": 42,  # TrueType: journals refuse the other kind
    "font.family": "DejaVu Sans",  # comes with Matplotlib, and has the symbols
    "font.size": 8,
    "text.usetex": False,
    "text.parse_math": False,  # a model's name may hold a $
    "axes.spines.top": False,
    "axes.spines.right": False,
}
MARKS, LINES = "osD^vP*X", ("-", "--", "-.", ":")
# What Matplotlib writes into a file, without the date.
_METADATA: dict[str, dict[str, None]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}


def write_figures(directory: Path, findings: Findings) -> list[Path]:
    """Write all figures that there is something to show in; their paths. Raises OSError."""
    directory.mkdir(parents=True, exist_ok=True)
    paths = []
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # and nothing of the user's own settings
        matplotlib.rcParams.update(SETTINGS)
        for name, figure in _figures(findings):
            for kind, metadata in _METADATA.items():
                path = directory / f"{name}.{kind}"
                with replaced_file(path) as stream:
                    figure.savefig(stream, format=kind, metadata=metadata, bbox_inches="tight")
                paths.append(path)
    return paths


def _figures(findings: Findings) -> Iterator[tuple[str, Figure]]:
    if findings.told:
        yield "contrasts", _heat_map(findings)
        yield "independence", _independence(findings)
        for dimension in CURVES:
            yield dimension.replace("_", "-"), _curves(findings, dimension)


def _heat_map(findings: Findings) -> Figure:
    """Pair accuracy, model × contrast."""
    found = [findings.group(entry, "contrast") for entry in findings.told]
    contrasts = in_order({contrast for scores in found for contrast in scores})
    figure = Figure(figsize=(1.8 + 0.95 * len(contrasts), 0.9 + 0.42 * len(found)))
    axes = figure.subplots()
    rates = [[_rate(scores.get(contrast)) for contrast in contrasts] for scores in found]
    axes.imshow(rates, cmap="Blues", vmin=0, vmax=1.3, aspect="auto")
    for y, scores in enumerate(found):
        for x, contrast in enumerate(contrasts):
            axes.text(x, y, _in_cell(scores.get(contrast)), ha="center", va="center", fontsize=7)
    axes.set_xticks(range(len(contrasts)), contrasts, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(found)), [entry.name for entry in findings.told])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return figure


def _in_cell(score: Score | None) -> str:
    if score is None or score.rate is None or score.interval is None:
        return "–"
    return f"{percent(score)}\n{bounds(score.interval)}, n={score.of}"


def _independence(findings: Findings) -> Figure:
    """Side against pair accuracy, with the line on which independent answers lie."""
    figure = Figure(figsize=(3.6, 3.4))
    axes = figure.subplots()
    steps = [step / 100 for step in range(101)]
    axes.plot(
        steps, [step * step for step in steps], color="black", linewidth=0.8, label="independent answers"
    )
    axes.plot(
        [0, 1, 0.5], [0, 1, 0], color="grey", linewidth=0.6, linestyle=":", label="limits of the possible"
    )
    for place, entry in enumerate(findings.told):
        total = entry.scores.totals[findings.reader, False]
        side, pair = total["side_accuracy"], total["pair_accuracy"]
        expected = expected_by_independence(total)
        line = axes.errorbar(
            [_rate(side)],
            [_rate(pair)],
            yerr=_whiskers([pair]),
            xerr=_whiskers([side]),
            fmt=MARKS[place % len(MARKS)],
            markersize=4,
            linewidth=0.6,
            label=entry.name,
            clip_on=False,
        )
        if expected is not None:
            axes.plot(
                [_rate(side)], [expected], "D", markersize=4, fillstyle="none", color=line[0].get_color()
            )
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="sides right", ylabel="pairs right", aspect="equal")
    axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1), frameon=False)
    return figure


def _curves(findings: Findings, dimension: str) -> Figure:
    """Pair accuracy by a dimension of difficulty."""
    found = [(entry, findings.group(entry, dimension)) for entry in findings.told]
    values = in_order({value for _, scores in found for value in scores})
    figure = Figure(figsize=(max(3.0, 0.6 * len(values) + 1), 2.4))
    axes = figure.subplots()
    for place, (entry, scores) in enumerate(found):
        own = [value for value in values if value in scores]
        # Lines stand a little beside each other, so that their intervals can be told apart.
        shift = 0.06 * (place - (len(found) - 1) / 2)
        axes.errorbar(
            [values.index(value) + shift for value in own],
            [_rate(scores[value]) for value in own],
            yerr=_whiskers([scores[value] for value in own]),
            marker=MARKS[place % len(MARKS)],
            linestyle=LINES[place % len(LINES)],
            markersize=3.5,
            linewidth=0.8,
            elinewidth=0.5,
            label=entry.name,
            clip_on=False,
        )
    axes.set_xticks(range(len(values)), values)
    axes.set(ylim=(0, 1), xlabel=CURVES[dimension], ylabel="pairs right")
    axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1), frameon=False)
    return figure


def _rate(score: Score | None) -> float:
    """The rate as Matplotlib has it, nan where there is none."""
    return float("nan") if score is None or score.rate is None else score.rate


def _whiskers(scores: list[Score]) -> list[list[float]]:
    """How far the intervals reach below and above the rates."""
    reach = [(score.interval or (_rate(score), _rate(score)), _rate(score)) for score in scores]
    return [
        [max(0.0, rate - low) for (low, _), rate in reach],
        [max(0.0, high - rate) for (_, high), rate in reach],
    ]
