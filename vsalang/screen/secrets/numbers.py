"""Which digits are the number of a card, an account or a telephone: check sums, lengths and the shape of their groups.

Sources: ISO/IEC 7812 (cards, Luhn's check sum), ISO 13616 and the IBAN registry (lengths), ITU-T E.164 (telephone
numbers, country codes), the North American Numbering Plan.
"""

from collections.abc import Sequence
from typing import Final

_DOUBLED: Final = bytes.maketrans(b"0123456789", bytes(ord("0") + d for d in (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)))

_ISSUERS: Final[tuple[tuple[int, int, tuple[int, ...]], ...]] = (
    (3400, 3499, (15,)),  # American Express
    (3700, 3799, (15,)),
    (4000, 4999, (13, 16, 19)),  # Visa
    (5100, 5599, (16,)),  # Mastercard
    (2221, 2720, (16,)),
    (6011, 6011, (16, 19)),  # Discover
    (6440, 6599, (16, 19)),
    (3528, 3589, (16, 17, 18, 19)),  # JCB
    (3000, 3059, (14, 16, 19)),  # Diners Club
    (3095, 3095, (14, 16, 19)),
    (3600, 3699, (14, 16, 19)),
    (3800, 3999, (14, 16, 19)),
    (6200, 6299, (16, 17, 18, 19)),  # UnionPay
    (5018, 5018, (12, 13, 14, 15, 16, 17, 18, 19)),  # Maestro
    (5020, 5020, (12, 13, 14, 15, 16, 17, 18, 19)),
    (5038, 5038, (12, 13, 14, 15, 16, 17, 18, 19)),
    (5893, 5893, (12, 13, 14, 15, 16, 17, 18, 19)),
    (6304, 6304, (12, 13, 14, 15, 16, 17, 18, 19)),
    (6759, 6763, (12, 13, 14, 15, 16, 17, 18, 19)),
    (2200, 2204, (16, 17, 18, 19)),  # Mir
)
"""First and last beginning of four digits, and the lengths of numbers that begin so."""

LENGTHS: Final[dict[bytes, frozenset[int]]] = {}
"""The lengths that numbers of cards with a beginning of four digits may have."""
for _first, _last, _lengths in _ISSUERS:
    for _beginning in range(_first, _last + 1):
        _key = str(_beginning).encode()
        LENGTHS[_key] = LENGTHS.get(_key, frozenset()) | frozenset(_lengths)

CARD_DIGITS: Final = (12, 19)
"""The least and the most digits of a card's number."""

_IBAN: Final = (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 "
    "ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 "
    "LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 "
    "PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 "
    "YE30"
)
IBAN_LENGTHS: Final = {entry[:2].encode(): int(entry[2:]) for entry in _IBAN.split()}
"""How many characters the account numbers of a country have."""

_TWO_DIGIT: Final = frozenset(
    "20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 "
    "91 92 93 94 95 98".split()
)
_THREE_DIGIT: Final = frozenset(
    "21 22 23 24 25 26 29 35 37 38 42 50 59 67 68 69 80 85 87 88 96 97 99".split()
)
"""The first two digits of the country codes that have three."""


def luhn(digits: bytes) -> bool:
    """Whether Luhn's check sum of ASCII digits is right."""
    odd, even = digits[::-2], digits[-2::-2].translate(_DOUBLED)
    return (sum(odd) + sum(even)) % 10 == 48 * len(digits) % 10


def is_card(digits: bytes) -> bool:
    """Whether ASCII digits are the number of a card: an issuer's beginning and length, and Luhn's check sum.

    A number of one digit only, such as sixteen zeros, is none.
    """
    return len(digits) in LENGTHS.get(digits[:4], ()) and luhn(digits)


def is_grouped(sizes: Sequence[int]) -> bool:
    """Whether groups of so many digits are those in which people write the number of a card.

    All have one size but for the last, which may be shorter; all are of fours; or they are 4, 6 and the rest.
    """
    return (
        (len(set(sizes[:-1])) <= 1 and sizes[-1] <= sizes[0])
        or all(size % 4 == 0 for size in sizes)
        or (len(sizes) == 3 and list(sizes[:2]) == [4, 6] and sizes[2] <= 6)
    )


def is_iban(number: bytes) -> bool:
    """Whether upper-case letters and digits without blanks are an IBAN: its country's length, and 1 modulo 97."""
    if len(number) != IBAN_LENGTHS.get(number[:2]) or not number.isalnum():
        return False
    moved = number[4:] + number[:4]
    return int("".join(str(int(char, 36)) for char in moved.decode("ascii"))) % 97 == 1


def country_digits(digits: str) -> int:
    """How many digits the country code has with which an international number begins; 0 if there is no such code."""
    if digits[:1] in ("1", "7"):
        return 1
    if digits[:2] in _TWO_DIGIT:
        return 2
    return 3 if digits[:2] in _THREE_DIGIT and len(digits) > 2 else 0


def is_international(digits: str) -> bool:
    """Whether digits after ``+`` are a telephone number: a country code, and 8 to 15 digits with it."""
    return 8 <= len(digits) <= 15 and country_digits(digits) > 0


def is_north_american(groups: Sequence[str]) -> bool:
    """Whether groups of digits are a number of the North American plan, such as 415 555 0134 or 1 415 555 0134."""
    lengths = [len(group) for group in groups]
    if lengths == [1, 3, 3, 4] and groups[0] == "1":
        groups = groups[1:]
    elif lengths != [3, 3, 4]:
        return False
    return groups[0][0] >= "2" and groups[1][0] >= "1"


def is_national(groups: Sequence[str]) -> bool:
    """Whether groups of digits are a number with the trunk prefix 0, such as 0171 1234567 or 06 12 34 56 78."""
    digits = sum(map(len, groups))
    first = groups[0]
    return first[0] == "0" and first[1:2] != "0" and len(first) > 1 and 9 <= digits <= 12


def is_date(groups: Sequence[str], marks: Sequence[str]) -> bool:
    """Whether groups with what stands between them are a date, a time or a network address, not a telephone number."""
    lengths = [len(group) for group in groups]
    if set(marks) <= {".", "/", "-"} and len(set(marks)) == 1:
        return lengths in ([2, 2, 4], [1, 2, 4], [2, 1, 4], [1, 1, 4], [4, 2, 2], [2, 2, 2]) or (
            marks[0] == "." and len(groups) == 4 and max(lengths) <= 3
        )
    return False
