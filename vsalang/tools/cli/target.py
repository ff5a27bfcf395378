"""``vsac map target``: which screens a task is about."""

from typing import TYPE_CHECKING, Any

import click

from vsalang.program.text import line
from vsalang.tools.cli import utg_way
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, color_option, format_option
from vsalang.tools.cli.output import echo, json_text
from vsalang.tools.cli.utg_sources import made, program_of

if TYPE_CHECKING:
    from vsalang.agents.maps import UTG, Candidate, Ways


@click.command(name="target")
@click.argument("instruction", required=False, default="")
@click.option("--app", metavar="MODULE", help="The app module whose screens are meant.")
@click.option(
    "--utg",
    "sources",
    multiple=True,
    metavar="SOURCE",
    help="A map, or what `vsac map` makes one of; repeatable.",
)
@click.option("--spec", metavar="SPEC", help="A spec: its rules say exactly which screens are meant.")
@click.option("--from", "start", metavar="SCREEN", help="Also show the way from this screen (or `anywhere`).")
@click.option(
    "-k",
    "number",
    type=click.IntRange(1, 100),
    default=5,
    show_default=True,
    metavar="N",
    help="How many at most.",
)
@format_option("text", "json")
@color_option
def command(
    *,
    instruction: str,
    app: str | None,
    sources: tuple[str, ...],
    spec: str | None,
    start: str | None,
    number: int,
    format: str,
) -> int:
    """Say which screens of an app a task is about.

    With --spec by its rules: where the actions are done that it permits, and where is shown what its `done` reads.
    Without one, or where its rules name no screen, by the words of INSTRUCTION (left out: what the spec says of
    itself); where no screen clearly fits best, the nearest ones are shown as unsure.

    Exit status: 0 a screen was found, 1 none, or none for sure, 2 a file cannot be used.
    """
    from vsalang.agents.maps import ANY, ranked, route, select

    if not instruction.strip() and spec is None:
        raise click.UsageError("an INSTRUCTION or --spec is needed")
    if app and spec:
        raise click.UsageError("a spec imports its app modules: --app does not go with --spec")
    if not (app or sources or spec):
        raise click.UsageError(
            "no screens are known: name an app module (--app), a map (--utg) or a spec (--spec)"
        )
    machine = format == "json"
    module = spec or app
    utg = made([*([module] if module else []), *sources], module, machine=machine)
    program = program_of(module, machine=machine) if module else None
    if not instruction.strip() and program is not None:
        instruction = program.modules[program.main].doc
    begin = None if start is None else ANY if start == utg_way.ANYWHERE else utg_way.named(utg, start)
    found = select(instruction, utg, program, number)
    near = () if found else ranked(instruction, utg, program)[:number]
    ways = None
    if begin is not None and found:
        if found[0].screen not in utg.screens:
            raise Failure(f"the map has no screen {found[0].screen}", "add the spec's app module to the map")
        ways = route(utg, begin, [found[0].screen])
    if machine:
        click.echo(json_text(_data(found, near, ways), indent=1))
    else:
        _print(utg, found, near)
        if ways is not None and begin is not None:
            echo("")
            for text in utg_way.lines(utg, begin, ways):
                echo(text)
    return EXIT_OK if found else EXIT_FINDINGS


def _print(utg: "UTG", found: "tuple[Candidate, ...]", near: "tuple[Candidate, ...]") -> None:
    if not found:
        echo(
            "no screen clearly fits best; the nearest:"
            if near
            else "no screen is named by a rule, and none has a word of the task"
        )
    for number, each in enumerate(found or near, 1):
        screen = utg.screens.get(each.screen)
        title = screen.title if screen is not None else each.screen
        name = "" if title == each.screen else f"  ({each.screen})"
        echo(f"{number}. {line(title, 60)}{line(name, 120)}  {each.score:.2f}")
        for reason in each.why:
            echo(f"     {line(reason, 120)}")


def _data(
    found: "tuple[Candidate, ...]", near: "tuple[Candidate, ...]", ways: "Ways | None"
) -> dict[str, Any]:
    return {
        "version": 1,
        "sure": bool(found),
        "screens": [
            {"screen": each.screen, "score": each.score, "why": list(each.why)} for each in found or near
        ],
        "way": utg_way.data(ways) if ways is not None else None,
    }
