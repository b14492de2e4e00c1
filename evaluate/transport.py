"""Sending a request and getting a response, or saying exactly why there is none.

The only file that knows HTTP. A request is sent at most three times. Sent again is what failed on
the way: no connection, a time-out, the statuses 408, 409, 429, 5xx (529 included), a body that is not
a JSON object, and a body that reports an error although the status is 200. A successful response is
final, whatever it holds; so is any other status, which a repetition would not change.

Keys are put into headers here and nowhere else; should a server or a library repeat one, it is blanked
out of every text before that is read or leaves this file.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self

import httpx

from modalgen.evaluate.apis import error_in, is_about_the_prompt, key_headers, out_of_money
from modalgen.evaluate.keys import Secret, SetupError, key_of
from modalgen.evaluate.pacing import retry_after, wait_before
from modalgen.evaluate.providers import Api, Provider

MAX_ATTEMPTS = 3
CONNECT_SECONDS = 5.0
READ_SECONDS = 600.0
TOTAL_SECONDS = 3600.0
"""The longest that one attempt may take. The read time-out alone never ends a body that trickles."""
KEPT_OF_FAILURES = 65_536
"""Characters of a failed attempt's body that are kept. Of a successful response all is kept."""

_TRANSIENT = frozenset({408, 409, 429})
_ABOUT_ALL = frozenset({401, 402, 403, 404})
_BASE_URL = re.compile(r"https?://(?:\[[0-9A-Fa-f:.]+\]|[\w.-]+)(?::(?P<port>[0-9]{1,5}))?(?:/\S*)?")
# At level DEBUG httpcore logs the headers of responses, and a server may repeat a key in one.
logging.getLogger("httpcore").setLevel(logging.WARNING)
_REQUEST_ID_HEADERS = ("x-request-id", "request-id", "x-generation-id")


@dataclass(frozen=True)
class Attempt:
    """One sending: when (UTC), how long it took, what came back, and the wait that followed.

    `error` is None for the attempt that ended the exchange with a success; `body` is kept of
    failures only.
    """

    started: str
    seconds: float
    status: int | None
    error: str | None
    request_id: str | None
    body: str | None
    waited: float

    def to_record(self) -> dict[str, Any]:
        """The attempt as a run records it."""
        return dict(vars(self))


@dataclass(frozen=True)
class Exchange:
    """What became of a request.

    `payload` is the response's JSON object and `text` the body that it was read from; both are set
    exactly on success. On failure `status` is that of the last attempt, and `retryable` says whether
    the failure was one of transport, so that the request may be put again another day. `broke` says
    that the account cannot pay: the request may be put again, but not now, and neither may others.
    `about_prompt` says that an error names the prompt as its cause.
    """

    attempts: tuple[Attempt, ...]
    status: int | None
    request_id: str | None
    text: str | None = None
    payload: Mapping[str, Any] | None = None
    error: str | None = None
    retryable: bool = False
    broke: bool = False
    about_prompt: bool = False


@dataclass(frozen=True)
class Endpoint:
    """Where requests go: an API shape at a base URL, with the key that the provider wants."""

    api: Api
    base_url: str
    key: Secret | None


def endpoint(provider: Provider, api: Api, base_url: str | None) -> Endpoint:
    """The endpoint of a provider, at its own base URL or another one.

    Raises SetupError if there is no base URL or no usable one, or the key is missing or malformed.
    """
    provider.dialect(api)
    url = base_url if base_url is not None else provider.base_url
    if url is None:
        raise SetupError(f"provider {provider.id} has no base URL of its own: give one with --base-url")
    key = key_of(provider)
    if key is not None and key.is_in(url):
        raise SetupError(f"the base URL holds the key in {provider.key}: it is recorded, so it may not")
    return Endpoint(api, checked_url(url), key)


def checked_url(url: str) -> str:
    """A base URL without the slash at its end. Raises SetupError if it cannot be one."""
    if set("@?#") & set(url):
        raise SetupError("the base URL may hold no user, password, query or fragment: it is recorded")
    try:
        parts = _BASE_URL.fullmatch(url)
        good = parts is not None and int(parts["port"] or 0) <= 65_535 and httpx.URL(url)
    except httpx.InvalidURL:
        good = False
    if not good:
        raise SetupError(
            f"the base URL {url!r} should be https:// or http://, a host, and perhaps port and path"
        )
    return url.rstrip("/")


