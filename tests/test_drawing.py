"""Pictures of Kripke models: geometry, SVG, DOT, the terminal, and their export.

The pictures in `data/drawings` are what `python tests/test_drawing.py` writes; look at them after a change.
"""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from modalgen.cli import cli
from modalgen.kripke import KripkeModel, model_to_record
from modalgen.records import PAIR_SCHEMA
from modalgen.view.description import facts, individual, listed
from modalgen.view.dot import dot
from modalgen.view.geometry import Arrow, Box
from modalgen.view.layout import Layout, chain, layout, text_width
from modalgen.view.svg import MAX_DRAWN, alternative, document, drawing
from modalgen.view.terminal import Countermodel

DRAWINGS = Path(__file__).parent / "data" / "drawings"
SVG = "{http://www.w3.org/2000/svg}"


def propositional(worlds: int, arrows: str, true: str, actual: int = 0) -> KripkeModel:
    """A model from text: arrows `01 11`, atoms `p0 p1`."""
    return KripkeModel(
        worlds,
        frozenset((int(a[0]), int(a[1])) for a in arrows.split()),
        None,
        {p: frozenset(int(word[1]) for word in true.split() if word[0] == p) for p in "pqr"},
        {},
        actual,
    )


MODELS = {
    "one-world-loop": propositional(1, "00", "p0"),
    "two-way": propositional(2, "01 10 11", "p0 q1 r1"),
    "transitive": propositional(3, "01 12 02", "p1 q2"),
    "chain": propositional(3, "00 01 12", "p0 p1", actual=0),
    "square": propositional(4, "01 02 13 23 33 30", "p0 q3", actual=1),
    "five": propositional(5, "01 12 20 03 34 43", "p0 p3 q4"),
    "universal": propositional(6, " ".join(f"{w}{v}" for w in range(6) for v in range(6)), "p0 q1 r2 p5"),
    "domains": KripkeModel(
        2,
        frozenset({(0, 1), (1, 1)}),
        (frozenset({1}), frozenset({0, 1})),
        {"p": frozenset({1})},
        {
            "F": (frozenset({(0,), (1,)}), frozenset({(1,)})),
            "Likes": (frozenset({(1, 1), (0, 1)}), frozenset({(0, 1), (1, 0), (1, 1), (0, 0)})),
        },
    ),
}


def test_the_words_of_pictures() -> None:
    """Individuals and enumerations are named as in the explanations, and facts sorted by who exists."""
    assert [individual(d) for d in (0, 25, 26, 53)] == ["a", "z", "a1", "b2"]
    assert [listed("abc"[:n]) for n in range(4)] == ["", "a", "a and b", "a, b and c"]
    what = facts(MODELS["domains"], 0)
    assert (what.exist, what.true, what.true_of_absent) == (
        ("b",),
        ("F(b)", "Likes(b,b)"),
        ("F(a)", "Likes(a,b)"),
    )
    assert facts(MODELS["transitive"], 0).exist is None


# Geometry.

NAMES = st.sampled_from(["p", "q", "Likes", "wwwwwwwwwwwwwww", "M" * 40])


@st.composite
def models(draw: st.DrawFn, least: int = 1, most: int = 6) -> KripkeModel:
    """Models with any arrows, with or without domains, and names of all lengths."""
    n = draw(st.integers(least, most))
    arrows = draw(st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))))
    worlds = st.sets(st.integers(0, n - 1)).map(frozenset)
    valuation = draw(st.dictionaries(NAMES, worlds, max_size=3))
    domains, extensions = None, {}
    if draw(st.booleans()):
        people = st.integers(0, 2)
        domains = tuple(draw(st.sets(people, min_size=1).map(frozenset)) for _ in range(n))
        rows = st.sets(st.tuples(people, people)).map(frozenset)
        extensions = {"Knows": tuple(draw(rows) for _ in range(n))}
    return KripkeModel(n, frozenset(arrows), domains, valuation, extensions, draw(st.integers(0, n - 1)))


def label_boxes(picture: Layout) -> list[tuple[Box, Box]]:
    """Each line of text as a box, with the box of its world."""
    found = []
    for node in picture.nodes:
        height = node.box.half_height * 2 / len(node.lines)
        for line in node.lines:
            found.append((Box(node.box.x, node.box.y, text_width(line.words) / 2, height / 4), node.box))
    return found


def inside(picture: Layout, box: Box) -> bool:
    """Whether the box is in the picture."""
    return (
        box.x - box.half_width >= 0
        and box.y - box.half_height >= 0
        and box.x + box.half_width <= picture.width
        and box.y + box.half_height <= picture.height
    )


def gap(one: Arrow, other: Arrow) -> float:
    """The distance between the middles of two arrows."""
    return min(math.dist(one.points(40)[20], point) for point in other.points(40))


