"""The file service (``sync:``): files are read freely, and written only if that is allowed."""

import contextlib
import struct
import time
from collections.abc import Callable
from typing import Final

from vsalang.guard import NotAllowed
from vsalang.phone.classify import Actions, Pass, classify_sync
from vsalang.phone.classify import Refuse as Refusal
from vsalang.phone.errors import DeviceError, DeviceLost
from vsalang.phone.gate.answers import OnBlock, feedback_of
from vsalang.phone.gate.gate import Gate
from vsalang.phone.gate.phone import SILENCE, FarStream, Phone
from vsalang.phone.wire import EndOfStream, ServiceRefused, Stream
from vsalang.program.delivery import leaving

HEAD: Final = struct.Struct("<4sI")
MOST_PATH: Final = 4096
MOST_CHUNK: Final = 64 << 10
MOST_NAME: Final = 4096
MOST_FILE: Final = 64 << 20
"""Bytes of a server program that an agent may send; it is not stored."""
# request -> (identity of its answer, bytes of the answer behind the identity)
_TOLD: Final = {b"STAT": (b"STAT", 12), b"STA2": (b"STA2", 68), b"LST2": (b"LST2", 68)}
# request -> (identity of an entry, bytes behind the identity, where the length of the name is)
_LISTED: Final = {b"LIST": (b"DENT", 16), b"LIS2": (b"DNT2", 72)}


class FileService:
    """Serves one stream of the file service.

    Args:
        gate: judges each file.
        phone: where the files are.
        on_block: how a blocked request is answered.
        own: files that are accepted and not written, since the guard has its own version there.
    """

    def __init__(self, gate: Gate, phone: Phone, on_block: OnBlock, own: frozenset[str]) -> None:
        self._gate = gate
        self._phone = phone
        self._on_block = on_block
        self._own = own
        self._sizes: dict[bytes, int] = {}  # sizes of the files that were accepted and not written

    def serve(self, near: Stream) -> None:
        """Answer requests until the agent ends the stream.

        Raises:
            EndOfStream: the agent is gone.
        """
        try:
            far = self._phone.open("sync:")
        except (ServiceRefused, DeviceError) as error:
            near.read_exactly(HEAD.size)
            _fail(near, f"the phone's file service cannot be used: {error}")
            return
        with contextlib.closing(far):
            far.set_timeout(SILENCE)
            session = _Session(near, far, self._sizes)
            while self._request(session):
                pass

    def _request(self, session: "_Session") -> bool:
        """Answer one request; return whether another may follow."""
        try:
            kind, length = HEAD.unpack(session.near.read_exactly(HEAD.size))
        except EndOfStream:
            return False
        if kind == b"QUIT":
            session.far.write(HEAD.pack(kind, 0))
            return False
        text = f"sync:{kind.decode('ascii', 'replace')}"
        if length > MOST_PATH:
            return self._refuse(session, text, "the path is too long")
        path = session.near.read_exactly(length)
        text += f" {path.decode('utf-8', 'replace')}"
        verdict = classify_sync(kind, path)
        if isinstance(verdict, Pass) and (kind in _TOLD or kind in _LISTED or kind == b"RECV"):
            return session.read(kind, path)
        if isinstance(verdict, Actions) and kind == b"SEND":
            return self._send(session, path, verdict, text)
        reason = verdict.reason if isinstance(verdict, Refusal) else "this form of the request is not offered"
        return self._refuse(session, text, reason)

    def _refuse(self, session: "_Session", text: str, reason: str) -> bool:
        _fail(session.near, feedback_of(self._gate.refuse(text, reason)))
        return False

    def _send(self, session: "_Session", path: bytes, actions: Actions, text: str) -> bool:
        name = path.rpartition(b",")[0].decode("utf-8", "replace")
        if name in self._own:
            session.swallow(name)
            session.near.write(HEAD.pack(b"OKAY", 0))
            return True
        session.took = False
        try:
            self._gate.act(actions.actions, lambda: session.send(path), what=text)
        except NotAllowed as error:
            session.discard()
            if self._on_block == "silent":
                session.near.write(HEAD.pack(b"OKAY", 0))
            else:
                _fail(session.near, feedback_of(error))
        except _FileRefused:
            pass  # the agent was told by the phone
        except DeviceError as error:
            if not session.took:
                session.discard()
            _fail(session.near, feedback_of(error))
            return False
        return True


class _FileRefused(Exception):
    """The phone did not accept a file, and said why: nothing or only a part of it was written."""

    delivered: bool | None = None


