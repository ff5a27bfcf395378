"""Where boxes of a screen cannot be right, the guard judges both readings of it."""

import dataclasses
import datetime as dt
import json
from pathlib import Path

import pytest

from vsalang.guard import Guard
from vsalang.guard.journal.screens_json import read_screen, screen_json
from vsalang.guard.judge import resolve
from vsalang.language.semantics import load_text
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_tree

APP = """app shop package "com.shop" "A shop"
import std.lists
import std.tree
screen Main "a page" when Node(id = "root").
list Slot key (time) "a free time" { time: Text }
update Slot(row = ?r, time = ?t) when Node(id = "slots", node = ?l), Node(parent = ?l, node = ?r, text = ?t).
complete Slot when Node(id = "slots", node = ?l), Fits(node = ?l).
top Slot when Node(id = "first").
end Slot when Node(id = "last").
action Pay(name: Text "who is paid") "Pay"
recognize Pay when tap(label = "Pay now").
recognize Pay(name = ?n) when tap(id = "send"), Node(id = "name", text = ?n).
"""
SPEC = """spec shop_r "Look at the page."
import shop
"""
NOW = dt.datetime(2026, 4, 1, 12)
PAY = (66, 1700, 1014, 1800)
WRONG = {
    "inverted": (1014, 1800, 66, 1700),
    "inverted down": (66, 1800, 1014, 1700),
    "flat": (66, 1700, 1014, 1700),
    "zero": (0, 0, 0, 0),
    "beside": (1020, 1700, 1070, 1800),
    "below": (66, 1810, 1014, 1900),
    "off the screen": (66, 2100, 1014, 2200),
}
WRONGS = pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)


def program(tmp_path: Path, rules: str, app: str = APP) -> Program:
    (tmp_path / "shop.vsa").write_text(app, encoding="utf-8")
    loaded = load_text(SPEC + rules, path=tmp_path / "shop_r.vsa")
    assert loaded.program is not None, loaded.diagnostics
    return loaded.program


def element(box, *children, id="", text="", click=False):
    """A node; an attribute that is None is left out by its source."""
    return {"box": box, "children": children, "id": id, "text": text, "click": click}


def xml(node):
    def one(node):
        left, top, right, bottom = node["box"]
        told = "" if node["id"] is None else f'resource-id="com.shop:id/{node["id"]}" '
        told += "" if node["click"] is None else f'clickable="{str(node["click"]).lower()}" '
        return (
            f'<node class="View" content-desc="" text="{node["text"]}" {told}package="com.shop"'
            ' long-clickable="false" scrollable="false" enabled="true"'
            f' bounds="[{left},{top}][{right},{bottom}]">{"".join(map(one, node["children"]))}</node>'
        )

    return f"<hierarchy>{one(node)}</hierarchy>"


def portal(node):
    def one(node):
        told = {} if node["id"] is None else {"resourceId": f"com.shop:id/{node['id']}"}
        told |= {} if node["click"] is None else {"isClickable": node["click"]}
        return told | {
            "className": "View",
            "text": node["text"],
            "contentDescription": "",
            "packageName": "com.shop",
            "isLongClickable": False,
            "isScrollable": False,
            "isEnabled": True,
            "boundsInScreen": dict(zip(("left", "top", "right", "bottom"), node["box"], strict=True)),
            "children": [one(child) for child in node["children"]],
        }

    return json.dumps({"a11y_tree": one(node), "phone_state": {"packageName": "com.shop"}})


SOURCES = pytest.mark.parametrize("source", [xml, portal])


def page(*children):
    return element((0, 0, 1080, 1920), *children, id="root")


def asked(given: Program, source, node, action=None, *, read_again: bool = False):
    guard = Guard(given)
    screen = TreeScreen(load_tree(source(node)), app=("com.shop", ".Main"), settled=True, now=NOW)
    if read_again:
        shown = screen_json(screen)
        again = read_screen(shown.form, *json.loads(json.dumps([shown.body, shown.look])))
        assert again.fingerprint == screen.fingerprint
        assert isinstance(again, TreeScreen) and _judged(again.tree) == _judged(screen.tree)
        screen = again
    guard.observe(screen)
    return guard.propose(action or Action("tap", {"x": 500, "y": 1750}))


