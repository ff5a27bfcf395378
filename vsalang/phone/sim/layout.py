"""Computes the place of each widget: rows, columns, stacks, weights, wrapping text, scrolling."""

from vsalang.phone.sim.text import cut, text_width, wrap
from vsalang.phone.sim.widgets import Rect, Widget


def lay_out(root: Widget, box: Rect, scale: float) -> None:
    """Give every widget of the tree its `box`, `seen` part and `texts`."""
    _place(root, *box, scale)
    _clip(root, box)


def measure(widget: Widget, width: int, height: int, scale: float) -> tuple[int, int]:
    """The preferred size of the widget, at most `width` x `height`."""
    own_width = width if widget.width == "fill" else widget.width if isinstance(widget.width, int) else None
    own_height = (
        height if widget.height == "fill" else widget.height if isinstance(widget.height, int) else None
    )
    if own_width is not None and own_height is not None:
        return own_width, own_height
    inner = max(0, (own_width if own_width is not None else width) - 2 * widget.padx)
    content_width, content_height = _content(widget, inner, max(0, height - 2 * widget.pady), scale)
    return (
        own_width if own_width is not None else min(width, content_width + 2 * widget.padx),
        own_height if own_height is not None else content_height + 2 * widget.pady,
    )


def _content(widget: Widget, width: int, height: int, scale: float) -> tuple[int, int]:
    box = widget.kind.box
    if box == "leaf":
        return _leaf(widget, width, scale)
    gaps = widget.length("gap") * max(0, len(widget.children) - 1)
    if box == "row":
        sizes = _row_sizes(widget, width, height, scale)
        return sum(w for w, _ in sizes) + gaps, max((h for _, h in sizes), default=0)
    sizes = [_with_margin(child, width, height, scale) for child in widget.children]
    widest = max((w for w, _ in sizes), default=0)
    if box == "stack":
        return widest, max((h for _, h in sizes), default=0)
    return widest, sum(h for _, h in sizes) + gaps


def _with_margin(child: Widget, width: int, height: int, scale: float) -> tuple[int, int]:
    margin = 2 * child.length("margin")
    w, h = measure(child, max(0, width - margin), max(0, height - margin), scale)
    return w + margin, h + margin


def _row_sizes(widget: Widget, width: int, height: int, scale: float) -> list[tuple[int, int]]:
    """Sizes of the children of a row: those without weight first, the others share the rest by weight."""
    rest = width - widget.length("gap") * max(0, len(widget.children) - 1)
    sizes: dict[int, tuple[int, int]] = {}
    for index, child in enumerate(widget.children):
        if not child.weight:
            sizes[index] = _with_margin(child, max(0, rest), height, scale)
            rest -= sizes[index][0]
    total = sum(child.weight for child in widget.children)
    for index, child in enumerate(widget.children):
        if child.weight:
            share = max(0, rest) * child.weight // total
            sizes[index] = (share, _with_margin(child, share, height, scale)[1])
    return [sizes[index] for index in range(len(widget.children))]


def _leaf(widget: Widget, width: int, scale: float) -> tuple[int, int]:
    size = widget.length("size")
    if widget.tag in ("icon", "iconbutton"):
        return size, size
    if widget.tag in ("spacer", "divider", "picture"):
        return (0 if widget.tag == "spacer" else width), 0
    extra = mark_width(widget)
    lines = wrap(widget.text or widget.hint or " ", size, max(1, width - extra), widget.lines)
    widest = max(text_width(line, size) for line in lines)
    return int(widest + 0.999) + extra, line_height(size) * len(lines)


def mark_width(widget: Widget) -> int:
    """The space left of the text, in pixels, for a symbol, a check box or a radio button."""
    if widget.tag in ("icon", "iconbutton"):
        return 0
    size = widget.length("size")
    return (
        round(size * 2)
        if widget.tag in ("check", "radio")
        else round(size * 1.5)
        if widget.name("icon")
        else 0
    )


def line_height(size: int) -> int:
    """The distance between two lines of text at font size `size`."""
    return round(size * 1.35)


