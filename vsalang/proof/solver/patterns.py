"""Regular memberships: what ``contains`` and ``matches`` ask of a text, as regular expressions of Z3.

``contains`` is a membership too, because Z3 decides memberships alone in milliseconds and mixed with
``str.contains`` often not at all.
"""

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as sre_parse  # type: ignore[attr-defined]
from typing import Any

import z3

from vsalang.program.pattern_words import NEEDED, is_word
from vsalang.program.patterns import compile_pattern
from vsalang.program.text import canonical, fold_case
from vsalang.proof.solver.results import UnsupportedConstruct

_LAST = 0x2FFFF  # Z3's last character
_FOLDING_END = 0x1F000  # no letter with case lies beyond
_WIDEST_RANGE = 2000
_DIGITS = (("0", "9"), ("\u0660", "\u0669"))
_LETTERS = (
    ("A", "Z"), ("_", "_"), ("a", "z"), ("\u00aa", "\u00aa"), ("\u00b5", "\u00b5"), ("\u00ba", "\u00ba"),
    ("\u00c0", "\u00d6"), ("\u00d8", "\u00f6"), ("\u00f8", "\u024f"), ("\u0388", "\u038a"), ("\u038e", "\u03a1"),
    ("\u03a3", "\u03ce"), ("\u0400", "\u0481"), ("\u048a", "\u052f"), ("\u3041", "\u3096"), ("\u30a1", "\u30fa"),
    ("\u4e00", "\u9fa5"), ("\uac00", "\ud7a3"),
)  # fmt: skip
"""The word characters of the solver: with those of all scripts it takes far too long.

There is no other one in a program that it looks into (`strange`), so all others are to it like one of these; of each
kind there are more than a text has. So what it finds, and what it proves, holds of all texts.
"""


def _lit(text: str) -> Any:
    return z3.Re(z3.StringVal(text))


def _union(parts: list[Any]) -> Any:
    return parts[0] if len(parts) == 1 else z3.Union(*parts)


def _concat(parts: list[Any]) -> Any:
    if not parts:
        return _lit("")
    return parts[0] if len(parts) == 1 else z3.Concat(*parts)


def anything() -> Any:
    """Every text."""
    return z3.Full(z3.ReSort(z3.StringSort()))


def _one() -> Any:
    return z3.AllChar(z3.ReSort(z3.StringSort()))


@lru_cache(maxsize=1)
def _folds() -> dict[str, tuple[str, ...]]:
    """For each folded form of one or more characters the canonical characters that fold to it."""
    letters: dict[str, list[str]] = {}
    for char in map(chr, range(_FOLDING_END)):
        if char.casefold() != char and canonical(char) == char:  # what is left is its own folded form
            letters.setdefault(fold_case(char), []).append(char)
    return {folded: tuple(chars) for folded, chars in letters.items()}


def contains(needle: str) -> Any:
    """The texts of which the folded form contains the folded needle."""
    folded = fold_case(needle)
    longer = [fold for fold in _folds() if len(fold) > 1]
    tails: list[Any] = [_lit("")]  # what matches folded[i:], from the end
    for start in range(len(folded) - 1, -1, -1):
        rest = folded[start:]
        same = [rest[0], *_folds().get(rest[0], ())] if fold_case(rest[0]) == rest[0] else []
        options = [z3.Concat(_lit(char), tails[0]) for char in same]
        for fold in longer:
            if rest.startswith(fold):
                options += [z3.Concat(_lit(char), tails[len(fold) - 1]) for char in _folds()[fold]]
            elif fold.startswith(rest):  # the text goes on within one character's folded form
                options += [_lit(char) for char in _folds()[fold]]
        tails.insert(0, _union(options))
    starts = [tails[0]]
    for fold in longer:  # the needle begins within one character's folded form
        for skip in range(1, len(fold)):
            part = fold[skip:]
            if folded.startswith(part):
                starts += [z3.Concat(_lit(char), tails[len(part)]) for char in _folds()[fold]]
            elif folded in part:
                starts += [_lit(char) for char in _folds()[fold]]
    return z3.Concat(anything(), _union(starts), anything())


