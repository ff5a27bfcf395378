"""Makes the relations and rules of screens: which one shows, and what a screen's rule asks of other screens."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from vsalang.language.semantics.report import Report
from vsalang.language.semantics.scope import Scope, ScreenSymbol
from vsalang.language.syntax import tree as t
from vsalang.program import ir
from vsalang.program.graph import reachable
from vsalang.program.screen_rules import (
    is_match,
    match_relation,
    name_rule,
    screen_relation,
    show_rule,
    uncovered_relation,
)


def declare_screens(scope: Scope, relations: dict[str, ir.Relation], report: Report) -> None:
    """Add the relations of a module's screens."""
    over = {symbol.name: _over(scope, symbol, report) for symbol in scope.screens.values()}
    for symbol in scope.screens.values():
        covered = reachable(over.get(symbol.name, ()), over)
        if symbol.name in covered:
            report.error(
                "E0205", symbol.span, f"the screen `{symbol.name.rpartition(':')[2]}` lies over itself"
            )
        relation = ir.Relation(
            symbol.name,
            "screen",
            (),
            over=tuple(sorted(covered - {symbol.name})),
            closed=any(isinstance(r.head, t.ScreenHead) and r.head.closed for r in symbol.rules),
            doc=next((r.doc.value for r in symbol.rules if r.doc), ""),
            module=scope.name,
            packages=tuple(p.value for p in scope.unit.tree.packages),
            span=symbol.span,
        )
        relations[symbol.name] = relation
        relations[match_relation(symbol.name)] = replace(
            relation, name=match_relation(symbol.name), sort="derived", over=(), closed=False
        )


def _over(scope: Scope, symbol: ScreenSymbol, report: Report) -> set[str]:
    screens: set[str] = set()
    for rule in symbol.rules:
        assert isinstance(rule.head, t.ScreenHead)
        for name in rule.head.over:
            other = scope.screens.get(name.text)
            if other is not None:
                screens.add(other.name)
            elif not scope.silent(name.text):
                report.unknown_name("E0211", name.span, "screen", name.text, scope.screens)
    return screens


def screen_rules(scopes: Iterable[Scope], relations: dict[str, ir.Relation]) -> Iterable[ir.Rule]:
    """The rules by which a screen shows: its rules match, and no other screen of the app does, except those it covers.

    If a test says which screen of the app shows, these rules do not apply.
    """
    for scope in scopes:
        names = [symbol.name for symbol in scope.screens.values()]
        if len(names) > 1:
            relations[screen_relation(scope.name)] = ir.Relation(screen_relation(scope.name), "observed", ())
        others = {name: ir.Lit(ir.Atom(match_relation(name)), neg=True) for name in names}
        for name in names:
            body: list[ir.Literal] = [ir.Lit(ir.Atom(match_relation(name)))]
            if len(names) > 1:
                body.append(ir.Lit(ir.Atom(screen_relation(scope.name)), neg=True))
            body.extend(
                absent
                for other, absent in others.items()
                if other != name and other not in relations[name].over
            )
            yield ir.Rule(show_rule(name), ir.Derive(ir.Atom(name)), tuple(body), module=scope.name)
            title = ir.Const(name.rpartition(":")[2], ir.TEXT)
            head = ir.Derive(ir.Atom("Screen", (ir.Constraint("name", "=", title),)))
            yield ir.Rule(name_rule(name), head, (ir.Lit(ir.Atom(name)),), module=scope.name)


def among_screens(
    rules: Iterable[ir.Rule], scopes: Iterable[Scope], relations: dict[str, ir.Relation]
) -> list[ir.Rule]:
    """Change rules of screens so that they ask of other screens only what is known before one is chosen.

    In the body of a screen's rule ``screen T``, or ``Screen(name = "T")``, means that T's rules match and none of a
    screen over T does. A screen that lies under others gets a relation that says so, with its rule.
    """
    by_name = {scope.name: scope for scope in scopes}
    screens = {symbol.name: scope.name for scope in by_name.values() for symbol in scope.screens.values()}
    above: dict[str, list[str]] = {}
    for name, relation in relations.items():
        if relation.sort == "screen":
            for other in relation.over:
                above.setdefault(other, []).append(name)
    asked: dict[str, ir.Rule] = {}

    def of(screen: str, module: str) -> str:
        if screen not in above:
            return match_relation(screen)
        name = uncovered_relation(screen)
        if name not in asked:
            relations[name] = replace(relations[match_relation(screen)], name=name)
            covers = (ir.Lit(ir.Atom(match_relation(other)), neg=True) for other in above[screen])
            body = (ir.Lit(ir.Atom(match_relation(screen))), *covers)
            asked[name] = ir.Rule(show_rule(name), ir.Derive(ir.Atom(name)), body, module=module)
        return name

    def meant(atom: ir.Atom, scope: Scope) -> ir.Atom:
        screen = atom.relation if screens.get(atom.relation) == scope.name else _named_screen(atom, scope)
        own = screen is not None and screen.rpartition(":")[0] == scope.name
        return replace(atom, relation=of(screen, scope.name), constraints=()) if screen and own else atom

    named_rules = [
        replace(rule, body=tuple(_mapped(item, meant, by_name[rule.module]) for item in rule.body))
        if isinstance(rule.head, ir.Derive) and is_match(rule.head.atom.relation)
        else rule
        for rule in rules
    ]
    return [*named_rules, *asked.values()]


def _named_screen(atom: ir.Atom, scope: Scope) -> str | None:
    """The screen that an atom ``Screen(name = "T")`` asks for."""
    if atom.relation != "Screen" or len(atom.constraints) != 1:
        return None
    name = atom.constraints[0]
    if name.op != "=" or not isinstance(name.term, ir.Const) or not isinstance(name.term.value, str):
        return None
    meant = scope.find_screen(name.term.value)
    return meant[0].name if len(meant) == 1 else None


def _mapped(literal: ir.Literal, meant: Callable[[ir.Atom, Scope], ir.Atom], scope: Scope) -> ir.Literal:
    match literal:
        case ir.Lit():
            past = literal.past
            if past is not None and past.other is not None:
                past = replace(past, other=meant(past.other, scope))
            return replace(literal, atom=meant(literal.atom, scope), past=past)
        case ir.Aggregate():
            inner = _mapped(literal.lit, meant, scope)
            assert isinstance(inner, ir.Lit)
            return replace(literal, lit=inner) if literal.fn == "count" else literal
        case ir.Then():
            parts = tuple(tuple(_mapped(item, meant, scope) for item in part) for part in literal.parts)
            return replace(literal, parts=parts)
        case _:
            return literal
