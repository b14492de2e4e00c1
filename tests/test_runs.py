"""Runs: nothing is lost, nothing is paid twice, and no answer ends up at another question."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from asking_help import KEY, ask, by_prompt, lines, settings, slowly, write_dataset
from click.testing import CliRunner
from fault_server import Answer, FaultServer, Seen, chat, fault_server, says

from modalgen.cli import cli
from modalgen.evaluate.asking import Request, requests
from modalgen.evaluate.dataset import Dataset, chosen, open_dataset
from modalgen.evaluate.prices import Price
from modalgen.evaluate.prompts import PromptOptions, Specification
from modalgen.evaluate.runner import Event, Limits
from modalgen.evaluate.runs import (
    RunError,
    Shard,
    open_run,
    read_every_response,
    read_responses,
    read_run,
)
from modalgen.files import sha256
from modalgen.records import DatasetError


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    """Six pairs, twelve sides."""
    return write_dataset(tmp_path / "data", 6)


def assert_each_answered_once(run: Path, number: int) -> None:
    """Every item has one line, and the line answers its own prompt."""
    records = lines(run)
    assert len(records) == number
    assert set(Counter((r["model"], r["condition"], r["item"]) for r in records).values()) == {1}
    for record in records:
        effort = None if record["condition"] == "default" else record["condition"]
        assert record["text"] == f"{record['model']} {effort} {record['prompt_sha256']}"
        assert sha256(record["prompt"]) == record["prompt_sha256"]


def test_a_run_keeps_everything(dataset: Dataset, tmp_path: Path) -> None:
    """What was sent and what came back stands in the shard as it was, and the settings in run.json."""
    with fault_server(behave=by_prompt) as server:
        summary = ask(settings(server.url, max_tokens=7), dataset, tmp_path / "run", price=Price(10, 100))
    assert (summary.answered, summary.stopped) == (12, None)
    assert summary.spent == pytest.approx(12 * (100 * 10 + 10 * 100) / 1e6)
    assert_each_answered_once(tmp_path / "run", 12)
    sent = {json.dumps(seen.body, sort_keys=True) for seen in server.seen}
    assert sent == {json.dumps(record["request"], sort_keys=True) for record in lines(tmp_path / "run")}
    record = lines(tmp_path / "run")[0]
    assert json.loads(record["response"])["choices"][0]["message"]["content"] == record["text"]
    assert (record["returned_model"], record["fingerprint"]) == ("served-model", "fp_1")
    assert record["usage"] == {"input": 100, "output": 10, "reasoning": None, "cached": None}
    assert [attempt["status"] for attempt in record["attempts"]] == [200]
    run = read_run(tmp_path / "run")
    assert run["dataset"] == "../data"
    assert run["settings"]["max_tokens"] == 7 and run["settings"]["dataset"]["sha256"] == dataset.sha256
    everything = "".join(path.read_text() for path in (tmp_path / "run").rglob("*") if path.is_file())
    assert KEY not in everything


def test_a_finished_run_sends_nothing(dataset: Dataset, tmp_path: Path) -> None:
    """The same run once more asks nothing and changes no line."""
    with fault_server(behave=by_prompt) as server:
        ask(settings(server.url), dataset, tmp_path / "run")
        before = lines(tmp_path / "run")
        summary = ask(settings(server.url), dataset, tmp_path / "run")
    assert (summary.skipped, summary.answered, len(server.seen)) == (12, 0, 12)
    assert lines(tmp_path / "run") == before


def test_only_failures_of_transport_are_sent_again(dataset: Dataset, tmp_path: Path) -> None:
    """A request that failed on the way is asked again on resume; every response, however poor, and
    every HTTP error that the model's other answers show to be final, is not."""
    poor = {1: chat(None), 2: chat(""), 3: chat("Y", finish="length"), 4: says({"error": "too long"}, 400)}

    def behave(seen: Seen, number: int) -> Answer:
        return poor.get(number) or (says({}, 500) if number in (5, 6, 7) else chat("Yes"))

    one = Limits(max_connections=1)
    with fault_server(behave=behave) as server:
        first = ask(settings(server.url), dataset, tmp_path / "run", limits=one)
        assert (first.answered, first.http_errors, first.failed, len(server.seen)) == (10, 1, 1, 14)
        second = ask(settings(server.url), dataset, tmp_path / "run", limits=one)
        assert (second.skipped, second.answered, len(server.seen)) == (11, 1, 15)
    assert len(lines(tmp_path / "run")) == 13
    counted = list(read_responses(tmp_path / "run"))
    assert len(counted) == len({record["item"] for record in counted}) == 12
    assert Counter(record["reported"] for record in counted) == {None: 10, "truncated": 1, "http_error": 1}


