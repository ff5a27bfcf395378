"""While something that was sent on may still happen, nothing else is sent on, whatever the agent does."""

import contextlib
import json
import struct
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.phone.gate.live import REFUSED, SERIAL, Live, live
from tests.phone.gate.test_gate import ELSEWHERE, GOOD, SLOT, Made
from tests.phone.gate.test_gate_clients import settled
from vsalang.guard import NotAllowed
from vsalang.phone import DeviceError, DeviceLost, DeviceTimeout, NotDelivered
from vsalang.phone.gate import carrying
from vsalang.phone.gate.carrying import AgentStream, Feeding, heard, opened
from vsalang.phone.gate.packets import STDIN, Packets, packet
from vsalang.phone.gate.sight import Sight
from vsalang.phone.sim.shell import shell
from vsalang.phone.wire import EndOfStream, ServiceRefused, Upstream
from vsalang.program.action import Action

ONCE = """
spec once "Reserve one table at restaurant R for today."
import apps.opentable
allow Reserve(restaurant = "R", date = today, time = ?t)
  when Slot(restaurant = "R", date = today, time = ?t, available = true).
done when Reserve earlier.
"""
EARLY = """
spec early "Reserve one table at restaurant R for today, before seven."
import apps.opentable
allow Reserve(restaurant = "R", date = today, time = ?t, time < 19:00)
  when Slot(restaurant = "R", date = today, time = ?t, available = true).
done when Reserve earlier.
"""
RESERVE = "input tap 360 1426"


@pytest.fixture
def spec(tmp_path: Path) -> Callable[[str], Path]:
    def written(text: str) -> Path:
        path = tmp_path / "spec.vsa"
        path.write_text(text)
        return path

    return written


class Agent:
    def __init__(self, found: Live) -> None:
        self.upstream = Upstream("127.0.0.1", found.port, SERIAL)

    def send(self, service: str, *said: bytes) -> bytes:
        try:
            stream = self.upstream.open(service)
        except (ServiceRefused, DeviceError) as error:
            return str(error).encode()
        with stream:
            stream.set_timeout(20)
            for piece in said:
                stream.write(piece)
            return stream.read_all()

    def call(self, method: str, *params: Any) -> bytes:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        head = f"POST /jsonrpc/0 HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
        head += "Connection: close\r\n\r\n"
        return self.send("tcp:9008", head.encode() + body)


def targets(found: Live) -> list[str]:
    return [item.target for item in found.inputs() if item.kind == "tap"]


# ---------------------------------------------------------------- was it delivered?


