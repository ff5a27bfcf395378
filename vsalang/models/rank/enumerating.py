"""Enumerates what could be done on a screen: one candidate for each effect, by the kind of each control.

V-Droid (section 4.1) takes a click and a long press of every node that may take one, four directions for all that
scrolls, and typing and clearing for every field. Here a control has the gestures of its kind; a gesture on it must
reach it (hit testing), and two that reach the same node are one candidate. What would change nothing is not one.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from vsalang.base.records import dataclass
from vsalang.guard.graph import FINISH
from vsalang.models.rank.candidate import Candidate, DroppedAction, Enumeration
from vsalang.models.rank.needless import needless
from vsalang.models.rank.one_touch import one_touch
from vsalang.models.rank.scrolling import scrolls
from vsalang.models.rank.situation import AppChoice, Situation, recent
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.program.text import line
from vsalang.program.values import Value
from vsalang.screen.control import Part, Unit, controls
from vsalang.screen.control.relevance import words
from vsalang.screen.quoting import short
from vsalang.screen.tree import Node, Tree
from vsalang.screen.tree.hit import hit, is_keyboard

MAX_APPS: Final = 30
"""Of more apps than this none is a candidate: then there is one candidate that needs an app."""
MAX_CONTROLS: Final = 1000
"""So many controls of a screen are looked at, in the order of the document (309 real screens have at most 178)."""
MAX_WORK: Final = 2_000_000
"""Where the nodes of a screen times its controls are more, only the middle and a corner of each control are tried: a
grid over each would take minutes (309 real screens have at most 10,106)."""
_GRID: Final = 5
"""Where the middle of a control is taken by another, so many points across and down are tried."""
_ABOUT: Final = 200
_NOT_OPENED: Final = ("permissioncontroller", "packageinstaller", "systemui", "intentresolver")
"""Endings of packages of Android that show dialogs and bars, and are not opened."""
_LAUNCHERS: Final = re.compile(r"launcher|home\b|trebuchet", re.IGNORECASE)
"""In packages of apps that show the home screen."""
_SYSTEM_KEYS: Final[Mapping[str, str]] = {"back": "back", "home": "home", "home_button": "home"}
"""Ids of the keys of the navigation bar -> the gesture that does the same."""
_NO_LONG_PRESS: Final = frozenset({"field", "opener", "tab"})
"""Kinds of controls whose long press shows a name or selects text, which leads nowhere."""
_WORKING: Final = re.compile(r"(ProgressBar|ProgressIndicator|ProgressView|LoadingView|Shimmer\w*)$")
"""Classes that show that something is under way."""
_INDEX: Final = re.compile(r"\S(\n\S)+")
"""The text of an index of letters at the edge of a list."""
_VERBS: Final = {
    "button": "press",
    "link": "open",
    "opener": "open",
    "tab": "show",
    "choice": "choose",
    "field": "tap",
    "slider": "tap",
    "scroller": "tap",
}


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a gesture meets a control: the arguments that name it, and whether something may lie above."""

    args: Mapping[str, Value]
    covered: bool


def candidates(situation: Situation) -> Enumeration:
    """The candidates of a situation, in the order of the document, those of the whole phone last; and what is none.

    `finish` is one unless the guard is known not to let the task end (`Situation.done`).
    """
    tree = situation.screen.tree
    kept: list[Candidate] = []
    dropped: list[DroppedAction] = []
    taken: set[tuple[str, int]] = set()
    units, joined = _joined(tree, controls(tree))
    if len(units) > MAX_CONTROLS:
        more = f"{len(units) - MAX_CONTROLS} controls"
        dropped.append(DroppedAction(more, "too many", "only the first controls are looked at"))
    for unit in units[:MAX_CONTROLS]:
        for each in _of_unit(situation, tree, unit):
            if isinstance(each, DroppedAction):
                dropped.append(each)
                continue
            effect = (each.key.partition(".")[2], unit.taker.node)
            if effect in taken:
                dropped.append(
                    DroppedAction(each.text, "same effect", "another control takes this touch", each)
                )
                continue
            taken.add(effect)
            same = tuple(one.node.node for one in joined.get(unit.node.node, ()))
            kept.append(replace(each, same=same) if same else each)
        dropped += [
            DroppedAction(f"{_verb(one)} {_name(one)}", "same effect", f"{_name(unit)} takes this touch")
            for one in joined.get(unit.node.node, ())
        ]
    left_out = needless(situation.screen, kept)
    kept = [one for one in kept if all(one is not each.candidate for each in left_out)]
    dropped += left_out
    backs = [each.candidate for each in left_out if each.candidate is not None and each.instead == "back"]
    same = tuple(one.node for one in backs if one.node is not None)
    kept += (replace(one, same=same) if one.kind == "back" else one for one in _of_phone(situation, dropped))
    return Enumeration(tuple(_told_apart(kept)), tuple(dropped))


