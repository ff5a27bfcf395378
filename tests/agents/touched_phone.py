"""A simulated phone behind an adb server that also tells of touches, as a real one's kernel does."""

import queue
from collections.abc import Iterator
from contextlib import contextmanager

from vsalang.phone.sim import Phone, load
from vsalang.phone.sim.services import FEATURES, PhoneServices
from vsalang.phone.wire import AdbServer, Banner, EndOfStream, Handler, Stream

LISTED = """add device 1: /dev/input/event2
  name:     "panel"
    ABS (0003): ABS_MT_SLOT           : value 0, min 0, max 9, fuzz 0, flat 0, resolution 0
                ABS_MT_POSITION_X     : value 0, min 0, max 7199, fuzz 0, flat 0, resolution 0
                ABS_MT_POSITION_Y     : value 0, min 0, max 15199, fuzz 0, flat 0, resolution 0
"""


class TouchedPhone(PhoneServices):
    """The services of a phone with a kernel; a person taps it by `tap`."""

    def __init__(self, phone: Phone, listed: str = LISTED) -> None:
        super().__init__(phone)
        self.listed = listed
        self.ended = False
        self.rotation = 0
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._at = 100.0

    def open(self, name: str) -> Handler:
        match name:
            case "shell:getevent -lp":
                return lambda stream: stream.write(self.listed.encode())
            case "shell:getevent -lt":
                return self._events
            case "shell:dumpsys input":
                return lambda stream: stream.write(f"  SurfaceOrientation: {self.rotation}\n".encode())
            case "shell:wm size":
                return lambda stream: stream.write(b"Physical size: 720x1520\n")
            case "shell:wm density":
                return lambda stream: stream.write(b"Physical density: 320\n")
        return super().open(name)

    def _events(self, stream: Stream) -> None:
        try:
            while (line := self._lines.get()) is not None:
                stream.write(line.encode())
        except EndOfStream:
            self.ended = True

    def tap(self, x: int, y: int) -> None:
        """A finger that comes down and is lifted; then the phone does what it does."""
        self._at += 1
        down = [
            f"ABS_MT_TRACKING_ID {1:08x}",
            f"ABS_MT_POSITION_X {x * 10:08x}",
            f"ABS_MT_POSITION_Y {y * 10:08x}",
        ]
        for at, codes in ((0.0, down), (0.05, ["ABS_MT_TRACKING_ID ffffffff"])):
            events = [*(f"EV_ABS {code}" for code in codes), "EV_SYN SYN_REPORT 00000000"]
            text = "".join(f"[ {self._at + at:.6f}] /dev/input/event2: {event}\r\n" for event in events)
            self._lines.put(text)
        self.phone.tap(x, y)

    def stop(self) -> None:
        """The phone tells of nothing any more."""
        self._lines.put(None)


@contextmanager
def touched_phone(name: str = "restaurant", listed: str = LISTED) -> Iterator[tuple[TouchedPhone, AdbServer]]:
    spec = load(name)
    services = TouchedPhone(Phone(spec), listed)
    server = AdbServer.start(
        {spec.serial: (services, Banner(spec.name, spec.model, spec.name, FEATURES))}, port=0
    )
    try:
        yield services, server
    finally:
        services.stop()
        server.close()
