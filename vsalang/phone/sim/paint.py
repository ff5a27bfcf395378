"""Draws a picture of the simulated phone's screen with Pillow, from the laid-out widgets.

Shapes are drawn at `SMOOTH` times the size and scaled down, which smooths their edges. The font is the one
inside Pillow, so that the picture is the same on every machine.
"""

import io
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any, Final

from PIL import Image, ImageDraw, ImageFilter, ImageFont

from vsalang.phone.sim.icons import draw_icon
from vsalang.phone.sim.kept import RecentItems
from vsalang.phone.sim.layout import line_height, mark_width
from vsalang.phone.sim.paint_recorded import draw_recorded
from vsalang.phone.sim.phone import Phone
from vsalang.phone.sim.running import Window
from vsalang.phone.sim.spec import PhoneSpecError
from vsalang.phone.sim.text import text_width
from vsalang.phone.sim.widgets import Widget

SMOOTH = 2
Color = tuple[int, int, int]

_DEFAULTS = {
    "background": "#f5f5f5", "surface": "#ffffff", "primary": "#3c6fd1", "on_primary": "#ffffff",
    "accent": "#2e7d4f", "warn": "#b3261e", "text": "#1f1f1f", "muted": "#6a6a6a", "outline": "#d6d6d6",
    "soft": "#e3ecfb", "disabled": "#e2e2e2", "on_disabled": "#9e9e9e", "wallpaper": "#3b5a7d",
}  # fmt: skip


@lru_cache(maxsize=64)
def _font(size: int) -> Any:
    return ImageFont.load_default(size)


class _Picture:
    """What a screen looks like, and the files of it that were asked for.

    Attributes:
        windows: those that it shows, kept so that no others have their identity.
    """

    def __init__(self, windows: tuple[Window, ...], image: Image.Image) -> None:
        self.windows = windows
        self.image = image
        self._files: dict[Hashable, bytes] = {}

    def file(self, kind: Hashable, write: Callable[[Image.Image, io.BytesIO], None]) -> bytes:
        """The picture in a format."""
        if kind not in self._files:
            out = io.BytesIO()
            write(self.image, out)
            self._files[kind] = out.getvalue()
        return self._files[kind]


_PICTURES: Final[RecentItems[_Picture]] = RecentItems(4)
"""The last ones of this process: a screen that has not changed is not drawn again."""


def _drawn(phone: Phone) -> _Picture:
    with phone.changed:
        windows, clock, toast = phone.windows(), phone.clock.strftime("%H:%M"), phone.toast_on_screen
        spec, scale, on = phone.spec, phone.scale, phone.screen_on

        def make() -> _Picture:
            painter = _Painter(spec.width, spec.height, scale, {**_DEFAULTS, **spec.theme})
            if on:
                for window in windows:
                    painter.window(window)
                if windows[0].kind != "recorded":  # it draws its own status bar
                    painter.status_bar(windows[0], clock)
                if toast:
                    painter.toast(toast)
            return _Picture(windows, painter.finish())

        if any(window.picture for window in windows):
            return make()  # a file, which may have changed
        state = (tuple(map(id, windows)), clock, toast) if on else ()
        theme = frozenset(spec.theme.items())
        return _PICTURES.made((state, spec.width, spec.height, scale, theme), make)


def png(phone: Phone) -> bytes:
    """The screen as PNG."""
    return _drawn(phone).file("PNG", lambda image, out: image.save(out, "PNG", compress_level=6))


def pixels(phone: Phone) -> tuple[int, int, bytes]:
    """Width and height of the screen, and red, green, blue and alpha of each pixel, row by row."""
    with Image.open(io.BytesIO(png(phone))) as image:
        return image.width, image.height, image.convert("RGBA").tobytes()


def jpeg(phone: Phone, scale: float, quality: int) -> bytes:
    """The screen as JPEG, scaled, as the server's ``takeScreenshot`` gives it."""

    def write(image: Image.Image, out: io.BytesIO) -> None:
        if 0 < scale < 1:
            size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
            image = image.resize(size, Image.Resampling.LANCZOS)
        image.save(out, "JPEG", quality=max(1, min(95, quality)), subsampling=0)

    return _drawn(phone).file(("JPEG", scale, quality), write)


