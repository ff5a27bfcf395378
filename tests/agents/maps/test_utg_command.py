"""`vsac map` as a user runs it."""

import json
from pathlib import Path

import pytest

from tests.agents.maps import making
from tests.agents.maps.making import NOTE, NOTES, tap, walk
from tests.agents.maps.test_utg import ROUND
from tests.pages import section
from vsalang.agents.maps.jsonform import read_file


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "notes.vsa").write_text(making.APP)
    walk(tmp_path / "one.jsonl", ROUND)
    walk(tmp_path / "two.jsonl", [(NOTES, tap(1)), (NOTE, tap(1)), (NOTES, None)])
    return tmp_path


def test_build_writes_a_map_that_other_commands_read(vsac, files: Path):
    built = vsac("map", "build", "notes.vsa", "one.jsonl", "-o", "n.utg.json", cwd=files)
    assert (built.returncode, built.stdout) == (0, "n.utg.json written: 3 screens, 4 edges: 4 tried\n")
    assert {*read_file(files / "n.utg.json").screens} == {"notes:Notes", "notes:Note", "notes:Menu"}
    again = vsac("map", "build", "one.jsonl", "-o", "n.utg.json", cwd=files)
    assert again.returncode == 2 and "exists already" in again.stderr
    shown = vsac("map", "show", "n.utg.json", cwd=files).stdout
    assert 'Notes\n  tap(id = "row")  -> Note  (worked 1 of 1 times)' in shown
    one = vsac("map", "show", "n.utg.json", "--screen", "Menu", cwd=files).stdout
    assert "any of notes" not in one and 'tap(node = ?n) if Node(node = ?n, text = "Close"' in one
    assert vsac("map", "show", "n.utg.json", "--screen", "Menus", cwd=files).returncode == 2


def test_maps_are_joined_and_compared(vsac, files: Path):
    for name, sources in (("a", ["one.jsonl"]), ("b", ["one.jsonl", "two.jsonl"])):
        assert vsac("map", "build", *sources, "-o", f"{name}.utg.json", cwd=files).returncode == 0
    same = vsac("map", "diff", "a.utg.json", "one.jsonl", cwd=files)
    assert (same.returncode, same.stdout) == (0, "the same screens and edges\n")
    other = vsac("map", "diff", "a.utg.json", "b.utg.json", cwd=files)
    assert other.returncode == 1 and "+ Main " in other.stdout and 'tap(id = "share")' in other.stdout
    data = json.loads(vsac("map", "diff", "a.utg.json", "b.utg.json", "--json", cwd=files).stdout)
    assert len(data["edges_added"]) == 1 and not data["same"]
    assert data["recounted"][0]["before"] == {"tried": 1, "worked": 1}


def test_coverage_says_how_much_is_known(vsac, files: Path):
    ran = vsac("map", "coverage", "one.jsonl", "two.jsonl", "--least", "60", cwd=files)
    assert ran.returncode == 1 and "steps known     1 of 2" in ran.stdout
    assert ran.stdout.endswith("50.0 % of the steps are known\n")
    named = vsac("map", "coverage", "notes.vsa", "one.jsonl", "--app", "notes.vsa", "--json", cwd=files)
    assert named.returncode == 0
    assert json.loads(named.stdout)["percent"] == 100


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["show", "nothing.jsonl"], "there is no nothing.jsonl"),
        (["show", "notes.vsa", "apps.settings"], "several app modules"),
        (["show", "bad.utg.json"], "version: this reader knows version 1 only"),
        (["way", "apps.settings", "Zzzzzz", "Main"], "`vsac map show` names the screens"),
        (["show", "cut.utg.json"], "cut.utg.json: line 1, column 2: not JSON"),
        (["build", "one.jsonl", "-o", "map.json"], "maps are called NAME.utg.json"),
        (
            ["build", "one.jsonl", "-o", "gone/map.utg.json"],
            "error: gone/map.utg.json: no such file or directory",
        ),
        (["coverage", "one.jsonl", "notes.vsa"], "no walks of a known format"),
    ],
)
def test_what_cannot_be_used_is_said(vsac, files: Path, args: list[str], said: str):
    (files / "bad.utg.json").write_text('{"format": "vsa-utg", "version": 7, "screens": [], "edges": []}')
    (files / "cut.utg.json").write_text("{")
    ran = vsac("map", *args, cwd=files)
    assert ran.returncode == 2
    assert said in " ".join((ran.stderr + ran.stdout).split())


