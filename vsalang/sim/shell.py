"""The shell commands of the simulated phone: `input`, `am`, `pm`, `dumpsys`, `wm`, ... as clients use them.

A command that is not here ends as on a phone: "inaccessible or not found", exit status 127.
"""

import datetime as dt
import hashlib
import shlex
from collections.abc import Callable
from typing import Protocol

from vsalang.device.errors import DeviceError
from vsalang.sim import (
    keys,
    shell_apps,
    shell_content,
    shell_install,
    shell_system,
    shell_text,
    shell_trace,
)
from vsalang.sim.files import Files, NoSpace, NoSuchFile, is_directory
from vsalang.sim.phone import Phone
from vsalang.sim.sh import MOST_LENGTH, STATUS, Command, ShellSyntax, parse

MOST_OUTPUT = 64 << 20


class Terminal(Protocol):
    """Where a command's output goes, and how a command that stays waits for its end."""

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
        """End the stream, from any thread: a command that waits for its end returns."""
        ...


class Shell:
    """Runs command lines on one phone. One instance serves all streams."""

    def __init__(
        self,
        phone: Phone,
        files: Files,
        start_server: Callable[[int, Callable[[], None]], Callable[[], None] | None],
    ) -> None:
        """
        Args:
            start_server: starts the uiautomator2 server on a port; gives how to stop it, None if one runs. It calls
                its second argument when the server ends by itself.
        """
        self.phone = phone
        self.files = files
        self._start_server = start_server
        self.record = shell_trace.Record()
        self.installed: dict[str, str] = {}  # since the start: package -> path of its apk
        self.settings: dict[tuple[str, str], str] = {
            ("secure", "default_input_method"): f"{shell_system.IME}",
            ("system", "screen_brightness"): "128",
            ("global", "airplane_mode_on"): "0",
        }

    def change_setting(self, space: str, name: str, value: str, command: str) -> None:
        """``settings put``; recorded as an input of the command that it was."""
        self.phone.noted("setting", f"{space} {name} {value}"[:200], command)
        self.settings[space[:200], name[:200]] = value[:10_000]

    def command(self, name: str) -> "Callable[[Call], int]":
        """What runs a command."""
        return COMMANDS[name]

    def run(self, line: str, terminal: Terminal) -> int:
        """Run a command line; the exit status. Nothing it is given makes it raise, but a lost peer."""
        try:
            return self._line(line, terminal, Typed(terminal.read), 0)
        except _Exit as ended:
            return ended.status

    def run_words(self, words: list[str], terminal: Terminal) -> int:
        """Run one command, given as words; the exit status. It raises as `run` does."""
        try:
            return self._simple(Command(words=words), 0, terminal, Typed(terminal.read))
        except _Exit as ended:
            return ended.status

    def session(self, terminal: Terminal, prompt: Callable[[], None] | None = None) -> int:
        """Run the lines that are typed until the input ends or ``exit``; the last exit status.

        Args:
            prompt: called before each line.
        """
        typed = Typed(terminal.read)
        status = 0
        try:
            while True:
                if prompt is not None:
                    prompt()
                line = typed.line()
                if not line:
                    return status
                status = self._line(line.decode("utf-8", "replace").strip("\r\n"), terminal, typed, status)
        except _Exit as ended:
            return ended.status

    def _line(self, line: str, terminal: Terminal, typed: "Typed", status: int) -> int:
        try:
            commands = parse(line)
        except ShellSyntax as error:
            terminal.err(f"/system/bin/sh: syntax error: {error}\n".encode())
            return 2
        waiting: bytes | None = None  # what the command before has put into the pipe
        skip = False
        for index, command in enumerate(commands):
            if command.link != "|":
                skip = (command.link == "&&" and bool(status)) or (command.link == "||" and not status)
                waiting = None
            if skip:
                continue
            source = typed if waiting is None else Typed(None, waiting)
            if index + 1 < len(commands) and commands[index + 1].link == "|":
                pipe = _Pipe(terminal)
                status = self._simple(command, status, pipe, source)
                waiting = b"".join(pipe.parts)
            else:
                status = self._simple(command, status, terminal, source)
        return status

    def _simple(self, command: Command, status: int, terminal: Terminal, typed: "Typed") -> int:
        words = [word.replace(STATUS, str(status)) for word in command.words]
        call = Call(self, words, command, terminal, typed)
        try:
            name = words[0].removeprefix("/system/bin/")
            code = COMMANDS[name](call) if name in COMMANDS else call.unknown()
        except (DeviceError, NoSpace, ValueError, OverflowError) as error:
            call.err(f"{words[0]}: {error}\n")
            code = 1
        call.deliver()
        return code


