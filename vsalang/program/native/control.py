"""`std.control`: what a screen offers, and what the last action changed."""

from typing import Final

from vsalang.program.ir import BOOL, DATE, NUMBER, TEXT, Attr, Member, Type
from vsalang.program.native.android import NODE
from vsalang.program.native.declaring import PACKAGE, relation

ROLE: Final = Type("enum", "", tuple(Member(name) for name in ("target", "label", "value", "container")))
KIND: Final = Type(
    "enum",
    "",
    tuple(
        Member(name)
        for name in ("button", "link", "opener", "toggle", "choice", "tab", "field", "slider", "scroller")
    ),
)

TRANSITION: Final = Type("enum", "", tuple(Member(name) for name in ("NoChange", "PartialChange", "NewPage")))

RELATIONS: Final = (
    relation(
        "Control",
        "observed",
        "A control of the screen, with what belongs to it",
        Attr("node", NUMBER, "the control itself"),
        Attr("taker", NUMBER, "the node that takes its touch: itself, or the row around it"),
        Attr("unit", TEXT, "its name, the same on the next screen if that is certain"),
        Attr("kind", KIND, "what it is for"),
        Attr("label", TEXT, "the words that name it"),
        Attr("value", TEXT, "what is typed, chosen, on or off, selected or slid to"),
        Attr("section", TEXT, "the words that head its part of the screen"),
        Attr("certain", BOOL, "whether no other node of the screen could have its name"),
        PACKAGE,
        key=("node",),
        module="std.control",
    ),
    relation(
        "UnitPart",
        "observed",
        "A node that belongs to a control",
        Attr("unit", TEXT, "the control's name"),
        Attr("node", NUMBER, "the node"),
        Attr("role", ROLE, "what it is to the control"),
        PACKAGE,
        module="std.control",
    ),
    relation(
        "Kept",
        "observed",
        "A node that was there before the last action and is still shown, as it is now",
        Attr("was", NUMBER, "its number before the action"),
        *NODE,
        key=("was",),
        module="std.control",
    ),
    relation(
        "Delta",
        "observed",
        "An attribute of a node that differs from before the last action",
        Attr("node", NUMBER, "the node"),
        Attr("was", NUMBER, "its number before the action"),
        Attr("attribute", TEXT, "its name, such as text or checked"),
        Attr("before", TEXT, "its value before the action"),
        Attr("after", TEXT, "its value now"),
        PACKAGE,
        key=("was", "attribute"),
        module="std.control",
    ),
    relation(
        "Appeared",
        "observed",
        "A node that was not there before the last action",
        Attr("node", NUMBER, "the node"),
        PACKAGE,
        key=("node",),
        module="std.control",
    ),
    relation(
        "Gone",
        "observed",
        "A node that was there before the last action and is not shown any more",
        Attr("was", NUMBER, "its number before the action"),
        PACKAGE,
        key=("was",),
        module="std.control",
    ),
    relation(
        "Moved",
        "observed",
        "A list that the last action scrolled",
        Attr("node", NUMBER, "the list"),
        Attr("was", NUMBER, "its number before the action"),
        PACKAGE,
        key=("was",),
        module="std.control",
    ),
    relation(
        "Changed",
        "observed",
        "Something differs from before the last action that does not change by itself",
        module="std.control",
    ),
    relation(
        "Transition",
        "observed",
        "How much differs from before the last action",
        Attr("kind", TRANSITION, "nothing, a part, or most of the page"),
        module="std.control",
    ),
    relation(
        "Tried",
        "observed",
        "What is remembered of a gesture that was done on this screen before",
        Attr("node", NUMBER, "the node that it touched"),
        Attr("gesture", TEXT, "the gesture, with its direction or key"),
        Attr("effect", TRANSITION, "how much it changed"),
        Attr("times", NUMBER, "how often"),
        Attr("last", DATE, "the day on which it was done last"),
        module="std.control",
    ),
)
