"""What a trace of MobileRisk says was there before an action, next to the screen's nodes; as rows of relations.

What a state does not say was not read, and is unknown. Whether a file changed follows from the states before and after
an action: from the hashes, sizes and times of files in both; that one is new or gone only where its folder was read
whole. A hash of the whole file system that differs, with no file that explains it, is a change of a file whose name is
not known.
"""

import datetime as dt
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

from vsalang.agents.walks.recorded_walk import WalkError
from vsalang.base.records import dataclass
from vsalang.program.screen import Cells
from vsalang.program.text import canonical
from vsalang.program.values import NONE, Value
from vsalang.screen.screen import Notification, TreeScreen
from vsalang.screen.tree import Tree, Window, load_dump

T = TypeVar("T")

MOST: Final = 5000
"""How many rows a state may give of one relation."""
_LONGEST: Final = 4000
_SCREEN_TEXT: Final = 200_000
_ILLEGAL: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PACKAGE: Final = re.compile(r"[A-Za-z]\w*(?:\.\w+)*", re.ASCII)
_SHA: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class File:
    """One file: its size in bytes, when it was changed, the SHA-256 of its content; None is unknown."""

    size: int | None = None
    changed: float | None = None
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Pane:
    """A window as the window manager tells it; a greater layer is nearer to the user."""

    package: str | None
    kind: str | None
    bounds: tuple[int, int, int, int]
    layer: int


@dataclass(frozen=True, slots=True)
class State:
    """What is known before an action; None: it was not read.

    Attributes:
        text: the texts of the screen, joined.
        digest: a hash of the file system.
        files: by their paths.
        whole: folders whose files were all read.
        rows: rows of ``Permission``, ``Network``, ``Setting``.
    """

    text: str | None = None
    now: dt.datetime | None = None
    app: tuple[str, str | None] | None = None
    notifications: tuple[Notification, ...] = ()
    toasts: tuple[str, ...] = ()
    panes: tuple[Pane, ...] = ()
    digest: str | None = None
    files: Mapping[str, File] | None = None
    whole: tuple[str, ...] = ()
    rows: Mapping[str, tuple[Cells, ...]] | None = None
    has_text: bool = False


def read_state(data: Any, place: str) -> State:
    """The state of ``jsons/NAME.json``.

    Raises:
        WalkError: it is invalid; the message says which key is wrong.
    """
    if not isinstance(data, dict):
        raise WalkError(f"{place}: a state is an object")
    reader = _Reader(data, place)
    fs = reader.inner("fs")
    files = None
    if "files" in fs.data:
        files = dict(fs.each("files", _file))
    rows: dict[str, tuple[Cells, ...]] = {}
    for key, relation, make in (
        ("permissions", "Permission", _permission),
        ("network", "Network", _connection),
        ("settings", "Setting", _setting),
    ):
        if key in data:
            rows[relation] = tuple(reader.each(key, make))
    text = reader.inner("screen").text("text", _SCREEN_TEXT)
    return State(
        text,
        reader.time("time"),
        _app(reader.text("activity")),
        tuple(reader.each("notifications", _notification)),
        tuple(reader.texts("toasts")),
        tuple(reader.each("windows", _pane)),
        fs.text("hash", 200),
        files,
        tuple(folder if folder.endswith("/") else f"{folder}/" for folder in fs.texts("read")),
        rows,
        bool(data),
    )


def screen_of(
    tree: Tree | None, state: State, before: State | None, now: dt.datetime | None
) -> TreeScreen | None:
    """The screen that a trace shows; None if it says nothing of it at all.

    Args:
        tree: of the dump; None: there is none, so the nodes are unknown.
        state: as it was when the screen showed.
        before: as it was before the action that led here; None: there was none.
        now: the time, where the state does not say it.
    """
    if tree is None and not state.has_text:
        return None
    if tree is None:
        tree = _only_text(state)
    tree = _with_panes(tree, state.panes)
    system: dict[str, tuple[Cells, ...]] = dict(state.rows or {})
    if state.files is not None:
        system["File"] = tuple(_row(path=path, sha256=file.sha256) for path, file in state.files.items())
        system["Traced"] = _traced(state, before)
    changed = changes(before, state) if before is not None else None
    if changed is not None:
        system["FileChanged"] = changed
    return TreeScreen(
        tree,
        app=state.app or tree.app,
        now=state.now or now,
        toasts=state.toasts,
        notifications=state.notifications,
        system=system,
        settled=True,
        partial=tree.partial,
    )


