"""`std.secrets`: secrets on the screen, and in what is typed."""

from typing import Final

from vsalang.program.ir import NUMBER, TEXT, Attr, Member, Type
from vsalang.program.native.declaring import relation

SECRET: Final = Type(
    "enum",
    "",
    tuple(Member(name) for name in ("email", "phone", "card", "iban", "code", "credential", "key", "word")),
)

PUBLISHED: Final = Type(
    "enum", "", tuple(Member(name) for name in ("email", "password", "number", "phone", "word"))
)

RELATIONS: Final = (
    relation(
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
    relation(
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
    relation(
        "FoundPage",
        "observed",
        "A match of the patterns that OS-Sentinel published, over all texts of the screen joined by blanks",
        Attr("kind", PUBLISHED, "which pattern, or a word of the lexicon"),
        Attr("nth", NUMBER, "which match of this pattern, from 1"),
        Attr("value", TEXT, "what it matched"),
        key=("kind", "nth"),
        module="std.secrets",
    ),
    relation(
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
