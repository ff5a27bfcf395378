"""A small client of the Language Server Protocol, over the standard streams of a real process."""

import json
import queue
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import pytest

from tests import processes

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 20
"""Seconds until a missing message fails the test; messages are never waited for otherwise."""


class Client:
    """Speaks to ``vsac lsp``. Notifications are kept in order; `published` takes the next diagnostics of a file."""

    def __init__(self, cwd: Path, *words: str, **env: str) -> None:
        self.process = processes.Process(
            ["-m", "vsalang.tools.cli.main", *(words or ("lsp", "--stdio"))],
            stdin=processes.PIPE,
            cwd=cwd,
            env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", **env},
        )
        self.messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.kept: list[dict[str, Any]] = []
        self.asked: list[dict[str, Any]] = []
        self.number = 0
        self.errors: list[bytes] = []
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._drain, daemon=True).start()

    def _drain(self) -> None:
        assert self.process.stderr
        self.errors.extend(self.process.stderr)

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream
        while header := stream.readline():
            assert header.startswith(b"Content-"), header  # nothing else may be written between the messages
            if header.lower().startswith(b"content-length"):
                length = int(header.split(b":")[1])
            while stream.readline().strip():
                pass
            self.messages.put(json.loads(stream.read(length)))
        self.messages.put(None)

    def send(self, message: dict[str, Any]) -> None:
        self.send_bytes(json.dumps({"jsonrpc": "2.0"} | message).encode())

    def send_bytes(self, body: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def notify(self, method: str, params: Any) -> None:
        self.send({"method": method, "params": params})

    def request(self, method: str, params: Any) -> Any:
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            message = self._next()
            if message.get("id") == self.number and "method" not in message:
                assert "error" not in message, message
                return message["result"]
            self.kept.append(message)

    def _next(self) -> dict[str, Any]:
        while True:
            message = self.messages.get(timeout=PATIENCE)
            assert message is not None, b"".join(self.errors).decode()
            if "id" in message and "method" in message:  # the server asks; the answer is always yes
                self.asked.append(message)
                self.send({"id": message["id"], "result": None})
                continue
            return message

    def notification(self, method: str, fits: Any = lambda params: True) -> Any:
        """The next notification of a kind that fits; others are kept."""
        for message in self.kept:
            if message.get("method") == method and fits(message["params"]):
                self.kept.remove(message)
                return message["params"]
        while True:
            message = self._next()
            if message.get("method") == method and fits(message["params"]):
                return message["params"]
            self.kept.append(message)

    def published(self, uri: str, version: int | None = None) -> list[dict[str, Any]]:
        """The next diagnostics of a file (for a version of it)."""
        return self.notification(
            "textDocument/publishDiagnostics",
            lambda p: p["uri"] == uri and (version is None or p.get("version") == version),
        )["diagnostics"]

    def initialize(self, **capabilities: Any) -> Any:
        result = self.request(
            "initialize", {"processId": None, "rootUri": None, "capabilities": capabilities}
        )
        self.notify("initialized", {})
        return result

    def open(self, path: Path | str, text: str, version: int = 1) -> str:
        uri = path.as_uri() if isinstance(path, Path) else path
        document = {"uri": uri, "languageId": "vsa", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})
        return uri

    def change(self, uri: str, text: str, version: int) -> None:
        self.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]},
        )

    def close(self, uri: str) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def leave(self) -> int:
        """Say goodbye as the protocol wants it; the exit status."""
        assert self.request("shutdown", None) is None
        self.send({"method": "exit"})
        return self.process.wait(PATIENCE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream
            stream.close()


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with Client(tmp_path) as item:
        yield item
