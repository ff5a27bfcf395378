"""L0028: a list whose rows are identified by their caption."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, Severity
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.syntax import tree as t

_TITLES = frozenset("title text label caption headline subject summary preview".split())


def find(context: Context) -> Iterable[Diagnostic]:
    """Lists whose whole key is a caption."""
    for item in context.unit.tree.items:
        if not isinstance(item, t.Relation) or item.sort != "list" or len(item.key) != 1:
            continue
        key = item.key[0]
        if key.text.lower() in _TITLES:
            yield Diagnostic(
                RULE.code,
                Severity.INFO,
                key.span,
                f"two rows of `{item.name.text}` may have one `{key.text}`",
                label="they would be one row",
                help="leave `key` out: then a row is its position; or take more attributes into the key",
            )


_APP = (
    'app mail package "com.mail" "A mail app"\n'
    'list Message {key} "The messages, as shown" {\n  title: Text "what it is about"\n}\n'
    'update Message(row = ?r, title = ?t) when Node(id = "subject", node = ?r, text = ?t).\n'
)
RULE = Rule(
    "L0028",
    "keyed-by-title",
    "rows that only their caption distinguishes",
    "With `key` a row of a list is the thing that its key names. Captions repeat: two messages have one "
    "subject, two songs "
    "one title. Then two rows are mistaken for one, and what is seen of one is believed of the other. A row "
    "without `key` is "
    "its position. Where the app itself allows each caption once, ignore this.",
    _APP.replace("{key} ", "key (title) "),
    _APP.replace("{key} ", ""),
    find,
    Severity.INFO,
    fix="none: what else tells rows apart depends on the app",
)
