"""One table of problems with textbook labels, on which every part that judges is run.

Propositional rows give the systems (of fifteen) where a scheme is valid: Hughes and Cresswell, *A
New Introduction to Modal Logic* (1996), chapters 2–3; Garson, "Modal Logic", Stanford Encyclopedia
of Philosophy, sections 8–9 (Geach schemes: Lemmon and Scott's correspondence). First-order rows give
the domain regimes: Fitting and Mendelsohn, *First-Order Modal Logic* (1998), section 4.9.
"""

from __future__ import annotations

from modalgen.problem import Problem
from modalgen.semantics import DOMAINS, SYSTEMS, semantics
from modalgen.syntax import parse

ALL = " ".join(SYSTEMS)
_D = "D T DB D4 D5 D45 B S4 S5"
_T = "T B S4 S5"
_B = "KB KB5 DB B S5"
_4 = "K4 K45 KB5 D4 D45 S4 S5"
_5 = "K5 K45 KB5 D5 D45 S5"
_G = "KB K5 K45 KB5 DB D5 D45 B S5"
_C4 = "T B S4 S5 K5 K45 KB5 D5 D45"

# Scheme, and the systems in which it is valid.
PROPOSITIONAL: tuple[tuple[str, str], ...] = (
    ("□(p → q) → □p → □q", ALL),
    ("□(p ∧ q) ↔ □p ∧ □q", ALL),
    ("◇p ↔ ¬□¬p", ALL),
    ("□p ∨ □q → □(p ∨ q)", ALL),
    ("□(p ∨ q) → □p ∨ □q", ""),
    ("□p → ◇p", _D),
    ("◇⊤", _D),
    ("¬(□p ∧ □¬p)", _D),
    ("□p → p", _T),
    ("p → ◇p", _T),
    ("p → □◇p", _B),
    ("◇□p → p", _B),
    ("□p → □□p", _4),
    ("◇◇p → ◇p", _4),
    ("◇p → □◇p", _5),
    ("◇□p → □p", _5),
    ("□□p → □p", _C4),  # density
    ("□(□p → p)", _C4),  # shift reflexivity
    ("◇□p → □◇p", _G),  # Geach (1,1,1,1), convergence
    ("◇□□p → □p", _G),  # Geach (1,2,1,0)
    ("□(p ∧ □p → q) ∨ □(q ∧ □q → p)", _5),  # weak connectedness
    ("□◇p → ◇□p", ""),  # McKinsey
    ("□(□p → p) → □p", ""),  # Löb
    ("◇p → □p", ""),  # functionality
    ("p → □p", ""),
)

# Formula, and the domain regimes in which it is valid, on frames of the systems named first …
FIRST_ORDER: tuple[tuple[str, str, str], ...] = (
    # … where accessibility is not symmetric
    ("K D T S4 K45", "∀x □F(x) → □∀x F(x)", "decreasing constant"),  # Barcan
    ("K D T S4 K45", "◇∃x F(x) → ∃x ◇F(x)", "decreasing constant"),
    ("K D T S4 K45", "□∀x F(x) → ∀x □F(x)", "cumulative constant"),  # converse Barcan
    ("K D T S4 K45", "∃x ◇F(x) → ◇∃x F(x)", "cumulative constant"),
    ("K D T S4 K45", "∃x □F(x) → □∃x F(x)", "cumulative constant"),
    # … where it is, so that cumulative and decreasing domains coincide
    ("KB B S5", "∀x □F(x) → □∀x F(x)", "cumulative decreasing constant"),
    ("KB B S5", "□∀x F(x) → ∀x □F(x)", "cumulative decreasing constant"),
    ("KB B S5", "∃x □F(x) → □∃x F(x)", "cumulative decreasing constant"),
    # … of any kind
    ("K D B S4 S5", "□∃x F(x) → ∃x □F(x)", ""),
    ("K D B S4 S5", "∃x (F(x) ∨ ¬F(x))", "varying cumulative decreasing constant"),  # D(w) ≠ ∅
    ("K D B S4 S5", "□∃x (F(x) → ∀y F(y))", "varying cumulative decreasing constant"),
    ("K D", "∀x □(F(x) → G(x)) → ∀x □F(x) → ∀x □G(x)", "varying cumulative decreasing constant"),
)

# Premises, conjecture, systems where the conjecture follows (local consequence).
CONSEQUENCES: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("p",), "□p", ""),
    (("□p", "□(p → q)"), "□q", ALL),
    (("□p",), "◇p", _D),
    (("◇p", "□q"), "◇(p ∧ q)", ALL),
    (("□p", "¬p"), "⊥", _T),
    (("p", "p → □p"), "□□p", _4),
)


def rows() -> list[tuple[Problem, bool]]:
    """Every problem of the table with its label."""
    result: list[tuple[Problem, bool]] = []
    for text, systems in PROPOSITIONAL:
        for name, frame in SYSTEMS.items():
            result.append((Problem(semantics(frame), (), parse(text)), name in systems.split()))
    for premises, conclusion, systems in CONSEQUENCES:
        for name, frame in SYSTEMS.items():
            problem = Problem(semantics(frame), tuple(map(parse, premises)), parse(conclusion))
            result.append((problem, name in systems.split()))
    for names, text, regimes in FIRST_ORDER:
        for name in names.split():
            for regime in DOMAINS:
                problem = Problem(semantics(SYSTEMS[name], regime), (), parse(text))
                result.append((problem, regime in regimes.split()))
    return result
