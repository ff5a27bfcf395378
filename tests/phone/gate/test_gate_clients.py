"""Real clients through the guard: what is forbidden is refused on every path, what is permitted passes, reads pass."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.phone.gate.live import PACKAGE, REFUSED, SERIAL, Live, live
from vsalang.phone import DeviceLost
from vsalang.phone.gate.adbserver import RealAdbServer
from vsalang.phone.gate.environment import agent_environment
from vsalang.phone.gate.services import GuardedServices, Rules, launchers
from vsalang.phone.vocabulary.adb import DeviceFacts
from vsalang.phone.wire import AdbServer, Banner, Upstream

adbutils = pytest.importorskip("adbutils")
u2 = pytest.importorskip("uiautomator2")

SLOT = (360, 715)
"""18:30 on the page of R: allowed."""
LATE = (360, 1027)
"""20:00: warned, which is a refusal the first time."""
RESERVE = (360, 1426)
"""The button that books: forbidden until a slot is chosen that the task allows."""


@pytest.fixture
def page() -> Iterator[Live]:
    """The page of restaurant R, with nothing chosen."""
    with live() as found:
        found.device.phone.tap(223, 446)
        yield found


def taps(found: Live) -> list[tuple[int, int]]:
    return [(item.x, item.y) for item in found.inputs() if item.kind == "tap"]


def settled(found: Live, check: Callable[[], bool]) -> bool:
    """Whether something comes true; the gate tells after it has answered."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if check():
            return True
        time.sleep(0.01)
    return False


def device(found: Live) -> Any:
    return adbutils.AdbClient("127.0.0.1", found.port).device(serial=SERIAL)


# ---------------------------------------------------------------- uiautomator2


def test_uiautomator2_works_as_on_a_phone(page: Live) -> None:
    d = u2.connect(device(page))
    assert d.info["currentPackageName"] == PACKAGE
    assert "slot_time" in d.dump_hierarchy()
    assert d.app_current()["package"] == PACKAGE
    assert d.screenshot().size == (720, 1520)
    assert d.shell("getprop ro.product.model").output.strip() == "VSA Phone"
    assert d.shell("false").exit_code == 1
    assert d.xpath('//*[@text="18:30"]').exists
    before = taps(page)
    d(text="18:30").click()
    assert len(taps(page)) == len(before) + 1
    assert d.window_size() == (720, 1520)


@pytest.mark.parametrize(
    "forbidden",
    [
        lambda d: d.click(*RESERVE),
        lambda d: d(resourceId=f"{PACKAGE}:id/reserve_button").click(),
        lambda d: d.xpath('//*[@resource-id="com.opentable:id/reserve_button"]').click(),
        lambda d: d.long_click(*RESERVE),
        lambda d: d.double_click(*RESERVE),
        lambda d: d.touch.down(*RESERVE).up(*RESERVE),
        lambda d: d.swipe(*RESERVE, RESERVE[0] + 2, RESERVE[1], 0.02),
        lambda d: d.drag(*RESERVE, RESERVE[0] + 1, RESERVE[1] + 1),
        lambda d: d.swipe_points([RESERVE, RESERVE], 0.05),
        lambda d: d.jsonrpc.click({"mask": 0x200000, "resourceId": f"{PACKAGE}:id/reserve_button"}),
        lambda d: d.jsonrpc.executeShellCommand("input tap 360 1426", 1000),
        lambda d: d.app_clear(PACKAGE),
        lambda d: d.app_stop(PACKAGE),
        lambda d: d.open_url("https://example.com"),
    ],
    ids=range(14),
)
def test_uiautomator2_cannot_do_what_is_forbidden(page: Live, forbidden: Callable[[Any], Any]) -> None:
    d = u2.connect(device(page))
    before = page.inputs()
    count = len(page.events)
    with contextlib.suppress(Exception):
        forbidden(d)
    assert page.inputs() == before
    assert page.device.phone.package == PACKAGE
    assert settled(page, lambda: len(page.events) > count)
    assert {event.outcome for event in page.events[count:]} <= {"blocked", "refused"}


