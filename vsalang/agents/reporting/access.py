"""Who may speak: tokens of apps, the file that holds them, names of this host, and how often."""

import hmac
import json
import os
import secrets
import stat
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from vsalang.base.source.opening import open_regular

MIN_TOKEN: Final = 16
"""A token is at least so long."""


class AccessError(Exception):
    """A file of tokens that cannot be used, or must not be."""


class Tokens:
    """The token of each app's package: a peer that gives it speaks for that app, and for no other.

    Raises:
        ValueError: a token is too short, or two apps have the same.
    """

    def __init__(self, by_package: Mapping[str, str]) -> None:
        self.by_package = dict(by_package)
        for package, token in self.by_package.items():
            if len(token) < MIN_TOKEN or not token.isascii() or not token.isprintable():
                raise ValueError(
                    f"the token of {package} must have at least {MIN_TOKEN} printable ASCII characters"
                )
        if len(set(self.by_package.values())) < len(self.by_package):
            raise ValueError("two apps have the same token")

    @classmethod
    def new(cls, packages: Iterable[str]) -> "Tokens":
        """Tokens that nobody can guess."""
        return cls({package: secrets.token_urlsafe(32) for package in packages})

    def package(self, token: str) -> str | None:
        """Whose token it is; None if it is nobody's. Takes the same time for every wrong one."""
        token_bytes = token.encode("utf-8", "replace")
        package_name = None
        for package, known in self.by_package.items():
            if hmac.compare_digest(known.encode(), token_bytes):
                package_name = package
        return package_name


def write_connection(path: Path, url: str, tokens: Tokens) -> None:
    """Write where the endpoint is and the tokens to a file that nobody else can read (mode 0600).

    Raises:
        OSError: it cannot be written.
    """
    data = {"url": url, "tokens": tokens.by_package}
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(json.dumps(data, indent=2) + "\n")
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def read_connection(path: Path) -> tuple[str, Tokens]:
    """What `write_connection` wrote: the address, and the tokens.

    Raises:
        AccessError: it is not such a file, or others can read it.
        OSError: it cannot be read.
    """
    with open_regular(path) as file:
        mode = os.fstat(file.fileno())
        if os.name == "posix" and stat.S_IMODE(mode.st_mode) & 0o077:
            raise AccessError(f"{path} can be read by others: `chmod 600 {path}`, and take new tokens")
        raw = file.read(1_000_000)
    try:
        data: Any = json.loads(raw)
        tokens = data["tokens"]
        if not all(isinstance(token, str) for token in tokens.values()):
            raise TypeError("a token is a text")
        return str(data.get("url", "")), Tokens(tokens)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise AccessError(f"{path} holds no tokens: {error}") from error


class Bucket:
    """Lets `burst` messages pass at once and `rate` a second on average.

    A token bucket (Turner, New Directions in Communications, 1986).
    """

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, float(burst), clock
        self._left, self._at = float(burst), clock()

    def take(self) -> bool:
        """Whether one more may pass now."""
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


def is_loopback(host: str) -> bool:
    """Whether a host is this machine only."""
    import ipaddress

    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_names(host: str, port: int, more: Iterable[str] = ()) -> frozenset[str]:
    """The values of ``Host`` that mean this endpoint. A page of another site that found its way here by a name of its
    own (DNS rebinding) gives another one.
    """
    names = {"localhost", "127.0.0.1", "[::1]", *more}
    if host not in ("0.0.0.0", "::", ""):
        names.add(f"[{host}]" if ":" in host else host)
    return frozenset(f"{name.lower()}:{port}" for name in names)
