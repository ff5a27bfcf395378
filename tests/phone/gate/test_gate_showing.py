"""``--on-block show``: the reason of a refusal in the agent's next dump and picture, and nowhere else."""

import base64
import io
import json
import struct
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

import pytest

from tests.phone.gate.live import Live, live
from tests.phone.gate.test_gate import GOOD, Made
from tests.phone.gate.test_gate_held import Agent
from tests.phone.gate.test_gate_http import Memory, Server
from tests.phone.gate.test_gate_reads import ask
from vsalang.phone.classify import Allowance
from vsalang.phone.gate.helper_states import States, has_state
from vsalang.phone.gate.http import HttpService
from vsalang.phone.gate.services import Rules
from vsalang.phone.gate.showing import LONGEST, PACKAGE, Showing
from vsalang.phone.wire import Upstream

pytest.importorskip("uiautomator2")
Image = pytest.importorskip("PIL.Image")
RESERVE = "shell:input tap 360 1426"
SLOT = "shell:input tap 360 800"


@pytest.fixture(scope="module")
def shared() -> Iterator[Live]:
    with live(rules=Rules("show")) as found:
        found.device.phone.tap(223, 446)
        yield found


def bytes_of(found: Live, service: str) -> bytes:
    with Upstream("127.0.0.1", found.port, "guarded").open(service) as stream:
        stream.set_timeout(20)
        return stream.read_all()


def dump(found: Live) -> str:
    return str(
        json.loads(Agent(found).call("dumpWindowHierarchy", False, 50).split(b"\r\n\r\n")[-1])["result"]
    )


def red(data: bytes) -> bool:
    """Whether the strip is at the upper edge of a picture."""
    pixel = Image.open(io.BytesIO(data)).convert("RGB").getpixel((2, 2))
    return all(abs(one - other) < 30 for one, other in zip(pixel, (120, 0, 0), strict=True))


def _as_png(raw: bytes) -> bytes:
    size = struct.unpack_from("<2I", raw, 12)
    assert len(raw) == 52 + 4 * size[0] * size[1]
    out = io.BytesIO()
    Image.frombytes("RGBA", size, raw[52:]).save(out, "PNG", compress_level=1)
    return out.getvalue()


def refused(found: Live) -> None:
    assert ask(found, RESERVE) == ""  # answered as if it had been done
    assert found.events[-1].outcome == "blocked"


def test_the_reason_stands_until_an_act_passes(shared: Live) -> None:
    before, plain = dump(shared), shared.device.observe().fingerprint
    refused(shared)
    assert shared.device.observe().fingerprint == plain
    dumps = {
        "rpc": dump(shared),
        "terminal": ask(shared, "exec:uiautomator dump /dev/tty"),
        "file": ask(shared, "shell:uiautomator dump /sdcard/window_dump.xml && cat /sdcard/window_dump.xml"),
    }
    for way, text in dumps.items():
        assert "REFUSED, nothing was done. Blocked: tap(x = 360, y = 1426)" in text, way
        assert "wanted &lt; 19:00" in text, way
    result = json.loads(Agent(shared).call("takeScreenshot", 1, 80).split(b"\r\n\r\n")[-1])["result"]
    pictures = {
        "exec": bytes_of(shared, "exec:screencap -p"),
        "shell": bytes_of(shared, "shell:screencap -p"),
        "rpc": base64.b64decode(result),
    }
    raw = bytes_of(shared, "framebuffer:")
    pictures["framebuffer"] = _as_png(raw)
    ask(shared, "shell:screencap -p /sdcard/shown.png")
    pictures["file"] = bytes_of(shared, "shell:cat /sdcard/shown.png")
    assert all(map(red, pictures.values())), {way: red(data) for way, data in pictures.items()}
    assert not red(shared.device.screenshot())
    ask(shared, "shell:input keyevent BACK")
    assert shared.events[-1].outcome == "passed"
    assert PACKAGE not in dump(shared) and not red(bytes_of(shared, "exec:screencap -p"))
    shared.device.phone.tap(223, 446)
    assert dump(shared) == before


def test_the_node_changes_nothing_else(shared: Live) -> None:
    """It comes last, has no area and cannot be clicked; indexes and counts of all others are as they were."""
    before = ET.fromstring(dump(shared))
    refused(shared)
    after = ET.fromstring(dump(shared))
    *others, node = list(after.iter("node"))
    assert node.attrib["package"] == PACKAGE and node.attrib["bounds"] == "[0,0][0,0]"
    assert {node.attrib[name] for name in ("clickable", "focusable", "long-clickable", "scrollable")} == {
        "false"
    }
    assert [each.attrib for each in others] == [each.attrib for each in before.iter("node")]
    assert len(after) == len(before)
    siblings = next(each for each in after.iter() if node in list(each))
    assert [int(each.attrib["index"]) for each in siblings][-1] == len(siblings) - 1


