"""Executables that take the place of E and misbehave: real processes, written as shell scripts."""

from __future__ import annotations

import os
import time
from pathlib import Path

# Each notes its process and answers to --version as E does; then it does what its text says.
_HEAD = """#!/bin/sh
echo $$ >> {pids}
if [ "$1" = --version ]; then echo 'E 0.0 fake'; exit 0; fi
"""

DEAF = "trap '' TERM\nsleep 600 &\necho $! >> {pids}\nwhile true; do sleep 600; done\n"
HANGING = "echo '# SZS status Theorem'\nexec sleep 600\n"
SUCCESS_AND_EXIT_1 = "echo '# SZS status Theorem'\nexit 1\n"
TWO_STATUSES = "echo '# SZS status Theorem'\necho '# SZS status CounterSatisfiable'\n"
TWICE_THEOREM = "echo '# SZS status Theorem'\necho '# SZS status Theorem'\n"
FINITE_MODEL = "echo '% Finite Model Found!'\nexit 0\n"
NO_REFUTATION = "echo '% Refutation not found, incomplete strategy'\nexit 1\n"
FLOOD = "echo '# SZS status Theorem'\nexec head -c 10000000000 /dev/zero\n"
CRASH = "echo '# SZS status Theorem'\nkill -SEGV $$\n"
SILENT = "exit 0\n"
NOISE = "echo '# SZS status Theorem'\nhead -c 100000 /dev/urandom\nexit 17\n"
LEAVING_A_CHILD = "echo '# SZS status Theorem'\n(trap '' TERM; sleep 600) &\necho $! >> {pids}\nexit 1\n"

SAYS_THEOREM = "echo '# SZS status Theorem'\nexit 0\n"
SAYS_COUNTER_SATISFIABLE = "echo '# SZS status CounterSatisfiable'\nexit 1\n"


def lying_on(text: str, prover: str) -> str:
    """The prover at that path, except that every problem with the text in it is called a theorem."""
    return f'if grep -qF {text!r} problem.p; then\n{SAYS_THEOREM}fi\nexec {prover} "$@"\n'


def write_prover(directory: Path, behaviour: str) -> Path:
    """The executable; the processes that it becomes and starts are noted in `pids` beside it."""
    path = directory / "eprover-ho"
    path.write_text((_HEAD + behaviour).replace("{pids}", str(directory / "pids")), encoding="utf-8")
    path.chmod(0o755)
    return path


def survivors(directory: Path) -> list[int]:
    """The noted processes that are still alive after a moment's time to die."""
    deadline = time.monotonic() + 10
    while True:
        alive = [pid for pid in map(int, (directory / "pids").read_text().split()) if _is_alive(pid)]
        if not alive or time.monotonic() > deadline:
            return alive
        time.sleep(0.05)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # the number is another user's by now
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return True
