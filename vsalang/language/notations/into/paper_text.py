"""Parses the Horn clauses of the VeriSafe Agent paper, with places, and accepts several ways to type them.

    clause ::= condition ("∧" condition)* "→" Head "(" ")"
    condition ::= Name ["(" [attr "=" value ("," attr "=" value)*] ")"] | "True"
    value ::= literal | "(" literal "," operator ")"

Accepted too: ``&``, ``&&``, ``and``, ``^`` and a comma for ``∧``; ``->``, ``=>`` and ``⇒`` for ``→``;
``attr >= 3`` for ``attr = (3, >=)``; straight, typographic and single quotes; a clause over several lines, as long as a
line ends or the next begins with a connective or a bracket is open; numbers and bullets before a clause; ``#`` and
``//`` comments.
Of a reply with ``<CHC>`` .. ``</CHC>`` the text between is read. Unlike in the authors' reader, quotes are respected,
and text that is not a clause is reported.
"""

import re
from typing import Final

from vsalang.base.diagnostics import Diagnostic, error
from vsalang.base.records import dataclass
from vsalang.base.source import Source, Span

CODE: Final = "E0013"


@dataclass(frozen=True, slots=True)
class Value:
    """A literal as it was written; `items` are those of braces."""

    text: str
    span: Span
    quoted: bool = False
    items: "tuple[Value, ...] | None" = None


