"""``screencap -p`` for agents that are shown why they were refused: the guard takes the picture, and marks the copy."""

import contextlib
import re
from typing import Final

from vsalang.phone.errors import DeviceError
from vsalang.phone.gate.dumps import push
from vsalang.phone.gate.packets import Terminal
from vsalang.phone.gate.phone import SILENCE, Phone
from vsalang.phone.gate.showing import MOST_ANSWER, Showing
from vsalang.phone.vocabulary import sh
from vsalang.phone.vocabulary.adb_apps import normal
from vsalang.phone.wire import EndOfStream, ServiceRefused

_FORM: Final = re.compile(r"screencap (?:-p|-p -d (\d{1,20})|-d (\d{1,20}) -p)(?: (/\S+))?", re.ASCII)


def has_picture(command: str) -> bool:
    """Whether a command line contains a picture of the screen."""
    if "screencap" not in command:
        return False
    return any(normal(each.words)[:1] == ("screencap",) for each in sh.parse(command))


class Pictures:
    """Takes pictures for an agent.

    Args:
        phone: takes them, and keeps those that are saved in a file.
        showing: marks them.
    """

    def __init__(self, phone: Phone, showing: Showing) -> None:
        self._phone = phone
        self._showing = showing

    def run(self, terminal: Terminal, command: str) -> int | None:
        """Run one command if it only takes a picture, and there is something to show; return the exit status.

        None: it was not run.

        Raises:
            DeviceError, ServiceRefused: the phone cannot take it.
        """
        if not self._showing.reason or not has_picture(command):
            return None
        parsed = sh.parse(command)
        match = _FORM.fullmatch(" ".join(normal(parsed[0].words)))
        if len(parsed) != 1 or parsed[0].redirects or match is None:
            return None
        display = match[1] or match[2]
        data = self._taken(f"screencap -p -d {display}" if display else "screencap -p")
        data = self._showing.picture(data)
        if match[3] is None:
            terminal.out(data)
            return 0
        try:
            push(self._phone, match[3], data)
        except (ServiceRefused, DeviceError, EndOfStream) as error:
            terminal.err(f"Error opening file: {match[3]} ({error})\n".encode())
            return 1
        return 0

    def _taken(self, command: str) -> bytes:
        parts, size = [], 0
        with contextlib.closing(self._phone.open(f"exec:{command}")) as far:
            far.set_timeout(SILENCE)
            while piece := far.read(256 << 10):
                parts.append(piece)
                size += len(piece)
                if size > MOST_ANSWER:
                    raise DeviceError("the picture is too large")
        return b"".join(parts)
