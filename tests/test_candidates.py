"""Candidates: filled templates in a reproducible order."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import modalgen.gen.canonical
from modalgen.formula import And, Atom, Box, Diamond, Formula, Implies, free_variables, predicates, size
from modalgen.gen.candidates import Candidate, candidates, holes
from modalgen.gen.canonical import normal_form
from modalgen.gen.content import contents
from modalgen.gen.contrast import Content, Contrast, Selection, StructuralLimits, Template
from modalgen.semantics import semantics
from modalgen.syntax import parse, parse_template


def template(name: str, *texts: str) -> Template:
    """A template from its premises and, last, its conjecture."""
    *premises, conjecture = (parse_template(text) for text in texts)
    return Template(name, "inference" if premises else "validity", tuple(premises), conjecture)


def frame_contrast(atoms: str, content: Content, *templates: Template) -> Contrast:
    """A contrast whose holes phi, psi and chi hold the same contents."""
    return Contrast(
        id="seriality",
        title="Seriality",
        rationale="",
        axis="frame",
        sides=(semantics(), semantics(["serial"])),
        symbols=tuple((name, 0) for name in atoms),
        content={"phi": content, "psi": content, "chi": content},
        templates=templates,
        limits=StructuralLimits(3, 0, 30),
        select=Selection(1, 1, 1),
        expect=None,
    )


ONE_HOLE = template("one", "□{phi} → ◇{phi}")
TWO_HOLES = template("two", "□({phi} ∧ {psi}) → ◇{phi}")
THREE_HOLES = template("three", "□({phi} → {psi})", "□({psi} → {chi})", "□{phi} → ◇{chi}")
PLAIN = template("plain", "◇⊤")
LITERALS = Content(("not",), 1)
USUAL = Content(("not", "and", "or"), 2)


@pytest.mark.parametrize(
    ("atoms", "templates", "expected"),
    [
        ("p", (ONE_HOLE,), 2),  # p, ¬p
        ("p", (TWO_HOLES,), 2 * 1),
        ("pq", (ONE_HOLE,), 4),
        ("pq", (TWO_HOLES,), 4 * 3),
        ("pqr", (ONE_HOLE, TWO_HOLES), 6 + 6 * 5),
        ("p", (PLAIN,), 1),
    ],
)
def test_exhaustion(atoms, templates, expected):
    """Every filling with different contents comes exactly once, and then the candidates end."""
    found = list(candidates(frame_contrast(atoms, LITERALS, *templates), "validity", 1))
    assert len(found) == len(set(found)) == expected


def test_exhaustion_over_several_sizes():
    """With contents of four sizes as well, the fillings are exactly the pairs of different contents."""
    contrast = frame_contrast("pq", USUAL, TWO_HOLES)
    options = contents(contrast.symbols, USUAL)
    assert len({size(f) for f in options}) == 4
    expected = {Implies(Box(And(f, g)), Diamond(f)) for f in options for g in options if f != g}
    found = [candidate.conjecture for candidate in candidates(contrast, "validity", 5)]
    assert len(found) == len(expected) == 12 * 11
    assert set(found) == expected


def test_no_content_for_two_holes():
    """One content cannot fill two holes differently: no candidates, and no endless search."""
    contrast = frame_contrast("p", Content((), 0), TWO_HOLES)
    assert list(candidates(contrast, "validity", 1)) == []


def test_equivalent_contents_of_different_declarations_are_excluded():
    """phi and psi differ in meaning even if their connectives give one meaning different forms."""
    contrast = frame_contrast("pq", USUAL, template("t", "□{phi} → ◇{psi}"))
    contrast = replace(contrast, content={"phi": Content(("implies",), 1), "psi": Content(("not", "or"), 2)})
    found = [c.conjecture for c in candidates(contrast, "validity", 1)]
    # p, q, p → q, q → p are phi's; psi has the same four functions among its own.
    ours, theirs = (len(contents(contrast.symbols, contrast.content[hole])) for hole in ("phi", "psi"))
    assert ours == 4
    assert len(found) == ours * (theirs - 1)
    assert all(normal_form(f.left.operand) != normal_form(f.right.operand) for f in found)
    assert parse("□(p → q) → ◇(¬p ∨ q)") not in found


def test_millions_of_fillings_are_lazy():
    """A template with millions of fillings yields at once; nothing is repeated."""
    contrast = frame_contrast("pqr", Content(("not", "and", "or", "implies", "iff"), 3), THREE_HOLES)
    options = contents(contrast.symbols, contrast.content["phi"])
    assert len(options) ** 3 > 10**7
    found = list(islice(candidates(contrast, "inference", 1), 1500))
    assert len(set(found)) == 1500


def test_small_and_large_contents_both_occur():
    """Among the first candidates every size of content occurs about as often as any other."""
    contrast = frame_contrast("pqr", Content(("not", "and", "or"), 3), template("t", "{phi} → ◇{psi}"))
    sizes = {size(f) for f in contents(contrast.symbols, contrast.content["phi"])}
    first = list(islice(candidates(contrast, "validity", 3), 550))
    seen = Counter(size(candidate.conjecture.left) for candidate in first)
    assert seen.keys() == sizes
    assert min(seen.values()) > 25


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 60))
def test_balance_over_templates(seed, count):
    """However many are taken, no template is more than one candidate ahead of another."""
    contrast = frame_contrast("pqr", USUAL, ONE_HOLE, TWO_HOLES, THREE_HOLES, template("again", "◇{phi}"))
    taken = Counter(c.template for c in islice(candidates(contrast, "validity", seed), count))
    counts = [taken["one"], taken["two"], taken["again"]]
    assert sum(counts) == count
    assert max(counts) - min(counts) <= 1


def test_exhausted_templates_give_way():
    """When one template is exhausted the others go on."""
    found = list(candidates(frame_contrast("pq", LITERALS, PLAIN, ONE_HOLE, TWO_HOLES), "validity", 1))
    assert [c.template for c in found[:6]] == ["plain", "one", "two", "one", "two", "one"]
    assert Counter(c.template for c in found) == {"plain": 1, "one": 4, "two": 12}


def test_only_the_templates_of_the_task():
    """Validity and inference are drawn apart, premises only for the latter."""
    contrast = frame_contrast("pqr", LITERALS, ONE_HOLE, THREE_HOLES)
    assert {(c.template, c.task, len(c.premises)) for c in candidates(contrast, "validity", 1)} == {
        ("one", "validity", 0)
    }
    assert {(c.template, c.task, len(c.premises)) for c in candidates(contrast, "inference", 1)} == {
        ("three", "inference", 2)
    }


def test_the_seed_sets_the_order():
    """One seed, one order; another seed, another order of the same candidates."""
    contrast = frame_contrast("pqr", LITERALS, ONE_HOLE, TWO_HOLES)
    first, again, other = (list(candidates(contrast, "validity", seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert set(first) == set(other)


def test_a_template_does_not_depend_on_the_others():
    """Adding a template to a spec leaves the order of another one's candidates as it was."""
    alone = list(candidates(frame_contrast("pqr", USUAL, ONE_HOLE), "validity", 4))
    beside = candidates(frame_contrast("pqr", USUAL, TWO_HOLES, ONE_HOLE), "validity", 4)
    assert [c for c in beside if c.template == "one"] == alone


