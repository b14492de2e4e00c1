"""What a pair's view shows: both semantics with what differs, the problem, the labels and what they rest on.

Everything is recomputed or checked while the page is made: countermodels by the reference evaluator,
certificates by their checker, explanations and pictures from the countermodels. What does not hold is
not shown but reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from modalgen.certificate import check
from modalgen.evaluate.lexicon import lexicon
from modalgen.evaluate.prompts import DEFAULT_LEXICON, prompt, statement
from modalgen.formula import Formula
from modalgen.kripke import KripkeModel, objection
from modalgen.printing import to_unicode
from modalgen.problem import Problem
from modalgen.profile import spectrum
from modalgen.records import SIDES, Pair, Side, difficulty
from modalgen.render import describe
from modalgen.semantics import CONDITIONS, equivalent
from modalgen.view.explanation import explain
from modalgen.view.page import render
from modalgen.view.proof import in_words
from modalgen.view.sentences import Step
from modalgen.view.svg import drawing

# How the conditions of a side are headed that declares none on the frame.
_UNRESTRICTED = "any accessibility"


@dataclass(frozen=True)
class Run:
    """A run of a decider on a side, as a line of `evidence.jsonl` records it."""

    decider: str
    route: str
    status: str
    decisive: bool
    note: str
    seconds: float

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Run:
        """The run that the line records. Raises ValueError, KeyError or TypeError if it is none."""
        texts = [record[name] for name in ("decider", "route", "status", "note")]
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("its decider, route, status or note is not text")
        decider, route, status, note = texts
        return cls(decider, route, status, record["decisive"] is True, note, float(record["seconds"]))

    @property
    def milliseconds(self) -> str:
        """How long it took."""
        return f"{1000 * self.seconds:.0f}" if self.seconds >= 0.001 else "<1"


@dataclass(frozen=True)
class Condition:
    """A condition on the models, as one side has it. `held` is False for what only the other side demands."""

    name: str
    sentence: str
    differs: bool
    held: bool


@dataclass(frozen=True)
class Statement:
    """A premise or the conjecture, as formula and in controlled English."""

    formula: str
    english: str


@dataclass(frozen=True)
class Logic:
    """A logic of the profile. `sides` are those of the pair that are judged by it."""

    name: str
    sides: tuple[str, ...]


@dataclass(frozen=True)
class SideView:
    """A side, ready to be shown.

    `proof` says in words what the label rests on, `derivation` are the sentences of its certificate.
    """

    name: str
    models: str
    conditions: tuple[Condition, ...]
    label: bool
    resolution: str
    authority: str
    proof: str
    derivation: tuple[str, ...]
    runs: tuple[Run, ...]
    picture: str | None
    explanation: tuple[Step, ...]


def conditions(pair: Pair, side: str) -> tuple[Condition, ...]:
    """The conditions of a side in the words of the prompt, then those that only the other side has."""
    here, there = (pair.sides[name].semantics for name in (side, *(s for s in SIDES if s != side)))
    names = [*(here.frame or (_UNRESTRICTED,)), *([f"{here.domain} domains"] if here.domain else [])]
    shared = {_UNRESTRICTED, *there.frame, f"{there.domain} domains"}
    lines = [line.removeprefix("- ") for line in prompt(pair, side).specification]
    return (
        *(
            Condition(name, line, differs=name not in shared, held=True)
            for name, line in zip(names, lines, strict=True)
        ),
        *(
            Condition(name, CONDITIONS[name].sentence, differs=True, held=False)
            for name in there.frame
            if name not in here.frame
        ),
    )


def valid_under(pair: Pair) -> str:
    """The direction of the label: what the valid side has and the other does not, in words."""
    valid, invalid = sorted(SIDES, key=lambda name: not pair.sides[name].label)
    there, elsewhere = pair.sides[valid].semantics, pair.sides[invalid].semantics
    if there.domain != elsewhere.domain:
        return f"{there.domain} domains"
    own = [name for name in there.frame if name not in elsewhere.frame]
    return ", ".join(own) or "not " + ", ".join(c for c in elsewhere.frame if c not in there.frame)


def sequent(pair: Pair) -> str:
    """The problem in one line: `φ, ψ ⊢ χ`, or `⊨ χ` without premises."""
    if not pair.premises:
        return f"⊨ {to_unicode(pair.conjecture)}"
    return f"{', '.join(map(to_unicode, pair.premises))} ⊢ {to_unicode(pair.conjecture)}"


def in_english(formula: Formula) -> str:
    """The formula as the sentence that prompts have by default."""
    return statement(formula, lexicon(DEFAULT_LEXICON))


def view(pair: Pair, title: str, runs: Mapping[str, Run | None], family: str, of_family: int) -> str:
    """The pair's view as HTML.

    *title* is the contrast's; *runs* are given by hash, None for those on other problems than the
    pair's two; *family* is the pair's, and *of_family* pairs of the dataset belong to it. Raises
    ValueError if a countermodel, a certificate or the profile does not hold.
    """
    shown = [Statement(to_unicode(f), in_english(f)) for f in (*pair.premises, pair.conjecture)]
    return render(
        "pair.html.j2",
        pair=pair,
        title=title,
        sequent=sequent(pair),
        premises=shown[:-1],
        conjecture=shown[-1],
        sides=[_side(pair, name, runs) for name in SIDES],
        profile=_profile(pair),
        difficulty=difficulty(pair),
        family=family,
        of_family=of_family,
    )


def _side(pair: Pair, name: str, runs: Mapping[str, Run | None]) -> SideView:
    side, problem = pair.sides[name], pair.problem(name)
    model = side.countermodel
    if unknown := [sha for sha in side.evidence if sha not in runs]:
        raise ValueError(f"side {name} cites evidence that is missing: {unknown[0]}")
    return SideView(
        name=name,
        models=describe(side.semantics),
        conditions=conditions(pair, name),
        label=side.label,
        resolution=side.resolution,
        authority=side.authority,
        proof=_proof(side, problem),
        derivation=_derivation(side, problem),
        runs=tuple(run for sha in side.evidence if (run := runs[sha]) is not None),
        picture=None if model is None else Markup(drawing(model, f"side-{name}")),
        explanation=() if model is None else explain(problem, model),
    )


def _proof(side: Side, problem: Problem) -> str:
    """What a label rests on, checked and in words. Raises ValueError if it does not hold."""
    word = " and ".join(sorted(side.deciders))
    if not side.label:
        if side.countermodel is None:
            return f"No countermodel is recorded. The label rests on the word of {word}."
        if why := objection(side.countermodel, problem):
            raise ValueError(f"its countermodel is none: {why}")
        return f"A countermodel with {_size(side.countermodel)}, accepted by the reference evaluator."
    if (certificate := _herbrand(side)) is not None:
        check(problem, certificate)
        steps, terms = len(certificate["steps"]), len(certificate["terms"])
        return f"A Herbrand certificate of {steps} steps about {terms} terms, accepted by the checker."
    return f"Refutations found by {word}. No certificate is recorded that could be checked without a prover."


def _herbrand(side: Side) -> Mapping[str, Any] | None:
    """The certificate of a valid side, if it has one that can be checked."""
    certificate = side.certificate
    return certificate if certificate is not None and certificate.get("kind") == "herbrand" else None


def _derivation(side: Side, problem: Problem) -> tuple[str, ...]:
    """The certificate in words, a sentence for every step; empty if there is none."""
    certificate = _herbrand(side) if side.label else None
    return () if certificate is None else in_words(problem, certificate)


def _size(model: KripkeModel) -> str:
    """The size of a model in words."""
    words = "1 world" if model.worlds == 1 else f"{model.worlds} worlds"
    if model.domains is None:
        return words
    individuals = len(frozenset[int]().union(*model.domains))
    return f"{words} and {'1 individual' if individuals == 1 else f'{individuals} individuals'}"


def _profile(pair: Pair) -> dict[bool | None, list[Logic]]:
    """The logics of the profile by the problem's label in them, in the registry's order.

    Raises ValueError if the profile is not one of the pair's kind.
    """
    logics = spectrum(pair.sides["a"].semantics)
    if set(pair.profile) != set(logics) or not set(pair.profile.values()) <= {True, False, None}:
        raise ValueError(f"its profile does not give a label in each of {', '.join(logics)}")
    found: dict[bool | None, list[Logic]] = {True: [], False: [], None: []}
    for name, semantics in logics.items():
        sides = [side for side in SIDES if equivalent(pair.sides[side].semantics, semantics)]
        found[pair.profile[name]].append(Logic(name, tuple(sides)))
    return found
