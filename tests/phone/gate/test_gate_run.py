"""``vsac guard SPEC -- COMMAND``: an agent's program, unchanged, with a guarded phone."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

from tests import processes
from tests.commands import vsac_and_programs
from tests.terminals import code, spawn, without_terminal
from vsalang.agents.session.transparent import AgentProgram, serial_inside
from vsalang.base.resources import resource_dir

pytest.importorskip("uiautomator2")
EXAMPLES = resource_dir("app_specs") / "examples"
SPEC = str(EXAMPLES / "reserve_r.vsa")
SCRIPT = EXAMPLES / "reserve_r.agent.jsonl"

AGENT = """
import json, sys
import uiautomator2 as u2
d = u2.connect()
for line in open(sys.argv[1]):
    said = json.loads(line)
    try:
        if said["action"] == "back":
            d.press("back")
        elif said["action"] == "tap":
            by = {"text": said["text"]} if "text" in said else {"resourceId": "com.opentable:id/" + said["id"]}
            node = d(**by)
            bounds = node.info["bounds"]
            d.click((bounds["left"] + bounds["right"]) // 2, (bounds["top"] + bounds["bottom"]) // 2)
        print("done", said["action"])
    except u2.RPCUnknownError as error:
        print("told", str(error).split(chr(92) + "n")[0][:60])
"""


def vsac(
    tmp_path: Path,
    *command: str,
    options: tuple[str, ...] = (),
    env: dict[str, str] | None = None,
    **more: Any,
) -> Any:
    args = [
        "-m", "vsalang.tools.cli.main", "guard", SPEC, "--device", "sim:restaurant", "--open", "com.opentable",
        "--journal", str(tmp_path / "journal.jsonl"), *options,
    ]  # fmt: skip
    return processes.run(
        [*args, *(("--", *command) if command else ())],
        cwd=tmp_path,
        env={**os.environ, **(env or {})},
        **more,
    )


def here(
    tmp_path: Path,
    *command: str,
    options: tuple[str, ...] = (),
    input: str = "",
    env: dict[str, str] | None = None,
) -> "subprocess.CompletedProcess[str]":
    """As `vsac`, in this process; what it starts is a process of its own."""
    word = "run" if "--agent" in options and not command else "guard"
    args = [word, SPEC, "--device", "sim:restaurant", "--open", "com.opentable", "--journal",
            str(tmp_path / "journal.jsonl"), *options, *(("--", *command) if command else ())]  # fmt: skip
    return vsac_and_programs(*args, cwd=tmp_path, input=input, **(env or {}))


def program(tmp_path: Path, text: str) -> list[str]:
    file = tmp_path / "agent.py"
    file.write_text(textwrap.dedent(text))
    return [sys.executable, str(file)]


# ---------------------------------------------------------------- the same agent on every way


def _levels(journal: Path) -> list[tuple[str, bool]]:
    found = []
    for line in journal.read_text().splitlines():
        record = json.loads(line)
        if record.get("kind") == "propose":
            verdict = record["verdict"]
            found.append((verdict["level"], verdict["overridden"]))
    return found


@pytest.mark.slow
def test_the_same_agent_gets_equal_verdicts_every_way(tmp_path: Path) -> None:
    """Run by ``--agent``, through the Python API, and as a program behind the guarded phone."""
    direct = tmp_path / "direct"
    direct.mkdir()
    said = here(direct, options=("--agent", str(SCRIPT)))
    assert said.returncode == 0, said.stderr
    wanted = _levels(direct / "journal.jsonl")

    behind = tmp_path / "behind"
    behind.mkdir()
    said = here(behind, *program(behind, AGENT), str(SCRIPT))
    assert said.returncode == 0, said.stderr
    assert _levels(behind / "journal.jsonl") == wanted
    assert "told" in said.stdout and "The task was completed" in said.stderr

    from vsalang.agents import ScriptedAgent
    from vsalang.guard import Guard
    from vsalang.guard.world.clock import ScreenClock
    from vsalang.language.semantics import load
    from vsalang.phone.open.simulated import SimulatedDevice

    loaded = load(SPEC)
    assert loaded.program is not None
    with SimulatedDevice.start("restaurant") as device:
        device.phone.open_app("com.opentable")
        clock = ScreenClock(live=False)
        clock.see(device.observe())
        with Guard(loaded.program, device, today=clock().date(), clock=clock) as guard:
            found = []
            for proposed in ScriptedAgent.read(SCRIPT, loaded.program):
                verdict = guard.step(proposed.action, proposed.claims).verdict
                found.append((verdict.level, verdict.overridden))
    assert found == wanted
    assert ("warn", False) in wanted and ("allow", True) in wanted and ("block", False) in wanted


# ---------------------------------------------------------------- the environment, the feedback, the end


def test_what_the_program_finds(tmp_path: Path) -> None:
    shown = """
        import json, os, adbutils
        found = {k: v for k, v in os.environ.items() if k.startswith(("ANDROID", "ADB", "VSA"))}
        print(json.dumps({**found, "devices": [d.serial for d in adbutils.adb.device_list()]}))
    """
    env = {
        "ANDROID_SERIAL": "real",
        "ADB_SERVER_SOCKET": "tcp:1",
        "ADB_VENDOR_KEYS": "/keys",
        "ANDROID_ADB_LOG_PATH": "x",
    }
    feedback = tmp_path / "feedback.jsonl"
    said = here(tmp_path, *program(tmp_path, shown), options=("--feedback", str(feedback)), env=env)
    found = json.loads(said.stdout)
    assert found["devices"] == ["sim-restaurant"] and found["ANDROID_SERIAL"] == "sim-restaurant"
    port = found["ANDROID_ADB_SERVER_PORT"]
    assert (
        found["ADB_SERVER_SOCKET"] == f"tcp:127.0.0.1:{port}"
        and found["ADB_LOCAL_TRANSPORT_MAX_PORT"] == "5553"
        and found["ADB_USB"] == "0"
    )
    assert "ADB_VENDOR_KEYS" not in found and "ANDROID_ADB_LOG_PATH" not in found
    assert found["VSA_FEEDBACK"] == str(feedback) and found["VSA_GUARD_URL"].startswith("http://127.0.0.1:")
    assert f"ANDROID_SERIAL=sim-restaurant ANDROID_ADB_SERVER_PORT={port}" in said.stderr
    assert said.returncode == 2  # it asked nothing of the phone
    kinds = [json.loads(line)["kind"] for line in feedback.read_text().splitlines()]
    assert kinds == ["begin", "event", "end"]


@pytest.mark.parametrize(
    ("serial", "more", "expected"),
    [
        ("0123abc", {}, "0123abc"),
        ("192.168.0.7:5555", {}, "192.168.0.7:5555"),
        ("emulator-5554", {}, "guarded-5554"),
        ("emulator-5554", {"serial": "emulator-5554"}, "emulator-5554"),
        ("emulator-5554", {"isolate": True}, "emulator-5554"),
        ("emulator-5554", {"isolate": True, "reach": (("127.0.0.1", 8000),)}, "emulator-5554"),
        ("emulator-5554", {"isolate": True, "reach": (("127.0.0.1", 5554),)}, "guarded-5554"),
        ("emulator-5554", {"isolate": True, "reach": (("127.0.0.1", 8554),)}, "guarded-5554"),
        ("emulator-x", {"isolate": True}, "guarded-x"),
    ],
)
def test_an_emulators_name_leads_nobody_around(serial: str, more: dict[str, Any], expected: str) -> None:
    """`adb emu` goes to the console at the port of that name, past every adb server."""
    assert serial_inside(AgentProgram(("x",), **more), serial) == expected


def test_the_output_is_the_programs(tmp_path: Path) -> None:
    said = here(
        tmp_path, sys.executable, "-c", "import sys; print(sys.stdin.read(), end='')", input="a\x1b[0m\nb"
    )
    assert said.stdout == "a\x1b[0m\nb"
    assert "Journal:" in said.stderr


@pytest.mark.slow
def test_a_summary_for_machines(tmp_path: Path) -> None:
    said = here(tmp_path, *program(tmp_path, AGENT), str(SCRIPT), options=("--format", "json"))
    last = json.loads(said.stdout.splitlines()[-1])
    assert last["kind"] == "end" and last["completed"] is True
    assert last["agent"]["status"] == 0 and last["requests"]["passed"] == 9
    assert json.loads(said.stderr)["kind"] == "in_force"


@pytest.mark.slow
def test_the_feedback_file_says_why(tmp_path: Path) -> None:
    feedback = tmp_path / "f.jsonl"
    here(tmp_path, *program(tmp_path, AGENT), str(SCRIPT), options=("--feedback", str(feedback)))
    events = [json.loads(line) for line in feedback.read_text().splitlines()][1:-1]
    assert [event["number"] for event in events] == list(range(1, len(events) + 1))
    blocked = [event for event in events if event["outcome"] == "blocked"]
    assert blocked and all(event["feedback"] and event["verdict"]["reasons"] for event in blocked)
    assert blocked[0]["request"] == "tcp:9008 click" and blocked[0]["actions"][0].startswith("tap(")
    assert events[-1]["finished"] is True
    assert feedback.stat().st_mode & 0o777 == 0o600


def test_a_program_that_fails_has_not_completed_the_task(tmp_path: Path) -> None:
    asks = "import adbutils; adbutils.adb.device().shell('getprop'); raise SystemExit(7)"
    said = here(tmp_path, sys.executable, "-c", asks)
    assert said.returncode == 1
    assert "ended with exit status 7" in said.stderr and "was not completed" in said.stderr


@pytest.mark.parametrize(
    ("options", "command", "words"),
    [
        ((), ("no-such-program-here",), "there is no program"),
        (("--agent", "x"), ("true",), "No such option '--agent'"),
        (
            ("--adb-server", "real", "--serial", "x"),
            ("true",),
            "--serial and --adb-server real exclude each other",
        ),
        (("--on-block", "silent"), (), "Missing the program"),
        ((), ("/",), "is a folder"),
        ((), (__file__,), "may not be executed"),
        (("--feedback", "/no/such/folder/f"), ("true",), "--feedback /no/such/folder/f"),
        (("--allow-service", "tcp8080"), ("true",), "did you mean tcp:8080?"),
        (("--allow-service", "shell:"), ("true",), "allowed without a check"),
        (("--allow-service", "tcp:"), ("true",), "allowed without a check"),
    ],
)
def test_what_cannot_be_run(
    tmp_path: Path, options: tuple[str, ...], command: tuple[str, ...], words: str
) -> None:
    said = here(tmp_path, *command, options=options)
    assert said.returncode == 2 and words in said.stderr
    assert not (tmp_path / "journal.jsonl").exists()


def test_a_session_goes_on_with_the_program(tmp_path: Path) -> None:
    """With --resume there is no SPEC: the first word is the program's, with or without `--`."""
    assert vsac(tmp_path, "true").returncode == 2  # it asks nothing of the phone
    journal = tmp_path / "journal.jsonl"
    size = journal.stat().st_size
    for words in (["--", "true"], ["true"]):
        args = ["guard", "--resume", str(journal), "--device", "sim:restaurant", *words]
        again = vsac_and_programs(*args, cwd=tmp_path)
        assert again.returncode == 2 and "The task was not completed" in again.stderr
        assert journal.stat().st_size > size
        size = journal.stat().st_size
    none = vsac_and_programs("guard", "--resume", str(journal), cwd=tmp_path)
    assert none.returncode == 2 and "Missing the program" in none.stderr


def test_signals_reach_the_program_and_end_its_children(tmp_path: Path) -> None:
    code = """
        import os, signal, subprocess, sys, time
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        def end(*_):
            print("heard", flush=True)
            sys.exit(0)
        signal.signal(signal.SIGTERM, end)
        print(child.pid, flush=True)
        time.sleep(600)
    """
    args = ["-m", "vsalang.tools.cli.main", "guard", SPEC, "--device", "sim:restaurant", "--journal",
            str(tmp_path / "j.jsonl"), "--", *program(tmp_path, code)]  # fmt: skip
    process = processes.Process(args, text=True)
    assert process.stdout is not None
    orphan = int(process.stdout.readline())
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=60)
    assert out == "heard\n"
    assert process.returncode == 128 + signal.SIGTERM
    until = time.monotonic() + 60
    while time.monotonic() < until and _alive(orphan):
        time.sleep(0.05)
    assert not _alive(orphan)


