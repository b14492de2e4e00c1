"""Herbrand certificates: what is valid gets one, and only a whole one for the very problem is accepted."""

from __future__ import annotations

import copy
import itertools
import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import first_order, first_order_problems, mixed_problems
from table import rows
from test_kripke import models

from modalgen import certificate as checker
from modalgen.certificate import CertificateError, Fact, Inference, Inferences, check, contradictory
from modalgen.formula import Bottom, Box, Diamond, Exists, Forall, Formula
from modalgen.kripke import (
    DOMAIN_CONDITIONS,
    FRAME_CONDITIONS,
    KripkeModel,
    is_countermodel,
    satisfies_domain_condition,
    satisfies_frame_condition,
    true_at,
)
from modalgen.oracle.herbrand import HerbrandProver, in_order, tableau
from modalgen.oracle.verdict import Limits, SzsStatus
from modalgen.printing import to_unicode
from modalgen.problem import Problem
from modalgen.semantics import CONDITIONS, DOMAINS, SYSTEMS, semantics
from modalgen.syntax import parse

PROVER = HerbrandProver()
SERIAL = Problem(semantics(["serial"]), (), parse("□p → ◇p"))
# Subformulas: 0: p, 1: □p, 2: ◇p, 3: □p → ◇p. The example of docs/certificates.md.
BY_HAND: dict[str, Any] = {
    "kind": "herbrand",
    "terms": [["root"], ["serial", 0]],
    "steps": [["conjecture"], ["false", 3, 0], ["serial", 0], ["true", 1, 0, 1], ["false", 2, 0, 1]],
}


def prove(problem: Problem) -> dict[str, Any] | None:
    """The certificate that the prover finds, as it would be read from a file."""
    certificate = PROVER.decide(problem, Limits()).certificate
    return None if certificate is None else json.loads(json.dumps(certificate))


def accepted(problem: Problem, certificate: Any) -> bool:
    """Whether the checker accepts; it must never fail in another way than by refusing."""
    try:
        check(problem, certificate)
    except CertificateError:
        return False
    return True


@cache
def certified() -> list[tuple[Problem, dict[str, Any]]]:
    """The valid problems of the table with their certificates."""
    return [(problem, prove(problem) or {}) for problem, label in rows() if label]


INVALID = [problem for problem, label in rows() if not label]


def test_every_valid_problem_of_the_table_is_certified() -> None:
    """The prover finds a certificate for all textbook validities."""
    assert [problem for problem, certificate in certified() if not certificate] == []


def test_a_certificate_written_by_hand() -> None:
    """□p → ◇p on serial frames, from the definitions: the witness of seriality refutes the denial."""
    check(SERIAL, BY_HAND)
    assert not accepted(Problem(semantics(), (), SERIAL.conjecture), BY_HAND)


def test_each_step_is_needed() -> None:
    """A certificate with any one step left out is refused, and so is one with a term left out."""
    for problem, certificate in certified():
        for position in range(len(certificate["steps"])):
            less = copy.deepcopy(certificate)
            del less["steps"][position]
            assert not accepted(problem, less)
        for position in range(len(certificate["terms"])):
            less = copy.deepcopy(certificate)
            del less["terms"][position]
            assert not accepted(problem, less)


def test_certificates_do_not_carry_over_to_where_the_conjecture_is_invalid() -> None:
    """A certificate offered for the same formula in a class where it is invalid is refused."""
    tried = 0
    for problem, certificate in certified():
        for other in INVALID:
            if (other.premises, other.conjecture) == (problem.premises, problem.conjecture):
                tried += 1
                assert not accepted(other, certificate)
    assert tried > 500


NUMBERS = st.one_of(st.integers(-2, 12), st.sampled_from([None, True, 1.0, 1.5, "x", [0], 10**30]))
RULES = [
    *checker._CONDITIONS,
    "true",
    "false",
    "premise",
    "global",
    "conjecture",
    "witness",
    "root",
    "cex",
]


