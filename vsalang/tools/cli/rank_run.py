"""``vsac rank run``: an agent that chooses among what may be done runs a task on a device."""

import os
import shlex
import sys
from contextlib import ExitStack
from dataclasses import replace
from typing import Final
from typing import Literal as OneOf

import click

from vsalang.agents import Step
from vsalang.agents.rank import MOST_STEPS, Choice, RankAgent, RankOptions
from vsalang.agents.rank.completing import Question, fills_by
from vsalang.agents.rank.remembering import notes_by
from vsalang.agents.session import ClockedDevice
from vsalang.base.options import flag, group, option
from vsalang.base.records import dataclass
from vsalang.guard.say.feedback import roadmap
from vsalang.models.client.language_model import ModelError
from vsalang.models.client.openai_model import OpenAIModel
from vsalang.models.rank import Scorer
from vsalang.models.rank.asked import ListScorer, OpenAIScorer, PoolingScorer
from vsalang.program.text import line
from vsalang.tools.cli import frame, sessions
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, use_color
from vsalang.tools.cli.frame import Output
from vsalang.tools.cli.guarding import GuardingOptions, Run
from vsalang.tools.cli.judging import say_where_sent
from vsalang.tools.cli.output import echo
from vsalang.tools.cli.runshow import JsonShow, TextShow

_SHOWN: Final = 6
"""So many options are shown to the user."""
_MOST_TYPED: Final = 4000


@dataclass(frozen=True, slots=True)
class ChoosingOptions:
    """How the agent chooses, and who is asked."""

    ask_below: float = option(
        "--ask-below",
        default=0.05,
        least=0,
        most=1,
        metavar="SHARE",
        help="Ask which action is meant if the best is more probable than the second by less than this.",
    )
    on_unsure: OneOf["ask", "first"] | None = option(
        "--on-unsure",
        help="What to do then, and for a value that nobody names: ask, or take the best and leave the value out.",
        default_text="ask if the standard input is a terminal, else first",
    )
    most: int = option(
        "--most", default=MOST_STEPS, least=1, most=1000, metavar="N", help="How many actions are proposed."
    )
    no_undo: bool = flag("--no-undo", help="Take no step back that went wrong.")


@dataclass(frozen=True, slots=True)
class AskingOptions:
    """Which model is asked, and what for.

    Attributes:
        scorer: how it scores: see `vsalang.models.rank.asked`.
        values: whether it is asked for texts and answers that no clause names.
        notes: whether it writes a further line of memory for each step.
    """

    model: str | None = option(
        "--rank-model",
        metavar="NAME",
        help="The model of --scorer, --values and --notes. It permits nothing. The key is read from OPENAI_API_KEY.",
    )
    url: str | None = option(
        "--rank-url",
        metavar="URL",
        help="The endpoint of --rank-model (or OPENAI_BASE_URL); OpenAI's if left out.",
        needs="--rank-model",
    )
    timeout: float = option(
        "--rank-timeout",
        default=20,
        least=1,
        most=600,
        metavar="SECONDS",
        help="How long one answer of --rank-model may take.",
        needs="--rank-model",
    )
    scorer: OneOf["linear", "openai", "list", "pooling"] = option(
        "--scorer",
        default="linear",
        help="Who orders what may be done: the shipped weights, or --rank-model by yes or no, by one list, or as a "
        "pooling server. If it gives no scores, the shipped weights do.",
    )
    values: bool = flag(
        "--values", help="Ask --rank-model for texts and answers that no clause names.", needs="--rank-model"
    )
    notes: bool = flag(
        "--notes",
        help="Have --rank-model write a further line of memory for each step.",
        needs="--rank-model",
    )

    def made(self) -> OpenAIModel:
        """The model behind its endpoint.

        Raises:
            ModelError: it cannot be asked so.
        """
        assert self.model is not None
        return OpenAIModel(self.model, base_url=self.url, timeout=self.timeout, retries=1)

    def scorers(self) -> tuple[Scorer, ...]:
        """Who is asked before the shipped weights.

        Raises:
            ModelError: it cannot be asked so.
        """
        if self.scorer == "openai":
            return (OpenAIScorer(self.made),)
        if self.scorer == "list":
            return (ListScorer(self.made()),)
        return (PoolingScorer(self.made()),) if self.scorer == "pooling" else ()


@dataclass(frozen=True, slots=True)
class RankRunOptions:
    """What is run, where, and how it is chosen."""

    guarding: GuardingOptions = group(GuardingOptions)
    choosing: ChoosingOptions = group(ChoosingOptions)
    asking: AskingOptions = group(AskingOptions)


