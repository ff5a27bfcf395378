"""L0047: an action that no touch is recognised as, or a parameter that no rule gives a value."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, Label, warning
from vsalang.base.diagnostics.display import some
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.syntax import tree as t
from vsalang.program import ir
from vsalang.program.walk import head_atom


def find(context: Context) -> Iterable[Diagnostic]:
    """Actions of an app that reads screens, and parameters, that no `recognize` gives."""
    if context.kind != "app":
        return
    own = [rule for rule in context.rules if isinstance(rule.head, ir.Recognize)]
    reads = any(isinstance(r.head, ir.Write) and r.trigger in ("input", "observation") for r in context.rules)
    if not own and not reads:
        return  # an app that reports what is done in it
    refined = {
        relation.refines.action
        for relation in context.program.relations.values()
        if relation.refines is not None
    }
    unseen: list[t.Action] = []
    for item in context.unit.tree.items:
        if not isinstance(item, t.Action) or context.program.modules[context.unit.name].generic:
            continue
        name = f"{context.unit.name}.{item.name.text}"
        heads = [atom for rule in own if (atom := head_atom(rule)) is not None and atom.relation == name]
        if name in refined:
            continue
        if not heads:
            if context.heard(RULE.code, item.name.span):
                unseen.append(item)
            continue
        values = {c.attr for atom in heads for c in atom.constraints}
        for param in item.params:
            if param.name.text not in values:
                yield warning(
                    RULE.code,
                    param.name.span,
                    f"no `recognize {item.name.text}` gives `{param.name.text}` a value: it is never known",
                    label="no `allow` that asks for it ever fits",
                    help=f"write `{param.name.text} = ..` in the head of a `recognize`, or leave the parameter out",
                )
    if unseen:
        yield warning(
            RULE.code,
            unseen[0].name.span,
            f"no `recognize` says which touch is {some([item.name.text for item in unseen])}",
            label="the touch that does it needs no permission",
            labels=[Label(item.name.span, "nor this") for item in unseen[1:]],
            help=f"write `recognize {unseen[0].name.text}(..) when tap(..)`, "
            "or remove the action if the app cannot do it",
        )


_APP = (
    'app bin package "com.bin" "A bin"\nstate Thing key (name) "A deleted file" {\n  name: Text "its name"\n}\n'
    'update Thing(name = ?n) when Node(id = "file", text = ?n).\n'
    'action Empty "Delete for good what is in the bin"\ndelete Thing when Empty.\n'
)
RULE = Rule(
    "L0047",
    "never-recognised",
    "action that no touch is recognised as",
    "An action is critical only where a `recognize` says which gesture it is. Without one the touch that does it is "
    "like any other, and needs no permission. A parameter that none of these rules gives is never known, and an "
    "`allow` that asks for it never fits. Apps that report their own actions, and so read no screens, are left alone.",
    _APP,
    _APP + 'recognize Empty when tap(id = "empty").\n',
    find,
    fix="none: which touch it is depends on the app",
)
