"""The guard, with deciders that really crash, hang, eat memory and answer nonsense."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from misbehaving import (
    Behaving,
    OpenAndSleep,
    abort,
    answer_pid,
    crash_when_used,
    exit_at_once,
    hog_memory,
    kill_itself,
    loop_in_c,
    print_much,
    raise_missing,
    raise_value_error,
    remaining_alarm,
    report_bad_alloc_and_abort,
    return_no_verdict,
    return_unpicklable,
    ring_the_alarm,
    segfault,
    sleep,
    sleep_deaf,
    system_exit,
)

from modalgen.formula import Atom, Box, Formula, Implies, Not
from modalgen.oracle import guard as guard_module
from modalgen.oracle.cvc5_finder import Cvc5Finder
from modalgen.oracle.guard import Guard, GuardError
from modalgen.oracle.verdict import DeciderMissing, Limits, SzsStatus, Verdict
from modalgen.problem import Problem
from modalgen.semantics import semantics

PROBLEM = Problem(semantics(), (), Implies(Box(Atom("p")), Atom("p")))
LIMITS = Limits(wall_seconds=60)
SHORT = Limits(wall_seconds=0.3)


@pytest.fixture
def guard(monkeypatch: pytest.MonkeyPatch) -> Iterator[Guard]:
    """A guard that waits less long for hanging children."""
    monkeypatch.setattr(guard_module, "GRACE_SECONDS", 0.5)
    with Guard() as it:
        yield it


def run(guard: Guard, behaviour: Callable[[], object], limits: Limits = LIMITS) -> Verdict:
    return guard.decide(Behaving(behaviour), PROBLEM, limits)


def pid(guard: Guard) -> int:
    """The child's process id, which also shows that it answers."""
    answer = run(guard, answer_pid)
    assert answer.status is SzsStatus.GAVE_UP, answer
    return int(answer.note)


@pytest.mark.parametrize(
    ("behaviour", "exit_code", "note"),
    [
        (abort, -signal.SIGABRT, "SIGABRT"),
        (segfault, -signal.SIGSEGV, "SIGSEGV"),
        (kill_itself, -signal.SIGKILL, "SIGKILL"),
        (exit_at_once, 0, "exit code 0"),
        (system_exit, 3, "exit code 3"),
    ],
)
def test_crashes(guard: Guard, behaviour: Callable[[], object], exit_code: int, note: str) -> None:
    """A crash of the library is a verdict without evidence, and the next call has a new child."""
    before = pid(guard)
    result = run(guard, behaviour)
    assert result.status is SzsStatus.ERROR
    assert not result.decisive
    assert result.exit_code == exit_code
    assert note in result.note
    assert (result.decider, result.route, result.version) == ("behaving", "none", "1")
    assert pid(guard) != before


@pytest.mark.parametrize("behaviour", [sleep, loop_in_c, sleep_deaf])
def test_hangs(guard: Guard, behaviour: Callable[[], object]) -> None:
    """A decider that does not come back, even from C code that holds the interpreter, is killed."""
    before = pid(guard)
    result = run(guard, behaviour, SHORT)
    assert result.status is SzsStatus.TIMEOUT
    assert result.exit_code == -signal.SIGKILL
    assert "wall-clock" in result.note
    assert pid(guard) != before


def test_the_whole_process_group_is_killed(guard: Guard, tmp_path: Path) -> None:
    """What a hanging decider has started is killed with it: nobody holds the pipe's end any more."""
    with held_open(tmp_path / "pipe") as (behaviour, reader):
        assert run(guard, behaviour, SHORT).status is SzsStatus.TIMEOUT
        assert_closed(reader)


def test_alarm(guard: Guard) -> None:
    """The alarm that ends an orphan is set after the parent's own limit, and ends the process."""
    remaining = float(run(guard, remaining_alarm).note)
    assert LIMITS.wall_seconds + 0.5 < remaining
    result = run(guard, ring_the_alarm)
    assert result.status is SzsStatus.TIMEOUT
    assert result.exit_code == -signal.SIGALRM


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS does not bound the address space")
def test_memory(guard: Guard) -> None:
    """A decider that eats memory is stopped at its limit, and the limit holds for that call alone."""
    result = run(guard, hog_memory, Limits(wall_seconds=60, memory_mb=1024))
    assert result.status is SzsStatus.RESOURCE_OUT
    assert "memory" in result.note
    assert pid(guard)


