"""The relations of `std.control`: of one screen, and of what changed since the last action."""

from collections.abc import Iterable

from tests.control.making import listed, node, page
from vsalang.core.action import Action
from vsalang.core.screen import Cells
from vsalang.device.screen import TreeScreen
from vsalang.guard import Guard, Settings
from vsalang.semantics import load_text
from vsalang.tree import Tree

FIELD = "com.app:id/name"


def form(typed: str = "", box: str = "false", *more: str) -> Tree:
    field = node(
        "EditText", at=(0, 100, 900, 190), text=typed, resource_id=FIELD, clickable="true", focused="true"
    )
    agree = node(
        "CheckBox",
        at=(0, 200, 900, 290),
        text="Agree",
        checked=box,
        checkable="true",
        clickable="true",
    )
    return page(field, agree, *more)


def cells(rows: Iterable[Cells], *names: str) -> list[tuple[object, ...]]:
    return [tuple(row.get(name) for name in names) for row in rows]


def test_controls_are_rows() -> None:
    screen = TreeScreen(form("tea", "true"))
    field, agree = (n.node for n in screen.tree.nodes[1:])
    assert cells(screen.rows("Control"), "node", "taker", "kind", "label", "value", "certain") == [
        (field, field, "field", None, "tea", True),
        (agree, agree, "toggle", "Agree", "on", True),
    ]
    units = cells(screen.rows("Control"), "unit")
    assert cells(screen.rows("UnitPart"), "unit", "node", "role") == [
        (*units[0], field, "target"),
        (*units[1], agree, "target"),
    ]


def test_changes_need_an_earlier_screen() -> None:
    screen = TreeScreen(form())
    assert "Control" in screen.relations()
    assert "Changed" not in screen.relations()
    assert not screen.rows("Transition")


def test_changes_are_rows() -> None:
    before = TreeScreen(form("", "false", node("Button", at=(0, 300, 99, 390), text="Old")))
    after = TreeScreen(form("tea", "true", node("Button", at=(0, 400, 99, 490), text="New"))).since(before)
    assert cells(after.rows("Transition"), "kind") == [("PartialChange",)]
    assert cells(after.rows("Changed")) == [()]
    assert cells(after.rows("Delta"), "attribute", "before", "after") == [
        ("text", None, "tea"),
        ("checked", "false", "true"),
    ]
    kept = {row["was"]: row for row in after.rows("Kept")}
    field = next(n.node for n in before.tree.nodes if n.resource_id == FIELD)
    assert kept[field]["text"] == "tea"
    new = next(n.node for n in after.tree.nodes if n.text == "New")
    old = next(n.node for n in before.tree.nodes if n.text == "Old")
    assert cells(after.rows("Appeared"), "node") == [(new,)]
    assert cells(after.rows("Gone"), "was") == [(old,)]


def test_lists_move_after_a_scroll_only() -> None:
    before, after = (
        TreeScreen(page(listed(*titles, top=50))) for titles in (("A", "B", "C", "D"), ("B", "C", "D", "E"))
    )
    assert not after.since(before).rows("Moved")
    assert len(after.since(before, scrolled=True).rows("Moved")) == 1


def test_a_partial_capture_proves_no_rest() -> None:
    """What is cut off may have changed, and is not gone."""
    before, after = TreeScreen(form()), TreeScreen(form(), partial=True)
    assert not after.since(before).rows("Transition")
    assert not TreeScreen(page(), partial=True).since(before).rows("Gone")
    assert cells(TreeScreen(form()).since(before).rows("Transition"), "kind") == [("NoChange",)]


def test_the_guard_compares_with_what_was_acted_on() -> None:
    """Also after a second look; the first look has nothing to compare with."""
    loaded = load_text(
        "policy p\nimport std.control\n"
        'flag "changed {?k}" when Transition(kind = ?k).\n'
        'flag "typed {?t}" when Delta(attribute = "text", after = ?t).\n'
    )
    assert loaded.program is not None, [d.message for d in loaded.diagnostics]
    guard = Guard(loaded.program, settings=Settings(unknown_screen="allow"))
    assert not guard.observe(TreeScreen(form())).recorded
    verdict = guard.propose(Action("input_text", {"resource_id": FIELD, "value": "tea"}))
    guard.commit(verdict)
    late = guard.observe(TreeScreen(form()))
    assert [reason.message for reason in late.recorded] == ["changed NoChange"]
    seen = guard.observe(TreeScreen(form("tea")))
    assert sorted(reason.message for reason in seen.recorded) == ["changed PartialChange", "typed tea"]
