"""`std.answers`: what is kept of unknown controls."""

from typing import Final

from vsalang.program.ir import BOOL, NUMBER, TEXT, Attr
from vsalang.program.native.declaring import relation

DESCRIBED: Final = frozenset({"to", "with", "payee", "number", "audience", "what", "item", "name", "value"})
"""The parameters of effects of which an answer may say more than their name (`AnsweredArgument.details`)."""
RELATIONS: Final = (
    relation(
        "Answered",
        "observed",
        "What is kept of a control whose effect the screen does not tell",
        Attr("node", NUMBER, "the node that takes its touch"),
        Attr("means", TEXT, "`acts` or `leads on`"),
        Attr("kind", TEXT, "what it does: the name of an effect, such as `Delete`; unknown if it leads on"),
        Attr(
            "argument", TEXT, "on what: the words that the screen shows of it; unknown if nobody said which"
        ),
        Attr("accepted", BOOL, "whether a person has accepted it"),
        Attr(
            "exact",
            BOOL,
            "whether it is accepted and the screen shows just what it showed then, but for arguments",
        ),
        Attr("by", TEXT, "who said so: the name of a model, or `outcome`: the next screen showed it"),
        key=("node",),
        module="std.answers",
    ),
    relation(
        "AnsweredArgument",
        "observed",
        "What shows now where an exact answer says that an argument of its effect stands",
        Attr("node", NUMBER, "the node that takes the touch"),
        Attr("parameter", TEXT, "the name of the parameter of the effect"),
        Attr("text", TEXT, "the words"),
        Attr("full", TEXT, "the words as they count, with the details where the act is judged by these, too"),
        Attr("details", TEXT, "the words, and what else is said of the same, each behind a ‖"),
        Attr("line", TEXT, "all that stands there; unknown if the words are the answer's own"),
        Attr("part", BOOL, "whether the words are a part of it"),
        Attr(
            "number",
            NUMBER,
            "the one number in them, of an amount or a count; unknown if it has two readings",
        ),
        key=("node", "parameter"),
        module="std.answers",
    ),
)
