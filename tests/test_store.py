"""The evidence store: it forgets nothing that counts and believes nothing that does not hold."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from strategies import mixed_problems

from modalgen.kripke import KripkeModel
from modalgen.oracle import store as store_module
from modalgen.oracle.judge import Oracle
from modalgen.oracle.store import EvidenceStore, default_path, experiment
from modalgen.oracle.verdict import Limits, SzsStatus, Verdict
from modalgen.problem import Problem
from modalgen.semantics import semantics
from modalgen.syntax import parse

LIMITS = Limits()


def problem(
    conjecture: str, *premises: str, frame: tuple[str, ...] = (), domain: str | None = None
) -> Problem:
    return Problem(semantics(frame, domain), tuple(map(parse, premises)), parse(conjecture))


PROBLEMS = (
    problem("□p → ◇p"),
    problem("□p → ◇p", frame=("serial",)),
    problem("◇q", "□(p ∧ q)"),
    problem("□p → □□p", frame=("transitive",)),
    problem("∀x □F(x) → □∀x F(x)", domain="cumulative"),
    problem("∃x ∀y R(x,y) → ∀y ∃x R(x,y)", domain="varying"),
    problem("⊤", domain="constant"),
)


@pytest.fixture(scope="module")
def verdicts() -> list[tuple[Problem, Verdict]]:
    """What all installed deciders really say, answers and failures."""
    with Oracle() as oracle:
        return [(p, v) for p in PROBLEMS for v in oracle.judge(p).verdicts]


def kept(verdicts: list[tuple[Problem, Verdict]]) -> list[tuple[Problem, Verdict]]:
    """Those that a store should keep."""
    return [(p, v) for p, v in verdicts if v.decisive or v.status is SzsStatus.GAVE_UP]


def verdict(status: SzsStatus = SzsStatus.THEOREM, decider: str = "eprover-tff", **more: object) -> Verdict:
    """A verdict without a countermodel or a certificate: a decider's bare word."""
    bare = Verdict(
        decider, "embedded-tff", "E 3", "tff(…).", ("eprover", "problem.p"), status, 0.25, 0, "# SZS"
    )
    return replace(bare, **more)  # type: ignore[arg-type]


class Said(list[str]):
    """What a store told the user."""

    def store(self, path: Path) -> EvidenceStore:
        return EvidenceStore(path, self.append)


@pytest.fixture
def said() -> Said:
    return Said()


@pytest.fixture
def full_store(store_path: Path, said: Said, verdicts: list[tuple[Problem, Verdict]]) -> Path:
    """A closed store that holds all real verdicts."""
    with said.store(store_path) as store:
        for p, v in verdicts:
            store.keep(p, LIMITS, v)
    assert not said
    return store_path


def recalled(store: EvidenceStore, of: Problem, said_before: Verdict) -> Verdict | None:
    return store.recall(of, said_before.decider, said_before.version, LIMITS)


def rewrite(path: Path, change: str, *values: object) -> None:
    """Change a store's rows behind its back."""
    with sqlite3.connect(path) as connection:
        connection.execute(change, values)
    connection.close()


def test_every_verdict_comes_back(
    full_store: Path, said: Said, verdicts: list[tuple[Problem, Verdict]]
) -> None:
    """A new store on the same file gives back each repeatable verdict, field by field."""
    with said.store(full_store) as store:
        for p, v in verdicts:
            assert recalled(store, p, v) == (v if (p, v) in kept(verdicts) else None)
        assert store.recalled == len(kept(verdicts))
    assert not said
    assert any(v.countermodel for _, v in kept(verdicts))
    assert any(v.certificate for _, v in kept(verdicts))
    assert any(not v.decisive for _, v in kept(verdicts))


@pytest.mark.parametrize("status", list(SzsStatus))
def test_what_another_run_may_find_otherwise_is_not_kept(
    status: SzsStatus, store_path: Path, said: Said
) -> None:
    """Answers and E's giving up are kept, not timeouts, exhausted memory, crashes, errors."""
    with said.store(store_path) as store:
        store.keep(PROBLEMS[0], LIMITS, verdict(status))
        remembered = recalled(store, PROBLEMS[0], verdict(status))
    counts = status in (SzsStatus.THEOREM, SzsStatus.COUNTER_SATISFIABLE, SzsStatus.GAVE_UP)
    assert (remembered is not None) == counts