@given(st.data())
@settings(max_examples=250, deadline=None)
def test_altered_certificates_prove_nothing_that_is_invalid(data: st.DataObject) -> None:
    """Any change of a number, a rule or a term is refused, or what is accepted is still a proof.

    An altered certificate may be another good one for the same valid problem; so it is offered to
    invalid problems, where every acceptance would be an error.
    """
    problem, certificate = data.draw(st.sampled_from(certified()))
    altered = copy.deepcopy(certificate)
    for _ in range(data.draw(st.integers(1, 3))):
        table = altered[data.draw(st.sampled_from(["terms", "steps"]))]
        row = data.draw(st.sampled_from(table))
        match data.draw(st.sampled_from(["change", "append", "repeat", "exchange"])):
            case "change":
                place = data.draw(st.integers(0, len(row) - 1))
                row[place] = data.draw(st.sampled_from(RULES) if place == 0 else NUMBERS)
            case "append":
                row.append(data.draw(NUMBERS))
            case "repeat":
                table.insert(data.draw(st.integers(0, len(table))), list(row))
            case "exchange":
                other = data.draw(st.sampled_from(table))
                row[:], other[:] = list(other), list(row)
    twins = [p for p in INVALID if p.conjecture == problem.conjecture] or INVALID
    assert not accepted(data.draw(st.sampled_from(twins)), altered)


@given(st.sampled_from(INVALID), st.data())
@settings(max_examples=250, deadline=None)
def test_random_steps_prove_nothing_that_is_invalid(problem: Problem, data: st.DataObject) -> None:
    """Whatever steps are put together, well-formed and many, they do not prove what is invalid."""
    inferences, terms = Inferences(problem), [["root"], ["cex"], ["nonempty", 0]]
    numbers = st.integers(0, 7)
    rows_ = st.lists(st.tuples(st.sampled_from(RULES), st.lists(numbers, max_size=4)), max_size=60)
    steps: list[list[Any]] = [["premise", i] for i in range(len(problem.premises))] + [["conjecture"]]
    for term in terms:
        inferences.name(*term)
    for name, arguments in data.draw(rows_):
        try:
            inferences.name(name, *arguments)
            terms.append([name, *arguments])
        except (CertificateError, LookupError, ValueError):
            pass
        try:
            inferences.of(name, *arguments)
            steps.append([name, *arguments])
        except (CertificateError, LookupError, ValueError):
            pass
    assert not accepted(problem, {"terms": terms, "steps": steps})


@pytest.mark.parametrize(
    "certificate",
    [
        {},
        None,
        [],
        "terms",
        {"terms": [], "steps": []},
        {"terms": [["root"]], "steps": []},
        {"terms": [["root"]], "steps": [["conjecture"]]},
        {"terms": [["root"]], "steps": [["conjecture", 0]]},
        {"terms": [["root"]], "steps": [["magic", 0]]},
        {"terms": [["root"]], "steps": [[]]},
        {"terms": [["root"]], "steps": [["conjecture"], "conjecture"]},
        {"terms": {"root": 0}, "steps": {"conjecture": 0}},
        {"terms": 3, "steps": "x"},
        {"terms": [["magic"]], "steps": []},
        {"terms": [["serial"]], "steps": []},
        {"terms": [["root", 0]], "steps": []},
    ],
)
def test_malformed_certificates_are_refused(certificate: Any) -> None:
    """What is no certificate is refused in words, whatever it is."""
    assert not accepted(Problem(semantics(["serial"]), (), parse("p → p")), certificate)
    with pytest.raises(CertificateError, match=r"\w+ \w+"):
        check(SERIAL, certificate)


def edited(table: str, row: int, *values: Any) -> dict[str, Any]:
    """The certificate written by hand with one row replaced."""
    result = copy.deepcopy(BY_HAND)
    result[table][row] = list(values)
    return result


