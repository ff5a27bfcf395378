"""The guide to ``vsac mcp``: its transcript is real, its configuration starts a server, its client runs."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import processes
from vsalang.agents.mcp import tool_specs
from vsalang.language.semantics import load
from vsalang.tools.cli.mcp import command

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "guides" / "mcp.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def environment() -> dict[str, str]:
    scripts = str(Path(sys.executable).parent)
    return {**os.environ, "PYTHONPATH": str(ROOT), "PATH": scripts + os.pathsep + os.environ.get("PATH", "")}


def test_the_transcript_is_what_a_client_saw():
    seen = (ROOT / "tests" / "golden" / "mcp" / "task.txt").read_text(encoding="utf-8")
    calls, shown = blocks("transcript")
    at = 0
    for call in calls.strip().split("\n\n"):
        at = seen.index(call, at) + len(call)
    assert shown in seen


def test_the_table_names_every_tool_and_no_unknown_option():
    program = load(ROOT / "app_specs" / "examples" / "reserve_r.vsa").program
    assert program is not None
    (table,) = re.findall(r"^\| tool \|.*?\n\n", PAGE, re.MULTILINE | re.DOTALL)
    firsts = [row.split("|")[1] for row in table.strip().splitlines()[2:]]
    assert set(re.findall(r"`(\w+)`", " ".join(firsts))) == {tool.name for tool in tool_specs(program)}
    options = {name for param in command.params for name in param.opts if name.startswith("--")}
    named = set(re.findall(r"`(--[a-z-]+)", PAGE))
    assert named and named <= options


def test_the_configuration_starts_a_server(tmp_path: Path):
    (config,) = blocks("json")
    server = json.loads(config)["mcpServers"]["phone"]
    assert server["command"] == "vsac"
    args = [str(ROOT / arg) if arg.endswith(".vsa") else arg for arg in server["args"]]
    result = processes.run(["-m", "vsalang.tools.cli.main", *args], cwd=tmp_path, env=environment())
    assert (result.returncode, result.stdout) == (0, ""), result.stderr
    assert (tmp_path / "session.jsonl").exists()


@pytest.mark.slow
def test_the_client_runs(tmp_path: Path):
    pytest.importorskip("mcp")
    (script,) = blocks("python")
    (tmp_path / "app_specs").symlink_to(ROOT / "app_specs")
    script = script.replace(
        'command="vsac",\n    args=[',
        f'command={sys.executable!r},\n    args=["-m", "vsalang.tools.cli.main", ',
    )
    script = script.replace("],\n)", f'],\n    env={{"PYTHONPATH": {str(ROOT)!r}}},\n)')
    # a process of its own: asyncio starts the server from it, and needs descriptors that nobody else has
    result = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "".join(f"    {line}\n" for line in result.stdout.splitlines()) in PAGE
