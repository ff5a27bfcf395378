"""``vsac phone doctor`` and ``vsac phone list``: what is missing, with how to fix it; nothing is changed unasked."""

import json
import re
import shlex
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.pages import section
from tests.snapshots import golden
from vsalang.base import installing
from vsalang.base.report import Style
from vsalang.phone import DeviceError
from vsalang.phone.doctor import Check, Remote, adb_checks, host_checks, phone_checks, way_checks, worst
from vsalang.phone.jar import own_jar
from vsalang.phone.sim import SimulatedPhone, load
from vsalang.phone.states import STATES, meaning, remedy
from vsalang.phone.wire import AdbServer, Upstream
from vsalang.tools.cli import devices as devices_command
from vsalang.tools.cli import doctor
from vsalang.tools.cli.common import Failure, require
from vsalang.tools.cli.frame import Output

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "doctor"
CLOCK = 1775044800.0
"""2026-04-01 12:00, the clock of the phone."""


@pytest.fixture
def simulated() -> Iterator[SimulatedPhone]:
    with SimulatedPhone.start(load("restaurant")) as phone:
        yield phone


def upstream(simulated: SimulatedPhone) -> Upstream:
    return Upstream("127.0.0.1", simulated.port, simulated.serial)


@pytest.fixture(autouse=True)
def debian(monkeypatch: pytest.MonkeyPatch) -> None:
    """A computer with apt-get, pip next to Python, and adb on the path."""
    places = {
        "apt-get": "/usr/bin/apt-get",
        "adb": "/usr/bin/adb",
        "pip": str(Path(sys.executable).with_name("pip")),
    }
    monkeypatch.setattr(installing, "which", places.get)
    monkeypatch.setattr(installing, "has", lambda module: module == "pip")


def compare(name: str, checks: list[Check], **replace: Any) -> None:
    told = Output().text(doctor.Checks(checks, [], True))
    for word, value in replace.items():
        told = told.replace(str(value), word)
    file = GOLDEN / f"{name}.txt"
    golden(told, file)


def check(checks: list[Check], name: str) -> Check:
    (found,) = [each for each in checks if each.name == name]
    return found


# ---------------------------------------------------------------------- this computer


def test_a_computer_with_everything() -> None:
    checks = host_checks(has=lambda _: True, adb=lambda: ("/usr/bin/adb", "36.0.0 1.0.41"), python=(3, 12, 1))
    assert worst(checks) == "ok"
    compare("computer", checks)


def test_a_computer_with_nothing() -> None:
    checks = host_checks(has=lambda _: False, adb=lambda: None, python=(3, 12, 1))
    assert worst(checks) == "fail"
    compare("bare_computer", checks)


def test_this_computer_is_asked() -> None:
    checks = host_checks()
    assert check(checks, "device").level == "ok"
    assert re.fullmatch(r"\d+\.\d+\.\d+", check(checks, "Python").message)


# ---------------------------------------------------------------------- the adb server


def test_no_server() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    checks, ready = adb_checks("127.0.0.1", port, None)
    assert not ready
    compare("no_server", checks, PORT=port)
    server, phone = adb_checks("127.0.0.1", port, "emulator-9999")[0]
    assert server.level == phone.level == "fail"
    assert (phone.name, "not known" in phone.message) == ("emulator-9999", True)


def test_states_of_phones(monkeypatch: pytest.MonkeyPatch) -> None:
    states = {
        "a": "device",
        "b": "unauthorized",
        "c": "offline",
        "d": "no permissions (x; see [y])",
        "e": "new",
    }
    monkeypatch.setattr(Upstream, "server_version", lambda self: 39)
    monkeypatch.setattr(Upstream, "devices", lambda self: states)
    checks, ready = adb_checks("127.0.0.1", 5037, None)
    assert ready == ["a"]
    assert worst(checks) == "warn"  # there is one that can be guarded
    compare("states", checks)
    checks, ready = adb_checks("127.0.0.1", 5037, "b")
    assert (ready, worst(checks)) == ([], "fail")
    checks, ready = adb_checks("127.0.0.1", 5037, "10.0.0.7:4444")
    assert check(checks, "10.0.0.7:4444").fix == "adb connect 10.0.0.7:4444"
    assert check(checks, "10.0.0.7:4444").level == "fail"
    monkeypatch.setattr(Upstream, "devices", lambda self: {})
    assert worst(adb_checks("127.0.0.1", 5037, None)[0]) == "warn"  # there are simulated phones
    assert worst(adb_checks("127.0.0.1", 5037, "a")[0]) == "fail"


