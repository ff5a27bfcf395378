"""``vsac explain CODE``: explains the code of a finding, with an example."""

import textwrap
from typing import TYPE_CHECKING

import click

from vsalang.tools.cli.common import Failure, format_option

if TYPE_CHECKING:
    from vsalang.base.diagnostics.code import Code


@click.command(name="explain")
@click.argument("code", required=False)
@format_option("text", "json")
def command(code: str | None, format: str) -> None:
    """Say what CODE (such as E0003) means, with an example and how to fix it.

    Without CODE, list all codes.
    """
    from vsalang.base.diagnostics import codes
    from vsalang.base.source.suggest import did_you_mean
    from vsalang.language.lint import CODES as LINT

    known = {**codes.CODES, **LINT}

    if code is None:
        chosen = list(known.values())
    else:
        entry = known.get(code.strip().upper())
        if entry is None:
            hint = did_you_mean(code, known) or "`vsac explain` lists all codes"
            raise Failure(f"there is no code `{code}`", hint)
        chosen = [entry]
    if format == "json":
        import json

        click.echo(json.dumps([_data(entry) for entry in chosen], indent=2))
    elif code is None:
        for entry in chosen:
            click.echo(f"{entry.code}  {entry.severity.value:7}  {entry.title}")
    else:
        click.echo(page(chosen[0]), nl=False)


def page(entry: "Code") -> str:
    """The explanation of a code as text of at most 88 columns."""
    parts = [f"{entry.severity.value}[{entry.code}]: {entry.title}", textwrap.fill(entry.explanation, 88)]
    if entry.example_bad:
        parts.append("This gives it:\n\n" + textwrap.indent(entry.example_bad, "    "))
    if entry.example_good:
        parts.append("Instead:\n\n" + textwrap.indent(entry.example_good, "    "))
    return "\n\n".join(parts) + "\n"


def _data(entry: "Code") -> dict[str, str]:
    return {
        "code": entry.code,
        "severity": entry.severity.value,
        "title": entry.title,
        "explanation": entry.explanation,
        "example_bad": entry.example_bad,
        "example_good": entry.example_good,
    }
