"""The three API shapes, as pure functions: what to send, and what a response says.

- `chat`: OpenAI's chat completions, `POST /chat/completions`; also OpenRouter, vLLM, llama.cpp, Ollama;
- `responses`: OpenAI's responses, `POST /responses`;
- `messages`: Anthropic's messages, `POST /messages`.

Reading is total: a response is final whatever it holds, so fields that are missing, null or of
another type read as None and never raise. What a server calls an error inside of a response with
status 200 is found by `error_in`, and only that makes such a response a failure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from modalgen.evaluate.answers import Outcome
from modalgen.evaluate.providers import Api, Dialect, ProviderError

PATHS = {Api.CHAT: "/chat/completions", Api.RESPONSES: "/responses", Api.MESSAGES: "/messages"}

ANTHROPIC_VERSION = "2023-06-01"
"""The only value of the header `anthropic-version` that the messages API has had so far."""

# The servers' words for an end that is not the model's own.
_TRUNCATED = frozenset({"length", "max_tokens", "max_output_tokens", "model_context_window_exceeded"})
_FILTERED = frozenset({"content_filter"})
_REFUSED = frozenset({"refusal"})

# Codes of HTTP errors that are about the prompt, so that they say nothing about key, account and settings.
_ABOUT_THE_PROMPT = frozenset(
    {"context_length_exceeded", "string_above_max_length", "invalid_prompt", "content_filter"}
)

_UNREADABLE = ("stream", "background")
"""Fields that would make the server answer otherwise than with the whole response."""

# Codes and types of errors that waiting does not cure: the account is empty or over its limit.
_NO_MONEY = frozenset(
    {
        "insufficient_quota",
        "billing_hard_limit_reached",
        "billing_not_active",
        "billing_error",
        "insufficient_balance",
        "insufficient_credits",
    }
)


@dataclass(frozen=True)
class RequestSettings:
    """What decides a request body besides the prompt. None means that nothing is sent, so that the
    server's own default holds. `extra` are fields that are added as they are."""

    model: str
    reasoning: str | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    seed: int | None = None
    constrain: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Usage:
    """Tokens as the server counts them, None where it does not say. `reasoning` is a part of
    `output`, `cached` a part of `input`; `cost` is in US dollars, where the server names it."""

    input: int | None = None
    output: int | None = None
    reasoning: int | None = None
    cached: int | None = None
    cost: float | None = None


@dataclass(frozen=True)
class Reply:
    """What a response says. `reported` is an outcome that the server itself reports, None for a
    normal end; `finish_reason` is the server's own word for the end."""

    text: str | None
    reasoning: str | None
    refusal: str | None
    finish_reason: str | None
    reported: Outcome | None
    model: str | None
    fingerprint: str | None
    response_id: str | None
    usage: Usage


def request_body(
    dialect: Dialect, settings: RequestSettings, prompt: str, words: Sequence[str]
) -> dict[str, Any]:
    """The body of the request that puts one prompt, in a context of its own.

    *words* are the answer words, used only if `settings.constrain`. Raises ProviderError if the
    dialect cannot express a setting, or an extra field would replace one that is sent anyway or keep
    the response from coming back whole.
    """
    for name in _UNREADABLE:
        if settings.extra.get(name):
            raise ProviderError(f"the field {name!r} is not for here: responses are taken whole and at once")
    body: dict[str, Any] = {"model": settings.model}
    if dialect.api is Api.RESPONSES:
        body["input"] = prompt
    else:
        body["messages"] = [{"role": "user", "content": prompt}]
    cap = settings.max_tokens if settings.max_tokens is not None else dialect.default_cap
    if cap is not None:
        body[dialect.token_cap] = cap
    if settings.temperature is not None:
        body["temperature"] = settings.temperature
    if settings.seed is not None:
        if dialect.seed is None:
            raise ProviderError(f"the {dialect.api} API has no seed here")
        body[dialect.seed] = settings.seed
    additions = [dict(settings.extra)]
    if settings.reasoning is not None:
        additions.append(dialect.reasoning_fields(settings.reasoning))
    if settings.constrain:
        additions.append(dialect.constraint_fields(words))
    for addition in additions:
        if twice := sorted(body.keys() & addition.keys()):
            raise ProviderError(f"the field {twice[0]!r} would be sent with two values")
        body |= addition
    return body


