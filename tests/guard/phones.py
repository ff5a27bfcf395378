"""Screens of the booking app made of facts, and a guard with a clock that tests move."""

import datetime as dt
from time import monotonic
from typing import Any

from tests.guard.programs import NOON, booking
from vsalang.guard import Guard, Settings
from vsalang.guard.user.questions import Question
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.program.ir import Program
from vsalang.program.values import Value
from vsalang.program.vocabulary import VOCABULARY

APP = "com.opentable"


def screen(*nodes: dict[str, Value], app: str = APP) -> FactScreen:
    """A screen with these nodes, numbered from 1 where they give no number."""
    made = FactScreen().seen(VOCABULARY["App"], {"package": app})
    for number, cells in enumerate(nodes, 1):
        made = made.seen(
            VOCABULARY["Node"],
            {"node": number, "package": app, "enabled": True, "scrollable": False, **cells},
        )
    return made


def no_time_left(question: Question) -> None:
    """An asker whom nobody answers until the time is over, which is at once."""
    with question._changed:
        question._until = monotonic()
        question._changed.notify_all()


def search() -> FactScreen:
    return screen({"id": "search_box"})


def details(
    *slots: tuple[str, bool], name: str = "R", day: str = "2026-04-01", fits: bool = True
) -> FactScreen:
    """The page of a restaurant with its slots; nodes of row k are 10k (row), 10k+1 (time), 10k+2 (button)."""
    nodes: list[dict[str, Value]] = [
        {"id": "restaurant_name", "text": name},
        {"id": "day_chip", "text": day, "selected": True},
        {"id": "reserve_button", "clickable": True},
        {"id": "slots", "scrollable": not fits},
    ]
    for number, (time, free) in enumerate(slots, 1):
        row = 10 * number
        nodes += [
            {"node": row, "parent": 4, "clickable": True, "id": "row"},
            {"node": row + 1, "parent": row, "id": "slot_time", "text": time},
            {"node": row + 2, "parent": row, "id": "slot_button", "enabled": free},
        ]
    return screen(*nodes)


def receipt(good: bool = True) -> FactScreen:
    return screen(
        {"id": "reservation_result", "text": "Done"}, {"id": "result_ok" if good else "result_failed"}
    )


class Watch:
    """A clock that stands still until it is told."""

    def __init__(self, now: dt.datetime = NOON) -> None:
        self.now = now

    def __call__(self) -> dt.datetime:
        return self.now


def guard(program: Program | None = None, watch: Watch | None = None, **settings: Any) -> Guard:
    return Guard(program or booking().program(), clock=watch or Watch(), settings=Settings(**settings))
