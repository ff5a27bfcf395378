"""Lists of words: how they are written, how texts are folded to be compared with them, and how they are found.

A list has one entry a line, in the notation of dictionaries, and comments::

    send, ~s, ~ing            // send, sends, sending
    lösch|en, ~e, ge~t        // löschen, lösche, gelöscht
    log out
    送信

Commas part the forms of an entry; after one at the end of a line it goes on in the next. In a later form ``~`` is the
first one, up to its ``|`` if it has one. A form is a row of words. A text has a form if its words are in the text, one
after the other. In a script that is written without blanks each character is a word, so a form may be any part of a
label.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any, Final, Protocol, TypeVar

from vsalang.base.records import dataclass
from vsalang.program.doubt import hides
from vsalang.program.folding import normal
from vsalang.program.patterns import Reading, RememberingMatcher
from vsalang.program.text import LIKE_BREAKS, TURNS, canonical, is_invisible, plain, safe

SUFFIX: Final = ".words"
"""What the name of a file of words ends in."""
MOST_FORMS: Final = 20_000
"""A longer list is refused."""
LONGEST_FORM: Final = 200
"""A longer form is refused, in characters."""
_SHORT: Final = 200
_ODD: Final = re.compile(f"{LIKE_BREAKS}|{TURNS}")
_ODD_COMMENT: Final = "the comment has the character {}, which changes how lines are shown"

# ---- folding -------------------------------------------------------------------------------------

_WITHOUT_BLANKS: Final = (
    "CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HALFWIDTH", "IDEOGRAPHIC", "HANGUL", "BOPOMOFO", "YI",
    "THAI", "LAO", "KHMER", "MYANMAR", "TAI", "NEW", "TIBETAN", "JAVANESE",
)  # fmt: skip
"""First words of the Unicode names of letters in scripts that are written without blanks, or with particles at the
words (Hangul)."""
_FIRST_WITHOUT_BLANKS: Final = "\u0e00"

_LOST_MARKS: Final = (
    ("\u0300", "\u036f"), ("\u0483", "\u0487"), ("\u0591", "\u05c7"), ("\u0610", "\u061a"), ("\u064b", "\u065f"),
    ("\u0670", "\u0670"), ("\u06d6", "\u06ed"), ("\u1ab0", "\u1aff"), ("\u1dc0", "\u1dff"), ("\u20d0", "\u20ff"),
    ("\ufe20", "\ufe2f"),
)  # fmt: skip
"""Marks that do not count: of Latin, Greek, Cyrillic, Hebrew and Arabic. In other scripts marks are vowels or tones."""

_PLAIN_LETTERS: Final = {
    "ı": "i", "ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "æ": "ae", "œ": "oe",
    "ى": "ي", "ی": "ي", "ک": "ك", "ة": "ه", "ـ": "",
}  # fmt: skip
"""Letters that are another one with a stroke or without a dot, and have no decomposition."""

LOOK_ALIKES: Final = dict(zip("авеѕіјкмнорстухһԁӏԛԝѵ", "abesijkmhopctyxhdlqwv", strict=True)) | dict(
    zip("αβεζηικμνορτυχ", "abezhikmnoptyx", strict=True)
)
"""Letters of Cyrillic and Greek that look like one of Latin, in small or as a capital; a text may be written with them
to look like another one."""

_APOSTROPHES: Final = frozenset("'\u05f3\u05f4")
"""They stand within a word, as in don't, and do not count."""


_MARK: Final = "\ue000"
"""Stands before each mark that counts, until it is known what it is on."""
_MARKED: Final = re.compile(f"(?:([\u0590-\ud7ff\ue001-\U0010ffff])( ?))?((?:{_MARK}.)++)")


def without_blanks(char: str) -> bool:
    """Whether a letter is of a script in which words are not parted."""
    return char >= _FIRST_WITHOUT_BLANKS and unicodedata.name(char, "").split(" ", 1)[0] in _WITHOUT_BLANKS


def _is_lost(mark: str) -> bool:
    return any(low <= mark <= high for low, high in _LOST_MARKS)


