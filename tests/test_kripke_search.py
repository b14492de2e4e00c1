"""The bounded countermodel search: completeness within the bound, and which countermodel it chooses."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor

import pytest
from brute_force import first_countermodel, least_countermodel
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import first_order, first_order_semantics, propositional, propositional_semantics

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
    conjunction,
)
from modalgen.kripke import (
    KripkeModel,
    objection,
)
from modalgen.oracle import kripke_search
from modalgen.oracle.kripke_cnf import ExpansionTooLarge, expand
from modalgen.oracle.kripke_frames import TRUE
from modalgen.oracle.kripke_search import KripkeSearch, SearchUnfinished, find_countermodel, search
from modalgen.oracle.verdict import Limits, SzsStatus
from modalgen.oracle.z3_sat import SatQuery
from modalgen.problem import Problem
from modalgen.semantics import CONDITIONS, DOMAINS, SYSTEMS, Semantics, semantics

p, q, r = Atom("p"), Atom("q"), Atom("r")
F, G = Atom("F", ("x",)), Atom("G", ("x",))
S4 = semantics(SYSTEMS["S4"])
PLENTY = Limits(wall_seconds=60, steps=20_000_000)

SCHEMES: dict[str, Formula] = {
    "D": Implies(Box(p), Diamond(p)),
    "T": Implies(Box(p), p),
    "B": Implies(p, Box(Diamond(p))),
    "4": Implies(Box(p), Box(Box(p))),
    "5": Implies(Diamond(p), Box(Diamond(p))),
    "C4": Implies(Box(Box(p)), Box(p)),
    "G": Implies(Diamond(Box(p)), Box(Diamond(p))),
    "CD": Implies(Diamond(p), Box(p)),
    "shift": Box(Implies(Box(p), p)),
    "McKinsey": Implies(Box(Diamond(p)), Diamond(Box(p))),
    "Löb": Implies(Box(Implies(Box(p), p)), Box(p)),
    ".3": Or(Box(Implies(And(p, Box(p)), q)), Box(Implies(And(q, Box(q)), p))),
}
BARCAN = Implies(Forall("x", Box(F)), Box(Forall("x", F)))
CONVERSE_BARCAN = Implies(Box(Forall("x", F)), Forall("x", Box(F)))


def satisfiable(dimacs: str, assumptions: list[int]) -> bool:
    with SatQuery(dimacs, 10_000_000, 60, 2048) as query:
        return query.check(assumptions)


@pytest.mark.parametrize(
    ("scheme", "system", "worlds"),
    [
        ("D", "K", 1),
        ("T", "K", 1),
        ("T", "D", 2),
        ("B", "K", 2),
        ("B", "S4", 2),
        ("4", "K", 2),
        ("4", "B", 3),
        ("5", "K", 2),
        ("5", "S4", 2),
        ("5", "B", 3),
        ("C4", "K", 2),
        ("G", "K", 2),
        ("G", "S4", 3),
        (".3", "S4", 3),
        ("McKinsey", "K", 1),
        ("McKinsey", "S4", 2),
        ("McKinsey", "S5", 2),
        ("Löb", "S4", 1),
        ("Löb", "K4", 1),
        ("CD", "S5", 2),
    ],
)
def test_textbook_axioms_fail_at_their_least_size(scheme: str, system: str, worlds: int) -> None:
    """Guards the number of worlds: what textbooks refute with so many worlds needs so many."""
    problem = Problem(semantics(SYSTEMS[system]), (), SCHEMES[scheme])
    model = find_countermodel(problem, 4, 1)
    assert model is not None and model.worlds == worlds
    assert objection(model, problem) is None
    assert worlds == 1 or find_countermodel(problem, worlds - 1, 1) is None


@pytest.mark.parametrize(
    ("scheme", "system"),
    [
        ("D", "D"),
        ("D", "T"),
        ("T", "T"),
        ("B", "B"),
        ("4", "S4"),
        ("5", "K5"),
        ("5", "S5"),
        ("4", "KB5"),
        ("G", "B"),
        ("C4", "T"),
        ("shift", "K5"),
        (".3", "S5"),
    ],
)
def test_valid_axioms_have_no_countermodel(scheme: str, system: str) -> None:
    """Guards soundness: nothing is found against an axiom on the frames it corresponds to."""
    verdict = KripkeSearch().decide(Problem(semantics(SYSTEMS[system]), (), SCHEMES[scheme]), PLENTY)
    assert verdict.status is SzsStatus.GAVE_UP and not verdict.decisive
    assert verdict.countermodel is None and "at most 5 worlds" in verdict.note


def test_seriality_fails_at_a_dead_end() -> None:
    """Guards the smallest model of all: one world and no arrow."""
    model = find_countermodel(Problem(semantics(), (), SCHEMES["D"]), 3, 1)
    assert model == KripkeModel(1, frozenset(), None, {"p": frozenset()})


@pytest.mark.parametrize("number", [3, 4, 5])
def test_as_many_worlds_as_incompatible_possibilities(number: int) -> None:
    """Guards the larger sizes: n incompatible possibilities take n worlds, and n-1 are refuted."""
    kinds = [conjunction((a, b, c)) for a in (p, Not(p)) for b in (q, Not(q)) for c in (r, Not(r))]
    problem = Problem(semantics(), tuple(map(Diamond, kinds[:number])), Bottom())
    result = search(problem, PLENTY)
    assert [size for *size, _ in result.sizes] == [[n, 0] for n in range(1, number + 1)]
    assert [answer for *_, answer in result.sizes] == [False] * (number - 1) + [True]
    assert result.countermodel is not None and result.countermodel.worlds == number


@pytest.mark.parametrize("domain", sorted(DOMAINS))
@pytest.mark.parametrize("system", ["K", "KB", "S4", "S5"])
def test_barcan_formulas_by_regime(domain: str, system: str) -> None:
    """Guards the regimes: Barcan needs shrinking domains, its converse growing ones (2×2 refutes)."""
    symmetric = system in ("KB", "S5")
    for formula, valid in (
        (BARCAN, domain in ("decreasing", "constant") or (symmetric and domain == "cumulative")),
        (CONVERSE_BARCAN, domain in ("cumulative", "constant") or (symmetric and domain == "decreasing")),
    ):
        problem = Problem(semantics(SYSTEMS[system], domain), (), formula)
        model = find_countermodel(problem, 3, 3, PLENTY)
        if valid:
            assert model is None
        else:
            assert model is not None and model.domains is not None
            assert (model.worlds, frozenset().union(*model.domains)) == (2, {0, 1})


@st.composite
def global_and_local(
    draw: st.DrawFn, declared: st.SearchStrategy[Semantics], formula: st.SearchStrategy[Formula]
) -> Problem:
    """Problems with local and global premises, and a local or global conjecture."""
    local, everywhere = draw(st.lists(formula, max_size=1)), draw(st.lists(formula, max_size=1))
    return Problem(draw(declared), tuple(local), draw(formula), tuple(everywhere), draw(st.booleans()))


@settings(max_examples=100, deadline=None)
@given(global_and_local(propositional_semantics(), propositional(7)))
def test_same_as_enumeration_for_propositional_problems(problem: Problem) -> None:
    """Guards soundness, completeness and the canonical choice against all models in order."""
    worlds = 3 if len(problem.signature) < 2 else 2
    assert find_countermodel(problem, worlds, 1, PLENTY) == least_countermodel(problem, worlds, 1)


@settings(max_examples=60, deadline=None)
@given(global_and_local(first_order_semantics(), first_order(height=4, symbols=(("F", 1),))))
def test_same_as_enumeration_for_one_predicate(problem: Problem) -> None:
    """Guards the same with quantifiers, up to two worlds and two individuals."""
    assert find_countermodel(problem, 2, 2, PLENTY) == least_countermodel(problem, 2, 2)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from([(1, 3), (2, 1), (1, 2)]),
    global_and_local(first_order_semantics(), first_order(height=4, symbols=(("F", 1), ("G", 1)))),
)
def test_same_as_enumeration_for_uneven_bounds(bound: tuple[int, int], problem: Problem) -> None:
    """Guards the order of sizes when worlds and individuals have different bounds."""
    assert find_countermodel(problem, *bound, PLENTY) == least_countermodel(problem, *bound)


@settings(max_examples=30, deadline=None)
@given(global_and_local(first_order_semantics(), first_order(height=4, symbols=(("Likes", 2),))))
def test_same_as_enumeration_for_a_binary_predicate(problem: Problem) -> None:
    """Guards the order of arguments and of assignments, nested quantifiers included."""
    assert find_countermodel(problem, 1, 2, PLENTY) == least_countermodel(problem, 1, 2)


@pytest.mark.parametrize("condition", sorted(CONDITIONS))
def test_same_as_enumeration_for_every_pair_of_conditions(condition: str) -> None:
    """Guards conditions in combination: every scheme under every pair, against all models in order."""
    for other in sorted(CONDITIONS):
        for scheme in ("D", "T", "B", "4", "5", "McKinsey"):
            problem = Problem(semantics({condition, other}), (), SCHEMES[scheme])
            assert find_countermodel(problem, 2, 1) == least_countermodel(problem, 2, 1), (other, scheme)


@settings(max_examples=40, deadline=None)
@given(global_and_local(first_order_semantics(), first_order(height=4)))
def test_what_is_found_is_a_countermodel_and_smallest(problem: Problem) -> None:
    """Guards larger problems, out of reach of enumeration: the evaluator agrees, less does not suffice."""
    model = find_countermodel(problem, 3, 2, PLENTY)
    if model is not None:
        assert objection(model, problem) is None
        assert model.domains is not None
        used = len(frozenset().union(*model.domains))
        if model.worlds > 1:
            assert find_countermodel(problem, model.worlds - 1, 2, PLENTY) is None
        if used > 1:
            assert find_countermodel(problem, model.worlds, used - 1, PLENTY) is None


def test_fewer_worlds_are_asked_on_their_own() -> None:
    """Guards against taking 'none with n worlds' for 'none with at most n': here only one will do."""
    alone = semantics({"functional", "universal"}, "varying")
    kinds = (And(F, G), And(F, Not(G)), And(Not(F), G))
    problem = Problem(alone, tuple(Exists("x", kind) for kind in kinds), Bottom())
    model = find_countermodel(problem, 4, 3, PLENTY)
    assert model is not None and model.worlds == 1 and model.domains == (frozenset({0, 1, 2}),)


def test_global_premises_can_demand_an_even_number_of_worlds() -> None:
    """Guards global premises: worlds in pairs, so that three worlds are refuted while two are not."""
    pairs = semantics({"functional", "serial", "symmetric"})
    problem = Problem(pairs, (), Bottom(), global_premises=(Iff(p, Diamond(Not(p))),))
    assert [first_countermodel(problem, n, 0) is not None for n in (1, 2, 3)] == [False, True, False]
    for n, possible in ((1, False), (2, True), (3, False), (4, True)):
        assert satisfiable(expand(problem, n, 0).dimacs(), []) == possible
    model = find_countermodel(problem, 3, 0)
    assert model is not None and model.worlds == 2


def test_one_individual_where_nothing_quantifies() -> None:
    """Guards propositional problems under a domain regime: they get domains, of one individual."""
    problem = Problem(semantics((), "cumulative"), (), SCHEMES["T"])
    result = search(problem, PLENTY)
    assert result.sizes == ((1, 1, True),)
    assert result.countermodel is not None and result.countermodel.domains == (frozenset({0}),)


def history_problems() -> list[Problem]:
    propositional_ones = [
        Problem(semantics(SYSTEMS[s]), (), f) for s in ("K", "S4", "DB") for f in SCHEMES.values()
    ]
    barcan = [Problem(semantics((), d), (), f) for d in sorted(DOMAINS) for f in (BARCAN, CONVERSE_BARCAN)]
    return propositional_ones + barcan


@pytest.mark.parametrize("steps", [600, 20_000_000])
def test_results_do_not_depend_on_what_was_solved_before(steps: int) -> None:
    """Guards reproducibility: the same answers, also those cut short, in the reverse order."""
    limits = Limits(wall_seconds=60, steps=steps, worlds=3, individuals=2)
    problems = history_problems()
    forwards = [search(problem, limits) for problem in problems]
    backwards = [search(problem, limits) for problem in reversed(problems)][::-1]
    assert [(s.sizes, s.countermodel, s.unfinished) for s in forwards] == [
        (s.sizes, s.countermodel, s.unfinished) for s in backwards
    ]
    assert any(s.countermodel for s in forwards)
    assert any(s.unfinished for s in forwards) == (steps == 600)


def test_threads_give_the_results_of_one_thread() -> None:
    """Guards the solver contexts: one for each thread, the same results from all."""
    problems = history_problems()
    alone = [find_countermodel(problem, 3, 2) for problem in problems]
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(lambda problem: find_countermodel(problem, 3, 2), problems)) == alone


def test_only_infinite_countermodels() -> None:
    """Guards against a claim of validity: what has only infinite countermodels is given up."""
    premises = (Box(Exists("x", And(Not(F), Diamond(F)))), Box(Forall("x", Implies(F, Box(F)))))
    problem = Problem(semantics(SYSTEMS["S4"], "constant"), premises, Bottom())
    verdict = KripkeSearch().decide(problem, PLENTY)
    assert verdict.status is SzsStatus.GAVE_UP and not verdict.decisive
    assert verdict.note == "no countermodel has at most 5 worlds and 3 individuals"


@pytest.mark.parametrize("steps", [0, 1, 10, 40, 150])
def test_too_few_steps_are_no_evidence(steps: int) -> None:
    """Guards the label policy: a search cut short says nothing, and says why."""
    verdict = KripkeSearch().decide(Problem(S4, (), SCHEMES["G"]), Limits(steps=steps))
    assert verdict.status is SzsStatus.RESOURCE_OUT and not verdict.decisive
    assert verdict.countermodel is None and verdict.note
    with pytest.raises(SearchUnfinished):
        find_countermodel(Problem(S4, (), SCHEMES["G"]), 3, 1, Limits(steps=steps))


def test_no_time_is_no_evidence() -> None:
    """Guards the wall time: it ends the search as a timeout."""
    verdict = KripkeSearch().decide(Problem(S4, (), SCHEMES["G"]), Limits(wall_seconds=0))
    assert verdict.status is SzsStatus.TIMEOUT and not verdict.decisive


def test_an_objection_of_the_evaluator_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the last word of the evaluator: a model that it rejects is reported, never returned."""
    monkeypatch.setattr(kripke_search, "objection", lambda model, problem: "it is green")
    verdict = KripkeSearch().decide(Problem(S4, (), SCHEMES["B"]), Limits())
    assert verdict.status is SzsStatus.ERROR and not verdict.decisive
    assert verdict.countermodel is None
    assert "BUG" in verdict.note and "it is green" in verdict.note


