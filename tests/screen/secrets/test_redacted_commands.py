"""What a served session, a run of a program and an audit print and write holds none of the planted secrets."""

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests import processes
from tests.commands import vsac_and_programs
from tests.models.risk.traces import DONE, dump, tap, trace
from tests.screen.secrets.planted import AGENT, PLANTED, leaks
from vsalang.agents.maps import UTG, Edge, Screen
from vsalang.agents.maps.gestures import atom
from vsalang.screen.secrets import RedactedStream, Redactor
from vsalang.tools.cli.hinting import without_secrets

Vsac = Callable[..., CompletedProcess[str]]
SAID = (
    *(line["value"] for line in AGENT if "value" in line),
    "5555 5555 5555 4444",
    "Alder's password is hunter2!",
)


def written(project: Path, *own: str) -> str:
    """All that a command wrote into the project, but for the files that were there."""
    own = (*own, "notes.vsa", "notes.agent.jsonl", "names.txt", "main.xml", "agent.py")
    files = [path for path in project.rglob("*") if path.is_file() and path.name not in own]
    return "".join(path.read_text(encoding="utf-8") for path in files)


# ---------------------------------------------------------------- an app that reports its own state

VAULT = """\
app vault package "com.vault" "A vault"
state Login key (name) "Somebody" { name: Text  password: Text  mail: Text }
action Send(to: Text, what: Text) "Send something"
"""
TASK = """\
spec task "Note that alice@example.com has the card 4111 1111 1111 1111"
import vault
allow each Send(to = "alice@example.com").
done when Send earlier.
"""


@pytest.mark.parametrize(("format", "redact"), [("text", True), ("json", True), ("text", False)])
def test_a_served_session_prints_no_planted_secret(project: Path, format: str, redact: bool) -> None:
    pytest.importorskip("aiohttp", reason="the extra `server` is not installed")
    from vsalang.agents.reporting import Client, ClientError

    (project / "vault.vsa").write_text(VAULT, encoding="utf-8")
    (project / "task.vsa").write_text(TASK, encoding="utf-8")
    args = ("serve", "task.vsa", "--no-screen", "--journal", "j.jsonl", "--format", format)
    more = (*(("--redact",) if redact else ()), "--connection", "c.json")
    process = processes.Process(
        ["-m", "vsalang.tools.cli.main", *args, *more], cwd=project, env={**os.environ}, text=True
    )
    assert process.stdout is not None
    first = ""
    while "Ctrl-C" not in first and not first.startswith("{"):
        first += process.stdout.readline()
    app = Client.from_file(project / "c.json")
    app.update_state("Login", {"name": "Alder", "password": "hunter2!", "mail": "alice@example.com"})
    for said in ("Your code is 482913", *SAID):
        permission = app.before_action("Send", {"to": "alice@example.com", "what": said}, note=said)
        assert permission
        app.after_action(permission)
        with pytest.raises(ClientError):
            app.update_state(said, {})
    process.send_signal(signal.SIGTERM)
    rest, problems = process.communicate(timeout=60)
    printed = first + rest + problems
    journal = (project / "j.jsonl").read_text(encoding="utf-8")
    if redact:
        assert "«card 2»" in problems and "«credential 1»" in journal
        assert leaks(printed) == leaks(written(project, "vault.vsa", "task.vsa", "c.json")) == []
    else:
        assert "5555 5555" in leaks(printed) and leaks(journal) == list(PLANTED)
    if format == "json":
        assert json.loads(first)["apps"] == ["com.vault"]


# ---------------------------------------------------------------- an agent's program behind the guard

PROGRAM = """\
import sys
import adbutils
phone = adbutils.adb.device_list()[0]
phone.shell("input tap 540 350")
phone.shell("input text hunter2!")
phone.shell("input tap 540 550")
for said in sys.argv[1:]:
    phone.shell(["input", "text", f"{said} "])
    phone.shell(["input", "text", said.replace(" ", "%s") + "%s"])
    phone.shell(["am", "start", "-d", said])
    phone.shell(["echo", said])
print("mine: Alder")
"""


@pytest.mark.slow
@pytest.mark.parametrize(("format", "redact"), [("text", True), ("json", True), ("text", False)])
def test_a_programs_run_prints_no_planted_secret(project: Path, format: str, redact: bool) -> None:
    pytest.importorskip("adbutils")
    (project / "agent.py").write_text(PROGRAM, encoding="utf-8")
    options = ("--mode", "shadow", "--format", format, *(("--redact",) if redact else ()))
    options = (*options, "--feedback", "told.jsonl")
    done = vsac_and_programs(
        *("run", "notes.vsa", "--device", "sim:bank", "--journal", "j.jsonl", *options),
        *("--", sys.executable, "agent.py", *SAID),
        cwd=project,
    )
    assert done.stdout.startswith("mine: Alder\n"), done.stderr  # what the program prints is its own
    printed = done.stdout.removeprefix("mine: Alder\n") + done.stderr
    if redact:
        assert "«credential 1»" in printed + written(project)
        assert leaks(printed) == leaks(written(project)) == []
        told = (project / "told.jsonl").read_text(encoding="utf-8")
        assert "card 2" in told and not leaks((printed + written(project)).replace("%s", " "))
    else:
        assert "hunter2" in leaks(printed) and len(leaks(written(project))) >= 8
    if format == "json":
        assert json.loads(done.stdout.splitlines()[-1])["kind"] == "end"


