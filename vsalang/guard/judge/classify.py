"""Says what a proposal is: which critical actions, where it leads, and what follows from it (`guard.md#P3`)."""

from collections.abc import Collection

from vsalang.guard.judge.judgement import NameJudgement, Tools
from vsalang.guard.judge.polarity import may_be
from vsalang.guard.judge.predict import recognized
from vsalang.guard.judge.refining import add_effects, drop, find_certain
from vsalang.guard.world.rule_book import relations_read
from vsalang.guard.world.rule_effects import hidden, most_specific, readable, writes
from vsalang.guard.world.session_state import Expectation
from vsalang.program.ir import Rule
from vsalang.program.values import row_order


def classify(judgement: NameJudgement) -> None:
    """P3 Classify: find the instances of actions that are proposed, their `goto` targets, and what will follow them.

    Actions are recognised in the predicted state, too; what P2 found counts as well.
    """
    whole, tools = judgement.whole, judgement.whole.tools
    moments, answers, firing = tools.moments, tools.answers, tools.book.firing
    if judgement.changed or judgement.deleted:
        now = recognized(tools, judgement.there, judgement.cells, whole.state.screen, whole.context)
        for action, rows in now.items():
            judgement.recognized.setdefault(action, set()).update(rows)
        known = {(each.action, each.row) for each in judgement.may_be}
        judgement.may_be += [each for each in may_be(judgement) if (each.action, each.row) not in known]
        find_certain(judgement)
    meant = tools.analysis.meant
    if meant is not None:
        drop(judgement, meant)
    count_instances(judgement)
    if meant is not None:
        add_effects(judgement, meant)
    # What really runs: claims of actions that would be recognised add duty and nothing else.
    runs = judgement.runs
    moments.actions(runs)
    judgement.acting = acting = judgement.there.union(runs) if runs else judgement.there
    judgement.targets = targets(tools, acting)
    moments.goto(judgement.targets)
    judgement.writes, judgement.deletes = writes(answers, firing.rules("consequence", acting), whole.context)
    judgement.awaited = tuple(
        Expectation(rule, answer, tuple(_actions_of(tools, rule, runs)))
        for rule in firing.rules("expect", acting)
        for answer in sorted(
            answers.answers(rule.id), key=lambda each: row_order((each.values, each.instance))
        )
    )
    generic = tools.analysis.generic
    judgement.own = bool(_described(judgement, generic) or whole.given["attempt"])
    judgement.known = _knows(judgement, generic)
    judgement.known_anywhere = judgement.known or (bool(generic) and _knows(judgement, frozenset()))


def _described(judgement: NameJudgement, generic: frozenset[str]) -> bool:
    """Whether a `recognize` rule of a module that is none of these finds an action."""
    program = judgement.whole.tools.program
    return any(program.relation(action).module not in generic for action in judgement.recognized)


def _knows(judgement: NameJudgement, generic: frozenset[str]) -> bool:
    """Whether a rule knows what the gesture is for. What generic modules say of every app takes no duty away."""
    program = judgement.whole.tools.program
    written = {each.relation for each in judgement.changed} | {each.relation for each in judgement.deleted}
    if _described(judgement, generic) or any(program.relation(n).module not in generic for n in written):
        return True
    leads = any(program.relation(screen).module not in generic for screen in judgement.targets)
    return leads and (judgement.own or not judgement.instances)


def count_instances(judgement: NameJudgement) -> None:
    """Set the instances that run, and all that need a licence.

    A parameter whose text hides something is unknown: an invisible letter makes another payee of it.
    Of several from one gesture the most specific. A claim that says no more than what was recognised adds nothing;
    that it says more takes no duty away. The claim of an action that no rule recognises is all that is known of it,
    so it counts as done when it is committed; of others only what is recognised does.
    """
    of_rules, claimed = judgement.recognized, judgement.whole.given
    for action in {*of_rules, *claimed["attempt"], *claimed["claim"]}:
        rows = most_specific(of_rules.get(action, set())) | set(claimed["attempt"].get(action, ()))
        every = set(rows)
        for claim in claimed["claim"].get(action, ()):
            if claim in most_specific({*rows, claim}):
                every.add(claim)
        if action not in judgement.whole.tools.book.recognized:
            rows = every
        if rows:
            judgement.runs[action] = sorted(map(readable, rows), key=row_order)
        if every:
            judgement.instances[action] = sorted(map(readable, every), key=row_order)
            attrs = judgement.whole.tools.program.relation(action).attrs
            if names := {attrs[column].name for row in every for column in hidden(row)}:
                judgement.hidden[action] = frozenset(names)


def targets(tools: Tools, there: frozenset[str]) -> list[str]:
    """The screens that `goto` rules lead to, where these gestures and actions are proposed."""
    rules = tools.book.firing.rules("goto", there)
    return sorted({rule.head.screen for rule in rules if tools.answers.answers(rule.id)})  # type: ignore[union-attr]


def _actions_of(tools: Tools, rule: Rule, runs: Collection[str]) -> list[str]:
    """The actions that run of which a contract is, also by another name of the same act."""
    program, meant = tools.program, tools.analysis.meant
    own = [n for n in relations_read(rule.body) if program.relation(n).sort == "action" and n in runs]
    return meant.linked(own, runs) if meant is not None else sorted(own)
