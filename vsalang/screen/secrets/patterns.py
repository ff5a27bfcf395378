"""The patterns by which secrets are found, as RE2 matches them: in linear time."""

from functools import cache
from typing import Any, Final, NamedTuple

from vsalang.screen.secrets.numbers import IBAN_LENGTHS
from vsalang.screen.secrets.secret_words import (
    CODE_WORDS,
    IS_LABEL,
    OTHER_CODES,
    PHONE_WORDS,
    SAID,
    SEED_WORDS,
    compiled,
)

LEAST_DIGITS: Final = 4
"""Fewer digits are neither a code nor a number of anything."""


class Patterns(NamedTuple):
    """The compiled patterns."""

    email: Any
    key: Any
    block: Any
    iban: Any
    number: Any
    named_secret: Any
    code: Any
    others: Any
    label: Any
    seed: Any
    phone: Any
    labelled: Any


_LETTER: Final = r"A-Za-z0-9\xff"
_KEYS: Final = (
    r"\b(?:sk-(?:proj-|ant-)?[A-Za-z0-9_-]{20,200}|(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,200}"
    r"|gh[pousr]_[A-Za-z0-9]{30,200}|github_pat_[A-Za-z0-9_]{30,200}|glpat-[A-Za-z0-9_-]{20,200}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{35}|xox[abprs]-[A-Za-z0-9-]{10,200}|npm_[A-Za-z0-9]{36}"
    r"|pypi-[A-Za-z0-9_-]{20,300}|hf_[A-Za-z0-9]{30,100}|SG\.[A-Za-z0-9_-]{16,40}\.[A-Za-z0-9_-]{16,60}"
    r"|eyJ[A-Za-z0-9_-]{8,900}\.eyJ[A-Za-z0-9_-]{8,900}\.[A-Za-z0-9_-]{8,900})"
)


@cache
def patterns() -> Patterns:
    """The patterns of this room, compiled when they are first needed."""
    return Patterns(
        email=compiled(rf"[{_LETTER}._%+'-]+@(?:[{_LETTER}-]+\.)+[A-Za-z\xff][{_LETTER}-]*[{_LETTER}]"),
        key=compiled(_KEYS, case=True),
        block=compiled(r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----", case=True),
        iban=compiled(rf"\b(?:{'|'.join(sorted(key.decode() for key in IBAN_LENGTHS))})\d\d[ -]?[A-Z0-9]"),
        number=compiled(rf"[+(]{{0,2}}\d(?:[ ()./-]{{0,3}}\d){{{LEAST_DIGITS - 1},}}"),
        named_secret=compiled(SAID),
        code=compiled(CODE_WORDS),
        others=compiled(OTHER_CODES),
        label=compiled(IS_LABEL),
        seed=compiled(SEED_WORDS),
        phone=compiled(PHONE_WORDS),
        labelled=compiled(IS_LABEL.replace("$", r"(?:\x00|$)")),
    )
