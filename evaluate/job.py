"""One evaluation as the command line runs it: foresee, ask, or go by way of batch files, and tell."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from modalgen.evaluate import batch
from modalgen.evaluate.apis import Usage
from modalgen.evaluate.asking import RunSettings, count_requests, requests
from modalgen.evaluate.dataset import Dataset
from modalgen.evaluate.prices import Estimate, Price, cost, estimated_cost, estimated_tokens
from modalgen.evaluate.progress import RunProgress, say
from modalgen.evaluate.runner import Limits, Summary, run
from modalgen.evaluate.runs import RunWriter, check_request, check_run, open_run, recorded_cost
from modalgen.evaluate.transport import Endpoint

_DONE, _NOT_DONE = 0, 1


@dataclass(frozen=True)
class Job:
    """A run to be made. Its methods return the exit code: 0 if nothing is left to do and every request
    that was sent got a response, 1 otherwise. `clean` blanks keys out of a text.

    They raise what `requests`, `open_run` and the writer raise.
    """

    settings: RunSettings
    dataset: Dataset
    directory: Path
    prices: Mapping[tuple[str, str], Price]
    console: Console
    clean: Callable[[str], str] = lambda text: text

    def foresee(self) -> int:
        """Say how many requests are left, their tokens and what they may cost. Nothing is sent or
        written, and what would be refused is refused."""
        settled = check_run(self.directory, self.settings.to_record(self.dataset))
        counts = dict.fromkeys(self.settings.models, 0)
        tokens = {model: Estimate(0.0, 0.0) for model in self.settings.models}
        done = 0
        for request in requests(self.settings, self.dataset):
            if known := settled.get(f"{request.shard.name}/{request.item}"):
                check_request(self.directory, request.item, known, request.sha256)
                done += 1
                continue
            counts[request.shard.model] += 1
            tokens[request.shard.model] += estimated_tokens(request.prompt.text)
        self._say(f"{sum(counts.values())} requests" + (f", {done} have an answer" if done else ""))
        for model, count in counts.items():
            self._say(f"{model}: {count} requests, {_range(tokens[model], '{:,.0f}')} tokens of input")
            price = self._price(model)
            if price is None:
                self._say(f"{model}: no price is known, so neither is the cost; see --prices")
                continue
            cap = self.settings.max_tokens or self.settings.dialect.default_cap
            dollars = estimated_cost(tokens[model], count, cap, price)
            self._say(
                f"{model}: {_range(dollars, '${:,.4f}')} (output: one token to the cap of each response)"
            )
        return _DONE

    def ask(self, target: Endpoint, limits: Limits) -> int:
        """Send what has no answer yet."""
        total = count_requests(self.settings, self.dataset)
        with self._open() as writer:
            left = total - writer.settled
            if left:
                writer.refuse_exported()
            self._say(f"{left} of {total} requests to send, into {self.directory}")
            with RunProgress(self.console, total, total - left) as progress:
                stream = requests(self.settings, self.dataset)
                going = run(stream, writer, target, limits, price=self._price, report=progress)
                try:
                    summary = asyncio.run(going)
                except (KeyboardInterrupt, asyncio.CancelledError):
                    self._say(
                        "stopped at once; what was in flight is lost, the same command goes on from here"
                    )
                    return _NOT_DONE
        return self._tell(summary)

    def write_batches(self, path: Path) -> int:
        """Write input files for the Batch API, of what has no answer yet."""
        with self._open() as writer:
            writer.export(path)
            files = []
            try:
                files = batch.write_batches(requests(self.settings, self.dataset), writer, path)
            finally:
                if not files:
                    writer.end_export()
        for file in files:
            self._say(f"{file.path}: {file.requests} requests to {file.model}, {file.bytes:,} bytes")
        if not files:
            self._say("every request has an answer; there is nothing to write")
        return _DONE

    def read_batches(self, paths: Sequence[Path]) -> int:
        """Take in output and error files of the Batch API."""
        stream = requests(self.settings, self.dataset)
        with self._open() as writer:
            found = batch.read_batches(
                paths, stream, writer, self.settings.dialect.api, self._price, self.clean
            )
            if not found.missing:
                writer.end_export()
        self._say(
            f"{found.answered} responses and {found.http_errors} HTTP errors were taken into {self.directory}"
        )
        for count, what in (
            (found.known, "requests had an answer before"),
            (found.failed, "requests failed and can be sent again"),
            (found.missing, "requests are in none of these files"),
            (found.foreign, "lines belong to another run or to other settings, and were left out"),
        ):
            if count:
                self._say(f"{count} {what}")
        if found.refusal is not None:
            self._say(
                f"{found.refused} requests were turned down because of key, account, model or settings, and "
                f"are not recorded; the last with: {found.refusal}"
            )
        left = found.failed or found.missing or found.foreign or found.refused
        return _NOT_DONE if left or found.http_errors else _DONE

    def _open(self) -> AbstractContextManager[RunWriter]:
        settings = self.settings.to_record(self.dataset)
        return open_run(self.directory, settings, self.dataset.directory, self._cost)

    def _cost(self, record: Mapping[str, Any]) -> float | None:
        """What a response cost, also if its price was not known when it came."""
        known = recorded_cost(record)
        if known is not None:
            return known
        return cost(Usage(**record["usage"]), self._price(record["model"]), batch=record["batch"])

    def _price(self, model: str) -> Price | None:
        return self.prices.get((self.settings.provider, model))

    def _tell(self, summary: Summary) -> int:
        parts = [f"{summary.answered} responses"]
        parts += [f"{summary.skipped} from before"] if summary.skipped else []
        parts += [f"{summary.http_errors} HTTP errors"] if summary.http_errors else []
        parts += [f"{summary.failed} failed"] if summary.failed else []
        parts += [f"${summary.spent:.4f} in all"] if summary.spent else []
        parts += [f"{summary.unpriced} of unknown cost"] if summary.unpriced else []
        self._say(f"{', '.join(parts)}, in {self.directory}")
        if summary.stopped is not None:
            self._say(f"stopped: {summary.stopped}")
        if summary.stopped is not None or summary.failed:
            self._say("the same command goes on from here")
            return _NOT_DONE
        return _NOT_DONE if summary.http_errors else _DONE

    def _say(self, sentence: str) -> None:
        say(self.console, sentence)


def _range(estimate: Estimate, form: str) -> str:
    if estimate.most is None:
        return f"{form.format(estimate.least)} or more (there is no cap: give --max-tokens)"
    return f"{form.format(estimate.least)} to {form.format(estimate.most)}"
