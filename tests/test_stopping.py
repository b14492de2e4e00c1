"""When a run stops by itself: key, account, settings, cost, failures, errors that nobody foresaw."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

import pytest
from asking_help import KEY, ask, by_prompt, lines, settings, slowly, write_dataset
from click.testing import CliRunner
from fault_server import Answer, Seen, chat, fault_server, says

from modalgen.cli import cli
from modalgen.evaluate.asking import Request, requests
from modalgen.evaluate.dataset import Dataset
from modalgen.evaluate.prices import Price
from modalgen.evaluate.runner import FAILURES_IN_A_ROW, TURNED_DOWN, Event, Limits
from modalgen.evaluate.runs import RunError, read_responses
from modalgen.records import DatasetError


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    """Six pairs, twelve sides."""
    return write_dataset(tmp_path / "data", 6)


def test_an_error_of_one_request_loses_no_other(dataset: Dataset, tmp_path: Path) -> None:
    """An exception that nobody foresaw ends the run when what is in flight has been written down."""

    def report(event: Event) -> None:
        raise ZeroDivisionError("for the test")

    with fault_server(behave=slowly) as server:
        wanted = settings(server.url)
        with pytest.raises(RunError, match="ZeroDivisionError: for the test"):
            ask(wanted, dataset, tmp_path / "run", report=report)
        assert len(lines(tmp_path / "run")) == len(server.seen) <= 4

        def stream(made: Iterable[Request]) -> Iterator[Request]:
            yield from islice(made, 6)
            raise DatasetError("pairs.jsonl:4: damaged")

        with pytest.raises(DatasetError, match="damaged"):
            ask(wanted, dataset, tmp_path / "run", through=stream)
        assert len(lines(tmp_path / "run")) == len(server.seen) == 6


def test_a_wrong_key_stops_the_run(dataset: Dataset, tmp_path: Path) -> None:
    """A refused key ends the run with the server's words, and no side is taken for answered."""
    with fault_server(says({"error": {"message": f"bad key {KEY}"}}, 401)) as server:
        summary = ask(settings(server.url), dataset, tmp_path / "run")
        assert summary.fault and summary.stopped is not None and "bad key [key]" in summary.stopped
        assert len(server.seen) <= 4
    assert lines(tmp_path / "run") == []


def test_a_setting_that_every_request_is_turned_down_for(dataset: Dataset, tmp_path: Path) -> None:
    """If a model turns down all requests, the settings are to blame: the run stops, records nothing
    as final, and can be repeated; after a first answer such errors are final."""
    one = Limits(max_connections=1)
    turned_down = says({"error": {"message": "temperature is not supported"}}, 400)
    with fault_server(turned_down) as server:
        summary = ask(settings(server.url), dataset, tmp_path / "run", limits=one)
        assert summary.fault and "temperature is not supported" in str(summary.stopped)
        assert len(server.seen) == TURNED_DOWN
    assert lines(tmp_path / "run") == []
    with fault_server(turned_down, turned_down, chat("Yes"), turned_down, turned_down, chat("No")) as server:
        summary = ask(settings(server.url), dataset, tmp_path / "second", limits=one)
        assert (summary.answered, summary.http_errors, summary.stopped) == (8, 4, None)


@pytest.mark.parametrize(
    ("status", "body", "sent"),
    [
        (403, b'{"error": {"message": "Key limit exceeded (total limit)", "code": 403}}', 1),
        (403, b"<html>Forbidden by the proxy</html>", 1),
        (400, b'{"error": {"message": "API key expired", "code": "invalid_argument"}}', TURNED_DOWN),
        (422, b"", TURNED_DOWN),
    ],
)
def test_a_key_that_runs_out_in_mid_run(
    status: int, body: bytes, sent: int, dataset: Dataset, tmp_path: Path
) -> None:
    """Errors of key or account never count as the end of a request: the run stops after a few, records
    none of them, and asks all of these again when it is resumed."""
    good = iter([True] * 4 + [False] * 2 * sent)
    one = Limits(max_connections=1)
    with fault_server(
        behave=lambda seen, n: chat("Yes") if next(good, True) else Answer(status, body)
    ) as server:
        for answered in (4, 0):
            summary = ask(settings(server.url), dataset, tmp_path / "run", limits=one)
            assert (summary.answered, summary.http_errors, summary.fault) == (answered, 0, True)
            assert f"HTTP {status}" in str(summary.stopped)
            assert len(lines(tmp_path / "run")) == 4
        assert ask(settings(server.url), dataset, tmp_path / "run", limits=one).answered == 8
    assert len(server.seen) == 12 + 2 * sent


