"""A pretty printer: documents that say where a line may be broken, and `render`, which decides.

The algebra is that of P. Wadler, "A prettier printer" (2003), with the fills and forced breaks of later printers.
"""

from collections.abc import Iterable
from typing import Final, TypeAlias

from vsalang.base.records import dataclass

WIDTH: Final = 100
"""The most columns of a line, where it can be broken."""


@dataclass(frozen=True, slots=True)
class Line:
    """A place where the line may be broken: `flat` if it is not. `blank`: a broken one leaves an empty line."""

    flat: str = " "
    blank: bool = False
    hard: bool = False


@dataclass(frozen=True, slots=True)
class Hard:
    """A line break, whatever fits."""

    blank: bool = False
    hard: bool = True


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment. How far a ``//`` comment reaches breaks no line."""

    text: str
    hard: bool = False


@dataclass(frozen=True, slots=True)
class IfFlat:
    """Text that is there only where the group around it is not broken."""

    text: str
    hard: bool = False


@dataclass(frozen=True, slots=True)
class Concat:
    """One after the other."""

    parts: "tuple[Doc, ...]"
    hard: bool


@dataclass(frozen=True, slots=True)
class Group:
    """On one line if that fits, else all its own lines are broken. `hard`: they are broken in any case."""

    inner: "Doc"
    hard: bool


@dataclass(frozen=True, slots=True)
class Nest:
    """Its lines begin `by` columns further right; `by` None: where the document itself begins."""

    inner: "Doc"
    by: int | None
    hard: bool


@dataclass(frozen=True, slots=True)
class Fill:
    """Contents and separators, alternating; a separator is broken where what follows it does not fit."""

    parts: "tuple[Doc, ...]"
    hard: bool
    at: int = 0


@dataclass(frozen=True, slots=True)
class Attempt:
    """A separator and what follows it; the separator is broken only where that makes it fit."""

    separator: "Doc"
    inner: "Doc"
    hard: bool


Doc: TypeAlias = str | Line | Hard | Comment | IfFlat | Concat | Group | Nest | Fill | Attempt


def is_hard(doc: Doc) -> bool:
    """Whether a document cannot be on one line."""
    return "\n" in doc if isinstance(doc, str) else doc.hard


def concat(parts: Iterable[Doc]) -> Concat:
    """One after the other. Texts next to each other become one, parts of parts are parts: less is looked at later."""
    kept: list[Doc] = []
    hard = False
    for part in parts:
        if not part:  # no document but an empty text is false
            continue
        inner: tuple[Doc, ...] = (part,)
        if isinstance(part, Concat):
            inner, hard = part.parts, hard or part.hard
        elif not isinstance(part, str):
            hard = hard or part.hard
        elif "\n" in part:
            hard = True
        if kept and inner:
            last, following = kept[-1], inner[0]
            if isinstance(last, str) and isinstance(following, str):
                kept[-1] = last + following
                inner = inner[1:]
        kept += inner
    return Concat(tuple(kept), hard)


def group(*parts: Doc, broken: bool = False) -> Group:
    """On one line if that fits."""
    inner = concat(parts)
    return Group(inner, broken or inner.hard)


def nest(by: int, *parts: Doc) -> Nest:
    """Further to the right."""
    inner = concat(parts)
    return Nest(inner, by, inner.hard)


def align(*parts: Doc) -> Nest:
    """Aligned with where it begins."""
    inner = concat(parts)
    return Nest(inner, None, inner.hard)


def fill(parts: Iterable[Doc]) -> Doc:
    """As many on each line as fit; contents and separators alternate."""
    kept = tuple(parts)
    return kept[0] if len(kept) == 1 else Fill(kept, any(map(is_hard, kept)))


def attempt(separator: Doc, inner: Doc) -> Attempt:
    """A separator that is broken only where it helps."""
    return Attempt(separator, inner, is_hard(separator) or is_hard(inner))


_Command: TypeAlias = tuple[int, bool, Doc]
"""The indentation, whether the group around is broken, and what to print."""


