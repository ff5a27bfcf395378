"""Parses typed fragments of the language (a body, steps of a test), with spans in the typed text."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from types import MappingProxyType
from typing import Any, TypeVar

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, Label, error
from vsalang.base.records import dataclass
from vsalang.base.source import Source, Span
from vsalang.language.syntax import parse
from vsalang.language.syntax import tree as t
from vsalang.language.syntax.hints.checks import comma_before
from vsalang.program.reserved_words import ITEM_WORDS

NAME = "asked"
"""The module in which fragments are parsed; no file can have its relations."""

_BODY = ('policy asked ""\ndefine Asked when\n', "\n.")
_STEPS = ('policy asked ""\ntest "state" {\n', "\n}")
_LONGEST = 100_000
_HELP = {"E0108": "ask the other case by itself"}
"""The help for a fragment, by code, if the usual help is about rules."""

MAY_BEGIN = frozenset({"screen", "goto"})
"""Words that begin both items and conditions."""

T = TypeVar("T")


class Wrong(Exception):
    """A typed fragment has mistakes.

    Attributes:
        diagnostics: the findings, with spans in `source`.
        sources: the texts for a renderer.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source]) -> None:
        self.diagnostics = tuple(diagnostics)
        self.sources = MappingProxyType(dict(sources))
        super().__init__("; ".join(item.message for item in self.diagnostics))


@dataclass(frozen=True, slots=True)
class Piece:
    """A parsed fragment: its text, and its items."""

    source: Source
    items: tuple[t.Item, ...]


def read_body(text: str, file: str) -> tuple[Source, tuple[t.Literal, ...]]:
    """The conditions of a typed body; a period or a question mark may end it.

    Raises:
        Wrong: it is not a body.
    """
    bare = text.rstrip()
    if bare.endswith(("?", ".")):
        bare = bare[:-1]
    word = bare.split(maxsplit=1)[0] if bare.strip() else ""
    if word in ITEM_WORDS and word not in MAY_BEGIN:
        at = bare.index(word)
        wrong_word = error(
            "E0109",
            Span(file, at, at + len(word)),
            "a question is a condition, as after `when`",
            label=f"`{word}` begins a rule or a declaration",
        )
        raise Wrong([wrong_word], {file: Source.from_text(bare, file)})
    try:
        piece = _read(bare, file, _BODY)
    except Wrong as wrong:
        several = [item for item in wrong.diagnostics if item.code == "E0105"]
        if several:
            raise Wrong([_one(several[0].span)], wrong.sources) from None
        raise
    if len(piece.items) == 1 and isinstance(rule := piece.items[0], t.Rule):
        return piece.source, rule.body
    place = piece.items[1].span if len(piece.items) > 1 else Span(file, 0, len(bare))
    raise Wrong([_one(place)], {file: piece.source})


def _one(place: Span | None) -> Diagnostic:
    return error("E0131", place, "one question at a time", help="conditions are joined by a comma")


def read_steps(text: str, file: str) -> tuple[Source, t.Test]:
    """Typed steps of a test (``given R(..).``, ``clock 12:00.``, ``observe ..``).

    Raises:
        Wrong: they are none.
    """
    piece = _read(text, file, _STEPS)
    if len(piece.items) == 1 and isinstance(test := piece.items[0], t.Test):
        return piece.source, test
    raise Wrong(
        [
            error(
                "E0109",
                Span(file, 0, len(text)),
                "steps of a test are wanted here",
                help="write given R(..). observe R(..). clock 12:00.",
            )
        ],
        {file: piece.source},
    )


def _read(text: str, file: str, around: tuple[str, str]) -> Piece:
    source = Source.from_text(text, file)
    text = source.text
    if len(text) > _LONGEST:
        raise Wrong(
            [error("E0002", None, f"this is too long: at most {_LONGEST} characters", file=file)],
            {file: source},
        )
    before, after = around
    parsed = parse(Source(file, before + text + after))
    shift = _Shift(file, len(before), len(text))
    if parsed.module is None or parsed.diagnostics or parsed.broken:
        # findings around the fragment are consequences of a mistake in it, if there is one
        inside = [item for item in parsed.diagnostics if item.span is None or shift.holds(item.span)]
        raise Wrong([shift.diagnostic(item) for item in inside or parsed.diagnostics[:1]], {file: source})
    return Piece(source, tuple(shift.moved(item) for item in parsed.module.items))


@dataclass(frozen=True, slots=True)
class _Shift:
    """Moves spans from the complete text into the fragment."""

    file: str
    by: int
    length: int

    def span(self, span: Span) -> Span:
        start = min(max(span.start - self.by, 0), self.length)
        return Span(self.file, start, min(max(span.end - self.by, start), self.length))

    def holds(self, span: Span) -> bool:
        """Whether a span is in the fragment."""
        return 0 <= span.start - self.by < self.length

    def diagnostic(self, item: Diagnostic) -> Diagnostic:
        message, hint = item.message, _HELP.get(item.code, item.help)
        if message == comma_before("."):  # the mark at the end was added
            message = "a comma at the end"
        if item.span is not None and not self.holds(item.span):
            # it is about the text around the fragment: the mark at its end, the word before it
            message = "a condition is missing" if self.length == 0 else "something is missing here"
            hint = ""
        return replace(
            item,
            span=self.span(item.span) if item.span is not None else None,
            message=message,
            labels=tuple(Label(self.span(label.span), label.text) for label in item.labels),
            help=hint,
            fixes=tuple(
                Fix(fix.title, tuple(Edit(self.span(edit.span), edit.text) for edit in fix.edits))
                for fix in item.fixes
                if all(
                    self.by <= edit.span.start and edit.span.end <= self.by + self.length
                    for edit in fix.edits
                )
            ),
        )

    def moved(self, node: T) -> T:
        """A tree with all its spans moved."""
        moved: Any = self._moved(node)
        return moved  # type: ignore[no-any-return]

    def _moved(self, node: Any) -> Any:
        if isinstance(node, Span):
            return self.span(node)
        if isinstance(node, tuple):
            return tuple([self._moved(item) for item in node])
        if is_dataclass(node) and not isinstance(node, type):
            return replace(
                node, **{f.name: self._moved(getattr(node, f.name)) for f in fields(node) if f.init}
            )
        return node
