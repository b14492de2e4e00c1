"""cvc5: refutation by instantiation and finite models, on the SMT-LIB translation.

cvc5 (Barbosa et al., "cvc5: A Versatile and Industrial-Strength SMT Solver", TACAS 2022) gets two
attempts, each with half of the limits, because they fail on different problems:

1. *Finite model finding* (Reynolds, Tinelli, Goel, Krstić, "Finite Model Finding in SMT", CAV 2013)
   decides how many elements each sort has, smallest first, and instantiates the quantifiers over
   them. The bounds are decisions and not assertions, so `unsat` is a refutation like any other: it
   never means that there is merely no *finite* countermodel.
2. *Enumerative instantiation* (Reynolds, Barbosa, Fontaine, "Revisiting Enumerative Instantiation",
   TACAS 2018) only refutes. It found 26 refutations among 60 large problems, mostly on transitive and
   dense frames, where the first attempt spent 100,000 steps without an end. There are small ones
   too: `□(◇r ∨ ◇p) ⊢ ◇r ∨ ◇(p ∨ □◇q)` in D4.

A model is read back value by value and believed only if the reference evaluator accepts it.
`steps` are cvc5's resource units (`rlimit-per`), which count rewrites, lemmas, decisions and the
like: the same number for the same problem in every run, in whatever order problems come. Usual
problems take 1,000 of them, the hardest of 459 took 30,000; there are 10 to 150 in a millisecond.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as package_version
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

from modalgen.kripke import KripkeModel, objection
from modalgen.oracle.smt import (
    ACCESSIBLE,
    DESIGNATED,
    EXISTS_AT,
    INDIVIDUAL,
    WORLD,
    predicate_symbol,
    to_smtlib,
)
from modalgen.oracle.verdict import DeciderMissing, Limits, SzsStatus, Verdict
from modalgen.problem import Problem

STRATEGIES = ("finite-model-find", "enum-inst")

_UNDECIDED = (SzsStatus.GAVE_UP, SzsStatus.TIMEOUT, SzsStatus.RESOURCE_OUT)
_MISSING = "cvc5 is not installed; get it with: pip install cvc5"


@dataclass(frozen=True)
class _Answer:
    """What one attempt ended with."""

    status: SzsStatus
    stdout: str
    note: str = ""
    countermodel: KripkeModel | None = None


class Cvc5Finder:
    """cvc5 in this process. A crash or a hang of the library would be one of the process: see `Guard`."""

    name = "cvc5"
    route = "embedded-smt"

    def version(self) -> str:
        """The version of the installed package. Raises DeciderMissing if there is none."""
        try:
            return package_version("cvc5")
        except PackageNotFoundError as error:
            raise DeciderMissing(_MISSING) from error

    def path(self) -> str | None:
        """Where the Python package is installed; None if it is not."""
        spec = find_spec("cvc5")
        return None if spec is None or spec.origin is None else str(Path(spec.origin).parent)

    def decide(self, problem: Problem, limits: Limits) -> Verdict:
        """Run cvc5 on the SMT-LIB translation of *problem*.

        Theorem for `unsat`; CounterSatisfiable for a model that the reference evaluator accepts, and
        Error, with a note that says why, for one that it does not. Everything else is no evidence.
        Raises DeciderMissing if the package is not installed.
        """
        version = self.version()
        started = time.perf_counter()
        text = to_smtlib(problem)
        notes, statuses = [], []
        for strategy in STRATEGIES:
            options = _options(strategy, limits)
            answer = _attempt(problem, text, options)
            if answer.status not in _UNDECIDED:
                break
            notes.append(f"{strategy}: {answer.note}")
            statuses.append(answer.status)
        else:
            # More time might have let either attempt end otherwise.
            status = SzsStatus.TIMEOUT if SzsStatus.TIMEOUT in statuses else answer.status
            answer = _Answer(status, answer.stdout, "; ".join(notes))
        return Verdict(
            decider=self.name,
            route=self.route,
            version=version,
            translation=text,
            command=_command(options),
            status=answer.status,
            seconds=time.perf_counter() - started,
            exit_code=None,
            stdout=answer.stdout,
            countermodel=answer.countermodel,
            note=answer.note,
        )


def _options(strategy: str, limits: Limits) -> dict[str, str]:
    # 0 would mean no limit.
    attempts = len(STRATEGIES)
    return {
        strategy: "true",
        "produce-models": "true",
        "rlimit-per": str(max(1, limits.steps // attempts)),
        "tlimit-per": str(max(1, int(limits.wall_seconds * 1000 / attempts))),
    }


def _command(options: dict[str, str]) -> tuple[str, ...]:
    """The command line that runs cvc5's own executable alike."""
    arguments = (f"--{name}" if value == "true" else f"--{name}={value}" for name, value in options.items())
    return ("cvc5", *arguments, "--dump-models", "problem.smt2")


