"""The log of the simulated phone: `logcat` and `log`. Each input that reaches the phone leaves a line."""

import datetime as dt
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Final

from vsalang.base.records import dataclass
from vsalang.phone.sim.call import Call
from vsalang.phone.sim.log import LEVELS, MOST_LINES, SYSTEM_PID, LogLine

_VALUED: Final = frozenset(
    ("-v", "-b", "-t", "-T", "-m", "-e", "-r", "-n", "-f", "-G", "-P", "--pid", "--uid")
)
POLL: Final = 0.1
"""In seconds: how often a running `logcat` looks for new lines and for its end."""
HEARTBEAT: Final = 0.5
"""In seconds: how often a running `logcat` prints a line of its own."""
_FORMS: Final[dict[str, str]] = {
    "brief": "{level}/{tag:<8}({pid:>5}): {text}",
    "process": "{level}({pid:>5}) {text}  ({tag})",
    "tag": "{level}/{tag:<8}: {text}",
    "thread": "{level}({pid:>5}:{pid:>5}) {text}",
    "raw": "{text}",
    "time": "{time} {level}/{tag:<8}({pid:>5}): {text}",
    "threadtime": "{time} {pid:>5} {pid:>5} {level} {tag:<8}: {text}",
    "long": "[ {time} {pid:>5}:{pid:>5} {level}/{tag:<8} ]\n{text}\n",
}


@dataclass(frozen=True, slots=True)
class _Selection:
    """What a `logcat` prints: the form, the levels by tag, a pattern, and how much of what is there."""

    form: str = _FORMS["threadtime"]
    levels: dict[str, str] = field(default_factory=dict)
    pattern: re.Pattern[str] | None = None
    pid: int | None = None
    last: int | None = None
    since: str = ""
    most: int = 1 << 30
    ends: bool = False

    def lines(self, entries: "list[LogLine]") -> Iterator[str]:
        for entry in entries:
            least = self.levels.get(entry.tag, self.levels.get("*", "V"))
            stamp = _stamp(entry.time)
            if (
                least != "S"
                and LEVELS.index(entry.level) >= LEVELS.index(least)
                and (self.pid is None or self.pid == entry.pid)
                and (self.pattern is None or self.pattern.search(entry.text))
                and stamp >= self.since
            ):
                yield self.form.format(
                    level=entry.level, tag=entry.tag, pid=entry.pid, text=entry.text, time=stamp
                )


def _stamp(time: dt.datetime) -> str:
    return f"{time:%m-%d %H:%M:%S}.{time.microsecond // 1000:03}"


def _options(call: Call) -> tuple[_Selection, frozenset[str]]:
    """What is to be printed, and the flags.

    Raises:
        ValueError: an option that the simulated command does not have, or a value that does not fit.
    """
    flags: set[str] = set()
    values: dict[str, str] = {}
    levels: dict[str, str] = {}
    args = list(call.args)
    while args:
        arg = args.pop(0)
        name, equals, value = arg.partition("=")
        if arg in _VALUED:
            values[arg] = args.pop(0) if args else ""
        elif equals and name.startswith("--"):
            values[name] = value
        elif len(arg) > 2 and arg[:2] in _VALUED:
            values[arg[:2]] = arg[2:]
        elif arg.startswith("-"):
            flags.add(arg)
        else:
            tag, _, level = arg.partition(":")
            levels[tag] = {"": "V", "*": "V"}.get(level, level.upper())
    if "-s" in flags:
        levels.setdefault("*", "S")
    if bad := [level for level in levels.values() if level not in (*LEVELS, "S")]:
        raise ValueError(f"Invalid filter expression {bad[0]!r}")
    form = next((word for word in re.split(r"[ ,]", values.get("-v", "")) if word in _FORMS), "threadtime")
    tail = values.get("-t", values.get("-T", ""))
    pattern = values.get("-e", values.get("--regex"))
    wanted = _Selection(
        form=_FORMS[form],
        levels=levels,
        pattern=re.compile(re.escape(pattern)) if pattern is not None else None,
        pid=int(values["--pid"]) if "--pid" in values else None,
        last=int(tail) if tail.isdigit() else None,
        since=tail if tail and not tail.isdigit() else "",
        most=int(values.get("-m", 1 << 30)),
        ends=bool(flags & {"-d", "-g", "-S"}) or "-t" in values,
    )
    return wanted, frozenset(flags)


def _logcat(call: Call) -> int:
    wanted, flags = _options(call)
    log = call.system.log
    if "-c" in flags or "--clear" in flags:
        log.clear()
        return 0
    if "-g" in flags:
        call.out(
            f"main: ring buffer is 256 KiB ({MOST_LINES} lines), max entry is 5120 B, max payload is 4068 B\n"
        )
        return 0
    place, entries = log.after(0)
    call.out("--------- beginning of main\n")
    lines = list(wanted.lines(entries))[: wanted.most]
    lines = lines[-wanted.last :] if wanted.last else lines
    call.out("".join(line + "\n" for line in lines))
    if wanted.ends or len(lines) == wanted.most:
        return 0
    call.flush()
    closed = threading.Event()

    def wait() -> None:
        call.terminal.wait_closed()
        closed.set()

    threading.Thread(target=wait, daemon=True).start()
    left, quiet = wanted.most - len(lines), 0.0
    while left and not closed.wait(POLL):
        place, entries = log.after(place)
        quiet += POLL
        if quiet >= HEARTBEAT:  # no phone's log is silent, and clients that are told to stop wait for a line
            quiet = 0.0
            entries = [*entries, LogLine(call.phone.clock, SYSTEM_PID, "V", "SystemClock", "the phone runs")]
        lines = list(wanted.lines(entries))[:left]
        left -= len(lines)
        call.out("".join(line + "\n" for line in lines))
        call.flush()
    return 0


def _log(call: Call) -> int:
    """``log [-p LEVEL] [-t TAG] TEXT``."""
    level, tag, args = "I", "log", list(call.args)
    while len(args) >= 2 and args[0] in ("-p", "-t"):
        if args[0] == "-p":
            level = args[1].upper()
        else:
            tag = args[1]
        args = args[2:]
    if level not in LEVELS or not args:
        return call.refuse("log: bad -p, or no text")
    call.system.log.write(level, tag, " ".join(args))
    return 0


COMMANDS: dict[str, Callable[[Call], int]] = {"logcat": _logcat, "log": _log}
