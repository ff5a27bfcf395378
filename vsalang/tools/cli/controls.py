"""``vsac screen controls DUMP...``: shows the controls of a screen, with the evidence for their kinds."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.screen.control import LEVELS, reduce
from vsalang.screen.reduced_report import reduced_data, row, summary
from vsalang.screen.screen import TreeScreen
from vsalang.tools.cli import frame
from vsalang.tools.cli.dumps import Part, complain, each_dump, table

_LEVELS: Final = ("units", "control", "sparse", "visible")
_COLUMNS: Final = ("unit", "node", "kind", "label", "value", "section", "state")
_CUT: Final = frozenset({"label", "value", "section", "why"})


@dataclass(frozen=True, slots=True)
class ControlsOptions:
    """Which screens are read, and how much of them is shown."""

    dumps: tuple[str, ...] = argument("DUMP")
    level: str = option("--level", choices=_LEVELS, default=_LEVELS[0], help="How much to leave out.")
    why: bool = flag("--why", help="Show which facts decided the kind of each control.")


@frame.as_command("text", "json")
def command(options: ControlsOptions) -> Report:
    """Show what screens offer: the controls of UI dumps and accessibility trees, and their texts.

    A control is one line, with all that belongs to it. Its name stays the same in the next dump; with ~ in it, other
    nodes of the dump look the same, and it holds in this dump only. The kinds are button, link, opener, toggle, choice,
    tab, field, slider and scroller. The level `control` keeps each node that counts, `sparse` those that say something
    or have a flag, `visible` all.

    Exit status: 0; 1 if a file is not a UI tree; 2 if one cannot be read.
    """
    return each_dump(options.dumps, partial(_part, options))


def _part(options: ControlsOptions, screen: TreeScreen) -> Part:
    level = next(each for each in LEVELS if each == options.level)
    reduced = reduce(screen.tree, level)
    for note in reduced.notes:
        if note not in screen.tree.notes:
            complain("note", f"{screen.tree.name}: {note}")

    def text(style: Style) -> Iterator[str]:
        names = (*_COLUMNS, "why") if options.why else _COLUMNS
        rows = [row(entry) for entry in reduced.entries]
        yield table(names, rows, cut=_CUT, right={"node"}).rstrip("\n")
        yield style(summary(reduced), dim=True)

    return Part(reduced_data(reduced), text)
