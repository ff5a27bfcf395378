"""Readers: the table of the reference, round trips, hostile texts."""

import datetime as dt
import re
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.program import readers
from vsalang.program.languages import LANGUAGES, agreed
from vsalang.program.ops import Environment, call
from vsalang.program.values import Value, show

TABLE = Path(__file__).parents[2] / "docs" / "reference" / "readers.md"
DAY = {"Mon": ("Monday", "Lun"), "Tue": ("Tuesday",), "Fri": (), "All on": (), "On": ()}
TODAY = dt.date(2023, 7, 2)


def rows() -> list[tuple[str, str, str, str]]:
    found = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("| ") or line.startswith("| reader"):
            continue
        row = re.fullmatch(r"\| (\w+) ?(.*?) \| `(.*)` \| (?:`(.+)`|(undefined)) \|", line)
        assert row, f"a row of the table that cannot be run: {line}"
        text = re.sub(r"\\u([0-9a-f]{4})", lambda code: chr(int(code[1], 16)), row[3]).replace("\\n", "\n")
        found.append((row[1], row[2], text, row[4] or "undefined"))
    return found


def read(reader: str, argument: str, text: str) -> Value | None:
    if set(argument.split()) & {*LANGUAGES, "klingon"}:
        return call(reader, (text, argument), Environment(TODAY))
    match reader:
        case "number":
            return readers.number(text, argument.strip('"') or None)
        case "date":
            if argument.startswith("on "):
                return readers.date(text, dt.date.fromisoformat(argument[3:]))
            return readers.date(text, TODAY, argument or None)
        case "time":
            return readers.time(text)
        case "duration":
            return readers.duration(text)
        case "bool":
            return readers.boolean(text)
        case "currency":
            return readers.currency(text)
        case "member":
            return readers.member(text, DAY)
        case "members":
            return readers.members(text, DAY)
    raise AssertionError(f"no reader {reader}")


@pytest.mark.parametrize(("reader", "argument", "text", "wanted"), rows())
def test_the_table_of_the_reference(reader: str, argument: str, text: str, wanted: str) -> None:
    got = read(reader, argument, text)
    assert ("undefined" if got is None else show(got)) == wanted


@pytest.mark.parametrize("name", sorted(LANGUAGES))
def test_every_month_and_day_of_a_language_is_read(name: str) -> None:
    words = LANGUAGES[name]
    assert sorted(set(words.months.values())) == list(range(1, 13))
    assert sorted(set(words.weekdays.values())) == list(range(7))
    for month, number in words.months.items():
        wanted = dt.date(2023, number, 14)
        assert call("date", (f"14 {month} 2023", name), Environment(TODAY)) == wanted
        for weekday, place in words.weekdays.items():
            got = call("date", (f"{weekday}. 14 {month}. 2023", name), Environment(TODAY))
            assert got == (wanted if place == wanted.weekday() else None), (weekday, month)


def test_languages_that_disagree_read_nothing() -> None:
    readings = {"on": 1, "sì": 2}
    assert (
        agreed("italian", lambda words: next((n for w, n in readings.items() if w in words.truth), None))
        is None
    )
    assert agreed("german", lambda words: 3) == 3


@given(st.text(max_size=40), st.sampled_from(["date", "time", "duration", "bool"]), st.text(max_size=12))
def test_no_text_and_no_language_makes_a_reader_raise(text: str, reader: str, names: str) -> None:
    got = call(reader, (text, names), Environment(TODAY))
    every = call(reader, (text, " ".join(LANGUAGES)), Environment(TODAY))
    assert names.strip() in ("", "dmy", "mdy") or got is None
    assert every is None or not isinstance(every, str)


def test_the_table_is_whole() -> None:
    assert len(rows()) >= 200
    assert {row[0] for row in rows()} == {
        "number", "currency", "time", "duration", "date", "bool", "member", "members",
    }  # fmt: skip


# ---- round trips ---------------------------------------------------------------------------------


def grouped(digits: str, mark: str) -> str:
    head = len(digits) % 3
    groups = ([digits[:head]] if head else []) + [digits[i : i + 3] for i in range(head, len(digits), 3)]
    return mark.join(groups)