class _Table(dict[int, str]):
    """What each character is folded to. A character that is a word of its own has a blank before and after it."""

    def __init__(self, look_alikes: bool) -> None:
        super().__init__()
        self.look_alikes = look_alikes

    def __missing__(self, code: int) -> str:
        folded = self[code] = self._folded(chr(code))
        return folded

    def _folded(self, char: str) -> str:
        if char in _APOSTROPHES or is_invisible(char):
            return ""
        category = unicodedata.category(char)[0]
        if category == "M":
            return "" if _is_lost(char) else _MARK + char
        if category not in "LN":
            return " "
        if without_blanks(char):
            return f" {char} "
        parts = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char.casefold()).casefold())
        kept = "".join(_PLAIN_LETTERS.get(part, part) for part in parts if not _is_lost(part))
        if self.look_alikes:
            kept = "".join(LOOK_ALIKES.get(part, part) for part in kept)
        return "".join(part if unicodedata.category(part)[0] in "LNM" else " " for part in kept)


_TABLES: Final = {True: _Table(True), False: _Table(False)}


def folded(text: str, *, look_alikes: bool = True) -> str:
    """The words of a text, each with one blank before and after it; takes linear time.

    Case, width, marks on letters, apostrophes and what does not show do not count. All other punctuation parts words,
    as blanks do.

    Args:
        text: any string.
        look_alikes: whether a letter counts as the Latin one that it looks like.
    """
    return (_kept if len(text) <= _SHORT else _fold)(text, look_alikes)


def _fold(text: str, look_alikes: bool) -> str:
    if not text.isascii():
        text = canonical(plain(normal(canonical(text))))
    words = text.translate(_TABLES[look_alikes])
    if _MARK in words:
        words = _MARKED.sub(_with_marks, words)
    return f" {' '.join(words.split())} "


def _with_marks(marked: re.Match[str]) -> str:
    """A letter with its marks, and what was behind it; a mark without a letter of such a script does not count."""
    letter, blank, marks = marked.groups()
    return f"{letter}{marks.replace(_MARK, '')}{blank}" if letter else ""


_kept = lru_cache(8192)(_fold)
"""The same for short texts: screens show many of them again and again."""

# ---- the notation --------------------------------------------------------------------------------

_OF_PATTERNS: Final = frozenset('()[]{}\\^$*+?"=<>#@%')
"""Signs that a form cannot have: they do not count in texts, and who writes them means something else."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a list: its forms, written out, and where it is in the text of the list."""

    forms: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Flaw:
    """What is wrong in a list, where it is, and what to do about it."""

    message: str
    help: str
    start: int
    end: int


def code_of(line: str) -> str:
    """A line of a list without its comment, and without blanks at its end."""
    return line.partition("//")[0].rstrip(" \t")


def lines(text: str) -> Iterator[tuple[str, int]]:
    """The lines of a list, and where each begins."""
    at = 0
    for line in text.split("\n"):
        yield line.removesuffix("\r"), at
        at += len(line) + 1


def read_entries(text: str) -> tuple[list[Entry], list[Flaw]]:
    """The entries of a list, and what is wrong with it; takes linear time.

    Nothing may be twice in a list, whatever its spelling. A list needs a word.
    """
    entries: list[Entry] = []
    flaws: list[Flaw] = []
    seen: dict[str, str] = {}
    unfit = frozenset(filter(_unfit, set(text)))
    flaws += (
        Flaw(_ODD_COMMENT.format(safe(odd[0])), "delete it: it shows other lines than there are", *odd.span())
        for line, at in lines(text)
        for odd in _ODD.finditer(text, at + len(code_of(line)), at + len(line))
    )
    for code, start, end in _codes(text):
        try:
            forms = _forms(code, unfit)
        except ValueError as problem:
            message, remedy = problem.args
            flaws.append(Flaw(message, remedy, start, end))
            continue
        for form in forms:
            key = folded(form)
            if key in seen:
                same = f"as {safe(seen[key])}, but for what does not count" if seen[key] != form else ""
                what = f"{safe(form)} is in the list twice" + (f": it is the same {same}" if same else "")
                flaws.append(Flaw(what, "write each word once", start, end))
            seen.setdefault(key, form)
        entries.append(Entry(forms, start, end))
    if len(seen) > MOST_FORMS:
        flaws.append(Flaw(f"the list has more than {MOST_FORMS:,} words", "split it", 0, 0))
    if not entries and not flaws:
        flaws.append(Flaw("the list has no word", "write one a line", 0, 0))
    return entries, flaws