class Way:
    """A way to the phone on which a service is lost."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def open(self, service: str) -> Any:
        raise self.error


def lost(delivered: bool | None) -> DeviceLost:
    error = DeviceLost("gone")
    error.delivered = delivered
    return error


@pytest.mark.parametrize(
    ("error", "delivered"),
    [
        (lost(False), False),
        (lost(None), None),
        (DeviceTimeout("no answer within 15 s"), None),
        (ServiceRefused("closed"), None),  # so says an adb server that loses the phone meanwhile
        (ServiceRefused("unknown service"), None),  # it was asked
        (ValueError("too long"), False),
    ],
)
def test_a_command_that_was_asked_for_may_have_begun(error: Exception, delivered: bool | None) -> None:
    with pytest.raises(DeviceError) as caught:
        opened(Way(error), "shell:input tap 1 1")
    assert caught.value.delivered is delivered
    assert isinstance(caught.value, NotDelivered) is (delivered is False)


def test_the_way_says_whether_it_was_asked() -> None:
    nobody = Upstream("127.0.0.1", 1, "x")
    with pytest.raises(DeviceLost) as caught:
        nobody.open("shell:input tap 1 1")
    assert caught.value.delivered is False
    with live() as found:
        with pytest.raises(DeviceLost) as caught:
            Upstream("127.0.0.1", found.device.adb_port, "another").open("shell:input tap 1 1")
        assert caught.value.delivered is False
        slow = Upstream("127.0.0.1", found.device.adb_port, found.device.info.serial, answer_timeout=0.2)
        original = Upstream._answer

        def late(self: Upstream, stream: Any, asked: list[int] = [0]) -> str | None:  # noqa: B006
            asked[0] += 1
            if asked[0] == 2:
                raise DeviceTimeout("no answer")
            return original(self, stream)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Upstream, "_answer", late)
            with pytest.raises(DeviceTimeout) as told:
                slow.open("shell:input keyevent BACK")
        assert told.value.delivered is None


@pytest.mark.parametrize("service", ["shell:{}", "shell,v2,raw:{}", "exec:{}", "abb"])
def test_a_licence_is_used_by_a_possible_arrival(
    service: str, spec: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The phone makes the reservation, and the answer to the opening of the command is lost."""
    monkeypatch.setattr(Sight, "touch", lambda *_: False)  # the commands are sent as they came
    with live(spec(ONCE)) as found:
        agent = Agent(found)
        found.device.phone.tap(223, 446)
        agent.send("shell:input tap 360 715")
        open_ = found.upstream.open

        class Slow:
            def open(self, name: str) -> Any:
                stream = open_(name)
                if "1426" in name:
                    stream.read_all()
                    stream.close()
                    raise DeviceTimeout("no answer within 15 s")
                return stream

        found.services._phone = found.services._shells._phone = Slow()  # type: ignore[assignment]
        name = "abb_exec:input\0tap\x00360\x001426" if service == "abb" else service.format(RESERVE)
        if service == "abb":
            Slow.open = lambda self, name: _timeout(found)  # type: ignore[method-assign, assignment]
        agent.send(name)
        assert settled(found, lambda: found.events[-1].outcome == "failed")
        assert found.events[-1].delivered is None
        assert targets(found).count("reserve_button") == 1
        found.services._phone = found.services._shells._phone = found.upstream
        found.device.phone.tap(360, 1426)  # the receipt is closed by hand
        for where in ("223 446", "360 923"):
            agent.send(f"shell:input tap {where}")
        assert b"as often as the task allows" in agent.send(f"shell:{RESERVE}")
        assert targets(found).count("reserve_button") == 1


def _timeout(found: Live) -> Any:
    found.device.phone.tap(360, 1426)
    raise DeviceTimeout("no answer within 15 s")


def test_the_screen_comes_to_rest_before_the_next() -> None:
    """After an input of which nobody knows whether it arrived, two looks have to agree."""
    made = Made(GOOD, GOOD)
    made.phone.fails = DeviceTimeout("no answer")
    with pytest.raises(DeviceTimeout):
        made.act(SLOT)
    made.phone.fails = None
    pages = [GOOD, ELSEWHERE, ELSEWHERE]
    made.gate._look = lambda: pages.pop(0) if len(pages) > 1 else pages[0]
    with pytest.raises(NotAllowed):
        made.act(SLOT)
    assert made.guard.snapshot.screen is ELSEWHERE


# ---------------------------------------------------------------- an agent that hangs up


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that the phone's `input` takes before it does anything, as it does on a phone."""
    lag = [0.0]
    original = shell.COMMANDS["input"]

    def waits(call: Any) -> Any:
        time.sleep(lag[0])
        return original(call)

    monkeypatch.setitem(shell.COMMANDS, "input", waits)
    return lag


@pytest.fixture
def marked(spec: Callable[[str], Path]) -> Iterator[Live]:
    """The list of restaurants. On the page of the first a slot is marked that the task forbids."""
    with live(spec(EARLY)) as found:
        phone = found.device.phone
        phone.tap(223, 446)
        phone.tap(360, 923)
        phone.key("BACK")
        yield found


HUNG_UP = [
    "shell:input tap 223 446", "shell,v2,raw:input tap 223 446", "exec:input tap 223 446",
    "abb_exec:input\0tap\x00223\x00446",
]  # fmt: skip


@pytest.mark.parametrize("service", HUNG_UP, ids=lambda service: str(service).partition(":")[0])
@pytest.mark.parametrize("half", [False, True])
def test_who_hangs_up_does_not_open_the_gate(
    service: str, half: bool, slow: list[float], marked: Live
) -> None:
    """The first tap opens a page on which the second one, which was harmless, would book what is forbidden."""
    agent = Agent(marked)
    before = len(marked.inputs())
    slow[0] = 0.7
    stream = agent.upstream.open(service)
    if half:
        stream._socket.shutdown(1)
    else:
        stream.close()
    time.sleep(0.2)
    second = agent.send(f"shell:{RESERVE}")
    assert settled(marked, lambda: len(marked.events) == 2)
    if marked.inputs()[before:]:  # one that was gone before it was judged may never have been asked for
        assert [item.target for item in marked.inputs()[before:]] == ["result_card"]
        assert REFUSED.encode() in second
    assert "reserve_button" not in targets(marked)
    stream.close()


