"""Finds what a proposal is about: its actions, what takes its gesture, and what else that may be (`guard.md#P1`)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from vsalang.engine.api import Row
from vsalang.engine.explain.terms import typed
from vsalang.guard.judge.judgement import Judgement, Tools
from vsalang.guard.judge.whereabouts import foreign
from vsalang.guard.say.verdict import Proposal, Reason
from vsalang.guard.world.beliefs import row_of
from vsalang.guard.world.session_state import JudgedProposal, Snapshot
from vsalang.program.action import POINTING, Action
from vsalang.program.gestures import Name, Surface, commands, completed_cells, names, read
from vsalang.program.ir import Program
from vsalang.program.meaning import BOXES
from vsalang.program.phrases import say
from vsalang.program.screen import Cells, Screen, UnresolvedTarget
from vsalang.program.show import quoted
from vsalang.program.text import safe
from vsalang.program.values import Value

_EDGES: Final = ("left", "top", "right", "bottom")
_OF_AGENT: Final = ("value", "direction", "duration", "x2", "y2")
"""What a gesture has of the agent, and not of its target."""

MOST_PLACES: Final = 1000
"""A gesture that more nodes may take, in the other reading of a screen, is refused: nobody could judge it in time."""


class ProposalRefused(Exception):
    """The proposal cannot be judged further; `reason` says why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.message)
        self.reason = reason


def resolve(judgement: Judgement) -> None:
    """P1 Resolve: find the instances of actions that the proposal names, and the names of its gesture.

    A proposal that cannot be resolved gets its refusal as the only result, and no names: it is judged no further.
    """
    try:
        if judgement.state.screen is None:
            # What a screen would say against it could not be seen, whatever it is.
            raise ProposalRefused(Reason("no_screen", "block", say("reason.no_screen")))
        judgement.given = instances_given(judgement.tools, judgement.proposal)
        judgement.names, judgement.typed = names_that_matter(judgement)
        judgement.otherwise = names_otherwise(judgement)
    except ProposalRefused as refused:
        judgement.names, judgement.otherwise = [], []
        judgement.results = [JudgedProposal((refused.reason,))]


# ---------------------------------------------------------------------- critical actions


def instances_given(tools: Tools, proposal: Proposal) -> dict[str, dict[str, list[Row]]]:
    """The instances that a proposal names: attempts and claims.

    Raises:
        Refused: it names an action that the program does not have, or not so.
    """
    instances: dict[str, dict[str, list[Row]]] = {"attempt": {}, "claim": {}}
    claims = (*proposal.claims, *commands(proposal.gesture))
    for kind, actions in (("attempt", proposal.attempts), ("claim", claims)):
        for action in actions:
            relation, row = _instance(tools, kind, action)
            instances[kind].setdefault(relation, []).append(row)
    return instances


def _instance(tools: Tools, kind: str, action: Action) -> tuple[str, Row]:
    program, candidates = tools.program, tools.analysis.actions.get(action.name, ())
    exact = [name for name in candidates if name == action.name] or candidates
    if len(exact) != 1:
        words = say("reason.ambiguous" if exact else "reason.no_action", action=safe(action.name))
        reason = "claim" if kind == "claim" else "unresolved"
        raise ProposalRefused(Reason(reason, "block", words, names=frozenset({action.name})))
    relation = program.relation(exact[0])
    return relation.name, row_of(relation, _arguments(program, action, relation.name))


def _arguments(program: Program, action: Action, relation: str) -> dict[str, Value]:
    declared = program.relation(relation)
    extra = sorted(action.args.keys() - {attr.name for attr in declared.attrs})
    if extra:
        text = say("reason.no_parameter", action=safe(action.name), names=", ".join(map(safe, extra)))
        raise ProposalRefused(Reason("unresolved", "block", text, names=frozenset({action.name})))
    arguments: dict[str, Value] = {}
    action_args: Mapping[str, object] = action.args
    for name, value in action_args.items():
        if value is None:
            continue  # unknown
        type_ = declared.attr(name).type
        known_value = typed(value, type_)
        if known_value is None:
            text = say("reason.wrong_type", action=safe(action.name), name=name, type=str(type_))
            raise ProposalRefused(Reason("unresolved", "block", text, names=frozenset({action.name, name})))
        arguments[name] = known_value
    return arguments


# ---------------------------------------------------------------------- the gesture


