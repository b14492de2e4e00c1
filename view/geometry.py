"""Boxes, and the arrows between them, as curves.

Curves are those of Bézier: an arrow between boxes is a part of a quadratic one, a loop is cubic, and
both are kept as cubic ones. All lengths are in pixels; y grows downwards.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

Point = tuple[float, float]

GAP = 5.0  # between the tip of an arrow and a box
HEAD_LENGTH, HEAD_WIDTH = 9.0, 8.0
BEND = 15.0  # how far each of two opposite arrows is bent away from the line between its ends
LOOP_HALF, LOOP_REACH = 11.0, 34.0


@dataclass(frozen=True)
class Box:
    """A rectangle by its centre and half its width and height."""

    x: float
    y: float
    half_width: float
    half_height: float

    def grown(self, by: float) -> Box:
        """The rectangle that is larger by so much on each side."""
        return Box(self.x, self.y, self.half_width + by, self.half_height + by)

    def contains(self, point: Point) -> bool:
        """Whether the point is within the rectangle or on its edge."""
        return abs(point[0] - self.x) <= self.half_width and abs(point[1] - self.y) <= self.half_height

    @property
    def corners(self) -> tuple[Point, Point]:
        """The upper left and the lower right corner."""
        left_top = (self.x - self.half_width, self.y - self.half_height)
        return left_top, (self.x + self.half_width, self.y + self.half_height)

    def overlaps(self, other: Box) -> bool:
        """Whether the two rectangles have a point in common."""
        return (
            abs(self.x - other.x) <= self.half_width + other.half_width
            and abs(self.y - other.y) <= self.half_height + other.half_height
        )


def bounds(points: Sequence[Point]) -> Box:
    """The least rectangle that contains the points."""
    left, top = (min(p[i] for p in points) for i in (0, 1))
    right, bottom = (max(p[i] for p in points) for i in (0, 1))
    return Box((left + right) / 2, (top + bottom) / 2, (right - left) / 2, (bottom - top) / 2)


@dataclass(frozen=True)
class Arrow:
    """An arrow between worlds: a cubic curve with its head at the end.

    `controls` are the four control points; the curve ends where the head, a triangle, begins.
    """

    source: int
    target: int
    controls: tuple[Point, Point, Point, Point]
    head: tuple[Point, Point, Point]

    def points(self, number: int = 24) -> list[Point]:
        """Points along the arrow, the tip of its head last."""
        return [_on_cubic(self.controls, i / number) for i in range(number + 1)] + [self.head[0]]

    def moved(self, dx: float, dy: float) -> Arrow:
        """The arrow, moved by so much."""
        a, b, c, d = ((x + dx, y + dy) for x, y in self.controls)
        tip, left, right = ((x + dx, y + dy) for x, y in self.head)
        return Arrow(self.source, self.target, (a, b, c, d), (tip, left, right))


def arrow_between(source: int, target: int, boxes: Sequence[Box], two_way: bool) -> Arrow:
    """The arrow from box to box, bent to its left if there is one in the other direction."""
    a, b = (boxes[source].x, boxes[source].y), (boxes[target].x, boxes[target].y)
    length = math.dist(a, b)
    bend = BEND * 2 if two_way else 0.0
    normal = ((b[1] - a[1]) / length * bend, -(b[0] - a[0]) / length * bend)
    middle = ((a[0] + b[0]) / 2 + normal[0], (a[1] + b[1]) / 2 + normal[1])
    start = _leaving(a, middle, b, boxes[source].grown(GAP))
    end = 1 - _leaving(b, middle, a, boxes[target].grown(GAP))
    return _with_head(source, target, _piece((a, middle, b), start, end))


def _leaving(a: Point, middle: Point, b: Point, box: Box) -> float:
    """The parameter at which the quadratic curve from the centre of the box leaves it."""
    inside, outside = 0.0, 1.0
    for _ in range(24):  # to far below a pixel
        half = (inside + outside) / 2
        if box.contains(_on_quadratic((a, middle, b), half)):
            inside = half
        else:
            outside = half
    return outside


def _with_head(source: int, target: int, controls: tuple[Point, Point, Point, Point]) -> Arrow:
    """The arrow along the curve, its last part replaced by the head."""
    tip = controls[3]
    back = controls[2]
    length = math.dist(tip, back) or 1.0
    ux, uy = (tip[0] - back[0]) / length, (tip[1] - back[1]) / length
    base = (tip[0] - ux * HEAD_LENGTH, tip[1] - uy * HEAD_LENGTH)
    side = HEAD_WIDTH / 2
    head = (tip, (base[0] - uy * side, base[1] + ux * side), (base[0] + uy * side, base[1] - ux * side))
    return Arrow(source, target, (controls[0], controls[1], back, base), head)


def loop(w: int, box: Box, side: tuple[int, int]) -> Arrow:
    """A loop on the side that the unit vector points to."""
    dx, dy = side
    reach = box.half_width if dx else box.half_height
    x, y = box.x + dx * (reach + GAP), box.y + dy * (reach + GAP)
    ax, ay = -dy, dx  # along the side

    def at(along: float, out: float) -> Point:
        return (x + ax * along + dx * out, y + ay * along + dy * out)

    spread = 2 * LOOP_HALF
    return _with_head(
        w,
        w,
        (at(-LOOP_HALF, 0.0), at(-spread, LOOP_REACH), at(spread, LOOP_REACH), at(LOOP_HALF, 0.0)),
    )


def _on_quadratic(points: tuple[Point, Point, Point], s: float, t: float | None = None) -> Point:
    """The point at a parameter; with a second one, the curve's blossom, the control point between both."""
    t = s if t is None else t
    weights = ((1 - s) * (1 - t), (1 - s) * t + s * (1 - t), s * t)
    return _weighted(points, weights)


def _on_cubic(points: tuple[Point, Point, Point, Point], t: float) -> Point:
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = points
    s = 1 - t
    a, b, c, d = s**3, 3 * s * s * t, 3 * s * t * t, t**3
    return a * ax + b * bx + c * cx + d * dx, a * ay + b * by + c * cy + d * dy


def _weighted(points: Sequence[Point], weights: Sequence[float]) -> Point:
    x = sum(w * p[0] for w, p in zip(weights, points, strict=True))
    y = sum(w * p[1] for w, p in zip(weights, points, strict=True))
    return x, y


def _piece(points: tuple[Point, Point, Point], start: float, end: float) -> tuple[Point, Point, Point, Point]:
    """The part of a quadratic curve between two parameters, as a cubic curve."""
    first, last = _on_quadratic(points, start), _on_quadratic(points, end)
    middle = _on_quadratic(points, start, end)
    thirds = (1 / 3, 2 / 3)
    return first, _weighted((first, middle), thirds), _weighted((last, middle), thirds), last
