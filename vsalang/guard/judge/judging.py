"""Judges one proposal in its moments (steps P1 to P9, `guard.md#P1`) and leaves everything as it was."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal as OneOf
from typing import TypeAlias

from vsalang.engine.api import Evaluator, Row
from vsalang.engine.explain.match import Facts
from vsalang.engine.explain.terms import Context, quoted, typed
from vsalang.guard.judge.analysis import Analysis
from vsalang.guard.judge.covering import covering
from vsalang.guard.judge.licensing import Licensing, Used
from vsalang.guard.judge.unseen import set_not_seen
from vsalang.guard.judge.whereabouts import Whereabouts
from vsalang.guard.say.reasons import conflict_reason, judge_reason
from vsalang.guard.say.texts import say
from vsalang.guard.say.verdict import Proposal, Reason, Why, worst
from vsalang.guard.say.why import Explainer
from vsalang.guard.world.effects import (
    binding_of,
    bindings,
    instances,
    message,
    most_specific,
    of_a_gesture,
    relations_read,
    writes,
)
from vsalang.guard.world.moments import Moments
from vsalang.guard.world.state import Awaited, Judged, Snapshot
from vsalang.guard.world.store import Applied, CellWrite, RowDelete, World, apply, doubted, row_of
from vsalang.program.action import POINTING, Action
from vsalang.program.example import Level, Today
from vsalang.program.gestures import Name, Surface, commands, names, said
from vsalang.program.ir import Judge as JudgeHead
from vsalang.program.ir import License, Lit, Program, Rule
from vsalang.program.screen import Cells, Screen, Unresolved
from vsalang.program.similarity import doubtful, problem_of
from vsalang.program.text import line, safe
from vsalang.program.values import Value, row_order

_NOTHING = frozenset[str]()

Watch: TypeAlias = Callable[[OneOf["before", "judged", "after"], Evaluator, Facts], None]
"""Is shown each moment in which rules are read (`vsalang.guard.world.moments`) while the evaluator holds it; it must
not change anything. What it raises counts as an internal error."""


class Refused(Exception):
    """The proposal cannot be judged further; `reason` says why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.message)
        self.reason = reason