def test_provers_that_give_up_by_the_clock_are_asked_again(store_path: Path, said: Said) -> None:
    """Vampire's giving up depends on its time and is not kept; its answers are."""
    with said.store(store_path) as store:
        for status in (SzsStatus.GAVE_UP, SzsStatus.THEOREM):
            store.keep(PROBLEMS[0], LIMITS, verdict(status, "vampire-let-tff"))
            found = recalled(store, PROBLEMS[0], verdict(status, "vampire-let-tff"))
            assert (found is not None) == (status is SzsStatus.THEOREM)


@pytest.mark.parametrize(
    "other",
    [
        problem("□p → ◇p", frame=("serial",)),
        problem("□p → ◇p", domain="varying"),
        problem("□p → ◇q"),
        problem("□p → ◇p", "p"),
        Problem(semantics(), (), parse("□p → ◇p"), (parse("p"),)),
        Problem(semantics(), (), parse("□p → ◇p"), (), True),
    ],
)
def test_another_problem_is_another_experiment(other: Problem) -> None:
    """Whatever the deciders are given is part of the key."""
    keys = {experiment(p, "d", "1", LIMITS) for p in (problem("□p → ◇p"), other)}
    assert len(keys) == 2


@settings(max_examples=60, deadline=None)
@given(mixed_problems(), mixed_problems())
def test_equal_keys_are_equal_problems(one: Problem, other: Problem) -> None:
    """No two problems share a key, and a problem always has the same."""
    same = experiment(one, "d", "1", LIMITS) == experiment(other, "d", "1", LIMITS)
    assert same == (one == other)
    copy = Problem(one.semantics, one.premises, one.conjecture, one.global_premises, one.global_conjecture)
    assert experiment(one, "d", "1", LIMITS) == experiment(copy, "d", "1", LIMITS)


def test_names_of_bound_variables_are_part_of_the_experiment() -> None:
    """Translations have the variables' names, so renaming them makes another experiment."""
    one, other = (problem(text, domain="varying") for text in ("∃x F(x)", "∃y F(y)"))
    assert experiment(one, "d", "1", LIMITS) != experiment(other, "d", "1", LIMITS)


def test_every_option_is_part_of_the_experiment() -> None:
    """Another decider, version, limit or version of modalgen's code starts from nothing."""
    more = [replace(LIMITS, **{name: value + 1}) for name, value in vars(LIMITS).items()]
    keys = [experiment(PROBLEMS[0], "d", "1", limits) for limits in (LIMITS, *more)]
    keys += [experiment(PROBLEMS[0], "e", "1", LIMITS), experiment(PROBLEMS[0], "d", "2", LIMITS)]
    assert len(set(keys)) == len(keys) == len(vars(LIMITS)) + 3


def test_modalgens_own_code_is_part_of_the_experiment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A changed translation does not get the answer that the old one got."""
    before = experiment(PROBLEMS[0], "d", "1", LIMITS)
    monkeypatch.setattr(store_module, "_code", lambda: "other code")
    assert experiment(PROBLEMS[0], "d", "1", LIMITS) != before


def assert_all_dropped(path: Path, said: Said, verdicts: list[tuple[Problem, Verdict]]) -> None:
    """Every entry is dropped, that is said once, and new runs take their place."""
    entries = kept(verdicts)
    with said.store(path) as store:
        assert [recalled(store, p, v) for p, v in entries] == [None] * len(entries)
        assert store.dropped == len(entries)
        for p, v in entries:
            store.keep(p, LIMITS, v)
        assert [recalled(store, p, v) for p, v in entries] == [v for _, v in entries]
    assert said == [f"entries of the evidence store that did not hold and were dropped: {len(entries)}"]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE evidence SET content = substr(content, 1, length(content) - 1)",
        "UPDATE evidence SET content = zeroblob(length(content))",
        "UPDATE evidence SET content = 'text'",
        "UPDATE evidence SET content = NULL",
        "UPDATE evidence SET content = 1.5",
        "UPDATE evidence SET engine = 'vampire'",
        "UPDATE evidence SET sha256 = zeroblob(32)",
        "UPDATE evidence SET sha256 = NULL",
    ],
)
def test_altered_entries_are_dropped(
    change: str, full_store: Path, said: Said, verdicts: list[tuple[Problem, Verdict]]
) -> None:
    """An entry that is not as it was written is not used, whichever part of it was altered."""
    rewrite(full_store, change)
    assert_all_dropped(full_store, said, verdicts)


def test_exchanged_entries_are_dropped(
    full_store: Path, said: Said, verdicts: list[tuple[Problem, Verdict]]
) -> None:
    """An intact entry under another experiment's key is not used: the key is part of the hash."""
    with sqlite3.connect(full_store) as connection:
        keys = [key for (key,) in connection.execute("SELECT key FROM evidence")]
        connection.execute("UPDATE evidence SET key = CAST(hex(key) AS BLOB)")
        for old, new in zip(keys, [*keys[1:], keys[0]], strict=True):
            connection.execute("UPDATE evidence SET key = ? WHERE key = CAST(hex(?) AS BLOB)", (new, old))
    connection.close()
    assert_all_dropped(full_store, said, verdicts)


