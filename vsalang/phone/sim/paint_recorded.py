"""Draws a picture of a recorded screen: its screenshot if there is one, else plain boxes and texts from its dump."""

from functools import lru_cache
from pathlib import Path
from typing import Any

from PIL import Image, ImageFont

from vsalang.base.source.opening import open_regular
from vsalang.phone.sim.running import Window
from vsalang.phone.sim.spec import PhoneSpecError
from vsalang.phone.sim.text import text_width, wrap
from vsalang.phone.sim.widgets import Rect, Widget

_PAPER = (250, 250, 248)
_TOUCH = (226, 234, 246)
_EDGE = (120, 140, 170)
_FAINT = (222, 222, 218)
_TEXT = (28, 28, 28)
_SAID = (84, 96, 120)
_LARGEST, _SMALLEST = 22.0, 9.0
"""Sizes of letters, in thousandths of the screen's longer side."""


@lru_cache(maxsize=64)
def _font(size: int) -> Any:
    return ImageFont.load_default(size)


def draw_recorded(image: Image.Image, pen: Any, window: Window, smooth: int) -> None:
    """Draw a window of a recorded screen onto an image that is `smooth` times the size of the screen.

    Raises:
        PhoneSpecError: the screenshot is not a picture.
    """
    if window.picture is not None:
        image.paste(_picture(window.picture).resize(image.size, Image.Resampling.LANCZOS))
        return
    unit = max(image.size) / 1000
    if window.xml:  # the lowest
        pen.rectangle((0, 0, *image.size), fill=_PAPER)
    elif window.root.seen is not None:
        pen.rectangle(_scaled(window.root.seen, smooth), fill=_PAPER)
    _draw(pen, window.root, None, smooth, unit)


def _draw(pen: Any, widget: Widget, room: Rect | None, smooth: int, unit: float) -> None:
    """Draw a node and its descendants. `room`: the box of the button around it, if the button has no other text."""
    if widget.seen is not None:
        _node(pen, widget, room, smooth, unit)
    if _takes(widget):
        words = sum(1 for inside in widget.walk() if inside.seen and (inside.text or inside.desc))
        room = widget.seen if words == 1 else None
    for child in widget.children:
        _draw(pen, child, room, smooth, unit)


def _takes(widget: Widget) -> bool:
    return widget.flag("clickable") or widget.flag("long_clickable")


def _picture(path: Path) -> Image.Image:
    try:
        with open_regular(path) as stream, Image.open(stream) as file:
            return file.convert("RGB")
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise PhoneSpecError(f"{path}: is not a picture that can be read ({error})") from error


def _scaled(box: tuple[int, int, int, int], smooth: int) -> tuple[int, int, int, int]:
    return box[0] * smooth, box[1] * smooth, box[2] * smooth - 1, box[3] * smooth - 1


def _node(pen: Any, widget: Widget, room: Rect | None, smooth: int, unit: float) -> None:
    assert widget.seen is not None
    box = _scaled(widget.seen, smooth)
    wide, high = box[2] - box[0], box[3] - box[1]
    if wide < 2 or high < 2:
        return
    takes = _takes(widget)
    radius = min(high, wide, 12 * unit) / 2
    if takes or widget.flag("checkable"):
        on = widget.flag("checked") or widget.flag("selected")
        thick = max(1, round((3 if on else 1.4) * unit))
        pen.rounded_rectangle(box, radius, fill=_TOUCH if takes else None, outline=_EDGE, width=thick)
    elif not widget.children and room is None:
        pen.rectangle(box, outline=_FAINT, width=max(1, round(unit)))
    inner = any(inside.text or inside.desc for child in widget.children for inside in child.walk())
    if widget.text or (widget.desc and not inner):
        place = box if room is None else _scaled(room, smooth)
        _words(pen, widget.text or widget.desc, place, unit, _TEXT if widget.text else _SAID)


def _words(
    pen: Any, text: str, box: tuple[int, int, int, int], unit: float, color: tuple[int, int, int]
) -> None:
    """Draw the text in the box: as large as fits, shortened if no size fits."""
    wide, high = box[2] - box[0] - 4 * unit, box[3] - box[1]
    if wide <= 0:
        return
    size = _LARGEST * unit
    while size > _SMALLEST * unit:
        longest = max((text_width(word, size) for word in text.split()), default=0.0)
        if longest <= wide and len(wrap(text, size, wide, 40)) * size * 1.3 <= high:
            break
        size *= 0.9
    most = max(1, int(high / (size * 1.3)))
    lines = wrap(text, size, wide, most)
    y = (box[1] + box[3]) / 2 - size * 1.3 * (len(lines) - 1) / 2
    for line in lines:
        x = box[0] + 2 * unit + (wide - text_width(line, size)) / 2
        pen.text((x, y), line, font=_font(round(size)), fill=color, anchor="lm")
        y += size * 1.3
