"""How much a reduction leaves out of real screens, and how deltas agree with who recorded the screens."""

import time
from collections.abc import Iterable, Mapping

from vsalang.base.records import dataclass
from vsalang.program.shares import Share
from vsalang.screen.control.delta import delta
from vsalang.screen.control.reduce import controls, reduce
from vsalang.screen.control.relevance import actionable
from vsalang.screen.control.unit import LEVELS, Level
from vsalang.screen.tree import Tree


@dataclass(frozen=True, slots=True)
class Reduction:
    """What is left of screens.

    Attributes:
        screens, nodes: how many there were.
        kept: level -> entries that are left.
        lost: visible nodes that can be acted on and are in no unit.
        times: processor time for all controls of each screen, in milliseconds.
    """

    screens: int
    nodes: int
    kept: Mapping[Level, int]
    lost: int
    times: tuple[float, ...]

    def saved(self, level: Level) -> float | None:
        """The share of the nodes that is left out; None of none."""
        return 1 - self.kept[level] / self.nodes if self.nodes else None


def reduction(trees: Iterable[Tree]) -> Reduction:
    """What the reduction leaves of screens that nothing was computed of before."""
    kept: dict[Level, int] = dict.fromkeys(LEVELS, 0)
    nodes, lost, times = 0, 0, []
    for tree in trees:
        nodes += tree.total
        begin = time.process_time()
        units = controls(tree)
        times.append((time.process_time() - begin) * 1000)
        held = {part.node.node for unit in units for part in unit.parts}
        lost += sum(1 for node in tree.nodes if actionable(node) and node.node not in held)
        for level in LEVELS:
            kept[level] += len(reduce(tree, level).entries)
    return Reduction(len(times), nodes, kept, lost, tuple(times))


def kinds_as_labelled(labels: Iterable[tuple[Tree, Mapping[str, str]]]) -> Share:
    """How many controls have the kind that a person gave them: of each screen name of a control -> kind."""
    right = total = 0
    for tree, wanted in labels:
        found = {unit.key: unit.kind for unit in controls(tree)}
        total += len(wanted)
        right += sum(found.get(key) == kind for key, kind in wanted.items())
    return Share(right, total)


def delta_times(pairs: Iterable[tuple[Tree, Tree]]) -> tuple[float, ...]:
    """Processor time for the delta of two screens that nothing was computed of before, in milliseconds."""
    times = []
    for before, after in pairs:
        begin = time.process_time()
        delta(before, after)
        times.append((time.process_time() - begin) * 1000)
    return tuple(times)


def as_recorded(steps: Iterable[tuple[Tree, Tree, bool]]) -> Share:
    """How often `NoChange` is said exactly where both trees were read from one state of the recorder.

    Args:
        steps: what showed before and after a step, and whether it was a scroll. One state gives one tree.
    """
    known: dict[tuple[int, int, bool], bool] = {}
    trees: list[Tree] = []  # kept, so that no other tree gets the identity of one of them
    right = total = 0
    for before, after, scrolled in steps:
        trees += (before, after)
        key = id(before), id(after), scrolled
        if key not in known:
            known[key] = delta(before, after, scrolled=scrolled).transition == "NoChange"
        total += 1
        right += known[key] == (before is after)
    return Share(right, total)