def test_every_state_but_ready_has_a_remedy() -> None:
    assert all(said and (told or state == "device") for state, (said, told) in STATES.items())
    assert remedy("device") == ""
    assert remedy("never heard of") and meaning("never heard of") == ""
    assert meaning("no") == meaning("no permissions (user in plugdev group)")


# ---------------------------------------------------------------------- a phone


def test_a_phone_that_is_ready(simulated: SimulatedPhone) -> None:
    inputs, settings = simulated.phone.inputs, dict(simulated.services.shell.system.settings)
    checks = phone_checks(upstream(simulated), now=lambda: CLOCK)
    compare("phone", checks, PORT=simulated.port)
    assert worst(checks) == "warn"
    assert simulated.phone.inputs == inputs
    assert simulated.services.shell.system.settings == settings


class Scripted(Remote):
    """A phone whose shell answers as is written here."""

    def __init__(self, answers: dict[str, str], alive: bool = False) -> None:
        super().__init__(Upstream("127.0.0.1", 5037, "R3CN30"))
        self.answers, self.alive = answers, alive

    def run(self, command: str) -> tuple[str, int | None]:
        for part, answer in self.answers.items():
            if part in command:
                return answer, 0
        return f"sh: {command}: not found\n", 127

    def answers_http(self, port: int) -> bool:
        return self.alive


def scripted(remote: Scripted) -> list[Check]:
    from vsalang.phone.doctor.phone import _Phone

    return list(_Phone(remote, lambda: CLOCK).all())


BAD = {
    "version.release": "6.0\n", "version.sdk": "23\n", "cpu.abi": "armeabi-v7a\n", "product.model": "Old\n",
    "boot_completed": "1\n", "dumpsys power": "POWER\n  mWakefulness=Dozing\n",
    "dumpsys trust": ' User "x" (id=0): trusted=0, deviceLocked=1\n',
    "window_animation_scale": "0.0\n", "transition_animation_scale": "0.5\n", "animator_duration_scale": "null\n",
    "default_input_method": "com.android.adbkeyboard/.AdbIME\n", "date +%s": f"{int(CLOCK) + 7300}\n",
    "md5sum /data/local/tmp/u2.jar": "0123456789abcdef0123456789abcdef  /data/local/tmp/u2.jar\n",
    "ps -A": "  PID ARGS\n  12 app_process / com.wetest.uia2.Main -p 9008\n  14 io.appium.uiautomator2.server\n",
    "settings list": "a=1\n",
}  # fmt: skip


def test_a_phone_with_all_that_can_be_wrong() -> None:
    checks = scripted(Scripted(BAD))
    assert {each.name for each in checks if each.level == "fail"} == {"automation"}
    compare("bad_phone", checks)


def test_a_phone_that_tells_nothing() -> None:
    checks = scripted(Scripted({}))
    assert check(checks, "Android").level == "fail"
    compare("silent_phone", checks)


def test_servers_for_automation() -> None:
    one = "  12 app_process / com.wetest.uia2.Main -p 9008\n"
    assert check(scripted(Scripted({"ps -A": one}, alive=True)), "automation").level == "ok"
    assert (
        check(scripted(Scripted({"ps -A": one})), "automation").level == "ok"
    )  # it is of this kind, and starting
    appium = "  14 io.appium.uiautomator2.server\n"
    assert check(scripted(Scripted({"ps -A": appium})), "automation").level == "fail"
    assert check(scripted(Scripted({})), "automation").message.startswith("no server runs")
    booting = {"version.sdk": "34\n", "version.release": "14\n", "boot_completed": "\n"}
    assert check(scripted(Scripted(booting)), "Android").level == "fail"


