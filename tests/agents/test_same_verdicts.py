"""One scripted agent by every way there is: the API, each adapter, the guarded adb. The verdicts are the same."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import adbutils
import pytest

from tests.agents.androidworld_types import AdbEnv, JSONAction
from vsalang import Guard, load, open_device
from vsalang.agents import Proposed, run_agent
from vsalang.agents.adapters.androidworld import GuardedEnv
from vsalang.agents.adapters.mobilerun.driver import guarded_driver
from vsalang.agents.driver import guarded
from vsalang.agents.steps import run_steps
from vsalang.guard import ActionBlocked, Verdict
from vsalang.phone.gate import ActionRefused, Gate, GateEvent
from vsalang.phone.gate.services import GuardedServices
from vsalang.phone.gate.sight import Sight
from vsalang.phone.open.simulated import SimulatedDevice
from vsalang.phone.wire import AdbServer, Banner, Upstream
from vsalang.program.action import Action
from vsalang.program.ir import Program

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = [
    (100, 720),  # restaurant Q
    "back",
    (100, 500),  # restaurant R
    (550, 1027),  # 20:00
    (360, 1426),  # reserve: nothing is marked
    (550, 1027),  # 20:00 again, in another state
    (550, 715),  # 18:30
    (550, 620),  # a taken one
    (600, 100),  # more options
    "back",
    (360, 1426),  # reserve
    "home",
]
Place = tuple[int, int] | str
Told = list[tuple[str, tuple[str, ...], tuple[str, ...]]]


@pytest.fixture(scope="module")
def program() -> Program:
    loaded = load(
        ROOT / "app_specs" / "examples" / "reserve_r.vsa",
        policies=[str(ROOT / "app_specs" / "examples" / "payments.vsa")],
    )
    assert loaded.program is not None, loaded.diagnostics
    return loaded.program


@contextmanager
def phone() -> Iterator[SimulatedDevice]:
    with open_device("sim:restaurant") as device:
        assert isinstance(device, SimulatedDevice)
        device.perform(Action("open_app", {"package": "com.opentable"}), {"package": "com.opentable"})
        yield device


def action(step: Place) -> Action:
    return Action(step) if isinstance(step, str) else Action("tap", {"x": step[0], "y": step[1]})


def said(verdict: Verdict) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    reasons = tuple(sorted(f"{reason.kind}: {reason.message}" for reason in verdict.reasons))
    return verdict.level, tuple(map(str, verdict.actions)), reasons


def by_api(program: Program, device: SimulatedDevice) -> Told:
    proposals = [Proposed(action(step)) for step in SCRIPT]
    return [said(done.verdict) for done in run_agent(Guard(program), device, proposals)]


def by_steps(program: Program, device: SimulatedDevice) -> Told:
    left = iter(SCRIPT)
    steps = run_steps(
        Guard(program), device, lambda seen: action(step) if (step := next(left, None)) else None
    )
    return [said(done.verdict) for done in steps]


def through_a_gate(
    program: Program, device: SimulatedDevice, made: Callable[[Gate], Callable[[Place], Any]]
) -> Told:
    events: list[GateEvent] = []
    gate = Gate(Guard(program), device.observe, listener=events.append)
    act = made(gate)
    for step in SCRIPT:
        with suppress(ActionBlocked, ActionRefused):
            act(step)
    return [said(event.verdict) for event in events if event.verdict is not None]


def by_driver(program: Program, device: SimulatedDevice) -> Told:
    class Hand:
        def tap(self, x: int, y: int) -> None:
            device.perform(Action("tap"), {"x": x, "y": y})

        def back(self) -> None:
            device.perform(Action("back"), {})

        def home(self) -> None:
            device.perform(Action("home"), {})

    def made(gate: Gate) -> Callable[[Place], Any]:
        hand = guarded(Hand(), gate)
        return lambda step: getattr(hand, step)() if isinstance(step, str) else hand.tap(*step)

    return through_a_gate(program, device, made)


def by_androidworld(program: Program, device: SimulatedDevice) -> Told:
    adb = adbutils.AdbClient(host="127.0.0.1", port=device.adb_port).device(device.info.serial)
    bare = AdbEnv(lambda command: str(adb.shell(command)), (device.info.width, device.info.height))

    def made(gate: Gate) -> Callable[[Place], Any]:
        env = GuardedEnv(bare, gate)

        def act(step: Place) -> None:
            if isinstance(step, str):
                env.execute_action(JSONAction(f"navigate_{step}"))
            else:
                env.execute_action(JSONAction("click", x=step[0], y=step[1]))

        return act

    return through_a_gate(program, device, made)


def by_mobilerun(program: Program, device: SimulatedDevice) -> Told:
    pytest.importorskip("mobilerun_core_local", reason="pip install mobilerun-core-local")
    from async_adbutils import AdbClient, AdbDevice
    from mobilerun_core_local.driver.android import AndroidDriver

    async def main(gate: Gate) -> None:
        inner = AndroidDriver(device.info.serial, portal_mode="disabled")
        inner.device = AdbDevice(AdbClient(host="127.0.0.1", port=device.adb_port), serial=device.info.serial)
        inner._connected = True
        driver = guarded_driver(inner, gate)
        for step in SCRIPT:
            with suppress(ActionBlocked, ActionRefused):
                await (driver.press_button(step) if isinstance(step, str) else driver.tap(*step))

    events: list[GateEvent] = []
    asyncio.run(main(Gate(Guard(program), device.observe, listener=events.append)))
    return [said(event.verdict) for event in events if event.verdict is not None]


def by_adb(program: Program, device: SimulatedDevice) -> Told:
    events: list[GateEvent] = []
    with ExitStack() as stack:
        phone = Upstream("127.0.0.1", device.adb_port, device.info.serial)
        sight = Sight(device, phone)
        gate = Gate(Guard(program), sight.look, listener=events.append)
        services = GuardedServices(gate, phone, sight)
        server = AdbServer.start({"guarded": (services, Banner("p", "m", "d", ("shell_v2", "cmd")))})
        stack.callback(server.close)
        adb = adbutils.AdbClient(host="127.0.0.1", port=server.port).device("guarded")
        for step in SCRIPT:
            adb.shell(
                f"input keyevent {step.upper()}"
                if isinstance(step, str)
                else f"input tap {step[0]} {step[1]}"
            )
    return [said(event.verdict) for event in events if event.verdict is not None]


WAYS = [by_steps, by_driver, by_androidworld, by_mobilerun, by_adb]


@pytest.fixture(scope="module")
def expected(program: Program) -> tuple[Told, list[tuple[str, str]]]:
    """What the API says, and what reached the phone."""
    with phone() as device:
        return by_api(program, device), [(made.kind, made.target) for made in device.phone.inputs]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_the_verdicts_are_the_same(
    program: Program,
    expected: tuple[Told, list[tuple[str, str]]],
    way: Callable[[Program, SimulatedDevice], Told],
) -> None:
    told, inputs = expected
    assert {level for level, *_ in told} >= {"allow", "block", "warn"} and len(told) == len(SCRIPT)
    with phone() as device:
        assert way(program, device) == told
        assert [(made.kind, made.target) for made in device.phone.inputs] == inputs
