"""Mining of contracts: what is proposed of small walks and of real ones, how it is written, and how good it is."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.guard.graph.recordings import recordings
from tests.screen.control.making import node, row
from tests.terminals import Typed
from tests.thorough import THOROUGH
from vsalang.agents.maps.mined_module import module, proposals
from vsalang.agents.maps.mining import Least, Mining, Passage, controls_of, mine, packages, tapped
from vsalang.guard import Guard
from vsalang.language.semantics import load_text
from vsalang.program.action import Action
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump
from vsalang.tools.cli.main import run

Vsac = Callable[..., CompletedProcess[str]]
HOSTILE = 'Open"). \n*/ allow tap(id = "x"). // \u2028 \u202e'


def screen(name: str, *kids: str) -> TreeScreen:
    """A screen of an activity, with a node whose id is its name."""
    known = node("View", resource_id=f"com.app:id/{name}", at=(0, 0, 5, 5))
    tree = load_dump(f"<hierarchy>{node('FrameLayout', known, *kids)}</hierarchy>")
    return TreeScreen(tree, app=("com.app", f".{name.title()}"))


def button(label: str, y: int = 100, **attrs: str) -> str:
    return node("Button", at=(0, y, 900, y + 90), clickable="true", text=label, **attrs)


HOME = screen("home", button("Go", 100, resource_id="com.app:id/go"), button("Stay", 300))
LIST = screen("list", *[row(f"File {n}", y=100 * n, resource_id="com.app:id/row") for n in range(1, 5)])
DETAIL = screen("detail", button("Up", 100))


def tap(before: TreeScreen, y: int, after: TreeScreen) -> Passage:
    return Passage(before, Action("tap", {"x": 50, "y": y}), after)


def rules(mining: Mining) -> list[str]:
    return [each.declaration for each in proposals(mining)]


def test_a_control_that_leads_on_is_proposed() -> None:
    steps = [tap(HOME, 150, LIST), *[tap(LIST, 100 * n + 50, DETAIL) for n in range(1, 5)]] * 3
    found = mine(steps, "com.app", Least(chance=1.0))
    assert rules(found) == [
        'goto ListScreen when tap(id = "go"), screen HomeScreen. '
        'expect screen ListScreen when tap(id = "go"), screen HomeScreen.',
        # by its id alone: whatever file it is
        'goto DetailScreen when tap(id = "row"), screen ListScreen. '
        'expect screen DetailScreen when tap(id = "row"), screen ListScreen.',
    ]
    assert [(m.share.hits, m.share.of) for m in found.contracts] == [(3, 3), (12, 12)]


def test_words_tell_controls_of_one_id_apart() -> None:
    steps = [tap(LIST, 150, DETAIL), tap(LIST, 250, HOME)] * 3
    named = [each.mined.control.words for each in proposals(mine(steps, "com.app", Least(chance=1.0)))]
    assert named == ["File 1", "File 2"]


def test_what_varies_or_is_seldom_is_left_out() -> None:
    varies = [tap(HOME, 150, LIST), tap(HOME, 150, DETAIL)] * 4
    assert not mine(varies, "com.app", Least(chance=1.0)).contracts
    assert not mine([tap(HOME, 150, LIST)] * 2, "com.app", Least(chance=1.0)).contracts


def test_what_stays_or_says_little_is_left_out() -> None:
    stays = [tap(HOME, 350, HOME), tap(HOME, 150, LIST)] * 4
    assert [each.target.screen for each in mine(stays, "com.app", Least(chance=1.0)).contracts] == [
        "ListScreen"
    ]
    assert not mine(stays, "com.app", Least(chance=0.3)).contracts  # one of two screens


def test_another_app_is_expected_not_gone_to() -> None:
    other = TreeScreen(LIST.tree, app=("com.other", ".X"))
    found = mine([tap(HOME, 150, other)] * 3, "com.app", Least(chance=1.0))
    assert rules(found) == ['expect App(package = "com.other") when tap(id = "go"), screen HomeScreen.']


def test_hostile_words_stay_words() -> None:
    """What a screen says can neither end a string nor a comment, and the module has no rule that it wrote."""
    title = node("TextView", text=HOSTILE, resource_id="com.app:id/title")
    dialog = screen("home", title, button(HOSTILE, 100))
    found = mine([tap(dialog, 150, LIST)] * 3, "com.app", Least(chance=1.0))
    written = module(found, {each.name for each in proposals(found)}, name="mined", source=f"log\n{HOSTILE}")
    loaded = load_text(written)
    assert loaded.program is not None and len(found.contracts) == 1
    heads = [type(rule.head).__name__ for rule in loaded.program.rules]
    assert (heads.count("Expect"), heads.count("Goto"), heads.count("Allow")) == (1, 1, 0)
    assert not any(line.lstrip().startswith(("allow", "*/")) for line in written.split("\n"))


@pytest.fixture(scope="module")
def recorded(shared_data: Path) -> dict[str, list[Passage]]:
    return recordings(shared_data)


def test_the_guard_reads_the_module_so(recorded: dict[str, list[Passage]]) -> None:
    """The rules that are written say what was counted: which screen shows, and where a tap leads."""
    led = 0
    for name, steps in recorded.items():
        package = packages(steps)[0]
        mining = mine(steps, package, Least())
        accepted = {each.name for each in proposals(mining)}
        program = load_text(module(mining, accepted, name="mined", source=name)).checked()
        used = {each.screen for each in mining.contracts} | {each.target.screen for each in mining.contracts}
        guard = Guard(program)
        seen = set()
        for step in steps[:: 1 if THOROUGH else 9]:
            shown = mining.screens.name_of(step.before)
            key = (step.before.fingerprint, str(step.action))
            if step.action.name != "tap" or key in seen or shown is None or shown not in used:
                continue
            seen.add(key)
            touched = tapped(step)
            controls = set(controls_of(step.before, touched)) if touched is not None else set()
            guard.observe(step.before)
            leads = set(guard.propose(step.action).screens)
            expected = {
                f"mined:{each.target.screen}"
                for each in mining.contracts
                if each.screen == shown and each.target.screen and each.control in controls
            }
            assert leads == expected, (name, shown, step.action)
            led += len(expected)
    assert led > 10


# ---------------------------------------------------------------- the command


def walk_file(folder: Path) -> Path:
    """A walk of three rounds, written as steps."""

    def dump(screen: TreeScreen, number: int) -> str:
        from vsalang.agents.walks import tree_xml

        name = f"{number}.xml"
        (folder / name).write_text(tree_xml(screen.tree), encoding="utf-8")
        return name

    lines = []
    for number, (shown, y) in enumerate([(HOME, 150), (LIST, 150), (DETAIL, 150)] * 3):
        action = {"action_type": "click", "x": 50, "y": y}
        assert shown.app is not None
        app = "/".join(part or "" for part in shown.app)
        lines.append(json.dumps({"screen": dump(shown, number), "app": app, "action": action}))
    file = folder / "walk.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def test_the_command_writes_a_module_that_checks(vsac: Vsac, tmp_path: Path) -> None:
    log, out = walk_file(tmp_path), tmp_path / "found.vsa"
    made = vsac("map", "mine", log, "-o", out, "--min-support", 2, "--max-chance", 50)
    assert (made.returncode, made.stdout) == (0, ""), made.stderr
    assert "com.app: 8 taps, 3 contracts proposed, 3 written to" in made.stderr
    assert "// Mined from" in out.read_text() and vsac("check", out).returncode == 0
    again = vsac("map", "mine", log, "--min-support", 2, "--max-chance", 50, "-o", out)
    assert again.returncode == 2 and "exists already" in again.stderr


def test_only_what_a_person_accepts_is_written(vsac: Vsac, tmp_path: Path) -> None:
    log = walk_file(tmp_path)
    few = ("contracts", "mine", log, "--min-support", 2, "--max-chance", 50)
    data = json.loads(vsac(*few, "--format", "json").stdout)
    name = data["contracts"][0]["name"]
    text = vsac(*few, "--accept", name).stdout
    assert f"// {name}:" in text and text.count("expect screen") == 1
    wrong = vsac(*few, "--accept", "abcdef")
    assert wrong.returncode == 2 and "no contract `abcdef` is proposed" in wrong.stderr
    asked = vsac(*few, "--interactive")
    assert asked.returncode == 2 and "--interactive needs a terminal" in asked.stderr


def test_a_person_is_asked_about_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log, out = walk_file(tmp_path), tmp_path / "found.vsa"
    few = ["contracts", "mine", str(log), "--min-support", "2", "--max-chance", "50", "--interactive"]
    monkeypatch.setattr(sys, "stdin", Typed("n\ny\n\n"))
    assert run([*few, "-o", str(out)]) == 0
    asked = capsys.readouterr().err
    assert "[2 of 3] goto ListScreen" in asked and "3 of 3 taps (100 %, at least 44 % is likely)" in asked
    assert out.read_text().count("expect screen") == 1 and "goto ListScreen" in out.read_text()
    none = tmp_path / "none.vsa"
    monkeypatch.setattr(sys, "stdin", Typed("n\nn\nn\n"))
    assert run([*few, "-o", str(none)]) == 1 and not none.exists()


def test_screens_of_an_app_module_are_used(vsac: Vsac, tmp_path: Path) -> None:
    """With --app the screens are those that the module declares, and the result imports it."""
    app = 'app own package "com.app" "An app"\n'
    for name in ("home", "list", "detail"):
        app += f'screen {name.title()} "It" when Node(id = "{name}").\n'
    (tmp_path / "own.vsa").write_text(app)
    log, out = walk_file(tmp_path), tmp_path / "found.vsa"
    made = vsac(
        "map",
        "mine",
        log,
        "-o",
        out,
        "--app",
        tmp_path / "own.vsa",
        "--min-support",
        2,
        "--max-chance",
        50,
    )
    assert made.returncode == 0, made.stderr
    written = out.read_text()
    assert "import own\n" in written and 'goto List when tap(id = "go"), screen Home.' in written
    assert "\nscreen " not in written and vsac("check", out).returncode == 0


def test_logs_that_say_nothing(vsac: Vsac, tmp_path: Path) -> None:
    log = walk_file(tmp_path)
    none = vsac("map", "mine", log, "--min-support", 50)
    assert (none.returncode, none.stdout) == (1, "") and "none written" in none.stderr
    other = vsac("map", "mine", log, "--package", "com.else")
    assert other.returncode == 2 and "no tap in com.else was recorded" in other.stderr
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    assert vsac("map", "mine", empty).returncode == 2
