"""Reasons from where a gesture is made: on a closed screen, or where no module of the task knows it (`guard.md#P7`).

The modules that count are those of the task. A policy that describes another app must not make its screens known:
adding a policy never lowers a verdict. Neither does a generic module, which describes no app.
"""

from vsalang.engine.explain.match import Facts, screens_at_once
from vsalang.guard.judge.judgement import NameJudgement, Tools
from vsalang.guard.judge.polarity import doubts_told, supposing, supposing_least
from vsalang.guard.judge.unknown_touch import flags_of_touch, reasons_of_touch, touch_of
from vsalang.guard.say.verdict import Reason
from vsalang.guard.world.session_state import Snapshot
from vsalang.program.action import POINTING, Action
from vsalang.program.gestures import is_keyboard, key_of_bar
from vsalang.program.ir import Atom, Lit
from vsalang.program.meaning import UNREAD
from vsalang.program.phrases import joined, say
from vsalang.program.screen import Cells, in_front
from vsalang.program.screen_rules import match_relation
from vsalang.program.text import first_sentence, safe

_PASS_EVERYWHERE = frozenset({"back", "home", "wait"})


def ask_screen(judgement: NameJudgement) -> None:
    """P7 Screens: ask whether the screen that shows is known, and whether it is open to the gesture."""
    gesture, tools = judgement.whole.proposal.gesture, judgement.whole.tools
    if gesture is None or not passes_everywhere(tools, gesture):
        judgement.reasons += reasons_of_screen(judgement)


def reasons_of_screen(judgement: NameJudgement) -> list[Reason]:
    """What speaks against a gesture on the screen that shows; a closed one permits what some rule knows."""
    state, tools, gesture = judgement.whole.state, judgement.whole.tools, judgement.gesture
    if gesture is None or not state.screens_count:
        return []
    reasons: list[Reason] = []
    maybe = _may_show(judgement)
    for name in sorted(state.screens.union(maybe)):
        screen = tools.program.relation(name)
        known = judgement.known_anywhere if screen.module in tools.analysis.generic else judgement.known
        if screen.closed and gesture in POINTING and not known:
            text = say("reason.closed", screen=first_sentence(screen.doc) or screen.short)
            if name in maybe:
                text = say("reason.may_hold", message=text, why=maybe[name])
            names = frozenset({screen.short, name})
            change = UNREAD if name in maybe else ""
            reasons.append(
                Reason(
                    "closed",
                    "confirm",
                    text,
                    module=screen.module,
                    span=screen.span,
                    names=names,
                    change=change,
                )
            )
    touch = touch_of(judgement)
    unknown = reasons_of_touch(judgement, touch)
    judgement.flags += flags_of_touch(judgement, touch)
    if tools.unknown_screen != "allow":
        assert judgement.facts is not None
        read = bool(unknown) or touch.does in ("acts", "leads_on")
        change, words, names = "", "", frozenset[str]()
        if not read or not _undescribed(tools, state):
            words, names = _unknown(tools, state, judgement.facts)
        if not words and gesture in POINTING:
            (words, names), change = _may_clash(judgement), UNREAD
        if not words and gesture in POINTING:
            words, change = _of_another_app(tools, state, judgement.cells, read=read), UNREAD
        if words:
            reasons.append(Reason("unknown_screen", tools.unknown_screen, words, names=names, change=change))
    return reasons + unknown


def _undescribed(tools: Tools, state: Snapshot) -> bool:
    """Whether no module of the task describes a screen of the app in front: what its touches do, `std.effects` says."""
    screens = {relation.module for relation in tools.program.relations.values() if relation.sort == "screen"}
    apps = [
        module
        for name, module in tools.program.modules.items()
        if name in tools.analysis.imported and module.kind == "app" and not module.generic and name in screens
    ]
    package = in_front(state.screen)
    return not apps or (package is not None and not any(package in module.packages for module in apps))


def _may_show(judgement: NameJudgement) -> dict[str, str]:
    """The closed screens that show if what nobody read of the nodes is so -> what that is."""
    state, program = judgement.whole.state, judgement.whole.tools.program
    if state.screen is None or not state.screen.unread:
        return {}
    asked = supposing(judgement)
    reasons: dict[str, str] = {}
    for name, relation in program.relations.items():
        if relation.closed and name not in state.screens:
            ways = asked.ways((Lit(Atom(name)),))
            if ways:
                reasons[name] = doubts_told(asked, supposing_least(ways).doubts)[1]
    return reasons