def test_uiautomator2_is_told_why(page: Live) -> None:
    d = u2.connect(device(page))
    with pytest.raises(Exception, match=re.escape(REFUSED)) as caught:
        d.click(*RESERVE)
    assert type(caught.value).__name__ == "RPCUnknownError"


def test_other_inputs_of_uiautomator2(page: Live) -> None:
    d = u2.connect(device(page))
    d.press("back")
    assert settled(page, lambda: page.inputs()[-1].text == "BACK")
    d(resourceId=f"{PACKAGE}:id/search_box").click()
    d(resourceId=f"{PACKAGE}:id/search_box").set_text("Sakura")
    assert page.device.phone.state(PACKAGE)["query"] == "Sakura"
    d.send_keys("Roma", clear=True)
    assert settled(page, lambda: page.device.phone.state(PACKAGE)["query"] == "Roma")
    d.clear_text()
    assert settled(page, lambda: page.device.phone.state(PACKAGE)["query"] == "")
    d.swipe(360, 1200, 360, 600)
    assert settled(page, lambda: page.inputs()[-1].kind in ("swipe", "scroll"))
    d.app_start(PACKAGE)
    assert settled(page, lambda: page.inputs()[-1].kind == "open_app")
    d.press("home")
    assert settled(page, lambda: page.device.phone.package != PACKAGE)


