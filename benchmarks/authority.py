"""LET and Vampire against our own embedding and E.

`python benchmarks/authority.py [problems] [jobs] [seconds for a run]`

The problems are those of `benchmarks/problems.py` whose frame conditions LET knows, with local
premises, with global premises and with a global conjecture by turns. Every problem goes to Vampire on
LET's translation, and to E and Vampire on ours. Reported are how often each pair of answers occurs,
every disagreement, every finite model that the reference evaluator refused, and the times. The exit
code is 1 if there is a disagreement or a refused model.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from statistics import mean, median

from problems import mixed_problems

from modalgen.nxf import to_nxf
from modalgen.oracle.eprover import EProver
from modalgen.oracle.let import unnamed_conditions
from modalgen.oracle.registry import installed
from modalgen.oracle.vampire import Vampire
from modalgen.oracle.verdict import Decider, Limits, SzsStatus, Verdict
from modalgen.problem import Problem

SEED = 3


def problems(count: int) -> list[Problem]:
    """So many problems that LET can translate; every fourth has its premises made global, every
    fourth a global conjecture, every eighth both."""
    mixed = [p for p in mixed_problems(2 * count, SEED) if not unnamed_conditions(p)][:count]
    return [
        replace(
            problem,
            premises=() if number % 4 == 1 else problem.premises,
            global_premises=problem.premises if number % 4 == 1 else (),
            global_conjecture=number % 8 in (1, 2),
        )
        for number, problem in enumerate(mixed)
    ]


def main() -> None:
    """Run and report."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    limits = Limits(wall_seconds=float(sys.argv[3]) if len(sys.argv) > 3 else 5.0)
    deciders = installed((Vampire("let-tff"), Vampire("embedded-tff"), EProver("tff")))

    def judge(problem: Problem) -> list[Verdict]:
        return [decider.decide(problem, limits) for decider in deciders]

    cases = problems(count)
    started = time.monotonic()
    with ThreadPoolExecutor(jobs) as pool:
        table = list(pool.map(judge, cases))
    print(f"{len(cases)} problems in {time.monotonic() - started:.0f} s with {jobs} jobs")
    _report_times(deciders, table)
    for number, other in enumerate(deciders[1:], start=1):
        pairs = Counter((str(row[0].status), str(row[number].status)) for row in table)
        print(f"{deciders[0].name} and {other.name}:")
        for (ours, theirs), occurrences in pairs.most_common():
            print(f"  {occurrences:5} {ours} / {theirs}")
    faults = 0
    for problem, row in zip(cases, table, strict=True):
        answers = {verdict.status for verdict in row if verdict.decisive}
        errors = [verdict for verdict in row if verdict.status in (SzsStatus.ERROR, SzsStatus.INPUT_ERROR)]
        if len(answers) > 1 or errors:
            faults += 1
            print(
                "DISAGREEMENT" if len(answers) > 1 else "ERROR", [(v.decider, v.status, v.note) for v in row]
            )
            print(to_nxf(problem))
    print(f"{faults} disagreements and errors")
    raise SystemExit(1 if faults else 0)


def _report_times(deciders: tuple[Decider, ...], table: list[list[Verdict]]) -> None:
    for number, decider in enumerate(deciders):
        verdicts = [row[number] for row in table]
        answered = [1000 * verdict.seconds for verdict in verdicts if verdict.decisive]
        print(
            f"{decider.name}: {len(answered)} of {len(verdicts)} decided, median {median(answered):.0f} ms, "
            f"mean {mean(answered):.0f} ms, longest {max(answered):.0f} ms"
        )


if __name__ == "__main__":
    main()
