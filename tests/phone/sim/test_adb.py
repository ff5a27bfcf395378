"""The real adb programs and the simulated phone: through an adb server of their own, and at its smart socket."""

import contextlib
import os
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.phone.adb_peers import ADBS, Adb, binary, environment, joined, pattern, real_server
from vsalang.phone.sim import SimulatedPhone, load

PACKAGE = "com.opentable"


@pytest.fixture(scope="module")
def simulated() -> Iterator[SimulatedPhone]:
    with SimulatedPhone.start(load("restaurant")) as running:
        yield running


@pytest.fixture(scope="module")
def servers() -> Iterator[Callable[[str], Adb]]:
    """The real adb servers, each started when it is first asked for."""
    started: dict[str, Adb] = {}
    with contextlib.ExitStack() as stack:

        def get(which: str) -> Adb:
            if which not in started:
                started[which] = stack.enter_context(real_server(which))
            return started[which]

        yield get


WAYS = [(which, way) for which in ADBS for way in ("adbd", "server")]


@pytest.fixture(params=WAYS, ids=["-".join(way) for way in WAYS])
def adb(request: pytest.FixtureRequest, simulated: SimulatedPhone, servers: Callable[[str], Adb]) -> Adb:
    which, way = request.param
    if way == "adbd":
        return joined(servers(which), simulated.daemon)
    return Adb(binary(which), simulated.port, simulated.serial)


# ---- shell ---------------------------------------------------------------------------------------------------


def test_exit_codes_and_descriptors(adb: Adb) -> None:
    assert adb.run("shell", "echo out; nothere; echo $?").stdout == b"out\n127\n"
    failed = adb.run("shell", "nothere")
    assert (failed.returncode, failed.stdout) == (127, b"")
    assert failed.stderr == b"/system/bin/sh: nothere: inaccessible or not found\n"
    assert adb.run("shell", "exit 7").returncode == 7
    assert adb.run("shell", "true").returncode == 0
    assert adb.run("shell", "false").returncode == 1


def test_without_the_shell_protocol(adb: Adb) -> None:
    done = adb.run("shell", "-x", "echo out; nothere")
    assert done.returncode == 0
    assert done.stdout.replace(b"\r", b"") == b"out\n/system/bin/sh: nothere: inaccessible or not found\n"


def test_standard_input(adb: Adb) -> None:
    data = bytes(range(256)) * 2000
    assert adb.out("shell", "cat", data=data) == data
    assert (
        adb.out("shell", "cat > /sdcard/typed; wc -c /sdcard/typed", data=data) == b"512000 /sdcard/typed\n"
    )
    assert adb.out("exec-out", "cat", "/sdcard/typed") == data
    assert adb.out("shell", "grep -c b; cat", data=b"ab\nb\nc\n") == b"2\n"


def test_a_shell_without_a_command(adb: Adb) -> None:
    done = adb.run("shell", data=b"echo one\nnothere\nfalse\nexit 3\necho never\n")
    assert (done.returncode, done.stdout) == (3, b"one\n")
    assert b"nothere: inaccessible" in done.stderr
    done = adb.run("shell", data=b"echo one\nfalse\n")
    assert (done.returncode, done.stdout) == (1, b"one\n")


def test_pipes(adb: Adb) -> None:
    assert adb.out("shell", "getprop | grep -i model") == b"[ro.product.model]: [VSA Phone]\n"
    assert adb.out("shell", "dumpsys window | grep -E 'mCurrentFocus|mFocusedApp' | wc -l") == b"2\n"
    assert adb.run("shell", "echo a | grep b").returncode == 1


def test_exec_is_binary_clean(adb: Adb, simulated: SimulatedPhone) -> None:
    picture = adb.out("exec-out", "screencap", "-p")
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert picture.endswith(b"IEND\xaeB`\x82")
    data = bytes(range(256)) * 300
    simulated.services.files.write("/sdcard/all bytes", data)
    assert adb.out("exec-out", "cat '/sdcard/all bytes'") == data
    adb.run("exec-in", "cat > /sdcard/came", data=data)
    for _ in range(6000):
        entry = simulated.services.files.stat("/sdcard/came")
        if entry is not None and entry.content == data:
            return
        time.sleep(0.01)
    raise AssertionError("what was sent to exec-in did not arrive")


