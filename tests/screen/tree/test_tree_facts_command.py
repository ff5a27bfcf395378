"""`vsac screen facts` as a user runs it."""

import gzip
import json

import pytest
from click.testing import CliRunner, Result

from vsalang.tools.cli.facts import command

DUMP = """<hierarchy rotation="0">
 <node bounds="[0,0][1080,2400]" class="android.widget.FrameLayout" clickable="false" scrollable="false" enabled="true"
       long-clickable="false">
  <node bounds="[0,0][1080,200]" class="android.widget.TextView" text="Größe 漢字" clickable="false" scrollable="false"
        enabled="true" resource-id="com.a:id/title" long-clickable="false"/>
  <node bounds="[0,200][1080,400]" class="android.widget.Switch" text="Wi-Fi ON" clickable="true" checkable="true"
        checked="true" enabled="false" scrollable="false" long-clickable="true" content-desc="a&#10;b"/>
  <node bounds="[0,300][1080,500]" class="android.view.View" clickable="false" scrollable="false" enabled="true"
        long-clickable="false"/>
 </node>
</hierarchy>"""


@pytest.fixture
def dump(tmp_path):
    path = tmp_path / "screen.xml"
    path.write_text(DUMP, encoding="utf-8")
    return str(path)


def run(*args: str, stdin: bytes | None = None) -> Result:
    result = CliRunner().invoke(command, list(args), input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def test_the_table(dump: str) -> None:
    result = run(dump)
    assert result.exit_code == 0
    expected = """
node  parent  class        id     text          desc    label         flags                        bounds
   1          FrameLayout                               "Größe 漢字"                               0,0 1080,2400
   2       1  TextView     title  "Größe 漢字"          =                                          0,0 1080,200
   3       1  Switch              "Wi-Fi ON"    "a\\nb"  =             click long checked disabled  0,200 1080,400
   4       1  View                                                                                 0,300 1080,500
"""
    assert result.stdout == expected.lstrip()


def test_all_attributes_and_other_relations(dump: str) -> None:
    result = run(dump, "--all")
    assert result.exit_code == 0 and "resource_id" in result.stdout and '"com.a:id/title"' in result.stdout
    assert run(dump, "--relation", "Caption").stdout == 'control  text\n      3  "Wi-Fi"\n'
    assert run(dump, "--relation", "Fits").stdout.split() == ["node", "1", "2", "4"]
    empty = run("-", "--relation", "Caption", stdin=b"<hierarchy/>")
    assert (empty.exit_code, empty.stdout) == (0, "no rows\n")


def test_json(dump: str) -> None:
    (result,) = json.loads(run(dump, "--format", "json").stdout)
    assert (result["file"], result["relation"]) == (dump, "Node")
    assert result["rows"][1]["text"] == "Größe 漢字" and "desc" not in result["rows"][1]
    (tapped,) = json.loads(run(dump, "--format", "json", "--tap", "540,350").stdout)
    assert (tapped["tap"]["node"], tapped["tap"]["leaf"], tapped["tap"]["covered"]) == (3, 4, True)


def test_tap(dump: str) -> None:
    text = run(dump, "--tap", "540,350").stdout
    assert text.startswith(
        "node 3 takes a touch at (540, 350)\ndrawn last there is node 4 (View)\nthe tree does not settle"
    )
    assert "nothing is known to take a touch at (5, 5)" in run(dump, "--tap", "5,5").stdout
    off = run(dump, "--tap", "5,9999")
    assert off.exit_code == 1 and "lies on no window" in off.stderr
    for bad in ("5", "a,b", "1.5,2", "", "1,2,3"):
        assert run(dump, "--tap", bad).exit_code == 2


def test_several_files_and_packed_ones(dump: str, tmp_path) -> None:
    packed = tmp_path / "b.xml.gz"
    packed.write_bytes(gzip.compress(DUMP.encode("utf-16")))
    result = run(dump, str(packed), "--relation", "Window")
    assert result.exit_code == 0 and result.stdout.count("== ") == 2 and str(packed) in result.stdout


def test_standard_input() -> None:
    for data in (DUMP.encode(), gzip.compress(DUMP.encode())):
        assert '"Wi-Fi ON"' in run("-", stdin=data).stdout
    result = run("-", stdin=(DUMP + DUMP).encode())
    assert result.exit_code == 0 and "note: <stdin>: holds 2 hierarchies" in result.stderr


def test_no_dump_exits_1_and_unreadable_2(dump: str, tmp_path) -> None:
    (tmp_path / "bad.xml").write_text("<html>\x1b[2J</html>")
    bad, gone = str(tmp_path / "bad.xml"), str(tmp_path / "gone.xml")
    result = run(bad, dump)
    assert result.exit_code == 1 and "Wi-Fi" in result.stdout  # the others are still shown
    assert f"error: {bad}: not a UI dump" in result.stderr and "\x1b" not in result.stderr
    result = run(gone, bad)
    assert result.exit_code == 2 and f"cannot read {gone}: no such file" in result.stderr
    assert run(str(tmp_path)).exit_code == 2
    assert run("a\0b").exit_code == 2
    assert run().exit_code == 2
    (nothing,) = [json.loads(run(bad, "--format", "json").stdout)]
    assert nothing == []


def test_an_unknown_relation_is_suggested_a_name(dump: str) -> None:
    result = run(dump, "--relation", "Captoin")
    assert (
        result.exit_code == 2 and "Caption" in result.output and "says nothing of `Captoin`" in result.output
    )


def test_texts_cannot_steer_the_terminal() -> None:
    node = '<node bounds="[0,0][9,9]" text="a\u202eb\u200b" resource-id="\u2028x" class="\u009b31m"/>'
    evil = f"<hierarchy>{node}</hierarchy>"
    out = run("-", stdin=evil.encode()).stdout
    assert not set(out) & set("\u202e\u200b\u2028\u009b")
    assert "\\u{202E}" in out


def test_accessibility_trees_as_json(tmp_path) -> None:
    path = tmp_path / "state.json"
    tree = {
        "className": "a.Button",
        "text": "Pay",
        "isClickable": True,
        "boundsInScreen": {"right": 90, "bottom": 90},
    }
    path.write_text(
        json.dumps({"a11y_tree": tree, "phone_state": {"packageName": "com.a"}}), encoding="utf-16"
    )
    assert '"Pay"' in run(str(path)).stdout
    assert run(str(path), "--relation", "App").stdout.split() == ["package", "activity", '"com.a"']
    assert run("-", "--tap", "5,5", stdin=gzip.compress(path.read_bytes())).stdout.startswith(
        "node 1 takes a touch"
    )
    elements = [{"text": "Pay", "bbox_pixels": {"x_min": 0, "x_max": 9, "y_min": 0, "y_max": 9}}]
    result = run("-", stdin=json.dumps(elements).encode())
    assert result.exit_code == 0 and "note: <stdin>: holds elements without their tree" in result.stderr
    path.write_text('{"windows": [{"tree": {"nodes": [{"text": 5}]}}]}')
    result = run(str(path))
    assert result.exit_code == 1
    assert f"error: {path}: windows[0].tree.nodes[0].text is a number, but must be text" in result.stderr
    path.write_text('[{"bbox_pixels":\n')
    assert f"error: {path}:2: broken JSON" in run(str(path)).stderr


LOST = """<hierarchy rotation="0">
 <node bounds="[0,0][1080,2400]" class="android.widget.FrameLayout" clickable="false" scrollable="false" enabled="true"
       long-clickable="false">
  <node bounds="[0,200][1080,400]" class="android.widget.Button" text="Continue" clickable="true" enabled="true"/>
  <node bounds="[0,0][0,0]" class="android.widget.Button" text="Pay now" clickable="true" resource-id="com.a:id/pay"/>
  <node bounds="[0,0][9,9]" class="android.view.View" visible-to-user="false"/>
 </node>
</hierarchy>"""


def test_what_has_no_visible_area_is_listed() -> None:
    result = run("-", stdin=LOST.encode())
    _, _, lost = result.stdout.partition("without a visible area:\n")
    assert [line.split() for line in lost.splitlines()] == [
        ["place", "parent", "class", "id", "text", "why", "bounds"],
        ["3", "1", "Button", "pay", '"Pay', 'now"', "empty", "0,0", "0,0"],
        ["4", "1", "View", "hidden", "0,0", "9,9"],
    ]
    assert (
        result.stderr
        == "note: <stdin>: 1 node has no area that can be right: it may show elsewhere, and both ways are judged\n"
    )
    (data,) = json.loads(run("-", "--format", "json", stdin=LOST.encode()).stdout)
    assert [(item["place"], item["why"]) for item in data["lost"]] == [(3, "empty"), (4, "hidden")]
    assert len(data["rows"]) == 2
    tapped = run("-", "--tap", "500,300", stdin=LOST.encode()).stdout
    assert 'node 3 (Button "Pay now") may lie there: its box cannot be right' in tapped
    (data,) = json.loads(run("-", "--tap", "500,300", "--format", "json", stdin=LOST.encode()).stdout)
    assert [(cells["node"], cells["covered"]) for cells in data["perhaps"]] == [(3, True)]


def test_a_dump_without_such_nodes_lists_none(dump: str) -> None:
    assert "without a visible area" not in run(dump).stdout
    (data,) = json.loads(run(dump, "--format", "json").stdout)
    assert set(data) == {"file", "relation", "rows"}
