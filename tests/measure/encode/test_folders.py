"""Folders of an evaluation: what is read, and what each mistake is told, with its file and line."""

import os
import re
from pathlib import Path

import pytest

from benchmarks.measure.encode import FoldersError, check_gold, read_cases
from benchmarks.measure.encode.gold import Counting
from tests.measure.encode.cases import SAMPLE, case, change, copied

NAMES = sorted(place.parent.name for place in SAMPLE.glob("*/meta.json"))


def faults(place: Path, *, gold: bool = False) -> str:
    with pytest.raises(FoldersError) as failed:
        cases = read_cases([place])
        if gold:
            check_gold(cases)
    return str(failed.value)


def edit(file: Path, before: str, after: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after, 1), encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_the_samples_gold_does_what_it_says(name: str) -> None:
    """Gold specs pass their tests, and object to the run of instruction 1 by the deadline, or not at all."""
    check_gold([case(name)])


def test_the_sample_is_large_and_mixed() -> None:
    cases = read_cases([SAMPLE])
    assert len(cases) >= 12
    assert len({each.app for each in cases}) >= 4
    deadlines = {each.deadline for each in cases}
    assert None in deadlines and len(deadlines) >= 4
    assert sum(each.deadline is None for each in cases) >= 2


def test_a_case_says_what_it_is() -> None:
    found = case("table_other_day")
    assert found.instructions[0].startswith("Please get us a table") and "Friday" in found.instructions[0]
    assert (found.deadline, found.app, found.run.name) == (4, "apps.opentable", "the run: Friday")
    assert (found.moment.weekday, found.moment.locale) == ("Wednesday", "en_US")


def test_apps_may_lie_beside_the_gold(tmp_path: Path) -> None:
    place = copied(tmp_path, apps=None, deadline=None)
    shipped = SAMPLE.parents[1] / "app_specs" / "apps" / "settings.vsa"
    text = shipped.read_text(encoding="utf-8").replace("apps.settings", "settings")
    (place / "settings.vsa").write_text(text, encoding="utf-8")
    for name in ("spec1.vsa", "spec2.vsa"):
        edit(place / name, "import apps.settings", "import settings")
    (found,) = read_cases([tmp_path])
    assert (found.app, found.modules) == ("settings", ("settings",))
    check_gold([found])


def test_the_run_may_be_named(tmp_path: Path) -> None:
    place = copied(tmp_path, run="no other size")
    assert read_cases([place])[0].run.name == "no other size"
    change(place, run="none")
    assert re.search(r"meta\.json:\d+: no test of spec1\.vsa is called 'none'", faults(place))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "meta.json:1: it is not JSON"),
        ('{\n "name": "x",\n}', "meta.json:3: it is not JSON"),
        ("[]", "meta.json:1: it is not a JSON object"),
        ("[" * 100_000, "it cannot be read"),
        ("\ufeff{}", "the key 'name' is missing"),
        ('{"name": "x", "name": "y"}', "the key 'name' stands there twice"),
        ('{\n"nmae": "x"}', "the key 'name' is missing (is 'nmae' misspelt?)"),
        ('{\n"name": "a\\u001b[31m"}', "meta.json:2: 'name' is not a text that can be printed"),
        ('{\n"name": 7}', "meta.json:2: 'name' is not a text"),
        ('{\n\n"contradictory": "yes"}', "meta.json:3: 'contradictory' is neither true nor false"),
        ('{\n"deadline": true}', "meta.json:2: 'deadline' is not a number of a step"),
        ('{\n"deadline": 0}', "meta.json:2: 'deadline' is not a number of a step"),
        ('{\n"apps": "apps.settings"}', "meta.json:2: 'apps' is not a list"),
        ('{\n"today": "tomorrow"}', "meta.json:2: 'tomorrow' is not a date"),
        ('{\n"zone": "Nowhere/Here"}', "is not a time zone"),
    ],
)
def test_a_meta_file_is_read_strictly(text: str, told: str, tmp_path: Path) -> None:
    place = copied(tmp_path)
    (place / "meta.json").write_text(text, encoding="utf-8")
    assert told in faults(place)


def test_other_keys_of_a_meta_file_are_notes(tmp_path: Path) -> None:
    place = copied(tmp_path)
    change(place, category="settings", author=7)
    check_gold(read_cases([place]))


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    place = copied(tmp_path)
    meta = place / "meta.json"
    meta.write_bytes(b'{"name": "\xff"}')
    assert "meta.json: it is not valid UTF-8" in faults(place)
    meta.unlink()
    os.mkfifo(meta)
    assert "named pipe" in faults(place)
    meta.unlink()
    meta.write_text(" " * 300_000, encoding="utf-8")
    assert "larger than" in faults(place)


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    first, second = copied(tmp_path), copied(tmp_path, "list_other_row")
    (first / "spec1.vsa").unlink()
    edit(second / "spec2.vsa", "Item(at = 2", "Item(att = 2")
    told = faults(tmp_path)
    assert "it holds no spec1.vsa" in told
    assert re.search(r"list_other_row/spec2\.vsa:4: .*\[E0206\]", told)


def test_gold_must_be_specs_with_tests(tmp_path: Path) -> None:
    place = copied(tmp_path)
    (place / "spec1.vsa").write_text('policy p "p"\nwarn "x" when Node(id = "x").\n', encoding="utf-8")
    assert "spec1.vsa:1: it is of kind policy, not a spec" in faults(place)
    (place / "spec1.vsa").write_text(
        'spec p "p"\nallow answer(text = "x").\ndone when answer earlier.\n', encoding="utf-8"
    )
    assert "spec1.vsa: it holds no test" in faults(place)


