"""Builds under faults: provers that misbehave or lie, kill -9, full disks; no label is wrong or lost."""

from __future__ import annotations

import json
import os
import random
import resource
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import fake_provers
import pytest
from click.testing import CliRunner, Result
from fake_provers import lying_on, survivors, write_prover
from small import command, contents, modalgen, pairs_text, source, write_spec

from modalgen import build as build_module
from modalgen.build import Build, build, write_dataset
from modalgen.cli import cli
from modalgen.files import json_line
from modalgen.kripke import KripkeModel
from modalgen.oracle import judge as judge_module
from modalgen.oracle.cvc5_finder import Cvc5Finder
from modalgen.oracle.eprover import EProver
from modalgen.oracle.herbrand import HerbrandProver
from modalgen.oracle.judge import Judgment, Oracle
from modalgen.oracle.kripke_search import KripkeSearch
from modalgen.oracle.lies import lies
from modalgen.oracle.policy import engine_of
from modalgen.oracle.store import EvidenceStore
from modalgen.oracle.verdict import Decider, Limits, SzsStatus, Verdict
from modalgen.problem import Problem
from modalgen.records import EVIDENCE, MANIFEST, PAIRS, REJECTED, evidence_hash
from modalgen.semantics import semantics
from modalgen.syntax import parse
from modalgen.verify import verify

ONE_OF_EACH = ("validity: 2, inference: 1", "validity: 1, inference: 1")
# For provers that use all their time, of which they then get little.
ONE = ("validity: 2, inference: 1", "validity: 1, inference: 0")
IMPATIENT = Limits(wall_seconds=1.0)


def install(monkeypatch: pytest.MonkeyPatch, *primary: Decider, secondary: Sequence[Decider] = ()) -> None:
    """Let these be the deciders of all builds."""
    for module in (judge_module, build_module):
        monkeypatch.setattr(module, "PRIMARY", primary)
        monkeypatch.setattr(module, "SECONDARY", tuple(secondary))


def install_fake(monkeypatch: pytest.MonkeyPatch, fake: Path, *others: Decider) -> None:
    """Let the fake be E, on both translations, beside the other deciders (all, if none are given)."""
    first, *rest = others or (KripkeSearch(), HerbrandProver(), Cvc5Finder())
    tff, thf = EProver("tff", str(fake)), EProver("thf", str(fake))
    install(monkeypatch, first, tff, *rest, secondary=(thf,))


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """The small dataset as it is built without E."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        install(monkeypatch, KripkeSearch(), HerbrandProver(), Cvc5Finder())
        return build([source(tmp_path_factory.mktemp("honest"), ONE_OF_EACH)])


def run(*arguments: str | Path) -> Result:
    """Run `modalgen build` in this process."""
    return CliRunner().invoke(cli, ["build", "--jobs", "1", *map(str, arguments)])


def labels(result: Build) -> list[tuple[str, dict[str, bool], dict[str, bool | None]]]:
    """The pairs with their labels."""
    return [(p.pair_id, {n: s.label for n, s in p.sides.items()}, dict(p.ablation)) for p in result.pairs]


FAULTS = [
    ("DEAF", SzsStatus.TIMEOUT),
    ("HANGING", SzsStatus.TIMEOUT),
    ("SUCCESS_AND_EXIT_1", SzsStatus.UNKNOWN),
    ("TWO_STATUSES", SzsStatus.UNKNOWN),
    ("TWICE_THEOREM", SzsStatus.UNKNOWN),
    ("FINITE_MODEL", SzsStatus.UNKNOWN),
    ("NO_REFUTATION", SzsStatus.UNKNOWN),
    ("FLOOD", SzsStatus.RESOURCE_OUT),
    ("CRASH", SzsStatus.ERROR),
    ("SILENT", SzsStatus.UNKNOWN),
    ("NOISE", SzsStatus.UNKNOWN),
    ("LEAVING_A_CHILD", SzsStatus.UNKNOWN),
]


@pytest.mark.parametrize(("fault", "status"), FAULTS)
def test_a_misbehaving_prover_costs_its_own_evidence_only(
    fault: str,
    status: SzsStatus,
    tmp_path: Path,
    store_path: Path,
    honest: Build,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The build finishes with the labels that it has without the prover; the prover's runs are recorded
    as what they were, not remembered, leave no process behind and take no memory."""
    fake = write_prover(tmp_path, getattr(fake_provers, fault))
    install_fake(monkeypatch, fake)
    slow = status is SzsStatus.TIMEOUT
    spec = source(tmp_path, ONE if slow else ONE_OF_EACH)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with EvidenceStore(store_path, pytest.fail) as store:
        result = build([spec], limits=IMPATIENT if slow else None, store=store)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert labels(result) == labels(honest)[: len(result.pairs)] and not result.shortfalls
    assert not result.alarms and not result.quarantined
    runs = [e for e in result.evidence if engine_of(e["decider"]) == "eprover"]
    assert runs and all((e["status"], e["decisive"]) == (status, False) for e in runs)
    assert not any("eprover" in name for p in result.pairs for s in p.sides.values() for name in s.deciders)
    assert remembered(store_path, "eprover") == 0
    assert survivors(tmp_path) == []
    assert grown < 100 * (1 if sys.platform == "darwin" else 1 / 1024) * 2**20
    write_dataset(result, tmp_path / "out")
    assert verify(tmp_path / "out") == []


