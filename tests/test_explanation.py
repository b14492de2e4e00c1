"""Explanations of countermodels: every sentence is true, says why, and says it once."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import first_order, propositional
from test_kripke import ground, models, truth_sets

from modalgen.formula import (
    And,
    Atom,
    Bottom,
    Box,
    Diamond,
    Exists,
    Forall,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Top,
    rename_free,
)
from modalgen.kripke import KripkeModel, objection
from modalgen.problem import Problem
from modalgen.semantics import semantics
from modalgen.syntax import parse
from modalgen.view import explanation
from modalgen.view.explanation import MAX_STEPS, explain
from modalgen.view.sentences import (
    Absence,
    Access,
    Claim,
    Elsewhere,
    Existence,
    Fact,
    Here,
    Individuals,
    Reason,
    Step,
    Truth,
)

NAMES = "abc"


def model(worlds: int, arrows: str, true: str = "", domains: str = "") -> KripkeModel:
    """A model from text: arrows `01 11`, atoms `p0 p1`, predications `Fa1`, domains `a ab` world by world."""
    valuation: dict[str, set[int]] = {p: set() for p in "pqr"}
    extensions: dict[str, list[set[tuple[int, ...]]]] = {p: [set() for _ in range(worlds)] for p in "FG"}
    for word in true.split():
        if word[0] in valuation:
            valuation[word[0]].add(int(word[1]))
        else:
            extensions[word[0]][int(word[2])].add((NAMES.index(word[1]),))
    return KripkeModel(
        worlds,
        frozenset((int(a[0]), int(a[1])) for a in arrows.split()),
        tuple(frozenset(map(NAMES.index, d)) for d in domains.split()) or None,
        {p: frozenset(found) for p, found in valuation.items()},
        {p: tuple(map(frozenset, rows)) for p, rows in extensions.items()},
    )


def told(problem: Problem, of: KripkeModel) -> list[str]:
    """The sentences, each with a dot for each level of its depth."""
    return ["." * step.depth + step.text for step in explain(problem, of)]


def lines(text: str) -> list[str]:
    """The lines of a text, without its indentation."""
    return [line.strip() for line in text.strip().splitlines()]


@pytest.mark.parametrize(
    ("premises", "conjecture", "of", "expected"),
    [
        (
            [],
            "□p → ◇p",
            model(1, ""),
            """At w0, the conjecture □p → ◇p fails, since □p holds and ◇p fails there.
            .At w0, □p holds, since w0 accesses no world.
            .At w0, ◇p fails, for the same reason.""",
        ),
        (
            ["□(p ∧ q)"],
            "◇p",
            model(1, ""),
            """At w0, the premise □(p ∧ q) holds, since w0 accesses no world.
            At w0, the conjecture ◇p fails, for the same reason.""",
        ),
        (
            ["□p", "¬¬q"],
            "p",
            model(2, "01", "p1 q0"),
            """At w0, the premise □p holds, since w0 accesses only w1, where p holds.
            At w0, the premise ¬¬q holds.
            At w0, the conjecture p fails.""",
        ),
        (  # successors that behave alike are grouped, at each level
            [],
            "¬□□(p ∨ q)",
            model(5, "01 02 13 23 24", "p3 q4"),
            """At w0, the conjecture ¬□□(p ∨ q) fails, since w0 accesses only w1 and w2, where □(p ∨ q) holds.
            .At w1, □(p ∨ q) holds, since w1 accesses only w3, where p holds.
            .At w2, □(p ∨ q) holds, since w2 accesses only w3, where p holds, and w4, where q holds.""",
        ),
        (
            [],
            "¬□◇p",
            model(4, "01 02 13 23", "p3"),
            """At w0, the conjecture ¬□◇p fails, since w0 accesses only w1 and w2, where ◇p holds.
            .At w1 and w2, ◇p holds, since they access w3, where p holds.""",
        ),
        (  # the shortest reason: q, and not the modal disjunct before it
            [],
            "¬(□□p ∨ q)",
            model(1, "00", "p0 q0"),
            "At w0, the conjecture ¬(□□p ∨ q) fails, since q holds there.",
        ),
        (  # of two failing worlds, the first that is as short as any
            [],
            "□(p ∧ ◇q)",
            model(3, "00 01 02", "p0 q0"),
            "At w0, the conjecture □(p ∧ ◇q) fails, since w0 accesses w1, where p fails.",
        ),
        (  # what was explained is not explained again
            ["□□p ∧ q", "□□p"],
            "¬q",
            model(2, "01", "q0"),
            """At w0, the premise □□p ∧ q holds, since □□p and q hold there.
            .At w0, □□p holds, since w0 accesses only w1, where □p holds.
            ..At w1, □p holds, since w1 accesses no world.
            At w0, the premise □□p holds, as said above.
            At w0, the conjecture ¬q fails.""",
        ),
        (  # the same words about another world are another reason
            [],
            "¬□(p ∧ □p ∨ ¬p ∧ ¬◇q)",
            model(3, "01 02", "p1"),
            """At w0, the conjecture ¬□(p ∧ □p ∨ ¬p ∧ ¬◇q) fails, since w0 accesses only w1, where p and □p \
