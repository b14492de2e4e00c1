"""Prompts: what they say, what they may not say, and that they are the same every time."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import first_order, first_order_semantics, propositional, propositional_semantics

from modalgen.evaluate.answers import AnswerForm, Polarity, Vocabulary
from modalgen.evaluate.english import read_sentence
from modalgen.evaluate.lexicon import lexicon, lexicon_names
from modalgen.evaluate.prompts import (
    NO_CONDITION,
    Prompt,
    PromptOptions,
    Shot,
    Specification,
    prompt,
)
from modalgen.evaluate.shots import draw_shots
from modalgen.formula import Formula
from modalgen.records import SIDES, Pair, Side, identifier
from modalgen.semantics import CONDITIONS, DOMAINS, SYSTEMS, Semantics, semantics
from modalgen.syntax import parse

GOLDEN = Path(__file__).parent / "data" / "prompts"


def make_pair(
    premises: tuple[str | Formula, ...],
    conjecture: str | Formula,
    a: Semantics,
    b: Semantics,
    valid_on: str = "b",
) -> Pair:
    """A pair as a dataset would hold it; only what prompts look at is filled in."""
    given_premises = tuple(parse(p) if isinstance(p, str) else p for p in premises)
    claim = parse(conjecture) if isinstance(conjecture, str) else conjecture
    sides = {
        name: Side(
            semantics=judged,
            label=name == valid_on,
            status="Theorem" if name == valid_on else "CounterSatisfiable",
            resolution="dual",
            authority="embedded",
            deciders={},
            evidence=(),
            countermodel=None,
            certificate=None,
        )
        for name, judged in zip(SIDES, (a, b), strict=True)
    }
    return Pair(
        pair_id=identifier("test", given_premises, claim),
        spec="test",
        template="test",
        axis="frame" if a.domain is None else "domain",
        task="inference" if premises else "validity",
        premises=given_premises,
        conjecture=claim,
        sides=sides,
        premise_status="premise_dependent" if premises else "conjecture_only",
        ablation={},
        profile={},
        profile_evidence=(),
    )


D_AXIOM = make_pair((), "□p → ◇p", semantics(), semantics(["serial"]))
DETACHMENT = make_pair(
    ("□p", "□(p → q)"), "◇q", semantics(["transitive"]), semantics(["serial", "transitive"])
)
SYMMETRY = make_pair(
    ("◇□p",), "p", semantics(["reflexive", "transitive"]), semantics(["reflexive", "symmetric"])
)
BARCAN = make_pair(
    (), "∀x □F(x) → □∀x F(x)", semantics(["serial"], "cumulative"), semantics(["serial"], "decreasing")
)
WITNESS = make_pair(
    ("∃x □(F(x) ∧ ¬G(x))",), "□∃x F(x)", semantics([], "varying"), semantics([], "cumulative")
)


def options(name: str = "signals", **changes: object) -> PromptOptions:
    """Options with a lexicon by name."""
    return replace(PromptOptions(lexicon=lexicon(name)), **changes)  # type: ignore[arg-type]


def statements_of(text: str) -> list[str]:
    """The premises and the statement that a prompt shows last."""
    lines = text.splitlines()
    at = len(lines) - 1 - lines[::-1].index("Statement")
    premises = [line.split(" ", 1)[1] for line in lines[:at] if re.match(r"[0-9]+\. ", line)]
    return [*premises, lines[at + 1]]


GOLDENS: dict[str, Prompt] = {
    "signals-d-axiom": prompt(D_AXIOM, "a"),
    "signals-barcan": prompt(BARCAN, "b"),
    "deontic-detachment": prompt(DETACHMENT, "b", options("deontic")),
    "deontic-witness": prompt(
        WITNESS, "a", options("deontic", answer=AnswerForm(Vocabulary.VALID_INVALID, reverse=True))
    ),
    "epistemic-symmetry": prompt(
        SYMMETRY,
        "a",
        options(
            "epistemic", answer=AnswerForm(Vocabulary.TRUE_FALSE), instruction="Mind the scope of each part."
        ),
        (Shot(D_AXIOM, "b"), Shot(DETACHMENT, "a")),
    ),
    "epistemic-barcan-omitted": prompt(
        BARCAN,
        "a",
        options(
            "epistemic",
            specification=Specification.OMITTED,
            answer=AnswerForm(polarity=Polarity.CAN_FAIL),
        ),
    ),
    "symbols-symmetry-can-fail": prompt(
        SYMMETRY, "b", options("symbols", answer=AnswerForm(polarity=Polarity.CAN_FAIL))
    ),
    "symbols-witness": prompt(WITNESS, "b", options("symbols")),
}


@pytest.mark.parametrize("name", GOLDENS)
def test_golden_prompts(name: str) -> None:
    """The text of a prompt changes only on purpose."""
    assert GOLDENS[name].text == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


def test_every_lexicon_has_golden_prompts() -> None:
    """Two golden prompts for each lexicon, and no file that nothing is compared with."""
    for name in lexicon_names():
        assert sum(golden.startswith(f"{name}-") for golden in GOLDENS) == 2
    assert {path.stem for path in GOLDEN.iterdir()} == set(GOLDENS)


def any_pairs() -> st.SearchStrategy[Pair]:
    """Pairs of both axes under any two semantics, with up to three premises."""

    def of(
        formula: st.SearchStrategy[Formula], judged: st.SearchStrategy[Semantics]
    ) -> st.SearchStrategy[Pair]:
        return st.builds(make_pair, st.lists(formula, max_size=3).map(tuple), formula, judged, judged)

    return st.one_of(
        of(propositional(max_leaves=4), propositional_semantics()),
        of(first_order(height=3), first_order_semantics()),
    )


def any_options() -> st.SearchStrategy[PromptOptions]:
    """All conditions of asking."""
    form = st.builds(AnswerForm, st.sampled_from(Vocabulary), st.booleans(), st.sampled_from(Polarity))
    return st.builds(
        PromptOptions,
        lexicon=st.sampled_from(lexicon_names()).map(lexicon),
        specification=st.sampled_from(Specification),
        answer=form,
        instruction=st.sampled_from(("", "Think step by step.")),
    )


# Names as words of their own. The symbols of the tests' formulas (F, G, Likes; p, q, r) are none of them.
NAMES = re.compile(
    "|".join(
        [rf"\b(?:{'|'.join(sorted(SYSTEMS, key=len, reverse=True))}|KD45|KT|KTB|KD|KT4|GL|S4\.\d)\b"]
        + [rf"(?i:\b{re.escape(name)}(?:ity|ness)?\b)" for name in (*CONDITIONS, *DOMAINS)]
        + [r"(?i:\b(?:seriality|symmetry|transitivity|reflexivity|density|barcan|kripke|modal logic)\b)"]
    )
)


def test_the_forbidden_names_would_be_found() -> None:
    """The expression that the next test searches with does find names."""
    for text in ("in S4,", "the system K.", "cumulative domains", "a serial frame", "Symmetric", "S5", "D"):
        assert NAMES.search(text)


@settings(max_examples=80, deadline=None)
@given(any_pairs(), st.sampled_from(SIDES), any_options())
def test_no_name_of_a_system_or_regime(pair: Pair, side: str, chosen: PromptOptions) -> None:
    """A prompt describes the intended models and never names their logic."""
    shots = () if chosen.specification is Specification.OMITTED else (Shot(D_AXIOM, "a"), Shot(BARCAN, "b"))
    if pair.pair_id in {D_AXIOM.pair_id, BARCAN.pair_id}:
        shots = ()
    assert NAMES.search(prompt(pair, side, chosen, shots).text) is None


def test_no_name_in_any_sentence_of_the_registry() -> None:
    """That holds for every condition and regime of the registry, those drawn above or not."""
    for condition in CONDITIONS:
        assert NAMES.search(prompt(make_pair((), "p", semantics([condition]), semantics()), "a").text) is None
    for regime in DOMAINS:
        pair = make_pair((), "∀x F(x)", semantics([], regime), semantics([], "varying"))
        assert NAMES.search(prompt(pair, "a").text) is None


@settings(max_examples=60, deadline=None)
@given(any_pairs(), any_options())
def test_sides_differ_in_the_specification_only(pair: Pair, chosen: PromptOptions) -> None:
    """Without the lines that describe the intended models both sides have the same text."""
    first, second = (prompt(pair, side, chosen) for side in SIDES)
    assert (first.text == second.text) == (first.specification == second.specification)
    rests = []
    for asked in (first, second):
        lines = asked.text.splitlines()
        if asked.specification:
            at = lines.index(asked.specification[0], lines.index("Intended models"))
            assert tuple(lines[at : at + len(asked.specification)]) == asked.specification
            del lines[at : at + len(asked.specification)]
        rests.append(lines)
    assert rests[0] == rests[1]


@settings(max_examples=60, deadline=None)
@given(any_pairs(), any_options())
def test_premises_and_question(pair: Pair, chosen: PromptOptions) -> None:
    """No premises: no list, and validity is asked; premises: all of them, numbered, in order."""
    asked = prompt(pair, "a", chosen)
    assert ("Premise" in asked.text) == bool(pair.premises)
    polarity = chosen.answer.polarity
    if polarity is Polarity.VALID:
        assert ("Does the statement follow from" in asked.text) == bool(pair.premises)
        assert ("Is the statement valid?" in asked.text) == (not pair.premises)
    assert ("Can the statement fail" in asked.text) == (polarity is Polarity.CAN_FAIL)
    assert asked.text.count("?") == 1
    words = chosen.lexicon.words
    read = [
        parse(text) if words is None else read_sentence(text, words) for text in statements_of(asked.text)
    ]
    assert tuple(read) == (*pair.premises, pair.conjecture)


def test_the_specification_is_the_registrys() -> None:
    """Each declared condition and the regime stand in the text in the registry's words, and no others."""
    asked = prompt(BARCAN, "b")
    assert asked.specification == (
        f"- {CONDITIONS['serial'].sentence}",
        f"- {DOMAINS['decreasing'].sentence}",
    )
    for name, regime in DOMAINS.items():
        assert (regime.sentence in asked.text) == (name == "decreasing")
    assert prompt(D_AXIOM, "a").specification == (f"- {NO_CONDITION}",)


