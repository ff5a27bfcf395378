"""Reads a text token by token, in the order of its tree, and lays out the gaps between the tokens.

Every token of the result is copied from its place in the source, so nothing can be lost, changed or reordered; comments
are found in the gaps between the tokens.
"""

import re
from typing import Final, NamedTuple

from vsalang.base.source import Span
from vsalang.language.syntax.formatting.doc import Comment, Doc, Hard, Line, concat, nest

_BLANKS: Final = re.compile(r"[ \t\r\n]++")
_BLANKS_AND_COMMAS: Final = re.compile(r"[ \t\r\n,]++")
_COMMENT: Final = re.compile(r"//[^\n]*+|/\*(?:(?!\*/)[\s\S])*+\*/")


class OutOfStep(Exception):
    """The text and its tree do not agree: a bug of the formatter, not a mistake in the text."""


class Between(NamedTuple):
    """What is written between two tokens if there is no comment, and where empty lines are kept.

    Attributes:
        doc: what is written.
        before: whether an empty line may be written before the first comment (without one: before the token).
        among: whether one may be written between and after comments.
        after: whether one may be written before the token.
        closing: whether the token closes an indented part: comments before it are indented like that part.
    """

    doc: Doc
    before: bool = False
    among: bool = False
    after: bool = False
    closing: bool = False


NOTHING: Final = Between("")
SPACE: Final = Between(" ")
SOFT: Final = Between(Line(""))
LINE: Final = Between(Line(" "))
START: Final = Between("", False, True, True)
NEXT: Final = Between(Line(" "), True, True, True)
"""Before an item, a step or an attribute that is not the first."""
FIRST: Final = Between(Line(" "), False, True, True)
LAST: Final = Between(Line(" "), True, True, False, True)
"""Before the brace that closes a body."""
SOFT_LAST: Final = Between(Line(""), False, False, False, True)
EMPTY: Final = Between("", False, True, False, True)
"""Between the braces of an empty body."""
END: Final = Between("", True, True, False)


class Writer:
    """A position in a text. Each method reads on from there and returns the layout of what it read."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.at = 0
        self.last = ""
        self.comments: list[str] = []

    def peek(self, mark: str) -> bool:
        """Whether `mark` follows after the blanks and comments here."""
        at = self.at
        while match := _BLANKS.match(self.text, at) or _COMMENT.match(self.text, at):
            at = match.end()
        return self.text.startswith(mark, at)

    def gap(self, between: Between, *, commas: bool = False) -> Doc:
        """Read the blanks and comments here (with `commas`, commas too), and lay them out."""
        comments, lines = self._gap(_BLANKS_AND_COMMAS if commas else _BLANKS)
        if not comments:
            if isinstance(between.doc, Line):
                return Line(between.doc.flat, between.before and between.after and lines >= 2)
            return between.doc
        parts: list[Doc] = []
        own = between is START
        for index, (above, text) in enumerate(comments):
            if above and (parts or between is not START):
                parts.append(Hard(above >= 2 and (between.among if index else between.before)))
                own = True
            elif parts or (between is not START and self.last != "("):
                parts.append(" ")
            parts.append(Comment(text))
        if between is END:
            return concat(parts)
        if comments[-1][1].startswith("//") or (own and (lines or between.closing)):
            end: Doc = Hard(lines >= 2 and between.among and between.after)
        elif own:
            end = " "
        elif isinstance(between.doc, Line):
            closes = not between.doc.flat and self.text.startswith((")", "}"), self.at)
            end = Line("" if closes else " ")
        elif self.text.startswith((",", ".", ")"), self.at) and not self.text.startswith("..", self.at):
            end = ""
        else:
            end = " "
        return concat([nest(2, *parts) if between.closing else concat(parts), end])

    def _gap(self, blanks: re.Pattern[str]) -> tuple[list[tuple[int, str]], int]:
        """The comments here, each with the line breaks before it, and the line breaks after the last."""
        comments: list[tuple[int, str]] = []
        lines = 0
        while True:
            if match := blanks.match(self.text, self.at):
                lines += match[0].count("\n")
            elif match := _COMMENT.match(self.text, self.at):
                text = match[0].rstrip(" \t\r")
                comments.append((lines, text))
                self.comments.append(text)
                lines = 0
            else:
                return comments, lines
            self.at = match.end()

    def token(self, raw: str, between: Between = NOTHING, comment: str | None = None) -> Doc:
        """Read a token that must be `raw`, and write it, or `comment` in its place.

        Raises:
            OutOfStep: it is not there.
        """
        gap = self.gap(between)
        if not self.text.startswith(raw, self.at):
            raise OutOfStep(f"offset {self.at}: {raw!r} expected")
        self.at += len(raw)
        self.last = raw
        return concat([gap, raw if comment is None else comment])

    def words(self, raw: str, between: Between = NOTHING) -> Doc:
        """Read a token of several words, such as ``not in``."""
        first, *others = raw.split()
        return concat([self.token(first, between), *(self.token(word, SPACE) for word in others)])

    def raw(self, span: Span, between: Between = NOTHING) -> Doc:
        """Read the token of a span, and write it as it is.

        Raises:
            OutOfStep: it is not here.
        """
        gap = self.gap(between)
        if self.at != span.start:
            raise OutOfStep(f"offset {self.at}: a token at {span.start} expected")
        self.at = span.end
        self.last = self.text[span.start : span.end]
        return concat([gap, self.last])
