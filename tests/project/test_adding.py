"""The examples of CONTRIBUTING.md are true: what a new operator and a new kind of condition touch."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from vsalang.base.names import ENGINES

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


MOST = Path(__file__).with_name("most.diff").read_text(encoding="utf-8")
"""The changes that add `most A has (..)`: of the rows that match A more than half fit the constraints."""

BOXES = """\
app boxes package "boxes" "Boxes"
state Box key (id) "a box" { id: Number, kind: Text, full: Bool }
action Send(kind: Text) "send what there is of a kind"
define Heavy(kind = ?k) when Box(kind = ?k), most Box(kind = ?k) has (full = true).
define Never when most Box(full = true) has (full = false).

test "boxes" {
  given Box(id = 1, kind = "a", full = true),
        Box(id = 2, kind = "a", full = true),
        Box(id = 3, kind = "a", full = false),
        Box(id = 4, kind = "b", full = true),
        Box(id = 5, kind = "b", full = false).
}
"""
SENDING = """\
spec sending "Send them."
import boxes
allow 2 Send(kind = ?k) when Box(kind = ?k), most Box(kind = ?k) has (full = true).
done when Send earlier.

test "not all are known" {
  given Box(id = 1, kind = "a", full = true), Box(id = 2, kind = "a", full = true),
        Box(id = 3, kind = "a", full = false).
  attempt Send(kind = "a") => block.
  observe complete Box.
  attempt Send(kind = "a") => allow.
}
"""


def changes(block: str) -> Iterator[tuple[str, str, str]]:
    """The file, the text and what takes its place, of each change of an example."""
    for part in re.split(r"^--- ", block, flags=re.MULTILINE)[1:]:
        name, _, lines = part.partition("\n")
        for old, new in re.findall(r"^-(.*)\n((?:\+.*\n)+)", lines, re.MULTILINE):
            yield name, old, "\n".join(line[1:] for line in new.splitlines())


OPERATOR_CHANGES = list(changes(OPERATOR.partition("```diff\n")[2].partition("```")[0]))
CONDITION_CHANGES = list(changes(MOST))


DECIDING = ("vsalang/engine/", "tests/oracle/", "vsalang/proof/")
"""What decides conditions of the core."""


def stated(section: str) -> int:
    found = re.search(r"touches (\d+) files", section)
    assert found is not None
    return int(found[1])


def test_an_operator_touches_as_many_files_as_stated() -> None:
    files = {name for name, _, _ in OPERATOR_CHANGES}
    assert len(files) == stated(OPERATOR) <= 6


RUNS = """
import json, sys
from tests.commands import vsac
from tests.tools.ask.places import by_reference
from vsalang.tools.cli.situations import load_place, situation_of
for command, *words in json.load(sys.stdin):
    if command == "by the reference":
        file, body = words
        place = load_place(file, ())
        situation = situation_of(place, (file,), "", None, None)
        said = repr(sorted(by_reference(place, situation, place.question(body))))
    else:
        done = vsac(command, *words, cwd=".")
        said = done.stdout + done.stderr
    print(json.dumps(said))
"""


def changed(folder: Path, made: list[tuple[str, str, str]]) -> Callable[..., list[str]]:
    """A copy of the project with changes; the function runs lines of `vsac` of it in the folder, in one process.

    What is compiled is copied, too: of a source that is changed it is not used.
    """
    for name in ("vsalang", "tests/oracle", "grammars", "stdlib", "app_specs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("*-pytest-*"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    for name, old, new in made:
        text = (folder / name).read_text(encoding="utf-8")
        assert old in text, (name, old)
        (folder / name).write_text(text.replace(old, new), encoding="utf-8")

    def vsac(*lines: list[str]) -> list[str]:
        environment = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "VSALANG_CACHE": "off"}
        done = subprocess.run(
            [sys.executable, "-c", RUNS],
            input=json.dumps(lines),
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    return vsac


@pytest.mark.soak
def test_the_new_operator_works_everywhere(tmp_path: Path) -> None:
    vsac = changed(tmp_path, OPERATOR_CHANGES)
    (tmp_path / "mails.vsa").write_text(APP, encoding="utf-8")
    (tmp_path / "answer.vsa").write_text(SPEC, encoding="utf-8")
    question = ["mails.vsa", 'Mail(id = ?id, subject begins "Re:")']
    checked, *answers, reference, tested, described, verified = vsac(
        ["check", "mails.vsa"],
        *(["query", *question, "--state", "mails.vsa", "--engine", engine] for engine in ENGINES),
        ["by the reference", *question],
        ["test", "answer.vsa"],
        ["describe", "answer.vsa"],
        ["prove", "verify", "mails.vsa"],
    )
    assert "no errors" in checked
    assert len(answers) == len(ENGINES)
    for said in answers:
        assert "?id = 1, because" in said and "1 row" in said, said
    assert reference == "[(1,)]"
    assert 'seen "dinner", wanted begins "Re:"' in tested
    assert "beginning with" in described
    assert 'subject not begins "Re:"` cannot hold together' in verified


def test_a_condition_kind_touches_the_stated_files() -> None:
    """One that others can express touches the first ones of the table, one with a meaning of its own all of them."""
    rows = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", CONDITION, re.MULTILINE)
    for name, anchor in rows:
        assert anchor in (ROOT / name).read_text(encoding="utf-8"), (name, anchor)
    assert {name for name, _ in rows} == {name for name, _, _ in CONDITION_CHANGES}
    stated_ = [int(number) for number in re.findall(r"touches (\d+) files", CONDITION)]
    assert stated_ == [
        len([name for name, _ in rows if not name.startswith(DECIDING)]) - 1,
        len(rows),
    ]
    assert len(rows) <= 10


@pytest.mark.soak
def test_the_new_condition_works_everywhere(tmp_path: Path) -> None:
    """Checked, answered alike by the engines, explained, described, formatted, judged and verified."""
    vsac = changed(tmp_path, CONDITION_CHANGES)
    (tmp_path / "boxes.vsa").write_text(BOXES, encoding="utf-8")
    (tmp_path / "sending.vsa").write_text(SENDING, encoding="utf-8")
    half = SENDING.replace("spec sending", "spec half").replace(
        "id = 2", 'id = 2, kind = "a", full = false), Box(id = 4'
    )
    (tmp_path / "half.vsa").write_text(half, encoding="utf-8")
    question = ["boxes.vsa", "Heavy(kind = ?k)"]
    *answers, reference, passed, refused, described, written, verified = vsac(
        *(["query", *question, "--state", "boxes.vsa", "--engine", engine] for engine in ENGINES),
        ["by the reference", *question],
        ["test", "boxes.vsa", "sending.vsa"],
        ["test", "half.vsa"],
        ["describe", "sending.vsa"],
        ["fmt", "--diff", "boxes.vsa"],
        ["prove", "verify", "boxes.vsa"],
    )
    assert len(answers) == len(ENGINES)
    for said in answers:
        assert '?k = "a", because' in said and "1 row" in said, said
    assert reference == "[('a',)]"
    assert "2 passed" in passed
    assert "is not allowed by this rule: full (Box.full): seen false, wanted = true" in refused
    assert "for most of all boxes with the same kind, it is full" in described
    assert written == ""
    assert "`most Box(full = true) has (full = false)` cannot hold" in verified