def test_what_a_reader_of_quantifiers_needs() -> None:
    """Non-empty domains, actualist quantifiers and absent individuals are explained, where needed."""
    text = prompt(BARCAN, "a").text
    assert "At least one exists at every world" in text
    assert "of all items that exist at w" in text
    assert "of those that exist there and of those that do not" in text
    assert "exist" not in prompt(D_AXIOM, "a").text


def test_an_omitted_specification_leaves_the_class_open() -> None:
    """Then both sides have one text, which neither lists conditions nor asks about every model."""
    chosen = options(specification=Specification.OMITTED)
    first, second = (prompt(DETACHMENT, side, chosen) for side in SIDES)
    assert first.text == second.text
    assert first.specification == ()
    assert "Intended models" not in first.text
    assert "every intended model" in first.text
    assert CONDITIONS["transitive"].sentence not in first.text
    with pytest.raises(ValueError, match="need the specification"):
        prompt(DETACHMENT, "a", chosen, (Shot(D_AXIOM, "a"),))


@pytest.mark.parametrize(
    ("form", "request_validity", "request_inference"),
    [
        (
            AnswerForm(),
            "Yes if it is valid, No if it is not valid.",
            "Yes if it follows, No if it does not follow.",
        ),
        (
            AnswerForm(reverse=True),
            "No if it is not valid, Yes if it is valid.",
            "No if it does not follow, Yes if it follows.",
        ),
        (
            AnswerForm(polarity=Polarity.CAN_FAIL),
            "Yes if it can fail, No if it cannot fail.",
            "Yes if it can fail, No if it cannot fail.",
        ),
        (
            AnswerForm(Vocabulary.TRUE_FALSE, polarity=Polarity.CAN_FAIL, reverse=True),
            "False if it cannot fail, True if it can fail.",
            "False if it cannot fail, True if it can fail.",
        ),
        (
            AnswerForm(Vocabulary.VALID_INVALID),
            "Valid if it is valid, Invalid if it is not valid.",
            "Valid if it follows, Invalid if it does not follow.",
        ),
        (
            AnswerForm(Vocabulary.VALID_INVALID, polarity=Polarity.CAN_FAIL),
            "Valid if it cannot fail, Invalid if it can fail.",
            "Valid if it cannot fail, Invalid if it can fail.",
        ),
    ],
)
def test_the_words_asked_for(form: AnswerForm, request_validity: str, request_inference: str) -> None:
    """Vocabulary, order and polarity: each word is given its meaning."""
    chosen = options(answer=form)
    for pair, request in ((D_AXIOM, request_validity), (DETACHMENT, request_inference)):
        assert prompt(pair, "a", chosen).text.endswith(f"Answer with exactly one word: {request}\n")


