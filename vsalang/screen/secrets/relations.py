"""The native relations of `std.secrets`, made from rows of other relations: what a screen shows, and what is proposed.

They know rows only, not trees: a screen that is given by facts in a test has the same secrets as one that was read.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType
from typing import Final

from vsalang.program.screen import Cells, Screen, knows
from vsalang.program.text import canonical
from vsalang.program.values import Value
from vsalang.screen.secrets.finding import find_all
from vsalang.screen.secrets.lexicon import Lexicon
from vsalang.screen.secrets.numbers import is_grouped
from vsalang.screen.secrets.published import published
from vsalang.screen.secrets.secret import (
    MAX_FOUND,
    MAX_TRIED,
    NOTHING_AROUND,
    Around,
    Finding,
    TooManyFound,
    limit_of,
)
from vsalang.screen.secrets.secret_words import words_of_name

NO_LEXICON: Final = Lexicon()
_LONGEST_LABEL: Final = 80
"""A text before another is its label if it is not longer, in characters."""

_SOURCES: Final = MappingProxyType(
    {"Found": ("Node",), "FoundPage": ("Node",), "FoundNotice": ("Notification", "Toast")}
)


def can_be_given(relation: str, screen: Screen) -> bool:
    """Whether rows of a relation of a screen follow from those that it gives."""
    return any(knows(screen, source) for source in _SOURCES.get(relation, ()))


def rows_of_screen(
    relation: str, screen: Screen, lexicon: Lexicon = NO_LEXICON, most: float = MAX_TRIED
) -> Iterator[Cells]:
    """The rows of ``Found``, ``FoundNotice`` or ``FoundPage`` on a screen, and those that it gives itself.

    Args:
        relation: one of these.
        screen: what is searched.
        lexicon: words that count as secrets.
        most: see `find_all`.

    Raises:
        TooManyFound: the screen holds more than `MAX_FOUND` secrets, or too much of a text looks like some.
    """
    if knows(screen, relation):
        yield from screen.rows(relation)
    yield from _MAKERS[relation](screen, lexicon, most)


def _secret_rows(screen: Screen, lexicon: Lexicon, most: float) -> Iterator[Cells]:
    if not knows(screen, "Node"):
        return
    texts = _ScreenTexts(screen)
    counts: dict[int, int] = {}
    for index, secret in find_all(texts.texts, lexicon, texts.around, texts.entered, texts.hidden, most):
        node = texts.nodes[index]
        counts[node] = counts.get(node, 0) + 1
        row: dict[str, Value] = {"node": node, "nth": counts[node], "kind": secret.kind}
        row["value"] = canonical(secret.value)
        label = texts.label(index)
        if label:
            row["label"] = label
        yield row


class _ScreenTexts:
    """The texts of a screen, and what stands around each."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.texts: list[str] = []
        self.nodes: list[int] = []
        self.rows: list[Cells] = []
        self.entered: set[int] = set()
        self.hidden: set[int] = set()
        self._captions: dict[int, str] | None = None
        for row in screen.rows("Node"):
            node, text, desc = row.get("node"), row.get("text"), row.get("desc")
            if not isinstance(node, int):
                continue
            if isinstance(text, str) and text:
                if row.get("password") is True:
                    self.hidden.add(len(self.texts))
                elif row.get("editable") is True:
                    self.entered.add(len(self.texts))
                self._add(text, node, row)
            if isinstance(desc, str) and desc and desc != text:
                self._add(desc, node, row)

    def _add(self, text: str, node: int, row: Cells) -> None:
        self.texts.append(text)
        self.nodes.append(node)
        self.rows.append(row)

    def around(self, index: int) -> Around:
        """What stands around a text."""
        row = self.rows[index]
        named = [self._caption(self.nodes[index]), _text(row, "hint")]
        if self.texts[index] != row.get("desc"):
            named.append(_text(row, "desc"))
        named.append(words_of_name(_text(row, "id")))
        return Around("\n".join(filter(None, named)), self._neighbour(index, -1), self._neighbour(index, 1))

    def label(self, index: int) -> str:
        """What the screen says a text is; empty if nothing does."""
        row = self.rows[index]
        desc = _text(row, "desc") if self.texts[index] != row.get("desc") else ""
        before = self._neighbour(index, -1)
        return (
            self._caption(self.nodes[index])
            or _text(row, "hint")
            or desc
            or (before if len(before) <= _LONGEST_LABEL else "")
            or words_of_name(_text(row, "id"))
        )

    def _neighbour(self, index: int, step: int) -> str:
        """The text of the nearest other node before or after."""
        at = index + step
        while 0 <= at < len(self.texts):
            if self.nodes[at] != self.nodes[index]:
                return self.texts[at]
            at += step
        return ""

    def _caption(self, node: int) -> str:
        if self._captions is None:
            rows = self.screen.rows("Caption") if knows(self.screen, "Caption") else ()
            self._captions = {
                control: text
                for row in rows
                if isinstance(control := row.get("control"), int) and isinstance(text := row.get("text"), str)
            }
        return self._captions.get(node, "")


