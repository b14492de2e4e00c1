"""The SMT-LIB translation and cvc5: textbook answers, brute force as the judge, determinism."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import PackageNotFoundError
from itertools import pairwise, product
from pathlib import Path

import cvc5
import pytest
import z3
from brute_force import first_countermodel
from hypothesis import event, given, settings
from hypothesis import strategies as st
from strategies import first_order_problems, formulas, mixed_problems, propositional_problems
from table import rows

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
)
from modalgen.kripke import is_countermodel
from modalgen.oracle import cvc5_finder
from modalgen.oracle.cvc5_finder import Cvc5Finder
from modalgen.oracle.guard import Guard
from modalgen.oracle.smt import predicate_symbol, to_smtlib
from modalgen.oracle.verdict import DeciderMissing, Limits, SzsStatus, Verdict
from modalgen.problem import Problem
from modalgen.semantics import CONDITIONS, DOMAINS, SYSTEMS, semantics

LIMITS = Limits(wall_seconds=60, steps=40_000)
p, q = Atom("p"), Atom("q")
Fx = Atom("F", ("x",))

AXIOMS: dict[str, Formula] = {
    "D": Implies(Box(p), Diamond(p)),
    "T": Implies(Box(p), p),
    "B": Implies(p, Box(Diamond(p))),
    "4": Implies(Box(p), Box(Box(p))),
    "5": Implies(Diamond(p), Box(Diamond(p))),
}
# What each condition makes valid, and K does not (for universal, T and 5 together).
CORRESPONDING: dict[str, Formula] = {
    "serial": AXIOMS["D"],
    "reflexive": AXIOMS["T"],
    "symmetric": AXIOMS["B"],
    "transitive": AXIOMS["4"],
    "euclidean": AXIOMS["5"],
    "dense": Implies(Box(Box(p)), Box(p)),
    "convergent": Implies(Diamond(Box(p)), Box(Diamond(p))),
    "functional": Implies(Diamond(p), Box(p)),
    "shift-reflexive": Box(Implies(Box(p), p)),
    "weakly-connected": Or(Box(Implies(And(p, Box(p)), q)), Box(Implies(And(q, Box(q)), p))),
    "universal": And(AXIOMS["T"], AXIOMS["5"]),
}
BARCAN = Implies(Forall("x", Box(Fx)), Box(Forall("x", Fx)))
CONVERSE_BARCAN = Implies(Box(Forall("x", Fx)), Forall("x", Box(Fx)))


def decide(problem: Problem, limits: Limits = LIMITS) -> Verdict:
    return Cvc5Finder().decide(problem, limits)


def follows(problem: Problem) -> bool:
    """The label that cvc5 gives; fails if it gives none, or a countermodel that is none."""
    verdict = decide(problem)
    assert verdict.decisive, verdict
    assert (verdict.countermodel is not None) == (verdict.status is SzsStatus.COUNTER_SATISFIABLE)
    assert verdict.countermodel is None or is_countermodel(verdict.countermodel, problem)
    return verdict.status is SzsStatus.THEOREM


def test_the_textbook_table() -> None:
    """Every problem of the shared table has its textbook label, with a countermodel where it is invalid."""
    wrong = [problem for problem, label in rows() if follows(problem) != label]
    assert not wrong


def test_every_frame_condition() -> None:
    """Each condition is translated, and as itself: its formula is valid with it and invalid in K."""
    assert CORRESPONDING.keys() == CONDITIONS.keys()
    for name, formula in CORRESPONDING.items():
        assert follows(Problem(semantics([name]), (), formula)), name
        assert not follows(Problem(semantics(), (), formula)), name


def test_conditions_are_not_too_strong() -> None:
    """Countermodels to ⊥ exist under each condition and regime, and no condition alone gives another's
    formula unless it entails it."""
    entailed = {
        ("reflexive", "serial"),
        ("reflexive", "shift-reflexive"),
        ("reflexive", "dense"),
        ("symmetric", "convergent"),
        ("euclidean", "convergent"),
        ("euclidean", "shift-reflexive"),
        ("euclidean", "dense"),
        ("euclidean", "weakly-connected"),
        ("functional", "weakly-connected"),
        ("shift-reflexive", "dense"),
    }
    for name, other in product(CONDITIONS, repeat=2):
        # The universal relation has all of them but functionality.
        expected = (
            name == other or (name, other) in entailed or (name == "universal" != other != "functional")
        )
        assert follows(Problem(semantics([name]), (), CORRESPONDING[other])) == expected, (name, other)
    for name, regime in product(CONDITIONS, DOMAINS):
        assert not follows(Problem(semantics([name], regime), (Exists("x", Fx),), Bottom()))


@pytest.mark.parametrize("regime", sorted(DOMAINS))
def test_existence(regime: str) -> None:
    """No domain is empty, and quantifiers see only what exists at the world in question."""
    assert follows(Problem(semantics([], regime), (), Box(Exists("x", Top()))))
    assert follows(Problem(semantics([], regime), (Box(Forall("x", Fx)),), Box(Exists("x", Fx))))
    reached = Problem(semantics(["reflexive"], regime), (Forall("x", Box(Fx)),), Box(Exists("x", Fx)))
    assert follows(reached) == (regime != "varying")


def test_shadowing_and_vacuous_quantifiers() -> None:
    """A variable means its innermost quantifier, and a quantifier that binds nothing changes nothing."""
    inner = Forall("x", Implies(Fx, Exists("x", Fx)))
    assert follows(Problem(semantics([], "varying"), (), inner))
    assert follows(Problem(semantics([], "varying"), (), Iff(Forall("x", Exists("y", Fx)), Forall("x", Fx))))
    both = Forall("x", Exists("y", Atom("L", ("y", "x"))))
    assert not follows(
        Problem(semantics([], "varying"), (both,), Exists("y", Forall("x", Atom("L", ("y", "x")))))
    )
    assert not follows(
        Problem(semantics([], "varying"), (both,), Forall("x", Exists("y", Atom("L", ("x", "y")))))
    )


def test_local_and_global_premises() -> None:
    """From p follows □p if p holds everywhere, and not if it holds at the designated world only."""
    assert not follows(Problem(semantics(), (p,), Box(p)))
    assert follows(Problem(semantics(), (), Box(p), global_premises=(p,)))
    assert follows(Problem(semantics(), (p,), p))
    assert not follows(Problem(semantics(), (p,), p, global_conjecture=True))
    assert follows(Problem(semantics(), (), p, global_premises=(p,), global_conjecture=True))


def test_mckinsey_in_s4() -> None:
    """□◇p → ◇□p is not valid on preorders; the countermodel needs two worlds."""
    verdict = decide(Problem(semantics(SYSTEMS["S4"]), (), Implies(Box(Diamond(p)), Diamond(Box(p)))))
    assert verdict.countermodel is not None
    assert verdict.countermodel.worlds == 2


@pytest.mark.parametrize("frame", [["reflexive", "transitive"], ["serial", "transitive"]])
@pytest.mark.parametrize("regime", ["cumulative", "decreasing", "constant"])
def test_only_infinite_countermodels(frame: list[str], regime: str) -> None:
    """That there is no finite countermodel is no proof: neither attempt calls this a theorem.

    Each world has a new individual that is F later, and what is F stays F: consistent, and only in
    infinite models.
    """
    premises = (
        Box(Exists("x", And(Not(Fx), Diamond(Fx)))),
        Box(Forall("x", Implies(Fx, Box(Fx)))),
    )
    verdict = decide(Problem(semantics(frame, regime), premises, Bottom()), replace(LIMITS, steps=20_000))
    assert verdict.status is SzsStatus.RESOURCE_OUT
    assert verdict.note.count("the step limit was reached") == 2


def test_second_attempt() -> None:
    """Instantiation proves what finite model finding runs away from, and the command says which it was."""
    r, disjunction = Atom("r"), Or(Diamond(Atom("r")), Diamond(p))
    conjecture = Or(Diamond(r), Diamond(Or(p, Box(Diamond(q)))))
    problem = Problem(semantics(SYSTEMS["D4"]), (Box(disjunction),), conjecture)
    verdict = decide(problem)
    assert verdict.status is SzsStatus.THEOREM
    assert "--enum-inst" in verdict.command
    assert "--finite-model-find" in decide(Problem(semantics(), (), AXIOMS["T"])).command


@given(
    st.one_of(
        propositional_problems(max_leaves=5),
        first_order_problems(height=3, symbols=(("F", 1), ("p", 0))),
    )
)
@settings(max_examples=120, deadline=None)
def test_against_brute_force(problem: Problem) -> None:
    """Nothing that a model of two worlds and two individuals refutes is a theorem, and every
    countermodel of that size has one found by enumeration beside it."""
    verdict = decide(problem)
    event(verdict.status)
    assert verdict.status in (SzsStatus.THEOREM, SzsStatus.COUNTER_SATISFIABLE, SzsStatus.GAVE_UP), (
        verdict.note
    )
    sizes = product((1, 2), (1, 2) if problem.semantics.domain else (0,))
    refuted = any(first_countermodel(problem, *size) for size in sizes)
    if refuted:
        assert verdict.status is not SzsStatus.THEOREM
    if verdict.countermodel is not None:
        found = verdict.countermodel
        assert is_countermodel(found, problem)
        individuals = frozenset[int]().union(*(found.domains or ()))
        if found.worlds <= 2 and len(individuals) <= 2:
            assert refuted


@given(mixed_problems())
@settings(max_examples=60, deadline=None)
def test_z3_reads_the_same_text(problem: Problem) -> None:
    """The translation is plain SMT-LIB: another solver reads it and never says the opposite."""
    verdict = decide(problem)
    solver = z3.Solver(ctx=z3.Context())
    solver.set("rlimit", 300_000)
    solver.from_string(verdict.translation)
    answer = str(solver.check())
    event(f"cvc5 {verdict.status}, z3 {answer}")
    assert (str(verdict.status), answer) not in {("Theorem", "sat"), ("CounterSatisfiable", "unsat")}


@given(st.lists(mixed_problems(), min_size=2, max_size=4))
@settings(max_examples=20, deadline=None)
def test_no_memory_of_earlier_problems(problems: list[Problem]) -> None:
    """Status, countermodel, printed model and steps do not depend on what was solved before."""
    first = [decide(problem) for problem in problems]
    again = [decide(problem) for problem in reversed(problems)][::-1]
    assert [replace(v, seconds=0) for v in first] == [replace(v, seconds=0) for v in again]


def test_no_dependence_on_the_process() -> None:
    """Another process, with another seed for the hashes of strings, gives the same verdicts."""
    problems = [
        Problem(semantics(["serial"], regime), (), f) for regime in DOMAINS for f in (BARCAN, CONVERSE_BARCAN)
    ]
    here = [replace(decide(problem), seconds=0) for problem in problems]
    with Guard() as guard:
        there = [replace(guard.decide(Cvc5Finder(), problem, LIMITS), seconds=0) for problem in problems]
    assert here == there


@pytest.mark.parametrize("steps", [1, 300])
def test_the_step_limit_is_no_evidence(steps: int) -> None:
    """A search that is cut off says so, at the same point each time, and decides nothing."""
    problem = Problem(semantics(SYSTEMS["S5"], "constant"), (), Implies(Box(Diamond(BARCAN)), Box(Bottom())))
    verdict = decide(problem, replace(LIMITS, steps=steps))
    assert verdict.status is SzsStatus.RESOURCE_OUT
    assert not verdict.decisive
    assert verdict.countermodel is None
    assert replace(decide(problem, replace(LIMITS, steps=steps)), seconds=verdict.seconds) == verdict


def test_awkward_names() -> None:
    """Names that SMT-LIB reserves, that we use ourselves, or that need escapes stay apart from each other."""
    names = [
        "p",
        "",
        "here",
        "World",
        "true",
        "not",
        "accessible",
        "pred.p",
        "a|b",
        "a\\b",
        "a b",
        "a%20b",
        "{phi}",
    ]
    names += ["é", "e", "E", '"', ";", "w1", "x1", "a.b", "\udc80", "😀"]
    assert len({predicate_symbol(name) for name in names}) == len(names)
    for name, other in pairwise(names):
        assert follows(Problem(semantics(), (Atom(name), Atom(other)), And(Atom(other), Atom(name))))
        verdict = decide(Problem(semantics(), (Atom(name),), Atom(other)))
        assert verdict.countermodel is not None
        assert verdict.countermodel.valuation == {name: frozenset({0}), other: frozenset()}
    x = ("here",)
    same = Problem(semantics([], "varying"), (), Forall("here", Implies(Atom("here", x), Atom("here", x))))
    assert follows(same)


def test_a_wrong_model_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the translation forgot a condition, cvc5's model is rejected loudly and is no evidence."""
    forgetful = to_smtlib(Problem(semantics(), (), AXIOMS["T"]))
    monkeypatch.setattr(cvc5_finder, "to_smtlib", lambda problem: forgetful)
    verdict = decide(Problem(semantics(["reflexive"]), (), AXIOMS["T"]))
    assert verdict.status is SzsStatus.ERROR
    assert "CONTRADICTION" in verdict.note
    assert "not reflexive" in verdict.note
    assert verdict.countermodel is None