def check_geometry(model: KripkeModel) -> None:
    """Nothing overlaps, nothing is cut off, and every arrow is there once, from and to its worlds."""
    picture = layout(model)
    assert [node.world for node in picture.nodes] == list(range(model.worlds))
    assert [node.world for node in picture.nodes if node.designated] == [model.actual]
    for one, other in combinations(picture.nodes, 2):
        assert not one.box.grown(10).overlaps(other.box.grown(10))
    for label, box in label_boxes(picture):
        assert label.half_width < box.half_width - 4
        assert inside(picture, label)
    assert all(inside(picture, node.box) for node in picture.nodes)
    arrows = {(arrow.source, arrow.target): arrow for arrow in picture.arrows}
    assert len(arrows) == len(picture.arrows) and arrows.keys() == model.accessibility
    for (w, v), arrow in arrows.items():
        points = [*arrow.points(400), *arrow.head]
        for node in picture.nodes:
            assert not any(node.box.contains(point) for point in points), (w, v, node.world)
        assert all(0 <= x <= picture.width and 0 <= y <= picture.height for x, y in points)
        assert picture.nodes[w].box.grown(8).contains(points[0])
        assert picture.nodes[v].box.grown(8).contains(arrow.head[0])
        if w < v and (v, w) in arrows:
            assert gap(arrow, arrows[v, w]) > 12


@given(models())
@settings(max_examples=80, deadline=None)
def test_geometry_of_small_models(model: KripkeModel) -> None:
    """With up to six worlds no boxes overlap, no arrow meets a box, two-way arrows are apart."""
    check_geometry(model)


@pytest.mark.parametrize("worlds", [7, 9, MAX_DRAWN])
def test_geometry_of_larger_models(worlds: int) -> None:
    """More worlds go around a circle, even if each accesses each."""
    everything = frozenset((w, v) for w in range(worlds) for v in range(worlds))
    check_geometry(KripkeModel(worlds, everything, None, {"p": frozenset({0})}))


@pytest.mark.parametrize("name", MODELS)
def test_loops_are_apart_from_other_arrows(name: str) -> None:
    """In the pictures that were looked at, no arrow passes through a loop."""
    arrows = layout(MODELS[name]).arrows
    for loop in (arrow for arrow in arrows if arrow.source == arrow.target):
        for arrow in arrows:
            if arrow != loop:
                others = [*arrow.points(200), *arrow.head]
                assert min(math.dist(p, q) for p in (*loop.points(50), *loop.head) for q in others) > 3


def test_places_follow_the_arrows() -> None:
    """A chain is a row that begins at the designated world; a cycle is drawn without crossings."""
    row = propositional(3, "02 21 12", "")
    assert chain(row) == (0, 2, 1)
    assert [round(node.box.y) for node in layout(row).nodes] == [round(layout(row).nodes[0].box.y)] * 3
    assert [node.world for node in sorted(layout(row).nodes, key=lambda node: node.box.x)] == [0, 2, 1]
    for arrows in ("", "01", "01 02", "10 12", "01 12 20", "11"):
        assert chain(propositional(3, arrows, "", 1 if arrows == "10 12" else 0)) is None
    cycle = layout(propositional(5, "02 24 41 13 30", ""))
    for one, other in combinations(cycle.arrows, 2):
        ends = (one.source, one.target, other.source, other.target)
        if len(set(ends)) == 4:
            assert gap(one, other) > 30


# SVG.


@pytest.mark.parametrize("name", MODELS)
def test_pictures_are_as_recorded(name: str) -> None:
    """The SVG of each model is, byte for byte, the one that was looked at."""
    assert document(MODELS[name]) == (DRAWINGS / f"{name}.svg").read_text(encoding="utf-8")


@given(models(), st.sampled_from(["k1", "pair-7-b"]))
@settings(max_examples=40, deadline=None)
def test_svg_is_one_labelled_element(model: KripkeModel, prefix: str) -> None:
    """Well-formed XML that names itself to screen readers, with ids of its own and no references outside."""
    text = drawing(model, prefix)
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg" and root.get("role") == "img"
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert ids == [f"{prefix}-title", f"{prefix}-desc"] == (root.get("aria-labelledby") or "").split()
    assert [root.findtext(f"{SVG}{tag}") for tag in ("title", "desc")] == [
        f"Kripke model with {model.worlds} world{'s' if model.worlds > 1 else ''}",
        alternative(model),
    ]
    assert "href" not in text and "url(" not in text and "<style" not in text and "<script" not in text
    worlds = [g for g in root.iter(f"{SVG}g") if (g.get("class") or "").startswith("world")]
    assert [len(list(g.iter(f"{SVG}rect"))) for g in worlds] == [
        2 if w == model.actual else 1 for w in range(model.worlds)
    ]
    assert len([g for g in root.iter(f"{SVG}g") if g.get("class") == "arrow"]) == len(model.accessibility)
    colours = {element.get(name) for element in root.iter() for name in ("fill", "stroke")}
    assert colours <= {"none", "currentColor", None}