@pytest.mark.parametrize(
    "certificate",
    [
        edited("terms", 1, "serial", 1),  # a successor of itself: named by itself
        edited("terms", 1, "serial", 2),  # of a later term
        edited("terms", 1, "serial", -1),  # from the end
        edited("terms", 1, "serial", False),  # a truth value for a number
        edited("terms", 1, "serial", 0.0),
        edited("terms", 1, "serial", 0, 0),
        edited("terms", 1, "nonempty", 0),  # an individual
        edited("terms", 0, "cex"),  # the conjecture is local
        edited("steps", 0, "global", 0, 0),
        edited("steps", 0, "premise", 0),  # there is none
        edited("steps", 1, "false", -1, 0),  # a subformula from the end
        edited("steps", 1, "false", 3.0, 0),
        edited("steps", 1, "false", 4, 0),
        edited("steps", 1, "false", 3, 1),  # where it is not known to be false
        edited("steps", 1, "true", 3, 0),
        edited("steps", 2, "serial", 1),  # without its term
        edited("steps", 2, "reflexive", 0),  # which these frames need not be
        edited("steps", 2, "root"),
        edited("steps", 2, "varying"),
        edited("steps", 3, "true", 1, 0),  # for no world
        edited("steps", 3, "true", 1, 0, 0),  # for a world that is not accessible
        edited("steps", 3, "true", 1, 0, 1, 1),
        edited("steps", 3, "true", 0, 0),  # an atom says nothing further
    ],
)
def test_every_part_of_a_step_matters(certificate: Any) -> None:
    """Wrong numbers, sorts, orders and rules are refused, each on its own."""
    assert not accepted(SERIAL, certificate)


