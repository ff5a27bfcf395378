"""Draws the figures of an evaluation as SVG: a dot for each app, with its interval, and the votes of more samples."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final
from xml.sax.saxutils import escape

from benchmarks.measure.encode.measuring import Part
from benchmarks.measure.encode.scoring import Figures
from vsalang.program.shares import Share

_WIDTH: Final = 230
_GAP: Final = 56
_ROW: Final = 30
_TOP: Final = 64
_LETTER: Final = 7.2
_COLORS: Final = {"cold": "#4477aa", "warm": "#ee6677"}
"""Told apart by people with any colour vision (Paul Tol, bright)."""
_PANELS: Final[Sequence[tuple[str, Callable[[Figures], Share]]]] = (
    ("accuracy", lambda figures: figures.confusion.accuracy),
    ("gold tests by level", lambda figures: figures.level),
)


def picture(parts: Sequence[Part]) -> str:
    """The figures as an SVG document. Bars are 95 % intervals."""
    apps = parts[0].apps()
    names = [*apps, "all"]
    left = round(max(len(name) for name in names) * _LETTER) + 24
    votes = max(part.samples for part in parts) > 2
    panels = len(_PANELS) + votes
    width = left + panels * (_WIDTH + _GAP)
    height = _TOP + _ROW * len(names) + 56
    body = [*_rows(names, left)]
    for number, (title, share) in enumerate(_PANELS):
        x = left + number * (_WIDTH + _GAP)
        body += _axis(title, x, len(names))
        for at, part in enumerate(parts):
            for row, app in enumerate([*apps, None]):
                y = _TOP + _ROW * (row + 0.5) + (at - (len(parts) - 1) / 2) * 9
                body += _dot(share(part.figures(app)), x, y, part)
    if votes:
        body += _votes(parts, left + len(_PANELS) * (_WIDTH + _GAP), len(names))
    body += _legend(parts, left, height)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12" fill="#222">\n'
        f'<rect width="{width}" height="{height}" fill="#fff"/>\n' + "\n".join(body) + "\n</svg>\n"
    )


def _rows(names: Sequence[str], left: int) -> Iterator[str]:
    for row, name in enumerate(names):
        weight = ' font-weight="bold"' if row == len(names) - 1 else ""
        y = _TOP + _ROW * (row + 0.5) + 4
        yield _text(left - 12, y, name, f'text-anchor="end"{weight}')


def _axis(title: str, x: float, rows: int) -> Iterator[str]:
    bottom = _TOP + _ROW * rows
    yield _text(x + _WIDTH / 2, _TOP - 34, title, 'text-anchor="middle" font-weight="bold"')
    for percent in (0, 25, 50, 75, 100):
        at = x + _WIDTH * percent / 100
        yield f'<line x1="{at:.1f}" y1="{_TOP - 8}" x2="{at:.1f}" y2="{bottom}" stroke="#ddd"/>'
        yield _text(at, _TOP - 14, f"{percent} %", 'text-anchor="middle" fill="#666" font-size="10"')
    yield f'<line x1="{x}" y1="{bottom - _ROW}" x2="{x + _WIDTH}" y2="{bottom - _ROW}" stroke="#999"/>'


def _dot(share: Share, x: float, y: float, part: Part) -> Iterator[str]:
    if share.value is None:
        return
    color = _COLORS[part.mode]
    low, at, high = (x + _WIDTH * value for value in (share.low, share.value, share.high))
    yield f"<g><title>{share.hits} of {share.of}</title>"
    yield f'<line x1="{low:.1f}" y1="{y:.1f}" x2="{high:.1f}" y2="{y:.1f}" stroke="{color}" stroke-width="2"/>'
    yield f'<circle cx="{at:.1f}" cy="{y:.1f}" r="4" fill="{color}"/></g>'


def _votes(parts: Sequence[Part], x: float, rows: int) -> Iterator[str]:
    """The accuracy by majority of more and more samples."""
    bottom = _TOP + _ROW * rows
    height = bottom - _TOP
    yield _text(x + _WIDTH / 2, _TOP - 34, "accuracy by majority", 'text-anchor="middle" font-weight="bold"')
    numbers = sorted({number for part in parts for number in part.majorities()})

    def across(number: int) -> float:
        return x + _WIDTH * (numbers.index(number) + 0.5) / len(numbers)

    for percent in (0, 25, 50, 75, 100):
        y = bottom - height * percent / 100
        yield f'<line x1="{x}" y1="{y:.1f}" x2="{x + _WIDTH}" y2="{y:.1f}" stroke="#ddd"/>'
        yield _text(x - 4, y + 3, f"{percent} %", 'text-anchor="end" fill="#666" font-size="10"')
    for number in numbers:
        yield _text(across(number), bottom + 16, str(number), 'text-anchor="middle" fill="#666"')
    for place, part in enumerate(parts):
        color = _COLORS[part.mode]
        aside = (place - (len(parts) - 1) / 2) * 6
        known = [
            (across(n) + aside, share) for n, share in part.majorities().items() if share.value is not None
        ]
        points = " ".join(f"{at:.1f},{bottom - height * (share.value or 0.0):.1f}" for at, share in known)
        yield f'<polyline points="{points}" fill="none" stroke="{color}"/>'
        for at, share in known:
            low, middle, high = (bottom - height * v for v in (share.low, share.value or 0.0, share.high))
            yield f'<line x1="{at:.1f}" y1="{low:.1f}" x2="{at:.1f}" y2="{high:.1f}" stroke="{color}"/>'
            yield f'<circle cx="{at:.1f}" cy="{middle:.1f}" r="4" fill="{color}"/>'


def _legend(parts: Sequence[Part], left: int, height: int) -> Iterator[str]:
    at = float(left)
    if len(parts) > 1:
        for part in parts:
            yield f'<circle cx="{at + 4:.1f}" cy="{height - 20}" r="4" fill="{_COLORS[part.mode]}"/>'
            yield _text(at + 14, height - 16, part.mode)
            at += 64
    specs = parts[0].figures().specs
    yield _text(at, height - 16, f"{specs} instructions; bars: 95 % intervals (Wilson)", 'fill="#666"')


def _text(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{escape(text)}</text>'
