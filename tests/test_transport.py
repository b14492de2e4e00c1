"""The transport against real servers that fail in every way that servers do."""

from __future__ import annotations

import asyncio
import json
import logging
import pickle
import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from asking_help import KEY
from fault_server import Answer, chat, fault_server, says
from hypothesis import given, settings
from hypothesis import strategies as st

from modalgen.evaluate.apis import PATHS, RequestSettings, read_reply, request_body
from modalgen.evaluate.keys import Secret, SetupError
from modalgen.evaluate.pacing import LONGEST_WAIT, Throttle, retry_after, wait_before
from modalgen.evaluate.providers import Api, provider
from modalgen.evaluate.transport import (
    Endpoint,
    Exchange,
    Transport,
    endpoint,
)

BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Yes or no?"}]}).encode()


def send(url: str, api: Api = Api.CHAT, body: bytes = BODY, key: str = KEY, **options: Any) -> Exchange:
    """One request, with hardly any wait between attempts."""

    async def once() -> Exchange:
        target = Endpoint(api, url, Secret(key))
        async with Transport(target, max_connections=1, **({"first_wait": 0.001} | options)) as transport:
            return await transport.send(PATHS[api], body)

    return asyncio.run(once())


@pytest.mark.parametrize("header", ["retry-after", "retry-after-ms"])
def test_retry_after_is_obeyed(header: str) -> None:
    """After a 429 nothing is sent before the time that the server asked for has passed."""
    value = {"retry-after": "0.4", "retry-after-ms": "400"}[header]
    with fault_server(
        says({"error": {"message": "slow down"}}, 429, **{header: value}), chat("Yes")
    ) as server:
        exchange = send(server.url)
    first, second = server.seen
    assert second.at - first.at >= 0.4
    assert exchange.payload is not None
    assert [attempt.status for attempt in exchange.attempts] == [429, 200]
    assert exchange.attempts[0].waited >= 0.4 and exchange.attempts[0].error == "HTTP 429: slow down"


def test_an_independent_judge_of_clients_finds_no_fault(llmock: Any) -> None:
    """llmock's verdict on rate limits, an overload and an outage holds nothing against the client."""
    llmock.rate_limit(times=2, retry_after=0.2)
    assert send(llmock.base_url()).payload is not None
    llmock.fail(529, provider="anthropic")
    body = json.dumps(
        {"model": "c", "max_tokens": 9, "messages": [{"role": "user", "content": "?"}]}
    ).encode()
    assert send(f"{llmock.base_url('anthropic')}/v1", Api.MESSAGES, body).payload is not None
    llmock.assert_resilient()


def test_three_requests_and_no_more_on_repeated_500(llmock: Any) -> None:
    """A server that stays down gets exactly three requests, and the failure may be tried another day."""
    llmock.outage(status=500)
    exchange = send(llmock.base_url())
    assert len(llmock.requests) == len(exchange.attempts) == 3
    assert exchange.payload is None and exchange.retryable and exchange.status == 500
    assert all(attempt.error and attempt.body for attempt in exchange.attempts)


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_retried(status: int) -> None:
    """Every status that a repetition can cure is asked again."""
    with fault_server(says({}, status, retry_after="0"), chat("No")) as server:
        assert send(server.url).payload is not None
    assert len(server.seen) == 2


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 413, 422])
def test_what_stays_is_not_retried(status: int) -> None:
    """A request that the server turns down is not sent again, nor sent elsewhere by a redirection."""
    with fault_server(says({"error": {"message": "no"}}, status, location="/v1/other")) as server:
        exchange = send(server.url)
    assert len(server.seen) == 1
    assert exchange.status == status and not exchange.retryable and exchange.error is not None


def test_an_empty_response_is_final(llmock: Any) -> None:
    """A successful response without text is an answer of the model, and is not asked for again."""
    llmock.reply("")
    exchange = send(llmock.base_url())
    assert len(llmock.requests) == 1
    assert exchange.payload is not None and read_reply(Api.CHAT, exchange.payload).text == ""