@given(
    st.integers(0, 10**18),
    st.text("0123456789", max_size=6),
    st.sampled_from(
        [(",", "."), (".", ","), (" ", "."), (" ", ","), ("'", "."), ("\u202f", ","), ("\u2019", ".")]
    ),
    st.booleans(),
    st.sampled_from(["{}", "${}", "{} €", "EUR {}", "Total: {}", "{}km", "{} views"]),
)
def test_a_number_reads_back_in_every_grouping(
    whole: int, fraction: str, marks: tuple[str, str], negative: bool, around: str
) -> None:
    group, decimal_mark = marks
    written = grouped(str(whole), group) + (decimal_mark + fraction if fraction else "")
    if negative:
        written = "-" + written
    value = Decimal(f"{'-' if negative else ''}{whole}.{fraction or '0'}")
    got = readers.number(around.format(written), decimal_mark)
    assert got is not None
    assert got == value
    assert show(got) == show(got if isinstance(got, int) else value.normalize())
    unnamed = readers.number(around.format(written))
    assert unnamed is None or unnamed == value or (len(fraction) == 3 and whole < 1000)


@given(st.integers(0, 999), st.integers(0, 999))
def test_one_point_before_three_digits_is_never_read(whole: int, thousandths: int) -> None:
    assert readers.number(f"{whole}.{thousandths:03}") is None


@given(st.integers(1, 10**15), st.sampled_from([("K", 10**3), ("M", 10**6), ("B", 10**9)]))
def test_factors(count: int, factor: tuple[str, int]) -> None:
    letter, by = factor
    assert readers.number(f"{count}{letter}") == count * by
    assert readers.number(f"{count}.5{letter}") == count * by + by // 2


DATES = st.dates(dt.date(1000, 1, 1), dt.date(9998, 12, 31))


@given(DATES, DATES)
def test_every_form_with_a_year_reads_back(day: dt.date, today: dt.date) -> None:
    month, weekday = f"{day:%B}", f"{day:%A}"
    for text in (
        day.isoformat(),
        f"{day:%Y/%m/%d}",
        f"{day:%Y.%m.%d} 10:15",
        f"{day.day} {month} {day:%Y}",
        f"{month} {day.day}, {day:%Y}",
        f"{day:%b} {day:%d} {day:%Y}",
        f"{weekday}, {day.day} {day:%b} {day:%Y}",
        f"{month.upper()} {day.day}, {day:%Y} ({weekday[:3]})",
        f"{day:%d.%m.%Y}",
    ):
        assert readers.date(text, today) == day, text
    assert readers.date(f"{day:%d/%m/%Y}", today, "dmy") == day
    assert readers.date(f"{day:%m/%d/%Y}", today, "mdy") == day
    assert readers.date(f"{day:%d/%m/%Y}", today) in (day, None)
    wrong = day + dt.timedelta(days=1)
    assert readers.date(f"{wrong:%A}, {day.day} {month} {day:%Y}", today) is None


@given(DATES, st.integers(-400, 400))
def test_without_a_year_only_a_near_day_is_read(today: dt.date, distance: int) -> None:
    day = today + dt.timedelta(days=distance)
    got = readers.date(f"{day:%A}, {day.day} {day:%B}", today)
    assert got == day if abs(distance) <= 150 else got is None or abs((got - today).days) <= 150


@given(st.times().map(lambda time: time.replace(microsecond=0)))
def test_times_read_back(time: dt.time) -> None:
    half = "am" if time.hour < 12 else "pm"
    hour = time.hour % 12 or 12
    for text in (
        f"{time:%H:%M:%S}",
        f"{time.hour}:{time:%M:%S}",
        f"{hour}:{time:%M:%S}{half}",
        f"{hour}:{time:%M:%S}\u202f{half.upper()}",
        f"{hour}:{time:%M:%S} {half[0]}.m.",
    ):
        assert readers.time(text) == time, text


