"""The commands that make input on the device: ``input``, ``sleep``, ``cmd statusbar``; ways that cannot be judged."""

import re
from typing import Final

from vsalang.core.action import Action
from vsalang.device.vocabulary import keys
from vsalang.device.vocabulary.base import (
    VocabularyError,
    milliseconds,
    pixel,
    rest,
    shell,
    stroke,
    touch,
    typed,
    wait,
)


class Forbidden(VocabularyError):
    """A command whose effect nobody can judge before it happens: refused, whatever is allowed."""


_TOUCHING: Final = frozenset({"touchscreen", "mouse", "stylus", "touchpad", "default"})
_KEYING: Final = frozenset({"keyboard", "dpad", "gamepad", "default"})
_OTHER: Final = frozenset({"trackball", "joystick", "touchnavigation", "rotaryencoder", "tablet"})
Words = tuple[str, ...]


def read_input(words: Words) -> tuple[Action, ...]:
    """What ``input ARGUMENTS`` does.

    Raises:
        Forbidden: it is not understood; it might do anything that a finger can.
    """
    try:
        return _input(list(words[1:]))
    except Forbidden:
        raise
    except VocabularyError as error:
        raise Forbidden(f"`input` is not understood: {error}") from error


def _input(args: list[str]) -> tuple[Action, ...]:
    source = ""
    while args:
        if args[0] in ("-d", "--display") and len(args) > 1:
            if args[1] not in ("0", "DEFAULT_DISPLAY"):
                raise VocabularyError(f"display {args[1][:20]!r} is not the one that is watched")
            args = args[2:]
        elif not source and args[0] in _TOUCHING | _KEYING | _OTHER:
            source, args = args[0], args[1:]
        else:
            break
    if not args:
        raise VocabularyError("it has no command")
    verb, given = args[0], args[1:]
    if verb == "press" and not given and source in ("", "default", "trackball"):
        return keys.pressed("DPAD_CENTER")
    if source in _OTHER:
        raise VocabularyError(f"what a {source} does is not known")
    if verb in ("text", "keyevent", "keycombination"):
        if source and source not in _KEYING:
            raise VocabularyError(f"a {source} has no keys")
        return _keys(verb, given)
    if source and source not in _TOUCHING:
        raise VocabularyError(f"a {source} does not touch the screen")
    if verb == "tap" and len(given) == 2:
        return touch(given[0], given[1])
    if verb in ("swipe", "draganddrop") and len(given) in (4, 5):
        held = milliseconds(given[4], "the duration") if len(given) == 5 else 300
        found = stroke(*given[:4], held=held)
        if verb == "draganddrop" and found[0].name == "swipe":
            # it rests before it moves
            return (*touch(given[0], given[1], 1000), *found)
        return found if verb == "swipe" else touch(given[0], given[1], 1000)
    if verb == "motionevent" and len(given) == 3:
        return motion(given[0].upper(), given[1], given[2])
    raise VocabularyError(f"there is no `{' '.join(args)[:60]}`")


def motion(kind: str, x: object, y: object) -> tuple[Action, ...]:
    """One event of a finger: whatever a gesture that begins, passes or ends there may be.

    Raises:
        VocabularyError: another kind than DOWN, MOVE and UP, or no place.
    """
    at = {"x": pixel(x, "x"), "y": pixel(y, "y")}
    if kind == "MOVE":
        return (Action("swipe", {**at, "x2": at["x"], "y2": at["y"]}),)
    if kind not in ("DOWN", "UP"):
        raise VocabularyError(f"there is no event {kind[:20]!r}")
    return (*rest(at), *rest(at, 1000))


def _keys(verb: str, given: list[str]) -> tuple[Action, ...]:
    if verb == "text":
        if len(given) != 1:
            raise VocabularyError("it types one text: put it in quotes")
        # `input` knows no other escape; it types %s as a space
        if not given[0]:
            raise VocabularyError("it types nothing")
        return typed(given[0].replace("%s", " "))
    if verb == "keycombination":
        delay = len(given) > 2 and given[0] == "-t"
        if delay:
            milliseconds(given[1], "the time")
        names = given[2:] if delay else given
        if len(names) < 2:
            raise VocabularyError("a combination has at least two keys")
        return keys.chord(list(names))
    names = []
    held = False
    while given:
        if given[0] in ("--longpress", "--doubletap", "--async"):
            held = held or given[0] == "--longpress"
            given = given[1:]
        elif given[0] in ("--delay", "--duration") and len(given) > 1:
            milliseconds(given[1], "the time")
            given = given[2:]
        else:
            names.append(given[0])
            given = given[1:]
    if not names:
        raise VocabularyError("it names no key")
    found = [action for name in names for action in keys.pressed(name)]
    if held:
        # held, back and home open what they do not open when pressed
        wide = [name for name in map(keys.name_of, names) if name in ("BACK", "HOME")]
        found += [Action("press_key", {"key": name}) for name in wide]
    return tuple(found)


