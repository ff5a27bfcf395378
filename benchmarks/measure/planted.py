"""Planted failures: the simulated phone does an action wrongly, and the contracts are to name what went wrong.

A contract that is violated names a failure; one that is inconclusive leaves it open; one that is met although the
action failed would be wrong, and there must be none.
"""

from collections.abc import Iterable, Iterator
from typing import Final, Literal, TypeAlias, get_args

from vsalang.base.records import dataclass
from vsalang.guard import Guard, Settings
from vsalang.guard.say.verdict import Contract
from vsalang.language.semantics import load_text
from vsalang.phone.sim import Phone, PhoneSpec, load
from vsalang.phone.sim.dump import dump
from vsalang.phone.sim.scenario import Fault, Scenario, When
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.program.screen import Cells
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_tree

Failure: TypeAlias = Literal[
    "none", "tap lost", "text cut", "toggle stuck", "late screen", "too late", "wrong row"
]
"""What goes wrong. ``late screen``: the new screen comes before two looks agree; ``too late``: time is up before it
comes, and what has not come by then counts as not come."""

FAILURES: Final[tuple[Failure, ...]] = get_args(Failure)

Outcome: TypeAlias = Literal["met", "violated", "inconclusive"]

_APP: Final = "org.example.settings"
_PROGRAM: Final = """
policy planted "What gestures on the settings are to bring about"
import std.contracts
import apps.settings

expect screen Display when goto Display, tap(node = _).
"""
_FAULTS: Final = {
    "tap lost": Fault("lost", When()),
    "text cut": Fault("cut", When(), count=2),
    "toggle stuck": Fault("stuck", When()),
    "late screen": Fault("stale", When()),
    "wrong row": Fault("shifted", When()),
}
_MOST_LOOKS: Final = 10


@dataclass(frozen=True, slots=True)
class PlantedFailure:
    """One action, what went wrong with it, and what its contracts said.

    Attributes:
        control: what it was done to, in words.
        expected: what the contracts together are to say.
        contracts: what each said.
    """

    failure: Failure
    control: str
    action: Action
    expected: Outcome
    contracts: tuple[Contract, ...]

    @property
    def said(self) -> Outcome:
        """What the contracts said together: violated if one was, met if all were."""
        outcomes = {contract.outcome for contract in self.contracts}
        if "violated" in outcomes:
            return "violated"
        return "met" if outcomes == {"met"} else "inconclusive"

    @property
    def right(self) -> bool:
        """Whether that is what was expected."""
        return self.said == self.expected

    @property
    def wrongly_met(self) -> bool:
        """Whether the action failed, and its contracts say that it did not."""
        return self.said == "met" != self.expected


@dataclass(frozen=True, slots=True)
class Case:
    """An action on a control of the phone of settings, and what the contracts are to say of it.

    Attributes:
        before: what is touched first, to get there.
        expected: what the contracts are to say of it under each failure.
    """

    control: str
    before: tuple[str, ...]
    action: Action
    expected: dict[Failure, Outcome]


CASES: Final = (
    Case(
        "toggle",
        ("Display",),
        Action("tap", {"desc": "Dark theme"}),
        {
            "none": "met",
            "tap lost": "violated",
            "toggle stuck": "violated",
            "wrong row": "violated",
            "late screen": "met",
            "too late": "violated",
        },
    ),
    Case(
        "field",
        (),
        Action("input_text", {"id": "search_box", "value": "Mail"}),
        {
            "none": "met",
            "text cut": "violated",
            # the field shows its prompt, and that may be what it shows for an empty text
            "tap lost": "inconclusive",
            "late screen": "met",
            "too late": "inconclusive",
        },
    ),
    Case(
        "link",
        (),
        Action("tap", {"text": "Display"}),
        {
            "none": "met",
            "tap lost": "violated",
            "wrong row": "violated",
            "late screen": "met",
            "too late": "violated",
        },
    ),
    Case(
        "choice",
        ("Display", "Text size"),
        Action("tap", {"text": "Large"}),
        # the dialog closes with the choice, so that only a choice that was not taken is seen
        {
            "none": "inconclusive",
            "tap lost": "violated",
            "toggle stuck": "inconclusive",
            "wrong row": "inconclusive",
        },
    ),
    Case("back", ("Display",), Action("back"), {"none": "met", "tap lost": "violated", "late screen": "met"}),
    # a list that does not move may be at its end
    Case(
        "scroller",
        (),
        Action("scroll", {"id": "rows", "direction": "down"}),
        {"none": "met", "tap lost": "inconclusive"},
    ),
)


def planted(failures: Iterable[Failure] = FAILURES) -> tuple[PlantedFailure, ...]:
    """Do actions on the simulated phone of settings, each rightly and with each failure that it may have.

    Args:
        failures: those to plant; ``none`` is the action done rightly.

    Raises:
        GuardFailed: the guard met an internal error.
    """
    return tuple(_all(load_text(_PROGRAM).checked(), load("settings"), frozenset(failures)))


def _all(program: Program, phone: PhoneSpec, wanted: frozenset[Failure]) -> Iterator[PlantedFailure]:
    for case in CASES:
        for failure, expected in case.expected.items():
            if failure in wanted:
                contracts = _done(program, _Direct(phone, case, failure), case)
                yield PlantedFailure(failure, case.control, case.action, expected, contracts)


def _done(program: Program, device: "_Direct", case: Case) -> tuple[Contract, ...]:
    """What the contracts of an action said."""
    guard = Guard(program, device, settings=Settings(mode="shadow", unknown_screen="allow"))
    with guard:
        acted = guard.step(case.action)
        if not acted.performed or acted.observed is None:
            raise ValueError(f"{case.action} was not carried out: {acted.problem or acted.verdict.level}")
        return acted.observed.contracts


class _Direct:
    """A simulated phone without a client between: it is looked at until two looks agree."""

    def __init__(self, phone: PhoneSpec, case: Case, failure: Failure) -> None:
        number = len(case.before) + 2  # the app is opened first
        faults = () if failure not in _FAULTS else (_at(_FAULTS[failure], number),)
        if failure == "too late":
            faults = (_at(Fault("stale", When(), count=_MOST_LOOKS), number),)
        self._phone = Phone(phone, Scenario(faults=faults))
        self._hurried = failure == "too late"
        self._phone.open_app(_APP)
        for name in case.before:
            self._phone.tap_id(name)
        self._acted = False

    def observe(self) -> TreeScreen:
        """The screen, as soon as two looks agree; if it has to be hurried, as the first look shows it."""
        last = self._look(settled=False)
        for _ in range(0 if self._hurried and self._acted else _MOST_LOOKS):
            newest = self._look(settled=True)
            if newest.fingerprint == last.fingerprint:
                return newest
            last = newest
        return last

    def _look(self, *, settled: bool) -> TreeScreen:
        phone = self._phone
        app = (phone.package, phone.activity)
        return TreeScreen(load_tree(dump(phone), name="settings"), app=app, now=phone.clock, settled=settled)

    def perform(self, action: Action, target: Cells) -> None:
        """Do what was judged."""
        phone = self._phone
        self._acted = True
        if action.name == "back":
            phone.key("BACK")
            return
        x, y = target["x"], target["y"]
        assert isinstance(x, int) and isinstance(y, int)
        if action.name == "tap":
            phone.tap(x, y)
        elif action.name == "input_text":
            field = phone.taker(x, y)
            assert field is not None
            phone.set_text(field, str(target["value"]))
        else:
            phone.swipe(x, y, x, y - 400)


def _at(fault: Fault, number: int) -> Fault:
    return Fault(fault.kind, When(at=(number,)), count=fault.count)