@pytest.mark.parametrize(
    "answer",
    [
        chat(None, reasoning_content="I think that it is valid."),
        chat("Y", finish="length"),
        chat(None, refusal="I cannot."),
        chat(None, finish="content_filter"),
        says({"choices": []}),
        says({}),
    ],
)
def test_whatever_a_success_holds_is_final(answer: Answer) -> None:
    """Null, cut, refused and filtered responses are kept as they came, after one request."""
    with fault_server(answer) as server:
        exchange = send(server.url)
    assert len(server.seen) == 1
    assert exchange.text == answer.body.decode() and exchange.error is None


def test_null_content_beside_reasoning_text() -> None:
    """Reasoning is kept apart and never taken for the answer."""
    with fault_server(chat(None, reasoning_content="Surely yes.")) as server:
        exchange = send(server.url)
    assert exchange.payload is not None
    reply = read_reply(Api.CHAT, exchange.payload)
    assert (reply.text, reply.reasoning) == (None, "Surely yes.")


@pytest.mark.parametrize(
    "answer",
    [
        Answer(body=b""),
        Answer(body=b"<html>busy</html>"),
        Answer(body=b'{"choices": ['),
        Answer(body=b'["Yes"]'),
        Answer(body=b"[" * 100_000),
        says({"error": {"message": "the model is loading", "code": 503}}),
        says({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
        says({"status": "failed", "error": {"code": "server_error", "message": "?"}}),
        says({"choices": [{"error": {"code": 502, "message": "upstream"}, "message": {"content": ""}}]}),
    ],
)
def test_a_success_that_is_none_is_retried(answer: Answer) -> None:
    """Status 200 with a body that is no JSON object, or that reports an error, is a failure."""
    with fault_server(answer) as server:
        exchange = send(server.url)
    assert len(server.seen) == 3
    assert exchange.payload is None and exchange.text is None and exchange.retryable


def test_a_connection_that_is_reset() -> None:
    """A reset connection is a failure of transport with a name, and the next attempt may succeed."""
    with fault_server(Answer(reset=True), Answer(reset=True), chat("Yes")) as server:
        exchange = send(server.url)
    assert exchange.payload is not None
    assert [attempt.status for attempt in exchange.attempts] == [None, None, 200]
    assert all(attempt.error for attempt in exchange.attempts[:2])


def test_nobody_listens() -> None:
    """A port without a server is reported after three attempts."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        exchange = send(f"http://127.0.0.1:{free.getsockname()[1]}/v1")
    assert len(exchange.attempts) == 3 and exchange.retryable
    assert exchange.error is not None and "ConnectError" in exchange.error


def test_a_slow_body_is_waited_for() -> None:
    """A body that trickles in is read to its end, as from servers that send blanks to stay connected."""
    slow = Answer(body=b" " * 20 + chat("Yes").body, pieces=10, pause=0.02)
    with fault_server(slow) as server:
        exchange = send(server.url, read_seconds=5.0)
    assert exchange.payload is not None and len(server.seen) == 1


@pytest.mark.parametrize(
    ("answer", "limits"),
    [
        (Answer(body=chat("Yes").body, delay=0.6), {"read_seconds": 0.1}),
        (Answer(body=chat("Yes").body, pieces=2, pause=0.6), {"read_seconds": 0.1}),
        (Answer(body=b" " * 200, pieces=200, pause=0.02), {"read_seconds": 5.0, "total_seconds": 0.2}),
    ],
)
def test_silence_ends(answer: Answer, limits: dict[str, float]) -> None:
    """A server that falls silent, or trickles for ever, costs one time-out and not the run."""
    with fault_server(answer, answer, chat("Yes")) as server:
        exchange = send(server.url, **limits)
    assert [attempt.status for attempt in exchange.attempts] == [None, None, 200]


@pytest.mark.parametrize(
    ("status", "payload"),
    [
        (429, {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}),
        (402, {"error": {"message": "Insufficient credits", "code": 402}}),
        (
            400,
            {
                "type": "error",
                "error": {"type": "invalid_request_error", "message": "Your credit balance is too low"},
            },
        ),
    ],
)
def test_no_money_is_not_asked_again(status: int, payload: dict[str, Any]) -> None:
    """An account that cannot pay stops the run after one request, with the server's words."""
    with fault_server(says(payload, status)) as server:
        exchange = send(server.url)
    assert len(server.seen) == 1
    assert exchange.broke and exchange.retryable
    assert payload["error"]["message"] in str(exchange.error)


def test_every_api_shape_at_a_server_that_is_not_ours(llmock: Any) -> None:
    """Requests of all three shapes are understood, and the responses' texts and tokens are read."""
    bases = {Api.MESSAGES: f"{llmock.base_url('anthropic')}/v1"}
    for api in Api:
        llmock.reply(f"Yes, by {api}")
        dialect = provider("compatible").dialect(api)
        body = request_body(
            dialect, RequestSettings("some-model", max_tokens=50), "Is it valid?", ("Yes", "No")
        )
        exchange = send(bases.get(api, llmock.base_url()), api, json.dumps(body).encode())
        assert exchange.payload is not None, exchange.error
        reply = read_reply(api, exchange.payload)
        assert reply.text == f"Yes, by {api}" and reply.reported is None
        assert reply.usage.input and reply.usage.output and reply.model == "some-model"


def test_the_key_goes_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    """The key reaches the server and no text that comes back, whatever server and libraries repeat."""
    caplog.set_level(logging.DEBUG)
    echo = {"error": {"message": f"Incorrect API key provided: {KEY}"}}
    answers = (
        says(echo, 500, x_request_id=f"req-{KEY}"),
        Answer(reset=True),
        chat(f"your key is {KEY}", x_echo=KEY),
    )
    with fault_server(*answers) as server:
        exchange = send(server.url)
        refused = send(server.url.replace("/v1", "/v1/../v2"))
    assert server.seen[0].headers["authorization"] == f"Bearer {KEY}"
    record = json.dumps([attempt.to_record() for attempt in exchange.attempts])
    for text in (repr(exchange), record, repr(refused), caplog.text, repr(Secret(KEY)), str(Secret(KEY))):
        assert KEY not in text
    assert "your key is [key]" in repr(exchange.payload)
    with pytest.raises(TypeError):
        pickle.dumps(Secret(KEY))


SLASHED = 'sk-a/b"c\\d+0123456789'
SPELLINGS = {
    "as it is": lambda key: json.dumps(key)[1:-1],
    "slashes": lambda key: json.dumps(key)[1:-1].replace("/", "\\/"),
    "escapes": lambda key: "".join(f"\\u{ord(c):04x}" for c in key),
    "capital escapes": lambda key: "".join(f"\\u{ord(c):04X}" for c in key),
    "a mixture": lambda key: f"\\u{ord(key[0]):04x}" + json.dumps(key[1:])[1:-1],
    "JSON inside of a text": lambda key: json.dumps("".join(f"\\u{ord(c):04x}" for c in key))[1:-1],
    "after a backslash": lambda key: "\\\\" + json.dumps(key)[1:-1],
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("key", [KEY, SLASHED])
def test_no_spelling_of_the_key_stays(key: str, spelling: str) -> None:
    """However JSON spells a key that the server repeats, neither the body as it came, nor what is read
    from it, nor any error holds it; and the body is still JSON."""
    spelled = SPELLINGS[spelling](key)
    assert key in json.loads(f'"{spelled}"') or "inside" in spelling
    success = json.dumps({"system_fingerprint": "K", "choices": [{"message": {"content": "K Yes"}}]})
    failure, broke = ({"error": {"message": "bad K", "code": code}} for code in ("x", "insufficient_quota"))
    for status, text, attempts in (
        (200, success, 1),
        (200, json.dumps(failure), 3),
        (400, json.dumps(failure), 1),
        (429, json.dumps(broke), 1),
        (500, '{"choices": ["K', 3),
    ):
        with fault_server(Answer(status, text.replace("K", spelled).encode())) as server:
            exchange = send(server.url, key=key)
        assert len(server.seen) == attempts
        kept = [exchange.text, exchange.error, *(attempt.body for attempt in exchange.attempts)]
        kept += [attempt.error for attempt in exchange.attempts]
        if exchange.payload is not None:
            assert exchange.payload == json.loads(exchange.text or "")
            reply = read_reply(Api.CHAT, exchange.payload)
            assert reply.text is not None and reply.text.endswith("[key] Yes")
            kept += [reply.text, reply.fingerprint]
        assert any(found and "[key]" in found for found in kept)
        for found in kept:
            assert found is None or not Secret(key).is_in(found)
            assert found is None or (key not in found and spelled not in found)


def test_a_text_that_only_looks_like_the_key_stays() -> None:
    """Nothing but the whole key is blanked, and a key that is a common word is not looked for."""
    assert Secret(KEY).blank_out(KEY[:-1] + KEY[1:].upper()) == KEY[:-1] + KEY[1:].upper()
    assert Secret("EMPTY").blank_out("EMPTY") == "EMPTY"


@pytest.mark.parametrize("charset", ["utf-16", "hex", "base64", "idna", "undefined", "latin-1", "\u00fc"])
def test_json_is_utf8_whatever_a_header_says(charset: str) -> None:
    """A charset that cannot be, or is not that of the body, neither ends the run nor changes the text."""
    says_so = {"content-type": f"application/json; charset={charset}".encode().decode("latin-1")}
    body = json.dumps({"choices": [{"message": {"content": "Yes, □p"}}]}, ensure_ascii=False).encode()
    with fault_server(Answer(body=body, headers=says_so)) as server:
        exchange = send(server.url)
    assert exchange.payload is not None and exchange.text == body.decode()
    with fault_server(Answer(body=f'{{"echo": "{KEY}"'.encode("utf-16-le"), headers=says_so)) as server:
        broken = send(server.url)
    assert broken.retryable and "[key]" in str(broken.attempts[0].body)


def test_an_exception_that_nobody_foresaw_is_a_failure() -> None:
    """What breaks below HTTP (here: a host name that no resolver takes) is a failure of transport."""
    exchange = send(f"http://{'a' * 70}.invalid/v1")
    assert len(exchange.attempts) == 3 and exchange.retryable and exchange.error is not None


def test_what_came_before_an_empty_account_is_kept() -> None:
    """The attempts before the one that found the account empty are in the exchange."""
    broke = says({"error": {"code": "insufficient_quota", "message": "no money"}}, 429)
    with fault_server(says({}, 500), broke) as server:
        exchange = send(server.url)
    assert [attempt.status for attempt in exchange.attempts] == [500, 429]
    assert exchange.broke and "no money" in str(exchange.error)


def test_no_proxy_leads_to_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server on loopback is asked itself, whatever proxies the environment names."""
    with fault_server(chat("No")) as proxy, fault_server(chat("Yes")) as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url.removesuffix("/v1"))
        for url in (server.url, server.url.replace("127.0.0.1", "localhost")):
            assert send(url).payload is not None
        assert (len(server.seen), len(proxy.seen)) == (2, 0)
        send("http://server.invalid/v1")
        assert len(proxy.seen) == 1


@pytest.mark.parametrize(
    ("name", "value"), [("ALL_PROXY", "ftp://me:hidden@host"), ("SSL_CERT_FILE", "/there/is/none.pem")]
)
def test_an_environment_that_cannot_be_used(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Proxies and certificates that cannot be used are named before anything is sent."""
    monkeypatch.setenv(name, value)
    with pytest.raises(SetupError, match=name) as caught:
        send("https://server.invalid/v1")
    assert "hidden" not in str(caught.value)


def test_a_base_url_does_not_hold_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A base URL with the key in its path is refused without being shown, for it would be recorded."""
    monkeypatch.setenv("MODALGEN_API_KEY", KEY)
    for url in (f"https://host/{KEY}/v1", f"nonsense {KEY}"):
        with pytest.raises(SetupError, match="MODALGEN_API_KEY") as caught:
            endpoint(provider("compatible"), Api.CHAT, url)
        assert KEY not in str(caught.value)


@pytest.mark.parametrize("value", ["sk-two\nlines-0123456", "sk-ümlaut-0123456", "sk-with blank-0123"])
def test_a_malformed_key_is_not_repeated(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that no header can carry is refused by the name of its variable, without its value."""
    monkeypatch.setenv("OPENAI_API_KEY", value)
    with pytest.raises(SetupError) as caught:
        endpoint(provider("openai"), Api.CHAT, None)
    assert "OPENAI_API_KEY" in str(caught.value)
    assert value not in repr(caught.value) and caught.value.__cause__ is None


def test_a_missing_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its key a provider that needs one is not asked; the message says which variable."""
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(SetupError, match="ANTHROPIC_API_KEY"):
        endpoint(provider("anthropic"), Api.MESSAGES, None)


@pytest.mark.parametrize(
    "url",
    [
        "https://me:sk-123@host/v1",
        "https://host/v1?key=sk-123",
        "ftp://host",
        "host/v1",
        "http://[",
        "http://h:65536/v1",
        "",
    ],
)
def test_base_urls_that_cannot_be_used(url: str) -> None:
    """A base URL is recorded, so it may hold no secret, and it must be one of the web."""
    with pytest.raises(SetupError) as caught:
        endpoint(provider("compatible"), Api.CHAT, url)
    assert "sk-123" not in str(caught.value)


NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "7"}, 7.0),
        ({"retry-after": format_datetime(NOW + timedelta(seconds=30), usegmt=True)}, 30.0),
        ({"retry-after": format_datetime(NOW - timedelta(seconds=30), usegmt=True)}, 0.0),
        ({"retry-after": "Fri, 02 Jan 2026 03:04:15 -0000"}, 10.0),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "tomorrow"}, None),
        ({"retry-after": "Mon, 01 Jan 2024 00:00:00 +99999999999999"}, None),
    ],
)
def test_what_a_server_asks_for(headers: dict[str, str], seconds: float | None) -> None:
    """Milliseconds come first, then seconds or a date; what cannot be read is no demand."""
    assert retry_after(headers, NOW) == seconds


@given(st.text(max_size=40))
def test_no_header_breaks_the_reader(value: str) -> None:
    """Whatever a server writes into the header, reading it never fails."""
    seconds = retry_after({"retry-after": value}, NOW)
    assert seconds is None or seconds >= 0


@settings(deadline=None)
@given(st.integers(2, 3), st.none() | st.floats(0, 1e9), st.floats(0.001, 10))
def test_waits(attempt: int, asked: float | None, first: float) -> None:
    """A wait is never shorter than asked for, and never longer than the cap."""
    wait = wait_before(attempt, asked, first)
    assert min(LONGEST_WAIT, first if asked is None else asked) <= wait <= LONGEST_WAIT


def test_the_throttle() -> None:
    """Complaints that come together halve the number of requests in flight once; success restores it."""

    async def course() -> list[int]:
        throttle = Throttle(8)
        seen = [throttle.window]
        for _ in range(5):
            throttle.complained(0.05)
        seen.append(throttle.window)
        started = asyncio.get_running_loop().time()
        async with throttle.slot():
            assert asyncio.get_running_loop().time() - started >= 0.05
        for _ in range(40):
            throttle.succeeded()
        return [*seen, throttle.window]

    assert asyncio.run(course()) == [8, 4, 8]
