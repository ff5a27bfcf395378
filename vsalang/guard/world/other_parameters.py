"""What the look after a touch shows of the parameters that an action was judged with.

The phone sees to it that the node which takes a touch is the one that was judged. What the action is about stands in
other nodes (whom is paid, how much), and these may have changed between the last look and the touch. If the same node
shows in the look afterwards and the same action is recognised there with other parameters, nobody knows with which of
them it was done.
"""

import re
from collections.abc import Iterable, Mapping, Set
from typing import Final

from vsalang.engine.api import Row
from vsalang.guard.say.verdict import Became
from vsalang.program.grave import mild
from vsalang.program.ir import BOOL, Program, Relation
from vsalang.program.screen import Cells, Screen, UnresolvedTarget
from vsalang.program.show import quoted
from vsalang.program.values import Value, same

_SAYS: Final = ("id", "resource_id", "class", "package", "text", "desc")
_TOUCHES: Final = ("tap", "double_tap", "long_press", "swipe")
_TYPING: Final = ("input_text", "clear_text")
_KEYS: Final = ("press_key",)
_LASTS: Final = ("id", "resource_id", "class", "package")
"""What a field still says after something was typed into it, or sent from it."""
_TEXTS: Final = ("text", "desc", "label")
_COUNT: Final = re.compile(r"(?P<count>\d{1,6}) ?(?P<thing>[^\W\d_]+)")
"""A text that counts things and says nothing else."""
_STEM: Final = 3
"""So many letters of the thing stay, whatever its number is."""
_TURNED: Final = frozenset({"on", "off"})
"""How `std.effects` writes the truth value of a switch."""


def made_again(gesture: str, judged: Cells, before: Screen, after: Screen) -> tuple[tuple[str, Cells], ...]:
    """The gesture with its cells on the screen afterwards, if what was judged to take it would take it again.

    A touch is made at its place, or else on the one node that says the same; typing into the same field; a key where
    the same control still has the focus, which may be a tap on it. There are none if
    that does not show, or of other gestures: a scroll moves what it is about.
    """
    if gesture in _KEYS:
        was, now = _focused(before), _focused(after)
        if was is None or now is None or not _says_the_same(now, was, _LASTS):
            return ()
        return ((gesture, judged), *made_again("tap", was, before, after))
    says = _LASTS if gesture in _TYPING else _SAYS
    if gesture not in (*_TOUCHES, *_TYPING) or not any(judged.get(name) for name in says):
        return ()
    place = {name: value for name in ("x", "y") if (value := judged.get(name)) is not None}
    alike = [row for row in after.rows("Node") if _says_the_same(row, judged, says)]
    ways = [place] if len(place) == len(("x", "y")) else []
    ways += [{"node": row["node"]} for row in alike if len(alike) == 1 and "node" in row]
    for way in ways:
        try:
            now = after.target(gesture, way)
        except UnresolvedTarget:
            continue
        if _says_the_same(now, judged, says):
            return ((gesture, {**judged, **now}),)
    return ()


def other_parameters(
    program: Program,
    judged: Mapping[str, tuple[Row, ...]],
    now: Mapping[str, Set[Row]],
    before: Screen,
    after: Screen,
) -> dict[str, tuple[Became, ...]]:
    """The parameters of each action that have another value now than it was judged with.

    A truth value may be what the touch has just turned, also one that is written "on" or "off". A count may be what it
    has just counted ("0 photos", "1 photo"), where the act is mild (`@severity(low)`). Where what was judged
    does not show any more, and what is in its place showed before, the touch has taken a row away and the next one
    moved up.

    Args:
        judged: the instances that ran.
        now: those that are recognised afterwards.
    """
    outcomes: dict[str, tuple[Became, ...]] = {}
    for name, rows in judged.items():
        relation, others = program.relation(name), now.get(name, frozenset())
        differing = [_differing(relation, row, other) for row in rows for other in others]
        if mild(program.relations, name):
            differing = [each for each in differing if not each or not _counted(each)]
        if not differing or not all(differing):
            continue
        if all(_moved_up(each, before, after) for each in differing):
            continue
        outcomes[name] = tuple(
            Became(
                f"{relation.short}.{attr}",
                quoted(was, relation.attr(attr).type),
                quoted(is_now, relation.attr(attr).type),
            )
            for attr, (was, is_now) in differing[0].items()
        )
    return outcomes


def _focused(screen: Screen) -> Cells | None:
    """The one control with an id that has the focus."""
    rows = [row for row in screen.rows("Node") if row.get("focused") is True and row.get("id")]
    return rows[0] if len(rows) == 1 else None


def _says_the_same(row: Cells, judged: Cells, names: Iterable[str]) -> bool:
    return all((row.get(name) or "") == (judged.get(name) or "") for name in names)


def _differing(relation: Relation, row: Row, other: Row) -> dict[str, tuple[Value, Value]]:
    return {
        attr.name: (was, now)
        for attr, was, now in zip(relation.attrs, row, other, strict=True)
        if attr.type != BOOL and was is not None and now is not None and not same(was, now)
        if frozenset({was, now}) != _TURNED
    }


def _counted(differing: Mapping[str, tuple[Value, Value]]) -> bool:
    """Whether nothing but counts of the same things differ, by one."""
    for was, now in differing.values():
        one, other = (_COUNT.fullmatch(each) if isinstance(each, str) else None for each in (was, now))
        if one is None or other is None or abs(int(one["count"]) - int(other["count"])) != 1:
            return False
        if one["thing"][:_STEM].casefold() != other["thing"][:_STEM].casefold():
            return False
    return True


def _moved_up(differing: Mapping[str, tuple[Value, Value]], before: Screen, after: Screen) -> bool:
    return all(
        isinstance(was, str) and isinstance(now, str) and not _shows(after, was) and _shows(before, now)
        for was, now in differing.values()
    )


def _shows(screen: Screen, screen_name: str) -> bool:
    return any(screen_name in str(row.get(name) or "") for row in screen.rows("Node") for name in _TEXTS)
