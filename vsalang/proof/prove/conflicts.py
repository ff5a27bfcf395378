"""What a task asks for that a policy forbids or asks about, always or in some states; and rules that cannot apply."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vsalang.base.diagnostics.display import count
from vsalang.base.records import dataclass
from vsalang.program.example import Example
from vsalang.program.grave import near_actions
from vsalang.program.ir import Judge, License, Lit, Program, Rule
from vsalang.program.show import short_name
from vsalang.program.walk import relations, uses
from vsalang.proof.prove.around import required_actions
from vsalang.proof.prove.differing import Asking, Search, Side, needed_rows
from vsalang.proof.prove.results import Conflict, Idle, LoweredLevel, OpenConflict, SkippedRule
from vsalang.proof.prove.runs import judges_gestures
from vsalang.proof.prove.stories import expecting, named, run
from vsalang.proof.prove.time import Time, TimeIsUp
from vsalang.proof.solver.dead import dead_rule
from vsalang.proof.solver.joint import Joint, holds
from vsalang.proof.solver.query import NoAnswer
from vsalang.proof.solver.results import Dead, UnsupportedConstruct
from vsalang.proof.solver.scan import MOST_ROWS, asks_other, same_act, size
from vsalang.proof.solver.show import WRITTEN
from vsalang.proof.solver.sorts import neg


def conflicts(
    task: Program,
    guarded: Program,
    *,
    seconds: float = 120.0,
    each: float = 5.0,
    progress: Callable[[str], None] = lambda text: None,
) -> Iterator[Conflict | Idle | LoweredLevel | SkippedRule | OpenConflict]:
    """Ask of each clause of a task and each rule of the policies whether they meet.

    Args:
        task: the spec alone.
        guarded: the spec with the policies in force.
        seconds: for all questions together.
        each: seconds for one question to the solver.
        progress: is told what is being looked at.
    """
    time = Time(seconds, round(each * 1000))
    clauses = [r for r in task.rules if r.module == task.main and isinstance(r.head, License)]
    policies = {name for name, module in guarded.modules.items() if module.kind == "policy"}
    rules = [r for r in guarded.rules if r.module in policies and isinstance(r.head, Judge)]
    for rule in guarded.lowered:
        (item,) = rule.body
        assert isinstance(item, Lit)
        others = near_actions(rule, guarded.relations)
        yield LoweredLevel(rule.id, item.atom.relation, WRITTEN.atom(item.atom), others)
    forbidden: dict[str, str] = {}
    open_: list[tuple[Rule, OpenConflict]] = []
    for rule in rules:
        assert isinstance(rule.head, Judge)
        progress(rule.id)
        why = _idle(task, guarded, rule, time)
        if why:
            yield Idle(rule.id, why)
            continue
        if rule.head.level == "flag":
            continue  # it changes no verdict
        if judges_gestures(guarded, rule):
            yield SkippedRule(
                rule.id, "it judges gestures; which of them the task needs, only the screens say"
            )
            continue
        allowed = {name for clause in clauses for name in relations(clause.head)}
        missing = required_actions(guarded, rule) - {n for name in allowed for n in same_act(guarded, name)}
        if missing:
            names = " and ".join(sorted(f"`{short_name(name)}`" for name in missing))
            yield SkippedRule(rule.id, f"it asks for {names}, which no clause of this task allows")
            continue
        for clause in clauses:
            result = _meet(task, guarded, clause, rule, time)
            if isinstance(result, Conflict) and result.how == "always" and result.level == "deny":
                forbidden.setdefault(clause.id, rule.id)
            if isinstance(result, OpenConflict):
                open_.append((clause, result))
            elif result is not None:
                yield result
    for clause, left in open_:
        yield _after_forbidden(left, clause, clauses, forbidden)


def _after_forbidden(
    left: OpenConflict, clause: Rule, clauses: Sequence[Rule], forbidden: Mapping[str, str]
) -> OpenConflict:
    """What is not decided, with the reason that an action which must be done before is never permitted."""
    before = {
        literal.atom.relation
        for literal in clause.body
        if isinstance(literal, Lit) and literal.past is not None and not literal.neg
    }
    for action in sorted(before):
        allowing = [other for other in clauses if action in relations(other.head)]
        if allowing and all(other.id in forbidden for other in allowing):
            rules = sorted({forbidden[other.id] for other in allowing})
            why = f"it comes after `{short_name(action)}`, which {' and '.join(rules)} always forbids"
            return replace(left, why=why)
    return left


def _meet(
    task: Program, guarded: Program, clause: Rule, rule: Rule, time: Time
) -> Conflict | OpenConflict | None:
    assert isinstance(rule.head, Judge) and isinstance(clause.head, License)
    if asks_other(guarded, rule, clause.head.atom.relation):
        return None
    search = _Meeting(clause, Side(task, (clause,)), Side(guarded, (rule,)), time)
    try:
        rows = min(size(task, clause).rows + size(guarded, rule).rows, MOST_ROWS)
        asking = search.asking(rows)
        if not asking.check(asking.plain()):
            return OpenConflict(clause.id, rule.id, "a definition is recursive") if search.cut else None
        seen = search.difference(asking)
        if seen is None:
            return OpenConflict(
                clause.id, rule.id, "a state was found in which they seem to meet, but no test that shows it"
            )
        story = named(expecting(seen.story, seen.there, [rule.id]), seen.story.name)
        rows, exact = needed_rows(task, clause, search.there)
        apart = search.apart(rows)
        always = not apart.check(apart.plain()) and not search.cut
    except UnsupportedConstruct as error:
        return OpenConflict(clause.id, rule.id, f"the solver does not look into {error}")
    except NoAnswer as error:
        return OpenConflict(clause.id, rule.id, error.sentence)
    except TimeIsUp:
        return OpenConflict(clause.id, rule.id, "the time was not enough")
    bound = rows if always and not exact else None
    return Conflict(clause.id, rule.id, rule.head.level, "always" if always else "sometimes", story, bound)


@dataclass(eq=False)
class _Meeting(Search):
    """The search for a state in which a clause permits what a rule of a policy speaks against."""

    def asking(self, rows: int) -> Asking:
        """The question whether they meet."""
        query, base, rule = self._both(rows)
        return Asking(query, [base, rule, *self._alone(query)], self)

    def apart(self, rows: int) -> Asking:
        """The question whether the clause permits something that the rule says nothing of."""
        query, base, rule = self._both(rows)
        return Asking(query, [base, neg(rule), *self._alone(query)], self)

    def _alone(self, query: Joint) -> list[Any]:
        assert isinstance(self.rule.head, License)
        return query.alone(self.rule.head.atom.relation)

    def _both(self, rows: int) -> tuple[Joint, Any, Any]:
        (rule,) = self.there.rules
        query = Joint(
            self.here.program,
            [self.rule, *self.judging(self.here.program)],
            rows,
            self.time.next(),
            others=[(self.there.program, [rule, *self.judging(self.there.program)])],
        )
        mine, other = query.states
        return query, holds(mine, self.rule, self.cut), holds(other, rule, self.cut)

    def judging(self, program: Program) -> list[Rule]:
        """Other rules that speak against it."""
        others = {rule.id for rule in self.there.rules}
        return [rule for rule in super().judging(program) if rule.id not in others]

    def tells(self, story: Example, here: str, there: str) -> bool:
        """Whether the policy's rule is what makes the verdict another."""
        last = run(self.there.program, story).last
        (rule,) = self.there.rules
        named_ = last is not None and last.verdict is not None and last.verdict.because(rule.id)
        return super().tells(story, here, there) and named_


# ---------------------------------------------------------------- rules that cannot apply


def _idle(task: Program, guarded: Program, rule: Rule, time: Time) -> str:
    """Why a rule can never apply; empty if it can, or if that is not known."""
    needed = {
        relation.module
        for name in _positive(rule)
        if (relation := guarded.relations.get(name)) is not None and relation.module
    }
    apps = {name for name, module in guarded.modules.items() if module.kind == "app"}
    foreign = sorted(module for module in needed & apps if module not in task.modules)
    if foreign:
        return f"it needs {' and '.join(foreign)}, which this task does not load"
    try:
        result = dead_rule(guarded, rule, timeout=time.next())
    except TimeIsUp:
        return ""
    if not isinstance(result, Dead):
        return ""
    bound = (
        "" if result.bound is None else f" (looked at with up to {count(result.bound, 'row')} per relation)"
    )
    clash = " and ".join(clash.display for clash in result.clashes)
    return f"its conditions never hold together{f': {clash}' if clash else ''}{bound}"


def _positive(rule: Rule) -> set[str]:
    """The relations of which a rule asks for a row."""
    return {use.atom.relation for use in uses(rule.body) if not use.negated}