TRICKS: dict[str, tuple[Problem, list[list[Any]], list[list[Any]]]] = {
    "the witness of what is not known to promise one": (
        Problem(semantics(), (parse("□p"),), parse("◇p")),
        [["root"], ["witness", "◇p", 0]],
        [["premise", 0], ["conjecture"], ["true", "◇p", 0], ["true", "□p", 0, 1], ["false", "◇p", 0, 1]],
    ),
    "the world where a global conjecture fails, taken for the designated one": (
        Problem(semantics(), (parse("p"),), parse("p"), (), True),
        [["root"], ["cex"], ["root"]],
        [["premise", 0], ["conjecture"]],
    ),
    "a global conjecture for a local one": (
        Problem(semantics(), (), parse("p"), (parse("□p"),)),
        [["root"], ["cex"]],
        [["global", 0, 0], ["global", 0, 1], ["conjecture"], ["true", "□p", 0, 1], ["true", "□p", 1, 0]],
    ),
    "two different formulas, one of them true and one false": (
        Problem(semantics(), (parse("p"),), parse("q")),
        [["root"]],
        [["premise", 0], ["conjecture"]],
    ),
    "an individual that exists at another world": (
        Problem(semantics([], "varying"), (parse("∀x F(x)"), parse("◇∃x F(x)")), parse("∀x □F(x)")),
        [["root"], ["witness", "∀x □F(x)", 0], ["witness", "□F(x)", 0, 1], ["nonempty", 2]],
        [
            ["premise", 0],
            ["conjecture"],
            ["false", "∀x □F(x)", 0],
            ["false", "□F(x)", 0, 1],
            ["nonempty", 2],
            ["true", "∀x F(x)", 2, 1],
            ["true", "∀x F(x)", 0, 1],
            ["cumulative", 0, 2, 1],
            ["constant", 2, 1],
        ],
    ),
    "predicates that are called like what facts are about": (
        Problem(semantics([], "constant"), (parse("∀x (R(x) ∧ E(x))"),), parse("◇⊤")),
        [["root"], ["nonempty", 0]],
        [
            ["premise", 0],
            ["conjecture"],
            ["constant", 0, 1],
            ["true", "∀x (R(x) ∧ E(x))", 0, 1],
            ["true", "R(x) ∧ E(x)", 0, 1],
            ["false", "◇⊤", 0, 0],
            ["false", "◇⊤", 0, 1],
            ["false", "⊤", 0],
        ],
    ),
    "the inner one of two variables with one name, taken for the outer": (
        Problem(semantics([], "constant"), (parse("∃x (F(x) ∧ ∃x G(x))"),), parse("∃x (F(x) ∧ G(x))")),
        [["root"], ["witness", "∃x (F(x) ∧ ∃x G(x))", 0], ["witness", "∃x G(x)", 0]],
        [
            ["premise", 0],
            ["conjecture"],
            ["true", "∃x (F(x) ∧ ∃x G(x))", 0],
            ["true", "F(x) ∧ ∃x G(x)", 0, 1],
            ["true", "∃x G(x)", 0],
            ["false", "∃x (F(x) ∧ G(x))", 0, 1],
            ["false", "∃x (F(x) ∧ G(x))", 0, 2],
            ["false", "F(x) ∧ G(x)", 0, 1],
            ["false", "F(x) ∧ G(x)", 0, 2],
        ],
    ),
    "the arguments of a predicate in another order": (
        Problem(semantics([], "constant"), (parse("∃x ∃y L(x,y)"),), parse("∃x ∃y (L(x,y) ∧ L(y,x))")),
        [["root"], ["witness", "∃x ∃y L(x,y)", 0], ["witness", "∃y L(x,y)", 0, 1]],
        [
            ["premise", 0],
            ["conjecture"],
            ["true", "∃x ∃y L(x,y)", 0],
            ["true", "∃y L(x,y)", 0, 1],
            ["false", "∃x ∃y (L(x,y) ∧ L(y,x))", 0, 1],
            ["false", "∃y (L(x,y) ∧ L(y,x))", 0, 1, 2],
            ["false", "L(x,y) ∧ L(y,x)", 0, 1, 2],
        ],
    ),
    "two cases closed in each other's place": (
        Problem(semantics(), (parse("p ∨ q"), parse("q ∨ p")), parse("p")),
        [["root"]],
        [["premise", 0], ["premise", 1], ["conjecture"], ["true", "p ∨ q", 0], ["true", "q ∨ p", 0]],
    ),
    "worlds that are equal in one case only": (
        Problem(semantics(["weakly-connected"]), (parse("◇(p ∧ ◇⊤)"), parse("◇¬p")), parse("⊥")),
        [["root"], ["witness", "◇(p ∧ ◇⊤)", 0], ["witness", "◇¬p", 0]],
        [
            ["premise", 0],
            ["premise", 1],
            ["true", "◇(p ∧ ◇⊤)", 0],
            ["true", "◇¬p", 0],
            ["weakly-connected", 0, 1, 2],
            ["true", "p ∧ ◇⊤", 1],
            ["true", "¬p", 2],
        ],
    ),
}


@pytest.mark.parametrize("trick", TRICKS)
def test_tricks(trick: str) -> None:
    """Attempts to prove what does not follow are refused; they confuse what the name says."""
    problem, terms, steps = TRICKS[trick]
    numbers = {to_unicode(node): k for k, node in enumerate(Inferences(problem).nodes)}
    read = [[[numbers.get(x, x) for x in row] for row in table] for table in (terms, steps)]
    good: list[list[Any]] = []
    for step in read[1]:
        try:
            Inferences(problem, read[0]).of(*step)
            good.append(step)
        except CertificateError:
            pass
    assert len(good) > len(steps) / 2
    assert not accepted(problem, {"terms": read[0], "steps": good})
    assert not accepted(problem, {"terms": read[0], "steps": [*read[1], *good]})


def test_case_distinctions_are_bounded() -> None:
    """A certificate with a million cases is refused before all of them are gone through."""
    names = [f"p{i}" for i in range(40)]
    problem = Problem(semantics(), tuple(parse(f"{name} ∨ ¬{name}") for name in names), parse("q → q"))
    numbers = {node: k for k, node in enumerate(Inferences(problem).nodes)}
    denial = [["conjecture"], ["false", numbers[problem.conjecture], 0]]
    splits = [[["premise", i], ["true", numbers[f], 0]] for i, f in enumerate(problem.premises)]
    check(problem, {"terms": [["root"]], "steps": denial})
    check(problem, {"terms": [["root"]], "steps": [*itertools.chain(*splits[:10]), *denial]})
    with pytest.raises(CertificateError, match=r"its cases add up to more than"):
        check(problem, {"terms": [["root"]], "steps": [*itertools.chain(*splits), *denial]})