def _judged(tree):
    """A tree without what is not recorded: nothing judges it."""
    lost = tuple(dataclasses.replace(item, text=None) for item in tree.lost)
    other = None if tree.other is None else dataclasses.replace(tree.other, lost=lost)
    return dataclasses.replace(tree, app=None, lost=lost, other=other)


def held(node):
    """In a box that has room for none of the boxes that cannot be right."""
    return element((0, 100, 1000, 200), node)


def behind():
    return element((0, 1690, 1080, 1820), text="Continue", click=True)


def pay(box):
    return element(box, text="Pay now", click=True)


@SOURCES
@pytest.mark.parametrize("read_again", [False, True])
@WRONGS
def test_a_button_whose_box_cannot_be_right(tmp_path, source, wrong, read_again) -> None:
    given = program(tmp_path, "done when tap earlier.\n")
    group = (66, 1600, 1014, 1805)
    right = asked(given, source, page(behind(), element(group, pay(PAY))))
    assert (right.level, [str(reason.message) for reason in right.reasons]) == (
        "block",
        ["nothing in the task allows Pay"],
    )
    verdict = asked(given, source, page(behind(), element(group, pay(wrong))), read_again=read_again)
    assert verdict.level == "block"
    assert "nothing in the task allows Pay (if node 4" in str(verdict.reasons[0].message)
    verdict = asked(given, source, page(behind(), element(wrong, pay(PAY))), read_again=read_again)
    assert verdict.level == "block"
    assert "nothing in the task allows Pay (if node 4" in str(verdict.reasons[0].message)


@SOURCES
@WRONGS
def test_what_no_rule_mentions_costs_nothing(tmp_path, source, wrong) -> None:
    given = program(tmp_path, "done when tap earlier.\n")
    verdict = asked(given, source, page(behind(), element(wrong, text="Help", click=True)))
    assert (verdict.level, verdict.reasons) == ("allow", ())


READ_AGAIN = pytest.mark.parametrize("read_again", [False, True])


@SOURCES
@READ_AGAIN
@WRONGS
def test_what_was_unread_of_a_possible_node(tmp_path, source, wrong, read_again) -> None:
    given = program(tmp_path, "done when tap earlier.\n", APP + 'recognize Pay when tap(id = "go").\n')
    shows = page(behind(), held(element(wrong, id=None, text="Help", click=True)))
    verdict = asked(given, source, shows, read_again=read_again)
    assert verdict.level == "block"
    [reason] = {reason for reason in verdict.reasons if "lies there" in str(reason.message)}
    assert "id of node 4" in str(reason.message) and reason.change == "unread"


@SOURCES
@READ_AGAIN
@WRONGS
def test_each_possible_taker_in_both(tmp_path, source, wrong, read_again) -> None:
    given = program(tmp_path, "done when tap earlier.\n")
    send = element(PAY, id="send", text="Go", click=None)
    shows = page(behind(), send, held(element(wrong, id="name", text="Ann")))
    verdict = asked(given, source, shows, read_again=read_again)
    assert verdict.level == "block"
    [reason] = verdict.reasons
    assert "nothing in the task allows Pay(name = " in str(reason.message) and reason.change == "boxes"


@SOURCES
@WRONGS
def test_a_label_whose_text_has_no_area(tmp_path, source, wrong) -> None:
    given = program(tmp_path, "done when tap earlier.\n")
    tab = element(PAY, element((100, 1710, 200, 1790)), element(wrong, text="Pay now"), click=True)
    verdict = asked(given, source, page(tab))
    assert verdict.level == "block"
    told = str(verdict.reasons[0].message)
    assert "(if these nodes show, whose boxes cannot be right: " in told and 'Pay now"' in told


