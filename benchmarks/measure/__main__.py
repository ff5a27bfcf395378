"""``vsac eval``: measures how well parts of vsalang do their work."""

import click

from benchmarks.measure import contracts_command as eval_contracts
from benchmarks.measure import encode_command as eval_encode


@click.group(name="eval")
def command() -> None:
    """Measure against gold answers and recorded data how well vsac does its work."""


command.add_command(eval_encode.encode)
command.add_command(eval_contracts.contracts)
