"""The readers of the language: from a text as an app shows it to a value, or undefined (None).

Readers read the whole text or nothing, and nothing that has two readings. They never raise, and a text
longer than any value is undefined at once. What they read and refuse: the table in
``docs/reference/readers.md``, which is a test.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Final

from vsalang.base.records import dataclass
from vsalang.program.dates import ENGLISH, Words, date, duration, time
from vsalang.program.text import canonical, fold_case, plain, words

__all__ = ["boolean", "currency", "date", "duration", "member", "members", "number", "time"]

_LONGEST: Final = 1000
_LONGEST_WITH_MEMBERS: Final = 20_000
_MOST_DIGITS: Final = 60


def _entries(text: str) -> frozenset[str]:
    return frozenset(text.split())


# ISO 4217 (list one, without funds, metals and codes for tests).
ISO_4217: Final = _entries(
    """
    AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD
    CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD
    GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT
    LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR
    NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP
    STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD
    XCG XOF XPF YER ZAR ZMW ZWG
    """
)
_CURRENCY_WORDS: Final = _entries("Rp Rs kr zł Kč Ft Fr RM TL lei лв")
# Codes that are everyday words in capitals: "TOP 10", "ALL 5".
_NOT_ALWAYS_CURRENCY: Final = frozenset({"ALL", "TOP"})

_UNITS: Final = _entries("% ° °C °F km mi ft cm mm mph km/h kg g mg ml l KB MB GB TB kWh")
_FACTORS: Final = {"K": 3, "M": 6, "B": 9}
_SCALES: Final = {
    "thousand": 3, "lakh": 5, "lakhs": 5, "million": 6, "crore": 7, "crores": 7, "billion": 9, "trillion": 12,
    "万": 4, "萬": 4, "億": 8, "亿": 8,
}  # fmt: skip
# After a number these leave open what it counts, or by how much it is multiplied; so does every short word that is
# neither a unit nor a currency: it may be an abbreviation of a unit or a scale in some language ("5 tys").
_UNCLEAR: Final = _entries(
    """
    mins mill secs dozen dozens hundred half grand thou
    hundreds thousands millions billions trillions third thirds quarter quarters
    hundert tausend millionen milliarde milliarden billionen dutzend
    cent mille milliers millions milliard milliards douzaine
    cien cientos miles millón millon millones billón billones docena
    cento mila milione milioni miliardo miliardi dozzina
    """
)
_LONGEST_ABBREVIATION: Final = 3
_MINUS_WORDS: Final = frozenset({"minus", "negative"})

_BODY: Final = re.compile(r"[0-9]+(?:[., '][0-9]+)*")
_SYMBOL_BEFORE: Final = re.compile(r"(?:(?<![^\W_])[A-Z]{1,3})?([^\w\s])$")
_WORD_BEFORE: Final = re.compile(r"(?<![^\W_])([^\W\d_]+)\.?$")
_MARK_AFTER: Final = re.compile(r"( ?)(km/h(?![^\W_])|°[CF](?![^\W_])|[^\W\d_]+|[^\w\s])")
_MAY_TOUCH_LEFT: Final = frozenset("([:=|·•\"'")
_MAY_TOUCH_RIGHT: Final = frozenset(")]:;,.!?|·•…")
_CHANGES_MEANING: Final = frozenset("+-~<>*/^#@_\\")


@dataclass(frozen=True, slots=True)
class _Figure:
    """The one number of a text, in parts: sign, digits with marks, power of ten, currencies next to it."""

    negative: bool
    body: str
    power: int
    currencies: tuple[str, ...]


def number(text: str, mark: str | None = None) -> int | Decimal | None:
    """The one number in the text: exact, with its sign, without grouping; `mark` (``,`` or ``.``) names the
    decimal mark.

    Grouping is by comma, point, space or apostrophe; ``K`` ``M`` ``B`` and words such as "million" multiply;
    a unit or currency may be next to it, other words anywhere but for one of up to three letters right after it,
    which may be a unit that is not known. The last mark is decimal if a mark of another kind precedes it or not
    exactly three digits follow; one point before exactly three digits is undefined.
    """
    if mark not in (None, ",", "."):
        return None
    figure = _figure(text)
    if figure is None:
        return None
    read = parts(figure.body, mark)
    if read is None:
        return None
    whole, fraction = read
    fraction = fraction.rstrip("0")
    digits = whole + fraction
    exponent = figure.power - len(fraction)
    if len(digits) > _MOST_DIGITS:
        return None
    value = int(digits)
    if figure.negative:
        value = -value
    if exponent >= 0:
        return int(value * 10**exponent)
    if value == 0:
        return 0
    while value % 10 == 0 and exponent < 0:
        value //= 10
        exponent += 1
    if exponent == 0:
        return value
    return Decimal((int(value < 0), tuple(map(int, str(abs(value)))), exponent))


def currency(text: str) -> str | None:
    """The currency next to the one number in the text, or that is the whole text: ``$``, ``US$``, ``EUR``,
    ``Rp``.

    It is given as it is written, without a period. Undefined if two are next to the number.
    """
    if len(text) > _LONGEST:
        return None
    text_plain = plain(text)
    if not any(char.isnumeric() and char.isascii() for char in text_plain):
        return _currency_of(text_plain)
    figure = _figure(text)
    if figure is None or len(set(figure.currencies)) != 1:
        return None
    code = figure.currencies[0]
    return None if code in _NOT_ALWAYS_CURRENCY else code


def boolean(text: str, language: Words = ENGLISH) -> bool | None:
    """true/false, on/off, yes/no, in any case."""
    return language.truth.get(fold_case(plain(text))) if len(text) <= _LONGEST else None


def member(text: str, members: Mapping[str, Iterable[str]]) -> str | None:
    """The member of an enum that the whole text spells.

    Args:
        text: the text.
        members: each member with its other spellings; a member also spells itself. A spelling is matched
            exactly, failing that without regard to case; one that two members share is undefined.
    """
    if len(text) > _LONGEST:
        return None
    plain_text = plain(text)
    for fold in (canonical, fold_case):
        wanted = fold(plain_text)
        names = [name for name, spelled in _spellings(members) if fold(plain(spelled)) == wanted]
        if names:
            return names[0] if len(set(names)) == 1 else None
    return None


def members(text: str, members: Mapping[str, Iterable[str]]) -> frozenset[str] | None:
    """The members of an enum that occur in the text as words, in any spelling and case.

    Where spellings overlap the longest counts. Undefined if no member occurs, if a spelling that occurs
    belongs to two members, if two members are joined to a range ("Mon–Fri", "Mon to Fri") or if the text
    takes something back ("every day except Mon").

    Args:
        text: the text.
        members: as for `member`.
    """
    if len(text) > _LONGEST_WITH_MEMBERS:
        return None
    plain_text = plain(text)
    spelled: dict[tuple[str, ...], set[str]] = {}
    for name, spelling in _spellings(members):
        key = tuple(word.folded for word in words(plain(spelling)))
        if key:
            spelled.setdefault(key, set()).add(name)
    longest = max(map(len, spelled), default=0)
    row = list(words(plain_text))
    names_read: set[str] = set()
    index = 0
    last_end: int | None = None  # where the member before ended, if only range words came since
    while index < len(row):
        for size in range(min(longest, len(row) - index), 0, -1):
            names = spelled.get(tuple(word.folded for word in row[index : index + size]))
            if names:
                break
        else:
            if row[index].folded in _TAKES_BACK:
                return None
            if row[index].folded not in _RANGE_WORDS:
                last_end = None
            index += 1
            continue
        if len(names) > 1:
            return None
        if last_end is not None and _is_range(plain_text[last_end : row[index].start]):
            return None
        names_read |= names
        index += size
        last_end = row[index - 1].end
    return frozenset(names_read) or None


# Of all languages of `vsalang.program.languages`, whichever is read: they only ever leave a text unread.
_RANGE_WORDS: Final = frozenset(
    {"to", "through", "thru", "until", "till", "bis", "à", "a", "au", "hasta", "al", "fino"}
)
_TAKES_BACK: Final = _entries(
    "except excluding without not no but außer ausser ohne nicht kein keine sauf excepté sans pas excepto menos salvo "
    "sin tranne eccetto senza non"
)


def _is_range(between: str) -> bool:
    folded = fold_case(between).strip()
    return folded in _RANGE_WORDS or (folded != "" and set(folded) <= set("-~"))


def _spellings(members: Mapping[str, Iterable[str]]) -> Iterable[tuple[str, str]]:
    for name, others in members.items():
        yield name, name
        for other in others:
            yield name, other


# ---- the one number of a text --------------------------------------------------------------------


def parts(body: str, mark: str | None) -> tuple[str, str] | None:
    """The digits of a number before and after its decimal mark; None if the marks have no reading or two."""
    marks = [char for char in body if not char.isdecimal()]
    if not marks:
        return body, ""
    last = marks[-1]
    cut = body.rindex(last)
    after = body[cut + 1 :]
    if mark is not None:
        decimal = last == mark
    else:
        decimal = last in ".," and (any(other != last for other in marks) or len(after) != 3)
        if not decimal and marks == ["."]:
            return None
    whole, fraction = (body[:cut], after) if decimal else (body, "")
    groups = re.split(r"[., ']", whole)
    kinds = set(marks[:-1] if decimal else marks)
    if not kinds:
        return whole, fraction
    if len(kinds) > 1 or (decimal and last in kinds) or mark in kinds:
        return None
    if len(groups[0]) > 3 or groups[0].startswith("0"):
        return None
    thousands = all(len(group) == 3 for group in groups[1:])
    lakhs = (
        kinds == {","}
        and len(groups[0]) <= 2
        and len(groups[-1]) == 3
        and all(len(g) == 2 for g in groups[1:-1])
    )
    return ("".join(groups), fraction) if thousands or lakhs else None


def _figure(text: str) -> _Figure | None:
    """The one number of the text with what is next to it; None if none, two, or its meaning is open."""
    if len(text) > _LONGEST:
        return None
    plain_text = plain(text)
    match = _BODY.search(plain_text)
    if match is None:
        return None
    before, body, after = plain_text[: match.start()], match.group(), plain_text[match.end() :]
    if any(unicodedata.category(char).startswith("N") for char in before + after):
        return None
    left = _left(before)
    right = _right(after, quoted=before[-1:] if before[-1:] in ("'", '"') else "")
    if left is None or right is None:
        return None
    negative, left_currency, rest_before = left
    power, right_currency, rest_after = right
    if rest_before.strip() == "(" and rest_after.strip() == ")":
        return None  # an account's negative, or a number in brackets
    return _Figure(negative, body, power, tuple(c for c in (left_currency, right_currency) if c))


def _left(before: str) -> tuple[bool, str, str] | None:
    """Sign, currency and the rest of the text before the number; None if something changes its meaning."""
    sign = ""
    rest = before
    if rest[-1:] in ("+", "-"):
        sign, rest = rest[-1], rest[:-1]
    next_to = rest[:-1] if rest.endswith(" ") else rest
    currency = _currency_before(next_to)
    name = ""
    if currency is not None:
        name, rest = currency
        if rest[-1:] in ("+", "-"):
            if sign:
                return None
            sign, rest = rest[-1], rest[:-1]
    if rest and not (rest[-1].isspace() or rest[-1] in _MAY_TOUCH_LEFT):
        return None
    stripped = rest.rstrip()
    if stripped and (stripped[-1] in _CHANGES_MEANING or _is_mathematical(stripped[-1])):
        return None
    last_word = _WORD_BEFORE.search(stripped)
    if last_word and fold_case(last_word[1]) in _MINUS_WORDS:
        return None
    return sign == "-", name, rest


def _currency_before(text: str) -> tuple[str, str] | None:
    """The currency at the end of the text, and the text before it."""
    for pattern in (_SYMBOL_BEFORE, _WORD_BEFORE):
        if match := pattern.search(text):
            name = _currency_of(match.group(), everyday=True)
            if name is not None:
                return name, text[: match.start()]
    return None


def _currency_of(text: str, *, everyday: bool = False) -> str | None:
    """The currency that the text names, without its period; `everyday`: also where it is an everyday word."""
    name = text.removesuffix(".")
    if name in ISO_4217:
        return name if everyday or name not in _NOT_ALWAYS_CURRENCY else None
    if name in _CURRENCY_WORDS:
        return name
    if text and unicodedata.category(text[-1]) == "Sc":
        letters = text[:-1]
        if not letters or (
            len(letters) <= 3 and letters.isascii() and letters.isalpha() and letters.isupper()
        ):
            return text
    return None


def _right(after: str, quoted: str) -> tuple[int, str, str] | None:
    """Power of ten, currency, rest of the text after the number; None if something changes its meaning."""
    power = 0
    rest = after
    if rest[:1] in _FACTORS and not rest[1:2].isalpha():
        power, rest = _FACTORS[rest[0]], rest[1:]
    elif (match := _MARK_AFTER.match(rest)) and fold_case(match[2]) in _SCALES:
        power, rest = _SCALES[fold_case(match[2])], rest[match.end() :]
    name = ""
    if match := _MARK_AFTER.match(rest):
        blank, next_to = match[1], match[2]
        currency_name = _currency_of(next_to, everyday=True)
        if next_to in _UNITS or currency_name is not None:
            name = currency_name or ""
            rest = rest[match.end() :]
            if rest[:1].isalpha():
                return None
        elif next_to[0].isalpha():
            folded = fold_case(next_to)
            if not blank or len(next_to) <= _LONGEST_ABBREVIATION or folded in _UNCLEAR or folded in _SCALES:
                return None
            return power, "", rest
    touching = rest[:1]
    if touching and not touching.isspace() and touching not in _MAY_TOUCH_RIGHT:
        per_unit = touching == "/" and rest[1:2].isalpha()
        if not per_unit and touching != quoted:
            return None
    following = rest.lstrip()
    if touching.isspace() and following:
        if following[0] == "-":
            if not (following[1:2].isspace() and following[2:].strip()):
                return None
        elif following[0] in _CHANGES_MEANING or _is_mathematical(following[0]):
            return None
    return power, name, rest


def _is_mathematical(char: str) -> bool:
    return char not in "=|" and unicodedata.category(char) == "Sm"
