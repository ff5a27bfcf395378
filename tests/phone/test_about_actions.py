"""What an action is about changes between the last look and the touch, and the node that is touched stays the same."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from vsalang.guard import Guard
from vsalang.guard.world.about_actions import about_actions
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load
from vsalang.phone.open import open_device
from vsalang.phone.open.simulated import SimulatedDevice
from vsalang.program.action import Action
from vsalang.program.values import Value
from vsalang.program.vocabulary import VOCABULARY

pytest.importorskip("uiautomator2")
from vsalang.phone.uiautomator import acting, conditional

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "com.opentable"


def _about_to_reserve(device: SimulatedDevice) -> Guard:
    """The page of R, half past six marked: the button says `Reserve 18:30`, and not where."""
    device.phone.open_app(PACKAGE)
    program = load(ROOT / "app_specs" / "examples" / "reserve_r.vsa").checked()
    guard = Guard(program, device, today=device.phone.clock.date())
    for text in ("R", "18:30"):
        assert guard.step(Action("tap", {"text": text})).performed
    return guard


def _when(monkeypatch: pytest.MonkeyPatch, where: Any, name: str, act: Callable[[], None]) -> None:
    """Let something happen right after a function was called once."""
    real, done = getattr(where, name), []

    def called(*args: Any, **more: Any) -> Any:
        found = real(*args, **more)
        if not done:
            done.append(name)
            act()
        return found

    monkeypatch.setattr(where, name, called)


@pytest.mark.parametrize("checked", [True, False])
@pytest.mark.parametrize("after", ["commit", "last dump"])
def test_another_restaurant_before_the_touch(
    monkeypatch: pytest.MonkeyPatch, after: str, checked: bool
) -> None:
    """Before the driver looks, or between that and its question to the device. Unchecked, Q is reserved."""
    with open_device("sim:restaurant") as device:
        assert isinstance(device, SimulatedDevice)
        guard = _about_to_reserve(device)

        def changed() -> None:
            device.phone._change({"restaurant": "Q"})

        if after == "commit":
            _when(monkeypatch, guard, "commit", changed)
        else:
            _when(monkeypatch, conditional, "only_there", changed)
        if not checked:
            monkeypatch.setattr(conditional, "still_about", lambda *_: ())
        done = guard.step(Action("tap", {"id": "reserve_button"}))
        booked = device.phone.state(PACKAGE)["booked"]
        if checked:
            assert not done.performed and not booked
            assert (
                "what the action is about is not what was judged: 'R' does not show any more" in done.problem
            )
            assert not guard.ledger  # nothing has left: the licence is not used
        else:
            assert done.performed and booked and booked[0].startswith("Q|")


def test_nothing_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    real = acting.conditional.still_about
    monkeypatch.setattr(conditional, "still_about", lambda *args: told.append(args[2]) or real(*args))
    with open_device("sim:restaurant") as device:
        assert isinstance(device, SimulatedDevice)
        guard = _about_to_reserve(device)
        assert guard.step(Action("tap", {"id": "reserve_button"})).performed
        assert device.phone.state(PACKAGE)["booked"]
    assert "restaurant_name" in {row.get("id") for row in told[-1]}


@pytest.mark.parametrize(
    ("value", "said", "found"),
    [
        ("Ann", "To Ann", True),
        ("Ann", "To Anna", False),
        ("R", "Reserve", False),
        ("a.b", "axb", False),
        (5, "Sum 5", True),
        (5, "Sum 500", False),
        (5, "Sum 5.00 EUR", True),
        (5, "Sum 5.50 EUR", False),
        (Decimal("5.5"), "5.5 EUR", True),
        (True, "True", False),
        (" ", "a b", False),
    ],
)
def test_which_nodes_say_what_an_action_is_about(value: Value, said: str, found: bool) -> None:
    screen = FactScreen().seen(VOCABULARY["Node"], {"node": 1, "text": said, "package": "com.app"})
    assert bool(about_actions([Action("Pay", {"to": value})], {}, screen)) is found
    assert about_actions([Action("Pay", {"to": value})], {}, None) == ()
