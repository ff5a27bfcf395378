"""The adb services of the simulated phone by name, shared by its adb server and its adb daemon."""

import struct
import threading
from collections.abc import Callable

from vsalang.phone.sim import http, sync
from vsalang.phone.sim.files import Files
from vsalang.phone.sim.phone import Phone
from vsalang.phone.sim.reverse import Reverse
from vsalang.phone.sim.rpc import Automator
from vsalang.phone.sim.shell.shell import Shell
from vsalang.phone.sim.terminals import OutputCollector, Packets, Pty, Raw
from vsalang.phone.wire.services import Handler, ServiceRefused, Stream

FEATURES = ("shell_v2", "cmd", "stat_v2", "ls_v2", "fixed_push_mkdir", "abb_exec")
"""The features that the device announces. Without compressed transfer, delayed acknowledgements, and so on."""


class PhoneServices:
    """The services of one simulated phone: ``shell:``, ``shell,v2:``, ``exec:``, ``abb_exec:``, ``sync:``,
    ``tcp:PORT``, ``framebuffer:``, ``reverse:..``, ``root:`` and its like."""

    def __init__(self, phone: Phone) -> None:
        self.phone = phone
        self.files = Files()
        self.shell = Shell(phone, self.files, self.start_server)
        self.reverse = Reverse()
        self._servers: dict[int, Automator] = {}
        self._lock = threading.Lock()

    def start_server(self, port: int, died: Callable[[], None] = lambda: None) -> Callable[[], None] | None:
        """Start the uiautomator2 server on a port; returns a function that stops it, or None if one already runs.

        Args:
            died: called when a fault of the scenario ends it.
        """
        with self._lock:
            if self._servers or not 1 <= port <= 65535:
                return None
            server = self._servers[port] = Automator(self.phone)

        def stop() -> None:
            with self._lock:
                if self._servers.get(port) is server:
                    del self._servers[port]

        def die() -> None:
            stop()
            died()

        server.die = die
        server.shell = self._output
        return stop

    def open(self, name: str) -> Handler:
        if self.phone.opening():
            raise ServiceRefused("device offline")
        kind, _, rest = name.partition(":")
        options = kind.split(",")
        if options[0] == "shell" and "v2" in options[1:]:
            return lambda stream: self._packets(stream, rest, "pty" in options[1:])
        if options[0] in ("shell", "exec"):
            return lambda stream: self._raw(stream, rest)
        if kind == "abb_exec":
            return lambda stream: self._cmd(stream, rest)
        if kind == "sync":
            return lambda stream: sync.serve(stream, self.files)
        if kind == "tcp" and rest.isascii() and rest.isdigit() and len(rest) <= 5:
            server = self._servers.get(int(rest))
            if server is not None:
                return lambda stream: http.serve(stream, server)
        if kind == "framebuffer":
            return self._framebuffer
        if kind == "reverse":
            return lambda stream: self.reverse.serve(stream, rest)
        if kind in ("root", "remount", "reboot") or (kind == "unroot" and not self.phone.spec.root):
            return lambda stream: self._adbd(stream, kind)
        raise ServiceRefused("closed")

    def _framebuffer(self, stream: Stream) -> None:
        """A picture of the screen: a head of version 1, then each pixel as red, green, blue and alpha."""
        from vsalang.phone.sim.paint import pixels

        width, height, data = pixels(self.phone)
        stream.write(struct.pack("<13I", 1, 32, len(data), width, height, 0, 8, 16, 8, 8, 8, 24, 8))
        stream.write(data)

    def _adbd(self, stream: Stream, kind: str) -> None:
        """``root:`` and the like: what adbd prints. On a phone with ``root = true`` it runs as root already."""
        root = self.phone.spec.root
        if kind == "reboot":
            self.phone.restart()
        elif kind == "remount":
            stream.write(b"remount succeeded\n" if root else b'Not running as root. Try "adb root" first.\n')
        elif root:
            stream.write(b"adbd is already running as root\n")
        else:
            refused = b"adbd cannot run as root in production builds\n"
            stream.write(refused if kind == "root" else b"adbd not running as root\n")

    def _output(self, line: str) -> str:
        """The output of a command line."""
        collected = OutputCollector()
        self.shell.run(line, collected)
        return b"".join(collected.parts).decode("utf-8", "replace")

    def _raw(self, stream: Stream, line: str) -> None:
        terminal = Raw(stream)
        if line.strip():
            self.shell.run(line, terminal)
        else:
            self.shell.session(terminal)

    def _packets(self, stream: Stream, line: str, pty: bool) -> None:
        packets = Packets(stream)
        terminal = Pty(packets) if pty else packets
        if line.strip():
            status = self.shell.run(line, terminal)
        else:
            status = self.shell.session(terminal, terminal.prompt if isinstance(terminal, Pty) else None)
        packets.exit(status)

    def _cmd(self, stream: Stream, arguments: str) -> None:
        """``abb_exec``: as ``cmd``, with arguments separated by NULs, without a shell."""
        self.shell.run_words(["cmd", *arguments.rstrip("\0").split("\0")], Raw(stream))