@frame.as_command("text", "json", one_of=("SPEC", "--instruction", "--resume"))
def command(options: RankRunOptions, output: Output) -> int:
    """Run the task of SPEC with an agent that chooses: what the rules block is left out, a scorer orders the rest.

    The agent needs no model: `finish` is chosen when the task is done, what is typed comes from the clauses, and the
    shipped weights order the rest. Each step says why it was chosen. Everything is judged by the guard like the
    proposals of any agent.

    Exit status: 0 the task was completed, 1 it was not (or SPEC has errors), 2 it could not be run or the phone was
    lost, 130 it was interrupted.
    """
    run: Run | None = None
    try:
        with sessions.failing(), ExitStack() as stack:
            run = Run(options.guarding, output, stack)
            status = _run(options, run, output)
    except KeyboardInterrupt:
        if run is not None and run.opened:
            again = shlex.join(["vsac", "rank", "run", "--resume", str(run.session.journal.path)])
            click.echo(f"\nThe session is in {run.session.journal.path}; `{again}` goes on.", err=True)
        raise
    run.finish(status)
    return status


def _run(options: RankRunOptions, run: Run, output: Output) -> int:
    chosen = _options(options)
    session = run.open(err=False, own_map=True)
    guard, program = session.guard, session.guard.program
    resumed = session.resumed.session if session.resumed is not None else None
    show = (
        JsonShow(program, session.sources, run.language)
        if output.machine
        else TextShow(program, use_color(sys.stdout), run.language)
    )
    show.begin(session.name, session.device.info.model, session.clock(), resumed, guard.settings.mode)
    hints = session.hints
    agent = RankAgent(
        guard,
        ClockedDevice(session.device, session.clock, memory=session.memory),
        options=chosen if hints is None else replace(chosen, planner=hints.route),
    )
    steps: list[Step] = []
    first = len(resumed.steps) + 1 if resumed is not None else 1
    if not guard.finished:
        for done in agent.run(confirm=run.user.confirm, first=first):
            steps.append(done.step)
            # the note says in one line what is shown below it
            shown_step = (
                done.step
                if output.machine
                else replace(done.step, proposed=replace(done.step.proposed, note=""))
            )
            show.step(shown_step, run.user.taken())
            show.choice(done)
    session.end(guard.done)
    legs = roadmap(program, guard.roadmap(), today=guard.today, language=run.language)
    show.end(guard, legs, steps, guard.done, session.journal)
    if agent.stopped:
        echo(f"The agent stopped: {agent.stopped}.", err=True)
    return EXIT_OK if guard.done else EXIT_FINDINGS


def _options(options: RankRunOptions) -> RankOptions:
    """What the agent is given.

    Raises:
        Failure: a model is to be asked, and cannot be.
    """
    choosing, asking = options.choosing, options.asking
    asks = _asks(options)
    if asking.scorer != "linear" and asking.model is None:
        raise click.UsageError(f"--scorer {asking.scorer} needs --rank-model: which model scores?")
    try:
        model = asking.made() if asking.model is not None else None
        scorers = asking.scorers()
    except ModelError as error:
        raise Failure(str(error), error.hint) from error
    if model is not None and (scorers or asking.values or asking.notes):
        say_where_sent(model, "the task, its steps and words of screens", "of this session")
    return RankOptions(
        scorers=scorers,
        model=fills_by(model) if model is not None and asking.values else None,
        user=_value if asks else None,
        picks=_pick if asks else None,
        ask_below=choosing.ask_below,
        notes=notes_by(model) if model is not None and asking.notes else None,
        undoes=not choosing.no_undo,
        most=choosing.most,
    )


def _asks(options: RankRunOptions) -> bool:
    """Whether the user is asked."""
    if options.choosing.on_unsure is not None:
        return options.choosing.on_unsure == "ask"
    return sys.stdin is not None and sys.stdin.isatty()


# ---------------------------------------------------------------- the user


def _pick(choice: Choice) -> int | None:
    """Ask which of the best options is meant; None: they do not say, or nobody is there."""
    echo("\n      It is not sure what is best:", err=True)
    for number, one in enumerate(choice.options[:_SHOWN], 1):
        share = f"{one.probability:.0%}" if one.score is not None else "no score"
        echo(f"      {number}  {line(one.text, 100)} ({share})", err=True)
    echo("      Which one? Its number, or nothing for the first: ", err=True)
    typed = _typed()
    if typed == "":
        return 0 if choice.options[0].score is not None else None
    return int(typed) - 1 if typed.isascii() and typed.isdecimal() and 0 < int(typed) <= _SHOWN else None


def _value(question: Question) -> str | None:
    """Ask for a value; None: they do not say."""
    echo(f"\n      {line(question.text, 600)} (nothing: it is left out)", err=True)
    return _typed() or None


def _typed() -> str:
    """The next line of the standard input, byte by byte: the line after it may answer another question."""
    typed = b""
    try:
        while not typed.endswith(b"\n") and len(typed) < _MOST_TYPED:
            byte = os.read(sys.stdin.fileno(), 1)
            if not byte:
                break
            typed += byte
    except (OSError, ValueError, AttributeError):
        return ""
    return typed.decode("utf-8", "replace").strip()
