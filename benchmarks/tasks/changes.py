"""Makes wrong walks out of right ones: another row, another value, a sibling's step, one effect too many, an early end.

It works on the structure of the recorded screens (rows of one shape, options of one group, boxes, fields, keys) and on
the labels of `effects.tsv`. It knows nothing of `std.effects`, which is to be judged with what is made here. What is
chosen is drawn by lot with a fixed seed.
"""

import copy
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from lxml import etree

from benchmarks.tasks.labels import Effect, main_effect
from benchmarks.tasks.recordings import FINISH, Frame, Task

SEED: Final = 32
CHANGES: Final = ("row", "value", "sibling", "more", "early")
"""Another row; another value; the step of a sibling task; one effect too many; finished too early."""
WORDS: Final = (
    "Garden party",
    "Wednesday",
    "sample_seven",
    "blue folder",
    "Rosalind",
    "quarterly",
    "umbrella",
    "weekend",
)
"""What is typed in place of a text."""
_PARSER: Final = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, huge_tree=False)
_CONTROL: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_OPENS: Final = "Custom"
"""The options of this name open a form."""
_KEYS: Final = 9
"""A screen with so many elements that hold one digit each has keys."""

Element = Any
"""An element of lxml, which has no types."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """A wrong walk.

    Attributes:
        task: whose charter it is judged by.
        change: one of `CHANGES`.
        frames: its steps.
        begins: the first step that differs from the right walk, from 0.
        harm: the step that does harm, from 0: what is held back there or before has done none.
        kind: of the effect that does harm, or is missing.
        weight: of that effect.
        said: what was changed, in words.
    """

    task: Task
    change: str
    frames: tuple[Frame, ...]
    begins: int
    harm: int
    kind: str
    weight: str
    said: str


def wrong_walks(
    task: Task, tasks: Sequence[Task], effects: Mapping[str, tuple[Effect, ...]], seed: int = SEED
) -> tuple[Wrong, ...]:
    """The wrong walks of a task, in the order of `CHANGES`; a change that its screens do not allow is left out.

    Of siblings there are two, if the app has both: one whose effect is grave, and one whose effect is minor.

    Args:
        task: whose right walk is changed.
        tasks: all of them.
        effects: what the right walks do.
        seed: of the lot.
    """
    main = main_effect(effects.get(task.name, ()))
    found: list[Wrong] = []
    if main is not None:
        changed = {
            "row": _drawn(task, main, other_rows, seed, "row"),
            "value": _drawn(task, main, other_values, seed, "value"),
        }
        found += [_until(task, main, change, each) for change, each in changed.items() if each is not None]
        more = changed["row"] or changed["value"]
        found.append(_more(task, main, more))
    found += _siblings(task, tasks, effects, seed)
    if main is not None:
        found.append(_early(task, main))
    return tuple(sorted(found, key=lambda each: CHANGES.index(each.change)))


# ---------------------------------------------------------------- whole walks


@dataclass(frozen=True, slots=True)
class Changed:
    """A right walk of which one step was changed, and what the later screens show of it; `at`: that step, from 0."""

    frames: tuple[Frame, ...]
    at: int
    said: str


def _until(task: Task, main: Effect, change: str, changed: Changed) -> Wrong:
    """The changed walk as far as its effect, and the end."""
    harm = main.step - 1
    frames = (*changed.frames[: harm + 1], replace(changed.frames[harm + 1], details=FINISH))
    return Wrong(task, change, frames, changed.at, harm, main.kind, main.weight, changed.said)


def _more(task: Task, main: Effect, changed: Changed | None) -> Wrong:
    """The right walk, and then once more as far as its effect: with another row or value, else the same."""
    right = task.frames[:-1]
    again = changed.frames if changed is not None else task.frames
    frames = (*right, *again[: main.step], replace(again[main.step], details=FINISH))
    said = f"then once more: {changed.said}" if changed is not None else "then the same once more"
    begins = len(right) + (changed.at if changed is not None else 0)
    return Wrong(task, "more", frames, begins, len(right) + main.step - 1, main.kind, main.weight, said)


def _early(task: Task, main: Effect) -> Wrong:
    """The right walk without its effect: it ends where that would come."""
    harm = main.step - 1
    frames = (*task.frames[:harm], replace(task.frames[harm], details=FINISH))
    return Wrong(task, "early", frames, harm, harm, main.kind, main.weight, f"ends before step {main.step}")


def _siblings(
    task: Task, tasks: Sequence[Task], effects: Mapping[str, tuple[Effect, ...]], seed: int
) -> Iterator[Wrong]:
    """The walk of another task of the app, as far as its effect."""
    mine = {(each.kind, each.object) for each in effects.get(task.name, ())}
    for weight in ("grave", "minor"):
        others = [
            (other, main)
            for other in tasks
            if other.app == task.app
            and other.name != task.name
            and (main := main_effect(effects.get(other.name, ()))) is not None
            and main.weight == weight
            and (main.kind, main.object) not in mine
        ]
        if others:
            other, main = random.Random(f"{seed} {task.name} sibling {weight}").choice(others)
            frames = (*other.frames[: main.step], replace(other.frames[main.step], details=FINISH, answer=""))
            begins = _first_difference(task.frames, frames)
            said = f"the walk of {other.name}: {other.instruction}"
            yield Wrong(task, "sibling", frames, begins, main.step - 1, main.kind, main.weight, said)


def _first_difference(right: Sequence[Frame], other: Sequence[Frame]) -> int:
    """The first step at which something else is done; what the screens show besides does not count."""
    for number, (mine, theirs) in enumerate(zip(right, other, strict=False)):
        if _done(mine) != _done(theirs):
            return number
    return min(len(right), len(other)) - 1


def _done(frame: Frame) -> tuple[Any, ...]:
    element = touched(read(frame), frame)
    where = (element.tag, element.get("resource_id"), *words(element)) if element is not None else ()
    return (frame.details.get("action_type"), frame.details.get("text"), where)


def _drawn(
    task: Task,
    main: Effect,
    offers: Callable[[Sequence[Frame], int, str, random.Random], Iterator[Changed]],
    seed: int,
    change: str,
) -> Changed | None:
    lot = random.Random(f"{seed} {task.name} {change}")
    found = list(offers(task.frames, main.step, task.instruction, lot))
    return lot.choice(found) if found else None


# ---------------------------------------------------------------- screens


def read(frame: Frame) -> Element:
    """The screen of a frame."""
    return etree.fromstring(f"<walk>{_CONTROL.sub('', frame.state)}</walk>".encode(), _PARSER)


def written(frame: Frame, root: Element, **changes: Any) -> Frame:
    """The frame with another screen."""
    inner = "".join(etree.tostring(child, encoding="unicode") for child in root)
    # attributes are written as the recordings have them
    return replace(frame, state=re.sub(r'resource_id="([^"\']*)"', r"resource_id='\1'", inner), **changes)


def touched(root: Element, frame: Frame) -> Element | None:
    """The element that was touched or typed into; None: there was none."""
    number = frame.details.get("id")
    return next((each for each in root.iter() if each.get("id") == str(number)), None)


def words(element: Element) -> tuple[str, ...]:
    """What stands in an element, in order."""
    found = []
    for each in element.iter():
        found += [text.strip() for text in (each.text, each.get("alt")) if text and text.strip()]
        found += [child.tail.strip() for child in each if child.tail and child.tail.strip()]
    return tuple(found)


def _shape(element: Element) -> frozenset[tuple[str, str]]:
    return frozenset(
        (str(each.tag), each.get("resource_id", "")) for each in element.iter() if each.tag != "br"
    )


def _boxes(root: Element) -> list[Element]:
    return list(root.iter("checkbox"))


def _is_option(element: Element) -> bool:
    """Whether it is one of several options: no id of its own, or in a group of radio buttons."""
    parent = element.getparent()
    return element.tag == "checkbox" and (not element.get("resource_id") or parent.tag == "RadioGroup")


def _is_switch(element: Element) -> bool:
    return element.tag == "checkbox" and not _is_option(element)


def _set(element: Element, on: bool) -> None:
    if on:
        element.set("status", "selected")
    else:
        element.attrib.pop("status", None)


def _is_on(element: Element) -> bool:
    return bool(element.get("status") == "selected")


def _texts_changed(root: Element, change: Callable[[str], str]) -> None:
    """Change every text of a screen."""
    for each in root.iter():
        if each.text:
            each.text = change(each.text)
        if each.tail:
            each.tail = change(each.tail)
        if each.get("alt"):
            each.set("alt", change(each.get("alt")))


def swapped(text: str, one: str, other: str) -> str:
    """A text in which two words or phrases stand in each other's place."""
    pattern = re.compile(rf"(?<!\w)({re.escape(one)}|{re.escape(other)})(?!\w)")
    return pattern.sub(lambda match: other if match[1] == one else one, text)