def test_errors_that_a_later_answer_shows_to_be_the_prompts(dataset: Dataset, tmp_path: Path) -> None:
    """Only an answer to a request that was sent after the error makes the error final: an answer that
    was under way before says nothing of the key now."""
    made = requests(settings("http://127.0.0.1:1/v1"), dataset)
    places = {request.prompt.text: place for place, request in enumerate(made)}
    two = Limits(max_connections=2)
    kept: list[tuple[str | None, ...]] = []

    def expires(bad: range) -> Callable[[Seen, int], Answer]:
        """A server that answers the first request when the sixth has come, and turns some down."""
        sixth = threading.Event()

        def behave(seen: Seen, number: int) -> Answer:
            place = places[seen.prompt]
            if place == 0:
                sixth.wait(60)
            elif place == 5:
                sixth.set()
            return says({"error": {"message": "API key expired"}}, 400) if place in bad else chat("Yes")

        return behave

    def report(event: Event) -> None:
        kept.append(tuple(record["reported"] for record in lines(tmp_path / "run")))

    with fault_server(behave=expires(range(1, 3))) as server:
        summary = ask(settings(server.url), dataset, tmp_path / "run", limits=two, report=report)
    assert kept[:3] == [(), (), (None, "http_error", "http_error")]
    assert (summary.answered, summary.http_errors, summary.fault) == (10, 2, False)
    with fault_server(behave=expires(range(1, 12))) as server:
        summary = ask(settings(server.url), dataset, tmp_path / "late", limits=two)
    assert (summary.answered, summary.http_errors, summary.fault) == (1, 0, True)


def test_errors_about_the_prompt_do_not_stop_a_run(dataset: Dataset, tmp_path: Path) -> None:
    """A server that names the prompt as the cause is believed, however often it does in a row."""
    flagged = says({"error": {"code": 403, "message": "flagged", "metadata": {"flagged_input": "…"}}}, 403)
    long = says({"error": {"code": "context_length_exceeded", "message": "too long"}}, 400)
    with fault_server(chat("Yes"), *[flagged] * 5, *[long] * 5, chat("No")) as server:
        summary = ask(settings(server.url), dataset, tmp_path / "run", limits=Limits(max_connections=1))
    assert (summary.answered, summary.http_errors, summary.stopped) == (2, 10, None)


def test_a_server_that_is_gone_stops_the_run(dataset: Dataset, tmp_path: Path) -> None:
    """Failure upon failure ends the run instead of going through the whole dataset; all is left to do."""
    with fault_server(Answer(reset=True)) as server:
        summary = ask(settings(server.url), dataset, tmp_path / "run", limits=Limits(max_connections=1))
        assert summary.fault and summary.failed == FAILURES_IN_A_ROW
        assert len(server.seen) == 3 * FAILURES_IN_A_ROW
    assert [record["reported"] for record in lines(tmp_path / "run")] == [
        "transport_error"
    ] * FAILURES_IN_A_ROW


def test_no_money_stops_the_run(dataset: Dataset, tmp_path: Path) -> None:
    """An empty account ends the run with a clear message; what was answered stays."""
    broke = says({"error": {"code": "insufficient_quota", "message": "You exceeded your quota"}}, 429)
    one = Limits(max_connections=1)
    with fault_server(chat("Yes"), chat("No"), says({}, 500), broke, chat("Yes")) as server:
        summary = ask(settings(server.url), dataset, tmp_path / "run", limits=one)
        assert summary.fault and "out of money" in str(summary.stopped)
        assert (summary.answered, len(server.seen)) == (2, 4)
        kept = lines(tmp_path / "run")
        assert [record["reported"] for record in kept] == [None, None, "transport_error"]
        assert [attempt["status"] for attempt in kept[2]["attempts"]] == [500, 429]
        assert ask(settings(server.url), dataset, tmp_path / "run", limits=one).answered == 10


