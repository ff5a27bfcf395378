"""Checks permissions: several `allow` rules for one action must fit together, and a spec must be able to act."""

from collections.abc import Iterable, Iterator, Mapping

from vsalang.base.diagnostics import Edit, Fix, Label
from vsalang.base.source import Span
from vsalang.language.semantics.report import Report
from vsalang.program import ir


def check_marks(rules: Iterable[ir.Rule], report: Report) -> None:
    """Check the rules of one module for one action: all are ``either``, or each has a number or ``each``."""
    groups: dict[tuple[str, str], list[ir.Rule]] = {}
    for rule in rules:
        if isinstance(rule.head, ir.License) and rule.head.atom.relation != "finish":
            groups.setdefault((rule.module, rule.head.atom.relation), []).append(rule)
    for (_, relation), group in groups.items():
        kinds = [rule.head.quota.kind for rule in group if isinstance(rule.head, ir.License)]
        if len(group) < 2 or ("one" not in kinds and not ("either" in kinds and len(set(kinds)) > 1)):
            continue
        short = relation.rpartition(".")[2]
        bare = [
            r
            for r in group
            if isinstance(r.head, ir.License) and (r.head.quota.kind == "one" or "one" not in kinds)
        ]
        place = bare[-1]
        fixes = []
        if "one" in kinds:
            for word, title in (
                ("either", "one of them, once: `allow either`"),
                ("1", "each of them once: `allow 1`"),
            ):
                fixes.append(Fix(title, tuple(_mark(r, word) for r in bare if r.head_span)))
        report.error(
            "E0504",
            place.head_span,
            f"{len(group)} rules allow `{short}`: say what they mean together",
            label="and this one" if len(group) == 2 else "",
            labels=[
                Label(r.head_span, "this rule allows it") for r in group if r is not place and r.head_span
            ],
            help=f"`allow either {short}` in each: one of them, once; "
            f"`allow 1 {short}` in each: every one of them once",
            fixes=fixes,
        )


def _mark(rule: ir.Rule, word: str) -> Edit:
    """The fix that inserts a word before the atom of an `allow` head."""
    assert isinstance(rule.head, ir.License)
    span = rule.head.atom.span or rule.head_span
    assert span is not None
    return Edit(Span(span.file, span.start, span.start), f"{word} ")


def check_acts(
    module: ir.ModuleInfo,
    header: Span,
    rules: list[ir.Rule],
    relations: Mapping[str, ir.Relation],
    report: Report,
    *,
    broken: bool,
) -> None:
    """Report a spec that can neither act nor end: its rules wait for actions that nothing allows."""
    own = [rule for rule in rules if rule.module == module.name and isinstance(rule.head, ir.License)]
    allows = [
        rule for rule in own if isinstance(rule.head, ir.License) and rule.head.atom.relation != "finish"
    ]
    dones = [
        rule for rule in own if isinstance(rule.head, ir.License) and rule.head.atom.relation == "finish"
    ]
    if module.kind == "spec" and not broken:
        if not allows and not dones:
            report.error(
                "E0503",
                header,
                f"the spec `{module.name}` can never act: it has no `allow` and no `done`",
                help="write what may be done (`allow ..`) and when the task is over (`done when ..`)",
            )
            return
        if not dones:
            report.warning(
                "W0501",
                header,
                f"the spec `{module.name}` has no `done`: the agent can never finish",
                help="write `done when ..`",
            )
    if not own:
        return
    licensed = {rule.head.atom.relation for rule in rules if isinstance(rule.head, ir.License)} - {"finish"}
    unbounded = {
        rule.head.atom.relation
        for rule in own
        if isinstance(rule.head, ir.License) and rule.head.quota.kind == "each"
    }
    derived: dict[str, list[ir.Rule]] = {}
    for rule in rules:
        if isinstance(rule.head, ir.Derive):
            derived.setdefault(rule.head.atom.relation, []).append(rule)
    can: set[str] = set()
    # an action that can happen only removes obstacles: what was not stuck before is never looked at again
    at_first = _stuck(can, relations, derived)
    derived = {name: own_rules for name, own_rules in derived.items() if name in at_first}
    licences = [rule for rule in rules if isinstance(rule.head, ir.License)]
    changed = True
    while changed:
        changed = False
        stuck_now = _stuck(can, relations, derived)
        for rule in licences:
            assert isinstance(rule.head, ir.License)
            if rule.head.atom.relation in can:
                continue
            if not _waits(rule.body, stuck_now):
                can |= _same_acts(rule.head.atom.relation, relations)
                changed = True
    cannot = _stuck(can, relations, derived)
    stuck: list[tuple[ir.Rule, str]] = []
    for rule in own:
        waits = _waits(rule.body, cannot)
        spents = [item for item in rule.body if isinstance(item, ir.Spent) and item.relation not in licensed]
        for item in spents:
            short = item.relation.rpartition(".")[2]
            report.error("E0503", item.span, f"`all {short}` never holds: nothing allows `{short}`")
        for item in (i for i in rule.body if isinstance(i, ir.Spent) and i.relation in unbounded):
            short = item.relation.rpartition(".")[2]
            report.error(
                "E0503",
                item.span,
                f"`all {short}` never holds: `allow each {short}` is never used up",
                help=f"give a number: allow 3 {short}, or ask for what should be there in the end",
            )
        if waits:
            stuck.append((rule, waits))
    # if something waits for what is itself stuck, only the latter is reported; of a circle, everything is
    roots = [item for item in stuck if item[1] not in licensed] or stuck
    all_dones = sum(rule in dones for rule, _ in stuck) == len(dones)
    for rule, waits in roots:
        _never(rule, waits, licensed, report, error=rule not in dones or all_dones)


