"""When and where an instruction was given: what "today", "tomorrow" and "April 1st" mean in it."""

import datetime as dt
import locale
import re
import zoneinfo
from typing import Final

from vsalang.base.records import dataclass

_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_LOCALE: Final = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")


class MomentError(ValueError):
    """A date, a zone or a locale that does not exist."""


@dataclass(frozen=True, slots=True)
class Moment:
    """When and where an instruction was given.

    Attributes:
        day: the user's day; it is `today` in the spec.
        time: the user's time of day; None if only the day is known.
        zone: the name of the time zone, or its distance from UTC; empty if not known.
        locale: language and country of the user, such as ``de_DE``; empty if not known.
    """

    day: dt.date
    time: dt.time | None = None
    zone: str = ""
    locale: str = ""

    @classmethod
    def of(cls, today: str | None = None, zone: str | None = None, locale: str | None = None) -> "Moment":
        """The moment that these options give; what is left out is that of this machine, now.

        Args:
            today: a date, or a date and a time: ``2026-04-01``, ``2026-04-01T12:00``.
            zone: a name of the IANA time zone database, such as ``Europe/Berlin``.
            locale: a language, with or without a country.

        Raises:
            MomentError: there is no such date, zone or locale.
        """
        place = _zone(zone) if zone is not None else None
        user = _locale(locale) if locale is not None else _own_locale()
        if today is not None:
            day, time = _read(today)
            return cls(day, time, zone or "", user)
        now = dt.datetime.now(place) if place is not None else dt.datetime.now().astimezone()
        offset = f"{now:%z}"
        return cls(
            now.date(),
            now.time().replace(second=0, microsecond=0),
            zone or f"UTC{offset[:3]}:{offset[3:5]}",
            user,
        )

    @property
    def weekday(self) -> str:
        """The English name of the day of the week."""
        names = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
        return names[self.day.weekday()]


def _read(text: str) -> tuple[dt.date, dt.time | None]:
    try:
        if not _DAY.match(text):
            raise ValueError
        if len(text) == len("2026-04-01"):
            return dt.date.fromisoformat(text), None
        whole = dt.datetime.fromisoformat(text)
    except ValueError as error:
        raise MomentError(f"{text!r} is not a date such as 2026-04-01 or 2026-04-01T12:00") from error
    if whole.tzinfo is not None:
        raise MomentError(f"{text!r} has a time zone: name it apart from the date")
    return whole.date(), whole.time().replace(microsecond=0)


def _zone(name: str) -> dt.tzinfo:
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise MomentError(
            f"{name!r} is not a time zone that this machine knows, such as Europe/Berlin"
        ) from error


def _locale(name: str) -> str:
    if not _LOCALE.fullmatch(name):
        raise MomentError(f"{name!r} is not a locale such as en_US or de")
    return name


def _own_locale() -> str:
    name = locale.getlocale()[0] or ""
    return name if _LOCALE.fullmatch(name) and name != "C" else ""
