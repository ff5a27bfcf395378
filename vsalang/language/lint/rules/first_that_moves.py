"""L0033: a condition that chooses the rows of `first`, and that the allowed action itself changes."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.program import ir
from vsalang.program.walk import needed, parts, uses


def find(context: Context) -> Iterable[Diagnostic]:
    """Constraints that choose the rows of `first`, where the action may be done again and writes that cell."""
    for rule, head in context.licences():
        if head.quota.kind != "each" and head.quota.n < 2:
            continue  # it is done once: nothing moves up that would matter
        action = head.atom.relation
        written = _written(context.program, action)
        for item in (part for part in parts(rule.body) if isinstance(part, ir.First)):
            for c in item.atom.constraints:
                fixed = not needed(c)
                if (item.atom.relation, c.attr) not in written or not fixed or c.span is None:
                    continue
                name = action.rpartition(".")[2]
                yield warning(
                    RULE.code,
                    c.span,
                    f"`{name}` itself changes `{c.attr}`: after it, other rows are the first {item.n}",
                    label="what was done drops out, and the next row moves up",
                    help="let `first` choose by what stays, and ask for this after it",
                )


def _written(program: ir.Program, action: str) -> frozenset[tuple[str, str]]:
    """The cells that the consequences of an action write, except those that identify the row."""
    attributes = set()
    for rule in program.rules:
        if not isinstance(rule.head, ir.Write) or rule.head.delete:
            continue
        if not any(
            use.atom.relation == action and use.past is None and not use.negated for use in uses(rule.body)
        ):
            continue
        relation = program.relations[rule.head.atom.relation]
        which = {*relation.identity, *relation.within, "at", "row"}
        attributes |= {(relation.name, c.attr) for c in rule.head.atom.constraints if c.attr not in which}
    return frozenset(attributes)


_SPEC = (
    '// file: like.vsa\nspec like "Like the first three songs of the chart"\nimport songs\n'
    "allow 3 Like(title = ?t) when {first}.\n"
    "done when all Like.\n"
)
_APP = (
    '// file: songs.vsa\napp songs package "com.songs" "A chart"\n'
    'list Song key (title) "A song of the chart" {\n'
    '  title: Text "what it is called"\n  liked: Bool "whether it is liked"\n}\n'
    'update Song(row = ?r, title = ?t, liked = ?c) when Node(id = "row", node = ?r, text = ?t, checked = ?c).\n'
    'action Like(title: Text "which song") "Like a song"\n'
    'recognize Like(title = ?t) when tap(id = "heart", text = ?t).\n'
    "update Song(title = ?t, liked = true) when Like(title = ?t).\n"
)
RULE = Rule(
    "L0033",
    "first-that-moves",
    "`first` over what the action changes",
    "`first 3 Song(liked = false, ..)` are the first three of those not liked yet. Once one is liked it is none of "
    "them any more and the fourth song of the chart moves up: it may be liked in place of the third, and with `each` "
    "the agent may go down the whole list. Constraints with constants choose the rows; what the action changes belongs "
    "after `first`, not into it.",
    _SPEC.replace("{first}", "first 3 Song(liked = false, title = ?t)") + _APP,
    _SPEC.replace("{first}", "first 3 Song(title = ?t), Song(title = ?t, liked = false)") + _APP,
    find,
    fix="none: the first of all, or the first of those that are left",
)
