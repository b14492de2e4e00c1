"""Starting tools that are Java archives (`.jar`).

Most of the time of a short run goes into loading classes. Class-data sharing (JEP 350, Java 13 and
later) stores them, loaded and verified, in an archive that further runs map into memory: a
translation by LET then takes less than half of the CPU time. The archive is made once, in the
user's cache directory, by the first run. Without it everything works as well, only slower; Java
itself ignores an archive that does not fit.
"""

from __future__ import annotations

import secrets
import shutil
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path

from modalgen.files import sha256
from modalgen.oracle.process import run
from modalgen.oracle.verdict import DeciderMissing

# The virtual machine reserves far more address space than it uses, in proportion to the machine's
# memory, so a bound on address space would keep it from starting. Its heap is what `-Xmx` bounds.
UNBOUNDED_MB = 1 << 24

_HEAP_MB = 2048
# Formulas are read and written by recursion. Ordinary stacks end at a depth of some thousands.
_STACK_MB = 64
_ARCHIVE_SECONDS = 120.0


def jar_command(jar: Path) -> tuple[str, ...]:
    """The arguments that start the jar, with shared classes where they can be had.

    Raises DeciderMissing if there is no `java` on the PATH.
    """
    java = shutil.which("java")
    if java is None:
        raise DeciderMissing(f"{jar} needs Java, but there is no java on the PATH")
    plain = (java, f"-Xmx{_HEAP_MB}m", f"-Xss{_STACK_MB}m")
    archive = _archive(plain, jar)
    # Warnings about an archive that does not fit would be printed among the tool's output.
    shared = (f"-XX:SharedArchiveFile={archive}", "-Xlog:disable") if archive else ()
    return (*plain, *shared, "-jar", str(jar))


def _archive(plain: tuple[str, ...], jar: Path) -> Path | None:
    """The archive of the jar's classes, made if it does not exist; None if it cannot be made."""
    state, runtime = jar.stat(), Path(plain[0]).resolve()
    identity = f"{runtime}\n{jar}\n{state.st_size}\n{state.st_mtime_ns}"
    archive = user_cache_path("modalgen", appauthor=False) / "jvm" / f"{jar.stem}-{sha256(identity)[:16]}.jsa"
    if archive.exists():
        return archive
    fresh = archive.with_name(f"{archive.name}.{secrets.token_hex(4)}")
    with suppress(OSError):
        archive.parent.mkdir(parents=True, exist_ok=True)
        run(
            (*plain, f"-XX:ArchiveClassesAtExit={fresh}", "-jar", str(jar), _SAMPLE),
            files={_SAMPLE: _SAMPLE_TEXT},
            wall_seconds=_ARCHIVE_SECONDS,
            cpu_seconds=_ARCHIVE_SECONDS,
            memory_mb=UNBOUNDED_MB,
            output_bytes=1_000_000,
        )
        return fresh.replace(archive)
    return None


# Both LET and Leo-III read this and load most of their classes for it.
_SAMPLE = "sample.p"
_SAMPLE_TEXT = """\
tff(semantics,logic,$modal == [ $designation == $rigid, $domains == $cumulative,
    $terms == $local, $modalities == $modal_system_S4 ]).
tff(f_type,type,f: $i > $o).
tff(goal,conjecture,( ( ? [X: $i]: ({$box} @ (f(X))) ) => ({$box} @ (? [X: $i]: f(X))) )).
"""
