"""Labels for a mixed bench of problems whose labels nobody wrote down.

    python benchmarks/labels.py [--problems 1000] [--seed 1] [--show]

The problems are those of `benchmarks/problems.py`: all systems, other sets of conditions, all domain
regimes, validity and inference; and one more that is known to have infinite countermodels only. Each is
judged by the whole oracle as a build does it, only that solvers run in this process and not in a guarded
child, so that their time can be told. Printed are the labels and how well they are supported, whatever is
not dual and why, the certificates by kind, and what a label costs, stage by stage, in CPU time (so: on one
core, whatever else the machine does). The baseline is cvc5, the one prover here that decides both ways
nearly always: its time alone, in the same run.

A conflict is a bug in one of the provers; the benchmark then fails.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import sys
import time
from collections import Counter, defaultdict

from problems import INFINITE, mixed_problems

from modalgen.certificate import check
from modalgen.kripke import objection
from modalgen.oracle.judge import Judgment, Oracle
from modalgen.oracle.policy import Resolution, settle
from modalgen.oracle.verdict import Decider, Verdict
from modalgen.printing import to_unicode
from modalgen.problem import Problem
from modalgen.semantics import DOMAINS, system_name


def described(problem: Problem) -> str:
    """The problem on one line."""
    declared = problem.semantics
    name = system_name(declared.frame) or "+".join(declared.frame)
    domains = f", {declared.domain}" if declared.domain else ""
    premises = ", ".join(map(to_unicode, problem.premises))
    return f"[{name}{domains}] {premises} ⊢ {to_unicode(problem.conjecture)}"


def row(name: str, *cells: object) -> None:
    """One line of a table."""
    print(f"{name:<34}" + "".join(f"{cell:>12}" for cell in cells))


def kind_of(judgment: Judgment) -> str:
    """What a stranger can check: a certificate, a countermodel, or the words of provers only."""
    if judgment.certificate is not None:
        return str(judgment.certificate["kind"])
    if judgment.countermodel is not None:
        return "countermodel"
    return {True: "refutation", False: "saturation", None: "none"}[judgment.settlement.label]


def report_labels(judgments: list[Judgment]) -> None:
    """Labels by resolution and class of models, and certificates by kind."""
    row("labels", "valid", "invalid", "none")
    groups: dict[str, list[Judgment]] = {"all": judgments}
    for judgment in judgments:
        problem = judgment.problem
        groups.setdefault(f"domains: {problem.semantics.domain or 'propositional'}", []).append(judgment)
        groups.setdefault("inference" if problem.premises else "validity", []).append(judgment)
        groups.setdefault(
            "the fifteen systems" if system_name(problem.semantics.frame) else "other conditions", []
        ).append(judgment)
        groups.setdefault(f"resolution: {judgment.settlement.resolution}", []).append(judgment)
        groups.setdefault(f"certificate: {kind_of(judgment)}", []).append(judgment)
    for name, group in sorted(groups.items()):
        count = Counter(judgment.settlement.label for judgment in group)
        row(f"  {name}", count[True], count[False], count[None])
    exhaustive = sum("exhaustive" in v.note for j in judgments for v in j.verdicts)
    print(f"  valid and the bounded search was exhaustive (propositional): {exhaustive}")
    models = Counter(j.countermodel.worlds for j in judgments if j.countermodel is not None)
    print(f"  worlds of countermodels: {', '.join(f'{n}: {count}' for n, count in sorted(models.items()))}")


def report_sizes(judgments: list[Judgment]) -> None:
    """How long certificates are and what checking takes, without any prover."""
    pairs = [(j.problem, j.certificate) for j in judgments if j.certificate is not None]
    steps = [len(certificate["steps"]) for _, certificate in pairs]
    sizes = [len(json.dumps(dict(certificate), separators=(",", ":"))) for _, certificate in pairs]
    start = time.process_time()
    for problem, certificate in pairs:
        check(problem, certificate)
    spent = time.process_time() - start
    print(
        f"certificates: median {statistics.median(steps):.0f} steps (most {max(steps)}), "
        f"{statistics.median(sizes):.0f} bytes (most {max(sizes)}), checked {len(pairs) / spent:.0f} a second"
    )
    found = [(j.countermodel, j.problem) for j in judgments if j.countermodel is not None]
    start = time.process_time()
    assert all(objection(model, problem) is None for model, problem in found)
    print(f"countermodels: checked {len(found) / (time.process_time() - start):.0f} a second")


def cpu_seconds() -> float:
    """CPU seconds that this process and the subprocesses it waited for have used."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


