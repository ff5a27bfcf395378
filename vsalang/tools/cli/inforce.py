"""Prints which program, policies and configuration are in force, before a guarded session begins."""

from collections.abc import Callable, Iterable
from dataclasses import asdict

import click

from vsalang.agents.session import File, InForce
from vsalang.base.resources import shipped_name
from vsalang.program.text import line
from vsalang.tools.cli.output import echo_json

_SHORT = 12


def saying(format: str = "text", *, key: str = "kind", err: bool = False) -> Callable[[InForce], None]:
    """The function that prints it: as one JSON object on a line, or short, for people.

    Args:
        format: ``json`` or ``text``.
        key: the key of the JSON object's kind.
        err: on standard error: standard output is somebody else's.
    """

    def say(in_force: InForce) -> None:
        if format == "json":
            echo_json({key: "in_force", **asdict(in_force)}, err=err)
            return
        lines = [f"program {line(in_force.spec, 80)} {in_force.program[:_SHORT]}"]
        lines.append(f"policies: {_short(in_force.policies)}")
        lines.append(f"configuration: {_short(in_force.configuration)}")
        if not in_force.contracts:
            lines.append("without std.contracts")
        click.echo(f"In force: {'; '.join(lines)}", err=err)
        if in_force.note:
            click.echo(line(in_force.note, 1000), err=err)

    return say


def _short(files: Iterable[File]) -> str:
    names = [(shipped_name(each.file) or line(each.file, 200), each.digest[:_SHORT]) for each in files]
    return ", ".join(f"{name} {digest}" for name, digest in names) or "none"
