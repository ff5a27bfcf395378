"""What is known of a proposal while it is judged: the steps of `vsalang.guard.judge.judging_steps` add to it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal as OneOf
from typing import TypeAlias

from vsalang.engine.api import Answering, Evaluator, Row
from vsalang.engine.explain.match import Facts
from vsalang.engine.explain.supposing import Supposing
from vsalang.engine.explain.terms import Context
from vsalang.guard.judge.licences import Grant, Licences
from vsalang.guard.judge.meant_actions import NO_EFFECTS, Effects
from vsalang.guard.judge.program_analysis import Analysis
from vsalang.guard.say.verdict import Proposal, Reason, Why
from vsalang.guard.world.about_actions import NodesRead
from vsalang.guard.world.beliefs import Application, CellWrite, RowDelete
from vsalang.guard.world.moments import Moments
from vsalang.guard.world.rule_book import RuleBook
from vsalang.guard.world.session_state import Expectation, JudgedProposal, Snapshot
from vsalang.program.example import Level
from vsalang.program.gestures import Name, Surface
from vsalang.program.ir import Program, Rule
from vsalang.program.screen import Cells

Watch: TypeAlias = Callable[[OneOf["before", "judged", "after"], Evaluator, Facts], None]
"""Is shown each moment in which rules are read (`vsalang.guard.world.moments`) while the evaluator holds it; it must
not change anything. What it raises counts as an internal error."""


@dataclass(frozen=True, slots=True)
class MayBe:
    """An action that a proposal may be, if cells that nobody read are as `doubts` suppose.

    Attributes:
        row: its parameters as far as they are known.
        rule: that would recognise it.
        whys: what is not known.
        words: what is not known, and what would settle it.
    """

    action: str
    row: Row
    rule: Rule
    whys: tuple[Why, ...]
    words: str


@dataclass(frozen=True, slots=True)
class LicenceUse:
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

    def __add__(self, other: "LicenceUse") -> "LicenceUse":
        return LicenceUse(
            self.grants + other.grants,
            self.reasons + other.reasons,
            self.licensed + other.licensed,
            self.returns | other.returns,
        )


@dataclass(slots=True, eq=False)
class Tools:
    """What the proposals of one session are judged with.

    Attributes:
        analysis: the program as the guard reads it.
        evaluator, moments: hold the moment that is asked about.
        unknown_screen: what gestures ask for on a screen that no module of the task knows.
        unknown_touch: what a touch asks for of which nobody knows what it does.
        task: whether there is a task: without one, actions that no clause mentions need no licence.
        watch: is shown each moment.
        lowering: the rules that ask or warn where nothing licenses an action, of those policies that may.
        overrides: how many warnings may pass by repetition; None: any number.
        surface: of the screen that was judged on last, so that it is not made again.
    """

    analysis: Analysis
    evaluator: Evaluator
    moments: Moments
    unknown_screen: Level
    unknown_touch: Level
    task: bool
    watch: Watch | None = None
    lowering: tuple[Rule, ...] = ()
    overrides: int | None = None
    surface: Surface | None = None

    @property
    def program(self) -> Program:
        """The program whose rules judge."""
        return self.analysis.program

    @property
    def book(self) -> RuleBook:
        """Its rules by what they do."""
        return self.analysis.book

    @property
    def licences(self) -> Licences:
        """What its clauses permit, and how often."""
        return self.analysis.licences

    def needs_licence(self, action: str) -> bool:
        """Whether an action must be allowed: if a clause mentions it, and in a task, unless only policies bring it.

        A policy that imports a generic module asks about its actions. It does not make them a part of the task.
        """
        if self.licences.rules.get(action):
            return True
        module = self.program.relation(action).module
        return self.task and (module in self.analysis.imported or module not in self.analysis.generic)

    @property
    def answers(self) -> Answering:
        """The answers of its rules in the moment that was assigned last."""
        return self.moments.answers


@dataclass(slots=True, eq=False)
class Judgement:
    """A proposal while it is judged.

    Attributes:
        state: what is committed; the evaluator holds its moment.
        context: the day and the clock.
        repeated: it is exactly the proposal that was warned of, and may pass.
        given: by P1: the instances of critical actions that the proposal names, by ``attempt`` and ``claim``.
        names: by P1: the gesture under each of its names that matters, as proposed first.
        typed: by P1: the cells of the typing that the gesture is or may be.
        otherwise: by P1: in the other reading of the screen, what may take the gesture: for each its names.
        results: by P2 to P8: one for each name; if P1 refused the proposal, its refusal alone.
        judged: by P9: what is answered.
    """

    tools: Tools
    state: Snapshot
    proposal: Proposal
    context: Context
    repeated: bool
    given: Mapping[str, Mapping[str, list[Row]]] = field(default_factory=dict)
    names: list[Name] = field(default_factory=list)
    typed: Cells | None = None
    otherwise: list[list[Name]] = field(default_factory=list)
    results: list[JudgedProposal] = field(default_factory=list)
    judged: JudgedProposal | None = None


@dataclass(slots=True, eq=False)
class NameJudgement:
    """A proposal while it is judged under one name of its gesture.

    Attributes:
        whole: the judgement that it is part of.
        gesture, cells: the name, and the attributes of what takes the gesture; None: nothing but writes and actions is
            proposed.
        unread: what nobody read of what takes the gesture.
        there: the gesture alone, as `Firing.rules` asks for it.
        applied: the state as P2 predicts it, with the reasons why it could not be.
        changed, deleted: by P2: what inputs and the proposal itself write.
        spent: by P2: the actions of which the task's licences are used up.
        recognized: by P2 and P3: the instances that `recognize` rules find.
        certain: by P2 and P3: those of them that are so whatever nobody read; of actions that say something of others.
        may_be: by P2 and P3: what the proposal may be, if cells that nobody read are so.
        runs: by P3: the instances that a commit records as done.
        instances: by P3: these and those that the agent claims: all that need a licence.
        effects: by P3: what these are as effects of generic modules.
        hidden: by P3: of an action the parameters that are unknown because their text hides something.
        acting: by P3: the gesture and the actions that are proposed.
        targets: by P3: the screens that `goto` rules lead to.
        writes, deletes: by P3: what the consequences of the actions will write.
        awaited: by P3: the `expect` rules that wait for the actions.
        own: by P3: whether an action was recognised or is attempted.
        known: by P3: whether some rule knows what the gesture is for; rules of generic modules do not count.
        known_anywhere: the same with rules of generic modules.
        facts: by P4: of the judged moment, to explain reasons by.
        used: by P5: the licences; None: P5 was not taken.
        perhaps: by the settling after the last step: the effects that the touch may have, and that the task allows.
        reasons, flags: by every step.
        read: of a touch that is judged as if its screen told something else, the nodes that the rules read.
        supposing: what was last asked about what may hold (`vsalang.guard.judge.polarity`).
    """

    whole: Judgement
    gesture: str | None
    cells: Cells
    unread: frozenset[str]
    there: frozenset[str]
    applied: Application
    changed: list[CellWrite] = field(default_factory=list)
    deleted: list[RowDelete] = field(default_factory=list)
    spent: frozenset[str] = frozenset()
    recognized: dict[str, set[Row]] = field(default_factory=dict)
    certain: set[tuple[str, Row]] = field(default_factory=set)
    may_be: list[MayBe] = field(default_factory=list)
    runs: dict[str, list[Row]] = field(default_factory=dict)
    instances: dict[str, list[Row]] = field(default_factory=dict)
    effects: Effects = NO_EFFECTS
    hidden: dict[str, frozenset[str]] = field(default_factory=dict)
    acting: frozenset[str] = frozenset()
    targets: list[str] = field(default_factory=list)
    writes: list[CellWrite] = field(default_factory=list)
    deletes: list[RowDelete] = field(default_factory=list)
    awaited: tuple[Expectation, ...] = ()
    own: bool = False
    known: bool = False
    known_anywhere: bool = False
    facts: Facts | None = None
    used: LicenceUse | None = None
    perhaps: frozenset[str] = frozenset()
    reasons: list[Reason] = field(default_factory=list)
    flags: list[Reason] = field(default_factory=list)
    read: NodesRead = field(default_factory=dict)
    supposing: Supposing | None = None
    _explained: tuple[tuple[object, ...], Facts] | None = None

    @classmethod
    def of(cls, whole: Judgement, name: Name) -> "NameJudgement":
        """The judgement of a proposal under a name, as it begins."""
        gesture = name.gesture or None
        there = frozenset((gesture,)) if gesture is not None else frozenset[str]()
        return cls(whole, gesture, name.cells, name.unread, there, Application(whole.state.world))

    def explained(self) -> Facts:
        """The facts of the moment that is assigned, after what P2 predicts; the same object until that changes."""
        state, moments = self.whole.state, self.whole.tools.moments
        moment = (moments.changes, self.applied.world, self.spent)
        known = self._explained
        if known is None or any(one is not other for one, other in zip(moment, known[0], strict=True)):
            facts = moments.facts(
                self.whole.context, self.applied.world, state.world, state.committed, self.spent, state.sent
            )
            known = self._explained = (moment, facts)
        return known[1]

    def result(self) -> JudgedProposal:
        """What the steps found out.

        Raises:
            AssertionError: the judging rules or the licences were not asked: nothing may be allowed by that.
        """
        used = self.used
        if self.facts is None or used is None:
            raise AssertionError("judging left out a step")
        return JudgedProposal(
            tuple(self.reasons),
            tuple(self.flags),
            self.gesture,
            dict(self.cells),
            {action: tuple(rows) for action, rows in self.runs.items()},
            {action: tuple(rows) for action, rows in self.instances.items()},
            used.grants,
            self.applied.world,
            self.applied.changes,
            tuple(self.writes),
            tuple(self.deletes),
            self.awaited,
            tuple(self.targets),
            used.licensed,
            used.returns,
            known=self.known,
            read=self.read,
            perhaps=self.perhaps,
        )
