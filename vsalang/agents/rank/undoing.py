"""Finds the act that takes a step back: by recorded values, by the opposite scroll, by a declared edge, else by `back`.

V-Droid (section 4.4) maps each kind of action to its reverse, and takes `back` for the reverse of every tap. Of 77
recorded taps that was so of 49. Here the screen before the step says what there was, and the screen that shows says
whether an act brings it back. Critical actions are never undone: what was sent, paid or deleted is not unsent by
another act. Nothing here is done: each act is proposed, and judged like any other.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final, Literal, Protocol, TypeAlias

from vsalang.base.records import dataclass
from vsalang.guard import Proposal, Verdict
from vsalang.guard.graph.commitment import Stop, aim
from vsalang.program.action import Action
from vsalang.program.screen import UnresolvedTarget
from vsalang.screen.control import Delta, Unit, controls, delta
from vsalang.screen.control.keys import marked
from vsalang.screen.quoting import short
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Node

Way: TypeAlias = Literal["value", "toggle", "choice", "scroll", "app", "edge", "back"]
"""How a step is taken back: the text that was there, the toggle as it stood, what was chosen, the opposite movement,
the app that was in front, an edge that a `goto` rule declares, the key Back."""

TAKES_BACK: Final = "takes a step back"
"""How the note on an act begins that takes a step back."""
_OPPOSITE: Final[Mapping[str, str]] = {"up": "down", "down": "up", "left": "right", "right": "left"}
_TOUCHES: Final = frozenset({"tap", "double_tap", "long_press"})
_TYPING: Final = frozenset({"input_text", "clear_text"})
_MOVES: Final = frozenset({"scroll", "swipe"})
_LEAVING: Final = frozenset({"open_app", "home"})


@dataclass(frozen=True, slots=True)
class PerformedStep:
    """A step that was carried out, as it may be undone.

    Attributes:
        verdict: on which it was committed.
        before: the screen that it was done on.
        after: the screen that was observed next.
        problem: why it is not certain that it arrived, or what took it; empty: it is.
    """

    verdict: Verdict
    before: TreeScreen
    after: TreeScreen
    problem: str = ""

    @property
    def gesture(self) -> Action | None:
        """What was done."""
        return self.verdict.proposal.gesture


@dataclass(frozen=True, slots=True)
class Undo:
    """An act that takes a step back, or one act of several.

    Attributes:
        action: what is proposed.
        way: by what it takes the step back.
        text: in words.
    """

    action: Action
    way: Way
    text: str


@dataclass(frozen=True, slots=True)
class NoUndo:
    """Why there is none.

    Attributes:
        kind: ``done``: there is nothing to take back (any more); ``refused``: it is never taken back by an act;
            ``unknown``: nobody knows how.
        why: in words.
    """

    kind: Literal["done", "refused", "unknown"]
    why: str


class Judges(Protocol):
    """What is asked of a guard."""

    @property
    def screens(self) -> frozenset[str]:
        """The screens of the program that show."""
        ...

    def judge_all(self, actions: Sequence[Action | Proposal]) -> tuple[Verdict, ...]: ...


def undo(step: PerformedStep, now: TreeScreen, guard: Judges, screens: Collection[str] = ()) -> Undo | NoUndo:
    """The next act that takes a step back on the screen that shows; ask again after it, until there is none.

    Args:
        step: the last one that was carried out, but for acts that undo it.
        now: the screen that the guard has observed last.
        guard: says which of the acts it would not block.
        screens: the screens of the program that showed before the step: a `goto` rule that leads there is an edge back.
    """
    refused = _refused(step)
    if refused is not None:
        return NoUndo("refused", refused)
    if is_undone(step, now):
        return NoUndo("done", "the screen is as it was before the step")
    options: list[Undo] = []
    for options_of in (_own_values, _movement, _app):
        found_acts = options_of(step, now)
        if isinstance(found_acts, NoUndo):
            return found_acts
        options += found_acts
    # an act on the control itself says best what is taken back; else one leaves what the step opened
    options += _ways_out(step, now, guard, screens) if not options else []
    return _best(options, guard)


def is_undone(step: PerformedStep, now: TreeScreen) -> bool:
    """Whether nothing that the step changed is different from before it, as far as the screens tell."""
    gesture = step.gesture
    if step.before.fingerprint == now.fingerprint:
        return True
    if _package(step.before) != _package(now):
        return False
    found_acts = _changes(step.before, now, gesture)
    return found_acts.transition == "NoChange"


def _refused(step: PerformedStep) -> str | None:
    """Why the step is never taken back by another act; None: it may be."""
    verdict = step.verdict
    if verdict.actions or verdict.proposal.attempts or verdict.proposal.claims:
        names = ", ".join(dict.fromkeys(each.name.rpartition(".")[2] for each in verdict.actions))
        return f"{names or 'it'} is a critical action: what it did is not undone by another act"
    if step.gesture is None:
        return "it is not a gesture"
    if any(reason.kind == "unknown_touch" for reason in (*verdict.reasons, *verdict.flags)):
        return "nobody knows what the touch did"
    if step.problem:
        return f"it is not certain what was done: {step.problem}"
    return None


def _changes(before: TreeScreen, now: TreeScreen, gesture: Action | None) -> Delta:
    return delta(before.tree, now.tree, scrolled=gesture is not None and gesture.name in _MOVES)


# ---------------------------------------------------------------- what the control held


def _own_values(step: PerformedStep, now: TreeScreen) -> list[Undo] | NoUndo:
    """The acts that give the control the value that the screen before shows."""
    gesture = step.gesture
    assert gesture is not None
    if gesture.name in _TYPING:
        return _typed(step, now, gesture)
    if gesture.name not in _TOUCHES:
        return []
    unit = _touched(step.before, gesture)
    if unit is None:
        return []
    if unit.kind == "toggle":
        return _toggled(step, now, unit)
    return _chosen(step, now, unit) if unit.kind == "choice" else []


def _typed(step: PerformedStep, now: TreeScreen, gesture: Action) -> list[Undo] | NoUndo:
    try:
        cells = step.before.target(gesture.name, gesture.args)
    except UnresolvedTarget:
        return NoUndo("unknown", "the field of before is not found on its screen")
    number = cells.get("node")
    field = step.before.tree.by_number.get(number) if isinstance(number, int) else None
    if field is None:
        return NoUndo("unknown", "the field of before is not found on its screen")
    if field.password is not False or "text" in field.unread:
        return NoUndo("refused", "what the field held is not known: it is a password's, or nobody read it")
    # a field that shows its hint holds nothing
    held = "" if field.length == 0 or field.text is None or field.text == field.hint else field.text
    there = _same_node(field, step.before, now)
    if there is None:
        return NoUndo("unknown", "the field does not show any more")
    shows = "" if there.length == 0 or there.text == there.hint else there.text
    if shows == held:
        return NoUndo("done", "the field holds what it held before")
    if held:
        action = Action("input_text", {"node": there.node, "value": held})
        return [Undo(action, "value", f"type {short(held)} again")]
    return [Undo(Action("clear_text", {"node": there.node}), "value", "clear what was typed")]


def _toggled(step: PerformedStep, now: TreeScreen, unit: Unit) -> list[Undo] | NoUndo:
    if unit.value not in ("on", "off"):
        return []
    there = _unit_again(unit, step.before, now)
    if there is None or there.value not in ("on", "off"):
        return []
    if there.value != unit.value:
        name = short(unit.label or unit.node.id or "it")
        return [
            Undo(Action("tap", {"node": there.taker.node}), "toggle", f"switch {name} {unit.value} again")
        ]
    return []


def _chosen(step: PerformedStep, now: TreeScreen, unit: Unit) -> list[Undo] | NoUndo:
    """The choice that was made before, of those that stand with the one that was touched."""
    others = [one for one in controls(step.before.tree) if one.kind == "choice" and _together(one, unit)]
    was = next((one for one in others if one.value == "on"), None)
    if was is None or was.node.node == unit.node.node:
        return []
    there = _unit_again(was, step.before, now)
    if there is None:
        return []
    if there.value == "on":
        return NoUndo("done", "what was chosen before is chosen")
    name = short(was.label or was.node.id or "it")
    return [Undo(Action("tap", {"node": there.taker.node}), "choice", f"choose {name} again")]


def _together(one: Unit, other: Unit) -> bool:
    return one.section == other.section or one.node.parent == other.node.parent


# ---------------------------------------------------------------- movements and apps


def _movement(step: PerformedStep, now: TreeScreen) -> list[Undo] | NoUndo:
    gesture = step.gesture
    assert gesture is not None
    if gesture.name not in _MOVES:
        return []
    args = gesture.args
    if gesture.name == "swipe" and {"x", "y", "x2", "y2"} <= args.keys():
        turned = {**args, "x": args["x2"], "y": args["y2"], "x2": args["x"], "y2": args["y"]}
    else:
        turned = dict(args)
    way = args.get("direction")
    if isinstance(way, str) and way in _OPPOSITE:
        turned["direction"] = _OPPOSITE[way]
    elif turned == dict(args):
        return NoUndo("unknown", "nobody knows which way it moved")
    aimed = (
        aim(Action(gesture.name, turned), step.before, now)
        if "node" in args
        else Action(gesture.name, turned)
    )
    if isinstance(aimed, Stop):
        return NoUndo("unknown", "what was moved does not show any more")
    return [Undo(aimed, "scroll", f"{gesture.name} {aimed.args.get('direction', 'back')}")]


def _app(step: PerformedStep, now: TreeScreen) -> list[Undo] | NoUndo:
    """The app that was in front, where the step (or a `back` that undoes it) left it."""
    before, here = _package(step.before), _package(now)
    gesture = step.gesture
    assert gesture is not None
    if before is None or before == here:
        return []
    if gesture.name not in _LEAVING and _package(step.after) != before:
        return []  # the step opened the other app: `back` is the way out
    return [Undo(Action("open_app", {"package": before}), "app", f"open {short(before)} again")]


def _package(screen: TreeScreen) -> str | None:
    return screen.app[0] if screen.app is not None else None


# ---------------------------------------------------------------- ways out


def _ways_out(step: PerformedStep, now: TreeScreen, guard: Judges, screens: Collection[str]) -> list[Undo]:
    """The acts that leave what the step opened: taps that lead to the screens of before by a rule, then `back`.

    None if the page of before still shows: `back` would leave that one.
    """
    gesture = step.gesture
    assert gesture is not None
    if gesture.name == "back" or not _opened(step, now, guard, screens):
        return []
    ways: list[Undo] = []
    if screens:
        taps = [
            (unit, Action("tap", {"node": unit.taker.node}))
            for unit in controls(now.tree)
            if unit.enabled is not False and unit.kind in ("button", "link", "tab")
        ]
        verdicts = guard.judge_all([action for _, action in taps])
        for (unit, action), verdict in zip(taps, verdicts, strict=True):
            if verdict.level == "allow" and not verdict.actions and set(screens) & set(verdict.screens):
                name = short(unit.label or unit.node.id or "it")
                ways.append(Undo(action, "edge", f"tap {name}, which leads back by a rule"))
    return [*ways, Undo(Action("back"), "back", "press Back")]


def _opened(step: PerformedStep, now: TreeScreen, guard: Judges, screens: Collection[str]) -> bool:
    """Whether another page, a dialog or another app shows in place of, or above, what showed before."""
    if _package(step.before) != _package(now) or step.before.app != now.app:
        return True
    if screens and guard.screens and set(screens) != guard.screens:
        return True
    before, after = step.before.tree.windows, now.tree.windows
    if len(before) != len(after):
        return True
    return _changes(step.before, now, step.gesture).transition == "NewPage"


def _best(options: Sequence[Undo], guard: Judges) -> Undo | NoUndo:
    """The first that the guard allows, else the first that it does not block."""
    if not options:
        return NoUndo("unknown", "nothing is known that takes it back")
    verdicts = guard.judge_all([one.action for one in options])
    for level in ("allow", "confirm"):
        for one, verdict in zip(options, verdicts, strict=True):
            if verdict.level == level and not verdict.actions:
                return one
    why = (
        "; ".join(dict.fromkeys(r.message for v in verdicts for r in v.reasons)) or "it is a critical action"
    )
    return NoUndo("refused", f"{options[0].text}: {why}")


# ---------------------------------------------------------------- the same control on another screen


def _touched(screen: TreeScreen, gesture: Action) -> Unit | None:
    try:
        number = screen.target(gesture.name, gesture.args).get("node")
    except UnresolvedTarget:
        return None
    units = [unit for unit in controls(screen.tree) if number in (unit.taker.node, unit.node.node)]
    return units[0] if units else None


def _same_node(node: Node, before: TreeScreen, now: TreeScreen) -> Node | None:
    """The same node on another screen; None: it is not there, or several look alike."""
    mark = marked(before.tree).get(node.node)
    if mark is None or not mark.certain:
        return None
    marks = marked(now.tree)
    same = [
        one
        for one in now.tree.nodes
        if (other := marks.get(one.node)) and other.certain and other.key == mark.key
    ]
    return same[0] if len(same) == 1 else None


def _unit_again(unit: Unit, before: TreeScreen, now: TreeScreen) -> Unit | None:
    node = _same_node(unit.node, before, now)
    if node is None:
        return None
    return next((one for one in controls(now.tree) if one.node.node == node.node), None)


__all__ = ["NoUndo", "PerformedStep", "Undo", "Way", "is_undone", "undo"]
