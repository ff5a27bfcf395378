"""`vsac journal certify`: what people and machines are told of the actions of a recorded session."""

import json
import re
from pathlib import Path

import jsonschema_rs
import pytest

from tests.guard.journal.conftest import ROOT, vsac
from tests.snapshots import golden
from vsalang.base.resources import resource_dir
from vsalang.guard.memory.certifying import RECORDED


@pytest.mark.slow
def test_the_table_and_all_that_is_known(demo: Path) -> None:
    told = [vsac("journal", "certify", demo, *more) for more in ((), ("--short",), ("--long",))]
    assert [each.returncode for each in told] == [0, 0, 0]
    text = "\n".join(each.stdout for each in told)
    golden(re.sub(r"(program +)[0-9a-f]{12}", r"\1HASH", text), "journal/certify.txt")


def test_for_machines(demo: Path) -> None:
    """The documents fit their schema; an action of a task has its proof and its contracts."""
    data = json.loads(vsac("journal", "certify", demo, "--json").stdout)
    schema = json.loads((resource_dir("docs") / "reference" / "certificate.schema.json").read_text())
    validator = jsonschema_rs.Draft202012Validator(schema)
    assert all(validator.is_valid(each) for each in data["certificates"])
    booked, end = data["certificates"][-2:]
    assert [each["relation"].rpartition(".")[2] for each in booked["state"]] == ["Slot"] * 4
    assert [each["outcome"] for each in booked["contracts"]] == ["met", "met"]
    assert booked["key"]["module"] and booked["confidence"] == "high"
    assert [each["text"] for each in end["prerequisites"]] == ["Reserve earlier"]


def test_only_some_of_them(demo: Path) -> None:
    # the demo ends with `finish`, which is not an action without effect
    assert vsac("journal", "certify", demo, "--only", "no-effect").stdout == "no action of that kind\n"
    assert vsac("journal", "certify", demo, "--only", "unexpected").stdout == "no action of that kind\n"
    assert vsac("journal", "certify", demo, "--only", "nonsense").returncode == 2


def test_a_walk_has_certificates_without_verdicts(tmp_path: Path) -> None:
    walk = tmp_path / "walk.jsonl"
    dump = (ROOT / "tests" / "screen" / "control" / "settings.xml").read_text()
    first = {"screen": dump, "app": "com.android.settings", "action": {"action_type": "navigate_back"}}
    steps = [first, {"screen": dump, "action": None}]
    walk.write_text("".join(json.dumps(each) + "\n" for each in steps))
    told = vsac("journal", "certify", walk, "--json")
    (found,) = json.loads(told.stdout)["certificates"]
    assert (found["level"], found["effect"]["transition"]) == (None, "NoChange")
    assert (found["confidence"], found["effect"]["certain"]) == ("low", False)
    assert vsac("journal", "certify", walk, "--only", "no-effect", "--short").stdout.endswith(
        "nothing changed, not certain (as it was recorded: nobody knows whether the screens were at rest)\n"
    )
    file = ("--memory", tmp_path / "certificates.sqlite")
    left = vsac("memory", "certificates", "add", walk, *file).stdout
    assert left.startswith("0 certificates") and "1 left out: nobody knows" in left and "--recorded" in left
    assert vsac("memory", "certificates", "add", walk, "--recorded", *file).stdout.startswith(
        "1 certificate "
    )
    assert "as it was recorded" in vsac("memory", "certificates", "list", *file).stdout


def test_a_walk_that_was_followed_is_recorded(tmp_path: Path) -> None:
    """Its journal claims no more of its screens than the walk; a contract that was decided is."""
    walk = tmp_path / "walk.jsonl"
    dump = (ROOT / "tests" / "screen" / "control" / "settings.xml").read_text()
    steps = [{"screen": dump, "action": {"action_type": "navigate_back"}}, {"screen": dump}]
    walk.write_text("".join(json.dumps(each) + "\n" for each in steps))
    made = vsac("record", "--walk", walk, "-o", tmp_path / "out")
    assert made.returncode == 0, made.stderr
    (journal,) = (tmp_path / "out").iterdir()
    certificates = json.loads(vsac("journal", "certify", journal, "--json").stdout)["certificates"]
    assert [each["effect"]["doubt"] for each in certificates] == [RECORDED]


def test_what_cannot_be_certified(tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("nothing")
    told = vsac("journal", "certify", other)
    assert told.returncode == 2 and "holds no walks" in told.stderr
    assert vsac("journal", "certify", other, "--short", "--json").returncode == 2


def test_short_and_long_exclude_each_other(demo: Path) -> None:
    told = vsac("journal", "certify", demo, "--short", "--long")
    assert (told.returncode, told.stdout) == (
        2,
        "",
    ) and "--short and --long exclude each other" in told.stderr


def test_the_memory_of_a_journal(demo: Path, tmp_path: Path) -> None:
    file = ("--memory", tmp_path / "certificates.sqlite")

    def memory(*args: object) -> str:
        told = vsac("memory", "certificates", *args, *file)
        assert told.returncode == 0, told.stderr
        return told.stdout

    assert memory("list").startswith("nothing remembered in ")
    assert memory("add", demo).startswith("8 certificates remembered in ")
    again = memory("add", demo)
    assert again.startswith("0 certificates remembered in ") and ", 8 known already\n" in again
    data = json.loads(memory("add", demo, "--json"))
    assert (data["ids"], len(data["known"]), data["left_out"]) == ([], 8, 1)
    listed = memory("list").splitlines()
    assert len(listed) == 9 and listed[0].split()[2:4] == ["NewPage", "com.opentable"]
    first = listed[0].split()[0]
    assert memory("show", first[:6]).splitlines()[1] == 'tap "Reserve 18:30" (button)'
    exported = json.loads(memory("export", first))
    assert exported["entries"][0]["certificate"]["confidence"] == "high"
    assert json.loads(memory("list", "--app", "com.other", "--json"))["entries"] == []
    assert memory("delete", first) == "1 certificate deleted\n"
    assert memory("delete", "--expired") == "nothing to delete\n"
    assert memory("delete", "--app", "com.opentable") == "7 certificates deleted\n"
    unknown = vsac("memory", "certificates", "show", "ffffff", *file)
    assert unknown.returncode == 2 and "no entry 'ffffff'" in unknown.stderr
    assert vsac("memory", "certificates", "delete", *file).returncode == 2


def test_a_resumed_session_remembers_no_certificates(demo: Path) -> None:
    told = vsac("run", "--resume", demo, "--agent", "x", "--certificates")
    assert told.returncode == 2 and "vsac memory certificates add JOURNAL" in " ".join(told.stderr.split())
