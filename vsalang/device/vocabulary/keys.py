"""Android's keys: their names and codes, and what a key is in the language (android.view.KeyEvent)."""

import re
from typing import Final

from vsalang.core.action import Action
from vsalang.device.vocabulary.base import VocabularyError, shell

_NAMES: Final = """
UNKNOWN SOFT_LEFT SOFT_RIGHT HOME BACK CALL ENDCALL 0 1 2 3 4 5 6 7 8 9 STAR POUND DPAD_UP DPAD_DOWN DPAD_LEFT
DPAD_RIGHT DPAD_CENTER VOLUME_UP VOLUME_DOWN POWER CAMERA CLEAR A B C D E F G H I J K L M N O P Q R S T U V W X Y Z
COMMA PERIOD ALT_LEFT ALT_RIGHT SHIFT_LEFT SHIFT_RIGHT TAB SPACE SYM EXPLORER ENVELOPE ENTER DEL GRAVE MINUS EQUALS
LEFT_BRACKET RIGHT_BRACKET BACKSLASH SEMICOLON APOSTROPHE SLASH AT NUM HEADSETHOOK FOCUS PLUS MENU NOTIFICATION
SEARCH MEDIA_PLAY_PAUSE MEDIA_STOP MEDIA_NEXT MEDIA_PREVIOUS MEDIA_REWIND MEDIA_FAST_FORWARD MUTE PAGE_UP PAGE_DOWN
PICTSYMBOLS SWITCH_CHARSET BUTTON_A BUTTON_B BUTTON_C BUTTON_X BUTTON_Y BUTTON_Z BUTTON_L1 BUTTON_R1 BUTTON_L2
BUTTON_R2 BUTTON_THUMBL BUTTON_THUMBR BUTTON_START BUTTON_SELECT BUTTON_MODE ESCAPE FORWARD_DEL CTRL_LEFT CTRL_RIGHT
CAPS_LOCK SCROLL_LOCK META_LEFT META_RIGHT FUNCTION SYSRQ BREAK MOVE_HOME MOVE_END INSERT FORWARD MEDIA_PLAY
MEDIA_PAUSE MEDIA_CLOSE MEDIA_EJECT MEDIA_RECORD F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 NUM_LOCK NUMPAD_0 NUMPAD_1
NUMPAD_2 NUMPAD_3 NUMPAD_4 NUMPAD_5 NUMPAD_6 NUMPAD_7 NUMPAD_8 NUMPAD_9 NUMPAD_DIVIDE NUMPAD_MULTIPLY
NUMPAD_SUBTRACT NUMPAD_ADD NUMPAD_DOT NUMPAD_COMMA NUMPAD_ENTER NUMPAD_EQUALS NUMPAD_LEFT_PAREN NUMPAD_RIGHT_PAREN
VOLUME_MUTE INFO CHANNEL_UP CHANNEL_DOWN ZOOM_IN ZOOM_OUT TV WINDOW GUIDE DVR BOOKMARK CAPTIONS SETTINGS TV_POWER
TV_INPUT STB_POWER STB_INPUT AVR_POWER AVR_INPUT PROG_RED PROG_GREEN PROG_YELLOW PROG_BLUE APP_SWITCH
""".split()
CODES: Final[dict[str, int]] = {
    **{name: code for code, name in enumerate(_NAMES)},
    "ASSIST": 219, "BRIGHTNESS_DOWN": 220, "BRIGHTNESS_UP": 221, "SLEEP": 223, "WAKEUP": 224, "SOFT_SLEEP": 276,
    "CUT": 277, "COPY": 278, "PASTE": 279, "SYSTEM_NAVIGATION_UP": 280, "SYSTEM_NAVIGATION_DOWN": 281,
    "SYSTEM_NAVIGATION_LEFT": 282, "SYSTEM_NAVIGATION_RIGHT": 283, "ALL_APPS": 284, "REFRESH": 285,
    "THUMBS_UP": 286, "THUMBS_DOWN": 287, "PROFILE_SWITCH": 288, "VOICE_ASSIST": 231, "NAVIGATE_PREVIOUS": 260,
    "NAVIGATE_NEXT": 261, "NAVIGATE_IN": 262, "NAVIGATE_OUT": 263,
}  # fmt: skip
"""Name without ``KEYCODE_`` -> code."""
_BY_CODE: Final = {code: name for name, code in CODES.items()}
_SIGNS: Final = {
    "COMMA": ",", "PERIOD": ".", "GRAVE": "`", "MINUS": "-", "EQUALS": "=", "LEFT_BRACKET": "[", "RIGHT_BRACKET": "]",
    "BACKSLASH": "\\", "SEMICOLON": ";", "APOSTROPHE": "'", "SLASH": "/", "AT": "@", "PLUS": "+", "STAR": "*",
    "POUND": "#", "NUMPAD_DIVIDE": "/", "NUMPAD_MULTIPLY": "*", "NUMPAD_SUBTRACT": "-", "NUMPAD_ADD": "+",
    "NUMPAD_COMMA": ",", "NUMPAD_EQUALS": "=", "NUMPAD_LEFT_PAREN": "(", "NUMPAD_RIGHT_PAREN": ")",
}  # fmt: skip
_SHIFTS: Final = frozenset({"SHIFT_LEFT", "SHIFT_RIGHT"})
_CONTROLS: Final = frozenset({"CTRL_LEFT", "CTRL_RIGHT"})
_ALTS: Final = frozenset({"ALT_LEFT", "ALT_RIGHT"})
_METAS: Final = frozenset({"META_LEFT", "META_RIGHT"})
MODIFIERS: Final = _SHIFTS | _CONTROLS | _ALTS | _METAS
"""Keys that change what the next one does, when `input keycombination` holds them; no other key does."""
_CURSOR: Final = frozenset(
    {
        "DPAD_LEFT",
        "DPAD_RIGHT",
        "DPAD_UP",
        "DPAD_DOWN",
        "MOVE_HOME",
        "MOVE_END",
        "PAGE_UP",
        "PAGE_DOWN",
        "DEL",
    }
)
PRESSING: Final = frozenset({"ENTER", "NUMPAD_ENTER", "SPACE", "DPAD_CENTER"})
"""Keys that press what has the focus."""
OWN_EFFECT: Final = frozenset(
    {
        "CALL",
        "ENDCALL",
        "HEADSETHOOK",
        "CAMERA",
        "FOCUS",
        "POWER",
        "TV_POWER",
        "STB_POWER",
        "AVR_POWER",
        "ASSIST",
    }
    | {"VOICE_ASSIST", "SYSRQ", "EXPLORER", "ENVELOPE"}
)
"""Keys with effects of their own, whatever the screen shows: they call, answer, hang up, take a photo, open an app."""
_ELSEWHERE: Final = re.compile(r"BUTTON_\w+|NUMPAD_(?:\d|DOT)")
"""Keys that Android turns into others if the app does not take them (``Virtual.kcm``): the buttons of a game pad into
the centre of the pad or Back, the digits of the numeric pad into the arrows and the centre of the pad."""