@given(st.integers(0, 9999), st.integers(0, 59), st.integers(0, 59))
def test_durations_read_back(hours: int, minutes: int, seconds: int) -> None:
    wanted = dt.timedelta(hours=hours, minutes=minutes, seconds=seconds)
    for text in (
        f"{hours}:{minutes:02}:{seconds:02}",
        f"{hours} h {minutes} min {seconds} s",
        f"{hours}h {minutes}m {seconds}s",
        f"{hours} hours, {minutes} minutes and {seconds} seconds",
        f"{hours}h{minutes}min{seconds}sec",
    ):
        assert readers.duration(text) == wanted, text
    assert readers.duration(show(wanted)) == wanted


@given(st.sets(st.sampled_from(sorted(DAY)), min_size=1))
def test_members_of_a_list(chosen: set[str]) -> None:
    assert readers.members("; ".join(sorted(chosen)), DAY) == frozenset(chosen)


def test_a_spelling_that_two_members_share_is_not_read() -> None:
    shared = {"A": ("x", "only a"), "B": ("X", "y"), "C": ("y",)}
    assert readers.member("x", shared) == "A"
    assert readers.member("X", shared) == "B"
    assert readers.member("y", shared) is None
    assert readers.member("Y", shared) is None
    assert readers.members("x and only a", shared) is None
    assert readers.members("only a", shared) == frozenset({"A"})


# ---- hostile texts -------------------------------------------------------------------------------

NASTY = st.text(
    st.characters() | st.sampled_from("0123456789.,:'-/ +$€KMB%°()\n\t\u200b\u202e\u0301\ud800½"), max_size=60
) | st.lists(
    st.sampled_from(
        ["1", "234", ".", ",", " ", "-", "$", "Jul", "Sat", "pm", "h", "min", "EUR", "2023", "(", ")"]
    ),
    max_size=12,
).map("".join)


@given(NASTY)
def test_no_text_makes_a_reader_raise(text: str) -> None:
    for today in (dt.date.min, TODAY, dt.date.max):
        assert isinstance(readers.date(text, today), dt.date | None)
    assert isinstance(readers.date(text, None), dt.date | None)
    for mark in (None, ",", ".", "x"):
        got = readers.number(text, mark)
        assert got is None or (type(got) in (int, Decimal) and got == got)
    assert isinstance(readers.time(text), dt.time | None)
    assert isinstance(readers.duration(text), dt.timedelta | None)
    assert isinstance(readers.boolean(text), bool | None)
    assert isinstance(readers.currency(text), str | None)
    assert readers.member(text, DAY) in (*DAY, None)
    assert (readers.members(text, DAY) or frozenset()) <= set(DAY)


@pytest.mark.parametrize(
    "piece", ["1", " ", "1 ", ",", "Mon ", "a\u0301\u0323", "\u0301\u0323", "(", "-", "1:"]
)
def test_a_text_of_a_megabyte_is_undefined(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    for reader in (readers.number, readers.currency, readers.time, readers.duration, readers.boolean):
        assert reader(text) is None
    assert readers.date(text, TODAY) is None
    assert readers.member(text, DAY) is None
    assert readers.members(text, DAY) is None


def test_relative_days_at_the_ends_of_the_calendar() -> None:
    assert readers.date("yesterday", dt.date.min) is None
    assert readers.date("tomorrow", dt.date.max) is None
    assert readers.date("today", dt.date.max) == dt.date.max
    assert readers.date("31 Dec", dt.date.max) == dt.date.max
    assert readers.date("1 Jan", dt.date.max) is None
    assert readers.date("5/13/25", None) is None


@pytest.mark.parametrize("order", ["ymd", "", "DMY"])
def test_an_order_that_does_not_exist_reads_nothing(order: str) -> None:
    assert readers.date("2026-04-01", TODAY, order) is None


def test_a_number_is_exact_and_integral_numbers_are_int() -> None:
    assert readers.number("0.1") == Decimal("0.1")
    assert type(readers.number("5.00")) is int
    assert type(readers.number("-0.0")) is int
    long = "1234567890" * 4 + ".1234567890123451"
    assert readers.number(long) == Decimal(long)
    assert readers.number("1" * 61) is None