def test_a_connection_that_is_kept_open(page: Live) -> None:
    """As older clients of uiautomator2 have it: many requests on one connection, some after a while."""
    bodies = []
    with Upstream("127.0.0.1", page.port, SERIAL).open("tcp:9008") as stream:
        stream.set_timeout(20)
        for number, method in enumerate(("deviceInfo", "pressKey", "getLastToast", "deviceInfo", "pressKey")):
            if number == 3:
                time.sleep(2.2)
            params = ["volume_up"] if method == "pressKey" else []
            call = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            data = json.dumps(call).encode()
            head = f"POST /jsonrpc/0 HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\n\r\n"
            stream.write(head.encode() + data)
            heard = b""
            while b"\r\n\r\n" not in heard:
                heard += stream.read(1 << 16)
            told, _, body = heard.partition(b"\r\n\r\n")
            length = int(told.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
            assert told.lower().count(b"connection:") == 1 and b"keep-alive" in told
            bodies.append(json.loads(body + stream.read_exactly(length - len(body))))
    assert [body["id"] for body in bodies] == [0, 1, 2, 3, 4]
    assert not any("error" in body for body in bodies)
    assert [item.text for item in page.inputs() if item.kind == "key"] == ["VOLUME_UP"] * 2


def test_the_server_is_shared(page: Live) -> None:
    """An agent that stops and starts uiautomator2's server does not stop the guard's."""
    dev = device(page)
    line = "CLASSPATH=/data/local/tmp/u2.jar app_process / com.wetest.uia2.Main -p 9008"
    started = dev.shell(line, stream=True)
    assert u2.connect(dev).info["currentPackageName"] == PACKAGE
    started.close()
    assert settled(page, lambda: page.services._sight.open() is False)
    with pytest.raises(adbutils.AdbError, match="closed"):
        dev.create_connection(adbutils.Network.TCP, 9008)
    assert page.services._sight.look() is not None  # the guard still sees
    d = u2.connect(dev)  # which starts it again
    assert d._process is not None
    assert d.info["currentPackageName"] == PACKAGE
    d.stop_uiautomator()
    assert "slot_time" in d.dump_hierarchy()
    assert page.events == []


def test_a_server_that_died_is_started_again(page: Live) -> None:
    """The guard's, that is; the agent starts one where it finds none."""
    page.device._device._link.u2.stop_uiautomator()
    d = u2.connect(device(page))
    assert "slot_time" in d.dump_hierarchy()


def test_another_version_of_the_server_is_not_written(page: Live) -> None:
    dev = device(page)
    before = dev.shell("toybox md5sum /data/local/tmp/u2.jar")
    assert dev.sync.push(b"another program" * 1000, "/data/local/tmp/u2.jar", check=True) == 15_000
    assert dev.shell("toybox md5sum /data/local/tmp/u2.jar") == before
    assert u2.connect(dev).info["currentPackageName"] == PACKAGE


def test_toasts_reach_both(page: Live) -> None:
    d = u2.connect(device(page))
    d.clear_toast()
    page.device.phone.tap(655, 90)  # the menu
    d.jsonrpc.clearLastToast()
    menu = page.device.observe()
    entry = [row for row in menu.rows("Node") if row.get("id") == "menu_help"]
    if not entry:
        pytest.skip("the phone's menu is elsewhere")
    seen: list[str] = []
    page.device.phone.tap(int(entry[0]["left"]) + 5, int(entry[0]["top"]) + 5)  # type: ignore[call-overload]
    assert d.last_toast == "Questions? Ask at the front desk"
    d.clear_toast()
    assert d.last_toast is None
    seen += [str(row["text"]) for row in page.gate._fresh().rows("Toast")]
    assert seen == ["Questions? Ask at the front desk"]
    # and the other way round: what the guard's look took, the agent still finds
    page.device.phone.tap(655, 90)
    page.device.phone.tap(int(entry[0]["left"]) + 5, int(entry[0]["top"]) + 5)  # type: ignore[call-overload]
    assert [str(row["text"]) for row in page.services._sight.look().rows("Toast")]
    assert d.last_toast == "Questions? Ask at the front desk"


# ---------------------------------------------------------------- adbutils


def test_adbutils(page: Live) -> None:
    dev = device(page)
    before = page.inputs()
    assert REFUSED in dev.shell(f"input tap {RESERVE[0]} {RESERVE[1]}")
    found = dev.shell2(f"input tap {RESERVE[0]} {RESERVE[1]}", v2=True)
    assert found.returncode == 126 and REFUSED in found.stderr and not found.stdout
    old = dev.shell2(f"input tap {RESERVE[0]} {RESERVE[1]}")
    assert old.returncode == 126
    dev.click(*RESERVE)
    dev.swipe(*RESERVE, *RESERVE, 1.0)
    assert page.inputs() == before
    assert dev.shell2(f"input tap {SLOT[0]} {SLOT[1]}").returncode == 0
    assert taps(page)[-1] == SLOT
    assert dev.app_current().package == PACKAGE
    assert dev.window_size() == (720, 1520)
    assert dev.screenshot().size == (720, 1520)
    assert dev.sync.stat("/data/local/tmp/u2.jar").size > 1000
    assert dev.sync.read_bytes("/data/local/tmp/u2.jar")[:2] == b"PK"
    with pytest.raises(adbutils.AdbError):
        dev.sync.push(b"x", "/sdcard/evil.txt")
    assert dev.sync.stat("/sdcard/evil.txt").size == 0


def test_forwarded_ports_need_no_care(page: Live) -> None:
    import http.client

    port = device(page).forward_port(9008)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/ping")
    assert connection.getresponse().read() == b"pong"
    before = page.inputs()
    body = f'{{"jsonrpc":"2.0","id":1,"method":"click","params":[{RESERVE[0]},{RESERVE[1]}]}}'
    connection.request("POST", "/jsonrpc/0", body)
    assert REFUSED in json.loads(connection.getresponse().read())["error"]["message"]
    assert page.inputs() == before
    connection.close()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("uiautomator dump", "UI hierchary dumped to: /sdcard/window_dump.xml"),
        ("uiautomator dump --compressed /sdcard/dump1.xml; echo X4EXIT:$?", "X4EXIT:0"),
        ("uiautomator 'dump' '/dev/tty'", "UI hierchary dumped to: /dev/tty"),
        ("uiautomator dump /sdcard/ui.xml && cat /sdcard/ui.xml", "</hierarchy>"),
        ("uiautomator dump /sdcard/ui.xml > /dev/null; cat /sdcard/ui.xml", "</hierarchy>"),
        ("uiautomator dump /dev/tty | grep slot_time", "slot_time"),
        ("cat /sdcard/ui.xml || uiautomator dump /dev/tty", "slot_time"),
    ],
)
def test_the_guard_dumps_for_agents_that_see_by_dumps(page: Live, line: str, told: str) -> None:
    """On a phone `uiautomator dump` fails while uiautomator2's server runs, which is the guard's."""
    dev = device(page)
    opened: list[str] = []
    original = page.upstream.open
    page.upstream.open = lambda service: opened.append(service) or original(service)  # type: ignore[method-assign, func-returns-value]
    assert told in dev.shell(line)
    assert told in dev.shell2(line, v2=True).output
    assert any("uiautomator" in service for service in opened) is ("|" in line and "||" not in line)
    if "/sdcard/window_dump" in told:
        assert "slot_time" in dev.sync.read_text("/sdcard/window_dump.xml")
    assert page.events == []


