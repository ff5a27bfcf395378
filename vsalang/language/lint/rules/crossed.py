"""L0056: two parameters that are given the wrong way round."""

from collections.abc import Iterable
from itertools import combinations

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.program import ir
from vsalang.program.walk import conditions, present


def find(context: Context) -> Iterable[Diagnostic]:
    """Heads whose attribute `a` takes the value of an attribute `b` of a row, and `b` that of `a`."""
    for rule in context.rules:
        atom = getattr(rule.head, "atom", None)
        if not isinstance(atom, ir.Atom) or not isinstance(rule.head, ir.Recognize | ir.Write | ir.License):
            continue
        head = {c.attr: c for c in atom.constraints if c.op == "=" and isinstance(c.term, ir.Var)}
        types = {attr.name: attr.type for attr in context.relation(atom).attrs}
        read: dict[str, str] = {}
        for item in present(conditions(rule)):
            if context.relation(item.atom).sort in ("view", "state", "list"):
                for c in item.atom.constraints:
                    if c.op == "=" and isinstance(c.term, ir.Var):
                        read.setdefault(c.attr, c.term.name)
        for one, other in combinations(head, 2):
            if (
                one not in read
                or other not in read
                or types.get(one) != types.get(other)
                or read[one] == read[other]
            ):
                continue
            a, b = head[one], head[other]
            if not isinstance(a.term, ir.Var) or not isinstance(b.term, ir.Var) or not a.span or not b.span:
                continue
            if a.term.name != read[other] or b.term.name != read[one]:
                continue
            edits = (Edit(a.span, f"{one} = ?{b.term.name}"), Edit(b.span, f"{other} = ?{a.term.name}"))
            yield warning(
                RULE.code,
                rule.head_span or rule.span,
                f"`{one}` is given `?{a.term.name}`, the value of `{other}`, "
                f"and `{other}` is given `?{b.term.name}`, that of `{one}`",
                help="exchange the two variables in the head",
                fixes=(Fix("exchange them", edits),),
            )


_APP = (
    'app gifts package "com.gifts" "Gifts"\nscreen Gift "one gift" when Node(id = "gift").\n'
    'view Chosen on Gift "What is chosen" {\n  to: Text "for whom"\n  thing: Text "what"\n}\n'
    'update Chosen(to = ?v, ..) when input_text(id = "to", value = ?v).\n'
    'update Chosen(thing = ?v, ..) when input_text(id = "thing", value = ?v).\n'
    'action Give(to: Text "for whom", thing: Text "what") "Send a gift"\n'
    'recognize Give({head}) when tap(id = "give") with Chosen(to = ?w, thing = ?g).\n'
)
RULE = Rule(
    "L0056",
    "crossed",
    "two parameters that are given the wrong way round",
    "The row that is read and the head have two attributes of the same names and of one type, and each takes the "
    "value of the other. Then a permission for Ann is one for whatever the gift is called.",
    _APP.replace("{head}", "to = ?g, thing = ?w"),
    _APP.replace("{head}", "to = ?w, thing = ?g"),
    find,
    fix="gives each its own",
)
