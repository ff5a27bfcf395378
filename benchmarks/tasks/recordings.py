"""The recorded tasks of DroidTask, step by step, so that a step can be changed before it is read as a screen."""

import datetime as dt
import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vsalang.agents.walks.droidtask import WalkScreen, moment
from vsalang.agents.walks.recorded_walk import WalkStep
from vsalang.phone.vocabulary import Surface
from vsalang.phone.vocabulary import read as read_action
from vsalang.program.action import Action
from vsalang.program.text import canonical

DATA: Final = Path(__file__).resolve().parents[3] / "shared" / "data" / "trajectories" / "droidtask"
SIMPLE: Final = "com.simplemobiletools."
PACKAGES: Final[Mapping[str, str]] = {"firefox": "org.mozilla.firefox"}
"""The walks do not say the package: what is not named here is an app of Simple Mobile Tools."""
OWNERS: Final[Mapping[str, str]] = {
    "permission_allow_button": "com.google.android.permissioncontroller",
    "sms_short_code_confirm_message": "com.android.phone",
    "resolver_list": "android",
    "print_button": "com.android.printspooler",
}
"""Ids by which a window of Android itself is known -> the package that owns it."""
SECONDS: Final = 3
"""So long a step takes: recorded steps of several days may stand in one walk."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One step: a screen, and what was done on it.

    Attributes:
        state: the screen as simplified HTML.
        details: what was done, as DroidTask writes it; `FINISH`: the walk ends.
        answer: what the agent says to the user before that; empty: nothing.
    """

    state: str
    details: Mapping[str, Any]
    answer: str = ""

    @property
    def ends(self) -> bool:
        """Whether the walk ends with it."""
        return self.details.get("Choice") == -1

    @property
    def owner(self) -> str:
        """The package of Android to which the window belongs; empty: it is the app's."""
        return next((owner for name, owner in OWNERS.items() if f"resource_id='{name}'" in self.state), "")

    def read(self, package: str, at: dt.datetime | None) -> WalkStep:
        """The step as the guard sees it.

        Raises:
            WalkError, VocabularyError: it is not understood.
        """
        seen = WalkScreen(self.state, package=self.owner or package, now=at)
        screen = seen.screen
        said = (Action("answer", {"text": self.answer}),) if self.answer else ()
        return WalkStep(
            screen, (*said, *read_action("droidtask", self.details, Surface(element=seen.element)))
        )


FINISH: Final[Mapping[str, Any]] = {"Choice": -1}


@dataclass(frozen=True, slots=True)
class Timed:
    """A frame at its time: a step of `vsalang.agents.walks.Walk`."""

    frame: Frame
    at: dt.datetime | None

    def taken(self, package: str) -> WalkStep:
        """See `vsalang.agents.walks.recorded_walk.Step.taken`."""
        return self.frame.read(package, self.at)


@dataclass(frozen=True, slots=True)
class Task:
    """A recorded task.

    Attributes:
        name: the app and the number of its line, ``calendar-2``; its charter is ``charters/calendar_2.vsa``.
        app: the app, as DroidTask calls it.
        instruction: what the user asked for.
        frames: the recorded walk; the last one ends it.
        at: when it began; None: the walk does not say.
    """

    name: str
    app: str
    instruction: str
    frames: tuple[Frame, ...]
    at: dt.datetime | None = None

    @property
    def package(self) -> str:
        """Of the app."""
        return PACKAGES.get(self.app, SIMPLE + self.app)


def timed(frames: Sequence[Frame], at: dt.datetime | None) -> tuple[Timed, ...]:
    """The frames as steps, one after the other."""
    return tuple(
        Timed(frame, at + dt.timedelta(seconds=SECONDS * number) if at is not None else None)
        for number, frame in enumerate(frames)
    )


def read_tasks(folder: Path = DATA, answers: Mapping[str, str] | None = None) -> tuple[Task, ...]:
    """The recorded tasks of a folder, in the order of files and lines.

    Args:
        folder: with a file of JSON lines for each app.
        answers: name of a task that is a question -> what the agent answers at its end.

    Raises:
        OSError: it cannot be read.
        ValueError, KeyError: a line is not such a task.
    """
    found: list[Task] = []
    for file in sorted(folder.glob("*.jsonl.gz")):
        app = file.name.split(".")[0]
        lines = gzip.decompress(file.read_bytes()).decode().splitlines()
        for number, line in enumerate((line for line in lines if line.strip()), 1):
            found.append(_task(f"{app}-{number}", app, json.loads(line), answers or {}))
    return tuple(found)


def _task(name: str, app: str, data: Mapping[str, Any], answers: Mapping[str, str]) -> Task:
    records = data["records"]
    frames = [
        Frame(record["State"], FINISH if record["Choice"] == -1 else record["ActionDetails"])
        for record in records
    ]
    # what stands after the end was not done any more
    end = next(number for number, frame in enumerate(frames) if frame.ends)
    last = Frame(frames[end].state, FINISH, answers.get(name, ""))
    return Task(name, app, canonical(data["task_name"]), (*frames[:end], last), moment(records[0].get("tag")))
