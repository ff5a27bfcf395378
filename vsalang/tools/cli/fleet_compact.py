"""``vsac fleet compact`` and ``export``: looks after a store, and gives a journal back."""

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vsalang.base.config import config_in_force
from vsalang.base.diagnostics.display import count, safe
from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Result, Style
from vsalang.screen.secrets import Lexicon, Redactor
from vsalang.tools.cli import frame, sessions, shared
from vsalang.tools.cli.common import Failure
from vsalang.tools.cli.fleet_import import store_option
from vsalang.tools.cli.output import refuse_to_replace, write_text
from vsalang.tools.fleet.keeping import compact, journal_lines
from vsalang.tools.fleet.schema import StoreError
from vsalang.tools.fleet.store import Store


@dataclass(frozen=True, slots=True)
class CompactOptions:
    """Which store is looked after, and of what it lets go."""

    store: str = store_option()
    older_than: int | None = option(
        "--older-than", least=0, metavar="DAYS", help="Let go of sessions whose last record is older."
    )
    redact: bool = flag("--redact", help="Replace secrets in all sessions; they cannot be audited any more.")


@frame.as_command("text", "json")
def command(options: CompactOptions) -> Report:
    """Make few large parts of many small ones, and let go of old sessions and of secrets.

    Others see the store as it was before, or as it is after.

    Exit status: 0; 2 the store cannot be used.
    """
    oldest = None
    if options.older_than is not None:
        oldest = dt.datetime.now(dt.UTC) - dt.timedelta(days=options.older_than)
    lexicon, redact = sessions.secrets_in_force(config_in_force("fleet.vsa"), options.redact)
    redactor = (lambda: Redactor(redact, Lexicon(lexicon))) if options.redact else None
    try:
        with Store(Path(options.store), make=False) as store:
            result = compact(store, oldest, redactor)
    except StoreError as error:
        raise Failure(str(error), error.hint) from error

    def values() -> dict[str, Any]:
        names = ("before", "after", "dropped", "redacted", "sessions")
        return {"version": 1, "store": options.store, **{name: getattr(result, name) for name in names}}

    def text(style: Style) -> Iterator[str]:
        yield f"{count(result.before, 'part')} before, {result.after} now, with {count(result.sessions, 'session')}"
        if result.dropped:
            yield f"{count(result.dropped, 'session')} dropped: older than {count(options.older_than or 0, 'day')}"
        if result.redacted:
            yield f"{count(result.redacted, 'session')} without secrets now"

    return Result(values, text)


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """Which session is given back, and where it goes."""

    session: str = argument("SESSION")
    output: str = shared.output("FILE", "The journal to write.")
    store: str = store_option()
    force: bool = flag("--force", help="Replace the file if it exists.")


@frame.as_command("text", "json")
def export(options: ExportOptions) -> Report:
    """Write the journal of a session of a store, as it was imported, for `vsac journal show` and `replay`.

    SESSION is the hash of its first line, or how that begins.

    Exit status: 0; 2 there is no such session, or it cannot be written.
    """
    refuse_to_replace(options.output, options.force)
    try:
        lines = journal_lines(Store(Path(options.store), make=False), options.session)
    except StoreError as error:
        raise Failure(str(error), error.hint) from error
    write_text(Path(options.output), "".join(lines))
    return Result(
        lambda: {"version": 1, "file": options.output, "lines": len(lines)},
        lambda style: [f"{safe(options.output, 300)} written: {count(len(lines), 'line')}"],
    )
