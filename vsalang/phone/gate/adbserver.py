"""A real adb server for the agent, which knows only the guarded phone.

The adb command's server accepts everybody. If this system says who owns a connection, the server listens in a
private folder, behind a port that checks the owner of each connection.
"""

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from vsalang.phone.errors import DeviceError
from vsalang.phone.gate.keeper import Keeper
from vsalang.phone.wire import EndOfStream, splice
from vsalang.phone.wire.peers import CAN_TELL
from vsalang.phone.wire.sockets import Listener, SocketStream

START_SECONDS: Final = 15.0
_LONGEST_PATH: Final = 107
"""Bytes of the path of a Unix socket, on Linux."""
_KILL: Final = b"0009host:kill"
"""The request of ``adb kill-server``."""
_REFUSED: Final = b"vsalang: this port is for one user, and you are another (see --allow-user)"
_STRANGER: Final = b"FAIL" + f"{len(_REFUSED):04x}".encode() + _REFUSED


def find_adb() -> str:
    """The adb command: the one on the path, else the one that comes with adbutils.

    Raises:
        DeviceError: there is none.
    """
    program = shutil.which("adb")
    if program is not None:
        return program
    with contextlib.suppress(Exception):
        import adbutils

        return str(adbutils.adb_path())
    raise DeviceError("there is no adb command: install it, or leave out `--adb-server real`")


class RealAdbServer:
    """An adb server on a free port, in the foreground of this process, connected to one phone. A context manager.

    Attributes:
        port: where it is reached, on 127.0.0.1.
        serial: the phone, as it names it.
        guarded: whether other users of this machine are refused at the port. Ports that the server opens itself
            (``adb forward``) accept everybody.

    Args:
        phone: the guarded phone's ``HOST:PORT``.
        adb: the command; None: `find_adb`.
        environment: None: this process's.
        users: of this machine, who may connect; None: this process's user.

    Raises:
        DeviceError: it does not start, or cannot connect to the phone.
    """

    def __init__(
        self,
        phone: str,
        *,
        adb: str | None = None,
        environment: Mapping[str, str] | None = None,
        users: Iterable[int] | None = None,
    ) -> None:
        self._adb = adb or find_adb()
        self.serial = phone
        self.guarded = CAN_TELL
        base = dict(os.environ if environment is None else environment)
        for name in [name for name in base if name.startswith(("ANDROID_", "ADB_"))]:
            del base[name]
        # it searches no emulators and network phones, uses no USB (which it would first search for three seconds),
        # and does not have the user's key
        self._home = tempfile.TemporaryDirectory(prefix="vsac-adb-", ignore_cleanup_errors=True)
        self._environment = base | {
            "ADB_LOCAL_TRANSPORT_MAX_PORT": "5553",
            "ADB_MDNS": "0",
            "ADB_MDNS_AUTO_CONNECT": "",
            "ADB_USB": "0",
            "HOME": self._home.name,
        }
        self._socket = Path(self._home.name) / "adb"
        length = len(os.fsencode(self._socket))
        if self.guarded and length > _LONGEST_PATH:
            self._home.cleanup()
            raise DeviceError(
                f"the path of the folder for temporary files is too long for the agent's own adb server: its socket "
                f"would have a path of {length} bytes, and at most {_LONGEST_PATH} are possible. "
                "Set TMPDIR to a folder with a short path, such as /tmp"
            )
        self._door: Listener | None = None
        try:
            if self.guarded:
                self._door = Listener(0, self._serve, name="adb-door", users=users, refusal=_STRANGER)
            self.port = self._door.port if self._door is not None else _free_port()
        except OSError as error:
            self._home.cleanup()
            raise DeviceError(f"no port for the agent's own adb server: {error}") from error
        where = f"localfilesystem:{self._socket}" if self.guarded else f"tcp:localhost:{self.port}"
        self._command = [self._adb, "-L", where]
        self._process: subprocess.Popen[bytes] | None = None
        self._keeper: Keeper | None = None
        self._starting = threading.Lock()
        self._closed = False
        try:
            if self._knows_one_device():
                self._command += ["--one-device", "none"]
            self._start()
        except BaseException:
            self.close()
            raise

    def _start(self) -> None:
        """Start the adb command's server, unless it runs: a client may have ended it (``adb kill-server``).

        Raises:
            DeviceError: it does not start, or cannot connect to the phone.
            OSError: the command cannot be run.
        """
        with self._starting:
            if self._closed or (self._process is not None and self._process.poll() is None):
                return
            self._socket.unlink(missing_ok=True)
            self._process = subprocess.Popen(
                [*self._command, "nodaemon", "server"],
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            self._keep()
            self._connect()

    def _keep(self) -> None:
        """End the server with this process, whatever ends it."""
        assert self._process is not None
        if self._keeper is not None:
            self._keeper.close()
        self._keeper = Keeper(self._process.pid)

    def _knows_one_device(self) -> bool:
        try:
            result = subprocess.run(
                [self._adb, "--help"],
                env=self._environment,
                capture_output=True,
                timeout=START_SECONDS,
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise DeviceError(f"{self._adb} cannot be run: {error}") from error
        return b"--one-device" in result.stdout + result.stderr

    def _reached(self) -> socket.socket:
        """A connection to the adb command's server. Raises `OSError`."""
        if not self.guarded:
            return socket.create_connection(("127.0.0.1", self.port), timeout=2)
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(str(self._socket))
        except BaseException:
            connection.close()
            raise
        return connection

    def _serve(self, near: socket.socket) -> None:
        client = SocketStream(near)
        with contextlib.suppress(OSError, EndOfStream):
            request = client.read_exactly(4)
            if request == _KILL[:4]:
                request += client.read_exactly(len(_KILL) - 4)
            if request == _KILL:  # it is answered here, and the server stays
                client.write(b"OKAY")
                client.finish()
                return
            with contextlib.suppress(DeviceError):
                self._start()
            with self._reached() as far:
                server = SocketStream(far)
                server.write(request)
                splice(client, server)

    def _connect(self) -> None:
        assert self._process is not None
        until = time.monotonic() + START_SECONDS
        message = ""
        while time.monotonic() < until and self._process.poll() is None:
            try:
                with self._reached() as connection:
                    request = f"host:connect:{self.serial}".encode()
                    connection.settimeout(10)
                    connection.sendall(f"{len(request):04x}".encode() + request)
                    message = _answer(connection)
            except OSError as error:
                message = str(error)
            if "connected to" in message:
                return
            time.sleep(0.05)
        raise DeviceError(f"the agent's own adb server did not start or connect: {message or 'it ended'}")

    def close(self) -> None:
        """End it. May be called twice."""
        self._closed = True
        if self._door is not None:
            self._door.close()
        if self._process is not None:
            if self._process.poll() is None:
                self._process.terminate()
                try:
                    self._process.wait(timeout=3)
                except subprocess.TimeoutExpired:
                    self._process.kill()
            self._process.wait()
        if self._keeper is not None:
            self._keeper.close()
        self._home.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _answer(connection: socket.socket) -> str:
    data = b""
    while chunk := connection.recv(4096):
        data += chunk
    return data[8:].decode("utf-8", "replace")


def _free_port() -> int:
    """A free port outside the range of emulators."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        if not 5037 <= port <= 5682:
            return port
