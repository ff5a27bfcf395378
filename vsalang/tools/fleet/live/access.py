"""Who may speak to a fleet server: tokens of devices and people, their tenants and roles, in one private file.

A tenant is a name that tokens carry; it is part of the key of all that is kept. The file holds SHA-256 hashes, no
tokens: a token is 32 random bytes, so that its hash cannot be guessed from either.
"""

import hashlib
import json
import os
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, field
from pathlib import Path
from typing import Any, Final, Literal, get_args

from vsalang.base.records import dataclass
from vsalang.base.source import private
from vsalang.base.source.locking import held

Role = Literal["see", "approve", "administer"]
"""What a person may do; each role may do what those before it may. Devices have none."""
ROLES: Final[tuple[Role, ...]] = get_args(Role)
NAME: Final = re.compile(r"[A-Za-z0-9][\w.@+-]{0,63}", re.ASCII)
ACCESS_FILE: Final = "access.json"
DEFAULT_TENANT: Final = "main"
EVERY_TENANT: Final = "*"
"""The tenant of people who may see all of them."""
_LARGEST: Final = 16_000_000
_BYTES: Final = 32
_PATIENCE: Final = 10.0


class AccessError(Exception):
    """The file of tokens cannot be used, or a change of it makes no sense."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a token.

    Attributes:
        name: of the device or person, unique in the file.
        tenant: whose sessions it sends or sees.
        hash: SHA-256 of the token, in hexadecimal digits.
        role: of a person; None: a device.
    """

    name: str
    tenant: str
    hash: str
    role: Role | None = None

    def may(self, role: Role) -> bool:
        """Whether a person may do what a role may."""
        return self.role is not None and ROLES.index(self.role) >= ROLES.index(role)


@dataclass(frozen=True, slots=True)
class Access:
    """All holders of tokens."""

    holders: tuple[Holder, ...] = ()
    _by_hash: Mapping[str, Holder] = field(default_factory=dict)

    def holder(self, token: str) -> Holder | None:
        """Who holds a token; None: nobody. Only its hash is looked up, which tells nothing of how near a guess is."""
        return self._by_hash.get(hash_of_token(token))

    def named(self, name: str) -> Holder | None:
        """Who has a name."""
        return next((holder for holder in self.holders if holder.name == name), None)

    def with_new(self, name: str, tenant: str, role: Role | None = None) -> "tuple[Access, str]":
        """A new holder, and the token, which is kept nowhere.

        Raises:
            AccessError: the name is taken, or a name has other characters than letters, digits and ``._@+-``.
        """
        every = tenant == EVERY_TENANT
        if every and role is None:
            raise AccessError("a device has one tenant: `*` is for people, who have a role")
        for text in (name,) if every else (name, tenant):
            if not NAME.fullmatch(text):
                raise AccessError(
                    f"{text[:80]!r} is not a name: use at most 64 letters, digits and ._@+-, a letter or digit first"
                )
        if self.named(name) is not None:
            raise AccessError(f"{name} has a token already: revoke it first")
        token = secrets.token_urlsafe(_BYTES)
        holder = Holder(name, tenant, hash_of_token(token), role)
        return access_of((*self.holders, holder)), token

    def without(self, name: str) -> "Access":
        """The others. Raises `AccessError`: nobody has that name."""
        if self.named(name) is None:
            raise AccessError(f"nobody has a token by the name {name}")
        return access_of(tuple(holder for holder in self.holders if holder.name != name))


def hash_of_token(token: str) -> str:
    """SHA-256 of a token, in hexadecimal digits."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def access_of(holders: tuple[Holder, ...]) -> Access:
    """The access of some holders."""
    return Access(holders, {holder.hash: holder for holder in holders})


def read_access(path: Path) -> Access:
    """What is in the file of tokens; nobody, if there is no such file.

    Raises:
        AccessError: it is not such a file, it is another user's, or others can read it.
    """
    try:
        data: Any = json.loads(private.read(path, _LARGEST))
        if data["version"] != 1 or not all(_right(row) for row in data["holders"]):
            raise ValueError("a row is not a holder of a token")
        holders = tuple(Holder(**row) for row in data["holders"])
    except FileNotFoundError:
        return Access()
    except OSError as error:
        raise AccessError(f"the tokens cannot be read: {error}") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise AccessError(f"{path} does not hold tokens of a fleet: {error}") from error
    if len({holder.name for holder in holders}) < len(holders):
        raise AccessError(f"{path} has two tokens of one name")
    return access_of(holders)


def write_access(path: Path, access: Access) -> None:
    """Write the file of tokens, which nobody else can read. Raises `OSError`."""
    rows = [asdict(holder) for holder in access.holders]
    private.write(path, json.dumps({"version": 1, "holders": rows}, indent=1).encode() + b"\n", force=True)


@contextmanager
def changing(path: Path) -> Iterator[Access]:
    """Hold the file of tokens for one change, so that none is lost: a token that was ended meanwhile stays ended.

    Raises:
        AccessError: as `read_access`.
        OSError: it cannot be held.
    """
    number = held(path.with_suffix(".lock"), _PATIENCE)
    try:
        yield read_access(path)
    finally:
        os.close(number)


def _right(row: Any) -> bool:
    """Whether a row of the file is a holder."""
    texts = (row["name"], row["tenant"], row["hash"])
    return (
        all(isinstance(text, str) for text in texts)
        and NAME.fullmatch(row["name"]) is not None
        and (
            (row["tenant"] == EVERY_TENANT and row["role"] is not None)
            or NAME.fullmatch(row["tenant"]) is not None
        )
        and re.fullmatch(r"[0-9a-f]{64}", row["hash"]) is not None
        and row["role"] in (None, *ROLES)
    )


class AccessFile:
    """The file of tokens as it is now: read again when it changes, so that a revoked token stops at once.

    Args:
        path: the file.

    Raises:
        AccessError: it cannot be used now.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stamp: tuple[int, int, int] | None = None
        self._access = Access()
        self.refresh()

    def refresh(self) -> Access:
        """The access now. A file that cannot be used any more gives nobody access; it raises nothing then.

        Raises:
            AccessError: it could not be used from the beginning.
        """
        try:
            state = self.path.stat()
            stamp = (state.st_mtime_ns, state.st_size, state.st_ino)
        except OSError:
            stamp = (0, 0, 0)
        if stamp != self._stamp:
            first, self._stamp = self._stamp is None, stamp
            try:
                self._access = read_access(self.path)
            except AccessError:
                self._access = Access()
                if first:
                    raise
        return self._access
