"""Request bodies and response bodies of the three API shapes, providers, prices."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modalgen.evaluate.answers import Outcome
from modalgen.evaluate.apis import (
    Reply,
    RequestSettings,
    Usage,
    error_in,
    is_about_the_prompt,
    key_headers,
    out_of_money,
    read_reply,
    request_body,
)
from modalgen.evaluate.prices import (
    Estimate,
    Price,
    PricesError,
    cost,
    estimated_cost,
    estimated_tokens,
    load_prices,
)
from modalgen.evaluate.providers import Api, ProviderError, provider, provider_names

WORDS = ("Yes", "No")


def body(name: str, api: Api, **wanted: Any) -> dict[str, Any]:
    """The body that a provider gets for the prompt "Q"."""
    return request_body(provider(name).dialect(api), RequestSettings("m", **wanted), "Q", WORDS)


ASKED = [{"role": "user", "content": "Q"}]


@pytest.mark.parametrize(
    ("name", "api", "wanted", "expected"),
    [
        ("openai", Api.CHAT, {}, {"model": "m", "messages": ASKED}),
        ("openai", Api.RESPONSES, {}, {"model": "m", "input": "Q"}),
        ("anthropic", Api.MESSAGES, {}, {"model": "m", "messages": ASKED, "max_tokens": 16384}),
        (
            "openai",
            Api.CHAT,
            {"reasoning": "high", "max_tokens": 9, "temperature": 0.0, "seed": 0},
            {
                "model": "m",
                "messages": ASKED,
                "reasoning_effort": "high",
                "max_completion_tokens": 9,
                "temperature": 0.0,
                "seed": 0,
            },
        ),
        (
            "openai",
            Api.RESPONSES,
            {"reasoning": "low", "max_tokens": 9},
            {"model": "m", "input": "Q", "reasoning": {"effort": "low"}, "max_output_tokens": 9},
        ),
        (
            "anthropic",
            Api.MESSAGES,
            {"reasoning": "2048", "max_tokens": 4096},
            {
                "model": "m",
                "messages": ASKED,
                "max_tokens": 4096,
                "thinking": {"type": "enabled", "budget_tokens": 2048},
            },
        ),
        (
            "anthropic",
            Api.MESSAGES,
            {"reasoning": "low", "max_tokens": 99},
            {
                "model": "m",
                "messages": ASKED,
                "max_tokens": 99,
                "thinking": {"type": "adaptive"},
                "output_config": {"effort": "low"},
            },
        ),
        (
            "openrouter",
            Api.CHAT,
            {"reasoning": "none", "extra": {"provider": {"sort": "price"}}},
            {
                "model": "m",
                "messages": ASKED,
                "reasoning": {"enabled": False},
                "provider": {"sort": "price"},
            },
        ),
        (
            "llamacpp",
            Api.CHAT,
            {"constrain": True},
            {"model": "m", "messages": ASKED, "grammar": 'root ::= "Yes" | "No"'},
        ),
        (
            "vllm",
            Api.CHAT,
            {"constrain": True, "reasoning": "off"},
            {
                "model": "m",
                "messages": ASKED,
                "structured_outputs": {"choice": ["Yes", "No"]},
                "chat_template_kwargs": {"enable_thinking": False},
            },
        ),
    ],
)
def test_request_bodies(name: str, api: Api, wanted: dict[str, Any], expected: dict[str, Any]) -> None:
    """What is sent is exactly what was asked for: no temperature, seed or cap that nobody gave."""
    assert body(name, api, **wanted) == expected


@pytest.mark.parametrize(
    ("name", "api", "wanted", "message"),
    [
        ("openai", Api.MESSAGES, {}, "speaks chat, responses"),
        ("openai", Api.RESPONSES, {"seed": 1}, "no seed"),
        ("openai", Api.CHAT, {"reasoning": "1024"}, "a name"),
        ("llamacpp", Api.RESPONSES, {"reasoning": "low"}, "no such setting"),
        ("openai", Api.CHAT, {"constrain": True}, "answer words"),
        ("openai", Api.CHAT, {"extra": {"model": "other"}}, "two values"),
        ("openai", Api.CHAT, {"extra": {"stream": True}}, "stream"),
        ("openai", Api.RESPONSES, {"extra": {"background": True}}, "background"),
        ("openai", Api.CHAT, {"reasoning": "low", "extra": {"reasoning_effort": "high"}}, "two values"),
    ],
)
def test_settings_that_cannot_be_expressed(name: str, api: Api, wanted: dict[str, Any], message: str) -> None:
    """A setting that a server has no field for is refused, and never dropped in silence."""
    with pytest.raises(ProviderError, match=message):
        body(name, api, **wanted)


def test_every_provider_can_be_used() -> None:
    """Each provider's file is complete, and each of its dialects makes a request."""
    for name in provider_names():
        found = provider(name)
        assert found.id == name and found.title and found.key.isupper()
        for api in found.dialects:
            assert body(name, api)["model"] == "m"
    with pytest.raises(ProviderError, match="did you mean 'anthropic'"):
        provider("antropic")