def test_what_is_recorded() -> None:
    """Text, hash, conditions of asking and examples are kept with the prompt."""
    chosen = options(
        "deontic", answer=AnswerForm(Vocabulary.TRUE_FALSE, reverse=True), instruction="Be brief."
    )
    asked = prompt(D_AXIOM, "b", chosen, (Shot(DETACHMENT, "a"),))
    assert asked.to_record() == {
        "pair_id": D_AXIOM.pair_id,
        "side": "b",
        "text": asked.text,
        "sha256": hashlib.sha256(asked.text.encode()).hexdigest(),
        "options": {
            "lexicon": "deontic",
            "lexicon_sha256": lexicon("deontic").sha256,
            "specification": "stated",
            "polarity": "valid",
            "vocabulary": "true-false",
            "reverse": True,
            "instruction": "Be brief.",
        },
        "shots": [[DETACHMENT.pair_id, "a"]],
    }
    assert "\n\nBe brief.\n\nAnswer with exactly one word" in asked.text


def test_examples_show_their_labels_in_the_words_asked_for() -> None:
    """An example's answer is the word for its label, in the polarity of the question."""
    for polarity, words in ((Polarity.VALID, ["Yes", "No"]), (Polarity.CAN_FAIL, ["No", "Yes"])):
        chosen = options(answer=AnswerForm(polarity=polarity))
        text = prompt(BARCAN, "a", chosen, (Shot(D_AXIOM, "b"), Shot(DETACHMENT, "a"))).text
        assert re.findall(r"^Answer\n(\w+)$", text, re.MULTILINE) == words


