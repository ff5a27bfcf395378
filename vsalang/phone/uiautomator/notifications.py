"""Reads the notifications in the output of ``dumpsys notification``. Pure; texts of apps are not trusted.

A record as Android 8 to 15 print it:

        NotificationRecord(0x0a1b2c3d: pkg=com.bank user=UserHandle{0} id=7 tag=null importance=4 key=0|com.bank|..)
          uid=10123 userId=0
          ...
          extras={
              android.title=String (Transfer done)
              android.text=String (50.00 to Anna)
          }

Without ``--noredact`` a text is only ``String [length=13]``.
"""

import re
from typing import Final

Posted = tuple[str | None, str | None, str | None]
"""Package, title and text; None is unknown."""

MOST: Final = 200
"""How many notifications are read at most; Android itself allows fifty of each app."""
_RECORD: Final = re.compile(
    r"^ {4}NotificationRecord\(0x[0-9a-f]+: pkg=([A-Za-z][\w.]*) user=UserHandle\{-?\d+\} id=-?\d+ tag=.*$",
    re.MULTILINE | re.ASCII,
)
_LIST: Final = re.compile(r"^ {2}(?:Notification List|Current Notification List):?[^\n]*$", re.MULTILINE)
_END: Final = re.compile(r"^ {0,2}\S", re.MULTILINE)
_TITLE, _TEXT = "android.title", "android.text"


def posted(dump: str) -> tuple[Posted, ...] | None:
    """The notifications of one dump; None if it has no readable list of them."""
    if "Current Notification Manager state" not in dump:
        return None
    match = _LIST.search(dump)
    if match is None:
        return ()  # the service prints no heading for an empty list
    rest = dump[match.end() + 1 :]
    end = _END.search(rest)
    rest = rest[: end.start()] if end is not None else rest
    records = list(_RECORD.finditer(rest))
    if (
        len(records) != len(re.findall(r"^ {4}NotificationRecord\(", rest, re.MULTILINE))
        or len(records) > MOST
    ):
        return None
    ends = [record.start() for record in records[1:]] + [len(rest)] * bool(records)
    return tuple(
        (record[1], _extra(block, _TITLE), _extra(block, _TEXT))
        for record, block in ((r, rest[r.end() : end]) for r, end in zip(records, ends, strict=True))
    )


def _extra(block: str, key: str) -> str | None:
    """A text of a record; None if there is none, or if its begin and end are not certain."""
    texts = re.findall(
        rf"^ {{10,}}{re.escape(key)}=(?:String|SpannableString|CharSequence) \((.*)\)$", block, re.MULTILINE
    )
    lengths = re.findall(
        rf"^ {{10,}}{re.escape(key)}=(?:String|SpannableString|CharSequence) \[length=(\d+)\]$",
        block,
        re.MULTILINE,
    )
    if len(lengths) == 1 and not texts:
        return f"[length={lengths[0]}]"
    return str(texts[0]) if len(texts) == 1 else None


def agreed(full: str, redacted: str) -> tuple[Posted, ...] | None:
    """The notifications of two dumps of the same moment, one with texts and one without.

    A text could itself look like records of other apps. It cannot in the dump without texts: only records that both
    have, in the same order, are read, and only texts of the length that it gives.

    Returns:
        None, if the dumps do not agree or one cannot be read.
    """
    with_texts, lengths = posted(full), posted(redacted)
    if with_texts is None or lengths is None:
        return None
    if [record[0] for record in with_texts] != [record[0] for record in lengths]:
        return None
    return tuple(
        (package, _checked(title, reported[1]), _checked(text, reported[2]))
        for (package, title, text), reported in zip(with_texts, lengths, strict=True)
    )


def _checked(text: str | None, reported: str | None) -> str | None:
    """A text, if the other dump has it too (older phones redact nothing) or its length (in UTF-16, as in Java)."""
    if text is None or reported is None:
        return None
    length = len(text.encode("utf-16-le", "surrogatepass")) // 2
    return text if reported in (text, f"[length={length}]") else None
