"""Whether a touch is known to do something, known to lead on, or neither (`guard.md#touches-that-nobody-knows`).

It counts for tasks that import `std.effects`, which says what touches do in any app. That a touch leads on takes a
question away, so it must be certain; that nobody knows what it does asks one, so it is enough that it may be so.
"""

from typing import Final
from typing import Literal as OneOf

from vsalang.base.records import dataclass
from vsalang.engine.explain.match import Facts
from vsalang.guard.judge.judgement import NameJudgement, Tools
from vsalang.guard.judge.polarity import doubts_told, supposing, supposing_least
from vsalang.guard.say.touched import control_text
from vsalang.guard.say.verdict import Reason
from vsalang.program.gestures import is_keyboard, key_of_bar
from vsalang.program.ir import Atom, Lit, ModuleInfo
from vsalang.program.meaning import UNREAD
from vsalang.program.phrases import say
from vsalang.program.screen import Cells
from vsalang.program.text import safe

EFFECTS: Final = "std.effects"
"""The module that says what touches do, whichever app it is."""
_UNCLEAR: Final = f"{EFFECTS}.Unclear"
_LEADS_ON: Final = f"{EFFECTS}.LeadsOn"
_READ: Final = f"{EFFECTS}.TouchRead"
_TOUCHES: Final = frozenset({"tap", "double_tap", "long_press"})
_MOVES: Final = frozenset({"swipe", "scroll", "input_text", "clear_text", "open_app"})
"""They do nothing by themselves: what is typed is a draft, and an app that opens shows itself."""
_SLIDERS: Final = ("SeekBar", "Slider", "RatingBar")
"""What is scrolled there is a value."""
_TYPED: Final = frozenset({"input_text", "clear_text", "press_key"})
_ALONG: Final = frozenset({"up", "down"})
"""A swipe that scrolls; one to the side may throw a row away, or slide something to its end."""


@dataclass(frozen=True, slots=True)
class Touch:
    """What is known of a gesture.

    Attributes:
        does: ``acts``: an action is recognised; ``leads_on``: it does nothing, certainly; ``unknown``: neither is so.
            Empty: `std.effects` is not asked, or it is not a touch, or an app's own module explains it.
        if_so: it is unknown only if what nobody read is so, which this says.
    """

    does: OneOf["", "acts", "leads_on", "unknown"] = ""
    if_so: str = ""


NOT_ASKED: Final = Touch()


def counts(tools: Tools) -> bool:
    """Whether `std.effects` says what touches do: the task imports it."""
    return EFFECTS in tools.analysis.imported and _UNCLEAR in tools.program.relations


def touch_of(judgement: NameJudgement) -> Touch:
    """What is known of the gesture."""
    gesture, tools = judgement.gesture, judgement.whole.tools
    if gesture is None or not tools.task or not counts(tools) or _explained(judgement):
        return NOT_ASKED
    if judgement.recognized:
        return Touch("acts")
    if (known := _read_as_a_tap(judgement)) is not None:
        return known
    if _is_key(judgement) or (gesture in _TOUCHES and _said_to_lead_on(judgement)):
        return Touch("leads_on")
    if gesture in _TOUCHES:
        if not _of_node(judgement, _LEADS_ON) or _unclear(judgement):
            return Touch("unknown")
    elif not _moves(gesture, judgement.cells):
        return NOT_ASKED
    elif _unclear(judgement):
        return Touch("unknown")
    why = _may_be_unclear(judgement)
    return Touch("unknown", why) if why else Touch("leads_on")


def _moves(gesture: str, cells: Cells) -> bool:
    """Whether a gesture that is not a touch does nothing by itself."""
    if gesture == "swipe" and cells.get("direction") not in _ALONG:
        return False
    return gesture in _MOVES and not str(cells.get("class", "")).endswith(_SLIDERS)


def reasons_of_touch(judgement: NameJudgement, touch: Touch) -> list[Reason]:
    """What speaks against a touch of which nobody knows what it does."""
    level, cells = judgement.whole.tools.unknown_touch, judgement.cells
    if level == "allow":
        return []
    counts_so = touch.does == "acts" and not _of_node(judgement, _READ)
    words = _unaccepted(judgement, "acts") if counts_so else None
    if words is not None:  # a licence for what it is said to be takes no question away
        return [Reason("unknown_touch", level, words)]
    if touch.does != "unknown":
        return []
    text = say("reason.unknown_touch", control=control_text(cells) or say("reason.some_control"))
    if touch.if_so:
        text = say("reason.may_hold", message=text, why=touch.if_so)
    return [Reason("unknown_touch", level, text, change=UNREAD if touch.if_so else "")]


