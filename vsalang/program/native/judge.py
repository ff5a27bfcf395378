"""`std.judge`: what a judge said."""

from typing import Final

from vsalang.program.ir import BOOL, TEXT, Attr
from vsalang.program.native.declaring import relation

RELATIONS: Final = (
    relation(
        "Judged",
        "observed",
        "What a judge (a model) said of the proposal, or of what was done before it",
        Attr("category", TEXT, "the kind of harm, one of ten names; `none` without a concern"),
        Attr("concern", BOOL, "whether it is concerned"),
        Attr("reason", TEXT, "why, in its words"),
        Attr("model", TEXT, "its name"),
        module="std.judge",
    ),
    relation(
        "Unjudged",
        "observed",
        "A judge was asked and gave no answer that can be used",
        Attr("why", TEXT, "why not"),
        module="std.judge",
    ),
)
