"""Finds out which user of this machine made a connection.

A port on the loopback interface is open to every user of the machine. Linux says who owns a socket: of a single
one (`sockdiag`), and of all in ``/proc/net/tcp`` (and ``tcp6``), which are read where the kernel cannot be asked. A
socket that is not found, or has no owner any more, belongs to a stranger. Other systems do not say it reliably: see
`CAN_TELL`.
"""

import ipaddress
import os
import socket
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from vsalang.base.options import option
from vsalang.phone.wire.sockdiag import user_of_socket

CAN_TELL: Final = sys.platform == "linux"
"""Whether this system says who owns a connection. If not, every user of the machine may connect."""
_MORE_LOOKS: Final = 3
"""How often the tables are read: while many connections open and close, one may be missed."""
_TABLES: Final = ("/proc/net/tcp", "/proc/net/tcp6")


class Stranger(Exception):
    """A connection that is refused; the message says why."""


def own_user(more: Iterable[int] = ()) -> frozenset[int]:
    """Who may connect: the user of this process, and these further ones."""
    own = {os.geteuid()} if hasattr(os, "geteuid") else set()
    return frozenset(own).union(more)


def check_peer(connection: socket.socket, users: Iterable[int]) -> None:
    """Check that the other end of a connection belongs to one of the users. Accepts everybody if `CAN_TELL` is false.

    Raises:
        Stranger: it does not, or that is not known.
    """
    if not CAN_TELL:
        return
    try:
        near, far = connection.getsockname(), connection.getpeername()
    except OSError as error:
        raise Stranger("it ended before its owner was known") from error
    user = user_of_socket(far[:2], near[:2])
    if user is None and user_of_socket(near[:2], far[:2]) is None:
        # it does not know our own end either: the kernel cannot be asked
        user = _from_tables(far[:2], near[:2])
    if user is None:
        raise Stranger("its owner is not known")
    if user not in users:
        raise Stranger(f"it belongs to {name_of(user)}")


def _from_tables(near: tuple[str, int], far: tuple[str, int]) -> int | None:
    user = user_of(near, far)
    for _ in range(_MORE_LOOKS):
        if user is not None:
            break
        time.sleep(0.01)
        user = user_of(near, far)
    return user


def user_of(near: tuple[str, int], far: tuple[str, int], tables: Iterable[str] = _TABLES) -> int | None:
    """The user of the socket with this local and remote address, from the tables of all sockets.

    Returns:
        None: it is not known.
    """
    wanted = {(own, other) for own in _written(*near) for other in _written(*far)}
    users: set[int] = set()
    for table in tables:
        try:
            with Path(table).open(encoding="ascii") as lines:
                next(lines, "")
                for text in lines:
                    fields = text.split()
                    # a socket without an owner is listed as root's, with inode 0
                    if (fields[1], fields[2]) in wanted and fields[9] != "0":
                        users.add(int(fields[7]))
        except (OSError, ValueError, IndexError):
            if table == _TABLES[0]:
                return None
    return users.pop() if len(users) == 1 else None


def _written(host: str, port: int) -> Iterator[str]:
    """An address in the format of the tables: each four bytes as a number in this machine's byte order."""
    address = ipaddress.ip_address(host.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    forms = [address.packed]
    if isinstance(address, ipaddress.IPv4Address):
        forms.append(ipaddress.IPv6Address(f"::ffff:{address}").packed)
    for form in forms:
        numbers = (int.from_bytes(form[at : at + 4], sys.byteorder) for at in range(0, len(form), 4))
        yield "".join(f"{number:08X}" for number in numbers) + f":{port:04X}"


def name_of(user: int) -> str:
    """A user's name for messages."""
    import pwd

    try:
        return f"user {pwd.getpwuid(user).pw_name} ({user})"
    except KeyError:
        return f"user {user}"


def user_named(text: str) -> int:
    """The number of a user, given by name or number.

    Raises:
        ValueError: there is none of this name.
    """
    if text.isascii() and text.isdecimal() and len(text) < 11:
        return int(text)
    import pwd

    try:
        return pwd.getpwnam(text).pw_uid
    except KeyError:
        raise ValueError(f"there is no user {text!r}") from None


def allowed_users() -> Any:
    """The option ``--allow-user`` (`tuple[int, ...]`)."""
    return option(
        "--allow-user",
        default=(),
        read=user_named,
        metavar="USER",
        help="Another user of this machine, by name or number, who may connect to the ports without a token; "
        "repeatable.",
        default_text="only who started this",
    )
