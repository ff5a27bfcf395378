"""``vsac journal replay``: judges a recorded session again, and reports the verdicts that differ."""

from functools import partial

import click

from vsalang.base.config import config_in_force, policy_files
from vsalang.base.names import EngineName
from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Result
from vsalang.guard.journal import (
    JournalError,
    Session,
    other_program,
    read_session,
    recorded_program,
    replay,
)
from vsalang.guard.journal.replay import other_engine
from vsalang.guard.journal.replay_text import replay_data, replay_lines
from vsalang.language.semantics import Loaded
from vsalang.language.semantics.wording import a
from vsalang.tools.cli import frame, shared
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure
from vsalang.tools.cli.frame import Unusable


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """Which session is judged again, and by what."""

    journal: str = argument("JOURNAL")
    spec: str | None = option(
        "--spec", metavar="FILE", help="Judge by this spec instead of the recorded one."
    )
    policies: tuple[str, ...] = option(
        "--policy",
        default=(),
        metavar="FILE",
        help="A policy in force instead of the recorded ones; repeatable.",
    )
    no_policy: bool = flag("--no-policy", help="Judge without any policy.", excludes="--policy")
    engine: EngineName | None = shared.engine(default="the recorded one")
    everything: bool = flag("--all", help="Print every verdict, not only those that flip.")


@frame.as_command("text", "json")
def command(options: ReplayOptions) -> Report:
    """Judge every proposal of a recorded session again, under the recorded spec and policies or under others.

    The hash chain of the journal is checked first. Screens and clock are the recorded ones, and what was committed
    counts as committed. Without --spec and --policy no verdict should flip, unless the journal is of an earlier version
    of meaning: then flips are listed by the change that caused them, and only one that is more permissive is an
    error.

    Exit status: 0 no verdict flipped (of an earlier version of meaning: none to a more permissive one), 1 some
    did (or the other spec has errors), 2 it could not be run.
    """
    try:
        session = read_session(options.journal)
        loaded = _program(session, options.spec, options.policies, options.no_policy)
        if loaded.program is None:
            raise Unusable.of(loaded)
        replayed = replay(session, loaded.program, engine=options.engine)
    except JournalError as error:
        raise Failure(str(error)) from error
    if options.engine is None and (problem := other_engine(session)):
        click.echo(problem, err=True)
    status = EXIT_FINDINGS if replayed.unexpected else EXIT_OK
    return Result(partial(replay_data, replayed), partial(replay_lines, replayed, options.everything), status)


def _program(session: Session, spec: str | None, policies: tuple[str, ...], no_policy: bool) -> Loaded:
    if spec is None and not policies and not no_policy:
        return recorded_program(session)
    if spec is None:
        loaded = other_program(session, None, policies)
    else:
        config = config_in_force(spec)
        own = policies if policies or no_policy else None
        if own is None and config.policies:
            own = policy_files(config, ())
        loaded = other_program(session, spec, own, config.search)
    program = loaded.program
    if program is not None and program.modules[program.main].kind != "spec":
        raise Failure(f"{spec} is not a spec: it is {a(program.modules[program.main].kind)}")
    return loaded
