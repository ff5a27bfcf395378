"""L0019: a list without `key` whose cells an action changes."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, Label, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.program import ir


def find(context: Context) -> Iterable[Diagnostic]:
    """Lists that an action of the app writes, and whose rows are only positions."""
    names: set[str] = set()
    for rule in context.rules:
        if not isinstance(rule.head, ir.Write) or rule.head.delete or rule.trigger != "consequence":
            continue
        relation = context.relation(rule.head.atom)
        if relation.sort != "list" or relation.key or relation.name in names:
            continue
        names.add(relation.name)
        yield warning(
            RULE.code,
            rule.head_span,
            f"an action changes a row of `{relation.short}`, whose rows have no `key`",
            label="the rows below are forgotten then",
            labels=(Label(relation.span, "a row is its position"),) if relation.span else (),
            help=f"say what a row is: `list {relation.short} .. key (..)`",
        )


_APP = (
    'app todo package "com.todo" "A list of tasks"\n'
    'list Task{key} "A task" {\n  name: Text "what to do"\n  ticked: Bool "whether it is done"\n}\n'
    'update Task(row = ?r, name = ?t, ticked = ?c) when Node(id = "row", node = ?r, text = ?t, checked = ?c).\n'
    'action Tick(place: Number "which row", name: Text "which task") "Tick a task off"\n'
    'recognize Tick(place = 1, name = ?t) when tap(id = "box", text = ?t).\n'
)
RULE = Rule(
    "L0019",
    "keyless-list-changed",
    "list without `key` that an action changes",
    "Without `key`, a row of a list is its position and is replaced as a whole. When an action changes "
    "one, the list may "
    "have been sorted again, so what was below is forgotten and must be seen again. With `key` a row is "
    "the thing that "
    "it shows and keeps its other cells.",
    _APP.replace("{key}", "")
    + "update Task(at = ?p, name = ?t, ticked = true) when Tick(place = ?p, name = ?t).\n",
    _APP.replace("{key}", " key (name)") + "update Task(name = ?t, ticked = true) when Tick(name = ?t).\n",
    find,
    fix="none: what a row is depends on the app",
)
