"""A response as a run records it: what was asked, what came back, what it says, what it cost."""

from __future__ import annotations

from typing import Any

from modalgen.evaluate.answers import Outcome
from modalgen.evaluate.apis import Reply, Usage, read_reply
from modalgen.evaluate.asking import Request
from modalgen.evaluate.prices import Price, cost
from modalgen.evaluate.providers import Api
from modalgen.evaluate.runs import RESPONSE_SCHEMA
from modalgen.evaluate.transport import Exchange

_NO_REPLY = Reply(None, None, None, None, None, None, None, None, Usage())


def response_record(
    request: Request, exchange: Exchange, api: Api, price: Price | None, *, batch: bool = False
) -> dict[str, Any]:
    """A line of a shard. Its `reported` is the outcome that the server or the transport reports,
    None if the response ended normally and its text has to be read."""
    reply, spent = _NO_REPLY, None
    if exchange.payload is not None:
        reply = read_reply(api, exchange.payload)
        spent = cost(reply.usage, price, batch=batch)
        reported = reply.reported
    else:
        reported = Outcome.TRANSPORT_ERROR if exchange.retryable else Outcome.HTTP_ERROR
    return {
        "schema": RESPONSE_SCHEMA,
        "item": request.item,
        "pair_id": request.prompt.pair_id,
        "side": request.prompt.side,
        "polarity": str(request.prompt.options.answer.polarity),
        "model": request.shard.model,
        "condition": request.shard.condition,
        "prompt": request.prompt.text,
        "prompt_sha256": request.prompt.sha256,
        "shots": [list(shot) for shot in request.prompt.shots],
        "path": request.path,
        "request": request.body,
        "request_sha256": request.sha256,
        "status": exchange.status,
        "response": exchange.text,
        "request_id": exchange.request_id,
        "error": exchange.error,
        "attempts": [attempt.to_record() for attempt in exchange.attempts],
        "batch": batch,
        "reported": None if reported is None else str(reported),
        "text": reply.text,
        "reasoning": reply.reasoning,
        "refusal": reply.refusal,
        "finish_reason": reply.finish_reason,
        "returned_model": reply.model,
        "fingerprint": reply.fingerprint,
        "response_id": reply.response_id,
        "usage": {k: v for k, v in vars(reply.usage).items() if k != "cost"},
        "cost": spent,
    }
