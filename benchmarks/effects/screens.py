"""The recorded screens of the shared data, each known by the digest of its source, and the touches recorded on them.

The repository holds no data: a touch names its screen by this digest.
"""

import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from vsalang.agents.walks.droidtask import WalkScreen
from vsalang.agents.walks.recorded_walk import WalkError
from vsalang.screen.tree import DumpError, Node, Tree, load_dump, load_tree

DATA: Final = Path(__file__).resolve().parents[3] / "shared" / "data"
DIGITS: Final = 16
"""So many hexadecimal digits of a digest name a screen."""
DROIDTASK: Final = "droidtask."
"""Walks of DroidTask do not say the package: this and the name of its folder stand for it."""
UNKNOWN: Final = "?"
"""Stands for the app of a node whose source does not name it."""


@dataclass(slots=True)
class Recorded:
    """A recorded screen.

    Attributes:
        digest: the first digits of the SHA-256 of its source: of an unpacked dump, or of the text of a state.
        kind: ``dump``, ``state`` (of DroidBot), or ``html`` (of a walk of DroidTask).
        app: the package that shows it, where the source says it for the whole screen; else empty.
        source: the text.
        next: place of a touched node -> digest of the screen that was recorded after it; empty: not recorded.
    """

    digest: str
    kind: str
    app: str
    source: bytes | str
    next: dict[int, str] = field(default_factory=dict)

    def tree(self) -> Tree:
        """The tree of the screen. Raises `DumpError`, `WalkError`."""
        if self.kind == "html":
            assert isinstance(self.source, str)
            return WalkScreen(self.source).screen.tree
        return load_dump(self.source) if self.kind == "dump" else load_tree(self.source)

    def package(self, node: Node) -> str:
        """The app to which a node belongs."""
        return self.app or node.package or UNKNOWN


def digest_of(source: bytes | str) -> str:
    """The name of a screen with this source."""
    return hashlib.sha256(source.encode() if isinstance(source, str) else source).hexdigest()[:DIGITS]


def read_screens(data: Path = DATA) -> dict[str, Recorded]:
    """All screens of a folder of recordings, by digest.

    Raises:
        OSError: a file cannot be read.
    """
    found: dict[str, Recorded] = {}
    for file in sorted(data.glob("ui_dumps/*.xml.gz")):
        source = gzip.decompress(file.read_bytes())
        _keep(found, "dump", "", source)
    for folder in sorted(path.parent for path in data.glob("utg/*/states.jsonl.gz")):
        _read_run(found, folder)
    for file in sorted(data.glob("trajectories/droidtask/*.jsonl.gz")):
        for task in _lines(file):
            _read_task(found, DROIDTASK + file.name.split(".")[0], json.loads(task))
    return found


def _lines(file: Path) -> Iterator[str]:
    return (line for line in gzip.decompress(file.read_bytes()).decode().splitlines() if line.strip())


def _keep(found: dict[str, Recorded], kind: str, app: str, source: bytes | str) -> Recorded:
    digest = digest_of(source)
    return found.setdefault(digest, Recorded(digest, kind, app, source))


def _read_run(found: dict[str, Recorded], folder: Path) -> None:
    """The states of a run of DroidBot, with the touches of its events."""
    states: dict[str, Recorded] = {}
    for line in _lines(folder / "states.jsonl.gz"):
        states[json.loads(line)["state_str"]] = _keep(found, "state", "", line)
    for line in _lines(folder / "events.jsonl.gz"):
        event = json.loads(line)
        start, view = states.get(event.get("start_state")), event["event"].get("view")
        if start is None or event["event"].get("event_type") != "touch" or not isinstance(view, Mapping):
            continue
        after = states.get(event.get("stop_state"))
        # the views of a state are numbered from 0, the nodes of a tree from 1
        start.next.setdefault(view["temp_id"] + 1, after.digest if after else "")


def _read_task(found: dict[str, Recorded], app: str, task: Mapping[str, Any]) -> None:
    """The screens of a walk of DroidTask, with its touches."""
    records = [(record, _keep(found, "html", app, record["State"])) for record in task["records"]]
    for number, (record, screen) in enumerate(records):
        if record.get("Action") != "touch" or record["Choice"] < 0:
            continue
        walk = WalkScreen(record["State"])
        try:
            at = walk.element(record["Choice"])
        except (LookupError, WalkError):
            continue
        tree = walk.screen.tree
        assert isinstance(at["x"], int) and isinstance(at["y"], int)
        touched = next((node for node in reversed(tree.nodes) if node.holds(at["x"], at["y"])), None)
        if touched is not None:
            after = records[number + 1][1].digest if number + 1 < len(records) else ""
            screen.next.setdefault(touched.place, after)


def readable(screen: Recorded) -> Tree | None:
    """The tree of a screen; None where it cannot be read (one page of two tools is not XML)."""
    try:
        return screen.tree()
    except (DumpError, WalkError):
        return None