def first_order_contrast(*templates: Template) -> Contrast:
    """A contrast on the domain axis."""
    return replace(
        frame_contrast("p", USUAL, *templates),
        axis="domain",
        sides=(semantics(["serial"], "varying"), semantics(["serial"], "cumulative")),
        symbols=(("F", 1), ("G", 1), ("Likes", 2)),
    )


def test_parameters_are_instantiated():
    """A hole's parameters become the variables that it is applied to, in every place it stands."""
    contrast = first_order_contrast(template("bf", "∀x □{phi(x)} → □∀y {phi(y)}"))
    contrast = replace(contrast, content={"phi": Content((), 0)})
    found = {candidate.conjecture for candidate in candidates(contrast, "validity", 1)}
    assert found == {
        parse(f"∀x □{atom} → □∀y {atom.replace('x', 'y')}") for atom in ("F(x)", "G(x)", "Likes(x,x)")
    }


def test_two_parameters_keep_their_order():
    """`{phi(x,y)}` and `{phi(y,x)}` are one content and its converse, without capture."""
    contrast = first_order_contrast(template("t", "∀x ∃y □{phi(x,y)} → ∃y ∀x ◇{phi(y,x)}"))
    found = list(islice(candidates(contrast, "validity", 1), 400))
    assert not any(free_variables(c.conjecture) for c in found)
    assert all(predicates(c.conjecture) <= set(contrast.symbols) for c in found)
    contrast = replace(contrast, symbols=(("Likes", 2),), content={"phi": Content((), 0)})
    assert {c.conjecture for c in candidates(contrast, "validity", 1)} == {
        parse(f"∀x ∃y □Likes({a},{b}) → ∃y ∀x ◇Likes({c},{d})")
        for a, b, c, d in ("xxyy", "xyyx", "yxxy", "yyxx")
    }


