"""Infers the types of derived relations from their rules, by trials that are repeated until nothing changes."""

from collections.abc import Iterable

from vsalang.language.semantics.bodies import Bodies
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.rule_cache import derived, keep_types, known_types
from vsalang.language.semantics.scope import RelationSymbol, Scope
from vsalang.language.semantics.terms import Terms
from vsalang.language.semantics.types import Variables
from vsalang.language.syntax import tree as t
from vsalang.program.graph import components
from vsalang.program.ir import Attr, Relation, Type


def infer(scopes: Iterable[Scope], report: Report) -> None:
    """Give every derived relation its types; report types that nothing determines, and rules that disagree."""
    scopes = list(scopes)
    for scope in scopes:
        known_types(scope)
    pending = [(scope, symbol) for scope in scopes for symbol in derived(scope)]
    groups = _in_order([(scope, symbol) for scope, symbol in pending if _untyped(symbol)])
    for group in groups:
        changed = True
        while changed:
            changed = False
            for scope, symbol in group:
                if _untyped(symbol):
                    changed = _step(scope, symbol) or changed
    for scope in scopes:
        keep_types(scope)
    inferred = [item for group in groups for item in group]
    waiting = {id(symbol) for _, symbol in inferred}
    followers: set[str] = set()  # relations without a type because of a mistake elsewhere
    for scope, symbol in (*inferred, *(item for item in pending if id(item[1]) not in waiting)):
        untyped = _untyped(symbol)
        if untyped and (_depends_on(scope, symbol, followers) or not _report(scope, symbol, untyped, report)):
            followers.add(symbol.name)
        docs = {rule.doc.value for rule in symbol.rules if rule.doc}
        symbol.relation = Relation(
            name=symbol.name,
            sort="derived",
            attrs=tuple(Attr(name, type_ or Type("Text")) for name, type_ in symbol.types.items()),
            doc=next(iter(docs), ""),
            module=scope.name,
            packages=tuple(p.value for p in scope.unit.tree.packages),
            span=symbol.span,
        )


def _untyped(symbol: RelationSymbol) -> list[str]:
    """The attributes whose types are not known yet."""
    return [name for name, type_ in symbol.types.items() if type_ is None]


def _in_order(pending: list[tuple[Scope, RelationSymbol]]) -> list[list[tuple[Scope, RelationSymbol]]]:
    """Groups of relations that depend on each other; each group comes after those on which it depends."""
    own = {symbol.name: (scope, symbol) for scope, symbol in pending}
    graph = {
        symbol.name: [
            symbols[0].name
            for rule in symbol.rules
            for literal in rule.body
            for name in _named(literal)
            if (symbols := scope.find_relation(name)) and symbols[0].name in own
        ]
        for scope, symbol in pending
    }
    return [[own[name] for name in group] for group in components(list(graph), graph)]


def _named(literal: t.Literal) -> list[str]:
    """The relations that a literal names."""
    if isinstance(literal, t.Then):
        return [name for part in literal.parts for item in part for name in _named(item)]
    atom: t.Atom | None = getattr(getattr(literal, "lit", literal), "atom", None)
    return [atom.name.text] if atom is not None else []


def _step(scope: Scope, symbol: RelationSymbol) -> bool:
    changed = False
    for rule in symbol.rules:
        assert isinstance(rule.head, t.AtomHead)
        quiet = Report(trial=True)
        bodies = Bodies(scope, quiet, Terms(scope, quiet, Variables()))
        bodies.literals(rule.body)
        for arg in rule.head.atom.args:
            if symbol.types.get(arg.attr.text) is None and arg.value is not None:
                result = bodies.terms.term(arg.value, None)
                if result is not None and result[1] is not None and result[1].kind != "None":
                    symbol.types[arg.attr.text] = result[1]
                    changed = True
    return changed


def _depends_on(scope: Scope, symbol: RelationSymbol, names: set[str]) -> bool:
    """Whether a rule of the relation names one of `names`."""
    return any(
        candidate.name in names
        for rule in symbol.rules
        for literal in rule.body
        for name in _named(literal)
        for candidate in scope.find_relation(name)
    )


def _report(scope: Scope, symbol: RelationSymbol, untyped: list[str], report: Report) -> bool:
    """Report that a type cannot be found, unless the rules have errors of their own, which say more.

    Returns:
        whether it was reported.
    """
    reported = False
    for rule in symbol.rules:
        quiet = Report(trial=True)
        bodies = Bodies(scope, quiet, Terms(scope, quiet, Variables()))
        if bodies.literals(rule.body) is None:
            return False
    assert isinstance(symbol.rules[0].head, t.AtomHead)
    names = {arg.attr.text: arg for arg in symbol.rules[0].head.atom.args}
    for name in untyped:
        arg = names.get(name)
        if arg is not None and arg.value is not None:
            quiet = Report(trial=True)
            terms = Terms(scope, quiet, Variables())
            Bodies(scope, quiet, terms).literals(symbol.rules[0].body)
            if terms.term(arg.value, None) is None:
                continue  # the value has an error of its own
        if arg is not None and isinstance(arg.value, t.Var):
            bodies = Bodies(scope, Report(trial=True), Terms(scope, Report(trial=True), Variables()))
            bodies.literals(symbol.rules[0].body)
            if arg.value.name not in bodies.terms.variables.types:
                continue  # unbound: reported with its rule
        report.error(
            "E0305",
            arg.span if arg else symbol.span,
            f"the type of `{symbol.short}.{name}` cannot be inferred from its rules",
            help="bind it to an attribute of a declared relation",
        )
        reported = True
    return reported
