r"""Regular expressions of the language: RE2's syntax, matched in linear time on canonical texts.

``\w``, ``\d`` and ``\b`` are Unicode's (`vsalang.program.pattern_words`). RE2 (package ``google-re2``) is loaded when
the first pattern is compiled.
"""

import re
import unicodedata
from dataclasses import field
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias

from vsalang.base.records import dataclass
from vsalang.program.doubt import hides
from vsalang.program.folding import normal
from vsalang.program.pattern_words import NEEDED, decoded, encoded, unicode_form
from vsalang.program.text import canonical, plain

_LONGEST: Final = 4000
_SHORT: Final = 200
_MEMORY: Final = 64 << 20
"""In bytes, for the form of a pattern for texts beyond ASCII: eight times what RE2 has for the pattern itself."""
_NOT_IN_RE2: Final = (
    ("(?=", "look-ahead"),
    ("(?!", "look-ahead"),
    ("(?<=", "look-behind"),
    ("(?<!", "look-behind"),
    ("(?>", "an atomic group"),
    ("(?(", "a conditional group"),
    ("(?P=", "a back-reference"),
)
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAIN: Final = re.compile(r"[^\\()\[\]\x80-\U0010ffff]++")
"""Characters that stay as they are, in a class or not."""
_BACK_REFERENCE: Final = re.compile(r"\\(?:[1-9]|[gk][<{'])")


Reading: TypeAlias = Literal["plain", "certain", "possible", "narrow"]