class _Exit(Exception):
    """The shell ends here."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Typed:
    """Standard input: of the terminal, or the output of the command before in a pipe.

    Args:
        read: gives more of it; None: there is no more.
        data: what comes first.
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
        """All that is left, but not more than `most` bytes."""
        parts: list[bytes] = []
        while most > 0 and (data := self.read(min(most, 1 << 16))):
            parts.append(data)
            most -= len(data)
        return b"".join(parts)


class _Pipe:
    """Where a command's output goes when another one reads it."""

    def __init__(self, terminal: Terminal) -> None:
        self.parts: list[bytes] = []
        self.out = self.parts.append
        self.err = terminal.err
        self.read = terminal.read
        self.wait_closed = terminal.wait_closed
        self.end = terminal.end


class Call:
    """One simple command that runs: its arguments, its output so far."""

    def __init__(
        self,
        shell: Shell,
        words: list[str],
        command: Command,
        terminal: Terminal,
        typed: Typed,
    ) -> None:
        self.shell = shell
        self.typed = typed
        self.phone = shell.phone
        self.files = shell.files
        self.words = words
        self.args = words[1:]
        self.said = shlex.join(words)
        self.variables = command.variables
        self._redirect = command.redirect
        self.terminal = terminal
        self._out: list[tuple[int, bytes]] = []
        self._size = 0

    def out(self, text: str | bytes) -> None:
        """Write to standard output."""
        self._write(1, text)

    def err(self, text: str | bytes) -> None:
        """Write to standard error."""
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
        """Write a message to standard error; the exit status `code`."""
        self.err(text.rstrip("\n") + "\n")
        return code

    def flush(self) -> None:
        """Send what was written so far; for commands that stay. What goes to a file waits for the end."""
        if all(name in ("&1", "/dev/null") for name, _ in self._redirect.values()):
            self.deliver()

    def deliver(self) -> None:
        """Send the output to the terminal, or where it was redirected."""
        redirect = self._redirect
        to_file: dict[str, tuple[list[bytes], bool]] = {
            name: ([], append) for name, append in redirect.values() if name not in ("&1", "/dev/null")
        }
        for descriptor, data in self._out:
            name = redirect.get(descriptor, ("", False))[0]
            if name == "&1":
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
        """Start the uiautomator2 server; how to stop it, None if one runs already."""
        return self.shell._start_server(port, self.terminal.end)


def _echo(call: Call) -> int:
    newline = call.args[:1] != ["-n"]
    call.out(" ".join(call.args if newline else call.args[1:]) + ("\n" if newline else ""))
    return 0


def _true(_call: Call) -> int:
    return 0


def _false(_call: Call) -> int:
    return 1


def _sleep(call: Call) -> int:
    """The phone's time passes, the user's does not."""
    call.phone.sleep(sum(float(arg.removesuffix("s")) for arg in call.args))
    return 0


def _date(call: Call) -> int:
    form = next((arg[1:] for arg in call.args if arg.startswith("+")), "%a %b %e %H:%M:%S %Z %Y")
    clock = call.phone.clock
    seconds = int((clock - dt.datetime(1970, 1, 1)).total_seconds())
    known = {"%s": str(seconds), "%e": f"{clock.day:2d}", "%N": "000000000", "%Z": "UTC", "%z": "+0000"}
    for sign, value in known.items():
        form = form.replace(sign, value)
    call.out(clock.strftime(form) + "\n")
    return 0


def _paths(call: Call) -> list[str]:
    return [arg for arg in call.args if not arg.startswith("-")]


def _exit(call: Call) -> int:
    call.flush()
    raise _Exit(int(call.args[0]) & 0xFF if call.args and call.args[0].isdecimal() else 0)


def _cat(call: Call) -> int:
    code = 0
    if not _paths(call) or "-" in call.args:
        while data := call.typed.read():
            call.out(data)
            call.flush()
    for path in _paths(call):
        told = shell_trace.virtual(call, path)
        try:
            call.out(call.files.read(path) if told is None else told)
        except NoSuchFile:
            code = call.refuse(f"cat: {path}: No such file or directory")
    return code


