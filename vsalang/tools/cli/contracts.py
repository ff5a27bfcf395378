"""``vsac map mine``: proposes contracts of what controls were seen to do."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vsalang.base.diagnostics.display import count
from vsalang.tools.cli.app_actions import Confirming
from vsalang.tools.cli.common import EXIT_FAILED, EXIT_FINDINGS, EXIT_OK, Failure, format_option, render
from vsalang.tools.cli.options import Numbers
from vsalang.tools.cli.output import echo, json_text, refuse_to_replace, write_text
from vsalang.tools.cli.progress import Progress

if TYPE_CHECKING:
    from vsalang.agents.maps.mined_module import Proposed
    from vsalang.agents.maps.mining import Mining, Passed
    from vsalang.screen.screen import TreeScreen
    from vsalang.tools.ask import Place


@click.command(name="mine")
@click.argument("logs", nargs=-1, required=True, metavar="LOG...")
@click.option(
    "-o", "--output", metavar="FILE.vsa", help="Where to write the module. Standard output if left out."
)
@click.option("--force", is_flag=True, help="Replace the output file if it exists.")
@click.option(
    "--package", default="", metavar="PACKAGE", help="The app. [default: the one with most taps in the logs]"
)
@click.option(
    "--app", metavar="APP", help="An app module: its screens are meant, and none are made up from the logs."
)
@click.option(
    "--min-support",
    type=click.IntRange(1, 1_000_000),
    default=3,
    show_default=True,
    metavar="N",
    help="How often a control must have been tapped.",
)
@click.option(
    "--min-confidence",
    type=Numbers(50, 100),
    default=80,
    show_default=True,
    metavar="PERCENT",
    help="How many of these taps must have led to the same screen.",
)
@click.option(
    "--max-chance",
    type=Numbers(0, 100),
    default=30,
    show_default=True,
    metavar="PERCENT",
    help="How many of all screens seen a contract may fit: one that fits most says little.",
)
@click.option("--interactive", is_flag=True, help="Ask about each contract; write those you accept.")
@click.option("--accept", multiple=True, metavar="NAME", help="Write only this contract; repeatable.")
@format_option("text", "json")
def mine(
    *,
    logs: tuple[str, ...],
    output: str | None,
    force: bool,
    package: str,
    app: str | None,
    min_support: int,
    min_confidence: float,
    max_chance: float,
    interactive: bool,
    accept: tuple[str, ...],
    format: str,
) -> int:
    """Propose contracts from LOGs: "this control on this screen leads to that screen".

    LOG is a journal, or a recorded walk of any format that `vsac record --walk` reads (a folder of DroidBot, a file of
    DroidTask, ..). The result is an app module with a `goto` and an `expect` for each control, its figures above. It
    says what was seen, not what is right: read it, and move what you accept to the app's own module.

    Exit status: 0 contracts were written; 1 none are well enough supported; 2 a file could not be used.
    """
    from vsalang.agents.maps.mined_module import proposals
    from vsalang.agents.maps.mining import Least, packages
    from vsalang.agents.maps.mining import mine as mined

    asked: Any = "ask" if interactive else "list" if accept else "all"
    confirming = Confirming(
        asked, frozenset(accept), "contract", "--interactive", "Does it always lead there?"
    )
    confirming.ready()
    refuse_to_replace(output, force)
    place = _app(app) if app is not None else None
    passed = list(_passed(logs, package))
    known = packages(passed)
    if not known:
        raise Failure(
            "the logs show no tap in an app that is known",
            "if they do not say which app it is: --package PACKAGE",
        )
    if package and package not in known:
        raise Failure(f"no tap in {package} was recorded", f"the logs have taps in {', '.join(known[:8])}")
    declared = _declared(place) if place is not None else None
    least = Least(min_support, min_confidence / 100, max_chance / 100)
    mining = mined(passed, package or known[0], least, declared=declared)
    found = proposals(mining)
    accepted = confirming.accepted(found)
    text = _module(mining, accepted, logs, output, place)
    written = [each for each in found if each.name in accepted]
    if output is not None and written:
        write_text(Path(output), text)
    if format == "json":
        echo(json_text(_data(mining, found, accepted, text if output is None else None), indent=2))
    elif output is None and written:
        click.echo(text, nl=False)
    _say(mining, len(found), len(written), output, known)
    return EXIT_OK if written else EXIT_FINDINGS


def _passed(logs: Sequence[str], package: str) -> "Iterator[Passed]":
    """The steps of all logs, in order."""
    from vsalang.agents.maps.passed import passed
    from vsalang.agents.walks import WalkError, read_walks

    try:
        walks = [walk for log in logs for walk in read_walks(log)]
        progress = Progress(sum(len(walk.steps) for walk in walks), "steps")
        for walk in walks:
            yield from progress.over(passed(walk, package))
    except WalkError as error:
        raise Failure(str(error)) from error


def _app(name: str) -> "Place":
    from vsalang.tools.cli.situations import load_place

    place = load_place(name, ())
    if place is None:
        raise click.exceptions.Exit(EXIT_FAILED)
    return place


def _declared(place: "Place") -> "Callable[[TreeScreen], str | None]":
    """Which of a module's screens shows; each screen is read once."""
    from vsalang.tools.ask import AskError
    from vsalang.tools.ask.reading import read_screens

    known: dict[str, str | None] = {}

    def shown(screen: "TreeScreen") -> str | None:
        if screen.fingerprint not in known:
            try:
                (reading,) = read_screens(place, [(screen.tree.name, screen.tree)])
            except AskError as error:
                raise Failure(str(error)) from error
            known[screen.fingerprint] = reading.screens[0] if len(reading.screens) == 1 else None
        return known[screen.fingerprint]

    return shown


