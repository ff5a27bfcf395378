"""What an instruction says, as rules of the linter read it, where a spec says otherwise and where it does not."""

import pytest

from vsalang.base.diagnostics.fixes import apply_fixes
from vsalang.language.lint import lint
from vsalang.language.lint.instruction import quantities, spelled
from vsalang.language.lint.wording import parts_of, stem
from vsalang.language.semantics import load_text

TABLE = (
    'spec book "{doc}"\nimport apps.opentable\n'
    'allow {how}Reserve(restaurant = "R", date = {day}, time = {time}){when}.\n'
    "done when {done}, ReserveResult(success = true).\n"
)


def book(doc: str, **parts: str) -> str:
    text = TABLE.replace("{doc}", doc)
    usual = {"how": "", "day": "today", "time": "18:30", "when": "", "done": "Reserve earlier"}
    for name, value in (usual | parts).items():
        text = text.replace("{" + name + "}", value)
    return text


def codes(text: str) -> list[str]:
    return [each.code for each in lint(load_text(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (book("Book R for today, 18:30"), []),
        (book("Book R for tomorrow, 18:30"), ["L0042"]),
        (book("Book R for the day after tomorrow, 18:30", day="today + 2d"), []),
        (book("Book R for Friday, 18:30", day="2026-12-24"), ["L0042"]),
        (book("Book R for Thursday, 18:30", day="2026-12-24"), []),
        (book("Book R for tonight or tomorrow, 18:30"), []),
        (book("Book two tables at R, 18:30 today"), ["L0043"]),
        (book("Book two tables at R, 18:30 today", how="2 ", done="all Reserve"), []),
        (book("Book a table for two people at R, 18:30 today"), []),
        (book("Book a table at R, 18:30 today, and invite Ben"), ["L0044"]),
        (book("Book a table at R, 18:30 today, and show it to me"), []),
        (book("Book a table at R, 18:30 today, but do not invite Ben"), []),
        (book("Look at R, 18:30 today, but do not book"), ["L0052"]),
        (book("Book R, 18:30 today; do not book anything else"), []),
        (book("Book the largest table at R, 18:30 today"), ["L0051"]),
        (book("Book a table at R, 18:30 today, at the earliest"), []),
    ],
)
def test_spec_against_its_instruction(text: str, expected: list[str]) -> None:
    """Each of these instructions is wrong for its spec in one way, or in none."""
    assert codes(text) == expected


LATE = {"time": "?t, time {op} 19:00", "when": '\n  when Slot(restaurant = "R", date = today, time = ?t)'}


def late(words: str, op: str) -> str:
    return book(f"Book R for today, {words}", **{k: v.replace("{op}", op) for k, v in LATE.items()})


@pytest.mark.parametrize(
    ("words", "right", "wrong"),
    [
        ("at 7 PM at the latest", "<=", ">="),
        ("7 PM or before", "<=", ">"),
        ("no later than 7 PM", "<=", ">="),
        ("it must begin by 7 PM", "<=", ">"),
        ("it must begin by 7 PM", "<", ">="),
        ("until 7 PM", "<=", ">="),
        ("7 PM is the latest", "<=", ">="),
        ("not earlier than 7 PM", ">=", "<="),
        ("7 PM at the earliest", ">=", "<"),
        ("it must not begin after 7 PM", "<=", ">"),
        ("spätestens um 19:00", "<=", ">="),
    ],
)
def test_bounds_in_words(words: str, right: str, wrong: str) -> None:
    """The words put a bound on one side; a rule that bounds the other is found, and one that says the same is not."""
    assert codes(late(words, right)) == []
    assert codes(late(words, wrong)) == ["L0007"]


@pytest.mark.parametrize("words", ["wait until 7 PM", "it is closed until 7 PM", "it is not free until 7 PM"])
def test_until_after_which_something_begins(words: str) -> None:
    """What waits until an hour happens after it."""
    assert codes(late(words, ">=")) == []


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("today", 0),
        ("tonight", 0),
        ("tomorrow", 1),
        ("the day after tomorrow", 2),
        ("in a week", 7),
        ("in 2 weeks", 14),
        ("in three days", 3),
        ("two days from now", 2),
        ("morgen", 1),
        ("übermorgen", 2),
        ("demain", 1),
        ("après-demain", 2),
        ("mañana", 1),
        ("hoy por la mañana", 0),
    ],
)
def test_days_in_words(words: str, day: int) -> None:
    """A day in words is so many days from today; every other number of days is found and corrected."""
    written = [f"today + {n}d" if n else "today" for n in (0, 1, 2, 3, 7, 14)]
    right = f"today + {day}d" if day else "today"
    for each in written:
        text = book(f"Book R for {words}, 18:30", day=each)
        assert codes(text) == ([] if each == right else ["L0042"]), each
        fixed = apply_fixes(text, "x.vsa", lambda now: lint(load_text(now, file="x.vsa"))).text
        assert f"date = {right}," in fixed


@pytest.mark.parametrize(
    "words", ["tomorrow and the day after", "today or tomorrow", "the day before yesterday"]
)
def test_days_that_words_leave_open(words: str) -> None:
    assert codes(book(f"Book R for {words}, 18:30", day="today + 1d")) == []


@pytest.mark.parametrize(
    ("words", "day", "expected"),
    [
        ("Friday", "Fri", []),
        ("Friday", "Mon", ["L0042"]),
        ("next friday", "Sat", ["L0042"]),
        ("a day after Friday", "Sat", []),
        ("Friday or Saturday", "Sat", []),
    ],
)
def test_weekdays_in_words(words: str, day: str, expected: list[str]) -> None:
    """A condition on another weekday than the one that is named is found."""
    when = (
        f'\n  when Slot(restaurant = "R", date = ?d, time = 18:30, available = true), weekday(?d) = {day},'
        "\n       ?d > today, ?d <= today + 7d"
    )
    assert codes(book(f"Book R for {words}, 18:30", day="?d", when=when)) == expected


