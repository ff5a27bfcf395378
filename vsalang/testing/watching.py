"""Runs again whenever a file changes, until the user stops it."""

from collections.abc import Callable, Iterable
from pathlib import Path


def watch(folders: Callable[[], Iterable[str]], run: Callable[[], None]) -> None:
    """Run once, then again after every change of a `.vsa` file or of a configuration below the folders.

    Args:
        folders: where to look; asked again after each run, because imports may have changed.
        run: what to do.

    Returns when the user interrupts it.
    """
    from watchfiles import watch as changes

    try:
        while True:
            run()
            places = sorted({folder for folder in folders() if Path(folder).is_dir()})
            next(iter(changes(*places, watch_filter=_matters)))
    except (KeyboardInterrupt, StopIteration):
        return


def _matters(change: object, path: str) -> bool:
    return path.endswith((".vsa", "vsac.toml", "pyproject.toml")) and "/." not in path
