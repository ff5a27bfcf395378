"""Reading dates, times, amounts and numbers before texts are compared: the tables of the page are the test."""

import datetime as dt
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.base.resources import resource_dir
from vsalang.program import ops
from vsalang.program.similarity import FoldedEquality, Words, similar
from vsalang.program.written import written

PAGE = (resource_dir("docs") / "reference" / "similarity.md").read_text("utf-8")
PIECES = st.sampled_from(
    "Jan 1 January 1st 01 02 2026 , . / - : 7 PM p.m. 19:00 noon $ 5 USD € 1,000 ¥ two adults Fri Freitag 月 日 1月2日 "
    "h min 30 the of de mars a b".split()
)


def table(name: str) -> list[tuple[str, str]]:
    """The pairs of a table of the page."""
    part = PAGE.partition(f"<!-- {name} -->")[2].partition(f"<!-- end of {name} -->")[0]
    return [(one, other) for one, other in re.findall(r"^\| `(.+?)` \| `(.+?)` \|", part, re.M)]


@pytest.mark.parametrize(("constant", "text"), table("equal"))
def test_what_is_read_is_similar(constant: str, text: str) -> None:
    for backend in (FoldedEquality(), Words()):
        assert similar(backend, text, constant) is True
        assert similar(backend, constant, text) is True


@pytest.mark.parametrize(("constant", "text"), table("open"))
def test_open_readings_are_never_similar(constant: str, text: str) -> None:
    class Yes:
        def similar(self, text: str, constant: str) -> bool:
            return True

    assert not similar(Yes(), text, constant)
    assert not similar(Words(), text, constant)
    assert similar(Words(), f"{constant}.", constant), "written the same it is"


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("see you on 5 Jan at 7pm.", "see you on january 5 at t19:00."),
        ("5 May 6", "5 May 6"),
        ("Mar 1-3", "Mar 1-3"),
        ("30 February", "30 February"),
        ("mar 3 jun", "mar june 3"),
        ("Mars 2", "Mars 2"),
        ("2 de mayo", "may 2"),
        ("2 mayo", "2 mayo"),
        ("two hundred", "two hundred"),
        ("twenty-five", "25"),
        ("half past seven", "7:30"),
        ("seven thirty", "seven thirty"),
        ("25:00", "25:00"),
        ("13 pm", "13 pm"),
        ("UTC-10:00", "UTC-10:00"),
        ("192.168.1.1", "192.168.1.1"),
        ("$5 million", "$5 million"),
        ("$5-$10", "$5-$10"),
        ("-$5", "USD-5"),
        ("$5 CAD", "CAD5"),
        ("$5 EUR", "$5 EUR"),
        ("$1,000.50/month", "USD1000.5/month"),
        ("19時30分に", "t19:30 に"),
        ("2時間", "2時間"),
        ("Mon 7 PM", "monday t19:00"),
        ("12 Williams Street", "12 Williams Street"),
        ("gen 3", "gen 3"),
        ("Sat, 3 Oct 2026 at 7 PM", "2026-10-03 at t19:00"),
        ("Sun, 3 Oct 2026", "sunday, 2026-10-03"),
        ("Friday, 2026-02-30", "friday, 2026-02-30"),
        ("2026-01-02 (Fri)", "2026-01-02"),
        ("", ""),
    ],
)
def test_one_form_of_what_is_certain(text: str, form: str) -> None:
    assert written(text) == form


@given(st.lists(PIECES, max_size=8).map(" ".join) | st.lists(PIECES, max_size=8).map("".join))
def test_reading_never_fails(text: str) -> None:
    read = written(text)
    assert read == " ".join(read.split())
    assert similar(Words(), f" {text} ", text) is not None
    assert similar(Words(), text, text) is True


@given(st.dates(dt.date(1900, 1, 1), dt.date(2099, 12, 31)), st.times())
def test_each_way_to_write_a_moment_is_one(day: dt.date, time: dt.time) -> None:
    ways = [f"{day:%Y-%m-%d}, {time:%H:%M}", f"{day:%B} {day:%d}, {day:%Y}, {time:%I:%M %p}"]
    ways.append(f"{day:%d} {day:%b} {day:%Y}, {time:%I:%M%p}".lower())
    assert all(ops.holds("~=", one, other) for one in ways for other in ways)
