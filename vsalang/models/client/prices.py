"""What tokens cost: a table that comes with vsac, and the user's own, which goes before it."""

import datetime as dt
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from vsalang.base.records import dataclass
from vsalang.base.source.opening import read_regular
from vsalang.models.client.usage import Tokens

_OURS: Final = Path(__file__).with_name("prices.toml")
_LARGEST: Final = 1_000_000
_MILLION: Final = 1_000_000
_KEYS: Final = ("model", "host", "input", "cached_input", "output", "date", "source")


class PriceError(Exception):
    """A file of prices cannot be used."""


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens of one model cost, in US dollars.

    Attributes:
        model: its name.
        input: for tokens that are sent.
        output: for tokens that are answered.
        cached: for tokens sent that the server found in its own cache.
        host: the server's name; empty: every server.
        date: when the price was looked up; None if that is not said.
        source: where it was looked up; may be empty.
    """

    model: str
    input: float
    output: float
    cached: float
    host: str = ""
    date: dt.date | None = None
    source: str = ""

    def of(self, tokens: Tokens) -> float:
        """What so many tokens cost."""
        fresh = tokens.input - tokens.cached
        cost = fresh * self.input + tokens.cached * self.cached + tokens.output * self.output
        return cost / _MILLION


@dataclass(frozen=True, slots=True)
class Prices:
    """Known prices; of several for one model the first holds."""

    known: tuple[Price, ...]

    @classmethod
    def read(cls, own: Path | None = None) -> "Prices":
        """The prices of a file, if one is given, before those that come with vsac.

        Raises:
            PriceError: the file cannot be used.
        """
        return cls((*(_read(own) if own is not None else ()), *_shipped()))

    def of(self, model: str, endpoint: str) -> Price | None:
        """The price of a model at an endpoint; None if it is not known. A similar name is another model."""
        try:
            host = urlsplit(endpoint).hostname or ""
        except ValueError:
            host = ""
        return next(
            (each for each in self.known if each.model == model and each.host in ("", host)),
            None,
        )


@cache
def _shipped() -> tuple[Price, ...]:
    return _read(_OURS)


def _read(file: Path) -> tuple[Price, ...]:
    try:
        data = read_regular(file, _LARGEST)
        document: Any = tomllib.loads(data.decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise PriceError(f"the prices in {file} cannot be read: {error}") from error
    entries = document.get("price")
    if set(document) != {"price"} or not isinstance(entries, list):
        raise PriceError(f"{file} holds no prices: each is a table [[price]]")
    return tuple(_price(entry, f"{file}: price {number}") for number, entry in enumerate(entries, 1))


def _price(entry: Any, place: str) -> Price:
    if not isinstance(entry, dict):
        raise PriceError(f"{place} is not a table [[price]]")
    unknown = [name for name in entry if name not in _KEYS]
    if unknown:
        raise PriceError(f"{place} has no key `{unknown[0]}`: the keys are {', '.join(_KEYS)}")
    for name in ("model", "host", "source"):
        if not isinstance(entry.get(name, ""), str) or (name == "model" and not entry.get(name)):
            raise PriceError(f"{place}: `{name}` is a text")
    numbers: dict[str, Any] = {
        name: entry[name] for name in ("input", "output", "cached_input") if name in entry
    }
    for name in ("input", "output"):
        if name not in numbers:
            raise PriceError(f"{place} says no `{name}`: dollars for a million tokens")
    for name, number in numbers.items():
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number < _MILLION:
            raise PriceError(f"{place}: `{name}` is a number of dollars for a million tokens")
    date = entry.get("date")
    if date is not None and type(date) is not dt.date:
        raise PriceError(f"{place}: `date` is a date such as 2026-04-01, without quotes")
    return Price(
        entry["model"],
        float(numbers["input"]),
        float(numbers["output"]),
        float(numbers.get("cached_input", numbers["input"])),
        entry.get("host", "").lower(),
        date,
        entry.get("source", ""),
    )