class _Session:
    """One stream of the agent and one of the phone, both between two requests."""

    def __init__(self, near: Stream, far: FarStream, sizes: dict[bytes, int]) -> None:
        self.near = near
        self.far = far
        self.took = False
        self._sizes = sizes

    # ---- reading -------------------------------------------------------------------------------------------

    def read(self, kind: bytes, path: bytes) -> bool:
        """Pass a reading request on, and its answer back; return whether another may follow."""
        if kind == b"STAT" and path in self._sizes:
            answer = struct.pack("<III", 0o100644, self._sizes[path], int(time.time()))
            self.near.write(b"STAT" + answer)
            return True
        self._write(HEAD.pack(kind, len(path)) + path)
        try:
            if kind in _TOLD:
                return self._tell_agent(*_TOLD[kind])
            if kind in _LISTED:
                return self._listed(*_LISTED[kind])
            return self._received()
        except EndOfStream:
            return False

    def _tell_agent(self, wanted: bytes, count: int) -> bool:
        identity = self.far.read_exactly(4)
        if identity == b"FAIL":
            return self._failed()
        if identity != wanted:
            return False
        self.near.write(identity + self.far.read_exactly(count))
        return True

    def _listed(self, entry: bytes, count: int) -> bool:
        while True:
            identity = self.far.read_exactly(4)
            if identity == b"FAIL":
                return self._failed()
            rest = self.far.read_exactly(count)
            (length,) = struct.unpack("<I", rest[-4:])
            if identity == b"DONE":
                self.near.write(identity + rest)
                return True
            if identity != entry or length > MOST_NAME:
                return False
            self.near.write(identity + rest + self.far.read_exactly(length))

    def _received(self) -> bool:
        while True:
            head = self.far.read_exactly(HEAD.size)
            identity, length = HEAD.unpack(head)
            if identity == b"DONE":
                self.near.write(head)
                return True
            if identity not in (b"DATA", b"FAIL") or length > MOST_CHUNK:
                return False
            self.near.write(head + self.far.read_exactly(length))
            if identity == b"FAIL":
                return True

    def _failed(self) -> bool:
        (length,) = struct.unpack("<I", self.far.read_exactly(4))
        if length > MOST_CHUNK:
            return False
        self.near.write(HEAD.pack(b"FAIL", length) + self.far.read_exactly(length))
        return True

    # ---- writing -------------------------------------------------------------------------------------------

    def chunks(self, each: Callable[[bytes, bytes], None]) -> None:
        """Read the messages after a SEND, including the last one.

        Raises:
            EndOfStream: the agent is gone, or sends something else.
        """
        while True:
            head = self.near.read_exactly(HEAD.size)
            identity, length = HEAD.unpack(head)
            if identity == b"DONE":
                each(head, b"")
                return
            if identity != b"DATA" or length > MOST_CHUNK:
                raise EndOfStream
            each(head, self.near.read_exactly(length))

    def discard(self) -> None:
        """Read a file that is not written."""
        self.chunks(lambda head, data: None)

    def swallow(self, name: str) -> None:
        """Accept a file if the guard has its own version of it: it is not written."""
        size = 0

        def count(head: bytes, data: bytes) -> None:
            nonlocal size
            size += len(data)
            if size > MOST_FILE:
                raise EndOfStream

        self.chunks(count)
        self._sizes[name.encode()] = size

    def send(self, path: bytes) -> None:
        """Write a file.

        Raises:
            _Failed: the phone did not accept it.
            DeviceLost: the phone is gone; it is not known how much was written.
        """
        leaving()
        try:
            self.far.write(HEAD.pack(b"SEND", len(path)) + path)
        except EndOfStream as error:
            raise DeviceLost(
                "the phone's file service ended; it is not known whether it was asked"
            ) from error
        self.took = True
        lost = False

        def write(head: bytes, data: bytes) -> None:
            nonlocal lost
            if not lost:
                try:
                    self.far.write(head + data)
                except EndOfStream:
                    lost = True  # read all of the agent's data, so that it reads the answer

        self.chunks(write)
        try:
            identity, length = HEAD.unpack(self.far.read_exactly(HEAD.size))
            message = self.far.read_exactly(length) if 0 < length <= MOST_CHUNK else b""
        except EndOfStream as error:
            raise DeviceLost(
                "the phone's file service ended; it is not known how much of the file arrived"
            ) from error
        if identity == b"OKAY":
            self.near.write(HEAD.pack(b"OKAY", 0))
            return
        self.near.write(HEAD.pack(b"FAIL", len(message)) + message)
        raise _FileRefused(message.decode("utf-8", "replace") or "the phone did not take the file")

    def _write(self, data: bytes) -> None:
        try:
            self.far.write(data)
        except EndOfStream as error:
            _fail(self.near, "the phone's file service ended")
            raise EndOfStream from error


def _fail(near: Stream, message: str) -> None:
    data = message.encode("utf-8", "replace")[:1000]
    near.write(HEAD.pack(b"FAIL", len(data)) + data)
