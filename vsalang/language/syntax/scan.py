"""A small scanner, without the grammar: it finds strings, comments, brackets and periods, and cuts a file into items.

It finds what would harm the parser (a string that is never closed, brackets nested very deeply), and where the items
of a broken file begin and end, so that each can be parsed alone.
"""

import re
from dataclasses import field
from typing import Final

from vsalang.base.records import dataclass
from vsalang.base.source.suggest import nearest
from vsalang.program.reserved_words import ITEM_WORDS, MODULE_KINDS, STEP_WORDS
from vsalang.program.text import LIKE_BREAKS, TURNS

MAX_DEPTH: Final = 24
"""How deeply brackets may be nested: the parser recurses, and no condition needs more."""

MAX_LENGTH: Final = 20_000
"""The most characters without a period or an end of a declaration; strings and comments are not counted."""

MAX_ITEMS: Final = 20_000
"""The most periods and closing braces of a file: reading takes about 0.1 ms for each item."""

MAX_ELEMENTS: Final = 60_000
"""The most commas and colons of a file: one constraint takes up to 0.3 ms."""

MAX_CODE: Final = 1_000_000
"""The most characters of a file; strings, comments and blanks are not counted."""

MAX_OPERATORS: Final = 1_000
"""The most ``+ - *`` without a period."""

GAP: Final = r"(?:[\ \t\r\n]|//[^\n]*+|/\*(?:(?!\*/)[\s\S])*+\*/)"
"""The pattern of one blank or one comment."""

_MARK: Final = rf'''
      (?P<string> """(?:\\"""|(?!""")[\s\S])*+""" | "(?!"")(?:[^"\\\n]|\\.)*+" )
    | (?P<comment> //[^\n]*+ | /\*(?:(?!\*/)[\s\S])*+\*/ )
    | (?P<regex> /(?![/*])(?:[^/\\\n]|\\.)++/ )
    | (?P<unclosed> """ | "(?:[^"\\\n]|\\.)*+ | /\* )
    | (?P<brace> \}}(?!{GAP}*+[,.)<>=!~+*-]) )
    | (?P<open> [({{\[] )
    | (?P<close> [)}}\]] )
    | (?P<dots> \.\. )
    | (?P<stop> \.(?![A-Za-z0-9_]) | (?<![A-Za-z0-9_])\. )
    | (?P<operator> [-+*] )
    '''
_SET: Final = rf"(?P<set> \bset{GAP}++of\b )"
_TOKEN = re.compile(rf"{_MARK} | (?P<word> (?<![^\n])(?:@|[A-Za-z_][A-Za-z0-9_]*+) ) | {_SET}", re.VERBOSE)
# As _TOKEN without words, with all that is before the token. It matches from every place, so the time is linear.
_NEXT = re.compile(
    rf'(?: [^"/(){{}}\[\].+*s-] | s(?!et[ \t\r\n/]) )*+ (?: {_MARK} | {_SET} | [./s] | \Z )', re.VERBOSE
)
_FIRST = re.compile(rf"{GAP}*+")
_TURN = re.compile(TURNS)
_ODD = re.compile(rf"{LIKE_BREAKS}|{TURNS}")
_TEXTS = re.compile(
    rf'(?P<text>"""(?:\\"""|(?!""")[\s\S])*+"""|"(?!"")(?:[^"\\\n]|\\.)*+")|(?P<odd>{_ODD.pattern})'
    r"|//[^\n]*+|/\*(?:(?!\*/)[\s\S])*+\*/|/(?![/*])(?:[^/\\\n]|\\.)++/"
)
_COMMENT = re.compile(r"//[^\n]*+|/\*(?:(?!\*/)[\s\S])*+\*/")
_GAPS = re.compile(rf"{GAP}++")
_STEP_START = re.compile(r"\n[ \t\r]*+([a-z_]++)(?![A-Za-z0-9_.])")
_UNFINISHED = re.compile(r"(?:[,(=<>~]|=>|\b(?:because|or|not|no|complete|screen|for))[ \t\r\n]*\Z")
_ANNOTATION = re.compile(
    r'@[ \t]*+[A-Za-z_][A-Za-z0-9_]*+(?:[ \t]*+\((?:[^()"\n]|"(?:[^"\\\n]|\\.)*+")*+\))?+', re.ASCII
)
_ENDS = re.compile(r"\.(?![A-Za-z0-9_.])|\}")
_ELEMENTS = re.compile(r"[,:]")
_INK = re.compile(r"[^ \t\r\n]")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+")
_PAIR: Final = {")": "(", "}": "{", "]": "["}
_BLOCKS: Final = frozenset({"enum", "state", "view", "list", "test"})
_ONLY_STEPS: Final = STEP_WORDS - ITEM_WORDS
_HEAD_WORDS: Final = frozenset(MODULE_KINDS)