def test_key_headers() -> None:
    """Keys stand where each shape wants them, and nowhere if there is none."""
    assert key_headers(Api.CHAT, "k") == {"authorization": "Bearer k"}
    assert key_headers(Api.RESPONSES, None) == {}
    assert key_headers(Api.MESSAGES, "k") == {"x-api-key": "k", "anthropic-version": "2023-06-01"}


CHAT = {
    "id": "c1",
    "model": "gpt-x-2026",
    "system_fingerprint": "fp",
    "choices": [{"finish_reason": "stop", "message": {"content": "Yes", "reasoning": "hm", "refusal": None}}],
    "usage": {
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "completion_tokens_details": {"reasoning_tokens": 4},
        "prompt_tokens_details": {"cached_tokens": 3},
        "cost": 0.25,
    },
}
RESPONSES = {
    "id": "r1",
    "model": "gpt-x",
    "status": "completed",
    "error": None,
    "output": [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
        {
            "type": "message",
            "content": [{"type": "output_text", "text": "Y"}, {"type": "output_text", "text": "es"}],
        },
    ],
    "usage": {
        "input_tokens": 10,
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 4},
        "input_tokens_details": {"cached_tokens": 3},
    },
}
MESSAGES = {
    "id": "m1",
    "type": "message",
    "model": "claude-x",
    "stop_reason": "end_turn",
    "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": "Yes"}],
    "usage": {"input_tokens": 7, "output_tokens": 5, "cache_read_input_tokens": 3},
}


@pytest.mark.parametrize(
    ("api", "payload", "expected"),
    [
        (
            Api.CHAT,
            CHAT,
            Reply("Yes", "hm", None, "stop", None, "gpt-x-2026", "fp", "c1", Usage(10, 5, 4, 3, 0.25)),
        ),
        (
            Api.RESPONSES,
            RESPONSES,
            Reply("Yes", "hm", None, "completed", None, "gpt-x", None, "r1", Usage(10, 5, 4, 3)),
        ),
        (
            Api.MESSAGES,
            MESSAGES,
            Reply("Yes", "hm", None, "end_turn", None, "claude-x", None, "m1", Usage(10, 5, None, 3)),
        ),
    ],
)
def test_response_bodies(api: Api, payload: dict[str, Any], expected: Reply) -> None:
    """Text, reasoning, tokens and identity are read from where each shape puts them."""
    assert read_reply(api, payload) == expected
    assert error_in(payload) is None


