"""Presses of Android's keys as actions."""

import re
from typing import Final

from vsalang.phone.vocabulary.base import VocabularyError, shell
from vsalang.program.action import Action
from vsalang.program.gestures.keys import BY_CODE, CODES, OWN_EFFECT, PRESSING, character

_SHIFTS: Final = frozenset({"SHIFT_LEFT", "SHIFT_RIGHT"})
_CONTROLS: Final = frozenset({"CTRL_LEFT", "CTRL_RIGHT"})
_ALTS: Final = frozenset({"ALT_LEFT", "ALT_RIGHT"})
_METAS: Final = frozenset({"META_LEFT", "META_RIGHT"})
MODIFIERS: Final = _SHIFTS | _CONTROLS | _ALTS | _METAS
"""Keys that change the effect of the next key while `input keycombination` holds them."""
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
_ELSEWHERE: Final = re.compile(r"BUTTON_\w+|NUMPAD_(?:\d|DOT)")
"""Keys that Android turns into others if the app does not take them (``Virtual.kcm``): the buttons of a game pad into
the centre of the pad or Back, the digits of the numeric pad into the arrows and the centre of the pad."""


def name_of(key: object) -> str:
    """The name without ``KEYCODE_`` of a key given by code, digits or name (in any case, with the prefix or not).

    Raises:
        VocabularyError: there is no such key, or what it does is not known.
    """
    if isinstance(key, int) and not isinstance(key, bool) and key in BY_CODE:
        return _same(BY_CODE[key])
    if isinstance(key, str) and len(key) <= 60 and key.isascii():
        if re.fullmatch(r"\d{1,4}", key, re.ASCII):
            return name_of(int(key))
        name = key.upper().removeprefix("KEYCODE_")
        if name in CODES and (not name.isdecimal() or key.upper() != name):
            return _same(name)
    raise VocabularyError(f"there is no key {str(key)[:40]!r}")


def _same(name: str) -> str:
    if _ELSEWHERE.fullmatch(name):
        raise VocabularyError(f"{name}: Android turns it into another key, which one depends on the phone")
    return name


def pressed(key: object) -> tuple[Action, ...]:
    """The action of pressing a key: a gesture of its own, typing of one character, or ``press_key``.

    A key whose effect does not depend on the screen, such as a call, is the critical action ``shell``.

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
    """Pasting: typing an unknown text."""
    return (Action("input_text"),)


def held(key: object) -> tuple[Action, ...]:
    """The action of holding a key, as by ``input keyevent --longpress``; back and home then open other things.

    Raises:
        VocabularyError: there is no such key, or holding is not like a press: it types twice, or long-presses the
            focused node.
    """
    name = name_of(key)
    actions = pressed(key)
    if name in PRESSING or any(action.name == "input_text" for action in actions):
        raise VocabularyError(f"what {name} does when it is held is not known")
    return actions if actions[0].name == "press_key" else (*actions, Action("press_key", {"key": name}))


def chord(keys: list[object]) -> tuple[Action, ...]:
    """The action of keys that are held together: Shift, Control or Alt first, then one key.

    Only combinations for editing a text are understood. A second key would act on the screen after the first; with Alt
    and Meta many keys are Android's own (back, home, another app).

    Raises:
        VocabularyError: one of them does not exist, or what they do together is not known.
    """
    names = [name_of(key) for key in keys]
    if not names:
        raise VocabularyError("it names no keys")
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