def test_inputs_arrive(adb: Adb, simulated: SimulatedPhone) -> None:
    phone = simulated.phone
    phone.stop_app(PACKAGE, clear=True)
    adb.out("shell", "monkey", "-p", PACKAGE, "-c", "android.intent.category.LAUNCHER", "1")
    assert phone.package == PACKAGE
    left, top, right, bottom = phone.find("search_box").seen or (0, 0, 0, 0)
    adb.out("shell", "input", "tap", str((left + right) // 2), str((top + bottom) // 2))
    assert phone.inputs[-1].target == "search_box"
    adb.out("shell", "input text 'two%swords'")
    assert phone.inputs[-1].text == "two words"
    adb.out("exec-out", "input", "keyevent", "KEYCODE_BACK")
    assert phone.inputs[-1].text == "BACK"
    assert b"<hierarchy" in adb.out("exec-out", "uiautomator", "dump", "/dev/tty")


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no terminals here")
def test_somebody_types(adb: Adb) -> None:
    pexpect = pytest.importorskip("pexpect")
    child = pexpect.spawn(
        adb.path,
        ["-P", str(adb.port), "-s", adb.serial, "shell"],
        env=environment(),
        timeout=60,
        encoding="utf-8",
    )
    child.expect_exact("phone:/ $ ")
    child.send("echo wrng\x7f\x7fong\r")
    child.expect_exact("ong\r\nwrong\r\n")
    child.expect_exact("phone:/ $ ")
    child.sendline("wm size")
    child.expect_exact("Physical size: 720x1520\r\n")
    child.sendline("exit 5")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 5


# ---- files ---------------------------------------------------------------------------------------------------


def test_push_pull_and_list(adb: Adb, simulated: SimulatedPhone, tmp_path: Path) -> None:
    files = simulated.services.files
    big = tmp_path / "big"
    big.write_bytes(pattern(3_000_001))
    os.utime(big, (1_000_000_000, 1_000_000_000))
    big.chmod(0o640)
    adb.out("push", str(big), "/sdcard/big")
    entry = files.stat("/sdcard/big")
    assert entry is not None
    assert (entry.content, entry.mtime) == (big.read_bytes(), 1_000_000_000)
    adb.out("pull", "-a", "/sdcard/big", str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes() == big.read_bytes()
    assert int((tmp_path / "back").stat().st_mtime) == 1_000_000_000

    tree = tmp_path / "tree"
    (tree / "inner").mkdir(parents=True)
    (tree / "a").write_bytes(b"a")
    (tree / "inner" / "ü b").write_bytes(b"")
    adb.out("push", str(tree), "/sdcard/tree")
    assert files.read("/sdcard/tree/a") == b"a"
    assert files.read("/sdcard/tree/inner/ü b") == b""
    adb.out("pull", "/sdcard/tree", str(tmp_path / "copy"))
    assert (tmp_path / "copy" / "inner" / "ü b").read_bytes() == b""
    rows = adb.out("ls", "/sdcard/tree").decode().splitlines()
    assert {row.split()[-1] for row in rows} >= {"a", "inner"}
    files.remove("/sdcard/tree", recursive=True)

    absent = adb.run("pull", "/sdcard/nothing", str(tmp_path / "x"))
    assert absent.returncode == 1
    assert b"No such file" in absent.stdout + absent.stderr
    assert adb.run("push", str(big), "/sdcard").returncode == 0
    assert files.read("/sdcard/big") == big.read_bytes()


def test_installing(adb: Adb, simulated: SimulatedPhone, tmp_path: Path) -> None:
    uiautomator2 = pytest.importorskip("uiautomator2")
    apk = Path(uiautomator2.__file__).parent / "assets" / "app-uiautomator.apk"
    done = adb.run("install", "-r", str(apk))
    assert (done.returncode, b"Success" in done.stdout) == (0, True), done
    assert simulated.phone.inputs[-1].kind == "install"
    assert b"com.github.uiautomator/.AdbKeyboard" in adb.out("shell", "ime list -s -a")
    assert b"package:com.github.uiautomator\n" in adb.out("shell", "pm list packages -3")
    done = adb.run("uninstall", "com.github.uiautomator")
    assert b"Success" in done.stdout
    assert b"AdbKeyboard" not in adb.out("shell", "ime list -s -a")

    broken = tmp_path / "other.apk"
    broken.write_bytes(b"PK\x03\x04 no more")
    done = adb.run("install", str(broken))
    assert done.returncode == 1
    assert b"INSTALL_PARSE_FAILED_NOT_APK" in done.stdout + done.stderr
    assert b"DELETE_FAILED_INTERNAL_ERROR" in adb.run("uninstall", "org.example.absent").stdout


# ---- what the server offers ----------------------------------------------------------------------------------


def test_states_and_properties(adb: Adb) -> None:
    assert adb.out("get-state") == b"device\n"
    assert adb.out("get-serialno").strip().decode() == adb.serial
    assert set(adb.out("features").split()) >= {b"shell_v2", b"cmd", b"stat_v2", b"ls_v2", b"abb_exec"}
    row = next(line for line in adb.out("devices", "-l").decode().splitlines() if line.startswith(adb.serial))
    assert "product:restaurant model:VSA_Phone device:restaurant" in row
    assert adb.out("shell", "getprop", "ro.build.version.sdk") == b"34\n"
    adb.out("wait-for-device")


def test_forwarding_and_reversing(adb: Adb, simulated: SimulatedPhone) -> None:
    stop = simulated.services.start_server(9008)
    assert stop is not None
    try:
        port = int(adb.out("forward", "tcp:0", "tcp:9008"))
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            connection.sendall(b"GET /ping HTTP/1.1\r\nHost: x\r\n\r\n")
            assert b"pong" in connection.recv(1000)
        assert f"tcp:{port} tcp:9008" in adb.out("forward", "--list").decode()
        adb.out("forward", "--remove", f"tcp:{port}")
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=60)
        adb.out("forward", "tcp:0", "tcp:9008")
        adb.out("forward", "--remove-all")
        assert b"9008" not in adb.out("forward", "--list")
    finally:
        stop()
    assert adb.run("reverse", "tcp:6100", "tcp:7100").returncode == 0
    assert b"tcp:6100 tcp:7100" in adb.out("reverse", "--list")
    adb.out("reverse", "--remove-all")
    assert b"cannot run as root" in adb.run("root", timeout=60).stdout
    for verb in ("unroot", "remount", "usb", "disable-verity"):
        done = adb.run(verb, timeout=60)
        assert done.returncode != 0 or b"restart" not in done.stdout, verb


def test_many_at_once(adb: Adb) -> None:
    def one(number: int) -> bytes:
        return adb.out("shell", f"echo {number}; cat", data=b"%d\n" % number)

    with ThreadPoolExecutor(12) as pool:
        assert list(pool.map(one, range(36))) == [b"%d\n%d\n" % (number, number) for number in range(36)]


# ---- coming and going ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", ADBS)
def test_disconnect_and_reconnect(which: str, servers: Callable[[str], Adb]) -> None:
    server = servers(which)
    with SimulatedPhone.start(load("restaurant")) as phone:
        adb = joined(server, phone.daemon)
        with tracking(server.port) as rows:
            assert (adb.serial, "device") in rows()
            server.out("disconnect", adb.serial)
            assert wait(lambda: adb.serial not in dict(rows()))
            assert adb.run("shell", "true").returncode == 1
            again = joined(server, phone.daemon)
            assert wait(lambda: (adb.serial, "device") in rows())
            assert again.out("shell", "echo back") == b"back\n"
            phone.daemon.drop()  # out of range for a moment: the server takes it up again by itself
            server.run("connect", adb.serial)
            adb.run("wait-for-device")
            assert wait(lambda: adb.run("shell", "echo again").stdout == b"again\n")
    assert wait(lambda: server.run("-s", adb.serial, "get-state").stdout != b"device\n")
    server.run("disconnect", adb.serial)


def wait(test: Callable[[], bool]) -> bool:
    for _ in range(1200):
        if test():
            return True
        time.sleep(0.05)
    return test()


@contextlib.contextmanager
def tracking(port: int) -> Iterator[Callable[[], list[tuple[str, str]]]]:
    """The devices as a client of ``track-devices`` knows them."""
    known: list[list[tuple[str, str]]] = [[]]
    first = threading.Event()
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)

    def listen() -> None:
        with contextlib.suppress(OSError, ValueError):
            stream = connection.makefile("rb")
            assert stream.read(4) == b"OKAY"
            while size := stream.read(4):
                rows = stream.read(int(size, 16)).decode().splitlines()
                known[0] = [(row.split("\t")[0], row.split("\t")[1]) for row in rows]
                first.set()

    connection.sendall(b"0012host:track-devices")
    thread = threading.Thread(target=listen)
    thread.start()
    assert first.wait(60)
    yield lambda: known[0]
    connection.shutdown(socket.SHUT_RDWR)
    connection.close()
    thread.join(60)


def test_tracking_our_own_server() -> None:
    from tests.phone.adb_peers import BANNER, EchoServices
    from vsalang.phone.wire import AdbServer

    with AdbServer.start({}) as server, tracking(server.port) as rows:
        assert rows() == []
        server.attach("one", EchoServices(), BANNER)
        assert wait(lambda: rows() == [("one", "device")])
        server.attach("two", EchoServices(), BANNER)
        assert wait(lambda: len(rows()) == 2)
        server.detach("one")
        assert wait(lambda: rows() == [("two", "device")])


@pytest.mark.parametrize("which", ADBS)
def test_waiting_for_a_device_that_comes(which: str) -> None:
    from tests.phone.adb_peers import BANNER, EchoServices
    from vsalang.phone.wire import AdbServer

    with AdbServer.start({}) as server:
        waiting = subprocess.Popen(
            [binary(which), "-P", str(server.port), "-s", "later:1", "wait-for-device"], env=environment()
        )
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(0.5)
        server.attach("other", EchoServices(), BANNER)
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(0.3)
        server.attach("later:1", EchoServices(), BANNER)
        assert waiting.wait(60) == 0


@pytest.mark.parametrize("which", ADBS)
def test_our_own_server_is_not_ended_by_a_client(which: str, simulated: SimulatedPhone) -> None:
    adb = Adb(binary(which), simulated.port)
    assert adb.run("kill-server").returncode == 0
    assert b"sim-restaurant\tdevice" in adb.out("devices")
    refused = adb.run("connect", "127.0.0.1:1")
    assert b"has devices of its own" in refused.stdout + refused.stderr
