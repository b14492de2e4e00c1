"""TPTP non-classical form: what is printed, what is read, and what is refused by its name."""

from __future__ import annotations

from itertools import chain, combinations, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import mixed_problems

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
    alpha_normal,
    is_first_order,
    map_children,
)
from modalgen.kripke import KripkeModel, is_countermodel
from modalgen.nxf import NxfError, read_nxf, to_nxf
from modalgen.problem import Problem
from modalgen.semantics import CONDITIONS, DOMAINS, SYSTEMS, Semantics, semantics
from modalgen.syntax import parse

RECORDED = Path(__file__).parent / "data" / "nxf"
SPEC = (
    "tff(s,logic,$modal == [ $designation == $rigid, $domains == $varying, "
    "$terms == $local, $modalities == $modal_system_K ]).\n"
)
p, q, r = Atom("p"), Atom("q"), Atom("r")


def goal(formula: str) -> Formula:
    """The conjecture of a problem in K that consists of it."""
    return read_nxf(f"{SPEC}tff(goal,conjecture,{formula}).").conjecture


def test_printed_propositional_problem() -> None:
    """The exact text of a propositional problem: every default stated, local premises as hypotheses."""
    problem = Problem(semantics(["reflexive", "transitive"]), (parse("□(p ∧ q)"),), parse("¬◇p ∨ ⊤"))
    assert to_nxf(problem) == (
        "tff(semantics, logic, $modal == [ $designation == $rigid, $domains == $constant, "
        "$terms == $local, $modalities == $modal_system_S4 ]).\n"
        "tff(p_type, type, p: $o).\n"
        "tff(q_type, type, q: $o).\n"
        "tff(premise_1, hypothesis, ({$box} @ (p & q))).\n"
        "tff(goal, conjecture, ( ~ ({$dia} @ (p)) | $true )).\n"
    )


def test_printed_first_order_problem() -> None:
    """The exact text of a first-order problem with a global premise and a global conjecture."""
    problem = Problem(
        semantics(["convergent", "serial"], "cumulative"),
        (),
        parse("∃x □F(x) ↔ q"),
        (parse("∀x ∃y likes(x,y)"),),
        True,
    )
    assert to_nxf(problem) == (
        "tff(semantics, logic, $modal == [ $designation == $rigid, $domains == $cumulative, "
        "$terms == $local, $modalities == [$modal_axiom_K, $$modal_axiom_convergent, $modal_axiom_D] ]).\n"
        "tff('F_type', type, 'F': $i > $o).\n"
        "tff(likes_type, type, likes: ( $i * $i ) > $o).\n"
        "tff(q_type, type, q: $o).\n"
        "tff(global_premise_1, axiom, ! [X: $i]: ? [Y: $i]: likes(X,Y)).\n"
        "tff(goal, conjecture-global, ( ( ? [X: $i]: ({$box} @ ('F'(X))) ) <=> q )).\n"
    )


def test_global_conjecture_under_local_premises_in_s5() -> None:
    """S5 is printed as axioms where the universal relation would have other consequences."""
    problem = Problem(semantics(SYSTEMS["S5"]), (p,), Diamond(p), global_conjecture=True)
    assert "$modalities == [$modal_axiom_K, $modal_axiom_5, $modal_axiom_T]" in to_nxf(problem)
    assert read_nxf(to_nxf(problem)) == problem


@pytest.mark.parametrize(
    ("text", "upper"),
    [
        ("∀x ∀X R(x,X)", ["X", "X_1"]),
        ("∀x_1 ∀X ∀x S(x_1,X,x)", ["X_1", "X_2", "X"]),
        ("∀w ∀W0 R(w,W0)", ["W_1", "W0_1"]),
    ],
)
def test_variables_become_different_upper_words(text: str, upper: list[str]) -> None:
    """Variables stay apart as upper words, and none gets a name that the embedding tool uses for worlds."""
    problem = Problem(semantics((), "constant"), (), parse(text))
    assert f"({','.join(upper)})" in to_nxf(problem)
    assert alpha_normal(read_nxf(to_nxf(problem)).conjecture) == alpha_normal(problem.conjecture)