TRAPS = """
    import signal, sys, time
    def end(*_):
        print("heard", flush=True)
        {then}
    signal.signal(signal.SIGINT, end)
    print("ready", flush=True)
    while True:
        time.sleep(1)
"""


@pytest.mark.parametrize(("then", "more"), [("sys.exit(0)", 0), ("pass", 1)])
def test_who_interrupts_does_not_say_that_it_is_done(tmp_path: Path, then: str, more: int) -> None:
    """A program that ends well when it is interrupted; one that does not mind is ended by the second time."""
    pexpect = pytest.importorskip("pexpect")
    args = ["-m", "vsalang.tools.cli.main", "guard", SPEC, "--device", "sim:restaurant", "--journal", str(tmp_path /
    "j.jsonl"),
            "--", *program(tmp_path, TRAPS.format(then=then))]  # fmt: skip
    terminal = spawn(args)
    terminal.expect("ready")
    time.sleep(0.5)
    terminal.sendintr()
    terminal.expect("heard")
    for _ in range(more):
        time.sleep(0.3)
        terminal.sendintr()
    terminal.expect("It was interrupted")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 130
    assert "finish" not in (tmp_path / "j.jsonl").read_text().partition('"kind": "propose"')[2]


def test_what_gets_away_holds_nothing_up(tmp_path: Path) -> None:
    """A program that left the group, and holds a push open in the middle, does not keep the run from ending."""
    code = """
        import os, subprocess, sys, time
        held = '''
        import adbutils, struct, time
        c = adbutils.adb.device().open_transport()
        c.send_command("sync:")
        c.check_okay()
        path = b"/sdcard/dump.xml,33188"
        c.conn.sendall(b"SEND" + struct.pack("<I", len(path)) + path)
        print("held", flush=True)
        time.sleep(30)
        '''
        import textwrap
        child = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(held)],
            start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )
        child.stdout.readline()
        time.sleep(0.3)
        print(child.pid)
    """
    said = vsac(tmp_path, *program(tmp_path, code), options=("--mode", "shadow"))
    assert said.returncode == 1
    assert "Journal:" in said.stderr
    os.kill(int(said.stdout.split()[-1]), signal.SIGKILL)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_real_adb_server_of_the_agents_own(tmp_path: Path) -> None:
    code = """
        import adbutils
        print(adbutils.adb.server_version(), [d.serial for d in adbutils.adb.device_list()])
        print(adbutils.adb.device().shell("input tap 1 1; getprop ro.product.model"))
    """
    said = vsac(tmp_path, *program(tmp_path, code), options=("--adb-server", "real"))
    if "there is no adb command" in said.stderr:
        pytest.skip("there is no adb command")
    lines = said.stdout.splitlines()
    assert lines[0].startswith("41 ['127.0.0.1:") and lines[-1] == "VSA Phone"


