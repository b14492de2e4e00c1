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

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any

from modalgen.formula import Atom, Formula, children
from modalgen.problem import Problem

Fact = tuple[Any, ...]
# What a step assumes, and the cases of which one holds if the assumptions do.
Inference = tuple[list[Fact], list[list[Fact]]]

# A certificate whose cases add up to more facts than this is refused, not waited for.
MAX_WORK = 1_000_000

# Truth tables: the cases in which a formula of this kind is true, and those in which it is false, by the
# truth (T) or falsity (F) of its parts a and b. None: there is no such case.
_CASES = {
    "Top": ("", None),
    "Bottom": (None, ""),
    "Not": ("Fa", "Ta"),
    "And": ("Ta Tb", "Fa | Fb"),
    "Or": ("Ta | Tb", "Fa Fb"),
    "Implies": ("Fa | Tb", "Ta Fb"),
    "Iff": ("Ta Tb | Fa Fb", "Ta Fb | Fa Tb"),
}
# What the other kinds speak of. With one truth value they say something of all accessible worlds or existing
# individuals, with the other of at least one, the witness.
_SPEAKS_OF = {"Box": "world", "Diamond": "world", "Forall": "individual", "Exists": "individual"}
_OF_ALL = {("Box", True), ("Diamond", False), ("Forall", True), ("Exists", False)}

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
        # The subformulas by number, the free variables of each in alphabetical order, and the numbers.
        self.nodes: list[Formula] = []
        self.free: list[list[str]] = []
        self._numbers: dict[Formula, int] = {}
        for formula in problem.formulas:
            self._number(formula)
        # The sorts of the terms by number, and the numbers.
        self.sorts: list[str] = []
        self.terms: dict[tuple[Any, ...], int] = {}
        for term in terms:
            self.name(*term)

    def _number(self, formula: Formula) -> list[str]:
        """Number the subformulas, each after its parts. The free variables of the formula."""
        if formula not in self._numbers:
            free = {x for child in children(formula) for x in self._number(child)}
            free |= set(formula.arguments) if isinstance(formula, Atom) else set()
            self._numbers[formula] = len(self.nodes)
            self.nodes.append(formula)
            self.free.append(sorted(free - {getattr(formula, "variable", None)}))
        return self.free[self._numbers[formula]]

    def name(self, name: str, *arguments: int) -> int:
        """Add a term to the table, which can refer to earlier ones only; its number."""
        sort = "individual" if name == "nonempty" else "world"
        if name == "witness":
            k, *places = arguments
            sort = _SPEAKS_OF[type(self.nodes[k]).__name__]
            self._demand(places, "world", *["individual" for _ in self.free[k]])
        else:
            self._demand(arguments, *["world" for _ in ("" if name in ("root", "cex") else _CONDITIONS[name][0])])
        self.terms[name, *arguments] = len(self.sorts)
        self.sorts.append(sort)
        return len(self.sorts) - 1

    def _demand(self, terms: Sequence[int], *sorts: str) -> None:
        if [self.sorts[t] for t in terms] != list(sorts):
            raise CertificateError(f"terms {list(terms)} are not: {', '.join(sorts) or 'none'}")

    def _fact(self, value: bool, formula: Formula, world: int, values: Mapping[str, int]) -> Fact:
        if isinstance(formula, Atom):
            return (value, (formula.predicate,), world, *[values[x] for x in formula.arguments])
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
        """What follows if subformula k has this value at the world, its free variables having the values xs.

        If it then says something of all worlds or individuals, xs ends with the one in question.
        """
        formula, kind, parts = self.nodes[k], type(self.nodes[k]).__name__, children(self.nodes[k])
        xs, instance = (xs[:-1], xs[-1:]) if (kind, value) in _OF_ALL else (xs, ())
        self._demand((world, *xs), "world", *["individual" for _ in self.free[k]])
        known: list[Fact] = [(value, k, world, *xs)]
        values = dict(zip(self.free[k], xs, strict=True))
        if kind in _CASES:
            part = dict(zip("ab", parts, strict=False))
            read = lambda text: self._fact(text[0] == "T", part[text[1]], world, values)  # noqa: E731
            return known, _cases(_CASES[kind][not value], read)
        (other,) = instance or (self.terms["witness", k, world, *xs],)
        self._demand([other], _SPEAKS_OF[kind])
        link: list[Fact] = [(True, "R" if _SPEAKS_OF[kind] == "world" else "E", world, other)]
        if _SPEAKS_OF[kind] == "world":
            then = self._fact(value, parts[0], other, values)
        else:
            link = [] if self.problem.semantics.domain == "constant" else link
            then = self._fact(value, parts[0], world, {**values, getattr(formula, "variable"): other})
        return (known + link, [[then]]) if instance else (known, [[*link, then]])

    def _condition(self, name: str, *t: int) -> Inference:
        if name not in ("nonempty", *self.problem.semantics.frame, self.problem.semantics.domain):
            raise CertificateError(f"the models need not be {name}")
        variables, assumed, cases = _CONDITIONS[name]
        self._demand(t, *["individual" if x == "y" else "world" for x in variables])
        value = dict(zip(variables, t, strict=True))
        if "n" in cases:
            value["n"] = self.terms[name, *t]

        def read(text: str) -> Fact:
            return (True, text[0], *[value[x] for x in text[1:]])

        return [read(text) for text in assumed.split()], _cases(cases, read)


