"""Expansion of "there is a countermodel with n worlds and m individuals" to propositional clauses.

Finite model finding by clause generation, as in MACE (McCune, "A Davis-Putnam program and its
application to finite first-order model search", 1994): over a fixed set of worlds and individuals
there is a propositional variable for each arrow R(w,v), for each fact of existence E(w,d) and for
each ground atom P(w,args). The conditions on frames and domains (`kripke_frames`) are clauses, and so
are the truth of the premises and the falsity of the conjecture.

Each subformula, at each world and under each assignment to its free variables, has one more
variable, which *implies* it; the converse is not needed where the subformula only ever occurs on
the true side (Plaisted and Greenbaum, "A structure-preserving clause form translation", Journal of
Symbolic Computation, 1986). Subformulas that are false in one place and true in another count as two,
so everything is in negation normal form without ever being written in it. All six operators are then
one of two: *every* (∧, □, ∀) or *some* (∨, ◇, ∃) of a list of parts, each under a guard (nothing,
an arrow, existence).

Literals are non-zero integers as in DIMACS. Variable 1 is the constant true.

The models of the clauses are exactly the countermodels of that many worlds and individuals. An
individual may exist nowhere, but on constant domains those that do not exist are left out, as nothing
reaches them. No clauses break symmetries: at these sizes, none that were tried paid for themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from modalgen.kripke import KripkeModel
from modalgen.oracle.kripke_frames import FALSE, TRUE, Clause, Structure, structure
from modalgen.oracle.kripke_nodes import Junction, Node, Over, Pick, nodes_of
from modalgen.problem import Problem


class ExpansionTooLarge(Exception):
    """The expansion would take more steps than allowed."""


@dataclass(frozen=True)
class Expansion:
    """The clauses, and what their variables mean.

    `accessibility[w][v]` is the literal of R(w,v) and `existence[w][d]` that of E(w,d), either of
    which can be TRUE or FALSE. `atoms` maps (predicate, world, arguments) to a variable, in sorted
    order; an atom on which nothing depends is missing. `literals` are the clauses one after the
    other, each ended by 0.
    """

    problem: Problem
    worlds: int
    individuals: int
    accessibility: tuple[tuple[int, ...], ...]
    existence: tuple[tuple[int, ...], ...]
    atoms: dict[tuple[str, int, tuple[int, ...]], int]
    variables: int
    clauses: int
    literals: list[int]

    def ordered(self) -> list[int]:
        """The variables that make up a model, in the order in which models are compared.

        Arrows R(w,v) in order of (w,v), then existence E(w,d) in order of (w,d), then atoms in order
        of predicate, world and arguments. A model in which the first variable that two models
        disagree on is false comes first.
        """
        table = (*self.accessibility, *self.existence)
        return [v for row in table for v in row if v not in (TRUE, FALSE)] + list(self.atoms.values())

    def dimacs(self) -> str:
        """The clauses in DIMACS format, without comments."""
        body = " ".join(map(str, self.literals)).replace(" 0 ", " 0\n")
        return f"p cnf {self.variables} {self.clauses}\n{body}\n"

    def legend(self) -> Iterator[tuple[int, str]]:
        """Each literal of an arrow, of existence and of an atom with its meaning."""
        for name, table in (("R", self.accessibility), ("E", self.existence)):
            for w, row in enumerate(table):
                yield from ((literal, f"{name}({w},{x})") for x, literal in enumerate(row))
        for (predicate, w, arguments), variable in self.atoms.items():
            yield variable, f"{predicate}({','.join(map(str, (w, *arguments)))})"

    def model(self, true: set[int]) -> KripkeModel:
        """The model in which, of the variables in `ordered`, exactly those in *true* are true."""
        holds = {TRUE, *true}
        everywhere = range(self.worlds)
        rows: dict[str, list[set[tuple[int, ...]]]] = {
            name: [set() for _ in everywhere] for name, _ in self.problem.signature
        }
        for (predicate, w, arguments), variable in self.atoms.items():
            if variable in holds:
                rows[predicate][w].add(arguments)
        return KripkeModel(
            worlds=self.worlds,
            accessibility=frozenset(
                (w, v) for w in everywhere for v in everywhere if self.accessibility[w][v] in holds
            ),
            domains=None
            if self.problem.semantics.domain is None
            else tuple(frozenset(d for d, e in enumerate(row) if e in holds) for row in self.existence),
            valuation={
                name: frozenset(w for w in everywhere if rows[name][w])
                for name, arity in sorted(self.problem.signature)
                if arity == 0
            },
            extensions={
                name: tuple(map(frozenset, rows[name]))
                for name, arity in sorted(self.problem.signature)
                if arity > 0
            },
        )


def expand(problem: Problem, worlds: int, individuals: int, most_steps: int | None = None) -> Expansion:
    """The clauses whose models are the countermodels of this size.

    *individuals* is not looked at when the problem's semantics has no domains. Raises ValueError for
    fewer than one world or, with domains, individual, and ExpansionTooLarge if there would be more
    than *most_steps* clauses and definitions.
    """
    domain = problem.semantics.domain
    individuals = 0 if domain is None else individuals
    if worlds < 1 or (domain is not None and individuals < 1):
        raise ValueError("a model has at least one world, and one individual if it has domains")
    if most_steps is not None and worlds * worlds * max(worlds, individuals) > most_steps:
        raise ExpansionTooLarge(f"frames and domains of this size take more than {most_steps} steps")
    frames = structure(problem.semantics.frame, domain, worlds, individuals)
    nodes, premises, global_premises, negation = nodes_of(problem)
    expander = _Expander(frames, nodes, worlds, individuals, most_steps)
    everywhere = range(worlds)
    for root in premises:
        expander.add((expander.literal(root, 0, ()),))
    for root in global_premises:
        for w in everywhere:
            expander.add((expander.literal(root, w, ()),))
    where = everywhere if problem.global_conjecture else range(1)
    expander.add(tuple(expander.literal(negation, w, ()) for w in where))
    return Expansion(
        problem,
        worlds,
        individuals,
        frames.accessibility,
        frames.existence,
        {key: expander.atoms[key] for key in sorted(expander.atoms)},
        expander.variables,
        expander.clauses,
        expander.literals,
    )


class _Expander:
    """Writes the clauses that define a literal for each node, world and assignment, on demand."""

    def __init__(
        self,
        structure: Structure,
        nodes: tuple[Node, ...],
        worlds: int,
        individuals: int,
        most_steps: int | None,
    ):
        self.structure = structure
        self.nodes = nodes
        self.worlds = range(worlds)
        self.individuals = range(individuals)
        self.most_steps = most_steps
        self.variables = structure.variables
        self.clauses = structure.clauses
        self.literals = list(structure.literals)
        self.atoms: dict[tuple[str, int, tuple[int, ...]], int] = {}
        self.defined: dict[tuple[int, int, tuple[int, ...]], int] = {}

    def add(self, clause: Clause) -> None:
        """Add a clause, without the constant false; one that holds the constant true says nothing."""
        if TRUE not in clause:
            self.literals += [literal for literal in clause if literal != FALSE]
            self.literals.append(0)
            self.clauses += 1

    def fresh(self) -> int:
        self.variables += 1
        return self.variables

    def literal(self, index: int, w: int, values: tuple[int, ...]) -> int:
        """A literal that implies the node at world w, the *values* being those of its free variables."""
        key = (index, w, values)
        known = self.defined.get(key)
        if known is None:
            if self.most_steps is not None and len(self.defined) + self.clauses > self.most_steps:
                raise ExpansionTooLarge(f"the expansion takes more than {self.most_steps} steps")
            known = self.defined[key] = self.define(self.nodes[index], w, values)
        return known

    def define(self, node: Node, w: int, values: tuple[int, ...]) -> int:
        if not isinstance(node, Junction):
            key = (node.predicate, w, _picked(values, node.pick))
            atom = self.atoms.get(key)
            if atom is None:
                atom = self.atoms[key] = self.fresh()
            return atom if node.positive else -atom
        if node.every:
            return self.every(self.parts(node, w, values, TRUE))
        return self.some(self.parts(node, w, values, FALSE))

    def parts(
        self, node: Junction, w: int, values: tuple[int, ...], neutral: int
    ) -> Iterator[tuple[int, int]]:
        """The parts of the node, each a guard and a literal that is not *neutral* to it."""
        for index, pick in node.parts:
            match node.over:
                case Over.PARTS:
                    guarded = [(TRUE, w, values)]
                case Over.WORLDS:
                    row = self.structure.accessibility[w]
                    guarded = [(row[v], v, values) for v in self.worlds]
                case Over.INDIVIDUALS:
                    row = self.structure.existence[w]
                    guarded = [(row[d], w, (*values, d)) for d in self.individuals]
            for guard, world, extended in guarded:
                if guard != FALSE:
                    part = self.literal(index, world, _picked(extended, pick))
                    if part != neutral:
                        yield guard, part

    def every(self, parts: Iterator[tuple[int, int]]) -> int:
        """A literal that implies each part whose guard is true."""
        clauses = list(dict.fromkeys((-guard, part) for guard, part in parts))
        if (FALSE, FALSE) in clauses:
            return FALSE
        if not clauses:
            return TRUE
        if len(clauses) == 1 and FALSE in clauses[0]:
            return clauses[0][1] if clauses[0][0] == FALSE else clauses[0][0]
        head = self.fresh()
        for clause in clauses:
            self.add((-head, *clause))
        return head

    def some(self, parts: Iterator[tuple[int, int]]) -> int:
        """A literal that implies that some part and its guard are true."""
        options = dict.fromkeys(self.both(guard, part) for guard, part in parts)
        if TRUE in options:
            return TRUE
        if len(options) <= 1:
            return next(iter(options), FALSE)
        head = self.fresh()
        self.add((-head, *options))
        return head

    def both(self, guard: int, part: int) -> int:
        if guard == TRUE:
            return part
        if part == TRUE:
            return guard
        head = self.fresh()
        self.add((-head, guard))
        self.add((-head, part))
        return head


def _picked(values: tuple[int, ...], pick: Pick) -> tuple[int, ...]:
    return values if pick is None else tuple([values[i] for i in pick])
