"""How a device speaks to a fleet server: HTTP by the standard library, one connection that stays open."""

import contextlib
import http.client
import json
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from vsalang.agents.reporting.access import is_loopback
from vsalang.base.source import private

_SECONDS: Final = 15.0
_LARGEST: Final = 1_000_000
_FINAL: Final = frozenset({"foreign", "forked", "gaps", "invalid", "quota", "too_large"})
_MOST_TOKEN: Final = 4096


class ServerAway(Exception):
    """The server cannot be reached now, or cannot take anything: try again later."""


class ServerRefused(Exception):
    """The server does not take this.

    Attributes:
        code: why, as the server says it.
        data: the whole answer.
        final: trying again is of no use.
    """

    def __init__(self, message: str, code: str, data: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.code = code
        self.data = data

    @property
    def final(self) -> bool:
        """Whether trying again is of no use."""
        return self.code in _FINAL


def checked_url(text: str) -> str:
    """The address of a fleet server, without a slash at its end.

    Raises:
        ValueError: it is not one, or it would send the token over a network without encryption.
    """
    return _checked(text, "https://fleet.example", "the token")


def collector_url(text: str) -> str:
    """The address of an OpenTelemetry collector, without a slash at its end.

    Raises:
        ValueError: it is not one, or what is measured would go over a network without encryption.
    """
    return _checked(text, "http://127.0.0.1:4318", "what is measured")


def _checked(text: str, example: str, sent: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError(f"{text!r} is not the address of a server, such as {example}")
    if parts.username is not None:
        raise ValueError("an address holds no password: the token has a file of its own")
    _ = parts.port  # raises ValueError
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        raise ValueError(f"{text} is not encrypted, and {sent} would be sent over it: use https")
    return text.rstrip("/")


def read_token(path: Path) -> str:
    """The token in a file of this user alone.

    Raises:
        OSError: it cannot be read, or others can read it.
        ValueError: it does not hold a token.
    """
    text = private.read(path, _MOST_TOKEN).decode("ascii", "replace").strip()
    if not text or not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError(f"{path} does not hold a token: one line, as `vsac fleet token` printed it")
    return text


class Client:
    """Speaks to one server.

    Args:
        url: its address, as `checked_url` gives it.
        token: who speaks.
    """

    def __init__(self, url: str, token: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname is not None
        self._secure = parts.scheme == "https"
        self._host, self._port, self._path = parts.hostname, parts.port, parts.path.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"}
        self._connection: http.client.HTTPConnection | None = None

    def post(self, path: str, body: bytes | Mapping[str, Any], timeout: float = _SECONDS) -> dict[str, Any]:
        """Send something, and return the answer.

        Raises:
            ServerAway: there was none.
            ServerRefused: it was a refusal.
        """
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        kind = "application/x-ndjson" if isinstance(body, bytes) else "application/json"
        headers = {**self._headers, "Content-Type": kind}
        try:
            connection = self._connected(timeout)
            connection.request("POST", self._path + path, data, headers)
            response = connection.getresponse()
            text = response.read(_LARGEST)
            if response.will_close:
                self.close()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise ServerAway(
                f"the fleet server cannot be reached ({str(error) or type(error).__name__})"
            ) from error
        try:
            answer = json.loads(text)
            if not isinstance(answer, dict):
                raise ValueError("an object is expected")
        except (ValueError, RecursionError) as error:
            self.close()
            raise ServerAway(f"what answers is not a fleet server ({response.status})") from error
        if response.status == 200:
            return answer
        error_data = answer.get("error")
        details = error_data if isinstance(error_data, dict) else {}
        code, message = str(details.get("code", "")), str(details.get("message", ""))[:300]
        if response.status >= 500 or response.status == 429:
            raise ServerAway(f"the fleet server takes nothing now ({code})")
        raise ServerRefused(f"the fleet server refuses: {message} ({code})", code, answer)

    def close(self) -> None:
        """Close the connection; the next request opens another one."""
        if self._connection is not None:
            with contextlib.suppress(OSError):
                self._connection.close()
            self._connection = None

    def _connected(self, timeout: float) -> http.client.HTTPConnection:
        if self._connection is None:
            if self._secure:
                context = ssl.create_default_context()
                self._connection = http.client.HTTPSConnection(
                    self._host, self._port, timeout=timeout, context=context
                )
            else:
                self._connection = http.client.HTTPConnection(self._host, self._port, timeout=timeout)
        self._connection.timeout = timeout
        if self._connection.sock is not None:
            self._connection.sock.settimeout(timeout)
        return self._connection
