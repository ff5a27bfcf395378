"""Builds a checked program from loaded modules: runs all checks in order, and reports all errors of each."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from vsalang.base.collector import no_collection
from vsalang.base.once import EqualItems
from vsalang.language.semantics.annotations import read_annotations
from vsalang.language.semantics.authority import check_authority
from vsalang.language.semantics.declare import declare, finish
from vsalang.language.semantics.edited_items import EditedItems
from vsalang.language.semantics.effects import Effects
from vsalang.language.semantics.examples import ExampleReader, reasons
from vsalang.language.semantics.grounds import check_grounds
from vsalang.language.semantics.inference import infer
from vsalang.language.semantics.licences import check_acts, check_marks
from vsalang.language.semantics.loader import Unit
from vsalang.language.semantics.lowered import lowered
from vsalang.language.semantics.meant_actions import relate_actions
from vsalang.language.semantics.memories import check_memories
from vsalang.language.semantics.readings import check_readings
from vsalang.language.semantics.refusals import check_refusals
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.rule_cache import checked_once
from vsalang.language.semantics.rules import RuleChecker
from vsalang.language.semantics.scope import Scope
from vsalang.language.semantics.screens import among_screens, declare_screens, screen_rules
from vsalang.language.semantics.strata import check_strata
from vsalang.language.syntax import tree as t
from vsalang.language.syntax.tokens import TokenError, decode_string
from vsalang.program import ir
from vsalang.program.example import Example
from vsalang.program.values import Value
from vsalang.program.vocabulary import VOCABULARY
from vsalang.program.walk import rule_uses

_RULES: Final[EqualItems[ir.Rule]] = EqualItems()
"""The rules that were made last: those of an app are the same objects in all its specs, so that what is found out of
them is found out once."""


@no_collection()
def build(units: list[Unit], main: Unit, report: Report) -> tuple[ir.Program | None, tuple[Example, ...]]:
    """Check all units (imports first) and make the program; the program is None if anything has an error."""
    scopes: dict[int, Scope] = {}
    wrong: set[int] = set()
    for unit in units:
        scope = declare(unit, scopes, report)
        scopes[id(unit)] = scope
        wrong |= check_authority(scope, report)
    ordered = list(scopes.values())
    _same_names(units, report)
    for scope in ordered:
        finish(scope, report)
        _lets(scope, report)
    infer(ordered, report)
    relations = dict(VOCABULARY)
    for scope in ordered:
        for symbol in scope.relations.values():
            if symbol.relation is not None:
                relations[symbol.name] = symbol.relation
        declare_screens(scope, relations, report)
        relate_actions(scope, relations, report)
    rules: list[ir.Rule] = []
    ids: dict[str, t.Rule] = {}
    edited = [EditedItems(scope, report) for scope in ordered]
    for scope, items in zip(ordered, edited, strict=True):
        rules.extend(checked_once(scope, ids, report, partial(_rules, scope, wrong, report, items)))
    rules = among_screens(rules, ordered, relations)
    own = tuple(screen_rules(ordered, relations))
    for rule in own:
        if rule.id in ids:
            report.error("E0205", ids[rule.id].head.span, f"the id `{rule.id}` is that of a screen's rule")
    rules.extend(own)
    # a relation whose declaration has an error is missing: rules that use it are not checked further
    rules = [rule for rule in rules if _relations_of(rule) <= relations.keys()]
    rules, lower = lowered(rules, relations, report)
    rules = [_RULES.of(rule.id, rule) for rule in rules]
    check_refusals(rules, relations, report)
    check_strata(rules, report)
    check_marks(rules, report)
    check_readings(rules, relations, report)
    Effects(rules, relations, report).check()
    check_grounds(rules, relations, report)
    check_memories(rules, report)
    infos = {unit.name: _info(unit) for unit in units}
    made = {rule.span for rule in rules}
    for unit in units:
        # if rules of a spec have errors, it may be able to act without them
        complete = not unit.broken and all(
            item.kind not in ("allow", "done") or item.span in made
            for item in unit.tree.items
            if isinstance(item, t.Rule) and id(item) not in wrong
        )
        if complete:
            check_acts(infos[unit.name], unit.tree.name.span, rules, relations, report, broken=unit.broken)
    examples = _examples(edited, ids, report)
    for items in edited:
        items.keep()
    if report.errors:
        return None, examples
    sources = [
        source for unit in units for source in (unit.source, *(each.source for each in unit.words.values()))
    ]
    digest = hashlib.sha256("\0".join(source.digest for source in sources).encode()).hexdigest()
    return ir.Program(main.name, infos, relations, tuple(rules), digest, lower), examples


def _relations_of(rule: ir.Rule) -> set[str]:
    head = rule.head
    names = {use.atom.relation for use in rule_uses(rule)}
    if isinstance(head, ir.Derive | ir.Recognize | ir.Mark | ir.Write | ir.License):
        names.add(head.atom.relation)
    return names


def _same_names(units: list[Unit], report: Report) -> None:
    seen: dict[str, Unit] = {}
    for unit in units:
        other = seen.setdefault(unit.name, unit)
        if other is not unit:
            report.error(
                "E0205",
                unit.tree.name.span,
                f"two modules of this program are called `{unit.name}`",
                help=f"the other is {other.source.file}",
            )


def _info(unit: Unit) -> ir.ModuleInfo:
    return ir.ModuleInfo(
        unit.name,
        unit.kind,
        unit.tree.doc.value if unit.tree.doc else "",
        tuple(p.value for p in unit.tree.packages),
        tuple(imported.name for imported in unit.imports.values()),
        unit.source.file,
        unit.tree.generic,
    )


def _circular(scope: Scope, let: t.Let) -> bool:
    seen: set[int] = set()
    place, item = scope, let
    while isinstance(item.value, t.Ref):
        if id(item) in seen:
            return True
        seen.add(id(item))
        lets = place.find_let(item.value.name)
        if len(lets) != 1:
            return False
        place, item = lets[0]
    return False


def _lets(scope: Scope, report: Report) -> None:
    """A constant names a literal or another constant."""
    from vsalang.language.semantics.terms import Terms
    from vsalang.language.semantics.types import Variables
    from vsalang.program.walk import variables

    for let in scope.lets.values():
        if isinstance(let.value, t.Ref) and _circular(scope, let):
            report.error("E0205", let.name.span, f"the constant `{let.name.text}` is defined by itself")
            continue
        if isinstance(let.value, t.Regex):
            Terms(scope, report, Variables()).regex(let.value)
            continue
        if isinstance(let.value, t.SetOf | t.Ref | t.WordsOf):
            continue  # typed where it is used: its members may be of any enum
        terms = Terms(scope, report, Variables())
        result = terms.term(let.value, None)
        if result is not None and (variables(result[0]) or isinstance(let.value, t.Call)):
            report.error(
                "E0312",
                let.value.span,
                "a constant is a value",
                help="functions and variables are possible in rules",
            )


# ---------------------------------------------------------------- rules and tests


def _rules(
    scope: Scope, wrong: set[int], report: Report, items: EditedItems, ids: dict[str, t.Rule]
) -> Iterable[ir.Rule]:
    checker = RuleChecker(scope, report)
    number = 0
    for item in scope.unit.tree.items:
        if not isinstance(item, t.Rule):
            continue
        number += 1
        annotations = read_annotations(item.annotations, report)
        rule_id = _rule_id(scope, item, annotations, number, ids, report)
        if id(item) in wrong:
            continue
        if item.kind == "define" and not _declared(scope, item):
            continue
        rule = items.once(item, None, partial(checker.rule, item, rule_id, annotations))
        if rule is not None:
            yield rule if rule.id == rule_id else replace(rule, id=rule_id)


def _declared(scope: Scope, item: t.Rule) -> bool:
    """Whether a `define` rule is one of the rules of its relation."""
    assert isinstance(item.head, t.AtomHead)
    symbol = scope.relations.get(item.head.atom.name.text)
    return symbol is not None and any(rule is item for rule in symbol.rules)


def _rule_id(
    scope: Scope,
    item: t.Rule,
    annotations: Mapping[str, tuple[Value, ...]],
    number: int,
    ids: dict[str, t.Rule],
    report: Report,
) -> str:
    id_annotation = annotations.get("id")
    rule_id = str(id_annotation[0]) if id_annotation else f"{scope.name}:{number}"
    if rule_id in ids:
        from vsalang.base.diagnostics import Label

        report.error(
            "E0205",
            item.head.span,
            f"two rules have the id `{rule_id}`",
            labels=[Label(ids[rule_id].head.span, "the first")],
        )
        return f"{scope.name}:{number}"
    ids[rule_id] = item
    return rule_id


_GIVEN_ID = re.compile(r'@\s*id\s*\(\s*("(?:[^"\\\n]|\\.)*")')


def _lost_ids(unit: Unit) -> Iterable[str]:
    """The ids of rules that did not parse: tests may name them, and their mistake was reported already.

    Rules without an id of their own are numbered, so in a broken file each of the next numbers may be meant.
    """
    if not unit.broken:
        return
    for raw in _GIVEN_ID.findall(unit.lost_text):
        try:
            yield decode_string(raw)[0]
        except TokenError:
            continue  # reported by the parser
    count = sum(isinstance(item, t.Rule) for item in unit.tree.items)
    lost = unit.lost_text.count(".")  # at least one period for each rule that was lost
    yield from (f"{unit.name}:{n}" for n in range(count + 1, count + lost + 1))


def _examples(
    edited: Sequence[EditedItems], ids: Mapping[str, t.Rule], report: Report
) -> tuple[Example, ...]:
    examples: list[Example] = []
    known = frozenset(ids).union(*(_lost_ids(items.scope.unit) for items in edited))
    for items in edited:
        scope = items.scope
        reader = ExampleReader(scope, known, report)
        names: dict[str, t.Test] = {}
        for item in scope.unit.tree.items:
            if not isinstance(item, t.Test):
                continue
            first = names.setdefault(item.name.value, item)
            if first is not item:
                report.error(
                    "E0205", item.name.span, f'two tests are called "{item.name.value}"', help="rename one"
                )
            named = frozenset(each.text for each in reasons(item.steps))
            example = items.once(item, named & known, partial(reader.read, item))
            if example is not None:
                examples.append(example)
    return tuple(examples)