# ---------------------------------------------------------------- a network of its own

ALONE = """
    import json, os, socket, subprocess, sys
    import adbutils, uiautomator2 as u2
    def reach(port):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=2).close()
            return True
        except OSError:
            return False
    d = u2.connect()
    found = {"model": d.shell("getprop ro.product.model").output.strip(), "package": d.info["currentPackageName"]}
    found["server"] = reach(int(sys.argv[1]))
    found["reached"] = reach(int(sys.argv[2]))
    found["interfaces"] = [name for _, name in socket.if_nameindex()]
    found["guard"] = reach(int(os.environ["VSA_GUARD_URL"].rpartition(":")[2]))
    found["uid"] = os.getuid()
    try:
        with open("/proc/1/ns/net") as other:
            import ctypes
            found["back"] = ctypes.CDLL(None).setns(other.fileno(), 0)
    except OSError:
        found["back"] = -1
    print(json.dumps(found))
"""


def test_a_network_of_its_own(tmp_path: Path) -> None:
    """Inside there is the guarded phone; what listens on this machine is not to be reached."""
    import socket

    if subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("user namespaces are not allowed here")
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        hidden, shown = one.getsockname()[1], other.getsockname()[1]
        said = vsac(
            tmp_path,
            *program(tmp_path, ALONE),
            str(hidden),
            str(shown),
            options=("--isolate", "--reach", str(shown)),
        )
    assert said.stdout, said.stderr
    found = json.loads(said.stdout)
    assert (found["model"], found["package"]) == ("VSA Phone", "com.opentable")
    assert found["server"] is False and found["reached"] is True and found["guard"] is True
    assert found["interfaces"] == ["lo"]
    assert found["uid"] == os.getuid() and found["back"] == -1


