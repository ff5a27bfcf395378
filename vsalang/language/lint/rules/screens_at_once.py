"""L0037: two screens that one element can match at once."""

from collections.abc import Iterable, Iterator
from itertools import product

from vsalang.base.diagnostics import Diagnostic, Label, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.program import ir, ops
from vsalang.program.screen_rules import is_match, screen_of

_DECIDED = frozenset({"=", "!=", "in", "not in", "<", "<=", ">", ">=", "contains", "not contains", "matches"})


def find(context: Context) -> Iterable[Diagnostic]:
    """Screens without `over` between them whose conditions on elements of one id can be met by the same element."""
    relations = context.program.relations
    screens = [
        (relation, rule, rule.head_span)
        for rule in context.rules
        if isinstance(rule.head, ir.Derive) and is_match(rule.head.atom.relation)
        for relation in [relations[screen_of(rule.head.atom.relation)]]
    ]
    for number, (screen, rule, place) in enumerate(screens):
        for other, earlier, before in screens[:number]:
            if screen.name == other.name or other.name in screen.over or screen.name in other.over:
                continue
            if not _at_once(rule.body, earlier.body):
                continue
            yield warning(
                RULE.code,
                place,
                f"where `{screen.short}` matches, `{other.short}` may match too: then no screen is known",
                labels=(Label(before, f"`{other.short}`"),) if before is not None else (),
                help=f"let their conditions exclude each other (`=` instead of `contains`), or write "
                f"`screen {screen.short} over {other.short}`",
            )
            break


def _at_once(one: tuple[ir.Literal, ...], other: tuple[ir.Literal, ...]) -> bool:
    mine, theirs = _elements(one), _elements(other)
    if not mine or not theirs:
        return False
    same = [(a, b) for a, b in product(mine, theirs) if _id(a) is not None and _id(a) == _id(b)]
    if any(not _agree(a, b) for a, b in same) or _negated(one, theirs) or _negated(other, mine):
        return False
    if set(map(_known_constraints, mine)) <= set(map(_known_constraints, theirs)) or set(
        map(_known_constraints, theirs)
    ) <= set(map(_known_constraints, mine)):
        return False  # L0024 reports it
    met, meeting = {id(a) for a, _ in same}, {id(b) for _, b in same}
    return all(id(a) in met for a in mine) or all(id(b) in meeting for b in theirs)


def _elements(body: tuple[ir.Literal, ...]) -> list[ir.Atom]:
    """The elements that a screen's rule asks for; none if it asks for more than elements with given attributes."""
    atoms = []
    for item in body:
        if not isinstance(item, ir.Lit) or item.past is not None or item.atom.relation != "Node":
            return []
        if not all(c.term is None or isinstance(c.term, ir.Const | ir.Regex) for c in item.atom.constraints):
            return []
        if not item.neg:
            atoms.append(item.atom)
    return atoms


def _known_constraints(atom: ir.Atom) -> frozenset[tuple[object, ...]]:
    return frozenset((c.attr, c.op, c.term, c.hi) for c in atom.constraints)


def _id(atom: ir.Atom) -> object:
    return next(
        (
            (c.attr, c.term.value)
            for c in atom.constraints
            if c.attr in ("id", "resource_id") and c.op == "=" and isinstance(c.term, ir.Const)
        ),
        None,
    )


def _negated(body: tuple[ir.Literal, ...], elements: list[ir.Atom]) -> bool:
    """Whether a rule excludes an element that the other one asks for."""
    excluded = [_known_constraints(item.atom) for item in body if isinstance(item, ir.Lit) and item.neg]
    return any(gone <= _known_constraints(atom) for gone in excluded for atom in elements)


def _agree(one: ir.Atom, other: ir.Atom) -> bool:
    """Whether one element can match both; False if that is not known."""
    for a, b in _shared(one, other):
        if (a.op, a.term) == (b.op, b.term) or "known" in (a.op, b.op):
            continue
        if not {a.op, b.op} <= _DECIDED or isinstance(a.term, ir.Regex) or isinstance(b.term, ir.Regex):
            return False
        if a.op == "contains" and b.op == "contains":
            continue
        exact, test = (a, b) if a.op == "=" else (b, a)
        if exact.op != "=" or not isinstance(exact.term, ir.Const) or not isinstance(test.term, ir.Const):
            return False
        if test.hi is not None or not ops.holds(test.op, exact.term.value, test.term.value):
            return False
    return True


def _shared(one: ir.Atom, other: ir.Atom) -> Iterator[tuple[ir.Constraint, ir.Constraint]]:
    return ((a, b) for a in one.constraints for b in other.constraints if a.attr == b.attr)


_APP = (
    'app shop package "com.shop" "A shop"\n'
    'screen Basket "What is to be bought" when Node(id = "title", text {contains} "Basket").\n'
    'screen Order "What was bought" when Node(id = "title", text {contains} "Order").\n'
)
RULE = Rule(
    "L0037",
    "screens-at-once",
    "two screens that match at once",
    "Both are recognised by an element of the same id, and one element can be like both: a title “Order of this "
    "basket”. Where two screens match and neither lies over the other, no screen is known, and each gesture asks the "
    "user. Let the conditions exclude each other, or say which screen it is then (`over`).",
    _APP.replace("{contains}", "contains"),
    _APP.replace("{contains}", "="),
    find,
    fix="none: conditions that exclude each other, or `over`",
)
