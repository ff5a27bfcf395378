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
from vsalang.phone import NotDelivered
from vsalang.phone.open import open_device
from vsalang.phone.open.simulated import SimulatedDevice
from vsalang.program.action import Action
from vsalang.program.delivery import sending
from vsalang.program.values import Value
from vsalang.program.vocabulary import VOCABULARY
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump
from vsalang.screen.tree.target import resolve

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


# ---------------------------------------------------------------------- what the driver compares, and what it asks


def _node(text: str, top: int, more: str = "", inside: str = "", wide: int = 200) -> str:
    said = f'text="{text}" content-desc="" resource-id="" class="T" package="com.app" enabled="true" {more}'
    return f'<node {said} bounds="[0,{top}][{wide},{top + 100}]">{inside}</node>'


def _dump(*nodes: str) -> str:
    own = 'text="" content-desc="" resource-id="" class="F" package="com.app" bounds="[0,0][200,1000]"'
    return f"<hierarchy><node {own}>{''.join(nodes)}</node></hierarchy>"


BUTTON = 'clickable="true"'
ROWS = (_node("Mail 1", 0), _node("Delete", 100, BUTTON), _node("Mail 2", 200), _node("Delete", 300, BUTTON))


def _read(xml: str, *texts: str, names: tuple[str, ...] = ()) -> tuple[Any, ...]:
    """Nodes as a verdict names them that read them, by their texts."""
    screen = TreeScreen(load_dump(xml))
    read = {node.node: frozenset(names) for node in screen.tree.nodes if node.text in texts}
    return about_actions([], read, screen)


def _changed(judged: tuple[Any, ...], xml: str) -> str:
    try:
        conditional.still_about(xml, load_dump(xml), judged)
    except NotDelivered as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("nodes", "alike"),
    [
        (ROWS, True),
        ((*ROWS, _node("Mail 3", 400)), True),
        ((ROWS[0], ROWS[1], _node("Mail 7", 200), ROWS[3]), True),  # another row
        ((_node("Mail 2", 0), ROWS[1], _node("Mail 1", 200), ROWS[3]), False),  # each row shows, elsewhere
        ((_node("Mail 2", 0), ROWS[1]), False),
        ((_node("Mail 1", 0, wide=100), *ROWS[1:]), False),
        ((_node("Mail 1", 0).replace('class="T"', 'class="Button"'), *ROWS[1:]), False),
        ((), False),
    ],
)
def test_rows_that_move(nodes: tuple[str, ...], alike: bool) -> None:
    problem = _changed(_read(_dump(*ROWS), "Mail 1"), _dump(*nodes))
    assert (not problem) is alike
    assert alike or "'Mail 1' does not show any more as it did" in problem


@pytest.mark.parametrize("names", [("checked",), ()])
def test_only_states_that_were_read_count(names: tuple[str, ...]) -> None:
    before, after = (
        _dump(_node("Agreed", 0, f'checkable="true" checked="{on}"')) for on in ("true", "false")
    )
    assert bool(_changed(_read(before, "Agreed", names=names), after)) is bool(names)


def test_what_only_shows_a_parameter_may_move() -> None:
    screen = TreeScreen(load_dump(_dump(_node("To Ann", 0), _node("Ann", 100))))
    judged = about_actions([Action("Pay", {"to": "Ann"})], {}, screen)
    assert not _changed(judged, _dump(_node("Ann", 300), _node("To Ann", 100)))
    assert _changed(judged, _dump(_node("Ann", 300), _node("To Mallory", 100)))


def _together(xml: str, *texts: str) -> Any:
    tree = load_dump(xml)
    target = resolve(tree, "tap", {"text": "Pay"})
    only = conditional.only_there(xml, tree, Action("tap", {"text": "Pay"}), target)
    assert only is not None
    found = conditional.together(only, conditional.still_about(xml, tree, _read(xml, *texts)))
    return found and [found["text"], *(each["text"] for each in found["childOrSiblingSelector"])]


