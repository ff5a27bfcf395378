"""Checks for ways around a guard that can be seen on the phone itself; `vsalang.phone.gate.bypass` finds the others."""

import re
from typing import Final

from vsalang.phone.doctor.check import Check
from vsalang.phone.doctor.remote import Remote

GROUP: Final = "Ways around the guard"
HELPERS: Final = (
    ("scrcpy", re.compile(r"com\.genymobile\.scrcpy\.Server"), "pkill -f com.genymobile.scrcpy.Server"),
    ("minitouch", re.compile(r"(?:^|/)minitouch(?:agent)?\b"), "pkill -f minitouch"),
    ("atx-agent", re.compile(r"(?:^|/)atx-agent\b"), "pkill -f atx-agent"),
    ("Appium", re.compile(r"io\.appium\.(?:uiautomator2\.server|settings)\b"), "am force-stop {app}"),
    ("mobilerun", re.compile(r"com\.(?:droidrun|mobilerun)\.portal\b"), "am force-stop {app}"),
    ("DroidBot", re.compile(r"io\.github\.ylimit\.droidbotapp\b"), "am force-stop {app}"),
    ("mobile-mcp", re.compile(r"com\.mobilenext\.devicekit\b"), "am force-stop {app}"),
)
"""Programs on a phone that act for a program elsewhere: a name, its row of ``ps``, the command that ends it."""


def way_checks(remote: Remote) -> list[Check]:
    """Ask a phone for ways around a guard.

    Raises:
        DeviceError: it can no longer be reached.
    """

    def setting(command: str) -> str:
        text, status = remote.run(command)
        return text.strip() if status == 0 else ""

    checks: list[Check] = []
    ports = {setting(f"getprop {name}") for name in ("service.adb.tcp.port", "persist.adb.tcp.port")}
    network = sorted(port for port in ports if re.fullmatch(r"[1-9]\d{0,4}", port))
    if network or setting("settings get global adb_wifi_enabled") == "1":
        message = "the phone takes adb connections from the network"
        message += f" on port {', '.join(network)}" if network else ""
        fix = f"{remote.adb} usb; {remote.adb} shell settings put global adb_wifi_enabled 0"
        checks.append(Check(GROUP, "adb on the network", "warn", message, fix))
    else:
        checks.append(Check(GROUP, "adb on the network", "ok", "off on the phone"))
    services = setting("settings get secure enabled_accessibility_services")
    names = [name for name in services.split(":") if name not in ("", "null")]
    if names:
        message = f"apps that may act by themselves: {', '.join(names)}"
        fix = "switch off in the phone's settings those that you do not know"
        checks.append(Check(GROUP, "accessibility", "warn", message, fix))
    else:
        checks.append(Check(GROUP, "accessibility", "ok", "no app of the phone may act by itself"))
    return checks + _helpers(remote)


def _helpers(remote: Remote) -> list[Check]:
    """The programs on the phone that act for others."""
    text, status = remote.run("ps -A -o PID,ARGS")
    if status != 0:
        return [Check(GROUP, "helpers", "warn", "it is not known which programs on the phone act for others")]
    checks = []
    for name, pattern, command in HELPERS:
        match = next((match for row in text.split("\n") if (match := pattern.search(row.strip()))), None)
        if match is not None:
            message = f"{name} runs on the phone, and acts for who connects to it"
            ends = command.replace("{app}", match[0])
            checks.append(Check(GROUP, f"helper {name}", "warn", message, f"{remote.adb} shell {ends}"))
    return checks or [Check(GROUP, "helpers", "ok", "no program that acts for others runs on the phone")]
