"""A session of a phone that others use, recorded: what was done, on which screen, and what is not known."""

import datetime as dt
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import processes
from tests.agents.touched_phone import touched_phone
from vsalang.agents.inputs import InputEvent, KernelInputs, PhoneInputs, inputs_of
from vsalang.agents.recording import EMPTY, Recording
from vsalang.agents.walks import read_steps
from vsalang.guard import Guard, Settings
from vsalang.guard.journal import Recorder, read_session, recorded_program, replay
from vsalang.guard.journal.file import Journal
from vsalang.guard.world.clock import ScreenClock
from vsalang.language.semantics import load, load_text
from vsalang.phone import DeviceError, DeviceLost
from vsalang.phone.open import open_device
from vsalang.phone.sim import Input
from vsalang.phone.sim.running import Input as SimInput
from vsalang.program.action import Action
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump
from vsalang.tools.cli.main import run

ROOT = Path(__file__).resolve().parents[2]
RESERVE = ROOT / "app_specs" / "examples" / "reserve_r.vsa"


def screen(text: str) -> TreeScreen:
    node = f'<node text="{text}" package="a.b" clickable="true" enabled="true" bounds="[0,0][90,90]"/>'
    return TreeScreen(load_dump(f"<hierarchy>{node}</hierarchy>"), app=("a.b", None), settled=True)


class Script:
    """A phone and its inputs, as a test tells them: at each look a screen (or an error), and what was done by then."""

    underway = False

    def __init__(self, *looks: tuple[Any, list[InputEvent]]) -> None:
        self.looks = list(looks)
        self.stop = threading.Event()
        self.waiting: list[InputEvent] = []

    def look(self) -> Any:
        found, done = self.looks[0]
        self.waiting += done
        if len(self.looks) > 1:
            del self.looks[0]
        else:
            self.looks[0] = (found, [])
            self.stop.set()
        if isinstance(found, Exception):
            raise found
        return screen(found)

    def taken(self) -> list[InputEvent]:
        found, self.waiting = self.waiting, []
        return found

    def close(self) -> None:
        pass


TAP = InputEvent(Action("tap", {"x": 5, "y": 5}))
BACK = InputEvent(Action("back"))


def recorded(path: Path, script: Script) -> list[str]:
    """What a recording's journal holds, in short."""
    loaded = load_text(EMPTY, file="recording.vsa")
    assert loaded.program is not None
    with Journal(path, sync="none") as journal:
        recorder = Recorder(journal, sources=loaded.sources, spec=loaded.file)
        guard = Guard(loaded.program, settings=Settings(mode="shadow"), recorder=recorder)
        recording = Recording(guard, script.look, script, every=0.0, task=False)
        list(recording.run(script.stop))
        assert recording.end() is None
        recorder.end(completed=None)
    session = read_session(path)
    found = []
    for record in session.records:
        if record.kind == "observe":
            look = record.data["screen"]
            shown = session.screen(look).rows("Node")[0]["text"] if look is not None else None
            found.append(f"{shown}" if record.data["delivered"] is not False else f"{shown}, not delivered")
        elif record.kind == "propose":
            found.append(record.data["verdict"]["proposal"])
    program = recorded_program(session).program
    assert program is not None and not replay(session, program).flipped
    return found


def test_what_is_done_is_judged_on_the_screen_before(tmp_path: Path):
    # the look at B shows the result of the tap; a look that brings no news is not recorded
    script = Script(("A", []), ("A", []), ("B", [TAP]), ("B", []), ("B", []), ("C", []), ("C", []))
    assert recorded(tmp_path / "j", script) == ["A", "tap(x = 5, y = 5)", "B", "C", "finish()"]


def test_of_two_inputs_the_second_has_no_screen(tmp_path: Path):
    script = Script(("A", []), ("B", [TAP, BACK]), ("C", []), ("C", []))
    assert recorded(tmp_path / "j", script) == ["A", "tap(x = 5, y = 5)", "None", "back()", "C", "finish()"]
    steps = read_session(tmp_path / "j").steps
    assert [r["kind"] for r in steps[1].verdict["reasons"]] == ["no_screen"]
    assert [step.judged for step in steps] == [True, False, True]


