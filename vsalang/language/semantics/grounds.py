"""Reports gestures that destroy what their own permission reads (E0417).

The effects of a gesture are predicted before `allow` is asked, so such a permission can never hold.
"""

from collections.abc import Iterable, Mapping

from vsalang.base.diagnostics import Label
from vsalang.base.records import dataclass
from vsalang.language.semantics.effects import same_control, triggers
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.strata import label, reads
from vsalang.program import ir
from vsalang.program.values import Value, same


@dataclass(frozen=True, slots=True)
class _Parameter:
    """The value of a parameter of the action, whatever it will be."""

    name: str


@dataclass(frozen=True, slots=True)
class _KnownConstant:
    """A constant of the program."""

    value: Value


_Given = _Parameter | _KnownConstant | None
"""What is known about a value before the program runs; None if nothing is."""


def check_grounds(rules: Iterable[ir.Rule], relations: Mapping[str, ir.Relation], report: Report) -> None:
    """Report each gesture whose effect deletes or erases what the permission of the same control needs."""
    rules = list(rules)
    derived: dict[str, list[ir.Rule]] = {}
    for rule in rules:
        if isinstance(rule.head, ir.Derive):
            derived.setdefault(_atom(rule).relation, []).append(rule)
    effects = [rule for rule in rules if isinstance(rule.head, ir.Write) and rule.trigger == "input"]
    licences = [rule for rule in rules if isinstance(rule.head, ir.License)]
    licensed = {_atom(licence).relation for licence in licences}
    taken = [
        rule for rule in rules if isinstance(rule.head, ir.Recognize) and _atom(rule).relation in licensed
    ]
    for effect in effects:
        pair = next(
            (
                (licence, literal)
                for recognition in taken
                if _comes_with(effect, recognition, relations)
                for licence in licences
                if _atom(licence).relation == _atom(recognition).relation
                for literal in licence.body
                if _takes(
                    effect,
                    recognition,
                    licence,
                    literal,
                    derived,
                    relations[_atom(effect).relation].identity,
                )
            ),
            None,
        )
        if pair:
            _tell(effect, *pair, report)


def _atom(rule: ir.Rule) -> ir.Atom:
    """The atom in the head of a rule that has one."""
    assert not isinstance(rule.head, ir.Goto | ir.Judge | ir.Expect)
    return rule.head.atom


def _tell(effect: ir.Rule, licence: ir.Rule, literal: ir.Literal, report: Report) -> None:
    assert isinstance(effect.head, ir.Write)
    name, action = label(_atom(effect).relation), label(_atom(licence).relation)
    verb, keyword = ("deletes", "delete") if effect.head.delete else ("erases", "update")
    gone = "gone" if effect.head.delete else "otherwise"
    report.error(
        "E0417",
        effect.head_span,
        f"this gesture is `{action}`, and its effect {verb} what the permission for it reads",
        label=f"`{name}` is {gone} before `{action}` is judged",
        labels=[Label(literal.span, "read here")] if literal.span else [],
        help=f"write it as what the action does: {keyword} {name}(..) when {action}; or ask `before {name}(..)`",
    )


def _comes_with(effect: ir.Rule, recognition: ir.Rule, relations: Mapping[str, ir.Relation]) -> bool:
    """Whether the gesture that is recognised as the action always has this effect."""
    wide, narrow = triggers(effect, relations), triggers(recognition, relations)
    if wide is None or narrow is None or not same_control(wide.atom, narrow.atom):
        return False
    asked = {str(c) for c in map(_test, narrow.atom.constraints)}
    if any(not isinstance(c.term, ir.Var) and str(_test(c)) not in asked for c in wide.atom.constraints):
        return False
    # a further condition may prevent the effect, unless the action has the same condition
    read = {name for item in (*recognition.body, *recognition.extra) for name, _, _ in reads(item)}
    return all(name in read for item in effect.body for name, _, _ in reads(item))


def _test(c: ir.Constraint) -> tuple[object, ...]:
    return c.attr, c.op, c.term, c.hi