class _Painter:
    def __init__(self, width: int, height: int, scale: float, theme: dict[str, str]) -> None:
        self.size = (width, height)
        self.scale = scale * SMOOTH
        self.theme = theme
        self.image = Image.new("RGB", (width * SMOOTH, height * SMOOTH), (0, 0, 0))
        self.draw = ImageDraw.Draw(self.image)

    def finish(self) -> Image.Image:
        return self.image.resize(self.size, Image.Resampling.BOX if SMOOTH == 2 else Image.Resampling.LANCZOS)

    def color(self, name: str, default: str = "text") -> Color:
        value = self.theme.get(name or default, name or default)
        digits = value.removeprefix("#")
        try:
            if len(digits) != 6:
                raise ValueError
            return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)
        except ValueError:
            raise PhoneSpecError(
                f"{name!r} is not a colour: write #rrggbb or a name of [theme]: {', '.join(sorted(self.theme))}"
            ) from None

    # ---- parts of the screen -------------------------------------------------------------------------------

    def window(self, window: Window) -> None:
        if window.kind == "recorded":
            draw_recorded(self.image, self.draw, window, SMOOTH)
            return
        if window.modal:
            self.image.paste(Image.blend(self.image, Image.new("RGB", self.image.size, (0, 0, 0)), 0.45))
        self.widget(window.root)
        if window.kind == "application":
            self._gesture_bar(window)

    def status_bar(self, window: Window, clock: str) -> None:
        """Clock, signal and battery, on the colour below the bar."""
        width, height = self.image.size[0], round(24 * self.scale)
        below = self.image.getpixel((width // 2, height + 2))
        assert isinstance(below, tuple)
        self.draw.rectangle((0, 0, width, height), fill=tuple(int(c * 0.88) for c in below[:3]))
        light = sum(below[:3]) < 480
        color = (255, 255, 255) if light else (60, 60, 60)
        unit = self.scale
        font = _font(round(12.5 * unit))
        self.draw.text((14 * unit, height / 2), clock, font=font, fill=color, anchor="lm", stroke_width=1)
        right, top, bottom = width - 14 * unit, height / 2 - 5 * unit, height / 2 + 5 * unit
        self.draw.rounded_rectangle(
            (right - 18 * unit, top, right - 2 * unit, bottom), 2.5 * unit, outline=color, width=round(unit)
        )
        self.draw.rectangle(
            (right - 16 * unit, top + 2 * unit, right - 6 * unit, bottom - 2 * unit), fill=color
        )
        self.draw.rectangle(
            (right - 2 * unit, height / 2 - 2 * unit, right, height / 2 + 2 * unit), fill=color
        )
        for step in range(4):
            x = right - (40 - 5 * step) * unit
            self.draw.rectangle((x, bottom - (3 + 2.3 * step) * unit, x + 3 * unit, bottom), fill=color)

    def _gesture_bar(self, window: Window) -> None:
        width, height = self.image.size
        unit = self.scale
        below = self.image.getpixel((width // 2, height - 2))
        assert isinstance(below, tuple)
        color = (235, 235, 235) if sum(below[:3]) < 380 else (90, 85, 82)
        y = height - 9 * unit
        self.draw.rounded_rectangle(
            (width / 2 - 54 * unit, y, width / 2 + 54 * unit, y + 4 * unit), 2 * unit, fill=color
        )

    def toast(self, text: str) -> None:
        width, height = self.image.size
        unit = self.scale
        size = round(14 * unit)
        text = text if len(text) < 60 else text[:57] + "..."
        half = text_width(text, size) / 2 + 20 * unit
        y = height - 130 * unit
        box = (width / 2 - half, y - 21 * unit, width / 2 + half, y + 21 * unit)
        self._shadow(box, 21 * unit, 4 * unit)
        self.draw.rounded_rectangle(box, 21 * unit, fill=(50, 47, 45))
        self.draw.text((width / 2, y), text, font=_font(size), fill=(255, 255, 255), anchor="mm")

    # ---- widgets -------------------------------------------------------------------------------------------

    def widget(self, widget: Widget) -> None:
        if widget.seen is None:
            return
        self._own(widget)
        if not widget.flag("scrollable"):
            for child in widget.children:
                self.widget(child)
            return
        # A scrolling widget is drawn separately and cut to its visible part.
        whole, self.image = self.image, self.image.copy()
        self.draw = ImageDraw.Draw(self.image)
        for child in widget.children:
            self.widget(child)
        left, top, right, bottom = (value * SMOOTH for value in widget.seen)
        whole.paste(self.image.crop((left, top, right, bottom)), (left, top))
        self.image, self.draw = whole, ImageDraw.Draw(whole)

    def _own(self, widget: Widget) -> None:
        left, top, right, bottom = (value * SMOOTH for value in widget.box)
        radius = min(widget.length("radius") * SMOOTH, (bottom - top) / 2)
        box = (left, top, right - 1, bottom - 1)
        if widget.length("elevation") and widget.flag("enabled"):
            self._shadow(box, radius, widget.length("elevation") * SMOOTH)
        fill = self.color(widget.name("bg")) if widget.name("bg") else None
        outline = self.color(widget.name("border")) if widget.name("border") else None
        if widget.focused:
            outline = self.color("primary")
        if widget.tag == "picture":
            self._picture(widget, box, radius)
        elif fill or outline:
            thick = round((2 if widget.focused or widget.flag("selected") else 1) * self.scale)
            self.draw.rounded_rectangle(
                box, radius, fill=fill, outline=outline, width=thick if outline else 0
            )
        foreground = self.color(widget.name("fg"))
        if widget.tag == "switch":
            self._switch(widget, box)
        elif widget.tag in ("icon", "iconbutton"):
            size = min(widget.length("size") * SMOOTH, right - left, bottom - top)
            draw_icon(
                self.draw, widget.name("icon"), (left + right) / 2, (top + bottom) / 2, size, foreground
            )
        elif widget.tag != "picture" and widget.kind.box == "leaf":
            self._text(widget, foreground)

    def _text(self, widget: Widget, color: Color) -> None:
        size = widget.length("size") * SMOOTH
        bare = not widget.texts and not widget.name("icon") and not widget.focused
        if bare and widget.tag not in ("check", "radio"):
            return
        left, top, right, bottom = (value * SMOOTH for value in widget.box)
        left, right = left + widget.padx * SMOOTH, right - widget.padx * SMOOTH
        lines, icon = widget.texts, widget.name("icon")
        if (widget.hint and not widget.text) or not widget.flag("enabled"):
            color = self.color("muted" if widget.flag("enabled") else "on_disabled")
        step = line_height(size)
        y = (top + bottom) / 2 - step * (len(lines) - 1) / 2
        gravity = widget.name("gravity")
        extra = mark_width(widget) * SMOOTH
        widest = max((text_width(line, size) for line in lines), default=0)
        x: float = left
        if gravity == "center":
            x = (left + right - widest - extra) / 2
        elif gravity == "end":
            x = right - widest - extra
        if icon:
            tint = (236, 168, 30) if icon == "star" else color
            draw_icon(self.draw, icon, x + size * 0.5, (top + bottom) / 2, size * 1.1, tint)
        if widget.tag in ("check", "radio"):
            self._mark(widget, x + size * 0.7, (top + bottom) / 2, size)
        font, bold = _font(size), widget.flag("bold")
        for number, line in enumerate(lines):
            place = (
                x + extra + (widest - text_width(line, size)) / 2 * (gravity == "center"),
                y + step * number,
            )
            self.draw.text(
                place, line, font=font, fill=color, anchor="lm", stroke_width=size / 56 if bold else 0
            )
        if widget.focused:
            caret = x + extra + (widest if widget.text else 0) + 2 * self.scale
            middle = (top + bottom) / 2
            self.draw.rectangle(
                (caret, middle - size * 0.6, caret + self.scale, middle + size * 0.6),
                fill=self.color("primary"),
            )

    def _switch(self, widget: Widget, box: tuple[float, ...]) -> None:
        """A switch: its knob is right and coloured when it is on, pale when it is disabled."""
        left, top, right, bottom = box
        on, able = widget.flag("checked"), widget.flag("enabled")
        track = self.color("primary" if on and able else "disabled" if not able else "outline")
        middle, high, unit = (top + bottom) / 2, 11 * self.scale, self.scale
        self.draw.rounded_rectangle(
            (left + 2 * unit, middle - high, right - 2 * unit, middle + high), high, fill=track
        )
        x = right - 2 * unit - high if on else left + 2 * unit + high
        knob = high - 3 * unit
        self.draw.ellipse((x - knob, middle - knob, x + knob, middle + knob), fill=(255, 255, 255))

    def _mark(self, widget: Widget, x: float, y: float, size: float) -> None:
        """A check box or a radio button."""
        half, on = size * 0.62, widget.flag("checked")
        color = self.color("primary" if on else "muted")
        box, thick = (x - half, y - half, x + half, y + half), max(1, round(2 * self.scale))
        if widget.tag == "radio":
            self.draw.ellipse(box, outline=color, width=thick)
            if on:
                dot = half * 0.5
                self.draw.ellipse((x - dot, y - dot, x + dot, y + dot), fill=color)
        else:
            self.draw.rounded_rectangle(box, half / 3, outline=color, width=thick, fill=color if on else None)
            if on:
                draw_icon(self.draw, "check", x, y, half * 1.8, (255, 255, 255))

    def _picture(self, widget: Widget, box: tuple[float, ...], radius: float) -> None:
        """A coloured area that grows darker towards the bottom, with a white symbol."""
        left, top, right, bottom = (round(value) for value in box)
        width, height = max(1, right - left + 1), max(1, bottom - top + 1)
        color = self.color(widget.name("bg"), "muted")
        shade = Image.linear_gradient("L").resize((width, height))
        dark = Image.new("RGB", (width, height), tuple(int(c * 0.72) for c in color))
        area = Image.composite(dark, Image.new("RGB", (width, height), color), shade)
        mask = Image.new("L", (width, height), 0)
        ImageDraw.Draw(mask).rounded_rectangle((0, 0, width - 1, height - 1), radius, fill=255)
        self.image.paste(area, (left, top), mask)
        size = min(width, height) * 0.62
        draw_icon(
            self.draw, widget.name("icon"), (left + right) / 2, (top + bottom) / 2, size, (255, 255, 255)
        )

    def _shadow(self, box: tuple[float, ...], radius: float, depth: float) -> None:
        """A soft shadow below a card: blurred on a small copy of the region, which is fast and soft enough."""
        edge = round(depth * 2 + 2)
        left, top, right, bottom = (round(value) for value in box)
        area = (left - edge, top - edge, right + edge, bottom + edge)
        area = (
            max(0, area[0]),
            max(0, area[1]),
            min(self.image.width, area[2]),
            min(self.image.height, area[3]),
        )
        width, height = (area[2] - area[0]) // 4, (area[3] - area[1]) // 4
        if width < 1 or height < 1:
            return
        mask = Image.new("L", (width, height), 0)
        inner = [(value - area[index % 2]) / 4 for index, value in enumerate((left, top, right, bottom))]
        inner[1] += depth / 8
        inner[3] += depth / 6
        ImageDraw.Draw(mask).rounded_rectangle(tuple(inner), radius / 4, fill=46)
        mask = mask.filter(ImageFilter.GaussianBlur(max(0.5, depth / 6)))
        mask = mask.resize((area[2] - area[0], area[3] - area[1]), Image.Resampling.BILINEAR)
        self.image.paste((40, 20, 10), area[:2], mask)
