"""L0027: an input that writes a cell, and does not change another that is read from the screen with it."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.program import ir


def find(context: Context) -> Iterable[Diagnostic]:
    """Inputs that write some of the cells of one row that an observation writes together."""
    writes = [
        (rule, rule.head, rule.trigger)
        for rule in context.rules
        if isinstance(rule.head, ir.Write) and not rule.head.delete
    ]
    typed: dict[str, set[str]] = {}
    for _, head, trigger in writes:
        if trigger == "input":
            typed.setdefault(head.atom.relation, set()).update(
                c.attr for c in head.atom.constraints if c.term is not None
            )
    for rule, head, trigger in writes:
        relation = context.relation(head.atom)
        if trigger != "input" or (relation.sort != "state" and not head.keep):
            continue
        written = {c.attr for c in head.atom.constraints}
        valued = {c.attr for c in head.atom.constraints if c.term is not None}  # the others are erased
        for seen, other, kind in writes:
            together = {c.attr for c in other.atom.constraints}
            if kind != "observation" or other.atom.relation != head.atom.relation or seen is rule:
                continue
            # a field that is typed itself does not depend on this one
            apart = written | set(relation.key) | typed[head.atom.relation]
            left = [a.name for a in relation.attrs if a.name in together - apart]
            if left and together & valued - set(relation.key):
                names = " and ".join(f"`{name}`" for name in left)
                yield warning(
                    RULE.code,
                    rule.head_span or rule.span,
                    f"{names} of `{relation.short}` stay{'s' if len(left) == 1 else ''} as seen before this input",
                    label="what was seen with the old value is believed of the new one",
                    help=f"write `{left[0]} = unknown` too, or the value that it then has",
                )
                break


_APP = (
    'app shop package "com.shop" "A shop"\n'
    'state Order "What is ordered" {\n  count: Number "how many"\n  total: Number "what it costs"\n}\n'
    "update Order(count = number(?n), total = number(?t))\n"
    '  when Node(id = "count", text = ?n), Node(id = "total", text = ?t).\n'
    'update Order(count = number(?v){more}) when input_text(id = "count", value = ?v).\n'
)
RULE = Rule(
    "L0027",
    "stale-evidence",
    "input that leaves old evidence next to a new value",
    "Two cells of a row are read off the screen together, so each belongs to the other. An input writes "
    "one of them and "
    "leaves the other as it was seen before: until the screen is read again, the old total is next to "
    "the new count. "
    "Erase what the input makes uncertain, or compute it. Two fields of a form that are both typed are left alone.",
    _APP.replace("{more}", ""),
    _APP.replace("{more}", ", total = unknown"),
    find,
    fix="none: to erase the cell or to compute it is a choice",
)
