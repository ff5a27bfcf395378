"""Observes a device: the tree, the foreground app, toasts, notifications, the clock, the system's trace."""

import datetime as dt
import re
import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from vsalang.phone.errors import DeviceError
from vsalang.phone.uiautomator.adb import read_shell
from vsalang.phone.uiautomator.link import Link
from vsalang.phone.uiautomator.notifications import Posted, agreed
from vsalang.phone.uiautomator.trace import Tracer
from vsalang.program.screen import Cells
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import DumpError, Tree, load_dump

MAX_DEPTH: Final = 50
"""Levels of the tree that are requested: the server's own limit; with more, the stack of some phones overflows."""
MOST_TOASTS: Final = 20
"""How many toasts are kept until an observation reports them; the newest."""
_SYSTEM_SECONDS: Final = 10.0
_SYSTEM_BYTES: Final = 8 << 20
_NO_APP: Final = "get focused app"

Look = tuple[str, tuple[str, str | None] | None]
"""The dump and the foreground app (None: the device does not say). Two equal looks mean that the screen is stable."""


class Eyes:
    """Observes one device.

    Args:
        interval: seconds between two dumps of the screen.
        timeout: seconds after which a screen that still changes is given as it is.
        notifications: whether they are read.
        tracer: reads the system's trace; None: it is not read.
    """

    def __init__(
        self, link: Link, *, interval: float, timeout: float, notifications: bool, tracer: Tracer | None
    ) -> None:
        self._link = link
        self._interval = interval
        self._timeout = timeout
        self._notifications = notifications
        self._tracer = tracer
        self._toasts: list[str] = []
        self.heard = ""
        """The last toast."""
        self._tree: Tree | None = None
        self._xml = ""
        self._app: tuple[str, str | None] | None = None
        self._system_told: Mapping[str, Sequence[Cells]] = {}

    def observe(self) -> TreeScreen:
        """See `Device.observe`. Toasts are kept until an observation reports them.

        Raises:
            Exception: as the libraries raise it; see `vsalang.phone.uiautomator.link.failures`.
        """
        deadline = time.monotonic() + self._timeout
        self.listen()
        before = self.look()
        while True:
            time.sleep(self._interval)
            look = self.look()
            settled = look == before
            if settled or time.monotonic() > deadline:
                break
            before = look
        xml, app = look
        tree = self._next(xml, app)
        self.listen()
        now, posted = self._system()
        self._system_told = (
            self._tracer.take(app[0] if app is not None else None) if self._tracer is not None else {}
        )
        toasts, self._toasts = self._toasts, []
        self._tree, self._app, self._xml = tree, app, xml
        return TreeScreen(
            tree,
            app=app,
            now=now,
            toasts=toasts,
            notifications=posted or (),
            system=self._system_told,
            settled=settled,
            partial=_partial(tree, xml),
        )

    def _next(self, xml: str, app: tuple[str, str | None] | None) -> Tree:
        other = (
            app is not None and self._app is not None and app[0] == self._app[0] and app[1] != self._app[1]
        )
        return self.read(xml, frozenset({app[0]}) if app is not None and other else frozenset())

    def simulated_screen(
        self, xml: str, app: tuple[str, str | None], now: dt.datetime, notifications: tuple[Posted, ...]
    ) -> TreeScreen:
        """A screen that a simulated phone itself gave, as an observation; later ones continue from it.

        The rows of the last trace of the system are given again, as not read by this look; events are left to
        observations of the device.

        Raises:
            DeviceError: it cannot be read.
        """
        self._tree, self._app, self._xml = self._next(xml, app), app, xml
        return TreeScreen(
            self._tree,
            app=app,
            now=now,
            notifications=notifications,
            system=_earlier(self._system_told),
            settled=True,
            partial=_partial(self._tree, xml),
        )

    def look(self) -> Look:
        """The tree and the foreground app, once."""
        xml = self.dump()
        try:
            app = self._link.u2.app_current()
        except Exception as error:
            if _NO_APP not in str(error):
                raise
            return xml, None
        return xml, (str(app["package"]), app.get("activity") or None)

    def dump(self) -> str:
        """The dump of the tree, once."""
        return str(self._link.u2.dump_hierarchy(max_depth=MAX_DEPTH))

    def read(self, xml: str, replaced: frozenset[str] = frozenset()) -> Tree:
        """The tree of a dump; its nodes keep their numbers of the newest observation.

        Args:
            replaced: packages whose windows are new ones.

        Raises:
            DeviceError: it is not a dump.
        """
        try:
            return load_dump(xml, name=f"screen of {self._link.serial}", after=self._tree, replaced=replaced)
        except DumpError as error:
            raise DeviceError(f"the screen cannot be read: {error}") from error

    def glance(self) -> tuple[str, Tree]:
        """One dump, and its tree: that of the last observation if the dump is the same.

        Raises:
            DeviceError: it is not a dump.
        """
        xml = self.dump()
        return xml, self._tree if self._tree is not None and xml == self._xml else self.read(xml)

    def listen(self) -> None:
        """Take the last toast. It is cleared on the device only after it is kept here."""
        toast = self._link.u2.last_toast
        if toast:
            self.heard = str(toast)
            self._toasts = [*self._toasts, self.heard][-MOST_TOASTS:]
            self._link.u2.clear_toast()

    def _system(self) -> tuple[dt.datetime | None, tuple[Posted, ...] | None]:
        """The device's clock and its notifications; None where it does not say."""
        marks = [f"--{secrets.token_hex(8)}--" for _ in range(2)]
        command = "date +%Y-%m-%dT%H:%M:%S"
        if self._notifications:
            # the text of a notification could look like other notifications: the second form has no texts
            command += (
                f"; echo {marks[0]}; dumpsys notification --noredact; echo {marks[1]}; dumpsys notification"
            )
        text, whole = read_shell(
            self._link.u2.adb_device, command, seconds=_SYSTEM_SECONDS, most=_SYSTEM_BYTES
        )
        parts = [text]
        for mark in marks:
            parts = [*parts[:-1], *parts[-1].split(f"{mark}\n", 1)]
        posted = agreed(parts[1], parts[2]) if whole and len(parts) == 3 else None
        return clock(parts[0]), posted