hold, and w2, where p and ◇q fail.
            .At w1, □p holds, since w1 accesses no world.
            .At w2, ◇q fails, since w2 accesses no world.""",
        ),
        (
            ["⊤ ↔ p"],
            "◇(p ↔ q) ∨ ⊥",
            model(1, "00", "p0"),
            """At w0, the premise ⊤ ↔ p holds, since ⊤ and p hold there.
            At w0, the conjecture ◇(p ↔ q) ∨ ⊥ fails, since ◇(p ↔ q) and ⊥ fail there.
            .At w0, ◇(p ↔ q) fails, since w0 accesses only itself, where p holds and q fails.""",
        ),
    ],
)
def test_propositional_explanations(
    premises: list[str], conjecture: str, of: KripkeModel, expected: str
) -> None:
    """The sentences about small models, worked out by hand."""
    problem = Problem(semantics(), tuple(map(parse, premises)), parse(conjecture))
    assert told(problem, of) == lines(expected)


@pytest.mark.parametrize(
    ("premises", "conjecture", "of", "expected"),
    [
        (  # the Barcan formula: someone new at the accessible world lacks F
            [],
            "(∀x □F(x)) → □∀x F(x)",
            model(2, "01 11", "Fb1", "b ab"),
            """At w0, the conjecture ∀x □F(x) → □∀x F(x) fails, since ∀x □F(x) holds and □∀x F(x) fails there.
            .At w0, ∀x □F(x) holds, since only b exists there, and □F(b) holds (□F(a) fails there, \
but a does not exist there).
            ..At w0, □F(b) holds, since w0 accesses only w1, where F(b) holds.
            .At w0, □∀x F(x) fails, since w0 accesses w1, where ∀x F(x) fails.
            ..At w1, ∀x F(x) fails, since a exists there, and F(a) fails.""",
        ),
        (  # its converse: whoever has F at the accessible world does not exist there
            [],
            "□(∀x F(x)) → ∀x □F(x)",
            model(2, "01", "Fb1", "ab b"),
            """At w0, the conjecture □∀x F(x) → ∀x □F(x) fails, since □∀x F(x) holds and ∀x □F(x) fails there.
            .At w0, □∀x F(x) holds, since w0 accesses only w1, where ∀x F(x) holds.
            ..At w1, ∀x F(x) holds, since only b exists there, and F(b) holds (F(a) fails there, \
but a does not exist there).
            .At w0, ∀x □F(x) fails, since a exists there, and □F(a) fails.
            ..At w0, □F(a) fails, since w0 accesses w1, where F(a) fails.""",
        ),
        (  # □F(a) is the same wherever it comes from
            [],
            "¬((∀x □F(x)) ↔ ∀y □F(y))",
            model(1, "", "", "a"),
            """At w0, the conjecture ¬(∀x □F(x) ↔ ∀y □F(y)) fails, since ∀x □F(x) and ∀y □F(y) hold there.
            .At w0, ∀x □F(x) holds, since only a exists there, and □F(a) holds.
            ..At w0, □F(a) holds, since w0 accesses no world.
            .At w0, ∀y □F(y) holds, since only a exists there, and □F(a) holds.""",
        ),
        (  # individuals that behave alike are spoken of together; b exists nowhere
            ["∀x □(F(x) ∧ G(x))"],
            "∃x (F(x) ∧ G(x))",
            model(2, "01", "Fa1 Ga1 Fc1 Gc1 Fa0 Fb0 Gb0", "ac ac"),
            """At w0, the premise ∀x □(F(x) ∧ G(x)) holds, since only a and c exist there, and \