def test_sizes_of_nothing_and_formulas_too_deep_are_verdicts() -> None:
    """Guards against tracebacks: senseless limits and deep formulas end in a verdict without evidence."""
    problem = Problem(semantics(), (), p)
    nothing = KripkeSearch().decide(problem, Limits(worlds=0))
    assert nothing.status is SzsStatus.GAVE_UP and nothing.translation == ""
    deep: Formula = p
    for _ in range(300):
        deep = Box(deep)
    verdict = KripkeSearch().decide(Problem(semantics(), (deep,), Bottom()), Limits())
    assert verdict.status is SzsStatus.RESOURCE_OUT and "too deeply" in verdict.note
    with pytest.raises(ValueError, match="at least one world"):
        expand(problem, 0, 1)
    many: Formula = Atom("P", tuple(f"x{i}" for i in range(30)))
    for i in range(30):
        many = Forall(f"x{i}", many)
    with pytest.raises(ExpansionTooLarge):
        expand(Problem(semantics((), "constant"), (), many), 2, 3, 10_000)


def test_translation_is_what_z3_was_given() -> None:
    """Guards the evidence: the recorded text, comments aside, has the countermodel as a model."""
    problem = Problem(semantics(SYSTEMS["S4"], "cumulative"), (), BARCAN)
    verdict = KripkeSearch().decide(problem, Limits())
    assert verdict.status is SzsStatus.COUNTER_SATISFIABLE and verdict.countermodel is not None
    assert verdict.command == ("z3-kripke", "--worlds", "2", "--individuals", "2")
    assert verdict.stdout.splitlines()[-2:] == [
        "worlds 2 individuals 2: countermodel",
        "worlds 2 individuals 1: none",
    ]
    lines = verdict.translation.splitlines()
    meanings = {
        line.split()[2]: int(line.split()[1]) for line in lines if line.startswith("c ") and "(" in line
    }
    dimacs = "".join(f"{line}\n" for line in lines if not line.startswith("c "))
    arrow = (1, 0) in verdict.countermodel.accessibility
    assert satisfiable(dimacs, [meanings["R(1,0)"] if arrow else -meanings["R(1,0)"]])
    assert satisfiable(dimacs, []) and meanings["R(0,0)"] == TRUE
    assert int(dimacs.split()[3]) == dimacs.count(" 0\n")


def test_long_translations_are_given_by_their_hash() -> None:
    """Guards the size of evidence: a long text is replaced by its hash and how to make it again."""
    problem = Problem(semantics({"convergent", "dense"}, "varying"), (), Implies(BARCAN, BARCAN))
    verdict = KripkeSearch().decide(problem, Limits(worlds=9, individuals=5, steps=10**8))
    assert verdict.status is SzsStatus.GAVE_UP
    digest = hashlib.sha256(expand(problem, 9, 5).dimacs().encode()).hexdigest()
    assert digest in verdict.translation and len(verdict.translation) < 1000