@pytest.mark.parametrize("redact", [True, False])
def test_an_mcp_session_prints_no_planted_secret(project: Path, redact: bool) -> None:
    pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
    from tests.agents.mcp_clients import talk

    async def what(client: Any) -> None:
        await client.call_tool("observe", {})
        await client.call_tool("input_text", {"id": "password", "value": "hunter2!"})
        for said in SAID:
            await client.call_tool("input_text", {"id": "note", "value": said})
            await client.call_tool("answer", {"text": said})

    options = ("--mode", "shadow", *(("--redact",) if redact else ()))
    said = talk(project, what, "notes.vsa", "--device", "sim:bank", "--journal", "j.jsonl", *options)
    found = leaks(said.stderr + written(project))
    assert found == ([] if redact else list(PLANTED))


# ---------------------------------------------------------------- `vsac run`


def run(vsac: Vsac, project: Path, *lines: object, more: tuple[str, ...] = ()) -> CompletedProcess[str]:
    """A run of these actions with secrets replaced."""
    (project / "notes.agent.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    agent = ("--agent", "notes.agent.jsonl", "--journal", "j.jsonl", "--redact")
    return vsac("run", "notes.vsa", "--device", "sim:bank", *agent, *more, cwd=project)


@pytest.mark.parametrize(
    "line",
    [
        {"action": "4111 1111 1111 1111"},
        {"action": "tap", "id": ["alice@example.com"]},
        {"action": "tap", "alice@example.com": "x"},
    ],
)
def test_errors_in_the_agents_file_hold_no_secret(vsac: Vsac, project: Path, line: object) -> None:
    done = run(vsac, project, line)
    assert done.returncode == 2 and " 1»" in done.stderr and leaks(done.stderr) == []


def test_errors_in_the_spec_hold_no_secret(vsac: Vsac, project: Path) -> None:
    (project / "notes.vsa").write_text('spec notes "to alice@example.com" allow x', encoding="utf-8")
    done = run(vsac, project)
    assert done.returncode == 1 and "«email 1»" in done.stderr and leaks(done.stderr + done.stdout) == []


def test_json_without_secrets_is_still_json(vsac: Vsac, project: Path) -> None:
    (project / "names.txt").write_text("kind\nAlder\n", encoding="utf-8")
    tapped = {"action": "tap", "x": 1080, "y": 1500, "note": "type the verification code for Alder"}
    done = run(vsac, project, tapped, more=("--format", "json"))
    said = [json.loads(line) for line in done.stdout.splitlines()]
    (step,) = [each for each in said if each["kind"] == "step"]
    assert step["proposed"]["x"] == 1080 and "code for «word " in step["note"]


BANK = """\
app bank package "com.bank" "A bank"
screen Main when Node(id = "code").
screen Other when Node(id = "other").
goto Other when screen Main, tap(id = "note").
"""


def test_a_corrected_map_holds_no_planted_secret(vsac: Vsac, project: Path) -> None:
    (project / "bank.vsa").write_text(BANK, encoding="utf-8")
    hinted = ("--plan", "bank.vsa", "--goal", "Other", "--plan-out", "seen.utg.json", "--mode", "shadow")
    done = run(vsac, project, {"action": "tap", "id": "code"}, more=hinted)
    assert "seen.utg.json written" in done.stderr, done.stderr
    text = (project / "seen.utg.json").read_text(encoding="utf-8")
    assert "Your verification code is «code 1»" in text and leaks(text) == []
    assert vsac("map", "show", "seen.utg.json", cwd=project).returncode == 0


def test_gestures_of_a_map_hold_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    edge = Edge("a", atom("tap", {"label": "Call +49 171 1234567"}), "a")
    utg = UTG({"a": Screen("a", "state")}, (edge,))
    assert without_secrets(utg) is utg
    monkeypatch.setattr(sys, "stderr", RedactedStream(sys.stderr, Redactor()))
    (found,) = without_secrets(utg).edges
    assert found.gesture == atom("tap", {"label": "Call «phone 1»"})


# ---------------------------------------------------------------- `vsac audit`

POLICY = 'policy p "x"\n@id("P-1") confirm "{?t}" when tap(text = ?t).\n'


@pytest.mark.parametrize("format", ["text", "json", "html"])
def test_an_audit_cuts_no_secret_in_two(vsac: Vsac, project: Path, format: str) -> None:
    (project / "p.vsa").write_text(POLICY, encoding="utf-8")
    long = f"{'x' * 65} 4111 1111 1111 1111 and more"
    steps = [
        (tap(), dump(long), None),
        (tap(), dump("next"), None),
        (DONE, dump("Your code is 482913"), None),
    ]
    trace(project / "walks" / "01", steps, query="Confirm 482913 now")
    done = vsac("audit", "walks", "--policy", "p.vsa", "--redact", "--format", format, cwd=project)
    assert done.returncode == 0, done.stderr
    assert "«code 1»" in done.stdout and "4111" not in done.stdout and leaks(done.stdout) == []


def test_what_an_audit_cannot_read_holds_no_secret(vsac: Vsac, project: Path) -> None:
    (project / "p.vsa").write_text(POLICY, encoding="utf-8")
    lines = ('{"screen": "s.xml", "action": "tap"}', '{"alice@example.com": 1}')
    (project / "walk.jsonl").write_text("\n".join(lines), encoding="utf-8")
    done = vsac("audit", "walk.jsonl", "--policy", "p.vsa", "--redact", cwd=project)
    assert done.returncode == 2 and "a step has no `«email 1»`" in done.stdout