def test_the_server_on_the_phone(simulated: SimulatedPhone) -> None:
    assert own_jar() is not None
    simulated.services.files.write("/data/local/tmp/u2.jar", b"another one")
    checks = phone_checks(upstream(simulated), now=lambda: CLOCK)
    assert check(checks, "uiautomator2").level == "warn"
    stop = simulated.services.start_server(9008)
    assert stop is not None
    checks = phone_checks(upstream(simulated), now=lambda: CLOCK)
    assert "a server answers" in check(checks, "automation").message


def test_ways_that_the_phone_tells_of(simulated: SimulatedPhone) -> None:
    assert worst(way_checks(Remote(upstream(simulated)))) == "ok"
    settings = simulated.services.shell.system.settings
    settings["global", "adb_wifi_enabled"] = "1"
    settings["secure", "enabled_accessibility_services"] = "com.evil/.Service:com.b/.C"
    checks = way_checks(Remote(upstream(simulated)))
    assert [each.level for each in checks] == ["warn", "warn", "ok"]
    assert "com.evil/.Service, com.b/.C" in checks[1].message
    compare("ways", checks, PORT=simulated.port)


def test_programs_on_the_phone_that_act_for_others() -> None:
    rows = "900 com.a\n901 app_process / com.genymobile.scrcpy.Server 3.1\n902 com.mobilerun.portal\n"
    checks = way_checks(Scripted({"ps -A -o PID,ARGS": rows}))
    fixes = {each.name: each.fix for each in checks if each.level == "warn"}
    assert fixes["helper scrcpy"].endswith("shell pkill -f com.genymobile.scrcpy.Server")
    assert fixes["helper mobilerun"].endswith("shell am force-stop com.mobilerun.portal")
    assert "helper Appium" not in fixes and "helpers" not in fixes


def test_a_phone_that_goes_away_is_a_failure(simulated: SimulatedPhone) -> None:
    gone = upstream(simulated)
    simulated.close()
    with pytest.raises(DeviceError):
        phone_checks(gone)
    (told,) = doctor._phone(gone)
    assert (told.level, told.fix) == ("fail", "vsac phone list")


