"""The guard's observations of the phone, and how it shares uiautomator2's server with the agent.

A phone runs only one such server. It belongs to the guard, which starts it, also again after it ended. An agent that
starts it gets the answer that it runs; an agent that stops it sees it stopped, while the guard keeps using it. The
server stores toasts until a client clears them, so each of the two gets those that the other one cleared.
"""

import contextlib
import json
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final

from vsalang.phone.errors import DeviceError
from vsalang.phone.gate.gate import still_shown
from vsalang.phone.gate.http import ask
from vsalang.phone.gate.phone import Phone
from vsalang.phone.gate.requests import Request
from vsalang.phone.protocol import Device
from vsalang.phone.uiautomator import UiAutomatorDevice
from vsalang.phone.wire import ServiceRefused, Stream
from vsalang.program.action import Action
from vsalang.program.screen import Cells, Screen
from vsalang.screen.screen import TreeScreen

SERVER: Final = "tcp:9008"
MOST_TOASTS: Final = 20


class Sight:
    """Observes the phone for the gate, and handles calls of the agent to the server (`vsalang.phone.gate.http.Hook`).

    Args:
        device: the guard's.
        phone: opens services on it.
        seen: called with each observation, such as `vsalang.guard.world.clock.ScreenClock.see`.
        recall: gives each observation what is remembered of its screen.
    """

    whole: frozenset[str] = frozenset({"getLastToast"})

    def __init__(
        self,
        device: Device,
        phone: Phone,
        seen: Callable[[Screen], None] | None = None,
        recall: Callable[[Screen], Screen] | None = None,
    ) -> None:
        self._device = device
        self._phone = phone
        self._seen = seen
        self._recall = recall
        self._lock = threading.RLock()
        self._state = threading.Lock()
        self._taken: list[str] = []  # toasts that the agent cleared before the guard read them
        self._last_toast: str | None = None  # a toast that the guard cleared before the agent asked for it
        self._started = 0  # streams of servers that the agent seems to have started
        self._stopped = False

    def look(self) -> Screen:
        """One observation. Raises `DeviceError`."""
        with self._lock:
            screen = self._device.observe()
            if isinstance(screen, TreeScreen):
                if screen.toasts:
                    self._last_toast = screen.toasts[-1]
                if self._taken:
                    screen = screen.also(TreeScreen(screen.tree, toasts=self._taken))
                    self._taken = []
        if self._seen is not None:
            self._seen(screen)
        return screen if self._recall is None else self._recall(screen)

    # ------------------------------------------------------------------ the agent's calls

    def before(self, method: str) -> bytes | None:
        """Let the guard read the newest toast before the agent clears it."""
        if method != "clearLastToast":
            return None
        with self._lock:
            toast = self._ask("getLastToast")
            if isinstance(toast, str) and toast:
                self._taken = [*self._taken, toast][-MOST_TOASTS:]
            self._last_toast = None
            self._ask(method)
        return json.dumps({"jsonrpc": "2.0", "id": 1, "result": None}).encode()

    def changed(self, method: str, answer: bytes) -> bytes | None:
        """The newest toast, even if the guard has cleared it."""
        fingerprint = self._last_toast
        if method != "getLastToast" or fingerprint is None:
            return None
        try:
            data = json.loads(answer)
        except (ValueError, RecursionError):
            return None
        if not isinstance(data, dict) or data.get("result") is not None or "error" in data:
            return None
        return json.dumps(data | {"result": fingerprint}).encode()

    def pasted(self, actions: Sequence[Action]) -> Sequence[Action]:
        """Pasting as typing of the clipboard's text, if that can be read.

        Call it while the gate is locked: otherwise another request could change the clipboard before it is pasted.
        """
        if not any(each.name == "input_text" and "value" not in each.args for each in actions):
            return actions
        text: Any = None
        with contextlib.suppress(DeviceError):
            text = self._ask("getClipboard")
        if not isinstance(text, str) or not text or "\x00" in text:
            return actions
        return [
            Action("input_text", {**each.args, "value": text})
            if each.name == "input_text" and "value" not in each.args
            else each
            for each in actions
        ]

    def touch(self, action: Action, target: Cells) -> bool:
        """See `vsalang.phone.gate.http.Hook.touch`: by the guard's own driver, if it is one over uiautomator2."""
        driver = getattr(self._device, "connection", self._device)
        if not isinstance(driver, UiAutomatorDevice):
            return False
        with self._lock:
            driver.perform(action, target)
        return True

    def still_shows(self, judged: Sequence[Cells]) -> None:
        """Check that nodes still show as they were judged: see `vsalang.phone.gate.gate.Gate`."""
        driver = getattr(self._device, "connection", self._device)
        with self._lock:
            if isinstance(driver, UiAutomatorDevice):
                driver.still_shows(judged)
            else:
                still_shown(judged, self._device.observe())

    def dump(self, compressed: bool) -> str | None:
        """The tree as ``uiautomator dump`` gives it, from the server; None if it is not available.

        While uiautomator2's server runs, ``uiautomator dump`` fails on a phone: Android lets only one of them read it.
        """
        with contextlib.suppress(DeviceError):
            dump = self._ask("dumpWindowHierarchy", compressed, 50)
            if isinstance(dump, str) and dump.strip():
                return dump
        return None

    def _ask(self, method: str, *params: bool | int | str) -> Any:
        """The answer of the server on the phone. Raises `DeviceError`."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        request = Request("POST", "/jsonrpc/0", ((b"content-type", b"application/json"),), body, True)
        try:
            data = json.loads(ask(self._phone, SERVER, request))
        except (ValueError, RecursionError) as error:
            raise DeviceError(
                f"the server on the phone answered something that is not JSON to {method}"
            ) from error
        return data.get("result") if isinstance(data, dict) else None

    # ------------------------------------------------------------------ one server for both

    def open(self) -> bool:
        """Whether the agent sees the server running."""
        return not self._stopped

    def serve(self, stream: Stream) -> None:
        """Act as the server that the agent started: it runs until the agent ends it."""
        try:
            self._phone.open(SERVER).close()
        except (ServiceRefused, DeviceError):
            try:
                self.look()  # this starts it if it does not run
            except DeviceError as error:
                stream.write(f"vsalang: the server cannot be started: {error}\n".encode())
                return
        with self._state:
            self._started += 1
            self._stopped = False
        try:
            while stream.read(4096):
                pass
        finally:
            with self._state:
                self._started -= 1
                self._stopped = self._started == 0
