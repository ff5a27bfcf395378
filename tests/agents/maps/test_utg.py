"""Maps of apps: what rules, walks and journals say, and how counts go up, join and differ."""

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agents.maps import making
from tests.agents.maps.making import BACK, MENU, NOTE, NOTES, NOTES_LATER, edge, screen, tap, walk
from tests.thorough import times
from vsalang.agents.maps import EMPTY, UTG, Reader, UTGError
from vsalang.agents.maps.gestures import atom
from vsalang.agents.maps.logs import recording_of
from vsalang.agents.maps.recording import record
from vsalang.agents.walks import WalkStep, follow, read_walks
from vsalang.guard.journal import Journal, Recorder
from vsalang.program.action import Action
from vsalang.program.ir import Atom
from vsalang.program.show import source
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump

ROUND = [(NOTES, tap(1)), (NOTE, BACK), (NOTES_LATER, tap(2)), (MENU, tap(2)), (NOTES, None)]


def told(utg: UTG) -> dict[tuple[str, str, str], tuple[int, int]]:
    return {(each.source, source(each.gesture), each.target): (each.tried, each.worked) for each in utg.edges}


def graph(*edges, more: str = "") -> UTG:
    names = {end for each in edges for end in (each.source, each.target) if end != "*"} | set(more)
    return UTG({name: screen(name) for name in sorted(names)}, edges)


# ---------------------------------------------------------------- where maps come from


def test_a_program_gives_screens_edges_and_conditions():
    utg = UTG.from_program(making.program())
    assert list(utg.screens) == ["notes:Notes", "notes:Note", "notes:Menu"]
    assert utg.screens["notes:Menu"].over == ("notes:Notes",)
    assert [(e.source, source(e.gesture), e.target, [source(c) for c in e.when]) for e in utg.edges] == [
        ("notes:Notes", 'tap(id = "row")', "notes:Note", []),
        ("notes:Notes", 'tap(label = "More")', "notes:Menu", []),
        ("notes:*", "back", "notes:Notes", []),
        ("notes:Menu", "tap(node = ?n)", "notes:Notes", ['Node(node = ?n, text = "Close", package = "a.b")']),
    ]
    assert all((each.origin, each.tried, each.cost) == ("rule", 0, 1) for each in utg.edges)


def test_unnamed_screens_are_known_without_their_texts(tmp_path: Path):
    """Four notes are the same screen as three; the rows that differ are not another gesture."""
    utg = UTG.from_log(walk(tmp_path / "w.jsonl", ROUND))
    assert len(utg.screens) == 3
    assert all(name.startswith("unnamed:") for name in utg.screens)
    notes = next(each for each in utg.screens.values() if "3 notes" in each.texts)
    assert {"Milk", "Bread"} <= {*notes.texts} and notes.seen == 3
    assert [(widget.id, widget.abilities) for widget in notes.widgets] == [
        ("", ("click",)),
        ("row", ("click",)),
    ]
    assert sorted(counts for counts in told(utg).values()) == [(1, 1)] * 4


def test_a_module_names_the_screens_of_a_walk(tmp_path: Path):
    program = making.program()
    found, origin = recording_of(walk(tmp_path / "w.jsonl", ROUND), Reader(program))
    utg = UTG.from_program(program).learn(found, origin)
    assert told(utg) == {
        ("notes:Notes", 'tap(id = "row")', "notes:Note"): (1, 1),
        ("notes:Notes", 'tap(label = "More")', "notes:Menu"): (1, 1),
        ("notes:*", "back", "notes:Notes"): (1, 1),
        ("notes:Menu", "tap(node = ?n)", "notes:Notes"): (1, 1),
    }


def test_a_journal_is_read_like_a_walk(tmp_path: Path):
    program = making.program()
    (one,) = read_walks(walk(tmp_path / "w.jsonl", ROUND))
    journal = Journal(tmp_path / "j.jsonl")
    for _ in follow(one, program, recorder=Recorder(journal)):
        pass
    journal.close()
    found = UTG.from_journal(tmp_path / "j.jsonl", Reader(program))
    assert {each.origin for each in found.edges} == {"journal"}
    assert {(each.source, each.target) for each in found.edges} == {
        ("notes:Notes", "notes:Note"),
        ("notes:Note", "notes:Notes"),
        ("notes:Notes", "notes:Menu"),
        ("notes:Menu", "notes:Notes"),
    }


def test_what_goes_on_changing_is_no_edge(tmp_path: Path):
    """The menu closed by itself: the tap did not lead to it, nor to what came then."""
    steps = [(NOTES, tap(2)), (MENU, None), (NOTES, tap(1)), (NOTE, None)]
    found, _ = recording_of(walk(tmp_path / "w.jsonl", steps))
    assert found.unsettled == 1
    assert [source(move.gesture) for move in found.moves] == ['tap(id = "row")']
    stays = [(NOTES, tap(2)), (MENU, None), (MENU, BACK), (NOTES, None)]
    found, _ = recording_of(walk(tmp_path / "v.jsonl", stays))
    assert (found.unsettled, len(found.moves)) == (0, 2)


def test_what_was_typed_is_left_out():
    field = making.dump({"id": "name", "class": "EditText", "text": "secret", "click": ""})
    look = TreeScreen(load_dump(field))
    typing = Action("input_text", {"x": 50, "y": 50, "value": "s3cret"})
    utg = EMPTY.learn(record([WalkStep(look, (typing,)), WalkStep(look)], Reader()), "log")
    assert [source(each.gesture) for each in utg.edges] == ['input_text(id = "name")']
    assert not any("secret" in text for each in utg.screens.values() for text in each.texts)