def _is_loopback(url: str) -> bool:
    """Whether the URL is one of this machine, which no proxy leads to."""
    host = httpx.URL(url).host
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Transport:
    """A pool of connections to one endpoint. `first_wait` is the wait after a first failure, in
    seconds; *complained* is told of each 429 and the wait after it, *read_seconds* is the longest
    silence that is borne. Proxies are those of the environment, but none leads to this machine.

    Raises SetupError if proxies or certificates that the environment names cannot be used.
    """

    def __init__(
        self,
        target: Endpoint,
        *,
        max_connections: int,
        complained: Callable[[float], None] = lambda wait: None,
        first_wait: float = 1.0,
        read_seconds: float = READ_SECONDS,
        total_seconds: float = TOTAL_SECONDS,
    ) -> None:
        self._target = target
        self._complained = complained
        self._first_wait = first_wait
        self._total_seconds = total_seconds
        key = target.key.reveal() if target.key else None
        try:
            self._client = httpx.AsyncClient(
                headers=key_headers(target.api, key),
                timeout=httpx.Timeout(read_seconds, connect=CONNECT_SECONDS, pool=None),
                limits=httpx.Limits(
                    max_connections=max_connections, max_keepalive_connections=max_connections
                ),
                trust_env=not _is_loopback(target.base_url),
            )
        except Exception as error:  # httpx, ssl and their extras raise whatever they like here
            raise SetupError(
                f"connections cannot be set up ({self._words(error)}); look at the environment variables "
                "HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, SSL_CERT_FILE and SSL_CERT_DIR"
            ) from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self._client.aclose()

    async def send(self, path: str, body: bytes) -> Exchange:
        """Post a JSON body to *path* below the base URL, at most three times. Whatever happens, it is
        in the exchange."""
        attempts: list[Attempt] = []
        while True:
            found = await self._attempt(path, body)
            last = len(attempts) + 1 == MAX_ATTEMPTS or not found.retryable or found.broke
            wait = 0.0
            if found.status == 429 and not found.broke:
                # Even after the last attempt: what else is in flight should know.
                wait = wait_before(len(attempts) + 2, found.asked, self._first_wait)
                self._complained(wait)
            elif not last:
                wait = wait_before(len(attempts) + 2, found.asked, self._first_wait)
            attempts.append(found.record(0.0 if last else wait))
            if last:
                return Exchange(
                    attempts=tuple(attempts),
                    status=found.status,
                    request_id=found.request_id,
                    text=found.text if found.error is None else None,
                    payload=found.payload,
                    error=found.error,
                    retryable=found.retryable,
                    broke=found.broke,
                    about_prompt=found.about_prompt,
                )
            await asyncio.sleep(wait)

    async def _attempt(self, path: str, body: bytes) -> _Found:
        started, clock = datetime.now(UTC), time.monotonic()

        def found(error: str | None, **more: Any) -> _Found:
            moment = started.isoformat(timespec="milliseconds").replace("+00:00", "Z")
            return _Found(moment, round(time.monotonic() - clock, 3), error, **more)

        try:
            async with asyncio.timeout(self._total_seconds):
                response = await self._client.post(
                    self._target.base_url + path, content=body, headers={"content-type": "application/json"}
                )
        except TimeoutError:
            return found(f"no complete response within {self._total_seconds:g} seconds", retryable=True)
        except Exception as error:  # of httpx, or of what is below it
            # The exception holds the request and so the key: only its words go on.
            return found(self._words(error), retryable=True)
        status, headers = response.status_code, dict(response.headers)
        # JSON is UTF-8 (RFC 8259, section 8.1), whatever the header says.
        text = self._safe(response.content.decode("utf-8", "replace"))
        payload = _json_object(text)
        reported = error_in(payload) if payload is not None else None
        broke = payload is not None and out_of_money(status, payload)
        more: dict[str, Any] = {
            "status": status,
            "text": text,
            "request_id": next((self._safe(headers[h]) for h in _REQUEST_ID_HEADERS if h in headers), None),
            "asked": retry_after(headers, datetime.now(UTC)),
            "retryable": broke or 200 <= status < 300 or is_transient(status),
            "broke": broke,
            "about_prompt": is_about_the_prompt(payload),
        }
        if not 200 <= status < 300:
            reason = reported or self._safe(response.reason_phrase)
            return found(f"HTTP {status}: {reason}".rstrip(": "), **more)
        if payload is None:
            return found(f"HTTP {status}, but the body is not a JSON object", **more)
        if reported or broke:
            return found(f"HTTP {status}, but the body reports {reported or text[:200]}", **more)
        return found(None, **more | {"payload": payload, "retryable": False})

    def _words(self, error: Exception) -> str:
        return self._safe(f"{type(error).__name__}: {error}".rstrip(": "))

    def _safe(self, text: str) -> str:
        return self._target.key.blank_out(text) if self._target.key else text


@dataclass(frozen=True)
class _Found:
    """What one attempt came to; `asked` is the wait that the server wants."""

    started: str
    seconds: float
    error: str | None
    status: int | None = None
    text: str | None = None
    payload: Mapping[str, Any] | None = None
    request_id: str | None = None
    asked: float | None = None
    retryable: bool = False
    broke: bool = False
    about_prompt: bool = False

    def record(self, wait: float) -> Attempt:
        body = self.text[:KEPT_OF_FAILURES] if self.error is not None and self.text is not None else None
        return Attempt(
            self.started, self.seconds, self.status, self.error, self.request_id, body, round(wait, 3)
        )


def is_refusal_of_all(exchange: Exchange) -> bool:
    """Whether an HTTP error is about key, account or model, so that every request would meet it."""
    return exchange.broke or (exchange.status in _ABOUT_ALL and not exchange.about_prompt)


def is_transient(status: int) -> bool:
    """Whether an HTTP error may be gone when the same request is sent again."""
    return status in _TRANSIENT or status >= 500


def _json_object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
