"""What actions say of other actions, for notations that have rules only: there it is told as not expressed."""

from collections.abc import Iterator

from vsalang.language.notations.out.exported import Omission
from vsalang.program import ir
from vsalang.program.show import short_name


def said_of_actions(program: ir.Program, *, main_only: bool) -> Iterator[Omission]:
    """Which actions lie over others or refine an effect."""
    for name, relation in program.relations.items():
        if relation.sort != "action" or (main_only and relation.module != program.main):
            continue
        what = f"action {short_name(name)}"
        if relation.over:
            below = " and ".join(map(short_name, relation.over))
            yield Omission(
                name, what, f"it lies over {below}: where a gesture is both, it is meant", relation.span
            )
        if relation.refines is not None:
            effect = short_name(relation.refines.action)
            yield Omission(name, what, f"it refines {effect}: what is done is {effect}, too", relation.span)