@pytest.mark.parametrize(
    ("words", "op", "expected"),
    [
        ("before seven", "<", []),
        ("before 7", "<", []),
        ("before 7", ">", ["L0007"]),
        ("before 7 o'clock", "<", []),
        ("before 7 o'clock in the evening", "<", []),
        ("7 or later", ">=", []),
        ("7 or later", "<", ["L0007"]),
        ("vor 19 Uhr", "<", []),
        ("vor 19 Uhr", ">", ["L0007"]),
        ("nach 19 Uhr", "<", ["L0007"]),
        ("ab 19 Uhr", ">=", []),
        ("with more than 7 guests", "<", []),
    ],
)
def test_hours_without_minutes(words: str, op: str, expected: list[str]) -> None:
    """A bare number with a word of time is an hour; “Uhr” says so of any."""
    assert codes(late(words, op)) == expected


@pytest.mark.parametrize(
    ("words", "bounds"),
    [
        ("at least five seats", [(5, ">=")]),
        ("no more than twenty", [(20, "<=")]),
        ("fewer than three of the four", [(3, "<")]),
        ("two or more", [(2, ">=")]),
        ("two of them", []),
        ("call “at least five”", []),
        ("thirty is the maximum", [(30, "<=")]),
    ],
)
def test_bounds_on_numbers_in_words(words: str, bounds: list[tuple[int, str]]) -> None:
    assert [(each.value, each.bound) for each in spelled(words)] == bounds


@pytest.mark.parametrize("op", ["<", "<=", ">", ">=", "="])
def test_noon_is_a_time(op: str) -> None:
    """“Before noon” is a bound as “before 12:00” is."""
    text = late("before noon", op).replace("19:00", "12:00")
    assert codes(text) == ([] if op == "<" else ["L0007"])


@pytest.mark.parametrize(
    ("rule", "found"),
    [
        ('confirm "After 22:00?" when Reserve(time > 22:00)', []),
        ('confirm "After 22:00?" when Reserve(time < 22:00)', ["L0053"]),
        ('warn "This is before 9:00" when Reserve(time > 09:00)', ["L0053"]),
        ('deny "Only before 22:00, please" when Reserve(time > 22:00)', []),
        ('deny "Keep it before 22:00" when Reserve(time >= 22:00)', []),
        ('deny "No tables before 5:00 or after 22:00" when Reserve(time < 05:00)', []),
        ('deny "Not later than 22:00" when Reserve(time > 22:00)', []),
        ('deny "Not later than 22:00" when Reserve(time < 22:00)', ["L0053"]),
    ],
)
def test_messages_that_say_when_they_object(rule: str, found: list[str]) -> None:
    """A message that states what is so must be on the side of its rule; one that says what is wanted need not."""
    assert codes(f'policy late "When tables may be booked"\nimport apps.opentable\n{rule}.\n') == found


def test_case_and_blanks_at_once() -> None:
    """Two values of one attribute that differ by case and by blanks are two spellings of one."""
    text = book(
        "Book R for today, 18:30",
        when=' when Slot(restaurant = "r ", date = today, time = 18:30, available = true)',
    )
    assert codes(text) == ["L0045"]


def test_fix_joins_evidence_to_the_action() -> None:
    """The fix of a variable that joins nothing does not leave the hole and end the warning."""
    text = book(
        "Book R before 7 PM today", time="?t, time < 19:00", when='\n  when Slot(restaurant = "R", time = ?u)'
    )
    text = text.replace("time = ?t, time < 19:00", "time < 19:00").replace(
        'R", time = ?u', 'R", date = today, time = ?u'
    )
    assert "L0001" in codes(text)

    fixed = apply_fixes(text, "x.vsa", lambda each: lint(load_text(each, file="x.vsa"))).text
    assert "time known" not in fixed
    assert 'Reserve(restaurant = "R", date = today, time < 19:00)' not in fixed
    assert codes(fixed) == []


def test_known_evidence_joins_nothing() -> None:
    """That a time is known says nothing of the time that is booked; the fix joins the two."""
    text = book(
        "Book R before 7 PM today",
        time="?t, time < 19:00",
        when=' when Slot(restaurant = "R", date = today, time known)',
    )
    text = text.replace("time = ?t, time < 19:00", "time < 19:00")
    assert codes(text) == ["L0021"]
    fixed = apply_fixes(text, "x.vsa", lambda each: lint(load_text(each, file="x.vsa"))).text
    assert codes(fixed) == []
    assert "time = ?time, time < 19:00" in fixed


def test_numbers_of_items_are_left_out() -> None:
    """Numbers that count the steps of an instruction are not what it asks for."""
    assert [each.text for each in quantities("1) open it 2) take 7 of them 3) go")] == ["7"]
    assert [each.text for each in quantities("Step 4: take 7 of them")] == ["7"]
    assert [each.text for each in quantities("take 2) of them")] == ["2"]


def test_stems_and_parts() -> None:
    """Plurals and tenses are one word; parts end at stops and conjunctions, and not in quotations."""
    assert {stem(word) for word in ("table", "tables")} == {"tabl"}
    assert {stem(word) for word in ("reply", "replies", "replied")} == {"reply"}
    said = [(part.verb, sorted(part.about)) for part in parts_of("Turn off the lamp and send “a, b” to Ann")]
    assert said == [("turn", ["lamp"]), ("send", ["ann"])]
