"""The control graph: which controls come before which, the frontier, and admissible orders."""

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.guard.graph.phone import MailPhone, compose, invite
from tests.screen.control.making import node, page
from tests.thorough import some
from vsalang import load, load_text
from vsalang.guard import Guard
from vsalang.guard.graph import FINISH, ControlGraph, graph, graph_of
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.program.action import Action
from vsalang.screen.control import controls
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import read_tree

ALL = ("to", "subject", "copy", "check", "more", "send")
BEFORE = {"check": {"to"}, "send": {"to", "subject", "copy", "check"}, FINISH: {"send"}}
"""What comes before what, by hand."""


@pytest.fixture(scope="module")
def made() -> ControlGraph:
    return graph(compose(), invite())


def keys(made: ControlGraph, *ids: str) -> list[str]:
    known = {unit.node.id: unit.key for unit in made.units}
    return [known.get(each, each) for each in ids]


def ids(made: ControlGraph, units: object) -> list[str]:
    return [unit.node.id for unit in units]  # type: ignore[attr-defined]


def test_edges_are_what_the_rules_say(made: ControlGraph) -> None:
    found: dict[str, set[str]] = {}
    for edge in made.edges:
        if edge.kind == "cells":
            target = FINISH if edge.target == FINISH else made.unit(edge.target).node.id
            found.setdefault(str(target), set()).add(str(made.unit(edge.source).node.id))
    assert found == BEFORE


def test_an_edge_names_its_rules_and_cells(made: ControlGraph) -> None:
    to, send = keys(made, "to", "send")
    (edge,) = [edge for edge in made.edges if (edge.source, edge.target) == (to, send)]
    assert [cell.short for cell in edge.cells] == ["Draft.to"]
    assert {rule.id for rule in edge.writes} == {"mail:7", "mail:8"}
    assert {rule.id for rule in edge.reads} == {"mail:13", "invite:2"}
    assert all(rule.span is not None for rule in (*edge.writes, *edge.reads))
    assert made.why(edge) == (
        'field "To" writes Draft.to (mail:7, mail:8), which button "Send" reads '
        '(mail:13: Draft(to = ?t, subject = ?s); invite:2: Draft(to = "Ann", subject = "Lunch"))'
    )


def test_an_opener_leads_to_its_screen(made: ControlGraph) -> None:
    (edge,) = [edge for edge in made.edges if edge.kind == "opens"]
    assert made.why(edge) == 'opener "More options" opens Menu (mail:11)'


def test_the_frontier_grows_with_what_is_done(made: ControlGraph) -> None:
    assert ids(made, made.frontier()) == ["to", "subject", "copy", "more"]
    assert ids(made, made.frontier(done=keys(made, "to"))) == ["to", "subject", "copy", "check", "more"]
    done = keys(made, "to", "subject", "copy", "check")
    assert "send" in ids(made, made.frontier(done=done))


def test_what_is_right_already_needs_no_control() -> None:
    guard = Guard(invite(), MailPhone(to="Ann", subject="Lunch", copy=True))
    with guard:
        made = graph_of(guard)
        assert ids(made, made.frontier()) == ["to", "subject", "copy", "check", "more"]
        assert guard.step(Action("tap", {"id": "check"})).performed
        assert "send" in ids(made, made.frontier(guard.snapshot))


def test_what_comes_too_early_is_named(made: ControlGraph) -> None:
    said = made.admissible(keys(made, "to", "copy", "send"))
    assert not said and said.unit == keys(made, "send")[0]
    assert said.why == (
        'button "Send" comes too early; before it must come field "Subject" (for Draft.subject, which mail:13 and '
        'invite:2 read) and button "Check" (for Check, which invite:2 reads)'
    )
    assert made.admissible(keys(made, "to", "check", "subject", "copy", "send", FINISH))


@given(order=st.permutations(ALL))
def test_an_order_is_admissible_iff_nothing_is_missing(made: ControlGraph, order: list[str]) -> None:
    """A topological order always is; one in which a control comes before what it needs never is."""
    early = [each for number, each in enumerate(order) if not BEFORE.get(each, set()) <= set(order[:number])]
    said = made.admissible(keys(made, *order))
    assert bool(said) is (not early)
    if early:
        assert said.unit == keys(made, early[0])[0]


@given(done=st.sets(st.sampled_from(ALL)))
def test_the_frontier_has_no_unmet_predecessor(made: ControlGraph, done: set[str]) -> None:
    frontier = ids(made, made.frontier(done=keys(made, *done)))
    assert set(frontier) == {each for each in ALL if BEFORE.get(each, set()) <= done}


def test_each_missing_predecessor_is_found(made: ControlGraph) -> None:
    for left_out in combinations(sorted(BEFORE["send"]), 1):
        order = [each for each in ("to", "subject", "copy", "check") if each not in left_out] + ["send"]
        if left_out == ("to",):
            assert made.admissible(keys(made, *order)).unit == keys(made, "check")[0]
        else:
            assert made.admissible(keys(made, *order)).unit == keys(made, "send")[0]


def test_an_unknown_unit_is_an_error(made: ControlGraph) -> None:
    with pytest.raises(ValueError, match="no unit `nothing`"):
        made.admissible(["nothing"])


