"""The context of a shell command of the simulated phone: arguments, input, output, and the state that it may change."""

import contextlib
import shlex
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from vsalang.phone.sim.files import Files, NoSpace
from vsalang.phone.sim.log import Log
from vsalang.phone.sim.phone import Phone
from vsalang.phone.sim.sh import MOST_LENGTH, STDOUT, Command

MOST_OUTPUT = 64 << 20
_NO_FILES: Final = frozenset({"&1", STDOUT, "/dev/null"})
IME: Final = "com.android.inputmethod.latin/.LatinIME"
"""The input method of the phone's own keyboard."""


class Terminal(Protocol):
    """Where a command's output goes, and how a long-running command waits for its end."""

    def out(self, data: bytes) -> None:
        """Send to standard output."""
        ...

    def err(self, data: bytes) -> None:
        """Send to standard error."""
        ...

    def read(self, most: int) -> bytes:
        """Standard input: at least one byte, b"" at its end."""
        ...

    def wait_closed(self) -> None:
        """Return when the peer has closed the stream."""
        ...

    def end(self) -> None:
        """End the stream, from any thread; `wait_closed` returns then."""
        ...


class StandardInput:
    """Standard input: from the terminal, or from the command before it in a pipe.

    Args:
        read: reads more; None: there is no more.
        data: the first bytes.
    """

    def __init__(self, read: Callable[[int], bytes] | None, data: bytes = b"") -> None:
        self._read = read
        self._data = data

    def read(self, most: int = 1 << 16) -> bytes:
        """At least one byte, b"" at the end."""
        if not self._data and self._read is not None:
            self._data = self._read(1 << 16)
        data, self._data = self._data[:most], self._data[most:]
        return data

    def line(self) -> bytes:
        """The next line with its end; b"" at the end of the input."""
        parts: list[bytes] = []
        size = 0
        while size < MOST_LENGTH:
            if not self._data:
                self._data = self.read()
                if not self._data:
                    break
            head, newline, rest = self._data.partition(b"\n")
            parts.append(head + newline)
            size += len(head) + 1
            self._data = rest
            if newline:
                break
        return b"".join(parts)

    def all(self, most: int) -> bytes:
        """The rest, but not more than `most` bytes."""
        parts: list[bytes] = []
        while most > 0 and (data := self.read(min(most, 1 << 16))):
            parts.append(data)
            most -= len(data)
        return b"".join(parts)


@dataclass(slots=True)
class Record:
    """What apps did to the system; tests and scenarios write it.

    Attributes:
        notifications: package, title and text of each notification.
        permissions: (package, permission) -> whether it is granted.
        connections: package, and the remote address and port.
    """

    notifications: list[tuple[str, str, str]] = field(default_factory=list)
    permissions: dict[tuple[str, str], bool] = field(default_factory=dict)
    connections: list[tuple[str, str, int]] = field(default_factory=list)


