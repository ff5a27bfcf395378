"""L0049: a list that is called complete, although what is typed or chosen decides what it shows."""

import re
from collections.abc import Iterable, Iterator

from vsalang.base.diagnostics import Diagnostic, Label, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.walk import texts_of
from vsalang.language.lint.wording import spaced
from vsalang.program import ir
from vsalang.program.screen_rules import is_match, screen_of
from vsalang.program.walk import Use, constants, rule_uses, uses


def find(context: Context) -> Iterable[Diagnostic]:
    """`complete` without a value of a field or a tab that the same screen has."""
    if context.kind != "app":
        return
    filters = dict(_filters(context))
    for rule in context.rules:
        if not isinstance(rule.head, ir.Mark) or rule.head.kind != "complete" or rule.head.atom.constraints:
            continue
        ids = set(_ids(rule))
        screens = {name for name, visible in _screens(context) if ids & visible}
        relation = context.relation(rule.head.atom)
        for view, how in filters.items():
            chosen = context.program.relations[view]
            # a state has no screen: it counts where there is one screen, and its words are of a search
            there = screens & set(chosen.on) if chosen.sort == "view" else bool(screens)
            if not there or view == relation.name:
                continue
            if any(use.atom.relation == view for use in uses(rule.body)):
                continue
            attr = chosen.attrs[0].name
            yield warning(
                RULE.code,
                rule.head_span or rule.span,
                f"which rows of `{relation.short}` show depends on `{chosen.short}`: these need not be all",
                label=f"whatever is {how}",
                labels=(Label(chosen.span, f"this is {how} on the same screen"),) if chosen.span else (),
                help=f"give its rows the value of `{chosen.short}.{attr}`, `in` or `key`, and write "
                f"`complete {relation.short}({attr} = ?x) when {chosen.short}({attr} = ?x), ..`",
            )
            break


def _filters(context: Context) -> Iterator[tuple[str, str]]:
    """The views that hold a chosen tab, or what is typed and no action submits, with how they get their value."""
    submitted = {
        use.atom.relation
        for rule in context.program.rules
        if isinstance(rule.head, ir.Recognize)
        for use in uses(rule.extra)
    }
    for rule in context.rules:
        if not isinstance(rule.head, ir.Write) or rule.head.delete:
            continue
        relation = context.relation(rule.head.atom)
        searched = relation.sort == "state" and bool(
            _SEARCH.search(f"{spaced(relation.short)} {relation.doc}")
        )
        if not (searched or (relation.sort == "view" and relation.on)) or not relation.attrs:
            continue
        for use in _seen_through(context, rule):
            described = {c.attr: c for c in use.constraints}
            if _true(described.get("selected")) and any(isinstance(c.term, ir.Var) for c in use.constraints):
                yield relation.name, "chosen"
            elif relation.name not in submitted and (
                _true(described.get("editable")) or use.atom.relation == "input_text"
            ):
                yield relation.name, "typed"


def _seen_through(context: Context, rule: ir.Rule) -> Iterator[Use]:
    """The atoms of a rule, and those of the definitions that they use."""
    waiting, visited = [rule], set[str]()
    while waiting:
        for use in rule_uses(waiting.pop()):
            yield use
            name = use.atom.relation
            if name not in visited:
                visited.add(name)
                waiting += [
                    other
                    for other in context.rules
                    if isinstance(other.head, ir.Derive) and other.head.atom.relation == name
                ]


_SEARCH = re.compile(
    r"\b(?:search\w*|quer(?:y|ies)|filter\w*|find|finder|looked for|look up|lookup|needle)\b", re.IGNORECASE
)


def _true(constraint: ir.Constraint | None) -> bool:
    return constraint is not None and any(each.value is True for each in constants(constraint.term))


def _ids(rule: ir.Rule) -> Iterator[str]:
    for use in rule_uses(rule):
        for constraint in use.constraints:
            if constraint.attr == "id":
                yield from texts_of(constraint)


def _screens(context: Context) -> Iterator[tuple[str, set[str]]]:
    """Each screen with the ids by which one of its rules knows it."""
    for rule in context.rules:
        if isinstance(rule.head, ir.Derive) and is_match(rule.head.atom.relation):
            yield screen_of(rule.head.atom.relation), set(_ids(rule))


_APP = (
    'app find package "com.find" "A search for songs"\nimport std.lists\n'
    'screen Found "what was found" when Node(id = "hits").\n'
    'view Query on Found "What is searched" {\n  text: Text "the words"\n}\n'
    'update Query(text = ?t) when Node(id = "query", editable = true, text = ?t).\n'
    'list Hit{within} key (name) "A song" {\n{attr}  name: Text "its name"\n}\n'
    'update Hit(row = ?r, {query}name = ?n) when Node(id = "hit", node = ?r, text = ?n){typed}.\n'
    'complete Hit{values} when Node(id = "hits", node = ?l), Fits(node = ?l){typed}.\n'
)


def _filled(**parts: str) -> str:
    text = _APP
    for name in ("within", "attr", "query", "typed", "values"):
        text = text.replace("{" + name + "}", parts.get(name, ""))
    return text


RULE = Rule(
    "L0049",
    "complete-of-a-part",
    "list that is complete only for what is typed or chosen",
    "`complete` says that what is shown is all there is. Where a field filters the list, or a tab chooses another "
    "one, that is so only for this word or this tab: `no Hit(..)` would hold of everything that it hides. Give the "
    "rows the word or the tab as a key, and say for which value the list is complete.",
    _filled(),
    _filled(
        within=" in (query)",
        attr='  query: Text "the words that were searched"\n',
        query="query = ?q, ",
        typed=", Query(text = ?q)",
        values="(query = ?q)",
    ),
    find,
    fix="none: the rows need an attribute that is not declared",
)
