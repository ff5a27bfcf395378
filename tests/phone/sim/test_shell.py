"""The shell of the simulated phone: pipes, standard input, terminals, and keyboards that are installed."""

import contextlib
import io
import struct
import zipfile
from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.phone.apk import NoApk, read_manifest
from vsalang.phone.sim import Phone, load
from vsalang.phone.sim.services import PhoneServices
from vsalang.phone.wire import EndOfStream

PACKAGE = "com.opentable"
UIAUTOMATOR = "com.github.uiautomator/.AdbKeyboard"


class Typing:
    """A terminal: what is typed, what is printed."""

    def __init__(self, typed: bytes = b"") -> None:
        self._typed = io.BytesIO(typed)
        self.printed = b""
        self.errors = b""

    def out(self, data: bytes) -> None:
        self.printed += data

    def err(self, data: bytes) -> None:
        self.errors += data

    def read(self, most: int) -> bytes:
        return self._typed.read(most)

    def wait_closed(self) -> None:
        """Nobody is there."""

    def end(self) -> None:
        """Nobody is there."""


class Recorded(Typing):
    """A stream whose input is known beforehand."""

    def read_exactly(self, count: int) -> bytes:
        data = self._typed.read(count)
        if len(data) < count:
            raise EndOfStream
        return data

    def write(self, data: bytes) -> None:
        self.printed += data

    def close(self) -> None:
        """It ends by itself."""


@pytest.fixture(scope="module")
def services() -> PhoneServices:
    return PhoneServices(Phone(load("restaurant")))


def run(services: PhoneServices, line: str, typed: bytes = b"") -> tuple[int, str, str]:
    terminal = Typing(typed)
    status = services.shell.run(line, terminal)
    return status, terminal.printed.decode("utf-8", "replace"), terminal.errors.decode()


TEXT = "one\ntwo\nthree\nTwo\n"


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("cat", TEXT),
        ("cat | cat - | cat", TEXT),
        ("grep t", "two\nthree\n"),
        ("grep -i T", "two\nthree\nTwo\n"),
        ("grep -in two", "2:two\n4:Two\n"),
        ("grep -v o", "three\n"),
        ("grep -c e", "2\n"),
        ("grep -o 'th.'", "thr\n"),
        ("grep -E 'one|three'", "one\nthree\n"),
        ("grep 'one\\|three'", "one\nthree\n"),
        ("grep 'one|three'", ""),
        ("grep -F 'o.e'", ""),
        ("grep -w tw", ""),
        ("grep -x two", "two\n"),
        ("grep -m1 o", "one\n"),
        ("grep -q one && echo yes", "yes\n"),
        ("grep four || echo no", "no\n"),
        ("head -n 1", "one\n"),
        ("head -2", "one\ntwo\n"),
        ("head -c 5", "one\nt"),
        ("tail -n 1", "Two\n"),
        ("tail -n +3", "three\nTwo\n"),
        ("tail -c 4", "Two\n"),
        ("wc -l", "4\n"),
        ("wc", "4 4 18\n"),
        ("sort", "Two\none\nthree\ntwo\n"),
        ("sort -r", "two\nthree\none\nTwo\n"),
        ("sort -f | uniq", "one\nthree\ntwo\nTwo\n"),
        ("cut -c 1-2", "on\ntw\nth\nTw\n"),
        ("cut -d h -f 2", "one\ntwo\nree\nTwo\n"),
        ("tr a-z A-Z", "ONE\nTWO\nTHREE\nTWO\n"),
        ("tr -d '\\n'", "onetwothreeTwo"),
        ("tee /sdcard/t > /dev/null; cat /sdcard/t", TEXT),
        ("grep o | grep -v w | wc -l; echo $?", "1\n0\n"),
        ("nothere | wc -c", "0\n"),
        ("nothere 2>&1 | wc -l", "1\n"),
        ("false | true && echo last decides", "last decides\n"),
        ("true | false && echo never", ""),
        ("false && cat | cat", ""),
        ("echo -n a | cat; echo b", "ab\n"),
    ],
)
def test_pipes(services: PhoneServices, line: str, printed: str) -> None:
    assert run(services, line, TEXT.encode())[1] == printed


def test_numbers_are_sorted_as_numbers(services: PhoneServices) -> None:
    assert run(services, "sort -n", b"10\n9\n-1\nx\n")[1] == "-1\nx\n9\n10\n"
    assert run(services, "sort | uniq -c", b"b\na\nb\n")[1] == "      1 a\n      2 b\n"


