"""What a `goto` rule says: on which screens it starts, by which gesture or action, and what else must hold."""

from collections.abc import Iterator

from vsalang.program import ir


def starts(rule: ir.Rule, program: ir.Program) -> list[str]:
    """The qualified names of the screens that a rule asks for; none: any screen of its app."""
    names: list[str] = []
    for literal in rule.body:
        names += _screens(literal, rule, program)
    return list(dict.fromkeys(names))


def triggers(rule: ir.Rule, program: ir.Program) -> Iterator[ir.Atom]:
    """The gestures and actions that a rule asks for."""
    for literal in rule.body:
        if isinstance(literal, ir.Lit) and _is_trigger(literal, program):
            yield literal.atom


def others(rule: ir.Rule, program: ir.Program) -> Iterator[ir.Literal]:
    """The conditions of a rule, apart from its gestures and its screens."""
    for literal in rule.body:
        if not _is_trigger(literal, program) and not _screens(literal, rule, program):
            yield literal


def _screens(literal: ir.Literal, rule: ir.Rule, program: ir.Program) -> list[str]:
    """The screens that a condition names."""
    if not isinstance(literal, ir.Lit) or literal.neg or literal.past:
        return []
    atom = literal.atom
    if program.relation(atom.relation).sort == "screen":
        return [atom.relation]
    if atom.relation != "Screen":
        return []
    names: set[object] = set()
    for each in atom.constraints:
        terms = each.term.items if isinstance(each.term, ir.Choice) else (each.term,)
        if each.attr == "name" and each.op in ("=", "in"):
            names.update(term.value for term in terms if isinstance(term, ir.Const))
    return [
        name
        for name, relation in program.relations.items()
        if relation.sort == "screen" and relation.module == rule.module and relation.short in names
    ]


def _is_trigger(literal: ir.Literal, program: ir.Program) -> bool:
    if not isinstance(literal, ir.Lit) or literal.neg or literal.past:
        return False
    return program.relation(literal.atom.relation).sort in ("gesture", "action")
