"""Structural checks: what is wrong with a candidate before anybody asks whether it is valid.

They catch candidates that do not belong to the contrast (symbols, axis, limits) and those that say
the same thing twice or nothing at all (vacuous quantifiers, repeated formulas, tautologies).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from modalgen.formula import (
    And,
    Formula,
    free_variables,
    is_first_order,
    modal_depth,
    predicates,
    quantifier_depth,
    size,
    vacuous_quantifiers,
)
from modalgen.gen.candidate import Candidate
from modalgen.gen.canonical import ONE, ZERO, normal_form, symbols_of
from modalgen.gen.contrast import Contrast


class StructuralReason(StrEnum):
    """Why a candidate is turned down unexamined."""

    UNDECLARED_SYMBOL = "undeclared_symbol"
    OPEN_FORMULA = "open_formula"
    FIRST_ORDER_ON_FRAME_AXIS = "first_order_on_frame_axis"
    PROPOSITIONAL_ON_DOMAIN_AXIS = "propositional_on_domain_axis"
    TOO_DEEP_MODALLY = "too_deep_modally"
    TOO_DEEPLY_QUANTIFIED = "too_deeply_quantified"
    TOO_LARGE = "too_large"
    VACUOUS_QUANTIFIER = "vacuous_quantifier"
    TRIVIAL_FORMULA = "trivial_formula"
    IDLE_SYMBOL = "idle_symbol"
    REPEATED_PREMISE = "repeated_premise"
    CONJECTURE_IS_PREMISE = "conjecture_is_premise"


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a candidate: the reason's code, and the details in words."""

    reason: StructuralReason
    detail: str


def structural_faults(candidate: Candidate, contrast: Contrast) -> tuple[Fault, ...]:
    """All structural faults of a candidate of the contrast, in a fixed order; none for a sound one.

    A candidate without faults makes a problem under either side of the contrast.
    """
    formulas = [(f"premise {n}", premise) for n, premise in enumerate(candidate.premises, start=1)]
    formulas.append(("the conjecture", candidate.conjecture))
    faults = [fault for name, formula in formulas for fault in _formula_faults(name, formula, contrast)]
    if contrast.axis == "domain" and not any(is_first_order(formula) for _, formula in formulas):
        reason = StructuralReason.PROPOSITIONAL_ON_DOMAIN_AXIS
        faults.append(Fault(reason, "no formula has a quantifier or a predicate with arguments"))
    if not any(fault.reason is StructuralReason.TRIVIAL_FORMULA for fault in faults):
        faults += _idle_symbols(candidate)
    return (*faults, *_repetitions(candidate))


def _formula_faults(name: str, formula: Formula, contrast: Contrast) -> Iterator[Fault]:
    declared = dict(contrast.symbols)
    for symbol, arity in sorted(predicates(formula)):
        if declared.get(symbol) != arity:
            known = f"declared with {declared[symbol]}" if symbol in declared else "not declared"
            detail = f"{name} applies {symbol} to {arity} arguments; it is {known}"
            yield Fault(StructuralReason.UNDECLARED_SYMBOL, detail)
    if free := sorted(free_variables(formula)):
        yield Fault(StructuralReason.OPEN_FORMULA, f"{name} has free variables: {', '.join(free)}")
    if contrast.axis == "frame" and is_first_order(formula):
        detail = f"{name} has a quantifier or a predicate with arguments"
        yield Fault(StructuralReason.FIRST_ORDER_ON_FRAME_AXIS, detail)
    limits = contrast.limits
    for reason, what, measured, most in (
        (StructuralReason.TOO_DEEP_MODALLY, "modal depth", modal_depth(formula), limits.modal_depth),
        (
            StructuralReason.TOO_DEEPLY_QUANTIFIED,
            "quantifier depth",
            quantifier_depth(formula),
            limits.quantifier_depth,
        ),
        (StructuralReason.TOO_LARGE, "size", size(formula), limits.size),
    ):
        if measured > most:
            yield Fault(reason, f"{name} has {what} {measured}; the limit is {most}")
    if vacuous := vacuous_quantifiers(formula):
        detail = f"{name} has {len(vacuous)} quantifiers whose variable does not occur in their scope"
        yield Fault(StructuralReason.VACUOUS_QUANTIFIER, detail)
    # The whole formula first: a contradiction need not have a conjunct that is one.
    for part in (formula, *_conjuncts(formula)):
        if (normal := normal_form(part)) in (ZERO, ONE):
            kind = "tautology" if normal == ONE else "contradiction"
            where = "is" if part is formula else "has a conjunct that is"
            yield Fault(StructuralReason.TRIVIAL_FORMULA, f"{name} {where} a propositional {kind}")
            break


def _conjuncts(formula: Formula) -> Iterator[Formula]:
    if isinstance(formula, And):
        yield from _conjuncts(formula.left)
        yield from _conjuncts(formula.right)
    else:
        yield formula


def _idle_symbols(candidate: Candidate) -> Iterator[Fault]:
    """Symbols that occur nowhere they can matter: dropped everywhere, they leave equivalent formulas.

    Read off the normal forms, that is, whatever the semantics. (On all small models □p → ◇p says no
    more than that there is a successor, and still p matters in it.)
    """
    occurring = frozenset[tuple[str, int]]().union(*map(predicates, candidate.formulas))
    mattering = frozenset[tuple[str, int]]().union(*(symbols_of(normal_form(f)) for f in candidate.formulas))
    if idle := sorted(name for name, _ in occurring - mattering):
        yield Fault(StructuralReason.IDLE_SYMBOL, f"{', '.join(idle)} can be dropped")


def _repetitions(candidate: Candidate) -> Iterator[Fault]:
    first_with: dict[object, int] = {}
    for number, premise in enumerate(candidate.premises, start=1):
        earlier = first_with.setdefault(normal_form(premise), number)
        if earlier != number:
            detail = f"premise {number} says the same as premise {earlier}"
            yield Fault(StructuralReason.REPEATED_PREMISE, detail)
    same = first_with.get(normal_form(candidate.conjecture))
    if same is not None:
        detail = f"the conjecture says the same as premise {same}"
        yield Fault(StructuralReason.CONJECTURE_IS_PREMISE, detail)