def _text(row: Cells, name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""


def _notices(screen: Screen, lexicon: Lexicon, most: float) -> Iterator[Cells]:
    nth = 0
    for relation in ("Notification", "Toast"):
        for row in screen.rows(relation) if knows(screen, relation) else ():
            title, text = _text(row, "title"), _text(row, "text")
            for _, secret in find_all([f"{title}\n{text}" if title else text], lexicon, most=most):
                nth += 1
                if nth > limit_of(most):
                    raise TooManyFound(f"more than {MAX_FOUND} secrets in the notifications")
                cells: dict[str, Value] = {"nth": nth, "kind": secret.kind, "value": canonical(secret.value)}
                if _text(row, "package"):
                    cells["package"] = _text(row, "package")
                if title:
                    cells["label"] = title
                yield cells


def _page(screen: Screen, lexicon: Lexicon, most: float) -> Iterator[Cells]:
    if not knows(screen, "Node"):
        return
    texts = [text for row in screen.rows("Node") if isinstance(text := row.get("text"), str) and text]
    for count, match in enumerate(published(" ".join(texts), lexicon), 1):
        if count > limit_of(most):
            raise TooManyFound(f"more than {MAX_FOUND} matches of the published patterns on one screen")
        yield {"kind": match.kind, "nth": match.nth, "value": canonical(match.value)}


_MAKERS: Final[Mapping[str, Callable[[Screen, Lexicon, float], Iterator[Cells]]]] = MappingProxyType(
    {"Found": _secret_rows, "FoundNotice": _notices, "FoundPage": _page}
)

ON_SCREEN: Final = frozenset(_MAKERS)
"""The relations of screens."""


def typed_rows(
    proposed: Sequence[tuple[str, Cells]],
    written: Mapping[str, Iterable[str]],
    lexicon: Lexicon = NO_LEXICON,
    most: float = MAX_TRIED,
) -> Iterator[Cells]:
    """The rows of ``Typed``: the secrets in the texts that a proposal writes, tells or runs.

    Args:
        proposed: the gesture with what it touches, and the proposed actions, each with its name.
        written: of these, which attributes hold what the agent writes; the others are about the screen.
        lexicon: words that count as secrets.
        most: see `find_all`.

    Raises:
        TooManyFound: more than `MAX_FOUND`, or too much of a text looks like secrets.
    """
    nth = 0
    for name, cells in proposed:
        for attribute in written.get(name, ()):
            text = cells.get(attribute)
            if not isinstance(text, str) or not text:
                continue
            field = name == "input_text"
            around = _field(cells) if field else NOTHING_AROUND
            hidden = {0} if field and cells.get("password") is True else ()
            entered = {0} if field else ()
            joined = field and not hidden and _is_joined(cells, text)
            for _, secret in find_all([text], lexicon, _always(around), entered, hidden, most):
                if joined and not _is_typed(cells, text, secret):
                    continue
                nth += 1
                if nth > limit_of(most):
                    raise TooManyFound(f"more than {MAX_FOUND} secrets in one proposal")
                yield {
                    "action": name,
                    "attribute": attribute,
                    "nth": nth,
                    "kind": secret.kind,
                    "value": canonical(secret.value),
                }


def _is_joined(cells: Cells, typed: str) -> bool:
    """Whether a text is what stands in the field, and more in it: what the field may hold then."""
    stands = cells.get("text")
    if not isinstance(stands, str) or not stands or len(typed) <= len(stands):
        return False
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(stands, typed, strict=False)))
    return typed.endswith(stands[same:])


def _is_typed(cells: Cells, joined: str, secret: Finding) -> bool:
    """Whether a card or an account of a joined text is more than what stood there, and grouped as people group it."""
    if secret.kind not in ("card", "iban"):
        return True
    stood = find_all([str(cells["text"])])
    if any((each.kind, each.value) == (secret.kind, secret.value) for _, each in stood):
        return False
    sizes = [len(group) for group in re.findall(r"\d+", joined[secret.start : secret.end])]
    return secret.kind != "card" or is_grouped(sizes)


def _always(around: Around) -> Callable[[int], Around]:
    return lambda _: around


def _field(cells: Cells) -> Around:
    """What a field says of itself."""
    label = _text(cells, "label")
    own = "" if label == _text(cells, "text") else label
    return Around(
        "\n".join(
            filter(None, (own, _text(cells, "hint"), _text(cells, "desc"), words_of_name(_text(cells, "id"))))
        )
    )