def split_keys(words: Words) -> list[Words]:
    """``input keyevent A B C`` as one command for each key: the second acts on the screen that the first left."""
    if (
        len(words) < 4
        or words[:2] != ("input", "keyevent")
        or any(word.startswith("-") for word in words[2:])
    ):
        return [words]
    return [(*words[:2], word) for word in words[2:]]


def read_sleep(words: Words) -> tuple[Action, ...] | None:
    """``sleep SECONDS``."""
    if len(words) != 2 or not re.fullmatch(r"\d{1,4}(?:\.\d{1,3})?s?", words[1], re.ASCII):
        return None
    whole, _, part = words[1].removesuffix("s").partition(".")
    return (wait(int(whole) * 1000 + int(part.ljust(3, "0") or 0)),)


_STATUSBAR: Final = frozenset({"expand-notifications", "expand-settings", "collapse"})


def read_statusbar(words: Words) -> tuple[Action, ...] | None:
    """``cmd statusbar expand-notifications`` and its like."""
    return (shell(words),) if len(words) == 3 and words[2] in _STATUSBAR else None


NEVER: Final[dict[str, str]] = {
    **dict.fromkeys(("sendevent", "getevent", "uinput", "hid"), "raw input events cannot be judged"),
    "service": "calls to system services by number cannot be judged",
    "app_process": "it runs a program that could do anything",
    "app_process32": "it runs a program that could do anything",
    "app_process64": "it runs a program that could do anything",
    "dalvikvm": "it runs a program that could do anything",
    "instrument": "it runs a program that could do anything",
    **dict.fromkeys(("sh", "mksh", "bash", "ash", "zsh", "toysh"), "it runs commands that are not seen here"),
    **dict.fromkeys(
        (
            "eval exec command builtin source . trap alias xargs env nohup timeout setsid nice ionice chroot unshare "
            "nsenter watch awk strace logwrapper taskset busybox chrt flock doas inotifyd crond netcat socat tcpsvd "
            "telnetd iotop"
        ).split(),
        "it runs other commands",
    ),
    **dict.fromkeys(("su", "sudo", "run-as"), "it acts as another user"),
    **dict.fromkeys(("nc", "ncat", "toynet"), "it opens a way around the guard"),
    **dict.fromkeys(("start", "stop", "setprop", "kill", "killall", "pkill", "reboot", "svc_reboot"), ""),
}
"""Commands that are always refused, and why; those without a reason stop what the guard needs to see the screen."""


def forbidden(words: Words) -> str:
    """Why a command is always refused; "" if it is not."""
    name = words[0]
    if name in NEVER:
        return NEVER[name] or "it stops what is needed to see the screen"
    if "/" in name:
        return "a program by its path could be any"
    match words:
        case ("am", "instrument", *_):
            return "it runs a program that could do anything"
        case ("uiautomator", verb, *_) if verb != "dump":
            return "it runs a program that could do anything"
        case ("wm", *given) if given not in (["size"], ["density"]):
            return "it moves everything on the screen: what was judged is no longer there"
        case ("settings", *given) if given[:1] not in (["get"], ["list"]) and _gives_power(given):
            return "it gives an app the power to act on the screen, or opens a way around the guard"
        case ("cmd", "accessibility" | "overlay" | "device_policy" | "virtualdevice" | "companiondevice", *_):
            return "it gives an app the power to act on the screen"
    return ""


_POWERS: Final = (
    "enabled_accessibility_services", "accessibility_enabled", "adb_enabled", "adb_wifi_enabled", "adb_port",
    "development_settings_enabled", "touch_exploration_granted_accessibility_services", "long_press_timeout",
    "multi_press_timeout", "display_size_forced", "display_density_forced", "hidden_api_policy",
    "accessibility_button_targets", "accessibility_shortcut_target_service", "enabled_notification_listeners",
)  # fmt: skip


def _gives_power(given: list[str]) -> bool:
    return any(word in _POWERS for word in given)