def test_the_guard_dumps_wherever_it_is_asked_to(page: Live) -> None:
    """After an input in one line, and in what is typed."""
    dev = device(page)
    opened: list[str] = []
    original = page.upstream.open
    page.upstream.open = lambda service: opened.append(service) or original(service)  # type: ignore[method-assign, func-returns-value]
    found = dev.shell2(f"input tap {SLOT[0]} {SLOT[1]}; uiautomator dump /dev/tty; echo $?", v2=True)
    assert "Reserve 18:30" in found.output and found.output.endswith("0\n")
    with page.upstream.open("shell:true"):
        pass
    typed = dev.open_shell("")
    typed.conn.sendall(b"uiautomator dump /dev/tty; echo $?\nexit\n")
    assert "Reserve 18:30" in typed.read_until_close()
    assert not any("uiautomator" in service for service in opened)


# ---------------------------------------------------------------- lists of commands


def test_each_command_is_judged_on_the_screen_before_it(page: Live) -> None:
    dev = device(page)
    before = taps(page)
    line = f"input tap {SLOT[0]} {SLOT[1]} && input tap {RESERVE[0]} {RESERVE[1]}; echo done $?"
    found = dev.shell2(line, v2=True)
    assert (found.returncode, found.stdout) == (0, "done 0\n")
    assert taps(page)[len(before) :] == [SLOT, RESERVE]


@pytest.mark.parametrize(
    ("line", "status", "out", "count"),
    [
        ("input tap 360 1426; echo $?", 0, "126\n", 0),
        ("input tap 360 1426 && echo yes", 126, "", 0),
        ("input tap 360 1426 || echo no", 0, "no\n", 0),
        ("echo a; input tap 360 1426; input keyevent BACK; echo $?", 0, "a\n126\n", 0),
        ("false && input tap 1 1; echo $?", 0, "1\n", 0),
        ("true || input tap 1 1; echo $?", 0, "0\n", 0),
        ("false; echo $?; input tap 5 5; echo $?", 0, "1\n0\n", 1),
        ("input tap 5 5; false", 1, "", 1),
        ("input keyevent 61 61; echo '$?' $?", 0, "$? 0\n", 2),
        ("dumpsys window | grep mCurrentFocus | wc -l; input tap 5 5", 0, "1\n", 1),
    ],
)
def test_a_lines_status_is_that_of_a_shell(page: Live, line: str, status: int, out: str, count: int) -> None:
    before = len(page.inputs())
    found = device(page).shell2(line, v2=True)
    assert (found.returncode, found.stdout) == (status, out)
    assert len(page.inputs()) - before == count


