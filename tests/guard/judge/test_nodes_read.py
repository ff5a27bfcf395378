"""Which nodes a verdict was reached by: those that gave parameters, and those that the licence needed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.guard.phones import Watch
from vsalang.guard import Guard, Settings, Verdict
from vsalang.guard.judge import nodes_read
from vsalang.language.semantics import load
from vsalang.program.action import Action
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump

APP = "com.example.bank"
HEAD = f"""
app bank package "{APP}" "Bank"
import std.tree
screen Page "A page" when Node(text = "Order").
action Pay(to: Text "whom") "Pay somebody"
"""
ORDER = 'view Order on Page "The order" {{ to: Text "whom" }}\nupdate Order(to = ?t) when {}.\n'
OF_ORDER = 'recognize Pay(to = ?t) when tap(id = "pay") with Order(to = ?t).\n'
TO = 'Node(id = "to", text matches /^To (?<t>.+)$/)'


def page(*nodes: Mapping[str, Any]) -> TreeScreen:
    """Nodes below one another, each 100 high; nodes within one are named by ``inside``."""
    texts = []
    for number, cells in enumerate(
        ({"text": "Order"}, *nodes, {"id": "pay", "text": "Pay", "clickable": "true"})
    ):
        told = {
            "class": "android.widget.TextView",
            "enabled": "true",
            "text": "",
            "content-desc": "",
            **cells,
        }
        inside = "".join(told.pop("inside", ()))
        name = told.pop("id", "")
        told["resource-id"] = f"{APP}:id/{name}" if name else ""
        told |= {"bounds": f"[0,{100 * number}][200,{100 * number + 100}]", "package": APP}
        said = " ".join(f'{name}="{value}"' for name, value in told.items())
        texts.append(f"<node {said}>{inside.replace('BOUNDS', told['bounds'])}</node>")
    own = f'class="F" text="" content-desc="" resource-id="" package="{APP}" bounds="[0,0][200,1500]"'
    root = f"<node {own}>{''.join(texts)}</node>"
    return TreeScreen(load_dump(f"<hierarchy>{root}</hierarchy>"), app=(APP, None))


def child(name: str, text: str) -> str:
    said = f'resource-id="{APP}:id/{name}" text="{text}" content-desc="" class="T" package="{APP}"'
    return f'<node {said} enabled="true" clickable="false" bounds="BOUNDS"/>'


@pytest.fixture
def judged(tmp_path: Path) -> Any:
    def made(module: str, *screens: TreeScreen, when: str = "", gesture: str = "tap", **args: Any) -> Verdict:
        (tmp_path / "bank.vsa").write_text(HEAD + module)
        allowing = f'allow Pay(to = "Ann"){f" when {when}" if when else ""}.'
        (tmp_path / "pay.vsa").write_text(
            f'spec pay "Pay."\nimport bank\n{allowing}\ndone when Pay earlier.\n'
        )
        settings = Settings(unknown_screen="allow")
        guard = Guard(load(tmp_path / "pay.vsa").checked(), clock=Watch(), settings=settings)
        for screen in screens:
            guard.observe(screen)
        verdict = guard.propose(Action(gesture, args or ({"id": "pay"} if gesture == "tap" else {})))
        assert verdict.level == "allow", [reason.message for reason in verdict.reasons]
        return verdict

    return made


def names(verdict: Verdict) -> set[Any]:
    """What tells the nodes that were read as such: those that only show a parameter have no class."""
    return {str(row["resource_id"]).rpartition("/")[2] for row in verdict.read if "class" in row}


TO_ANN = page({"id": "to", "text": "To Ann"}, {"id": "clock", "text": "12:01"})


def test_a_parameter_that_came_through_a_view(judged: Any) -> None:
    verdict = judged(ORDER.format(TO) + OF_ORDER, TO_ANN)
    assert "to" in names(verdict) and "clock" not in names(verdict)
    (row,) = [row for row in verdict.read if row.get("text") == "To Ann"]
    assert (row["left"], row["top"], row["class"], row["desc"]) == (0, 100, "TextView", "")


def test_a_parameter_that_the_gesture_itself_erases(judged: Any) -> None:
    """It is recognised before what is predicted."""
    kind = 'Node(id = "kind", text = "Recipient 1"), ?t = "Ann"'
    module = ORDER.format(kind) + OF_ORDER + 'update Order(to = unknown) when tap(id = "pay").\n'
    assert "kind" in names(judged(module, page({"id": "kind", "text": "Recipient 1"})))


def test_a_parameter_that_no_text_holds(judged: Any) -> None:
    """What stands on the page is another word than the parameter."""
    module = ORDER.format('Node(id = "kind", text = "Recipient 1"), ?t = "Ann"') + OF_ORDER
    assert "kind" in names(judged(module, page({"id": "kind", "text": "Recipient 1"})))


@pytest.mark.parametrize(
    "module",
    [
        f'define Whom(to = ?t) when {TO}.\nrecognize Pay(to = ?t) when tap(id = "pay"), Whom(to = ?t).\n',
        f"define Whom(to = ?t) when {TO}.\n" + ORDER.format("Whom(to = ?t)") + OF_ORDER,
        f'recognize Pay(to = ?t) when tap(id = "pay") with {TO}.\n',
        'list People "People" { to: Text "whom" }\nupdate People(row = ?n, to = ?t) when Node(node = ?n, id = "to", '
        'text matches /^To (?<t>.+)$/).\nrecognize Pay(to = ?t) when tap(id = "pay") with People(to = ?t).\n',
        f'state Last "The last" {{ to: Text "whom" }}\nupdate Last(to = ?t) when {TO}.\n'
        'recognize Pay(to = ?t) when tap(id = "pay") with Last(to = ?t).\n',
    ],
)
def test_ways_that_a_parameter_takes(judged: Any, module: str) -> None:
    assert "to" in names(judged(module, TO_ANN))


def test_what_earlier_screens_showed_is_not_asked_for(judged: Any) -> None:
    module = f'state Last "The last" {{ to: Text "whom" }}\nupdate Last(to = ?t) when {TO}.\n'
    module += 'recognize Pay(to = ?t) when tap(id = "pay") with Last(to = ?t).\n'
    assert not names(judged(module, TO_ANN, page({"id": "note", "text": "nothing"})))


@pytest.mark.parametrize(
    ("when", "read"),
    [
        ('Node(id = "agreed", checked = true)', {"agreed"}),
        ('screen Page, Node(id = "agreed")', {"agreed", ""}),
        ("Rate(free = true)", {"fee"}),
        ('count(Node(id = "agreed")) >= 1', {"agreed"}),
        ("Always", {""}),
    ],
)
def test_what_a_licence_needed(judged: Any, when: str, read: set[str]) -> None:
    module = 'recognize Pay(to = "Ann") when tap(id = "pay").\n'
    module += 'define Always when Node(text = "Order").\nview Rate on Page "The rate" { free: Bool "free" }\n'
    module += 'update Rate(free = true) when Node(id = "fee").\n'
    screen = page({"id": "agreed", "checked": "true", "checkable": "true"}, {"id": "fee", "text": "none"})
    verdict = judged(
        module, screen, when=when if "screen" not in when else when.replace("screen Page", "screen Page")
    )
    assert names(verdict) == read
    for row in verdict.read:
        if "checked" in when and "class" in row:
            assert row["checked"] is True


def test_rows_are_told_by_what_is_around_them(judged: Any) -> None:
    """The name is in the row of the button that is touched, and the row belongs to it."""
    module = 'recognize Pay(to = ?t) when tap(id = "pay"), Node(id = "row", node = ?r), '
    module += 'Part(of = ?r, id = "to", text = ?t).\n'
    verdict = judged(module, page({"id": "row", "inside": (child("to", "Ann"),)}))
    assert names(verdict) == {"row", "to"}


def test_what_the_label_of_a_control_says(judged: Any) -> None:
    """It is the text of a node within."""
    module = 'recognize Pay(to = ?t) when tap(id = "pay"), Node(id = "row", label = ?t).\n'
    verdict = judged(module, page({"id": "row", "clickable": "true", "inside": (child("who", "Ann"),)}))
    assert names(verdict) == {"row", "who"}
    assert {row.get("label") for row in verdict.read if "label" in row} == {"Ann"}


def test_a_key_needs_the_control_that_has_the_focus(judged: Any) -> None:
    """It is a tap on that control, too."""
    focused = {"id": "send", "text": "Send", "clickable": "true", "focused": "true"}
    verdict = judged(
        ORDER.format(TO) + OF_ORDER.replace('"pay"', '"send"'),
        page({"id": "to", "text": "To Ann"}, focused),
        gesture="press_key",
        key="ENTER",
    )
    assert names(verdict) == {"to", "send"}
    assert {row["focused"] for row in verdict.read if "focused" in row} == {True}


def test_what_takes_too_long_reads_all(judged: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes_read, "MOST_STEPS", 1)
    twice = page({"id": "to", "text": "Ann"}, {"id": "to", "text": "To Ann"})
    verdict = judged(ORDER.format(TO) + OF_ORDER, twice)
    assert {"To Ann", "Ann"} <= {row["text"] for row in verdict.read if "class" in row}


def test_gestures_that_are_no_action_read_nothing(judged: Any) -> None:
    verdict = judged(ORDER.format(TO) + OF_ORDER, TO_ANN, gesture="back")
    assert not verdict.read


def test_rows_are_tried_by_cells_that_are_known(judged: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long screen is not gone through for each row that a rule joins by a number."""
    monkeypatch.setattr(nodes_read, "MOST_STEPS", 10)
    others = ({"id": f"row{nth}", "text": f"To {nth}"} for nth in range(12))
    module = (
        "recognize Pay(to = ?t) when tap(node = ?n), Node(node = ?n, parent = ?p), "
        'Node(node = ?m, parent = ?p, id = "to"), Node(node = ?m, text = ?t).\n'
    )
    verdict = judged(module, page(*others, {"id": "to", "text": "Ann"}))
    assert names(verdict) == {"", "to", "pay"}  # "" is what holds both
