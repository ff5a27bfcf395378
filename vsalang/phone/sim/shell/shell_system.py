"""Shell commands about the system: properties, display, settings, screen, server."""

import re
from collections.abc import Callable

from vsalang.phone.sim.call import Call
from vsalang.phone.sim.dump import dump

PROPERTIES = "property"
"""The space of the settings in which changed properties are kept."""
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
        "ro.debuggable": "1" if spec.root else "0",
        "init.svc.bootanim": "stopped",
        "wifi.interface": "wlan0",
        "sys.boot_completed": "1",
        **{name: value for (space, name), value in call.system.settings.items() if space == PROPERTIES},
    }


def _getprop(call: Call) -> int:
    known = properties(call)
    if call.args:
        call.out(known.get(call.args[0], call.args[1] if len(call.args) > 1 else "") + "\n")
    else:
        call.out("".join(f"[{key}]: [{value}]\n" for key, value in known.items()))
    return 0


def _setprop(call: Call) -> int:
    """Properties for debugging can be set; the shell may not set others."""
    if len(call.args) != 2:
        return call.refuse("setprop: Need 2 arguments")
    name, value = call.args
    free = call.phone.spec.root or name.startswith(("debug.", "log.", "persist.log."))
    if not free or len(call.system.settings) > 10_000:
        return call.refuse(
            f"Failed to set property '{name[:100]}' to '{value[:100]}'.\nSee dmesg for error reason."
        )
    call.system.settings[PROPERTIES, name[:200]] = value[:1000]
    return 0


def _getevent(call: Call) -> int:
    """``getevent -p`` and ``-i``: the touch screen. Events themselves are not printed: there are none."""
    spec = call.phone.spec
    if not any(letter in "".join(call.args) for letter in "pi"):
        _wait(call)
        return 0
    call.out(
        'add device 1: /dev/input/event0\n  name:     "sim_touch"\n  events:\n    ABS (0003): '
        "002f  : value 0, min 0, max 9, fuzz 0, flat 0, resolution 0\n"
        f"                0035  : value 0, min 0, max {spec.width - 1}, fuzz 0, flat 0, resolution 0\n"
        f"                0036  : value 0, min 0, max {spec.height - 1}, fuzz 0, flat 0, resolution 0\n"
    )
    return 0


def _service(call: Call) -> int:
    """``service list`` and ``service check``; calls to services are not there."""
    names = ("activity", "display", "input", "input_method", "package", "power", "settings", "window")
    if call.args[:1] == ["list"]:
        call.out(f"Found {len(names)} services:\n")
        call.out(
            "".join(f"{number}\t{name}: [android.I{name.title()}]\n" for number, name in enumerate(names))
        )
        return 0
    if call.args[:1] == ["check"] and len(call.args) == 2:
        call.out(f"Service {call.args[1][:100]}: {'' if call.args[1] in names else 'not '}found\n")
        return 0
    return call.refuse("service: the simulated phone answers list and check only", 10)


def _locksettings(call: Call) -> int:
    """The lock of the screen: there is none, and none can be set."""
    match call.args:
        case ["help", *_]:
            call.out("lockSettings service commands:\n\nNOTE: there is no lock screen on a simulated phone\n")
        case ["get-disabled", *_]:
            call.out("true\n")
        case ["verify", *_]:
            call.out("Lock credential verified successfully\n")
        case ["clear", *_]:
            call.out("Lock credential cleared\n")
        case _:
            return call.refuse("locksettings: a simulated phone has no lock screen", 255)
    return 0


def _runtime(call: Call) -> int:
    """``stop`` and ``start`` of everything above the kernel, for root."""
    if not call.phone.spec.root:
        return call.refuse("must be root")
    if call.words[0] == "start":
        call.system.settings.pop((PROPERTIES, "sys.boot_completed"), None)
    else:
        call.phone.restart()
    return 0


def _bugreport(call: Call) -> int:
    call.out("========================================================\n== dumpstate: a simulated phone\n")
    call.out("".join(f"[{key}]: [{value}]\n" for key, value in properties(call).items()))
    return 0


def _wm(call: Call) -> int:
    spec = call.phone.spec
    if call.args == ["size"]:
        call.out(f"Physical size: {spec.width}x{spec.height}\n")
    elif call.args == ["density"]:
        call.out(f"Physical density: {spec.density}\n")
    elif call.args == ["dismiss-keyguard"]:
        return 0
    elif call.args[:1] == ["user-rotation"]:
        return _rotation(call)
    else:
        return call.refuse("Error: the simulated phone's display cannot be changed", 255)
    return 0


def _rotation(call: Call) -> int:
    """``wm user-rotation [free|lock N]``: kept as the settings are; the phone's apps are upright all the same."""
    match call.args[1:]:
        case []:
            free = call.system.settings["system", "accelerometer_rotation"] == "1"
            call.out("free\n" if free else f"lock {call.system.settings['system', 'user_rotation']}\n")
        case ["free"]:
            call.system.change_setting("system", "accelerometer_rotation", "1", call.text)
        case ["lock", *rest] if all(value in "0123" for value in rest):
            call.system.change_setting("system", "accelerometer_rotation", "0", call.text)
            call.system.change_setting("system", "user_rotation", (rest or ["0"])[-1], call.text)
        case _:
            return call.refuse("Error: expecting: free or lock [0-3]", 255)
    return 0


def settings(call: Call) -> int:
    """``settings get|put|delete|list``."""
    store, args = call.system.settings, list(call.args)
    if args[:1] == ["--user"]:
        del args[:2]
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
    pid = 2100 + len(call.system.processes)
    call.system.processes[pid] = ("app_process", call.terminal.end)
    try:
        call.out("[server] INFO: [UiAutomator2Server] Starting Server\n")
        _wait(call)
    finally:
        call.system.processes.pop(pid, None)
        stop()
    return 0


COMMANDS: dict[str, Callable[[Call], int]] = {
    "getprop": _getprop, "wm": _wm, "settings": settings, "screencap": _screencap,
    "uiautomator": _uiautomator, "app_process": _app_process, "setprop": _setprop, "getevent": _getevent,
    "stop": _runtime, "start": _runtime, "service": _service, "locksettings": _locksettings, "bugreport": _bugreport,
}  # fmt: skip
