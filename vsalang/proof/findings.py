"""Findings of the solver: each result as a diagnostic about the rules that it concerns."""

from collections.abc import Iterable
from dataclasses import replace

from vsalang.base.diagnostics import Diagnostic, Label, Severity, info, warning
from vsalang.base.diagnostics.display import count
from vsalang.program.grave import near_actions
from vsalang.program.ir import Judge, License, Lit, Program, Rule
from vsalang.program.show import short_name, title
from vsalang.program.text import join
from vsalang.proof.solver import (
    Alive,
    Clash,
    Conflict,
    ContestedClause,
    CoveredClause,
    Dead,
    Early,
    ForbiddenClause,
    Missing,
    OpenPoint,
    Result,
    Vacuous,
)
from vsalang.proof.solver.show import WRITTEN, state


def finding(program: Program, result: Result) -> Diagnostic:
    """A result as a finding."""
    rules = {rule.id: rule for rule in program.rules}
    if isinstance(result, Dead):
        return _dead(rules[result.rule], result)
    if isinstance(result, Missing):
        return _missing(program, rules, result)
    if isinstance(result, ContestedClause):
        return _contested(program, rules, result)
    if isinstance(result, ForbiddenClause):
        return _forbidden(rules, result)
    if isinstance(result, CoveredClause):
        return _covered(rules, result)
    if isinstance(result, Early):
        return _early(program, rules, result)
    if isinstance(result, Conflict):
        return _conflict(program, rules, result)
    if isinstance(result, Vacuous):
        return _vacuous(rules[result.rule], result)
    assert isinstance(result, OpenPoint)
    return _undecided(program, rules, result)


def lowered(program: Program) -> Iterable[Diagnostic]:
    """For each rule that lowers a level: what is asked about, or warned of, that is blocked otherwise."""
    for rule in program.lowered:
        (item,) = rule.body
        assert isinstance(item, Lit) and isinstance(rule.head, Judge)
        name = short_name(item.atom.relation)
        message = f"`{name}` is asked about where nothing licenses it, instead of blocked"
        if rule.head.level == "warn":
            others = join([short_name(each) for each in near_actions(rule, program.relations)], "or")
            message = f"the agent is warned of `{name}` where only {others} is licensed, instead of a block"
        span = rule.head_span or rule.span
        if span is not None:
            yield info("V0012", span, message, help=f"{rule.id} of {rule.module}: {WRITTEN.atom(item.atom)}")


def _dead(rule: Rule, result: Dead) -> Diagnostic:
    where = "" if result.bound is None else f" in states with up to {count(result.bound, 'row')} per relation"
    spans = [clash.span for clash in result.clashes if clash.span is not None]
    labels = tuple(
        Label(clash.span, _place(rule, clash)) for clash in result.clashes if clash.span is not None
    )
    unplaced = [clash.display for clash in result.clashes if clash.span is None]
    names = " and ".join(clash.noun or clash.display for clash in result.clashes)
    ending = (
        f": {names} cannot hold together"
        if len(result.clashes) > 1
        else f": {names} cannot hold"
        if names
        else ""
    )
    if len(result.clashes) > 2 or len(ending) > 160:
        ending = f": the {len(result.clashes)} marked conditions cannot hold together"
    return Diagnostic(
        "V0001",
        Severity.WARNING if result.bound is None else Severity.INFO,
        rule.head_span or rule.span,
        f"`{title(rule)}` never applies{where}{ending}",
        labels=labels,
        help=_advice(len(result.clashes), len(spans), unplaced),
    )


def _advice(clashes: int, placed: int, unplaced: list[str]) -> str:
    if not clashes:
        return "its conditions contradict what every state satisfies; remove the rule or change them"
    if not placed:
        return "change or remove " + " or ".join(dict.fromkeys(unplaced)) + ", or the rule"
    return f"change or remove {'one of the marked conditions' if clashes > 1 else 'the marked condition'}, or the rule"


def _place(rule: Rule, clash: Clash) -> str:
    """The label at a condition; empty inside the rule itself, where the underline is enough."""
    if clash.noun:
        return clash.text
    inside = rule.span is not None and clash.span is not None and clash.span.file == rule.span.file
    inside = inside and rule.span.start <= clash.span.start < rule.span.end  # type: ignore[union-attr]
    return "" if inside else f"`{clash.text}` comes from here"


def _forbidden(rules: dict[str, Rule], result: ForbiddenClause) -> Diagnostic:
    rule = rules[result.rule]
    denies = [rules[name] for name in result.denies]
    labels = tuple(
        Label(
            deny.head_span or deny.span,
            "this forbids it" if len(denies) == 1 else "this forbids a part of it",
        )
        for deny in denies
        if deny.span is not None
    )
    where = (
        "" if result.bound is None else f" (looked at with up to {count(result.bound, 'row')} per relation)"
    )
    return Diagnostic(
        "V0006",
        Severity.WARNING if result.bound is None else Severity.INFO,
        rule.head_span or rule.span,
        f"all that `{title(rule)}` allows is forbidden{where}",
        labels=labels,
        help="the task cannot be done under this rule: change what is asked for, or what is forbidden",
    )


def _contested(program: Program, rules: dict[str, Rule], result: ContestedClause) -> Diagnostic:
    rule, deny = rules[result.rule], rules[result.deny]
    place = deny.head_span or deny.span
    facts = "\n".join(f"  {line}" for line in state(program, result.world))
    return Diagnostic(
        "V0007",
        Severity.INFO,
        rule.head_span or rule.span,
        f"in some states `{deny.id}` forbids what `{title(rule)}` allows",
        labels=(Label(place, "this forbids it"),) if place is not None else (),
        help=f"say what is to be done then (`done when ..`), or ask for less, for example in this state:\n{facts}",
    )


