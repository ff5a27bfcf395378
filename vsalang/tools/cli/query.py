"""``vsac query FILE BODY``: asks a condition of a program in a state, and explains each row or what is missing."""

import datetime as dt

import click
from click.core import ParameterSource

from vsalang.base.names import DEFAULT_ENGINE, EngineName
from vsalang.tools.cli import options
from vsalang.tools.cli.common import (
    EXIT_FAILED,
    EXIT_FINDINGS,
    EXIT_OK,
    Failure,
    complain,
    format_option,
    require,
)
from vsalang.tools.cli.output import json_text
from vsalang.tools.cli.situations import load_place, paint, situation_of


@click.command(name="query")
@click.argument("file", metavar="[FILE]", required=False)
@click.argument("body", metavar="[BODY]", required=False)
@click.option("-i", "--interactive", is_flag=True, help="Ask line by line, and change the state in between.")
@click.option(
    "--history",
    metavar="FILE",
    help="With -i: where to keep what is typed; `off`: nowhere. [default: in the user's state folder]",
)
@click.option(
    "--state",
    "states",
    multiple=True,
    metavar="FILE",
    help="Where the state is from: a test (FILE.vsa::NAME), steps (.vsa), a UI dump (.xml), facts (.json), "
    "a journal (.jsonl). Repeatable: each comes after the one before.",
)
@click.option(
    "--test",
    "test",
    default="",
    metavar="NAME",
    help="The test to take the state from (of FILE, if there is no --state).",
)
@click.option(
    "--step", type=click.IntRange(0), help="Stop the test after this many steps; the journal after this line."
)
@click.option(
    "--clock",
    type=click.DateTime(["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"]),
    help="The device's date and time at the beginning. [default: the test's]",
)
@options.policy
@options.engine("Which evaluator gives the rows.")
@options.timeout
@click.option(
    "--limit", type=click.IntRange(1), default=100, show_default=True, help="How many rows to show."
)
@click.option("--why", type=click.IntRange(0), default=3, show_default=True, help="How many rows to explain.")
@format_option("text", "json")
def command(
    *,
    file: str | None,
    body: str | None,
    interactive: bool,
    history: str | None,
    states: tuple[str, ...],
    test: str,
    step: int | None,
    clock: dt.datetime | None,
    policies: tuple[str, ...],
    engine: "EngineName | None",
    timeout: float,
    limit: int,
    why: int,
    format: str,
) -> int:
    """Ask the condition BODY of the program FILE in a state, and show the rows with the reasons of each.

    BODY is written as after `when` in a rule: 'Slot(time = ?t), ?t < 19:00'. If there is no row, the conditions that
    are not met are shown, with the values that were seen.

    With -i each line is a condition, or a command that begins with a colon: `:help` lists them, `exit` ends. FILE
    may be loaded there. Lines from a pipe are read without a prompt.

    Exit status: 0 there is a row, 1 there is none, 2 it could not be asked (also where FILE or BODY have errors).
    With -i 0; from a pipe 1 if a line could not be answered.
    """
    if interactive:
        from vsalang.tools.cli.repl import dialogue

        _refuse(body is not None, "BODY cannot be given with -i: it is asked line by line.")
        for name in ("test", "step", "clock", "engine", "limit", "why", "format", "as_json"):
            source = click.get_current_context().get_parameter_source(name)
            _refuse(
                source is ParameterSource.COMMANDLINE,
                f"--{name.removeprefix('as_')} cannot be given with -i.",
            )
        return dialogue(file, states, policies, history, timeout)
    _refuse(history is not None, "--history needs -i.")
    if file is None or body is None:
        raise click.UsageError(f"Missing argument '{'BODY' if file else 'FILE'}'. (-i asks line by line.)")

    from vsalang.base.config import config_for
    from vsalang.engine import EngineError
    from vsalang.program.similarity import problem_of
    from vsalang.tools.ask import AskError, Wrong, ask
    from vsalang.tools.ask.render import reply_data, reply_lines, writers_data, writers_lines
    from vsalang.tools.ask.writers import reads_of

    engine = engine or config_for(file).engine or DEFAULT_ENGINE
    if engine == "pydatalog":
        require("pyDatalog", "pydatalog")
    machine = format == "json"
    place = load_place(file, policies, machine=machine)
    if place is None:
        return EXIT_FAILED
    try:
        situation = situation_of(place, states, test, step, clock)
        question = place.question(body)
        reply = ask(place, situation, question, engine=engine, timeout=timeout)
        if problem := problem_of(place.similarity):
            raise Failure(f"`~=` could not be decided ({problem})")
        sources = place.sources(question.source)
        # reasons are searched only now, so this may take a while, or fail
        reads = reads_of(place, situation, reply) if why else []
        if machine:
            data = reply_data(reply, sources, limit=limit, explain=why)
            data["reads"] = [writers_data(item, sources) for item in reads]
        else:
            lines = reply_lines(reply, sources, paint, limit=limit, explain=why)
            for item in reads:
                lines += ["", *writers_lines(item, sources, paint)]
    except Wrong as wrong:
        complain(wrong.diagnostics, wrong.sources, machine=machine)
        return EXIT_FAILED
    except (AskError, EngineError) as error:
        raise Failure(str(error)) from error
    failure = reply.moment.player.failure
    now = reply.moment.player.now
    if machine:
        state = {
            "from": list(situation.said),
            "clock": now.isoformat(timespec="minutes"),
            "stopped": failure.problem if failure is not None else None,
        }
        click.echo(json_text({**data, "state": state}, indent=2))
    else:
        if failure is not None:
            warn_stopped(failure.problem)
        where = " then ".join(situation.said) or "nothing is known"
        click.echo(paint(f"state: {where}; {now:%Y-%m-%d %H:%M}", "dim"), color=True)
        for line in lines:
            click.echo(line, color=True)
    return EXIT_OK if reply.holds else EXIT_FINDINGS


def _refuse(wrong: bool, why: str) -> None:
    if wrong:
        raise click.UsageError(why)


def warn_stopped(problem: str) -> None:
    """Note that a test failed before its end."""
    from vsalang.base.diagnostics.display import safe

    click.echo(f"note: the test stops at a step with another result: {safe(problem)}", err=True)
