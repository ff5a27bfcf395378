"""A real browser without a window, driven over two pipes by the DevTools protocol: no library, no port."""

import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
LONGEST: Final = 60.0
"""Seconds that one request may take: browsers start slowly on a busy machine."""
_KEYS: Final = {
    "Enter": (13, "\r"),
    "ArrowLeft": (37, ""),
    "ArrowRight": (39, ""),
    "Escape": (27, ""),
    "Tab": (9, ""),
    "/": (191, "/"),
    "q": (81, "q"),
    "ArrowDown": (40, ""),
    "ArrowUp": (38, ""),
    " ": (32, " "),
}


def browser() -> str | None:
    """The program; None: there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Page:
    """One page of a browser.

    Attributes:
        events: what the browser told by itself.
    """

    def __init__(self, to: int, back: int) -> None:
        self._to, self._back = to, back
        self._numbers = itertools.count(1)
        self._read = b""
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = ""
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the protocol."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": params}
        if getattr(self, "_session", ""):
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + LONGEST
        while True:
            answer = self._next(end)
            if answer.get("id") == number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def _next(self, end: float) -> dict[str, Any]:
        while b"\0" not in self._read:
            assert time.monotonic() < end, "the browser does not answer"
            if select.select([self._back], [], [], 0.5)[0]:
                data = os.read(self._back, 65536)
                assert data, "the browser has ended"
                self._read += data
        text, _, self._read = self._read.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        return message

    def value(self, expression: str) -> Any:
        """The value of an expression on the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait until an expression is true, also over a change of pages."""
        end = time.monotonic() + LONGEST
        while time.monotonic() < end:
            result = self.call("Runtime.evaluate", expression=f"!!({expression})", returnByValue=True)
            if result["result"].get("value") is True:
                return
            time.sleep(0.05)
        raise AssertionError(f"it does not come to be: {expression}")

    def open(self, address: str) -> None:
        """Go to an address, and wait until it is loaded."""
        self.call("Page.navigate", url=address)
        self.until(f"location.href.startsWith({json.dumps(address)}) && document.readyState == 'complete'")

    def press(self, *keys: str) -> None:
        """Press keys, as a person would."""
        for key in keys:
            code, text = _KEYS[key]
            more = {"text": text} if text else {}
            event = {"key": key, "code": key, "windowsVirtualKeyCode": code}
            self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **event, **more)
            self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def picture(self, path: Path) -> None:
        """Save what shows."""
        data = self.call("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))


@contextmanager
def opened(folder: Path) -> Iterator[Page]:
    """A page of a browser of its own.

    Args:
        folder: for its profile.
    """
    program = browser()
    assert program is not None
    down, to = os.pipe()
    back, up = os.pipe()

    def streams() -> None:
        os.dup2(down, 3)
        os.dup2(up, 4)

    options = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--remote-debugging-pipe",
    ]
    options += ["--disable-background-networking", "--no-first-run", f"--user-data-dir={folder / 'profile'}"]
    # the numbers of the pipes may be 3 and 4 themselves: all stay open in the child until they are in place
    process = subprocess.Popen(
        [program, *options],
        preexec_fn=streams,
        pass_fds=(3, 4, down, up),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(down)
    os.close(up)
    try:
        yield Page(to, back)
    finally:
        os.close(to)
        os.close(back)
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
