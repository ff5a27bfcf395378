"""``vsac bench`` from end to end; no time is asserted."""

import functools
import json
import re
from pathlib import Path

import pytest

from tests.commands import vsac

ROOT = Path(__file__).resolve().parents[3]
SPEC = ROOT / "app_specs" / "examples" / "reserve_r.vsa"
QUICK = ("--events", "5", "--rounds", "1", "--sessions", "1")


run = functools.partial(vsac, "bench", COLUMNS="100")


@pytest.mark.slow
def test_text():
    done = run(SPEC.relative_to(ROOT), *QUICK, "--top", "2")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == "reserve_r: 30 rules, measured with the file's tests"
    assert re.match(r"a turn of the guard +[\d.]+ [mµn]?s ", lines[3])
    assert re.search(r"^compiling it +[\d.]+ m?s$", done.stdout, re.MULTILINE)
    rules = done.stdout[done.stdout.index("\nrule ") :].splitlines()[2:]
    assert len(rules) == 3
    assert re.search(r"app_specs/\S+\.vsa:\d+$", rules[0])
    assert rules[2].startswith("... and ")


@pytest.mark.soak
def test_json():
    done = run(SPEC, *QUICK, "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["version"] == 1
    assert (data["program"], data["source"], data["rule_count"]) == ("reserve_r", "tests", 30)
    assert set(data["turn"]) == {"count", "median", "p95", "mean", "noise"}
    # The file's tests name actions, they tap nothing: no `recognize` is asked.
    assert {rule["kind"] for rule in data["rules"]} >= {"allow", "done", "expect", "screen"}
    assert all(rule["line"] > 0 and rule["file"].endswith(".vsa") for rule in data["rules"])
    assert json.loads(run(SPEC, *QUICK, "--no-rules", "--format", "json").stdout).keys() == data.keys()


@pytest.mark.soak
def test_random_turns(tmp_path):
    text = 'app lamp package "com.lamp"\nstate Lamp { on: Bool }\ndeny "dark" when Lamp(on = false).\n'
    (tmp_path / "lamp.vsa").write_text(text, encoding="utf-8")
    done = run("lamp.vsa", *QUICK, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("lamp: 1 rule, measured with made-up turns\n")


@pytest.mark.soak
def test_policy_counts():
    policy = ROOT / "app_specs" / "examples" / "payments.vsa"
    data = json.loads(run(SPEC, *QUICK, "--policy", policy, "--json", "--no-rules").stdout)
    assert data["rule_count"] > 30
    assert data["rules"] == []


@pytest.mark.parametrize(
    ("text", "args", "status", "message"),
    [
        ("app a package", (), 1, "error["),
        ('module m "words"\nenum Day {Mon}\n', (), 2, "nothing can happen in it"),
        (
            'app a package "a.b"\nstate S { x: Bool }\n',
            ("--from", "tests"),
            2,
            "there is no test with a turn",
        ),
    ],
)
def test_what_cannot_be_measured(tmp_path, text, args, status, message):
    (tmp_path / "a.vsa").write_text(text, encoding="utf-8")
    done = run("a.vsa", *args, cwd=tmp_path)
    assert done.returncode == status, done.stderr
    assert message in done.stdout + done.stderr


def test_unreadable_file(tmp_path):
    done = run("nowhere.vsa", cwd=tmp_path)
    assert done.returncode == 2
    assert "nowhere.vsa" in done.stdout + done.stderr
