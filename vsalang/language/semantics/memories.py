"""Checks that what is remembered never permits anything (E0508), nor what a judge says, nor a kept answer (E0509).

`Tried` may make a rule warn, ask or flag; `Judged` and `Unjudged` may make it deny, too. They may not stand where they
could allow an action, end a task, change what is believed of an app, or keep a rule from applying; neither may a
definition that depends on them. `Answered` may also say what a touch is, and may be missing where a rule applies.
"""

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from vsalang.base.diagnostics import Label
from vsalang.base.records import dataclass
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.strata import label
from vsalang.program import ir
from vsalang.program.screen_rules import is_match
from vsalang.program.vocabulary import ANSWERS, MEMORIES, OPINIONS
from vsalang.program.walk import Use, rule_uses


@dataclass(frozen=True, slots=True)
class _Sort:
    """What is not evidence of what is so now, and which rules may read it.

    Attributes:
        code: of the error.
        noun: what it is called, with its article.
        may: the levels of rules that it may make speak.
        help: what may read it.
        recognizes: whether it may say what a touch is.
        missed: whether a rule that it may make speak may ask that there is none.
    """

    code: str
    noun: str
    may: frozenset[str]
    help: str
    recognizes: bool = False
    missed: bool = False


_MEMORY: Final = _Sort(
    "E0508",
    "a memory",
    frozenset({"confirm", "warn", "flag"}),
    "`warn`, `confirm` and `flag` may read it: what was seen before may make you careful, and permits nothing",
)
_OPINION: Final = _Sort(
    "E0509",
    "a judge's answer",
    frozenset({"deny", "confirm", "warn", "flag"}),
    "`deny`, `confirm`, `warn` and `flag` may read it: what a judge says may hold an action back, and permits nothing",
)
_ANSWER: Final = _Sort(
    "E0509",
    "a kept answer",
    frozenset({"deny", "confirm", "warn", "flag"}),
    "`recognize` and rules that hold an action back may read it: what a model says of a control permits nothing",
    recognizes=True,
    missed=True,
)
_SORTS: Final[Mapping[str, _Sort]] = {
    **dict.fromkeys(MEMORIES, _MEMORY),
    **dict.fromkeys(OPINIONS, _OPINION),
    **dict.fromkeys(ANSWERS, _ANSWER),
}
_Used: TypeAlias = tuple[ir.Rule, tuple[Use, ...]]
"""A rule with the atoms of its conditions."""
_HELP_ADDS = "ask for a row of it, without `not`, and neither counted nor after `every` or `first`"


@dataclass(frozen=True, slots=True)
class _RelationRead:
    """How a relation depends on such rows: `use` in the rule that reads it, and whether more of them only add rows."""

    use: Use
    adds: bool


def check_memories(rules: Iterable[ir.Rule], report: Report) -> None:
    """Report each rule that reads a memory, a judge's answer or a kept one, and does more than these may."""
    used = [(rule, tuple(rule_uses(rule))) for rule in rules]
    read = {use.atom.relation for _, uses in used for use in uses}
    for sort in dict.fromkeys(_SORTS[name] for name in _SORTS if name in read):
        _check(used, sort, report)


def _check(rules: Iterable[_Used], sort: _Sort, report: Report) -> None:
    dependent = _dependent(rules, sort)
    for rule, uses in rules:
        head = rule.head
        if isinstance(head, ir.Derive) and not _decides(head):
            continue
        if sort.recognizes and isinstance(head, ir.Recognize):
            continue
        for use in uses:
            read = dependent.get(use.atom.relation)
            if read is None and _SORTS.get(use.atom.relation) is not sort:
                continue
            adds = use.monotone and (read is None or read.adds)
            if isinstance(head, ir.Judge) and head.level in sort.may and (adds or sort.missed):
                continue
            _tell(rule, sort, use, read, report)
            break


def _decides(head: ir.Derive) -> bool:
    """Whether a head says which screen shows, which decides what rules are in force."""
    return is_match(head.atom.relation) or ":" in head.atom.relation


def _dependent(rules: Iterable[_Used], sort: _Sort) -> Mapping[str, _RelationRead]:
    """The defined relations that depend on rows of a sort, through whatever chain of definitions."""
    derived = [
        (rule.head.atom.relation, uses)
        for rule, uses in rules
        if isinstance(rule.head, ir.Derive) and not _decides(rule.head)
    ]
    reads: dict[str, _RelationRead] = {}
    changed = True
    while changed:
        changed = False
        for name, uses in derived:
            for use in uses:
                known = reads.get(use.atom.relation)
                if known is None and _SORTS.get(use.atom.relation) is not sort:
                    continue
                adds = use.monotone and (known is None or known.adds)
                if name not in reads or (reads[name].adds and not adds):
                    reads[name] = _RelationRead(use, adds)
                    changed = True
    return reads


def _tell(rule: ir.Rule, sort: _Sort, use: Use, read: _RelationRead | None, report: Report) -> None:
    name = label(use.atom.relation)
    judges = isinstance(rule.head, ir.Judge) and rule.head.level in sort.may
    what = (
        f"{sort.noun} could keep this rule from applying"
        if judges
        else f"{_kind(rule)} may not read {sort.noun}"
    )
    through = "" if read is None else f": `{name}` depends on one"
    labels = [Label(read.use.span, "read here")] if read is not None and read.use.span is not None else []
    report.error(
        sort.code,
        use.span,
        f"{what}{through}",
        labels=labels,
        help=_HELP_ADDS if judges else sort.help,
    )


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
