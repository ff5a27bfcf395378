"""``vsac query FILE BODY``: asks a condition of a program in a state, and explains each row or what is missing."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

from vsalang.base.config import config_for
from vsalang.base.diagnostics.display import safe
from vsalang.base.names import DEFAULT_ENGINE, EngineName
from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Result
from vsalang.engine import EngineError
from vsalang.program.similarity import problem_of
from vsalang.tools.ask import AskError, Place, Reply, Situation, Wrong, ask
from vsalang.tools.ask.render import reply_data, reply_lines, writers_data, writers_lines
from vsalang.tools.ask.writers import reads_of
from vsalang.tools.cli import frame, shared
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, require
from vsalang.tools.cli.frame import Output, Unusable
from vsalang.tools.cli.repl import dialogue
from vsalang.tools.cli.situations import load_place, paint, situation_of


@dataclass(frozen=True, slots=True)
class QueryOptions:
    """What is asked, of which program, and in which state."""

    file: str | None = argument("FILE", required=False, needs={"BODY or -i": "-i asks line by line"})
    body: str | None = argument("BODY", required=False)
    interactive: bool = flag(
        "-i",
        "--interactive",
        help="Ask line by line, and change the state in between.",
        excludes={
            "BODY": "it is asked line by line",
            **dict.fromkeys(
                ("--test", "--step", "--clock", "--engine", "--limit", "--why", "--format", "--json"), ""
            ),
        },
    )
    history: str | None = option(
        "--history",
        metavar="FILE",
        help="Where to keep what is typed; `off`: nowhere.",
        default_text="in the user's state folder",
        needs="-i",
    )
    states: tuple[str, ...] = option(
        "--state",
        default=(),
        metavar="FILE",
        help="Where the state is from: a test (FILE.vsa::NAME), steps (.vsa), a UI dump (.xml), facts (.json), "
        "a journal (.jsonl). Repeatable: each comes after the one before.",
        needs={"FILE": "a state is one of a program"},
    )
    test: str = option(
        "--test",
        default="",
        metavar="NAME",
        help="The test to take the state from (of FILE, if there is no --state).",
    )
    step: int | None = option(
        "--step", least=0, help="Stop the test after this many steps; the journal after this line."
    )
    clock: dt.datetime | None = option(
        "--clock",
        help="The device's date and time at the beginning.",
        default_text="the test's",
    )
    policies: tuple[str, ...] = shared.policies()
    engine: EngineName | None = shared.engine("Which evaluator gives the rows.")
    timeout: float = shared.pydatalog_timeout()
    limit: int = option("--limit", default=100, least=1, help="How many rows to show.")
    why: int = option("--why", default=3, least=0, help="How many rows to explain.")


@frame.as_command("text", "json", one_of=("FILE", "-i"))
def command(options: QueryOptions, output: Output) -> Report | int:
    """Ask the condition BODY of the program FILE in a state, and show the rows with the reasons of each.

    BODY is written as after `when` in a rule: 'Slot(time = ?t), ?t < 19:00'. If there is no row, the conditions that
    are not met are shown, with the values that were seen.

    With -i each line is a condition, or a command that begins with a colon: `:help` lists them, `exit` ends. FILE
    may be loaded there. Lines from a pipe are read without a prompt.

    Exit status: 0 there is a row, 1 there is none, 2 it could not be asked (also where FILE or BODY have errors).
    With -i 0; from a pipe 1 if a line could not be answered.
    """
    if options.interactive:
        return dialogue(options.file, options.states, options.policies, options.history, options.timeout)
    assert options.file is not None and options.body is not None  # or the frame refuses the command line
    engine = options.engine or config_for(options.file).engine or DEFAULT_ENGINE
    if engine == "pydatalog":
        require("pyDatalog", "pydatalog")
    place = load_place(options.file, options.policies)
    try:
        situation = situation_of(place, options.states, options.test, options.step, options.clock)
        question = place.question(options.body)
        reply = ask(place, situation, question, engine=engine, timeout=options.timeout)
        if problem := problem_of(place.similarity):
            raise Failure(f"`~=` could not be decided ({problem})")
        # reasons are searched only now, so this may take a while, or fail
        if output.machine:
            data = _data(options, place, situation, reply)
        else:
            lines = list(_lines(options, place, situation, reply))
    except Wrong as wrong:
        raise Unusable(wrong.diagnostics, wrong.sources) from wrong
    except (AskError, EngineError) as error:
        raise Failure(str(error)) from error
    failure = reply.moment.player.failure
    notes = (
        [f"note: the test stops at a step with another result: {safe(failure.problem)}"] if failure else []
    )
    status = EXIT_OK if reply.holds else EXIT_FINDINGS
    return Result(lambda: data, lambda style: lines, status, [] if output.machine else notes)


def _data(options: QueryOptions, place: Place, situation: Situation, reply: Reply) -> dict[str, Any]:
    """The answer for programs."""
    sources = place.sources(reply.question.source)
    player = reply.moment.player
    reads = reads_of(place, situation, reply) if options.why else []
    return {
        **reply_data(reply, sources, limit=options.limit, explain=options.why),
        "reads": [writers_data(each, sources) for each in reads],
        "state": {
            "from": list(situation.sources),
            "clock": player.now.isoformat(timespec="minutes"),
            "stopped": player.failure.problem if player.failure is not None else None,
        },
    }


def _lines(options: QueryOptions, place: Place, situation: Situation, reply: Reply) -> Iterator[str]:
    """The answer for people."""
    sources = place.sources(reply.question.source)
    where = " then ".join(situation.sources) or "nothing is known"
    yield paint(f"state: {where}; {reply.moment.player.now:%Y-%m-%d %H:%M}", "dim")
    yield from reply_lines(reply, sources, paint, limit=options.limit, explain=options.why)
    for each in reads_of(place, situation, reply) if options.why else []:
        yield from ("", *writers_lines(each, sources, paint))
