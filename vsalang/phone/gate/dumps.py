"""``uiautomator dump`` for agents: on a phone it fails while uiautomator2's server runs.

Android lets only one program read the tree, and the guard does. So the guard gives the dump: it is printed on the
terminal or written to the file, with the output of the phone's own command.
"""

import struct
import time
from collections.abc import Callable
from typing import Final

from vsalang.phone.errors import DeviceError
from vsalang.phone.gate.packets import Terminal
from vsalang.phone.gate.phone import Phone
from vsalang.phone.vocabulary import sh
from vsalang.phone.vocabulary.adb_apps import normal
from vsalang.phone.wire import EndOfStream, ServiceRefused

DEFAULT: Final = "/sdcard/window_dump.xml"
_TERMINALS: Final = frozenset({"/dev/tty", "/dev/stdout", "/proc/self/fd/1"})
_CHUNK: Final = 64 << 10
_SILENT: Final = (">/dev/null", "1>/dev/null", ">>/dev/null", "1>>/dev/null")


def has_dump(command: str) -> bool:
    """Whether a command line contains a dump of the tree."""
    if "uiautomator" not in command:
        return False
    return any(normal(each.words)[:2] == ("uiautomator", "dump") for each in sh.parse(command))


class Dumper:
    """Dumps the tree.

    Args:
        phone: where the file is written.
        dump: gives the tree, compressed or not; None: it is not available, and the phone's own command is run.
    """

    def __init__(self, phone: Phone, dump: Callable[[bool], str | None]) -> None:
        self._phone = phone
        self._dump = dump

    def run(self, terminal: Terminal, command: str) -> int | None:
        """Run one command if it only dumps the tree; return the exit status. None: it was not run."""
        if not has_dump(command):
            return None
        parsed = sh.parse(command)
        words = normal(parsed[0].words)
        if len(parsed) != 1 or words[:2] != ("uiautomator", "dump"):
            return None
        dump = self._dump("--compressed" in words)
        return self._written(terminal, parsed[0], words, dump) if dump is not None else None

    def _written(self, terminal: Terminal, command: sh.Simple, words: tuple[str, ...], xml: str) -> int:
        path = next((word for word in words[2:] if not word.startswith("-")), DEFAULT)
        quiet = any(redirect in _SILENT for redirect in command.redirects)
        data = xml.encode("utf-8", "replace")
        if path in _TERMINALS:
            if not quiet:
                terminal.out(data)
        else:
            try:
                push(self._phone, path, data)
            except (DeviceError, ServiceRefused, EndOfStream, struct.error) as error:
                terminal.err(f"ERROR: could not write {path}: {error}\n".encode())
                return 1
        if not quiet:
            terminal.out(f"UI hierchary dumped to: {path}\n".encode())  # the phone's own spelling
        return 0


def push(phone: Phone, path: str, data: bytes) -> None:
    """Write a file on the phone.

    Raises:
        ServiceRefused, DeviceError, EndOfStream: it cannot be written.
    """
    far = phone.open("sync:")
    try:
        far.set_timeout(60)
        target = f"{path},33206".encode()
        far.write(b"SEND" + struct.pack("<I", len(target)) + target)
        for start in range(0, len(data), _CHUNK):
            piece = data[start : start + _CHUNK]
            far.write(b"DATA" + struct.pack("<I", len(piece)) + piece)
        far.write(b"DONE" + struct.pack("<I", int(time.time())))
        identity, length = struct.unpack("<4sI", far.read_exactly(8))
        if identity != b"OKAY":
            raise ServiceRefused(far.read_exactly(min(length, 1000)).decode("utf-8", "replace"))
    finally:
        far.close()
