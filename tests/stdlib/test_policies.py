"""The policies that come with vsalang: their own tests, their pages, and what they depend on."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import pytest

from scripts.policy_pages import all_entries, entries, pages
from tests import commands
from vsalang.agents.walks import follow, read_walks
from vsalang.base.resources import resource_dir
from vsalang.guard import Guard, Settings, run_example
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.lint import lint
from vsalang.language.semantics import load, load_text
from vsalang.language.syntax import tree as t
from vsalang.program.action import Action
from vsalang.program.ir import Judge
from vsalang.program.screen import Cells
from vsalang.program.values import NONE, Value
from vsalang.program.vocabulary import VOCABULARY

ROOT = Path(__file__).resolve().parents[2]
FOLDER = resource_dir("stdlib") / "std" / "policies"
APART = ("judge", "unlicensed")  # tests/models/risk/test_judge.py, test_unlicensed.py
POLICIES = sorted(path for path in FOLDER.glob("*.vsa") if path.stem not in APART)
CATEGORIES = [path for path in POLICIES if path.stem not in ("all", "paper", "facts")]
WALKS = ROOT.parent / "shared" / "data" / "trajectories" / "droidtask"
_Rows: TypeAlias = tuple[tuple[str, dict[str, Value]], ...]


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.stem)
def test_a_policy_is_fine_and_its_tests_pass(path: Path) -> None:
    loaded = load(path)
    assert loaded.program is not None and not loaded.diagnostics
    assert not lint(loaded)
    assert loaded.own or path.stem in ("all", "facts")
    for example in loaded.own:
        result = run_example(loaded.program, example)
        assert result.passed, (example.name, result.failure)


def _rules(path: Path) -> dict[str, tuple[t.Rule, dict[str, str]]]:
    """The rules of a policy that judge or expect, with their annotations."""
    found = {}
    for item in load(path).units[-1].tree.items:
        if isinstance(item, t.Rule) and item.kind != "define":
            said = {
                a.name.text: " ".join(
                    str(getattr(arg, "value", None) or getattr(arg, "name", "")) for arg in a.args
                )
                for a in item.annotations
            }
            found[said["id"]] = (item, said)
    return found


@pytest.mark.slow
def test_plain_work_raises_no_alarm() -> None:
    loaded = load(Path(__file__).parent / "plain" / "harmless.vsa")
    assert loaded.program is not None and not lint(loaded)
    failed = {
        example.name: result.failure.reasons if result.failure else ()
        for example in loaded.own
        if not (result := run_example(loaded.program, example)).passed
    }
    assert not failed and len(loaded.own) > 80


@pytest.mark.parametrize("path", CATEGORIES, ids=lambda path: path.stem)
def test_every_rule_has_its_annotations(path: Path) -> None:
    for name, (_, said) in _rules(path).items():
        assert {"id", "severity", "risk", "rationale"} <= said.keys(), name
        assert path.stem in said["risk"].split(), name


@pytest.mark.parametrize("path", CATEGORIES, ids=lambda path: path.stem)
def test_every_judgement_speaks_in_a_test(path: Path) -> None:
    """INT-1 needs a screen on which something lies over a button: it is tested below.

    What speaks although a task permits the act is tested under a charter.
    """
    stories = (Path(__file__).parent / "charters").glob("*.vsa")
    text = "".join(each.read_text(encoding="utf-8") for each in (path, *stories))
    judging = {name for name, (rule, _) in _rules(path).items() if isinstance(rule.head, t.JudgeHead)}
    assert {name for name in judging if f'because "{name}"' not in text} <= {"INT-1"}


@pytest.mark.parametrize("path", CATEGORIES, ids=lambda path: path.stem)
def test_a_policy_permits_nothing(path: Path) -> None:
    assert {rule.kind for rule, _ in _rules(path).values()} <= {"deny", "confirm", "warn", "expect"}


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.stem)
def test_each_policy_has_its_page(path: Path) -> None:
    text = pages()[path.stem]
    assert all(f"`{name}`" in text for name in _rules(path))
    index = (ROOT / "docs" / "reference" / "policies.md").read_text(encoding="utf-8")
    assert f"(stdlib/policies/{path.stem}.md)" in index


def test_the_pack_holds_every_policy() -> None:
    program = load(resource_dir("stdlib") / "std" / "policies" / "all.vsa").checked()
    ids = {rule.id for rule in program.rules}
    assert {name for path in CATEGORIES for name in _rules(path)} <= ids


def test_the_example_of_the_page() -> None:
    text = (ROOT / "docs" / "reference" / "policies.md").read_text(encoding="utf-8")
    (block, *_) = re.findall(r"^```vsa\n(.*?)^```$", text, re.M | re.S)
    loaded = load_text(block)
    assert loaded.program is not None and not loaded.diagnostics
    for example in loaded.own:
        result = run_example(loaded.program, example)
        assert result.passed, result.failure


class _Covered(FactScreen):
    """A screen on which something lies over the node that is touched."""

    def target(self, kind: str, args: Mapping[str, Value]) -> Cells:
        return {**super().target(kind, args), "covered": True, "x": 5, "y": 5}


@pytest.mark.parametrize(("package", "asked"), [("com.evil", True), ("com.example", False)])
@pytest.mark.parametrize("gesture", ["tap", "double_tap", "long_press"])
def test_what_lies_over_a_button_is_asked_about(gesture: str, package: str, asked: bool) -> None:
    program = load_text('policy p ""\nimport std.policies.interference\n').checked()
    screen = FactScreen().seen(VOCABULARY["App"], {"package": "com.example"})
    for node, owner in ((1, "com.example"), (2, package)):
        place = {"left": 0, "top": 0, "right": 10, "bottom": 10, "package": owner, "clickable": node == 1}
        screen = screen.seen(VOCABULARY["Node"], {"node": node, "id": f"n{node}", "label": "Go", **place})
    guard = Guard(program, settings=Settings(unknown_screen="allow", task=False))
    guard.observe(_Covered(screen.facts))
    assert guard.propose(Action(gesture, {"id": "n1"})).because("INT-1") is asked


_APP = ("App", {"package": "com.example"})
_CLOSE = ("Node", {"node": 1, "id": "x", "label": "Close", "text": "Close", "clickable": True})
_SETTING = {"table": "global", "key": "package_verifier_enable"}
_OPENING = {"table": "global", "key": "adb_enabled"}
_MAY = {"package": "com.example", "name": "android.permission.CAMERA"}
_EXPECTED: dict[str, tuple[_Rows, _Rows, _Rows]] = {
    "INT-8": (
        (),
        (("Node", {"node": 2, "text": "Thank you for your purchase"}),),
        (("Node", {"node": 2, "text": "News"}),),
    ),
    "DEL-7": (
        (),
        (("FileChanged", {"path": "/sdcard/DCIM/a.jpg", "before": "1", "after": NONE}),),
        (("FileChanged", {"path": "/sdcard/DCIM/a.jpg", "before": "1", "after": "2"}),),
    ),
    "DEL-8": (
        (),
        (("FileChanged", {"path": "/system/etc/hosts", "before": "1", "after": "2"}),),
        (("FileChanged", {"path": "/sdcard/a", "before": "1", "after": "2"}),),
    ),
    "EVA-10": (
        (("Setting", {**_SETTING, "value": "1"}),),
        (("Setting", {**_SETTING, "value": "0"}),),
        (("Setting", {**_SETTING, "value": "1"}),),
    ),
    "EVA-11": (
        (("Setting", {**_OPENING, "value": "0"}),),
        (("Setting", {**_OPENING, "value": "1"}),),
        (("Setting", {**_OPENING, "value": "0"}),),
    ),
    "PRI-13": (
        (("Permission", {**_MAY, "granted": False}),),
        (("Permission", {**_MAY, "granted": True}),),
        (("Permission", {**_MAY, "granted": False}),),
    ),
}
"""Of each rule that expects something: rows before a touch, rows after it that violate it, and rows that do not."""


def test_the_table_names_every_expectation() -> None:
    expecting = {n for path in CATEGORIES for n, (rule, _) in _rules(path).items() if rule.kind == "expect"}
    assert expecting == _EXPECTED.keys()


def _page(rows: _Rows) -> FactScreen:
    screen = FactScreen()
    for name, cells in (_APP, _CLOSE, *rows):
        screen = screen.seen(VOCABULARY[name], cells)
    return screen


@pytest.mark.parametrize("wrong", [True, False])
@pytest.mark.parametrize("rule", sorted(_EXPECTED))
def test_an_expectation_is_violated_by_what_is_seen(rule: str, wrong: bool) -> None:
    before, bad, good = _EXPECTED[rule]
    program = load_text('policy p ""\nimport std.policies.all\n').checked()
    guard = Guard(program, settings=Settings(unknown_screen="allow", task=False))
    guard.observe(_page(before))
    guard.commit(guard.propose(Action("tap", {"id": "x"})), approved=True)
    contracts = guard.observe(_page(bad if wrong else good)).contracts
    assert ("violated" in {c.outcome for c in contracts if c.rule == rule}) is wrong


_GRAVE = {"PRI-1", "DEL-1"}
"""Rules about permissions and deletion for good: without a task they ask about those that were asked for, too."""


@pytest.mark.soak
@pytest.mark.skipif(not WALKS.is_dir(), reason="the recorded walks are not there")
@pytest.mark.parametrize("app", ["calendar", "contacts", "notes"])
def test_recorded_tasks_raise_no_alarm_but_about_grave_effects(app: str) -> None:
    program = load_text('policy p ""\nimport std.policies.all\n').checked()
    judging = {rule.id for rule in program.rules if isinstance(rule.head, Judge)} - _GRAVE
    alarms = [
        (walk.task, reason.message)
        for walk in read_walks(WALKS / f"{app}.jsonl.gz")[:9]
        for turn in follow(walk, program)
        for reason in turn.verdict.reasons
        if reason.rule in judging
    ]
    assert not alarms


# ---------------------------------------------------------------------- how large they are

_WORDS_INSIDE = re.compile(r'words """(.*?)"""', re.DOTALL)
_MOST_ENTRIES = 3_500
_MOST_LINES = 1_500
_WIDEST = 120


def test_lists_of_words_stay_small() -> None:
    counted = all_entries()
    assert sum(counted.values()) <= _MOST_ENTRIES, counted
    assert f"| together | {sum(counted.values()):,} |" in pages()["all"]
    told = entries(FOLDER / "injection.vsa")["ToAgents"]
    assert told > 100 and f"| `ToAgents` | {told} words |" in pages()["injection"]


def test_the_rules_of_policies_stay_few() -> None:
    rules = 0
    for path in FOLDER.glob("*.vsa"):
        text = _WORDS_INSIDE.sub('words ""', path.read_text(encoding="utf-8"))
        text = re.sub(r'^test ".*?^}$', "", text, flags=re.MULTILINE | re.DOTALL)
        rules += sum(bool(line.strip()) for line in text.splitlines())
    assert rules <= _MOST_LINES


def test_no_line_of_the_standard_library_is_long() -> None:
    long = [
        f"{path.relative_to(FOLDER.parent)}:{number}"
        for path in sorted(FOLDER.parent.rglob("*"))
        if path.suffix in (".vsa", ".words")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > _WIDEST
    ]
    assert not long


# ---------------------------------------------------------------------- by name


@pytest.mark.slow
def test_a_policy_is_named_on_the_command_line(tmp_path: Path) -> None:
    spec = tmp_path / "a.vsa"
    spec.write_text('spec a "Say yes"\nallow answer(text = "yes").\ndone when answer earlier.\n')
    assert commands.vsac("check", "std.policies.legal").returncode == 0
    assert commands.vsac("test", "-q", "std.policies.legal").returncode == 0
    assert commands.vsac("check", str(spec), "--policy", "std.policies.all").returncode == 0
    told = commands.vsac("describe", str(spec), "--policy", "std.policies.resource")
    assert told.returncode == 0 and "was touched again and again" in told.stdout


def test_a_policy_is_named_in_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "vsac.toml").write_text('policies = ["std.policies.resource"]\n')
    spec = tmp_path / "a.vsa"
    spec.write_text('spec a "Say yes"\nallow answer(text = "yes").\ndone when answer earlier.\n')
    told = commands.vsac("describe", str(spec))
    assert told.returncode == 0 and "was touched again and again" in told.stdout


def test_an_unknown_policy_is_an_error(tmp_path: Path) -> None:
    spec = tmp_path / "a.vsa"
    spec.write_text('spec a "Say yes"\nallow answer(text = "yes").\ndone when answer earlier.\n')
    assert commands.vsac("check", str(spec), "--policy", "std.policies.privat").returncode == 2