def test_holes():
    """The holes of a template with their numbers of parameters; a hole has one number only."""
    assert holes(THREE_HOLES) == (("{chi}", 0), ("{phi}", 0), ("{psi}", 0))
    bad = Template("bad", "validity", (), And(Atom("{phi}"), Atom("{phi}", ("x",))))
    with pytest.raises(ValueError, match=r"'bad': \{phi\} has 0 and 1 parameters"):
        holes(bad)


def test_a_hole_without_content_is_an_error():
    """A hole that the spec says nothing about is named in the error."""
    contrast = replace(frame_contrast("p", LITERALS, TWO_HOLES), content={"phi": LITERALS})
    with pytest.raises(ValueError, match=r"'two': hole \{psi\} has no declared content"):
        next(candidates(contrast, "validity", 1))


PROGRAM = """
import sys
sys.path.insert(0, {tests!r})
from itertools import islice
from test_candidates import *
from modalgen.gen.candidates import candidates
from modalgen.gen.canonical import canonical_key, family
from modalgen.gen.structure import structural_faults
frame = frame_contrast("pqr", USUAL, ONE_HOLE, TWO_HOLES, THREE_HOLES)
domain = first_order_contrast(template("bf", "∀x □{{phi(x)}}", "∃x ◇{{psi(x)}} → □∃x {{phi(x)}}"))
for contrast, task in ((frame, "validity"), (frame, "inference"), (domain, "inference")):
    for c in islice(candidates(contrast, task, 7), 40):
        print(c, canonical_key(c.premises, c.conjecture), family(c.premises, c.conjecture))
        print(structural_faults(c, contrast))
"""


def test_the_same_in_every_process():
    """Candidates, keys and faults do not depend on the hash seed of the process."""
    program = PROGRAM.format(tests=str(Path(__file__).parent))
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "4242")
    }
    assert len(outputs) == 1
    assert len(outputs.pop().splitlines()) == 240


def test_generation_knows_nothing_of_labels():
    """No module of gen imports the oracle or the evaluator of models."""
    for file in sorted(Path(modalgen.gen.canonical.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, (ast.Import, ast.ImportFrom)) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.startswith(("modalgen.oracle", "modalgen.kripke")) for name in names), file


def test_candidates_are_values():
    """A candidate is compared and hashed by what it holds."""
    parts = ("t", "validity", (), parse("□p"))
    assert {Candidate(*parts), Candidate(*parts)} == {Candidate(*parts)}
    formula: Formula = parse("□q")
    assert Candidate(*parts) != Candidate("t", "validity", (), formula)
