"""The logic specification of a TPTP non-classical problem, read and printed.

    tff(semantics, logic, $modal == [ $designation == $rigid, $domains == $constant,
                                      $terms == $local, $modalities == $modal_system_S4 ]).

Names and defaults follow Steen, Fuenmayor, Gleißner, Sutcliffe and Benzmüller, "Automated Reasoning
in Non-classical Logics in the TPTP World" (PAAR 2022). `$designation` and `$terms` speak of
constants and functions. There are none here, so both values of each mean the same. Frame conditions
for which the TPTP has no name get a name of our own, with `$$` as it prescribes.
"""

from __future__ import annotations

from dataclasses import dataclass

from lark import Token

from modalgen.nxf_tokens import NxfStream, shown
from modalgen.problem import Problem
from modalgen.semantics import CONDITIONS, DOMAINS, SYSTEMS, system_name
from modalgen.tokens import offset

# The logic families and what each calls its box and its diamond.
FAMILIES = {
    "$modal": ("$box", "$dia"),
    "$alethic_modal": ("$necessary", "$possible"),
    "$deontic_modal": ("$obligatory", "$permissible"),
    "$epistemic_modal": ("$knows", "$canKnow"),
    "$doxastic_modal": ("$believes", "$canBelieve"),
}


def axiom_name(condition: str) -> str:
    """The TPTP name of a frame condition's axiom scheme, or ours where the TPTP has none."""
    return CONDITIONS[condition].tptp_axiom or f"$$modal_axiom_{condition.replace('-', '_')}"


_AXIOMS: dict[str, frozenset[str]] = {
    "$modal_axiom_K": frozenset(),
    "$modal_axiom_M": frozenset({"reflexive"}),
    **{axiom_name(condition): frozenset({condition}) for condition in CONDITIONS},
}
_SYSTEMS: dict[str, frozenset[str]] = {
    **{f"$modal_system_{name}": frame for name, frame in SYSTEMS.items()},
    "$modal_system_M": SYSTEMS["T"],
    "$modal_system_S5U": frozenset({"universal"}),
}
_RENAMED = {"$constants": "$designation", "$quantification": "$domains", "$consequence": "roles"}


@dataclass(frozen=True)
class Logic:
    """What a logic specification says: the family's name, the frame conditions, and the domain
    regime (None if it is not stated)."""

    family: str
    frame: frozenset[str]
    domain: str | None


def print_logic(problem: Problem) -> str:
    """The logic specification of a problem; a propositional one gets constant domains."""
    return (
        "$modal == [ $designation == $rigid, "
        f"$domains == ${problem.semantics.domain or 'constant'}, "
        f"$terms == $local, $modalities == {_modalities(problem)} ]"
    )


def _modalities(problem: Problem) -> str:
    frame = problem.semantics.frame
    name = system_name(frame)
    # The logic embedding tool takes S5 for the universal relation. That has the consequences of the
    # equivalence relations, except for a global conjecture: local premises then reach every world.
    if name is not None and not (name == "S5" and problem.premises and problem.global_conjecture):
        return f"$modal_system_{name}"
    return f"[{', '.join(['$modal_axiom_K', *map(axiom_name, frame)])}]"


def read_logic(tokens: NxfStream) -> Logic:
    """The logic specification that begins at the token in hand. Raises NxfError."""
    parentheses = 0
    while tokens.accept("OPEN"):
        parentheses += 1
    family = tokens.expect("DOLLAR", "the name of a logic is expected")
    if family not in FAMILIES:
        tokens.fail(f"logic {shown(family)} is not supported; known: {', '.join(FAMILIES)}", offset(family))
    tokens.expect("IDENTICAL", "'== [ $domains == …, $modalities == … ]' is expected after the logic's name")
    opening = tokens.expect("LIST_OPEN", "'[' is expected before the logic's properties")
    entries: dict[str, frozenset[str] | str] = {}
    while not tokens.accept("LIST_CLOSE"):
        key = tokens.expect("DOLLAR", "a property such as $modalities is expected")
        if key in entries:
            tokens.fail(f"property {shown(key)} is given twice", offset(key))
        tokens.expect("IDENTICAL", f"'==' is expected after {key}")
        entries[str(key)] = _property(tokens, key)
        if tokens.current.type != "LIST_CLOSE":
            tokens.expect("COMMA", "',' or ']' is expected after a property of the logic")
    for _ in range(parentheses):
        tokens.expect("CLOSE", "')' is expected after the logic")
    frame = entries.get("$modalities")
    if not isinstance(frame, frozenset):
        tokens.fail("the logic needs $modalities, as in $modalities == $modal_system_K", offset(opening))
    domain = entries.get("$domains")
    return Logic(str(family), frame, domain if isinstance(domain, str) else None)


def _property(tokens: NxfStream, key: Token) -> frozenset[str] | str:
    match str(key):
        case "$modalities":
            return _frame(tokens)
        case "$domains":
            return _choice(tokens, key, tuple(DOMAINS))
        case "$designation":
            return _choice(tokens, key, ("rigid", "flexible"))
        case "$terms":
            return _choice(tokens, key, ("local", "global"))
    if key in _RENAMED:
        tokens.fail(f"property {shown(key)} is of an older TPTP; it is now {_RENAMED[key]}", offset(key))
    return tokens.fail(f"property {shown(key)} of the logic is not supported", offset(key))


def _choice(tokens: NxfStream, key: Token, values: tuple[str, ...]) -> str:
    expectation = f"{key} is one of {', '.join(f'${value}' for value in values)}"
    if tokens.current.type == "LIST_OPEN":
        what = "domains for each type" if key == "$domains" else f"{key} for each symbol"
        tokens.fail(f"{what} are not supported; {expectation}", offset(tokens.current))
    value = tokens.current
    if value.type != "DOLLAR" or value[1:] not in values:
        tokens.unexpected(expectation)
    return str(tokens.advance()[1:])


def _frame(tokens: NxfStream) -> frozenset[str]:
    """The frame conditions of `$modal_system_X`, or of a list of axioms."""
    if not tokens.accept("LIST_OPEN"):
        token = tokens.expect("DOLLAR", "a modal system or a list of modal axioms is expected")
        if token in _AXIOMS:
            tokens.fail(f"axioms stand in a list: [{token}]", offset(token))
        return _known(tokens, token, _SYSTEMS, "modal system")
    conditions: set[str] = set()
    while True:
        if tokens.current.type == "BRACE_OPEN":
            tokens.fail("a modal system for each indexed modality is not supported", offset(tokens.current))
        token = tokens.expect("DOLLAR", "the name of a modal axiom is expected")
        if tokens.current.type == "IDENTICAL":
            tokens.fail("a modal system for each indexed modality is not supported", offset(token))
        conditions |= _known(tokens, token, _AXIOMS, "modal axiom")
        if tokens.accept("LIST_CLOSE"):
            return frozenset(conditions)
        tokens.expect("COMMA", "',' or ']' is expected after a modal axiom")


def _known(tokens: NxfStream, token: Token, table: dict[str, frozenset[str]], kind: str) -> frozenset[str]:
    if token not in table:
        tokens.fail(f"{kind} {shown(token)} is not supported; known: {', '.join(table)}", offset(token))
    return table[str(token)]
