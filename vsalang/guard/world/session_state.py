"""What a session knows and what judging found out, as values."""

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import Literal, TypeAlias

from vsalang.base.records import dataclass
from vsalang.engine.api import Answer, Commit, Row
from vsalang.guard.judge.licences import Grant, Licences
from vsalang.guard.say.sent_actions import sent_text
from vsalang.guard.say.verdict import Became, Contract, Reason, Verdict, worst
from vsalang.guard.world.about_actions import NodesRead
from vsalang.guard.world.beliefs import CellWrite, Change, Ident, RowDelete, World
from vsalang.guard.world.joining import WindowState
from vsalang.guard.world.views_by_app import Aside
from vsalang.program.example import Level
from vsalang.program.gestures import NOTHING, Recent
from vsalang.program.ir import Rule
from vsalang.program.screen import Cells, Screen


@dataclass(frozen=True, slots=True)
class Prediction:
    """What an action predicted of one row and nobody has seen yet; `done` counts it as unknown.

    Attributes:
        relation: qualified name.
        ident: which row.
        attrs: the attributes that were predicted and not seen since.
        created: the row was not there before, and was not seen since.
        gone: the row that was predicted to go; None: it was not.
    """

    relation: str
    ident: Ident
    attrs: frozenset[str] = frozenset()
    created: bool = False
    gone: Row | None = None


Outcome: TypeAlias = Literal["done", "unseen", "unknown", "moved", "violated", "refused"]
"""What is known of an action that was sent. ``unseen``: it arrived, and whether it came out as expected was not seen.
``unknown``: neither is whether it arrived. ``moved``: something else may have taken the touch; it counts as done for
every rule but those of `finish`. ``violated``: it was seen not to have come out as expected; it may still. ``refused``:
the app showed that it refused it (`@refusal`), so it was not done, and will not be."""


@dataclass(frozen=True, slots=True)
class Charge:
    """An entry of the ledger: one licence that an action has used.

    Attributes:
        grant: the instance, and the clauses that it may be charged to.
        commit: as history tells it; its number is 0 if the action was only claimed.
        outcome: what is known of it.
        returned: the licence was given back: the action counts as not done.
        awaited: the expectations of which it is not known whether they were met.
        changes: of a ``moved`` action the parameters that the look after it showed otherwise than they were judged.
        step: the number of its proposal in the session, from 1.
        failed: the contracts of the action that were not met; of an ``unseen`` one also those of its gesture that were
            violated.
    """

    grant: Grant
    commit: Commit
    outcome: Outcome = "done"
    returned: bool = False
    awaited: "tuple[Expectation, ...]" = ()
    changes: tuple[Became, ...] = ()
    step: int = 0
    failed: tuple[Contract, ...] = ()

    @property
    def message(self) -> str:
        """What is known of a doubtful one, in words."""
        return sent_text(self.step, self.outcome, self.failed, self.changes)

    @property
    def counts(self) -> bool:
        """Whether it counts as done: ``A earlier`` holds of it."""
        return not self.returned and self.outcome not in ("violated", "refused")

    @property
    def doubtful(self) -> bool:
        """Whether its licence is used, and it does not simply count as done."""
        return not self.returned and self.outcome != "done"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that a session knows, as a value: what is committed.

    Attributes:
        world: the believed relations.
        screen: as last observed; None before the first observation.
        compared: the same with what changed since the last action.
        acted: the screen on which the last action was done that left this machine, and whether it only scrolled; None:
            there was none yet.
        screens_given: screens that are known to show although no rule says so.
        screens_count: whether it is known which screens show (not so in tests before the first `observe screen`).
        screens: the screens that show.
        points: the number of the last history point.
        ledger: the licences that critical actions have used, in order; nothing is ever taken out of it.
        unseen: what was predicted by actions of which it is not known whether they came out as expected.
        numbered: how many commits there ever were.
        windows: the lists' windows as last shown, to join the next ones to.
        overrides: how many warned proposals were repeated and ran.
        version: changes whenever anything is committed or observed.
        recent: the touches and typing that came last.
        typing: a text was changed, and no two looks since agree.
        front: the app that was in front last; None: the screen did not tell.
        aside: the views of generic modules in other apps.
        perhaps: the effects that touches may have had of which nobody knew whether they act; none was seen since.
    """

    world: World = field(default_factory=World)
    screen: Screen | None = None
    compared: Screen | None = None
    acted: tuple[Screen, bool] | None = None
    screens_given: frozenset[str] = frozenset()
    screens_count: bool = True
    screens: frozenset[str] = frozenset()
    points: int = 0
    ledger: tuple[Charge, ...] = ()
    unseen: tuple[Prediction, ...] = ()
    numbered: int = 0
    overrides: int = 0
    windows: Mapping[tuple[str, Ident], WindowState] = field(default_factory=dict)
    version: int = 0
    recent: Recent = NOTHING
    typing: bool = False
    front: str | None = None
    aside: Aside = field(default_factory=dict)
    perhaps: frozenset[str] = frozenset()

    def charged(self, without: Iterable[int] = ()) -> list[Grant]:
        """The licences that are used; `without` these entries of the ledger."""
        left_out = frozenset(without)
        return [
            charge.grant
            for number, charge in enumerate(self.ledger)
            if not charge.returned and number not in left_out
        ]

    def doubtful(self, action: str, row: Row) -> list[int]:
        """The entries of the ledger whose licence this instance may take over: of the same instance, if nobody knows
        whether it was done; and of each instance that the app refused."""
        return [
            number
            for number, charge in enumerate(self.ledger)
            if charge.doubtful
            and charge.grant.relation == action
            and (charge.outcome == "refused" or Licences.repeated(row, charge.grant.row))
        ]

    @property
    def commits(self) -> tuple[tuple[Grant, Commit], ...]:
        """The critical actions that count as done, or were claimed, with their licences' clauses."""
        return tuple((charge.grant, charge.commit) for charge in self.ledger if charge.counts)

    def sent(self, action: str) -> list[tuple[Row, str]]:
        """The instances of an action that were sent and do not simply count as done, and what is known of each."""
        return [
            (charge.grant.row, charge.message)
            for charge in self.ledger
            if charge.doubtful and charge.grant.relation == action
        ]

    @property
    def sure(self) -> "Snapshot":
        """The same without the actions whose touch something else may have taken: what `done` is read in."""
        ledger = tuple(charge for charge in self.ledger if charge.outcome != "moved")
        return self if len(ledger) == len(self.ledger) else replace(self, ledger=ledger)

    @property
    def grants(self) -> list[Grant]:
        """The licences of the actions that count as done."""
        return [grant for grant, _ in self.commits]

    @property
    def committed(self) -> list[tuple[str, Commit]]:
        """The commits as the engine sees them: what was only claimed used a licence up, and was not done."""
        return [(grant.relation, commit) for grant, commit in self.commits if commit.number]


