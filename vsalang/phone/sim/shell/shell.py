"""Runs the shell commands of the simulated phone: `input`, `am`, `pm`, `dumpsys`, `wm`, ... as clients use them.

An unknown command ends as on a phone: "inaccessible or not found", exit status 127.
"""

import contextlib
import re
from collections.abc import Callable

from vsalang.phone.errors import DeviceError
from vsalang.phone.sim import keys
from vsalang.phone.sim.call import Call, StandardInput, System, Terminal
from vsalang.phone.sim.clockwork import take_time
from vsalang.phone.sim.files import Files, NoSpace
from vsalang.phone.sim.phone import Phone
from vsalang.phone.sim.sh import STATUS, Command, ShellSyntax, parse
from vsalang.phone.sim.shell import (
    shell_apps,
    shell_content,
    shell_files,
    shell_install,
    shell_intents,
    shell_log,
    shell_network,
    shell_system,
    shell_text,
    shell_trace,
)

_LOCKING = re.compile(r"\(([^()]*)\) ([3-9])>>(/[\w./-]+)", re.ASCII)


class Shell:
    """Runs command lines on one phone. One instance serves all streams."""

    def __init__(
        self,
        phone: Phone,
        files: Files,
        start_server: Callable[[int, Callable[[], None]], Callable[[], None] | None],
    ) -> None:
        self.system = System(phone, files, start_server, COMMANDS)

    def run(self, line: str, terminal: Terminal) -> int:
        """Run a command line; returns the exit status. It raises only if the connection is lost.

        A line in parentheses, with a file that is open while it runs, is the form of ``flock``.
        """
        group = _LOCKING.fullmatch(line)
        with self.system.open_file(terminal, group[2], group[3]) if group else contextlib.nullcontext():
            try:
                return self._line(group[1] if group else line, terminal, StandardInput(terminal.read), 0)
            except _Exit as ended:
                return ended.status

    def run_words(self, words: list[str], terminal: Terminal) -> int:
        """Run one command, given as words; returns the exit status. It raises as `run` does."""
        try:
            return self._simple(Command(words=words), 0, terminal, StandardInput(terminal.read))
        except _Exit as ended:
            return ended.status

    def session(self, terminal: Terminal, prompt: Callable[[], None] | None = None) -> int:
        """Run the typed lines until the input ends or ``exit``; returns the last exit status.

        Args:
            prompt: called before each line.
        """
        typed = StandardInput(terminal.read)
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

    def _line(self, line: str, terminal: Terminal, typed: StandardInput, status: int) -> int:
        try:
            commands = parse(line)
        except ShellSyntax as error:
            terminal.err(f"/system/bin/sh: syntax error: {error}\n".encode())
            return 2
        waiting: bytes | None = None  # the output of the command before it in the pipe
        skip = False
        for index, command in enumerate(commands):
            if command.link != "|":
                skip = (command.link == "&&" and bool(status)) or (command.link == "||" and not status)
                waiting = None
            if skip:
                continue
            source = typed if waiting is None else StandardInput(None, waiting)
            if index + 1 < len(commands) and commands[index + 1].link == "|":
                pipe = _Pipe(terminal)
                status = self._simple(command, status, pipe, source)
                waiting = b"".join(pipe.parts)
            else:
                status = self._simple(command, status, terminal, source)
        return status

    def _simple(self, command: Command, status: int, terminal: Terminal, typed: StandardInput) -> int:
        words = [word.replace(STATUS, str(status)) for word in command.words]
        call = Call(self.system, words, command, terminal, typed)
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


class _Pipe:
    """Takes a command's output when another one reads it."""

    def __init__(self, terminal: Terminal) -> None:
        self.parts: list[bytes] = []
        self.out = self.parts.append
        self.err = terminal.err
        self.read = terminal.read
        self.wait_closed = terminal.wait_closed
        self.end = terminal.end


def _echo(call: Call) -> int:
    newline = call.args[:1] != ["-n"]
    call.out(" ".join(call.args if newline else call.args[1:]) + ("\n" if newline else ""))
    return 0


def _true(_call: Call) -> int:
    return 0


def _false(_call: Call) -> int:
    return 1


def _sleep(call: Call) -> int:
    """Real time passes, and the phone's."""
    seconds = sum(
        float(arg[:-1]) * _UNITS[arg[-1]] if arg[-1:] in _UNITS else float(arg) for arg in call.args
    )
    call.flush()
    take_time(seconds)
    call.phone.sleep(seconds)
    return 0


_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def _date(call: Call) -> int:
    form = next((arg[1:] for arg in call.args if arg.startswith("+")), "%a %b %e %H:%M:%S %Z %Y")
    clock = call.phone.clock
    known = {
        "%s": str(shell_files.seconds(clock)),
        "%e": f"{clock.day:2d}",
        "%N": "000000000",
        "%Z": "UTC",
        "%z": "+0000",
    }
    for sign, value in known.items():
        form = form.replace(sign, value)
    call.out(clock.strftime(form) + "\n")
    return 0


def _exit(call: Call) -> int:
    call.flush()
    raise _Exit(int(call.args[0]) & 0xFF if call.args and call.args[0].isdecimal() else 0)


_TOYBOX = frozenset(
    "md5sum sha256sum find cat ls rm rmdir mkdir mv cp touch stat date echo sleep true false".split()
)


def _toybox(call: Call) -> int:
    name = call.args[0] if call.args else ""
    if name not in _TOYBOX:
        return call.refuse(f"toybox: Unknown command {name}", 127)
    call.words, call.args = call.args, call.args[1:]
    return COMMANDS[name](call)


def _exec(call: Call) -> int:
    """``exec COMMAND``: the command, in place of the shell."""
    if not call.args:
        return 0
    call.words, call.args = call.args, call.args[1:]
    return COMMANDS[call.words[0]](call) if call.words[0] in COMMANDS else call.unknown()


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
            seconds = int(rest[4]) / 1000 if len(rest) == 5 else 0.3
            take_time(seconds)
            phone.swipe(x, y, x2, y2, seconds)
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


def _flock(call: Call) -> int:
    """``flock -n NUMBER``: a lock on the file that the line has open."""
    if call.args[:1] != ["-n"] or len(call.args) != 2:
        return call.refuse("flock: only -n is supported by the simulated phone's shell")
    held = call.system.lock_file(call.terminal, call.args[1])
    return call.refuse(f"flock: {call.args[1]}: Bad file descriptor") if held is None else int(not held)


COMMANDS: dict[str, Callable[[Call], int]] = {
    "echo": _echo, "exit": _exit, "true": _true, ":": _true, "false": _false, "sleep": _sleep, "date": _date,
    "toybox": _toybox, "input": _input, "sync": _true, "export": _true, "exec": _exec, "flock": _flock,
    **shell_files.COMMANDS,
    **shell_log.COMMANDS,
    **shell_network.COMMANDS,
    **shell_system.COMMANDS,
    **shell_apps.COMMANDS,
    **shell_intents.COMMANDS,
    **shell_content.COMMANDS,
    **shell_install.COMMANDS,
    **shell_text.COMMANDS,
    **shell_trace.COMMANDS,
}  # fmt: skip
"""Command name -> the function that runs it. To add a command, add it here or in one of the modules above."""
