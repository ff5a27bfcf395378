"""Checks for ways around a guard that can be seen on the phone itself; `vsalang.phone.gate.bypass` finds the others."""

import re
from typing import Final

from vsalang.phone.doctor.check import Check
from vsalang.phone.doctor.remote import Remote

GROUP: Final = "Ways around the guard"


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
    return checks
