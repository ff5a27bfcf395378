"""The screens on which a rule can hold by the values that it asks for: a switch of the page "Display" is on the screen
whose rule asks for the page "Display"."""

from collections.abc import Iterator, Mapping
from typing import Final

from vsalang.program.ir import Atom, Const, Derive, Lit, Program, Rule, Var
from vsalang.program.screen_rules import is_match, screen_of
from vsalang.program.values import Value, same
from vsalang.program.walk import present

_DEEPEST: Final = 8
_EVERYWHERE: Final = frozenset({"package"})
"""What each screen of an app asks of a node."""

Values = Mapping[str, Value]


def screens(rule: Rule, asked: Atom, program: Program) -> Iterator[str]:
    """The screens of which all conditions follow from the constants of what is asked.

    Args:
        rule: that recognises the action.
        asked: the action, with constants.
    """
    head = getattr(rule.head, "atom", None)
    if not isinstance(head, Atom):
        return
    known = list(_conditions(rule, _bound(head, _constants(asked)), program, _DEEPEST))
    for each in program.rules:
        if isinstance(each.head, Derive) and is_match(each.head.atom.relation):
            wanted = list(_wanted(each))
            if wanted and all(atom is not None and _follows(atom, known) for atom in wanted):
                yield screen_of(each.head.atom.relation)


def _constants(atom: Atom, bound: Values | None = None) -> Values:
    """The attributes of which the value is known."""
    constants: dict[str, Value] = {}
    for each in atom.constraints:
        if each.op == "=" and isinstance(each.term, Const):
            constants[each.attr] = each.term.value
        elif each.op == "=" and isinstance(each.term, Var) and bound and each.term.name in bound:
            constants[each.attr] = bound[each.term.name]
    return constants


def _bound(head: Atom, values: Values) -> Values:
    """The variables of a rule's head that these values bind."""
    return {
        each.term.name: values[each.attr]
        for each in head.constraints
        if each.op == "=" and isinstance(each.term, Var) and each.attr in values
    }


def _conditions(rule: Rule, bound: Values, program: Program, depth: int) -> Iterator[tuple[str, Values]]:
    """What must hold so that the rule does: relations with the values that are known; also behind `define`."""
    for literal in present(rule.body):
        values = _constants(literal.atom, bound)
        yield literal.atom.relation, values
        by = [
            each
            for each in program.rules
            if isinstance(each.head, Derive) and each.head.atom.relation == literal.atom.relation
        ]
        if len(by) == 1 and depth:
            (define,) = by
            assert isinstance(define.head, Derive)
            yield from _conditions(define, _bound(define.head.atom, values), program, depth - 1)


def _wanted(rule: Rule) -> Iterator[Atom | None]:
    """The conditions of a screen, but for its package; None: one that asks for more than constants."""
    for literal in rule.body:
        plain = isinstance(literal, Lit) and not literal.neg and literal.past is None
        if not isinstance(literal, Lit) or not plain:
            yield None
            continue
        asked = {each.attr for each in literal.atom.constraints}
        if literal.atom.relation == "Node" and asked <= _EVERYWHERE:
            continue
        whole = asked and all(
            each.op == "=" and isinstance(each.term, Const) for each in literal.atom.constraints
        )
        yield literal.atom if whole else None


def _follows(atom: Atom, known: list[tuple[str, Values]]) -> bool:
    wanted = _constants(atom)
    return any(
        relation == atom.relation
        and all(attr in values and same(values[attr], value) for attr, value in wanted.items())
        for relation, values in known
    )
