"""Z3's SAT solver on clauses in DIMACS format, with assumptions, a step limit and a time limit.

Z3 (de Moura and Bjørner, TACAS 2008) runs its CDCL solver for the logic QF_FD. Clauses go in as DIMACS
text, which is several times as fast as building each through the API; variable i of the text is the
Boolean constant whose symbol is the integer i. The functions of `z3.z3core` are called directly, for
here the wrapper objects of the Python API cost more than the solving.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any

import z3
from z3 import z3core

# Z3 reads its limits as unsigned 32-bit numbers, of which the greatest, and for steps 0, mean none.
_GREATEST = 2**32 - 2

# Z3 keeps time in a second thread, and waking that costs more than most queries. So many steps take
# less than a tenth of a second and go without.
UNTIMED_STEPS = 100_000


class SolverStopped(Exception):
    """Z3 ended without an answer; the message says what reason it gives."""


class _Engine(threading.local):
    """One Z3 context for each thread, since a context may be used by one thread only.

    A context takes longer to make than most problems take to solve, so it is kept.
    """

    def __init__(self) -> None:
        self.context: Any = z3.Context()
        self.ref: Any = self.context.ref()
        self.logic: Any = z3core.Z3_mk_string_symbol(self.ref, "QF_FD")
        self.boolean: Any = z3core.Z3_mk_bool_sort(self.ref)
        self.true: Any = z3core.Z3_mk_true(self.ref)
        for node in (self.boolean, self.true):
            z3core.Z3_inc_ref(self.ref, node)
        self.symbols: Any = {
            name: z3core.Z3_mk_string_symbol(self.ref, name)
            for name in ("rlimit", "timeout", "max_memory", "random_seed", "ctrl_c", "phase")
        }
        self.always_false: Any = z3core.Z3_mk_string_symbol(self.ref, "always_false")
        # For variable i the nodes of i and of its negation, and the declaration of i.
        self.variables: list[tuple[Any, Any, Any]] = []
        self.steps = 0

    def variable(self, number: int) -> tuple[Any, Any, Any]:
        while len(self.variables) < number:
            symbol = z3core.Z3_mk_int_symbol(self.ref, len(self.variables) + 1)
            constant = z3core.Z3_mk_const(self.ref, symbol, self.boolean)
            z3core.Z3_inc_ref(self.ref, constant)
            negation = z3core.Z3_mk_not(self.ref, constant)
            z3core.Z3_inc_ref(self.ref, negation)
            self.variables.append((constant, negation, z3core.Z3_get_app_decl(self.ref, constant)))
        return self.variables[number - 1]


_engine = _Engine()


class SatQuery:
    """A set of clauses put to a fresh solver. Use it as a context manager, in one thread.

    *steps* (units of Z3's resource count, at least 1), *seconds* and *megabytes* bound each check.
    Raises ValueError for fewer steps than 1.
    """

    def __init__(self, dimacs: str, steps: int, seconds: float, megabytes: int):
        if steps < 1:
            raise ValueError("a query needs at least one step")
        self._engine = _engine
        self._dimacs = dimacs
        self._steps_on_the_clock = steps - UNTIMED_STEPS
        self._milliseconds = max(1, min(math.ceil(seconds * 1000), _GREATEST))
        self._options = {
            "rlimit": min(steps, UNTIMED_STEPS),
            "max_memory": min(megabytes, _GREATEST),
            "random_seed": 0,
        }
        self._solver: Any = z3core.Z3_mk_solver_for_logic(self._engine.ref, self._engine.logic)

    def __enter__(self) -> SatQuery:
        z3core.Z3_solver_inc_ref(self._engine.ref, self._solver)
        self._set_options()
        self._unread = True
        z3core.Z3_solver_from_string(self._engine.ref, self._solver, self._dimacs)
        return self

    def _set_options(self) -> None:
        engine, ref = self._engine, self._engine.ref
        options = z3core.Z3_mk_params(ref)
        z3core.Z3_params_inc_ref(ref, options)
        for name, number in self._options.items():
            z3core.Z3_params_set_uint(ref, options, engine.symbols[name], number)
        # An interrupt is Python's to handle.
        z3core.Z3_params_set_bool(ref, options, engine.symbols["ctrl_c"], False)
        # Models with few true variables are closer to the first in lexicographic order.
        z3core.Z3_params_set_symbol(ref, options, engine.symbols["phase"], engine.always_false)
        z3core.Z3_solver_set_params(ref, self._solver, options)
        z3core.Z3_params_dec_ref(ref, options)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._unread:
            self.steps()
        z3core.Z3_solver_dec_ref(self._engine.ref, self._solver)

    def check(self, assumptions: Sequence[int] = ()) -> bool:
        """Whether the clauses can be satisfied under the assumptions. Raises SolverStopped."""
        ref, solver = self._engine.ref, self._solver
        self._unread = True
        nodes = [self._engine.variable(x)[0] if x > 0 else self._engine.variable(-x)[1] for x in assumptions]
        array = (z3core.Ast * len(nodes))(*nodes)
        answer = z3core.Z3_solver_check_assumptions(ref, solver, len(nodes), array)
        if answer == z3.Z3_L_UNDEF and self._steps_on_the_clock > 0 and "timeout" not in self._options:
            self._options["rlimit"] = min(self._steps_on_the_clock, _GREATEST)
            self._options["timeout"] = self._milliseconds
            self._set_options()
            answer = z3core.Z3_solver_check_assumptions(ref, solver, len(nodes), array)
        if answer == z3.Z3_L_UNDEF:
            reason = z3core.Z3_solver_get_reason_unknown(ref, solver)
            raise SolverStopped(f"Z3 gave no answer: {reason}")
        return bool(answer == z3.Z3_L_TRUE)

    def true(self, variables: Iterable[int]) -> set[int]:
        """Those of the variables that are true in the model that the last check found."""
        engine, ref = self._engine, self._engine.ref
        model = z3core.Z3_solver_get_model(ref, self._solver)
        z3core.Z3_model_inc_ref(ref, model)
        try:
            return {
                v
                for v in variables
                if z3core.Z3_model_get_const_interp(ref, model, engine.variable(v)[2]).value
                == engine.true.value
            }
        finally:
            z3core.Z3_model_dec_ref(ref, model)

    def steps(self) -> int:
        """The units of Z3's resource count used in this thread since a query last counted them.

        Every query counts what it used, at its end at the latest.
        """
        ref = self._engine.ref
        statistics = z3core.Z3_solver_get_statistics(ref, self._solver)
        z3core.Z3_stats_inc_ref(ref, statistics)
        count = self._engine.steps
        for i in range(z3core.Z3_stats_size(ref, statistics)):
            if z3core.Z3_stats_get_key(ref, statistics, i) == "rlimit count":
                whole = z3core.Z3_stats_is_uint(ref, statistics, i)
                read = z3core.Z3_stats_get_uint_value if whole else z3core.Z3_stats_get_double_value
                count = int(read(ref, statistics, i))
        z3core.Z3_stats_dec_ref(ref, statistics)
        self._unread = False
        # The count is for the whole context; as an unsigned number it starts again after 2**32.
        used = (count - self._engine.steps) % 2**32
        self._engine.steps = count
        return used