@pytest.mark.parametrize(
    "text", ["(assert (undeclared))\n(check-sat)", "(set-logic UF)", "(((", "(set-logic UF)(check-sat)"]
)
def test_a_broken_translation_is_an_error(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Whatever the library raises becomes a verdict without evidence, never a traceback."""
    monkeypatch.setattr(cvc5_finder, "to_smtlib", lambda problem: text)
    verdict = decide(Problem(semantics(), (), p))
    assert verdict.status is SzsStatus.ERROR
    assert verdict.note


def test_the_verdict_repeats_the_run() -> None:
    """The verdict holds the text that was run, and a command of options that cvc5 has."""
    problem = Problem(semantics(["functional"]), (), AXIOMS["T"])
    verdict = decide(problem)
    assert verdict.translation == to_smtlib(problem)
    assert verdict.stdout.startswith("sat\n(\n; cardinality of World is 1\n")
    assert verdict.command[0] == "cvc5"
    assert verdict.command[-1] == "problem.smt2"
    solver = cvc5.Solver(cvc5.TermManager())
    assert Path(str(Cvc5Finder().path())) == Path(cvc5.__file__).parent
    for argument in verdict.command[1:-1]:
        assert solver.getOptionInfo(argument.removeprefix("--").partition("=")[0])
    assert decide(Problem(semantics(), (p,), p)).stdout == "unsat\n"


@given(formulas())
@settings(max_examples=50, deadline=None)
def test_text_is_stable(formula: Formula) -> None:
    """Equal problems give equal texts, pure ASCII and one assertion a line."""
    problem = Problem(semantics(["dense"], "decreasing"), (formula,), formula)
    assert to_smtlib(problem) == to_smtlib(problem)
    lines = to_smtlib(problem).splitlines()
    assert to_smtlib(problem).isascii()
    assert sum(line.startswith("(assert ") for line in lines) == 5
    assert all(line.count("(") == line.count(")") for line in lines)


def test_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package the decider says how to get it."""

    def absent(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(cvc5_finder, "package_version", absent)
    with pytest.raises(DeciderMissing, match="pip install cvc5"):
        Cvc5Finder().version()
    with pytest.raises(DeciderMissing, match="pip install cvc5"):
        decide(Problem(semantics(), (), p))
