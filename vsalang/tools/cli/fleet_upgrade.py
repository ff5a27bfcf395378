"""``vsac fleet upgrade``: what an older version of vsac kept, in the form of this version."""

from pathlib import Path

from vsalang.base.diagnostics.display import count, safe
from vsalang.base.options import argument
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Result
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import Failure
from vsalang.tools.fleet.live.intake_store import STORE_FILE, IntakeError
from vsalang.tools.fleet.live.upgrading import upgrade_intake
from vsalang.tools.fleet.schema import StoreError
from vsalang.tools.fleet.store import LIST_FILE
from vsalang.tools.fleet.upgrading import upgrade


@dataclass(frozen=True, slots=True)
class UpgradeOptions:
    """What is upgraded."""

    folder: Path = argument("FOLDER")


@frame.as_command("text", "json")
def command(options: UpgradeOptions) -> Report:
    """Bring FOLDER, which an older version of vsac wrote, to the form of this version: a store, or a server's folder.

    Stop the server first. If the command is killed, FOLDER is as it was before, or as it is after; run it again.

    Exit status: 0 FOLDER is of this version; 2 it cannot be upgraded, and is as it was.
    """
    folder = options.folder
    try:
        if (folder / STORE_FILE).is_file():
            result = upgrade_intake(folder)
        elif (folder / LIST_FILE).is_file():
            result = upgrade(folder)
        else:
            raise Failure(
                f"{folder} is neither a store nor the folder of a fleet server",
                f"a store holds {LIST_FILE}, a server's folder {STORE_FILE}",
            )
    except StoreError as error:
        raise Failure(str(error), error.hint) from error
    except IntakeError as error:
        raise Failure(str(error)) from error
    data = {
        "version": 1, "folder": str(folder), "before": result.before, "after": result.after,
        "sessions": result.sessions, "redacted": result.redacted,
    }  # fmt: skip
    name, sessions = safe(str(folder), 200), count(result.sessions, "session")
    if result.before == result.after:
        lines = [f"{name} is of version {result.after} already, with {sessions}."]
    else:
        lines = [
            f"{name} was of version {result.before}, and is of version {result.after} now, with {sessions}."
        ]
    if result.redacted:
        lines.append(f"{count(result.redacted, 'session')} without secrets: new columns say nothing of them.")
    return Result(lambda: data, lambda style: lines)
