"""Whether a text says another one as a whole: whole words, whole numbers, whole codes.

``contains`` finds "12" in "2012" and "art" in "party". A rule that takes a question away because the user said
something has to be certain that it was this: what stands before and behind it must not be a part of it. In a sentence
that denies something ("without insurance") nobody can tell from the words alone what was asked for.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Final

from vsalang.program.contrary import denies
from vsalang.program.doubt import LONGEST, hides
from vsalang.program.text import fold_case, one_line
from vsalang.program.word_lists import without_blanks

_GROUPED: Final = re.compile(r"\+?\d{8,}|[a-z]{2}\d{2}[a-z\d]{11,30}")
"""A long number, or an IBAN, without the blanks by which people group it."""
_GROUPING: Final = re.compile(r"[ ()-]")
_SENTENCE: Final = re.compile(r"[.!?;] |[。！？；]")
_ENCLOSING: Final = frozenset({"Ps", "Pe", "Pi", "Pf"})
_DENYING: Final = frozenset(
    "avoid skip instead ignore statt vermeide não nem sem niet geen zonder nooit nie bez не ни без нельзя кроме "
    "değil yok olmadan hariç asla inte utan ikke uden ingen tidak jangan tanpa không đừng".split()
)
"""Words that deny, in languages and forms that `vsalang.program.contrary` leaves out."""
_DENYING_PARTS: Final = re.compile("[不没沒无無别別勿莫]|않|없|말고|마세요|지 마|안 |못|ไม่|อย่า|ยกเว้น")
_PARTICLES: Final = frozenset(
    "은 는 이 가 을 를 에 에서 에게 께 한테 로 으로 와 과 도 만 의 까지 부터 "
    "라고 이라고 하고 랑 이랑 님 님께 씨 씨에게".split()
)
_JAPANESE_PARTICLES: Final = frozenset("をにはがでとへも")
_LONG_HAN: Final = 4
_LONG: Final = 6
"""Where no blank parts words a text of so many letters is taken for whole, wherever it stands."""


def says(text: str, part: str) -> bool:
    """Whether a text has another one in it as a whole, in a sentence that denies nothing.

    Case does not count, nor do rows of blanks, nor the blanks by which a long number or an IBAN is grouped. A word is
    whole where a blank or punctuation parts it from what is around it, with a particle behind it in Korean, with a
    particle or another script around it in Japanese; where no blanks part words, four characters of Chinese and six
    of other scripts are enough. A number is whole with all its digits: "50" is not in "12.50", "7" not in "7 500".
    A text that hides something says nothing for certain.
    """
    return _says(text, part)


@lru_cache(4096)
def _says(text: str, part: str) -> bool:
    if len(text) > LONGEST or hides(text) or hides(part):
        return False
    text, part = one_line(fold_case(text)), one_line(fold_case(part))
    if not any(char.isalnum() for char in part):
        return False
    pattern = _pattern(part)
    place = pattern.search(text)
    while place:
        if _is_whole(text, *place.span()) and not _is_denied(text, *place.span()):
            return True
        place = pattern.search(text, place.start() + 1)
    return False


def _pattern(part: str) -> re.Pattern[str]:
    bare = _GROUPING.sub("", part)
    if _GROUPED.fullmatch(bare):
        return re.compile("[ ()-]{0,2}".join(map(re.escape, bare)))
    return re.compile(re.escape(part))


def _is_whole(text: str, start: int, end: int) -> bool:
    letters = [char for char in text[start:end] if without_blanks(char)]
    is_long = len(letters) >= (_LONG_HAN if all(map(_is_han, letters)) else _LONG)
    return _is_edge(text, start - 1, -1, is_long) and _is_edge(text, end, 1, is_long)


def _char(text: str, at: int) -> str:
    return text[at] if 0 <= at < len(text) else " "


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_" or unicodedata.category(char)[0] == "M"


def _is_edge(text: str, at: int, step: int, is_long: bool) -> bool:
    """Whether what was found ends here.

    Args:
        at: where the first character is that does not belong to it.
        step: 1 at its end, -1 at its beginning.
        is_long: whether it is long enough to be whole in a script without blanks.
    """
    inside, outside, beyond = _char(text, at - step), _char(text, at), _char(text, at + step)
    if outside == " ":
        return not (inside.isdigit() and beyond.isdigit())
    if _is_word(outside):
        return _is_parted(text, at, step, is_long)
    category = unicodedata.category(outside)
    if category in _ENCLOSING or outside == '"' or (category[0] == "P" and outside >= "\u3000"):
        return True
    if inside.isdigit() and (category == "Sc" or outside == "%"):
        return True
    if outside not in ".,:;!?'":
        return False
    return not _is_word(beyond) and not (step < 0 and inside.isdigit() and outside in ".,")


def _is_parted(text: str, at: int, step: int, is_long: bool) -> bool:
    """Whether two characters of words, side by side, belong to two words."""
    inside, outside = text[at - step], text[at]
    if not without_blanks(outside):
        return without_blanks(inside) and not (_is_katakana(inside) and outside.isalpha())
    if not without_blanks(inside):
        return not (_is_katakana(outside) and inside.isalpha())
    if _is_hangul(inside) and _is_hangul(outside):
        return step > 0 and re.match(r"[\uac00-\ud7a3]*", text[at:]).group() in _PARTICLES  # type: ignore[union-attr]
    if _is_katakana(inside) and _is_katakana(outside):
        return False
    if is_long:
        return True
    if not (_is_han(inside) or _is_katakana(inside)) or not _is_hiragana(outside):
        return False
    return step < 0 or outside in _JAPANESE_PARTICLES


def _is_denied(text: str, start: int, end: int) -> bool:
    """Whether the sentence denies something besides what was found."""
    before = _SENTENCE.split(text[:start])[-1]
    after = _SENTENCE.split(text[end:], 1)[0]
    around = f"{before} {after}"
    return (
        denies(around)
        or not _DENYING.isdisjoint(re.findall(r"[^\W_]+", around))
        or _DENYING_PARTS.search(around) is not None
    )


def _is_han(char: str) -> bool:
    return unicodedata.name(char, "").startswith(("CJK", "IDEOGRAPHIC"))


def _is_hangul(char: str) -> bool:
    return "\uac00" <= char <= "\ud7a3"


def _is_katakana(char: str) -> bool:
    return "\u30a0" <= char <= "\u30ff"


def _is_hiragana(char: str) -> bool:
    return "\u3040" <= char <= "\u309f"
