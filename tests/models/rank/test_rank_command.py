"""`vsac rank candidates` as a user runs it."""

import json
from pathlib import Path

from tests.models.rank.screens import MAIL, ROOT

MAIL_SCREEN = ("rank", "candidates", "compose.xml", "--spec", "invite.vsa")


def test_the_page_shows_what_is_printed(vsac) -> None:
    page = (ROOT / "docs" / "reference" / "rank.md").read_text(encoding="utf-8")
    shown = vsac(*MAIL_SCREEN, "--why-not", cwd=MAIL)
    assert shown.returncode == 0 and shown.stdout in page


def test_candidates_as_json(vsac, golden) -> None:
    golden(vsac(*MAIL_SCREEN, "--why-not", "--json", cwd=MAIL).stdout, "rank/candidates.json")


def test_the_shipped_scorer_orders_them(vsac) -> None:
    result = vsac(*MAIL_SCREEN, "--ranked", "--json", cwd=MAIL)
    rows = json.loads(result.stdout)["candidates"]
    assert [row["score"] for row in rows] == sorted((row["score"] for row in rows), reverse=True)
    assert all(row["why"] and row["verdict"] != "block" for row in rows)
    assert "share  score" in vsac(*MAIL_SCREEN, "--ranked", cwd=MAIL).stdout


def test_a_screen_without_a_control(vsac, tmp_path: Path) -> None:
    empty = tmp_path / "empty.xml"
    empty.write_text('<hierarchy rotation="0"></hierarchy>', encoding="utf-8")
    result = vsac("rank", "candidates", empty, "--spec", "invite.vsa", "--json", cwd=MAIL)
    assert result.returncode == 0, result.stderr
    kinds = [row["kind"] for row in json.loads(result.stdout)["candidates"]]
    assert kinds == ["open_app", "wait", "back"]


def test_what_cannot_be_read_is_said(vsac, tmp_path: Path) -> None:
    bad = tmp_path / "bad.xml"
    bad.write_text("<hierarchy><node", encoding="utf-8")
    assert vsac("rank", "candidates", bad, "--spec", "invite.vsa", cwd=MAIL).returncode == 1
    assert vsac("rank", "candidates", "none.xml", "--spec", "invite.vsa", cwd=MAIL).returncode == 2
    wrong = tmp_path / "wrong.vsa"
    wrong.write_text("spec wrong", encoding="utf-8")
    assert vsac("rank", "candidates", "compose.xml", "--spec", wrong, cwd=MAIL).returncode == 2
