"""Finds quoted texts, numbers and times in an instruction, and the bounds that its words put on them."""

import bisect
import datetime as dt
import re
from collections.abc import Iterator
from decimal import Decimal

from vsalang.base.records import dataclass
from vsalang.base.source import Source, Span
from vsalang.language.syntax import tree as t


@dataclass(frozen=True, slots=True)
class Quotation:
    """A text in quotation marks; `start` and `end` are its place in the instruction, without the marks."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number or a time of day.

    Attributes:
        text: as written, with ``PM`` or a currency mark.
        value: the number, or the time.
        bound: the operator that the words around it ask for: ``<``, ``<=``, ``>``, ``>=``, or nothing.
        words: the number with those words.
        start: its place in the instruction.
        end: the offset after it.
        denied: a `no`, `not`, `without` or the like stands before it in its sentence.
        loose: the words do not say whether the end itself is meant: `by 8 PM`, `until 8 PM`.
    """

    text: str
    value: Decimal | dt.time
    bound: str
    words: str
    start: int
    end: int
    denied: bool = False
    loose: bool = False


# An apostrophe opens a quotation only where no letter is written before it, and closes one only where none follows.
_QUOTED = re.compile(
    r'"([^"\n]{1,200})"|„([^“”\n]{1,200})[“”]|“([^”\n]{1,200})”|«\s*([^»\n]{1,200}?)\s*»|(?<!\w)‘([^’\n]{1,200})’(?!\w)'
    r"|(?<!\w)'((?:[^'\n]|(?<=\w)'(?=\w)){1,200})'(?!\w)"
)
_QUANTITY = re.compile(
    r"(?<![\w.,:/-])(?P<sign>[$€£¥]\s?)?(?P<body>\d{1,2}:\d{2}(?::\d{2})?|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?P<tail>\s?(?:[ap]\.?m\b\.?|uhr\b|(?:o['’]clock\b)?(?:\s?in the (?:morning|afternoon|evening)\b)|o['’]clock\b))?"
    r"(?P<ordinal>st|nd|rd|th)?(?![\w:/]|-(?!(?:second|minute|hour|day|week|month|year|star|person|people)s?\b)|[.,]\d)",
    re.IGNORECASE,
)
# `1. Open the app` numbers a step: a small number after the end of a sentence, with its own mark
_STEP_BEFORE = re.compile(r"(?:^|[.:;,!?)\n])\s*$")
_STEP_AFTER = re.compile(r"[.)]\s+[^\W\d]")
# `1) open it 2) save it`, `Step 2: save it`: numbers that count on from one, each with such a mark
_ITEM = re.compile(
    r"(?<![\w.,:/-])(?P<word>(?:step|task|part|point|item|no\.?|nr\.?|number)\s+|#)?(?P<number>\d{1,2})(?:[.):]|\s[-–—])\s+(?=[^\W\d])",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"\bnot\s+$", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(?:no|not|never|none|nobody|nothing|without|unless|except|other than|\w+n['’]t)\b[^.;!?]*$",
    re.IGNORECASE,
)
_UNIT = r"(?:\s*(?:%|\w+))?"
_SOME = r"(?:\s*[%€$£¥])?(?:\s+(?!(?:and|or|but|then|with|for)\b)\w+){0,3}?"
_BEFORE: tuple[tuple[str, str], ...] = (
    (
        ">=",
        r"at least|no(?:t|thing)? (?:less|fewer|lower|smaller|shorter|earlier|sooner|cheaper|younger) than|from"
        r"|(?:a |the )?min(?:imum)?(?:(?: \w+)?(?: of|:| is| being))?|not before|not under|not below|at the earliest at"
        r"|ab|nicht vor|nicht weniger als|mindestens|wenigstens|frühestens(?: um)?|pas moins de"
        r"|au moins|no menos de|al menos|por lo menos",
    ),
    (
        "<=",
        r"at most|no(?:t|thing)? (?:more|greater|higher|larger|bigger|longer|later|older|heavier|dearer"
        r"|further|farther) than|up to|not after|not over|not above|not exceeding|no more expensive than"
        r"|(?:a |the )?max(?:imum)?(?:(?: \w+)?(?: of|:| is| being))?"
        r"|(?:a |the )?(?:limit|cap|budget)(?: of|:| is)|at the latest (?:at|by)"
        r"|nicht nach|nicht mehr als|höchstens|maximal|spätestens(?: um)?|bis zu"
        r"|pas plus de|au plus|no más de|au maximum|jusqu['’]à|como máximo|hasta",
    ),
    (
        ">",
        r"more than|greater than|higher than|larger than|longer than|later than|above|exceeding|over|after|older than"
        r"|bigger than|heavier than|more expensive than|beyond|(?:costs?|costing|rated|priced|worth|weighs?) over"
        r"|nach|après|después de(?: las?)?|mehr als|länger als|teurer als|plus de|más de",
    ),
    (
        "<",
        r"less than|fewer than|lower than|smaller than|shorter than|cheaper than|earlier than|below|under|before"
        r"|sooner than|younger than|lighter than|less expensive than"
        r"|vor|avant|antes de(?: las?)?|weniger als|kürzer als|billiger als|günstiger als|moins de|menos de",
    ),
)
_AFTER: tuple[tuple[str, str], ...] = (
    (
        ">=",
        r"(?:or|and) (?:more|above|higher|later|over|up|upwards?|onwards?|greater|longer|better|older|larger|bigger)",
    ),
    ("<=", r"(?:or|and) (?:less|fewer|below|lower|under|earlier|cheaper|shorter|smaller|sooner|younger)"),
)
_BEFORE_RE = tuple((op, re.compile(rf"\b(?:{words})\s+$", re.IGNORECASE)) for op, words in _BEFORE)
_FOLLOWED = r"(?!\s*[$€£¥]?\s*\d)"
_SAID_AFTER: tuple[tuple[str, str], ...] = (
    (
        ">=",
        r"(?:or after|at least|at the (?:very )?earliest|(?:is |as )?(?:a |the |my )?(?:minimum|min|least)"
        r"|is the earliest)",
    ),
    (
        "<=",
        r"(?:or before|at (?:the )?(?:very )?(?:most|latest)|(?:is |as )?(?:a |the |my )?(?:maximum|max|limit|most)"
        r"|is the latest|tops)",
    ),
)
_AFTER_RE = (
    *((op, re.compile(rf"^{_UNIT}\s*{words}\b", re.IGNORECASE)) for op, words in _AFTER),
    *(
        (
            op,
            re.compile(
                rf"^{_SOME},?\s+{words}\b{_FOLLOWED}(?!\s+(?:of|is|one|two|three|the)\b)", re.IGNORECASE
            ),
        )
        for op, words in _SAID_AFTER
    ),
)
_LOOSE_RE = (
    ("<=", True, re.compile(r"(?<!\bthan )\b(?:by|until|till|bis)\s+(?:um\s+)?$", re.IGNORECASE)),
    ("<=", False, re.compile(r"\bwithin\s+(?:(?:the )?next\s+)?$", re.IGNORECASE)),
)
_WAITS = re.compile(
    r"\b(?:not|wait\w*|closed|busy|away|nothing|hold|sleep|delay\w*|postpone\w*|\w+n['’]t)\b[^.,;:!?]{0,40}$",
    re.IGNORECASE,
)
# "must not cost more than 30" puts a bound on what is wanted; "do not cancel those after 5" does not
_MUST_NOT = re.compile(
    r"\b(?:not|never|\w+n['’]t|cannot)\s+(?:be|cost|pay|spend|take|last|exceed|go|begin|start|end|finish)"
    r"(?:\s+\w+){0,2}\s+$",
    re.IGNORECASE,
)
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_NEAR = 100
"""How many characters before and after a number are searched."""
_NOT = frozenset({"from", "over", "after", "ab", "nach", "après", "vor", "avant", "antes de", "después de"})
_NOT_OF_TIMES = frozenset({"over"})


def quoted_texts(text: str) -> Iterator[Quotation]:
    """The quoted texts of an instruction, in order."""
    for match in _QUOTED.finditer(text):
        index = match.lastindex or 1
        if match.group(index).strip():
            yield Quotation(match.group(index), *match.span(index))


def quantities(text: str) -> Iterator[Quantity]:
    """The numbers and times of an instruction outside quotation marks, in order."""
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    starts = [start for start, _ in quoted]
    items = _items(text)
    for match in _QUANTITY.finditer(text):
        inside = bisect.bisect_right(starts, match.start()) - 1
        if inside >= 0 and match.start() < quoted[inside][1]:
            continue
        value = _value(match["body"], match["tail"])
        if value is None:
            continue
        start, end = match.span()
        if start in items:
            continue
        if _STEP_BEFORE.search(text, max(0, start - _NEAR), start) and _STEP_AFTER.match(text, end):
            continue
        bound, first, last = _bound(text, start, end, _NOT_OF_TIMES if isinstance(value, dt.time) else _NOT)
        denied = _DENIED.search(text, max(0, first - _NEAR), first) is not None
        loose = False
        if not bound and (open_end := _loosely(text, start, isinstance(value, dt.time))):
            (bound, first), loose = open_end, True
        elif bound and first < start and (turned := _MUST_NOT.search(text, max(0, first - _NEAR), first)):
            bound, first, denied, loose = _OPPOSITE[bound], turned.start(), False, True
        yield Quantity(
            match.group(), value, bound, " ".join(text[first:last].split()), start, end, denied, loose
        )


def _loosely(text: str, start: int, clock: bool) -> tuple[str, int] | None:
    """The bound of words that leave open whether the end is meant, and where they begin."""
    for op, only_times, pattern in _LOOSE_RE:
        match = pattern.search(text, max(0, start - _NEAR), start)
        if match and (clock or not only_times) and not _WAITS.search(text, 0, match.start()):
            return op, match.start()
    return None


def spelled(text: str, *, bounded: bool = True) -> Iterator[Quantity]:
    """The numbers in words, and noon, outside quotation marks, in order; `bounded`: those that words put a bound on."""
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    for match in _SPELLED.finditer(text):
        start, end = match.span()
        if any(first <= start < last for first, last in quoted):
            continue
        value = _SPELLED_VALUES[match.group().lower()]
        clock = isinstance(value, dt.time)
        bound, first, last = _bound(text, start, end, _NOT_OF_TIMES if clock else _NOT)
        loose = False
        if not bound and (open_end := _loosely(text, start, clock)):
            (bound, first), loose = open_end, True
        if bound or not bounded:
            denied = _DENIED.search(text, max(0, first - _NEAR), first) is not None
            yield Quantity(
                match.group(), value, bound, " ".join(text[first:last].split()), start, end, denied, loose
            )


_SPELLED_VALUES: dict[str, Decimal | dt.time] = {
    **{
        word: Decimal(number)
        for number, word in enumerate(
            "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen twenty".split(),
            start=1,
        )
    },
    **{
        word: Decimal(number)
        for number, word in zip(
            range(30, 101, 10), "thirty forty fifty sixty seventy eighty ninety hundred".split(), strict=True
        )
    },
    "noon": dt.time(12),
    "midday": dt.time(12),
}
_SPELLED = re.compile(
    rf"(?<![\w-])(?:{'|'.join(_SPELLED_VALUES)})(?![\w-]|\s+(?:hundred|thousand|million)\b)", re.IGNORECASE
)


def _items(text: str) -> frozenset[int]:
    """Where the numbers of the items of a list begin: 1, 2, .. with such a mark each, or with a word before them."""
    places: set[int] = set()
    counted: list[int] = []
    for match in _ITEM.finditer(text):
        if match["word"]:
            places.add(match.start("number"))
        elif int(match["number"]) == len(counted) + 1:
            counted.append(match.start("number"))
    return frozenset(places.union(counted if len(counted) > 1 else ()))


_HALVES = {"morning": "am", "afternoon": "pm", "evening": "pm"}


def _value(body: str, tail: str | None) -> Decimal | dt.time | None:
    half = (tail or "").strip().lower().replace(".", "")
    in_words = _HALVES.get(half.rpartition(" ")[2])
    half = in_words or half
    if ":" in body or half:
        parts = [int(part) for part in body.split(":")] if body.replace(":", "").isdigit() else [99]
        hour, minute, second = (*parts, 0, 0)[:3]
        if half in ("am", "pm") and not (in_words and parts[0] > 12):  # 18:00 in the evening
            if not 1 <= hour <= 12:
                return None
            hour = hour % 12 + (12 if half == "pm" else 0)
        if hour > 23 or minute > 59 or second > 59:
            return None
        return dt.time(hour, minute, second)
    return Decimal(body.replace(",", ""))


def _bound(text: str, start: int, end: int, not_: frozenset[str]) -> tuple[str, int, int]:
    """The operator that the words around text[start:end] mean, and the place of those words with the text.

    Args:
        not_: words that say nothing of such a number.
    """
    for op, after in _AFTER_RE:
        if match := after.search(text[end : end + _NEAR]):
            return op, start, end + match.end()
    for op, before in _BEFORE_RE:
        match = before.search(text, max(0, start - _NEAR), start)
        # `from 3`, `over 3 days`, `after 3 minutes` are about a span as often as about a bound
        if (
            match
            and match.group().strip().lower() not in not_
            and not _NEGATED.search(text, max(0, match.start() - _NEAR), match.start())
        ):
            return op, match.start(), end
    return "", start, end


def place(doc: t.Text, source: Source, text: str, start: int, end: int) -> Span:
    """The span of text[start:end] of the instruction in the file; the whole instruction if that is not certain."""
    piece = text[start:end]
    raw = source.slice(doc.span)
    if raw.count(piece) == 1 or (raw.count(piece) and raw[1:-1] == text):
        at = raw.find(piece) if raw.count(piece) == 1 else 1 + start
        return Span(doc.span.file, doc.span.start + at, doc.span.start + at + len(piece))
    return doc.span
