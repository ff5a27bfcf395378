"""L0036: two conditions that may match two different rows."""

from collections.abc import Iterable
from itertools import combinations

from vsalang.base.diagnostics import Diagnostic, Label, warning
from vsalang.language.lint.lint_rule import Context, Rule
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
            )


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
)
