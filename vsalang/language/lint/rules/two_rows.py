"""L0036: two conditions that may match two different rows."""

from collections.abc import Iterable
from itertools import combinations

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, Label, warning
from vsalang.base.source import Span
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.syntax import tree as t
from vsalang.program import ir
from vsalang.program.walk import compares, needed, present


def find(context: Context) -> Iterable[Diagnostic]:
    """Two atoms on one relation with a key that share no variable and could both be met by one row."""
    for rule in context.rules:
        linked = [needed(c) for c in compares(rule.body)]
        atoms = [item.atom for item in present(rule.body) if not item.atom.before]
        for one, other in combinations(atoms, 2):
            relation = context.relation(one)
            if (
                one.relation != other.relation
                or relation.sort not in ("state", "list")
                or not relation.identity
            ):
                continue
            if _apart(one, other) or _joined(one, other, linked):
                continue
            yield warning(
                RULE.code,
                other.span,
                f"this may be another `{relation.short}` than the one before",
                labels=(Label(one.span, "any one will do here"),) if one.span is not None else (),
                help="write one condition with all that the row must have, or join the two by a variable of the key",
                fixes=_together(context, rule, one, other),
            )


def _together(context: Context, rule: ir.Rule, one: ir.Atom, other: ir.Atom) -> tuple[Fix, ...]:
    """The fix that writes two conditions of an `allow` or `done` as one, which permits less.

    In a rule that objects to something, one condition would object to less.
    """
    body = context.tree_of(rule).body
    spans = (one.span, other.span)
    places = [at for at, item in enumerate(body) if isinstance(item, t.Lit) and item.atom.span in spans]
    if not isinstance(rule.head, ir.License) or len(places) != 2:
        return ()
    first, second = body[places[0]], body[places[1]]
    before = body[places[1] - 1].span.end
    assert isinstance(first, t.Lit) and isinstance(second, t.Lit)
    names = [arg.attr.text for arg in (*first.atom.args, *second.atom.args)]
    plain = all(not item.neg and not item.before and item.past is None for item in (first, second))
    apart = Span(second.span.file, before, second.span.start)
    if not plain or len(set(names)) < len(names) or not first.atom.args or not second.atom.args:
        return ()
    if context.unit.source.slice(apart).strip() != ",":
        return ()  # a comment would be lost
    args = Span(second.span.file, second.atom.args[0].span.start, second.atom.args[-1].span.end)
    end = first.atom.args[-1].span.end
    edits = (
        Edit(Span(first.span.file, end, end), f", {context.unit.source.slice(args)}"),
        Edit(Span(second.span.file, before, second.span.end), ""),
    )
    return (Fix("write one condition", edits),)


def _apart(one: ir.Atom, other: ir.Atom) -> bool:
    """Whether the author means two different rows: one cell has two values."""
    constraints = {(c.attr, c.op): c for c in one.constraints}
    for c in other.constraints:
        same = constraints.get((c.attr, c.op))
        if same is None or c.op not in ("=", "in"):
            continue
        if (same.term, same.hi) != (c.term, c.hi) and not isinstance(c.term, ir.Var):
            return True
    return False


def _joined(one: ir.Atom, other: ir.Atom, linked: list[frozenset[str]]) -> bool:
    """Whether a common variable, or a comparison of variables, connects the two."""
    mine, theirs = (needed(atom) for atom in (one, other))
    return bool(mine & theirs) or any(names & mine and names & theirs for names in linked)


_APP = (
    'app clock package "com.clock" "A clock"\n'
    'state Alarm key (id) "An alarm" {\n  id: Text "its id"\n  time: Time "when"\n  on: Bool "whether it is on"\n}\n'
    "update Alarm(id = ?i, time = time(?t), on = ?c)\n"
    '  when Node(id = "alarm", desc = ?i, text = ?t, checked = ?c).\n'
)
RULE = Rule(
    "L0036",
    "two-rows",
    "two conditions that may be about two rows",
    "Each condition on a relation with a key asks whether some row is like that. Two of them may be met by two rows: "
    "one alarm at seven and another one that is on. Write all that one row must have into one condition. If two rows "
    "are meant, give each its key.",
    _APP + 'deny "Already set" when tap(id = "save"), Alarm(time = 07:00), Alarm(on = true).\n',
    _APP + 'deny "Already set" when tap(id = "save"), Alarm(time = 07:00, on = true).\n',
    find,
    fix="writes one condition, in `allow` and `done`; in others two rows would no longer be objected to",
)