def _codes(text: str) -> Iterator[tuple[str, int, int]]:
    """Each entry without comments, and where it is: a line, with the next one where it ends with a comma."""
    begun: list[str] = []
    start = end = 0
    for line, at in lines(text):
        code = code_of(line)
        first = at + len(code) - len(code.lstrip(" \t"))
        if first >= at + len(code):
            continue
        start, end = start if begun else first, at + len(code)
        begun.append(text[first:end])
        if not code.endswith(","):
            yield " ".join(begun), start, end
            begun = []
    if begun:
        yield " ".join(begun), start, end


@lru_cache(4096)
def _unfit(char: str) -> tuple[str, ...]:
    """Why no form may have a character, and what to do about it; empty if it may."""
    if char in _OF_PATTERNS:
        remedy = "write every form in full, parted by commas: send, ~s, ~ing"
        return f"{safe(char)} cannot be in a word: a list holds words, not patterns", remedy
    category = unicodedata.category(char)
    if char in "~|\t" or (
        category[0] not in "SC" and category not in ("Zl", "Zp") and not is_invisible(char)
    ):
        return ()
    if category[0] == "S":
        return f"the sign {safe(char)} does not count in texts", "leave it out"
    return f"the entry has the character {safe(char)}, which does not show", "delete it"


def _forms(code: str, unfit: frozenset[str]) -> tuple[str, ...]:
    """The forms of an entry, written out.

    Args:
        code: the entry.
        unfit: the characters of the list that no form may have.

    Raises:
        ValueError: what is wrong, and what to do about it.
    """
    for char in code if unfit else "":
        if char in unfit:
            raise ValueError(*_unfit(char))
    first, *more = (" ".join(canonical(form).split()) for form in code.split(","))
    stem, bar, ending = first.partition("|")
    if "~" in first or "|" in ending or (bar and not (stem.strip() and ending.strip())):
        raise ValueError(
            "the first form is written in full, with at most one `|` inside it",
            "write lösch|en, ~e, ge~t: the later forms repeat what is before the bar",
        )
    forms = [stem + ending]
    for form in more:
        if "|" in form:
            raise ValueError("only the first form of an entry can have a `|`", "delete it")
        forms.append(form.replace("~", stem))
    for form in forms:
        if len(form) > LONGEST_FORM:
            raise ValueError(f"a word has more than {LONGEST_FORM} characters", "shorten it")
        if not folded(form).strip():
            what = f"{safe(form)} has neither a letter nor a digit" if form else "a form is empty"
            raise ValueError(what, "write a word, or delete the comma" if not form else "write a word")
    return tuple(forms)


def tidy(text: str) -> list[str]:
    """The lines of a list in the one style, without indentation: a blank after each comma, no two empty lines in a row.

    The order stays, and so do comments. An entry goes on in the next line where it is too long for one.
    """
    tidied: list[str] = []
    goes_on = False
    for line, _ in lines(text):
        code = code_of(line)
        comment = line[len(code) :].strip()
        rows = _rows(code, _DEEPER if goes_on else "") if code.strip() else []
        if comment:
            rows[-1:] = [f"{rows[-1]}  {comment}"] if rows else [comment]
        if code.strip():
            goes_on = code.endswith(",")
        if rows or (tidied and tidied[-1]):
            tidied += rows or [""]
    while tidied and not tidied[-1]:
        tidied.pop()
    return tidied


_DEEPER: Final = "  "
_WIDTH: Final = 98


