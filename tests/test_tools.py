"""Finding external tools: places and their order, and that no program is believed by its name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from modalgen.oracle import tools
from modalgen.oracle.tools import TOOLS, find, locate
from modalgen.oracle.verdict import DeciderMissing


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No tool is installed; the configuration file is the test's own and does not exist yet."""
    for tool in TOOLS.values():
        monkeypatch.delenv(tool.variable, raising=False)
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    file = tmp_path / "tools.toml"
    monkeypatch.setattr(tools, "configuration_file", lambda: file)
    return file


def program(path: Path, says: str, code: int = 0) -> Path:
    """An executable that answers every call so."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!{sys.executable} -SE\nimport sys\nprint({says!r})\nsys.exit({code})\n", "utf-8")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("name", list(TOOLS))
def test_nothing_is_found_where_nothing_is(name: str) -> None:
    """The message names the tool, its source, and where it is looked for."""
    tool = TOOLS[name]
    assert locate(name) is None
    with pytest.raises(DeciderMissing) as caught:
        find(name)
    for word in (tool.title, tool.source, tool.executables[0], tool.variable):
        assert word in str(caught.value)


def test_the_order_of_the_places(tmp_path: Path, nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment variable goes before the configuration file, that before the PATH."""
    on_path = program(tmp_path / "bin" / "vampire", "Vampire 5.1.0 (Release build)")
    assert find("vampire").path == str(on_path)
    configured = program(tmp_path / "b" / "vampire", "Vampire 5.0.1")
    nowhere.write_text(f'[tools]\nvampire = "{configured}"\n', "utf-8")
    assert find("vampire").path == str(configured)
    chosen = program(tmp_path / "c" / "vampire", "Vampire 4.8 (Release build, commit 8e9376e55)")
    monkeypatch.setenv("MODALGEN_VAMPIRE", str(chosen))
    found = find("vampire")
    assert found.path == str(chosen)
    assert found.version == "Vampire 4.8 (Release build, commit 8e9376e55)"


def test_a_named_place_is_never_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path that holds nothing is an error even if the tool is on the PATH."""
    program(tmp_path / "bin" / "vampire", "Vampire 5.1.0")
    monkeypatch.setenv("MODALGEN_VAMPIRE", str(tmp_path / "gone"))
    with pytest.raises(DeciderMissing, match=r"MODALGEN_VAMPIRE .*gone.* no such file"):
        find("vampire")
    assert tools.path_of("vampire") is None


@pytest.mark.parametrize(
    ("name", "executable", "says", "complaint"),
    [
        ("vampire", "vampire", "Vampire 4.7 (commit)", r"Vampire 4\.7; .* 4\.8 and 5\.x only"),
        ("vampire", "vampire", "Vampire 6.0", r"Vampire 6\.0"),
        ("vampire", "vampire", "hello", "does not say that it is Vampire.*'hello'"),
        ("vampire", "vampire", "", "does not say that it is Vampire"),
        ("vampire", "vampire", "I am not Vampire 5.1", "does not say"),
        ("leo3", "leo3", "Leo-III 1.6.9", r"1\.7 only"),
        ("leo3", "leo3", "Vampire 5.1.0", "does not say that it is Leo-III"),
        ("let", "embedproblem", "embedproblem 2.0.0", r"1\.8 and 1\.9 only"),
        ("let", "embedproblem", "usage: embedproblem [options]", "does not say that it is LET"),
    ],
)
def test_programs_that_are_refused(
    name: str, executable: str, says: str, complaint: str, tmp_path: Path
) -> None:
    """Another program or another version is not used, and what it said is reported."""
    program(tmp_path / "bin" / executable, says)
    with pytest.raises(DeciderMissing, match=complaint):
        find(name)


@pytest.mark.parametrize(
    ("name", "executable", "says"),
    [
        ("let", "embedproblem", "embedproblem 1.8"),
        ("let", "logic-embedding", "embedproblem 1.9.5"),
        ("leo3", "leo3", "Picked up JAVA_TOOL_OPTIONS: -Xss8m\nLeo-III 1.7.20"),
    ],
)
def test_versions_that_are_accepted(name: str, executable: str, says: str, tmp_path: Path) -> None:
    """The line in which the tool announces itself becomes the version."""
    program(tmp_path / "bin" / executable, says)
    assert find(name).version == says.splitlines()[-1]


def test_success_is_part_of_the_announcement(tmp_path: Path) -> None:
    """A program that says the right thing and fails is not used."""
    program(tmp_path / "bin" / "vampire", "Vampire 5.1.0", code=1)
    with pytest.raises(DeciderMissing, match="exit code 1"):
        find("vampire")


def test_a_replaced_program_is_asked_again(tmp_path: Path) -> None:
    """What is remembered of a file holds for that state of the file."""
    path = program(tmp_path / "bin" / "vampire", "Vampire 5.1.0")
    assert find("vampire").version == "Vampire 5.1.0"
    program(path, "Vampire 3.0")
    with pytest.raises(DeciderMissing):
        find("vampire")


def test_a_jar_needs_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A jar is run with java; without java, or for a tool that is no Java program, it is refused."""
    jar = tmp_path / "let.jar"
    jar.write_bytes(b"PK")
    monkeypatch.setenv("MODALGEN_LET", str(jar))
    with pytest.raises(DeciderMissing, match="no java on the PATH"):
        find("let")
    monkeypatch.setenv("MODALGEN_VAMPIRE", str(jar))
    with pytest.raises(DeciderMissing, match="is a jar"):
        find("vampire")


def test_a_jar_is_started_by_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command is java, a bounded heap, and the jar; an archive that cannot be made is done without."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    java = program(tmp_path / "bin" / "java", "embedproblem 1.9.5")
    jar = tmp_path / "let.jar"
    jar.write_bytes(b"PK")
    monkeypatch.setenv("MODALGEN_LET", str(jar))
    command = find("let").command
    assert command[0] == str(java)
    assert command[-2:] == ("-jar", str(jar))
    assert not any("SharedArchiveFile" in argument for argument in command)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[tools\n", "cannot be read"),
        ("[tools]\nvampyre = 'x'\n", "vampyre"),
        ("tools = 'x'\n", r"\[tools\]"),
        ("[tool]\nvampire = 'x'\n", "'tool'"),
        ("[tools]\nvampire = 5\n", "not a string"),
    ],
)
def test_a_configuration_file_with_mistakes(text: str, complaint: str, nowhere: Path) -> None:
    """A mistake is reported with the file's name, and nothing is guessed."""
    nowhere.write_text(text, "utf-8")
    with pytest.raises(DeciderMissing, match=complaint) as caught:
        find("vampire")
    assert str(nowhere) in str(caught.value)
