"""Commands that may run other commands: they are refused unless it is known that they run none."""

import posixpath
import re
from typing import Final

from vsalang.phone.vocabulary.adb_input import NEVER, POWERS

Words = tuple[str, ...]

NO_RUNNERS: Final = frozenset(
    """
    am appops bmgr cat chmod cmd content cp date dd device_config df dpm du dumpsys echo find getprop grep head id ime
    logcat ls media mkdir mv pgrep pidof pm printf ps readlink rm rmdir screencap screenrecord settings stat svc tail
    tar test touch truncate uiautomator wc which wm
    """.split()
)
"""Commands that run no other command, with the exceptions in `hidden`: their arguments are only data."""

_NAMES: Final = frozenset(NEVER) | frozenset(
    "am app_process cmd content dumpsys ime input monkey pm screencap settings svc toolbox toybox uiautomator wm "
    "app_process32 app_process64 rm dd".split()
) - {"."}
"""Names of commands that act or are refused: an unknown command with such an argument may run it."""
_PROGRAM: Final = re.compile(r"(?:^|[^\w.])(?:\.{0,2}/(?!(?:sdcard|storage|mnt)/))", re.ASCII)
_CODE: Final = re.compile(r"[\"'\\`$;|&<>(){}\n]")
_SUBSTITUTION: Final = re.compile(r"`|\$[({]")
_DEVICE_FILE: Final = re.compile(r"(?:^/?|/(?:root|cwd)/)dev(?:/|$)", re.ASCII)
_HARMLESS: Final = frozenset(
    f"/dev/{name}" for name in ("null", "zero", "random", "urandom", "tty", "stdout")
)
_FIND_RUNS: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_TAR_PLAIN: Final = re.compile(r"-?[cxtzjJvfphOC]+", re.ASCII)


def hidden(words: Words) -> str:
    """Why a command that is not understood cannot be judged by its text; "" if it can.

    Args:
        words: by the names that `adb_apps.normal` gives.
    """
    name, args = words[0], words[1:]
    if not name:
        return "a command without a name"
    for word in args:
        if _SUBSTITUTION.search(word):
            return f"`{name[:40]}`: {word[:40]!r} is code that a shell may run"
        if any(_is_device(piece) for piece in (word, *word.split("="))):
            return f"`{name[:40]}`: `{word[:40]}` is a device file, which may be one of input"
        if power := next((power for power in POWERS if power in word), None):
            return f"`{name[:40]}`: {power} gives power over the screen, or opens a way around the guard"
    if name == "find" and (runs := next((word for word in args if word in _FIND_RUNS), None)):
        return f"`find {runs}`: it runs other commands"
    if name == "tar" and any(word.startswith("-") and not _TAR_PLAIN.fullmatch(word) for word in args):
        return "`tar`: an option may run other commands"
    if name == "am" and any("attach-agent" in word for word in args):
        return "`am`: it runs foreign code in an app"
    if name in NO_RUNNERS:
        return ""
    for word in args:
        other = next((piece for piece in re.findall(r"[\w.+-]+", word) if piece in _NAMES), None)
        if other is not None:
            return f"`{name[:40]}` is not known: it may run `{other}`"
        if _PROGRAM.search(word):
            return f"`{name[:40]}` is not known: it may run a program by its path"
        if _CODE.search(word):
            return f"`{name[:40]}` is not known: it may run what is in {word[:40]!r}"
    return ""


def _is_device(path: str) -> bool:
    plain = re.sub("/+", "/", posixpath.normpath(path))
    return plain not in _HARMLESS and _DEVICE_FILE.search(plain) is not None