def render(doc: Doc, width: int = WIDTH) -> str:
    """The text of a document."""
    out: list[str] = []
    column = 0
    stack: list[_Command] = [(0, True, doc)]
    while stack:
        indent, broken, doc = stack.pop()
        if isinstance(doc, str):
            out.append(doc)
            column = _column(doc, column)
        elif isinstance(doc, Concat):
            stack += [(indent, broken, part) for part in doc.parts[::-1]]
        elif isinstance(doc, Hard) or (isinstance(doc, Line) and broken):
            out.append("\n\n" if doc.blank else "\n")
            out.append(" " * indent)
            column = indent
        elif isinstance(doc, Line):
            out.append(doc.flat)
            column += len(doc.flat)
        elif isinstance(doc, Comment):
            out.append(doc.text)
            column = _column(doc.text, column)
        elif isinstance(doc, IfFlat):
            if not broken:
                out.append(doc.text)
                column += len(doc.text)
        elif isinstance(doc, Nest):
            stack.append((column if doc.by is None else indent + doc.by, broken, doc.inner))
        elif isinstance(doc, Group):
            flat = not doc.hard and (not broken or _fits(width - column, doc.inner, stack))
            stack.append((indent, not flat, doc.inner))
        elif isinstance(doc, Attempt):
            apart = is_hard(doc.separator) or (
                broken
                and not _fits(width - column - 1, doc.inner, stack)
                and _fits(width - indent, doc.inner, stack)
            )
            stack.append((indent, broken, doc.inner))
            stack.append((indent, apart, doc.separator))
        else:
            _next_of_fill(doc, indent, broken, stack, width - column)
    return "".join(out)


def _next_of_fill(doc: Fill, indent: int, broken: bool, stack: list[_Command], room: int) -> None:
    """Put the next part of a fill, and what remains of it, on the stack."""
    part, at = doc.parts[doc.at], doc.at + 1
    rest = Fill(doc.parts, doc.hard, at) if at < len(doc.parts) else None
    if rest is None or at % 2:
        if rest is not None:
            stack.append((indent, broken, rest))
        stack.append((indent, broken, part))
        return
    # a separator: broken where the content after it does not fit on the line
    apart = is_hard(part)
    if broken and not apart:
        after = Fill(doc.parts, doc.hard, at + 1) if at + 1 < len(doc.parts) else ""
        apart = not _fits(room, concat([part, doc.parts[at]]), stack, after)
    stack.append((indent, broken, rest))
    stack.append((indent, apart, part))


def _column(text: str, column: int) -> int:
    """The column after a text."""
    end = text.rfind("\n")
    return column + len(text) if end < 0 else len(text) - end - 1


def _fits(room: int, doc: Doc, rest: list[_Command], after: Doc = "") -> bool:
    """Whether a document on one line, and what follows it up to the next place for a break, has room.

    What follows is first `after`, then what is on the stack.
    """
    following = len(rest)
    todo: list[tuple[bool, Doc]] = [(True, after), (False, doc)]
    while room >= 0:
        if not todo:
            if not following:
                return True
            following -= 1
            todo.append(rest[following][1:])
        broken, doc = todo.pop()
        if isinstance(doc, Comment):
            if doc.text.startswith("//"):
                return True
            doc = doc.text
        if isinstance(doc, str):
            end = doc.find("\n")
            if end >= 0:
                return room >= end
            room -= len(doc)
        elif isinstance(doc, Concat):
            todo += [(broken, part) for part in doc.parts[::-1]]
        elif isinstance(doc, Line):
            if broken:
                return True
            room -= len(doc.flat)
        elif isinstance(doc, Hard):
            return True
        elif isinstance(doc, IfFlat):
            room -= 0 if broken else len(doc.text)
        elif isinstance(doc, Fill):
            if doc.at + 1 < len(doc.parts):
                todo.append((broken, Fill(doc.parts, doc.hard, doc.at + 1)))
            todo.append((broken, doc.parts[doc.at]))
        elif isinstance(doc, Group):
            todo.append((broken and doc.hard, doc.inner))
        elif isinstance(doc, Nest):
            todo.append((broken, doc.inner))
        else:
            todo.append((broken, doc.inner))
            todo.append((broken, doc.separator))
    return False
