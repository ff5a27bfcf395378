"""Reads UI trees in JSON: detects the format, and gives the elements in the form of a dump.

The formats are those of AndroidWorld's agents and accessibility-forwarder, the states of mobilerun's (formerly
droidrun's) portals, and the view lists of DroidBot and LlamaTouch. An attribute that a source leaves out is unknown,
never ``false`` (except in protocol buffers, which leave out what is false). If a source also leaves out nodes, the tree
is partial, and a root without attributes represents the missing nodes: it may take any touch.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from vsalang.base.frameworks import FRAMEWORKS, part
from vsalang.program.text import canonical, safe
from vsalang.screen.tree.build import Elements, Frame
from vsalang.screen.tree.face import Box, Face, values_of
from vsalang.screen.tree.jsontext import At, kind_of, load_json
from vsalang.screen.tree.node import MAX_DEPTH, MAX_NODES, DumpError
from vsalang.screen.tree.placing import box_around

_FLAGS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("clickable", ("is_clickable", "isClickable", "clickable")),
    (
        "long-clickable",
        ("is_long_clickable", "isLongClickable", "long_clickable", "long-clickable", "longClickable"),
    ),
    ("checkable", ("is_checkable", "isCheckable", "checkable")),
    ("checked", ("is_checked", "isChecked", "checked")),
    ("enabled", ("is_enabled", "isEnabled", "enabled")),
    ("focused", ("is_focused", "isFocused", "focused")),
    ("scrollable", ("is_scrollable", "isScrollable", "scrollable")),
    ("selected", ("is_selected", "isSelected", "selected")),
    ("password", ("is_password", "isPassword", "password")),
    ("editable", ("is_editable", "isEditable", "editable")),
    ("showing-hint", ("isShowingHintText",)),
    ("visible-to-user", ("is_visible_to_user", "isVisibleToUser", "is_visible", "visible")),
)
_TEXTS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("content-desc", ("content_description", "contentDescription", "content-desc")),
    ("hint", ("hint_text", "hintText", "hint")),
    ("package", ("package_name", "packageName", "package")),
    (
        "resource-id",
        (
            "view_id_resource_name",
            "viewIdResourceName",
            "resource_name",
            "resourceId",
            "resource_id",
            "resource-id",
        ),
    ),
)
_CLASSES: Final = ("class_name", "className", "class")
_DRAWING: Final = ("drawing_order", "drawingOrder")
_WINDOW_KINDS: Final = {
    "TYPE_APPLICATION": "application",
    "TYPE_INPUT_METHOD": "input method",
    "TYPE_SYSTEM": "system",
    "TYPE_ACCESSIBILITY_OVERLAY": "accessibility overlay",
    "TYPE_SPLIT_SCREEN_DIVIDER": "split screen divider",
    "TYPE_MAGNIFICATION_OVERLAY": "magnification overlay",
    1: "application",
    2: "input method",
    3: "system",
    4: "accessibility overlay",
    5: "split screen divider",
    6: "magnification overlay",
}
INPUT_METHOD: Final = "input method"


@dataclass(slots=True)
class ElementTable:
    """The elements that were read from a source."""

    name: str
    faces: list[Face] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    windows: list[int] = field(default_factory=list)
    frames: dict[int, Frame] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    partial: bool = False
    app: tuple[str, str | None] | None = None
    kept: Mapping[tuple[object, ...], Face] = field(default_factory=dict)
    faced: dict[tuple[object, ...], Face] = field(default_factory=dict)

    @property
    def elements(self) -> Elements:
        """The elements, as `vsalang.screen.tree.build.build` takes them."""
        return Elements(self.faces, self.parents, self.windows, self.frames)

    def add(self, attrs: dict[str, str], cls: str | None, parent: int, window: int) -> int:
        """Add an element in the form of a dump; return its position."""
        if len(self.faces) >= MAX_NODES:
            raise DumpError(f"more than {MAX_NODES} nodes", name=self.name)
        key = (cls, *attrs.items())
        face = self.faced.get(key) or self.kept.get(key)
        if face is None:
            face = Face(values_of(attrs), cls)
        self.faced[key] = face
        self.faces.append(face)
        self.parents.append(parent)
        self.windows.append(window)
        return len(self.faces) - 1

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def read_value(value: Any, name: str, kept: Mapping[tuple[object, ...], Face] | None = None) -> ElementTable:
    """The elements of a value in one of the formats.

    Args:
        kept: the faces of the tree before.

    Raises:
        DumpError: no known format, or a broken value; the message says where.
    """
    elements = ElementTable(name, kept=kept or {})
    try:
        _read(value, elements, 0)
    except RecursionError as error:
        raise DumpError("nested too deeply", name=name) from error
    return elements


def _read(value: Any, elements: ElementTable, depth: int) -> None:
    if isinstance(value, str) and depth < 3:  # a portal's answer holds JSON in JSON
        return _read(load_json(value, elements.name), elements, depth + 1)
    if isinstance(value, list):
        return _read_list(value, elements)
    if not isinstance(value, Mapping):
        raise DumpError(f"is {kind_of(value)}: not a UI tree", name=elements.name)
    top = At(value, "", elements.name)
    if "status" in value and depth < 3 and ("result" in value or "data" in value or "error" in value):
        if value["status"] != "success":
            refuse_error(value, elements.name)
        return _read(value["result"] if "result" in value else value.get("data"), elements, depth + 1)
    for name, framework in FRAMEWORKS.items():
        if any(key in value for key in framework.tree):
            part(name, "tree").read(top, elements)
            return None
    if "windows" in value:
        return _forest(top, elements)
    if "tree" in value and isinstance(value["tree"], Mapping):
        return _forest(At({"windows": [value]}, "", elements.name), elements)
    if "nodes" in value:
        return _forest(At({"windows": [{"tree": value}]}, "", elements.name), elements)
    if "views" in value:
        package, slash, activity = (top.text("foreground_activity") or "").partition("/")
        _views(top.items("views"), "views", elements, package if slash else "")
        if slash:
            elements.app = (package, activity or None)
        return None
    for key in ("ui_elements", "elements"):
        if key in value:
            return _flat(top.items(key), key, elements)
    if value.keys() & {"boundsInScreen", "className", "resourceId"}:
        return nested([value], "", elements)
    refuse_error(value, elements.name)
    raise _unknown(value, elements)


def refuse_error(value: Mapping[str, Any], name: str) -> None:
    """Refuse what a service answers in place of a tree.

    Raises:
        DumpError: it says that it is an error.
    """
    if not (
        value.get("error") or value.get("status", "success") != "success" or value.get("success") is False
    ):
        return
    texts = [str(value[key]) for key in ("error", "message") if value.get(key)] or [
        str(value.get("status", "no success"))
    ]
    raise DumpError(
        f"holds no tree but an error: {safe(': '.join(texts), 200)}; ask the device for its state again",
        name=name,
    )


def _read_list(value: list[Any], elements: ElementTable) -> None:
    if not value:
        elements.partial = True
        elements.note("holds no element")
        return None
    first = value[0]
    if not isinstance(first, Mapping):
        raise DumpError(f"is a list whose first item is {kind_of(first)}: not a UI tree", name=elements.name)
    keys = first.keys()
    if "temp_id" in keys or ("parent" in keys and "children" in keys):
        return _views(value, "", elements)
    if keys & {"bbox_pixels", "bbox"} or ("resource-id" in keys and "children" not in keys):
        return _flat(value, "", elements)
    if "className" in keys and keys & {"boundsInScreen", "bounds"}:
        return nested(value, "", elements)
    if "tree" in keys:
        return _forest(At({"windows": value}, "", elements.name), elements)
    raise _unknown(first, elements)


def _unknown(value: Mapping[str, Any], elements: ElementTable) -> DumpError:
    keys = ", ".join(safe(str(key), 30)[1:-1] for key in list(value)[:6])
    return DumpError(
        f"JSON of no known shape, with the keys {keys or 'of an empty object'}; known are AndroidWorld's elements, a "
        "forest of accessibility-forwarder, the states of mobilerun's portal, view lists of DroidBot and LlamaTouch",
        name=elements.name,
    )


# ---------------------------------------------------------------------- one element


def _attrs(at: At, box: Box, *, absent: bool | None = None) -> tuple[dict[str, str], str | None]:
    """An element in the form of a dump; `absent`: the value of a missing flag, None if it is unknown."""
    left, top, right, bottom = box
    attrs = {"bounds": f"[{left},{top}][{right},{bottom}]"}
    for name, keys in _FLAGS:
        value = at.flag(*keys)
        if value is None and name != "showing-hint":
            value = absent
        if value is not None:
            attrs[name] = "true" if value else "false"
    for name, keys in _TEXTS:
        text = at.text(*keys)
        if text is not None:
            attrs[name] = text
        elif absent is not None or any(key in at.data for key in keys):
            attrs[name] = ""  # it was read, and there is none
    if absent is not None or "text" in at.data:
        attrs["text"] = at.text("text") or ""
    order = at.number(*_DRAWING)
    if order is None and absent is not None:
        order = 0
    if order is not None:
        attrs["drawing-order"] = str(order)
    return attrs, at.text(*_CLASSES)


def blank(box: Box) -> dict[str, str]:
    """The attributes of a root that represents nodes which the source leaves out."""
    return {"bounds": f"[{box[0]},{box[1]}][{box[2]},{box[3]}]", "untold": "true"}


# ---------------------------------------------------------------------- accessibility-forwarder


def _forest(top: At, elements: ElementTable) -> None:
    """A forest: windows with their nodes, which name their children by number. See android_env's protocol buffers."""
    windows = [At(item, f"windows[{n}]", elements.name) for n, item in enumerate(top.items("windows"))]
    states = [window for window in windows if not window.number("display_id", "displayId")]
    if len(states) < len(windows):
        elements.note(f"{len(windows) - len(states)} windows of other displays are left out")
    listed = [_nodes_of(window) for window in states]
    explicit = any(value is False for nodes in listed for node in nodes for value in node.data.values())
    order = sorted(range(len(states)), key=lambda n: -(states[n].number("layer") or 0))
    for number, n in enumerate(order, 1):
        _forest_window(states[n], listed[n], number, None if explicit else False, elements)


