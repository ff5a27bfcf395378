"""The simulated phone's shell as suites of clients use it: files, log, screens, links, stubs, switches."""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.phone.sim.test_shell import Recorded, Typing, apk, manifest, run
from vsalang.phone.sim import Phone, load
from vsalang.phone.sim.services import PhoneServices
from vsalang.phone.wire import ServiceRefused

PACKAGE = "com.opentable"


@pytest.fixture
def services() -> Iterator[PhoneServices]:
    yield PhoneServices(Phone(load("restaurant")))


def asked(services: PhoneServices, name: str) -> bytes:
    """What a service prints that reads nothing."""
    stream = Recorded()
    services.open(name)(stream)
    return stream.printed


def test_files_are_moved_and_copied(services: PhoneServices) -> None:
    run(services, "mkdir -p /sdcard/a/b; echo one > /sdcard/a/one; echo two > '/sdcard/a/b/two 2'")
    assert run(services, "mv /sdcard/a/one /sdcard/a/b; ls /sdcard/a/b") == (0, "one\ntwo 2\n", "")
    assert run(services, "cp /sdcard/a /sdcard/c")[0] == 1, "a folder needs -r"
    assert run(services, "cp -frp /sdcard/a /sdcard/c; cat '/sdcard/c/b/two 2'") == (0, "two\n", "")
    assert (
        run(services, "mv /sdcard/c/b/one /sdcard/d; test -e /sdcard/c/b/one || cat /sdcard/d")[1] == "one\n"
    )
    assert (
        run(services, "mv /sdcard/none /sdcard/d")[2] == "mv: bad '/sdcard/none': No such file or directory\n"
    )
    assert run(services, "mv /sdcard/d /sdcard/d; cat /sdcard/d") == (0, "one\n", ""), "its own name"
    assert run(services, "mv /sdcard/a /sdcard/a/b")[0] == 1, "a folder cannot move into itself"
    assert run(services, "touch /sdcard/new; stat -c '%s %F' /sdcard/new")[1] == "0 regular file\n"
    assert run(services, "rmdir /sdcard/a")[2] == "rmdir: /sdcard/a: Directory not empty\n"
    assert run(services, "rm -- -dash")[2] == "rm: -dash: No such file or directory\n"


def test_each_input_leaves_a_line_in_the_log(services: PhoneServices) -> None:
    services.phone.tap(5, 7)
    services.phone.type_text("secret")
    status, printed, _ = run(services, "log -p w -t TAG hello; logcat -d -v brief")
    assert status == 0
    assert "D/InputDispatcher(  700): tap at 5,7\n" in printed
    assert "secret" not in printed
    assert printed.endswith("W/TAG     ( 2000): hello\n")
    assert run(services, "logcat -d -s TAG:E")[1] == "--------- beginning of main\n"
    assert run(services, "logcat -d -e hello -v raw")[1].endswith("\nhello\n")
    assert run(services, "logcat -t 1 -v tag")[1].endswith("main\nW/TAG     : hello\n")
    assert run(services, "logcat -c; logcat -d")[1] == "--------- beginning of main\n"
    as_adb_sends_it = "export ANDROID_LOG_TAGS=\"''\"; exec logcat '-d'"
    assert run(services, as_adb_sends_it)[:2] == (0, "--------- beginning of main\n")
    assert run(services, "logcat --wrong=1 -d; logcat 'TAG:?'")[0] == 1


def test_a_running_logcat_prints_new_lines(services: PhoneServices) -> None:
    class Open(Typing):
        closed = threading.Event()

        def wait_closed(self) -> None:
            self.closed.wait(30)

    terminal = Open()
    reading = threading.Thread(target=services.shell.run, args=("logcat -v raw", terminal))
    reading.start()
    services.shell.system.log.write("I", "T", "later")
    until = time.monotonic() + 20
    while b"later" not in terminal.printed and time.monotonic() < until:
        time.sleep(0.01)
    terminal.closed.set()
    reading.join(30)
    assert not reading.is_alive()
    assert terminal.printed.endswith(b"later\n")


TWO_SCREENS = """
[phone]
clock = 2026-04-01T12:00:00
[[app]]
package = "org.example.two"
label = "Two"
start = "first"
links = ["shop:"]
  [app.state]
  item = ""
  [[app.screen]]
  name = "first"
  template = "stub.xml"
  [[app.screen]]
  name = "second"
  template = "stub.xml"
  activity = ".Second"
  [[app.on]]
  event = "link"
  set = { item = "value" }
  goto = "second"
"""