def _cases(text: str | None, read: Callable[[str], Fact]) -> list[list[Fact]]:
    return [] if text is None else [[read(fact) for fact in case.split()] for case in text.split("|")]


def _renamed(fact: Fact, same: Mapping[int, int]) -> Fact:
    return (*fact[:2], *[same.get(t, t) for t in fact[2:]]) if same else fact


def extended(
    facts: frozenset[Fact], same: Mapping[int, int], new: Iterable[Fact]
) -> tuple[frozenset[Fact], Mapping[int, int]] | None:
    """The facts and new ones, equal worlds under one name; None if something is now both true and false.

    *same* gives for some worlds another that is the same and by whose name facts call both.
    """
    for fact in new:
        facts |= {_renamed(fact, same)}
        if fact[1] == "=":
            keep, drop = _renamed(fact, same)[2:]
            same = {t: keep if s == drop else s for t, s in same.items()} | {drop: keep}
            facts = frozenset(_renamed(fact, same) for fact in facts)
    contradiction = any((not value, *rest) in facts for value, *rest in (facts if same else new))
    return None if contradiction else (facts, same)


def contradictory(inferences: Sequence[Inference]) -> bool:
    """Whether in every case that the steps distinguish, read in order, something is both true and false.

    A step that assumes what is not known in the case at hand, or gives nothing new, is passed over there.
    Raises CertificateError beyond MAX_WORK.
    """
    work = 0
    pending: list[tuple[int, frozenset[Fact], Mapping[int, int]]] = [(0, frozenset(), {})]
    while pending:
        position, facts, same = pending.pop()
        if position == len(inferences):
            return False
        work += 1 + len(facts)
        if work > MAX_WORK:
            raise CertificateError(f"its cases add up to more than {MAX_WORK} facts")
        assumed, *cases = ({_renamed(fact, same) for fact in part} for part in ...)
        if facts >= assumed and not any(facts >= case for case in cases):
        ...
    return True


def check(problem: Problem, certificate: Mapping[str, Any]) -> None:
    """Check that the certificate proves the problem. Raises CertificateError if it does not."""
    try:
        terms, steps = certificate["terms"], certificate["steps"]
        for name, *numbers in (*terms, *steps):
            if type(name) is not str or not all(type(n) is int and n >= 0 for n in numbers):
                raise CertificateError(f"not a name and numbers: {[name, *numbers]}")
        proved = contradictory(list(starmap(Inferences(problem, terms).of, steps)))
    except (LookupError, TypeError, ValueError, RecursionError) as error:
        raise CertificateError(f"not a certificate: {error!r}") from error
    if not proved:
        raise CertificateError("its steps leave a case that is possible")
