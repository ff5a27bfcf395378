"""Shell commands that show what apps did to the phone: files, notifications, permissions, connections.

The forms are those of Android 14: ``dumpsys notification``, ``dumpsys package``, ``/proc/net/tcp``, toybox's ``find``.
"""

import hashlib
import ipaddress
import re
from collections.abc import Callable
from typing import Final

from vsalang.base.records import dataclass
from vsalang.phone.sim.call import Call
from vsalang.phone.sim.files import Entry, is_directory

MOST_GROWN: Final = 1 << 16
"""How long a file that changes by itself gets."""
FIRST_UID: Final = 10100
_HEADER: Final = (
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode"
)
_LISTENS: Final = (
    "   0: 0100007F:13AD 00000000:0000 0A 00000000:00000000 00:00000000 00000000  2000        0 3999 1"
)
"""What adbd listens on."""
_PRINTF: Final = re.compile(r"%(T@|[spf%])|\\([n0t\\])|(.)", re.DOTALL)


def uid(call: Call, package: str) -> int:
    """The user id of an app; 1000 for system apps."""
    names = [app.package for app in call.phone.apps]
    return FIRST_UID + names.index(package) if package in names else 1000


def notification(call: Call) -> str:
    """``dumpsys notification``, with texts only if ``--noredact`` is given."""
    plain = "--noredact" in call.args
    lines = ["Current Notification Manager state:"]
    posted = call.system.record.notifications
    if posted:
        lines.append("  Notification List:")
    for number, (package, title, text) in enumerate(posted):
        key = f"0|{package}|{number}|null|{uid(call, package)}"
        lines += [
            f"    NotificationRecord(0x{0x0A1B2C00 + number:08x}: pkg={package} user=UserHandle{{0}} id={number} "
            f"tag=null importance=3 key={key}: Notification(channel=main shortcut=null contentView=null "
            "vibrate=null sound=null defaults=0x0 flags=0x10 color=0x00000000 vis=PRIVATE))",
            f"      uid={uid(call, package)} userId=0",
            f"      opPkg={package}",
            f"      key={key}",
            "      seen=false",
            "      extras={",
            f"          android.title={_value(title, plain)}",
            "          android.reduced.images=Boolean (true)",
            "          android.subText=null",
            f"          android.text={_value(text, plain)}",
            "      }",
        ]
    lines += ["  ", "  mSoundNotificationKey=null", "  mDisableNotificationEffects=false", ""]
    return "\n".join(lines)


def trust(_call: Call) -> str:
    """``dumpsys trust``: this phone has no lock."""
    user = 'User "Owner" (id=0, flags=0x13) (current)'
    return (
        f"Trust manager state:\n {user}: trusted=0, trustManaged=0, deviceLocked=0, strongAuthRequired=0x0\n"
    )


def _value(text: str, plain: bool) -> str:
    return f"String ({text})" if plain else f"String [length={len(text.encode('utf-16-le')) // 2}]"


def granted(call: Call, package: str) -> str:
    """The permissions of a package, as ``dumpsys package`` prints them."""
    own = {name: yes for (of, name), yes in call.system.record.permissions.items() if of == package}
    lines = ["    requested permissions:", *(f"      {name}" for name in own)]
    lines += ["    User 0: ceDataInode=131 installed=true hidden=false suspended=false stopped=false"]
    lines += ["      runtime permissions:"]
    lines += [f"        {name}: granted={str(yes).lower()}, flags=[ USER_SET ]" for name, yes in own.items()]
    return "\n".join(lines) + "\n"


def virtual(call: Call, path: str) -> str | None:
    """The content of a file of ``/proc``; None if this phone does not have it."""
    if path not in ("/proc/net/tcp", "/proc/net/tcp6"):
        return None
    lines = [_HEADER, _LISTENS] if path.endswith("tcp") else [_HEADER]
    size = 8 if path.endswith("tcp") else 32
    for number, (package, host, port) in enumerate(call.system.record.connections):
        remote = _address(host)
        if len(remote) == size:
            lines.append(
                f"{number:4}: {_address('10.0.2.15' if size == 8 else 'fec0::1')}:A{number:03X} {remote}:{port:04X} "
                f"01 00000000:00000000 00:00000000 00000000 {uid(call, package):5}        0 {4000 + number} 1"
            )
    return "\n".join(lines) + "\n"