def test_bytes_that_are_no_text_pass_through(services: PhoneServices) -> None:
    terminal = Typing(b"\xff\xfe a\nb\n")
    services.shell.run("grep a", terminal)
    assert terminal.printed == b"\xff\xfe a\n"


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("grep", 2), ("grep '('", 1), ("grep -E '('", 2), ("grep --colour x", 1), ("grep x /nothere", 1),
        ("head -n x", 1), ("exit 9", 9), ("exit", 0), ("test -e /sdcard", 0), ("test -f /sdcard", 1), ("[ a = a ]", 0),
        ("[ a != a ]", 1), ("[ a = a", 2), ("[ 3 -eq 3 ]", 0), ("[ x -eq 3 ]", 1), ("test ! -d /sdcard", 1),
        ("/system/bin/wm size", 0), ("/system/bin/nothere", 127), ("/sdcard/wm size", 127),
        ("which ls", 0), ("which nothere", 1), ("command -v input", 0), ("id", 0),
        ("content query --uri content://sms", 0),
        ("content query --uri content://settings/system", 0), ("cmd input keyevent 4", 0), ("cmd nothere", 20),
    ],
)  # fmt: skip
def test_statuses(services: PhoneServices, line: str, status: int) -> None:
    assert run(services, line)[0] == status


def test_settings_by_every_way(services: PhoneServices) -> None:
    before = len(services.phone.inputs)
    run(services, "settings put system a 1")
    run(services, "cmd settings put system b 2")
    run(services, "content insert --uri content://settings/system --bind name:s:c --bind value:s:3:4")
    assert run(services, "settings list system | grep '^[abc]='")[1] == "a=1\nb=2\nc=3:4\n"
    assert "name=c, value=3:4" in run(services, "content query --uri content://settings/system")[1]
    told = [(each.kind, each.text) for each in services.phone.inputs[before:]]
    assert told == [("setting", "system a 1"), ("setting", "system b 2"), ("setting", "system c 3:4")]


def test_a_session_shares_its_input_with_its_commands(services: PhoneServices) -> None:
    terminal = Typing(b"echo one\n\ncat\nfor cat\nexit 4\n")
    assert services.shell.session(terminal) == 0
    assert terminal.printed == b"one\nfor cat\nexit 4\n"
    assert services.shell.session(Typing(b"false\n  exit 4\necho never\n")) == 4
    assert services.shell.session(Typing(b"false\necho $?")) == 0


# ---- keyboards -----------------------------------------------------------------------------------------------


@pytest.fixture
def fresh() -> PhoneServices:
    services = PhoneServices(Phone(load("restaurant")))
    services.phone.open_app(PACKAGE)
    services.phone.tap_id("search_box")
    return services


def manifest(name: str, *, wide: bool) -> bytes:
    """A binary manifest as the build tools write it, with the strings in UTF-8 or UTF-16."""
    strings = ["", "manifest", "package", name, "versionName"]
    data, offsets = b"", []
    for each in strings:
        offsets.append(len(data))
        if wide:
            data += struct.pack("<H", len(each)) + each.encode("utf-16-le") + b"\0\0"
        else:
            data += bytes([len(each), len(each)]) + each.encode() + b"\0"
    data += b"\0" * (-len(data) % 4)
    start = 28 + 4 * len(strings)
    flags = 0 if wide else 0x100
    pool = struct.pack("<HHI5I", 1, 28, start + len(data), len(strings), 0, flags, start, 0)
    pool += struct.pack(f"<{len(strings)}I", *offsets) + data
    attributes = struct.pack("<IIIHBBI", 0xFFFFFFFF, 4, 3, 8, 0, 3, 3) + struct.pack(
        "<IIIHBBI", 0xFFFFFFFF, 2, 3, 8, 0, 3, 3
    )
    element = struct.pack("<IIHHHHHH", 0xFFFFFFFF, 1, 20, 20, 2, 0, 0, 0) + attributes
    tag = struct.pack("<HHIII", 0x0102, 16, 16 + len(element), 1, 0xFFFFFFFF) + element
    return struct.pack("<HHI", 3, 8, 8 + len(pool) + len(tag)) + pool + tag


def apk(content: bytes) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("AndroidManifest.xml", content)
    return whole.getvalue()


@pytest.mark.parametrize("wide", [False, True])
def test_the_package_of_an_apk(wide: bool) -> None:
    assert read_manifest(apk(manifest("org.example.app", wide=wide))).package == "org.example.app"


@given(data=st.binary(max_size=200))
def test_no_apk(data: bytes) -> None:
    for content in (
        data,
        apk(data),
        apk(manifest("a.b", wide=False)[: len(data)]),
        apk(manifest("a.b", wide=True) + data),
    ):
        try:
            assert read_manifest(content).package == "a.b"
        except NoApk as error:
            assert str(error)


@given(place=st.integers(0, 250), value=st.integers(0, 255), wide=st.booleans())
def test_a_damaged_apk(place: int, value: int, wide: bool) -> None:
    data = bytearray(manifest("org.example.app", wide=wide))
    data[place % len(data)] = value
    try:
        assert isinstance(read_manifest(apk(bytes(data))).package, str)
    except NoApk as error:
        assert str(error)


