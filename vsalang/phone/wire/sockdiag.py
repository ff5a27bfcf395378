"""Asks the Linux kernel about one TCP socket by its two addresses (netlink, sock_diag(7)).

The tables in ``/proc/net`` say the same, but must be read completely, which takes time with many connections.
"""

import ipaddress
import itertools
import socket
import struct
from typing import Final

_NETLINK_SOCK_DIAG: Final = 4
_SOCK_DIAG_BY_FAMILY: Final = 20
_NLM_F_REQUEST: Final = 1
_LISTEN: Final = 10
_ALL_STATES: Final = 0xFFFFFFFF
_NO_COOKIE: Final = b"\xff" * 8
_HEADER: Final = struct.Struct("=IHHII")
"""Length, type, flags, number and sender of a message (nlmsghdr)."""
_ASKED: Final = struct.Struct("=BBBxI")
"""Family, protocol, extensions and states of a request (inet_diag_req_v2), before the socket's id."""
_ID: Final = struct.Struct("!HH16s16s4x8s")
"""Ports, addresses and cookie of a socket (inet_diag_sockid); any interface."""
_TOLD: Final = struct.Struct("=BBxx48x12xII")
"""Family, state, user and inode of an answer (inet_diag_msg)."""

_numbers = itertools.count(1)

Address = tuple[str, int]


def user_of_socket(near: Address, far: Address) -> int | None:
    """The owner of the socket with this local and remote address.

    Returns:
        None: there is no such socket, nobody holds it any more, or the system cannot be asked.
    """
    try:
        ours, theirs = _bytes(near), _bytes(far)
        family = socket.AF_INET if len(ours) == len(theirs) == 4 else socket.AF_INET6
        request = _ASKED.pack(family, socket.IPPROTO_TCP, 0, _ALL_STATES)
        request += _ID.pack(near[1], far[1], ours, theirs, _NO_COOKIE)
        return _read(_ask(request), (near[1], far[1], ours, theirs))
    except (OSError, ValueError, struct.error, AttributeError):  # AttributeError: no netlink in this Python
        return None


def _bytes(address: Address) -> bytes:
    ip = ipaddress.ip_address(address[0].partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped is not None:
        ip = ip.ipv4_mapped
    return ip.packed


def _ask(request: bytes) -> bytes:
    """The kernel's answer to a request, without its header."""
    number = next(_numbers) & 0xFFFFFFFF
    length = _HEADER.size + len(request)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _NETLINK_SOCK_DIAG) as kernel:
        kernel.settimeout(1)
        kernel.sendto(_HEADER.pack(length, _SOCK_DIAG_BY_FAMILY, _NLM_F_REQUEST, number, 0) + request, (0, 0))
        answer, (sender, _) = kernel.recvfrom(1 << 14)
    length, kind, _, its, _ = _HEADER.unpack_from(answer)
    if sender != 0 or its != number or kind != _SOCK_DIAG_BY_FAMILY or length > len(answer):
        return b""
    return answer[_HEADER.size : length]


def _read(answer: bytes, asked: tuple[int, int, bytes, bytes]) -> int | None:
    """The user in an answer, if it is about exactly the requested socket and that has an owner."""
    if len(answer) < _TOLD.size:
        return None
    family, state, user, inode = _TOLD.unpack_from(answer)
    near, far, ours, theirs, _ = _ID.unpack_from(answer, 4)
    connection = (near, far, _short(family, ours), _short(family, theirs))
    return int(user) if connection == asked and state != _LISTEN and inode != 0 else None


def _short(family: int, packed: bytes) -> bytes:
    if family == socket.AF_INET:
        return packed[:4]
    mapped = ipaddress.IPv6Address(packed).ipv4_mapped
    return packed if mapped is None else mapped.packed