def _nodes_of(window: At) -> list[At]:
    tree = window.inner("tree")
    if tree is None:
        return []
    return [At(item, f"{tree.where}.nodes[{n}]", window.name) for n, item in enumerate(tree.items("nodes"))]


def _forest_window(
    window: At, nodes: list[At], number: int, absent: bool | None, elements: ElementTable
) -> None:
    kind = window.data.get("window_type", window.data.get("windowType"))
    if kind is not None and not isinstance(kind, int | str):
        raise window.wrong(f"is {kind_of(kind)}, but must be a kind of window", "window_type")
    box = window.box("bounds_in_screen", "boundsInScreen")
    title = window.text("title")
    focused = window.flag("is_focused", "isFocused")
    elements.frames[number] = Frame(
        _WINDOW_KINDS.get(kind) if kind is not None else None,
        canonical(title) if title else None,
        absent if focused is None else focused,
        None,
        box,
    )
    by_id: dict[int, At] = {}
    for node in nodes:
        ident = node.number("unique_id", "uniqueId") or 0
        if ident in by_id:
            raise node.wrong(f"has the unique_id {ident}, which another node of the window has, too")
        by_id[ident] = node
    children = {
        ident: [node.whole(k, "child_ids") for k in node.items("child_ids", "childIds")]
        for ident, node in by_id.items()
    }
    hanging = {child for mine in children.values() for child in mine}
    roots = [ident for ident in by_id if ident not in hanging]
    if by_id and not roots:
        raise window.wrong("has nodes that hang in each other in a circle")
    boxes = {ident: node.box("bounds_in_screen", "boundsInScreen") for ident, node in by_id.items()}
    for ident, own in boxes.items():
        if own is None:
            if absent is None:
                raise by_id[ident].wrong("has no bounds_in_screen")
            boxes[ident] = (0, 0, 0, 0)
    parent = -1
    if len(roots) != 1:
        # Of a window without nodes only its existence is known; nodes without a parent are put into an unknown root.
        whole = box or box_around([own for own in boxes.values() if own is not None])
        parent = elements.add(blank(whole), None, -1, number)
        elements.partial = True
        elements.note(
            "windows without nodes, or with loose ones: what the source leaves out may take a touch"
        )
    pending = [(ident, parent, 1) for ident in reversed(roots)]
    seen: set[int] = set()
    while pending:
        ident, around, depth = pending.pop()
        maybe = by_id.get(ident)
        if maybe is None:
            elements.partial = True
            elements.note("children are named that are not there: the tree is not whole")
            continue
        if ident in seen:
            raise maybe.wrong("hangs in two nodes")
        seen.add(ident)
        if depth > MAX_DEPTH:
            raise DumpError(f"nested deeper than {MAX_DEPTH} levels", name=elements.name)
        attrs, cls = _attrs(maybe, boxes[ident] or (0, 0, 0, 0), absent=absent)
        position = elements.add(attrs, cls, around, number)
        pending.extend((child, position, depth + 1) for child in reversed(children[ident]))
    if len(seen) < len(by_id):
        raise window.wrong("has nodes that hang in each other in a circle")