def _address(host: str) -> str:
    data = ipaddress.ip_address(host).packed
    return "".join(data[at : at + 4][::-1].hex().upper() for at in range(0, len(data), 4))


@dataclass(slots=True)
class _Tests:
    """One alternative of ``find``: its tests, and what it prints of what passes them."""

    kind: str = ""
    name: str = ""
    form: str = ""

    def fit(self, path: str, *, is_dir: bool) -> bool:
        kind = "d" if is_dir else "f"
        return self.kind in ("", kind) and self.name in ("", path.rsplit("/", 1)[-1])


def _find(call: Call) -> int:
    """``find PATH.. [-maxdepth N] [-type f|d|p] [-name TEXT] [-print|-printf FORM] [-o ..]``."""
    args = list(call.args)
    paths: list[str] = []
    while args and not args[0].startswith("-"):
        paths.append(args.pop(0))
    either = [_Tests()]
    deepest = 1 << 30
    while args:
        test = args.pop(0)
        if test == "-o":
            either.append(_Tests())
            continue
        if test in ("-xdev", "-print"):
            continue
        if test not in ("-type", "-printf", "-name", "-maxdepth") or not args:
            return call.refuse(f"find: bad arg '{test[:100]}'")
        value = args.pop(0)
        if test == "-type":
            either[-1].kind = value
        elif test == "-printf":
            either[-1].form = value
        elif test == "-name":
            either[-1].name = value
        else:
            deepest = int(value)
    code = 0
    for path in call.phone.spec.changing:
        old = call.files.stat(path)
        content = (old.content if old is not None else b"") + b"."
        call.files.write(path, content[-MOST_GROWN:], mtime=(old.mtime if old is not None else 0) + 1)
    for path in paths or ["."]:
        entry = call.files.stat(path)
        if entry is None:
            code = call.refuse(f"find: '{path}': No such file or directory")
            continue
        for path_found, each, depth in _walk(call, path, entry, 0):
            if is_directory(each) and _denied(call, path_found):
                code = call.refuse(f"find: {path_found}: Permission denied")
            is_dir = is_directory(each)
            tests = next((tests for tests in either if tests.fit(path_found, is_dir=is_dir)), None)
            if tests is not None and depth <= deepest:
                call.out(_formatted(tests.form, path_found, each) if tests.form else f"{path_found}\n")
    return code


def _denied(call: Call, path: str) -> bool:
    """Whether a folder cannot be listed: what is below ``/data``, where apps keep their files, but for one folder."""
    parts = tuple(part for part in path.split("/") if part)
    return not call.phone.spec.root and parts[:1] == ("data",) and parts[:3] != ("data", "local", "tmp")


def _walk(call: Call, path: str, entry: Entry, depth: int) -> list[tuple[str, Entry, int]]:
    entries = [(path, entry, depth)]
    if is_directory(entry) and not _denied(call, path):
        for name, each in call.files.list(path).items():
            entries += _walk(call, f"{path.rstrip('/')}/{name}", each, depth + 1)
    return entries


def _formatted(form: str, path: str, entry: Entry) -> str:
    signs = {
        "s": str(len(entry.content)), "T@": f"{entry.mtime}.0000000000", "p": path,
        "f": path.rsplit("/", 1)[-1], "%": "%",
    }  # fmt: skip
    escapes = {"n": "\n", "t": "\t", "0": "\0", "\\": "\\"}
    return _PRINTF.sub(
        lambda match: signs[match[1]] if match[1] else escapes[match[2]] if match[2] else match[3], form
    )


def _sha256sum(call: Call) -> int:
    code = 0
    for path in (arg for arg in call.args if arg.startswith("/")):
        entry = Entry(0o20666, 0) if path == "/dev/null" else call.files.stat(path)
        if entry is not None and path != "/dev/null" and _denied(call, path):
            code = call.refuse(f"sha256sum: {path}: Permission denied")
        elif entry is None or is_directory(entry):
            code = call.refuse(f"sha256sum: {path}: No such file or directory")
        else:
            call.out(f"{hashlib.sha256(entry.content).hexdigest()}  {path}\n")
    return code


COMMANDS: dict[str, Callable[[Call], int]] = {"find": _find, "sha256sum": _sha256sum}