def test_long_certificates_are_read_in_linear_time() -> None:
    """A hundred thousand terms and steps are nothing unusual; a missing end is found at the end."""
    terms = [["root"], *(["serial", i] for i in range(100_000))]
    steps = [["serial", i] for i in range(1_000)] * 20
    with pytest.raises(CertificateError, match=r"add up|possible"):
        check(SERIAL, {"terms": terms, "steps": steps})


# --- the rules are true -----------------------------------------------------------------------------


class Countermodel:
    """A model in which terms are read as the module's documentation says; the evaluator has the last word."""

    def __init__(self, model: KripkeModel, problem: Problem, inferences: Inferences) -> None:
        self.model, self.problem, self.inferences = model, problem, inferences
        self.meaning: list[int] = []

    def name(self, name: str, *arguments: int) -> None:
        """Add a term, with what it names here."""
        model, here = self.model, [self.meaning[t] for t in arguments[name == "witness" :]]
        self.inferences.name(name, *arguments)
        worlds = range(model.worlds)

        def accessible(w: int, v: int) -> bool:
            return (w, v) in model.accessibility

        match name:
            case "root":
                candidates: Any = [model.actual]
            case "cex":
                candidates = (w for w in worlds if not true_at(model, w, self.problem.conjecture))
            case "serial":
                candidates = (v for v in worlds if accessible(here[0], v))
            case "dense":
                candidates = (d for d in worlds if accessible(here[0], d) and accessible(d, here[1]))
            case "convergent":
                candidates = (c for c in worlds if accessible(here[1], c) and accessible(here[2], c))
            case "nonempty":
                candidates = sorted((model.domains or ())[here[0]])
            case "witness":
                formula = self.inferences.nodes[arguments[0]]
                values = dict(zip(self.inferences.free[arguments[0]], here[1:], strict=True))
                candidates = self.witnesses(formula, here[0], values)
        existing = sorted(frozenset[int]().union(*(model.domains or ())))
        anything = 0 if self.inferences.sorts[-1] == "w" else existing[-1]
        self.meaning.append(next(iter(candidates), anything))

    def witnesses(self, formula: Formula, w: int, values: dict[str, int]) -> list[int]:
        """What makes ◇φ or ∃xφ true, □φ or ∀xφ false."""
        domain = sorted((self.model.domains or ())[w])
        match formula:
            case Box(a) | Diamond(a):
                want = isinstance(formula, Diamond)
                return [v for v in self.model.successors(w) if true_at(self.model, v, a, values) == want]
            case Forall(x, a) | Exists(x, a):
                want = isinstance(formula, Exists)
                return [d for d in domain if true_at(self.model, w, a, {**values, x: d}) == want]
        return []

    def holds(self, fact: Fact) -> bool:
        """Whether a fact is true of the model."""
        value, what, *terms = fact
        w, *xs = (self.meaning[t] for t in terms)
        match what:
            case "R":
                return (w, xs[0]) in self.model.accessibility
            case "E":
                return xs[0] in (self.model.domains or ())[w]
            case "=":
                return w == xs[0]
            case (predicate,):
                return (tuple(xs) in self.model.extensions[predicate][w]) == value
        values = dict(zip(self.inferences.free[what], xs, strict=True))
        return true_at(self.model, w, self.inferences.nodes[what], values) == value

    def respects(self, inference: Inference) -> bool:
        """Whether the step is true: one of its cases holds if its assumptions do."""
        assumed, cases = inference
        return not all(map(self.holds, assumed)) or any(all(map(self.holds, case)) for case in cases)