@SOURCES
@WRONGS
def test_a_text_that_a_recognised_action_needs(tmp_path, source, wrong) -> None:
    given = program(tmp_path, 'allow Pay(name = "Eve").\ndone when tap earlier.\n')

    def shown(box, name):
        button = element(PAY, text="Send", id="send", click=True)
        return page(button, element((0, 100, 900, 200), element(box, id="name", text=name)))

    assert asked(given, source, shown((0, 100, 900, 200), "Mallory")).level == "block"
    assert asked(given, source, shown((0, 100, 900, 200), "Eve")).level == "allow"
    assert asked(given, source, shown(wrong, "Mallory")).level == "block"
    assert asked(given, source, shown(wrong, "Eve")).level == "allow"


@SOURCES
@WRONGS
def test_rules_against_a_gesture_read_both_ways(tmp_path, source, wrong) -> None:
    against = """deny "an error shows" when tap, Node(id = "error").
confirm "no tea" when tap, no Node(id = "tea").
"""
    given = program(tmp_path, f"{against}done when tap earlier.\n")
    tea = element((0, 0, 100, 100), id="tea")
    assert asked(given, source, page(behind(), tea)).level == "allow"
    error = element(wrong, id="error", text="Error")
    verdict = asked(given, source, page(behind(), tea, held(error)))
    assert verdict.level == "block" and "boxes cannot be right" in str(verdict.reasons[0].message)
    # where tea is not known to show, it may not: what speaks against the gesture in one reading is enough
    assert asked(given, source, page(behind(), held(element(wrong, id="tea")))).level == "confirm"


@SOURCES
def test_rules_read_how_large_nodes_may_be(tmp_path, source) -> None:
    """No other node may show, and nothing else take the touch: some node may only be larger."""
    given = program(
        tmp_path, 'deny "low" when tap, Node(id = "note", bottom > 250).\ndone when tap earlier.\n'
    )

    def shown(bottom):
        return page(behind(), held(element((0, 100, 1000, bottom), id="note")))

    assert asked(given, source, shown(200)).level == "allow"
    verdict = asked(given, source, shown(300))
    assert verdict.level == "block" and "boxes cannot be right" in str(verdict.reasons[0].message)


@SOURCES
@WRONGS
def test_a_licence_rests_on_what_shows(tmp_path, source, wrong) -> None:
    given = program(tmp_path, 'allow Pay when Node(id = "checked").\ndone when tap earlier.\n')
    checked = element((0, 0, 100, 100), id="checked")
    assert asked(given, source, page(pay(PAY), checked)).level == "allow"
    assert asked(given, source, page(pay(PAY), checked, held(element(wrong, id="other")))).level == "allow"
    assert asked(given, source, page(pay(PAY), held(element(wrong, id="checked")))).level == "block"


@SOURCES
@WRONGS
def test_no_task_is_done_with_a_missing_row(tmp_path, source, wrong) -> None:
    given = program(tmp_path, 'done when no Slot(time = "18:30").\n')

    def shown(box):
        slots = element(
            (66, 136, 1014, 1664),
            element((66, 200, 1014, 400), text="19:30"),
            element(box, text="20:30"),
            id="slots",
        )
        return page(slots)

    finish = Action("finish")
    assert asked(given, source, shown((66, 400, 1014, 600)), finish).level == "allow"
    assert asked(given, source, shown(wrong), finish).level == "block"


@SOURCES
@pytest.mark.parametrize("ends", [True, False])
def test_rules_about_ends_prove_no_whole_list(tmp_path, source, ends) -> None:
    """A rule says where the list begins and ends; a row in between has no area."""
    given = program(tmp_path, 'done when no Slot(time = "18:30").\n')

    def shown(*more):
        marks = [element((0, 0, 10, 10), id="first"), element((0, 10, 10, 20), id="last")] if ends else []
        one, two = element((66, 200, 1014, 400), text="19:30"), element((66, 600, 1014, 1700), text="20:30")
        return page(*marks, element((66, 136, 1014, 1664), one, *more, two, id="slots"))

    finish = Action("finish")
    assert asked(given, source, shown(), finish).level == ("allow" if ends else "block")
    assert asked(given, source, shown(element((0, 0, 0, 0), text="18:30")), finish).level == "block"


