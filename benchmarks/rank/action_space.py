"""How many candidates there are: ours, and those that V-Droid's code takes of the same trees."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from benchmarks.rank.recorded import RecordedStep
from vsalang.models.rank.enumerating import candidates
from vsalang.models.rank.one_touch import one_touch
from vsalang.models.rank.situation import Situation
from vsalang.screen.control import controls
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Node, Tree, read_tree
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


def of_steps(steps: Sequence[RecordedStep], *, answered: bool = True) -> Sizes:
    """Those of recorded steps, with their history: those that are left where a guard judged them.

    Args:
        answered: the answer to the user is one of ours; no task of DroidTask takes one, and no record holds one.
    """
    return Sizes(
        tuple(sum(answered or one.kind != "answer" for one in step.decision.candidates) for step in steps),
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


@dataclass(frozen=True, slots=True)
class Touches:
    """Texts that `one_touch` calls one touch, on screens of which the source tells what takes it.

    Attributes:
        joined: how many texts it joins with another one; `right`: of how many the same node takes the touch.
        missed: how many more texts there are of which it is the same node.
    """

    joined: int = 0
    right: int = 0
    missed: int = 0


def touches_of_dumps(paths: Iterable[Path]) -> Touches:
    """How often `one_touch` is right, on UI dumps that were made as poor as AutoDroid's HTML."""
    joined = right = missed = 0
    for path in paths:
        tree = read_tree(path)
        taker = {node.node: _taker(tree, node) for node in tree.nodes}
        poor = Tree(tuple(_poor(tree, node) for node in tree.nodes), tree.windows, tree.total, inherits=True)
        found = controls(poor)
        shared = one_touch(poor, found)
        joined += len(shared)
        right += sum(taker[one] == taker[first] for one, first in shared.items())
        texts = [
            unit.node.node
            for unit in found
            if unit.node.text and not unit.node.desc and unit.node.node not in poor.children
        ]
        first_of: set[int] = set()
        for number in texts:
            outer = taker[number]
            if number not in shared and outer is not None and outer in first_of:
                missed += 1
            if outer is not None:
                first_of.add(outer)
    return Touches(joined, right, missed)


def _taker(tree: Tree, node: Node) -> int | None:
    """The node that takes a touch of this one, as the source says."""
    return next((one.node for one in (node, *tree.around(node)) if one.takes_touch), None)


def _poor(tree: Tree, node: Node) -> Node:
    """A node as AutoDroid's HTML tells it: what is said and stands in something that takes the touch takes it."""
    if node.editable or node.checkable:
        return node
    takes = bool(node.text or node.desc) and _taker(tree, node) is not None
    cls = "ScrollView" if node.scrollable else "Button" if takes else node.cls
    return replace(node, clickable=takes, long_clickable=False, cls=cls)
