"""The examples of CONTRIBUTING.md are true: what a new operator and a new kind of condition touch."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
OPERATOR = GUIDE.partition("## An example: a new operator")[2].partition("\n## ")[0]
CONDITION = GUIDE.partition("## A new kind of condition")[2].partition("\n## ")[0]

APP = """\
app mails package "mails" "Mails"
state Mail key (id) "a mail" { id: Number, subject: Text }
action Reply(id: Number) "answer a mail"
deny "never" when Mail(subject = "Re: x", subject not begins "Re:").

test "mails" {
  given Mail(id = 1, subject = "Re: dinner"), Mail(id = 2, subject = "dinner").
}
"""
SPEC = """\
spec answer "Answer."
import mails
allow Reply when mails.Mail(id = 2, subject begins "Re:").
done when Reply earlier.

test "no answer" {
  given mails.Mail(id = 2, subject = "dinner").
  attempt Reply(id = 2) => allow.
}
"""


def changes() -> Iterator[tuple[str, str, str]]:
    """The file, the text and what takes its place, of each change of the example."""
    block = OPERATOR.partition("```diff\n")[2].partition("```")[0]
    for part in block.split("--- ")[1:]:
        name, _, lines = part.partition("\n")
        for old, new in re.findall(r"^-(.*)\n((?:\+.*\n)+)", lines, re.MULTILINE):
            yield name, old, "\n".join(line[1:] for line in new.splitlines())


def stated(section: str) -> int:
    found = re.search(r"touches (\d+) files", section)
    assert found is not None
    return int(found[1])


def test_an_operator_touches_as_many_files_as_stated() -> None:
    files = {name for name, _, _ in changes()}
    assert len(files) == stated(OPERATOR) <= 6


def test_the_new_operator_works_everywhere(tmp_path: Path) -> None:
    for folder in ("vsalang", "grammars", "stdlib", "app_specs"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for name, old, new in changes():
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert old in text, (name, old)
        (tmp_path / name).write_text(text.replace(old, new), encoding="utf-8")
    (tmp_path / "mails.vsa").write_text(APP, encoding="utf-8")
    (tmp_path / "answer.vsa").write_text(SPEC, encoding="utf-8")

    def vsac(*args: str) -> str:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "VSALANG_CACHE": "off"}
        command = [sys.executable, "-m", "vsalang.cli.main", *args]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=300
        )
        return done.stdout + done.stderr

    assert "no errors" in vsac("check", "mails.vsa")
    for engine in ("incremental", "pydatalog", "reference"):
        asked = 'Mail(id = ?id, subject begins "Re:")'
        said = vsac("query", "mails.vsa", asked, "--state", "mails.vsa", "--engine", engine)
        assert "?id = 1, because" in said and "1 row" in said, said
    assert 'seen "dinner", wanted begins "Re:"' in vsac("test", "answer.vsa")
    assert "beginning with" in vsac("describe", "answer.vsa")
    assert 'subject not begins "Re:"` cannot hold together' in vsac("verify", "mails.vsa")


def test_a_kind_of_condition_touches_as_many_files_as_stated() -> None:
    rows = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|$", CONDITION, re.MULTILINE)
    assert len(rows) == stated(CONDITION) <= 10
    for name, anchor in rows:
        assert anchor in (ROOT / name).read_text(encoding="utf-8"), (name, anchor)
    more = re.findall(r"`(vsalang/[\w/]+\.py)`", CONDITION.partition("meaning of its own")[2])
    assert len(more) == 13 and len({*more, *(name for name, _ in rows)}) == 19
    for name in more:
        assert re.search(r"\bEvery(?![a-z ])", (ROOT / name).read_text(encoding="utf-8")), name
