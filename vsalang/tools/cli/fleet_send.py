"""``vsac fleet send``: sends what is left of recorded sessions to a fleet server."""

from collections.abc import Iterator
from pathlib import Path

from vsalang.base.diagnostics.display import count
from vsalang.base.options import argument, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.program.text import line
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure
from vsalang.tools.fleet.live.client import Client, ServerAway, ServerRefused, checked_url, read_token
from vsalang.tools.fleet.live.guarding_link import token_problem
from vsalang.tools.fleet.live.sending import Sender
from vsalang.tools.fleet.live.spool import Spool, SpoolEntry, default_spool


@dataclass(frozen=True, slots=True)
class SendOptions:
    """What is sent, and to which server."""

    journals: tuple[str, ...] = argument(
        "JOURNAL",
        default=(),
        needs={"--fleet": "the spool knows where its journals go, and nothing else does"},
    )
    url: str | None = option(
        "--fleet",
        metavar="URL",
        read=checked_url,
        help="The server.",
        default_text="that of each journal of the spool",
        needs=("--fleet-token-file", "JOURNAL"),
    )
    token_file: Path | None = option(
        "--fleet-token-file",
        metavar="FILE",
        help="The device's token, in a file that nobody else can read.",
        needs="--fleet",
    )


@dataclass(frozen=True, slots=True)
class SentJournal:
    """What became known of one journal.

    Attributes:
        sent: lines that were sent now, or had been before.
        problem: why not all of it was; empty: all of it was.
    """

    journal: str
    sent: int
    problem: str


@dataclass(frozen=True, slots=True)
class SentJournals(Report):
    """What was sent."""

    rows: tuple[SentJournal, ...]
    status: int = EXIT_OK

    def data(self) -> object:
        """One object a journal."""
        rows = [{"journal": one.journal, "bytes": one.sent, "problem": one.problem} for one in self.rows]
        return {"version": 1, "journals": rows}

    def lines(self, style: Style) -> Iterator[str]:
        """One line a journal."""
        if not self.rows:
            yield "Nothing is left to be sent."
        for one in self.rows:
            yield f"{one.journal}: " + (one.problem or f"{count(one.sent, 'byte')}, all kept by the server")


@frame.as_command("text", "json")
def command(options: SendOptions) -> Report:
    """Send what is left of journals to a fleet server: those that are named, else all of the spool.

    While a session runs, `vsac run --fleet` sends its journal itself. What it could not send is in the spool.

    Exit status: 0 all of it was sent, 1 something was not, 2 something could not be read.
    """
    try:
        spool = Spool(default_spool())
    except OSError as error:
        raise Failure(f"the spool cannot be used: {error}") from error
    if options.url is not None and options.token_file is not None:
        entries = [
            SpoolEntry(Path(), options.url, str(options.token_file), Path(journal))
            for journal in options.journals
        ]
    else:
        entries = spool.left()
    rows = []
    for entry in entries:
        row = _sent(entry)
        rows.append(row)
        if not row.problem and entry.place != Path():
            spool.remove(entry.place)
    failed = any(row.problem for row in rows)
    return SentJournals(tuple(rows), EXIT_FINDINGS if failed else EXIT_OK)


def _sent(entry: SpoolEntry) -> SentJournal:
    name = str(entry.journal)
    if not entry.journal.is_file():
        return SentJournal(name, 0, "there is no such file" + (" any more" if entry.place != Path() else ""))
    if problem := token_problem(Path(entry.token_file)):
        return SentJournal(name, 0, f"the device's token cannot be used: {line(problem, 300)}")
    try:
        sender = Sender(Client(entry.url, read_token(Path(entry.token_file))), entry.journal)
        while not sender.step():
            pass
        return SentJournal(name, sender.sent, "" if sender.done else "it holds no whole line")
    except (ServerAway, ServerRefused, OSError, ValueError) as error:
        return SentJournal(name, 0, line(str(error), 300))
