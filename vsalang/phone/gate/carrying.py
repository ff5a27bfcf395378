"""Runs commands that act from their start to their end, even if the agent disconnects.

The gate is locked while such a command may still act: otherwise the next request would be judged on a screen that is
about to change. So a command is not ended at once if the agent disconnects, and does not wait for an agent that does
not read.
"""

import contextlib
import threading
import time
from collections import deque
from collections.abc import Iterator
from typing import Final, Protocol

from vsalang.phone.errors import DeviceError, DeviceLost, NotDelivered
from vsalang.phone.gate.phone import SILENCE, FarStream, Phone
from vsalang.phone.wire import EndOfStream, ServiceRefused, Stream

LEAVING: Final = 60.0
"""How many seconds a command may run after the agent has disconnected; then it is ended."""
MOST_UNREAD: Final = 8 << 20
"""Bytes of output that are buffered for an agent that does not read."""
PATIENCE: Final = 20.0
"""How many seconds in total a command waits for an agent that does not read."""
MOST_ANSWER: Final = 64 << 20
"""Bytes of an answer that is changed."""
_PIECE: Final = 64 << 10


class Source(Protocol):
    """What a command reads: the agent's standard input, or what was held back of it."""

    def read(self, most: int) -> bytes:
        """At most so many bytes; none: it has ended."""
        ...


def opened(phone: Phone, service: str) -> FarStream:
    """Open a service whose opening acts, such as a command.

    Raises:
        NotDelivered: the request certainly did not reach the phone.
        DeviceError: the request was sent: it is not known whether it started, even if the phone refused it.
    """
    try:
        return phone.open(service)
    except ServiceRefused as error:
        if str(error).strip() in ("", "closed"):
            # an adb server also answers this if it loses the phone after it has sent the request
            raise DeviceLost(f"it is not known whether the phone opened `{service[:80]}`: closed") from error
        raise DeviceError(f"the phone did not open `{service[:80]}`: {error}") from error
    except DeviceError as error:
        if error.delivered is False:
            raise NotDelivered(f"the phone was not asked for `{service[:80]}`: {error}") from error
        raise
    except ValueError as error:  # too long for a request
        raise NotDelivered(f"the phone did not open `{service[:80]}`: {error}") from error


class AgentStream:
    """The agent's end of a stream (`Stream`). While the gate is locked (`holding`), a writer does not wait for the
    agent: a thread writes, and unread data are buffered.

    `write` raises `EndOfStream` if the agent is gone, or has not read for too long.
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
        return self._stream.read(most)

    def read_exactly(self, count: int) -> bytes:
        return self._stream.read_exactly(count)

    def write(self, data: bytes) -> None:
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
        """The context in which the gate is locked."""
        self._held = True
        try:
            yield
        finally:
            self._held = False

    def flush(self) -> None:
        """Wait until everything was written, however long that takes. Not to be called while the gate is locked."""
        with self._changed:
            self._changed.wait_for(lambda: self._gone or not self._size)

    def close(self) -> None:
        self._stream.close()

    def end(self) -> None:
        """Write the buffer, and end the thread."""
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
            except Exception:  # whatever the error is, nothing more can be written
                with self._changed:
                    self._gone = True
                    self._changed.notify_all()
                return
            with self._changed:
                self._size -= len(data)
                self._changed.notify_all()


@contextlib.contextmanager
def heard(stream: Stream) -> Iterator[AgentStream]:
    """The agent's end as `AgentStream`; at the end everything is written."""
    near = AgentStream(stream)
    try:
        yield near
    finally:
        near.end()


class Feeding:
    """Passes what the agent sends on to a command. A context manager, around all of the command's life.

    Args:
        near: the agent's end, or what was held back of its input.
        far: the command.
        last: sent to the command when the agent's input ends.
    """

    def __init__(self, near: Source, far: FarStream, last: bytes = b"") -> None:
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
        # the agent is gone, or its input ended; the command continues
        if not self._ended.wait(LEAVING):
            self.given_up = True
            self._far.close()


def passed(near: AgentStream, far: FarStream, silence: float, source: Source | None = None) -> None:
    """Run an open service to its end, and pass its output on while the agent reads.

    Args:
        near: the agent's end.
        far: the service.
        silence: seconds.
        source: what it reads; None: what the agent sends.

    Raises:
        DeviceTimeout: there was no output for `silence` seconds.
        DeviceLost: it did not end after the agent had disconnected.
    """
    with contextlib.closing(far):
        far.set_timeout(silence)
        with near.holding(), Feeding(source or near, far) as feeding:
            while data := far.read(_PIECE):
                with contextlib.suppress(EndOfStream):  # the command was run anyway
                    near.write(data)
        if feeding.given_up:
            raise DeviceLost("the command did not end after the agent had gone")


def output(phone: Phone, service: str) -> bytes:
    """All that a reading service says, to be changed for the agent.

    Raises:
        ServiceRefused, DeviceError: the phone does not open it, says nothing for too long, or too much.
    """
    parts, size = [], 0
    with contextlib.closing(phone.open(service)) as far:
        far.set_timeout(SILENCE)
        while piece := far.read(_PIECE):
            parts.append(piece)
            size += len(piece)
            if size > MOST_ANSWER:
                raise DeviceError("the answer is too large")
    return b"".join(parts)
