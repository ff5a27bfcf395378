"""TCP connections as streams, and listeners that run a function on each connection."""

import contextlib
import logging
import socket
import struct
import threading
from collections.abc import Callable, Iterable

from vsalang.phone.wire.peers import Stranger, check_peer, own_user
from vsalang.phone.wire.services import EndOfStream, read_whole

log = logging.getLogger(__name__)

MOST_CONNECTIONS = 512
_QUICKACK: int | None = getattr(socket, "TCP_QUICKACK", None)  # Linux only


def tune(connection: socket.socket) -> None:
    """Set options of a socket: send without delay, and detect a dead peer."""
    with contextlib.suppress(OSError):  # it may be closed already; reading will show that
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
            if hasattr(socket, name):
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def acknowledge(connection: socket.socket) -> None:
    """Acknowledge received data at once. A client that sends head and body of a request apart would otherwise
    wait 40 ms each time (Nagle's algorithm against delayed acknowledgement). The kernel takes the option back, so
    set it again after each read."""
    if _QUICKACK is not None:
        with contextlib.suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, _QUICKACK, 1)


def limit_sending(connection: socket.socket, seconds: int) -> None:
    """Let a send fail if the peer reads nothing for this time."""
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("@ll", seconds, 0))


class SocketStream:
    """A TCP connection as a `Stream`."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        tune(connection)
        acknowledge(connection)

    def read(self, most: int) -> bytes:
        """See `Stream.read`; a connection that was reset counts as finished."""
        try:
            data = self._socket.recv(most)
        except OSError:
            return b""
        acknowledge(self._socket)
        return data

    def read_exactly(self, count: int) -> bytes:
        return read_whole(self.read, count)

    def write(self, data: bytes) -> None:
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise EndOfStream from error

    def fileno(self) -> int:
        """The descriptor, for `select`; -1 once it is closed."""
        return self._socket.fileno()

    def finish(self) -> None:
        """End it after the last answer: a connection closed with bytes unread could take that answer back."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
            self._socket.settimeout(0.2)
            for _ in range(64):
                if not self._socket.recv(1 << 16):
                    break

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


def _gone(connection: socket.socket) -> bool:
    """Whether the other end has closed the connection already, so that there is nobody to refuse."""
    try:
        return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


class Listener:
    """Accepts connections on a port and runs a function on each, in a thread of its own.

    Args:
        serve: gets the connection; the connection ends when it returns.
        users: of this machine, who may connect (`vsalang.phone.wire.peers`); None: this process's user.
        refusal: what a stranger gets before their connection ends.

    Raises:
        OSError: the port is taken.
    """

    def __init__(
        self,
        port: int,
        serve: Callable[[socket.socket], None],
        host: str = "127.0.0.1",
        name: str = "adb",
        users: Iterable[int] | None = None,
        refusal: bytes = b"",
    ) -> None:
        self._serve = serve
        self._name = name
        self._users = own_user() if users is None else frozenset(users)
        self._refusal = refusal
        self._reported: set[str] = set()
        self._socket = socket.create_server((host, port), backlog=128)
        self.host = host
        self.port: int = self._socket.getsockname()[1]
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._accept, name=f"{name}-accept-{self.port}", daemon=True)
        self._thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                if self._closed:
                    return
                log.warning("a connection could not be accepted", exc_info=True)
                if self._socket.fileno() < 0:
                    return
                threading.Event().wait(0.1)  # such as too many open files, which is temporary
                continue
            with self._lock:
                if self._closed or len(self._open) >= MOST_CONNECTIONS:
                    connection.close()
                    continue
                self._open.add(connection)
            threading.Thread(target=self._run, args=(connection,), name=self._name, daemon=True).start()

    def _run(self, connection: socket.socket) -> None:
        try:
            check_peer(connection, self._users)
            self._serve(connection)
        except Stranger as stranger:
            if not _gone(connection):
                self._turn_away(connection, str(stranger))
        except EndOfStream:
            pass
        except Exception:  # a peer must never take the others down with it
            log.exception("a connection failed")
        finally:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
            with self._lock:
                self._open.discard(connection)

    def _turn_away(self, connection: socket.socket, why: str) -> None:
        if why not in self._reported:  # printed once, so that a stranger cannot fill the terminal
            self._reported.add(why)
            log.warning(
                "a connection to %s:%d is refused: %s (--allow-user accepts a user)",
                self.host,
                self.port,
                why,
            )
        if self._refusal:
            stream = SocketStream(connection)
            with contextlib.suppress(EndOfStream):
                stream.write(self._refusal)
            stream.finish()

    def close(self) -> None:
        """Stop accepting, end all connections. May be called twice."""
        with self._lock:
            self._closed = True
            connections = list(self._open)
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)  # its reader wakes up, and closes it
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout=2)
