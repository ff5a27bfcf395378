"""Dates, times, truth values and members in another spelling: one sure fix, or the question which one is meant."""

from pathlib import Path

import pytest

from tests.commands import vsac
from vsalang.base.diagnostics.fixes import apply_edits
from vsalang.language.semantics import load_text

APP = (
    'app shop package "s" "A shop"\n'
    'state Cart { day: Date  due: Time  open: Bool  kind: enum { Fruit, Tea, "Dry goods" }  note: Text }\n'
)


def rule(condition: str) -> str:
    return f"{APP}define Big when Cart({condition}).\n"


def fixed(condition: str) -> tuple[str, str]:
    """The code of the only finding, and the condition after its only fix, as it is checked again without a finding."""
    text = rule(condition)
    (finding,) = load_text(text).diagnostics
    (fix,) = finding.fixes
    after = apply_edits(text, fix.edits)
    assert not [found for found in load_text(after).diagnostics if found.severity.value == "error"]
    return finding.code, after.removeprefix(f"{APP}define Big when Cart(").removesuffix(").\n")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('"today"', "today"),
        ('"Today"', "today"),
        ('"tomorrow"', "today + 1d"),
        ('"yesterday"', "today - 1d"),
        ('"2026-12-24"', "2026-12-24"),
        ('"2026-1-5"', "2026-01-05"),
        ('"2026/12/24"', "2026-12-24"),
        ('"24.12.2026"', "2026-12-24"),
        ('"12/24/2026"', "2026-12-24"),
        ('"24/12/2026"', "2026-12-24"),
        ('"24-12-2026"', "2026-12-24"),
        ('"04/04/2026"', "2026-04-04"),
        ('"24 December 2026"', "2026-12-24"),
        ('"Dec 24, 2026"', "2026-12-24"),
        ('"Thu, Dec 24, 2026"', "2026-12-24"),
    ],
)
def test_a_text_where_a_date_is_meant(written: str, meant: str) -> None:
    assert fixed(f"day = {written}") == ("E0301", f"day = {meant}")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("24.12.2026", "2026-12-24"),
        ("2026/12/24", "2026-12-24"),
        ("2026.12.24", "2026-12-24"),
        ("12/24/2026", "2026-12-24"),
        ("24/12/2026", "2026-12-24"),
        ("24 December 2026", "2026-12-24"),
        ("December 24, 2026", "2026-12-24"),
        ("2026-1-5", "2026-01-05"),
    ],
)
def test_a_date_in_another_spelling(written: str, meant: str) -> None:
    assert fixed(f"day = {written}") == ("E0113", f"day = {meant}")
    assert fixed(f'day != {written}, note = "x"') == ("E0113", f'day != {meant}, note = "x"')


@pytest.mark.parametrize("written", ["24-12-2026", "12-24-2026"])
def test_a_date_that_reads_as_a_subtraction(written: str) -> None:
    assert fixed(f"day = {written}") == ("E0301", "day = 2026-12-24")


@pytest.mark.parametrize("written", ["7-2", "2026-12", "99-99-2026", "1-2-3-4"])
def test_another_subtraction_has_no_fix(written: str) -> None:
    (finding,) = load_text(rule(f"day = {written}")).diagnostics
    assert finding.code in ("E0301", "E0303") and not finding.fixes


@pytest.mark.parametrize(
    ("code", "written", "meant"),
    [
        ("E0301", '"19:00"', "19:00"),
        ("E0301", '"7:05"', "07:05"),
        ("E0301", '"7pm"', "19:00"),
        ("E0301", '"7:30 PM"', "19:30"),
        ("E0301", '"12 am"', "00:00"),
        ("E0301", '"19:00:30"', "19:00:30"),
        ("E0301", '"19.30"', "19:30"),
        ("E0301", '"19h30"', "19:30"),
        ("E0301", '"19h"', "19:00"),
        ("E0301", "19.30", "19:30"),
        ("E0301", "19h", "19:00"),
        ("E0113", "7pm", "19:00"),
        ("E0113", "7PM", "19:00"),
        ("E0113", "12am", "00:00"),
        ("E0113", "7 pm", "19:00"),
        ("E0113", "7 PM", "19:00"),
        ("E0113", "7 P.M.", "19:00"),
        ("E0113", "7:30pm", "19:30"),
        ("E0113", "7:05", "07:05"),
    ],
)
def test_a_time_in_another_spelling(code: str, written: str, meant: str) -> None:
    assert fixed(f"due = {written}") == (code, f"due = {meant}")


