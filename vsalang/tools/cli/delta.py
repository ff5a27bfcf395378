"""``vsac screen delta A B``: what differs between two screens: what changed, appeared, went and was scrolled."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from vsalang.tools.cli.common import EXIT_FAILED, EXIT_FINDINGS, EXIT_OK, color_option, format_option
from vsalang.tools.cli.dumps import complain, load_screen, quoted, short, styled
from vsalang.tools.cli.output import json_text

if TYPE_CHECKING:
    from vsalang.screen.control import Change, Delta, NodeRef, Scrolled


@click.command(name="delta")
@click.argument("before", metavar="A")
@click.argument("after", metavar="B")
@click.option("--scrolled", is_flag=True, help="Only a scroll came between: find how far lists moved.")
@click.option("--exit-code", is_flag=True, help="Exit with 1 if anything differs.")
@format_option("text", "json")
@color_option
@click.pass_context
def command(
    ctx: click.Context, *, before: str, after: str, scrolled: bool, exit_code: bool, format: str
) -> None:
    """Show what differs between two screens A and B (UI dumps or accessibility trees, as for `vsac screen facts`).

    Nodes are matched by ids, rows, classes and labels, never by where they stand. NoChange: nothing differs;
    PartialChange: at least half of the nodes are on both screens; else NewPage.

    Exit status: 0, or with --exit-code 1 if anything differs; 2 if one cannot be read or is not a UI tree.
    """
    from vsalang.screen.control import delta

    screens = []
    for path in (before, after):
        screen, failed = load_screen(path)
        if screen is None:
            ctx.exit(max(failed, EXIT_FAILED))
        for note in screen.tree.notes:
            complain("note", f"{screen.tree.name}: {note}")
        screens.append(screen)
    found = delta(screens[0].tree, screens[1].tree, scrolled=scrolled)
    if format == "json":
        click.echo(json_text(_data(found), indent=1))
    else:
        for line in _lines(found):
            click.echo(line, color=True)
    ctx.exit(EXIT_FINDINGS if exit_code and found.transition != "NoChange" else EXIT_OK)


def _lines(found: "Delta") -> Iterator[str]:
    share = f"{found.ratio:.0%} of the nodes are on both screens"
    yield f"{styled(found.transition, bold=True)}: {share}"
    for change in found.changed:
        yield f"{styled('~', fg='yellow')} {_name(change.ref)}  {change.attribute}: {_values(change)}"
    for sign, colour, refs in (("+", "green", found.appeared), ("-", "red", found.gone)):
        for ref in refs:
            yield f"{styled(sign, fg=colour)} {_name(ref)}"
    for window in found.scrolled:
        rows = f"{abs(window.shift)} row{'' if abs(window.shift) == 1 else 's'}"
        way = "left at the top" if window.shift > 0 else "came in at the top"
        yield f"{styled('>', fg='cyan')} {_bare(window.after.cls)}  scrolled: {rows} {way}"


def _name(ref: "NodeRef") -> str:
    said = f" {short(ref.label)}" if ref.label else f" ({_bare(ref.node.id)})" if ref.node.id else ""
    sure = "" if ref.certain else "  (one of several that look alike)"
    return f"{ref.key}  {_bare(ref.node.cls)}{said}{sure}"


def _bare(text: str | None) -> str:
    return short(text)[1:-1] if text else "?"


def _values(change: "Change") -> str:
    """What was and what is; whole if they begin alike, so that the difference shows."""
    before, after = _value(change.before, short), _value(change.after, short)
    if before == after:
        before, after = _value(change.before, quoted), _value(change.after, quoted)
    return f"{before} -> {after}"


def _value(value: str | bool | int | None, said: Callable[[str], str]) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, str):
        return said(value)
    return str(value).lower()


def _data(found: "Delta") -> dict[str, Any]:
    return {
        "transition": found.transition,
        "ratio": round(found.ratio, 4),
        "matched": len(found.matched),
        "changed": [_change(change) for change in found.changed],
        "appeared": [_ref(ref) for ref in found.appeared],
        "gone": [_ref(ref) for ref in found.gone],
        "scrolled": [_scrolled(window) for window in found.scrolled],
    }


def _ref(ref: "NodeRef") -> dict[str, Any]:
    node = ref.node
    return {
        "key": ref.key,
        "node": node.node,
        "class": node.cls,
        "id": node.id,
        "label": ref.label,
        "certain": ref.certain,
    }


def _change(change: "Change") -> dict[str, Any]:
    return {
        **_ref(change.ref),
        "attribute": change.attribute,
        "before": change.before,
        "after": change.after,
    }


def _scrolled(window: "Scrolled") -> dict[str, Any]:
    return {"node": window.after.node, "shift": window.shift, "rows_on_both": len(window.rows)}
