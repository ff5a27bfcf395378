"""What the look after a touch shows of the parameters that an action was judged with.

The phone sees to it that the node which takes a touch is the one that was judged. What the action is about stands in
other nodes (whom is paid, how much), and these may have changed between the last look and the touch. If the same node
shows in the look afterwards and the same action is recognised there with other parameters, nobody knows with which of
them it was done.
"""

from collections.abc import Mapping, Set
from typing import Final

from vsalang.engine.api import Row
from vsalang.engine.explain.terms import quoted
from vsalang.program.ir import BOOL, Program, Relation
from vsalang.program.screen import Cells, Screen, Unresolved
from vsalang.program.values import Value, same

_SAYS: Final = ("id", "resource_id", "class", "package", "text", "desc")
_TOUCHES: Final = ("tap", "double_tap", "long_press")
_TEXTS: Final = ("text", "desc", "label")


def touched_again(gesture: str, judged: Cells, after: Screen) -> Cells | None:
    """The cells of the gesture on the screen afterwards, at its place, or else on the one node that says the same.

    None: it is not a touch, or the node that was judged does not show.
    """
    if gesture not in _TOUCHES or not any(judged.get(name) for name in _SAYS):
        return None
    place = {name: value for name in ("x", "y") if (value := judged.get(name)) is not None}
    alike = [row for row in after.rows("Node") if _says_the_same(row, judged)]
    ways = [place] if len(place) == len(("x", "y")) else []
    ways += [{"node": row["node"]} for row in alike if len(alike) == 1 and "node" in row]
    for way in ways:
        try:
            now = after.target(gesture, way)
        except Unresolved:
            continue
        if _says_the_same(now, judged):
            return {**judged, **now}
    return None


def other_parameters(
    program: Program,
    judged: Mapping[str, tuple[Row, ...]],
    now: Mapping[str, Set[Row]],
    before: Screen,
    after: Screen,
) -> str:
    """In words, which parameters an action has now that it was not judged with; empty: none.

    A truth value may be what the touch has just turned. Where what was judged does not show any more, and what is in
    its place showed before, the touch has taken a row away and the next one moved up.

    Args:
        judged: the instances that ran.
        now: those that are recognised afterwards.
    """
    found: list[str] = []
    for name, rows in judged.items():
        relation, others = program.relation(name), now.get(name, frozenset())
        differing = [_differing(relation, row, other) for row in rows for other in others]
        if not differing or not all(differing):
            continue
        if all(_moved_up(each, before, after) for each in differing):
            continue
        found += [
            f"{relation.short}.{attr} is {quoted(is_now, relation.attr(attr).type)}"
            f" and was judged as {quoted(was, relation.attr(attr).type)}"
            for attr, (was, is_now) in differing[0].items()
        ]
    if not found:
        return ""
    return f"what was judged has changed: {', '.join(found)}; it is not known with which it was done"


def _says_the_same(row: Cells, judged: Cells) -> bool:
    return all((row.get(name) or "") == (judged.get(name) or "") for name in _SAYS)


def _differing(relation: Relation, row: Row, other: Row) -> dict[str, tuple[Value, Value]]:
    return {
        attr.name: (was, now)
        for attr, was, now in zip(relation.attrs, row, other, strict=True)
        if attr.type != BOOL and was is not None and now is not None and not same(was, now)
    }


def _moved_up(differing: Mapping[str, tuple[Value, Value]], before: Screen, after: Screen) -> bool:
    return all(
        isinstance(was, str) and isinstance(now, str) and not _shows(after, was) and _shows(before, now)
        for was, now in differing.values()
    )


def _shows(screen: Screen, said: str) -> bool:
    return any(said in str(row.get(name) or "") for row in screen.rows("Node") for name in _TEXTS)
