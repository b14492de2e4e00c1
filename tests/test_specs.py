"""The specs that modalgen comes with: what they cover, and that each can be used."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations, islice, permutations
from pathlib import Path

import pytest

from modalgen.formula import modal_depth, quantifier_depth
from modalgen.gen.candidate import Candidate
from modalgen.gen.contrast import Contrast
from modalgen.gen.sifting import TurnedDown, sifted
from modalgen.gen.spec import load_contrast
from modalgen.gen.spec_set import check, is_set, load_set
from modalgen.oracle.kripke_search import find_countermodel
from modalgen.problem import Problem
from modalgen.semantics import SYSTEMS, Semantics, entails, equivalent, semantics

ROOT = Path(__file__).parents[1]
SPECS = ROOT / "specs"
FILES = sorted(SPECS.rglob("*.yaml"))
CONTRASTS = {path.relative_to(SPECS).as_posix(): load_contrast(path) for path in FILES if not is_set(path)}

CLASSES = {name: semantics(conditions) for name, conditions in SYSTEMS.items()}
CONDITIONS = ("serial", "reflexive", "symmetric", "transitive", "euclidean")

# A rationale says in a few sentences of its own why the sides come apart.
FEWEST_WORDS = 25


def system(declared: Semantics) -> str:
    """The system with the same point-generated models."""
    return next(name for name, known in CLASSES.items() if equivalent(known, declared))


def stronger(a: str, b: str) -> bool:
    """Whether b is another system than a and has all that is valid in a."""
    return a != b and entails(CLASSES[b], CLASSES[a])


def covering_edges() -> set[tuple[str, str]]:
    """The pairs of systems, the weaker first, with no system in between."""
    return {
        (a, b)
        for a, b in permutations(SYSTEMS, 2)
        if stronger(a, b) and not any(stronger(a, c) and stronger(c, b) for c in SYSTEMS)
    }


def crossing_pairs() -> set[frozenset[str]]:
    """The pairs of systems that exchange one condition for another.

    These are incomparable systems S and T for which there are a set X of the five conditions and two
    conditions a and b outside X such that S is the system of X ∪ {a} and T that of X ∪ {b}, where two
    sets have the same system if the same point-generated models fulfil them.
    """
    found = set()
    for a, b in combinations(CONDITIONS, 2):
        others = [condition for condition in CONDITIONS if condition not in (a, b)]
        for size in range(len(others) + 1):
            for base in combinations(others, size):
                s, t = system(semantics((*base, a))), system(semantics((*base, b)))
                if s != t and not stronger(s, t) and not stronger(t, s):
                    found.add(frozenset({s, t}))
    return found


def on_frames(*folders: str) -> dict[str, Contrast]:
    """The contrasts of the frame axis in these folders of `specs`."""
    return {
        path: contrast
        for path, contrast in CONTRASTS.items()
        if contrast.axis == "frame" and str(Path(path).parent) in folders
    }


def test_every_covering_edge_of_the_cube_has_one_spec() -> None:
    """No edge is forgotten, none is there twice, and in `specs/cube` there is nothing else."""
    edges = covering_edges()
    assert len(edges) == 26
    declared = Counter(
        (system(c.sides[0]), system(c.sides[1]))
        for c in on_frames(".", "cube").values()
        if not c.select.balanced
    )
    # Two edges, by way of D, in one step.
    assert declared == Counter([*edges, ("K", "T")])


def test_specs_of_the_cube_expect_the_stronger_system_to_be_the_valid_side() -> None:
    """The weaker system is side a, and the file is named by the systems."""
    specs = on_frames("cube")
    assert len(specs) == 22
    for path, contrast in specs.items():
        a, b = map(system, contrast.sides)
        assert path == f"cube/{a}-{b}.yaml".lower()
        assert contrast.expect == (False, True) and stronger(a, b)


def test_every_crossing_pair_has_one_spec() -> None:
    """Also of the incomparable pairs none is forgotten or there twice."""
    pairs = crossing_pairs()
    assert len(pairs) == 26
    declared = Counter(
        frozenset(map(system, c.sides)) for c in on_frames(".", "crossing").values() if c.select.balanced
    )
    assert declared == Counter(pairs)


def test_crossing_specs_are_balanced_and_expect_nothing() -> None:
    """Labels go both ways, and as often; the file is named by the systems."""
    specs = on_frames("crossing")
    assert len(specs) == 25
    for path, contrast in specs.items():
        a, b = map(system, contrast.sides)
        assert path == f"crossing/{a}-vs-{b}.yaml".lower()
        assert contrast.select.balanced and contrast.expect is None


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SPECS).as_posix())
def test_a_spec_is_well_formed(path: Path) -> None:
    """There is nothing to complain about, not even a warning, and editors find the schema."""
    assert check(path) == []
    schema = re.match(r"# yaml-language-server: \$schema=(\S+)\n", path.read_text("utf-8"))
    assert schema is not None
    kind = "set" if is_set(path) else "contrast"
    assert (path.parent / schema[1]).resolve() == ROOT / "schemas" / f"{kind}.schema.json"


def test_ids_are_unique() -> None:
    """Pairs of different specs cannot have the same id."""
    ids = [path.stem for path in FILES]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("path", CONTRASTS)
def test_a_spec_says_what_it_is_about(path: str) -> None:
    """There is a title in one line, and a rationale of some substance."""
    contrast = CONTRASTS[path]
    assert contrast.title and "\n" not in contrast.title
    assert len(contrast.rationale.split()) >= FEWEST_WORDS


def test_rationales_are_not_copied() -> None:
    """No sentence serves two edges or crossings: each contrast has a reason of its own."""
    sentences = Counter(
        sentence
        for path, contrast in CONTRASTS.items()
        if Path(path).parent.name != "domains"
        for sentence in re.split(r"(?<=\.) ", contrast.rationale)
    )
    assert [sentence for sentence, times in sentences.items() if times > 1] == []


def test_the_hard_set_is_deep_and_half_of_it_crosses() -> None:
    """160 pairs: 80 on each axis and of each task, half of them exchanging a condition, none shallow."""
    members = [contrast for _, contrast in load_set(SPECS / "sets" / "hard.yaml").members]
    pairs = Counter[object]()
    for contrast in members:
        select = contrast.select
        for kind in (contrast.axis, "crossing" if select.balanced else "nested"):
            pairs[kind] += select.validity + select.inference
        pairs["validity"] += select.validity
        pairs["inference"] += select.inference
        if contrast.axis == "frame":
            assert select.least_modal_depth >= 3
        else:
            assert select.least_quantifier_depth >= 2
    assert pairs == dict.fromkeys(("frame", "domain", "nested", "crossing", "validity", "inference"), 80)


@pytest.mark.parametrize(
    "path",
    [
        *("cube/d-db.yaml", "cube/k4-k45.yaml", "cube/kb5-s5.yaml", "cube/s4-s5.yaml"),
        *("crossing/db-vs-d4.yaml", "crossing/t-vs-kb.yaml", "crossing/k45-vs-s4.yaml"),
        *("hard/symmetry-deep.yaml", "hard/transitivity-vs-euclideanness-deep.yaml"),
    ],
)
def test_first_candidates_come_apart(path: str) -> None:
    """On the frame axis one side has a small countermodel and the other none; balanced, on each in turn."""
    contrast = CONTRASTS[path]
    for task in ("validity", "inference"):
        found = first_candidates(contrast, task, 2)
        refuted = []
        for candidate in found:
            assert max(map(modal_depth, candidate.formulas)) >= contrast.select.least_modal_depth
            problems = [Problem(side, candidate.premises, candidate.conjecture) for side in contrast.sides]
            refuted.append(tuple(find_countermodel(problem, 3, 0) is not None for problem in problems))
        directions = [(False, True), (True, False)] if contrast.select.balanced else [(True, False)] * 2
        assert refuted == directions


def test_first_hard_candidates_of_domains_are_nested() -> None:
    """Quantifiers and operators are two deep, and one side at least has a countermodel of two worlds."""
    contrast = CONTRASTS["hard/decreasing-constant-deep.yaml"]
    for task in ("validity", "inference"):
        for candidate in first_candidates(contrast, task, 2):
            assert max(map(modal_depth, candidate.formulas)) >= 2
            assert max(map(quantifier_depth, candidate.formulas)) >= 2
            decreasing = Problem(contrast.sides[0], candidate.premises, candidate.conjecture)
            model = find_countermodel(decreasing, 2, 2)
            assert model is not None and model.worlds == 2


def first_candidates(contrast: Contrast, task: str, number: int) -> list[Candidate]:
    """The first candidates of a task that are let through."""
    through = (item for item in sifted(contrast, task) if not isinstance(item, TurnedDown))
    found = list(islice(through, number))
    assert len(found) == number
    return found
