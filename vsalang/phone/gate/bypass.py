"""Finds ways around the guard: other ways to the phone that an agent could use, and how to close them."""

import json
import os
import re
import socket
import stat
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, TypeAlias
from typing import Literal as OneOf

from vsalang.base.records import dataclass
from vsalang.base.source.opening import read_regular

Grade: TypeAlias = OneOf["open", "closed"]
Reach: TypeAlias = Callable[[str, int], bool]
"""A function that says whether something listens at a host and port."""
ADB_PORT: Final = 5037
"""Where an adb server listens that nobody gave another port; some clients ask at no other."""
APPIUM_PORT: Final = 4723
_MOST_FILE: Final = 64 << 10
ISOLATE: Final = (
    "run the agent in a container or network namespace that reaches only the guard's port, or as another user; see "
    "docs/guides/transparent-guard.md"
)


@dataclass(frozen=True, slots=True)
class Bypass:
    """One way to the phone that bypasses the guard.

    Attributes:
        name: a word for it: ``adb-server``, ``device-port``, ``emulator-console``, ``emulator-grpc``, ``usb``,
            ``adb-key``, ``mobilecli``, ``agent-device``, ``appium``.
        grade: whether it is open from here.
        where: the address, or the file.
        means: what an agent could do with it.
        remedy: how to close it.
    """

    name: str
    grade: Grade
    where: str
    means: str
    remedy: str


def reachable(host: str, port: int, seconds: float = 0.5) -> bool:
    """Whether a connection to a host and port can be made from here."""
    try:
        with socket.create_connection((host, port), timeout=seconds) as connection:
            # for a free port the system may choose the same port as the source: such a connection has only itself as
            # peer
            return bool(connection.getsockname() != connection.getpeername())
    except (OSError, OverflowError):
        return False


def bypasses(
    serial: str,
    *,
    adb_host: str = "127.0.0.1",
    adb_port: int = 5037,
    serials: Iterable[str] = (),
    reach: Reach = reachable,
    home: Path | None = None,
    usb: Path = Path("/dev/bus/usb"),
    environment: Mapping[str, str] | None = None,
) -> tuple[Bypass, ...]:
    """The ways to a phone around the guard, for this user and in this network.

    It changes nothing, and connects only to see whether something listens. To learn what an agent can reach, run it
    where the agent runs (`vsac phone doctor` does).

    Args:
        serial: the phone, as the user's adb server names it.
        adb_host: of the user's adb server.
        adb_port: of the user's adb server.
        serials: the other phones that server has, should the agent choose among them.
        reach: says whether something listens.
        home: the user's home; None: of the environment.
        usb: where the system shows USB devices.
        environment: None: this process's.
    """
    environment = os.environ if environment is None else environment
    bypasses = [_server(adb_host, adb_port, serial, serials, reach)]
    if adb_port != ADB_PORT and reach(
        "127.0.0.1", ADB_PORT
    ):  # programs that ask at no other port find this one
        bypasses.append(_server("127.0.0.1", ADB_PORT, serial, serials, reach))
    bypasses += _device(serial, reach)
    bypasses += _emulator(serial, adb_host, reach)
    bypasses += _usb(serial, usb)
    home = home or Path(environment.get("HOME", "/"))
    bypasses.append(_key(home))
    bypasses += _mobilecli(Path(environment.get("MOBILECLI_HOME") or home / ".mobilecli"))
    bypasses += _agent_device(
        Path(environment.get("AGENT_DEVICE_STATE_DIR") or home / ".agent-device"), reach
    )
    bypasses += _appium(reach)
    return tuple(bypasses)


def _server(host: str, port: int, serial: str, serials: Iterable[str], reach: Reach) -> Bypass:
    others = sorted(set(serials) - {serial})
    more = f" (and {', '.join(others)})" if others else ""
    return Bypass(
        "adb-server",
        "open" if reach(host, port) else "closed",
        f"{host}:{port}",
        f"`adb -P {port} -s {serial} shell input tap ...` acts on the phone{more}, unseen by the guard",
        ISOLATE,
    )


def _mobilecli(folder: Path) -> list[Bypass]:
    """mobilecli (of mobile-mcp) leaves a process that keeps using the adb server of its first caller."""
    path = folder / "daemon.sock"
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(0.5)
            connection.connect(str(path))
    except (OSError, AttributeError):  # there is none, or this system has no such sockets
        return []
    return [
        Bypass(
            "mobilecli",
            "open",
            str(path),
            "mobilecli and mobile-mcp act through this process, with the adb server that it was started with",
            "end it: `mobilecli daemon stop`; or give the agent a place of its own: MOBILECLI_HOME",
        )
    ]


