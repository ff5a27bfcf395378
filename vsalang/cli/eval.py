"""``vsac eval``: measures how well parts of vsalang do their work."""

import click

from vsalang.cli import eval_contracts, eval_encode


@click.group(name="eval")
def command() -> None:
    """Measure against gold answers and recorded data how well vsac does its work."""


command.add_command(eval_encode.encode)
command.add_command(eval_contracts.contracts)