@pytest.mark.parametrize("frame", [(name,) for name in CONDITIONS] + [("dense", "reflexive", "serial")])
@pytest.mark.parametrize("domain", DOMAINS)
def test_every_semantics_reads_back(frame: tuple[str, ...], domain: str) -> None:
    """No frame condition and no domain regime is lost or changed on the way."""
    problem = Problem(semantics(frame, domain), (), parse("∃x F(x)"))
    assert read_nxf(to_nxf(problem)) == problem


def capitalised(formula: Formula) -> Formula:
    """The formula with other names: symbols that need quotation marks, variables with a capital."""
    match formula:
        case Atom(name, arguments):
            return Atom(f"{name}_A", tuple(x.upper() for x in arguments))
        case Forall(x, body) | Exists(x, body):
            return type(formula)(x.upper(), capitalised(body))
    return map_children(formula, capitalised)


@settings(max_examples=400, deadline=None)
@given(mixed_problems())
def test_printed_problems_read_back(problem: Problem) -> None:
    """Reading a printed problem gives it back, but for a domain regime that no formula needs."""
    domain = problem.semantics.domain if any(map(is_first_order, problem.formulas)) else None
    expected = Problem(
        Semantics(problem.semantics.frame, domain),
        problem.premises,
        problem.conjecture,
        problem.global_premises,
        problem.global_conjecture,
    )
    assert read_nxf(to_nxf(problem)) == expected
    assert to_nxf(problem).isascii()
    renamed = Problem(expected.semantics, (), capitalised(problem.conjecture))
    if not is_first_order(problem.conjecture):
        renamed = Problem(Semantics(problem.semantics.frame), (), capitalised(problem.conjecture))
    again = read_nxf(to_nxf(renamed))
    assert again.semantics == renamed.semantics
    assert alpha_normal(again.conjecture) == alpha_normal(renamed.conjecture)


# The recorded problems, whose expected status stands in their first line.


def subsets(pairs: list[tuple[int, ...]]) -> list[frozenset[tuple[int, ...]]]:
    """All sets of these pairs."""
    return [frozenset(c) for c in chain.from_iterable(combinations(pairs, n) for n in range(len(pairs) + 1))]


def has_countermodel(problem: Problem, worlds: int) -> bool:
    """Whether some model with so many worlds, and as many individuals, is a countermodel."""
    W = range(worlds)
    relations = subsets(list(product(W, W)))
    atoms = sorted(name for name, arity in problem.signature if arity == 0)
    unary = sorted(name for name, arity in problem.signature if arity == 1)
    valuations = list(
        product([frozenset(w for (w,) in s) for s in subsets([(w,) for w in W])], repeat=len(atoms))
    )
    domains: list[tuple[frozenset[int], ...] | None] = [None]
    extensions: list[tuple[frozenset[tuple[int, ...]], ...]] = list(
        product(subsets([(d,) for d in W]), repeat=worlds)
    )
    if problem.semantics.domain is not None:
        inhabited = [frozenset(d for (d,) in s) for s in subsets([(d,) for d in W]) if s]
        domains = list(product(inhabited, repeat=worlds))
    return any(
        is_countermodel(
            KripkeModel(
                worlds, relation, D, dict(zip(atoms, V, strict=True)), dict(zip(unary, E, strict=True))
            ),
            problem,
        )
        for relation in relations
        for D in domains
        for V in valuations
        for E in product(extensions, repeat=len(unary))
    )


def recorded(pattern: str) -> list[str]:
    """The names of the recorded problems that match."""
    return sorted(path.stem for path in RECORDED.glob(f"{pattern}.p"))


WITH_CONSTANTS = recorded("desig_*") + recorded("term_*")
READABLE = [name for name in recorded("*") if name not in WITH_CONSTANTS]


def test_recorded_problems_are_all_here() -> None:
    """The two tests below run on all 39 recorded problems."""
    assert (len(READABLE), len(WITH_CONSTANTS)) == (35, 4)


