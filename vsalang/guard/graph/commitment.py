"""A commitment: several actions that were planned on one screen, done one by one until something is not as planned.

Each action is one guarded step (`vsalang.guard.step`): judged, committed, delivered, observed. A commitment only
decides whether the next one is proposed at all, so it allows nothing that single steps would not.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Protocol
from typing import Literal as OneOf

from vsalang.base.records import dataclass
from vsalang.guard.api import TakeScreen
from vsalang.guard.say.verdict import Contract, ObservationResult, Verdict
from vsalang.guard.step import StepOutcome
from vsalang.guard.world.session_state import Snapshot
from vsalang.program.action import POINTING, Action
from vsalang.program.screen import Screen, UnresolvedTarget
from vsalang.screen.control.keys import marked
from vsalang.screen.screen import TreeScreen

WhenOpen = OneOf["stop", "go on"]
"""What to do after a contract of which it is not known whether it was met."""

StopKind = OneOf["refused", "not done", "uncertain", "differs", "violated", "inconclusive", "gone", "over"]
"""``refused``: the verdict is block, confirm or warn; ``not done``: it was allowed, and not carried out; ``uncertain``:
it is not known whether it arrived, or what took it; ``violated``, ``inconclusive``: a contract was; ``differs``: a cell
has another value than the action was to write; ``gone``: what it points at is not there any more; ``over``: the session
has ended."""


@dataclass(frozen=True, slots=True)
class PlannedAction:
    """An action of a plan, with what the agent says of it; see `Guard.propose`."""

    action: Action
    claims: tuple[Action, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class PerformedAction:
    """An action that was carried out.

    Attributes:
        action: as it was proposed: where node numbers have changed, with the new one.
    """

    action: Action
    acted: StepOutcome

    @property
    def verdict(self) -> Verdict:
        return self.acted.verdict

    @property
    def contracts(self) -> tuple[Contract, ...]:
        """What was expected of it, and whether it was met."""
        return self.acted.observed.contracts if self.acted.observed is not None else ()


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a commitment was not done to its end.

    Attributes:
        why: in words.
        acted: the step that stopped it; None: the next action was not proposed.
    """

    kind: StopKind
    why: str
    acted: StepOutcome | None = None


@dataclass(frozen=True, slots=True)
class CommitmentResult:
    """The outcome of a commitment; true if all of it was done.

    Attributes:
        done: what was carried out, in order.
        stopped: why it stopped; None: it did not.
        remains: what was not carried out; the first is the one that was refused, if one was.
    """

    done: tuple[PerformedAction, ...]
    stopped: Stop | None = None
    remains: tuple[PlannedAction, ...] = ()

    def __bool__(self) -> bool:
        return self.stopped is None


class Steps(Protocol):
    """What a commitment needs of a guard with a device: `vsalang.guard.Guard` says what its methods do."""

    @property
    def snapshot(self) -> Snapshot:
        """All that is committed."""
        ...

    @property
    def finished(self) -> bool:
        """Whether the session has ended."""
        ...

    def looking(self, look: TakeScreen | None) -> TakeScreen: ...

    def observe(self, screen: Screen | None) -> ObservationResult: ...

    def step(self, action: Action, claims: Sequence[Action] = (), *, note: str = "") -> StepOutcome: ...


def commit_all(
    guard: Steps, actions: Iterable[Action | PlannedAction], *, inconclusive: WhenOpen = "stop"
) -> CommitmentResult:
    """Do several actions that were planned on the screen that shows, until one is not done as planned.

    It stops at the first action that the guard does not simply allow (a repeated warning passes as it does in single
    steps, and in the mode ``ask`` the guard asks the user), that is not carried out, that wrote something else than was
    predicted, or whose contract is violated; and before an action on a control that is not there any more. What remains
    is given back: the planner plans again.

    Args:
        guard: with a device.
        actions: in order. What they point at by ``node`` or by coordinates is meant as it is on the screen that shows
            now, and is found again on each later screen.
        inconclusive: whether to go on if it is not known whether a contract was met.

    Raises:
        ValueError: the guard has no device.
        GuardFailed: an internal error; from now on everything is blocked.
        Exception: what the device raises. A note on the error says how much was done.
    """
    wanted = tuple(each if isinstance(each, PlannedAction) else PlannedAction(each) for each in actions)
    if guard.snapshot.screen is None:
        guard.observe(guard.looking(None)())
    first = guard.snapshot.screen
    done: list[PerformedAction] = []
    for number, one in enumerate(wanted):
        if guard.finished:
            return CommitmentResult(tuple(done), Stop("over", "the session has ended"), wanted[number:])
        aimed = aim(one.action, first, guard.snapshot.screen)
        if isinstance(aimed, Stop):
            return CommitmentResult(tuple(done), aimed, wanted[number:])
        try:
            acted = guard.step(aimed, one.claims, note=one.note)
        except BaseException as error:
            error.add_note(
                f"it was action {number + 1} of {len(wanted)} of a commitment; those before it were done"
            )
            raise
        if acted.performed:
            done.append(PerformedAction(aimed, acted))
        stop = stopped_by(acted, inconclusive)
        if stop is not None:
            return CommitmentResult(tuple(done), stop, wanted[number + acted.performed :])
    return CommitmentResult(tuple(done))