def test_what_nobody_saw_is_not_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "j"
    recorded(path, Script(("A", []), ("B", [TAP, BACK]), ("C", []), ("C", [])))
    assert run(["journal", "show", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "· not judged" in shown and "→ not judged: done before the screen was looked at" in shown
    assert "1 not judged" in shown and "no screen has been observed" not in shown
    assert run(["journal", "show", str(path), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["counts"]["unjudged"] == 1
    assert data["counts"]["blocked"] == 1  # the first tap: no task allows it; what nobody saw does not count
    assert [event["judged"] for event in data["events"] if "judged" in event] == [True, False, True]
    assert run(["journal", "show", str(path), "--html", str(tmp_path / "page.html")]) == 0
    assert "· not judged" in (tmp_path / "page.html").read_text()
    capsys.readouterr()
    run(["journal", "replay", str(path), "--spec", str(RESERVE), "--json"])
    judgements = json.loads(capsys.readouterr().out)["judgements"]
    assert [(item["outcome"], item["now"] is None) for item in judgements][1] == ("unjudged", True)
    run(["journal", "replay", str(path), "--spec", str(RESERVE), "--all"])
    shown = capsys.readouterr().out
    assert (
        "2 proposals judged again" in shown and "1 not judged: done before the screen was looked at" in shown
    )


def test_only_what_had_no_screen_is_unjudged(tmp_path: Path):
    # a record that takes back a verdict on a screen takes back nothing
    loaded = load_text(EMPTY, file="recording.vsa")
    assert loaded.program is not None
    with Journal(tmp_path / "j", sync="none") as journal:
        recorder = Recorder(journal, sources=loaded.sources, spec=loaded.file)
        guard = Guard(loaded.program, settings=Settings(mode="shadow"), recorder=recorder)
        guard.observe(screen("A"))
        verdict = guard.propose(Action("tap", {"x": 5, "y": 5}))
        guard.commit(verdict)
        recorder.delivered(True, "", verdict, judged=False)
    (step,) = read_session(tmp_path / "j").steps
    assert step.judged


def test_a_look_during_an_input_is_not_its_outcome(tmp_path: Path):
    script = Script(("A", []), ("A", [TAP]), ("B", [TAP]), ("C", []), ("C", []))
    assert recorded(tmp_path / "j", script) == [
        "A",
        "tap(x = 5, y = 5)",
        "None",
        "tap(x = 5, y = 5)",
        "C",
        "finish()",
    ]
    steps = read_session(tmp_path / "j").steps
    assert [r["kind"] for r in steps[1].verdict["reasons"]] == ["no_screen"]


def test_faults_of_the_phone_are_recorded(tmp_path: Path):
    lost = InputEvent(Action("tap", {"x": 5, "y": 5}), delivered=False, problem="the phone's fault: lost")
    failed = DeviceError("the screen cannot be read")
    script = Script(("A", []), (failed, []), ("A", []), ("A", [lost]), ("A", []), ("A", []))
    found = recorded(tmp_path / "j", script)
    assert found == ["A", "None", "A", "tap(x = 5, y = 5)", "A, not delivered", "finish()"]
    (outcome,) = (r.data for r in read_session(tmp_path / "j").records if r.kind == "outcome")
    assert outcome["delivered"] is False and "lost" in outcome["problem"]


def test_a_phone_that_is_gone_ends_the_recording(tmp_path: Path):
    for errors in ([DeviceLost("gone")], [DeviceError("no")] * 5):
        script = Script(("A", []), *((error, []) for error in errors), ("A", []))
        with pytest.raises(DeviceError, match=r"gone|no"):
            recorded(tmp_path / f"j{len(errors)}", script)
        assert len(script.looks) == 1


def test_a_finger_that_is_down_is_waited_for(tmp_path: Path):
    class Slow(Script):
        calls = 0

        @property
        def underway(self) -> bool:  # type: ignore[override]
            self.calls += 1
            if self.calls == 4:
                self.waiting.append(TAP)  # it is lifted just as it is asked for
            return 1 < self.calls < 4

    script = Slow(("A", []), ("A", []), ("B", []), ("B", []), ("B", []), ("B", []), ("B", []))
    assert recorded(tmp_path / "j", script) == ["A", "tap(x = 5, y = 5)", "B", "finish()"]


def test_only_a_guard_that_watches_records_what_others_do():
    program = load_text(EMPTY, file="r.vsa").program
    assert program is not None
    with pytest.raises(ValueError, match="cannot be held back"):
        Recording(Guard(program), lambda: screen("A"))


# ---------------------------------------------------------------------- a simulated phone


def test_inputs_of_a_simulated_phone():
    class Fake:
        inputs: tuple[Input, ...] = ()

    phone: Any = Fake()
    inputs = PhoneInputs(phone)
    assert inputs.taken() == []
    phone.inputs = (
        SimInput("tap", 1, 2, target="go"),
        SimInput("long_press", 1, 2),
        SimInput("swipe", 1, 2, 3, 4),
        SimInput("key", text="BACK"),
        SimInput("key", text="long POWER"),
        SimInput("text", text="hi"),
        SimInput("set_text", text="hi", target="box"),
        SimInput("clear_text", target="box"),
        SimInput("open_app", text="a.b"),
        SimInput("stop_app", text="a.b"),
        SimInput("clear_app", text="a.b"),
        SimInput("shake", text="x"),
        SimInput("key", text="NO_SUCH_KEY"),
        SimInput("tap", 1, 2, fate="lost"),
        SimInput("tap", 1, 2, fate="delayed"),
    )
    done = inputs.taken()
    assert [str(item.action) for item in done] == [
        "tap(x = 1, y = 2)",
        "long_press(x = 1, y = 2)",
        "swipe(x = 1, y = 2, x2 = 3, y2 = 4)",
        "back()",
        'shell(command = "sim {\\"kind\\": \\"long key\\", \\"text\\": \\"POWER\\"}")',
        'input_text(value = "hi")',
        'input_text(id = "box", value = "hi")',
        'clear_text(id = "box")',
        'open_app(package = "a.b")',
        'shell(command = "am force-stop a.b")',
        'shell(command = "pm clear a.b")',
        'shell(command = "sim {\\"kind\\": \\"shake\\", \\"text\\": \\"x\\"}")',
        'shell(command = "sim {\\"kind\\": \\"key\\", \\"text\\": \\"NO_SUCH_KEY\\"}")',
        "tap(x = 1, y = 2)",
        "tap(x = 1, y = 2)",
    ]
    assert [item.delivered for item in done[-3:]] == [True, False, True] and "delayed" in done[-1].problem
    assert inputs.taken() == []


def until(found: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not found():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def lines(path: Path, kind: str) -> int:
    return path.read_text(encoding="utf-8").count(f'"kind": "{kind}"') if path.exists() else 0


@pytest.fixture
def in_background() -> Iterator[Callable[..., threading.Thread]]:
    threads: list[threading.Thread] = []

    def begin(work: Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=work, daemon=True)
        threads.append(thread)
        thread.start()
        return thread

    yield begin
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()


def test_a_simulated_phone_that_others_use(tmp_path: Path, in_background: Callable[..., threading.Thread]):
    loaded = load(RESERVE)
    assert loaded.program is not None
    path = tmp_path / "j.jsonl"
    stop = threading.Event()
    with open_device("sim:restaurant") as device, Journal(path, sync="none") as journal:
        phone = device.phone  # type: ignore[union-attr]

        def person() -> None:
            until(lambda: lines(path, "observe") >= 1)
            taps = (lambda: phone.tap_id("result_card"), lambda: phone.key("BACK"))
            for number, act in enumerate((lambda: phone.open_app("com.opentable"), *taps)):
                act()
                until(lambda number=number: lines(path, "observe") >= number + 2)  # type: ignore[misc]
            stop.set()

        inputs = inputs_of(device, "sim:restaurant", "auto", print)
        recorder = Recorder(journal, sources=loaded.sources, spec=loaded.file, device="sim:restaurant")
        guard = Guard(loaded.program, settings=Settings(mode="shadow"), recorder=recorder)
        thread = in_background(person)
        recording = Recording(guard, device.observe, inputs, every=0.01)
        list(recording.run(stop))
        assert recording.end() is False
        thread.join(timeout=60)
    session = read_session(path)
    names = [step.verdict["proposal"].partition("(")[0] for step in session.steps]
    assert names == ["open_app", "tap", "back", "finish"]
    assert [step.before is not None for step in session.steps] == [True] * 4
    assert [step.delivered for step in session.steps[:3]] == [True] * 3
    apps = [step.screen.app for step in read_steps(path) if step.screen is not None]
    used = list(dict.fromkeys(app[0] for app in apps if app is not None))
    assert used[:2] == ["com.android.launcher3", "com.opentable"]
    program = recorded_program(session).program
    assert program is not None and not replay(session, program).flipped


def test_a_fast_script_is_judged_on_the_screens_before(
    tmp_path: Path, in_background: Callable[..., threading.Thread]
):
    loaded = load(RESERVE)
    assert loaded.program is not None
    path = tmp_path / "j.jsonl"
    stop = threading.Event()
    with open_device("sim:restaurant") as device, Journal(path, sync="none") as journal:
        phone = device.phone  # type: ignore[union-attr]

        def script() -> None:
            until(lambda: lines(path, "observe") >= 1)
            phone.open_app("com.opentable")
            phone.tap_id("result_card")
            phone.key("BACK")
            phone.tap_id("result_card#2")
            stop.set()

        inputs = inputs_of(device, "sim:restaurant", "auto", print)
        recorder = Recorder(journal, sources=loaded.sources, spec=loaded.file, device="sim:restaurant")
        clock = ScreenClock(live=False)

        def look() -> TreeScreen:
            clock.see(taken := device.observe())
            return taken

        clock.see(device.observe())
        guard = Guard(loaded.program, clock=clock, settings=Settings(mode="shadow"), recorder=recorder)
        thread = in_background(script)
        recording = Recording(guard, look, inputs, every=0.2, on_screen=clock.see)
        seen = list(recording.run(stop))
        thread.join(timeout=60)
        inputs.close()
        assert phone.before_input is None
    steps = read_session(path).steps
    assert [step.verdict["proposal"].partition("(")[0] for step in steps] == [
        "open_app",
        "tap",
        "back",
        "tap",
    ]
    step = dt.timedelta(seconds=2)  # of the phone's clock, at each input
    times = [dt.datetime.fromisoformat(one.clock) for one in steps]
    assert times == [times[0] + step * number for number in range(4)]
    assert recording.unjudged == 0 and all(one.judged for one in seen)
    shown = [step.before["shown"] if step.before is not None else None for step in steps]
    assert shown == [[], ["apps.opentable:Search"], ["apps.opentable:Details"], ["apps.opentable:Search"]]
    kinds = {reason["kind"] for step in steps for reason in step.verdict["reasons"]}
    assert "no_screen" not in kinds
    screens = [step.screen for step in read_steps(path) if step.screen is not None]
    assert len({one.fingerprint for one in screens}) >= 3


def test_commands_are_recorded_as_a_guard_judges_them():
    with open_device("sim:settings") as device:
        inputs = inputs_of(device, "sim:settings", "auto", print)
        shell = device.connection.link.u2.adb_device.shell  # type: ignore[union-attr]
        shell("settings put system foo 1")
        shell(
            "settings delete system foo; content insert --uri content://settings/system "
            "--bind name:s:foo --bind value:i:2"
        )
        assert [str(done.action) for done in inputs.taken()] == [
            'shell(command = "settings put system foo 1")',
            'shell(command = "settings delete system foo")',
            'shell(command = "content insert --uri content://settings/system --bind name:s:foo --bind value:i:2")',
        ]
        inputs.close()


def test_getevent_is_refused_where_the_phone_has_no_kernel(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "j"
    assert run(["record", "--device", "sim:restaurant", "-o", str(path), "--inputs", "getevent"]) == 2
    assert "no touch panel" in capsys.readouterr().err
    assert not path.exists()


# ---------------------------------------------------------------------- a real phone's touches


def test_a_person_taps_a_phone_with_a_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_background: Callable[..., threading.Thread]
):
    path = tmp_path / "j.jsonl"
    with touched_phone() as (phone, server):
        monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(server.port))
        serial = phone.phone.spec.serial

        def person() -> None:
            until(lambda: lines(path, "observe") >= 1)
            for number in range(2):
                before = lines(path, "propose")
                phone.tap(100 + number, 200)
                until(lambda before=before: lines(path, "propose") > before)  # type: ignore[misc]
            os.kill(os.getpid(), signal.SIGINT)

        thread = in_background(person)
        asked = ["record", "--device", serial, "-o", str(path), "--for", "60", "--every", "0.05", "--json"]
        assert run(asked) == 0
        thread.join(timeout=60)
        until(lambda: phone.ended or True)
    steps = [step.verdict["proposal"] for step in read_session(path).steps]
    assert steps == ["tap(x = 100, y = 200)", "tap(x = 101, y = 200)", "finish()"]
    assert read_session(path).completed is None


@pytest.mark.parametrize("machine", [False, True])
def test_taps_faster_than_looks_are_counted_apart(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    in_background: Callable[..., threading.Thread],
    machine: bool,
):
    path = tmp_path / "j.jsonl"
    with touched_phone() as (phone, server):
        monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(server.port))

        def person() -> None:
            until(lambda: lines(path, "observe") >= 1)
            for number in range(4):
                phone.tap(100 + number, 200)
            until(lambda: lines(path, "propose") == 4)
            os.kill(os.getpid(), signal.SIGINT)

        thread = in_background(person)
        asked = ["record", str(RESERVE), "--device", phone.phone.spec.serial, "-o", str(path), "--for", "60"]
        assert run([*asked, "--every", "1", *(["--json"] if machine else [])]) == 0
        thread.join(timeout=60)
    said = capsys.readouterr().out
    unjudged = sum(not step.judged for step in read_session(path).steps)
    assert unjudged >= 1
    if machine:
        events = [json.loads(line) for line in said.splitlines()]
        assert events[-1]["not_judged"] == unjudged
        done = [event for event in events if event["event"] == "action"]
        assert len(done) == 4 and sum(not event["judged"] for event in done) == unjudged
        assert all((event["verdict"] is None) == (not event["judged"]) for event in done)
    else:
        assert said.count("· not judged: done before the screen was looked at") == unjudged
        assert f"4 actions, {unjudged} not judged; the journal is" in said
        assert "reserve_r.vsa --mode shadow -- COMMAND" in said


def test_a_phone_that_does_not_tell_is_watched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    with touched_phone(listed="") as (phone, server):
        monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(server.port))
        serial = phone.phone.spec.serial
        asked = ["record", "--device", serial, "-o", str(tmp_path / "j"), "--for", "0.5"]
        assert run(asked) == 0
        shown = capsys.readouterr()
        assert "only screens are recorded" in shown.err and "no touch panel" in shown.err
        assert run([*asked[:-3], str(tmp_path / "k"), "--inputs", "getevent"]) == 2
        assert "no touch panel" in capsys.readouterr().err
        assert not (tmp_path / "k").exists()  # nothing was recorded


def test_touches_that_stop_coming_end_the_recording():
    with touched_phone() as (phone, server):
        inputs = KernelInputs("127.0.0.1", server.port, phone.phone.spec.serial, width=720, height=1520)
        phone.tap(10, 20)
        found: list[InputEvent] = []
        until(lambda: bool(found.extend(inputs.taken()) or found))
        assert str(found[0].action) == "tap(x = 10, y = 20)"
        phone.stop()
        with pytest.raises(DeviceError, match="stopped telling"):
            until(lambda: bool(inputs.taken()))
        inputs.close()
        assert inputs.taken() == []


def test_a_phone_that_is_turned():
    with touched_phone() as (phone, server):
        inputs = KernelInputs("127.0.0.1", server.port, phone.phone.spec.serial, width=1, height=1)
        inputs.turned(720, 1400)  # without the bars of the system: it stands as it stood
        phone.rotation = 1
        inputs.turned(0, 0)
        inputs.turned(1520, 720)
        phone.tap(10, 20)
        found: list[InputEvent] = []
        until(lambda: bool(found.extend(inputs.taken()) or found))
        assert str(found[0].action) == "tap(x = 20, y = 709)"
        inputs.close()
        inputs.close()


# ---------------------------------------------------------------------- the command


def script_file(folder: Path) -> Path:
    path = folder / "agent.jsonl"
    actions = [{"action": "open_app", "package": "com.opentable"}, {"action": "tap", "id": "reserve_button"}]
    path.write_text("".join(json.dumps(action) + "\n" for action in actions))
    return path


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "performed"), [("shadow", [True, False]), ("enforce", [True, False])])
def test_an_agent_acts_and_is_recorded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], mode: str, performed: list[bool]
):
    path = tmp_path / "j.jsonl"
    asked = ["record", str(RESERVE), "--device", "sim:restaurant", "-o", str(path), "--mode", mode, "--json"]
    assert run([*asked, "--agent", str(script_file(tmp_path)), "--screenshots", str(tmp_path / "p")]) == 0
    said = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [item["event"] for item in said] == ["in_force", "begin", "action", "action", "end"]
    assert [item["performed"] for item in said[2:4]] == performed
    session = read_session(path)
    assert (session.mode, session.completed) == (mode, False)
    assert list((tmp_path / "p").glob("*.png"))
    assert run(["journal", "show", str(path)]) == 0
    assert run(["journal", "replay", str(path)]) == 0