@pytest.mark.parametrize("name", READABLE)
def test_recorded_problem_means_what_its_status_says(name: str) -> None:
    """As read, a problem has a small countermodel exactly if its expected status says that it has one."""
    text = (RECORDED / f"{name}.p").read_text()
    status = text.splitlines()[0].removeprefix("% expected: ")
    problem = read_nxf(text)
    found = has_countermodel(problem, 1) or has_countermodel(problem, 2)
    if name == "prem_local_chain":  # its countermodels need three worlds
        found = has_countermodel(problem, 3)
    assert found == {"Theorem": False, "CounterSatisfiable": True}[status]


@pytest.mark.parametrize("name", WITH_CONSTANTS)
def test_recorded_problem_with_a_constant_is_refused(name: str) -> None:
    """Individual constants are refused by name, where they are declared."""
    with pytest.raises(NxfError, match="individual constant 'c'") as caught:
        read_nxf((RECORDED / f"{name}.p").read_text())
    assert (caught.value.line, caught.value.column) == (4, 20)


@pytest.mark.parametrize(
    ("role", "local"),
    [
        ("hypothesis", True),
        ("axiom-local", True),
        ("hypothesis-local", True),
        ("lemma-local", True),
        ("axiom", False),
        ("definition", False),
        ("lemma", False),
        ("theorem", False),
        ("hypothesis-global", False),
        ("axiom-global", False),
    ],
)
def test_roles(role: str, local: bool) -> None:
    """Hypotheses are local, all other premises global, and a sub-role overrides the role."""
    problem = read_nxf(f"{SPEC}tff(a,{role},p). tff(goal,conjecture,p).")
    assert (problem.premises, problem.global_premises) == (((p,), ()) if local else ((), (p,)))


def test_conjecture_roles() -> None:
    """A conjecture is local unless its sub-role is global."""
    for role, everywhere in (("conjecture", False), ("conjecture-local", False), ("conjecture-global", True)):
        assert read_nxf(f"{SPEC}tff(goal,{role},p).").global_conjecture is everywhere


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("{$box} @ (p)", Box(p)),
        ("{$dia}@(p & q)", Diamond(And(p, q))),
        ("[.] p", Box(p)),
        ("<.>~[ . ]p", Diamond(Not(Box(p)))),
        ("{$box} @ (p) => p", Implies(Box(p), p)),
        ("[.] p & q", And(Box(p), q)),
        ("~ p | q", Or(Not(p), q)),
        ("p & q & r", And(And(p, q), r)),
        ("p | q | r", Or(Or(p, q), r)),
        ("p <= q", Implies(q, p)),
        ("p <=> q", Iff(p, q)),
        ("p <~> q", Not(Iff(p, q))),
        ("p ~& q", Not(And(p, q))),
        ("p ~| q", Not(Or(p, q))),
        ("$true & ~$false", And(Top(), Not(Bottom()))),
        ("'p' & 'Big'", And(p, Atom("Big"))),
        ("! [X]: f(X)", Forall("x", Atom("f", ("x",)))),
        ("! [X: $i,Yz]: r(X,Yz)", Forall("x", Forall("yz", Atom("r", ("x", "yz"))))),
        ("![X]: f(X) & p", And(Forall("x", Atom("f", ("x",))), p)),
        ("? [X]: (x & f(X))", Exists("x1", And(Atom("x"), Atom("f", ("x1",))))),
        ("? [X]: ? [X: ($i)]: f(X)", Exists("x", Exists("x", Atom("f", ("x",))))),
        ("/* a */ p % b", None),
    ],
)
def test_formula_forms(text: str, formula: Formula | None) -> None:
    """Long and short operators, all connectives, typed and untyped variables, and comments are read."""
    assert goal(f"{text}\n") == (formula or p)


@pytest.mark.parametrize(
    ("modalities", "frame"),
    [
        *((f"$modal_system_{name}", conditions) for name, conditions in SYSTEMS.items()),
        ("$modal_system_M", {"reflexive"}),
        ("$modal_system_S5U", {"universal"}),
        ("[$modal_axiom_K]", set()),
        ("[ $modal_axiom_K, $modal_axiom_T, $modal_axiom_4 ]", {"reflexive", "transitive"}),
        ("[$modal_axiom_5,$modal_axiom_M]", {"reflexive", "euclidean"}),
        ("[$modal_axiom_D,$modal_axiom_B]", {"serial", "symmetric"}),
        ("[$modal_axiom_CD,$modal_axiom_C4]", {"functional", "dense"}),
        ("[$modal_axiom_S5U]", {"universal"}),
        (
            "[$$modal_axiom_shift_reflexive,$$modal_axiom_weakly_connected]",
            {"shift-reflexive", "weakly-connected"},
        ),
    ],
)
def test_modalities(modalities: str, frame: set[str]) -> None:
    """Every system and every axiom denotes its frame conditions."""
    text = f"tff(s,logic,( $modal == [ $modalities == {modalities} ] )). tff(g,conjecture,p)."
    assert read_nxf(text).semantics == semantics(frame)


