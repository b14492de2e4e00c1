"""Both embeddings, judged by E: textbook labels, random problems, and names that could collide."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import mixed_problems, propositional
from table import rows

from modalgen.formula import Atom, Exists, Forall, Not, Or, conjunction, substitute
from modalgen.kripke import (
    KripkeModel,
    is_countermodel,
    satisfies_domain_condition,
    satisfies_frame_condition,
)
from modalgen.oracle.eprover import EProver
from modalgen.oracle.tff import to_tff
from modalgen.oracle.thf import to_thf
from modalgen.oracle.verdict import Limits, SzsStatus
from modalgen.problem import Problem
from modalgen.semantics import CONDITIONS, DOMAINS, Semantics, closure, semantics
from modalgen.syntax import parse

TFF, THF = EProver("tff"), EProver("thf")
LIMITS = Limits(steps=60_000)
TRANSLATIONS: list[Callable[[Problem], str]] = [to_tff, to_thf]


def status(decider: EProver, problem: Problem, limits: Limits = LIMITS) -> SzsStatus:
    """E's status for the problem."""
    return decider.decide(problem, limits).status


# --- The text ------------------------------------------------------------------------------------

BARCAN = Problem(semantics(["serial"], "cumulative"), (), parse("∀x □F(x) → □∀x F(x)"))


def test_the_relational_translation_of_the_barcan_formula() -> None:
    """The translation is the textbook's, to the byte."""
    assert to_tff(BARCAN) == (
        "tff(world_type,type,world: $tType).\n"
        "tff(here_type,type,here: world).\n"
        "tff(accesses_type,type,accesses: (world * world) > $o).\n"
        "tff(exists_at_type,type,exists_at: (world * $i) > $o).\n"
        "tff(p_F_type,type,p_F: (world * $i) > $o).\n"
        "tff(serial,axiom,! [W: world]: ? [V: world]: accesses(W,V)).\n"
        "tff(nonempty,axiom,! [W: world]: ? [X: $i]: exists_at(W,X)).\n"
        "tff(cumulative,axiom,! [W: world,V: world,X: $i]:"
        " ((accesses(W,V) & exists_at(W,X)) => exists_at(V,X))).\n"
        "tff(conjecture,conjecture,"
        "((! [X1: $i]: (exists_at(here,X1) => (! [W2: world]: (accesses(here,W2) => p_F(W2,X1)))))"
        " => (! [W1: world]: (accesses(here,W1) => (! [X2: $i]: (exists_at(W1,X2) => p_F(W1,X2))))))).\n"
    )


def test_the_shallow_embedding_of_the_d_axiom() -> None:
    """The embedding defines what it uses and nothing else, to the byte."""
    assert to_thf(Problem(semantics(["serial"]), (), parse("□p → ◇p"))) == (
        "thf(world_type,type,world: $tType).\n"
        "thf(actual_type,type,actual: world).\n"
        "thf(rel_type,type,rel: world > world > $o).\n"
        "thf(sym_p_type,type,sym_p: world > $o).\n"
        "thf(mimplies_type,type,mimplies: (world > $o) > (world > $o) > world > $o).\n"
        "thf(mimplies_def,definition,( mimplies ="
        " ( ^ [A: world > $o,B: world > $o,W: world]: ((A @ W) => (B @ W)) ) )).\n"
        "thf(mbox_type,type,mbox: (world > $o) > world > $o).\n"
        "thf(mbox_def,definition,( mbox ="
        " ( ^ [A: world > $o,W: world]: ! [V: world]: ((rel @ W @ V) => (A @ V)) ) )).\n"
        "thf(mdia_type,type,mdia: (world > $o) > world > $o).\n"
        "thf(mdia_def,definition,( mdia ="
        " ( ^ [A: world > $o,W: world]: ? [V: world]: ((rel @ W @ V) & (A @ V)) ) )).\n"
        "thf(serial,axiom,( ! [W: world]: ? [V: world]: (rel @ W @ V) )).\n"
        "thf(conjecture,conjecture,( ( mimplies @ ( mbox @ sym_p ) @ ( mdia @ sym_p ) ) @ actual )).\n"
    )


