"""Runs an agent's program in its own network (Linux), in which there is only the guarded phone.

The program is started by this very module, which makes a user and a network namespace (``user_namespaces(7)``,
``network_namespaces(7)``), listens there on the ports that must be reached, hands the listening sockets to the
process outside, and becomes the program. A socket belongs to the namespace in which it was made: what is accepted
outside was connected inside.

The user is asked on the terminal, and the program must not answer for them. So it cannot put anything into the
terminal's input (``TIOCSTI`` of ``ioctl_tty(2)``, by a filter as in ``seccomp(2)``).
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
_PR_SET_NO_NEW_PRIVS: Final = 38
_PR_SET_SECCOMP: Final = 22
_SECCOMP_MODE_FILTER: Final = 2
_TYPING: Final = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX: the requests with which a program types into a terminal."""
# machine -> the numbers of its architectures (AUDIT_ARCH_*), and of their `ioctl`
_IOCTL: Final = {
    "x86_64": ((0xC000003E, (16, 0x40000000 | 16, 0x40000000 | 514)), (0x40000003, (54,))),
    "aarch64": ((0xC00000B7, (29,)), (0x40000028, (54,))),
    "riscv64": ((0xC00000F3, (29,)),),
}
_READY: Final = b"ready"


class NotIsolated(Exception):
    """The namespaces cannot be made; the message says why."""


class Isolation:
    """Lets a program inside reach some ports outside, under the same numbers on 127.0.0.1. A context manager.

    Args:
        ports: port inside -> host and port outside.
    """

    def __init__(self, ports: Mapping[int, tuple[str, int]]) -> None:
        if len(ports) > MOST_PORTS:
            raise NotIsolated(f"more than {MOST_PORTS} ports must be reached")
        self._ports = dict(ports)
        self._ours, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listening: list[socket.socket] = []

    @property
    def passed(self) -> tuple[int, ...]:
        """The files that the program must inherit."""
        return (self._theirs.fileno(),)

    def command(self, command: Sequence[str]) -> list[str]:
        """The command that starts a program inside."""
        ports = ",".join(map(str, self._ports))
        # Python isolated from the environment, so that this module is the one that starts
        return [sys.executable, "-I", __file__, str(self._theirs.fileno()), ports, *command]

    def begin(self) -> None:
        """Wait until the program is inside, and start forwarding its connections.

        Raises:
            NotIsolated: that failed.
        """
        self._theirs.close()
        self._ours.settimeout(20)
        try:
            message, files, _, _ = socket.recv_fds(self._ours, 4096, len(self._ports))
        except OSError as error:
            message, files = str(error).encode(), []
        finally:
            self._ours.close()
        self._listening = [socket.socket(fileno=file) for file in files]
        if message != _READY or len(files) != len(self._ports):
            self.close()
            raise NotIsolated(message.decode("utf-8", "replace") or "the program did not start")
        for listening, there in zip(self._listening, self._ports.values(), strict=True):
            listening.setblocking(True)
            threading.Thread(
                target=_accept, args=(listening, there), name="gate-isolation", daemon=True
            ).start()

    def close(self) -> None:
        """Stop forwarding. May be called twice."""
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
    """Copy data in one direction; the end of one side is passed to the other."""
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
        reply = fcntl.ioctl(any_socket, _SIOCGIFFLAGS, request)
        (flags,) = struct.unpack_from("16xh", reply)
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | _IFF_UP))


def keyboard_filter(machine: str) -> bytes:
    """The filter that stops programs from typing into a terminal: instructions of ``struct sock_filter``.

    Args:
        machine: as ``uname -m`` prints it.

    Raises:
        OSError: its system calls are not known here.
    """
    if machine not in _IOCTL:
        raise OSError(f"the terminal cannot be kept from a program on this kind of machine ({machine})")
    load, equal, give = 0x20, 0x15, 0x06  # BPF_LD|W|ABS, BPF_JMP|JEQ|K, BPF_RET|K
    allow, forbid = 0x7FFF0000, 0x00050000 | 1  # SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO with EPERM
    # offsets in struct seccomp_data (little-endian on all of these): 0 number, 4 kind of program, 24 second argument
    instructions: list[tuple[int, int, int, int]] = []
    for kind, numbers in _IOCTL[machine]:
        asked = [
            (load, 0, 0, 24),
            *((equal, len(_TYPING) - each, 0, word) for each, word in enumerate(_TYPING)),
        ]
        asked += [(give, 0, 0, allow), (give, 0, 0, forbid)]
        calls = [(load, 0, 0, 0), *((equal, len(numbers) - each, 0, n) for each, n in enumerate(numbers))]
        calls += [(give, 0, 0, allow)]
        instructions += [(load, 0, 0, 4), (equal, 0, len(calls) + len(asked), kind), *calls, *asked]
    instructions.append((give, 0, 0, forbid))  # an unknown architecture
    return b"".join(struct.pack("=HBBI", *each) for each in instructions)


def _keep_terminal() -> None:
    """Prevent this process, and all that it becomes and starts, from typing into a terminal.

    Raises:
        OSError: the system does not allow it.
    """
    import ctypes

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))

    instructions = keyboard_filter(os.uname().machine)
    program = Program(len(instructions) // 8, instructions)
    libc = ctypes.CDLL(None, use_errno=True)
    for arguments in (
        (_PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), ctypes.c_ulong(0)),
        (_PR_SET_SECCOMP, ctypes.c_ulong(_SECCOMP_MODE_FILTER), ctypes.byref(program)),
    ):
        if libc.prctl(*arguments, ctypes.c_ulong(0), ctypes.c_ulong(0)) != 0:
            number = ctypes.get_errno()
            raise OSError(number, f"the terminal cannot be kept from the program ({os.strerror(number)})")


def _inside(number: int, ports: Sequence[int], command: Sequence[str]) -> None:
    """Run the program inside, in place of this process."""
    report = socket.socket(fileno=number)
    try:
        _enter()
        _keep_terminal()
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