@contextmanager
def process_in_mid_run(directory: Path, run: Path, server: FaultServer) -> Iterator[subprocess.Popen[bytes]]:
    """The command line in a process of its own, when it has sent half of its 80 requests."""
    with subprocess.Popen(
        [sys.executable, "-c", "from modalgen.cli import main; main()", *command(directory, run, server)],
        env=os.environ | {"MODALGEN_API_KEY": KEY},
        stderr=subprocess.PIPE,
    ) as process:
        try:
            while len(server.seen) < 40:
                assert process.poll() is None, process.communicate()
                time.sleep(0.005)
            yield process
        finally:
            process.kill()


def command(directory: Path, run: Path, server: FaultServer) -> list[str]:
    """The arguments of the command line for a run with four connections."""
    arguments = ["eval", str(directory), "--model", "m", "--base-url", server.url, "-o", str(run)]
    return [*arguments, "--max-connections", "4"]


def test_killed_and_resumed(tmp_path: Path) -> None:
    """kill -9 in the middle of a run loses the requests in flight and no others; the run goes on to
    the end with no answer missing, doubled or misplaced."""
    directory, run = write_dataset(tmp_path / "data", 40).directory, tmp_path / "run"
    with fault_server(behave=slowly) as server:
        with process_in_mid_run(directory, run, server) as process:
            process.kill()
            process.wait()
        assert process.returncode == -signal.SIGKILL
        kept = len(list(read_responses(run)))
        in_flight = len(server.seen) - kept
        assert 0 < kept < 80 and 0 <= in_flight <= 4
        result = CliRunner(env={"MODALGEN_API_KEY": KEY}).invoke(cli, command(directory, run, server))
        assert result.exit_code == 0, result.output
    assert len(server.seen) == 80 + in_flight
    assert_each_answered_once(run, 80)


def test_interrupted_and_resumed(tmp_path: Path) -> None:
    """On an interrupt nothing new is sent, what is in flight is still written down, and the run can go
    on: no request is paid for twice."""
    directory, run = write_dataset(tmp_path / "data", 40).directory, tmp_path / "run"
    with fault_server(behave=slowly) as server:
        with process_in_mid_run(directory, run, server) as process:
            process.send_signal(signal.SIGINT)
            told = process.stderr.read() if process.stderr else b""
            process.wait()
        assert process.returncode == 1
        assert b"stopped: interrupted" in told and b"the same command goes on from here" in told
        assert len(server.seen) == len(list(read_responses(run))) < 80
        result = CliRunner(env={"MODALGEN_API_KEY": KEY}).invoke(cli, command(directory, run, server))
        assert result.exit_code == 0, result.output
    assert len(server.seen) == 80
    assert_each_answered_once(run, 80)


@pytest.mark.parametrize("torn", [b'{"schema": "modalgen/resp', b"\x00" * 5000, b"x" * 200_000])
def test_a_torn_last_line_is_cut(torn: bytes, dataset: Dataset, tmp_path: Path) -> None:
    """Half a line, as a lost machine leaves it, is not read, is cut off on resume, and is asked again."""
    with fault_server(behave=by_prompt) as server:
        ask(settings(server.url), dataset, tmp_path / "run")
        shard = next((tmp_path / "run" / "responses").iterdir())
        whole = shard.read_bytes().splitlines(keepends=True)
        shard.write_bytes(b"".join(whole[:-1]) + torn)
        assert len(list(read_responses(tmp_path / "run"))) == 11
        summary = ask(settings(server.url), dataset, tmp_path / "run")
    assert (summary.skipped, summary.answered) == (11, 1)
    assert_each_answered_once(tmp_path / "run", 12)


