"""A look at what was seen before derives nothing again, and believes the same; where something is in doubt, nothing is
kept. That what is kept changes nothing, `test_kept_answers` asks of an evaluator that never gives the same object."""

import datetime as dt

import pytest

from benchmarks.guard_step import reserve_r, screen, session
from benchmarks.workloads import checked
from vsalang.guard import Guard, Settings
from vsalang.guard.judge.program_analysis import analysis
from vsalang.guard.world import observing
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.guard.world.kept_readings import KeptReadings
from vsalang.language.semantics import load_text
from vsalang.program.action import Action
from vsalang.program.vocabulary import VOCABULARY

SLOT = "apps.opentable.Slot"


def times(guard: Guard) -> list[object]:
    return [row.get("time") for row in guard.rows(SLOT)]


@pytest.fixture
def derived(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rules each group had that was derived."""
    groups: list[int] = []
    derive = observing._Reconciling._group

    def counting(self: observing._Reconciling, group: tuple[object, ...]) -> None:
        groups.append(len(group))
        derive(self, group)  # type: ignore[arg-type]

    monkeypatch.setattr(observing._Reconciling, "_group", counting)
    return groups


def test_equal_looks_derive_nothing_again(derived: list[int]) -> None:
    guard = session(reserve_r())
    for marked in (True, False, True, False):
        guard.observe(screen(marked))
    worlds = [guard.snapshot.world]
    derived.clear()
    for marked in (True, False, True, False):
        guard.observe(screen(marked))
        worlds.append(guard.snapshot.world)
    assert derived == []
    assert len(times(guard)) == 6
    assert worlds[0].table(SLOT) is worlds[2].table(SLOT) is worlds[4].table(SLOT)


def test_a_row_that_differs_is_derived(derived: list[int]) -> None:
    guard = session(reserve_r())
    guard.observe(screen(False))
    guard.observe(screen(False))
    derived.clear()
    guard.observe(screen(False).seen(VOCABULARY["Node"], {"node": 31, "text": "22:45"}))
    assert derived
    assert dt.time(22, 45) in times(guard)
    guard.observe(screen(False))
    assert dt.time(22, 45) not in times(guard)


def test_what_nobody_read_is_asked_anew(derived: list[int]) -> None:
    """A text that was not read may be anything: nothing of such a look is kept."""
    guard = session(reserve_r())
    unread = screen(False).seen(VOCABULARY["Node"], {"node": 31, "text": None})
    for _ in range(3):
        derived.clear()
        guard.observe(unread)
        assert derived
    assert dt.time(19, 30) not in times(guard)


def test_points_are_kept_where_rules_ask_for_them() -> None:
    book = analysis(checked("w1_spec")).book
    assert book.timed == frozenset() == book.recalled
    loaded = load_text(
        'app a package "a"\nview Shown on Page { x: Number }\nscreen Page when Node(id = "p").\n'
        'update Shown(x = number(?t)) when screen Page, Node(id = "x", text = ?t).\n'
        "define Twice() when Shown(x = 1) then Shown(x = 2).\n"
        'define Pressed() when tap(id = "x") earlier.\n',
        file="a.vsa",
    )
    assert loaded.program is not None, loaded.diagnostics
    book = analysis(loaded.program).book
    assert book.timed == {"a.Shown"} and book.recalled == {"tap"}
    guard = Guard(loaded.program, clock=lambda: dt.datetime(2026, 4, 1), settings=Settings(task=False))
    page = FactScreen()
    for cells in ({"id": "p", "package": "a"}, {"id": "x", "text": "1", "package": "a"}):
        page = page.seen(VOCABULARY["Node"], cells)
    page = page.seen(VOCABULARY["App"], {"package": "a"})
    points = []
    for _ in range(2):
        guard.observe(page)
        points += [entry.points for entry in guard.snapshot.world.table("a.Shown").rows.values()]
    assert points == [(1,), (2,)]
    verdict = guard.propose(Action("tap", {"id": "x"}))
    guard.commit(verdict, approved=True)
    guard.observe(page)
    assert list(guard.rows("a.Pressed")) == [{}]


def test_no_more_is_kept_than_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vsalang.guard.world.kept_readings._MOST", 2)
    kept: KeptReadings[int] = KeptReadings()
    for number in range(5):
        kept.keep(number, number)
    assert [kept.get(number) for number in range(5)] == [None, None, None, None, 4]