□(F(a) ∧ G(a)) and □(F(c) ∧ G(c)) hold (□(F(b) ∧ G(b)) fails there, but b does not exist there).
            .At w0, □(F(a) ∧ G(a)) and □(F(c) ∧ G(c)) hold, since w0 accesses only w1, where \
F(a), G(a), F(c) and G(c) hold.
            At w0, the conjecture ∃x (F(x) ∧ G(x)) fails, since only a and c exist there, and G(a) and F(c) \
fail (F(b) ∧ G(b) holds there, but b does not exist there).""",
        ),
    ],
)
def test_first_order_explanations(
    premises: list[str], conjecture: str, of: KripkeModel, expected: str
) -> None:
    """Quantifiers look at who exists; who does not is mentioned where that makes the difference."""
    problem = Problem(semantics((), "varying"), tuple(map(parse, premises)), parse(conjecture))
    assert told(problem, of) == lines(expected)


def test_global_premises_and_conjectures() -> None:
    """A global premise is explained at all worlds, a global conjecture where it fails most simply."""
    of = model(3, "01 12", "p0 p1 p2 q2")
    problem = Problem(
        semantics(), (), parse("◇□p"), (parse("p"), parse("◇p ∨ q"), parse("p ∧ (◇p ∨ q)")), True
    )
    assert told(problem, of) == lines(
        """At every world, the global premise p holds.
        At every world, the global premise ◇p ∨ q holds.
        .At w0 and w1, ◇p ∨ q holds, since ◇p holds there.
        ..At w0, ◇p holds, since w0 accesses w1, where p holds.
        ..At w1, ◇p holds, since w1 accesses w2, where p holds.
        .At w2, ◇p ∨ q holds, since q holds there.
        At every world, the global premise p ∧ (◇p ∨ q) holds.
        .At w0 and w1, p ∧ (◇p ∨ q) holds, since p and ◇p hold there.
        .At w2, p ∧ (◇p ∨ q) holds, since p and q hold there.
        At w2, the global conjecture ◇□p fails, since w2 accesses no world."""
    )


def test_no_explanation_without_a_countermodel() -> None:
    """A model that is no countermodel is refused, with the evaluator's objection."""
    with pytest.raises(ValueError, match="not a countermodel: the conjecture is true"):
        explain(Problem(semantics(), (), parse("p ∨ ¬p")), model(1, ""))
    with pytest.raises(ValueError, match="the frame is not serial"):
        explain(Problem(semantics(["serial"]), (), parse("p")), model(1, ""))


# Random countermodels. A formula that is not as it must be is negated, so that none is thrown away.


@st.composite
def countermodels(draw: st.DrawFn) -> tuple[Problem, KripkeModel]:
    """A problem with local and global premises and a countermodel to it."""
    first = draw(st.booleans())
    of = draw(models(first_order=first))
    formulas = first_order(height=4) if first else propositional(10)
    worlds = range(of.worlds)

    def true(formula: Formula) -> list[bool]:
        return [evaluate(of, formula, w) for w in worlds]

    local = [draw(formulas) for _ in range(draw(st.integers(0, 2)))]
    everywhere = [f for f in (draw(formulas) for _ in range(draw(st.integers(0, 2)))) if all(true(f))]
    conjecture = draw(formulas)
    as_global = draw(st.booleans())
    fails = not all(true(conjecture)) if as_global else not true(conjecture)[of.actual]
    problem = Problem(
        semantics((), "varying" if first else None),
        tuple(f if true(f)[of.actual] else Not(f) for f in local),
        conjecture if fails else Not(conjecture),
        tuple(everywhere),
        as_global,
    )
    assert objection(of, problem) is None
    return problem, of


