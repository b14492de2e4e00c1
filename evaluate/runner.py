"""The run: ask everything that has no answer yet, write down each answer at once, stop in time.

A fixed number of workers take requests from one lazy stream, so what is in memory does not grow with
the run. A run stops by itself, with a reason, when going on would waste money or time: the account is
empty, the cost has reached its limit, one failure of transport follows the other, the server refuses
the key or the model, or it turns down one request after the other.

An HTTP error is final only if the prompt is to blame for it, and that is known once the model has
answered a request that was sent later. Until then the error is held back; when `TURNED_DOWN` of them
wait, key, account or settings are to blame, the run stops, and none of these is written down.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from modalgen.evaluate.answers import Outcome
from modalgen.evaluate.asking import Request, SettingsError
from modalgen.evaluate.pacing import Throttle
from modalgen.evaluate.prices import Price
from modalgen.evaluate.providers import Api, ProviderError
from modalgen.evaluate.responses import response_record
from modalgen.evaluate.runs import RunError, RunWriter, Shard
from modalgen.evaluate.transport import Endpoint, Exchange, Transport, is_refusal_of_all
from modalgen.records import DatasetError

TURNED_DOWN = 5
"""So many HTTP errors of a model in a row, with no answer between them, stop the run."""
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
    second the run ends at once. Raises what the stream and the writer raise, when what was in flight has
    been written down, and SetupError; the run can be resumed after anything.
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
                with course.in_flight() as number:
                    exchange = await transport.send(request.path, request.data)
                    if exchange.payload is not None:
                        throttle.succeeded()
                    course.take(request, exchange, number)

    async def carry_on() -> None:
        try:
            await work()
        except Exception as error:  # what the others have in flight is paid for, and comes back first
            course.failed(error)

    async with transport, _draining(course.stop), asyncio.TaskGroup() as workers:
        for _ in range(limits.max_connections):
            workers.create_task(carry_on())
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
    _held: dict[Shard, list[tuple[int, dict[str, Any]]]] = field(default_factory=dict)
    _failures: int = 0
    _flying: int = 0
    _sent: int = 0
    _error: Exception | None = None

    def __post_init__(self) -> None:
        if self.limits.max_cost is not None and (unknown := self.writer.unpriced):
            self.stop.now(
                f"the cost of {unknown} earlier responses is not known (no price or no count of tokens), "
                "so no limit of the cost can be kept"
            )

    def unsettled(self, stream: Iterable[Request]) -> Iterator[Request]:
        """The requests that need to be sent."""
        for request in stream:
            if self.writer.is_settled(request.shard, request.item, request.sha256):
                self.summary.skipped += 1
            else:
                yield request

    @contextmanager
    def in_flight(self) -> Iterator[int]:
        """Count a request as long as the block runs; yield its number in the order of sending."""
        self._flying += 1
        self._sent += 1
        try:
            yield self._sent
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

    def failed(self, error: Exception) -> None:
        """End the run with an exception, as soon as nothing is in flight."""
        self._error = self._error or error
        self.stop.now("an error")

    def take(self, request: Request, exchange: Exchange, number: int) -> None:
        """Write down what became of a request, and see whether to go on."""
        shard = request.shard
        record = response_record(request, exchange, self.api, self.price(shard.model))
        if record["reported"] == Outcome.HTTP_ERROR:
            self._turned_down(shard, exchange, number, record)
        elif record["reported"] == Outcome.TRANSPORT_ERROR:
            self._write(shard, record)
            self._failures += 1
            if exchange.broke:
                self.stop.now(f"the account is out of money: {exchange.error}")
            elif self._failures >= max(FAILURES_IN_A_ROW, 2 * self.limits.max_connections):
                self.stop.now(f"{self._failures} requests in a row failed, the last with: {exchange.error}")
        else:
            self._failures = 0
            self._write(shard, record)
            held = self._held.pop(shard, [])
            self._held[shard] = [(sent, error) for sent, error in held if sent > number]
            for sent, error in held:
                if sent < number:
                    self._write(shard, error)
            if self.limits.max_cost is not None and record["cost"] is None:
                self.stop.now("a response came without a count of tokens, so its cost is not known")
        self.report(Event(record=record))

    def _turned_down(self, shard: Shard, exchange: Exchange, number: int, record: dict[str, Any]) -> None:
        if is_refusal_of_all(exchange):
            self.stop.now(f"{shard.model}: {exchange.error}")
        elif exchange.about_prompt and self.writer.is_answered(shard):
            self._write(shard, record)
        else:
            held = self._held.setdefault(shard, [])
            held.append((number, record))
            if len(held) >= TURNED_DOWN:
                self.stop.now(
                    f"{shard.model} turned down {len(held)} requests in a row, the last with: "
                    f"{exchange.error}; key, account or settings may be to blame, so none of these is "
                    "recorded"
                )

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
        """The summary, at the end. Raises the exception that ended the run, as RunError if nobody
        expects it."""
        if isinstance(self._error, (OSError, RunError, DatasetError, ProviderError, SettingsError)):
            raise self._error
        if self._error is not None:
            words = f"{type(self._error).__name__}: {self._error}"
            raise RunError(
                f"an error that nobody foresaw ended the run ({words}); all answers are written down"
            ) from self._error
        waiting = {shard: held for shard, held in self._held.items() if held}
        if not (self.stop.reason and self.stop.fault):
            for shard, held in waiting.items():
                if self.writer.is_answered(shard):
                    for _, error in held:
                        self._write(shard, error)
                else:
                    self.stop.now(f"{shard.model} turned down every request: {held[-1][1]['error']}")
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
