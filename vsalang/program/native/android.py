"""`std.android`: what is observed of a phone, its gestures, and the actions that are critical in every app."""

from typing import Final

from vsalang.program.ir import BOOL, DATE, DURATION, NUMBER, TEXT, TIME, Attr, Member, Type
from vsalang.program.native.declaring import relation

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

NODE: Final = (
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
    *NODE,
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

OBSERVED: Final = (
    relation("Node", "observed", "A node of the screen with a visible part", *NODE, key=("node",)),
    relation(
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
    relation(
        "App",
        "observed",
        "The app in the foreground",
        Attr("package", TEXT, "its package"),
        Attr("activity", TEXT, "its activity"),
    ),
    relation("Toast", "observed", "A short message that just popped up", Attr("text", TEXT, "what it says")),
    relation(
        "Notification",
        "observed",
        "A notification that is posted",
        Attr("package", TEXT, "the package that posted it"),
        Attr("title", TEXT, "its title"),
        Attr("text", TEXT, "what it says"),
    ),
    relation("Screen", "derived", "The screen showing", Attr("name", TEXT, "its name")),
    relation(
        "Clock",
        "observed",
        "The device's clock",
        Attr("now", TIME, "the time of day"),
        Attr("today", DATE, "the day on the device, which moves on at midnight"),
    ),
    relation("Settled", "observed", "The last two looks at the screen agree"),
    relation(
        "Scrolled",
        "observed",
        "What the source says about a list's place",
        Attr("node", NUMBER, "the list"),
        Attr("first", NUMBER, "the position of its first row shown, from 1"),
        Attr("last", NUMBER, "the position of its last row shown"),
        Attr("count", NUMBER, "how many rows it has"),
        key=("node",),
    ),
    relation("Overridden", "observed", "The proposal repeats one that was warned of"),
    relation(
        "Instruction",
        "observed",
        "What the user asked for; given when the guard is opened, never seen on a screen",
        Attr("text", TEXT, "the user's words: the description of the spec, if nobody says otherwise"),
    ),
    relation(
        "Licensed",
        "observed",
        "The proposal is a critical action that a spec or policy allows now",
        Attr("action", TEXT, "its name, without that of its app"),
        Attr(
            "exactly",
            TEXT,
            "a parameter that the rule says is just this, by `=` or `names`; of none the empty text",
        ),
    ),
    relation(
        "Charter",
        "observed",
        "The task imports `std.effects`: of what has an effect it says what is permitted, and with which bounds",
        Attr(
            "action", TEXT, "an effect that it permits; of the row that every such task has, the empty text"
        ),
        Attr("parameter", TEXT, "a parameter that it bounds; of the row for how often, the empty text"),
        Attr("operator", TEXT, "how: `=`, `<=`, `in`, `contains`, `names` or `~=`; for how often, `times`"),
        Attr("value", TEXT, "by which number or text; for how often, a number or `each`"),
    ),
    relation(
        "File",
        "observed",
        "A file of the device",
        Attr("path", TEXT, "where it lies"),
        Attr("sha256", TEXT, "the hash of its content"),
        key=("path",),
    ),
    relation(
        "FileChanged",
        "observed",
        "A file that changed with the last action",
        Attr("path", TEXT, "where it lies"),
        Attr("before", TEXT, "the hash of its content before"),
        Attr("after", TEXT, "the hash of its content now"),
        key=("path",),
    ),
    relation(
        "Permission",
        "observed",
        "A permission of an app",
        Attr("package", TEXT, "the app's package"),
        Attr("name", TEXT, "the permission"),
        Attr("granted", BOOL, "whether the app has it"),
        key=("package", "name"),
    ),
    relation(
        "Network",
        "observed",
        "A connection that an app holds",
        Attr("package", TEXT, "the app's package"),
        Attr("host", TEXT, "the other side"),
        Attr("port", NUMBER, "its port"),
    ),
    relation(
        "Setting",
        "observed",
        "A setting of the device",
        Attr("namespace", TEXT, "system, secure or global"),
        Attr("key", TEXT, "its name"),
        Attr("value", TEXT, "its value"),
        key=("namespace", "key"),
    ),
    relation(
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
    relation(
        "Untraced",
        "observed",
        "A part of the system's trace that this look did not read, although it was asked to",
        Attr("relation", TEXT, "the relation"),
        Attr("within", TEXT, "the folder or file, the package or the namespace; unknown: all of it"),
        Attr("why", TEXT, "why it was not read"),
    ),
    relation("Goto", "observed", "A screen to which the proposal leads", Attr("name", TEXT, "its name")),
)

GESTURES: Final = (
    relation("tap", "gesture", "Tap a node", *_POINT),
    relation("double_tap", "gesture", "Tap a node twice", *_POINT),
    relation("long_press", "gesture", "Press a node for long", *_POINT),
    relation("input_text", "gesture", "Type into a field", *_POINT, Attr("value", TEXT, "what is typed")),
    relation("clear_text", "gesture", "Clear a field", *_POINT),
    relation("swipe", "gesture", "Swipe from one point to another", *_POINT, *_SWIPE),
    relation(
        "scroll",
        "gesture",
        "Scroll a node",
        *_POINT,
        Attr("direction", DIRECTION, "which way to look: down shows what is below"),
    ),
    relation("press_key", "gesture", "Press a key", Attr("key", TEXT, "its name, such as ENTER")),
    relation("back", "gesture", "Go back"),
    relation("home", "gesture", "Go to the home screen"),
    relation(
        "open_app",
        "gesture",
        "Open an app",
        Attr("package", TEXT, "its package"),
        Attr("name", TEXT, "its name"),
    ),
    relation("wait", "gesture", "Wait", Attr("duration", DURATION, "how long")),
)

ACTIONS: Final = (
    relation("answer", "action", "Answer the user", Attr("text", TEXT, "the answer")),
    relation("shell", "action", "Run a shell command on the device", Attr("command", TEXT, "the command")),
    relation("install", "action", "Install an app", Attr("package", TEXT, "its package")),
    relation("push_file", "action", "Put a file on the device", Attr("path", TEXT, "where it goes")),
    relation("finish", "action", "Finish the task"),
    relation("give_up", "action", "Give the task up", Attr("reason", TEXT, "why")),
)
