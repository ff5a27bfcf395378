"""What the nodes of tests are called, and which of them a gesture by that name reaches."""

from pathlib import Path

import pytest

from vsalang.guard import run_example
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load

APP = """app bar package "com.bar" "Drinks"
action Pour(size: Text)
recognize Pour(size = ?s) when tap(label = ?s, id = "chip").
"""
SPEC = """spec small "Pour 300 ml"
import bar
allow Pour(size = "300 ml").
done when Pour earlier.
test "poured" {
  observe Node(node = 1, id = "chip", clickable = true).
  observe Node(node = 2, parent = 1, text = "300 ml").
  observe Node(node = 3, id = "chip", clickable = true).
  observe Node(node = 4, parent = 3, text = "700 ml").
  tap(label = "700 ml") => block because Pour.size.
  tap(label = "300 ml").
  finish.
}
"""


def screen(*nodes: dict) -> FactScreen:
    return FactScreen({"Node": tuple(nodes)})


def labels(made: FactScreen) -> list:
    return [row.get("label") for row in made.rows("Node")]


def test_a_control_is_called_by_the_texts_in_it() -> None:
    made = screen(
        {"node": 1, "clickable": True},
        {"node": 2, "parent": 1, "text": "300 ml"},
        {"node": 3, "parent": 1, "text": "cold"},
        {"node": 4, "parent": 1, "text": "more", "clickable": True},
    )
    assert labels(made) == ["300 ml, cold", "300 ml", "cold", "more"]


def test_its_own_words_come_first_and_its_prompt_last() -> None:
    inner = {"node": 2, "parent": 1, "text": "inner"}
    assert labels(screen({"node": 1, "desc": "own"}, inner)) == ["own", "inner"]
    assert labels(screen({"node": 1, "hint": "Search"})) == ["Search"]
    assert labels(screen({"node": 1, "label": "given", "text": "own"})) == ["given"]


@pytest.mark.slow
def test_nodes_that_hang_in_each_other_end() -> None:
    assert labels(screen({"node": 1, "parent": 2}, {"node": 2, "parent": 1})) == [None, None]
    chain = [{"node": n, "parent": n - 1} for n in range(2, 1500)]
    assert (
        labels(screen({"node": 1}, *chain, {"node": 1500, "parent": 1499, "text": "deep"}))[-2:]
        == ["deep"] * 2
    )


def test_a_tap_by_its_words_is_recognised(tmp_path: Path) -> None:
    (tmp_path / "bar.vsa").write_text(APP, encoding="utf-8")
    (tmp_path / "small.vsa").write_text(SPEC, encoding="utf-8")
    loaded = load(tmp_path / "small.vsa")
    result = run_example(loaded.checked(), loaded.own[0])
    assert result.passed, result.failure