def changes(before: State, after: State) -> tuple[Cells, ...] | None:
    """The rows of ``FileChanged``; None if nothing is known of changes."""
    rows: list[Cells] = []
    known = before.files is not None and after.files is not None
    if before.files is not None and after.files is not None:
        for path, new in after.files.items():
            old = before.files.get(path)
            if old is None:
                if _covered(path, before.whole):
                    rows.append(_row(path=path, before=NONE, after=new.sha256))
            elif _differ(old, new):
                rows.append(_row(path=path, before=old.sha256, after=new.sha256))
        for path, old in before.files.items():
            if path not in after.files and _covered(path, after.whole):
                rows.append(_row(path=path, before=old.sha256, after=NONE))
    if before.digest is not None and after.digest is not None:
        known = True
        if before.digest != after.digest and not rows:
            rows.append({})
    return tuple(rows) if known else None


def _traced(state: State, before: State | None) -> tuple[Cells, ...]:
    """What was read whole: the files of a folder; whether they changed, if both states say it of each of them."""
    rows = [_row(relation="File", within=folder) for folder in state.whole]
    if before is not None and before.files is not None:
        both = [folder for folder in state.whole if _covered(folder, before.whole)]
        old = before.files
        unsure = [
            path for path, new in (state.files or {}).items() if path in old and _unsure(old[path], new)
        ]
        rows += [
            _row(relation="FileChanged", within=folder)
            for folder in both
            if not any(path.startswith(folder) for path in unsure)
        ]
    return tuple(rows)


def _covered(path: str, folders: tuple[str, ...]) -> bool:
    return any(path.startswith(folder) for folder in folders)


def _differ(old: File, new: File) -> bool:
    """Whether the content certainly differs, or the size or time does and the hashes do not say that it is the same."""
    if old.sha256 is not None and new.sha256 is not None:
        return old.sha256 != new.sha256
    pairs = ((old.size, new.size), (old.changed, new.changed))
    return any(a is not None and b is not None and a != b for a, b in pairs)


def _unsure(old: File, new: File) -> bool:
    """Whether nobody can tell if a file changed: another content may have the same size."""
    pairs = (old.sha256, new.sha256), (old.changed, new.changed)
    return all(a is None or b is None for a, b in pairs) and not _differ(old, new)


def _row(**cells: Value | None) -> Cells:
    return {
        name: canonical(value) if isinstance(value, str) else value
        for name, value in cells.items()
        if value is not None
    }


# ---------------------------------------------------------------- trees


def _only_text(state: State) -> Tree:
    """A tree of the screen's texts alone: one node, in the first pixel, so that no touch is taken for one on it."""
    if not state.text:
        return Tree((), (), 0, name="<texts>", partial=True)
    from lxml import etree

    root = etree.Element("hierarchy", rotation="0")
    node = etree.SubElement(root, "node")
    node.set("text", _ILLEGAL.sub("", state.text))
    node.set("class", "android.view.View")
    node.set("package", state.app[0] if state.app is not None else "")
    node.set("bounds", "[0,0][1,1]")
    return replace(load_dump(etree.tostring(root, encoding="unicode"), name="<texts>"), partial=True)


def _with_panes(tree: Tree, panes: tuple[Pane, ...]) -> Tree:
    """The tree with the kinds of its windows, and with those windows of which the dump has no nodes."""
    if not panes:
        return tree
    left = sorted(panes, key=lambda pane: -pane.layer)
    stack: list[tuple[Window, int | None]] = []
    for window in tree.windows:
        bounds = (window.left, window.top, window.right, window.bottom)
        mine = [p for p in left if p.package == window.package]
        pane = next((p for p in mine if p.bounds == bounds), mine[0] if len(mine) == 1 else None)
        if pane is None:
            stack.append((window, None))
            continue
        left.remove(pane)
        stack.append((replace(window, kind=pane.kind or window.kind), pane.layer))
    for pane in reversed(left):
        at = next(
            (i for i, (_, layer) in enumerate(stack) if layer is not None and layer < pane.layer), len(stack)
        )
        stack.insert(at, (Window(0, pane.package, *pane.bounds, kind=pane.kind), pane.layer))
    numbers = {window.window: number for number, (window, _) in enumerate(stack, 1) if window.window}
    windows = tuple(replace(window, window=number) for number, (window, _) in enumerate(stack, 1))
    nodes = tuple(
        node if numbers[node.window] == node.window else replace(node, window=numbers[node.window])
        for node in tree.nodes
    )
    return replace(tree, nodes=nodes, windows=windows)


# ---------------------------------------------------------------- values


