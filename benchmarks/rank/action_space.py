"""How many candidates there are: ours, and those that V-Droid's code takes of the same trees."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.rank.recorded import RecordedStep
from vsalang.models.rank.enumerating import candidates
from vsalang.models.rank.situation import Situation
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Tree, read_tree
from vsalang.screen.tree.hit import is_keyboard

DEFAULTS: Final = 6
"""Open an app, wait, home, back, done, answer."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Numbers of candidates of some screens."""

    ours: tuple[int, ...]
    theirs: tuple[int, ...]

    @property
    def share(self) -> float:
        """Ours, as a share of V-Droid's."""
        return sum(self.ours) / sum(self.theirs)

    def line(self, name: str) -> str:
        ours, theirs = sorted(self.ours), sorted(self.theirs)
        return f"| {name} | {len(ours)} | {_spread(theirs)} | {_spread(ours)} | {self.share:.3f} |"


def _spread(counts: list[int]) -> str:
    """Mean, median, 90th percentile and maximum of sorted numbers."""
    tenth = counts[int(0.9 * (len(counts) - 1))]
    return f"{statistics.mean(counts):.1f} / {statistics.median(counts):.0f} / {tenth} / {counts[-1]}"


def of_dumps(paths: Iterable[Path]) -> Sizes:
    """Those of files of UI dumps."""
    screens = [TreeScreen(read_tree(path)) for path in paths]
    return Sizes(
        tuple(len(candidates(Situation("", screen)).candidates) for screen in screens),
        tuple(v_droid(screen.tree) for screen in screens),
    )


def of_steps(steps: Sequence[RecordedStep]) -> Sizes:
    """Those of recorded steps, with their history."""
    return Sizes(
        tuple(step.offered for step in steps),
        tuple(v_droid(step.decision.situation.screen.tree) for step in steps),
    )


def v_droid(tree: Tree) -> int:
    """How many actions V-Droid's code takes of a tree (``extract_actions_with_display_id_v2``), the defaults included.

    Of leaves, and of what is described or scrolls: a click and a long press of what is clickable, checkable or the
    child of what is clickable; typing and clearing; four directions; two for sliders.
    """
    count = DEFAULTS
    keyboards = {window.window for window in tree.windows if is_keyboard(window)}
    for node in tree.nodes:
        shown = node.node not in tree.children or node.desc or node.scrollable
        if node.window in keyboards or not shown:
            continue
        described = f"{node.id or ''} {node.desc or ''}".lower()
        if node.package == "com.android.systemui" and "notification" in described:
            continue
        parent = tree.by_number[node.parent] if node.parent is not None else None
        if node.clickable or node.checkable or (parent is not None and parent.clickable):
            count += 2
        if node.editable:
            count += 2
        if node.scrollable:
            count += 4
        elif "slider" in (node.id or "").lower():
            count += 2
    return count