def _takes(
    effect: ir.Rule,
    recognition: ir.Rule,
    licence: ir.Rule,
    literal: ir.Literal,
    derived: Mapping[str, list[ir.Rule]],
    identity: Iterable[str],
) -> bool:
    """Whether a condition of the permission needs what the effect deletes or erases, also through definitions."""
    assert isinstance(effect.head, ir.Write)
    wanted = _head(_atom(licence))
    names = _tied(effect, recognition, wanted)
    gone = {c.attr: _value(c.term, names) for c in _atom(effect).constraints}
    opened: set[str] = set()
    todo: list[tuple[ir.Literal, Mapping[str, _Given]]] = [(literal, _own(_atom(licence), wanted))]
    while todo:
        item, known = todo.pop()
        if not isinstance(item, ir.Lit) or item.neg or item.past is not None or item.atom.before:
            continue
        if item.atom.relation == _atom(effect).relation and _lost(
            effect.head, gone, identity, item.atom, known
        ):
            return True
        rules = derived.get(item.atom.relation, [])
        # of several rules another one may still hold
        if item.atom.relation not in opened and len(rules) == 1 and isinstance(rules[0].head, ir.Derive):
            opened.add(item.atom.relation)
            terms = {c.attr: _value(c.term, known) for c in item.atom.constraints if c.op == "="}
            inner = {
                c.term.name: terms.get(c.attr)
                for c in _atom(rules[0]).constraints
                if isinstance(c.term, ir.Var)
            }
            todo.extend((each, inner) for each in rules[0].body)
    return False


def _head(pattern: ir.Atom) -> dict[str, _Given]:
    """What a permission requires of each parameter: a constant, or any proposed value."""
    parameters: dict[str, _Given] = {}
    for c in pattern.constraints:
        if c.op == "=" and isinstance(c.term, ir.Const):
            parameters[c.attr] = _KnownConstant(c.term.value)
        else:
            parameters.setdefault(c.attr, _Parameter(c.attr))
    return parameters


def _own(pattern: ir.Atom, wanted: Mapping[str, _Given]) -> dict[str, _Given]:
    """The variables that the head of a permission takes from the parameters."""
    return {
        c.term.name: wanted[c.attr] for c in pattern.constraints if c.op == "=" and isinstance(c.term, ir.Var)
    }


def _tied(effect: ir.Rule, recognition: ir.Rule, wanted: Mapping[str, _Given]) -> dict[str, _Given]:
    """The variables of the effect that have the value of a parameter: both read it in the same place."""
    parameters = {
        c.term.name: wanted.get(c.attr, _Parameter(c.attr))
        for c in _atom(recognition).constraints
        if isinstance(c.term, ir.Var)
    }
    places: dict[tuple[str, str], _Given] = {}
    for item in (*recognition.body, *recognition.extra):
        if isinstance(item, ir.Lit) and not item.neg:
            for c in item.atom.constraints:
                if c.op == "=" and isinstance(c.term, ir.Var) and c.term.name in parameters:
                    places[item.atom.relation, c.attr] = parameters[c.term.name]
    tied: dict[str, _Given] = {}
    for item in effect.body:
        if isinstance(item, ir.Lit) and not item.neg:
            for c in item.atom.constraints:
                if c.op == "=" and isinstance(c.term, ir.Var) and (item.atom.relation, c.attr) in places:
                    tied[c.term.name] = places[item.atom.relation, c.attr]
    return tied


def _value(term: ir.Term | None, names: Mapping[str, _Given]) -> _Given:
    if isinstance(term, ir.Const):
        return _KnownConstant(term.value)
    return names.get(term.name) if isinstance(term, ir.Var) else None


def _lost(
    head: ir.Write,
    gone: Mapping[str, _Given],
    identity: Iterable[str],
    atom: ir.Atom,
    known: Mapping[str, _Given],
) -> bool:
    """Whether no row is left that an atom could match."""
    asked = {c.attr: _value(c.term, known) for c in atom.constraints if c.op == "="}
    if head.delete:
        return all(_meets(value, asked.get(attr)) for attr, value in gone.items())
    erased = {c.attr for c in head.atom.constraints if c.term is None}
    needed = {c.attr for c in atom.constraints if c.op != "unknown"}
    return bool(erased & needed) and all(
        attr in gone and _meets(gone[attr], asked.get(attr)) for attr in identity
    )


def _meets(gone: _Given, asked: _Given) -> bool:
    """Whether the row that is asked for is the row that is deleted, in all attributes that are given."""
    if asked is None:
        return False
    if isinstance(gone, _KnownConstant) and isinstance(asked, _KnownConstant):
        return same(gone.value, asked.value)
    return not (isinstance(gone, _Parameter) and isinstance(asked, _Parameter) and gone != asked)
