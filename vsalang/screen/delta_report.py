"""What differs between two screens: for people and as JSON."""

from collections.abc import Callable, Iterator
from typing import Any

from vsalang.base.diagnostics.display import count
from vsalang.base.report import Style
from vsalang.screen.control.delta import Change, Delta, NodeRef
from vsalang.screen.control.windows import ListShift
from vsalang.screen.quoting import quoted, short


def delta_lines(delta: Delta, style: Style) -> Iterator[str]:
    """The differences for people: the kind of transition, then a line for each."""
    share = f"{delta.ratio:.0%} of the nodes are on both screens"
    yield f"{style(delta.transition, bold=True)}: {share}"
    for change in delta.changed:
        yield f"{style('~', fg='yellow')} {_name(change.ref)}  {change.attribute}: {_values(change)}"
    for sign, colour, refs in (("+", "green", delta.appeared), ("-", "red", delta.gone)):
        for ref in refs:
            yield f"{style(sign, fg=colour)} {_name(ref)}"
    for window in delta.scrolled:
        rows = count(abs(window.shift), "row")
        way = "left at the top" if window.shift > 0 else "came in at the top"
        yield f"{style('>', fg='cyan')} {_bare(window.after.cls)}  scrolled: {rows} {way}"


def _name(ref: NodeRef) -> str:
    label = f" {short(ref.label)}" if ref.label else f" ({_bare(ref.node.id)})" if ref.node.id else ""
    sure = "" if ref.certain else "  (one of several that look alike)"
    return f"{ref.key}  {_bare(ref.node.cls)}{label}{sure}"


def _bare(text: str | None) -> str:
    return short(text)[1:-1] if text else "?"


def _values(change: Change) -> str:
    """What was and what is; whole if they begin alike, so that the difference shows."""
    before, after = _value(change.before, short), _value(change.after, short)
    if before == after:
        before, after = _value(change.before, quoted), _value(change.after, quoted)
    return f"{before} -> {after}"


def _value(value: str | bool | int | None, describe: Callable[[str], str]) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, str):
        return describe(value)
    return str(value).lower()


def delta_data(delta: Delta) -> dict[str, Any]:
    """The differences as JSON values."""
    return {
        "transition": delta.transition,
        "ratio": round(delta.ratio, 4),
        "matched": len(delta.matched),
        "changed": [_change(change) for change in delta.changed],
        "appeared": [_ref(ref) for ref in delta.appeared],
        "gone": [_ref(ref) for ref in delta.gone],
        "scrolled": [_scrolled(window) for window in delta.scrolled],
    }


def _ref(ref: NodeRef) -> dict[str, Any]:
    node = ref.node
    return {
        "key": ref.key,
        "node": node.node,
        "class": node.cls,
        "id": node.id,
        "label": ref.label,
        "certain": ref.certain,
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        **_ref(change.ref),
        "attribute": change.attribute,
        "before": change.before,
        "after": change.after,
    }


def _scrolled(window: ListShift) -> dict[str, Any]:
    return {"node": window.after.node, "shift": window.shift, "rows_on_both": len(window.rows)}
