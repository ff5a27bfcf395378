"""The options of ``vsac run`` for an agent's program, and their values."""

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from vsalang.base.records import dataclass
from vsalang.tools.cli.common import Failure, require
from vsalang.tools.cli.options import allow_user

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Literal

    from vsalang.phone.gate.answers import OnBlock
    from vsalang.phone.gate.phone import Phone
    from vsalang.phone.gate.services import Rules

_NOT_COMMANDED: Final = {
    "on_block": "--on-block",
    "feedback_file": "--feedback",
    "services": "--allow-service",
    "portal_port": "--portal-port",
    "adb_server": "--adb-server",
    "serial": "--serial",
    "isolate": "--isolate",
    "reach": "--reach",
    "users": "--allow-user",
}


@dataclass(frozen=True, slots=True)
class Commanded:
    """The agent's program, as the command line describes it.

    Attributes:
        command: the program and its arguments.
        on_block: see `vsalang.phone.gate.answers.OnBlock`; ``fail``: see `vsalang.phone.gate.early`.
        feedback_file: where the guard's answers are written for the agent; None: nowhere.
        services: services that pass without a check.
        portal_port: of mobilerun's helper app.
        adb_server: ``own``: our own adb server serves the agent; ``real``: that of the adb command does.
        serial: of the phone, as the agent sees it; None: its own.
        isolate: whether the program has a network of its own.
        reach: what it can reach from there: port inside -> host and port outside.
        users: further users of this machine who may connect.
    """

    command: tuple[str, ...]
    on_block: "OnBlock | Literal['fail']"
    feedback_file: str | None
    services: tuple[str, ...]
    portal_port: int | None
    adb_server: str
    serial: str | None
    isolate: bool
    reach: "Mapping[int, tuple[str, int]]"
    users: tuple[int, ...] = ()

    def check(self) -> None:
        """Check that the program exists, before anything is started.

        Raises:
            Failure: it does not, or the feedback file cannot be written.
        """
        require("h11", "device")
        program = self.command[0]
        if shutil.which(program) is None:
            path = Path(program)
            if path.is_dir():
                raise Failure(f"`{program}` is a folder, no program", "give the agent's command behind `--`")
            if path.is_file() and "/" in program:
                raise Failure(f"`{program}` may not be executed", f"chmod +x {program}, or name what runs it")
            raise Failure(f"there is no program `{program}`", "give the agent's command behind `--`")
        if self.feedback_file is not None:
            from vsalang.phone.gate.telling import FeedbackFile

            try:
                FeedbackFile(self.feedback_file).close()
            except OSError as error:
                raise Failure(
                    f"--feedback {self.feedback_file}: it cannot be written: {error.strerror or error}",
                    "name a file in a folder that is there, and no link",
                ) from error

    def rules(self, phone: "Phone") -> "Rules":
        """The rules for the gate, with what the phone says about its apps."""
        from vsalang.phone.gate.services import Rules, launchers
        from vsalang.phone.vocabulary.adb import Known

        on_block = "error" if self.on_block == "fail" else self.on_block
        known = Known(launchers=launchers(phone))
        return Rules(on_block, frozenset(self.services), self.portal_port, known)


def options(command: "Callable[..., Any]") -> "Callable[..., Any]":
    """Add the options for an agent's command."""
    for option in reversed(
        [
            click.argument("agent_command", metavar="[-- COMMAND...]", nargs=-1, type=click.UNPROCESSED),
            click.option(
                "--on-block",
                type=click.Choice(["error", "fail", "silent"]),
                default=None,
                help="With COMMAND: error: what is blocked is answered by an error that says why. fail: the same, and "
                "plain commands are not even opened, for clients that read no output (adbutils). silent: it is "
                "answered as if it had been done. [default: error]",
            ),
            click.option(
                "--feedback",
                "feedback_file",
                metavar="FILE",
                help="With COMMAND: append the guard's answers to this file, a JSON document a line.",
            ),
            click.option(
                "--allow-service",
                "services",
                multiple=True,
                metavar="SERVICE",
                callback=_services,
                help="With COMMAND: allow a service of adb without a check, such as tcp:8080; repeatable.",
            ),
            click.option(
                "--portal-port",
                type=click.IntRange(1, 65535),
                metavar="PORT",
                help="With COMMAND: where mobilerun's helper app listens on the phone.",
            ),
            click.option(
                "--adb-server",
                type=click.Choice(["own", "real"]),
                default=None,
                help="With COMMAND: own: the agent's adb server is part of vsac. real: one of the adb command is "
                "started for it. [default: own]",
            ),
            click.option(
                "--isolate",
                is_flag=True,
                help="With COMMAND, on Linux: give it a network of its own, with the guarded phone and nothing else.",
            ),
            click.option(
                "--reach",
                multiple=True,
                metavar="[HOST:]PORT",
                callback=_addresses,
                help="With --isolate: what COMMAND can still reach, by this port on 127.0.0.1; repeatable.",
            ),
            click.option(
                "--serial",
                metavar="NAME",
                help="With COMMAND: the serial that the agent sees. [default: the phone's own]",
            ),
            allow_user,
        ]
    ):
        command = option(command)
    return command


_SERVICE: Final = re.compile(
    r"tcp:(?:[\w.-]+:)?\d{1,5}|vsock:\d+(?::\d+)?|local(?:abstract|reserved|filesystem)?:[^\s\x00:][^\x00]*",
    re.ASCII,
)


def _services(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        if not _SERVICE.fullmatch(value):
            port = re.fullmatch(r"(?:tcp|port)?\W*(\d{1,5})", value, re.ASCII | re.IGNORECASE)
            meant = f"; did you mean tcp:{port[1]}?" if port is not None else ""
            raise click.BadParameter(
                f"{value!r} cannot be allowed without a check: use tcp:PORT, localabstract:NAME and the like"
                + meant,
                ctx,
                param,
            )
    return values


def _addresses(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> dict[int, tuple[str, int]]:
    found = {}
    for value in values:
        host, colon, port = value.rpartition(":")
        if not (port.isascii() and port.isdecimal() and 0 < int(port[:6]) <= 65535) or (colon and not host):
            raise click.BadParameter(f"{value!r} is no [HOST:]PORT", ctx, param)
        found[int(port)] = (host.strip("[]") or "127.0.0.1", int(port))
    return found


def commanded(given: "Mapping[str, Any]") -> Commanded | None:
    """The agent's program of the command line; None if there is none.

    Raises:
        click.UsageError: there are options for a program, and there is none.
    """
    command = tuple(given["agent_command"])
    if not command:
        for name, option in _NOT_COMMANDED.items():
            if given[name]:
                raise click.UsageError(f"{option} is for an agent's command: `vsac run SPEC ... -- COMMAND`.")
        return None
    if given["adb_server"] == "real" and given["serial"]:
        raise click.UsageError("a real adb server names the phone itself: leave out --serial.")
    if given["reach"] and not given["isolate"]:
        raise click.UsageError("--reach is for --isolate: without it the agent's command reaches everything.")
    return Commanded(
        command,
        given["on_block"] or "error",
        given["feedback_file"],
        given["services"],
        given["portal_port"],
        given["adb_server"] or "own",
        given["serial"],
        given["isolate"],
        given["reach"],
        given["users"],
    )