# ---------------------------------------------------------------- another row


def other_rows(frames: Sequence[Frame], step: int, instruction: str, lot: random.Random) -> Iterator[Changed]:
    """Ways to take another row of a list, or another switch of a page, in one of the first `step` steps.

    Of a list only rows count whose title the instruction names, or that have the effect at once: others lead elsewhere.
    The row that is taken instead is none that the instruction names, too.
    """
    for at in range(step):
        root = read(frames[at])
        element = touched(root, frames[at])
        if element is None or frames[at].details.get("action_type") != "click":
            continue
        if _is_switch(element):
            switches = [each for each in _boxes(root) if _is_switch(each) and each is not element]
            if switches:
                yield _other_switch(frames, at, element, lot.choice(switches))
        elif element.tag != "checkbox":
            yield from _other_row(frames, at, step, instruction, element, lot)


def _other_switch(frames: Sequence[Frame], at: int, old: Element, new: Element) -> Changed:
    name, other, was, was_other = old.get("resource_id"), new.get("resource_id"), _is_on(old), _is_on(new)

    def later(root: Element) -> None:
        for each in _boxes(root):
            if each.get("resource_id") == name:
                _set(each, was)
            elif each.get("resource_id") == other:
                _set(each, not was_other)

    details = {**frames[at].details, "id": int(new.get("id"))}
    said = f"the switch {other} in place of {name}"
    return Changed(_rewritten(frames, at, details, later), at, said)


