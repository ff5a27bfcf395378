"""The names of what users choose by name: engines, modes, languages, and how a journal is forced to the disk.

It imports nothing of vsalang, so that `vsac --help` stays light; everything else reads the names from here.
"""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, get_args

EngineName: TypeAlias = Literal["incremental", "pydatalog"]
"""An evaluator of programs; see `vsalang.engine.open_session`."""
ENGINES: Final[tuple[EngineName, ...]] = get_args(EngineName)
DEFAULT_ENGINE: Final[EngineName] = "incremental"
FORMER_ENGINES: Final[Mapping[str, str]] = {
    "reference": "the reference evaluator is part of the tests now (tests/oracle, in a checkout of the repository)"
}
"""Engines of earlier versions, which journals may name: where they are now."""


def engine_named(text: str) -> EngineName:
    """The engine of a name.

    Raises:
        ValueError: there is none; for one of an earlier version it says where it is now.
    """
    for name in ENGINES:
        if text == name:
            return name
    former = FORMER_ENGINES.get(text, "")
    more = f" {former[:1].upper()}{former[1:]}." if former else ""
    raise ValueError(f"{text!r} is not one of {', '.join(map(repr, ENGINES))}.{more}")


Mode: TypeAlias = Literal["enforce", "shadow", "ask"]
"""What a verdict does: it decides; it is only recorded, and everything passes; it decides, and the guard asks."""
MODES: Final[tuple[Mode, ...]] = get_args(Mode)

FileMode: TypeAlias = Literal["enforce", "ask"]
"""The modes that a configuration file may set. Never ``shadow``: it is given when a run starts."""
FILE_MODES: Final[tuple[FileMode, ...]] = get_args(FileMode)

Language: TypeAlias = Literal["en", "de"]
"""A language that the guard speaks; the first one is that of records."""
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
DEFAULT_LANGUAGE: Final[Language] = "en"

Sync: TypeAlias = Literal["effects", "all", "none"]
"""Which records of a journal are on the disk when they count as written: each; each that something depends on; none
(the operating system writes them when it likes: they survive the death of the process, not that of the machine)."""
SYNCS: Final[tuple[Sync, ...]] = get_args(Sync)
