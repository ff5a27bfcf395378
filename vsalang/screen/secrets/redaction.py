"""Replaces secrets in what is written and printed. Equal secrets stay equal: each has its number, such as «card 1»."""

import contextlib
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping
from html import escape
from io import TextIOBase
from math import inf
from typing import Any, Final, TextIO

from vsalang.program.action import Action
from vsalang.program.screen import Cells, Screen, UnresolvedTarget, knows
from vsalang.program.text import quote, safe
from vsalang.screen.secrets.finding import find_all, is_value, names_a_credential
from vsalang.screen.secrets.folding import fold, fold_words
from vsalang.screen.secrets.lexicon import Lexicon
from vsalang.screen.secrets.relations import NO_LEXICON, ON_SCREEN, can_be_given, rows_of_screen, typed_rows
from vsalang.screen.secrets.secret import KINDS, Kind

_LEAST: Final = 3
_CUT: Final = "…"
_TYPED: Final = "%s"
"""How a line of adb types a blank: ``input text 4111%s1111..``."""
_LONGEST: Final = 3000
"""No secret is longer, but a block of a key, whose beginning is one itself."""
_SHOWN: Final = ("text", "desc", "title")
_KEPT: Final = frozenset(
    {
        ("at",),
        ("clock",),
        ("timeline",),
        ("steady",),
        ("today",),
        ("id",),
        ("digest",),
        ("screen",),
        ("screen", "id"),
        ("screen", "fingerprint"),
        ("screen", "now"),
    }
)
"""Parts of a journal's record that vsac makes itself: times and hashes."""


