"""What the page on journals says is so: its scripts run, its tables are complete, its outputs are what is printed."""

import os
import re

from tests import processes
from tests.guard.journal.conftest import ROOT, vsac
from tests.guard.journal.test_schema import KINDS, SCHEMA
from tests.pages import section
from vsalang.guard.journal.file import LAZY
from vsalang.guard.journal.timeline import KINDS as FILTERS
from vsalang.tools.cli import show

PAGE = ROOT / "docs" / "reference" / "journal.md"
TEXT = PAGE.read_text(encoding="utf-8")
COMMANDS = PAGE.parents[1] / "commands" / "journal.md"


def blocks(language, text=TEXT):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def table(heading):
    section = TEXT.split(f"\n{heading}\n", 1)[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")][1:]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines]


def refreshed(old, new, page=PAGE):
    if old != new and os.environ.get("UPDATE_DOCS") == "1":
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace(old, new, 1), encoding="utf-8")
    else:
        assert old == new, "is the new output right? then UPDATE_DOCS=1 writes it"


def test_the_script():
    (script,) = blocks("python")
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    result = processes.run(["-c", script], cwd=ROOT, env=env)
    assert result.returncode == 0, result.stderr
    refreshed(blocks("text")[0], result.stdout)


def test_the_output_of_show(demo):
    (shown,) = blocks("console", COMMANDS.read_text(encoding="utf-8"))
    command = re.match(r"\$ vsac (.*)\n", shown)
    args = command[1].replace("session.jsonl", str(demo)).split()
    output = re.sub(r"[0-9a-f]{64}", "HASH", vsac(*args).stdout)
    output = re.sub(r"vsac \d[\w.]*,", "vsac 0.1.0,", output)
    refreshed(shown.partition("\n")[2], output, COMMANDS)


def test_every_record_and_what_it_holds():
    documented = {row[0].strip("`"): set(re.findall(r"`(\w+)`", row[2])) for row in table("### Records")}
    assert set(documented) == KINDS
    common = {"v", "n", "kind", "at", "prev", "hash", "mode"}
    for kind, names in documented.items():
        fields = set(SCHEMA["$defs"][kind]["properties"]) - common
        assert fields <= names, kind


def test_what_can_be_asked_for():
    lines = section("journal", "`vsac journal show`").splitlines()
    line = next(line for line in lines if line.startswith("* `--only"))
    assert [word for word in re.findall(r"`(\w+)`", line) if word in FILTERS] == list(FILTERS)
    assert list(show._KINDS) == list(FILTERS)


def test_what_is_not_forced():
    row = next(row for row in table("## What is on the disk when") if "effects" in row[0])
    assert set(re.findall(r"`(\w+)`", row[1])) == LAZY
