"""The command ``vsac``: finds and runs commands, and turns every failure into a message and an exit status.

Commands are imported only when they are run, so that ``vsac --help`` imports nothing but click.
"""

import errno
import importlib
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import click

from vsalang.tools.cli.common import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, color_option

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class Entry(NamedTuple):
    """A command: its module, and its line in ``vsac --help``."""

    module: str
    help: str


COMMANDS = {
    "init": Entry("vsalang.tools.cli.init", "Start a project."),
    "demo": Entry("vsalang.tools.cli.demo", "Watch the guard at work, on a simulated phone."),
    "check": Entry("vsalang.tools.cli.check", "Report the errors of .vsa files."),
    "test": Entry("vsalang.tools.cli.test", "Run the tests that .vsa files hold."),
    "run": Entry("vsalang.tools.cli.run", "Run an agent on a device, guarded."),
    "serve": Entry("vsalang.tools.cli.serve", "Serve a guarded session to apps that report their own state."),
    "mcp": Entry("vsalang.tools.cli.mcp", "Offer a guarded phone to clients of the Model Context Protocol."),
    "record": Entry("vsalang.tools.cli.record", "Record a session of a device, or follow recorded walks."),
    "show": Entry("vsalang.tools.cli.show", "Show a recorded session, as text or as a page."),
    "replay": Entry("vsalang.tools.cli.replay", "Judge a recorded session again, by this or another spec."),
    "audit": Entry("vsalang.tools.cli.audit", "Say where policies object to recorded walks, and score it."),
    "certify": Entry(
        "vsalang.tools.cli.certify", "Say what each action of a recorded session did, and why it could."
    ),
    "fmt": Entry("vsalang.tools.cli.fmt", "Write .vsa files in the one style."),
    "lint": Entry("vsalang.tools.cli.lint", "Report what is allowed but probably not meant."),
    "query": Entry("vsalang.tools.cli.query", "Ask a condition in a state: rows, and why each matched."),
    "repl": Entry("vsalang.tools.cli.repl", "Ask conditions line by line, and change the state in between."),
    "describe": Entry("vsalang.tools.cli.describe", "Say in plain words what a spec permits."),
    "bench": Entry("vsalang.tools.cli.bench", "Measure what a spec costs: a turn, each rule, a session."),
    "verify": Entry("vsalang.tools.cli.verify", "Prove properties of specs with a solver."),
    "diff": Entry(
        "vsalang.tools.cli.diff", "Say what a new version of a spec permits otherwise, with tests."
    ),
    "testgen": Entry("vsalang.tools.cli.testgen", "Write tests that show each clause and condition at work."),
    "conflicts": Entry(
        "vsalang.tools.cli.conflicts", "Say what a task asks for that policies forbid or ask about."
    ),
    "probe": Entry(
        "vsalang.tools.cli.probe", "Ask whether a spec means what was meant, by states at its edge."
    ),
    "plan": Entry(
        "vsalang.tools.cli.plan", "Find a shortest run to the end of a task, or one that breaks a policy."
    ),
    "utg": Entry(
        "vsalang.tools.cli.utg", "Make and compare maps of apps: which gestures lead from screen to screen."
    ),
    "target": Entry("vsalang.tools.cli.target", "Say which screens a task is about."),
    "trace": Entry(
        "vsalang.tools.cli.trace", "Say what rules can see of a phone's system, and what changes by itself."
    ),
    "encode": Entry("vsalang.tools.cli.encode", "Write a spec from an instruction, with a language model."),
    "memory": Entry("vsalang.tools.cli.memory", "Keep specs that proved right, from which encode learns."),
    "import": Entry("vsalang.tools.cli.import_", "Make .vsa of a JSON state schema or of Horn clauses."),
    "export": Entry("vsalang.tools.cli.export", "Write a program as JSON, Datalog, Horn clauses or a graph."),
    "compile": Entry(
        "vsalang.tools.cli.compile", "Print the Python (or pyDatalog) that a program is compiled to."
    ),
    "facts": Entry("vsalang.tools.cli.facts", "Show the facts that rules read from a screen."),
    "controls": Entry(
        "vsalang.tools.cli.controls", "Show what a screen offers: its controls, their kinds and values."
    ),
    "delta": Entry(
        "vsalang.tools.cli.delta", "Show what differs between two screens, such as before and after a tap."
    ),
    "graph": Entry(
        "vsalang.tools.cli.graph", "Show which controls of a screen come before which, by the rules."
    ),
    "contracts": Entry(
        "vsalang.tools.cli.contracts", "Propose contracts from what controls were seen to do."
    ),
    "read": Entry(
        "vsalang.tools.cli.read", "Show what an app module reads from captured screens, and compare."
    ),
    "devices": Entry("vsalang.tools.cli.devices", "List the devices that can be guarded."),
    "doctor": Entry("vsalang.tools.cli.doctor", "Say what is missing to guard a phone, and how to fix it."),
    "sim": Entry("vsalang.tools.cli.sim", "Work with simulated phones."),
    "lsp": Entry("vsalang.tools.cli.lsp", "Serve editors (Language Server Protocol)."),
    "explain": Entry("vsalang.tools.cli.explain", "Say what a code such as E0201 means."),
}
"""Every command, in the order of the help. To add one, add its module and its line here."""

MOVED = {
    "eval": "in a checkout of the repository, `python -m benchmarks.measure encode DIR` and "
    "`python -m benchmarks.measure contracts DATA` measure the same; benchmarks/measure/README.md says more"
}
"""Commands of earlier versions, which no list names: what does their work now."""


_UNWRITTEN = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
"""Errors of writing output; they name no file."""


class LazyGroup(click.Group):
    """A group that imports a command when it is asked for, and suggests names for misspelt ones."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command = importlib.import_module(entry.module).command
        assert isinstance(command, click.Command)
        if ctx.resilient_parsing:  # a shell asks for completions
            from vsalang.tools.cli.completing import prepare

            prepare(command, cmd_name)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """The names of commands and options, without importing the commands."""
        from vsalang.tools.cli.completing import commands

        return [*commands(COMMANDS.items(), incomplete), *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments name, or say which name is nearest."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            from vsalang.base.diagnostics.display import safe
            from vsalang.base.source.suggest import did_you_mean
            from vsalang.tools.cli.common import Failure

            if name in MOVED:
                raise Failure(f"`vsac {name}` is not part of the package any more", MOVED[name])
            hint = did_you_mean(name, COMMANDS)
            if not hint and name.endswith((".vsa", ".json")):
                hint = f"to check a file: `vsac check {safe(shlex.quote(name))}`"
            raise click.UsageError(
                f"there is no command `{safe(name, 80)}`" + (f"; {hint}" if hint else ""), ctx
            )
        return super().resolve_command(ctx, args)


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from vsalang.tools.cli.common import version

        click.echo(f"vsac {version()}")
        ctx.exit()


SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
"""How every command shows its help."""


@click.group(
    name="vsac",
    cls=LazyGroup,
    no_args_is_help=True,
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
    from vsalang.tools.cli.common import Failure, unreadable

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