def test_a_command_that_never_ends_is_given_up(
    simulated: SimulatedPhone, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vsalang.phone.sim.shell.shell import COMMANDS

    def hang(call: Any) -> int:
        call.flush()
        call.terminal.wait_closed()
        return 0

    monkeypatch.setitem(COMMANDS, "hang", hang)
    assert Remote(upstream(simulated), seconds=0.2).run("hang") == ("", None)


# ---------------------------------------------------------------------- the command


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.chdir(tmp_path)
    return CliRunner()


def run(runner: CliRunner, *args: str) -> tuple[int, str]:
    result = runner.invoke(doctor.command, args, standalone_mode=False)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return int(result.return_value or 0), result.output


def test_the_command_on_a_simulated_phone(runner: CliRunner) -> None:
    status, output = run(runner, "--device", "sim:restaurant", "--json")
    data = json.loads(output)
    assert (status, data["level"], data["repaired"]) == (0, "warn", [])
    groups = list(dict.fromkeys(row["group"] for row in data["checks"]))
    assert groups == [
        "This computer",
        "Simulated phones",
        "Project",
        "Phone sim-restaurant",
        "Ways around the guard",
    ]
    assert all(set(row) == {"group", "name", "level", "message", "fix"} for row in data["checks"])
    assert all(row["fix"] for row in data["checks"] if row["level"] == "fail")
    ways = {row["name"] for row in data["checks"] if row["group"] == groups[-1]}
    assert {"adb-server", "adb-key", "adb on the network", "accessibility"} <= ways


def test_the_command_through_an_adb_server(
    runner: CliRunner, simulated: SimulatedPhone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(simulated.port))
    settings = simulated.services.shell.system.settings
    before = dict(settings)
    status, output = run(runner)
    assert status == 0
    assert "animations: on" in output
    assert settings == before
    status, output = run(runner, "--fix", "--device", simulated.serial)
    assert status == 0
    assert output.startswith("done: sim-restaurant: settings put global window_animation_scale 0;")
    assert "animations: off" in output
    assert settings["global", "animator_duration_scale"] == "0"
    status, output = run(runner, "--device", "absent")
    assert status == 1
    assert "FAIL  absent: it is not connected; there are: sim-restaurant" in output


def test_a_project_that_is_wrong(runner: CliRunner, tmp_path: Path) -> None:
    (tmp_path / "vsac.toml").write_text("polices = []\n")
    status, output = run(runner, "--device", "sim:restaurant")
    assert status == 1
    assert "FAIL  configuration: [E0021] vsac.toml:1: the file has no key `polices`" in output
    assert "fix: did you mean `policies`?" in output
    (tmp_path / "vsac.toml").write_text("[device]\ntrace = ['files']\n")
    assert (
        "ok    configuration: vsac.toml is valid; 0 policies in force"
        in run(runner, "--device", "sim:restaurant")[1]
    )


def test_a_computer_without_a_phone_is_no_failure(runner: CliRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(port))
    monkeypatch.setattr("vsalang.phone.doctor.host.importlib.util.find_spec", lambda module: module)
    status, output = run(runner)
    assert status == 0
    assert "Simulated phones\n  ok    phones: sim:" in output
    assert "Real phones\n  warn  server: " in output
    assert output.endswith("Real ones cannot: none is connected.\n")
    assert json.loads(run(runner, "--json")[1])["level"] == "warn"
    status, output = run(runner, "--device", "emulator-5554")  # one that is named must be there
    assert status == 1
    assert "FAIL  server" in output and output.endswith("Fix what fails first.\n")


PYTHON = shlex.quote(sys.executable)


@pytest.mark.parametrize(
    ("programs", "modules", "pip", "adb"),
    [
        ([], [], f"install vsalang[smt] for {sys.executable}, which has no pip", "platform-tools: https://"),
        (["uv", "brew"], [], f"uv pip install --python {PYTHON} 'vsalang[smt]'", "brew install --cask"),
        (
            [],
            ["ensurepip"],
            f"{PYTHON} -m ensurepip && {PYTHON} -m pip install 'vsalang[smt]'",
            "platform-tools",
        ),
        (["pip", "dnf"], ["pip"], f"{PYTHON} -m pip install 'vsalang[smt]'", "dnf install android-tools"),
        (
            ["winget"],
            ["pip"],
            f"{PYTHON} -m pip install 'vsalang[smt]'",
            "winget install Google.PlatformTools",
        ),
    ],
)
def test_only_commands_that_exist_here_are_offered(
    monkeypatch: pytest.MonkeyPatch, programs: list[str], modules: list[str], pip: str, adb: str
) -> None:
    monkeypatch.setattr(installing, "which", lambda name: f"/usr/bin/{name}" if name in programs else None)
    monkeypatch.setattr(installing, "has", lambda name: name in modules)
    checks = host_checks(has=lambda _: False, adb=lambda: None)
    assert check(checks, "smt").fix == pip
    assert adb in check(checks, "adb").fix
    assert "apt" not in "".join(each.fix for each in checks) + remedy("no permissions")
    told, _ = adb_checks("127.0.0.1", 1, None)
    assert adb in told[0].fix
    with pytest.raises(Failure) as failure:
        require("no_such_module", "smt")
    assert failure.value.hint == pip


def test_root_is_asked_for_where_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {"apt-get", "sudo"}
    monkeypatch.setattr(installing, "which", lambda name: f"/usr/bin/{name}" if name in there else None)
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert installing.install_adb() == "sudo apt-get install adb"
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert installing.install_adb() == "apt-get install adb"
    assert "`apt-get install android-sdk-platform-tools-common`" in remedy("no permissions")


def test_adb_off_the_path_is_named_by_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    adbutils = pytest.importorskip("adbutils")
    monkeypatch.setattr(adbutils, "adb_path", lambda: "/opt/my tools/adb")
    monkeypatch.setattr(installing, "which", lambda name: name if name.startswith("/opt") else None)
    monkeypatch.setattr(installing, "has", lambda name: True)
    assert Remote(Upstream("127.0.0.1", 5037, "R3")).adb == "'/opt/my tools/adb' -s R3"
    assert adb_checks("127.0.0.1", 1, None)[0][0].fix == "'/opt/my tools/adb' -P 1 start-server"


def test_what_cannot_be_looked_at(runner: CliRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    result = runner.invoke(doctor.command, ["--device", "sim:absent"])
    assert (result.exit_code, "no simulated phone 'absent'" in result.output) == (2, True)
    result = runner.invoke(doctor.command, ["--device", "sim:restaurnat"])
    assert "did you mean `restaurant`?" in result.output
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "x")
    assert runner.invoke(doctor.command, []).exit_code == 2


def test_a_device_without_a_name_is_none(runner: CliRunner) -> None:
    result = runner.invoke(doctor.command, ["--device", ""])
    assert result.exit_code == 2 and "a device has a name: sim:NAME or a serial" in result.output


def test_a_simulated_phones_clock_and_port_need_no_remedy(runner: CliRunner) -> None:
    result = runner.invoke(doctor.command, ["--device", "sim:restaurant", "--json"])
    checks = {check["name"]: check for check in json.loads(result.output)["checks"]}
    assert checks["clock"]["level"] == checks["animations"]["level"] == "ok"
    assert "2026-04-01, by design" in checks["clock"]["message"]
    assert (
        "ends with this; `vsac phone sim serve restaurant` runs one that stays"
        in checks["sim-restaurant"]["message"]
    )
    assert not re.search(r"-P \d|127\.0\.0\.1:\d", result.output)


def test_a_phone_cannot_steer_the_terminal() -> None:
    checks = [Check("Phone \x1b[2J", "x", "warn", "a\x1b]0;b\x07", "c\nd")]
    shown = "\n".join(doctor.Checks(checks, [], True).lines(Style(color=True)))
    assert "\x1b[2J" not in shown and "\x1b]0" not in shown and "c\nd" not in shown


def test_devices_says_what_a_state_means(runner: CliRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    services = SimulatedPhone.start(load("restaurant"))
    with services:
        monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(services.port))
        monkeypatch.setattr(AdbServer, "_of_host", _states(AdbServer._of_host))
        output = runner.invoke(devices_command.command, []).output
        data = json.loads(runner.invoke(devices_command.command, ["--format", "json"]).output)
        assert json.loads(runner.invoke(devices_command.command, ["--json"]).output) == data
    assert "  sim-restaurant  device  VSA_Phone\n  R3CN30  unauthorized\n" in output
    assert "    the phone has not allowed this computer to debug it. Unlock the phone and answer" in output
    assert [row["state"] for row in data["adb"]] == ["device", "unauthorized", "offline"]
    assert [bool(row["remedy"]) for row in data["adb"]] == [False, True, True]


def _states(real: Any) -> Any:
    def told(self: AdbServer, verb: str, device: Any) -> str:
        more = "R3CN30\tunauthorized\nR9\toffline\n" if verb.startswith("devices") else ""
        return str(real(self, verb, device)) + more

    return told


def test_the_page_shows_what_is_printed() -> None:
    page = section("phone", "`vsac phone doctor`")
    (shown,) = re.findall(r"^```\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert (GOLDEN / "phone.txt").read_text(encoding="utf-8").startswith(shown)
