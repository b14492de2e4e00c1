"""The clauses of frames and domains, and the solver that they are put to."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from modalgen.kripke import KripkeModel, satisfies_domain_condition, satisfies_frame_condition
from modalgen.oracle.kripke_frames import TRUE, structure
from modalgen.oracle.z3_sat import SatQuery, SolverStopped
from modalgen.semantics import CONDITIONS, DOMAINS


def structure_dimacs(frame: tuple[str, ...], domain: str | None, n: int, m: int) -> str:
    clauses = structure(frame, domain, n, m)
    return f"p cnf {clauses.variables} {clauses.clauses}\n{' '.join(map(str, clauses.literals))}\n"


def chosen(literals: list[int], bits: tuple[bool, ...]) -> list[int]:
    return [literal if bit else -literal for literal, bit in zip(literals, bits, strict=True)]


@pytest.mark.parametrize("condition", sorted(CONDITIONS))
def test_frame_clauses_admit_exactly_the_frames_of_the_condition(condition: str) -> None:
    """Guards every frame condition: of all frames with up to three worlds, the right ones."""
    for n in (1, 2, 3):
        arrows = list(product(range(n), repeat=2))
        row = [x for line in structure((condition,), None, n, 0).accessibility for x in line]
        with SatQuery(structure_dimacs((condition,), None, n, 0), 10**9, 60, 2048) as query:
            for bits in product((False, True), repeat=n * n):
                model = KripkeModel(n, frozenset(a for a, bit in zip(arrows, bits, strict=True) if bit))
                # The constant true may be assumed false as well: then there is nothing to satisfy.
                assumed = [*chosen(row, bits), TRUE]
                assert query.check(assumed) == satisfies_frame_condition(model, condition), (n, bits)


@pytest.mark.parametrize("domain", sorted(DOMAINS))
def test_domain_clauses_admit_exactly_the_domains_of_the_regime(domain: str) -> None:
    """Guards the four regimes and non-emptiness; constant domains are the one with all individuals."""
    worlds = range(2)
    table = structure((), domain, 2, 2)
    row = [x for lines in (table.accessibility, table.existence) for line in lines for x in line]
    with SatQuery(structure_dimacs((), domain, 2, 2), 10**9, 60, 2048) as query:
        for bits in product((False, True), repeat=8):
            arrows = frozenset(a for a, bit in zip(product(worlds, worlds), bits[:4], strict=True) if bit)
            domains = tuple(frozenset(d for d in worlds if bits[4 + 2 * w + d]) for w in worlds)
            right = all(domains) and satisfies_domain_condition(KripkeModel(2, arrows, domains), domain)
            if domain == "constant":
                right = all(bits[4:])
            assert query.check([*chosen(row, bits), TRUE]) == right, (arrows, domains)


def pigeons(holes: int) -> str:
    at = {(i, j): i * holes + j + 1 for i in range(holes + 1) for j in range(holes)}
    clauses = [[at[i, j] for j in range(holes)] for i in range(holes + 1)]
    clauses += [[-at[i, j], -at[k, j]] for j in range(holes) for i, k in combinations(range(holes + 1), 2)]
    return f"p cnf {len(at)} {len(clauses)}\n" + "".join(f"{' '.join(map(str, c))} 0\n" for c in clauses)


def test_solver_is_stopped_by_steps_and_by_time() -> None:
    """Guards both limits of a single check, with twelve pigeons and eleven holes."""
    for steps, seconds in ((2_000, 60.0), (120_000, 60.0), (10**12, 0.3)):
        with SatQuery(pigeons(11), steps, seconds, 2048) as query:
            with pytest.raises(SolverStopped):
                query.check()
            assert query.steps() < 20_000_000


def test_solver_goes_on_after_its_untimed_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the second attempt of a check: it ends with the answer, not with the first limit."""
    monkeypatch.setattr("modalgen.oracle.z3_sat.UNTIMED_STEPS", 100)
    with SatQuery(pigeons(5), 10_000_000, 60, 2048) as query:
        assert not query.check()