# ---------------------------------------------------------------------- nodes with nested children


def nested(items: list[Any], where: str, elements: ElementTable) -> None:
    """Nodes with nested children: a portal's full tree, or its list of visible nodes.

    The list says little: whether a node takes a touch is unknown, and its text may be a description, an id or a class.
    """
    listed = any(isinstance(item, Mapping) and "boundsInScreen" not in item for item in items)
    number = max(elements.windows, default=0) + 1
    parent = -1
    if listed or len(items) != 1:
        elements.partial = True
        if items:
            boxes = [
                box
                for item in items
                if (box := At(item, where, elements.name).box("boundsInScreen", "bounds"))
            ]
            parent = elements.add(blank(box_around(boxes)), None, -1, number)
    pending = [
        (item, f"{where}[{n}]" if len(items) > 1 else where, parent, 1) for n, item in enumerate(items)
    ]
    pending.reverse()
    while pending:
        item, place, around, depth = pending.pop()
        at = At(item, place, elements.name)
        if depth > MAX_DEPTH:
            raise DumpError(f"nested deeper than {MAX_DEPTH} levels", name=elements.name)
        box = at.box("boundsInScreen", "bounds")
        if box is None:
            raise at.wrong("has no bounds: boundsInScreen, or bounds as text, is needed")
        attrs, cls = _attrs(at, box)
        if "boundsInScreen" not in at.data:
            text = attrs.pop("text", "")
            if text and text not in (cls, attrs.get("resource-id", "").rpartition("/")[2]):
                attrs["said"] = text
        position = elements.add(attrs, cls, around, number)
        children = at.items("children")
        pending.extend(
            (child, f"{place}.children[{n}]" if len(place) < 200 else place, position, depth + 1)
            for n, child in reversed(list(enumerate(children)))
        )


