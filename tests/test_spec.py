"""Contrast files: what is read from them, and what their authors are told."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from spec_mistakes import (
    DOMAIN,
    FORMULA_MISTAKES,
    FRAME,
    GRAMMAR,
    GRAMMAR_MISTAKES,
    QUANTIFIED_GRAMMAR,
    SCHEMA_MISTAKES,
    SPEC_MISTAKES,
    YAML_MISTAKES,
)
from strategies import formulas

from modalgen.formula import And, Atom, Box, Diamond, Forall, Formula, Implies, rename_predicates, subformulas
from modalgen.gen.content import MAX_ATOMS, contents
from modalgen.gen.contrast import Content, Contrast, Grammar, Selection, StructuralLimits, Template
from modalgen.gen.enumeration import CONNECTIVES, MODAL, QUANTIFIERS, VARIABLES
from modalgen.gen.schema_check import file_schema
from modalgen.gen.spec import Diagnostic, SpecError, check, load_contrast
from modalgen.gen.template_checks import PlacedFormula, occurrences
from modalgen.gen.yaml_source import MAX_BYTES
from modalgen.kripke import KripkeModel, is_countermodel
from modalgen.printing import to_ascii, to_unicode
from modalgen.problem import Problem
from modalgen.semantics import CONDITIONS, DOMAINS, SYSTEMS, Semantics
from modalgen.syntax import parse_template


def write(directory: Path, text: str | bytes, name: str = "example.yaml") -> Path:
    """A contrast file with this text."""
    path = directory / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path


def told(directory: Path, text: str | bytes) -> list[str]:
    """What `check` says of a file with this text, without the file's name."""
    path = write(directory, text)
    return [str(diagnostic).removeprefix(f"{path}:") for diagnostic in check(path)]


def changed(text: str, old: str, new: str) -> str:
    """The text with its only occurrence of *old* replaced."""
    assert text.count(old) == 1, (text.count(old), old)
    return text.replace(old, new)


def test_frame_contrast_is_read(tmp_path: Path) -> None:
    """A well-formed file of the frame axis gives exactly the value that it declares."""
    phi, psi = Atom("{phi}"), Atom("{psi}")
    assert load_contrast(write(tmp_path, FRAME)) == Contrast(
        id="example",
        title="Seriality",
        rationale="Because.",
        axis="frame",
        sides=(Semantics(), Semantics(("serial",))),
        symbols=(("p", 0), ("q", 0)),
        content={"phi": Content(("not", "and", "or"), 2), "psi": Content((), 0)},
        templates=(
            Template("d-axiom", "validity", (), Implies(Box(phi), Diamond(phi))),
            Template("d-conjunct", "inference", (Box(And(phi, psi)), Box(Atom("p"))), Diamond(phi)),
        ),
        limits=StructuralLimits(3, 0, 30),
        select=Selection(4, 5, 6),
        expect=(False, True),
    )


def test_domain_contrast_is_read(tmp_path: Path) -> None:
    """A well-formed file of the domain axis gives predicates, holes with arguments and domains."""
    contrast = load_contrast(write(tmp_path, DOMAIN))
    hole = Atom("{phi}", ("x",))
    assert contrast.sides == (Semantics((), "varying"), Semantics((), "decreasing"))
    assert contrast.symbols == (("F", 1), ("Likes", 2))
    assert contrast.templates[0].conjecture == Implies(Forall("x", Box(hole)), Box(Forall("x", hole)))
    assert contrast.expect is None


def test_grammars_are_read(tmp_path: Path) -> None:
    """A file may have grammars and no templates; what it leaves out has its meaning."""
    contrast = load_contrast(write(tmp_path, GRAMMAR))
    assert (contrast.templates, contrast.content) == ((), {})
    assert contrast.grammar == (
        Grammar("small", "validity", ("implies", "box", "diamond"), (("p", 0), ("q", 0)), 7, 3, 0),
        Grammar("inferred", "inference", ("not", "box"), (("q", 0),), 5, 2, 0, 1, 4),
    )
    assert contrast.select == Selection(4, 6, 7, 0.05, True, False, (2, 3), 2)
    contrast = load_contrast(write(tmp_path, QUANTIFIED_GRAMMAR))
    assert contrast.grammar == (Grammar("small", "validity", ("box", "forall"), (("F", 1),), 6, 2, 2),)
    assert contrast.select == Selection(4, 0, 6, least_quantifier_depth=1)


