"""The commands that open, stop, install and change apps: ``am``, ``monkey``, ``pm``, ``settings``."""

import shlex
from collections.abc import Mapping
from typing import Final

from vsalang.phone.vocabulary import sh
from vsalang.phone.vocabulary.adb_input import ForbiddenCommand
from vsalang.phone.vocabulary.base import PACKAGE, VocabularyError, shell
from vsalang.phone.vocabulary.wrappers import hidden
from vsalang.program.action import Action

MAIN: Final = "android.intent.action.MAIN"
LAUNCHER: Final = "android.intent.category.LAUNCHER"
_HOME: Final = "android.intent.category.HOME"
Words = tuple[str, ...]
Launchers = Mapping[str, frozenset[str]]
"""Package -> the activities that a launcher opens, as ``.Name`` or in full."""


def read_monkey(words: Words) -> tuple[Action, ...]:
    """``monkey -p PACKAGE -c LAUNCHER 1`` opens an app.

    Raises:
        Forbidden: any other storm of random events, or a script.
    """
    package, category, at = "", "", 1
    while at < len(words) - 1:
        if words[at] == "-p" and not package:
            package, at = words[at + 1], at + 2
        elif words[at] == "-c" and not category:
            category, at = words[at + 1], at + 2
        elif words[at] == "-v":
            at += 1
        elif words[at : at + 2] == ("--pct-syskeys", "0"):
            at += 2
        else:
            raise ForbiddenCommand("random input cannot be judged")
    if (
        at != len(words) - 1
        or words[at] != "1"
        or category not in ("", LAUNCHER)
        or not PACKAGE.fullmatch(package)
    ):
        raise ForbiddenCommand("random input cannot be judged")
    if not category:
        raise ForbiddenCommand(f"random input cannot be judged; to open the app add `-c {LAUNCHER}`")
    return (Action("open_app", {"package": package}),)


def read_start(words: Words, launchers: Launchers | None = None) -> tuple[Action, ...] | None:
    """``am start``: opening an app as its icon does; None if it is more than that.

    Args:
        launchers: what icons open; None if that is not known. Then only an intent to the app as a whole counts: one
            that names an activity starts it, whatever else it says.
    """
    action, category, package, component = "", "", "", ""
    at = 2
    while at < len(words):
        flag = words[at]
        # others, such as `-S` and `--activity-clear-task`, stop what the app was doing
        if flag in ("-W", "--activity-single-top", "--activity-brought-to-front"):
            at += 1
            continue
        value = words[at + 1] if at + 1 < len(words) else ""
        if flag == "-a" and not action:
            action = value
        elif flag == "-c" and not category:
            category = value
        elif flag == "-n" and not component:
            component = value
        elif flag == "-p" and not package:
            package = value
        elif (flag, value) not in (
            ("--user", "0"),
            ("--user", "current"),
            ("-f", "0x10200000"),
            ("-f", "0x10000000"),
        ):
            if "/" in flag and at == len(words) - 1 and not component and not flag.startswith("-"):
                component, value, at = flag, flag, at - 1
            else:
                return None
        if not value:
            return None
        at += 2
    if action not in ("", MAIN) or category not in ("", LAUNCHER):
        return None
    named, slash, activity = component.partition("/")
    if component and (not slash or not activity or (package and package != named)):
        return None
    package = named or package
    if not PACKAGE.fullmatch(package):
        return None
    says_so = action == MAIN and category == LAUNCHER
    if component:
        if activity not in _forms(package, (launchers or {}).get(package, frozenset())):
            return None
    elif not says_so:
        return None
    return (Action("open_app", {"package": package}),)