class PatternError(ValueError):
    """A regular expression that the language does not accept.

    Attributes:
        message: what is wrong and what to write instead.
        offset: where in the source of the pattern, in code points from 0.
    """

    def __init__(self, message: str, offset: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset

    def __reduce__(self) -> tuple[type["PatternError"], tuple[str, int]]:
        return PatternError, (self.message, self.offset)


class Matcher:
    """What ``matches`` asks of a text: a regular expression or a list of words.

    Attributes:
        groups: the names of its named groups, in the order they are written.
        reading: what is matched in a text that hides something (`compile_pattern`).
    """

    __slots__ = ()

    groups: tuple[str, ...]
    reading: Reading

    def search(self, text: str) -> dict[str, str | None] | None:
        """What the named groups captured at the leftmost match anywhere in the text, None if there is no match."""
        raise NotImplementedError

    def matches(self, text: str) -> bool | None:
        """Whether it matches anywhere in the text; None where it is read certainly and the text hides something."""
        raise NotImplementedError

    def adds(self, text: object) -> bool:
        """Whether another answer than the plain one is given because the text hides something, or breaks its line."""
        raise NotImplementedError

    def captures(self, text: object) -> dict[str, str] | None:
        """What the condition ``text matches`` binds the groups to; None where it does not hold: what is not a text, no
        match, or a group that took no part in it."""
        groups = self.search(text) if isinstance(text, str) else None
        if groups is None:
            return None
        taken = {name: got for name, got in groups.items() if got is not None}
        return taken if len(taken) == len(groups) else None

    def is_open(self, text: object) -> bool:
        """Whether it is unknown what it matches in the text: it is read certainly, and the text hides something."""
        return self.reading == "certain" and isinstance(text, str) and hides(canonical(text))


_MOST_KEPT: Final = 256
_LONGEST_KEPT: Final = 400


class RememberingMatcher(Matcher):
    """Keeps what it answered of a text, unless that is long: a screen's texts are asked about again at each look."""

    __slots__ = ()

    _known: dict[str, bool | None]
    """What is kept; it is emptied when it has `_MOST_KEPT` answers."""

    def matches(self, text: str) -> bool | None:
        """Whether it matches anywhere in the text; None where it is read certainly and the text hides something."""
        known = self._known
        answer = known.get(text, known)
        if answer is not known:
            return answer  # type: ignore[return-value]
        matched = self._matches(text)
        if len(text) <= _LONGEST_KEPT:
            if len(known) >= _MOST_KEPT:
                known.clear()
            known[text] = matched
        return matched

    def _matches(self, text: str) -> bool | None:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Pattern(RememberingMatcher):
    """A compiled regular expression. Two are equal if their sources and flags are.

    Attributes:
        source: the expression as written between the slashes.
        flags: ``"i"`` (without regard to case) or ``""``.
        groups: the names of its named groups, in the order they are written.
        reading: what is matched in a text that hides something (`compile_pattern`).
    """

    source: str
    flags: str
    groups: tuple[str, ...]
    reading: Reading
    _ascii: Any = field(repr=False, compare=False)
    _units: str = field(repr=False, compare=False)
    """The pattern for encoded texts, with its flags; empty if RE2 reads it alike in all texts."""
    _known: dict[str, bool | None] = field(default_factory=dict, init=False, repr=False, compare=False)

    def search(self, text: str) -> dict[str, str | None] | None:
        """What the named groups captured at the leftmost match anywhere in the text, None if there is no
        match.

        A group that took no part in the match is None in the dictionary.
        """
        text = canonical(text)
        if not text.isascii():
            if self.reading in ("certain", "narrow") and hides(text):
                return None
            if (
                self.reading == "possible"
                and (shown_text := _visible_text(text)) != text
                and not self._finds(text)
            ):
                text = shown_text
        if text.isascii() or not self._units:
            match, canonical_text = self._ascii.search(text), canonical
        else:
            match, canonical_text = _of_units(self._units).search(encoded(text)), _decoded
        if match is None:
            return None
        return {name: None if (got := match[name]) is None else canonical_text(got) for name in self.groups}

    def _matches(self, text: str) -> bool | None:
        if self.reading == "plain" or text.isascii():
            return self._finds(text)
        if self.reading == "possible":
            if self._finds(text):
                return True
            text_shown = _visible_text(text)
            return text_shown != text and self._finds(text_shown)
        if _hides(text):
            return None if self.reading == "certain" else False
        return self._finds(text)

    def adds(self, text: object) -> bool:
        """Whether another answer than the plain one is given because the text hides something, or breaks its line."""
        if self.reading == "plain" or not isinstance(text, str) or not is_odd(text):
            return False
        if "." not in self.source and text.isascii():
            return False
        return self.matches(text) is not compile_pattern(self.source, self.flags).matches(text)

    def _finds(self, text: str) -> bool:
        return (_found if len(text) <= _SHORT else _search)(self._ascii, self._units, text)

    def __str__(self) -> str:
        return f"/{self.source}/{self.flags}"


def _decoded(text: str) -> str:
    return canonical(decoded(text))


@lru_cache(1024)
def _visible_text(text: str) -> str:
    """A text as a person sees it: without invisible characters, full-width forms as usual ones."""
    return canonical(plain(normal(canonical(text))))


def is_odd(text: str) -> bool:
    """Whether a pattern may match a canonical text otherwise where that adds duty, or takes some away, than plainly."""
    return "\n" in text or (not text.isascii() and (_visible_text(text) != text or _hides(text)))


@lru_cache(1024)
def _hides(text: str) -> bool:
    return hides(canonical(text))


@lru_cache(1024)
def _encoded(text: str) -> str:
    """The canonical form of a text in units: a screen's texts are asked of hundreds of patterns."""
    return encoded(canonical(text))


@lru_cache(maxsize=4096)
def _of_units(source: str) -> Any:
    """The compiled pattern for encoded texts. Most are never needed: so it is compiled for the first such text."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    return re2.compile(source, options)


def _search(plain: Any, units: str, text: str) -> bool:
    if units and not text.isascii():
        return _of_units(units).search(_encoded(text)) is not None
    return plain.search(canonical(text)) is not None


_found = lru_cache(8192)(_search)
"""The same for short texts: screens show many of them again and again."""


@lru_cache(maxsize=4096)
def compile_pattern(source: str, flags: str = "", reading: Reading = "plain") -> Pattern:
    """The pattern for ``/source/flags``.

    Characters that `canonical` folds (typographic quotes, dashes, spaces) are folded in the pattern too:
    texts no longer hold them. Escapes such as ``\\x{2019}`` are taken as they are.

    Args:
        source: RE2's syntax; named groups are written ``(?<name>..)`` or ``(?P<name>..)``.
        flags: ``"i"`` or nothing.
        reading: ``"plain"``: a text is matched as it is. ``"possible"``, where a match adds duty: it also matches the
            text as a person sees it, and ``.`` matches line breaks. ``"narrow"``, where a match takes duty away: a text
            that hides something (`vsalang.program.doubt.hides`) does not match. ``"certain"``: it is unknown whether it
            does.

    Raises:
        PatternError: for what RE2 does not accept or cannot match in linear time, for an unknown flag, for a
            group named twice or not like a variable, and if the package ``google-re2`` is not installed.
    """
    for index, flag in enumerate(flags):
        if flag != "i" or index:
            raise PatternError(f"unknown or repeated flag {flag!r}; the only flag is i", len(source) + index)
    if len(source) > _LONGEST:
        raise PatternError(f"the regular expression is longer than {_LONGEST} characters", _LONGEST)
    groups: list[str] = []
    folded = _folded(source, groups)
    try:
        import re2
    except ImportError as error:
        raise PatternError(
            "regular expressions need the package google-re2, which is not installed: pip install google-re2"
        ) from error
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not flags
    options.dot_nl = reading == "possible"
    try:
        compiled = re2.compile(folded, options)
        units = unicode_form(folded, fold=bool(flags), dotall=options.dot_nl) if NEEDED.search(folded) else ""
        if units and "{" in folded:  # only what is repeated can need too much memory
            _of_units(units)
    except re2.error as error:
        raise _explained(error, source) from None
    return Pattern(source, flags, tuple(groups), reading, compiled, units)


def _folded(source: str, groups: list[str]) -> str:
    """The source as RE2 gets it: canonical, its syntax unchanged. Collects the names of groups."""
    parts: list[str] = []
    index = 0
    class_begin: int | None = None  # the index after "[" or "[^" while inside a class
    while index < len(source):
        if plain := _PLAIN.match(source, index):
            parts.append(plain.group())
            index = plain.end()
            continue
        char = source[index]
        if "\ud800" <= char <= "\udfff":
            raise PatternError("half of a surrogate pair is not a character", index)
        if char == "\\":
            if source.startswith("\\Q", index) and class_begin is None:
                end = source.find("\\E", index)
                end = len(source) if end < 0 else end + 2
                parts.append(canonical(source[index:end]))
                index = end
                continue
            if source.startswith("\\C", index):
                raise PatternError("\\C matches half characters and is not supported; write . instead", index)
            if _BACK_REFERENCE.match(source, index):
                raise PatternError(
                    "back-references cannot be matched in linear time and are not supported", index
                )
            parts.append("\\" + canonical(source[index + 1 : index + 2]))
            index += 2
            continue
        if class_begin is not None:
            if source.startswith("[:", index) and (end := source.find(":]", index)) >= 0:
                parts.append(source[index : end + 2])
                index = end + 2
                continue
            if char == "]" and index > class_begin:
                class_begin = None
            parts.append("\\-" if char != "-" and canonical(char) == "-" else canonical(char))
        elif char == "[":
            class_begin = index + (2 if source.startswith("[^", index) else 1)
            parts.append(source[index:class_begin])
            index = class_begin
            continue
        else:
            if char == "(":
                _check_group(source, index, groups)
            parts.append(canonical(char))
        index += 1
    return unicodedata.normalize("NFC", "".join(parts))


def _check_group(source: str, index: int, groups: list[str]) -> None:
    for opening, meaning in _NOT_IN_RE2:
        if source.startswith(opening, index):
            raise PatternError(
                f"{opening} ({meaning}) cannot be matched in linear time and is not supported", index
            )
    for opening in ("(?<", "(?P<"):
        if not source.startswith(opening, index):
            continue
        begin = index + len(opening)
        end = source.find(">", begin)
        name = source[begin:end] if end >= 0 else ""
        if not _NAME.fullmatch(name):
            raise PatternError("a named group is written (?<name>...), its name as a variable's", index)
        if name in groups:
            raise PatternError(f"two groups are named {name}", begin)
        groups.append(name)


def _explained(error: Exception, source: str) -> PatternError:
    """RE2's message with the place it is about, found by the fragment that it quotes."""
    raw = error.args[0] if error.args else ""
    message = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)
    what, _, fragment = message.partition(": ")
    if what.startswith("missing"):
        wanted = what.removeprefix("missing ").strip()
        opening = {")": "(", "]": "["}.get(wanted, "")
        offset = source.rfind(opening) if opening else len(source)
        return PatternError(f"{opening or 'something'} without its {wanted}", max(offset, 0))
    if what.startswith("unexpected"):
        return PatternError(") without its (", max(source.rfind(")"), 0))
    if what.startswith("trailing"):
        return PatternError("a backslash at the end escapes nothing", max(len(source) - 1, 0))
    if what.startswith("pattern too large"):
        return PatternError("the regular expression needs too much memory; repeat less", 0)
    offset = source.find(fragment) if fragment else 0
    sentence = f"{what}: {fragment}" if fragment else what
    return PatternError(f"{sentence} (the syntax is RE2's)", max(offset, 0))
