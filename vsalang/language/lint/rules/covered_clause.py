"""L0023: a clause that adds nothing to another one."""

from collections.abc import Iterable, Iterator

from vsalang.base.diagnostics import Diagnostic, Label, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.walk import conditions, removal, words
from vsalang.language.syntax import tree as t

_KINDS = frozenset("define screen allow done deny confirm warn flag goto complete top end expect".split())


def find(context: Context) -> Iterable[Diagnostic]:
    """Rules with the same head as another one, and at least all its conditions."""
    clauses: dict[tuple[str, str], list[tuple[t.Rule, frozenset[str]]]] = {}
    for rule in context.tree_rules():
        if rule.kind in _KINDS and not _counted(rule):
            head = words(context.unit.source, rule.head.span)
            clauses.setdefault((rule.kind, head), []).append((rule, conditions(context.unit.source, rule)))
    for same in clauses.values():
        yield from _covered(context, same)


def _counted(rule: t.Rule) -> bool:
    """Whether a second rule of this kind gives a second permission."""
    return rule.kind == "allow" and isinstance(rule.head, t.AtomHead) and rule.head.quota != "either"


def _covered(context: Context, same: list[tuple[t.Rule, frozenset[str]]]) -> Iterator[Diagnostic]:
    for number, (rule, body) in enumerate(same):
        for other, (wider, conditions_) in enumerate(same):
            if other != number and (conditions_ < body or (conditions_ == body and other < number)):
                yield warning(
                    RULE.code,
                    rule.head.span,
                    "this rule says again what another one says"
                    if conditions_ == body
                    else "this rule adds nothing",
                    labels=(Label(wider.head.span, "this one holds whenever it does"),),
                    fixes=removal(context.unit.source, rule.span) if conditions_ == body else (),
                    help="remove it, or give the other one the condition that distinguishes the two cases",
                )
                break


_SPEC = (
    'spec book "Book a table at R for today at 18:30"\nimport apps.opentable\n'
    'allow Reserve(restaurant = "R", date = today, time = 18:30).\n'
    "done when Reserve earlier, ReserveResult(success = true).\n"
)
RULE = Rule(
    "L0023",
    "covered-clause",
    "rule that another one covers",
    "The rule has the head of another one and all of its conditions in addition to its own: whenever it holds, the "
    "other one does. Either it is left over, or the other one lacks the condition that should distinguish the two "
    "cases.",
    _SPEC
    + 'done when Reserve earlier, ReserveResult(success = true, message = "Enjoy"), ReserveResult(success = true), '
    "Reserve earlier.\n",
    _SPEC,
    find,
    fix="removes the second of two equal rules; else a condition of the other may be missing",
)
