"""Shell commands about the network, which does not exist: addresses, `svc`, and the switches that `cmd` has for it."""

from collections.abc import Callable
from typing import Final

from vsalang.phone.sim.call import Call

ADDRESS: Final = "10.0.2.16"
GATEWAY: Final = "10.0.2.2"
_SWITCHES: Final = {
    ("svc", "wifi"): ("global", "wifi_on"),
    ("svc", "data"): ("global", "mobile_data"),
    ("svc", "nfc"): ("global", "nfc_on"),
    ("svc", "bluetooth"): ("global", "bluetooth_on"),
    ("cmd", "bluetooth_manager"): ("global", "bluetooth_on"),
    ("cmd", "phone", "data"): ("global", "mobile_data"),
    ("cmd", "wifi", "set-wifi-enabled"): ("global", "wifi_on"),
    ("cmd", "connectivity", "airplane-mode"): ("global", "airplane_mode_on"),
    ("cmd", "location", "set-location-enabled"): ("secure", "location_mode"),
}
"""The beginning of a command -> the setting that it turns on and off."""
_WORDS: Final = {"enable": "1", "enabled": "1", "true": "1", "disable": "0", "disabled": "0", "false": "0"}


def _on(call: Call, space: str, name: str, default: str) -> bool:
    return call.system.settings.get((space, name), default) not in ("0", "null")


def connected(call: Call) -> bool:
    """Whether Wi-Fi has an address."""
    return _on(call, "global", "wifi_on", "1") and not _on(call, "global", "airplane_mode_on", "0")


def switch(call: Call) -> int | None:
    """Run a command that turns something on or off; None if it is not one of `_SWITCHES`."""
    words = [word for word in call.words if word != "-w"]
    for beginning, (space, name) in _SWITCHES.items():
        if tuple(words[: len(beginning)]) == beginning and words[len(beginning) :]:
            value = _WORDS.get(words[len(beginning)])
            if value is None or len(words) > len(beginning) + 1:
                return call.refuse(f"{words[0]}: Invalid arguments", 255)
            call.system.change_setting(space, name, value, call.text)
            return 0
    return None


def state(call: Call) -> int | None:
    """Answer ``cmd`` where it only reads a switch; None if it does not."""
    match [word for word in call.args if word != "-w"]:
        case ["connectivity", "airplane-mode"]:
            call.out("enabled\n" if _on(call, "global", "airplane_mode_on", "0") else "disabled\n")
        case ["location", "is-location-enabled"]:
            call.out("true\n" if _on(call, "secure", "location_mode", "3") else "false\n")
        case ["wifi", "status"]:
            word = "enabled" if _on(call, "global", "wifi_on", "1") else "disabled"
            call.out(f"Wifi is {word}\n")
        case _:
            return None
    return 0


def _svc(call: Call) -> int:
    done = switch(call)
    return call.refuse("svc: Invalid arguments", 255) if done is None else done


def _interfaces(call: Call) -> list[tuple[str, str]]:
    """The interfaces that are asked for, with their addresses ("" for none)."""
    here = {"lo": "127.0.0.1", "wlan0": ADDRESS if connected(call) else ""}
    wanted = [name for name in here if name in call.args]
    return [(name, here[name]) for name in wanted or here]


def _ifconfig(call: Call) -> int:
    for name, address in _interfaces(call):
        if call.args and name not in call.args and "-a" not in call.args:
            return call.refuse(f"ifconfig: {call.args[-1][:40]}: No such device")
        call.out(f"{name:10}Link encap:Ethernet\n")
        call.out(f"          inet addr:{address}  Mask:255.255.255.0\n" if address else "")
        call.out("          UP BROADCAST RUNNING MULTICAST  MTU:1500  Metric:1\n\n")
    return 0


def _ip(call: Call) -> int:
    if any(word in call.args for word in ("route", "r")):
        if connected(call):
            if "table" in call.args or "default" in call.args:
                call.out(f"default via {GATEWAY} dev wlan0\n")
            call.out(f"10.0.2.0/24 dev wlan0 proto kernel scope link src {ADDRESS}\n")
        return 0
    if not any(word in call.args for word in ("addr", "address", "a", "link", "l")):
        return call.refuse("ip: Object is unknown")
    shows_addresses = not any(word in call.args for word in ("link", "l"))
    for number, (name, address) in enumerate(_interfaces(call), 1):
        call.out(f"{number}: {name}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 state UP qlen 1000\n")
        call.out(f"    inet {address}/24 scope global {name}\n" if address and shows_addresses else "")
    return 0


COMMANDS: dict[str, Callable[[Call], int]] = {"svc": _svc, "ifconfig": _ifconfig, "ip": _ip}
