"""``vsac screen controls DUMP...``: shows the controls of a screen, with the evidence for their kinds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from vsalang.tools.cli.common import EXIT_OK, color_option, format_option
from vsalang.tools.cli.dumps import complain, load_screen, quoted, short, styled, table
from vsalang.tools.cli.output import json_text

if TYPE_CHECKING:
    from vsalang.screen.control import Entry, Reduced, Unit

_LEVELS: Final = ("units", "control", "sparse", "visible")
_COLUMNS: Final = ("unit", "node", "kind", "label", "value", "section", "state")
_CUT: Final = frozenset({"label", "value", "section", "why"})


@click.command(name="controls")
@click.argument("dumps", metavar="DUMP...", nargs=-1, required=True)
@click.option(
    "--level",
    type=click.Choice(_LEVELS),
    default=_LEVELS[0],
    show_default=True,
    help="How much to leave out.",
)
@click.option("--why", is_flag=True, help="Show which facts decided the kind of each control.")
@format_option("text", "json")
@color_option
@click.pass_context
def command(ctx: click.Context, *, dumps: Sequence[str], level: str, why: bool, format: str) -> None:
    """Show what screens offer: the controls of UI dumps and accessibility trees, and their texts.

    A control is one line, with all that belongs to it. Its name stays the same in the next dump; with ~ in it, other
    nodes of the dump look the same, and it holds in this dump only. The kinds are button, link, opener, toggle, choice,
    tab, field, slider and scroller. The level `control` keeps each node that counts, `sparse` those that say something
    or have a flag, `visible` all.

    Exit status: 0; 1 if a file is not a UI tree; 2 if one cannot be read.
    """
    from vsalang.screen.control import LEVELS, reduce

    status = EXIT_OK
    results: list[dict[str, Any]] = []
    chosen = next(each for each in LEVELS if each == level)
    for number, path in enumerate(dumps):
        screen, failed = load_screen(path)
        status = max(status, failed)
        if screen is None:
            continue
        reduced = reduce(screen.tree, chosen)
        for note in reduced.notes:
            complain("note", f"{screen.tree.name}: {note}")
        if format == "json":
            results.append({"file": screen.tree.name, **_data(reduced)})
            continue
        if len(dumps) > 1:
            heading = styled(f"== {quoted(screen.tree.name)}", bold=True)
            click.echo(("\n" if number else "") + heading, color=True)
        names = (*_COLUMNS, "why") if why else _COLUMNS
        rows = [_row(entry) for entry in reduced.entries]
        click.echo(table(names, rows, cut=_CUT, right={"node"}), nl=False, color=True)
        click.echo(styled(_summary(reduced), dim=True), color=True)
    if format == "json":
        click.echo(json_text(results, indent=1))
    ctx.exit(status)


def _summary(reduced: "Reduced") -> str:
    units = sum(1 for entry in reduced.entries if entry.unit is not None)
    kept = len(reduced.entries)
    return (
        f"{kept} of {reduced.total} nodes ({reduced.saved:.0%} fewer): {_count(units, 'control')}"
        f" and {_count(kept - units, 'other node' if reduced.level != 'units' else 'text')}"
    )


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _row(entry: "Entry") -> dict[str, str]:
    unit = entry.unit
    row = {"unit": entry.key, "node": str(entry.node.node)}
    if unit is None:
        row["label"] = short(entry.text) if entry.text else ""
        row["kind"] = "text" if entry.text else quoted(entry.node.cls or "")[1:-1]
        return row
    row["kind"] = unit.kind
    row["label"] = _label(unit)
    row["value"] = "" if unit.value is None else short(unit.value)
    row["section"] = "" if unit.section is None else short(unit.section)
    row["state"] = "disabled" if unit.enabled is False else ""
    row["why"] = "; ".join(quoted(fact)[1:-1].replace('\\"', '"') for fact in unit.why)
    return row


def _label(unit: "Unit") -> str:
    """The label; of a control without one its id, so that a reader can tell which it is."""
    if unit.label is not None:
        return short(unit.label)
    return f"({short(unit.node.id)[1:-1]})" if unit.node.id else ""


def _data(reduced: "Reduced") -> dict[str, Any]:
    return {
        "level": reduced.level,
        "nodes": reduced.total,
        "kept": len(reduced.entries),
        "entries": [_entry(entry) for entry in reduced.entries],
    }


def _entry(entry: "Entry") -> dict[str, Any]:
    node, unit = entry.node, entry.unit
    data: dict[str, Any] = {"unit": entry.key, "parent": entry.parent, "node": node.node}
    data["bounds"] = [node.left, node.top, node.right, node.bottom]
    if unit is None:
        return {**data, "kind": None, "text": entry.text or None}
    return {
        **data,
        "kind": unit.kind,
        "why": list(unit.why),
        "label": unit.label,
        "value": unit.value,
        "section": unit.section,
        "id": node.id,
        "enabled": unit.enabled,
        "taker": unit.taker.node,
        "certain": unit.certain,
        "parts": [{"role": part.role, "node": part.node.node} for part in unit.parts],
    }
