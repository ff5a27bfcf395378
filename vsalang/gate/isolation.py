"""An agent's program in a network of its own (Linux), in which there is the guarded phone and nothing else.

The program is started by this very module, which makes a user and a network namespace (``user_namespaces(7)``,
``network_namespaces(7)``), listens there on the ports that are to be reached, hands the listening sockets to the
process outside, and becomes the program. A socket belongs to the namespace in which it was made: what is accepted
outside was connected inside.
"""

import contextlib
import os
import socket
import struct
import sys
import threading
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Final, Self

CLONE_NEWUSER: Final = 0x10000000
CLONE_NEWNET: Final = 0x40000000
_SIOCGIFFLAGS: Final = 0x8913
_SIOCSIFFLAGS: Final = 0x8914
_IFF_UP: Final = 0x1
MOST_PORTS: Final = 64
_READY: Final = b"ready"


class NotIsolated(Exception):
    """The namespaces cannot be made; the message says why."""


class Isolation:
    """Lets a program inside reach some ports outside, by the same numbers on 127.0.0.1. A context manager.

    Args:
        ports: port inside -> host and port outside.
    """

    def __init__(self, ports: Mapping[int, tuple[str, int]]) -> None:
        if len(ports) > MOST_PORTS:
            raise NotIsolated(f"more than {MOST_PORTS} ports are to be reached")
        self._ports = dict(ports)
        self._ours, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listening: list[socket.socket] = []

    @property
    def passed(self) -> tuple[int, ...]:
        """The files that the program must inherit."""
        return (self._theirs.fileno(),)

    def command(self, command: Sequence[str]) -> list[str]:
        """What is to be started instead of a program."""
        ports = ",".join(map(str, self._ports))
        # isolated from the environment, so that what starts is what is meant
        return [sys.executable, "-I", __file__, str(self._theirs.fileno()), ports, *command]

    def begin(self) -> None:
        """Wait until the program is inside, and carry what it sends.

        Raises:
            NotIsolated: it did not get there.
        """
        self._theirs.close()
        self._ours.settimeout(20)
        try:
            said, files, _, _ = socket.recv_fds(self._ours, 4096, len(self._ports))
        except OSError as error:
            said, files = str(error).encode(), []
        finally:
            self._ours.close()
        self._listening = [socket.socket(fileno=file) for file in files]
        if said != _READY or len(files) != len(self._ports):
            self.close()
            raise NotIsolated(said.decode("utf-8", "replace") or "the program did not start")
        for listening, there in zip(self._listening, self._ports.values(), strict=True):
            listening.setblocking(True)
            threading.Thread(
                target=_accept, args=(listening, there), name="gate-isolation", daemon=True
            ).start()

    def close(self) -> None:
        """Carry nothing more. May be called twice."""
        for listening in self._listening:
            with contextlib.suppress(OSError):
                listening.shutdown(socket.SHUT_RDWR)
            listening.close()
        self._listening = []
        for end in (self._ours, self._theirs):
            end.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _accept(listening: socket.socket, there: tuple[str, int]) -> None:
    while True:
        try:
            inside, _ = listening.accept()
        except OSError:
            return
        threading.Thread(target=_carry, args=(inside, there), name="gate-isolation", daemon=True).start()


def _carry(inside: socket.socket, there: tuple[str, int]) -> None:
    try:
        outside = socket.create_connection(there, timeout=10)
    except OSError:
        inside.close()
        return
    outside.settimeout(None)
    for end in (inside, outside):
        with contextlib.suppress(OSError):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    back = threading.Thread(target=_pump, args=(outside, inside), name="gate-isolation", daemon=True)
    back.start()
    _pump(inside, outside)
    back.join()
    inside.close()
    outside.close()


def _pump(source: socket.socket, target: socket.socket) -> None:
    """Carry one way; an end that is finished is finished on the other side too."""
    quick = getattr(socket, "TCP_QUICKACK", None)
    with contextlib.suppress(OSError):
        while data := source.recv(256 << 10):
            if quick is not None:
                source.setsockopt(socket.IPPROTO_TCP, quick, 1)
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


# ---- inside ------------------------------------------------------------------------------------------------------


def _enter() -> None:
    """Make the namespaces, and switch the loopback interface on.

    Raises:
        OSError: the system does not allow it.
    """
    import ctypes
    import fcntl

    user, group = os.getuid(), os.getgid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"user namespaces are not allowed here ({os.strerror(number)})")
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:  # noqa: PTH123
            file.write(text)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh14x", b"lo", 0)
        found = fcntl.ioctl(any_socket, _SIOCGIFFLAGS, request)
        (flags,) = struct.unpack_from("16xh", found)
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | _IFF_UP))


def _inside(number: int, ports: Sequence[int], command: Sequence[str]) -> None:
    """Become the program, inside."""
    report = socket.socket(fileno=number)
    try:
        _enter()
        listening = []
        for port in ports:
            made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(("127.0.0.1", port))
            made.listen(64)
            listening.append(made)
        socket.send_fds(report, [_READY], [made.fileno() for made in listening])
    except Exception as error:
        report.sendall(str(error).encode("utf-8", "replace")[:4000])
        sys.exit(126)
    for made in [*listening, report]:
        made.close()
    try:
        os.execvp(command[0], list(command))
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)
        sys.exit(127)


if __name__ == "__main__":
    _inside(int(sys.argv[1]), [int(port) for port in sys.argv[2].split(",") if port], sys.argv[3:])
