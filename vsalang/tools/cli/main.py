"""The command ``vsac``: finds and runs commands, and turns every failure into a message and an exit status.

Commands are imported only when they are run, so that ``vsac --help`` imports nothing but click.
Imports stand in functions for the same reason.
"""

import errno
import importlib
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

import click

from vsalang.base.collector import end_unsearched, no_collection
from vsalang.tools.cli.common import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, color_option
from vsalang.tools.cli.families import GROUPS, OLD, Entry, every

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


MOVED = {
    "eval": "in a checkout of the repository, `python -m benchmarks.measure encode DIR` and "
    "`python -m benchmarks.measure contracts DATA` measure the same; benchmarks/measure/README.md says more"
}
"""Commands of earlier versions, which no list names: what does their work now."""


_UNWRITTEN = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
"""Errors of writing output; they name no file."""


class Family(click.Group):
    """Commands that are imported when they are asked for; it suggests names for misspelt ones.

    Args:
        groups: its commands, under the headings of its help.
        old: names of before, and the words that take their place.
        more: what `click.Group` takes.
    """

    def __init__(
        self,
        *args: Any,
        groups: Mapping[str, Mapping[str, Entry]],
        old: Mapping[str, tuple[str, ...]] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(*args, **{"no_args_is_help": True, **more})
        self.groups = groups
        self.old = old or {}
        self.entries = {name: entry for group in groups.values() for name, entry in group.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command, or make a family."""
        entry = self.entries.get(cmd_name)
        if entry is None:
            return None
        command = imported(cmd_name, entry)
        if ctx.resilient_parsing and not isinstance(command, Family):  # a shell asks for completions
            from vsalang.tools.cli.completing import prepare

            prepare(command, cmd_name)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """The names of commands and options, without importing the commands."""
        from vsalang.tools.cli.completing import commands

        known = commands(self.entries.items(), incomplete)
        return [*known, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        for heading, group in self.groups.items():
            with formatter.section(heading):
                formatter.write_dl([(name, entry.help) for name, entry in group.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments name, or say which name is nearest."""
        name = args[0]
        if name in self.old:
            first, *rest = self.old[name]
            return super().resolve_command(ctx, [first, *rest, *args[1:]])
        if self.old and _starts_a_program(args):
            return super().resolve_command(ctx, ["guard", *args[1:]])
        if name not in self.entries and not name.startswith("-") and not ctx.resilient_parsing:
            raise _unknown(ctx, name, self.entries)
        return super().resolve_command(ctx, args)


def _starts_a_program(args: Sequence[str]) -> bool:
    """Whether this is `run SPEC .. -- COMMAND`, which is `guard` and works until 0.2."""
    if args[0] != "run" or "--" not in args:
        return False
    return not any(each.partition("=")[0] == "--agent" for each in args[: args.index("--")])


def imported(name: str, entry: Entry) -> click.Command:
    """The command of an entry."""
    if not entry.place:
        return Family(name, help=f"{entry.help}\n{entry.about}", groups={"Commands": entry.inside})
    place, _, attribute = entry.place.partition(":")
    try:
        with no_collection():  # what is imported stays: the search takes a sixth of the time
            module = importlib.import_module(f"vsalang.tools.cli.{place}")
    except ModuleNotFoundError as error:
        from vsalang.tools.cli.common import missing_extra

        raise missing_extra(error) from error
    command = getattr(module, attribute or "command")
    assert isinstance(command, click.Command)
    return command


def _unknown(ctx: click.Context, name: str, known: Iterable[str]) -> click.ClickException:
    from vsalang.base.diagnostics.display import safe
    from vsalang.base.source.suggest import did_you_mean, nearest
    from vsalang.tools.cli.common import Failure

    top = ctx.parent is None
    if top and name in MOVED:
        return Failure(f"`vsac {name}` is not part of the package any more", MOVED[name])
    hint = did_you_mean(name, known)
    if not hint and name.endswith((".vsa", ".json")):
        hint = f"to check a file: `vsac check {safe(shlex.quote(name))}`"
    if not hint:
        elsewhere = {words.rpartition(" ")[2]: words for words, _ in every()}
        near = nearest(name, elsewhere)
        hint = f"did you mean `vsac {elsewhere[near[0]]}`?" if near else ""
    where = "" if top else f" in `{ctx.command_path}`"
    return click.UsageError(
        f"there is no command `{safe(name, 80)}`{where}" + (f"; {hint}" if hint else ""), ctx
    )


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from vsalang.tools.cli.common import version

        click.echo(f"vsac {version()}")
        ctx.exit()


SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
"""How every command shows its help."""


@click.group(
    name="vsac",
    cls=Family,
    groups=GROUPS,
    old=OLD,
    context_settings=SETTINGS,
    epilog="`vsac COMMAND --help` says more. Exit status: 0 fine, 1 findings, 2 could not run.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version and exit.",
)
@color_option
def cli() -> None:
    """Check what a GUI agent wants to do, with logic, before it reaches the phone."""


def main() -> NoReturn:
    """The command ``vsac``: run with the process's arguments and exit."""
    if "_VSAC_COMPLETE" in os.environ:
        from vsalang.tools.cli.completing import install

        install()
        cli.main(prog_name="vsac")  # click answers a shell that asks for completions
    leave(run(sys.argv[1:]))


def leave(status: int) -> NoReturn:
    """End the process with this exit status, or with that of a failure to write what it printed."""
    try:
        if sys.stdout is not None:  # None: the parent process closed it
            sys.stdout.flush()
    except BrokenPipeError:
        _abandon_output()
        status = EXIT_FAILED
    except OSError as error:  # a full disk; already reported if it was noticed earlier
        if status != EXIT_FAILED:
            with suppress(OSError):
                _failed(error)
        _abandon_output()
        status = EXIT_FAILED
    end_unsearched()
    sys.exit(status)


def run(args: Sequence[str], command: click.Command = cli, name: str = "vsac") -> int:
    """Run one command line and return its exit status. Nothing is raised.

    A command's exit status is what it returns or gives to `click.Context.exit`; no value is 0.

    Args:
        args: without the program's name.
        command: what is run: `vsac`, or a program of the repository that fails in the same ways.
        name: of the program, for its help.
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character shows its number instead.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    return _status(lambda: _start(args, command, name))


def _start(args: Sequence[str], command: click.Command, name: str) -> int:
    with command.make_context(name, list(args)) as ctx:
        # Failures of a command are shown while its context, which knows about colours, is there.
        return _status(lambda: command.invoke(ctx))


def _status(call: Callable[[], object]) -> int:
    """The exit status of a call: what it returns if that is one, else what its failure means."""
    try:
        result = call()
        return result if isinstance(result, int) else EXIT_OK
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return EXIT_FAILED
    except (click.Abort, KeyboardInterrupt, EOFError):
        click.echo("\ninterrupted", err=True)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        _abandon_output()
        return EXIT_FAILED
    except Exception as error:
        if isinstance(error.__cause__, KeyboardInterrupt):  # Python wraps it where a class is being made
            click.echo("\ninterrupted", err=True)
            return EXIT_INTERRUPTED
        try:
            return _failed(error)
        except OSError:  # there is nowhere to report it
            _abandon_output()
            return EXIT_FAILED


def _failed(error: Exception) -> int:
    """Report what went wrong, in one line if possible."""
    from vsalang.base.diagnostics.display import safe
    from vsalang.base.resources import MissingResource
    from vsalang.base.source import SourceError
    from vsalang.tools.cli.common import Failure, missing_extra, unreadable

    if isinstance(error, ModuleNotFoundError) and isinstance(missing := missing_extra(error), Failure):
        missing.show()
        return EXIT_FAILED
    debug = os.environ.get("VSAC_DEBUG") == "1"
    if debug:
        import traceback

        traceback.print_exc()
    if isinstance(error, SourceError):
        unreadable(error).show()
    elif isinstance(error, MissingResource):
        Failure(str(error)).show()
    elif isinstance(error, OSError) and error.filename is not None:
        unreadable(error).show()
    elif isinstance(error, OSError) and error.errno in _UNWRITTEN:
        Failure(f"cannot write the output: {(error.strerror or str(error)).lower()}").show()
    else:
        click.echo(f"internal error: {type(error).__name__}: {safe(str(error), 400)}", err=True)
        if not debug:
            click.echo(
                "  This is a mistake in vsac, not in your files. Please report it, with the command line and what "
                "VSAC_DEBUG=1 prints, to the project's issue tracker.",
                err=True,
            )
    return EXIT_FAILED


def _abandon_output() -> None:
    """Nobody reads the output any more: discard what the interpreter still flushes."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            os.dup2(nowhere, stream.fileno())
        except (OSError, ValueError):  # not a file: nothing to silence
            continue


if __name__ == "__main__":
    main()
