"""What an observation does: the history point of the commit before it, contracts, beliefs, and the state afterwards.

In the order of `guard.md#the-order-of-an-observation`.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import replace

from vsalang.engine.api import Commit, Evaluator, Row
from vsalang.engine.explain.match import Facts, known_cells
from vsalang.engine.explain.terms import Context
from vsalang.guard.judge.judgement import Watch
from vsalang.guard.judge.judging_steps import Judging
from vsalang.guard.judge.licences import Grant, Licences
from vsalang.guard.judge.unseen import predicted as unseen_of
from vsalang.guard.judge.unseen import still_unseen
from vsalang.guard.say.verdict import Became, Contract, ObservationResult
from vsalang.guard.say.why import Explainer
from vsalang.guard.world.beliefs import Change, World, apply
from vsalang.guard.world.clock import Times
from vsalang.guard.world.expected_effects import outcome, reads_before
from vsalang.guard.world.joining import Motion
from vsalang.guard.world.moments import Moments
from vsalang.guard.world.observing import KnownWorld, Observing, Reconciliation
from vsalang.guard.world.other_parameters import made_again, other_parameters
from vsalang.guard.world.rule_book import of_a_gesture, relations_read
from vsalang.guard.world.rule_effects import binding_of
from vsalang.guard.world.session_state import Charge, Expectation, JudgedProposal, Outcome, Running, Snapshot
from vsalang.guard.world.views_by_app import ViewsByApp, without_views
from vsalang.program.action import Action
from vsalang.program.gestures import scrolls
from vsalang.program.ir import Program, Rule
from vsalang.program.screen import Screen, in_front, knows
from vsalang.program.similarity import Similarity


class Outcomes:
    """Takes observations in for one session. Holds no state of its own: it is given one, and gives the next.

    Args:
        similarity: who answers ``~=``.
    """

    def __init__(
        self,
        program: Program,
        evaluator: Evaluator,
        moments: Moments,
        licences: Licences,
        *,
        judging: Judging,
        observing: Observing,
        today: dt.date,
        similarity: Similarity,
        watch: Watch | None,
    ) -> None:
        self.program = program
        self._evaluator = evaluator
        self._moments = moments
        self._licences = licences
        self._judging = judging
        self._observing = observing
        self._views = ViewsByApp(program)
        self._today = today
        self._similarity = similarity
        self._watch = watch

    def assign(self, state: Snapshot, *, again: bool = True) -> None:
        """Assign the moment of what is committed to the evaluator; `again`: what it holds is not known any more."""
        moments = self._moments
        if again:
            moments.restart()
        moments.overridden(False)
        moments.gesture(None, None)
        moments.actions({})
        moments.goto(())
        moments.screen(state.compared, state.points)
        moments.given_screens(state.screens_given, state.points)
        moments.world(state.world)
        moments.settle()
        self._commits(state)

    def observe(
        self,
        state: Snapshot,
        running: Running | None,
        screen: Screen | None,
        delivered: bool | None,
        seen: KnownWorld,
        now: Times,
    ) -> tuple[Snapshot, ObservationResult]:
        """Apply an observation: the state after it, and what it changed. An error in here ends the session.

        Args:
            state: what is committed; the evaluator holds its moment.
            running: the action under way, if there is one.
            screen: as it is now; None: it could not be taken.
            delivered: whether the action under way reached the device; None: not known.
            seen: what is known in addition to the screen.
            now: what the guard's clocks say.
        """
        if screen is None:
            # What could not be looked at says nothing: least of all that something is not there.
            seen = replace(seen, rules=False)
        if running is not None and delivered is not False:
            state = self._point_of_commit(state, running)
        judged = running.judged if running is not None and delivered is not False else None
        screens = state.screens_given if seen.screens is None else seen.screens
        counts = state.screens_count or seen.screens is not None
        point = state.points + 1
        context = Context(self._today, now.clock, self._similarity, now.timeline)

        typing = _typing(state, judged, screen)
        motion = _motion(running.judged if running is not None else None, delivered, state.screen)
        acted = state.acted
        if running is not None and delivered is not False and state.screen is not None:
            acted = (state.screen, motion is not None and bool(motion.direction))
        if screen is not None and acted is not None:
            compared: Screen | None = screen.since(acted[0], scrolled=acted[1])
        else:
            compared = screen

        front, aside = state.front, state.aside
        if self._views and screen is not None:
            front = in_front(screen)

        def reconcile(taken_back: frozenset[str]) -> tuple[Reconciliation, tuple[Change, ...]]:
            nonlocal aside
            base, predicted = self._base(state, judged, taken_back)
            if front != state.front:
                base, aside = self._views.change(base, state.aside, state.front, front)
            reconciled = self._observing.reconcile(
                base,
                compared,
                screens,
                seen,
                point,
                context,
                screens_count=counts,
                predicted=predicted,
                motion=motion,
                windows=state.windows,
                proves=not typing,
            )
            return reconciled, predicted

        result, predicted = reconcile(frozenset())
        awaited = judged.awaited if judged is not None else ()
        acted_on = acted[0] if acted is not None else None
        contracts = self._contracts(
            awaited, state, result, context, counts, compared, screens=screens, acted_on=acted_on
        )
        unchanged = bool(acted_on and compared and acted_on.fingerprint == compared.fingerprint)
        awaited, contracts = _without_idle_refusals(awaited, contracts, delivered, unchanged=unchanged)
        unlike = any(self._doubts(item.rule, c) for item, c in zip(awaited, contracts, strict=True))
        if delivered is None:
            # What may not have happened yet refutes nothing.
            contracts = [
                replace(c, outcome="inconclusive") if c.outcome == "violated" else c for c in contracts
            ]
        changed: Mapping[str, tuple[Became, ...]] = {}
        if judged is not None and delivered and seen.touched != "gone":
            changed = self._other_parameters(judged, state.screen, compared, context)
        seen_now = replace(seen, touched="moved") if changed else seen
        missed = _missed(judged, contracts, seen_now, delivered)
        changed = {action: outcomes for action, outcomes in changed.items() if action in missed}
        if not changed and seen.touched != "moved":
            missed = frozenset()  # a contract shows that it was done as judged
        seen = seen_now if missed else seen
        violated = frozenset(a for c in contracts if c.outcome == "violated" for a in c.actions)
        late: frozenset[int] = frozenset()
        if compared is not None:
            late = self._late(state, result, context, counts, compared, screens=screens, acted_on=acted_on)
        state, taken = self._settled_accounts(
            state, judged, awaited, contracts, delivered, late=late, missed=missed, changed=changed
        )
        if violated or late:
            self._commits(state)
        if violated:
            result, predicted = reconcile(violated)
        unseen = state.unseen
        if missed or unlike or seen.touched == "moved":
            unseen = (*unseen, *unseen_of(self.program, predicted))
        aside = without_views(aside, {each.relation for each in unseen})
        self._moments.world(result.world, state.world)
        if self._watch is not None:
            self._moments.settle()
            self._watch("after", self._evaluator, self._facts(state, result.world, state.world, context))
        recorded = self._judging.recorded(
            lambda: Explainer(self._facts(state, result.world, state.world, context))
        )
        self._moments.world(result.world)
        self._moments.point(point)
        after = replace(
            state,
            world=result.world,
            screen=screen,
            compared=compared,
            acted=acted,
            screens_given=screens,
            screens_count=counts,
            screens=result.screens,
            windows=result.windows,
            unseen=still_unseen(unseen, result),
            points=point,
            typing=typing,
            front=front,
            aside=aside,
            version=state.version + 1,
            recent=state.recent
            if judged is None
            else state.recent.after(
                judged.gesture, judged.cells, judged.typed, now.timeline if delivered else None
            ),
        )
        return after, ObservationResult(
            point,
            result.conflicts,
            result.differences,
            tuple(contracts),
            tuple(recorded),
            taken,
            tuple(self._action(charge.grant) for number, charge in enumerate(state.ledger) if number in late),
            tuple(each for outcomes in changed.values() for each in outcomes),
        )

    def _other_parameters(
        self, judged: JudgedProposal, before: Screen | None, after: Screen | None, context: Context
    ) -> Mapping[str, tuple[Became, ...]]:
        """See `other_parameters`; the moment is that of the observation."""
        if not judged.runs or judged.gesture is None or before is None or after is None:
            return {}
        now: dict[str, set[Row]] = {}
        for gesture, cells in made_again(judged.gesture, judged.cells, before, after):
            for action, rows in self._judging.recognized(gesture, cells, after, context).items():
                now.setdefault(action, set()).update(rows)
        return other_parameters(self.program, judged.runs, now, before, after)

    def _point_of_commit(self, state: Snapshot, running: Running) -> Snapshot:
        """The history point of the commit: the action visible, the state as last observed."""
        judged, point = running.judged, state.points + 1
        if judged.grants or judged.returns:
            ledger = [
                replace(charge, returned=True) if number in judged.returns else charge
                for number, charge in enumerate(state.ledger)
            ]
            numbered = state.numbered
            for grant in judged.grants:
                ran = grant.row in judged.runs.get(grant.relation, ())
                numbered += ran
                commit = Commit(numbered if ran else 0, point, grant.row)
                ledger.append(Charge(grant, commit, step=running.step))
            state = replace(state, ledger=tuple(ledger), numbered=numbered, points=point)
        else:
            state = replace(state, points=point)
        moments = self._moments
        # it was judged then, and is as old as its commit: the user may have taken long to agree
        moments.clock(running.verdict.at, running.timeline)
        moments.overridden(running.verdict.overridden)
        if judged.gesture in self._judging.book.recalled:  # else to assign it would change nothing
            moments.gesture(judged.gesture, judged.cells)
        moments.actions(judged.runs)
        moments.goto(judged.screens)
        self._commits(state)
        self._moments.point(point)
        return state

    def _base(
        self, state: Snapshot, judged: JudgedProposal | None, taken_back: frozenset[str]
    ) -> tuple[World, tuple[Change, ...]]:
        """What is believed before the observation: inputs and consequences applied, those of a failed action not."""
        if judged is None:
            return state.world, ()
        if not judged.writes and not judged.deletes:
            return judged.world, judged.changes
        point = state.points + 1
        rules = {rule.id: rule for rule in self.program.rules}

        def kept(rule: str) -> bool:
            return not relations_read(rules[rule].body) & taken_back

        applied = apply(
            self.program,
            judged.world,
            [write for write in judged.writes if kept(write.rule)],
            [delete for delete in judged.deletes if kept(delete.rule)],
            point,
            observing=False,
            timed=self._judging.book.timed,
        )
        return applied.world, (*judged.changes, *applied.changes)

    def _settled_accounts(
        self,
        state: Snapshot,
        judged: JudgedProposal | None,
        awaited: Sequence[Expectation],
        contracts: Sequence[Contract],
        delivered: bool | None,
        *,
        late: frozenset[int],
        missed: frozenset[str],
        changed: Mapping[str, tuple[Became, ...]],
    ) -> tuple[Snapshot, tuple[Action, ...]]:
        """The ledger with what is known now of what was sent, and the actions that do not count as done any more."""
        if not state.ledger:
            return state, ()
        ledger = list(state.ledger)
        for number in late:
            ledger[number] = replace(ledger[number], outcome="done", awaited=(), failed=())
        taken: list[Action] = []
        for number, charge in enumerate(ledger):
            mine = judged is not None and charge.commit.point == state.points
            if not mine or charge.grant.relation == "finish":
                continue
            settled = [(a, c) for a, c in zip(awaited, contracts, strict=True) if _of(c, charge)]
            outcomes = {contract.outcome for _, contract in settled}
            outcome: Outcome = "done"
            refused = any(contract.refused for _, contract in settled)
            if refused and charge.grant.relation not in missed:
                outcome = "refused"
                taken.append(self._action(charge.grant))
            elif "violated" in outcomes and not refused:
                outcome = "violated"
                taken.append(self._action(charge.grant))
            elif charge.grant.relation in missed:
                outcome = "moved"
            elif "inconclusive" in outcomes or (delivered is None and not outcomes):
                outcome = "unknown" if delivered is None else "unseen"
            open_ = tuple(item for item, contract in settled if contract.outcome != "met")
            if any(contract.answered for _, contract in settled):
                open_ = ()  # the app has answered: what it shows later is not the answer to this action
            changes = changed.get(charge.grant.relation, ()) if outcome == "moved" else ()
            failed = tuple(contract for _, contract in settled if contract.outcome != "met")
            if outcome == "unseen":  # what the gesture showed otherwise than expected is known all the same
                failed += tuple(c for c in contracts if c.outcome == "violated" and not c.actions)
            ledger[number] = replace(charge, outcome=outcome, awaited=open_, changes=changes, failed=failed)
        return replace(state, ledger=tuple(ledger)), tuple(taken)

    def _late(
        self,
        state: Snapshot,
        result: Reconciliation,
        context: Context,
        counts: bool,
        screen: Screen,
        *,
        screens: frozenset[str],
        acted_on: Screen | None,
    ) -> frozenset[int]:
        """The entries of the ledger of which this observation shows that they were done after all.

        If the same was done again since, what is seen may be the later one's doing: it says nothing of the earlier.
        """
        numbers = set()
        for number, charge in enumerate(state.ledger):
            if not charge.doubtful or not charge.awaited or charge.commit.point == state.points:
                continue
            if any(later.grant.relation == charge.grant.relation for later in state.ledger[number + 1 :]):
                continue
            of_one_look = self._judging.book.of_one_look
            if any(reads_before(item.rule) or item.rule.id in of_one_look for item in charge.awaited):
                continue
            contracts = self._contracts(
                charge.awaited, state, result, context, counts, screen, screens=screens, acted_on=acted_on
            )
            if all(contract.outcome == "met" for contract in contracts):
                numbers.add(number)
        return frozenset(numbers)

    def _action(self, grant: Grant) -> Action:
        return Action(grant.relation, known_cells(self.program.relation(grant.relation), grant.row))

    def _contracts(
        self,
        awaited: Sequence[Expectation],
        state: Snapshot,
        result: Reconciliation,
        context: Context,
        counts: bool,
        screen: Screen | None,
        *,
        screens: frozenset[str],
        acted_on: Screen | None,
    ) -> list[Contract]:
        if not awaited:
            return []
        self._moments.world(result.world, state.world)

        def outcomes(
            after: Reconciliation, screen: Screen | None, known: Sequence[Contract] = ()
        ) -> list[Contract]:
            explainer = Explainer(self._facts(state, result.world, state.world, context))
            return [
                outcome(
                    explainer,
                    item,
                    binding_of(self._moments.answers, item.rule, item.answer),
                    met=self._moments.answers.expected(item.rule.id, item.answer),
                    after=after,
                    # a screen that still changes does not show that the one expected will not come
                    screens_count=counts and _settled(screen),
                    screen=screen,
                    acted_on=acted_on,
                    first=known[number] if known else None,
                )
                for number, item in enumerate(awaited)
            ]

        contracts = outcomes(result, screen)
        with self._moments.otherwise() as other:
            if other is not None:
                contracts = outcomes(
                    replace(result, screens=self._moments.showing_screens(screens)), other, contracts
                )
        return contracts

    def _doubts(self, rule: Rule, contract: Contract) -> bool:
        """Whether what was predicted of the gesture need not have come about either.

        What a screen does not show of a mere gesture is not a reason to doubt what an app module says of it.
        """
        if contract.outcome == "inconclusive":
            return not (of_a_gesture(self.program, rule) and rule.id in self._judging.book.of_screens)
        return contract.outcome == "violated"

    def _spent(self, state: Snapshot) -> frozenset[str]:
        return self._licences.all_spent(state.grants)

    def _commits(self, state: Snapshot) -> None:
        self._moments.commits(state.committed, self._spent(state))

    def _facts(self, state: Snapshot, world: World, before: World, context: Context) -> Facts:
        return self._moments.facts(context, world, before, state.committed, self._spent(state), state.sent)


def _missed(
    judged: JudgedProposal | None, contracts: Sequence[Contract], seen: KnownWorld, delivered: bool | None
) -> frozenset[str]:
    """The actions of which something else may have taken the touch, and nothing showed that they were done."""
    if judged is None or seen.touched != "moved" or not delivered:
        return frozenset()
    outcomes = {a: [c.outcome for c in contracts if a in c.actions] for a in judged.runs}
    return frozenset(a for a, known in outcomes.items() if not known or set(known) != {"met"})


def _without_idle_refusals(
    awaited: Sequence[Expectation],
    contracts: Sequence[Contract],
    delivered: bool | None,
    *,
    unchanged: bool,
) -> tuple[tuple[Expectation, ...], list[Contract]]:
    """Expectations with their outcomes; of those about a refusal only the ones that showed, as violated.

    Nothing is a refusal of what may not have arrived, nor of what was seen to come out as expected; and a screen that
    shows all as it was before the action is silent: an error on it may be that of an earlier attempt.
    """
    met = {
        a
        for i, c in zip(awaited, contracts, strict=True)
        if not i.rule.refusal and c.outcome == "met"
        for a in c.actions
    }
    pairs: list[tuple[Expectation, Contract]] = []
    for item, contract in zip(awaited, contracts, strict=True):
        if not item.rule.refusal:
            pairs.append((item, contract))
        elif contract.outcome == "met" and delivered and not unchanged and met.isdisjoint(contract.actions):
            pairs.append((item, replace(contract, outcome="violated", answered=True, refused=True)))
    return tuple(item for item, _ in pairs), [contract for _, contract in pairs]


def _of(contract: Contract, charge: Charge) -> bool:
    """Whether a contract is one of that action."""
    return charge.grant.relation in contract.actions


def _motion(judged: JudgedProposal | None, delivered: bool | None, screen: Screen | None) -> Motion | None:
    """What the last action moved: one list, or nothing; None if that is not known."""
    if judged is None or delivered is False or judged.gesture == "wait":
        return Motion()
    if delivered is None or judged.gesture is None or screen is None:
        return None
    moved = scrolls(screen, judged.gesture, judged.cells)
    return None if moved is None else Motion(*moved)


def _typing(state: Snapshot, judged: JudgedProposal | None, screen: Screen | None) -> bool:
    """Whether a text was changed, and no look since agrees with the one before it: what it chooses may not show yet."""
    changed = judged is not None and (judged.typed is not None or judged.gesture == "clear_text")
    if not (changed or state.typing):
        return False
    if screen is None:
        return True
    again = not changed and state.screen is not None and state.screen.fingerprint == screen.fingerprint
    return not (again or _settled(screen))


def _settled(screen: Screen | None) -> bool:
    """Whether a screen is at rest, as far as its source can say."""
    return screen is None or not knows(screen, "Settled") or any(True for _ in screen.rows("Settled"))
