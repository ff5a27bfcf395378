"""Write docs/reference/vocabulary.md from vsalang/program/vocabulary.py, so that the page cannot go stale.

.venv/bin/python scripts/vocabulary_page.py
"""

from collections.abc import Iterable
from pathlib import Path

from vsalang.program.ir import Attr, Relation
from vsalang.program.native.android import WEEKDAY
from vsalang.program.vocabulary import ALWAYS_COMPLETE, ANDROID, NATIVE

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "vocabulary.md"

_HEAD = """\
# The device vocabulary

<!-- Written by scripts/vocabulary_page.py from vsalang/program/vocabulary.py. Do not edit: run the script. -->

These relations are there for every module. `std.android` is always in scope; `std.tree`, `std.lists`,
`std.control`, `std.forms`, `std.surface`, `std.secrets` and `std.answers` must be imported.
[Facts of a screen](facts.md) says how the rows are read from a UI dump,
[the language](language.md) how rules use them.

An attribute that the source leaves out or gives empty is unknown. Sizes and places are Numbers, in pixels.
"""
_SECTIONS = (
    (
        "observed",
        "Observed",
        "What the guard saw last. It is never predicted. A row that is not there may only be unseen, except for\n"
        "{complete}: of these nothing is ever unseen.",
    ),
    (
        "gesture",
        "Gestures",
        "What an agent proposes. At most one row, and only while a proposal is judged. A pointing gesture carries all "
        "attributes of the node that takes the touch, or, where no node is known to take it, of the deepest node "
        "there. What has [several names](guard.md#every-name-of-a-gesture) is judged under each.",
    ),
    (
        "action",
        "Critical actions",
        "Blocked in every app unless a spec or a policy allows them. `finish` is allowed by `done` rules only. "
        "`give_up` needs no permission.",
    ),
)
_NATIVE = {
    "std.tree": "How nodes lie in each other. Computed only when a rule asks. Like `Node` never known to be complete.",
    "std.lists": "What of a list is shown. Computed only when a rule asks.",
    "std.control": "Controls of a screen, and what changed since the last action. Computed only when a rule asks.",
    "std.forms": "The structure round each control: [what the kinds mean](stdlib/forms.md). "
    "Computed only when a rule asks.",
    "std.judge": "What a judge says, where one is configured: [the judge](judge.md). They only raise a verdict.",
    "std.answers": "What is kept of controls whose effect a screen does not tell: [kept answers](stdlib/answers.md).",
    "std.surface": "What a screen cannot say, given with the question: [the surface check](stdlib/surface.md).",
    "std.secrets": "Secrets of the screen and of the proposal: [kinds and limits](stdlib/secrets.md). "
    "Computed only when a rule asks.",
}


def page() -> str:
    """The whole page."""
    node = ANDROID["Node"].attrs
    parts = [_HEAD]
    for sort, title, words in _SECTIONS:
        complete = ", ".join(f"`{name}`" for name in sorted(ALWAYS_COMPLETE))
        parts.append(f"## {title}\n\n{words.format(complete=complete)}\n")
        relations = [
            r for r in ANDROID.values() if (r.sort == "derived" and sort == "observed") or r.sort == sort
        ]
        parts += _sections(relations, node)
    for module, found in NATIVE.items():
        parts.append(f"## {module}\n\n{_NATIVE[module]}\n")
        parts += _sections(found.values(), node)
    members = ", ".join(f"`{m.name}` ({', '.join(m.spellings)})" for m in WEEKDAY.members)
    parts.append(f"## Types\n\n`{WEEKDAY.name}`: {members}.\n")
    return "\n".join(parts)


def _sections(relations: Iterable[Relation], node: tuple[Attr, ...]) -> list[str]:
    """A section for each relation; the attributes of `Node` are written out once."""
    return [_section(relation, node) for relation in relations]


def _section(relation: Relation, node: tuple[Attr, ...]) -> str:
    key = f" Key: {', '.join(f'`{name}`' for name in relation.key)}." if relation.key else ""
    lines = [f"### {relation.name}", "", f"{relation.doc}.{key}", ""]
    shared = relation.name != "Node" and set(node) <= set(relation.attrs)
    attrs = [attr for attr in relation.attrs if not (shared and attr in node)]
    if shared:
        lines += ["Has all attributes of `Node`" + (", and:" if attrs else "."), ""]
    if attrs:
        lines += ["| attribute | type | meaning |", "|---|---|---|"]
        lines += [f"| `{attr.name}` | {_type(attr)} | {attr.doc} |" for attr in attrs]
        lines.append("")
    elif not shared:
        lines += ["No attributes.", ""]
    return "\n".join(lines)


def _type(attr: Attr) -> str:
    return f"`{attr.type}`" if attr.type.kind == "enum" else str(attr.type)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
