"""Judges proposals: the steps, in their order (the table of `guard.md#from-a-proposal-to-a-verdict`).

P0, whether anything may be proposed now, and P10, whether a warning may be passed by repetition, are of the session:
`vsalang.guard.machine.Machine` takes them before and after.
"""

from collections.abc import Callable, Collection
from typing import Final

from vsalang.engine.api import Evaluator, Row
from vsalang.engine.explain.terms import Context
from vsalang.guard.judge.classify import classify
from vsalang.guard.judge.consequences import ask_consequences
from vsalang.guard.judge.doubtful_texts import ask_texts
from vsalang.guard.judge.judgement import Judgement, Tools, Watch
from vsalang.guard.judge.judging_rules import ask_rules, holding
from vsalang.guard.judge.licensing import ask_licences, goals, same_acts
from vsalang.guard.judge.predict import predict, recognized
from vsalang.guard.judge.program_analysis import Analysis
from vsalang.guard.judge.progress import ask_frontier
from vsalang.guard.judge.resolve import resolve
from vsalang.guard.judge.several_names import ForEachName, join
from vsalang.guard.judge.whereabouts import ask_screen
from vsalang.guard.say.verdict import Proposal, Reason, Why
from vsalang.guard.say.why import Explainer
from vsalang.guard.world.moments import Moments
from vsalang.guard.world.session_state import JudgedProposal, Snapshot
from vsalang.program.example import Level
from vsalang.program.ir import Rule
from vsalang.program.screen import Cells, Screen

Step = Callable[[Judgement], None]

STEPS: Final[tuple[Step, ...]] = (
    resolve,
    ForEachName(
        (
            predict,
            classify,
            ask_rules,
            ask_licences,
            ask_texts,
            ask_frontier,
            ask_screen,
            ask_consequences,
        )
    ),
    join,
)
"""The order of judging. Every step adds its reasons, so that all are reported at once; only P1 can end it early."""


class Judging:
    """Judges proposals of one session, and leaves the moment as it was.

    Holds no state of its own: what it remembers of a screen follows from that screen.
    """

    def __init__(
        self,
        read: Analysis,
        evaluator: Evaluator,
        moments: Moments,
        *,
        unknown_screen: Level,
        unknown_touch: Level,
        task: bool,
        watch: Watch | None = None,
        lowering: Collection[str] = (),
        overrides: int | None = None,
    ) -> None:
        self.book = read.book
        lower = tuple(rule for rule in read.program.lowered if rule.module in lowering)
        self._tools = Tools(
            read, evaluator, moments, unknown_screen, unknown_touch, task, watch, lower, overrides
        )

    def judge(
        self, state: Snapshot, proposal: Proposal, context: Context, *, repeated: bool
    ) -> JudgedProposal:
        """Judge a proposal. Callers must treat any exception as a block.

        Args:
            state: what is committed; the evaluator holds its moment.
            proposal: what is proposed.
            context: the day and the clock.
            repeated: it is exactly the proposal that was warned of, and may pass.
        """
        judgement = Judgement(self._tools, state, proposal, context, repeated)
        for step in STEPS:
            step(judgement)
        if judgement.judged is None:
            raise AssertionError("the last step of judging gave no answer")
        return judgement.judged

    def recognized(self, gesture: str, cells: Cells, screen: Screen, context: Context) -> dict[str, set[Row]]:
        """The instances of actions that a gesture is on a screen, whose moment is assigned; nothing of it is kept."""
        moments, meant = self._tools.moments, self._tools.analysis.meant
        moments.gesture(gesture, cells)
        try:
            instances = recognized(self._tools, frozenset((gesture,)), cells, screen, context)
            return meant.recognized(instances, cells, screen, context) if meant is not None else instances
        finally:
            moments.gesture(None, None)

    def same_acts(self, state: Snapshot, number: int, context: Context) -> frozenset[int]:
        """The entries of the ledger that are the same act as one, by the name of an effect or of what refines it."""
        return same_acts(self._tools, state, frozenset((number,)), context)

    def recorded(self, explainer: Callable[[], Explainer]) -> list[Reason]:
        """The judging rules that hold in the moment that is assigned, in which nothing is proposed."""
        reasons, flags = holding(self._tools, frozenset(), explainer, None)
        return [*reasons, *flags]

    def goals(self, state: Snapshot, context: Context) -> list[tuple[Rule, bool, tuple[Why, ...]]]:
        """For each clause of the task whether its body holds now, and if not every condition that is not met."""
        return goals(self._tools, state, context)
