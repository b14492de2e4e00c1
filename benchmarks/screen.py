"""The small-model screen against the reference evaluator, and what it finds for each contrast.

    python benchmarks/screen.py [SIZE]

First a seeded set of random formulas with two atoms: in which of nine systems is each valid over all
small models? The baseline asks the reference evaluator model by model and stops, for each system, at the
first countermodel. Both must agree on every formula, or the benchmark fails. The same with quantifiers,
under four domain regimes on serial frames. Columns of subformulas are not remembered between formulas.

Then, for each contrast, how many formulas up to SIZE nodes (by default 8), and how many inferences from one
premise of at most 4 nodes to a conjecture of at most SIZE - 2, are valid on one side and not on the other, of
how many modal schemas, and how long it took to find them, schemas not counted. No two of them are equivalent
over the small models. Sizes that are too large to be exhausted are sampled. Times are of the processor.
"""

from __future__ import annotations

import random
import sys
import time

from modalgen.formula import (
    And,
    Atom,
    Box,
    Diamond,
    Exists,
    Forall,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
)
from modalgen.gen.canonical import family
from modalgen.gen.contrast import Contrast, Grammar, Selection, StructuralLimits
from modalgen.gen.grammar import grammar_candidates
from modalgen.gen.pointed_models import PointedModel, ground_facts
from modalgen.gen.screen import Screen, screen_for
from modalgen.kripke import KripkeModel, true_at
from modalgen.semantics import DOMAINS, SYSTEMS, Semantics, semantics

NINE = ("K", "D", "T", "KB", "B", "K4", "S4", "K45", "S5")


def kripke(model: PointedModel, screen: Screen) -> KripkeModel:
    """The model as the reference evaluator reads it, worlds apart from their names."""
    relation, domains = model.skeleton.relation, model.skeleton.domains
    W, D = range(len(relation)), range(model.skeleton.population)
    facts = ground_facts([arity for _, arity in screen.vocabulary], len(D))
    true = [{fact for n, fact in enumerate(facts) if label >> n & 1} for label in model.valuation]
    names = list(enumerate(screen.vocabulary))
    return KripkeModel(
        len(W),
        frozenset((w, v) for w in W for v in W if relation[w] >> v & 1),
        None if domains is None else tuple(frozenset(d for d in D if domains[w] >> d & 1) for w in W),
        {name: frozenset(w for w in W if (n, ()) in true[w]) for n, (name, arity) in names if not arity},
        {
            name: tuple(frozenset(row for s, row in true[w] if s == n) for w in W)
            for n, (name, arity) in names
            if arity
        },
    )


def random_formula(rng: random.Random, size: int, quantified: bool, scope: tuple[str, ...] = ()) -> Formula:
    """A random formula of about this size, over p and q or over F and G."""
    if quantified and not scope:
        return rng.choice((Forall, Exists))("x", random_formula(rng, size - 1, True, ("x",)))
    if size <= 1:
        return Atom(rng.choice("FG"), (rng.choice(scope),)) if quantified else Atom(rng.choice("pq"))
    kinds = [Not, Box, Diamond, And, Or, Implies, Iff, *([Forall, Exists] if quantified else [])]
    kind = rng.choice(kinds[:3] + kinds[7:] if size == 2 else kinds)
    if kind in (Forall, Exists):
        return kind("y", random_formula(rng, size - 1, True, (*scope, "y")))
    if kind in (Not, Box, Diamond):
        return kind(random_formula(rng, size - 1, quantified, scope))
    left = rng.randint(1, size - 2)
    return kind(
        random_formula(rng, left, quantified, scope),
        random_formula(rng, size - 1 - left, quantified, scope),
    )


