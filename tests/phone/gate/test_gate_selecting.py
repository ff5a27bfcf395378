"""Calls by selectors: what takes them on the phone is the node that was judged."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.phone.gate.live import REFUSED, Live, live
from tests.phone.gate.test_gate_held import Agent
from vsalang.phone import DeviceError, DeviceLost, NotDelivered
from vsalang.phone.gate.selecting import placed
from vsalang.program.action import Action

BOX = {"left": 0, "top": 200, "right": 200, "bottom": 280}
OK = {"mask": 1, "childOrSibling": [], "childOrSiblingSelector": [], "text": "OK"}


class Server:
    """What the phone's server says of a selector."""

    def __init__(self, count: Any, bounds: Any = None, fails: Exception | None = None) -> None:
        self.answers = {"count": count, "objInfo": {"bounds": bounds}}
        self.fails = fails
        self.asked: list[str] = []

    def ask(self, call: bytes) -> bytes:
        if self.fails is not None:
            raise self.fails
        method, (selector,) = json.loads(call)["method"], json.loads(call)["params"]
        assert ("instance" in selector) == bool(selector["mask"] & 0x1000000)
        self.asked.append(method)
        answer = self.answers[method]
        if method == "objInfo" and isinstance(answer["bounds"], list):  # of each instance
            answer = {"bounds": answer["bounds"][selector["instance"]]}
        return json.dumps({"jsonrpc": "2.0", "id": 1, "result": answer}).encode()


def send(method: str, *params: Any, server: Server, at: tuple[Any, Any] = (100, 240)) -> dict[str, Any]:
    body = json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).encode()
    action = Action("tap", {"text": "OK"})
    cells = {**BOX, "top": 210, "x": at[0], "y": at[1]}
    found = json.loads(placed(body, [action], lambda _: cells, server.ask))
    assert isinstance(found, dict) and found["id"] == 7
    return found


def test_a_click_goes_to_the_judged_place() -> None:
    server = Server(2, BOX)
    assert send("click", OK, server=server)["params"] == [100, 240]
    found = send("longClick", OK, server=server)
    assert (found["method"], found["params"]) == ("click", [100, 240, 1000])
    assert server.asked == []


OTHERS = [
    ("setText", OK, "x"),
    ("setText", {**OK, "instance": 0, "mask": 1 | 0x1000000}, "x"),
    ("clearTextField", OK),
    ("swipe", OK, "up", 10),
    ("scrollForward", OK, True),
    ("clickAndWaitForNewWindow", OK, 100),
    ("flingToEnd", OK, True, 3),
    ("childByText", OK, OK, "a"),
]


@pytest.mark.parametrize("call", OTHERS, ids=lambda call: str(call[0]))
def test_other_calls_pass_only_for_the_judged_node(call: tuple[Any, ...]) -> None:
    assert send(*call, server=Server(1, BOX))["params"] == list(call[1:])
    for server in (
        Server(2, BOX),
        Server(2, [BOX, {**BOX, "bottom": 300}]),
        Server(2, [None, {**BOX, "top": 900, "bottom": 990}]),
        Server(21, BOX),
        Server(0, BOX),
        Server(True, BOX),
        Server(None, BOX),
        Server(1, {**BOX, "top": 241}),
        Server(1, {**BOX, "top": 220}),
        Server(1, {**BOX, "left": "0"}),
        Server(1, {"left": 360, "top": 1426, "right": 360, "bottom": 1426}),
        Server(1, None),
        Server(1, {}),
        Server(1, fails=DeviceLost("gone")),
    ):
        with pytest.raises(NotDelivered):
            send(*call, server=server)


@pytest.mark.parametrize("call", OTHERS, ids=lambda call: str(call[0]))
def test_the_judged_one_of_several_takes_a_call(call: tuple[Any, ...]) -> None:
    """Others that the selector fits lie elsewhere: the phone is told which of them it is."""
    there = Server(3, [{**BOX, "top": 600, "bottom": 700}, BOX, None])
    found = send(*call, server=there)["params"]
    assert found[0]["instance"] == 1 and found[0]["mask"] == 1 | 0x1000000 and found[0]["text"] == "OK"
    assert found[1:] == list(call[2:])


def test_where_nothing_is_selected_nothing_is_asked() -> None:
    server = Server(1, fails=DeviceError("not to be asked"))
    assert send("click", 5, 6, server=server)["params"] == [5, 6]
    assert send("pressKey", "back", server=server)["params"] == ["back"]


def test_a_node_without_a_place_takes_nothing() -> None:
    with pytest.raises(NotDelivered):
        send("click", OK, server=Server(1, BOX), at=(None, None))


# ---------------------------------------------------------------- on a phone


@pytest.fixture
def page() -> Iterator[Live]:
    with live() as found:
        found.device.phone.tap(223, 446)
        yield found


def by_id(name: str) -> dict[str, Any]:
    full = f"com.opentable:id/{name}"
    return {"mask": 0x200000, "childOrSibling": [], "childOrSiblingSelector": [], "resourceId": full}


def test_on_a_phone(page: Live) -> None:
    agent = Agent(page)
    before = len(page.inputs())
    answer = agent.call("click", by_id("reserve_button"))
    assert json.dumps(REFUSED)[1:-1].encode() in answer and len(page.inputs()) == before
    agent.call("click", by_id("book_button_that_is_not_there"))
    agent.call("click", {**by_id("x"), "mask": 1, "text": "2026-04-02"} | {"resourceId": None})
    assert len(page.inputs()) == before  # nothing is there; a selector that says two things
    chosen = {"mask": 1, "childOrSibling": [], "childOrSiblingSelector": [], "text": "2026-04-02"}
    (node,) = [row for row in page.device.observe().rows("Node") if row.get("text") == "2026-04-02"]
    assert b'"result": true' in agent.call("click", chosen), page.events[-1]
    (tapped,) = page.inputs()[before:]
    assert node["left"] <= tapped.x < node["right"] and node["top"] <= tapped.y < node["bottom"]


def test_typing_by_a_selector_on_a_phone() -> None:
    with live() as found:
        agent = Agent(found)
        box = next(
            str(row["id"])
            for row in found.device.observe().rows("Node")
            if "Edit" in str(row.get("class")) and row.get("id")
        )
        answer = agent.call("setText", by_id(box.rpartition("/")[2]), "Sakura")
        assert b'"result": true' in answer, (answer, found.events)
        assert found.events[-1].outcome == "passed"
        texts = [row.get("text") for row in found.device.observe().rows("Node")]
        assert "Sakura" in texts