def _own(judgement: NameJudgement) -> tuple[ModuleInfo, ...]:
    """The modules of the task that are about the app whose node takes the touch; of any app where that is not known."""
    tools, package = judgement.whole.tools, judgement.cells.get("package")
    return tuple(
        module
        for name, module in tools.program.modules.items()
        if name in tools.analysis.imported and module.kind == "app" and not module.generic
        if package is None or package in module.packages
    )


def _explained(judgement: NameJudgement) -> bool:
    """Whether a module of the app itself knows what the gesture is for, on a screen of its."""
    whole = judgement.whole
    known = {whole.tools.program.relation(name).module for name in whole.state.screens}
    return judgement.known and any(module.name in known for module in _own(judgement))


def _read_as_a_tap(judgement: NameJudgement) -> Touch | None:
    """What a tap is that may also be the second of a double tap, if that is known: each tap was judged for itself."""
    node = judgement.cells.get("node")
    if judgement.gesture == "double_tap":
        for result in judgement.whole.results:
            if result.gesture == "tap" and result.cells.get("node") == node:
                unknown = any(reason.kind == "unknown_touch" for reason in result.reasons)
                return None if unknown else Touch("acts" if result.runs else "leads_on")
    return None


def _said_to_lead_on(judgement: NameJudgement) -> bool:
    """Whether a module of the app itself says that the touch leads on: by a definition `OnlyLeadsOn(node)`."""
    return judgement.cells.get("package") is not None and any(
        _of_node(judgement, f"{module.name}.OnlyLeadsOn") for module in _own(judgement)
    )


def _is_key(judgement: NameJudgement) -> bool:
    """Whether a key is touched of which is known what it types or does: it is judged under that name, too."""
    cells = judgement.cells
    if key_of_bar(cells) is not None:
        return True
    return is_keyboard(None, cells.get("package")) and any(
        name.gesture in _TYPED for name in judgement.whole.names
    )


def _of_node(judgement: NameJudgement, relation: str) -> bool:
    """Whether a relation of the program says something of what takes the touch, as far as was read."""
    node, declared = judgement.cells.get("node"), judgement.whole.tools.program.relations.get(relation)
    if node is None or declared is None or declared.sort != "derived":
        return False
    columns = [number for number, attr in enumerate(declared.attrs) if attr.name == "node"]
    return any(row[column] == node for column in columns for row in _facts(judgement).rows(relation))


def flags_of_touch(judgement: NameJudgement, touch: Touch) -> list[Reason]:
    """That a touch leads on is said only by an answer that no person has accepted: it is recorded."""
    words = _unaccepted(judgement, "leads on") if touch.does == "leads_on" else None
    return [Reason("unknown_touch", "allow", words)] if words is not None else []


def _unaccepted(judgement: NameJudgement, means: OneOf["acts", "leads on"]) -> str | None:
    """Who said of the control that it acts, or leads on, where no person has accepted that; None: nobody did."""
    relation = judgement.whole.tools.program.relations.get("Answered")
    if relation is None:
        return None
    node, taker = judgement.cells.get("node"), relation.column("node")
    for row in _facts(judgement).rows("Answered"):
        cells = dict(zip((attr.name for attr in relation.attrs), row, strict=True))
        if row[taker] == node and cells["means"] == means and cells["accepted"] is not True:
            control = control_text(judgement.cells) or say("reason.some_control")
            words = {"control": control, "by": safe(str(cells["by"]))}
            if means == "leads on":
                return say("reason.unaccepted", **words)
            return say("reason.unaccepted_act", **words, kind=safe(str(cells["kind"])))
    return None


def _unclear(judgement: NameJudgement) -> bool:
    """Whether `std.effects` says that nobody knows what the gesture does."""
    return any(True for _ in _facts(judgement).rows(_UNCLEAR))


def _may_be_unclear(judgement: NameJudgement) -> str:
    """What would have to be so, of what nobody read, for the gesture to be unclear; empty if it cannot be."""
    asked = supposing(judgement)
    ways = asked.ways((Lit(Atom(_UNCLEAR)),))
    return doubts_told(asked, supposing_least(ways).doubts)[1] if ways else ""


def _facts(judgement: NameJudgement) -> Facts:
    assert judgement.facts is not None
    return judgement.facts
