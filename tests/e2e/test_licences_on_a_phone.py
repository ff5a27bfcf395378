"""Whatever a phone does with what it is sent, nothing happens on it more often than the task or the user allowed."""

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import processes
from tests.phone.gate.live import SERIAL, live
from tests.thorough import times
from vsalang.agents.adapters.uiautomator2.device import GuardedDevice
from vsalang.base.resources import resource_dir
from vsalang.guard import Guard, NotAllowed, StepOutcome
from vsalang.guard.journal import Recorder, read_session, resume
from vsalang.guard.journal.file import Journal
from vsalang.guard.world.clock import ScreenClock
from vsalang.language.semantics import load
from vsalang.phone import DeviceError
from vsalang.phone.open.simulated import SimulatedDevice
from vsalang.phone.wire import ServiceRefused, Upstream
from vsalang.program.action import Action
from vsalang.program.screen import Cells, Screen

pytest.importorskip("uiautomator2")
SPEC = resource_dir("app_specs") / "examples" / "reserve_r.vsa"
PACKAGE = "com.opentable"
OPEN, SLOT, RESERVE = (223, 446), (360, 715), (360, 1426)
LATE = """
[scenario]
title = "The app answers after twenty seconds"

[[answer]]
event = "reserve"
delay = 20
set = { outcome = "'ok'", booked = "booked + [restaurant ~ '|' ~ (today | plus_days(day)) ~ '|' ~ marked]" }
goto = "receipt"
"""


def scenario(folder: Path, text: str) -> str:
    path = folder / "s.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


class Bookings:
    """Counts the tables that the app of a phone books, even if the app ends."""

    def __init__(self, device: SimulatedDevice) -> None:
        self._phone = device.phone
        self._count = 0
        apply = self._phone._apply

        def counted(app: Any, rule: Any, value: str, text: str) -> None:
            self._count += rule.event == "reserve"
            apply(app, rule, value, text)

        object.__setattr__(self._phone, "_apply", counted)

    def count(self) -> int:
        """How many there are once all has come that is still to come."""
        self._phone.sleep(120)
        return self._count


@contextlib.contextmanager
def guarded(faults: str) -> Iterator[tuple[Guard, SimulatedDevice, Bookings]]:
    program = load(str(SPEC)).checked()
    with SimulatedDevice.start("restaurant", scenario=faults) as device:
        device.phone.open_app(PACKAGE)
        clock = ScreenClock(live=False)
        clock.see(device.observe())
        yield Guard(program, device, today=clock().date(), clock=clock), device, Bookings(device)


def tap(at: tuple[int, int]) -> Action:
    return Action("tap", {"x": at[0], "y": at[1]})


WAIT = Action("wait", {})


# ---------------------------------------------------------------- an app that answers late


def impatient(guard: Guard, *, yes: bool) -> list[StepOutcome]:
    """An agent that books again and again, as long as it sees no receipt."""
    guard.step(tap(OPEN))
    guard.step(tap(SLOT))
    done = []
    for _ in range(5):
        done.append(guard.step(tap(RESERVE), approved=yes))
        guard.step(WAIT)
    return done


def test_a_late_answer_is_paid_once(tmp_path: Path) -> None:
    with guarded(scenario(tmp_path, LATE)) as (guard, device, bookings):
        done = impatient(guard, yes=False)
        assert done[0].performed and done[0].observed is not None and done[0].observed.taken_back
        assert [each.performed for each in done[1:]] == [False] * 4
        assert all(each.verdict.level != "allow" for each in done[1:])
        assert done[1].verdict.level == "confirm" and done[1].verdict.because("licence")
        assert bookings.count() == 1
        observed = guard.observe(device.observe())
        assert [action.name.rpartition(".")[2] for action in observed.came_late] == ["Reserve"]
        assert guard.propose(Action("finish")).allowed


def test_each_yes_is_good_for_one(tmp_path: Path) -> None:
    with guarded(scenario(tmp_path, LATE)) as (guard, _device, bookings):
        done = impatient(guard, yes=True)
        assert 1 < bookings.count() <= sum(each.performed for each in done)


