"""Shell commands that install apps, and the keyboards that automation tools install: input methods and broadcasts.

A simulated phone runs the apps of its folder. Another app that is installed is a stub, which says so; only the two
keyboards that are controlled by broadcasts are imitated: AdbKeyboard of uiautomator2, and ADBKeyBoard.
"""

import base64
import binascii
from collections.abc import Callable
from typing import Final

from vsalang.phone.apk import NoApk, read_manifest
from vsalang.phone.sim.call import IME, Call
from vsalang.phone.sim.files import NoSuchFile
from vsalang.phone.sim.stub import BROWSER

KEYBOARDS: Final = {
    "com.github.uiautomator": "com.github.uiautomator/.AdbKeyboard",
    "com.android.adbkeyboard": "com.android.adbkeyboard/.AdbIME",
}
"""Package -> its input method."""
MOST_APK = 256 << 20
MOST_APPS = 500
_DEFAULT = ("secure", "default_input_method")
_DISABLED = ("secure", "disabled_input_methods")
_VALUED = frozenset(
    ("-S", "-i", "--user", "--abi", "--install-location", "--pkg", "-p", "--originating-uri", "--referrer")
)


def input_methods(call: Call) -> list[str]:
    """The installed input methods."""
    return [IME, *(KEYBOARDS[package] for package in call.system.installed)]


def install(call: Call) -> int:
    """``pm install``: from a file, or (``-S SIZE``) from standard input."""
    options, paths = _arguments(call.args[1:])
    try:
        if "-S" in options:
            size = int(options["-S"])
            if not 0 <= size <= MOST_APK:
                return _failed(call, "INSTALL_FAILED_INSUFFICIENT_STORAGE")
            content = call.typed.all(size)
            if len(content) < size:
                return _failed(call, "INSTALL_PARSE_FAILED_NOT_APK: the file ended early")
        elif paths:
            content = call.files.read(paths[0])
        else:
            return call.refuse("Error: no package specified")
        manifest = read_manifest(content)
    except NoSuchFile:
        call.err(f"Error: failed to get size of {paths[0]}\n")
        return 1
    except NoApk as error:
        return _failed(call, f"INSTALL_PARSE_FAILED_NOT_APK: {error}")
    package = manifest.package
    if len(call.phone.apps) >= MOST_APPS:
        return _failed(call, "INSTALL_FAILED_INSUFFICIENT_STORAGE")
    call.phone.noted("install", package, call.text)
    if package in KEYBOARDS:
        call.system.installed[package] = f"/data/app/{package}-1/base.apk"
    else:
        call.phone.add_app(package)
    for permission in manifest.permissions:
        kept = call.system.record.permissions.get((package, permission), False)
        call.system.record.permissions[package, permission] = kept or "-g" in options
    call.out("Success\n")
    return 0


def permit(call: Call) -> int:
    """``pm grant`` and ``pm revoke``: a permission that the app asks for."""
    names = [arg for arg in call.args[1:] if not arg.startswith("-") and arg != "0"]
    if len(names) != 2 or (key := (names[0], names[1])) not in call.system.record.permissions:
        return call.refuse(
            f"java.lang.SecurityException: {' '.join(names)[:200]}: the package has not requested the permission",
            255,
        )
    call.phone.noted("permission", f"{call.args[0]} {names[0]} {names[1]}", call.text)
    call.system.record.permissions[key] = call.args[0] == "grant"
    return 0


def _arguments(args: list[str]) -> tuple[dict[str, str], list[str]]:
    options: dict[str, str] = {}
    paths = []
    rest = list(args)
    while rest:
        arg = rest.pop(0)
        if arg in _VALUED:
            options[arg] = rest.pop(0) if rest else ""
        elif arg.startswith("-") and arg != "-":
            options[arg] = ""
        else:
            paths.append(arg)
    return options, paths


def _failed(call: Call, reason: str) -> int:
    call.out(f"Failure [{reason}]\n")
    return 1


def uninstall(call: Call) -> int:
    """``pm uninstall``: any app; one of the folder can be installed again."""
    _, names = _arguments(call.args[1:])
    package = names[0] if names else ""
    if package not in ({app.package for app in call.phone.apps} | set(call.system.installed)) - {BROWSER}:
        return _failed(call, "DELETE_FAILED_INTERNAL_ERROR")
    call.phone.noted("uninstall", package, call.text)
    call.phone.remove_app(package)
    call.system.installed.pop(package, None)
    if package in KEYBOARDS and call.system.settings.get(_DEFAULT) == KEYBOARDS[package]:
        call.system.settings[_DEFAULT] = IME
    call.out("Success\n")
    return 0


def _ime(call: Call) -> int:
    there = input_methods(call)
    disabled = call.system.settings.get(_DISABLED, "").split(",")
    verb, name = (*call.args, "", "")[:2]
    if verb == "list":
        flags = "".join(call.args[1:])
        for ime in there:
            if "a" in flags or ime not in disabled:
                call.out(ime + "\n" if "s" in flags else f"{ime}:\n  mId={ime} mSettingsActivityName=null\n")
        return 0
    if verb == "reset":
        call.system.settings[_DEFAULT] = IME
        call.out(
            f"Reset current and enabled IMEs for user #0\n  Newly selected IME for user #0:\n    {IME}\n"
        )
        return 0
    if verb not in ("enable", "set", "disable"):
        return call.refuse("Error: unknown ime command", 255)
    if name not in there:
        return call.refuse(f"Unknown input method {name[:200]} cannot be {_PAST[verb]} for user #0", 255)
    kept = [ime for ime in disabled if ime and ime != name]
    call.system.settings[_DISABLED] = ",".join([*kept, name] if verb == "disable" else kept)
    if verb == "set":
        call.system.settings[_DEFAULT] = name
    elif verb == "disable" and call.system.settings.get(_DEFAULT) == name:
        call.system.settings[_DEFAULT] = IME
    call.out(f"Input method {name}: now {_PAST[verb]} for user #0\n")
    return 0