def test_without_a_spec_another_says_later_what_it_thinks(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "j.jsonl"
    asked = ["record", "--device", "sim:restaurant", "-o", str(path), "--agent", str(script_file(tmp_path))]
    assert run(asked) == 0
    shown = capsys.readouterr().out
    assert "would be" not in shown and "vsac journal replay" in shown
    assert read_session(path).completed is None
    assert run(["journal", "show", str(path)]) == 0
    assert "recording  ended" in capsys.readouterr().out
    assert run(["journal", "replay", str(path)]) == 0
    capsys.readouterr()
    run(["journal", "replay", str(path), "--spec", str(RESERVE), "--json"])
    judged = json.loads(capsys.readouterr().out)["judgements"]
    assert [item["now"]["level"] for item in judged] == ["allow", "block"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "Give --device or --walk."),
        (["--device", "sim:restaurant", "--walk", "w"], "--device and --walk exclude each other."),
        (["--device", "sim:restaurant", "--task", "x"], "--task needs --walk."),
        (["--walk", "w", "--agent", "x"], "--agent and --walk exclude each other: it is about a device."),
        (["--walk", "w", "--for", "3"], "--for and --walk exclude each other: it is about a device."),
        (["--device", "sim:restaurant", "--policy", "x"], "--policy needs SPEC"),
        (["--device", "sim:restaurant", "--mode", "enforce"], "--mode enforce needs --agent"),
        (["--device", "sim:restaurant", "--mode", "enforce", "--agent", "x"], "--mode enforce needs SPEC"),
        (
            ["--device", "sim:restaurant", "--agent", "x", "--for", "3"],
            "--for and --agent exclude each other",
        ),
        (["--device", "sim:nowhere"], "no simulated phone"),
        (["--device", "sim:restaurant", "--agent", "none.jsonl"], "none.jsonl"),
    ],
)
def test_options_that_exclude_or_need_each_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], words: str
):
    assert run(["record", "-o", str(tmp_path / "j"), *options]) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "j").exists()


def test_walks_without_a_spec_become_journals(tmp_path: Path):
    walk = {"screen": "<hierarchy><node bounds='[0,0][9,9]'/></hierarchy>", "action": {"action": "back"}}
    (tmp_path / "w.jsonl").write_text(json.dumps(walk) + "\n")
    assert run(["record", "--walk", str(tmp_path / "w.jsonl"), "-o", str(tmp_path / "out")]) == 0
    session = read_session(tmp_path / "out" / "w.jsonl")
    assert [step.verdict["proposal"] for step in session.steps] == ["back()"]


def test_ctrl_c_ends_a_recording_cleanly(tmp_path: Path):
    import signal

    path = tmp_path / "j.jsonl"
    asked = [
        "-m",
        "vsalang.tools.cli.main",
        "record",
        "--device",
        "sim:restaurant",
        "-o",
        str(path),
    ]
    process = processes.Process(asked)
    try:
        until(lambda: lines(path, "observe") >= 1)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, error
    assert b"0 actions; the journal is" in out
    assert lines(path, "end") == 1 and read_session(path).ended