def test_a_damaged_line_is_told(dataset: Dataset, tmp_path: Path) -> None:
    """Damage in the middle of a shard is an error with file and line, and nothing is appended to it."""
    with fault_server(behave=by_prompt) as server:
        ask(settings(server.url), dataset, tmp_path / "run")
        shard = next((tmp_path / "run" / "responses").iterdir())
        shard.write_bytes(b"{}\n" + shard.read_bytes())
        with pytest.raises(RunError, match=r"\.jsonl:1: not a record"):
            ask(settings(server.url), dataset, tmp_path / "run")


def test_two_writers(dataset: Dataset, tmp_path: Path) -> None:
    """While one process writes a run, another one is refused and told who holds it."""
    with fault_server(behave=by_prompt) as server:
        wanted = settings(server.url)
        with open_run(tmp_path / "run", wanted.to_record(dataset), dataset.directory):
            with pytest.raises(RunError, match=f"another process \\(process {os.getpid()} on "):
                ask(wanted, dataset, tmp_path / "run")
            assert server.seen == []
        assert ask(wanted, dataset, tmp_path / "run").answered == 12


def test_two_writers_without_the_lock_file(dataset: Dataset, tmp_path: Path) -> None:
    """Somebody who deletes the lock file because it looks stale does not let a second writer in."""
    with fault_server(behave=by_prompt) as server:
        wanted = settings(server.url)
        with open_run(tmp_path / "run", wanted.to_record(dataset), dataset.directory):
            for _ in range(2):
                (tmp_path / "run" / "run.lock").unlink()
                with pytest.raises(RunError, match="another process"):
                    ask(wanted, dataset, tmp_path / "run")
        assert server.seen == []
        assert ask(wanted, dataset, tmp_path / "run").answered == 12


@pytest.mark.parametrize("left", [["responses"], ["responses", "run.lock"], ["run.lock", "run.json.new"]])
def test_what_a_killed_start_leaves(left: list[str], dataset: Dataset, tmp_path: Path) -> None:
    """A directory in which a run was begun, but not to the end of its first second, can be used."""
    (tmp_path / "run").mkdir()
    for name in left:
        path = tmp_path / "run" / name
        path.mkdir() if name == "responses" else path.write_text('{"schema": "mod')
    with fault_server(behave=by_prompt) as server:
        assert ask(settings(server.url), dataset, tmp_path / "run").answered == 12


def test_a_start_without_a_line_pins_nothing(dataset: Dataset, tmp_path: Path) -> None:
    """As long as nothing came back, the command may be corrected without another place for the run."""
    with fault_server(says({"error": "no such temperature"}, 400)) as server:
        summary = ask(settings(server.url, temperature=9.0), dataset, tmp_path / "run")
        assert summary.fault
    with fault_server(behave=by_prompt) as server:
        assert ask(settings(server.url), dataset, tmp_path / "run").answered == 12
        assert read_run(tmp_path / "run")["settings"]["temperature"] is None
        with pytest.raises(RunError, match="temperature was null"):
            ask(settings(server.url, temperature=9.0), dataset, tmp_path / "run")


def test_an_answer_outlives_a_failure_that_stands_after_it(dataset: Dataset, tmp_path: Path) -> None:
    """Where shards are put together, a failure of transport after the answer changes nothing: the answer
    counts, and the item is not asked again."""
    with fault_server(behave=by_prompt) as server:
        ask(settings(server.url), dataset, tmp_path / "run")
        shard = next((tmp_path / "run" / "responses").iterdir())
        failed = [
            record | {"reported": "transport_error", "text": None, "status": None}
            for record in lines(tmp_path / "run")
        ]
        with shard.open("a", encoding="utf-8") as stream:
            stream.write("".join(json.dumps(record) + "\n" for record in failed))
        for read in (read_responses, read_every_response):
            assert [record["reported"] for record in read(tmp_path / "run")] == [None] * 12
        assert ask(settings(server.url), dataset, tmp_path / "run").skipped == 12
    assert len(server.seen) == 12


