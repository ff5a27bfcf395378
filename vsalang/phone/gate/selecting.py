"""Ensures that calls with a selector act on the judged node.

The guard requires that exactly one visible node matches; uiautomator2's server takes the first match, also among
invisible nodes: without a size, outside their parent, below something else. So a click is sent to the judged position,
and any other call is sent only for the one node among those that the server finds which lies where the judged one does.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from vsalang.phone.errors import DeviceError, NotDelivered
from vsalang.phone.uiautomator.selecting import EDGES, INSTANCE, holds
from vsalang.phone.vocabulary.uiautomator2 import parse
from vsalang.program.action import Action
from vsalang.program.screen import Cells

MOST_ALIKE: Final = 20
"""A selector that fits more nodes than this is refused where the phone would have to find the judged one among them."""
HELD: Final = 1000
"""Milliseconds of a long click."""


def placed(
    body: bytes, actions: Sequence[Action], target: Callable[[Action], Cells], ask: Callable[[bytes], bytes]
) -> bytes:
    """The call to send in place of an allowed call.

    Args:
        body: the call, written again from what was judged.
        actions: the judged actions.
        target: gives the target of an action on the judged screen (`vsalang.phone.gate.Gate.target`).
        ask: makes a call to the server, and returns its answer; it may raise `DeviceError`.

    Raises:
        NotDelivered: the server would choose another node.
    """
    method, params = parse(body)
    if not params or not isinstance(params[0], Mapping) or not actions:
        return body
    cells = target(actions[0])
    x, y = cells.get("x"), cells.get("y")
    if not isinstance(x, int) or not isinstance(y, int) or isinstance(x, bool) or isinstance(y, bool):
        raise NotDelivered("where the node is on the screen is not known")
    if method in ("click", "longClick") and len(params) == 1:
        return _call("click", [x, y] if method == "click" else [x, y, HELD], json.loads(body).get("id"))
    every = {name: value for name, value in params[0].items() if name != "instance"}
    every["mask"] = params[0]["mask"] & ~INSTANCE
    count = _reply(ask, "count", every)
    if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= MOST_ALIKE:
        raise NotDelivered(f"the phone knows {count} nodes that the selector fits: act at the node's place")
    if count == 1:
        if not holds(_box(ask, every), cells):
            raise NotDelivered("the phone finds another node by the selector: act at the node's place")
        return body
    numbered = ({**every, "mask": every["mask"] | INSTANCE, "instance": number} for number in range(count))
    fitting = [each for each in numbered if holds(_box(ask, each), cells)]
    if len(fitting) != 1:
        raise NotDelivered(
            f"the phone knows {count} nodes that the selector fits, and does not say which was judged: act at its place"
        )
    return _call(method, [fitting[0], *params[1:]], json.loads(body).get("id"))


def _box(ask: Callable[[bytes], bytes], selector: object) -> tuple[Any, ...]:
    """The bounds of the node that the server finds by a selector; empty: it does not say."""
    info = _reply(ask, "objInfo", selector)
    bounds = info.get("bounds") if isinstance(info, Mapping) else None
    return tuple(bounds.get(edge) for edge in EDGES) if isinstance(bounds, Mapping) else ()


def _reply(ask: Callable[[bytes], bytes], method: str, selector: object) -> Any:
    try:
        reply = json.loads(ask(_call(method, [selector], 1)))
    except (DeviceError, ValueError, RecursionError) as error:
        raise NotDelivered(f"the phone does not say what the selector fits: {error}") from error
    if not isinstance(reply, Mapping) or "result" not in reply or reply.get("error") is not None:
        raise NotDelivered("the phone does not say what the selector fits")
    return reply["result"]


def _call(method: str, params: list[Any], number: object) -> bytes:
    data = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(data).encode("ascii")
