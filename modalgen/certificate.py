"""Herbrand certificates: that a conjecture follows, shown by finitely many instances of definitions.

A certificate has a table of terms and a list of steps; `docs/certificates.md` explains it by an example.
Suppose there were a countermodel. Each term then names something in it: the designated world (`root`), a
world where a global conjecture fails (`cex`), the world or the individual that a true ◇φ or ∃xφ, a false
□φ or ∀xφ promises (`witness`), the world or the individual that a condition on the models promises (a
term called like the condition). A witness is named by what promises it; where nothing is promised it
names anything of its sort, among individuals one that exists somewhere. A step is an instance of a truth
condition or of a condition on the models: if the facts that it assumes hold in the countermodel, then so
do the facts of one of its cases. So, going through the steps in order and distinguishing cases, in one
case at least all facts hold in the countermodel. If each case ends with the same formula true and false
at the same world, there is no countermodel.

This is Herbrand's theorem for the standard translation of modal logic (Blackburn, de Rijke, Venema 2001,
section 2.4) with named witnesses for Skolem functions; read as rules, the steps are those of prefixed
signed tableaux (Fitting, *Proof Methods for Modal and Intuitionistic Logics*, 1983, chapter 8).

Subformulas are numbered as they are first met when the global premises, the premises and the conjecture
are read in this order, each from the outside in. A fact is a truth value, what has it, and terms:
(True, k, w, *xs) says that subformula k is true at w when its free variables, in alphabetical order, have
the values xs (for an atom: when its arguments are xs). (True, "R", w, v): w accesses v. (True, "E", w, y):
y exists at w. (True, "=", v, u): v and u are the same world.

The checker shares nothing with what makes certificates. It imports the syntax tree and `Problem`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from modalgen.formula import And, Atom, Bottom, Box, Diamond, Exists, Forall, Formula, Iff, Implies, Not, Or
from modalgen.formula import Top, children  # fmt: skip
from modalgen.problem import Problem

Fact = tuple[Any, ...]
# What a step assumes, and the cases of which one holds if the assumptions do.
Inference = tuple[list[Fact], list[list[Fact]]]

# A certificate whose cases add up to more facts and steps than this is refused, not waited for.
MAX_WORK = 1_000_000

# Truth tables: the cases in which a formula of this kind is true, and those in which it is false, by the
# truth (T) or falsity (F) of its parts a and b. None: there is no such case.
_CASES: dict[type[Formula], tuple[str | None, str | None]] = {
    Top: ("", None),
    Bottom: (None, ""),
    Not: ("Fa", "Ta"),
    And: ("Ta Tb", "Fa | Fb"),
    Or: ("Ta | Tb", "Fa Fb"),
    Implies: ("Fa | Tb", "Ta Fb"),
    Iff: ("Ta Tb | Fa Fb", "Ta Fb | Fa Tb"),
}
# What the other kinds speak of, and which truth value of theirs says something of all of it. (The other
# says something of one: the witness.)
_RANGE = {
    Box: ("world", True),
    Diamond: ("world", False),
    Forall: ("individual", True),
    Exists: ("individual", False),
}
# Conditions on the models: variables, assumptions, cases. "Rwv": w accesses v; "Ewy": the individual y
# exists at w; "=vu": v and u are one world; n is the new thing that the condition promises.
_CONDITIONS = {
    "nonempty": ("w", "", "Ewn"),
    "serial": ("w", "", "Rwn"),
    "reflexive": ("w", "", "Rww"),
    "symmetric": ("wv", "Rwv", "Rvw"),
    "transitive": ("wvu", "Rwv Rvu", "Rwu"),
    "euclidean": ("wvu", "Rwv Rwu", "Rvu"),
    "dense": ("wv", "Rwv", "Rwn Rnv"),
    "convergent": ("wvu", "Rwv Rwu", "Rvn Run"),
    "functional": ("wvu", "Rwv Rwu", "=vu"),
    "shift-reflexive": ("wv", "Rwv", "Rvv"),
    "weakly-connected": ("wvu", "Rwv Rwu", "Rvu | Ruv | =vu"),
    "universal": ("wv", "", "Rwv"),
    "cumulative": ("wvy", "Rwv Ewy", "Evy"),
    "decreasing": ("wvy", "Rwv Evy", "Ewy"),
}


class CertificateError(ValueError):
    """The certificate does not show what it should; the message says which part fails."""


class Inferences:
    """What the terms and the steps of a certificate mean, given a problem."""

    def __init__(self, problem: Problem, terms: Iterable[Sequence[Any]] = ()) -> None:
        self.problem = problem
        self.constant = problem.semantics.domain == "constant"
        # The subformulas by number: the formula, the numbers of its parts, its free variables in order.
        self.nodes: list[Formula] = []
        self.parts: list[list[int]] = []
        self.free: list[list[str]] = []
        self._numbers: dict[Formula, int] = {}
        self._first: dict[str, int] = {}
        for formula in problem.formulas:
            self._number(formula)
        self.terms: dict[tuple[Any, ...], int] = {}
        self.sorts: list[str] = []
        for term in terms:
            self.name(*term)

    def _number(self, formula: Formula) -> int:
        if formula not in self._numbers:
            k = self._numbers[formula] = len(self.nodes)
            self.nodes.append(formula)
            self.parts.append([])
            self.free.append([])
            self.parts[k] = [self._number(child) for child in children(formula)]
            free = {x for part in self.parts[k] for x in self.free[part]}
            if isinstance(formula, Atom):
                free = set(formula.arguments)
                self._first.setdefault(formula.predicate, k)
            self.free[k] = sorted(free - {getattr(formula, "variable", None)})
        return self._numbers[formula]

    def name(self, name: str, *arguments: int) -> int:
        """Add a term to the table, which can refer to earlier ones only; its number."""
        sort = "individual" if name == "nonempty" else "world"
        if name == "witness":
            k, *places = arguments
            sort, _ = _RANGE[type(self.nodes[k])]
            self._demand(places, "world", *["individual"] * len(self.free[k]))
        else:
            self._demand(
                arguments, *["world"] * (0 if name in ("root", "cex") else len(_CONDITIONS[name][0]))
            )
        self.terms[name, *arguments] = len(self.sorts)
        self.sorts.append(sort)
        return len(self.sorts) - 1

    def _demand(self, terms: Sequence[int], *sorts: str) -> None:
        if [self.sorts[t] for t in terms] != list(sorts):
            raise CertificateError(f"terms {list(terms)} are not: {', '.join(sorts) or 'none'}")

    def _fact(self, value: bool, formula: Formula, world: int, values: Mapping[str, int]) -> Fact:
        if isinstance(formula, Atom):  # all atoms with a predicate go by the number of the first
            return (value, self._first[formula.predicate], world, *[values[x] for x in formula.arguments])
        k = self._numbers[formula]
        return (value, k, world, *[values[x] for x in self.free[k]])

    def of(self, rule: str, *t: int) -> Inference:
        """What a step assumes and its cases. Raises CertificateError, or what Python raises for a bad one."""
        problem = self.problem
        match rule, t:
            case "true" | "false", (k, world, *xs):
                return self._truth_condition(rule == "true", k, world, *xs)
            case "premise", (i,):
                return [], [[self._fact(True, problem.premises[i], self.terms["root",], {})]]
            case "global", (i, world):
                self._demand([world], "world")
                return [], [[self._fact(True, problem.global_premises[i], world, {})]]
            case "conjecture", ():
                world = self.terms["cex" if problem.global_conjecture else "root",]
                return [], [[self._fact(False, problem.conjecture, world, {})]]
        return self._condition(rule, *t)

    def _truth_condition(self, value: bool, k: int, world: int, *xs: int) -> Inference:
        """What follows from subformula k's value at the world, its free variables having the values xs.

        If it says something of all worlds or individuals, xs ends with one of them.
        """
        formula, parts, free = self.nodes[k], children(self.nodes[k]), self.free[k]
        sort, of_all = _RANGE.get(type(formula), ("", None))
        self._demand((world, *xs), "world", *["individual"] * len(free), *[sort] * (value == of_all))
        values = dict(zip(free, xs, strict=False))
        assumed: list[Fact] = [(value, k, world, *xs[: len(free)])]
        if not sort:
            text = _CASES[type(formula)][not value]
            return assumed, _cases(
                text, lambda t: self._fact(t[0] == "T", parts["ab".index(t[1])], world, values)
            )
        other = xs[-1] if value == of_all else self.terms["witness", k, world, *xs]
        if sort == "world":
            link, then = [(True, "R", world, other)], self._fact(value, parts[0], other, values)
        else:
            values[formula.variable] = other
            link, then = [(True, "E", world, other)], self._fact(value, parts[0], world, values)
            link = [] if self.constant else link
        return (assumed + link, [[then]]) if value == of_all else (assumed, [[*link, then]])

    def _condition(self, name: str, *t: int) -> Inference:
        if name not in ("nonempty", *self.problem.semantics.frame, self.problem.semantics.domain):
            raise CertificateError(f"the models need not be {name}")
        variables, assumed, cases = _CONDITIONS[name]
        self._demand(t, *["individual" if x == "y" else "world" for x in variables])
        value = dict(zip(variables, t, strict=True), n=self.terms.get((name, *t)))

        def fact(text: str) -> Fact:
            return (True, text[0], *[value[x] for x in text[1:]])

        return [fact(text) for text in assumed.split()], _cases(cases, fact)


def _cases(text: str | None, fact: Callable[[str], Fact]) -> list[list[Fact]]:
    return [] if text is None else [[fact(t) for t in case.split()] for case in text.split("|")]


class Case:
    """What is known in one case: facts, and for some worlds another that is the same."""

    def __init__(self, facts: Iterable[Fact] = (), same: Mapping[int, int] | None = None) -> None:
        self.facts = set(facts)
        self.same = dict(same or {})

    def _renamed(self, fact: Fact) -> Fact:
        return (*fact[:2], *[self.same.get(t, t) for t in fact[2:]]) if self.same else fact

    def knows(self, facts: Iterable[Fact]) -> bool:
        """Whether all the facts are known."""
        return all(self._renamed(fact) in self.facts for fact in facts)

    def add(self, facts: Iterable[Fact]) -> bool:
        """Add facts. Whether that is possible: False if something is now both true and false."""
        for fact in facts:
            value, what, *terms = fact = self._renamed(fact)
            self.facts.add(fact)
            if what == "=":
                keep, drop = terms
                self.same = {t: keep if s == drop else s for t, s in self.same.items()} | {drop: keep}
                self.facts = {self._renamed(fact) for fact in self.facts}
            if any((not f[0], *f[1:]) in self.facts for f in (self.facts if what == "=" else [fact])):
                return False
        return True


def contradictory(inferences: Sequence[Inference]) -> bool:
    """Whether in every case that the steps distinguish, read in order, a fact is both true and false.

    A step that assumes what is not known in the case at hand, or gives nothing new, is passed over there.
    Raises CertificateError beyond MAX_WORK.
    """
    work = 0
    pending = [(0, Case())]
    while pending:
        position, case = pending.pop()
        if position == len(inferences):
            return False
        assumed, cases = inferences[position]
        work += 1 if len(cases) == 1 and not case.same else 1 + len(case.facts)
        if work > MAX_WORK:
            raise CertificateError(f"its cases add up to more than {MAX_WORK} facts and steps")
        if not case.knows(assumed) or any(map(case.knows, cases)):
            pending.append((position + 1, case))
            continue
        for facts in cases:
            branch = case if facts is cases[-1] else Case(case.facts, case.same)
            if branch.add(facts):
                pending.append((position + 1, branch))
    return True


def check(problem: Problem, certificate: Mapping[str, Any]) -> None:
    """Check that the certificate proves the problem. Raises CertificateError if it does not."""
    try:
        terms, steps = certificate["terms"], certificate["steps"]
        for name, *numbers in (*terms, *steps):
            if type(name) is not str or not all(type(n) is int and n >= 0 for n in numbers):
                raise CertificateError(f"not a name and numbers: {[name, *numbers]}")
        inferences = Inferences(problem, terms)
        proved = contradictory([inferences.of(*step) for step in steps])
    except CertificateError:
        raise
    except (LookupError, TypeError, ValueError, RecursionError) as error:
        raise CertificateError(f"not a certificate: {error!r}") from error
    if not proved:
        raise CertificateError("its steps leave a case that is possible")
