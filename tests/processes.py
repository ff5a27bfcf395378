"""Python processes that start at once: forked from one that has imported everything.

Each is a process of its own, with the streams, folder, environment and session that it is given; it does what
`python WORDS...` does, and ends with an exit status or by a signal. Left out is what takes the time: to start Python,
to import, to read the vocabulary. Tests whose subject is that (what is imported, entry points, installations, hash
seeds) start Python itself.
"""

import atexit
import contextlib
import faulthandler
import fcntl
import gc
import importlib.machinery
import importlib.util
import io
import logging
import os
import pickle
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import traceback
import types
import weakref
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple, NoReturn

from tests import commands

ROOT = Path(__file__).resolve().parents[1]
PIPE, STDOUT, DEVNULL = subprocess.PIPE, subprocess.STDOUT, subprocess.DEVNULL

_NUMBER = struct.Struct("=i")
_servers: list[socket.socket] = []


class _Start(NamedTuple):
    words: list[str]
    folder: str
    env: dict[str, str]
    session: bool


@contextlib.contextmanager
def offered() -> Iterator[None]:
    """Here processes can be started. They begin as this process is now: nothing was tested yet."""
    ours, theirs = socket.socketpair()
    server = os.fork()
    if server == 0:
        ours.close()
        _serve(theirs.detach())
    theirs.close()
    _servers.append(ours)
    try:
        yield
    finally:
        _servers.remove(ours)
        ours.close()
        os.waitpid(server, 0)


# ---------------------------------------------------------------- the process that starts them


class Process:
    """As `subprocess.Popen`, for ``python WORDS...``: ``-m MODULE``, ``-c TEXT`` or a file, with arguments."""

    def __init__(
        self,
        words: Sequence[object],
        *,
        cwd: Path | str = ROOT,
        env: Mapping[str, str] | None = None,
        stdin: int | IO[Any] | None = DEVNULL,
        stdout: int | IO[Any] | None = PIPE,
        stderr: int | IO[Any] | None = PIPE,
        text: bool = False,
        session: bool = False,
    ) -> None:
        self.args = [str(word) for word in words]
        self.returncode: int | None = None
        start = _Start(
            self.args, str(Path(cwd).absolute()), dict(os.environ if env is None else env), session
        )
        with contextlib.ExitStack() as given, tempfile.TemporaryFile() as request:
            self.stdin, first = _stream(stdin, 0, text, given)
            self.stdout, second = _stream(stdout, 1, text, given)
            self.stderr, third = (None, second) if stderr == STDOUT else _stream(stderr, 2, text, given)
            pickle.dump(start, request)
            request.seek(0)
            self._told, telling = socket.socketpair()
            given.callback(telling.close)
            fds = [request.fileno(), first, second, third, telling.fileno()]
            socket.send_fds(_servers[-1], [b"."], fds)
        self.pid = self._number()

    def _number(self) -> int:
        said = self._told.recv(_NUMBER.size)
        if len(said) < _NUMBER.size:
            raise ChildProcessError("the process that starts others has ended")
        return int(_NUMBER.unpack(said)[0])

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            self._told.settimeout(timeout)
            try:
                self.returncode = self._number()
            except (TimeoutError, BlockingIOError):
                raise subprocess.TimeoutExpired(self.args, timeout or 0) from None
            self._told.close()
        return self.returncode

    def poll(self) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.wait(0)
        return None

    def communicate(self, input: Any = None, timeout: float = 120) -> tuple[Any, Any]:
        """Give it all the input, read all that it writes, and wait for its end."""
        found: dict[int, Any] = {}

        def read(number: int, stream: IO[Any]) -> None:
            with stream:
                found[number] = stream.read()

        readers = [
            threading.Thread(target=read, args=(number, stream), daemon=True)
            for number, stream in ((1, self.stdout), (2, self.stderr))
            if stream is not None and not stream.closed
        ]
        for reader in readers:
            reader.start()
        if self.stdin is not None and not self.stdin.closed:
            with contextlib.suppress(BrokenPipeError):
                if input:
                    self.stdin.write(input)
                self.stdin.close()
        self.wait(timeout)
        for reader in readers:
            reader.join(timeout)
            if reader.is_alive():
                raise subprocess.TimeoutExpired(self.args, timeout)
        return found.get(1), found.get(2)

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_: object) -> None:
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        self.wait()


def run(
    words: Sequence[object], *, input: Any = None, text: bool = True, timeout: float = 120, **options: Any
) -> "subprocess.CompletedProcess[Any]":
    """As `subprocess.run`, with what it wrote."""
    process = Process(words, stdin=DEVNULL if input is None else PIPE, text=text, **options)
    try:
        out, err = process.communicate(input, timeout)
    finally:
        process.kill()
    return subprocess.CompletedProcess(process.args, process.wait(), out, err)


def _stream(
    asked: int | IO[Any] | None, number: int, text: bool, given: contextlib.ExitStack
) -> tuple[IO[Any] | None, int]:
    """Our end, if there is a pipe; and the process's end."""
    if asked is None:
        return None, number
    if asked == PIPE:
        ends = os.pipe()
        ours, theirs = (ends[1], ends[0]) if number == 0 else ends
        given.callback(os.close, theirs)
        mode = "w" if number == 0 else "r"
        return (os.fdopen(ours, mode, encoding="utf-8") if text else os.fdopen(ours, mode + "b")), theirs
    if asked == DEVNULL:
        file = os.open(os.devnull, os.O_RDWR)
        given.callback(os.close, file)
        return None, file
    return None, asked if isinstance(asked, int) else asked.fileno()


