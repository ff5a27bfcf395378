"""``vsac fleet backup``: a copy of all that a fleet server keeps, while it runs."""

from collections import deque
from pathlib import Path

from vsalang.base.diagnostics.display import count
from vsalang.base.options import argument, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Result
from vsalang.base.source import private
from vsalang.guard.journal import JournalError, read_journal
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import Failure
from vsalang.tools.fleet.live.access import ACCESS_FILE
from vsalang.tools.fleet.live.intake_store import STORE_FILE, IntakeError, IntakeStore
from vsalang.tools.fleet.live.trail import TRAIL_FILE

_LARGEST = 1_000_000_000


@dataclass(frozen=True, slots=True)
class BackupOptions:
    """What is copied, and where to."""

    target: Path = argument("TARGET")
    data: Path = option(
        "--data",
        default=Path("fleet-server"),
        default_text="fleet-server",
        metavar="DIR",
        help="The folder of the server.",
    )


@frame.as_command("text", "json")
def command(options: BackupOptions) -> Report:
    """Copy all that a fleet server keeps into a new folder TARGET: its store, tokens and trail, and each journal.

    The server may run meanwhile. To put it back, stop the server and use TARGET as its folder; devices whose sessions
    still run send what is missing. `vsac fleet import TARGET/journals/TENANT` brings the journals into a store of
    Parquet.

    Exit status: 0; 2 something could not be read or written.
    """
    source, target = options.data / STORE_FILE, options.target
    if not source.is_file():
        raise Failure(f"{options.data} is not the folder of a fleet server", "name it with --data")
    try:
        target.mkdir(mode=0o700, parents=True)
        store = IntakeStore(source)
        try:
            store.back_up(target / STORE_FILE)
            sessions = _journals(store, target / "journals")
        finally:
            store.close()
        head = ""
        for name in (ACCESS_FILE, TRAIL_FILE):
            if (options.data / name).exists():
                content = private.read(options.data / name, _LARGEST)
                if name == TRAIL_FILE:  # the server may be writing its last line
                    content = content[: content.rfind(b"\n") + 1]
                private.write(target / name, content)
        if (target / TRAIL_FILE).exists():
            head = next(
                iter(deque((record.hash for record in read_journal(target / TRAIL_FILE)), maxlen=1)), ""
            )
    except FileExistsError as error:
        raise Failure(f"{target} exists already", "name a new folder") from error
    except (IntakeError, JournalError, OSError) as error:
        raise Failure(f"the backup failed: {error}") from error
    data = {"version": 1, "target": str(target), "sessions": sessions, "trail_head": head}
    words = f"{count(sessions, 'session')} copied to {target}."
    lines = [words, f"The head of the trail: {head}"] if head else [words]
    return Result(lambda: data, lambda style: lines)


def _journals(store: IntakeStore, folder: Path) -> int:
    """Write each session as a journal, byte for byte. Raises `OSError`."""
    summaries = store.summaries()
    for summary in summaries:
        place = folder / summary.tenant
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        private.write(
            place / f"{summary.session}.jsonl", store.lines(summary.tenant, summary.session), new=True
        )
    return len(summaries)
