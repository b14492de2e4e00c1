"""Certificates in words: the sentences say what the steps say, of the formulas of the steps, and no more."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from modalgen.certificate import CertificateError, Inferences, check
from modalgen.formula import rename_free
from modalgen.oracle.herbrand import HerbrandProver
from modalgen.oracle.verdict import Limits
from modalgen.printing import to_unicode
from modalgen.problem import Problem
from modalgen.records import SIDES, read_pairs
from modalgen.semantics import semantics
from modalgen.syntax import parse
from modalgen.view.pair_view import view
from modalgen.view.proof import in_words

DATASETS = Path(__file__).parent.parent / "datasets"


def problem(text: str, frame: str = "", domain: str | None = None) -> Problem:
    """A problem from text: `premise; premise ⊢ conjecture` or a conjecture; conditions of the frame."""
    premises, _, conjecture = text.rpartition("⊢")
    local = tuple(parse(premise) for premise in premises.split(";") if premise.strip())
    return Problem(semantics(frame.split(), domain), local, parse(conjecture))


def proved(problem: Problem) -> tuple[str, ...]:
    """The words for the certificate that the prover finds."""
    certificate = HerbrandProver().decide(problem, Limits()).certificate
    assert certificate is not None
    assert in_words(problem, certificate) == in_words(problem, certificate)
    return in_words(problem, certificate)


def test_seriality() -> None:
    """The example of docs/certificates.md: every sentence is that of the line-by-line reading."""
    assert proved(problem("□p → ◇p", "serial")) == (
        "Suppose □p → ◇p is false at w0.",
        "Then □p is true and ◇p is false at w0.",
        "w0 accesses a world, w1, since the frame is serial.",
        "□p is true at w0, which accesses w1, so p is true at w1.",
        "◇p is false at w0, which accesses w1, so p is false at w1.",
        "That is a contradiction.",
    )


def test_symmetry() -> None:
    """A world is introduced where it is promised, and a condition says from which access which follows."""
    assert proved(problem("p → □◇p", "symmetric")) == (
        "Suppose p → □◇p is false at w0.",
        "Then p is true and □◇p is false at w0.",
        "□◇p is false at w0, so w0 accesses a world, w1, where ◇p is false.",
        "w0 accesses w1, so w1 accesses w0, since the frame is symmetric.",
        "◇p is false at w1, which accesses w0, so p is false at w0.",
        "That is a contradiction.",
    )


def test_the_barcan_formula() -> None:
    """Individuals have letters, which stand in the formulas in the place of variables."""
    assert proved(problem("∀x □F(x) → □∀x F(x)", domain="decreasing")) == (
        "Suppose ∀x □F(x) → □∀x F(x) is false at w0.",
        "Then ∀x □F(x) is true and □∀x F(x) is false at w0.",
        "□∀x F(x) is false at w0, so w0 accesses a world, w1, where ∀x F(x) is false.",
        "∀x F(x) is false at w1, so an individual, a, exists at w1 and F(a) is false at w1.",
        "w0 accesses w1 and a exists at w1, so a exists at w0, since domains are decreasing.",
        "∀x □F(x) is true at w0, where a exists, so □F(a) is true at w0.",
        "□F(a) is true at w0, which accesses w1, so F(a) is true at w1.",
        "That is a contradiction.",
    )


def test_a_distinction_of_cases() -> None:
    """What holds in one case only is said with "if"; what closes it does not carry over to the other."""
    two = problem("p ∨ q; ¬p; q → r; ¬r ⊢ ⊥")
    # 0: p, 1: q, 2: p ∨ q, 3: ¬p, 4: r, 5: q → r, 6: ¬r. The disjunction comes first.
    steps = [["premise", i] for i in range(4)]
    steps += [["true", 2, 0], ["true", 3, 0], ["true", 5, 0], ["true", 6, 0]]
    assert in_words(two, {"terms": [["root"]], "steps": steps}) == (
        "Suppose the premise p ∨ q is true at w0.",
        "Suppose the premise ¬p is true at w0.",
        "Suppose the premise q → r is true at w0.",
        "Suppose the premise ¬r is true at w0.",
        "p ∨ q is true at w0, so either p is true or q is true at w0.",
        "¬p is true at w0, so p is false at w0.",
        "q → r is true at w0, so either q is false or r is true at w0, and the first is already excluded.",
        "¬r is true at w0, so r is false at w0.",
        "Each case ends in a contradiction.",
    )


def test_conditional_and_remaining_cases() -> None:
    """A step that the checker passes over in a case is not said to hold there."""
    sentences = proved(problem("□⊤ ∧ ¬◇⊥"))
    assert sentences[1:] == (
        "Then either □⊤ is false or ¬◇⊥ is false at w0.",
        "If ¬◇⊥ is false at w0, then ◇⊥ is true at w0.",
        "If ◇⊥ is true at w0, then w0 accesses a world, w1, where ⊥ is true.",
        "⊥ is false at w1, as at every world.",
        "In every case that is left, □⊤ is false at w0, so w0 accesses a world, w2, where ⊤ is false.",
        "⊤ is true at w2, as at every world.",
        "Each case ends in a contradiction.",
    )


@pytest.mark.parametrize(
    ("text", "frame", "domain", "sentence"),
    [
        ("p → ◇p", "reflexive", None, "w0 accesses itself, since the frame is reflexive."),
        (
            "□p → □□p",
            "transitive",
            None,
            "w0 accesses w1 and w1 accesses w2, so w0 accesses w2, since the frame is transitive.",
        ),
        (
            "◇p → □◇p",
            "euclidean",
            None,
            "w0 accesses w2 and w0 accesses w1, so w2 accesses w1, since the frame is euclidean.",
        ),
        (
            "□□p → □p",
            "dense",
            None,
            "w0 accesses w1, so w0 accesses a world, w2, and w2 accesses w1, since the frame is dense.",
        ),
        (
            "◇□p → □◇p",
            "convergent",
            None,
            "w0 accesses w1 and w0 accesses w2, so w1 accesses a world, w3, and w2 accesses w3, "
            "since the frame is convergent.",
        ),
        (
            "◇p → □p",
            "functional",
            None,
            "w0 accesses w1 and w0 accesses w2, so w1 and w2 are the same world, "
            "since the frame is functional.",
        ),
        (
            "□(□p → p)",
            "shift-reflexive",
            None,
            "w0 accesses w1, so w1 accesses itself, since the frame is shift-reflexive.",
        ),
        (
            "□(p ∧ □p → q) ∨ □(q ∧ □q → p)",
            "weakly-connected",
            None,
            "w0 accesses w1 and w0 accesses w2, so either w1 accesses w2, or w2 accesses w1, or w1 and w2 "
            "are the same world, since the frame is weakly-connected, and the third is already excluded.",
        ),
        ("◇□p → □p", "universal", None, "w1 accesses w2, since the frame is universal."),
        (
            "∀x F(x) → ∃x F(x)",
            "",
            "varying",
            "An individual, a, exists at w0, since no domain is empty.",
        ),
        (
            "□∀x F(x) → ∀x □F(x)",
            "",
            "cumulative",
            "w0 accesses w1 and a exists at w0, so a exists at w1, since domains are cumulative.",
        ),
        ("∃x □F(x) → □∃x F(x)", "", "constant", "a exists at w1, since domains are constant."),
        (
            "p ↔ q; p ⊢ q",
            "",
            None,
            "p ↔ q is true at w0, so either p and q are true, or p and q are false at w0",
        ),
        (
            "⊢ (p ↔ q) ∨ (p ↔ ¬q)",
            "",
            None,
            "p ↔ q is false at w0, so either p is true and q is false, or p is false and q is true at w0.",
        ),
        ("p ∧ q ⊢ p", "", None, "Suppose the premise p ∧ q is true at w0."),
        ("∃x F(x); ∀x ¬F(x) ⊢ ⊥", "", "varying", "so an individual, a, exists at w0 and F(a) is true at w0."),
        ("p ∨ p ⊢ p", "", None, "p ∨ p is true at w0, so p is true at w0."),
    ],
)
def test_truth_conditions_and_conditions(text: str, frame: str, domain: str | None, sentence: str) -> None:
    """Each condition on frames and domains, and connective, has its words and comes with its reason."""
    assert sentence in "\n".join(proved(problem(text, frame, domain)))


def test_global_formulas() -> None:
    """A global conjecture fails at a new world, and a global premise is true at every world."""
    q = parse("q")
    everywhere = Problem(semantics([]), (), parse("□q"), global_premises=(q,), global_conjecture=True)
    assert proved(everywhere) == (
        "Suppose □q is false at a world, w0.",
        "Then w0 accesses a world, w1, where q is false.",
        "The global premise q is true at w1, as at every world.",
        "That is a contradiction.",
    )


def test_a_name_before_what_promises_it() -> None:
    """What a step mentions and none before it introduced is introduced by what the term names."""
    drinker = problem("∃x ◇(G(x) → ∀y G(y))", "serial", "constant")
    # 0: G(x), 1: G(y), 2: ∀y G(y), 3: G(x) → ∀y G(y), 4: ◇(…), 5: ∃x ◇(…)
    terms = [["root"], ["serial", 0], ["witness", 2, 1]]
    steps = [["conjecture"], ["constant", 0, 2], ["serial", 0], ["false", 5, 0, 2], ["false", 4, 0, 2, 1]]
    steps += [["false", 3, 1, 2], ["false", 2, 1]]
    sentences = in_words(drinker, {"terms": terms, "steps": steps})
    assert sentences[1:4] == (
        "Let w1 be a world that w0 accesses, or any world if there is none, and let a be an individual that "
        "makes ∀y G(y) false at w1, or any individual that exists somewhere if there is none; a exists at "
        "w0, since domains are constant.",
        "w0 accesses w1, since the frame is serial.",
        "∃x ◇(G(x) → ∀y G(y)) is false at w0, where a exists, so ◇(G(a) → ∀y G(y)) is false at w0.",
    )


@pytest.mark.parametrize(
    "certificate",
    [
        {},
        {"kind": "refutation", "evidence": []},
        {"terms": [["root"]], "steps": [["conjecture"]]},
        {"terms": [["root"]], "steps": [["reflexive", 0]]},
        {"terms": [["root"], ["serial", 1]], "steps": []},
    ],
)
def test_only_what_the_checker_accepts(certificate: dict[str, Any]) -> None:
    """What is malformed or proves nothing is refused with a message, not put into words."""
    with pytest.raises(ValueError, match=r"^the checker does not accept the certificate: \w+"):
        in_words(problem("□p → ◇p", "serial"), certificate)


@pytest.mark.parametrize(
    ("text", "frame", "domain"),
    [
        ("□p → ◇p", "serial", None),
        ("◇p → □p", "functional dense convergent", None),
        ("∃x □F(x) → □∃x F(x)", "universal", "constant"),
    ],
)
def test_superfluous_steps_and_terms(text: str, frame: str, domain: str | None) -> None:
    """Whatever the checker accepts is put into words, also steps and terms that a proof has no use for."""
    proven = problem(text, frame, domain)
    certificate = HerbrandProver().decide(proven, Limits()).certificate
    assert certificate is not None
    terms, steps = list(certificate["terms"]), list(certificate["steps"])
    rules = ["true", "false", "witness", "root", "cex", "conjecture", "nonempty", "constant", *frame.split()]
    heard = 0
    for rule, length in itertools.product(rules, range(5)):
        for numbers in itertools.product(range(4), repeat=length):
            extra = [rule, *numbers]
            for more in (
                {"terms": [*terms, extra], "steps": [*steps, ["true", 0, len(terms)]]},
                {"terms": [*terms, extra], "steps": [["false", 0, len(terms)], *steps]},
                {"terms": terms, "steps": [extra, *steps]},
            ):
                try:
                    check(proven, more)
                except CertificateError:
                    continue
                heard += 1
                sentences = in_words(proven, more)
                assert len(sentences) == len(more["steps"]) + 1
                assert all(re.fullmatch(r"\S.*\w\.", sentence) for sentence in sentences)
                assert not re.search(r"witness|,[,.]|  |-1", "\n".join(sentences)), more
    assert heard > 10


WORDS = """
    Suppose Then If In Let An an a the The premise is are true false at and so or either every case that left
    which accesses itself where exists since frame domains no domain empty individual world as first second
    both already excluded then be makes any somewhere if there none let
    serial reflexive symmetric transitive euclidean cumulative decreasing constant
