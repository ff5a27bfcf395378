"""Reads comments that suppress a finding: ``// lint: ignore L0003`` on the line of the finding, or on the line before.

A comment after text is about its own line only; a comment alone on its line is about the next line with text, even if
other comments are between. Comments in a list of words count, too.
"""

import bisect
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.base.diagnostics.display import safe
from vsalang.base.source import Source, Span
from vsalang.base.source.suggest import did_you_mean
from vsalang.program import word_lists

CODE = "L0000"
"""The code of a comment that ignores nothing; it cannot be ignored itself."""

# Strings, comments and regular expressions, as the parser's scanner sees them. One that is never closed is a token too,
# so that the text is read once: a string ends with its line, a block or comment with the file.
_TOKEN = re.compile(
    r'''
      (?P<list> \bwords[ \t\r\n]*+""" (?:(?!""")[\s\S])*+ (?:""")? )
    | (?P<string> """(?:\\"""|(?!""")[\s\S])*+(?:""")? | "(?!"")(?:[^"\\\n]++|\\.)*+"? )
    | (?P<line> //[^\n]*+ )
    | (?P<block> /\*(?:(?!\*/)[\s\S])*+(?:\*/)? )
    | (?P<regex> /(?![/*])(?:[^/\\\n]|\\.){1,2000}+/ )
    ''',
    re.VERBOSE,
)
_DIRECTIVE = re.compile(r"//+[ \t]*lint[ \t]*:[ \t]*(?P<rest>.*)", re.IGNORECASE)
_IGNORE = re.compile(r"ignore\b[ \t]*(?P<codes>(?:(?!//).)*)(?://.*)?", re.IGNORECASE)
_CODE = re.compile(r"[^\s,]+")
_OWN = re.compile(r"P[0-9]{4}")  # the rules of a project have such codes


@dataclass(frozen=True)
class Entry:
    """A code that a comment ignores.

    Attributes:
        code: the code.
        line: the line whose findings are ignored.
        span: the place of the code.
        comment: the comment, with the blanks before it, or its line if nothing else is on it.
        alone: whether the comment names no other code.
    """

    code: str
    line: int
    span: Span
    comment: Span
    alone: bool


@dataclass(frozen=True)
class Ignores:
    """The suppressed findings of one file.

    Attributes:
        lines: line (from 1) -> codes that are ignored there.
        problems: comments that ignore nothing.
        inside: (start, end) of every string and block comment, in order; no line comment begins in them. A list of
            words is none of them.
        entries: the codes that comments ignore, with their places.
        hidden: the lines and codes of findings that were hidden so far.
    """

    lines: Mapping[int, frozenset[str]] = field(default_factory=dict)
    problems: tuple[Diagnostic, ...] = ()
    inside: tuple[tuple[int, int], ...] = ()
    entries: tuple[Entry, ...] = ()
    hidden: set[tuple[int, str]] = field(default_factory=set, compare=False, repr=False)

    def used(self, entry: Entry) -> bool:
        """Whether a finding was hidden by this code of a comment."""
        return (entry.line, entry.code) in self.hidden

    def hides(self, finding: Diagnostic, source: Source) -> bool:
        """Whether a finding is suppressed; `source` is its file."""
        if finding.span is None:
            return False
        if finding.code == CODE:
            return False
        line = source.position(finding.span.start).line
        hidden = finding.code in self.lines.get(line, frozenset())
        if hidden:
            self.hidden.add((line, finding.code))
        return hidden

    def may_insert_before(self, offset: int) -> bool:
        """Whether a line can be inserted at an offset that is not in a string or comment."""
        index = bisect.bisect_left(self.inside, (offset, 0)) - 1
        return index < 0 or self.inside[index][1] <= offset