@pytest.fixture
def two(tmp_path: Path) -> PhoneServices:
    """A phone whose app has two activities, and takes links of its own."""
    text = TWO_SCREENS.replace(
        'links = ["shop:"]', 'links = ["shop:"]\n  [app.data]\n  label = ""\n  says = ""'
    )
    (tmp_path / "phone.toml").write_text(text.replace('item = ""', 'item = ""\n  address = ""'))
    return PhoneServices(Phone(load(str(tmp_path))))


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("am start -W -n org.example.two/.MainActivity", ".MainActivity"),
        ("am start -n org.example.two/org.example.two.Second", ".Second"),
        ("am start -a android.intent.action.VIEW -d shop://item/7", ".Second"),
        ("am start -n org.example.two/.NoSuchActivity", ".Launcher"),
    ],
)
def test_an_activity_shows_its_screen(two: PhoneServices, line: str, shown: str) -> None:
    status, printed, error = run(two, line)
    assert two.phone.activity == shown
    assert (status == 0) is (shown != ".Launcher") is not ("does not exist" in error)
    assert "Starting: Intent { " in printed
    assert ("Status: ok" in printed) is ("-W" in line)
    assert two.phone.state("org.example.two")["item"] == ("shop://item/7" if "shop" in line else "")


def test_links_open_where_they_belong(services: PhoneServices) -> None:
    assert run(services, "am start -a android.intent.action.VIEW -d https://example.org/x?y=1")[0] == 0
    phone = services.phone
    assert (phone.package, phone.find("stub_address").text) == (
        "com.android.browser",
        "https://example.org/x?y=1",
    )
    assert phone.inputs[-1].kind == "open_link"
    assert "topActivity=ComponentInfo{com.android.browser/" in run(services, "am stack list")[1]
    assert run(services, "am start -p org.example.none -d https://example.org")[0] == 1


def test_another_app_is_installed_as_a_stub(services: PhoneServices) -> None:
    services.files.write("/sdcard/o.apk", apk(manifest("org.example.helper", wide=True)))
    assert run(services, "pm install -r -g /sdcard/o.apk")[:2] == (0, "Success\n")
    assert "package:org.example.helper\n" in run(services, "pm list packages -3")[1]
    assert run(services, "monkey -p org.example.helper -c android.intent.category.LAUNCHER 1")[0] == 0
    says = "this simulated phone has the package org.example.helper, not its program"
    assert says in services.phone.find("stub_says").text
    status, _, error = run(services, "am startservice -n org.example.helper/.Listener")
    assert (status, "is a stub" in error) == (0, True)
    assert services.phone.inputs[-1].kind == "service"
    assert "org.example.helper/.Listener is a stub" in run(services, "logcat -d -s StubService")[1]
    assert (
        run(services, "am startservice -n org.example.none/.S")[2]
        == "Error: Not found; no service started.\n"
    )
    assert "INSTRUMENTATION_FAILED" in run(services, "am instrument -w org.example.helper/.Runner")[2]
    assert run(services, "pm uninstall org.example.helper; pm list packages -3")[1].startswith("Success\n")
    assert services.phone.package != "org.example.helper"


def test_an_app_of_the_folder_comes_back(services: PhoneServices) -> None:
    assert run(services, f"pm uninstall {PACKAGE}")[1] == "Success\n"
    assert not services.phone.open_app(PACKAGE)
    with pytest.raises(LookupError):
        services.phone.find("app_icon")
    services.files.write("/sdcard/o.apk", apk(manifest(PACKAGE, wide=False)))
    run(services, "pm install /sdcard/o.apk")
    assert services.phone.open_app(PACKAGE)
    assert services.phone.find("search_box")


def test_permissions_that_an_app_asks_for(services: PhoneServices) -> None:
    services.shell.system.record.permissions[PACKAGE, "android.permission.CAMERA"] = False
    assert run(services, f"pm grant {PACKAGE} android.permission.CAMERA")[0] == 0
    assert "android.permission.CAMERA: granted=true" in run(services, f"dumpsys package {PACKAGE}")[1]
    assert "has not requested" in run(services, f"pm grant {PACKAGE} android.permission.NFC")[2]