def test_earlier_responses_of_unknown_cost(dataset: Dataset, tmp_path: Path) -> None:
    """A limit of the cost counts what was spent before a price was known, and is not kept up where
    that cannot be known."""
    price = Price(input=10.0, output=100.0)  # $0.002 a response
    command = ["eval", str(dataset.directory), "--model", "m", "-o", str(tmp_path / "run")]
    prices = tmp_path / "prices.yaml"
    prices.write_text(
        "schema: modalgen/prices/1\nproviders: {compatible: {models: {m: {input: 10, output: 100}}}}\n"
    )
    with fault_server(chat("Yes"), chat("Yes"), chat("Yes"), says({}, 401), chat("No")) as server:
        command += ["--base-url", server.url, "--max-connections", "1"]
        assert CliRunner().invoke(cli, command).exit_code == 1
        limited = CliRunner().invoke(cli, [*command, "--prices", str(prices), "--max-cost", "0.0099"])
        assert limited.exit_code == 1 and "$0.0080 are spent" in limited.output
        assert len(server.seen) == 5
    uncounted = says({"choices": [{"message": {"content": "Yes"}}]})
    with fault_server(uncounted, says({}, 401), chat("No")) as server:
        one = Limits(max_connections=1)
        ask(settings(server.url), dataset, tmp_path / "second", limits=one, price=price)
        more = Limits(max_connections=1, max_cost=1.0)
        summary = ask(settings(server.url), dataset, tmp_path / "second", limits=more, price=price)
        assert summary.fault and "cost of 1 earlier responses is not known" in str(summary.stopped)
        assert len(server.seen) == 2


def test_the_cost_limit(dataset: Dataset, tmp_path: Path) -> None:
    """The run stops before the next response could pass the limit, and goes on under a higher one."""
    price = Price(input=10.0, output=100.0)  # $0.002 a response
    one = Limits(max_connections=1, max_cost=0.0071)
    with fault_server(behave=by_prompt) as server:
        summary = ask(settings(server.url), dataset, tmp_path / "run", limits=one, price=price)
        assert (summary.answered, summary.fault) == (3, False)
        assert summary.spent == pytest.approx(0.006) and "$0.0060 are spent" in str(summary.stopped)
        again = ask(settings(server.url), dataset, tmp_path / "run", limits=one, price=price)
        assert (again.answered, again.skipped) == (0, 3)
        more = Limits(max_connections=1, max_cost=1.0)
        assert ask(settings(server.url), dataset, tmp_path / "run", limits=more, price=price).answered == 9


def test_429s_slow_the_run_down_and_lose_nothing(dataset: Dataset, tmp_path: Path) -> None:
    """A server that bears two requests at a time is asked fewer at once, and answers all in the end."""
    active: list[int] = []
    waits: list[float] = []

    def busy(seen: Seen, number: int) -> Answer:
        active.append(number)
        try:
            if len(active) > 2:
                return says({"error": {"message": "too many"}}, 429, retry_after="0.05")
            time.sleep(0.03)
            return by_prompt(seen, number)
        finally:
            active.remove(number)

    def report(event: Event) -> None:
        if event.waiting is not None:
            waits.append(event.waiting)

    with fault_server(behave=busy) as server:
        for _ in range(5):
            limits = Limits(max_connections=8)
            summary = ask(settings(server.url), dataset, tmp_path / "run", limits=limits, report=report)
            if not summary.failed:
                break
    assert waits and min(waits) >= 0.05
    answered = [record for record in read_responses(tmp_path / "run") if record["reported"] is None]
    assert len(answered) == 12