@pytest.mark.parametrize(
    "service", ["shell:echo a; input tap 223 446; echo b", "shell,v2:echo a && input tap 223 446"]
)
def test_nor_does_who_hangs_up_within_a_line(service: str, slow: list[float], marked: Live) -> None:
    agent = Agent(marked)
    slow[0] = 0.5
    for _ in range(2):
        agent.upstream.open(service).close()
        agent.send(f"shell:{RESERVE}")
    assert settled(marked, lambda: len(marked.events) >= 3)
    assert "reserve_button" not in targets(marked)


class Pipe:
    """A stream whose other end is another `Pipe`."""

    def __init__(self) -> None:
        self.said: list[bytes] = []
        self.changed = threading.Condition()
        self.ended = False
        self.blocked = threading.Event()
        self.blocked.set()
        self.other: Pipe = self

    def read(self, most: int) -> bytes:
        with self.changed:
            self.changed.wait_for(lambda: self.ended or bool(self.said), 20)
            return self.said.pop(0) if self.said else b""

    def read_exactly(self, count: int) -> bytes:
        raise EndOfStream

    def write(self, data: bytes) -> None:
        self.blocked.wait(60)
        other = self.other
        with other.changed:
            if self.ended:
                raise EndOfStream
            other.said.append(data)
            other.changed.notify_all()

    def close(self) -> None:
        self.blocked.set()
        for each in (self, self.other):
            with each.changed:
                each.ended = True
                each.changed.notify_all()

    def set_timeout(self, seconds: float | None) -> None:
        pass


def test_an_endless_command_ends_after_the_agent_has_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(carrying, "LEAVING", 0.2)
    near, far = Pipe(), Pipe()
    with Feeding(near, far, b"last") as feeding:
        near.close()
        assert far.read(10) == b"last"
        assert far.read(10) == b""
    assert feeding.given_up and far.ended
    monkeypatch.setattr(carrying, "LEAVING", 600)
    near, far = Pipe(), Pipe()
    with Feeding(near, far) as feeding:
        near.close()
        (thread,) = [one for one in threading.enumerate() if one.name == "gate-stdin"]
    thread.join(60)  # it does not wait ten minutes
    assert not thread.is_alive() and not feeding.given_up and not far.ended


# ---------------------------------------------------------------- an agent that does not read


def test_nobody_waits_for_an_agent_that_does_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carrying, "MOST_UNREAD", 10)
    monkeypatch.setattr(carrying, "PATIENCE", 0.2)
    mouth = Pipe()
    mouth.blocked.clear()
    near = AgentStream(mouth)
    with near.holding():
        near.write(b"0123456789")
        near.write(b"more")
        with pytest.raises(EndOfStream):
            near.write(b"too much")
        with pytest.raises(EndOfStream):
            near.write(b"at all")
    with pytest.raises(EndOfStream):
        near.write(b"afterwards")
    near.end()


def test_what_is_said_is_heard_in_its_order() -> None:
    ear, mouth = Pipe(), Pipe()
    mouth.other = ear
    with heard(mouth) as near:
        with near.holding():
            for number in range(50):
                near.write(b"%d " % number)
        near.write(b"end")
    assert b"".join(ear.said) == b"".join(b"%d " % n for n in range(50)) + b"end"


@contextlib.contextmanager
def deaf(found: Live, service: str) -> Iterator[None]:
    """An agent that opens a service and reads nothing of it."""
    with Upstream("127.0.0.1", found.port, SERIAL).open(service):
        yield


@pytest.mark.parametrize("kind", ["shell:", "shell,v2,raw:", "exec:"])
def test_what_reads_after_an_action_holds_no_gate(kind: str) -> None:
    line = "; ".join(["input keyevent 24", *["screencap -p"] * 60])
    with live() as found, deaf(found, kind + line):
        assert settled(found, lambda: len(found.events) == 1)
        time.sleep(0.5)
        done = threading.Event()

        def other() -> None:
            Agent(found).send("shell:input keyevent 25")
            done.set()

        threading.Thread(target=other, daemon=True).start()
        assert done.wait(60)
        assert [event.outcome for event in found.events] == ["passed", "passed"]