@pytest.mark.parametrize(
    ("family", "box", "diamond"),
    [
        ("$modal", "$box", "$dia"),
        ("$alethic_modal", "$necessary", "$possible"),
        ("$deontic_modal", "$obligatory", "$permissible"),
        ("$epistemic_modal", "$knows", "$canKnow"),
        ("$doxastic_modal", "$believes", "$canBelieve"),
    ],
)
def test_logic_families(family: str, box: str, diamond: str) -> None:
    """Each family has its own names for box and diamond, and those of another are refused."""
    spec = (
        f"tff(s,logic,{family} == "
        "[ $terms == $global, $modalities == $modal_system_D, $designation == $flexible ])."
    )
    problem = read_nxf(f"{spec} tff(g,conjecture,{{{box}}} @ (p) => {{{diamond}}} @ (p)).")
    assert problem == Problem(semantics(["serial"]), (), parse("□p → ◇p"))
    other = "$knows" if family == "$modal" else "$box"
    with pytest.raises(NxfError, match="does not belong to"):
        read_nxf(f"{spec} tff(g,conjecture,{{{other}}} @ (p)).")


def test_declarations_may_come_in_any_order_and_with_annotations() -> None:
    """Types with any parentheses, formulas before their declarations, and sources are read."""
    text = """
    tff(1,conjecture,( ! [X,Y]: likes(X,Y) ),inference(x,[status(thm)],[a,'b c'])).
    tff(t,type,( likes: (($i * $i)) > $o ),file('f.p',t)).
    tff(u,type,p: ($o)). tff(v,type,f: ($i > $o)). tff(v,type,f: $i > $o).
    """
    assert read_nxf(text + SPEC).conjecture == parse("∀x ∀y likes(x,y)")