def matches(source: str, flags: str, *, dotall: bool = False) -> Any:
    """The texts in which the pattern matches somewhere.

    Args:
        dotall: whether ``.`` matches line breaks.

    Raises:
        Unsupported: Unicode and POSIX classes, flags inside, boundaries and anchors inside what is repeated often;
            ``{,`` (a text for RE2, a repetition for the parser).
    """
    compile_pattern(source, flags)
    if NEEDED.search(source) and (char := strange(source)):
        raise UnsupportedConstruct(
            f"the pattern /{source}/: {char} is of a script that is not analysed next to \\w, \\d, \\b"
        )
    if re.search(r"\[:|\\[pPzZQECA]|\(\?[a-zA-Z-]*[:)](?<!\(\?:)|\{,", source):
        raise UnsupportedConstruct(f"the pattern /{source}/: only plain regular expressions are analysed")
    try:
        tree = _parsed(_nameless(source))
    except (re.error, Warning, OverflowError, RecursionError) as error:
        raise UnsupportedConstruct(f"the pattern /{source}/: {error}") from None
    return _Translation(source, "i" in flags, dotall).search(tree)


def strange(text: str) -> str:
    """A word character of a text that the solver does not take for one; empty if there is none."""
    known = _DIGITS + _LETTERS
    beyond = (char for char in text if not char.isascii() and is_word(char))
    return next((char for char in beyond if not any(low <= char <= high for low, high in known)), "")


