"""Judges plain command lines before they are opened, for clients that do not read the output of a command.

In adb's first shell protocol (``shell:``, ``exec:``) a command has an output and no exit status. Clients that discard
the output of an input command (adbutils and async_adbutils, and so mobilerun and others) never see why it was blocked.
Here such a line is judged and run first: if it is blocked, the service is not opened, and the client raises an error
with the reason. That needs a server that passes the reason on (`vsalang.phone.wire.AdbServer`).
"""

import threading
from typing import Final

from vsalang.phone.classify import Actions, Refuse, classify
from vsalang.phone.gate.services import GuardedServices
from vsalang.phone.wire import EndOfStream, Handler, ServiceRefused

MOST: Final = 16 << 20
"""Bytes of output of one line; commands that act print little."""
_MARK: Final = b"vsalang: "
_PLAIN: Final = ("shell", "exec")


class EarlyServices:
    """Guarded services whose plain command lines are judged before they are opened (`vsalang.phone.wire.Services`).

    Lines that only read, and shells of the second protocol, which has exit statuses, are not changed. Neither are
    commands that install: they may read the app from standard input, which does not exist before they are open, and
    their clients read the result.

    Args:
        services: the guarded services; they must answer blocked requests with an error.
    """

    def __init__(self, services: GuardedServices) -> None:
        self._services = services

    def open(self, name: str) -> Handler:
        """See `vsalang.phone.wire.Services.open`.

        Raises:
            Refused: the line is blocked, or not understood; the message is the feedback.
        """
        kind, _, line = name.partition(":")
        verdict = classify(name, self._services._allowed)
        acts = isinstance(verdict, Refuse) or (
            isinstance(verdict, Actions) and all(action.name != "install" for action in verdict.actions)
        )
        handler = self._services.open(name)
        if kind not in _PLAIN or not line.strip("\x00 \t\n") or not acts:
            return handler
        kept = _EarlyStream()
        try:
            handler(kept)
        finally:
            kept.ended.set()
        data = bytes(kept.data)
        at = _blocked_at(data)
        if at is not None:
            raise ServiceRefused(data[at:].decode("utf-8", "replace").strip())
        return lambda stream: stream.write(data)


def _blocked_at(data: bytes) -> int | None:
    """The offset of the answer to a blocked command in the output of a line (`vsalang.phone.gate.answers.in_shell`)."""
    at = 0 if data.startswith(_MARK) else data.find(b"\n" + _MARK) + 1
    return at if data.startswith(_MARK, at) else None


class _EarlyStream:
    """The agent's end before the service is open: no input, and the output is stored."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.ended = threading.Event()

    def read(self, most: int) -> bytes:
        self.ended.wait()
        return b""

    def read_exactly(self, count: int) -> bytes:
        raise EndOfStream("there is no input")

    def write(self, data: bytes) -> None:
        if len(self.data) + len(data) > MOST:
            raise EndOfStream("too much output")
        self.data += data

    def close(self) -> None:
        """Do nothing: there is no peer yet."""
