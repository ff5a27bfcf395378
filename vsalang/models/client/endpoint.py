"""Addresses of endpoints, and the pause that a busy one asks for."""

import ipaddress
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from vsalang.models.client.language_model import ModelError, seconds

OPENAI: Final = "https://api.openai.com/v1"
"""The endpoint that is asked if none is named."""
_LONGEST_PAUSE: Final = 120
"""A server that asks for a longer pause, in seconds, is not asked again: so the client has it."""


def address(url: str) -> tuple[str, str]:
    """The address of an endpoint without user name, password and query, and the password.

    Raises:
        ModelError: it is none.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ModelError("the base URL is not an address", "such as http://localhost:11434/v1") from error
    if parts.scheme not in ("http", "https") or not parts.hostname or not url.isprintable():
        raise ModelError("the base URL is not an address", "such as http://localhost:11434/v1")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    place = f"{host}:{port}" if port else host
    return urlunsplit((parts.scheme, place, parts.path.rstrip("/"), "", "")), parts.password or ""


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def pause(headers: Mapping[str, str]) -> str:
    """A ``Retry-After`` header (RFC 9110, section 10.2.3) as text; empty if it cannot be read."""
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,6}", value):
        return f"in {seconds(int(value))}"
    return f"after {value}" if re.fullmatch(r"[A-Z][a-z]{2}, [\w :]{10,40}", value) else ""


def too_long(headers: Mapping[str, str]) -> bool:
    """Whether the client gives up because of such a ``Retry-After``."""
    value = headers.get("retry-after", "").strip()
    return value.isdecimal() and int(value[:9]) > _LONGEST_PAUSE