ORDERED = (
    "∀x □∃y (Likes(y,x) ∧ ¬Likes(x,y))",
    "∃y ◇∀x (Likes(y,x) → ∃y (Likes(x,y) ∧ □¬Likes(y,x)))",
    "∀z ∀y (Likes(z,y) ↔ ◇∃z (Likes(y,z) ∨ Likes(z,z)))",
)


@given(
    models(),
    st.one_of(st.sampled_from(ORDERED).map(parse), first_order(height=4)),
    first_order(height=3),
    st.booleans(),
    st.data(),
)
@settings(max_examples=80, deadline=None)
def test_every_step_is_true_in_every_model(
    model: KripkeModel, conjecture: Formula, premise: Formula, everywhere: bool, data: st.DataObject
) -> None:
    """The soundness of all rules: whatever its arguments, a step is true of any model of the class."""
    frame = [condition for condition in FRAME_CONDITIONS if satisfies_frame_condition(model, condition)]
    regimes = [regime for regime in DOMAIN_CONDITIONS if satisfies_domain_condition(model, regime)]
    declared = semantics(frame, data.draw(st.sampled_from(regimes)))
    problem = Problem(declared, (premise,), conjecture, (premise,), everywhere)
    inferences = Inferences(problem)
    world = Countermodel(model, problem, inferences)
    for name, *numbers in (["root"], ["cex"], ["serial", 0], ["nonempty", 0], ["nonempty", 2]):
        world.name(name, *numbers)
    names = ("serial", "dense", "convergent", "nonempty", *["witness"] * 5)
    drawn = st.lists(st.tuples(st.sampled_from(names), st.lists(st.integers(0, 9), min_size=5, max_size=5)))
    for name, numbers in data.draw(drawn):
        size = len(numbers)
        if name == "witness":
            numbers[0] %= len(inferences.nodes)
            size = 2 + len(inferences.free[numbers[0]])
        else:
            size = {"dense": 2, "convergent": 3}.get(name, 1)
        try:
            world.name(name, *numbers[:size])
        except (CertificateError, LookupError):
            continue
    t = range(len(inferences.sorts))
    givens = {
        "premise": true_at(model, model.actual, premise),
        "global": all(true_at(model, w, premise) for w in range(model.worlds)),
        "conjecture": not all(
            true_at(model, w, conjecture) for w in (range(model.worlds) if everywhere else [model.actual])
        ),
    }
    steps: list[tuple[Any, ...]] = [
        (rule, *numbers)
        for rule in ("premise", "conjecture", *checker._CONDITIONS)
        for size in range(4)
        for numbers in itertools.product(t, repeat=size)
        if size < 3 or len(t) < 6
    ]
    steps += [("global", 0, w) for w in t]
    steps += [
        (rule, k, *numbers)
        for rule in ("true", "false")
        for k in range(len(inferences.nodes))
        for size in range(1, 4)
        for numbers in itertools.product(t, repeat=size)
        if size < 3 or len(t) < 6
    ]
    respected = 0
    for step in steps:
        try:
            inference = inferences.of(*step)
        except (CertificateError, LookupError, TypeError, ValueError):
            continue
        if givens.get(step[0], True):
            assert world.respects(inference), step
            respected += 1
    assert respected


@pytest.mark.parametrize("condition", sorted(FRAME_CONDITIONS))
def test_conditions_say_what_the_evaluator_says(condition: str) -> None:
    """The rule of each frame condition is true, for all worlds, of every frame with the condition.

    And of no other with up to two worlds, so it says no less either.
    """
    problem = Problem(semantics([condition]), (), Bottom())
    variables = checker._CONDITIONS[condition][0]
    for worlds in (1, 2, 3):
        pairs = list(itertools.product(range(worlds), repeat=2))
        for bits in itertools.product((False, True), repeat=len(pairs)):
            frame = KripkeModel(worlds, frozenset(itertools.compress(pairs, bits)))
            has_it = satisfies_frame_condition(frame, condition)
            if not has_it and worlds == 3:
                continue
            true = True
            for values in itertools.product(range(worlds), repeat=len(variables)):
                reading = Countermodel(frame, problem, Inferences(problem))
                for value in values:  # `cex` is the name of anything: the conjecture is local
                    reading.name("cex")
                    reading.meaning[-1] = value
                numbers = list(range(len(values)))
                if condition in ("serial", "dense", "convergent"):
                    reading.name(condition, *numbers)
                true = true and reading.respects(reading.inferences.of(condition, *numbers))
            assert true == has_it, frame


