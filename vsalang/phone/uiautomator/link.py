"""The connection to a device: its errors, and how it is restored for reading. An input is never sent again."""

import contextlib
import re
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from http.client import HTTPException
from typing import Any, Final, Self, TypeVar

from vsalang.phone.errors import DeviceError, DeviceLost, DeviceTimeout, NotConnected, NotDelivered
from vsalang.phone.states import remedy
from vsalang.phone.uiautomator.adb import adb_device, library, looking
from vsalang.program.delivery import reading

T = TypeVar("T")

POLL: Final = 0.3
"""Seconds between two checks whether the device is back."""
TRIES: Final = 3
"""How often one read is tried, however often the device comes back."""
_NETWORK: Final = re.compile(r"[\w.-]+:\d{1,5}", re.ASCII)


class Link:
    """One device of one adb server, with the uiautomator2 client for it.

    Attributes:
        adb: the adbutils client of the server.
        serial: the device.
        u2: the uiautomator2 client.
    """

    def __init__(self, adb: Any, serial: str, *, reconnect: float) -> None:
        """Connect.

        Args:
            reconnect: for how many seconds the device is waited for when it is gone; 0: not at all.

        Raises:
            DeviceLost: no adb server, or it has no such device.
            DeviceError: uiautomator2 is not installed, or its server did not start on the device.
        """
        self.adb = adb
        self.serial = serial
        self._reconnect = reconnect
        u2 = library("uiautomator2")
        with failures("connecting"):
            states = self._states()
            if states.get(serial) != "device":
                raise NotConnected(self._missing(states))
            self.u2: Any = u2.connect(adb_device(adb, serial))

    @classmethod
    def over(cls, u2: Any, *, reconnect: float) -> Self:
        """The link of a uiautomator2 client that is already connected."""
        link = cls.__new__(cls)
        link.adb, link.serial, link.u2 = u2.adb_device._client, str(u2.serial), u2
        link._reconnect = reconnect
        return link

    def _states(self) -> dict[str, str]:
        return {str(info.serial): str(info.state) for info in self.adb.list()}

    def _missing(self, states: dict[str, str]) -> str:
        state = f" is {states[self.serial]}" if self.serial in states else " is not among its devices"
        there = ", ".join(sorted(states)) or "none"
        return (
            f"adb server at {self.adb.host}:{self.adb.port}: {self.serial!r}{state}; there are: {there}. "
            f"{remedy(states.get(self.serial, ''))} "
            f"(`vsac phone doctor --device {shlex.quote(self.serial)}` looks closer)"
        )

    def look(self, doing: str, call: Callable[[], T]) -> T:
        """Do something that only reads; if the device or its server is gone, wait for it and read again.

        A server that was started here and does not answer in time is restarted, once.

        Args:
            call: reads; it may be called several times.

        Raises:
            DeviceError: as `failures`; the last error.
        """
        with reading():
            return self._look(doing, call)

    def _look(self, doing: str, call: Callable[[], T]) -> T:
        hung = False
        for left in reversed(range(TRIES)):
            try:
                with looking(), failures(doing):
                    return call()
            except DeviceTimeout:
                if hung or not left or self.u2._process is None:
                    raise  # the server belongs to the caller
                hung = True
                with looking(), failures(doing):
                    self.u2.reset_uiautomator()
            except DeviceLost as error:
                if not left:
                    raise
                self.recover(doing, error)
        raise AssertionError("a look is tried at least once")

    def recover(self, doing: str, error: DeviceError) -> None:
        """Wait until the device is back, and ensure that its server runs.

        Raises:
            DeviceLost: it did not reconnect in time.
        """
        until = time.monotonic() + self._reconnect
        while True:
            try:
                with failures(doing):
                    states = self._states()
                    if states.get(self.serial) == "device":
                        self._server()
                        return
                    error = NotConnected(f"{doing}: {self._missing(states)}")
                    if states.get(self.serial) == "unauthorized":
                        raise error
                    self._connect_again(self.serial in states)
            except DeviceLost as again:
                error = again
                if "unauthorized" in str(again):
                    raise
            if time.monotonic() + POLL > until:
                raise error
            time.sleep(POLL)

    def _server(self) -> None:
        """Ensure that the server on the device answers; start it if it does not."""
        process = self.u2._process
        if process is not None and process.pool() is not None:
            process.kill()  # its stream has ended, and so has the server
            self.u2._process = None
        self.u2.start_uiautomator()

    def _connect_again(self, listed: bool) -> None:
        """A lost device on the network does not reconnect by itself."""
        if not _NETWORK.fullmatch(self.serial):
            return
        import adbutils

        with contextlib.suppress(adbutils.AdbError):
            if listed:
                self.adb.disconnect(self.serial)
            self.adb.connect(self.serial, timeout=3)

    @contextlib.contextmanager
    def sent_once(self, doing: str) -> Iterator[None]:
        """Keep the library from sending an input again.

        When an answer is missing, it restarts its server on the device and repeats the call; but an input without an
        answer may have been made.
        """
        from adbutils.errors import AdbConnectionError

        def refuse(*_: Any, **__: Any) -> None:
            failed = sys.exception()
            if failed is not None and isinstance(failed.__cause__, AdbConnectionError):
                raise failed.__cause__  # there was no adb server to send it to
            raise DeviceLost(
                f"{doing}: the server on the device failed; whether the input arrived is unknown"
            )

        self.u2.stop_uiautomator = refuse
        try:
            yield
        finally:
            del self.u2.stop_uiautomator

    def close(self) -> None:
        """Close the connection; ends the server on the device if this connection started it."""
        import atexit

        atexit.unregister(self.u2.stop_uiautomator)
        with contextlib.suppress(Exception):  # whatever fails now, the connection is closed
            self.u2.stop_uiautomator(wait=False)


