"""Steps that are taken back on a simulated phone: by recorded values, opposite movements, edges and `back`."""

from collections.abc import Iterator

import pytest

from tests.agents.rank.form import Form, form
from vsalang.agents.rank import NoUndo, Undo, undo
from vsalang.guard.graph.commitment import aim
from vsalang.program.action import Action


@pytest.fixture
def phone() -> Iterator[Form]:
    with form() as found:
        yield found


def test_a_text_is_typed_again_as_it_was(phone: Form) -> None:
    phone.do("input_text", id="note", value="other words")
    assert phone.state["note"] == "other words"
    ways, end = phone.take_back()
    assert ways == ["value"] and end.kind == "done"
    assert phone.state["note"] == "hello"


def test_a_field_that_was_empty_is_cleared(phone: Form) -> None:
    phone.do("input_text", id="more", value="words")
    ways, end = phone.take_back()
    assert ways == ["value"] and end.kind == "done"
    assert phone.state["more"] == ""


def test_what_the_task_wants_is_not_taken_back(phone: Form) -> None:
    """The guard warns of the old name: it is not what the task needs."""
    phone.do("input_text", id="name", value="Bob")
    found = phone.undo()
    assert isinstance(found, NoUndo) and found.kind == "refused" and "Ann" in found.why


def test_a_text_that_was_cleared_comes_back(phone: Form) -> None:
    phone.do("clear_text", id="note")
    assert phone.state["note"] == ""
    assert phone.take_back()[0] == ["value"]
    assert phone.state["note"] == "hello"


def test_what_a_password_field_held_is_not_known(phone: Form) -> None:
    phone.do("input_text", id="secret", value="xyz")
    found = phone.undo()
    assert isinstance(found, NoUndo) and found.kind == "refused" and "password" in found.why
    assert phone.state["secret"] == "xyz"


def test_a_toggle_is_set_back_once(phone: Form) -> None:
    phone.do("tap", desc="Loud")
    assert phone.state["loud"] is True
    ways, end = phone.take_back()
    assert ways == ["toggle"] and end.kind == "done"
    assert phone.state["loud"] is False


def test_a_choice_in_a_dialog_is_made_again(phone: Form) -> None:
    phone.do("tap", id="sizes")
    phone.do("tap", text="Large")
    assert phone.state["size"] == "Large"
    ways, end = phone.take_back()
    assert ways == ["choice"] and end.kind == "done"
    assert phone.state["size"] == "Medium"


def test_a_dialog_is_left_again(phone: Form) -> None:
    phone.do("tap", id="sizes")
    ways, end = phone.take_back()
    assert ways == ["back"] and end.kind == "done"
    assert phone.state["size"] == "Medium" and any(s.endswith(":Main") for s in phone.guard.screens)


def test_a_scroll_goes_the_other_way(phone: Form) -> None:
    phone.do("tap", id="trees")
    phone.do("scroll", id="rows", direction="down")
    ways, end = phone.take_back()
    assert set(ways) == {"scroll"} and end.kind == "done"
    assert any(node.text == "Alder" for node in phone.screen.tree.nodes)


def test_a_declared_edge_comes_before_back(phone: Form) -> None:
    phone.do("tap", id="about")
    found = phone.undo()
    assert isinstance(found, Undo) and found.way == "edge" and found.action.name == "tap"
    assert phone.take_back()[0] == ["edge"]


def test_a_page_without_an_edge_is_left_by_back(phone: Form) -> None:
    phone.do("tap", id="trees")
    assert phone.take_back()[0] == ["back"]


def test_a_back_that_leaves_the_app_opens_it_again(phone: Form) -> None:
    """The other tab looks like a new page, but nothing was opened: `back` leaves the app."""
    phone.do("tap", id="tab_two")
    found = phone.undo()
    assert isinstance(found, Undo) and found.way == "back"
    assert phone.guard.step(found.action).performed
    assert phone.screen.app is not None and phone.screen.app[0] != "org.example.form"
    again = phone.undo()
    assert isinstance(again, Undo) and again.way == "app"
    assert phone.guard.step(again.action).performed
    assert phone.screen.app is not None and phone.screen.app[0] == "org.example.form"


def test_a_change_on_the_same_page_is_not_left(phone: Form) -> None:
    """`back` would leave the page, and the counter would stand as it does."""
    phone.do("tap", id="count")
    assert phone.state["sent"] == 10
    found = phone.undo()
    assert isinstance(found, NoUndo) and found.kind == "unknown"


def test_a_critical_action_is_never_undone(phone: Form) -> None:
    phone.do("input_text", id="name", value="Bob")
    phone.do("input_text", id="city", value="Rome")
    phone.do("back")  # the keyboard lies above the button
    phone.do("tap", id="send")
    assert phone.state["sent"] == 1
    inputs = len(phone.device.phone.inputs)
    found = phone.undo()
    assert isinstance(found, NoUndo) and found.kind == "refused" and "Send" in found.why
    assert len(phone.device.phone.inputs) == inputs


def test_what_did_nothing_needs_no_undo(phone: Form) -> None:
    phone.do("wait")
    found = phone.undo()
    assert isinstance(found, NoUndo) and found.kind == "done"


def test_an_undo_that_the_guard_blocks_is_not_given(phone: Form) -> None:
    phone.do("tap", id="trees")

    class Blocking:
        screens = phone.guard.screens

        def judge_all(self, actions: object) -> object:
            phone.guard.machine.session.failed = "broken"
            try:
                return phone.guard.judge_all(actions)  # type: ignore[arg-type]
            finally:
                phone.guard.machine.session.failed = ""

    found = undo(phone.steps[-1], phone.screen, Blocking(), ())  # type: ignore[arg-type]
    assert isinstance(found, NoUndo) and found.kind == "refused"


def test_nothing_of_an_undo_is_done_by_itself(phone: Form) -> None:
    phone.do("input_text", id="note", value="other words")
    inputs, state = tuple(phone.device.phone.inputs), phone.state
    found = phone.undo()
    assert isinstance(found, Undo)
    assert tuple(phone.device.phone.inputs) == inputs and phone.state == state
    assert isinstance(aim(found.action, phone.screen, phone.screen), Action)
