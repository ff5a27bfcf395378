"""The time of a session: the device's clock as last observed, going on with the host's until the next look."""

import datetime as dt
import time

from vsalang.core.screen import Screen


class ScreenClock:
    """Tells the device's local time (naive, whole seconds).

    Until a screen showed the device's clock it is the host's.

    Args:
        live: whether time passes between observations; False for simulated phones, whose time only inputs move.
    """

    def __init__(self, *, live: bool = True) -> None:
        self._live = live
        self._seen = dt.datetime.now().replace(microsecond=0)
        self._at = time.monotonic()

    def see(self, screen: Screen | None) -> None:
        """Take over the clock that a screen shows, if it shows one."""
        for row in screen.rows("Clock") if screen is not None else ():
            now, day = row.get("now"), row.get("today")
            if isinstance(now, dt.time) and isinstance(day, dt.date):
                self._seen, self._at = dt.datetime.combine(day, now), time.monotonic()

    def __call__(self) -> dt.datetime:
        """The time now."""
        passed = int(time.monotonic() - self._at) if self._live else 0
        return self._seen + dt.timedelta(seconds=passed)
