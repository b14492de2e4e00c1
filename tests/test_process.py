"""Guarded subprocesses, tried on programs that misbehave."""

from __future__ import annotations

import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from modalgen.oracle.process import Completed, Stopped, run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="provers are run in POSIX process groups")


def python(program: str, **limits: Any) -> Completed:
    """Run a Python program under the guard."""
    settings = {"wall_seconds": 20.0, "cpu_seconds": 20.0, "memory_mb": 1024, "output_bytes": 100_000}
    return run([sys.executable, "-S", "-E", "program.py"], files={"program.py": program}, **settings | limits)


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that has ended but was not waited for does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    try:
        return status.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return True


def dies(pid: int) -> bool:
    """Whether the process is gone soon."""
    deadline = time.monotonic() + 10
    while is_alive(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def test_a_well_behaved_program() -> None:
    """Output, exit code and files of a normal run are reported as they are."""
    program = "import sys; sys.stdout.buffer.write(open('a.p', 'rb').read()); sys.exit(3)"
    completed = run(
        [sys.executable, "-c", program],
        files={"a.p": "□p"},
        wall_seconds=20,
        cpu_seconds=20,
        memory_mb=1024,
        output_bytes=1000,
    )
    assert completed.exit_code == 3
    assert completed.stopped is None
    assert completed.output == "□p"


def test_standard_error_is_part_of_the_output() -> None:
    """What a program complains about is kept with what it prints, in order."""
    completed = python("import os\nos.write(1, b'one ')\nos.write(2, b'two ')\nos.write(1, b'three \\xff')\n")
    assert completed.output == "one two three \N{REPLACEMENT CHARACTER}"


def test_standard_input_is_empty() -> None:
    """A program that reads standard input does not wait for a user."""
    assert python("import sys\nprint(repr(sys.stdin.read()))").output == "''\n"


def test_the_directory_is_private_and_removed() -> None:
    """The program's working and temporary directory holds only its files and is gone afterwards."""
    completed = python(
        "import os\nopen('left', 'w').close()\nprint(os.getcwd(), os.environ['TMPDIR'], sorted(os.listdir()))"
    )
    where, temporary, *listing = completed.output.split()
    assert where == temporary
    assert listing == ["['left',", "'program.py']"]
    assert not Path(where).exists()


def test_a_missing_program() -> None:
    """A program that does not exist is an exception with its name and not a run."""
    with pytest.raises(FileNotFoundError, match="no-such-prover"):
        run(["no-such-prover"], files={}, wall_seconds=1, cpu_seconds=1, memory_mb=64, output_bytes=10)


def test_a_hanging_program() -> None:
    """A program that never ends is stopped at the wall clock limit, and its output is kept."""
    completed = python(
        "import time\nprint('SZS status Theorem', flush=True)\ntime.sleep(1000)", wall_seconds=1
    )
    assert completed.stopped is Stopped.WALL_TIME
    assert completed.exit_code == -signal.SIGTERM
    assert completed.output == "SZS status Theorem\n"


def test_a_program_that_closes_its_output_and_hangs() -> None:
    """The end of the output is not taken for the end of the program."""
    completed = python("import os, time\nos.close(1)\nos.close(2)\ntime.sleep(1000)", wall_seconds=1)
    assert completed.stopped is Stopped.WALL_TIME


STUBBORN = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = os.fork()
if child:
    print(child, flush=True)
time.sleep(1000)
"""


def test_a_program_that_ignores_sigterm() -> None:
    """Neither a program that ignores SIGTERM nor its child survives a time-out."""
    completed = python(STUBBORN, wall_seconds=1)
    assert completed.stopped is Stopped.WALL_TIME
    assert completed.exit_code == -signal.SIGKILL
    assert dies(int(completed.output))


def test_a_child_left_behind() -> None:
    """A child that holds the output open neither delays the call nor survives it."""
    completed = python("import os, time\nchild = os.fork()\nif child: print(child)\nelse: time.sleep(1000)")
    assert completed.exit_code == 0
    assert completed.stopped is None
    assert dies(int(completed.output))


def test_a_silent_child_left_behind() -> None:
    """A child that has closed its output does not survive the call either."""
    completed = python(
        "import os, time\nchild = os.fork()\nif child: print(child)\n"
        "else:\n    os.close(1)\n    os.close(2)\n    time.sleep(1000)"
    )
    assert completed.exit_code == 0
    assert dies(int(completed.output))


def test_a_child_in_another_session_that_holds_the_output() -> None:
    """A child that has left the process group cannot hold up the call."""
    completed = python(
        "import os, time\nchild = os.fork()\nif child: print(child)\n"
        "else:\n    os.setsid()\n    time.sleep(1000)"
    )
    try:
        assert completed.exit_code == 0
        assert completed.stopped is None
    finally:
        os.kill(int(completed.output), signal.SIGKILL)


def test_endless_output() -> None:
    """A program that prints without end is stopped at the limit and not at the clock."""
    completed = python("while True: print('SZS status Theorem ' * 1000)", output_bytes=5000)
    assert completed.stopped is Stopped.OUTPUT_SIZE
    assert len(completed.output) == 5000
    assert completed.exit_code < 0


def test_output_of_exactly_the_limit() -> None:
    """Output as long as the limit is no reason to stop."""
    completed = python("print('x' * 4999)", output_bytes=5000)
    assert completed.stopped is None
    assert len(completed.output) == 5000


def test_a_crash() -> None:
    """A program that dies of a signal has the signal's negative number as its exit code."""
    completed = python(
        "import os, signal\nprint('SZS status Theorem', flush=True)\nos.kill(os.getpid(), signal.SIGSEGV)"
    )
    assert completed.exit_code == -signal.SIGSEGV
    assert completed.stopped is None


def test_the_cpu_limit() -> None:
    """A program that computes without end is ended by the operating system."""
    completed = python("while True: pass", cpu_seconds=1)
    assert completed.exit_code in (-signal.SIGKILL, -signal.SIGXCPU)
    assert completed.stopped is None


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS does not limit address space")
def test_the_memory_limit() -> None:
    """A program cannot take more memory than it is allowed."""
    assert python("x = bytearray(100 << 20)\nprint('had it')", memory_mb=500).output == "had it\n"
    assert "MemoryError" in python("x = bytearray(900 << 20)", memory_mb=500).output


def test_huge_files() -> None:
    """A program cannot fill the disk with one file, and leaves no core dump."""
    completed = python(
        "from resource import RLIMIT_CORE, RLIMIT_FSIZE, getrlimit\n"
        "print(0 < getrlimit(RLIMIT_FSIZE)[0] < 2**30, getrlimit(RLIMIT_CORE)[0])"
    )
    assert completed.output == "True 0\n"


def test_many_threads() -> None:
    """Runs from several threads do not disturb each other, time-outs and crashes included."""

    def one(number: int) -> Completed:
        if number % 4 == 3:
            return python("import time\ntime.sleep(1000)", wall_seconds=0.5)
        return python(f"import sys\nprint({number})\nsys.exit({number % 4})")

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(one, range(24)))
    for number, completed in enumerate(results):
        if number % 4 == 3:
            assert completed.stopped is Stopped.WALL_TIME
        else:
            assert (completed.output, completed.exit_code) == (f"{number}\n", number % 4)
