"""Checks of one phone: whether it can be observed and controlled, and what prevents that."""

import datetime as dt
import hashlib
import re
import time
from collections.abc import Callable, Iterator
from typing import Final

from vsalang.phone.doctor.check import Check, Level
from vsalang.phone.doctor.remote import Remote
from vsalang.phone.jar import JAR, own_jar
from vsalang.phone.wire.upstream import Upstream

PORT: Final = 9008
SKEW: Final = 120
"""Seconds by which the phone's clock may differ."""
OLDEST: Final = 24
"""From this API level on, dumps say in which order nodes are drawn."""
SCALES: Final = ("window_animation_scale", "transition_animation_scale", "animator_duration_scale")
KEYBOARDS: Final = ("com.github.uiautomator/.AdbKeyboard", "com.android.adbkeyboard/.AdbIME")
"""Keyboards that type what any program broadcasts."""
_SERVERS: Final = (
    ("uiautomator2", re.compile(r"com\.wetest\.uia2\.Main")),
    ("an old uiautomator2", re.compile(r"com\.github\.uiautomator(?:\.test)?$|uiautomator\.test/")),
    ("Appium", re.compile(r"io\.appium\.uiautomator2\.server")),
    ("uiautomator", re.compile(r"com\.android\.commands\.uiautomator")),
)


def phone_checks(
    upstream: Upstream, *, now: Callable[[], float] = time.time, simulated: bool = False
) -> list[Check]:
    """Check a phone.

    Args:
        simulated: it is a simulated phone: its clock is that of its folder or scenario, and it has no animations.
        now: this computer's clock, in seconds since the epoch.

    Raises:
        DeviceError: it can no longer be reached.
    """
    return list(_Phone(Remote(upstream), now, simulated).all())