def test_no_example_of_the_pair_itself() -> None:
    """The other side of a pair is never shown in its context."""
    with pytest.raises(ValueError, match="is of that pair itself"):
        prompt(D_AXIOM, "a", shots=(Shot(D_AXIOM, "b"),))


POOL = [
    make_pair((), f"□{'◇' * depth}p{n} → ◇p{n}", semantics(), semantics(["serial"]), valid_on="ab"[n % 2])
    for depth in range(3)
    for n in range(6)
]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 9), st.integers(), st.randoms(use_true_random=False))
def test_drawn_examples(count: int, seed: int, rng: object) -> None:
    """Examples are balanced, from pairs that are not evaluated, one of a pair, whatever the pool's order."""
    evaluated, pool = POOL[:6], list(POOL)
    shots = draw_shots(pool, evaluated, count, seed)
    rng.shuffle(pool)  # type: ignore[attr-defined]
    assert draw_shots(pool, evaluated, count, seed) == shots
    assert len({shot.pair.pair_id for shot in shots} - {pair.pair_id for pair in evaluated}) == count
    valid = sum(shot.pair.sides[shot.side].label for shot in shots)
    assert abs(count - 2 * valid) == count % 2


def test_draws_differ_by_seed_and_do_not_alternate() -> None:
    """Another seed gives other examples, either label can come first, and runs of a label occur."""
    draws = [draw_shots(POOL, (), 4, seed) for seed in range(30)]
    labels = [tuple(shot.pair.sides[shot.side].label for shot in shots) for shots in draws]
    assert len({tuple(shot.pair.pair_id for shot in shots) for shots in draws}) > 25
    assert {label[0] for label in labels} == {True, False}
    assert any(label[0] == label[1] for label in labels)


def test_draws_that_cannot_be_made() -> None:
    """A pool that is too small is refused, also when the same formulas are evaluated under another id."""
    with pytest.raises(ValueError, match="19 examples are wanted, but only 18 pairs"):
        draw_shots(POOL, (), 19, 0)
    copies = [replace(pair, pair_id=f"other-{n}") for n, pair in enumerate(POOL)]
    with pytest.raises(ValueError, match="only 0 pairs are not evaluated"):
        draw_shots(POOL, copies, 1, 0)
    with pytest.raises(ValueError, match="cannot be negative"):
        draw_shots(POOL, (), -1, 0)


def test_the_same_text_in_another_process() -> None:
    """Prompts do not depend on the hash seed."""
    code = "from test_prompts import GOLDENS; print([p.sha256 for p in GOLDENS.values()])"
    expected = str([golden.sha256 for golden in GOLDENS.values()])
    found = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parent,
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.strip() == expected