# ---------------------------------------------------------------- the user

PRESSES = """
    import adbutils
    result = adbutils.adb.device().shell2("input keyevent TAB", v2=True)
    print("STATUS", result.returncode)
    print("READ", input())
"""
OPENS = """
    import adbutils
    result = adbutils.adb.device().shell2("monkey -p com.opentable -c android.intent.category.LAUNCHER 1", v2=True)
    print("STATUS", result.returncode)
"""


@pytest.mark.parametrize(
    ("options", "answer", "status"),
    [((), "code", 0), ((), "y", 126), (("--mode", "ask"), "code", 0), (("--mode", "ask"), "y", 126)],
)
def test_the_user_is_asked_on_the_terminal(
    tmp_path: Path, options: tuple[str, ...], answer: str, status: int
) -> None:
    """The terminal is taken from the program while the user is asked, and given back."""
    pexpect = pytest.importorskip("pexpect")
    args = ["-m", "vsalang.tools.cli.main", "run", SPEC, "--device", "sim:restaurant", "--journal", str(tmp_path /
    "j.jsonl"),
            *options, "--", *program(tmp_path, PRESSES)]  # fmt: skip
    terminal = spawn(args)
    shown = code(terminal)
    terminal.sendline(shown if answer == "code" else answer)
    terminal.expect(f"STATUS {status}")
    terminal.sendline("hello")
    terminal.expect("READ hello")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 1