def remembered(store_path: Path, engine: str) -> int:
    """How many verdicts of the engine a store has."""
    with sqlite3.connect(store_path) as connection:
        query = "SELECT count(*) FROM evidence WHERE engine = ?"
        (number,) = connection.execute(query, (engine.encode(),)).fetchone()
    connection.close()
    return int(number)


@pytest.mark.parametrize("behaviour", ["SAYS_THEOREM", "SAYS_COUNTER_SATISFIABLE"])
@pytest.mark.parametrize("jobs", [1, 3])
def test_a_liar_is_quarantined(
    behaviour: str,
    jobs: int,
    tmp_path: Path,
    store_path: Path,
    honest: Build,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A prover that always says the same is caught by what can be checked: the pair is named, the dataset
    is the one without the prover, what it said is kept as evidence of nothing, and forgotten."""
    install_fake(monkeypatch, write_prover(tmp_path, getattr(fake_provers, behaviour)))
    for attempt in ("cold", "warm"):
        with EvidenceStore(store_path, pytest.fail) as store:
            result = build([source(tmp_path, ONE_OF_EACH)], jobs=jobs, store=store)
        (caught,) = result.quarantined
        assert (caught.lie.engine, caught.lie.verdict.version) == ("eprover", "E 0.0 fake")
        assert caught.pair_id == honest.pairs[0].pair_id
        assert pairs_text(result) == pairs_text(honest)
        assert remembered(store_path, "eprover") == 0 < remembered(store_path, "z3")
        out = tmp_path / attempt
        manifest = write_dataset(result, out)
        assert [entry["engine"] for entry in manifest["quarantined"]] == ["eprover"]
        assert "eprover-tff" not in manifest["deciders"]
        assert verify(out) == []
    assert (tmp_path / "cold" / PAIRS).read_bytes() == (tmp_path / "warm" / PAIRS).read_bytes()
    marked = [e for e in evidence_of(out) if e.get("quarantined")]
    assert marked and all(engine_of(e["decider"]) == "eprover" for e in marked)
    assert all(caught.words in e["note"] for e in marked)
    assert not any(engine_of(e["decider"]) == "eprover" for e in evidence_of(out) if e not in marked)


def evidence_of(directory: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (directory / EVIDENCE).read_text(encoding="utf-8").splitlines()]


def test_the_command_reports_a_liar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user reads who lied, of which pair and what refutes it; the exit code is not 0."""
    install_fake(monkeypatch, write_prover(tmp_path, fake_provers.SAYS_THEOREM))
    spec, out = write_spec(tmp_path, ONE_OF_EACH), tmp_path / "out"
    result = run(spec, "-o", out)
    assert result.exit_code == 1, result.output
    manifest = json.loads((out / MANIFEST).read_text())
    (entry,) = manifest["quarantined"]
    for words in ("QUARANTINED eprover", entry["pair_id"], "eprover-tff says Theorem", entry["problem"]):
        assert words in result.output
    assert verify(out) == []


def test_what_rested_on_a_liar_is_settled_anew(
    tmp_path: Path, store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pairs that had been accepted before the lie lose its support too: dual becomes single."""
    real = EProver("tff").path()
    if real is None:
        pytest.skip("needs E")
    both = (KripkeSearch(), HerbrandProver())
    install_fake(monkeypatch, Path(real), *both)
    before = build([source(tmp_path)])
    last = before.pairs[-1]
    assert {side.resolution for p in before.pairs for side in p.sides.values()} == {"dual"}
    (text,) = {e["translation"] for e in before.evidence if e["decider"] == "eprover-tff"
               and (e["pair_id"], e["side"], e["variant"]) == (last.pair_id, "a", "full")}  # fmt: skip
    goal = next(line for line in text.splitlines() if "conjecture" in line)
    liar = write_prover(tmp_path, lying_on(goal, real))
    install_fake(monkeypatch, liar, *both)
    with EvidenceStore(store_path, pytest.fail) as store:
        after = build([source(tmp_path)], store=store)
    (caught,) = after.quarantined
    assert caught.pair_id == last.pair_id
    assert {e["pair_id"] for e in caught.evidence} >= {p.pair_id for p in before.pairs}
    assert labels(after) == labels(before)
    assert {side.resolution for p in after.pairs for side in p.sides.values()} == {"single"}
    assert remembered(store_path, "eprover") == 0
    write_dataset(after, tmp_path / "out")
    assert verify(tmp_path / "out") == []


def test_quarantined_evidence_counts_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pair that cites what a liar said does not hold, even if all hashes fit."""
    install_fake(monkeypatch, write_prover(tmp_path, fake_provers.SAYS_THEOREM))
    out = tmp_path / "out"
    write_dataset(build([source(tmp_path, ONE_OF_EACH)]), out)
    evidence = evidence_of(out)
    pairs = [json.loads(line) for line in (out / PAIRS).read_text(encoding="utf-8").splitlines()]
    lie = next(e for e in evidence if e.get("quarantined"))
    (pair,) = (p for p in pairs if p["pair_id"] == lie["pair_id"])
    side = pair["sides"][lie["side"]]
    side["evidence"].append(lie["sha256"])
    (out / PAIRS).write_text("".join(json_line(p) + "\n" for p in pairs), encoding="utf-8")
    faults = [fault.what for fault in verify(out)]
    assert any("cites quarantined evidence" in what for what in faults)
    assert not any("the evidence says" in what for what in faults)
    assert lie["sha256"] == evidence_hash(lie)


def judged(problem: Problem, *verdicts: Verdict) -> Judgment:
    return Judgment(problem, verdicts)


def said(decider: str, status: SzsStatus, **more: object) -> Verdict:
    return Verdict(decider, "some-route", "1", "", (), status, 0.0, 0, "", **more)  # type: ignore[arg-type]


SERIAL = Problem(semantics(["serial"]), (), parse("□p → p"))
ANY = Problem(semantics(), (), parse("□p → p"))
# Two worlds that access each other; p is true at the other one.
SWAP = KripkeModel(2, frozenset({(0, 1), (1, 0)}), valuation={"p": frozenset({1})})


def test_a_countermodel_convicts_across_semantics_and_premises() -> None:
    """A countermodel on serial frames refutes a theorem on all frames, and not the other way round."""
    model = said("z3-kripke", SzsStatus.COUNTER_SATISFIABLE, countermodel=SWAP)
    word = said("eprover-tff", SzsStatus.THEOREM)
    (lie,) = lies([judged(SERIAL, model), judged(ANY, word)])
    assert (lie.engine, lie.problem, lie.verdict) == ("eprover", ANY, word)
    dead_end = KripkeModel(1, frozenset(), valuation={"p": frozenset()})
    weaker = said("z3-kripke", SzsStatus.COUNTER_SATISFIABLE, countermodel=dead_end)
    assert not list(lies([judged(ANY, weaker), judged(SERIAL, word)]))
    premised = Problem(semantics(), (parse("◇p"),), parse("□p → p"))
    assert list(lies([judged(premised, model), judged(ANY, word)]))


def test_only_what_is_checked_convicts() -> None:
    """Bare words against each other convict nobody, and who has a checked proof is no bare word."""
    yes, no = said("eprover-tff", SzsStatus.THEOREM), said("cvc5", SzsStatus.COUNTER_SATISFIABLE)
    assert not list(lies([judged(ANY, yes, no)]))
    all_true = KripkeModel(1, frozenset({(0, 0)}), valuation={"p": frozenset({0})})
    bogus = said("cvc5", SzsStatus.COUNTER_SATISFIABLE, countermodel=all_true)
    assert not list(lies([judged(ANY, yes, bogus)]))
    valid = Problem(semantics(["reflexive"]), (), parse("□p → p"))
    with Oracle() as oracle:
        proof = oracle.run(HerbrandProver(), valid)
    assert proof.certificate is not None
    (lie,) = lies([judged(valid, proof, no)])
    assert lie.engine == "cvc5"
    assert not list(lies([judged(ANY, no), judged(valid, proof)]))
    with_bogus_proof = said("herbrand", SzsStatus.THEOREM, certificate=proof.certificate)
    assert not list(lies([judged(ANY, with_bogus_proof, no)]))


def test_a_killed_build_repeats_no_run(
    tmp_path: Path, store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an interrupted build has found, the next one does not look for again."""
    runs: list[tuple[Problem, str]] = []
    real = Oracle._run

    def counted(self: Oracle, decider: Decider, problem: Problem) -> Verdict:
        verdict = real(self, decider, problem)
        runs.append((problem, decider.name))
        return verdict

    monkeypatch.setattr(Oracle, "_run", counted)
    uninterrupted = build([source(tmp_path)])
    once = sorted(set(runs), key=repr)
    runs.clear()

    class Interrupted(Exception):
        pass

    def interrupt(progress: object) -> None:
        raise Interrupted

    with EvidenceStore(store_path, pytest.fail) as store, pytest.raises(Interrupted):
        build([source(tmp_path)], store=store, report=interrupt)
    assert len(runs) > 0
    with EvidenceStore(store_path, pytest.fail) as store:
        resumed = build([source(tmp_path)], store=store)
    assert len(runs) == len(set(runs))
    assert set(once) <= set(runs)
    assert pairs_text(resumed) == pairs_text(uninterrupted)


def stray_processes(marker: str) -> list[str]:
    """Live processes with the text in their environment, after a moment's time to end."""
    deadline = time.monotonic() + 20
    while True:
        found = []
        for environment in Path("/proc").glob("[0-9]*/environ"):
            try:
                if marker.encode() in environment.read_bytes():
                    found.append(environment.parent.name)
            except OSError:
                continue
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.1)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")
def test_kill_9_and_resume(tmp_path: Path, store_path: Path) -> None:
    """A build killed at random moments, again and again, ends with the same bytes and leaves no process."""
    spec, out = write_spec(tmp_path), tmp_path / "out"
    straight = tmp_path / "straight"
    assert run(spec, "-o", straight, "--no-store").exit_code == 0
    rng = random.Random(3)
    arguments = command("build", spec, "-o", out, "--jobs", "2", "--store", store_path)
    marker = f"MARKER_OF_THIS_TEST={tmp_path}"
    for _ in range(3):
        process = subprocess.Popen(
            arguments, env={**os.environ, "MARKER_OF_THIS_TEST": str(tmp_path)},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            process.wait(rng.uniform(0.8, 2.5))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        assert stray_processes(marker) == []
        assert not out.exists() or verify(out) == []
    done = modalgen(*arguments[3:])
    assert done.returncode == 0 and "evidence store" not in done.stderr.replace("from the evidence store", "")
    for name in (PAIRS, REJECTED):
        assert (out / name).read_bytes() == (straight / name).read_bytes()
    assert verify(out) == []


def test_two_builds_at_once(tmp_path: Path, store_path: Path) -> None:
    """Builds that share a store, and even the place of the dataset, do not disturb each other."""
    arguments = command("build", write_spec(tmp_path), "-o", tmp_path / "out")
    processes = [subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    errors = [process.communicate()[1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], errors
    assert not any("going on without" in error or "damaged" in error for error in errors)
    assert verify(tmp_path / "out") == []
    assert not list(tmp_path.glob(".out*"))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with room for one dataset and a little more."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(disk)]
    if os.getuid() != 0 or shutil.which("mount") is None or subprocess.run(mount, check=False).returncode:
        pytest.skip("only root can mount a small file system")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_leaves_the_old_dataset(small_disk: Path, tmp_path: Path) -> None:
    """When the new dataset does not fit, that is said in one line, and the old one is as it was."""
    out = small_disk / "out"
    assert run(write_spec(tmp_path), "-o", out, "--limit", "1").exit_code == 0
    before = contents(out)
    (small_disk / "ballast").write_bytes(bytes(shutil.disk_usage(small_disk).free - 8192))
    done = run(write_spec(tmp_path), "-o", out)
    assert done.exit_code == 1
    assert f"modalgen: {out}: cannot be written: No space left on device" in done.stderr.splitlines()
    assert contents(out) == before and verify(out) == []
    assert {path.name for path in small_disk.iterdir()} == {"out", "ballast"}


def test_a_store_on_a_full_disk(small_disk: Path, tmp_path: Path) -> None:
    """When the store does not fit, the build goes on without it and says so once."""
    (small_disk / "ballast").write_bytes(bytes(shutil.disk_usage(small_disk).free - 65536))
    done = run(write_spec(tmp_path), "-o", tmp_path / "out", "--store", small_disk / "store")
    assert done.exit_code == 0, done.stderr
    sentences = [line for line in done.stderr.splitlines() if "going on without the evidence store" in line]
    assert len(sentences) == 1 and "full" in sentences[0]
    assert verify(tmp_path / "out") == []


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX systems")
def test_files_that_may_not_grow(tmp_path: Path, store_path: Path) -> None:
    """Past a limit on file sizes the store is given up, no dataset is written, and the old one stays."""
    spec, out = write_spec(tmp_path), tmp_path / "out"
    assert run(spec, "-o", out, "--limit", "1").exit_code == 0
    before = contents(out)
    build_it = " ".join(map(shlex.quote, command("build", spec, "-o", out)))
    done = subprocess.run(["sh", "-c", f"ulimit -f 8; exec {build_it}"], capture_output=True, text=True)
    assert done.returncode == 1
    assert f"modalgen: {out}: cannot be written: File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("going on without the evidence store") == 1
    assert contents(out) == before and verify(out) == []


@pytest.fixture
def read_only_disk(tmp_path: Path) -> Iterator[Path]:
    """A directory that nobody can write."""
    disk = tmp_path / "read-only"
    disk.mkdir()
    if os.getuid() != 0:
        disk.chmod(0o500)
        yield disk
        disk.chmod(0o700)
        return
    mount = ["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(disk)]
    if shutil.which("mount") is None or subprocess.run(mount, check=False).returncode:
        pytest.skip("root can write everywhere here and may not mount")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def refused_at_once(place: Path, spec: Path) -> None:
    done = run(spec, "-o", place)
    assert done.exit_code == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"modalgen: {place}: cannot be written: ")


def test_a_read_only_directory_is_refused_at_once(read_only_disk: Path, tmp_path: Path) -> None:
    """Not after hours of proving, but before: the place of the dataset cannot be written."""
    refused_at_once(read_only_disk / "out", write_spec(tmp_path))
    refused_at_once(read_only_disk / "deep" / "out", write_spec(tmp_path))


def test_a_place_below_a_file_is_refused_at_once(tmp_path: Path) -> None:
    """The same where a directory above is a file."""
    (tmp_path / "file").touch()
    refused_at_once(tmp_path / "file" / "out", write_spec(tmp_path))


def test_a_prover_that_disappears(tmp_path: Path, store_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A prover uninstalled during a build ends it with a message; the next build goes on from there."""
    behaviour = "rm -f \"$0\"\necho '# SZS status GaveUp'\nexit 10\n"
    install_fake(monkeypatch, write_prover(tmp_path, behaviour))
    spec, out = write_spec(tmp_path, ONE_OF_EACH), tmp_path / "out"
    result = run(spec, "-o", out)
    assert result.exit_code == 1 and "a prover cannot be run any more" in result.output
    assert not out.exists()
    install(monkeypatch, KripkeSearch(), HerbrandProver(), Cvc5Finder())
    result = run(spec, "-o", out)
    assert result.exit_code == 0 and "were recalled" in result.output


def test_wrong_options(tmp_path: Path) -> None:
    """--store and --no-store contradict each other."""
    result = run(write_spec(tmp_path), "--store", tmp_path / "s", "--no-store")
    assert result.exit_code == 2 and "not both" in result.output
