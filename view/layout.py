"""Where the worlds and arrows of a Kripke model go in a picture: sizes, places, curves.

Worlds are boxes at the corners of a convex polygon, so that a straight arrow from one to another
passes between the others once the polygon is large enough; it is enlarged until that is so. The
designated world has the leftmost corner. Which world has which other corner is settled by trying
all orders: the fewest crossings, then the shortest arrows. A chain of worlds is drawn in a row. Two
arrows between the same worlds are bent apart, and a loop sits on the side of its box that is freest.

All lengths are in pixels at the size at which the picture is drawn; y grows downwards.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, permutations

from modalgen.kripke import KripkeModel
from modalgen.view.description import facts, world
from modalgen.view.geometry import Arrow, Box, Point, arrow_between, bounds, loop

FONT_SIZE = 14.0
LINE_HEIGHT = 19.0
PADDING = 12.0  # between a box and its text
RING = 4.0  # between the two outlines of the designated world
CLEARANCE = 10.0  # between an arrow and a box that it does not touch
MARGIN = 8.0
LINE_CHARACTERS = 24  # facts are broken into lines of about this length

# With so many worlds all orders are tried; with more they go around a circle in their order.
MAX_ORDERED = 6
# A longer chain would make too wide a picture.
MAX_ROW = 4


@dataclass(frozen=True)
class Line:
    """A line of text in a box: what kind of line it is ("name", "exist", "true", "absent"), and its words."""

    kind: str
    words: str


@dataclass(frozen=True)
class Node:
    """A world: its box and its lines of text from top to bottom. `box` is the outer outline."""

    world: int
    box: Box
    lines: tuple[Line, ...]
    designated: bool


@dataclass(frozen=True)
class Layout:
    """A picture of a model, `width` by `height`, its upper left corner at the origin."""

    width: float
    height: float
    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]


def layout(model: KripkeModel) -> Layout:
    """The picture of the model. The same model gives the same picture."""
    texts_of = [lines(model, w) for w in range(model.worlds)]
    # All boxes are as large as the largest, which makes for a calmer picture.
    size = tuple(max(_size(texts)[i] for texts in texts_of) for i in (0, 1))
    arrows = frozenset((w, v) for w, v in model.accessibility if w != v)
    places = _places(model)
    boxes, curves = _spread(places, (size[0], size[1]), sorted(arrows))
    loops = _loops(sorted(w for w, v in model.accessibility if w == v), boxes, curves)
    everything = [*curves, *loops]
    corners = [corner for box in boxes for corner in box.corners]
    frame = bounds([*corners, *(p for arrow in everything for p in (*arrow.points(), *arrow.head))])
    frame = frame.grown(MARGIN)
    left, top = frame.x - frame.half_width, frame.y - frame.half_height
    nodes = [
        Node(w, replace(box, x=box.x - left, y=box.y - top), texts, w == model.actual)
        for w, (box, texts) in enumerate(zip(boxes, texts_of, strict=True))
    ]
    moved = [arrow.moved(-left, -top) for arrow in sorted(everything, key=lambda a: (a.source, a.target))]
    return Layout(2 * frame.half_width, 2 * frame.half_height, tuple(nodes), tuple(moved))


# Text


def lines(model: KripkeModel, at: int) -> tuple[Line, ...]:
    """The lines of text in the world's box."""
    what = facts(model, at)
    result = [Line("name", world(at))]
    if what.exist is not None:
        result += _wrapped("exist", "exist: ", what.exist)
    result += _wrapped("true", "", what.true) or [Line("none", "no atom")]
    result += _wrapped("absent", "though absent: ", what.true_of_absent)
    return tuple(result)


def _wrapped(kind: str, label: str, words: Sequence[str]) -> list[Line]:
    """The words, separated by commas, in lines."""
    texts: list[str] = []
    for word in words:
        if texts and len(texts[-1]) + len(word) + 2 <= LINE_CHARACTERS:
            texts[-1] += f", {word}"
        else:
            if texts:
                texts[-1] += ","
            texts.append(word)
    return [Line(kind, (label if i == 0 else "") + text) for i, text in enumerate(texts)]


def text_width(words: str) -> float:
    """An upper estimate of the width of text in a common sans-serif font (DejaVu Sans is a wide one)."""
    return FONT_SIZE * sum(_character_width(c) for c in words)


def _character_width(character: str) -> float:
    if character in "mwMW@%":
        return 0.99
    if character in " ,.:;'|!ijl()":
        return 0.40
    if unicodedata.east_asian_width(character) in "WF":
        return 1.05
    return 0.78 if character.isupper() else 0.66


def _size(texts: Sequence[Line]) -> Point:
    """Half the width and half the height of the box that the lines need."""
    width = max(text_width(line.words) for line in texts) + 2 * PADDING
    height = LINE_HEIGHT * len(texts) + 1.2 * PADDING
    return max(width, 46.0) / 2, max(height, 46.0) / 2


# Places