def test_memory_error_of_a_library(guard: Guard) -> None:
    """A C++ library that ends for want of memory is told from one that crashes for another reason."""
    result = run(guard, report_bad_alloc_and_abort)
    assert result.status is SzsStatus.RESOURCE_OUT
    assert "std::bad_alloc" in result.stdout


@pytest.mark.parametrize(
    ("behaviour", "note"),
    [
        (raise_value_error, "ValueError: no such world"),
        (return_unpicklable, "pickle"),
        (return_no_verdict, "no verdict but a str"),
    ],
)
def test_nonsense(guard: Guard, behaviour: Callable[[], object], note: str) -> None:
    """An exception and a result that is none are errors with their reason; the child serves on."""
    before = pid(guard)
    result = run(guard, behaviour)
    assert result.status is SzsStatus.ERROR
    assert note in result.note
    assert pid(guard) == before


def test_unpicklable_decider(guard: Guard) -> None:
    """A decider that cannot be sent to the child, or not be found there, is an error with its reason."""
    result = guard.decide(Behaving(lambda: None), PROBLEM, LIMITS)
    assert result.status is SzsStatus.ERROR
    assert "cannot be pickled" in result.note
    assert pid(guard)


def test_missing_decider(guard: Guard) -> None:
    """That a prover is not installed is told by the same exception as without a guard."""
    before = pid(guard)
    with pytest.raises(DeciderMissing, match="get it there"):
        run(guard, raise_missing)
    assert pid(guard) == before


def test_output_of_the_library(guard: Guard, capfd: pytest.CaptureFixture[str]) -> None:
    """What a library prints disturbs neither the answer nor the terminal."""
    for _ in range(3):
        assert run(guard, print_much).note == "quiet"
    crash = run(guard, abort)
    assert "noise" not in crash.stdout
    assert capfd.readouterr() == ("", "")


def test_child_killed_between_calls(guard: Guard) -> None:
    """A child that somebody killed while it was idle is replaced, and the call is answered."""
    before = pid(guard)
    os.kill(before, signal.SIGKILL)
    assert pid(guard) != before


def test_verdicts_do_not_depend_on_earlier_calls(guard: Guard) -> None:
    """A decider that fails only in a used process is run again in a new one."""
    assert [run(guard, crash_when_used).note for _ in range(3)] == ["fresh"] * 3


def test_one_child_serves_many_calls(guard: Guard) -> None:
    """The child is kept from call to call, and replaced after `close`."""
    assert len({pid(guard) for _ in range(20)}) == 1
    before = pid(guard)
    guard.close()
    guard.close()
    assert pid(guard) != before


def test_real_decider(guard: Guard) -> None:
    """cvc5 in the child answers as it does in this process, deep formulas included."""
    formula: Formula = Atom("p")
    for _ in range(100):
        formula = Not(Box(formula))
    for problem in (PROBLEM, Problem(semantics(), (formula,), formula), Problem(semantics(), (), formula)):
        there, here = guard.decide(Cvc5Finder(), problem, LIMITS), Cvc5Finder().decide(problem, LIMITS)
        assert (there.status, there.stdout, there.countermodel) == (
            here.status,
            here.stdout,
            here.countermodel,
        )
        assert there.decisive