G = "tff(g,conjecture,"
REFUSED = [
    ("include('Axioms/A.ax').", 1, 1, "include"),
    ("thf(a,axiom,p).", 1, 1, "thf formulas"),
    ("fof(a,axiom,p).", 1, 1, "fof formulas"),
    ("cnf(a,axiom,p).", 1, 1, "cnf formulas"),
    ("foo(a,axiom,p).", 1, 1, "'foo' is unknown"),
    ("tff(a,negated_conjecture,p).", 1, 7, "role 'negated_conjecture'"),
    ("tff(a,plain,p).", 1, 7, "role 'plain'"),
    ("tff(a,axiom-elsewhere,p).", 1, 13, "sub-role 'elsewhere'"),
    (f"{G}p). {G}p).", 1, 28, "second conjecture"),
    (SPEC, 1, 7, "second logic"),
    (f"{G}{{$box(#a)}} @ (p)).", 1, 19, "indexed modalities"),
    (f"{G}{{#a}} @ (p)).", 1, 19, "indexed modalities"),
    (f"{G}[#a] p).", 1, 18, "indexed modalities"),
    (f"{G}{{$box}} @ p).", 1, 27, "in parentheses"),
    (f"{G}{{$box}}(p)).", 1, 24, "'@' and a formula"),
    (f"{G}{{$box}} @ (p,q)).", 1, 29, "')' is expected, not ','"),
    (f"{G}{{$$nominal}} @ (n)).", 1, 19, "operator {$$nominal}"),
    (f"{G}! [X]: f(c)).", 1, 27, "individual constant 'c'"),
    (f"{G}! [X]: f(s(X))).", 1, 27, "function 's'"),
    (f"{G}! [X]: f(1)).", 1, 27, "term '1'"),
    (f'{G}! [X]: f("a")).', 1, 27, "term '\"a\"'"),
    (f"{G}! [X]: X = X).", 1, 27, "equality"),
    (f"{G}! [X]: f(X) != f(X)).", 1, 30, "equality"),
    (f"{G}p = q).", 1, 20, "equality"),
    (f"{G}! [X]: X).", 1, 25, "variable 'X' stands"),
    (f"{G}f(X)).", 1, 20, "variable 'X' is not bound"),
    (f"{G}(! [X]: f(X)) & f(X)).", 1, 36, "variable 'X' is not bound"),
    (f"{G}! [X: $int]: f(X)).", 1, 24, "variable X has the type $int"),
    (f"{G}$ite(p,q,r)).", 1, 18, "'$ite'"),
    (f"{G}$let(a: $o,a := p,a)).", 1, 18, "'$let'"),
    (f"{G}f @ p).", 1, 20, "'@' may only follow"),
    (f"{G}'two words').", 1, 18, "symbol ''two words''"),
    (f"{G}p & q | r).", 1, 24, "parentheses must say"),
    (f"{G}p => q => r).", 1, 25, "parentheses must say"),
    (f"{G}((p & q).", 1, 18, "never closed"),
    (f"{G}p)).", 1, 20, "'.' is expected"),
    (f"{G}p & ).", 1, 22, "a formula is expected after '&'"),
    (f"{G}p", 1, 19, "the text ends"),
    (f"{G}p /* ", 1, 20, "comment is never closed"),
    (f"{G}'p).", 1, 18, "quotation is not closed"),
    (f"{G}p ⇒ q).", 1, 20, "not '⇒'"),
    (f"{G}f(p) & f).", 1, 20, "individual constant 'p'"),
    (f"{G}f & ! [X]: f(X)).", 1, 29, "'f' is used with 0 and with 1 arguments"),
    ("tff(t,type,f: $o).\n" + f"{G}! [X]: f(X)).", 2, 25, "declared with 0 arguments but used with 1"),
    ("tff(t,type,f: $o). tff(t,type,f: $i > $o).", 1, 31, "declared twice"),
    ("tff(t,type,c: $i).", 1, 15, "individual constant 'c'"),
    ("tff(t,type,s: $i > $i).", 1, 15, "function 's'"),
    ("tff(t,type,person: $tType).", 1, 20, "sort 'person'"),
    ("tff(t,type,f: person > $o).", 1, 15, "type person>$o"),
    ("tff(t,type,f: $i > ($i > $o)).", 1, 15, "type $i>($i>$o)"),
    ("tff(t,type,f: ($i * ($i > $o))).", 1, 15, "type $i*($i>$o)"),
    ("tff(t,type,f: ($i > $o) > $o).", 1, 15, "type ($i>$o)>$o"),
    ("tff(t,type,f: " + "(" * 30, 1, 35, "nested more than 20"),
    ("tff(a,axiom,p).", 1, 16, "role conjecture is expected"),
    ("hello", 1, 1, "'hello' is unknown"),
    ("%", 1, 2, "role conjecture is expected"),
]


@pytest.mark.parametrize(("text", "line", "column", "part"), REFUSED, ids=[row[0][:40] for row in REFUSED])
def test_refused_by_name(text: str, line: int, column: int, part: str) -> None:
    """What is outside the modal subset is refused by its name, with its line and column."""
    with pytest.raises(NxfError) as caught:
        read_nxf(SPEC + text)
    assert part in caught.value.message
    assert (caught.value.line, caught.value.column) == (line + 1, column)
    assert str(caught.value).startswith(f"line {line + 1}, column {column}: ")


