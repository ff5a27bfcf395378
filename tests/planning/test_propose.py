"""`vsac utg propose`: a draft of an app module, learnt from recordings."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from vsalang.semantics import load_text

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
    done = vsac("utg", "propose", walk, "-o", out)
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
    assert vsac("utg", "propose", walk, "-o", out).returncode == 2  # it exists


def test_nothing_known_is_proposed_again(vsac: Vsac, walk: Path, tmp_path: Path) -> None:
    first, more = tmp_path / "first.vsa", tmp_path / "more.vsa"
    assert vsac("utg", "propose", walk, "-o", first).returncode == 0
    done = vsac("utg", "propose", walk, "--app", first, "-o", more)
    assert done.returncode == 1, more.read_text(encoding="utf-8")
    assert not more.exists()


def test_a_draft_as_json_holds_its_module(vsac: Vsac, walk: Path) -> None:
    data = json.loads(vsac("utg", "propose", walk, "--format", "json").stdout)
    assert data["version"] == 1 and len(data["screens"]) == 3
    assert load_text(data["module"]).ok
    assert {(way["tried"], way["worked"]) for way in data["ways"]} >= {(4, 4), (4, 3), (4, 1)}


def test_what_cannot_be_learnt_from_is_said(vsac: Vsac, walk: Path, tmp_path: Path) -> None:
    assert "was not seen" in vsac("utg", "propose", walk, "--package", "com.other").stderr
    assert "there is no" in vsac("utg", "propose", tmp_path / "none").stderr
    assert "cannot name a module" in vsac("utg", "propose", walk, "-o", tmp_path / "a-b.vsa").stderr
