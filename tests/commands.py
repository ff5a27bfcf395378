"""`vsac` in this process, told as `subprocess.run` would tell it; for the tests whose subject is not the process."""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TextIO

from vsalang.tools.cli.main import run

ROOT = Path(__file__).resolve().parents[1]


class _Pipe(io.TextIOWrapper):
    """A stream that is not a terminal, and keeps what is written to it."""

    def __init__(self, data: bytes = b"") -> None:
        super().__init__(io.BytesIO(data), encoding="utf-8", write_through=True)

    @property
    def all(self) -> bytes:
        self.flush()
        return self.buffer.getvalue()  # type: ignore[attr-defined]


def vsac(
    *args: object,
    cwd: Path | str = ROOT,
    input: str | None = None,
    **env: str | None,
) -> subprocess.CompletedProcess[str]:
    """Run one command line.

    Programs that the command starts have the streams of this process, not these.

    Args:
        args: without ``vsac``.
        cwd: the working folder.
        input: what stands on standard input.
        env: what is other in the environment than here; None: it is not set.
    """
    words = [os.fsdecode(arg) if isinstance(arg, bytes) else str(arg) for arg in args]
    return _told(run, ["vsac", *words], cwd, input, env)


def measure(*args: object, cwd: Path | str = ROOT) -> subprocess.CompletedProcess[str]:
    """Run one command line of ``python -m benchmarks.measure``, as `vsac` does."""
    from benchmarks.measure import __main__ as measuring

    return _told(measuring.run, ["measure", *map(str, args)], cwd, None, {})


def _told(
    command: Callable[[Sequence[str]], int],
    words: list[str],
    cwd: Path | str,
    input: str | None,
    env: Mapping[str, str | None],
) -> subprocess.CompletedProcess[str]:
    out, err = _Pipe(), _Pipe()
    with _given(input) as stdin, _streams(stdin, out, err), _environment(env), contextlib.chdir(cwd):
        status = _run(words, command)
    return subprocess.CompletedProcess(
        words,
        status,
        out.all.decode("utf-8", "replace"),
        err.all.decode("utf-8", "replace"),
    )


def vsac_and_programs(
    *args: object,
    cwd: Path | str = ROOT,
    input: str | None = None,
    **env: str | None,
) -> subprocess.CompletedProcess[str]:
    """As `vsac`; programs that the command starts write to where it writes, and read what it is given."""
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8")) for _ in range(3)]
        files[0].write(input or "")
        files[0].seek(0)
        for number, file in enumerate(files):
            kept = os.dup(number)
            stack.callback(os.close, kept)
            os.dup2(file.fileno(), number)
            stack.callback(os.dup2, kept, number)
        with _streams(*files), _environment(env), contextlib.chdir(cwd):
            status = _run(["vsac", *map(str, args)], run)
        said = []
        for file in files[1:]:
            file.flush()
            file.seek(0)
            said.append(file.read())
    return subprocess.CompletedProcess(["vsac", *map(str, args)], status, *said)


def _run(words: list[str], command: Callable[[Sequence[str]], int]) -> int:
    before = sys.argv
    sys.argv = words
    try:
        return command(words[1:])
    finally:
        sys.argv = before


@contextlib.contextmanager
def _given(text: str | None) -> Iterator[TextIO]:
    """Standard input: if there is one, a file, as some commands read from its number."""
    if text is None:
        yield _Pipe()
        return
    with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
        file.write(text)
        file.seek(0)
        yield file


@contextlib.contextmanager
def _streams(given: TextIO, out: TextIO, err: TextIO) -> Iterator[None]:
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = given, out, err
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


@contextlib.contextmanager
def _environment(other: Mapping[str, str | None]) -> Iterator[None]:
    before = dict(os.environ)
    for name, value in other.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
