"""Pacing: how long to wait before asking again, and how much to ask at once.

What the server asks for is obeyed: `retry-after-ms`, else `Retry-After` in seconds or as an HTTP date
(RFC 9110, section 10.2.3). Without either the wait doubles with each attempt. Jitter keeps requests
that failed together from coming back together.

The number of requests in flight follows additive increase and multiplicative decrease (Chiu and Jain
1989), as TCP does: each 429 halves it, each window of successes adds one, up to what the user allows.
While a server has asked to wait, nothing new is sent.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST_WAIT = 120.0
"""Seconds; a server that wants more is asked again after this."""


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """The seconds that the server wants to be left alone, None if it does not say (readably).

    *headers* have lower-case names. A date in the past is no wait.
    """
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        try:
            seconds = float(value) / scale
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    try:
        moment = parsedate_to_datetime(headers.get("retry-after", ""))
        if moment.tzinfo is None:  # "-0000" says that the zone is not known; HTTP dates are in GMT
            moment = moment.replace(tzinfo=UTC)
        return max(0.0, (moment - now).total_seconds())
    except (ValueError, OverflowError):
        return None


def wait_before(attempt: int, asked: float | None, first: float) -> float:
    """The seconds to wait before *attempt* (2, 3, …): at least what was *asked*, or *first* doubled
    each time, with up to a quarter more by chance, and never more than `LONGEST_WAIT`."""
    base = asked if asked is not None else first * 2.0 ** (attempt - 2)
    return min(LONGEST_WAIT, base * random.uniform(1.0, 1.25))


class Throttle:
    """How many requests may be in flight: at most *most*, fewer after the server complained."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._window = float(most)
        self._active = 0
        self._quiet_until = 0.0
        self._changed = asyncio.Condition()

    @property
    def window(self) -> int:
        """The number of requests that may be in flight now."""
        return max(1, int(self._window))

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait until one more request may be sent, and count it as long as the block runs."""
        loop = asyncio.get_running_loop()
        while True:
            async with self._changed:
                await self._changed.wait_for(lambda: self._active < self.window)
                quiet = self._quiet_until - loop.time()
                if quiet <= 0:
                    self._active += 1
                    break
            await asyncio.sleep(quiet)
        try:
            yield
        finally:
            async with self._changed:
                self._active -= 1
                self._changed.notify_all()

    def succeeded(self) -> None:
        """A request was answered: the window grows by one for each window of answers."""
        self._window = min(float(self._most), self._window + 1.0 / self._window)

    def complained(self, wait: float) -> None:
        """The server said 429: nothing new for *wait* seconds, and half as much after that.

        Requests that were in flight together get the same complaint; it counts once.
        """
        now = asyncio.get_running_loop().time()
        if now >= self._quiet_until:
            self._window = max(1.0, self._window / 2.0)
        self._quiet_until = max(self._quiet_until, now + wait)
