"""What opening a service of adbd does, by the name of the service."""

import re
import stat
from typing import Final

from vsalang.phone.classify.shell import classify_shell, classify_words
from vsalang.phone.classify.verdict import NOTHING, Actions, Allowance, Class, Inspect, Part, Pass, Refuse
from vsalang.program.action import Action
from vsalang.program.text import canonical

MOST: Final = 1 << 20
_OPTIONS: Final = re.compile(
    r"(?:v2|raw|pty|TERM=[\w.+-]{0,40})(?:,(?:v2|raw|pty|TERM=[\w.+-]{0,40}))*", re.ASCII
)
_REASONS: Final = {
    "root": "it restarts adbd with other rights",
    "unroot": "it restarts adbd with other rights",
    "remount": "it makes the system writable",
    "reboot": "it restarts the phone",
    "tcpip": "it opens another way to the phone, around the guard",
    "usb": "it restarts adbd",
    "reverse": "it allows the phone to connect to this machine; what arrives that way cannot be judged",
    "jdwp": "a debugger can make an app do anything",
    "sideload": "it replaces the system",
    "sideload-host": "it replaces the system",
    "rescue-install": "it replaces the system",
    "rescue-getprop": "it is for the recovery system",
    "restore": "it replaces the data of apps",
    "backup": "it hands out the data of apps",
    "disable-verity": "it makes the system writable",
    "enable-verity": "it restarts the phone",
    "dev": "it opens a device file, which may be one of input",
    "dev-raw": "it opens a device file, which may be one of input",
    "sink": "it is only for tests of adb",
    "source": "it is only for tests of adb",
    "emu": "the emulator's console makes input that nobody judges",
    "host": "it is a request to an adb server, not to a phone",
}


def classify(service: str | bytes, allowed: Allowance = NOTHING) -> Class:
    """What opening a service of adbd does.

    Args:
        service: its name as adb sends it, such as ``shell,v2,raw:input tap 1 2``; one NUL at its end is ignored.
        allowed: what the user and the guard know of the phone.
    """
    if isinstance(service, bytes):
        try:
            service = service.decode()
        except UnicodeDecodeError:
            return Refuse("the service's name is not UTF-8")
    if len(service) > MOST:
        return Refuse(f"the service's name is longer than {MOST} characters")
    if service.startswith(("abb:", "abb_exec:")):
        return _binder(service.partition(":")[2], allowed)
    service = service.removesuffix("\x00")
    if "\x00" in service:
        return Refuse("the service's name has a NUL in it")
    if service in allowed.services:
        return Pass()
    name, colon, rest = service.partition(":")
    kind, comma, options = name.partition(",")
    if kind == "shell" and colon:
        if comma and not _OPTIONS.fullmatch(options):
            return Refuse(f"the options {options[:60]!r} of the shell are not known")
        return classify_shell(rest, allowed)
    if service in ("sync:", "framebuffer:", "track-jdwp", "track-app", "reverse:list-forward"):
        return Inspect("sync") if service == "sync:" else Pass()
    if name == "exec" and colon:
        return classify_shell(rest, allowed)
    if service == f"tcp:{allowed.rpc_port}":
        return Inspect("uiautomator2")
    if allowed.portal_port is not None and service == f"tcp:{allowed.portal_port}":
        return Inspect("portal")
    return Refuse(_refused(service, name))


def _refused(service: str, name: str) -> str:
    text = canonical(service)[:80]
    if name.startswith("reverse"):
        name = "reverse"
    if name in _REASONS:
        return f"the service `{text}` is refused: {_REASONS[name]}"
    if name in ("tcp", "vsock") or name.startswith("local"):
        return f"what goes over `{text}` cannot be judged; if it is harmless, allow it with --allow-service {text}"
    return f"the service `{text}` is not known"


def _binder(rest: str, allowed: Allowance) -> Class:
    """``abb:`` and ``abb_exec:``: a command of a system service, as words with a NUL between them."""
    words = tuple(rest.removesuffix("\x00").split("\x00"))
    return classify_words(("cmd", *words), allowed)


_SYNC_READS: Final = frozenset({"STAT", "STA2", "LSTA", "LST2", "LIST", "LIS2", "RECV", "RCV2", "QUIT"})
_SYNC_SENDS: Final = frozenset({"SEND", "SND2"})


def classify_sync(identity: str | bytes, path: str | bytes = "") -> Class:
    """One request of the file service.

    Args:
        identity: its four letters.
        path: the file; for ``SEND`` followed by a comma and the mode, as adb sends it.
    """
    try:
        name = identity.decode("ascii") if isinstance(identity, bytes) else identity
        file = path.decode() if isinstance(path, bytes) else path
    except UnicodeDecodeError:
        return Refuse("the path is not UTF-8")
    if name in _SYNC_READS:
        return Pass()
    if name not in _SYNC_SENDS:
        return Refuse(f"the request {canonical(name)[:20]!r} of the file service is not known")
    if name == "SEND":
        # the mode follows the last comma, in any notation; the phone reads it as C does
        file, comma, mode = file.rpartition(",")
        if not comma or not re.fullmatch(r"[1-9]\d{0,6}|0[0-7]{0,6}", mode, re.ASCII):
            return Refuse("the request does not say plainly what mode the file gets")
        if stat.S_IFMT(int(mode, 8 if mode.startswith("0") else 10)) not in (0, stat.S_IFREG):
            return Refuse("what is sent is not a plain file: a link could lead anywhere")
    if not file.startswith("/") or canonical(file) != file or re.search(r"[\x00-\x1f\x7f]", file):
        return Refuse("the path does not begin at the root, or has characters that look like others")
    if len(file) > 1024 or "//" in file or any(part in (".", "..") for part in file.split("/")):
        return Refuse("the path does not say plainly where the file goes")
    return Actions((Part("", actions=(Action("push_file", {"path": file}),)),))