class _Phone:
    def __init__(self, remote: Remote, now: Callable[[], float], simulated: bool = False) -> None:
        self._remote = remote
        self._now = now
        self._simulated = simulated
        self._group = f"Phone {remote.upstream.serial}"

    def _check(self, name: str, level: Level, message: str, fix: str = "", *, repair: str = "") -> Check:
        if repair and not fix:
            fix = f"{self._remote.adb} shell {repair}"
        return Check(self._group, name, level, message, fix, repair)

    def _say(self, command: str) -> str:
        text, status = self._remote.run(command)
        return text.strip() if status == 0 else ""

    def all(self) -> Iterator[Check]:
        yield self._android()
        yield self._screen()
        yield self._lock()
        yield self._animations()
        yield self._keyboard()
        yield self._clock()
        yield self._jar()
        yield self._server()
        yield self._trace()

    def _android(self) -> Check:
        release, sdk, abi, model, booted = (
            self._say(f"getprop {name}")
            for name in (
                "ro.build.version.release",
                "ro.build.version.sdk",
                "ro.product.cpu.abi",
                "ro.product.model",
                "sys.boot_completed",
            )
        )
        if not sdk.isdigit():
            return self._check(
                "Android", "fail", "its shell does not say which Android it is", f"{self._remote.adb} reboot"
            )
        about = f"{release} (API {sdk}), {abi or 'unknown ABI'}, {model or 'unknown model'}"
        if booted != "1":
            return self._check(
                "Android",
                "fail",
                f"{about}; it has not finished starting",
                f"{self._remote.adb} wait-for-device",
            )
        if int(sdk) < OLDEST:
            return self._check(
                "Android", "warn", f"{about}; before API {OLDEST} what lies on top is guessed from the tree"
            )
        return self._check("Android", "ok", about)

    def _screen(self) -> Check:
        match = re.search(r"mWakefulness=(\w+)", self._say("dumpsys power"))
        if match is None:
            return self._check("screen", "warn", "it is not known whether it is on")
        if match[1] == "Awake":
            return self._check("screen", "ok", "on")
        return self._check(
            "screen", "warn", f"off ({match[1]}): nothing is shown", repair="input keyevent WAKEUP"
        )

    def _lock(self) -> Check:
        trust = re.search(r"deviceLocked=(\d)", self._say("dumpsys trust"))
        match = re.search(
            r"^\s*(?:mIsShowing|showing)=(true|false)", self._say("dumpsys window policy"), re.MULTILINE
        )
        if trust is None and match is None:
            return self._check(
                "lock", "warn", "it is not known whether it is locked; unlock it before the agent starts"
            )
        if (trust is not None and trust[1] != "0") or (match is not None and match[1] == "true"):
            return self._check(
                "lock", "warn", "it is locked: an agent sees the lock screen only", "unlock it by hand"
            )
        return self._check("lock", "ok", "unlocked")

    def _animations(self) -> Check:
        values = {name: self._say(f"settings get global {name}") for name in SCALES}
        on = [name for name, value in values.items() if value not in ("0", "0.0")]
        if "" in values.values():
            return self._check("animations", "warn", "it is not known whether they are on")
        if not on:
            return self._check("animations", "ok", "off")
        if self._simulated:
            return self._check(
                "animations", "ok", "on, and without effect: nothing moves on a simulated phone"
            )
        # a scale that was never set is 1
        return self._check(
            "animations", "warn", "on: screens take longer to settle",
            repair="; ".join(f"settings put global {name} 0" for name in on),
            fix=f"{self._remote.adb} shell '" + "; ".join(f"settings put global {name} 0" for name in on) + "'",
        )  # fmt: skip

    def _keyboard(self) -> Check:
        name = self._say("settings get secure default_input_method")
        if name in ("", "null"):
            return self._check(
                "keyboard", "warn", "none is set: fields may not take the focus", repair="ime reset"
            )
        if name in KEYBOARDS:
            return self._check(
                "keyboard",
                "warn",
                f"{name} types what any program on the phone or computer sends it",
                repair="ime reset",
            )
        return self._check("keyboard", "ok", name)

    def _clock(self) -> Check:
        date = self._say("date +%s")
        if not re.fullmatch(r"\d{1,11}", date):
            return self._check("clock", "warn", "it does not report the time")
        skew = int(date) - self._now()
        if abs(skew) <= SKEW:
            return self._check("clock", "ok", "right")
        if self._simulated:
            at = dt.datetime.fromtimestamp(int(date), dt.UTC).date().isoformat()
            return self._check("clock", "ok", f"{at}, by design: a simulated phone's time is its own")
        message = (
            f"it is {_span(abs(skew))} {'ahead' if skew > 0 else 'behind'}; dates in rules are the phone's"
        )
        return self._check(
            "clock", "warn", message, f"{self._remote.adb} shell settings put global auto_time 1"
        )

    def _jar(self) -> Check:
        text, _ = self._remote.run(f"toybox md5sum {JAR}")
        match = re.search(r"^([0-9a-f]{32})\s", text, re.MULTILINE)
        if match is None:
            if "toybox: not found" in text or "inaccessible" in text:
                return self._check(
                    "uiautomator2", "warn", "the phone has no toybox; the server is copied each time"
                )
            return self._check(
                "uiautomator2", "ok", "its server is not on the phone yet; the first connection copies it"
            )
        mine = own_jar()
        if mine is None:
            return self._check("uiautomator2", "ok", "a server is on the phone")
        if match[1] == hashlib.md5(mine, usedforsecurity=False).hexdigest():
            return self._check("uiautomator2", "ok", "its server is on the phone, of this version")
        return self._check(
            "uiautomator2",
            "warn",
            "the server on the phone is another version's; the next connection replaces it",
        )

    def _server(self) -> Check:
        rows = self._say("ps -A -o PID,ARGS").split("\n")
        names = [name for row in rows for name, pattern in _SERVERS if pattern.search(row.strip())]
        alive = self._remote.answers_http(PORT)
        if len(names) > 1:
            return self._check(
                "automation", "fail", f"several programs use uiautomation, and Android allows one: {', '.join(names)}",
                f"{self._remote.adb} shell 'pkill -f uia2.Main; am force-stop io.appium.uiautomator2.server'",
                repair="pkill -f uia2.Main; am force-stop io.appium.uiautomator2.server",
            )  # fmt: skip
        if names and names[0] != "uiautomator2" and not alive:
            return self._check(
                "automation", "fail", f"{names[0]} uses uiautomation, and Android allows one program at a time",
                f"{self._remote.adb} shell am force-stop io.appium.uiautomator2.server",
            )  # fmt: skip
        if alive:
            return self._check("automation", "ok", f"a server answers on port {PORT}; it is used as it is")
        return self._check("automation", "ok", "no server runs; it is started when it is needed")

    def _trace(self) -> Check:
        """Which kinds of `--trace` the phone can answer."""
        tests = {
            "files": "find /sdcard/ -maxdepth 0 -printf '%s %T@ %p\\n' 2>/dev/null && sha256sum /dev/null",
            "permissions": "dumpsys package android",
            "connections": "cat /proc/net/tcp /proc/net/tcp6",
            "settings": "settings list global",
        }
        expected = {"files": r"\d \S+ /sdcard", "connections": "local_address", "settings": "="}
        missing = []
        for name, command in tests.items():
            text, status = self._remote.run(command)
            if status is None and len(text) > 1000:
                continue  # the answer is longer than the limit: it lists a lot
            if status != 0 or not re.search(expected.get(name, "."), text):
                missing.append(name)
        if not missing:
            return self._check("trace", "ok", f"available: {', '.join(tests)}")
        return self._check(
            "trace", "warn", f"not available: {', '.join(missing)} (`--trace` leaves them unknown)"
        )


def _span(seconds: float) -> str:
    for size, word in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {word}"
    return f"{seconds:.0f} seconds"