# ---------------------------------------------------------------- the process that starts them


def _serve(asked: int) -> NoReturn:
    """Fork what is asked for, until the one who asks is gone."""
    try:
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(nothing, number)
        os.closerange(3, asked)
        os.closerange(asked + 1, os.sysconf("SC_OPEN_MAX"))
        _forget_the_tests()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with socket.socket(fileno=asked) as asking:
            ready = False
            while fds := socket.recv_fds(asking, 1, 5)[1]:
                ready = ready or _prepare()
                if os.fork() == 0:
                    asking.close()
                    _watch(*fds)
                for fd in fds:
                    os.close(fd)
                _reap()
    finally:
        _reap()
        os._exit(0)


def _prepare() -> bool:
    """Read and keep in memory what most of them need: the vocabulary, an example, a simulated phone."""
    examples = ROOT / "app_specs" / "examples"
    with tempfile.TemporaryDirectory() as folder:
        options = ("--device", "sim:restaurant", "--agent", examples / "reserve_r.agent.jsonl")
        commands.vsac("run", examples / "reserve_r.vsa", *options, cwd=folder)
    gc.collect()
    gc.freeze()
    return True


def _reap() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _forget_the_tests() -> None:
    """What pytest set up for this process, and what is to happen at its end, is not for those that it starts."""
    faulthandler.disable()
    atexit._clear()
    weakref.finalize._registry.clear()
    weakref.finalize._registered_with_atexit = False
    logging.root.handlers.clear()
    threading.excepthook = threading.__excepthook__
    sys.unraisablehook = sys.__unraisablehook__


def _watch(request: int, first: int, second: int, third: int, telling: int) -> NoReturn:
    """Start one, and say its number and how it ended."""
    process = os.fork()
    if process == 0:
        os.close(telling)
        with open(request, "rb") as file:
            start: _Start = pickle.load(file)
        _become(start, (first, second, third))
    for fd in (request, first, second, third):
        os.close(fd)
    with contextlib.suppress(BrokenPipeError):
        os.write(telling, _NUMBER.pack(process))
        os.write(telling, _NUMBER.pack(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])))
    os._exit(0)


# ---------------------------------------------------------------- what is started


def _become(start: _Start, streams: Sequence[int]) -> NoReturn:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if start.session:
        os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(3, max(streams) + 1)
    if start.session and os.isatty(0):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.environ.clear()
    os.environ.update(start.env)
    os.chdir(start.folder)
    random.seed()
    _open_streams()
    status = _status(start.words)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def _open_streams() -> None:
    """As Python opens its streams."""
    each = "PYTHONUNBUFFERED" in os.environ
    encoding, _, errors = os.environ.get("PYTHONIOENCODING", "").partition(":")
    encoding = encoding or "utf-8"
    place = os.environ.get("LC_ALL") or os.environ.get("LC_CTYPE") or os.environ.get("LANG") or "C"
    if not errors:
        lenient = os.environ.get("PYTHONUTF8") == "1" or place in ("C", "POSIX")
        errors = "surrogateescape" if lenient else "strict"
    sys.stdin = sys.__stdin__ = os.fdopen(0, encoding=encoding, errors=errors, closefd=False)
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream = io.TextIOWrapper(
            os.fdopen(number, "wb", closefd=False),
            encoding,
            errors="backslashreplace" if number == 2 else errors,
            line_buffering=number == 2 or os.isatty(number),
            write_through=each,
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _status(words: Sequence[str]) -> int:
    """Run it; the exit status."""
    try:
        try:
            _run(words)
        finally:
            threading._shutdown()
            atexit._run_exitfuncs()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return (end.code or 0) & 0xFF
        print(end.code, file=sys.stderr)
        return 1
    except BaseException as error:
        traceback.print_exception(error.with_traceback(_shown(error.__traceback__)))
        if isinstance(error, KeyboardInterrupt):
            sys.stdout.flush()
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        return 1
    return 0


def _shown(trace: types.TracebackType | None) -> types.TracebackType | None:
    """A traceback from where the program begins."""
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    return trace


def _run(words: Sequence[str]) -> None:
    if words[0] == "-u":
        sys.stdout.reconfigure(write_through=True)
        words = words[1:]
    program = types.ModuleType("__main__")
    sys.modules["__main__"] = program
    what = words[0]
    if what == "-c":
        sys.path.insert(0, "")
        code, sys.argv = compile(words[1], "<string>", "exec"), ["-c", *words[2:]]
    elif what == "-m":
        sys.path.insert(0, str(Path.cwd()))
        spec = importlib.util.find_spec(words[1])
        if spec is None or spec.origin is None:
            raise SystemExit(f"{sys.executable}: No module named {words[1]}")
        program.__spec__, program.__file__ = spec, spec.origin
        loader = importlib.machinery.SourceFileLoader(words[1], spec.origin)
        code, sys.argv = loader.get_code(words[1]), [spec.origin, *words[2:]]
    else:
        sys.path.insert(0, str(Path(what).absolute().parent))
        program.__file__ = what
        code, sys.argv = compile(Path(what).read_bytes(), what, "exec"), [what, *words[1:]]
    assert code is not None
    exec(code, program.__dict__)