def _same_acts(action: str, relations: Mapping[str, ir.Relation]) -> set[str]:
    """What happens when an action does: also the effect that it refines; of an effect, what refines it."""
    own = relations[action].refines
    licensed = {action} | ({own.action} if own is not None else set())
    return licensed | {
        n for n, each in relations.items() if each.refines is not None and each.refines.action == action
    }


def _never(rule: ir.Rule, waits: str, licensed: set[str], report: Report, *, error: bool) -> None:
    short = waits.rpartition(".")[2]
    assert isinstance(rule.head, ir.License)
    what = (
        "done"
        if rule.head.atom.relation == "finish"
        else f"allow {rule.head.atom.relation.rpartition('.')[2]}"
    )
    span = next(
        (i.span for i in rule.body if isinstance(i, ir.Lit) and i.atom.relation == waits and i.span),
        rule.head_span,
    )
    why = "nothing allows it" if waits not in licensed else "that waits for it in turn"
    emit = report.error if error else report.warning
    emit(
        "E0503" if error else "W0502",
        span,
        f"this `{what}` can never apply: it waits for `{short}`, and {why}",
        help=f"write `allow {short}(..)` too"
        if waits not in licensed
        else "one of them must be possible first",
    )


def _waits(body: Iterable[ir.Literal], stuck: Mapping[str, str]) -> str:
    """An action that the body waits for and that cannot happen; an empty text if there is none.

    `stuck`: for each action that cannot have happened, and each derived relation that depends on one in all its rules,
    the action.
    """
    for lit in _positive(body):
        if lit.atom.relation in stuck and (lit.past is not None or not _proposed(lit, stuck)):
            return stuck[lit.atom.relation]
    return ""


def _proposed(lit: ir.Lit, stuck: Mapping[str, str]) -> bool:
    """Whether the atom is an action itself: without an operator on the past it is the proposal, not a wait."""
    return stuck[lit.atom.relation] == lit.atom.relation


def _stuck(
    can: set[str], relations: Mapping[str, ir.Relation], derived: Mapping[str, list[ir.Rule]]
) -> dict[str, str]:
    """What cannot hold while only the actions in `can` happen (see `_waits`), by repetition until nothing changes."""
    names = {n: n for n, relation in relations.items() if relation.sort == "action" and n not in can}
    changed = True
    while changed:
        changed = False
        for name, rules in derived.items():
            if name in names:
                continue
            waits = [_waits(rule.body, names) for rule in rules]
            if waits and all(waits):
                names[name] = waits[0]
                changed = True
    return names


def _positive(body: Iterable[ir.Literal]) -> Iterator[ir.Lit]:
    for item in body:
        if isinstance(item, ir.Lit) and not item.neg:
            yield item
        elif isinstance(item, ir.Then):
            for part in item.parts:
                yield from _positive(part)
