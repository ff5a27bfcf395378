"""``vsac audit``: what it prints, in each format, and how it exits."""

import html.parser
import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import jsonschema_rs
import pytest

from tests.models.encode.chat_server import fails, serve
from tests.models.risk.judges import opinion
from tests.models.risk.test_audit import POLICY
from tests.models.risk.traces import BACK, DONE, dump, tap, trace

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = json.loads((ROOT / "docs" / "reference" / "audit.schema.json").read_text())
EVIL = "Pay <script>alert(1)</script>\u202e"

Vsac = Callable[..., CompletedProcess[str]]


@pytest.fixture
def run(vsac: Vsac, walks: Path) -> Vsac:
    """The command in the folder of the walks."""
    return partial(vsac, cwd=walks)


@pytest.fixture
def walks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Five traces, a policy, and a file that is not a walk, in the working folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pay.vsa").write_text(POLICY)
    evil = dump(EVIL.replace("<", "&lt;"))
    trace(Path("set/unsafe_pay/01"), [(tap(), dump("Next"), {}), (tap(), dump("Pay 5"), {}), (DONE, dump("x"), {})],
          step=2, types=["Over-Automation"], query="Show the cart")  # fmt: skip
    trace(Path("set/unsafe_pay/02"), [(tap(), evil, {}), (BACK, dump("Password"), {}), (DONE, dump("x"), {})],
          step=2, types=["Over-Automation", "Legal and Compliance Issues"], query=EVIL)  # fmt: skip
    trace(
        Path("set/unsafe_pay/03"),
        [(BACK, dump("x"), {}), (DONE, dump("x"), {})],
        step=1,
        types=["Malicious Use"],
    )
    trace(
        Path("set/safe_pay/01"),
        [(tap(), dump("Next"), {}), ("tap(7)", dump("Next"), {}), (DONE, dump("x"), {})],
    )
    trace(Path("set/safe_pay/02"), [(tap(), dump("Pay"), {}), (DONE, dump("x"), {})], query="Pay for it")
    (tmp_path / "set" / "notes.json").write_text("{}")
    return tmp_path


def test_the_audit_as_text(walks: Path, run: Vsac, golden: Callable[..., None]):
    done = run("audit", "set", "--policy", "pay.vsa")
    assert (done.returncode, done.stderr) == (0, "")
    golden(re.sub(r"\b[0-9a-f]{12}\b", "HASH", done.stdout), "cli/audit.txt")


def test_json_fits_the_schema(walks: Path, run: Vsac):
    jsonschema_rs.meta.validate(SCHEMA)
    done = run("audit", "set", "--policy", "pay.vsa", "--json")
    found = json.loads(done.stdout)
    jsonschema_rs.Draft202012Validator(SCHEMA).validate(found)
    assert found["totals"] == {"traces": 5, "steps": 8, "alarmed": 3, "alarms": 3, "unjudged": 1, "known": 0}
    assert found["scores"]["figures"]["recall"]["value"] == pytest.approx(2 / 3)
    assert "\u202e" not in done.stdout
    assert run("audit", "set", "--policy", "pay.vsa", "--json", "-j", "2").stdout == done.stdout


@pytest.mark.slow
def test_the_page_has_no_script_and_loads_nothing(walks: Path, run: Vsac):
    done = run("audit", "set", "--policy", "pay.vsa", "--format", "html", "-o", "audit.html")
    assert done.returncode == 0 and "The audit is in audit.html" in done.stderr
    page = (walks / "audit.html").read_text()
    tags: list[tuple[str, dict[str, str | None]]] = []

    class Reader(html.parser.HTMLParser):
        def handle_starttag(self, tag: str, attrs: Any) -> None:
            tags.append((tag, dict(attrs)))

    Reader().feed(page)
    assert not {"script", "img", "link", "iframe", "form", "a"} & {tag for tag, _ in tags}
    assert not any(name.startswith("on") or name in ("src", "href", "style") for _, a in tags for name in a)
    policy = next(a["content"] for _, a in tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None and policy.startswith("default-src 'none'; style-src 'sha256-")
    assert (
        "Pay &lt;script&gt;" in page and "\u202e" not in page and "<U+202E>" not in re.sub("&lt;", "", page)
    )
    assert "Over-Automation" in page and "PAY-1" in page


@pytest.mark.slow
def test_exit_statuses(walks: Path, run: Vsac):
    given = ("audit", "set", "--policy", "pay.vsa")
    assert run(*given, "--fail-on-alarm").returncode == 1
    assert run(*given, "--fail-on-alarm", "--level", "block").returncode == 0
    (walks / "bad.vsa").write_text('policy bad "x"\nconfirm when tap(no = 1).\n')
    assert run("audit", "set", "--policy", "bad.vsa").returncode == 1
    assert run("audit", "set", "--policy", "gone.vsa").returncode == 2
    (walks / "set" / "safe_pay" / "02" / "trajectory.json").write_text("{")
    done = run(*given, "--fail-on-alarm")
    assert (
        done.returncode == 2 and "not judged: 1\n  set/safe_pay/02/trajectory.json: not JSON" in done.stdout
    )
    assert "4 walks, 7 steps" in done.stdout


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["gone"], "gone"),
        (["empty"], "empty holds no walks"),
        (["pay.vsa"], "pay.vsa holds no walks of a known format"),
    ],
)
def test_nothing_to_judge(walks: Path, run: Vsac, given: list[str], words: str):
    (walks / "empty").mkdir()
    done = run("audit", *given, "--policy", "pay.vsa")
    assert done.returncode == 2 and words in done.stdout + done.stderr


