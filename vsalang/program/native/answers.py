"""`std.answers`: what is kept of unknown controls."""

from typing import Final

from vsalang.program.ir import BOOL, NUMBER, TEXT, Attr
from vsalang.program.native.declaring import relation

RELATIONS: Final = (
    relation(
        "Answered",
        "observed",
        "What is kept of a control whose effect the screen does not tell",
        Attr("node", NUMBER, "the node that takes its touch"),
        Attr("means", TEXT, "`acts` or `leads on`"),
        Attr("kind", TEXT, "what it does: the name of an effect, such as `Delete`; unknown if it leads on"),
        Attr("argument", TEXT, "to what: words that the screen shows; unknown if nobody said"),
        Attr("accepted", BOOL, "whether a person has accepted it"),
        Attr("by", TEXT, "who said so: the name of a model, or `outcome`: the next screen showed it"),
        key=("node",),
        module="std.answers",
    ),
)