def test_only_apps_may_lie_beside_the_gold(tmp_path: Path) -> None:
    place = copied(tmp_path)
    (place / "more.vsa").write_text('policy more "p"\nwarn "x" when Node(id = "x").\n', encoding="utf-8")
    assert "more.vsa:1: it is of kind policy" in faults(place)
    (place / "more.vsa").write_text("app more\n", encoding="utf-8")
    assert "more.vsa:" in faults(place)
    (place / "more.vsa").unlink()
    change(place, apps=None)
    assert "it holds no app module" in faults(place)


def test_gold_imports_what_the_model_may(tmp_path: Path) -> None:
    place = copied(tmp_path)
    edit(place / "spec1.vsa", "import apps.settings", "import apps.settings\nimport apps.permissions")
    assert "spec1.vsa: it imports apps.permissions, which is not an app of this case" in faults(place)


@pytest.mark.parametrize(
    ("mark", "meta", "told"),
    [
        ("// deadline 4", {}, "spec2.vsa:12: the deadline is 4 here and 3 in meta.json"),
        ("// deadline x", {}, "spec2.vsa:12: a deadline is a number of a step"),
        ("// deadline", {}, "spec2.vsa:12: a deadline is a number of a step"),
        ("// deadline 3\n// deadline 2", {}, "spec2.vsa:13: there is another deadline"),
        ("// no mark", {"deadline": None}, "no deadline here or in spec2.vsa"),
        ("// deadline 9", {"deadline": None}, "the deadline is 9, and the run has 4 steps"),
        ("// deadline 3", {"contradictory": False}, "meta.json says that nothing is contradictory"),
        ("// deadline 2", {"deadline": 2}, "it objects at step 3 of the run, after the deadline 2"),
    ],
)
def test_deadlines_agree(mark: str, meta: dict[str, object], told: str, tmp_path: Path) -> None:
    place = copied(tmp_path, "list_other_row")
    change(place, **meta)
    edit(place / "spec2.vsa", "// deadline 3", mark)
    assert told in faults(place, gold=True)


def test_a_deadline_may_stand_in_one_place(tmp_path: Path) -> None:
    place = copied(tmp_path, "list_other_row", deadline=None)
    assert read_cases([place])[0].deadline == 3
    change(place, deadline=3)
    edit(place / "spec2.vsa", "// deadline 3", "")
    assert read_cases([place])[0].deadline == 3


@pytest.mark.parametrize(
    ("counting", "deadline", "turn"),
    [("turns", 3, 3), ("proposals", 1, 3), ("proposals", 2, 4), ("statements", 4, 3), ("statements", 1, 0)],
)
def test_deadlines_may_count_otherwise(counting: Counting, deadline: int, turn: int, tmp_path: Path) -> None:
    """The run: clock, two looks, an answer, finish."""
    place = copied(tmp_path, "list_other_row", deadline=deadline)
    edit(place / "spec2.vsa", " // deadline 3", "")
    edit(
        place / "spec1.vsa",
        "  observe screen Items.\n",
        "  clock 2026-01-05 09:00.\n  observe screen Items.\n",
    )
    (found,) = read_cases([place], counting)
    assert found.deadline == turn


def test_cases_without_mistakes_are_kept(tmp_path: Path) -> None:
    copied(tmp_path)
    copied(tmp_path, "list_other_row", deadline=9)
    with pytest.raises(FoldersError) as failed:
        read_cases([tmp_path])
    assert [each.name for each in failed.value.rest] == ["text_size_either"]
    change(tmp_path / "list_other_row", deadline=3)
    edit(tmp_path / "list_other_row" / "spec1.vsa", "at = 3, name", "at = 2, name")
    with pytest.raises(FoldersError) as failed:
        check_gold(read_cases([tmp_path]))
    assert [each.name for each in failed.value.rest] == ["text_size_either"]


def test_gold_that_fails_is_told(tmp_path: Path) -> None:
    place = copied(tmp_path, "list_other_row")
    edit(place / "spec1.vsa", 'answer(text = "Cherry").\n  finish.', 'answer(text = "Apple").\n  finish.')
    told = faults(place, gold=True)
    assert re.search(
        r'spec1\.vsa:\d+: its own test "the run: the third row" fails: step 3 \(attempt answer\)', told
    )
    assert "spec1.vsa: it objects to its own run, at step 3: block" in told


def test_a_contradiction_is_as_meta_says(tmp_path: Path) -> None:
    either = copied(tmp_path, contradictory=True, deadline=2)
    assert "it does not object to the run of spec1.vsa, and contradictory is true" in faults(
        either, gold=True
    )
    other = copied(tmp_path, "list_other_row", contradictory=False, deadline=None)
    edit(other / "spec2.vsa", "// deadline 3", "")
    assert "it objects to the run at step 3" in faults(other, gold=True)


def test_an_app_that_does_not_exist(tmp_path: Path) -> None:
    assert "nosuch" in faults(copied(tmp_path, apps=["apps.settings", "apps.nosuch"]), gold=True)


def test_folders_without_cases(tmp_path: Path) -> None:
    assert "there is no folder with a meta.json here" in faults(tmp_path)
    assert "no such file" in faults(tmp_path / "none")


def test_names_are_told_apart(tmp_path: Path) -> None:
    copied(tmp_path)
    copied(tmp_path, "list_other_row", name="text_size_either")
    assert "has the name 'text_size_either' too" in faults(tmp_path)
