"""What a screen's rule means by another screen: that its rules match, and none of a screen over it does."""

import datetime as dt
import itertools
from pathlib import Path

import pytest

from tests.engine.agreeing import evaluator
from vsalang.engine.api import Evaluator
from vsalang.guard.world.beliefs import row_of
from vsalang.language.semantics import load_text
from vsalang.program.vocabulary import VOCABULARY

APP = """app shop package "com.shop" "A shop"
screen Full "All" when Node(id = "cart"), Node(id = "row").
screen Wide over Full "Over it" when Node(id = "wide").
screen Third "Another" when Node(id = "third").
screen Empty "Nothing" when Node(id = "cart"), {condition}.
"""
IDS = ("cart", "row", "wide", "third")


def of(text: str, engine: str) -> Evaluator:
    loaded = load_text(text, path=Path("shop.vsa"))
    assert loaded.program is not None, [item.message for item in loaded.diagnostics]
    return evaluator(loaded.program, engine)


def look(session: Evaluator, ids: tuple[str, ...]) -> set[str]:
    node = VOCABULARY["Node"]
    session.now(dt.datetime(2026, 4, 1, 12))
    session.assign(
        "Node",
        [
            row_of(node, {"node": number, "id": name, "package": "com.shop"})
            for number, name in enumerate(ids, 1)
        ],
    )
    screens = [name for name, relation in session.program.relations.items() if relation.sort == "screen"]
    shown = {name.rpartition(":")[2] for name in screens if session.rows(name)}
    assert {row[0] for row in session.rows("Screen")} == shown
    return shown


@pytest.mark.parametrize("engine", ["reference", "incremental", "pydatalog"])
@pytest.mark.parametrize(
    ("condition", "wants"),
    [
        ('not Screen(name = "Full")', False),
        ("not screen Full", False),
        ('count(Screen(name = "Full")) = 0', False),
        ('Screen(name = "Full")', True),
        ("screen Full", True),
    ],
)
def test_a_screen_that_asks_for_another(engine: str, condition: str, wants: bool) -> None:
    session = of(APP.replace("{condition}", condition), engine)
    for count in range(len(IDS) + 1):
        for ids in itertools.combinations(IDS, count):
            full = {"cart", "row"} <= set(ids)
            alone = full and "wide" not in ids
            matching = {
                "Full": full,
                "Wide": "wide" in ids,
                "Third": "third" in ids,  # a third one that matches too does not count for Empty
                "Empty": "cart" in ids and alone is wants,
            }
            over = {"Wide": "Full"}
            expected = {
                name
                for name, match in matching.items()
                if match and not any(matching[o] for o in matching if o not in (name, over.get(name)))
            }
            assert look(session, ids) == expected, ids


def test_a_screen_that_rests_on_its_own_absence() -> None:
    text = APP.replace("{condition}", 'not Screen(name = "Empty")')
    assert [d.code for d in load_text(text, path=Path("shop.vsa")).diagnostics] == ["E0402"]
    text = APP.replace("{condition}", "screen Full").replace("Wide over Full", "Wide over Empty")
    text = text.replace('Node(id = "wide")', 'Node(id = "wide"), not screen Empty')
    assert [d.code for d in load_text(text, path=Path("shop.vsa")).diagnostics] == ["E0402"]


def test_rules_elsewhere_ask_which_screen_shows() -> None:
    text = APP.replace("{condition}", "not screen Full") + (
        'deny "full" when tap, screen Full.\ndeny "named" when tap, Screen(name = "Full").\n'
    )
    for engine in ("reference", "incremental", "pydatalog"):
        session = of(text, engine)
        session.assign("tap", [row_of(VOCABULARY["tap"], {})])
        rules = [rule.id for rule in session.program.rules if rule.id in ("shop:5", "shop:6")]
        for ids, holds in ((("cart", "row"), True), (("cart", "row", "third"), False)):
            look(session, ids)
            assert [bool(session.answers(rule)) for rule in rules] == [holds, holds]
