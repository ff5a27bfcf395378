"""Checks that what is remembered never permits anything (E0508).

`Tried` may make a rule warn, ask or flag. It may not stand where it could allow an action, end a task, change what is
believed of an app, or keep a rule from warning and asking; neither may a definition that depends on it.
"""

from collections.abc import Iterable, Mapping

from vsalang.core import ir
from vsalang.core.vocabulary import MEMORIES, is_match
from vsalang.core.walk import Use, rule_uses
from vsalang.diagnostics import Label
from vsalang.records import dataclass
from vsalang.semantics.report import Report
from vsalang.semantics.strata import shown

_MAY: frozenset[str] = frozenset({"confirm", "warn", "flag"})
_HELP = (
    "`warn`, `confirm` and `flag` may read it: what was seen before may make you careful, and permits nothing"
)
_HELP_ADDS = "ask for a row of it, without `not`, and neither counted nor after `every` or `first`"


@dataclass(frozen=True, slots=True)
class _Read:
    """How a relation depends on memory: `use` in the rule that reads it, and whether more memory only adds rows."""

    use: Use
    adds: bool


def check_memories(rules: Iterable[ir.Rule], report: Report) -> None:
    """Report each rule that reads a memory and does more than warn, ask or flag."""
    rules = list(rules)
    remembered = _remembered(rules)
    if not any(name in MEMORIES for rule in rules for name in _names(rule)):
        return
    for rule in rules:
        head = rule.head
        if isinstance(head, ir.Derive) and not _decides(head):
            continue
        for use in rule_uses(rule):
            found = remembered.get(use.atom.relation)
            if found is None and use.atom.relation not in MEMORIES:
                continue
            adds = use.monotone and (found is None or found.adds)
            if isinstance(head, ir.Judge) and head.level in _MAY and adds:
                continue
            _tell(rule, use, found, report)
            break


def _names(rule: ir.Rule) -> Iterable[str]:
    return (use.atom.relation for use in rule_uses(rule))


def _decides(head: ir.Derive) -> bool:
    """Whether a head says which screen shows, which decides what rules are in force."""
    return is_match(head.atom.relation) or ":" in head.atom.relation


def _remembered(rules: Iterable[ir.Rule]) -> Mapping[str, _Read]:
    """The defined relations that depend on a memory, through whatever chain of definitions."""
    derived = [rule for rule in rules if isinstance(rule.head, ir.Derive) and not _decides(rule.head)]
    found: dict[str, _Read] = {}
    changed = True
    while changed:
        changed = False
        for rule in derived:
            assert isinstance(rule.head, ir.Derive)
            name = rule.head.atom.relation
            for use in rule_uses(rule):
                known = found.get(use.atom.relation)
                if known is None and use.atom.relation not in MEMORIES:
                    continue
                adds = use.monotone and (known is None or known.adds)
                if name not in found or (found[name].adds and not adds):
                    found[name] = _Read(use, adds)
                    changed = True
    return found


def _tell(rule: ir.Rule, use: Use, found: _Read | None, report: Report) -> None:
    name = shown(use.atom.relation)
    judges = isinstance(rule.head, ir.Judge) and rule.head.level in _MAY
    what = "a memory could keep this rule from speaking" if judges else f"{_kind(rule)} may not read a memory"
    through = "" if found is None else f": `{name}` depends on one"
    labels = [Label(found.use.span, "read here")] if found is not None and found.use.span is not None else []
    report.error("E0508", use.span, f"{what}{through}", labels=labels, help=_HELP_ADDS if judges else _HELP)


def _kind(rule: ir.Rule) -> str:
    """What a rule is called, with its article."""
    match rule.head:
        case ir.License(atom):
            return "`done`" if atom.relation == "finish" else "`allow`"
        case ir.Judge(level):
            return f"`{level}`"
        case ir.Recognize():
            return "`recognize`"
        case ir.Write(delete=delete):
            return "`delete`" if delete else "`update`"
        case ir.Goto():
            return "`goto`"
        case ir.Expect():
            return "`expect`"
        case ir.Mark(kind):
            return f"`{kind}`"
        case ir.Derive():
            return "a screen's rule"