@SOURCES
def test_what_was_scrolled_away_is_not_touched(tmp_path, source) -> None:
    given = program(tmp_path, "done when tap earlier.\n")
    cut = element((0, 1950, 1080, 1920), text="Pay now", click=True)

    def rows(node):
        return (
            source(node)
            .replace('scrollable="false"', 'scrollable="true"')
            .replace('"isScrollable": false', '"isScrollable": true')
        )

    assert asked(given, rows, page(behind(), cut)).level == "allow"
    assert asked(given, source, page(behind(), cut)).level == "block"


def test_what_both_readings_write_is_believed(tmp_path) -> None:
    app = (
        APP
        + """state Seen "what was opened" { continued: Bool "whether it was" }
update Seen(continued = true) when tap(label = "Continue").
"""
    )
    given = program(
        tmp_path, 'warn "an odd node" when tap, Node(id = "odd").\ndone when Seen(continued = true).\n', app
    )
    guard = Guard(given)
    node = page(behind(), element((0, 0, 0, 0), id="odd"))
    screen = TreeScreen(load_tree(xml(node)), app=("com.shop", ".Main"), settled=True, now=NOW)
    guard.observe(screen)
    tap = Action("tap", {"x": 500, "y": 1750})
    verdict = guard.propose(tap)
    assert (verdict.level, len(verdict.reasons)) == ("warn", 1)
    verdict = guard.propose(tap)
    guard.commit(verdict)
    guard.observe(screen, delivered=True)
    assert guard.propose(Action("finish")).level == "allow"


def test_too_many_nodes_may_lie_there(tmp_path, monkeypatch) -> None:
    given = program(tmp_path, "done when tap earlier.\n")
    node = page(behind(), *(pay((0, 0, 0, 0)) for _ in range(4)))
    assert "nothing in the task allows Pay" in str(asked(given, xml, node).reasons[0].message)
    monkeypatch.setattr(resolve, "MOST_PLACES", 3)
    verdict = asked(given, xml, node)
    assert verdict.level == "block" and "5 nodes may take the touch" in str(verdict.reasons[0].message)


@SOURCES
@WRONGS
def test_a_list_is_complete_in_both_readings(tmp_path, source, wrong) -> None:
    app = APP.replace("Fits(node = ?l).", 'Fits(node = ?l), not Node(id = "loading").')
    app = app.replace("Slot(row = ?r, ", "Slot(")  # with a row what fits is a window of both ends
    given = program(tmp_path, 'done when no Slot(time = "18:30").\n', app)

    def shown(*more):
        return page(
            element((66, 300, 1014, 1664), element((66, 300, 1014, 400), text="19:30"), id="slots"), *more
        )

    finish = Action("finish")
    assert asked(given, source, shown(held(element((0, 100, 9, 109), id="other"))), finish).level == "allow"
    assert asked(given, source, shown(held(element(wrong, id="other"))), finish).level == "allow"
    assert asked(given, source, shown(held(element((0, 100, 9, 109), id="loading"))), finish).level == "block"
    assert asked(given, source, shown(held(element(wrong, id="loading"))), finish).level == "block"


@SOURCES
@WRONGS
def test_what_is_expected_is_met_in_both_readings(tmp_path, source, wrong) -> None:
    app = APP + 'expect not Node(id = "error") when Pay.\n'
    given = program(tmp_path, "allow Pay.\ndone when Pay earlier.\n", app)

    def outcome(*more):
        guard = Guard(given)
        looks = [
            TreeScreen(load_tree(source(node)), app=("com.shop", ".Main"), settled=True, now=NOW)
            for node in (page(pay(PAY)), page(pay(PAY), *more))
        ]
        guard.observe(looks[0])
        guard.commit(guard.propose(Action("tap", {"x": 500, "y": 1750})))
        observed = guard.observe(looks[1], delivered=True)
        return [contract.outcome for contract in observed.contracts]

    assert outcome(held(element((0, 100, 9, 109), id="other"))) == ["met"]
    assert outcome(held(element(wrong, id="other"))) == ["met"]
    assert outcome(held(element((0, 100, 9, 109), id="error"))) != ["met"]
    assert outcome(held(element(wrong, id="error"))) == ["inconclusive"]


