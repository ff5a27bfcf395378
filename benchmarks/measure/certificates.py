"""How well memory tells that a gesture will do nothing: recorded ones in the order of time, each asked, then kept.

    from benchmarks.measure.certificates import measure

    found = measure(steps_of(run) for run in runs)       # each step: `RecordedGesture`
    found.right, found.covered

The recorded transitions of 19 runs of DroidBot (6,706 taps, long presses and swipes) are what the figures of
`docs/reference/certificates.md` come from.
"""

import time
from collections import Counter
from collections.abc import Iterable
from typing import Protocol

from vsalang.base.records import dataclass
from vsalang.guard.memory.certificate_keys import key_of
from vsalang.guard.memory.certifying import certify_step, scrolled
from vsalang.guard.memory.expecting import useless
from vsalang.program.action import Action
from vsalang.screen.control import Transition, controls, delta
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Tree


class RecordedGesture(Protocol):
    """A gesture of a log: the screen that it was done on, and the next one."""

    @property
    def before(self) -> TreeScreen:
        """What showed."""
        ...

    @property
    def action(self) -> Action:
        """The gesture."""
        ...

    @property
    def after(self) -> TreeScreen:
        """What showed next."""
        ...


@dataclass(frozen=True, slots=True)
class MemoryFigures:
    """How often memory told, and how often it was right.

    Attributes:
        gestures: those that were asked about, all of them.
        met: of these how many had been tried before, on this or another screen of the app.
        told: of how many memory told whether something will change.
        nothing: of how many it told that nothing will change.
        true: of how many of those nothing changed.
        idle: of how many gestures nothing changed, told or not.
    """

    gestures: int
    met: int
    told: int
    nothing: int
    true: int
    idle: int

    @property
    def right(self) -> float:
        """The share of "nothing will change" that is right."""
        return self.true / self.nothing if self.nothing else 0.0

    @property
    def covered(self) -> float:
        """The share of all gestures of which memory told whether something will change."""
        return self.told / self.gestures if self.gestures else 0.0

    @property
    def found(self) -> float:
        """The share of the gestures that did nothing of which memory had told so."""
        return self.true / self.idle if self.idle else 0.0


def measure(logs: Iterable[Iterable[RecordedGesture]]) -> MemoryFigures:
    """Ask memory about every gesture, then let it see the result.

    Args:
        logs: each of one run, in the order of time; a memory begins with each.
    """
    counts: Counter[str] = Counter()
    for log in logs:
        counts += _measured(log)
    return MemoryFigures(**{name: counts[name] for name in MemoryFigures.__slots__})


def _measured(log: Iterable[RecordedGesture]) -> Counter[str]:
    counts: Counter[str] = Counter()
    here: dict[object, Counter[Transition]] = {}
    anywhere: dict[object, Counter[Transition]] = {}
    effects: dict[tuple[int, int, bool], Transition] = {}
    trees: list[Tree] = []  # kept, so that no other tree gets the identity of one of them
    for each in log:
        before, after = each.before.tree, each.after.tree
        trees += (before, after)
        joined = scrolled(each.before, each.action)
        pair = (id(before), id(after), joined)
        if pair not in effects:
            effects[pair] = delta(before, after, scrolled=joined).transition
        effect = effects[pair]
        counts["gestures"] += 1
        counts["idle"] += effect == "NoChange"
        key = key_of(each.before, each.action)
        if key is None:
            continue
        mine = here.setdefault(key, Counter())
        alike = anywhere.setdefault((key.package, key.control, key.gesture), Counter())
        counts["met"] += bool(alike)
        told = useless(mine, alike)
        counts["told"] += told is not None
        if told:
            counts["nothing"] += 1
            counts["true"] += effect == "NoChange"
        mine[effect] += 1
        alike[effect] += 1
    return counts


def certificate_times(pairs: Iterable[tuple[Tree, Tree]]) -> tuple[float, ...]:
    """Processor time for the certificate of a tap from one screen to the other, its delta included, in milliseconds.

    As in a session, the controls of the first screen are known, and nothing was computed of the second one.
    """
    times = []
    for before, after in pairs:
        screens = TreeScreen(before, settled=True), TreeScreen(after, settled=True)
        target = next((node for node in before.nodes if node.takes_touch), None)
        tap = Action("tap", {"node": target.node} if target is not None else {"x": 5, "y": 5})
        controls(before)
        begin = time.process_time()
        certify_step(tap, *screens)
        times.append((time.process_time() - begin) * 1000)
    return tuple(times)
