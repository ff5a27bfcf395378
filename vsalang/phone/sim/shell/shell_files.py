"""Shell commands about files: `cat`, `ls`, `rm`, `mkdir`, `mv`, `cp`, `touch`, `md5sum`, `df`, ..."""

import datetime as dt
import hashlib
from collections.abc import Callable
from functools import lru_cache

from vsalang.phone.sim.call import Call
from vsalang.phone.sim.files import MOST_BYTES, Entry, NoSuchFile, is_directory, writable
from vsalang.phone.sim.shell import shell_trace

DIRECTORY = "drwxrwx--x"
FILE = "-rw-rw-rw-"


def _paths(call: Call) -> list[str]:
    """The arguments that are not options; all behind ``--``."""
    if "--" in call.args:
        at = call.args.index("--")
        return [arg for arg in call.args[:at] if not arg.startswith("-")] + call.args[at + 1 :]
    return [arg for arg in call.args if not arg.startswith("-")]


def _flags(call: Call) -> str:
    return "".join(arg[1:] for arg in call.args if arg.startswith("-"))


def _missing(call: Call, path: str) -> int:
    return call.refuse(f"{call.words[0]}: {path}: No such file or directory")


def _cat(call: Call) -> int:
    code = 0
    if not _paths(call) or "-" in call.args:
        while data := call.typed.read():
            call.out(data)
            call.flush()
    for path in _paths(call):
        content = shell_trace.virtual(call, path)
        try:
            call.out(call.files.read(path) if content is None else content)
        except NoSuchFile:
            code = _missing(call, path)
    return code


def _time(entry: Entry) -> str:
    return dt.datetime.fromtimestamp(entry.mtime, dt.UTC).strftime("%Y-%m-%d %H:%M")


def _ls(call: Call) -> int:
    code, flags = 0, _flags(call)
    for path in _paths(call) or ["/"]:
        entry = call.files.stat(path)
        if entry is None:
            code = _missing(call, path)
            continue
        inside = is_directory(entry) and "d" not in flags
        rows = call.files.list(path) if inside else {path: entry}
        if "t" in flags:
            rows = dict(sorted(rows.items(), key=lambda row: -row[1].mtime))
        for name, listed_file in rows.items():
            mark = DIRECTORY if is_directory(listed_file) else FILE
            size, when = len(listed_file.content), _time(listed_file)
            call.out(f"{mark} 1 shell shell {size} {when} {name}\n" if "l" in flags else f"{name}\n")
    return code


def _rm(call: Call) -> int:
    flags = _flags(call)
    code = 0
    for path in _paths(call):
        if not call.files.remove(path, recursive="r" in flags.lower()) and "f" not in flags:
            code = _missing(call, path)
    return code


def _mkdir(call: Call) -> int:
    code = 0
    for path in _paths(call):
        if writable(path):
            call.files.make_directory(path)
        else:
            code = call.refuse(f"mkdir: '{path}': Read-only file system")
    return code


def _rmdir(call: Call) -> int:
    code = 0
    for path in _paths(call):
        if call.files.list(path):
            code = call.refuse(f"rmdir: {path}: Directory not empty")
        elif not call.files.remove(path, recursive=True):
            code = _missing(call, path)
    return code


def _touch(call: Call) -> int:
    now = seconds(call.phone.clock)
    for path in _paths(call):
        old = call.files.stat(path)
        if old is None or not is_directory(old):
            call.files.write(path, old.content if old else b"", old.mode if old else 0o100644, now)
    return 0


def seconds(clock: dt.datetime) -> int:
    """A time of the phone's clock as `stat` counts it."""
    return int((clock - dt.datetime(1970, 1, 1)).total_seconds())


def _chmod(call: Call) -> int:
    """The mode of what it names is kept; one that is not there is an error."""
    missing = [path for path in _paths(call)[1:] if call.files.stat(path) is None]
    return _missing(call, missing[0]) if missing else 0


def _move(call: Call) -> int:
    """``mv`` and ``cp``: to a name, or into a folder that is there."""
    copies, paths = call.words[0] == "cp", _paths(call)
    if len(paths) < 2:
        return call.refuse(f"{call.words[0]}: Needs 2 arguments")
    *sources, target = paths
    into = call.files.stat(target)
    code = 0
    if len(sources) > 1 and (into is None or not is_directory(into)):
        return call.refuse(f"{call.words[0]}: '{target}' not directory")
    for source in sources:
        entry = call.files.stat(source)
        if entry is None:
            code = call.refuse(f"{call.words[0]}: bad '{source}': No such file or directory")
            continue
        name = source.rstrip("/").rsplit("/", 1)[-1]
        new = f"{target.rstrip('/')}/{name}" if into is not None and is_directory(into) else target
        if new.rstrip("/") == source.rstrip("/"):
            continue
        if is_directory(entry) and copies and not set(_flags(call)) & set("rRa"):
            code = call.refuse(f"cp: Skipped dir '{source}'")
        elif f"{new.rstrip('/')}/".startswith(f"{source.rstrip('/')}/"):
            code = call.refuse(f"{call.words[0]}: bad '{source}': it would be inside of itself")
        else:
            call.files.copy(source, new)
            if not copies:
                call.files.remove(source, recursive=True)
    return code


def _stat(call: Call) -> int:
    """``stat [-c FORM] FILE..``: size, kind, name and time."""
    args = list(call.args)
    form = '  File: "%n"\n  Size: %s\nModify: %y'
    if "-c" in args[:-1]:
        at = args.index("-c")
        form = args[at + 1]
        del args[at : at + 2]
    code = 0
    for path in args:
        entry = call.files.stat(path)
        if entry is None:
            code = _missing(call, path)
            continue
        kind = "directory" if is_directory(entry) else "regular file"
        values = {"%n": path, "%s": str(len(entry.content)), "%Y": str(entry.mtime), "%y": _time(entry), "%F": kind,
                  "%a": oct(entry.mode & 0o777)[2:]}  # fmt: skip
        line = form
        for sign, value in values.items():
            line = line.replace(sign, value)
        call.out(line + "\n")
    return code


def _df(call: Call) -> int:
    used = sum(len(entry.content) for entry in call.files.entries())
    call.out("Filesystem     1K-blocks    Used Available Use% Mounted on\n")
    for name, place in (("/dev/block/dm-0", "/data"), ("/dev/fuse", "/storage/emulated")):
        free = MOST_BYTES - used
        call.out(
            f"{name:14} {MOST_BYTES >> 10:9} {used >> 10:7} {free >> 10:9} {100 * used // MOST_BYTES:3}% {place}\n"
        )
    return 0


@lru_cache(maxsize=8)
def _digest(data: bytes) -> str:
    """Kept, as each client that connects asks for that of the same large file, which is the same object each time."""
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def _md5sum(call: Call) -> int:
    code = 0
    for path in _paths(call):
        try:
            call.out(f"{_digest(call.files.read(path))}  {path}\n")
        except NoSuchFile:
            code = _missing(call, path)
    return code


COMMANDS: dict[str, Callable[[Call], int]] = {
    "cat": _cat, "ls": _ls, "rm": _rm, "mkdir": _mkdir, "rmdir": _rmdir, "touch": _touch, "chmod": _chmod,
    "mv": _move, "cp": _move, "stat": _stat, "df": _df, "md5sum": _md5sum,
}  # fmt: skip
