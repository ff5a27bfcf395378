"""Sends a shell's input and output over a stream: as they are, or in the packets of ``shell,v2``."""

import struct

from vsalang.phone.wire.services import EndOfStream, Stream

MOST_PACKET = 1 << 20
PIECE = 1 << 16


class Raw:
    """``shell:`` and ``exec:``: both descriptors on one stream, no exit status."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def out(self, data: bytes) -> None:
        self._stream.write(data)

    err = out

    def read(self, most: int) -> bytes:
        return self._stream.read(most)

    def wait_closed(self) -> None:
        while self._stream.read(4096):
            pass

    def end(self) -> None:
        self._stream.close()


class Packets:
    """``shell,v2``: each packet is an id byte, a length, data."""

    STDIN, STDOUT, STDERR, EXIT, CLOSE_STDIN, WINDOW_SIZE = range(6)

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._left = b""
        self._ended = False

    def _send(self, kind: int, data: bytes) -> None:
        for start in range(0, max(1, len(data)), PIECE):
            piece = data[start : start + PIECE]
            self._stream.write(struct.pack("<BI", kind, len(piece)) + piece)

    def out(self, data: bytes) -> None:
        self._send(self.STDOUT, data)

    def err(self, data: bytes) -> None:
        self._send(self.STDERR, data)

    def exit(self, status: int) -> None:
        """The last packet: the exit status."""
        self._send(self.EXIT, bytes([status & 0xFF]))

    def read(self, most: int) -> bytes:
        while not self._left and not self._ended:
            kind, data = self._packet()
            if kind == self.STDIN:
                self._left = data
            elif kind in (self.CLOSE_STDIN, -1):
                self._ended = True
        data, self._left = self._left[:most], self._left[most:]
        return data

    def _packet(self) -> tuple[int, bytes]:
        """The next packet; kind -1 at the end, or if the bytes are not a packet."""
        try:
            kind, length = struct.unpack("<BI", self._stream.read_exactly(5))
            if length > MOST_PACKET or kind > self.WINDOW_SIZE:
                return -1, b""
            return kind, self._stream.read_exactly(length)
        except EndOfStream:
            return -1, b""

    def wait_closed(self) -> None:
        while self._stream.read(4096):
            pass

    def end(self) -> None:
        self._stream.close()


class Pty:
    """An interactive terminal: it echoes, edits the line, and ends lines as a terminal does."""

    PROMPT = b"phone:/ $ "

    def __init__(self, inner: Packets) -> None:
        self._inner = inner
        self._lines: list[bytes] = []
        self._line = bytearray()
        self._ended = False

    def out(self, data: bytes) -> None:
        self._inner.out(data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))

    err = out

    def prompt(self) -> None:
        """Ask for a command."""
        self._inner.out(self.PROMPT)

    def read(self, most: int) -> bytes:
        """See `Terminal.read`; a line at a time, b"" after Ctrl-D."""
        while not self._lines and not self._ended:
            data = self._inner.read(4096)
            if not data:
                self._ended = True
            for byte in data:
                self._typed(byte)
        if not self._lines:
            return b""
        line = self._lines.pop(0)
        if len(line) > most:
            self._lines.insert(0, line[most:])
        return line[:most]

    def _typed(self, byte: int) -> None:
        if byte in (0x0A, 0x0D):
            self._inner.out(b"\r\n")
            self._lines.append(bytes(self._line) + b"\n")
            self._line.clear()
        elif byte in (0x08, 0x7F):
            if self._line:
                del self._line[-1]
                self._inner.out(b"\b \b")
        elif byte == 0x03:
            self._inner.out(b"^C\r\n" + self.PROMPT)
            self._line.clear()
        elif byte == 0x04:
            self._ended = self._ended or not self._line
        elif byte >= 0x20 and len(self._line) < MOST_PACKET:
            self._line.append(byte)
            self._inner.out(bytes([byte]))

    def wait_closed(self) -> None:
        self._inner.wait_closed()

    def end(self) -> None:
        self._inner.end()


class OutputCollector:
    """A terminal without input that collects the output."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.out = self.parts.append
        self.err = self.parts.append

    def read(self, most: int) -> bytes:
        return b""

    def wait_closed(self) -> None:
        """It is never closed by the other side."""

    def end(self) -> None:
        """There is nothing to end."""