def throughput(title: str, screen: Screen, classes: list[Semantics], quantified: bool) -> None:
    """Formulas a second, with columns and with the evaluator, and their ratio."""
    rng = random.Random(2026)
    formulas = [random_formula(rng, rng.randint(5, 9), quantified) for _ in range(2000)]
    members = [screen.members(semantics) for semantics in classes]
    fresh = Screen(screen.vocabulary, screen.columns)
    fresh.countermodels((), formulas[0])
    start = time.process_time()
    found = []
    for formula in formulas:
        countermodels = fresh.countermodels((), formula)
        found.append([not countermodels & models for models in members])
    ours = len(formulas) / (time.process_time() - start)

    models = [kripke(model, screen) for model in screen.columns.models]
    few = formulas[:40]
    start = time.process_time()
    for formula, valid in zip(few, found, strict=False):
        truth = {}
        for number, semantics_members in enumerate(members):
            for n, model in enumerate(models):
                if semantics_members >> n & 1:
                    if n not in truth:
                        truth[n] = true_at(model, 0, formula)
                    if not truth[n]:
                        break
            if (not any(semantics_members >> n & 1 and not true for n, true in truth.items())) != valid[
                number
            ]:
                raise SystemExit(f"the screen and the evaluator disagree on {formula}")
    baseline = len(few) / (time.process_time() - start)
    print(
        f"{title}: {len(models)} models, {len(classes)} classes: {ours:,.0f} formulas/s, "
        f"evaluator {baseline:,.1f}/s, ratio {ours / baseline:,.0f}"
    )


def findings(name: str, a: Semantics, b: Semantics, size: int) -> None:
    """What grammars find for a contrast."""
    domain = a.domain is not None
    symbols = (("F", 1), ("G", 1)) if domain else (("p", 0), ("q", 0))
    operators = ("not", "and", "or", "implies", "box", "diamond", *(("forall", "exists") if domain else ()))
    depth = 2 if domain else 0
    grammars = (
        Grammar("formulas", "validity", operators, symbols, size, 3, depth),
        Grammar("inferences", "inference", operators, symbols, size - 2, 3, depth, 1, 4),
    )
    limits, select = StructuralLimits(3, depth, 40), Selection(1, 1, 1)
    axis = "domain" if domain else "frame"
    contrast = Contrast(name, "", "", axis, (a, b), symbols, {}, (), limits, select, None, grammars)
    for grammar in grammars:
        start = time.process_time()
        found = list(grammar_candidates(contrast, grammar, 1))
        seconds = time.process_time() - start
        families = {family(c.premises, c.conjecture) for c in found}
        directions = [0, 0]
        for candidate in found:
            screen = screen_for(frozenset(symbols), (a, b))
            countermodels = screen.countermodels(candidate.premises, candidate.conjecture)
            directions[bool(countermodels & screen.members(a))] += 1
        print(
            f"{name:24} {grammar.id:10} {len(found):6} ({directions[0]} valid on the first side only), "
            f"{len(families):5} families, {seconds:6.1f} s"
        )


def main() -> None:
    """Print all figures."""
    plain = screen_for(frozenset({("p", 0), ("q", 0)}), (semantics(),))
    throughput("propositional", plain, [semantics(SYSTEMS[name]) for name in NINE], False)
    serial = semantics(["serial"], "varying")
    quantified = screen_for(frozenset({("F", 1), ("G", 1)}), (serial,))
    throughput("quantified", quantified, [semantics(["serial"], regime) for regime in DOMAINS], True)
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    for a, b in (("K", "D"), ("K", "T"), ("T", "B"), ("T", "S4"), ("B", "S5"), ("B", "S4")):
        findings(f"{a}–{b}", semantics(SYSTEMS[a]), semantics(SYSTEMS[b]), size)
    for c, d in (
        ("varying", "cumulative"),
        ("varying", "decreasing"),
        ("cumulative", "constant"),
        ("cumulative", "decreasing"),
    ):
        findings(f"{c}–{d}", semantics(["serial"], c), semantics(["serial"], d), size)


if __name__ == "__main__":
    main()