def test_text_alternative() -> None:
    """The description says who exists, what holds, also of whom does not exist, and what is accessed."""
    assert alternative(MODELS["domains"]) == (
        "w0 (designated): b exists; true: F(b) and Likes(b,b); true of what does not exist there: F(a) and "
        "Likes(a,b); accesses w1. w1: a and b exist; true: p, F(b), Likes(a,a), Likes(a,b), Likes(b,a) and "
        "Likes(b,b); accesses w1."
    )
    assert alternative(propositional(1, "", "")) == "w0 (designated): true: no atom; accesses no world."


def test_names_are_text() -> None:
    """Markup in a name shows as text, and what XML cannot hold is replaced."""
    name = "<script>alert(1)</script>&\"'\x00\x1b\ud800"
    model = KripkeModel(1, frozenset(), None, {name: frozenset({0})})
    text = drawing(model, 'a"b')
    assert "<script" not in text and 'id="a&quot;b-title"' in text
    shown = "<script>alert(1)</script>&\"'" + 3 * "�"
    words = [element.text for element in ElementTree.fromstring(text).iter(f"{SVG}text")]
    assert words == ["w0", shown]
    document(model).encode("utf-8")
    assert shown.replace('"', '\\"') in dot(model)


def test_many_worlds_are_not_drawn() -> None:
    """Where a picture would help nobody, a sentence stands in its place; the text alternative is whole."""
    model = KripkeModel(MAX_DRAWN + 1, frozenset({(0, 1)}), None, {"p": frozenset({12})})
    root = ElementTree.fromstring(drawing(model, "k"))
    assert [e.text for e in root.iter(f"{SVG}text")] == ["13 worlds are too many for a picture."]
    assert "w12: true: p; accesses no world." in (root.findtext(f"{SVG}desc") or "")


# DOT.


@pytest.mark.parametrize("name", ["two-way", "domains"])
def test_dot_is_as_recorded(name: str) -> None:
    """The DOT text of a model with and one without domains."""
    assert dot(MODELS[name]) == (DRAWINGS / f"{name}.dot").read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz's program dot (Debian: graphviz)")
@pytest.mark.parametrize("name", [*MODELS, "quoting"])
def test_graphviz_reads_it(name: str) -> None:
    """Graphviz finds the worlds with their labels, and the arrows."""
    odd = KripkeModel(2, frozenset({(0, 1)}), None, {'"\\N\\"]; x -> y;//<b>': frozenset({1})})
    model = odd if name == "quoting" else MODELS[name]
    run = subprocess.run(
        ["dot", "-Tjson0"], input=dot(model), capture_output=True, text=True, check=True, encoding="utf-8"
    )
    graph = json.loads(run.stdout)
    numbers = {node["_gvid"]: int(node["name"][1:]) for node in graph["objects"]}
    assert sorted(numbers.values()) == list(range(model.worlds))
    assert {(numbers[e["tail"]], numbers[e["head"]]) for e in graph.get("edges", ())} == model.accessibility
    doubled = [node["name"] for node in graph["objects"] if node.get("peripheries") == "2"]
    assert doubled == [f"w{model.actual}"]
    labels = {node["name"]: node["label"] for node in graph["objects"]}
    if name == "domains":
        assert labels["w0"].split("\\n")[:2] == ["w0", "exist: b"]
    if name == "quoting":
        assert labels["w1"] == 'w1\\n"\\\\N\\\\"]; x -> y;//<b>'


# The terminal.


def printed(model: KripkeModel, width: int) -> list[str]:
    """What a terminal of this width shows."""
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        console.print(Countermodel(model))
    return [line.rstrip() for line in capture.get().splitlines()]


def test_a_terminal_shows_the_arrows_between_neighbours() -> None:
    """Boxes in a row, the designated one doubly outlined, arrows between them, others listed."""
    assert printed(MODELS["two-way"], 80) == [
        "╔═══ w0 ★ ════╗    ╭───── w1 ↺ ──────╮",
        "║ accesses w1 ║───▶│ accesses w0, w1 │",
        "║ true: p     ║◀───│ true: q, r      │",
        "╚═════════════╝    ╰─────────────────╯",
    ]
    assert printed(MODELS["transitive"], 80)[-1] == "also w0 ───▶ w2"
    assert "though absent: F(a), Likes(a,b)" in printed(MODELS["domains"], 80)[4]


def test_a_narrow_terminal_shows_the_boxes_below_each_other() -> None:
    """Without room for a row nothing is lost: each box says what its world accesses."""
    text = "\n".join(printed(MODELS["universal"], 50))
    assert text.count("accesses w0, w1, w2, w3, w4, w5") == 6 and "▶" not in text


