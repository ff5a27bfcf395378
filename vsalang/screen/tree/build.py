"""Builds the tree of visible nodes from the elements of a source: visible areas, drawing order, labels, numbers."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from vsalang.base.records import dataclass
from vsalang.screen.tree.face import SOMETIMES, Box, Face
from vsalang.screen.tree.identity import numbered
from vsalang.screen.tree.node import MAX_LABEL, HiddenElement, Node, Tree, Window
from vsalang.screen.tree.placing import Placing, box_around, other_orientation, possible, sane
from vsalang.screen.tree.shape import Shape, shaped

_NONE: Final = -1
_TURNED: Final = (
    "some windows are upright and others are not: it is older than the turn of the screen, and not whole"
)
_LABEL: Final = frozenset({"label"})
_PROMPTED: Final = frozenset({"text", "length"})
"""What is not known of a field whose hint was not read: its text may be the prompt."""
_Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """What a source says about a window, apart from its root. None is unknown; `box` None: that of its root."""

    kind: str | None = None
    title: str | None = None
    focused: bool | None = None
    package: str | None = None
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class Elements:
    """The elements of a source in document order.

    Attributes:
        faces: the attributes of each.
        parents: the position of the parent of each, -1 for the root of a window.
        windows: the number of the window of each; 1 is topmost.
        frames: what is known about windows, by number.
    """

    faces: Sequence[Face]
    parents: Sequence[int]
    windows: Sequence[int]
    frames: dict[int, Frame]


def build(
    elements: Elements,
    *,
    name: str,
    notes: tuple[str, ...] = (),
    partial: bool = False,
    app: tuple[str, str | None] | None = None,
    after: Tree | None = None,
    replaced: Collection[str] = (),
) -> Tree:
    """The tree of the visible nodes.

    Args:
        after: the tree of the observation before: nodes that are certainly the same keep their numbers
            (`vsalang.screen.tree.identity`), and what did not change is not built again.
        replaced: see `vsalang.screen.tree.identity.track`.
    """
    faces, parents, windows = elements.faces, elements.parents, elements.windows
    boxes, visible, outers, ends, doubtful = _placed(faces, parents)
    positions = [at for at, shows in enumerate(visible) if shows]
    index = {at: number for number, at in enumerate(positions)}
    around = [index[outers[at]] if outers[at] >= 0 else _NONE for at in positions]
    seen = [faces[at] for at in positions]
    bounds = [boxes[at] for at in positions]
    shape = _shape(seen, around, bounds)
    lacking = _lacking(faces)
    labels, unsure = _labels(seen, around, lacking)
    draws = _drawn(faces, parents)
    if after is None:
        numbers, highest = [at + 1 for at in positions], len(faces)
        old_keys: dict[int, tuple[_Key, Node]] = {}
    else:
        numbers, highest = numbered(after, shape, replaced)
        old_keys = after.memory.get("keys", {})
    lost = tuple(_counted(faces, parents, dict(zip(positions, numbers, strict=True)), outers))
    other: Tree | None = None
    if doubtful:
        number_of = dict(zip(positions, numbers, strict=True))
        placing = _possible(elements, boxes, visible)
        lost = (*lost, *_lost(elements, placing, visible, outers, number_of))
        if placing.differs:
            for at, shows in enumerate(placing.visible):
                if shows and at not in number_of:
                    highest += after is not None
                    number_of[at] = at + 1 if after is None else highest
            other = replace(
                _other(elements, placing, number_of, draws, ends, lacking),
                name=name,
                highest=highest,
                lost=lost,
            )
    stale = other_orientation([boxes[at] for at, parent in enumerate(parents) if parent < 0])
    keys: dict[int, tuple[_Key, Node]] = {}
    nodes: list[Node] = []
    for at, outer, face, box, label, guessed, number in zip(
        positions, around, seen, bounds, labels, unsure, numbers, strict=True
    ):
        parent = numbers[outer] if outer >= 0 else None
        key: _Key = (face, parent, label, box, windows[at], draws[at], ends[at], at, guessed, lacking)
        known = old_keys.get(number)
        if known is not None and known[0] == key:
            keys[number] = known
            nodes.append(known[1])
            continue
        node = _node(
            face,
            number,
            parent,
            label,
            box,
            window=windows[at],
            draw=draws[at],
            end=ends[at] + 1,
            place=at + 1,
            unread=_unread(face, guessed, lacking),
        )
        keys[number] = (key, node)
        nodes.append(node)
    tree = Tree(
        tuple(nodes),
        tuple(_windows(elements, boxes)),
        len(faces),
        name,
        (*notes, *_doubts(lost, other), *([_TURNED] if stale else [])),
        partial=partial or stale,
        app=app,
        highest=highest,
        lost=lost,
        other=other,
    )
    tree.__dict__["shape"] = shape
    tree.memory["keys"] = keys
    if after is not None:
        tree.remember(after)
    return tree


def _windows(elements: Elements, boxes: Sequence[Box]) -> list[Window]:
    windows = []
    for at, parent in enumerate(elements.parents):
        if parent >= 0:
            continue
        number = elements.windows[at]
        frame = elements.frames.get(number, Frame())
        left, top, right, bottom = frame.box or boxes[at]
        if left < right and top < bottom:
            package = elements.faces[at].package or frame.package
            if package is None and elements.faces[at].told:
                package = _only_package(elements, number)
            windows.append(
                Window(number, package, left, top, right, bottom, frame.kind, frame.title, frame.focused)
            )
    return windows


def _only_package(elements: Elements, window: int) -> str | None:
    """The package of all elements of a window that say theirs; None if none does, or they differ."""
    packages = {
        face.package for face, own in zip(elements.faces, elements.windows, strict=True) if own == window
    }
    packages.discard(None)
    return packages.pop() if len(packages) == 1 else None


def _possible(elements: Elements, boxes: Sequence[Box], visible: Sequence[bool]) -> Placing:
    """The other reading of the boxes; in it a window lies where the source says, whatever its root says."""
    roots = [at for at, parent in enumerate(elements.parents) if parent < 0]
    framed = {at: elements.frames.get(elements.windows[at], Frame()).box for at in roots}
    screen = box_around([box for at in roots if sane(box := framed[at] or boxes[at])])
    if not sane(screen):
        screen = box_around([face.box for face in elements.faces])
    areas = {at: box if box is not None and sane(box) else screen for at, box in framed.items()}
    return possible(elements.faces, elements.parents, areas, boxes, visible)


def _lost(
    elements: Elements,
    placing: Placing,
    visible: Sequence[bool],
    outers: Sequence[int],
    numbers: Mapping[int, int],
) -> Iterator[HiddenElement]:
    for at, face in enumerate(elements.faces):
        if not visible[at] and face.told:
            why = "hidden" if face.hidden else placing.why.get(at, "around")
            yield HiddenElement(
                at + 1, numbers.get(outers[at]), face.cls, face.id, face.text or face.desc, *face.box, why
            )


def _counted(
    faces: Sequence[Face], parents: Sequence[int], numbers: Mapping[int, int], outers: Sequence[int]
) -> Iterator[HiddenElement]:
    """One for each element of which the source counts a child, by number or by a skipped ``index``, and does not give
    it."""
    if _all_given(faces, parents):
        return
    indexes: dict[int, list[int | None]] = {}
    for face, parent in zip(faces, parents, strict=True):
        indexes.setdefault(parent, []).append(face.index)
    for at, face in enumerate(faces):
        row_indexes = indexes.get(at, ())
        known = {index for index in row_indexes if index is not None}
        skips = None not in row_indexes and known != set(range(max(known, default=-1) + 1))
        if skips or (face.count is not None and face.count > len(row_indexes)):
            yield HiddenElement(
                at + 1, numbers.get(at, numbers.get(outers[at])), None, None, None, 0, 0, 0, 0, "counted"
            )


def _all_given(faces: Sequence[Face], parents: Sequence[int]) -> bool:
    """Whether each element has its place among the children of its parent, and no source counts more of them."""
    counts = [0] * len(faces)
    for face, parent in zip(faces, parents, strict=True):
        if parent >= 0:
            if face.index != counts[parent]:
                return False
            counts[parent] += 1
    return all(face.count is None or face.count <= own for face, own in zip(faces, counts, strict=True))


def _other(
    elements: Elements,
    placing: Placing,
    numbers: Mapping[int, int],
    draws: Sequence[int],
    ends: Sequence[int],
    lacking: frozenset[str],
) -> Tree:
    """The tree of the other reading, in which nodes have the same numbers."""
    faces, parents = elements.faces, elements.parents
    outers: list[int] = []
    for parent in parents:
        outers.append(parent if parent < 0 or placing.visible[parent] else outers[parent])
    positions = [at for at, shows in enumerate(placing.visible) if shows]
    index = {at: number for number, at in enumerate(positions)}
    seen = [faces[at] for at in positions]
    around = [index[outers[at]] if outers[at] >= 0 else _NONE for at in positions]
    labels, unsure = _labels(seen, around, lacking)
    nodes = tuple(
        _node(
            faces[at],
            numbers[at],
            numbers[outers[at]] if outers[at] >= 0 else None,
            label,
            placing.boxes[at],
            window=elements.windows[at],
            draw=draws[at],
            end=ends[at] + 1,
            place=at + 1,
            unread=_unread(faces[at], guessed, lacking),
        )
        for at, label, guessed in zip(positions, labels, unsure, strict=True)
    )
    windows = tuple(_windows(elements, placing.boxes))
    return Tree(nodes, windows, len(faces))


def _doubts(lost: Sequence[HiddenElement], other: Tree | None) -> list[str]:
    """What a reader must know of boxes that cannot be right."""
    doubtful = sum(item.why not in ("hidden", "scrolled", "counted") for item in lost)
    if other is None or not doubtful:
        return []
    if doubtful == 1:
        return ["1 node has no area that can be right: it may show elsewhere, and both ways are judged"]
    return [
        f"{doubtful} nodes have no area that can be right: they may show elsewhere, and both ways are judged"
    ]


def _placed(
    faces: Sequence[Face], parents: Sequence[int]
) -> tuple[list[Box], list[bool], list[int], list[int], bool]:
    """Visible areas, visible elements, the nearest visible ancestor, the last position inside each; any doubt.

    There is doubt where an element has no visible area, or reaches out of a parent that is not known to hide that.
    """
    doubtful = False
    boxes: list[Box] = []
    visible: list[bool] = []
    outers: list[int] = []
    for face, parent in zip(faces, parents, strict=True):
        box = face.box
        outer = _NONE
        if parent >= 0:
            left, top, right, bottom = box
            around = boxes[parent]
            if left < around[0] or top < around[1] or right > around[2] or bottom > around[3]:
                box = (
                    max(left, around[0]),
                    max(top, around[1]),
                    min(right, around[2]),
                    min(bottom, around[3]),
                )
                if not faces[parent].scrollable:
                    doubtful = True
            outer = parent if visible[parent] else outers[parent]
        boxes.append(box)
        outers.append(outer)
        shows = not face.hidden and box[0] < box[2] and box[1] < box[3]
        if not shows:
            doubtful = True
        visible.append(shows)
    ends = list(range(len(faces)))
    for at in range(len(faces) - 1, -1, -1):
        parent = parents[at]
        if parent >= 0 and ends[at] > ends[parent]:
            ends[parent] = ends[at]
    return boxes, visible, outers, ends, doubtful


def _drawn(faces: Sequence[Face], parents: Sequence[int]) -> Sequence[int]:
    """Drawing order: a parent before its children, siblings by ``drawing-order`` if all have one."""
    last: dict[int, int] = {}
    turned = False
    for face, parent in zip(faces, parents, strict=True):
        order = face.order
        if order is not None and parent >= 0:
            if last.get(parent, order) > order:
                turned = True
                break
            last[parent] = order
    if not turned:
        return range(len(faces))
    children: dict[int, list[int]] = {}
    for at, parent in enumerate(parents):
        children.setdefault(parent, []).append(at)
    draws = [0] * len(faces)
    pending = list(reversed(children[_NONE]))
    rank = 0
    while pending:
        at = pending.pop()
        draws[at] = rank
        rank += 1
        mine = children.get(at, [])
        if len(mine) > 1 and all(faces[child].order is not None for child in mine):
            mine = sorted(mine, key=lambda child: faces[child].order or 0)
        pending.extend(reversed(mine))
    return draws


def _shape(seen: Sequence[Face], around: Sequence[int], bounds: Sequence[Box]) -> Shape:
    return shaped(
        [face.kind for face in seen],
        [face.words for face in seen],
        [face.fingerprint for face in seen],
        [face.trait for face in seen],
        around,
        bounds,
    )


def _lacking(faces: Sequence[Face]) -> frozenset[str]:
    """The attributes of `SOMETIMES` that this source gives, and that some element leaves out."""
    lacks = {face.lacks for face in faces if face.told}
    return frozenset[str]().union(*lacks) - SOMETIMES.intersection(*lacks)


def _labels(
    seen: Sequence[Face], around: Sequence[int], lacking: frozenset[str]
) -> tuple[list[str | None], list[bool]]:
    """Description, else text, else the labels inside that belong to nodes without touch, else the prompt.

    None: there is none, or it is too long to be one. The second list says whether it may be another one, because the
    source left out what comes before, or whether what is inside takes touches.
    """
    labels: list[str | None] = [None] * len(seen)
    unsure = [False] * len(seen)
    inner: dict[int, list[str | None]] = {}  # given last first; None: a label that was too long
    unsure_inside: set[int] = set()
    for at in range(len(seen) - 1, -1, -1):
        face = seen[at]
        label: str | None = face.own
        parts = inner.pop(at, None)
        if not label:
            if parts is None:
                label = face.prompt
            elif None in parts or sum(len(part) + 2 for part in parts if part) > MAX_LABEL + 2:
                label = None
            else:
                label = ", ".join(part for part in reversed(parts) if part)
        prompted = label == face.prompt and "hint" in face.lacks & lacking
        unsure[at] = face.unsure or prompted or (not face.own and at in unsure_inside)
        if around[at] >= 0 and not face.touch:
            if label != "":
                inner.setdefault(around[at], []).append(label)
            if unsure[at] or (label and face.told and face.clickable is None):
                unsure_inside.add(around[at])
        labels[at] = (label or None) if face.told else None
        unsure[at] = unsure[at] and face.told
    return labels, unsure


def _unread(face: Face, guessed: bool, lacking: frozenset[str]) -> frozenset[str]:
    """What was not read of a node; of its label, too, where that is only guessed."""
    own = face.lacks & lacking
    if "hint" in own and face.editable is not False:
        own |= _PROMPTED
    return face.unread.union(own, _LABEL if guessed else ()) if own or guessed else face.unread


def _node(
    face: Face,
    number: int,
    parent: int | None,
    label: str | None,
    box: Box,
    *,
    window: int,
    draw: int,
    end: int,
    place: int,
    unread: frozenset[str],
) -> Node:
    left, top, right, bottom = box
    text, length = (None, None) if unread >= _PROMPTED else (face.text, face.length)
    # In the order of the fields: by name it would take twice as long.
    return Node(
        number,
        parent,
        face.index,
        face.id,
        face.resource_id,
        face.cls,
        face.package,
        text,
        face.desc,
        face.hint,
        label,
        face.clickable,
        face.long_clickable,
        face.checkable,
        face.checked,
        face.enabled,
        face.focused,
        face.scrollable,
        face.selected,
        face.password,
        face.editable,
        length,
        left,
        top,
        right,
        bottom,
        window,
        draw,
        end,
        face.box != box,
        place,
        unread,
    )