def test_without_a_terminal_nobody_agrees(tmp_path: Path) -> None:
    args = ["-m", "vsalang.tools.cli.main", "run", SPEC, "--device", "sim:restaurant", "--on-confirm", "ask",
            "--journal", str(tmp_path / "j.jsonl"), "--", *program(tmp_path, PRESSES)]  # fmt: skip
    said = without_terminal(args, input="y\n")
    assert "STATUS 126" in said.stdout and "READ y" in said.stdout
    assert "Nobody could be asked: there is no terminal" in said.stderr


def test_opening_the_tasks_own_app_needs_no_answer(tmp_path: Path) -> None:
    """From a launcher that no module describes, where nobody could be asked."""
    journal = tmp_path / "j.jsonl"
    args = ["-m", "vsalang.tools.cli.main", "run", SPEC, "--device", "sim:restaurant", "--on-confirm", "ask",
            "--journal", str(journal), "--", *program(tmp_path, OPENS)]  # fmt: skip
    said = without_terminal(args)
    assert "STATUS 0" in said.stdout, said.stderr
    assert _levels(journal)[0] == ("allow", False)


# ---------------------------------------------------------------- a phone of the user's own adb server


@pytest.mark.slow
@pytest.mark.parametrize("front", ["own", "real"])
def test_the_whole_chain_with_real_adb_servers(tmp_path: Path, front: str) -> None:
    """Agent, its adb server, the guard, the user's adb server of the adb command, the phone's adbd."""
    from vsalang.phone import DeviceError
    from vsalang.phone.gate.adbserver import RealAdbServer
    from vsalang.phone.sim import SimulatedPhone, load
    from vsalang.phone.wire import AdbDaemon, Banner

    with SimulatedPhone.start(load("restaurant")) as phone:
        (attached,) = phone.server._devices.values()
        phone.phone.open_app("com.opentable")
        banner = Banner("sim", "VSA Phone", "sim", attached.banner.features)
        with AdbDaemon.start(attached.services, banner) as daemon:
            try:
                server = RealAdbServer(daemon.serial)
            except DeviceError as error:
                pytest.skip(str(error))
            with server:
                args = ["-m", "vsalang.tools.cli.main", "run", SPEC, "--device", server.serial, "--journal",
                        str(tmp_path / "j.jsonl"), "--today", "2026-04-01", "--adb-server", front,
                        "--", *program(tmp_path, AGENT), str(SCRIPT)]  # fmt: skip
                env = {**os.environ, "ANDROID_ADB_SERVER_PORT": str(server.port)}
                said = processes.run(args, env=env)
        assert said.returncode == 0, said.stderr
        assert [item.target for item in phone.phone.inputs].count("reserve_button") == 1
    assert f"adb-server (127.0.0.1:{server.port})" in " ".join(
        said.stderr.split()
    )  # what goes around the guard is said


