"""A countermodel in the terminal: its worlds in boxes, arrows between neighbours, the explanation.

The worlds stand in a row if the terminal is wide enough. Arrows between neighbours are drawn, a loop
is a ↺ at the world's name, and other arrows are listed below. Each box says what its world accesses,
so that nothing is lost where boxes have to be put below each other. The designated world has a
double outline and a star.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rich import box
from rich.columns import Columns
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from modalgen.kripke import KripkeModel
from modalgen.view.description import facts, world
from modalgen.view.layout import chain
from modalgen.view.sentences import Step

_RIGHT, _LEFT, _NONE = "───▶", "◀───", "    "


class Countermodel:
    """A model, to be printed with rich."""

    def __init__(self, model: KripkeModel) -> None:
        self._model = model
        self._order = chain(model) or tuple(range(model.worlds))
        self._boxes = [_box(model, w) for w in self._order]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        widths = [Measurement.get(console, options, panel).maximum for panel in self._boxes]
        if sum(widths) + len(_NONE) * (len(widths) - 1) > options.max_width:
            yield Columns(self._boxes)
            return
        row: list[RenderableType] = [self._boxes[0]]
        for (w, v), panel in zip(pairwise(self._order), self._boxes[1:], strict=True):
            row += [self._between(w, v), panel]
        table = Table.grid(padding=0)
        for _ in row:
            table.add_column(vertical="middle", no_wrap=True)
        table.add_row(*row)
        yield table
        near = {*pairwise(self._order), *pairwise(reversed(self._order))}
        far = [arrow for arrow in sorted(self._model.accessibility - near) if arrow[0] != arrow[1]]
        if far:
            yield Text("also " + ", ".join(f"{world(w)} {_RIGHT} {world(v)}" for w, v in far))

    def _between(self, w: int, v: int) -> Text:
        """The arrows between a world and its neighbour on the right."""
        arrows = ((_RIGHT, (w, v)), (_LEFT, (v, w)))
        drawn = [drawn for drawn, arrow in arrows if arrow in self._model.accessibility]
        return Text("\n".join(drawn) or _NONE)


def explanation(steps: Sequence[Step]) -> RenderableType:
    """The sentences, indented by their depth."""
    return Group(*(Padding(Text(step.text), (0, 0, 0, 2 * step.depth)) for step in steps))


def _box(model: KripkeModel, w: int) -> Panel:
    designated = w == model.actual
    title = world(w) + (" ★" if designated else "") + (" ↺" if (w, w) in model.accessibility else "")
    return Panel(
        Text("\n".join(_lines(model, w))),
        title=title,
        border_style="yellow" if designated else "dim",
        box=box.DOUBLE if designated else box.ROUNDED,
        padding=(0, 1),
        expand=False,
    )


def _lines(model: KripkeModel, w: int) -> list[str]:
    """What is the case at one world, one kind of fact a line."""
    what = facts(model, w)
    lines = ["accesses " + (", ".join(map(world, model.successors(w))) or "no world")]
    if what.exist is not None:
        lines.append("exist: " + ", ".join(what.exist))
    lines.append("true: " + (", ".join(what.true) or "no atom"))
    if what.true_of_absent:
        lines.append("though absent: " + ", ".join(what.true_of_absent))
    return lines