def names_that_matter(judgement: Judgement) -> tuple[list[Name], Cells | None]:
    """The gesture under each of its names, with the attributes of what takes it, as proposed first; what it types.

    Names that no rule mentions are left out.

    Raises:
        Refused: the gesture has no target on the screen.
    """
    gesture = judgement.proposal.gesture
    if gesture is None:
        return [Name("", {}, "same")], None
    state, context, tools = judgement.state, judgement.context, judgement.tools
    assert state.screen is not None
    surface = _surface(tools, state.screen)
    own = [read(surface, name) for name in _as_proposed(tools, state, gesture)]
    recent = state.recent.at_time(context.timeline or context.now)
    whole = any(name not in ("value", "x", "y") for name in gesture.args)
    others = [
        read(surface, name)
        for way in own
        for name in names(surface, way.gesture, way.cells, recent, whole=whole)
    ]
    typed_too = next((n.cells for n in (*own, *others) if n.gesture == "input_text" and not n.only), None)
    closed = any(tools.program.relation(name).closed for name in state.screens)
    by_action = {(n.gesture, frozenset(n.cells.items())): n for n in reversed(others)}
    by_action |= {(n.gesture, frozenset(n.cells.items())): n for n in own}
    matter = tools.analysis.relevance.matters
    rest = [n for n in reversed(by_action.values()) if n not in own and matter(n, context, closed=closed)]
    return [*own, *rest], typed_too


def names_otherwise(judgement: Judgement) -> list[list[Name]]:
    """The names of the gesture in the other reading of the screen, those of each node that may take it by themselves.

    What takes it in the first reading comes first; of the others those names that some rule mentions.

    Raises:
        Refused: too many nodes may take it.
    """
    state, context, tools = judgement.state, judgement.context, judgement.tools
    gesture = judgement.proposal.gesture
    assert state.screen is not None
    # with what changed since the last action: the look before may have another reading, too
    other = (state.compared or state.screen).otherwise
    if other is None:
        return []
    first = judgement.names[0]
    if gesture is None:
        return [[first]]
    taken = state.screen.perhaps(first.gesture, first.cells)
    agent_cells = {name: first.cells[name] for name in _OF_AGENT if name in first.cells}
    ways = [completed_cells(first.gesture, {**agent_cells, **cells}) for cells in taken]
    if not taken or taken[0].get("node") != first.cells.get("node"):
        ways.insert(0, first.cells)
    recent = state.recent.at_time(context.timeline or context.now)
    whole = any(name not in ("value", "x", "y") for name in gesture.args)
    surface, matter = Surface(other), tools.analysis.relevance.matters
    closed = any(tools.program.relation(name).closed for name in state.screens)
    names_by_place: list[list[Name]] = []
    for number, cells in enumerate(ways):
        others = names(surface, first.gesture, cells, recent, whole=whole)
        if not number:
            others = (*others, *_candidates(judgement.names, other))
        every = [read(surface, name) for name in (Name(first.gesture, cells), *others)]
        mine = [name for name in every if matter(name, context, closed=closed)]
        if not number or mine:
            names_by_place.append(
                [replace(every[0], role="same"), *(name for name in mine if name is not every[0])]
            )
    if len(names_by_place) > MOST_PLACES:
        text = say("reason.many_places", count=len(names_by_place))
        raise ProposalRefused(Reason("unresolved", "block", text, change=BOXES))
    return names_by_place


def _candidates(known: Sequence[Name], other: Screen) -> list[Name]:
    """The gesture on the other nodes that may take it in the first reading, as they are in the other one."""
    first = known[0]
    rows = {row.get("node"): row for row in other.rows("Node")}
    return [
        Name(first.gesture, {**name.cells, **rows.get(name.cells.get("node"), {})})
        for name in known[1:]
        if name.gesture == first.gesture and name.cells.get("node") not in (None, first.cells.get("node"))
    ]


def _surface(tools: Tools, screen: Screen) -> Surface:
    """A screen as gestures see it: remembered until another one is judged on."""
    if tools.surface is None or tools.surface.screen is not screen:
        tools.surface = Surface(screen)
    return tools.surface


def _as_proposed(tools: Tools, state: Snapshot, gesture: Action) -> list[Name]:
    """The gesture as it was proposed; twice if something else may take the touch."""
    relation = tools.program.relations.get(gesture.name)
    if relation is None or relation.sort != "gesture":
        raise ProposalRefused(
            Reason("unresolved", "block", say("reason.no_gesture", action=safe(gesture.name)))
        )
    assert state.screen is not None
    args = _arguments(tools.program, gesture, gesture.name)
    pointed = args.keys() - {"value", "direction", "duration", "x2", "y2"}
    if gesture.name not in POINTING or (gesture.name in ("swipe", "scroll") and not pointed):
        return [Name(gesture.name, completed_cells(gesture.name, args), "same")]
    try:
        target = state.screen.target(gesture.name, args)
    except UnresolvedTarget as error:
        problem = str(error)
        app = foreign(tools, state)
        if app:
            problem = say("reason.in_front", problem=problem, app=quoted(app))
        words = say("reason.unresolved", gesture=gesture.name, problem=problem)
        raise ProposalRefused(Reason("unresolved", "block", words)) from error
    own = {name: value for name, value in args.items() if name not in pointed}
    cells = completed_cells(gesture.name, {**own, **target})
    ways = [Name(gesture.name, cells, "same")]
    others: list[Cells] = []
    if cells.get("covered") is True:
        others = [covering(state.screen, cells), *unsure(state.screen, cells)]
    elif not pointed:
        # typing reaches what has the focus: each node of which that is not known not to be so
        surface = _surface(tools, state.screen)
        others = [row for row in surface.fields or surface.focused if row.get("node") != cells.get("node")]
    for other in others:
        name = Name(gesture.name, completed_cells(gesture.name, {**own, **other}))
        if name not in ways:
            ways.append(name)
    if (place := _nowhere(state.screen, cells)) is not None:
        unread = frozenset(attr.name for attr in relation.attrs) - own.keys() - place.keys()
        ways.append(Name(gesture.name, completed_cells(gesture.name, {**own, **place}), unread=unread))
    return ways


