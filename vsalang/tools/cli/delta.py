"""``vsac screen delta A B``: what differs between two screens: what changed, appeared, went and was scrolled."""

from functools import partial

from vsalang.base.options import argument, flag
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Result
from vsalang.screen.control import delta
from vsalang.screen.delta_report import delta_data, delta_lines
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import EXIT_FAILED, EXIT_FINDINGS, EXIT_OK
from vsalang.tools.cli.dumps import complain, load_screen


@dataclass(frozen=True, slots=True)
class DeltaOptions:
    """Which screens are compared."""

    before: str = argument("A")
    after: str = argument("B")
    scrolled: bool = flag("--scrolled", help="Only a scroll came between: find how far lists moved.")
    exit_code: bool = flag("--exit-code", help="Exit with 1 if anything differs.")


@frame.as_command("text", "json")
def command(options: DeltaOptions) -> Report | int:
    """Show what differs between two screens A and B (UI dumps or accessibility trees, as for `vsac screen facts`).

    Nodes are matched by ids, rows, classes and labels, never by where they stand. NoChange: nothing differs;
    PartialChange: at least half of the nodes are on both screens; else NewPage.

    Exit status: 0, or with --exit-code 1 if anything differs; 2 if one cannot be read or is not a UI tree.
    """
    screens = []
    for path in (options.before, options.after):
        screen, failed = load_screen(path)
        if screen is None:
            return max(failed, EXIT_FAILED)
        for note in screen.tree.notes:
            complain("note", f"{screen.tree.name}: {note}")
        screens.append(screen)
    difference = delta(screens[0].tree, screens[1].tree, scrolled=options.scrolled)
    status = EXIT_FINDINGS if options.exit_code and difference.transition != "NoChange" else EXIT_OK
    return Result(partial(delta_data, difference), partial(delta_lines, difference), status)
