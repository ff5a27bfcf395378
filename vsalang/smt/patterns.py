"""Regular memberships: what ``contains`` and ``matches`` ask of a text, as regular expressions of Z3.

``contains`` is a membership too, because Z3 decides memberships alone in milliseconds and mixed with
``str.contains`` often not at all.
"""

import re
import warnings
from functools import lru_cache
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as sre_parse  # type: ignore[attr-defined]
from typing import Any

import z3

from vsalang.core.patterns import compile_pattern
from vsalang.core.text import canonical, fold_case
from vsalang.smt.results import Unsupported

_LAST = 0x2FFFF  # Z3's last character
_FOLDING_END = 0x1F000  # no letter with case lies beyond
_WIDEST_RANGE = 2000


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


def ascii_text() -> Any:
    """Printable ASCII of at least one character: what people like to read in an example."""
    return z3.Concat(z3.Range("!", "~"), z3.Star(z3.Range(" ", "~")))


@lru_cache(maxsize=1)
def _folds() -> dict[str, tuple[str, ...]]:
    """For each folded form of one or more characters the canonical characters that fold to it."""
    found: dict[str, list[str]] = {}
    for code in range(_FOLDING_END):
        if 0xD800 <= code < 0xE000:
            continue
        char = chr(code)
        folded = fold_case(char)
        if folded != char and canonical(char) == char:
            found.setdefault(folded, []).append(char)
    return {folded: tuple(chars) for folded, chars in found.items()}


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


def matches(source: str, flags: str) -> Any:
    """The texts in which the pattern matches somewhere.

    Raises:
        Unsupported: anchors inside the pattern, word boundaries, Unicode and POSIX classes, flags inside.
    """
    compile_pattern(source, flags)
    if re.search(r"\[:|\\[pPzZQECAbB]|\(\?[a-zA-Z-]*[:)](?<!\(\?:)", source):
        raise Unsupported(f"the pattern /{source}/: only plain regular expressions are analysed")
    text = re.sub(r"\(\?P?<([A-Za-z_]\w*)>", "(?:", source)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tree = list(sre_parse.parse(text, re.ASCII))
    except (re.error, Warning, OverflowError, RecursionError) as error:
        raise Unsupported(f"the pattern /{source}/: {error}") from None
    return _Translation(source, "i" in flags).search(tree)


class _Translation:
    def __init__(self, source: str, fold: bool) -> None:
        self.source = source
        self.fold = fold

    def refuse(self, what: str) -> Unsupported:
        return Unsupported(f"the pattern /{self.source}/: {what}")

    def search(self, tree: list[Any]) -> Any:
        """Anchors may stand at both ends of the pattern and of its alternatives."""
        while len(tree) == 1 and tree[0][0] is sre.SUBPATTERN and not tree[0][1][1] and not tree[0][1][2]:
            tree = list(tree[0][1][3])
        if len(tree) == 1 and tree[0][0] is sre.BRANCH:
            return _union([self.search(list(branch)) for branch in tree[0][1][1]])
        begins = ends = False
        while tree and tree[0] == (sre.AT, sre.AT_BEGINNING):
            begins, tree = True, tree[1:]
        while tree and tree[-1] == (sre.AT, sre.AT_END):
            ends, tree = True, tree[:-1]
        if not tree and (begins or ends):
            return _lit("") if begins and ends else anything()
        parts = [] if begins else [anything()]
        parts.append(self.sequence(tree))
        return _concat(parts if ends else [*parts, anything()])

    def sequence(self, tree: Any) -> Any:
        return _concat([self.item(kind, argument) for kind, argument in tree])

    def item(self, kind: Any, argument: Any) -> Any:
        if kind is sre.LITERAL:
            return _union([_lit(char) for char in self.alike(argument)])
        if kind is sre.NOT_LITERAL:
            return self.without([_lit(char) for char in self.alike(argument)])
        if kind is sre.ANY:
            return self.without([_lit("\n")])
        if kind is sre.IN:
            return self.char_class(argument)
        if kind is sre.BRANCH:
            return _union([self.sequence(branch) for branch in argument[1]])
        if kind is sre.SUBPATTERN and not argument[1] and not argument[2]:
            return self.sequence(argument[3])
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            return self.repeat(*argument)
        raise self.refuse(
            "an anchor inside it" if kind is sre.AT else "one of its constructs is not analysed"
        )

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
        found = [folded, *(_folds().get(folded, ()))] if len(folded) == 1 else [char]
        return sorted({char, *found})

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
        digit = [z3.Range("0", "9")]
        word = [*digit, z3.Range("a", "z"), z3.Range("A", "Z"), _lit("_")]
        if self.fold:
            word += [_lit("\u017f")]  # RE2 folds classes: the long s is a word character then
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