"""


def released() -> Iterator[tuple[str, Problem, dict[str, Any]]]:
    """The certificates of the released datasets, with their problems."""
    for name in ("nested", "balanced-core", "hard"):
        for pair in read_pairs(DATASETS / name):
            for side in SIDES:
                if (certificate := pair.sides[side].certificate) is not None:
                    yield f"{pair.pair_id} {side}", pair.problem(side), dict(certificate)


def test_the_released_certificates() -> None:
    """A sentence a step, of the formulas of the step, in English words and names that were introduced."""
    seen = 0
    for where, proven, certificate in released():
        seen += 1
        *sentences, end = in_words(proven, certificate)
        assert end in ("That is a contradiction.", "Each case ends in a contradiction."), where
        inferences = Inferences(proven, certificate["terms"])
        sorts = inferences.sorts
        names = [
            f"w{sorts[:t].count('w')}" if sort == "w" else "abcdefgh"[sorts[:t].count("y")]
            for t, sort in enumerate(sorts)
        ]

        def text(k: int, *values: int, inferences: Inferences = inferences, names: list[str] = names) -> str:
            new = dict(zip(inferences.free[k], (names[t] for t in values), strict=True))
            return to_unicode(rename_free(inferences.nodes[k], new))

        promised = [
            text(k, *xs) for rule, *rest in certificate["terms"] if rule == "witness" for k, _, *xs in [rest]
        ]
        introduced = {"w0"}
        for step, sentence in zip(certificate["steps"], sentences, strict=True):
            assumed, cases = inferences.of(*step)
            concluded = [
                f"{fact[1][0]}({','.join(names[t] for t in fact[3:])})".removesuffix("()")
                if isinstance(fact[1], tuple)
                else text(fact[1], *fact[3:])
                for case in cases
                for fact in case
                if not isinstance(fact[1], str)
            ]
            own = [text(f[1], *f[3:]) for f in assumed if isinstance(f[1], int)]
            for formula in concluded + (own if not sentence.startswith("Then ") else []):
                assert formula in sentence, (where, sentence, formula)
            rest = sentence
            allowed = {*concluded, *own, *(promised if sentence.startswith("Let ") else [])}
            for formula in sorted(allowed, key=len, reverse=True):
                rest = re.sub(rf"(?<!\w){re.escape(formula)}(?![\w(])", " ", rest)
            assert re.fullmatch(r"[A-Za-z0-9 ,;]+\.", rest), (where, sentence, rest)
            tokens = re.findall(r"\w+", rest)
            introduced |= {b for a, b in re.findall(r"(world|individual), (\w+)", sentence)}
            introduced |= set(re.findall(r"[Ll]et (\w+) be", sentence))
            assert set(tokens) <= {*WORDS.split(), *introduced}, (where, sentence)
    assert seen == 1120


def test_the_page_has_the_proof_folded_up() -> None:
    """The view of a pair has the sentences of its certificate in a closed element with a summary."""
    pair = next(p for p in read_pairs(DATASETS / "balanced-core") if not p.premises)
    runs = {sha: None for side in pair.sides.values() for sha in side.evidence}
    shown = str(view(pair, "title", runs, "family", 1))
    (valid,) = [side for side in SIDES if pair.sides[side].label]
    certificate = pair.sides[valid].certificate
    assert certificate is not None
    expected = in_words(pair.problem(valid), certificate)
    (details,) = re.findall(r"<details>(.*?)</details>", shown, re.DOTALL)
    assert details.startswith("<summary>The proof, step by step</summary>")
    assert tuple(re.findall(r"<li>(.*?)</li>", details)) == expected
