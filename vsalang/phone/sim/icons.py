"""Draws the symbols of the simulated screens from lines and circles in a square."""

import math
from collections.abc import Callable
from typing import Any

Pen = Any
"""An ``ImageDraw``; not typed, so that this module can be imported without Pillow."""


class _Square:
    """A pen in a square of side 24 around a point, as icon grids are drawn."""

    def __init__(self, pen: Pen, x: float, y: float, size: float, color: tuple[int, int, int]) -> None:
        self.pen, self.x, self.y, self.unit, self.color = pen, x, y, size / 24, color

    def at(self, x: float, y: float) -> tuple[float, float]:
        return self.x + (x - 12) * self.unit, self.y + (y - 12) * self.unit

    def line(self, *points: tuple[float, float], width: float = 2) -> None:
        placed = [self.at(*point) for point in points]
        thick = max(1, round(width * self.unit))
        self.pen.line(placed, fill=self.color, width=thick, joint="curve")
        for point in (placed[0], placed[-1]):
            half = thick / 2
            self.pen.ellipse(
                (point[0] - half, point[1] - half, point[0] + half, point[1] + half), fill=self.color
            )

    def ring(self, x: float, y: float, radius: float, width: float = 2) -> None:
        self.pen.ellipse(
            (*self.at(x - radius, y - radius), *self.at(x + radius, y + radius)),
            outline=self.color,
            width=max(1, round(width * self.unit)),
        )

    def disc(self, x: float, y: float, radius: float, color: tuple[int, int, int] | None = None) -> None:
        box = (*self.at(x - radius, y - radius), *self.at(x + radius, y + radius))
        self.pen.ellipse(box, fill=color or self.color)

    def shape(self, *points: tuple[float, float]) -> None:
        self.pen.polygon([self.at(*point) for point in points], fill=self.color)

    def frame(self, left: float, top: float, right: float, bottom: float, radius: float = 2) -> None:
        self.pen.rounded_rectangle(
            (*self.at(left, top), *self.at(right, bottom)),
            radius * self.unit,
            outline=self.color,
            width=max(1, round(2 * self.unit)),
        )


def _back(s: _Square) -> None:
    s.line((20, 12), (5, 12))
    s.line((11, 5.5), (4.5, 12), (11, 18.5))


def _more(s: _Square) -> None:
    for y in (5, 12, 19):
        s.disc(12, y, 1.9)


def _search(s: _Square) -> None:
    s.ring(10.5, 10.5, 6.5)
    s.line((15.5, 15.5), (20.5, 20.5), width=2.4)


def _pin(s: _Square) -> None:
    s.ring(12, 9.5, 6.2)
    s.disc(12, 9.5, 2.2)
    s.shape((7.2, 13.2), (16.8, 13.2), (12, 22))


def _clock(s: _Square) -> None:
    s.ring(12, 12, 9)
    s.line((12, 7), (12, 12.4), (15.5, 14.5))


def _star(s: _Square) -> None:
    points = []
    for corner in range(10):
        radius = 10 if corner % 2 == 0 else 4.2
        angle = math.pi * corner / 5 - math.pi / 2
        points.append((12 + radius * math.cos(angle), 12.6 + radius * math.sin(angle)))
    s.shape(*points)


def _check(s: _Square) -> None:
    s.line((5, 12.5), (10, 17.5), (19.5, 7), width=2.6)


def _ok(s: _Square) -> None:
    s.disc(12, 12, 11)
    color, s.color = s.color, (255, 255, 255)
    s.line((7, 12.4), (10.7, 16), (17, 8.6), width=2.2)
    s.color = color


def _failed(s: _Square) -> None:
    s.disc(12, 12, 11)
    color, s.color = s.color, (255, 255, 255)
    s.line((8, 8), (16, 16), width=2.2)
    s.line((16, 8), (8, 16), width=2.2)
    s.color = color


def _calendar(s: _Square) -> None:
    s.frame(4, 5.5, 20, 20.5)
    s.line((4.5, 10.5), (19.5, 10.5))
    s.line((8.5, 3.5), (8.5, 7))
    s.line((15.5, 3.5), (15.5, 7))


