"""Requests that only read pass without a proposal; what looks like one is judged."""

import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.phone.gate.live import SERIAL, Live, live
from vsalang.phone import DeviceError
from vsalang.phone.gate.adbserver import find_adb
from vsalang.phone.wire import ServiceRefused, Upstream

pytest.importorskip("uiautomator2")
ROOT = Path(__file__).parents[3]
FREE = """
spec free "The agent may switch the Wi-Fi on, as often as it likes."
import apps.opentable
allow each shell(command = "svc wifi enable").
done when shell earlier.
"""


@pytest.fixture(scope="module")
def shared() -> Iterator[Live]:
    with live() as found:
        yield found


def ask(found: Live, service: str) -> str:
    try:
        with Upstream("127.0.0.1", found.port, SERIAL).open(service) as stream:
            stream.set_timeout(20)
            return stream.read_all().decode("utf-8", "replace")
    except (ServiceRefused, DeviceError) as error:
        return str(error)


def test_no_read_of_a_framework_is_a_proposal(shared: Live) -> None:
    """Each request that the page says passes, on a phone; no listener hears of it, and nothing is turned away."""
    from scripts.framework_requests import NEW_FILE, PASSES, tables

    tried, inputs = 0, shared.inputs()
    before = len(shared.events)
    for request, answer in {row for rows in tables().values() for row in rows}:
        if request.startswith(("shell", "exec")) and answer in (PASSES, NEW_FILE) and "logcat" not in request:
            said = ask(shared, request)
            assert "vsalang:" not in said, (request, said)
            tried += 1
    assert tried > 80
    assert shared.events[before:] == []
    assert shared.inputs() == inputs


def test_the_page_of_requests_is_fresh() -> None:
    from scripts.framework_requests import PAGE, page

    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m scripts.framework_requests"
    frameworks = tomllib.loads((ROOT / "scripts" / "framework_requests.toml").read_text())
    assert len(frameworks) == 12 and all(f"## {each['title']}" in page() for each in frameworks.values())


def test_a_picture_in_a_new_file_is_read_back(shared: Live) -> None:
    """AppAgent's first look: a name of its own; the user's files are not touched by it."""
    files = shared.device._simulated.services.files
    before = len(shared.events)
    for path, command in (
        ("/sdcard/look_1.png", "screencap -p"),
        ("/sdcard/look_1.xml", "uiautomator dump"),
        ("/storage/emulated/0/Pictures/Maps 1.png", "screencap -p"),
    ):
        ask(shared, f"shell:{command} '{path}'")
        ask(shared, f"shell:{command} '{path}'")  # its own file again
        assert ask(shared, f"shell:cat '{path}'")[1:4] in ("PNG", "?xm"), path
        ask(shared, f"shell:rm -f '{path}'")
        assert files.stat(path) is None
    assert shared.events[before:] == []


def test_a_file_of_the_user_is_not_overwritten(shared: Live) -> None:
    files = shared.device._simulated.services.files
    for path in ("/sdcard/holiday.png", "/sdcard/notes.xml"):
        files.write(path, b"the user's")
        command = "screencap -p" if path.endswith("png") else "uiautomator dump"
        for line in (
            f"{command} {path}",
            f"cat {path}",
            f"rm {path}",
            f"{command} {path.replace('sdcard', 'mnt/sdcard')}",
        ):
            before = len(shared.events)
            assert "vsalang: " in ask(shared, f"shell:{line}"), line
            assert len(shared.events) == before + 1
        assert files.read(path) == b"the user's"


@pytest.mark.parametrize(
    "line",
    [
        "screencap -p /sdcard/Android/data/com.a/files/x.png",
        "screencap -p /sdcard/.hidden.png",
        "screencap -p /sdcard/x.apk",
        "uiautomator dump /sdcard/x.png",
        "screencap -p /sdcard/a/../../data/x.png",
        "screencap -p /sdcard/new.png && rm /sdcard/other.png",
    ],
)
def test_other_files_are_judged(shared: Live, line: str) -> None:
    before = len(shared.events)
    assert "vsalang: " in ask(shared, f"shell:{line}")
    assert len(shared.events) == before + 1


def test_a_command_is_allowed_any_number_of_times(tmp_path: Path) -> None:
    spec = tmp_path / "free.vsa"
    spec.write_text(FREE)
    with live(spec) as found:
        for _ in range(4):
            assert "vsalang: " not in ask(found, "shell:svc wifi enable")
        assert "vsalang: " in ask(found, "shell:svc wifi disable")
        assert [event.outcome for event in found.events] == ["passed"] * 4 + ["blocked"]


def test_the_apps_icon_is_what_is_sent(shared: Live) -> None:
    """`am start -p` means any activity of the app; what goes to the phone is the intent of its icon."""
    before = len(shared.events)
    ask(shared, "shell:am start -p com.opentable")
    (event,) = shared.events[before:]
    assert event.outcome == "passed" and [str(each) for each in event.actions] == [
        'open_app(package = "com.opentable")'
    ]
    assert "-c android.intent.category.LAUNCHER -p com.opentable" in event.what


@pytest.mark.parametrize(
    "words",
    [
        ("logcat", "-d", "-v", "time"),
        ("longcat", "-d", "*:W"),
        ("logcat", "-d", "-e", "it's"),
        ("shell", "getevent", "-p"),
        ("shell", "ip", "addr", "show", "dev", "wlan0"),
        ("exec-out", "screencap", "-p"),
    ],
)
def test_what_the_adb_command_makes_passes(shared: Live, words: tuple[str, ...]) -> None:
    """The adb program quotes in its own way; this phone has no such log, which it says itself."""
    try:
        adb = find_adb()
    except DeviceError as error:
        pytest.skip(str(error))
    before = len(shared.events)
    command = [adb, "-P", str(shared.port), "-s", SERIAL, *words]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert b"vsalang:" not in done.stdout + done.stderr
    assert shared.events[before:] == []
