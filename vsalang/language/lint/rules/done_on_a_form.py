"""L0035: `done` that trusts what is typed in a form, although an action must submit it."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.rules import done_before_the_action
from vsalang.program import ir
from vsalang.program.walk import head_atom, uses


def find(context: Context) -> Iterable[Diagnostic]:
    """`done` that asks only for what inputs write into a view, although an allowed action has a result of its own."""
    if context.kind != "spec":
        return
    outcomes = _outcomes(context.program, {head.atom.relation for _, head in context.licences()})
    if not outcomes:
        return
    forms = _forms(context.program)
    spans = {item.span for item in done_before_the_action.find(context)}  # it says why, and what to do
    for rule in context.dones():
        if rule.span in spans:
            continue
        all_uses = list(uses(rule.body))
        asked = [use for use in all_uses if not use.negated]
        if not asked or any(
            use.negated or use.past is not None or use.atom.relation not in forms for use in all_uses
        ):
            continue
        if len(all_uses) != sum(isinstance(item, ir.Lit) for item in rule.body):
            continue
        name = context.relation(asked[0].atom).short
        action, outcome = outcomes[0]
        yield warning(
            RULE.code,
            asked[0].atom.span,
            f"`{name}` is what was typed or chosen, not the result",
            label=f"it is so before `{action.short}`, too",
            help=f"ask for `{outcome.short}`, or add `{action.short} earlier`",
            fixes=done_before_the_action.asking_for(context, rule, action.short)
            if len(outcomes) == 1
            else (),
        )


def _forms(program: ir.Program) -> set[str]:
    """The views that inputs write."""
    return {
        atom.relation
        for rule in program.rules
        if isinstance(rule.head, ir.Write) and rule.trigger == "input"
        for atom in [head_atom(rule)]
        if atom is not None and program.relations[atom.relation].sort == "view"
    }


def _outcomes(program: ir.Program, allowed: set[str]) -> list[tuple[ir.Relation, ir.Relation]]:
    """The allowed actions that change something permanent, each with what it changes."""
    relations: dict[str, ir.Relation] = {}
    for rule in program.rules:
        atom = head_atom(rule)
        if not isinstance(rule.head, ir.Write) or rule.trigger != "consequence" or atom is None:
            continue
        changed = program.relations[atom.relation]
        for use in uses(rule.body):
            if use.atom.relation in allowed and use.past is None and changed.sort in ("state", "list"):
                relations.setdefault(use.atom.relation, changed)
    return [(program.relations[name], changed) for name, changed in relations.items()]


_FILES = (
    '// file: {name}.vsa\nspec {name} "Send hello"\nimport chat\n'
    'allow Send(text = "hello").\n{done}\n'
    '// file: chat.vsa\napp chat package "com.chat" "A chat"\n'
    'screen Talk "A talk" when Node(id = "talk").\n'
    'view Draft on Talk "What is typed" { text: Text "the text" }\n'
    'state Sent key (text) "A message that was sent" { text: Text "its text" }\n'
    'action Send(text: Text "the text") "Send what is typed"\n'
    'update Draft(text = ?v) when input_text(id = "entry", value = ?v).\n'
    'recognize Send(text = ?t) when tap(id = "send") with Draft(text = ?t).\n'
    "update Sent(text = ?t) when Send(text = ?t).\n"
)
RULE = Rule(
    "L0035",
    "done-on-a-form",
    "`done` that asks only what is in a form",
    "A view that inputs write holds what is typed or chosen and not yet sent. `done` that asks for nothing else holds "
    "before the action that the task is about: the message is in the field, and nobody got it. Ask for what the "
    "action brings about, or that it was done.",
    _FILES.replace("{name}", "bad").replace("{done}", 'done when Draft(text = "hello").'),
    _FILES.replace("{name}", "good").replace("{done}", 'done when Sent(text = "hello").'),
    find,
    fix="adds `A earlier`",
)
