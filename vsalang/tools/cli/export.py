"""``vsac export FILE --to ..``: writes a program in a notation of other tools, or what it is compiled to."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from vsalang.tools.cli import options
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, complain, format_option, read
from vsalang.tools.cli.output import refuse_to_lose, refuse_to_replace, write_text

if TYPE_CHECKING:
    from vsalang.language.notations.out import Exported
    from vsalang.language.semantics import Loaded

_MOST_LISTED = 20


@click.command(name="export")
@click.argument("file")
@click.option(
    "--to",
    required=True,
    type=click.Choice(["json", "datalog", "paper", "dot", "python", "pydatalog"]),
    help="The notation to write. python: the functions that the engine runs. pydatalog: a script that runs alone.",
)
@click.option("-o", "--output", metavar="OUT", help="Where to write it. Standard output if left out.")
@click.option("--force", is_flag=True, help="Replace the output file if it exists.")
@click.option(
    "--graph",
    type=click.Choice(["rules", "screens"]),
    help="For dot: what depends on what (the default), or how gestures lead from screen to screen.",
)
@click.option(
    "--main-only", is_flag=True, help="For datalog and dot: leave out the rules of imported modules."
)
@click.option(
    "--state",
    "states",
    multiple=True,
    metavar="STATE",
    help="For pydatalog: put the facts of this state into the script, as `vsac query` reads it; repeatable.",
)
@options.policy
@click.option(
    "--omit", is_flag=True, help="Exit status 0 although rules could not be expressed in that notation."
)
@format_option("text", "json")
def command(
    *,
    file: str,
    to: str,
    output: str | None,
    force: bool,
    graph: str | None,
    main_only: bool,
    states: tuple[str, ...],
    policies: tuple[str, ...],
    omit: bool,
    format: str,
) -> int:
    """Write the checked program of FILE (`-`: standard input) in another notation.

    json is the core program, complete; datalog, paper (the Horn clauses of the VeriSafe Agent paper) and dot
    (Graphviz) express a part of it; python and pydatalog are what it is compiled to. A rule that the notation cannot
    express becomes a comment, is listed on standard error, and makes the exit status 1, unless --omit is given.

    Exit status: 0; 1 FILE has errors, or something is not expressed; 2 it cannot be read or compiled to that.
    """
    from vsalang.base.config import config_for
    from vsalang.language.semantics import load, load_text

    if graph is not None and to != "dot":
        raise Failure("--graph is for --to dot", "leave it out")
    if main_only and to not in ("datalog", "dot"):
        raise Failure("--main-only is for --to datalog and --to dot", "leave it out")
    if states and to != "pydatalog":
        raise Failure("--state is for --to pydatalog", "leave it out")
    refuse_to_lose(output, (file, *policies, *(state.split("::")[0] for state in states)))
    refuse_to_replace(output, force)
    if file == "-":
        if policies:
            raise Failure("policies need FILE to be a file", "save it, and name the file")
        place = Path.cwd() / "<stdin>"
        loaded = load_text(read("-").text, file="<stdin>", path=place, search=config_for(place).search)
    else:
        loaded = load(file, policies=policies, search=config_for(file).search)
    if loaded.program is None:
        return complain(loaded.errors, loaded.sources, machine=format == "json")
    exported = _exported(loaded, to, graph=graph or "rules", main_only=main_only, states=states)
    if output is not None:
        refuse_to_lose(output, (each.path for each in loaded.sources.values() if each.path))
        write_text(Path(output), exported.text)
    if format == "json":
        click.echo(_json(file, to, exported, loaded, output))
    else:
        if output is None:
            click.echo(exported.text, nl=False)
        click.echo(_text(file, to, exported, loaded, output), nl=False, err=True)
    return EXIT_FINDINGS if exported.omissions and not omit else EXIT_OK


def _exported(
    loaded: "Loaded", to: str, *, graph: str, main_only: bool, states: tuple[str, ...]
) -> "Exported":
    """The program in a notation. Raises `Failure`: it cannot be compiled to that."""
    from vsalang.engine import EngineError
    from vsalang.language.notations.out import TARGETS, Exported, export

    program = loaded.checked()
    target = next((each for each in TARGETS if each == to), None)
    if target is not None:
        return export(program, target, graph=graph, main_only=main_only)
    try:
        if to == "python":
            from vsalang.engine.compile.cache import plan_of
            from vsalang.engine.compile.codegen import source_of

            text = source_of(plan_of(program))
        elif states:
            text = _with_state(loaded, states)
        else:
            from vsalang.engine.pydatalog.script import script

            text = script(program)
    except EngineError as error:
        raise Failure(f"{loaded.file} cannot be compiled to {to}: {error}") from None
    return Exported(text, len(program.rules))


def _with_state(loaded: "Loaded", states: tuple[str, ...]) -> str:
    """The script for pyDatalog with the facts of a state."""
    from vsalang.engine.pydatalog.script import script
    from vsalang.tools.ask import AskError, Place, Wrong
    from vsalang.tools.ask.asking import bring_about
    from vsalang.tools.ask.engines import tell
    from vsalang.tools.cli.situations import situation_of

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
        loaded.checked(),
        lambda session: tell(session, recorder),
        today=recorder.today,
        similarity=recorder.similarity,
    )


def _text(file: str, to: str, exported: "Exported", loaded: "Loaded", output: str | None) -> str:
    """The report for people: empty if there is nothing to say."""
    from vsalang.base.diagnostics.display import safe

    lines = []
    if output is not None:
        count = f"{exported.rules} rule{'s' if exported.rules != 1 else ''}"
        lines.append(f"Exported {count} of {safe(file)} as {to} to {safe(output)}.")
    if exported.omissions:
        lines.append("Not expressed there, or not in full:")
    for item in exported.omissions[:_MOST_LISTED]:
        source = loaded.sources.get(item.span.file) if item.span else None
        place = ""
        if item.span and source:
            at = source.position(item.span.start)
            place = f"{safe(item.span.file)}:{at.line}:{at.column}: "
        lines.append(f"  {place}{safe(item.what)}: {safe(item.reason, 200)}")
    if len(exported.omissions) > _MOST_LISTED:
        lines.append(
            f"  and {len(exported.omissions) - _MOST_LISTED} more; the comments of the export say all"
        )
    return "".join(f"{line}\n" for line in lines)


def _json(file: str, to: str, exported: "Exported", loaded: "Loaded", output: str | None) -> str:
    import json

    omissions = []
    for item in exported.omissions:
        source = loaded.sources.get(item.span.file) if item.span else None
        at = source.position(item.span.start) if source and item.span else None
        omissions.append(
            {
                "rule": item.rule,
                "what": item.what,
                "reason": item.reason,
                "file": item.span.file if item.span else None,
                "line": at.line if at else None,
                "column": at.column if at else None,
            }
        )
    data = {
        "version": 1,
        "file": file,
        "to": to,
        "rules": exported.rules,
        "output": output,
        "text": exported.text if output is None else None,
        "omissions": omissions,
    }
    return json.dumps(data, indent=2)