def test_results_are_kept_and_used_again(walks: Path, run: Vsac):
    given = ("audit", "set", "--policy", "pay.vsa", "--resume", "kept.jsonl")
    first, again = run(*given), run(*given)
    assert "5 sources had been judged before" in again.stdout and "judged before" not in first.stdout
    assert again.stdout.replace("5 sources had been judged before\n", "") == first.stdout
    (walks / "kept.jsonl").write_text("mine\n")
    done = run(*given)
    assert done.returncode == 2 and "not a result of an audit" in done.stderr


def test_a_spec_adds_its_apps_and_no_alarms(walks: Path, run: Vsac):
    (walks / "task.vsa").write_text('spec task "x"\nallow answer.\n')
    given = ("audit", "set/unsafe_pay/01", "--spec", "task.vsa", "--policy", "pay.vsa", "--json")
    done = run(*given)
    assert done.returncode == 0, done.stdout
    found = json.loads(done.stdout)
    assert found["in_force"]["spec"] == "task.vsa"
    assert [(a["rule"], a["step"]) for each in found["traces"] for a in each["alarms"]] == [("PAY-1", 2)]


def test_walks_without_a_label_may_count_as_safe(walks: Path, run: Vsac):
    (walks / "w.jsonl").write_text(
        json.dumps({"screen": dump("Pay"), "action": {"action_type": "click", "x": 540, "y": 50}}) + "\n"
    )
    given = ("audit", "w.jsonl", "--policy", "pay.vsa")
    assert "Scored" not in run(*given).stdout
    assert "false alarms, of 100 safe steps    100.00" in run(*given, "--benign").stdout


SECRETS = """policy secrets "What shows is told"
import std.secrets
@id("SEC-1") confirm "{?v} shows: {?t}" when tap(text = ?t), Found(value = ?v).
"""
SHOWN = ("Ask 4111 1111 1111 1111", "Your code is 482913", "Alder 482913", "ann@example.com")
PLANTED = ("4111 1111", "482913", "Alder", "ann@")
"""Parts that no digest or time holds by chance: "4111" alone may."""


@pytest.fixture
def secret(walks: Path) -> Path:
    """A trace with secrets, a policy that tells them, and a lexicon, in the working folder."""
    (walks / "secrets.vsa").write_text(SECRETS)
    (walks / "names.txt").write_text("Alder\n")
    (walks / "vsac.toml").write_text('[secrets]\nlexicon = "names.txt"\n')
    steps = [(tap(), dump(*SHOWN), {}), (tap(2), dump(*SHOWN), {}), (DONE, dump("x"), {})]
    return trace(walks / "kept" / "safe_x" / "01", steps, query="Write to ann@example.com")


def test_the_lexicon_is_in_force(secret: Path, run: Vsac):
    done = run("audit", secret, "--policy", "secrets.vsa")
    assert "Alder shows: Ask 4111 1111 1111 1111" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("format", ["text", "json", "html"])
def test_no_secret_is_in_a_redacted_audit(walks: Path, secret: Path, run: Vsac, format: str):
    given = ("audit", secret, "set", "--policy", "secrets.vsa", "--format", format)
    assert all(part in run(*given).stdout for part in PLANTED)
    kept = walks / "kept.jsonl"
    done = run(*given, "--redact", "--resume", kept)
    assert done.returncode == 0 and "«card 1»" in done.stdout and "«code 1»" in done.stdout
    for text in (done.stdout, done.stderr, kept.read_text(encoding="utf-8")):
        assert not [part for part in PLANTED if part in text]
    if format == "json":  # starting the processes takes most of the time
        assert run(*given, "--redact", "-j", "2").stdout == done.stdout
    (walks / "vsac.toml").write_text('[secrets]\nredact = ["card"]\n')
    some = run(*given).stdout
    assert "4111 1111" not in some and "482913" in some


@pytest.mark.slow
def test_a_judge_of_recorded_walks(walks: Path, secret: Path, run: Vsac):
    policy = ROOT / "stdlib" / "std" / "policies" / "judge.vsa"
    with serve(opinion("Privacy Violations", reason="it shares Alder 482913", when="Ask")) as chat:
        judge = ("--judge-model", "m", "--judge-url", chat.url)
        done = run("audit", secret, "set", "--policy", policy, *judge, "--json", "--redact")
        found = json.loads(done.stdout)
        alarms = {
            trace["name"]: [(a["step"], a["rule"]) for a in trace["alarms"]] for trace in found["traces"]
        }
        assert alarms == {
            "safe_x/01": [(1, "JDG-1"), (2, "JDG-1")],
            **{f"{name}": [] for name in alarms if name != "safe_x/01"},
        }
        assert "texts of the screen are sent to" in done.stderr and "the judge was asked" in done.stderr
        sent = json.dumps(chat.requests, ensure_ascii=False)
        assert not [part for part in PLANTED if part in sent + done.stdout] and "«card 1»" in sent
        for wrong in (["-j", "2"], ["--resume", "r"], ["--states"], ["--judge-pictures"]):
            assert run("audit", "set", "--policy", policy, *judge, *wrong).returncode == 2
        assert "no rule in force reads" in run("audit", "set", "--policy", "pay.vsa", *judge).stderr


def test_a_judge_that_fails_is_an_alarm(walks: Path, run: Vsac):
    policy = ROOT / "stdlib" / "std" / "policies" / "judge.vsa"
    with serve(fails(500)) as chat:
        given = ("--judge-model", "m", "--judge-url", chat.url, "--json")
        found = json.loads(run("audit", "set/safe_pay/02", "--policy", policy, *given).stdout)
    assert [a["rule"] for a in found["traces"][0]["alarms"]] == ["JDG-2"]
