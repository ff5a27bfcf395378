"""A tree as uiautomator would dump it, so that a recorded screen can be read, kept and shown again as XML."""

import re
from typing import Final

from vsalang.screen.tree.node import Node, Tree

_ILLEGAL: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FLAGS: Final = (
    ("checkable", "checkable"),
    ("checked", "checked"),
    ("clickable", "clickable"),
    ("enabled", "enabled"),
    ("focused", "focused"),
    ("scrollable", "scrollable"),
    ("long-clickable", "long_clickable"),
    ("password", "password"),
    ("selected", "selected"),
)


def tree_xml(tree: Tree) -> str:
    """The XML of a tree; read again (`vsalang.screen.tree.load_dump`) it has the same facts.

    Nodes that do not show are not in a tree, so nodes may have other numbers then. What stood in a password field is
    not in it either: there are as many dots instead.
    """
    from lxml import etree

    root = etree.Element("hierarchy", rotation="0")
    made: dict[int, etree._Element] = {}
    hinted = any(node.hint is not None for node in tree.nodes)
    for node in tree.nodes:
        parent = made[node.parent] if node.parent is not None else root
        element = made[node.node] = etree.SubElement(parent, "node")
        for name, value in _attributes(node, hinted=hinted):
            element.set(name, value if value.isprintable() and value.isascii() else _ILLEGAL.sub("", value))
    declared: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=True)
    return declared.decode()


def _attributes(node: Node, *, hinted: bool) -> list[tuple[str, str]]:
    attributes = [("index", str(node.index))] if node.index is not None else []
    text = node.text
    if text is None and node.length:
        text = "•" * node.length  # of a password only its length is known
    if text is not None:
        attributes.append(("text", text))
    elif node.length == 0:
        attributes += [("text", node.hint or ""), ("showing-hint", "true")]
    named = (
        ("resource-id", node.resource_id),
        ("class", node.cls),
        ("package", node.package),
        ("content-desc", node.desc),
        ("hint", node.hint),
    )
    attributes += [(name, value) for name, value in named if value is not None]
    if hinted and node.hint is None and "hint" not in node.unread:
        attributes.append(("hint", ""))  # it was read, and there is none
    for name, field in _FLAGS:
        flag = getattr(node, field)
        if flag is not None:
            attributes.append((name, "true" if flag else "false"))
    attributes.append(("drawing-order", str(node.draw)))
    attributes.append(("bounds", f"[{node.left},{node.top}][{node.right},{node.bottom}]"))
    return attributes
