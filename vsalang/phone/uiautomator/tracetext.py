"""Reads what the phone says of permissions, connections and settings. Pure; names and values are not trusted."""

import ipaddress
import re
from collections.abc import Mapping
from typing import Final

from vsalang.program.screen import Cells
from vsalang.program.text import canonical
from vsalang.program.values import Value

MOST_ROWS: Final = 5000
"""How many rows are read of each other relation."""
LONGEST: Final = 4000
"""A value longer than this is unknown."""

PACKAGE: Final = r"[A-Za-z]\w*(?:\.\w+)*"


def permissions(text: str, package: str) -> list[Cells]:
    """The permissions of a package in ``dumpsys package PACKAGE``; one printed as granted and as denied is unknown."""
    granted: dict[str, set[bool]] = {}
    for match in _GRANTED.finditer(_block(text, package)):
        granted.setdefault(match[1], set()).add(match[2] == "true")
    return [
        {
            "package": package,
            "name": canonical(name),
            **({"granted": states == {True}} if len(states) == 1 else {}),
        }
        for name, states in list(granted.items())[:MOST_ROWS]
    ]


_GRANTED: Final = re.compile(
    r"^ {6,}([A-Za-z][\w.-]*): granted=(true|false)(?:, flags=\[[^\]\n]*\])?$", re.MULTILINE
)


def _block(text: str, package: str) -> str:
    """What ``dumpsys package`` prints of one package; empty if it prints nothing of it."""
    match = re.search(
        rf"^  Package \[{re.escape(package)}\] \([0-9a-f]+\):\n((?: {{4,}}.*\n|\n)*)",
        text + "\n",
        re.MULTILINE,
    )
    return match[1] if match is not None else ""


def version_of(text: str, package: str) -> str:
    """The version of a package in ``dumpsys package PACKAGE``: its name, and its number; empty if both are missing."""
    block = _block(text, package)
    found = (
        re.search(rf"^ {{4,}}{name}=(\S{{1,100}})", block, re.MULTILINE)
        for name in ("versionName", "versionCode")
    )
    return " ".join(match[1] for match in found if match is not None)


def permissions_missing(text: str, package: str) -> str:
    """Why `permissions` may lack some of a package; empty if it has all of them."""
    block = _block(text, package)
    if "runtime permissions:" not in block:
        return "not in the answer"
    if "sharedUser=" in block:
        return "shares its user with other apps"  # and then has their permissions, too
    if block.count("granted=") != len(_GRANTED.findall(block)):
        return "a line that cannot be read"
    return "" if len(permissions(text, package)) < MOST_ROWS else "cut off"


def is_table(text: str) -> bool:
    """Whether it is a table of ``/proc/net``; without permission to read it, the output is empty."""
    return "local_address" in text.split("\n", 1)[0]


def owners(text: str) -> dict[int, str | None]:
    """User id -> package, from ``pm list packages -U``; None if several packages have it."""
    names: dict[int, str | None] = {}
    for package, uid in re.findall(
        rf"^package:({PACKAGE}) uid:(\d+)(?:,.*)?$", text, re.MULTILINE | re.ASCII
    ):
        names[int(uid)] = None if int(uid) in names else package
    return names


_CONNECTED: Final = frozenset({"01", "02"})
"""The states that have a remote side: connected, connecting."""
_LINE: Final = re.compile(
    r"^ *\d+: [0-9A-F]+:[0-9A-F]{4} ([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4}) ([0-9A-F]{2}) \S+ \S+ \S+ +(\d+) ",
    re.MULTILINE,
)


def connections(text: str, owner: Mapping[int, str | None]) -> list[Cells]:
    """Rows of ``Network`` from ``/proc/net/tcp`` and ``tcp6``."""
    rows: dict[tuple[str, int, str | None], Cells] = {}
    for address, port, state, uid in _LINE.findall(text):
        if state not in _CONNECTED or len(rows) == MOST_ROWS:
            continue
        host, number, package = _host(address), int(port, 16), owner.get(int(uid))
        rows[host, number, package] = {**_row(package=package, host=host), "port": number}
    return list(rows.values())


def _host(address: str) -> str:
    """An address as the kernel writes it: words of four bytes, each in the order of the machine (little-endian)."""
    data = b"".join(bytes.fromhex(address[at : at + 8])[::-1] for at in range(0, len(address), 8))
    if len(data) == 4:
        return str(ipaddress.IPv4Address(data))
    six = ipaddress.IPv6Address(data)
    return str(six.ipv4_mapped or six)


_SETTING: Final = re.compile(r"[A-Za-z_][\w.:/-]{0,199}=", re.ASCII)


def settings(text: str, namespace: str) -> list[Cells]:
    """Rows of ``Setting`` from ``settings list``. A value with a line break, or printed twice, is unknown."""
    values: dict[str, str | None] = {}
    last = ""
    for line in text.split("\n"):
        key, equals, value = line.partition("=")
        if equals and _SETTING.match(line):
            values[key] = None if key in values or len(value) > LONGEST else value
            last = key
        elif line and last:
            values[last] = None
    return [
        {"namespace": namespace, "key": key, **({} if value is None else {"value": canonical(value)})}
        for key, value in list(values.items())[:MOST_ROWS]
    ]


def settings_missing(text: str) -> str:
    """Why `settings` may lack some; empty if it has all of them."""
    lines = [line for line in text.split("\n") if line]
    if not lines:
        return "not in the answer"
    if not all(_SETTING.match(line) for line in lines):
        return "a line that cannot be read"
    return "" if len(lines) <= MOST_ROWS else "cut off"


def _row(**cells: str | None) -> dict[str, Value]:
    return {name: canonical(text) for name, text in cells.items() if text is not None}