def test_no_log_is_refused_with_a_message(tmp_path: Path):
    (tmp_path / "x").write_text("hello")
    with pytest.raises(UTGError, match="no walks of a known format"):
        UTG.from_log(tmp_path / "x")
    (tmp_path / "utg.js").write_text('var utg = {"nodes": 3, "edges": []}')
    with pytest.raises(UTGError, match="`nodes` is not a list"):
        UTG.from_log(tmp_path)


# ---------------------------------------------------------------- what is observed


def test_observing_counts_adds_and_refutes():
    tap_a = atom("tap", {"id": "a"})
    utg = graph(edge("A", "B", tap_a))
    once = utg.observe("A", tap_a, "B")
    assert told(once) == {("A", 'tap(id = "a")', "B"): (1, 1)}  # updates the edge
    other = once.observe("A", Atom("back"), "B")
    assert len(other.edges) == 2  # another edge of the same pair
    new = other.observe("B", Atom("back"), "C")
    assert list(new.screens) == ["A", "B", "C"]  # a new screen
    wrong = new.observe("A", tap_a, "C").observe("A", tap_a, "C")
    assert told(wrong)["A", 'tap(id = "a")', "B"] == (3, 1)
    assert told(wrong)["A", 'tap(id = "a")', "C"] == (3, 2)
    assert utg.edges == (edge("A", "B", tap_a),)  # the first one is as it was


def test_a_refuted_edge_costs_more_than_an_untried_one():
    utg = graph(edge("A", "B", "a")).observe("A", atom("tap", {"id": "a"}), "A")
    wrong = next(each for each in utg.edges if each.target == "B")
    assert wrong.refuted and wrong.cost == pytest.approx(-math.log(1 / 3) + 0.1)
    assert edge("A", "B", "a", 15, 14).cost < edge("A", "B", "a").cost == 1 < wrong.cost


def test_the_same_from_anywhere_is_one_edge():
    start = atom("open_app", {"package": "a.b"})
    utg = EMPTY.observe("A", start, "C").observe("B", start, "C").observe("B", Atom("home"), "L")
    assert [(each.source, each.target, each.worked) for each in utg.edges] == [("*", "C", 2), ("*", "L", 1)]


def test_merging_adds_counts_of_one_gesture():
    """The gesture was made five times in all; each target worked as often as it was seen."""
    one, other = graph(edge("A", "B", "a", 3, 3)), graph(edge("A", "C", "a", 2, 1), edge("A", "B", "a", 2, 1))
    assert told(one.merge(other)) == {
        ("A", 'tap(id = "a")', "B"): (5, 4),
        ("A", 'tap(id = "a")', "C"): (5, 1),
    }


NAMES = st.sampled_from("ABCD")
MOVES = st.lists(st.tuples(NAMES, st.sampled_from("xyz"), NAMES), max_size=12)


def learnt(moves: list[tuple[str, str, str]]) -> UTG:
    utg = EMPTY
    for one, name, other in moves:
        utg = utg.observe(one, atom("tap", {"id": name}), other)
    return utg


@settings(max_examples=times(25, 300))
@given(MOVES)
def test_counts_are_those_of_the_steps(moves):
    found = told(learnt(moves))
    for (one, gesture, other), (tried, worked) in found.items():
        made = [move for move in moves if (move[0], f'tap(id = "{move[1]}")') == (one, gesture)]
        assert tried == len(made)
        assert worked == sum(move[2] == other for move in made)
    assert {(one, f'tap(id = "{name}")', other) for one, name, other in moves} == found.keys()


@settings(max_examples=times(25, 300))
@given(MOVES, MOVES)
def test_merging_is_learning_both(one, other):
    joined, whole = learnt(one).merge(learnt(other)), learnt(one + other)
    assert told(joined) == told(whole)
    assert joined.screens.keys() == whole.screens.keys()
    assert told(learnt(other).merge(learnt(one))) == told(whole)


# ---------------------------------------------------------------- what a map knows


def test_coverage_counts_screens_steps_and_surprises(tmp_path: Path):
    path = walk(tmp_path / "w.jsonl", ROUND)
    found, _ = recording_of(path)
    whole = UTG.from_log(path).coverage(found)
    assert (whole.screens, whole.screens_known, whole.moves, whole.moves_known) == (3, 3, 4, 4)
    first = UTG.from_log(walk(tmp_path / "v.jsonl", [(NOTES, tap(1)), (NOTES, None)])).coverage(found)
    assert (first.screens_known, first.moves_known, first.surprises) == (1, 0, 1)


def test_diff_names_what_came_and_went():
    one = graph(edge("A", "B", "a", 1, 1), edge("B", "C", "b"), edge("C", "B", "c"))
    other = graph(edge("A", "B", "a", 2, 1), edge("C", "D", "d"), edge("C", "B", "c"))
    found = one.diff(other)
    assert [each.name for each in found.screens_added] == ["D"] and not found.screens_removed
    assert [each.target for each in found.edges_added] == ["D"]
    assert [each.target for each in found.edges_removed] == ["C"]
    assert found.unreachable == ("C",) and not found.same
    assert [(before.tried, after.tried) for before, after in found.recounted] == [(1, 2)]
    assert one.diff(one).same


def test_near_screens_are_found_by_steps():
    utg = graph(edge("A", "B", "a"), edge("B", "C", "b"), edge("*", "H", "h"))
    assert utg.near("A", 1) == {"A": 0, "B": 1, "H": 1}
    assert utg.near("A", 2) == {"A": 0, "B": 1, "H": 1, "C": 2}


def test_edges_have_ends_and_are_single():
    with pytest.raises(UTGError, match="no such screen"):
        UTG({"A": screen("A")}, (edge("A", "B", "a"),))
    with pytest.raises(UTGError, match="two edges have the same"):
        graph(edge("A", "B", "a"), edge("A", "B", "a", 2, 1))
