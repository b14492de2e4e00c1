"""OpenAI's Batch API: files out, files in, in any order and any number of times."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from asking_help import KEY, settings, write_dataset
from click.testing import CliRunner, Result
from fault_server import chat, fault_server

from modalgen.cli import cli
from modalgen.evaluate.asking import RunSettings, requests
from modalgen.evaluate.batch import MAX_REQUESTS, BatchError, BatchSummary, read_batches, write_batches
from modalgen.evaluate.dataset import Dataset
from modalgen.evaluate.prices import Price
from modalgen.evaluate.providers import Api
from modalgen.evaluate.runs import open_run, read_responses


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    """Six pairs, twelve sides."""
    return write_dataset(tmp_path / "data", 6)


def wanted(*models: str) -> RunSettings:
    """Two conditions for each model."""
    return settings("https://api.openai.com/v1", *models, reasoning=("low", "high"))


def out(
    run: RunSettings, dataset: Dataset, tmp_path: Path, name: str = "batch.jsonl", **limits: int
) -> list[Path]:
    """Write the input files."""
    with open_run(tmp_path / "run", run.to_record(dataset), dataset.directory) as writer:
        files = write_batches(requests(run, dataset), writer, tmp_path / name, **limits)
    assert all(file.path.stat().st_size == file.bytes for file in files)
    return [file.path for file in files]


def take_in(run: RunSettings, dataset: Dataset, tmp_path: Path, *paths: Path) -> BatchSummary:
    """Read output and error files."""
    with open_run(tmp_path / "run", run.to_record(dataset), dataset.directory) as writer:
        price = Price(10.0, 100.0, batch_factor=0.5)
        return read_batches(paths, requests(run, dataset), writer, Api.CHAT, lambda model: price)


def lines(*paths: Path) -> list[dict[str, Any]]:
    """The objects of JSON-lines files."""
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def answered(line: dict[str, Any]) -> dict[str, Any]:
    """A line of an output file that shows what it answers."""
    body = line["body"]
    said = f"{body['model']} {body['reasoning_effort']} {body['messages'][0]['content']}"
    payload = {
        "model": body["model"],
        "choices": [{"finish_reason": "stop", "message": {"content": said}}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10},
    }
    response = {"status_code": 200, "request_id": "req-1", "body": payload}
    return {"id": "batch_req_1", "custom_id": line["custom_id"], "response": response, "error": None}


def write(path: Path, records: list[dict[str, Any]]) -> Path:
    """Write records in an order of their own, as the Batch API does."""
    shuffled = random.Random(1).sample(records, len(records))
    path.write_text("".join(json.dumps(record) + "\n" for record in shuffled), encoding="utf-8")
    return path


def test_input_files(dataset: Dataset, tmp_path: Path) -> None:
    """Files keep to the limits and to one model each, and ids are unique for each side and condition."""
    assert MAX_REQUESTS == 50_000
    paths = out(wanted("m1", "m2"), dataset, tmp_path, most=10)
    assert [len(lines(path)) for path in paths] == [10, 10, 10, 10, 4, 4]
    assert all(len({line["body"]["model"] for line in lines(path)}) == 1 for path in paths)
    records = lines(*paths)
    assert len({line["custom_id"] for line in records}) == len(records) == 48
    assert {(line["method"], line["url"]) for line in records} == {("POST", "/v1/chat/completions")}
    assert [line["body"] for line in sorted(records, key=lambda line: str(line["custom_id"]))] == [
        request.body
        for request in sorted(requests(wanted("m1", "m2"), dataset), key=lambda request: request.custom_id)
    ]
    with pytest.raises(BatchError, match="there already"):
        out(wanted("m1", "m2"), dataset, tmp_path)


def test_input_files_by_size(dataset: Dataset, tmp_path: Path) -> None:
    """No file grows beyond the limit in bytes."""
    paths = out(wanted("m1"), dataset, tmp_path, size=10_000)
    assert len(paths) > 1 and all(path.stat().st_size <= 10_000 for path in paths)
    assert len(lines(*paths)) == 24


def test_output_and_error_files(dataset: Dataset, tmp_path: Path) -> None:
    """Each line ends up at its own request, in whatever order files and lines come; what expired or
    failed for the moment is written out again, and what was turned down is final."""
    run = wanted("m1", "m2")
    sent = lines(*out(run, dataset, tmp_path))
    good = write(tmp_path / "output.jsonl", [answered(line) for line in sent[4:]])
    expired = {"code": "batch_expired", "message": "This request could not be executed."}
    turned_down = {"status_code": 400, "request_id": "r", "body": {"error": {"message": "too long"}}}
    busy = {"status_code": 500, "request_id": "r", "body": {"error": {"message": "busy"}}}
    bad = write(
        tmp_path / "errors.jsonl",
        [
            {"custom_id": sent[0]["custom_id"], "response": None, "error": expired},
            {"custom_id": sent[1]["custom_id"], "response": turned_down, "error": None},
            {"custom_id": sent[2]["custom_id"], "response": busy, "error": None},
            {"custom_id": "of/another|run|0", "response": None, "error": expired},
        ],
    )
    summary = take_in(run, dataset, tmp_path, bad, good)
    assert summary == BatchSummary(answered=44, http_errors=1, failed=2, known=0, missing=1, foreign=1)
    for record in read_responses(tmp_path / "run"):
        if record["text"] is not None:
            assert record["text"] == f"{record['model']} {record['condition']} {record['prompt']}"
            assert record["batch"] and record["cost"] == pytest.approx(0.001)
    again = take_in(run, dataset, tmp_path, good)
    assert again == BatchSummary(known=45, missing=3)
    left = lines(*out(run, dataset, tmp_path, "rest.jsonl"))
    assert {line["custom_id"] for line in left} == {sent[i]["custom_id"] for i in (0, 2, 3)}
    rest = write(tmp_path / "rest-output.jsonl", [answered(line) for line in left])
    assert take_in(run, dataset, tmp_path, rest).answered == 3
    assert len([r for r in read_responses(tmp_path / "run") if r["reported"] is None]) == 47


def turned_down(line: dict[str, Any], status: int, **error: str) -> dict[str, Any]:
    """A line of an error file."""
    response = {"status_code": status, "request_id": "r", "body": {"error": error}}
    return {"custom_id": line["custom_id"], "response": response, "error": None}


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, {"message": "Incorrect API key provided"}),
        (402, {"message": "pay"}),
        (403, {"message": "Project is archived"}),
        (404, {"code": "model_not_found", "message": "no such model"}),
        (400, {"message": "Your credit balance is too low"}),
    ],
)
def test_errors_of_key_and_account_are_not_final(
    status: int, error: dict[str, str], dataset: Dataset, tmp_path: Path
) -> None:
    """What was turned down because of key, account or model is not recorded, though others were
    answered, and is written out again; an error that names the prompt is final."""
    run = wanted("m1")
    sent = lines(*out(run, dataset, tmp_path))
    long = turned_down(sent[1], 400, code="context_length_exceeded", message="too long")
    records = [turned_down(sent[0], status, **error), long, *map(answered, sent[2:])]
    summary = take_in(run, dataset, tmp_path, write(tmp_path / "output.jsonl", records))
    assert (summary.answered, summary.http_errors, summary.refused) == (22, 1, 1)
    assert error["message"] in str(summary.refusal)
    assert [line["custom_id"] for line in lines(*out(run, dataset, tmp_path, "rest.jsonl"))] == [
        sent[0]["custom_id"]
    ]


def test_errors_of_a_model_that_answers_nothing_are_not_final(dataset: Dataset, tmp_path: Path) -> None:
    """If every request of a model and level is turned down, the settings are to blame and not the
    prompts; another level, which has answers, has its errors recorded."""
    run = wanted("m1")
    sent = lines(*out(run, dataset, tmp_path))
    low = [line for line in sent if line["body"]["reasoning_effort"] == "low"]
    high = [line for line in sent if line["body"]["reasoning_effort"] == "high"]
    records = [turned_down(line, 400, message="not supported") for line in (*low[:3], *high)]
    path = write(tmp_path / "output.jsonl", [*records, *map(answered, low[3:])])
    summary = take_in(run, dataset, tmp_path, path)
    assert (summary.answered, summary.http_errors, summary.refused) == (9, 3, 12)
    assert len(list(read_responses(tmp_path / "run"))) == 12


def test_an_answer_to_another_request_is_not_taken(dataset: Dataset, tmp_path: Path) -> None:
    """A line whose request has changed since it was written out belongs to nothing in this run."""
    sent = lines(*out(wanted("m1"), dataset, tmp_path))
    changed = [answered(line) | {"custom_id": line["custom_id"][:-16] + "0" * 16} for line in sent]
    summary = take_in(wanted("m1"), dataset, tmp_path, write(tmp_path / "output.jsonl", changed))
    assert summary == BatchSummary(missing=24, foreign=24)


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"custom_id": 3, "response": null}', '{"custom_id": "x"}', "\x00"]
)
def test_files_that_are_none(text: str, dataset: Dataset, tmp_path: Path) -> None:
    """A file that cannot be read is an error with its line, and nothing of it is taken in."""
    sent = lines(*out(wanted("m1"), dataset, tmp_path))
    path = tmp_path / "output.jsonl"
    path.write_text(json.dumps(answered(sent[0])) + "\n" + text + "\n")
    with pytest.raises(BatchError, match=r"output\.jsonl:2"):
        take_in(wanted("m1"), dataset, tmp_path, path)
    assert list(read_responses(tmp_path / "run")) == []


def test_batches_are_not_for_every_api(dataset: Dataset, tmp_path: Path) -> None:
    """The messages API has batches of another kind, so no file is written for it."""
    run = settings("https://api.anthropic.com/v1", "c", api=Api.MESSAGES)
    with pytest.raises(BatchError, match="OpenAI's"):
        out(run, dataset, tmp_path)


def test_from_the_command_line(dataset: Dataset, tmp_path: Path) -> None:
    """Both ways work without a key, and the exit code says whether something is left to do."""
    run, batch = tmp_path / "run", tmp_path / "batch.jsonl"
    command = ["eval", str(dataset.directory), "--model", "gpt-4o-mini", "--reasoning", "low", "-o", str(run)]

    def invoke(*more: str) -> Result:
        return CliRunner(env={"OPENAI_API_KEY": None}).invoke(cli, [*command, *more])

    written = invoke("--batch-out", str(batch))
    assert written.exit_code == 0 and "12 requests to gpt-4o-mini" in written.output
    sent = lines(batch)
    half = write(tmp_path / "half.jsonl", [answered(line) for line in sent[:6]])
    assert invoke("--batch-in", str(half)).exit_code == 1
    whole = write(tmp_path / "whole.jsonl", [answered(line) for line in sent])
    taken = invoke("--batch-in", str(whole), "--batch-in", str(half))
    assert taken.exit_code == 0 and "6 requests had an answer before" in taken.output
    assert len(list(read_responses(run))) == 12


def test_what_is_under_way_as_a_batch_is_not_sent_too(dataset: Dataset, tmp_path: Path) -> None:
    """Requests that were written out are neither sent nor written out again before every one of them has
    come back, or the user says that none will: nothing is paid twice."""
    run, first = tmp_path / "run", tmp_path / "first.jsonl"
    with fault_server(chat("Yes")) as server:
        command = ["eval", str(dataset.directory), "--model", "m", "--base-url", server.url, "-o", str(run)]

        def invoke(*more: str) -> Result:
            return CliRunner().invoke(cli, [*command, *more])

        assert invoke("--batch-out", str(first)).exit_code == 0
        for again in (["--batch-out", str(tmp_path / "second.jsonl")], []):
            refused = invoke(*again)
            assert refused.exit_code == 2 and "batches.json" in refused.output and "twice" in refused.output
        assert server.seen == [] and not (tmp_path / "second.jsonl").exists()
        plain = [json.loads(line) for line in first.read_text().splitlines()]
        expired = {"code": "batch_expired", "message": "too late"}
        results = [{"custom_id": line["custom_id"], "response": None, "error": expired} for line in plain]
        half = write(tmp_path / "half.jsonl", results[:6])
        assert invoke("--batch-in", str(half)).exit_code == 1 and invoke().exit_code == 2
        whole = write(tmp_path / "whole.jsonl", results)
        assert invoke("--batch-in", str(whole)).exit_code == 1
        assert invoke().exit_code == 0
    assert len(server.seen) == 12


def test_all_batch_files_or_none(dataset: Dataset, tmp_path: Path) -> None:
    """If a later file is there already, none is written and the run is free to go on."""
    (tmp_path / "batch-2.jsonl").write_text("mine")
    with pytest.raises(BatchError, match="batch-2"):
        out(wanted("m1"), dataset, tmp_path, most=10)
    assert not (tmp_path / "batch.jsonl").exists() and (tmp_path / "batch-2.jsonl").read_text() == "mine"


def test_a_key_in_a_batch_file_is_blanked(dataset: Dataset, tmp_path: Path) -> None:
    """A key that an error file repeats reaches neither the run nor the terminal, however it is spelled."""
    run, batch = tmp_path / "run", tmp_path / "batch.jsonl"
    command = ["eval", str(dataset.directory), "--model", "gpt-4o-mini", "-o", str(run)]
    runner = CliRunner(env={"OPENAI_API_KEY": KEY})
    assert runner.invoke(cli, [*command, "--batch-out", str(batch)]).exit_code == 0
    sent = [
        json.loads(line)
        | {"response": {"status_code": 401, "body": {"error": {"message": f"bad {KEY}"}}}, "error": None}
        for line in batch.read_text().splitlines()
    ]
    sent[0]["response"]["status_code"] = 500
    path = write(tmp_path / "errors.jsonl", sent)
    path.write_text(path.read_text().replace(KEY, "".join(f"\\u{ord(c):04x}" for c in KEY)))
    result = runner.invoke(cli, [*command, "--batch-in", str(path)])
    assert result.exit_code == 1 and "bad [key]" in result.output and KEY not in result.output
    (record,) = read_responses(run)
    assert "bad [key]" in record["error"] and KEY not in json.dumps(record)