def key_headers(api: Api, key: str | None) -> dict[str, str]:
    """The headers that show the key and what else the shape demands."""
    if api is Api.MESSAGES:
        return {"anthropic-version": ANTHROPIC_VERSION} | ({"x-api-key": key} if key else {})
    return {"authorization": f"Bearer {key}"} if key else {}


def error_in(payload: Mapping[str, Any]) -> str | None:
    """The error that a body reports, as one line; None if it reports none.

    A body is an error if it has an `error` that is not null (all three shapes), also inside of the
    first choice (OpenRouter, when the provider behind it fails), or if it says that it is no finished
    response: a `status` of the responses API other than completed and incomplete.
    """
    error = payload.get("error") or _first(payload.get("choices")).get("error")
    status = payload.get("status")
    unfinished = status in ("failed", "cancelled", "queued", "in_progress") or (
        "output" in payload and isinstance(status, str) and status not in ("completed", "incomplete")
    )
    if not error and not unfinished and payload.get("type") != "error":
        return None
    if not error and unfinished:
        return f"a response that is {status}"
    if isinstance(error, dict):
        parts = (error.get("type"), error.get("code"), error.get("message"))
        words = list(dict.fromkeys(str(part) for part in parts if part is not None))
        return " ".join(": ".join(words).split()) or "an error without words"
    return " ".join(str(error or "an error without words").split())


def is_about_the_prompt(payload: object) -> bool:
    """Whether an error response names the prompt as its cause, and not key, account or settings."""
    error = _object(_object(payload).get("error"))
    # OpenRouter's moderation answers with 403 and quotes what it objects to.
    return _string(error.get("code")) in _ABOUT_THE_PROMPT or "flagged_input" in _object(
        error.get("metadata")
    )


def out_of_money(status: int, payload: Mapping[str, Any]) -> bool:
    """Whether an error response says that the account cannot pay, which no waiting changes."""
    error = payload.get("error")
    fields = error if isinstance(error, dict) else {}
    named = {str(fields.get(key)) for key in ("code", "type")} | {str(payload.get("code"))}
    message = str(fields.get("message") or error or payload.get("message") or "").lower()
    # Anthropic reports an empty account as an invalid request, so its words have to do.
    return (
        status == 402 or bool(named & _NO_MONEY) or (status >= 400 and "credit balance is too low" in message)
    )


def read_reply(api: Api, payload: Mapping[str, Any]) -> Reply:
    """What a response body of this shape says. Never raises; see the module's docstring."""
    match api:
        case Api.CHAT:
            return _read_chat(payload)
        case Api.RESPONSES:
            return _read_responses(payload)
        case Api.MESSAGES:
            return _read_messages(payload)


def _read_chat(payload: Mapping[str, Any]) -> Reply:
    choice = _first(payload.get("choices"))
    message = _object(choice.get("message"))
    usage = _object(payload.get("usage"))
    return _reply(
        payload,
        text=_text(message.get("content")),
        # vLLM, llama.cpp and DeepSeek say reasoning_content; OpenRouter and newer vLLM say reasoning.
        reasoning=_text(message.get("reasoning_content")) or _text(message.get("reasoning")),
        refusal=_text(message.get("refusal")),
        finish_reason=_string(choice.get("finish_reason")),
        usage=Usage(
            input=_count(usage.get("prompt_tokens")),
            output=_count(usage.get("completion_tokens")),
            reasoning=_count(_object(usage.get("completion_tokens_details")).get("reasoning_tokens")),
            cached=_count(_object(usage.get("prompt_tokens_details")).get("cached_tokens")),
            cost=_amount(usage.get("cost")),
        ),
    )