def _module(
    mining: "Mining", accepted: frozenset[str], logs: Sequence[str], output: str | None, place: "Place | None"
) -> str:
    """The module's text, which has no errors."""
    from vsalang.agents.maps.mined_module import module
    from vsalang.language.notations.into.naming import IDENTIFIER
    from vsalang.language.semantics import load_text

    stem = Path(output).stem if output is not None else "mined"
    if not IDENTIFIER.fullmatch(stem):
        raise Failure(f"{output} cannot name a module", "use letters, digits and _ in the file's name")
    imported = place.loaded.main if place is not None else None
    text = module(mining, accepted, name=stem, source=", ".join(logs), imported=imported)
    path = Path(output) if output is not None else Path(f"{stem}.vsa")
    loaded = load_text(text, file=str(path), path=path.absolute())
    if not loaded.ok:
        click.echo(render(loaded.errors, loaded.sources, "text"), nl=False, err=True)
        hint = f"write it next to the module {imported}, which it imports" if imported else ""
        raise Failure("what was mined is not a valid module; nothing was written", hint)
    return text


def _say(mining: "Mining", found: int, written: int, output: str | None, known: Sequence[str]) -> None:
    package = mining.screens.package
    where = f" to {output}" if output is not None and written else ""
    proposed = f"{count(found, 'contract')} proposed, {written or 'none'} written{where}"
    echo(f"{package}: {count(mining.taps, 'tap')}, {proposed}", err=True)
    others = [each for each in known if each != package]
    if others:
        echo(f"the logs also have taps in {', '.join(others[:8])}: --package takes one of these", err=True)


def _data(
    mining: "Mining", found: "Sequence[Proposed]", accepted: frozenset[str], text: str | None
) -> dict[str, Any]:
    data: dict[str, Any] = {
        "version": 1,
        "package": mining.screens.package,
        "steps": mining.passed,
        "taps": mining.taps,
        "contracts": [
            {
                "name": each.name,
                "accepted": each.name in accepted,
                "rules": each.declaration,
                "screen": each.mined.screen,
                "control": {
                    name: value
                    for name in ("id", "where", "words")
                    if (value := getattr(each.mined.control, name))
                },
                "leads_to": each.mined.target.screen or each.mined.target.package,
                "support": each.mined.share.data(),
                "chance": each.mined.chance.data(),
            }
            for each in found
        ],
    }
    return {**data, "module": text} if text is not None else data