def test_the_guarded_phone_pays_once_after_a_late_answer(tmp_path: Path) -> None:
    with live(SPEC, scenario=scenario(tmp_path, LATE)) as found:
        upstream, bookings = Upstream("127.0.0.1", found.port, SERIAL), Bookings(found.device)

        def sends(command: str) -> None:
            with (
                contextlib.suppress(ServiceRefused, DeviceError),
                upstream.open(f"shell:{command}") as stream,
            ):
                stream.set_timeout(20)
                stream.read_all()

        for x, y in (OPEN, SLOT, *[RESERVE] * 5):
            sends(f"input tap {x} {y}")
        assert bookings.count() == 1
        assert [event.outcome for event in found.events].count("blocked") == 4


def test_a_guarded_device_pays_once_after_a_late_answer(tmp_path: Path) -> None:
    with SimulatedDevice.start("restaurant", scenario=scenario(tmp_path, LATE)) as phone:
        phone.phone.open_app(PACKAGE)
        clock = ScreenClock(live=False)
        clock.see(phone.observe())
        bookings = Bookings(phone)
        d = GuardedDevice(phone, Guard(load(str(SPEC)).checked(), today=clock().date(), clock=clock))
        refused = 0
        for at in (OPEN, SLOT, *[RESERVE] * 5):
            try:
                d.click(*at)
            except NotAllowed:
                refused += 1
        assert refused == 4
        assert bookings.count() == 1


IMPATIENT = f"""
import uiautomator2 as u2
d = u2.connect()
for at in {[OPEN, SLOT, *[RESERVE] * 5]}:
    try:
        d.click(*at)
        print("passed")
    except u2.RPCError as error:
        print("refused")
"""


def test_a_program_pays_once_after_a_late_answer(tmp_path: Path) -> None:
    agent, journal = tmp_path / "agent.py", tmp_path / "journal.jsonl"
    agent.write_text(IMPATIENT)
    device = f"sim:restaurant#{scenario(tmp_path, LATE)}"
    command = [
        "-m", "vsalang.tools.cli.main", "guard", str(SPEC), "--device", device, "--open", PACKAGE,
        "--journal", str(journal), "--", sys.executable, str(agent),
    ]  # fmt: skip
    done = processes.run(command, cwd=tmp_path)
    assert [done.stdout.count(word) for word in ("passed", "refused")] == [3, 4], done.stderr
    steps = [step for step in read_session(journal).steps if "Reserve" in str(step.verdict["actions"])]
    assert [bool(step.commit) for step in steps] == [True] + [False] * 4
    assert {step.level for step in steps[1:]} <= {"confirm", "block"}


# ---------------------------------------------------------------- any faults


def fault(kind: str, *more: str) -> st.SearchStrategy[str]:
    chances = st.sampled_from((0.0, 0.1, 0.3))
    return chances.map(lambda p: "\n".join([f'[[fault]]\nkind = "{kind}"\np = {p}', *more, ""]) if p else "")


FAULTS = st.builds(
    lambda seed, delay, *parts: (
        f'[scenario]\ntitle = "any"\nseed = {seed}\n'
        + "".join(parts)
        + (LATE.partition("[[answer]]")[1] + LATE.partition("[[answer]]")[2]).replace("20", str(delay))
    ),
    st.integers(0, 2**31),
    st.sampled_from((1, 6, 20, 40)),
    fault("lost"),
    fault("delayed", 'on = "tap"', "seconds = 7"),
    fault("stale", "looks = 2"),
    fault("empty"),
    fault("dead", 'method = "click"', "after = true"),
    fault("dead", 'method = "click"', "after = false"),
    fault("dead", 'method = "dumpWindowHierarchy"'),
    st.sampled_from(("", *(f'[[fault]]\nkind = "offline"\nat = {at}\nopens = 2\n' for at in (40, 60, 90)))),
    st.sampled_from(
        (
            "",
            '[[surprise]]\ndialog = "update"\non = "tap"\ntarget = "reserve_button"\ntimes = 1\nrace = true\n',
        )
    ),
)
STEPS = st.lists(
    st.sampled_from(
        (
            tap(RESERVE),
            tap(RESERVE),
            tap(RESERVE),
            tap(SLOT),
            tap(OPEN),
            WAIT,
            Action("double_tap", {"x": RESERVE[0], "y": RESERVE[1]}),
            Action("long_press", {"x": RESERVE[0], "y": RESERVE[1]}),
            Action("back"),
            Action("open_app", {"package": PACKAGE}),
            Action("finish"),
            "kill",
            "resume",
        )
    ),
    min_size=4,
    max_size=14,
)


