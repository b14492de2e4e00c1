"""A Herbrand certificate in words: a sentence for every step, and what they come to.

`docs/certificates.md` says what terms and steps are; the checker gives every step its meaning
(`modalgen.certificate.Inferences`), and the sentences are made from that: what a step assumes, and what it
gives. Worlds are called w0, w1, … and individuals a, b, … in the order of the table of terms.

The checker passes a step over in the cases in which what it assumes is not known. So its sentence says "if"
unless the assumptions are known in all cases that are still open.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from modalgen.certificate import CertificateError, Fact, Inference, Inferences, check, contradictory
from modalgen.formula import Atom, Bottom, Box, Diamond, Exists, Forall, Formula, Top, rename_free
from modalgen.printing import to_unicode
from modalgen.problem import Problem
from modalgen.view.description import individual, listed, world

_SUPPOSITIONS = ("premise", "conjecture")
_OPENINGS = ("If", "In", "Suppose", "The", "Then")
_SORTS = ("world", "individual")
_ORDINALS = ("first", "second", "third")


def in_words(problem: Problem, certificate: Mapping[str, Any]) -> tuple[str, ...]:
    """The proof, a sentence for every step and one that says where they lead.

    Raises ValueError if the checker does not accept the certificate.
    """
    try:
        check(problem, certificate)
    except CertificateError as error:
        raise ValueError(f"the checker does not accept the certificate: {error}") from error
    return tuple(_Proof(problem, certificate["terms"]).sentences(certificate["steps"]))


class _Proof:
    """The words for one certificate, and which of its names were mentioned already."""

    def __init__(self, problem: Problem, terms: Sequence[Sequence[Any]]) -> None:
        self.problem = problem
        self.terms = terms
        self.inferences = Inferences(problem, terms)
        sorts = self.inferences.sorts
        self.names = [
            (world if sort == "w" else individual)(sorts[:t].count(sort)) for t, sort in enumerate(sorts)
        ]
        # The designated world needs no introduction: it is where everything starts.
        self.mentioned = {t for t, (name, *_) in enumerate(terms) if name == "root"}
        # The steps read so far; whether they left several cases open; what they gave before that.
        self.before: list[Inference] = []
        self.distinguished = False
        self.sure: set[Fact] = set()

    def sentences(self, steps: Iterable[Sequence[Any]]) -> list[str]:
        """The sentences for the steps, each read with what the steps before it make known, and the end."""
        said: list[str] = []
        for step in steps:
            inference = self.inferences.of(*step)
            said.append(self.sentence(step, inference))
            cases, excluded = _distinct(inference[1]), self.excluded(inference)
            possible = [case for i, case in enumerate(cases) if i not in excluded]
            self.distinguished |= len(possible) > 1
            # Once cases were distinguished, what excludes others may be known in those that are left only.
            certain = cases if self.distinguished else possible
            if len(certain) == 1 and self.sure.issuperset(inference[0]):
                self.sure.update(certain[0])
            self.before.append(inference)
        return [*said, f"{'Each case ends in' if self.distinguished else 'That is'} a contradiction."]

    def sentence(self, step: Sequence[Any], inference: Inference) -> str:
        """The sentence for a step, with the names that are new in it introduced."""
        rule, *arguments = step
        assumed, cases = inference
        promised_by = {"true": "witness", "false": "witness", "conjecture": "cex"}.get(rule, rule)
        own = self.inferences.terms.get((promised_by, *arguments))
        terms = [t for facts in (assumed, *cases) for fact in facts for t in fact[2:]]
        if any(own in fact[2:] for fact in assumed):
            own = None
        lets = list(self.introductions(t for t in terms if t != own))
        said = re.sub(",(?=[,.])", "", self.words(rule, inference))
        first, _, rest = said.partition(" ")
        if lets:
            opening = f"Let {', and let '.join(lets)}; {first.lower() if first in _OPENINGS else first}"
        else:
            opening = first.capitalize() if first in ("a", "an") and rest.startswith(_SORTS) else first
        return f"{opening} {rest}"

    def words(self, rule: str, inference: Inference) -> str:
        """What a step says, with its own new name introduced."""
        assumed, cases = inference
        if rule in _SUPPOSITIONS:
            premise = "the premise " if rule == "premise" else ""
            return f"Suppose {premise}{self.conclusion(cases)}."
        if rule == "global":
            return f"The global premise {self.conclusion(cases)}, as at every world."
        if rule in ("true", "false") and isinstance(self.formula(assumed[0]), (Top, Bottom)):
            return f"{self.conclusion(cases)}, as at every world."
        reason = "" if rule in ("true", "false") else f", since {self.condition(rule)}"
        if not assumed:
            return f"{self.conclusion(cases)}{reason}."
        premises = [self.fact(fact) for fact in assumed]
        given = self.before[-1][1] if self.before else []
        # If this is not contradictory, there is an open case in which the assumptions are not known.
        if not contradictory([*self.before, (assumed, [])]):
            return f"If {' and '.join(dict.fromkeys(premises))}, then {self.conclusion(cases)}{reason}."
        result = f"{self.conclusion(cases)}{reason}{self.remark(inference)}."
        if given == [assumed]:
            return f"Then {result}"
        if rule in ("true", "false") and len(assumed) == 2:
            _, what, one, other = assumed[1]
            access = f"which accesses {self.name(other) if one != other else 'itself'}"
            premises = [f"{premises[0]}, {access if what == 'R' else f'where {self.name(other)} exists'}"]
        left = self.distinguished and not self.sure.issuperset(assumed)
        premise = " and ".join(dict.fromkeys(premises))
        return f"{'In every case that is left, ' if left else ''}{premise}, so {result}"

    def conclusion(self, cases: Sequence[Sequence[Fact]]) -> str:
        """What a step gives, or between which cases it distinguishes."""
        cases = _distinct(cases)
        if len(cases) == 1:
            return self.together(cases[0])
        separator = " or " if all(len(case) == 1 for case in cases) else ", or "
        where = {fact[2] for case in cases for fact in case if not isinstance(fact[1], str)}
        if len(where) == 1:  # a truth condition of a connective: all of it at one world
            said = separator.join(self.truths(case) for case in cases)
            return f"either {said} at {self.name(where.pop())}"
        return f"either {', or '.join(self.together(case) for case in cases)}"

    def together(self, facts: Sequence[Fact]) -> str:
        """Facts of one case, as one clause."""
        match facts:
            case [(_, "R", *_), (_, what, *_) as truth] if not isinstance(what, str):
                return f"{self.fact(facts[0])}, where {self.truths([truth])}"
            case [(_, str(), *_), *_]:
                return " and ".join(map(self.fact, facts))
        return f"{self.truths(facts)} at {self.name(facts[0][2])}"

    def truths(self, facts: Sequence[Fact]) -> str:
        """Truth values at one world, without the world: `p and q are true`, `p is true and q is false`."""
        texts = [to_unicode(self.formula(fact)) for fact in facts]
        values = ["true" if fact[0] else "false" for fact in facts]
        if len(texts) > 1 and len(set(values)) == 1:
            return f"{listed(texts)} are {values[0]}"
        return listed([f"{text} is {value}" for text, value in zip(texts, values, strict=True)])

    def fact(self, fact: Fact) -> str:
        """A fact as a clause."""
        match fact:
            case (_, "R", one, other):
                return f"{self.name(one)} accesses {'itself' if one == other else self.name(other)}"
            case (_, "E", where, who):
                return f"{self.name(who)} exists at {self.name(where)}"
            case (_, "=", one, other):
                return f"{self.name(one)} and {self.name(other)} are the same world"
        return f"{self.truths([fact])} at {self.name(fact[2])}"

    def formula(self, fact: Fact) -> Formula:
        """The formula of a truth value, its free variables replaced by the names of their values."""
        _, what, _, *values = fact
        names = [self.names[t] for t in values]
        if isinstance(what, tuple):
            return Atom(what[0], tuple(names))
        return rename_free(
            self.inferences.nodes[what], dict(zip(self.inferences.free[what], names, strict=True))
        )

    def name(self, term: int) -> str:
        """What a term is called; at its first mention, of which sort it is."""
        if term in self.mentioned:
            return self.names[term]
        self.mentioned.add(term)
        sort = _SORTS["wy".index(self.inferences.sorts[term])]
        return f"{_article(sort)} {sort}, {self.names[term]},"

    def condition(self, rule: str) -> str:
        """The condition on the models to which a step refers."""
        if rule == "nonempty":
            return "no domain is empty"
        return f"domains are {rule}" if rule == self.problem.semantics.domain else f"the frame is {rule}"

    def excluded(self, inference: Inference) -> list[int]:
        """Which cases of a step are contradictory at once wherever the steps before it leave a case open."""
        cases = _distinct(inference[1])
        return [
            i for i, case in enumerate(cases) if contradictory([*self.before, (inference[0], [list(case)])])
        ]

    def remark(self, inference: Inference) -> str:
        """That what is known excludes some of the cases which a step distinguishes."""
        cases, excluded = len(_distinct(inference[1])), self.excluded(inference)
        if not excluded or cases == 1:
            return ""
        which = listed([f"the {_ORDINALS[i]}" for i in excluded])
        if len(excluded) == cases:
            which = "both" if cases == 2 else "all three"
        return f", and {which} {'is' if len(excluded) == 1 else 'are'} already excluded"

    def introductions(self, terms: Iterable[int]) -> Iterator[str]:
        """For names that a step mentions and none before it gave: what they name, or anything else."""
        for t in terms:
            if t in self.mentioned:
                continue
            rule, *about = self.terms[t]
            yield from self.introductions(about[1:] if rule == "witness" else about)
            self.mentioned.add(t)
            sort = _SORTS["wy".index(self.inferences.sorts[t])]
            anything = "any world" if sort == "world" else "any individual that exists somewhere"
            promised = self.promised(rule, about)
            which = f"{_article(sort)} {sort} {promised}, or {anything} if there is none"
            yield f"{self.names[t]} be {which if promised else anything}"

    def promised(self, rule: str, about: Sequence[int]) -> str:
        """What is so of the world or individual that a term names if there is one; empty for nothing."""
        if rule == "witness":
            formula = self.formula((True, *about))
            value = "true" if isinstance(formula, (Diamond, Exists)) else "false"
            makes = f"that makes {to_unicode(formula)} {value} at {self.names[about[1]]}"
            return makes if isinstance(formula, (Box, Diamond, Forall, Exists)) else ""
        if rule == "cex":
            return f"where {to_unicode(self.problem.conjecture)} is false"
        clause = {
            "serial": "that {0} accesses",
            "dense": "between {0} and {1}",
            "convergent": "that {1} and {2} both access",
            "nonempty": "that exists at {0}",
        }.get(rule, "")
        return clause.format(*(self.names[t] for t in about))


def _article(noun: str) -> str:
    return "an" if noun == "individual" else "a"


def _distinct(cases: Iterable[Sequence[Fact]]) -> list[list[Fact]]:
    """The cases, each once and no fact of it twice: for p ∨ p there is one."""
    once = [list(dict.fromkeys(case)) for case in cases]
    return [case for i, case in enumerate(once) if case not in once[:i]]
