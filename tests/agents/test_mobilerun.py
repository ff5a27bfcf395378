"""mobilerun's own Android driver behind the guard, on the simulated phone; and its tool `complete`."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip(
    "mobilerun_core_local", reason="mobilerun-core-local is not installed: pip install mobilerun-core-local"
)

from async_adbutils import AdbClient
from mobilerun_core_local.driver.android import AndroidDriver
from mobilerun_core_local.driver.base import DeviceDriver
from mobilerun_core_local.driver.recording import RecordingDriver
from mobilerun_core_local.driver.stealth import StealthDriver

from vsalang import Guard, load, open_device
from vsalang.agents.adapters.mobilerun.driver import CALLS, READS, _clock, complete, guarded_driver, look
from vsalang.guard import ActionBlocked
from vsalang.phone.gate import ActionRefused, Gate, GateEvent
from vsalang.phone.open.simulated import SimulatedDevice
from vsalang.program.action import Action
from vsalang.program.ir import Program

ROOT = Path(__file__).resolve().parents[2]
WAYS_ROUND = {"device", "portal"}
SIZE = (720, 1520)


@dataclass
class Setting:
    device: SimulatedDevice
    gate: Gate
    driver: Any
    events: list[GateEvent]

    def reached(self) -> list[tuple[str, str]]:
        return [(made.kind, made.target or made.text) for made in self.device.phone.inputs[1:]]


@pytest.fixture(scope="module")
def program() -> Program:
    loaded = load(ROOT / "app_specs" / "examples" / "reserve_r.vsa")
    assert loaded.program is not None, loaded.diagnostics
    return loaded.program


@pytest.fixture
def setting(program: Program, monkeypatch: pytest.MonkeyPatch) -> Iterator[Setting]:
    with open_device("sim:restaurant") as device:
        assert isinstance(device, SimulatedDevice)
        device.perform(Action("open_app", {"package": "com.opentable"}), {"package": "com.opentable"})
        client = AdbClient(host="127.0.0.1", port=device.adb_port)
        monkeypatch.setattr("mobilerun_core_local.driver.android.adb.adb", client)
        events: list[GateEvent] = []
        gate = Gate(Guard(program), device.observe, listener=events.append)
        inner = AndroidDriver(device.info.serial, portal_mode="disabled")
        yield Setting(device, gate, guarded_driver(inner, gate), events)


def run(setting: Setting, what: Callable[[Any], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        await setting.driver.connect()
        await what(setting.driver)

    asyncio.run(main())


def middle(tree: Any, wanted: str) -> tuple[int, int]:
    """The middle of the node with a text, in the tree that the driver gives."""
    for node in tree if isinstance(tree, list) else [tree]:
        if node["text"] == wanted:
            box = node["boundsInScreen"]
            return (box["left"] + box["right"]) // 2, (box["top"] + box["bottom"]) // 2
        found = middle(node.get("children", []), wanted)
        if found != (0, 0):
            return found
    return 0, 0


async def tap(driver: Any, wanted: str) -> None:
    await driver.tap(*middle((await driver.get_ui_tree())["a11y_tree"], wanted))


class Context:
    """What mobilerun gives its tools, as far as `complete` uses it."""

    def __init__(self) -> None:
        self.shared_state = self
        self.ended: list[Any] = []
        self.answer = ""

    async def complete(self, success: bool, reason: str = "", message: str = "") -> None:
        self.ended.append(success)
        self.answer = message or reason


def test_a_task(setting: Setting) -> None:
    tool, context = complete(setting.gate)["function"], Context()

    async def task(driver: Any) -> None:
        await tap(driver, "R")
        with pytest.raises(ActionBlocked, match="wanted < 19:00"):
            await tap(driver, "20:00")
        await tap(driver, "18:30")
        accepted, why = await tool(success=True, message="done", ctx=context)
        assert not accepted and "the task is not done" in why and context.ended == []
        await tap(driver, "Reserve 18:30")
        assert await tool(success=True, message="done", ctx=context) == (True, "done")

    run(setting, task)
    assert context.ended == [True] and setting.gate.finished
    assert setting.reached() == [("tap", "result_card"), ("tap", "slot"), ("tap", "reserve_button")]


def test_a_task_seen_through_its_own_eyes(setting: Setting, program: Program) -> None:
    """The guard sees what `get_ui_tree` gives: no second service on the phone."""
    events: list[GateEvent] = []

    async def task(driver: Any) -> None:
        inner = driver._driver
        gate = Gate(Guard(program), look(inner), listener=events.append)
        mine = guarded_driver(inner, gate)
        with pytest.raises(RuntimeError, match="would wait for ever"):
            gate._look()
        await asyncio.to_thread(gate.begin)
        await tap(mine, "R")
        with pytest.raises(ActionBlocked, match="wanted < 19:00"):
            await tap(mine, "20:00")
        await tap(mine, "18:30")
        await tap(mine, "Reserve 18:30")
        assert (await complete(gate)["function"](success=True, ctx=Context()))[0]
        (clock,) = gate.guard.snapshot.screen.rows("Clock")  # type: ignore[union-attr]
        assert str(clock["today"]) == "2026-04-01"

    run(setting, task)
    assert [event.outcome for event in events] == ["passed", "blocked", "passed", "passed", "passed"]


def test_what_cannot_be_seen_is_not_acted_upon(setting: Setting, program: Program) -> None:
    events: list[GateEvent] = []

    async def task(driver: Any) -> None:
        inner = driver._driver
        gate = Gate(Guard(program), look(inner), listener=events.append)

        async def nonsense(filter: bool = True) -> Any:
            return {"a11y_tree": 7}

        inner.get_ui_tree = nonsense
        with pytest.raises(ActionRefused, match="it cannot be judged"):
            await guarded_driver(inner, gate).tap(1, 2)

    run(setting, task)
    assert setting.reached() == []


@pytest.mark.parametrize(
    ("said", "clock"),
    [
        ("Wed Apr  1 12:00:00 UTC 2026", "2026-04-01 12:00:00"),
        ("Wed Apr 1 12:00:00 2026", "2026-04-01 12:00:00"),
        ("Thu Dec 31 23:59:59 CET 2026", "2026-12-31 23:59:59"),
        ("Apr 31 12:00:00 2026", "None"),
        ("mercredi 1 avril 2026, 12:00:00 (UTC+0200)", "None"),
        ("", "None"),
    ],
)
def test_the_clock_of_the_driver(said: str, clock: str) -> None:
    assert str(_clock(said)) == clock


def test_giving_up_and_nonsense(setting: Setting) -> None:
    tool, context = complete(setting.gate)["function"], Context()

    async def task(driver: Any) -> None:
        accepted, why = await tool(success="yes", message="", ctx=context)
        assert not accepted and "complete needs `success`" in why
        assert await tool(success=False, reason="no table", ctx=context) == (True, "no table")

    run(setting, task)
    assert context.ended == [False]
    assert [str(action) for action in setting.events[-1].actions] == ['give_up(reason = "no table")']


def test_what_the_inputs_are(setting: Setting) -> None:
    async def task(driver: Any) -> None:
        field = middle((await driver.get_ui_tree())["a11y_tree"], "Search restaurants")
        await driver.tap(*field)
        assert await driver.input_text("Roma") is True
        await driver.swipe(360, 1200, 360, 500)
        await driver.swipe(*field, *field, duration_ms=600)
        await driver.press_button("back")
        await driver.press_key_code(3)

    run(setting, task)
    assert [[str(action) for action in event.actions] for event in setting.events][1:] == [
        ['input_text(value = "Roma")'],
        ["swipe(x = 360, y = 1200, x2 = 360, y2 = 500, duration = 1s)"],
        ["long_press(x = 360, y = 236)"],
        ["back()"],
        ["home()"],
    ]
    assert [kind for kind, _ in setting.reached()] == ["tap", "text", "swipe", "long_press", "key", "key"]


@pytest.mark.parametrize(
    ("name", "args", "what"),
    [
        ("stop_app", ("com.bank",), 'shell(command = "am force-stop com.bank")'),
        ("uninstall_app", ("com.bank",), 'shell(command = "pm uninstall com.bank")'),
        ("clear_app_data", ("com.bank",), 'shell(command = "pm clear com.bank")'),
        ("grant_permission", ("com.bank", "CAMERA"), 'shell(command = "pm grant com.bank CAMERA")'),
        ("start_app", ("com.bank", ".Pay"), 'shell(command = "am start -n com.bank/.Pay")'),
        (
            "open_deep_link",
            ("bank:pay",),
            'shell(command = "am start -a android.intent.action.VIEW -d bank:pay")',
        ),
        (
            "open_deep_link",
            ("bank:pay", "com.bank"),
            'shell(command = "am start -a android.intent.action.VIEW -d bank:pay -p com.bank")',
        ),
        ("install_app", ("bank.apk",), "install()"),
    ],
)
def test_what_is_no_gesture_is_blocked(setting: Setting, name: str, args: tuple[str, ...], what: str) -> None:
    async def task(driver: Any) -> None:
        with pytest.raises(ActionBlocked):
            await getattr(driver, name)(*args)

    run(setting, task)
    assert [str(action) for action in setting.events[-1].actions] == [what]
    assert setting.reached() == []


def test_no_way_leads_round(setting: Setting) -> None:
    """Every public name of the real driver is judged, known to only look, or not there."""
    inner = setting.driver._driver
    names = {name for name in dir(inner) if not name.startswith("_")}
    there = {name for name in names if hasattr(setting.driver, name)}
    assert names - there == WAYS_ROUND
    assert there <= set(CALLS) | set(READS)
    acts = {name for name in vars(DeviceDriver) if asyncio.iscoroutinefunction(getattr(DeviceDriver, name))}
    assert acts <= set(CALLS) | set(READS)


@pytest.mark.parametrize(
    "args", [("1", 2), (1, None), (1,), (-5, 3), (1, 2, 3), ([1], 2), (1.5, 3), (1, "2.5")]
)
def test_what_is_no_place_is_refused(setting: Setting, args: tuple[Any, ...]) -> None:
    async def task(driver: Any) -> None:
        if args == ("1", 2):
            await driver.tap(*args)  # digits are a number, and the driver takes them for one
            return
        with pytest.raises(ActionRefused, match="tap is not understood"):
            await driver.tap(*args)

    run(setting, task)


def test_under_mobileruns_own_wrappers(setting: Setting) -> None:
    """Its stealth mode would swipe through the raw adb connection; it finds none, and asks the guarded driver."""

    async def task(driver: Any) -> None:
        outer = RecordingDriver(StealthDriver(driver))
        await tap(outer, "R")
        with pytest.raises(ActionBlocked):
            await tap(outer, "20:00")
        await outer.swipe(360, 900, 360, 700, 10)
        assert [entry["action_type"] for entry in outer.log] == ["tap", "swipe"]
        assert outer.platform == "Android" and "tap" in outer.supported

    run(setting, task)
    assert [kind for kind, _ in setting.reached()] == ["tap", "swipe"]
