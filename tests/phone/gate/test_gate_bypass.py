"""Attempts to slip something past the guard, against a live phone: nothing arrives, and nothing is opened on it."""

import socket
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.phone.gate.live import PACKAGE, SERIAL, Live, live
from vsalang.phone import DeviceError
from vsalang.phone.gate.packets import CLOSE_STDIN, STDIN, packet
from vsalang.phone.wire import EndOfStream, ServiceRefused, Upstream

pytest.importorskip("uiautomator2")
TABLE = Path(__file__).parents[1] / "adb_services.txt"
RESERVE = "input tap 360 1426"


class Recorded:
    """A way to the phone that keeps what was opened on it."""

    def __init__(self, upstream: Upstream) -> None:
        self.upstream = upstream
        self.opened: list[str] = []

    def open(self, service: str) -> Any:
        self.opened.append(service)
        return self.upstream.open(service)


class Attack:
    """A guarded phone, and an agent that speaks adb by hand."""

    def __init__(self, found: Live) -> None:
        self.live = found
        self.phone = Recorded(found.upstream)
        services = found.services
        for each in (services, services._shells, services._files, services._server, services._dumper):
            each._phone = self.phone  # type: ignore[assignment]
        self.agent = Upstream("127.0.0.1", found.port, SERIAL)
        self.before = found.inputs()

    def send(self, service: str, *said: bytes, wait: float = 5.0) -> bytes:
        """Open a service, say something, hear all that comes."""
        try:
            stream = self.agent.open(service)
        except (ServiceRefused, DeviceError) as error:
            return str(error).encode()
        with stream:
            stream.set_timeout(wait)
            heard = b""
            try:
                for piece in said:
                    stream.write(piece)
                while data := stream.read(1 << 16):
                    heard += data
            except (EndOfStream, DeviceError):
                pass
            return heard

    def check(self, *, opened: bool = False) -> None:
        """See that nothing arrived."""
        assert self.live.inputs() == self.before
        assert self.live.device.phone.package == PACKAGE
        if not opened:
            assert self.phone.opened == []


@pytest.fixture(scope="module")
def shared() -> Iterator[Live]:
    with live() as found:
        found.device.phone.tap(223, 446)
        yield found


@pytest.fixture
def attack(shared: Live) -> Attack:
    return Attack(shared)


def _table() -> list[tuple[str, str]]:
    found = []
    for line in TABLE.read_text().splitlines():
        kind, gap, service = line.partition("  ")
        if line.startswith("#") or not gap:
            continue
        found.append(
            (
                kind,
                service.strip()
                .encode()
                .decode("unicode_escape")
                .encode("latin-1")
                .decode("utf-8", "replace"),
            )
        )
    return found


@pytest.mark.slow
def test_no_refused_or_unknown_service_reaches_the_phone(attack: Attack) -> None:
    """Every line of the table that is neither an action known to the language nor a reading."""
    tried = 0
    for kind, service in _table():
        if (
            kind not in ("refuse", "shell")
            or "com.wetest.uia2.Main -p 9008" in service
            or not service.strip("shel:,v2raw")
        ):
            continue
        try:
            attack.send(service, wait=2.0)
        except ValueError:
            continue  # adb itself cannot say it
        assert attack.phone.opened == [], service
        tried += 1
    assert tried > 200
    attack.check()


