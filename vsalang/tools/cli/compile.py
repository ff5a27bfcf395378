"""``vsac compile``: the program that a file is compiled to, as Python or as a script for pyDatalog."""

from typing import TYPE_CHECKING

import click

from vsalang.tools.cli import options
from vsalang.tools.cli.common import Failure, complain

if TYPE_CHECKING:
    from vsalang.language.semantics import Loaded


@click.command(name="compile")
@click.argument("file", metavar="FILE")
@click.option(
    "--to",
    "target",
    type=click.Choice(["python", "pydatalog"]),
    default="python",
    show_default=True,
    help="python: the functions that the engine runs. pydatalog: a script that runs alone.",
)
@click.option(
    "-o", "--output", metavar="OUT", default="-", help="Where to write it; default: standard output."
)
@options.policy_beside("FILE")
@click.option(
    "--state",
    "states",
    multiple=True,
    metavar="STATE",
    help="For pydatalog: put the facts of this state into the script, as `vsac query` reads it; repeatable.",
)
def command(file: str, target: str, output: str, policies: tuple[str, ...], states: tuple[str, ...]) -> int:
    """Print what FILE is compiled to.

    Exit status: 0; 1 FILE has errors; 2 it could not be read, or cannot be compiled to that.
    """
    from pathlib import Path

    from vsalang.base.config import config_for
    from vsalang.engine import EngineError
    from vsalang.language.semantics import load
    from vsalang.tools.cli.output import refuse_to_lose

    if states and target != "pydatalog":
        raise click.UsageError("--state goes with --to pydatalog")
    loaded = load(file, policies=policies, search=config_for(file).search)
    if loaded.program is None:
        return complain(loaded.errors, loaded.sources)
    try:
        if target == "python":
            from vsalang.engine.compile.cache import plan_of
            from vsalang.engine.compile.codegen import source_of

            text = source_of(plan_of(loaded.program))
        else:
            try:
                from vsalang.engine.pydatalog.script import script
            except ImportError as error:
                raise Failure("this build has no script for pyDatalog", str(error)) from None
            text = script(loaded.program) if not states else _with_state(loaded, states)
    except EngineError as error:
        raise Failure(f"{file} cannot be compiled to {target}: {error}") from None
    if output == "-":
        click.echo(text, nl=False)
        return 0
    sources = (each.path for each in loaded.sources.values() if each.path)
    refuse_to_lose(output, (file, *policies, *(state.split("::")[0] for state in states), *sources))
    try:
        Path(output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise Failure(f"{output} cannot be written: {error.strerror}", "name another file with -o") from None
    return 0


def _with_state(loaded: "Loaded", states: tuple[str, ...]) -> str:
    """The script for pyDatalog with the facts of a state."""
    from vsalang.engine.pydatalog.script import script
    from vsalang.tools.ask import AskError, Place, Wrong
    from vsalang.tools.ask.asking import bring_about
    from vsalang.tools.ask.engines import tell
    from vsalang.tools.cli.query import situation_of

    assert loaded.program is not None
    place = Place(loaded)
    try:
        moment = bring_about(place, situation_of(place, states, "", None, None))
    except Wrong as wrong:
        complain(wrong.diagnostics, wrong.sources)
        raise Failure("the state has errors") from wrong
    except AskError as error:
        raise Failure(str(error)) from error
    recorder = moment.evaluator
    return script(
        loaded.program,
        lambda session: tell(session, recorder),
        today=recorder.today,
        similarity=recorder.similarity,
    )