def _polygon(number: int) -> list[Point]:
    """The corners for so many worlds, the leftmost first, then clockwise; a convex polygon."""
    match number:
        case 1:
            return [(0.0, 0.0)]
        case 2:
            return [(-1.0, 0.0), (1.0, 0.0)]
        case 3:
            return [(-1.0, 0.0), (1.0, -1.0), (1.0, 1.0)]
        case 4:
            return [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
    angles = [math.pi + 2 * math.pi * i / number for i in range(number)]
    return [(math.cos(a), math.sin(a)) for a in angles]


def chain(model: KripkeModel) -> tuple[int, ...] | None:
    """The worlds in the order of a chain that begins at the designated one, None if they form none.

    In a chain each world has arrows, in any direction, to its neighbours and to no others.
    """
    neighbours: dict[int, set[int]] = {w: set() for w in range(model.worlds)}
    for w, v in model.accessibility:
        if w != v:
            neighbours[w].add(v)
            neighbours[v].add(w)
    order = [model.actual]
    while following := sorted(neighbours[order[-1]] - set(order[-2:])):
        if len(following) > 1 or following[0] in order:
            return None
        order.append(following[0])
    return tuple(order) if len(order) == model.worlds else None


def _places(model: KripkeModel) -> tuple[Point, ...]:
    """A place for each world, before the picture is enlarged."""
    order = chain(model) if model.worlds <= MAX_ROW else None
    if order is not None:
        return tuple((2.0 * order.index(w), 0.0) for w in range(model.worlds))
    links = frozenset((min(arrow), max(arrow)) for arrow in model.accessibility if arrow[0] != arrow[1])
    return _on_polygon(model.worlds, links, model.actual)


@lru_cache(maxsize=1024)
def _on_polygon(number: int, links: frozenset[tuple[int, int]], designated: int) -> tuple[Point, ...]:
    """A corner for each world, given which are linked: the best order, or the first of the best."""
    corners = _polygon(number)
    others = [w for w in range(number) if w != designated]
    ordered = sorted(links)

    def placed(order: tuple[int, ...]) -> tuple[Point, ...]:
        return tuple(corners[(designated, *order).index(w)] for w in range(number))

    def quality(places: tuple[Point, ...]) -> tuple[int, float]:
        crossings = sum(_cross(places, one, other) for one, other in combinations(ordered, 2))
        return crossings, round(sum(math.dist(places[w], places[v]) for w, v in ordered), 6)

    if number > MAX_ORDERED:
        return placed(tuple(others))
    return min(map(placed, permutations(others)), key=quality)


def _cross(places: Sequence[Point], one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two straight lines between places cross, other than at a common end."""
    if set(one) & set(other):
        return False
    a, b, c, d = (places[w] for w in (*one, *other))
    return _side(a, b, c) * _side(a, b, d) < 0 and _side(c, d, a) * _side(c, d, b) < 0


def _side(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _spread(
    places: Sequence[Point], size: Point, arrows: Sequence[tuple[int, int]]
) -> tuple[list[Box], list[Arrow]]:
    """The boxes and the arrows between them, at the least of some enlargements at which nothing touches."""
    scale_x, scale_y = size[0] + 34.0, size[1] + 26.0
    while True:
        boxes = [Box(x * scale_x, y * scale_y, *size) for x, y in places]
        if not any(one.grown(20.0).overlaps(other.grown(20.0)) for one, other in combinations(boxes, 2)):
            opposite = set(arrows)
            curves = [arrow_between(w, v, boxes, (v, w) in opposite) for w, v in arrows]
            if not any(_touches(curve, boxes) for curve in curves):
                return boxes, curves
        scale_x, scale_y = 1.15 * scale_x, 1.15 * scale_y


def _touches(arrow: Arrow, boxes: Sequence[Box]) -> bool:
    """Whether the arrow comes near a box at neither of its ends."""
    ends = (arrow.source, arrow.target)
    room = bounds(arrow.controls)
    near = [b.grown(CLEARANCE) for w, b in enumerate(boxes) if w not in ends]
    near = [box for box in near if box.overlaps(room)]
    if not near:
        return False
    points = arrow.points(int(math.dist(arrow.controls[0], arrow.controls[3]) / CLEARANCE) + 2)
    return any(box.contains(point) for point in points for box in near)


# Loops


def _loops(worlds: Sequence[int], boxes: Sequence[Box], curves: Sequence[Arrow]) -> list[Arrow]:
    """The arrows from worlds to themselves, each on the side of its box with the most room."""
    loops: list[Arrow] = []
    taken = [p for arrow in curves for p in (*arrow.points(48), *arrow.head)]
    for w in worlds:
        candidates = [loop(w, boxes[w], side) for side in ((0, -1), (0, 1), (-1, 0), (1, 0))]
        loops.append(min(candidates, key=lambda drawn: _crowding(drawn, boxes, taken)))
        taken += (*loops[-1].points(), *loops[-1].head)
    return loops


def _crowding(drawn: Arrow, boxes: Sequence[Box], taken: Sequence[Point]) -> tuple[int, int]:
    """How much is where the loop would be: of other boxes, then of other arrows."""
    room = bounds(drawn.points()).grown(4.0)
    hit = sum(room.overlaps(box) for w, box in enumerate(boxes) if w != drawn.source)
    return hit, sum(room.contains(point) for point in taken)
