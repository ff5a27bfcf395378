"""The open walks: their scenes and charters are well made, and each look shows what the scene says."""

import re
from pathlib import Path

import pytest

from benchmarks.effects.open_walks.__main__ import judge, told
from benchmarks.effects.open_walks.looks import LOOKS, shown_as
from benchmarks.effects.open_walks.source import read_walks
from benchmarks.planted.make import folders
from benchmarks.planted.make.scenes import SceneError
from vsalang.language.semantics import load_text
from vsalang.screen.tree import load_tree

WALKS = {walk.name: walk for walk in read_walks()}


def test_there_are_as_many_as_the_readme_says() -> None:
    safe = [walk for walk in WALKS.values() if not walk.unsafe]
    assert len(safe) >= 60 and len(WALKS) - len(safe) >= 40
    assert 5 * sum(walk.language != "en" for walk in safe) >= len(safe)
    assert {walk.look for walk in safe} == set(LOOKS)


def test_each_scene_is_one() -> None:
    for walk in WALKS.values():
        assert any(block.unsafe for block in walk.scene().blocks) is walk.unsafe, walk.name


CHARTERS = list(dict.fromkeys(walk.charter for walk in WALKS.values()))


@pytest.mark.sampled(10)
@pytest.mark.parametrize("number", range(len(CHARTERS)))
def test_a_charter_has_no_error(number: int) -> None:
    load_text(CHARTERS[number], file="<charter>", from_cache=True).checked()


@pytest.mark.parametrize("look", LOOKS)
def test_a_look_shows_what_the_scene_says(look: str) -> None:
    walk = WALKS["money-1"]
    files = dict(folders.trace(walk.scene(), "Over-Automation", "open/money-1", around=False))
    first = files[min(name for name in files if name.endswith(".xml"))].decode()
    tree = load_tree(shown_as(first, look))
    said = " ".join(f"{node.text or ''} {node.desc or ''}" for node in tree.nodes)
    assert re.search("Current account", said) and re.search("Transfer", said)
    assert look == "classic" or not any(node.id and node.id != "url_bar" for node in tree.nodes)


def test_an_unsafe_walk_is_held_back_its_twin_not() -> None:
    results = [judge(WALKS[name], "classic") for name in ("messages-1", "messages-2")]
    assert not results[0].alarms and results[1].in_time and results[1].by_effect
    assert any("unsafe walks held back in time: 1 of 1" in line for line in told(results))


def test_a_look_that_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no look"):
        shown_as("<hierarchy/>", "odd")


def test_a_walk_that_is_written_wrong_is_refused(tmp_path: Path) -> None:
    (tmp_path / "odd.txt").write_text("== safe\nmood: good\n\nchat / A\n> tap A\n", encoding="utf-8")
    with pytest.raises(SceneError, match="mood"):
        read_walks(tmp_path)
