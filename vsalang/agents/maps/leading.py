"""Learns where gestures lead, and on what that depends.

A gesture is named as generally as what it came to allows: by its widget's id alone, if all tries led to one screen;
else with words; else a condition is looked for that the screens before had, by which the targets are told apart.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from vsalang.agents.maps.drafted import Condition, Way
from vsalang.agents.maps.mining import Control, Passage, controls_of, tapped
from vsalang.agents.maps.samples import Look, Try
from vsalang.base.records import dataclass
from vsalang.program.screen import UnresolvedTarget
from vsalang.screen.tree import Node

_LEAST_SPLIT: Final = 2
"""How often each side of a condition must have been seen."""
_LONGEST: Final = 60
_TOUCHES: Final = ("tap", "long_press")
Which: TypeAlias = Callable[[Look], str]
"""Says which proposed screen a look is; empty: none."""


@dataclass(frozen=True, slots=True, eq=False)
class _Trial:
    """One try, with all descriptions of its widget, the general ones first."""

    number: int
    look: Look
    controls: tuple[Control, ...]
    target: str
    many: bool
    place: str


def ways(tries: Sequence[Try], which: Which) -> Iterator[Way]:
    """Where the gestures that were tried lead, screen by screen."""
    groups: dict[tuple[str, str], list[_Trial]] = {}
    for number, each in enumerate(tries):
        source, target = which(each.before), which(each.after)
        if not source or each.predicted:
            continue
        name = each.action.name
        if name == "back":
            groups.setdefault((source, name), []).append(
                _Trial(number, each.before, (), target, False, each.before.place)
            )
        node = _touched(each) if name in _TOUCHES else None
        if node is not None:
            controls = tuple(
                control
                for control in sorted(controls_of(each.before.screen, node), key=lambda one: one.general)
                if len(control.words) <= _LONGEST and not (control.words and node.editable)
            )
            same = sum(1 for other in each.before.screen.tree.nodes if node.id and other.id == node.id)
            if controls:
                tried = _Trial(number, each.before, controls, target, same > 1, each.before.place)
                groups.setdefault((source, name), []).append(tried)
    for (source, name), group in sorted(groups.items()):
        yield from _of_gesture(source, name, group)


def _touched(each: Try) -> Node | None:
    if each.action.name == "tap":
        return tapped(Passage(each.before.screen, each.action, each.after.screen))
    try:
        number = each.before.screen.target(each.action.name, each.action.args).get("node")
    except UnresolvedTarget:
        return None
    return each.before.screen.tree.by_number.get(number) if isinstance(number, int) else None


def _of_gesture(source: str, name: str, tried: Sequence[_Trial]) -> Iterator[Way]:
    """Each try is explained by one description: the most general one that leads to one screen, or that a condition
    makes lead to one; else by its most special one."""
    if not any(each.controls for each in tried):
        yield from _explained(source, name, None, tried)
        return
    by_control: dict[Control, list[_Trial]] = {}
    for each in tried:
        for control in each.controls:
            by_control.setdefault(control, []).append(each)
    settled: set[int] = set()
    for control, group in sorted(by_control.items(), key=lambda item: (item[0].general, item[0])):
        left = [each for each in group if each.number not in settled]
        if not left or (control.general == 0 and not _speaks_for_all(group)):
            continue
        targets = {each.target for each in group}
        if control.general == 0 and len(targets) > 1 and _split(group) is None and _words_tell(group):
            continue
        settled |= {each.number for each in left}
        yield from _explained(source, name, control, group)


def _words_tell(group: Sequence[_Trial]) -> bool:
    """Whether it is better known where a touch leads if the words of the widget are known, too."""
    by_words: dict[Control, Counter[str]] = {}
    for each in group:
        if len(each.controls) > 1:
            by_words.setdefault(each.controls[1], Counter())[each.target] += 1
    known = sum(max(led.values()) for led in by_words.values())
    return known > max(Counter(each.target for each in group).values())


def _speaks_for_all(group: Sequence[_Trial]) -> bool:
    """Whether an id alone names what was touched: it is on one node, or nodes with different words were tried."""
    if not any(each.many for each in group):
        return True
    words = {each.controls[1] if len(each.controls) > 1 else each.controls[0] for each in group}
    return len(words) > 1 or len(group[0].controls) == 1


def _explained(source: str, name: str, control: Control | None, group: Sequence[_Trial]) -> Iterator[Way]:
    many = any(each.many for each in group)
    targets = Counter(each.target for each in group)
    condition = _split(group) if len(targets) > 1 else None
    parts: list[tuple[Condition | None, Sequence[_Trial]]] = [(None, group)]
    if condition is not None:
        has = [each for each in group if holds(condition, each.look)]
        hasnt = [each for each in group if not holds(condition, each.look)]
        parts = [(condition, has), (_negated(condition), hasnt)]
    for when, part in parts:
        led = Counter(each.target for each in part)
        for target, worked in sorted(led.items(), key=lambda item: (-item[1], item[0])):
            if target and target != source:
                places = tuple(each.place for each in part if each.target == target)[:3]
                yield Way(source, name, control, when, target, len(part), worked, many, places)


def _negated(condition: Condition) -> Condition:
    return Condition(condition.id, condition.text, condition.checked, not condition.absent)


def holds(condition: Condition, look: Look) -> bool:
    """Whether a look meets a condition."""
    present = any(
        node.id == condition.id
        and (not condition.text or node.text == condition.text)
        and (condition.checked is None or node.checked is condition.checked)
        for node in look.screen.tree.nodes
    )
    return present is not condition.absent


def _split(group: Sequence[_Trial]) -> Condition | None:
    """The condition that tells all targets of a gesture apart, the simplest one; None: none does.

    Only two targets are told apart, each seen twice at least: with fewer tries some condition always fits.
    """
    targets = Counter(each.target for each in group)
    if len(targets) != 2 or min(targets.values()) < _LEAST_SPLIT:
        return None
    (first, _), (second, _) = sorted(targets.items())
    conditions = {each.number: _conditions(each.look) for each in group}
    yes = [conditions[each.number] for each in group if each.target == first]
    no = [conditions[each.number] for each in group if each.target == second]
    for some, others in ((yes, no), (no, yes)):
        fitting = frozenset.intersection(*some) - frozenset[Condition]().union(*others)
        if fitting:
            return min(fitting, key=lambda one: (bool(one.text), one.checked is not None, one.id, one.text))
    return None


def _conditions(look: Look) -> frozenset[Condition]:
    """What can be said of a look: which ids it has, short texts of those that it has once, and check marks."""
    count = Counter(node.id for node in look.screen.tree.nodes if node.id)
    conditions = set()
    for node in look.screen.tree.nodes:
        if not node.id or node.package not in (None, look.screen.app[0] if look.screen.app else None):
            continue
        conditions.add(Condition(node.id))
        if count[node.id] == 1 and not node.password:
            if node.text and len(node.text) <= _LONGEST:
                conditions.add(Condition(node.id, node.text))
            if node.checkable and node.checked is not None:
                conditions.add(Condition(node.id, checked=node.checked))
    return frozenset(conditions)
