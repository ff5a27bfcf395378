"""``vsac map mine``: proposes contracts of what controls were seen to do."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from vsalang.agents.maps.mined_module import ContractProposal, module, proposals
from vsalang.agents.maps.mining import Least, Mining, Passage, packages
from vsalang.agents.maps.mining import mine as mined
from vsalang.agents.maps.passed import passed
from vsalang.agents.walks import WalkError, read_walks
from vsalang.base.diagnostics.display import count
from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.language.notations.into.naming import IDENTIFIER
from vsalang.language.semantics import load_text
from vsalang.screen.screen import TreeScreen
from vsalang.tools.ask import AskError, Place
from vsalang.tools.ask.reading import read_screens
from vsalang.tools.cli import frame
from vsalang.tools.cli.app_actions import Confirming, Mode
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, render
from vsalang.tools.cli.output import refuse_to_replace, write_text
from vsalang.tools.cli.progress import Progress
from vsalang.tools.cli.situations import load_place


@dataclass(frozen=True, slots=True)
class MineOptions:
    """From which logs contracts are mined, and which are written."""

    logs: tuple[str, ...] = argument("LOG")
    output: str | None = option(
        "-o", "--output", metavar="FILE.vsa", help="Where to write the module. Standard output if left out."
    )
    force: bool = flag("--force", help="Replace the output file if it exists.")
    package: str = option(
        "--package",
        default="",
        metavar="PACKAGE",
        help="The app.",
        default_text="the one with most taps in the logs",
    )
    app: str | None = option(
        "--app",
        metavar="APP",
        help="An app module: its screens are meant, and none are made up from the logs.",
    )
    min_support: int = option(
        "--min-support",
        least=1,
        most=1_000_000,
        default=3,
        metavar="N",
        help="How often a control must have been tapped.",
    )
    min_confidence: float = option(
        "--min-confidence",
        least=50,
        most=100,
        default=80,
        metavar="PERCENT",
        help="How many of these taps must have led to the same screen.",
    )
    max_chance: float = option(
        "--max-chance",
        least=0,
        most=100,
        default=30,
        metavar="PERCENT",
        help="How many of all screens seen a contract may fit: one that fits most says little.",
    )
    interactive: bool = flag("--interactive", help="Ask about each contract; write those you accept.")
    accept: tuple[str, ...] = option(
        "--accept", default=(), metavar="NAME", help="Write only this contract; repeatable."
    )


@frame.as_command("text", "json")
def mine(options: MineOptions) -> Report:
    """Propose contracts from LOGs: "this control on this screen leads to that screen".

    LOG is a journal, or a recorded walk of any format that `vsac record --walk` reads (a folder of DroidBot, a file of
    DroidTask, ..). The result is an app module with a `goto` and an `expect` for each control, its figures above. It
    says what was seen, not what is right: read it, and move what you accept to the app's own module.

    Exit status: 0 contracts were written; 1 none are well enough supported; 2 a file could not be used.
    """
    mode: Mode = "ask" if options.interactive else "list" if options.accept else "all"
    confirming = Confirming(
        mode, frozenset(options.accept), "contract", "--interactive", "Does it always lead there?"
    )
    confirming.ready()
    refuse_to_replace(options.output, options.force)
    place = load_place(options.app, ()) if options.app is not None else None
    passed = list(_passed(options.logs, options.package))
    known = packages(passed)
    if not known:
        raise Failure(
            "the logs show no tap in an app that is known",
            "if they do not say which app it is: --package PACKAGE",
        )
    if options.package and options.package not in known:
        raise Failure(
            f"no tap in {options.package} was recorded", f"the logs have taps in {', '.join(known[:8])}"
        )
    declared = _declared(place) if place is not None else None
    least = Least(options.min_support, options.min_confidence / 100, options.max_chance / 100)
    mining = mined(passed, options.package or known[0], least, declared=declared)
    contract_proposals = proposals(mining)
    accepted = confirming.accepted(contract_proposals)
    text = _module(mining, accepted, options.logs, options.output, place)
    if options.output is not None and accepted.intersection(each.name for each in contract_proposals):
        write_text(Path(options.output), text)
    return Contracts(mining, contract_proposals, accepted, options.output, text, known)


@dataclass(frozen=True, slots=True)
class Contracts(Report):
    """Contracts that were mined.

    Attributes:
        mining: the taps, and where they led.
        proposals: the contracts that are proposed.
        accepted: the names of those that are written.
        output: where; None: they are printed.
        text: the module.
        packages: the apps in the logs.
    """

    mining: Mining
    proposals: Sequence[ContractProposal]
    accepted: frozenset[str]
    output: str | None
    text: str
    packages: Sequence[str]

    @property
    def written(self) -> int:
        """How many are written."""
        return sum(each.name in self.accepted for each in self.proposals)

    @property
    def status(self) -> int:  # type: ignore[override]
        """1 if none is well enough supported."""
        return EXIT_OK if self.written else EXIT_FINDINGS

    def data(self) -> object:
        """Each contract with its figures, and the module, unless it went to a file."""
        return _data(self.mining, self.proposals, self.accepted, self.text if self.output is None else None)

    def lines(self, style: Style) -> Iterator[str]:
        """The module, unless it went to a file."""
        if self.output is None and self.written:
            yield self.text.removesuffix("\n")

    def notes(self, style: Style) -> Iterator[str]:
        """How many were proposed and written, and which other apps are in the logs."""
        package = self.mining.screens.package
        where = f" to {self.output}" if self.output is not None and self.written else ""
        proposed = (
            f"{count(len(self.proposals), 'contract')} proposed, {self.written or 'none'} written{where}"
        )
        yield f"{package}: {count(self.mining.taps, 'tap')}, {proposed}"
        others = [each for each in self.packages if each != package]
        if others:
            yield f"the logs also have taps in {', '.join(others[:8])}: --package takes one of these"


def _passed(logs: Sequence[str], package: str) -> Iterator[Passage]:
    """The steps of all logs, in order."""
    try:
        walks = [walk for log in logs for walk in read_walks(log)]
        progress = Progress(sum(len(walk.steps) for walk in walks), "steps")
        for walk in walks:
            yield from progress.over(passed(walk, package))
    except WalkError as error:
        raise Failure(str(error)) from error


def _declared(place: Place) -> Callable[[TreeScreen], str | None]:
    """Which of a module's screens shows; each screen is read once."""
    known: dict[str, str | None] = {}

    def screen_of(screen: TreeScreen) -> str | None:
        if screen.fingerprint not in known:
            try:
                (reading,) = read_screens(place, [(screen.tree.name, screen.tree)])
            except AskError as error:
                raise Failure(str(error)) from error
            known[screen.fingerprint] = reading.screens[0] if len(reading.screens) == 1 else None
        return known[screen.fingerprint]

    return screen_of


def _module(
    mining: Mining, accepted: frozenset[str], logs: Sequence[str], output: str | None, place: Place | None
) -> str:
    """The module's text, which has no errors."""
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


def _data(
    mining: Mining, proposals: Sequence[ContractProposal], accepted: frozenset[str], text: str | None
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
            for each in proposals
        ],
    }
    return {**data, "module": text} if text is not None else data
