"""The shallow embedding of a problem in simple type theory (TPTP's THF).

A modal formula is a term of type world > $o, the set of worlds where it is true, and connectives,
modal operators and quantifiers are defined constants on such terms: Benzmüller and Paulson,
"Quantified Multimodal Logics in Simple Type Theory", Logica Universalis 7 (2013), whose names
(mnot, mor, mbox, mforall, mvalid) are kept. Their quantifiers range over all individuals; ours over
those that exist at the world, `eiw`, as in Benzmüller, Otten and Raths, "Implementing and
Evaluating Provers for First-order Modal Logics", ECAI 2012.

Every domain regime is stated from its definition, constant domains included, and every declared
frame condition is one axiom. Nothing here is shared with the first-order translation, so that the
two can check each other. The text depends on the problem alone, byte for byte.
"""

from __future__ import annotations

from collections.abc import Mapping

from modalgen import formula as syntax
from modalgen.formula import Atom, Formula, subformulas
from modalgen.problem import Problem

_PROPERTY = "world > $o"
_UNARY = f"({_PROPERTY}) > {_PROPERTY}"
_BINARY = f"({_PROPERTY}) > ({_PROPERTY}) > {_PROPERTY}"
_BINDER = f"(individual > {_PROPERTY}) > {_PROPERTY}"

# Of each kind of node: the constant that it becomes, its type and its definition.
_DEFINITIONS: Mapping[type[Formula], tuple[str, str, str]] = {
    syntax.Top: ("mtrue", _PROPERTY, "^ [W: world]: $true"),
    syntax.Bottom: ("mfalse", _PROPERTY, "^ [W: world]: $false"),
    syntax.Not: ("mnot", _UNARY, f"^ [A: {_PROPERTY},W: world]: ~ (A @ W)"),
    syntax.And: ("mand", _BINARY, f"^ [A: {_PROPERTY},B: {_PROPERTY},W: world]: ((A @ W) & (B @ W))"),
    syntax.Or: ("mor", _BINARY, f"^ [A: {_PROPERTY},B: {_PROPERTY},W: world]: ((A @ W) | (B @ W))"),
    syntax.Implies: (
        "mimplies",
        _BINARY,
        f"^ [A: {_PROPERTY},B: {_PROPERTY},W: world]: ((A @ W) => (B @ W))",
    ),
    syntax.Iff: ("mequiv", _BINARY, f"^ [A: {_PROPERTY},B: {_PROPERTY},W: world]: ((A @ W) <=> (B @ W))"),
    syntax.Box: (
        "mbox",
        _UNARY,
        f"^ [A: {_PROPERTY},W: world]: ! [V: world]: ((rel @ W @ V) => (A @ V))",
    ),
    syntax.Diamond: (
        "mdia",
        _UNARY,
        f"^ [A: {_PROPERTY},W: world]: ? [V: world]: ((rel @ W @ V) & (A @ V))",
    ),
    syntax.Forall: (
        "mforall",
        _BINDER,
        f"^ [A: individual > {_PROPERTY},W: world]: ! [X: individual]: ((eiw @ W @ X) => (A @ X @ W))",
    ),
    syntax.Exists: (
        "mexists",
        _BINDER,
        f"^ [A: individual > {_PROPERTY},W: world]: ? [X: individual]: ((eiw @ W @ X) & (A @ X @ W))",
    ),
}

_CONDITIONS: Mapping[str, str] = {
    "serial": "! [W: world]: ? [V: world]: (rel @ W @ V)",
    "reflexive": "! [W: world]: (rel @ W @ W)",
    "symmetric": "! [W: world,V: world]: ((rel @ W @ V) => (rel @ V @ W))",
    "transitive": "! [W: world,V: world,U: world]: (((rel @ W @ V) & (rel @ V @ U)) => (rel @ W @ U))",
    "euclidean": "! [W: world,V: world,U: world]: (((rel @ W @ V) & (rel @ W @ U)) => (rel @ V @ U))",
    "dense": "! [W: world,V: world]: ((rel @ W @ V) => ? [U: world]: ((rel @ W @ U) & (rel @ U @ V)))",
    "convergent": "! [W: world,V: world,U: world]: (((rel @ W @ V) & (rel @ W @ U))"
    " => ? [T: world]: ((rel @ V @ T) & (rel @ U @ T)))",
    "functional": "! [W: world,V: world,U: world]: (((rel @ W @ V) & (rel @ W @ U)) => (V = U))",
    "shift-reflexive": "! [W: world,V: world]: ((rel @ W @ V) => (rel @ V @ V))",
    "weakly-connected": "! [W: world,V: world,U: world]: (((rel @ W @ V) & (rel @ W @ U))"
    " => ((rel @ V @ U) | (rel @ U @ V) | (V = U)))",
    "universal": "! [W: world,V: world]: (rel @ W @ V)",
    "cumulative": "! [W: world,V: world]: ((rel @ W @ V)"
    " => ! [X: individual]: ((eiw @ W @ X) => (eiw @ V @ X)))",
    "decreasing": "! [W: world,V: world]: ((rel @ W @ V)"
    " => ! [X: individual]: ((eiw @ V @ X) => (eiw @ W @ X)))",
    "constant": "! [W: world,V: world,X: individual]: ((eiw @ W @ X) => (eiw @ V @ X))",
}