BELIEFS = """state First "what comes first" { time: Text }
update First(time = ?t) when Node(id = "slots", node = ?l), TextIn(of = ?l, nth = 1, text = ?t).
state Old "what was there" { name: Text }
update Old(name = "a") when Node(id = "old").
delete Old when Node(id = "slots", node = ?l), TextIn(of = ?l, nth = 1, text = "19:00").
"""


def times(*rows, old=False):
    slots = element((0, 200, 1080, 1600), *rows, element((0, 400, 1080, 600), text="19:00"), id="slots")
    return page(slots, pay(PAY), *([element((0, 0, 100, 100), id="old")] if old else []))


@SOURCES
@WRONGS
def test_what_both_readings_read_is_believed(tmp_path, source, wrong) -> None:
    given = program(
        tmp_path, 'allow Pay when First(time = "19:00").\ndone when tap earlier.\n', APP + BELIEFS
    )
    assert asked(given, source, times()).level == "allow"
    assert asked(given, source, times(element(wrong, text="18:30"))).level == "block"
    assert asked(given, source, times(element(wrong, text=""))).level == "allow"


@SOURCES
@WRONGS
def test_what_both_readings_delete_is_gone(tmp_path, source, wrong) -> None:
    given = program(tmp_path, 'allow Pay when no Old(name = "a").\ndone when tap earlier.\n', APP + BELIEFS)
    for rows, level in (((), "allow"), ((element(wrong, text="18:30"),), "block")):
        guard = Guard(given)
        before = times(element((0, 200, 1080, 400), text="18:30"), old=True)
        for look in (before, times(*rows)):
            guard.observe(
                TreeScreen(load_tree(source(look)), app=("com.shop", ".Main"), settled=True, now=NOW)
            )
        assert guard.propose(Action("tap", {"x": 500, "y": 1750})).level == level


def contracts(given: Program, source, before, after, x=500):
    guard = Guard(given)
    guard.observe(TreeScreen(load_tree(source(before)), app=("com.shop", ".Main"), settled=True, now=NOW))
    guard.commit(guard.propose(Action("tap", {"x": x, "y": 1750})))
    tree = load_tree(source(after))
    observed = guard.observe(TreeScreen(tree, app=("com.shop", ".Main"), settled=True, now=NOW))
    return [contract.outcome for contract in observed.contracts]


@pytest.mark.sampled(3)
@SOURCES
@WRONGS
@pytest.mark.parametrize("look", ["before", "after", "both"])
def test_what_changed_is_read_in_both_readings(tmp_path, source, wrong, look) -> None:
    app = APP.replace("import std.tree", "import std.tree\nimport std.control")
    given = program(tmp_path, "allow Pay.\ndone when Pay earlier.\n", app + "expect Changed when Pay.\n")

    def shown(box, *more):
        return page(pay(PAY), held(element(box, id="note", text="A note")), *more)

    right = (0, 100, 900, 200)
    first, second = (wrong if look in (each, "both") else right for each in ("before", "after"))
    assert contracts(given, source, shown(right), shown(right)) == ["inconclusive"]
    assert contracts(given, source, shown(first), shown(second)) == ["inconclusive"]
    paid = element((0, 300, 900, 400), id="paid", text="Thanks")
    assert contracts(given, source, shown(first), shown(second, paid)) == ["met"]


@SOURCES
@WRONGS
def test_what_is_expected_is_violated_in_both_readings(tmp_path, source, wrong) -> None:
    app = (
        APP
        + """screen Paid over Main "it was paid" when Node(id = "paid").
expect screen Paid when Pay.
"""
    )
    given = program(tmp_path, "allow Pay.\ndone when Pay earlier.\n", app)
    right = (0, 100, 900, 200)

    def outcome(box, id):
        return contracts(given, source, page(pay(PAY)), page(pay(PAY), held(element(box, id=id))))

    assert outcome(right, "other") == outcome(wrong, "other") == ["violated"]
    assert outcome(right, "paid") == ["met"]
    assert outcome(wrong, "paid") == ["inconclusive"]
