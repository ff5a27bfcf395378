"""Which nodes count for control: those that can be acted on, those that say something, and those that hold rows.

The three parts are those of "control-relevant nodes" in SenseAct (Definition 3.1); the facts of `Node` decide.
"""

import re
from typing import Final

from vsalang.screen.tree import Node
from vsalang.screen.tree.face import wording

_TOUCHED: Final = re.compile(r"(Button|Chip|Spinner|TabView|CheckBox|Switch|CheckedTextView)$")
_SLIDERS: Final = re.compile(r"(SeekBar|RatingBar|Slider|NumberPicker)$")
_LISTS: Final = re.compile(r"(RecyclerView|ListView|GridView|ExpandableListView)$")
_SCROLLERS: Final = re.compile(r"(ScrollView|ViewPager2?)$")
_PAGES: Final = re.compile(r"(ScrollView|ViewPager2?|WebView|EditText|Spinner)$")


def words(node: Node) -> str:
    """What a node itself says: description, else text, else prompt; without icon glyphs. Empty: nothing.

    Some sources, such as mobilerun's portal, say neither which of these their words are nor what takes touches: there
    it is the label.
    """
    for text in (node.desc, node.text, node.hint):
        if text is not None and (label := wording(text)):
            return label
    return wording(node.label) if node.clickable is None and node.label else ""


def touchable(node: Node) -> bool:
    """Whether it takes a touch; where the source does not say that, by its class."""
    if node.clickable is None and node.cls is not None and _TOUCHED.search(node.cls):
        return True
    return node.takes_touch


def is_slider(node: Node) -> bool:
    """Whether its class is one that is dragged to a value; such classes often say that they take no touch."""
    return node.cls is not None and _SLIDERS.search(node.cls) is not None


def actionable(node: Node) -> bool:
    """Whether a gesture on it may do something: it takes a touch, can be checked or typed into, scrolls or slides."""
    return (
        touchable(node)
        or node.checkable is True
        or node.editable is True
        or node.scrollable is True
        or is_slider(node)
    )


def semantic(node: Node) -> bool:
    """Whether it says something that can be read."""
    return bool(words(node))


def structural(node: Node) -> bool:
    """Whether its class is one that holds rows, or that scrolls."""
    return node.cls is not None and bool(_LISTS.search(node.cls) or _SCROLLERS.search(node.cls))


def holds_rows(node: Node) -> bool:
    """Whether its children are rows: a list, or what scrolls several children, not one page."""
    if node.cls is not None and _LISTS.search(node.cls):
        return True
    return node.scrollable is True and not (node.cls is not None and _PAGES.search(node.cls))


def sparse(node: Node) -> bool:
    """Whether level 1 of AndroidLab's tree compressor keeps it: it says something, or has a flag.

    AndroidLab also keeps what can have the focus; trees here hold only which node has it. Nothing is left out because
    it is part of a system bar.
    """
    return (
        actionable(node)
        or node.text is not None
        or node.desc is not None
        or node.hint is not None
        or node.checked is True
        or node.focused is True
        or node.selected is True
        or node.password is True
    )
