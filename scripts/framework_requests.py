"""Write docs/reference/framework-requests.md: what frameworks ask of a phone, and what the guard answers.

The requests stand in scripts/framework_requests.toml, read in the code of the frameworks; the answers are those of the
classifier and of an adb server that is started for it.

.venv/bin/python -m scripts.framework_requests
"""

import json
import socket
import tomllib
from pathlib import Path

from vsalang.phone.classify import Actions, Inspect, Pass, Refuse, classify, classify_rpc, classify_sync
from vsalang.phone.gate.installing import install_of
from vsalang.phone.gate.scratch import saved_name
from vsalang.phone.wire import AdbServer, Banner, Handler, ServiceRefused

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "framework-requests.md"
SOURCE = ROOT / "scripts" / "framework_requests.toml"
_BEGIN, _END = "<!-- tables: written by scripts/framework_requests.py -->\n", "<!-- end of the tables -->\n"
PASSES = "passes"
NAMED = "judged: `install(package = ..)`, which the guard reads in the app"
NEW_FILE = "passes if no file has this name; else judged"


class _NoServices:
    """A phone that opens nothing: only requests to the server itself are asked."""

    def open(self, name: str) -> Handler:
        raise ServiceRefused(name)


def answer(request: str, port: int) -> str:
    """What the guard answers to a request of the source.

    Args:
        request: as it stands there.
        port: of the guarded adb server.
    """
    kind, _, rest = request.partition(":")
    if kind == "host":
        return _host(request, port)
    if kind == "rpc":
        method, _, params = rest.partition(" ")
        call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": json.loads(params)}
        return _said(classify_rpc(json.dumps(call)))
    if kind == "sync":
        name, _, path = rest.partition(" ")
        return _said(classify_sync(name, path))
    return _said(classify(request))


def _said(verdict: object) -> str:
    if isinstance(verdict, Pass | Inspect):
        return PASSES
    if isinstance(verdict, Refuse):
        return f"refused: {verdict.reason}"
    assert isinstance(verdict, Actions)
    if all(not part.actions or saved_name(part) for part in verdict.parts):
        return NEW_FILE
    if len(verdict.parts) == 1 and install_of(verdict.parts[0]) is not None:
        return NAMED
    return "judged: " + ", ".join(f"`{action}`" for action in verdict.actions)


def _host(request: str, port: int) -> str:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(f"{len(request):04x}{request}".encode())
        data = connection.makefile("rb")
        if data.read(4) == b"OKAY":
            return "answered; the server stays" if request == "host:kill" else "answered"
        return f"refused: {data.read(int(data.read(4), 16)).decode()}"


def tables() -> dict[str, list[tuple[str, str]]]:
    """The requests of each framework with their answers."""
    frameworks = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    banner = Banner("guarded", "phone", "guarded", ())
    with AdbServer.start({"S": (_NoServices(), banner)}) as server:
        return {
            framework["title"]: [(request, answer(request, server.port)) for request in framework["requests"]]
            for framework in frameworks.values()
        }


def page() -> str:
    """The whole page, with fresh tables."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    parts = []
    for title, rows in tables().items():
        lines = [f"| `{_cell(request)}` | {_cell(said)} |" for request, said in rows]
        parts.append("\n".join([f"\n## {title}\n", "| request | answer |", "|---|---|", *lines, ""]))
    return f"{before}{_BEGIN}{''.join(parts)}\n{_END}{after}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