def _joined(tree: Tree, units: Sequence[Unit]) -> tuple[Sequence[Unit], Mapping[int, Sequence[Unit]]]:
    """The controls, those that are one touch as one; and node of a control -> those that went into it."""
    shared = one_touch(tree, units)
    if not shared:
        return units, {}
    others: dict[int, list[Unit]] = {}
    for unit in units:
        if (first := shared.get(unit.node.node)) is not None:
            others.setdefault(first, []).append(unit)
    return [
        _with(unit, others.get(unit.node.node, ())) for unit in units if unit.node.node not in shared
    ], others


def _with(unit: Unit, others: Sequence[Unit]) -> Unit:
    """A control, and texts that are one touch with it: what they say is its value, as in other rows."""
    if not others:
        return unit
    texts = list(dict.fromkeys(text for one in others if (text := words(one.node)) and text != unit.label))
    if not unit.label and unit.kind == "choice":
        named = texts[0] if texts else None
        return replace(unit, label=named, section=unit.section if unit.section != named else None)
    value = ", ".join([*([unit.value] if unit.value else ()), *texts]) or None
    return replace(unit, value=value, parts=(*unit.parts, *(Part("value", one.node) for one in others)))


def _of_unit(situation: Situation, tree: Tree, unit: Unit) -> Iterator[Candidate | DroppedAction]:
    name = _name(unit)
    window = next((one for one in tree.windows if one.window == unit.taker.window), None)
    if window is not None and is_keyboard(window):
        yield DroppedAction(f"tap {name}", "keyboard", "texts are typed as a whole")
        return
    same = _SYSTEM_KEYS.get(unit.node.id or "")
    if same is not None and unit.node.package == "com.android.systemui":
        yield DroppedAction(f"press {name}", "same effect", f"`{same}` does the same")
        return
    if unit.enabled is False or unit.taker.enabled is False:
        yield DroppedAction(f"{_verb(unit)} {name}", "disabled")
        return
    if unit.kind == "scroller":
        yield from scrolls(situation, tree, unit, name)
        if not unit.taker.takes_touch:
            return
    if _INDEX.fullmatch(unit.node.text or ""):
        yield DroppedAction(
            f"{_verb(unit)} {name}", "same effect", "scrolling reaches what its letters jump to"
        )
        return
    place = _place(tree, unit)
    if place is None:
        yield DroppedAction(f"{_verb(unit)} {name}", "covered", "no point of it takes the touch")
        return
    target = dict(place.args)
    if unit.kind == "field":
        typing = Candidate(
            f"{unit.key}.type", "type", Action("input_text", target), f"type into {name}", unit, "text"
        )
        yield typing
        yield from _included(tree, unit, typing)
        if not _may_choose(tree, unit):
            return
    if unit.kind == "slider":
        yield from _slides(tree, unit, name)
        return
    yield Candidate(f"{unit.key}.tap", "tap", Action("tap", target), f"{_verb(unit)} {name}", unit)
    if unit.taker.long_clickable is True and unit.kind not in _NO_LONG_PRESS:
        yield Candidate(
            f"{unit.key}.long_press",
            "long_press",
            Action("long_press", target),
            f"press {name} for long",
            unit,
        )
    elif unit.kind != "field":
        yield DroppedAction(f"press {name} for long", "no long press")


def _included(tree: Tree, unit: Unit, typing: Candidate) -> Iterator[DroppedAction]:
    """What typing into a field does, too."""
    clear = typing.only("clear")
    if unit.value == "" or (unit.value is None and unit.node.length == 0):
        yield DroppedAction(clear.text, "nothing to clear")
    else:
        why = "typing replaces what it holds; the empty text clears it"
        yield DroppedAction(clear.text, "same effect", why, clear, instead=typing.key)
    if not _may_choose(tree, unit):
        tap = typing.only("tap")
        yield DroppedAction(tap.text, "same effect", "typing touches it first", tap, instead=typing.key)


def _may_choose(tree: Tree, unit: Unit) -> bool:
    """Whether a field may open a chooser in place of a keyboard: it shows what is chosen, and takes no long press.

    Android has each field that takes typing take a long press, too; what only shows a choice does not.
    """
    node = unit.node
    return not (node.focused is True or unit.value == "" or node.long_clickable is True or tree.inherits)