@pytest.mark.parametrize(
    ("api", "payload", "reported"),
    [
        (
            Api.CHAT,
            {"choices": [{"finish_reason": "length", "message": {"content": "Y"}}]},
            Outcome.TRUNCATED,
        ),
        (Api.CHAT, {"choices": [{"finish_reason": "content_filter"}]}, Outcome.CONTENT_FILTER),
        (
            Api.CHAT,
            {"choices": [{"finish_reason": "stop", "message": {"content": None, "refusal": "No."}}]},
            Outcome.REFUSAL,
        ),
        (
            Api.RESPONSES,
            {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": []},
            Outcome.TRUNCATED,
        ),
        (
            Api.RESPONSES,
            {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}},
            Outcome.CONTENT_FILTER,
        ),
        (
            Api.RESPONSES,
            {"status": "incomplete", "incomplete_details": None, "output": []},
            Outcome.TRUNCATED,
        ),
        (Api.RESPONSES, {"status": "incomplete", "incomplete_details": {"reason": "new"}}, Outcome.TRUNCATED),
        (
            Api.RESPONSES,
            {"output": [{"type": "message", "content": [{"type": "refusal", "refusal": "I will not."}]}]},
            Outcome.REFUSAL,
        ),
        (Api.MESSAGES, {"stop_reason": "max_tokens", "content": []}, Outcome.TRUNCATED),
        (Api.MESSAGES, {"stop_reason": "model_context_window_exceeded"}, Outcome.TRUNCATED),
        (Api.MESSAGES, {"stop_reason": "refusal", "content": []}, Outcome.REFUSAL),
        (Api.MESSAGES, {"stop_reason": "end_turn", "content": []}, None),
    ],
)
def test_ends_that_are_not_the_models_own(
    api: Api, payload: dict[str, Any], reported: Outcome | None
) -> None:
    """Cut, filtered and refused responses are recognised in every shape's words."""
    assert read_reply(api, payload).reported is reported


def test_content_in_parts() -> None:
    """A list of text parts in place of a string is read as their text."""
    message = {"content": [{"type": "text", "text": "Ye"}, {"type": "text", "text": "s"}, {"type": "image"}]}
    assert read_reply(Api.CHAT, {"choices": [{"message": message}]}).text == "Yes"


# The keys that the readers look for.
FIELDS = st.sampled_from(
    re.findall(
        r"\w+",
        """id model choices message content text type output usage error status finish_reason stop_reason
        refusal reasoning reasoning_content prompt_tokens completion_tokens input_tokens output_tokens cost
        completion_tokens_details cached_tokens incomplete_details summary thinking code""",
    )
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["message", "output_text", "reasoning", "failed", "text", 10**400]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=5),
    max_leaves=25,
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(FIELDS, JSON, max_size=6), st.sampled_from(Api))
def test_reading_never_fails(payload: dict[str, Any], api: Api) -> None:
    """Whatever JSON a server sends, it is read without an exception, and tokens are counts."""
    reply = read_reply(api, payload)
    assert reply.text is None or isinstance(reply.text, str)
    assert all(count is None or count >= 0 for count in (reply.usage.input, reply.usage.output))
    assert cost(reply.usage, Price(1, 1)) is None or cost(reply.usage, Price(1, 1)) >= 0  # type: ignore[operator]
    assert isinstance(error_in(payload), (str, type(None)))
    assert out_of_money(200, payload) in (True, False)


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        ({"error": {"message": "a\nb", "type": "t", "code": None}}, "t: a b"),
        ({"error": "plain"}, "plain"),
        ({"error": None, "choices": []}, None),
        ({"type": "error"}, "an error without words"),
        ({"status": "failed", "error": {"code": "server_error", "message": "x"}}, "server_error: x"),
        ({"choices": [{"error": {"code": 502, "message": "x"}}]}, "502: x"),
        ({"status": "failed"}, "a response that is failed"),
        ({"status": "cancelled", "output": []}, "a response that is cancelled"),
        ({"status": "queued", "error": None, "output": []}, "a response that is queued"),
        ({"status": "in_progress", "output": []}, "a response that is in_progress"),
        ({"status": "some_new_word", "output": []}, "a response that is some_new_word"),
        ({"status": "some_new_word", "choices": []}, None),
        ({"status": "incomplete", "output": []}, None),
    ],
)
def test_errors_in_bodies(payload: dict[str, Any], words: str | None) -> None:
    """An error inside of a body is found and told in one line."""
    assert error_in(payload) == words