# --- the refuter ------------------------------------------------------------------------------------

ATOMS = ("a", "b", "c", "d")
FACTS = st.tuples(st.booleans(), st.sampled_from(ATOMS))
STEPS = st.lists(
    st.tuples(st.lists(FACTS, max_size=2), st.lists(st.lists(FACTS, min_size=1, max_size=2), max_size=3)),
    max_size=14,
)


@given(STEPS)
@settings(max_examples=300, deadline=None)
def test_what_is_refuted_has_no_model(steps: list[Inference]) -> None:
    """A refutation is right by the truth table, and where a tableau closes, its order is a refutation."""

    def satisfied(row: dict[str, bool]) -> bool:
        def hold(facts: list[Fact]) -> bool:
            return all(row[atom] == value for value, atom in facts)

        return all(not hold(assumed) or any(map(hold, cases)) for assumed, cases in steps)

    rows_ = [dict(zip(ATOMS, bits, strict=True)) for bits in itertools.product((False, True), repeat=4)]
    satisfiable = any(map(satisfied, rows_))
    if contradictory(steps):
        assert not satisfiable
    named = {("step", number): step for number, step in enumerate(steps)}
    try:
        tableau(named)
    except ValueError:
        assert not contradictory(steps)
        return
    order = in_order(named)
    assert not satisfiable and contradictory([named[step] for step in order])


def test_equal_worlds_go_by_one_name() -> None:
    """What holds of one of two equal worlds holds of the other, through chains and for what comes later."""
    known: list[Inference] = [([], [[(True, "p", 3)]]), ([], [[(False, "p", 1)]])]
    equalities: list[Inference] = [([], [[(True, "=", 1, 2)]]), ([], [[(True, "=", 3, 2)]])]
    for steps in itertools.permutations(known + equalities):
        assert contradictory(steps)
        assert not contradictory(steps[:3])
    assert not contradictory([*known, ([], [[(True, "=", 1, 1)]]), equalities[0]])


# --- the prover -------------------------------------------------------------------------------------


@pytest.mark.parametrize("condition", sorted(c for c in CONDITIONS if CONDITIONS[c].scheme))
def test_each_condition_proves_its_scheme(condition: str) -> None:
    """The rules of every frame condition suffice for the scheme that corresponds to it."""
    scheme = parse(CONDITIONS[condition].scheme or "")
    assert prove(Problem(semantics([condition]), (), scheme)) is not None
    assert prove(Problem(semantics(), (), scheme)) is None


def test_equal_worlds_can_be_exchanged() -> None:
    """On functional frames what two successors satisfy, one satisfies, also two steps away."""
    functional = ["functional"]
    assert prove(Problem(semantics(functional), (parse("◇p"), parse("◇q")), parse("◇(p ∧ q)"))) is not None
    two_steps = (parse("◇◇p"), parse("◇□q"))
    assert prove(Problem(semantics(functional), two_steps, parse("◇◇(p ∧ q)"))) is not None
    varying = semantics(functional, "varying")
    individuals = Problem(varying, (parse("◇∃x F(x)"), parse("◇∀x G(x)")), parse("◇∃x (F(x) ∧ G(x))"))
    assert prove(individuals) is not None