def _rows(code: str, indentation: str) -> list[str]:
    """The forms of a line, in as few lines as they need."""
    *forms, last = (" ".join(form.split()) for form in code.split(","))
    rows: list[str] = []
    for piece in (*(f"{form}," for form in forms), *([last] if last else [])):
        if rows and len(rows[-1]) + 1 + len(piece) <= _WIDTH:
            rows[-1] += f" {piece}"
        else:
            rows.append((_DEEPER if rows else indentation) + piece)
    return rows


class Forms(Protocol):
    """An entry of a list."""

    @property
    def forms(self) -> tuple[str, ...]:
        """Its forms, written out."""
        ...


_Entry = TypeVar("_Entry", bound=Forms)


def covered(entries: Sequence[_Entry]) -> Iterator[tuple[_Entry, str, str]]:
    """Forms that change nothing where the words of a list are looked for in texts: another form is a part of each.

    Yields:
        The entry, its form, and the form that is a part of it.
    """
    spelled = {folded(form): form for entry in entries for form in entry.forms}
    if not spelled:
        return
    automaton = _automaton(tuple(spelled.values()), True)
    for entry in entries:
        for form in entry.forms:
            key = folded(form)
            for _, (inner, other) in automaton.iter(key):
                if inner != key:
                    yield entry, form, other
                    break


# ---- finding -------------------------------------------------------------------------------------


_CAREFUL: Final = frozenset({"certain", "narrow"})
"""Readings in which a letter is not taken for one that looks like it."""


@lru_cache(1024)
def _automaton(forms: tuple[str, ...], look_alikes: bool) -> Any:
    """An Aho-Corasick automaton of the folded forms (Aho and Corasick 1975), each with how it is written."""
    import ahocorasick

    made = ahocorasick.Automaton()
    for form in forms:
        key = folded(form, look_alikes=look_alikes)
        made.add_word(key, (key, form))
    made.make_automaton()
    return made


@lru_cache(1024)
def _read_otherwise(text: str) -> bool:
    """Whether some list may be asked of a text with another answer where a match takes duty away: a screen's texts are
    asked of many lists."""
    return hides(canonical(text)) or folded(text) != folded(text, look_alikes=False)


@dataclass(frozen=True)
class WordList(RememberingMatcher):
    """A list that can be asked which of its words a text has. Two are equal if they give the same answers.

    Attributes:
        forms: its words, all forms written out.
        whole: whether a word must be the whole text.
        reading: as of a pattern (`vsalang.program.patterns.compile_pattern`). Where a match takes duty away, or is read
            certainly, a letter is not taken for one that looks like it.
    """

    forms: tuple[str, ...]
    whole: bool = False
    reading: Reading = "plain"

    def __hash__(self) -> int:  # that of all words would take longer than to find them in a text
        return hash((len(self.forms), self.forms[:1], self.whole, self.reading))

    @property
    def groups(self) -> tuple[str, ...]:  # type: ignore[override]
        """None: words bind nothing."""
        return ()

    @cached_property
    def _automaton(self) -> Any:
        return _automaton(self.forms, self.reading not in _CAREFUL)

    def word_in(self, text: str) -> str | None:
        """A word that the text has, as it is written in the list; None if it has none, or that is not known."""
        careful = self.reading in _CAREFUL
        if careful and hides(canonical(text)):
            return None
        key = folded(text, look_alikes=not careful)
        automaton = self._automaton
        if self.whole:
            return automaton.get(key, (None, None))[1]  # type: ignore[no-any-return]
        for _, (_, form) in automaton.iter(key):
            return form  # type: ignore[no-any-return]
        return None

    @cached_property
    def _known(self) -> dict[str, bool | None]:  # type: ignore[override]
        return {}

    def _matches(self, text: str) -> bool | None:
        if self.reading == "certain" and hides(canonical(text)):
            return None
        return self.word_in(text) is not None

    def search(self, text: str) -> dict[str, str | None] | None:
        return {} if self.word_in(text) is not None else None

    def adds(self, text: object) -> bool:
        if self.reading in ("plain", "possible") or not isinstance(text, str) or text.isascii():
            return False
        if not _read_otherwise(text):
            return False
        return self.matches(text) is not WordList(self.forms, self.whole).matches(text)