def _covered(rules: dict[str, Rule], result: CoveredClause) -> Diagnostic:
    rule = rules[result.rule]
    where = (
        "" if result.bound is None else f" (looked at with up to {count(result.bound, 'row')} per relation)"
    )
    return Diagnostic(
        "V0008",
        Severity.WARNING if result.bound is None else Severity.INFO,
        rule.head_span or rule.span,
        f"this `{title(rule)}` adds nothing{where}: other clauses permit all that it permits",
        labels=_labels(
            (rules[name] for name in result.by), "this covers it" if len(result.by) == 1 else "part of it"
        ),
        help="remove it, or ask for more in the others",
    )


def _early(program: Program, rules: dict[str, Rule], result: Early) -> Diagnostic:
    rule, clause = rules[result.rule], rules[result.clause]
    assert isinstance(clause.head, License)
    ending = {name: rows for name, rows in result.world.rows.items() if name != clause.head.atom.relation}
    facts = "\n".join(f"  {line}" for line in state(program, replace(result.world, rows=ending)))
    return warning(
        "V0009",
        rule.head_span or rule.span,
        f"the task may be finished by what a screen shows, while `{title(clause)}` still applies and nothing was done",
        labels=_labels([clause], "this still applies"),
        help=f"ask for the action, too (`.. earlier`); for example in this state:\n{facts}",
    )


def _conflict(program: Program, rules: dict[str, Rule], result: Conflict) -> Diagnostic:
    rule, other = rules[result.rule], rules[result.other]
    facts = "\n".join(f"  {line}" for line in state(program, result.world))
    who = "this effect" if other is rule else "these effects"
    return warning(
        "V0010",
        rule.head_span or rule.span,
        f"{who} can write two values into `{result.attr}` in one step, which is blocked then",
        labels=_labels([] if other is rule else [other], "this writes another value"),
        help=f"let their conditions exclude each other; for example in this state:\n{facts}",
    )


def _vacuous(rule: Rule, result: Vacuous) -> Diagnostic:
    where = "" if result.bound is None else f" in states with up to {count(result.bound, 'row')} per relation"
    what = "is always met: it checks nothing" if result.always else "can never be met"
    return Diagnostic(
        "V0011",
        Severity.WARNING if result.bound is None else Severity.INFO,
        rule.head_span or rule.span,
        f"this contract {what}{where}",
        labels=tuple(Label(clash.span, "") for clash in result.clashes if clash.span is not None),
        help="change what is expected, or remove the contract",
    )


def _labels(rules: Iterable[Rule], text: str) -> tuple[Label, ...]:
    places = [rule.head_span or rule.span for rule in rules]
    return tuple(Label(place, text) for place in places if place is not None)


def _missing(program: Program, rules: dict[str, Rule], result: Missing) -> Diagnostic:
    first = rules[result.blocked[0].rule]
    span = first.head_span or first.span
    labels = tuple(Label(b.span, b.reason) for b in result.blocked if b.span is not None and b.span != span)
    label = next((b.reason for b in result.blocked if b.span == span), "")
    lines = (
        state(program, result.world)
        if result.done
        else ("// nothing was done yet", *state(program, result.world))
    )
    facts = "\n".join(f"  {line}" for line in lines)
    done = " and ".join(f"`{short_name(name)}`" for name in result.done)
    message = (
        f"after {done} no rule may apply: the agent can neither act nor finish"
        if result.done
        else "no rule may apply from the start: the agent can neither act nor finish"
    )
    return warning(
        "V0002" if result.done else "V0003",
        span,
        message,
        label=label,
        labels=labels,
        help=f"add a rule for this state (found with up to {count(result.bound, 'row')} per relation):\n{facts}",
    )


_NO_ANSWER = {
    "time": (" in {}", "give more time with --timeout, or fewer rows with --rows"),
    "memory": (" with {} of memory", "ask for fewer rows with --rows"),
    "incomplete": (" by the solver ({})", "try fewer rows with --rows, or a simpler pattern"),
}
"""Why the solver did not answer: what is added to the message, and what to do."""


def _undecided(program: Program, rules: dict[str, Rule], result: OpenPoint) -> Diagnostic:
    rule = rules.get(result.rule)
    clauses = [r for r in program.rules if r.module == program.main and r.span is not None]
    span = (
        (rule.head_span or rule.span)
        if rule
        else (clauses[0].head_span or clauses[0].span)
        if clauses
        else None
    )
    name = f"`{title(rule)}`" if rule else "the spec"
    if result.reason in _NO_ANSWER:
        where, remedy = _NO_ANSWER[result.reason]
        text = f"{name} was not decided{where.format(result.detail)}: {result.what}"
        return Diagnostic("V0005", Severity.INFO, span, text, help=remedy)
    why = f"was not analysed: {result.detail}"
    if result.reason == "assumed":
        why = f"is left open: a state was found, but it depends on {result.detail}, which the solver does not look into"
    return Diagnostic(
        "V0004", Severity.INFO, span, f"{name} {why}", help=f"nothing is known of {result.what}"
    )


def summary(program: Program, results: Iterable[Result]) -> str:
    """One line: what was looked at and what was found."""
    rules = len({result.rule for result in results if not isinstance(result, Missing) and result.rule})
    findings = sum(1 for result in results if not isinstance(result, Alive | OpenPoint))
    opened = sum(1 for result in results if isinstance(result, OpenPoint))
    what = count(findings, "finding") if findings else "nothing found"
    more = f", {count(opened, 'question')} left open" if opened else ""
    return f"verified {count(rules, 'rule')} of {program.main}: {what}{more}"
