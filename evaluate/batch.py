"""OpenAI's Batch API: the same requests as files, at half the price and within a day.

Out: JSON lines with `custom_id`, `method`, `url` and `body`, at most 50,000 requests and 200 MB in a
file, and one model in a file, as the Batch API demands. In: its output and error files, whose lines
come in any order. A line is taken for the request that its `custom_id` names, with the beginning of
the request's hash in it, so that no answer ends up at a request that has changed since.

An HTTP error is final under the rules of a live run, as far as a batch can know: not if it is about key,
account or model, and only if the model has answered something, here or before.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from modalgen.evaluate.apis import error_in, is_about_the_prompt, out_of_money
from modalgen.evaluate.asking import Request
from modalgen.evaluate.prices import Price
from modalgen.evaluate.providers import Api
from modalgen.evaluate.responses import response_record
from modalgen.evaluate.runs import RunWriter
from modalgen.evaluate.transport import Exchange, is_refusal_of_all, is_transient

MAX_REQUESTS = 50_000
MAX_BYTES = 200_000_000
_APIS = (Api.CHAT, Api.RESPONSES)


class BatchError(Exception):
    """A batch file that cannot be written or read; the message names file and line."""


@dataclass
class BatchFile:
    """A batch input file that was written, with its number of requests and of bytes."""

    path: Path
    model: str
    requests: int = 0
    bytes: int = 0


@dataclass
class BatchSummary:
    """What batch files brought: responses, HTTP errors, failures to send again; requests that were
    turned down for no fault of the prompt (with the server's last words), which are not recorded;
    requests that had been answered before; requests without an answer in any file; lines that belong
    to another run."""

    answered: int = 0
    http_errors: int = 0
    failed: int = 0
    refused: int = 0
    refusal: str | None = None
    known: int = 0
    missing: int = 0
    foreign: int = 0


def write_batches(
    stream: Iterable[Request],
    writer: RunWriter,
    path: Path,
    *,
    most: int = MAX_REQUESTS,
    size: int = MAX_BYTES,
) -> list[BatchFile]:
    """Write the requests that have no answer yet to input files, and return these; all or none.

    The first file is *path*; further ones, where *most* requests or *size* bytes are reached or the
    model changes, have a number before the suffix. Raises BatchError if a file is there already,
    OSError as the file system does.
    """
    files: list[BatchFile] = []
    try:
        _write(stream, writer, path, most, size, files)
    except BaseException:
        for file in files:
            file.path.unlink(missing_ok=True)
        raise
    return files


def read_batches(
    paths: Sequence[Path],
    stream: Iterable[Request],
    writer: RunWriter,
    api: Api,
    price: Callable[[str], Price | None] = lambda model: None,
    clean: Callable[[str], str] = lambda line: line,
) -> BatchSummary:
    """Take the responses in output and error files into the run. *clean* blanks keys out of a line.

    A file that was taken in before changes nothing. Raises BatchError, naming file and line, if a
    line cannot be read; nothing has been taken in then.
    """
    places = _places(paths, clean)
    # A custom id is ITEM|SHARD|HASH, see Request.
    answered = {key.split("|")[-2] for key, place in places.items() if place.good and key.count("|") >= 2}
    summary = BatchSummary()
    used: set[str] = set()
    with ExitStack() as stack:
        lines = [stack.enter_context(path.open("rb")) for path in paths]
        for request in stream:
            place = places.get(request.custom_id)
            if place is not None:
                used.add(request.custom_id)
            if writer.is_settled(request.shard, request.item, request.sha256):
                summary.known += 1
            elif place is None:
                summary.missing += 1
            else:
                lines[place.file].seek(place.offset)
                exchange = _exchange(json.loads(clean(lines[place.file].readline().decode("utf-8-sig"))))
                shard = request.shard
                final = exchange.payload is not None or exchange.retryable
                if not final and (
                    is_refusal_of_all(exchange) or not (shard.name in answered or writer.is_answered(shard))
                ):
                    summary.refused += 1
                    summary.refusal = exchange.error
                    continue
                writer.append(shard, response_record(request, exchange, api, price(shard.model), batch=True))
                if exchange.payload is not None:
                    summary.answered += 1
                elif exchange.retryable:
                    summary.failed += 1
                else:
                    summary.http_errors += 1
    summary.foreign = len(places.keys() - used)
    return summary


def _write(
    stream: Iterable[Request], writer: RunWriter, path: Path, most: int, size: int, files: list[BatchFile]
) -> None:
    """Write the files, and add them to *files* as they are made."""
    current: dict[str, tuple[BatchFile, IO[bytes]]] = {}
    with ExitStack() as stack:
        for request in stream:
            if writer.is_settled(request.shard, request.item, request.sha256):
                continue
            line = _input_line(request)
            model = request.shard.model
            known = current.get(model)
            if known is None or known[0].requests == most or known[0].bytes + len(line) > size:
                place = path if not files else path.with_stem(f"{path.stem}-{len(files) + 1}")
                try:
                    fresh = stack.enter_context(place.open("xb"))
                except FileExistsError:
                    raise BatchError(f"{place} is there already") from None
                known = current[model] = (BatchFile(place, model), fresh)
                files.append(known[0])
            file, opened = known
            opened.write(line)
            file.requests += 1
            file.bytes += len(line)


def _input_line(request: Request) -> bytes:
    if request.api not in _APIS:
        raise BatchError(f"the Batch API is OpenAI's, and does not know the {request.api} API")
    line = {
        "custom_id": request.custom_id,
        "method": "POST",
        "url": f"/v1{request.path}",
        "body": request.body,
    }
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"


@dataclass(frozen=True)
class _Place:
    """Where a line stands; `good` if it holds a response."""

    file: int
    offset: int
    good: bool


def _places(paths: Sequence[Path], clean: Callable[[str], str]) -> dict[str, _Place]:
    """The place of each custom id's line; of several lines a response is preferred to an error."""
    places: dict[str, _Place] = {}
    for file, path in enumerate(paths):
        for number, offset, record in _lines(path, clean):
            custom_id = record.get("custom_id")
            if not isinstance(custom_id, str) or not ("response" in record or "error" in record):
                raise BatchError(f"{path}:{number}: not a line of a batch's output or error file")
            place = _Place(file, offset, _exchange(record).payload is not None)
            if custom_id not in places or (place.good and not places[custom_id].good):
                places[custom_id] = place
    return places


def _lines(path: Path, clean: Callable[[str], str]) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """The objects of a JSON-lines file with their line numbers and offsets."""
    offset = 0
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                try:
                    record = json.loads(clean(line.decode("utf-8-sig")))
                except (ValueError, RecursionError) as error:
                    raise BatchError(f"{path}:{number}: not JSON: {error}") from None
                if not isinstance(record, dict):
                    raise BatchError(f"{path}:{number}: not a JSON object")
                yield number, offset, record
                offset += len(line)
    except OSError as error:
        raise BatchError(f"{path}: cannot be read: {error.strerror}") from None


def _exchange(record: Mapping[str, Any]) -> Exchange:
    """What a line of an output or error file says. A request that was never carried out (expired,
    cancelled) has an error and no response, and may be sent again."""
    response, error = record.get("response"), record.get("error")
    if not isinstance(response, dict):
        words = error_in({"error": error}) or "the batch holds neither response nor error"
        return Exchange((), None, None, error=f"batch: {words}", retryable=True)
    body, status = response.get("body"), response.get("status_code")
    status = status if isinstance(status, int) else None
    name = response.get("request_id")
    request_id = name if isinstance(name, str) else None
    payload = body if isinstance(body, dict) else None
    reported = error_in(payload) if payload is not None else None
    if status == 200 and payload is not None and reported is None:
        text = json.dumps(payload, ensure_ascii=False)
        return Exchange((), status, request_id, text=text, payload=payload)
    transient = status is None or status == 200 or is_transient(status)
    words = reported or error_in({"error": error}) or "no words"
    return Exchange(
        (),
        status,
        request_id,
        error=f"batch: HTTP {status}: {words}",
        retryable=transient,
        broke=payload is not None and out_of_money(status or 0, payload),
        about_prompt=is_about_the_prompt(payload),
    )
