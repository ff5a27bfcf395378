"""``vsac phone trace`` on simulated phones with and without root, and over journals without any phone."""

import json
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from vsalang.base.config import read_config
from vsalang.phone.traced import Baseline, baseline
from vsalang.phone.uiautomator.tracefiles import ignoring
from vsalang.tools.cli.main import run as vsac

pytest.importorskip("uiautomator2")
ROOT = Path(__file__).resolve().parents[3]
Make = Callable[[str], str]


@pytest.fixture
def phone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes a phone with more lines in its ``[phone]``; gives its name. The working folder is new."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    (tmp_path / "home" / "vsac").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)

    def make(lines: str) -> str:
        shutil.copytree(ROOT / "app_specs" / "phones" / "restaurant", tmp_path / "phone")
        file = tmp_path / "phone" / "phone.toml"
        file.write_text(file.read_text().replace("seed = 7", f"seed = 7\n{lines}"))
        return "sim:phone"

    return make


RESTLESS = 'changing = ["/sdcard/.log", "/sdcard/a*b/c", "/data/data/x/db"]'


@pytest.mark.parametrize(
    ("root", "changed", "status"),
    [
        ("true", ["/data/data/x/db", "/sdcard/.log", "/sdcard/a*b/c"], 0),
        ("false", ["/sdcard/.log", "/sdcard/a*b/c"], 1),
    ],
)
def test_a_baseline_with_and_without_root(
    phone: Make, capsys: pytest.CaptureFixture[str], root: str, changed: list[str], status: int
) -> None:
    name = phone(f"root = {root}\n{RESTLESS}")
    Path("vsac.toml").write_text('[trace]\nfolders = ["/sdcard/", "/data/"]\nbudget = 20\n')
    assert (
        vsac(["phone", "trace", "baseline", "--device", name, "--looks", "2", "-o", "quiet.toml", "--json"])
        == status
    )
    told = json.loads(capsys.readouterr().out)
    assert [(each["path"], each["times"]) for each in told["changed"]] == [(path, 2) for path in changed]
    unread = [{"within": "/data/", "why": "permission denied", "times": 2}]
    assert told["unread"] == ([] if root == "true" else unread)
    text = Path("quiet.toml").read_text()
    assert "# 2 of 2 looks" in text and ("permission denied" in text) == (root == "false")
    ignored = ignoring(tomllib.loads(text)["trace"]["ignore"])
    assert all(map(ignored, changed)) and not ignored("/sdcard/axb/c")
    assert vsac(["phone", "trace", "baseline", "--device", name, "--looks", "1", "-o", "quiet.toml"]) == 2
    assert "quiet.toml" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["show", "baseline"])
def test_a_trace_that_does_not_exist(phone: Make, capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert vsac(["phone", "trace", command, "--device", phone(""), "--trace", "everything"]) == 2
    assert "there is no trace of 'everything'" in capsys.readouterr().err


def test_show_says_what_is_denied(phone: Make, capsys: pytest.CaptureFixture[str]) -> None:
    name = phone("")
    Path("vsac.toml").write_text(
        '[trace]\nkinds = ["files"]\nfolders = ["/sdcard/", "/data/"]\nbudget = 20\n'
    )
    assert vsac(["phone", "trace", "show", "--device", name]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "File: 0 rows", "    whole: /sdcard/", "    not whole: /data/: permission denied",
        "FileChanged: 0 rows", "    whole: /sdcard/", "    not whole: /data/: permission denied",
    ]  # fmt: skip


POLICY = r"""
policy integrity "Nothing else changes"
expect no FileChanged(path matches /^\/sdcard\//) when tap.
"""


@pytest.mark.parametrize(
    ("own", "trace", "outcome"),
    [
        ("", "files", "violated"),
        ('ignore = ["/sdcard/.log", "/sdcard/a?b/*"]', "files", "inconclusive"),
        ("", "settings", "inconclusive"),
    ],
)
def test_a_recorded_trace_replays_without_a_phone(
    phone: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str], own: str, trace: str, outcome: str
) -> None:
    name = phone(RESTLESS)
    (tmp_path / "home" / "vsac" / "vsac.toml").write_text(f"[trace]\nbudget = 20\n{own}\n")
    examples = ROOT / "app_specs" / "examples"
    Path("s.vsa").write_text((examples / "reserve_r.vsa").read_text())
    Path("p.vsa").write_text(POLICY)
    lines = (examples / "reserve_r.agent.jsonl").read_text().splitlines(keepends=True)
    Path("agent.jsonl").write_text(lines[0])
    line = ["run", "s.vsa", "--device", name, "--open", "com.opentable", "--agent", "agent.jsonl"]
    vsac([*line, "--policy", "p.vsa", "--trace", trace, "--journal", "j.jsonl"])
    records = [json.loads(each) for each in Path("j.jsonl").read_text().splitlines()]
    contracts = [each for record in records for each in record.get("contracts", ())]
    assert outcome in [each["outcome"] for each in contracts]
    shutil.rmtree("phone")
    capsys.readouterr()
    assert vsac(["journal", "replay", "j.jsonl"]) == 0
    capsys.readouterr()
    assert vsac(["phone", "trace", "show", "j.jsonl", "--json"]) == (1 if own else 0)
    told = json.loads(capsys.readouterr().out)
    (step, *_) = told["steps"]
    assert told["lacking"] == bool(own)
    vsac(["phone", "trace", "show", "j.jsonl"])
    assert ("Not all was read after 1 of 1 action:" in capsys.readouterr().out) == bool(own)
    assert step["changed"] == (["/sdcard/.log", "/sdcard/a*b/c"] if outcome == "violated" else [])
    why = [each["why"] for relation in step["relations"] for each in relation["unread"]]
    assert why == (["ignored", "ignored"] if own else [])


def test_what_is_wrong_is_said(phone: Make, capsys: pytest.CaptureFixture[str]) -> None:
    phone("")
    Path("x.jsonl").write_text("nonsense\n")
    for line, said in (
        (["baseline"], "Missing option '--device'"),
        (
            ["baseline", "--device", "sim:phone", "--looks", "1", "--seconds", "1"],
            "--seconds and --looks exclude",
        ),
        (["show"], "Give JOURNAL or --device"),
        (["show", "x.jsonl"], "x.jsonl"),
        (["show", "none.jsonl"], "none.jsonl"),
        (["show", "--device", "sim:nowhere"], "nowhere"),
    ):
        assert vsac(["phone", "trace", *line]) == 2
        assert said in capsys.readouterr().err


def test_odd_names_stay_in_their_lines(tmp_path: Path) -> None:
    names = ['/a/"x"', "/a/\\*", "/a/\u202eq", "/a/\U0001f600", "/a/[b]"]
    looks = [{"FileChanged": [{"path": name} for name in names]}] * 2
    found = baseline(looks)
    assert found == Baseline(1, dict.fromkeys(names, 1), {})
    file = tmp_path / "vsac.toml"
    file.write_text(found.toml('a\n"b"'), encoding="utf-8")
    ignored = ignoring(read_config(file).trace.ignore)
    assert all(map(ignored, names)) and "\u202e" not in file.read_text(encoding="utf-8")