# ---------------------------------------------------------------------- flat lists


def _flat(items: list[Any], where: str, table: ElementTable) -> None:
    """Elements without a tree: AndroidWorld's, and LlamaTouch's simplified screens.

    There are leaves, descriptions and scrollable nodes, but not the nodes around them: each run of elements of one
    package gets a root that may take any touch. The first run is the topmost, as windows are listed.
    """
    table.partial = True
    elements = [At(item, f"{where}[{n}]", table.name) for n, item in enumerate(items)]
    boxes: list[Box] = []
    for at in elements:
        box = at.box("bbox_pixels", "bounds")
        if box is None:
            raise at.wrong("has no bbox_pixels: ask for elements with bounds in pixels")
        boxes.append(box)
    if not elements:
        table.note("holds no element")
        return
    runs: list[list[int]] = []
    last: str | None = None
    for n, at in enumerate(elements):
        package = at.text("package_name", "package")
        if not runs or (package is not None and last is not None and package != last):
            runs.append([])
        runs[-1].append(n)
        last = package if package is not None else last
    areas = [box_around([boxes[n] for n in run]) for run in runs]
    screen = box_around([*areas, *_screen(elements, boxes)])
    largest = max(range(len(runs)), key=lambda n: _size(areas[n]))
    for number, run in enumerate(runs, 1):
        area = screen if number - 1 == largest else areas[number - 1]
        root = table.add(blank(area), None, -1, number)
        for n in run:
            attrs, cls = _attrs(elements[n], boxes[n])
            table.add(attrs, cls, root, number)
    table.note("holds elements without their tree: what is around them may take a touch, too")


