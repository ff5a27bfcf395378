"""What stands at the top of a surface: its title, and what it says below it."""

import re
from collections.abc import Sequence
from typing import Final

from vsalang.screen.control.relevance import holds_rows
from vsalang.screen.forms.outline import Outline, words_shown
from vsalang.screen.tree import Node

_TITLE_IDS: Final = re.compile(
    r"^(alertTitle|dialog_?title\w*|title_?text\w*|md_title|md_text_title|toolbar_?title|action_bar_title|page_?title|header_?title)$"
)
_MESSAGE_IDS: Final = frozenset(
    {"message", "md_text_message", "md_content", "permission_message", "dialog_message", "text_message"}
)
_LONGEST_TITLE: Final = 80
_LONGEST_NAME: Final = 40
"""A text of a dialog that has no other, and is longer, is what it says."""


def heading(about: Outline, nodes: Sequence[Node], *, in_front: bool) -> tuple[str | None, str | None]:
    """Title and message of a surface; None where nothing that shows says so.

    Args:
        about: the outline of the tree.
        nodes: those of the surface.
        in_front: it stands in front of a page: a long text without another one is what it says, not what it is called.
    """
    texts = [node for node in nodes if _says(about, node)]
    named = next((node for node in texts if node.id and _TITLE_IDS.search(node.id)), None)
    # what is only described is a picture, unless a toolkit that draws itself describes all that it shows
    spelled = [node for node in texts if node.text is not None] or texts
    if named is None and spelled and _on_top(about, nodes, spelled[0]):
        named = spelled[0]
    others = [node for node in texts if node is not named]
    message = next((node for node in others if node.id in _MESSAGE_IDS), None)
    if message is None:
        body = (node for node in others if not any(holds_rows(outer) for outer in about.tree.around(node)))
        message = next((node for node in body if _is_sentence(about.texts[node.node])), None)
    if named is not None and message is None and in_front and len(about.texts[named.node]) > _LONGEST_NAME:
        named, message = None, named
    title = _page(about, named) if named is not None else None
    return title, about.texts[message.node] if message is not None else None


def _says(about: Outline, node: Node) -> bool:
    """Whether it says something that is not the name of a control, a picture, or what is said inside of it."""
    if node.node not in about.texts or node.node in about.taker_of or not words_shown(node):
        return False
    if node.cls is not None and node.cls.startswith("Image"):
        return False
    return node.text is not None or all(one.node not in about.texts for one in about.tree.inside(node)[1:])


def _on_top(about: Outline, nodes: Sequence[Node], text: Node) -> bool:
    """Whether a text that is short enough stands before the first control, or in the top part."""
    if text.id in _MESSAGE_IDS or len(about.texts[text.node]) > _LONGEST_TITLE:
        return False
    for node in nodes:
        if node is text:
            return True
        if about.taker_of.get(node.node) == node.node and node.node not in about.grounds:
            break
    return text.top < nodes[0].top + about.screen[1] / 6


def _page(about: Outline, named: Node) -> str:
    """The title: of what stands in a web page that page's, which is what the page calls itself."""
    web = next(
        (outer for outer in about.tree.around(named) if outer.cls == "WebView" and outer.node in about.texts),
        None,
    )
    return about.texts[(web or named).node]


def _is_sentence(text: str) -> bool:
    return " " in text or len(text) > _LONGEST_WORD


_LONGEST_WORD: Final = 8
"""A text of one word is a label if it is not longer, in characters; some scripts have no blanks."""
