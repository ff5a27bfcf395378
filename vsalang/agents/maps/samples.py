"""Reads recordings as samples to learn an app from: looks at its screens, and what one gesture on each came to."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from vsalang.agents.maps.moves import Told
from vsalang.agents.maps.programs import Reader
from vsalang.agents.maps.recording import LOOKING_ON
from vsalang.agents.maps.screen_graph import UTGError
from vsalang.agents.maps.signature import app_of
from vsalang.agents.maps.signatures import face_of
from vsalang.agents.walks import Walk, WalkError, WalkStep, read_walks
from vsalang.base.records import dataclass
from vsalang.program.action import Action
from vsalang.program.text import line
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import DumpError, read_tree

_DUMPS: Final = (".xml", ".xml.gz")
MAX_LOOKS: Final = 100_000
_STARTED: Final = re.compile(
    r"\s*(?:adb shell )?am (?:start|start-activity)\s(?:[^;&|]*\s)?(?P<package>[A-Za-z][\w.]*)/"
)


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A screen that was seen.

    Attributes:
        screen: with the app in front, as far as it is known.
        place: file and step.
        declared: the name that a module has for it; empty: none.
    """

    screen: TreeScreen
    place: str
    declared: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Try:
    """One gesture that was made on a screen, and what showed when it had settled.

    Attributes:
        predicted: whether a `goto` rule of a module said that it leads there.
    """

    before: Look
    action: Action
    after: Look
    predicted: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """What recordings hold.

    Attributes:
        unsettled: steps that are left out, as the screen went on changing by itself.
        opened: the apps that were opened on purpose, by a gesture or a command.
    """

    looks: tuple[Look, ...]
    tries: tuple[Try, ...]
    unsettled: int = 0
    opened: frozenset[str] = frozenset()

    def packages(self) -> Mapping[str, int]:
        """The apps that were seen, the one seen most first, and on how many looks each was."""
        count = Counter(look.screen.app[0] for look in self.looks if look.screen.app and look.screen.app[0])
        return dict(sorted(count.items(), key=lambda item: (-item[1], item[0])))

    def meant(self) -> str:
        """The app that the recordings are about; empty: they do not say.

        It is the only one that was opened on purpose; else the one on more than half of the looks.
        """
        seen = self.packages()
        among = [package for package in seen if package in self.opened] or list(seen)
        if len(among) == 1:
            return among[0]
        return next((package for package in among if 2 * seen[package] > sum(seen.values())), "")


def read_samples(
    paths: Iterable[Path], *, package: str = "", reader: Reader | None = None, tell: Told | None = None
) -> Samples:
    """The samples of recordings: walks of any format, and dumps of single screens.

    Args:
        package: of the app, where a recording does not say it.
        reader: names the screens that a module declares.

    Raises:
        UTGError: one cannot be read, or there are more than `MAX_LOOKS` looks.
    """
    looks: list[Look] = []
    tries: list[Try] = []
    opened: set[str] = set()
    unsettled = 0
    for path in paths:
        try:
            if path.name.endswith(_DUMPS):
                looks.append(_dump(path, package, reader))
                continue
            walks = read_walks(path)
        except (WalkError, DumpError) as error:
            raise UTGError(str(error)) from error
        for walk in walks:
            samples = _WalkSamples(reader)
            for step in _steps(walk, package, tell):
                samples.add(step, f"{line(walk.name or path.name, 60)}#{len(samples.steps) + 1}")
            looks += samples.looks
            tries += samples.tries
            unsettled += samples.unsettled
            opened |= {name for step in samples.steps for each in step.actions if (name := _opens(each))}
            if len(looks) > MAX_LOOKS:
                raise UTGError(f"more than {MAX_LOOKS} screens were recorded", "name fewer recordings")
    return Samples(tuple(looks), tuple(tries), unsettled, frozenset(opened))


def _opens(action: Action) -> str:
    """The app that an action opens; empty: none."""
    if action.name == "open_app":
        return str(action.args.get("package") or "")
    started = _STARTED.match(str(action.args.get("command"))) if action.name == "shell" else None
    return started["package"] if started else ""


def _dump(path: Path, package: str, reader: Reader | None) -> Look:
    screen = placed(TreeScreen(read_tree(path)), package)
    if reader is None:
        return Look(screen, line(path.name, 60))
    reader.begin()
    return Look(screen, line(path.name, 60), _declared(reader, screen))


def placed(screen: TreeScreen, package: str = "") -> TreeScreen:
    """The screen with the app that it shows; without a word on it, that of most nodes."""
    if screen.app is not None and screen.app[0]:
        return screen
    package_name = package or app_of(screen)[0]
    return TreeScreen(screen.tree, app=(package_name, None), now=screen.now) if package_name else screen


def _declared(reader: Reader, screen: TreeScreen) -> str:
    graph_screen = reader.screen(screen, "")
    return graph_screen.name if graph_screen.kind == "screen" else ""


def _steps(walk: Walk, package: str, tell: Told | None) -> Iterator[WalkStep]:
    for index in range(len(walk.steps)):
        if tell is not None:
            tell(f"{walk.name}: step {index + 1} of {len(walk.steps)}")
        try:
            yield walk.taken(index, package)
        except WalkError as error:
            raise UTGError(str(error)) from error


class _WalkSamples:
    """The samples of one walk, step by step."""

    def __init__(self, reader: Reader | None) -> None:
        self.looks: list[Look] = []
        self.tries: list[Try] = []
        self.steps: list[WalkStep] = []
        self.unsettled = 0
        self._reader = reader
        self._open: tuple[Look, Action, TreeScreen | None, frozenset[str]] | None = None
        self._placed: dict[int, TreeScreen] = {}
        if reader is not None:
            reader.begin()

    def add(self, step: WalkStep, place: str) -> None:
        self.steps.append(step)
        if step.screen is None:
            self._open = None
            return
        screen = self._placed.setdefault(id(step.screen), placed(step.screen))
        here = Look(screen, place, _declared(self._reader, screen) if self._reader else "")
        self.looks.append(here)
        actions = [action for action in step.actions if action.name not in LOOKING_ON]
        if self._open is not None:
            before, action, ended, predicted = self._open
            if ended is not None and face_of(placed(ended)) != face_of(screen):
                self.unsettled += 1
            else:
                self.tries.append(Try(before, action, here, here.declared in predicted))
        self._open = None
        if len(actions) == 1:
            predicted = self._reader.predicted(actions) if self._reader else frozenset()
            self._open = here, actions[0], step.ended, predicted