def _plate(s: _Square) -> None:
    s.ring(12.5, 12, 6.6, width=1.6)
    s.ring(12.5, 12, 3.4, width=1.2)
    s.line((2.6, 5), (2.6, 19), width=1.5)
    s.line((1.2, 5), (1.2, 9), (4, 9), (4, 5), width=1.1)
    s.line((22, 19), (22, 5), width=1.5)
    s.line((22, 5.2), (20.8, 8), (20.8, 12), (22, 12.4), width=1.3)


def _table(s: _Square) -> None:
    s.line((3, 9.5), (21, 9.5), width=2.4)
    s.line((12, 10), (12, 18.5), width=2)
    s.line((8, 19.5), (16, 19.5), width=2.2)
    s.line((9, 5.5), (15, 5.5), width=1.8)


def _app(s: _Square) -> None:
    for x in (7.5, 16.5):
        for y in (7.5, 16.5):
            s.disc(x, y, 2.8)


def _bell(s: _Square) -> None:
    s.line(
        (5, 17), (7, 14.5), (7, 10.5), (9, 7), (12, 5.8), (15, 7), (17, 10.5), (17, 14.5), (19, 17), (5, 17)
    )
    s.disc(12, 19.6, 1.6)
    s.disc(12, 4.6, 1.2)


def _call(s: _Square) -> None:
    s.line((6.5, 4.5), (8.5, 9), (7.5, 11), (13, 16.5), (15, 15.5), (19.5, 17.5), width=3.4)


def _gear(s: _Square) -> None:
    for step in range(8):
        angle = math.pi * step / 4
        x, y = math.cos(angle), math.sin(angle)
        s.line((12 + 6 * x, 12 + 6 * y), (12 + 9 * x, 12 + 9 * y), width=3.2)
    s.ring(12, 12, 6.5, width=2.6)


def _lock(s: _Square) -> None:
    s.frame(5.5, 10.5, 18.5, 20.5)
    s.line((8.5, 10.5), (8.5, 7.5), (10, 5), (12, 4.3), (14, 5), (15.5, 7.5), (15.5, 10.5))
    s.disc(12, 15.5, 1.6)


def _wifi(s: _Square) -> None:
    for radius, width in ((10.5, 2), (7, 2), (3.5, 2)):
        points = [
            (12 + radius * math.cos(math.radians(a)), 18.5 - radius * math.sin(math.radians(a)))
            for a in range(45, 136, 15)
        ]
        s.line(*points, width=width)
    s.disc(12, 18.5, 1.8)


def _sun(s: _Square) -> None:
    s.disc(12, 12, 4.4)
    for step in range(8):
        angle = math.pi * step / 4
        x, y = math.cos(angle), math.sin(angle)
        s.line((12 + 7.2 * x, 12 + 7.2 * y), (12 + 9.8 * x, 12 + 9.8 * y), width=1.8)


def _reset(s: _Square) -> None:
    points = [
        (12 + 7.5 * math.cos(math.radians(a)), 12 - 7.5 * math.sin(math.radians(a)))
        for a in range(60, 361, 20)
    ]
    s.line(*points)
    s.shape((12.5, 2.4), (18.6, 5.2), (13, 9.2))


def _storage(s: _Square) -> None:
    s.frame(5, 4, 19, 20)
    s.line((8.5, 8), (15.5, 8), width=1.6)
    s.line((8.5, 12), (15.5, 12), width=1.6)
    s.line((8.5, 16), (12.5, 16), width=1.6)


ICONS: dict[str, Callable[[_Square], None]] = {
    "app": _app, "back": _back, "bell": _bell, "calendar": _calendar, "call": _call, "check": _check,
    "clock": _clock, "failed": _failed, "gear": _gear, "lock": _lock, "more": _more, "ok": _ok, "pin": _pin,
    "plate": _plate, "reset": _reset, "search": _search, "star": _star, "storage": _storage, "sun": _sun,
    "table": _table, "wifi": _wifi,
}  # fmt: skip
"""Name -> drawing. To add a symbol, add it here."""


def draw_icon(pen: Pen, name: str, x: float, y: float, size: float, color: tuple[int, int, int]) -> None:
    """Draw a symbol around a point; nothing for a name that is not in `ICONS`."""
    icon = ICONS.get(name)
    if icon is not None:
        icon(_Square(pen, x, y, size, color))
