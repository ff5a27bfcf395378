"""Where the nodes of a source may be if some of its boxes cannot be right: the other reading of a tree.

A box is evidence, and some of it is wrong: pages of the web and views of an app's own report boxes that are empty or
inverted, or that lie outside of what is around them. In the first reading (`vsalang.screen.tree.build`) every box cuts
what is inside, so such nodes and all inside them do not show. In the other one

* a box cuts what is inside only if it can be right (it is neither empty nor inverted, and inside the box around it) and
  is known to cut: that of a window, or of what scrolls;
* a node whose own box cannot be right, or which lies wholly outside of what is around it, may be anywhere in the
  nearest box that cuts it;
* so may a node that reaches out of its parent and would fit in if the screen were turned, and all inside it: their
  boxes are older than the turn.

What was cut away at an edge of something that scrolls is certainly not to be seen: it was scrolled away.
"""

from collections.abc import Mapping, Sequence

from vsalang.base.records import dataclass
from vsalang.screen.tree.face import Box, Face


@dataclass(frozen=True, slots=True)
class Placing:
    """Where each element may be.

    Attributes:
        boxes: the area in which it may show.
        visible: whether it may show.
        why: by position, what is wrong with the box of an element (see `vsalang.screen.tree.node.HiddenElement`).
        differs: whether anything may show that does not in the first reading.
    """

    boxes: Sequence[Box]
    visible: Sequence[bool]
    why: Mapping[int, str]
    differs: bool


def sane(box: Box) -> bool:
    """Whether a box has an area."""
    return box[0] < box[2] and box[1] < box[3]


def box_around(boxes: Sequence[Box]) -> Box:
    """The smallest box that holds all boxes but the empty ones."""
    real = [box for box in boxes if sane(box)] or [(0, 0, 0, 0)]
    return (
        min(box[0] for box in real),
        min(box[1] for box in real),
        max(box[2] for box in real),
        max(box[3] for box in real),
    )


def other_orientation(roots: Sequence[Box]) -> bool:
    """Whether windows fill the screen both upright and on its side: one of them is older than the last turn."""
    sizes = {(right, bottom) for left, top, right, bottom in roots if left == top == 0}
    return any(width != height and (height, width) in sizes for width, height in sizes)


def possible(
    faces: Sequence[Face],
    parents: Sequence[int],
    areas: Mapping[int, Box],
    sure: Sequence[Box],
    visible: Sequence[bool],
) -> Placing:
    """The other reading.

    Args:
        areas: where the window of each root may be, by the root's position.
        sure, visible: the visible areas and elements of the first reading.
    """
    boxes: list[Box] = []
    content: list[Box] = []  # the area that what is inside does not leave
    sound: list[bool] = []  # whether its box can be right
    edge: list[bool] = []  # whether that area is one of something that scrolls
    may: list[bool] = []
    windows: list[Box] = []
    turned: list[bool] = []  # whether its box is older than a turn of the screen
    why: dict[int, str] = {}
    for at, (face, parent) in enumerate(zip(faces, parents, strict=True)):
        box = face.box
        real = sane(box)
        region = areas[at] if parent < 0 else content[parent]
        scrolls = parent >= 0 and edge[parent]
        right = real
        windows.append(areas[at] if parent < 0 else windows[parent])
        stale = parent >= 0 and (turned[parent] or _is_turned(box, faces[parent].box, windows[at]))
        turned.append(stale)
        if not real:
            why[at] = "empty" if box[0] == box[2] or box[1] == box[3] else "inverted"
            place = region
        elif parent < 0:
            place = box
        else:
            place = _common(box, region)
            around = faces[parent].box
            right = _inside(box, region) and (not sound[parent] or _inside(box, around))
            if not sane(place) or (sane(around) and not sane(_common(box, around))):
                why[at] = "outside"
                place = region
        if stale:
            right, place = False, region
        away = scrolls and at in why and _scrolled_away(box, region)
        if away:
            why[at] = "scrolled"
            place = (region[0], region[1], region[0], region[1])
        cuts = (right and (parent < 0 or face.scrollable is True)) or away
        boxes.append(place)
        sound.append(right)
        content.append(place if cuts else region)
        edge.append((right and face.scrollable is True) or away or (scrolls and not cuts))
        may.append(not face.hidden and sane(place))
    differs = any(
        now and (not before or box != cut)
        for now, before, box, cut in zip(may, visible, boxes, sure, strict=True)
    )
    return Placing(boxes, may, why, differs)


def _is_turned(box: Box, around: Box, window: Box) -> bool:
    """Whether a box reaches out of the one around it, and lies inside if the window is turned by a quarter.

    What reaches out a little is a mark at a corner; what reaches over the edge of the window is on its way in or out.
    """
    if not sane(box) or not sane(around) or 4 * _area(_common(box, around)) > 3 * _area(box):
        return False
    left, top, right, bottom = box
    wide, high = window[2] - window[0], window[3] - window[1]
    if not (_inside(box, window) or right - left > wide or bottom - top > high):
        return False
    back = (
        (window[2] - bottom, window[1] + left, window[2] - top, window[1] + right),
        (window[0] + top, window[3] - right, window[0] + bottom, window[3] - left),
    )
    return any(_inside(each, around) for each in back)


def _area(box: Box) -> int:
    return max(box[2] - box[0], 0) * max(box[3] - box[1], 0)


def _common(one: Box, other: Box) -> Box:
    return max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])


def _inside(box: Box, around: Box) -> bool:
    return around[0] <= box[0] and around[1] <= box[1] and box[2] <= around[2] and box[3] <= around[3]


def _scrolled_away(box: Box, edges: Box) -> bool:
    """Whether a box was cut away at an edge of what scrolls: then it is inverted, and ends or begins at that edge.

    ``[0,1777][900,1664]`` begins 113 pixels below a list that ends at 1664.
    """
    left, top, right, bottom = box
    down = left < right and ((top > bottom == edges[3]) or (bottom < top == edges[1]))
    across = top < bottom and ((left > right == edges[2]) or (right < left == edges[0]))
    return down or across