@pytest.mark.parametrize(
    ("status", "payload", "empty"),
    [
        (402, {}, True),
        (429, {"error": {"code": "insufficient_quota"}}, True),
        (429, {"error": {"type": "insufficient_quota"}}, True),
        (400, {"error": {"message": "Your credit balance is too low to access the API."}}, True),
        (429, {"error": {"code": "rate_limit_exceeded", "message": "quota per minute"}}, False),
        (429, {"error": {"message": "Rate limit reached for requests"}}, False),
        (200, {"choices": [{"message": {"content": "credit balance is too low"}}]}, False),
    ],
)
def test_empty_accounts(status: int, payload: dict[str, Any], empty: bool) -> None:
    """Errors that mean "no money" are told from those that mean "not so fast"."""
    assert out_of_money(status, payload) is empty


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"error": {"code": "context_length_exceeded", "message": "too long"}}, True),
        ({"error": {"code": "invalid_prompt", "message": "?"}}, True),
        ({"error": {"code": 403, "metadata": {"reasons": ["x"], "flagged_input": "…"}}}, True),
        ({"error": {"code": 403, "message": "Key limit exceeded"}}, False),
        ({"error": {"code": ["content_filter"]}}, False),
        ({"error": "content_filter"}, False),
        (None, False),
    ],
)
def test_errors_about_the_prompt(payload: Any, expected: bool) -> None:
    """Errors that name the prompt as their cause are told from those that may meet every request."""
    assert is_about_the_prompt(payload) is expected


def test_counts_that_cannot_be() -> None:
    """A number of tokens that no server can have counted is not known, and so is its cost."""
    usage = {"prompt_tokens": 10**400, "completion_tokens": 2**53 + 1}
    read = read_reply(Api.CHAT, {"usage": usage}).usage
    assert (read.input, read.output, cost(read, Price(1, 1))) == (None, None, None)


def test_costs() -> None:
    """Tokens times price, cached input apart; what is not known stays unknown and is never zero."""
    price = Price(input=2.0, output=8.0, cached=0.5, batch_factor=0.5)
    assert cost(Usage(1_000_000, 500_000, cached=400_000), price) == pytest.approx(1.2 + 0.2 + 4.0)
    assert cost(Usage(1_000_000, 0), price, batch=True) == pytest.approx(1.0)
    assert cost(Usage(1_000_000, 0, cached=1_000_000), Price(2.0, 8.0)) == pytest.approx(2.0)
    assert cost(Usage(10, 10), None) is None
    assert cost(Usage(None, 10), price) is None and cost(Usage(10, None), price) is None
    assert cost(Usage(cost=0.125), None) == 0.125


def test_price_files(tmp_path: Path) -> None:
    """Prices are read by provider and model; a mistake is told with its place."""
    own = tmp_path / "prices.yaml"
    own.write_text(
        "schema: modalgen/prices/1\nproviders:\n  p:\n    batch_factor: 0.5\n    models:\n"
        "      m: {input: 2, output: 8}\n"
    )
    assert load_prices(own) == {("p", "m"): Price(2.0, 8.0, batch_factor=0.5)}
    own.write_text(
        "schema: modalgen/prices/1\nproviders:\n  p:\n    models:\n      m: {input: -1, outptu: 2}\n"
    )
    with pytest.raises(PricesError) as caught:
        load_prices(own)
    assert "prices.yaml:5" in str(caught.value)
    assert "`outptu`" in str(caught.value) and "`output` is missing" in str(caught.value)
    own.write_text(
        "schema: modalgen/prices/1\nproviders:\n  p:\n    models:\n      m: {input: .inf, output: .nan}\n"
    )
    with pytest.raises(PricesError, match=r"(?s)`input` should be a number.*`output` should be a number"):
        load_prices(own)
    own.write_text("[]\n")
    with pytest.raises(PricesError, match="modalgen/prices/1"):
        load_prices(own)


def test_estimates() -> None:
    """A range brackets what tokenizers make of English, and has no upper end without a cap."""
    text = "It is necessary that alarm 1 rings. " * 10  # 9 tokens a sentence for GPT-4o's tokenizer
    tokens = estimated_tokens(text)
    assert tokens.most is not None and tokens.least <= 90 <= tokens.most
    assert estimated_cost(Estimate(1e6, 2e6), 10, None, Price(1.0, 2.0)).most is None
    assert estimated_cost(Estimate(1e6, 2e6), 10, 100_000, Price(1.0, 2.0)).most == pytest.approx(4.0)