# ---------------------------------------------------------------- the side channel

CHANNEL = """
import json, os, urllib.error, urllib.request
def ask(path, data=None, token=os.environ["VSA_GUARD_TOKEN"]):
    request = urllib.request.Request(os.environ["VSA_GUARD_URL"] + path, headers={"Authorization": "Bearer " + token})
    if data is not None:
        request.data = json.dumps(data).encode()
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
"""


def test_the_side_channel(tmp_path: Path) -> None:
    code = CHANNEL + textwrap.dedent("""
        import adbutils
        d = adbutils.adb.device()
        found = {"wrong": ask("/v1/state", token="x")[0], "none": ask("/v2")[0]}
        found["early"] = ask("/v1/propose", {"action": "finish"})
        found["tap"] = ask("/v1/propose", {"action": "tap", "x": 1, "y": 1})
        found["odd"] = ask("/v1/propose", {"action": "no such action"})[0]
        found["more"] = ask("/v1/propose", [1, 2])[0]
        d.shell("input tap 360 1426")
        found["last"] = ask("/v1/last")
        found["claim"] = ask("/v1/claim", {"claims": [{"action": "Reserve", "restaurant": "Q"}]})
        d.shell("input tap 1 1")
        found["claimed"] = ask("/v1/last")[1]["feedback"]
        d.shell("input tap 1 1")
        found["after"] = ask("/v1/last")[1]["feedback"]
        found["events"] = [event["outcome"] for event in ask("/v1/events?after=1")[1]["events"]]
        found["roadmap"] = ask("/v1/roadmap")[1]["roadmap"]
        found["give_up"] = ask("/v1/propose", {"action": "give_up"})
        print(json.dumps(found))
    """)
    said = here(tmp_path, *program(tmp_path, code))
    assert said.returncode == 1, said.stderr
    found = json.loads(said.stdout)
    assert (found["wrong"], found["none"], found["odd"], found["more"]) == (401, 404, 400, 400)
    assert (
        found["early"][0] == 409 and found["early"][1]["allowed"] is False and found["early"][1]["feedback"]
    )
    assert found["tap"][0] == 400 and "is done on the phone" in found["tap"][1]["error"]
    assert found["last"][1]["last"]["outcome"] in ("blocked", "passed")
    assert found["claim"] == [200, {"claimed": 1}]
    assert "Reserve" in found["claimed"] and found["after"] == ""
    assert "Reserve" in found["roadmap"] and "blocked" in found["events"]
    assert found["give_up"][1] == {"allowed": True, "feedback": "", "finished": True}
