"""Checks of the adb server, and of the states of its phones."""

import shlex
from typing import Final

from vsalang.base.installing import adb_path, adb_word, install_adb
from vsalang.phone.doctor.check import Check, Level
from vsalang.phone.errors import DeviceError
from vsalang.phone.states import meaning, remedy
from vsalang.phone.wire.services import ServiceRefused
from vsalang.phone.wire.upstream import Upstream

GROUP: Final = "Real phones"
OLD: Final = 41
"""The first version of adb that has all requests that are used."""


def adb_checks(host: str, port: int, serial: str | None) -> tuple[list[Check], list[str]]:
    """Check an adb server.

    Args:
        serial: the phone; None: any phone. To have no phone is not a failure then, because there are simulated ones.

    Returns:
        The checks, and the serials of the phones that are ready (only `serial` if it is given).
    """
    server = Upstream(host, port, serial or "")
    where = f"{host}:{port}"
    try:
        version = server.server_version()
        states = server.devices()
    except (DeviceError, ServiceRefused, OSError) as error:
        text = str(error) if where in str(error) else f"none answers at {where}: {error}"
        level: Level = "warn" if serial is None else "fail"
        checks = [Check(GROUP, "server", level, text, start_command(port))]
        if serial is not None:
            message = "it is not known whether it is connected: no adb server answers"
            fix = f"start the adb server, then `vsac phone doctor --device {shlex.quote(serial)}` again"
            checks.append(Check(GROUP, serial, "fail", message, fix))
        return checks, []
    checks = [Check(GROUP, "server", "ok", f"version {version} answers at {where}")]
    if version < OLD:
        message = f"version {version} at {where} is old; some programs replace it with their own"
        checks = [Check(GROUP, "server", "warn", message, "install platform-tools 30 or newer")]
    for name, state in states.items():
        if serial in (None, name):
            wanted = serial == name or len(states) == 1
            checks.append(_phone(name, state, wanted=wanted))
    if serial is not None and serial not in states:
        there = ", ".join(states) or "none"
        checks.append(
            Check(GROUP, serial, "fail", f"{meaning('')}; there are: {there}", _connect(serial) or remedy(""))
        )
    if not states and serial is None:
        checks.append(Check(GROUP, "phones", "warn", "none is connected", remedy("")))
    ready = [name for name, state in states.items() if state == "device" and serial in (None, name)]
    return checks, ready


def start_command(port: int) -> str:
    """The command that starts the adb server on this computer."""
    if adb_path() is None:
        return f"{install_adb()}; then `adb start-server`"
    return f"{adb_word()} start-server" if port == 5037 else f"{adb_word()} -P {port} start-server"


def _phone(name: str, state: str, *, wanted: bool) -> Check:
    if state == "device":
        return Check(GROUP, name, "ok", "is ready")
    text = f"{state}: {meaning(state)}" if meaning(state) else state
    return Check(GROUP, name, "fail" if wanted else "warn", text, remedy(state))


def _connect(serial: str) -> str:
    host, colon, port = serial.rpartition(":")
    return f"{adb_word()} connect {shlex.quote(serial)}" if colon and host and port.isdigit() else ""
