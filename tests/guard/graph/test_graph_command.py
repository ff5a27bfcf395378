"""`vsac screen order` as a user runs it."""

import json
import re
from pathlib import Path

from tests.guard.graph.phone import MAIL

ROOT = Path(__file__).resolve().parents[3]
GRAPH = ("graph", "compose.xml", "--spec", "invite.vsa")


def test_the_page_shows_what_is_printed(vsac) -> None:
    page = (ROOT / "docs" / "reference" / "graph.md").read_text(encoding="utf-8")
    table, why = vsac(*GRAPH, cwd=MAIL), vsac(*GRAPH, "--why", "--plan", "to,send", cwd=MAIL)
    assert table.returncode == 0 and why.returncode == 1
    assert table.stdout in page
    assert why.stdout.split("\n\n", 1)[1] in page
    spec = (MAIL / "invite.vsa").read_text(encoding="utf-8")
    assert spec in page


def test_graph_for_graphviz(vsac, golden) -> None:
    golden(vsac(*GRAPH, "--format", "dot", cwd=MAIL).stdout)


def test_graph_as_json(vsac, golden) -> None:
    result = vsac(*GRAPH, "--json", "--plan", "to,check,subject,copy,send,finish", cwd=MAIL)
    assert result.returncode == 0
    golden(result.stdout)
    edges = json.loads(result.stdout)["edges"]
    assert all(edge["written_by"] and edge["why"] for edge in edges)


def test_an_app_alone_has_a_graph(vsac) -> None:
    result = vsac(
        "screen", "order", "compose.xml", "--spec", "mail.vsa", "--plan", "to,subject,send", cwd=MAIL
    )
    assert result.returncode == 0 and result.stdout.endswith("\nadmissible\n")
    screen = vsac(
        "screen",
        "order",
        ROOT / "tests" / "screen" / "control" / "settings.xml",
        "--spec",
        "mail.vsa",
        cwd=MAIL,
    )
    assert "no control of this screen writes" in screen.stdout


def test_what_cannot_be_read_is_said(vsac, tmp_path: Path) -> None:
    unit = vsac(*GRAPH, "--plan", "sned", cwd=MAIL)
    assert unit.returncode == 2 and 'no unit "sned"' in unit.stderr and "`send`" in unit.stderr
    bad = tmp_path / "bad.xml"
    bad.write_text("<hierarchy><node", encoding="utf-8")
    assert vsac("screen", "order", bad, "--spec", "invite.vsa", cwd=MAIL).returncode == 1
    assert vsac("screen", "order", "none.xml", "--spec", "invite.vsa", cwd=MAIL).returncode == 2
    wrong = tmp_path / "wrong.vsa"
    wrong.write_text("spec wrong", encoding="utf-8")
    assert vsac("screen", "order", "compose.xml", "--spec", wrong, cwd=MAIL).returncode == 2


def test_words_of_a_screen_end_no_string(vsac, tmp_path: Path) -> None:
    said = (MAIL / "compose.xml").read_text(encoding="utf-8")
    evil = tmp_path / "evil.xml"
    evil.write_text(said.replace('text="Send"', 'text="&quot;]; evil [&#10;\u202e"'), encoding="utf-8")
    for option in ("--why", "--format=dot", "--json"):
        assert "\u202e" not in vsac("screen", "order", evil, "--spec", "invite.vsa", option, cwd=MAIL).stdout
    dot = vsac("screen", "order", evil, "--spec", "invite.vsa", "--format=dot", cwd=MAIL).stdout
    outside = re.sub(r'"(\\.|[^"\\])*"', "", dot)
    assert "evil" in dot and "evil" not in outside
