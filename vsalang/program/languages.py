"""The words of other languages for the readers: what `import std.text.<language>` adds to the English ones.

The names of months and days and their abbreviations are those of CLDR (https://cldr.unicode.org), folded; where CLDR
writes an accent, the spelling without it is read too. A word with two meanings is not there: "morgen" and "mañana"
are tomorrow and the morning.
"""

import datetime as dt
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Final, TypeVar

from vsalang.program import dates
from vsalang.program.dates import ENGLISH, Words, numbered
from vsalang.program.values import Value

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_SHORT: Final = {"s": 1, "sec": 1, "min": _MINUTE, "m": _MINUTE, "h": _HOUR}


def _units(**seconds: str) -> dict[str, int]:
    """Units of a duration: for each of ENGLISH's lengths the words, separated by blanks."""
    lengths = {"second": 1, "minute": _MINUTE, "hour": _HOUR, "day": _DAY, "week": 7 * _DAY}
    return _SHORT | {word: lengths[name] for name, words in seconds.items() for word in words.split()}


def _truth(yes: str, no: str) -> dict[str, bool]:
    return dict.fromkeys(yes.split(), True) | dict.fromkeys(no.split(), False)


GERMAN: Final = Words(
    months=numbered(
        "januar/jan/jänner februar/feb/feber märz/mär/maerz/mrz april/apr mai juni/jun juli/jul august/aug "
        "september/sep/sept oktober/okt november/nov dezember/dez",
        1,
    ),
    weekdays=numbered(
        "montag/mo dienstag/di mittwoch/mi donnerstag/do freitag/fr samstag/sa/sonnabend sonntag/so", 0
    ),
    days={"vorgestern": -2, "gestern": -1, "heute": 0, "übermorgen": 2},
    ordinals=frozenset({"."}),
    units=_units(
        second="sek sekunde sekunden",
        minute="minute minuten",
        hour="std stunde stunden",
        day="t tag tage",
        week="woche wochen",
    ),
    shared_units=frozenset({"m", "t"}),
    joints=frozenset({",", "und"}),
    truth=_truth("an ein ja wahr", "aus nein falsch"),
    hours=frozenset({"uhr"}),
    after_time=frozenset({"uhr"}),
)
FRENCH: Final = Words(
    months=numbered(
        "janvier/janv/jan février/févr/fév/fevrier/fevr/fev mars avril/avr mai juin juillet/juil août/aout "
        "septembre/sept/sep octobre/oct novembre/nov décembre/déc/decembre/dec",
        1,
    ),
    weekdays=numbered("lundi/lun mardi/mar mercredi/mer jeudi/jeu vendredi/ven samedi/sam dimanche/dim", 0),
    days={"avant-hier": -2, "hier": -1, "aujourd'hui": 0, "demain": 1, "après-demain": 2},
    ordinals=frozenset({"er"}),
    units=_units(
        second="seconde secondes",
        minute="minute minutes",
        hour="heure heures",
        day="j jour jours",
        week="semaine semaines",
    ),
    shared_units=frozenset({"m", "j"}),
    joints=frozenset({",", "et"}),
    truth=_truth("oui vrai activé active", "non faux désactivé desactive"),
    hours=frozenset({"h", "heures"}),
)
SPANISH: Final = Words(
    months=numbered(
        "enero/ene febrero/feb marzo/mar abril/abr mayo/may junio/jun julio/jul agosto/ago "
        "septiembre/sept/sep/setiembre/set octubre/oct noviembre/nov diciembre/dic",
        1,
    ),
    weekdays=numbered(
        "lunes/lun martes/mar miércoles/mié/miercoles/mie jueves/jue viernes/vie sábado/sáb/sabado/sab "
        "domingo/dom",
        0,
    ),
    days={"anteayer": -2, "ayer": -1, "hoy": 0},
    ordinals=frozenset({"º"}),
    units=_units(
        second="seg segundo segundos",
        minute="minuto minutos",
        hour="hora horas",
        day="d día días dia dias",
        week="semana semanas",
    ),
    shared_units=frozenset({"m"}),
    joints=frozenset({",", "y"}),
    truth=_truth("sí si verdadero activado", "no falso desactivado"),
    links=frozenset({"de", "del"}),
    after_time=frozenset({"h"}),
)
ITALIAN: Final = Words(
    months=numbered(
        "gennaio/gen febbraio/feb marzo/mar aprile/apr maggio/mag giugno/giu luglio/lug agosto/ago "
        "settembre/set/sett ottobre/ott novembre/nov dicembre/dic",
        1,
    ),
    weekdays=numbered(
        "lunedì/lun/lunedi martedì/mar/martedi mercoledì/mer/mercoledi giovedì/gio/giovedi "
        "venerdì/ven/venerdi sabato/sab domenica/dom",
        0,
    ),
    days={"ieri": -1, "oggi": 0, "domani": 1, "dopodomani": 2},
    ordinals=frozenset({"º"}),
    units=_units(
        second="secondo secondi",
        minute="minuto minuti",
        hour="ora ore",
        day="g giorno giorni",
        week="settimana settimane",
    ),
    shared_units=frozenset({"m", "g"}),
    joints=frozenset({",", "e"}),
    truth=_truth("sì si vero attivato", "no falso disattivato"),
)

LANGUAGES: Final[Mapping[str, Words]] = MappingProxyType(
    {"german": GERMAN, "french": FRENCH, "spanish": SPANISH, "italian": ITALIAN}
)
"""The languages that readers know in addition to English, by the name of the module."""

READERS: Final = frozenset({"date", "time", "duration", "bool"})
"""The readers whose words depend on the language."""

_Read = TypeVar("_Read")


def agreed(languages: str, read: Callable[[Words], _Read | None]) -> _Read | None:
    """What a text reads in English and in other languages, where all that read it agree.

    Args:
        languages: names of `LANGUAGES`, separated by blanks; with another name nothing is read.
        read: what the text reads with the words of one language.
    """
    names = languages.split()
    if any(name not in LANGUAGES for name in names):
        return None
    readings = {
        value for words in (ENGLISH, *map(LANGUAGES.__getitem__, names)) if (value := read(words)) is not None
    }
    return readings.pop() if len(readings) == 1 else None


def date(text: str, how: str, today: dt.date | None) -> dt.date | None:
    """As `dates.date`; `how`: the order of numbers, if it is given, and names of languages, separated by blanks."""
    order, _, names = how.partition(" ") if how[:3] in ("dmy", "mdy") else ("", "", how)
    return agreed(names, lambda words: dates.date(text, today, order or None, words))


def spoken(reader: Callable[[str, Words], Any]) -> Callable[..., Value | None]:
    """A function of the language: a reader in English and in the languages that a second argument names."""

    def apply(arguments: tuple[Value, ...], env: object) -> Value | None:
        text, names = arguments if len(arguments) == 2 else (arguments[0], "")
        if not isinstance(text, str) or not isinstance(names, str):
            return None
        value: Value | None = agreed(names, partial(reader, text))
        return value

    return apply