_PAST = {"enable": "enabled", "set": "selected", "disable": "disabled"}


def broadcast(call: Call) -> int:
    """``am broadcast``: the answer of the keyboard, if it is the selected one; else there is none."""
    action, extras = _intent(call.args[1:])
    selected = call.system.settings.get(_DEFAULT)
    act = _ACTIONS.get((selected or "", action))
    call.out(f"Broadcasting: Intent {{ act={action} flg=0x400000{' (has extras)' if extras else ''} }}\n")
    answer = act(call, extras) if act is not None else None
    if answer is None:
        call.out("Broadcast completed: result=0\n")
    else:
        code, data = answer
        call.out(f'Broadcast completed: result={code}, data="{data}"\n')
    return 0


def _intent(args: list[str]) -> tuple[str, dict[str, str]]:
    action, extras = "", dict[str, str]()
    rest = list(args)
    while rest:
        arg = rest.pop(0)
        if arg == "-a" and rest:
            action = rest.pop(0)
        elif arg in ("--es", "-e", "--ei", "--ez", "--el", "--ef", "--eia") and len(rest) >= 2:
            key = rest.pop(0)
            extras[key] = rest.pop(0)
    return action[:200], extras


_Answer = tuple[int, str] | None
_OK = (-1, "success")


def _type(call: Call, text: str) -> _Answer:
    if call.phone.focused() is None:
        return (0, "no input connection")
    call.phone.type_text(text)
    return _OK


def _type_plain(call: Call, extras: dict[str, str]) -> _Answer:
    _type(call, extras.get("msg", ""))
    return None


def _type_base64(call: Call, extras: dict[str, str]) -> _Answer:
    text = _decoded(extras.get("msg", ""))
    if text is not None:
        _type(call, text)
    return None


def _input_text(call: Call, extras: dict[str, str]) -> _Answer:
    text = _decoded(extras.get("text", ""))
    return (0, "bad base64") if text is None else _type(call, text)


def _decoded(text: str) -> str | None:
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, ValueError):
        return None


def _clear(call: Call, _extras: dict[str, str]) -> _Answer:
    return _OK if call.phone.clear_focused() else (0, "no input connection")


def _clear_quietly(call: Call, _extras: dict[str, str]) -> _Answer:
    call.phone.clear_focused()
    return None


def _set_text(call: Call, extras: dict[str, str]) -> _Answer:
    text, field = _decoded(extras.get("text", "")), call.phone.focused()
    if text is None or field is None:
        return (0, "no input connection")
    return _OK if call.phone.set_text(field, text) else (0, "not editable")


def _enter(call: Call, _extras: dict[str, str]) -> _Answer:
    call.phone.key("ENTER")
    return _OK


def _enter_quietly(call: Call, _extras: dict[str, str]) -> _Answer:
    call.phone.key("ENTER")
    return None


def _key(call: Call, extras: dict[str, str]) -> _Answer:
    from vsalang.phone.sim import keys

    name = keys.key_name(extras.get("code", ""))
    if name is not None:
        call.phone.key(name)
    return _OK if name is not None else (0, "no such key")


def _key_quietly(call: Call, extras: dict[str, str]) -> _Answer:
    _key(call, extras)
    return None


def _hide(call: Call, _extras: dict[str, str]) -> _Answer:
    call.phone.hide_keyboard()
    return _OK


_UIAUTOMATOR, _ADBKEYBOARD = KEYBOARDS.values()
_ACTIONS: dict[tuple[str, str], Callable[[Call, dict[str, str]], _Answer]] = {
    (_UIAUTOMATOR, "ADB_KEYBOARD_INPUT_TEXT"): _input_text,
    (_UIAUTOMATOR, "ADB_KEYBOARD_SET_TEXT"): _set_text,
    (_UIAUTOMATOR, "ADB_KEYBOARD_CLEAR_TEXT"): _clear,
    (_UIAUTOMATOR, "ADB_KEYBOARD_EDITOR_CODE"): _enter,
    (_UIAUTOMATOR, "ADB_KEYBOARD_SMART_ENTER"): _enter,
    (_UIAUTOMATOR, "ADB_KEYBOARD_INPUT_KEYCODE"): _key,
    (_UIAUTOMATOR, "ADB_KEYBOARD_HIDE"): _hide,
    (_ADBKEYBOARD, "ADB_INPUT_TEXT"): _type_plain,
    (_ADBKEYBOARD, "ADB_INPUT_B64"): _type_base64,
    (_ADBKEYBOARD, "ADB_INPUT_CODE"): _key_quietly,
    (_ADBKEYBOARD, "ADB_EDITOR_CODE"): _enter_quietly,
    (_ADBKEYBOARD, "ADB_CLEAR_TEXT"): _clear_quietly,
}
"""Input method and action of the broadcast -> the function that runs it, which gives the answer, if any."""

COMMANDS: dict[str, Callable[[Call], int]] = {"ime": _ime}