def test_problems_must_come_from_somewhere(tmp_path: Path) -> None:
    """A file without templates and grammars is told so once, and templates need `content`."""
    text = GRAMMAR[: GRAMMAR.index("grammar:")] + GRAMMAR[GRAMMAR.index("limits:") :]
    assert told(tmp_path, text) == ["1:1: the file has neither `templates` nor `grammar`"]
    text = FRAME[: FRAME.index("content:")] + FRAME[FRAME.index("templates:") :]
    assert "1:1: the key `content` is missing" in told(tmp_path, text)


def test_grammars_whose_symbols_make_too_many_models(tmp_path: Path) -> None:
    """Symbols that the screen cannot hold are told at the grammar's `symbols`, or its id if it has none."""
    text = changed(QUANTIFIED_GRAMMAR, "Likes: 2", "Likes: 3")
    message = "these symbols make too many small models to screen formulas; list fewer in `symbols`"
    assert told(tmp_path, changed(text, "[F]", "[F, Likes]")) == [f"14:14: {message}"]
    assert told(tmp_path, changed(text, "    symbols: [F]\n", "")) == [f"11:9: {message}"]


@pytest.mark.parametrize(("old", "new", "expected"), YAML_MISTAKES)
def test_yaml_mistakes(tmp_path: Path, old: str, new: str, expected: str) -> None:
    """Each mistake in the YAML is told once, at its place."""
    assert told(tmp_path, changed(FRAME, old, new)) == [expected]


NO_MARK = "1:1: the file starts with a byte order mark; expected UTF-8 without a byte order mark"
WHOLE_FILES = [
    (b"", "1:1: the file is empty"),
    (b"# only a comment\n", "1:1: the file is empty"),
    (b"---\n", "1:1: the file holds no keys"),
    (b"\xef\xbb\xbf" + FRAME.encode(), NO_MARK),
    (FRAME.encode("utf-16"), NO_MARK),
    (b"schema: x\ntitle: K\xe4se\n", "2:9: the byte 0xe4 is not UTF-8; expected a file saved as UTF-8"),
    (b"#" * (MAX_BYTES + 1), "1:1: the file is too large; expected at most 1000000 bytes"),
    (b"- a\n", "1:1: the file is a list; expected a mapping (`key: value`)"),
    (b'"\\UFFFFFFFF"', "1:1: an escape after this place is no Unicode character"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "expected"), WHOLE_FILES)
def test_files_that_are_no_contrast_at_all(tmp_path: Path, content: bytes, expected: str) -> None:
    """Files that cannot be read as YAML in UTF-8 are refused with one sentence."""
    assert told(tmp_path, content) == [expected]


def test_missing_file_and_directory(tmp_path: Path) -> None:
    """A path without a file is told like every other mistake."""
    for path in (tmp_path, tmp_path / "absent.yaml"):
        with pytest.raises(SpecError, match="cannot be read"):
            load_contrast(path)


def test_alias_bomb_is_refused_at_its_first_anchor(tmp_path: Path) -> None:
    """Nested aliases that stand for 10^30 values are never expanded."""
    levels = [f"x{i}: &x{i} [{', '.join([f'*x{i - 1}'] * 10)}]" for i in range(1, 31)]
    diagnostics = told(tmp_path, "\n".join(["x0: &x0 [a]", *levels]))
    assert len(diagnostics) == 1
    assert diagnostics[0].startswith("1:5: anchors (`&x0`) are not supported")


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
def test_deep_nesting_is_refused(tmp_path: Path, opening: str) -> None:
    """A file that nests a hundred thousand values ends in a diagnostic and not in a recursion."""
    diagnostics = check(write(tmp_path, opening * 100_000))
    assert [diagnostic.message for diagnostic in diagnostics] == ["values are nested more than 20 deep"]


@pytest.mark.parametrize(
    ("base", "old", "new", "expected"),
    [*SCHEMA_MISTAKES, *SPEC_MISTAKES, *FORMULA_MISTAKES, *GRAMMAR_MISTAKES],
)
def test_mistakes(tmp_path: Path, base: str, old: str, new: str, expected: str) -> None:
    """Each mistake is told once, at its place, with what was expected and the nearest name."""
    assert told(tmp_path, changed(base, old, new)) == [expected]


