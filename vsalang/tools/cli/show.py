"""``vsac journal show``: shows a recorded session as a timeline, as JSON, or as a page."""

from functools import partial
from pathlib import Path

from vsalang.base.diagnostics.display import count
from vsalang.base.options import argument, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Result
from vsalang.base.source.opening import open_regular
from vsalang.base.source.private import write_out
from vsalang.guard.journal import JournalError, read_session
from vsalang.guard.journal.session_page import render
from vsalang.guard.journal.timeline import timeline, to_json
from vsalang.guard.journal.timeline_text import timeline_lines
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import Failure

_KINDS = ("allowed", "warned", "asked", "blocked", "unjudged", "committed", "surprise")


@dataclass(frozen=True, slots=True)
class ShowOptions:
    """Which session is shown, and what of it."""

    journal: str = argument("JOURNAL")
    first: int | None = option("--from", least=0, metavar="N", help="Begin with proposal N.")
    last: int | None = option("--to", least=0, metavar="N", help="End with proposal N.")
    only: tuple[str, ...] = option(
        "--only", choices=_KINDS, default=(), help="Only proposals that were so; repeatable."
    )
    page: str | None = option(
        "--html", metavar="FILE", help="Write one self-contained page instead.", excludes="--format json"
    )


@frame.as_command("text", "json")
def command(options: ShowOptions) -> Report:
    """Show what happened in a recorded session: each proposal, its verdict and why, and its outcome.

    The hash chain of the journal is checked first: a changed or missing line is an error.

    Exit status: 0 it was shown, 2 it could not be.
    """
    try:
        session = read_session(options.journal)
        session_timeline = timeline(session, first=options.first, last=options.last, only=options.only)
        text = render(session_timeline) if options.page else ""
    except JournalError as error:
        raise Failure(str(error)) from error
    if not options.page:
        return Result(partial(to_json, session_timeline), partial(timeline_lines, session_timeline))
    _write(Path(options.page), text, options.journal)
    proposals = count(len(session.steps), "proposal")
    return Result(
        dict, lambda style: [f"{options.page}: {proposals} of {session_timeline.session.header.get('spec')}"]
    )


def _write(path: Path, text: str, journal: str) -> None:
    if path.exists() and path.samefile(journal):
        raise Failure(f"{path} is the journal", "name another file for the page")
    if ".vsa" in (path.suffix.lower(), path.resolve().suffix.lower()):
        raise Failure(f"{path} is a specification's name", "name another file for the page")
    if path.is_file():
        with open_regular(path) as file:
            if file.read(1) == b"{":  # also a damaged journal
                raise Failure(f"{path} is a journal, not a page", "name another file for the page")
    write_out(path, text)
