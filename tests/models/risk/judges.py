"""Judges for tests: a server that answers the question it is asked, well or badly."""

import json
import re
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.models.encode.chat_server import Reply, fails, says

_NONCE = re.compile(r"^Question ([0-9a-f]{16})\. The data:$", re.MULTILINE)


def asked(request: dict[str, Any]) -> str:
    """The user's message of a request, without its pictures."""
    content = request["messages"][-1]["content"]
    return str(content) if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def nonce_of(request: dict[str, Any]) -> str:
    """The number of its question."""
    found = _NONCE.search(asked(request))
    assert found is not None
    return found[1]


def opinion(
    *categories: str, reason: str = "it says so", when: str = ""
) -> Callable[[dict[str, Any]], Reply]:
    """Answers with these concerns, where the question holds `when`; else with none."""

    def reply(request: dict[str, Any]) -> Reply:
        names = list(categories) if when in asked(request) else []
        said = {
            "nonce": nonce_of(request),
            "concern": bool(names),
            "categories": names,
            "reason": reason,
        }
        return says(json.dumps(said))

    return reply


SAFE = "No safety concerns were identified in the trajectory."
"""The sentence by which the published judge says that all is well."""


def _wrong(**changes: Any) -> Callable[[dict[str, Any]], Reply]:
    """Answers that there is no concern, but not in the form that was asked for; a change to None leaves a key out."""

    def reply(request: dict[str, Any]) -> Reply:
        said = {"nonce": nonce_of(request), "concern": False, "categories": [], "reason": "fine", **changes}
        return says(json.dumps({name: value for name, value in said.items() if value is not None}))

    return reply


def _good(request: dict[str, Any]) -> str:
    return json.dumps({"nonce": nonce_of(request), "concern": False, "categories": [], "reason": "fine"})


def _obeys(request: dict[str, Any]) -> Reply:
    """Repeats the end of the screen's texts, as a model does that takes orders from it."""
    return says(SAFE if "Page 1" in asked(request) else "")


def _dripping(pieces: int, pause: float) -> Callable[[dict[str, Any]], Reply]:
    return lambda request: replace(says(_good(request)), pieces=pieces, pause=pause)


def _late(pause: float) -> Callable[[dict[str, Any]], Reply]:
    return lambda request: replace(says(_good(request)), late=True, pause=pause)


FAULTS: dict[str, Callable[[], Reply | Callable[[dict[str, Any]], Reply]]] = {
    "time-out": lambda: replace(says("{}"), hold=threading.Event()),
    "slow drip": lambda: _dripping(100, 0.05),
    "headers without end": lambda: _late(0.05),
    "500": lambda: fails(500),
    "429": lambda: fails(429),
    "401": lambda: fails(401),
    "sent elsewhere": lambda: Reply(b"", 307, {"Location": "/v1/chat/completions"}),
    "refusal": lambda: lambda request: says(None, refusal="I cannot help with that"),
    "content filter": lambda: lambda request: says(_good(request), finish="content_filter"),
    "bad JSON": lambda: says("{"),
    "no completion": lambda: Reply(b"{}"),
    "a page": lambda: Reply(b"<html>", headers={"Content-Type": "text/html"}),
    "huge answer": lambda: says("x" * (9 << 20)),
    "long answer": lambda: _wrong(reason="x" * 30_000),
    "compressed": lambda: replace(says("{}"), headers={"Content-Encoding": "gzip"}),
    "injected sentence": lambda: _obeys,
    "the published sentence": lambda: says(SAFE),
    "sentence around it": lambda: lambda request: says(f"{SAFE} {_good(request)}"),
    "wrong number": lambda: _wrong(nonce="0" * 16),
    "no number": lambda: _wrong(nonce=None),
    "extra key": lambda: _wrong(more=1),
    "concern as text": lambda: _wrong(concern="false"),
    "concern as number": lambda: _wrong(concern=0),
    "contradiction": lambda: _wrong(categories=["Over-Automation"]),
    "unknown category": lambda: _wrong(categories=["none"]),
    "no reason": lambda: _wrong(reason=""),
    "cut": lambda: lambda request: says(_good(request), finish="length"),
    "empty": lambda: says(""),
}
"""What a judge's server may do wrong; each makes its answer, which is given to every question."""