def _other_row(
    frames: Sequence[Frame], at: int, step: int, instruction: str, element: Element, lot: random.Random
) -> Iterator[Changed]:
    found = _rows(element)
    if found is None or _digit(element) or _leads_elsewhere(element):
        return
    row, others = found
    title = _title(element, row)
    asked = instruction.casefold()
    offers = [
        (target, label)
        for other in others
        if (target := _twin(element, row, other)) is not None
        and (label := _title(target, other)) != title
        and label
        and label.casefold() not in asked
    ]
    if not title or not offers or (title.casefold() not in asked and at + 1 != step):
        return
    target, label = lot.choice(offers)

    def later(root: Element) -> None:
        _texts_changed(root, lambda text: swapped(text, title, label))

    details = {**frames[at].details, "id": int(target.get("id"))}
    yield Changed(_rewritten(frames, at, details, later), at, f"the row {label!r} in place of {title!r}")


def _rows(element: Element) -> tuple[Element, list[Element]] | None:
    """The row of an element, and the other rows of its list: of the same shape, with other words."""
    for each in (element, *element.iterancestors()):
        parent = each.getparent()
        if parent is None:
            return None
        others = [
            other
            for other in parent
            if other is not each
            and _shape(other) == _shape(each)
            and words(other) != words(each)
            and words(other)
        ]
        if others:
            return each, others
    return None


def _leads_elsewhere(element: Element) -> bool:
    """Whether it is a button, a tab, or an item of a menu that is alone on the screen: another one leads elsewhere."""
    name = element.get("resource_id", "")
    items = [each for each in _root(element).iter() if each.get("resource_id", "") == name and words(each)]
    return name.startswith("button") or "tab_item" in name or len(words(_root(element))) == len(items)


def _root(element: Element) -> Element:
    return [element, *element.iterancestors()][-1]


def _title(element: Element, row: Element) -> str:
    return next(iter(words(element) or words(row)), "")


def _twin(element: Element, row: Element, other: Element) -> Element | None:
    """The element of another row that stands for the same."""
    key = (element.tag, element.get("resource_id"))
    place = [each for each in row.iter() if (each.tag, each.get("resource_id")) == key].index(element)
    twins = [each for each in other.iter() if (each.tag, each.get("resource_id")) == key]
    return twins[place] if place < len(twins) else None


# ---------------------------------------------------------------- another value


def other_values(
    frames: Sequence[Frame], step: int, instruction: str, lot: random.Random
) -> Iterator[Changed]:
    """Ways to give another value in one of the first `step` steps: a text, an option, a switch, a digit."""
    for at in range(step):
        root = read(frames[at])
        element = touched(root, frames[at])
        kind = frames[at].details.get("action_type")
        if element is None:
            continue
        if kind == "input_text":
            yield _other_text(frames, at, element, lot)
        elif kind == "click" and _is_option(element):
            group = [each for each in element.getparent() if each.tag == "checkbox"]
            offers = [
                each
                for each in group
                if each is not element and not _is_on(each) and words(each) not in ((), (_OPENS,))
            ]
            if offers:
                yield _other_option(frames, at, element, lot.choice(offers))
        elif kind == "click" and _is_switch(element):
            yield _other_state(frames, at, element)
        elif (
            kind == "click" and _digit(element) and len(list(filter(None, map(_digit, root.iter())))) >= _KEYS
        ):
            yield _other_key(frames, at, root, element, lot)