def test_holes_that_would_have_too_many_atoms(tmp_path: Path) -> None:
    """A hole for which the vocabulary makes more atoms than truth tables can have is told at once."""
    text = changed(DOMAIN, "{F: 1, Likes: 2}", "{F: 1, Likes: 4}")
    text = changed(text, "∀x □{phi(x)} → □∀x {phi(x)}", "∀x ∃y □{phi(x,y)} → □∀x ∃y {phi(x,y)}")
    expected = "15:25: the symbols make 18 atoms for the hole `{phi}`, more than 16"
    assert told(tmp_path, text) == [expected]


def test_all_mistakes_of_a_file_come_at_once(tmp_path: Path) -> None:
    """YAML, schema, spec and formula mistakes are told together, in file order."""
    text = FRAME
    for old, new in [
        ("id: example", "id: sample"),
        ("title: Seriality", "title: on"),
        ("b: {frame: [serial]}", "b: {frame: [reflexive, symmetric]}"),
        ("[not, and, or]", "[nor]"),
        ("task: validity", "taks: validity"),
        ("'□({phi} ∧ {psi})'", "'□({phi} ∧ )'"),
        ("conjecture: ◇{phi}", "conjecture: ◇s"),
    ]:
        text = changed(text, old, new)
    places = [(line.split(": ")[0], line.split(": ", 1)[1][:30]) for line in told(tmp_path, text)]
    assert places == [
        ("2:5", "the id `sample` is not the nam"),
        ("3:8", "unquoted `on` reads as a boole"),
        ("6:1", "the sides differ in more than "),
        ("11:23", "`nor` is no connective; expect"),
        ("14:19", "unknown key `taks` in template"),
        ("17:27", "a formula is expected after '∧"),
        ("18:18", "the symbol `s` is not declared"),
    ]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("conjecture: >-\n      ◇{phi}\n      ∧ s", ("18:17", "◇{phi} ∧ s", 9)),
        ("conjecture: |\n      ◇{phi}\n      ∧ s", ("18:17", "∧ s", 2)),
        ("conjecture: '◇{phi}\n      ∧ s'", ("18:17", "◇{phi} ∧ s", 9)),
        ('conjecture: "\\u25c7{phi} ∧ s"', ("18:17", "◇{phi} ∧ s", 9)),
    ],
)
def test_places_in_folded_and_escaped_text(
    tmp_path: Path, written: str, expected: tuple[str, str, int]
) -> None:
    """Where characters of the text are not characters of the file, a caret shows the place."""
    lines = told(tmp_path, changed(FRAME, "conjecture: ◇{phi}", written))[0].split("\n")
    place, shown, column = expected
    assert lines[0].startswith(f"{place}: the symbol `s` is not declared in `symbols` (at character ")
    assert lines[1:] == [f"    {shown}", "    " + " " * column + "^"]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("{frame: [reflexive, symmetric]}", "{frame: [reflexive, symmetric, euclidean]}"),
        ("{frame: [reflexive, symmetric]}", "{frame: [reflexive, euclidean]}"),
        ("{system: B}", "{system: S5}"),
        ("{system: B}", "{system: S4}"),
        ("{system: T}", "{system: S4}"),
        ("{frame: [symmetric, transitive]}", "{frame: [transitive]}"),
    ],
)
def test_nested_and_crossing_sides_are_accepted(tmp_path: Path, a: str, b: str) -> None:
    """One condition more, or one in exchange for another, makes a contrast."""
    text = changed(FRAME, "a: {frame: []}", f"a: {a}").replace("expect: {a: false, b: true}\n", "")
    assert told(tmp_path, changed(text, "b: {frame: [serial]}", f"b: {b}")) == []


def test_crossing_sides_may_expect_either_label(tmp_path: Path) -> None:
    """Monotonicity rules out an expectation on nested sides only."""
    text = changed(FRAME, "a: {frame: []}\n  b: {frame: [serial]}", "a: {system: B}\n  b: {system: S4}")
    assert told(tmp_path, text) == []
    assert told(tmp_path, changed(text, "{a: false, b: true}", "{a: true, b: false}")) == []


def test_windows_line_ends(tmp_path: Path) -> None:
    """Lines and columns are those that an editor shows when lines end as on Windows."""
    text = changed(FRAME, "conjecture: ◇{phi}", "conjecture: ◇{phi} ∧ s").replace("\n", "\r\n")
    assert told(tmp_path, text) == ["18:26: the symbol `s` is not declared in `symbols`"]