def test_adbkeyboard_types_what_is_broadcast(fresh: PhoneServices) -> None:
    fresh.files.write("/data/local/tmp/k.apk", apk(manifest("com.android.adbkeyboard", wide=False)))
    phone = fresh.phone
    broadcast = "am broadcast -a ADB_INPUT_TEXT --es msg 'hé llo'"
    assert run(fresh, broadcast)[1].endswith("Broadcast completed: result=0\n")
    assert phone.inputs[-1].kind == "tap", "nobody listens yet"
    assert run(fresh, "pm install -r -t /data/local/tmp/k.apk")[:2] == (0, "Success\n")
    run(fresh, broadcast)
    assert phone.inputs[-1].kind == "install", "it is not the selected keyboard"
    assert (
        run(fresh, "ime enable com.android.adbkeyboard/.AdbIME; ime set com.android.adbkeyboard/.AdbIME")[0]
        == 0
    )
    run(fresh, broadcast)
    assert (phone.inputs[-1].kind, phone.inputs[-1].text, phone.find("search_box").text) == (
        "text",
        "hé llo",
        "hé llo",
    )
    run(fresh, f"am broadcast -a ADB_INPUT_B64 --es msg {b64encode('ö'.encode()).decode()}")
    assert phone.find("search_box").text == "hé llo" + "ö"
    run(fresh, "am broadcast -a ADB_CLEAR_TEXT")
    assert phone.find("search_box").text == ""
    run(fresh, "am broadcast -a ADB_INPUT_CODE --ei code 29")
    assert phone.find("search_box").text == "a"
    run(fresh, "am broadcast -a ADB_EDITOR_CODE --ei code 3")
    assert phone.inputs[-1].text == "ENTER"
    assert run(fresh, "pm uninstall com.android.adbkeyboard")[1] == "Success\n"
    assert (
        run(fresh, "settings get secure default_input_method")[1]
        == "com.android.inputmethod.latin/.LatinIME\n"
    )


def test_the_keyboard_of_uiautomator2_answers(fresh: PhoneServices) -> None:
    content = apk(manifest("com.github.uiautomator", wide=True))
    fresh.files.write("/data/local/tmp/k.apk", content)
    status, printed, _ = run(fresh, f"cmd package install -S {len(content)}", content)
    assert (status, printed) == (0, "Success\n")
    run(fresh, f"ime set {UIAUTOMATOR}")
    text = b64encode("zwölf".encode()).decode()

    def answer(line: str) -> str:
        return run(fresh, f"am broadcast -a ADB_KEYBOARD_{line}")[1].splitlines()[-1]

    good = 'Broadcast completed: result=-1, data="success"'
    assert answer(f"INPUT_TEXT --es text {text}") == good
    assert fresh.phone.find("search_box").text == "zwölf"
    assert answer(f"SET_TEXT --es text {text}") == good
    assert answer("INPUT_KEYCODE --ei code 67") == good
    assert fresh.phone.find("search_box").text == "zwöl"
    assert answer("CLEAR_TEXT") == good
    assert fresh.phone.keyboard_shown
    assert answer("HIDE") == good
    assert not fresh.phone.keyboard_shown
    assert answer("INPUT_TEXT --es text %%%") == 'Broadcast completed: result=0, data="bad base64"'
    assert answer("NOTHING") == "Broadcast completed: result=0"
    fresh.phone.key("HOME")
    assert (
        answer(f"INPUT_TEXT --es text {text}") == 'Broadcast completed: result=0, data="no input connection"'
    )


def test_what_cannot_be_installed(fresh: PhoneServices) -> None:
    files = fresh.files
    files.write("/sdcard/none.apk", b"none")
    before = fresh.phone.inputs
    assert "INSTALL_PARSE_FAILED_NOT_APK" in run(fresh, "pm install /sdcard/none.apk")[1]
    assert "failed to get size" in run(fresh, "pm install /sdcard/nothere.apk")[2]
    assert "ended early" in run(fresh, "pm install -S 100", b"short")[1]
    assert "INSUFFICIENT_STORAGE" in run(fresh, "pm install -S 99999999999")[1]
    assert run(fresh, "pm install")[0] == 1
    assert run(fresh, "pm install -S x")[0] == 1
    assert run(fresh, "pm uninstall org.example.app")[1] == "Failure [DELETE_FAILED_INTERNAL_ERROR]\n"
    assert run(fresh, f"ime set {UIAUTOMATOR}")[0] == 255
    assert fresh.phone.inputs == before


# ---- services ------------------------------------------------------------------------------------------------


