"""Recorded runs of the real tools, and programs that play them back.

`data/recorded` holds what LET 1.9.5 made of the 39 problems in `data/nxf`, the complete output of
Vampire 5.1.0 and Leo-III 1.7 on it, and `runs.tsv` with command, exit code and status of each run.
They were made for this project with the real tools. Where a tool is not installed, a small program
takes its place that knows these inputs by their hashes and plays back what the tool said.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from modalgen.files import sha256
from modalgen.nxf import NxfError, read_nxf
from modalgen.oracle.process import Completed
from modalgen.problem import Problem

DATA = Path(__file__).parent / "data"
RECORDED = DATA / "recorded"


@dataclass(frozen=True)
class RecordedRun:
    """One run: of which tool, on which problem's translation, how it ended."""

    name: str
    tool: str
    form: str
    mode: str
    exit_code: int
    status: str
    seconds: float
    output: str

    @property
    def completed(self) -> Completed:
        """The run as the guard for subprocesses reports it."""
        return Completed(self.exit_code, self.output, self.seconds, None)


@cache
def runs() -> tuple[RecordedRun, ...]:
    """All recorded runs of Vampire and Leo-III."""
    result = []
    for line in (RECORDED / "runs.tsv").read_text("utf-8").splitlines():
        name, command, code, status, seconds = line.split("\t")
        tool, form = command.split()[0], "thf" if ".thf.p" in command else "tff"
        mode = "fmb" if "-sa fmb" in command else "cascsat" if "--intent" in command else "prove"
        file = f"{name}.{form}.out" if tool == "leo3" else f"{name}.{form}.{mode}.out"
        output = (RECORDED / tool / file).read_text("utf-8")
        status = status.removeprefix("SZS status ")
        result.append(RecordedRun(name, tool, form, mode, int(code), status, float(seconds), output))
    return tuple(result)


@cache
def expected(name: str) -> str:
    """The problem's status according to its first line."""
    first = (DATA / "nxf" / f"{name}.p").read_text("utf-8").splitlines()[0]
    return first.removeprefix("% expected: ")


@cache
def problems() -> dict[str, Problem]:
    """The recorded problems that our language has: four use constants, which it does not."""
    result = {}
    for path in sorted((DATA / "nxf").glob("*.p")):
        try:
            result[path.stem] = read_nxf(path.read_text("utf-8"))
        except NxfError:
            continue
    return result


def let_output(name: str, form: str) -> str:
    """What LET wrote for the problem."""
    return (RECORDED / "let" / f"{name}.{form}.p").read_text("utf-8")


_PLAYER = """\
import hashlib, json, pathlib, sys
if sys.argv[1:] == ["--version"]:
    print({version!r})
    sys.exit()
known = json.loads(pathlib.Path({table!r}).read_text())
form = "thf" if "FORCE_HIGHERORDER" in sys.argv else "tff"
texts = [pathlib.Path(a).read_bytes() for a in sys.argv[1:] if a.endswith(".p") and pathlib.Path(a).is_file()]
key = hashlib.sha256(texts[0]).hexdigest() + form if {translates!r} else hashlib.sha256(texts[0]).hexdigest()
if key not in known:
    sys.exit("this input was not recorded")
file, code = known[key]
text = pathlib.Path(file).read_text()
if {translates!r}:
    pathlib.Path(sys.argv[sys.argv.index("--output") + 1]).write_text(text)
else:
    print(text, end="")
sys.exit(code)
"""


def write_player(directory: Path, tool: str, version: str, table: dict[str, tuple[str, int]]) -> Path:
    """An executable that says it is the tool and plays back the files that *table* gives for the
    hashes of its inputs (for a translator followed by the form of its output)."""
    directory.mkdir(parents=True, exist_ok=True)
    known = directory / f"{tool}.json"
    known.write_text(json.dumps(table), "utf-8")
    player = directory / tool
    body = _PLAYER.format(version=version, table=str(known), translates=tool == "embedproblem")
    player.write_text(f"#!{sys.executable} -SE\n{body}", "utf-8")
    player.chmod(0o755)
    return player


def hash_of(text: str) -> str:
    """The key of an input."""
    return sha256(text)
