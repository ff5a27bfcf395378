"""A double tap is two touches: what a tap does may be done twice, so the task must allow it twice."""

import pytest

from vsalang.guard import Guard, Settings
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load
from vsalang.program.action import Action
from vsalang.program.vocabulary import VOCABULARY

APP = (
    'app shop package "com.shop" "A shop"\n'
    'action Add "Put one more into the basket"\nrecognize Add when tap(id = "plus").\n'
    'action Like "Like it"\nrecognize Like when double_tap(id = "heart").\n'
)


def guard_of(allowed: str, tmp_path_factory: pytest.TempPathFactory) -> Guard:
    folder = tmp_path_factory.mktemp("shop")
    (folder / "shop.vsa").write_text(APP, encoding="utf-8")
    text = f'spec s "Add"\nimport shop\nallow {allowed}.\ndone when {allowed.split()[-1]} earlier.\n'
    (folder / "s.vsa").write_text(text, encoding="utf-8")
    loaded = load(folder / "s.vsa")
    assert loaded.program is not None, [d.message for d in loaded.diagnostics]
    guard = Guard(loaded.program, settings=Settings(unknown_screen="allow"))
    screen = FactScreen().seen(VOCABULARY["App"], {"package": "com.shop"})
    for number, name in enumerate(("plus", "heart"), 1):
        cells = {"node": number, "id": name, "package": "com.shop", "clickable": True}
        screen = screen.seen(VOCABULARY["Node"], cells)
    guard.observe(screen)
    return guard


@pytest.mark.parametrize(
    ("allowed", "level", "charged"),
    [("Add", "block", 0), ("1 Add", "block", 0), ("2 Add", "allow", 2), ("each Add", "allow", 2)],
)
def test_two_touches_need_two_licences(
    allowed: str, level: str, charged: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    guard = guard_of(allowed, tmp_path_factory)
    verdict = guard.propose(Action("double_tap", {"id": "plus"}))
    assert verdict.level == level, verdict.reasons
    assert (level == "allow") or verdict.because("licence")
    if verdict.allowed:
        guard.commit(verdict)
        guard.observe(guard.snapshot.screen)
    assert len(guard.ledger) == charged


def test_a_tap_after_it_needs_a_third(tmp_path_factory: pytest.TempPathFactory) -> None:
    guard = guard_of("2 Add", tmp_path_factory)
    guard.commit(guard.propose(Action("double_tap", {"id": "plus"})))
    guard.observe(guard.snapshot.screen)
    assert guard.propose(Action("tap", {"id": "plus"})).level in ("block", "confirm")


def test_what_a_double_tap_itself_means_is_done_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    guard = guard_of("Like", tmp_path_factory)
    verdict = guard.propose(Action("double_tap", {"id": "heart"}))
    assert verdict.level == "allow", verdict.reasons
    guard.commit(verdict)
    guard.observe(guard.snapshot.screen)
    assert len(guard.ledger) == 1