def forged(path: Path, of: Problem, lie: Verdict, said: Said) -> Verdict | None:
    """What a store says of a verdict that was written with a correct hash but does not hold."""
    with said.store(path) as store:
        store.keep(of, LIMITS, lie)
        return recalled(store, of, lie)


def test_countermodels_are_judged_again(store_path: Path, said: Said) -> None:
    """A countermodel with a correct hash that is none is not believed."""
    dead_end = KripkeModel(1, frozenset(), valuation={"p": frozenset()})
    lie = verdict(SzsStatus.COUNTER_SATISFIABLE, countermodel=dead_end)
    assert forged(store_path, problem("□p → ◇p"), lie, said) == lie
    assert forged(store_path, problem("□p → ◇p", frame=("serial",)), lie, said) is None
    assert (
        forged(store_path, problem("□p → ◇p"), replace(lie, status=SzsStatus.THEOREM, version="F"), said)
        is None
    )
    assert len(said) == 2


def test_certificates_are_checked_again(
    store_path: Path, said: Said, verdicts: list[tuple[Problem, Verdict]]
) -> None:
    """A certificate with a correct hash that proves something else is not believed."""
    valid, proof = next((p, v) for p, v in verdicts if v.certificate and p.semantics.frame)
    invalid = replace(valid, semantics=semantics())
    assert forged(store_path, valid, proof, said) == proof
    assert forged(store_path, invalid, proof, said) is None
    refuting = replace(proof, status=SzsStatus.COUNTER_SATISFIABLE, version="F")
    assert forged(store_path, valid, refuting, said) is None
    assert len(said) == 2


def write_garbage(path: Path) -> None:
    path.write_bytes(random.Random(1).randbytes(10_000))


def truncate(share: float) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        os.truncate(path, int(path.stat().st_size * share))

    return damage


def change_schema(path: Path) -> None:
    rewrite(path, "PRAGMA user_version = 99")


def drop_table(path: Path) -> None:
    rewrite(path, "DROP TABLE evidence")


def drop_column(path: Path) -> None:
    rewrite(path, "ALTER TABLE evidence DROP COLUMN sha256")


def be_another_programs(path: Path) -> None:
    path.unlink()
    rewrite(path, "CREATE TABLE bookmarks (url TEXT)")


DAMAGES = [
    write_garbage, truncate(0.02), truncate(0.3), truncate(0.9), change_schema, drop_table, drop_column,
    be_another_programs,
]  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_set_aside(
    damage: Callable[[Path], None], full_store: Path, said: Said, verdicts: list[tuple[Problem, Verdict]]
) -> None:
    """It keeps its bytes under another name, that is said in one sentence, and a new store works."""
    for number in (1, 2):
        damage(full_store)
        damaged = full_store.read_bytes()
        with said.store(full_store) as store:
            for p, v in 2 * verdicts:  # the damage may be met on the way
                assert recalled(store, p, v) in (None, v)
                store.keep(p, LIMITS, v)
            assert all(recalled(store, p, v) == v for p, v in kept(verdicts))
        aside = full_store.with_name(f"{full_store.name}.damaged-{number}")
        assert aside.read_bytes() == damaged
        assert len(said) == number
        assert str(full_store) in said[-1] and aside.name in said[-1]


