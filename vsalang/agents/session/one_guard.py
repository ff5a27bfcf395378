"""One guard for a phone: a second one of this user is noticed, since neither would know what the other lets pass."""

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from vsalang.agents.session.inforce import SessionError
from vsalang.base.source import private
from vsalang.base.source.locking import lock_file
from vsalang.phone.wire.upstream import server_address
from vsalang.program.text import line

_LONGEST: Final = 200
"""Characters of what the file says of its holder."""


@contextlib.contextmanager
def one_guard(serial: str) -> Iterator[None]:
    """Hold a phone of the user's adb server for one guarded session.

    The hold ends with the process, whatever ends it. Where no file can be kept for it (the user has no home), nothing
    is noticed.

    Args:
        serial: of the phone, as the adb server names it.

    Raises:
        SessionError: another session of this user holds it.
        DeviceError: the address of the adb server cannot be read.
    """
    host, port = server_address()
    with contextlib.ExitStack() as stack:
        file = _file(f"{host}:{port} {serial}")
        if file is not None:
            stack.callback(os.close, file)
            try:
                lock_file(file)
            except OSError:
                os.lseek(file, 0, os.SEEK_SET)
                holder = line(os.read(file, _LONGEST).decode("utf-8", "replace"), _LONGEST)
                raise SessionError(
                    f"another guard has the phone {serial}" + (f": process {holder}" if holder else ""),
                    "end that one first; or watch without judging: --mode shadow",
                ) from None
            os.lseek(file, 0, os.SEEK_SET)
            os.ftruncate(file, 0)
            os.write(file, str(os.getpid()).encode())
        yield


def _file(phone: str) -> int | None:
    """The open file that stands for a phone; None: it cannot be kept."""
    base = private.home_folder("XDG_STATE_HOME", ".local/state")
    if base is None:
        return None
    folder = base / "vsalang" / "guards"
    try:
        private.own_folder(folder)
        name = hashlib.sha256(phone.encode("utf-8", "surrogateescape")).hexdigest()[:32]
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
        return os.open(Path(folder) / name, flags, 0o600)
    except OSError:
        return None
