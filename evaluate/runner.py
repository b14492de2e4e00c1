"""The run: ask everything that has no answer yet, write down each answer at once, stop in time.

A fixed number of workers take requests from one lazy stream, so what is in memory does not grow with
the run. A run stops by itself, with a reason, when going on would waste money or time: the account is
empty, the cost has reached its limit, one failure of transport follows the other, or every request
of a model is turned down. In that last case nothing is recorded: HTTP errors are final only once the
model has answered something, because until then the settings are to blame and not the prompt.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from modalgen.evaluate.answers import Outcome
from modalgen.evaluate.asking import Request
from modalgen.evaluate.pacing import Throttle
from modalgen.evaluate.prices import Price
from modalgen.evaluate.providers import Api
from modalgen.evaluate.responses import response_record
from modalgen.evaluate.runs import RunWriter, Shard
from modalgen.evaluate.transport import Endpoint, Exchange, OutOfMoney, Transport

TURNED_DOWN = 5
"""So many HTTP errors of a model that has answered nothing stop the run."""
STOPPING = frozenset({401, 404})
"""Statuses that stop the run at once: the key or the model's name is wrong."""
FAILURES_IN_A_ROW = 10


@dataclass(frozen=True)
class Limits:
    """What a run may use: connections at a time, and dollars in all (None: no limit)."""

    max_connections: int = 8
    max_cost: float | None = None


@dataclass(frozen=True)
class Event:
    """Something to tell the user: a request was finished (`record`), or the server asked to wait."""

    record: dict[str, Any] | None = None
    waiting: float | None = None


@dataclass
class Summary:
    """What a run did: requests skipped because they had an answer, and those sent, by what came of
    them. `stopped` is the reason if it stopped before the end, and `fault` says whether that is one."""

    skipped: int = 0
    answered: int = 0
    http_errors: int = 0
    failed: int = 0
    unpriced: int = 0
    spent: float = 0.0
    stopped: str | None = None
    fault: bool = False


@dataclass
class _Stop:
    """Whether to send no more, and why."""

    reason: str | None = None
    fault: bool = True

    def now(self, reason: str, *, fault: bool = True) -> None:
        if self.reason is None:
            self.reason, self.fault = reason, fault


async def run(
    stream: Iterable[Request],
    writer: RunWriter,
    target: Endpoint,
    limits: Limits,
    *,
    price: Callable[[str], Price | None] = lambda model: None,
    report: Callable[[Event], None] = lambda event: None,
    first_wait: float = 1.0,
) -> Summary:
    """Send the requests of *stream* that have no answer yet.

    *price* gives the price of a model, *report* is told what happens, *first_wait* is that of
    `Transport`. On the first interrupt nothing new is sent and what is in flight is awaited; on the
    second the run ends at once. Raises what the stream and the writer raise; the run can be resumed
    after anything.
    """
    throttle = Throttle(limits.max_connections)

    def complained(wait: float) -> None:
        throttle.complained(wait)
        report(Event(waiting=wait))

    transport = Transport(
        target, max_connections=limits.max_connections, complained=complained, first_wait=first_wait
    )
    course = _Course(writer, target.api, limits, price, report)
    todo = course.unsettled(stream)

    async def work() -> None:
        while True:
            async with throttle.slot():
                request = next(todo, None) if course.stop.reason is None else None
                if request is None or course.is_over():
                    return
                with course.in_flight():
                    try:
                        exchange = await transport.send(request.path, request.data)
                    except OutOfMoney as error:
                        course.stop.now(f"the account is out of money: {error}")
                        return
                    if exchange.payload is not None:
                        throttle.succeeded()
                    course.take(request, exchange)

    try:
        async with transport, _draining(course.stop), asyncio.TaskGroup() as workers:
            for _ in range(limits.max_connections):
                workers.create_task(work())
    except ExceptionGroup as group:
        raise group.exceptions[0] from None
    return course.finish()


