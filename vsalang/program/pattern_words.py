r"""Patterns whose ``\w``, ``\d`` and ``\b`` are Unicode's, in the syntax of RE2, which knows only those of ASCII.

RE2 matches such a pattern on an encoded text: a word character beyond ASCII stands between two underscores (``_é_``),
an underscore is two of them. So each edge of a word is one for RE2, too. `unicode_form` writes a pattern for these
units; it matches at the beginnings of units only.
"""

import re
import unicodedata
from typing import Final, NamedTuple

_WORD_CATEGORIES: Final = frozenset({"Nd", "Nl", "Pc"})
_JOINERS: Final = "\u200c\u200d"
"""They join letters within a word (UTS #18)."""

NEEDED: Final = re.compile(r"\\[bBwWdD]")
"""What RE2 reads otherwise where a text goes beyond ASCII."""


def is_word(char: str) -> bool:
    r"""Whether ``\w`` matches a character: letters, marks, digits, letter-numbers, connectors (UTS #18)."""
    category = unicodedata.category(char)
    return category[0] in "LM" or category in _WORD_CATEGORIES or char in _JOINERS


class _Units(dict[int, str]):
    """The unit of each character that was seen."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        unit = char if char.isascii() or not is_word(char) else f"_{char}_"
        self[code] = unit
        return unit


_UNITS: Final = _Units({ord("_"): "__"})
_UNIT: Final = re.compile("_(?:_|(.)_)", re.DOTALL)


def encoded(text: str) -> str:
    """The text in units."""
    return text.translate(_UNITS)


def decoded(text: str) -> str:
    """The text of which these are the units."""
    return _UNIT.sub(lambda unit: unit[1] or "_", text)


def unicode_form(source: str, *, fold: bool, dotall: bool = False) -> str:
    """The pattern for encoded texts.

    Args:
        source: what RE2 accepts, canonical.
        fold: whether it is matched without regard to case.
        dotall: whether ``.`` matches line breaks.
    """
    flags = "i" * fold + "s" * dotall
    written = _Writer(source, fold, dotall).written()
    return rf"\A(?:[^_]|_[^_]_|__)*?(?{flags}:{written})"


class _Item(NamedTuple):
    """A part of a class.

    Attributes:
        bare: what it matches as it is: of ASCII, and what is not a word character.
        inside: what it matches between two underscores.
        rest: all that it does not match, if it may match the underscore and is not a range.
        underscore: whether it matches the underscore.
        wide: whether it may match characters beyond ASCII.
    """

    bare: str
    inside: str
    rest: str = ""
    underscore: bool = False
    wide: bool = True


_PERL: Final = {
    "w": _Item("0-9A-Za-z", r"\x{80}-\x{10ffff}", underscore=True),
    "W": _Item(r"\x00-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x{10ffff}", ""),
    "d": _Item(r"\p{Nd}", r"\p{Nd}"),
    "D": _Item(r"\P{Nd}", r"\P{Nd}", rest=r"\p{Nd}", underscore=True),
    "s": _Item(r"\s", "", wide=False),
    "S": _Item(r"\S", r"\S", rest=r"\s", underscore=True),
}
_ESCAPE: Final = re.compile(
    r"\\(?:(?P<perl>[wWdDsS])|(?P<property>[pP](?:\{[^}]*\}|.))|x\{(?P<braced>[0-9A-Fa-f]+)\}"
    r"|x(?P<hex>[0-9A-Fa-f]{2})|(?P<octal>0[0-7]{0,2}|[1-7][0-7]{1,2})|(?P<other>.))",
    re.DOTALL,
)
_CONTROLS: Final = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "a": "\a"}
_FLAGS: Final = re.compile(r"\(\?([imsU]*)(?:-([imsU]*))?([:)])")
_OPENING: Final = re.compile(r"\(\?P?<[^>]*>|\(\?:|\(")


class _Writer:
    """Reads a pattern once, from the left."""

    def __init__(self, source: str, fold: bool, dotall: bool) -> None:
        self.source = source
        self.at = 0
        self.fold = fold
        self.dotall = dotall
        self.around: list[tuple[bool, bool]] = []
        """The flags outside the groups that are open."""

    def written(self) -> str:
        parts = []
        while self.at < len(self.source):
            parts.append(self._next())
        return "".join(parts)

    def _next(self) -> str:
        source, char = self.source, self.source[self.at]
        if char == "\\":
            return self._escaped()
        if char == "[":
            return self._class()
        if char == "(":
            return self._opened()
        self.at += 1
        if char == ".":
            line_breaks = "" if self.dotall else "\\n"
            return f"(?:[^_{line_breaks}]|_[^_]_|__)"
        if char == ")" and self.around:
            self.fold, self.dotall = self.around.pop()
        if char == "{":
            end = source.find("}", self.at) + 1
            if re.fullmatch(r"\{[0-9]+(?:,[0-9]*)?\}", source[self.at - 1 : end]):
                begin, self.at = self.at - 1, end
                return source[begin:end]
        return char if char in "^$|*+?(){}" else self._literal(char)

    def _literal(self, char: str) -> str:
        if char == "_":
            return "(?:__)"
        if char.isascii():
            # of the letters beyond ASCII only the long s is one of ASCII but for case (NFC has no Kelvin sign)
            return f"(?:{char}|_{char}_)" if self.fold and char in "sS" else re.escape(char)
        return f"(?:_{char}_)" if is_word(char) else char

    def _opened(self) -> str:
        if flags := _FLAGS.match(self.source, self.at):
            self.at = flags.end()
            if flags[3] == ":":
                self.around.append((self.fold, self.dotall))
            for names, on in ((flags[1], True), (flags[2] or "", False)):
                self.fold = on if "i" in names else self.fold
                self.dotall = on if "s" in names else self.dotall
            return flags.group()
        opening = _OPENING.match(self.source, self.at)
        assert opening is not None
        self.at = opening.end()
        self.around.append((self.fold, self.dotall))
        return opening.group()

    def _escaped(self) -> str:
        if self.source.startswith("\\Q", self.at):
            end = self.source.find("\\E", self.at)
            quoted = self.source[self.at + 2 : end if end >= 0 else None]
            self.at = end + 2 if end >= 0 else len(self.source)
            return "".join(map(self._literal, quoted))
        if self.source[self.at + 1] in "bBAzE":
            self.at += 2
            return self.source[self.at - 2 : self.at]
        item, char = self._escape()
        return self._units([item], negated=False) if item else self._literal(char)

    def _escape(self) -> tuple[_Item | None, str]:
        """A class, or the character that an escape stands for."""
        match = _ESCAPE.match(self.source, self.at)
        assert match is not None
        self.at = match.end()
        if match["perl"]:
            return _PERL[match["perl"]], ""
        if match["property"]:
            text = "\\" + match["property"]
            return _tested(text, "\\" + text[1].swapcase() + text[2:]), ""
        if code := match["braced"] or match["hex"]:
            return None, chr(int(code, 16))
        if match["octal"]:
            return None, chr(int(match["octal"], 8))
        return None, _CONTROLS.get(match["other"], match["other"])

    def _class(self) -> str:
        source = self.source
        negated = source.startswith("[^", self.at)
        self.at += 2 if negated else 1
        begin = self.at
        items: list[_Item] = []
        while source[self.at] != "]" or self.at == begin:
            if source.startswith("[:", self.at) and (end := source.find(":]", self.at)) >= 0:
                name = source[self.at + 2 : end]
                turned = name[1:] if name.startswith("^") else f"^{name}"
                items.append(_tested(f"[:{name}:]", f"[:{turned}:]"))
                self.at = end + 2
                continue
            item, low = self._member()
            if item is None and source[self.at] == "-" and source[self.at + 1] != "]":
                self.at += 1
                _, high = self._member()
                item = _range(low, high)
            items.append(item or _range(low, low))
        self.at += 1
        return self._units(items, negated)

    def _member(self) -> tuple[_Item | None, str]:
        if self.source[self.at] == "\\":
            return self._escape()
        self.at += 1
        return None, self.source[self.at - 1]

    def _units(self, items: list[_Item], negated: bool) -> str:
        underscore = any(item.underscore for item in items) is not negated
        if negated:
            bare = "[^" + "".join(item.bare for item in items) + "_]"
            inside = "[^" + "".join(item.inside for item in items) + "_]"
            return f"(?:{bare}|_{inside}_" + ("|__)" if underscore else ")")
        turned = [f"[^{item.rest}_]" for item in items if item.rest]
        bare = "".join(item.bare for item in items if not item.rest)
        inside = "".join(item.inside for item in items if not item.rest)
        options = [*turned, *([f"[{bare}]"] if bare else [])]
        within = [*turned, *([f"[{inside}]"] if inside else [])]
        if within and (self.fold or any(item.wide for item in items)):
            options.append(f"_(?:{'|'.join(within)})_")
        if underscore:
            options.append("__")
        return f"(?:{'|'.join(options)})"


def _range(low: str, high: str) -> _Item:
    if not low <= "_" <= high:
        text = _span(low, high)
        return _Item(text, text, wide=not high.isascii())
    text = (_span(low, "^") if low < "_" else "") + (_span("`", high) if high > "_" else "")
    return _Item(text, text, underscore=True, wide=not high.isascii())


def _span(low: str, high: str) -> str:
    return rf"\x{{{ord(low):x}}}-\x{{{ord(high):x}}}"


def _tested(text: str, rest: str) -> _Item:
    """A named class."""
    import re2

    underscore = re2.fullmatch(f"[{text}]", "_") is not None
    return _Item(text, text, rest if underscore else "", underscore)
