"""Selectors: what the server on the phone would take is what was judged, or nothing is sent."""

from typing import Any

import pytest

from vsalang.phone import NotDelivered
from vsalang.phone.uiautomator.selecting import matching, see_the_only
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump

OK = "[0,200][200,280]"
SELECTOR = {"mask": 0x1, "childOrSibling": [], "childOrSiblingSelector": [], "text": "OK"}


def node(
    text: str, bounds: str, name: str = "", inner: str = "", kind: str = "Button", hint: str = ""
) -> str:
    return (
        f'<node text="{text}" hint="{hint}" resource-id="{name and "a.b:id/" + name}" class="android.widget.{kind}" '
        f'package="a.b" content-desc="" clickable="{str(kind == "Button").lower()}" enabled="true" password="false" '
        f'bounds="{bounds}">{inner}</node>'
    )


def screen(*more: str) -> str:
    row = node("", "[0,0][720,300]", kind="FrameLayout", inner="".join((*more, node("OK", OK))))
    pay = node("Pay now", "[32,1376][688,1476]", "pay")
    return f'<hierarchy rotation="0">{node("", "[0,0][720,1520]", kind="FrameLayout", inner=row + pay)}</hierarchy>'


class Server:
    """Finds what it is told to find."""

    def __init__(self, count: int = 1, bounds: tuple[int, ...] = (0, 200, 200, 280)) -> None:
        self.count = count
        self.bounds = dict(zip(("left", "top", "right", "bottom"), bounds, strict=True))
        self.asked: list[tuple[str, Any]] = []

    def jsonrpc_call(self, method: str, params: Any, timeout: float) -> Any:
        self.asked.append((method, params[0]))
        return self.count if method == "count" else {"bounds": self.bounds}


def judged(xml: str) -> Any:
    return TreeScreen(load_dump(xml)).target("tap", {"text": "OK"})


def test_the_only_one() -> None:
    xml, server = screen(), Server()
    see_the_only(server, xml, {**SELECTOR, "mask": 0x1000001, "instance": 0}, judged(xml))
    assert server.asked == [
        ("count", SELECTOR),
        ("objInfo", SELECTOR),
    ]  # all of them are counted, not the first


@pytest.mark.parametrize(
    "hidden",
    [
        pytest.param(node("OK", "[360,1426][360,1426]"), id="no area, above the other button"),
        pytest.param(node("OK", "[300,1400][500,1500]"), id="outside of its parent"),
        pytest.param(node("OK", "[800,100][900,200]"), id="off the screen"),
        pytest.param(node("OK", "[0,0][9,9]", kind="EditText", hint="OK"), id="only its hint"),
    ],
)
def test_what_does_not_show_counts_for_the_server(hidden: str) -> None:
    xml, server = screen(hidden), Server()
    target = judged(xml)
    assert (target["x"], target["y"]) == (100, 240)
    with pytest.raises(
        NotDelivered, match="means 2 nodes for the server on the phone, which takes the first"
    ):
        see_the_only(server, xml, SELECTOR, target)
    assert server.asked == []


@pytest.mark.parametrize(
    ("server", "says"),
    [
        (Server(count=2), "means 2 nodes"),
        (Server(count=0), "means 0 nodes"),
        (Server(bounds=(32, 1376, 688, 1476)), "another node"),
        (Server(bounds=(0, 200, 100, 240)), "another node"),
    ],
)
def test_what_the_server_finds_must_be_what_was_judged(server: Server, says: str) -> None:
    xml = screen()
    with pytest.raises(NotDelivered, match=says):
        see_the_only(server, xml, SELECTOR, judged(xml))


def test_the_dumps_node_must_be_the_judged_one() -> None:
    target = judged(screen())
    other = screen().replace(OK, "[0,20][200,28]")
    with pytest.raises(NotDelivered, match="another node"):
        see_the_only(Server(), other, SELECTOR, target)
    with pytest.raises(NotDelivered, match="another node"):
        see_the_only(Server(), screen().replace(OK, "nowhere"), SELECTOR, target)


@pytest.mark.parametrize(
    "selector",
    [
        {},
        {"mask": 0},
        {"mask": 2, "textContains": "O"},
        {**SELECTOR, "index": 1},
        {**SELECTOR, "childOrSibling": ["child"], "childOrSiblingSelector": [SELECTOR]},
    ],
)
def test_what_the_attributes_of_one_node_cannot_say(selector: dict[str, Any]) -> None:
    with pytest.raises(NotDelivered, match="cannot be compared"):
        matching(screen(), selector)


def test_a_screen_that_cannot_be_read() -> None:
    with pytest.raises(NotDelivered, match="the screen cannot be read"):
        matching("<hierarchy><node", SELECTOR)
    with pytest.raises(NotDelivered):
        matching("", SELECTOR)


def test_every_field_is_compared() -> None:
    xml = screen()
    full = {
        "text": "OK",
        "className": "android.widget.Button",
        "description": "",
        "clickable": True,
        "enabled": True,
        "packageName": "a.b",
        "resourceId": "",
    }
    assert len(matching(xml, full)) == 1
    for name, value in full.items():
        other = not value if isinstance(value, bool) else f"{value}x"
        assert matching(xml, {**full, name: other}) == ()
