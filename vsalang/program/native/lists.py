"""`std.lists`: what is wholly shown of a list, and which ends of it are known."""

from typing import Final

from vsalang.program.ir import BOOL, NUMBER, Attr
from vsalang.program.native.declaring import relation

RELATIONS: Final = (
    relation(
        "Fits",
        "observed",
        "A node that is wholly shown",
        Attr("node", NUMBER, "the node"),
        module="std.lists",
    ),
    relation(
        "Whole", "observed", "A row that is not cut off", Attr("node", NUMBER, "the row"), module="std.lists"
    ),
    relation(
        "Bounds",
        "observed",
        "Which ends of a list are known",
        Attr("list", NUMBER, "the list"),
        Attr("top", BOOL, "whether its first row is shown"),
        Attr("end", BOOL, "whether its last row is shown"),
        module="std.lists",
    ),
)
