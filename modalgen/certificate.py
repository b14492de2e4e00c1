"""Herbrand certificates: that a conjecture follows, shown by finitely many instances of definitions.

A certificate has a table of terms and a list of steps; `docs/certificates.md` explains one line by line.
Suppose there were a countermodel. Each term then names something in it: the designated world (`root`), a
world where a global conjecture fails (`cex`), the world or the individual that a true ◇φ or ∃xφ, a false
□φ or ∀xφ promises (`witness`), the world or the individual that a condition on the models promises (the
term is called like the condition). A witness is named by what promises it; where nothing is promised it
names anything of its sort, among individuals one that exists at some world. A step is an instance of a
truth condition or of a condition on the models: if the facts that it assumes hold in the countermodel,
then so do the facts of one of its cases. So, reading the steps in order and distinguishing cases, in one
case at least all facts hold in the countermodel. If in every case something is both true and false,
there is no countermodel.

This is Herbrand's theorem for the standard translation of modal logic (Blackburn, de Rijke, Venema 2001,
section 2.4) with named witnesses for Skolem functions; read as rules, the steps are those of prefixed
signed tableaux (Fitting, *Proof Methods for Modal and Intuitionistic Logics*, 1983, chapter 8).

Subformulas are numbered in the order of the global premises, the premises and the conjecture, each after
its parts, left before right, the same formula once only. Terms are numbered by their place in the table. A
fact is a truth value, what has it, and terms: (True, k, w, *xs) says that subformula k is true at w when
its free variables, in alphabetical order, have the values xs, (False, ("F",), w, y) that F(y) is false at
w, (True, "R", w, v) that w accesses v, (True, "E", w, y) that y exists at w, (True, "=", v, u) that v and
u are the same world.

The checker shares nothing with what makes certificates. It imports the syntax tree and `Problem`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from modalgen.formula import Atom, Exists, Forall, Formula, children
from modalgen.problem import Problem

Fact = tuple[Any, ...]
# What a step assumes, and the cases of which one holds if the assumptions do.
Inference = tuple[list[Fact], list[list[Fact]]]
# What is known in a case: facts, and for a world that was found to be another, that other, by which facts
# call both.
State = tuple[frozenset[Fact], Mapping[int, int]]

# A certificate whose cases add up to more facts than this is refused, not waited for.
MAX_WORK = 1_000_000

# What a formula's being true at w means, and its being false there: "assumptions > cases". "Taw": its first
# part a is true at w; "Fbw": its second part is false; "Tiw": it itself is true. "Rwo": w accesses the world
# o; "Ewo": the individual o, of which the quantifier speaks, exists at w. What assumes something of o holds
# for each, and the step says for which; otherwise o is the witness.
_TRUTH_CONDITIONS = {
    "Top": ("Tiw", "Tiw"),
    "Bottom": ("Fiw", "Fiw"),
    "Not": ("Faw", "Taw"),
    "And": ("Taw Tbw", "Faw | Fbw"),
    "Or": ("Taw | Tbw", "Faw Fbw"),
    "Implies": ("Faw | Tbw", "Taw Fbw"),
    "Iff": ("Taw Tbw | Faw Fbw", "Taw Fbw | Faw Tbw"),
    "Box": ("Rwo > Tao", "Rwo Fao"),
    "Diamond": ("Rwo Tao", "Rwo > Fao"),
    "Forall": ("Ewo > Taw", "Ewo Faw"),
    "Exists": ("Ewo Taw", "Ewo > Faw"),
}
# The conditions on the models, for all worlds w, v, u and individuals y. "=vu": v and u are one world; n is
# the new world or individual that a condition promises.
_CONDITIONS = {
    "nonempty": ("w", "Ewn"),
    "serial": ("w", "Rwn"),
    "reflexive": ("w", "Rww"),
    "symmetric": ("wv", "Rwv > Rvw"),
    "transitive": ("wvu", "Rwv Rvu > Rwu"),
    "euclidean": ("wvu", "Rwv Rwu > Rvu"),
    "dense": ("wv", "Rwv > Rwn Rnv"),
    "convergent": ("wvu", "Rwv Rwu > Rvn Run"),
    "functional": ("wvu", "Rwv Rwu > =vu"),
    "shift-reflexive": ("wv", "Rwv > Rvv"),
    "weakly-connected": ("wvu", "Rwv Rwu > Rvu | Ruv | =vu"),
    "universal": ("wv", "Rwv"),
    "cumulative": ("wvy", "Rwv Ewy > Evy"),
    "decreasing": ("wvy", "Rwv Evy > Ewy"),
    "constant": ("wy", "Ewy"),
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
        # The sorts of the terms by number (w for worlds, y for individuals), and the numbers.
        self.sorts: list[str] = []
        self.terms: dict[tuple[Any, ...], int] = {}
        for term in terms:
            self.name(*term)

    def _number(self, formula: Formula) -> list[str]:
        """Number the subformulas, each after its parts. Returns the free variables of the formula."""
        if formula not in self._numbers:
            free = {x for part in children(formula) for x in self._number(part)}
            free |= set(getattr(formula, "arguments", ()))
            self._numbers[formula] = len(self.nodes)
            self.nodes.append(formula)
            self.free.append(sorted(free - {getattr(formula, "variable", None)}))
        return self.free[self._numbers[formula]]

    def name(self, name: str, *arguments: int) -> None:
        """Add a term to the table. It gets the next number and can refer to earlier terms only."""
        if name == "witness":
            k, *about = arguments
            self._demand(about, "w" + "y" * len(self.free[k]))
        else:
            self._demand(arguments, "" if name in ("root", "cex") else _CONDITIONS[name][0])
        self.terms[name, *arguments] = len(self.sorts)
        quantified = name == "witness" and isinstance(self.nodes[arguments[0]], (Forall, Exists))
        self.sorts.append("y" if quantified or name == "nonempty" else "w")

    def _demand(self, terms: Sequence[int], variables: str) -> None:
        if [self.sorts[t] for t in terms] != ["y" if x == "y" else "w" for x in variables]:
            raise CertificateError(f"the terms {list(terms)} cannot stand for {variables}")

    def of(self, rule: str, *t: int) -> Inference:
        """What a step assumes and its cases. Raises CertificateError, or what Python raises for a bad one."""
        match rule, t:
            case "true" | "false", (k, world, *xs):
                return self._truth_condition(rule == "true", k, world, *xs)
            case "premise", (i,):
                return [], [[self.fact(True, self.problem.premises[i], self.terms["root",], {})]]
            case "global", (i, world) if self.sorts[world] == "w":
                return [], [[self.fact(True, self.problem.global_premises[i], world, {})]]
            case "conjecture", ():
                world = self.terms["cex" if self.problem.global_conjecture else "root",]
                return [], [[self.fact(False, self.problem.conjecture, world, {})]]
        if rule not in ("nonempty", *self.problem.semantics.frame, self.problem.semantics.domain):
            raise CertificateError(f"the models need not be {rule}")
        variables, text = _CONDITIONS[rule]
        self._demand(t, variables)
        new = [self.terms[rule, *t]] if "n" in text else []
        return self._read(text, dict(zip(variables + "n", [*t, *new], strict=False)), {})

    def _truth_condition(self, value: bool, k: int, w: int, *xs: int) -> Inference:
        """For subformula k at w, with the values xs for its free variables (and o, if that is to be said)."""
        formula, free = self.nodes[k], self.free[k]
        text = _TRUTH_CONDITIONS[type(formula).__name__][not value]
        self._demand((w, *xs), "w" + "y" * len(free) + ("" if ">" not in text else "wy"["E" in text]))
        o = -1 if "o" not in text else xs[-1] if ">" in text else self.terms["witness", k, w, *xs]
        values = dict(zip(free, xs, strict=False)) | {getattr(formula, "variable", ""): o}
        parts = zip("iab", (formula, *children(formula)), strict=False)
        assumed, cases = self._read(text, {"w": w, "o": o, **dict(parts)}, values)
        return [self.fact(value, formula, w, values), *assumed], cases

    def _read(self, text: str, meaning: Mapping[str, Any], values: Mapping[str, int]) -> Inference:
        """A condition as it is written above, given what letters mean and the values of variables."""

        def fact(what: str, *letters: str) -> Fact:
            meant = [meaning[letter] for letter in letters]
            return (
                self.fact(what == "T", meant[0], meant[1], values) if what in "TF" else (True, what, *meant)
            )

        assumed, _, cases = text.rpartition(">")
        return [fact(*f) for f in assumed.split()], [[fact(*f) for f in c.split()] for c in cases.split("|")]

    def fact(self, value: bool, formula: Formula, world: int, values: Mapping[str, int]) -> Fact:
        """That a subformula has this truth value at the world when its variables have these values."""
        if isinstance(formula, Atom):
            return (value, (formula.predicate,), world, *[values[x] for x in formula.arguments])
        return (value, self._numbers[formula], world, *[values[x] for x in self._number(formula)])


def _renamed(fact: Fact, same: Mapping[int, int]) -> Fact:
    return (*fact[:2], *[same.get(t, t) for t in fact[2:]]) if same else fact


def _extended(facts: frozenset[Fact], same: Mapping[int, int], new: Iterable[Fact]) -> State | None:
    """What is known with the new facts added; None if something is then both true and false."""
    for fact in new:
        facts |= {_renamed(fact, same)}
        if fact[1] == "=":
            keep, drop = _renamed(fact, same)[2:]
            same = {t: keep if s == drop else s for t, s in same.items()} | {drop: keep}
            facts = frozenset(_renamed(fact, same) for fact in facts)
    impossible = any((not value, *rest) in facts for value, *rest in (facts if same else new))
    return None if impossible else (facts, same)


def contradictory(inferences: Sequence[Inference]) -> bool:
    """Whether in every case that the steps distinguish, read in order, something is both true and false.

    A step that assumes what is not known in the case at hand, or gives nothing new, is passed over there.
    Raises CertificateError beyond MAX_WORK.
    """
    work = 0
    pending: list[tuple[int, State]] = [(0, (frozenset(), {}))]
    while pending:
        position, (facts, same) = pending.pop()
        if position == len(inferences):
            return False
        work += 1 + len(facts)
        if work > MAX_WORK:
            raise CertificateError(f"its cases add up to more than {MAX_WORK} facts")
        assumed, cases = inferences[position]
        known = [all(_renamed(fact, same) in facts for fact in part) for part in (assumed, *cases)]
        if not known[0] or any(known[1:]):
            pending.append((position + 1, (facts, same)))
        else:
            pending += [(position + 1, more) for case in cases if (more := _extended(facts, same, case))]
    return True


def check(problem: Problem, certificate: Mapping[str, Any]) -> None:
    """Check that the certificate proves the problem. Raises CertificateError if it does not."""
    try:
        for name, *numbers in (*certificate["terms"], *certificate["steps"]):
            if type(name) is not str or not all(type(n) is int and n >= 0 for n in numbers):
                raise CertificateError(f"not a name and numbers: {[name, *numbers]}")
        inferences = Inferences(problem, certificate["terms"])
        proved = contradictory([inferences.of(*step) for step in certificate["steps"]])
    except (LookupError, TypeError, ValueError, RecursionError) as error:
        raise CertificateError(f"not a certificate: {error!r}") from error
    if not proved:
        raise CertificateError("its steps leave a case that is possible")
