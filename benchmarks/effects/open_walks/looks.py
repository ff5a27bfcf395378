"""Shows a composed screen as one of four toolkits does: classic views, Compose, Flutter, or a page in a browser."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Final

LOOKS: Final = ("classic", "compose", "flutter", "browser")
_VIEW: Final = "android.view.View"
_BROWSER: Final = "com.android.chrome"
_SYSTEM: Final = ("android", "com.android.", "com.google.android.")
"""The packages of the system keep their views."""


def shown_as(xml: str, look: str) -> str:
    """A dump as the toolkit shows it. Raises `ValueError`: there is no such look."""
    if look not in LOOKS:
        raise ValueError(f"there is no look {look!r}; there are {', '.join(LOOKS)}")
    if look == "classic":
        return xml
    root = ET.fromstring(xml.encode("utf-8"))
    for window in list(root):
        if not window.get("package", "").startswith(_SYSTEM):
            for node in list(window.iter()):
                _bare(node)
            match look:
                case "compose":
                    _compose(window)
                case "flutter":
                    _flutter(window)
                case _:
                    _browser(window)
    return ET.tostring(root, encoding="unicode")


def _bare(node: ET.Element) -> None:
    node.set("resource-id", "")


def _kind(node: ET.Element) -> str:
    return node.get("class", "").rpartition(".")[2]


def _holds(node: ET.Element) -> bool:
    return node.get("clickable") == "true" or node.get("checkable") == "true"


def _compose(window: ET.Element) -> None:
    """Texts keep their class; what takes touches is a view round them."""
    for node in list(window.iter()):
        kind = _kind(node)
        if kind in ("EditText", "CheckBox", "Switch", "RadioButton", "TextView") and not (
            kind == "TextView" and _holds(node)
        ):
            continue
        said = node.get("text", "")
        node.set("class", _VIEW)
        if said and _holds(node):
            node.set("text", "")
            node.append(_text_of(node, said, "android.widget.TextView"))


def _text_of(node: ET.Element, said: str, kind: str) -> ET.Element:
    made = ET.Element("node", dict(node.attrib))
    made.attrib |= {"text": said, "class": kind, "clickable": "false", "long-clickable": "false",
                    "checkable": "false", "focusable": "false", "content-desc": ""}  # fmt: skip
    return made


def _flutter(window: ET.Element) -> None:
    """All is drawn: texts are descriptions, and what takes touches is described as a whole."""
    for node in list(window.iter()):
        kind = _kind(node)
        if kind == "EditText":
            continue
        if kind == "Button" or (kind == "ImageButton"):
            node.set("class", "android.widget.Button")
        elif kind not in ("CheckBox", "Switch", "RadioButton"):
            node.set("class", _VIEW)
        if node.get("text"):
            node.set("content-desc", node.get("text", ""))
            node.set("text", "")
    for node in list(window.iter()):
        inner = [one for one in node.iter() if one is not node]
        if _holds(node) and inner and not any(_holds(one) or _kind(one) == "EditText" for one in inner):
            said = [one.get("content-desc", "") for one in [node, *inner] if one.get("content-desc")]
            boxes = [one for one in inner if one.get("checkable") == "true"]
            node.set("content-desc", "\n".join(said))
            for one in boxes[:1]:
                node.attrib |= {name: one.get(name, "") for name in ("class", "checkable", "checked")}
            for child in list(node):
                node.remove(child)


def _browser(window: ET.Element) -> None:
    """The page is in a web view, below the bar with its address."""
    left, top, right, bottom = bounds(window)
    site = window.get("package", "").rpartition(".")[2]
    page = list(window)
    for node in list(window.iter()):
        kind = _kind(node)
        node.set("package", _BROWSER)
        if node.get("content-desc") and not node.get("text"):
            node.attrib |= {"text": node.get("content-desc", ""), "content-desc": ""}
        if kind == "ImageButton":
            node.set("class", "android.widget.Button")
        elif kind not in ("EditText", "CheckBox", "RadioButton", "Button", "TextView"):
            node.set("class", _VIEW)
    for child in page:
        window.remove(child)
    said = [one for child in page for one in child.iter() if one.get("text") and not _holds(one)]
    title = said[0].get("text", "") if said else site
    web = ET.Element("node", dict(window.attrib))
    web.attrib |= {"class": "android.webkit.WebView", "text": title, "clickable": "false"}
    web.extend(page)
    bar = ET.Element("node", dict(window.attrib))
    bar.attrib |= {"class": "android.widget.EditText", "resource-id": "com.android.chrome:id/url_bar",
                   "text": f"{site}.example/{site}", "clickable": "true", "focusable": "true", "editable": "true",
                   "bounds": f"[{left + (right - left) // 5},{top}][{right},{top + (bottom - top) // 40}]"}  # fmt: skip
    if left == 0:  # what stands in front of the page has no bar
        window.append(bar)
    window.append(web)


def bounds(node: ET.Element) -> tuple[int, ...]:
    """Left, top, right and bottom of a node."""
    return tuple(_numbers(node.get("bounds", "[0,0][0,0]")))


def _numbers(text: str) -> Iterator[int]:
    for part in text.replace("][", ",").strip("[]").split(","):
        yield int(part)