def test_the_phone_and_the_guard_do_not_know_it(shared: Live) -> None:
    """No selector finds it, the guard's look has no such node, and a touch on the strip is one on what lies there."""
    refused(shared)
    agent = Agent(shared)
    by = {"mask": 0x80000, "childOrSibling": [], "childOrSiblingSelector": [], "packageName": PACKAGE}
    assert b'"result": 0' in agent.call("count", by)
    assert not [row for row in shared.device.observe().rows("Node") if row.get("package") == PACKAGE]
    before = len(shared.inputs())
    ask(shared, "shell:input tap 360 5")
    event = shared.events[-1]
    assert [str(each) for each in event.actions] == ["tap(x = 360, y = 5)"]
    assert (event.outcome == "passed") == (len(shared.inputs()) == before + 1)


# ---------------------------------------------------------------- the text


class Gate:
    """A gate whose newest event is made up."""

    def __init__(self, feedback: str, outcome: str = "blocked") -> None:
        self.last: Any = type("Event", (), {"feedback": feedback, "outcome": outcome})


def showing(feedback: str, outcome: str = "blocked", **more: Any) -> Showing:
    return Showing(Gate(feedback, outcome), **more)  # type: ignore[arg-type]


PLAIN = '<hierarchy rotation="0"><node index="0" text="a"><node index="0" text="b" /></node></hierarchy>'


def test_texts_of_the_screen_stay_in_the_attribute() -> None:
    hostile = f'Blocked: "{"x" * 99}" and "</node><node clickable=&quot;true&quot;" \x00\ud800'
    made = showing(hostile)
    assert '"' + "x" * 40 + '…"' in made.reason and "x" * 41 not in made.reason
    tree = ET.fromstring(made.dump(PLAIN))
    assert [len(each) for each in tree.iter("node")] == [2, 0, 0]
    assert len(showing("y " * 2000).reason) <= LONGEST


def test_secrets_are_replaced() -> None:
    made = showing("Blocked: 4111 1111", redact=lambda text: text.replace("4111 1111", "[card 1]"))
    assert "4111" not in made.dump(PLAIN) and "[card 1]" in made.dump(PLAIN)


@pytest.mark.parametrize("outcome", ["passed", "failed"])
def test_only_refusals_are_shown(outcome: str) -> None:
    made = showing("something", outcome)
    assert made.reason == "" and made.dump(PLAIN) == PLAIN and made.picture(b"\x89PNG") == b"\x89PNG"


@pytest.mark.parametrize(
    "text", ["", "no dump", "<hierarchy", '<hierarchy rotation="0" />', "ERROR: null root node"]
)
def test_what_is_no_dump_stays_as_it_is(text: str) -> None:
    assert showing("Blocked").dump(text) == text
    assert showing("Blocked").picture(text.encode()) == text.encode()
    for answer in (b"", b"[]", b'{"result": 3}', b'{"error": {}}'):
        assert showing("Blocked").changed("dumpWindowHierarchy", answer) is None


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_a_picture_keeps_its_size(kind: str) -> None:
    out = io.BytesIO()
    Image.new("RGB", (300, 200), (0, 90, 0)).save(out, kind)
    drawn = Image.open(io.BytesIO(showing("Blocked: " + "because " * 80).picture(out.getvalue())))
    assert (drawn.format, drawn.size) == (kind, (300, 200)) and red(out.getvalue()) is False
    below = drawn.convert("RGB").getpixel((150, 70))
    assert abs(below[0]) < 20 and abs(below[1] - 90) < 20


# ---------------------------------------------------------------- states of mobilerun's helper app

NODE = {"className": "android.widget.Button", "packageName": "com.shop", "text": "Pay", "isClickable": True,
        "boundsInScreen": {"left": 0, "top": 0, "right": 90, "bottom": 90}, "children": []}  # fmt: skip
FULL = {"a11y_tree": NODE | {"children": [NODE]}, "phone_state": {"packageName": "com.shop"}}
SHORT = [{"index": 1, "text": "Pay", "className": "Button", "bounds": "0, 0, 90, 90",
          "children": [{"index": 7, "text": "now", "className": "TextView", "bounds": "0, 0, 9, 9"}]}]  # fmt: skip


def text(data: Any) -> str:
    return json.dumps(data)