@pytest.mark.parametrize(
    ("spec", "column", "part"),
    [
        ("$$hybrid == [ ]", 12, "logic '$$hybrid'"),
        ("$modal", 18, "is expected after the logic's name"),
        ("$modal == $modal_system_K", 22, "'['"),
        ("$modal == [ $domains == $constant ]", 22, "needs $modalities"),
        ("$modal == [ $modalities == $modal_system_Q ]", 39, "modal system '$modal_system_Q'"),
        ("$modal == [ $modalities == [$modal_axiom_Z] ]", 40, "modal axiom '$modal_axiom_Z'"),
        ("$modal == [ $modalities == $modal_axiom_T ]", 39, "in a list"),
        ("$modal == [ $modalities == [$modal_system_K, {$box(#a)} == $modal_system_D] ]", 40, "modal axiom"),
        ("$modal == [ $modalities == [{$box(#a)} == $modal_system_D] ]", 40, "each indexed modality"),
        ("$modal == [ $modalities == [$a == $modal_system_D] ]", 40, "each indexed modality"),
        ("$modal == [ $domains == [$constant, person == $varying] ]", 36, "domains for each type"),
        ("$modal == [ $domains == $possibilist ]", 36, "$domains is one of $varying"),
        ("$modal == [ $designation == [$rigid, c == $flexible] ]", 40, "for each symbol"),
        ("$modal == [ $terms == $local, $terms == $local ]", 42, "given twice"),
        ("$modal == [ $quantification == $constant ]", 24, "it is now $domains"),
        ("$modal == [ $colour == $red ]", 24, "property '$colour'"),
    ],
)
def test_refused_logic_specifications(spec: str, column: int, part: str) -> None:
    """A logic that is not a single modality over one sort is refused by name."""
    with pytest.raises(NxfError) as caught:
        read_nxf(f"tff(s,logic,{spec}). tff(g,conjecture,p).")
    assert part in caught.value.message
    assert (caught.value.line, caught.value.column) == (1, column + 1)


def test_no_logic_specification() -> None:
    """A classical problem is refused with the line that would make it modal."""
    with pytest.raises(NxfError, match=r"no logic specification; begin with tff\(semantics,logic"):
        read_nxf(f"{G}p).")


def test_first_order_problem_needs_domains() -> None:
    """Domains are needed by quantifiers only, and are never guessed."""
    spec = "tff(s,logic,$modal == [ $modalities == $modal_system_K ]). "
    assert read_nxf(f"{spec}{G}p).").semantics == Semantics()
    with pytest.raises(NxfError, match=r"needs \$domains"):
        read_nxf(f"{spec}{G}! [X]: f(X)).")


@pytest.mark.parametrize("step", ["□{}", "¬{}", "∀x {}", "p → {}", "({}) ∧ p", "□¬{}"])
def test_deepest_problems_read_back(step: str) -> None:
    """Whatever the formula reader accepts can be printed as TPTP and read again."""
    text = "F(x)" if "x" in step else "p"
    for _ in range(99 if step == "□¬{}" else 199):
        text = step.format(text)
    problem = Problem(semantics((), "varying" if "x" in step else None), (), parse(text))
    assert read_nxf(to_nxf(problem)) == problem


@pytest.mark.parametrize(
    "text", ["(" * 200_000, "~" * 200_000, "p & " * 60_000, "[.]" * 90_000, "x" * 400_000]
)
def test_hostile_text_is_refused(text: str) -> None:
    """Depth and length are limited, without recursion."""
    with pytest.raises(NxfError, match=r"more than|at most"):
        read_nxf(f"{SPEC}{G}{text}")


PIECES = (
    "tff( g , conjecture axiom hypothesis - local ) . ( [ ] { } p q f(X) X ! ? [X]: : $i $o $modal == "
    "$modalities $modal_system_K {$box} @ [.] <.> <=> => <= <~> ~& ~| ~ & | = != type logic 'a b' 7 \" % "
    "/* # $ite"
)


@settings(max_examples=600, deadline=None)
@given(
    st.sampled_from(["", SPEC, f"{SPEC}{G}", f"{SPEC}tff(t,type,", "tff(s,logic,$modal == ["]),
    st.one_of(st.text(max_size=30), st.lists(st.sampled_from(PIECES.split()), max_size=14).map(" ".join)),
    st.sampled_from(["", ").", f"{SPEC}{G}p)."]),
)
def test_any_text_is_read_or_refused(before: str, middle: str, after: str) -> None:
    """No text raises anything but the documented error, whose position lies in the text."""
    text = before + middle + after
    try:
        problem = read_nxf(text)
    except NxfError as error:
        lines = text.split("\n")
        assert 1 <= error.line <= len(lines)
        assert 1 <= error.column <= len(lines[error.line - 1]) + 1
    else:
        assert read_nxf(to_nxf(problem)) == problem