@dataclass(frozen=True, slots=True)
class Flaw:
    """A mistake that is found without the grammar.

    Attributes:
        kind: ``string``, ``block`` or ``comment`` (never closed), ``open`` (a bracket never closed), ``close`` (one
            that closes nothing), ``deep``, ``long``.
        start: the first offset of the text to underline.
        end: the offset after it.
    """

    kind: str
    start: int
    end: int


@dataclass(slots=True)
class Chunk:
    """The text of what is probably one item, with its flaws in order."""

    start: int
    end: int
    flaws: list[Flaw] = field(default_factory=list)


def skip_blanks(text: str, at: int) -> int:
    """The offset of the first character at or after `at` that is not a blank and in no comment."""
    match = _FIRST.match(text, at)
    return match.end() if match else at


def one_blank(text: str) -> str:
    """A token of several words with one blank between them and no comments."""
    return _GAPS.sub(" ", text)


def first_word(text: str, at: int) -> tuple[str, int]:
    """The word that an item at `at` begins with, after its annotations, and its offset; the word may be empty."""
    at = skip_blanks(text, at)
    while annotation := _ANNOTATION.match(text, at):
        at = skip_blanks(text, annotation.end())
    word = _WORD.match(text, at)
    return (word.group() if word else ""), at


@dataclass(slots=True)
class _Meter:
    """Measures the text between one period or brace and the next."""

    start: int = 0
    operators: int = 0

    def passes(self, kind: str | None, start: int, end: int) -> bool:
        """Count the next token; return whether the text so far is short enough."""
        fits = start - self.start <= MAX_LENGTH
        if kind == "operator":
            self.operators += 1
            fits = fits and self.operators <= MAX_OPERATORS
        elif kind in ("stop", "brace"):
            self.start = end
            self.operators = 0
        elif kind in ("string", "comment"):
            self.start += end - start
        return fits


def excess(text: str) -> str | None:
    """What a file has too many of to be read in a bounded time; None if it is short enough."""
    # at least as many as are counted below, and counted in a twentieth of the time
    if (
        text.count(".") + text.count("}") <= MAX_ITEMS
        and text.count(",") + text.count(":") <= MAX_ELEMENTS
        and len(text) <= MAX_CODE
    ):
        return None
    code = _TOKEN.sub(
        lambda match: "" if match.lastgroup in ("string", "comment", "regex") else match[0], text
    )
    for most, ends, what in (
        (MAX_ITEMS, _ENDS, "periods and closing braces"),
        (MAX_ELEMENTS, _ELEMENTS, "commas and colons"),
        (MAX_CODE, _INK, "characters outside of texts and comments"),
    ):
        if sum(1 for _ in ends.finditer(code)) > most:
            return f"{most:,} {what}"
    return None


def odd_characters(text: str) -> list[int]:
    """Where characters outside texts are that editors show as line breaks though they are not, or that turn lines.

    What stands behind them in a comment looks like code but is not. Only a line feed, or a carriage return and a line
    feed, ends a line.
    """
    if _ODD.search(text) is None:
        return []
    line_breaks: list[int] = []
    for part in _TEXTS.finditer(text):
        if part.lastgroup != "text":
            # a comment ends before its line feed, where the pattern cannot see what follows the carriage return
            places = (odd.start() for odd in _ODD.finditer(text, part.start(), part.end()))
            line_breaks += (place for place in places if not text.startswith("\r\n", place))
    return line_breaks


def unclosed_turns(text: str) -> list[int]:
    """Where characters inside texts turn the direction of what is shown after the text on its line, so of rules, too.

    A character that embeds or isolates is closed by another one (U+202C, U+2069), or by the end of its line.
    """
    if _TURN.search(text) is None:
        return []
    places: list[int] = []
    for part in _TEXTS.finditer(text):
        if part.lastgroup != "text":
            continue
        start = max(part.start(), text.rfind("\n", part.start(), part.end()) + 1)
        open_: list[tuple[str, int]] = []
        for turn in _TURN.finditer(text, start, part.end()):
            char = turn.group()
            end = "\u2069" if char in "\u2066\u2067\u2068" else "\u202c"
            if char not in "\u202c\u2069":
                open_.append((end, turn.start()))
            elif open_ and open_[-1][0] == char:
                open_.pop()
        places += [place for _, place in open_]
    return places