def test_an_empty_file_is_a_new_store(store_path: Path, said: Said) -> None:
    """What a process leaves that is killed while it makes the file is no damage."""
    store_path.touch()
    assert forged(store_path, PROBLEMS[0], verdict(), said) == verdict()
    assert not said


def test_random_damage_is_never_believed(
    full_store: Path, said: Said, verdicts: list[tuple[Problem, Verdict]], tmp_path: Path
) -> None:
    """Whatever bytes change, what comes back is what was kept, or nothing; and nothing is raised."""
    intact = full_store.read_bytes()
    rng = random.Random(7)
    lost = 0
    for number in range(40):
        path = tmp_path / f"store-{number}"
        damaged = bytearray(intact)
        for _ in range(rng.choice((1, 30, 1000))):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        path.write_bytes(damaged)
        with said.store(path) as store:
            for p, v in kept(verdicts):
                found = recalled(store, p, v)
                assert found in (None, v)
                lost += found is None
                store.keep(p, LIMITS, v)
    assert lost > 0 and said


def test_damage_while_it_is_open(
    full_store: Path, said: Said, verdicts: list[tuple[Problem, Verdict]]
) -> None:
    """A file that is overwritten under an open store is set aside then, and the store works on."""
    with said.store(full_store) as store, full_store.open("r+b") as stream:
        stream.seek(4096)
        stream.write(random.Random(1).randbytes(full_store.stat().st_size - 4096))
        stream.flush()
        for p, v in 2 * verdicts:
            assert recalled(store, p, v) in (None, v)
            store.keep(p, LIMITS, v)
        assert all(recalled(store, p, v) == v for p, v in kept(verdicts))
    assert len(said) == 1 and "damaged" in said[0]


def assert_goes_on_without(store: EvidenceStore, said: Said) -> None:
    """The store accepts everything, remembers nothing, and has said so in one sentence."""
    store.keep(PROBLEMS[0], LIMITS, verdict())
    assert recalled(store, PROBLEMS[0], verdict()) is None
    store.forget("eprover")
    store.close()
    assert len(said) == 1
    assert said[0].startswith(f"going on without the evidence store {store.path}: ")


def test_a_place_that_is_none(tmp_path: Path, said: Said) -> None:
    """A path below a file is no reason to fail."""
    (tmp_path / "file").touch()
    assert_goes_on_without(said.store(tmp_path / "file" / "store"), said)


