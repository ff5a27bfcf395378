"""Reads annotations (``@name(value)``): which names exist, and which values they take."""

from collections.abc import Iterable

from vsalang.language.semantics.report import Report
from vsalang.language.syntax import tree as t
from vsalang.program.values import Value

SEVERITIES = ("low", "medium", "high", "critical")
RISKS = (
    "destructive",
    "malicious",
    "privacy",
    "evasion",
    "injection",
    "interference",
    "harmful",
    "resource",
    "legal",
    "automation",
    "financial",
    "communication",
)
_WORDS: dict[str, tuple[str, ...]] = {"severity": SEVERITIES, "risk": RISKS}
_TEXTS = ("id", "source", "rationale")
IDEMPOTENT = "idempotent"
"""Before an action: a second execution changes nothing more (places: `vsalang.language.semantics.authority`)."""
UNLICENSED = "unlicensed"
"""Before a `confirm` or `warn` of a policy: it speaks where nothing licenses the action, instead of a block."""
NEAR = "near"
"""Before an `@unlicensed warn`: the actions of which the task must allow one."""
REFUSAL = "refusal"
"""Before an `expect` of an app: what shows if the app refused the action."""
UNREAD = "unread"
"""The value of `@unlicensed` where parameters that nobody could read are asked about, too."""
MARKS = (IDEMPOTENT, UNLICENSED, REFUSAL)
"""Annotations that need no value."""
NAMES = (*MARKS, NEAR, *_WORDS, *_TEXTS)
"""All annotations."""


def read_annotations(annotations: Iterable[t.Annotation], report: Report) -> dict[str, tuple[Value, ...]]:
    """The annotations of an item by name; reports unknown ones, unknown values and repeated ones."""
    values_by_name: dict[str, tuple[Value, ...]] = {}
    for annotation in annotations:
        name = annotation.name.text
        if name not in NAMES:
            report.unknown_name("E0213", annotation.name.span, "annotation", name, NAMES)
            continue
        if name in values_by_name:
            report.error("E0205", annotation.span, f"`@{name}` is given twice on one item", help="delete one")
            continue
        if name in MARKS:
            words = tuple(arg.name if isinstance(arg, t.Ref) else "" for arg in annotation.args)
            if name == UNLICENSED and words not in ((), (UNREAD,)):
                report.error(
                    "E0213",
                    annotation.span,
                    f"`@{name}` takes no value but `{UNREAD}`",
                    help=f"write @{name}, or @{name}({UNREAD}) to ask also where nobody could read a parameter",
                )
            elif name != UNLICENSED and words:
                report.error("E0213", annotation.span, f"`@{name}` takes no value", help=f"write @{name}")
            values_by_name[name] = words
            continue
        if name == NEAR:
            if not annotation.args or not all(isinstance(arg, t.Ref) for arg in annotation.args):
                report.error(
                    "E0213",
                    annotation.span,
                    f"`@{name}` takes the names of actions",
                    help=f"write: @{name}(Create, Edit)",
                )
            values_by_name[name] = tuple(arg.name for arg in annotation.args if isinstance(arg, t.Ref))
            continue
        values: list[Value] = []
        for arg in annotation.args:
            if name in _TEXTS and isinstance(arg, t.Text):
                values.append(arg.value)
            elif name in _TEXTS:
                report.error("E0213", arg.span, f"`@{name}` takes a text in quotes")
            elif isinstance(arg, t.Ref | t.Text):
                word = arg.name if isinstance(arg, t.Ref) else arg.value
                if word in _WORDS[name]:
                    values.append(word)
                else:
                    report.unknown_name("E0213", arg.span, f"{name}", word, _WORDS[name])
            else:
                report.error("E0213", arg.span, f"`@{name}` takes one of " + ", ".join(_WORDS[name]))
        if not annotation.args:
            report.error("E0213", annotation.span, f"`@{name}` needs a value", help=f"write @{name}(..)")
        elif len(annotation.args) > 1 and name != "risk":
            report.error("E0213", annotation.span, f"`@{name}` takes one value")
        values_by_name[name] = tuple(values)
    return values_by_name