def evaluate(of: KripkeModel, formula: Formula, world: int, values: dict[str, int] | None = None) -> bool:
    """Truth by grounding and sets of worlds: shares no code with the reference evaluator."""
    if of.domains is None:
        return bool(truth_sets(of, formula) >> world & 1)
    worlds = range(of.worlds)
    flat = {f"E/{d}": frozenset(w for w in worlds if d in of.domains[w]) for d in range(3)}
    for name, extension in of.extensions.items():
        for row in itertools.product(range(3), repeat=2 if name == "Likes" else 1):
            flat["/".join([name, *map(str, row)])] = frozenset(w for w in worlds if row in extension[w])
    flat |= of.valuation
    grounded = KripkeModel(of.worlds, of.accessibility, None, flat)
    return bool(truth_sets(grounded, ground(of, formula, values or {})) >> world & 1)


def is_true(claim: Claim, of: KripkeModel) -> bool:
    """Whether the model is as claimed."""
    match claim:
        case Truth(formula, world, assignment, holds):
            return evaluate(of, formula, world, dict(assignment)) is holds
        case Access(world, accessed, only):
            found = {v for w, v in of.accessibility if w == world}
            return found == set(accessed) if only else set(accessed) <= found
        case Existence(world, individuals, only):
            assert of.domains is not None
            return of.domains[world] == set(individuals) if only else of.domains[world] >= set(individuals)
        case Absence(world, individuals):
            assert of.domains is not None
            return of.domains[world].isdisjoint(individuals)
    raise AssertionError(claim)


@given(countermodels())
@settings(max_examples=40, deadline=None)
def test_every_sentence_is_true(found: tuple[Problem, KripkeModel]) -> None:
    """Each claim of each sentence holds in the model, by an independent evaluator."""
    problem, of = found
    for step in explain(problem, of):
        for claim in step.claims:
            assert is_true(claim, of), (step.text, claim)


# Reading sentences back.


@dataclass(frozen=True)
class Read:
    """What the words of a sentence say."""

    truths: frozenset[tuple[Formula, int, bool]]
    others: frozenset[Claim]


def truths_in(words: str, worlds: list[int]) -> Iterator[tuple[Formula, int, bool]]:
    """What `p and q hold and r fails` says of the worlds."""
    shape = re.fullmatch(r"(?:(?P<true>.+?) holds?)?(?: and )?(?:(?P<false>.+?) fails?)?", words)
    assert shape, words
    for group, holds in (("true", True), ("false", False)):
        for text in re.split(r", | and ", shape[group]) if shape[group] else ():
            yield from ((parse(text), w, holds) for w in worlds)


def named(words: str, itself: list[int]) -> list[int]:
    """The worlds or individuals of an enumeration."""
    found: list[int] = []
    for name in re.split(r", | and ", words):
        found += itself if name == "itself" else [int(name[1:]) if name[0] == "w" else NAMES.index(name)]
    return found


def read_reason(words: str, worlds: list[int]) -> Read:
    """What the words after `since` say of the worlds."""
    truths: list[tuple[Formula, int, bool]] = []
    others: list[Claim] = []
    if words.endswith(("accesses no world", "they access no world")):
        others = [Access(w, (), True) for w in worlds]
    elif shape := re.fullmatch(r"(?:w\d+ accesses|they access) (only )?(.*)", words):
        accessed: list[int] = []
        for group in re.split(r", and (?=w\d|itself)", shape[2]):
            place, said = group.split(", where ")
            group_worlds = named(place, worlds)
            accessed += group_worlds
            truths += truths_in(said, group_worlds)
        others = [Access(w, tuple(accessed), bool(shape[1])) for w in worlds]
    elif shape := re.fullmatch(
        r"(only )?([abc, ]+?|.+? and [abc]) exists? there, and (.*?(?:holds?|fails?))( \(.*\))?", words
    ):
        people = tuple(named(shape[2], []))
        others = [Existence(w, people, bool(shape[1])) for w in worlds]
        truths += truths_in(shape[3], worlds)
        if shape[4]:
            contrary = re.fullmatch(r" \((.*) there, but (.*) do(?:es)? not exist there\)", shape[4])
            assert contrary, words
            truths += truths_in(contrary[1], worlds)
            others += [Absence(w, tuple(named(contrary[2], []))) for w in worlds]
    else:
        assert words.endswith(" there"), words
        truths += truths_in(words.removesuffix(" there"), worlds)
    return Read(frozenset(truths), frozenset(others))


