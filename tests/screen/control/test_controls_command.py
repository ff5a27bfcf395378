"""`vsac screen controls` as a user runs it."""

import json
from pathlib import Path

from tests.screen.control.making import node, text
from tests.screen.control.test_reduce import SCREENS

ROOT = Path(__file__).resolve().parents[3]
SETTINGS = str(next(path for path in SCREENS if path.name == "235.xml.gz"))


def test_the_table(vsac, golden) -> None:
    golden(vsac("screen", "controls", SETTINGS).stdout)


def test_the_page_shows_what_is_printed(vsac) -> None:
    page = (ROOT / "docs" / "reference" / "controls.md").read_text(encoding="utf-8")
    assert vsac("screen", "controls", ROOT / "tests" / "screen" / "control" / "settings.xml").stdout in page


def test_the_evidence_for_kinds(vsac) -> None:
    header, *lines = vsac("screen", "controls", SETTINGS, "--why").stdout.splitlines()
    assert header.split()[-1] == "why"
    assert any(" toggle " in line and "can be checked; class" in line for line in lines)


def test_json_says_all(vsac) -> None:
    (found,) = json.loads(vsac("screen", "controls", SETTINGS, "--json").stdout)
    assert found["kept"] == len(found["entries"]) < found["nodes"]
    units = [entry for entry in found["entries"] if entry["kind"]]
    assert {"label", "value", "section", "why", "parts", "taker", "bounds"} <= units[0].keys()
    parents = {entry["parent"] for entry in found["entries"]}
    assert parents <= {None, *(entry["unit"] for entry in found["entries"])}


def test_levels_and_several_files(vsac, tmp_path: Path) -> None:
    shown = [
        vsac("screen", "controls", SETTINGS, "--level", level).stdout
        for level in ("units", "control", "visible")
    ]
    assert [len(text.splitlines()) for text in shown] == sorted(len(text.splitlines()) for text in shown)
    bad = tmp_path / "bad.xml"
    bad.write_text("<hierarchy><node", encoding="utf-8")
    result = vsac("screen", "controls", SETTINGS, str(bad))
    assert result.returncode == 1
    assert "== " in result.stdout and str(bad) in result.stderr
    assert vsac("screen", "controls", str(tmp_path / "none.xml")).returncode == 2


def test_text_of_a_screen_steers_no_terminal(vsac, tmp_path: Path) -> None:
    dump = tmp_path / "evil.xml"
    dump.write_text(
        '<hierarchy><node bounds="[0,0][9,9]" class="a.B\u202e" clickable="true"'
        ' text="\u202eevil&#10;x\u009b31m"/></hierarchy>',
        encoding="utf-8",
    )
    for option in ("--why", "--json", "--level=visible"):
        shown = vsac("screen", "controls", str(dump), option).stdout
        assert not set(shown) & {"\u202e", "\u009b", "\x1b"}


def test_long_labels_are_cut_in_lines(vsac, tmp_path: Path) -> None:
    """A page of text is cut in every column and line; JSON stays whole."""
    page = "terms " * 900
    dump, later = tmp_path / "page.xml", tmp_path / "later.xml"
    shown = f"<hierarchy>{node('Button', text=page, clickable='true')}{text('Go', 300)}</hierarchy>"
    dump.write_text(shown, encoding="utf-8")
    (tmp_path / "look.vsa").write_text('spec look "Look."\ndone when Node(text = "Go").\n', encoding="utf-8")
    empty = tmp_path / "empty.xml"
    empty.write_text(f"<hierarchy>{text('Go', 300)}</hierarchy>", encoding="utf-8")
    graph = ("graph", str(dump), "--spec", str(tmp_path / "look.vsa"))
    for command in (("controls", str(dump)), ("delta", str(empty), str(dump)), graph):
        result = vsac(*command)
        assert '"terms terms' in result.stdout and "…" in result.stdout, result.stderr
        assert max(map(len, result.stdout.splitlines())) < 160
    assert page.strip() in vsac("screen", "controls", str(dump), "--json").stdout
    field = node("EditText", text="terms " * 100 + "a")
    dump.write_text(f"<hierarchy>{field}</hierarchy>", encoding="utf-8")
    later.write_text(f"<hierarchy>{field.replace('terms a', 'terms b')}</hierarchy>", encoding="utf-8")
    assert 'terms b"' in vsac("screen", "delta", str(dump), str(later)).stdout  # cut, both would be the same
