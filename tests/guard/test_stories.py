"""The design's example as stories: every step and every `because` must come out."""

import datetime as dt

import pytest

from tests.guard.programs import R, booking, clock, part, story, turn
from tests.oracle import engine_of
from vsalang.guard import ExampleResult, run_example
from vsalang.program.example import Example, Today, Turn

T0 = Today()


def slot(at: int, time: str, available: bool | None = None, restaurant: str = "R", days: int = 0):  # type: ignore[no-untyped-def]
    cells = {"restaurant": restaurant, "date": Today(days), "at": at, "time": dt.time.fromisoformat(time)}
    if available is not None:
        cells["available"] = available
    return part("observe", f"{R}Slot", **cells)


def reserve(time: str, restaurant: str = "R", days: int = 0):  # type: ignore[no-untyped-def]
    return part(
        "attempt", f"{R}Reserve", restaurant=restaurant, date=Today(days), time=dt.time.fromisoformat(time)
    )


FINISH = part("attempt", "finish")


def check(example: Example, *, policy: bool = True) -> ExampleResult:
    result = run_example(booking(policy=policy).program(), example)
    failure = result.failure
    if failure is not None:
        told = "\n".join(f"  {reason.kind}: {reason.message}" for reason in failure.reasons)
        raise AssertionError(f"step {len(result.steps)}: {failure.problem}\n{told}")
    return result


def test_a_table_before_seven() -> None:
    result = check(
        story(
            clock(),
            turn(slot(1, "18:30", True)),
            turn(reserve("18:30")),
            turn(FINISH, want="block", because=f"ReserveResult {R}ReserveResult"),
            turn(part("observe", f"{R}ReserveResult", success=True)),
            turn(FINISH),
        )
    )
    assert [step.got for step in result.steps] == ["", "", "allow", "block", "", "allow"]


def test_what_may_not_happen() -> None:
    check(
        story(
            clock(),
            turn(
                slot(1, "18:30", True),
                slot(2, "18:45", False),
                slot(3, "20:00", True),
                slot(1, "18:30", True, days=1),
                slot(1, "18:30", True, restaurant="Q"),
            ),
            turn(
                reserve("18:30", restaurant="Q"),
                want="block",
                because="restaurant Reserve.restaurant unlicensed",
            ),
            turn(reserve("18:30", days=1), want="block", because="date"),
            turn(reserve("20:00"), want="block", because="time"),
            turn(reserve("18:45"), want="block", because="Slot.available"),
            turn(reserve("18:00"), want="block", because="Slot"),
            turn(reserve("18:30")),
            turn(reserve("18:30"), want="block", because="licence PAY-3"),
        )
    )


def test_doing_nothing_needs_the_whole_list_read() -> None:
    complete = part("observe complete", f"{R}Slot", restaurant="R", date=T0)
    check(
        story(
            clock(),
            turn(FINISH, want="block", because="incomplete"),
            turn(slot(1, "18:30")),
            turn(complete),
            turn(FINISH, want="block", because="Slot.available"),
            turn(slot(1, "18:30", False)),
            turn(complete),
            turn(FINISH),
        )
    )


def test_a_second_table_for_the_same_day_is_refused() -> None:
    booked = part("given", f"{R}Booking", restaurant="R", date=dt.date(2026, 4, 1), time=dt.time(18, 30))
    check(
        story(
            clock(),
            Turn("given", (booked,)),
            turn(reserve("20:00", restaurant="Q"), want="block", because="PAY-3"),
        )
    )


def test_an_empty_list_seen_lets_the_task_end() -> None:
    check(story(clock(), turn(part("observe no", f"{R}Slot", restaurant="R", date=T0)), turn(FINISH)))


def test_seeing_no_free_slot_does_not_complete_the_list() -> None:
    gone = part("observe no", f"{R}Slot", restaurant="R", date=T0, available=True)
    check(story(clock(), turn(gone), turn(FINISH, want="block", because="incomplete")))


def test_late_at_night_is_asked_twice() -> None:
    check(
        story(
            clock(dt.datetime(2026, 4, 1, 22, 30)),
            turn(slot(1, "18:30", True)),
            turn(reserve("18:30"), want="warn", because="PAY-2"),
            turn(reserve("18:30")),
        )
    )


def test_something_between_makes_it_another_proposal() -> None:
    check(
        story(
            clock(dt.datetime(2026, 4, 1, 22, 30)),
            turn(slot(1, "18:30", True)),
            turn(reserve("18:30"), want="warn"),
            turn(slot(1, "18:30", True)),
            turn(reserve("18:30"), want="warn"),
        )
    )


def test_a_wrong_expectation_fails_with_what_was_got() -> None:
    result = run_example(booking().program(), story(clock(), turn(reserve("18:30"), want="allow")))
    assert not result.passed
    assert result.failure is not None
    assert result.failure.problem == "wanted allow, got block"
    result = run_example(
        booking().program(), story(clock(), turn(reserve("18:30"), want="block", because="location"))
    )
    assert result.failure is not None
    assert "location" in result.failure.problem


@pytest.mark.parametrize("engine", ["incremental", "reference"])
def test_engines_tell_the_same_story(engine: str) -> None:
    example = story(clock(), turn(slot(1, "18:30", True)), turn(reserve("18:30")))
    assert run_example(booking().program(), example, engine=engine_of(engine)).passed