def test_a_directory_in_its_place(tmp_path: Path, said: Said) -> None:
    """Neither is a directory; it is left as it is."""
    (tmp_path / "store").mkdir()
    assert_goes_on_without(said.store(tmp_path / "store"), said)
    assert list(tmp_path.iterdir()) == [tmp_path / "store"]


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A directory that cannot be written, not even by root."""
    directory = tmp_path / "read-only"
    directory.mkdir()
    (directory / "file").touch()
    if os.getuid() != 0:
        directory.chmod(0o500)
        yield directory
        directory.chmod(0o700)
        return
    mount = ["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(directory)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("root can write everywhere here and may not mount")
    yield directory
    subprocess.run(["umount", str(directory)], check=True)


def test_a_read_only_directory(read_only: Path, said: Said) -> None:
    """Nor is a directory that cannot be written."""
    assert_goes_on_without(said.store(read_only / "store"), said)


def test_a_full_disk(store_path: Path, said: Said) -> None:
    """When no page can be added, the build goes on without the store, and what was kept stays."""
    with said.store(store_path) as store:
        store.keep(PROBLEMS[1], LIMITS, verdict())
        assert store._connection is not None
        store._connection.execute("PRAGMA max_page_count = 1")
        big = verdict(stdout=random.Random(1).randbytes(20_000).hex())
        store.keep(PROBLEMS[0], LIMITS, big)
        assert recalled(store, PROBLEMS[1], verdict()) is None
    assert len(said) == 1 and "full" in said[0]
    with said.store(store_path) as store:
        assert recalled(store, PROBLEMS[1], verdict()) == verdict()


def test_a_lock_that_is_never_released(store_path: Path, said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process that holds the file for ever does not hold up a build for ever."""
    monkeypatch.setattr(store_module, "_BUSY_SECONDS", 0.05)
    said.store(store_path).close()
    holder = sqlite3.connect(store_path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    assert_goes_on_without(said.store(store_path), said)
    holder.close()


WRITER = """
import sys
from pathlib import Path
from modalgen.oracle.store import EvidenceStore
from modalgen.oracle.verdict import Limits, SzsStatus, Verdict
from modalgen.problem import Problem
from modalgen.semantics import semantics
from modalgen.syntax import parse

PROBLEM = Problem(semantics(()), (), parse("□p → ◇p"))

def keep(number):
    verdict = Verdict("eprover-tff", "", str(number), "", (), SzsStatus.THEOREM, 0.0, 0, "")
    store.keep(PROBLEM, Limits(), verdict)
    print(number, flush=True)

sys.stdin.readline()
store = EvidenceStore(Path(sys.argv[1]), lambda sentence: print(sentence, flush=True))
"""


def writer(path: Path, program: str) -> subprocess.Popen[str]:
    """A process that opens the store once it is told to, and prints what it has kept and was told."""
    arguments = [sys.executable, "-c", WRITER + program, str(path)]
    return subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("damage", [None, write_garbage])
def test_processes_share_a_store(damage: Callable[[Path], None] | None, store_path: Path, said: Said) -> None:
    """Of processes that begin at once, one makes the file, or sets the damaged one aside; all keep all."""
    if damage is not None:
        said.store(store_path).close()
        damage(store_path)
    writers = [writer(store_path, f"for n in range({50 * k}, {50 * k + 50}): keep(n)") for k in range(4)]
    for process in writers:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    lines = [line for process in writers for line in process.communicate()[0].splitlines()]
    sentences = [line for line in lines if not line.isdigit()]
    assert len(sentences) == (0 if damage is None else 1), sentences
    assert len(list(store_path.parent.glob("*.damaged-*"))) == len(sentences)
    with said.store(store_path) as store:
        for number in range(200):
            assert recalled(store, PROBLEMS[0], verdict(version=str(number))) is not None


def test_a_killed_process_loses_nothing(store_path: Path, said: Said) -> None:
    """What `keep` has accepted is there after kill -9, and the file is in order."""
    process = writer(store_path, "from itertools import count\nfor n in count(): keep(n)")
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    for _ in range(100):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    last = 99 + len([line for line in process.communicate()[0].splitlines() if line])
    with said.store(store_path) as store:
        for number in range(last):
            assert recalled(store, PROBLEMS[0], verdict(version=str(number))) is not None
    assert not said


def test_an_engine_is_forgotten(store_path: Path, said: Said) -> None:
    """Nothing of a liar stays, in no version and under no name, and all of the others does."""
    liars = [verdict(decider=name, version=v) for name in ("eprover-tff", "eprover-thf") for v in ("1", "2")]
    others = [verdict(decider=name) for name in ("cvc5", "eprover2-tff", "z3-kripke")]
    with said.store(store_path) as store:
        for v in (*liars, *others):
            store.keep(PROBLEMS[0], LIMITS, v)
        store.forget("eprover")
        assert [recalled(store, PROBLEMS[0], v) for v in liars] == [None] * 4
        assert [recalled(store, PROBLEMS[0], v) for v in others] == others


def test_an_oracle_makes_no_run_twice(store_path: Path, said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a warm store an oracle gives the same judgments and runs no decider."""
    with said.store(store_path) as store:
        with Oracle(store=store) as oracle:
            cold = [oracle.judge(p) for p in PROBLEMS]
        with Oracle(store=store) as oracle:
            monkeypatch.setattr(oracle, "_run", lambda *arguments: pytest.fail("a decider was run"))
            assert [oracle.judge(p) for p in PROBLEMS] == cold


def test_where_the_store_is(store_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment variable says where, else it is in the user's cache directory."""
    assert default_path() == store_path
    monkeypatch.setenv("MODALGEN_STORE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert default_path().parts[-2:] == ("modalgen", "evidence.sqlite")
    if sys.platform == "linux":
        assert default_path() == Path("/somewhere/modalgen/evidence.sqlite")