def test_pictures_are_written(vsac, files: Path):
    drawn = vsac("map", "show", "notes.vsa", "--format", "svg", "-o", "n.svg", cwd=files)
    assert drawn.returncode == 0 and (files / "n.svg").read_text().startswith("<svg")
    assert vsac("map", "show", "notes.vsa", "--format", "dot", cwd=files).stdout.startswith("digraph utg {")


def test_what_is_printed_stands_on_the_page(vsac):
    page = section("map", "Maps")
    assert f"$ vsac map show apps.opentable\n{vsac('utg', 'show', 'apps.opentable').stdout}```" in page


def test_the_way_of_the_page_is_printed(vsac):
    page = section("map", "Maps")
    args = ("map", "way", "apps.settings", "Display", "Notifications")
    assert f"$ vsac {' '.join(args)}\n{vsac(*args).stdout}```" in page


def test_the_python_of_the_page_runs(tmp_path: Path):
    page = section("map", "Maps")
    code = "".join(part.split("```")[0] for part in page.split("```python\n")[1:])
    path = walk(tmp_path / "walk.jsonl", ROUND)
    names: dict[str, object] = {}
    exec(code.replace('"walk.jsonl"', repr(str(path))), names)
    assert names["edge"].source == "apps.settings:*"
    assert len(names["ways"].ways) == 1


def test_a_way_is_shown_step_by_step(vsac, files: Path):
    assert vsac("map", "build", "notes.vsa", "one.jsonl", "-o", "n.utg.json", cwd=files).returncode == 0
    ran = vsac("map", "way", "n.utg.json", "Note", "Menu", cwd=files)
    assert ran.returncode == 0 and ran.stdout.splitlines() == [
        "Note to Menu: 2 steps, 44% likely to work",
        "  1. back  -> Notes  (worked 1 of 1 times)",
        '  2. tap(label = "More")  -> Menu  (worked 1 of 1 times)',
    ]
    data = json.loads(vsac("map", "way", "n.utg.json", "Note", "Menu", "--json", cwd=files).stdout)
    assert [step["target"] for step in data["ways"][0]["steps"]] == ["notes:Notes", "notes:Menu"]


def test_near_screens_say_what_to_tap(vsac):
    ran = vsac("map", "way", "apps.settings", "Main", "Nowhere")
    assert ran.returncode == 1
    assert 'near: Display, by tap(text = "Display")' in ran.stdout


def test_a_policy_closes_a_way(vsac, files: Path):
    """Then it is said which rule denies, what is near, and that START must be known."""
    policy = 'policy p "p"\n@id("NO-1") deny "no menu: {?l}" when tap(label = "More", label = ?l).\n'
    (files / "p.vsa").write_text(policy)
    ran = vsac("map", "way", "notes.vsa", "Note", "Menu", "--policy", "p.vsa", cwd=files)
    assert ran.returncode == 1 and ran.stdout.splitlines() == [
        "no way is known",
        '  denied: tap(label = "More") on Notes -> Menu: NO-1: no menu: More',
        "  missing: a gesture that leads to Menu",
        "  near: Notes, by back",
    ]
    assert vsac("map", "way", "notes.vsa", "Nowhere", "Menu", cwd=files).returncode == 2
    unknown = vsac("map", "way", "notes.vsa", "anywhere", "Nope", cwd=files)
    assert unknown.returncode == 1 and "the map has no screen Nope" in unknown.stdout
