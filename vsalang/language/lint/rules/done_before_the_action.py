"""L0030: `done` that holds as soon as the action may be done, and so before it is."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, warning
from vsalang.base.diagnostics.display import some
from vsalang.base.source import Span
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.program import ir
from vsalang.program.walk import uses


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
            conditions = [item for item in licence.body if _plain(item)]
            if all(any(_covers(one, other) for other in conditions) for one in asked):
                name = head.atom.relation.rpartition(".")[2]
                yield warning(
                    RULE.code,
                    rule.span,
                    f"this holds as soon as `{name}` is allowed: the task is over before `{name}` is done",
                    help=f"say what `{name}` brings about, or add `{name} earlier`",
                    fixes=asking_for(context, rule, name) if len(licences) == 1 else (),
                )
                break
        else:
            yield from _unrelated(context, rule, asked)


def asking_for(context: Context, rule: ir.Rule, action: str) -> tuple[Fix, ...]:
    """The fix that adds to a `done` that the action was done: the task then ends later, never earlier."""
    body = context.tree_of(rule).body
    if not body:
        return ()
    end = body[-1].span.end
    return (
        Fix(f"add `{action} earlier`", (Edit(Span(body[-1].span.file, end, end), f", {action} earlier"),)),
    )


def _unrelated(context: Context, rule: ir.Rule, asked: list[ir.Literal]) -> Iterable[Diagnostic]:
    """`done` on pages that no allowed action changes, where the app says what each of these changes.

    With another `done` rule, this one may be for the case that nothing needs to be done.
    """
    allowed = {head.atom.relation for _, head in context.licences()}
    outcomes = {name: _outcomes(context.program, name) for name in allowed}
    changed = frozenset().union(*outcomes.values(), _typed(context.program))
    relations = [context.program.relations[item.atom.relation] for item in asked if isinstance(item, ir.Lit)]
    if len(list(context.dones())) > 1 or not allowed or not all(outcomes.values()):
        return
    if any(relation.sort not in ("view", "list") or relation.name in changed for relation in relations):
        return
    names = sorted(name.rpartition(".")[2] for name in allowed)
    yield warning(
        RULE.code,
        rule.span,
        f"this may hold although {some(names)} {'was' if len(names) == 1 else 'were'} not done",
        label="no rule of the app says that this changes then",
        help=f"say what `{names[0]}` brings about, or add `{names[0]} earlier`",
    )


def _outcomes(program: ir.Program, action: str) -> frozenset[str]:
    """What an action changes, and what is shown on the screens that it leads to."""
    changed: set[str] = set()
    screens: set[str] = set()
    for rule in program.rules:
        if not any(use.atom.relation == action and use.past is None for use in uses(rule.body)):
            continue
        if isinstance(rule.head, ir.Goto):
            screens.add(rule.head.screen)
        elif isinstance(rule.head, ir.Write):
            changed.add(rule.head.atom.relation)
    names = {r.name for r in program.relations.values() if set(r.on) & screens}
    return frozenset(changed | names)


def _typed(program: ir.Program) -> set[str]:
    """The cells that inputs write (L0035 reports these)."""
    return {
        rule.head.atom.relation
        for rule in program.rules
        if isinstance(rule.head, ir.Write) and rule.trigger == "input"
    }


def _plain(item: ir.Literal) -> bool:
    return isinstance(item, ir.Lit) and not item.neg and item.past is None and not item.atom.before


def _covers(asked: ir.Literal, condition: ir.Literal) -> bool:
    """Whether a row that matches `condition` also matches `asked`, as far as their texts show."""
    if not isinstance(asked, ir.Lit) or not isinstance(condition, ir.Lit):
        return False
    if asked.atom.relation != condition.atom.relation:
        return False
    known = {(c.attr, c.op, c.term, c.hi) for c in condition.atom.constraints}
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
    "at the moment when the action becomes possible, and an agent that does nothing may report success. The same is "
    "so if the only `done` asks for pages that the action does not change, as far as the app says. Ask for what the "
    "action brings about, or that it was done (`earlier`).",
    _SPEC + 'done when Slot(restaurant = "R", date = today).\n',
    _SPEC + "done when Reserve earlier, ReserveResult(success = true).\n",
    find,
    fix="adds `A earlier`",
)
