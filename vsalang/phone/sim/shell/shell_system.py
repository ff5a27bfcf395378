"""Shell commands about the system: properties, display, settings, screen, server."""

import re
from collections.abc import Callable

from vsalang.phone.sim.call import Call
from vsalang.phone.sim.dump import dump

DISPLAY_ID = "4619827259835644672"
INPUT_SOURCES = frozenset(
    {"touchscreen", "keyboard", "mouse", "touchpad", "stylus", "dpad", "trackball", "joystick", "gamepad"}
)


def properties(call: Call) -> dict[str, str]:
    """The system properties of the phone."""
    spec = call.phone.spec
    return {
        "persist.sys.timezone": spec.zone,
        "ro.build.version.release": "14",
        "ro.build.version.sdk": "34",
        "ro.product.brand": "vsalang",
        "ro.product.cpu.abi": "arm64-v8a",
        "ro.product.device": spec.name,
        "ro.product.manufacturer": "vsalang",
        "ro.product.model": spec.model,
        "ro.product.name": spec.name,
        "ro.serialno": spec.serial,
        "sys.boot_completed": "1",
    }


def _getprop(call: Call) -> int:
    known = properties(call)
    if call.args:
        call.out(known.get(call.args[0], call.args[1] if len(call.args) > 1 else "") + "\n")
    else:
        call.out("".join(f"[{key}]: [{value}]\n" for key, value in known.items()))
    return 0


def _wm(call: Call) -> int:
    spec = call.phone.spec
    if call.args == ["size"]:
        call.out(f"Physical size: {spec.width}x{spec.height}\n")
    elif call.args == ["density"]:
        call.out(f"Physical density: {spec.density}\n")
    else:
        return call.refuse("Error: the simulated phone's display cannot be changed", 255)
    return 0


def settings(call: Call) -> int:
    """``settings get|put|delete|list``."""
    store, args = call.system.settings, call.args
    if len(args) == 3 and args[0] == "get":
        call.out(store.get((args[1], args[2]), "null") + "\n")
    elif len(args) >= 4 and args[0] == "put" and len(store) < 10_000:
        call.system.change_setting(args[1], args[2], args[3], call.text)
    elif len(args) == 3 and args[0] == "delete":
        call.phone.noted("setting", f"{args[1]} {args[2]}"[:200], call.text)
        call.out(f"Deleted {int(store.pop((args[1], args[2]), None) is not None)} rows\n")
    elif len(args) == 2 and args[0] == "list":
        call.out("".join(f"{k}={v}\n" for (space, k), v in sorted(store.items()) if space == args[1]))
    else:
        return call.refuse("Invalid command", 255)
    return 0


def _screencap(call: Call) -> int:
    from vsalang.phone.sim.paint import png

    if "-d" in call.args[:-1] and call.args[call.args.index("-d") + 1] not in ("0", DISPLAY_ID):
        return call.refuse("Failed to take screenshot. Status: -22")
    path = next((arg for arg in call.args if arg.startswith("/")), None)
    data = png(call.phone)
    if path is None:
        call.out(data)
    else:
        call.files.write(path, data)
    return 0


def _uiautomator(call: Call) -> int:
    if call.args[:1] != ["dump"]:
        return call.refuse(f"Unknown command: {' '.join(call.args)[:100]}")
    path = next((arg for arg in call.args[1:] if not arg.startswith("-")), "/sdcard/window_dump.xml")
    xml = dump(call.phone, compressed="--compressed" in call.args, plain=True)
    if path == "/dev/tty":
        call.out(xml)
    else:
        call.files.write(path, xml.encode())
    call.out(f"UI hierchary dumped to: {path}\n")  # the phone's own spelling
    return 0


def _wait(call: Call) -> None:
    call.flush()
    call.terminal.wait_closed()


def _app_process(call: Call) -> int:
    """The uiautomator2 server; it runs until the stream is closed."""
    jar = call.variables.get("CLASSPATH", "")
    port = re.fullmatch(r"/ com\.wetest\.uia2\.Main(?: -p (\d{1,5}))?", " ".join(call.args))
    if port is None:
        return call.refuse("Error: could not find the main class", 1)
    if call.files.stat(jar) is None:
        return call.refuse(f"Error: no such jar {jar}", 1)
    stop = call.start_server(int(port[1] or 9008))
    if stop is None:
        return call.refuse(
            "java.lang.IllegalStateException: UiAutomationService "
            "android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@5deffd5 already registered!"
        )
    try:
        call.out("[server] INFO: [UiAutomator2Server] Starting Server\n")
        _wait(call)
    finally:
        stop()
    return 0


COMMANDS: dict[str, Callable[[Call], int]] = {
    "getprop": _getprop, "wm": _wm, "settings": settings, "screencap": _screencap,
    "uiautomator": _uiautomator, "app_process": _app_process,
}  # fmt: skip
