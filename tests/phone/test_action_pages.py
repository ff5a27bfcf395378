"""The pages on actions and services: their tables are what the code does, their Python runs."""

import json
import re
from pathlib import Path

import pytest

from vsalang.phone.classify import Actions, Pass, Refuse, classify, classify_rpc
from vsalang.phone.classify.reads import FILTERS, READS
from vsalang.phone.vocabulary import FORMATS, Surface, read
from vsalang.phone.vocabulary.uiautomator2 import FORBIDDEN

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"
PAGE = (REFERENCE / "actions.md").read_text(encoding="utf-8")
SERVICES = (REFERENCE / "adb-services.md").read_text(encoding="utf-8")
EXAMPLES = Path(__file__).with_name("action_examples.jsonl")


@pytest.mark.parametrize("page", [PAGE, SERVICES], ids=["actions", "adb-services"])
def test_the_python_of_the_pages_runs(page):
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "page", "exec"), {})


def _code(cell):
    return [
        found.replace("\\|", "|").replace("⏎", "\n")
        for found in re.findall(r"`([^`]+)`", cell.replace("``", ""))
    ]


def _rows():
    for section in re.split(r"^### ", PAGE, flags=re.MULTILINE)[1:]:
        (format,) = re.findall(r"`([\w-]+)`", section.splitlines()[0])
        for line in section.splitlines():
            if line.startswith("| `"):
                left, _, right = line.strip("| ").partition(" | ")
                yield format, left, right


def test_the_tables_of_actions_are_the_examples():
    """Each row is read as it says, each example has its row, in each format."""
    rows = list(_rows())
    assert {format for format, _, _ in rows} == set(FORMATS)
    assert len(rows) == len(EXAMPLES.read_text(encoding="utf-8").splitlines())
    surface = Surface(1000, 2000, lambda index: {"node": index})
    for format, left, right in rows:
        if "```" in left:
            continue  # a fence in a table is not a code to read back
        (said,) = _code(left)
        found = [str(action) for action in read(format, said, surface)]
        assert found == (_code(right) if "`" in right else []), said


def test_the_commands_that_read_are_named():
    table = next(line for line in SERVICES.splitlines() if line.startswith("| `cat`"))
    named = {word.split()[0] for word in re.findall(r"`([^`]+)`", table)} - {"Pass"}
    known = {*READS, *FILTERS, "cmd", "content", "["}
    assert {name for name in named if not name.startswith("/")} <= known
    unnamed = {"am", ":", "egrep", "fgrep", "getenforce", "nproc", "pwd", "cat"}
    assert known - named <= unnamed


def test_the_commands_that_are_refused_are():
    table = next(line for line in SERVICES.splitlines() if line.startswith("| `input` that"))
    for command in re.findall(r"`([^`]+)`", table):
        setting = command.endswith(("_services", "_enabled", "_timeout"))
        if command not in ("input", "monkey", "Refuse") and not setting:
            assert isinstance(classify(f"shell:{command} x"), Refuse), command


def test_the_calls_that_are_refused_are_named():
    section = SERVICES.partition("## Calls to uiautomator2's server")[2]
    for method in FORBIDDEN:
        assert f"`{method}`" in section
        call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": []})
        assert isinstance(classify_rpc(call), Refuse)


def test_what_the_page_says_of_everything_else():
    for command in (
        "am start -a android.intent.action.CALL -d tel:1",
        "am force-stop a.b",
        "pm clear a.b",
        "svc x y",
    ):
        found = classify(f"shell:{command}")
        assert isinstance(found, Actions)
        assert [action.name for action in found.actions] == ["shell"]
    assert isinstance(classify("framebuffer:"), Pass)
