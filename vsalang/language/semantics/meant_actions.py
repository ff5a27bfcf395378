"""Checks what actions say of other actions: which they lie over, and which effect of a generic module they refine."""

from collections.abc import Mapping
from dataclasses import replace

from vsalang.base.diagnostics import Label
from vsalang.language.semantics.bodies import Bodies
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.scope import RelationSymbol, Scope
from vsalang.language.semantics.terms import Terms
from vsalang.language.semantics.types import Variables
from vsalang.language.syntax import tree as t
from vsalang.program import ir
from vsalang.program.graph import reachable


def relate_actions(scope: Scope, relations: dict[str, ir.Relation], report: Report) -> None:
    """Add to the actions of a module which others they lie over, and what they refine. Imports come first."""
    items = {
        symbol.name: (symbol, item)
        for item in scope.unit.tree.items
        if isinstance(item, t.Action) and (item.over or item.refines is not None)
        if (symbol := scope.relations.get(item.name.text)) is not None and symbol.span == item.name.span
    }
    over = {
        name: [
            action.name for each in item.over if (action := _covered(scope, symbol, each, relations, report))
        ]
        for name, (symbol, item) in items.items()
    }
    below = {**{name: relation.over for name, relation in relations.items()}, **over}
    circle: set[str] = set()
    for name, (symbol, item) in items.items():
        relation = relations.get(name)
        if relation is None:
            continue  # its declaration has an error
        covered = reachable(over[name], below)
        if name in covered and not covered & circle:
            circle.add(name)
            report.error("E0205", symbol.span, f"the action `{symbol.short}` lies over itself")
        refines = _refined(scope, symbol, item, item.refines, report) if item.refines is not None else None
        if refines is not None and refines.action in covered:
            short = refines.action.rpartition(".")[2]
            report.error(
                "E0510",
                next((n.span for n in item.over), symbol.span),
                f"`{symbol.short}` is `{short}`, so it cannot lie over it",
                label="this would hide the effect that it refines",
                help="delete it here: what refines an effect takes its place anyway",
            )
        relations[name] = replace(relation, over=tuple(sorted(covered - {name})), refines=refines)


def _covered(
    scope: Scope, symbol: RelationSymbol, name: t.Name, relations: Mapping[str, ir.Relation], report: Report
) -> RelationSymbol | None:
    """The action that another one lies over; None after reporting a mistake."""
    action = _action(scope, name, report)
    if action is None:
        return None
    message = ""
    if action.scope is None:
        message = f"`{action.short}` is critical in every app: no action of a module can take its place"
    elif scope.unit.tree.generic and not action.scope.unit.tree.generic:
        message = f"a generic module takes no duty away: `{action.short}` is of the app `{action.scope.name}`"
    if not message:
        return action
    report.error(
        "E0510", name.span, message, help=f"delete it here; `{symbol.short}` is recognised in addition to it"
    )
    return None


def _refined(
    scope: Scope, symbol: RelationSymbol, item: t.Action, atom: t.Atom, report: Report
) -> ir.Refinement | None:
    """What an action refines; None after reporting a mistake."""
    before = report.errors
    effect = _action(scope, atom.name, report)
    if effect is None:
        return None
    generic = effect.scope is not None and effect.scope.unit.tree.generic
    if not generic or scope.unit.tree.generic:
        whose = f"of the module `{effect.scope.name}`" if effect.scope is not None else "of the device"
        report.error(
            "E0511",
            atom.name.span,
            "an action of an app refines an action of a generic module",
            label="this module is generic itself" if scope.unit.tree.generic else f"this one is {whose}",
            help="a generic module begins with `app NAME any`",
        )
        return None
    variables = Variables(dict(symbol.types), {each.name.text: each.name.span for each in item.params})
    terms = Terms(scope, report, variables)
    bodies = Bodies(scope, report, terms)
    arguments: list[tuple[str, ir.Term]] = []
    for arg in atom.args:
        name = arg.attr.text
        if name not in effect.types:
            report.unknown_name("E0206", arg.attr.span, "parameter", name, effect.types, context=effect.short)
        elif any(name == other for other, _ in arguments):
            report.error("E0404", arg.span, f"`{name}` is given twice", help="each parameter once")
        elif arg.op != "=" or arg.hi is not None or isinstance(arg.value, t.Unknown | t.Wildcard | None):
            report.error(
                "E0511",
                arg.span,
                f"what is refined says what a value is: `{name} = ..`",
                help="leave it out if this action does not know it: then it is unknown",
            )
            bodies.binders(t.Atom(atom.name, (arg,), atom.span))
        elif (term := terms.term(arg.value, effect.types[name])) is not None:
            arguments.append((name, term[0]))
    for used in variables.uses:
        if used not in symbol.types:
            close = ", ".join(f"?{name}" for name in symbol.types) or "none"
            report.error(
                "E0511",
                variables.spans[used],
                f"`?{used}` is not a parameter of `{symbol.short}`",
                label=f"its parameters are: {close}",
                labels=[Label(item.name.span, "declared here")],
            )
    return ir.Refinement(effect.name, tuple(arguments)) if report.errors == before else None


def _action(scope: Scope, name: t.Name, report: Report) -> RelationSymbol | None:
    """The action of a name; None after reporting that there is none."""
    relations = scope.find_relation(name.text)
    if len(relations) == 1 and relations[0].sort == "action":
        return relations[0]
    if len(relations) > 1:
        report.error("E0207", name.span, f"two imports declare `{name.text}`", help="qualify it: module.Name")
    elif relations:
        report.error("E0510", name.span, f"`{name.text}` is not an action")
    elif scope.silent(name.text):
        report.errors += 1
    else:
        actions = {
            n for n in scope.relation_names() if any(r.sort == "action" for r in scope.find_relation(n))
        }
        report.unknown_name("E0204", name.span, "action", name.text, actions)
    return None
