"""L0030: `done` that holds as soon as the action may be done, and so before it is."""

from collections.abc import Iterable

from vsalang.core import ir
from vsalang.diagnostics import Diagnostic, warning
from vsalang.lint.model import Context, Rule


def find(context: Context) -> Iterable[Diagnostic]:
    """`done` rules all of whose conditions are among those of a rule that allows something."""
    if context.kind != "spec":
        return
    licences = list(context.licences())
    for rule in context.dones():
        asked = [item for item in rule.body if _plain(item)]
        if not asked or len(asked) != len(rule.body):
            continue
        for licence, head in licences:
            given = [item for item in licence.body if _plain(item)]
            if all(any(_covers(one, other) for other in given) for one in asked):
                name = head.atom.relation.rpartition(".")[2]
                yield warning(
                    RULE.code,
                    rule.span,
                    f"this holds as soon as `{name}` is allowed: the task is over before `{name}` is done",
                    help=f"say what `{name}` brings about, or add `{name} earlier`",
                )
                break


def _plain(item: ir.Literal) -> bool:
    return isinstance(item, ir.Lit) and not item.neg and item.past is None and not item.atom.before


def _covers(asked: ir.Literal, given: ir.Literal) -> bool:
    """Whether a row that fits `given` fits `asked` too, as far as their texts show it."""
    if not isinstance(asked, ir.Lit) or not isinstance(given, ir.Lit):
        return False
    if asked.atom.relation != given.atom.relation:
        return False
    known = {(c.attr, c.op, c.term, c.hi) for c in given.atom.constraints}
    for c in asked.atom.constraints:
        if isinstance(c.term, ir.Var) or (c.attr, c.op, c.term, c.hi) not in known:
            return False
    return True


_SPEC = (
    'spec book "Book a table at R for today"\nimport apps.opentable\n'
    'allow Reserve(restaurant = "R", date = today, time = ?t)\n'
    '  when Slot(restaurant = "R", date = today, time = ?t).\n'
)
RULE = Rule(
    "L0030",
    "done-before-the-action",
    "`done` that holds before the allowed action is done",
    "All that `done` asks is among the conditions under which the action is allowed. So the task counts as finished "
    "at the moment when the action becomes possible, and an agent that does nothing may report success. Ask for what "
    "the action brings about, or that it was done (`earlier`).",
    _SPEC + 'done when Slot(restaurant = "R", date = today).\n',
    _SPEC + "done when Reserve earlier, ReserveResult(success = true).\n",
    find,
)