def launching(words: Words) -> Words:
    """``am start`` of a package and nothing else, as the intent of its icon; of the launcher, as the key that shows it.

    Other commands are unchanged.

    ``am start PACKAGE`` means that intent. ``am start -p PACKAGE`` says neither what is to be done nor for what kind of
    activity: Android may choose any of the app's, or ask; who sends it means to open the app.
    """
    if words[:2] != ("am", "start"):
        return words
    waits = tuple(word for word in words[2:] if word == "-W")
    rest = tuple(word for word in words[2:] if word != "-W")
    if rest in (("-a", MAIN, "-c", _HOME), ("-c", _HOME, "-a", MAIN)):
        return ("input", "keyevent", "KEYCODE_HOME")
    package = rest[0] if len(rest) == 1 else rest[1] if len(rest) == 2 and rest[0] == "-p" else ""
    if not PACKAGE.fullmatch(package):
        return words
    return ("am", "start", *waits, "-a", MAIN, "-c", LAUNCHER, "-p", package)


def _forms(package: str, activities: frozenset[str]) -> set[str]:
    names = set(activities)
    for activity in activities:
        if activity.startswith("."):
            names.add(package + activity)
        elif activity.startswith(package + "."):
            names.add(activity.removeprefix(package))
    return names


_INSTALLING: Final = frozenset(
    {"install", "install-create", "install-write", "install-commit", "install-existing", "install-streaming"}
    | {"install-incremental", "install-add-session"}
)


def read_package(words: Words) -> tuple[Action, ...] | None:
    """``pm install`` and the like: an app whose package is not known; None if it is another command."""
    return (Action("install"),) if len(words) > 1 and words[1] in _INSTALLING else None


# Commands that are not gestures: each is written in one way, so that specs can name it.
_ALIASES: Final[dict[Words, Words]] = {
    ("am", "start-activity"): ("am", "start"),
    ("cmd", "activity"): ("am",),
    ("cmd", "package"): ("pm",),
    ("cmd", "input"): ("input",),
    ("cmd", "settings"): ("settings",),
    ("cmd", "uiautomator"): ("uiautomator",),
    ("cmd", "window"): ("wm",),
    ("cmd", "content"): ("content",),
    ("cmd", "statusbar", "expand"): ("cmd", "statusbar", "expand-notifications"),
}


_MOST_WRAPPED: Final = 40
"""How many wrappers are removed from a command; a command with more is refused."""


def normal(words: Words) -> Words:
    """The command under the name by which it is judged: ``input`` for ``cmd input``, a program's name for its path.

    It is applied until nothing changes: ``normal(normal(words)) == normal(words)``.

    Raises:
        Forbidden: the command is wrapped deeper than any client would.
    """
    for _ in range(_MOST_WRAPPED):
        again = _unwrapped(words)
        if again == words:
            return words
        words = again
    raise ForbiddenCommand(f"`{words[0][:40]}`: the command is wrapped more than {_MOST_WRAPPED} times")


def _unwrapped(words: Words) -> Words:
    """The command with one wrapper removed."""
    for prefix in ("/system/bin/", "/system/xbin/"):
        if words[0].startswith(prefix):
            return (words[0].removeprefix(prefix), *words[1:])
    if words[0] in ("toybox", "toolbox") and len(words) > 1 and not words[1].startswith("-"):
        return words[1:]
    if words[0] == "[" and len(words) > 2 and words[-1] == "]":
        return ("test", *words[1:-1])
    if words[:2] == ("cmd", "-w") and len(words) > 2:  # it waits for the service
        return ("cmd", *words[2:])
    for long, short in _ALIASES.items():
        if words[: len(long)] == long:
            return (*short, *words[len(long) :])
    return words


def as_shell(words: Words) -> tuple[Action, ...]:
    """A command that is not a gesture, as the action ``shell``.

    Raises:
        Forbidden: it cannot be judged: its text does not show what runs, or it may run another command.
    """
    if why := hidden(words):
        raise ForbiddenCommand(why)
    try:
        if sh.parse(shlex.join(words)) != (sh.Simple(words),):
            raise ForbiddenCommand(
                f"`{words[0][:40]}`: written as a command line it would be another command"
            )
        return (shell(words),)
    except sh.ShellRefused as error:
        raise ForbiddenCommand(f"`{words[0][:40]}`: {error}") from error
    except ForbiddenCommand:
        raise
    except VocabularyError as error:
        raise ForbiddenCommand(str(error)) from error