@pytest.mark.parametrize(
    ("line", "asks", "answer"),
    [
        ("svc wifi disable", "cmd wifi status", "Wifi is disabled\n"),
        ("cmd connectivity airplane-mode enable", "ip -f inet addr show wlan0 | grep -c 10.0.2.16", "0\n"),
        ("cmd location set-location-enabled false", "cmd location is-location-enabled", "false\n"),
        ("wm user-rotation lock 1", "settings get system user_rotation", "1\n"),
        ("settings put system user_rotation 3", "dumpsys input | grep -c 'SurfaceOrientation: 0'", "1\n"),
        (
            "dumpsys deviceidle whitelist +com.opentable",
            "dumpsys deviceidle whitelist",
            "user,com.opentable,10100\n",
        ),
        ("setprop debug.x 7", "getprop debug.x", "7\n"),
    ],
)
def test_switches_are_kept(services: PhoneServices, line: str, asks: str, answer: str) -> None:
    run(services, line)
    assert run(services, asks)[1] == answer


def test_time_passes_for_clients_too(services: PhoneServices) -> None:
    clock, began = services.phone.clock, time.monotonic()
    run(services, "sleep 0.1; input swipe 300 900 300 300 100")
    assert time.monotonic() - began >= 0.2
    assert (services.phone.clock - clock).total_seconds() >= 0.1


def test_a_shell_ends_what_it_started(services: PhoneServices) -> None:
    ended = threading.Event()
    services.shell.system.processes[2100] = ("app_process", ended.set)
    assert run(services, "ps -u shell")[1].splitlines()[1].split()[-1] == "app_process"
    assert run(services, "kill 2100")[0] == 0
    assert ended.is_set()
    assert run(services, "kill 900")[2] == "kill: 900: Operation not permitted\n"
    assert run(services, "kill 77777")[2] == "kill: 77777: No such process\n"


def test_reversed_ports_are_listed(services: PhoneServices) -> None:
    assert asked(services, "reverse:forward:tcp:6100;tcp:7100") == b"OKAY"
    assert asked(services, "reverse:list-forward") == b"001c(reverse) tcp:6100 tcp:7100\n"
    assert asked(services, "reverse:forward:norebind:tcp:6100;tcp:1").startswith(b"FAIL")
    assert asked(services, "reverse:forward:tcp:0;tcp:1") == b"OKAY000540000"
    assert asked(services, "reverse:forward:else;tcp:1").startswith(b"FAIL")
    assert asked(services, "reverse:killforward:tcp:9").startswith(b"FAIL")
    assert asked(services, "reverse:killforward-all") + asked(services, "reverse:list-forward") == b"OKAY0000"


def test_a_phone_that_is_not_rooted_stays_so(services: PhoneServices) -> None:
    rooted = PhoneServices(Phone(replace(load("restaurant"), root=True)))
    assert asked(rooted, "root:") == b"adbd is already running as root\n"
    assert run(rooted, "whoami")[1] == "root\n"
    assert run(rooted, "stop; setprop sys.boot_completed 0; getprop sys.boot_completed")[1] == "0\n"
    assert run(rooted, "start; getprop sys.boot_completed")[1] == "1\n"
    assert run(services, "stop")[2] == "must be root\n"
    assert asked(services, "root:") == b"adbd cannot run as root in production builds\n"
    assert run(services, "whoami")[1] == "shell\n"
    services.phone.open_app(PACKAGE)
    asked(services, "reboot:")
    assert (services.phone.package, services.phone.running()) == ("com.android.launcher3", [])
    with pytest.raises(ServiceRefused):
        services.open("tcpip:5555")


def test_the_framebuffer_is_the_picture(services: PhoneServices) -> None:
    data = asked(services, "framebuffer:")
    width, height = (int.from_bytes(data[at : at + 4], "little") for at in (12, 16))
    assert (width, height, len(data)) == (720, 1520, 52 + 4 * 720 * 1520)


def test_what_the_system_keeps_to_itself(services: PhoneServices) -> None:
    assert run(services, "mkdir -p /foo/bar")[2] == "mkdir: '/foo/bar': Read-only file system\n"
    assert run(services, "am start -a android.intent.action.DEFAULT -d tel:555-5555")[0] == 1
    assert run(services, "pgrep -f '^com.android.(phone|systemui)$'")[1] == "900\n902\n"
    assert run(services, "pgrep '('")[0] == 2
