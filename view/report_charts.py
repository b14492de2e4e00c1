"""The charts of a report's page, as SVG that takes its colours from the page.

Cells are told apart by their numbers, which stand beside their marks, and the lines of a model also by
dashes and marks; colour says nothing that these do not say. What a chart shows stands as numbers in a
table of the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby

from markupsafe import Markup, escape

from modalgen.evaluate.readings import in_order
from modalgen.evaluate.scoring import Score, expected_by_independence
from modalgen.view.page import legible
from modalgen.view.report_data import Entry, Findings
from modalgen.view.report_formats import percent

Point = tuple[float, float]
DASHES = ("none", "6 3", "2 3", "8 3 2 3", "1 2", "12 4")


@dataclass(frozen=True)
class Chart:
    """An SVG element, which says in its label what it shows, and a heading."""

    title: str
    svg: Markup


@dataclass(frozen=True)
class Frame:
    """Where the axes of a chart stand: rates from 0 to 1 go up, something else to the right."""

    width: float
    height: float
    left: float = 54
    right: float = 16
    top: float = 10
    bottom: float = 40

    def x(self, share: float) -> float:
        """The place of a share of the width."""
        return self.left + share * (self.width - self.left - self.right)

    def y(self, rate: float) -> float:
        """The height of a rate."""
        return self.height - self.bottom - rate * (self.height - self.top - self.bottom)


def independence(findings: Findings) -> Chart | None:
    """Side against pair accuracy, with the line on which independent answers lie; None if there are no
    cells to show."""
    points = [(entry, *_accuracies(entry, findings.reader)) for entry in findings.told]
    if not points:
        return None
    frame = Frame(420, 380)
    steps = [step / 40 for step in range(41)]
    bounds = f"{_path(frame, [(0, 0), (1, 1)])} {_path(frame, [(0.5, 0), (1, 1)])}"
    body: list[str] = [
        *_grid(frame, "pairs right"),
        *(_text(frame.x(r), frame.height - 24, percent(r), "middle") for r in (0, 0.25, 0.5, 0.75, 1)),
        _text(frame.x(0.5), frame.height - 6, "sides right", "middle"),
        f'<path class="bound" d="{bounds}"/>',
        f'<path class="line" d="{_path(frame, [(s, s * s) for s in steps])}"/>',
    ]
    marks = [(frame.x(side), frame.y(pair.rate or 0.0)) for _, side, pair, _ in points]
    for (_, _, pair, expected), (x, y) in zip(points, marks, strict=True):
        body.append(_whisker(frame, x, pair))
        if expected is not None:
            at = frame.y(expected)
            body.append(f'<path class="apart" d="M{x:.1f} {y:.1f}V{at:.1f}"/>')
            body.append(f'<path class="hollow" d="M{x:.1f} {at - 5:.1f}l5 5l-5 5l-5 -5z"/>')
        body.append(f'<circle class="mark" cx="{x:.1f}" cy="{y:.1f}" r="4"/>')
    labels = _labels(marks)
    body += [_text(*place, str(entry.number)) for (entry, *_), place in zip(points, labels, strict=True)]
    words = "; ".join(
        f"{entry.number}, {entry.name}: sides {percent(side)}, pairs {percent(pair)}"
        for entry, side, pair, _ in points
    )
    return Chart(
        "Sides right against pairs right",
        _svg(frame, f"Scatter plot of pairs right against sides right. {words}.", body),
    )


def curves(findings: Findings, dimension: str) -> tuple[Chart, ...]:
    """Pair accuracy by a dimension of difficulty, one chart for each model of each run."""
    charts = []
    groups = [
        (run, model, list(group))
        for (run, model), group in groupby(findings.told, key=lambda e: (e.run, e.scores.cell.model))
    ]
    often = Counter(model for _, model, _ in groups)
    for run, model, entries in groups:
        found = [(entry, findings.group(entry, dimension)) for entry in entries]
        values = in_order(set(chain.from_iterable(scores for _, scores in found)))
        title = model if often[model] == 1 else f"{model} ({run})"
        charts.append(Chart(title, _curves(found, values, dimension.replace("_", " "))))
    return tuple(charts)


def _curves(
    found: Sequence[tuple[Entry, Mapping[str, Score]]], values: Sequence[str], measure: str
) -> Markup:
    frame = Frame(max(260, 70 + 44 * len(values)), 230, right=30)
    places = {value: (n + 0.5) / len(values) for n, value in enumerate(values)}
    body = [
        *_grid(frame, "pairs right"),
        *(_text(frame.x(place), frame.height - 24, value, "middle") for value, place in places.items()),
        _text(frame.x(0.5), frame.height - 6, measure, "middle"),
    ]
    ends, words = [], []
    for number, (entry, scores) in enumerate(found):
        # Lines stand a little beside each other, so that their intervals can be told apart.
        shift = 5 * (number - (len(found) - 1) / 2)
        marks = [(frame.x(places[v]) + shift, scores[v]) for v in values if v in scores]
        line = " ".join(f"{x:.1f},{frame.y(score.rate or 0.0):.1f}" for x, score in marks)
        dashes = DASHES[number % len(DASHES)]
        body.append(f'<polyline class="curve" stroke-dasharray="{dashes}" points="{line}"/>')
        for x, score in marks:
            body += [_whisker(frame, x, score), _mark(number, x, frame.y(score.rate or 0.0))]
        ends.append((marks[-1][0], frame.y(marks[-1][1].rate or 0.0)))
        rates = ", ".join(f"{value}: {percent(scores[value])}" for value in values if value in scores)
        words.append(f"{entry.number}, {entry.name}: {rates}")
    heights = _apart([y for _, y in ends], frame.y(0) + 4)
    for (entry, _), (x, y), height in zip(found, ends, heights, strict=True):
        body.append(f'<path class="apart" d="M{x + 6:.1f} {y:.1f}L{frame.x(1) + 4:.1f} {height:.1f}"/>')
        body.append(_text(frame.x(1) + 7, height + 4, str(entry.number)))
    return _svg(frame, f"Pairs right by {measure}. {'; '.join(words)}.", body)


def _accuracies(entry: Entry, reader: str) -> tuple[float, Score, float | None]:
    """Side accuracy, pair accuracy, and the pair accuracy of independent answers."""
    total = entry.scores.totals[reader, False]
    return total["side_accuracy"].rate or 0.0, total["pair_accuracy"], expected_by_independence(total)


def _svg(frame: Frame, words: str, body: Iterable[str]) -> Markup:
    content = "".join(body)
    size = f'viewBox="0 0 {frame.width:g} {frame.height:g}" width="{frame.width:g}" height="{frame.height:g}"'
    return Markup(
        f'<svg class="chart" {size} role="img" aria-label="{escape(legible(words))}">{content}</svg>'
    )


def _grid(frame: Frame, title: str) -> Iterator[str]:
    """Horizontal lines with their rates, and what they are rates of."""
    for rate in (0, 0.25, 0.5, 0.75, 1):
        y = frame.y(rate)
        yield f'<path class="grid" d="M{frame.x(0):.1f} {y:.1f}H{frame.x(1):.1f}"/>'
        yield _text(frame.left - 6, y + 4, percent(rate), "end")
    x, y = 12, frame.y(0.5)
    yield f'<text transform="translate({x} {y:.1f}) rotate(-90)" text-anchor="middle">{escape(title)}</text>'


def _whisker(frame: Frame, x: float, score: Score) -> str:
    if score.interval is None:
        return ""
    low, high = score.interval
    return f'<path class="whisker" d="M{x:.1f} {frame.y(low):.1f}V{frame.y(high):.1f}"/>'


def _mark(number: int, x: float, y: float) -> str:
    """A circle, a square, a diamond or a triangle."""
    shapes = (
        "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
        "m-4 -4h8v8h-8z",
        "m0 -5l5 5l-5 5l-5 -5z",
        "m0 -5l5 9h-10z",
    )
    return f'<path class="mark" d="M{x:.1f} {y:.1f}{shapes[number % len(shapes)]}"/>'


def _path(frame: Frame, points: Iterable[Point]) -> str:
    return "M" + "L".join(f"{frame.x(x):.1f} {frame.y(y):.1f}" for x, y in points)


def _text(x: float, y: float, content: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(legible(content))}</text>'


def _labels(marks: Sequence[Point]) -> list[Point]:
    """A place for a number beside each mark, away from marks and from other numbers where there is room."""
    offsets = (
        (8, 4),
        (-22, 4),
        (8, -8),
        (8, 16),
        (-22, -8),
        (-22, 16),
        (8, -20),
        (8, 28),
        (-22, -20),
        (-22, 28),
    )
    placed: list[Point] = []
    for x, y in marks:
        candidates = [(x + dx, y + dy) for dx, dy in offsets]
        free = (
            place
            for place in candidates
            if all(abs(place[0] - a) > 15 or abs(place[1] - b) > 11 for a, b in placed)
            and all(not -6 < a - place[0] < 18 or abs(place[1] - 4 - b) > 8 for a, b in marks)
        )
        placed.append(next(free, candidates[0]))
    return placed


def _apart(heights: Sequence[float], lowest: float) -> list[float]:
    """The heights, moved apart (and up) as far as numbers need, in the order in which they were given."""
    placed = dict.fromkeys(range(len(heights)), 0.0)
    below = lowest + 12
    for place in sorted(placed, key=lambda place: -heights[place]):
        below = placed[place] = min(heights[place], below - 12)
    return list(placed.values())