@settings(max_examples=100, deadline=None)
@given(formulas(), st.booleans())
def test_every_atom_is_placed(formula: Formula, in_ascii: bool) -> None:
    """The atoms of the text are matched with those of the tree, quantifiers and constants between them."""
    text = to_ascii(formula) if in_ascii else to_unicode(formula)
    places = list(occurrences(PlacedFormula((), text, parse_template(text))))
    assert [place.atom for place in places] == [s for s in subformulas(formula) if isinstance(s, Atom)]
    offsets = [place.offset for place in places]
    assert offsets == sorted(set(offsets))
    for place in places:
        name = place.atom.predicate
        assert text.startswith(name, place.offset)
        assert not text[place.offset + len(name) :][:1].isalnum()


def test_unused_declarations_are_warnings(tmp_path: Path) -> None:
    """A hole or a symbol that no template uses is told and does not keep the file from being used."""
    text = changed(FRAME, "'□({phi} ∧ {psi})'", "'□{phi}'")
    warning = "12:3: warning: no template has the hole `{psi}`"
    assert told(tmp_path, text) == [warning]
    assert load_contrast(tmp_path / "example.yaml").content.keys() == {"phi", "psi"}
    for hole in ("{phi}", "{psi}"):
        text = text.replace(hole, "p")
    assert told(tmp_path, text) == [
        "9:22: warning: no template has the symbol `q`",
        "11:3: warning: no template has the hole `{phi}`",
        warning,
    ]


def test_diagnostics_as_text_and_as_records(tmp_path: Path) -> None:
    """A diagnostic reads `file:line:column: …` and becomes plain JSON."""
    diagnostic = Diagnostic("a.yaml", 3, 7, "`x` is no axis", "`frame`", "frame")
    assert str(diagnostic) == "a.yaml:3:7: `x` is no axis; expected `frame`; did you mean 'frame'?"
    assert json.loads(json.dumps(diagnostic.to_record())) == {
        "file": "a.yaml",
        "line": 3,
        "column": 7,
        "message": "`x` is no axis",
        "expected": "`frame`",
        "suggestion": "frame",
        "severity": "error",
        "excerpt": None,
    }
    with pytest.raises(SpecError) as raised:
        load_contrast(write(tmp_path, ""))
    assert str(raised.value) == f"{tmp_path / 'example.yaml'}:1:1: the file is empty"
    assert [d.message for d in raised.value.diagnostics] == ["the file is empty"]


def test_schema_and_registry_name_the_same_things() -> None:
    """The schema is a valid one, and its enumerations are the registries of the code."""
    schema = file_schema("contrast")
    Draft202012Validator.check_schema(schema)
    side = schema["$defs"]["side"]["properties"]
    assert side["frame"]["items"]["enum"] == list(CONDITIONS)
    assert side["system"]["enum"] == list(SYSTEMS)
    assert side["domain"]["enum"] == list(DOMAINS)
    assert schema["properties"]["symbols"]["properties"]["atoms"]["maxItems"] == MAX_ATOMS
    hole = schema["properties"]["content"]["additionalProperties"]["properties"]
    for connective in hole["connectives"]["items"]["enum"]:
        assert contents((("p", 0), ("q", 0)), Content((connective,), 1))  # ValueError if unknown
    operators = schema["$defs"]["grammar"]["properties"]["operators"]["items"]["enum"]
    assert operators == ["not", *CONNECTIVES, *MODAL, *QUANTIFIERS]
    assert schema["$defs"]["grammar"]["properties"]["quantifier_depth"]["maximum"] <= len(VARIABLES)
    for name in CONDITIONS:
        assert f"{name}: " in side["frame"]["items"]["description"]


def _mutations(text: str) -> st.SearchStrategy[str]:
    """The text with some pieces cut out, doubled or replaced."""
    pieces = st.one_of(
        st.sampled_from(
            ["", " ", "\n", "\t", "'", '"', "{", "}", "[", "]", ": ", "- ", "&a", "*a", "!", "#"]
        ),
        st.sampled_from(
            ["no", "null", "1", "-1.5", "<<", "?", "|", ">", "□", "(", ")", "∀x ", "{phi(x)}", "%"]
        ),
        st.text(max_size=5),
    )

    @st.composite
    def mutate(draw: st.DrawFn) -> str:
        result = text
        for _ in range(draw(st.integers(1, 4))):
            start = draw(st.integers(0, len(result)))
            end = min(len(result), start + draw(st.integers(0, 12)))
            result = result[:start] + draw(pieces) + result[end:]
        return result

    return mutate()


