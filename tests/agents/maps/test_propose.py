"""`vsac map propose`: a draft of an app module, learnt from recordings."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from vsalang.guard import Guard
from vsalang.language.semantics import load, load_text
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_tree

Vsac = Callable[..., CompletedProcess[str]]


def _screen(*nodes: tuple[str, str, str]) -> str:
    made = (
        f'<node package="com.t" class="android.widget.{cls}" resource-id="com.t:id/{id}" text="{text}" '
        f'clickable="{str(cls == "Button").lower()}" enabled="true" bounds="[0,{100 * n}][100,{100 * n + 100}]"/>'
        for n, (cls, id, text) in enumerate(nodes)
    )
    return f'<hierarchy rotation="0">{"".join(made)}</hierarchy>'


OPEN = ("Button", "open", "Open")
SHOP = [_screen(OPEN, ("TextView", "count", str(n)), ("TextView", "more", "more")) for n in range(2)]
PAGE = _screen(
    ("Button", "save", "Save"), ("TextView", "said", "It says &quot;x&quot;). allow tap. //\u202e")
)
HELP = _screen(("Button", "close", "Close"), ("TextView", "help", "Help"))


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Save leads back to the shop three of four times, and once to the help."""
    path = tmp_path_factory.mktemp("walk") / "walk.jsonl"
    seen = [SHOP[0], PAGE, SHOP[1], PAGE, HELP, SHOP[0], PAGE, SHOP[1], PAGE, SHOP[0]]
    tap = {"action": "tap", "x": 50, "y": 50}
    steps = [{"screen": screen, "app": "com.t/.Main", "action": tap} for screen in seen]
    path.write_text("".join(f"{json.dumps(step)}\n" for step in steps), encoding="utf-8")
    return path


def test_a_draft_checks_and_says_its_counts(vsac: Vsac, walk: Path, tmp_path: Path) -> None:
    out = tmp_path / "shop.vsa"
    done = vsac("map", "propose", walk, "-o", out)
    assert done.returncode == 0, done.stderr
    text = out.read_text(encoding="utf-8")
    assert '@source("walk, 4 of 4")' in text  # open leads to the page
    assert (
        '@source("walk, 3 of 4")' in text and '@source("walk, 1 of 4")' in text
    )  # save: nothing tells them apart
    assert "count had 2 values" in text
    assert "\u202e" not in text
    assert vsac("check", out).returncode == 0
    assert "nothing found" in vsac("lint", out).stdout
    assert vsac("map", "propose", walk, "-o", out).returncode == 2  # it exists


def test_a_draft_of_one_screen_has_one_part(vsac: Vsac, tmp_path: Path) -> None:
    dump = tmp_path / "one.xml"
    dump.write_text(_screen(OPEN, ("TextView", "count", "A\u202eB")), encoding="utf-8")
    text = vsac("map", "propose", dump).stdout
    assert [each for each in text.splitlines() if each.startswith("// ---- ")] == ["// ---- screens ----"]
    assert '"A\\u{202E}B"' in text and load_text(text).ok


def test_nothing_known_is_proposed_again(vsac: Vsac, walk: Path, tmp_path: Path) -> None:
    first, more = tmp_path / "first.vsa", tmp_path / "more.vsa"
    assert vsac("map", "propose", walk, "-o", first).returncode == 0
    done = vsac("map", "propose", walk, "--app", first, "-o", more)
    assert done.returncode == 1, more.read_text(encoding="utf-8")
    assert not more.exists()


def test_a_draft_as_json_holds_its_module(vsac: Vsac, walk: Path) -> None:
    data = json.loads(vsac("map", "propose", walk, "--format", "json").stdout)
    assert data["version"] == 1 and len(data["screens"]) == 3
    assert load_text(data["module"]).ok
    assert {(way["tried"], way["worked"]) for way in data["ways"]} >= {(4, 4), (4, 3), (4, 1)}


def test_what_cannot_be_learnt_from_is_said(vsac: Vsac, walk: Path, tmp_path: Path) -> None:
    assert "was not seen" in vsac("map", "propose", walk, "--package", "com.other").stderr
    assert "there is no" in vsac("map", "propose", tmp_path / "none").stderr
    assert "cannot name a module" in vsac("map", "propose", walk, "-o", tmp_path / "a-b.vsa").stderr


def _walk(path: Path, steps: list[tuple[str, str, object]]) -> Path:
    lines = [
        {"screen": screen, "app": app, **({"action": action} if action else {})}
        for screen, app, action in steps
    ]
    path.write_text("".join(f"{json.dumps(each)}\n" for each in lines), encoding="utf-8")
    return path


def test_the_opened_app_is_drafted_not_the_most_seen(vsac: Vsac, tmp_path: Path) -> None:
    other = HELP.replace("com.t", "com.other")
    seen = [(other, "com.other/.Web", None)] * 5 + [(SHOP[0], "com.t/.Main", None)] * 2
    unsaid = _walk(tmp_path / "unsaid.jsonl", [*seen, *[(PAGE, "com.third/.Main", None)] * 3])
    done = vsac("map", "propose", unsaid)
    assert done.returncode == 2 and "several apps: com.other (5 looks), com.third (3 looks)" in done.stderr
    assert "--package" in done.stderr
    start = "adb shell am start -n com.t/.Main"
    opened = _walk(tmp_path / "opened.jsonl", [(other, "com.other/.Web", start), *seen])
    assert 'package "com.t"' in vsac("map", "propose", opened).stdout


