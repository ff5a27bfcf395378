"""Android's keys: their names and codes, the characters they type, and which of them do the same.

(android.view.KeyEvent)
"""

from typing import Final

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
    **{f"BUTTON_{number}": code for number, code in enumerate(range(188, 204), 1)},
}  # fmt: skip
"""Name without ``KEYCODE_`` -> code."""
BY_CODE: Final = {code: name for name, code in CODES.items()}
SIGNS: Final = {
    "COMMA": ",", "PERIOD": ".", "GRAVE": "`", "MINUS": "-", "EQUALS": "=", "LEFT_BRACKET": "[", "RIGHT_BRACKET": "]",
    "BACKSLASH": "\\", "SEMICOLON": ";", "APOSTROPHE": "'", "SLASH": "/", "AT": "@", "PLUS": "+", "STAR": "*",
    "POUND": "#", "NUMPAD_DIVIDE": "/", "NUMPAD_MULTIPLY": "*", "NUMPAD_SUBTRACT": "-", "NUMPAD_ADD": "+",
    "NUMPAD_COMMA": ",", "NUMPAD_EQUALS": "=", "NUMPAD_LEFT_PAREN": "(", "NUMPAD_RIGHT_PAREN": ")",
}  # fmt: skip
PRESSING: Final = frozenset({"ENTER", "NUMPAD_ENTER", "SPACE", "DPAD_CENTER"})
"""Keys that press what has the focus."""
OWN_EFFECT: Final = frozenset(
    "CALL ENDCALL HEADSETHOOK CAMERA FOCUS POWER TV_POWER STB_POWER AVR_POWER ASSIST VOICE_ASSIST SYSRQ EXPLORER "
    "ENVELOPE".split()
)
"""Keys with effects of their own, whatever the screen shows: they call, answer, hang up, take a photo, open an app."""


def character(name: str) -> str | None:
    """The character that a key types without Shift; None if it types none, or acts on what has the focus too."""
    if len(name) == 1:
        return name.lower()
    return SIGNS.get(name)


BUTTONS: Final = frozenset(name for name in CODES if name.startswith("BUTTON_")) - {
    f"BUTTON_{name}" for name in ("L1", "R1", "L2", "R2")
}
"""Buttons of a game pad, which Android turns into the centre of the pad, back or home, as the phone has it."""
CENTRE: Final = frozenset({"ENTER", "NUMPAD_ENTER", "DPAD_CENTER"})
"""Keys that do the same to most of what has the focus: they press it, send a form, choose what is marked."""
TURNED: Final = BUTTONS | {"NUMPAD_5"}
"""Keys that Android may turn into the centre of the pad."""
DELETING: Final = frozenset({"DEL", "FORWARD_DEL", "CLEAR", "CUT"})
"""Keys that may empty a field: what is selected goes, or its last character."""
LOOKING: Final = {"PAGE_UP": "up", "MOVE_HOME": "up", "PAGE_DOWN": "down", "MOVE_END": "down"}
"""Keys that scroll -> where the view then looks."""
STEPPING: Final = {
    **{"DPAD_UP": "up", "DPAD_DOWN": "down", "DPAD_LEFT": "left", "DPAD_RIGHT": "right", "SPACE": "down"},
    **{f"SYSTEM_NAVIGATION_{way}": way.lower() for way in ("UP", "DOWN", "LEFT", "RIGHT")},
}
"""Keys that scroll what scrolls, unless a field takes them -> where the view then looks."""
NOT_FOR_CONTROLS: Final = frozenset(
    "TAB SHIFT_LEFT SHIFT_RIGHT ALT_LEFT ALT_RIGHT CTRL_LEFT CTRL_RIGHT META_LEFT META_RIGHT FUNCTION SYM NUM "
    "CAPS_LOCK NUM_LOCK SCROLL_LOCK VOLUME_UP VOLUME_DOWN VOLUME_MUTE MUTE BRIGHTNESS_UP BRIGHTNESS_DOWN SLEEP WAKEUP "
    "SOFT_SLEEP BACK ESCAPE HOME APP_SWITCH ALL_APPS NOTIFICATION".split()
)
"""Keys that do nothing to what has the focus: they move the focus, hold another key, or are the system's own."""
_TYPING: Final = {
    char: name
    for name, char in reversed([*SIGNS.items(), *((each, each.lower()) for each in CODES if len(each) == 1)])
} | {" ": "SPACE", "\t": "TAB", "\n": "ENTER", "\r": "ENTER"}


def normal(key: str) -> str:
    """The name of a key as the language has it, of a name in any case and with ``KEYCODE_`` or not, or of a code."""
    name = key.strip().upper().removeprefix("KEYCODE_").replace(" ", "_")
    return BY_CODE.get(int(name), name) if name.isdecimal() and name.isascii() and len(name) < 7 else name


def typing(char: str) -> str | None:
    """The key that types a character, with Shift where it needs that; None if there is none."""
    return _TYPING.get(char.lower())
