"""Kill builds with SIGKILL at random moments and go on: does anything get lost, repeated or left behind?

Each trial starts with an empty evidence store, kills the build (its process only, as the kernel
would when memory runs out), then runs the same command to its end. Reported are how many verdicts
the store had at the kill and how many the second build recalled. A trial fails if `pairs.jsonl` or
`rejected.jsonl` differ from those of a build that was not killed, if an entry of the store did not
hold, if a dataset that is there does not verify, or if a process stays.

    python benchmarks/killed_builds.py [TRIALS]
"""

from __future__ import annotations

import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from modalgen.records import PAIRS, REJECTED
from modalgen.verify import verify

SPEC = Path(__file__).parent.parent / "specs" / "seriality.yaml"
LIMIT = "30"
MARKER = "MODALGEN_KILLED_BUILDS"


def command(out: Path, store: Path) -> list[str]:
    """The build, as a command line."""
    program = "from modalgen.cli import main; main()"
    options = ["--limit", LIMIT, "--jobs", "2", "-o", str(out), "--store", str(store)]
    return [sys.executable, "-c", program, "build", str(SPEC), *options]


def killed_after(seconds: float, arguments: list[str], store: Path, marker: str) -> bool:
    """Start the build and kill it, so long after it has opened the store; whether it was still running."""
    process = start(arguments, store, marker)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


def start(arguments: list[str], store: Path, marker: str) -> subprocess.Popen[bytes]:
    """Start the build and wait until it opens the store, which takes longer than a short build itself."""
    process = subprocess.Popen(arguments, env={**os.environ, MARKER: marker}, stderr=subprocess.DEVNULL)
    while process.poll() is None and not store.exists():
        time.sleep(0.002)
    return process


def stray_processes(marker: str) -> int:
    """How many processes of a build are alive half a minute after it, if not sooner none."""
    deadline = time.monotonic() + 30
    while True:
        alive = 0
        for environment in Path("/proc").glob("[0-9]*/environ"):
            try:
                alive += f"{MARKER}={marker}\0".encode() in environment.read_bytes()
            except OSError:
                continue
        if not alive or time.monotonic() > deadline:
            return alive
        time.sleep(0.1)


def entries(store: Path) -> int:
    """How many verdicts a store has."""
    if not store.exists():
        return 0
    connection = sqlite3.connect(store)
    try:
        (number,) = connection.execute("SELECT count(*) FROM evidence").fetchone()
    except sqlite3.OperationalError:  # killed before it made the table
        return 0
    finally:
        connection.close()
    return int(number)


def main(trials: int) -> int:
    """Run the trials; the number of those that failed."""
    rng = random.Random(0)
    failures = killed = stored = recalled_in_all = 0
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        straight = start(command(directory / "straight", directory / "s"), directory / "s", "")
        started = time.monotonic()
        straight.wait()
        duration = time.monotonic() - started
        expected = [(directory / "straight" / file).read_bytes() for file in (PAIRS, REJECTED)]
        print(f"not killed: {duration:.1f} s, {entries(directory / 's')} verdicts in the store")
        for trial in range(trials):
            out, store = directory / f"out-{trial}", directory / f"store-{trial}"
            moment = rng.uniform(0, duration)
            was_killed = killed_after(moment, command(out, store), store, str(trial))
            strays = stray_processes(str(trial))
            holds = not out.exists() or not verify(out)
            before = entries(store)
            done = subprocess.run(command(out, store), capture_output=True, text=True, check=False)
            said = re.search(r"(\d+) runs were recalled", done.stderr)
            recalled = int(said[1]) if said else 0
            sound = (
                done.returncode == 0
                and [(out / file).read_bytes() for file in (PAIRS, REJECTED)] == expected
                and not re.search("damaged|did not hold|going on without|Traceback", done.stderr)
                and not verify(out)
            )
            failed = not (sound and holds and strays == 0)
            failures += failed
            killed += was_killed
            stored += before
            recalled_in_all += recalled
            verdict = "FAILED" if failed else "same bytes"
            how = "killed" if was_killed else "ended before"
            found = f"{before:4} verdicts stored, {recalled:4} recalled"
            print(f"{trial + 1:3}: {how} at {moment:.2f} s, {found}, {verdict}", flush=True)
    print(f"{killed} of {trials} killed while running, {failures} failed; ", end="")
    print(f"{stored} verdicts in the stores at the kills, {recalled_in_all} recalled")
    return failures


if __name__ == "__main__":
    sys.exit(1 if main(int(sys.argv[1]) if len(sys.argv) > 1 else 50) else 0)