@pytest.mark.parametrize(
    ("code", "written", "meant"),
    [
        *(("E0301", f'"{word}"', "true") for word in ("true", "True", "yes", "on", "ture")),
        *(("E0301", f'"{word}"', "false") for word in ("false", "FALSE", "no", "off", "flase")),
        *(
            ("E0212", word, "true")
            for word in ("ture", "tru", "treu", "truee", "trrue", "TRUE", "True", "yes")
        ),
        *(("E0212", word, "false") for word in ("flase", "fasle", "fals", "flse", "falsee", "False", "off")),
    ],
)
def test_a_truth_value_in_another_spelling(code: str, written: str, meant: str) -> None:
    assert fixed(f"open = {written}") == (code, f"open = {meant}")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Friut", "Fruit"),
        ('"Friut"', "Fruit"),
        ("fruit", "Fruit"),
        ("Tae", "Tea"),
        ('"Dry good"', '"Dry goods"'),
    ],
)
def test_a_member_of_an_enum_misspelt(written: str, meant: str) -> None:
    assert fixed(f"kind = {written}") == ("E0209", f"kind = {meant}")


@pytest.mark.parametrize("written", ["03/04/2026", '"03/04/2026"', "3-4-2026"])
def test_two_readings_of_a_date_are_both_told(written: str) -> None:
    (finding,) = load_text(rule(f"day = {written}")).diagnostics
    plain = written.strip('"')
    assert finding.help == (
        f"`{plain}` may be 2026-04-03 (the day first) or 2026-03-04 (the month first): write which"
    )
    assert not finding.fixes


@pytest.mark.parametrize(
    "condition",
    [
        'day = "soon"',
        'day = "2026-02-30"',
        'day = "24 December"',
        'day = "24.12.26"',
        'day = "2026-12-24 10:00"',
        'day = "Mon, Dec 24, 2026"',
        "day = 20261224",
        "day = 3 April",
        "day = 30.02.2026",
        'due = "25:00"',
        'due = "13pm"',
        'due = "7"',
        "due = 13pm",
        "due = 19.75",
        "due = 7",
        'open = "maybe"',
        'open = ""',
        "open = 1",
        "open = today",
        "open = tree_house",
        'kind = "Wood"',
    ],
)
def test_what_is_not_sure_has_no_fix(condition: str) -> None:
    findings = load_text(rule(condition)).diagnostics
    assert findings
    assert not [fix for finding in findings for fix in finding.fixes]


def test_one_misspelt_value_in_several_places() -> None:
    text = APP + "define Big when Cart(open = flase).\ndefine Small when Cart(open = flase).\n"
    (finding,) = load_text(text).diagnostics
    assert load_text(apply_edits(text, finding.fixes[0].edits)).program is not None


def test_the_command_writes_them(tmp_path: Path) -> None:
    file = tmp_path / "shop.vsa"
    conditions = ('day = "today"', "day = 24.12.2026", 'due = "7pm"', "open = flase", 'kind = "Friut"')
    file.write_text(APP + "".join(f"define D{n} when Cart({c}).\n" for n, c in enumerate(conditions)))
    assert vsac("check", "--fix", file).returncode == 0
    assert file.read_text() == APP + (
        "define D0 when Cart(day = today).\ndefine D1 when Cart(day = 2026-12-24).\n"
        "define D2 when Cart(due = 19:00).\ndefine D3 when Cart(open = false).\n"
        "define D4 when Cart(kind = Fruit).\n"
    )


def test_values_of_tests_and_arguments(tmp_path: Path) -> None:
    text = (
        APP + '@risk(financial)\naction Pay(day: Date)\nrecognize Pay(day = "today") when tap(id = "pay").\n'
        'test "t" {\n  observe Cart(day = "24.12.2026", open = ture).\n}\n'
    )
    file = tmp_path / "shop.vsa"
    file.write_text(text)
    assert vsac("check", "--fix", file).returncode == 0
    assert "Pay(day = today)" in file.read_text()
    assert "Cart(day = 2026-12-24, open = true)" in file.read_text()