@dataclass
class System:
    """The state that the commands of one phone share.

    Attributes:
        phone: the phone.
        files: its files.
        start_server: starts the uiautomator2 server on a port; returns a function that stops it, None if one runs.
            It calls its second argument when the server ends by itself.
        commands: name of a command -> the function that runs it.
        record: what apps did.
        installed: package -> path of its apk, for packages installed since the start.
        settings: space and name -> value.
        processes: process id -> name and the function that ends it, of programs that the shell started.
        log: what `logcat` prints.
    """

    phone: Phone
    files: Files
    start_server: Callable[[int, Callable[[], None]], Callable[[], None] | None]
    commands: "Mapping[str, Callable[[Call], int]]"
    record: Record = field(default_factory=Record)
    installed: dict[str, str] = field(default_factory=dict)
    settings: dict[tuple[str, str], str] = field(
        default_factory=lambda: {
            ("secure", "default_input_method"): IME,
            ("system", "screen_brightness"): "128",
            ("system", "screen_brightness_mode"): "0",
            ("system", "accelerometer_rotation"): "0",
            ("system", "user_rotation"): "0",
            ("global", "airplane_mode_on"): "0",
            ("global", "wifi_on"): "1",
            ("secure", "location_mode"): "3",
        }
    )
    processes: dict[int, tuple[str, Callable[[], None]]] = field(default_factory=dict)
    log: Log = field(init=False)
    _opened: dict[int, tuple[str, str]] = field(default_factory=dict)
    """Terminal -> the descriptor and the file that its line has open."""
    _locked: dict[str, int] = field(default_factory=dict)
    """File -> the terminal whose line has locked it."""
    _locking: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.log = Log(self.phone)

    @contextlib.contextmanager
    def open_file(self, terminal: Terminal, number: str, path: str) -> Iterator[None]:
        """Have a file open while a line runs: it is created, and the line's lock of it ends with the line."""
        if self.files.stat(path) is None:
            self.files.write(path, b"")
        with self._locking:
            self._opened[id(terminal)] = (number, path)
        try:
            yield
        finally:
            with self._locking:
                del self._opened[id(terminal)]
                if self._locked.get(path) == id(terminal):
                    del self._locked[path]

    def lock_file(self, terminal: Terminal, number: str) -> bool | None:
        """Lock the file that a line has open; False: another line has locked it; None: it has none of this number."""
        with self._locking:
            opened, path = self._opened.get(id(terminal), ("", ""))
            return self._locked.setdefault(path, id(terminal)) == id(terminal) if opened == number else None

    def change_setting(self, space: str, name: str, value: str, command: str) -> None:
        """``settings put``; recorded as an input."""
        self.phone.noted("setting", f"{space} {name} {value}"[:200], command)
        self.settings[space[:200], name[:200]] = value[:10_000]


class Call:
    """One running simple command: its arguments and its output so far."""

    def __init__(
        self,
        system: System,
        words: list[str],
        command: Command,
        terminal: Terminal,
        typed: StandardInput,
    ) -> None:
        self.system = system
        self.typed = typed
        self.phone = system.phone
        self.files = system.files
        self.words = words
        self.args = words[1:]
        self.text = shlex.join(words)
        self.variables = command.variables
        self._redirect = command.redirect
        self.terminal = terminal
        self._out: list[tuple[int, bytes]] = []
        self._size = 0

    def out(self, text: str | bytes) -> None:
        self._write(1, text)

    def err(self, text: str | bytes) -> None:
        self._write(2, text)

    def _write(self, descriptor: int, text: str | bytes) -> None:
        data = text.encode("utf-8", "replace") if isinstance(text, str) else text
        self._size += len(data)
        if self._size <= MOST_OUTPUT:
            self._out.append((descriptor, data))

    def unknown(self) -> int:
        """The answer to a command that does not exist."""
        self.err(f"/system/bin/sh: {self.words[0]}: inaccessible or not found\n")
        return 127

    def refuse(self, text: str, code: int = 1) -> int:
        """Write a message to standard error; returns `code`, the exit status."""
        self.err(text.rstrip("\n") + "\n")
        return code

    def flush(self) -> None:
        """Send the output so far; for long-running commands. Output to a file is written at the end."""
        if all(name in _NO_FILES for name, _ in self._redirect.values()):
            self.deliver()

    def deliver(self) -> None:
        """Send the output to the terminal, or where it was redirected."""
        redirect = self._redirect
        to_file: dict[str, tuple[list[bytes], bool]] = {
            name: ([], append) for name, append in redirect.values() if name not in _NO_FILES
        }
        for descriptor, data in self._out:
            name = redirect.get(descriptor, ("", False))[0]
            if name == STDOUT:
                descriptor, name = 1, ""
            elif name == "&1":
                descriptor, name = 1, redirect.get(1, ("", False))[0]
            if name in to_file:
                to_file[name][0].append(data)
            elif name != "/dev/null":
                (self.terminal.out if descriptor == 1 else self.terminal.err)(data)
        self._out.clear()
        self._size = 0
        for name, (parts, append) in to_file.items():
            old = self.files.stat(name) if append else None
            try:
                self.files.write(name, (old.content if old else b"") + b"".join(parts))
            except NoSpace:
                self.terminal.err(f"/system/bin/sh: {name}: No space left on device\n".encode())

    def start_server(self, port: int) -> Callable[[], None] | None:
        """Start the uiautomator2 server; returns a function that stops it, None if one already runs."""
        return self.system.start_server(port, self.terminal.end)