@pytest.mark.parametrize(
    ("frame", "domain", "premises", "conjecture"),
    [
        # Vacuous quantifiers, which multiply witnesses.
        (
            "D45",
            "cumulative",
            "∃y □∀x ∃x F(y) ; ∀x (◇(G(x) ∧ G(x)) ∧ ◇◇G(x))",
            "∀z (∃y ◇◇G(y) ↔ ∃z ∃y ◇G(y))",
        ),
        ("S4", "decreasing", "∀x ∃y ∀z ◇F(x)", "∀z ∀x ∃z ◇F(x)"),
        ("K", "varying", "∃x ∀y ∃x ∀y ∃x p", "p"),
        # Many worlds on the way.
        ("D45", None, "", "□◇r ↔ ◇□◇r"),
        ("S4", None, "", "□◇□◇p ↔ □◇p"),
        ("K4", None, "□◇p", "□◇◇◇◇◇p"),
        ("KB5", None, "◇◇◇◇◇p", "◇p"),
        ("D", None, "", "□□□□□p → ◇◇◇◇◇p"),
        # Domains that shrink: a witness from below, and one from the common past.
        ("K4", "decreasing", "∀x □F(x)", "□□∀x F(x)"),
        ("K", "decreasing", "◇◇∃x F(x)", "∃x ◇◇F(x)"),
        ("K", "cumulative", "□∀x □F(x) ; ◇◇∃x G(x) → ⊥ ; ◇◇⊤", "∃x ◇◇F(x)"),
        # McKinsey's scheme under the conditions that give it: one dead end after the other, or one successor.
        ("T functional", None, "", "□◇p → ◇□p"),
        ("serial functional", None, "", "□◇p → ◇□p"),
        # Conditions with worlds that nothing names.
        ("dense", None, "□□□□p", "□p"),
        ("convergent", None, "", "◇□(p ∧ q) → □◇(q ∧ p)"),
        ("convergent reflexive transitive", None, "", "◇□p ∧ ◇□q → ◇□(p ∧ q)"),
        ("weakly-connected", None, "◇p ; ◇q", "◇(p ∧ ◇q) ∨ ◇(q ∧ ◇p) ∨ ◇(p ∧ q)"),
        ("universal", "constant", "◇∃x □F(x)", "∃x F(x)"),
    ],
)
def test_hard_ones(frame: str, domain: str | None, premises: str, conjecture: str) -> None:
    """Valid problems of the kinds that a prover of this sort fails on first."""
    conditions = [c for name in frame.split() for c in SYSTEMS.get(name, [name])]
    problem = Problem(
        semantics(conditions, domain),
        tuple(parse(premise) for premise in premises.split(";") if premise),
        parse(conjecture),
    )
    assert prove(problem) is not None


def test_the_prover_gives_up_on_infinite_countermodels() -> None:
    """Where there is a countermodel and no finite one, the search ends and claims nothing."""
    premises = (parse("□∃x (¬F(x) ∧ ◇F(x))"), parse("□∀x (F(x) → □F(x))"))
    for domain in DOMAINS:
        verdict = PROVER.decide(Problem(semantics(SYSTEMS["S4"], domain), premises, Bottom()), Limits())
        assert verdict.status is SzsStatus.GAVE_UP and verdict.note


@given(mixed_problems(), models(), models(first_order=False))
@settings(max_examples=60, deadline=None)
def test_nothing_with_a_countermodel_is_certified(problem: Problem, some: Any, flat: Any) -> None:
    """If a random model refutes a problem, there is no certificate."""
    if is_countermodel(some if problem.semantics.domain else flat, problem):
        assert PROVER.decide(problem, Limits()).status != SzsStatus.THEOREM


@given(first_order_problems(height=4))
@settings(max_examples=80, deadline=None)
def test_verdicts_can_be_repeated(problem: Problem) -> None:
    """The same problem gets the same certificate, and what is given out is accepted."""
    first, second = (PROVER.decide(problem, Limits()) for _ in range(2))
    assert (first.status, first.stdout, first.note) == (second.status, second.stdout, second.note)
    if first.certificate is not None:
        check(problem, json.loads(first.stdout))
    else:
        assert first.note and "bug" not in first.note
