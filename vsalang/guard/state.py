"""What a session knows and what judging found out, as values."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from vsalang.core.example import Level
from vsalang.core.ir import Rule
from vsalang.core.screen import Cells, Screen
from vsalang.engine.api import Answer, Commit, Row
from vsalang.guard.joining import Shown
from vsalang.guard.licences import Grant
from vsalang.guard.store import CellWrite, Change, Ident, RowDelete, World
from vsalang.guard.verdict import Reason, Verdict, worst


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that a session knows, as a value: what is committed.

    Attributes:
        world: the believed relations.
        screen: as last observed; None before the first observation.
        given: screens that are known to show although no rule says so.
        screens_count: whether it is known which screens show (not so in tests before the first `observe screen`).
        shown: the screens that show.
        points: the number of the last history point.
        commits: the critical actions that ran, with their licences' clauses.
        numbered: how many commits there ever were.
        windows: the lists' windows as last shown, to join the next ones to.
        overrides: how many warned proposals were repeated and ran.
        version: changes whenever anything is committed or observed.
    """

    world: World = field(default_factory=World)
    screen: Screen | None = None
    given: frozenset[str] = frozenset()
    screens_count: bool = True
    shown: frozenset[str] = frozenset()
    points: int = 0
    commits: tuple[tuple[Grant, Commit], ...] = ()
    numbered: int = 0
    overrides: int = 0
    windows: Mapping[tuple[str, Ident], Shown] = field(default_factory=dict)
    version: int = 0

    @property
    def grants(self) -> list[Grant]:
        """The commits as the licences see them."""
        return [grant for grant, _ in self.commits]

    @property
    def slots(self) -> list[tuple[str, Commit]]:
        """The commits as the engine sees them: what was only claimed used a licence up, and was not done."""
        return [(grant.relation, commit) for grant, commit in self.commits if commit.number]


@dataclass(frozen=True, slots=True)
class Awaited:
    """An `expect` rule whose body held in the judged moment, with the answer."""

    rule: Rule
    answer: Answer
    actions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """What judging found out, all that a commit needs.

    `instances` are the critical actions that need a licence, `runs` those of them that a commit records as done;
    `licensed` says by which clauses.
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
    awaited: tuple[Awaited, ...] = ()
    screens: tuple[str, ...] = ()
    licensed: tuple[Reason, ...] = ()

    @property
    def level(self) -> Level:
        """The greatest level of all reasons."""
        return worst([reason.level for reason in self.reasons])


@dataclass(frozen=True, slots=True)
class Running:
    """The action under way; `lost`: whoever carried it out is gone, `delivered` is what they left word of; `look`: the
    screen it was committed on, if that is another one than was observed."""

    judged: Judged
    verdict: Verdict
    lost: bool = False
    delivered: bool | None = None
    look: Screen | None = None
