"""Runs again whenever a file changes, until the user stops it."""

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Final

_LOOK: Final = 200
"""Milliseconds after which the watcher is asked whether anything has changed."""


def watch(folders: Callable[[], Iterable[str]], run: Callable[[], None]) -> None:
    """Run once, then again after every change of a `.vsa` file or of a configuration below the folders.

    A change that is made during a run counts too.

    Args:
        folders: where to look; asked again after each run, because imports may have changed.
        run: what to do.

    Returns when the user interrupts it.
    """
    places = _places(folders())
    changes = _changes(places)
    try:
        while True:
            run()
            wanted = _places(folders())
            if not set(wanted) <= set(places):  # something else is imported: watch that too
                old, places, changes = changes, wanted, _changes(wanted)
                if next(old):
                    continue
            if not any(changes):
                return  # the watcher was stopped
    except (KeyboardInterrupt, StopIteration):
        return


def _changes(places: Collection[Path]) -> Iterator[Collection[object]]:
    """The changes that matter below the places, from now on; nothing for a while is an empty set."""
    from watchfiles import watch as watcher

    changes = watcher(
        *places,
        watch_filter=lambda change, path: matters(Path(path), places),
        rust_timeout=_LOOK,
        yield_on_timeout=True,
    )
    first = next(changes)  # it begins to watch when it is asked first
    return chain([first], changes)


def _places(folders: Iterable[str]) -> list[Path]:
    """The folders that are there, as the watcher names what is in them."""
    return sorted({path for folder in folders if (path := Path(folder).resolve()).is_dir()})


def matters(path: Path, places: Collection[Path]) -> bool:
    """Whether a change of a file is one to run for: nothing hidden below one of the places."""
    if path.suffix != ".vsa" and path.name not in ("vsac.toml", "pyproject.toml"):
        return False
    return any(
        path.is_relative_to(place) and not any(part.startswith(".") for part in path.relative_to(place).parts)
        for place in places
    )