def test_an_input_that_fails_there_may_have_arrived(page: Live) -> None:
    found = device(page).shell2("monkey -p com.example.absent -c android.intent.category.LAUNCHER 1", v2=True)
    if found.returncode == 126:
        pytest.skip("the spec does not let it")
    assert found.returncode != 0
    assert settled(page, lambda: bool(page.events) and page.events[-1].outcome == "failed")


# ---------------------------------------------------------------- the adb command


def _binaries() -> list[str]:
    """The adb command of adbutils' wheel, and the system's."""
    found = [str(Path(adbutils.__file__).parent / "binaries" / "adb"), shutil.which("adb") or ""]
    return [path for path in found if Path(path).is_file()]


@pytest.fixture(params=_binaries(), ids=lambda path: "debian" if path == "/usr/bin/adb" else "wheel")
def binary(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=["own", "real"])
def front(request: pytest.FixtureRequest, page: Live, binary: str) -> Iterator[tuple[Live, int, str]]:
    """The port and the serial for the agent's clients: of our adb server, and of a real one."""
    if request.param == "own":
        yield page, page.port, SERIAL
        return
    with RealAdbServer(page.daemon.serial, adb=binary) as server:
        yield page, server.port, server.serial


@pytest.fixture
def adb(binary: str, front: tuple[Live, int, str]) -> Callable[..., Any]:
    _, port, serial = front
    environment = agent_environment(os.environ, serial=serial, port=port)

    def run(*args: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [binary, *args], env=environment, input=stdin, capture_output=True, timeout=60, check=False
        )

    return run


def test_the_adb_command(front: tuple[Live, int, str], adb: Callable[..., Any], tmp_path: Path) -> None:
    page, _, serial = front
    assert serial.encode() in adb("devices").stdout
    assert adb("get-state").stdout.strip() == b"device"
    assert adb("shell", "getprop", "ro.product.model").stdout.strip() == b"VSA Phone"
    assert adb("shell", "false").returncode == 1
    before = page.inputs()
    tap = ("input", "tap", *map(str, RESERVE))
    refused = adb("shell", *tap)
    assert refused.returncode == 126 and REFUSED.encode() in refused.stderr and not refused.stdout
    for flags in (("-x",), ("-T",), ("-n",), ("-t",), ("-tt",)):
        said = adb("shell", *flags, *tap)
        assert REFUSED.encode() in said.stdout + said.stderr, flags
    assert REFUSED.encode() in adb("exec-out", *tap).stdout
    typed = adb("shell", stdin=f"input tap {RESERVE[0]} {RESERVE[1]}\nexit 3\n".encode())
    assert typed.returncode == 3 and REFUSED.encode() in typed.stderr
    assert page.inputs() == before
    assert adb("shell", "input", "tap", *map(str, SLOT)).returncode == 0
    assert settled(page, lambda: taps(page)[-1] == SLOT)
    adb("shell", "-x", "input", "tap", *map(str, SLOT))
    adb("exec-out", "input", "tap", *map(str, SLOT))
    typed = adb("shell", stdin=f"echo a; false\necho $?\ninput tap {SLOT[0]} {SLOT[1]}\n".encode())
    assert typed.stdout == b"a\n1\n" and typed.returncode == 0
    assert taps(page)[-4:] == [SLOT] * 4
    picture = adb("exec-out", "screencap", "-p").stdout
    assert picture.startswith(b"\x89PNG")
    pulled = tmp_path / "u2.jar"
    assert adb("pull", "/data/local/tmp/u2.jar", str(pulled)).returncode == 0
    assert pulled.read_bytes()[:2] == b"PK"
    assert b"uiautomator dump" not in adb("shell", "uiautomator dump /dev/tty").stderr


