"""Learns a draft of an app from samples: its screens, where gestures lead and on what that depends, cells and lists.

Screens are kinds of looks (`vsalang.contracts.signatures`). A gesture is named as generally as what it came to allows:
by its widget's id alone, if all tries led to one screen; else with words; else a condition is looked for that the
screens before had, by which the targets are told apart. All of it is a proposal with its counts.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from vsalang.contracts.mining import Control, Passed, controls_of, tapped
from vsalang.contracts.signatures import Face, Signature, face_of, signatures
from vsalang.control.keys import marked
from vsalang.core.screen import Unresolved
from vsalang.importers.naming import relation_name
from vsalang.planning.samples import Look, Samples, Try
from vsalang.records import dataclass
from vsalang.tree import Node

_DIALOG: Final = re.compile(
    r"^(alertTitle|alert_title|parentPanel|buttonPanel|contentPanel|button1|button2|button3|touch_outside)$|_dialog$"
)
_LEAST_SPLIT: Final = 2
"""How often each side of a condition must have been seen."""
_LONGEST: Final = 60
_MOST_CELLS: Final = 12
_TOUCHES: Final = ("tap", "long_press")


@dataclass(frozen=True, slots=True)
class Condition:
    """What the screen before showed: a node with this id, and text or check mark if they are given; or none."""

    id: str
    text: str = ""
    checked: bool | None = None
    absent: bool = False


@dataclass(frozen=True, slots=True)
class Way:
    """A proposed `goto`: a gesture on a screen, and where it led.

    Attributes:
        gesture: ``tap``, ``long_press``, ``back``.
        control: what it is done to; None: to nothing.
        many: whether several widgets of a screen fit the description (rows).
        tried, worked: how often it was made, how often it led there.
        places: some of the steps in which it worked.
    """

    source: str
    gesture: str
    control: Control | None
    when: Condition | None
    target: str
    tried: int
    worked: int
    many: bool
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A proposed cell of a view: the text, or the check mark, of the one node with this id.

    Attributes:
        values: how many different ones were seen.
        seen: on how many looks.
    """

    id: str
    kind: str
    values: int
    seen: int


@dataclass(frozen=True, slots=True)
class Rows:
    """A proposed list: the children of the node with the id `list`, and the texts in them by id.

    Attributes:
        own: whether the rows themselves bear the text.
        most: rows at most on one look.
    """

    list: str
    parts: tuple[str, ...]
    own: bool
    most: int
    seen: int


