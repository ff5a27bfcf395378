"""One guard for a phone: a second one is noticed, since neither would know what the other lets pass.

A guard of the same user is noticed by a file of theirs, before the phone is asked anything. One of another user, of
another computer, or over another connection (USB and network) is noticed on the phone: a shell there holds a lock
(``flock``) while its standard input is open, so the hold ends with the process of the guard, whatever ends it.
"""

import contextlib
import hashlib
import logging
import os
import platform
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from vsalang.agents.session.inforce import SessionError
from vsalang.base.source import private
from vsalang.base.source.locking import lock_file
from vsalang.phone.errors import DeviceError
from vsalang.phone.wire import ServiceRefused, Upstream
from vsalang.phone.wire.upstream import server_address
from vsalang.program.text import line

log = logging.getLogger(__name__)

MARK: Final = "/data/local/tmp/vsalang.guard"
"""The file on the phone that is locked; it says who holds it."""
_STATUS: Final = re.compile(r"^(held|taken \d+)\r?\n", re.MULTILINE)
_SECONDS: Final = 10.0
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
                raise _taken(serial, f"process {holder}" if holder else "") from None
            os.lseek(file, 0, os.SEEK_SET)
            os.ftruncate(file, 0)
            os.write(file, str(os.getpid()).encode())
        yield


@contextlib.contextmanager
def one_guard_on_phone(serial: str, *, asked: bool) -> Iterator[bool]:
    """Hold a phone by a lock that lies on it, for one guarded session.

    Args:
        serial: of the phone, as the adb server names it.
        asked: whether the phone can be asked by now, so that it is said if it does not answer.

    Yields:
        Whether the phone is held. It is not if it cannot be reached, or its shell has no such locks (before Android 7).

    Raises:
        SessionError: another guard holds it.
        DeviceError: the address of the adb server cannot be read.
    """
    who = f"process {os.getpid()} on {re.sub(r'[^A-Za-z0-9.-]', '-', platform.node()) or 'a computer'}"
    command = (
        f"(flock -n 9 && echo {who} >{MARK} && echo held && cat || echo taken $? && cat {MARK}) 9>>{MARK}"
    )
    host, port = server_address()
    with contextlib.ExitStack() as stack:
        answer, status = "", None
        try:
            shell = stack.enter_context(Upstream(host, port, serial).open(f"exec:{command}"))
            shell.set_timeout(_SECONDS)
            while (status := _STATUS.search(answer)) is None and (piece := shell.read(_LONGEST)):
                answer = (answer + piece.decode("utf-8", "replace"))[-_LONGEST:]
            if status is not None and status[1] == "taken 1":
                answer += shell.read_all(_LONGEST).decode("utf-8", "replace")
                holder = line(answer[status.end() :].strip(), _LONGEST)
                raise _taken(serial, holder)
        except (DeviceError, ServiceRefused) as error:
            answer, status = str(error), None
        held = status is not None and status[1] == "held"
        if asked and not held:
            log.warning(
                "whether another guard has the phone %s is not known: %s", serial, line(answer, _LONGEST)
            )
        yield held


def _taken(serial: str, holder: str) -> SessionError:
    return SessionError(
        f"another guard has the phone {serial}" + (f": {holder}" if holder else ""),
        "end that one first; or watch without judging: --mode shadow",
    )


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
