"""``vsac fleet import JOURNAL..``: brings journals of many devices into one store."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from vsalang.base.config import config_in_force
from vsalang.base.diagnostics.display import count, safe
from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.screen.secrets import Lexicon, Redactor
from vsalang.tools.cli import frame, sessions
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure
from vsalang.tools.cli.progress import Progress
from vsalang.tools.fleet.importing import Import, import_journals, journals_in
from vsalang.tools.fleet.schema import StoreError
from vsalang.tools.fleet.store import Store

STORE: Final = "fleet"
"""The folder of the store where none is named."""


def store_option() -> Any:
    """The option ``--store`` of every command of a store."""
    return option("--store", default=STORE, metavar="FOLDER", help="The store.")


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Which journals go into which store."""

    journals: tuple[str, ...] = argument("JOURNAL")
    store: str = store_option()
    tenant: str = option("--tenant", default="", metavar="NAME", help="Whose journals these are.")
    torn: bool = flag(
        "--torn", help="Also take journals of which a crash cut the last line off, without that."
    )
    redact: bool = flag("--redact", help="Replace secrets; what is redacted cannot be audited.")


@frame.as_command("text", "json")
def command(options: ImportOptions) -> Report:
    """Import journals of guarded sessions into a store, which is made if it is not there.

    JOURNAL is a file, or a folder in which all files *.jsonl are. The hash chain of each is checked. A journal that
    is in the store already is not imported twice; one that has grown takes the place of the shorter one.

    Exit status: 0 all are in the store; 1 some are not, each with the reason; 2 the store cannot be used.
    """
    config = config_in_force("fleet.vsa")
    lexicon, redact = sessions.secrets_in_force(config, options.redact)
    redactor = (lambda: Redactor(redact, Lexicon(lexicon))) if redact else None
    try:
        paths = list(journals_in(options.journals))
        with Store(Path(options.store)) as store:
            imports = import_journals(store, paths, options.tenant, torn=options.torn, redactor=redactor)
            results = tuple(Progress(len(paths), "journals").over(imports))
    except StoreError as error:
        raise Failure(str(error), error.hint) from error
    return ImportReport(options.store, results)


@dataclass(frozen=True, slots=True)
class ImportReport(Report):
    """The results of all journals.

    Attributes:
        store: the folder of the store.
        imports: one for each journal.
    """

    store: str
    imports: tuple[Import, ...]

    @property
    def status(self) -> int:  # type: ignore[override]
        """1 if a journal was left out."""
        return EXIT_FINDINGS if self._of("broken") else EXIT_OK

    def _of(self, result: str) -> list[Import]:
        return [each for each in self.imports if each.result == result]

    def data(self) -> object:
        """The counts, and what was left out."""
        return {
            "version": 1,
            "store": self.store,
            **{result: len(self._of(result)) for result in ("new", "grown", "known")},
            "broken": [{"path": each.path, "why": each.problem} for each in self._of("broken")],
        }

    def lines(self, style: Style) -> Iterator[str]:
        """The counts in a sentence."""
        new, grown, known = (len(self._of(result)) for result in ("new", "grown", "known"))
        sessions = f"{count(new, 'session')} imported into {safe(self.store, 200)}"
        yield f"{sessions}, {grown} replaced by longer ones, {known} there before"

    def notes(self, style: Style) -> Iterator[str]:
        """What was left out."""
        for each in self._of("broken"):
            yield f"{style('left out', fg='red')}: {safe(each.problem, 500)}"
            if each.torn:
                yield "  help: --torn takes it without that line"
