"""The changelog: short, and its commands are those of `vsac`."""

import re
from pathlib import Path

from vsalang.tools.cli.families import COMMANDS, OLD

CHANGELOG = (Path(__file__).resolve().parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
FEATURES, _, NAMES = CHANGELOG.partition("### Commands by their new names")


def test_the_table_has_every_name_of_before() -> None:
    rows = dict(re.findall(r"^\| `vsac (\w+)[^|]*\| `vsac (\w+)", NAMES, re.MULTILINE))
    assert {name: rows[name] for name in OLD} == {name: words[0] for name, words in OLD.items()}


def test_what_is_unchanged_is_a_command() -> None:
    (unchanged,) = re.findall(r"Unchanged: `([^`]+)`", NAMES)
    assert set(unchanged.split()) <= set(COMMANDS)
    new = set(re.findall(r"^- `vsac (\w+)", FEATURES, re.MULTILINE))
    assert set(COMMANDS) - set(unchanged.split()) <= {words[0] for words in OLD.values()} | new


def test_entries_name_commands_as_they_are_now() -> None:
    named = set(re.findall(r"`vsac (\w+)", FEATURES))
    assert named >= {"run", "guard", "encode"}
    assert named - set(COMMANDS) == {"eval"}  # which is gone, as the entry says


def test_a_release_takes_forty_entries_at_most() -> None:
    entries = re.findall(r"^- (.*(?:\n  .*)*)", FEATURES, re.MULTILINE)
    assert 0 < len(entries) <= 40
    assert [entry for entry in entries if "`" not in entry] == []  # an example each