@pytest.mark.slow
@settings(max_examples=times(4, 8), deadline=None, suppress_health_check=list(HealthCheck))
@given(faults=FAULTS, steps=STEPS)
def test_nothing_is_done_more_often_than_licensed(
    tmp_path_factory: pytest.TempPathFactory, faults: str, steps: list[Action | str]
) -> None:
    """The phone may lose, delay and refuse, show what is old or nothing, be killed; and the guard may be killed."""
    folder = tmp_path_factory.mktemp("phone")
    path = folder / "journal.jsonl"
    loaded = load(str(SPEC))
    try:
        started = SimulatedDevice.start("restaurant", scenario=scenario(folder, faults))
    except DeviceError:
        return  # it is in so bad a shape that nothing can be sent to it at all
    with started as device:
        device.phone.open_app(PACKAGE)
        bookings = Bookings(device)
        recorder = Recorder(Journal(path, sync="none"), sources=loaded.sources, spec=str(SPEC))
        guard = Guard(loaded.checked(), device, recorder=recorder)
        for step in [tap(OPEN), tap(SLOT), *steps]:
            if step == "kill":
                device.phone.stop_app(PACKAGE)
                device.phone.open_app(PACKAGE)
            elif step == "resume":
                recorder.journal.close()
                resumed = resume(path, device=device, sync="none")
                guard, recorder = resumed.guard, resumed.recorder
            else:
                with contextlib.suppress(DeviceError, NotAllowed):
                    if guard.running:
                        guard.observe(device.observe(), None)
                    assert isinstance(step, Action)
                    guard.step(step)
        recorder.journal.close()
        assert bookings.count() <= 1


# ---------------------------------------------------------------- killed between the charge and the first byte


class Killed:
    """A phone whose guard is killed when it is told to act, before anything is sent."""

    def __init__(self, screen: Callable[[], Screen]) -> None:
        self._screen = screen

    def observe(self) -> Screen:
        return self._screen()

    def perform(self, action: Action, target: Cells) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_what_a_killed_guard_charged_stays_charged(tmp_path: Path) -> None:
    from tests.guard.test_ledger import APP, HOME, PAID, PAY
    from tests.guard.test_ledger import SPEC as PAYS

    (tmp_path / "bank.vsa").write_text(APP.format(annotation=""))
    (tmp_path / "t.vsa").write_text(PAYS)
    loaded = load(tmp_path / "t.vsa")
    path = tmp_path / "journal.jsonl"
    child = os.fork()
    if not child:  # pragma: no cover
        try:
            recorder = Recorder(Journal(path), sources=loaded.sources, spec="t.vsa")
            Guard(loaded.checked(), Killed(lambda: HOME), recorder=recorder).step(PAY)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    with resume(path, program=loaded.checked()) as resumed:
        guard: Any = resumed.guard
        assert resumed.in_flight is not None and resumed.in_flight.delivered is None
        assert guard.propose(PAY).because("running")
        guard.observe(HOME, False)  # nobody can know that any more
        (charge,) = guard.ledger
        assert charge.outcome == "unknown" and not charge.returned
        assert guard.propose(PAY).level == "confirm"
        guard.give_back(0)
        assert guard.propose(PAY).allowed
    with resume(path, program=loaded.checked()) as again:  # what the user gave back is in the journal
        assert again.guard.ledger[0].returned and again.guard.propose(PAY).allowed
        again.guard.commit()
        again.guard.observe(PAID)
        assert again.guard.propose(PAY).level == "block"
