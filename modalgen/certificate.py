"""Herbrand certificates: that a conjecture follows, shown by finitely many ground clauses.

A certificate has a table of terms and a list of steps. Suppose there were a countermodel. Each term
names something in it: the designated world (`root`), a world where a global conjecture fails (`cex`),
an accessible world that makes a true ◇φ true (`dia`), a successor (`ser`), the worlds that density and
convergence promise (`den`, `con`), an individual that makes a true ∃xφ true (`ex`), an inhabitant of a
domain (`ne`). A witness is named by what it witnesses; where there is nothing to witness it names
anything of its sort. Each step names an instance of a truth condition, a frame condition or a domain
condition, and the clause that the checker builds for it is true of the countermodel. If the clauses
cannot all be true, there is no countermodel. That is Herbrand's theorem for the standard translation
(Blackburn, de Rijke, Venema 2001, section 2.4), with named witnesses in place of Skolem functions.

Subformulas are those of the problem in negation normal form, numbered as they are first met when the
global premises, the premises and the negated conjecture are read in this order, each from the outside
in. The atom ("D", k, w, *xs) says that subformula k is true at w when its free variables, in
alphabetical order, have the values xs. A literal is a sign and an atom.

The checker shares nothing with what makes certificates. It imports the syntax tree and `Problem`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

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
    children,
    free_variables,
)  # fmt: skip
from modalgen.problem import Problem

Literal = tuple[bool, tuple[Any, ...]]

# A certificate that needs more case distinctions than this is refused, not waited for.
MAX_SPLITS = 10_000

_DUAL = {And: Or, Box: Diamond, Forall: Exists, Top: Bottom}
_DUAL |= {dual: kind for kind, dual in _DUAL.items()}
_ARITY = {"root": 0, "cex": 0, "ser": 1, "den": 2, "con": 3, "ne": 1}
# Where the atoms have their worlds.
_WORLD_PLACES = {"D": (2,), "P": (2,), "E": (1,), "R": (1, 2), "=": (1, 2)}

# Rule: (condition, its variables, what it assumes, one of which it gives). "Rwv": w accesses v;
# "Ewy": the individual y exists at w; "=vu": v and u are one world.
_CONDITIONS = {
    "serial": ("serial", "ws", "", "Rws"),
    "reflexive": ("reflexive", "w", "", "Rww"),
    "symmetric": ("symmetric", "wv", "Rwv", "Rvw"),
    "transitive": ("transitive", "wvu", "Rwv Rvu", "Rwu"),
    "euclidean": ("euclidean", "wvu", "Rwv Rwu", "Rvu"),
    "dense-1": ("dense", "wvd", "Rwv", "Rwd"),
    "dense-2": ("dense", "wvd", "Rwv", "Rdv"),
    "convergent-1": ("convergent", "wvuc", "Rwv Rwu", "Rvc"),
    "convergent-2": ("convergent", "wvuc", "Rwv Rwu", "Ruc"),
    "functional": ("functional", "wvu", "Rwv Rwu", "=vu"),
    "shift-reflexive": ("shift-reflexive", "wv", "Rwv", "Rvv"),
    "weakly-connected": ("weakly-connected", "wvu", "Rwv Rwu", "Rvu Ruv =vu"),
    "universal": ("universal", "wv", "", "Rwv"),
    "cumulative": ("cumulative", "wvy", "Rwv Ewy", "Evy"),
    "decreasing": ("decreasing", "wvy", "Rwv Evy", "Ewy"),
}
# The variable that a condition promises something for, and the term that it must be.
_WITNESS = {
    "serial": ("s", "ser", "w"),
    "dense": ("d", "den", "w", "v"),
    "convergent": ("c", "con", "w", "v", "u"),
}


class CertificateError(ValueError):
    """The certificate does not show what it should; the message says which part fails."""


def negation_normal_form(formula: Formula, positive: bool = True) -> Formula:
    """The formula (its negation, if not *positive*) with ¬ only before atoms, without → and ↔."""
    match formula:
        case Atom():
            return formula if positive else Not(formula)
        case Not(a):
            return negation_normal_form(a, not positive)
        case Implies(a, b):
            return negation_normal_form(Or(Not(a), b), positive)
        case Iff(a, b):
            return negation_normal_form(Or(And(a, b), And(Not(a), Not(b))), positive)
    kind: Any = type(formula) if positive else _DUAL[type(formula)]
    bound = (formula.variable,) if isinstance(formula, (Forall, Exists)) else ()
    return kind(*bound, *(negation_normal_form(child, positive) for child in children(formula)))  # type: ignore[no-any-return]


class Subformulas:
    """The numbered subformulas of a problem, and its premises and negated conjecture by number."""

    def __init__(self, problem: Problem) -> None:
        self.nodes: list[Formula] = []
        self.free: list[tuple[str, ...]] = []
        self.number: dict[Formula, int] = {}
        self.global_premises = [self._add(negation_normal_form(f)) for f in problem.global_premises]
        self.premises = [self._add(negation_normal_form(f)) for f in problem.premises]
        self.denial = self._add(negation_normal_form(problem.conjecture, positive=False))

    def _add(self, formula: Formula) -> int:
        if formula not in self.number:
            self.number[formula] = len(self.nodes)
            self.nodes.append(formula)
            self.free.append(tuple(sorted(free_variables(formula))))
            for child in () if isinstance(formula, Not) else children(formula):
                self._add(child)
        return self.number[formula]


class Clauses:
    """The clauses that steps stand for, given a problem and a table of terms."""

    def __init__(self, problem: Problem, terms: Sequence[Sequence[Any]]) -> None:
        self.problem, self.sub = problem, Subformulas(problem)
        self.constant = problem.semantics.domain == "constant"
        self.terms: list[tuple[Any, ...]] = []
        self.sorts: list[str] = []
        for term in terms:
            self.name(*term)

    def name(self, *term: Any) -> int:
        """Add a term to the table, which can refer to earlier ones only; its number."""
        self.sorts.append(self._sort(*term))
        self.terms.append(term)
        return len(self.terms) - 1

    def _sort(self, name: str, *arguments: Any) -> str:
        if name in ("dia", "ex"):
            self._occurrence(Diamond if name == "dia" else Exists, *arguments)
        elif len(arguments) != _ARITY[name]:
            raise CertificateError(f"a term {name} has {_ARITY[name]} arguments")
        else:
            self._worlds(arguments)
        return "individual" if name in ("ex", "ne") else "world"

    def _of_sort(self, sort: str, terms: Sequence[Any]) -> None:
        if not all(type(t) is int and 0 <= t < len(self.sorts) and self.sorts[t] == sort for t in terms):
            raise CertificateError(f"not the numbers of earlier terms for a {sort}: {list(terms)}")

    def _worlds(self, terms: Sequence[Any]) -> None:
        self._of_sort("world", terms)

    def _named(self, term: int, *name: Any) -> None:
        if term < 0 or self.terms[term] != name:
            raise CertificateError(f"term {term} is not {list(name)}")

    def _occurrence(self, kind: Any, k: int, w: int, *xs: int) -> tuple[Any, Literal, dict[str, int]]:
        """Subformula k, the literal that denies it at w, and the values of its free variables."""
        self._worlds([w])
        self._of_sort("individual", xs)
        if k < 0 or not isinstance(self.sub.nodes[k], kind):
            raise CertificateError(f"subformula {k} is of another kind")
        return self.sub.nodes[k], (False, ("D", k, w, *xs)), dict(zip(self.sub.free[k], xs, strict=True))

    def _true(self, formula: Formula, w: int, values: Mapping[str, int]) -> Literal:
        k = self.sub.number[formula]
        return True, ("D", k, w, *(values[x] for x in self.sub.free[k]))

    def of(self, rule: str, *t: Any) -> list[Literal]:
        """The clause of one step. Raises CertificateError, or what Python raises for bad arguments."""
        sub = self.sub
        match rule:
            case "premise":  # number of the premise, root
                self._named(t[1], "root")
                return [self._true(sub.nodes[sub.premises[t[0]]], t[1], {})]
            case "global":  # number of the premise, world
                self._worlds(t[1:])
                return [self._true(sub.nodes[sub.global_premises[t[0]]], t[1], {})]
            case "conjecture":  # the world where it fails
                self._named(t[0], "cex" if self.problem.global_conjecture else "root")
                return [self._true(sub.nodes[sub.denial], t[0], {})]
            case "literal":  # subformula, world, values
                formula, denied, values = self._occurrence((Atom, Not, Bottom), *t)
                if isinstance(formula, Bottom):
                    return [denied]
                atom: Any = formula.operand if isinstance(formula, Not) else formula
                ground = ("P", atom.predicate, t[1], *(values[x] for x in atom.arguments))
                return [denied, (isinstance(formula, Atom), ground)]
            case "and":  # which conjunct, subformula, world, values
                formula, denied, values = self._occurrence(And, *t[1:])
                return [denied, self._true(children(formula)[t[0]], t[2], values)]
            case "or":  # subformula, world, values
                formula, denied, values = self._occurrence(Or, *t)
                return [denied, *(self._true(child, t[1], values) for child in children(formula))]
            case "box":  # accessible world, subformula, world, values
                formula, denied, values = self._occurrence(Box, *t[1:])
                self._worlds(t[:1])
                return [denied, (False, ("R", t[2], t[0])), self._true(formula.operand, t[0], values)]
            case "dia" | "dia-body":  # witness, subformula, world, values
                formula, denied, values = self._occurrence(Diamond, *t[1:])
                self._named(t[0], "dia", *t[1:])
                arrow = (True, ("R", t[2], t[0]))
                return [denied, arrow if rule == "dia" else self._true(formula.operand, t[0], values)]
            case "all":  # individual, subformula, world, values
                formula, denied, values = self._occurrence(Forall, *t[1:])
                self._of_sort("individual", t[:1])
                absent = [] if self.constant else [(False, ("E", t[2], t[0]))]
                return [denied, *absent, self._true(formula.body, t[2], {**values, formula.variable: t[0]})]
            case "some" | "some-body":  # witness, subformula, world, values
                formula, denied, values = self._occurrence(Exists, *t[1:])
                self._named(t[0], "ex", *t[1:])
                if rule == "some" and not self.constant:
                    return [denied, (True, ("E", t[2], t[0]))]
                return [denied, self._true(formula.body, t[2], {**values, formula.variable: t[0]})]
            case "nonempty":  # world, inhabitant
                self._named(t[1], "ne", t[0])
                return [(True, ("E", t[0], t[1]))]
            case "equal":  # two equal worlds, a place in an atom, the atom with the first there
                (v, u, place), atom = t[:3], list(t[3:])
                self._worlds([v, u])
                if place not in _WORLD_PLACES[atom[0]] or atom[place] != v:
                    raise CertificateError(f"place {place} of {atom} is not world {v}")
                replaced = (*atom[:place], u, *atom[place + 1 :])
                return [(False, ("=", v, u)), (False, tuple(atom)), (True, replaced)]
            case "equal-reversed":  # two equal worlds
                return [(False, ("=", t[0], t[1])), (True, ("=", t[1], t[0]))]
        return self._condition(rule, *t)

    def _condition(self, rule: str, *t: Any) -> list[Literal]:
        """The clause of a condition on frames or domains, for worlds (and an individual y)."""
        condition, variables, body, head = _CONDITIONS[rule]
        if condition not in (*self.problem.semantics.frame, self.problem.semantics.domain):
            raise CertificateError(f"the models need not be {condition}")
        value = dict(zip(variables, t, strict=True))
        self._of_sort("individual", [value[x] for x in variables if x == "y"])
        self._worlds([value[x] for x in variables if x != "y"])
        if condition in _WITNESS:
            witness, name, *of = _WITNESS[condition]
            self._named(value[witness], name, *(value[x] for x in of))
        atoms = [(sign, text) for sign, texts in ((False, body), (True, head)) for text in texts.split()]
        return [(sign, (text[0], *(value[x] for x in text[1:]))) for sign, text in atoms]


def contradictory(clauses: Sequence[Sequence[Literal]]) -> bool:
    """Whether no assignment makes all clauses true, by unit propagation and splitting (DPLL).

    Raises CertificateError beyond MAX_SPLITS splits.
    """
    splits = 0
    pending = [[frozenset(clause) for clause in clauses]]
    while pending:
        current = pending.pop()
        while current and len(shortest := min(current, key=len)) == 1:
            ((sign, atom),) = shortest
            current = [clause - {(not sign, atom)} for clause in current if (sign, atom) not in clause]
        if not current:
            return False
        if shortest:  # otherwise this case is contradictory
            splits += 1
            if splits > MAX_SPLITS:
                raise CertificateError(f"it takes more than {MAX_SPLITS} case distinctions")
            sign, atom = min(shortest, key=repr)
            pending += [[*current, frozenset({(value, atom)})] for value in (not sign, sign)]
    return True


def check(problem: Problem, certificate: Mapping[str, Any]) -> None:
    """Check that the certificate proves the problem. Raises CertificateError if it does not."""
    try:
        clauses = Clauses(problem, certificate["terms"])
        proved = contradictory([clauses.of(*step) for step in certificate["steps"]])
    except CertificateError:
        raise
    except (IndexError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise CertificateError(f"not a certificate: {error!r}") from error
    if not proved:
        raise CertificateError("its clauses do not contradict each other")
