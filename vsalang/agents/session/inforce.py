"""What is in force in a guarded session: program, policies, and the configurations they come from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vsalang.base.config import CONTRACTS, Config
from vsalang.base.source import Source
from vsalang.base.source.files import near, real_path
from vsalang.guard.journal import Journal
from vsalang.guard.journal import journal_heads as heads
from vsalang.language.semantics import Loaded

_CONTRACTS: Final = CONTRACTS.replace(".", "/") + ".vsa"


class SessionError(Exception):
    """A session cannot be opened, or the agent's program not started in it: a message, and a hint at the remedy."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True)
class File:
    """A file that counts, and the SHA-256 of its text."""

    file: str
    digest: str


@dataclass(frozen=True)
class InForce:
    """What is in force.

    Attributes:
        spec: the main module.
        program: the hash of the whole program: of the spec, the policies, and all that they import.
        policies: in force in addition to the spec.
        configuration: the files that were read for it, the user's own first.
        note: what else is good to know before the session begins.
        contracts: whether `std.contracts` says what is expected of gestures.
    """

    spec: str
    program: str
    policies: tuple[File, ...]
    configuration: tuple[File, ...]
    note: str = ""
    contracts: bool = True


def in_force(loaded: Loaded, config: Config, policies: Iterable[str]) -> InForce:
    """What is in force when a session of a program begins.

    Args:
        loaded: the program, without errors.
        config: what was found for it.
        policies: the files of all policies in force.

    Raises:
        SessionError: the configuration says otherwise than when the program was loaded.
    """
    program = loaded.program
    assert program is not None
    # a policy that another one imports was read under the name that the import found
    read = {real_path(source.path or name): source for name, source in loaded.sources.items()}
    files = [loaded.sources.get(str(Path(policy))) or read.get(real_path(policy)) for policy in policies]
    known = [source for source in files if source is not None]
    if len(known) < len(files):
        raise SessionError("the configuration changed while it was read", "start again")
    return InForce(
        program.main,
        program.digest,
        tuple(File(source.file, source.digest) for source in dict.fromkeys(known)),
        tuple(File(near(str(path)), digest) for path, digest in config.files),
        _headless(),
        CONTRACTS in program.modules,
    )


def recorded(header: Mapping[str, Any], journal: Journal) -> InForce:
    """What is in force when the session of a journal goes on: what was, when it began."""
    texts = {str(item["file"]): str(item["text"]) for item in header.get("sources", ())}
    notes = [
        f"The head of the journal is line {journal.number - journal.beyond}; the crash left "
        f"{journal.beyond} line{'s' * (journal.beyond != 1)} after it."
        if journal.beyond
        else "",
        _headless(),
    ]
    return InForce(
        str(header.get("spec", "")),
        str(header.get("digest", "")),
        tuple(
            File(str(name), Source(str(name), texts[str(name)]).digest) for name in header.get("policies", ())
        ),
        tuple(File(str(each["file"]), str(each["digest"])) for each in header.get("configuration", ())),
        " ".join(note for note in notes if note),
        CONTRACTS in header.get("standard", ()) or any(name.endswith(_CONTRACTS) for name in texts),
    )


def _headless() -> str:
    why = heads.problem()
    return f"No head of the journal is kept: {why}. `--resume` will ask for --head." if why else ""