@pytest.mark.parametrize("translate", TRANSLATIONS)
def test_every_condition_is_exactly_one_axiom(translate: Callable[[Problem], str]) -> None:
    """No declared condition is lost, and none is stated that was not declared."""
    top = parse("⊤")
    for frame in ((), *((name,) for name in CONDITIONS), tuple(sorted(CONDITIONS))):
        text = translate(Problem(Semantics(frame), (), top))
        stated = re.findall(r"^t[fh]f\((\w+),axiom", text, re.MULTILINE)
        assert stated == [name.replace("-", "_") for name in frame]
    for domain, expected in {
        "varying": {"nonempty"},
        "cumulative": {"nonempty", "cumulative"},
        "decreasing": {"nonempty", "decreasing"},
    }.items():
        text = translate(Problem(semantics([], domain), (), top))
        assert set(re.findall(r"^t[fh]f\((\w+),axiom", text, re.MULTILINE)) == expected


@pytest.mark.parametrize("translate", TRANSLATIONS)
@given(names=st.sets(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), min_size=2, max_size=8))
@settings(max_examples=100, deadline=None)
def test_names_are_injective_and_printable(translate: Callable[[Problem], str], names: set[str]) -> None:
    """Different predicates get different TPTP names, whatever characters the author uses."""
    problem = Problem(semantics([]), (), conjunction(tuple(Atom(name) for name in sorted(names))))
    declared = re.findall(r"^t[fh]f\(\w+,type,([a-z]\w*): ", translate(problem), re.MULTILINE | re.ASCII)
    assert len(set(declared)) == len(declared)
    assert len([name for name in declared if name.startswith(("p_", "u_", "sym_"))]) == len(names)


OWN_NAMES = (
    *("world", "here", "accesses", "exists_at", "actual", "rel", "eiw", "individual", "conjecture"),
    *("mbox", "mnot", "mvalid", "mforall", "p_p", "sym_p", "u_70", "serial", "nonempty", "W", "X1", "W0"),
    *("$true", "$i", "é", "a b", "it's", "F_1", "F__1", "e", "r", "$tType", "\\", "\n"),
)


@pytest.mark.parametrize("decider", [TFF, THF])
def test_names_do_not_collide(decider: EProver) -> None:
    """Predicates and variables named like anything in the translation keep their own meaning."""
    for name in OWN_NAMES:
        excluded_middle = parse("∀x (F(x) → □F(x) ∨ ◇¬F(x))")
        renamed = substitute(excluded_middle, {"F": (("x",), Atom(name, ("x",)))})
        assert status(decider, Problem(semantics([], "varying"), (), renamed)) is SzsStatus.THEOREM, name
        other = Atom("q" if name != "q" else "p")
        unrelated = Problem(semantics([]), (Atom(name),), other)
        assert status(decider, unrelated) is not SzsStatus.THEOREM, name
        variable = Problem(semantics([], "varying"), (), Exists(name, Forall("x", Atom("L", (name, "x")))))
        assert status(decider, variable) is not SzsStatus.THEOREM, name
    every_name = Problem(semantics([]), tuple(map(Atom, OWN_NAMES)), conjunction(tuple(map(Atom, OWN_NAMES))))
    assert status(decider, every_name) is SzsStatus.THEOREM


