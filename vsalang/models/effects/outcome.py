"""What the next screen shows of a touch: that it set something, or that what it touched is gone. Never that it led on.

Silence says nothing: a touch after which nothing changed may have sent something.
"""

import re
from typing import Final

from vsalang.models.effects.answer import OUTCOME, Answer
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Node, Tree

_LISTS: Final = ("RecyclerView", "ListView", "GridView")
_LIKE: Final = {
    "SetSetting": frozenset({"SetSetting", "SetSecurity", "Grant", "Edit", "Create", "Accept", "Share"}),
    "Delete": frozenset(
        {"Delete", "Erase", "Move", "Uninstall", "Edit", "Accept", "Grant", "Order", "Pay", "Share"}
    ),
}
"""What an effect that was seen may be called, too."""


def outcome(before: TreeScreen, node: Node, after: TreeScreen) -> Answer | None:
    """What a touch of a node certainly did, as the look after it shows; None: it does not show that."""
    if before.partial or after.partial or before.otherwise is not None or after.otherwise is not None:
        return None
    now = after.since(before)
    if _set(before.tree, node, now):
        return Answer("acts", "SetSetting", (), OUTCOME)
    if _gone(before.tree, node, after.tree):
        return Answer("acts", "Delete", (), OUTCOME)
    return None


def contradicts(seen: Answer, answer: Answer) -> bool:
    """Whether what was seen cannot be what was answered."""
    return answer.means == "leads on" or answer.kind not in _LIKE[seen.kind]


def _set(tree: Tree, node: Node, now: TreeScreen) -> bool:
    """Whether what was touched is checked now and was not, or the other way round."""
    inside = {each.node for each in tree.inside(node)}
    return any(
        row.get("attribute") == "checked"
        and row.get("was") in inside
        and {row.get("before"), row.get("after")} == {"true", "false"}
        for row in now.rows("Delta")
    )


def _gone(before: Tree, node: Node, after: Tree) -> bool:
    """Whether the row of a list that was touched is gone, and no other row is.

    Half of the others still say what they said: a new page may have a list of the same shape.
    """
    row = node
    for outer in before.around(node):
        if outer.cls is not None and outer.cls.endswith(_LISTS):
            rows = {each.node: each for each in before.children.get(outer.node, ())}
            if outer.node not in after.by_number or rows.keys() - after.by_number.keys() != {row.node}:
                return False
            others = [each for each in rows.values() if each is not row]
            same = sum(_texts(before, each) == _texts(after, after.by_number[each.node]) for each in others)
            return bool(others) and 2 * same >= len(others)
        row = outer
    return False


def _texts(tree: Tree, row: Node) -> list[str]:
    """What a row says, without its numbers: the others may be counted again."""
    return [re.sub(r"\d+", "", f"{each.text}\n{each.desc}") for each in (row, *tree.inside(row))]