def to_thf(problem: Problem) -> str:
    """The problem in TPTP's THF, one annotated formula a line.

    Local premises and the conjecture hold of the designated world, the constant `actual`; global
    premises, and a global conjecture, are `mvalid`: they hold of every world. Only the connectives
    that occur are defined.
    """
    lines: list[str] = []

    def add(name: str, role: str, text: str) -> None:
        lines.append(f"thf({name},{role},( {text} )).\n")

    def declare(name: str, type_: str, definition: str | None = None) -> None:
        lines.append(f"thf({name}_type,type,{name}: {type_}).\n")
        if definition is not None:
            add(f"{name}_def", "definition", f"{name} = ( {definition} )")

    regime = problem.semantics.domain
    declare("world", "$tType")
    declare("actual", "world")
    declare("rel", "world > world > $o")
    if regime is not None:
        declare("individual", "$tType")
        declare("eiw", "world > individual > $o")
    for predicate, arity in sorted(problem.signature):
        declare(_constant(predicate), "individual > " * arity + _PROPERTY)
    occurring = {type(part) for whole in problem.formulas for part in subformulas(whole)}
    for node, (name, type_, definition) in _DEFINITIONS.items():
        if node in occurring:
            declare(name, type_, definition)
    if problem.global_premises or problem.global_conjecture:
        declare("mvalid", f"({_PROPERTY}) > $o", f"^ [A: {_PROPERTY}]: ! [W: world]: (A @ W)")

    for condition in problem.semantics.frame:
        add(condition.replace("-", "_"), "axiom", _CONDITIONS[condition])
    if regime is not None:
        add("nonempty", "axiom", "! [W: world]: ? [X: individual]: (eiw @ W @ X)")
    if regime is not None and regime != "varying":
        add(regime, "axiom", _CONDITIONS[regime])
    for number, premise in enumerate(problem.global_premises, start=1):
        add(f"global_premise_{number}", "axiom", f"mvalid @ {_term(premise, ())}")
    for number, premise in enumerate(problem.premises, start=1):
        add(f"premise_{number}", "axiom", f"{_term(premise, ())} @ actual")
    if problem.global_conjecture:
        add("conjecture", "conjecture", f"mvalid @ {_term(problem.conjecture, ())}")
    else:
        add("conjecture", "conjecture", f"{_term(problem.conjecture, ())} @ actual")
    return "".join(lines)


def _term(formula: Formula, binders: tuple[str, ...]) -> str:
    """The formula as a term of type world > $o.

    *binders* are the quantified variables around it, outermost first; the n-th becomes `Xn`. A name
    that is bound twice means the innermost.
    """
    if isinstance(formula, Atom):
        applied = [_constant(formula.predicate)]
        for x in formula.arguments:
            innermost = max(n for n, bound in enumerate(binders, start=1) if bound == x)
            applied.append(f"X{innermost}")
        return f"( {' @ '.join(applied)} )" if formula.arguments else applied[0]
    constant = _DEFINITIONS[type(formula)][0]
    if isinstance(formula, syntax.QUANTIFIERS):
        body = _term(formula.body, (*binders, formula.variable))
        return f"( {constant} @ ( ^ [X{len(binders) + 1}: individual]: {body} ) )"
    operands = [_term(child, binders) for child in syntax.children(formula)]
    return f"( {' @ '.join([constant, *operands])} )" if operands else constant


def _constant(predicate: str) -> str:
    """The TPTP name of a predicate, injective and never one of ours.

    Letters and digits stand for themselves, any other character (the underscore too) for its code
    in hexadecimal between underscores.
    """
    coded = (c if c.isascii() and c.isalnum() else f"_{ord(c):x}_" for c in predicate)
    return f"sym_{''.join(coded)}"
