"""Judges for tests: a server that answers the question it is asked, well or badly."""

import json
import re
from collections.abc import Callable
from typing import Any

from tests.formalize.chat_server import Reply, says

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