def stopped_by(acted: StepOutcome, inconclusive: WhenOpen = "stop") -> Stop | None:
    """Why a commitment ends with this step; None: it goes on."""
    if not acted.performed:
        if acted.verdict.allowed:
            return Stop("not done", acted.problem, acted)
        reasons = "; ".join(reason.message for reason in acted.verdict.reasons)
        return Stop("refused", f"{acted.verdict.level}: {acted.problem or reasons}", acted)
    contracts = acted.observed.contracts if acted.observed is not None else ()
    for outcome in ("violated", "inconclusive"):
        failing_contracts = [contract for contract in contracts if contract.outcome == outcome]
        if failing_contracts and (outcome == "violated" or inconclusive == "stop"):
            why = "; ".join(f"{contract.rule}: {contract.reason.message}" for contract in failing_contracts)
            return Stop(outcome, why, acted)
    if acted.problem:
        return Stop("uncertain", acted.problem, acted)
    differing = [
        why
        for why in (acted.observed.differences if acted.observed is not None else ())
        if why.state == "unmet" or inconclusive == "stop"
    ]
    return Stop("differs", "; ".join(why.text() for why in differing), acted) if differing else None


# ---------------------------------------------------------------- what an action points at

_PLACE: Final = frozenset({"node", "x", "y"})
_SAME: Final = ("package", "resource_id", "id", "class", "label", "desc")


def aim(action: Action, first: Screen | None, now: Screen | None) -> Action | Stop:
    """An action that was planned on one screen as it is to be proposed on another; a `Stop` if it cannot be.

    Numbers of nodes and coordinates mean what they meant on the first screen. What is named by id or text is found by
    the guard.
    """
    if action.name not in POINTING or not _PLACE & action.args.keys() or first is None or now is None:
        return action
    if first is now or (first.fingerprint == now.fingerprint and _numbered(first) == _numbered(now)):
        return action
    try:
        was = _who(first, action)
    except UnresolvedTarget as error:
        return Stop("gone", f"on the screen on which it was planned {action} points at nothing: {error}")
    if was is None:
        return Stop(
            "gone", f"{action} points at one of several nodes that look alike, and the screen has changed"
        )
    try:
        if "node" not in action.args:
            return action if _who(now, action) == was else _gone(action)
        for number in _nodes(now):
            aimed = Action(action.name, {**action.args, "node": number})
            if _named(now, number) == was:
                return aimed
    except UnresolvedTarget:
        pass
    return _gone(action)


def _gone(action: Action) -> Stop:
    return Stop("gone", f"what {action} was planned for is not there any more")


def _numbered(screen: Screen) -> object:
    """The nodes of a screen in the order of their numbers; fingerprints leave the numbers out."""
    return tuple(_nodes(screen))


def _nodes(screen: Screen) -> list[int]:
    if isinstance(screen, TreeScreen):
        return [node.node for node in screen.tree.nodes]
    return [number for row in screen.rows("Node") if isinstance(number := row.get("node"), int)]


def _who(screen: Screen, action: Action) -> object:
    """What identifies the node that an action points at; None: others of the screen look alike."""
    number = action.args.get("node")
    if not isinstance(number, int):
        number = screen.target(action.name, action.args).get("node")
    if not isinstance(number, int) or number not in _nodes(screen):
        raise UnresolvedTarget(f"there is no node {number}")
    return _named(screen, number)


def _named(screen: Screen, number: int) -> object:
    if isinstance(screen, TreeScreen):
        mark = marked(screen.tree)[number]
        return mark.key if mark.certain else None
    rows = {row.get("node"): tuple(row.get(name) for name in _SAME) for row in screen.rows("Node")}
    return rows[number] if sum(row == rows[number] for row in rows.values()) == 1 else None