class TimedOracle(Oracle):
    """The oracle, with the CPU seconds of every run of every decider, subprocesses included."""

    def __init__(self) -> None:
        super().__init__()
        self.spent: dict[tuple[Problem, str], float] = {}

    def run(self, decider: Decider, problem: Problem) -> Verdict:
        """One run of one decider, timed."""
        start = cpu_seconds()
        verdict = decider.decide(problem, self.limits)
        self.spent[problem, decider.name] = cpu_seconds() - start
        return verdict


# The order for which the benchmark says what labels would cost if the oracle stopped at a dual one.
STOPPING = "search; with a countermodel cvc5, E; else herbrand, E, cvc5"


def two_deciders(judgment: Judgment, spent: dict[tuple[Problem, str], float]) -> float:
    """The CPU seconds of the runs that STOPPING would have made."""
    runs = {verdict.decider: verdict for verdict in judgment.verdicts}
    refuted = runs["z3-kripke"].countermodel is not None
    order = ["z3-kripke", *(("cvc5", "eprover-tff") if refuted else ("herbrand", "eprover-tff", "cvc5"))]
    made: list[Verdict] = []
    for name in [*order, *(runs.keys() - set(order) - {"herbrand"})]:
        if settle(made).resolution is not Resolution.DUAL:
            made.append(runs[name])
    return sum(spent[judgment.problem, verdict.decider] for verdict in made)


def report_times(judgments: list[Judgment], spent: dict[tuple[Problem, str], float]) -> None:
    """What a label costs, by decider, and the ratio to cvc5 alone."""
    labelled = {j.problem: j.settlement.label for j in judgments if j.settlement.label is not None}
    times: dict[str, list[float]] = defaultdict(list)
    decided: Counter[tuple[str, bool]] = Counter()
    for judgment in judgments:
        for verdict in judgment.verdicts:
            if judgment.problem in labelled:
                times[verdict.decider].append(spent[judgment.problem, verdict.decider] * 1000)
                decided[verdict.decider, labelled[judgment.problem]] += verdict.decisive
    row("stage (labelled problems)", "runs", "valid", "invalid", "mean ms", "median ms", "ms a label")
    for decider, spans in times.items():
        numbers = [decided[decider, label] for label in (True, False)]
        mean, median = statistics.fmean(spans), statistics.median(spans)
        per_label = sum(spans) / len(labelled)
        row(f"  {decider}", len(spans), *numbers, f"{mean:.1f}", f"{median:.1f}", f"{per_label:.1f}")
    whole, baseline = (sum(map(sum, times.values())), sum(times["cvc5"]))
    number = len(labelled)
    print(f"the whole oracle: {whole / number:.1f} ms a label, {number / whole * 1000:.0f} a second")
    print(f"baseline, cvc5 alone: {baseline / number:.1f} ms; the oracle: {whole / baseline:.2f} times that")
    least = sum(two_deciders(j, spent) for j in judgments if j.problem in labelled) * 1000
    print(f"stopping at two independent deciders: {least / number:.1f} ms a label ({STOPPING})")
    rest = sum(seconds for (problem, _), seconds in spent.items() if problem not in labelled)
    print(f"spent on the {len(judgments) - len(labelled)} problems without a label: {rest:.1f} s")


def main() -> None:
    arguments = argparse.ArgumentParser(description="Labels for a mixed bench of problems.")
    arguments.add_argument("--problems", type=int, default=1000, help="how many (1000)")
    arguments.add_argument("--seed", type=int, default=1, help="of the random choices (1)")
    arguments.add_argument("--show", action="store_true", help="print every problem with its label")
    options = arguments.parse_args()
    bench = [*mixed_problems(options.problems, options.seed), INFINITE]
    conditions = len({problem.semantics.frame for problem in bench})
    print(
        f"{len(bench)} problems, {conditions} sets of conditions, {len(DOMAINS)} regimes, seed {options.seed}"
    )
    with TimedOracle() as oracle:
        judgments = [oracle.judge(problem) for problem in bench]
    if options.show:
        for judgment in judgments:
            print(
                f"{judgment.settlement.resolution:<10} {kind_of(judgment):<12} {described(judgment.problem)}"
            )
    report_labels(judgments)
    report_sizes(judgments)
    report_times(judgments, oracle.spent)
    for judgment in judgments:
        if judgment.settlement.resolution is not Resolution.DUAL:
            print(f"{judgment.settlement.resolution}: {described(judgment.problem)}")
            for verdict in judgment.verdicts:
                print(f"    {verdict.decider}: {verdict.status}; {verdict.note}")
    infinite = judgments[-1].settlement.resolution
    print(f"the problem with infinite countermodels only: {infinite}")
    conflicts = sum(j.settlement.resolution is Resolution.CONFLICT for j in judgments)
    if conflicts or infinite is not Resolution.UNRESOLVED:
        sys.exit(f"{conflicts} conflicts: one of the provers has a bug")


if __name__ == "__main__":
    main()