# Export.


def a_dataset(directory: Path, model: KripkeModel | None) -> Path:
    """A dataset of one pair, whose invalid side has this countermodel."""
    side = {"resolution": "dual", "authority": "embedded", "deciders": {}, "evidence": []}
    invalid = side | {
        "label": False,
        "status": "CounterSatisfiable",
        "semantics": {"frame": [], "domain": None},
    }
    valid = side | {
        "label": True,
        "status": "Theorem",
        "semantics": {"frame": ["transitive"], "domain": None},
    }
    if model is not None:
        invalid |= {"countermodel": model_to_record(model)}
    record = {
        "schema": PAIR_SCHEMA,
        "pair_id": "four-1",
        "spec": "four",
        "template": "axiom",
        "family": "four",
        "axis": "frame",
        "task": "validity",
        "premises": [],
        "conjecture": "□p → □□p",
        "sides": {"a": invalid, "b": valid},
        "premise_status": "conjecture_only",
        "ablation": {},
        "profile": {},
        "profile_evidence": [],
    }
    directory.mkdir()
    (directory / "pairs.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    return directory


def run(*arguments: str | Path) -> Result:
    """The command line in this process."""
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def test_show_draws_explains_and_exports(tmp_path: Path) -> None:
    """The terminal has the drawing and the explanation; both files have the same model."""
    model = MODELS["chain"]
    dataset = a_dataset(tmp_path / "set", propositional(3, "01 12", "p1"))
    svg, gv = tmp_path / "model.svg", tmp_path / "model.dot"
    result = run("show", dataset, "four", "--svg", svg, "--dot", gv)
    assert result.exit_code == 0, result.output
    assert "w0 ★" in result.stdout and "At w2, p fails" not in result.stdout
    assert "At w1, □p fails, since w1 accesses w2, where p fails." in result.stdout
    assert svg.read_text(encoding="utf-8") == document(propositional(3, "01 12", "p1"))
    assert gv.read_text(encoding="utf-8") == dot(propositional(3, "01 12", "p1"))
    assert svg.read_text(encoding="utf-8") != document(model)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.dot", "model.svg", "set"]


def test_show_says_what_is_no_countermodel(tmp_path: Path) -> None:
    """A recorded model that refutes nothing is shown with the evaluator's objection, not explained."""
    result = run("show", a_dataset(tmp_path / "set", propositional(1, "00", "p0")), "four-1")
    assert result.exit_code == 0
    assert "not a countermodel: the conjecture is true at the designated world" in result.stdout


def test_show_is_no_markup(tmp_path: Path) -> None:
    """Ids and names that rich, the terminal or the direction of text would obey are shown as text."""
    dataset = a_dataset(tmp_path / "set", None)
    path = dataset / "pairs.jsonl"
    record = json.loads(path.read_text(encoding="utf-8"))
    record |= {"pair_id": "[/b]four[red]\x1b[2J", "task": "[bold]t", "template": "a\u202eb"}
    record["sides"]["a"] |= {"authority": "[link=x]\x07", "deciders": {"[dim]d\u2066": "CounterSatisfiable"}}
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    for arguments, words in (
        ((), ("[/b]four[red]\ufffd[2J", "[bold]t")),
        (("four",), ("[/b]four[red]\ufffd[2J", "a\ufffdb", "[link=x]\ufffd", "[dim]d\ufffd")),
        (("four", "--svg", tmp_path / "model.svg"), ("[/b]four[red]\ufffd[2J has no countermodel",)),
    ):
        result = run("show", dataset, *arguments)
        assert all(word in result.output for word in words), result.output
        assert all(character.isprintable() or character == "\n" for character in result.output)


def test_what_cannot_be_exported(tmp_path: Path) -> None:
    """No pair, no countermodel or no place to write: one message, a documented code, no file."""
    dataset = a_dataset(tmp_path / "set", None)
    svg = tmp_path / "model.svg"
    result = run("show", dataset, "four-1", "--svg", svg)
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "four-1 has no countermodel" in result.stderr
    result = run("show", dataset, "--svg", svg)
    assert result.exit_code == 2 and "say which" in result.stderr
    drawable = a_dataset(tmp_path / "other", propositional(3, "01 12", "p1"))
    result = run("show", drawable, "four-1", "--dot", tmp_path / "nowhere" / "model.dot")
    assert result.exit_code == 1 and "cannot be written" in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "set"]


if __name__ == "__main__":
    for name, model in MODELS.items():
        (DRAWINGS / f"{name}.svg").write_text(document(model), encoding="utf-8")
    for name in ("two-way", "domains"):
        (DRAWINGS / f"{name}.dot").write_text(dot(MODELS[name]), encoding="utf-8")
