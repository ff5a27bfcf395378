"""What commands do with the memory of certificates: find its file, and say what a session remembered."""

from pathlib import Path

from vsalang.base.config import users_config
from vsalang.base.diagnostics.display import count, safe
from vsalang.base.source.database import StoreError
from vsalang.guard.memory.certificate_store import CertificateStore, usual_place
from vsalang.guard.memory.session_memory import SessionMemory
from vsalang.tools.cli.common import Failure
from vsalang.tools.cli.output import echo


def certificates_at(file: str | None = None) -> CertificateStore:
    """The memory in a file; without one, that which the user's configuration names, else the usual one.

    Raises:
        Failure: there is no place for it.
        SourceError: the user's configuration cannot be used.
    """
    try:
        return CertificateStore(
            Path(file) if file is not None else users_config().certificates or usual_place()
        )
    except StoreError as error:
        raise Failure(str(error), error.hint) from error


def remembered(new: int, known: int, path: Path) -> str:
    """How many certificates a memory got, and how many it had already."""
    more = f", {known} known already" if known else ""
    return f"{count(new, 'certificate')} remembered in {safe(str(path))}{more}"


def told_of(memory: SessionMemory | None) -> None:
    """Say on standard error how many actions a session remembered, and what kept it from more."""
    if memory is None:
        return
    echo(remembered(memory.kept, memory.known, memory.store.path), err=True)
    if memory.problem:
        echo(f"warning: nothing more was remembered: {memory.problem}", err=True)
