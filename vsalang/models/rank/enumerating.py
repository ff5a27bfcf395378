"""Enumerates what could be done on a screen: one candidate for each effect, by the kind of each control.

V-Droid (section 4.1) takes a click and a long press of every node that may take one, four directions for all that
scrolls, and typing and clearing for every field. Here a control has the gestures of its kind; a gesture on it must
reach it (hit testing), and two that reach the same node are one candidate. What would change nothing is not one.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from vsalang.base.records import dataclass
from vsalang.guard.graph import FINISH
from vsalang.models.rank.candidate import Candidate, DroppedAction, Enumeration
from vsalang.models.rank.one_touch import one_touch
from vsalang.models.rank.situation import AppChoice, Situation, recent
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.program.text import line
from vsalang.program.values import Value
from vsalang.screen.control import Part, Unit, controls
from vsalang.screen.control.relevance import holds_rows, words
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
_SIDEWAYS: Final = ("HorizontalScrollView", "ViewPager", "ViewPager2")
_SNAPPING: Final = ("ViewPager", "ViewPager2", "NumberPicker", "Picker", "WebView")
"""Endings of classes that stand at the beginning of a row or page wherever they were scrolled to, or hold no rows."""
_ROWS: Final = 3
"""Of fewer rows it cannot be said whether the first is cut."""
_NO_LONG_PRESS: Final = frozenset({"field", "opener", "tab"})
"""Kinds of controls whose long press shows a name or selects text, which leads nowhere."""
_PAGERS: Final = ("ViewPager", "ViewPager2")
_WORKING: Final = re.compile(r"(ProgressBar|ProgressIndicator|ProgressView|LoadingView|Shimmer\w*)$")
"""Classes that show that something is under way."""
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
        left_out = len(units) - MAX_CONTROLS
        dropped.append(
            DroppedAction(f"{left_out} controls", "too many", "only the first controls are looked at")
        )
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
    kept += _of_phone(situation, dropped)
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
    texts = dict.fromkeys(text for one in others if (text := words(one.node)) and text != unit.label)
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
        yield from _scrolls(situation, tree, unit, name)
        if not unit.taker.takes_touch:
            return
    place = _place(tree, unit)
    if place is None:
        yield DroppedAction(f"{_verb(unit)} {name}", "covered", "no point of it takes the touch")
        return
    target = dict(place.args)
    if unit.kind == "field":
        yield Candidate(
            f"{unit.key}.type", "type", Action("input_text", target), f"type into {name}", unit, "text"
        )
        if unit.value == "" or (unit.value is None and unit.node.length == 0):
            yield DroppedAction(f"clear {name}", "nothing to clear")
        else:
            yield Candidate(f"{unit.key}.clear", "clear", Action("clear_text", target), f"clear {name}", unit)
        if unit.node.focused is True or unit.value == "":
            # what opens a chooser in place of a keyboard shows what is chosen
            yield DroppedAction(f"tap {name}", "same effect", "typing reaches it without a touch")
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


def _scrolls(situation: Situation, tree: Tree, unit: Unit, name: str) -> Iterator[Candidate | DroppedAction]:
    """The directions in which something may be: along its children, and not where nothing more is."""
    sideways = _sideways(tree, unit.node)
    inner = _inner_scroller(tree, unit.node, sideways)
    if inner is not None:
        yield DroppedAction(f"scroll in {name}", "same effect", "what scrolls inside it takes the movement")
        return
    if unit.node.cls in _PAGERS and sum(1 for one in controls(tree) if one.kind == "tab") > 1:
        yield DroppedAction(f"scroll in {name}", "same effect", "its tabs show its pages")
        return
    on, back = ("right", "left") if sideways else ("down", "up")
    ended = _ends(situation, unit.key)
    for way in (on, back):
        key, text = f"{unit.key}.scroll.{way}", f"scroll {way} in {name}"
        if key in ended:
            yield DroppedAction(text, "scrolled to its end", "it moved nothing")
        elif way == on and _ends_here(situation, tree, unit.node, sideways):
            yield DroppedAction(text, "scrolled to its end", "what it holds ends before its edge")
        elif way == back and _begins_here(situation, tree, unit, sideways):
            yield DroppedAction(text, "scrolled to its end", "it shows its beginning")
        else:
            args: dict[str, Value] = {"node": unit.node.node, "direction": way}
            yield Candidate(key, "scroll", Action("scroll", args), text, unit)


def _sideways(tree: Tree, node: Node) -> bool:
    """Whether its content moves to the left and right: by its class, else as its children stand."""
    if node.cls is not None and node.cls in _SIDEWAYS:
        return True
    children = tree.children.get(node.node, ())
    if len(children) < 2 or (node.cls is not None and node.cls.endswith("ScrollView")):
        return False
    return all(one.right <= other.left for one, other in pairwise(children))


def _inner_scroller(tree: Tree, node: Node, sideways: bool) -> Node | None:
    """What scrolls the same way inside of it, and takes a movement at its middle or fills most of it."""
    x, y = node.centre
    size = (node.right - node.left) * (node.bottom - node.top)
    for inner in tree.inside(node)[1:]:
        if inner.scrollable is True and _sideways(tree, inner) == sideways:
            filled = (inner.right - inner.left) * (inner.bottom - inner.top)
            if inner.holds(x, y) or 2 * filled > size:
                return inner
    return None


def _ends(situation: Situation, key: str) -> frozenset[str]:
    """The keys of scrolls that moved nothing, since when nothing else was done than to scroll there."""
    ended = set()
    for step in reversed(recent(situation.history)):
        if step.kind != "scroll" or not step.key.startswith(f"{key}.") or step.effect != "NoChange":
            break
        ended.add(step.key)
    return frozenset(ended)


def _ends_here(situation: Situation, tree: Tree, node: Node, sideways: bool) -> bool:
    """Whether its rows end well before its edge: where more rows were they would show there."""
    children = tree.children.get(node.node, ())
    if situation.screen.partial or not children or not holds_rows(node):
        return False
    if sideways:
        gap, row = node.right - children[-1].right, children[-1].right - children[-1].left
    else:
        last = max(children, key=lambda one: one.bottom)
        gap, row = node.bottom - last.bottom, last.bottom - last.top
    return gap > row


def _begins_here(situation: Situation, tree: Tree, unit: Unit, sideways: bool) -> bool:
    """Whether nothing was scrolled there before, and nothing shows that it stands elsewhere than at its beginning.

    Pages open at their beginning, but for those that move by whole pages or wheels, and rows whose first is cut.
    """
    node = unit.node
    scrolled = (step.key for step in recent(situation.history) if step.kind == "scroll")
    if any(key.startswith(f"{unit.key}.") for key in scrolled):
        return False
    if node.cls is not None and node.cls.endswith(_SNAPPING):
        return False
    children = tree.children.get(node.node, ())
    if situation.screen.partial or not holds_rows(node) or len(children) < _ROWS:
        return True  # nothing tells
    sizes = [one.right - one.left if sideways else one.bottom - one.top for one in children]
    inner = zip(children[1:-1], sizes[1:-1], strict=True)
    alike = [size for one, size in inner if one.cls == children[0].cls]
    return not alike or sizes[0] >= min(alike)


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
