"""Measures and wraps text independently of installed fonts, so that layout is the same on every machine."""

import re
from functools import lru_cache

# Advance widths of U+0020..U+007E in thousandths of the font size: Aileron, the font inside Pillow.
_ADVANCE = (
    216, 242, 339, 580, 580, 740, 654, 176, 315, 315, 560, 580, 220, 274, 220, 303, 580, 580, 580, 580, 580, 580,
    580, 580, 580, 580, 220, 220, 580, 580, 580, 499, 852, 639, 627, 699, 709, 587, 567, 710, 730, 264, 544, 609,
    575, 866, 718, 737, 598, 733, 619, 585, 612, 682, 622, 952, 625, 581, 591, 307, 303, 295, 580, 500, 300, 531,
    611, 529, 615, 549, 290, 615, 593, 238, 233, 522, 247, 855, 593, 586, 611, 615, 330, 459, 313, 592, 514, 785,
    482, 513, 462, 303, 250, 303, 580,
)  # fmt: skip
_OTHER = 640


def text_width(text: str, size: float) -> float:
    """The width of one line of `text` at font size `size`, in the unit of `size`."""
    total = sum(_ADVANCE[ord(c) - 32] if " " <= c <= "~" else _OTHER for c in text)
    return total * size / 1000


@lru_cache(maxsize=2048)
def wrap(text: str, size: float, width: float, most: int) -> tuple[str, ...]:
    """Break `text` into lines no wider than `width`, at most `most` of them; the last is shortened with dots."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split(" "):
            longer = f"{line} {word}" if line else word
            if line and text_width(longer, size) > width:
                lines.append(line)
                line = word
            else:
                line = longer
        lines.append(line)
    if len(lines) > most:
        lines = lines[:most]
        lines[-1] += "..."
    return tuple(cut(line, size, width) for line in lines)


def cut(line: str, size: float, width: float) -> str:
    """The line, with its end replaced by dots if it is wider than `width`."""
    if text_width(line, size) <= width + 0.5:
        return line
    while line and text_width(line + "...", size) > width:
        line = line[:-1]
    return line + "..."


def printable(text: str) -> str:
    """The text with a dot for each character that XML cannot hold, as uiautomator prints them."""
    return _NOT_IN_XML.sub(".", text)


_NOT_IN_XML = re.compile("[^\t\n -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