@pytest.mark.parametrize(
    "damage",
    [
        {"item": ["a"]},
        {"cost": "dear"},
        {"cost": -1.0},
        {"cost": float("inf")},
        {"request_sha256": None},
        {"reported": "odd"},
    ],
)
def test_lines_that_are_no_responses(damage: dict[str, Any], dataset: Dataset, tmp_path: Path) -> None:
    """Fields of another type than a run writes are an error with file and line."""
    with fault_server(behave=by_prompt) as server:
        ask(settings(server.url), dataset, tmp_path / "run")
        shard = next((tmp_path / "run" / "responses").iterdir())
        shard.write_text("".join(json.dumps(record | damage) + "\n" for record in lines(tmp_path / "run")))
        with pytest.raises(RunError, match=r"\.jsonl:1: not a record"):
            ask(settings(server.url), dataset, tmp_path / "run")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"models": ("m2",)}, 'models was ["m1"] and is now ["m2"]'),
        ({"reasoning": ("high",)}, 'reasoning was ["default"] and is now ["high"]'),
        ({"max_tokens": 9}, "max_tokens was null and is now 9"),
        ({"temperature": 0.5}, "temperature was null and is now 0.5"),
        ({"seed": 0}, "seed was null and is now 0"),
        ({"limit": 3}, "limit was null and is now 3"),
        ({"extra": {"top_p": 0.5}}, "extra.top_p was null and is now 0.5"),
        ({"served": "http://other/v1"}, 'served was "http'),
    ],
)
def test_changed_settings(change: dict[str, Any], named: str, dataset: Dataset, tmp_path: Path) -> None:
    """A run goes on with its own settings only; the difference is named and nothing is sent."""
    with fault_server(behave=by_prompt) as server:
        wanted = settings(server.url)
        ask(wanted, dataset, tmp_path / "run")
        with pytest.raises(RunError) as caught:
            ask(replace(wanted, **change), dataset, tmp_path / "run")
    assert named in str(caught.value)
    assert len(server.seen) == 12


def test_a_changed_dataset(dataset: Dataset, tmp_path: Path) -> None:
    """A run goes on with its own dataset only."""
    other = write_dataset(tmp_path / "other", 7)
    with fault_server(behave=by_prompt) as server:
        ask(settings(server.url), dataset, tmp_path / "run")
        with pytest.raises(RunError, match=r"dataset\.pairs was 6 and is now 7; dataset\.sha256 was"):
            ask(settings(server.url), other, tmp_path / "run")


def test_models_and_efforts_are_apart(dataset: Dataset, tmp_path: Path) -> None:
    """No model is served another one's answers, and each level of reasoning is asked anew."""
    with fault_server(behave=by_prompt) as server:
        wanted = settings(server.url, "m1", "m2", reasoning=(None, "low", "high"))
        summary = ask(wanted, dataset, tmp_path / "run")
        assert ask(wanted, dataset, tmp_path / "run").skipped == 72
    assert (summary.answered, len(server.seen)) == (72, 72)
    assert len(list((tmp_path / "run" / "responses").iterdir())) == 6
    assert_each_answered_once(tmp_path / "run", 72)
    assert len({json.dumps(seen.body, sort_keys=True) for seen in server.seen}) == 72


def test_shards_of_similar_names_are_apart() -> None:
    """Names that look the same in a file name are different shards, and none leaves the directory."""
    names = [Shard(m, c).name for m in ("a/b", "a-b", "../a/b", "A/b") for c in ("x", "x/", "..")]
    assert len({name.lower() for name in names}) == len(names)
    assert all("/" not in name and not name.startswith(".") for name in names)


def test_another_request_for_the_same_item(dataset: Dataset, tmp_path: Path) -> None:
    """If the prompts have changed under the same settings (another version), the run is not continued."""
    with fault_server(behave=by_prompt) as server:
        ask(settings(server.url), dataset, tmp_path / "run")

        def altered(stream: Iterable[Request]) -> Iterator[Request]:
            return (replace(request, sha256=sha256(request.sha256)) for request in stream)

        with pytest.raises(RunError, match="another request"):
            ask(settings(server.url), dataset, tmp_path / "run", through=altered)


