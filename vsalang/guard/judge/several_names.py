"""Judges the several names of one gesture, each from the same moment, and joins what they ask for (`guard.md#P9`).

The same touches and keys may have several names (`vsalang.program.gestures`), and something else may take a touch:
whatever one of them asks for is asked for.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from vsalang.engine.api import Row
from vsalang.guard.judge.either_way import counted, renamed, settle, under_both_names
from vsalang.guard.judge.in_full import told_in_full
from vsalang.guard.judge.judgement import Judgement, NameJudgement, Tools
from vsalang.guard.judge.nodes_read import nodes_read
from vsalang.guard.say.verdict import Reason, worst
from vsalang.guard.world.about_actions import NodesRead
from vsalang.guard.world.beliefs import World, apply, doubted
from vsalang.guard.world.rule_book import of_a_gesture
from vsalang.guard.world.session_state import Expectation, JudgedProposal
from vsalang.program.gestures import Name
from vsalang.program.ir import Program
from vsalang.program.meaning import BOXES
from vsalang.program.phrases import say
from vsalang.program.screen import Cells, Screen
from vsalang.program.show import quoted
from vsalang.program.similarity import problem_of
from vsalang.program.text import line
from vsalang.program.values import Value

_SHOWN = 3
NameStep: TypeAlias = Callable[[NameJudgement], None]


@dataclass(frozen=True, slots=True)
class ForEachName:
    """Takes the steps for each name of the gesture, and leaves the moment as it was.

    Where boxes of the screen cannot be right, the gesture is judged in the other reading of the screen, too
    (`vsalang.screen.tree.placing`). What that adds counts as under another name.
    """

    steps: tuple[NameStep, ...]

    def __call__(self, judgement: Judgement) -> None:
        """Judge a proposal under each of its names, in each reading of the screen."""
        self._judge(judgement)
        if judgement.otherwise:
            add_other_reading(judgement, self._judge)

    def _judge(self, judgement: Judgement) -> None:
        moments = judgement.tools.moments
        for name in judgement.names:
            savepoint = moments.savepoint()
            try:
                under = NameJudgement.of(judgement, name)
                for step in self.steps:
                    step(under)
                settle(under, self.steps)
                result = (counted(under, self.steps) or under).result()
                other = renamed(under, self.steps)
                if other is not None:
                    result = under_both_names(result, other.result())
                elif (permitted := told_in_full(under, self.steps)) is not None:
                    result = permitted
                if result.grants and result.level != "block":
                    result = replace(result, read=result.read or nodes_read(under))
                judgement.results.append(result)
            finally:
                moments.rollback(savepoint)


def add_other_reading(judgement: Judgement, judge: Callable[[Judgement], None]) -> None:
    """Add what the other reading of the screen asks for beyond the first one."""
    state, moments = judgement.state, judgement.tools.moments
    screen = state.compared if state.compared is not None else state.screen
    other = None if screen is None else screen.otherwise
    assert screen is not None and other is not None
    added: list[tuple[Name, JudgedProposal]] = []
    known = list(judgement.results)
    savepoint = moments.savepoint()
    try:
        moments.gesture(None, None)
        moments.actions({})
        moments.screen(other, state.points)
        seen = replace(
            state, screen=other, compared=other, screens=moments.showing_screens(state.screens_given)
        )
        doubtful = _doubtful(screen, other)
        for number, group in enumerate(judgement.otherwise):
            second = replace(judgement, state=seen, names=group, results=[])
            judge(second)
            for name, result in zip(group, _open_for_all(second.results, group), strict=True):
                more = _beyond(result, known, _named(name.cells) if number else "", doubtful)
                known.append(result)
                if more is not None:
                    added.append((replace(name, role="and" if name.role == "and" else "or"), more))
    finally:
        moments.rollback(savepoint)
    judgement.names = [*judgement.names, *(name for name, _ in added)]
    judgement.results += [result for _, result in added]


def _beyond(
    result: JudgedProposal, known: Sequence[JudgedProposal], lying: str, doubtful: str
) -> JudgedProposal | None:
    """What a name asks for in the other reading beyond what is known; None: nothing. Its reasons say so.

    Args:
        lying: another node that may take the gesture, if the name is one of it; else empty.
        doubtful: the nodes in which the readings differ.
    """
    there = {_reason_key(reason) for one in known for reason in one.reasons}
    reasons = tuple(
        replace(reason, change=reason.change or BOXES, message=_if_so(reason.message, lying, doubtful))
        for reason in result.reasons
        if _reason_key(reason) not in there
    )
    effects = any(_effects(result) == _effects(one) for one in known)
    if effects and not reasons:
        return None
    if effects:  # the same would be done: what it is known to do does not become doubtful
        result = replace(result, changes=(), writes=(), deletes=(), world=known[0].world)
    return replace(result, reasons=reasons)


def _reason_key(reason: Reason) -> tuple[object, ...]:
    return reason.kind, reason.level, reason.rule, reason.message


def _effects(result: JudgedProposal) -> tuple[object, ...]:
    return (
        result.runs,
        result.instances,
        result.grants,
        result.changes,
        result.writes,
        result.deletes,
        result.returns,
    )


def _if_so(reason: str, lying: str, doubtful: str) -> str:
    if lying:
        return say("reason.lying", reason=reason, node=lying)
    if doubtful:
        return say("reason.otherwise_nodes", reason=reason, nodes=doubtful)
    return say("reason.otherwise", reason=reason)


def _named(cells: Cells) -> str:
    """A node by its number and what it says."""
    words = next((quoted(text) for key in ("label", "id", "class") if (text := cells.get(key))), "")
    return f"{cells.get('node', '')} {words}".strip()


def _doubtful(screen: Screen, other: Screen) -> str:
    """The nodes of the other reading that the first one does not show, or shows elsewhere; of many the first ones."""
    boxes = {row.get("node"): _box(row) for row in screen.rows("Node")}
    rows = [row for row in other.rows("Node") if boxes.get(row.get("node")) != _box(row)]
    names = [_named(row) for row in rows[:_SHOWN]]
    if len(rows) > _SHOWN:
        names.append(say("reason.unread_more", count=len(rows) - _SHOWN))
    return ", ".join(names)


def _box(row: Cells) -> tuple[Value | None, ...]:
    return tuple(row.get(edge) for edge in ("left", "top", "right", "bottom"))


def join(judgement: Judgement) -> None:
    """P9 Join: put together what each name asks for, and ask whether the licences bear all of them."""
    judged = _joined(judgement)
    problem = problem_of(judgement.context.similarity)
    if problem:
        # A rule that speaks against something may be silent because nobody answered, now or when a text was seen.
        unanswered = Reason("unanswered", "block", say("reason.unanswered", problem=line(problem, 300)))
        judged = replace(judged, reasons=(unanswered, *judged.reasons))
    judgement.judged = judged


def _joined(judgement: Judgement) -> JudgedProposal:
    tools, state, names = judgement.tools, judgement.state, judgement.names
    if len(judgement.results) == 1:
        only = judgement.results[0]
        return only if judgement.typed is None else replace(only, typed=judgement.typed)
    results = _open_for_all(judgement.results, names)
    first = results[0]
    reasons = _reasons(results, names)
    returns = frozenset(number for result in results for number in result.returns)
    grants = list(dict.fromkeys(grant for result in results for grant in result.grants))
    if first.gesture == "double_tap":
        # two touches: what the first of them does, the second may do again
        touches = [result for result, name in zip(results, names, strict=True) if name.gesture == "tap"]
        grants += dict.fromkeys(grant for result in touches for grant in result.grants)
    charged = [*state.charged(returns), *grants]
    if worst([reason.level for reason in reasons]) != "block" and not tools.licences.bears(charged):
        reasons.append(Reason("licence", "block", say("reason.licence_touch")))
    return replace(
        first,
        reasons=tuple(reasons),
        runs=_rows(result.runs for result in results),
        instances=_rows(result.instances for result in results),
        grants=tuple(grants),
        world=_world(tools, results, state.points + 2),
        awaited=_awaited(tools.program, results, names),
        licensed=tuple(dict.fromkeys(reason for result in results for reason in result.licensed)),
        returns=returns,
        typed=judgement.typed,
        known=False,
        read=_read(results),
        perhaps=frozenset(kind for result in results for kind in result.perhaps),
    )


def _read(results: Iterable[JudgedProposal]) -> NodesRead:
    nodes: dict[int, frozenset[str]] = {}
    for result in results:
        for number, names in result.read.items():
            nodes[number] = nodes.get(number, frozenset()) | names
    return nodes


def _open_for_all(results: Sequence[JudgedProposal], names: Sequence[Name]) -> list[JudgedProposal]:
    """On a closed screen one name that a rule mentions is enough for a gesture that has several."""
    pairs = list(zip(results, names, strict=True))
    if not any(result.known for result, name in pairs if name.role == "same"):
        return list(results)
    return [
        replace(result, reasons=tuple(r for r in result.reasons if r.kind != "closed"))
        if name.role == "same" and any(r.kind == "closed" for r in result.reasons)
        else result
        for result, name in pairs
    ]


def _reasons(results: Sequence[JudgedProposal], names: Sequence[Name]) -> list[Reason]:
    """Which name is meant is not certain: whatever one of them asks for is asked for."""
    reasons = list(results[0].reasons)
    for other, name in zip(results[1:], names[1:], strict=True):
        # of the many texts that a field may hold one is enough for each rule; but a yes gives back every licence
        # that was asked about, so each is named
        known = {(r.rule, r.level) for r in reasons if r.rule and r.kind != "licence"} if name.only else set()
        reasons += [r for r in other.reasons if r not in reasons and (r.rule, r.level) not in known]
    return reasons


def _rows(of_names: Iterable[Mapping[str, Sequence[Row]]]) -> dict[str, tuple[Row, ...]]:
    """The instances under all names, each once."""
    merged: dict[str, dict[Row, None]] = {}
    for instances in of_names:
        for action, rows in instances.items():
            merged.setdefault(action, {}).update(dict.fromkeys(rows))
    return {action: tuple(rows) for action, rows in merged.items()}


def _world(tools: Tools, results: Sequence[JudgedProposal], point: int) -> World:
    """The state as the first name predicts it.

    What the others would do may be done too: it is not believed, and nothing against it either.
    """
    world = results[0].world
    for other in results[1:]:
        after = apply(
            tools.program,
            other.world,
            other.writes,
            other.deletes,
            point,
            observing=False,
            timed=tools.book.timed,
        )
        world = doubted(tools.program, world, (*other.changes, *after.changes))
    return world


def _awaited(
    program: Program, results: Sequence[JudgedProposal], names: Sequence[Name]
) -> tuple[Expectation, ...]:
    """What is expected of a gesture that has several names; of a gesture that it only may be, nothing is."""
    expectations = {
        (item.rule.id, item.answer, item.actions): item
        for result, name in zip(results, names, strict=True)
        for item in result.awaited
        if name.role == "same" or not of_a_gesture(program, item.rule)
    }
    return tuple(expectations.values())
