"""L0017: `done` that trusts the tap alone, although the app shows a result."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, warning
from vsalang.base.source import Span
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.program import ir
from vsalang.program.walk import head_atom, uses


def find(context: Context) -> Iterable[Diagnostic]:
    """`done` rules that ask only for commits of an action that leads to a screen with a view."""
    if context.kind != "spec":
        return
    results = _results(context.program)
    for rule in context.dones():
        asked = [_done(item) for item in rule.body]
        if not all(asked):
            continue
        for item, name in zip(rule.body, asked, strict=True):
            relation, result = context.program.relations[name], results.get(name)
            if relation.sort != "action":
                break
            if result is None:
                continue
            yield warning(
                RULE.code,
                item.span,
                f"`{relation.short}` was done, and whether it succeeded is not asked",
                label=f"`{result.short}` is its result",
                help=f"add a condition on it: {result.short}({result.attrs[0].name} = ..)",
                fixes=_asking(context, rule, result),
            )


_SUCCESS = frozenset("success succeeded successful ok okay accepted confirmed completed".split())


def _asking(context: Context, rule: ir.Rule, result: ir.Relation) -> tuple[Fix, ...]:
    """The fix that asks for success, if one attribute of the result tells it: the task then ends later."""
    names = [attr.name for attr in result.attrs if attr.type == ir.BOOL and attr.name.lower() in _SUCCESS]
    body = context.tree_of(rule).body
    if len(names) != 1 or not body:
        return ()
    text = f"{result.short}({names[0]} = true)"
    end = body[-1].span.end
    return (Fix(f"add `{text}`", (Edit(Span(body[-1].span.file, end, end), f", {text}"),)),)


def _done(item: ir.Literal) -> str:
    """The action if a condition asks only whether it was done: `A earlier`, `all A`; else empty."""
    if isinstance(item, ir.Spent):
        return item.relation
    if isinstance(item, ir.Lit) and not item.neg and item.past is not None:
        return item.atom.relation
    return ""


def _results(program: ir.Program) -> dict[str, ir.Relation]:
    """For each action, the view of the screen to which it leads, if no input writes that view."""
    leads: dict[str, set[str]] = {}
    typed: set[str] = set()
    for rule in program.rules:
        if isinstance(rule.head, ir.Goto):
            for use in uses(rule.body):
                if program.relations[use.atom.relation].sort == "action":
                    leads.setdefault(use.atom.relation, set()).add(rule.head.screen)
        atom = head_atom(rule)
        if isinstance(rule.head, ir.Write) and rule.trigger == "input" and atom is not None:
            typed.add(atom.relation)
    relations: dict[str, ir.Relation] = {}
    for action, screens in leads.items():
        for relation in program.relations.values():
            if (
                relation.sort == "view"
                and relation.attrs
                and relation.name not in typed
                and set(relation.on) & screens
            ):
                relations.setdefault(action, relation)
    return relations


_SPEC = (
    'spec book "Book a table at R for today"\nimport apps.opentable\n'
    'allow Reserve(restaurant = "R", date = today, time = ?t)\n'
    '  when Slot(restaurant = "R", date = today, time = ?t).\n'
)
RULE = Rule(
    "L0017",
    "done-without-result",
    "`done` that does not ask for the result",
    "`A earlier` (and `all A`) says that the agent did A, not that the app accepted it. Where A leads to a screen that "
    "shows a result, "
    "`done` should ask for it; otherwise a refused booking counts as a finished task. A spec where the "
    "app shows no "
    "result is left alone.",
    _SPEC + "done when Reserve earlier.\n",
    _SPEC + "done when Reserve earlier, ReserveResult(success = true).\n",
    find,
    fix="asks for the success that the result tells, if one attribute does",
)
