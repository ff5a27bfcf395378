"""The page about apps that report their own state: its modules check, its examples run, its tables are whole."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import processes
from tests.agents.reporting.test_serve_command import Served
from tests.digests import masked
from vsalang.agents.reporting.errors import STATUS
from vsalang.agents.reporting.reading import MAX_BYTES, MAX_DEPTH, MAX_ITEMS, MAX_TEXT
from vsalang.agents.reporting.reporting import MOST_WAITING
from vsalang.agents.reporting.service import KINDS
from vsalang.language.semantics import load
from vsalang.tools.cli.serve import command

ROOT = Path(__file__).resolve().parents[3]
TEXT = (ROOT / "docs" / "reference" / "developer-library.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for text in blocks("vsa"):
        name = text.split()[1]
        (tmp_path / f"{name}.vsa").write_text(text, encoding="utf-8")
    return tmp_path


def test_its_modules_check(folder):
    loaded = load(str(folder / "tidy.vsa"))
    assert [d.message for d in loaded.diagnostics if d.severity.value == "error"] == []


def test_its_python_runs(folder):
    served = Served(folder, "tidy.vsa", "--no-screen")
    (script,) = blocks("python")
    done = processes.run(["-c", script], cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.stderr == ""
    first, second = done.stdout.splitlines()
    assert first.startswith("block - ") and second == "deleting"
    assert served.end() == (0, "")


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not there")
def test_its_shell_runs(folder):
    served = Served(folder, "tidy.vsa", "--no-screen")
    (script,) = blocks("sh")
    done = subprocess.run(
        ["sh", "-e", "-c", script],
        cwd=folder,
        env={**os.environ, "URL": served.said["url"]},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    report, answer = (json.loads(text) for text in done.stdout.replace("}{", "}\n{").splitlines())
    assert report["taken"] == "at once"
    assert answer["proceed"] is False and answer["level"] == "block"
    served.end()


def test_its_beginning_is_what_is_printed(folder):
    process = processes.Process(
        ["-m", "vsalang.tools.cli.main", "serve", "tidy.vsa", "--no-screen"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"},
        text=True,
    )
    assert process.stdout is not None
    said = "".join(process.stdout.readline() for _ in range(8))
    process.terminate()
    rest, problem = process.communicate(timeout=60)
    said = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:8765", said)
    said = re.sub(r"tidy-\d{8}-\d{6}-\d{6}", "tidy-20260401-120000-000000", masked(said))
    shown = next(text for text in blocks("console") if "vsac serve" in text)
    assert shown.partition("\n")[2] == said, problem
    assert re.fullmatch(
        r"stopped after \d+ points?; the journal is tidy-.*\.jsonl, its head [0-9a-f]{64}\n", rest
    )
    assert process.returncode == 0


def test_its_error_is_what_is_said(folder):
    served = Served(folder, "tidy.vsa", "--no-screen")
    shown = next(text for text in blocks("console") if "curl" in text)
    body = re.search(r"--data '(.*)'", shown)
    assert body is not None
    from tests.agents.reporting.bank import post

    token = json.loads((folder / "tidy.serve.json").read_text())["tokens"]["com.example.tasks"]
    port = int(served.said["url"].rpartition(":")[2])
    status, answer = post(port, token, "/v1/update_state", body[1].encode())
    assert (status, answer) == (422, json.loads(shown.splitlines()[1]))
    served.end()


def test_its_tables_are_whole():
    for kind in KINDS:
        assert f"`{kind}`" in TEXT or f"`/v1/{kind}`" in TEXT, kind
    for code, status in STATUS.items():
        assert re.search(rf"^\| [^|]*{status}[^|]* \|.*`{code}`", TEXT, re.MULTILINE), code
    options = {name for option in command.params for name in option.opts if name.startswith("--")}
    named = set(re.findall(r"^\* `(--[a-z-]+)", TEXT, re.MULTILINE))
    assert named and named <= options
    for number in (MAX_DEPTH, MAX_ITEMS, MAX_TEXT, MOST_WAITING):
        assert f"{number:,}" in TEXT
    assert f"{MAX_BYTES // 1024} KiB" in TEXT