@dataclass(frozen=True, slots=True)
class Arg:
    """``attr op value``; `op` is one of `vsalang.program.ops`."""

    attr: str
    attr_span: Span
    op: str
    value: Value
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    """``Name(arg, ..)``."""

    name: str
    name_span: Span
    args: tuple[Arg, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Clause:
    """One rule; `conditions` leaves out ``True``."""

    conditions: tuple[Call, ...]
    head: Call
    span: Span


@dataclass(frozen=True, slots=True)
class BrokenClause:
    """A text that is not a clause: its span, and the finding."""

    span: Span
    diagnostic: Diagnostic


_OPS: Final = {
    "==": "=", "=": "=", "!=": "!=", "≠": "!=", "<>": "!=", "<=": "<=", "=<": "<=", "≤": "<=", "⩽": "<=", ">=": ">=",
    "≥": ">=", "⩾": ">=", "<": "<", ">": ">", "~=": "~=", "≃": "~=", "≈": "~=", "~": "~=", "!~=": "!~=", "≄": "!~=",
    "⊆": "subset", "⊈": "not subset", "∈": "in", "∉": "not in", "in": "in", "not in": "not in", "subset": "subset",
    "not subset": "not subset", "contains": "contains", "not contains": "not contains",
}  # fmt: skip
_OP = re.compile(
    "|".join(
        re.escape(op) + (r"\b" if op[-1].isalpha() else "") for op in sorted(_OPS, key=len, reverse=True)
    )
)
_AND = re.compile(r"∧|⋀|&&|&|\^|/\\|\band\b|,", re.IGNORECASE)
_ARROW = re.compile(r"→|⇒|⟶|⟹|->|=>|➔|➜")
_BACK = re.compile(r":-|<-|←|⇐")
_NOT = re.compile(r"¬|!(?![~=])|\bnot\b|~(?!=)", re.IGNORECASE)
_OR = re.compile(r"∨|⋁|\|\|?|;|\\/|\bor\b", re.IGNORECASE)
_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_BLANKS = re.compile(r"(?:[ \t\r\f\v\u00a0]|(?:#|//)[^\n]*)*")
_WHITE = re.compile(r"(?:\s|(?:#|//)[^\n]*)*")
_LABEL = re.compile(r"[ \t]*(?:[-*•‣]+[ \t]+|\(?[A-Za-z]{0,4}[0-9]+[.):][ \t]*|[Rr]ule[ \t]*[0-9]*:[ \t]*)")
_FENCE = re.compile(r"[ \t]*```[^\n]*")
_TAG = re.compile(r"(?<!\*)\**+<(/?)CHC>\**+")
_QUOTES: Final = {'"': '"', "'": "'", "“": "”", "‘": "’", "„": "“”", "«": "»"}
_SPACE = " \t\r\n\u00a0"


class _Bad(Exception):
    def __init__(self, span: Span, message: str, help: str = "", label: str = "") -> None:
        super().__init__(message)
        self.diagnostic = error(CODE, span, message, label=label, help=help)
        self.at = span.start


def parse(source: Source) -> tuple[list[Clause], list[BrokenClause]]:
    """All clauses of a text, and one finding for each text that is not a clause."""
    start, end, problems = _between_tags(source)
    clauses: list[Clause] = []
    reader = _Reader(source, start, end)
    while reader.to_clause():
        begin = reader.at
        try:
            clauses.append(reader.clause())
        except _Bad as problem:
            reader.recover(max(problem.at, begin))
            end = begin + len(reader.text[begin : reader.at].rstrip())
            problems.append(BrokenClause(reader.span(begin, end), problem.diagnostic))
    return clauses, problems


def _between_tags(source: Source) -> tuple[int, int, list[BrokenClause]]:
    """The part of the text with the clauses: between the first opening and the last closing tag, else all."""
    tags = list(_TAG.finditer(source.text))
    opening = next((tag for tag in tags if not tag[1]), None)
    closing = next((tag for tag in reversed(tags) if tag[1]), None)
    problems: list[BrokenClause] = []
    if opening is None and closing is None:
        return 0, len(source.text), problems
    if opening is None or closing is None or closing.start() < opening.end():
        match = opening or closing
        assert match is not None
        missing = "<CHC>" if opening is None else "</CHC>"
        span = Span(source.file, match.start(), match.end())
        what = error(
            CODE, span, f"`{missing}` is missing", help="clauses are written between <CHC> and </CHC>"
        )
        problems.append(BrokenClause(span, what))
        return (0, 0, problems) if opening is None else (opening.end(), len(source.text), problems)
    return opening.end(), closing.start(), problems


class _Reader:
    """A position in a text, which moves on while clauses are read."""

    def __init__(self, source: Source, start: int, end: int) -> None:
        self.source = source
        self.text = source.text[:end]
        self.at = start

    def span(self, start: int, end: int) -> Span:
        return Span(self.source.file, start, max(start, min(end, len(self.text))))

    # ---- lines ----------------------------------------------------------------------------------

    def to_clause(self) -> bool:
        """Move to the beginning of the next clause; return whether there is one."""
        while True:
            self.at = self._skip(_WHITE)
            fence = _FENCE.match(self.text, self.at)
            if fence is None:
                break
            self.at = fence.end()
        label = _LABEL.match(self.text, self.at)
        if label is not None:
            self.at = label.end()
        return self.at < len(self.text)

    def recover(self, at: int) -> None:
        """Skip a clause that could not be read: move to the next line that begins a clause."""
        end = self.text.find("\n", at)
        while end >= 0:
            self.at = end + 1
            begin = self._skip(_BLANKS)
            joined = _ARROW.match(self.text, begin) or re.compile(r"∧|⋀|&|\^").match(self.text, begin)
            if not joined:
                return
            end = self.text.find("\n", begin)
        self.at = len(self.text)

    def _skip(self, what: re.Pattern[str]) -> int:
        match = what.match(self.text, self.at)
        assert match is not None
        return match.end()

    def _peek(self, what: re.Pattern[str]) -> re.Match[str] | None:
        """The next character on this line, or on the next one if that continues this line."""
        here = self._skip(_BLANKS)
        match = what.match(self.text, here)
        if match is None and self.text.startswith("\n", here) and what in (_AND, _ARROW):
            match = what.match(self.text, self._skip(_WHITE))
            if match and match[0].lower() in (",", "and"):
                return None
        return match

    # ---- clauses --------------------------------------------------------------------------------

    def clause(self) -> Clause:
        start = self.at
        conditions: list[Call] = []
        arrow = self._peek(_ARROW)
        while arrow is None:
            call = self._call()
            if call.name.lower() != "true" or call.args:
                conditions.append(call)
            arrow = self._peek(_ARROW)
            if arrow is None:
                joint = self._peek(_AND)
                if joint is None:
                    raise self._no_joint(start)
                self.at = joint.end()
                self.at = self._skip(_WHITE)
                arrow = self._peek(_ARROW)  # a condition may be left out, as after the last comma
        self.at = arrow.end()
        self.at = self._skip(_WHITE)
        head = self._call(head=True)
        end = self.at
        self._end()
        return Clause(tuple(conditions), head, self.span(start, end))

    def _end(self) -> None:
        """Read the end of a clause: a period or the end of the line."""
        self.at = self._skip(_BLANKS)
        if self.text.startswith((".", ";"), self.at):
            self.at += 1
            self.at = self._skip(_BLANKS)
        if self.at < len(self.text) and self.text[self.at] != "\n":
            rest = self.span(self.at, self._line_end())
            match = _ARROW.match(self.text, self.at)
            if match or _AND.match(self.text, self.at):
                what = "a second `→`" if match else "a second head"
                raise _Bad(rest, f"a clause has one head, here is {what}", "write one clause for each head")
            raise _Bad(rest, "unexpected text after the head", "begin the next clause on a new line")

    def _line_end(self) -> int:
        end = self.text.find("\n", self.at)
        return end if end >= 0 else len(self.text)

    def _no_joint(self, start: int) -> _Bad:
        here = self._skip(_BLANKS)
        for what, message, help in (
            (_BACK, "the head is written before the conditions", "write `conditions → Head()`"),
            (_OR, "a clause has no `or`", "write a second clause with the same head"),
        ):
            match = what.match(self.text, here)
            if match:
                return _Bad(self.span(here, match.end()), message, help)
        if here >= len(self.text) or self.text[here] == "\n":
            span = self.span(start, here)
            return _Bad(
                span, "no `→` in this clause", "end it with `→ Head()`; a remark begins with #", "no head"
            )
        return _Bad(
            self.span(here, here + 1),
            "expected `∧` or `→`",
            "conditions are joined by `∧` (or `&`, `and`); the head follows `→` (or `->`)",
        )

    def _call(self, *, head: bool = False) -> Call:
        here = self.at = self._skip(_BLANKS)
        match = _NOT.match(self.text, here)
        if match:
            raise _Bad(
                self.span(here, match.end()),
                "a Horn clause has no negation",
                "say it with an operator, such as (value, !=), or write `not ..` in the .vsa file by hand",
            )
        name = _NAME.match(self.text, here)
        if name is None:
            what = "the head" if head else "a condition"
            raise _Bad(
                self.span(here, here + 1), f"expected {what}, such as `Name()`", "a remark begins with #"
            )
        self.at = name.end()
        self.at = self._skip(_BLANKS)
        if not self.text.startswith("(", self.at):
            self.at = name.end()
            if head or any(self._peek(what) for what in (_AND, _ARROW, _OR, _BACK)):
                return Call(name[0], self.span(*name.span()), (), self.span(*name.span()))
            raise _Bad(
                self.span(*name.span()),
                f"expected `(`, `∧` or `→` after `{name[0][:60]}`",
                "a condition is written `Name(attribute = value)` or `Name`; a remark begins with #",
            )
        opening = self.at
        self.at += 1
        args: list[Arg] = []
        while True:
            self.at = self._skip(_WHITE)
            if self.text.startswith(")", self.at):
                self.at += 1
                return Call(name[0], self.span(*name.span()), tuple(args), self.span(name.start(), self.at))
            if self.at >= len(self.text):
                raise _Bad(self.span(opening, opening + 1), "this `(` is not closed", "write `)`")
            args.append(self._arg(opening))

    # ---- arguments ------------------------------------------------------------------------------

    def _arg(self, opening: int) -> Arg:
        start = self.at
        name = _NAME.match(self.text, start) or re.compile(r"\w+").match(self.text, start)
        if name is None:
            raise _Bad(self.span(start, start + 1), "expected an attribute", "write `attribute = value`")
        self.at = name.end()
        self.at = self._skip(_WHITE)
        op = self._op()
        if op is None:
            raise _Bad(
                self.span(start, max(self.at, name.end())),
                f"expected an operator after `{name[0][:60]}`",
                "write `attribute = value` or `attribute = (value, >=)`",
            )
        self.at = self._skip(_WHITE)
        if self.text.startswith("(", self.at) and op == "=":
            op, value = self._pair()
        else:
            value = self._value(",)", opening)
        end = self.at
        self.at = self._skip(_WHITE)
        if self.text.startswith(",", self.at):
            self.at += 1
        elif not self.text.startswith(")", self.at) and self.at < len(self.text):
            raise _Bad(
                self.span(self.at, self.at + 1), "expected `,` or `)`", "arguments are joined by commas"
            )
        return Arg(name[0], self.span(*name.span()), op, value, self.span(start, end))

    def _op(self) -> str | None:
        match = _OP.match(self.text, self.at)
        if match is None:
            return None
        self.at = match.end()
        return _OPS[match[0]]

    def _pair(self) -> tuple[str, Value]:
        """``(value, op)``; also ``(op, value)`` and ``(value)``."""
        opening = self.at
        self.at += 1
        self.at = self._skip(_WHITE)
        before = self.at
        op = self._op()
        if op is not None:
            self.at = self._skip(_WHITE)
            if not self.text.startswith(",", self.at):
                op, self.at = None, before
        if op is not None:
            self.at += 1
            self.at = self._skip(_WHITE)
            value = self._value(")", opening)
        else:
            value = self._value(",)", opening)
            self.at = self._skip(_WHITE)
            if self.text.startswith(",", self.at):
                self.at += 1
                self.at = self._skip(_WHITE)
                # the operator may be in quotes
                quote = self.text[self.at : self.at + 1]
                quoted = quote in ('"', "'")
                self.at += quoted
                start = self.at
                op = self._op()
                if op is not None and quoted and self.text.startswith(quote, self.at):
                    self.at += 1
                self.at = self._skip(_WHITE)
                if op is not None and self.text[self.at : self.at + 1] in ("<", ">", "="):
                    op, self.at = None, start
                if op is None:
                    end = next((i for i in range(self.at, len(self.text)) if self.text[i] in "),\n"), self.at)
                    raise _Bad(
                        self.span(self.at, max(end, self.at + 1)),
                        "expected an operator",
                        "the operators are == != < <= > >= (and ≃ ⊆ ⊈)"
                        + ("; write `>=`" if self.text.startswith("=>", self.at) else ""),
                    )
        self.at = self._skip(_WHITE)
        if not self.text.startswith(")", self.at):
            raise _Bad(self.span(opening, opening + 1), "this `(` is not closed", "write `(value, operator)`")
        self.at += 1
        return op or "=", value

    def _value(self, stops: str, opening: int) -> Value:
        start = self.at
        if start >= len(self.text):
            raise _Bad(self.span(opening, opening + 1), "this `(` is not closed", "write `)`")
        char = self.text[start]
        if char in _QUOTES:
            return self._quoted(_QUOTES[char])
        if char == "{":
            return self._braces()
        end = start
        while end < len(self.text) and self.text[end] not in stops + '\n({"“→⇒∧':
            end += 1
        text = self.text[start:end].rstrip(_SPACE)
        if not text:
            raise _Bad(self.span(start, start + 1), "expected a value", 'an empty text is written ""')
        self.at = start + len(text)
        return Value(text, self.span(start, self.at))

    def _quoted(self, closing: str) -> Value:
        start = self.at
        parts: list[str] = []
        at = start + 1
        while at < len(self.text) and self.text[at] != "\n":
            char = self.text[at]
            if char == "\\" and self.text[at + 1 : at + 2] not in ("", "\n"):
                escaped = self.text[at + 1]
                parts.append({"n": "\n", "t": "\t"}.get(escaped, escaped))
                at += 2
            elif char in closing or (char == '"' and self.text[start] in "“„"):
                self.at = at + 1
                return Value("".join(parts), self.span(start, self.at), quoted=True)
            else:
                parts.append(char)
                at += 1
        raise _Bad(self.span(start, start + 1), "this quote is not closed", "end the text on the same line")

    def _braces(self) -> Value:
        start = self.at
        items: list[Value] = []
        self.at += 1
        while True:
            self.at = self._skip(_WHITE)
            if self.text.startswith("}", self.at):
                self.at += 1
                span = self.span(start, self.at)
                return Value(self.text[start : self.at], span, items=tuple(items))
            if self.at >= len(self.text):
                raise _Bad(self.span(start, start + 1), "this `{` is not closed", "write `}`")
            if self.text.startswith("{", self.at):
                raise _Bad(self.span(self.at, self.at + 1), "braces inside braces", "write {a, b}")
            items.append(self._value(",}", start))
            self.at = self._skip(_WHITE)
            if self.text.startswith(",", self.at):
                self.at += 1
            elif not self.text.startswith("}", self.at):
                raise _Bad(self.span(start, start + 1), "this `{` is not closed", "write `}`")