def _attempt(problem: Problem, text: str, options: dict[str, str]) -> _Answer:
    try:
        # Here and not above: the library is large, and a caller that has a `Guard` need not load it.
        import cvc5

        # A new term manager for each query: models then do not depend on what was solved before.
        terms = cvc5.TermManager()
        solver = cvc5.Solver(terms)
        symbols = cvc5.SymbolManager(terms)
        for name, value in options.items():
            solver.setOption(name, value)
        result = _run_script(cvc5, solver, symbols, text)
        if result.isUnsat():
            return _Answer(SzsStatus.THEOREM, "unsat\n")
        if result.isUnknown():
            return _undecided(result.getUnknownExplanation().name)
        declared = (symbols.getDeclaredSorts(), symbols.getDeclaredTerms())
        printed = solver.getModel(*declared)
        stdout = "sat\n" + (printed.decode() if isinstance(printed, bytes) else printed)
        model = _read_model(cvc5, terms, solver, *declared, problem)
    except ModuleNotFoundError as error:
        raise DeciderMissing(_MISSING) from error
    except MemoryError:
        return _Answer(SzsStatus.RESOURCE_OUT, "", "out of memory")
    except Exception as error:  # cvc5's own are RuntimeErrors; whatever it is, it is a verdict
        return _Answer(SzsStatus.ERROR, "", f"{type(error).__name__}: {error}")
    if why := objection(model, problem):
        note = f"CONTRADICTION: the reference evaluator rejects cvc5's countermodel: {why}"
        return _Answer(SzsStatus.ERROR, stdout, note)
    return _Answer(SzsStatus.COUNTER_SATISFIABLE, stdout, countermodel=model)


def _run_script(cvc5: Any, solver: Any, symbols: Any, text: str) -> Any:
    """Run the commands and return the result of `(check-sat)`."""
    parser = cvc5.InputParser(solver, symbols)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "problem.smt2")
    result = None
    while not (command := parser.nextCommand()).isNull():
        if command.getCommandName() == "check-sat":
            result = solver.checkSat()
        elif output := command.invoke(solver, symbols):
            raise RuntimeError(f"cvc5 answered to a declaration: {output}")
    if result is None:
        raise RuntimeError("the script has no check-sat")
    return result


def _undecided(explanation: str) -> _Answer:
    match explanation:
        case "TIMEOUT":
            return _Answer(SzsStatus.TIMEOUT, "unknown\n", "the wall-clock limit was reached")
        case "RESOURCEOUT":
            return _Answer(SzsStatus.RESOURCE_OUT, "unknown\n", "the step limit was reached")
        case "MEMOUT":
            return _Answer(SzsStatus.RESOURCE_OUT, "unknown\n", "out of memory")
    return _Answer(SzsStatus.GAVE_UP, "unknown\n", f"unknown ({explanation.lower()})")


def _read_model(
    cvc5: Any, terms: Any, solver: Any, sorts: list[Any], constants: list[Any], problem: Problem
) -> KripkeModel:
    """The finite model that the solver holds, with the designated world first."""
    sort = {s.getSymbol(): s for s in sorts}
    constant = {c.getSymbol(): c for c in constants}
    here = solver.getValue(constant[DESIGNATED])
    worlds = sorted(solver.getModelDomainElements(sort[WORLD]), key=lambda world: bool(world != here))
    everywhere = range(len(worlds))

    def holds(symbol: str, *arguments: Any) -> bool:
        ground = terms.mkTerm(cvc5.Kind.APPLY_UF, constant[symbol], *arguments)
        return bool(solver.getValue(ground).getBooleanValue())

    individuals = solver.getModelDomainElements(sort[INDIVIDUAL]) if INDIVIDUAL in sort else []

    def extension(name: str, arity: int, world: int) -> frozenset[tuple[int, ...]]:
        return frozenset(
            row
            for row in product(range(len(individuals)), repeat=arity)
            if holds(predicate_symbol(name), worlds[world], *(individuals[d] for d in row))
        )

    def exists(world: int, individual: int) -> bool:
        # Without an existence predicate (constant domains) everything exists everywhere.
        return EXISTS_AT not in constant or holds(EXISTS_AT, worlds[world], individuals[individual])

    domains = None
    if problem.semantics.domain is not None:
        domains = tuple(frozenset(d for d in range(len(individuals)) if exists(w, d)) for w in everywhere)
    interpreted = {
        (name, arity): tuple(extension(name, arity, w) for w in everywhere)
        for name, arity in sorted(problem.signature)
    }
    return KripkeModel(
        worlds=len(worlds),
        accessibility=frozenset(
            (w, v) for w in everywhere for v in everywhere if holds(ACCESSIBLE, worlds[w], worlds[v])
        ),
        domains=domains,
        valuation={
            name: frozenset(w for w in everywhere if rows[w])
            for (name, arity), rows in interpreted.items()
            if arity == 0
        },
        extensions={name: rows for (name, arity), rows in interpreted.items() if arity > 0},
        actual=0,
    )
