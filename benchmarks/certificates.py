"""Certificates: what it takes to make and to check them, how long they are, what the checker refuses.

    python benchmarks/certificates.py [--problems 600] [--seed 1]

The problems are those of `benchmarks/problems.py`, those that have a small countermodel left out. For each
certificate: the CPU time to make it (grounding, SAT, order, and the prover's own check) and to check it,
its steps, and its bytes as JSON. Checking is timed on certificates read back from JSON, and on
problems whose formulas were read afresh, as `modalgen verify` meets them. The baseline is cvc5's time to
refute the same problem, which yields no certificate that anything here could check.

Then every certificate is offered with each of its steps left out, with each of its numbers altered by one,
and to the same problem in the largest class of models, where that is invalid: how many are refused.
"""

from __future__ import annotations

import argparse
import copy
import json
import statistics
import sys
import time
from collections import Counter
from typing import Any

from problems import mixed_problems

from modalgen.certificate import CertificateError, check
from modalgen.oracle.cvc5_finder import Cvc5Finder
from modalgen.oracle.herbrand import HerbrandProver
from modalgen.oracle.kripke_search import KripkeSearch, find_countermodel
from modalgen.oracle.verdict import Limits
from modalgen.printing import to_unicode
from modalgen.problem import Problem
from modalgen.semantics import Semantics
from modalgen.syntax import parse


def refused(problem: Problem, certificate: Any) -> bool:
    """Whether the checker refuses the certificate."""
    try:
        check(problem, certificate)
    except CertificateError:
        return True
    return False


def read_again(problem: Problem) -> Problem:
    """The problem from its text, so that nothing that was computed before is at hand."""
    premises = tuple(parse(to_unicode(premise)) for premise in problem.premises)
    return Problem(problem.semantics, premises, parse(to_unicode(problem.conjecture)))


def spread(name: str, values: list[float], unit: str) -> None:
    """One line of the table of measurements."""
    middle, most = statistics.median(values), max(values)
    print(f"{name:<34}{statistics.fmean(values):>10.2f}{middle:>10.2f}{most:>10.2f} {unit}")


def report_making(problems: list[Problem]) -> list[tuple[Problem, Any]]:
    """Time all makers on the problems; returns what was certified."""
    certified: list[tuple[Problem, Any]] = []
    making, baseline, failed = [], [], []
    for problem in problems:
        start = time.process_time()
        verdict = HerbrandProver().decide(problem, Limits())
        middle = time.process_time()
        refuted = Cvc5Finder().decide(problem, Limits())
        if verdict.certificate is None:
            failed.append((problem, verdict.note))
            continue
        making.append((middle - start) * 1000)
        baseline.append((time.process_time() - middle) * 1000)
        certified.append((read_again(problem), json.loads(verdict.stdout)))
        assert refuted.status != "CounterSatisfiable", problem
    print(f"{len(problems)} problems without a small countermodel, {len(certified)} certified")
    for problem, note in failed:
        formulas = ", ".join(map(to_unicode, problem.formulas))
        print(f"  not certified: {problem.semantics.frame} {problem.semantics.domain} {formulas}: {note}")
    print(f"{'':<34}{'mean':>10}{'median':>10}{'most':>10}")
    spread("make", making, "ms")
    spread("cvc5, for comparison", baseline, "ms")
    return certified


def report_checking(certified: list[tuple[Problem, Any]]) -> None:
    """Time the checker, and count steps and bytes."""
    checking = []
    for problem, certificate in certified:
        start = time.process_time()
        check(problem, certificate)
        checking.append((time.process_time() - start) * 1000)
    spread("check", checking, "ms")
    spread("steps", [len(certificate["steps"]) for _, certificate in certified], "")
    spread("terms", [len(certificate["terms"]) for _, certificate in certified], "")
    spread("bytes", [len(json.dumps(c, separators=(",", ":"))) for _, c in certified], "")
    print(f"checked {1000 * len(checking) / sum(checking):.0f} a second")
    rules = Counter(step[0] for _, certificate in certified for step in certificate["steps"])
    print("rules: " + ", ".join(f"{name} {number}" for name, number in rules.most_common()))


def report_mutations(certified: list[tuple[Problem, Any]]) -> bool:
    """Alter every certificate in every way, and count what is refused. False if something is amiss."""
    left_out: Counter[bool] = Counter()
    altered: Counter[bool] = Counter()
    twins: Counter[bool] = Counter()
    for problem, certificate in certified:
        twin = Problem(
            Semantics((), problem.semantics.domain and "varying"), problem.premises, problem.conjecture
        )
        invalid = find_countermodel(twin, 3, 2) is not None
        if invalid:
            twins[refused(twin, certificate)] += 1
        for position, step in enumerate(certificate["steps"]):
            less = copy.deepcopy(certificate)
            del less["steps"][position]
            left_out[refused(problem, less)] += 1
            for place in range(1, len(step)):
                for change in (-1, 1):
                    other = copy.deepcopy(certificate)
                    other["steps"][position][place] += change
                    altered[refused(problem, other)] += 1
                    if invalid and not refused(twin, other):
                        twins[False] += 1
    print(f"a step left out: {left_out[True]} of {left_out.total()} refused")
    print(f"a number altered: {altered[True]} of {altered.total()} refused (others may still be proofs)")
    print(f"offered to an invalid twin: {twins[True]} refused; accepted, whole or altered: {twins[False]}")
    return not left_out[False] and not twins[False]


def main() -> None:
    arguments = argparse.ArgumentParser(description="Making, checking and altering certificates.")
    arguments.add_argument("--problems", type=int, default=600, help="how many, valid or not (600)")
    arguments.add_argument("--seed", type=int, default=1, help="of the random choices (1)")
    options = arguments.parse_args()
    small = Limits(worlds=4, individuals=3)
    bench = mixed_problems(options.problems, options.seed)
    certified = report_making([p for p in bench if not KripkeSearch().decide(p, small).decisive])
    report_checking(certified)
    if not report_mutations(certified):
        sys.exit("a certificate was accepted that should have been refused")


if __name__ == "__main__":
    main()