APP = """
app shop package "com.app"
state Cart key (item) { item: Text  count: Number }
state Mode { fast: Bool  dear: Bool }
view Note { text: Text }
define Ready when Mode(fast = true).
define Ready when Mode(dear = true).
update Cart(item = "tea", count = 1) when tap(id = "tea").
update Cart(item = "rum", count = 1) when tap(id = "rum").
delete Cart(item = "rum") when tap(id = "drop").
update Mode(fast = true) when tap(id = "fast").
update Mode(dear = true) when tap(id = "dear").
update Mode(fast = unknown) when tap(id = "forget").
action Pay
recognize Pay when tap(id = "pay").
"""
BUTTONS = ("tea", "rum", "drop", "fast", "dear", "forget", "pay")


@pytest.mark.parametrize(
    ("clause", "wanted", "orders", "early"),
    [
        # the key tells which row is meant
        ('allow Pay when Cart(item = "tea").', {"tea"}, ["tea pay"], ["rum pay", "pay"]),
        # one rule of a definition is enough; what is made unknown is not right
        ("allow Pay when Ready.", {"fast", "dear"}, ["fast pay", "dear pay"], ["forget pay", "pay"]),
        ("allow Pay when Mode(fast = true, dear = true).", {"fast", "dear"}, ["fast dear pay"], ["fast pay"]),
        # one clause of several is enough
        (
            'allow either Pay when Cart(item = "tea"). allow either Pay when Cart(item = "rum").',
            {"tea", "rum"},
            ["tea pay", "rum pay"],
            ["pay"],
        ),
        # one that contradicts itself is none
        (
            "allow either Pay when Mode(fast = true), Mode(fast = false). allow either Pay when Mode(dear = true).",
            {"dear"},
            ["dear pay"],
            ["fast pay", "pay"],
        ),
        # of conditions on several rows the graph cannot tell whether they hold
        ("allow Pay when count(Cart(count = 1)) >= 1.", {"tea", "rum", "drop"}, ["tea pay"], ["fast pay"]),
        # a row that is not there is not in the way
        ('allow Pay when no Cart(item = "rum").', {"rum", "drop"}, ["pay", "drop pay"], []),
        # what nothing here writes comes from another screen
        ('allow Pay when Note(text = "x").', set(), ["pay"], []),
    ],
)
def test_what_a_licence_wants(
    tmp_path: Path, clause: str, wanted: set[str], orders: list[str], early: list[str]
) -> None:
    (tmp_path / "shop.vsa").write_text(APP, encoding="utf-8")
    spec = tmp_path / "buy.vsa"
    spec.write_text(f'spec buy "Buy."\nimport shop\n{clause}\ndone when Pay earlier.\n', encoding="utf-8")
    kids = (
        node(
            "Button",
            at=(0, 90 * n, 900, 90 * n + 90),
            clickable="true",
            text=id_,
            resource_id=f"com.app:id/{id_}",
        )
        for n, id_ in enumerate(BUTTONS)
    )
    made = graph(TreeScreen(page(*kids)), load(spec).checked())
    pay = keys(made, "pay")[0]
    sources = {made.unit(edge.source).node.id for edge in made.edges if edge.target == pay}
    assert sources == wanted
    assert [order for order in orders if not made.admissible(keys(made, *order.split()))] == []
    assert [order for order in early if made.admissible(keys(made, *order.split()))] == []


LOG_IN = """
spec log_in "Log in as Ada, then save switch 1 on."
import apps.trusttest
allow LogIn(username = "Ada") when LoginForm(password_given = true).
allow SaveSwitches(first = true, second = false, third = false).
done when SaveSwitches earlier.
"""


@pytest.mark.parametrize(
    ("dump", "target", "before"),
    [
        ("174", "buttonSubmit", {"editTextUsername", "editTextPassword"}),
        ("164", "saveButton", {"switch1", "switch2", "switch3"}),
    ],
)
def test_real_screens_of_a_described_app(shared_data: Path, dump: str, target: str, before: set[str]) -> None:
    tree = read_tree(str(shared_data / "ui_dumps" / f"{dump}_com.example.trusttest.xml.gz"))
    made = graph(TreeScreen(tree), load_text(LOG_IN).checked())
    (key,) = keys(made, target)
    assert {made.unit(edge.source).node.id for edge in made.edges if edge.target == key} == before
    assert target not in ids(made, made.frontier())
    assert made.admissible(keys(made, *sorted(before), target))


def test_every_real_screen_has_a_graph(shared_data: Path) -> None:
    """With the rules of an app of which most of them are not: a screen is data, and ends nothing."""
    program = load_text(LOG_IN).checked()
    files = some(sorted((shared_data / "ui_dumps").glob("*.xml.gz")), 30, 3)
    assert files
    for file in files:
        screen = TreeScreen(read_tree(str(file)))
        made = graph(screen, program)
        assert len(made.units) == len(controls(screen.tree))
        for edge in made.edges:
            assert made.why(edge)


def test_a_graph_needs_a_tree() -> None:
    guard = Guard(invite())
    with pytest.raises(ValueError, match="UI tree"):
        graph_of(guard)
    guard.observe(FactScreen())
    with pytest.raises(ValueError, match="UI tree"):
        graph_of(guard)


def test_making_a_graph_changes_nothing() -> None:
    guard = Guard(invite())
    guard.observe(compose())
    before, verdict = guard.snapshot, guard.propose(Action("tap", {"id": "more"}))
    graph_of(guard)
    assert guard.snapshot is before
    guard.commit(verdict)