PAY = _node("Pay", 300, BUTTON)


def test_one_selector_names_what_hangs_together() -> None:
    beside = _dump(_node("To Ann", 0), _node("Sum 5", 100), PAY)
    assert _together(beside, "To Ann", "Sum 5") == ["To Ann", "Sum 5", "Pay"]
    within = _dump(_node("To Ann", 0), _node("", 300, inside=PAY))
    assert _together(within, "To Ann") == ["To Ann", "Pay"]
    apart = _dump(_node("", 0, inside=_node("To Ann", 0)), PAY)
    assert _together(apart, "To Ann") is None
    twice = _dump(_node("To Ann", 0), _node("To Ann", 100), PAY)
    assert _together(twice, "To Ann") is None  # the device would take the first


def test_only_what_no_selector_names_is_asked_apart() -> None:
    xml = _dump(_node("To Ann", 0), _node("", 100, inside=_node("Sum 5", 100)), PAY)
    tree = load_dump(xml)
    only = conditional.only_there(xml, tree, Action("tap"), resolve(tree, "tap", {"text": "Pay"}))
    assert only is not None
    nodes = conditional.still_about(xml, tree, _read(xml, "To Ann", "Sum 5"))
    assert [each.judged["text"] for each in conditional.apart(only, nodes)] == ["Sum 5"]


def test_an_equal_dump_has_the_tree_of_the_look() -> None:
    with open_device("sim:restaurant") as device:
        assert isinstance(device, SimulatedDevice)
        eyes = device.connection.eyes
        tree = device.observe().tree
        assert eyes.glance()[1] is tree
        device.phone.open_app(PACKAGE)
        assert eyes.glance()[1] is not tree


LOST = _node("Ad", 0, BUTTON).replace('bounds="[0,0][200,100]"', 'bounds="[0,0][0,0]"')


def test_the_middle_of_a_text_in_each_reading() -> None:
    """A button whose box is empty may lie anywhere: also where the text in the middle of a row would be clicked."""
    row = _node("", 300, BUTTON, inside='<node text="Pay" content-desc="" resource-id="" class="T" package="com.app" '
        'clickable="false" enabled="true" bounds="[0,310][50,330]"/>')  # fmt: skip
    action = Action("tap", {"x": 100, "y": 350})
    for nodes, clicks in (((row,), True), ((row, LOST), False)):
        xml = _dump(*nodes)
        tree = load_dump(xml)
        only = conditional.only_there(
            xml, tree, Action("tap", {"text": "Pay"}), resolve(tree, "tap", dict(action.args))
        )
        assert (only is not None and only.box == (0, 310, 50, 330)) is clicks


@pytest.mark.parametrize(
    ("action", "args"),
    [
        ("scroll", {"direction": "down"}),
        ("swipe", {"direction": "up"}),
        ("press_key", {"key": "ENTER"}),
        ("back", {}),
        ("shell", {"command": "input tap 1 1"}),
        ("open_app", {"package": PACKAGE}),
    ],
)
def test_every_gesture_is_checked(action: str, args: dict[str, Value]) -> None:
    with open_device("sim:restaurant") as device:
        assert isinstance(device, SimulatedDevice)
        device.phone.open_app(PACKAGE)
        screen = device.observe()
        judged = about_actions(
            [], {row["node"]: frozenset() for row in screen.rows("Node") if row.get("text") == "Q"}, screen
        )
        assert judged
        done = len(device.phone.inputs)
        target = screen.target(action, args) if action != "shell" else args
        with sending(judged):
            device.perform(Action(action, args), target)
        device.phone._change({"query": "zzz"})
        with (
            sending(judged) as sent,
            pytest.raises(NotDelivered, match="'Q' does not show any more as it did"),
        ):
            device.perform(Action(action, args), target)
        assert not sent.left and len(device.phone.inputs) <= done + 1
