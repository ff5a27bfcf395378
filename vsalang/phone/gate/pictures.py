"""Pictures for agents that are shown why they were refused: `screencap -p` and `framebuffer:`, taken and marked."""

import re
import struct
from typing import Final

from vsalang.base.records import dataclass
from vsalang.phone.errors import DeviceError
from vsalang.phone.gate.carrying import output
from vsalang.phone.gate.dumps import push
from vsalang.phone.gate.packets import Terminal
from vsalang.phone.gate.phone import Phone
from vsalang.phone.gate.showing import Showing
from vsalang.phone.vocabulary import sh
from vsalang.phone.vocabulary.adb_apps import normal
from vsalang.phone.wire import EndOfStream, ServiceRefused, Stream

_FORM: Final = re.compile(r"screencap (?:-p|-p -d (\d{1,20})|-d (\d{1,20}) -p)(?: (/\S+))?", re.ASCII)


def has_picture(command: str) -> bool:
    """Whether a command line contains a picture of the screen."""
    if "screencap" not in command:
        return False
    return any(normal(each.words)[:1] == ("screencap",) for each in sh.parse(command))


@dataclass(frozen=True, slots=True)
class _Framebuffer:
    """The form of a picture that ``framebuffer:`` gives: length of its head, width and height, bytes of a pixel.

    Source: AOSP, packages/modules/adb, ``framebuffer_service.cpp``.
    """

    head: int
    size: tuple[int, int]
    order: str

    @classmethod
    def read(cls, data: bytes) -> "_Framebuffer | None":
        """The form that the head says; None: it is not known, or the pixels are not all there."""
        version = int.from_bytes(data[:4], "little")
        head = {1: 52, 2: 56}.get(version, 0)
        if not head or len(data) < head:
            return None
        fields = struct.unpack_from(f"<{head // 4 - 1}I", data, 4)
        bits, (length, width, height, red, _, blue, _, green, _, alpha, _) = fields[0], fields[-11:]
        places = {red: "R", green: "G", blue: "B"} | ({alpha: "A"} if bits == 32 else {})
        order = "".join(places[at] for at in sorted(places))
        right = (
            order in ("RGBA", "BGRA", "RGB", "BGR")
            and length == width * height * len(order) == len(data) - head
        )
        return cls(head, (width, height), order) if right and width and height else None


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
        data = output(self._phone, f"exec:screencap -p -d {display}" if display else "exec:screencap -p")
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

    def framebuffer(self, near: Stream) -> None:
        """Answer ``framebuffer:`` with a marked copy; of a form that is not known, with the phone's own."""
        data = output(self._phone, "framebuffer:")
        form = _Framebuffer.read(data)
        if form is not None:
            head, pixels = data[: form.head], data[form.head :]
            data = head + self._showing.pixels(form.size, form.order, pixels)
        near.write(data)
