"""Problems as TPTP non-classical form (NXF): `tff` formulas under a `$modal` logic specification.

The text is made for the logic embedding tool (LET) as well as for people. Everything that a reader
could fill in by default is stated: the four properties of the logic and every symbol's type. Local
premises have the role `hypothesis`, global ones `axiom`. A modal operator and its operand each
stand in parentheses, a form that every reader of NXF accepts. The same problem gives the same bytes.
"""

from __future__ import annotations

import re

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
    variables,
)
from modalgen.nxf_logic import print_logic
from modalgen.problem import Problem

_BINARY: dict[type[Formula], str] = {And: "&", Or: "|", Implies: "=>", Iff: "<=>"}
_WORLD_VARIABLE = re.compile(r"W+[0-9]*")


def to_nxf(problem: Problem) -> str:
    """The problem as a TPTP file. `read_nxf` gives it back up to renaming of bound variables, and
    without a domain regime if no formula is first-order."""
    lines = [_annotated("semantics", "logic", print_logic(problem))]
    for name, arity in sorted(problem.signature):
        lines.append(_annotated(f"{name}_type", "type", f"{_word(name)}: {_type(arity)}"))
    names = _upper_words(problem)
    for number, premise in enumerate(problem.global_premises, start=1):
        lines.append(_annotated(f"global_premise_{number}", "axiom", _unit(premise, names)))
    for number, premise in enumerate(problem.premises, start=1):
        lines.append(_annotated(f"premise_{number}", "hypothesis", _unit(premise, names)))
    role = "conjecture-global" if problem.global_conjecture else "conjecture"
    lines.append(_annotated("goal", role, _unit(problem.conjecture, names)))
    return "".join(lines)


def _annotated(name: str, role: str, content: str) -> str:
    return f"tff({_word(name)}, {role}, {content}).\n"


def _word(name: str) -> str:
    """The name as an atomic word: as it is if TPTP's grammar allows that, else in quotation marks."""
    if re.fullmatch(r"[a-z][A-Za-z0-9_]*", name):
        return name
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _type(arity: int) -> str:
    if arity == 0:
        return "$o"
    return "$i > $o" if arity == 1 else f"( {' * '.join(['$i'] * arity)} ) > $o"


def _upper_words(problem: Problem) -> dict[str, str]:
    """An upper word for each variable, different ones for different variables.

    `x` becomes `X`. Variables that begin with a capital come after all that do not and take what is
    left. Names like `W`, `W0` are not used: the embedding tool (1.9.5) gives them to worlds and may
    capture a variable that has one.
    """
    names: dict[str, str] = {}
    used = sorted(frozenset[str]().union(*map(variables, problem.formulas)))
    for variable in sorted(used, key=lambda x: (x[0].isupper(), x)):
        upper = candidate = variable[0].upper() + variable[1:]
        number = 0
        while candidate in names.values() or _WORLD_VARIABLE.fullmatch(candidate):
            number += 1
            candidate = f"{upper}_{number}"
        names[variable] = candidate
    return names


def _unit(formula: Formula, names: dict[str, str]) -> str:
    """The formula so that it can stand anywhere: binary ones in parentheses."""
    match formula:
        case And() | Or() | Implies() | Iff():
            return f"( {_bare(formula, names)} )"
        case _:
            return _bare(formula, names)


def _bare(formula: Formula, names: dict[str, str]) -> str:
    """The formula so that it can stand between parentheses."""
    match formula:
        case Atom(predicate, arguments):
            applied = f"({','.join(names[x] for x in arguments)})" if arguments else ""
            return _word(predicate) + applied
        case Top():
            return "$true"
        case Bottom():
            return "$false"
        case Not(a):
            return f"~ {_operand(a, names)}"
        case Box(a):
            return f"({{$box}} @ ({_bare(a, names)}))"
        case Diamond(a):
            return f"({{$dia}} @ ({_bare(a, names)}))"
        case Forall(x, a):
            return f"! [{names[x]}: $i]: {_unit(a, names)}"
        case Exists(x, a):
            return f"? [{names[x]}: $i]: {_unit(a, names)}"
        case And(a, b) | Or(a, b) | Implies(a, b) | Iff(a, b):
            return f"{_operand(a, names)} {_BINARY[type(formula)]} {_operand(b, names)}"
    raise TypeError(f"not a formula: {formula!r}")


def _operand(formula: Formula, names: dict[str, str]) -> str:
    """The formula as the operand of a connective: a quantified one in parentheses too, for people."""
    text = _unit(formula, names)
    return f"( {text} )" if isinstance(formula, (Forall, Exists)) else text