STATES: dict[str, tuple[Any, Any]] = {
    "full": (FULL, lambda data: data["a11y_tree"]),
    "in a result": ({"status": "success", "result": FULL}, lambda data: data["result"]["a11y_tree"]),
    "as a text": (
        {"status": "success", "data": text(FULL)},
        lambda data: json.loads(data["data"])["a11y_tree"],
    ),
    "a tree as a text": (
        {"result": text({"a11y_tree": text(NODE)})},
        lambda data: json.loads(json.loads(data["result"])["a11y_tree"]),
    ),
    "short": ({"a11y_tree": SHORT}, lambda data: {"children": data["a11y_tree"]}),
    "short alone": ({"data": text(SHORT)}, lambda data: {"children": json.loads(data["data"])}),
}


def nodes(tree: dict[str, Any]) -> list[dict[str, Any]]:
    children = [node for child in tree.get("children", []) for node in nodes(child)]
    return [{name: value for name, value in tree.items() if name != "children"}, *children]


@pytest.mark.parametrize("kind", STATES)
def test_the_reason_in_a_state(kind: str) -> None:
    """It comes last, has no area and cannot be clicked; all other nodes and their indexes are as they were."""
    state, tree = STATES[kind]
    marked = showing("Blocked: wanted < 19:00").state(text(state).encode())
    assert marked is not None
    *others, node = nodes(tree(json.loads(marked)))
    assert others == nodes(tree(state))
    assert node["text"] == "REFUSED, nothing was done. Blocked: wanted < 19:00"
    assert node.get("boundsInScreen", node.get("bounds")) in (
        {"left": 0, "top": 0, "right": 0, "bottom": 0},
        "0, 0, 0, 0",
    )
    assert not node.get("isClickable") and node.get("index", 8) == 8


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"no state",
        b"3",
        b"[3]",
        b'{"status": "success"}',
        b'{"result": "x"}',
        b'{"a11y_tree": {"error": "none"}}',
    ],
)
def test_what_is_not_a_state_stays_as_it_is(answer: bytes) -> None:
    assert showing("Blocked").state(answer) is None
    assert showing("something", "passed").state(text(FULL).encode()) is None


def test_a_marked_state_is_read_by_the_clients() -> None:
    core = pytest.importorskip("mobilerun_core_local.transport.android.portal_client")
    row = text({"status": "success", "result": text(FULL)})
    out = Lines()
    far = Far(f"Row: 0 result={row}\n".encode())
    command = "content query --uri content://com.mobilerun.portal/state_full"
    made = showing("Blocked")
    assert has_state(command) and not has_state(command.replace("state_full", "version"))
    assert States(far, made.state).run(out, command) == 0
    assert (
        States(far, made.state).run(out, "content query --uri content://com.mobilerun.portal/version") is None
    )
    (said,) = out.lines
    state = core.PortalClient._parse_content_provider_output(None, said.decode())
    assert nodes(state["a11y_tree"])[-1]["text"].startswith("REFUSED")
    assert state["phone_state"] == FULL["phone_state"]


class Lines:
    """A terminal that stores what is printed."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.out = self.err = self.lines.append

    def exit(self, status: int) -> None: ...

    def typed(self) -> Iterator[bytes]:
        return iter(())


class Far(Memory):
    """A phone with one service, and its stream."""

    def open(self, service: str) -> "Far":
        assert service.startswith("exec:content query --uri ")
        return self


def test_states_and_pictures_over_http() -> None:
    out = io.BytesIO()
    Image.new("RGB", (300, 200)).save(out, "PNG")
    made = showing("Blocked")
    answers = {
        "/state_full?filter=false": text({"result": FULL}).encode(),
        "/a11y_tree": text(SHORT).encode(),
        "/screenshot": text(
            {"status": "success", "result": base64.b64encode(out.getvalue()).decode()}
        ).encode(),
        "/phone_state": text(FULL["phone_state"]).encode(),
    }
    bodies: dict[str, Any] = {}
    for target, answer in answers.items():
        near = Memory(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        server, gate = Server(answer), Made(GOOD, mode="enforce").gate
        HttpService(gate, server, "tcp:8080", "portal", Allowance(), "silent", showing=made).open()(near)
        head, _, body = near.written.partition(b"\r\n\r\n")
        assert b"application/json" in head or body == answer
        bodies[target] = json.loads(body)
    assert "REFUSED" in text(bodies["/state_full?filter=false"]) and "REFUSED" in text(bodies["/a11y_tree"])
    assert red(base64.b64decode(bodies["/screenshot"]["result"]))
    assert bodies["/phone_state"] == FULL["phone_state"]
