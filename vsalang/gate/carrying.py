"""Commands that act, from their start to their end: what the agent does meanwhile does not cut them short.

As long as such a command may still do something, the gate is held: what comes next would else be judged on a screen
that is about to change. So an agent that hangs up is not followed at once, and nobody waits for one that does not read.
"""

import contextlib
import threading
import time
from collections import deque
from collections.abc import Iterator
from typing import Final

from vsalang.device.errors import DeviceError, DeviceLost, NotDelivered
from vsalang.device.wire import EndOfStream, Refused, Stream
from vsalang.gate.phone import FarStream, Phone

LEAVING: Final = 60.0
"""Seconds that a command has to end by itself after the agent has gone; then it is ended."""
MOST_UNREAD: Final = 8 << 20
"""Bytes of output that are kept for an agent that does not read."""
PATIENCE: Final = 20.0
"""Seconds, all in all, that a command waits for an agent that does not read."""
_PIECE: Final = 64 << 10


def opened(phone: Phone, service: str) -> FarStream:
    """Open a service whose opening is what acts, such as a command.

    Raises:
        NotDelivered: the phone was certainly not asked for it.
        DeviceError: it was asked for: whether it began is not known, also if the phone said no.
    """
    try:
        return phone.open(service)
    except Refused as error:
        if str(error).strip() in ("", "closed"):
            # an adb server says this too when it loses the phone after it has asked for the service
            raise DeviceLost(f"it is not known whether the phone opened `{service[:80]}`: closed") from error
        raise DeviceError(f"the phone did not open `{service[:80]}`: {error}") from error
    except DeviceError as error:
        if error.delivered is False:
            raise NotDelivered(f"the phone was not asked for `{service[:80]}`: {error}") from error
        raise
    except ValueError as error:  # too long to be asked for
        raise NotDelivered(f"the phone did not open `{service[:80]}`: {error}") from error


class Heard:
    """The agent's end of a stream (`Stream`). While the gate is held (`holding`), who writes does not wait for the
    agent: a thread writes, and what the agent does not read is kept.

    `write` raises `EndOfStream` once the agent is gone, or was given up since it does not read.
    """

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._gone = False
        self._held = False
        self._left = PATIENCE
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def read(self, most: int) -> bytes:
        """See `Stream.read`."""
        return self._stream.read(most)

    def read_exactly(self, count: int) -> bytes:
        """See `Stream.read_exactly`."""
        return self._stream.read_exactly(count)

    def write(self, data: bytes) -> None:
        """See `Stream.write`."""
        if not self._held:
            self.flush()
            if self._gone:
                raise EndOfStream("the agent is gone, or does not read")
            self._stream.write(data)
            return
        with self._changed:
            begun = time.monotonic()
            room = self._changed.wait_for(
                lambda: self._gone or self._size <= MOST_UNREAD, max(0.0, self._left)
            )
            self._left -= time.monotonic() - begun
            if not room:
                self._gone = True
                self._changed.notify_all()
                self._stream.close()
            if self._gone:
                raise EndOfStream("the agent is gone, or does not read")
            self._waiting.append(data)
            self._size += len(data)
            self._changed.notify_all()
            if self._thread is None:
                self._thread = threading.Thread(target=self._write, name="gate-output", daemon=True)
                self._thread.start()

    @contextlib.contextmanager
    def holding(self) -> Iterator[None]:
        """While the gate is held."""
        self._held = True
        try:
            yield
        finally:
            self._held = False

    def flush(self) -> None:
        """Wait until all was written, however long the agent takes. Not to be called while the gate is held."""
        with self._changed:
            self._changed.wait_for(lambda: self._gone or not self._size)

    def close(self) -> None:
        """See `Stream.close`."""
        self._stream.close()

    def end(self) -> None:
        """Write what waits, and end the thread."""
        self.flush()
        with self._changed:
            self._gone = True
            self._changed.notify_all()

    def _write(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._gone or bool(self._waiting))
                if self._gone:
                    return
                data = self._waiting.popleft()
            try:
                self._stream.write(data)
            except Exception:  # whatever it is, nobody hears what comes next
                with self._changed:
                    self._gone = True
                    self._changed.notify_all()
                return
            with self._changed:
                self._size -= len(data)
                self._changed.notify_all()


@contextlib.contextmanager
def heard(stream: Stream) -> Iterator[Heard]:
    """The agent's end as `Heard`; at the end all is written."""
    near = Heard(stream)
    try:
        yield near
    finally:
        near.end()


class Feeding:
    """Passes what the agent sends on to a command. A context manager, around all of the command's life.

    Args:
        near: the agent's end.
        far: the command.
        last: is sent to the command when the agent sends no more.
    """

    def __init__(self, near: Stream, far: FarStream, last: bytes = b"") -> None:
        self._near = near
        self._far = far
        self._last = last
        self._ended = threading.Event()
        self.given_up = False

    def __enter__(self) -> "Feeding":
        threading.Thread(target=self._feed, name="gate-stdin", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()

    def _feed(self) -> None:
        with contextlib.suppress(EndOfStream, DeviceError, OSError):
            while data := self._near.read(256 << 10):
                self._far.write(data)
        with contextlib.suppress(EndOfStream, DeviceError, OSError):
            if self._last:
                self._far.write(self._last)
        # the agent has gone, or has no more to say; the command goes on
        if not self._ended.wait(LEAVING):
            self.given_up = True
            self._far.close()


def passed(near: Heard, far: FarStream, silence: float) -> None:
    """Run a service that was opened to its end, and pass its output on while the agent listens.

    Raises:
        DeviceTimeout: it said nothing for `silence` seconds.
        DeviceLost: it did not end after the agent had gone.
    """
    with contextlib.closing(far):
        far.set_timeout(silence)
        with near.holding(), Feeding(near, far) as feeding:
            while data := far.read(_PIECE):
                with contextlib.suppress(EndOfStream):  # it is done all the same
                    near.write(data)
        if feeding.given_up:
            raise DeviceLost("the command did not end after the agent had gone")