def test_both_polarities_if_the_specification_is_left_out(dataset: Dataset, tmp_path: Path) -> None:
    """Without the specification each side is asked both ways, in requests of their own."""
    options = PromptOptions(specification=Specification.OMITTED)
    with fault_server(behave=by_prompt) as server:
        summary = ask(settings(server.url, options=options), dataset, tmp_path / "run")
    assert summary.answered == 24
    records = lines(tmp_path / "run")
    assert Counter(record["polarity"] for record in records) == {"valid": 12, "can_fail": 12}
    assert all(len(seen.body["messages"]) == 1 for seen in server.seen)


def test_unicode_that_utf8_cannot_hold(dataset: Dataset, tmp_path: Path) -> None:
    """A lone surrogate, a NUL and line separators in a response are kept exactly and break no line."""
    odd = "\ud800 \x00 \u2028 \x85 □"
    with fault_server(chat(odd)) as server:
        ask(settings(server.url), dataset, tmp_path / "run")
        assert ask(settings(server.url), dataset, tmp_path / "run").skipped == 12
    assert {record["text"] for record in read_responses(tmp_path / "run")} == {odd}


def test_the_stream_is_not_read_ahead(dataset: Dataset, tmp_path: Path) -> None:
    """Requests are made only when one can be sent, so memory does not grow with the run."""
    made = finished = ahead = 0

    def counted(stream: Iterable[Request]) -> Iterator[Request]:
        nonlocal made, ahead
        for request in stream:
            made += 1
            ahead = max(ahead, made - finished)
            yield request

    def report(event: Event) -> None:
        nonlocal finished
        finished += event.record is not None

    with fault_server(behave=by_prompt) as server:
        wanted = settings(server.url, reasoning=(None, "low", "high"))
        ask(wanted, dataset, tmp_path / "run", through=counted, report=report)
    assert (made, finished) == (36, 36) and ahead <= 4
    assert server.at_most_at_once <= 4


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"label": true', '"label": false', "same label on both sides"),
        ('"status": "Theorem"', '"status": "CounterSatisfiable"', "status contradicts"),
        ('"cvc5": "Theorem"', '"cvc5": "CounterSatisfiable"', "do not bear out"),
    ],
)
def test_labels_that_are_not_settled(old: str, new: str, message: str, tmp_path: Path) -> None:
    """A dataset that was edited is refused, and so is one whose labels its deciders do not bear out."""
    directory = write_dataset(tmp_path / "data", 2).directory
    pairs, manifest = directory / "pairs.jsonl", directory / "manifest.json"
    pairs.write_text(pairs.read_text().replace(old, new))
    with pytest.raises(DatasetError, match="hash"):
        open_dataset(directory)
    record = json.loads(manifest.read_text())
    record["files"]["pairs.jsonl"]["sha256"] = sha256(pairs.read_text())
    manifest.write_text(json.dumps(record))
    with pytest.raises(DatasetError, match=message):
        open_dataset(directory)


def test_a_limit_takes_pairs_from_all_over() -> None:
    """Fewer pairs are spread over the dataset, and no pair is taken twice."""
    assert list(chosen(10, None)) == list(range(10))
    assert list(chosen(10, 3)) == [0, 3, 6]
    assert list(chosen(10, 99)) == list(range(10))
    for total in range(1, 30):
        for limit in range(1, 30):
            places = list(chosen(total, limit))
            assert len(set(places)) == min(total, limit) and max(places) < total


def test_directories_that_are_no_runs(dataset: Dataset, tmp_path: Path) -> None:
    """What is not a run is neither written into nor read as one."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    with pytest.raises(RunError, match="is not a run"):
        ask(settings("http://127.0.0.1:1/v1"), dataset, tmp_path / "other")
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["notes.txt"]
    with pytest.raises(RunError, match=r"has no run\.json"):
        read_run(tmp_path / "other")


def test_shots_come_from_pairs_that_are_not_asked(dataset: Dataset) -> None:
    """Solved examples are of pairs outside of the evaluated ones, the same for every request."""
    wanted = settings("http://127.0.0.1:1/v1", limit=3, shots=2)
    made = list(requests(wanted, dataset))
    asked = {request.prompt.pair_id for request in made}
    shown = {request.prompt.shots for request in made}
    assert len(made) == 6 and len(shown) == 1
    assert not asked & {pair_id for pair_id, _ in shown.pop()}