def is_sound(text: str) -> bool:
    """Whether the text has no flaw, so that it may be given to the parser as a whole."""
    return comments(text) is not None


def without_comments(text: str) -> str | None:
    """The text with comments replaced by blanks, so that all offsets stay the same; None if it has a flaw.

    Where the grammar matches, scanner and parser see the same comments: either reads from left to right, and only
    texts, comments and regular expressions hold ``"`` and ``/``.
    """
    spans = comments(text)
    if not spans:
        return None if spans is None else text
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        pieces += [text[at:start], " " * (end - start)]
        at = end
    return "".join([*pieces, text[at:]])


def comments(text: str) -> list[tuple[int, int]] | None:
    """Where comments begin and end; None if the text has a flaw."""
    spans: list[tuple[int, int]] = []
    depth = sets = 0
    meter = _Meter()
    for match in _NEXT.finditer(text):
        kind = match.lastgroup
        if kind is None:
            continue
        start, end = match.span(kind)
        if kind == "unclosed" or not meter.passes(kind, start, end):
            return None
        if kind == "open":
            depth += 1
            if depth > MAX_DEPTH:
                return None
        elif kind in ("close", "brace"):
            depth -= 1
        if kind == "comment":
            spans.append((start, end))
        elif kind == "set":
            spans += (comment.span() for comment in _COMMENT.finditer(text, start, end))
            sets += 1
        else:
            sets = 0
        if sets > MAX_DEPTH:
            return None
    return spans if len(text) - meter.start <= MAX_LENGTH else None


def cut_steps(text: str, start: int, end: int) -> list[tuple[int, int]] | None:
    """Where the steps of a test probably begin and end.

    Args:
        text: the file.
        start: where the first step may begin, just after the test's opening brace.
        end: the offset after the text of the test.

    Returns:
        the bounds of each step; None where the brace that closes the test is not found.
    """
    steps: list[tuple[int, int]] = []
    first = skip_blanks(text, start)
    braces = brackets = 0
    at = start
    while at < end:
        token = _TOKEN.search(text, at, end)
        near = end if token is None else token.end() if token.lastgroup == "word" else token.start()
        if word := _STEP_START.search(text, at, near):
            at = word.end()
            if not braces and word.start(1) > first and _begins_step(text, word, first, brackets):
                steps.append((first, word.start(1)))
                first, brackets = word.start(1), 0
            continue
        if token is None:
            break
        at, kind, mark = token.end(), token.lastgroup, token.group()
        if kind == "unclosed":
            at = _line_end(text, token.start(), end)
        elif mark == "{":
            braces += 1
        elif mark == "}":
            braces, brackets = braces - 1, 0 if braces == 1 else brackets
            if braces < 0:
                if first < token.start():
                    steps.append((first, token.start()))
                return steps
        elif kind in ("open", "close"):
            brackets = max(brackets + (1 if kind == "open" else -1), 0)
        elif kind == "stop" and not braces and not brackets:
            steps.append((first, at))
            first = skip_blanks(text, at)
    return None


def _line_end(text: str, at: int, end: int) -> int:
    line = text.find("\n", at, end)
    return end if line < 0 else line


def _begins_step(text: str, word: re.Match[str], first: int, brackets: int) -> bool:
    """Whether the first word of a line begins a step although the step before it has not ended."""
    after = skip_blanks(text, word.end())
    if word[1] not in STEP_WORDS and (brackets or not text.startswith("(", after)):
        return False
    if brackets and text.startswith(("=", "!", "<", ">", "~", ",", ")"), after) and text[after:][:2] != "=>":
        return False  # an attribute of that name
    return _UNFINISHED.search(text, first, word.start()) is None


def cut(text: str) -> list[Chunk]:
    """Cut a file into its probable items; every character that matters is in one of them."""
    return _Cutter(text).run()