class Redactor:
    """Knows the secrets of one session and replaces them.

    What is a secret only by the words around it (codes, credentials) is learnt where it is shown or typed, and is
    replaced everywhere from then on.

    Args:
        kinds: which kinds are replaced.
        lexicon: words that count as secrets.
    """

    def __init__(self, kinds: Collection[Kind] = KINDS, lexicon: Lexicon = NO_LEXICON) -> None:
        self.kinds = tuple(kind for kind in KINDS if kind in kinds)
        self.lexicon = lexicon if "word" in kinds else NO_LEXICON
        self._names: dict[tuple[Kind, str], str] = {}
        self._counts: dict[Kind, int] = {}
        self._learnt: dict[str, str] = {}
        self._known: Lexicon | None = NO_LEXICON
        """Of what was learnt; None: something was learnt since it was made."""
        self._written: set[str] = set()
        self._begun: dict[str, str] = {}
        """What was replaced, as it was written or learnt: texts may be cut behind a beginning of it."""
        self._sorted: list[str] = []
        self._longest = 0

    def name(self, kind: Kind, value: str) -> str:
        """What stands for a secret: the same for an equal one."""
        name = self._names.get((kind, value))
        if name is None:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            name = self._names[kind, value] = f"«{kind} {self._counts[kind]}»"
        return name

    # ------------------------------------------------------------------ what is learnt

    def learn(self, kind: Kind, value: str) -> None:
        """Replace a secret from now on wherever it stands as a whole word."""
        if kind in self.kinds and len(value) >= _LEAST and value not in self._learnt:
            name = self.name(kind, value)
            self._begins(value, name)
            self._replace((value, *_forms(value)), name)

    def _replace(self, values: Iterable[str], name: str) -> None:
        """Replace these texts from now on wherever they stand as whole words."""
        new = {value: name for value in values if value not in self._learnt}
        if new:
            self._learnt |= new
            self._known = None

    def _remember(self, written: str, name: str) -> None:
        """Replace a secret as it was written also where it is quoted, or cut."""
        if written not in self._written:
            self._written.add(written)
            self._begins(written, name)
            if len(written) >= _LEAST:
                self._replace(_forms(written), name)

    def _begins(self, written: str, name: str) -> None:
        self._begun.setdefault(written, name)
        self._longest = max(self._longest, min(len(written), _LONGEST))

    def learn_screen(self, screen: Screen) -> None:
        """Learn the secrets of a screen and its notifications, and how they are written there."""
        rows = (
            row
            for name in ("Node", "Notification", "Toast")
            if knows(screen, name)
            for row in screen.rows(name)
        )
        self.texts([text for row in rows for text in map(row.get, _SHOWN) if isinstance(text, str)])
        for relation in sorted(ON_SCREEN - {"FoundPage"}):
            if can_be_given(relation, screen):
                self._learn(rows_of_screen(relation, screen, self.lexicon, inf))
        if screen.otherwise is not None:
            self.learn_screen(screen.otherwise)

    def learn_typed(self, gesture: Action | None, screen: Screen | None) -> None:
        """Learn what is typed into a field that is called a password, or hides what is typed, in either reading."""
        if gesture is None or gesture.name != "input_text" or screen is None:
            return
        where = {name: value for name, value in gesture.args.items() if name != "value"}
        fields: list[Cells] = [{}]
        with contextlib.suppress(UnresolvedTarget):
            cells = screen.target(gesture.name, where)
            fields += [cells, *screen.perhaps(gesture.name, cells)]
        if not where:
            fields += [row for row in screen.rows("Node") if row.get("focused") is True]
        value = gesture.args.get("value", "")
        proposed = [(gesture.name, {**field, "value": value}) for field in fields]
        self._learn(typed_rows(proposed, {"input_text": ("value",)}, self.lexicon, inf))

    def _learn(self, rows: Iterable[Cells]) -> None:
        for row in rows:
            self.learn(row["kind"], str(row["value"]))  # type: ignore[arg-type]

    # ------------------------------------------------------------------ what is replaced

    def text(self, text: str) -> str:
        """A text without its secrets."""
        return self.texts([text])[0]

    def texts(self, texts: list[str], called: Collection[int] = ()) -> list[str]:
        """The same for many: they are searched together.

        Args:
            texts: any texts.
            called: those that are named as credentials.
        """
        as_typed = {index: text.replace(_TYPED, " ") for index, text in enumerate(texts) if _TYPED in text}
        every = [*texts, *as_typed.values()]
        called = {*called, *(len(texts) + n for n, index in enumerate(as_typed) if index in called)}
        spans = self._spans(every, called)
        for place, index in enumerate(as_typed, len(texts)):
            if place in spans:
                back = _offsets(texts[index])
                spans.setdefault(index, []).extend((back[b], back[e], name) for b, e, name in spans[place])
        return [_without(text, spans[index]) if index in spans else text for index, text in enumerate(texts)]

    def _spans(self, texts: list[str], called: Collection[int]) -> dict[int, list[tuple[int, int, str]]]:
        """Where the secrets of each text are, and what stands for them."""
        spans: dict[int, list[tuple[int, int, str]]] = {}
        for index, secret in find_all(texts, self.lexicon, hidden=called, most=inf):
            if secret.kind in self.kinds:
                name = self.name(secret.kind, secret.value)
                self._remember(texts[index][secret.start : secret.end], name)
                known_by_words = secret.kind == "code" or (
                    secret.kind == "credential" and (index in called or is_value(secret.value, strict=True))
                )
                if known_by_words:  # other places say less of it
                    self.learn(secret.kind, secret.value)
                spans.setdefault(index, []).append((secret.start, secret.end, name))
        if self._learnt:
            known = self._known = self._known or Lexicon(self._learnt)
            for index, text in enumerate(texts):
                for begin, end, word in known.whole(fold_words(text)):
                    folded = fold(text)
                    place = (folded.place(begin), folded.end(end), self._learnt[word])
                    spans.setdefault(index, []).append(place)
        for index, text in enumerate(texts):
            if _CUT in text:
                spans.setdefault(index, []).extend(self._cut(text))
        return spans

    def _cut(self, text: str) -> list[tuple[int, int, str]]:
        """The secrets of which a text shows only the beginning, before the mark where it was cut."""
        if len(self._sorted) != len(self._begun):
            self._sorted = sorted(self._begun)
        known, cuts, done = self._sorted, [], 0
        at = text.find(_CUT)
        while at >= 0:
            for length in range(min(self._longest, at - done), 1, -1):
                begun = text[at - length : at]
                place = bisect_left(known, begun)
                if place < len(known) and known[place].startswith(begun):
                    cuts.append((at - length, at, self._begun[known[place]]))
                    break
            done = at + 1
            at = text.find(_CUT, done)
        return cuts

    def record(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """A record of a journal without its secrets; times and hashes stay."""
        replaced: dict[str, Any] = self._replaced(data, _KEPT)
        return replaced

    def data(self, data: Any) -> Any:
        """JSON data without its secrets; the names of attributes stay."""
        return self._replaced(data, frozenset())

    def _replaced(self, data: Any, kept: Collection[tuple[str, ...]]) -> Any:
        texts: dict[str, bool] = {}

        def note(text: str, name: str) -> str:
            texts[text] = texts.get(text, False) or names_a_credential(name)
            return text

        _each_text(data, kept, (), note)
        old = list(texts)
        called = [index for index, text in enumerate(old) if texts[text]]
        new = dict(zip(old, self.texts(old, called), strict=True))
        return _each_text(data, kept, (), lambda text, _: new[text])


def _each_text(
    data: Any,
    kept: Collection[tuple[str, ...]],
    path: tuple[str, ...],
    change: Callable[[str, str], str],
) -> Any:
    """The data with its texts changed; `change` gets a text and what it is called."""
    if isinstance(data, str):
        return data if path in kept or not data else change(data, next(filter(None, reversed(path)), ""))
    if isinstance(data, Mapping):
        return {name: _each_text(value, kept, (*path, name), change) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [_each_text(value, kept, (*path, ""), change) for value in data]
    return data


def _without(text: str, spans: list[tuple[int, int, str]]) -> str:
    """The text with these places replaced; of places that overlap the longest names what stands there."""
    parts: list[str] = []
    done = 0
    joined: list[tuple[int, int, str]] = []
    for begin, end, name in sorted(spans, key=lambda span: (span[0], -span[1])):
        if joined and begin < joined[-1][1]:
            first, last, kept = joined[-1]
            joined[-1] = (first, max(last, end), kept)
        else:
            joined.append((begin, end, name))
    for begin, end, name in joined:
        parts += [text[done:begin], name]
        done = end
    return "".join([*parts, text[done:]])


def _offsets(text: str) -> list[int]:
    """For each character of the text with blanks for `_TYPED`, and for its end, where it is in the text."""
    offsets: list[int] = []
    at = 0
    for piece in text.split(_TYPED):
        offsets += range(at, at + len(piece) + 1)
        at += len(piece) + len(_TYPED)
    return offsets


def _forms(text: str) -> list[str]:
    """The other ways in which a text is printed: quoted in messages, in JSON, both, and on pages."""
    message = safe(text, 12 * len(text))[1:-1]
    forms = (message, quote(text)[1:-1], quote(message)[1:-1], escape(text))
    return [form for form in dict.fromkeys(forms) if form != text]


class RedactedStream(TextIOBase):
    """A text stream that replaces secrets in what is written to another.

    Args:
        stream: where it is written.
        redactor: what replaces them.
    """

    def __init__(self, stream: TextIO, redactor: Redactor) -> None:
        self.stream = stream
        self.redactor = redactor

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return getattr(self.stream, "encoding", None) or "utf-8"

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        return getattr(self.stream, "errors", None)

    def write(self, text: str) -> int:
        """Write a text without its secrets. Nothing that was not searched is written."""
        self.stream.write(self.redactor.text(text))
        return len(text)

    def flush(self) -> None:
        self.stream.flush()

    def isatty(self) -> bool:
        """Whether the stream is a terminal."""
        return self.stream.isatty()

    def fileno(self) -> int:
        return self.stream.fileno()

    def writable(self) -> bool:
        """True."""
        return True
