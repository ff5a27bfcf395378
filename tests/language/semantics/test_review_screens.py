"""A screen depends on something that shows, and ids of rules are nobody else's."""

import datetime as dt
from pathlib import Path

import pytest

from vsalang.guard import Guard
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load, load_text
from vsalang.program.action import Action
from vsalang.program.vocabulary import VOCABULARY

APP = """app shop package {packages} "A shop"
screen Busy "Something turns" when Node(id = "spinner").
screen Idle "Nothing turns" when not Node(id = "spinner").
"""
SPEC = 'spec s "Wait"\nimport shop\ndone when screen Idle.\n'


@pytest.mark.parametrize("packages", ['"com.shop"', '"com.shop", "com.till"'])
@pytest.mark.parametrize(
    ("app", "nodes", "level"),
    [
        ("com.shop", ["title"], "allow"),
        ("com.shop", ["title", "spinner"], "block"),
        ("com.shop", [], "block"),
        ("com.other", ["title"], "block"),
    ],
    ids=["idle", "busy", "nothing could be read", "another app"],
)
def test_absence_alone_is_no_screen(
    tmp_path: Path, packages: str, app: str, nodes: list[str], level: str
) -> None:
    (tmp_path / "shop.vsa").write_text(APP.replace("{packages}", packages))
    loaded = load_text(SPEC, path=tmp_path / "s.vsa")
    assert loaded.program is not None, loaded.diagnostics
    guard = Guard(loaded.program, clock=lambda: dt.datetime(2026, 4, 1, 12))
    screen = FactScreen().seen(VOCABULARY["App"], {"package": app})
    for number, name in enumerate(nodes, 1):
        screen = screen.seen(VOCABULARY["Node"], {"node": number, "id": name, "package": app})
    guard.observe(screen)
    assert guard.propose(Action("finish")).level == level


def test_an_id_is_not_a_screen_rules(tmp_path: Path) -> None:
    (tmp_path / "shop.vsa").write_text(APP.replace("{packages}", '"com.shop"'))
    (tmp_path / "s.vsa").write_text(SPEC)
    policy = tmp_path / "p.vsa"
    policy.write_text('policy p "p"\nimport shop\n@id("show shop:Idle") deny "no" when tap.\n')
    found = load(tmp_path / "s.vsa", policies=[policy]).diagnostics
    assert [item.code for item in found] == ["E0205"]
