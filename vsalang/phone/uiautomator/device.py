"""`UiAutomatorDevice`: a `Device` through uiautomator2, made of a link, a part that observes and a part that acts."""

import contextlib
import re
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, Final, Self

from vsalang.phone.errors import DeviceError, DeviceLost, NotDelivered
from vsalang.phone.protocol import DeviceInfo
from vsalang.phone.uiautomator.acting import Hand
from vsalang.phone.uiautomator.adb import adb_client, read_shell
from vsalang.phone.uiautomator.conditional import still_about
from vsalang.phone.uiautomator.link import Link, failures
from vsalang.phone.uiautomator.looking import Eyes, screenshot
from vsalang.phone.uiautomator.trace import Tracer, Tracing
from vsalang.phone.uiautomator.tracetext import PACKAGE, version_of
from vsalang.program.action import Action
from vsalang.program.delivery import leaving, sending
from vsalang.program.screen import Cells
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Tree

_PATIENCE: Final = 2.0
"""Seconds in which a device says the version of an app."""
_MOST: Final = 256 * 1024


def connect(
    serial: str,
    *,
    adb_host: str | None = None,
    adb_port: int | None = None,
    settle_interval: float = 0.2,
    settle_timeout: float = 5.0,
    reconnect: float = 15.0,
    notifications: bool = True,
    trace: Tracing | None = None,
) -> "UiAutomatorDevice":
    """Connect to a device of a running adb server.

    Args:
        serial: the device, as ``adb devices`` lists it.
        adb_host: of the adb server; ``ANDROID_ADB_SERVER_HOST`` or 127.0.0.1 if None.
        adb_port: of the adb server; ``ANDROID_ADB_SERVER_PORT`` or 5037 if None.
        settle_interval: seconds between two dumps of the screen.
        settle_timeout: seconds after which a screen that still changes is given as it is.
        reconnect: for how many seconds an observation waits for a device that is gone, or whose server has ended.
        notifications: whether each observation asks what is posted.
        trace: what of the system each observation asks for; None: nothing.

    Raises:
        DeviceLost: no adb server, or it has no such device.
        DeviceError: uiautomator2 is not installed, or its server did not start on the device.
    """
    link = Link(adb_client(adb_host, adb_port), serial, reconnect=reconnect)
    with failures("connecting"):
        link.u2.clear_toast()
    tracer = Tracer(link.u2.adb_device, trace) if trace is not None and trace.kinds else None
    eyes = Eyes(
        link, interval=settle_interval, timeout=settle_timeout, notifications=notifications, tracer=tracer
    )
    return UiAutomatorDevice(link, eyes)


class UiAutomatorDevice:
    """A `Device` through uiautomator2; made by `connect`."""

    def __init__(self, link: Link, eyes: Eyes) -> None:
        self._link = link
        self._eyes = eyes
        self._hand = Hand(link, lambda: self.info)
        self._info: DeviceInfo | None = None
        self._closed = False
        self._owns = True

    @classmethod
    def over(cls, client: Any, *, settle_interval: float = 0.2, settle_timeout: float = 5.0) -> Self:
        """The device of a uiautomator2 client that is already connected. `close` does not end its server."""
        link = Link.over(client, reconnect=0.0)
        eyes = Eyes(link, interval=settle_interval, timeout=settle_timeout, notifications=True, tracer=None)
        device = cls(link, eyes)
        device._owns = False
        return device

    @property
    def link(self) -> Link:
        """The connection to the device, with the uiautomator2 client; calls through it are not guarded."""
        return self._link

    @property
    def eyes(self) -> Eyes:
        """The part that observes the device."""
        return self._eyes

    @property
    def info(self) -> DeviceInfo:
        if self._info is None:
            with self._open("asking what the device is"):
                self._info = self._link.look("asking what the device is", self._about)
        return self._info

    def _about(self) -> DeviceInfo:
        about = self._link.u2.info
        model = self._link.u2.adb_device.getprop("ro.product.model")
        return DeviceInfo(
            self._link.serial, str(model), int(about["displayWidth"]), int(about["displayHeight"])
        )

    def observe(self) -> TreeScreen:
        """See `Device.observe`. A device that is gone is waited for, and a server that ended is started again."""
        with self._open("looking at the screen"):
            return self._link.look("looking at the screen", self._eyes.observe)

    def screenshot(self) -> bytes:
        with self._open("taking a screenshot"):
            return self._link.look("taking a screenshot", lambda: screenshot(self._link.u2))

    def perform(self, action: Action, target: Cells) -> None:
        """See `Device.perform`. `answer`, `finish` and `give_up` change nothing on a device.

        A gesture at a node is sent only if the node is still as it was judged: the screen is read once more
        immediately before. A tap or a long press of a node that a selector can describe is sent as that
        selector: the server on the device finds the node by its text, description, id, class and state and clicks it,
        or does nothing. Each input is sent once.

        `install` and `push_file` are not offered: their file is not part of the action.
        """
        with self._open(action.name, untouched=True):
            run = self._hand.prepare(action, target, self._seen)
            with sending() as sent:
                try:
                    with failures(action.name, untouched=True), self._link.sent_once(action.name):
                        run()
                    leaving()  # the connections of a client of the caller (`over`) do not say it
                except NotDelivered as error:
                    if sent.left:
                        raise DeviceError(str(error)) from error
                    raise

    def still_shows(self, judged: Sequence[Cells]) -> None:
        """Check, by one dump, that nodes still show as they were judged (`vsalang.program.delivery.about`).

        Raises:
            NotDelivered: one of them does not, or it cannot be checked.
        """
        with self._open("looking for what was judged", untouched=True):
            try:
                xml, tree = self._seen()
            except NotDelivered:
                raise
            except DeviceError as error:
                raise NotDelivered(f"what was judged cannot be checked: {error}") from error
            still_about(xml, tree, judged)

    def app_version(self, package: str) -> str:
        """The version of an app that is installed, as the device says it; empty: it does not.

        Raises:
            DeviceError: the device could not be asked.
        """
        if re.fullmatch(PACKAGE, package, re.ASCII) is None:
            return ""
        asked = f"dumpsys package {package} 2>/dev/null"
        with self._open("asking for an app's version"):
            text, _ = self._link.look(
                "asking for an app's version",
                lambda: read_shell(self._link.u2.adb_device, asked, seconds=_PATIENCE, most=_MOST),
            )
        return version_of(text, package)

    def tree(self) -> Tree:
        """The current tree, from one dump; its nodes have the numbers of the newest observation.

        Raises:
            DeviceError: as `observe`.
        """
        return self._seen()[1]

    def _seen(self) -> tuple[str, Tree]:
        """The current dump, and its tree."""
        return self._link.look("looking at the target", self._eyes.glance)

    @contextlib.contextmanager
    def _open(self, doing: str, *, untouched: bool = False) -> Iterator[None]:
        if self._closed:
            raise (NotDelivered if untouched else DeviceLost)(f"{doing}: the device is closed")
        yield

    def close(self) -> None:
        """See `Device.close`; ends the uiautomator2 server that this connection started."""
        if not self._closed:
            self._closed = True
            if self._owns:
                self._link.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
