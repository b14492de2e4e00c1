"""The relational translation of a problem to typed first-order logic (TPTP's TFF).

A modal formula becomes a first-order formula about worlds: the standard translation ST (Blackburn,
de Rijke, Venema, *Modal Logic*, 2001, section 2.4). ST of an atom p at w is p(w), ST commutes with
the connectives, and ST of □φ at w is ∀v (Rwv → ST of φ at v). For quantified formulas every
predicate takes the world as an additional first argument and quantifiers are bounded by an
existence predicate (Fitting and Mendelsohn, *First-Order Modal Logic*, 1998, section 4.8, turn
varying domains into constant ones with the same predicate).

The conjecture of the translated problem is a theorem exactly when the conjecture of the modal
problem follows in the declared class. Each declared condition is one axiom; nothing that the
conditions entail is added or left out. The text depends on the problem alone, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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
from modalgen.problem import Problem

# The first-order definitions in `modalgen.semantics.CONDITIONS`, with R written `accesses`.
_FRAME_AXIOMS: Mapping[str, str] = {
    "serial": "! [W: world]: ? [V: world]: accesses(W,V)",
    "reflexive": "! [W: world]: accesses(W,W)",
    "symmetric": "! [W: world,V: world]: (accesses(W,V) => accesses(V,W))",
    "transitive": "! [W: world,V: world,U: world]: ((accesses(W,V) & accesses(V,U)) => accesses(W,U))",
    "euclidean": "! [W: world,V: world,U: world]: ((accesses(W,V) & accesses(W,U)) => accesses(V,U))",
    "dense": "! [W: world,V: world]: (accesses(W,V) => ? [U: world]: (accesses(W,U) & accesses(U,V)))",
    "convergent": "! [W: world,V: world,U: world]: ((accesses(W,V) & accesses(W,U))"
    " => ? [T: world]: (accesses(V,T) & accesses(U,T)))",
    "functional": "! [W: world,V: world,U: world]: ((accesses(W,V) & accesses(W,U)) => (V = U))",
    "shift-reflexive": "! [W: world,V: world]: (accesses(W,V) => accesses(V,V))",
    "weakly-connected": "! [W: world,V: world,U: world]: ((accesses(W,V) & accesses(W,U))"
    " => (accesses(V,U) | accesses(U,V) | (V = U)))",
    "universal": "! [W: world,V: world]: accesses(W,V)",
}

# Constant domains need neither an axiom nor the existence predicate. Let a countermodel have the
# same domain D everywhere. Variables only ever take values in D, so throwing away the individuals
# outside D changes no truth value, and afterwards every individual exists at every world. The
# other way round, a structure where everything exists everywhere has constant domains. They are not
# empty because no sort is.
_DOMAIN_AXIOMS: Mapping[str, str] = {
    "cumulative": "! [W: world,V: world,X: $i]: ((accesses(W,V) & exists_at(W,X)) => exists_at(V,X))",
    "decreasing": "! [W: world,V: world,X: $i]: ((accesses(W,V) & exists_at(V,X)) => exists_at(W,X))",
}


def to_tff(problem: Problem) -> str:
    """The problem in TPTP's TFF, one annotated formula a line.

    Local premises and the conjecture are stated at the designated world, the constant `here`;
    global premises, and a global conjecture, are stated at every world.
    """
    return "".join(f"tff({name},{role},{text}).\n" for name, role, text in _annotated_formulas(problem))


def _annotated_formulas(problem: Problem) -> Iterator[tuple[str, str, str]]:
    regime = problem.semantics.domain
    guarded = regime is not None and regime != "constant"
    yield "world_type", "type", "world: $tType"
    yield "here_type", "type", "here: world"
    yield "accesses_type", "type", "accesses: (world * world) > $o"
    if guarded:
        yield "exists_at_type", "type", "exists_at: (world * $i) > $o"
    for predicate, arity in sorted(problem.signature):
        yield f"{predicate_symbol(predicate)}_type", "type", f"{predicate_symbol(predicate)}: {_type(arity)}"
    for condition in problem.semantics.frame:
        yield condition.replace("-", "_"), "axiom", _FRAME_AXIOMS[condition]
    if guarded:
        yield "nonempty", "axiom", "! [W: world]: ? [X: $i]: exists_at(W,X)"
    if regime is not None and regime in _DOMAIN_AXIOMS:
        yield regime, "axiom", _DOMAIN_AXIOMS[regime]

    def everywhere(formula: Formula) -> str:
        return f"! [W0: world]: {_translate(formula, 'W0', {}, 1, guarded)}"

    def locally(formula: Formula) -> str:
        return _translate(formula, "here", {}, 1, guarded)

    for number, premise in enumerate(problem.global_premises, start=1):
        yield f"global_premise_{number}", "axiom", everywhere(premise)
    for number, premise in enumerate(problem.premises, start=1):
        yield f"premise_{number}", "axiom", locally(premise)
    judged = everywhere if problem.global_conjecture else locally
    yield "conjecture", "conjecture", judged(problem.conjecture)


def _translate(
    formula: Formula, world: str, individuals: Mapping[str, str], level: int, guarded: bool
) -> str:
    """ST of the formula at the world.

    *individuals* maps the variables of the modal formula to those of the translation. A variable is
    named by the number of binders around it, so no name can capture another, whatever the author
    called it.
    """

    def here(formula: Formula) -> str:
        return _translate(formula, world, individuals, level, guarded)

    def there(formula: Formula) -> str:
        return _translate(formula, f"W{level}", individuals, level + 1, guarded)

    match formula:
        case Top():
            return "$true"
        case Bottom():
            return "$false"
        case Atom(predicate, arguments):
            return f"{predicate_symbol(predicate)}({','.join((world, *(individuals[x] for x in arguments)))})"
        case Not(a):
            return f"~ {here(a)}"
        case And(a, b):
            return f"({here(a)} & {here(b)})"
        case Or(a, b):
            return f"({here(a)} | {here(b)})"
        case Implies(a, b):
            return f"({here(a)} => {here(b)})"
        case Iff(a, b):
            return f"({here(a)} <=> {here(b)})"
        case Box(a):
            return f"(! [W{level}: world]: (accesses({world},W{level}) => {there(a)}))"
        case Diamond(a):
            return f"(? [W{level}: world]: (accesses({world},W{level}) & {there(a)}))"
        case Forall(x, a) | Exists(x, a):
            variable = f"X{level}"
            body = _translate(a, world, {**individuals, x: variable}, level + 1, guarded)
            sign, connective = ("!", "=>") if isinstance(formula, Forall) else ("?", "&")
            if guarded:
                body = f"(exists_at({world},{variable}) {connective} {body})"
            return f"({sign} [{variable}: $i]: {body})"
    raise TypeError(f"not a formula: {formula!r}")


def predicate_symbol(predicate: str) -> str:
    """The TPTP name of a predicate: different for different predicates, and none of our own names."""
    if predicate.isascii() and predicate.replace("_", "a").isalnum():
        return f"p_{predicate}"
    return f"u_{predicate.encode().hex()}"


def _type(arity: int) -> str:
    return f"(world{' * $i' * arity}) > $o" if arity else "world > $o"