def _read_responses(payload: Mapping[str, Any]) -> Reply:
    items = list(_objects(payload.get("output")))
    parts = [
        part for item in items if item.get("type") == "message" for part in _objects(item.get("content"))
    ]
    thoughts = [
        part
        for item in items
        if item.get("type") == "reasoning"
        for part in (*_objects(item.get("summary")), *_objects(item.get("content")))
    ]
    usage = _object(payload.get("usage"))
    reason = _string(_object(payload.get("incomplete_details")).get("reason"))
    return _reply(
        payload,
        text=_joined(part.get("text") for part in parts if part.get("type") == "output_text"),
        reasoning=_joined(part.get("text") for part in thoughts),
        refusal=_joined(part.get("refusal") for part in parts if part.get("type") == "refusal"),
        finish_reason=reason or _string(payload.get("status")),
        cut=payload.get("status") == "incomplete",
        usage=Usage(
            input=_count(usage.get("input_tokens")),
            output=_count(usage.get("output_tokens")),
            reasoning=_count(_object(usage.get("output_tokens_details")).get("reasoning_tokens")),
            cached=_count(_object(usage.get("input_tokens_details")).get("cached_tokens")),
            cost=_amount(usage.get("cost")),
        ),
    )


def _read_messages(payload: Mapping[str, Any]) -> Reply:
    blocks = list(_objects(payload.get("content")))
    usage = _object(payload.get("usage"))
    fresh = _count(usage.get("input_tokens"))
    cached = _count(usage.get("cache_read_input_tokens"))
    written = _count(usage.get("cache_creation_input_tokens"))
    return _reply(
        payload,
        text=_joined(block.get("text") for block in blocks if block.get("type") == "text"),
        reasoning=_joined(block.get("thinking") for block in blocks if block.get("type") == "thinking"),
        refusal=None,
        finish_reason=_string(payload.get("stop_reason")),
        usage=Usage(
            # Here, unlike in the other shapes, input_tokens leaves out what came from the cache.
            input=None if fresh is None else fresh + (cached or 0) + (written or 0),
            output=_count(usage.get("output_tokens")),
            cached=cached,
        ),
    )


def _reply(
    payload: Mapping[str, Any],
    *,
    text: str | None,
    reasoning: str | None,
    refusal: str | None,
    finish_reason: str | None,
    usage: Usage,
    cut: bool = False,
) -> Reply:
    reported = None
    if finish_reason in _FILTERED:
        reported = Outcome.CONTENT_FILTER
    elif finish_reason in _REFUSED or refusal:
        reported = Outcome.REFUSAL
    elif cut or finish_reason in _TRUNCATED:
        reported = Outcome.TRUNCATED
    return Reply(
        text=text,
        reasoning=reasoning,
        refusal=refusal,
        finish_reason=finish_reason,
        reported=reported,
        model=_string(payload.get("model")),
        fingerprint=_string(payload.get("system_fingerprint")),
        response_id=_string(payload.get("id")),
        usage=usage,
    )


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _objects(value: object) -> Iterator[dict[str, Any]]:
    return (entry for entry in value if isinstance(entry, dict)) if isinstance(value, list) else iter(())


def _first(value: object) -> dict[str, Any]:
    return next(_objects(value), {})


def _string(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _text(content: object) -> str | None:
    """Text that is a string or, as some servers have it, a list of parts."""
    if isinstance(content, list):
        return _joined(part.get("text") for part in _objects(content))
    return _string(content)


def _joined(parts: Iterator[Any]) -> str | None:
    """The parts that are text, one after the other; None if there is none."""
    texts = [part for part in parts if isinstance(part, str)]
    return "".join(texts) if texts else None


def _count(value: object) -> int | None:
    """A number of tokens. What no server can have counted (beyond 2**53) is not one."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 2**53:
        return value
    return None


def _amount(value: object) -> float | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e9:
        return float(value)
    return None