def name_of(key: object) -> str:
    """The name without ``KEYCODE_`` of a key given by code, digits or name (in any case, with the prefix or not).

    Raises:
        VocabularyError: there is no such key, or what it does is not known.
    """
    if isinstance(key, int) and not isinstance(key, bool) and key in _BY_CODE:
        return _same(_BY_CODE[key])
    if isinstance(key, str) and len(key) <= 60 and key.isascii():
        if re.fullmatch(r"\d{1,4}", key, re.ASCII):
            return name_of(int(key))
        found = key.upper().removeprefix("KEYCODE_")
        if found in CODES and (not found.isdecimal() or key.upper() != found):
            return _same(found)
    raise VocabularyError(f"there is no key {str(key)[:40]!r}")


def _same(name: str) -> str:
    if _ELSEWHERE.fullmatch(name):
        raise VocabularyError(f"{name}: Android turns it into another key, which one depends on the phone")
    return name


def pressed(key: object) -> tuple[Action, ...]:
    """What pressing a key is: a gesture of its own, typing of one character, or the press of a key.

    A key that does something of its own whatever the screen shows, such as a call, is the critical action ``shell``.

    Raises:
        VocabularyError: there is no such key.
    """
    name = name_of(key)
    if name in ("BACK", "HOME"):
        return (Action(name.lower()),)
    if name == "PASTE":
        return pasted()
    if name in OWN_EFFECT:
        return (shell(["input", "keyevent", f"KEYCODE_{name}"]),)
    if (char := character(name)) is not None:
        return (Action("input_text", {"value": char}),)
    return (Action("press_key", {"key": name}),)


def pasted() -> tuple[Action, ...]:
    """Pasting: typing of a text that is not known."""
    return (Action("input_text"),)


def held(key: object) -> tuple[Action, ...]:
    """What holding a key is, such as ``input keyevent --longpress``: held, back and home open what they do not when
    pressed.

    Raises:
        VocabularyError: there is no such key, or what it does is not that of a press: it types twice, or holds what
            has the focus.
    """
    name = name_of(key)
    found = pressed(key)
    if name in PRESSING or any(action.name == "input_text" for action in found):
        raise VocabularyError(f"what {name} does when it is held is not known")
    return found if found[0].name == "press_key" else (*found, Action("press_key", {"key": name}))


def chord(keys: list[object]) -> tuple[Action, ...]:
    """Keys that are held together: one key with Shift, Control or Alt, which come first as the order counts.

    Only what editing a text needs is understood. A second key would act on the screen that the first one left; with
    Alt and Meta many keys are Android's own (back, home, another app).

    Raises:
        VocabularyError: one of them does not exist, or what they do together is not known.
    """
    names = [name_of(key) for key in keys]
    with_, plain = frozenset(names[:-1]), names[-1]
    if len(with_) < len(names) - 1 or not with_ <= MODIFIERS - _METAS or plain in MODIFIERS:
        raise VocabularyError(
            f"what {' and '.join(names)[:80]} do together is not known: press one key after the other, or one key "
            "with Shift, Control or Alt before it"
        )
    char = character(plain)
    if with_ <= _SHIFTS and (plain in _CURSOR or plain == "TAB"):
        return _each([plain])
    if not with_ & _CONTROLS and char is not None:
        # with Shift or Alt a key types another character, which depends on the layout
        return (Action("input_text"),)
    if with_ <= _SHIFTS | _CONTROLS and (plain in _CURSOR or plain in _EDITING):
        return (*_each([plain]), *_EDITING.get(plain, ()))
    raise VocabularyError(f"what {' and '.join(names)[:80]} do together is not known")


# with Control: select all, copy, paste, cut, undo, redo
_EDITING: Final[dict[str, tuple[Action, ...]]] = {
    "A": (), "C": (), "V": pasted(), "X": (Action("clear_text"),), "Y": pasted(), "Z": pasted(),
}  # fmt: skip


def _each(names: list[str]) -> tuple[Action, ...]:
    return tuple(Action("press_key", {"key": name}) for name in names)


def character(name: str) -> str | None:
    """The character that a key types without Shift; None if it types none, or acts on what has the focus too."""
    if len(name) == 1:
        return name.lower()
    return _SIGNS.get(name)
