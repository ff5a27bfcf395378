"""Key names and key codes of Android that the simulated phone knows."""

CODES: dict[str, int] = {
    "HOME": 3, "BACK": 4, "DPAD_UP": 19, "DPAD_DOWN": 20, "DPAD_LEFT": 21, "DPAD_RIGHT": 22, "DPAD_CENTER": 23,
    "VOLUME_UP": 24, "VOLUME_DOWN": 25, "POWER": 26, "CAMERA": 27, "TAB": 61, "SPACE": 62, "ENTER": 66, "DEL": 67,
    "MENU": 82, "SEARCH": 84, "ESCAPE": 111, "FORWARD_DEL": 112, "MOVE_HOME": 122, "MOVE_END": 123,
    "VOLUME_MUTE": 164, "APP_SWITCH": 187, "SLEEP": 223, "WAKEUP": 224, "CUT": 277, "COPY": 278, "PASTE": 279,
    "COMMA": 55, "PERIOD": 56, "MINUS": 69, "AT": 77, "SLASH": 76, "NUMPAD_ENTER": 160,
    **{str(digit): 7 + digit for digit in range(10)},
    **{chr(65 + letter): 29 + letter for letter in range(26)},
}  # fmt: skip
_NAMES = {code: name for name, code in CODES.items()}
_TYPED = {"SPACE": " ", "COMMA": ",", "PERIOD": ".", "MINUS": "-", "AT": "@", "SLASH": "/"}

RPC_NAMES = {
    "home": "HOME", "back": "BACK", "left": "DPAD_LEFT", "right": "DPAD_RIGHT", "up": "DPAD_UP",
    "down": "DPAD_DOWN", "center": "DPAD_CENTER", "menu": "MENU", "search": "SEARCH", "enter": "ENTER",
    "delete": "DEL", "del": "DEL", "recent": "APP_SWITCH", "volume_up": "VOLUME_UP",
    "volume_down": "VOLUME_DOWN", "volume_mute": "VOLUME_MUTE", "camera": "CAMERA", "power": "POWER",
}  # fmt: skip
"""The names that the JSON-RPC method ``pressKey`` takes."""


def key_name(key: str | int) -> str | None:
    """The name without ``KEYCODE_`` of a key given by code, decimal code or name; None if it is not known."""
    if isinstance(key, int):
        return _NAMES.get(key, f"CODE_{key}" if 0 <= key <= 400 else None)
    if key.isascii() and key.isdigit() and len(key) <= 4:
        return key_name(int(key))
    name = key.upper().removeprefix("KEYCODE_")
    return name if name in CODES else None


def typed_by(name: str) -> str:
    """The character that a key types, "" if it types none."""
    if len(name) == 1:
        return name.lower()
    return _TYPED.get(name, "")