@contextlib.contextmanager
def failures(doing: str, *, untouched: bool = False) -> Iterator[None]:
    """Turn the exceptions of the libraries into `DeviceError`.

    Args:
        untouched: nothing was sent yet that could act, so that a failure to reach the server is `NotDelivered`.
    """
    import adbutils
    from adbutils.errors import AdbConnectionError, AdbTimeout
    from requests import exceptions as requests
    from uiautomator2 import exceptions as u2

    try:
        yield
    except DeviceError:
        raise
    except AdbConnectionError as error:
        kind: type[DeviceError] = NotDelivered if untouched else DeviceLost
        raise kind(f"{doing}: the adb server does not answer ({error})") from error
    except (AdbTimeout, u2.HTTPTimeoutError, TimeoutError) as error:
        raise DeviceTimeout(f"{doing}: no answer in time ({error})") from error
    except u2.UiObjectNotFoundError as error:
        kind = NotDelivered if untouched else DeviceError
        raise kind(f"{doing}: the device does not find the node ({short(error)})") from error
    except u2.AccessibilityServiceAlreadyRegisteredError as error:
        raise DeviceError(
            f"{doing}: another program uses uiautomation on the device, and Android allows one at a time; end it: "
            "`adb shell pkill -f uia2.Main`, `adb shell am force-stop io.appium.uiautomator2.server`"
        ) from error
    except u2.RPCError as error:
        raise DeviceError(f"{doing}: the device refused: {short(error)}") from error
    except (
        adbutils.AdbError,
        u2.DeviceError,
        OSError,
        EOFError,
        HTTPException,
        requests.RequestException,
    ) as error:
        raise DeviceLost(f"{doing}: the connection to the device is lost ({short(error)})") from error
    except (ValueError, KeyError, TypeError, AssertionError) as error:
        raise DeviceError(f"{doing}: the device answered nonsense ({short(error)})") from error


def short(error: BaseException) -> str:
    """The message of an error, on one line, shortened."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 300 else text[:300] + "..."