def packets(data: bytes) -> list[tuple[int, bytes]]:
    found = []
    while data:
        kind, length = struct.unpack_from("<BI", data)
        found.append((kind, data[5 : 5 + length]))
        data = data[5 + length :]
    return found


def packet(kind: int, data: bytes = b"") -> bytes:
    return struct.pack("<BI", kind, len(data)) + data


def served(services: PhoneServices, name: str, data: bytes = b"") -> bytes:
    stream = Recorded(data)
    with contextlib.suppress(EndOfStream):
        services.open(name)(stream)
    return stream.printed


def test_packets_of_the_shell(services: PhoneServices) -> None:
    typed = (
        packet(5, b"24x80,0x0\0")
        + packet(0, b"a")
        + packet(0)
        + packet(0, b"b")
        + packet(4)
        + packet(0, b"late")
    )
    assert packets(served(services, "shell,v2,TERM=xterm,raw:cat", typed)) == [
        (1, b"a"),
        (1, b"b"),
        (3, b"\0"),
    ]
    assert packets(served(services, "shell,v2:nothere; exit 300"))[-1] == (3, bytes([300 & 0xFF]))
    assert packets(served(services, "shell,v2:cat", b"\x09\xff\xff\xff\xff")) == [(3, b"\0")]


def test_a_terminal(services: PhoneServices) -> None:
    typed = packet(0, b"ech\x08\x08\x08\x7fecho x\r") + packet(0, b"ignored\x03") + packet(0, b"echo y\r\x04")
    shown = b"".join(data for kind, data in packets(served(services, "shell,v2,pty:", typed)) if kind == 1)
    assert shown == (
        b"phone:/ $ ech\b \b\b \b\b \becho x\r\nx\r\nphone:/ $ ignored^C\r\nphone:/ $ echo y\r\ny\r\nphone:/ $ "
    )


def test_abb_exec_has_no_shell(services: PhoneServices) -> None:
    served(services, "abb_exec:settings\0put\0global\0k\0a; b && $(c)")
    assert served(services, "abb_exec:settings\0get\0global\0k") == b"a; b && $(c)\n"
    assert b"Can't find service" in served(services, "abb_exec:")


def test_second_versions_of_stat_and_list(services: PhoneServices) -> None:
    services.files.write("/sdcard/two/a", b"abc", 0o100640, 7)
    services.files.make_directory("/sdcard/two/b")

    def ask(kind: bytes, path: bytes) -> bytes:
        return served(services, "sync:", kind + struct.pack("<I", len(path)) + path + b"QUIT" + bytes(4))

    stat = struct.Struct("<4sIQQIIIIQqqq")
    found = stat.unpack(ask(b"STA2", b"/sdcard/two/a"))
    assert (found[0], found[1], found[4], found[8], found[10]) == (b"STA2", 0, 0o100640, 3, 7)
    assert stat.unpack(ask(b"LST2", b"/sdcard/two/nothing"))[1] == 2, "no such file"
    listed = ask(b"LIS2", b"/sdcard/two")
    assert listed.count(b"DNT2") == 2
    assert listed.endswith(b"DONE" + bytes(stat.size))
    assert len(listed) == 3 * (stat.size + 4) + 2


def test_the_pages_that_the_mcp_and_mobile_agents_ask(fresh: PhoneServices) -> None:
    """Lines that agents were seen to send, with pipes."""
    focus = run(fresh, "dumpsys window | grep -E 'mCurrentFocus|mFocusedApp'")[1]
    assert focus.count(PACKAGE) >= 2
    assert run(fresh, "dumpsys input_method | grep mInputShown")[1] == "  mInputShown=true\n"
    assert run(fresh, "wm size | cut -d: -f2 | tr -d ' '")[1] == "720x1520\n"
    assert run(fresh, "getprop | grep -c product")[1].strip().isdigit()
    assert run(fresh, "pm list packages -3 | cut -f 2 -d ':'")[1] == f"{PACKAGE}\n"


def test_a_lock_ends_with_its_line(fresh: PhoneServices) -> None:
    """A line that has the file open holds the lock while its standard input is open."""
    asks = "(flock -n 9 && echo held || echo taken $?) 9>>/data/local/tmp/lock"
    system = fresh.shell.system
    waiting = Recorded()
    with system.open_file(waiting, "9", "/data/local/tmp/lock"):
        assert system.lock_file(waiting, "9") is True and system.lock_file(waiting, "8") is None
        assert run(fresh, asks)[1] == "taken 1\n"
        assert run(fresh, asks.replace("lock)", "other)").replace("tmp/lock", "tmp/other"))[1] == "held\n"
    assert run(fresh, asks)[1] == run(fresh, asks)[1] == "held\n"
    assert "Bad file descriptor" in run(fresh, "flock -n 9")[2]
