"""A real HTTP server on loopback that misbehaves as it is told, for what llmock cannot do.

It can reset connections, trickle or hold back a body, and answer with any bytes at all.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Seen:
    """A request that reached the server."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float

    @property
    def prompt(self) -> str:
        """The prompt of a chat request."""
        text: str = self.body["messages"][0]["content"]
        return text


@dataclass(frozen=True)
class Answer:
    """What the server does: after *delay* seconds it sends *body* in *pieces* with *pause* seconds
    between them, or resets the connection."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    pieces: int = 1
    pause: float = 0.0
    reset: bool = False


def chat(content: str | None, finish: str = "stop", **message: Any) -> Answer:
    """A chat completion."""
    return says(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "model": "served-model",
            "system_fingerprint": "fp_1",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": finish,
                    "message": {"role": "assistant", "content": content, **message},
                }
            ],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10},
        }
    )


def says(payload: Any, status: int = 200, **headers: str) -> Answer:
    """Any JSON."""
    return Answer(status, json.dumps(payload).encode(), {k.replace("_", "-"): v for k, v in headers.items()})


@dataclass
class FaultServer:
    """A running server: its URL and the requests that it has seen."""

    url: str
    seen: list[Seen]
    at_most_at_once: int = 0


@contextmanager
def fault_server(
    *script: Answer, behave: Callable[[Seen, int], Answer] | None = None
) -> Iterator[FaultServer]:
    """A server that answers the first request with the first answer of the script and so on, the last
    one for good; or whatever *behave* says to a request and its number (from 0)."""
    lock = threading.Lock()
    server = FaultServer("", [])
    active = 0

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            nonlocal active
            raw = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {key.lower(): value for key, value in self.headers.items()}
            seen = Seen(self.path, headers, json.loads(raw), time.monotonic())
            with lock:
                number = len(server.seen)
                server.seen.append(seen)
                active += 1
                server.at_most_at_once = max(server.at_most_at_once, active)
            try:
                self.answer(behave(seen, number) if behave else script[min(number, len(script) - 1)])
            finally:
                with lock:
                    active -= 1

        def answer(self, answer: Answer) -> None:
            time.sleep(answer.delay)
            if answer.reset:
                # Closing with a linger time of zero sends RST and not FIN.
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True
                self.connection.close()
                return
            try:
                self.send_response(answer.status)
                for name, value in {"content-type": "application/json", **answer.headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(answer.body)))
                self.end_headers()
                size = max(1, -(-len(answer.body) // answer.pieces))
                for start in range(0, len(answer.body), size):
                    self.wfile.write(answer.body[start : start + size])
                    self.wfile.flush()
                    time.sleep(answer.pause)
            except OSError:
                self.close_connection = True  # the client has gone

        def finish(self) -> None:
            with suppress(OSError, ValueError):
                super().finish()

        def log_message(self, *arguments: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def handle_error(self, *arguments: object) -> None:
            pass

    with Server(("127.0.0.1", 0), Handler) as http:
        server.url = f"http://127.0.0.1:{http.server_address[1]}/v1"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()
