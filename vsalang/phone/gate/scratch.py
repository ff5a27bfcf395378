"""Pictures and dumps that an agent saves on the phone to look at the screen: under a new name they overwrite nothing.

`vsalang.phone.classify` knows usual names of such files. Agents also choose their own (a prefix and the time): whether
a file of that name is there only the phone can say. One that is not, or that such a command made in this session, may
be written, read by ``cat``, and removed without a judgement; any other may be the user's.
"""

import contextlib
import re
import struct
import threading
from typing import Final

from vsalang.phone.classify import Part
from vsalang.phone.errors import DeviceError
from vsalang.phone.gate.phone import Phone
from vsalang.phone.vocabulary import sh
from vsalang.phone.wire import EndOfStream, ServiceRefused

_NAMES: Final = ("/sdcard", "/storage/emulated/0", "/mnt/sdcard")
"""The shared storage, by each of its names."""
_STORAGE: Final = re.compile(rf"(?:{'|'.join(_NAMES)})((?:/(?!\.)[\w.+@ -]+)+)", re.ASCII)
_ENDINGS: Final = {"screencap": (".png", ".jpg", ".jpeg"), "uiautomator": (".xml", ".uix")}
_APPS: Final = "/Android/"
"""Where the files of apps lie: what appears there an app may read."""
_SECONDS: Final = 15.0


class ScratchFiles:
    """The files that pictures and dumps of one session are saved in.

    Args:
        phone: is asked whether a file is there.
    """

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._lock = threading.Lock()
        self._own: set[str] = set()

    def harmless(self, part: Part) -> bool:
        """Whether a command only saves the screen in a new file, or reads or removes one that did so."""
        words = _words(part)
        if words[:1] in (("rm",), ("cat",)):
            paths = [word for word in words[1:] if (words[0], word) != ("rm", "-f")]
            with self._lock:
                return bool(paths) and all(_plain(path) in self._own for path in paths)
        name = saved_name(part)
        if not name:
            return False
        with self._lock:
            if name not in self._own and not self._absent(name):
                return False
            self._own.add(name)
        return True

    def _absent(self, name: str) -> bool:
        """Whether the phone says that there is no file of this name in the storage; False if it does not say."""
        try:
            with contextlib.closing(self._phone.open("sync:")) as far:
                far.set_timeout(_SECONDS)
                for storage in _NAMES:
                    path = f"{storage}{name}".encode()
                    far.write(b"STAT" + struct.pack("<I", len(path)) + path)
                    identity, mode, _, _ = struct.unpack("<4sIII", far.read_exactly(16))
                    if identity != b"STAT" or mode != 0:
                        return False
                far.write(b"QUIT" + struct.pack("<I", 0))
        except (DeviceError, ServiceRefused, EndOfStream, ValueError):
            return False
        return True


def saved_name(part: Part) -> str:
    """The file in the shared storage that a picture or a dump is saved in; empty: the command does something else."""
    words = _words(part)
    if words[:1] not in [(name,) for name in _ENDINGS] or [each.name for each in part.actions] != [
        "push_file"
    ]:
        return ""
    path = str(part.actions[0].args.get("path", ""))
    name = _plain(path)
    if words[-1] != path or not name.lower().endswith(_ENDINGS[words[0]]) or name.startswith(_APPS):
        return ""
    return name


def _words(part: Part) -> tuple[str, ...]:
    """The words of a plain command; none: it is more than that."""
    commands = sh.parse(part.command) if part.command else ()
    plain = len(commands) == 1 and not commands[0].variables and not commands[0].redirects
    return commands[0].words if plain else ()


def _plain(path: str) -> str:
    """A path in the shared storage, from there on: it has several names. Empty: it is somewhere else."""
    match = _STORAGE.fullmatch(path)
    return match[1] if match is not None else ""