def read(text: str, of: KripkeModel, before: str) -> tuple[list[int], Read, str]:
    """The worlds that the sentence is about, what it says, and its reason in words."""
    shape = re.fullmatch(
        r"At (every world|w[\dw, and]*), (?:the (?:global )?(?:premise|conjecture) )?(.*?)"
        r"(?:, (as said above|for the same reason)|, since (.*))?\.",
        text,
    )
    assert shape, text
    worlds = list(range(of.worlds)) if shape[1] == "every world" else named(shape[1], [])
    truths = frozenset(truths_in(shape[2], worlds))
    reason = before if shape[3] == "for the same reason" else shape[4]
    if not reason:
        return worlds, Read(truths, frozenset()), ""
    because = read_reason(reason, worlds)
    return worlds, Read(truths | because.truths, because.others), reason


@given(countermodels())
@settings(max_examples=40, deadline=None)
def test_sentences_say_what_they_claim(found: tuple[Problem, KripkeModel]) -> None:
    """Read back, the words of each sentence are its claims, no more and no fewer."""
    problem, of = found
    before = ""
    for step in explain(problem, of):
        _, said, before = read(step.text, of, before)
        claimed = frozenset(
            (instance(c.formula, c.assignment), c.world, c.holds) for c in step.claims if isinstance(c, Truth)
        )
        assert said.truths == claimed, step.text
        assert said.others == {c for c in step.claims if not isinstance(c, Truth)}, step.text


def instance(formula: Formula, assignment: tuple[tuple[str, int], ...]) -> Formula:
    """The formula with names of individuals for its free variables."""
    return rename_free(formula, {x: NAMES[d] for x, d in assignment})


# Reasons suffice.


def kleene(formula: Formula, values: dict[str, int], known: dict[Formula, bool]) -> bool | None:
    """The truth value by Kleene's strong tables, given those of some atoms, modal and quantified formulas."""
    match formula:
        case Not(a):
            value = kleene(a, values, known)
            return None if value is None else not value
        case And(a, b):
            return kleene(Not(Or(Not(a), Not(b))), values, known)
        case Implies(a, b):
            return kleene(Or(Not(a), b), values, known)
        case Or(a, b):
            pair = kleene(a, values, known), kleene(b, values, known)
            return True if True in pair else None if None in pair else False
        case Iff(a, b):
            left, right = kleene(a, values, known), kleene(b, values, known)
            return None if left is None or right is None else left == right
        case Top():
            return True
        case Bottom():
            return False
    return known.get(instance(formula, tuple((x, d) for x, d in values.items())))


def follows(fact: Fact, reason: Reason | None) -> bool:
    """Whether the truth definition gives the fact from what the reason says."""
    while isinstance(fact.formula, Not):
        fact = Fact(fact.formula.operand, fact.assignment, not fact.holds)
    formula, values = fact.formula, dict(fact.assignment)
    match reason:
        case None:
            return isinstance(formula, (Atom, Top, Bottom))
        case Here(facts):
            return kleene(formula, values, table(facts)) is fact.holds
        case Elsewhere(only, groups):
            assert isinstance(formula, (Box, Diamond))
            decided = all(kleene(formula.operand, values, table(facts)) is fact.holds for _, facts in groups)
            return decided and (only is (isinstance(formula, Box) is fact.holds)) and (only or bool(groups))
        case Individuals(only, existing, facts):
            assert isinstance(formula, (Forall, Exists))
            decided = all(
                kleene(formula.body, {**values, formula.variable: d}, table(facts)) is fact.holds
                for d in existing
            )
            return decided and bool(existing) and only is (isinstance(formula, Forall) is fact.holds)