def _earlier(system: Mapping[str, Sequence[Cells]]) -> dict[str, Sequence[Cells]]:
    """The rows of an earlier look's trace, which are not evidence of what is so now."""
    kept = {name: rows for name, rows in system.items() if name not in ("FileChanged", "Traced", "Untraced")}
    unread: list[Cells] = [{"relation": name, "why": "not read by this look"} for name in kept]
    return {**kept, "Traced": (), "Untraced": unread} if system else {}


def clock(text: str) -> dt.datetime | None:
    """The time that ``date +%Y-%m-%dT%H:%M:%S`` printed; None if it is not a time."""
    match = re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?=\s|$)", text.strip(), re.ASCII)
    try:
        return dt.datetime.fromisoformat(match[0]) if match is not None else None
    except ValueError:
        return None


def _partial(tree: Tree, xml: str) -> bool:
    """Whether more may show than the tree of a dump says. A tree of the look before is not measured again."""
    if not tree.nodes:
        return True  # the device gave no tree
    if "cut" not in tree.memory:
        tree.memory["cut"] = is_cut(xml)
    return bool(tree.memory["cut"])


def is_cut(xml: str) -> bool:
    """Whether a dump has all the levels of nodes that are asked for, so that there may be more."""
    if xml.count("</") < MAX_DEPTH:  # a level above another one has a tag that closes it
        return False
    from lxml import etree

    parser = etree.XMLPullParser(("start", "end"), resolve_entities=False, no_network=True)
    level = deepest = 0
    parser.feed(xml.encode())
    for event, _ in parser.read_events():
        level += 1 if event == "start" else -1
        deepest = max(deepest, level)
    return deepest - 1 >= MAX_DEPTH


def screenshot(u2: Any) -> bytes:
    """The picture of the screen, as PNG."""
    import io

    out = io.BytesIO()
    u2.screenshot().save(out, "PNG", compress_level=1)  # half the time of the default, 7 % more bytes
    return out.getvalue()