@dataclass(frozen=True, slots=True)
class Expectation:
    """An `expect` rule whose body held in the judged moment, with the answer."""

    rule: Rule
    answer: Answer
    actions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JudgedProposal:
    """What judging found out, all that a commit needs.

    `instances` are the critical actions that need a licence, `runs` those of them that a commit records as done;
    `licensed` says by which clauses, `returns` which entries of the ledger they take the place of: the same actions,
    of which nobody knows whether they were done. `typed` are the cells of the typing that the gesture is or may be,
    `known` whether some rule mentions the gesture, `read` the nodes that the rules read which recognised and licensed
    the actions. `perhaps` are the effects that the touch may have and that the task allows.
    """

    reasons: tuple[Reason, ...]
    flags: tuple[Reason, ...] = ()
    gesture: str | None = None
    cells: Cells = field(default_factory=dict)
    runs: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)
    instances: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)
    grants: tuple[Grant, ...] = ()
    world: World = field(default_factory=World)
    changes: tuple[Change, ...] = ()
    writes: tuple[CellWrite, ...] = ()
    deletes: tuple[RowDelete, ...] = ()
    awaited: tuple[Expectation, ...] = ()
    screens: tuple[str, ...] = ()
    licensed: tuple[Reason, ...] = ()
    returns: frozenset[int] = frozenset()
    typed: Cells | None = None
    known: bool = False
    read: NodesRead = field(default_factory=dict)
    perhaps: frozenset[str] = frozenset()

    @property
    def level(self) -> Level:
        """The greatest level of all reasons."""
        return worst([reason.level for reason in self.reasons])


@dataclass(frozen=True, slots=True)
class Running:
    """The action under way; `lost`: the process that carried it out is gone, `delivered` is what it recorded; `look`:
    the screen it was committed on, if that is another one than was observed; `timeline`: where it stood at the commit;
    `step`: the number of its proposal in the session."""

    judged: JudgedProposal
    verdict: Verdict
    lost: bool = False
    delivered: bool | None = None
    look: Screen | None = None
    timeline: dt.datetime | None = None
    step: int = 0
