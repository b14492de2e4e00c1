"""A Kripke model in DOT, the language of Graphviz (https://graphviz.org/doc/info/lang.html)."""

from __future__ import annotations

from modalgen.kripke import KripkeModel
from modalgen.view.description import world
from modalgen.view.layout import lines


def dot(model: KripkeModel) -> str:
    """The model as a directed graph: a node for each world, doubly outlined if it is the designated one."""
    nodes = [
        f"  {world(w)} [label={_quoted([line.words for line in lines(model, w)])}"
        f"{', peripheries=2' if w == model.actual else ''}];"
        for w in range(model.worlds)
    ]
    arrows = [f"  {world(w)} -> {world(v)};" for w, v in sorted(model.accessibility)]
    head = ["digraph kripke {", "  rankdir=LR;", '  node [shape=box, style=rounded, fontname="Helvetica"];']
    return "\n".join([*head, *nodes, *arrows, "}"]) + "\n"


def _quoted(words: list[str]) -> str:
    """Lines of text as one quoted string; a backslash begins an escape in a label, so it is doubled."""
    text = "\\n".join(line.replace("\\", "\\\\").replace('"', '\\"') for line in words)
    return f'"{text}"'
