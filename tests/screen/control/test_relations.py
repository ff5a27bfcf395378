"""The relations of `std.control`: of one screen, and of what changed since the last action."""

from collections.abc import Iterable

import pytest

from tests.screen.control.making import listed, node, page
from vsalang.guard import Guard, Settings, run_example
from vsalang.language.semantics import load_text
from vsalang.program.action import Action
from vsalang.program.screen import Cells
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Tree

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
    """What is cut off may have changed, is not gone, and may have been there; what both show may have changed."""
    before, after = TreeScreen(form()), TreeScreen(form(), partial=True)
    assert not after.since(before).relations() & {"Transition", "Changed", "Gone"}
    fewer = TreeScreen(page(), partial=True).since(before)
    assert not any(fewer.rows(name) for name in ("Transition", "Changed", "Gone"))
    assert not TreeScreen(form()).since(TreeScreen(page(), partial=True)).rows("Appeared")
    typed = TreeScreen(form("tea"), partial=True).since(before)
    assert typed.rows("Changed") and typed.rows("Delta") and typed.rows("Transition") == ({},)
    other = TreeScreen(page(node("Button", text="Next")), partial=True).since(before)
    assert other.rows("Changed") and not other.rows("Gone")
    whole = TreeScreen(form())
    assert cells(whole.since(before).rows("Transition"), "kind") == [("NoChange",)]
    assert not whole.since(after).rows("Transition")


def test_a_choice_among_look_alikes_changes_something() -> None:
    def colours(chosen: int) -> TreeScreen:
        return TreeScreen(
            page(
                *(
                    node(
                        "RadioButton",
                        at=(100 * n, 0, 100 * n + 90, 90),
                        checkable="true",
                        clickable="true",
                        checked=str(n == chosen).lower(),
                    )
                    for n in range(3)
                ),
                *(node("TextView", at=(0, 100 * n, 900, 100 * n + 90), text=f"{n}") for n in range(1, 5)),
            )
        )

    moved = colours(1).since(colours(0))
    assert cells(moved.rows("Transition"), "kind") == [("PartialChange",)]
    assert len(moved.rows("Gone")) == len(moved.rows("Appeared")) == 2
    assert not moved.rows("Delta") and not {row["class"] for row in moved.rows("Kept")} & {"RadioButton"}
    assert cells(colours(1).since(colours(1)).rows("Transition"), "kind") == [("NoChange",)]


def guard_of(text: str) -> Guard:
    loaded = load_text(text)
    assert loaded.program is not None, [d.message for d in loaded.diagnostics]
    return Guard(loaded.program, settings=Settings(unknown_screen="allow"))


def test_waiting_scrolls_nothing() -> None:
    guard = guard_of('policy p\nimport std.control\nflag "moved" when Moved.\nflag "all" when Changed.\n')
    guard.observe(TreeScreen(page(listed("A", "B", "C", "D", top=50))))
    guard.commit(guard.propose(Action("wait", {})))
    seen = guard.observe(TreeScreen(page(listed("B", "C", "D", top=50))))
    assert [reason.message for reason in seen.recorded] == ["all"]


def test_a_lost_look_meets_no_contract() -> None:
    """What was not looked at shows neither that something is there nor that it is not."""
    guard = guard_of(
        "policy p\nimport std.control\n"
        '@id("rest") expect not Changed when tap.\n@id("node") expect no Node(text = "Failed") when tap.\n'
    )
    guard.observe(TreeScreen(form()))
    for look, wanted in ((None, "inconclusive"), (TreeScreen(form()), "met")):
        guard.commit(guard.propose(Action("tap", {"text": "Agree"})))
        told = guard.observe(look)
        assert {c.rule: c.outcome for c in told.contracts} == {"rest": wanted, "node": wanted}
        guard.observe(TreeScreen(form()))


@pytest.mark.parametrize(("box", "wanted"), [("true", "met"), ("false", "violated"), (None, "inconclusive")])
def test_a_node_shown_otherwise_violates(box: str | None, wanted: str) -> None:
    """A contract says what would violate it; that the node is not there is no evidence."""
    guard = guard_of(
        "policy p\nimport std.control\n"
        '@id("box") expect Kept(was = ?n, checked = true), not Kept(was = ?n, checked = false)'
        " when tap(node = ?n, checked = false).\n"
    )
    guard.observe(TreeScreen(form()))
    guard.commit(guard.propose(Action("tap", {"text": "Agree"})))
    told = guard.observe(TreeScreen(page() if box is None else form("", box)))
    assert [c.outcome for c in told.contracts] == [wanted]


def test_an_app_reads_its_own_controls() -> None:
    """Controls and changes of another app that lies above are not the app's."""
    guard = guard_of(
        'app bank package "com.bank" "A bank"\nimport std.control\n'
        'view Payee "Who gets it" { name: Text }\nview Price "What it costs" { text: Text }\n'
        "update Payee(name = ?v) when Control(kind = field, value = ?v).\n"
        'update Price(text = ?v) when Kept(resource_id = "price", text = ?v).\n'
    )
    field = node("EditText", at=(0, 0, 90, 90), text="Ann", clickable="true")
    price = node("TextView", at=(0, 90, 90, 180), text="FREE", resource_id="price")
    for package, rows in (("com.evil", 0), ("com.bank", 1)):
        for _ in range(2):
            shown = TreeScreen(page(field.replace("com.app", package), price.replace("com.app", package)))
            guard.observe(shown)
            if guard.running is False:
                verdict = guard.propose(Action("wait", {}))
                guard.commit(verdict)
        guard.observe(shown)
        for relation in ("Payee", "Price"):
            assert len(guard.snapshot.world.table(f"bank.{relation}").rows) == rows, (package, relation)


@pytest.mark.parametrize("absent", ['Control(value = "on")', "Kept(was = 1)", "Changed"])
def test_absence_alone_is_no_evidence(absent: str) -> None:
    loaded = load_text(
        'app a package "com.a" "A"\nimport std.control\nstate Off "Off" { on: Bool }\n'
        f'update Off(on = false) when Node(id = "main"), not {absent}.\n'
    )
    assert [d.code for d in loaded.diagnostics if d.code == "E0407"]


def test_given_changes_are_of_one_action() -> None:
    loaded = load_text(
        'policy p\nimport std.control\ndeny "again" when tap, Changed.\n'
        'test "t" for p {\n'
        '  observe Node(node = 1, text = "a", clickable = true).\n'
        '  tap(text = "a") => allow.\n  observe Changed.\n  tap(text = "a") => block.\n'
        '  tap(text = "a") => block.\n  back.\n  tap(text = "a") => allow.\n}\n'
    )
    assert loaded.program is not None, [d.message for d in loaded.diagnostics]
    (example,) = loaded.examples
    result = run_example(loaded.program, example)
    assert result.passed, result


def test_the_guard_compares_with_what_was_acted_on() -> None:
    """Also after a second look; the first look has nothing to compare with."""
    guard = guard_of(
        "policy p\nimport std.control\n"
        'flag "changed {?k}" when Transition(kind = ?k).\n'
        'flag "typed {?t}" when Delta(attribute = "text", after = ?t).\n'
    )
    assert not guard.observe(TreeScreen(form())).recorded
    verdict = guard.propose(Action("input_text", {"resource_id": FIELD, "value": "tea"}))
    guard.commit(verdict)
    late = guard.observe(TreeScreen(form()))
    assert [reason.message for reason in late.recorded] == ["changed NoChange"]
    seen = guard.observe(TreeScreen(form("tea")))
    assert sorted(reason.message for reason in seen.recorded) == ["changed PartialChange", "typed tea"]