def _nameless(source: str) -> str:
    """The pattern with groups in place of named groups; what is escaped or inside a class is not a group."""
    groups = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|(\(\?P?<[A-Za-z_]\w*>)", re.DOTALL)
    return groups.sub(lambda match: "(?:" if match[1] else match[0], source)


@lru_cache(maxsize=4096)
def _parsed(text: str) -> tuple[Any, ...]:
    """The pattern as Python's parser reads it: each question about a program parses all its patterns again."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return tuple(sre_parse.parse(text, re.ASCII))


_SAMPLES = 8
_LETTER_OF = {"L": "a", "Ll": "a", "Lu": "A", "N": "1", "Nd": "1"}
"""A character of each of some Unicode classes: Python's parser knows none of these classes."""


def _without_classes(source: str) -> str:
    """The pattern with one character in place of a Unicode class, where there is one."""
    classes = re.compile(r"\\p(?:\{(\w+)\}|(\w))|\\.", re.DOTALL)
    return classes.sub(lambda match: _LETTER_OF.get(match[1] or match[2], match[0]), source)


def samples(source: str, flags: str) -> tuple[str, ...]:
    """Some texts that a pattern matches; none if none was found."""
    try:
        tree = _parsed(_without_classes(_nameless(source)))
    except (re.error, Warning, OverflowError, RecursionError):
        return ()
    pattern = compile_pattern(source, flags)
    texts = (
        canonical("".join(_sampled(tree, more, choice))) for choice in range(_SAMPLES) for more in (0, 1)
    )
    return tuple(text for text in dict.fromkeys(texts) if pattern.search(text) is not None)


def _sampled(tree: Any, more: int, choice: int) -> Iterator[str]:
    """That one of each choice (from the beginning, where it has fewer), and each part as seldom as can be, or once
    more."""
    for kind, argument in tree:
        match kind:
            case sre.LITERAL:
                yield chr(argument)
            case sre.IN if argument[0][0] is sre.LITERAL:
                yield chr(argument[0][1])
            case sre.IN if argument[0][0] is sre.RANGE:
                yield chr(argument[0][1][0])
            case sre.IN if argument[0][1] in (sre.CATEGORY_WORD, sre.CATEGORY_DIGIT):
                yield "0"
            case sre.ANY | sre.IN | sre.NOT_LITERAL:
                yield " "
            case sre.BRANCH:
                yield from _sampled(argument[1][choice % len(argument[1])], more, choice)
            case sre.SUBPATTERN:
                yield from _sampled(argument[3], more, choice)
            case sre.MAX_REPEAT | sre.MIN_REPEAT:
                for _ in range(min(max(argument[0], more), argument[1])):
                    yield from _sampled(argument[2], more, choice)


_NEIGHBOURS = "ewo"
"""What stands next to a place in a text: its edge, a word character, or another one."""
_MOST_REPEATED = 4
_LOOKS: dict[Any, Callable[[str, str], bool]] = {
    sre.AT_BEGINNING: lambda before, after: before == "e",
    sre.AT_END: lambda before, after: after == "e",
    sre.AT_BOUNDARY: lambda before, after: (before == "w") != (after == "w"),
    sre.AT_NON_BOUNDARY: lambda before, after: (before == "w") == (after == "w"),
}


def _looks_around(item: Any) -> bool:
    """Whether it matters to a part of a pattern what stands next to it."""
    kind, argument = item
    if kind is sre.BRANCH:
        return any(_looks_around(part) for branch in argument[1] for part in branch)
    if kind is sre.SUBPATTERN:
        return any(map(_looks_around, argument[3]))
    if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
        return any(map(_looks_around, argument[2]))
    return bool(kind is sre.AT)


def _ranges(of: tuple[tuple[str, str], ...]) -> list[Any]:
    return [z3.Range(z3.StringVal(low), z3.StringVal(high)) for low, high in of]


def _of_class(neighbour: str) -> Any:
    word = _union(_ranges(_DIGITS + _LETTERS))
    return word if neighbour == "w" else z3.Intersect(_one(), z3.Complement(word))


_CLASSES: dict[Any, str] = {
    sre.CATEGORY_WORD: "w",
    sre.CATEGORY_DIGIT: "w",
    sre.CATEGORY_NOT_WORD: "o",
    sre.CATEGORY_SPACE: "o",
}


def _class_of(char: str) -> str:
    return "w" if is_word(char) else "o"


def _ending(neighbour: str) -> Any:
    """The texts that end with such a character; for the edge the empty one."""
    return _lit("") if neighbour == "e" else z3.Concat(anything(), _of_class(neighbour))


def _beginning(neighbour: str) -> Any:
    """The texts that begin with such a character; for the edge the empty one."""
    return _lit("") if neighbour == "e" else z3.Concat(_of_class(neighbour), anything())


class _Translation:
    def __init__(self, source: str, fold: bool, dotall: bool) -> None:
        self.source = source
        self.dotall = dotall
        self.fold = fold
        # by the identity of parts of the parsed pattern, which lives as long as this
        self._between: dict[Any, Any] = {}
        self._nothing: dict[Any, bool] = {}
        self._items: dict[int, Any] = {}

    def refuse(self, what: str) -> UnsupportedConstruct:
        return UnsupportedConstruct(f"the pattern /{self.source}/: {what}")

    def search(self, tree: Sequence[Any]) -> Any:
        """The texts in which a pattern matches somewhere."""
        while len(tree) == 1 and tree[0][0] is sre.SUBPATTERN and not tree[0][1][1] and not tree[0][1][2]:
            tree = list(tree[0][1][3])
        if len(tree) == 1 and tree[0][0] is sre.BRANCH:
            return _union([self.search(list(branch)) for branch in tree[0][1][1]])
        if not any(map(_looks_around, tree)):
            return z3.Concat(anything(), self.sequence(tree), anything())
        inside: dict[int, Any] = {}
        memo: dict[int, dict[str, str]] = {}
        for before, after in product(_NEIGHBOURS, repeat=2):
            language = self.between(tree, before, after)
            if language is not None:
                inside[language.get_id()] = language
                afters = memo.setdefault(language.get_id(), {})
                afters[before] = afters.get(before, "") + after
        parts = []
        for number, afters in memo.items():
            for after in dict.fromkeys(afters.values()):
                before = "".join(one for one, other in afters.items() if other == after)
                ends, begins = (
                    [part(one) for one in side] for part, side in ((_ending, before), (_beginning, after))
                )
                parts.append(_concat([_union(ends), inside[number], _union(begins)]))
        return _union(parts) if parts else z3.Empty(z3.ReSort(z3.StringSort()))

    def between(self, tree: Sequence[Any], before: str, after: str) -> Any | None:
        """What matches between two neighbours (see `_NEIGHBOURS`); None if nothing can."""
        key = (tuple(map(id, tree)), before, after)
        if key not in self._between:
            self._between[key] = self._between_of(tree, before, after)
        return self._between[key]

    def _between_of(self, tree: Sequence[Any], before: str, after: str) -> Any | None:
        plain = next((number for number, item in enumerate(tree) if _looks_around(item)), len(tree))
        if plain == len(tree):
            return self.sequence(tree)
        head, rest = tree[: plain or 1], tree[plain or 1 :]
        if not rest:
            return self.one(head[0], before, after)
        parts = []
        for first, last in product("wo", repeat=2):
            left = self.edged(head, before, first, last=last)
            right = self.edged(rest, last, after, first=first)
            if left is not None and right is not None:
                parts.append(z3.Concat(left, right))
        for edge in "wo":  # nothing matches the one part, something the other
            if self.nothing(head, before, edge):
                parts.append(self.edged(rest, before, after, first=edge))
            if self.nothing(rest, edge, after):
                parts.append(self.edged(head, before, after, last=edge))
        parts = [one for one in parts if one is not None]
        if self.nothing(tree, before, after):
            parts.append(_lit(""))
        return _union(parts) if parts else None

    def edged(
        self, tree: Sequence[Any], before: str, after: str, *, first: str = "", last: str = ""
    ) -> Any | None:
        """As `between`, of the texts of at least one character that begin, or end, with one of that class."""
        classes = self.edges(tree if first else tree[::-1], first=bool(first))
        if (first or last) not in classes:
            return None
        language = self.between(tree, before, after)
        if language is None or (len(classes) == 1 and not self.nothing(tree, before, after)):
            return language
        return z3.Intersect(language, _beginning(first) if first else _ending(last))

    def edges(self, tree: Sequence[Any], *, first: bool) -> set[str]:
        """The classes that the first (else the last) character of a match can have; the tree begins on that side."""
        classes: set[str] = set()
        for part in tree:
            kind, argument = part
            empty = False
            match kind:
                case sre.AT:
                    empty = True
                case sre.LITERAL:
                    classes |= {_class_of(char) for char in self.alike(argument)}
                case sre.IN if argument[0][0] in (sre.LITERAL, sre.CATEGORY) and len(argument) == 1:
                    item, of = argument[0]
                    if item is sre.LITERAL:
                        classes |= {_class_of(char) for char in self.alike(of)}
                    else:
                        known = _CLASSES.get(of, "wo") if not self.fold else "wo"
                        classes |= set(known)
                case sre.BRANCH | sre.SUBPATTERN | sre.MAX_REPEAT | sre.MIN_REPEAT:
                    branches = (
                        argument[1] if kind is sre.BRANCH else [argument[3 if kind is sre.SUBPATTERN else 2]]
                    )
                    for branch in branches:
                        classes |= self.edges(list(branch)[:: 1 if first else -1], first=first)
                    empty = any(self.nothing([part], *sides) for sides in product(_NEIGHBOURS, repeat=2))
                case _:
                    classes |= {"w", "o"}
            if not empty:
                break
        return classes

    def one(self, item: Any, before: str, after: str) -> Any | None:
        """As `between`, of one item that looks at its neighbours."""
        kind, argument = item
        if kind is sre.AT:
            return _lit("") if self.nothing([item], before, after) else None
        branches = []
        if kind is sre.SUBPATTERN and not argument[1] and not argument[2]:
            branches = [list(argument[3])]
        elif kind is sre.BRANCH:
            branches = [list(branch) for branch in argument[1]]
        elif kind in (sre.MAX_REPEAT, sre.MIN_REPEAT) and argument[1] <= _MOST_REPEATED:
            branches = [list(argument[2]) * times for times in range(argument[0], argument[1] + 1)]
        else:
            raise self.refuse(
                "an anchor or boundary inside what is repeated, or a construct that is not analysed"
            )
        parts = [self.between(branch, before, after) for branch in branches]
        kept = [one for one in parts if one is not None]
        return _union(kept) if kept else None

    def nothing(self, tree: Any, before: str, after: str) -> bool:
        """Whether the empty text matches between two neighbours."""
        for item in tree:
            key = (id(item), before, after)
            is_empty = self._nothing.get(key)
            if is_empty is None:
                is_empty = self._nothing[key] = self._nothing_of(item, before, after)
            if not is_empty:
                return False
        return True

    def _nothing_of(self, item: Any, before: str, after: str) -> bool:
        kind, argument = item
        if kind is sre.AT:
            if argument not in _LOOKS:
                raise self.refuse("an anchor that is not analysed")
            return _LOOKS[argument](before, after)
        if kind is sre.BRANCH:
            return any(self.nothing(branch, before, after) for branch in argument[1])
        if kind is sre.SUBPATTERN:
            return self.nothing(argument[3], before, after)
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            return argument[0] == 0 or self.nothing(argument[2], before, after)
        return False

    def sequence(self, tree: Any) -> Any:
        return _concat([self.item(item) for item in tree])

    def item(self, item: Any) -> Any:
        """One item that does not look at its neighbours."""
        if id(item) not in self._items:
            self._items[id(item)] = self._item(*item)
        return self._items[id(item)]

    def _item(self, kind: Any, argument: Any) -> Any:
        if kind is sre.LITERAL:
            return _union([_lit(char) for char in self.alike(argument)])
        if kind is sre.NOT_LITERAL:
            return self.without([_lit(char) for char in self.alike(argument)])
        if kind is sre.ANY:
            return _one() if self.dotall else self.without([_lit("\n")])
        if kind is sre.IN:
            return self.char_class(argument)
        if kind is sre.BRANCH:
            return _union([self.sequence(branch) for branch in argument[1]])
        if kind is sre.SUBPATTERN and not argument[1] and not argument[2]:
            return self.sequence(argument[3])
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            return self.repeat(*argument)
        raise self.refuse("one of its constructs is not analysed")

    def repeat(self, least: int, most: Any, inner: Any) -> Any:
        body = self.sequence(inner)
        if most is not sre.MAXREPEAT:
            return z3.Loop(body, least, most) if most else _lit("")
        if least <= 1:
            return z3.Plus(body) if least else z3.Star(body)
        return z3.Concat(z3.Loop(body, least, least), z3.Star(body))

    def without(self, parts: list[Any]) -> Any:
        return z3.Intersect(_one(), z3.Complement(_union(parts)))

    def alike(self, code: int) -> list[str]:
        """The characters that a literal matches: itself, and with the flag i those that fold to the same."""
        char = canonical(chr(code))
        if len(char) != 1 or ord(char) > _LAST:
            raise self.refuse(f"the character {chr(code)!r}")
        if not self.fold:
            return [char]
        folded = fold_case(char)
        return sorted({char, *_folds().get(folded, ()), *(folded if len(folded) == 1 else ())})

    def char_class(self, items: Any) -> Any:
        negated = items[0][0] is sre.NEGATE
        parts: list[Any] = []
        for kind, argument in items[1:] if negated else items:
            if kind is sre.LITERAL:
                parts += [_lit(char) for char in self.alike(argument)]
            elif kind is sre.RANGE:
                parts += self.range(*argument)
            elif kind is sre.CATEGORY:
                parts.append(self.category(argument))
            else:
                raise self.refuse("a class that is not analysed")
        return self.without(parts) if negated else _union(parts)

    def range(self, low: int, high: int) -> list[Any]:
        if high > _LAST:
            raise self.refuse("characters beyond U+2FFFF")
        parts = [z3.Range(z3.StringVal(chr(low)), z3.StringVal(chr(high)))]
        if self.fold:
            if high - low > _WIDEST_RANGE:
                raise self.refuse("a wide range without regard to case")
            more = {char for code in range(low, high + 1) for char in self.alike(code)}
            parts += [_lit(char) for char in sorted(more) if not low <= ord(char) <= high]
        return parts

    def category(self, name: Any) -> Any:
        digit = _ranges(_DIGITS)
        word = _ranges(_DIGITS + _LETTERS)
        space = [_lit(char) for char in "\t\n\f\r "]
        positive = {
            sre.CATEGORY_DIGIT: digit,
            sre.CATEGORY_WORD: word,
            sre.CATEGORY_SPACE: space,
        }
        negative = {
            sre.CATEGORY_NOT_DIGIT: digit,
            sre.CATEGORY_NOT_WORD: word,
            sre.CATEGORY_NOT_SPACE: space,
        }
        if name in positive:
            return _union(positive[name])
        return self.without(negative[name])
