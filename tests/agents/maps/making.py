"""An app of two screens and a menu, walks on it, and files as APKs have them."""

import io
import json
import struct
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from vsalang.agents.maps import Edge, Screen
from vsalang.agents.maps.gestures import atom
from vsalang.language.semantics import load_text
from vsalang.program.ir import Atom, Program

APP = """app notes package "a.b" "Notes"
screen Notes when Node(id = "notes").
screen Note when Node(id = "note").
screen Menu over Notes when Node(id = "menu").
goto Note when screen Notes, tap(id = "row").
goto Menu when screen Notes, tap(label = "More").
goto Notes when back.
goto Notes when screen Menu, tap(node = ?n), Node(node = ?n, text = "Close").
"""


def program(text: str = APP) -> Program:
    loaded = load_text(text, file="notes.vsa")
    assert loaded.program is not None, loaded.diagnostics
    return loaded.program


def dump(*nodes: Mapping[str, str]) -> str:
    """A screen: nodes one below the other; ``id``, ``text``, ``class`` and whether it can be ``clicked``."""
    lines = []
    for at, node in enumerate(nodes):
        told = {
            "class": f"android.widget.{node.get('class', 'TextView')}",
            "package": node.get("package", "a.b"),
            "resource-id": f"a.b:id/{node['id']}" if "id" in node else "",
            "text": node.get("text", ""),
            "clickable": "true" if "click" in node else "false",
            "enabled": "true",
            "index": str(at),
            "bounds": f"[0,{at * 100}][500,{at * 100 + 90}]",
        }
        lines.append(f"<node {' '.join(f'{key}={quoteattr(value)}' for key, value in told.items())}/>")
    return f"<hierarchy rotation='0'>{''.join(lines)}</hierarchy>"


NOTES = dump(
    {"id": "notes", "text": "3 notes"},
    {"id": "row", "text": "Milk", "click": ""},
    {"text": "More", "click": ""},
)
NOTES_LATER = NOTES.replace("3 notes", "4 notes").replace("Milk", "Bread")
NOTE = dump({"id": "note", "text": "Milk"}, {"id": "share", "text": "Share", "click": ""})
MENU = dump({"id": "notes", "text": "3 notes"}, {"id": "menu"}, {"id": "close", "text": "Close", "click": ""})


def tap(row: int) -> dict[str, Any]:
    return {"action_type": "click", "x": 50, "y": row * 100 + 50}


BACK = {"action_type": "navigate_back"}


def walk(path: Path, steps: Iterable[tuple[str, Any]]) -> Path:
    """A walk in the plainest format."""
    lines = [
        {"screen": screen, "app": "a.b/a.b.Main", **({"action": action} if action else {})}
        for screen, action in steps
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def screen(name: str) -> Screen:
    return Screen(name, "state")


def edge(source: str, target: str, gesture: Atom | str = "tap", tried: int = 0, worked: int = 0) -> Edge:
    gesture = gesture if isinstance(gesture, Atom) else atom("tap", {"id": gesture})
    return Edge(source, gesture, target, (), tried, worked)


# ---------------------------------------------------------------- binary XML, as aapt writes it

Element = tuple[str, Mapping[str, str], Sequence["Element"]]
_ANDROID = "http://schemas.android.com/apk/res/android"
_NONE = 0xFFFFFFFF


def axml(root: Element) -> bytes:
    """Binary XML; attributes beginning with ``android:`` are in Android's namespace, values are texts.

    Source of the form: AOSP, frameworks/base/libs/androidfw, ``ResourceTypes.h``.
    """
    strings: list[str] = []

    def index(text: str) -> int:
        if text not in strings:
            strings.append(text)
        return strings.index(text)

    def chunk(kind: int, body: bytes, head: int = 16) -> bytes:
        inner = struct.pack("<II", 1, _NONE) if head == 16 else b""
        return struct.pack("<HHI", kind, head, 8 + len(inner) + len(body)) + inner + body

    def written(element: Element) -> bytes:
        tag, attributes, children = element
        cells = b""
        for key, value in attributes.items():
            space = index(_ANDROID) if key.startswith("android:") else _NONE
            name = index(key.rpartition(":")[2])
            cells += struct.pack("<IIIHBBI", space, name, index(value), 8, 0, 3, index(value))
        begin = struct.pack("<IIHHHHHH", _NONE, index(tag), 20, 20, len(attributes), 0, 0, 0)
        body = chunk(0x0102, begin + cells)
        for child in children:
            body += written(child)
        return body + chunk(0x0103, struct.pack("<II", _NONE, index(tag)))

    space = struct.pack("<II", index("android"), index(_ANDROID))
    body = chunk(0x0100, space) + written(root) + chunk(0x0101, space)
    data, offsets = b"", b""
    for text in strings:
        offsets += struct.pack("<I", len(data))
        data += struct.pack("<H", len(text)) + text.encode("utf-16-le") + b"\0\0"
    data += b"\0" * (-len(data) % 4)
    head = struct.pack("<IIIII", len(strings), 0, 0, 28 + len(offsets), 0)
    pool = struct.pack("<HHI", 1, 28, 28 + len(offsets) + len(data)) + head + offsets + data
    return struct.pack("<HHI", 3, 8, 8 + len(pool) + len(body)) + pool + body


def apk(path: Path, files: Mapping[str, bytes]) -> Path:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    path.write_bytes(held.getvalue())
    return path


def plain(element: Element) -> str:
    """The same as text, as apktool decodes it."""
    tag, attributes, children = element
    told = " ".join(f"{key}={quoteattr(value)}" for key, value in attributes.items())
    spaces = f'xmlns:android="{_ANDROID}" xmlns:app="http://schemas.android.com/apk/res-auto"'
    inner = "".join(plain(child) for child in children)
    return f"<{tag} {spaces} {told}>{inner}</{tag}>"
