"""``vsac map target``: which screens a task is about."""

from collections.abc import Iterator
from typing import Any

from vsalang.agents.maps import ANY, UTG, Candidate, Ways, ranked, route, select
from vsalang.base.options import argument, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.program.text import line
from vsalang.tools.cli import frame, utg_way
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure
from vsalang.tools.cli.utg_sources import made, program_of


@dataclass(frozen=True, slots=True)
class TargetOptions:
    """The task, and the screens that there are."""

    instruction: str = argument(
        "INSTRUCTION", default="", needs={"--app or --utg or --spec": "no screens are known"}
    )
    app: str | None = option(
        "--app",
        metavar="MODULE",
        help="The app module whose screens are meant.",
        excludes={"--spec": "a spec imports its app modules"},
    )
    sources: tuple[str, ...] = option(
        "--utg", default=(), metavar="SOURCE", help="A map, or what `vsac map` makes one of; repeatable."
    )
    spec: str | None = option(
        "--spec", metavar="SPEC", help="A spec: its rules say exactly which screens are meant."
    )
    start: str | None = option(
        "--from", metavar="SCREEN", help="Also show the way from this screen (or `anywhere`)."
    )
    number: int = option("-k", default=5, least=1, most=100, metavar="N", help="How many at most.")


@dataclass(frozen=True, slots=True)
class Targets(Report):
    """The screens that a task is about, or those that come nearest.

    Attributes:
        sure: whether they are those.
        start: the screen from which ways are shown.
        ways: the ways from there to the first screen.
    """

    utg: UTG
    screens: tuple[Candidate, ...]
    sure: bool
    start: str
    ways: Ways | None
    status: int

    def data(self) -> dict[str, Any]:
        return {
            "version": 1,
            "sure": self.sure,
            "screens": [
                {"screen": each.screen, "score": each.score, "why": list(each.why)} for each in self.screens
            ],
            "way": utg_way.data(self.ways) if self.ways is not None else None,
        }

    def lines(self, style: Style) -> Iterator[str]:
        if not self.sure:
            yield (
                "no screen clearly fits best; the nearest:"
                if self.screens
                else "no screen is named by a rule, and none has a word of the task"
            )
        for number, each in enumerate(self.screens, 1):
            screen = self.utg.screens.get(each.screen)
            title = screen.title if screen is not None else each.screen
            name = "" if title == each.screen else f"  ({each.screen})"
            yield f"{number}. {line(title, 60)}{line(name, 120)}  {each.score:.2f}"
            yield from (f"     {line(reason, 120)}" for reason in each.why)
        if self.ways is not None:
            yield ""
            yield from utg_way.lines(self.utg, self.start, self.ways)


@frame.as_command("text", "json", one_of=("INSTRUCTION", "--spec"))
def command(options: TargetOptions) -> Report:
    """Say which screens of an app a task is about.

    With --spec by its rules: where the actions are done that it permits, and where is shown what its `done` reads.
    Without one, or where its rules name no screen, by the words of INSTRUCTION (left out: what the spec says of
    itself); where no screen clearly fits best, the nearest ones are shown as unsure.

    Exit status: 0 a screen was found, 1 none, or none for sure, 2 a file cannot be used.
    """
    instruction, module = options.instruction, options.spec or options.app
    utg = made([*([module] if module else []), *options.sources], module)
    program = program_of(module) if module else None
    if not instruction.strip() and program is not None:
        instruction = program.modules[program.main].doc
    start = ""
    if options.start is not None:
        start = ANY if options.start == utg_way.ANYWHERE else utg_way.named(utg, options.start)
    screens = select(instruction, utg, program, options.number)
    ways = None
    if options.start is not None and screens:
        if screens[0].screen not in utg.screens:
            raise Failure(
                f"the map has no screen {screens[0].screen}", "add the spec's app module to the map"
            )
        ways = route(utg, start, [screens[0].screen])
    near = screens or ranked(instruction, utg, program)[: options.number]
    status = EXIT_OK if screens else EXIT_FINDINGS
    return Targets(utg, tuple(near), bool(screens), start, ways, status)