@dataclass(frozen=True, slots=True)
class Kind:
    """A proposed screen.

    Attributes:
        signature: None: a module declares it.
        over: the screens from which one came to it, and to which one went back.
        seen: on how many looks it showed.
        places: some of them.
        texts: some of what was to be read. Untrusted.
    """

    name: str
    signature: Signature | None
    over: tuple[str, ...]
    seen: int
    places: tuple[str, ...]
    texts: tuple[str, ...]
    fields: tuple[Field, ...]
    rows: tuple[Rows, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """What is proposed for one app.

    Attributes:
        looks: how many there were of the app.
        named: of how many it is known which screen they are.
        unsettled: steps that were left out.
    """

    package: str
    kinds: tuple[Kind, ...]
    ways: tuple[Way, ...]
    looks: int
    named: int
    tries: int
    unsettled: int


class Recogniser:
    """Says which proposed screen a look is."""

    def __init__(self, package: str, kinds: Mapping[str, Signature]) -> None:
        self.package = package
        self.kinds = kinds
        self._known: dict[Face, str] = {}

    def __call__(self, look: Look) -> str:
        """Its name; empty: it has none."""
        if look.declared:
            return look.declared
        face = face_of(look.screen)
        if face not in self._known:
            found = [name for name, signature in self.kinds.items() if signature.fits(face)]
            self._known[face] = found[0] if len(found) == 1 else ""
        return self._known[face]


def learn(
    samples: Samples, package: str, *, taken: Iterable[str] = (), mentioned: Iterable[str] = ()
) -> Draft:
    """The draft of one app.

    Args:
        taken: names that are not to be given.
        mentioned: ids of which nothing is to be proposed: a module reads them.
    """
    looks = [look for look in samples.looks if look.screen.app and look.screen.app[0] == package]
    kinds = _signatures(looks, package, frozenset(taken))
    which = Recogniser(package, kinds)
    by_name: dict[str, list[Look]] = {}
    for look in looks:
        if name := which(look):
            by_name.setdefault(name, []).append(look)
    tries = [
        each for each in samples.tries if each.before.screen.app and each.before.screen.app[0] == package
    ]
    over = _over(tries, which, by_name)
    without = frozenset(mentioned)
    return Draft(
        package,
        tuple(
            Kind(
                name,
                kinds.get(name),
                over.get(name, ()),
                len(shown),
                tuple(look.place for look in shown[:3]),
                _texts(shown),
                tuple(each for each in _fields(shown) if each.id not in without),
                tuple(each for each in _rows(shown) if each.list not in without),
            )
            for name, shown in sorted(by_name.items())
        ),
        tuple(_ways(tries, which)),
        len(looks),
        sum(len(shown) for shown in by_name.values()),
        len(tries),
        samples.unsettled,
    )


def _signatures(looks: Sequence[Look], package: str, taken: frozenset[str]) -> Mapping[str, Signature]:
    """Signatures of the kinds of which no look is declared, with their names."""
    faces = [face_of(look.screen) for look in looks]
    declared = {face_of(look.screen) for look in looks if look.declared}
    found = [
        each for each in signatures(faces, package, least=2) if not any(each.fits(face) for face in declared)
    ]
    kinds: dict[str, Signature] = {}
    alone = Counter(each.activity for each in found)
    for signature in sorted(found, key=lambda each: repr(each)):
        activity = (signature.activity or package).rpartition(".")[2].removesuffix("Activity")
        said = signature.title[1] if signature.title else next(iter(signature.present), "")
        parts = [activity, said if alone[signature.activity] > 1 or not activity else ""]
        stem = f"{''.join(relation_name(part) for part in parts)[:40] or 'Unnamed'}Screen"
        name, number = stem, 1
        while name in taken or name in kinds:
            number += 1
            name = f"{stem}{number}"
        kinds[name] = signature
    return kinds


# ---------------------------------------------------------------- dialogs


def _over(
    tries: Sequence[Try], which: Recogniser, by_name: Mapping[str, Sequence[Look]]
) -> Mapping[str, tuple[str, ...]]:
    """Dialogs, and what they lie over: the screens from which they came up and that showed again after them."""
    dialogs = {
        name
        for name, looks in by_name.items()
        if all(any(_DIALOG.search(id) for id in face_of(look.screen).ids) for look in looks)
    }
    came: dict[str, set[str]] = {}
    left: dict[str, set[str]] = {}
    for each in tries:
        source, target = which(each.before), which(each.after)
        if source and target in dialogs:
            came.setdefault(target, set()).add(source)
        if target and source in dialogs:
            left.setdefault(source, set()).add(target)
    found = {
        name: tuple(sorted((came.get(name, set()) & left.get(name, set())) - dialogs)) for name in dialogs
    }
    return {name: under for name, under in found.items() if under}


# ---------------------------------------------------------------- where gestures lead


@dataclass(frozen=True, slots=True, eq=False)
class _Tried:
    """One try, with all descriptions of its widget, the general ones first."""

    number: int
    look: Look
    controls: tuple[Control, ...]
    target: str
    many: bool
    place: str


def _ways(tries: Sequence[Try], which: Recogniser) -> Iterator[Way]:
    groups: dict[tuple[str, str], list[_Tried]] = {}
    for number, each in enumerate(tries):
        source, target = which(each.before), which(each.after)
        if not source or each.predicted:
            continue
        name = each.action.name
        if name == "back":
            groups.setdefault((source, name), []).append(
                _Tried(number, each.before, (), target, False, each.before.place)
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
                tried = _Tried(number, each.before, controls, target, same > 1, each.before.place)
                groups.setdefault((source, name), []).append(tried)
    for (source, name), group in sorted(groups.items()):
        yield from _of_gesture(source, name, group)


def _touched(each: Try) -> Node | None:
    if each.action.name == "tap":
        return tapped(Passed(each.before.screen, each.action, each.after.screen))
    try:
        number = each.before.screen.target(each.action.name, each.action.args).get("node")
    except Unresolved:
        return None
    return each.before.screen.tree.by_number.get(number) if isinstance(number, int) else None


def _of_gesture(source: str, name: str, tried: Sequence[_Tried]) -> Iterator[Way]:
    """Each try is explained by one description: the most general one that leads to one screen, or that a condition
    makes lead to one; else by its most special one."""
    if not any(each.controls for each in tried):
        yield from _explained(source, name, None, tried)
        return
    by_control: dict[Control, list[_Tried]] = {}
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


def _words_tell(group: Sequence[_Tried]) -> bool:
    """Whether it is better known where a touch leads if the words of the widget are known, too."""
    by_words: dict[Control, Counter[str]] = {}
    for each in group:
        if len(each.controls) > 1:
            by_words.setdefault(each.controls[1], Counter())[each.target] += 1
    known = sum(max(led.values()) for led in by_words.values())
    return known > max(Counter(each.target for each in group).values())


def _speaks_for_all(group: Sequence[_Tried]) -> bool:
    """Whether an id alone names what was touched: it is on one node, or nodes with different words were tried."""
    if not any(each.many for each in group):
        return True
    words = {each.controls[1] if len(each.controls) > 1 else each.controls[0] for each in group}
    return len(words) > 1 or len(group[0].controls) == 1


def _explained(source: str, name: str, control: Control | None, group: Sequence[_Tried]) -> Iterator[Way]:
    many = any(each.many for each in group)
    targets = Counter(each.target for each in group)
    condition = _split(group) if len(targets) > 1 else None
    parts: list[tuple[Condition | None, Sequence[_Tried]]] = [(None, group)]
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
    shown = any(
        node.id == condition.id
        and (not condition.text or node.text == condition.text)
        and (condition.checked is None or node.checked is condition.checked)
        for node in look.screen.tree.nodes
    )
    return shown is not condition.absent


def _split(group: Sequence[_Tried]) -> Condition | None:
    """The condition that tells all targets of a gesture apart, the simplest one; None: none does.

    Only two targets are told apart, each seen twice at least: with fewer tries some condition always fits.
    """
    targets = Counter(each.target for each in group)
    if len(targets) != 2 or min(targets.values()) < _LEAST_SPLIT:
        return None
    (first, _), (second, _) = sorted(targets.items())
    shown = {each.number: _conditions(each.look) for each in group}
    yes = [shown[each.number] for each in group if each.target == first]
    no = [shown[each.number] for each in group if each.target == second]
    for some, others in ((yes, no), (no, yes)):
        fitting = frozenset.intersection(*some) - frozenset[Condition]().union(*others)
        if fitting:
            return min(fitting, key=lambda one: (bool(one.text), one.checked is not None, one.id, one.text))
    return None


def _conditions(look: Look) -> frozenset[Condition]:
    """What can be said of a look: which ids it has, short texts of those that it has once, and check marks."""
    count = Counter(node.id for node in look.screen.tree.nodes if node.id)
    found = set()
    for node in look.screen.tree.nodes:
        if not node.id or node.package not in (None, look.screen.app[0] if look.screen.app else None):
            continue
        found.add(Condition(node.id))
        if count[node.id] == 1 and not node.password:
            if node.text and len(node.text) <= _LONGEST:
                found.add(Condition(node.id, node.text))
            if node.checkable and node.checked is not None:
                found.add(Condition(node.id, checked=node.checked))
    return frozenset(found)


# ---------------------------------------------------------------- cells and lists


def _texts(looks: Sequence[Look]) -> tuple[str, ...]:
    said = (
        node.text for look in looks[:3] for node in look.screen.tree.nodes if node.text and not node.editable
    )
    return tuple(dict.fromkeys(said))[:8]


def _fields(looks: Sequence[Look]) -> Iterator[Field]:
    """Cells that vary: ids outside of rows that one node of each look has."""
    values: dict[tuple[str, str], Counter[object]] = {}
    several: set[str] = set()
    for look in looks:
        marks = marked(look.screen.tree)
        count = Counter(node.id for node in look.screen.tree.nodes if node.id)
        several |= {id for id, number in count.items() if number > 1}
        for node in look.screen.tree.nodes:
            if not node.id or marks[node.node].row is not None or node.password:
                continue
            if node.package not in (None, look.screen.app[0] if look.screen.app else None):
                continue
            if node.checkable and node.checked is not None:
                values.setdefault((node.id, "checked"), Counter())[node.checked] += 1
            elif node.text and not node.takes_touch:
                values.setdefault((node.id, "text"), Counter())[node.text] += 1
            elif node.editable:
                values.setdefault((node.id, "text"), Counter())[node.text or ""] += 1
    found = [
        Field(id, kind, len(seen), seen.total())
        for (id, kind), seen in sorted(values.items())
        if id not in several and (len(seen) > 1 or kind == "checked")
    ]
    yield from sorted(found, key=lambda each: (-each.values, each.id))[:_MOST_CELLS]


def _rows(looks: Sequence[Look]) -> Iterator[Rows]:
    """Lists: nodes with an id whose children are rows, and the ids that bear texts in these."""
    parts: dict[str, Counter[str]] = {}
    most: Counter[str] = Counter()
    own: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for look in looks:
        tree = look.screen.tree
        marks = marked(tree)
        tops = {mark.row for mark in marks.values() if mark.row is not None}
        lists: dict[str, list[Node]] = {}
        for number in sorted(tops):
            parent = tree.by_number.get(tree.by_number[number].parent or -1)
            if parent is not None and parent.id:
                lists.setdefault(parent.id, []).append(tree.by_number[number])
        for id, rows in lists.items():
            seen[id] += 1
            most[id] = max(most[id], len(rows))
            for row in rows:
                own[id] += bool(row.text)
                inside = [node for node in tree.inside(row) if node.id and node.text and node is not row]
                for part in {node.id for node in inside if node.id}:
                    parts.setdefault(id, Counter())[part] += 1
    for id in sorted(most):
        words = parts.get(id, Counter())
        often = tuple(part for part, number in sorted(words.items()) if number >= 2)
        if most[id] >= 2 and (often or own[id] >= 2):
            yield Rows(id, often[:6], not often, most[id], seen[id])
