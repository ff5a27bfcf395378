"""Which values of a text an atom admits, and whether folders or names that were read whole include all of them.

That a trace of the system has no row is evidence only where everything was read that could have made one. What cannot
be told counts as not read.
"""

import re
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as sre_parse  # type: ignore[attr-defined]
from types import MappingProxyType
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.program.ir import Choice, Const, Constraint, Regex, Term, Words
from vsalang.program.text import canonical

TRACED: Final[Mapping[str, tuple[str, bool]]] = MappingProxyType(
    {
        "File": ("path", True),
        "FileChanged": ("path", True),
        "Permission": ("package", False),
        "Network": ("", False),
        "Setting": ("namespace", False),
    }
)
"""The relations of the system's trace: the attribute by which parts of one are read, and whether these are folders.

No attribute: it is never read whole. A connection may have been opened and closed between two looks.
"""

_MOST: Final = 64
"""With more ways to begin than this, it cannot be told what a pattern admits."""
_LONGEST: Final = 200
"""Longer patterns are not analysed: the analysis recurses."""


@dataclass(frozen=True, slots=True)
class Extent:
    """What one constraint admits: these texts (`exact`), or texts that begin with one of them."""

    texts: tuple[str, ...]
    exact: bool


def extent(constraint: Constraint, value: Callable[[Term], Any]) -> Extent | None:
    """What a constraint on a text admits at most; None if that cannot be told.

    Args:
        value: the value of a term; None if it is not known.
    """
    term = constraint.term
    if term is None or constraint.hi is not None:
        return None
    if isinstance(term, Words):
        return None  # many spellings of a word are the same
    if constraint.op == "matches" and isinstance(term, Regex):
        texts = beginnings(term.source, term.flags)
        return None if texts is None else Extent(texts, exact=False)
    if constraint.op not in ("=", "in"):
        return None
    known = value(term)
    items = [known] if constraint.op == "=" else known
    if not isinstance(items, Sequence | frozenset) or isinstance(items, str):
        return None
    if not all(isinstance(item, str) for item in items):
        return None
    return Extent(tuple(items), exact=True)


def constant(term: Term) -> Any:
    """The value of a constant or of a choice of constants; None of any other term."""
    if isinstance(term, Const):
        return term.value
    return tuple(constant(item) for item in term.items) if isinstance(term, Choice) else None


def covered(
    relation: str,
    constraints: Iterable[Constraint],
    within: Collection[str],
    value: Callable[[Term], Any] = constant,
) -> bool:
    """Whether what was read whole includes every row that an atom of a relation of the trace may match.

    Args:
        constraints: of the atom.
        within: what was read whole: folders (with ``/`` at the end), or names.
        value: the value of a term; None if it is not known.
    """
    attr, folders = TRACED[relation]
    for constraint in constraints:
        if not attr or constraint.attr != attr:
            continue
        value_extent = extent(constraint, value)
        if value_extent is None or not (folders or value_extent.exact):
            continue
        if all(any(_inside(text, each, folders) for each in within) for text in value_extent.texts):
            return True
    return False


def _inside(text: str, within: str, folders: bool) -> bool:
    if not folders:
        return text == within
    return within.endswith("/") and text.startswith(within)


@lru_cache(maxsize=256)
def beginnings(source: str, flags: str = "") -> tuple[str, ...] | None:
    """The texts with one of which every text begins that a pattern matches; None if that cannot be told.

    Only what Python and RE2 read alike is analysed.
    """
    if flags or len(source) > _LONGEST or "[:" in source:
        return None
    plain = re.sub(r"\(\?<([A-Za-z_]\w*)>", r"(?P<\1>", source)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = sre_parse.parse(plain)
    except (re.error, OverflowError, RecursionError):
        return None
    if tree.state.flags & ~(re.UNICODE | re.DOTALL):
        return None
    starts = _starts(list(tree))
    if starts is None or not all(start.anchored for start in starts):
        return None
    return tuple(dict.fromkeys(canonical(start.text) for start in starts))


@dataclass(frozen=True, slots=True)
class _Start:
    """One way in which what a part of a pattern matches begins.

    Attributes:
        text: the characters that are certain.
        anchored: whether they stand at the beginning of the text.
        open: whether what follows in the pattern follows them at once.
    """

    text: str = ""
    anchored: bool = False
    open: bool = True

    def then(self, following: "_Start") -> "_Start":
        """This, and then what follows it in the pattern."""
        if not self.open:
            return self
        anchored = self.anchored or (following.anchored and not self.text)
        return _Start(self.text + following.text, anchored, following.open)


_CLOSED: Final = _Start(open=False)


def _starts(items: list[Any]) -> list[_Start] | None:
    """The ways in which what a sequence matches may begin; None if they are too many or the parts are not known."""
    starts = [_Start()]
    for kind, argument in items:
        if not any(start.open for start in starts):
            break
        part = _part(kind, argument)
        if part is None:
            return None
        starts = list(dict.fromkeys(start.then(each) for start in starts for each in part))
        if len(starts) > _MOST:
            return None
    return starts


def _part(kind: Any, argument: Any) -> list[_Start] | None:
    if kind is sre.LITERAL:
        return [_Start(chr(argument))]
    if kind is sre.AT:
        return [_Start(anchored=argument in (sre.AT_BEGINNING, sre.AT_BEGINNING_STRING))]
    if kind is sre.SUBPATTERN:
        _, added, removed, inner = argument
        return None if added or removed else _starts(list(inner))
    if kind is sre.BRANCH:
        all_starts: list[_Start] = []
        for branch in argument[1]:
            starts = _starts(list(branch))
            if starts is None:
                return None
            all_starts += starts
        return all_starts
    if kind is sre.IN and all(each is sre.LITERAL for each, _ in argument):
        return [_Start(chr(char)) for _, char in argument]
    return [_CLOSED]


__all__ = ["TRACED", "Extent", "beginnings", "constant", "covered", "extent"]