def _place(widget: Widget, left: int, top: int, right: int, bottom: int, scale: float) -> None:
    widget.box = (left, top, right, bottom)
    inner_left, inner_right = left + widget.padx, right - widget.padx
    inner_top, inner_bottom = top + widget.pady, bottom - widget.pady
    width, height = max(0, inner_right - inner_left), max(0, inner_bottom - inner_top)
    box = widget.kind.box
    if box == "leaf":
        size = widget.length("size")
        extra = mark_width(widget)
        text = widget.shown_text
        if widget.lines == 1:
            widget.texts = (cut(text, size, max(1, width - extra)),) if text else ()
        else:
            widget.texts = wrap(text, size, max(1, width - extra), widget.lines) if text else ()
    elif box == "row":
        _place_row(widget, inner_left, inner_top, width, height, scale)
    elif box == "stack":
        for child in widget.children:
            _place_in_stack(child, inner_left, inner_top, width, height, scale)
    else:
        _place_column(widget, inner_left, inner_top, width, height, scale)


def _place_column(widget: Widget, left: int, top: int, width: int, height: int, scale: float) -> None:
    children, gap = widget.children, widget.length("gap")
    endless = 10**6 if widget.flag("scrollable") else height
    sizes = [
        _with_margin(child, width, endless if child.height != "fill" else height, scale) for child in children
    ]
    total = sum(child.weight for child in children)
    fixed = sum(h for (_, h), child in zip(sizes, children, strict=True) if not child.weight)
    rest = height - fixed - gap * max(0, len(children) - 1)
    if total:
        sizes = [
            (w, max(0, rest) * child.weight // total if child.weight else h)
            for (w, h), child in zip(sizes, children, strict=True)
        ]
        rest = 0
    used = sum(h for _, h in sizes) + gap * max(0, len(children) - 1)
    widget.content = used + 2 * widget.pady
    if widget.flag("scrollable"):
        widget.offset = max(0, min(widget.offset, widget.content - (widget.box[3] - widget.box[1])))
    justify = widget.name("justify") or "start"
    y = top - widget.offset + (rest // 2 if justify == "center" else rest if justify == "end" else 0)
    between = rest // max(1, len(children) - 1) if justify == "between" and rest > 0 else 0
    for child, (child_width, child_height) in zip(children, sizes, strict=True):
        margin = child.length("margin")
        align = widget.name("align") or "start"
        x = left + _shift(align, width, child_width)
        wide = width if align == "fill" and child.width == "wrap" else child_width
        _place(child, x + margin, y + margin, x + wide - margin, y + child_height - margin, scale)
        y += child_height + gap + between


def _place_row(widget: Widget, left: int, top: int, width: int, height: int, scale: float) -> None:
    sizes = _row_sizes(widget, width, height, scale)
    gap, align = widget.length("gap"), widget.name("align") or "center"
    used = sum(w for w, _ in sizes) + gap * max(0, len(sizes) - 1)
    rest, justify = max(0, width - used), widget.name("justify") or "start"
    x = left + (rest // 2 if justify == "center" else rest if justify == "end" else 0)
    between = rest // max(1, len(sizes) - 1) if justify == "between" else 0
    for child, (child_width, child_height) in zip(widget.children, sizes, strict=True):
        margin = child.length("margin")
        tall = height if align == "fill" or child.height == "fill" else child_height
        y = top + _shift(align, height, tall)
        _place(child, x + margin, y + margin, x + child_width - margin, y + tall - margin, scale)
        x += child_width + gap + between


def _place_in_stack(child: Widget, left: int, top: int, width: int, height: int, scale: float) -> None:
    child_width, child_height = _with_margin(child, width, height, scale)
    gravity, margin = child.name("gravity") if child.kind.box != "leaf" else "", child.length("margin")
    x = left + _shift({"bottom": "center", "top_end": "end"}.get(gravity, gravity), width, child_width)
    vertical = {"bottom": "end", "center": "center"}.get(gravity, "start")
    y = top + _shift(vertical, height, child_height)
    _place(child, x + margin, y + margin, x + child_width - margin, y + child_height - margin, scale)


def _shift(align: str, room: int, size: int) -> int:
    return (room - size) // 2 if align == "center" else room - size if align == "end" else 0


def intersect(first: Rect, second: Rect) -> Rect | None:
    """The common part of two rectangles, None if they have none."""
    left, top = max(first[0], second[0]), max(first[1], second[1])
    right, bottom = min(first[2], second[2]), min(first[3], second[3])
    return (left, top, right, bottom) if left < right and top < bottom else None


def _clip(widget: Widget, clip: Rect) -> None:
    widget.seen = intersect(widget.box, clip)
    inside = widget.seen if widget.flag("scrollable") and widget.seen is not None else clip
    for child in widget.children:
        if widget.seen is None and widget.flag("scrollable"):
            _clip(child, (0, 0, 0, 0))
        else:
            _clip(child, inside)
