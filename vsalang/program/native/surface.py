"""`std.surface`: what is given with the question whether a surface is finished with."""

from typing import Final

from vsalang.program.ir import BOOL, NUMBER, TEXT, Attr
from vsalang.program.native.declaring import relation

RELATIONS: Final = (
    relation(
        "Required",
        "observed",
        "A value that the task needs to see or set here; given with the question",
        Attr("value", TEXT, "the value"),
        Attr("shown", BOOL, "whether the screen shows it"),
        module="std.surface",
    ),
    relation(
        "Repeated",
        "observed",
        "The last actions fell on one region and had no effect; given with the question",
        Attr("times", NUMBER, "how many of them in a row"),
        Attr("sealed", BOOL, "whether nothing else is left to act on"),
        module="std.surface",
    ),
)