class _Reader:
    """The keys of an object, with the place for messages."""

    def __init__(self, data: Mapping[str, Any], place: str) -> None:
        self.data = data
        self.place = place

    def wrong(self, key: str, what: str) -> WalkError:
        """The error about a key."""
        return WalkError(f"{self.place}: `{key}` {what}")

    def inner(self, key: str) -> "_Reader":
        """The object of a key; an empty one if it is not there. Raises `WalkError`."""
        value = self.data.get(key)
        if value is not None and not isinstance(value, dict):
            raise self.wrong(key, "is not an object")
        return _Reader(value or {}, self.place)

    def items(self, key: str) -> list[Any]:
        """The list of a key; an empty one if it is not there. Raises `WalkError`."""
        value = self.data.get(key)
        if value is None:
            return []
        if not isinstance(value, list) or len(value) > MOST:
            raise self.wrong(key, f"is not a list of at most {MOST}")
        return value

    def each(self, key: str, make: Callable[["_Reader"], T]) -> list[T]:
        """What is made of each object in a list. Raises `WalkError`."""
        items = self.items(key)
        if not all(isinstance(item, dict) for item in items):
            raise self.wrong(key, "holds something that is not an object")
        return [make(_Reader(item, f"{self.place}, {key} {n}")) for n, item in enumerate(items, 1)]

    def texts(self, key: str) -> list[str]:
        """The texts of a list. Raises `WalkError`."""
        items = self.items(key)
        if not all(isinstance(item, str) and len(item) <= _LONGEST for item in items):
            raise self.wrong(key, f"holds something that is not a text of at most {_LONGEST} characters")
        return items

    def text(self, key: str, most: int = _LONGEST) -> str | None:
        """A text; None if it is not there. Raises `WalkError`."""
        value = self.data.get(key)
        if value is not None and (not isinstance(value, str) or len(value) > most):
            raise self.wrong(key, f"is not a text of at most {most} characters")
        return value

    def needed(self, key: str) -> str:
        """A text that must be there. Raises `WalkError`."""
        text = self.text(key)
        if not text:
            raise self.wrong(key, "is missing")
        return text

    def whole(self, key: str) -> int | None:
        """A whole number; None if it is not there. Raises `WalkError`."""
        value = self.data.get(key)
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, int) or abs(value) >= 1 << 53
        ):
            raise self.wrong(key, "is not a whole number")
        return value

    def time(self, key: str) -> dt.datetime | None:
        """A local time; None if it is not there. Raises `WalkError`."""
        text = self.text(key, 60)
        if text is None:
            return None
        try:
            return dt.datetime.fromisoformat(text).replace(tzinfo=None)
        except ValueError as error:
            raise self.wrong(key, f"is not a time such as 2026-04-01T12:00:00: {text!r}") from error


def _app(name: str | None) -> tuple[str, str | None] | None:
    package, _, activity = (name or "").partition("/")
    return (package, activity or None) if _PACKAGE.fullmatch(package) else None


def _notification(reader: _Reader) -> Notification:
    return Notification(reader.text("package"), reader.text("title"), reader.text("text"))


def _pane(reader: _Reader) -> Pane:
    match reader.data.get("bounds"):
        case [int(left), int(top), int(right), int(bottom)] if all(
            abs(edge) < 1_000_000 for edge in (left, top, right, bottom)
        ):
            bounds = (left, top, right, bottom)
        case _:
            raise reader.wrong("bounds", "is not a list of left, top, right and bottom in pixels")
    return Pane(reader.text("package"), reader.text("type"), bounds, reader.whole("layer") or 0)


def _file(reader: _Reader) -> tuple[str, File]:
    changed = reader.data.get("mtime")
    if changed is not None and (
        isinstance(changed, bool) or not isinstance(changed, int | float) or not abs(changed) < 1 << 53
    ):
        raise reader.wrong("mtime", "is not a time in seconds")
    sha = reader.text("sha256", 64)
    if sha is not None and not _SHA.fullmatch(sha):
        raise reader.wrong("sha256", "is not a SHA-256 in hexadecimal digits")
    return reader.needed("path"), File(reader.whole("size"), changed, sha)


def _permission(reader: _Reader) -> Cells:
    granted = reader.data.get("granted")
    if granted is not None and not isinstance(granted, bool):
        raise reader.wrong("granted", "is neither true nor false")
    return _row(package=reader.needed("package"), name=reader.needed("name"), granted=granted)


def _connection(reader: _Reader) -> Cells:
    return _row(package=reader.text("package"), host=reader.text("host"), port=reader.whole("port"))


def _setting(reader: _Reader) -> Cells:
    return _row(namespace=reader.needed("namespace"), key=reader.needed("key"), value=reader.text("value"))