def _may_clash(judgement: NameJudgement) -> tuple[str, frozenset[str]]:
    """As `_unknown`, where another screen matches, too, if what nobody read of the nodes is so."""
    state, program = judgement.whole.state, judgement.whole.tools.program
    if state.screen is None or not state.screen.unread:
        return "", frozenset()
    asked = supposing(judgement)
    for relation in map(program.relation, sorted(state.screens)):
        for other in program.relations.values():
            apart = other.sort == "screen" and other.module == relation.module and other is not relation
            if not apart or other.name in relation.over or relation.name in other.over:
                continue
            matching = match_relation(other.name)
            ways = asked.ways((Lit(Atom(matching)),)) if matching in program.relations else []
            if ways:
                text = say(
                    "reason.screens_at_once",
                    screens=joined(say("and"), [relation.short, other.short]),
                    over=relation.short,
                    under=other.short,
                )
                why = doubts_told(asked, supposing_least(ways).doubts)[1]
                names = frozenset({relation.short, relation.name, other.short, other.name})
                return say("reason.may_hold", message=text, why=why), names
    return "", frozenset()


def _of_another_app(tools: Tools, state: Snapshot, cells: Cells, *, read: bool) -> str:
    """Why it is not known what a touch is for: its node is of an app that no module describes; empty if it is not.

    What takes the touch counts, whichever app is in front. Keys of a keyboard and of the navigation bar have names of
    their own.

    Args:
        read: `std.effects` says what the touch does.
    """
    screen = state.screen
    node = cells.get("node")
    if screen is None or not isinstance(node, int):
        return ""
    package = cells.get("package")
    if package is None:
        if "package" not in screen.unread.get(node, ()):
            return ""
        windows = {row.get("window"): row.get("package") for row in screen.rows("Window")}
        package = windows.get(cells.get("window"))
        if package is None:
            return say("reason.unread_package") if any(windows.values()) else ""
    if is_keyboard(None, package) or key_of_bar(cells) is not None:
        return ""
    known = any(package in tools.program.modules[name].packages for name in tools.analysis.imported)
    return (
        ""
        if known or read or package == in_front(screen)
        else say("reason.unknown_app", app=safe(str(package)))
    )


def foreign(tools: Tools, state: Snapshot) -> str:
    """The app in front, if no module that counts describes it; empty if one does."""
    package, modules = in_front(state.screen), tools.program.modules
    known = any(package in modules[name].packages for name in tools.analysis.imported)
    return "" if package is None or known else package


def passes_everywhere(tools: Tools, gesture: Action) -> bool:
    """Whether a gesture needs no known screen: it leaves the one that shows, or opens an app of the task."""
    if gesture.name != "open_app":
        return gesture.name in _PASS_EVERYWHERE
    package = gesture.args.get("package")
    return any(
        package in module.packages
        for name, module in tools.program.modules.items()
        if name in tools.analysis.imported and module.kind == "app"
    )


def _unknown(tools: Tools, state: Snapshot, facts: Facts) -> tuple[str, frozenset[str]]:
    """Why it is not known which screen shows, and the screens that this mentions; empty if one is known."""
    program, package = tools.program, in_front(state.screen)
    apps = {
        name
        for name, module in program.modules.items()
        if module.kind == "app"
        and name in tools.analysis.imported
        and not module.generic
        and (package is None or package in module.packages)
    }
    if package is not None and not apps:
        return say("reason.unknown_app", app=safe(package)), frozenset()
    known = any(program.relation(name).module in apps for name in state.screens)
    for app in sorted(tools.analysis.generic if known else {*apps, *tools.analysis.generic}):
        clash = screens_at_once(facts, app)
        if clash:
            listed = joined(say("and"), [screen.short for screen in clash])
            words = say("reason.screens_at_once", screens=listed, over=clash[0].short, under=clash[1].short)
            return words, frozenset(name for screen in clash for name in (screen.short, screen.name))
    return ("" if known else say("reason.unknown_screen")), frozenset()
