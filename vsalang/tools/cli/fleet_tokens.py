"""``vsac fleet token``: who may send journals to a fleet server, and who may look, approve and administer."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from vsalang.base.options import argument, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Result, Style
from vsalang.base.source import private
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import Failure
from vsalang.tools.cli.dumps import table
from vsalang.tools.fleet.live.access import (
    ACCESS_FILE,
    DEFAULT_TENANT,
    Access,
    AccessError,
    Role,
    changing,
    read_access,
    write_access,
)


def _data() -> Any:
    return option(
        "--data",
        default=Path("fleet-server"),
        default_text="fleet-server",
        metavar="DIR",
        help="The folder of the server.",
    )


@dataclass(frozen=True, slots=True)
class TokenOptions:
    """Whose token is made."""

    name: str = argument("NAME")
    data: Path = _data()
    tenant: str = option(
        "--tenant",
        default=DEFAULT_TENANT,
        metavar="NAME",
        help="Whose sessions it sends or sees; `*`, for people: those of all.",
    )
    role: Role | None = option(
        "--role",
        help="For a person. see: look at everything. approve: also answer questions and end sessions. administer: also "
        "read the trail, and revoke tokens.",
        default_text="none: it is a device",
    )


@dataclass(frozen=True, slots=True)
class RevokeOptions:
    """Whose token ends."""

    name: str = argument("NAME")
    data: Path = _data()


@dataclass(frozen=True, slots=True)
class TokenListOptions:
    """Of which server."""

    data: Path = _data()


@frame.as_command("text", "json")
def add(options: TokenOptions) -> Report:
    """Make a token for a device or a person, and print it. It is kept nowhere else.

    Exit status: 0; 2 the name has a token already, or the file of tokens cannot be used.
    """
    with _changing(options.data) as access:
        new, token = access.with_new(options.name, options.tenant, options.role)
        write_access(options.data / ACCESS_FILE, new)
    data = {
        "version": 1,
        "name": options.name,
        "tenant": options.tenant,
        "role": options.role,
        "token": token,
    }
    return Result(lambda: data, lambda style: iter([token]))


@frame.as_command("text", "json")
def revoke(options: RevokeOptions) -> Report:
    """End a token at once, also at a server that runs.

    Exit status: 0; 2 nobody has that name, or the file of tokens cannot be used.
    """
    with _changing(options.data) as access:
        write_access(options.data / ACCESS_FILE, access.without(options.name))
    data = {"version": 1, "revoked": options.name}
    return Result(lambda: data, lambda style: iter([f"{options.name} has no token any more."]))


@frame.as_command("text", "json")
def list_(options: TokenListOptions) -> Report:
    """List who has a token. The tokens themselves are kept nowhere.

    Exit status: 0; 2 the file of tokens cannot be used.
    """
    if not options.data.is_dir():
        raise Failure(f"{options.data} is not a folder", "name the server's folder with --data")
    try:
        return Holders(read_access(options.data / ACCESS_FILE))
    except AccessError as error:
        raise Failure(str(error), "name the server's folder with --data") from error


@dataclass(frozen=True, slots=True)
class Holders(Report):
    """Who has a token."""

    access: Access

    def data(self) -> object:
        """The holders as JSON values."""
        rows = [{"name": one.name, "tenant": one.tenant, "role": one.role} for one in self.access.holders]
        return {"version": 1, "holders": rows}

    def lines(self, style: Style) -> Iterator[str]:
        """One table."""
        if not self.access.holders:
            yield "Nobody has a token."
            return
        rows = [
            {"name": one.name, "tenant": one.tenant, "role": one.role or "device"}
            for one in self.access.holders
        ]
        yield table(("name", "tenant", "role"), rows, cut=(), right=()).rstrip("\n")


@contextmanager
def _changing(folder: Path) -> Iterator[Access]:
    try:
        private.own_folder(folder)
        with changing(folder / ACCESS_FILE) as access:
            yield access
    except AccessError as error:
        raise Failure(str(error), "name the server's folder with --data") from error
    except OSError as error:
        raise Failure(f"the tokens cannot be written: {error}") from error
