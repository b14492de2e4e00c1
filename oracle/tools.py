"""Finding the external tools: LET, Vampire and Leo-III.

None of them is in a package registry, so each is looked for where the user says that it is: in the
tool's environment variable, in the configuration file, and then on the PATH. The first of these
places that names something decides; what it names is never silently replaced by another find.
LET and Leo-III may be an executable or a `.jar`, which is run with `java`.

A name proves nothing: every tool is asked for its version and used only if it says that it is the
tool, in a version whose options and output are known here. What a program says instead is reported.
"""

from __future__ import annotations

import re
import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from os import environ
from pathlib import Path

from platformdirs import user_config_path

from modalgen.oracle.jvm import UNBOUNDED_MB, jar_command
from modalgen.oracle.process import run
from modalgen.oracle.verdict import DeciderMissing

# The Java virtual machine takes up to some seconds to start where the machine is busy.
_PROBE_SECONDS = 60.0
_QUOTED = 200  # characters of what a wrong program says


@dataclass(frozen=True)
class Tool:
    """An external tool: how it is found and how it is recognised.

    `executables` are its names on the PATH; `announcement` matches the line by which it tells its
    version, with two groups, the major and the minor number. A minor number None in `supported`
    stands for all.
    """

    name: str
    title: str
    executables: tuple[str, ...]
    variable: str
    announcement: re.Pattern[str]
    supported: tuple[tuple[int, int | None], ...]
    source: str
    java: bool

    @property
    def versions(self) -> str:
        """The supported versions in words, as in `4.8 and 5.x`."""
        words = [f"{major}.{'x' if minor is None else minor}" for major, minor in self.supported]
        return " and ".join(words)


TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            name="let",
            title="LET",
            executables=("embedproblem", "logic-embedding"),
            variable="MODALGEN_LET",
            announcement=re.compile(r"^(?:embedproblem|logic-embedding) (\d+)\.(\d+)", re.MULTILINE),
            supported=((1, 8), (1, 9)),
            source="https://github.com/leoprover/logic-embedding",
            java=True,
        ),
        Tool(
            name="vampire",
            title="Vampire",
            executables=("vampire",),
            variable="MODALGEN_VAMPIRE",
            announcement=re.compile(r"^Vampire (\d+)\.(\d+)", re.MULTILINE),
            supported=((4, 8), (5, None)),
            source="https://vprover.github.io",
            java=False,
        ),
        Tool(
            name="leo3",
            title="Leo-III",
            executables=("leo3",),
            variable="MODALGEN_LEO3",
            announcement=re.compile(r"^Leo-III (\d+)\.(\d+)", re.MULTILINE),
            supported=((1, 7),),
            source="https://github.com/leoprover/Leo-III",
            java=True,
        ),
    )
}


@dataclass(frozen=True)
class Installation:
    """A tool that was found and recognised.

    `path` is its file, `command` the arguments by which it is started, `version` the line by which it
    announces itself.
    """

    path: str
    command: tuple[str, ...]
    version: str


def configuration_file() -> Path:
    """The configuration file, a TOML file such as `[tools]` with `vampire = "/opt/vampire"`."""
    return user_config_path("modalgen", appauthor=False) / "tools.toml"


def locate(name: str) -> Path | None:
    """Where the tool is said to be; None if nothing says it and it is not on the PATH.

    Raises DeciderMissing if the configuration file cannot be read or the place that it or the
    environment variable names holds no file.
    """
    tool = TOOLS[name]
    for place, value in (
        (tool.variable, environ.get(tool.variable, "")),
        (str(configuration_file()), _configured(name)),
    ):
        if value:
            # A plain name means the PATH here too, as in MODALGEN_VAMPIRE=vampire-5.1.
            named = Path(shutil.which(value) or value)
            if not named.is_file():
                raise DeciderMissing(f"{place} says that {tool.title} is {value}, but there is no such file")
            return named.absolute()
    on_path = next((found for e in tool.executables if (found := shutil.which(e))), None)
    return None if on_path is None else Path(on_path).absolute()


def path_of(name: str) -> str | None:
    """The file that `locate` finds, usable or not; None if there is none."""
    try:
        path = locate(name)
    except DeciderMissing:
        return None
    return None if path is None else str(path)


def find(name: str) -> Installation:
    """The tool as it can be run. Raises DeciderMissing, in words, if there is none that can be used."""
    tool = TOOLS[name]
    path = locate(name)
    if path is None:
        raise DeciderMissing(
            f"{tool.title} is not installed ({tool.source}); put {tool.executables[0]} on the PATH or name "
            f"it in {tool.variable}"
        )
    return _probed(name, path, path.stat().st_mtime_ns)


@cache
def _probed(name: str, path: Path, _changed: int) -> Installation:
    """The file as an installation of the tool; asked once for each state of the file."""
    tool = TOOLS[name]
    if path.suffix == ".jar":
        if not tool.java:
            raise DeciderMissing(f"{path} is a jar, but {tool.title} is an executable")
        command = jar_command(path)
    else:
        command = (str(path),)
    try:
        answer = run(
            (*command, "--version"),
            files={},
            wall_seconds=_PROBE_SECONDS,
            cpu_seconds=_PROBE_SECONDS,
            memory_mb=UNBOUNDED_MB,
            output_bytes=100_000,
        )
    except OSError as error:
        raise DeciderMissing(f"{path} cannot be run: {error}") from error
    found = tool.announcement.search(answer.output)
    if found is None or answer.exit_code != 0:
        said = " ".join(answer.output.split())[:_QUOTED]
        raise DeciderMissing(
            f"{path} does not say that it is {tool.title}. Asked for its version, it said {said!r} "
            f"(exit code {answer.exit_code})"
        )
    major, minor = int(found[1]), int(found[2])
    if (major, minor) not in tool.supported and (major, None) not in tool.supported:
        raise DeciderMissing(
            f"{path} is {tool.title} {major}.{minor}; modalgen knows the options and the output of "
            f"{tool.versions} only"
        )
    line = answer.output[found.start() :].splitlines()[0].strip()
    return Installation(str(path), command, line)


def _configured(name: str) -> str:
    """What the configuration file says of the tool; empty if it says nothing or does not exist."""
    file = configuration_file()
    try:
        settings = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DeciderMissing(f"{file} cannot be read: {error}") from error
    tools = settings.get("tools", {})
    unknown = sorted({*settings} - {"tools"}) or sorted(
        {*tools} - {*TOOLS} if isinstance(tools, dict) else []
    )
    if unknown or not isinstance(tools, dict):
        known = ", ".join(TOOLS)
        raise DeciderMissing(
            f"{file}: a table [tools] with the keys {known} is expected"
            + (f", but it has {unknown[0]!r}" if unknown else "")
        )
    value = tools.get(name, "")
    if not isinstance(value, str):
        raise DeciderMissing(f"{file}: tools.{name} is not a string")
    return str(Path(value).expanduser()) if value else ""
