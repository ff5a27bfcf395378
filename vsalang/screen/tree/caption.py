"""Label association: the label of a check box, switch or field (the relations `Caption` and `Band`).

The order of the rules was measured on 282 controls of real dumps: 186 carry their label; of the other 85
that have one on the screen, these rules find 81, the nearest sibling 34, the nearest text on the line 44.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from vsalang.program.text import fold_case
from vsalang.screen.tree.face import wording
from vsalang.screen.tree.node import Node, Tree
from vsalang.screen.tree.relations import texts

# Words for the state of a switch, folded. Words of other languages become a part of the caption.
_STATES: Final = frozenset(
    {"on", "off", "an", "aus", "ein", "zap", "vyp", "zapnuto", "vypnuto", "вкл", "выкл", "вкл.", "выкл."}
    | {
        "开",
        "关",
        "开启",
        "关闭",
        "已开启",
        "已关闭",
        "打开",
        "開",
        "關",
        "開啟",
        "關閉",
        "オン",
        "オフ",
        "켜짐",
        "꺼짐",
        "açık",
        "kapalı",
    }
    | {"activé", "désactivé", "activado", "desactivado", "ativado", "desativado", "attivato", "disattivato"}
    | {"aktif", "nonaktif", "wł.", "wył.", "på", "av"}
)
_SWITCHES: Final = ("Switch", "SwitchCompat", "ToggleButton")


def is_control(node: Node) -> bool:
    """Whether the node can be checked, or typed into."""
    return node.checkable is True or node.editable is True


def band(tree: Tree, control: Node) -> Iterator[Node]:
    """The nodes with text whose middle lies between the control's top and bottom; not itself."""
    for node in tree.nodes:
        if node is not control and node.text is not None and wording(node.text) and _level(node, control):
            yield node


def caption(tree: Tree, control: Node) -> str | None:
    """The label of a control, or None if the tree shows none.

    Its own text or description (a field: description or prompt, not what is typed; never the state of a
    switch); else the first text inside; else the first text of the row around it, which is a clickable node
    or a child of a list, with this one control in it; else the topmost text on its own line, on its left if
    there is one there.
    """
    return (
        _own(control)
        or _first(_strangers(tree.inside(control), control))
        or _of_row(tree, control)
        or _of_line(tree, control)
    )


def _own(control: Node) -> str | None:
    candidates = (control.desc, control.hint) if control.editable else (control.text, control.desc)
    for text in candidates:
        if text is not None and (label := _without_state(wording(text), control)):
            return label
    return None


def _without_state(text: str, control: Node) -> str | None:
    if fold_case(text) in _STATES:
        return None
    if control.cls is not None and control.cls.endswith(_SWITCHES):
        # A Switch adds its state to its text: "Wi-Fi ON".
        head, _, last = text.rpartition(" ")
        if head and fold_case(last) in _STATES:
            return head.rstrip(" ,")
    return text


def _strangers(nodes: Iterable[Node], control: Node) -> Iterator[Node]:
    return (node for node in nodes if node is not control)


def _first(nodes: Iterable[Node]) -> str | None:
    return next((wording(node.text) for _, node in texts(nodes) if node.text), None)


def _of_row(tree: Tree, control: Node) -> str | None:
    for outer in tree.around(control):
        inside = tree.inside(outer)
        if any(is_control(node) and node is not control for node in inside):
            return None
        listed = outer.parent is not None and tree.by_number[outer.parent].scrollable is True
        if outer.takes_touch or listed:
            text = _first(_strangers(inside, control))
            if text is not None:
                return text
    return None


def _of_line(tree: Tree, control: Node) -> str | None:
    line = [node for node in band(tree, control) if node.window == control.window and not is_control(node)]
    others = [
        node
        for node in tree.nodes
        if is_control(node)
        and node is not control
        and node.window == control.window
        and _level(node, control)
    ]
    stop = max((node.right for node in others if node.right <= control.left), default=None)
    left = [n for n in line if n.right <= control.left and (stop is None or n.left >= stop)]
    stop = min((node.left for node in others if node.left >= control.right), default=None)
    right = [n for n in line if n.left >= control.right and (stop is None or n.right <= stop)]
    for side in (left, right):
        if side:
            best = min(side, key=lambda node: (node.top, node.left))
            return wording(best.text or "") or None
    return None


def _level(node: Node, control: Node) -> bool:
    return 2 * control.top <= node.top + node.bottom < 2 * control.bottom