def test_a_packet_too_long_ends_the_typing() -> None:
    class Said(Pipe):
        def __init__(self, data: bytes) -> None:
            super().__init__()
            self.data = data

        def read_exactly(self, count: int) -> bytes:
            piece, self.data = self.data[:count], self.data[count:]
            if len(piece) < count:
                raise EndOfStream
            return piece

    said = packet(STDIN, b"ls\n") + struct.pack("<BI", STDIN, 0xFFFFFFFF)
    assert list(Packets(Said(said)).typed()) == [b"ls\n"]


# ---------------------------------------------------------------- what another request changes meanwhile


def test_what_is_pasted_is_read_during_the_hold() -> None:
    with live() as found:
        phone, agent = found.device.phone, Agent(found)
        typed = Action("input_text", {"value": "other text"})
        agent.send("shell:input tap 360 230")
        assert b'"result": null' in agent.call("setClipboard", None, "harmless")
        for paste in (
            lambda: agent.send("shell:input keyevent 279"),
            lambda: agent.send("shell:input keyevent PASTE; echo a"),
            lambda: agent.send("abb_exec:input\0keyevent\x00279"),
            lambda: agent.call("pasteClipboard"),
            lambda: agent.call("pressKeyCode", 279),
        ):
            count = len(found.events)
            with found.gate._lock:  # another request is under way
                thread = threading.Thread(target=paste)
                thread.start()
                time.sleep(0.4)
                found.gate.act([typed], lambda: setattr(phone, "clipboard", "other text"))
            thread.join(60)
            assert settled(found, lambda wanted=count + 2: len(found.events) == wanted)  # type: ignore[misc]
            judged = found.events[-1]
            assert (judged.outcome, judged.actions) == ("passed", (typed,)), judged
            phone.clipboard = "harmless"


def test_actions_that_cannot_be_told_are_refused() -> None:
    made = Made(GOOD)
    with pytest.raises(NotAllowed, match="cannot be judged"):
        made.gate.act(lambda: 1 / 0, made.phone.input)  # type: ignore[arg-type, return-value]
    assert made.phone.inputs == 0
    made.act(SLOT)


@pytest.mark.parametrize("between", ["logcat -d", "sleep 0.1", "echo a", "dumpsys window"])
def test_after_a_reading_command_there_is_a_look(between: str, spec: Callable[[str], Path]) -> None:
    with live(spec(EARLY)) as found:
        phone, agent = found.device.phone, Agent(found)
        open_ = found.upstream.open

        class Changing:
            def open(self, name: str) -> Any:
                stream = open_(name)
                if between in name:
                    phone.tap(223, 446)
                    phone.tap(360, 923)
                return stream

        found.services._shells._phone = Changing()  # type: ignore[assignment]
        heard = agent.send(f"shell:input keyevent 24; {between}; {RESERVE}")
        assert REFUSED.encode() in heard
        assert targets(found) == ["result_card", "slot"]


# ---------------------------------------------------------------- a phone that is lost


def test_the_gate_says_whether_it_sees() -> None:
    made = Made(GOOD)
    assert made.gate.blind == ""
    made.phone.blind = DeviceLost("the phone is gone")
    with pytest.raises(NotAllowed, match="cannot be judged"):
        made.act(SLOT)
    assert made.gate.blind == "the phone is gone"
    made.phone.blind = None
    made.act(SLOT)
    assert made.gate.blind == ""


@pytest.mark.parametrize("status", [0, 1])
def test_a_run_that_loses_the_phone_fails(status: int) -> None:
    from vsalang.agents.session.transparent import AgentProgram, TransparentSession
    from vsalang.tools.cli.common import EXIT_FAILED
    from vsalang.tools.cli.guard import finish

    made = Made(GOOD)

    class Session:
        guard = made.guard
        name = "x"
        journal = type("J", (), {"path": "j", "head": ""})

        def end(self, completed: bool) -> None:
            assert completed is False

    program = AgentProgram(("x",))
    run = TransparentSession(Session(), lambda _: None)  # type: ignore[arg-type]
    made.phone.blind = DeviceLost("the phone is gone")
    with pytest.raises(NotAllowed):
        made.act(SLOT)
    run._ended(made.gate, status)
    assert run.lost == "the phone is gone"
    assert finish(run, program, status, None) == EXIT_FAILED
