"""A Kripke model as a picture in SVG, for pages and as a file.

The picture takes its colour from the text around it (`currentColor`), so that it is right on light
and dark pages and on paper. A page may set the CSS property `--kripke-designated` to the colour of
the designated world, which is told from the others by its double outline in any case.
"""

from __future__ import annotations

from html import escape

from modalgen.kripke import KripkeModel
from modalgen.view.description import facts, listed, world
from modalgen.view.geometry import Arrow, Box, Point
from modalgen.view.layout import FONT_SIZE, LINE_HEIGHT, RING, Node, layout, text_width

# With more worlds nobody could read the picture.
MAX_DRAWN = 12

_FONT = f'font-family="Helvetica, Arial, \'DejaVu Sans\', sans-serif" font-size="{FONT_SIZE:g}"'


def drawing(model: KripkeModel, prefix: str) -> str:
    """The model as one `<svg>` element, to stand in a page.

    The ids in it begin with *prefix*, which must be different for each picture of a page. For more
    than `MAX_DRAWN` worlds there is a sentence in the picture's place; the text alternative stays.
    """
    return _svg(model, escape(prefix, quote=True), "")


def document(model: KripkeModel) -> str:
    """The model as an SVG file: black on white, wherever it is shown."""
    return _svg(model, "kripke", ' style="color: #111; background: #fff"')


def alternative(model: KripkeModel) -> str:
    """The text that says what the picture shows: worlds with their facts, then arrows."""
    sentences = []
    for w in range(model.worlds):
        what = facts(model, w)
        parts = [f"{world(w)}{' (designated)' if w == model.actual else ''}: "]
        if what.exist is not None:
            parts.append(f"{listed(what.exist)} exist{'s' if len(what.exist) == 1 else ''}; ")
        parts.append(f"true: {listed(what.true) or 'no atom'}")
        if what.true_of_absent:
            parts.append(f"; true of what does not exist there: {listed(what.true_of_absent)}")
        accessed = listed([world(v) for v in model.successors(w)]) or "no world"
        sentences.append(f"{''.join(parts)}; accesses {accessed}.")
    return " ".join(sentences)


def _svg(model: KripkeModel, prefix: str, attributes: str) -> str:
    if model.worlds <= MAX_DRAWN:
        picture = layout(model)
        width, height = _number(picture.width), _number(picture.height)
        body = [
            '<g fill="none" stroke="currentColor" stroke-width="1.3" stroke-linecap="round">',
            *(_arrow(arrow) for arrow in picture.arrows),
            "</g>",
            *(_node(node) for node in picture.nodes),
        ]
    else:
        words = f"{model.worlds} worlds are too many for a picture."
        width, height = _number(text_width(words)), _number(2 * LINE_HEIGHT)
        body = [f'<text y="{_number(1.2 * LINE_HEIGHT)}" fill="currentColor" {_FONT}>{words}</text>']
    title = f"Kripke model with {model.worlds} world{'' if model.worlds == 1 else 's'}"
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="kripke" role="img" width="{width}" '
            f'height="{height}" viewBox="0 0 {width} {height}" '
            f'aria-labelledby="{prefix}-title {prefix}-desc"{attributes}>',
            f'<title id="{prefix}-title">{title}</title>',
            f'<desc id="{prefix}-desc">{escape(alternative(model))}</desc>',
            *body,
            "</svg>",
        )
    )


def _arrow(arrow: Arrow) -> str:
    start, first, second, end = map(_point, arrow.controls)
    head = " ".join(map(_point, arrow.head))
    return (
        f'<g class="arrow"><path d="M{start} C{first} {second} {end}"/>'
        f'<polygon points="{head}" fill="currentColor" stroke="none"/></g>'
    )


def _node(node: Node) -> str:
    outlines = [_outline(node.box, 11.0)]
    if node.designated:
        outlines.append(_outline(node.box.grown(-RING), 8.0))
    colour = ' style="stroke: var(--kripke-designated, currentColor)"' if node.designated else ""
    top = node.box.y - LINE_HEIGHT * len(node.lines) / 2
    return "\n".join(
        (
            f'<g class="world{" designated" if node.designated else ""}">',
            f'<g fill="none" stroke="currentColor" stroke-width="1.5"{colour}>{"".join(outlines)}</g>',
            f'<g fill="currentColor" {_FONT} text-anchor="middle">',
            *(
                f'<text x="{_number(node.box.x)}" y="{_number(top + LINE_HEIGHT * (i + 0.75))}"'
                f"{_STYLES.get(line.kind, '')}>{escape(line.words)}</text>"
                for i, line in enumerate(node.lines)
            ),
            "</g></g>",
        )
    )


_STYLES = {
    "name": ' font-weight="bold"',
    "none": ' opacity="0.75"',
    "absent": ' font-style="italic"',
}


def _outline(box: Box, radius: float) -> str:
    x, y = _number(box.x - box.half_width), _number(box.y - box.half_height)
    width, height = _number(2 * box.half_width), _number(2 * box.half_height)
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{_number(radius)}"/>'


def _point(point: Point) -> str:
    return f"{_number(point[0])},{_number(point[1])}"


def _number(value: float) -> str:
    """With one decimal, which is as much as can be seen."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