def _agent_device(folder: Path, reach: Reach) -> list[Bypass]:
    """The daemon of agent-device keeps using the adb server of its first caller; its file says where it listens."""
    path = folder / "daemon.json"
    try:
        data = json.loads(read_regular(path, _MOST_FILE))
    except (OSError, ValueError, RecursionError):
        return []
    ports = [data.get(name) for name in ("port", "httpPort")] if isinstance(data, dict) else []
    listening = [port for port in ports if type(port) is int and 0 < port < 65536]
    if not any(reach("127.0.0.1", port) for port in listening):
        return []
    return [
        Bypass(
            "agent-device",
            "open",
            str(path),
            "agent-device acts through this daemon, with the adb server that it was started with",
            "end it (`kill` the `pid` in that file); or give the agent a place of its own: AGENT_DEVICE_STATE_DIR",
        )
    ]


def _appium(reach: Reach) -> list[Bypass]:
    """An Appium server drives phones by ``adb -P 5037``, whatever its variables say."""
    if not reach("127.0.0.1", APPIUM_PORT):
        return []
    return [
        Bypass(
            "appium",
            "open",
            f"127.0.0.1:{APPIUM_PORT}",
            "an Appium server acts at the adb server on port 5037, whatever its variables say, unless a session names "
            "another (`appium:adbPort`)",
            "end it, and start it in COMMAND with --isolate; there port 5037 is the guard's",
        )
    ]


def _device(serial: str, reach: Reach) -> list[Bypass]:
    """adbd on the network: the serial is its address."""
    match = re.fullmatch(r"\[?([\w.:%-]+?)\]?:(\d{1,5})", serial, re.ASCII)
    if match is None:
        return []
    host, port = match[1], int(match[2])
    return [
        Bypass(
            "device-port",
            "open" if reach(host, port) else "closed",
            f"{host}:{port}",
            f"`adb connect {host}:{port}` from an adb server of the agent's own reaches the phone",
            f"connect the phone by USB and run `adb -s {serial} usb`; or {ISOLATE}",
        )
    ]


def _emulator(serial: str, host: str, reach: Reach) -> list[Bypass]:
    match = re.fullmatch(r"emulator-(\d{1,5})", serial, re.ASCII)
    if match is None:
        return []
    console = int(match[1])
    return [
        Bypass(
            "emulator-console",
            "open" if reach(host, console) else "closed",
            f"{host}:{console}",
            "`adb emu` and telnet send touches, keys and messages to the emulator; its token is in "
            "~/.emulator_console_auth_token",
            f"run the emulator as another user; or {ISOLATE}",
        ),
        Bypass(
            "device-port",
            "open" if reach(host, console + 1) else "closed",
            f"{host}:{console + 1}",
            f"`adb connect {host}:{console + 1}`, or any adb server, which looks there by itself, reaches the emulator",
            ISOLATE,
        ),
        Bypass(
            "emulator-grpc",
            "open" if reach(host, console + 3000) else "closed",
            f"{host}:{console + 3000}",
            "the emulator's gRPC service takes touches and keys",
            "start the emulator without `-grpc`, or with `-grpc-use-token`; or " + ISOLATE,
        ),
    ]


def _usb(serial: str, usb: Path) -> list[Bypass]:
    """Whether this user may open USB devices, so that the agent's own adb server could use the phone."""
    if ":" in serial or serial.startswith(("emulator-", "sim")):
        return []
    nodes = [node for node in usb.glob("*/*") if _writable(node)] if usb.is_dir() else []
    return [
        Bypass(
            "usb",
            "open" if nodes else "closed",
            str(usb),
            "an adb server of the agent's own can claim the phone when the user's releases it (`adb kill-server`)",
            f"run the agent as a user who is not in the group `plugdev`; or {ISOLATE}",
        )
    ]


def _writable(node: Path) -> bool:
    try:
        return stat.S_ISCHR(node.stat().st_mode) and os.access(node, os.W_OK)
    except OSError:
        return False


def _key(home: Path) -> Bypass:
    key = home / ".android" / "adbkey"
    try:
        readable = key.is_file() and os.access(key, os.R_OK)
    except OSError:
        readable = False
    return Bypass(
        "adb-key",
        "open" if readable else "closed",
        str(key),
        "with this key an adb server of the agent's own is trusted by every phone that trusts the user's",
        "run the agent as another user, or with another home",
    )
