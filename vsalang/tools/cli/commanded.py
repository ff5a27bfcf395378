"""``vsac guard SPEC -- COMMAND``: options for an agent's program, their values, and what is shown of its run."""

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from vsalang.tools.cli.common import EXIT_FAILED, EXIT_FINDINGS, EXIT_OK, Failure, require
from vsalang.tools.cli.options import allow_user, warn_of_strangers
from vsalang.tools.cli.output import echo, echo_json
from vsalang.tools.cli.runshow import TextShow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from vsalang.agents.session.transparent import AgentProgram, TransparentSession
    from vsalang.phone.gate import GateEvent
    from vsalang.phone.gate.bypass import Bypass

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


_REAL: Final = (
    "Every user of this machine can connect to the ports that the adb command's server opens by itself "
    "(--adb-server real, `adb forward`): it accepts everybody. Leave the option out if others have accounts here."
)


class ErrorShow(TextShow):
    """Shows the run to people on standard error: standard output is the agent's."""

    def say(self, text: str = "", *, nl: bool = True) -> None:
        """Print a line at once."""
        echo(text, nl=nl, color=self.color, err=True)

    def ready(self, program: "AgentProgram", serial: str, port: int, open_ways: "Iterable[Bypass]") -> None:
        """Say how the agent finds the phone, and what leads around the guard."""
        self.say(f"The agent finds the phone by ANDROID_SERIAL={serial} ANDROID_ADB_SERVER_PORT={port}")
        if warning := warn_of_strangers("this port"):
            self.wrapped(warning, "", 0)
        if program.adb_server == "real":
            self.wrapped(_REAL, "", 0)
        if ways := [f"{way.name} ({way.where})" for way in open_ways]:
            self.wrapped(
                f"Not guarded, and open to a program that looks for it: {', '.join(ways)}. "
                "docs/guides/transparent-guard.md says how to close it.",
                "",
                0,
            )
        self.say()

    def refused(self, event: "GateEvent") -> None:
        """Show a request that was refused without a verdict."""
        self.say(f"{event.number:>3}  {event.what}  " + self.style("REFUSED", fg="red", bold=True))
        self.wrapped(event.feedback, "     " + self.style("│", fg="red") + " ", 7)


def finish(
    run: "TransparentSession",
    program: "AgentProgram",
    status: int,
    show: ErrorShow | None,
) -> int:
    """End the session and show how the run ended, as JSON if there is no `show`; return the exit status of ``vsac``."""
    from vsalang.guard.say.feedback import roadmap

    run.session.end(run.completed)
    guard = run.guard
    if show is None:
        echo_json(run.summary(program, status))
    else:
        legs = roadmap(guard.program, guard.roadmap(), today=guard.today, language=run.language)
        if status != 0:
            how = f"was ended by signal {-status}" if status < 0 else f"ended with exit status {status}"
            show.say(f"The agent's program {how}.")
        if refused := run.counts.get("refused", 0):
            show.say(f"{refused} request{'s' * (refused != 1)} refused: never allowed, or not understood.")
        if run.interrupted:
            show.say("It was interrupted: nothing is said to be done.")
        elif run.lost:
            show.say(f"The phone was lost: {run.lost}")
        show.end(guard, legs, run.steps, run.completed, run.session.journal)
    if run.interrupted:
        return 128 + run.interrupted
    if run.lost:
        return EXIT_FAILED
    return EXIT_OK if run.completed else EXIT_FINDINGS


def check(program: "AgentProgram") -> None:
    """Check that the program exists, before anything is started.

    Raises:
        Failure: it does not, or the feedback file cannot be written.
    """
    require("h11", "device")
    name = program.command[0]
    if shutil.which(name) is None:
        path = Path(name)
        if path.is_dir():
            raise Failure(f"`{name}` is a folder, not a program", "give the agent's command behind `--`")
        if path.is_file() and "/" in name:
            raise Failure(f"`{name}` may not be executed", f"chmod +x {name}, or name what runs it")
        raise Failure(f"there is no program `{name}`", "give the agent's command behind `--`")
    if program.feedback_file is not None:
        from vsalang.phone.gate.telling import FeedbackFile

        try:
            FeedbackFile(program.feedback_file).close()
        except OSError as error:
            raise Failure(
                f"--feedback {program.feedback_file}: it cannot be written: {error.strerror or error}",
                "name a file in a folder that is there, and no link",
            ) from error


def options(command: "Callable[..., Any]") -> "Callable[..., Any]":
    """Add the options for an agent's command."""
    for option in reversed(
        [
            click.argument("agent_command", metavar="-- COMMAND...", nargs=-1, type=click.UNPROCESSED),
            click.option(
                "--on-block",
                type=click.Choice(["error", "fail", "silent"]),
                default=None,
                help="error: what is blocked is answered by an error that says why. fail: the same, and "
                "plain commands are not even opened, for clients that read no output (adbutils). silent: it is "
                "answered as if it had been done. [default: error]",
            ),
            click.option(
                "--feedback",
                "feedback_file",
                metavar="FILE",
                help="Append the guard's answers to this file, a JSON document a line.",
            ),
            click.option(
                "--allow-service",
                "services",
                multiple=True,
                metavar="SERVICE",
                callback=_services,
                help="Allow a service of adb without a check, such as tcp:8080; repeatable.",
            ),
            click.option(
                "--portal-port",
                type=click.IntRange(1, 65535),
                metavar="PORT",
                help="Where mobilerun's helper app listens on the phone.",
            ),
            click.option(
                "--adb-server",
                type=click.Choice(["own", "real"]),
                default=None,
                help="own: the agent's adb server is part of vsac. real: one of the adb command is "
                "started for it. [default: own]",
            ),
            click.option(
                "--isolate",
                is_flag=True,
                help="On Linux: give COMMAND a network of its own, with the guarded phone and nothing else.",
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
                help="The serial that the agent sees. [default: the phone's own]",
            ),
            allow_user,
        ]
    ):
        command = option(command)
    return command


def hide(command: click.Command) -> None:
    """Leave these out of the help of ``vsac run``, which takes them until 0.2."""
    for param in command.params:
        if param.name == "agent_command":
            param.metavar = ""
        elif isinstance(param, click.Option) and param.name in _NOT_COMMANDED:
            param.hidden = True


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


def commanded(given: "Mapping[str, Any]") -> "AgentProgram | None":
    """The agent's program of the command line; None if there is none.

    Raises:
        click.UsageError: there are options for a program, and there is none.
    """
    from vsalang.agents.session.transparent import AgentProgram

    command = tuple(given["agent_command"])
    if not command:
        for name, option in _NOT_COMMANDED.items():
            if given[name]:
                raise click.UsageError(
                    f"{option} is for an agent's command: `vsac guard SPEC ... -- COMMAND`."
                )
        return None
    if given["adb_server"] == "real" and given["serial"]:
        raise click.UsageError("a real adb server names the phone itself: leave out --serial.")
    if given["reach"] and not given["isolate"]:
        raise click.UsageError("--reach is for --isolate: without it the agent's command reaches everything.")
    return AgentProgram(
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
