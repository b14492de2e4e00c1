"""The semantics registry: frame conditions, named systems, domain regimes, and what entails what.

A *semantics* is a class of Kripke models: a set of frame conditions and, for first-order problems,
a domain regime. Definitions follow Blackburn, de Rijke and Venema, *Modal Logic* (2001), chapters
1–4, for frames, and Fitting and Mendelsohn, *First-Order Modal Logic* (1998), chapter 4, for domains.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class FrameCondition:
    """A first-order condition on the accessibility relation R.

    `first_order` is its definition, `scheme` the modal axiom scheme that corresponds to it (None
    where there is none), `tptp_axiom` the name that the TPTP's non-classical logics give that
    scheme (None where they give none), `sentence` the definition in English.
    """

    name: str
    first_order: str
    scheme: str | None
    tptp_axiom: str | None
    sentence: str


@dataclass(frozen=True)
class DomainRegime:
    """How the domains D(w) of individuals that exist at each world w are related."""

    name: str
    first_order: str
    sentence: str


CONDITIONS: dict[str, FrameCondition] = {
    condition.name: condition
    for condition in (
        FrameCondition(
            "serial",
            "∀w∃v Rwv",
            "□p → ◇p",
            "$modal_axiom_D",
            "Every world accesses at least one world.",
        ),
        FrameCondition(
            "reflexive",
            "∀w Rww",
            "□p → p",
            "$modal_axiom_T",
            "Every world accesses itself.",
        ),
        FrameCondition(
            "symmetric",
            "∀w∀v (Rwv → Rvw)",
            "p → □◇p",
            "$modal_axiom_B",
            "Whenever a world accesses another, that other world accesses the first.",
        ),
        FrameCondition(
            "transitive",
            "∀w∀v∀u (Rwv ∧ Rvu → Rwu)",
            "□p → □□p",
            "$modal_axiom_4",
            "Whenever a first world accesses a second and the second accesses a third, "
            "the first accesses the third.",
        ),
        FrameCondition(
            "euclidean",
            "∀w∀v∀u (Rwv ∧ Rwu → Rvu)",
            "◇p → □◇p",
            "$modal_axiom_5",
            "Whenever a world accesses two worlds, the same one twice included, these access each other.",
        ),
        FrameCondition(
            "dense",
            "∀w∀v (Rwv → ∃u (Rwu ∧ Ruv))",
            "□□p → □p",
            "$modal_axiom_C4",
            "Whenever a first world accesses a second, "
            "the first accesses some world that accesses the second.",
        ),
        FrameCondition(
            "convergent",
            "∀w∀v∀u (Rwv ∧ Rwu → ∃t (Rvt ∧ Rut))",
            "◇□p → □◇p",
            None,
            "Whenever a world accesses two worlds, the same one twice included, "
            "some world is accessed by both of these.",
        ),
        FrameCondition(
            "functional",
            "∀w∀v∀u (Rwv ∧ Rwu → v = u)",
            "◇p → □p",
            "$modal_axiom_CD",
            "Every world accesses at most one world.",
        ),
        FrameCondition(
            "shift-reflexive",
            "∀w∀v (Rwv → Rvv)",
            "□(□p → p)",
            None,
            "Every world that is accessed by some world accesses itself.",
        ),
        FrameCondition(
            "weakly-connected",
            "∀w∀v∀u (Rwv ∧ Rwu → Rvu ∨ Ruv ∨ v = u)",
            "□(p ∧ □p → q) ∨ □(q ∧ □q → p)",
            None,
            "Whenever a world accesses two different worlds, one of these accesses the other.",
        ),
        FrameCondition(
            "universal",
            "∀w∀v Rwv",
            None,
            "$modal_axiom_S5U",
            "Every world accesses every world.",
        ),
    )
}

# The fifteen normal systems from the axioms D, T, B, 4 and 5 (Garson, "Modal Logic", Stanford
# Encyclopedia of Philosophy, section 8), each by a least set of conditions.
SYSTEMS: dict[str, frozenset[str]] = {
    "K": frozenset(),
    "D": frozenset({"serial"}),
    "T": frozenset({"reflexive"}),
    "KB": frozenset({"symmetric"}),
    "K4": frozenset({"transitive"}),
    "K5": frozenset({"euclidean"}),
    "K45": frozenset({"transitive", "euclidean"}),
    "KB5": frozenset({"symmetric", "euclidean"}),
    "DB": frozenset({"serial", "symmetric"}),
    "D4": frozenset({"serial", "transitive"}),
    "D5": frozenset({"serial", "euclidean"}),
    "D45": frozenset({"serial", "transitive", "euclidean"}),
    "B": frozenset({"reflexive", "symmetric"}),
    "S4": frozenset({"reflexive", "transitive"}),
    "S5": frozenset({"reflexive", "euclidean"}),
}

DOMAINS: dict[str, DomainRegime] = {
    regime.name: regime
    for regime in (
        DomainRegime(
            "varying",
            "no constraint",
            "Which individuals exist may differ from world to world in any way.",
        ),
        DomainRegime(
            "cumulative",
            "∀w∀v (Rwv → D(w) ⊆ D(v))",
            "Whenever a world accesses another, every individual that exists at the first "
            "exists at the other too.",
        ),
        DomainRegime(
            "decreasing",
            "∀w∀v (Rwv → D(v) ⊆ D(w))",
            "Whenever a world accesses another, every individual that exists at the other "
            "exists at the first too.",
        ),
        DomainRegime(
            "constant",
            "∀w∀v D(w) = D(v)",
            "The same individuals exist at every world.",
        ),
    )
}

# What entails what *on point-generated models*: a formula's truth at a world depends only on the
# worlds reachable from it (Blackburn et al. 2001, proposition 2.6), so two classes with the same
# point-generated members have the same valid formulas and the same consequences. That is why
# reflexive and euclidean give universal here, and why cumulative and decreasing give constant.
# A rule (premises, conclusions) is first-order provable, or holds for models generated by one world.
_RULES: tuple[tuple[frozenset[str], frozenset[str]], ...] = tuple(
    (frozenset(premises.split()), frozenset(conclusions.split()))
    for premises, conclusions in (
        ("reflexive", "serial shift-reflexive"),
        ("symmetric", "convergent"),
        ("euclidean", "convergent shift-reflexive weakly-connected"),
        ("functional", "weakly-connected"),
        ("shift-reflexive", "dense"),
        ("universal", "reflexive symmetric transitive euclidean"),
        ("serial functional", "convergent"),
        ("reflexive euclidean", "universal"),
        ("reflexive functional", "universal"),
        ("shift-reflexive weakly-connected", "convergent"),
        ("symmetric transitive", "euclidean"),
        ("symmetric euclidean", "transitive"),
        ("dense functional", "transitive euclidean"),
        ("serial symmetric shift-reflexive", "reflexive"),
        ("serial transitive functional", "euclidean"),
        ("serial transitive weakly-connected", "convergent"),
        ("symmetric shift-reflexive weakly-connected", "euclidean"),
        ("transitive convergent functional", "euclidean"),
        ("constant", "cumulative decreasing"),
        ("cumulative decreasing", "constant"),
        ("symmetric cumulative", "decreasing"),
        ("symmetric decreasing", "cumulative"),
        # One world, since it can access nothing but itself.
        ("symmetric shift-reflexive functional", "constant"),
    )
)


@dataclass(frozen=True)
class Semantics:
    """A class of Kripke models: frame conditions (sorted names) and a domain regime.

    `domain` is None for propositional problems. Raises ValueError for a name that is not in the
    registry or conditions that are not sorted and distinct; `semantics` sorts them for you.
    """

    frame: tuple[str, ...] = ()
    domain: str | None = None

    def __post_init__(self) -> None:
        for name in self.frame:
            if name not in CONDITIONS:
                raise ValueError(f"unknown frame condition {name!r}; known: {', '.join(CONDITIONS)}")
        if list(self.frame) != sorted(set(self.frame)):
            raise ValueError(f"frame conditions must be sorted and distinct, not {self.frame!r}")
        if self.domain is not None and self.domain not in DOMAINS:
            raise ValueError(f"unknown domain regime {self.domain!r}; known: {', '.join(DOMAINS)}")


def semantics(frame: Iterable[str] = (), domain: str | None = None) -> Semantics:
    """The semantics with these frame conditions, in any order, and this domain regime."""
    return Semantics(tuple(sorted(set(frame))), domain)


def closure(declared: Semantics) -> frozenset[str]:
    """Every condition, of frames and of domains, that holds in all point-generated members.

    `varying` is no condition and never a member; conditions of domains are given for first-order
    semantics only.
    """
    held = set(declared.frame)
    if declared.domain not in (None, "varying"):
        held.add(str(declared.domain))
    while True:
        derived = {c for premises, conclusions in _RULES if premises <= held for c in conclusions}
        if derived <= held:
            break
        held |= derived
    if declared.domain is None:
        held -= set(DOMAINS)
    return frozenset(held)


def entails(stronger: Semantics, weaker: Semantics) -> bool:
    """Whether what is valid in *weaker* is valid in *stronger*, by their conditions.

    True when every point-generated model of the stronger class belongs to the weaker one. That is
    about validity and local consequence, also with global premises; a problem that joins local
    premises with a *global* conjecture looks at two worlds that no point need generate.
    Raises ValueError if one is propositional and the other is not.
    """
    if (stronger.domain is None) != (weaker.domain is None):
        raise ValueError("a propositional and a first-order semantics cannot be compared")
    return closure(stronger) >= closure(weaker)


def equivalent(first: Semantics, second: Semantics) -> bool:
    """Whether both have the same closure, so that no formula can tell them apart."""
    return entails(first, second) and entails(second, first)


def system_name(frame: Iterable[str]) -> str | None:
    """The name of the system declared by exactly these conditions, None if it has no name."""
    conditions = frozenset(frame)
    return next((name for name, members in SYSTEMS.items() if members == conditions), None)
