"""``adb reverse``: ports of the simulated phone are kept and listed; nothing on the phone connects to them."""

import re
import threading
from typing import Final

from vsalang.phone.wire.services import Stream

MOST: Final = 100
_PLACE: Final = re.compile(r"(?:tcp:\d{1,5}|local(?:abstract|reserved|filesystem)?:[^;\s]{1,200})", re.ASCII)


class Reverse:
    """What was asked for with ``adb reverse``, by the port on the phone."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._places: dict[str, str] = {}

    def serve(self, stream: Stream, request: str) -> None:
        """Answer one request: what follows ``reverse:``."""
        stream.write(self._answer(request))

    def _answer(self, request: str) -> bytes:
        verb, _, rest = request.partition(":")
        with self._lock:
            if verb == "list-forward":
                return _block(
                    "".join(f"(reverse) {remote} {local}\n" for remote, local in self._places.items())
                )
            if verb == "killforward-all":
                self._places.clear()
                return b"OKAY"
            if verb == "killforward":
                removed = self._places.pop(rest, None) is not None
                return b"OKAY" if removed else b"FAIL" + _block(f"listener '{rest[:100]}' not found")
            norebind = rest.startswith("norebind:")
            remote, _, local = rest.removeprefix("norebind:").partition(";")
            if verb != "forward" or not _PLACE.fullmatch(remote) or not _PLACE.fullmatch(local):
                return b"FAIL" + _block("bad forward")
            if (norebind and remote in self._places) or len(self._places) >= MOST:
                return b"FAIL" + _block(f"cannot rebind existing socket '{remote}'")
            if remote == "tcp:0":
                remote = next(
                    f"tcp:{port}" for port in range(40000, 65536) if f"tcp:{port}" not in self._places
                )
                self._places[remote] = local
                return b"OKAY" + _block(remote.removeprefix("tcp:"))
            self._places[remote] = local
            return b"OKAY"


def _block(text: str) -> bytes:
    data = text.encode()
    return f"{len(data):04x}".encode() + data