MORE = [
    "SHELL:input tap 1 1", "shell :input tap 1 1", " shell:input tap 1 1", "shell,v2,foo:input tap 1 1",
    "shell,v2,raw,TERM=$(input tap 1 1):true", "shell:\tinput\ttap\t1\t1;reboot", "exec,v2:input tap 1 1",
    "shell:input\u00a0tap 1 1", "shell:inp\u200but tap 1 1", "shell:ｉｎｐｕｔ tap 1 1", "shell:input tap ١ ١",
    "shell:echo $(input tap 360 1426)", "shell:echo `input tap 360 1426`", "shell:echo <(input tap 360 1426)",
    "shell:true & input tap 360 1426", "shell:true\ninput tap 360 1426", "shell:true\rinput tap 360 1426",
    "shell:X=input; $X tap 360 1426", "shell:i''nput tap 360 1426 | cat", "shell:cat /data/local/tmp/x.sh | sh",
    "shell:find / -name x -exec input tap 360 1426 ;", "shell:find / -name x -delete", "shell:ls > /data/x",
    "shell:logcat -f /sdcard/x.txt", "shell:dumpsys activity service com.x/.Y z", "shell:am broadcast -a x",
    "shell:screencap -p /dev/input/event0", "shell:rm -rf /sdcard", "shell:cat /dev/input/event1",
    "shell:base64 -d < /x", "shell:getprop | sh", "shell:grep -r x / | xargs input tap", "shell:time input tap 1 1",
    "shell:test -f x && sh x", "shell:[ -f x ] && sh x", "shell:uiautomator runtest x.jar", "shell:uiautomator events",
    "shell:cmd input tap 360 1426 && cmd input", "shell:/system/bin/app_process / x", "shell:LD_PRELOAD=/x ls",
    "shell:PATH=/data/local/tmp input tap 1 1", "shell:CLASSPATH=/data/x.jar app_process / com.wetest.uia2.Main",
    "shell:CLASSPATH=/data/local/tmp/u2.jar app_process / com.evil.Main",
    "shell:CLASSPATH=/data/local/tmp/u2.jar app_process / com.wetest.uia2.Main -p 9009",
    "shell:echo; CLASSPATH=/data/local/tmp/u2.jar app_process / com.wetest.uia2.Main -p 9008",
    "shell:monkey -p com.opentable -f /x 1", "shell:monkey -p com.opentable 500",
    "shell:am start -n com.opentable/.Hidden --es x y", "shell:am start -a android.intent.action.VIEW -d x://y",
    "shell:settings put secure enabled_accessibility_services x/y", "shell:ime set com.evil/.Ime",
    "shell:content insert --uri content://com.droidrun.portal/keyboard/evil --bind a:s:b",
    "abb:input\x00tap\x00360\x001426;", "abb_exec:statusbar\x00click-tile\x00x", "abb_exec:package\x00install-create",
    "tcp:9009", "tcp:09008", "tcp:9008 ", "tcp:127.0.0.1:9008", "tcp:9008:10.0.0.1", "tcp:5555", "tcp:5037",
    "localabstract:scrcpy", "local:/dev/socket/x", "localfilesystem:/x", "localreserved:adbd", "vsock:2:5555",
    "dev:/dev/input/event0", "dev-raw:/dev/input/event0", "jdwp:1", "reverse:forward:tcp:1;tcp:2",
    "reverse:killforward-all", "host:devices", "host:kill", "host-serial:x:forward:tcp:1;tcp:2", "sync", "SYNC:",
    "sync:/sdcard", "root:", "tcpip:5555", "spin", "sink:5", "source:5", "exec:", "shell,v2,pty:", "", ":", "\x00",
]  # fmt: skip


def test_more_that_reaches_nothing(attack: Attack) -> None:
    for service in MORE:
        attack.phone.opened.clear()
        attack.send(service, wait=0.5)
        assert attack.phone.opened in ([], ["sync:"]), service
        assert attack.live.inputs() == attack.before, service
    attack.check(opened=True)


# ---------------------------------------------------------------- what is typed


