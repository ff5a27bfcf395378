"""The device vocabulary: what is observed of a phone, its gestures, and the actions that are critical in every app.

`std.android` is always in scope; `std.tree`, `std.lists`, `std.control`, `std.forms`, `std.surface`, `std.secrets` and
`std.answers` are native relations that a module imports.
Rows of these relations follow the order of attributes given here.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from vsalang.program.ir import BOOL, DATE, DURATION, NUMBER, TEXT, TIME, Attr, Member, Relation, Sort, Type

WEEKDAY: Final = Type(
    "enum",
    "Weekday",
    tuple(
        Member(short, (long,))
        for short, long in (
            ("Mon", "Monday"),
            ("Tue", "Tuesday"),
            ("Wed", "Wednesday"),
            ("Thu", "Thursday"),
            ("Fri", "Friday"),
            ("Sat", "Saturday"),
            ("Sun", "Sunday"),
        )
    ),
)
DIRECTION: Final = Type("enum", "", tuple(Member(name) for name in ("up", "down", "left", "right")))
KIND: Final = Type(
    "enum",
    "",
    tuple(
        Member(name)
        for name in ("button", "link", "opener", "toggle", "choice", "tab", "field", "slider", "scroller")
    ),
)
ROLE: Final = Type("enum", "", tuple(Member(name) for name in ("target", "label", "value", "container")))
TRANSITION: Final = Type("enum", "", tuple(Member(name) for name in ("NoChange", "PartialChange", "NewPage")))
SECRET: Final = Type(
    "enum",
    "",
    tuple(Member(name) for name in ("email", "phone", "card", "iban", "code", "credential", "key", "word")),
)
PUBLISHED: Final = Type(
    "enum", "", tuple(Member(name) for name in ("email", "password", "number", "phone", "word"))
)

_NODE: Final = (
    Attr("node", NUMBER, "the node's number on this screen"),
    Attr("parent", NUMBER, "the number of the node it hangs in"),
    Attr("index", NUMBER, "its place among all accessibility children of its parent, from 0"),
    Attr("id", TEXT, "the short resource id"),
    Attr("resource_id", TEXT, "the whole resource id"),
    Attr("class", TEXT, "the last part of the widget's class name"),
    Attr("package", TEXT, "the package of the app that shows it"),
    Attr("text", TEXT, "the text it shows"),
    Attr("desc", TEXT, "the description for screen readers"),
    Attr("hint", TEXT, "the prompt of an empty field"),
    Attr("label", TEXT, "what a person would call it"),
    Attr("clickable", BOOL, "whether it takes a tap"),
    Attr("long_clickable", BOOL, "whether it takes a long press"),
    Attr("checkable", BOOL, "whether it can be checked"),
    Attr("checked", BOOL, "whether it is checked"),
    Attr("enabled", BOOL, "whether it can be used"),
    Attr("focused", BOOL, "whether typing goes to it"),
    Attr("scrollable", BOOL, "whether its content scrolls"),
    Attr("selected", BOOL, "whether it is selected"),
    Attr("password", BOOL, "whether it hides what is typed"),
    Attr("editable", BOOL, "whether text can be typed into it"),
    Attr("length", NUMBER, "how many characters it holds"),
    Attr("left", NUMBER, "left edge in pixels"),
    Attr("top", NUMBER, "top edge in pixels"),
    Attr("right", NUMBER, "right edge in pixels"),
    Attr("bottom", NUMBER, "bottom edge in pixels"),
    Attr("window", NUMBER, "the number of its window, 1 is topmost"),
)
_POINT: Final = (
    *_NODE,
    Attr("x", NUMBER, "the point touched, from the left"),
    Attr("y", NUMBER, "the point touched, from the top"),
    Attr("leaf", NUMBER, "the deepest node at that point"),
    Attr("covered", BOOL, "whether something drawn later holds the point too"),
)
_SWIPE: Final = (
    Attr("x2", NUMBER, "where the finger leaves, from the left"),
    Attr("y2", NUMBER, "where the finger leaves, from the top"),
    Attr("direction", DIRECTION, "where the finger moves"),
    Attr("duration", DURATION, "how long the finger moves"),
)


def _relation(
    name: str, sort: Sort, doc: str, *attrs: Attr, key: tuple[str, ...] = (), module: str = ""
) -> Relation:
    return Relation(name, sort, attrs, key=key, doc=doc, module=module or "std.android")


_OBSERVED: Final = (
    _relation("Node", "observed", "A node of the screen with a visible part", *_NODE, key=("node",)),
    _relation(
        "Window",
        "observed",
        "A window of the screen, topmost first",
        Attr("window", NUMBER, "its number, 1 is topmost"),
        Attr("package", TEXT, "the package that shows it"),
        Attr("kind", TEXT, "application, system, input method"),
        Attr("title", TEXT, "its title"),
        Attr("focused", BOOL, "whether it has the focus"),
        Attr("left", NUMBER, "left edge in pixels"),
        Attr("top", NUMBER, "top edge in pixels"),
        Attr("right", NUMBER, "right edge in pixels"),
        Attr("bottom", NUMBER, "bottom edge in pixels"),
        key=("window",),
    ),
    _relation(
        "App",
        "observed",
        "The app in the foreground",
        Attr("package", TEXT, "its package"),
        Attr("activity", TEXT, "its activity"),
    ),
    _relation("Toast", "observed", "A short message that just popped up", Attr("text", TEXT, "what it says")),
    _relation(
        "Notification",
        "observed",
        "A notification that is posted",
        Attr("package", TEXT, "the package that posted it"),
        Attr("title", TEXT, "its title"),
        Attr("text", TEXT, "what it says"),
    ),
    _relation("Screen", "derived", "The screen showing", Attr("name", TEXT, "its name")),
    _relation(
        "Clock",
        "observed",
        "The device's clock",
        Attr("now", TIME, "the time of day"),
        Attr("today", DATE, "the day on the device, which moves on at midnight"),
    ),
    _relation("Settled", "observed", "The last two looks at the screen agree"),
    _relation(
        "Scrolled",
        "observed",
        "What the source says about a list's place",
        Attr("node", NUMBER, "the list"),
        Attr("first", NUMBER, "the position of its first row shown, from 1"),
        Attr("last", NUMBER, "the position of its last row shown"),
        Attr("count", NUMBER, "how many rows it has"),
        key=("node",),
    ),
    _relation("Overridden", "observed", "The proposal repeats one that was warned of"),
    _relation(
        "Instruction",
        "observed",
        "What the user asked for; given when the guard is opened, never seen on a screen",
        Attr("text", TEXT, "the user's words: the description of the spec, if nobody says otherwise"),
    ),
    _relation(
        "Licensed",
        "observed",
        "The proposal is a critical action that a spec or policy allows now",
        Attr("action", TEXT, "its name, without that of its app"),
    ),
    _relation(
        "File",
        "observed",
        "A file of the device",
        Attr("path", TEXT, "where it lies"),
        Attr("sha256", TEXT, "the hash of its content"),
        key=("path",),
    ),
    _relation(
        "FileChanged",
        "observed",
        "A file that changed with the last action",
        Attr("path", TEXT, "where it lies"),
        Attr("before", TEXT, "the hash of its content before"),
        Attr("after", TEXT, "the hash of its content now"),
        key=("path",),
    ),
    _relation(
        "Permission",
        "observed",
        "A permission of an app",
        Attr("package", TEXT, "the app's package"),
        Attr("name", TEXT, "the permission"),
        Attr("granted", BOOL, "whether the app has it"),
        key=("package", "name"),
    ),
    _relation(
        "Network",
        "observed",
        "A connection that an app holds",
        Attr("package", TEXT, "the app's package"),
        Attr("host", TEXT, "the other side"),
        Attr("port", NUMBER, "its port"),
    ),
    _relation(
        "Setting",
        "observed",
        "A setting of the device",
        Attr("namespace", TEXT, "system, secure or global"),
        Attr("key", TEXT, "its name"),
        Attr("value", TEXT, "its value"),
        key=("namespace", "key"),
    ),
    _relation(
        "Traced",
        "observed",
        "A part of the system's trace that this look read whole: here the absence of a row means something",
        Attr("relation", TEXT, "the relation: File, FileChanged, Permission or Setting"),
        Attr(
            "within",
            TEXT,
            "the folder with / at the end, the app's package, or the namespace of the settings",
        ),
        key=("relation", "within"),
    ),
    _relation(
        "Untraced",
        "observed",
        "A part of the system's trace that this look did not read, although it was asked to",
        Attr("relation", TEXT, "the relation"),
        Attr("within", TEXT, "the folder or file, the package or the namespace; unknown: all of it"),
        Attr("why", TEXT, "why it was not read"),
    ),
    _relation("Goto", "observed", "A screen to which the proposal leads", Attr("name", TEXT, "its name")),
)
_TREE: Final = (
    _relation(
        "Part",
        "observed",
        "A node inside another, itself included",
        Attr("of", NUMBER, "the node it is part of"),
        *_NODE,
        module="std.tree",
    ),
    _relation(
        "Inside",
        "observed",
        "A node lies inside another, itself included",
        Attr("node", NUMBER, "the inner node"),
        Attr("of", NUMBER, "the outer node"),
        module="std.tree",
    ),
    _relation(
        "TextIn",
        "observed",
        "The texts inside a node, in document order",
        Attr("of", NUMBER, "the outer node"),
        Attr("nth", NUMBER, "which text, from 1"),
        Attr("text", TEXT, "what it says"),
        Attr("node", NUMBER, "the node that shows it"),
        module="std.tree",
    ),
    _relation(
        "Next",
        "observed",
        "A sibling and the one shown after it",
        Attr("node", NUMBER, "the first"),
        Attr("next", NUMBER, "the one after it"),
        module="std.tree",
    ),
    _relation(
        "Caption",
        "observed",
        "What a check box, switch or field is called",
        Attr("control", NUMBER, "the control"),
        Attr("text", TEXT, "what it is called"),
        module="std.tree",
    ),
    _relation(
        "Band",
        "observed",
        "A node with text on the line of a control",
        Attr("control", NUMBER, "the control"),
        Attr("node", NUMBER, "the node"),
        module="std.tree",
    ),
)
_LISTS: Final = (
    _relation(
        "Fits",
        "observed",
        "A node that is wholly shown",
        Attr("node", NUMBER, "the node"),
        module="std.lists",
    ),
    _relation(
        "Whole", "observed", "A row that is not cut off", Attr("node", NUMBER, "the row"), module="std.lists"
    ),
    _relation(
        "Bounds",
        "observed",
        "Which ends of a list are known",
        Attr("list", NUMBER, "the list"),
        Attr("top", BOOL, "whether its first row is shown"),
        Attr("end", BOOL, "whether its last row is shown"),
        module="std.lists",
    ),
)
_PACKAGE: Final = Attr("package", TEXT, "the package of the app that shows it")
_CONTROL: Final = (
    _relation(
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
        _PACKAGE,
        key=("node",),
        module="std.control",
    ),
    _relation(
        "UnitPart",
        "observed",
        "A node that belongs to a control",
        Attr("unit", TEXT, "the control's name"),
        Attr("node", NUMBER, "the node"),
        Attr("role", ROLE, "what it is to the control"),
        _PACKAGE,
        module="std.control",
    ),
    _relation(
        "Kept",
        "observed",
        "A node that was there before the last action and is still shown, as it is now",
        Attr("was", NUMBER, "its number before the action"),
        *_NODE,
        key=("was",),
        module="std.control",
    ),
    _relation(
        "Delta",
        "observed",
        "An attribute of a node that differs from before the last action",
        Attr("node", NUMBER, "the node"),
        Attr("was", NUMBER, "its number before the action"),
        Attr("attribute", TEXT, "its name, such as text or checked"),
        Attr("before", TEXT, "its value before the action"),
        Attr("after", TEXT, "its value now"),
        _PACKAGE,
        key=("was", "attribute"),
        module="std.control",
    ),
    _relation(
        "Appeared",
        "observed",
        "A node that was not there before the last action",
        Attr("node", NUMBER, "the node"),
        _PACKAGE,
        key=("node",),
        module="std.control",
    ),
    _relation(
        "Gone",
        "observed",
        "A node that was there before the last action and is not shown any more",
        Attr("was", NUMBER, "its number before the action"),
        _PACKAGE,
        key=("was",),
        module="std.control",
    ),
    _relation(
        "Moved",
        "observed",
        "A list that the last action scrolled",
        Attr("node", NUMBER, "the list"),
        Attr("was", NUMBER, "its number before the action"),
        _PACKAGE,
        key=("was",),
        module="std.control",
    ),
    _relation(
        "Changed",
        "observed",
        "Something differs from before the last action that does not change by itself",
        module="std.control",
    ),
    _relation(
        "Transition",
        "observed",
        "How much differs from before the last action",
        Attr("kind", TRANSITION, "nothing, a part, or most of the page"),
        module="std.control",
    ),
    _relation(
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
_ROOT: Final = Attr("root", NUMBER, "the node that holds it")
_FORMS: Final = (
    _relation(
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
    _relation(
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
    _relation(
        "Closes",
        "observed",
        "A control closes a dialog, a sheet, a form or a selection",
        Attr("node", NUMBER, "the control"),
        _ROOT,
        Attr("kind", TEXT, "the kind of the surface, or form"),
        key=("node",),
        module="std.forms",
    ),
    _relation(
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
    _relation(
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
    _relation(
        "Selected",
        "observed",
        "How many rows are ticked, or said to be selected",
        _ROOT,
        Attr("count", NUMBER, "how many"),
        Attr("all", BOOL, "whether all are"),
        key=("root",),
        module="std.forms",
    ),
    _relation(
        "Ticked",
        "observed",
        "A box or row that is ticked",
        Attr("node", NUMBER, "the box or row"),
        Attr("label", TEXT, "what it is called"),
        key=("node",),
        module="std.forms",
    ),
    _relation(
        "Row",
        "observed",
        "A control in a row of a list",
        Attr("node", NUMBER, "the control: the row itself, or a button in it"),
        Attr("title", TEXT, "the words with which the row begins"),
        Attr("detail", TEXT, "what else it says"),
        key=("node",),
        module="std.forms",
    ),
)
_SURFACE: Final = (
    _relation(
        "Required",
        "observed",
        "A value that the task needs to see or set here; given with the question",
        Attr("value", TEXT, "the value"),
        Attr("shown", BOOL, "whether the screen shows it"),
        module="std.surface",
    ),
    _relation(
        "Repeated",
        "observed",
        "The last actions fell on one region and had no effect; given with the question",
        Attr("times", NUMBER, "how many of them in a row"),
        Attr("sealed", BOOL, "whether nothing else is left to act on"),
        module="std.surface",
    ),
)
_OPINIONS: Final = (
    _relation(
        "Judged",
        "observed",
        "What a judge (a model) said of the proposal, or of what was done before it",
        Attr("category", TEXT, "the kind of harm, one of ten names; `none` without a concern"),
        Attr("concern", BOOL, "whether it is concerned"),
        Attr("reason", TEXT, "why, in its words"),
        Attr("model", TEXT, "its name"),
        module="std.judge",
    ),
    _relation(
        "Unjudged",
        "observed",
        "A judge was asked and gave no answer that can be used",
        Attr("why", TEXT, "why not"),
        module="std.judge",
    ),
)
_ANSWERS: Final = (
    _relation(
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
_SECRETS: Final = (
    _relation(
        "Found",
        "observed",
        "A secret in the text or description of a node",
        Attr("node", NUMBER, "the node"),
        Attr("nth", NUMBER, "which secret of the node, from 1"),
        Attr("kind", SECRET, "what it is"),
        Attr("value", TEXT, "its one form: numbers without blanks and dashes, addresses in lower case"),
        Attr("label", TEXT, "what the screen says it is: its caption, prompt or the text before it"),
        key=("node", "nth"),
        module="std.secrets",
    ),
    _relation(
        "FoundNotice",
        "observed",
        "A secret in a notification, or in a short message that just popped up",
        Attr("package", TEXT, "the package that posted it"),
        Attr("nth", NUMBER, "which secret of the notifications, from 1"),
        Attr("kind", SECRET, "what it is"),
        Attr("value", TEXT, "its one form"),
        Attr("label", TEXT, "the title of the notification"),
        key=("nth",),
        module="std.secrets",
    ),
    _relation(
        "FoundPage",
        "observed",
        "A match of the patterns that OS-Sentinel published, over all texts of the screen joined by blanks",
        Attr("kind", PUBLISHED, "which pattern, or a word of the lexicon"),
        Attr("nth", NUMBER, "which match of this pattern, from 1"),
        Attr("value", TEXT, "what it matched"),
        key=("kind", "nth"),
        module="std.secrets",
    ),
    _relation(
        "Typed",
        "observed",
        "A secret in a text of the proposal",
        Attr("action", TEXT, "the proposed gesture or action, such as input_text or answer"),
        Attr("attribute", TEXT, "which of its attributes holds the text, such as value"),
        Attr("nth", NUMBER, "which secret of the proposal, from 1"),
        Attr("kind", SECRET, "what it is"),
        Attr("value", TEXT, "its one form, the same as that of Found"),
        key=("nth",),
        module="std.secrets",
    ),
)
_GESTURES: Final = (
    _relation("tap", "gesture", "Tap a node", *_POINT),
    _relation("double_tap", "gesture", "Tap a node twice", *_POINT),
    _relation("long_press", "gesture", "Press a node for long", *_POINT),
    _relation("input_text", "gesture", "Type into a field", *_POINT, Attr("value", TEXT, "what is typed")),
    _relation("clear_text", "gesture", "Clear a field", *_POINT),
    _relation("swipe", "gesture", "Swipe from one point to another", *_POINT, *_SWIPE),
    _relation(
        "scroll",
        "gesture",
        "Scroll a node",
        *_POINT,
        Attr("direction", DIRECTION, "which way to look: down shows what is below"),
    ),
    _relation("press_key", "gesture", "Press a key", Attr("key", TEXT, "its name, such as ENTER")),
    _relation("back", "gesture", "Go back"),
    _relation("home", "gesture", "Go to the home screen"),
    _relation(
        "open_app",
        "gesture",
        "Open an app",
        Attr("package", TEXT, "its package"),
        Attr("name", TEXT, "its name"),
    ),
    _relation("wait", "gesture", "Wait", Attr("duration", DURATION, "how long")),
)
_ACTIONS: Final = (
    _relation("answer", "action", "Answer the user", Attr("text", TEXT, "the answer")),
    _relation("shell", "action", "Run a shell command on the device", Attr("command", TEXT, "the command")),
    _relation("install", "action", "Install an app", Attr("package", TEXT, "its package")),
    _relation("push_file", "action", "Put a file on the device", Attr("path", TEXT, "where it goes")),
    _relation("finish", "action", "Finish the task"),
    _relation("give_up", "action", "Give the task up", Attr("reason", TEXT, "why")),
)

ANDROID: Final[Mapping[str, Relation]] = MappingProxyType(
    {r.name: r for r in (*_OBSERVED, *_GESTURES, *_ACTIONS)}
)
"""`std.android`: always in scope."""

NATIVE: Final[Mapping[str, Mapping[str, Relation]]] = MappingProxyType(
    {
        "std.tree": MappingProxyType({r.name: r for r in _TREE}),
        "std.lists": MappingProxyType({r.name: r for r in _LISTS}),
        "std.control": MappingProxyType({r.name: r for r in _CONTROL}),
        "std.forms": MappingProxyType({r.name: r for r in _FORMS}),
        "std.surface": MappingProxyType({r.name: r for r in _SURFACE}),
        "std.judge": MappingProxyType({r.name: r for r in _OPINIONS}),
        "std.answers": MappingProxyType({r.name: r for r in _ANSWERS}),
        "std.secrets": MappingProxyType({r.name: r for r in _SECRETS}),
    }
)
"""Native relations of standard modules, in scope where the module is imported."""

VOCABULARY: Final[Mapping[str, Relation]] = MappingProxyType(
    {**ANDROID, **{name: relation for natives in NATIVE.values() for name, relation in natives.items()}}
)
"""All of them by name."""

SINCE: Final = frozenset({"Kept", "Delta", "Appeared", "Gone", "Moved", "Changed", "Transition"})
"""What compares the screen with an earlier one: a screen that cannot, or not certainly, does not name it among its
relations."""

OF_AN_APP: Final = frozenset({"Node", "Control", "UnitPart", "Kept", "Delta", "Appeared", "Gone", "Moved"})
"""In a module of an app, these are about its own packages unless their package is constrained."""

MEMORIES: Final = frozenset({"Tried"})
"""Relations of what was remembered. They never permit: `vsalang.language.semantics.memories` says where they may
stand."""

OPINIONS: Final = frozenset(r.name for r in _OPINIONS)
"""Relations of what a judge said. They only raise a verdict: `vsalang.language.semantics.memories` says where they
may stand."""

ANSWERS: Final = frozenset(r.name for r in _ANSWERS)
"""Relations of what is kept of unknown controls. `vsalang.language.semantics.memories` says where they may stand."""

PROPOSED: Final = frozenset({"Goto", "Licensed", "Overridden", "Typed"})
"""Observed relations that are about the proposal; the guard sets them."""

ALWAYS_COMPLETE: Final = frozenset({"App", "Screen", "Clock", "Instruction", *ANSWERS, *PROPOSED})
"""Observed relations that are always seen completely."""


_MATCH: Final = "match "
_UNCOVERED: Final = "uncovered "
_SHOW: Final = "show "
_NAME: Final = "name "


def match_relation(screen: str) -> str:
    """The derived relation that holds where a screen's own rules match, before `over` decides."""
    return f"{_MATCH}{screen}"


def is_match(relation: str) -> bool:
    """Whether a relation is one that holds where the rules of a screen match."""
    return relation.startswith(_MATCH)


def uncovered_relation(screen: str) -> str:
    """The derived relation that holds where a screen matches and none that covers it does."""
    return match_relation(f"{_UNCOVERED}{screen}")


def screen_of(relation: str) -> str:
    """The screen of a relation about whether one matches; any other name as it is."""
    return relation.removeprefix(_MATCH).removeprefix(_UNCOVERED)


def show_rule(screen: str) -> str:
    """The id of the rule by which a screen shows if it matches and no other is in the way."""
    return f"{_SHOW}{screen}"


def name_rule(screen: str) -> str:
    """The id of the rule that derives the row of ``Screen`` from the screen that shows."""
    return f"{_NAME}{screen}"


def is_screen_rule(id: str) -> bool:
    """Whether a rule is one that every screen has, and nobody wrote."""
    return id.startswith((_SHOW, _NAME))


def screen_relation(module: str) -> str:
    """The relation, set by the guard, that has its row while a test says which screen of an app shows."""
    return f"told {module}"
