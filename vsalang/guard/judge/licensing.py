"""Which licences the actions of a proposal use, and why there may be none for them (`guard.md#P5`).

Licences are a ledger: one that was used stays used, also if the action did not come out as expected, for what was sent
may still arrive. It comes free for the same action once more if that is harmless (`@idempotent`), or if the user agrees
where nobody knows whether it arrived, or it did not come out as expected.
"""

from collections.abc import Mapping, Sequence

from vsalang.base.records import dataclass
from vsalang.engine.api import Row
from vsalang.engine.explain.terms import Context
from vsalang.guard.judge.licences import FREE, Grant, Licences
from vsalang.guard.judge.unseen import not_seen_since, without_unseen
from vsalang.guard.say.reasons import action_text, licence_reasons, licensed_reasons, maybe_done, used_up
from vsalang.guard.say.verdict import Reason
from vsalang.guard.say.why import Explainer
from vsalang.guard.world.moments import Moments
from vsalang.guard.world.state import Charge, Snapshot
from vsalang.guard.world.store import World
from vsalang.program.ir import Program


@dataclass(frozen=True, slots=True)
class Used:
    """The licences that a proposal would use.

    Attributes:
        grants: one for each action.
        reasons: what speaks against them.
        licensed: the clauses that permit the actions.
        returns: the entries of the ledger whose place they take.
    """

    grants: tuple[Grant, ...] = ()
    reasons: tuple[Reason, ...] = ()
    licensed: tuple[Reason, ...] = ()
    returns: frozenset[int] = frozenset()

    def __add__(self, other: "Used") -> "Used":
        return Used(
            self.grants + other.grants,
            self.reasons + other.reasons,
            self.licensed + other.licensed,
            self.returns | other.returns,
        )


class Licensing:
    """Finds the licences for the actions of proposals. Holds no state of its own.

    Args:
        task: whether there is a task: without one, actions that no rule mentions need no licence.
    """

    def __init__(self, program: Program, moments: Moments, licences: Licences, *, task: bool) -> None:
        self._program = program
        self._answers = moments.answers
        self._moments = moments
        self._licences = licences
        self._task = task

    def judge(self, state: Snapshot, found: Mapping[str, Sequence[Row]], explainer: Explainer) -> Used:
        """The licences for all actions but `finish`; the moment is the judged one."""
        used = Used()
        for action in sorted(found.keys() - {"finish"}):
            rules = self._licences.rules.get(action, [])
            answers = {rule.id: self._answers.answers(rule.id) for rule in rules}
            for row in found[action]:
                holding = frozenset(
                    rule.id for rule in rules if any(answer.instance == row for answer in answers[rule.id])
                )
                if not rules and not self._task:
                    used += Used((Grant(action, row, frozenset({FREE})),))
                elif not holding:
                    used += Used(reasons=tuple(licence_reasons(self._program, action, row, rules, explainer)))
                else:
                    used += self._instance(state, action, row, holding, explainer, used)
        return used

    def _instance(
        self,
        state: Snapshot,
        action: str,
        row: Row,
        holding: frozenset[str],
        explainer: Explainer,
        used: Used,
    ) -> Used:
        """The licence for an action that clauses allow, if there is one left."""
        program = self._program
        allowing = [rule for rule in self._licences.rules[action] if rule.id in holding]
        grant, returns = self._charge(state, action, row, holding, used)
        if returns is None:
            before = [
                *((charge.grant, charge.commit.number > 0) for charge in state.ledger if not charge.returned),
                *((other, True) for other in used.grants),
            ]
            text = action_text(program, action, row)
            open_ = any(state.ledger[number].outcome == "unseen" for number in state.doubtful(action, row))
            return Used(
                (grant,), tuple(used_up(program, action, text, allowing, grant, before, unseen=open_))
            )
        using = [rule for rule in allowing if self._licences.clause_of[rule.id] in grant.clauses]
        doubtful = [state.ledger[number] for number in sorted(returns - used.returns)]
        reasons: list[Reason] = []
        if not self._harmless_again(action, row, doubtful):
            reasons = maybe_done(program, action, row, using, doubtful)
        licensed = licensed_reasons(program, action, row, using, explainer)
        return Used((grant,), tuple(reasons), tuple(licensed), returns)

    def _charge(
        self, state: Snapshot, action: str, row: Row, holding: frozenset[str], used: Used
    ) -> tuple[Grant, frozenset[int] | None]:
        """The licence that an instance uses, and whose place in the ledger it takes; None: none is left.

        A licence that is used comes free only for the same action, and only if nobody knows whether that was done.
        """

        def granted(returns: frozenset[int]) -> tuple[Grant, bool]:
            others = [*state.charged(returns), *used.grants]
            grant = self._licences.grant(action, row, holding, others)
            return grant, self._licences.bears([*others, grant])

        returns = used.returns
        grant, borne = granted(returns)
        if borne:
            return grant, returns
        for number in state.doubtful(action, row):
            charge = state.ledger[number]
            if charge.outcome == "unseen" and not self._harmless_again(action, row, [charge]):
                continue  # it arrived: only the user, who may know that it had no effect, gives its licence back
            returns |= {number}
            again, borne = granted(returns)
            if borne:
                return again, returns
        return grant, None

    def _harmless_again(self, action: str, row: Row, doubtful: Sequence[Charge]) -> bool:
        """Whether an action may be done once more although it may have been done: nothing more would change by it."""
        if not doubtful:
            return True
        again = "idempotent" in self._program.relation(action).annotations
        return again and None not in row and all(charge.grant.row == row for charge in doubtful)

    # ------------------------------------------------------------------ the end of the task

    def finish(
        self, state: Snapshot, world: World, rows: Sequence[Row], context: Context, spent: frozenset[str]
    ) -> Used:
        """Whether the task may end: what was predicted and not seen since counts as unknown."""
        rules = self._licences.rules.get("finish", [])
        if not rules and not self._task:
            return Used(tuple(Grant("finish", row, frozenset({FREE})) for row in rows))
        savepoint = self._moments.savepoint()
        try:
            explainer = self.doubting(state, world, context, spent)
            holding = [rule for rule in rules if self._answers.answers(rule.id)]
            if holding:
                clauses = frozenset(self._licences.clause_of[rule.id] for rule in holding)
                licensed = licensed_reasons(self._program, "finish", (), holding, explainer)
                grants = tuple(Grant("finish", row, clauses) for row in rows)
                return Used(grants, licensed=tuple(licensed))
            refused = licence_reasons(self._program, "finish", (), rules, explainer)
            return Used(reasons=tuple(not_seen_since(reason, state.unseen) for reason in refused))
        finally:
            self._moments.rollback(savepoint)

    def doubting(self, state: Snapshot, world: World, context: Context, spent: frozenset[str]) -> Explainer:
        """Bring about the moment that `done` is read in; explains what is missing there.

        What was predicted and not seen since is unknown there, and actions whose touch something else may have taken
        were not done.
        """
        sure = state.sure
        if sure is not state:
            spent = self._licences.all_spent(sure.grants)
            self._moments.commits(sure.committed, spent)
        doubted = without_unseen(self._program, world, state.unseen)
        before = without_unseen(self._program, state.world, state.unseen)
        self._moments.world(doubted, before)
        return Explainer(self._moments.facts(context, doubted, before, sure.committed, spent))