def _only_spec_errors(directory: Path, content: bytes) -> None:
    path = write(directory, content)
    diagnostics = check(path)
    for diagnostic in diagnostics:
        assert diagnostic.line >= 1
        assert diagnostic.column >= 1
        assert str(diagnostic).startswith(f"{path}:")
    if any(diagnostic.severity == "error" for diagnostic in diagnostics):
        with pytest.raises(SpecError) as raised:
            load_contrast(path)
        assert list(raised.value.diagnostics) == diagnostics
    else:
        assert isinstance(load_contrast(path), Contrast)


FUZZ = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@FUZZ
@given(st.one_of(st.binary(max_size=200), st.text(max_size=100).map(lambda text: text.encode("utf-8"))))
def test_arbitrary_bytes_never_crash(tmp_path: Path, content: bytes) -> None:
    """Whatever stands in a file, reading it ends in diagnostics or in a contrast."""
    _only_spec_errors(tmp_path, content)


@FUZZ
@given(st.one_of(*map(_mutations, (FRAME, DOMAIN, GRAMMAR, QUANTIFIED_GRAMMAR))))
def test_damaged_contrasts_never_crash(tmp_path: Path, text: str) -> None:
    """Whatever is cut out of a contrast or put into it, reading it ends in diagnostics or a contrast."""
    _only_spec_errors(tmp_path, text.encode("utf-8"))


_ANY = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


@FUZZ
@given(st.data())
def test_wrong_values_in_right_places_never_crash(tmp_path: Path, data: st.DataObject) -> None:
    """A contrast in which some value is replaced by any other ends in diagnostics or a contrast."""
    record = {
        "schema": "modalgen/contrast/1", "id": "example", "title": "t", "rationale": "r", "axis": "frame",
        "sides": {"a": {"frame": []}, "b": {"frame": ["serial"]}}, "symbols": {"atoms": ["p"]},
        "content": {"phi": {"connectives": ["not"], "max_depth": 1}},
        "templates": [{"id": "t", "task": "inference", "premises": ["□{phi}"], "conjecture": "◇{phi}"}],
        "grammar": [
            {"id": "g", "task": "inference", "operators": ["box"], "symbols": ["p"], "max_size": 3,
             "modal_depth": 1, "premises": 1, "premise_size": 2},
        ],
        "limits": {"modal_depth": 1, "quantifier_depth": 0, "size": 9},
        "select": {"validity": 0, "inference": 1, "seed": 0, "max_family_share": 0.5,
                   "countermodel_worlds": [1, 2], "modal_depth": {"min": 1}},
        "expect": {"a": False, "b": True},
    }  # fmt: skip
    place = record
    while True:
        keys = sorted(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        if isinstance(place[key], (dict, list)) and place[key] and data.draw(st.booleans()):
            place = place[key]
        else:
            break
    place[key] = data.draw(_ANY)
    _only_spec_errors(tmp_path, json.dumps(record).encode("utf-8"))


SERIALITY = Path(__file__).parents[1] / "specs" / "seriality.yaml"


def _small_models() -> list[KripkeModel]:
    """All pointed models with at most two worlds and two atoms."""
    models = []
    for worlds in (1, 2):
        arrows = list(itertools.product(range(worlds), repeat=2))
        sets = [frozenset(w for w in range(worlds) if bits >> w & 1) for bits in range(2**worlds)]
        for bits, p, q, actual in itertools.product(range(2 ** len(arrows)), sets, sets, range(worlds)):
            accessibility = frozenset(arrow for i, arrow in enumerate(arrows) if bits >> i & 1)
            models.append(KripkeModel(worlds, accessibility, None, {"p": p, "q": q}, {}, actual))
    return models


def test_seriality_templates_tell_k_from_d() -> None:
    """With atoms in its holes every template is refuted over all frames and not over serial ones, as
    far as models with two worlds tell."""
    contrast = load_contrast(SERIALITY)
    assert check(SERIALITY) == []
    assert contrast.expect == (False, True)
    models = _small_models()
    names = {"{phi}": "p", "{psi}": "q"}
    for template in contrast.templates:
        premises = tuple(rename_predicates(premise, names) for premise in template.premises)
        conjecture = rename_predicates(template.conjecture, names)
        for side, refutable in zip(contrast.sides, (True, False), strict=True):
            problem = Problem(side, premises, conjecture)
            assert any(is_countermodel(model, problem) for model in models) is refutable, template.id
    tasks = [template.task for template in contrast.templates]
    assert min(tasks.count("validity"), tasks.count("inference")) >= 8