def _ls(call: Call) -> int:
    code, long = 0, any(arg.startswith("-") and "l" in arg for arg in call.args)
    for path in _paths(call) or ["/"]:
        entry = call.files.stat(path)
        if entry is None:
            code = call.refuse(f"ls: {path}: No such file or directory")
            continue
        rows = call.files.list(path) if is_directory(entry) else {path: entry}
        for name, found in rows.items():
            mark = "drwxrwx--x" if is_directory(found) else "-rw-rw-rw-"
            call.out(f"{mark} 1 shell shell {len(found.content)} {name}\n" if long else f"{name}\n")
    return code


def _rm(call: Call) -> int:
    flags = "".join(arg[1:] for arg in call.args if arg.startswith("-"))
    code = 0
    for path in _paths(call):
        if not call.files.remove(path, recursive="r" in flags.lower()) and "f" not in flags:
            code = call.refuse(f"rm: {path}: No such file or directory")
    return code


def _mkdir(call: Call) -> int:
    for path in _paths(call):
        call.files.make_directory(path)
    return 0


def _md5sum(call: Call) -> int:
    code = 0
    for path in _paths(call):
        try:
            digest = hashlib.md5(call.files.read(path), usedforsecurity=False).hexdigest()
            call.out(f"{digest}  {path}\n")
        except NoSuchFile:
            code = call.refuse(f"md5sum: {path}: No such file or directory")
    return code


_TOYBOX = frozenset("md5sum sha256sum find cat ls rm mkdir date echo sleep true false".split())


def _toybox(call: Call) -> int:
    name = call.args[0] if call.args else ""
    if name not in _TOYBOX:
        return call.refuse(f"toybox: Unknown command {name}", 127)
    call.words, call.args = call.args, call.args[1:]
    return COMMANDS[name](call)


def _input(call: Call) -> int:
    args = list(call.args)
    while args and (args[0] in ("-d", "--display") or args[0] in shell_system.INPUT_SOURCES):
        args = args[2:] if args[0].startswith("-") else args[1:]
    if not args:
        return call.refuse("Error: Invalid arguments for command: ")
    verb, rest, phone = args[0], args[1:], call.phone
    try:
        if verb == "tap" and len(rest) == 2:
            phone.tap(*(int(float(value)) for value in rest))
        elif verb in ("swipe", "draganddrop") and len(rest) in (4, 5):
            x, y, x2, y2 = (int(float(value)) for value in rest[:4])
            phone.swipe(x, y, x2, y2, int(rest[4]) / 1000 if len(rest) == 5 else 0.3)
        elif verb == "text" and rest:
            phone.type_text(" ".join(rest).replace("%s", " "))
        elif verb in ("keyevent", "keycombination") and rest:
            return _keyevent(call, rest)
        elif verb == "motionevent" and len(rest) == 3 and rest[0].upper() in ("DOWN", "UP", "MOVE"):
            phone.touch(
                {"DOWN": 0, "UP": 1, "MOVE": 2}[rest[0].upper()], int(float(rest[1])), int(float(rest[2]))
            )
        else:
            return call.refuse(f"Error: Invalid arguments for command: {verb}")
    except (ValueError, OverflowError):
        return call.refuse(f"Error: Invalid arguments for command: {verb}")
    return 0


def _keyevent(call: Call, names: list[str]) -> int:
    long = "--longpress" in names
    read = [keys.key_name(name) for name in names if not name.startswith("--")]
    if None in read or not read:
        return call.refuse("Error: Unknown keycode")
    for name in read:
        assert name is not None
        call.phone.key(name, long=long)
    return 0


COMMANDS: dict[str, Callable[[Call], int]] = {
    "echo": _echo, "exit": _exit, "true": _true, ":": _true, "false": _false, "sleep": _sleep, "date": _date,
    "cat": _cat, "ls": _ls, "rm": _rm, "mkdir": _mkdir, "md5sum": _md5sum, "toybox": _toybox, "input": _input,
    "sync": _true,
    **shell_system.COMMANDS,
    **shell_apps.COMMANDS,
    **shell_content.COMMANDS,
    **shell_install.COMMANDS,
    **shell_text.COMMANDS,
    **shell_trace.COMMANDS,
}  # fmt: skip
"""Command name -> what runs it. To add a command, add it here or in one of the modules above."""