class Judging:
    """Judges proposals of one session.

    Holds no state of its own: what it remembers of a screen follows from that screen.
    """

    def __init__(
        self,
        read: Analysis,
        evaluator: Evaluator,
        moments: Moments,
        *,
        unknown_screen: Level,
        task: bool,
        watch: Watch | None = None,
    ) -> None:
        self.watch = watch
        self.program = read.program
        self._evaluator = evaluator
        self.answers = moments.answers
        self.book = read.book
        self.moments = moments
        self.licences = read.licences
        self.frontier = read.frontier
        self.licensing = Licensing(read.program, moments, read.licences, task=task)
        self.whereabouts = Whereabouts(read.program, read.imported, unknown_screen)
        self._relevance = read.relevance
        self._surface: Surface | None = None

    def judge(self, state: Snapshot, proposal: Proposal, context: Context, *, repeated: bool) -> Judged:
        """The outcome for a proposal. What raises in here must be taken as block.

        Args:
            state: what is committed; the evaluator holds its moment.
            proposal: what is proposed.
            context: the day and the clock.
            repeated: it is exactly the proposal that was warned of, and may pass.
        """
        judged = self._judge(state, proposal, context, repeated=repeated)
        problem = problem_of(context.similarity)
        if not problem:
            return judged
        # A rule that speaks against something may be silent because nobody answered, now or when a text was seen.
        return replace(
            judged,
            reasons=(
                Reason("unanswered", "block", say("reason.unanswered", problem=line(problem, 300))),
                *judged.reasons,
            ),
        )

    def _judge(self, state: Snapshot, proposal: Proposal, context: Context, *, repeated: bool) -> Judged:
        if state.screen is None:
            # What a screen would say against it could not be seen, whatever it is.
            return Judged((Reason("no_screen", "block", say("reason.no_screen")),))
        try:
            given = self._given(proposal)
            ways, typed_too = self._ways(state, proposal.gesture, context)
        except Refused as refused:
            return Judged((refused.reason,))
        results = []
        for way in ways:
            savepoint = self.moments.savepoint()
            try:
                name = way.gesture or None
                results.append(self._way(state, proposal, name, way.cells, given, context, repeated=repeated))
            finally:
                self.moments.rollback(savepoint)
        if any(result.known for result, way in zip(results, ways, strict=True) if way.role == "same"):
            # On a closed screen one name that a rule mentions is enough for a gesture that has several.
            results = [
                replace(result, reasons=tuple(r for r in result.reasons if r.kind != "closed"))
                if way.role == "same" and any(r.kind == "closed" for r in result.reasons)
                else result
                for result, way in zip(results, ways, strict=True)
            ]
        first = results[0] if typed_too is None else replace(results[0], typed=typed_too)
        if len(results) == 1:
            return first
        # Which node takes the touch is not certain: whatever one of them asks for is asked for.
        found = list(first.reasons)
        for other, way in zip(results[1:], ways[1:], strict=True):
            # of the many texts that a field may hold one is enough for each rule; but a yes gives back every licence
            # that was asked about, so each is named
            known = (
                {(r.rule, r.level) for r in found if r.rule and r.kind != "licence"} if way.only else set()
            )
            found += [r for r in other.reasons if r not in found and (r.rule, r.level) not in known]
        merged: tuple[dict[str, dict[Row, None]], ...] = ({}, {})
        for result in results:
            for into, instances_ in zip(merged, (result.runs, result.instances), strict=True):
                for name_, rows in instances_.items():
                    into.setdefault(name_, {}).update(dict.fromkeys(rows))
        world = first.world
        for other in results[1:]:
            # What the others would do may be done too: it is not believed, and nothing against it either.
            after = apply(
                self.program, other.world, other.writes, other.deletes, state.points + 2, observing=False
            )
            world = doubted(self.program, world, (*other.changes, *after.changes))
        grants = list(dict.fromkeys(grant for result in results for grant in result.grants))
        if first.gesture == "double_tap":
            # two touches: what the first of them does, the second may do again
            touches = [result for result, way in zip(results, ways, strict=True) if way.gesture == "tap"]
            grants += dict.fromkeys(grant for result in touches for grant in result.grants)
        returns = frozenset(number for result in results for number in result.returns)
        charged = [*state.charged(returns), *grants]
        if worst([r.level for r in found]) != "block" and not self.licences.bears(charged):
            found.append(Reason("licence", "block", say("reason.licence_touch")))
        return Judged(
            tuple(found),
            first.flags,
            first.gesture,
            first.cells,
            {name_: tuple(rows) for name_, rows in merged[0].items()},
            {name_: tuple(rows) for name_, rows in merged[1].items()},
            tuple(grants),
            world,
            first.changes,
            first.writes,
            first.deletes,
            self._awaited(results, ways),
            first.screens,
            tuple(dict.fromkeys(reason for result in results for reason in result.licensed)),
            returns,
            typed=typed_too,
        )

    def _awaited(self, results: Sequence[Judged], ways: Sequence[Name]) -> tuple[Awaited, ...]:
        """What is expected of a gesture that has several names; of a gesture that it only may be, nothing is."""
        found = {
            (item.rule.id, item.answer, item.actions): item
            for result, way in zip(results, ways, strict=True)
            for item in result.awaited
            if way.role == "same" or not of_a_gesture(self.program, item.rule)
        }
        return tuple(found.values())

    # ------------------------------------------------------------------ P1

    def _given(self, proposal: Proposal) -> dict[str, dict[str, list[Row]]]:
        """The instances that the proposal names: attempts and claims."""
        found: dict[str, dict[str, list[Row]]] = {"attempt": {}, "claim": {}}
        claims = (*proposal.claims, *commands(proposal.gesture))
        for kind, actions in (("attempt", proposal.attempts), ("claim", claims)):
            for action in actions:
                relation, row = self._instance(kind, action)
                found[kind].setdefault(relation, []).append(row)
        return found

    def _instance(self, kind: str, action: Action) -> tuple[str, Row]:
        names = [
            name
            for name, relation in self.program.relations.items()
            if relation.sort == "action" and action.name in (name, relation.short)
        ]
        exact = [name for name in names if name == action.name] or names
        if len(exact) != 1:
            words = say("reason.ambiguous" if exact else "reason.no_action", action=safe(action.name))
            reason = "claim" if kind == "claim" else "unresolved"
            raise Refused(Reason(reason, "block", words, names=frozenset({action.name})))
        relation = self.program.relation(exact[0])
        return relation.name, row_of(relation, self._arguments(action, relation.name))

    def _arguments(self, action: Action, relation: str) -> dict[str, Value]:
        known = {attr.name for attr in self.program.relation(relation).attrs}
        extra = sorted(action.args.keys() - known)
        if extra:
            text = say("reason.no_parameter", action=safe(action.name), names=", ".join(map(safe, extra)))
            raise Refused(Reason("unresolved", "block", text, names=frozenset({action.name})))
        declared = self.program.relation(relation)
        found: dict[str, Value] = {}
        given: Mapping[str, object] = action.args
        for name, value in given.items():
            if value is None:
                continue  # unknown
            type_ = declared.attr(name).type
            known_value = typed(value, type_)
            if known_value is None:
                text = say("reason.wrong_type", action=safe(action.name), name=name, type=str(type_))
                raise Refused(Reason("unresolved", "block", text, names=frozenset({action.name, name})))
            found[name] = known_value
        return found

    def _ways(
        self, state: Snapshot, gesture: Action | None, context: Context
    ) -> tuple[list[Name], Cells | None]:
        """The gesture under each of its names, with the attributes of what takes it, as proposed first; what it types.

        Names that no rule mentions are left out.
        """
        if gesture is None:
            return [Name("", {}, "same")], None
        own = self._resolved(state, gesture)
        assert state.screen is not None
        recent = state.recent.at_time(context.timeline or context.now)
        whole = any(name not in ("value", "x", "y") for name in gesture.args)
        others = [
            name
            for way in own
            for name in names(self._on(state.screen), way.gesture, way.cells, recent, whole=whole)
        ]
        typed_too = next((n.cells for n in (*own, *others) if n.gesture == "input_text" and not n.only), None)
        closed = any(self.program.relation(name).closed for name in state.shown)
        found = {(n.gesture, frozenset(n.cells.items())): n for n in reversed(others)}
        found |= {(n.gesture, frozenset(n.cells.items())): n for n in own}
        matter = self._relevance.matters
        rest = [n for n in reversed(found.values()) if n not in own and matter(n, context, closed=closed)]
        return [*own, *rest], typed_too

    def _on(self, screen: Screen) -> Surface:
        """A screen as gestures see it: remembered until another one is judged on."""
        if self._surface is None or self._surface.screen is not screen:
            self._surface = Surface(screen)
        return self._surface

    def _resolved(self, state: Snapshot, gesture: Action) -> list[Name]:
        """The gesture as it was proposed; twice if something else may take the touch."""
        relation = self.program.relations.get(gesture.name)
        if relation is None or relation.sort != "gesture":
            raise Refused(Reason("unresolved", "block", say("reason.no_gesture", action=safe(gesture.name))))
        assert state.screen is not None
        args = self._arguments(gesture, gesture.name)
        pointed = args.keys() - {"value", "direction", "duration", "x2", "y2"}
        if gesture.name not in POINTING or (gesture.name in ("swipe", "scroll") and not pointed):
            return [Name(gesture.name, said(gesture.name, args), "same")]
        try:
            target = state.screen.target(gesture.name, args)
        except Unresolved as error:
            problem = str(error)
            app = self.whereabouts.foreign(state)
            if app:
                problem = say("reason.in_front", problem=problem, app=quoted(app))
            words = say("reason.unresolved", gesture=gesture.name, problem=problem)
            raise Refused(Reason("unresolved", "block", words)) from error
        own = {name: value for name, value in args.items() if name not in pointed}
        cells = said(gesture.name, {**own, **target})
        ways = [Name(gesture.name, cells, "same")]
        if cells.get("covered") is True:
            other = said(gesture.name, {**own, **covering(state.screen, cells)})
            ways.append(Name(gesture.name, other))
        return ways

    # ------------------------------------------------------------------ P2 to P8

    def _way(
        self,
        state: Snapshot,
        proposal: Proposal,
        name: str | None,
        cells: Cells,
        given: Mapping[str, Mapping[str, list[Row]]],
        context: Context,
        *,
        repeated: bool,
    ) -> Judged:
        moments, answers, firing = self.moments, self.answers, self.book.firing
        moments.clock(context.now, context.timeline)
        moments.overridden(repeated)
        moments.gesture(name, cells)
        moments.actions({})
        moments.goto(())
        moments.licensed(())
        # before
        there = frozenset((name,)) if name is not None else _NOTHING
        inputs = [rule for rule in firing.rules("input", there) if self.reaches(rule, cells)]
        changed, deleted = writes(answers, inputs, context)
        recognized = self._recognized(there, context)
        spent = self.licences.all_spent(state.grants)
        if self.watch is not None:
            moments.settle()
            self.watch(
                "before",
                self._evaluator,
                moments.facts(context, state.world, state.world, state.committed, spent),
            )
        for fact in proposal.writes:
            values = _values(fact.cells, context)
            erased = frozenset(name for name, value in values.items() if value is None)
            changed.append(CellWrite(fact.relation, values, fact.keep, erased=erased))
        for fact in proposal.deletes:
            deleted.append(RowDelete(fact.relation, _values(fact.cells, context)))
        reasons: list[Reason] = []
        applied = Applied(state.world)
        if changed or deleted:
            applied = apply(self.program, state.world, changed, deleted, state.points + 2, observing=False)
            reasons = self._effects(applied)
            # judged
            moments.world(applied.world, state.world)
            for action, rows in self._recognized(there, context).items():
                recognized.setdefault(action, set()).update(rows)
        # What really runs: claims of actions that would be recognised add duty and nothing else.
        runs, found = self._instances(recognized, given)
        moments.actions(runs)
        acting = there.union(runs) if runs else there
        targets = self._targets(acting)
        moments.goto(targets)
        then, gone = writes(answers, firing.rules("consequence", acting), context)
        awaited = tuple(
            Awaited(rule, answer, tuple(a for a in _actions_of(self.program, rule) if a in runs))
            for rule in firing.rules("expect", acting)
            for answer in sorted(
                answers.answers(rule.id), key=lambda each: row_order((each.values, each.instance))
            )
        )
        own = recognized or given["attempt"]
        known = bool(recognized or changed or deleted or (targets and (own or not found)))
        flags: list[Reason] = []
        moments.licensed(self._licensed(state, runs, applied.world, context, spent))
        if found != runs:
            # A claim takes no duty away: what is said against the proposal without it counts too.
            facts = moments.facts(context, applied.world, state.world, state.committed, spent)
            judged, flags = self._judges(acting, lambda: Explainer(facts))
            reasons += judged
            moments.actions(found)
            acting = there.union(found)
            targets = sorted({*targets, *self._targets(acting)})
            moments.licensed(self._licensed(state, found, applied.world, context, spent))
        moments.goto(targets)
        facts = moments.facts(context, applied.world, state.world, state.committed, spent)
        if self.watch is not None:
            moments.settle()
            self.watch("judged", self._evaluator, facts)
        for into, more in zip((reasons, flags), self._judges(acting, lambda: Explainer(facts)), strict=True):
            into += [r for r in more if not any(o.rule == r.rule and o.message == r.message for o in into)]
        moments.licensed(())
        used = self.licensing.judge(state, found, Explainer(facts)) if found else Used()
        if "finish" in found:
            used += self.licensing.finish(state, applied.world, found["finish"], context, spent)
        reasons += used.reasons
        reasons += self._doubts(context)
        if not own:
            reasons += self.frontier.judge(applied.changes, state.grants, context, answers)
        if proposal.gesture is None or not self.whereabouts.passes_everywhere(proposal.gesture):
            reasons += self.whereabouts.reasons(state, name, known, facts)
        if then or gone:
            after = apply(self.program, applied.world, then, gone, state.points + 2, observing=False)
            reasons += self._effects(after)
        return Judged(
            tuple(reasons),
            tuple(flags),
            name,
            dict(cells),
            {action: tuple(rows) for action, rows in runs.items()},
            {action: tuple(rows) for action, rows in found.items()},
            used.grants,
            applied.world,
            applied.changes,
            tuple(then),
            tuple(gone),
            awaited,
            tuple(targets),
            used.licensed,
            used.returns,
            known=known,
        )

    def _licensed(
        self,
        state: Snapshot,
        found: Mapping[str, Sequence[Row]],
        world: World,
        context: Context,
        spent: frozenset[str],
    ) -> list[str]:
        """The short names of the proposed actions, if clauses allow every one of them now; else none."""
        rules = self.licences.rules
        if not found or "Licensed" not in self.book.read or any(not rules.get(action) for action in found):
            return []
        explainer = Explainer(self.moments.facts(context, world, state.world, state.committed, spent))
        used = self.licensing.judge(state, found, explainer)
        if used.reasons or "finish" in found:
            return []
        return [self.program.relation(action).short for action in found]

    def reaches(self, rule: Rule, cells: Cells) -> bool:
        """Whether a gesture is one in the rule's app: a touch in another app's window says nothing of it.

        As with `Node`, a rule that names the package itself is about other apps too.
        """
        package, packages = cells.get("package"), self.program.modules[rule.module].packages
        if package is None or "node" not in cells or not packages or package in packages:
            return True
        return any(
            isinstance(item, Lit)
            and self.program.relation(item.atom.relation).sort == "gesture"
            and any(constraint.attr == "package" for constraint in item.atom.constraints)
            for item in rule.body
        )

    def _targets(self, there: frozenset[str]) -> list[str]:
        rules = self.book.firing.rules("goto", there)
        return sorted({rule.head.screen for rule in rules if self.answers.answers(rule.id)})  # type: ignore[union-attr]

    def _instances(
        self, recognized: Mapping[str, set[Row]], given: Mapping[str, Mapping[str, list[Row]]]
    ) -> tuple[dict[str, list[Row]], dict[str, list[Row]]]:
        """The instances that run, and all that need a licence.

        Of several from one gesture the most specific. A claim that says no more than what was recognised adds nothing;
        that it says more takes no duty away. The claim of an action that no rule recognises is all that is known of it,
        so it counts as done when it is committed; of others only what is recognised does.
        """
        runs: dict[str, list[Row]] = {}
        found: dict[str, list[Row]] = {}
        for action in {*recognized, *given["attempt"], *given["claim"]}:
            rows = most_specific(recognized.get(action, set())) | set(given["attempt"].get(action, ()))
            every = set(rows)
            for claim in given["claim"].get(action, ()):
                if claim in most_specific({*rows, claim}):
                    every.add(claim)
            if action not in self.book.recognized:
                rows = every
            if rows:
                runs[action] = sorted(rows, key=row_order)
            if every:
                found[action] = sorted(every, key=row_order)
        return runs, found

    def _recognized(self, there: frozenset[str], context: Context) -> dict[str, set[Row]]:
        found: dict[str, set[Row]] = {}
        for rule in self.book.firing.rules("recognize", there):
            rows = instances(self.answers, rule, context, self.program)
            if rows:
                found.setdefault(rule.head.atom.relation, set()).update(rows)  # type: ignore[union-attr]
        return found

    def _effects(self, applied: Applied) -> list[Reason]:
        """Reasons against effects that contradict each other."""
        found = [conflict_reason(self.program, conflict, "block") for conflict in applied.conflicts]
        for skip in applied.skipped:
            relation = self.program.relation(skip.relation)
            missing = [name for name in relation.identity if skip.cells.get(name) is None]
            text = say("reason.untold", relation=relation.short, attrs=", ".join(missing))
            names = frozenset({relation.short, *missing})
            found.append(Reason("conflict", "block", text, rule=skip.rule, names=names))
        return found

    def _judges(
        self, there: frozenset[str], explainer: Callable[[], Explainer]
    ) -> tuple[list[Reason], list[Reason]]:
        """The judging rules that hold, where these gestures and actions are proposed."""
        reasons: list[Reason] = []
        flags: list[Reason] = []
        explains: Explainer | None = None
        for rule in self.book.firing.rules("judge", there):
            assert isinstance(rule.head, JudgeHead)
            for binding in bindings(self.answers, rule):
                explains = explains or explainer()
                reason = judge_reason(rule, message(rule, binding), explains.holding(rule, binding))
                target = flags if rule.head.level == "flag" else reasons
                if not any(other.rule == rule.id and other.message == reason.message for other in target):
                    target.append(reason)
        return reasons, flags

    def _doubts(self, context: Context) -> list[Reason]:
        """The first text that a rule compares and that is in doubt: the rule may be silent only because of it."""
        for name, attr in self.book.compared:
            column = self.program.relation(name).column(attr)
            for text in sorted(
                {cell for row in self.answers.rows(name) if isinstance(cell := row[column], str)}
            ):
                if why := doubtful(context.similarity, text):
                    words = say("reason.doubtful", text=safe(text), why=why)
                    return [Reason("doubtful", "confirm", words, names=frozenset({name, attr}))]
        return []

    # ------------------------------------------------------------------ after

    def recorded(self, explainer: Callable[[], Explainer]) -> list[Reason]:
        """The judging rules that hold in the moment that is assigned, in which nothing is proposed."""
        reasons, flags = self._judges(_NOTHING, explainer)
        return [*reasons, *flags]

    def goals(self, state: Snapshot, context: Context) -> list[tuple[Rule, bool, tuple[Why, ...]]]:
        """For each clause of the task whether its body holds now, and if not every condition that is not met."""
        savepoint = self.moments.savepoint()
        try:
            self.moments.clock(context.now, context.timeline)
            spent = self.licences.all_spent(state.grants)
            facts = self.moments.facts(context, state.world, state.world, state.committed, spent)
            explainer = Explainer(facts)
            whys = {
                rule.id: explainer.clause(rule, None, guess=True)
                for rule in self.book.licences
                if not _ends(rule)
            }
            explainer = self.licensing.doubting(state, state.world, context, spent)
            for rule in self.book.licences:
                if _ends(rule):
                    missing = explainer.clause(rule, None, guess=True)
                    whys[rule.id] = tuple(set_not_seen(why, state.unseen) for why in missing)
            found = [(rule, not whys[rule.id], whys[rule.id]) for rule in self.book.licences]
            return found
        finally:
            self.moments.rollback(savepoint)

    def binding(self, awaited: Awaited) -> dict[str, Value]:
        """The variables that the body of an `expect` rule bound."""
        return binding_of(self.answers, awaited.rule, awaited.answer)


def _ends(rule: Rule) -> bool:
    return isinstance(rule.head, License) and rule.head.atom.relation == "finish"


def _values(cells: Mapping[str, object], context: Context) -> dict[str, Value | None]:
    """The cells of a fact, ``today`` put in."""
    found: dict[str, Value | None] = {}
    for name, value in cells.items():
        if isinstance(value, Today):
            found[name] = context.today + dt.timedelta(days=value.days)
        else:
            found[name] = value  # type: ignore[assignment]
    return found


def _actions_of(program: Program, rule: Rule) -> list[str]:
    return sorted(name for name in relations_read(rule.body) if program.relation(name).sort == "action")