class _Cutter:
    """Goes through the tokens once, keeping the brackets that are open."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.chunks: list[Chunk] = []
        self.begin(0)

    def begin(self, at: int) -> None:
        """Start a chunk at `at`."""
        word, self.first = first_word(self.text, at)
        if word and word not in ITEM_WORDS and word not in STEP_WORDS and word not in _HEAD_WORDS:
            close = nearest(word, sorted(_BLOCKS), 1)
            word = close[0] if close else word
        self.word = word
        self.start = at
        self.ink = skip_blanks(self.text, at)
        self.stack: list[tuple[str, int]] = []
        self.flaws: list[Flaw] = []
        self.kinds: set[str] = set()
        self.sets = self.lost = 0
        self.meter = _Meter(self.first)

    def finish(self, end: int) -> None:
        """End the chunk before `end`."""
        for _, place in self.stack:
            self.flaw(Flaw("open", place, place + 1))
        if not self.meter.passes(None, end, end):
            self.long(end)
        start = self.ink
        if start < end or self.flaws:
            while end > start and self.text[end - 1] in " \t\r\n":
                end -= 1
            self.chunks.append(Chunk(start, end, sorted(self.flaws, key=lambda flaw: flaw.start)))
        # The next chunk begins where this one's text ended; its own blanks are skipped when it ends.

    def run(self) -> list[Chunk]:
        text = self.text
        at = 0
        while match := _TOKEN.search(text, at):
            at = match.end()
            kind = match.lastgroup
            if match.start() >= self.first and not self.meter.passes(kind, match.start(), at):
                self.long(match.start())
            if kind == "unclosed":
                at = self.unclosed(match)
            elif kind == "open":
                self.opened(match.group(), match.start())
            elif kind in ("close", "brace"):
                self.closed(match.group(), match.start(), at)
            elif kind == "stop":
                if not self.stack and self.word not in _BLOCKS and self.word not in _ONLY_STEPS:
                    self.finish(at)
                    self.begin(at)
            elif kind == "word" and self.starts_item(match):
                self.finish(match.start())
                self.begin(match.start())
            self.count_sets(match)
        self.finish(len(text))
        return self.chunks

    def flaw(self, flaw: Flaw) -> None:
        self.flaws.append(flaw)
        self.kinds.add(flaw.kind)

    def long(self, place: int) -> None:
        """Record that there is too much text without a period."""
        if "long" not in self.kinds:
            line = self.text.find("\n", self.first, place)
            end = min(place if line < 0 else line, self.first + 60)
            self.flaw(Flaw("long", self.first, max(end, self.first + 1)))

    def count_sets(self, match: re.Match[str]) -> None:
        """``set of set of ..`` nests without brackets."""
        if match.lastgroup != "comment":
            self.sets = self.sets + 1 if match.lastgroup == "set" else 0
        if self.sets == MAX_DEPTH + 1:
            self.flaw(Flaw("deep", match.start(), match.end()))

    def unclosed(self, match: re.Match[str]) -> int:
        """Record text that is never closed: a string ends with its line, a block or comment with the file."""
        start, end = match.span()
        raw = match.group()
        if raw == "/*":
            kind, end = "comment", len(self.text)
        elif raw == '"""':
            kind, end = "block", len(self.text)
        else:
            kind = "string"
        end_of_text = end if kind == "string" else start + len(raw)
        if kind not in self.kinds:
            self.flaw(Flaw(kind, start, start + len(self.text[start:end_of_text].rstrip())))
        return end

    def opened(self, bracket: str, place: int) -> None:
        if len(self.stack) == MAX_DEPTH and "deep" not in self.kinds:
            self.flaw(Flaw("deep", place, place + 1))
        if len(self.stack) <= MAX_DEPTH:
            self.stack.append((bracket, place))
        else:
            self.lost += 1

    def closed(self, bracket: str, place: int, after: int) -> None:
        if self.lost:
            self.lost -= 1
            return
        wanted = _PAIR[bracket]
        if not any(known == wanted for known, _ in self.stack):
            self.flaw(Flaw("close", place, after))
            if bracket == "}" and (self.word in _BLOCKS or self.word in _ONLY_STEPS):
                self.finish(after)
                self.begin(after)
            return
        while self.stack:
            top, at = self.stack.pop()
            if top == wanted:
                break
            self.flaw(Flaw("open", at, at + 1))
        if bracket == "}" and not self.stack and self.word in _BLOCKS:
            self.finish(after)
            self.begin(after)

    def starts_item(self, match: re.Match[str]) -> bool:
        """Whether a word at the left margin begins an item."""
        word, start = match.group(), match.start()
        if word != "@" and word not in ITEM_WORDS:
            return False
        if self.first >= start or self.ink >= start:
            return False  # the chunk's own first word, or the one after its annotations
        before = start - 1
        while before >= 0 and self.text[before] in " \t\r\n":
            before -= 1
        if before >= 0 and self.text[before] == ",":
            return False
        if self.stack:
            after = skip_blanks(self.text, match.end())
            if self.text.startswith(":", after) and not self.text.startswith(":-", after):
                return False  # an attribute of that name
            if self.word == "test" and word in STEP_WORDS:
                return False
        return True