def test_threads() -> None:
    """Threads with guards of their own, and threads that share one, get each its own answer."""

    def work(own: Guard | None, number: int) -> None:
        used = own or shared
        for i in range(10):
            p = Atom(f"p{number}_{i}")
            valid = i % 2 == 0
            problem = Problem(semantics(), (p,), p if valid else Box(p))
            if own is not None and i == 5:
                assert run(own, abort).status is SzsStatus.ERROR
            result = used.decide(Cvc5Finder(), problem, LIMITS)
            assert p.predicate in result.translation
            assert result.status is (SzsStatus.THEOREM if valid else SzsStatus.COUNTER_SATISFIABLE)
        done.append(number)

    done: list[int] = []
    with Guard() as shared, Guard() as first, Guard() as second:
        owners = [first, second, None, None]
        threads = [threading.Thread(target=work, args=(own, n)) for n, own in enumerate(owners)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(done) == [0, 1, 2, 3]


@pytest.mark.parametrize("program", ["/bin/cat", "/bin/true", "/nonexistent/python", "/bin/sh"])
def test_child_that_does_not_start(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """An interpreter that cannot start a child is told at once, in words."""
    monkeypatch.setattr(sys, "executable", program)
    with Guard() as guard, pytest.raises(GuardError, match="the solvers' process"):
        run(guard, answer_pid)


# Scripts as users write them: everything at the top level and no `if __name__ == "__main__"`.
SCRIPT = """
import sys
sys.path.insert(0, {tests!r})
from test_guard import *
guard = Guard()
print(guard.decide(Cvc5Finder(), PROBLEM, LIMITS).status, flush=True)
"""


def script(path: Path, more: str) -> subprocess.Popen[str]:
    """Start a script in a process group of its own, as a shell would."""
    path.write_text(SCRIPT.format(tests=str(Path(__file__).parent)) + more, encoding="utf-8")
    command = (sys.executable, str(path))
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


@contextlib.contextmanager
def held_open(path: Path, busy: bool = True) -> Iterator[tuple[OpenAndSleep, int]]:
    """A behaviour that holds a pipe open as long as its process lives, and the pipe's reading end."""
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield OpenAndSleep(str(path), busy), reader
    finally:
        os.close(reader)


def assert_closed(reader: int) -> None:
    """All processes that held the pipe open have ended. Fails if that takes half a minute."""
    contents = []
    while select.select([reader], [], [], 30)[0]:
        contents.append(os.read(reader, 100))
        if not contents[-1]:
            assert contents[0] == b"open"
            return
    pytest.fail("a process is still alive")


def test_script_without_main_guard(tmp_path: Path) -> None:
    """A script that is not safe to import runs once, and its child leaves without a word."""
    process = script(tmp_path / "script.py", "print('end')\n")
    out, err = process.communicate()
    assert (out, err, process.returncode) == ("CounterSatisfiable\nend\n", "", 0)


def test_decider_of_a_script(tmp_path: Path) -> None:
    """A decider that exists in a script's main module only is an error in words, not a second run."""
    more = "class Own(Behaving): pass\nprint(guard.decide(Own(answer_pid), PROBLEM, LIMITS).note)\n"
    out, err = script(tmp_path / "script.py", more).communicate()
    assert out.splitlines()[1].startswith("AttributeError: Can't get attribute 'Own'")
    assert err == ""


def test_child_ends_with_its_parent(tmp_path: Path) -> None:
    """An idle child notices when its parent is killed, and ends."""
    with held_open(tmp_path / "pipe", busy=False) as (behaviour, reader):
        more = f"print(run(guard, {behaviour!r}).status, flush=True)\ntime.sleep(600)\n"
        process = script(tmp_path / "script.py", more)
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)] == ["CounterSatisfiable\n", "GaveUp\n"]
        process.kill()
        assert_closed(reader)
        process.communicate()


def test_interrupt(tmp_path: Path) -> None:
    """Ctrl-C reaches the parent only, and the answer that was under way is not taken for the next."""
    more = """
try:
    print("sleeping", flush=True)
    run(guard, sleep)
except KeyboardInterrupt:
    print("interrupted")
print(guard.decide(Cvc5Finder(), Problem(semantics(), (), Implies(Atom("p"), Atom("p"))), LIMITS).status)
"""
    process = script(tmp_path / "script.py", more)
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(2)] == ["CounterSatisfiable\n", "sleeping\n"]
    time.sleep(0.3)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate()
    assert (out, err, process.returncode) == ("interrupted\nTheorem\n", "", 0)
