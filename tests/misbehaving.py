"""A decider that crashes, hangs, eats memory or answers nonsense, as told.

For the tests of the guard only. It is a module of its own because the guard's child imports it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from modalgen.oracle.verdict import DeciderMissing, Limits, SzsStatus, Verdict
from modalgen.problem import Problem


def verdict(note: str = "", countermodel: object = None) -> Verdict:
    status = SzsStatus.GAVE_UP
    return Verdict("behaving", "none", "1", "", (), status, 0.0, None, "", countermodel, note=note)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Behaving:
    """A decider that does what a function of this module does; the functions run in the child."""

    behaviour: Callable[[], object]
    name: str = "behaving"
    engine: str = "test"
    route: str = "none"

    def version(self) -> str:
        return "1"

    def decide(self, problem: Problem, limits: Limits) -> Verdict:
        return self.behaviour()  # type: ignore[return-value]


def answer_pid() -> object:
    return verdict(str(os.getpid()))


def abort() -> object:
    os.abort()


def segfault() -> object:
    return ctypes.string_at(0)


def kill_itself() -> object:
    os.kill(os.getpid(), signal.SIGKILL)
    return None


def exit_at_once() -> object:
    os._exit(0)


def system_exit() -> object:
    sys.exit(3)


def report_bad_alloc_and_abort() -> object:
    os.write(2, b"terminate called after throwing an instance of 'std::bad_alloc'\n")
    os.abort()


def sleep() -> object:
    time.sleep(600)
    return None


def loop_in_c() -> object:
    return pow(3, 10**10)


def sleep_deaf() -> object:
    # Deaf to everything but SIGKILL, with a child in the same process group.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT, signal.SIGALRM})
    subprocess.Popen(["sleep", "600"])
    return sleep()


def ring_the_alarm() -> object:
    os.kill(os.getpid(), signal.SIGALRM)
    return sleep()


def hog_memory() -> object:
    return [bytearray(64 << 20) for _ in range(1000)]


def raise_value_error() -> object:
    raise ValueError("no such world")


def raise_missing() -> object:
    raise DeciderMissing("get it there")


def return_unpicklable() -> object:
    return verdict(countermodel=lambda: None)


def return_no_verdict() -> object:
    return "Theorem"


def print_much() -> object:
    print("noise " * 1000, flush=True)
    os.write(1, b"noise from C\n" * 1000)
    os.write(2, b"noise from C\n" * 1000)
    return verdict("quiet")


def remaining_alarm() -> object:
    return verdict(str(signal.getitimer(signal.ITIMER_REAL)[0]))


_served: list[int] = []


def crash_when_used() -> object:
    _served.append(1)
    if len(_served) > 1:
        os.abort()
    return verdict("fresh")


@dataclass(frozen=True)
class OpenAndSleep:
    """Opens a named pipe for writing, keeps it open, and sleeps, with a child that has it open too."""

    pipe: str
    busy: bool = True

    def __call__(self) -> object:
        end = os.open(self.pipe, os.O_WRONLY)
        os.write(end, b"open")
        if self.busy:
            subprocess.Popen(["sleep", "600"], pass_fds=(end,))
            time.sleep(600)
        return verdict()
