"""`std.forms`: the structure round each control."""

from typing import Final

from vsalang.program.ir import BOOL, NUMBER, TEXT, Attr
from vsalang.program.native.declaring import relation

_ROOT: Final = Attr("root", NUMBER, "the node that holds it")

RELATIONS: Final = (
    relation(
        "Surface",
        "observed",
        "On which surface a node lies that takes touches, or that may be touched where none does",
        Attr("node", NUMBER, "the node"),
        Attr(
            "kind",
            TEXT,
            "dialog, sheet, menu, page, settings, picker, permission, share, payment, selection, keyboard, system, "
            "home",
        ),
        _ROOT,
        Attr("title", TEXT, "what the surface is called"),
        Attr("message", TEXT, "what it says below its title, if it stands in front of a page"),
        key=("node",),
        module="std.forms",
    ),
    relation(
        "Role",
        "observed",
        "What a control is to what is around it; at most one row a node",
        Attr("node", NUMBER, "the control"),
        Attr(
            "kind",
            TEXT,
            "commit, cancel, acknowledge, tab, row, setting, switch, choice, box, field, menu_item, back, key, icon, "
            "button, link, card, chip",
        ),
        key=("node",),
        module="std.forms",
    ),
    relation(
        "Closes",
        "observed",
        "A control closes a dialog, a sheet, a form or a selection",
        Attr("node", NUMBER, "the control"),
        _ROOT,
        Attr("kind", TEXT, "the kind of the surface, or form"),
        key=("node",),
        module="std.forms",
    ),
    relation(
        "Field",
        "observed",
        "A filled field of a form or dialog",
        Attr("root", NUMBER, "the node that holds the form or dialog"),
        Attr("node", NUMBER, "the field"),
        Attr("name", TEXT, "what the page calls it"),
        Attr("value", TEXT, "what is typed or chosen, on or off; unknown where it is hidden"),
        Attr("kind", TEXT, "text, box, choice, date, amount, secret"),
        key=("node",),
        module="std.forms",
    ),
    relation(
        "Amount",
        "observed",
        "An amount of money that is shown",
        Attr("node", NUMBER, "the node that shows the number"),
        Attr("value", NUMBER, "how much"),
        Attr("currency", TEXT, "its currency: the ISO code where the sign names one, else as it is written"),
        Attr("name", TEXT, "what it is for, as the page says"),
        Attr("total", BOOL, "whether it is the whole amount"),
        module="std.forms",
    ),
    relation(
        "Selected",
        "observed",
        "How many rows are ticked, or said to be selected",
        _ROOT,
        Attr("count", NUMBER, "how many"),
        Attr("all", BOOL, "whether all are"),
        key=("root",),
        module="std.forms",
    ),
    relation(
        "Ticked",
        "observed",
        "A box or row that is ticked",
        Attr("node", NUMBER, "the box or row"),
        Attr("label", TEXT, "what it is called"),
        key=("node",),
        module="std.forms",
    ),
    relation(
        "Row",
        "observed",
        "A control in a row of a list",
        Attr("node", NUMBER, "the control: the row itself, or a button in it"),
        Attr("title", TEXT, "the words with which the row begins"),
        Attr("detail", TEXT, "what else it says"),
        key=("node",),
        module="std.forms",
    ),
    relation(
        "Form",
        "observed",
        "What a form or dialog that some control closes says",
        _ROOT,
        Attr("text", TEXT, "its texts, what is filled in, chosen and ticked, parted by commas"),
        key=("root",),
        module="std.forms",
    ),
)