@pytest.mark.parametrize("decider", [TFF, THF])
@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("∀x (F(x) → ∀x F(x))", False),
        ("∀x ∃x F(x) → ∃x F(x)", True),
        ("∃x ∀y L(x,y) → ∀y ∃x L(x,y)", True),
        ("∀y ∃x L(x,y) → ∃x ∀y L(x,y)", False),
        ("∀x L(x,x) → ∀x ∀y L(x,y)", False),
        ("∀x L(x,x) → ∀x □∃y L(x,y)", False),
        ("∀x (□(F(x) ∧ ∃x ¬F(x)) → □F(x))", True),
        ("∀x (□∃x F(x) → □F(x))", False),
    ],
)
def test_nested_and_shadowed_variables(decider: EProver, text: str, valid: bool) -> None:
    """A variable means its innermost quantifier, across modal operators too."""
    answer = status(decider, Problem(semantics([], "constant"), (), parse(text)))
    assert (answer is SzsStatus.THEOREM) == valid


# --- Textbook labels -----------------------------------------------------------------------------


@pytest.mark.parametrize("decider", [TFF, THF])
def test_the_table(decider: EProver) -> None:
    """E proves every valid row of the textbook table; it answers on most rows and never wrongly."""
    # On THF E refutes nothing, so a sample of the invalid rows will do.
    table = [row for n, row in enumerate(rows()) if decider is TFF or row[1] or n % 5 == 0]

    def answer(row: tuple[Problem, bool]) -> SzsStatus:
        return status(decider, row[0], Limits(steps=20_000))

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(answer, table))
    for (problem, valid), answered in zip(table, answers, strict=True):
        if valid:
            assert answered is SzsStatus.THEOREM, problem
        else:
            assert answered is not SzsStatus.THEOREM, problem
    refuted = answers.count(SzsStatus.COUNTER_SATISFIABLE)
    invalid = sum(not valid for _, valid in table)
    assert refuted > 0.75 * invalid if decider is TFF else refuted == 0


@pytest.mark.parametrize("decider", [TFF, THF])
@pytest.mark.parametrize("name", sorted(CONDITIONS))
def test_each_condition_validates_the_schemes_of_what_it_entails(decider: EProver, name: str) -> None:
    """A condition's axiom makes exactly the schemes valid whose conditions follow from it."""
    entailed = closure(semantics([name]))
    for other, condition in CONDITIONS.items():
        if condition.scheme is not None:
            answer = status(decider, Problem(semantics([name]), (), parse(condition.scheme)))
            assert (answer is SzsStatus.THEOREM) == (other in entailed), other


@pytest.mark.parametrize("decider", [TFF, THF])
def test_local_and_global_premises(decider: EProver) -> None:
    """From p true here □p does not follow, from p true everywhere it does; and so for conjectures."""
    p, box_p = parse("p"), parse("□p")
    every = semantics(["universal"])
    for problem, follows in (
        (Problem(semantics([]), (p,), box_p), False),
        (Problem(semantics([]), (), box_p, global_premises=(p,)), True),
        (Problem(semantics([]), (p,), p, global_conjecture=True), False),
        (Problem(semantics([]), (), parse("□□p"), global_premises=(p,), global_conjecture=True), True),
        # A local premise says nothing about a world that is not reached, unless all are reached.
        (Problem(semantics(["euclidean", "reflexive"]), (box_p,), p, global_conjecture=True), False),
        (Problem(every, (box_p,), p, global_conjecture=True), True),
    ):
        assert (status(decider, problem) is SzsStatus.THEOREM) == follows, problem


@pytest.mark.parametrize("decider", [TFF, THF])
def test_contradictory_premises(decider: EProver) -> None:
    """Everything follows from premises that no model of the class satisfies."""
    premises = (parse("□p"), parse("□¬p"))
    assert status(decider, Problem(semantics(["serial"]), premises, parse("q"))) is SzsStatus.THEOREM
    assert status(decider, Problem(semantics([]), premises, parse("q"))) is not SzsStatus.THEOREM


