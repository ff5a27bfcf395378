"""`std.tree`: how the nodes of a screen lie in one another."""

from typing import Final

from vsalang.program.ir import NUMBER, TEXT, Attr
from vsalang.program.native.android import NODE
from vsalang.program.native.declaring import relation

RELATIONS: Final = (
    relation(
        "Part",
        "observed",
        "A node inside another, itself included",
        Attr("of", NUMBER, "the node it is part of"),
        *NODE,
        module="std.tree",
    ),
    relation(
        "Inside",
        "observed",
        "A node lies inside another, itself included",
        Attr("node", NUMBER, "the inner node"),
        Attr("of", NUMBER, "the outer node"),
        module="std.tree",
    ),
    relation(
        "TextIn",
        "observed",
        "The texts inside a node, in document order",
        Attr("of", NUMBER, "the outer node"),
        Attr("nth", NUMBER, "which text, from 1"),
        Attr("text", TEXT, "what it says"),
        Attr("node", NUMBER, "the node that shows it"),
        module="std.tree",
    ),
    relation(
        "Next",
        "observed",
        "A sibling and the one shown after it",
        Attr("node", NUMBER, "the first"),
        Attr("next", NUMBER, "the one after it"),
        module="std.tree",
    ),
    relation(
        "Caption",
        "observed",
        "What a check box, switch or field is called",
        Attr("control", NUMBER, "the control"),
        Attr("text", TEXT, "what it is called"),
        module="std.tree",
    ),
    relation(
        "Band",
        "observed",
        "A node with text on the line of a control",
        Attr("control", NUMBER, "the control"),
        Attr("node", NUMBER, "the node"),
        module="std.tree",
    ),
)