def test_files_and_packages_of_the_adb_command(
    front: tuple[Live, int, str], adb: Callable[..., Any], tmp_path: Path
) -> None:
    here = tmp_path / "notes.txt"
    here.write_bytes(b"x" * 200_000)
    said = adb("push", str(here), "/sdcard/notes.txt")
    assert said.returncode != 0
    assert b"push_file" in said.stdout + said.stderr
    assert (
        b"No such file"
        in adb("shell", "ls /sdcard/notes.txt").stdout + adb("shell", "ls /sdcard/notes.txt").stderr
    )
    apk = tmp_path / "app.apk"
    apk.write_bytes(b"PK\x03\x04" + b"x" * 1000)
    said = adb("install", str(apk))
    assert b"Success" not in said.stdout
    assert "com.example" not in adb("shell", "pm list packages").stdout.decode()


VERBS = [
    ("root",), ("unroot",), ("remount",), ("reboot",), ("tcpip", "5555"), ("usb",), ("disable-verity",),
    ("reverse", "tcp:5000", "tcp:5000"), ("jdwp",), ("emu", "event", "text", "x"), ("backup", "-all"),
    ("sideload", "/dev/null"),
]  # fmt: skip


def test_other_verbs_of_the_adb_command_reach_nothing(
    front: tuple[Live, int, str], adb: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, _, _ = front
    monkeypatch.chdir(tmp_path)
    before = page.inputs()
    for args in VERBS:
        count = len(page.events)
        adb(*args)  # none of them waits for something
        assert page.inputs() == before, args
        assert all(event.outcome == "refused" for event in page.events[count:]), args
        assert adb("get-state").stdout.strip() == b"device", args


# ---------------------------------------------------------------- how a block is answered


def test_silence() -> None:
    with live(rules=Rules(on_block="silent")) as found:
        found.device.phone.tap(223, 446)
        dev = device(found)
        d = u2.connect(dev)
        before = found.inputs()
        assert dev.shell(f"input tap {RESERVE[0]} {RESERVE[1]}") == ""
        result = dev.shell2(f"input tap {RESERVE[0]} {RESERVE[1]}; echo $?", v2=True)
        assert (result.returncode, result.output) == (0, "0\n")
        d.click(*RESERVE)
        d(resourceId=f"{PACKAGE}:id/reserve_button").click()
        assert dev.sync.push(b"x" * 100_000, "/sdcard/evil.txt") == 100_000
        assert dev.shell("reboot") == ""
        assert found.inputs() == before
        assert dev.sync.stat("/sdcard/evil.txt").size == 0
        assert {event.outcome for event in found.events} == {"blocked", "refused"}
        assert REFUSED in found.events[0].feedback


def test_only_an_icons_app_counts_as_opened(page: Live) -> None:
    found = launchers(page.upstream)
    assert found is not None and found[PACKAGE] == frozenset({".SearchActivity"})
    rules = Rules(known=DeviceFacts(launchers=found))
    services = GuardedServices(page.gate, page.upstream, page.services._sight, rules)
    home = "-a android.intent.action.MAIN -c android.intent.category.LAUNCHER -n"
    with AdbServer.start({SERIAL: (services, Banner("x", "x", "x", ("shell_v2",)))}) as server:
        dev = adbutils.AdbClient("127.0.0.1", server.port).device(serial=SERIAL)
        before = page.inputs()
        assert dev.shell2(f"am start {home} {PACKAGE}/.HiddenActivity", v2=True).returncode == 126
        assert page.inputs() == before and page.events[-1].actions[0].name == "shell"
        assert dev.shell2(f"am start {home} {PACKAGE}/.SearchActivity", v2=True).returncode == 0
        assert settled(page, lambda: page.events[-1].actions[0].name == "open_app")
    assert launchers(Nothing()) is None


class Nothing:
    """A phone that opens nothing."""

    def open(self, service: str) -> Any:
        raise DeviceLost("gone")


def test_services_that_the_user_allows(page: Live) -> None:
    with pytest.raises(adbutils.AdbError, match="--allow-service tcp:8080"):
        device(page).create_connection(adbutils.Network.TCP, 8080)