@pytest.mark.parametrize("regime", sorted(DOMAINS))
@pytest.mark.parametrize("decider", [TFF, THF])
def test_every_class_has_a_model(decider: EProver, regime: str) -> None:
    """The axioms of all conditions together are consistent: they do not prove ⊥."""
    for domain in (None, regime):
        everything = Problem(semantics(CONDITIONS, domain), (), parse("⊥"))
        verdict = decider.decide(everything, LIMITS)
        assert verdict.status is not SzsStatus.THEOREM
        assert "Contradictory" not in verdict.stdout


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_instances_of_schemes_are_never_refuted(data: st.DataObject) -> None:
    """A scheme is valid where its condition holds, whatever stands for p and q."""
    name = data.draw(st.sampled_from([name for name, condition in CONDITIONS.items() if condition.scheme]))
    instances = {x: ((), data.draw(propositional(max_leaves=3))) for x in "pq"}
    scheme = substitute(parse(CONDITIONS[name].scheme or ""), instances)
    others = data.draw(st.sets(st.sampled_from(sorted(CONDITIONS)), max_size=2))
    problem = Problem(semantics({name, *others}), (), scheme)
    assert status(TFF, problem) is not SzsStatus.COUNTER_SATISFIABLE


# --- Random problems -----------------------------------------------------------------------------


@cache
def frames(conditions: tuple[str, ...], regime: str | None) -> list[KripkeModel]:
    """All frames with at most two worlds and two individuals in the class."""
    found = []
    for worlds in (1, 2):
        pairs = list(itertools.product(range(worlds), range(worlds)))
        domains: list[tuple[frozenset[int], ...] | None] = [None]
        if regime is not None:
            domains = list(itertools.product(map(frozenset, ({0}, {1}, {0, 1})), repeat=worlds))
        for chosen in itertools.product((False, True), repeat=len(pairs)):
            arrows = frozenset(itertools.compress(pairs, chosen))
            for domain in domains:
                model = KripkeModel(worlds, arrows, domain)
                if all(satisfies_frame_condition(model, name) for name in conditions) and (
                    regime is None or satisfies_domain_condition(model, regime)
                ):
                    found.append(model)
    return found


def random_model(problem: Problem, random: Random) -> KripkeModel:
    """A random small pointed model of the problem's class."""
    frame = random.choice(frames(problem.semantics.frame, problem.semantics.domain))
    worlds = range(frame.worlds)
    valuation, extensions = {}, {}
    for name, arity in sorted(problem.signature):
        if arity == 0:
            valuation[name] = frozenset(w for w in worlds if random.random() < 0.5)
        else:
            rows = list(itertools.product((0, 1), repeat=arity))
            extensions[name] = tuple(frozenset(r for r in rows if random.random() < 0.5) for _ in worlds)
    actual = random.randrange(frame.worlds)
    return KripkeModel(frame.worlds, frame.accessibility, frame.domains, valuation, extensions, actual)


@given(mixed_problems())
@settings(max_examples=60, deadline=None)
def test_no_theorem_has_a_countermodel(problem: Problem) -> None:
    """What E proves, on either embedding, no small model refutes by the reference evaluator."""
    random = Random(1)
    countermodel = next(
        (m for m in (random_model(problem, random) for _ in range(100)) if is_countermodel(m, problem)), None
    )
    answers = {status(decider, problem) for decider in (TFF, THF)}
    assert not {SzsStatus.THEOREM, SzsStatus.COUNTER_SATISFIABLE} <= answers, "the embeddings disagree"
    assert SzsStatus.THEOREM not in answers or countermodel is None


@given(mixed_problems(), st.sampled_from(("premise", "either")))
@settings(max_examples=50, deadline=None)
def test_what_follows_by_form_is_never_refuted(problem: Problem, form: str) -> None:
    """A premise follows from itself, and a formula or its negation from nothing."""
    conjecture = problem.conjecture
    if form == "premise":
        trivial = Problem(problem.semantics, (*problem.premises, conjecture), conjecture)
    else:
        trivial = Problem(problem.semantics, problem.premises, Or(conjecture, Not(conjecture)))
    assert status(TFF, trivial) is not SzsStatus.COUNTER_SATISFIABLE