def read_ignores(source: Source, known: Iterable[str]) -> Ignores:
    """The ignore comments of a file; `known` are the existing codes."""
    codes = frozenset(known)
    text = source.text
    lines: dict[int, set[str]] = {}
    places: list[tuple[int, str, Span, Span, bool]] = []
    problems: list[Diagnostic] = []
    inside: list[tuple[int, int]] = []
    comments: list[tuple[int, int]] = []
    for kind, begin, end in _tokens(text):
        if kind in ("string", "block"):
            inside.append((begin, end))
        if kind in ("line", "block"):
            comments.append((begin, end))
        if kind != "line" or not (directive := _DIRECTIVE.fullmatch(text[begin:end].rstrip())):
            continue
        codes_read = _codes(source, begin, directive, codes, problems)
        comment = _whole_comment(source, begin, end)
        number = source.position(begin).line
        start = begin - (source.position(begin).column - 1)
        target: int | None = number
        if not text[start:begin].strip():
            target = None  # alone on its line: the next line with text, found below
        key = target if target is not None else -end
        places += [(key, code, span, comment, len(codes_read) == 1) for code, span in codes_read.items()]
        if target is not None:
            lines.setdefault(target, set()).update(codes_read)
        elif codes_read:
            lines.setdefault(-end, set()).update(codes_read)
    targets = _resolve(lines, source, comments)
    entries = tuple(
        Entry(code, targets.get(key, key), span, comment, alone) for key, code, span, comment, alone in places
    )
    codes_by_line = {line: frozenset(names) for line, names in lines.items()}
    return Ignores(codes_by_line, tuple(problems), tuple(inside), entries)


def _whole_comment(source: Source, begin: int, end: int) -> Span:
    """A comment with the blanks before it; with its line break if it is alone on its line."""
    text = source.text
    start = begin
    while start and text[start - 1] in " \t":
        start -= 1
    if start == 0 or text[start - 1] == "\n":
        stop = text.find("\n", end)
        return Span(source.file, start, len(text) if stop < 0 else stop + 1)
    return Span(source.file, start, end)


def _tokens(text: str) -> Iterator[tuple[str, int, int]]:
    """The kind of each token, where it begins and where it ends; of a list of words its comments alone."""
    for match in _TOKEN.finditer(text):
        if match.lastgroup != "list":
            yield match.lastgroup or "", match.start(), match.end()
            continue
        for line, at in word_lists.lines(match.group()):
            code = word_lists.code_of(line)
            comment = line[len(code) :].lstrip()
            if comment:
                yield "line", match.start() + at + len(line) - len(comment), match.start() + at + len(line)


def _codes(
    source: Source, base: int, directive: re.Match[str], known: frozenset[str], problems: list[Diagnostic]
) -> dict[str, Span]:
    """The codes of a directive with their places; what it does not understand is a problem."""

    def span(start: int, end: int) -> Span:
        return Span(source.file, base + start, base + end)

    order = _IGNORE.fullmatch(directive["rest"])
    if order is None:
        problems.append(
            warning(
                CODE,
                span(directive.start("rest"), max(directive.end(), directive.start("rest") + 1)),
                "the linter does not understand this comment",
                help="write `// lint: ignore L0003`",
            )
        )
        return {}
    codes_read: dict[str, Span] = {}
    offset = directive.start("rest") + order.start("codes")
    words = list(_CODE.finditer(order["codes"]))
    if not words:
        problems.append(
            warning(
                CODE,
                span(0, directive.end()),
                "this comment does not say what to ignore",
                help="name the codes: `// lint: ignore L0003, L0010`",
            )
        )
    for word in words:
        name = word.group()
        place = span(offset + word.start(), offset + word.end())
        if (name in known and name != CODE) or _OWN.fullmatch(name):
            codes_read.setdefault(name, place)
            continue
        if name == CODE:
            message, help_text = f"`{CODE}` cannot be ignored", "delete that comment"
        elif re.fullmatch(r"[EW]\d{4}", name):
            message, help_text = (
                f"`{name}` is not a lint rule: only those can be ignored",
                "correct what it names",
            )
        else:
            message = f"there is no lint rule `{safe(name, 40)}`"
            help_text = did_you_mean(name, known) or "a reason may follow after another `//`"
        problems.append(warning(CODE, place, message, help=help_text))
    return codes_read


def _resolve(lines: dict[int, set[str]], source: Source, comments: list[tuple[int, int]]) -> dict[int, int]:
    """Apply comments that are alone on their line to the next line with text; gives that line for each of them."""
    targets: dict[int, int] = {}
    text = source.text
    starts = dict(comments)
    for key in [key for key in lines if key < 0]:
        at = -key
        while at < len(text):
            if text[at] in " \t\r\n":
                at += 1
            elif at in starts:
                at = starts[at]
            else:
                break
        targets[key] = source.position(at).line
        lines.setdefault(targets[key], set()).update(lines.pop(key))
    return targets
