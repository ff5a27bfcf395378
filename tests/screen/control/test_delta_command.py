"""`vsac screen delta` as a user runs it."""

import json
from pathlib import Path

from tests.screen.control.test_controls_command import ROOT

BEFORE = ROOT / "tests" / "screen" / "control" / "settings.xml"


def changed(tmp_path: Path) -> Path:
    after = tmp_path / "after.xml"
    dump = BEFORE.read_text(encoding="utf-8")
    dump = dump.replace("Pixel 8", "Phone").replace('checked="true"', 'checked="false"')
    after.write_text(dump.replace('text="Reset"', 'text="Undo"'), encoding="utf-8")
    return after


def test_what_is_printed_stands_on_the_page(vsac, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "reference" / "controls.md").read_text(encoding="utf-8")
    shown = vsac("screen", "delta", BEFORE, changed(tmp_path)).stdout
    assert len(shown.splitlines()) == 5 and shown in page


def test_json_says_the_same(vsac, tmp_path: Path) -> None:
    found = json.loads(vsac("screen", "delta", BEFORE, changed(tmp_path), "--json").stdout)
    assert (found["transition"], found["scrolled"]) == ("PartialChange", [])
    assert [(each["attribute"], each["before"], each["after"]) for each in found["changed"]] == [
        ("checked", True, False),
        ("text", "Pixel 8", "Phone"),
    ]
    assert [ref["label"] for ref in found["appeared"] + found["gone"]] == ["Undo", "Reset"]


def test_the_exit_status(vsac, tmp_path: Path) -> None:
    after = changed(tmp_path)
    bad = tmp_path / "bad.xml"
    bad.write_text("no tree", encoding="utf-8")
    assert vsac("screen", "delta", BEFORE, after).returncode == 0
    assert vsac("screen", "delta", BEFORE, after, "--exit-code").returncode == 1
    assert vsac("screen", "delta", BEFORE, BEFORE, "--exit-code").returncode == 0
    assert vsac("screen", "delta", BEFORE, bad).returncode == 2
    assert vsac("screen", "delta", tmp_path / "none.xml", after, "--exit-code").returncode == 2


def test_text_of_a_screen_steers_no_terminal(vsac, tmp_path: Path) -> None:
    dump = tmp_path / "evil.xml"
    dump.write_text(
        '<hierarchy><node bounds="[0,0][9,9]" class="a.B\u202e" clickable="true" text="\u202eevil&#10;\u009b31m"/>'
        "</hierarchy>",
        encoding="utf-8",
    )
    for more in ((), ("--json",)):
        assert not set(vsac("screen", "delta", BEFORE, dump, *more).stdout) & {"\u202e", "\u009b", "\x1b"}