def _size(box: Box) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])


def _screen(elements: list[At], boxes: list[Box]) -> list[Box]:
    """The size of the screen, if elements give their bounds both in pixels and as fractions of it."""
    for at, box in zip(elements, boxes, strict=True):
        share = at.data.get("bbox")
        if not isinstance(share, Mapping):
            continue
        right, bottom = share.get("x_max"), share.get("y_max")
        if all(
            isinstance(v, int | float) and not isinstance(v, bool) and 0.05 < v <= 1 for v in (right, bottom)
        ):
            width, height = round(box[2] / float(right or 1)), round(box[3] / float(bottom or 1))
            if 0 < width < 1e5 and 0 < height < 1e5:
                return [(0, 0, width, height)]
    return []


# ---------------------------------------------------------------------- DroidBot, LlamaTouch


def _views(items: list[Any], where: str, elements: ElementTable, app: str = "") -> None:
    """A list of views that name their children by number: ``temp_id``, or their places in the list.

    DroidBot of 2017 wrote ids without their package, as ``id/name``: they are those of the view's package, else of
    the package `app` of the activity in front.
    """
    views = [At(item, f"{where}[{n}]", elements.name) for n, item in enumerate(items)]
    if len(views) > MAX_NODES:
        raise DumpError(f"more than {MAX_NODES} nodes", name=elements.name)
    places: dict[int, int] = {}
    for n, view in enumerate(views):
        number = view.number("temp_id")
        if places.setdefault(n if number is None else number, n) != n:
            raise view.wrong(f"has the temp_id {number}, which another view has, too")
    children: list[list[int]] = []
    parents: dict[int, int] = {}
    for n, view in enumerate(views):
        children.append([])
        for named in (view.whole(child, "children") for child in view.items("children")):
            child = places.get(named, -1)
            if child < 0:
                raise view.wrong(f"names the child {named}, which is not there")
            if child in parents:
                raise views[child].wrong("hangs in two views")
            parents[child] = n
            children[n].append(child)
    roots = [n for n in range(len(views)) if n not in parents]
    pending = [(n, -1, number, 1) for number, n in reversed(list(enumerate(roots, 1)))]
    count = 0
    while pending:
        n, parent, window, depth = pending.pop()
        if depth > MAX_DEPTH:
            raise DumpError(f"nested deeper than {MAX_DEPTH} levels", name=elements.name)
        box = views[n].box("bounds")
        if box is None:
            raise views[n].wrong("has no bounds")
        attrs, cls = _attrs(views[n], box)
        owner = attrs.get("package") or app
        if owner and attrs.get("resource-id", "").startswith("id/"):
            attrs["resource-id"] = f"{owner}:{attrs['resource-id']}"
        counted = views[n].number("child_count")
        if counted is not None:
            attrs["child-count"] = str(counted)
        position = elements.add(attrs, cls, parent, window)
        count += 1
        pending.extend((child, position, window, depth + 1) for child in reversed(children[n]))
    if count < len(views):
        raise DumpError("has views that hang in each other in a circle", name=elements.name)
