"""``vsac bench``: measure what a spec costs: a turn, each rule, a session's memory."""

import time
from typing import TYPE_CHECKING, Any

import click

from vsalang.tools.cli import options
from vsalang.tools.cli.common import EXIT_OK, Failure, format_option, load_in_force, refused
from vsalang.tools.cli.output import json_text

if TYPE_CHECKING:
    from vsalang.base.source import Span


@click.command()
@click.argument("file", metavar="FILE")
@click.option(
    "--events",
    type=click.IntRange(1, 1_000_000),
    default=200,
    show_default=True,
    help="Turns to time in each round, at least.",
)
@click.option(
    "--from",
    "source",
    type=click.Choice(["tests", "random"]),
    help="Where turns come from. Default: the file's tests, invented ones if there are none.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of invented turns.")
@click.option(
    "--rounds",
    type=click.IntRange(1, 100),
    default=5,
    show_default=True,
    help="How often everything is repeated; the differences between rounds are shown as noise.",
)
@click.option(
    "--sessions",
    type=click.IntRange(1, 10_000),
    default=10,
    show_default=True,
    help="How many sessions are open at once while one is measured.",
)
@click.option(
    "--top",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="How many rules are listed, the slowest first; 0: all.",
)
@click.option("--no-rules", is_flag=True, help="Do not measure single rules: faster.")
@options.policy_beside("FILE")
@format_option("text", "json")
def command(
    *,
    file: str,
    events: int,
    source: Any,
    seed: int,
    rounds: int,
    sessions: int,
    top: int,
    no_rules: bool,
    policies: tuple[str, ...],
    format: str,
) -> int:
    """Measure what FILE costs: a turn of the guard, each rule, a session's memory, compiling.

    Turns are those of the file's tests, else invented from its declarations. Exit status: 0 measured, 1 FILE has
    errors, 2 it could not be read or there is nothing to measure.
    """
    import sys

    from vsalang.tools.bench import BenchError, Plan, as_json, as_text, measure

    machine = format == "json"
    begin = time.perf_counter()
    loaded = load_in_force(file, policies)
    loading = time.perf_counter() - begin
    if loaded.program is None:
        return refused(loaded, format)
    sources = loaded.sources

    def where(span: "Span") -> tuple[str, int]:
        text = sources.get(span.file)
        return span.file, text.position(span.start).line if text is not None else 0

    plan = Plan(events, source, seed, rounds, sessions, not no_rules)
    shown = -1

    def progress(share: float, what: str) -> None:
        nonlocal shown
        percent = int(share * 100)
        if percent != shown:
            shown = percent
            click.echo(f"\r{percent:3d} %  {what:<24}", nl=False, err=True)

    on_terminal = sys.stderr.isatty()
    try:
        report = measure(
            loaded.program,
            loaded.own,
            plan,
            load=loading,
            where=where,
            progress=progress if on_terminal else None,
        )
    except BenchError as error:
        raise Failure(f"{file}: {error}") from error
    finally:
        if on_terminal:
            click.echo("\r" + " " * 32 + "\r", nl=False, err=True)
    if machine:
        click.echo(json_text(as_json(report), indent=2))
    else:
        click.echo(as_text(report, rules=top), nl=False)
    return EXIT_OK
