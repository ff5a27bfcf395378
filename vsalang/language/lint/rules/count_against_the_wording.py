"""L0043: permissions for fewer or more acts than the instruction asks for."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, Label, warning
from vsalang.base.diagnostics.display import safe
from vsalang.base.source import Span
from vsalang.language.lint.instruction import place, quantities
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.mentions import mentions_of
from vsalang.language.lint.wording import NUMBERS, spaced, stem, unquoted
from vsalang.language.syntax import tree as t
from vsalang.program import ir
from vsalang.program.text import words
from vsalang.program.walk import parts

_MANY = re.compile(
    rf"\b(?P<number>both|{'|'.join(NUMBERS)}|\d{{1,2}})\s+(?P<noun>(?:[a-z-]+\s+){{0,2}}?[a-z]+s)\b",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"\b(?:all|every|each)\s+(?:of\s+)?(?:(?:the|my|our|your|his|her|their|these|those)\s+)?"
    r"(?P<noun>(?:[a-z-]+\s+){0,1}?[a-z]+)\b",
    re.IGNORECASE,
)
_OR = re.compile(r"\W*\bor\b\W*(?:(?:at|for|in|on|to|the)\s+)?", re.IGNORECASE)

Licences = Sequence[tuple[ir.Rule, ir.License]]


def find(context: Context) -> Iterable[Diagnostic]:
    """`allow` for one act where two or all are asked for, and for two where one or the other is."""
    doc = context.unit.tree.doc
    if context.kind != "spec" or doc is None:
        return
    by_action: dict[str, list[tuple[ir.Rule, ir.License]]] = {}
    for rule, head in context.licences():
        by_action.setdefault(head.atom.relation, []).append((rule, head))
    text = unquoted(doc.value)
    for action, licences in by_action.items():
        relation = context.program.relations[action]
        described = {stem(word.folded) for word in words(f"{spaced(relation.short)} {relation.doc}")}
        once = len(licences) == 1 and licences[0][1].quota.kind == "one"
        if once and relation.attrs and not _whole(licences[0][1].atom, relation):
            for match in _ALL.finditer(text):
                if described & {stem(word.folded) for word in words(match["noun"])}:
                    yield _finding(context, licences, match.group(), match.start(), "once", each=True)
                    break
        yield from _fewer(context, text, described, licences)
        yield from _both(context, doc.value, licences)


def _fewer(context: Context, text: str, described: set[str], licences: Licences) -> Iterator[Diagnostic]:
    total = sum(head.quota.n if head.quota.kind == "count" else 1 for _, head in licences)
    if any(head.quota.kind == "each" for _, head in licences):
        return
    for match in _MANY.finditer(text):
        phrase = match["number"].lower()
        number = 2 if phrase == "both" else NUMBERS.get(phrase) or int(phrase)
        last = next(reversed(list(words(match["noun"]))), None)
        if number == total or last is None or stem(last.folded) not in described:
            continue
        counted = len(licences) == 1 and licences[0][1].quota.kind == "count"
        if number < total and not (counted and len(list(_MANY.finditer(text))) == 1):
            continue  # several phrases may count together
        if number in mentions_of(context).numbers or _of_size(licences, number):
            continue
        yield _finding(
            context, licences, match.group(), match.start(), "once" if total == 1 else f"{total} times"
        )
        return


def _of_size(licences: Licences, number: int) -> bool:
    """Whether a set of so many values is among the conditions."""
    return any(
        isinstance(part, ir.Choice) and len(part.items) == number for part in parts(tuple(licences[0]))
    )


def _both(context: Context, text: str, licences: Licences) -> Iterator[Diagnostic]:
    """Two permissions whose heads differ in one value, of which the instruction says “or”."""
    counted = [(rule, head) for rule, head in licences if head.quota.kind == "count"]
    amounts = list(quantities(text))
    for index, (_, one) in enumerate(counted):
        for _, other in counted[index + 1 :]:
            mine, theirs = _constants(one.atom), _constants(other.atom)
            apart = [attr for attr in mine if attr in theirs and mine[attr] != theirs[attr]]
            if len(apart) != 1 or mine.keys() != theirs.keys():
                continue
            pair = {mine[apart[0]], theirs[apart[0]]}
            phrase = next(
                (
                    (a.start, b.end)
                    for a, b in pairwise(amounts)
                    if {a.value, b.value} == pair and _OR.fullmatch(text, a.end, b.start)
                ),
                None,
            ) or _texts_or(text, pair)
            if phrase is not None:
                yield _finding(
                    context,
                    [item for item in counted if item[1] in (one, other)],
                    text[slice(*phrase)],
                    phrase[0],
                    "both",
                )


def _texts_or(text: str, pair: set[object]) -> tuple[int, int] | None:
    names = sorted(name for name in pair if isinstance(name, str) and name)
    if len(names) != 2:
        return None
    one, other = map(re.escape, names)
    match = re.search(rf"({one}{_OR.pattern}{other}|{other}{_OR.pattern}{one})", text, re.IGNORECASE)
    return match.span() if match else None


def _constants(atom: ir.Atom) -> dict[str, object]:
    return {c.attr: c.term.value for c in atom.constraints if c.op == "=" and isinstance(c.term, ir.Const)}


def _whole(atom: ir.Atom, relation: ir.Relation) -> bool:
    """Whether a head fixes every parameter: then it is of one thing that all of the instruction may be in."""
    return {attr.name for attr in relation.attrs} <= _constants(atom).keys()


def _finding(
    context: Context, licences: Licences, phrase: str, start: int, how_often: str, *, each: bool = False
) -> Diagnostic:
    doc = context.unit.tree.doc
    rule, head = licences[0]
    span = rule.head_span or head.atom.span
    name = context.relation(head.atom).short
    labels = [Label(other.head_span, "and this one") for other, _ in licences[1:] if other.head_span]
    if doc is not None:
        at = place(doc, context.unit.source, doc.value, start, start + len(phrase))
        labels.append(Label(at, "said here"))
    both = how_often == "both"
    fixes: tuple[Fix, ...] = ()
    if both:
        # no fix writes `each` or a number: it would permit more
        edits = [_either(context, other) for other, _ in licences]
        fixes = (Fix("write `either` in both", tuple(edit for edit in edits if edit is not None)),)
    return warning(
        RULE.code,
        span,
        f"the instruction says “{safe(phrase, 60)}”, and "
        + (
            f"each of these permits `{name}`: both may be done"
            if both
            else f"`{name}` may be done {how_often}"
        ),
        labels=labels,
        help=f"write `allow either {name}(..)` in both"
        if both
        else f"write `allow each {name}(..)`"
        if each
        else f"write how often, as in `allow 2 {name}(..)`",
        fixes=fixes,
    )


def _either(context: Context, rule: ir.Rule) -> Edit | None:
    """The edit that writes `either` in place of the number of a permission."""
    head = context.tree_of(rule).head
    if not isinstance(head, t.AtomHead):
        return None
    span = Span(head.span.file, head.span.start, head.atom.span.start)
    written = context.unit.source.slice(span)
    kept = len("allow ") if written.startswith("allow ") else 0
    return Edit(Span(span.file, span.start + kept, span.end), "either ")


_SPEC = (
    'spec pair "Book two tables at R for today"\nimport apps.opentable\n'
    'allow {how}Reserve(restaurant = "R", date = today, time = ?t)\n'
    '  when Slot(restaurant = "R", date = today, time = ?t).\n'
    "done when {done}, ReserveResult(success = true).\n"
)
RULE = Rule(
    "L0043",
    "count-against-the-wording",
    "permission for fewer or more acts than are asked for",
    "`allow` permits one act. Where the instruction asks for two tables, or for all alarms, write how often: `allow 2 "
    "A`, `allow each A`. Where it leaves the choice between two values, two permissions with a number of their own "
    "permit both: `allow either A` in each permits one of them.",
    _SPEC.replace("{how}", "").replace("{done}", "Reserve earlier"),
    _SPEC.replace("{how}", "2 ").replace("{done}", "all Reserve"),
    find,
    fix="writes the smaller count; none permits more",
)
