"""A fleet for a tour: simulated phones whose recorded agents send their journals to a server, again and again."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from vsalang.agents import ScriptedAgent
from vsalang.agents.session import SessionOptions, open_guarded
from vsalang.base.records import dataclass
from vsalang.base.resources import resource_dir
from vsalang.tools.fleet.live.access import ACCESS_FILE, Access, write_access
from vsalang.tools.fleet.live.guarding_link import FleetPlace, GuardLink

ANSWER_SECONDS: Final = 45.0
PERSON: Final = "you"


@dataclass(frozen=True, slots=True)
class Tour:
    """What an agent does on a phone: an example that comes with vsalang."""

    example: str
    device: str
    package: str
    policy: str = ""


TOURS: Final = (
    Tour("reserve_r", "sim:restaurant", "com.opentable"),
    Tour("quiet_evening", "sim:settings", "org.example.settings", "careful"),
)


@dataclass(frozen=True, slots=True)
class DemoFleet:
    """The folder of a demonstration.

    Attributes:
        token: of the person who looks.
        devices: the files of the phones' tokens.
    """

    folder: Path
    token: str
    devices: tuple[Path, ...]


def demo_fleet(folder: Path, phones: int) -> DemoFleet:
    """Make the tokens of some phones and of one person. Raises `OSError`."""
    access, token = Access().with_new(PERSON, "*", "administer")
    files = []
    for number in range(1, phones + 1):
        access, given_token = access.with_new(f"phone{number}", "main")
        file = folder / f"phone{number}.token"
        file.touch(0o600)
        file.write_text(f"{given_token}\n", encoding="ascii")
        files.append(file)
    data = folder / "data"
    data.mkdir(mode=0o700)
    write_access(data / ACCESS_FILE, access)
    return DemoFleet(data, token, tuple(files))


class DemoPhone:
    """One phone: sessions one after the other, each step a while after the one before.

    Args:
        url: of the server.
        token_file: of the phone.
        number: of the phone, from 0: it decides what its agents do.
        pace: seconds between two steps.
        stop: set, it ends.
        tell: is told of problems.
    """

    def __init__(
        self,
        url: str,
        token_file: Path,
        number: int,
        pace: float,
        stop: threading.Event,
        tell: Callable[[str], None],
    ) -> None:
        self._url, self._token_file, self._number = url, token_file, number
        self._pace, self._stop, self._tell = pace, stop, tell
        self.sessions = 0
        self._thread = threading.Thread(target=self._run, daemon=True, name=f"phone {number + 1}")

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def join(self) -> None:
        """Wait for its end."""
        self._thread.join()

    def _run(self) -> None:
        self._stop.wait(self._number * 0.4)  # not all at once
        while not self._stop.is_set():
            try:
                self._session(TOURS[(self._number + self.sessions) % len(TOURS)])
            except Exception as error:
                self._tell(f"phone {self._number + 1}: {error}")
                return
            self.sessions += 1
            self._stop.wait(3 * self._pace)

    def _session(self, tour: Tour) -> None:
        folder = resource_dir("app_specs") / "examples"
        place = self._token_file.with_suffix("")
        link = GuardLink(
            FleetPlace(self._url, self._token_file, place.with_name("spool"), asks=True), lambda text: None
        )
        answering = link.answering
        assert answering is not None
        answering.limit = ANSWER_SECONDS
        journal = place.with_name(f"{place.name}-{self.sessions}.jsonl")
        policies = (folder / f"{tour.policy}.vsa",) if tour.policy else ()
        options = SessionOptions(journal=journal, sync="none", app=tour.package, policies=policies)
        try:
            with open_guarded(folder / f"{tour.example}.vsa", tour.device, options) as session:
                session.recorder.answered_by(answering.about)
                link.begin(journal, lambda why: session.guard.close())
                agent = ScriptedAgent.read(str(folder / f"{tour.example}.agent.jsonl"), session.guard.program)
                steps = session.run(
                    agent.proposals,
                    confirm=lambda _, verdict: answering.ask(verdict, lambda: ANSWER_SECONDS),
                )
                for _ in steps:
                    if self._stop.wait(self._pace):
                        break
        finally:
            link.close()