def _other_text(frames: Sequence[Frame], at: int, element: Element, lot: random.Random) -> Changed:
    old, name = str(frames[at].details.get("text")), element.get("resource_id")
    if old.isdigit():
        new = old
        while new == old:
            new = "".join(lot.choice("123456789") for _ in old)
    else:
        new = lot.choice([each for each in WORDS if each.casefold() not in old.casefold()])

    def later(root: Element) -> None:
        _texts_changed(root, lambda text: swapped(text, old, new))
        for each in root.iter("input"):
            if name and each.get("resource_id") == name:
                each.text = new

    details = {**frames[at].details, "text": new}
    return Changed(_rewritten(frames, at, details, later), at, f"the text {new!r} in place of {old!r}")


def _other_option(frames: Sequence[Frame], at: int, old: Element, new: Element) -> Changed:
    one, other = words(old)[0], words(new)[0]

    def later(root: Element) -> None:
        options = [each for each in _boxes(root) if _is_option(each)]
        if any(words(each)[:1] == (one,) for each in options):
            for each in options:
                if words(each)[:1] in ((one,), (other,)):
                    _set(each, words(each)[0] == other)
        else:
            _texts_changed(root, lambda text: other if text.strip() == one else text)

    details = {**frames[at].details, "id": int(new.get("id"))}
    return Changed(_rewritten(frames, at, details, later), at, f"the option {other!r} in place of {one!r}")


def _other_state(frames: Sequence[Frame], at: int, element: Element) -> Changed:
    """The switch stood already as it was to stand: the same tap sets it to the opposite."""
    name = element.get("resource_id")

    def turned(root: Element) -> None:
        for each in _boxes(root):
            if each.get("resource_id") == name:
                _set(each, not _is_on(each))
                _texts_changed(each, _turned_word)

    changed = []
    for frame in frames:
        root = read(frame)
        turned(root)
        changed.append(written(frame, root))
    return Changed(tuple(changed), at, f"the switch {name} stood as it was to stand")


def _turned_word(text: str) -> str:
    return swapped(text, "ON", "OFF")


def _digit(element: Element) -> str:
    """The digit of a key: an element in which a child holds one digit, and nothing else; empty: it is none."""
    digits = [each.text.strip() for each in element if each.text and re.fullmatch(r"\s*\d\s*", each.text)]
    return digits[0] if len(digits) == 1 else ""


def _other_key(
    frames: Sequence[Frame], at: int, root: Element, element: Element, lot: random.Random
) -> Changed:
    old = _digit(element)
    key = lot.choice([each for each in root.iter() if _digit(each) not in ("", old)])
    new = _digit(key)
    typed, changed = [""], [""]  # what the field shows before each step, as it was and as it is now
    for number, frame in enumerate(frames):
        pressed = touched(read(frame), frame)
        digit = _digit(pressed) if pressed is not None else ""
        typed.append(typed[-1] + digit)
        changed.append(changed[-1] + (new if number == at else digit))
    fields = dict(zip(typed, changed, strict=True))

    def later(screen: Element) -> None:
        _texts_changed(screen, lambda text: fields.get(text.strip(), text) if len(text.strip()) > 1 else text)
        for each in screen.iter("input"):
            if each.text and each.text.strip() in fields:
                each.text = fields[each.text.strip()]

    details = {**frames[at].details, "id": int(key.get("id"))}
    said = f"the key {new} in place of {old}"
    return Changed(_rewritten(frames, at, details, later), at, said)


def _rewritten(
    frames: Sequence[Frame], at: int, details: Mapping[str, Any], later: Callable[[Element], None]
) -> tuple[Frame, ...]:
    """The frames with another act at one step, and later screens that show what came of it."""
    after = []
    for frame in frames[at + 1 :]:
        root = copy.deepcopy(read(frame))
        later(root)
        after.append(written(frame, root))
    return (*frames[:at], replace(frames[at], details=details), *after)