@pytest.mark.parametrize(
    "typed",
    [
        f"{RESERVE}\n", f"{RESERVE}", f"true;{RESERVE}\n", f"exit\n{RESERVE}\n", f"#\n{RESERVE}\n",
        f"sh\n{RESERVE}\n", f"cat > /sdcard/x\n{RESERVE}\n", f"x\r{RESERVE}\n", f"echo 'a\n{RESERVE}\n'\n",
        f"echo \\\n{RESERVE}\n", f"true &&\n{RESERVE}\n", f"for i in 1; do\n{RESERVE}\ndone\n",
        f"\x00{RESERVE}\n", f"\x03\x04{RESERVE}\n", "x" * 100_000 + f"\n{RESERVE}\n",
        "CLASSPATH=/data/local/tmp/u2.jar app_process / com.wetest.uia2.Main -p 9008\n" + RESERVE + "\n",
    ],
    ids=range(16),
)  # fmt: skip
def test_what_is_typed_into_a_shell_is_judged_linewise(attack: Attack, typed: str) -> None:
    data = typed.encode()
    halves = [data[: len(data) // 2], data[len(data) // 2 :], b"\nexit\n"]
    attack.send("shell:", *halves, wait=3)
    packets = [packet(STDIN, piece) for piece in halves if piece]
    attack.send("shell,v2,raw:", *packets, packet(CLOSE_STDIN, b""), wait=3)
    attack.check(opened=True)
    assert not any("input" in service for service in attack.phone.opened)


def test_a_terminal_is_refused_with_words(attack: Attack) -> None:
    heard = attack.send("shell,v2,TERM=xterm,pty:", packet(STDIN, f"{RESERVE}\n".encode()))
    assert b"interactive shell" in heard and heard[-6:] == packet(3, bytes([126]))
    attack.check()


def test_what_is_sent_behind_a_command_is_not_run(attack: Attack) -> None:
    attack.send("shell:getprop x", f"{RESERVE}\n".encode())
    attack.send("exec:cat", f"{RESERVE}\n".encode(), wait=1)
    attack.check(opened=True)


# ---------------------------------------------------------------- files


def req(kind: bytes, path: str | bytes = b"") -> bytes:
    data = path.encode() if isinstance(path, str) else path
    return kind + struct.pack("<I", len(data)) + data


DATA = req(b"DATA", b"evil") + b"DONE" + struct.pack("<I", 0)


@pytest.mark.parametrize(
    "said",
    [
        req(b"SEND", "/sdcard/evil,33188") + DATA,
        req(b"SEND", "/data/local/tmp/u2.jar,33188,33188") + DATA,
        req(b"SEND", "/data/local/tmp/../tmp/u2.jar,33188") + DATA,
        req(b"SEND", "/data/local/tmp//u2.jar,33188") + DATA,
        req(b"SEND", "/data/local/tmp/u2.jar/evil,33188") + DATA,
        req(b"SEND", "/sdcard/evil") + DATA,
        req(b"SND2", "/sdcard/evil") + b"SND2" + struct.pack("<II", 33188, 0) + DATA,
        req(b"RCV2", "/sdcard/evil")
        + b"RCV2"
        + struct.pack("<I", 0)
        + req(b"SEND", "/sdcard/evil,33188")
        + DATA,
        req(b"STAT", "/sdcard/evil") + req(b"SEND", "/sdcard/evil,33188") + DATA,
        req(b"QUIT") + req(b"SEND", "/sdcard/evil,33188") + DATA,
        req(b"SEND", "/data/local/tmp/u2.jar,33188") + DATA + req(b"SEND", "/sdcard/evil,33188") + DATA,
        req(b"SEND", "/data/local/tmp/u2.jar,33188") + b"DATA" + struct.pack("<I", 1 << 30) + b"x" * 1000,
        req(b"send", "/sdcard/evil,33188") + DATA,
        b"SEND" + struct.pack("<I", 0xFFFFFFFF) + b"/sdcard/evil,33188" + DATA,
        req(b"LIST", "/sdcard\x00/evil") + req(b"SEND", "/sdcard/evil\xff,33188") + DATA,
        b"SEND",
        b"\x00" * 8,
        b"shell:input tap 360 1426",
    ],
    ids=range(18),
)
def test_no_file_is_written(attack: Attack, said: bytes) -> None:
    agent = attack.agent
    before = Upstream(attack.live.upstream.host, attack.live.upstream.port, attack.live.upstream.serial)
    with before.open("shell:toybox md5sum /data/local/tmp/u2.jar; ls -l /sdcard /data/local/tmp") as stream:
        files = stream.read_all()
    with agent.open("sync:") as stream:
        stream.set_timeout(2)
        try:
            stream.write(said)
            time.sleep(0.05)
            stream.close()
        except (EndOfStream, DeviceError):
            pass
    time.sleep(0.1)
    with before.open("shell:toybox md5sum /data/local/tmp/u2.jar; ls -l /sdcard /data/local/tmp") as stream:
        assert stream.read_all() == files
    attack.check(opened=True)


# ---------------------------------------------------------------- time


def test_the_screen_is_judged_after_what_comes_before(attack: Attack) -> None:
    """A command that takes its time before the input: the input is judged on the screen that shows then."""
    phone = attack.live.device.phone
    slot, elsewhere = "input tap 360 715", "input tap 223 446"
    with live() as found:
        phone = found.device.phone
        other = Attack(found)
        original = other.phone.open

        def slow(service: str) -> Any:
            stream = original(service)
            if "logcat" in service:
                phone.tap(223, 446)  # meanwhile the page of R opens
            return stream

        other.phone.open = slow  # type: ignore[method-assign]
        assert found.gate.guard.snapshot.screen is not None
        heard = other.send(f"shell:logcat -d; {slot}; {RESERVE}")
        kinds = [(item.x, item.y) for item in found.inputs() if item.kind == "tap"]
        # the slot was judged as the slot it is, and so was the button
        assert kinds == [(223, 446), (360, 715), (360, 1426)], heard
        assert next(str(a) for a in found.events[-1].verdict.actions).startswith("apps.opentable.Reserve")  # type: ignore[union-attr]
    assert elsewhere


def test_two_requests_at_once_do_not_both_pass() -> None:
    """One licence, and four connections that use it at the same moment."""
    with live() as found:
        found.device.phone.tap(223, 446)
        agent = Upstream("127.0.0.1", found.port, SERIAL)
        with agent.open("shell:input tap 360 715") as stream:
            stream.read_all()
        ready = threading.Barrier(4)

        def use() -> None:
            ready.wait()
            with agent.open(f"shell:{RESERVE}") as stream:
                stream.read_all()

        threads = [threading.Thread(target=use) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [item.target for item in found.inputs()].count("reserve_button") == 1
        booked = [
            event
            for event in found.events[1:]
            if event.outcome == "passed" and event.verdict is not None and event.verdict.actions
        ]
        assert len(booked) == 1 and len(found.events) == 5


def test_after_the_end_nothing_passes_and_reading_goes_on() -> None:
    from vsalang.program.action import Action

    with live() as found:
        attack = Attack(found)
        found.gate.act([Action("give_up")], lambda: None)
        assert b"ended" in attack.send("shell:input keyevent BACK")
        assert b"VSA Phone" in attack.send("shell:getprop ro.product.model")
        assert found.inputs() == attack.before


@pytest.mark.parametrize("how", ["lost", "blind"])
def test_without_the_phone_nothing_passes(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with live() as found:
        attack = Attack(found)
        if how == "lost":
            found.device._simulated.close()
            assert b"shell:getprop" in attack.send("shell:getprop x")
        else:

            def blind() -> None:
                raise DeviceError("the dump failed")

            monkeypatch.setattr(found.device, "observe", blind)
        heard = attack.send("shell:input keyevent BACK")
        assert b"it cannot be judged" in heard
        assert found.inputs() == attack.before
        assert found.events[-1].outcome == "refused"


# ---------------------------------------------------------------- adbd's own protocol


def test_the_daemon_survives_nonsense(attack: Attack) -> None:
    for said in (b"\x00" * 100, b"CNXN" * 50, b"GET / HTTP/1.1\r\n\r\n", b"OPEN" + b"\xff" * 20, b""):
        with socket.create_connection(("127.0.0.1", attack.live.daemon.port), timeout=60) as connection:
            connection.sendall(said)
    assert b"VSA Phone" in attack.send("shell:getprop ro.product.model")
    attack.check(opened=True)