@dataclass
class _Course:
    """How the run goes: what was asked, what came back, whether to go on."""

    writer: RunWriter
    api: Api
    limits: Limits
    price: Callable[[str], Price | None]
    report: Callable[[Event], None]
    summary: Summary = field(default_factory=Summary)
    stop: _Stop = field(default_factory=_Stop)
    _held: dict[Shard, list[dict[str, Any]]] = field(default_factory=dict)
    _failures: int = 0
    _flying: int = 0

    def unsettled(self, stream: Iterable[Request]) -> Iterator[Request]:
        """The requests that need to be sent."""
        for request in stream:
            if self.writer.is_settled(request.shard, request.item, request.sha256):
                self.summary.skipped += 1
            else:
                yield request

    @contextmanager
    def in_flight(self) -> Iterator[None]:
        """Count a request as long as the block runs."""
        self._flying += 1
        try:
            yield
        finally:
            self._flying -= 1

    def is_over(self) -> bool:
        """Whether nothing more may be sent. What is in flight is expected to cost what the dearest
        response did, so the limit is passed at most by the first few, of which nothing is known."""
        if self.limits.max_cost is not None and self.stop.reason is None:
            expected = self.writer.spent + (self._flying + 1) * self.writer.dearest
            if expected > self.limits.max_cost:
                spent, limit = self.writer.spent, self.limits.max_cost
                self.stop.now(f"${spent:.4f} are spent, and one more could pass ${limit:g}", fault=False)
        return self.stop.reason is not None

    def take(self, request: Request, exchange: Exchange) -> None:
        """Write down what became of a request, and see whether to go on."""
        record = response_record(request, exchange, self.api, self.price(request.shard.model))
        if record["reported"] == Outcome.HTTP_ERROR:
            self._turned_down(request.shard, record)
        elif record["reported"] == Outcome.TRANSPORT_ERROR:
            self._write(request.shard, record)
            self._failures += 1
            if self._failures >= max(FAILURES_IN_A_ROW, 2 * self.limits.max_connections):
                self.stop.now(f"{self._failures} requests in a row failed, the last with: {exchange.error}")
        else:
            self._failures = 0
            self._write(request.shard, record)
            for held in self._held.pop(request.shard, []):
                self._write(request.shard, held)
            if self.limits.max_cost is not None and record["cost"] is None:
                self.stop.now("a response came without a count of tokens, so its cost is not known")
        self.report(Event(record=record))

    def _turned_down(self, shard: Shard, record: dict[str, Any]) -> None:
        if record["status"] in STOPPING:
            self.stop.now(f"{shard.model}: {record['error']}")
        elif self.writer.is_answered(shard):
            self._write(shard, record)
        else:
            held = self._held.setdefault(shard, [])
            held.append(record)
            if len(held) >= TURNED_DOWN:
                self.stop.now(f"{shard.model} turned down every request so far: {record['error']}")

    def _write(self, shard: Shard, record: dict[str, Any]) -> None:
        self.writer.append(shard, record)
        match record["reported"]:
            case Outcome.HTTP_ERROR:
                self.summary.http_errors += 1
            case Outcome.TRANSPORT_ERROR:
                self.summary.failed += 1
            case _:
                self.summary.answered += 1
                self.summary.unpriced += record["cost"] is None

    def finish(self) -> Summary:
        """The summary, at the end."""
        for shard, held in self._held.items():
            self.stop.now(f"{shard.model} turned down every request: {held[-1]['error']}")
        self.summary.spent = self.writer.spent
        self.summary.stopped = self.stop.reason
        self.summary.fault = self.stop.reason is not None and self.stop.fault
        return self.summary


@asynccontextmanager
async def _draining(stop: _Stop) -> AsyncIterator[None]:
    """Let the first interrupt end the run when what is in flight has come back, the second at once."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    previous = {}

    def interrupted() -> None:
        if stop.reason is None:
            stop.now("interrupted; waiting for what is in flight", fault=False)
        elif task is not None:
            task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            handler = signal.getsignal(number)
            loop.add_signal_handler(number, interrupted)
        except (NotImplementedError, RuntimeError, ValueError):  # Windows, or not the main thread
            continue
        previous[number] = handler
    try:
        yield
    finally:
        for number, handler in previous.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)
