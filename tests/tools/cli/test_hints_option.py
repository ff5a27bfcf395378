"""`vsac run --plan` and its kin, whole: on the simulated phone, by the real commands."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import jsonschema_rs
import pytest

from vsalang.agents.maps import UTG, Edge, Navigator
from vsalang.agents.maps.gestures import atom
from vsalang.agents.maps.jsonform import read_file, to_json
from vsalang.agents.session.step_hints import Hints
from vsalang.language.semantics import load

Vsac = Callable[..., CompletedProcess[str]]
VAGUE = """spec vague "Do something good."
import apps.settings
done when Toggle(page = "Display", name = "Dark theme", on = true).
"""
ROOT = Path(__file__).resolve().parents[3]
SPEC = ROOT / "app_specs" / "examples" / "quiet_evening.vsa"
SETTINGS = "apps.settings:"
NETWORK = "Network, Wi-Fi, airplane mode"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def agent(*taps: str) -> str:
    lines = [{"action": "back"} if text == "back" else {"action": "tap", "text": text} for text in taps]
    Path("agent.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return "agent.jsonl"


def run(vsac: Vsac, *more: str) -> CompletedProcess[str]:
    return vsac(
        "run", str(SPEC), "--device", "sim:settings", "--open", "org.example.settings", "--journal", "j.jsonl",
        "--on-confirm", "no", *more, cwd=Path.cwd(), COLUMNS="400",
    )  # fmt: skip


def wrong_map() -> str:
    """The rules of the app, and one edge that leads elsewhere than the map says."""
    utg = UTG.from_program(load(ROOT / "app_specs" / "apps" / "settings.vsa").checked())
    edge = Edge(f"{SETTINGS}Main", atom("tap", {"label": NETWORK}), f"{SETTINGS}Notifications", (), 20, 20)
    Path("wrong.utg.json").write_text(to_json(UTG(utg.screens, (*utg.edges, edge))), encoding="utf-8")
    return "wrong.utg.json"


@pytest.mark.slow
def test_a_run_with_a_wrong_map(vsac: Vsac, golden: Callable[..., None]) -> None:
    """The agent is told a wrong way, comes elsewhere, is led from there, and the map is fixed."""
    taps = agent("Display", "back", "Network", "back", "Network", "back", "Notifications", "Mail")
    plan = ["--plan", wrong_map(), "--goal", "Notifications", "--plan-out", "mended.utg.json"]
    done = run(vsac, "--agent", taps, *plan)
    assert done.returncode == 1, done.stderr  # the agent did not finish
    assert "mended.utg.json written" in done.stderr
    golden(done.stdout.partition("Its head")[0].partition("\n\n")[2], "cli/run_with_a_map.txt")
    mended = read_file("mended.utg.json")
    (edge,) = [each for each in mended.edges if each.gesture == atom("tap", {"label": NETWORK})]
    assert (edge.tried, edge.worked) == (22, 20)
    assert vsac("journal", "replay", "j.jsonl", cwd=Path.cwd()).returncode == 0
    shown = vsac("journal", "show", "j.jsonl", cwd=Path.cwd())
    assert shown.returncode == 0 and "the chain is whole" in shown.stdout


def test_json_has_the_hint_in_the_verdict(vsac: Vsac) -> None:
    schema = jsonschema_rs.Draft202012Validator(
        json.loads((ROOT / "docs" / "reference" / "verdict.schema.json").read_text(encoding="utf-8"))
    )
    done = run(
        vsac, "--agent", agent("Display"), "--plan", "apps.settings", "--goal", "Network", "--format", "json"
    )
    steps = [data for line in done.stdout.splitlines() if (data := json.loads(line))["kind"] == "step"]
    (verdict,) = [step["verdict"] for step in steps]
    assert [error.message for error in schema.iter_errors(verdict)] == []
    assert verdict["hint"]["aim"] == "way"
    assert verdict["hint"]["screen"] == f"{SETTINGS}Display"
    assert [step["gesture"] for step in verdict["hint"]["steps"]] == ["back", "tap(node = ?n)"]
    assert verdict["hint"]["text"] == '2 steps left: back, tap(text = "Network"), to Network; not counted yet'


def test_hints_in_german(vsac: Vsac) -> None:
    done = run(
        vsac, "--agent", agent("Display"), "--plan", "apps.settings", "--goal", "Network", "--language", "de"
    )
    assert 'noch 2 Schritte: back, tap(text = "Network"), zu Network' in done.stdout


def test_resumed_run_has_hints(vsac: Vsac) -> None:
    run(vsac, "--agent", agent("Display"))
    taps = agent("Display", "Notifications")  # the simulated phone begins again
    plan = ["--plan", "apps.settings", "--goal", "Network", "--open", "org.example.settings"]
    done = vsac("run", "--resume", "j.jsonl", "--agent", taps, *plan, cwd=Path.cwd(), COLUMNS="400")
    assert '2 steps left: back, tap(text = "Network"), to Network' in done.stdout, done.stderr


UNUSABLE = [
    (["--goal", "Display"], "--goal needs --plan"),
    (["--plan-out", "x.utg.json"], "--plan-out needs --plan"),
    (["--plan", "apps.settings"], "it is not sure which screen of the map the task is about"),
    (["--plan", "apps.settings", "--goal", "Nowhere"], "the map has no screen Nowhere"),
    (["--plan", "missing.utg.json", "--goal", "Display"], "there is no missing.utg.json"),
    (["--plan", "broken.json", "--goal", "Display"], "broken.json"),
    (["--plan", "log.jsonl", "--goal", "Display"], "`vsac map build log.jsonl -o NAME.utg.json` makes one"),
    (["--plan", "apps.settings", "--plan-out", "there.utg.json"], "there.utg.json exists already"),
    (["--plan", "apps.settings", "--plan-out", "map.json"], "maps are called NAME.utg.json"),
    (["--plan", "apps.settings", "--force"], "--force needs --plan-out"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("command", "more", "said"),
    [*(("run", *each) for each in UNUSABLE), ("mcp", *UNUSABLE[3]), ("serve", *UNUSABLE[7])],
)
def test_what_cannot_be_used_is_said_first(vsac: Vsac, command: str, more: list[str], said: str) -> None:
    Path("broken.json").write_text('{"format": "vsa-utg", "version": 1, "screens": 3}', encoding="utf-8")
    Path("log.jsonl").write_text("{}\n", encoding="utf-8")
    Path("there.utg.json").write_text("mine", encoding="utf-8")
    own = ["--agent", agent("Display")] if command == "run" else []
    Path("vague.vsa").write_text(VAGUE, encoding="utf-8")
    given = ["vague.vsa", "--device", "sim:settings", "--journal", "j.jsonl"]
    done = vsac(command, *given, *own, *more, cwd=Path.cwd())
    assert done.returncode == 2
    assert said in done.stderr
    assert not Path("j.jsonl").exists()
    assert Path("there.utg.json").read_text(encoding="utf-8") == "mine"


def test_map_is_replaced_by_its_correction_with_force(vsac: Vsac) -> None:
    plan: list[Any] = ["--plan", wrong_map(), "--goal", "Notifications"]
    done = run(vsac, "--agent", agent("Display"), *plan, "--plan-out", "wrong.utg.json", "--force")
    assert "wrong.utg.json written" in done.stderr
    tried = [edge.tried for edge in read_file("wrong.utg.json").edges if edge.target == f"{SETTINGS}Display"]
    assert tried == [1]


def test_error_of_hints_is_one_warning(vsac: Vsac, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Navigator, screen: str) -> Any:
        raise RuntimeError("it broke")

    taps = agent("Display", "back", "Notifications")
    plain = run(vsac, "--agent", taps)
    Path("j.jsonl").unlink()
    monkeypatch.setattr(Navigator, "hint", broken)
    done = run(vsac, "--agent", taps, "--plan", "apps.settings", "--goal", "Network")
    assert done.stderr == "warning: there are no more hints: RuntimeError: it broke\n"
    assert done.stdout.partition("Its head")[0] == plain.stdout.partition("Its head")[0]
    assert done.returncode == plain.returncode


def test_map_with_too_many_edges(vsac: Vsac, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = wrong_map()
    count = len(read_file(plan).edges)
    monkeypatch.setattr("vsalang.tools.cli.hinting.MOST_EDGES", count - 1)
    done = run(vsac, "--agent", agent("Display"), "--plan", plan, "--goal", "Display")
    assert done.returncode == 2
    assert f"the map has {count} edges, and hints are given on at most {count - 1}" in done.stderr


def test_file_that_appears_meanwhile_is_not_lost(vsac: Vsac, monkeypatch: pytest.MonkeyPatch) -> None:
    corrected = Hints.corrected

    def meanwhile(self: Hints) -> UTG:
        Path("x.utg.json").write_text("mine", encoding="utf-8")
        return corrected(self)

    monkeypatch.setattr(Hints, "corrected", meanwhile)
    plan = ["--plan", "apps.settings", "--goal", "Network", "--plan-out", "x.utg.json"]
    done = run(vsac, "--agent", agent("Display"), *plan)
    assert done.returncode == 2 and "x.utg.json" in done.stderr
    assert Path("x.utg.json").read_text(encoding="utf-8") == "mine"