def _slides(tree: Tree, unit: Unit, name: str) -> Iterator[Candidate]:
    node = unit.node
    x, y = node.centre
    quarter = max(1, (node.right - node.left) // 4)
    for way, to in (("left", x - quarter), ("right", x + quarter)):
        args: dict[str, Value] = {"x": x, "y": y, "x2": to, "y2": y, "direction": way}
        yield Candidate(
            f"{unit.key}.swipe.{way}", "swipe", Action("swipe", args), f"slide {name} to the {way}", unit
        )


def _of_phone(situation: Situation, dropped: list[DroppedAction]) -> Iterator[Candidate]:
    yield from _apps(situation, dropped)
    wait = Candidate("wait", "wait", Action("wait"), "wait")
    if _is_still(situation):
        dropped.append(DroppedAction(wait.text, "nothing to wait for", "nothing moves on the screen", wait))
    else:
        yield wait
    home = Candidate("home", "home", Action("home"), "go to the home screen")
    if _knows_apps(situation) and not any(_LAUNCHERS.search(app.package) for app in situation.apps):
        dropped.append(DroppedAction(home.text, "same effect", "apps are opened without it", home))
    else:
        yield home
    yield Candidate("back", "back", Action("back"), "go back")
    yield Candidate("answer", "answer", Action("answer"), "answer the user", needs="answer")
    finish = Candidate(FINISH, "finish", Action("finish"), "finish: the task is done")
    if situation.done is False:
        dropped.append(DroppedAction(finish.text, "not done", "the task's `done` does not hold", finish))
    else:
        yield finish


def _is_still(situation: Situation) -> bool:
    """Whether nothing is under way, as far as can be seen: the screen does not change, offers something, shows no
    progress, and what was done last did not leave it as it was."""
    screen, past = situation.screen, recent(situation.history)
    return (
        screen.settled
        and not (past and past[-1].effect == "NoChange")
        and any(unit.enabled is not False for unit in controls(screen.tree) if unit.kind != "scroller")
        and not any(node.cls is not None and _WORKING.search(node.cls) for node in screen.tree.nodes)
    )


def apps_of(program: Program) -> tuple[AppChoice, ...]:
    """The apps that a task's modules are about, one for each module; no parts of Android that nobody opens."""
    return tuple(
        AppChoice(packages[0], info.name.rpartition(".")[2], line(info.doc, _ABOUT))
        for info in program.modules.values()
        if info.kind == "app" and not info.generic
        if (packages := [each for each in info.packages if not each.endswith(_NOT_OPENED)])
    )


def _knows_apps(situation: Situation) -> bool:
    """Whether the apps that may be opened are named, each a candidate."""
    return 0 < len(situation.apps) <= MAX_APPS


def _apps(situation: Situation, dropped: list[DroppedAction]) -> Iterator[Candidate]:
    if not _knows_apps(situation):
        yield Candidate("open_app", "open_app", Action("open_app"), "open an app", needs="app")
        return
    here = situation.screen.app[0] if situation.screen.app is not None else None
    for app in situation.apps:
        one = Candidate(
            f"open_app.{app.package}", "open_app", Action("open_app", {"package": app.package}), _opens(app)
        )
        if app.package == here:
            dropped.append(DroppedAction(one.text, "in the foreground", "", one))
        else:
            yield one


def _opens(app: AppChoice) -> str:
    return f"open the app {short(app.name or app.package)}"


def _place(tree: Tree, unit: Unit) -> _Place | None:
    """Where a touch reaches the control: its middle, else a point of it that nothing else takes."""
    taker = unit.taker
    covered: _Place | None = None
    coarse = len(tree.nodes) * len(controls(tree)) > MAX_WORK
    for nth, (x, y) in enumerate(_points(taker, coarse=coarse)):
        touch = hit(tree, x, y)
        if touch is None or touch.taker is not taker:
            if touch is None or touch.taker is not None or nth or touch.leaf is None:
                continue
            if not (taker.encloses(touch.leaf)):  # a slider or custom view takes touches, and may not say so
                continue
        args: dict[str, Value] = {"node": taker.node} if nth == 0 else {"x": x, "y": y}
        if not touch.covered:
            return _Place(args, False)
        covered = covered or _Place(args, True)
    return covered


def _points(node: Node, *, coarse: bool) -> Iterator[tuple[int, int]]:
    yield node.centre
    width, height = node.right - node.left, node.bottom - node.top
    # the corner too: a control may be taken by others but at its edge
    yield node.left + min(1, width - 1), node.top + min(1, height - 1)
    if coarse:
        return
    for row in range(_GRID):
        for column in range(_GRID):
            yield (
                node.left + width * (2 * column + 1) // (2 * _GRID),
                node.top + height * (2 * row + 1) // (2 * _GRID),
            )


# ---------------------------------------------------------------- words


def _verb(unit: Unit) -> str:
    if unit.kind == "toggle":
        return {"on": "switch off", "off": "switch on"}.get(unit.value or "", "switch")
    return _VERBS[unit.kind]


def _name(unit: Unit) -> str:
    """The control in words: its label, else its id; and the section in which it stands."""
    if unit.label:
        name = short(unit.label)
    elif unit.node.id:
        name = f"the {unit.kind} {short(unit.node.id)}"
    else:
        name = f"a {unit.kind} without a name"
    return f"{name} under {short(unit.section)}" if unit.section else name


def _told_apart(kept: list[Candidate]) -> Iterator[Candidate]:
    """The candidates, those in the same words numbered."""
    total = Counter(one.text for one in kept)
    seen: Counter[str] = Counter()
    for one in kept:
        if total[one.text] == 1:
            yield one
            continue
        seen[one.text] += 1
        yield replace(one, text=f"{one.text} ({seen[one.text]} of {total[one.text]})")
