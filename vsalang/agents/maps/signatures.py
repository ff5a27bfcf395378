"""Signatures: by which ids and titles the screens of an app that were seen are told apart.

Screens are of one kind if the same activity is in front, the same ids stand outside of rows, and the same title. A
signature is a few conditions that hold on every screen of its kind, and on none of any other kind.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from vsalang.base.records import dataclass
from vsalang.screen.control.keys import marked
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Node

_TITLE: Final = re.compile(r"(^|_)title$|^alertTitle$|^toolbar_title$")
_OF_DIALOGS: Final = frozenset({"alertTitle", "alert_title"})
"""They stand above the texts of their dialog, but not above those of the screen below it."""
_LONGEST_TITLE: Final = 60
MOST: Final = 6
"""A kind of screen that needs more conditions has no signature."""

Titled: TypeAlias = tuple[str, str]
"""A node's id, and its text."""


@dataclass(frozen=True, slots=True)
class Face:
    """What of a screen signatures are made of.

    Attributes:
        package, activity: in front; None: not known.
        ids: of all visible nodes.
        fixed: of those in no row.
        titles: texts of nodes whose id says that they are a title, and is not another node's.
    """

    package: str | None
    activity: str | None
    ids: frozenset[str]
    fixed: frozenset[str]
    titles: frozenset[Titled]


@dataclass(frozen=True, slots=True)
class Signature:
    """Conditions by which a kind of screen is known; all must hold.

    Attributes:
        package, activity: in front; an activity that is None may be any.
        present, absent: ids of which a node shows, or none does.
        title: an id, and the text that its node has.
    """

    package: str
    activity: str | None
    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    title: Titled | None = None

    def fits(self, face: Face) -> bool:
        """Whether a screen has this signature."""
        return (
            face.package == self.package
            and self.activity in (None, face.activity)
            and face.ids.issuperset(self.present)
            and face.ids.isdisjoint(self.absent)
            and (self.title is None or self.title in face.titles)
        )


def face_of(screen: TreeScreen) -> Face:
    """What of a screen signatures are made of. It is computed once for a tree."""
    memory, app = screen.tree.memory, screen.app or (None, None)
    known: Mapping[tuple[str | None, str | None], Face] = memory.get("faces of signatures", {})
    if app not in known:
        memory["faces of signatures"] = known = {**known, app: _face(screen, *app)}
    return known[app]


def _face(screen: TreeScreen, package: str | None, activity: str | None) -> Face:
    marks = marked(screen.tree)
    count = Counter(node.id for node in screen.tree.nodes if node.id is not None)
    fixed = {
        node.id
        for node in screen.tree.nodes
        if node.id is not None and marks[node.node].row is None and node.package in (None, package)
    }
    below = min(
        (node.bottom for node in screen.tree.nodes if node.text and node.package in (None, package)),
        default=0,
    )
    titles = {
        (node.id, node.text)
        for node in screen.tree.nodes
        if node.id in fixed
        and node.text is not None
        and count[node.id] == 1
        and _is_title(node)
        and (node.id in _OF_DIALOGS or node.top < below)
    }
    return Face(package, activity, frozenset(count), frozenset(fixed), frozenset(titles))


def _is_title(node: Node) -> bool:
    return (
        node.id is not None
        and _TITLE.search(node.id) is not None
        and not node.takes_touch
        and node.editable is not True
        and 0 < len(node.text or "") <= _LONGEST_TITLE
    )


def signatures(faces: Sequence[Face], package: str, *, least: int) -> tuple[Signature, ...]:
    """The signatures of the kinds of screens of an app.

    Args:
        faces: of all screens that were seen, one for each time.
        package: of the app.
        least: how often a title must have been seen to tell kinds apart: titles that change with what is shown do not.
    """
    seen = Counter(face for face in faces if face.package == package)
    kinds = _kinds(seen, least)
    others = {kind: [face for face in seen if face not in set(members)] for kind, members in kinds.items()}
    made = (_separating(package, members, others[kind], kind[2]) for kind, members in kinds.items())
    return tuple(signature for signature in made if signature is not None)


_Kind: TypeAlias = tuple[str | None, frozenset[str], Titled | None]


def _kinds(seen: Mapping[Face, int], least: int) -> Mapping[_Kind, list[Face]]:
    groups: dict[tuple[str | None, frozenset[str]], list[Face]] = {}
    for face in seen:
        groups.setdefault((face.activity, face.fixed), []).append(face)
    kinds: dict[_Kind, list[Face]] = {}
    for (activity, fixed), members in groups.items():
        split = _title_that_splits(members, seen, least)
        for face in members:
            title = next((each for each in sorted(face.titles) if each[0] == split), None)
            kinds.setdefault((activity, fixed, title), []).append(face)
    return kinds


def _title_that_splits(members: Iterable[Face], seen: Mapping[Face, int], least: int) -> str | None:
    """The id of the title that all screens of a group have, and of which each text was seen often; None: none."""
    texts: dict[str, Counter[str]] = {}
    total = 0
    for face in members:
        total += seen[face]
        for id, text in face.titles:
            texts.setdefault(id, Counter())[text] += seen[face]
    for id, each in sorted(texts.items()):
        if each.total() == total and min(each.values()) >= least:
            return id
    return None


def _separating(
    package: str, members: Sequence[Face], others: Sequence[Face], title: Titled | None
) -> Signature | None:
    """The fewest conditions that set these screens apart from the others; None: none do, or too many would be needed.

    What holds of most others is left out first (the greedy rule for set covers).
    """
    activity = members[0].activity
    left = {face for face in others if face.activity == activity and title in (None, *face.titles)}
    always = frozenset.intersection(*(face.ids for face in members))
    ever = frozenset[str]().union(*(face.ids for face in members))
    fixed = frozenset.intersection(*(face.fixed for face in members))
    near = frozenset[str]().union(*(face.ids for face in left)) if left else frozenset[str]()
    present: list[str] = []
    absent: list[str] = []
    while left:
        gains = [(sum(id not in face.ids for face in left), id in fixed, 1, id) for id in always]
        gains += [(sum(id in face.ids for face in left), False, 0, id) for id in near - ever]
        best = max(gains, key=lambda gain: (*gain[:3], [-ord(char) for char in gain[3]]), default=None)
        if best is None or best[0] == 0 or len(present) + len(absent) >= MOST:
            return None
        _, _, shows, id = best
        (present if shows else absent).append(id)
        left = {face for face in left if (id in face.ids) is bool(shows)}
    if not present and title is None and fixed:
        # a dialog that nobody has seen yet is in front of the same activity
        present.append(min(fixed, key=lambda id: (sum(id in face.ids for face in others), id)))
    return Signature(package, activity, tuple(present), tuple(absent), title)