def _nowhere(screen: Screen, cells: Cells) -> Cells | None:
    """The point and the package of a touch that a node may take which the source counts and does not give; else None.

    That is so where the innermost node counts such a child, and nothing around it is known to take the touch.
    """
    leaf, taker = cells.get("leaf"), cells.get("node")
    if leaf not in screen.counting:
        return None
    rows = {row.get("node"): row for row in screen.rows("Node")}
    row = rows[leaf]
    if _takes(row) or (taker in rows and _takes(rows[taker])):
        return None
    place = {name: value for name in ("x", "y") if (value := cells.get(name)) is not None}
    return {**place, **({"package": row["package"]} if row.get("package") is not None else {})}


def covering(screen: Screen, cells: Cells) -> Cells:
    """The cells of a gesture if another node takes it; only the point, if no node is known that might.

    That is the node drawn last at the point (``leaf``) where it lies outside of what takes the touch, or where that is
    not known to take any; else the last one there that does not say whether it is clickable; else the last one outside
    that takes touches, and else the last one outside. "Last" is by the order in which the screen gives its nodes:
    numbers say which node it is, not where it is.

    Args:
        screen: on which it was resolved.
        cells: as `Screen.target` gave them.
    """
    point = {name: value for name in ("x", "y") if (value := cells.get(name)) is not None}
    x, y, taker = cells.get("x"), cells.get("y"), cells.get("node")
    rows = {number: row for row in screen.rows("Node") if isinstance(number := row.get("node"), int)}
    leaf = cells.get("leaf")
    sure = isinstance(taker, int) and taker in rows and _takes(rows[taker])
    if isinstance(leaf, int) and leaf in rows and leaf != taker and not (sure and _inside(rows, leaf, taker)):
        return {**rows[leaf], **point}
    here = [
        (number, row)
        for number, row in rows.items()
        if number != taker and _holds(row, x, y) and not _inside(rows, taker, number)
    ]
    outside = [(number, row) for number, row in here if not _inside(rows, number, taker)]
    for candidates in (
        [row for _, row in here if row.get("clickable") is None],
        [row for _, row in outside if _takes(row)],
        [row for _, row in outside],
    ):
        if candidates:
            return {**candidates[-1], **point}
    return point


def unsure(screen: Screen, cells: Cells) -> list[Cells]:
    """The cells of a gesture if a node takes it that does not say whether it takes touches, for each that is there.

    Args:
        screen: on which it was resolved.
        cells: as `Screen.target` gave them.
    """
    x, y, taker = cells.get("x"), cells.get("y"), cells.get("node")
    point = {name: value for name in ("x", "y") if (value := cells.get(name)) is not None}
    rows = tuple(screen.rows("Node"))
    unsure_rows = any("long_clickable" in row for row in rows)
    return [
        {**row, **point}
        for row in rows
        if isinstance(number := row.get("node"), int)
        and number != taker
        and (unread := screen.unread.get(number))
        and ("clickable" in unread or (unsure_rows and "long_clickable" in unread and not _takes(row)))
        and _holds(row, x, y)
    ]


def _takes(row: Cells) -> bool:
    return row.get("clickable") is True or row.get("long_clickable") is True


def _inside(rows: Mapping[int, Cells], node: Value | None, outer: Value | None) -> bool:
    """Whether a node is another one or lies in it. Parents that go round in a circle count as inside."""
    for _ in range(len(rows) + 1):
        if node is None:
            return False
        if node == outer:
            return True
        row = rows.get(node) if isinstance(node, int) else None
        if row is None:
            return False
        node = row.get("parent")
    return True


def _holds(row: Cells, x: Value | None, y: Value | None) -> bool:
    edges = [row.get(name) for name in _EDGES]
    if not all(isinstance(value, int) for value in (x, y, *edges)):
        return False
    left, top, right, bottom = edges
    return left <= x < right and top <= y < bottom  # type: ignore[operator]
