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


@dataclass(frozen=True)
class Ignores:
    """The suppressed findings of one file.

    Attributes:
        lines: line (from 1) -> codes that are ignored there.
        problems: comments that ignore nothing.
        inside: (start, end) of every string and block comment, in order; no line comment begins in them. A list of
            words is none of them.
    """

    lines: Mapping[int, frozenset[str]] = field(default_factory=dict)
    problems: tuple[Diagnostic, ...] = ()
    inside: tuple[tuple[int, int], ...] = ()

    def hides(self, finding: Diagnostic, source: Source) -> bool:
        """Whether a finding is suppressed; `source` is its file."""
        if finding.span is None:
            return False
        if finding.code == CODE:
            return False
        return finding.code in self.lines.get(source.position(finding.span.start).line, frozenset())

    def may_insert_before(self, offset: int) -> bool:
        """Whether a line can be inserted at an offset that is not in a string or comment."""
        index = bisect.bisect_left(self.inside, (offset, 0)) - 1
        return index < 0 or self.inside[index][1] <= offset


def read_ignores(source: Source, known: Iterable[str]) -> Ignores:
    """The ignore comments of a file; `known` are the existing codes."""
    codes = frozenset(known)
    text = source.text
    lines: dict[int, set[str]] = {}
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
        number = source.position(begin).line
        start = begin - (source.position(begin).column - 1)
        target: int | None = number
        if not text[start:begin].strip():
            target = None  # alone on its line: the next line with text, found below
        if target is not None:
            lines.setdefault(target, set()).update(codes_read)
        elif codes_read:
            lines.setdefault(-end, set()).update(codes_read)
    _resolve(lines, source, comments)
    return Ignores({line: frozenset(names) for line, names in lines.items()}, tuple(problems), tuple(inside))


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
) -> set[str]:
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
        return set()
    codes_read: set[str] = set()
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
        if name in known and name != CODE:
            codes_read.add(name)
            continue
        place = span(offset + word.start(), offset + word.end())
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


def _resolve(lines: dict[int, set[str]], source: Source, comments: list[tuple[int, int]]) -> None:
    """Apply comments that are alone on their line to the next line with text."""
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
        lines.setdefault(source.position(at).line, set()).update(lines.pop(key))