def test_only_a_draft_is_replaced(vsac: Vsac, walk: Path, tmp_path: Path) -> None:
    out = tmp_path / "shop.vsa"
    assert vsac("map", "propose", walk, "-o", out).returncode == 0
    assert vsac("map", "propose", walk, "-o", out, "--force").returncode == 0
    out.write_text('app shop package "com.t" "By hand"\n', encoding="utf-8")
    done = vsac("map", "propose", walk, "-o", out, "--force")
    assert done.returncode == 2 and "is not a draft" in done.stderr
    assert "By hand" in out.read_text(encoding="utf-8")


def test_an_id_read_on_another_screen_is_proposed(vsac: Vsac, walk: Path, tmp_path: Path) -> None:
    hand = (
        'app shop package "com.t" "A shop"\n'
        'screen Shop "The shop" when Node(id = "open").\n'
        'screen Page "A page" when Node(id = "save").\n'
        'view Said on {on} "What it says" {{\n  count: Text "how many"\n}}\n'
        'update Said(count = ?c) when screen {on}, Node(id = "count", text = ?c).\n'
    )
    for on, proposed in (("Page", True), ("Shop", False)):
        (tmp_path / "shop.vsa").write_text(hand.format(on=on), encoding="utf-8")
        done = vsac("map", "propose", walk, "--app", "shop.vsa", "--format", "json", cwd=tmp_path)
        cells = [cell["id"] for screen in json.loads(done.stdout)["screens"] for cell in screen["cells"]]
        assert ("count" in cells) is proposed, on


def _rows(*rows: tuple[str, bool]) -> str:
    """Rows that no class of a list holds: a column with an id, its children with one id."""
    inner = "".join(
        f'<node package="com.t" class="Row" resource-id="com.t:id/slot" '
        f'bounds="[0,{100 * n + 100}][100,{100 * n + 200}]">'
        f'<node package="com.t" class="TextView" resource-id="com.t:id/time" text="{time}" '
        f'bounds="[0,{100 * n + 100}][50,{100 * n + 200}]"/>'
        f'<node package="com.t" class="Button" resource-id="com.t:id/choose" text="Choose" clickable="true" '
        f'enabled="{str(free).lower()}" bounds="[50,{100 * n + 100}][100,{100 * n + 200}]"/></node>'
        for n, (time, free) in enumerate(rows)
    )
    top = '<node package="com.t" class="TextView" resource-id="com.t:id/name" text="Sushi" bounds="[0,0][100,50]"/>'
    title = (
        '<node package="com.t" class="TextView" resource-id="com.t:id/slots_title" '
        f'text="Times on {rows[0][0]}" bounds="[0,50][100,100]"/>'
    )
    return (
        f'<hierarchy rotation="0"><node package="com.t" class="Column" resource-id="com.t:id/slots" '
        f'bounds="[0,100][100,900]">{inner}</node>{top}{title}</hierarchy>'
    )


def test_rows_alike_are_a_list_with_marks(vsac: Vsac, tmp_path: Path) -> None:
    looks = [_rows(("18:00", True), ("19:00", False)), _rows(("20:00", True), ("21:00", True))]
    walk = _walk(tmp_path / "w.jsonl", [(look, "com.t/.Main", None) for look in looks * 2])
    out = tmp_path / "times.vsa"
    done = vsac("map", "propose", walk, "-o", out, "--format", "json")
    assert done.returncode == 0, done.stderr
    (screen,) = json.loads(done.stdout)["screens"]  # a title in the middle of a screen names no other screen
    assert {(part["id"], part["attribute"]) for part in screen["lists"][0]["parts"]} == {
        ("choose", "enabled"),
        ("choose", "text"),
        ("time", "text"),
    }
    assert vsac("lint", "--strict", out).returncode == 0
    guard = Guard(load(out).program)
    guard.observe(TreeScreen(load_tree(looks[0], name="look"), app=("com.t", ".Main")))
    (name,) = (name for name, relation in guard.program.relations.items() if relation.sort == "list")
    assert sorted((row["time"], row["choose_enabled"]) for row in guard.rows(name)) == [
        ("18:00", True),
        ("19:00", False),
    ]


@pytest.mark.parametrize(
    "chooser", ['class="a.EditText"', 'class="a.T" selected="true"', 'class="a.Spinner"']
)
def test_what_may_be_filtered_is_not_complete(vsac: Vsac, tmp_path: Path, chooser: str) -> None:
    looks = [_rows(("18:00", True), ("19:00", False)), _rows(("20:00", True), ("21:00", True))]
    beside = f'<node {chooser} resource-id="com.t:id/by" package="com.t" bounds="[0,0][100,50]"/></hierarchy>'
    for number, shown in enumerate((looks, [look.replace("</hierarchy>", beside) for look in looks])):
        walk = _walk(tmp_path / f"w{number}.jsonl", [(look, "com.t/.Main", None) for look in shown * 2])
        out = tmp_path / f"times{number}.vsa"
        assert vsac("map", "propose", walk, "-o", out).returncode == 0
        assert ("\ncomplete " in out.read_text(encoding="utf-8")) is (number == 0)
