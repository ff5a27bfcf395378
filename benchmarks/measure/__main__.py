"""``python -m benchmarks.measure``: measures how well parts of vsalang do their work. README.md says how it is used."""

import sys
from collections.abc import Sequence

import click

from benchmarks.measure.contracts_command import contracts
from benchmarks.measure.encode_command import encode
from benchmarks.measure.lint_command import command as lint
from vsalang.tools.cli import main
from vsalang.tools.cli.common import color_option


@click.group(no_args_is_help=True, context_settings=main.SETTINGS)
@color_option
def command() -> None:
    """Measure against gold answers and recorded data how well vsalang does its work."""


command.add_command(encode, "encode")
command.add_command(contracts, "contracts")
command.add_command(lint, "lint")


def run(args: Sequence[str]) -> int:
    """Run one command line (without the program's name) and return its exit status. Nothing is raised."""
    return main.run(args, command, "python -m benchmarks.measure")


if __name__ == "__main__":
    main.leave(run(sys.argv[1:]))
