"""Commands that make input on the device (``input``, ``sleep``, ``cmd statusbar``), and commands that are refused."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from vsalang.phone.vocabulary import keys, sh
from vsalang.phone.vocabulary.base import (
    VocabularyError,
    milliseconds,
    pixel,
    shell,
    stroke,
    touch,
    typed,
    wait,
)
from vsalang.program.action import Action
from vsalang.program.gestures.path import rest


class ForbiddenCommand(VocabularyError):
    """A command whose effect cannot be judged before it happens: it is always refused."""


_TOUCHING: Final = frozenset({"touchscreen", "mouse", "stylus", "touchpad", "default"})
_KEYING: Final = frozenset({"keyboard", "dpad", "gamepad", "default"})
_OTHER: Final = frozenset({"trackball", "joystick", "touchnavigation", "rotaryencoder", "tablet"})
_PLACES: Final = {"tap": (0, 2), "swipe": (0, 4), "draganddrop": (0, 4), "motionevent": (1, 3)}
"""Command -> the range of its arguments that are coordinates."""
MOST_KEYS: Final = 100
Words = tuple[str, ...]


def read_input(words: Words) -> tuple[Action, ...]:
    """The actions of ``input ARGUMENTS``.

    Raises:
        Forbidden: it is not understood; it might make any gesture.
    """
    try:
        return _input(list(words[1:]))
    except ForbiddenCommand:
        raise
    except VocabularyError as error:
        raise ForbiddenCommand(f"`input` is not understood: {error}") from error


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
    verb, words_left = args[0], args[1:]
    if verb == "press" and not words_left and source in ("", "default", "trackball"):
        return keys.pressed("DPAD_CENTER")
    if source in _OTHER:
        raise VocabularyError(f"what a {source} does is not known")
    if verb in ("text", "keyevent", "keycombination"):
        if source and source not in _KEYING:
            raise VocabularyError(f"a {source} has no keys")
        return _keys(verb, words_left)
    if source and source not in _TOUCHING:
        raise VocabularyError(f"a {source} does not touch the screen")
    if verb == "tap" and len(words_left) == 2:
        return touch(words_left[0], words_left[1])
    if verb in ("swipe", "draganddrop") and len(words_left) in (4, 5):
        held = milliseconds(words_left[4], "the duration") if len(words_left) == 5 else 300
        actions = stroke(*words_left[:4], held=held)
        if verb == "draganddrop" and actions[-1].name == "swipe":
            # it rests before it moves
            return (*touch(words_left[0], words_left[1], 1000), actions[-1])
        return actions if verb == "swipe" else touch(words_left[0], words_left[1], 1000)
    if verb == "motionevent" and len(words_left) == 3:
        return motion(words_left[0].upper(), words_left[1], words_left[2])
    raise VocabularyError(f"there is no `{' '.join(args)[:60]}`")


def motion(kind: str, x: object, y: object) -> tuple[Action, ...]:
    """One event of a finger: every gesture that may begin, pass or end there.

    Raises:
        VocabularyError: another kind than DOWN, MOVE and UP, or no place.
    """
    at = {"x": pixel(x, "x"), "y": pixel(y, "y")}
    if kind == "MOVE":
        return (Action("swipe", {**at, "x2": at["x"], "y2": at["y"]}),)
    if kind not in ("DOWN", "UP"):
        raise VocabularyError(f"there is no event {kind[:20]!r}")
    return (*rest(at), *rest(at, 1000))


def event_in(line: str) -> tuple[str, int, int] | None:
    """The event of a finger that a command line makes: its kind and place; None if it makes none.

    Raises:
        VocabularyError: it makes one together with something else.
    """
    commands = [command.words for command in sh.parse(line) if command.words[:1] == ("input",)]
    events = [words for words in commands if "motionevent" in words]
    if not events:
        return None
    if len(events) != 1 or len(sh.parse(line)) != 1:
        raise VocabularyError("an event of a finger is sent alone: write nothing before or after it")
    kind, x, y = events[0][events[0].index("motionevent") + 1 :]
    return kind.upper(), pixel(x, "x"), pixel(y, "y")


def _keys(verb: str, words: list[str]) -> tuple[Action, ...]:
    if verb == "text":
        if len(words) != 1:
            raise VocabularyError("it types one text: put it in quotes")
        # `input` knows no other escape; it types %s as a space
        if not words[0]:
            raise VocabularyError("it types nothing")
        if any(unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp") for char in words[0]):
            # a tab moves the focus, a line break presses the focused node
            raise VocabularyError("a text with characters that act as keys: send the keys one by one")
        return typed(words[0].replace("%s", " "))
    if verb == "keycombination":
        return keys.chord(list(words))
    options, names = _options(words)
    if len(names) != 1:
        # each is judged alone (`each_alone`): the second acts on the screen after the first
        raise VocabularyError("it takes one key" if names else "it names no key")
    if options not in ((), ("--longpress",)):
        # before Android 14 `--delay` and others are not options: they are a key that nothing has, and the number
        # behind them is another one; `--doubletap` presses again on the screen that the first press left
        raise VocabularyError(
            f"what `{options[0][:20]}` does depends on the phone: send one key after the other"
        )
    return keys.held(names[0]) if options else keys.pressed(names[0])


def _options(words: Sequence[str]) -> tuple[Words, Words]:
    """The words before the first key, and the rest."""
    count = next((at for at, word in enumerate(words) if not word.startswith("-")), len(words))
    return tuple(words[:count]), tuple(words[count:])


def each_alone(words: Words) -> list[Words]:
    """The commands that are judged and run in place of a command, one by one.

    ``input keyevent A B C`` becomes one command for each key: the second acts on the screen after the first.
    Coordinates become whole pixels, so that the judged pixel is touched, however a phone rounds. Others stay.

    Raises:
        Forbidden: a place is none.
    """
    if words[:1] != ("input",):
        return [words]
    at = 1
    while at < len(words):
        if words[at] in ("-d", "--display"):
            at += 2
        elif words[at] in _TOUCHING | _KEYING | _OTHER:
            at += 1
        else:
            break
    before, verb, verb_words = words[:at], words[at : at + 1], words[at + 1 :]
    if verb == ("keyevent",):
        options, names = _options(verb_words)
        if len(names) > MOST_KEYS:
            raise ForbiddenCommand(f"`input` is not understood: more than {MOST_KEYS} keys")
        return [(*before, *verb, *options, name) for name in names] or [words]
    first, last = _PLACES.get(verb[0] if verb else "", (0, 0))
    try:
        places = [str(pixel(word, "a place")) for word in verb_words[first:last]]
    except VocabularyError as error:
        raise ForbiddenCommand(f"`input` is not understood: {error}") from error
    return [(*before, *verb, *verb_words[:first], *places, *verb_words[last:])]


def read_sleep(words: Words) -> tuple[Action, ...] | None:
    """``sleep SECONDS``."""
    if len(words) != 2 or not re.fullmatch(r"\d{1,4}(?:\.\d{1,3})?s?", words[1], re.ASCII):
        return None
    whole, _, part = words[1].removesuffix("s").partition(".")
    return (wait(int(whole) * 1000 + int(part.ljust(3, "0") or 0)),)


_STATUSBAR: Final = frozenset({"expand-notifications", "expand-settings", "collapse"})


def read_statusbar(words: Words) -> tuple[Action, ...] | None:
    """``cmd statusbar expand-notifications`` and the like."""
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
            "telnetd iotop time stdbuf linker linker64 runcon setpriv script screen tmux expect parallel at batch "
            "simpleperf gdb gdbserver lldb-server ltrace oneit start-stop-daemon run-parts entr switch_root pivot_root "
            "openvt login getty vi vim ed ex less more man perl python python3 ruby lua node php tclsh ssh scp rsync "
            "sqlite3 coproc function select mount insmod modprobe"
        ).split(),
        "it runs other commands",
    ),
    **dict.fromkeys(
        "let typeset declare local readonly export set unset unalias hash fc print whence enable".split(),
        "it changes the shell itself",
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
        case ("am" | "pm", "instrument" | "attach-agent", *_):
            return "it runs a program that could do anything"
        case ("uiautomator", verb, *_) if verb != "dump":
            return "it runs a program that could do anything"
        case ("wm", *arguments) if arguments not in (["size"], ["density"]):
            return "it moves everything on the screen: what was judged is no longer there"
        case ("settings", *arguments) if arguments[:1] not in (["get"], ["list"]) and _gives_power(arguments):
            return "it gives an app the power to act on the screen, or opens a way around the guard"
        case (
            "cmd",
            "accessibility"
            | "overlay"
            | "device_policy"
            | "virtualdevice"
            | "companiondevice"
            | "car_service",
            *_,
        ):
            return "it gives an app the power to act on the screen"
    return ""


POWERS: Final = (
    "enabled_accessibility_services", "accessibility_enabled", "adb_enabled", "adb_wifi_enabled", "adb_port",
    "development_settings_enabled", "touch_exploration_granted_accessibility_services", "long_press_timeout",
    "multi_press_timeout", "display_size_forced", "display_density_forced", "hidden_api_policy",
    "accessibility_button_targets", "accessibility_shortcut_target_service", "enabled_notification_listeners",
)  # fmt: skip
"""Settings that an agent may never change, by any command."""


def _gives_power(words: list[str]) -> bool:
    return any(word in POWERS for word in words)
