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
from vsalang.program.ir import Atom, Lit
from vsalang.program.meaning import UNREAD
from vsalang.program.phrases import say

EFFECTS: Final = "std.effects"
"""The module that says what touches do, whichever app it is."""
_UNCLEAR: Final = f"{EFFECTS}.Unclear"
_LEADS_ON: Final = f"{EFFECTS}.LeadsOn"
_TOUCHES: Final = frozenset({"tap", "double_tap", "long_press"})
_MOVES: Final = frozenset({"scroll", "input_text", "clear_text", "open_app"})
"""They do nothing by themselves: what is typed is a draft, and an app that opens shows itself."""
_TYPED: Final = frozenset({"input_text", "clear_text", "press_key"})
_ALONG: Final = frozenset({"up", "down"})
"""A swipe that scrolls; one to the side may throw a row away, or slide something to its end."""


@dataclass(frozen=True, slots=True)
class Touch:
    """What is known of a gesture.

    Attributes:
        does: ``acts``: an action is recognised; ``leads on``: it does nothing, certainly; ``unknown``: neither is so.
            Empty: `std.effects` is not asked, or it is not a touch, or an app's own module explains it.
        if_so: it is unknown only if what nobody read is so, which this says.
    """

    does: OneOf["", "acts", "leads on", "unknown"] = ""
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
    if _is_key(judgement):
        return Touch("leads on")
    if gesture in _TOUCHES:
        if not _leads_on(judgement) or _unclear(judgement):
            return Touch("unknown")
    elif gesture not in _MOVES and not (gesture == "swipe" and judgement.cells.get("direction") in _ALONG):
        return NOT_ASKED
    elif _unclear(judgement):
        return Touch("unknown")
    why = _may_be_unclear(judgement)
    return Touch("unknown", why) if why else Touch("leads on")


def reasons_of_touch(judgement: NameJudgement, touch: Touch) -> list[Reason]:
    """What speaks against a touch of which nobody knows what it does."""
    level, cells = judgement.whole.tools.unknown_touch, judgement.cells
    if touch.does != "unknown" or level == "allow":
        return []
    text = say("reason.unknown_touch", control=control_text(cells) or say("reason.some_control"))
    if touch.if_so:
        text = say("reason.may_hold", message=text, why=touch.if_so)
    return [Reason("unknown_touch", level, text, change=UNREAD if touch.if_so else "")]


def _explained(judgement: NameJudgement) -> bool:
    """Whether a module of the app itself knows what the gesture is for, and which screen shows."""
    whole = judgement.whole
    tools, package = whole.tools, judgement.cells.get("package")
    if not judgement.known:
        return False
    apps = {tools.program.relation(name).module for name in whole.state.screens} - tools.analysis.generic
    return any(
        package is None or package in tools.program.modules[name].packages
        for name in apps & tools.analysis.imported
    )


def _is_key(judgement: NameJudgement) -> bool:
    """Whether a key is touched of which is known what it types or does: it is judged under that name, too."""
    cells = judgement.cells
    if key_of_bar(cells) is not None:
        return True
    return is_keyboard(None, cells.get("package")) and any(
        name.gesture in _TYPED for name in judgement.whole.names
    )


def _leads_on(judgement: NameJudgement) -> bool:
    """Whether what takes the touch leads on, as far as was read."""
    node = judgement.cells.get("node")
    column = judgement.whole.tools.program.relation(_LEADS_ON).column("node")
    return node is not None and any(row[column] == node for row in _facts(judgement).rows(_LEADS_ON))


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
