"""Taps that nobody needs: what `back` does, too, and what is chosen already.

A few words of the system's and the state of a control say which taps may be such; whether they are, its place on the
screen does (`vsalang.screen.forms`).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from vsalang.models.rank.candidate import Candidate, DroppedAction
from vsalang.screen.forms.words import BACK, CANCELS, phrase
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Node, Tree

_CANCELS: Final = CANCELS - frozenset("discard abort verwerfen descartar abandonner 破棄 放弃".split())
"""What leaves a dialog as if it had not been there. `back` may keep what Discard throws away."""
_LEFT_BY_BACK: Final = frozenset({"dialog", "sheet", "menu", "picker"})
"""Kinds of surfaces in front of a page that `back` leaves as their Cancel does."""
_PAGES: Final = frozenset({"page", "settings"})
"""Kinds of surfaces on which a choice stays; in front of a page it often closes what offers it."""


def needless(screen: TreeScreen, kept: Sequence[Candidate]) -> Sequence[DroppedAction]:
    """Those of the candidates that need not be, and why."""
    ways_back = [one for one in kept if _words(one) in BACK | _CANCELS]
    chosen = [one for one in kept if _is_chosen(screen.tree, one)]
    if not ways_back and not chosen:
        return ()
    surfaces = _kinds(screen, "Surface")
    roles = _kinds(screen, "Role") if ways_back else {}
    return [
        *(
            DroppedAction(one.text, "same effect", "`back` does the same", one, instead="back")
            for one in ways_back
            if _goes_back(one, roles.get(one.node), surfaces.get(one.node))
        ),
        *(
            DroppedAction(one.text, "chosen already", "", one)
            for one in chosen
            if surfaces.get(one.node) in _PAGES
        ),
    ]


def _words(one: Candidate) -> str | None:
    return phrase(one.unit.label or "") if one.kind == "tap" and one.unit is not None else None


def _kinds(screen: TreeScreen, relation: str) -> Mapping[Any, Any]:
    return {row["node"]: row["kind"] for row in screen.rows(relation) if "node" in row and "kind" in row}


def _goes_back(one: Candidate, role: object, surface: object) -> bool:
    """Whether it is the arrow of a page, or says Cancel in front of one."""
    called = _words(one)
    return (role == "back" and called in BACK) or (
        role == "cancel" and called in _CANCELS and surface in _LEFT_BY_BACK
    )


def _is_chosen(tree: Tree, one: Candidate) -> bool:
    """Whether it chooses what is chosen, of which there can be only one: a radio button, or one of a row of tabs."""
    if (
        one.kind != "tap"
        or one.unit is None
        or one.unit.kind not in ("choice", "tab")
        or one.unit.value != "on"
    ):
        return False
    node = one.unit.node
    if node.cls is not None and node.cls.endswith("RadioButton"):
        return True
    return node.checkable is not True and [each for each in _siblings(tree, node) if each.selected] == [node]


def _siblings(tree: Tree, node: Node) -> Sequence[Node]:
    """Those of its class next to it, itself too; only itself if it stands alone."""
    children = tree.children.get(node.parent, ()) if node.parent is not None else ()
    alike = [one for one in children if one.cls == node.cls]
    return alike if len(alike) > 1 else ()