def table(facts: tuple[Fact, ...]) -> dict[Formula, bool]:
    """The facts as truth values."""
    return {instance(f.formula, f.assignment): f.holds for f in facts}


def conclusions(step: Step) -> set[tuple[Formula, int, bool]]:
    """What the sentence concludes, of the worlds one by one; negations in front are taken away."""
    found = set()
    for fact in step.facts:
        formula, holds = instance(fact.formula, fact.assignment), fact.holds
        while isinstance(formula, Not):
            formula, holds = formula.operand, not holds
        found |= {(formula, w, holds) for w in step.worlds}
    return found


@given(countermodels())
@settings(max_examples=40, deadline=None)
def test_reasons_suffice_and_are_explained(found: tuple[Problem, KripkeModel]) -> None:
    """Each reason implies its conclusion by the truth definition, and is itself an atom or explained."""
    problem, of = found
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(explanation, "MAX_STEPS", 10**6)
        steps = explain(problem, of)
    explained = set[tuple[Formula, int, bool]]().union(*(conclusions(step) for step in steps if step.reason))
    for number, step in enumerate(steps):
        if step.known:
            assert conclusions(step) <= set().union(*map(conclusions, steps[:number]))
        elif step.reason is None and step.everywhere:
            assert conclusions(step) <= explained or follows(step.facts[0], None)
        else:
            assert all(follows(fact, step.reason) for fact in step.facts), step.text
        for claim in step.claims[len(step.facts) * len(step.worlds) :]:
            contrary = isinstance(step.reason, Individuals) and any(
                isinstance(claim, Truth) and claim.formula == f.formula and claim.assignment == f.assignment
                for f in step.reason.contrary
            )
            if (
                isinstance(claim, Truth)
                and not isinstance(claim.formula, (Atom, Top, Bottom))
                and not contrary
            ):
                formula = instance(claim.formula, claim.assignment)
                assert (formula, claim.world, claim.holds) in explained, step.text


@given(countermodels())
@settings(max_examples=40, deadline=None)
def test_explanations_are_in_order_short_and_without_repetition(found: tuple[Problem, KripkeModel]) -> None:
    """Premises, then the conjecture, which fails; few sentences about each; nothing explained twice."""
    problem, of = found
    steps = explain(problem, of)
    heads = [step for step in steps if step.depth == 0]
    assert [head.facts for head in heads] == [
        *((Fact(premise, (), True),) for premise in (*problem.global_premises, *problem.premises)),
        (Fact(problem.conjecture, (), False),),
    ]
    assert heads[-1].role.endswith("conjecture")
    starts = [i for i, step in enumerate(steps) if step.depth == 0]
    assert all(end - start <= MAX_STEPS for start, end in itertools.pairwise([*starts, len(steps)]))
    assert all(after.depth <= before.depth + 1 for before, after in itertools.pairwise(steps))
    said: set[tuple[Formula, int, bool]] = set()
    for step in steps:
        if not step.role:
            assert not conclusions(step) & said, step.text
        if step.reason is not None:
            said |= conclusions(step)


def test_long_explanations_are_cut_level_by_level() -> None:
    """What would take more sentences than allowed is explained less deeply, and still truly."""
    arrows = " ".join(f"{w}{v}" for w in range(6) for v in range(6) if v != w + 1)
    of = model(6, arrows, "p0 p2 p4 q1 q3 q5")
    formula = "◇(p ∧ ◇(q ∧ ◇(p ∧ ◇q)))"
    for _ in range(3):
        formula = f"□({formula} ∧ ◇{formula})"
    steps = explain(Problem(semantics(), (), Not(parse(formula))), of)
    assert 1 < len(steps) <= MAX_STEPS
    assert all(is_true(claim, of) for step in steps for claim in step.claims)
